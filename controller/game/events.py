"""Everything that can have happened, as the journal keeps it: plain frozen records, never changed once written.

A field may be added with a default; a record is never given another meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.commands import Decision
from controller.game.ledger import Ledger
from controller.game.rulesets import Params
from controller.game.seen import Arm, Stills
from controller.game.tiles import End, MonoNs, Pair, Seat, Suit, Tile


class Reason(Enum):
    """Why an input changed nothing."""

    NO_GAME = "no_game"
    GAME_RUNNING = "game_running"
    GAME_OVER = "game_over"
    NO_SET = "no_set"
    SET_RUNNING = "set_running"
    SET_OVER = "set_over"
    OUT_OF_TURN = "out_of_turn"
    PASS_BEFORE_FIRST_MOVE = "pass_before_first_move"
    TILE_ALREADY_PLAYED = "tile_already_played"
    NO_SUCH_TILE = "no_such_tile"
    BAD_END = "bad_end"
    HALTED = "halted"
    NO_SUCH_FINDING = "no_such_finding"
    NOT_A_DECISION = "not_a_decision"
    FOUND_TOO_LATE = "found_too_late"
    BAD_REVEAL = "bad_reveal"
    NOTHING_SHOWN = "nothing_shown"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_REDO = "nothing_to_redo"
    NOT_PAUSED = "not_paused"
    ALREADY_PAUSED = "already_paused"
    NOT_MUTED = "not_muted"
    LEAD_MUST_BE_DRAWN = "lead_must_be_drawn"
    LEAD_IS_FIXED = "lead_is_fixed"
    NO_SUCH_SEAT = "no_such_seat"
    TILE_DRAWN_TWICE = "tile_drawn_twice"
    EQUAL_LOTS = "equal_lots"
    NOTHING_DRAWN = "nothing_drawn"
    EXPELLED = "expelled"
    GAME_KNOWN = "game_known"
    TOO_LATE = "too_late"
    CONDITION_NOT_MET = "condition_not_met"
    BAD_HAND = "bad_hand"
    NO_REDEAL = "no_redeal"
    WITHIN_LIMIT = "within_limit"
    NOT_A_RIVAL = "not_a_rival"
    UNKNOWN_WARNING = "unknown_warning"
    ONLY_CHIEF_REFEREE = "only_chief_referee"
    CANNOT_AMEND = "cannot_amend"
    NOT_IN_A_HAND = "not_in_a_hand"
    OTHER_COMPETITION = "other_competition"
    LEDGER_CONFLICT = "ledger_conflict"
    CANNOT_ADOPT = "cannot_adopt"
    CANNOT_REPLAY = "cannot_replay"
    ALREADY_SIGNED = "already_signed"
    REGISTER_SIGNED = "register_signed"


class FindingKind(Enum):
    """What a finding is about."""

    WRONG_DOMINO = "wrong_domino"
    WRONG_PASS = "wrong_pass"
    INCONSISTENT_PASSES = "inconsistent_passes"
    """One of several passes was wrong, but not whose."""
    OUT_OF_TURN = "out_of_turn"
    EXPOSED_HAND = "exposed_hand"
    """A hand was laid open for a redeal it does not earn."""
    OVERTIME = "overtime"
    """A rival has rightly pointed at long thinking."""


class ProvenBy(Enum):
    """What shows that a pass was wrong (section 4)."""

    PLAY = "play"
    COUNTING = "counting"
    REVEAL = "reveal"
    EXPOSURE = "exposure"


class Ending(Enum):
    """How a set came to its end."""

    OUT = "out"
    DEADLOCK = "deadlock"
    WRONG_PASS = "awarded:wrong_pass"
    WRONG_DOMINO = "awarded:wrong_domino"
    SECOND_WARNING = "awarded:second_warning"
    THIRD_WARNING = "awarded:third_warning"
    FOURTH_WARNING = "awarded:fourth_warning"
    REMOVED = "awarded:removed"


class Winner(Enum):
    """Who has a set or a game."""

    A = "A"
    B = "B"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class SeatsDrawn:
    """Who sits where, by drawn dominoes or lots."""

    at: MonoNs
    names: tuple[str, str, str, str]
    lead: Seat


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game was opened."""

    at: MonoNs
    names: tuple[str, str, str, str]
    lead: Seat
    params: Params
    competition: str = ""
    game: str = ""
    again: bool = False
    """It is the game before it that is played again: the result of that one is struck out."""
    reason: str = ""
    """Why it is, and whose word that was."""
    by: str = ""


