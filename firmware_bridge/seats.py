"""The four seats and the referee's place on a seat board at the end of a serial line: presses out, signs in."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from firmware_bridge.link import Link, Lost, Opened, Port, Received, open_serial
from firmware_bridge.session import SHOW_GAP_NS, Press, Session, Signs, State
from firmware_bridge.wire import BUTTONS, SEATS

BOARD = "seat board"
_CODES = {State.GREETING: "board_silent", State.REFUSED: "board_refused"}
"""Of a board that does not work although its line is open."""
_PLACES = ("seat 0", "seat 1", "seat 2", "seat 3", "referee")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at one place, in words for a person."""

    part: str
    """`button`; `board` where the board itself is away."""
    code: str
    """A name for this kind of fault that stays the same; docs/health.md has them all."""
    wrong: str
    to_do: str = ""
    is_held: bool = False
    """Whether it is only a button that somebody may be leaning on."""


@dataclass(frozen=True, slots=True)
class BoardReport:
    """Which board hangs on the line, and how the talk with it goes."""

    build: str
    """The firmware's name and version; empty where no board has answered."""
    protocol: int
    boot: int
    """Another number after each start of the board."""
    round_trip_ns: int | None
    """The median; None before the first answer."""
    damaged: int
    """Frames dropped since the start, mostly for a wrong CRC."""
    unanswered: int
    """Messages to the board that were not acknowledged within a second."""
    lamps: tuple[int, ...] = ()
    """Of each seat the kind of lamp that hangs there, by the numbers of docs/protocol.md; empty where nobody knows."""


class BoardSeats:
    """Buttons, lamps and buzzer of the whole table on a microcontroller, which removes the bounces itself.

    Wiring: the board on a USB port of the Pi; the parts as in docs/hardware.md, the line as in docs/protocol.md.

    Example:
        with BoardSeats(port="/dev/serial/by-id/usb-...", clock_ns=time.monotonic_ns, wake=news.set,
                        logger=logging.getLogger("seats")) as seats:
            seats.show([(TURN, began_ns, 15_000), OFF, OFF, OFF], answer=None, referee=0, sound=(0, 0))

    A board that is away, silent, too old or restarted is a fault until it is back; then it shows the present signs at
    once. All methods are called from one thread, `presses` every 50 ms or sooner; none of them waits for the board.

    Args:
        port: A path that stays the same, `/dev/serial/by-id/...`.
        clock_ns: The monotonic clock; also called from the thread of the line.
        wake: Called from the thread of the line when there is news; must not block or raise.
        logger: Told when the board comes, goes, or is refused.
        open_serial: How to open the port.
    """

    def __init__(
        self,
        *,
        port: str,
        clock_ns: Callable[[], int],
        wake: Callable[[], None],
        logger: logging.Logger,
        open_serial: Callable[[str], Port] = open_serial,
    ) -> None:
        self._clock_ns = clock_ns
        self._logger = logger
        self._session = Session()
        self._presses: list[Press] = []
        self._lost: str | None = "the line to the seat board is being opened"
        self._reported = ""  # the reason told to the logger since the board was last ready
        self._link: Link | None = Link(port=port, clock_ns=clock_ns, wake=wake, open_serial=open_serial)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def presses(self, now_ns: int) -> tuple[Press, ...]:
        """Presses and holds that have arrived since the last call, in the order they happened.

        Raises:
            LinkDied: The thread of the line has ended; the program must start anew.
        """
        for news in self._link.take() if self._link else ():
            match news:
                case Opened(at_ns):
                    self._lost = None
                    self._session.opened(at_ns)
                case Received(data, at_ns):
                    self._session.received(data, at_ns)
                case Lost(reason):
                    if reason != self._reported:
                        self._logger.error("%s: %s", BOARD, reason, extra={"fault": "board_away"})
                    self._lost = self._reported = reason
                    self._session.closed()
        self._advance(now_ns)
        found = sorted(self._presses, key=lambda press: press.at_ns)
        self._presses.clear()
        return tuple(found)

    def show(
        self,
        seats: Sequence[tuple[int, int, int]],
        *,
        answer: tuple[int, int, int] | None,
        referee: int,
        sound: tuple[int, int],
    ) -> None:
        """Have the board show these signs; sends only what changed, the board goes on by itself.

        Args:
            seats: Of seats 0 to 3 the sign of docs/lamps.md, since when (ns), and the time given (ms).
            answer: A flash over a seat's sign: the seat, the sign, the moment it begins (ns).
            referee: The sign of his lamp.
            sound: The buzzer's phrase and the moment it begins (ns).
        """
        if len(seats) != SEATS:
            raise ValueError(f"Expected the signs of {SEATS} seats, got {len(seats)}.")
        self._session.show(Signs(tuple(seats), answer, referee, sound))
        self._advance(self._clock_ns())

    def faults(self) -> Mapping[str, tuple[Fault, ...]]:
        """What is wrong, by place: `seat board`, or with a working board `seat 0` to `seat 3` and `referee`."""
        if self.trouble is not None:
            code = "board_away" if self._lost else _CODES[self._session.state]
            return {BOARD: (Fault("board", code, self.trouble),)}
        told: dict[str, tuple[Fault, ...]] = {}
        for button, place in zip(range(BUTTONS), _PLACES, strict=True):
            if self._session.chattering >> button & 1:
                wrong = f"button chatters ({self._session.noise[button]} pulses too short for a finger so far)"
                told[place] = (Fault("button", "button_chatters", wrong, "check its plug and its wire"),)
            elif self._session.stuck >> button & 1:
                wrong, to_do = "button held down", "release it, or check its wire"
                told[place] = (Fault("button", "button_held", wrong, to_do, is_held=True),)
        return told

    @property
    def trouble(self) -> str | None:
        """Why no seat works and what to do, or None."""
        return self._lost or self._session.trouble

    def noise(self) -> Mapping[str, int]:
        """How many pulses too short for a finger each button gave since the board was met, by place."""
        return dict(zip(_PLACES, self._session.noise, strict=True))

    def line_errors(self) -> Mapping[str, int]:
        """Since the start: frames dropped, mostly for a wrong CRC, and messages sent again for want of an answer."""
        return {"damaged": self._session.damaged, "unanswered": self._session.unanswered}

    def report(self) -> BoardReport:
        """The board as it answered last, and how the line was since the start."""
        board, session = self._session.board, self._session
        build, protocol, boot = (board.build, board.protocol, board.boot) if board else ("", 0, 0)
        lamps = tuple(kind for kind, _ in board.lamps) if board else ()
        return BoardReport(build, protocol, boot, session.round_trip_ns, session.damaged, session.unanswered, lamps)

    def close(self) -> None:
        """Switch everything off and give the port back; a second time does nothing."""
        if self._link is None:
            return
        self._session.show(Signs())
        self._advance(self._clock_ns() + SHOW_GAP_NS)  # now, even where the last Show was sent this moment
        self._link.close()
        self._link = None
        self._session.closed()

    def _advance(self, now_ns: int) -> None:
        """Do what the session says."""
        actions = self._session.advance(now_ns)
        is_ready = self._session.state is State.READY
        for sentence in actions.news:
            self._logger.log(logging.INFO if is_ready else logging.WARNING, "%s: %s", BOARD, sentence)
        if is_ready:
            self._reported = ""
        if actions.write and self._link:
            self._link.write(actions.write)
        self._presses += actions.presses
