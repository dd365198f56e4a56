"""Whether the wall clock has jumped since the start; which time is right only a person knows, and no game asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controller.faults import Trouble

JUMP_S: Final = 5.0
"""Orders live ten seconds; a clock that is set by the network is moved in smaller steps once it has been set."""
UNITS: Final = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))


class WallClock:
    """Watches how far the wall clock is from the monotonic one.

    Args:
        wall_ms: Unix time.
        mono_ns: the machine's own monotonic clock, which no one sets.
        is_set: whether the time has come from the network; the jump with which it comes is the one to wait for.
    """

    def __init__(self, *, wall_ms: Callable[[], int], mono_ns: Callable[[], int], is_set: Callable[[], bool]) -> None:
        self._wall_ms, self._mono_ns, self._is_set = wall_ms, mono_ns, is_set
        self._was_set = is_set()
        self._offset_ms = self._now_ms()

    def troubles(self) -> tuple[Trouble, ...]:
        """That it has jumped, if so."""
        if self._is_set() and not self._was_set:
            self._was_set, self._offset_ms = True, self._now_ms()
        ahead_s = (self._now_ms() - self._offset_ms) / 1000
        if abs(ahead_s) < JUMP_S:
            return ()
        text = (
            f"the wall clock has jumped {_span(abs(ahead_s))} {'ahead' if ahead_s > 0 else 'back'}: times in the "
            "journal are off, and orders are refused while the referee's clock says otherwise; set it, or where it is "
            "right now restart Gameline"
        )
        return (Trouble("clock_jumped", text),)

    def _now_ms(self) -> int:
        return self._wall_ms() - self._mono_ns() // 1_000_000


def _span(seconds: float) -> str:
    """In the largest unit of which there are two or more."""
    unit, size = next(((unit, size) for unit, size in UNITS if seconds >= 2 * size), UNITS[-1])
    return f"{seconds / size:.0f} {unit}"
