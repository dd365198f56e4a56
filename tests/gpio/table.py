"""The real seats on the simulated header, through the pin library that this process is for."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gpiozero import Factory

from hardware.pins import open_factory
from hardware.seats import PinSeats, Press
from hardware.wiring import DEFAULT_WIRING, outputs

LIBRARY = os.environ.get("PIN_LIBRARY", "rpigpio")
BUTTONS = (*(seat.button for seat in DEFAULT_WIRING.seats), DEFAULT_WIRING.acknowledge)
BUZZER = DEFAULT_WIRING.buzzer
LAMPS = tuple(line for line in outputs(DEFAULT_WIRING) if line != BUZZER)


class _Library:
    factory: Factory | None = None


def the_factory() -> Factory:
    """The one factory of this process: gpiozero and both libraries keep theirs for its whole life."""
    if _Library.factory is None:
        _Library.factory = open_factory(LIBRARY)
    return _Library.factory


@contextmanager
def open_seats() -> Iterator[PinSeats]:
    """The seats on the usual wiring; closed afterwards."""
    with PinSeats(
        wiring=DEFAULT_WIRING,
        pin_factory=the_factory(),
        clock_ns=time.monotonic_ns,
        wake=lambda: None,
        logger=logging.getLogger("test.seats"),
    ) as seats:
        yield seats


def show_all(seats: PinSeats, lamps: float, *, buzzer: float) -> None:
    """Every lamp of the table at one level, which no sign does: the pins as the seats have opened them."""
    for spot, pin in seats._outputs:
        if pin is not None:
            pin.show(buzzer if spot.number == BUZZER else lamps)


def presses_of(seats: PinSeats, seconds: float) -> list[Press]:
    """What the seats tell in this time, asked every 10 ms as the loop does."""
    told: list[Press] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told += seats.presses(time.monotonic_ns())
        time.sleep(0.01)
    return told
