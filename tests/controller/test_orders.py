"""Referee orders at the door: strict about form, age and repetition, each answered once."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.accounts import Role
from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.events import Reason, Refused
from controller.game.ledger import GameEntry, Ledger, LedgerEntry
from controller.game.penalties import WARNING_REASONS
from controller.game.rulesets import LockTie, MinorOrder, Params, Redeal, fours, spots, values_of
from controller.game.tiles import End, MonoNs, Pair, Seat, Tile
from controller.journal import ANSWERS_KEPT, Answered
from controller.orders import FUTURE_S, MAX_TTL_S, ORDERS, Accepted, Answer, Door, Turned
from controller.selftest import Asked
from tests.controller.games import LOCKING_DEAL, at_the_table

NOW_MS = 1_700_000_000_000
T = MonoNs(77)
REVISION = 17
CONFIGURED = fours(think_seconds=20, minor_order=MinorOrder.SPOTS_THEN_HIGH_SUIT)
"""What stands in the configuration, so that it is told from what a program takes by itself."""
PAIRS = (("Ann", "Cleo"), ("Bob", "Dan"))
DRAWN = ((6, 4), (1, 0), (5, 5), (3, 2))
LEDGER = Ledger(
    (LedgerEntry("g1#1", "cup", "g1", ("Ann", "Cleo"), "Cleo", "talk", 2, "2025-11-30T10:00:00Z"),),
    frozenset({"g1#2"}),
    (GameEntry("g1#3", "cup", (("Ann", "Cleo"), ("Bob", "Dan")), (2.5, 1.5), "A"),),
)
LEDGER_BODY: dict[str, Any] = {
    "gameline": "ledger",
    "version": 1,
    "competition": "cup",
    "entries": [
        {
            "id": "g1#1",
            "game": "g1",
            "players": ["Ann", "Cleo"],
            "player": "Cleo",
            "reason": "talk",
            "set_no": 2,
            "wall_utc": "2025-11-30T10:00:00Z",
        }
    ],
    "withdrawn": ["g1#2"],
    "games": [{"id": "g1#3", "pairs": [["Ann", "Cleo"], ["Bob", "Dan"]], "points": [2.5, 1.5], "winner": "A"}],
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "draw_seats": {"pairs": PAIRS, "drawn": DRAWN},
    "start_game": {"names": ["a", "b", "c", "d"], "sets": 8, "lead": 2, "competition": "cup", "game": "final"},
    "draw_lead": {"drawn": DRAWN},
    "start_set": {"lead": 3},
    "lay": {"tile": [5, 4], "end": "R", "seat": 1},
    "adopt_line": {"first": [6, 6]},
    "voice_pass": {"seat": 1},
    "time_claim": {"seat": 2},
    "redeal": {"seat": 3, "hand": [[t.low, t.high] for t in LOCKING_DEAL[0]]},
    "expose": {"seat": 1, "tile": [6, 2], "in_last_set": True},
    "show": {"seat": 2, "tiles": [[0, 5], [4, 4]]},
    "warn": {"seat": 0, "reason": "talk"},
    "rule": {"finding": 4, "decision": "restart", "chief": True},
    "count": {"hands": [[[t.high, t.low] for t in hand] for hand in LOCKING_DEAL]},
    "restart_set": {"reason": "a hand fell open", "chief": True},
    "replay": {"set_no": 3, "reason": "a hand fell open"},
    "confirm_register": {"pair": "A"},
    "undo": {"chief": True},
    "mute": {"seconds": 600},
    "attribute": {"act": 1, "seat": 2},
    "correct": {"act": 12, "tile": [3, 5]},
    "merge_ledger": {"ledger": LEDGER_BODY},
    "selftest": {"sound": True},
}
COMMANDS: dict[str, cmd.Command | Asked] = {
    "draw_seats": cmd.DrawSeats(T, PAIRS, CONFIGURED, DRAWN),
    "start_game": cmd.StartGame(
        T, ("a", "b", "c", "d"), Seat.S2, replace(CONFIGURED, sets_in_game=8), competition="cup", game="final"
    ),
    "draw_lead": cmd.DrawLead(T, DRAWN),
    "start_set": cmd.StartSet(T, Seat.S3),
    "lay": cmd.LayDomino(T, 5, 4, End.R, 1),
    "adopt_line": cmd.AdoptLine(T, (6, 6), "Olga"),
    "voice_pass": cmd.Pass(T, 1, by_voice=True),
    "time_claim": cmd.ClaimTime(T, 2),
    "redeal": cmd.ClaimRedeal(T, 3, LOCKING_DEAL[0]),
    "expose": cmd.Expose(T, 1, Tile.of(6, 2), "Olga", in_last_set=True),
    "show": cmd.Show(T, 2, (Tile.of(5, 0), Tile.of(4, 4)), "Olga"),
    "warn": cmd.Warn(T, 0, "talk", "Olga"),
    "rule": cmd.Rule(T, 4, Decision.RESTART, "Olga", is_chief=True),
    "reveal": cmd.OrderReveal(T, "Olga"),
    "count": cmd.Count(T, LOCKING_DEAL, "Olga"),
    "confirm_count": cmd.ConfirmCount(T, "Olga"),
    "restart_set": cmd.RestartSet(T, "a hand fell open", "Olga", is_chief=True),
    "replay": cmd.Replay(T, 3, None, "a hand fell open", "Olga"),
    "confirm_register": cmd.ConfirmRegister(T, Pair.A, "Olga"),
    "attribute": cmd.Attribute(T, 0, 2, "Olga"),
    "correct": cmd.Correct(T, 11, 3, 5, "Olga"),
    "merge_ledger": cmd.MergeLedger(T, LEDGER),
    "pause": cmd.Pause(T),
    "resume": cmd.Resume(T),
    "undo": cmd.Undo(T, is_chief=True),
    "redo": cmd.Redo(T),
    "mute": cmd.Mute(T, 600, "Olga"),
    "unmute": cmd.Unmute(T, "Olga"),
    "acknowledge": cmd.Acknowledge(T),
    "selftest": Asked("Olga", with_sound=True),
}
NOT_ORDERED = {
    cmd.See: "the camera says it",
    cmd.CallReferee: "a button says it",
    cmd.LoseCamera: "the camera says it",
    cmd.RegainCamera: "the camera says it",
    cmd.RegainStorage: "the journal says it",
    cmd.Restart: "the program says it when it starts",
    cmd.Tick: "the clock says it",
}
"""What may be asked of the core that no referee's order asks, and who asks it."""


