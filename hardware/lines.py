"""The pins as the kernel sees them: which chip is the header's, who holds a line, and lines driven low and given back.

No pin library is needed or touched here. What a button or a lamp is belongs in pins.py.
"""

import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

HEADER_LABELS = frozenset({"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"})
"""Labels of the chip behind the 40-pin header: Raspberry Pi up to 3 and Zero, Pi 4, Pi 5 (the drivers' own names).

The number cannot be relied on: on a Pi 5 it was gpiochip4 until the kernel of summer 2024 made it gpiochip0.
"""

DEVICES = Path("/dev")

# linux/gpio.h, version 2 of the character device, in every kernel since 5.10. Names and consumers have 32 bytes.
_CHIP_INFO = struct.Struct("=32s32sI")  # name, label, lines
_LINE_INFO = struct.Struct("=32s32sIIQ160x16x")  # name, consumer, offset, number of attributes, flags
_LINE_CONFIG = struct.Struct("=QI20x240x")  # flags, number of attributes; without any, outputs start low
_LINE_REQUEST = struct.Struct(
    f"=I252x32s{_LINE_CONFIG.size}sII20xi"
)  # first offset, consumer, config, lines, events, fd

_USED, _INPUT, _OUTPUT, _PULL_DOWN = 1 << 0, 1 << 2, 1 << 3, 1 << 9


def _call(direction: int, number: int, size: int) -> int:
    """The number of an ioctl of the GPIO device: 2 reads, 3 writes and reads."""
    return direction << 30 | size << 16 | 0xB4 << 8 | number


_GET_CHIP_INFO = _call(2, 0x01, _CHIP_INFO.size)
_GET_LINE_INFO = _call(3, 0x05, _LINE_INFO.size)
_GET_LINE = _call(3, 0x07, _LINE_REQUEST.size)
_SET_CONFIG = _call(3, 0x0D, _LINE_CONFIG.size)


def labels(devices: Path = DEVICES) -> Mapping[int, str]:
    """The label of every chip by its number, in that order; what cannot be opened says why in its label's place."""
    found: dict[int, str] = {}
    for path in devices.glob("gpiochip*"):
        number = path.name.removeprefix("gpiochip")
        if not number.isdecimal():
            continue
        try:
            found[int(number)] = _label(path)
        except OSError as problem:
            found[int(number)] = f"({problem.strerror})"
    return dict(sorted(found.items()))


def header_chip(devices: Path = DEVICES) -> int:
    """The number of the chip behind the 40-pin header, found by its label.

    Raises:
        OSError: No chip has such a label, or none may be opened; the message lists what is there.
    """
    there = labels(devices)
    if (chip := next((number for number, label in there.items() if label in HEADER_LABELS), None)) is not None:
        return chip
    listed = ", ".join(f"gpiochip{number} {label}" for number, label in there.items()) or "no gpiochip at all"
    raise OSError(errno.ENODEV, f"expected a chip labelled {' or '.join(sorted(HEADER_LABELS))}, got {listed}")


def holder(chip: int, line: int) -> str | None:
    """The name under which a line is held, `nobody says who` where the holder gave none; None while it is free.

    Raises:
        OSError: The chip or the line is not there, or may not be asked.
    """
    with _opened(_path(chip)) as file:
        answer = fcntl.ioctl(file, _GET_LINE_INFO, _LINE_INFO.pack(b"", b"", line, 0, 0))
    _, consumer, _, _, flags = _LINE_INFO.unpack(answer)
    if not flags & _USED:
        return None
    return _text(consumer) or "nobody says who"


def silence(chip: int, lines: Iterable[int]) -> Mapping[int, str]:
    """Drive each line low, then give it back as an input pulled down; what failed comes back with its reason.

    A kernel of the Raspberry Pi leaves an output at its level when the program that held it is gone (pull requests
    6117 and 6150 of raspberrypi/linux), so after a crash only this ends a sounding buzzer. Lines that somebody holds
    are left alone and told.

    Raises:
        OSError: The chip cannot be opened.
    """
    failed: dict[int, str] = {}
    with _opened(_path(chip)) as file:
        for line in lines:
            low = _LINE_CONFIG.pack(_OUTPUT, 0)
            try:
                answer = fcntl.ioctl(file, _GET_LINE, _LINE_REQUEST.pack(line, b"gameline", low, 1, 0, 0))
            except OSError as problem:
                failed[line] = problem.strerror or str(problem)
                continue
            held = _LINE_REQUEST.unpack(answer)[-1]
            try:
                fcntl.ioctl(held, _SET_CONFIG, _LINE_CONFIG.pack(_INPUT | _PULL_DOWN, 0))
            except OSError as problem:
                failed[line] = problem.strerror or str(problem)
            finally:
                os.close(held)
    return failed


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The chip's descriptor; a file of Python's own would try to seek in it."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)


def _path(chip: int) -> Path:
    return DEVICES / f"gpiochip{chip}"


def _label(path: Path) -> str:
    with _opened(path) as file:
        answer = fcntl.ioctl(file, _GET_CHIP_INFO, bytes(_CHIP_INFO.size))
    return _text(_CHIP_INFO.unpack(answer)[1])


def _text(padded: bytes) -> str:
    return padded.partition(b"\0")[0].decode("ascii", "replace")
