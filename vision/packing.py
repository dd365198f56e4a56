"""Which of many overlapping candidates to keep: dominoes never lie in one another, and the best whole set wins."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import numbers_of

Floats = NDArray[np.floating[Any]]

SHRINK: Final = 0.86
"""Faces drawn in by this much must not meet: touching dominoes and small errors of fit stay allowed."""
MOST_STATES: Final = 60_000
"""Bound on the steps of the exact search over one knot of candidates; past it the knot is settled greedily."""
SAME_TURN_RAD: Final = 0.35
"""How differently two places may be turned that are one."""


def overlaps(pose: Floats) -> NDArray[np.bool_]:
    """Whether two faces lie in one another, shape (N, N), from poses of shape (N, 4)."""
    result = crossing(pose, pose)
    np.fill_diagonal(result, val=False)
    return result


def crossing(one: Floats, other: Floats) -> NDArray[np.bool_]:
    """Whether a face of one list lies in a face of the other, shape (N, M), from poses of shape (N, 4) and (M, 4).

    Two rectangles are apart when one of their four axes separates them.
    """
    between = numbers_of(one)[:, None] - numbers_of(other)
    result = np.asarray(np.abs(between) < 1.12 * (one[:, 3:] + other[:, 3]))
    first, second = np.nonzero(result)
    turns, sides = np.stack((one[first, 2], other[second, 2])), np.stack((one[first, 3], other[second, 3]))
    # Of each of the two: the way to the other along and across it, and how far both reach those ways.
    way = between[first, second] * np.exp(-1j * turns)
    turned = np.exp(1j * (turns[0] - turns[1]))
    cos, sin = np.abs(turned.real), np.abs(turned.imag)
    own, others = SHRINK * sides, SHRINK * sides[::-1]
    apart = np.abs(way.real) > own + others * (cos + sin / 2)
    apart |= np.abs(way.imag) > own / 2 + others * (sin + cos / 2)
    result[first, second] = ~apart.any(axis=0)
    return result


def same(one: Floats, other: Floats, sides: float = 0.35) -> NDArray[np.bool_]:
    """Whether a pose of one list means the same domino as one of the other, up to so many sides apart, (N, M)."""
    x, y = one[:, :1] - other[:, 0], one[:, 1:2] - other[:, 1]
    alike = np.asarray(x * x + y * y < (sides * other[:, 3]) ** 2)
    first, second = np.nonzero(alike)
    turned = np.abs((one[first, 2] - other[second, 2] + np.pi / 2) % np.pi - np.pi / 2)
    alike[first, second] = turned < SAME_TURN_RAD
    return alike


def firsts(alike: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows, in order, are the same as none before them that is kept; alike of shape (N, N)."""
    keep = np.ones(len(alike), np.bool_)
    for row in np.nonzero(np.tril(alike, -1).any(axis=1))[0]:
        keep[row] = not (alike[row, :row] & keep[:row]).any()
    return keep


def distinct(worth: Floats, poses: Floats) -> NDArray[np.intp]:
    """The indices, the worthiest first, of those that are no second finding of a worthier one."""
    order = np.argsort(-worth, kind="stable")
    return order[firsts(same(poses[order], poses[order]))]


def best_packing(worth: Floats, conflict: NDArray[np.bool_]) -> list[int]:
    """The indices, of positive worth, without a conflict and of greatest total worth.

    Exact by dynamic programming over the candidates in breadth-first order: a line is long and thin, so few sets of
    undecided candidates ever occur.
    """
    alone = ~conflict.any(axis=1)
    kept = np.nonzero((worth > 0) & alone)[0].tolist()
    left = set(np.nonzero((worth > 0) & ~alone)[0].tolist())
    while left:
        knot = _knot(min(left), conflict, left)
        left -= set(knot)
        kept += _pack_knot(knot, worth, conflict)
    return sorted(kept)


def _knot(start: int, conflict: NDArray[np.bool_], among: set[int]) -> list[int]:
    """Everything that hangs together with start, breadth first from a far end."""
    order = _breadth_first(start, conflict, among)
    return _breadth_first(order[-1], conflict, among)


def _breadth_first(start: int, conflict: NDArray[np.bool_], among: set[int]) -> list[int]:
    order, seen = [start], {start}
    for index in order:
        fresh = [int(j) for j in np.nonzero(conflict[index])[0] if int(j) in among and int(j) not in seen]
        order += fresh
        seen.update(fresh)
    return order


def _pack_knot(knot: list[int], worth: Floats, conflict: NDArray[np.bool_]) -> list[int]:
    """The best packing of one knot; greedy when the exact search would grow past its bound."""
    place = {index: bit for bit, index in enumerate(knot)}
    barred = [sum(1 << place[int(j)] for j in np.nonzero(conflict[i])[0] if int(j) in place) for i in knot]
    # state: the set of candidates barred among those not yet decided → (total, chosen)
    states: dict[int, tuple[float, int]] = {0: (0.0, 0)}
    steps = 0
    for bit, index in enumerate(knot):
        fresh: dict[int, tuple[float, int]] = {}
        for state, (total, chosen) in states.items():
            options = [(state & ~(1 << bit), total, chosen)]
            if not state >> bit & 1:
                later = barred[bit] >> (bit + 1) << (bit + 1)
                options.append((state | later, total + float(worth[index]), chosen | 1 << bit))
            for new, value, taken in options:
                if new not in fresh or fresh[new][0] < value:
                    fresh[new] = (value, taken)
        steps += len(fresh)
        if steps > MOST_STATES:
            return _greedy(knot, worth, conflict)
        states = fresh
    chosen = max(states.values())[1]
    return [index for bit, index in enumerate(knot) if chosen >> bit & 1]


def _greedy(knot: list[int], worth: Floats, conflict: NDArray[np.bool_]) -> list[int]:
    kept: list[int] = []
    for index in sorted(knot, key=lambda i: -float(worth[i])):
        if not conflict[index, kept].any():
            kept.append(index)
    return kept
