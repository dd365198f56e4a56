"""The messages between host and seat board, as frozen records and as payloads; when to send which is not known here.

A payload is one byte for the kind, then the fields in the order of the record, integers with the low byte first.
docs/protocol.md has the table.
"""

import struct
from dataclasses import astuple, dataclass
from typing import ClassVar

PROTOCOL = 1
"""The version this program speaks."""

SEATS = 4
BUTTONS = 5
"""0 to 3: the seats; 4: acknowledge."""
LEVELS = 3 * SEATS + 2
HELD_MS = (0, 1500, 3000)
MAX_BUILD = 40
"""Bytes of UTF-8."""


class MessageError(ValueError):
    """A payload that is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Host: who are you? The board answers at any time. Its layout is the same in every version."""

    KIND: ClassVar = 0x01
    LAYOUT: ClassVar = struct.Struct("<BB")

    number: int
    """0 to 255, comes back in the reply."""
    protocol: int


@dataclass(frozen=True, slots=True)
class Show:
    """Host: show these levels, now and until told otherwise; also the sign that the host is alive."""

    KIND: ClassVar = 0x02
    LAYOUT: ClassVar = struct.Struct(f"<B{LEVELS}s")

    number: int
    """0 to 255, one more each time it is sent, comes back in Shown."""
    levels: bytes
    """Fourteen of 0 to 255: green, yellow, red of seats 0 to 3, the referee's lamp, the buzzer."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Host: the press with this number has arrived, do not send it again."""

    KIND: ClassVar = 0x03
    LAYOUT: ClassVar = struct.Struct("<B")

    number: int


@dataclass(frozen=True, slots=True)
class HelloReply:
    """Board: who I am. Its layout is the same in every version."""

    KIND: ClassVar = 0x81
    LAYOUT: ClassVar = struct.Struct("<BBHIB")

    number: int
    protocol: int
    boot: int
    """0 to 65535, another one after each start of the board."""
    ticks_ms: int
    """The board's clock, 32 bits, runs over."""
    seats: int
    build: str
    """The firmware's name and version."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Board: the levels of the Show with this number are on; how the buttons are."""

    KIND: ClassVar = 0x82
    LAYOUT: ClassVar = struct.Struct("<BHIBB")

    number: int
    boot: int
    ticks_ms: int
    stuck: int
    """Bit n: button n is held down since the start, or for more than 20 s."""
    chattering: int
    """Bit n: button n chatters."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """Board: a press, bounces removed, or a hold that has reached its time; sent again until taken."""

    KIND: ClassVar = 0x83
    LAYOUT: ClassVar = struct.Struct("<BHBHI")

    number: int
    """0 to 255, one more for each press."""
    boot: int
    button: int
    held_ms: int
    at_ticks_ms: int
    """The board's clock when the button went down; for a hold, when it reached its time."""


Message = Hello | Show | Taken | HelloReply | Shown | Pressed

_KINDS: dict[int, type[Message]] = {kind.KIND: kind for kind in (Hello, Show, Taken, HelloReply, Shown, Pressed)}


def encode(message: Message) -> bytes:
    """The payload of a message.

    Raises:
        struct.error: A number does not fit its field.
    """
    fields = astuple(message)
    tail = b""
    if isinstance(message, HelloReply):
        *fields_before, build = fields
        fields, tail = tuple(fields_before), build.encode()[:MAX_BUILD]
    return bytes((message.KIND,)) + message.LAYOUT.pack(*fields) + tail


def decode(payload: bytes) -> Message:
    """The message of a payload.

    Raises:
        MessageError: Unknown kind, wrong length, or a value that cannot be.
    """
    kind = _KINDS.get(payload[0]) if payload else None
    if kind is None:
        raise MessageError(f"Expected a message of a known kind, got {payload[:1].hex() or 'nothing'}.")
    fields, tail = payload[1 : 1 + kind.LAYOUT.size], payload[1 + kind.LAYOUT.size :]
    if len(fields) < kind.LAYOUT.size or (tail and kind is not HelloReply):
        raise MessageError(f"Expected {kind.LAYOUT.size} bytes in a {kind.__name__}, got {len(payload) - 1}.")
    values = kind.LAYOUT.unpack(fields)
    if kind is HelloReply:
        values += (tail[:MAX_BUILD].decode(errors="replace"),)
    message = kind(*values)
    if isinstance(message, Pressed) and not (message.button < BUTTONS and message.held_ms in HELD_MS):
        raise MessageError(f"Expected button 0 to 4 held 0, 1500 or 3000 ms, got {message.button}, {message.held_ms}.")
    return message
