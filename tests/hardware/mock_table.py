"""The real seats on mock pins, with a clock the test moves and fingers the test has."""

import logging
from typing import Self

from gpiozero.pins.mock import MockFactory

from hardware.pins import open_factory
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING

MS = 1_000_000


class MockTable:
    """The real PinSeats on mock pins; *press* and *release* move the pin as a finger would."""

    def __init__(self) -> None:
        self.factory: MockFactory = open_factory("mock")
        self.now_ns = 1_000_000 * MS
        self.woken = 0
        self.seats: PinSeats | None = None

    def open(self, *, lamp: str = "leds") -> PinSeats:
        """Start the seats on the default wiring."""
        self.seats = PinSeats(
            wiring=DEFAULT_WIRING,
            pin_factory=self.factory,
            clock_ns=lambda: self.now_ns,
            wake=self._wake,
            logger=logging.getLogger("test.seats"),
            lamp=lamp,
        )
        return self.seats

    def after(self, ms: int) -> Self:
        """Let time pass."""
        self.now_ns += ms * MS
        return self

    def press(self, pin: int) -> None:
        """Put a finger on the button of this pin."""
        self.factory.pin(pin).drive_low()

    def release(self, pin: int) -> None:
        """Take it off again."""
        self.factory.pin(pin).drive_high()

    def levels(self, pin: int) -> list[float]:
        """Every level the pin has had since it was made."""
        return [state.state for state in self.factory.pin(pin).states]

    def _wake(self) -> None:
        self.woken += 1
