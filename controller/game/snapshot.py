"""`snapshot(state, now)`: the whole scoreboard as one record of plain values; no hand before it is shown."""

from __future__ import annotations

from dataclasses import dataclass

from controller.game.state import Phase, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile

Halves = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LineTile:
    """A domino of the line from left to right."""

    left: int
    right: int
    seat: int


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of the move in progress at the moment of the snapshot."""

    running: bool
    limit_s: float
    elapsed_ms: int
    seconds_left: int


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding that waits for the referee."""

    id: int
    kind: str
    seat: int
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class AlertView:
    """What the referee has not yet acknowledged."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ResultView:
    """One set of the register."""

    set_no: int
    lead: int
    by: str
    winner: str
    spots: tuple[int, int] | None
    points: tuple[float, float]
    moves: int
    passes: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a display needs; seats 0..3 clockwise, pairs [A, B], dominoes as [half, half]."""

    revision: int
    phase: str
    set_no: int
    sets: int
    lead: int | None
    turn: int | None
    line: tuple[LineTile, ...]
    ends: Halves | None
    names: tuple[str, str, str, str]
    tiles_left: tuple[int, int, int, int]
    points: tuple[float, float]
    winner: str | None
    results: tuple[ResultView, ...]
    warnings: tuple[int, int]
    findings: tuple[FindingView, ...]
    halts: tuple[str, ...]
    take_back: tuple[Halves, ...]
    shown: tuple[tuple[Halves, ...], ...] | None
    clock: ClockView
    alert: AlertView | None
    sync_text: str | None


def snapshot(state: State, now: MonoNs) -> Snapshot:
    """The scoreboard of `state` at `now`."""
    clock = state.clock
    return Snapshot(
        revision=state.revision,
        phase=state.phase.value,
        set_no=len(state.results) if state.phase is Phase.GAME_OVER else state.set_no,
        sets=state.params.sets_in_game,
        lead=state.lead,
        turn=state.turn,
        line=tuple(LineTile(p.left, p.right, p.seat) for p in state.line.placed),
        ends=state.line.ends,
        names=state.names,
        tiles_left=(
            state.tiles_left(Seat.S0),
            state.tiles_left(Seat.S1),
            state.tiles_left(Seat.S2),
            state.tiles_left(Seat.S3),
        ),
        points=state.points,
        winner=state.winner.value if state.winner else None,
        results=tuple(
            ResultView(r.set_no, r.lead, r.by.value, r.winner.value, r.spots, r.points, r.moves, r.passes)
            for r in state.results
        ),
        warnings=(state.warnings_of(Pair.A), state.warnings_of(Pair.B)),
        findings=tuple(FindingView(f.number, f.kind.value, f.seat, f.clause, f.text) for f in state.told_findings),
        halts=tuple(sorted(halt.value for halt in state.halts)),
        take_back=tuple(_halves(tile) for tile in state.take_back),
        shown=tuple(tuple(_halves(tile) for tile in hand) for hand in state.shown) if state.shown else None,
        clock=ClockView(
            running=clock.is_running,
            limit_s=state.params.think_seconds,
            elapsed_ms=clock.elapsed_ns(now) // 1_000_000,
            seconds_left=clock.seconds_left(now),
        ),
        alert=AlertView(state.alert.kind.value, state.alert.text) if state.alert else None,
        sync_text=state.sync.text if state.sync else None,
    )


def _halves(tile: Tile) -> Halves:
    return (tile.high, tile.low)
