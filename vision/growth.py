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


def neighbours(pose: Floats) -> Floats:
    """Every way a further domino can touch each, 14 rows for each row (x, y, angle, side), shape (14N, 4).

    Straight on, crosswise and round either corner at both ends, and against the middles of the long sides.
    """
    places = []
    for end in (-1, 1):
        places.append((end * (2 + GAP), 0.0, 0.0))
        places.append((end * (1.5 + GAP), 0.0, 0.5))
        for way in (-0.5, 0.5):
            places.append((end * (1.5 + GAP), way, 0.5))
            places.append((end * 0.5, way * (3 + 2 * GAP), 0.5))
    places += [(0.0, -1.5 - GAP, 0.5), (0.0, 1.5 + GAP, 0.5)]
    around = [shifted(pose, along, across, turn * np.pi) for along, across, turn in places]
    return np.stack(around, axis=1).reshape(-1, 4)


def shifted(pose: Floats, along: float, across: float, turn_rad: float) -> Floats:
    """The poses moved in their own direction, in sides of a half, and turned; shape (N, 4)."""
    x, y, angle, side = pose.T
    cos, sin = np.cos(angle) * side, np.sin(angle) * side
    return np.stack((x + along * cos - across * sin, y + along * sin + across * cos, angle + turn_rad, side), axis=1)