def door() -> Door:
    """A door whose wall clock stands."""
    return Door(params=CONFIGURED, table="hall", wall_ms=lambda: NOW_MS)


def order(**changes: Any) -> dict[str, Any]:
    """A correct order without arguments, with changes; None takes a field away."""
    body = {"id": "o1", "sent_ms": NOW_MS - 1000, "by": "Olga", "client": "tablet", **changes}
    return {key: value for key, value in body.items() if value is not None}


def came(name: str, body: object, *, at_door: Door | None = None, retained: bool = False) -> Accepted | Turned:
    """What the door says to a message."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (at_door or door()).admit(name, payload, retained=retained, at=T, revision=REVISION)


def refused(name: str, body: object, *, retained: bool = False) -> Answer:
    """The answer to an order that is turned away."""
    turned = came(name, body, retained=retained)
    assert isinstance(turned, Turned), turned
    assert not turned.answer.accepted
    return turned.answer


def asked(name: str, **arguments: Any) -> cmd.Command:
    """The core's command for an order that is let in."""
    admitted = came(name, order(**arguments))
    assert isinstance(admitted, Accepted), admitted
    assert not isinstance(admitted.command, Asked)
    return admitted.command


def test_every_order_is_tried() -> None:
    """The tables above have each order there is."""
    assert set(COMMANDS) == set(ORDERS)


def test_every_command_has_an_order_or_comes_from_elsewhere() -> None:
    """What the core can be asked, the referee can ask, but for what camera, buttons, clock and program say."""
    ordered = {type(command) for command in COMMANDS.values()} - {Asked}
    assert ordered | set(NOT_ORDERED) == set(get_args(cmd.Command))
    assert not ordered & set(NOT_ORDERED)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_order_becomes_the_cores_command(name: str) -> None:
    """A correct order is let in as the command it names, with the address for its answer."""
    admitted = came(name, order(**ARGUMENTS.get(name, {})))
    assert admitted == Accepted("o1", "tablet", COMMANDS[name])


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_order_takes_a_field_that_it_does_not_know(name: str) -> None:
    """A field too many is a mistake of the sender: it is not passed over in any order."""
    answer = refused(name, order(**ARGUMENTS.get(name, {}), colour="red"))
    assert (answer.reason, "unknown field `colour`" in str(answer.text)) == ("malformed", True)


