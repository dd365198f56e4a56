"""Where the next domino of a line would lie; poses in, poses out.

What the finder does not see in a row of dominoes, its neighbours say: a domino in a line touches another in one of a
few ways.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

GAP: Final = 0.02
"""Usual gap between touching dominoes, in sides of a half."""


def _touching(*, beside: bool) -> Floats:
    """Rows (along, across, turn) of a further domino from the one it touches, in sides of a half and radians."""
    places = []
    for end in (-1, 1):
        places.append((end * (2 + GAP), 0.0, 0.0))
        places.append((end * (1.5 + GAP), 0.0, 0.5))
        for way in (-0.5, 0.5):
            places.append((end * (1.5 + GAP), way, 0.5))
            places.append((end * 0.5, way * (3 + 2 * GAP), 0.5))
    for side in (-1, 1):
        places.append((0.0, side * (1.5 + GAP), 0.5))
        if beside:
            places += [(step, side * (1 + GAP), 0.0) for step in (-1.0, 0.0, 1.0)]
    return np.array(places) * (1.0, 1.0, np.pi)


_TOUCHING: Final = _touching(beside=False)
_TOUCHING_OR_BESIDE: Final = _touching(beside=True)


def neighbours(pose: Floats, *, beside: bool = False) -> Floats:
    """The ways a further domino can touch each, 14 rows for each row (x, y, angle, side), shape (14N, 4).

    Straight on, crosswise and round either corner at both ends, and against the middles of the long sides. 20 rows with
    those that lie beside it, along the whole of it or stepping aside by a half.
    """
    return shifted(pose[:, None], *(_TOUCHING_OR_BESIDE if beside else _TOUCHING).T).reshape(-1, 4)


def shifted(pose: Floats, along: Floats | float, across: Floats | float, turn_rad: Floats | float) -> Floats:
    """The poses moved in their own direction, in sides of a half, and turned, all or each otherwise; shape (..., 4)."""
    cos, sin = np.cos(pose[..., 2]) * pose[..., 3], np.sin(pose[..., 2]) * pose[..., 3]
    right, down = along * cos - across * sin, along * sin + across * cos
    moved = np.empty((*right.shape, 4))
    moved[..., 0], moved[..., 1] = pose[..., 0] + right, pose[..., 1] + down
    moved[..., 2], moved[..., 3] = pose[..., 2] + turn_rad, pose[..., 3]
    return moved
