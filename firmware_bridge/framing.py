"""Bytes from the line in, payloads out, and back; what a payload means, and the line itself, are not known here.

    7E  payload and CRC, escaped  7E

The CRC is CRC-16/CCITT-FALSE over the payload, low byte first. Of payload and CRC, 7D, 7E and every byte below 20 go as
7D and the byte XOR 20 (all hex), as PPP does on a modem line (RFC 1662, section 4.2). So no control character is ever
on the wire: a MicroPython console cannot take a byte 3 for Ctrl-C, and XON and XOFF stop nothing.

The same file runs on the seat board, under MicroPython.
"""

from collections import namedtuple

try:
    from binascii import crc_hqx
except ImportError:  # MicroPython
    from firmware_bridge.crc import crc_hqx  # type: ignore[assignment]

FLAG = 0x7E
ESCAPE = 0x7D
FLIP = 0x20

MAX_PAYLOAD = 64
"""Bytes. The longest message has 60; a board with 2 kB of memory can hold a few of these."""

_MAX_BODY = 2 * (MAX_PAYLOAD + 2)
"""Bytes between two flags where everything is escaped; what is longer is no frame, so no more is kept."""

PeerFault = namedtuple("PeerFault", ("reason", "dropped"))
"""Bytes that are no frame, why, and how many; they are dropped up to the next flag."""


def frame(payload: bytes) -> bytes:
    """Wrap a payload of 1 to 64 bytes for the wire.

    Raises:
        ValueError: The payload is empty or too long.
    """
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        raise ValueError(f"Expected a payload of 1 to {MAX_PAYLOAD} bytes, got {len(payload)}.")
    crc = crc_hqx(payload, 0xFFFF)
    wire = bytearray((FLAG,))
    for part in (payload, bytes((crc & 0xFF, crc >> 8))):
        for byte in part:
            if byte < FLIP or byte in (ESCAPE, FLAG):
                wire.append(ESCAPE)
                byte ^= FLIP
            wire.append(byte)
    wire.append(FLAG)
    return bytes(wire)


class Receiver:
    """Pour in bytes as they come, in any pieces, then ask for events until there are none."""

    def __init__(self) -> None:
        self._data = b""  # not looked at yet, from *_next* on
        self._next = 0
        self._plain = bytearray(MAX_PAYLOAD + 2)  # of the present body, escapes undone
        self._length = 0  # of that; may grow beyond it
        self._raw = 0  # bytes since the last flag
        self._is_escaped = False

    def receive_data(self, data: bytes) -> None:
        """Take the next bytes of the line."""
        self._data = self._data[self._next :] + data
        self._next = 0

    def next_event(self) -> bytes | PeerFault | None:
        """The next payload, or what was no frame, or None: more bytes are needed; less than one frame is kept then."""
        while self._next < len(self._data):
            byte = self._data[self._next]
            self._next += 1
            if byte != FLAG:
                self._take(byte)
            elif self._raw:
                return self._end()
        self._data = b""
        self._next = 0
        return None

    def _take(self, byte: int) -> None:
        """One more byte of the present body."""
        self._raw += 1
        if byte == ESCAPE and not self._is_escaped:
            self._is_escaped = True
            return
        if self._is_escaped:
            byte ^= FLIP
            self._is_escaped = False
        if self._length < len(self._plain):
            self._plain[self._length] = byte
        self._length += 1

    def _end(self) -> bytes | PeerFault:
        """What stood between two flags."""
        raw, length, is_cut = self._raw, self._length - 2, self._is_escaped
        self._raw = self._length = 0
        self._is_escaped = False
        if raw > _MAX_BODY:
            return PeerFault("longer than any frame", raw)
        if not 1 <= length <= MAX_PAYLOAD:
            return PeerFault(f"a payload of {max(0, length)} bytes", raw)
        payload = bytes(self._plain[:length])
        if is_cut or crc_hqx(payload, 0xFFFF) != self._plain[length] | self._plain[length + 1] << 8:
            return PeerFault("wrong CRC", raw)
        return payload
