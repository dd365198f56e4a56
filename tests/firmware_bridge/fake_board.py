"""The other end of the line for the tests: what docs/protocol.md asks of a board, in the fewest words."""

from collections import deque
from dataclasses import replace

from firmware_bridge.framing import Receiver, frame
from firmware_bridge.messages import (
    Hello,
    HelloReply,
    Message,
    MessageError,
    Pressed,
    Show,
    Shown,
    Taken,
    decode,
    encode,
)
from firmware_bridge.wire import BUTTONS, PROTOCOL

MS = 1_000_000
PRESS_AGAIN_MS = 50


class FakeBoard:
    """A seat board without pins: bytes in, bytes out, what it was told to show, buttons to press.

    Args:
        boot: Its boot number.
        ticks_at_zero_ms: What its clock shows when the host's time is 0.
        lamps: The kind of lamp at each seat, by the numbers of docs/protocol.md.
    """

    def __init__(
        self,
        *,
        boot: int = 7,
        ticks_at_zero_ms: int = 0,
        protocol: int = PROTOCOL,
        seats: int = 4,
        lamps: tuple[int, ...] = (4, 4, 4, 4),
    ) -> None:
        self.boot = boot
        self.shown: Show | None = None
        self.shows_heard = 0
        self.stuck = 0
        self.chattering = 0
        self.noise = (0,) * BUTTONS
        self.waiting: deque[Pressed] = deque()
        self._ticks_at_zero_ms = ticks_at_zero_ms
        self._protocol = protocol
        self._seats = seats
        self._lamps = lamps
        self._next_press = 250  # so that the numbers run over soon
        self._sent_press_ns = 0
        self._receiver = Receiver()
        self._out = b""

    def ticks_ms(self, now_ns: int) -> int:
        """Its clock, 32 bits."""
        return (now_ns // MS + self._ticks_at_zero_ms) % 2**32

    def restarted(self) -> "FakeBoard":
        """The same board after a power cut: everything lost, the next boot number, another clock."""
        return FakeBoard(boot=(self.boot + 1) % 2**16, ticks_at_zero_ms=12345)

    def press(self, button: int, now_ns: int, *, held_ms: int = 0) -> None:
        """A finger."""
        self.waiting.append(Pressed(0, self.boot, button, held_ms, self.ticks_ms(now_ns)))

    def garbage(self, data: bytes) -> None:
        """What a bad cable adds."""
        self._out += data

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes from the host."""
        self._receiver.receive_data(data)
        while (event := self._receiver.next_event()) is not None:
            if isinstance(event, bytes):
                try:
                    self._hear(decode(event), now_ns)
                except MessageError:
                    continue

    def send(self, now_ns: int) -> bytes:
        """Bytes to the host, the oldest press again until it is taken."""
        if self.waiting and now_ns - self._sent_press_ns >= PRESS_AGAIN_MS * MS:
            self._say(replace(self.waiting[0], number=self._next_press))
            self._sent_press_ns = now_ns
        out, self._out = self._out, b""
        return out

    def _hear(self, message: Message, now_ns: int) -> None:
        if isinstance(message, Hello):
            self._say(
                HelloReply(
                    message.number,
                    self._protocol,
                    self.boot,
                    self.ticks_ms(now_ns),
                    self._seats,
                    "fake board 1.0",
                    True,
                    tuple((kind, 16 if kind == 4 else 1) for kind in self._lamps) if self._protocol == PROTOCOL else (),
                )
            )
        elif isinstance(message, Show):
            self.shown = message
            self.shows_heard += 1
            ticks_ms = self.ticks_ms(now_ns)
            self._say(Shown(message.number, self.boot, ticks_ms, self.stuck, self.chattering, self.noise))
        elif isinstance(message, Taken) and self.waiting and self._next_press == message.number:
            self.waiting.popleft()
            self._next_press = (self._next_press + 1) % 256
            self._sent_press_ns = 0

    def _say(self, message: Message) -> None:
        self._out += frame(encode(message))
