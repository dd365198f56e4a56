"""The layout of every message as bytes, for both ends of the line; records, and when to send which, are not known here.

A payload is one byte for the kind, then the fields, integers with the low byte first. docs/protocol.md has the table.
HELLO, LEAVE, and HELLO_REPLY up to its build are laid out the same in every version: boards of others must understand.
The same file runs on the seat board, under MicroPython.
"""

import struct

PROTOCOL = 3
"""The version that this file lays out."""

SEATS = 4
BUTTONS = 5
"""0 to 3: the seats; 4: acknowledge."""
HELD_MS = (0, 1500, 3000)
MAX_BUILD = 40
"""Bytes of UTF-8."""
NOBODY = 255
"""In the place of a seat: there is no answer to show."""

LEAVE_WORD = 0x7661656C
"""A Leave must say this too: by no accident of 16 bits does a board stop in the middle of a game."""

HELLO = 0x01
SHOW = 0x02
TAKEN = 0x03
LEAVE = 0x04
HELLO_REPLY = 0x81
SHOWN = 0x82
PRESSED = 0x83

LAYOUTS = {
    HELLO: "<BB",  # number, protocol
    SHOW: "<B" + SEATS * "BII" + "BBHBBH",  # number, sign since limit of each seat, seat sign age, sign, phrase age
    TAKEN: "<B",  # number
    LEAVE: "<BI",  # number, LEAVE_WORD
    HELLO_REPLY: "<BBHIBB",  # number, protocol, boot, ticks, seats, length of the build; then the build and _PARTS
    SHOWN: "<BHIBB" + BUTTONS * "H",  # number, boot, ticks, stuck, chattering, noise of each button
    PRESSED: "<BHBHI",  # number, boot, button, held, ticks
}

_PARTS = "<B" + SEATS * "BB"  # buzzer, kind and pixels of each seat's lamp


def pack(kind: int, *fields: int) -> bytes:
    """The payload of any message but a HELLO_REPLY.

    Raises:
        struct.error: A number does not fit its field.
    """
    return bytes((kind,)) + struct.pack(LAYOUTS[kind], *fields)


def pack_hello_reply(fields: tuple[int, ...], build: str, parts: tuple[int, ...]) -> bytes:
    """The payload of a HELLO_REPLY.

    Args:
        fields: Number, protocol, boot, ticks, seats.
        build: The firmware's name and version; what is beyond 40 bytes is left out.
        parts: 1 where there is a buzzer, then kind and pixels of each seat's lamp.
    """
    text = bytes(build, "utf-8")[:MAX_BUILD]
    return pack(HELLO_REPLY, *(fields + (len(text),))) + text + struct.pack(_PARTS, *parts)


def unpack(payload: bytes) -> tuple[int, ...] | None:
    """The kind and the fields of a payload; None where it is no message of this protocol.

    Of a HELLO_REPLY without the build and what follows it: see `unpack_hello_reply`.
    """
    layout = LAYOUTS.get(payload[0]) if payload else None
    if layout is None:
        return None
    size = 1 + struct.calcsize(layout)
    if len(payload) < size or (len(payload) > size and payload[0] != HELLO_REPLY):
        return None
    fields = struct.unpack(layout, payload[1:size])
    return (payload[0],) + fields if _can_be(payload[0], fields) else None


def unpack_hello_reply(payload: bytes) -> tuple[bytes, tuple[int, ...]] | None:
    """The build and the parts of a HELLO_REPLY that `unpack` has taken; no parts where another protocol has others."""
    begin = 1 + struct.calcsize(LAYOUTS[HELLO_REPLY])
    end = begin + payload[begin - 1]
    if end > len(payload) or payload[begin - 1] > MAX_BUILD:
        return None
    parts: tuple[int, ...] = ()
    if payload[2] == PROTOCOL:
        if len(payload) - end != struct.calcsize(_PARTS):
            return None
        parts = struct.unpack(_PARTS, payload[end:])
    return payload[begin:end], parts


def _can_be(kind: int, fields: tuple[int, ...]) -> bool:
    """Whether numbers that name a seat, button or hold name one that there is."""
    if kind == PRESSED:
        return fields[2] < BUTTONS and fields[3] in HELD_MS
    if kind == SHOW:
        seat = fields[1 + 3 * SEATS]
        return seat < SEATS or seat == NOBODY
    return kind != LEAVE or fields[1] == LEAVE_WORD
