"""What lamps and buzzer show for one line of numbers; runs under CPython and, as a program, MicroPython."""

import binascii
import sys

from hardware import lamps
from hardware.buzzer import sounds


def answers(line: str) -> str:
    """Take `kind pixels sign now since limit`, all whole numbers; tell the levels and whether phrase *sign* sounds."""
    kind, pixels, sign, now_ms, since_ms, limit_ms = [int(word) for word in line.split()]
    levels = bytearray(lamps.size(kind, pixels))
    lamps.draw(levels, kind, sign, now_ms, since_ms, limit_ms)
    return f"{binascii.hexlify(levels).decode()} {sounds(sign, since_ms)}"


if __name__ == "__main__":
    for line in sys.stdin:
        print(answers(line.strip()))
