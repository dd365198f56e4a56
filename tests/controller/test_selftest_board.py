"""The self-test on a seat board: the real BoardSeats and a board on a real pty; only time is moved by hand."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.selftest import SELF_TEST
from controller.selftest_equipment import board_lamps, board_seen
from controller.selftest_guide import Guide, Report
from firmware_bridge.seats import BOARD, BoardSeats
from firmware_bridge.wire import PROTOCOL
from tests.controller.technician import GOOD, WELL, Leaps, asked, result, setting
from tests.firmware_bridge.board_process import BUILD
from tests.firmware_bridge.fake_board import FakeBoard
from tests.firmware_bridge.pty_board import PtyBoard
from tests.firmware_bridge.unix_board import UnixBoard


class AtTheBoard:
    """One person, a board, and the program in between."""

    def __init__(self, port: Path, board: FakeBoard, clock: Leaps) -> None:
        self.board, self.clock = board, clock
        self.news = threading.Event()
        self.seats = BoardSeats(
            port=str(port), clock_ns=clock, wake=self.news.set, logger=logging.getLogger("test.board")
        )
        self.signs: set[tuple[int, ...]] = set()
        self.sentences: list[str] = []

    def goes_round(self, press_of: Callable[[str], tuple[int, int] | None]) -> Report:
        """From the start to the end."""
        with_board = replace(
            setting(),
            lamps=lambda: board_lamps(self.seats),
            measure=lambda: replace(WELL, board=board_seen(self.seats)),
        )
        guide = Guide(with_board, self.clock(), by="Tess", with_buzzer=True)
        pressed = ""
        deadline_s = time.monotonic() + 40
        while not guide.is_over:
            assert time.monotonic() < deadline_s, "it hangs"
            self.news.wait(0.01)
            self.news.clear()
            now_ns = self.clock()
            guide.frame(now_ns, now_ns)
            for press in self.seats.presses(now_ns):
                guide.press(press, now_ns)
            showing = guide.turn(now_ns, faults=self.seats.faults(), noise=self.seats.noise(), camera_trouble=None)
            self.seats.show(showing.seats, answer=showing.answer, referee=showing.referee, sound=showing.sound)
            if guide.asks_for_look():
                guide.looked(replace(GOOD, at_ns=now_ns), now_ns)
            if self.board.shown is not None:
                self.signs.add(tuple(sign for sign, _, _ in self.board.shown.seats))
            if BOARD in self.seats.faults():
                self.clock.leap(500)
            elif showing.say != pressed and not self._is_ahead_of(showing.seats):
                pressed = showing.say
                self.sentences.append(pressed)
                self.clock.leap(7000 if "Buzzer" in pressed else 2700)
                act = press_of(pressed)
                if act is None:
                    self.clock.leap(16_000)
                else:
                    held_ms = 1500 if act[1] >= 1500 else 0
                    self.clock.leap(held_ms)
                    self.board.press(act[0], self.clock(), held_ms=held_ms)
        report = guide.report()
        self.seats.close()
        return report

    def _is_ahead_of(self, seats: tuple[tuple[int, int, int], ...]) -> bool:
        """Whether the board does not show yet what the program wants."""
        shown = self.board.shown
        return shown is None or [sign for sign, _, _ in shown.seats] != [sign for sign, _, _ in seats]


@pytest.fixture
def port(tmp_path: Path) -> Path:
    return tmp_path / "board"


def test_board_shows_each_seats_sign_and_its_presses_are_heard(port: Path) -> None:
    """The same script as on pins: the board draws the signs, its presses confirm them."""
    clock, board = Leaps(), FakeBoard()
    with PtyBoard(port, board, clock_ns=clock):
        person = AtTheBoard(port, board, clock)
        report = person.goes_round(asked)
    assert [line for line in report.results if not line.passed] == []
    for seat in range(4):
        assert tuple(SELF_TEST if place == seat else 0 for place in range(4)) in person.signs
    assert [sign for sign, _, _ in board.shown.seats] == [0] * 4 if board.shown else False
    button = result(report, "seat 0, button")
    assert (button.expected, button.came) == ("pressed and released, without noise", "pressed and released, no noise")
    board_line = result(report, "seat board")
    assert (board_line.expected, board_line.came) == (
        f"seat firmware of protocol {PROTOCOL}",
        f"fake board 1.0, protocol {PROTOCOL}, boot 7",
    )
    assert result(report, "seat board, answers").came.startswith("after ")


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ((1, 1, 1, 1), ["green, yellow, red, all, dark"] * 4),
        ((2, 2, 2, 2), ["on and off"] * 4),
        ((3, 3, 3, 3), ["green, yellow, red, white, dark"] * 4),
        ((4, 4, 4, 4), ["green, yellow, red, white, dark"] * 4),
        ((4, 2, 1, 9), ["green, yellow, red, white, dark", "on and off", *["green, yellow, red, all, dark"] * 2]),
    ],
    ids=["leds", "pwm", "rgb", "pixels", "mixed"],
)
def test_person_is_told_what_the_lamp_at_that_seat_shows(port: Path, kinds: tuple[int, ...], shown: list[str]) -> None:
    """The board says what hangs on it; nobody is to wait for a light that this lamp has not got."""
    clock, board = Leaps(), FakeBoard(lamps=kinds)
    with PtyBoard(port, board, clock_ns=clock):
        person = AtTheBoard(port, board, clock)
        report = person.goes_round(asked)
    for seat, lights in enumerate(shown):
        (told,) = [say for say in person.sentences if f"Seat {seat}: watch" in say]
        assert f"watch its lamp go {lights}, then press its button" in told
        assert result(report, f"seat {seat}, lamp").expected == f"shows {lights}"


def test_board_of_another_protocol_is_named_and_nobody_has_to_press(port: Path) -> None:
    """Old firmware: what to install is said, the seats are not tested, the camera and the rest are."""
    clock, board = Leaps(), FakeBoard(protocol=PROTOCOL - 1)
    with PtyBoard(port, board, clock_ns=clock):
        report = AtTheBoard(port, board, clock).goes_round(asked)
    line = result(report, "seat board")
    assert (line.passed, line.came) == (False, f"fake board 1.0, protocol {PROTOCOL - 1}, boot 7")
    assert "install the firmware that belongs to it" in line.to_do
    assert result(report, "seat 0, lamp").came == "not tested: the seat board does not answer"
    assert result(report, "camera, light").passed
    assert not any(line.part.startswith("seat board, ") for line in report.results)
    failed = {line.part for line in report.results if line.passed is False}
    assert failed - {"camera, rate"} == {"seat board"}  # the clock leaps, and the frames with it


def test_board_that_is_not_there_is_over_in_seconds(port: Path) -> None:
    """Nobody walks round a table whose board is unplugged."""
    clock = Leaps()
    began_ns = clock()
    report = AtTheBoard(port, FakeBoard(), clock).goes_round(asked)
    line = result(report, "seat board")
    assert (line.passed, line.came) == (False, "no answer")
    assert "plug the seat board in" in line.to_do
    assert (clock() - began_ns) / 1e9 < 15


def test_chattering_button_of_a_board_is_named(port: Path) -> None:
    """The board tells of it by a bit; the seat's line says it, whatever came."""
    clock, board = Leaps(), FakeBoard()
    board.chattering = 1 << 2
    with PtyBoard(port, board, clock_ns=clock):
        person = AtTheBoard(port, board, clock)
        report = person.goes_round(lambda say: asked(say) if "Seat 2" not in say else None)
    button = result(report, "seat 2, button")
    assert (button.passed, button.came) == (False, "button chatters (0 pulses too short for a finger so far)")
    assert "check its plug and its wire" in button.to_do
    assert result(report, "seat 1, button").passed


