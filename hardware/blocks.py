"""The parts at each place and beside the socket, drawn with their values: seats, referee, button filter, 5 V supply."""

from collections.abc import Callable
from typing import NamedTuple

from hardware.lamps import PIXEL_FULL
from hardware.plan import GATES, LOW_RESISTOR, RESISTOR, Kind
from hardware.sheet import LARGE, NORMAL, SMALL, Frame, Point, Sheet

PITCH = 36.0
"""Between two terminals, and between two rows of the socket."""
BLOCK_WIDTH = 250.0
RING_PIXELS = 16
PIXEL_MA = 60
"""A WS2812B with all three colours full, reckoned as 3 x 20 mA; its data sheets say 12 to 18.5 mA a colour."""
SEATS = 4


class Shape(NamedTuple):
    """A kind of place: which slots below the heading its terminals have, in the order of the leads, and its symbols."""

    slots: tuple[int, ...]
    draw: Callable[[Frame], None]

    @property
    def height(self) -> float:
        """From the middle of the heading to the bottom edge."""
        return (max(self.slots) + 0.6) * PITCH


def _row(slot: int) -> float:
    return slot * PITCH


def _button(frame: Frame, top: int, what: str) -> None:
    """A button between two terminals, one below the other."""
    frame.line((34, _row(top)), (120, _row(top)))
    frame.line((34, _row(top + 1)), (120, _row(top + 1)))
    frame.button(120, _row(top), PITCH)
    frame.text(146, _row(top) + PITCH / 2, what)


def _lamp(frame: Frame, slot: int, rail: float, what: str, value: str = RESISTOR) -> None:
    """A resistor and a LED from a terminal to the rail."""
    v = _row(slot)
    frame.line((34, v), (54, v))
    frame.resistor(54, v, value)
    frame.line((90, v), (112, v))
    frame.led(112, v)
    frame.line((130, v), (rail, v))
    frame.text(rail + 8, v, what)


def _leds(frame: Frame) -> None:
    _lamps(frame, (("green LED", RESISTOR), ("yellow LED", RESISTOR), ("red LED", RESISTOR)))


def _one_led(frame: Frame) -> None:
    _lamps(frame, (("one LED", RESISTOR),))


def _three_colours(frame: Frame) -> None:
    _lamps(frame, (("green", LOW_RESISTOR), ("blue", LOW_RESISTOR), ("red", RESISTOR)))
    rail = frame.at(164, 0)[0] - (60 if frame.inward < 0 else 0)
    frame.sheet.text((rail, frame.y + _row(5) + PITCH / 2 + 4), "RGB LED", size=SMALL)


def _lamps(frame: Frame, lamps: tuple[tuple[str, str], ...]) -> None:
    """A button, then LEDs with their resistors, all on one ground."""
    rail, last = 158.0, 3 + len(lamps)
    _button(frame, 1, "push button")
    for slot, (what, value) in enumerate(lamps, start=3):
        _lamp(frame, slot, rail, what, value)
        frame.dot(rail, _row(slot))
    frame.line((rail, _row(3)), (rail, _row(last)), (34, _row(last)))


def _ring(frame: Frame) -> None:
    _button(frame, 1, "push button")
    middle, radius = 196.0, 42.0
    frame.line((34, _row(3)), (54, _row(3)))
    frame.resistor(54, _row(3), RESISTOR)
    frame.line((90, _row(3)), (middle - 26, _row(3)))
    frame.line((34, _row(4)), (middle - 40, _row(4)))
    frame.line((34, _row(5)), (middle - 26, _row(5)))
    frame.dot(72, _row(4))
    frame.dot(72, _row(5))
    frame.line((72, _row(4)), (72, _row(4) + 15))
    frame.line((72, _row(5)), (72, _row(5) - 15))
    frame.capacitor_down(72, _row(4) + 15, "1000 µF", polar=True)
    frame.ring(middle, _row(4), radius, RING_PIXELS)
    for v, what in ((_row(3) - 8, "DIN"), (_row(4) - 8, "+5 V"), (_row(5) + 9, "GND")):
        frame.text(112, v, what)
    frame.text(middle, _row(4) - 6, f"{RING_PIXELS} ×", anchor="middle")
    frame.text(middle, _row(4) + 7, "WS2812", size=8.5, anchor="middle")


def _referee(frame: Frame) -> None:
    rail, chain, diode = 240.0, 146.0, 178.0
    _button(frame, 1, "acknowledge")
    v = _row(3)
    frame.line((34, v), (54, v))
    frame.resistor(54, v, RESISTOR)
    frame.line((90, v), (112, v))
    frame.led(112, v)
    frame.line((130, v), (rail, v), (rail, _row(7)), (34, _row(7)))
    frame.text(148, v - 8, "lamp")
    frame.line((34, _row(4)), (diode, _row(4)), (diode, _row(4) + 16))
    frame.dot(chain, _row(4))
    frame.buzzer(chain, _row(4), 44)
    frame.text(chain - 18, _row(4) + 20, "buzzer 5 V", anchor="end")
    frame.diode_up(diode, _row(4) + 16, "1N4148")
    frame.line((diode, _row(4) + 30), (diode, _row(4) + 46), (chain, _row(4) + 46))
    frame.dot(chain, _row(4) + 46)
    base = chain - 14
    frame.line((34, _row(6)), (50, _row(6)))
    frame.resistor(50, _row(6), "1 kΩ")
    frame.line((86, _row(6)), (base - 8, _row(6)))
    frame.dot(104, _row(6))
    frame.resistor_down(104, _row(6) + 5, "", length=26)
    frame.text(97, _row(6) + 18, "10 kΩ", anchor="end")
    frame.line((104, _row(6)), (104, _row(6) + 5))
    frame.line((104, _row(6) + 31), (104, _row(7)))
    frame.dot(104, _row(7))
    frame.transistor(base, _row(6), 26)
    frame.line((chain, _row(6) + 26), (chain, _row(7)))
    frame.dot(chain, _row(7))
    frame.text(base + 30, _row(6), "2N3904")


