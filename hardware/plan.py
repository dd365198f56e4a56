"""Which core of which cable goes to which pin, for either wiring, also as a table; how it is drawn is elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import permutations

from hardware.sockets import BOARD_PINS, GROUND, HEADER, PICO, BoardPins, Socket, SocketPin
from hardware.wiring import Wiring

CORES = {"WH": "white", "BN": "brown", "GN": "green", "YE": "yellow", "PK": "pink", "GY": "grey"}
"""Core colours by their letters (IEC 60757), in the order of a paired signal cable (DIN 47100: WH/BN, GN/YE, GY/PK)."""

SUPPLY = "5 V supply"
"""Where the cores of the rings come from that do not hang on the board."""

HEAD = ("place", "wire", "signal", "pin", "core", "through")
"""The columns of the table."""

RESISTOR = "470 Ω"
LOW_RESISTOR = "100 Ω"
"""For green and blue of an RGB LED, which leave a third of a volt to the resistor."""
BUTTON_FILTER = "button filter"
GATES = ((2, 3), (5, 6), (9, 8), (12, 11))
"""In and out of the four gates of a 74AHCT125 (its data sheet, pin functions); seat n has gate n."""

FAR_SIDE_ROWS = 4
"""A ground pin in the other column is as good as one so many rows further off in the own one."""


class Kind(Enum):
    """What stands at a place."""

    LEDS = "leds"
    """Three LEDs: green, yellow, red."""
    PWM = "pwm"
    """One LED that is dimmed, on the pin of the green one."""
    RGB = "rgb"
    """One LED of three colours, blue on the pin of the yellow one."""
    RING = "pixels"
    """A ring of WS2812."""
    REFEREE = "referee"


class Inline(Enum):
    """What sits in a wire close to the socket."""

    NOTHING = ""
    FILTER = "filter"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class Lead:
    """One core, from a pin of the socket, or from the supply, to a place."""

    what: str
    core: str
    """Letters of its colour; see `CORES`."""
    pin: SocketPin | None
    """None: it comes from the 5 V supply."""
    inline: Inline = Inline.NOTHING
    through: str = ""
    """The parts between the pin and what it works on."""


@dataclass(frozen=True, slots=True)
class Place:
    """One seat, or the referee's place, with the cores of its cable."""

    name: str
    kind: Kind
    leads: tuple[Lead, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole table: the socket and the places, seats first."""

    socket: Socket
    places: tuple[Place, ...]

    @property
    def has_rings(self) -> bool:
        """Whether a 5 V supply and level shifters belong to it."""
        return any(place.kind is Kind.RING for place in self.places)


def pins_plan(wiring: Wiring, lamps: Kind = Kind.LEDS) -> Plan:
    """Everything on the Raspberry Pi's own pins.

    Args:
        wiring: One without `problems`.
        lamps: What hangs on each seat's lamp pins: LEDS, PWM or RGB.
    """
    seats = [
        _lamps(seat, lamps, _gpio(pins.button), [_gpio(pin) for pin in (pins.green, pins.yellow, pins.red)])
        for seat, pins in enumerate(wiring.seats)
    ]
    referee = _referee(HEADER, _gpio(wiring.acknowledge), _gpio(wiring.referee_lamp), _gpio(wiring.buzzer))
    return _grounded(HEADER, [*seats, referee])


def board_plan(lamps: Kind = Kind.RING, pins: BoardPins = BOARD_PINS) -> Plan:
    """A seat board, with a ring of WS2812 at each seat or with LEDs."""
    buttons = [PICO.named(f"GP{number}") for number in pins.buttons]
    if lamps is Kind.RING:
        seats = [_ring(seat, button, PICO.named(f"GP{pins.lamps[seat][0]}")) for seat, button in enumerate(buttons)]
    else:
        seats = [
            _lamps(seat, lamps, button, [PICO.named(f"GP{led}") for led in pins.lamps[seat]])
            for seat, button in enumerate(buttons)
        ]
    gp = [PICO.named(f"GP{number}") for number in (pins.acknowledge, pins.referee_lamp, pins.buzzer)]
    return _grounded(PICO, [*seats, _referee(PICO, *gp)])


def rows_of(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Place, wire, signal, pin on the socket, core and parts of every lead, the supply's too, as words."""
    return tuple(
        (
            place.name,
            lead.what,
            lead.pin.name if lead.pin else SUPPLY,
            str(lead.pin.number) if lead.pin else "-",
            f"{lead.core} {CORES[lead.core]}",
            lead.through or "-",
        )
        for place in plan.places
        for lead in place.leads
    )


def text_table(plan: Plan) -> str:
    """The plan for a terminal, with where ground, 3.3 V and 5 V are on the socket."""
    rows = rows_of(plan)
    widths = [max(len(row[at]) for row in (HEAD, *rows)) for at in range(len(HEAD))]
    lines = [plan.socket.title, ""]
    last = ""
    for row in (HEAD, *rows):
        if row[0] != last and last:
            lines.append("")
        last = row[0]
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, "", *rails(plan)])


