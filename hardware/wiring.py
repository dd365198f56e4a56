"""Which pin each button, each lamp and the buzzer hang on, and what is wrong with a choice; no pin is opened here."""

from collections.abc import Iterator
from dataclasses import dataclass

HEADER_PINS = range(28)
"""GPIO 0 to 27 are on the 40-pin header of every Raspberry Pi since the B+."""

RESERVED = {
    0: "it reads the ID EEPROM of an add-on board at power-on",
    1: "it reads the ID EEPROM of an add-on board at power-on",
    14: "the serial console talks on it from power-on",
    15: "the serial console listens on it from power-on",
}

PULLED_UP_AT_POWER_ON = range(9)
"""GPIO 0 to 8 wake as inputs pulled up, 9 to 27 pulled down (BCM2835 ARM Peripherals, table 6-31)."""

USUAL_OWNERS = {
    2: "I2C (dtparam=i2c_arm=on)",
    3: "I2C (dtparam=i2c_arm=on)",
    4: "1-wire (dtoverlay=w1-gpio)",
    **dict.fromkeys(range(7, 12), "SPI (dtparam=spi=on)"),
    14: "the serial console",
    15: "the serial console",
    **dict.fromkeys(range(18, 22), "a sound card or display board on I2S or SPI1"),
}
"""What usually holds a pin that cannot be had, and the line of config.txt that switched it on."""


@dataclass(frozen=True, slots=True)
class SeatPins:
    """One seat: a button to ground and three LEDs to ground, each through its resistor."""

    button: int
    green: int
    yellow: int
    red: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """The whole table; seats are in order 0, 1, 2, 3."""

    seats: tuple[SeatPins, SeatPins, SeatPins, SeatPins]
    referee_lamp: int
    acknowledge: int
    buzzer: int


# Buttons sit on the pins that wake pulled up, lamps and buzzer on those that wake pulled down, so nothing lights
# or sounds between power-on and the first line of the program. Each seat's three lamps are neighbours on the header.
DEFAULT_WIRING = Wiring(
    seats=(
        SeatPins(button=5, green=17, yellow=27, red=22),
        SeatPins(button=6, green=23, yellow=24, red=25),
        SeatPins(button=7, green=13, yellow=19, red=26),
        SeatPins(button=8, green=16, yellow=20, red=21),
    ),
    referee_lamp=18,
    acknowledge=4,
    buzzer=12,
)


def problems(wiring: Wiring) -> tuple[str, ...]:
    """Say in one sentence each what cannot work; an empty tuple is a good wiring."""
    found: list[str] = []
    if len(wiring.seats) != 4:
        found.append(f"Expected the pins of four seats, got {len(wiring.seats)}.")
    owner: dict[int, str] = {}
    for name, pin, is_output in uses(wiring):
        if pin in owner:
            found.append(f"GPIO {pin} is given to {owner[pin]} and to {name}; give one of them another pin.")
            continue
        owner[pin] = name
        if pin not in HEADER_PINS:
            found.append(f"The pin of {name} must be a BCM number from 0 to 27, got {pin}.")
        elif pin in RESERVED:
            found.append(f"GPIO {pin} cannot be {name}: {RESERVED[pin]}.")
        elif is_output and pin in PULLED_UP_AT_POWER_ON:
            found.append(
                f"GPIO {pin} cannot be {name}: it is pulled up at power-on, so it would light or sound before "
                "the program starts; take one of 9 to 13 or 16 to 27."
            )
    return tuple(found)


def outputs(wiring: Wiring) -> tuple[int, ...]:
    """The pins that light or sound, the buzzer first: it is the one that must not stay on."""
    pins = [pin for _, pin, is_output in uses(wiring) if is_output]
    return tuple(reversed(pins))


def uses(wiring: Wiring) -> Iterator[tuple[str, int, bool]]:
    """Every use of a pin: what for, which, and whether it is an output."""
    for seat, pins in enumerate(wiring.seats):
        yield f"seat {seat}'s button", pins.button, False
        yield f"seat {seat}'s green lamp", pins.green, True
        yield f"seat {seat}'s yellow lamp", pins.yellow, True
        yield f"seat {seat}'s red lamp", pins.red, True
    yield "the referee's lamp", wiring.referee_lamp, True
    yield "the acknowledge button", wiring.acknowledge, False
    yield "the buzzer", wiring.buzzer, True
