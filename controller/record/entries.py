"""What a record holds entry by entry: a move, a pass, a word of the referee's; nothing of it is judged here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.tiles import End, Pair

Halves = tuple[int, int]
"""A domino as it was written, perhaps none of the 28; -1 is a half that is missing."""
Hand = tuple[Halves, ...]

MISSING_HALF = -1
HAND_LIMIT = 28
ACTS_LIMIT = 400
"""Moves and passes written in one set: 28 dominoes and their passes come to some sixty, and it may be dealt anew."""
"""Dominoes that may be written in one hand."""


class Again(Enum):
    """The two words for playing a set once more."""

    RESTART = "restart"
    """Something can't be cleared up, or a wrong domino was found (C7)."""
    REPLAY = "replay"
    """Dominoes were shown (R10)."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A domino was laid; without a seat by the seat on turn. For `End.FIRST` inner is the left half."""

    inner: int
    outer: int
    end: End
    seat: int | None = None
    is_marked_wrong: bool = False
    """The writer's own remark that it does not fit."""
    think_ms: int | None = None
    """Time the seat took for it."""
    t_ms: int | None = None
    """Moment on the clock that was started with the set; so in every entry."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A pass; without a seat by the seat on turn."""

    seat: int | None = None
    is_by_voice: bool = False
    """Said, not pressed; the referee entered it."""
    think_ms: int | None = None
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The four hands as they were laid open and counted; None for a hand that was not shown."""

    hands: tuple[Hand | None, Hand | None, Hand | None, Hand | None]
    by: str = ""
    """Who entered it, a name; empty: nobody wrote it. So in every entry of the referee's."""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CountWaived:
    """The referee registers a set without a count (C5.2)."""

    by: str = ""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning to a player, or to a pair without saying whose it was (C8, R10)."""

    seat: int | None = None
    reason: str = ""
    by: str = ""
    t_ms: int | None = None
    pair: Pair | None = None
    """Where no seat is named."""

    def __post_init__(self) -> None:
        if (self.seat is None) is (self.pair is None):
            raise ValueError(f"expected a warning with a seat or a pair, got {self}: name one of the two")


@dataclass(frozen=True, slots=True)
class Ruled:
    """The referee decided on a finding."""

    kind: FindingKind
    act: int = 0
    """Number of the move or pass it is about, from 1, as the set's acts are written; 0: the newest finding."""
    decision: Decision | None = None
    """None: it was found, and what follows is the rules'."""
    by: str = ""
    is_chief: bool = False
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Restarted:
    """The set is played again with the same lead; what is written after it in the set is the new deal."""

    word: Again
    reason: str = ""
    act: int = 0
    """The act it is about, 0: none in particular."""
    seat: int | None = None
    by: str = ""
    is_chief: bool = False
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RevealOrdered:
    """The referee has all hands laid open in the middle of a set (section 4)."""

    by: str = ""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Attributed:
    """Act number `act` was the move of `seat`: the seats between passed by voice (C7)."""

    act: int
    seat: int
    by: str = ""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """Act number `act` was another domino, or it lies the other way round."""

    act: int
    inner: int
    outer: int
    by: str = ""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TimeClaimed:
    """`seat` points at a rival's long thinking (C5.6, R9)."""

    seat: int
    think_ms: int | None = None
    """Time the rival had been thinking."""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RedealClaimed:
    """`seat` claims that the dominoes be handed out again (C2.2); `hand` is what it laid open."""

    seat: int
    hand: Hand | None = None
    think_ms: int | None = None
    """Time the seat on turn had been thinking."""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ExposedTile:
    """A domino was seen in the hand of `seat`."""

    seat: int
    tile: Halves
    in_last_set: bool = False
    """It belongs to the set that was registered last."""
    by: str = ""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TakenBackAct:
    """The referee took the last act back, whatever it was."""

    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class LeadDrawn:
    """`seat` has drawn the lead of the next set (C5.7)."""

    seat: int
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class DominoesDrawn:
    """The dominoes that seats 0 to 3 drew for the lead of the next set (C5.7)."""

    drawn: tuple[Halves, Halves, Halves, Halves]
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Paused:
    """The referee stopped the clock."""

    think_ms: int | None = None
    """Time the seat on turn had been thinking."""
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    """The referee let the game go on."""

    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """`seat` asked for the referee."""

    seat: int
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Free words, which decide nothing."""

    text: str
    t_ms: int | None = None


Act = Laid | Skipped
"""What takes a turn; acts are numbered from 1 in their set as they are written, those taken back too."""
Entry = (
    Act
    | Shown
    | CountWaived
    | Warned
    | Ruled
    | Restarted
    | RevealOrdered
    | Attributed
    | Corrected
    | TimeClaimed
    | RedealClaimed
    | ExposedTile
    | TakenBackAct
    | LeadDrawn
    | DominoesDrawn
    | Paused
    | Resumed
    | Called
    | Note
)
