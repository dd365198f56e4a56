"""The register of a game as plain frozen records: what a club files, signs and reads back; how it looks is not here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Reason, Winner
from controller.game.rulesets import Params
from controller.game.tiles import End, Pair, Seat

Halves = tuple[int, int]
"""A domino by its two halves."""
Hand = tuple[Halves, ...]
Points = tuple[float, float]
"""[A, B]; halves where a drawn set is shared (C5.3), spots where these are scored (R8)."""


@dataclass(frozen=True, slots=True)
class ActEntry:
    """One move or pass."""

    number: int
    """Place in the set, from 1."""
    seat: Seat
    domino: tuple[int, int, End] | None
    """Inner half, outer half and end of the line; None for a pass. Of the first domino inner is the left half."""
    is_by_voice: bool
    """A pass that was said and not pressed, so that the referee entered it."""
    think_ms: int | None
    """How long the seat thought; None where nobody measured it."""
    confidence: float | None
    """How sure the reader was, from 0 to 1; None for a pass and for what the referee entered."""
    is_wrong: bool
    """A domino that does not fit, or a pass that was ruled wrong."""


@dataclass(frozen=True, slots=True)
class MixingEntry:
    """Who was to mix before a set, and the order of taking: a checklist, nobody has seen it done (C2.1)."""

    first: Seat
    second: Seat
    takes: tuple[Seat, Seat, Seat, Seat]
    """The leader last."""


@dataclass(frozen=True, slots=True)
class FineEntry:
    """A fine that went into the points of a set (R10)."""

    pair: Pair
    points: int
    counts: int | None
    """What the pair counted instead of its spots, as it went out or won the deadlock; None: the fine was added."""


@dataclass(frozen=True, slots=True)
class SetEntry:
    """One line of the register: a set that was registered, or as the last one the set in progress."""

    set_no: int
    """From 1, without gaps."""
    is_extra: bool
    """Played because the game was level after the agreed sets (C5.7)."""
    lead: Seat | None
    """None for a set that was lost before its lead was drawn."""
    mixing: MixingEntry | None
    """None where the text does not say who mixes."""
    acts: tuple[ActEntry, ...]
    ending: Ending | None
    """None: in progress."""
    clause: str
    """Of the text by which the set was awarded; empty where it was played out."""
    ends: tuple[int, int] | None
    """Open suits when the set closed, left and right; None when nothing lay."""
    spots: tuple[int, int, int, int] | None
    """Left in each hand, by seat, as they counted for the result; None where they were not counted."""
    hands: tuple[Hand, Hand, Hand, Hand] | None
    """As shown; None where they were not."""
    winner: Winner | None
    points: Points | None
    """Of this set; None: in progress."""
    total: Points | None
    """Of this set and all before it; None: in progress."""
    recorded_by: str
    """Who entered the result; empty where nobody gave a name (C5.1)."""
    fines: tuple[FineEntry, ...] = ()
    """Those that are in its points; empty too in what was written before they were kept."""

    @property
    def moves(self) -> int:
        """Dominoes laid."""
        return sum(act.domino is not None for act in self.acts)

    @property
    def passes(self) -> int:
        """Passes announced."""
        return len(self.acts) - self.moves


class Consequence(Enum):
    """What a warning led to (C8, R10)."""

    NONE = "none"
    SET_LOST = "set_lost"
    GAME_LOST = "game_lost"
    EXPELLED = "expelled"
    FINE_10 = "fine_10"
    FINE_20 = "fine_20"
    SET_40_0 = "set_40_0"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class WarningEntry:
    """A warning, booked to a pair (C8.1, R10)."""

    set_no: int
    """The set it was given in, or before."""
    pair: Pair
    seat: Seat | None
    """Whose it was; None: nobody said which of the pair."""
    reason: str
    in_game: int | None
    """Which of the pair's warnings in this game it was, from 1; None: it does not count on the ladder."""
    in_competition: int | None
    """Likewise in the competition; None where it does not count, or the game stands alone."""
    consequence: Consequence
    by: str
    """Who gave it; empty where no name was given."""


@dataclass(frozen=True, slots=True)
class PassFact:
    """A pass, with the suits that it denied."""

    act: int
    """Place in the set, from 1."""
    seat: Seat
    ends: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MisreadingEntry:
    """What would explain a finding as well: a move of another domino, or passes before it that were only said.

    Raises:
        ValueError: it is neither of the two, or both.
    """

    act: int
    """Place in the set, from 1, of the move."""
    domino: Halves | None
    """What it would have been; None where the domino is right."""
    taken_for: Halves | None
    """What it is recorded as; None likewise."""
    by_voice: tuple[Seat, ...]
    """The seats that would have passed by voice just before the move; empty where none has."""

    def __post_init__(self) -> None:
        is_domino = self.domino is not None
        if is_domino is not (self.taken_for is not None) or is_domino is bool(self.by_voice):
            raise ValueError(f"expected another domino or seats that passed by voice, got {self}: name one of the two")


