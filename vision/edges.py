"""Where a table lies by its own edge, with a few dominoes for the scale: for when there are no cards to print.

Of all straight edges round the picture's middle those four are the table's that are as far apart as it is wide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import BENT, least_squares, lens_of
from vision.frame import Bgr
from vision.geometry import SQUARE, Points, Table, homography, project, quad_of
from vision.reading import Domino

Plane = NDArray[np.floating[Any]]

STEP_PX: Final = 3
"""Edges are looked for on every third place."""
ASIDE: Final = 0.20
"""How far the table's middle may be from the picture's, in sides of the table, and its edges likewise."""
SKEW: Final = 0.13
"""How far an edge may be turned: its rise over its length."""
ALONG: Final = np.linspace(-0.42, 0.42, 43)
"""Places along an edge that are looked at, in sides of the table."""
SAGS: Final = (-0.018, -0.009, 0.0, 0.009)
"""How far a lens bends the middle of an edge outwards, in sides of the table, a barrel first."""
BEST: Final = 6
"""Edges kept for each side."""
APART: Final = 0.012
"""From so far apart on two edges are two, in sides of the table."""
STRETCH: Final = 0.025
"""How far the table may look larger than the dominoes say, as a standard deviation."""
UNEVEN: Final = 0.1
"""And one edge longer than another: a tilt of ten degrees."""
BESIDE_MM: Final = 9.0
"""So far from an edge it is looked what lies on either side: less than half of a wooden frame."""
UNLIKE: Final = 0.4
"""How far the shades beside a table's edges may differ from side to side, as a logarithm: light falls unevenly."""
LIKELY: Final = 200
"""Of so many of the likeliest it is looked how alike their edges are."""
TRIED: Final = 40
"""So many of the likeliest are measured at most: one edge of four may be another's."""
MEASURED_WELL: Final = 4
"""Until there are so many different ones whose edges are all there."""
CAP: Final = 4.0
"""A slope counts at most so many times as much as most of the picture's steep ones."""
REACH: Final = (0.015, 0.008, 0.004)
"""How far from where it is thought an edge is looked for, round by round, in sides of the table."""
MEASURED: Final = np.linspace(-0.46, 0.46, 41)
"""Where it is measured."""
LEAST_OF_EDGE: Final = 1 / 3
"""Share of those places at which each edge must be found, and found straight."""
EDGE_PX: Final = 0.4
"""How far a place of an edge is found from where it is."""


class NoEdge(ValueError):
    """The table's four edges are not to be seen."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table by its edge."""

    table: Table
    error_mm: float
    """How far the places of its edges are from being straight, the root mean square."""


@dataclass(frozen=True, slots=True)
class _Line:
    """An edge of the picture across one direction."""

    start: float
    """Where it is at half a side of the table before the middle, and half a side after it, without the sag."""
    end: float
    weight: float


def table_from_edges(
    bgr: Bgr, dominoes: Sequence[Domino], *, side_mm: float, zone_mm: float, domino_mm: float
) -> Found:
    """The table whose edge the picture shows, seat 0 at the bottom.

    Args:
        bgr: Shape (H, W, 3), uint8.
        dominoes: A few, lying on the table.
        side_mm: The table's side.
        zone_mm: Depth of the seats' strips.
        domino_mm: Length of a domino.

    Raises:
        NoEdge: there are not four edges so far apart.
    """
    lengths = [np.hypot(*(np.array(d.corners[1]) - d.corners[2])) for d in dominoes]
    side_px = float(np.median(lengths)) / domino_mm * side_mm
    size = (bgr.shape[1], bgr.shape[0])
    slopes = _slopes(bgr)
    middle = (np.array(size) - 1) / 2
    sides = [
        list(_lines(slopes[axis] if axis else slopes[axis].T, middle[::-1] if axis else middle, sign, side_px))
        for axis, sign in ((1, -1), (0, 1), (1, 1), (0, -1))
    ]
    likely: list[tuple[float, float, Points]] = []
    for lines in product(*sides):
        quad = _crossings(lines, middle, side_px)
        edges = np.hypot(*(np.roll(quad, -1, axis=0) - quad).T)
        off, uneven = float(np.log(edges.mean() / side_px)), float(np.ptp(np.log(edges)))
        plain = sum(line.weight for line in lines) * float(np.exp(-((uneven / UNEVEN) ** 2) / 2))
        likely.append((plain * _likely(off), plain, quad))
    likely = sorted(likely, key=lambda one: -one[0])[:LIKELY]
    likely.sort(key=lambda one: -one[0] * _alike(bgr, Table(quad_of(one[2]), side_mm=side_mm, zone_mm=zone_mm)))
    tried: list[Points] = []
    worths: list[tuple[float, Found]] = []
    for _, plain, quad in likely:
        if len(tried) == TRIED or len(worths) == MEASURED_WELL:
            break
        if any(np.abs(quad - other).max() < APART * side_px for other in tried):
            continue  # measuring moves it by as much
        tried.append(quad)
        found = _measured(slopes, quad, size, side_mm, zone_mm)
        if found is None or any(_apart_px(found.table, known.table) < APART * side_px for _, known in worths):
            continue
        off = float(np.log(np.median([length_mm(domino, found.table) for domino in dominoes]) / domino_mm))
        worths.append((plain * _likely(off) * _alike(bgr, found.table), found))
    if not worths:
        raise NoEdge
    return max(worths, key=lambda one: one[0])[1]