def test_bad_cable_is_told_by_the_frames_that_are_lost(port: Path) -> None:
    """Bytes that are no frames come between the answers."""
    clock, board = Leaps(), FakeBoard()
    with PtyBoard(port, board, clock_ns=clock):
        person = AtTheBoard(port, board, clock)

        def noisy(say: str) -> tuple[int, int] | None:
            board.garbage(b"\x7e\x41\x42\x43\x7e")
            return asked(say)

        line = result(person.goes_round(noisy), "seat board, line")
    assert (line.passed, "damaged" in line.came, "cable" in line.to_do) == (False, True, True)


def test_firmware_itself_shows_every_light_and_tells_the_press(tmp_path: Path) -> None:
    """The board's own program under MicroPython: green, yellow, red, all, dark on its pins, then a finger."""
    news = threading.Event()
    with UnixBoard(tmp_path) as board:
        seats = BoardSeats(
            port=str(board.path), clock_ns=time.monotonic_ns, wake=news.set, logger=logging.getLogger("test.board")
        )
        measured = replace(setting(), measure=lambda: replace(WELL, board=board_seen(seats)))
        guide = Guide(measured, time.monotonic_ns(), by="Tess", with_buzzer=True)
        since_s, has_pressed, deadline_s = 0.0, False, time.monotonic() + 30
        say = ""
        while "Seat 1" not in say:
            assert time.monotonic() < deadline_s, say
            news.wait(0.01)
            news.clear()
            now_ns = time.monotonic_ns()
            for press in seats.presses(now_ns):
                guide.press(press, now_ns)
            showing = guide.turn(now_ns, faults=seats.faults(), noise=seats.noise(), camera_trouble=None)
            seats.show(showing.seats, answer=showing.answer, referee=showing.referee, sound=showing.sound)
            if showing.say != say:
                say, since_s = showing.say, time.monotonic()
            if "Seat 0" in say and not has_pressed and time.monotonic() - since_s > 2.8:
                has_pressed = True
                board.move((0, True), 120, (0, False))
        report = guide.report()
        seats.close()
        lights = {levels for _, levels in board.told("seat 0")}
        deadline_s = time.monotonic() + 5
        while board.shows("seat 0") != "000000":
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
    assert lights >= {"ff0000", "00ff00", "0000ff", "ffffff", "000000"}
    assert {levels for _, levels in board.told("seat 1")} <= {"000000", "ff0000"}
    assert [result(report, f"seat 0, {part}").passed for part in ("lamp", "button")] == [True, True]
    assert result(report, "seat board").came.startswith(f"{BUILD}, protocol {PROTOCOL}, boot ")
    assert result(report, "seat board, answers").passed