def markdown_table(plan: Plan) -> str:
    """The plan for a document, one row for each core."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (HEAD, ("---",) * len(HEAD), *rows_of(plan)))


def rails(plan: Plan) -> tuple[str, ...]:
    """Where power and ground are on the socket, in one line each."""
    socket = plan.socket
    grounds = ", ".join(str(pin.number) for pin in socket.grounds)
    return (
        f"ground (GND): pins {grounds}",
        f"3.3 V for the buttons' pull-ups: pin {socket.volts_3}",
        f"5 V for the buzzer: pin {socket.volts_5}",
    )


def _gpio(number: int) -> SocketPin:
    return HEADER.named(f"GPIO {number}")


def _lamps(seat: int, kind: Kind, button: SocketPin, pins: Sequence[SocketPin]) -> Place:
    """A seat whose lamp hangs on up to three pins: those of the green, the yellow and the red LED."""
    green, yellow, red = pins
    lamps: tuple[Lead, ...] = (
        Lead("green", "GN", green, through=RESISTOR),
        Lead("yellow", "YE", yellow, through=RESISTOR),
        Lead("red", "PK", red, through=RESISTOR),
    )
    if kind is Kind.PWM:
        lamps = (Lead("lamp", "GN", green, through=RESISTOR),)
    elif kind is Kind.RGB:
        lamps = (
            Lead("green", "GN", green, through=LOW_RESISTOR),
            Lead("blue", "YE", yellow, through=LOW_RESISTOR),
            Lead("red", "PK", red, through=RESISTOR),
        )
    return Place(
        f"seat {seat}",
        kind,
        (
            Lead("button", "WH", button, Inline.FILTER, BUTTON_FILTER),
            Lead("button GND", "BN", None),
            *lamps,
            Lead("lamps GND", "GY", None),
        ),
    )


def _ring(seat: int, button: SocketPin, data: SocketPin) -> Place:
    into, out = GATES[seat]
    return Place(
        f"seat {seat}",
        Kind.RING,
        (
            Lead("button", "WH", button, Inline.FILTER, BUTTON_FILTER),
            Lead("button GND", "BN", None),
            Lead("data", "GN", data, Inline.GATE, f"74AHCT125 {into} → {out}, {RESISTOR}"),
            Lead("ring +5 V", "PK", None, through="X1, fuse 1.25 A"),
            Lead("ring GND", "GY", None, through="X1"),
        ),
    )


def _referee(socket: Socket, acknowledge: SocketPin, lamp: SocketPin, buzzer: SocketPin) -> Place:
    return Place(
        "referee",
        Kind.REFEREE,
        (
            Lead("acknowledge", "WH", acknowledge, Inline.FILTER, BUTTON_FILTER),
            Lead("button GND", "BN", None),
            Lead("lamp", "GN", lamp, through=RESISTOR),
            Lead("buzzer +5 V", "PK", socket.numbered(socket.volts_5)),
            Lead("buzzer", "YE", buzzer, through="1 kΩ, 2N3904"),
            Lead("lamp, buzzer GND", "GY", None),
        ),
    )


def _grounded(socket: Socket, places: Sequence[Place]) -> Plan:
    """Give each place the ground pin that is nearest to its other pins, no pin to two places."""
    best = min(
        permutations(socket.grounds, len(places)),
        key=lambda pins: (sum(map(_distance, places, pins)), [pin.number for pin in pins]),
    )
    return Plan(socket, tuple(_on_ground(place, pin) for place, pin in zip(places, best, strict=True)))


def _distance(place: Place, ground: SocketPin) -> float:
    """How far a ground pin is from the pins of a place, in rows."""
    pins = [lead.pin for lead in place.leads if lead.pin is not None]
    return sum(abs(pin.row - ground.row) + FAR_SIDE_ROWS * (pin.is_right != ground.is_right) for pin in pins) / len(
        pins
    )


def _on_ground(place: Place, ground: SocketPin) -> Place:
    return replace(place, leads=tuple(_lead_grounded(lead, ground) for lead in place.leads))


def _lead_grounded(lead: Lead, ground: SocketPin) -> Lead:
    """The ring's own ground stays with the supply: its amperes do not belong into the board."""
    return replace(lead, pin=ground) if lead.what.endswith(GROUND) and lead.what != "ring GND" else lead
