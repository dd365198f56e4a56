"""`gameline doctor` as a person calls it, at a header whose lines are free, held by somebody else, or not there."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardware.wiring import DEFAULT_WIRING, uses
from tests.controller.live_service import ROOT, config_in
from tests.gpio.bank import Bank, another_program, banks
from tests.gpio.conftest import OTHER_CHIPS

Told = dict[str, list[tuple[bool | None, str, str]]]
"""By part: whether it is well, what was found, and the cure."""
LINES = len(tuple(uses(DEFAULT_WIRING)))
PINS = """[seats.pins]
seat0 = { button = 5, green = 17, yellow = 27, red = 22 }
seat1 = { button = 6, green = 23, yellow = 24, red = 25 }
seat2 = { button = 7, green = 13, yellow = 19, red = 26 }
seat3 = { button = 8, green = 16, yellow = 20, red = 21 }
referee_lamp = 18
acknowledge = 4
buzzer = 12
"""


@pytest.fixture
def header() -> Iterator[Bank]:
    """The header's chip, as the third of three; gone afterwards, for other tests have others."""
    with banks(*OTHER_CHIPS, "pinctrl-bcm2711") as chips:
        yield chips[-1]


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table on the header whose camera and broker are not there: they are not asked for here."""
    return config_in(tmp_path, film=Path("/nowhere"), port=1, pin_factory=getattr(request, "param", "rpigpio"))


@pytest.fixture
def look(config: Path, tmp_path: Path) -> Callable[..., Told]:
    """What the doctor says."""

    def asked(*, path: str = os.environ["PATH"]) -> Told:
        command = [sys.executable, "-m", "controller", "doctor", str(config), "--json"]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "LG_WD": str(tmp_path), "PATH": path}
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environ, check=False)
        assert (ran.returncode, "Traceback" in ran.stderr) == (1, False)
        told: Told = {}
        for one in json.loads(ran.stdout)["checks"]:
            told.setdefault(one["part"], []).append((one["well"], one["found"], one["cure"]))
        return told

    return asked


@pytest.mark.parametrize("config", ["rpigpio", "lgpio"], indirect=True)
def test_free_lines_have_a_tick_and_are_left_as_they_are(look: Callable[..., Told], config: Path, header: Bank) -> None:
    """The header's chip is the third of three, and a lamp that shines by its pull goes on shining."""
    library = "rpigpio" if "rpigpio" in config.read_text() else "lgpio"
    header.release(DEFAULT_WIRING.buzzer)
    told = look()
    assert told["pins"] == [(True, f"gpiochip{header.number}, {LINES} lines free, {library}", "")]
    assert [is_well for is_well, _, _ in told["power"]] == [None]
    assert (header.pull(DEFAULT_WIRING.buzzer), header.level(DEFAULT_WIRING.buzzer)) == ("up", 1)


def test_line_of_another_program_or_of_a_driver_is_told_with_its_holder(look: Callable[..., Told]) -> None:
    """Each with what usually has that pin, where there is such a thing; who is gone is told no more."""
    with banks(*OTHER_CHIPS), closing(Bank("header", "pinctrl-bcm2711", hogs={8: "spi0 CS0"})) as header:
        with another_program(header.number, 17):
            assert look()["pins"] == [
                (False, "seat 0's green lamp, GPIO 17, is held by 'lg'", "switch that off, or take another pin"),
                (
                    False,
                    "seat 3's button, GPIO 8, is held by 'spi0 CS0'",
                    "switch that off: usually SPI (dtparam=spi=on), or take another pin",
                ),
            ]
        assert [found for _, found, _ in look()["pins"]] == ["seat 3's button, GPIO 8, is held by 'spi0 CS0'"]


def test_line_that_the_chip_has_not_is_told_and_the_others_are_looked_at(look: Callable[..., Told]) -> None:
    """A chip of the header's name on a board with fewer lines: GPIO 26 and 27 are missing there."""
    with (
        banks(*OTHER_CHIPS),
        closing(Bank("header", "pinctrl-bcm2711", lines=26)) as header,
        another_program(header.number, 12),
    ):
        cure = "take another pin, which `gameline wiring` then shows on the header"
        assert look()["pins"] == [
            (False, f"seat 0's yellow lamp, GPIO 27: gpiochip{header.number} has no such line", cure),
            (False, f"seat 2's red lamp, GPIO 26: gpiochip{header.number} has no such line", cure),
            (False, "the buzzer, GPIO 12, is held by 'lg'", "switch that off, or take another pin"),
        ]


def test_pin_that_no_header_has_is_told_under_configuration(
    look: Callable[..., Told], config: Path, header: Bank
) -> None:
    """Before any chip is asked."""
    config.write_text(config.read_text().replace("[broker]", PINS.replace("buzzer = 12", "buzzer = 40") + "[broker]"))
    told = look()
    ((is_well, _, cure),) = told["configuration"]
    assert (is_well, "The pin of the buzzer must be a BCM number from 0 to 27, got 40." in cure) == (False, True)
    assert "pins" not in told


def test_header_that_is_not_there_is_told_with_the_chips_that_are(look: Callable[..., Told]) -> None:
    """A board that is no Raspberry Pi has chips too."""
    with banks(*OTHER_CHIPS) as (first, _):
        ((is_well, found, cure),) = look()["pins"]
    assert (is_well, f"got gpiochip{first.number} {OTHER_CHIPS[0]}" in found) == (False, True)
    assert cure == "run on a Raspberry Pi, or name a board"


def test_power_is_what_the_firmware_says(look: Callable[..., Told], header: Bank, tmp_path: Path) -> None:
    """Through a vcgencmd of ours: beside simulated lines there is no firmware."""
    (tmp_path / "vcgencmd").write_text("#!/bin/sh\necho throttled=0x50005\n")
    (tmp_path / "vcgencmd").chmod(0o755)
    ((is_well, found, _),) = look(path=f"{tmp_path}:{os.environ['PATH']}")["power"]
    assert (is_well, found) == (False, "low voltage now (0x50005)")
