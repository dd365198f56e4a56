"""Fingers on the seats' buttons: when each goes down and comes up; who drives the pins is handed in."""

from __future__ import annotations

import random
from collections.abc import Callable

from controller.game.tiles import Seat

SHORT_NS = 120_000_000  # a finger's ordinary press
GAP_NS = 230_000_000  # between the two presses of an impatient finger
BOUNCE_CHANCE = 0.5  # contacts bounce about every second time


class Fingers:
    """Presses the pass buttons in table time.

    Args:
        drive: Takes a seat's button down (True) or lets it go (False), at once.
        rng: Decides which presses bounce.
    """

    def __init__(self, drive: Callable[[int, bool], None], rng: random.Random) -> None:
        self._drive = drive
        self._rng = rng
        self._due: list[tuple[int, Seat, bool]] = []

    @property
    def is_busy(self) -> bool:
        """Whether a finger is still on its way."""
        return bool(self._due)

    def press(self, seat: Seat, now_ns: int, *, times: int = 1) -> None:
        """Press the button of `seat`, from the next frame on; more than once for an impatient finger."""
        for n in range(times):
            down_ns = now_ns + n * (SHORT_NS + GAP_NS)
            self._due += [(down_ns, seat, True), (down_ns + SHORT_NS, seat, False)]

    def step(self, now_ns: int) -> None:
        """Do what is due; at most one edge a frame, so that no press falls between two frames."""
        if not self._due or self._due[0][0] > now_ns:
            return
        _, seat, is_down = self._due.pop(0)
        self._drive(seat, is_down)
        if is_down and self._rng.random() < BOUNCE_CHANCE:
            self._drive(seat, False)
            self._drive(seat, True)
