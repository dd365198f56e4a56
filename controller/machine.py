"""What this machine says of itself: the program's version, whether its clock is set, how warm it is."""

from __future__ import annotations

import importlib.metadata
import os
from datetime import UTC, datetime
from pathlib import Path

from controller.config import Config
from controller.quiet import is_quiet

VERSION = importlib.metadata.version("gameline")
SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd makes it once the clock has been set from the network."""
THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
STATM = Path("/proc/self/statm")


def is_clock_set() -> bool:
    """Whether the time has come from the network since the start."""
    return SYNCHRONISED.exists()


def temperature_c(thermometer: Path = THERMOMETER) -> float | None:
    """Of the processor; None where this machine does not say."""
    try:
        return int(thermometer.read_text(encoding="ascii")) / 1000
    except (OSError, ValueError):
        return None


def memory_bytes() -> int | None:
    """Of this process, as far as it is in memory; None where this machine does not say."""
    try:
        return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def is_quiet_now(config: Config) -> bool:
    """Not before the clock has been set: a Pi without a battery wakes at any hour, and a game by day must be heard."""
    return is_quiet(config.seats.quiet, datetime.now(UTC).astimezone().time()) and is_clock_set()
