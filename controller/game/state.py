"""The state of a game as one frozen value: everything a lamp, a display or a ruling can depend on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from controller.game.clocks import Clock
from controller.game.events import Ending, FindingKind, Reason, Winner
from controller.game.line import Line
from controller.game.rulesets import Adjudication, Params, WrongDominoAlert
from controller.game.tiles import HAND_SIZE, End, MonoNs, Pair, Seat, Suit, Tile


class Phase(Enum):
    """Where a game stands."""

    IDLE = "idle"
    """No game."""
    BETWEEN = "between"
    """Dominoes are mixed and dealt; the last line may still lie."""
    PLAY = "play"
    """A set is in progress."""
    COUNT = "count"
    """The line is closed; hands are counted or a finding waits for the referee."""
    GAME_OVER = "game_over"
    """The game has its result."""


class Halt(Enum):
    """Why no thinking time passes although a set is in progress."""

    PAUSED = "paused"
    RESTARTED = "restarted"
    CAMERA = "camera"
    STORAGE = "storage"
    OUT_OF_SYNC = "out_of_sync"
    TAKE_BACK = "take_back"
    FINDING = "finding"


class AlertKind(Enum):
    """What the referee is buzzed for."""

    WRONG_DOMINO = "wrong_domino"
    WRONG_PASS = "wrong_pass"
    TIME = "time"
    CALLED = "called"
    OUT_OF_SYNC = "out_of_sync"
    SET_OVER = "set_over"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class Move:
    """A domino laid, as it stands in the history of the set."""

    seat: Seat
    inner: Suit
    outer: Suit
    end: End
    is_fitting: bool

    @property
    def tile(self) -> Tile:
        """The domino, whichever way round."""
        return Tile.of(self.inner, self.outer)


@dataclass(frozen=True, slots=True)
class Skip:
    """A pass, with the suits that were open when it was announced."""

    seat: Seat
    ends: tuple[Suit, Suit]


Ply = Move | Skip


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding on the referee's table; `is_open` until he has ruled."""

    number: int
    kind: FindingKind
    seat: Seat
    ply: int
    clause: str
    text: str
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Alert:
    """The last thing the referee is to notice, until acknowledged."""

    kind: AlertKind
    at: MonoNs
    text: str


@dataclass(frozen=True, slots=True)
class SyncTrouble:
    """Why table and knowledge differ."""

    code: str
    tile: Tile | None
    text: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """The last thing a seat's button did, for that seat's lamp."""

    seat: Seat
    at: MonoNs
    refused: Reason | None


@dataclass(frozen=True, slots=True)
class WarningEntry:
    """A warning in the register, booked to the seat's pair."""

    seat: Seat
    reason: str
    set_no: int


@dataclass(frozen=True, slots=True)
class SetResult:
    """One line of the register."""

    set_no: int
    lead: Seat
    by: Ending
    winner: Winner
    spots: tuple[int, int] | None
    points: tuple[float, float]
    moves: int
    passes: int


@dataclass(frozen=True, slots=True)
class State:
    """The game after some number of events; made only by `evolve`."""

    params: Params = field(default_factory=Params)
    revision: int = field(default=0, compare=False)
    """Events so far."""
    phase: Phase = Phase.IDLE
    names: tuple[str, str, str, str] = ("", "", "", "")
    lead: Seat | None = None
    """Leader of this set, or of the next one; None where he must be drawn."""
    turn: Seat | None = None
    line: Line = field(default_factory=Line)
    plies: tuple[Ply, ...] = ()
    clock: Clock = field(default_factory=Clock)
    is_overtime: bool = False
    """The move in progress has been noted as too long."""
    ending: Ending | None = None
    """The line is closed, gone out or locked; provisional until the hands are counted and the set is registered."""
    shown: tuple[tuple[Tile, ...], ...] | None = None
    """Hands the camera has read, waiting for the referee's word."""
    hands: tuple[tuple[Tile, ...], ...] | None = None
    """Hands as counted."""
    is_count_waived: bool = False
    findings: tuple[Finding, ...] = ()
    """Of this set."""
    take_back: tuple[Tile, ...] = ()
    """Dominoes that still lie on the table and must go back to a hand."""
    warnings: tuple[WarningEntry, ...] = ()
    """Of this game."""
    results: tuple[SetResult, ...] = ()
    """The register so far."""
    winner: Winner | None = None
    points_override: tuple[float, float] | None = None
    """The game's points where a ruling set them, else they are the sum of the sets."""
    is_paused: bool = False
    is_restarted: bool = False
    camera_trouble: str | None = None
    storage_trouble: str | None = None
    """Why nothing can be kept. The shell shows it at once; the journal can only be told when it is over."""
    sync: SyncTrouble | None = None
    alert: Alert | None = None
    feedback: Feedback | None = None
    next_finding: int = field(default=1, compare=False)
    """Never goes back, so that a ruling cannot hit a finding of an undone past."""
    last_at: MonoNs = field(default=MonoNs(0), compare=False)
    before: State | None = field(default=None, compare=False, repr=False)
    """The state before the last act, with its clock stopped: what undo returns to."""

    @property
    def set_no(self) -> int:
        """Number of this set, or of the next one, from 1."""
        return len(self.results) + 1

    @property
    def points(self) -> tuple[float, float]:
        """The game's points [A, B]."""
        if self.points_override is not None:
            return self.points_override
        return (sum(r.points[0] for r in self.results), sum(r.points[1] for r in self.results))

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """Findings the referee has not ruled on."""
        return tuple(f for f in self.findings if f.is_open)

    @property
    def told_findings(self) -> tuple[Finding, ...]:
        """Open findings that may be told now: with a silent alert, wrong dominoes wait for the end of the set (C7)."""
        is_silent = self.params.wrong_domino_alert is WrongDominoAlert.SILENT and self.ending is None
        return tuple(f for f in self.open_findings if not (is_silent and f.kind is FindingKind.WRONG_DOMINO))

    @property
    def halts(self) -> frozenset[Halt]:
        """Everything that keeps thinking time from passing."""
        checks = {
            Halt.PAUSED: self.is_paused,
            Halt.RESTARTED: self.is_restarted,
            Halt.CAMERA: self.camera_trouble is not None,
            Halt.STORAGE: self.storage_trouble is not None,
            Halt.OUT_OF_SYNC: self.sync is not None,
            Halt.TAKE_BACK: bool(self.take_back),
            Halt.FINDING: self.is_waiting_for_ruling,
        }
        return frozenset(halt for halt, is_on in checks.items() if is_on)

    @property
    def is_waiting_for_ruling(self) -> bool:
        """Whether an open finding stops play until the referee has ruled."""
        if self.params.adjudication is Adjudication.AUTO:
            return False
        return any(
            f.kind is FindingKind.WRONG_PASS or self.params.wrong_domino_alert is WrongDominoAlert.IMMEDIATE
            for f in self.open_findings
        )

    def tiles_left(self, seat: Seat) -> int:
        """Dominoes in the hand of `seat`: seven less its moves."""
        return HAND_SIZE - sum(1 for ply in self.plies if isinstance(ply, Move) and ply.seat is seat)

    def warnings_of(self, pair: Pair) -> int:
        """Warnings entered for `pair` in this game."""
        return sum(1 for w in self.warnings if w.seat.pair is pair)
