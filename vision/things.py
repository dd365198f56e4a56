"""Draws what lies on tables besides dominoes: cups, phones, sheets, cards, dice, coins, backs of dominoes; no scene.

Each thing is a flat picture in millimetres with its transparency, to be laid over a frame; some hide dominoes, and all
of them may look a little like one.
"""

from collections.abc import Callable
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.face import PIPS
from vision.look import Bgr

Colour = NDArray[np.floating[Any]]


class Sheet:
    """A thing being drawn: its colours (H, W, 3), 0..255, and its cover (H, W), 0..1."""

    def __init__(self, width_mm: float, height_mm: float, scale: float) -> None:
        self.scale = scale
        size = (max(4, round(height_mm * scale)), max(4, round(width_mm * scale)))
        self.bgr = np.zeros((*size, 3), np.float32)
        self.cover = np.zeros(size, np.float32)

    def px(self, mm: float) -> int:
        """Millimetres in whole pixels."""
        return round(mm * self.scale)

    def rounded(self, x: float, y: float, width: float, height: float, radius: float, ink: Bgr) -> None:
        """A filled rectangle with round corners, in mm."""
        mask = np.zeros(self.cover.shape, np.uint8)
        r = min(self.px(radius), self.px(width) // 2, self.px(height) // 2)
        left, top, right, bottom = self.px(x), self.px(y), self.px(x + width) - 1, self.px(y + height) - 1
        cv2.rectangle(mask, (left + r, top), (right - r, bottom), 255, -1)
        cv2.rectangle(mask, (left, top + r), (right, bottom - r), 255, -1)
        for cx, cy in ((left + r, top + r), (right - r, top + r), (left + r, bottom - r), (right - r, bottom - r)):
            cv2.circle(mask, (cx, cy), r, 255, -1, cv2.LINE_AA)
        self._paint(mask, ink)

    def disc(self, x: float, y: float, radius: float, ink: Bgr, *, width: float = 0.0) -> None:
        """A disc, or a ring of some width, in mm."""
        mask = np.zeros(self.cover.shape, np.uint8)
        thick = max(1, self.px(width)) if width else -1
        place = (round(x * self.scale * 16), round(y * self.scale * 16))
        cv2.circle(mask, place, max(1, round(radius * self.scale * 16)), 255, thick, cv2.LINE_AA, 4)
        self._paint(mask, ink)

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float, ink: Bgr) -> None:
        """A stroke of some width, in mm."""
        mask = np.zeros(self.cover.shape, np.uint8)
        ends = ((self.px(x0), self.px(y0)), (self.px(x1), self.px(y1)))
        cv2.line(mask, *ends, 255, max(1, self.px(width)), cv2.LINE_AA)
        self._paint(mask, ink)

    def text(self, x: float, y: float, words: str, height: float, ink: Bgr, font: int = 0) -> None:
        """Words with letters so high, in mm."""
        mask = np.zeros(self.cover.shape, np.uint8)
        place = (self.px(x), self.px(y))
        cv2.putText(mask, words, place, font, height * self.scale / 22, 255, max(1, self.px(height / 9)), cv2.LINE_AA)
        self._paint(mask, ink)

    def _paint(self, mask: NDArray[np.uint8], ink: Bgr) -> None:
        cover = mask.astype(np.float32) / 255
        self.bgr += (np.array(ink, np.float32) - self.bgr) * cover[..., None]
        self.cover = np.maximum(self.cover, cover)


def _any(rng: np.random.Generator, low: int = 15, high: int = 245) -> Bgr:
    b, g, r = (int(v) for v in rng.integers(low, high, 3))
    return b, g, r


def _grey(rng: np.random.Generator, low: int, high: int) -> Bgr:
    level = float(rng.uniform(low, high))
    b, g, r = (int(v) for v in np.clip(level * rng.normal(1, 0.03, 3), 5, 250))
    return b, g, r


