"""The self-test on real seats with mock pins: a good table passes, and each fault is named with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from gpiozero.exc import PinSetInput
from gpiozero.pins.mock import MockPWMPin

from controller import selftest
from controller.selftest_checks import BoardSeen, Tally, equipment_results
from controller.selftest_results import PHRASES, Result
from hardware import lamps
from hardware.buzzer import PHRASES_MS
from hardware.wiring import DEFAULT_WIRING
from tests.controller.technician import BUTTONS, GOOD, MS, WANTED, WELL, Technician, asked, result
from tests.hardware.mock_table import MockTable

CALM = {"faults": {}, "noise": {}, "has_frames": True}


class DeadPin(MockPWMPin):  # type: ignore[misc]
    """A pin that another program holds."""

    def output_with_state(self, state: float) -> None:
        raise PinSetInput("the pin is in use")


class Stuck(MockPWMPin):  # type: ignore[misc]
    """A button that is down, whatever the finger does."""

    def _get_state(self) -> float:
        return 0.0

    def drive_high(self) -> bool:
        return False


class Down(MockPWMPin):  # type: ignore[misc]
    """A button that is down when the program starts."""

    def __init__(self, factory: object, info: object) -> None:
        super().__init__(factory, info)
        self._state = 0.0

    def _set_pull(self, value: str) -> None:
        self._pull = value


@pytest.fixture
def table() -> Iterator[MockTable]:
    made = MockTable()
    yield made
    if made.seats is not None:
        made.seats.close()
    made.factory.reset()


def lit(table: MockTable, pin: int) -> bool:
    """Whether an LED or the buzzer has been on at all."""
    return max(table.levels(pin)) > 0


def test_signs_and_phrases_are_those_that_are_drawn() -> None:
    """The numbers of this room are the numbers of those who draw them."""
    assert (selftest.DARK, selftest.STEADY, selftest.COUNTED, selftest.REFUSED, selftest.SELF_TEST, selftest.NEWS) == (
        lamps.OFF,
        lamps.PAUSED,
        lamps.COUNTED,
        lamps.REFUSED,
        lamps.SELF_TEST,
        lamps.NEWS,
    )
    assert len(PHRASES) == len(PHRASES_MS) - 1
    assert all(sum(phrase) < 1000 * selftest.PHRASE_EVERY_S for phrase in PHRASES_MS)


def test_good_table_passes_in_under_a_minute_of_a_quick_person(table: MockTable) -> None:
    """Every lamp, the referee's lamp and the buzzer are on at their time, and all is off at the end."""
    technician = Technician(table)
    began_ns = table.now_ns
    report = technician.goes_round()
    assert [line for line in report.results if not line.passed] == []
    assert report.has_passed
    assert (table.now_ns - began_ns) / 1e9 < 60
    pins = DEFAULT_WIRING
    for pin in [pin for seat in pins.seats for pin in (seat.green, seat.yellow, seat.red)]:
        assert lit(table, pin), pin
    assert lit(table, pins.referee_lamp)
    rises = sum(a == 0 < b for a, b in zip(table.levels(pins.buzzer), table.levels(pins.buzzer)[1:], strict=False))
    assert rises == sum(len(phrase[::2]) for phrase in PHRASES_MS)
    outputs = [pin for seat in pins.seats for pin in (seat.green, seat.yellow, seat.red)]
    assert all(table.factory.pin(pin).state == 0 for pin in (*outputs, pins.referee_lamp, pins.buzzer))


def test_each_seat_is_asked_for_by_its_own_lamp_alone(table: MockTable) -> None:
    """While a sentence names a seat, no other seat's lamp is lit, but for the answer to the press before."""
    technician = Technician(table)
    technician.goes_round()
    for showing in technician.shown:
        lit_seats = [seat for seat, (sign, _, _) in enumerate(showing.seats) if sign]
        if "watch its lamp" in showing.say:
            assert lit_seats == [int(showing.say.split("Seat ")[1][0])]
    assert next(showing.seconds_left for showing in technician.shown if showing.step == 1) == selftest.ANSWER_S


def test_dead_pin_of_a_lamp_is_named_although_the_press_confirmed_the_rest(table: MockTable) -> None:
    """Red of seat 2 hangs on a pin that another program holds."""
    table.factory.pin(DEFAULT_WIRING.seats[2].red, pin_class=DeadPin)
    report = Technician(table).goes_round()
    lamp = result(report, "seat 2, lamp")
    assert (lamp.passed, "red lamp on GPIO 26 does not work" in lamp.came) == (False, True)
    assert "stop that, or choose another pin" in lamp.to_do
    assert result(report, "seat 2, button").passed
    assert [line.part for line in report.results if line.passed is False] == ["seat 2, lamp"]


