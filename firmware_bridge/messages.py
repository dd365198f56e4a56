"""The messages between host and seat board, as frozen records and as payloads; when to send which is not known here.

The bytes are laid out in wire.py, which the board has too.
"""

from dataclasses import dataclass

from firmware_bridge import wire


class MessageError(ValueError):
    """A payload that is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Host: who are you? The board answers at any time. Its layout is the same in every version."""

    number: int
    """0 to 255, comes back in the reply."""
    protocol: int


@dataclass(frozen=True, slots=True)
class Show:
    """Host: show these signs, now and until told otherwise; also the sign that the host is alive."""

    number: int
    """0 to 255, one more each time it is sent, comes back in Shown."""
    seats: tuple[tuple[int, int, int], ...]
    """Of each seat: its lamp's sign, since how many ms, and the time given in ms."""
    answer: tuple[int, int, int] | None
    """A flash over a seat's sign: the seat, the flash, its age in ms (65535: that or more)."""
    referee: int
    """The sign of the referee's lamp."""
    phrase: int
    """Of the buzzer; 0: none."""
    phrase_ms: int
    """How long ago the phrase began (65535: that or more)."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Host: the press with this number has arrived, do not send it again."""

    number: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Installer: all off, and start anew without the firmware, for new files. Its layout is the same in every version,
    so that a board of another one can be given the files of this one."""

    number: int


@dataclass(frozen=True, slots=True)
class HelloReply:
    """Board: who I am and what I have. Its layout up to the build is the same in every version from 2 on."""

    number: int
    protocol: int
    boot: int
    """0 to 65535, another one after each start of the board."""
    ticks_ms: int
    """The board's clock, 32 bits, runs over."""
    seats: int
    build: str
    """The firmware's name and version."""
    has_buzzer: bool = False
    lamps: tuple[tuple[int, int], ...] = ()
    """Of each seat the kind of lamp (1: three LEDs, 2: one LED, 3: RGB LED, 4: pixels) and the number of pixels; empty
    where the board speaks another version."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Board: the signs of the Show with this number are on; how the buttons are."""

    number: int
    boot: int
    ticks_ms: int
    stuck: int
    """Bit n: button n is held down since the start, or for more than 20 s."""
    chattering: int
    """Bit n: button n chatters."""
    noise: tuple[int, ...]
    """Of each button the pulses too short for a finger since the board's start; 16 bits, run over."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """Board: a press, bounces removed, or a hold that has reached its time; sent again until taken."""

    number: int
    """0 to 255, one more for each press that is sent."""
    boot: int
    button: int
    held_ms: int
    at_ticks_ms: int
    """The board's clock when the button went down; for a hold, when it reached its time."""


Message = Hello | Show | Taken | Leave | HelloReply | Shown | Pressed


def encode(message: Message) -> bytes:
    """The payload of a message.

    Raises:
        struct.error: A number does not fit its field.
    """
    match message:
        case Hello(number, protocol):
            return wire.pack(wire.HELLO, number, protocol)
        case Show(number, seats, answer, referee, phrase, phrase_ms):
            flat = [field for seat in seats for field in seat]
            answered = answer or (wire.NOBODY, 0, 0)
            return wire.pack(wire.SHOW, number, *flat, *answered, referee, phrase, phrase_ms)
        case Taken(number):
            return wire.pack(wire.TAKEN, number)
        case Leave(number):
            return wire.pack(wire.LEAVE, number, wire.LEAVE_WORD)
        case HelloReply(number, protocol, boot, ticks_ms, seats_there, build, has_buzzer, lamps):
            parts = (int(has_buzzer), *(field for lamp in lamps or ((0, 0),) * wire.SEATS for field in lamp))
            return wire.pack_hello_reply((number, protocol, boot, ticks_ms, seats_there), build, parts)
        case Shown(number, boot, ticks_ms, stuck, chattering, noise):
            return wire.pack(wire.SHOWN, number, boot, ticks_ms, stuck, chattering, *noise)
        case Pressed(number, boot, button, held_ms, at_ticks_ms):
            return wire.pack(wire.PRESSED, number, boot, button, held_ms, at_ticks_ms)


def decode(payload: bytes) -> Message:
    """The message of a payload.

    Raises:
        MessageError: Unknown kind, wrong length, or a value that cannot be.
    """
    unpacked = wire.unpack(payload)
    if unpacked is None:
        raise MessageError(f"Expected a message of protocol {wire.PROTOCOL}, got {payload.hex(' ') or 'nothing'}.")
    kind, *fields = unpacked
    if kind == wire.HELLO_REPLY:
        return _hello_reply(payload, fields[:5])
    if kind == wire.SHOW:
        number, *rest = fields
        seats = tuple((rest[i], rest[i + 1], rest[i + 2]) for i in range(0, 3 * wire.SEATS, 3))
        seat, sign, age_ms, referee, phrase, phrase_ms = rest[3 * wire.SEATS :]
        answer = None if seat == wire.NOBODY else (seat, sign, age_ms)
        return Show(number, seats, answer, referee, phrase, phrase_ms)
    if kind == wire.LEAVE:
        return Leave(fields[0])
    if kind == wire.SHOWN:
        number, boot, ticks_ms, stuck, chattering, *noise = fields
        return Shown(number, boot, ticks_ms, stuck, chattering, tuple(noise))
    plain: dict[int, type[Hello | Taken | Pressed]] = {
        wire.HELLO: Hello,
        wire.TAKEN: Taken,
        wire.PRESSED: Pressed,
    }
    return plain[kind](*fields)


def _hello_reply(payload: bytes, fields: list[int]) -> HelloReply:
    rest = wire.unpack_hello_reply(payload)
    if rest is None:
        raise MessageError(f"Expected a build and the parts of {wire.SEATS} seats, got {payload[11:].hex(' ')}.")
    build, parts = rest
    lamps = tuple((parts[i], parts[i + 1]) for i in range(1, len(parts), 2))
    number, protocol, boot, ticks_ms, seats = fields
    return HelloReply(
        number, protocol, boot, ticks_ms, seats, build.decode(errors="replace"), bool(parts and parts[0]), lamps
    )
