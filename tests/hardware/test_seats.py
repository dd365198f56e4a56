"""The whole table on mock pins: presses come out stamped, levels go in, and a bad pin is one place's fault."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware import buzzer, lamps
from hardware.pins import PinsUnavailable, open_factory
from hardware.seats import PinSeats, Press
from hardware.wiring import DEFAULT_WIRING
from tests.hardware.mock_table import MockTable

MS = 1_000_000
OFF = (lamps.OFF, 0, 0)
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


def shown(table: MockTable, *signs: int, **more: Any) -> None:
    """Show these signs at seats 0 to 3, none of them a clock."""
    assert table.seats is not None
    seats = [(sign, table.now_ns, 0) for sign in signs]
    table.seats.show(seats, **{"answer": None, "referee": lamps.OFF, "sound": (buzzer.SILENT, 0), **more})


def test_show_writes_only_what_changed(table: MockTable) -> None:
    """The same picture shown again touches no pin."""
    table.open()
    for _ in range(3):
        shown(table, lamps.LEADS, lamps.OFF, lamps.OFF, lamps.PAUSED, referee=lamps.DUE)
    assert table.levels(17) == table.levels(20) == table.levels(18) == [0, 1]
    assert all(table.levels(pin) == [0] for pin in OUTPUTS if pin not in (17, 20, 18))


def test_bar_goes_on_by_itself_while_its_sign_is_the_same(table: MockTable) -> None:
    """Green goes out after a third, yellow after two, red pulses, then all flicker; nobody says so but the clock."""
    seats = table.open()
    sign = (lamps.TURN, table.now_ns, 15_000)
    seen = []
    for _ in range(800):
        seats.show([OFF, OFF, OFF, sign], answer=None, referee=lamps.OFF, sound=(buzzer.SILENT, 0))
        seen.append(tuple(int(table.factory.pin(pin).state) for pin in (16, 20, 21)))
        table.after(20)
    changes = [seen[0], *(now for before, now in pairwise(seen) if now != before)]
    assert changes[:4] == [(1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)]
    assert changes[4:23] == [(0, 0, 1), (0, 0, 0)] * 9 + [(0, 0, 1)]
    assert set(changes[24:]) == {(1, 1, 1), (0, 0, 0)}
    assert [seen.index((0, 1, 1)), seen.index((0, 0, 1))] == [250, 500]


def test_answer_flashes_over_the_sign_and_ends_by_itself(table: MockTable) -> None:
    """A press that counts is one green flash, one that does not is red twice; then the seat's sign is there again."""
    table.open()
    for sign, levels in ((lamps.COUNTED, [0, 1, 0]), (lamps.REFUSED, [0, 1, 0, 1, 0])):
        pressed_ns = table.now_ns
        green, red = len(table.levels(23)), len(table.levels(25))
        for _ in range(50):
            shown(table, lamps.OFF, lamps.PAUSED, lamps.OFF, lamps.OFF, answer=(1, sign, pressed_ns))
            table.after(10)
        assert table.levels(24)[-2:] == [0, 1]
        changed = table.levels(23)[green - 1 :] if sign == lamps.COUNTED else table.levels(25)[red - 1 :]
        assert changed == levels


@pytest.mark.parametrize(("sign", "seen"), [(lamps.OFF, [1, 1, 1]), (lamps.LEADS, [0, 0, 0])])
def test_finger_is_felt_within_50_ms_whatever_it_is_worth(table: MockTable, sign: int, seen: list[int]) -> None:
    """While the button is down a dark lamp is lit and a lit one dark, before the loop has decided anything."""
    seats = table.open()
    table.after(100)
    shown(table, sign, *[lamps.LEADS] * 3)
    before = [table.factory.pin(pin).state for pin in (17, 27, 22)]
    table.press(5)
    for _ in range(2):
        seats.presses(table.after(21).now_ns)
        shown(table, sign, *[lamps.LEADS] * 3)
    assert [table.factory.pin(pin).state for pin in (17, 27, 22)] == seen
    assert table.factory.pin(23).state == 1
    table.release(5)
    seats.presses(table.after(40).now_ns)
    shown(table, sign, *[lamps.LEADS] * 3)
    assert [table.factory.pin(pin).state for pin in (17, 27, 22)] == before


