"""The pins, flash and line of a Raspberry Pi Pico (RP2040), all that touches the board; no meaning is known here.

Buttons close GP2 to GP5 (seats 0 to 3) and GP6 (acknowledge) to ground. The lamp of seat n hangs on three pins from
GP7 + 3n on: green, yellow, red; or green, blue, red; or one LED, or the data line of pixels, on the first of them. The
referee's lamp hangs on GP20, the buzzer on GP21, both driven high.
"""

import os
import select
import sys
from array import array

import machine
import micropython
import utime
from machine import PWM, WDT, Pin
from neopixel import NeoPixel

BUTTON_PINS = (2, 3, 4, 5, 6)
LAMP_PINS = (7, 10, 13, 16)
REFEREE_PIN = 20
BUZZER_PIN = 21

SETTINGS = "seats.txt"
"""Kind and pixels of the lamps, and the build, on one line each; written by `gameline firmware install`."""
BOOT = "boot.txt"
"""The number of the last start."""

ASIDE = "aside.txt"
"""While it is there the next start is without the firmware."""

WATCHDOG_MS = 2000
PWM_HZ = 1000
PIXELS = 4
"""The kind of lamp that is no LED."""
SETTLE_MS = 50
"""A pad wakes pulled down; before its pull-up has loaded the cable and its capacitor the button looks pressed."""
STRIP_AGAIN_MS = 1000
"""Pixels that were plugged in late, or flipped by a spark, are wrong no longer than this."""
LED_PLACES = {1: (0, 1, 2), 2: (0,), 3: (2, 0, 1)}
"""For each level of the other kinds the place of its LED among the three pins; an RGB lamp has blue in the middle."""

_EDGES = 64
_READ_MOST = 128
"""Bytes in one round; more wait in the driver, so that a babbling host does not stop the lamps."""


class _Button:
    """A pin whose edges are stamped by an interrupt, which may make no object: it writes into arrays made before."""

    def __init__(self, number: int) -> None:
        self.pin = Pin(number, Pin.IN, Pin.PULL_UP)
        self.ticks = array("i", [0] * _EDGES)
        self.levels = bytearray(_EDGES)
        self.head = 0  # moved by the interrupt
        self.tail = 0  # moved by the loop
        self.pin.irq(self._on_edge, Pin.IRQ_FALLING | Pin.IRQ_RISING, hard=True)

    def _on_edge(self, pin: Pin) -> None:
        following = (self.head + 1) % _EDGES
        if following != self.tail:  # full: a chattering button, whose level the loop sees all the same
            self.ticks[self.head] = utime.ticks_ms()
            self.levels[self.head] = pin.value()
            self.head = following