def test_faults_of_one_place_are_told_apart(table: MockTable) -> None:
    """Lamp and buzzer of the referee are on one place: each has its own words, and what to do once."""
    table.factory.pin(DEFAULT_WIRING.buzzer, pin_class=DeadPin)
    for pin in (DEFAULT_WIRING.seats[0].green, DEFAULT_WIRING.seats[0].red):
        table.factory.pin(pin, pin_class=DeadPin)
    report = Technician(table).goes_round()
    buzzer, lamp = result(report, "buzzer"), result(report, "seat 0, lamp")
    assert buzzer.came == "buzzer on GPIO 12 does not work (the pin is in use)"
    assert lamp.came.count("does not work") == 2
    assert lamp.to_do == buzzer.to_do == "another program may hold it: stop that, or choose another pin"
    assert {line.part for line in report.results if line.passed is False} == {"buzzer", "seat 0, lamp"}


def test_measured_parts_are_judged_with_what_to_do(table: MockTable) -> None:
    """Clock, broker and disk need no person: each is named by itself."""
    for change, part, cure in (
        ({"is_clock_set": False}, "clock", "timesyncd"),
        ({"broker_trouble": "the broker does not answer: start it"}, "broker", "start it"),
        ({"disk_trouble": "this user may not write"}, "disk", "may not write"),
        ({"free_mb": 30.0}, "disk", "make room"),
        ({"free_mb": None}, "disk", "folder"),
    ):
        report = Technician(table, measured=replace(WELL, **change)).goes_round()
        assert [line.part for line in report.results if not line.passed] == [part]
        assert cure in result(report, part).to_do


def test_camera_that_falls_silent_on_the_way_is_told(table: MockTable) -> None:
    """Frames came, and then none: the newest is too old, and its own reason is what to do."""
    technician = Technician(table, camera_trouble="the cable is out", stops_after_s=20.0)
    report = technician.goes_round()
    frames = result(report, "camera, frames")
    assert (frames.passed, frames.to_do) == (False, "the cable is out")
    assert result(report, "camera, light").passed


def test_slow_reader_is_no_silent_camera(table: MockTable) -> None:
    """While a picture is read for 4 s no frame comes; the look is waited for, and nothing is said of the camera."""
    report = Technician(table, reads_ms=4000).goes_round()
    assert [line for line in report.results if not line.passed] == []


def test_camera_whose_frames_come_late_is_told(table: MockTable) -> None:
    """A driver with a long queue shows the past."""
    frames = result(Technician(table, late_ms=3000).goes_round(), "camera, frames")
    assert (frames.passed, "3.0 s old" in frames.came) == (False, True)


def test_held_button_says_that_the_lamp_is_wrong_and_proves_the_button(table: MockTable) -> None:
    """The one gesture for trouble: hold. The seat's button is none the worse for it."""
    report = Technician(table, lambda say: (1, 1800) if "Seat 1: watch" in say else asked(say)).goes_round()
    lamp, button = result(report, "seat 1, lamp"), result(report, "seat 1, button")
    assert (lamp.passed, lamp.came) == (False, "reported wrong: the button was held")
    assert "LEDs" in lamp.to_do
    assert (button.passed, button.came) == (True, "pressed and held, no noise")


def test_finger_that_stays_too_long_answers_one_step_only(table: MockTable) -> None:
    """Held for 3.5 s, a button tells 1.5 s and then 3 s: the second belongs to nothing."""
    technician = Technician(table, lambda say: (4, 3500) if "Buzzer" in say else asked(say))
    report = technician.goes_round()
    assert result(report, "buzzer").came == "reported wrong: the button was held"
    assert result(report, "camera, domino").passed
    assert not any(said in say for say in technician.sentences for said in ("Too early", "That was"))


def test_dead_button_is_noted_after_its_time_and_the_test_goes_on(table: MockTable) -> None:
    """Seat 3's wire is broken: no press comes, its lamp stays unconfirmed, everything after it is tested."""
    report = Technician(table, lambda say: None if "Seat 3" in say else asked(say)).goes_round()
    button = result(report, "seat 3, button")
    assert (button.passed, button.came) == (False, "no press in 15 s")
    assert "wire" in button.to_do
    assert result(report, "seat 3, lamp").passed is None
    assert result(report, "buzzer").passed


