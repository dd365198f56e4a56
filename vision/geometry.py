"""Where the table lies in the picture: pixels to millimetres and back, whose zone a point is in; never colours.

Millimetres: origin at the table's centre, x to the picture's right, y down the picture, towards seat 0. Seats run
clockwise seen from above: 0 at the bottom, 1 left, 2 top, 3 right.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.reading import Point

Zone = Literal["line", 0, 1, 2, 3]
Points = NDArray[np.float64]
Corners = tuple[Point, Point, Point, Point]

LINE: Zone = "line"
ZONES: Final[tuple[Zone | None, ...]] = (0, 1, 2, 3, LINE, None)
MIDDLE, OFF = 4, 5
SQUARE: Final = np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
"""A square's corners in the order of a table's, in half sides."""
STEPS: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-6)
"""Until a straight point is found: so many steps at most, or one no longer than this in focal lengths."""


@dataclass(frozen=True, slots=True)
class Lens:
    """What a camera's lens bends: OpenCV's model, with square pixels and radial distortion alone.

    Points are pixels, shape (..., 2), and keep their shape: as the picture has them, or as a lens that bends nothing
    would have them.
    """

    focal_px: float
    centre_px: Point
    k1: float
    """Radial distortion at a radius of one focal length; negative is a barrel."""
    k2: float = 0.0

    def straight(self, points: ArrayLike) -> Points:
        """From the picture's points to the straight ones."""
        bent = np.asarray(points, np.float64).reshape(-1, 2)
        if not len(bent):
            return bent.reshape(np.shape(points))
        straight = cv2.undistortImagePoints(bent, self._camera(), self._bends(), None, STEPS)
        return np.asarray(straight, np.float64).reshape(np.shape(points))

    def bent(self, points: ArrayLike) -> Points:
        """From straight points to the picture's."""
        straight = np.asarray(points, np.float64).reshape(-1, 2)
        if not len(straight):
            return straight.reshape(np.shape(points))
        rays = np.column_stack(((straight - self.centre_px) / self.focal_px, np.ones(len(straight))))
        still = np.zeros(3)
        bent = cv2.projectPoints(rays, still, still, self._camera(), self._bends())[0]
        return np.asarray(bent, np.float64).reshape(np.shape(points))

    def _camera(self) -> Points:
        (x, y), focal = self.centre_px, self.focal_px
        return np.array(((focal, 0.0, x), (0.0, focal, y), (0.0, 0.0, 1.0)))

    def _bends(self) -> Points:
        return np.array((self.k1, self.k2, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Table:
    """A square table seen by a camera that does not move.

    Raises:
        ValueError: the corners are not four that go clockwise round a convex shape, or a length is not positive.
    """

    corners_px: Corners
    """Clockwise from the top left, as seen in the picture."""
    side_mm: float = 900.0
    zone_mm: float = 130.0
    """Depth of each seat's strip along its edge; the line grows in the square between."""
    lens: Lens | None = None
    """What bends the picture, where it is known; None takes it for straight."""
    domino_mm: float | None = None
    """Length of the dominoes that are played with, where they have been measured; only such are looked for."""
    px_per_mm: float = field(init=False, repr=False, compare=False)
    """The scale at the table's centre, the mean of the two directions."""
    _to_mm: Points = field(init=False, repr=False, compare=False)
    _to_px: Points = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.side_mm > 0 or not 0 <= self.zone_mm < self.side_mm / 2:
            raise ValueError(f"expected 0 <= zone_mm < side_mm / 2, got zone_mm {self.zone_mm}, side_mm {self.side_mm}")
        if self.domino_mm is not None and not self.domino_mm > 0:
            raise ValueError(f"expected domino_mm above 0, got {self.domino_mm}")
        quad = np.asarray(self.corners_px, dtype=np.float64)
        if quad.shape != (4, 2) or not np.isfinite(quad).all() or not _is_clockwise(quad):
            raise ValueError(f"expected four table corners clockwise from the top left, got {self.corners_px}")
        if self.lens is not None:
            quad = self.lens.straight(quad)
        square = SQUARE * self.side_mm / 2
        object.__setattr__(self, "_to_mm", homography(quad, square))
        object.__setattr__(self, "_to_px", homography(square, quad))
        step_mm = self.side_mm / 100
        middle, right, down = self.to_px([(0.0, 0.0), (step_mm, 0.0), (0.0, step_mm)])
        scale = (np.hypot(*(right - middle)) + np.hypot(*(down - middle))) / (2 * step_mm)
        object.__setattr__(self, "px_per_mm", float(scale))

    def to_mm(self, points: ArrayLike) -> Points:
        """Pixels to table millimetres; points of shape (..., 2), the same shape comes back."""
        return project(self._to_mm, points if self.lens is None else self.lens.straight(points))

    def to_px(self, points: ArrayLike) -> Points:
        """Table millimetres to pixels; points of shape (..., 2), the same shape comes back."""
        flat = project(self._to_px, points)
        return flat if self.lens is None else self.lens.bent(flat)

    def within(self, left: int, top: int) -> "Table":
        """The same table in the part of the picture that begins there."""
        return _within(self, left, top)

    def box_px(self, reach_mm: float) -> NDArray[np.float64]:
        """Left and top, right and bottom of what shows the table and so far over its edge, shape (2, 2)."""
        return _box_px(self, reach_mm)

    def square_px(self, half_mm: float) -> Points:
        """The corners of a square round its centre in the picture, shape (4, 2), in the order of the table's."""
        return self.to_px(SQUARE * half_mm)

    def zones_of(self, points_px: ArrayLike) -> list[Zone | None]:
        """Whose strip each point of the picture is in, shape (N, 2): "line" in the middle square, None off the table.

        Where two strips cross at a corner of the table, the nearer edge decides.
        """
        x, y = self.to_mm(np.reshape(points_px, (-1, 2))).T
        far = np.maximum(np.abs(x), np.abs(y))
        numbers = np.where(np.abs(y) >= np.abs(x), np.where(y > 0, 0, 2), np.where(x > 0, 3, 1))
        numbers[far <= self.side_mm / 2 - self.zone_mm] = MIDDLE
        numbers[far > self.side_mm / 2] = OFF
        return [ZONES[number] for number in numbers.tolist()]


# A table lies where it lies: what is asked of it for every frame is worked out once.
@lru_cache(maxsize=16)
def _within(table: Table, left: int, top: int) -> Table:
    corners = [(x - left, y - top) for x, y in table.corners_px]
    lens = table.lens
    if lens is not None:
        lens = replace(lens, centre_px=(lens.centre_px[0] - left, lens.centre_px[1] - top))
    return replace(table, corners_px=(corners[0], corners[1], corners[2], corners[3]), lens=lens)


@lru_cache(maxsize=16)
def _box_px(table: Table, reach_mm: float) -> NDArray[np.float64]:
    reach = table.side_mm / 2 + reach_mm
    rim = reach * np.array([(u, v) for u in (-1, 0, 1) for v in (-1, 0, 1)])
    whole = np.concatenate((np.nan_to_num(table.to_px(rim)), table.corners_px))
    return np.stack((whole.min(axis=0), whole.max(axis=0)))


def table_record(table: Table | None) -> dict[str, Any] | None:
    """Where the table lies, as plain JSON values."""
    if table is None:
        return None
    lens = table.lens
    bends = lens and {"focal_px": lens.focal_px, "centre_px": lens.centre_px, "k1": lens.k1, "k2": lens.k2}
    return {
        "corners_px": table.corners_px,
        "side_mm": table.side_mm,
        "zone_mm": table.zone_mm,
        "lens": bends,
        "domino_mm": table.domino_mm,
    }


def table_from(record: dict[str, Any] | None) -> Table | None:
    """The table of a record. Raises: ValueError, KeyError or TypeError where it is none."""
    if record is None:
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in record["corners_px"])
    bends = record.get("lens")
    lens = None
    if bends is not None:
        x, y = bends["centre_px"]
        lens = Lens(float(bends["focal_px"]), (float(x), float(y)), float(bends["k1"]), float(bends.get("k2", 0.0)))
    side_mm, zone_mm, domino_mm = float(record["side_mm"]), float(record["zone_mm"]), record.get("domino_mm")
    length_mm = None if domino_mm is None else float(domino_mm)
    return Table((a, b, c, d), side_mm=side_mm, zone_mm=zone_mm, lens=lens, domino_mm=length_mm)


def quad_of(corners: ArrayLike) -> Corners:
    """Four corners, shape (4, 2), as points."""
    a, b, c, d = ((float(x), float(y)) for x, y in np.asarray(corners, np.float64))
    return a, b, c, d


def homography(source: Points, target: Points) -> Points:
    """The 3 × 3 matrix that takes four source points, shape (4, 2), to four target points."""
    matrix: Points = cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)).astype(
        np.float64
    )
    return matrix


def project(matrix: Points, points: ArrayLike) -> Points:
    """Points of shape (..., 2) through a 3 × 3 homography; the same shape comes back."""
    xy = np.asarray(points, dtype=np.float64)
    flat = xy.reshape(-1, 2)
    homogeneous = flat @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:]).reshape(xy.shape)


def _is_clockwise(quad: Points) -> bool:
    """Whether a quad is convex and goes clockwise as seen in the picture (y down)."""
    edges = np.roll(quad, -1, axis=0) - quad
    following = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    return bool(np.all(turns > 0))