def test_order_says_by_whom_it_is() -> None:
    """Every command that keeps a name gets the name of who gave the order."""
    for command in COMMANDS.values():
        assert getattr(command, "by", "Olga") == "Olga", command


def test_order_may_leave_out_what_has_a_default() -> None:
    """Parameters and lead come from the configuration and the rules, the lifetime is ten seconds."""
    assert asked("start_game", names=["a", "b", "c", "d"]) == cmd.StartGame(
        T, ("a", "b", "c", "d"), Seat.S0, CONFIGURED, game="hall-tablet-o1"
    )
    assert asked("rule", finding=4, decision="lost") == cmd.Rule(T, 4, Decision.LOST, "Olga")
    assert asked("restart_set") == cmd.RestartSet(T, "", "Olga")
    assert asked("start_set") == cmd.StartSet(T)
    assert asked("redeal", seat=2) == cmd.ClaimRedeal(T, 2)
    assert asked("expose", seat=2, tile=[4, 4]) == cmd.Expose(T, 2, Tile.of(4, 4), "Olga")


def test_game_without_names_is_seated_as_it_was_drawn() -> None:
    """After the draw the names need not be said again."""
    command = asked("start_game", competition="cup")
    assert isinstance(command, cmd.StartGame)
    assert command.names is None


def test_no_two_games_are_called_the_same_by_themselves() -> None:
    """A game that nobody has named is named for its table, and for who asked for it in which order."""
    calls = [(table, client, number) for table in ("hall", "club") for client in ("tablet", "phone") for number in "12"]
    names = set()
    for table, client, number in calls:
        at_door = Door(params=CONFIGURED, table=table, wall_ms=lambda: NOW_MS)
        admitted = came("start_game", order(id=number, client=client, names=["a", "b", "c", "d"]), at_door=at_door)
        assert isinstance(admitted, Accepted)
        assert isinstance(admitted.command, cmd.StartGame)
        names.add(admitted.command.game)
    assert len(names) == len(calls)


@pytest.mark.parametrize(
    ("chosen", "params"),
    [
        ({}, CONFIGURED),
        ({"lock_tie": "carry"}, replace(CONFIGURED, lock_tie=LockTie.CARRY)),
        ({"think_seconds": 30, "redeal": "off"}, replace(CONFIGURED, think_seconds=30.0, redeal=Redeal.OFF)),
        ({"rule_set": "fours"}, CONFIGURED),
        ({"rule_set": "spots"}, spots()),
        ({"rule_set": "spots", "sets_in_game": 6}, spots(sets_in_game=6)),
        (values_of(spots(fines_stack=True)), spots(fines_stack=True)),
    ],
    ids=str,
)
def test_parameters_are_chosen_for_one_game(chosen: dict[str, Any], params: Params) -> None:
    """The configured parameters stand but for the chosen ones; another rule set brings its own."""
    for name in ("start_game", "draw_seats"):
        command = asked(name, **{**ARGUMENTS[name], "sets": None, "params": chosen})
        assert isinstance(command, cmd.StartGame | cmd.DrawSeats)
        assert command.params == params


def test_sets_are_the_short_word_for_a_parameter() -> None:
    """The number of sets can be said beside other parameters, for either text."""
    command = asked("start_game", sets=6, params={"rule_set": "spots", "fines_stack": True})
    assert isinstance(command, cmd.StartGame)
    assert command.params == spots(sets_in_game=6, fines_stack=True)


