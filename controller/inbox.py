"""What comes into the loop and whom it speaks to: inbox items, seats, outlet; nothing is done here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from controller.faults import Faults, Trouble
from controller.game.seen import Arm, Sighting
from controller.game.tiles import MonoNs
from controller.journal import Entry, Journal
from controller.mqtt import CommandMessage
from controller.selftest_checks import Look

Missing = Literal["frames", "sight"]
"""What a camera may lack: frames, or anything to be seen in them; each comes back by itself."""


class PressLike(Protocol):
    """A button press, whoever debounced it."""

    @property
    def button(self) -> int:
        """0..3 the seat, 4 the acknowledge button."""

    @property
    def held_ms(self) -> int:
        """0 short, 1500 or 3000 held."""

    @property
    def at_ns(self) -> int:
        """When."""


class Seats(Protocol):
    """Buttons, lamps and buzzer: on the Pi's pins or on a seat board."""

    def presses(self, now_ns: int) -> Sequence[PressLike]:
        """Presses since the last call."""

    def show(
        self,
        seats: Sequence[tuple[int, int, int]],
        *,
        answer: tuple[int, int, int] | None,
        referee: int,
        sound: tuple[int, int],
    ) -> None:
        """Show these signs from now on, as `controller.game.panel` names them; called on every round."""

    def faults(self) -> Faults:
        """What is wrong at which place."""

    def noise(self) -> Mapping[str, int]:
        """Pulses of the buttons too short for a finger, since the start, by place; none where nobody counts them."""

    def line_errors(self) -> Mapping[str, int]:
        """What was lost on the line to a seat board since the start, by kind; none where there is no line."""


class Outlet(Protocol):
    """Where decisions are published; never blocks, never raises for a broker that is away."""

    def show_meta(self, payload: bytes) -> None:
        """Newest retained description of the table."""

    def show_state(self, payload: bytes) -> None:
        """Newest retained scoreboard."""

    def show_health(self, payload: bytes) -> None:
        """Newest retained health."""

    def show_selftest(self, payload: bytes) -> None:
        """Newest retained progress or result of the self-test."""

    def heartbeat(self, payload: bytes) -> None:
        """A sign of life."""

    def pump(self, journal: Journal) -> None:
        """Events that have not been sent."""

    def reply(self, message: CommandMessage, payload: bytes, *, client: str | None = None) -> bool:
        """An answer to who sent `message`; whether it left."""

    @property
    def trouble(self) -> Trouble | None:
        """Why something is not being published, if so."""

    @property
    def acknowledged(self) -> int:
        """The sequence up to which every event has arrived."""

    @property
    def alive(self) -> bool:
        """Whether its thread runs; when it does not, only a new process helps."""


class Witness(Protocol):
    """Who keeps what happened, beside the journal; never blocks, never raises."""

    def pressed(self, press: PressLike) -> None:
        """A button was pressed."""

    def ordered(self, message: CommandMessage) -> None:
        """An order came."""

    def happened(self, entries: Sequence[Entry], alerts: Sequence[Entry]) -> None:
        """This was committed to the journal; `alerts` are those among it that the referee is buzzed for."""

    def troubles(self) -> Sequence[Trouble]:
        """Why something is not kept, if so."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The table has come to rest."""

    rest_at: MonoNs
    sighting: Sighting
    arm: Arm | None = None
    """Whose was over the table last, where one was made out."""


@dataclass(frozen=True, slots=True)
class FrameTaken:
    """A frame came from the camera."""

    at: MonoNs


@dataclass(frozen=True, slots=True)
class PictureRead:
    """A picture has been read."""

    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Blind:
    """The camera gives nothing usable, for this reason."""

    missing: Missing
    reason: str


@dataclass(frozen=True, slots=True)
class Sighted:
    """What was missing is there again; the other may still be missing."""

    missing: Missing


@dataclass(frozen=True, slots=True)
class Ailing:
    """The camera sees, but something is wrong with what it sees."""

    code: str
    text: str | None
    """What, and what to do; None: it no longer is."""


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand is over the table, or has left it."""

    at: MonoNs
    is_in: bool


@dataclass(frozen=True, slots=True)
class OrderCame:
    """A message on cmd/<name>."""

    message: CommandMessage


@dataclass(frozen=True, slots=True)
class LookTaken:
    """The table was looked at as the self-test asked."""

    look: Look


@dataclass(frozen=True, slots=True)
class Wake:
    """Something waits at the seats."""


@dataclass(frozen=True, slots=True)
class ThreadDied:
    """A thread that must not end has ended."""

    name: str
    reason: str


Item = Seen | FrameTaken | PictureRead | LookTaken | Blind | Sighted | Ailing | HandOver | OrderCame | Wake | ThreadDied
