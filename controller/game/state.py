"""The state of a game as one frozen value: everything a lamp, a display or a ruling can depend on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal

from controller.game.clocks import Clock
from controller.game.commands import Decision
from controller.game.draw import Seating
from controller.game.events import Ending, FindingKind, ProvenBy, Reason, Winner
from controller.game.ledger import Ledger
from controller.game.line import Line, pair_spots
from controller.game.rulesets import (
    Adjudication,
    BetweenSets,
    ClaimDeadline,
    Ladder,
    LockTie,
    Params,
    Scoring,
    WrongDomino,
    WrongDominoAlert,
    WrongPassStop,
)
from controller.game.seen import Stills, Vouched
from controller.game.tiles import HAND_SIZE, End, MonoNs, Pair, Seat, Suit, Tile, mask_of

Need = Literal[
    "inconsistent_passes", "exposed_hand", "overtime", "out_of_turn", "wrong_domino_unspecified", "nothing_revealed"
]
"""What only a person can decide."""


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
    CLAIM = "claim"
    """A hand has to be shown for a redeal."""


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
class Exposed:
    """A domino that was seen to be in a hand: nothing is drawn, so it has been there since the deal."""

    tile: Tile
    seat: Seat


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding on the referee's table; `is_open` until he has ruled."""

    number: int
    kind: FindingKind
    seat: Seat | None
    ply: int
    clause: str
    text: str
    pair: Pair | None = None
    """Whose offence it is, None where nobody's is proven."""
    proven_by: ProvenBy | None = None
    passes: tuple[int, ...] = ()
    repairs: tuple[str, ...] = ()
    set_no: int | None = None
    """Of a registered set; None: of this one."""
    lay: tuple[Suit, Suit, End] | None = None
    """The domino (inner, outer) that was laid out of turn."""
    stills: Stills | None = None
    """Before and after, where nothing but the side from which an arm came tells whose domino it was."""
    decision: Decision | None = None

    @property
    def is_open(self) -> bool:
        """Whether it has not been ruled on."""
        return self.decision is None

    @property
    def is_by_arm(self) -> bool:
        """Whether it rests on nothing but the side from which an arm came: the domino lies where it was laid."""
        return self.stills is not None

    @property
    def is_confirmed(self) -> bool:
        """Whether it costs the set."""
        is_pass = self.kind is FindingKind.WRONG_PASS and self.decision is Decision.CONFIRM
        return is_pass or (self.kind is FindingKind.WRONG_DOMINO and self.decision is Decision.LOST)


@dataclass(frozen=True, slots=True)
class Alert:
    """The last thing the referee is to notice, until acknowledged."""

    kind: AlertKind
    at: MonoNs
    text: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A name under the register of a finished game."""

    pair: Pair | None
    """None: the referee's."""
    by: str
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class Mute:
    """The buzzer is to be silent."""

    until: MonoNs | None
    """None: until the referee says otherwise."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Whose hands are still to be laid open while others lie so."""

    dominoes: tuple[int, int, int, int]
    """How many each seat has yet to show; 0 for one that has begun."""
    text: str


@dataclass(frozen=True, slots=True)
class SyncTrouble:
    """Why table and knowledge differ."""

    code: str
    tile: Tile | None
    text: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """The last thing a seat's button did, for that seat's lamp."""

    seat: Seat
    at: MonoNs
    refused: Reason | None


@dataclass(frozen=True, slots=True)
class WarningEntry:
    """A warning in the register, booked to a pair."""

    pair: Pair
    seat: Seat | None
    """Whose it was; None: nobody says which of the pair."""
    reason: str
    set_no: int
    counts: bool = True
    rung: int = 0
    """Its number among the pair's warnings in the competition."""
    attempt: int = 0
    """Which playing of the set it was given in, from 0."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """One line of the register."""

    set_no: int
    lead: Seat | None
    """None for a set lost before its lead was drawn."""
    by: Ending
    winner: Winner
    spots: tuple[int, int] | None
    points: tuple[float, float]
    moves: int
    passes: int


@dataclass(frozen=True, slots=True)
class ClosedSet:
    """The set registered last, as long as a wrong pass in it may still be found (claim_deadline)."""

    set_no: int
    plies: tuple[Ply, ...]
    exposed: tuple[Exposed, ...]
    hands: tuple[tuple[Tile, ...], ...] | None
    attempt: int = 0
    """Playings of it that were annulled before."""
    is_final: bool = False
    """It was awarded: nothing that is found later changes it."""
    dismissed: frozenset[int] = frozenset()
    """Places of the passes that the referee has already spoken of."""


@dataclass(frozen=True, slots=True)
class LastMove:
    """How long the act before this one was thought over."""

    seat: Seat
    think_ms: int
    is_overtime: bool


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A set lost by a warning, as long as it waits for a ruling on what was done before it."""

    pair: Pair
    by: Ending
    ply: int
    """Acts made before the warning."""