def test_lots_are_drawn_without_dominoes() -> None:
    """By the Russian text the pairs have lots, and the core gets those."""
    command = asked("draw_seats", pairs=PAIRS, lots=[7, 3], params={"rule_set": "spots"})
    assert command == cmd.DrawSeats(T, PAIRS, spots(), lots=(7, 3))


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("voice_pass", {"seat": 4}, Reason.NO_SUCH_SEAT),
        ("time_claim", {"seat": -1}, Reason.NO_SUCH_SEAT),
        ("redeal", {"seat": 9}, Reason.NO_SUCH_SEAT),
        ("expose", {"seat": 5, "tile": [1, 1]}, Reason.NO_SUCH_SEAT),
        ("warn", {"seat": 4, "reason": "talk"}, Reason.NO_SUCH_SEAT),
        ("warn", {"seat": 0, "reason": "late for tea"}, Reason.UNKNOWN_WARNING),
        ("attribute", {"act": 2, "seat": 4}, Reason.NO_SUCH_SEAT),
        ("attribute", {"act": 99, "seat": 2}, Reason.CANNOT_AMEND),
        ("correct", {"act": 1, "tile": [7, 0]}, Reason.NO_SUCH_TILE),
        ("correct", {"act": 2, "tile": [-1, 2]}, Reason.NO_SUCH_TILE),
        ("start_set", {}, Reason.SET_RUNNING),
    ],
)
def test_what_does_not_exist_is_refused_in_the_cores_words(
    name: str, arguments: dict[str, Any], reason: Reason
) -> None:
    """A seat or half that there is not comes as far as the rules, which say what there is."""
    (event,) = decide(at_the_table(moves=2).state, asked(name, **arguments))
    assert isinstance(event, Refused)
    assert event.reason is reason


def test_wrong_draw_is_refused_in_the_cores_words() -> None:
    """A domino read twice or wrongly at a draw, and lots where dominoes are drawn, are told in a sentence."""
    idle = at_the_table().state.before
    assert idle is not None
    draws: list[tuple[dict[str, Any], Reason]] = [
        ({"drawn": [[7, 1], [1, 0], [5, 5], [3, 2]]}, Reason.NO_SUCH_TILE),
        ({"drawn": [[6, 4], [4, 6], [5, 5], [3, 2]]}, Reason.TILE_DRAWN_TWICE),
        ({"lots": [1, 2]}, Reason.NOTHING_DRAWN),
        ({}, Reason.NOTHING_DRAWN),
        ({"lots": [2, 2], "params": {"seating": "lots"}}, Reason.EQUAL_LOTS),
    ]
    while idle.before is not None:
        idle = idle.before
    for arguments, reason in draws:
        (event,) = decide(idle, asked("draw_seats", pairs=PAIRS, **arguments))
        assert isinstance(event, Refused)
        assert event.reason is reason


@pytest.mark.parametrize("reason", WARNING_REASONS)
def test_each_reason_of_the_texts_can_be_warned_for(reason: str) -> None:
    """Whatever the texts warn for, the referee can say."""
    happened = decide(at_the_table(moves=2).state, asked("warn", seat=1, reason=reason))
    assert not isinstance(happened[0], Refused)


def test_act_is_numbered_as_people_count() -> None:
    """The first move of a set is act 1: it is corrected, not the one after it."""
    table = at_the_table(moves=2)
    command = asked("correct", act=1, tile=[6, 0])
    table.do(command)
    assert [(p.left, p.right) for p in table.state.line.placed] == [(6, 0), (1, 2)]


def test_every_example_of_the_documents_is_let_in() -> None:
    """What docs/mqtt.md shows can be copied: each order has an example, and each example is an order."""
    text = (Path(__file__).parents[2] / "docs" / "mqtt.md").read_text(encoding="utf-8")
    examples = re.findall(r"^(\w+) +(\{.*\})$", text, re.MULTILINE)
    for name, fields in examples:
        admitted = came(name, order(**json.loads(fields)))
        assert isinstance(admitted, Accepted), (name, fields, admitted)
    assert {name for name, _ in examples} == set(ORDERS)
    told_by_type = [(name, dict(example)) for name, kind in ORDERS.items() for example in kind.examples]
    assert sorted(map(repr, told_by_type)) == sorted(repr((name, json.loads(fields))) for name, fields in examples)
    shown = {(name, field) for name, fields in examples for field in json.loads(fields)}
    told = {(name, field) for name, body in ARGUMENTS.items() for field in body}
    assert told - shown <= {("start_game", "lead"), ("start_set", "lead"), ("expose", "in_last_set")}


def test_retained_order_is_refused() -> None:
    """An order kept by the broker may be of any age and is never carried out."""
    assert refused("pause", order(), retained=True).reason == "retained"


def test_unknown_name_is_refused_with_the_names_there_are() -> None:
    """An order that does not exist says which do."""
    answer = refused("shuffle", order())
    assert answer.reason == "unknown"
    assert answer.text is not None
    assert "acknowledge, adopt_line, attribute, confirm_count, confirm_register, correct, count" in answer.text


