"""What this machine says of itself: the program's version, whether its clock is set, its heat, supply and memory."""

from __future__ import annotations

import importlib.metadata
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.config import Config
from controller.quiet import is_quiet

VERSION = importlib.metadata.version("gameline")
SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd makes it once the clock has been set from the network."""
THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
HOT_C: Final = 80.0
"""A Raspberry Pi slows down from here on, and more so from 85 (raspberrypi.com, Frequency management)."""
SENSORS = Path("/sys/class/hwmon")
"""Numbered as they are found; the kernel's driver raspberrypi-hwmon calls the one for the supply `rpi_volt`."""
SUPPLY: Final = "a supply of 5.1 V and 3 A (Pi 5: 5 A) on a short thick cable, and nothing hungry on USB"
"""What a Raspberry Pi needs."""
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


def is_supply_weak(sensors: Path = SENSORS) -> bool | None:
    """Whether the voltage has been too low within the last two seconds; None where this machine does not say.

    The driver asks the firmware every two seconds for what has been since it asked before. The firmware's file
    `get_throttled` has the same word (0x50005 while it lasts, 0x0 after: raspberrypi/linux pull request 2397), and
    reading it is deprecated: the kernel warns of it, with a trace, in its log.
    """
    for sensor in sensors.glob("hwmon*"):
        try:
            if (sensor / "name").read_text(encoding="ascii").strip() == "rpi_volt":
                return (sensor / "in0_lcrit_alarm").read_text(encoding="ascii").strip() == "1"
        except (OSError, ValueError):
            continue
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