def test_hold_is_asked_of_the_first_seat_whose_button_works(table: MockTable) -> None:
    """With seat 0's button dead, seat 1 is held."""
    technician = Technician(table, lambda say: None if "Seat 0" in say else asked(say))
    hold = result(technician.goes_round(), "holding a button")
    assert (hold.passed, hold.came) == (True, "told, on seat 1")
    (sign,) = {showing.seats[1][0] for showing in technician.shown if "hold its button" in showing.say}
    assert sign == lamps.PAUSED


def test_lamp_goes_dark_under_the_finger_and_lights_up_when_the_hold_is_told(table: MockTable) -> None:
    """What the sentence promises is what the lamp does, by a green flash at the moment at which letting go is right."""
    seat, seen = DEFAULT_WIRING.seats[0], list[tuple[float, ...]]()
    technician = Technician(table)
    lamp = [table.factory.pin(pin) for pin in (seat.green, seat.yellow, seat.red)]
    technician.watched = lambda: seen.append(tuple(pin.state for pin in lamp))
    technician.goes_round()
    during = [levels for levels, showing in zip(seen, technician.shown, strict=True) if showing.step == 5]
    after = [levels for levels, showing in zip(seen, technician.shown, strict=True) if showing.step == 6]
    assert during[-1] == (0, 0, 0)
    assert (0, 1, 0) in during
    assert after[1] == (1, 0, 0)


def test_short_press_where_a_hold_is_asked_for_does_not_do(table: MockTable) -> None:
    """The contact that opens under the finger is the fault this step looks for."""
    report = (technician := Technician(table, lambda say: asked(say) and (asked(say)[0], 120))).goes_round()  # type: ignore[index]
    assert result(report, "holding a button").passed is False
    assert any("That was short." in say for say in technician.sentences)


def test_stuck_button_is_told_while_its_seat_is_asked_and_in_the_report(table: MockTable) -> None:
    """A jammed button of seat 1."""
    table.factory.pin(DEFAULT_WIRING.seats[1].button, pin_class=Stuck)
    technician = Technician(table)
    button = result(technician.goes_round(), "seat 1, button")
    assert (button.passed, "held down" in button.came) == (False, True)
    assert "release it, or check its wire" in button.to_do
    assert any(say.startswith("(seat 1: button held down") for say in technician.sentences)


def test_button_that_somebody_leant_on_at_the_start_passes_once_it_works(table: MockTable) -> None:
    """What is released and pressed as it should be is well."""
    pin = DEFAULT_WIRING.seats[3].button
    table.factory.pin(pin, pin_class=Down)

    def press_of(say: str) -> tuple[int, int] | None:
        if "Seat 1" in say:
            table.release(pin)
        return asked(say)

    seats = table.open()
    assert "seat 3" in seats.faults()
    report = Technician(table, press_of).goes_round(seats)
    assert report.has_passed


def test_chattering_button_is_named_even_when_it_is_quiet_later(table: MockTable) -> None:
    """Seat 0's plug was shaken once, after its press had come; at the end it has rested for long."""
    pin, done = DEFAULT_WIRING.seats[0].button, [False]

    def rattle(say: str) -> tuple[int, int] | None:
        if "Seat 1" in say and not done[0]:
            done[0] = True
            for _ in range(30):
                table.press(pin)
                table.after(3).release(pin)
                table.after(40)
        return asked(say)

    report = Technician(table, rattle).goes_round()
    assert table.seats is not None
    assert table.seats.faults() == {}
    button = result(report, "seat 0, button")
    assert (button.passed, "chatters" in button.came) == (False, True)
    assert "check its plug and its wire" in button.to_do


def test_some_noise_is_told_and_more_of_it_fails(table: MockTable) -> None:
    """Two pulses are a knock, ten are a wire."""
    for pulses, passed in ((2, True), (10, False)):
        done: list[str] = []

        def noisy(say: str, pulses: int = pulses, done: list[str] = done) -> tuple[int, int] | None:
            if "Seat 2" in say and not done:
                done.append(say)
                for _ in range(pulses):
                    table.press(BUTTONS[2])
                    table.after(4).release(BUTTONS[2])
                    assert table.seats is not None
                    table.seats.presses(table.after(1100).now_ns)
                return None
            return asked(say)

        button = result(Technician(table, noisy).goes_round(), "seat 2, button")
        assert (button.passed, f"{pulses} pulses too short for a finger" in button.came) == (passed, True)
        assert ("docs/hardware.md" in button.to_do) is not passed