@pytest.mark.parametrize(
    ("age_s", "ttl_s", "is_in"),
    [(9.999, None, True), (10.0, None, True), (10.001, None, False), (2.0, 1.5, False), (59.0, 60.0, True)],
)
def test_stale_order_is_refused(age_s: float, ttl_s: float | None, *, is_in: bool) -> None:
    """Older than its lifetime an order is not carried out any more."""
    body = order(sent_ms=NOW_MS - round(age_s * 1000), ttl_s=ttl_s)
    if is_in:
        assert isinstance(came("pause", body), Accepted)
    else:
        answer = refused("pause", body)
        assert answer.reason == "stale"
        assert answer.text is not None
        assert "send it again" in answer.text


def test_order_from_the_future_is_refused() -> None:
    """A little ahead is a clock like any other; a minute ahead its age means nothing."""
    assert isinstance(came("pause", order(sent_ms=NOW_MS + round(FUTURE_S * 1000))), Accepted)
    assert refused("pause", order(sent_ms=NOW_MS + round(FUTURE_S * 1000) + 1)).reason == "stale"


@pytest.mark.parametrize("ttl_s", [0, -1, MAX_TTL_S + 0.1])
def test_lifetime_out_of_range_is_refused(ttl_s: float) -> None:
    """An order cannot live for ever, nor for no time."""
    answer = refused("pause", order(ttl_s=ttl_s))
    assert answer.reason == "malformed"
    assert answer.text is not None
    assert answer.text.startswith("expected ttl_s above 0 and at most 60, got ")


