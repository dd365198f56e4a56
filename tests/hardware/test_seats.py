"""The whole table on mock pins: presses come out stamped, levels go in, and a bad pin is one place's fault."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.pins import PinsUnavailable, open_factory
from hardware.seats import PinSeats, Press
from hardware.wiring import DEFAULT_WIRING
from tests.hardware.mock_table import MockTable

MS = 1_000_000
OFF = (0.0, 0.0, 0.0)
BUTTONS = (5, 6, 7, 8, 4)
OUTPUTS = (17, 27, 22, 23, 24, 25, 13, 19, 26, 16, 20, 21, 18, 12)


class Taken(MockPWMPin):  # type: ignore[misc]
    """A pin that some other program or driver holds."""

    def input_with_pull(self, pull: str) -> None:
        """Refuse."""
        raise RuntimeError("GPIO busy")

    def output_with_state(self, state: bool) -> None:
        """Refuse."""
        raise RuntimeError("GPIO busy")


class NoEdges(MockPWMPin):  # type: ignore[misc]
    """A pin on a kernel where RPi.GPIO cannot watch edges."""

    def _enable_event_detect(self) -> None:
        raise RuntimeError("Failed to add edge detection")


class HeldDown(MockPWMPin):  # type: ignore[misc]
    """A pin whose button is down while the program starts."""

    def input_with_pull(self, pull: str) -> None:
        """Pull up against the finger, in vain."""
        super().input_with_pull(pull)
        self.drive_low()


@pytest.mark.parametrize("button", range(5))
def test_press_carries_its_button_and_the_time_it_went_down(table: MockTable, button: int) -> None:
    """A pass is stamped when the finger pressed, not when the loop looked."""
    seats = table.open()
    down_ns = table.after(100).now_ns
    table.press(BUTTONS[button])
    table.after(80).release(BUTTONS[button])
    assert seats.presses(table.after(500).now_ns) == (Press(button, 0, down_ns),)
    assert table.woken == 2


def test_presses_of_several_seats_come_in_the_order_they_happened(table: MockTable) -> None:
    """Who pressed first is first."""
    seats = table.open()
    for pin in (8, 5, 7):
        table.after(10).press(pin)
    table.after(100)
    for pin in (8, 5, 7):
        table.release(pin)
    assert [press.button for press in seats.presses(table.after(100).now_ns)] == [3, 0, 2]


def test_release_whose_edge_was_lost_does_not_become_a_hold(table: MockTable) -> None:
    """The level itself is looked at, so a dropped edge does not call the referee."""
    seats = table.open()
    table.after(100).press(5)
    assert seats.presses(table.after(100).now_ns) == ()
    table.factory.pin(5)._change_state(True)  # up, and nobody is told
    assert seats.presses(table.after(100).now_ns) == ()
    (press,) = seats.presses(table.after(2000).now_ns)
    assert press.held_ms == 0


def test_show_writes_only_what_changed(table: MockTable) -> None:
    """The same picture shown again touches no pin."""
    seats = table.open()
    shown = [(1.0, 0.0, 0.0), (0.0, 0.5, 0.0), OFF, (0.0, 0.0, 1.0)]
    for _ in range(3):
        seats.show(shown, referee=1.0, buzzer=0.0)
    assert table.levels(17) == [0, 1]
    assert table.levels(24) == [0, 0.5]
    assert table.levels(21) == [0, 1]
    assert table.levels(18) == [0, 1]
    assert all(table.levels(pin) == [0] for pin in OUTPUTS if pin not in (17, 24, 21, 18))


def test_buzzer_is_only_ever_on_or_off(table: MockTable) -> None:
    """An active buzzer makes its own tone; pulses would only make it croak."""
    seats = table.open()
    for level in (0.3, 0.8, 1.0, 0.0):
        seats.show([OFF] * 4, referee=0.0, buzzer=level)
    assert table.levels(12) == [0, 1, 0]
    assert table.factory.pin(12).frequency is None


@pytest.mark.parametrize(
    "shown", [[OFF] * 3, [(0.0, 0.0)] * 4, [(1.1, 0.0, 0.0), *[OFF] * 3], [(float("nan"), 0, 0), *[OFF] * 3]]
)
def test_levels_that_are_none_are_refused(table: MockTable, shown: list[tuple[float, float, float]]) -> None:
    """A wrong picture is a mistake of the caller and changes no lamp."""
    with pytest.raises(ValueError, match="Expected 4 x 3 levels and two more"):
        table.open().show(shown, referee=0.0, buzzer=0.0)


def test_start_and_stop_make_no_light_and_no_sound(table: MockTable) -> None:
    """A restart of the service is neither seen nor heard."""
    for _ in range(3):
        table.open().close()
    assert all(set(table.levels(pin)) == {0} for pin in OUTPUTS)


def test_close_switches_off_what_was_on_and_twice_is_harmless(table: MockTable) -> None:
    """Whatever happens, the buzzer stops with the program."""
    with table.open() as seats:
        seats.show([(1.0, 0.4, 1.0)] * 4, referee=1.0, buzzer=1.0)
    seats.close()
    assert all(table.levels(pin)[-1] == 0 for pin in OUTPUTS)
    assert all(table.factory.pin(pin).function == "input" for pin in OUTPUTS)


@pytest.mark.parametrize("calls_before_failure", range(5))
def test_start_that_fails_half_way_leaves_all_low(table: MockTable, calls_before_failure: int) -> None:
    """Ctrl-C in the middle of the start gives all pins back, silent."""
    left = calls_before_failure

    def clock_ns() -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return 0

    with pytest.raises(KeyboardInterrupt):
        PinSeats(
            wiring=DEFAULT_WIRING,
            pin_factory=table.factory,
            clock_ns=clock_ns,
            wake=lambda: None,
            logger=logging.getLogger("test.seats"),
        )
    assert all(set(table.levels(pin)) == {0} for pin in OUTPUTS)
    assert all(table.factory.pin(pin).function == "input" for pin in OUTPUTS)


@pytest.mark.parametrize(
    ("pin", "pin_class", "place", "says"),
    [
        (7, Taken, "seat 2", "button on GPIO 7 does not work (GPIO busy); it is usually taken by SPI (dtparam=spi=on)"),
        (27, Taken, "seat 0", "yellow lamp on GPIO 27 does not work (GPIO busy); another program may hold it"),
        (12, Taken, "referee", "buzzer on GPIO 12 does not work"),
        (6, NoEdges, "seat 1", "rpi-lgpio gives the same module"),
    ],
)
def test_bad_pin_is_the_fault_of_its_place_and_the_others_work_on(
    table: MockTable, caplog: pytest.LogCaptureFixture, pin: int, pin_class: type[MockPWMPin], place: str, says: str
) -> None:
    """One pin that cannot be had does not stop the table, and is told once."""
    table.factory.pin(pin, pin_class=pin_class)
    seats = table.open()
    assert list(seats.faults()) == [place]
    assert says in seats.faults()[place]
    seats.show([(1.0, 1.0, 1.0)] * 4, referee=1.0, buzzer=1.0)
    assert all(table.levels(other)[-1] == 1 for other in OUTPUTS if other != pin)
    table.after(100).press(8)
    table.after(80).release(8)
    assert [press.button for press in seats.presses(table.after(100).now_ns)] == [3]
    assert len(caplog.records) == 1


def test_pin_that_fails_while_playing_recovers_by_itself(table: MockTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails once is a fault until the next one works."""
    seats = table.open()
    lamp = table.factory.pin(22)
    write: Callable[[float], None] = lamp._set_state
    monkeypatch.setattr(lamp, "_set_state", lambda _: (_ for _ in ()).throw(OSError("Input/output error")))
    seats.show([(0.0, 0.0, 1.0), *[OFF] * 3], referee=0.0, buzzer=0.0)
    assert "red lamp on GPIO 22" in seats.faults()["seat 0"]
    monkeypatch.setattr(lamp, "_set_state", write)
    seats.show([(0.0, 0.0, 1.0), *[OFF] * 3], referee=0.0, buzzer=0.0)
    assert seats.faults() == {}
    assert lamp.state == 1


