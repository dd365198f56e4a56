"""Twins side by side are two doubles, whichever way they were read."""

import math

import numpy as np
import pytest

from vision.cut import quads_of
from vision.reading import Domino, Half
from vision.twins import as_doubles

SIDE = 30.0


def half(suit: int | None) -> Half:
    return Half(None if suit is None else tuple(1.0 if s == suit else 0.0 for s in range(7)))


def domino(a: int | None, b: int | None, x: float, y: float, angle_deg: float = 0.0) -> Domino:
    """A domino with its centre at (x, y) sides of a half."""
    (quad,) = quads_of(np.array([(x * SIDE, y * SIDE, math.radians(angle_deg), SIDE)]))
    c0, c1, c2, c3 = ((float(px), float(py)) for px, py in quad)
    return Domino(half(a), half(b), (c0, c1, c2, c3), 0.9)


def shown(dominoes: tuple[Domino, ...]) -> list[tuple[int | None, int | None]]:
    return [(d.a.suit, d.b.suit) for d in dominoes]


@pytest.mark.parametrize("angle_deg", [0.0, 37.0, 90.0, 200.0])
@pytest.mark.parametrize("is_turned", [False, True])
def test_square_of_two_twins_is_two_doubles(angle_deg: float, is_turned: bool) -> None:
    """At every angle, one of the twins read from its other half too: each double lies across them."""
    turn = math.radians(angle_deg)
    at = (5 - math.sin(turn), 5 + math.cos(turn))
    twin = domino(0, 5, *at, angle_deg + 180) if is_turned else domino(5, 0, *at, angle_deg)
    found = as_doubles((domino(5, 0, 5, 5, angle_deg), domino(3, 1, 0, 0), twin))
    assert shown(found) == [(5, 5), (3, 1), (0, 0)]
    fives, _, blanks = found
    middle = np.array((5 - math.sin(turn) / 2, 5 + math.cos(turn) / 2))
    along = np.array((math.cos(turn), math.sin(turn)))
    assert np.allclose(np.array(fives.centre) / SIDE, middle - along / 2, atol=0.01)
    assert np.allclose(np.array(blanks.centre) / SIDE, middle + along / 2, atol=0.01)
    a_end, b_end = np.array(fives.corners[:2]).mean(axis=0), np.array(fives.corners[2:]).mean(axis=0)
    assert abs((b_end - a_end) / (2 * SIDE) @ along) < 0.01


@pytest.mark.parametrize(
    "other",
    [
        domino(0, 5, 5, 6),
        domino(5, 0, 5, 6.5),
        domino(5, 0, 5.5, 6),
        domino(5, 0, 5, 6, 30),
        domino(5, 1, 5, 6),
        domino(5, None, 5, 6),
        domino(5, 0, 9, 5),
    ],
    ids=["other way round", "apart", "pushed along", "askew", "another", "half hidden", "end to end"],
)
def test_nothing_else_is_taken_for_doubles(other: Domino) -> None:
    """What is no square of two equal dominoes stays as it was read."""
    two = (domino(5, 0, 5, 5), other)
    assert as_doubles(two) == two
    doubles = (domino(5, 5, 5, 5), domino(5, 5, 5, 6))
    assert as_doubles(doubles) == doubles
