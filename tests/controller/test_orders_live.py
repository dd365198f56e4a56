"""Every order over a real mosquitto: accepted and refused, answered exactly once, and the same from every side."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from controller.cli import main
from controller.game.tiles import Pair, Seat
from controller.messages import Connection, Heartbeat
from controller.mosquitto import Mosquitto
from controller.numbers import Numbers
from controller.order_words import example
from controller.orders import ORDERS
from tests.controller.games import LOCKING_DEAL, LOCKING_MOVES, Hands
from tests.controller.live_service import Display
from tests.controller.live_table import LiveTable
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import lock_hands

NAMES = ["Ann", "Bob", "Cleo", "Dan"]
DRAWN = [[6, 4], [1, 0], [5, 5], [3, 2]]
NO_GAME: dict[str, dict[str, Any]] = {
    "draw_lead": {"drawn": DRAWN},
    "start_set": {},
    "lay": {"tile": [5, 4], "end": "R"},
    "adopt_line": {},
    "voice_pass": {"seat": 1},
    "time_claim": {"seat": 1},
    "redeal": {"seat": 1},
    "expose": {"seat": 1, "tile": [5, 3]},
    "show": {"seat": 1, "tiles": [[5, 3]]},
    "warn": {"seat": 1, "reason": "talk"},
    "rule": {"finding": 1, "decision": "dismiss"},
    "reveal": {},
    "count": {"hands": [[], [], [], []]},
    "confirm_count": {},
    "restart_set": {},
    "replay": {},
    "confirm_register": {},
    "attribute": {"act": 1, "seat": 1},
    "correct": {"act": 1, "tile": [5, 3]},
    "pause": {},
    "resume": {},
}
"""Orders that nothing comes of before there is a game."""
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    **{name: (fields, "no_game") for name, fields in NO_GAME.items()},
    "draw_seats": ({"pairs": [["Ann", "Cleo"], ["Bob", "Dan"]], "lots": [1, 2]}, "nothing_drawn"),
    "start_game": ({}, "nothing_drawn"),
    "merge_ledger": ({"ledger": {}}, "malformed"),
    "undo": ({}, "nothing_to_undo"),
    "redo": ({}, "nothing_to_redo"),
    "unmute": ({}, "not_muted"),
    "selftest": ({"stop": True}, "not_running"),
    "acknowledge": ({"revision": 999}, "moved_on"),
    "mute": ({"revision": 999}, "moved_on"),
}
LEDGER = {"gameline": "ledger", "version": 1, "competition": "cup", "entries": [], "withdrawn": [], "games": []}


class Referee:
    """Orders that must be accepted; which ones were is kept."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self.accepted: set[str] = set()

    def say(self, name: str, **fields: Any) -> dict[str, Any]:
        """Give an order."""
        answer: dict[str, Any] = self._display.order(name, **fields)
        assert answer["accepted"], (name, fields, answer)
        self.accepted.add(name)
        return answer

    def play(self, acts: str) -> None:
        """Moves and passes of the seats in turn, as rule_table.py writes them."""
        for number, word in enumerate(acts.split()):
            if word == "P":
                self.say("voice_pass", seat=number % 4)
            else:
                self.say("lay", tile=[int(word[0]), int(word[1])], end=word[2:] or "first")

    def lock(self) -> None:
        """A set by `LOCKING_MOVES`, all at the right end."""
        first, *others = LOCKING_MOVES.split()
        self.say("start_set")
        self.play(" ".join((first, *(f"{word}R" for word in others))))

    def count(self, hands: Hands) -> None:
        """The hands that are left."""
        self.say("count", hands=[[[tile.high, tile.low] for tile in hand] for hand in hands])


@pytest.fixture
def display(mosquitto: Mosquitto) -> Iterator[Display]:
    made = Display(mosquitto.port)
    yield made
    made.close()