def test_swapped_buttons_are_told_as_such(table: MockTable) -> None:
    """The wires of seats 0 and 2 are crossed: each press comes from the other seat."""
    crossed = {0: 2, 2: 0}

    def press_of(say: str) -> tuple[int, int] | None:
        act = asked(say)
        return act and (crossed.get(act[0], act[0]), act[1])

    technician = Technician(table, press_of)
    report = technician.goes_round()
    for seat, other in crossed.items():
        button = result(report, f"seat {seat}, button")
        assert (button.passed, button.came) == (False, f"the button of seat {other} came instead")
        assert "swapped" in button.to_do
    assert any("That was the button of seat 2." in say for say in technician.sentences)


def test_press_before_everything_was_seen_is_too_early(table: MockTable) -> None:
    """Who presses after half a second cannot have seen red; he is told, and presses again."""
    technician = Technician(table, reaction_ms=500)
    report = technician.goes_round()
    assert report.has_passed
    assert sum("Too early" in say for say in technician.sentences) >= 4


def test_quiet_hours_keep_the_buzzer_silent_and_that_is_no_pass(table: MockTable) -> None:
    """Nobody signs for a buzzer that was not heard; the page says how to have it sound."""
    report = Technician(table, with_buzzer=False).goes_round()
    buzzer = result(report, "buzzer")
    assert (buzzer.passed, "quiet hours" in buzzer.came, "--sound" in buzzer.to_do) == (None, True, True)
    assert not report.has_passed
    assert not lit(table, DEFAULT_WIRING.buzzer)


def test_nobody_there_is_over_in_about_two_minutes_with_everything_noted(table: MockTable) -> None:
    """Nothing hangs; what did not come has failed or was not tested, and says why."""
    began_ns = table.now_ns
    report = Technician(table, lambda say: None).goes_round()
    assert (table.now_ns - began_ns) / 1e9 < 125
    touched = [line for line in report.results if not line.part.startswith(("camera", "clock", "broker", "disk"))]
    assert not any(line.passed for line in touched)
    assert result(report, "holding a button").came == "not tested: no seat's button works"


def test_stopped_test_reports_what_it_has(table: MockTable) -> None:
    """Ended at the third seat: two seats are told, the others are not tested, nothing is invented."""
    seats = table.open()
    script = selftest.Script(table.now_ns)
    now_ns = table.now_ns
    script.advance(now_ns, faults={}, noise=seats.noise(), has_frames=True)
    for seat in range(2):
        now_ns += 3000 * MS
        script.press(seat, 0, now_ns, now_ns)
    running = {line.part: line for line in script.results()}
    assert {line.came for line in running.values() if line.passed is None} == {"not yet tested"}
    script.stop("by Tess")
    lines: dict[str, Result] = {line.part: line for line in script.results()}
    assert [lines[f"seat {seat}, lamp"].passed for seat in range(4)] == [True, True, None, None]
    assert lines["seat 2, button"].came == "not tested: the test was ended before"
    showing = script.advance(now_ns + 10**12, faults={}, noise={}, has_frames=True)
    assert (showing.say, showing.sound, set(showing.seats)) == (
        "The self-test was ended: by Tess.",
        (0, 0),
        {(0, 0, 0)},
    )


def test_look_from_before_the_last_step_does_not_end_it(table: MockTable) -> None:
    """The look that was asked for at the start may come late: the domino was not there yet."""
    script = selftest.Script(0)

    def later(now_s: float) -> selftest.Showing:
        return script.advance(round(now_s * 1e9), faults={}, noise={}, has_frames=True)

    while not script.wants_look:
        later(script._since_ns / 1e9 + 20.0)
    assert script.wants_look
    script.looked(script._since_ns - 1, script._since_ns + MS)
    assert script.wants_look
    script.looked(script._since_ns, script._since_ns + MS)
    assert not script.wants_look


def test_frames_of_one_stamp_are_no_rate() -> None:
    """A driver that gives one picture again and again."""
    tally = Tally()
    for _ in range(20):
        tally.frame(7, 7)
    assert (tally.frames, tally.rate) == (20, None)
    for number in range(1, 6):
        tally.frame(7 + number * 100 * MS, 7 + number * 100 * MS)
    assert tally.rate == 10.0


