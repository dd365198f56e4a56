"""What is outside the chip for a MicroPython that runs as a process: files that the environment names.

BOARD_LOG takes a line for each thing that happens, BOARD_CONTROL is a pipe that brings a line for each thing to do. In
BOARD_FED stands the watchdog's time; it is touched at each feeding, and unix_board.py, which no program on the board
can stop, bites. The chip's clock runs BOARD_SPEED times as fast as the machine's; its loop waits as long as ever.
"""

import os
import select
import sys

import utime

_speed = int(os.getenv("BOARD_SPEED"))
_begun_ms = utime.ticks_ms()
_log = open(os.getenv("BOARD_LOG"), "a")
_control = open(os.getenv("BOARD_CONTROL"), "r+b")
_poll = select.poll()
_poll.register(_control, select.POLLIN)


class _QuickTime:
    """`utime` for whoever imports it after this file."""

    ticks_diff = utime.ticks_diff
    ticks_cpu = utime.ticks_cpu

    @staticmethod
    def ticks_ms():
        return utime.ticks_diff(utime.ticks_ms(), _begun_ms) * _speed

    @staticmethod
    def sleep_ms(ms):
        utime.sleep_us(ms * 1000 // _speed)


if _speed != 1:
    sys.modules["utime"] = _QuickTime


def tell(text):
    """A line of the log."""
    _log.write(text + "\n")
    _log.flush()


def is_told():
    """Whether somebody has something to say."""
    return bool(_poll.poll(0))


def listen():
    """The next byte of what is said, waited for."""
    return _control.read(1)


def feed(timeout_ms):
    """Start the watchdog's time anew."""
    with open(os.getenv("BOARD_FED"), "w") as fed:
        fed.write(str(timeout_ms))


def reset():
    """The chip begins anew; here its process ends and is started again."""
    sys.exit(3)
