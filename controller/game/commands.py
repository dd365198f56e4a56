"""Everything that may be asked of the core: what camera, buttons, referee and clock say; nothing is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.game.rulesets import Params
from controller.game.sight import Sighting
from controller.game.tiles import End, MonoNs, Seat, Suit, Tile


class Decision(Enum):
    """What the referee may say to a finding."""

    CONTINUE = "continue"
    """Wrong domino found at once: it goes back, the same seat moves (C7.1)."""
    RESTART = "restart"
    """The set is played again with the same lead (C7.1, C7.3)."""
    LOST = "lost"
    """Wrong domino found later: the pair loses the set (C7.2)."""
    CONFIRM = "confirm"
    """Wrong pass: the pair loses the set (C6.1)."""
    DISMISS = "dismiss"
    """Nothing happened: a misreading, or a move that stands."""


@dataclass(frozen=True, slots=True)
class StartGame:
    """The referee opens a game: names by seat, the first lead, the rules."""

    at: MonoNs
    names: tuple[str, str, str, str]
    lead: Seat
    params: Params
    abandon: bool = False
    """A game in progress is given up for this one."""


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


@dataclass(frozen=True, slots=True)
class LayDomino:
    """A domino is laid; without a seat it belongs to the seat on turn."""

    at: MonoNs
    inner: Suit
    outer: Suit
    end: End
    seat: Seat | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Pass:
    """A seat announces that it has no fitting domino (C3.5)."""

    at: MonoNs
    seat: Seat


@dataclass(frozen=True, slots=True)
class CallReferee:
    """A seat asks for the referee."""

    at: MonoNs
    seat: Seat


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


@dataclass(frozen=True, slots=True)
class Count:
    """The referee enters the four hands that were shown, by seat."""

    at: MonoNs
    hands: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class ConfirmCount:
    """The referee confirms the hands that the camera has read."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class RestartSet:
    """The referee has the set played again with the same lead: something can't be cleared up (C7.3)."""

    at: MonoNs


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
    StartGame
    | StartSet
    | See
    | LayDomino
    | Pass
    | CallReferee
    | Acknowledge
    | Rule
    | Count
    | ConfirmCount
    | RestartSet
    | Pause
    | Resume
    | Undo
    | LoseCamera
    | RegainCamera
    | RegainStorage
    | Restart
    | Tick
)