@dataclass(frozen=True, slots=True)
class LeadDrawn:
    """The lead of the next set was drawn."""

    at: MonoNs
    lead: Seat


@dataclass(frozen=True, slots=True)
class SetStarted:
    """A set began: `lead` may make the first move."""

    at: MonoNs
    set_no: int
    lead: Seat


@dataclass(frozen=True, slots=True)
class DominoLaid:
    """A domino was added to the line, whether it fits or not. As `first` its inner half is the left one."""

    at: MonoNs
    seat: Seat
    inner: Suit
    outer: Suit
    end: End
    is_fitting: bool
    confidence: float
    raw: tuple[int, int] | None = None
    """What the reader alone took the halves for (inner, outer), where it came through the camera."""
    think_ms: int = 0
    arm: Arm | None = None
    """Whose arm the camera saw over the table, where it made one out; the move is the seat's on turn all the same."""
    adopted: int | None = None
    """Its place, from 0, among dominoes that were taken over as they lay, so that order and seats are not known; None:
    it was laid in turn."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat announced that it has no fitting domino."""

    at: MonoNs
    seat: Seat
    think_ms: int = 0
    by_voice: bool = False
    """Entered by the referee."""


@dataclass(frozen=True, slots=True)
class PassWithdrawn:
    """The last pass was taken back by its seat, before the next one acted."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class Refused:
    """An input changed nothing."""

    at: MonoNs
    what: str
    """The command's name."""
    reason: Reason
    seat: Seat | None
    text: str


@dataclass(frozen=True, slots=True)
class Misreading:
    """What may have been instead of a wrong pass: a move of another domino, or passes before it that were only said."""

    ply: int
    """Place in the set, from 0, of the move."""
    was: Tile | None
    """The domino that it would have been; None where the domino is right."""
    taken_for: Tile | None
    """The domino that it is recorded as; None likewise."""
    by_voice: tuple[Seat, ...]
    """The seats that would have passed by voice just before the move, in their order; empty where none has."""


@dataclass(frozen=True, slots=True)
class FindingRaised:
    """Something for the referee to rule on."""

    at: MonoNs
    finding: int
    kind: FindingKind
    seat: Seat | None
    """None where only a pair, or nobody, is proven."""
    ply: int
    """Place in the set, from 0, of the move or pass that was wrong; the earliest in question where it is not proven."""
    clause: str
    text: str
    pair: Pair | None = None
    proven_by: ProvenBy | None = None
    passes: tuple[int, ...] = ()
    """Places of the passes that the proof rests on."""
    repairs: tuple[str, ...] = ()
    """Single misreadings that would explain it as well, in words for the referee."""
    set_no: int | None = None
    """Of a set that is registered already."""
    lay: tuple[Suit, Suit, End] | None = None
    """The domino (inner, outer) that was laid out of turn, and where: it is in no line."""
    misreadings: tuple[Misreading, ...] = ()
    """The same as `repairs`, one for one, as facts."""
    stills: Stills | None = None
    """Before and after, where nothing but the side from which an arm came tells whose domino it was."""

    @property
    def is_of_one_pass(self) -> bool:
        """Whether the very pass is proven."""
        return self.kind is FindingKind.WRONG_PASS and self.passes == (self.ply,)


@dataclass(frozen=True, slots=True)
class FindingRuled:
    """The referee (or, with adjudication auto, the rules) decided on a finding."""

    at: MonoNs
    finding: int
    decision: Decision
    by_rule: bool = False
    """The finding confirmed itself (adjudication auto)."""
    by: str = ""
    """Who decided."""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class WarningGiven:
    """A warning was entered for a pair."""

    at: MonoNs
    seat: Seat | None
    """Whose it was; None: nobody says which of the pair."""
    reason: str
    by: str = ""
    by_referee: bool = False
    """Given by itself, not as part of a ruling."""
    counts: bool = True
    """Whether it is a rung of the ladder (wrong_domino_warning_counts)."""
    pair: Pair | None = None
    """Where no seat is named."""

    @property
    def warned(self) -> Pair:
        """The pair that it is booked to."""
        pair = self.pair if self.seat is None else self.seat.pair
        assert pair is not None, "a warning has a seat or a pair"
        return pair


