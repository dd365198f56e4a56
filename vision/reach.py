"""What reaches in over the border of a watched part of the table: arms, and the side each comes from; on cells.

Pure functions of two looks. How long an arm stays is in part.py, whose it was in visits.py; cells are in change.py.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import CELL, Cells, ChangeParams, Gray, Mask, Thumb, changed_cells

Places = NDArray[np.floating[Any]]  # of each cell (x, y) from the table's centre, y towards seat 0; of any unit

NEIGHBOURS: Final = np.ones((3, 3), np.uint8)  # changes so near to each other belong together
SOLID: Final = np.ones((2, 2), np.uint8)  # thinner changes are edges: a domino nudged, the camera bumped
SIDELONG: Final = 0.25  # a shoulder so much farther aside than back, or the reverse, belongs to one side surely
GONE: Final = 2.0  # an outline that has lost so many times the contrast it has won has gone


@dataclass(frozen=True, slots=True)
class Area:
    """The part of the table that is watched, on thumbnail pixels and on cells."""

    inside: Mask
    cells: Cells
    border: Cells
    """Where an arm comes in."""
    depth: Gray
    """Distance of each cell from that border, in cells."""
    places: Places
    """Shape (rows, columns, 2)."""
    size: int
    """Cells inside."""
    height: int
    """Rows of them."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Something large that reaches in from the border."""

    cells: Cells
    """Where it is."""
    from_sides: tuple[float, float, float, float]
    """How likely it comes from each side, sum 1: 0 bottom, 1 left, 2 top, 3 right."""
    share: float
    """Of the watched area."""

    @property
    def side(self) -> int:
        """The likeliest side."""
        return self.from_sides.index(max(self.from_sides))


def area_of(inside: Mask, *, outer: Mask | None = None, places: Places | None = None) -> Area:
    """The watched area of a mask.

    Arms come in over the border of `outer`, or of the mask itself; `places` are those of the picture where not given.
    """
    size = (inside.shape[1] // CELL, inside.shape[0] // CELL)
    cells, whole = (
        np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8) > 127
        for mask in (inside, inside if outer is None else outer)
    )
    padded = cv2.copyMakeBorder(whole.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    depth = np.asarray(cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)
    box = cv2.boundingRect(cells.astype(np.uint8))
    return Area(
        inside=inside,
        cells=cells,
        border=cells & (depth <= 1),
        depth=depth,
        places=_from_centre(cells.shape) if places is None else places,
        size=int(np.count_nonzero(cells)),
        height=box[3],
    )


def find_arms(before: Thumb, after: Thumb, area: Area, params: ChangeParams) -> tuple[Arm, ...]:
    """The changed regions that reach in from the border, large enough, and come, not gone; the largest first."""
    grey, colour = changed_cells(before, after, area.cells, params)
    if not grey.any():
        return ()
    change = (grey | colour).astype(np.uint8)
    count, labels = cv2.connectedComponents(cv2.dilate(change, NEIGHBOURS))
    solid = cv2.morphologyEx(change, cv2.MORPH_OPEN, SOLID) > 0
    shares = np.bincount(labels[solid], minlength=count) / max(area.size, 1)
    return tuple(
        Arm(region, _sides_of(region, area), float(shares[label]))
        for label in sorted(range(1, count), key=lambda i: -float(shares[i]))
        if params.arm_share <= shares[label] <= params.upheaval
        and _reaches_in(region := (labels == label) & (change > 0), area, params)
        and not _has_gone(labels == label, before, after)
    )


def _reaches_in(region: Cells, area: Area, params: ChangeParams) -> bool:
    deep = float(area.depth[region].max()) >= params.arm_depth * area.height
    return deep and bool((region & area.border).any())


def _has_gone(region: Cells, before: Thumb, after: Thumb) -> bool:
    """Whether a region's outline was to be seen before and no longer is: something was taken away, nothing came."""
    outline = cv2.morphologyEx(region.astype(np.uint8), cv2.MORPH_GRADIENT, NEIGHBOURS) > 0
    won = (after.steepness - before.steepness)[outline]
    return float(-won[won < 0].sum()) > GONE * float(won[won > 0].sum())


def _sides_of(region: Cells, area: Area) -> tuple[float, float, float, float]:
    """How likely an arm comes from each side: by where its shoulder must be, for it may come in over any corner."""
    crossing = area.places[region & area.border].mean(axis=0)
    rest = area.places[region]
    tip = rest[np.hypot(*(rest - crossing).T).argmax()]
    along = (crossing - tip) / max(float(np.hypot(*(crossing - tip))), 1e-6)
    reach = np.ptp(area.places[area.cells][:, 1]) / 2
    x, y = (float(v) for v in crossing + reach * along)
    sure = 0.5 + 0.5 * min(1.0, abs(abs(x) - abs(y)) / (abs(x) + abs(y)) / SIDELONG)
    by_y, by_x = (sure, 1 - sure) if abs(y) >= abs(x) else (1 - sure, sure)
    sides = [0.0, 0.0, 0.0, 0.0]
    sides[0 if y > 0 else 2] = by_y
    sides[3 if x > 0 else 1] = by_x
    return sides[0], sides[1], sides[2], sides[3]


def _from_centre(shape: tuple[int, ...]) -> Places:
    """The cells' places in a picture of so many rows and columns, in cells."""
    rows, columns = np.indices(shape)
    return np.stack((columns - (shape[1] - 1) / 2, rows - (shape[0] - 1) / 2), axis=-1)
