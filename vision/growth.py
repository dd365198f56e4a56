"""Where the next domino of a line would lie, and small corrections of where one does; poses in, poses out.

What a blank half or a lone pip leaves unsaid, its neighbours say: a domino in a line touches another in one of a few
ways.
"""

import numpy as np

from vision.blobs import Floats

GAP = 0.02
"""Usual gap between touching dominoes, in sides of a half."""


def neighbours(pose: Floats) -> Floats:
    """Every way a further domino can touch each, shape (14N, 4).

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
    return np.concatenate([moved(pose, along, across, turn * np.pi) for along, across, turn in places])


def variations(pose: Floats, size: float) -> Floats:
    """Each pose and eight like it, shape (N, 9, 4): along, across, turned, larger and smaller, by a share of `size`."""
    step, turn, growth = 0.06 * size, 0.06 * size, 0.04 * size
    return np.stack(
        [
            pose,
            moved(pose, step, 0, 0),
            moved(pose, -step, 0, 0),
            moved(pose, 0, step, 0),
            moved(pose, 0, -step, 0),
            moved(pose, 0, 0, turn),
            moved(pose, 0, 0, -turn),
            pose * np.array([1, 1, 1, 1 + growth], np.float32),
            pose * np.array([1, 1, 1, 1 - growth], np.float32),
        ],
        axis=1,
    )


def resized(pose: Floats, side_px: float) -> Floats:
    """The poses with the size that the set has, where they are not far from it; shape (M, 4)."""
    near: Floats = pose[np.abs(np.log(pose[:, 3] / side_px)) < 0.12].copy()
    near[:, 3] = side_px
    return near


def moved(pose: Floats, along: float, across: float, turn_rad: float) -> Floats:
    """The poses moved in their own direction, in sides of a half, and turned; shape (N, 4)."""
    x, y, angle, side = pose.T
    cos, sin = np.cos(angle) * side, np.sin(angle) * side
    return np.stack((x + along * cos - across * sin, y + along * sin + across * cos, angle + turn_rad, side), axis=1)