def test_hold_is_answered_while_the_finger_is_still_there(table: MockTable) -> None:
    """The flash goes over the felt lamp; after it the finger is felt again, and one that comes later at once."""
    seats = table.open()
    shown(table, *[lamps.LEADS] * 4)
    lamp = [table.factory.pin(pin) for pin in (17, 27, 22)]

    def look(answer: tuple[int, int, int] | None) -> list[int]:
        shown(table, *[lamps.LEADS] * 4, answer=answer)
        return [pin.state for pin in lamp]

    table.after(100).press(5)
    (call,) = seats.presses(table.after(1600).now_ns)
    assert look(None) == [0, 0, 0]
    answered = (0, lamps.COUNTED, table.now_ns)
    assert look(answered) == [1, 0, 0]
    seats.presses(table.after(500).now_ns)
    assert look(answered) == [0, 0, 0]
    table.release(5)
    seats.presses(table.after(50).now_ns)
    assert look(answered) == [1, 0, 0]

    answered = (0, lamps.COUNTED, table.now_ns)
    table.after(10).press(5)
    seats.presses(table.after(30).now_ns)
    assert (call.held_ms, look(answered)) == (1500, [0, 0, 0])


@pytest.mark.parametrize(
    ("lamp", "sign", "lit"),
    [
        ("pwm", lamps.WAITING, {17}),
        ("pwm", lamps.LEADS, {17}),
        ("rgb", lamps.LEADS, {17}),
        ("rgb", lamps.REFUSED, {22}),
        ("rgb", lamps.SELF_TEST, {17}),
        ("leds", lamps.SELF_TEST, {17}),
    ],
)
def test_each_kind_of_lamp_hangs_on_its_pins(table: MockTable, lamp: str, sign: int, lit: set[int]) -> None:
    """A plain LED takes the green pin alone, an RGB lamp has its red, green and blue where the wiring says."""
    table.open(lamp=lamp)
    table.now_ns = 0
    shown(table, sign, lamps.OFF, lamps.OFF, lamps.OFF)
    pins = {number: table.factory.pin(number) for number in (17, 27, 22)}
    assert {number for number, pin in pins.items() if pin.function == "output" and pin.state} == lit
    assert {number for number, pin in pins.items() if pin.function == "output"} == (
        {17} if lamp == "pwm" else set(pins)
    )


def test_buzzer_says_its_phrase_once_and_is_only_ever_on_or_off(table: MockTable) -> None:
    """An active buzzer makes its own tone; pulses would only make it croak."""
    table.open()
    began_ns = table.now_ns
    for _ in range(200):
        shown(table, *[lamps.OFF] * 4, sound=(buzzer.CALLED, began_ns))
        table.after(10)
    assert table.levels(12) == [0, 1, 0, 1, 0]
    assert table.factory.pin(12).frequency is None


def test_signs_for_another_number_of_seats_are_refused(table: MockTable) -> None:
    """A wrong picture is a mistake of the caller and changes no lamp."""
    table.open()
    with pytest.raises(ValueError, match="Expected the signs of 4 seats, got 3"):
        shown(table, lamps.LEADS, lamps.LEADS, lamps.LEADS)
    assert all(set(table.levels(pin)) == {0} for pin in OUTPUTS)


def test_start_and_stop_make_no_light_and_no_sound(table: MockTable) -> None:
    """A restart of the service is neither seen nor heard."""
    for _ in range(3):
        table.open().close()
    assert all(set(table.levels(pin)) == {0} for pin in OUTPUTS)


def test_close_switches_off_what_was_on_and_twice_is_harmless(table: MockTable) -> None:
    """Whatever happens, the buzzer stops with the program."""
    with table.open() as seats:
        shown(table, *[lamps.TURN] * 4, referee=lamps.DUE, sound=(buzzer.SET_OVER, table.now_ns))
        assert table.levels(12)[-1] == 1
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
    (fault,) = seats.faults()[place]
    assert says in f"{fault.wrong}; {fault.to_do}"
    sign = (lamps.TURN, table.now_ns, 15_000)
    seats.show([sign] * 4, answer=None, referee=lamps.DUE, sound=(buzzer.SET_OVER, table.now_ns))
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
    shown(table, lamps.REFUSED, *[lamps.OFF] * 3)
    (fault,) = seats.faults()["seat 0"]
    assert (fault.part, fault.wrong.split(" does ")[0]) == ("lamp", "red lamp on GPIO 22")
    monkeypatch.setattr(lamp, "_set_state", write)
    shown(table, lamps.REFUSED, *[lamps.OFF] * 3)
    assert seats.faults() == {}
    assert lamp.state == 1