@dataclass(frozen=True, slots=True)
class FindingEntry:
    """Something that was found against a player, with its proof, and what was decided on it."""

    number: int
    set_no: int
    kind: FindingKind
    seat: Seat | None
    """None where no single player is proven."""
    pair: Pair | None
    """None where not even the pair is."""
    act: int
    """Place in the set, from 1, of the act in question."""
    clause: str
    proven_by: ProvenBy | None
    """What shows it; None for what is no pass, or is not proven."""
    passes: tuple[PassFact, ...]
    """The passes that the proof rests on; empty where it is about none."""
    dominoes: Hand
    """What was in the hand all the same, what was laid, or the hand laid open; empty where only counting proves it."""
    proof: str
    """As it was told to the referee, in English."""
    repairs: tuple[str, ...]
    """Single misreadings that would explain it as well, as they were told to the referee, in English."""
    decision: Decision | None
    """None: open."""
    is_by_rule: bool
    """It confirmed itself, nobody had to (adjudication auto)."""
    by: str
    """Who decided; empty where no name was given."""
    misreadings: tuple[MisreadingEntry, ...] = ()
    """The same as `repairs`, as facts; empty too in what was written before they were kept."""
    refused: Reason | None = None
    """Of a hand laid open: why it earns no redeal."""
    claimant: Seat | None = None
    """Of long thinking: who pointed at it."""
    elapsed_ms: int | None = None
    """Of long thinking: how long it had lasted then."""
    is_lapsed: bool = False
    """It was never decided, and can be no more: its set was registered, or is played again."""


@dataclass(frozen=True, slots=True)
class ClaimEntry:
    """A player drew the referee's attention to a rival's long thinking (C5.6, R9)."""

    set_no: int
    act: int
    """The act that was thought over, from 1."""
    seat: Seat
    against: Seat
    elapsed_ms: int
    refused: Reason | None
    """Why it was not accepted; None: it was."""


@dataclass(frozen=True, slots=True)
class OvertimeEntry:
    """A seat thought longer than it was given (C5.5)."""

    set_no: int
    act: int
    seat: Seat
    think_ms: int | None
    """In all; None where the act is not made, or nobody measured it."""
    is_unmade: bool = False
    """The act was never made: the set ended, or was played again, before it."""


@dataclass(frozen=True, slots=True)
class RedealEntry:
    """A claim that the dominoes be handed out again (C2.2)."""

    set_no: int
    seat: Seat
    hand: Hand
    refused: Reason | None
    """Why not; None: it was granted."""


@dataclass(frozen=True, slots=True)
class UnclaimedEntry:
    """The count showed that a seat could have claimed a redeal; the result stands (C2.2)."""

    set_no: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class ReplayEntry:
    """A set was played again with the same lead, and nothing registered (C7.1, C7.3, R10.5)."""

    set_no: int
    reason: str
    """As the referee gave it, empty where he did not; or a code: the kind of a finding, `both_offend`, `equal_lock`."""
    is_by_rule: bool
    """It followed from the rules alone."""
    is_chief: bool
    """Ordered by the chief referee."""
    by: str
    struck: Points | None = None
    """Its result, which was registered already and is struck out; None: it was not."""
    is_game: bool = False
    """It is the whole game: this register is that of its second playing."""