@pytest.mark.parametrize(
    ("name", "body", "what"),
    [
        ("pause", order(id=None), "`id`"),
        ("pause", order(client=None), "`client`"),
        ("pause", order(by=None), "`by`"),
        ("pause", order(sent_ms=None), "`sent_ms`"),
        ("pause", order(sent_ms="now"), "$.sent_ms"),
        ("pause", order(sent_ms=10**400), "sent_ms"),
        ("start_game", order(names=["a", "b", "c", "d"], sets=10**400), "sets"),
        ("pause", order(force=True), "unknown field `force`"),
        ("start_game", order(names=["a", "b", "c"]), "$.names"),
        ("start_game", order(names=["a", "b", "c", "d"], sets=5), "multiple of 4"),
        ("start_game", order(names=["a", "b", "c", "d"], sets=0), "$.sets"),
        ("start_game", order(names=["a", "b", "c", "d"], lead=4), "$.lead"),
        ("start_game", order(lead=2), "expected names beside lead, got lead alone"),
        ("start_game", order(names=["a", "b", "c", "d"], game=""), "$.game"),
        ("start_game", order(names=["a", "b", "c", "a"], competition="cup"), "expected four different names"),
        ("start_game", order(names=["a", "", "c", "d"], competition="cup"), "expected four different names"),
        ("start_game", order(sets=8, params={"sets_in_game": 8}), "expected sets or params.sets_in_game, got both"),
        ("start_game", order(params={"sets": 8}), "got 'sets'"),
        ("start_game", order(params={"lock_tie": "toss"}), "expected lock_tie to be one of half, zero, replay, carry"),
        ("start_game", order(params={"lock_tie": True}), "expected lock_tie"),
        ("start_game", order(params={"pair_tournament": 1}), "expected pair_tournament to be a bool"),
        ("start_game", order(params={"sets_in_game": 4.5}), "expected sets_in_game to be a int"),
        ("start_game", order(params={"sets_in_game": 10**400}), "$.params"),
        ("start_game", order(params={"think_seconds": 10**400}), "$.params"),
        ("start_game", order(params={"rule_set": "chess"}), "expected rule_set to be one of fours, spots"),
        ("start_game", order(params={"rule_set": "spots", "ladder": "sets"}), "of one text"),
        ("start_game", order(params=["spots"]), "$.params"),
        ("start_game", order(params={"rule_set": {}}), "$.params"),
        ("draw_seats", order(drawn=DRAWN), "`pairs`"),
        ("draw_seats", order(pairs=[["a", "b"], ["c", "c"]], drawn=DRAWN), "expected four different names"),
        ("draw_seats", order(pairs=[["a", "b"], ["c", ""]], drawn=DRAWN), "$.pairs"),
        ("draw_seats", order(pairs=PAIRS, drawn=DRAWN[:3]), "$.drawn"),
        ("draw_seats", order(pairs=PAIRS, drawn=[*DRAWN[:3], [100, 0]]), "$.drawn"),
        ("draw_seats", order(pairs=PAIRS, drawn=DRAWN, lots=[1, 2]), "expected drawn or lots, got both"),
        ("draw_seats", order(pairs=PAIRS, lots=[1.5, 2]), "$.lots"),
        ("draw_lead", order(), "`drawn`"),
        ("voice_pass", order(), "`seat`"),
        ("voice_pass", order(seat="S"), "$.seat"),
        ("voice_pass", order(seat=True), "$.seat"),
        ("time_claim", order(seat=100), "$.seat"),
        ("redeal", order(seat=1, hand=[[7, 7]]), "got 7-7"),
        ("redeal", order(seat=1, hand=[7]), "$.hand"),
        ("expose", order(seat=1, tile=[7, 0]), "got 7-0"),
        ("expose", order(seat=1), "`tile`"),
        ("warn", order(seat=1), "`reason`"),
        ("warn", order(reason="talk"), "expected seat or pair, got neither"),
        ("warn", order(seat=1, pair="A", reason="talk"), "expected seat or pair, got both"),
        ("warn", order(pair="C", reason="talk"), "$.pair"),
        ("replay", order(set_no=1, whole_game=True), "expected set_no or whole_game, got both"),
        ("replay", order(game="final"), "expected whole_game beside game"),
        ("replay", order(set_no=0), "$.set_no"),
        ("confirm_register", order(pair="A", chief=True), "expected pair or chief, got both"),
        ("mute", order(seconds=0), "$.seconds"),
        ("pause", order(revision=-1), "$.revision"),
        ("warn", order(seat=1, reason=["talk"]), "$.reason"),
        ("warn", order(seat=1, reason="x" * 401), "$.reason"),
        ("rule", order(finding=1, decision="lost", chief="yes"), "$.chief"),
        ("restart_set", order(reason=5), "$.reason"),
        ("attribute", order(act=0, seat=1), "$.act"),
        ("attribute", order(act=1000, seat=1), "$.act"),
        ("correct", order(act=1, tile=[1]), "$.tile"),
        ("correct", order(act="last", tile=[1, 1]), "$.act"),
        ("merge_ledger", order(), "`ledger`"),
        ("merge_ledger", order(ledger="cup"), "ledger: expected a ledger, got another kind of file"),
        ("merge_ledger", order(ledger={**LEDGER_BODY, "version": 2}), "ledger of version 1, got version 2"),
        ("merge_ledger", order(ledger={**LEDGER_BODY, "entries": [{"id": "x"}]}), "expected the fields of a ledger"),
        (
            "merge_ledger",
            order(ledger={**LEDGER_BODY, "games": LEDGER_BODY["games"] * 2 + [{}]}),
            "expected the fields",
        ),
        ("start_set", order(lead=-1), "$.lead"),
        ("rule", order(finding=1, decision="hang"), "$.decision"),
        ("rule", order(finding="1", decision="lost"), "$.finding"),
        ("count", order(hands=[[], [], []]), "$.hands"),
        ("count", order(hands=[[[7, 0]], [], [], []]), "got 7-0"),
        ("count", order(hands=[[[1]], [], [], []]), "$.hands"),
    ],
)
def test_malformed_order_is_refused_with_the_place(name: str, body: dict[str, Any], what: str) -> None:
    """A field missing, unknown, of the wrong type or out of range is named in the answer."""
    answer = refused(name, body)
    assert answer.reason == "malformed"
    assert answer.text is not None
    assert what in answer.text
    assert answer.id == body.get("id")


@pytest.mark.parametrize(
    "payload",
    [b"", b"null", b"[]", b"\xff", b'{"id": "\xff"}', b'{"id": 5}', b'{"id": "o1"', b'{"x":' * 100_000, b"[" * 100_000],
)
def test_payload_that_is_no_order_is_refused(payload: bytes) -> None:
    """Whatever bytes come, the door answers and stands."""
    assert refused("pause", payload).reason == "malformed"


