"""Everything that may be asked of the core: what camera, buttons, referee and clock say; nothing is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.ledger import Ledger
from controller.game.rulesets import Params
from controller.game.seen import Arm, Sighting, Stills
from controller.game.tiles import End, MonoNs, Pair, Seat, Tile

Names = tuple[str, str, str, str]
"""The players by seat."""
Halves = tuple[int, int]
"""A domino as somebody reads it out: it may be none of the 28, which is for `decide` to say."""


class Decision(Enum):
    """What the referee may say to a finding."""

    CONTINUE = "continue"
    """Wrong domino found at once: it goes back, the same seat moves (C7.1)."""
    RESTART = "restart"
    """The set is played again with the same lead (C7.1, C7.3)."""
    LOST = "lost"
    """Wrong domino found later: the pair loses the set (C7.2)."""
    CONFIRM = "confirm"
    """It is so: a wrong pass loses the set (C6.1); what was shown or took too long is warned for (C8.1)."""
    DISMISS = "dismiss"
    """Nothing happened: a misreading, or a move that stands."""


@dataclass(frozen=True, slots=True)
class DrawSeats:
    """The players have drawn dominoes, or their pairs lots: who sits where follows (C3, R0)."""

    at: MonoNs
    pairs: tuple[tuple[str, str], tuple[str, str]]
    params: Params
    drawn: tuple[Halves, Halves, Halves, Halves] | None = None
    """In the order of the players in `pairs`."""
    lots: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StartGame:
    """The referee opens a game: names by seat, the first lead, the rules."""

    at: MonoNs
    names: Names | None
    """None: as the seats were drawn."""
    lead: Seat
    params: Params
    abandon: bool = False
    """A game in progress is given up for this one."""
    competition: str = ""
    """Warnings count on from its earlier games; empty: this game stands alone."""
    game: str = ""
    """The game's name, never used twice in a competition."""


@dataclass(frozen=True, slots=True)
class DrawLead:
    """Each seat has drawn a domino for the lead of an extra set (C5.7)."""

    at: MonoNs
    drawn: tuple[Halves, Halves, Halves, Halves]


@dataclass(frozen=True, slots=True)
class StartSet:
    """The dominoes are dealt: the lead's clock starts. `lead` only where it was drawn anew (extra sets)."""

    at: MonoNs
    lead: Seat | None = None


@dataclass(frozen=True, slots=True)
class See:
    """The table has come to rest and looks like this."""

    at: MonoNs
    sighting: Sighting
    rest_at: MonoNs | None = None
    """When it came to rest, where that was before `at`: a domino was laid then, everything else happens now."""
    arm: Arm | None = None
    """Whose arm was over the table last, where one was made out."""
    stills: Stills | None = None
    """The pictures of it and of the table before it; None: they are not known."""
    before: Sighting | None = None
    """The table when it was last found to agree with what is known."""
    passed: tuple[Seat, ...] = ()
    """Who has passed while it was not at rest: counts only where a move after the pass is seen as well."""


@dataclass(frozen=True, slots=True)
class LayDomino:
    """A domino is laid; without a seat it belongs to the seat on turn."""

    at: MonoNs
    inner: int
    outer: int
    end: End
    seat: int | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class AdoptLine:
    """The referee has the line taken over as it lies: the set was begun, or went on, where the camera saw nothing."""

    at: MonoNs
    first: Halves | None = None
    """The domino that was led; None: nobody says."""
    by: str = ""
    sighting: Sighting | None = None
    """The table as it lies; None: nothing has been seen of it."""
    before: Sighting | None = None
    """The table when it was last found to agree."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A seat announces that it has no fitting domino (C3.5)."""

    at: MonoNs
    seat: int
    by_voice: bool = False
    """The referee enters what the player said without pressing."""


@dataclass(frozen=True, slots=True)
class CallReferee:
    """A seat asks for the referee."""

    at: MonoNs
    seat: int


@dataclass(frozen=True, slots=True)
class ClaimTime:
    """A seat draws the referee's attention to a rival's long thinking (C5.6, R9)."""

    at: MonoNs
    seat: int


@dataclass(frozen=True, slots=True)
class ClaimRedeal:
    """A seat claims that its hand must be dealt again (C2.2); without `hand` it has yet to be shown."""

    at: MonoNs
    seat: int
    hand: tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True)
