"""The table at rest, as it was calibrated, and in what a later look at it differs: place, sharpness, light and colour.

Each is a number of its own, or None where too much of the table is hidden to tell. What is a fault is in vigil.py.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import GLARE, MEDIAN_OF_NOISE, Mask, Thumb, thumbnail
from vision.frame import Bgr
from vision.geometry import Table
from vision.landmarks import Landmarks, Move, landmarks_of, move_since, sharpest

Plane = NDArray[np.floating[Any]]
Spots = NDArray[np.floating[Any]]

CELL_PX: Final = 8
"""Light and colour are compared on squares of so many thumbnail pixels."""
DARK: Final = 4.0
"""Levels below are mostly the sensor's own."""
UNEVEN: Final = 0.25
"""Median deviation of the cells' change from which no lamp and no camera has changed them, but somebody leans over."""
PLAIN_SEEN: Final = 0.85
"""Share of the landmarks that are seen when nobody leans over."""
SPOT_SHARE: Final = 1 / 9
"""Sharpness is looked at in squares of such a share of the picture's height, at the steepest place of each."""
REACH_PX: Final = 8
"""And so many of the frame's pixels round that place."""
ALL_OVER: Final = 30
"""Percentile of the places that says whether all of the picture is less sharp."""
LEAST_SPOTS: Final = 6
LEAST_FAIR: Final = 0.25
"""Share of the table that must not be white for anything to be said of its light."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A picture of the table at rest, so far as it is compared with."""

    thumb: Thumb
    spots: Spots
    """Places of the frame and how steep it is there, shape (N, 3)."""
    aside: tuple[Any, ...] = ()
    """Quads of what lay there and does not in play, in the frame's pixels, each of shape (4, 2)."""


@dataclass(frozen=True, slots=True)
class Differences:
    """In what a look differs from the table at rest."""

    moved_px: float | None
    """How far the table's corners have moved in the frame, at most."""
    softer: float | None
    """By how much its steepest places are less steep, seven in ten of them at least; with nothing in its place the
    steepest of the whole picture, whatever they show; a share."""
    soft_share: float | None
    """The share of those places that are clearly less steep."""
    soft_at: str
    """Where most of them are."""
    lighter: float | None
    """How much brighter most of the table is, as a logarithm."""
    tinted: float | None
    """How much its blue or red has changed against its green, as a logarithm."""
    is_lost: bool
    """Whether nothing is where it was."""
    is_white: bool
    """Whether most of the table is too bright to be compared."""


def rest_of(bgr: Bgr, table: Table | None, aside: Sequence[Any] = ()) -> Rest:
    """The table at rest in a picture, shape (H, W, 3)."""
    thumb = thumbnail(bgr)
    scale = thumb.grey.shape[0] / bgr.shape[0]
    where, _ = _masks(thumb, table, aside, scale)
    marks = landmarks_of(thumb.grey, where)
    if marks is None:
        return Rest(thumb, np.zeros((0, 3)), tuple(aside))
    squares = (marks.points // (SPOT_SHARE * min(thumb.grey.shape))).astype(np.intp)
    order = np.argsort(-marks.sharp.slope, kind="stable")
    _, first = np.unique(squares[order] @ (1, 1000), return_index=True)
    places = (marks.points[order[first]] + 0.5) / scale - 0.5
    spots = np.column_stack((places, [_steepness(bgr, place) for place in places]))
    return Rest(thumb, spots[spots[:, 2] > 0], tuple(aside))


class Comparison:
    """Compares frames with the table at rest.

    Args:
        rest: the table at rest.
        table: where it is; None judges the whole picture.
        size_px: width and height of the frames.
        dirty: by how much a place has to be less steep to be counted in `soft_share`.
    """

    def __init__(self, rest: Rest, table: Table | None, size_px: tuple[int, int], dirty: float) -> None:
        thumb = rest.thumb
        self._rest, self._dirty = rest, dirty
        self._scale = thumb.grey.shape[0] / size_px[1]
        where, counts = _masks(thumb, table, rest.aside, self._scale)
        self._marks: Landmarks | None = landmarks_of(thumb.grey, where)
        self.counts = cells(counts) > 250
        """Which cells are of the table, shape (rows, columns)."""
        self._sharpest = sharpest(thumb.grey)
        self._light = np.stack([cells(thumb.bgr[..., channel]) for channel in range(3)])
        height, width = thumb.grey.shape
        corners = np.array(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)))
        self._corners = corners if table is None else _square(table, table.side_mm / 2, self._scale)

    def differences(self, bgr: Bgr, thumb: Thumb) -> Differences:
        """In what a frame, and its thumbnail, differ from the table at rest."""
        marks = self._marks
        move = None if marks is None else move_since(marks, thumb.grey)
        seen = 1.0 if marks is None else 0.0 if move is None else float(move.seen.mean())
        softer, share, at = self._soft(bgr, move, is_plain=seen >= PLAIN_SEEN)
        if marks is not None and move is None:
            softer = 1 - sharpest(thumb.grey) / self._sharpest
        lighter, tinted, is_white = self._light_change(thumb)
        if seen < PLAIN_SEEN:
            lighter, tinted, is_white = None, None, False
        return Differences(
            moved_px=None if move is None else float(np.hypot(*move.of(self._corners).T).max()) / self._scale,
            softer=softer,
            soft_share=share,
            soft_at=at,
            lighter=lighter,
            tinted=tinted,
            is_lost=marks is not None and move is None,
            is_white=is_white,
        )

    def _soft(self, bgr: Bgr, move: Move | None, *, is_plain: bool) -> tuple[float | None, float | None, str]:
        """By how much the spots are less steep, and how many of them clearly, and where."""
        if move is None or len(self._rest.spots) < LEAST_SPOTS:
            return None, None, ""
        places = self._rest.spots[:, :2]
        places = places + move.of((places + 0.5) * self._scale - 0.5) / self._scale
        now = np.array([_steepness(bgr, place) for place in places])
        less = 1 - now / self._rest.spots[:, 2]
        is_dirty = less > self._dirty
        at = _where(places[is_dirty].mean(axis=0), bgr.shape[1], bgr.shape[0]) if is_dirty.any() else ""
        return float(np.percentile(less, ALL_OVER)), float(is_dirty.mean()) if is_plain else None, at

    def _light_change(self, thumb: Thumb) -> tuple[float | None, float | None, bool]:
        now = np.stack([cells(thumb.bgr[..., channel]) for channel in range(3)])
        is_fair = self.counts & (np.maximum(self._light, now).max(axis=0) < GLARE)
        if is_fair.sum() <= LEAST_FAIR * self.counts.sum():
            return None, None, bool(self.counts.any())
        changes = np.log((now + np.float32(DARK)) / (self._light + np.float32(DARK)))[:, is_fair]
        light = float(np.median(changes[1]))
        if float(np.median(np.abs(changes[1] - light))) > UNEVEN:
            return None, None, False
        blue, red = (abs(float(np.median(changes[channel] - changes[1]))) for channel in (0, 2))
        return light, max(blue, red), False


