"""The director plays whole games against the real rules, with eyes that see perfectly or as badly as a test wants."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.codec import body_of, type_name
from controller.demo.buttons import Fingers
from controller.demo.clock import TableClock
from controller.demo.gestures import Piece
from controller.demo.mishaps import Mishap
from controller.demo.party import Party
from controller.demo.referee import Heard
from controller.demo.scoreboard import Board, Happened, Reply, read_board
from controller.demo.script import Director
from controller.demo.table import Scene, SimulatedTable
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.rulesets import Params
from controller.game.seen import ChainLink, SeenTile, Sighting
from controller.game.snapshot import snapshot
from controller.game.state import State
from controller.game.tiles import MonoNs, Seat
from controller.orders import Accepted, Door
from controller.selftest import Asked

NAMES = ("South", "West", "North", "East")
STILL_FRAMES = 5
DARK_FRAMES = 3
MAX_FRAMES = 40_000
Look = Callable[[Scene], Sequence[Piece]]


class Row:
    """A layout in one straight row, each domino turned as it lies from left to right; shown hands lie far below."""

    def __init__(self, seed: int) -> None:
        self._left = self._right = 0.0

    def first(self, left: int, right: int) -> Piece:
        return Piece(left, right, 0.0, 0.0, 0.0)

    def add(self, end: str, inner: int, outer: int) -> Piece:
        if end == "R":
            self._right += 10.0
            return Piece(inner, outer, self._right, 0.0, 0.0)
        self._left -= 10.0
        return Piece(outer, inner, self._left, 0.0, 0.0)

    def shown(self, seat: int, tiles: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
        return tuple(Piece(a, b, 30.0 * i, 400.0 + seat, 0.0) for i, (a, b) in enumerate(tiles))


class Programme:
    """Everything behind camera, buttons and broker: the real rules, with ears for the director at the other end."""

    def __init__(self, look: Look | None = None, *, lag_frames: int = 0) -> None:
        self.state = State()
        self.happened: list[ev.Event] = []
        self._told: list[Happened] = []
        self.is_broker_up = True
        self._look = look or (lambda scene: scene.pieces)
        self._lag_frames = lag_frames
        self._door = Door(params=Params(), table="demo", wall_ms=lambda: 0)
        self._replies: dict[str, Reply] = {}
        self._levels = [False] * 4
        self._down = [False] * 4
        self._still: tuple[Sequence[Piece], int] = ((), 0)
        self._dark = 0
        self._now_ns = 0
        self._boards: list[Board] = [Board()]
        self._count = 0

    # --- the broker ---

    def start(self) -> None:
        self.is_broker_up = True

    def stop(self) -> None:
        self.is_broker_up = False

    # --- camera and buttons ---

    def take(self, scene: Scene) -> Scene:
        self._now_ns = scene.mono_ns
        for seat in Seat:
            if self._levels[seat] and not self._down[seat]:
                self._decide(cmd.Pass(self._at, seat))
            self._levels[seat] = self._down[seat]
        self._dark = self._dark + 1 if scene.is_dark else 0
        if self._dark == DARK_FRAMES:
            self._decide(cmd.LoseCamera(self._at, "The picture is black."))
        if self._dark == 0 and self.state.camera_trouble is not None:
            self._decide(cmd.RegainCamera(self._at))
        if not scene.is_dark:
            self._see(scene)
        self._decide(cmd.Tick(self._at))
        if self.state.revision != self._boards[-1].revision:
            board = read_board(msgspec.json.encode(snapshot(self.state, self._at)))
        else:
            board = self._boards[-1]
        self._boards.append(board)
        return scene

    def press(self, seat: int, is_down: bool) -> None:
        self._down[seat] = is_down

    @property
    def _at(self) -> MonoNs:
        return MonoNs(self._now_ns)

    def _see(self, scene: Scene) -> None:
        if scene.arms:
            self._still = ((), 0)
            return
        pieces, frames = self._still
        self._still = (scene.pieces, frames + 1) if pieces == scene.pieces else (scene.pieces, 1)
        if self._still[1] == STILL_FRAMES:
            self._decide(cmd.See(self._at, sighting(self._look(scene))))

    # --- the referee's ears ---

    def heard(self) -> Heard:
        board = self._boards[max(0, len(self._boards) - 1 - self._lag_frames)]
        return Heard(self._count, self.is_broker_up, board, self._now_ns, tuple(self._told[-9:]))

    def wait(self, count: int, timeout_s: float) -> None:
        self._count += 1

    def command(self, name: str, arguments: Mapping[str, object]) -> str:
        request = f"{name}-{len(self._replies)}"
        body = {"id": request, "sent_ms": 0, "by": "referee", "client": "demo-referee", **arguments}
        admitted = self._door.admit(name, json.dumps(body).encode(), retained=False, at=self._at, revision=0)
        if not isinstance(admitted, Accepted):
            self._replies[request] = Reply(request, False, admitted.answer.reason, admitted.answer.text)
            return request
        assert not isinstance(admitted.command, Asked)
        events = self._decide(admitted.command)
        refused = next((event for event in events if isinstance(event, ev.Refused)), None)
        self._replies[request] = Reply(request, refused is None, refused.reason.value if refused else None)
        return request

    def reply(self, request: str) -> Reply | None:
        return self._replies.get(request)

    def _decide(self, command: cmd.Command) -> tuple[ev.Event, ...]:
        events = decide(self.state, command)
        self.state = evolve_all(self.state, events)
        self.happened.extend(events)
        for event in events:
            number = len(self._told) + 1
            self._told.append(Happened(number, type_name(type(event)), event.at, body=body_of(event)))
        if events and not isinstance(command, cmd.See | cmd.Tick):
            self._still = ((), 0)
        return events

    def types(self) -> list[str]:
        return [type_name(type(event)) for event in self.happened]


def sighting(pieces: Sequence[Piece]) -> Sighting:
    """What perfect eyes see of a row of dominoes and of the hands below it."""
    row = sorted((p for p in pieces if p.y_mm < 200), key=lambda p: p.x_mm)
    links = tuple(ChainLink(i, False) for i in range(len(row)))
    shown = tuple(tuple(seen(p) for p in pieces if round(p.y_mm) == 400 + seat) for seat in range(4))
    return Sighting(tuple(seen(p) for p in row), (links,) if len(row) > 1 else (), shown)


def seen(piece: Piece) -> SeenTile:
    a, b = (tuple(0.97 if n == suit else 0.005 for n in range(7)) for suit in (piece.a, piece.b))
    return SeenTile(a, b)


class Hall:
    """A whole demonstration without drawing, reading or broker."""

    def __init__(
        self, seed: int, *, mishaps: bool = False, look: Look | None = None, lag_frames: int = 0, sets: int = 4
    ) -> None:
        rng = random.Random(seed)
        real = [0]

        def real_ns() -> int:
            real[0] += 50_000_000
            return real[0]

        self.programme = Programme(look, lag_frames=lag_frames)
        self.clock = TableClock(speed=None, real_ns=real_ns)
        self.table: SimulatedTable[Any] = SimulatedTable(
            clock=self.clock, take=self.programme.take, new_layout=Row, rng=rng
        )
        self.party = Party(
            table=self.table,
            fingers=Fingers(self.programme.press, rng),
            broker=self.programme,
            names=NAMES,
            rng=rng,
            mishaps=mishaps,
            is_hurried=True,
        )
        self.director = Director(
            party=self.party, ears=self.programme, names=NAMES, sets=sets, is_fast=True, rng=rng, real_ns=real_ns
        )
        self.table.attach(step=self.director.step, when_quiet=lambda: None)

    def play(self, *, until: Callable[[], bool] = lambda: False) -> None:
        for _ in range(MAX_FRAMES):
            if self.director.over.is_set() or until():
                return
            self.table.read()
        raise AssertionError(f"the game was not over after {MAX_FRAMES} frames: {self.programme.state}")


@pytest.mark.parametrize("seed", range(3))
def test_director_plays_a_whole_game_without_a_single_fault(seed: int) -> None:
    """Without mishaps nothing is refused, nothing is found and nothing is doubted; every set is in the register."""
    hall = Hall(seed)
    hall.play()
    assert hall.director.failure is None
    assert hall.programme.state.winner is not None
    assert len(hall.programme.state.results) >= 4
    assert not {"refused", "finding_raised", "sync_lost", "undone"} & set(hall.programme.types())


@pytest.mark.parametrize("seed", range(4))
def test_director_shows_every_mishap_in_one_game(seed: int) -> None:
    """With mishaps each of the six happens, the false pass is proven and costs its set, and the game still ends."""
    hall = Hall(seed, mishaps=True)
    hall.play()
    types = hall.programme.types()
    assert hall.director.failure is None
    assert hall.party.plan.pending == frozenset()
    kinds = [event.kind.value for event in hall.programme.happened if isinstance(event, ev.FindingRaised)]
    assert sorted(kinds) == ["wrong_domino", "wrong_pass"]
    assert [r.by.value for r in hall.programme.state.results].count("awarded:wrong_pass") == 1
    assert {"refused", "time_exceeded", "camera_lost", "camera_regained", "taken_back"} <= set(types)
    assert types.count("refused") == 1  # the second press of the impatient finger
    assert any("broker is back" in note.text for note in hall.party.notes)


def test_referee_confirms_a_wrong_pass_that_names_only_the_pair() -> None:
    """Where counting proves a pair and no player, the referee knows as well whether it was so."""
    hall = Hall(2, mishaps=True)
    heard = hall.programme.heard

    def vaguely() -> Heard:
        told = heard()
        vague = tuple(
            msgspec.structs.replace(finding, seat=None) if finding.kind == "wrong_pass" else finding
            for finding in told.board.findings
        )
        return replace(told, board=msgspec.structs.replace(told.board, findings=vague))

    hall.programme.heard = vaguely  # type: ignore[method-assign]
    hall.play()
    assert hall.director.failure is None
    assert [r.by.value for r in hall.programme.state.results].count("awarded:wrong_pass") == 1


def test_director_waits_for_a_scoreboard_that_comes_late() -> None:
    """A board a second behind the table changes nothing in what is played."""
    hall = Hall(3, lag_frames=10)
    hall.play()
    assert hall.director.failure is None
    assert not {"refused", "undone"} & set(hall.programme.types())


def test_players_straighten_a_domino_that_is_not_seen() -> None:
    """A domino that only shows after somebody pushed it is pushed, and the game goes on."""
    poses: dict[tuple[int, int], Piece] = {}

    def look(scene: Scene) -> Sequence[Piece]:
        known = [poses.setdefault((p.a, p.b), p) for p in scene.pieces]
        return [p for p, first in zip(scene.pieces, known, strict=True) if {p.a, p.b} != {6, 4} or p != first]

    hall = Hall(1, look=look)
    hall.play(until=lambda: hall.programme.types().count("set_scored") == 1)
    assert hall.director.failure is None
    assert "domino_laid" in hall.programme.types()


def test_referee_undoes_a_domino_that_was_misread() -> None:
    """Where the board shows another domino than the one that lies, the move is taken back and laid again."""
    misread = [True]

    def look(scene: Scene) -> Sequence[Piece]:
        if misread[0] and len(scene.pieces) == 1:
            misread[0] = False
            piece = scene.pieces[0]
            return [Piece(piece.a, (piece.b + 1) % 7, piece.x_mm, piece.y_mm, piece.angle_deg)]
        return scene.pieces

    hall = Hall(2, look=look)
    hall.play(until=lambda: hall.programme.types().count("set_scored") == 1)
    assert hall.director.failure is None
    assert hall.programme.types().count("undone") == 1


def test_wrong_domino_that_was_never_made_out_is_tried_again() -> None:
    """What the eyes could not see proves nothing: later in the game another wrong domino is laid and found."""
    hidden = [2]

    def look(scene: Scene) -> Sequence[Piece]:
        row = sorted((p for p in scene.pieces if p.y_mm < 200), key=lambda p: p.x_mm)
        joints = list(itertools.pairwise(row))
        wrong = [row[0] if place == 0 else row[-1] for place, (p, q) in enumerate(joints) if p.b != q.a]
        if wrong and hidden[0]:
            hidden[0] -= 1
            return [p for p in scene.pieces if p not in wrong]
        return scene.pieces

    hall = Hall(1, mishaps=True, look=look)
    hall.play()
    assert hall.director.failure is None
    assert hidden == [0]
    assert sum("does not fit" in note.text for note in hall.party.notes) == 2
    assert hall.party.plan.pending == frozenset()
    assert any(isinstance(e, ev.FindingRaised) and e.kind.value == "wrong_domino" for e in hall.programme.happened)


def test_director_gives_up_on_eyes_that_never_see_a_domino() -> None:
    """After a bounded number of tries the demonstration ends and says what lies and what is shown."""
    hall = Hall(1, look=lambda scene: scene.pieces[:2])
    hall.play()
    assert hall.director.failure is not None
    assert "do not come together in 6 tries" in hall.director.failure


def test_hands_that_cannot_be_read_are_entered_by_the_referee() -> None:
    """In a deadlock with blind eyes for the zones the referee enters the four hands himself."""
    for seed in range(40):
        hall = Hall(seed, look=lambda scene: [p for p in scene.pieces if p.y_mm < 200])
        hall.play(until=lambda hall=hall: "set_scored" in hall.programme.types())  # type: ignore[misc]
        if "locked" in hall.programme.types():
            assert "hands_counted" in hall.programme.types()
            assert "hands_shown" not in hall.programme.types()
            return
    raise AssertionError("none of 40 first sets ended in a deadlock")


def test_same_seed_plays_the_same_game() -> None:
    """A game can be shown again."""
    games = [Hall(5, mishaps=True) for _ in range(2)]
    for hall in games:
        hall.play()
    assert games[0].programme.types() == games[1].programme.types()
    assert games[0].party.notes == games[1].party.notes


def test_extra_sets_decide_a_level_game() -> None:
    """A game that stands level after its sets goes on with a drawn lead until somebody has won."""
    for seed in range(40):
        hall = Hall(seed)
        hall.play()
        if len(hall.programme.state.results) > 4:
            assert hall.director.failure is None
            assert hall.programme.state.points[0] != hall.programme.state.points[1]
            return
    raise AssertionError("none of 40 games stood level")


def test_overrun_is_the_only_thing_that_happens_without_mishaps() -> None:
    """Now and then somebody thinks too long; the referee notes it and nothing else comes of it."""
    seen_late = 0
    for seed in range(2):
        hall = Hall(seed)
        hall.play()
        seen_late += hall.programme.types().count("time_exceeded")
        assert hall.programme.types().count("acknowledged") == hall.programme.types().count("time_exceeded")
        assert hall.party.plan.pending <= {Mishap.OVERRUN}
    assert seen_late > 0