def cup(rng: np.random.Generator, scale: float) -> Sheet:
    """A cup or a glass from above, with its handle."""
    radius = float(rng.uniform(28, 45))
    sheet = Sheet(2 * radius + 60, 2 * radius + 10, scale)
    middle = radius + 5
    wall, drink = _any(rng), ((12, 22, 40), (20, 60, 110), (200, 210, 215), (40, 120, 190))[rng.integers(4)]
    if rng.random() < 0.6:
        sheet.rounded(middle + radius - 8, middle - 8, 34, 16, 7, wall)
    sheet.disc(middle, middle, radius, wall)
    sheet.disc(middle, middle, radius - float(rng.uniform(3, 6)), drink)
    sheet.disc(middle - radius * 0.3, middle - radius * 0.3, radius * 0.12, (230, 235, 238))
    return sheet


def coaster(rng: np.random.Generator, scale: float) -> Sheet:
    """A beer mat or a bowl: rings, one in another."""
    radius = float(rng.uniform(15, 52))
    sheet = Sheet(2 * radius + 4, 2 * radius + 4, scale)
    for share in (1.0, *sorted(rng.uniform(0.2, 0.9, int(rng.integers(0, 3))), reverse=True)):
        sheet.disc(radius + 2, radius + 2, radius * float(share), _any(rng))
    return sheet


def phone(rng: np.random.Generator, scale: float) -> Sheet:
    """A phone, dark or showing its icons."""
    width, height = float(rng.uniform(65, 80)), float(rng.uniform(135, 165))
    sheet = Sheet(width, height, scale)
    sheet.rounded(0, 0, width, height, 9, _grey(rng, 15, 90))
    screen = _grey(rng, 8, 40) if rng.random() < 0.4 else _any(rng)
    sheet.rounded(3, 4, width - 6, height - 8, 6, screen)
    if rng.random() < 0.6:
        for row in range(int(rng.integers(2, 7))):
            for column in range(4):
                x, y = 7 + column * (width - 12) / 4, 14 + row * 19
                if rng.random() < 0.8:
                    sheet.rounded(x, y, 11, 11, float(rng.uniform(1, 5.5)), _any(rng))
    return sheet


def scoresheet(rng: np.random.Generator, scale: float) -> Sheet:
    """Paper with ruled lines, numbers and strokes."""
    width, height = float(rng.uniform(60, 150)), float(rng.uniform(80, 210))
    sheet = Sheet(width, height, scale)
    sheet.rounded(0, 0, width, height, 0.5, _grey(rng, 185, 248))
    ink = ((120, 60, 30), (40, 40, 40), (60, 60, 190))[rng.integers(3)]
    if rng.random() < 0.6:
        for y in np.arange(10, height, float(rng.uniform(6, 14))):
            sheet.line(3, y, width - 3, y, 0.4, _grey(rng, 110, 190))
        for x in rng.uniform(10, width - 10, int(rng.integers(0, 4))):
            sheet.line(x, 3, x, height - 3, 0.6, _grey(rng, 60, 160))
    for _ in range(int(rng.integers(3, 30))):
        words = ("25", "101", "A", "B", "||||", "o o", "12", "...", ": :", "8", "6-4", "Ivan", "==", "00")[
            rng.integers(14)
        ]
        x, y = float(rng.uniform(4, width - 20)), float(rng.uniform(12, height - 4))
        sheet.text(x, y, words, float(rng.uniform(3, 12)), ink, int(rng.integers(8)))
    return sheet


def pen(rng: np.random.Generator, scale: float) -> Sheet:
    """A pen or a pencil."""
    length, width = float(rng.uniform(90, 160)), float(rng.uniform(5, 11))
    sheet = Sheet(length, width, scale)
    sheet.rounded(0, 0, length, width, width / 2, _any(rng))
    sheet.rounded(length * 0.8, width * 0.2, length * 0.2, width * 0.6, 1, _any(rng))
    return sheet