def cells(plane: NDArray[np.uint8]) -> Plane:
    """The means of small squares of a thumbnail, shape (h // 8, w // 8)."""
    size = (plane.shape[1] // CELL_PX, plane.shape[0] // CELL_PX)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def _steepness(bgr: Bgr, place: Plane) -> float:
    """How steep the brightness is about a place, relative to how bright it is; 0 outside the picture."""
    x, y = (round(float(v)) for v in place)
    patch = bgr[max(y - REACH_PX, 0) : max(y + REACH_PX + 1, 0), max(x - REACH_PX, 0) : max(x + REACH_PX + 1, 0)]
    if min(patch.shape[:2]) < REACH_PX:
        return 0.0
    level = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float32)
    slope = cv2.magnitude(*(cv2.Sobel(level, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1))))
    return float(np.sort(slope, axis=None)[-6:].mean() / (level.mean() + DARK))


def _masks(thumb: Thumb, table: Table | None, aside: Sequence[Any], scale: float) -> tuple[Mask, Mask]:
    """Where landmarks may be, and what is of the table: without what lay aside, shape (h, w)."""
    where = np.full(thumb.grey.shape, 255, np.uint8)
    counts = where.copy()
    if table is not None:
        half_mm = table.side_mm / 2
        _fill(where, _square(table, half_mm - table.zone_mm, scale), 0)
        counts[:] = 0
        _fill(counts, _square(table, half_mm, scale), 255)
    for quad in aside:
        for mask in (where, counts):
            _fill(mask, (np.asarray(quad, np.float64) + 0.5) * scale - 0.5, 0)
    return where, counts


def _square(table: Table, half_mm: float, scale: float) -> Plane:
    """The corners of a square round the table's centre in the thumbnail, shape (4, 2)."""
    return np.asarray((table.square_px(half_mm) + 0.5) * scale - 0.5)


def _fill(mask: Mask, quad: Plane, level: int) -> None:
    cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), level)


def _where(at: Plane, width: int, height: int) -> str:
    row = ("top", "", "bottom")[min(max(int(3 * at[1] / height), 0), 2)]
    column = ("left", "", "right")[min(max(int(3 * at[0] / width), 0), 2)]
    return f"{row} {column}".strip() or "middle"


def flicker_of(looks: Sequence[Plane], counts: NDArray[np.bool_]) -> float | None:
    """How much the light goes to and fro in some looks, as a whole or in bands of rows; a share.

    Args:
        looks: their brightness in cells, each of shape (rows, columns).
        counts: which cells are of the table.

    Arms and dominoes change some columns of a row, a lamp changes all of it; a cloud changes all of it, but slowly.
    """
    rows = counts.sum(axis=1) >= 4
    if rows.sum() < 4:
        return None
    logs = np.log(np.stack(looks)[:, rows] + np.float32(DARK))
    rest = logs - np.median(logs, axis=0)
    rest[:, ~counts[rows]] = np.nan
    along = np.nanmedian(rest, axis=2)
    whole = np.median(along, axis=1)
    to_and_fro = np.abs(whole[2:] - 2 * whole[1:-1] + whole[:-2])
    level = float(np.median(to_and_fro)) / math.sqrt(6)
    bands = float(np.median(np.median(np.abs(along - _quadratics(along)), axis=1)))
    return max(level, bands) / MEDIAN_OF_NOISE


def _quadratics(rows: Plane) -> Plane:
    """The quadratics nearest to some rows of numbers, shape (N, M)."""
    x = np.linspace(-1, 1, rows.shape[1])
    basis = np.stack((np.ones_like(x), x, x * x), axis=1)
    return np.asarray((basis @ np.linalg.lstsq(basis, rows.T, rcond=None)[0]).T)
