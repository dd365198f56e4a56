"""BoardSeats with real pyserial on a real pty: a board that answers, goes, comes back, or never was."""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from firmware_bridge.link import LinkDied
from firmware_bridge.seats import Fault
from firmware_bridge.wire import PROTOCOL
from tests.firmware_bridge.fake_board import FakeBoard
from tests.firmware_bridge.host import Host
from tests.firmware_bridge.pty_board import PtyBoard

OFF = (0, 0, 0)
LEADS = (6, 0, 0)


@pytest.fixture
def port(tmp_path: Path) -> Path:
    """The stable path of the board."""
    return tmp_path / "seat-board"


@pytest.fixture
def board(port: Path) -> Iterator[PtyBoard]:
    """A board that is plugged in."""
    with PtyBoard(port, FakeBoard()) as board:
        yield board


@pytest.fixture
def host(port: Path) -> Iterator[Host]:
    """A program that wants to talk to the board."""
    host = Host(port)
    yield host
    host.seats.close()


def test_hello_press_and_show_over_a_real_line(board: PtyBoard, host: Host) -> None:
    """Greeting, lamps one way, a stamped press the other."""
    host.until(host.ready)
    began_ns = time.monotonic_ns() - 4_000_000_000
    host.show((1, began_ns, 15_000), OFF, OFF, LEADS, answer=(3, 9, began_ns), referee=14, sound=(2, began_ns))
    host.until(lambda: board.signs() == [1, 0, 0, 6])
    told = board.board.shown
    assert told is not None
    assert 4000 <= told.seats[0][1] < 5000
    assert (told.seats[0][2], told.answer, told.referee, told.phrase) == (15_000, (3, 9, told.phrase_ms), 14, 2)
    pressed_ns = time.monotonic_ns()
    board.board.press(3, pressed_ns, held_ms=1500)
    host.until(lambda: bool(host.found))
    (press,) = host.found
    assert (press.button, press.held_ms) == (3, 1500)
    assert abs(press.at_ns - pressed_ns) < 50_000_000
    host.until(lambda: not board.board.waiting)


def test_board_that_goes_away_comes_back_with_its_lamps(
    board: PtyBoard, host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    """The cable is pulled and put back: the reason is told, and the present levels are shown without a restart."""
    caplog.set_level(logging.INFO)
    host.until(host.ready)
    board.unplug()
    host.until(lambda: f"there is no {board.path}" in (host.seats.trouble or ""))
    host.show(*[LEADS] * 4)
    board.board = board.board.restarted()
    board.plug()
    host.until(lambda: host.ready() and board.signs() == [6] * 4)
    board.board.press(0, time.monotonic_ns())
    host.until(lambda: [press.button for press in host.found] == [0])
    ready = [record for record in caplog.records if "is ready" in record.getMessage()]
    assert len(ready) == 2


def test_board_that_comes_late_is_found(port: Path, host: Host) -> None:
    """The program may start before the board is plugged in."""
    host.until(lambda: "plug the seat board in" in (host.seats.trouble or ""))
    with PtyBoard(port, FakeBoard()):
        host.until(host.ready)


def test_port_in_use_is_told(board: PtyBoard, port: Path) -> None:
    """Two programs on one line would steal each other's bytes; the second is told so and waits."""
    with serial.Serial(str(port), exclusive=True):
        host = Host(port)
        host.until(lambda: "is used by another program" in (host.seats.trouble or ""))
    host.until(host.ready)
    host.seats.close()


def test_line_without_a_board_says_so(port: Path, host: Host) -> None:
    """Something opens but nobody answers."""
    master, slave = os.openpty()
    port.symlink_to(os.ttyname(slave))
    host.until(lambda: "does it carry the seat firmware?" in (host.seats.trouble or ""))
    os.close(slave)
    os.close(master)


def test_close_leaves_the_board_dark(board: PtyBoard, host: Host) -> None:
    """The last thing the board hears is: everything off; a second close does nothing."""
    host.until(host.ready)
    host.show(*[LEADS] * 4, sound=(1, time.monotonic_ns()))
    host.until(lambda: board.board.shown is not None and board.board.shown.phrase == 1)
    host.show(*[LEADS] * 4, referee=14)
    host.seats.close()
    host.until(lambda: board.signs() == [0] * 4)
    assert board.board.shown is not None
    assert (board.board.shown.referee, board.board.shown.phrase) == (0, 0)
    host.seats.close()


def test_health_of_buttons_is_told_by_place(board: PtyBoard, host: Host) -> None:
    """The board's own findings carry the names of the places."""
    board.board.stuck, board.board.chattering = 0b00010, 0b10000
    host.until(lambda: len(host.seats.faults()) == 2)
    wrong = "button chatters (0 pulses too short for a finger so far)"
    assert host.seats.faults() == {
        "seat 1": (Fault("button", "button_held", "button held down", "release it, or check its wire", is_held=True),),
        "referee": (Fault("button", "button_chatters", wrong, "check its plug and its wire"),),
    }


def test_dead_thread_is_noticed(port: Path) -> None:
    """A mistake of ours in the line's thread stops the program instead of a table without buttons."""

    def broken(_: str) -> serial.Serial:
        raise LookupError("a mistake")

    host = Host(port, open_serial=broken)
    with pytest.raises(LinkDied, match="LookupError"):
        host.until(lambda: False)
    host.seats.close()


def test_signs_for_another_number_of_seats_are_refused(host: Host) -> None:
    """A wrong picture is a mistake of the caller and is not sent."""
    with pytest.raises(ValueError, match="Expected the signs of 4 seats, got 3"):
        host.show(OFF, OFF, OFF)


def test_board_reports_what_it_is_and_how_the_line_was(port: Path) -> None:
    """Firmware, protocol and boot number of the board, round trips of the line."""
    with PtyBoard(port, FakeBoard(boot=41)):
        host = Host(port)
        assert host.seats.report().build == ""
        host.until(host.ready)
        report = host.seats.report()
        host.seats.close()
    assert (report.build, report.protocol, report.boot) == ("fake board 1.0", PROTOCOL, 41)
    assert report.round_trip_ns is not None
    assert 0 < report.round_trip_ns < 1_000_000_000
    assert host.seats.noise() == {"seat 0": 0, "seat 1": 0, "seat 2": 0, "seat 3": 0, "referee": 0}
