"""The loop with a real journal: what is committed is shown, and nothing else."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from controller import engine as en
from controller import inbox
from controller.codec import event_of
from controller.faults import Trouble
from controller.game.evolve import evolve_all
from controller.game.panel import Phrase, Sign
from controller.game.rulesets import Params, spots
from controller.game.seen import Arm, ChainLink, Sighting, Spot, Stills
from controller.game.state import Halt, Phase, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile
from controller.journal import Answered, Draft, Entry, Journal, JournalFull
from controller.mqtt import CommandMessage
from hardware.seats import Fault
from tests.controller.engine_parts import FakeOutlet, FakeSeats, Press, S, Time, desk_of, seen_tile


class FullJournal(Journal):
    """A real journal on a disk that is full when told so."""

    is_full = False

    def append(
        self, drafts: Sequence[Draft], answered: Callable[[Sequence[Entry]], Answered] | None = None
    ) -> tuple[Entry, ...]:
        if self.is_full:
            raise JournalFull("expected room for the journal, got a full disk: make room")
        return super().append(drafts, answered)

    def set_cursor(self, name: str, sequence: int) -> None:
        if self.is_full:
            raise JournalFull("expected room for the journal, got a full disk: make room")
        super().set_cursor(name, sequence)


@dataclass
class Table:
    """An engine with everything around it."""

    engine: en.Engine
    journal: FullJournal
    seats: FakeSeats
    outlet: FakeOutlet
    time: Time
    orders: int = 0

    def rounds(self, seconds: float = 0.0) -> None:
        """Let time pass with frames coming in, and the loop run until its inbox is empty."""
        end_ns = self.time.now_ns + round(seconds * S)
        while True:
            self.engine.submit(inbox.FrameTaken(MonoNs(self.time.now_ns)))
            self.engine.turn(timeout_s=0)
            while not self.engine._inbox.empty():
                self.engine.turn(timeout_s=0)
            if self.time.now_ns >= end_ns:
                return
            self.time.now_ns = min(end_ns, self.time.now_ns + S // 10)

    def order(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A referee command and its answer."""
        self.orders += 1
        body = {"id": f"o{self.orders}", "sent_ms": 0, "by": "referee", "client": "tests", **arguments}
        self.send(name, json.dumps(body).encode())
        return self.outlet.replies[-1]

    def send(self, name: str, payload: bytes, *, retained: bool = False) -> None:
        """A message on cmd/<name>."""
        message = CommandMessage(name, payload, retained, "tests", None, None, self.time.now_ns)
        self.engine.submit(inbox.OrderCame(message))
        self.rounds()

    def see(self, *tiles: tuple[int, int], loose: Sequence[tuple[int, int]] = ()) -> None:
        """A table at rest with these dominoes in one chain from left to right."""
        seen = tuple(seen_tile(a, b) for a, b in (*tiles, *loose))
        chains = (tuple(ChainLink(i, is_flipped=False) for i in range(len(tiles))),) if len(tiles) > 1 else ()
        self.engine.submit(inbox.Seen(MonoNs(self.time.now_ns), Sighting(seen, chains)))
        self.rounds()

    def press(self, seat: int, held_ms: int = 0) -> None:
        """A finger on a button."""
        self.seats.waiting.append(Press(seat, held_ms, self.time.now_ns))
        self.rounds()

    def hold(self, seat: int, seconds: float) -> list[str]:
        """A finger that stays on a button, told as the seats tell it: at 1.5 s and at 3 s; the events that came."""
        before = len(self.types())
        self.rounds(min(seconds, 1.5))
        self.press(seat, 1500)
        if seconds >= 3:
            self.rounds(1.5)
            self.press(seat, 3000)
        return self.types()[before:]

    def types(self) -> list[str]:
        """Everything in the journal."""
        return [entry.type for entry in self.journal.entries()]


def make_table(
    path: Path, time: Time, params: Params | None = None, *, wall_ms: Callable[[], int] = lambda: 0
) -> Table:
    """An engine on the journal at `path`, just begun."""
    journal = FullJournal(
        path, boot_id="boot", wall_utc=lambda: "2026-01-01T00:00:00Z", clock_synchronised=lambda: True
    )
    seats, outlet = FakeSeats(), FakeOutlet()
    engine = en.Engine(
        journal=journal,
        seats=seats,
        outlet=outlet,
        params=params or Params(),
        table="hall",
        clock_ns=time,
        wall_ms=wall_ms,
        stale_s=2.0,
        clock_synchronised=lambda: True,
        temperature_c=lambda: None,
        is_quiet=lambda: seats.is_night,
        version="0.1",
        desk=desk_of(outlet, seats),
        logger=logging.getLogger("test"),
    )
    engine.begin()
    return Table(engine, journal, seats, outlet, time, orders=journal.last_sequence)  # no id twice on one journal


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = make_table(tmp_path / "journal.sqlite", Time())
    yield made
    made.journal.close()


def start(table: Table) -> None:
    """A game begun, the lead's clock running."""
    table.rounds()
    assert table.order("start_game", names=["S", "W", "N", "E"])["accepted"]
    assert table.order("start_set")["accepted"]


def test_engine_plays_what_camera_and_buttons_say(table: Table) -> None:
    """A move seen and a pass pressed are journalled, published and lit in that order of turns."""
    start(table)
    table.see((6, 4))
    table.see((6, 4), (4, 4))
    table.press(2)
    state = table.outlet.states[-1]
    assert (state["turn"], state["ends"], state["phase"]) == (3, [6, 4], "play")
    assert table.types()[-3:] == ["domino_laid", "domino_laid", "passed"]
    assert table.seats.signs[3] == Sign.TURN


