"""Bytes from the line in, payloads out, and back; what a payload means, and the line itself, are not known here.

    7E  payload and CRC, escaped  7E

The CRC is CRC-16/CCITT-FALSE over the payload, low byte first. Of payload and CRC, 7D, 7E and every byte below 20 go as
7D and the byte XOR 20 (all hex), as PPP does on a modem line (RFC 1662, section 4.2). So no control character is ever
on the wire: a MicroPython console cannot take a byte 3 for Ctrl-C, and XON and XOFF stop nothing.
"""

from binascii import crc_hqx
from dataclasses import dataclass
from enum import Enum

FLAG = 0x7E
ESCAPE = 0x7D
FLIP = 0x20

MAX_PAYLOAD = 64
"""Bytes. The longest message is under 50; a board with 2 kB of memory can hold a few of these."""

_MAX_BODY = 2 * (MAX_PAYLOAD + 2)
"""Bytes between two flags where everything is escaped; what is longer is no frame, so no more is kept."""


class NeedData(Enum):
    """The answer of a receiver that waits for more bytes."""

    NEED_DATA = "need data"


NEED_DATA = NeedData.NEED_DATA


@dataclass(frozen=True, slots=True)
class PeerFault:
    """Bytes that are no frame; they are dropped up to the next flag."""

    reason: str
    dropped: int
    """Bytes."""


def frame(payload: bytes) -> bytes:
    """Wrap a payload of 1 to 64 bytes for the wire.

    Raises:
        ValueError: The payload is empty or too long.
    """
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        raise ValueError(f"Expected a payload of 1 to {MAX_PAYLOAD} bytes, got {len(payload)}.")
    wire = bytearray([FLAG])
    for byte in payload + _crc(payload):
        wire += bytes((ESCAPE, byte ^ FLIP)) if byte < FLIP or byte in (ESCAPE, FLAG) else bytes((byte,))
    wire.append(FLAG)
    return bytes(wire)


class Receiver:
    """Pour in bytes as they come, in any pieces, then ask for events until it needs data."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._dropped = 0  # of the present body, because it had grown too long

    def receive_data(self, data: bytes) -> None:
        """Take the next bytes of the line."""
        self._buffer += data

    def next_event(self) -> bytes | PeerFault | NeedData:
        """The next payload, or what was no frame, or NEED_DATA; after that less than one frame is kept."""
        while (end := self._buffer.find(FLAG)) >= 0:
            body = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            length, self._dropped = self._dropped + end, 0
            if length:
                return _payload(body) if length <= _MAX_BODY else PeerFault("longer than any frame", length)
        if self._dropped + len(self._buffer) > _MAX_BODY:
            self._dropped += len(self._buffer)
            self._buffer.clear()
        return NEED_DATA


def _payload(body: bytes) -> bytes | PeerFault:
    """What stood between two flags."""
    plain = bytearray()
    bytes_of_body = iter(body)
    for byte in bytes_of_body:
        if byte == ESCAPE:
            byte = next(bytes_of_body, 0) ^ FLIP
        plain.append(byte)
    payload, crc = bytes(plain[:-2]), bytes(plain[-2:])
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        return PeerFault(f"a payload of {len(payload)} bytes", len(body))
    if crc != _crc(payload):
        return PeerFault("wrong CRC", len(body))
    return payload


def _crc(payload: bytes) -> bytes:
    return crc_hqx(payload, 0xFFFF).to_bytes(2, "little")
