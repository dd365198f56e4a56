"""The board's end of the talk: bytes in and out, signs and presses in between; no pin, port or clock is known here.

docs/protocol.md has the rules. Times are milliseconds of the board's own clock, which never run over here; on the wire
they do.
"""

from firmware_bridge import wire
from firmware_bridge.framing import PeerFault, Receiver, frame

SILENT_MS = 2000
"""With no Show for so long the host is gone: it sends one every 500 ms."""

AGAIN_MS = 100
"""A press not taken is sent again."""

PRESSES_KEPT = 16

_U16, _TICKS = 0xFFFF, 0xFFFFFFFF


class Board:
    """One seat board: tell it bytes and presses, ask it for bytes and what is to be shown.

    Args:
        boot: Its boot number.
        build: The firmware's name and version.
        parts: 1 where there is a buzzer, then kind and pixels of each seat's lamp.
    """

    def __init__(self, boot: int, build: str, parts: tuple[int, ...]) -> None:
        self.stuck = 0
        self.chattering = 0
        """Bits of the buttons, for the host."""
        self.noise = [0] * wire.BUTTONS
        """Of each button the pulses too short for a finger since the start, for the host."""
        self.damaged = 0
        """Frames and messages dropped since the start."""
        self.is_leaving = False
        """Whether the host has asked to start without the firmware."""
        self._boot = boot
        self._build = build
        self._parts = parts
        self._receiver = Receiver()
        self._newest: int | None = None  # number of the newest Hello or Show; None: not greeted
        self._shown_ms = 0  # when the last Show came, or the start
        self._replies: list[tuple[int, int]] = []  # kind and number
        self._presses: list[tuple[int, int, int]] = []  # button, held, when
        self._press_number = 0
        self._press_sent_ms: int | None = None  # of the oldest; None: not yet
        self._is_dark = False
        self.darken()

    def receive(self, data: bytes, now_ms: int) -> None:
        """Bytes from the host."""
        self._receiver.receive_data(data)
        while True:
            event = self._receiver.next_event()
            if event is None:
                return
            fields = None if isinstance(event, PeerFault) else wire.unpack(event)
            if fields is None:
                self.damaged += 1
            elif fields[0] == wire.HELLO:
                self._newest = fields[1]
                self._replies.append((wire.HELLO_REPLY, fields[1]))
            elif self._newest is not None:
                self._hear(fields, now_ms)

    def press(self, button: int, held_ms: int, at_ms: int) -> None:
        """A press, bounces removed; when too many wait, the oldest one that was not sent yet is dropped."""
        if len(self._presses) == PRESSES_KEPT:
            self._presses.pop(0 if self._press_sent_ms is None else 1)
        self._presses.append((button, held_ms, at_ms))

    def send(self, now_ms: int) -> bytes:
        """Bytes to the host: answers, and the oldest press until it is taken; presses wait while no host listens."""
        out = b""
        ticks = now_ms & _TICKS
        for kind, number in self._replies:
            if kind == wire.HELLO_REPLY:
                fields = (number, wire.PROTOCOL, self._boot, ticks, wire.SEATS)
                out += frame(wire.pack_hello_reply(fields, self._build, self._parts))
            else:
                noise = [pulses & _U16 for pulses in self.noise]
                out += frame(wire.pack(wire.SHOWN, number, self._boot, ticks, self.stuck, self.chattering, *noise))
        self._replies = []
        if self._presses and not self.is_host_silent(now_ms) and self._is_press_due(now_ms):
            button, held_ms, at_ms = self._presses[0]
            out += frame(wire.pack(wire.PRESSED, self._press_number, self._boot, button, held_ms, at_ms & _TICKS))
            self._press_sent_ms = now_ms
        return out

    def is_host_silent(self, now_ms: int) -> bool:
        """Whether the host has told nothing to show for 2 s; then `darken` what it told before."""
        return now_ms - self._shown_ms >= SILENT_MS

    def darken(self) -> None:
        """Forget what the host told to show and to sound; once is enough until it tells something again."""
        if self._is_dark:
            return
        self._is_dark = True
        self.seats = [(0, 0, 0)] * wire.SEATS
        """Of each seat: its lamp's sign, the moment since which, and the time given."""
        self.answer = (wire.NOBODY, 0, 0)
        """A flash over a seat's sign: the seat, the flash, when it began."""
        self.referee = 0
        """The sign of the referee's lamp."""
        self.sound = (0, 0)
        """The buzzer's phrase and when it began."""

    def _is_press_due(self, now_ms: int) -> bool:
        return self._newest is not None and (self._press_sent_ms is None or now_ms - self._press_sent_ms >= AGAIN_MS)

    def _hear(self, fields: tuple[int, ...], now_ms: int) -> None:
        """A message of a host that has been greeted; what only a board may say is dropped."""
        kind, number = fields[0], fields[1]
        if kind == wire.SHOW:
            ahead = (number - (self._newest or 0)) % 256
            if 0 < ahead < 128:
                self._newest = number
                self._shown_ms = now_ms
                self._show(fields[2:], now_ms)
            if ahead < 128:
                self._replies.append((wire.SHOWN, number))
        elif kind == wire.LEAVE:
            self.is_leaving = True
        elif kind != wire.TAKEN:
            self.damaged += 1
        elif self._presses and self._press_sent_ms is not None and number == self._press_number:
            self._presses.pop(0)
            self._press_number = (number + 1) % 256
            self._press_sent_ms = None

    def _show(self, fields: tuple[int, ...], now_ms: int) -> None:
        """Keep the moments that the ages of a Show mean on this clock."""
        self._is_dark = False
        for seat in range(wire.SEATS):
            sign, since_ms, limit_ms = fields[3 * seat : 3 * seat + 3]
            self.seats[seat] = (sign, now_ms - since_ms, limit_ms)
        seat, flash, age_ms, self.referee, phrase, phrase_ms = fields[3 * wire.SEATS :]
        self.answer = (seat, flash, now_ms - age_ms)
        self.sound = (phrase, now_ms - phrase_ms)