@dataclass(frozen=True, slots=True)
class SetForfeited:
    """A warning costs the set, but an offence of the rivals' that was done before it has to be ruled on first."""

    at: MonoNs
    pair: Pair
    by: Ending


@dataclass(frozen=True, slots=True)
class PairExpelled:
    """A pair is out of the competition (C8.4, R10)."""

    at: MonoNs
    pair: Pair


@dataclass(frozen=True, slots=True)
class TimeClaimed:
    """A seat pointed at a rival's long thinking (C5.6)."""

    at: MonoNs
    seat: Seat
    thinker: Seat
    elapsed_ms: int
    reason: Reason | None
    """Why it was not accepted; None: it was."""


@dataclass(frozen=True, slots=True)
class RedealClaimed:
    """A seat claims a redeal and has its hand to show."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class RedealGranted:
    """The dominoes are handed out once again, same leader (C2.2)."""

    at: MonoNs
    seat: Seat
    hand: tuple[Tile, ...]
    is_seen: bool = False
    """The hand lies in the middle, where the camera has read it."""


@dataclass(frozen=True, slots=True)
class RedealDenied:
    """The claim was false, and everybody has seen the hand."""

    at: MonoNs
    seat: Seat
    reason: Reason
    hand: tuple[Tile, ...]
    is_seen: bool = False


@dataclass(frozen=True, slots=True)
class RedealUnclaimed:
    """The count shows that a seat could have claimed a redeal; the result stands (C2.2)."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class TileExposed:
    """A domino was seen in a hand."""

    at: MonoNs
    seat: Seat
    tile: Tile
    by: str = ""
    in_last_set: bool = False


@dataclass(frozen=True, slots=True)
class Attributed:
    """The move at `ply` was made by `seat`; the seats skipped have passed by voice."""

    at: MonoNs
    ply: int
    seat: Seat
    by: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The domino of the move at `ply` was another, or lay otherwise."""

    at: MonoNs
    ply: int
    inner: Suit
    outer: Suit
    by: str = ""


@dataclass(frozen=True, slots=True)
class RevealOrdered:
    """The referee has all hands laid open in the middle of a set."""

    at: MonoNs
    by: str = ""


@dataclass(frozen=True, slots=True)
class LedgerMerged:
    """Warnings of the competition's other tables and games are known here too."""

    at: MonoNs
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat put its last domino (C0.3)."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class Locked:
    """No unplayed domino fits (C0.7)."""

    at: MonoNs
    suit: Suit


@dataclass(frozen=True, slots=True)
class HandsAwaited:
    """Some lay their hands open, others have yet to begin; or nobody is waited for any longer."""

    at: MonoNs
    dominoes: tuple[int, int, int, int]
    """How many each seat has yet to show, 0 for one that has begun."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class HandsShown:
    """The camera has read the four hands, and they are exactly the unplayed dominoes."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]
    raw: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Beside each domino what the reader alone took its halves for, -1 for one that it did not see."""


@dataclass(frozen=True, slots=True)
class HandsCounted:
    """The referee entered or confirmed the four hands."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class CountWaived:
    """The referee registers a set that ended by going out without a count: spots do not matter there (C5.2)."""

    at: MonoNs
    by: str = ""


@dataclass(frozen=True, slots=True)
class SetScored:
    """The set is over and has its points [A, B]; spots [A, B] where they were counted."""

    at: MonoNs
    by: Ending
    winner: Winner
    spots: tuple[int, int] | None
    points: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SetAnnulled:
    """The set is played again with the same lead, nothing is registered."""

    at: MonoNs
    by_referee: bool = False
    """Ordered by itself, not as part of a ruling."""
    reason: str = ""
    by: str = ""
    is_chief: bool = False
    set_no: int | None = None
    """It was registered already, as the last one: its result is struck out; None: it was in progress."""


