"""The RP2040's pins for a MicroPython that has none: outputs are told to the outside, buttons obey it.

The first line from outside, `down PIN,PIN...`, has the pins that are down at first. Then come lines `move STEP STEP...`
(`0+`: button 0 goes down, `0-`: up, a number: wait so many ms), `babble TEXT`, `spark SEAT` (its pixels light up by
themselves), `hang` (for ever) and `count` (the bytes of memory left), obeyed when the watchdog is fed, as interrupts in
the middle of the loop. Told is each lamp that looks different after a round of the loop, and the pixels written to a
pin, with its milliseconds.
"""

import binascii
import gc
import sys

import outside
import utime

BUTTON_PINS = (2, 3, 4, 5, 6)
LAMP_PINS = (7, 10, 13, 16)
LOADING_MS = 30
"""A pad wakes pulled down, and its pull-up has a cable and a capacitor to load."""

_pins = {}
_levels = {}
_strips = {}
_shown = {}


def tell(text: str) -> None:
    """What happens, and when."""
    outside.tell(f"{utime.ticks_ms()} {text}")


def _line() -> tuple[str, str]:
    """The next line from outside, waited for: its first word and the others."""
    line = b""
    while not line.endswith(b"\n"):
        line += outside.listen()
    word, _, rest = line.decode().strip().partition(" ")
    return word, rest


_down = _line()[1].split(",")


class Pin:
    """A pin of the chip."""

    IN = 0
    OUT = 1
    PULL_UP = 1
    IRQ_FALLING = 4
    IRQ_RISING = 8

    def __init__(self, number, mode, pull=None, value=None):
        self.number = number
        self._made_ms = utime.ticks_ms()
        self._value = 0 if str(number) in _down else 1
        self._handler = None
        self._is_output = mode == Pin.OUT
        if self._is_output:
            self._value = value
            tell(f"made {number} {value}")
        elif pull != Pin.PULL_UP:
            raise ValueError("a button needs its pull-up")
        _pins[number] = self

    def irq(self, handler, trigger, hard):
        if not hard or trigger != Pin.IRQ_FALLING | Pin.IRQ_RISING:
            raise ValueError("an edge is stamped at once, whichever it is")
        self._handler = handler

    def value(self, value=None):
        if value is None:
            is_loading = not self._is_output and utime.ticks_diff(utime.ticks_ms(), self._made_ms) < LOADING_MS
            return 0 if is_loading else self._value
        self._value = int(value)
        return None

    def move(self, value):
        """A finger."""
        if value != self._value:
            self._value = value
            self._handler(self)


class PWM:
    """Pulses on a pin."""

    def __init__(self, pin, freq, duty_u16):
        self._number = pin.number
        self.duty_u16(duty_u16)
        if not 100 <= freq <= 20_000:
            raise ValueError("that flickers, or is too quick for an LED driver")

    def duty_u16(self, duty):
        if not 0 <= duty <= 65535:
            raise ValueError("duty")
        _levels[self._number] = duty // 257


class WDT:
    """The watchdog, fed once a round."""

    def __init__(self, timeout):
        if timeout > 8388:
            raise ValueError("longer than the chip's watchdog can wait")
        self._timeout_ms = timeout
        outside.feed(timeout)

    def feed(self):
        outside.feed(self._timeout_ms)
        _look()
        _obey()


def reset():
    """The chip begins anew."""
    if _levels or _strips:
        _look()
    tell("reset")
    outside.reset()


def add_strip(number, strip):
    """Pixels on a pin."""
    _strips[number] = strip
    _note(f"strip {number}", binascii.hexlify(strip).decode())


def _look():
    """Write down what looks different."""
    for seat, first in enumerate(LAMP_PINS):
        if first in _strips:
            levels = _strips[first]
        else:
            levels = bytes([_levels[pin] for pin in range(first, first + 3) if pin in _levels])
        _note(f"seat {seat}", binascii.hexlify(levels).decode())
    _note("referee", str(_levels.get(20, 0)))
    _note("buzzer", str(_pins[21].value()))


def _note(what, value):
    if _shown.get(what) != value:
        _shown[what] = value
        tell(f"{what} {value}")


def _obey():
    """Do what is told from outside."""
    while outside.is_told():
        word, rest = _line()
        if word == "move":
            for step in rest.split():
                if step[-1] in "+-":
                    _pins[BUTTON_PINS[int(step[:-1])]].move(0 if step[-1] == "+" else 1)
                else:
                    utime.sleep_ms(int(step))
        elif word == "hang":
            while True:
                pass
        elif word == "spark":
            first = LAMP_PINS[int(rest)]
            add_strip(first, b"\xff" * len(_strips[first]))
            _look()
        elif word == "count":
            gc.collect()
            tell(f"left {gc.mem_free()}")
        elif word == "babble":
            sys.stdout.buffer.write(rest.encode())
