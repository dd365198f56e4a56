"""The pin factory by its name, and the two kinds of pin used on it: one tells its edges, the other shows a level."""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType

from gpiozero import Factory
from gpiozero.exc import PinPWMError

from hardware.lines import header_chip, holder

PWM_HZ = 100
"""Above flicker for the eye, and slow enough for the software pulses of RPi.GPIO and lgpio."""

PULSES_END_S = 2.5 / PWM_HZ
"""After so long the last pulse of a level that was shown before is over: one pulse, one more, and a tired processor."""

LIT_FROM = 0.5
"""A pin that can only be on or off is on from this level up."""

_FACTORIES = {
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}

_CURE = "run on a Raspberry Pi with the extra `pi` installed, in the group gpio, or choose a seat board"


class PinsUnavailable(RuntimeError):
    """There are no pins to work with; the message says in one sentence why and what to do."""


class PinTaken(RuntimeError):
    """Another program or a driver of the kernel holds the pin; the message names it as the kernel does."""


def open_factory(name: str) -> Factory:
    """Open the one pin factory that is named, never another in its place.

    Args:
        name: `rpigpio`, `lgpio` or `mock` (pins in memory that keep their history and know levels between).

    Raises:
        ValueError: The name is none of the three.
        PinsUnavailable: Its library is missing, this is no Raspberry Pi, or its chip is not there.
    """
    if name not in _FACTORIES:
        raise ValueError(f"Expected the pins to be one of {', '.join(_FACTORIES)}, got {name!r}.")
    module_name, class_name = _FACTORIES[name]
    if name == "mock":
        mock = import_module(module_name)
        return getattr(mock, class_name)(pin_class=mock.MockPWMPin)
    try:
        make = getattr(_load(module_name), class_name)
        chip = header_chip()
        if name == "lgpio":
            # NOTE: left alone it takes gpiochip4 on a Pi 5 that has one, and else gpiochip0, whatever these are.
            factory = make(chip=chip)
        else:
            os.environ.setdefault(
                "RPI_LGPIO_CHIP", str(chip)
            )  # rpi-lgpio reads it; RPi.GPIO itself knows one chip only
            factory = make()
        # NOTE: RPiGPIOFactory opens on any machine; only asking which board this is shows that it is no Pi.
        _ = factory.board_info
    except Exception as problem:  # ImportError, OSError, RuntimeError, lgpio.error: their only common base
        raise PinsUnavailable(f"The pins cannot be opened through {name} ({problem}): {_CURE}.") from problem
    return factory


class InputPin:
    """A button between a pin and ground, with the pull-up of the pin on.

    Args:
        factory: The pin factory.
        number: BCM number.
        on_edge: Called with *pressed* at every edge, bounces too, on the thread of the pin library.

    Raises:
        PinTaken: Somebody else holds the pin.
        Exception: Whatever else the pin library raises where the pin cannot be had.
    """

    def __init__(self, factory: Factory, number: int, on_edge: Callable[[bool], None]) -> None:
        self._on_edge = on_edge
        with _naming_the_holder(number):
            self._pin = factory.pin(number)
            self._pin.input_with_pull("up")
        # NOTE: gpiozero keeps only a weak reference to this method; it lives as long as this object.
        self._pin.when_changed = self._changed

    def is_pressed(self) -> bool:
        """Whether the button is down at this moment, bounces not removed."""
        return not self._pin.state

    def close(self) -> None:
        """Stop listening and give the pin back."""
        self._pin.close()

    def _changed(self, _ticks: float, state: float) -> None:
        self._on_edge(not state)


class OutputPin:
    """A lamp or the buzzer between a pin and ground: low before it is an output, and low when it is given back.

    Pulses start with the first level between off and full; a lamp that is only switched costs no thread.

    Args:
        factory: The pin factory.
        number: BCM number.
        dimmable: False for what can only be on or off, such as an active buzzer.

    Raises:
        PinTaken: Somebody else holds the pin.
        Exception: Whatever else the pin library raises where the pin cannot be had.
    """

    def __init__(self, factory: Factory, number: int, *, dimmable: bool) -> None:
        self._dimmable = dimmable
        self._pulsing = False
        with _naming_the_holder(number):
            self._pin = factory.pin(number)
            # NOTE: gpiozero's PWMOutputDevice makes the pin an output first and sets the level later; this does not.
            self._pin.output_with_state(False)
        self._level = 0.0

    def show(self, level: float) -> None:
        """Show a level 0..1; nothing is written where it is shown already."""
        if self._dimmable and not self._pulsing and 0.0 < level < 1.0:
            self._start_pulses()
        if not self._pulsing:
            level = float(level >= LIT_FROM)
        if level != self._level:
            self._pin.state = level if self._pulsing else bool(level)
            self._level = level

    def close(self) -> None:
        """Switch off and give the pin back; a lamp that has pulsed takes `PULSES_END_S` for it."""
        try:
            if self._pulsing:
                self._pin.state = 0.0
                # NOTE: lgpio takes a new level up when its pulse is over, and its thread still writes when the pin is
                # somebody else's to read: on a simulated line a dimmed lamp was left lit. RPi.GPIO's own thread writes
                # low once more as it ends. That is why pulses end only here: a lamp just lit would go dark.
                time.sleep(PULSES_END_S)
                self._pin.frequency = None
            self._pin.state = False
        finally:
            self._pin.close()

    def _start_pulses(self) -> None:
        try:
            self._pin.frequency = PWM_HZ
            self._pulsing = True
            self._level = 0.0
        except PinPWMError:
            self._dimmable = False


@contextlib.contextmanager
def _naming_the_holder(number: int) -> Iterator[None]:
    """Turn the library's refusal of a pin into PinTaken where the kernel knows who holds it."""
    try:
        yield
    except Exception as problem:  # gpiozero, RPi.GPIO and lgpio share no narrower base
        who = None
        with contextlib.suppress(OSError):
            who = holder(header_chip(), number)
        if who is None:
            raise
        raise PinTaken(f"{who!r} holds it") from problem


def _load(module_name: str) -> ModuleType:
    """Import a module of gpiozero, and with it its pin library.

    NOTE: lgpio makes a pipe while it is loaded, in the folder LG_WD names or else in the working directory, and makes
    that the working directory. Once loaded it needs neither: the pipe stays open without a name.
    """
    with tempfile.TemporaryDirectory(prefix="gameline-") as folder, contextlib.chdir("."):
        os.environ.setdefault("LG_WD", folder)
        try:
            return import_module(module_name)
        finally:
            if os.environ["LG_WD"] == folder:
                del os.environ["LG_WD"]
