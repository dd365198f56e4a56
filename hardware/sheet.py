"""A sheet of paper as SVG, and the symbols of the parts on it; what is wired to what is not known here."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin, tau
from xml.etree import ElementTree as ET

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
INK, PAPER, FAINT = "#000000", "#ffffff", "#f2f2f2"
SMALL, NORMAL, LARGE, TITLE = 11.0, 13.0, 15.0, 23.0
NARROW = " .,:;'()|/filjtIr"
NARROW_EM, LETTER_EM, CAPITAL_EM, WIDEST_EM = 0.46, 0.72, 0.85, 1.12
"""Widths in font sizes, on the safe side: bold DejaVu Sans is the widest of the named fonts."""

Point = tuple[float, float]


def width_of(text: str, size: float) -> float:
    """How much room a text needs at the most."""
    return size * sum(map(_em, text))


def _em(letter: str) -> float:
    if letter in NARROW:
        return NARROW_EM
    if letter in "WMm":
        return WIDEST_EM
    return CAPITAL_EM if letter.isupper() or letter in "+=→" else LETTER_EM


class Sheet:
    """An SVG being drawn: lengths in its own units, x to the right, y down."""

    def __init__(self, width: float, height: float, *, width_mm: float, title: str, about: str) -> None:
        self._root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {_n(width)} {_n(height)}",
                "width": f"{_n(width_mm)}mm",
                "height": f"{_n(width_mm * height / width)}mm",
                "font-family": FONT,
                "role": "img",
            },
        )
        ET.SubElement(self._root, "title").text = title
        ET.SubElement(self._root, "desc").text = about
        self.box((0, 0), (width, height), fill=PAPER, stroke="none")

    def text(
        self, at: Point, words: str, *, size: float = NORMAL, anchor: str = "start", bold: bool = False, ink: str = INK
    ) -> None:
        """Words on one line, `at` half their height."""
        given = {"x": _n(at[0]), "y": _n(at[1] + size * 0.36), "font-size": _n(size), "fill": ink}
        if anchor != "start":
            given["text-anchor"] = anchor
        if bold:
            given["font-weight"] = "bold"
        ET.SubElement(self._root, "text", given).text = words

    def line(self, *points: Point, ink: str = INK, width: float = 1.4, dash: str = "") -> None:
        """A line with corners."""
        given = {"points": " ".join(f"{_n(x)},{_n(y)}" for x, y in points), "fill": "none", "stroke": ink}
        given |= {"stroke-width": _n(width), "stroke-linejoin": "round"}
        if dash:
            given["stroke-dasharray"] = dash
        ET.SubElement(self._root, "polyline", given)

    def box(
        self, at: Point, size: Point, *, fill: str = PAPER, stroke: str = INK, width: float = 1.4, radius: float = 0
    ) -> None:
        """A rectangle, `at` its top left corner."""
        given = {"x": _n(at[0]), "y": _n(at[1]), "width": _n(size[0]), "height": _n(size[1]), "fill": fill}
        if radius:
            given["rx"] = _n(radius)
        ET.SubElement(self._root, "rect", given | {"stroke": stroke, "stroke-width": _n(width)})

    def circle(self, at: Point, radius: float, *, fill: str = PAPER, stroke: str = INK, width: float = 1.4) -> None:
        """A circle about `at`."""
        given = {"cx": _n(at[0]), "cy": _n(at[1]), "r": _n(radius), "fill": fill}
        ET.SubElement(self._root, "circle", given | {"stroke": stroke, "stroke-width": _n(width)})

    def shape(self, *points: Point, fill: str = INK, stroke: str = INK) -> None:
        """A closed polygon."""
        given = {"points": " ".join(f"{_n(x)},{_n(y)}" for x, y in points), "fill": fill, "stroke": stroke}
        ET.SubElement(self._root, "polygon", given)

    def svg(self) -> str:
        """The whole sheet as a file's text."""
        ET.indent(self._root)
        return ET.tostring(self._root, encoding="unicode") + "\n"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Frame:
    """A corner of the sheet with its own axes: `u` away from the edge where wires come in, `v` down."""

    sheet: Sheet
    x: float
    y: float
    inward: int
    """+1: `u` goes right; -1: it goes left."""

    def at(self, u: float, v: float) -> Point:
        """The point on the sheet."""
        return self.x + self.inward * u, self.y + v

    def line(self, *points: Point, width: float = 1.4) -> None:
        """A line with corners."""
        self.sheet.line(*(self.at(*point) for point in points), width=width)

    def text(self, u: float, v: float, words: str, *, size: float = SMALL, anchor: str = "start") -> None:
        """Words; `start` means that they grow with `u`, `end` that they end there, whichever side that is."""
        turned = {"start": "end", "end": "start", "middle": "middle"}[anchor] if self.inward < 0 else anchor
        self.sheet.text(self.at(u, v), words, size=size, anchor=turned)

    def dot(self, u: float, v: float) -> None:
        """Wires joined."""
        self.sheet.circle(self.at(u, v), 2.6, fill=INK)

    def resistor(self, u: float, v: float, value: str = "") -> None:
        """A resistor along `u`, 36 long, its value above it."""
        x = self.at(u, v)[0] - (36 if self.inward < 0 else 0)
        self.sheet.box((x, self.y + v - 5), (36, 10))
        if value:
            self.text(u + 18, v - 11, value, anchor="middle")

    def resistor_down(self, u: float, v: float, value: str, *, length: float = 26) -> None:
        """A resistor along `v`, its value beside it."""
        self.sheet.box((self.at(u, v)[0] - 5, self.y + v), (10, length))
        if value:
            self.text(u + 9, v + length / 2, value)

    def capacitor_down(self, u: float, v: float, value: str, *, polar: bool = False) -> None:
        """A capacitor along `v`, 6 high, its value beside it; `polar` marks the upper plate with a plus."""
        self.line((u - 11, v), (u + 11, v), width=2.2)
        self.line((u - 11, v + 6), (u + 11, v + 6), width=2.2)
        self.text(u + 15, v + 3, value)
        if polar:
            self.text(u - 16, v - 4, "+", anchor="middle")

    def ground(self, u: float, v: float) -> None:
        """The sign for ground, hanging from the point."""
        for at, half in ((8, 10.0), (12, 6.5), (16, 3.0)):
            self.line((u - half, v + at), (u + half, v + at), width=1.8)
        self.line((u, v), (u, v + 8))

    def rail(self, u: float, v: float, volts: str) -> None:
        """An arrow up to a supply."""
        self.line((u, v), (u, v - 10))
        self.sheet.shape(self.at(u - 4, v - 9), self.at(u + 4, v - 9), self.at(u, v - 16))
        self.text(u, v - 23, volts, anchor="middle")

    def led(self, u: float, v: float) -> None:
        """A light-emitting diode along `u`, 18 long, its light upwards."""
        self.sheet.shape(self.at(u, v - 9), self.at(u, v + 9), self.at(u + 18, v), fill=PAPER)
        self.line((u + 18, v - 9), (u + 18, v + 9), width=2.2)
        for shift in (0, 7):
            self.line((u + 7 + shift, v - 9), (u + 13 + shift, v - 16), width=1.1)
            self.line((u + 9 + shift, v - 16), (u + 13 + shift, v - 16), (u + 13 + shift, v - 12), width=1.1)

    def diode_up(self, u: float, v: float, value: str) -> None:
        """A diode along `v`, 14 high, that lets current through upwards, its type beside it."""
        self.sheet.shape(self.at(u - 8, v + 14), self.at(u + 8, v + 14), self.at(u, v), fill=PAPER)
        self.line((u - 8, v), (u + 8, v), width=2.2)
        self.text(u + 12, v + 7, value)

    def button(self, u: float, v: float, height: float) -> None:
        """A push button along `v`, open while nobody presses."""
        self.line((u, v), (u, v + 9))
        self.line((u, v + height), (u, v + height - 9))
        for end in (v + 10, v + height - 10):
            self.sheet.circle(self.at(u, end), 2.6)
        self.line((u + 8, v + 7), (u + 8, v + height - 7), width=2.2)
        self.line((u + 8, v + height / 2), (u + 18, v + height / 2))
        self.line((u + 18, v + height / 2 - 7), (u + 18, v + height / 2 + 7), width=2.2)

    def buzzer(self, u: float, v: float, height: float) -> None:
        """A buzzer along `v`, plus at the top."""
        self.line((u, v), (u, v + height))
        self.sheet.circle(self.at(u, v + height / 2), 13)
        self.text(u, v + height / 2, "BZ", anchor="middle")
        self.text(u + 10, v + height / 2 - 15, "+", anchor="middle")

    def transistor(self, u: float, v: float, height: float) -> None:
        """An NPN transistor: base at (u, v), collector and emitter `height` above and below at u + 14."""
        self.sheet.circle(self.at(u + 9, v), 15)
        self.line((u - 8, v), (u + 2, v))
        self.line((u + 2, v - 9), (u + 2, v + 9), width=2.6)
        self.line((u + 2, v - 4), (u + 14, v - 11), (u + 14, v - height))
        self.line((u + 2, v + 4), (u + 14, v + 11), (u + 14, v + height))
        tip = self.at(u + 13, v + 10.5)
        self.sheet.shape(tip, self.at(u + 6, v + 9), self.at(u + 9, v + 4.5))

    def ring(self, u: float, v: float, radius: float, lights: int) -> None:
        """A ring of lights about (u, v)."""
        self.sheet.circle(self.at(u, v), radius)
        self.sheet.circle(self.at(u, v), radius - 15)
        for dx, dy in _round_the_clock(lights, radius - 7.5):
            self.sheet.box((self.at(u, v)[0] + dx - 4, self.y + v + dy - 4), (8, 8), width=1.0)

    def gate(self, u: float, v: float) -> None:
        """A buffer along `u`, 15 long."""
        self.sheet.shape(self.at(u, v - 6), self.at(u, v + 6), self.at(u + 15, v), fill=PAPER)


def _round_the_clock(count: int, radius: float) -> Sequence[Point]:
    """Points on a circle, beginning at the top."""
    return [(radius * sin(tau * at / count), -radius * cos(tau * at / count)) for at in range(count)]