SHAPES = {
    Kind.LEDS: Shape((1, 2, 3, 4, 5, 6), _leds),
    Kind.PWM: Shape((1, 2, 3, 4), _one_led),
    Kind.RGB: Shape((1, 2, 3, 4, 5, 6), _three_colours),
    Kind.RING: Shape((1, 2, 3, 4, 5), _ring),
    Kind.REFEREE: Shape((1, 2, 3, 4, 6, 7), _referee),
}


def draw_filter(sheet: Sheet, at: Point, size: Point, volts_pin: int) -> None:
    """The parts in each button's wire, close to the socket."""
    _inset(sheet, at, size, "F  button filter", "One for each button, at the socket's end.")
    frame = Frame(sheet, at[0], at[1], 1)
    wire, pin = 92.0, 186.0
    frame.text(12, 128, "from the", size=SMALL)
    frame.text(12, 140, "button")
    frame.line((62, 134), (wire, 134))
    frame.line((wire, 84), (wire, 92))
    frame.resistor_down(wire, 92, "10 kΩ", length=28)
    frame.line((wire, 120), (wire, 134), (pin - 54, 134))
    frame.dot(wire, 134)
    frame.resistor(pin - 54, 134, "1 kΩ")
    frame.line((pin - 18, 134), (pin + 22, 134))
    frame.rail(wire, 86, f"3.3 V, pin {volts_pin}")
    frame.dot(pin, 134)
    frame.line((pin, 134), (pin, 146))
    frame.capacitor_down(pin, 146, "100 nF")
    frame.line((pin, 152), (pin, 156))
    frame.ground(pin, 154)
    frame.text(pin + 26, 121, "to the")
    frame.text(pin + 26, 133, "pin")


def draw_supply(sheet: Sheet, at: Point, size: Point, ground_pin: int) -> None:
    """The rings' own supply and where it meets the board."""
    amperes = SEATS * RING_PIXELS * PIXEL_MA / 1000
    _inset(
        sheet,
        at,
        size,
        "X1  5 V supply of the rings",
        f"All pixels white: {amperes:.2f} A, dimmed {amperes * PIXEL_FULL / 255:.2f} A.",
    )
    frame = Frame(sheet, at[0], at[1], 1)
    frame.sheet.box((at[0] + 14, at[1] + 58), (72, 62))
    frame.text(50, 76, "5 V, 2 A", anchor="middle")
    frame.text(50, 90, "mains", anchor="middle")
    frame.text(50, 103, "adapter", anchor="middle")
    frame.line((86, 70), (110, 70))
    frame.sheet.box((at[0] + 110, at[1] + 65), (34, 10))
    frame.line((106, 70), (148, 70))
    frame.text(132, 56, "1.25 A a seat", anchor="middle")
    frame.line((148, 70), (190, 70))
    frame.line((86, 108), (190, 108))
    for v, words in ((70, "X1 +5 V"), (108, "X1 GND")):
        frame.sheet.circle(frame.at(194, v), 4)
        frame.text(202, v, words)
    frame.line((160, 108), (160, 128))
    frame.dot(160, 108)
    frame.text(14, 136, f"to the Pico's GND, pin {ground_pin}: data needs it.")
    frame.text(14, 150, "The Pico is fed by its USB socket alone.")


def draw_shifter(sheet: Sheet, at: Point, size: Point, data: tuple[str, ...]) -> None:
    """The level shifter with what goes to each leg; `data` are the signals of seats 0 to 3."""
    title = "74AHCT125  makes 5 V data of 3.3 V data; seen from above"
    _inset(
        sheet,
        at,
        size,
        title,
        "100 nF between legs 14 and 7, close to them. A gate is drawn in each data wire with its legs.",
    )
    legs = {1: "GND", 4: "GND", 10: "GND", 13: "GND", 7: "GND", 14: "X1 +5 V"}
    for seat, (into, out) in enumerate(GATES):
        legs[into], legs[out] = data[seat], f"S{seat} data"
    left, step, top, bottom = at[0] + 20, (size[0] - 40) / 7, at[1] + 72, at[1] + 104
    sheet.box((left, top), (size[0] - 40, bottom - top))
    sheet.circle((left, (top + bottom) / 2), 6)
    for place in range(7):
        x = left + step * (place + 0.5)
        for leg, edge, away in ((14 - place, top, -1), (place + 1, bottom, 1)):
            sheet.line((x, edge), (x, edge + 7 * away))
            sheet.text((x, edge - 8 * away), str(leg), size=SMALL, anchor="middle")
            sheet.text((x, edge + 14 * away), legs[leg], size=SMALL, anchor="middle")


def _inset(sheet: Sheet, at: Point, size: Point, title: str, below: str) -> None:
    sheet.box(at, size, width=1.0, radius=6)
    sheet.text((at[0] + 12, at[1] + 16), title, size=NORMAL, bold=True)
    sheet.text((at[0] + 12, at[1] + 33), below, size=SMALL)


def heading(sheet: Sheet, at: Point, name: str, inward: int) -> None:
    """The name of a place above its terminals."""
    frame = Frame(sheet, at[0], at[1], inward)
    sheet.text(frame.at(14, 0), name, size=LARGE, bold=True, anchor="start" if inward > 0 else "end")
