"""The two sockets that a table can be wired to, pin by pin: a Raspberry Pi's header and a Pico; none is opened."""

from dataclasses import dataclass, field

GROUND = "GND"


@dataclass(frozen=True, slots=True)
class SocketPin:
    """One pin: its number as the board's maker counts, what it carries, and where it is seen from above."""

    number: int
    name: str
    is_right: bool
    row: int
    """From 0 at the top."""


@dataclass(frozen=True, slots=True)
class Socket:
    """A board's pins in two columns, as drawn: pin 1 is at the top left."""

    title: str
    how_it_lies: str
    """How to hold the board so that it looks like the drawing."""
    volts_3: int
    """The pin that gives 3.3 V to the pull-ups of the buttons."""
    volts_5: int
    """The pin that gives 5 V to the buzzer."""
    pins: tuple[SocketPin, ...]
    _by_name: dict[str, SocketPin] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {pin.name: pin for pin in self.pins})

    def numbered(self, number: int) -> SocketPin:
        """The pin with that number on the socket."""
        return next(pin for pin in self.pins if pin.number == number)

    def named(self, name: str) -> SocketPin:
        """The pin that carries `name`; of several with one name the last.

        Raises:
            KeyError: No pin carries it.
        """
        return self._by_name[name]

    @property
    def grounds(self) -> tuple[SocketPin, ...]:
        """Every ground pin."""
        return tuple(pin for pin in self.pins if pin.name == GROUND)


def _zigzag(names: tuple[str, ...]) -> tuple[SocketPin, ...]:
    """Numbered across: odd numbers left, even numbers right."""
    return tuple(SocketPin(at + 1, name, at % 2 == 1, at // 2) for at, name in enumerate(names))


def _round(names: tuple[str, ...]) -> tuple[SocketPin, ...]:
    """Numbered as a chip: down the left side and up the right one."""
    rows = len(names) // 2
    return tuple(
        SocketPin(at + 1, name, at >= rows, at if at < rows else len(names) - 1 - at) for at, name in enumerate(names)
    )


# Raspberry Pi documentation, "GPIO and the 40-pin header": the same on every model since the B+.
HEADER = Socket(
    title="Raspberry Pi's 40-pin header",
    how_it_lies="from above, the USB sockets at the bottom, the header at the right edge",
    volts_3=1,
    volts_5=2,
    pins=_zigzag(
        (
            *("3.3 V", "5 V", "GPIO 2", "5 V", "GPIO 3", "GND", "GPIO 4", "GPIO 14", "GND", "GPIO 15"),
            *("GPIO 17", "GPIO 18", "GPIO 27", "GND", "GPIO 22", "GPIO 23", "3.3 V", "GPIO 24", "GPIO 10", "GND"),
            *("GPIO 9", "GPIO 25", "GPIO 11", "GPIO 8", "GND", "GPIO 7", "GPIO 0", "GPIO 1", "GPIO 5", "GND"),
            *("GPIO 6", "GPIO 12", "GPIO 13", "GND", "GPIO 19", "GPIO 16", "GPIO 26", "GPIO 20", "GND", "GPIO 21"),
        )
    ),
)

# Raspberry Pi Pico Datasheet, "Pinout and design files". AGND (33) is left alone: it is the converter's own ground.
PICO = Socket(
    title="Raspberry Pi Pico (seat board)",
    how_it_lies="from above, the USB socket at the top",
    volts_3=36,
    volts_5=40,
    pins=_round(
        (
            *("GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7"),
            *("GP8", "GP9", "GND", "GP10", "GP11", "GP12", "GP13", "GND", "GP14", "GP15"),
            *("GP16", "GP17", "GND", "GP18", "GP19", "GP20", "GP21", "GND", "GP22", "RUN"),
            *("GP26", "GP27", "AGND", "GP28", "ADC_VREF", "3V3(OUT)", "3V3_EN", "GND", "VSYS", "VBUS"),
        )
    ),
)


Trio = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class BoardPins:
    """The GP numbers that the seat board's firmware uses; seats are in order 0, 1, 2, 3."""

    buttons: tuple[int, int, int, int]
    acknowledge: int
    lamps: tuple[Trio, Trio, Trio, Trio]
    """Green, yellow, red of each seat; a ring's data is on the first of the three."""
    referee_lamp: int
    buzzer: int


BOARD_PINS = BoardPins(
    buttons=(2, 3, 4, 5),
    acknowledge=6,
    lamps=((7, 8, 9), (10, 11, 12), (13, 14, 15), (16, 17, 18)),
    referee_lamp=20,
    buzzer=21,
)
"""Those of firmware_bridge/firmware/pins.py, which a leaf room cannot import; a test holds the two together."""