def die(rng: np.random.Generator, scale: float) -> Sheet:
    """A die, showing its upper face."""
    side = float(rng.uniform(10, 24))
    sheet = Sheet(side, side, scale)
    dark = rng.random() < 0.4
    sheet.rounded(
        0, 0, side, side, side * float(rng.uniform(0.08, 0.25)), _any(rng, 10, 120) if dark else _grey(rng, 190, 248)
    )
    ink = _grey(rng, 200, 245) if dark else _any(rng, 5, 90)
    for u, v in PIPS[rng.integers(1, 7)]:
        sheet.disc(side / 2 + 0.26 * side * u, side / 2 + 0.26 * side * v, side * 0.09, ink)
    return sheet


def dice(rng: np.random.Generator, scale: float) -> Sheet:
    """Two dice side by side, which are nearly a domino but for the gap and the corners between them."""
    side, gap = float(rng.uniform(12, 24)), float(rng.uniform(0.5, 6))
    sheet = Sheet(2 * side + gap, side, scale)
    body, ink = _grey(rng, 190, 248), _any(rng, 5, 90)
    for left in (0.0, side + gap):
        sheet.rounded(left, 0, side, side, side * float(rng.uniform(0.15, 0.25)), body)
        for u, v in PIPS[rng.integers(1, 7)]:
            sheet.disc(left + side / 2 + 0.26 * side * u, side / 2 + 0.26 * side * v, side * 0.09, ink)
    return sheet


def coin(rng: np.random.Generator, scale: float) -> Sheet:
    """A coin or a round counter."""
    radius = float(rng.uniform(7, 20))
    sheet = Sheet(2 * radius + 2, 2 * radius + 2, scale)
    metal = ((90, 150, 190), (170, 175, 178), (60, 100, 160), _any(rng))[rng.integers(4)]
    sheet.disc(radius + 1, radius + 1, radius, metal)
    dark = tuple(int(v * 0.75) for v in metal)
    sheet.disc(radius + 1, radius + 1, radius * 0.85, (dark[0], dark[1], dark[2]), width=0.6)
    sheet.text(radius * 0.6, radius * 1.4, str(rng.integers(1, 50)), radius * 0.8, (dark[0], dark[1], dark[2]))
    return sheet


def playing_card(rng: np.random.Generator, scale: float) -> Sheet:
    """A playing card: signs in two columns on white, its corners round; or its patterned back."""
    sheet = Sheet(60, 88, scale)
    sheet.rounded(0, 0, 60, 88, 4, _grey(rng, 215, 250))
    ink = ((30, 30, 190), (30, 30, 30))[rng.integers(2)]
    if rng.random() < 0.3:
        sheet.rounded(4, 4, 52, 80, 2, _any(rng))
        return sheet
    for x in (20.0, 40.0):
        for y in np.linspace(18, 70, int(rng.integers(1, 5))):
            sheet.disc(x, float(y), 4.5, ink)
    sheet.text(4, 12, str(rng.integers(2, 11)), 9, ink)
    return sheet


def back(rng: np.random.Generator, scale: float) -> Sheet:
    """A domino lying face down: bare, framed, or with a maker's mark."""
    width = float(rng.uniform(20, 28))
    length = width * float(rng.uniform(1.85, 2.1))
    sheet = Sheet(length, width, scale)
    body = (_grey(rng, 180, 245), _any(rng), _grey(rng, 20, 60), (90, 130, 170))[rng.integers(4)]
    radius = float(rng.uniform(0.8, 4))
    rim = tuple(int(v * float(rng.uniform(0.7, 0.95))) for v in body)
    sheet.rounded(0, 0, length, width, radius, (rim[0], rim[1], rim[2]))
    sheet.rounded(0.9, 0.9, length - 1.8, width - 1.8, radius, body)
    mark = tuple(int(np.clip(v + float(rng.uniform(-110, 110)), 0, 255)) for v in body)
    mark = (mark[0], mark[1], mark[2])
    kind = int(rng.integers(6))
    if kind == 1:
        sheet.disc(length / 2, width / 2, width * 0.3, mark, width=1.2)
    elif kind == 2:
        sheet.text(
            length * 0.2, width * 0.65, ("CLUB", "DOMINO", "D", "66", "EXTRA")[rng.integers(5)], width * 0.3, mark
        )
    elif kind == 3:
        for x in np.arange(4, length - 3, 4):
            sheet.line(x, 3, x, width - 3, 0.6, mark)
    elif kind == 4:
        sheet.rounded(3, 3, length - 6, width - 6, 2, mark)
        sheet.rounded(4.2, 4.2, length - 8.4, width - 8.4, 2, body)
    return sheet