def test_repeated_order_gets_its_first_answer_again() -> None:
    """The same order a second time does nothing: not even its age is looked at again."""
    at_door = door()
    first = Answer("o1", accepted=True, events=((5, "paused"),))
    admitted = came("pause", order(), at_door=at_door)
    assert isinstance(admitted, Accepted)
    at_door.remember("tablet", "o1", first)
    assert came("pause", order(sent_ms=0), at_door=at_door) == Turned("tablet", first)
    assert isinstance(came("pause", order(id="o2"), at_door=at_door), Accepted)
    assert isinstance(came("pause", order(client="console"), at_door=at_door), Accepted)


def test_refused_order_gets_its_refusal_again() -> None:
    """An order that the core refused stays refused, though it might be allowed now."""
    at_door = door()
    first = Answer("o1", accepted=False, reason="not_paused", text="nothing is paused")
    admitted = came("resume", order(), at_door=at_door)
    assert isinstance(admitted, Accepted)
    at_door.remember("tablet", "o1", first)
    assert came("resume", order(), at_door=at_door) == Turned("tablet", first)


def test_order_refused_at_the_door_gets_its_refusal_again() -> None:
    """Sent again under the same id when it would be let in by now, it is the same order, and stays refused."""
    at_door = door()
    for number, (name, body) in enumerate(
        [("pause", order(revision=REVISION + 1)), ("pause", order(sent_ms=0)), ("warn", order(seat=1))]
    ):
        first = came(name, {**body, "id": f"o{number}"}, at_door=at_door)
        assert isinstance(first, Turned)
        assert not first.answer.accepted
        assert came("pause", order(id=f"o{number}"), at_door=at_door) == first
    for longest, is_kept in ((200, True), (201, False)):
        came("warn", order(id="x" * longest), at_door=at_door)
        assert (("tablet", "x" * longest) in at_door._answers) is is_kept


def test_order_may_name_the_revision_that_it_is_for() -> None:
    """The one there is, or none: let in. Another, older or newer: the sender sees another table than there is."""
    assert isinstance(came("pause", order(revision=REVISION)), Accepted)
    for other in (REVISION - 1, REVISION + 1):
        answer = refused("pause", order(revision=other))
        assert (answer.reason, f"revision {REVISION} of the state, got one for {other}" in str(answer.text)) == (
            "moved_on",
            True,
        )


def test_answers_of_an_earlier_run_are_known() -> None:
    """What the journal has kept is answered again; one that can't be read any more is none."""
    at_door = door()
    first = Answer("o1", accepted=True, events=((5, "paused"),))
    kept = json.dumps({"id": "o1", "accepted": True, "events": [[5, "paused"]]})
    at_door.recall([Answered("tablet", "o1", kept), Answered("tablet", "o2", "{")])
    assert came("pause", order(), at_door=at_door) == Turned("tablet", first)
    assert isinstance(came("pause", order(id="o2"), at_door=at_door), Accepted)


def test_orders_say_what_role_they_need() -> None:
    """To have something played again is the chief referee's word; all else is any referee's."""
    assert {name for name, kind in ORDERS.items() if kind.needs is Role.CHIEF} == {"replay"}


def test_answers_are_remembered_in_bounds() -> None:
    """The oldest answer is forgotten when there are too many, the others are not."""
    at_door = door()
    for number in range(ANSWERS_KEPT + 1):
        admitted = came("pause", order(id=f"o{number}"), at_door=at_door)
        assert isinstance(admitted, Accepted)
        at_door.remember("tablet", f"o{number}", Answer(f"o{number}", accepted=True))
    assert isinstance(came("pause", order(id="o0"), at_door=at_door), Accepted)
    assert isinstance(came("pause", order(id="o1"), at_door=at_door), Turned)


FIELDS = sorted({"id", "sent_ms", "ttl_s", "by", "client"} | {field for body in ARGUMENTS.values() for field in body})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(ORDERS)),
    changes=st.dictionaries(
        st.sampled_from(FIELDS),
        JSON,
    ),
)
def test_no_order_breaks_the_door(name: str, changes: dict[str, Any]) -> None:
    """Any JSON in any field is let in or turned away, never an exception."""
    answer = came(name, {**order(**ARGUMENTS.get(name, {})), **changes})
    assert isinstance(answer, Accepted) or not answer.answer.accepted


@settings(max_examples=100, deadline=None, derandomize=True)
@given(payload=st.binary(max_size=40))
def test_no_bytes_break_the_door(payload: bytes) -> None:
    """Any bytes at all are turned away."""
    assert isinstance(came("pause", payload), Turned)
