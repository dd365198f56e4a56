"""What shows at some places of one picture: faces cut out and read, all in one go; which to keep is not known here."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import COLOURS, FACE_PX, FEW, FOLDED, WHOLE, Grid, cut, moved, poses_of, quads_of
from vision.finder import Level, levels_for, pyramid
from vision.geometry import Table
from vision.networks import Network

Bgr8 = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

ANSWERS: Final = 25
"""Numbers that the face reader gives for each face: eight for each half, one for the whole, two for each corner."""
AT_ONCE: Final = 32
"""Faces read in one go; more take more memory and no less time."""
FARTHEST: Final = 0.6
"""Most that a corner is moved in one look, in sides of a half."""


class Faces:
    """What was read at some places, the picture's pixels: views of one array, a row for each."""

    COLUMNS: Final = 31

    def __init__(self, rows: Floats) -> None:
        self.rows = rows

    @classmethod
    def of(cls, quads: Floats, odds: Floats, halves: Floats, moved: Floats) -> "Faces":
        """What was read just now; shapes as in the views."""
        faces = cls(np.zeros((len(quads), cls.COLUMNS)))
        faces.quads[:], faces.poses[:], faces.odds[:], faces.moved[:] = quads, poses_of(quads), odds, moved
        faces.rows[:, 15:] = halves.reshape(-1, 16)
        return faces

    @property
    def quads(self) -> Floats:
        """Corners as the face itself says, shape (N, 4, 2)."""
        return self.rows[:, :8].reshape(-1, 4, 2)

    @property
    def poses(self) -> Floats:
        """The poses of those, shape (N, 4)."""
        return self.rows[:, 8:12]

    @property
    def odds(self) -> Floats:
        """Log odds of a domino, shape (N,)."""
        return self.rows[:, 12]

    @property
    def moved(self) -> Floats:
        """How far the corners were from where they were looked for, the mean in sides of a half, shape (N,)."""
        return self.rows[:, 13]

    @property
    def again(self) -> Floats:
        """How many more looks each is worth, shape (N,)."""
        return self.rows[:, 14]

    @property
    def halves(self) -> Floats:
        """Log odds of a's and b's suits and of being hidden, shape (N, 2, 8)."""
        return self.rows[:, 15:].reshape(-1, 2, 8)

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Faces") -> "Faces":
        return Faces(np.concatenate((self.rows, other.rows)))

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp] | list[int]) -> "Faces":
        """The rows that are marked or named."""
        return Faces(self.rows[keep])


NO_FACES: Final = Faces(np.zeros((0, Faces.COLUMNS)))


class Eyes:
    """What looks at one picture, at what lies on the table where that is known."""

    def __init__(self, faces: Network, bgr: Bgr8, table: Table | None = None) -> None:
        self.levels = pyramid(bgr)
        self.table = table
        self._faces = faces

    def quads(self, poses: Floats) -> Floats:
        """The corners of dominoes at some places, shape (N, 4, 2), as the camera sees them lie on a known table."""
        if self.table is None or not len(poses):
            return quads_of(poses)
        middle, (_, _, angle, side) = poses[:, :2], poses.T
        ends = np.empty((4, len(poses), 2))
        along = np.column_stack((np.cos(angle), np.sin(angle))) * side[:, None]
        across = along[:, ::-1] * (-1, 1)
        ends[0], ends[1], ends[2], ends[3] = middle - along, middle + along, middle - across, middle + across
        before, after, right, left = self.table.to_mm(ends)
        along_mm, across_mm = (after - before) / 2, (left - right) / 2
        lying = np.empty((len(poses), 4))
        lying[:, :2] = (before + after) / 2
        lying[:, 2] = np.arctan2(along_mm[:, 1], along_mm[:, 0])
        lying[:, 3] = (np.hypot(*along_mm.T) + np.hypot(*across_mm.T)) / 2
        return self.table.to_px(quads_of(lying))

    def look(self, quads: Floats) -> Faces:
        """What shows at some quads of the picture, shape (N, 4, 2)."""
        cuts = cut_from(self.levels, quads, FOLDED).reshape(len(quads), FACE_PX[0] // 2, -1, COLOURS)
        parts = [self._faces(cuts[first : first + AT_ONCE]) for first in range(0, len(cuts), AT_ONCE)]
        answer = np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, ANSWERS))
        offsets = np.clip(answer[:, 17:].reshape(-1, 4, 2), -FARTHEST, FARTHEST)
        off = np.abs(offsets).mean(axis=(1, 2))
        return Faces.of(moved(quads, offsets), answer[:, 16], answer[:, :16], off)

    def shades(self, poses: Floats) -> Floats:
        """How bright it is where some dominoes would lie: logarithms of the mean blue, green and red, shape (N, 3)."""
        return np.asarray(np.log(1 + cut_from(self.levels, quads_of(poses), FEW, coarser=2).mean(axis=(1, 2))))


def cut_from(levels: list[Level], quads: Floats, grid: Grid = WHOLE, coarser: int = 0) -> NDArray[np.uint8]:
    """The faces under some quads of the picture, each from the level that shows it best, or a coarser one."""
    which = np.minimum(levels_for(levels, poses_of(quads)[:, 3]) + coarser, len(levels) - 1)
    cuts = np.empty((len(quads), *grid.shape[1:], 3), np.uint8)
    for number in set(which.tolist()):
        here = which == number
        cuts[here] = cut(levels[number].bgr, levels[number].from_picture(quads[here]), grid)
    return cuts
