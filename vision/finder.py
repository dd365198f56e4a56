"""Where in a picture dominoes may lie: each size is looked for in a pyramid of halves; reading is another's."""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cut import CELL_PX, HALF_PX, NEAR_PX, STRIDE
from vision.networks import Network

Bgr8 = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

LARGEST_PX: Final = 2560
"""A picture with a longer side is made smaller first."""
FINE_PX: Final = 640
"""A picture whose longer side is no longer, which often shows but one domino, is searched at its own size and between
its halves too; a larger one at its own size only for small dominoes."""
COARSE_PX: Final = 40
"""A level with no longer side is the last: one domino would fill it."""
FOUND_PX: Final = (6.5, 15.5)
"""Side of a half from the smallest to the largest that one level is searched for."""
MOST: Final = 80
"""At most so many places are looked at in one level, the likeliest; a set has 28 dominoes, two have 56."""
AROUND: Final = np.mgrid[-1:2, -1:2].reshape(2, 9)
"""Steps (row, column) to a cell, in the middle, and those round it."""
AGREE_SIDES: Final = 0.35
"""Apart up to which two cells' centres are one domino's, in sides of a half."""
BEST_PX: Final = 8.5
"""Side of a half at which dominoes are found best, for the largest range of others on either side."""
LEAST_PX: Final = 8.0
"""The same for the smallest half of those that may lie on a known table; the largest is not twice as large."""
HOPEFUL: Final = -1.0
"""Log odds below which a cell is not looked at."""
READ_SHARE: Final = 0.8
"""Of the size at which a face is read, which a level must have to be cut from."""
TILES_OF: Final = 16
"""The network wants sides that are a multiple of this."""


@dataclass(frozen=True, slots=True)
class Level:
    """The picture at one size."""

    bgr: Bgr8
    factor: float
    """How much smaller it is than the picture, at least 1."""

    def to_picture(self, points: Floats) -> Floats:
        """Points of this level, shape (..., 2), as points of the picture."""
        return np.asarray((points + 0.5) * self.factor - 0.5)

    def from_picture(self, points: Floats) -> Floats:
        """Points of the picture, shape (..., 2), as points of this level."""
        return np.asarray((points + 0.5) / self.factor - 0.5)