def standing(rng: np.random.Generator, scale: float) -> Sheet:
    """A domino standing on its edge, seen from above: a narrow bar, sometimes of two layers."""
    length, width = float(rng.uniform(40, 56)), float(rng.uniform(7, 13))
    sheet = Sheet(length, width, scale)
    colour = (_grey(rng, 170, 245), _any(rng), _grey(rng, 20, 70), (100, 140, 180))[rng.integers(4)]
    sheet.rounded(0, 0, length, width, 1.5, colour)
    if rng.random() < 0.4:
        sheet.rounded(0, width / 2, length, width / 2, 1, _any(rng))
    return sheet


def printed(rng: np.random.Generator, scale: float) -> Sheet:
    """Paper with dominoes printed on it as outlines with spots; no dominoes."""
    width, height = float(rng.uniform(60, 160)), float(rng.uniform(40, 120))
    sheet = Sheet(width, height, scale)
    paper, ink = _grey(rng, 190, 248), _any(rng, 5, 90)
    sheet.rounded(0, 0, width, height, 0.5, paper)
    side = float(rng.uniform(6, 16))
    for y in np.arange(4, height - side - 3, side + 4):
        for x in np.arange(4, width - 2 * side - 3, 2 * side + 5):
            sheet.rounded(x, y, 2 * side, side, 1.5, ink)
            sheet.rounded(x + 0.7, y + 0.7, 2 * side - 1.4, side - 1.4, 1.2, paper)
            sheet.line(x + side, y, x + side, y + side, 0.6, ink)
            for left in (x, x + side):
                for u, v in PIPS[rng.integers(7)]:
                    sheet.disc(left + side / 2 + 0.27 * side * u, y + side / 2 + 0.27 * side * v, side * 0.09, ink)
    return sheet


def keyboard(rng: np.random.Generator, scale: float) -> Sheet:
    """Keys in rows, of one or two lengths."""
    sheet = Sheet(190, 90, scale)
    dark = rng.random() < 0.5
    sheet.rounded(0, 0, 190, 90, 3, _grey(rng, 25, 60) if dark else _grey(rng, 150, 210))
    key, ink = (_grey(rng, 40, 90), (225, 225, 225)) if dark else (_grey(rng, 200, 245), (40, 40, 40))
    for row in range(4):
        x = 4.0
        while x < 170:
            length = 34.0 if rng.random() < 0.2 else 16.0
            sheet.rounded(x, 4 + row * 21, length, 17, 2, key)
            sheet.text(x + 4, 4 + row * 21 + 10, chr(int(rng.integers(48, 91))), 6, ink)
            x += length + 3
    return sheet


def paper_strip(rng: np.random.Generator, scale: float) -> Sheet:
    """A bare strip or block of any colour, as long and wide as a domino or quite otherwise."""
    width, height = float(rng.uniform(15, 110)), float(rng.uniform(10, 60))
    sheet = Sheet(width, height, scale)
    sheet.rounded(0, 0, width, height, float(rng.uniform(0, 4)), _any(rng))
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 8))):
            x, y = (float(v) for v in rng.uniform(0, 1, 2) * (width, height))
            sheet.disc(x, y, float(rng.uniform(1, 4)), _any(rng))
    return sheet


THINGS: Final[tuple[Callable[[np.random.Generator, float], Sheet], ...]] = (
    cup,
    coaster,
    phone,
    scoresheet,
    pen,
    die,
    dice,
    coin,
    playing_card,
    printed,
    keyboard,
    paper_strip,
)
"""Everything but other dominoes."""
