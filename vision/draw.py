"""What was made of a picture, drawn over it for people: a reading with its outlines and suits, or a table's place."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import SQUARE, Table
from vision.reading import Domino, Half, Link, Point, Reading

Colour = tuple[int, int, int]
BGR = NDArray[np.uint8]

LINE: Colour = (66, 200, 255)
"""Amber (BGR) for the longest chain, which is the game line."""
OTHERS: tuple[Colour, ...] = ((235, 170, 70), (120, 205, 110), (210, 120, 200))
"""Further chains, in turn."""
LOOSE: Colour = (225, 225, 225)
INK: Colour = (30, 26, 24)
EDGE_STEPS = 24
"""A bent edge is drawn in so many pieces."""
DOUBTFUL = 0.8
"""A half less sure than this is shown with a question mark."""
DOUBT: Colour = (140, 170, 255)
"""Behind what is doubtful."""
FONT = cv2.FONT_HERSHEY_DUPLEX


def draw(bgr: BGR, reading: Reading, *, sureness: bool = False) -> BGR:
    """A copy of the picture, shape (H, W, 3), with what was read drawn over it.

    Args:
        bgr: shape (H, W, 3).
        reading: what was read in it.
        sureness: whether each domino also says in percent how sure the reader was, of it and of its doubtful half.
    """
    canvas = bgr.copy()
    colours = dict.fromkeys(range(len(reading.dominoes)), LOOSE)
    for number, chain in enumerate(reading.chains):
        colour = LINE if number == 0 else OTHERS[(number - 1) % len(OTHERS)]
        colours.update({link.domino: colour for link in chain})
    _tint(canvas, reading, colours)
    for chain in reading.chains:
        _thread(canvas, reading, chain, colours[chain[0].domino])
    for index, domino in enumerate(reading.dominoes):
        _outline(canvas, domino, colours[index])
    for domino in reading.dominoes:
        _suits(canvas, domino)
    for chain in reading.chains:
        for order, link in enumerate(chain, start=1):
            _order(canvas, reading.dominoes[link.domino], order, colours[link.domino])
    if sureness:
        for index, domino in enumerate(reading.dominoes):
            _percent(canvas, domino, colours[index])
    return canvas


def draw_table(bgr: BGR, table: Table) -> BGR:
    """A copy of the picture, shape (H, W, 3), with the table's edge, the middle square and the seats drawn over it."""
    canvas = bgr.copy()
    width = max(1, round(min(bgr.shape[:2]) / 360))
    half_mm = table.side_mm / 2
    edge = np.concatenate(
        [np.linspace(a, b, EDGE_STEPS) for a, b in zip(SQUARE, np.roll(SQUARE, -1, axis=0), strict=True)]
    )
    for reach_mm, colour in ((half_mm, LINE), (half_mm - table.zone_mm, LOOSE)):
        points = np.round(table.to_px(edge * reach_mm) * 16).astype(np.int32)
        cv2.polylines(canvas, [points], True, INK, width + 2, cv2.LINE_AA, shift=4)
        cv2.polylines(canvas, [points], True, colour, width, cv2.LINE_AA, shift=4)
    for seat, (u, v) in enumerate(((0, 1), (-1, 0), (0, -1), (1, 0))):
        words, size = f"seat {seat}", 0.5 * width
        (long, high), _ = cv2.getTextSize(words, FONT, size, width)
        x, y = table.to_px((u * (half_mm - table.zone_mm / 2), v * (half_mm - table.zone_mm / 2)))
        at = (round(float(x) - long / 2), round(float(y) + high / 2))
        cv2.putText(canvas, words, at, FONT, size, INK, width + 3, cv2.LINE_AA)
        cv2.putText(canvas, words, at, FONT, size, LINE, width, cv2.LINE_AA)
    return canvas


def _tint(canvas: BGR, reading: Reading, colours: dict[int, Colour]) -> None:
    """A breath of the chain's colour over each face."""
    veil = canvas.copy()
    for index, domino in enumerate(reading.dominoes):
        cv2.fillConvexPoly(veil, _fixed(domino.corners), colours[index], cv2.LINE_AA, shift=4)
    cv2.addWeighted(veil, 0.22, canvas, 0.78, 0, dst=canvas)


def _outline(canvas: BGR, domino: Domino, colour: Colour) -> None:
    width = _width(domino)
    cv2.polylines(canvas, [_fixed(domino.corners)], True, INK, width + 2, cv2.LINE_AA, shift=4)
    cv2.polylines(canvas, [_fixed(domino.corners)], True, colour, width, cv2.LINE_AA, shift=4)


