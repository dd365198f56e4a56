"""Two dominoes that show the same, side by side: a set has each domino once, so they are two doubles read across.

Where two doubles lie flush against each other their four halves are a square, and which two make a domino is hard to
see; what they show says it.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from vision.cut import poses_of, quads_of
from vision.reading import Domino

FLUSH: Final = (0.8, 1.2)
"""Between the middles of two dominoes that lie flush, in sides of a half."""
EVEN: Final = 0.25
"""Sides of a half by which one may be pushed along the other."""
PARALLEL: Final = 0.97
"""Cosine of the angle between them, at least."""


def as_doubles(dominoes: Sequence[Domino]) -> tuple[Domino, ...]:
    """The same dominoes, two twins side by side taken for the two doubles that they must be."""
    showing: dict[frozenset[int | None], list[int]] = {}
    for number, domino in enumerate(dominoes):
        showing.setdefault(frozenset((domino.a.suit, domino.b.suit)), []).append(number)
    found = list(dominoes)
    for shown, twins in showing.items():
        if None in shown or len(shown) == 1:
            continue
        for i, j in combinations(twins, 2):
            one, other = found[i], found[j] if found[i].a.suit == found[j].a.suit else _turned(found[j])
            if shown == {one.a.suit, one.b.suit} == {other.a.suit, other.b.suit} and _is_square(one, other):
                found[i], found[j] = _across(one, other)
    return tuple(found)


def _turned(domino: Domino) -> Domino:
    c0, c1, c2, c3 = domino.corners
    return replace(domino, a=domino.b, b=domino.a, corners=(c2, c3, c0, c1))


def _is_square(one: Domino, other: Domino) -> bool:
    """Whether two dominoes, their equal halves on the same side, lie flush."""
    (x, y, angle, side), (other_x, other_y, other_angle, _) = poses_of(np.array([one.corners, other.corners]))
    along, across = np.array((np.cos(angle), np.sin(angle))), np.array((-np.sin(angle), np.cos(angle)))
    apart = np.array((other_x - x, other_y - y)) / side
    is_flush = FLUSH[0] < abs(apart @ across) < FLUSH[1] and abs(apart @ along) < EVEN
    return bool(is_flush and np.cos(angle - other_angle) > PARALLEL)


def _across(one: Domino, other: Domino) -> tuple[Domino, Domino]:
    """The two doubles of a square, that of the a halves first."""
    (x, y, angle, side), (other_x, other_y, _, _) = poses_of(np.array([one.corners, other.corners]))
    middle = np.array((x + other_x, y + other_y)) / 2
    step = np.array((np.cos(angle), np.sin(angle))) * side / 2
    across = float(np.arctan2(other_y - y, other_x - x))
    quads = quads_of(np.array([(*(middle - step), across, side), (*(middle + step), across, side)]))
    confidence = min(one.confidence, other.confidence)
    first, second = (tuple((float(px), float(py)) for px, py in quad) for quad in quads)
    return (
        Domino(one.a, other.a, (first[0], first[1], first[2], first[3]), confidence),
        Domino(one.b, other.b, (second[0], second[1], second[2], second[3]), confidence),
    )
