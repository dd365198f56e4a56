"""What stands in a drawing, read back from its SVG: texts with the room they take, wires with their corners."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

from hardware.sheet import width_of

SVG = "{http://www.w3.org/2000/svg}"
ABOVE, BELOW = 0.76, 0.24
"""How far letters reach from their line, in font sizes."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text and its box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Words) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def words_of(svg: str) -> list[Words]:
    """Every text, as wide as the widest of its fonts makes it."""
    found = []
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        text, size = element.text or "", float(element.attrib["font-size"])
        x, y, wide = float(element.attrib["x"]), float(element.attrib["y"]), width_of(text, size)
        left = x - {"end": wide, "middle": wide / 2}.get(element.get("text-anchor", ""), 0.0)
        found.append(Words(text, left, y - ABOVE * size, left + wide, y + BELOW * size))
    return found


def overlapping(svg: str) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other."""
    return [(a.text, b.text) for a, b in combinations(words_of(svg), 2) if a.meets(b)]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A straight piece of a wire: across (at one height) or down."""

    ink: str
    is_across: bool
    at: float
    begin: float
    end: float

    def lies_on(self, other: Stretch) -> bool:
        is_parallel = self.is_across == other.is_across and abs(self.at - other.at) < 2
        return is_parallel and self.begin < other.end and other.begin < self.end


def stretches_of(svg: str) -> list[Stretch]:
    """The pieces of all wires, which are the lines that are not black."""
    found = []
    for element in ET.fromstring(svg).iter(f"{SVG}polyline"):
        if element.attrib["stroke"] != "#000000":
            corners = [tuple(map(float, point.split(","))) for point in element.attrib["points"].split()]
            for (x1, y1), (x2, y2) in pairwise(corners):
                is_across = y1 == y2
                begin, end = sorted((x1, x2) if is_across else (y1, y2))
                found.append(Stretch(element.attrib["stroke"], is_across, y1 if is_across else x1, begin, end))
    return found