def pyramid(bgr: Bgr8) -> list[Level]:
    """The picture and its halves, and their halves, down to where a domino would fill one."""
    levels = [_smaller(Level(bgr, 1.0), max(1.0, max(bgr.shape[:2]) / LARGEST_PX), cv2.INTER_AREA)]
    while max(levels[-1].bgr.shape[:2]) > COARSE_PX and min(levels[-1].bgr.shape[:2]) >= TILES_OF:
        last = levels[-1]
        height, width = (n // 2 for n in last.bgr.shape[:2])
        # An odd row or column is left out, so that two pixels and two pixels fall together exactly.
        half = cv2.resize(last.bgr[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        levels.append(Level(np.asarray(half, np.uint8), 2 * last.factor))
    return levels


def levels_for(levels: list[Level], side_px: Floats) -> NDArray[np.intp]:
    """For each side of a half the index of the smallest level in which it is about as large as it will be read."""
    factors = np.array([level.factor for level in levels])
    fine = side_px[:, None] / factors >= READ_SHARE * HALF_PX
    return np.asarray(np.maximum(fine.sum(axis=1) - 1, 0))


def to_search(levels: list[Level], sides_px: Floats | None = None) -> list[Level]:
    """The levels to search, the coarsest first; only one, made to measure, where the sides of the halves are known."""
    if sides_px is not None:
        return [made_to_measure(levels, float(sides_px[0]), LEAST_PX)]
    if max(levels[0].bgr.shape[:2]) > FINE_PX:
        return levels[::-1]
    between = [_smaller(level, float(np.sqrt(2))) for level in levels[:-1]]
    return sorted((*levels, *between), key=lambda level: -level.factor)


def made_to_measure(levels: list[Level], side_px: float, wanted_px: float = BEST_PX) -> Level:
    """The level in which halves of such a side come out as large as wanted, or nearly."""
    wanted = max(1.0, side_px / wanted_px)
    source = [level for level in levels if level.factor <= max(wanted, levels[0].factor)][-1]
    return _smaller(source, max(1.0, wanted / source.factor))


def _smaller(level: Level, ratio: float, interpolation: int = cv2.INTER_LINEAR) -> Level:
    """A level so many times smaller; down to its half two pixels each way, which linear takes, are enough."""
    if ratio == 1:
        return level
    width, height = (max(1, round(n / ratio)) for n in level.bgr.shape[1::-1])
    bgr = cv2.resize(level.bgr, (width, height), interpolation=interpolation)
    return Level(np.asarray(bgr, np.uint8), level.factor * ratio)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the finder says of one level."""

    places: Floats
    """Where dominoes may lie, likeliest first: rows (x, y, angle, side), the picture's pixels."""
    odds: Floats
    """Log odds of a domino at each of those, shape (N,)."""
    level: Level
    cells: Floats
    """Log odds of a domino's centre in each cell or one beside it, shape (h, w)."""

    def at(self, poses: Floats) -> Floats:
        """Log odds of dominoes at some places of the picture, shape (N,); −∞ where the level is not for their size."""
        height, width = self.cells.shape
        side = poses[:, 3] / self.level.factor
        column, row = np.rint((self.level.from_picture(poses[:, :2]) - CELL_PX) / STRIDE).astype(int).T
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width) & _fits(side)
        odds = self.cells[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
        return np.where(inside, odds, -np.inf)


def find(network: Network, level: Level) -> Answer:
    """Where in a level dominoes may lie."""
    height, width = level.bgr.shape[:2]
    below, beside = -height % TILES_OF, -width % TILES_OF
    bgr = level.bgr
    if below or beside:
        bgr = np.asarray(cv2.copyMakeBorder(bgr, 0, below, 0, beside, cv2.BORDER_CONSTANT), np.uint8)
    quarters = network(bgr[None])[0]
    answer = quarters.reshape(-1, 2, 2, *quarters.shape[1:])
    odds = answer[0].transpose(2, 0, 3, 1).reshape(2 * answer.shape[3], -1)
    around = cv2.dilate(odds, np.ones((3, 3), np.uint8))
    row, column = np.nonzero((odds > HOPEFUL) & (odds == around))
    likeliest = np.argsort(-odds[row, column], kind="stable")[:MOST]
    row, column = row[likeliest], column[likeliest]
    centre, angle, side = _agreed(answer, row, column)
    places = np.column_stack((level.to_picture(centre), angle, side * level.factor))
    fits = _fits(side)
    return Answer(places[fits], odds[row, column][fits], level, np.asarray(around))


def _fits(side: Floats) -> NDArray[np.bool_]:
    """Which sides of a half a level may be asked for."""
    return np.asarray((side > 0.8 * FOUND_PX[0]) & (side < 1.25 * FOUND_PX[1]))


def _agreed(answer: Floats, row: NDArray[np.intp], column: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
    """Centres (N, 2), angles and sides (N,) at some cells, each the mean of what the cell and those round it say.

    Only those count that mean the same domino: whose centre is the cell's own, or nearly. Answer: what the network says
    of four cells at each place, shape (6, 2, 2, h / 2, w / 2).
    """
    rows = np.minimum(np.maximum(row[:, None] + AROUND[0], 0), 2 * answer.shape[3] - 1)
    columns = np.minimum(np.maximum(column[:, None] + AROUND[1], 0), 2 * answer.shape[4] - 1)
    said = answer[:, rows % 2, columns % 2, rows // 2, columns // 2].astype(np.float64)
    said[1] += columns
    said[2] += rows
    apart = said[1:3] - said[1:3, :, 4:5]
    own_cells = AGREE_SIDES / STRIDE * _side(said[3, :, 4:5])
    weight = ((apart * apart).sum(axis=0) < own_cells * own_cells) / (1 + np.exp(-said[0]))
    weight /= weight.sum(axis=1, keepdims=True)
    x, y, size, cos, sin = (said[1:] * weight).sum(axis=2)
    return np.stack((x, y), axis=1) * STRIDE + CELL_PX, np.arctan2(sin, cos) / 2, _side(size)


def _side(size: Floats) -> Floats:
    """Sides of halves in a level, from what the network says of them."""
    return np.asarray(NEAR_PX * np.exp(np.minimum(np.maximum(size, -2), 2)))
