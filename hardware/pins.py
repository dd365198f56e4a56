"""The pin factory by its name, and the two kinds of pin used on it: one tells its edges, the other shows a level."""

from collections.abc import Callable
from importlib import import_module

from gpiozero import Factory
from gpiozero.exc import PinPWMError

PWM_HZ = 100
"""Above flicker for the eye, and slow enough for the software pulses of RPi.GPIO and lgpio."""

LIT_FROM = 0.5
"""A pin that can only be on or off is on from this level up."""

_FACTORIES = {
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}

_CURES = {
    "rpigpio": "run on a Raspberry Pi with RPi.GPIO installed (rpi-lgpio on a Pi 5), or choose a seat board",
    "lgpio": (
        "run on a Raspberry Pi with lgpio installed, in the group gpio, from a working directory that can be written "
        "to, or choose a seat board"
    ),
}


class PinsUnavailable(RuntimeError):
    """There are no pins to work with; the message says in one sentence why and what to do."""


def open_factory(name: str) -> Factory:
    """Open the one pin factory that is named, never another in its place.

    Args:
        name: `rpigpio`, `lgpio` or `mock` (pins in memory that keep their history and know levels between).

    Raises:
        ValueError: The name is none of the three.
        PinsUnavailable: Its library is missing or this is no Raspberry Pi.
    """
    if name not in _FACTORIES:
        raise ValueError(f"Expected the pins to be one of {', '.join(_FACTORIES)}, got {name!r}.")
    module_name, class_name = _FACTORIES[name]
    if name == "mock":
        mock = import_module(module_name)
        return getattr(mock, class_name)(pin_class=mock.MockPWMPin)
    try:
        factory = getattr(import_module(module_name), class_name)()
        # NOTE: RPiGPIOFactory opens on any machine; only asking which board this is shows that it is no Pi.
        _ = factory.board_info
    except Exception as problem:  # ImportError, OSError, RuntimeError, lgpio.error: their only common base
        raise PinsUnavailable(f"The pins cannot be opened through {name} ({problem}): {_CURES[name]}.") from problem
    return factory


class InputPin:
    """A button between a pin and ground, with the pull-up of the pin on.

    Args:
        factory: The pin factory.
        number: BCM number.
        on_edge: Called with *pressed* at every edge, bounces too, on the thread of the pin library.

    Raises:
        Exception: Whatever the pin library raises where the pin cannot be had.
    """

    def __init__(self, factory: Factory, number: int, on_edge: Callable[[bool], None]) -> None:
        self._on_edge = on_edge
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
        Exception: Whatever the pin library raises where the pin cannot be had.
    """

    def __init__(self, factory: Factory, number: int, *, dimmable: bool) -> None:
        self._dimmable = dimmable
        self._pulsing = False
        self._pin = factory.pin(number)
        # NOTE: gpiozero's PWMOutputDevice turns the pin to output first and sets the level later; this call does not.
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
        """Switch off and give the pin back."""
        try:
            self._pin.state = 0.0 if self._pulsing else False
        finally:
            # NOTE: RPi.GPIO's pulse thread writes low once more as it ends, up to a period later. That is why pulses
            # never stop earlier than here: a lamp just switched to full would go dark.
            self._pin.frequency = None
            self._pin.close()

    def _start_pulses(self) -> None:
        try:
            self._pin.frequency = PWM_HZ
            self._pulsing = True
            self._level = 0.0
        except PinPWMError:
            self._dimmable = False
