"""What is outside the chip for a MicroPython on an emulated MPS2: its second serial line, its watchdog, its reset.

On that line each thing that happens is told, and each thing to do is brought.
"""

from umachine import mem32
from umachine import reset as leave_emulator

_LINE = 0x40005000  # data, state, control, interrupts, divisor of the second CMSDK APB UART
_WATCHDOG = 0x40008000  # load, value, control, interrupts of the CMSDK APB watchdog
_CLOCK_KHZ = 25_000

mem32[_LINE + 16] = 16
mem32[_LINE + 8] = 3  # sends and receives


def tell(text):
    """A line of the log."""
    for byte in text.encode() + b"\n":
        while mem32[_LINE + 4] & 1:
            pass
        mem32[_LINE] = byte


def is_told():
    """Whether somebody has something to say."""
    return bool(mem32[_LINE + 4] & 2)


def listen():
    """The next byte of what is said, waited for."""
    while not is_told():
        pass
    return bytes([mem32[_LINE]])


def feed(timeout_ms):
    """Start the watchdog's time anew; it interrupts the program when that is over, and resets a time later."""
    mem32[_WATCHDOG] = timeout_ms * _CLOCK_KHZ
    mem32[_WATCHDOG + 8] = 3


def reset():
    """The chip begins anew; here the emulator ends and is started again."""
    leave_emulator()
