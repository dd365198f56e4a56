"""Places where a domino may lie, from patterns of pips, dividers and plain rectangles; judging them is another file's.

A pose is a row (x, y, angle, side), as in `vision.tiles`.
"""

import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs, Floats
from vision.pips import DIAGONAL, Patterns

ALIKE_RAD = 0.15
"""Between the patterns of one domino's halves, which are turned alike but for the error of a small pattern."""
OUTWARD = 0.93
"""Side of a half over the distance of its two patterns where a maker moves them towards the ends."""


def from_patterns(patterns: Patterns, side_px: float) -> Floats:
    """Dominoes of which a pattern is one half, shape (N, 4): the other half may lie on any side of it.

    A six has its rows along the domino, which leaves two sides. Where another pattern lies as the other half would,
    the pose is drawn through both.
    """
    patterns = _once(patterns.where(patterns.stray <= 2))
    side: Floats = np.clip(2 * np.hypot(*patterns.diagonal.T) / DIAGONAL, 0.87 * side_px, 1.15 * side_px)
    turn: Floats = (np.arctan2(patterns.diagonal[:, 1], patterns.diagonal[:, 0]) - np.pi / 4).astype(np.float32)
    poses = []
    for quarter in range(4):
        can = patterns.along != (-1 if quarter % 2 == 0 else 1)
        centre, angle = patterns.centre[can], turn[can] + quarter * np.pi / 2
        other: Floats = centre + np.stack((np.cos(angle), np.sin(angle)), axis=1) * side[can, None]
        partner = _partner(patterns.centre, turn, other, turn[can], reach_px=0.15 * side_px)
        met = partner >= 0
        other[met] = patterns.centre[partner[met]]
        arm = other - centre
        middle, turned = (centre + other) / 2, np.arctan2(arm[:, 1], arm[:, 0])
        apart = np.hypot(*arm.T)
        poses.append(np.column_stack((middle, turned, np.where(met, apart, side[can]))))
        # Some makers set the patterns wider apart than the halves are.
        poses.append(np.column_stack((middle, turned, OUTWARD * apart))[met])
    return np.concatenate(poses).astype(np.float32)


def _once(patterns: Patterns) -> Patterns:
    """The patterns without the second finding of each four, five and six, which have two diagonals."""
    places = np.column_stack(
        (np.rint(patterns.centre / 2), np.where(patterns.suit >= 4, 1, np.arange(len(patterns)) + 2))
    )
    return patterns.where(np.unique(places, axis=0, return_index=True)[1])


def _partner(points: Floats, turns: Floats, wanted: Floats, turned: Floats, reach_px: float) -> NDArray[np.intp]:
    """For each wanted place the index of the nearest pattern turned alike, or -1 when none is within reach."""
    if not len(points):
        return np.zeros(len(wanted), np.intp)
    gap = np.hypot(wanted[:, None, 0] - points[None, :, 0], wanted[:, None, 1] - points[None, :, 1])
    quarter = np.pi / 2
    skew = np.abs((turned[:, None] - turns[None, :] + quarter / 2) % quarter - quarter / 2)
    gap = np.where(skew < ALIKE_RAD, gap, np.inf)
    nearest = gap.argmin(axis=1)
    return np.where(gap[np.arange(len(wanted)), nearest] <= reach_px, nearest, -1)


def from_dividers(blobs: Blobs, side_px: float) -> Floats:
    """One domino across each thin mark of a divider's length; shape (N, 4)."""
    thickness = blobs.diameter_px**2 / blobs.length_px
    bars = blobs.where(
        (blobs.roundness < 0.4)
        & (blobs.length_px > 0.4 * side_px)
        & (blobs.length_px < 1.15 * side_px)
        & (thickness < 0.25 * side_px)
    )
    return np.column_stack((bars.xy, bars.angle_rad + np.pi / 2, np.full(len(bars), side_px))).astype(np.float32)


def from_rectangles(rectangles: Floats, side_px: float) -> Floats:
    """The rectangles of about the right size; shape (N, 4)."""
    return np.asarray(rectangles[np.abs(np.log(rectangles[:, 3] / side_px)) < 0.2])


def distinct(pose: Floats, score: Floats, *, near: float = 0.2, turn_rad: float = 0.2) -> NDArray[np.intp]:
    """Indices of the best of each group of all but equal poses, best first."""
    order = np.argsort(-score, kind="stable")
    p = pose[order]
    gap = np.hypot(p[:, None, 0] - p[None, :, 0], p[:, None, 1] - p[None, :, 1]) / p[:, None, 3]
    turn = np.abs((p[:, None, 2] - p[None, :, 2] + np.pi / 2) % np.pi - np.pi / 2)
    same = (gap < near) & (turn < turn_rad)
    keep = np.ones(len(p), np.bool_)
    for i in range(len(p)):
        if keep[i]:
            keep[i + 1 :] &= ~same[i, i + 1 :]
    return order[keep]