def test_button_down_at_the_start_is_a_fault_of_its_seat(table: MockTable) -> None:
    """A cup on the button is told, and is no pass."""
    table.factory.pin(6, pin_class=HeldDown)
    seats = table.open()
    assert "held down since the start" in seats.faults()["seat 1"]
    table.after(5000).release(6)
    assert seats.presses(table.after(100).now_ns) == ()
    assert seats.faults() == {}


def test_chattering_button_names_its_seat(table: MockTable) -> None:
    """A loose plug is told with its seat, and the queue of edges stays bounded."""
    seats = table.open()
    for _ in range(5000):
        table.after(1).press(8)
        table.after(1).release(8)
    assert seats.presses(table.now_ns) == ()
    assert "chatters" in seats.faults()["seat 3"]


def test_no_pin_at_all_is_refused_in_one_sentence() -> None:
    """A machine whose pins all fail cannot pretend to have a table."""
    with pytest.raises(PinsUnavailable, match=r"Not one of the 19 pins can be opened .*GPIO busy.*: check"):
        PinSeats(
            wiring=DEFAULT_WIRING,
            pin_factory=MockFactory(pin_class=Taken),
            clock_ns=lambda: 0,
            wake=lambda: None,
            logger=logging.getLogger("test.seats"),
        )


def test_wiring_with_problems_drives_no_pin() -> None:
    """A wrong wiring is refused before the first pin is touched."""
    factory = open_factory("mock")
    with pytest.raises(ValueError, match="GPIO 14 cannot be the buzzer"):
        PinSeats(
            wiring=replace(DEFAULT_WIRING, buzzer=14),
            pin_factory=factory,
            clock_ns=lambda: 0,
            wake=lambda: None,
            logger=logging.getLogger("test.seats"),
        )
    assert not factory.pins