@pytest.fixture
def table(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[LiveTable]:
    with LiveTable(mosquitto, tmp_path) as made:
        yield made


def address_of(broker: Mosquitto) -> list[str]:
    """Where the table is, as the command line says it."""
    return ["--host", broker.host, "--port", str(broker.port), "--table", "hall"]


@pytest.fixture
def address(mosquitto: Mosquitto) -> list[str]:
    return address_of(mosquitto)


def connected(display: Display) -> Display:
    """A display that has heard that the table is there."""
    display.wait_for("connection", lambda body: body["status"] == "online")
    return display


def play_everything(referee: Referee, table: LiveTable) -> None:
    """An evening in which every order is given when it may be."""
    say = referee.say
    say("selftest")
    say("selftest", stop=True)
    say("mute", seconds=60)
    say("unmute")
    say("acknowledge")
    say("merge_ledger", ledger=LEDGER)
    say("draw_seats", pairs=[["Ann", "Cleo"], ["Bob", "Dan"]], drawn=DRAWN)
    say("start_game", names=NAMES, params={"next_lead": "draw"})
    say("start_set")
    say("redeal", seat=3)
    say("show", seat=3, tiles=[[3, 3]])
    for _ in range(2):
        say("undo")
    say("redo")
    say("undo")
    say("warn", pair="A", reason="talk")
    referee.play("61 12R")
    say("pause")
    say("resume")
    say("time_claim", seat=1)
    say("attribute", act=2, seat=1)
    say("correct", act=2, tile=[1, 3])
    say("expose", seat=1, tile=[5, 4])
    finding = say("lay", tile=[5, 5], end="R")["events"]
    assert "finding_raised" in [name for _, name in finding]
    say("rule", finding=1, decision="dismiss")
    say("voice_pass", seat=3)
    say("reveal")
    say("restart_set", reason="nothing was shown")
    referee.lock()
    referee.count(lock_hands(Seat.S0, Pair.A))
    say("replay", set_no=1, reason="a hand fell open")
    say("start_set")
    referee.play(OUT_15.acts)
    say("confirm_count")
    say("draw_lead", drawn=DRAWN)
    say("start_game", names=NAMES, params={"rule_set": "spots", "sets_in_game": 1}, abandon=True)
    referee.lock()
    referee.count(tuple(LOCKING_DEAL[seat][3 - (seat > 1) :] for seat in range(4)))
    say("confirm_register")
    say("start_game", names=NAMES)
    say("start_set")
    table.see((6, 1), (1, 2))
    say("adopt_line", first=[6, 1])


def test_every_order_is_accepted_when_it_may_be_and_refused_when_not_and_answered_once(
    mosquitto: Mosquitto, display: Display, table: LiveTable
) -> None:
    """All orders there are, each refused by a table without a game and accepted in the course of an evening."""
    assert set(REFUSED) == set(ORDERS)
    connected(display)
    for name, (fields, reason) in REFUSED.items():
        answer = display.order(name, **fields)
        assert (answer["accepted"], answer["reason"]) == (False, reason), (name, answer)
        assert answer["text"], name
    referee = Referee(display)
    play_everything(referee, table)
    assert referee.accepted == set(ORDERS)
    display.order("undo")  # answered last, so nothing else is still to come
    answers = Counter(body["id"] for topic, body in display.heard_so_far if topic == "reply/tests")
    assert set(answers.values()) == {1}


def test_command_line_gives_an_order_and_prints_what_came_of_it(
    display: Display, table: LiveTable, address: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Accepted with its events, refused with its sentence and paragraph, or the answer alone as JSON."""
    connected(display)
    assert main(["referee", *address, "start_game", "--names", *NAMES]) == 0
    said = capsys.readouterr()
    assert (said.out.splitlines()[0], said.out.splitlines()[1].split()[1], said.err) == ("accepted", "game_started", "")
    assert main(["referee", *address, "resume"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "gameline: refused (not_paused, rules 16.11): nothing is paused\n")
    assert main(["referee", "start_set", *address, "--json", "--by", "Eve"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["accepted"], [name for _, name in answer["events"]]) == (True, ["set_started"])
    assert main(["referee", *address, "--json", "--revision", "1", "undo"]) == 1
    assert json.loads(capsys.readouterr().out)["reason"] == "moved_on"
    assert main(["referee", *address, "acknowledge"]) == 0
    assert capsys.readouterr().out == "accepted: nothing in the game has changed\n"


def test_command_line_takes_the_table_from_its_configuration(
    mosquitto: Mosquitto, display: Display, table: LiveTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Name and broker stand in the file; a name on the command line goes before it."""
    connected(display)
    config = tmp_path / "gameline.toml"
    config.write_text(f'[table]\nname = "hall"\n[broker]\nport = {mosquitto.port}\n')
    assert main(["referee", str(config), "mute", "--seconds", "60"]) == 0
    assert display.wait_for("state", lambda body: body["muted"] is not None)["muted"]["seconds_left"] == 60
    capsys.readouterr()
    assert main(["referee", "--json", "--table", "another", str(config), "mute"]) == 1
    said = capsys.readouterr()
    assert (said.out, "no table 'another' has ever been" in said.err) == ("", True)


BEAT = Heartbeat(
    revision=0,
    sequence=0,
    mono_ns=1,
    boot_id="boot-1",
    frame_age_ms=None,
    seconds_left=None,
    running=False,
    clock_synchronised=True,
    temperature_c=None,
    numbers=Numbers().told(unsent=0, faults=(), false_presses={}, line_errors={}, memory_bytes=None),
)


def test_command_line_says_where_to_look_when_no_answer_comes(
    mosquitto: Mosquitto,
    display: Display,
    address: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The broker is away, the table is not known, was ended, is lost, is silent, or is there and does not answer."""
    tree = "gameline/v1/hall/"
    cases: tuple[tuple[Literal["online", "offline", "lost"] | None, bool, str], ...] = (
        (None, False, f"no table 'hall' has ever been at the broker at {mosquitto.host}:{mosquitto.port}"),
        ("offline", False, "its service was ended"),
        ("lost", False, "look after its power, its network and its service"),
        ("online", False, "says it is online and is silent"),
        ("online", True, "is there and has not answered in 0.5 s"),
    )
    for status, beats, said in cases:
        if status is not None:
            word = msgspec.json.encode(Connection(status, boot_id="b", version="1"))
            display.client.publish(f"{tree}connection", word, qos=1, retain=True)
            display.wait_for("connection")
        if beats:
            display.client.publish(f"{tree}heartbeat", msgspec.json.encode(BEAT), qos=1, retain=True)
            display.wait_for("heartbeat")
        assert main(["referee", *address, "--ttl", "0.5", "pause"]) == 1
        assert said in capsys.readouterr().err, status
    mosquitto.stop()
    monkeypatch.setattr("controller.referee.CONNECT_S", 1.0)
    assert main(["referee", *address, "pause"]) == 1
    assert "does not answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the following arguments are required: NAME"),
        (("shuffle",), "invalid choice: 'shuffle'"),
        (("warn", "--reason", "talk"), "expected seat or pair, got neither"),
        (("warn", "--seat", "one", "--reason", "talk"), "expected a whole number, got 'one'"),
        (("lay", "--tile", "54", "--end", "R"), "expected two numbers as 5-4, got '54'"),
        (("rule", "--finding", "4", "--decision", "hang"), "dismiss, lost, restart, got 'hang'"),
        (("start_game", "--params", "lock_tie"), "expected NAME=VALUE, got 'lock_tie'"),
        (("merge_ledger", "--ledger", "/nowhere.json"), "expected a file with JSON in it, got /nowhere.json"),
        (("pause", "--ttl", "61"), "expected seconds above 0 and at most 60"),
        (("pause", "--seat", "1"), "unrecognized arguments: --seat 1"),
    ],
)
def test_command_line_names_a_wrong_word_and_sends_nothing(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage: exit code 2, what was expected and what came, before any broker is asked."""
    with pytest.raises(SystemExit) as ended:
        main(["referee", "--host", "127.0.0.1", "--port", "1", *words])
    assert (ended.value.code, said in capsys.readouterr().err) == (2, True)


def evening(way: str, folder: Path) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    """A call noticed and a warning given, by `way`: the table's journal without times, and its state at the end."""
    with Mosquitto(folder) as broker, LiveTable(broker, folder) as table:
        display = connected(Display(broker.port))

        def give(name: str, **fields: Any) -> None:
            if way == "command line":
                words = shlex.split(example(ORDERS[name], fields))
                assert (
                    main(["referee", "--host", broker.host, "--port", str(broker.port), "--table", "hall", *words]) == 0
                )
            else:
                assert display.order(name, **fields)["accepted"]

        give("start_game", names=NAMES, game="evening")
        table.press(2, 1500)
        display.wait_for("state", lambda body: body["alert"] is not None)
        if way == "button":
            table.press(4)
        else:
            give("acknowledge")
        display.wait_for("state", lambda body: body["phase"] == "between" and body["alert"] is None)
        give("warn", seat=1, reason="talk")
        state = display.wait_for("state", lambda body: body["warnings"] == [0, 1])
        display.close()
    return [(kind, {**body, "at": 0}) for kind, body in table.entries], {**state, "clock": None}


def test_order_does_the_same_from_every_side(tmp_path: Path) -> None:
    """Over MQTT, by the acknowledge button, on the command line: the same in the journal and on the scoreboard."""
    told = []
    for way in ("mqtt", "button", "command line"):
        (tmp_path / way).mkdir()
        told.append(evening(way, tmp_path / way))
    assert told[0] == told[1] == told[2]
    kinds = [kind for kind, _ in told[0][0]]
    assert kinds == ["game_started", "referee_called", "acknowledged", "warning_given"]
