"""The loop of a program that has a seat board, for the tests: sleeps until woken, asks for presses."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import serial

from firmware_bridge.seats import BoardSeats
from firmware_bridge.session import Press

DEADLINE_S = 15.0


class Host:
    """The loop of the program: sleeps until woken or 50 ms are over, then asks for presses."""

    def __init__(self, port: Path, **how: Callable[[str], serial.Serial]) -> None:
        self.news = threading.Event()
        self.found: list[Press] = []
        self.seats = BoardSeats(
            port=str(port),
            clock_ns=time.monotonic_ns,
            wake=self.news.set,
            logger=logging.getLogger("test.board"),
            **how,
        )

    def until(self, condition: Callable[[], bool], what: str = "") -> None:
        """Run the loop until the condition holds."""
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline, f"not reached {what}; faults: {dict(self.seats.faults())}"
            self.news.wait(0.05)
            self.news.clear()
            self.found += self.seats.presses(time.monotonic_ns())

    def run(self, seconds: float) -> None:
        """Run the loop so long."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= end)

    def ready(self) -> bool:
        """Whether the board works."""
        return not self.seats.faults()

    def show(self, *seats: tuple[int, int, int], **more: Any) -> None:
        """Have these signs shown, nothing else unless told."""
        self.seats.show(seats, **{"answer": None, "referee": 0, "sound": (0, 0), **more})