class CorrectionKind(Enum):
    """What was put right or ordered beside the play."""

    MOVE_UNDONE = "move_undone"
    PASS_UNDONE = "pass_undone"
    RULING_UNDONE = "ruling_undone"
    WARNING_UNDONE = "warning_undone"
    COUNT_UNDONE = "count_undone"
    CORRECTION_UNDONE = "correction_undone"
    STEP_UNDONE = "step_undone"
    """Something was taken back, nobody knows what: only in registers from before the three below were kept."""
    REPLAY_UNDONE = "replay_undone"
    """The order to play a set again."""
    CLAIM_UNDONE = "claim_undone"
    """A claim of time that had been accepted."""
    REDEAL_UNDONE = "redeal_undone"
    """A redeal granted or denied."""
    PASS_WITHDRAWN = "pass_withdrawn"
    """By its own seat, in time (C6.1)."""
    ATTRIBUTED = "attributed"
    """A move was another seat's; those skipped passed by voice."""
    CORRECTED = "corrected"
    """A domino was another, or lay otherwise."""
    EXPOSED = "exposed"
    """A domino was seen in a hand."""
    REVEAL_ORDERED = "reveal_ordered"
    SIGNATURE_UNDONE = "signature_undone"
    """A signature under the register."""
    COUNT_WAIVED = "count_waived"
    """A set that ended by going out was registered without a count (C5.2)."""


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """Something that was put right or ordered beside the play."""

    set_no: int
    kind: CorrectionKind
    act: int | None
    """The act it is about, from 1, by the count before it; None where it is about none."""
    seat: Seat | None
    """Whose; of an attributed move the seat that made it."""
    domino: Halves | None
    by: str
    undone: CorrectionKind | None = None
    """Of a correction or order that was taken back: which; None too in what was written before this was kept."""
    finding: FindingKind | None = None
    """Of a ruling that was taken back: what it was on; None likewise."""
    decision: Decision | None = None
    """Of a ruling that was taken back: what it was; None likewise."""
    reason: str = ""
    """Of a warning that was taken back: what it was for; empty likewise."""
    pair: Pair | None = None
    """Of a warning that was taken back: whose, where no seat was named."""


@dataclass(frozen=True, slots=True)
class SignatureEntry:
    """Who has confirmed the register at the table."""

    pair: Pair | None
    """None: the referee."""
    by: str
    """Who entered it; empty where no name was given."""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class AmendmentEntry:
    """A registered set has got another result."""

    set_no: int
    was_ending: Ending
    was_points: Points
    ending: Ending
    points: Points
    clause: str
    """Why."""


@dataclass(frozen=True, slots=True)
class Register:
    """The register of one game: everything that was registered, noted and decided (C5, R8, R12).

    Raises:
        ValueError: sets out of order, or totals that are not the sums of the sets.
    """

    competition: str
    """Empty: the game stands alone."""
    table: str
    game_id: str
    date: str
    """Wall time of the beginning in UTC, a label; empty where no clock was right."""
    params: Params
    """Rule set, version and every parameter: what it takes to score the game again (R12)."""
    names: tuple[str, str, str, str]
    """By seat; pair A sits at 0 and 2."""
    sets: tuple[SetEntry, ...]
    result: Points | None
    """The game's points; None: in progress. They are not the sum of the sets where a ruling ended the game (C8.3)."""
    winner: Winner | None
    ended_by: Ending | None
    """The warning that ended the game; None: all sets were played, or it is in progress."""
    expelled: tuple[Pair, ...]
    """Pairs that are out of the competition (C8.4, R10)."""
    warnings: tuple[WarningEntry, ...]
    findings: tuple[FindingEntry, ...]
    claims: tuple[ClaimEntry, ...]
    overtimes: tuple[OvertimeEntry, ...]
    redeals: tuple[RedealEntry, ...]
    unclaimed: tuple[UnclaimedEntry, ...]
    replays: tuple[ReplayEntry, ...]
    corrections: tuple[CorrectionEntry, ...]
    amendments: tuple[AmendmentEntry, ...]
    signatures: tuple[SignatureEntry, ...] = ()

    def __post_init__(self) -> None:
        a, b = 0.0, 0.0
        for place, entry in enumerate(self.sets, start=1):
            if entry.set_no != place:
                raise ValueError(f"expected the sets from 1 without gaps, got {entry.set_no} in place {place}")
            if (entry.points is None) != (entry.ending is None) or (entry.total is None) != (entry.ending is None):
                raise ValueError(f"expected ending, points and total of set {place} all or none, got some of them")
            if entry.points is None or entry.total is None:
                if place < len(self.sets):
                    raise ValueError(f"expected only the last set to be in progress, got set {place}")
                continue
            a, b = a + entry.points[0], b + entry.points[1]
            if (a, b) != entry.total:
                raise ValueError(f"expected the total of set {place} to be {[a, b]}, got {list(entry.total)}")

    @property
    def total(self) -> Points:
        """Sum of the registered sets."""
        totals = [entry.total for entry in self.sets if entry.total is not None]
        return totals[-1] if totals else (0.0, 0.0)

    def is_open(self, finding: FindingEntry) -> bool:
        """Whether somebody can still decide on it."""
        return finding.decision is None and not finding.is_lapsed and self.result is None

    @property
    def recorders(self) -> tuple[str, ...]:
        """Everybody who entered a result, each once, in the order of the sets (C5.1)."""
        return tuple(dict.fromkeys(entry.recorded_by for entry in self.sets if entry.recorded_by))
