"""The board's own wiring diagram and its loop of 20 ms: the one file of the bridge that knows another room.

On the board this is /main.py, started at power-on; everything else lies there under the names it has here, so that the
debouncer, the lamps' signs and the buzzer's phrases are the very files of the Pi.
"""

if __name__ == "__main__":  # on a board, where compiling the other files takes some seconds
    from firmware_bridge.firmware.pins import Pins, darken, is_set_aside

    darken()

from firmware_bridge import wire
from firmware_bridge.firmware.board import Board
from hardware import lamps
from hardware.buzzer import sounds
from hardware.debounce import CHATTERS, FINE, Debouncer

TYPE_CHECKING = False
if TYPE_CHECKING:  # read by the type checker alone: MicroPython has no typing, and this file's pins may be others
    from firmware_bridge.firmware.pins import Pins

STEP_MS = 20
"""Bars and blinks are drawn so often; a message is answered at once."""

EDGES_MOST = 64
"""Edges taken in one round: a wire that chatters makes new ones as quickly as they are taken, and the watchdog must be
fed. What is left is taken in the next rounds; the levels make good what it would have told."""


class SeatBoard:
    """Buttons, lamps, buzzer and the talk with the host, on whatever *pins* there are.

    Args:
        pins: As `Pins` in pins.py.
    """

    def __init__(self, pins: "Pins") -> None:
        self._pins = pins
        self._ticks = pins.ticks()
        self._now_ms = 0
        self._kind = pins.kind
        self._board = Board(pins.boot(), pins.build, (1,) + (pins.kind, pins.pixels) * wire.SEATS)
        self._buttons = [Debouncer(pins.is_pressed(button), 0) for button in range(wire.BUTTONS)]
        self._levels = [bytearray(lamps.size(pins.kind, pins.pixels)) for _ in range(wire.SEATS)]
        self._referee = bytearray(1)

    def step(self) -> None:
        """One round: what came, what it looks like now, what is to be said."""
        pins = self._pins
        ticks = pins.ticks()
        self._now_ms += pins.since(ticks, self._ticks)
        self._ticks = ticks
        now_ms = self._now_ms
        self._board.receive(pins.read(), now_ms)
        self._look_at_buttons(now_ms)
        self._draw(now_ms)
        out = self._board.send(now_ms + pins.since(pins.ticks(), ticks))
        if out:
            pins.write(out)
        if self._board.is_leaving:
            pins.set_aside()
        pins.feed()
        pins.wait(STEP_MS - pins.since(pins.ticks(), ticks))

    def _look_at_buttons(self, now_ms: int) -> None:
        """Edges since the last round, then the levels themselves: an edge that was lost must not become a hold."""
        for _ in range(EDGES_MOST):
            edge = self._pins.next_edge()
            if edge is None:
                break
            button, is_pressed, ticks = edge
            self._buttons[button].edge(is_pressed, now_ms - self._pins.since(self._ticks, ticks))
        stuck = chattering = 0
        for button, debouncer in enumerate(self._buttons):
            is_pressed = self._pins.is_pressed(button)
            if is_pressed != debouncer.pressed:
                debouncer.edge(is_pressed, now_ms)
            press = debouncer.next_press(now_ms)
            while press is not None:
                self._board.press(button, press[0], press[1])
                press = debouncer.next_press(now_ms)
            self._board.noise[button] = debouncer.noise
            fault = debouncer.fault(now_ms)
            if fault == CHATTERS:
                chattering |= 1 << button
            elif fault != FINE:
                stuck |= 1 << button
        self._board.stuck = stuck
        self._board.chattering = chattering

    def _draw(self, now_ms: int) -> None:
        """Lamps and buzzer as they are at this moment."""
        board = self._board
        is_silent = board.is_host_silent(now_ms)
        if is_silent:
            board.darken()
        for seat in range(wire.SEATS):
            sign, since_ms, limit_ms = board.seats[seat]
            felt_ms = self._buttons[seat].felt_since()
            if is_silent:
                sign = lamps.HOST_SILENT
            elif board.answer[0] == seat and lamps.is_answer_seen(board.answer[2], felt_ms, now_ms):
                sign, since_ms = board.answer[1:]
            elif felt_ms is not None:
                sign = lamps.felt(sign)
            levels = self._levels[seat]
            lamps.draw(levels, self._kind, sign, now_ms, now_ms - since_ms, limit_ms)
            self._pins.show(seat, levels)
        lamps.draw(self._referee, lamps.PWM, board.referee, now_ms)
        self._pins.show_referee(self._referee[0])
        self._pins.buzz(sounds(board.sound[0], now_ms - board.sound[1]))


def run(pins: "Pins") -> None:
    """For ever."""
    seat_board = SeatBoard(pins)
    while True:
        seat_board.step()


if __name__ == "__main__":
    if not is_set_aside():
        run(Pins())