@dataclass(frozen=True, slots=True)
class SetRescored:
    """A registered set has another result (claim_deadline, between_sets)."""

    at: MonoNs
    set_no: int
    by: Ending
    winner: Winner
    points: tuple[float, float]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over."""

    at: MonoNs
    winner: Winner
    points: tuple[float, float]
    by: Ending | None = None
    """The warning that ended it; None: all sets are played."""


@dataclass(frozen=True, slots=True)
class RegisterConfirmed:
    """The register of the game that is over was signed."""

    at: MonoNs
    pair: Pair | None
    """None: by the referee."""
    by: str = ""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class TimeExceeded:
    """The seat on turn has thought longer than it was given (C5.5)."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class RefereeCalled:
    """A seat asked for the referee."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The referee has noticed the alert."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Paused:
    """The referee stopped the clock."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Resumed:
    """The referee let the game go on."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Muted:
    """The referee wants no sound from the buzzer."""

    at: MonoNs
    until: MonoNs | None = None
    """None: until he says otherwise."""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Unmuted:
    """The buzzer may sound again: the referee says so, or the time he had named is over."""

    at: MonoNs
    by: str = ""
    """Empty where the time was over."""


@dataclass(frozen=True, slots=True)
class SyncLost:
    """What lies on the table and what is known can't be reconciled."""

    at: MonoNs
    code: str
    tile: Tile | None
    """The domino to look at."""
    text: str
    seat: Seat | None = None
    """In whose hand it is; None: in nobody's."""


@dataclass(frozen=True, slots=True)
class SyncFound:
    """The table is again as it is known."""

    at: MonoNs
    is_vouched: bool = False
    """On the referee's word: what it was about is right, whatever the camera makes of it in this set."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A domino that had to go back to its hand has left the table."""

    at: MonoNs
    tile: Tile


@dataclass(frozen=True, slots=True)
class TableCleared:
    """No domino of the last set lies in the middle any more."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class CameraLost:
    """No usable picture comes."""

    at: MonoNs
    reason: str


@dataclass(frozen=True, slots=True)
class CameraRegained:
    """Pictures come again."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class StorageLost:
    """Nothing could be kept from here on; written when it could again."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class StorageRegained:
    """Entries are kept again."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Restarted:
    """The program was started again; `at` is on a new monotonic clock."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Undone:
    """The last act was taken back."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Redone:
    """What was taken back last stands again."""

    at: MonoNs


Event = (
    SeatsDrawn
    | GameStarted
    | LeadDrawn
    | SetStarted
    | DominoLaid
    | Passed
    | PassWithdrawn
    | Refused
    | FindingRaised
    | FindingRuled
    | WarningGiven
    | SetForfeited
    | PairExpelled
    | TimeClaimed
    | RedealClaimed
    | RedealGranted
    | RedealDenied
    | RedealUnclaimed
    | TileExposed
    | Attributed
    | Corrected
    | RevealOrdered
    | LedgerMerged
    | WentOut
    | Locked
    | HandsAwaited
    | HandsShown
    | HandsCounted
    | CountWaived
    | SetScored
    | SetRescored
    | SetAnnulled
    | GameEnded
    | RegisterConfirmed
    | TimeExceeded
    | RefereeCalled
    | Acknowledged
    | Paused
    | Resumed
    | Muted
    | Unmuted
    | SyncLost
    | SyncFound
    | TakenBack
    | TableCleared
    | CameraLost
    | CameraRegained
    | StorageLost
    | StorageRegained
    | Restarted
    | Undone
    | Redone
)

ACTS = (
    SeatsDrawn,
    GameStarted,
    LeadDrawn,
    SetStarted,
    DominoLaid,
    Passed,
    PassWithdrawn,
    RedealClaimed,
    RedealGranted,
    RedealDenied,
    TileExposed,
    Attributed,
    Corrected,
    RevealOrdered,
    HandsCounted,
    CountWaived,
    RegisterConfirmed,
    Paused,
    Resumed,
)


def is_act(event: Event) -> bool:
    """Whether a person caused it: undo takes it back with all that followed from it in the same breath."""
    is_ruling = isinstance(event, FindingRuled) and not event.by_rule
    is_order = isinstance(event, SetAnnulled | WarningGiven) and event.by_referee
    is_claim = isinstance(event, TimeClaimed) and event.reason is None
    is_taken_with_others = isinstance(event, DominoLaid) and bool(event.adopted)
    return (isinstance(event, ACTS) and not is_taken_with_others) or is_ruling or is_order or is_claim