def test_move_is_on_its_way_before_its_scoreboard_is_made(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the network is handed what has happened the newest scoreboard still shows the table without it."""
    start(table)
    handed: dict[int, int] = {}

    def pump(journal: Journal) -> None:
        handed.setdefault(journal.last_sequence, table.outlet.states[-1]["revision"])

    monkeypatch.setattr(table.outlet, "pump", pump)
    before = table.journal.last_sequence
    table.see((6, 4))
    assert handed[table.journal.last_sequence] == before
    assert table.outlet.states[-1]["revision"] == table.journal.last_sequence == before + 1


def test_engine_begins_a_flash_when_it_shows_it_not_when_the_finger_came(tmp_path: Path, table: Table) -> None:
    """A press of 0.9 s is answered as any other; what an undo brings back, after a restart too, is not seen again."""
    start(table)
    table.see((6, 4))
    down_ns = table.time.now_ns
    table.rounds(0.9)
    table.seats.waiting.append(Press(1, 0, down_ns))
    table.rounds()
    flash = (1, Sign.COUNTED, table.time.now_ns)
    assert table.seats.answer == flash
    table.rounds(0.3)
    assert table.seats.answer == flash
    table.press(3)
    assert table.seats.answer == (3, Sign.REFUSED, table.time.now_ns)
    table.rounds(5.0)
    table.press(2)
    table.rounds(1.0)
    table.journal.close()
    again = make_table(tmp_path / "journal.sqlite", table.time)
    again.rounds()
    again.order("undo")
    assert again.seats.answer is not None
    assert again.seats.answer[:2] == (3, Sign.REFUSED)
    assert again.seats.answer[2] < again.time.now_ns - 5 * S
    again.journal.close()


def test_engine_answers_every_order_once_with_its_events_or_a_reason(table: Table) -> None:
    """The referee hears what his command caused, or why it caused nothing."""
    table.rounds()
    refused = table.order("start_set")
    assert (refused["accepted"], refused["reason"]) == (False, "no_game")
    accepted = table.order("start_game", names=["S", "W", "N", "E"])
    assert [name for _, name in accepted["events"]] == ["game_started"]
    assert len(table.outlet.replies) == 2


def test_engine_gives_a_repeated_order_its_first_answer_and_does_nothing(table: Table) -> None:
    """An order that comes twice is carried out once."""
    start(table)
    body = json.dumps({"id": "same", "sent_ms": 0, "by": "referee", "client": "tests"}).encode()
    table.send("pause", body)
    table.send("pause", body)
    assert table.outlet.replies[-1] == table.outlet.replies[-2]
    assert table.types().count("paused") == 1


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("pause", {}, None),
        ("resume", {}, "not_paused"),
        ("acknowledge", {}, None),
        ("selftest", {}, "game_running"),
        ("selftest", {"stop": True}, "not_running"),
    ],
)
def test_engine_gives_a_repeated_order_its_first_answer_also_after_a_restart(
    table: Table, tmp_path: Path, name: str, arguments: dict[str, Any], reason: str | None
) -> None:
    """Accepted, refused, accepted for nothing, or answered without the core: the next run knows, and does nothing."""
    start(table)
    body = json.dumps({"id": "same", "sent_ms": 0, "by": "referee", "client": "tests", **arguments}).encode()
    table.send(name, body)
    first = table.outlet.replies[-1]
    assert first["reason"] == reason
    table.journal.close()
    again = make_table(tmp_path / "journal.sqlite", Time(now_ns=5 * S))
    again.rounds()
    if name == "resume":
        assert again.order("resume")["accepted"]  # refused then, allowed by now
        assert again.order("pause")["accepted"]
    if name == "acknowledge":
        again.press(2, 1500)
        assert again.engine.state.alert is not None
    before = again.types()
    again.send(name, body)
    assert again.outlet.replies[-1] == first
    assert again.types() == before
    again.journal.close()


def test_engine_takes_an_order_again_that_was_never_answered(table: Table, tmp_path: Path) -> None:
    """A disk that was full keeps no answer: the same order, sent to the next run, is carried out."""
    start(table)
    body = json.dumps({"id": "full", "sent_ms": 0, "by": "referee", "client": "tests"}).encode()
    table.journal.is_full = True
    table.send("pause", body)
    assert table.outlet.replies[-1]["reason"] == "storage"
    table.journal.close()
    again = make_table(tmp_path / "journal.sqlite", Time(now_ns=5 * S))
    again.send("pause", body)
    assert again.outlet.replies[-1]["accepted"]
    assert again.engine.state.is_paused
    again.journal.close()


def test_engine_refuses_an_order_for_a_state_that_has_moved_on(table: Table) -> None:
    """Two referees undo the same move: the second one would take back another, and is told so instead."""
    start(table)
    for tile in ((6, 4), (4, 4)):
        table.see(*((6, 4), tile)[: 1 + (tile != (6, 4))])
    revision = table.outlet.states[-1]["revision"]
    assert table.order("undo", revision=revision)["accepted"]
    second = table.order("undo", revision=revision)
    assert (second["accepted"], second["reason"]) == (False, "moved_on")
    assert f"got one for {revision}" in second["text"]
    assert table.types().count("undone") == 1


def test_acknowledge_button_and_order_do_the_same(tmp_path: Path) -> None:
    """Two tables with the same alert, one acknowledged by the button, one by the order: same events, same state."""
    entries, states, shown = [], [], []
    for way in ("button", "order"):
        table = make_table(tmp_path / f"{way}.sqlite", Time())
        start(table)
        table.press(2, 1500)
        assert table.seats.referee == Sign.NEWS
        if way == "button":
            table.press(en.ACKNOWLEDGE_BUTTON)
        else:
            assert [name for _, name in table.order("acknowledge")["events"]] == ["acknowledged"]
        table.rounds(1.0)
        entries.append([(entry.type, entry.body) for entry in table.journal.entries()])
        states.append(replace(table.engine.state, game=""))
        shown.append((table.seats.signs, table.seats.referee, table.seats.phrase))
        table.journal.close()
    assert entries[0] == entries[1]
    assert states[0] == states[1]
    assert shown[0] == shown[1]


def test_engine_keeps_a_muted_buzzer_silent_until_its_time_is_over(table: Table) -> None:
    """A call makes no sound but lights the referee's lamp; a minute later the next one is heard."""
    start(table)
    assert [name for _, name in table.order("mute", seconds=60)["events"]] == ["muted"]
    assert table.outlet.states[-1]["muted"] == {"seconds_left": 60}
    table.press(2, 1500)
    assert (table.seats.phrase, table.seats.referee) == (Phrase.SILENT, Sign.NEWS)
    table.order("acknowledge")
    table.order("pause")
    table.rounds(60.0)
    assert table.outlet.states[-1]["muted"] is None
    table.press(2, 1500)
    assert table.seats.phrase == Phrase.CALLED


def test_engine_refuses_a_retained_order(table: Table) -> None:
    """A command kept by the broker is as old as it pleases: it is never carried out."""
    start(table)
    table.send("pause", json.dumps({"id": "r", "sent_ms": 0, "by": "referee", "client": "t"}).encode(), retained=True)
    assert table.outlet.replies[-1]["reason"] == "retained"
    assert "paused" not in table.types()


def test_engine_lets_a_pass_wait_for_the_move_before_it_that_is_still_being_read(table: Table) -> None:
    """A quick player may press before the camera has read his neighbour's move: the press waits, he does not."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.press(2)
    assert table.types()[-1] == "domino_laid"
    table.see((6, 4), (4, 1))
    assert table.types()[-2:] == ["domino_laid", "passed"]


def test_engine_lets_a_spoken_pass_wait_for_the_move_before_it(table: Table) -> None:
    """The referee enters a pass before the camera has read the neighbour's move: it waits, and is answered then."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.order("voice_pass", seat=2)
    table.rounds(0.1)
    assert table.types()[-1] == "domino_laid"
    table.see((6, 4), (4, 1))
    assert table.types()[-2:] == ["domino_laid", "passed"]


def test_engine_answers_a_waiting_pass_once_however_often_it_is_said(table: Table) -> None:
    """The console sends it again because no answer has come yet: it is one pass, and has one answer."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    body = json.dumps({"id": "pass", "sent_ms": 0, "by": "referee", "client": "tests", "seat": 2}).encode()
    for _ in range(3):
        table.send("voice_pass", body)
    table.see((6, 4), (4, 1))
    assert table.types()[-2:] == ["domino_laid", "passed"]
    answers = [reply for reply in table.outlet.replies if reply["id"] == "pass"]
    assert [answer["accepted"] for answer in answers] == [True]
    table.send("voice_pass", body)
    assert table.outlet.replies[-1] == answers[0]
    assert table.types().count("passed") == 1


def test_engine_charges_nobody_for_a_spoken_pass_that_waited(table: Table) -> None:
    """The pass was entered seconds before the move was read: the next player's time begins when it counts."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.order("voice_pass", seat=2)
    table.rounds(3.0)
    table.see((6, 4), (4, 1))
    assert table.types()[-1] == "passed"
    assert table.engine.state.clock.elapsed_ns(MonoNs(table.time.now_ns)) < 1_000_000_000


def test_engine_judges_a_waiting_pass_when_no_move_came_after_all(table: Table) -> None:
    """A hand that only came and went leaves the turn where it was, and the early pass is refused."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.press(2)
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=False))
    table.rounds(2.0)
    assert table.types()[-1] == "refused"


def test_engine_notices_time_exceeded_only_after_the_limit(table: Table) -> None:
    """Fifteen seconds are in time; the next moment is over."""
    start(table)
    table.rounds(15.0)
    assert "time_exceeded" not in table.types()
    table.rounds(0.1)
    assert table.types()[-1] == "time_exceeded"


@pytest.mark.parametrize("jump_ms", [14 * 24 * 3_600_000, -3_600_000])
def test_engine_measures_thinking_time_though_the_wall_clock_jumps(tmp_path: Path, jump_ms: int) -> None:
    """Set from the network in the middle of a thought, two weeks on or an hour back, it is still exactly 15 s."""
    wall_ms = 3_600_000
    table = make_table(tmp_path / "journal.sqlite", Time(), wall_ms=lambda: wall_ms)
    table.rounds()
    assert table.order("start_game", names=["S", "W", "N", "E"], sent_ms=wall_ms)["accepted"]
    assert table.order("start_set", sent_ms=wall_ms)["accepted"]
    table.rounds(7.0)
    wall_ms += jump_ms
    table.rounds(8.0)
    assert "time_exceeded" not in table.types()
    assert table.outlet.beats[-1]["seconds_left"] <= 1
    table.rounds(0.1)
    assert table.types()[-1] == "time_exceeded"
    assert table.order("pause", sent_ms=wall_ms)["accepted"]
    table.journal.close()


def test_engine_says_in_health_what_is_wrong_with_the_picture_and_plays_on(table: Table) -> None:
    """Each has its code and sentence, and leaves when it is over; a camera that sees nothing at all goes before."""
    start(table)
    table.engine.submit(inbox.Ailing("camera_moved", "the camera has moved: push it back"))
    table.engine.submit(inbox.Ailing("lens_soft", "wipe the lens"))
    table.rounds(2.0)
    assert table.outlet.healths[-1]["camera"] == {
        "status": "degraded",
        "why": "the camera has moved: push it back; wipe the lens",
        "codes": ["camera_moved", "lens_soft"],
    }
    assert not table.engine.state.halts
    table.engine.submit(inbox.Blind("frames", "unplugged"))
    table.rounds(2.0)
    assert table.outlet.healths[-1]["camera"] == {
        "status": "failed",
        "why": "unplugged",
        "codes": ["camera_no_frames"],
    }
    table.engine.submit(inbox.Sighted("frames"))
    table.engine.submit(inbox.Ailing("camera_moved", None))
    table.engine.submit(inbox.Ailing("exposure_drifts", None))
    table.rounds(2.0)
    assert table.outlet.healths[-1]["camera"]["codes"] == ["lens_soft"]
    table.engine.submit(inbox.Ailing("lens_soft", None))
    table.rounds(2.0)
    assert table.outlet.healths[-1]["camera"] == {"status": "ok", "why": "", "codes": []}


def test_engine_stops_the_clock_when_the_camera_falls_silent_and_goes_on_when_it_is_back(table: Table) -> None:
    """A camera without frames is said in health, stops the clock, and leaves by itself."""
    start(table)
    table.rounds(5.0)
    table.time.pass_s(2.5)
    table.engine.turn(timeout_s=0)
    assert Halt.CAMERA in table.engine.state.halts
    table.time.pass_s(60)
    table.engine.turn(timeout_s=0)
    assert table.outlet.healths[-1]["camera"]["status"] == "failed"
    table.rounds(1.0)
    assert not table.engine.state.halts
    assert table.engine.state.clock.elapsed_ns(MonoNs(table.time.now_ns)) < 9 * S
    assert table.outlet.healths[-1]["camera"]["status"] == "ok"


def test_engine_believes_nothing_that_a_full_disk_did_not_take_and_catches_up_when_there_is_room(table: Table) -> None:
    """With the disk full a move changes nothing and health says so; with room again it is there, once."""
    start(table)
    table.journal.is_full = True
    table.see((6, 4))
    table.rounds(2.0)
    assert not table.engine.state.line.placed
    assert table.outlet.healths[-1]["disk"]["status"] == "failed"
    assert table.outlet.states[-1]["halts"] == ["storage"]
    table.journal.is_full = False
    table.rounds(2.0)
    assert len(table.engine.state.line.placed) == 1
    assert table.types().count("domino_laid") == 1
    assert table.outlet.healths[-1]["disk"]["status"] == "ok"


def test_engine_calls_nobody_late_for_a_move_that_a_full_disk_kept_waiting(table: Table) -> None:
    """A move that lay in time is written first when there is room again, before anything that time has to say."""
    start(table)
    table.rounds(5.0)
    table.journal.is_full = True
    table.see((6, 4))
    table.rounds(11.0)
    table.journal.is_full = False
    table.rounds(2.0)
    assert table.types()[-3:] == ["domino_laid", "storage_lost", "storage_regained"]


def test_engine_stays_blind_while_frames_are_back_but_nothing_can_be_seen_in_them(table: Table) -> None:
    """A cable lost and found again in the dark leaves the table in the dark."""
    start(table)
    table.engine.submit(inbox.Blind("sight", "the picture is dark"))
    table.engine.submit(inbox.Blind("frames", "the cable is loose"))
    table.rounds()
    table.engine.submit(inbox.Sighted("frames"))
    table.rounds()
    assert Halt.CAMERA in table.engine.state.halts
    table.engine.submit(inbox.Sighted("sight"))
    table.rounds()
    assert not table.engine.state.halts


def test_engine_tells_the_referee_that_his_order_could_not_be_kept_and_takes_it_again(table: Table) -> None:
    """An order refused for want of room may be sent again under the same id."""
    start(table)
    table.journal.is_full = True
    body = json.dumps({"id": "full", "sent_ms": 0, "by": "referee", "client": "tests"}).encode()
    table.send("pause", body)
    assert table.outlet.replies[-1]["reason"] == "storage"
    table.journal.is_full = False
    table.send("pause", body)
    assert table.outlet.replies[-1]["accepted"]


def test_engine_takes_a_journal_up_again_with_the_clock_paused(table: Table, tmp_path: Path) -> None:
    """After a power cut the same set goes on when the referee says so, with the thinking time that was used."""
    start(table)
    table.see((6, 4))
    table.rounds(7.0)
    table.press(3, 1500)
    table.journal.close()
    again = make_table(tmp_path / "journal.sqlite", Time(now_ns=5 * S))
    assert again.engine.state.halts == {Halt.RESTARTED}
    assert again.engine.state.line == table.engine.state.line
    assert again.engine.state.clock.elapsed_ns(MonoNs(400 * S)) == 7 * S
    again.rounds(30.0)
    assert again.order("resume")["accepted"]
    again.rounds(1.0)
    assert again.engine.state.clock.elapsed_ns(MonoNs(again.time.now_ns)) == 8 * S
    again.journal.close()


def test_engine_ends_with_the_reason_when_a_thread_has_died(table: Table) -> None:
    """No thread ends silently: the service stops and says which and why."""
    table.engine.submit(inbox.ThreadDied("camera", "ZeroDivisionError: division by zero"))
    with pytest.raises(en.Dead, match=r"camera thread has ended: ZeroDivisionError"):
        table.rounds()


def test_engine_shows_a_seats_fault_and_the_brokers_trouble_in_health(table: Table) -> None:
    """What is wrong with button or broker is said by name."""
    held = Fault("button", "button_held", "button held down", "release it")
    table.seats.wrong["seat 2"] = [held, Fault("lamp", "pin_fails", "lamp dead")]
    table.outlet.trouble = Trouble("broker_away", "no broker at 127.0.0.1")
    table.rounds(1.0)
    health = table.outlet.healths[-1]
    assert health["seats"] == {
        "status": "degraded",
        "why": "seat 2: button held down; release it; seat 2: lamp dead",
        "codes": ["button_held", "pin_fails"],
    }
    assert health["broker"] == {"status": "failed", "why": "no broker at 127.0.0.1", "codes": ["broker_away"]}


def test_reading_that_takes_long_is_no_silent_camera(table: Table) -> None:
    """A frame is told after it was read: on a small machine that is seconds after it was taken."""
    start(table)
    taken_ns = table.time.now_ns
    table.time.now_ns += 10_000_000_000
    table.engine.submit(inbox.FrameTaken(MonoNs(taken_ns)))
    table.engine.turn(timeout_s=0.0)
    assert table.engine.state.camera_trouble is None


def test_health_tells_of_the_broker_in_the_very_turn(table: Table) -> None:
    """What is said on a new connection is said first: no second goes by in which it tells of the one before."""
    table.rounds(1.5)
    told = len(table.outlet.healths)
    for trouble, status in ((Trouble("broker_away", "no broker"), "failed"), (None, "ok")):
        table.outlet.trouble = trouble
        table.engine.turn(timeout_s=0.0)
        assert table.outlet.healths[-1]["broker"]["status"] == status
    assert len(table.outlet.healths) == told + 2


def test_engine_counts_what_happens_and_tells_it_in_its_heartbeat(table: Table) -> None:
    """Frames, pictures read, events, orders, commits, the buzzer, what the broker has not taken, and what is wrong."""
    start(table)
    table.order("start_set")
    table.send("pause", b"no JSON")
    table.engine.submit(inbox.PictureRead(0.2))
    table.engine.submit(inbox.PictureRead(0.1))
    table.see((6, 4))
    table.see((6, 4), (5, 5))
    table.outlet.trouble = Trouble("broker_away", "no broker")
    table.outlet.acknowledged = table.journal.last_sequence - 2
    table.rounds(2.0)
    numbers = table.outlet.beats[-1]["numbers"]
    kept = table.types()
    assert numbers["events"] == {kind: kept.count(kind) for kind in kept}
    assert (numbers["moves"], numbers["buzzes"]) == (kept.count("domino_laid"), 1)
    assert numbers["reads"] == {"count": 2, "seconds": 0.3, "longest_s": 0.2}
    assert numbers["commits"]["count"] > 3
    assert (numbers["orders_accepted"], numbers["orders_refused"]) == (2, {"set_running": 1, "malformed": 1})
    assert (numbers["unsent"], numbers["faults"], numbers["memory_bytes"]) == (2, ["broker_away"], None)
    assert (numbers["false_presses"], numbers["line_errors"]) == ({"seat 1": 2}, {"damaged": 3, "unanswered": 1})
    assert 20 < numbers["frames"] < 40


def test_engine_buzzes_for_a_wrong_domino_and_falls_silent_by_itself_or_by_the_button(table: Table) -> None:
    """The referee is buzzed at once; his button ends the sound and the flashing."""
    start(table)
    table.see((6, 4))
    table.see((6, 4), (3, 1))
    assert table.seats.phrase == Phrase.ILLEGAL
    table.press(en.ACKNOWLEDGE_BUTTON)
    assert table.seats.phrase == Phrase.SILENT
    assert table.engine.state.open_findings
    assert table.seats.referee == Sign.DUE


def test_engine_keeps_the_buzzer_silent_in_quiet_hours(table: Table) -> None:
    """At night the referee's lamp alone tells."""
    table.seats.is_night = True
    start(table)
    table.see((6, 4))
    table.see((6, 4), (3, 1))
    assert (table.seats.phrase, table.seats.referee) == (Phrase.SILENT, Sign.NEWS)


def test_engine_takes_a_wrong_domino_back_only_when_it_has_left_the_table(table: Table) -> None:
    """After 'continue' the clock stands until the camera sees the domino gone, then the same seat moves."""
    start(table)
    table.see((6, 4))
    table.see((6, 4), (3, 1))
    finding = table.outlet.states[-1]["findings"][0]["id"]
    assert table.order("rule", finding=finding, decision="continue")["accepted"]
    assert table.engine.state.halts == {Halt.TAKE_BACK}
    table.see((6, 4))
    assert (table.engine.state.halts, table.engine.state.turn) == (frozenset(), 1)
    assert table.engine.state.phase is Phase.PLAY


def test_engine_goes_on_after_a_redo_with_what_lies_on_the_table(table: Table) -> None:
    """The domino still lies: play goes on at once. It is back in the hand already: it is named, and laid again."""
    start(table)
    table.see((6, 4))
    table.see((6, 4), (4, 1))
    assert table.order("undo")["accepted"]
    assert table.engine.state.halts == {Halt.TAKE_BACK}
    assert table.order("redo")["accepted"]
    assert (len(table.engine.state.plies), table.engine.state.halts) == (2, frozenset())
    table.see((6, 4), (4, 1), (1, 1))
    assert table.types()[-1] == "domino_laid"
    assert table.order("undo")["accepted"]
    table.see((6, 4), (4, 1))
    assert table.types()[-1] == "taken_back"
    assert table.order("redo")["accepted"]
    assert table.engine.state.halts == {Halt.OUT_OF_SYNC}
    assert table.engine.state.sync is not None
    assert table.engine.state.sync.tile == Tile.of(1, 1)
    table.see((6, 4), (4, 1), (1, 1))
    assert (len(table.engine.state.plies), table.engine.state.halts) == (3, frozenset())


def test_engine_reads_again_what_lies_when_a_pause_is_over(table: Table) -> None:
    """A domino laid during a pause counts when the pause ends, without anybody touching the table."""
    start(table)
    table.order("pause")
    table.see((6, 4))
    assert not table.engine.state.line.placed
    table.order("resume")
    table.rounds()
    assert len(table.engine.state.line.placed) == 1


def test_engine_counts_a_move_from_when_it_came_to_rest_not_from_when_it_was_read(table: Table) -> None:
    """A domino that lay still at 14.9 s was in time, though it is read after the limit; its alerts sound in full."""
    start(table)
    table.see((6, 4))
    table.rounds(14.5)
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.rounds(0.4)
    rest_ns = table.time.now_ns
    table.engine.submit(inbox.HandOver(MonoNs(rest_ns), is_in=False))
    table.rounds(0.5)
    seen = (seen_tile(6, 4), seen_tile(3, 1))
    chain = (ChainLink(0, is_flipped=False), ChainLink(1, is_flipped=False))
    table.engine.submit(inbox.Seen(MonoNs(rest_ns), Sighting(seen, (chain,))))
    table.rounds()
    assert "time_exceeded" not in table.types()
    assert table.engine.state.clock.elapsed_ns(MonoNs(table.time.now_ns)) == S // 2
    assert table.engine.state.alert is not None
    assert table.engine.state.alert.at == table.time.now_ns


def test_engine_charges_nobody_for_the_time_in_which_nothing_could_be_kept(table: Table) -> None:
    """Twenty seconds of a full disk are nobody's thinking time, and nobody is called late for them."""
    start(table)
    table.see((6, 4))
    table.rounds(3.0)
    table.journal.is_full = True
    table.press(3, 1500)
    table.rounds(20.0)
    table.journal.is_full = False
    table.rounds(3.0)
    assert "time_exceeded" not in table.types()
    assert [kind for kind in table.types() if kind.startswith("storage")] == ["storage_lost", "storage_regained"]
    assert 3 * S < table.engine.state.clock.elapsed_ns(MonoNs(table.time.now_ns)) < 8 * S


def test_engine_says_in_health_and_heartbeat_whether_the_wall_clock_is_set(table: Table) -> None:
    """A display can tell whether the times in the journal mean anything."""
    table.rounds(1.0)
    assert table.outlet.healths[-1]["clock"] == {"status": "ok", "why": "", "codes": []}
    assert table.outlet.beats[-1]["clock_synchronised"] is True


def test_engine_takes_a_long_hold_before_the_first_move_for_a_claim_of_a_redeal(table: Table) -> None:
    """The referee is called at 1.5 s, and at 3 s the claim is there: the seat has its hand to show."""
    start(table)
    assert table.hold(2, 3.0) == ["referee_called", "redeal_claimed"]
    assert table.outlet.states[-1]["claim"] == 2
    assert table.engine.state.alert is not None
    assert "redeal" in table.engine.state.alert.text


def test_engine_takes_a_long_hold_for_a_claim_before_the_set_is_started_too(table: Table) -> None:
    """The dominoes are in the hands before the referee starts the set: a hand can be claimed from then on."""
    table.rounds()
    table.order("start_game", names=["S", "W", "N", "E"])
    assert table.hold(1, 3.0)[-1] == "redeal_claimed"


def test_engine_judges_the_hand_that_a_claimant_lays_open(table: Table) -> None:
    """Six of a suit, seen in the middle, are a redeal: the set is dealt anew once the table is swept."""
    start(table)
    table.hold(2, 3.0)
    table.see(loose=((6, 0), (6, 1), (6, 2), (6, 3), (6, 4), (6, 5), (1, 1)))
    assert table.types()[-1] == "redeal_granted"
    state = table.outlet.states[-1]
    assert (state["phase"], state["claim"], len(state["take_back"])) == ("between", None, 7)
    table.see()
    assert table.types()[-1] == "table_cleared"


def test_engine_calls_the_referee_once_for_a_long_hold_that_can_claim_nothing(table: Table) -> None:
    """After the first move no redeal can be claimed: holding on calls nobody a second time, holding again does."""
    start(table)
    table.see((6, 4))
    assert table.hold(3, 3.0) == ["referee_called"]
    table.rounds(1.0)
    assert table.hold(3, 3.0) == ["referee_called"]


def test_engine_takes_a_lone_long_hold_for_a_call(table: Table) -> None:
    """A seat board whose word at 1.5 s was lost still calls the referee at 3 s."""
    start(table)
    table.see((6, 4))
    table.press(3, 3000)
    assert table.types()[-1] == "referee_called"


def test_engine_knows_no_claim_where_the_rules_have_no_redeal(tmp_path: Path) -> None:
    """By the Russian text a long hold is a call for the referee like any other."""
    table = make_table(tmp_path / "spots.sqlite", Time(), spots())
    start(table)
    assert table.hold(2, 3.0) == ["referee_called"]
    table.journal.close()


@pytest.mark.parametrize(
    ("seat", "thought_s", "want"),
    [
        (0, 17.0, ["time_claimed", "finding_raised"]),
        (2, 17.0, ["time_claimed", "finding_raised"]),
        (3, 17.0, ["referee_called"]),
        (1, 17.0, ["referee_called"]),
        (2, 15.0, ["referee_called"]),
        (2, 15.1, ["time_claimed", "finding_raised"]),
    ],
)
def test_engine_takes_a_call_against_a_slow_rival_for_a_time_claim(
    table: Table, seat: int, thought_s: float, want: list[str]
) -> None:
    """While seat 1 thinks beyond the limit its rivals claim by holding; itself, its partner and the early only call."""
    start(table)
    table.see((6, 4))
    table.rounds(thought_s - 1.5)
    assert [kind for kind in table.hold(seat, 1.5) if kind != "time_exceeded"] == want


def test_engine_takes_a_call_for_a_time_claim_though_the_slow_move_was_laid_meanwhile(table: Table) -> None:
    """The button takes 1.5 s to go: a rival who lays in that time has still been too slow."""
    start(table)
    table.see((6, 4))
    table.rounds(16.0)
    table.see((6, 4), (4, 1))
    assert table.hold(2, 1.0)[0] == "time_claimed"
    finding = table.outlet.states[-1]["findings"][0]
    assert (finding["kind"], finding["seat"], finding["pair"]) == ("overtime", 1, "B")
    table.see((6, 4), (4, 1), (1, 1))
    assert table.hold(2, 1.0) == ["referee_called"]


def test_engine_says_who_gave_an_order_and_names_the_game(table: Table) -> None:
    """Whoever is named in an order stands in the journal with what it did."""
    table.rounds()
    answer = table.order("start_game", names=["S", "W", "N", "E"], competition="cup", params={"lock_tie": "carry"})
    assert answer["accepted"]
    table.order("warn", seat=3, reason="talk", by="Olga")
    bodies = {entry.type: entry.body for entry in table.journal.entries()}
    assert bodies["warning_given"]["by"] == "Olga"
    assert bodies["game_started"]["params"]["lock_tie"] == "carry"
    assert bodies["game_started"]["game"] == table.outlet.states[-1]["game"] == "hall-tests-o1"
    assert table.outlet.states[-1]["warnings_competition"] == [0, 1]


def test_engine_counts_the_warnings_of_another_table_from_its_ledger(table: Table) -> None:
    """A ledger that comes over MQTT is in the journal, and its warnings count here, also after a restart."""
    entry = {"id": "x#1", "game": "x", "players": ["W", "E"], "player": "E", "reason": "talk", "set_no": 1}
    ledger = {"gameline": "ledger", "version": 1, "competition": "cup", "withdrawn": ["y#1", "x#9"], "games": []}
    table.rounds()
    table.order("start_game", names=["S", "W", "N", "E"], competition="cup")
    body = {**ledger, "entries": [{**entry, "wall_utc": ""}]}
    assert table.order("merge_ledger", ledger=body)["events"][0][1] == "ledger_merged"
    assert table.order("merge_ledger", ledger=body)["events"] == []
    assert table.order("merge_ledger", ledger={**body, "competition": "club"})["reason"] == "other_competition"
    assert table.outlet.states[-1]["warnings_competition"] == [0, 1]
    kept = evolve_all(State(), (event_of(entry.type, entry.body) for entry in table.journal.entries()))
    assert kept.competition_warnings_of(Pair.B) == 1


def test_line_taken_over_is_the_one_that_is_remembered(table: Table) -> None:
    """Its first domino was pushed away, and the referee has the line taken over so: nobody is to put it back then."""

    def see(*tiles: tuple[int, int], pushed: float = 0.0) -> None:
        seen = [replace(seen_tile(a, b), spot=Spot(2.0 * n + 0j, 1 + 0j)) for n, (a, b) in enumerate(tiles)]
        seen[0] = replace(seen[0], spot=Spot(pushed * 1j, 1 + 0j))
        chain = tuple(ChainLink(i, is_flipped=False) for i in range(1 if pushed else 0, len(seen)))
        sighting = Sighting(tuple(seen), (chain,) if len(chain) > 1 else (), bare=())
        table.engine.submit(inbox.Seen(MonoNs(table.time.now_ns), sighting))
        table.rounds(1)

    start(table)
    line = [(6, 5), (5, 3), (3, 1), (1, 4), (4, 2)]
    for count in range(1, 6):
        see(*line[:count])
    see(*line, (2, 2), pushed=1.5)
    assert table.engine.state.sync is not None
    assert table.engine.state.sync.code == "tile_moved"
    assert table.order("adopt_line")["accepted"]
    assert len(table.engine.state.line.placed) == 6
    assert table.engine.state.sync is None
    see(*line, (2, 2), (2, 6), pushed=1.5)
    assert len(table.engine.state.line.placed) == 7
    see(*line, (2, 2), (2, 6), pushed=4.0)
    assert table.engine.state.sync is not None
    table.order("adopt_line")
    assert table.engine.state.sync is None
    scattered = tuple(replace(seen_tile(a, b), spot=Spot(9j * n * n, 1 + 0j)) for n, (a, b) in enumerate(line))
    table.engine.submit(inbox.Seen(MonoNs(table.time.now_ns), Sighting(scattered, (), bare=())))
    table.rounds(1)
    assert table.engine.state.sync is not None
    assert table.engine.state.sync.code == "line_disturbed"
    assert table.order("adopt_line")["reason"] == "cannot_adopt"


def test_arm_and_both_pictures_come_with_the_sighting(table: Table) -> None:
    """Seat 2 reaches in on seat 1's turn: the finding names the times at which the table lay still before and after."""
    start(table)
    table.see((6, 5))
    table.rounds(2)
    tiles = (seen_tile(6, 5), seen_tile(5, 3))
    chain = tuple(ChainLink(i, is_flipped=False) for i in range(2))
    before_at = table.time.now_ns - 2 * S
    rest_at = MonoNs(table.time.now_ns)
    doubtful = (tiles[0], replace(tiles[1], b=(1 / 7,) * 7))
    table.engine.submit(inbox.Seen(rest_at, Sighting(doubtful, (chain,)), Arm(Seat.S2, 0.9)))
    table.rounds(0.5)
    assert table.engine.state.sync is not None
    table.engine.submit(inbox.Seen(rest_at, Sighting(tiles, (chain,)), Arm(Seat.S2, 0.9)))  # a better look at it
    table.rounds(0.5)
    (finding,) = table.engine.state.open_findings
    assert finding.stills == Stills(MonoNs(before_at), rest_at)
    table.order("rule", finding=finding.number, decision="dismiss")
    laid = [entry.body for entry in table.journal.entries() if entry.type == "domino_laid"]
    assert [(move["seat"], move["arm"]) for move in laid] == [(0, None), (1, {"seat": 2, "confidence": 0.9})]
    assert table.outlet.states[-1]["findings"] == []


def lying(*tiles: tuple[int, int], aside: int | None = None) -> Sighting:
    """A line in a row at its place on the table; one of its dominoes may lie aside of it."""
    places = [complex(2 * n, 9 if n == aside else 0) for n in range(len(tiles))]
    seen = tuple(replace(seen_tile(*tile), spot=Spot(place, 1 + 0j)) for tile, place in zip(tiles, places, strict=True))
    chain = tuple(ChainLink(n, is_flipped=False) for n in range(len(tiles)) if n != aside)
    return Sighting(seen, (chain,) if aside is None else ())


def test_engine_remembers_the_table_as_it_was_last_well(table: Table) -> None:
    """A domino pushed out of the line is named however often it is seen there; back in it play goes on."""
    start(table)
    line = ((6, 5), (5, 3), (3, 1), (1, 4))
    for moves in range(1, 5):
        table.engine.submit(inbox.Seen(MonoNs(table.time.now_ns), lying(*line[:moves])))
        table.rounds(1)
    for _ in range(2):
        table.engine.submit(inbox.Seen(MonoNs(table.time.now_ns), lying(*line, aside=1)))
        table.rounds(1)
        assert table.engine.state.sync is not None
        assert (table.engine.state.sync.code, table.engine.state.sync.tile) == ("tile_moved", Tile.of(5, 3))
        assert not table.engine.state.clock.is_running
    table.engine.submit(inbox.Seen(MonoNs(table.time.now_ns), lying(*line)))
    table.rounds(1)
    assert table.engine.state.sync is None
    assert table.engine.state.clock.is_running
    assert table.types()[-2:] == ["sync_lost", "sync_found"]


def test_line_is_taken_over_as_the_camera_sees_it(table: Table) -> None:
    """The set was begun before the camera was ready: the order is refused until it sees, and then is enough."""
    start(table)
    assert table.order("adopt_line")["reason"] == "cannot_adopt"
    table.see((5, 6), (6, 6), (6, 4))
    assert table.outlet.states[-1]["halts"] == ["out_of_sync"]
    assert table.order("adopt_line", first=[6, 6])["accepted"]
    state = table.outlet.states[-1]
    assert (len(state["line"]), state["turn"], state["halts"]) == (3, 3, [])


def test_pass_between_two_moves_that_come_to_rest_together(table: Table) -> None:
    """Seat 1 lays, seat 2 passes while the arm is still there, seat 3 lays: three acts in that order, and no other."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.rounds()
    table.press(2)
    table.see((6, 4), (4, 4), (4, 1))
    assert table.types()[-3:] == ["domino_laid", "passed", "domino_laid"]
    table.rounds(3)
    assert [(type(ply).__name__, int(ply.seat)) for ply in table.engine.state.plies] == [
        ("Move", 0),
        ("Move", 1),
        ("Skip", 2),
        ("Move", 3),
    ]
    assert "refused" not in table.types()


def test_pass_after_the_move_that_came_to_rest_waits_its_turn(table: Table) -> None:
    """Seat 2 passes while seat 1's only domino is being read: the move first, then the pass, once."""
    start(table)
    table.see((6, 4))
    table.engine.submit(inbox.HandOver(MonoNs(table.time.now_ns), is_in=True))
    table.rounds()
    table.press(2)
    table.see((6, 4), (4, 4))
    table.rounds(3)
    assert table.types()[-2:] == ["domino_laid", "passed"]
