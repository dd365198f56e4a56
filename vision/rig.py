"""The camera over a drawn table, a pinhole with a tilt and a lens: where a point in millimetres comes out."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import Lens, Table
from vision.layout import DOMINO_LENGTH_MM

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rig:
    """A camera that looks at the table's centre, with the whole table in view.

    Points are table millimetres (x, y, height above the table).
    """

    width_px: int = 1280
    height_px: int = 720
    table_mm: float = 900.0
    zone_mm: float = 130.0
    fill: float = 0.98
    """Share of the picture's shorter side, or of its longer one if that is narrower, that the table takes."""
    distance_mm: float = 1150.0
    tilt_deg: float = 0.0
    """Between the camera's axis and the plumb line."""
    tilt_towards_deg: float = 90.0
    """Where a tilted camera stands off to, as seen from the table's centre: 0 right, 90 bottom."""
    roll_deg: float = 0.0
    k1: float = 0.0
    """Radial distortion of the lens, at a radius of one focal length; negative is a barrel."""

    @classmethod
    def random(cls, rng: np.random.Generator, width_px: int = 1280, height_px: int = 720) -> "Rig":
        """A camera as people hang it: nearly plumb, nearly square, with an ordinary lens."""
        return cls(
            width_px,
            height_px,
            fill=float(rng.uniform(0.93, 0.99)),
            distance_mm=float(rng.uniform(900, 1500)),
            tilt_deg=float(rng.uniform(0, 6)),
            tilt_towards_deg=float(rng.uniform(0, 360)),
            roll_deg=float(rng.uniform(-3, 3)),
            k1=float(rng.uniform(-0.09, 0.02)),
        )

    def table(self) -> Table:
        """The table as a calibration of its corners, the lens and the dominoes would find it."""
        half = self.table_mm / 2
        corners = self.to_px([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        lens = self.lens if self.k1 else None
        sizes = {"side_mm": self.table_mm, "zone_mm": self.zone_mm, "domino_mm": DOMINO_LENGTH_MM}
        return Table((a, b, c, d), lens=lens, **sizes)

    def to_px(self, points_mm: ArrayLike) -> Points:
        """Points of shape (N, 3) in table millimetres to pixels, shape (N, 2)."""
        lens = self.lens
        straight = self._normal(np.asarray(points_mm, dtype=np.float64)) * lens.focal_px + lens.centre_px
        return lens.bent(straight)

    def to_mm(self, points_px: ArrayLike) -> Points:
        """Pixels of shape (N, 2) to the point of the table's plane seen there, shape (N, 2)."""
        lens = self.lens
        straight = (lens.straight(points_px) - lens.centre_px) / lens.focal_px
        rays = np.column_stack((straight, np.ones(len(straight)))) @ self._turn()
        eye = np.array((0.0, 0.0, -self.distance_mm)) @ self._turn()
        return np.asarray(eye[:2] - rays[:, :2] * (eye[2] / rays[:, 2:]))

    @property
    def lens(self) -> Lens:
        """What its lens bends; nothing where k1 is 0."""
        return Lens(self.focal_px, ((self.width_px - 1) / 2, (self.height_px - 1) / 2), self.k1)

    @property
    def focal_px(self) -> float:
        """The focal length that makes the table fill its share of the picture."""
        half = self.table_mm / 2
        edge = np.linspace(-half, half, 9)
        rim = np.array([(x, y, 0) for v in edge for x, y in ((v, -half), (v, half), (-half, v), (half, v))])
        widest, highest = np.abs(Lens(1.0, (0.0, 0.0), self.k1).bent(self._normal(rim))).max(axis=0)
        return self.fill / 2 * min(self.width_px / float(widest), self.height_px / float(highest))

    @property
    def px_per_mm(self) -> float:
        """The scale at the table's centre."""
        return self.focal_px / self.distance_mm

    def _normal(self, points_mm: Points) -> Points:
        """Points of shape (N, 3) as the pinhole sees them at focal length one, shape (N, 2)."""
        down = points_mm * (1.0, 1.0, -1.0)  # heights grow towards the camera, depths away from it
        seen = down @ self._turn().T + (0.0, 0.0, self.distance_mm)
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def _turn(self) -> NDArray[np.float64]:
        """The rotation from table axes (x, y, down) to camera axes, shape (3, 3)."""
        tilt, towards, roll = (math.radians(v) for v in (self.tilt_deg, self.tilt_towards_deg, self.roll_deg))
        about = np.array(
            ((math.cos(towards), math.sin(towards), 0), (-math.sin(towards), math.cos(towards), 0), (0, 0, 1))
        )
        lean = np.array(((math.cos(tilt), 0, math.sin(tilt)), (0, 1, 0), (-math.sin(tilt), 0, math.cos(tilt))))
        spin = np.array(((math.cos(roll), -math.sin(roll), 0), (math.sin(roll), math.cos(roll), 0), (0, 0, 1)))
        return np.asarray(spin @ about.T @ lean @ about)