def _thread(canvas: BGR, reading: Reading, chain: tuple[Link, ...], colour: Colour) -> None:
    """The chain as one line through the middles of its halves; a domino lying crosswise is met at its centre."""
    places: list[Point] = []
    for position, link in enumerate(chain):
        domino = reading.dominoes[link.domino]
        before = reading.dominoes[chain[position - 1].domino].centre if position else None
        after = reading.dominoes[chain[position + 1].domino].centre if position + 1 < len(chain) else None
        if _lies_across(domino, before, after):
            places.append(domino.centre)
            continue
        a, b = _middle(domino, of_a=True), _middle(domino, of_a=False)
        places += [b, a] if link.flipped else [a, b]
    width = max(2, round(_side(reading.dominoes[chain[0].domino]) / 9))
    for thick, shade in ((width + 2, INK), (width, colour)):
        cv2.polylines(canvas, [_fixed(tuple(places))], False, shade, thick, cv2.LINE_AA, shift=4)


def _lies_across(domino: Domino, before: Point | None, after: Point | None) -> bool:
    """Whether the chain passes over the domino's long sides."""
    a, b = np.array(_middle(domino, of_a=True)), np.array(_middle(domino, of_a=False))
    axis = (b - a) / max(1e-6, float(np.hypot(*(b - a))))
    ways = [np.subtract(p, domino.centre) for p in (before, after) if p is not None]
    return all(abs(float(way @ axis)) < 0.5 * float(np.hypot(*way)) for way in ways)


def _suits(canvas: BGR, domino: Domino) -> None:
    """Each half's number on a small disc in the half's middle."""
    radius = max(5, round(0.27 * _side(domino)))
    for half, at in ((domino.a, _middle(domino, of_a=True)), (domino.b, _middle(domino, of_a=False))):
        centre = (round(at[0]), round(at[1]))
        cv2.circle(canvas, centre, radius + 1, INK, -1, cv2.LINE_AA)
        sure = half.confidence >= DOUBTFUL
        cv2.circle(canvas, centre, radius, (255, 255, 255) if sure else DOUBT, -1, cv2.LINE_AA)
        _text(canvas, _name(half), centre, radius * 1.25)


def _name(half: Half) -> str:
    return "?" if half.suit is None else str(half.suit)


def _order(canvas: BGR, domino: Domino, order: int, colour: Colour) -> None:
    """The domino's place in its chain, on a badge at the middle of its upper long side."""
    sides = [_between(domino.corners[1], domino.corners[2]), _between(domino.corners[3], domino.corners[0])]
    x, y = min(sides, key=lambda p: (p[1], p[0]))
    cx, cy = domino.centre
    at = (round(x + 0.35 * (x - cx)), round(y + 0.35 * (y - cy)))
    radius = max(6, round(0.2 * _side(domino)))
    cv2.circle(canvas, at, radius + 1, INK, -1, cv2.LINE_AA)
    cv2.circle(canvas, at, radius, colour, -1, cv2.LINE_AA)
    _text(canvas, str(order), at, radius * (1.2 if order < 10 else 1.0))


def _percent(canvas: BGR, domino: Domino, colour: Colour) -> None:
    """How sure a domino is, on a plate across the middle of its lowest side."""
    sides = [_between(corner, domino.corners[number - 1]) for number, corner in enumerate(domino.corners)]
    x, y = max(sides, key=lambda p: (p[1], p[0]))
    at = (round(x), round(y))
    sure = domino.confidence * min(domino.a.confidence, domino.b.confidence)
    text, height = f"{100 * sure:.0f}%", max(9.0, 0.22 * _side(domino))
    (width, _), _ = cv2.getTextSize(text, FONT, height / 22, 1)
    reach = (round(width / 2 + 3), round(height / 2 + 2))
    plate = (at[0] - reach[0], at[1] - reach[1]), (at[0] + reach[0], at[1] + reach[1])
    cv2.rectangle(canvas, *plate, colour if sure >= DOUBTFUL else DOUBT, -1)
    _text(canvas, text, at, height)


def _text(canvas: BGR, text: str, centre: tuple[int, int], height_px: float) -> None:
    """Text centred on a point."""
    scale = height_px / 22
    thickness = max(1, round(scale * 1.4))
    (width, height), _ = cv2.getTextSize(text, FONT, scale, thickness)
    at = (round(centre[0] - width / 2), round(centre[1] + height / 2))
    cv2.putText(canvas, text, at, FONT, scale, INK, thickness, cv2.LINE_AA)


def _middle(domino: Domino, *, of_a: bool) -> Point:
    """The middle of one half."""
    c = domino.corners
    end = _between(c[0], c[1]) if of_a else _between(c[2], c[3])
    return _between(end, domino.centre)


def _between(p: Point, q: Point) -> Point:
    return ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)


def _side(domino: Domino) -> float:
    """Length of a short side in pixels."""
    (x0, y0), (x1, y1) = domino.corners[:2]
    return float(np.hypot(x1 - x0, y1 - y0))


def _width(domino: Domino) -> int:
    return max(1, round(_side(domino) / 16))


def _fixed(points: tuple[Point, ...]) -> NDArray[np.int32]:
    """Points in sixteenths of a pixel, as OpenCV's drawing takes them."""
    return np.asarray(np.rint(np.array(points) * 16), dtype=np.int32)
