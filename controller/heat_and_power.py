"""Whether the processor is too hot and the supply too weak, told at the part of the table that suffers from it.

The files that say so are known in machine.py, which `gameline doctor` reads too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controller.faults import Trouble
from controller.machine import HOT_C, SUPPLY

COOL_C: Final = 75.0
"""It is over below this: a processor that slows down for its heat swings by some degrees around the limit."""
STEADY_NS: Final = 60_000_000_000
"""It is over when the voltage has not been low for so long: it falls in moments of load, as when the lamps go on."""
HOT: Final = (
    f"the processor is at {HOT_C:.0f} °C or more and slows down, so moves are seen late: give it air or a fan, and "
    "keep it out of the sun"
)
WEAK: Final = (
    "the power supply is too weak, which damages what is written to the card, and cameras and boards on USB drop out: "
    f"take {SUPPLY}"
)


class HeatAndPower:
    """Watches both; asked once a second, it misses nothing that the kernel tells for two.

    Args:
        temperature_c: of the processor; None where nobody knows.
        is_supply_weak: whether the voltage has just been too low; None where nobody knows.
        clock_ns: a monotonic clock.
    """

    def __init__(
        self,
        *,
        temperature_c: Callable[[], float | None],
        is_supply_weak: Callable[[], bool | None],
        clock_ns: Callable[[], int],
    ) -> None:
        self._temperature_c, self._is_supply_weak, self._clock_ns = temperature_c, is_supply_weak, clock_ns
        self._is_hot = False
        self._weak_ns: int | None = None  # when the voltage was seen to be low last

    def troubles(self) -> tuple[Trouble, ...]:
        """What is wrong now, or was a moment ago."""
        now_ns, degrees = self._clock_ns(), self._temperature_c()
        self._is_hot = degrees is not None and degrees >= (COOL_C if self._is_hot else HOT_C)
        if self._is_supply_weak():
            self._weak_ns = now_ns
        elif self._weak_ns is not None and now_ns - self._weak_ns >= STEADY_NS:
            self._weak_ns = None
        hot = (Trouble("processor_hot", HOT),) if self._is_hot else ()
        weak = (Trouble("supply_weak", WEAK),) if self._weak_ns is not None else ()
        return (*hot, *weak)
