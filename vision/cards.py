"""The printed cards that say where a table lies: the page to print, and how they are found in a picture.

The page is a small picture of the table: each card has its place on it, seat 0 at the bottom. Where a card lies on the
table is known from its place and the table's side.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from xml.etree import ElementTree as ET

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Bgr
from vision.geometry import SQUARE, Points, homography, project

CARD_MM: Final = 64.0
MARKER_MM: Final = 48.0
"""Side of the black square; 6 cells of 8 mm, with one cell of white round it."""
CELLS: Final = 6
CORNERS: Final = range(4)
"""The cards at the corners: card n lies between seat n and the next one clockwise. Card 4 + n lies at the edge in front
of seat n, about in its middle."""
PLACES: Final[Mapping[int, tuple[int, int]]] = {
    0: (-1, 1),
    1: (-1, -1),
    2: (1, -1),
    3: (1, 1),
    4: (0, 1),
    5: (-1, 0),
    6: (0, -1),
    7: (1, 0),
}
"""Where each lies, in half sides of the table: x to the right, y towards seat 0."""
FREE: Final[Mapping[int, int | None]] = {**dict.fromkeys(CORNERS), 4: 0, 5: 1, 6: 0, 7: 1}
"""The axis along which a card may lie anywhere."""
PAGE_MM: Final = (210.0, 297.0)
TOP_MM: Final = 52.0
RULER_MM: Final = 100.0
HEAD: Final = (
    (6.0, "Where the table lies: eight cards for the camera"),
    (3.3, "Print at 100 %, not fitted to the page. Cut along the thin lines. Each card must lie flat."),
    (3.3, "Lay them on the table as they are here, seat 0 at the bottom, wedges on the table's edges."),
    (3.3, "The four of the corners are needed; the four between them tell what the lens bends."),
)
"""The page's heading: sizes in mm, and words."""
MIDDLE: Final = ("the table", "seats go clockwise:", "0 below, 1 left, 2 above, 3 right")
RULER: Final = f"exactly {RULER_MM:g} mm: measure it, the printer may have shrunk the page"
LEAST_PX: Final = 16
"""Side of a marker below which its cells cannot be told apart."""
WINDOWS_PX: Final = ((21, 121, 25), (5, 61, 14))
"""Smallest and largest surroundings, and steps between, that black is told from white by: near a dark rim small ones
fail, in a soft picture large ones, and of both at once OpenCV chooses badly."""
LIKE: Final = 0.9
"""How well what lies there must agree with a marker: a corner found beside its place does not."""
REACH_CELLS: Final = 0.6
"""How far to either side of a marker's edge it is looked for; both black and white are one cell wide there."""
SAMPLES: Final = 25
"""Places along an edge at which it is looked for."""
PROFILE: Final = 41
"""Steps across it."""
DICTIONARY: Final = cv2.aruco.DICT_4X4_50


def name_of(card: int) -> str:
    """What is printed on a card: the seats it lies between, or the one it lies in front of."""
    return f"{card} | {(card + 1) % 4}" if card in CORNERS else f"seat {card - 4}"


def _place(card: int, side_mm: float) -> Points:
    """The marker's corners in the table's millimetres, clockwise from its top left, shape (4, 2)."""
    middle = np.array(PLACES[card]) * (side_mm - CARD_MM) / 2
    return middle + MARKER_MM / 2 * np.array(((-1, -1), (1, -1), (1, 1), (-1, 1)))


PLACE_OF: Final[Mapping[int, Callable[[float], Points]]] = {card: partial(_place, card) for card in PLACES}
"""For each card its marker's corners in millimetres on a table of a given side."""


def cells_of(card: int) -> NDArray[np.bool_]:
    """Which cells of a marker are white, shape (6, 6)."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, card, CELLS, borderBits=1)) > 0


def find_cards(bgr: Bgr) -> dict[int, Points]:
    """The markers in a picture, by card: their corners in pixels, clockwise from the marker's own top left, (4, 2).

    A card that is seen twice is left out: nobody knows which one is meant.
    """
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    found: dict[int, list[Points]] = {}
    for windows_px in WINDOWS_PX:
        for card, quad in _detected(grey, windows_px):
            near = _refined(grey, _refined(grey, quad))
            if _likeness(grey, card, near) >= LIKE:
                found.setdefault(card, []).append(near)
    return {card: max(quads, key=partial(_likeness, grey, card)) for card, quads in found.items() if _are_one(quads)}


def _detected(grey: NDArray[np.uint8], windows_px: tuple[int, int, int]) -> Iterator[tuple[int, Points]]:
    """Markers as OpenCV finds them, roughly."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMin, parameters.adaptiveThreshWinSizeMax = windows_px[:2]
    parameters.adaptiveThreshWinSizeStep = windows_px[2]
    parameters.minMarkerDistanceRate = 0.01  # or the outline of a card may be taken for that of its marker
    parameters.minMarkerPerimeterRate = 4 * LEAST_PX / max(grey.shape)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)
    corners, names, _ = detector.detectMarkers(grey)
    for name, quad in zip(() if names is None else np.ravel(names), corners, strict=True):
        if int(name) in PLACES:
            yield int(name), np.asarray(quad, np.float64).reshape(4, 2)


def _are_one(quads: Sequence[Points]) -> bool:
    """Whether markers found lie over each other: one marker, found more than once."""
    middles = np.array([quad.mean(axis=0) for quad in quads])
    side_px = np.hypot(*(quads[0][1] - quads[0][0]))
    return bool(np.abs(middles - middles[0]).max() < side_px / 2)


