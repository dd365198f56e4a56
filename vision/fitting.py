"""Fits a table and a lens to what was measured of them, by least squares; what was measured, and how, is elsewhere.

The picture's middle is taken for the lens's, and its longer side for one focal length: together with a homography any
other unit gives the same picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import SQUARE, Lens, Points, Table, homography, project, quad_of

ROUNDS: Final = 40
DAMPING: Final = (1e-3, 1e9)
"""Of the steps: at first, and where no shorter step helps."""
ENOUGH: Final = 1e-10
"""A round that gains a smaller share is the last."""
STEP: Final = 1e-4
"""By which a number is moved to see what follows."""
CORNER_PX: Final = 0.15
"""How far a marker's corner is found from where it is."""
LAID_MM: Final = 0.7
"""How far a card pushed against the table's edges lies off it all the same."""
TURNED: Final = 0.008
"""And how far it is turned, in radians."""
BENT: Final = (0.5, 0.2)
"""How large k1 and k2 of a lens may be; in the unit above an ordinary one has less than a third of it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A table as it was measured."""

    table: Table
    side_mm: float
    """How long its side is by the cards' size; the table itself has the length it was said to have."""
    off_mm: Mapping[int, float]
    """How far each card lies from where it should, the root mean square over its corners."""

    @property
    def error_mm(self) -> float:
        """The root mean square of that over all cards."""
        return float(np.sqrt(np.mean(np.square(list(self.off_mm.values())))))


def table_from_cards(
    seen: Mapping[int, Points],
    places: Mapping[int, Callable[[float], Points]],
    free: Mapping[int, int | None],
    *,
    size_px: tuple[int, int],
    side_mm: float,
    zone_mm: float,
) -> Fit:
    """The table on which cards lie as they are seen.

    Each card has the size it was printed in and lies where it belongs, but for what a hand is off; from that follows
    how long the table's side is. A tape is better at that, so the table keeps the length that was measured.

    Args:
        seen: For each card its corners in the picture, shape (4, 2); the table's four corners are among them, 0 to 3.
        places: For each card its corners in millimetres on a table of a given side, shape (4, 2).
        free: The axis along which a card may lie anywhere, 0 or 1; None: none.
        size_px: Width and height of the picture.
        side_mm: How long the table's side is, by the tape.
        zone_mm: Depth of the seats' strips.

    Raises:
        ValueError: the cards go round the table in another order than the corners.
    """
    names = sorted(seen)
    middles_mm = np.array([places[name](side_mm).mean(axis=0) for name in (1, 2, 3, 0)])
    middles_px = np.array([seen[name].mean(axis=0) for name in (1, 2, 3, 0)])
    quad = project(homography(middles_mm, middles_px), SQUARE * side_mm / 2)
    Table(quad_of(quad), side_mm=side_mm, zone_mm=zone_mm)
    given_px = np.concatenate([seen[name] for name in names])
    loose = np.full((len(names), 3), (LAID_MM, LAID_MM, TURNED))
    for row, name in enumerate(names):
        if (axis := free[name]) is not None:
            loose[row, axis] = side_mm

    def laid_mm(numbers: Points) -> Points:
        """The corners of the cards as laid, shape (4 n, 2)."""
        poses = numbers[11:].reshape(-1, 3)
        corners = []
        for name, (x_mm, y_mm, turn) in zip(names, poses, strict=True):
            ideal = places[name](float(numbers[10]))
            middle = ideal.mean(axis=0)
            spin = np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
            corners.append((ideal - middle) @ spin + middle + (x_mm, y_mm))
        return np.concatenate(corners)

    def rest(numbers: Points) -> Points:
        matrix = homography(SQUARE * side_mm / 2, numbers[:8].reshape(4, 2))
        lens = lens_of(size_px, numbers[8], numbers[9])
        off_px = lens.bent(project(matrix, laid_mm(numbers))) - given_px
        return np.concatenate(
            ((off_px / CORNER_PX).ravel(), numbers[8:10] / BENT, (numbers[11:].reshape(-1, 3) / loose).ravel())
        )

    found = least_squares(rest, np.concatenate((quad.ravel(), (0.0, 0.0, side_mm), np.zeros(3 * len(names)))))
    lens, side = lens_of(size_px, float(found[8]), float(found[9])), float(found[10])
    matrix = homography(SQUARE * side_mm / 2, found[:8].reshape(4, 2))
    corners = quad_of(lens.bent(project(matrix, SQUARE * side / 2)))
    table = Table(corners, side_mm=side, zone_mm=zone_mm, lens=lens)
    off: dict[int, float] = {}
    for name in names:
        away = table.to_mm(seen[name]) - places[name](side)
        if (axis := free[name]) is not None:
            away[:, axis] -= away[:, axis].mean()
        off[name] = float(np.sqrt((away**2).sum(axis=1).mean()))
    return Fit(replace(table, side_mm=side_mm), side, off)


def lens_of(size_px: tuple[int, int], k1: float, k2: float) -> Lens:
    """The lens of a picture of that width and height, in its own units."""
    return Lens(float(max(size_px)), ((size_px[0] - 1) / 2, (size_px[1] - 1) / 2), k1, k2)


def least_squares(rest: Callable[[Points], Points], start: ArrayLike) -> Points:
    """The numbers, shape (N,), near some others for which the squares of `rest`, shape (M,), are smallest.

    Steps between Newton's and the steepest one, after Levenberg and Marquardt.
    """
    numbers = np.array(start, np.float64)
    left = rest(numbers)
    damping = DAMPING[0]
    for _ in range(ROUNDS):
        slopes = _slopes(rest, numbers, left)
        bend, pull = slopes.T @ slopes, slopes.T @ left
        before = float(left @ left)
        while damping < DAMPING[1]:
            step = np.linalg.solve(bend + damping * np.diag(np.diag(bend) + 1e-12), pull)
            after = rest(numbers - step)
            if np.isfinite(after).all() and float(after @ after) < before:
                numbers, left, damping = numbers - step, after, damping / 10
                break
            damping *= 10
        if damping >= DAMPING[1] or before - float(left @ left) <= ENOUGH * before:
            break
    return numbers


def _slopes(rest: Callable[[Points], Points], numbers: Points, left: Points) -> NDArray[np.float64]:
    """How `rest` changes with each number, shape (M, N)."""
    columns = []
    for index in range(len(numbers)):
        moved = numbers.copy()
        moved[index] += STEP
        columns.append((rest(moved) - left) / STEP)
    return np.column_stack(columns)
