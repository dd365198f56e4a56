"""The board's loop with the time moved by hand: its clock runs over twice, and no press or bar notices."""

import pytest

from firmware_bridge.firmware.main import EDGES_MOST, SeatBoard
from firmware_bridge.session import Press, Session, Signs, State
from hardware.debounce import Debouncer

MS = 1_000_000
RUNS_OVER = 1 << 30
"""Where the ticks of a 32-bit MicroPython begin anew."""


class Pins:
    """The chip, its time moved by the loop's own waiting; a round takes 1 ms."""

    def __init__(self, ticks: int) -> None:
        self.kind, self.pixels, self.build = 1, 1, "moved by hand"
        self.now_ms = 0
        self.first = ticks
        self.down = [False] * 5
        self.edges: list[tuple[int, bool, int]] = []
        self.inbox = b""
        self.outbox = b""
        self.levels = [b""] * 4
        self.buzzing: list[bool] = []

    def boot(self) -> int:
        return 7

    def ticks(self) -> int:
        return (self.first + self.now_ms) % RUNS_OVER

    def since(self, ticks: int, earlier: int) -> int:
        return (ticks - earlier + RUNS_OVER // 2) % RUNS_OVER - RUNS_OVER // 2

    def wait(self, ms: int) -> None:
        self.now_ms += max(1, ms)

    def read(self) -> bytes:
        data, self.inbox = self.inbox, b""
        return data

    def write(self, data: bytes) -> None:
        self.outbox += data

    def feed(self) -> None:
        pass

    def is_pressed(self, button: int) -> bool:
        return self.down[button]

    def next_edge(self) -> tuple[int, bool, int] | None:
        return self.edges.pop(0) if self.edges else None

    def show(self, seat: int, levels: bytearray) -> None:
        self.levels[seat] = bytes(levels)

    def show_referee(self, level: int) -> None:
        pass

    def buzz(self, is_on: bool) -> None:
        self.buzzing.append(is_on)

    def move(self, button: int, *, down: bool) -> None:
        """A finger, stamped now."""
        self.down[button] = down
        self.edges.append((button, down, self.ticks()))


class Joined:
    """The host's session and the board's loop, on one time."""

    def __init__(self, ticks: int, uptime_ms: int) -> None:
        self.pins = Pins(ticks)
        self.board = SeatBoard(self.pins)  # type: ignore[arg-type]
        self.board._now_ms = uptime_ms
        self.board._board._shown_ms = uptime_ms
        self.board._buttons = [Debouncer(False, uptime_ms) for _ in range(5)]
        self.session = Session()
        self.session.opened(0)
        self.presses: list[Press] = []

    def run(self, ms: int) -> None:
        """Let so much time pass."""
        end_ms = self.pins.now_ms + ms
        while self.pins.now_ms < end_ms:
            now_ns = self.pins.now_ms * MS
            actions = self.session.advance(now_ns)
            self.presses += actions.presses
            self.pins.inbox += actions.write
            self.board.step()
            self.session.received(self.pins.outbox, self.pins.now_ms * MS)
            self.pins.outbox = b""


@pytest.mark.parametrize("uptime_ms", [0, 2**30 - 2000, 2**32 - 2000], ids=["start", "12 days", "50 days"])
def test_clock_that_runs_over_moves_no_press_and_no_bar(uptime_ms: int) -> None:
    """Ticks begin anew after 12 days, the wire's after 50; presses keep their time, the bar its length."""
    joined = Joined(RUNS_OVER - 2000, uptime_ms)
    joined.run(300)
    assert joined.session.state is State.READY
    began_ns = joined.pins.now_ms * MS
    joined.session.show(Signs(((1, began_ns, 6000), (0, 0, 0), (0, 0, 0), (0, 0, 0))))
    for seconds in range(4):
        joined.run(500)
        down_ms = joined.pins.now_ms
        joined.pins.move(2, down=True)
        joined.run(100)
        joined.pins.move(2, down=False)
        joined.run(400)
        press = joined.presses[-1]
        assert (len(joined.presses), press.button, press.held_ms) == (seconds + 1, 2, 0)
        error_ns = joined.session.clock_error_ns
        assert error_ns is not None
        assert abs(press.at_ns - down_ms * MS) <= error_ns
    seen = set()
    for _ in range(40):
        joined.run(20)
        seen.add(joined.pins.levels[0])
    assert seen == {b"\x00\x00\xff", b"\x00\x00\x00"}


def test_edge_that_was_lost_does_not_become_a_hold() -> None:
    """The level itself is looked at in every round, so a full ring of edges does not call the referee."""
    joined = Joined(0, 0)
    joined.run(300)
    joined.pins.move(0, down=True)
    joined.run(100)
    joined.pins.down[0] = False  # up, and no interrupt
    joined.run(3000)
    assert [(press.button, press.held_ms) for press in joined.presses] == [(0, 0)]


def test_wire_that_chatters_without_end_does_not_stop_the_loop() -> None:
    """New edges come as quickly as they are taken: the round ends, the watchdog is fed, another seat's press counts."""
    joined = Joined(0, 0)
    joined.run(300)
    taken = 0

    def chatter() -> tuple[int, bool, int]:
        nonlocal taken
        taken += 1
        assert taken <= EDGES_MOST, "a round has to end"
        return 0, taken % 2 == 0, joined.pins.ticks()

    joined.pins.next_edge = chatter  # type: ignore[method-assign]
    for n in range(40):
        taken = 0
        joined.pins.down[1] = 10 <= n < 20
        joined.run(20)
    assert [(press.button, press.held_ms) for press in joined.presses] == [(1, 0)]
    assert joined.session.chattering == 0b00001


def test_presses_that_nobody_takes_are_kept_but_not_for_ever() -> None:
    """Sixteen wait for the host; of more the oldest go, and what is told is in order."""
    joined = Joined(0, 0)
    joined.run(300)
    for n in range(20):
        joined.board._board.press(n % 5, 0, joined.board._now_ms)
    joined.run(5000)
    assert [press.button for press in joined.presses] == [n % 5 for n in range(4, 20)]


def test_silent_host_is_forgotten_once_and_asking_for_it_changes_nothing() -> None:
    """Two seconds without a Show: every sign, flash and phrase is dropped, no list is made anew in each round after."""
    joined = Joined(0, 0)
    joined.run(300)
    joined.session.show(Signs(((6, 0, 0),) * 4, answer=(2, 9, 300 * MS), referee=14, sound=(3, 300 * MS)))
    joined.run(100)
    board = joined.board._board
    told = (board.seats[0][0], board.answer[0], board.referee, board.sound[0])
    assert told == (6, 2, 14, 3)
    assert board.is_host_silent(joined.board._now_ms + 10_000)
    assert (board.seats[0][0], board.answer[0], board.referee, board.sound[0]) == told
    for _ in range(110):
        joined.board.step()
    assert (board.seats, board.answer, board.referee, board.sound) == ([(0, 0, 0)] * 4, (255, 0, 0), 0, (0, 0))
    seats = board.seats
    joined.board.step()
    assert board.seats is seats
    joined.session.show(Signs(((5, 0, 0),) * 4))
    joined.run(600)
    assert board.seats[3][0] == 5
    for _ in range(110):
        joined.board.step()
    assert board.seats == [(0, 0, 0)] * 4


def test_finger_is_felt_within_50_ms_while_the_host_is_busy() -> None:
    """The board's lamp answers by itself, in the worst moment of its round, and forgets the finger when it is gone."""
    for ago_ms in range(20):  # before the round that hears of it
        joined = Joined(0, 0)
        joined.run(300)
        joined.session.show(Signs(((6, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0))))
        joined.run(100)
        assert joined.pins.levels[:2] == [b"\xff\0\0", b"\0\0\0"]
        pressed_ms = joined.pins.now_ms - ago_ms
        joined.pins.down[0] = joined.pins.down[1] = True
        joined.pins.edges += [(button, True, joined.pins.ticks() - ago_ms) for button in (0, 1)]
        while joined.pins.now_ms - pressed_ms < 45:  # 5 ms are left for drawing
            joined.board.step()
        assert joined.pins.levels[:2] == [b"\0\0\0", b"\xff\xff\xff"]
        joined.pins.move(0, down=False)
        joined.pins.move(1, down=False)
        joined.run(100)
        assert joined.pins.levels[:2] == [b"\xff\0\0", b"\0\0\0"]


def test_hold_is_answered_while_the_finger_is_still_there() -> None:
    """A green flash over the lamp that the finger holds dark; a finger that comes after the flash is felt at once."""
    joined = Joined(0, 0)
    joined.run(300)
    signs = ((6, 0, 0),) * 4
    joined.session.show(Signs(signs))
    joined.pins.move(0, down=True)
    joined.run(1600)
    assert ([press.held_ms for press in joined.presses], joined.pins.levels[0]) == ([1500], b"\0\0\0")
    joined.session.show(Signs(signs, answer=(0, 9, joined.pins.now_ms * MS)))
    joined.run(100)
    assert joined.pins.levels[0] == b"\xff\0\0"
    joined.run(500)
    assert joined.pins.levels[0] == b"\0\0\0"
    joined.pins.move(0, down=False)
    joined.run(100)
    joined.session.show(Signs(signs, answer=(0, 9, joined.pins.now_ms * MS)))
    joined.run(60)
    joined.pins.move(0, down=True)
    joined.run(60)
    assert joined.pins.levels[0] == b"\0\0\0"
