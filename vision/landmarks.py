"""What of a picture stays where it is while people play, and how far all of it has moved since; on thumbnails.

Landmarks are the pixels with the steepest relief outside the square where the line grows: the table's edge, its grain,
what stands round it. Relief is brightness against its surroundings, so that neither lamp nor shadow moves anything.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import FLOOR, Mask

Plane = NDArray[np.floating[Any]]

SURROUNDINGS_PX: Final = 15
MOST: Final = 2400
"""Landmarks that are kept; three times as many tell no more."""
FEW: Final = 100
"""The steepest of all."""
LEAST: Final = 150
"""With fewer nothing can be told."""
PLAIN: Final = 6.0
"""So many times as steep as most of the picture a landmark has to be."""
SOFT_PX: Final = 2.0
"""Blur in which moves of a few pixels are followed."""
ROUNDS: Final = 6
STILL_PX: Final = 0.02
"""A round that moves all by less is the last."""
UNIT_PX: Final = 100.0
"""So far from the middle growing and turning move a landmark by as much as going does."""
WITHIN_PX: Final = 0.6
"""A landmark is where it was thought if its relief says so by this."""
SEEN: Final = 0.7
"""Share of the landmarks that have to be; where it is less, two thirds may agree by chance."""


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The landmarks of one picture."""

    points: Plane
    """Thumbnail pixels, shape (N, 2)."""
    sharp: "_Relief"
    soft: "_Relief"


@dataclass(frozen=True, slots=True)
class _Relief:
    """The relief at the landmarks, as it was or blurred."""

    heights: Plane
    """Shape (N,)."""
    slope: Plane
    """How steep it is, shape (N,)."""
    ways: Plane
    """How much each height changes as the picture grows, turns, goes right and down, shape (N, 4)."""


@dataclass(frozen=True, slots=True)
class Move:
    """How all of a picture has moved."""

    matrix: Plane
    """From the thumbnail's pixels then to those now, shape (2, 3)."""
    seen: NDArray[np.bool_]
    """Which landmarks are to be seen and in their place, shape (N,)."""

    def of(self, points: Plane) -> Plane:
        """How far points have moved, shape (..., 2)."""
        return np.asarray(points @ self.matrix[:, :2].T + self.matrix[:, 2] - points)


def landmarks_of(grey: NDArray[np.uint8], where: Mask) -> Landmarks | None:
    """The landmarks of a thumbnail, shape (h, w), among the pixels that may be; None where there are too few."""
    relief = _relief(grey)
    soft = np.asarray(cv2.GaussianBlur(relief, (0, 0), SOFT_PX), np.float32)
    slope = _slope(relief)
    rim = np.zeros(grey.shape, np.bool_)
    rim[4:-4, 4:-4] = True
    slope[~rim | (where == 0)] = 0
    least = PLAIN * float(np.median(slope[rim]))
    steep = np.flatnonzero(slope > least)
    if len(steep) < LEAST:
        return None
    chosen = steep[np.argsort(-slope.ravel()[steep], kind="stable")[:MOST]]
    rows, columns = np.unravel_index(np.sort(chosen), grey.shape)
    points = np.column_stack((columns, rows)).astype(np.float32)
    return Landmarks(points, _at_landmarks(relief, points), _at_landmarks(soft, points))


def sharpest(grey: NDArray[np.uint8]) -> float:
    """How steep the relief of a thumbnail is where it is steepest, shape (h, w): more than nothing."""
    slope = _slope(_relief(grey))
    return float(np.partition(slope, -FEW, axis=None)[-FEW:].mean()) + 1e-6


def move_since(marks: Landmarks, grey: NDArray[np.uint8]) -> Move | None:
    """How the picture has moved since its landmarks were taken, now that it is this thumbnail, by a few pixels.

    None where too few of them are found: they are hidden, or it has moved far. What lies over some, an arm or a
    newspaper, does not move the others.
    """
    relief = _relief(grey)
    move = _refined(marks, relief, np.eye(2, 3))
    if move is None:
        soft = np.asarray(cv2.GaussianBlur(relief, (0, 0), SOFT_PX), np.float32)
        move = _refined(marks, relief, _followed(marks.points, marks.soft, soft, np.eye(2, 3)))
    return move


def _refined(marks: Landmarks, relief: Plane, start: Plane) -> Move | None:
    matrix = _followed(marks.points, marks.sharp, relief, start)
    left = np.abs(_at(relief, _moved(marks.points, matrix)) - marks.sharp.heights)
    is_there = left < WITHIN_PX * marks.sharp.slope
    return Move(matrix, is_there) if is_there.mean() >= SEEN else None


def _followed(points: Plane, then: _Relief, now: Plane, start: Plane) -> Plane:
    """The move, turn and growth that take a relief at some points to another, by Newton's steps, outliers apart."""
    middle = points.mean(axis=0)
    matrix = start
    for _ in range(ROUNDS):
        left = _at(now, _moved(points, matrix)) - then.heights
        scale = 1.5 * float(np.median(np.abs(left))) + 1e-4
        weighted = then.ways / (1 + (left / scale) ** 2)[:, None]
        grow, turn, x, y = -np.linalg.solve(weighted.T @ then.ways + 1e-6 * np.eye(4), weighted.T @ left)
        spin = np.array(((grow, -turn), (turn, grow))) / UNIT_PX
        step = np.column_stack((np.eye(2) + spin, np.array((x, y)) - spin @ middle))
        matrix = np.column_stack((matrix[:, :2] @ step[:, :2], matrix[:, :2] @ step[:, 2] + matrix[:, 2]))
        if max(abs(x), abs(y), abs(grow), abs(turn)) < STILL_PX:
            break
    return matrix


def _at_landmarks(relief: Plane, points: Plane) -> _Relief:
    u, v = (points - points.mean(axis=0)).T / np.float32(UNIT_PX)
    slope_x, slope_y = (
        _at(np.asarray(cv2.Sobel(relief, cv2.CV_32F, *way, scale=1 / 8)), points) for way in ((1, 0), (0, 1))
    )
    ways = np.stack((slope_x * u + slope_y * v, slope_y * u - slope_x * v, slope_x, slope_y), axis=1)
    return _Relief(_at(relief, points), np.hypot(slope_x, slope_y), ways)


def _slope(relief: Plane) -> Plane:
    return np.asarray(cv2.magnitude(*(cv2.Sobel(relief, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1)))))


def _relief(grey: NDArray[np.uint8]) -> Plane:
    """How much brighter each pixel is than its surroundings, as a share, shape (h, w)."""
    level = grey.astype(np.float32)
    around = cv2.blur(level, (SURROUNDINGS_PX, SURROUNDINGS_PX))
    return np.asarray((cv2.blur(level, (3, 3)) - around) / (around + np.float32(FLOOR)), np.float32)


def _moved(points: Plane, matrix: Plane) -> Plane:
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2])


def _at(plane: Plane, points: Plane) -> Plane:
    """A plane's values at some points, shape (N,)."""
    x, y = points.astype(np.float32).T
    columns = 64  # OpenCV takes no picture of more than 32767 rows
    spare = -len(x) % columns
    x, y = (np.pad(part, (0, spare)).reshape(-1, columns) for part in (x, y))
    values = np.asarray(cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
    return values.ravel()[: len(points)]
