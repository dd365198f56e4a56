"""Where the table lies in the picture: pixels to millimetres and back, whose zone a point is in; never colours.

Millimetres: origin at the table's centre, x to the picture's right, y down the picture, towards seat 0. Seats run
clockwise seen from above: 0 at the bottom, 1 left, 2 top, 3 right.
"""

from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.reading import Point

Zone = Literal["line", 0, 1, 2, 3]
Points = NDArray[np.float64]

LINE: Zone = "line"


@dataclass(frozen=True, slots=True)
class Table:
    """A square table seen by a camera that does not move.

    Raises:
        ValueError: the corners are not four that go clockwise round a convex shape, or a length is not positive.
    """

    corners_px: tuple[Point, Point, Point, Point]
    """Clockwise from the top left, as seen in the picture."""
    side_mm: float = 900.0
    zone_mm: float = 130.0
    """Depth of each seat's strip along its edge; the line grows in the square between."""
    _to_mm: Points = field(init=False, repr=False, compare=False)
    _to_px: Points = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.side_mm > 0 or not 0 <= self.zone_mm < self.side_mm / 2:
            raise ValueError(f"expected 0 <= zone_mm < side_mm / 2, got zone_mm {self.zone_mm}, side_mm {self.side_mm}")
        quad = np.asarray(self.corners_px, dtype=np.float64)
        if quad.shape != (4, 2) or not np.isfinite(quad).all() or not _is_clockwise(quad):
            raise ValueError(f"expected four table corners clockwise from the top left, got {self.corners_px}")
        half = self.side_mm / 2
        square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
        object.__setattr__(self, "_to_mm", homography(quad, square))
        object.__setattr__(self, "_to_px", homography(square, quad))

    def to_mm(self, points: ArrayLike) -> Points:
        """Pixels to table millimetres; points of shape (N, 2) or (2,), the same shape comes back."""
        return project(self._to_mm, points)

    def to_px(self, points: ArrayLike) -> Points:
        """Table millimetres to pixels; points of shape (N, 2) or (2,), the same shape comes back."""
        return project(self._to_px, points)

    @property
    def px_per_mm(self) -> float:
        """The scale at the table's centre, the mean of the two directions."""
        step_mm = self.side_mm / 100
        middle, right, down = self.to_px([(0.0, 0.0), (step_mm, 0.0), (0.0, step_mm)])
        return float(np.hypot(*(right - middle)) + np.hypot(*(down - middle))) / (2 * step_mm)

    def holds(self, point_px: Point) -> bool:
        """Whether a point of the picture is on the table."""
        return bool(np.abs(self.to_mm(point_px)).max() <= self.side_mm / 2)

    def zone_of(self, point_px: Point) -> Zone | None:
        """Whose strip a point of the picture is in, "line" in the middle square, None off the table.

        Where two strips cross at a corner of the table, the nearer edge decides.
        """
        if not self.holds(point_px):
            return None
        x, y = (float(v) for v in self.to_mm(point_px))
        if max(abs(x), abs(y)) <= self.side_mm / 2 - self.zone_mm:
            return LINE
        if abs(y) >= abs(x):
            return 0 if y > 0 else 2
        return 3 if x > 0 else 1


def homography(source: Points, target: Points) -> Points:
    """The 3 × 3 matrix that takes four source points, shape (4, 2), to four target points."""
    matrix: Points = cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)).astype(
        np.float64
    )
    return matrix


def project(matrix: Points, points: ArrayLike) -> Points:
    """Points of shape (N, 2) or (2,) through a 3 × 3 homography; the same shape comes back."""
    xy = np.asarray(points, dtype=np.float64)
    flat = xy.reshape(-1, 2)
    homogeneous = np.column_stack((flat, np.ones(len(flat)))) @ matrix.T
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:]).reshape(xy.shape)


def _is_clockwise(quad: Points) -> bool:
    """Whether a quad is convex and goes clockwise as seen in the picture (y down)."""
    edges = np.roll(quad, -1, axis=0) - quad
    following = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    return bool(np.all(turns > 0))
