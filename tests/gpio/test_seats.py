"""The whole table on genuine lines: bouncing buttons in, every lamp and the buzzer out, one bad pin among good ones."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hardware.seats import PinSeats, Press
from tests.gpio.bank import Bank, another_program, noting_writes
from tests.gpio.table import BUTTONS, BUZZER, LAMPS, open_seats, presses_of, show_all

TRACES = Path(__file__).parents[1] / "data" / "bounce"
FINGER = Path(__file__).with_name("finger.py")


@pytest.fixture(autouse=True)
def no_finger_on_a_button(header: Bank) -> None:
    """Every test starts with all buttons up."""
    for line in BUTTONS:
        header.release(line)


def play(header: Bank, line: int, trace: str, seats: PinSeats) -> list[Press]:
    """What the seats tell while a finger with this contact presses the button."""
    finger = subprocess.Popen([sys.executable, "-S", FINGER, header.pull_file(line), TRACES / f"{trace}.csv"])
    told: list[Press] = []
    while finger.poll() is None:
        told += presses_of(seats, 0.02)
    assert finger.returncode == 0
    return told + presses_of(seats, 0.1)


def test_pin_of_another_program_is_its_seat_s_fault_and_the_others_play_on(
    header: Bank, caplog: pytest.LogCaptureFixture
) -> None:
    """Seat 3's button is held by somebody: told with seat, pin and holder, and seat 0 can press.

    It comes first: lgpio keeps a line that it has had until its factory closes, and nobody else could take it.
    """
    with another_program(header.number, BUTTONS[3]), open_seats() as seats:
        assert list(seats.faults()) == ["seat 3"]
        assert [fault.wrong for fault in seats.faults()["seat 3"]] == [
            f"button on GPIO {BUTTONS[3]} does not work ('lg' holds it)"
        ]
        show_all(seats, 1.0, buzzer=0.0)
        assert all(header.level(line) for line in LAMPS)
        header.press(BUTTONS[0])
        told = presses_of(seats, 0.08)
        header.release(BUTTONS[0])
        (press,) = told + presses_of(seats, 0.08)
        assert press.button == 0
    assert len(caplog.records) == 1


@pytest.mark.parametrize("trace", ["average", "longest", "morse_key"])
def test_contact_that_trembles_as_measured_ones_do_is_one_press(header: Bank, trace: str) -> None:
    """Published contacts, closing and opening: one short press, stamped within the time it took them to stand."""
    with open_seats() as seats:
        start_ns = time.monotonic_ns()
        (press,) = play(header, BUTTONS[1], trace, seats)
        assert (press.button, press.held_ms) == (1, 0)
        assert start_ns < press.at_ns < time.monotonic_ns() - 100_000_000
        assert seats.faults() == {}


def test_contact_that_opens_for_longer_than_30_ms_is_not_one_press(header: Bank) -> None:
    """The worst switch that was published breaks for 42 ms: no promise covers it, and it does not stop the table."""
    with open_seats() as seats:
        assert len(play(header, BUTTONS[1], "switch_e", seats)) == 2
        assert seats.faults() == {}


def test_each_button_is_its_own(header: Bank) -> None:
    """The wire of seat 2 is seat 2's press."""
    with open_seats() as seats:
        for button, line in enumerate(BUTTONS):
            header.press(line)
            told = presses_of(seats, 0.08)
            header.release(line)
            told += presses_of(seats, 0.08)
            assert [(press.button, press.held_ms) for press in told] == [(button, 0)]


def test_button_held_tells_both_holds_while_it_is_down(header: Bank) -> None:
    """1.5 s and 3 s, on the clock of the table."""
    with open_seats() as seats:
        start_ns = time.monotonic_ns()
        header.press(BUTTONS[0])
        told = presses_of(seats, 3.2)
        header.release(BUTTONS[0])
        assert [press.held_ms for press in told + presses_of(seats, 0.1)] == [1500, 3000]
        assert [(press.at_ns - start_ns) / 1e9 for press in told] == pytest.approx([1.5, 3.0], abs=0.05)


def test_every_lamp_and_the_buzzer_reach_their_line(header: Bank) -> None:
    """On, off and half, read back from the lines themselves; nothing before the start and nothing after the end."""
    with open_seats() as seats:
        assert not any(header.level(line) for line in (*LAMPS, BUZZER))
        show_all(seats, 1.0, buzzer=1.0)
        assert all(header.level(line) for line in (*LAMPS, BUZZER))
        show_all(seats, 0.0, buzzer=0.0)
        assert not any(header.level(line) for line in (*LAMPS, BUZZER))
        show_all(seats, 0.5, buzzer=1.0)
        time.sleep(0.03)
        shares = [header.share_of_time_high(line, 0.1)[0] for line in LAMPS]
        assert shares == pytest.approx([0.5] * len(LAMPS), abs=0.02)
        assert header.level(BUZZER) == 1
    assert [header.share_of_time_high(line, 0.02)[0] for line in (*LAMPS, BUZZER)] == [0.0] * 14


def test_start_and_stop_make_no_light_and_no_sound() -> None:
    """Whatever is written to a lamp or the buzzer while the seats open and close again and again is low."""
    with noting_writes() as written:
        for _ in range(3):
            with open_seats():
                time.sleep(0.05)
    assert [level for _, level in written] == ["0"] * len((*LAMPS, BUZZER))
