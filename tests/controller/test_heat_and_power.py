"""Heat and low voltage, from the files of a Raspberry Pi's kernel to what health says, without flapping."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from controller.health import CODES
from controller.heat_and_power import HeatAndPower
from controller.machine import is_supply_weak, temperature_c
from tests.controller.pi_sensors import sensors_in


class Pi:
    """Its files, and a clock that is asked once a second."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.now_s = folder, 100.0
        self.watched = HeatAndPower(
            temperature_c=partial(temperature_c, folder / "temp"),
            is_supply_weak=partial(is_supply_weak, folder / "hwmon"),
            clock_ns=lambda: round(self.now_s * 1e9),
        )

    def told(self, *, degrees: float = 55.0, is_weak: bool = False, seconds: int = 1) -> list[str]:
        """The codes, after so many seconds in which the files say so."""
        (self._folder / "temp").write_text(f"{degrees * 1000:.0f}\n")
        sensors_in(self._folder, is_weak=is_weak)
        for _ in range(seconds):
            self.now_s += 1.0
            troubles = self.watched.troubles()
        return [trouble.code for trouble in troubles]


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


def test_hot_processor_is_told_from_80_degrees_on_until_it_is_below_75(pi: Pi) -> None:
    """It swings around the limit at which it slows down: told once, and over once."""
    degrees = [79.9, 80.0, 84.7, 79.0, 80.5, 75.0, 74.9, 79.9]
    assert [pi.told(degrees=each) == ["processor_hot"] for each in degrees] == [
        *(False, True, True, True, True, True, False, False)
    ]


def test_weak_supply_is_told_until_the_voltage_has_been_right_for_a_minute(pi: Pi) -> None:
    """It falls in moments of load; each begins the minute anew."""
    assert pi.told() == []
    assert pi.told(is_weak=True) == ["supply_weak"]
    assert pi.told(seconds=59) == ["supply_weak"]
    assert pi.told(is_weak=True) == ["supply_weak"]
    assert pi.told(seconds=59) == ["supply_weak"]
    assert pi.told() == []


def test_both_are_told_at_the_part_that_suffers_and_stop_no_game(pi: Pi) -> None:
    """Pictures are read late, and the card is damaged."""
    found = [CODES[code] for code in pi.told(degrees=82.0, is_weak=True)]
    assert [(fault.part, fault.status) for fault in found] == [("camera", "degraded"), ("disk", "degraded")]


def test_machine_that_does_not_say_is_well(tmp_path: Path) -> None:
    """No Raspberry Pi, a driver that is not loaded, or one that cannot reach the firmware."""
    assert Pi(tmp_path).watched.troubles() == ()
    (tmp_path / "temp").write_text("hot\n")
    alarm = sensors_in(tmp_path, is_weak=True) / "hwmon3" / "in0_lcrit_alarm"
    alarm.unlink()
    assert Pi(tmp_path).watched.troubles() == ()
    assert is_supply_weak(tmp_path / "hwmon") is None