def test_slow_board_is_told() -> None:
    """A round trip that no press can show within 50 ms."""
    board = BoardSeen("fw", 2, 2, 7, 88.2, 0, 0, None)
    lines = {line.part: line for line in equipment_results(replace(WELL, board=board))}
    answers = lines["seat board, answers"]
    assert (answers.passed, answers.came, "hub" in answers.to_do) == (False, "after 88.2 ms", True)
    assert lines["seat board"].passed


def test_camera_that_gives_nothing_is_named_and_nobody_is_asked_to_lay_a_domino(table: MockTable) -> None:
    """Its own reason is what to do."""
    technician = Technician(table, frames_every_ms=0, look=None, camera_trouble="no camera at /dev/v4l/by-id/x")
    report = technician.goes_round()
    frames = result(report, "camera, frames")
    assert (frames.passed, frames.came) == (False, "no frame at all")
    assert "no camera at /dev/v4l/by-id/x" in frames.to_do
    assert not any("domino" in say for say in technician.sentences)


@pytest.mark.parametrize(
    ("change", "part", "cure"),
    [
        ({"brightness": 12.0}, "camera, light", "lamp on"),
        ({"brightness": 244.0}, "camera, light", "less light"),
        ({"glare": 0.3}, "camera, glare", "shines back"),
        ({"width_px": 640, "height_px": 480}, "camera, frame size", "camera.width_px"),
        ({"table_in_view": False}, "camera, table", "corners_px"),
        ({"edge_px": 9.0}, "camera, sharpness", "focus"),
        ({"dominoes": ((6, None, 0.0),)}, "camera, domino", "sharpness"),
        ({"dominoes": ()}, "camera, domino", "lay one domino"),
    ],
)
def test_each_fault_of_the_picture_is_named_with_what_to_do(
    table: MockTable, change: dict[str, object], part: str, cure: str
) -> None:
    """One thing is wrong, one line fails."""
    report = Technician(table, look=replace(GOOD, **change)).goes_round()  # type: ignore[arg-type]
    assert [line.part for line in report.results if line.passed is False] == [part]
    assert cure in result(report, part).to_do


def test_slow_camera_is_told_by_its_rate(table: MockTable) -> None:
    """A third of the frames that were asked for."""
    rate = result(Technician(table, frames_every_ms=300).goes_round(), "camera, rate")
    assert (rate.passed, rate.expected, rate.came) == (False, "10 a second", "3.3 a second")


def test_no_domino_at_hand_is_not_tested_rather_than_failed(table: MockTable) -> None:
    """The same gesture as everywhere: hold."""
    report = Technician(
        table, lambda say: (3, 1800) if "domino" in say else asked(say), look=replace(GOOD, dominoes=())
    ).goes_round()
    domino = result(report, "camera, domino")
    assert (domino.passed, domino.came) == (None, "not tested: no domino was laid")


@pytest.mark.parametrize(
    ("answer", "is_asked"),
    [((3, 120), True), ((3, 1800), False), (None, True)],
    ids=["laid", "none at hand", "nobody answered"],
)
def test_domino_that_may_lie_there_is_to_be_taken_away(
    table: MockTable, answer: tuple[int, int] | None, *, is_asked: bool
) -> None:
    """Left in the middle it would open the next game; who had none has nothing to take away."""
    report = Technician(table, lambda say: answer if "Camera: lay" in say else asked(say)).goes_round()
    assert report.last_word == (selftest.TAKE_AWAY if is_asked else "")


def test_test_that_is_stopped_while_a_domino_is_asked_for_says_so_too(table: MockTable) -> None:
    """It may lie there already; a test that is stopped before says nothing of a domino."""
    script = selftest.Script(0)
    assert script.last_word == ""
    while "lay one domino" not in script.advance(now_ns := script._since_ns + 20_000_000_000, **CALM).say:  # type: ignore[arg-type]
        assert script.last_word == ""
    script.stop("by Tess")
    assert script.advance(now_ns, **CALM).say == f"The self-test was ended: by Tess. {selftest.TAKE_AWAY}"  # type: ignore[arg-type]


def test_recording_is_judged_as_one(table: MockTable) -> None:
    """A folder of pictures has its own size and rate, and may be over."""
    wanted = replace(WANTED, name="folder frames", is_live=False)
    look = replace(GOOD, width_px=640, height_px=480)
    report = Technician(table, wanted=wanted, look=look, frames_every_ms=400).goes_round()
    assert [line for line in report.results if not line.passed] == []