class Pins:
    """Everything outside the program; all outputs are off from the first moment on."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)  # a byte 3 that a damaged line makes up must not stop the program
        self._buzzer = Pin(BUZZER_PIN, Pin.OUT, value=0)
        self.kind, self.pixels, self.build = _settings()
        self._leds: list[list[PWM]] = []
        self._strips: list[NeoPixel] = []
        for first in LAMP_PINS:
            if self.kind == PIXELS:
                self._strips.append(_strip(first, self.pixels))
            else:
                self._leds.append([_led(first + place) for place in LED_PLACES[self.kind]])
        self._referee = _led(REFEREE_PIN)
        self._shown = [b""] * len(LAMP_PINS)
        self._shown_at = [utime.ticks_ms()] * len(LAMP_PINS)
        self._shown_referee = 0
        self._buttons = [_Button(number) for number in BUTTON_PINS]
        utime.sleep_ms(SETTLE_MS)
        self._asked = 0  # the button that `next_edge` looked at last
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._watchdog = WDT(timeout=WATCHDOG_MS)

    def boot(self) -> int:
        """The number of this start; call it once. Where flash cannot be written, a number by the chip's counters."""
        try:
            with open(BOOT) as file:
                number = (int(file.read()) + 1) % 65536
        except (OSError, ValueError):
            number = utime.ticks_cpu() & 0xFFFF
        try:
            with open(BOOT, "w") as file:
                file.write(str(number))
        except OSError:
            number = utime.ticks_cpu() & 0xFFFF
        return number

    def ticks(self) -> int:
        """Milliseconds that run over; only `since` may compare them."""
        ticks: int = utime.ticks_ms()
        return ticks

    def since(self, ticks: int, earlier: int) -> int:
        """Milliseconds from the earlier to the later ticks."""
        ms: int = utime.ticks_diff(ticks, earlier)
        return ms

    def wait(self, ms: int) -> None:
        """Until so much time is over or a byte has come."""
        if ms > 0:
            self._poll.poll(ms)

    def read(self) -> bytes:
        """What the host has sent."""
        data = bytearray()
        while len(data) < _READ_MOST and self._poll.poll(0):
            data += sys.stdin.buffer.read(1)
        return bytes(data)

    def write(self, data: bytes) -> None:
        """Send to the host."""
        sys.stdout.buffer.write(data)

    def set_aside(self) -> None:
        """All off, and start anew without the firmware; the watchdog cannot be stopped otherwise."""
        self._buzzer.value(0)  # before the flash, which is slow and may be full
        for strip in self._strips:  # pixels would keep what they show
            strip.fill((0, 0, 0))
            strip.write()
        try:
            with open(ASIDE, "w") as file:
                file.write("")
        except OSError:  # it starts with its firmware again; the two buttons get it out
            pass
        machine.reset()

    def feed(self) -> None:
        """The loop is alive."""
        self._watchdog.feed()

    def is_pressed(self, button: int) -> bool:
        """The level of a button at this moment, bounces not removed."""
        return not self._buttons[button].pin.value()

    def next_edge(self) -> tuple[int, bool, int] | None:
        """The oldest edge of a button not told yet: which, whether it went down, and its ticks; None: no more.

        The buttons take turns, so that one which chatters does not keep the others waiting.
        """
        for _ in self._buttons:
            number = self._asked = (self._asked + 1) % len(self._buttons)
            button = self._buttons[number]
            if button.tail != button.head:
                edge = (number, not button.levels[button.tail], button.ticks[button.tail])
                button.tail = (button.tail + 1) % _EDGES
                return edge
        return None

    def show(self, seat: int, levels: bytearray) -> None:
        """Show the levels of a seat's lamp, 0 to 255; LEDs keep them, pixels are written again once a second."""
        now = utime.ticks_ms()
        is_shown = levels == self._shown[seat]
        if is_shown and (not self._strips or utime.ticks_diff(now, self._shown_at[seat]) < STRIP_AGAIN_MS):
            return
        if not is_shown:
            self._shown[seat] = bytes(levels)
        self._shown_at[seat] = now
        if self._strips:
            strip = self._strips[seat]
            for place in range(self.pixels):
                strip[place] = (levels[3 * place], levels[3 * place + 1], levels[3 * place + 2])
            strip.write()
        else:
            for led, level in zip(self._leds[seat], levels):
                led.duty_u16(257 * level)

    def show_referee(self, level: int) -> None:
        """Show the level of the referee's lamp."""
        if level != self._shown_referee:
            self._shown_referee = level
            self._referee.duty_u16(257 * level)

    def buzz(self, is_on: bool) -> None:
        """Switch the buzzer."""
        self._buzzer.value(is_on)


def darken() -> None:
    """The buzzer off, every pixel dark: what is left by the reset of the chip, which switches all else off."""
    Pin(BUZZER_PIN, Pin.OUT, value=0)
    kind, pixels, _ = _settings()
    if kind == PIXELS:
        for first in LAMP_PINS:
            _strip(first, pixels)


def is_set_aside() -> bool:
    """Whether this start is without the firmware, once: asked for, or seat 0's and the acknowledge button are held."""
    try:
        os.remove(ASIDE)
    except OSError:
        pins = [Pin(BUTTON_PINS[button], Pin.IN, Pin.PULL_UP) for button in (0, 4)]
        utime.sleep_ms(SETTLE_MS)
        return not any(pin.value() for pin in pins)
    return True


def _settings() -> tuple[int, int, str]:
    """Kind, pixels and build; rings of 16 pixels where nothing was installed."""
    try:
        with open(SETTINGS) as file:
            kind, pixels, build = file.read().split("\n")[:3]
        return int(kind), int(pixels), build
    except (OSError, ValueError):
        return PIXELS, 16, "seats without settings"


def _strip(number: int, pixels: int) -> NeoPixel:
    """A ring or strip, dark."""
    strip = NeoPixel(Pin(number, Pin.OUT, value=0), pixels)
    strip.write()  # pixels keep what they showed through a restart
    return strip


def _led(number: int) -> PWM:
    """An LED that can be dimmed, off before its pin is an output."""
    pin = Pin(number, Pin.OUT, value=0)
    return PWM(pin, freq=PWM_HZ, duty_u16=0)