@dataclass(frozen=True, slots=True)
class State:
    """The game after some number of events; made only by `evolve`."""

    params: Params = field(default_factory=Params)
    revision: int = field(default=0, compare=False)
    """Events so far."""
    phase: Phase = Phase.IDLE
    names: tuple[str, str, str, str] = ("", "", "", "")
    competition: str = ""
    game: str = ""
    seating: Seating | None = None
    """As drawn, for the next game."""
    first_lead: Seat = Seat.S0
    """Leader of the game's first set."""
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
    awaited: Awaited | None = None
    shown: tuple[tuple[Tile, ...], ...] | None = None
    """Hands the camera has read, waiting for the referee's word."""
    hands: tuple[tuple[Tile, ...], ...] | None = None
    """Hands as counted."""
    is_count_waived: bool = False
    is_reveal_ordered: bool = False
    exposed: tuple[Exposed, ...] = ()
    excused: frozenset[int] = frozenset()
    """Places of the passes that the referee has left out of account: the record may be wrong there."""
    claim: Seat | None = None
    """Who has to show his hand for a redeal."""
    unclaimed: tuple[Seat, ...] = ()
    """Who could have claimed a redeal, as the count shows."""
    last_move: LastMove | None = None
    attempt: int = 0
    """Playings of this set that were annulled."""
    closed: ClosedSet | None = None
    forfeits: tuple[Forfeit, ...] = ()
    """In the order of the warnings."""
    findings: tuple[Finding, ...] = ()
    """Of this set."""
    take_back: tuple[Tile, ...] = ()
    """Dominoes that still lie on the table and must go back to a hand."""
    warnings: tuple[WarningEntry, ...] = ()
    """Of this game."""
    results: tuple[SetResult, ...] = ()
    """The register so far."""
    winner: Winner | None = None
    ended_by: Ending | None = None
    """The warning that ended the game; None: it is not over, or all its sets are played."""
    points_override: tuple[float, float] | None = None
    """The game's points where a ruling set them, else they are the sum of the sets."""
    signatures: tuple[Signature, ...] = ()
    """Under the register of the game that is over."""
    is_paused: bool = False
    is_restarted: bool = False
    camera_trouble: str | None = None
    storage_trouble: str | None = None
    """Why nothing can be kept. The shell shows it at once; the journal can only be told when it is over."""
    sync: SyncTrouble | None = None
    vouched: frozenset[Vouched] = frozenset()
    """What looks wrong on the table and is right on the referee's word."""
    alert: Alert | None = None
    mute: Mute | None = None
    """It outlives the game, and undo does not touch it."""
    feedback: Feedback | None = None
    next_finding: int = field(default=1, compare=False)
    """Never goes back, so that a ruling cannot hit a finding of an undone past."""
    ledger: Ledger = field(default_factory=Ledger, compare=False)
    """The warnings of the competition; it outlives the game, and what was withdrawn from it stays withdrawn."""
    next_warning: int = field(default=1, compare=False)
    """Never goes back: names in the ledger are not used twice."""
    expelled: tuple[Pair, ...] = ()
    last_at: MonoNs = field(default=MonoNs(0), compare=False)
    before: State | None = field(default=None, compare=False, repr=False)
    """The state before the last act, with its clock stopped: what undo returns to."""
    ahead: State | None = field(default=None, compare=False, repr=False)
    """The state that the last undo has left, likewise: what redo returns to; None once another act was done."""

    @property
    def set_no(self) -> int:
        """Number of this set, or of the next one, from 1."""
        return len(self.results) + 1

    @property
    def warned_set_no(self) -> int:
        """The set that a warning given now belongs to (between_sets; a fine is for the set to come, R10.2)."""
        is_last = self.params.between_sets is BetweenSets.LAST and self.params.ladder is Ladder.SETS
        is_after = self.phase is Phase.BETWEEN and bool(self.results) and self.attempt == 0
        return len(self.results) if is_last and is_after else self.set_no

    @property
    def carried(self) -> float:
        """Points of drawn deadlocks for the winner of the next decided set (lock_tie carry)."""
        waiting = 0.0
        for result in self.results if self.params.lock_tie is LockTie.CARRY else ():
            if result.winner is not Winner.DRAW:
                waiting = 0.0
            elif result.by is Ending.DEADLOCK:
                is_spots = self.params.scoring is Scoring.SPOTS and result.spots is not None
                waiting += max(result.spots) if is_spots and result.spots is not None else 1
        return waiting

    def before_last_set(self) -> State:
        """The state in which the set registered last can be scored again."""
        attempt = 0 if self.closed is None else self.closed.attempt
        return replace(self, results=self.results[:-1], attempt=attempt)

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
        is_silent = (
            self.params.wrong_domino_alert is WrongDominoAlert.SILENT
            and self.ending is None
            and not self.is_award_waiting
        )
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
            Halt.CLAIM: self.claim is not None,
        }
        return frozenset(halt for halt, is_on in checks.items() if is_on)

    @property
    def is_waiting_for_ruling(self) -> bool:
        """Whether an open finding stops play until the referee has ruled."""
        return self.params.adjudication is Adjudication.REFEREE and any(self.stops_for(f) for f in self.open_findings)

    @property
    def is_award_waiting(self) -> bool:
        """Whether an offence is confirmed, and another that may decide the set otherwise has to be ruled on first."""
        has_lost = bool(self.forfeits) or any(f.is_confirmed and f.set_no is None for f in self.findings)
        return self.phase in (Phase.PLAY, Phase.COUNT) and has_lost

    def stops_for(self, finding: Finding) -> bool:
        """Whether play stops for `finding`."""
        if finding.set_no is not None or finding.kind is FindingKind.OVERTIME:
            return False
        if finding.kind is FindingKind.WRONG_DOMINO:
            is_awaited = self.is_award_waiting and self.has_wrong_domino_clause
            return is_awaited or self.params.wrong_domino_alert is WrongDominoAlert.IMMEDIATE
        is_pass = finding.kind in (FindingKind.WRONG_PASS, FindingKind.INCONSISTENT_PASSES)
        return not is_pass or self.params.wrong_pass_stop is WrongPassStop.AT_ONCE or self.phase is Phase.COUNT

    @property
    def has_wrong_domino_clause(self) -> bool:
        """Whether the text says what a wrong domino costs; else only the referee can."""
        return self.params.wrong_domino is WrongDomino.C7

    def may_cost_the_set(self, finding: Finding) -> bool:
        """Whether this set may be lost by it; a text without a clause on wrong dominoes takes no set for one."""
        is_costly = finding.kind is FindingKind.WRONG_PASS or (
            finding.kind is FindingKind.WRONG_DOMINO and self.has_wrong_domino_clause
        )
        return is_costly and finding.set_no is None

    @property
    def needs_referee(self) -> Need | None:
        """What only a person can decide now, None when nothing waits for one."""
        words: dict[FindingKind, Need] = {
            FindingKind.INCONSISTENT_PASSES: "inconsistent_passes",
            FindingKind.EXPOSED_HAND: "exposed_hand",
            FindingKind.OVERTIME: "overtime",
            FindingKind.OUT_OF_TURN: "out_of_turn",
        }
        if not self.has_wrong_domino_clause:
            words[FindingKind.WRONG_DOMINO] = "wrong_domino_unspecified"
        if self.is_reveal_ordered and self.hands is not None and not self.open_findings:
            return "nothing_revealed"
        return next((words[f.kind] for f in reversed(self.told_findings) if f.kind in words), None)

    @property
    def can_amend_closed(self) -> bool:
        """Whether a wrong pass of the set registered last may still be found (C6.1)."""
        is_open = self.phase is Phase.BETWEEN or (self.phase is Phase.PLAY and not self.plies)
        is_allowed = self.params.claim_deadline is ClaimDeadline.NEXT_FIRST_MOVE
        return self.closed is not None and not self.closed.is_final and is_open and is_allowed

    @property
    def is_signed(self) -> bool:
        """Whether the referee has signed the register: nothing is changed any more without the chief referee."""
        return any(signature.pair is None for signature in self.signatures)

    @property
    def is_counted(self) -> bool:
        """Whether nothing is left to be counted: the hands are known, or need not be."""
        return self.hands is not None or self.is_count_waived

    @property
    def spots(self) -> tuple[int, int] | None:
        """Spots left with either pair once the hands are counted, a lone double blank at its value (R8)."""
        if self.hands is None:
            return None
        is_lone_worth = self.ending is not Ending.DEADLOCK or self.params.lone_blank_in_lock
        lone_blank = self.params.lone_blank_value if is_lone_worth else 0
        return pair_spots([mask_of(hand) for hand in self.hands], lone_blank=lone_blank)

    def tiles_left(self, seat: Seat) -> int:
        """Dominoes in the hand of `seat`: seven less its moves."""
        return HAND_SIZE - sum(1 for ply in self.plies if isinstance(ply, Move) and ply.seat is seat)

    @property
    def gone_out(self) -> Seat | None:
        """Who has no domino left."""
        return next((seat for seat in Seat if self.tiles_left(seat) == 0), None)

    def name_of(self, seat: Seat) -> str:
        """What a person calls who sits there."""
        return self.names[seat] or f"seat {int(seat)}"

    def has_yet_to_give(self, name: str) -> bool:
        """Whether `name` is one that this game will enter in the ledger for what has not happened yet."""
        game, _, number = name.rpartition("#")
        is_number = number.isascii() and number.isdecimal()
        return bool(self.game) and game == self.game and is_number and int(number) >= self.next_warning

    def players_of(self, pair: Pair) -> tuple[str, str]:
        """Names of the two partners, in the order of their seats."""
        return (self.name_of(Seat(pair.index)), self.name_of(Seat(pair.index + 2)))

    def warnings_of(self, pair: Pair) -> int:
        """Warnings that count for `pair` in this game."""
        return sum(1 for w in self.warnings if w.counts and w.pair is pair)

    def competition_warnings_of(self, pair: Pair) -> int:
        """Warnings that count for `pair` in the competition, those of this game among them."""
        if not self.competition:
            return self.warnings_of(pair)
        return self.ledger.warnings_of(self.competition, self.players_of(pair))