def _likeness(grey: NDArray[np.uint8], card: int, quad: Points) -> float:
    """How well the cells under a quad, with one of white round them, agree with a marker's; 1 is perfectly."""
    ideal = np.pad(cells_of(card), 1, constant_values=True)
    steps = np.arange(-1, CELLS + 1) + 0.5
    cells = np.stack(np.meshgrid(steps, steps), axis=-1) / CELLS * 2 - 1
    x, y = project(homography(SQUARE, quad), cells).transpose(2, 0, 1).astype(np.float32)
    levels = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return float(np.corrcoef(levels.ravel(), ideal.ravel())[0, 1]) if levels.std() > 0 else 0.0


def _refined(grey: NDArray[np.uint8], quad: Points) -> Points:
    """A marker's corners, where its sides cross; a side is where it is half way from black to white, shape (4, 2).

    A corner by itself is found too far inside, the more so the less sharp the picture is.
    """
    sides = []
    for corner, other in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = other - corner
        out = np.array((along[1], -along[0])) / np.hypot(*along)
        reach = REACH_CELLS * np.hypot(*along) / CELLS
        steps = np.linspace(-reach, reach, PROFILE)
        places = corner + np.linspace(0.12, 0.88, SAMPLES)[:, None] * along
        x, y = (places[:, None] + steps[:, None] * out).transpose(2, 0, 1).astype(np.float32)
        levels = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
        middle = (levels[:, :2].mean() + levels[:, -2:].mean()) / 2
        first = np.argmax(levels > middle, axis=1).clip(1)
        below, above = (levels[np.arange(SAMPLES), first - back] for back in (1, 0))
        off = steps[first - 1] + (middle - below) / np.where(above > below, above - below, 1) * (steps[1] - steps[0])
        sides.append(_line(places + off[:, None] * out))
    return np.array([np.cross(sides[i - 1], sides[i])[:2] / np.cross(sides[i - 1], sides[i])[2] for i in range(4)])


def _line(points: Points) -> Points:
    """The line nearest to most of some points, as (a, b, c) with ax + by + c = 0."""
    near = np.ones(len(points), np.bool_)
    for _ in range(3):
        middle = points[near].mean(axis=0)
        normal = np.linalg.svd(points[near] - middle)[2][1]
        off = np.abs((points - middle) @ normal)
        near = off <= max(2.5 * float(np.median(off)), 0.05)
    return np.array((*normal, -normal @ middle))


def page_svg() -> str:
    """The page to print, A4 or Letter at 100 %: eight cards to cut out, as they lie on the table."""
    width, height = PAGE_MM
    svg = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{width:g}mm",
            "height": f"{height:g}mm",
            "viewBox": f"0 0 {width:g} {height:g}",
            "font-family": "DejaVu Sans, Verdana, Arial, sans-serif",
            "shape-rendering": "crispEdges",
        },
    )
    ET.SubElement(svg, "title").text = "Gameline: cards for calibrating the camera"
    _box(svg, 0, 0, width, height, fill="#fff")
    left = (width - 3 * CARD_MM) / 2
    for line, (size, words) in enumerate(HEAD):
        _text(svg, left, 22 + 5.5 * line + 2.5 * (line > 0), size, words)
    for card, (u, v) in PLACES.items():
        _card(svg, card, left + (u + 1) * CARD_MM, TOP_MM + (v + 1) * CARD_MM)
    for line, words in enumerate(MIDDLE):
        _text(svg, width / 2, TOP_MM + 1.45 * CARD_MM + 5.5 * line, 3.2, words, anchor="middle")
    x, y = (width - RULER_MM) / 2, TOP_MM + 3 * CARD_MM + 14
    ruler = f"M{x:g} {y - 4:g}v8m0 -4h{RULER_MM:g}m0 -4v8"
    ET.SubElement(svg, "path", {"d": ruler, "stroke": "#000", "stroke-width": "0.3", "fill": "none"})
    _text(svg, width / 2, y + 7, 3.4, RULER, anchor="middle")
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


def _card(svg: ET.Element, card: int, x: float, y: float) -> None:
    """A card whose top left corner is there: outline, marker, name, a wedge at each edge that goes on the table's."""
    (u, v), rim, cell = PLACES[card], (CARD_MM - MARKER_MM) / 2, MARKER_MM / CELLS
    _box(svg, x, y, CARD_MM, CARD_MM, fill="none", stroke="#999")
    _box(svg, x + rim, y + rim, MARKER_MM, MARKER_MM, fill="#000")
    for row, column in np.argwhere(cells_of(card)):
        _box(svg, x + rim + column * cell, y + rim + row * cell, cell, cell, fill="#fff")
    middle_x, middle_y = x + CARD_MM / 2, y + CARD_MM / 2
    if u:
        ET.SubElement(svg, "path", {"d": f"M{middle_x + u * CARD_MM / 2:g} {middle_y:g}l{-3 * u} -2v4z"})
    if v:
        ET.SubElement(svg, "path", {"d": f"M{middle_x:g} {middle_y + v * CARD_MM / 2:g}l-2 {-3 * v}h4z"})
    _text(svg, x + rim, y + (5.0 if v > 0 else CARD_MM - 2.8), 3.0, name_of(card))


def _box(svg: ET.Element, x: float, y: float, width: float, height: float, *, fill: str, stroke: str = "none") -> None:
    given = {"x": f"{x:g}", "y": f"{y:g}", "width": f"{width:g}", "height": f"{height:g}"}
    ET.SubElement(svg, "rect", given | {"fill": fill, "stroke": stroke, "stroke-width": "0.15"})


def _text(svg: ET.Element, x: float, y: float, size: float, words: str, *, anchor: str = "start") -> None:
    given = {"x": f"{x:g}", "y": f"{y:g}", "font-size": f"{size:g}", "text-anchor": anchor}
    ET.SubElement(svg, "text", given).text = words
