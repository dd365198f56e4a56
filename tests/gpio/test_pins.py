"""Our two kinds of pin on genuine lines, through this process's library: edges, pulls, levels, and who has a pin."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero import Factory

from hardware.pins import InputPin, OutputPin, PinTaken
from tests.gpio.bank import Bank, another_program, wait_until
from tests.gpio.table import LIBRARY, the_factory

ROOT = Path(__file__).parents[2]
PIN = 10
"""No pin of the table, and neither are 9 and 11 below: what is pulled here must not light a lamp there."""


@pytest.fixture
def factory(header: Bank) -> Factory:
    """The pin factory, opened with the header's chip there."""
    return the_factory()


@pytest.fixture(autouse=True)
def led(header: Bank) -> None:
    """What hangs on a lamp's pin draws it down when nobody drives it."""
    header.press(PIN)


@pytest.fixture
def lamp(factory: Factory) -> Iterator[OutputPin]:
    lamp = OutputPin(factory, PIN, dimmable=True)
    yield lamp
    lamp.close()


def test_factory_is_the_one_that_was_named_and_its_library_is_genuine(factory: Factory) -> None:
    """No other library has been taken silently, and RPi.GPIO is a real one."""
    assert type(factory).__module__ == f"gpiozero.pins.{LIBRARY}"
    assert "RPi.GPIO" in sys.modules if LIBRARY == "rpigpio" else "RPi.GPIO" not in sys.modules
    assert Path.cwd() == ROOT
    assert not list(ROOT.glob(".lgd*"))
    assert "LG_WD" not in os.environ


def test_button_pulls_up_and_tells_both_edges(factory: Factory, header: Bank) -> None:
    """The pin's own pull-up is switched on, and each edge comes once with its level."""
    edges: list[bool] = []
    button = InputPin(factory, PIN, edges.append)
    try:
        assert header.pull(PIN) == "up"
        assert not button.is_pressed()
        for pressed in (True, False, True):
            (header.press if pressed else header.release)(PIN)
            wait_until(lambda: len(edges) > 0 and edges[-1] is pressed, f"an edge to {pressed}")  # noqa: B023
            assert button.is_pressed() is pressed
        assert edges == [True, False, True]
    finally:
        button.close()
    header.release(PIN)
    time.sleep(0.05)
    assert edges == [True, False, True]


def test_lamp_is_low_while_it_opens_and_after_it_closes(factory: Factory, header: Bank) -> None:
    """A line that was pulled up before goes low with the first call, and no pulse follows the last."""
    header.release(PIN)
    assert header.level(PIN) == 1
    lamp = OutputPin(factory, PIN, dimmable=True)
    assert header.level(PIN) == 0
    header.press(PIN)
    lamp.show(1.0)
    assert header.level(PIN) == 1
    lamp.close()
    share, rises = header.share_of_time_high(PIN, 0.1)
    assert (share, rises) == (0.0, 0)


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.9])
def test_level_between_is_a_share_of_the_time(lamp: OutputPin, header: Bank, level: float) -> None:
    """Half lit is half of the time, in pulses too fast for the eye."""
    lamp.show(level)
    share, rises = header.share_of_time_high(PIN, 1.0)
    assert share == pytest.approx(level, abs=0.02)
    assert 98 <= rises <= 102


def test_lamp_that_was_dimmed_can_be_full_and_dark(lamp: OutputPin, header: Bank) -> None:
    """Full is without gaps and dark without pulses, also after levels between."""
    lamp.show(0.5)
    lamp.show(1.0)
    time.sleep(0.03)
    assert header.share_of_time_high(PIN, 0.2) == (1.0, 0)
    lamp.show(0.0)
    time.sleep(0.03)
    assert header.share_of_time_high(PIN, 0.2) == (0.0, 0)


def test_closed_lamp_that_was_dimmed_sends_no_late_pulse(factory: Factory, header: Bank) -> None:
    """Nothing flashes after the end, wherever in its pulse that is."""
    for at_ms in range(20, 30):
        lamp = OutputPin(factory, PIN, dimmable=True)
        lamp.show(0.5)
        time.sleep(at_ms / 1000)
        lamp.close()
        assert header.share_of_time_high(PIN, 0.1) == (0.0, 0)


@pytest.mark.parametrize(("kind", "line"), [("button", 9), ("lamp", 11)])
def test_pin_of_another_program_is_refused_with_its_holder(
    factory: Factory, header: Bank, kind: str, line: int
) -> None:
    """Who has the pin is told as the kernel names him, and the pin can be had once he is gone."""

    def take() -> InputPin | OutputPin:
        if kind == "button":
            return InputPin(factory, line, lambda pressed: None)
        return OutputPin(factory, line, dimmable=False)

    with another_program(header.number, line), pytest.raises(PinTaken, match="'lg' holds it"):
        take()
    take().close()


@pytest.mark.skipif(LIBRARY != "rpigpio", reason="the other library has no such interface")
def test_interface_of_rpi_gpio_sees_the_same_lines(factory: Factory, header: Bank) -> None:
    """RPi.GPIO itself, without gpiozero between: what a small script of one's own would use beside the table."""
    from RPi import GPIO

    GPIO.setup(PIN, GPIO.OUT, initial=GPIO.HIGH)
    assert header.level(PIN) == 1
    GPIO.output(PIN, GPIO.LOW)
    assert header.level(PIN) == 0
    GPIO.cleanup(PIN)
    GPIO.setup(PIN, GPIO.IN, pull_up_down=GPIO.PUD_UP)
    edges: list[int] = []
    GPIO.add_event_detect(PIN, GPIO.FALLING, callback=edges.append)
    header.press(PIN)
    wait_until(lambda: edges == [PIN], "one falling edge")
    assert GPIO.input(PIN) == 0
    GPIO.remove_event_detect(PIN)
    GPIO.cleanup(PIN)
    header.release(PIN)