class Expose:
    """The referee notes a domino that was seen in a hand: it is known to have been there since the deal."""

    at: MonoNs
    seat: int
    tile: Tile
    by: str = ""
    in_last_set: bool = False
    """It belongs to the set that was registered last (claim_deadline)."""


@dataclass(frozen=True, slots=True)
class Show:
    """The referee enters dominoes of a hand laid open that the camera can't read."""

    at: MonoNs
    seat: int
    tiles: tuple[Tile, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """The referee has noticed: the buzzer falls silent."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Rule:
    """The referee decides on a finding."""

    at: MonoNs
    finding: int
    decision: Decision
    by: str = ""
    """The referee's name, for the register."""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class Warn:
    """The referee warns a pair for one of the reasons of the text (C8.1, R10)."""

    at: MonoNs
    seat: int | None
    """Whose it was; None: nobody says which of the pair."""
    reason: str
    by: str = ""
    pair: Pair | None = None
    """Where no seat is named."""


@dataclass(frozen=True, slots=True)
class OrderReveal:
    """The referee has all hands laid open in the middle of a set: somebody's pass was wrong (section 4)."""

    at: MonoNs
    by: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """The referee enters the four hands that were shown, by seat."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class ConfirmCount:
    """The referee confirms the hands that the camera has read."""

    at: MonoNs
    by: str = ""


@dataclass(frozen=True, slots=True)
class RestartSet:
    """The set is played again with the same lead: something can't be cleared up (C7.3), dominoes were shown (R10.5)."""

    at: MonoNs
    reason: str = ""
    by: str = ""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """The chief referee has a set, or the whole game, played again: it is as if it had not been played (R10.5)."""

    at: MonoNs
    set_no: int | None = None
    """The set registered last, by its number; None: the set in progress."""
    game: str | None = None
    """The whole game is played again, under this name; None: one set is."""
    reason: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class ConfirmRegister:
    """The register of the game that is over is signed."""

    at: MonoNs
    pair: Pair | None = None
    """None: the referee signs."""
    by: str = ""
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """The referee says whose move that was: the seats skipped have passed by voice (C7, whose move)."""

    at: MonoNs
    ply: int
    seat: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Correct:
    """The referee says what domino that was, or how it lies."""

    at: MonoNs
    ply: int
    inner: int
    outer: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class MergeLedger:
    """Warnings of the competition's other tables and games are added to those known here."""

    at: MonoNs
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Pause:
    """The referee stops the clock."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Resume:
    """The referee lets the game go on, after a pause or a restart of the program."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Undo:
    """The referee takes the last act back: a move, a pass or a decision of his own."""

    at: MonoNs
    is_chief: bool = False


@dataclass(frozen=True, slots=True)
class Redo:
    """The referee has what was taken back last stand again."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Mute:
    """The referee wants no sound from the buzzer; his lamp goes on telling."""

    at: MonoNs
    seconds: float | None = None
    """For how long; None: until he says otherwise."""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Unmute:
    """The buzzer may sound again."""

    at: MonoNs
    by: str = ""


@dataclass(frozen=True, slots=True)
class LoseCamera:
    """No usable picture comes any more, for this reason."""

    at: MonoNs
    reason: str


@dataclass(frozen=True, slots=True)
class RegainCamera:
    """Pictures come again."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class RegainStorage:
    """The journal takes entries again, which it had not done since some moment."""

    at: MonoNs
    since: MonoNs


@dataclass(frozen=True, slots=True)
class Restart:
    """The program has started with the journal of an earlier run."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""

    at: MonoNs


Command = (
    DrawSeats
    | StartGame
    | DrawLead
    | StartSet
    | See
    | LayDomino
    | AdoptLine
    | Pass
    | CallReferee
    | ClaimTime
    | ClaimRedeal
    | Expose
    | Show
    | Acknowledge
    | Rule
    | Warn
    | OrderReveal
    | Count
    | ConfirmCount
    | RestartSet
    | Replay
    | ConfirmRegister
    | Attribute
    | Correct
    | MergeLedger
    | Pause
    | Resume
    | Undo
    | Redo
    | Mute
    | Unmute
    | LoseCamera
    | RegainCamera
    | RegainStorage
    | Restart
    | Tick
)
