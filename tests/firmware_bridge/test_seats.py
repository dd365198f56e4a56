"""BoardSeats with real pyserial on a real pty: a board that answers, goes, comes back, or never was."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial

from firmware_bridge.link import LinkDied
from firmware_bridge.seats import BoardSeats
from firmware_bridge.session import Press
from tests.firmware_bridge.fake_board import FakeBoard
from tests.firmware_bridge.pty_board import PtyBoard

OFF = (0.0, 0.0, 0.0)
GREEN = (1.0, 0.0, 0.0)
DEADLINE_S = 15.0


class Host:
    """The loop of the program: sleeps until woken or 50 ms are over, then asks for presses."""

    def __init__(self, port: Path, **how: Callable[[str], serial.Serial]) -> None:
        self.news = threading.Event()
        self.found: list[Press] = []
        self.seats = BoardSeats(
            port=str(port),
            clock_ns=time.monotonic_ns,
            wake=self.news.set,
            logger=logging.getLogger("test.board"),
            **how,
        )

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the loop until the condition holds."""
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline, f"not reached; faults: {dict(self.seats.faults())}"
            self.news.wait(0.05)
            self.news.clear()
            self.found += self.seats.presses(time.monotonic_ns())

    def ready(self) -> bool:
        """Whether the board works."""
        return not self.seats.faults()


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
    host.seats.show([GREEN, OFF, OFF, (0.0, 0.5, 1.0)], referee=1.0, buzzer=0.0)
    shown = bytes([255, 0, 0, *[0] * 6, 0, 128, 255, 255, 0])
    host.until(lambda: board.board.levels == shown)
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
    host.until(lambda: f"there is no {board.path}" in host.seats.faults().get("seat board", ""))
    host.seats.show([GREEN] * 4, referee=0.0, buzzer=0.0)
    board.board = board.board.restarted()
    board.plug()
    host.until(lambda: host.ready() and board.board.levels == bytes([255, 0, 0] * 4 + [0, 0]))
    board.board.press(0, time.monotonic_ns())
    host.until(lambda: [press.button for press in host.found] == [0])
    ready = [record for record in caplog.records if "is ready" in record.getMessage()]
    assert len(ready) == 2


def test_board_that_comes_late_is_found(port: Path, host: Host) -> None:
    """The program may start before the board is plugged in."""
    host.until(lambda: "plug the seat board in" in host.seats.faults().get("seat board", ""))
    with PtyBoard(port, FakeBoard()):
        host.until(host.ready)


def test_port_in_use_is_told(board: PtyBoard, port: Path) -> None:
    """Two programs on one line would steal each other's bytes; the second is told so and waits."""
    with serial.Serial(str(port), exclusive=True):
        host = Host(port)
        host.until(lambda: "is used by another program" in host.seats.faults().get("seat board", ""))
    host.until(host.ready)
    host.seats.close()


def test_line_without_a_board_says_so(port: Path, host: Host) -> None:
    """Something opens but nobody answers."""
    master, slave = os.openpty()
    port.symlink_to(os.ttyname(slave))
    host.until(lambda: "does it carry the seat firmware?" in host.seats.faults().get("seat board", ""))
    os.close(slave)
    os.close(master)


def test_close_leaves_the_board_dark(board: PtyBoard, host: Host) -> None:
    """The last thing the board hears is: everything off; a second close does nothing."""
    host.until(host.ready)
    host.seats.show([GREEN] * 4, referee=1.0, buzzer=1.0)
    host.until(lambda: board.board.levels[13] == 255)
    host.seats.show([GREEN] * 4, referee=0.0, buzzer=1.0)
    host.seats.close()
    host.until(lambda: board.board.levels == bytes(14))
    host.seats.close()


def test_health_of_buttons_is_told_by_place(board: PtyBoard, host: Host) -> None:
    """The board's own findings carry the names of the places."""
    board.board.stuck, board.board.chattering = 0b00010, 0b10000
    host.until(lambda: len(host.seats.faults()) == 2)
    assert host.seats.faults() == {
        "seat 1": "button held down: release it, or check its wire",
        "referee": "button chatters: check its plug and its wire",
    }


def test_dead_thread_is_noticed(port: Path) -> None:
    """A mistake of ours in the line's thread stops the program instead of a table without buttons."""

    def broken(_: str) -> serial.Serial:
        raise LookupError("a mistake")

    host = Host(port, open_serial=broken)
    with pytest.raises(LinkDied, match="LookupError"):
        host.until(lambda: False)
    host.seats.close()


@pytest.mark.parametrize("shown", [[OFF] * 3, [(1.1, 0.0, 0.0), *[OFF] * 3]])
def test_levels_that_are_none_are_refused(host: Host, shown: list[tuple[float, float, float]]) -> None:
    """A wrong picture is a mistake of the caller and is not sent."""
    with pytest.raises(ValueError, match="Expected 4 x 3 levels and two more"):
        host.seats.show(shown, referee=0.0, buzzer=0.0)