def _alike(bgr: Bgr, table: Table) -> float:
    """How alike a table's four edges are, from 0 to 1: what lies inside of them, and what outside."""
    shades = []
    for u, v in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        for out_mm in (-BESIDE_MM, BESIDE_MM):
            along, across = MEASURED * table.side_mm, np.full(len(MEASURED), table.side_mm / 2 + out_mm)
            places = table.to_px(np.column_stack((u * across, along) if u else (along, v * across)))
            x, y = (np.ascontiguousarray(part, np.float32) for part in places.T)
            seen = np.asarray(cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)).reshape(-1, 3)
            shades.append(np.log(np.median(seen, axis=0) + 16))
    apart = np.array(shades).reshape(4, 2, 3)
    return float(np.exp(-((np.ptp(apart, axis=0).max() / UNLIKE) ** 2) / 2))


def _apart_px(one: Table, other: Table) -> float:
    return float(np.abs(np.subtract(one.corners_px, other.corners_px)).max())


def _likely(off: float) -> float:
    """How likely it is that the table looks so much larger than the dominoes say, a logarithm."""
    return float(np.exp(-((off / STRETCH) ** 2) / 2))


def length_mm(domino: Domino, table: Table) -> float:
    """How long a domino on a table is."""
    c = table.to_mm(domino.corners)
    return float(np.hypot(*(c[1] - c[2])) + np.hypot(*(c[3] - c[0]))) / 2


def _slopes(bgr: Bgr) -> tuple[Plane, Plane]:
    """How steep the picture is to the right and down, whichever channel is steepest, shapes (H, W); 1 is steep."""
    soft = cv2.GaussianBlur(bgr, (0, 0), 1.2).astype(np.float32)
    both = [np.abs(cv2.Sobel(soft, cv2.CV_32F, *way)).max(axis=2) for way in ((1, 0), (0, 1))]
    steep = float(np.percentile(np.maximum(*both)[::2, ::2], 95)) + 1e-6
    return np.minimum(both[0] / steep, CAP), np.minimum(both[1] / steep, CAP)


def _lines(slope: Plane, middle: Points, sign: int, side_px: float) -> Iterator[_Line]:
    """The steepest edges that cross a picture from left to right above (-1) or below (+1) its middle, the best first.

    Args:
        slope: How steep it is down, shape (H, W); for the other sides the picture lies on its side.
        middle: Row and column of the middle.
        sign: Above or below.
        side_px: About how long the table's side is.
    """
    rows, columns = slope.shape
    wide = np.asarray(cv2.dilate(slope, np.ones((STEP_PX + 2, 1), np.uint8)))
    at = middle[0] + sign * side_px / 2
    places = np.arange(at - 1.5 * ASIDE * side_px, at + 1.5 * ASIDE * side_px, STEP_PX)
    places = places[(places > -0.05 * side_px) & (places < rows + 0.05 * side_px)]
    x = np.round(middle[1] + ALONG * side_px).astype(int)
    is_in = (x >= 0) & (x < columns)
    starts, ends = (plane.ravel() for plane in np.meshgrid(places, places, indexing="ij"))
    near = np.abs(ends - starts) < SKEW * side_px
    starts, ends = starts[near], ends[near]
    weights = np.zeros(len(starts))
    for sag in SAGS:
        bend = -sign * sag * side_px * ((2 * ALONG) ** 2 - 1)
        y = np.round(starts[:, None] + (ends - starts)[:, None] * (ALONG + 0.5) + bend).astype(int)
        seen = is_in & (y >= 1) & (y < rows - 1)
        values = np.where(seen, wide[np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)], 0.0)
        weights = np.maximum(weights, np.sqrt(values).mean(axis=1))
    kept: list[_Line] = []
    for index in np.argsort(-weights):
        line = _Line(float(starts[index]), float(ends[index]), float(weights[index]))
        if all(abs(line.start - k.start) + abs(line.end - k.end) > 2 * APART * side_px for k in kept):
            kept.append(line)
            yield line
        if len(kept) == BEST:
            return