def test_button_down_at_the_start_is_a_fault_of_its_seat(table: MockTable) -> None:
    """A cup on the button is told, and is no pass."""
    table.factory.pin(6, pin_class=HeldDown)
    seats = table.open()
    (fault,) = seats.faults()["seat 1"]
    assert (fault.part, fault.is_held) == ("button", True)
    assert "held down since the start" in fault.wrong
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
    (fault,) = seats.faults()["seat 3"]
    assert ("chatters" in fault.wrong, fault.is_held) == (True, False)


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


def test_noise_of_each_button_is_counted(table: MockTable) -> None:
    """A pulse too short for a finger is no press, and is counted at its place alone."""
    seats = table.open()
    for _ in range(3):
        table.press(DEFAULT_WIRING.seats[1].button)
        table.after(3).release(DEFAULT_WIRING.seats[1].button)
        assert seats.presses(table.after(50).now_ns) == ()
    assert seats.noise() == {"seat 0": 0, "seat 1": 3, "seat 2": 0, "seat 3": 0, "referee": 0}


def test_button_that_is_jammed_gives_its_lamp_back(table: MockTable) -> None:
    """After the last hold nothing more comes of it: a player must not lose his clock to a bag on the button."""
    seats = table.open()
    table.press(5)
    for _ in range(200):
        seats.presses(table.after(20).now_ns)
        shown(table, lamps.LEADS, *[lamps.OFF] * 3)
    assert table.factory.pin(17).state == 1
    assert table.levels(17).count(1) == 2, "lit, dark while the finger is felt, lit again"


def running(lamp_ns: Callable[[], int] = time.monotonic_ns) -> tuple[PinSeats, MockFactory]:
    """The seats on mock pins with a thread of their own and the true time."""
    factory = open_factory("mock")
    seats = PinSeats(
        wiring=DEFAULT_WIRING,
        pin_factory=factory,
        clock_ns=lamp_ns,
        wake=lambda: None,
        logger=logging.getLogger("test.seats"),
    )
    seats.start()
    return seats, factory


def test_busy_program_keeps_no_lamp_and_no_buzzer() -> None:
    """Once told, the seats feel a finger, end a phrase and go on with a bar though nobody asks them anything."""
    seats, factory = running()
    try:
        now_ns = time.monotonic_ns()
        turn = (lamps.TURN, now_ns - 9_700 * MS, 15_000)
        seats.show([turn, OFF, OFF, OFF], answer=None, referee=lamps.OFF, sound=(buzzer.TIME, now_ns))
        assert factory.pin(12).state == 1
        assert [factory.pin(pin).state for pin in (17, 27, 22)] == [0, 1, 1]
        factory.pin(6).drive_low()
        time.sleep(0.8)
        assert factory.pin(12).state == 0, "the phrase is over"
        assert factory.pin(27).state == 0, "the bar has gone on to its last third"
        assert [factory.pin(pin).state for pin in (23, 24, 25)] == [1, 1, 1], "seat 1 is felt"
        factory.pin(6).drive_high()
        time.sleep(0.2)
        (press,) = seats.presses(time.monotonic_ns())
        assert (press.button, press.held_ms) == (1, 0)
        assert abs(press.at_ns - now_ns) < 300 * MS
    finally:
        seats.close()
    assert {factory.pin(pin).state for pin in OUTPUTS} == {0}


def test_thread_of_the_pins_that_ends_is_told() -> None:
    """It never dies in silence: the loop hears of it at its next look."""
    broken = iter([0] * 30)
    seats, _ = running(lambda: next(broken))

    def keep_asking() -> None:
        for _ in range(200):
            time.sleep(0.02)
            seats.presses(0)

    with pytest.raises(PinsUnavailable, match="The thread of the pins has ended"):
        keep_asking()
    seats.close()
