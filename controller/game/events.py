"""Everything that can have happened, as the journal keeps it: plain frozen records, never changed once written.

A field may be added with a default; a record is never given another meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.commands import Decision
from controller.game.rulesets import Params
from controller.game.tiles import End, MonoNs, Seat, Suit, Tile


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
    NOT_PAUSED = "not_paused"
    ALREADY_PAUSED = "already_paused"
    LEAD_MUST_BE_DRAWN = "lead_must_be_drawn"
    LEAD_IS_FIXED = "lead_is_fixed"


class FindingKind(Enum):
    """What a finding is about."""

    WRONG_DOMINO = "wrong_domino"
    WRONG_PASS = "wrong_pass"


class Ending(Enum):
    """How a set came to its end."""

    OUT = "out"
    DEADLOCK = "deadlock"
    WRONG_PASS = "awarded:wrong_pass"
    WRONG_DOMINO = "awarded:wrong_domino"
    SECOND_WARNING = "awarded:second_warning"
    THIRD_WARNING = "awarded:third_warning"


class Winner(Enum):
    """Who has a set or a game."""

    A = "A"
    B = "B"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game was opened."""

    at: MonoNs
    names: tuple[str, str, str, str]
    lead: Seat
    params: Params


@dataclass(frozen=True, slots=True)
class SetStarted:
    """A set began: `lead` may make the first move."""

    at: MonoNs
    set_no: int
    lead: Seat


@dataclass(frozen=True, slots=True)
class DominoLaid:
    """A domino was added to the line, whether it fits or not. For `End.FIRST` inner is the left half."""

    at: MonoNs
    seat: Seat
    inner: Suit
    outer: Suit
    end: End
    is_fitting: bool
    confidence: float
    raw: tuple[int, int] | None = None
    """What the reader alone took the halves for (inner, outer), where it came through the camera."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat announced that it has no fitting domino."""

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
class FindingRaised:
    """Something for the referee to rule on."""

    at: MonoNs
    finding: int
    kind: FindingKind
    seat: Seat
    ply: int
    """Place in the set, from 0, of the move or pass that was wrong."""
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class FindingRuled:
    """The referee (or, with adjudication auto, the rules) decided on a finding."""

    at: MonoNs
    finding: int
    decision: Decision
    by_rule: bool = False
    """The finding confirmed itself (adjudication auto)."""


@dataclass(frozen=True, slots=True)
class WarningGiven:
    """A warning was entered for the pair of `seat`."""

    at: MonoNs
    seat: Seat
    reason: str


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
class HandsShown:
    """The camera has read the four hands, and they are exactly the unplayed dominoes."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class HandsCounted:
    """The referee entered or confirmed the four hands."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class CountWaived:
    """The referee registers a set that ended by going out without a count: spots do not matter there (C5.2)."""

    at: MonoNs


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


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over."""

    at: MonoNs
    winner: Winner
    points: tuple[float, float]


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
class SyncLost:
    """What lies on the table and what is known can't be reconciled."""

    at: MonoNs
    code: str
    tile: Tile | None
    """The domino to look at."""
    text: str


@dataclass(frozen=True, slots=True)
class SyncFound:
    """The table is again as it is known."""

    at: MonoNs


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


Event = (
    GameStarted
    | SetStarted
    | DominoLaid
    | Passed
    | Refused
    | FindingRaised
    | FindingRuled
    | WarningGiven
    | WentOut
    | Locked
    | HandsShown
    | HandsCounted
    | CountWaived
    | SetScored
    | SetAnnulled
    | GameEnded
    | TimeExceeded
    | RefereeCalled
    | Acknowledged
    | Paused
    | Resumed
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
)

ACTS = (GameStarted, SetStarted, DominoLaid, Passed, HandsCounted, CountWaived, Paused, Resumed)


def is_act(event: Event) -> bool:
    """Whether a person caused it: undo takes it back with all that followed from it in the same breath."""
    is_ruling = isinstance(event, FindingRuled) and not event.by_rule
    is_order = isinstance(event, SetAnnulled) and event.by_referee
    return isinstance(event, ACTS) or is_ruling or is_order