def _crossings(lines: Sequence[_Line], middle: Points, side_px: float) -> Points:
    """Where top, right, bottom and left cross, clockwise from the top left, shape (4, 2)."""
    half = side_px / 2
    flat = []
    for number, line in enumerate(lines):
        if number % 2:
            flat.append(np.cross((line.start, middle[1] - half, 1), (line.end, middle[1] + half, 1)))
        else:
            flat.append(np.cross((middle[0] - half, line.start, 1), (middle[0] + half, line.end, 1)))
    top, right, bottom, left = flat
    corners = [np.cross(a, b) for a, b in ((left, top), (top, right), (right, bottom), (bottom, left))]
    return np.array([corner[:2] / corner[2] for corner in corners])


def _measured(
    slopes: tuple[Plane, Plane], quad: Points, size: tuple[int, int], side_mm: float, zone_mm: float
) -> Found | None:
    """The table about there whose edges agree best with the picture's, and what the lens bends; None: there is none."""
    numbers = np.concatenate((quad.ravel(), (0.0, 0.0)))
    square = SQUARE * side_mm / 2
    away = np.zeros(0)
    for reach in REACH:
        places_px, sides = _edge_places(slopes, numbers, size, side_mm, reach * side_mm)
        if np.bincount(sides, minlength=4).min() < LEAST_OF_EDGE * len(MEASURED):
            return None

        def off_mm(numbers: Points, places: Points = places_px, side: NDArray[np.intp] = sides) -> Points:
            lens = lens_of(size, numbers[8], numbers[9])
            mm = project(homography(numbers[:8].reshape(4, 2), square), lens.straight(places))
            return np.where(side % 2, np.abs(mm[:, 0]), np.abs(mm[:, 1])) - side_mm / 2

        per_mm = float(np.hypot(*(quad[1] - quad[0]))) / side_mm
        near = np.ones(len(sides), np.bool_)
        for _ in range(3):

            def rest(numbers: Points, near: NDArray[np.bool_] = near, exact_mm: float = EDGE_PX / per_mm) -> Points:
                return np.concatenate((off_mm(numbers)[near] / exact_mm, numbers[8:] / BENT))

            numbers = least_squares(rest, numbers)
            away = off_mm(numbers)
            near = np.abs(away) <= max(3 * float(np.median(np.abs(away))), 0.3 / per_mm)
        away, sides = away[near], sides[near]
    if np.bincount(sides, minlength=4).min() < LEAST_OF_EDGE * len(MEASURED):
        return None  # the other three agree, which says nothing of this one
    lens = lens_of(size, float(numbers[8]), float(numbers[9]))
    corners = lens.bent(numbers[:8].reshape(4, 2))
    table = Table(quad_of(corners), side_mm=side_mm, zone_mm=zone_mm, lens=lens)
    return Found(table, float(np.sqrt((away**2).mean())))


def _edge_places(
    slopes: tuple[Plane, Plane], numbers: Points, size: tuple[int, int], side_mm: float, reach_mm: float
) -> tuple[Points, NDArray[np.intp]]:
    """Where the picture is steepest across each edge, shape (N, 2), and which of the four it is; 0 is the top."""
    lens = lens_of(size, float(numbers[8]), float(numbers[9]))
    matrix = homography(SQUARE * side_mm / 2, numbers[:8].reshape(4, 2))
    steps = np.linspace(-reach_mm, reach_mm, 33)
    places, sides = [], []
    for side, (u, v) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        along = MEASURED * side_mm
        across = side_mm / 2 + steps
        x_mm, y_mm = (
            np.broadcast_to(part, (len(along), len(across)))
            for part in ((u * across, along[:, None]) if u else (along[:, None], v * across))
        )
        px = lens.bent(project(matrix, np.stack((x_mm, y_mm), axis=-1)))
        x, y = px.transpose(2, 0, 1).astype(np.float32)
        plane = slopes[0] if u else slopes[1]
        levels = np.asarray(cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.float64)
        top = levels.argmax(axis=1).clip(1, len(steps) - 2)
        rows = np.arange(len(along))
        before, peak, after = (levels[rows, top + step] for step in (-1, 0, 1))
        curve = before - 2 * peak + after
        shift = np.where(curve < 0, (before - after) / (2 * np.minimum(curve, -1e-9)), 0.0).clip(-1, 1)
        inside = (px >= 1).all(axis=(1, 2)) & (px < np.array(size) - 2).all(axis=(1, 2))
        is_edge = inside & (peak > 0.5 * np.median(peak)) & (levels.argmax(axis=1) == top) & (peak > 0)
        at = (top + shift)[:, None]
        low = np.floor(at).astype(int).clip(0, len(steps) - 2)
        part = at - low
        places.append((px[rows, low[:, 0]] * (1 - part) + px[rows, low[:, 0] + 1] * part)[is_edge])
        sides.append(np.full(int(is_edge.sum()), side))
    return np.concatenate(places), np.concatenate(sides)
