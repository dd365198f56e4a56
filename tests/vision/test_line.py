"""Chains from dominoes' places alone: straight, crosswise, round corners, mismatched, and never one domino twice."""

import math

import numpy as np
import pytest

from vision.line import chains
from vision.reading import Branch, Domino, Half, Reading

SIDE = 30.0


def half(suit: int) -> Half:
    """A half that is seen for certain."""
    return Half(tuple(1.0 if s == suit else 0.0 for s in range(7)))


def domino(a: int, b: int, x: float, y: float, angle_deg: float = 0.0) -> Domino:
    """A domino with its centre at (x, y) sides of a half, its a→b axis turned clockwise from +x."""
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    corners = [
        ((x + u * cos - v * sin) * SIDE, (y + u * sin + v * cos) * SIDE)
        for u, v in ((-1, 0.5), (-1, -0.5), (1, -0.5), (1, 0.5))
    ]
    return Domino(half(a), half(b), (corners[0], corners[1], corners[2], corners[3]), 1.0)


def line_of(*dominoes: Domino) -> list[tuple[int | None, int | None]]:
    """The suits along the longest chain."""
    reading = Reading(dominoes, *chains(dominoes))
    return [(a.suit, b.suit) for a, b in reading.along(reading.line)]


def test_a_straight_line_is_chained_from_left_to_right() -> None:
    """Dominoes end to end are one chain, each turned as it lies along it."""
    assert line_of(domino(3, 5, 4.1, 0), domino(2, 1, 0, 0, 180), domino(2, 3, 2.05, 0.1, 3)) == [
        (1, 2),
        (2, 3),
        (3, 5),
    ]


def test_a_crosswise_double_is_met_in_the_middle_of_its_long_sides() -> None:
    """A double lying across carries the line on to its other side."""
    assert line_of(domino(1, 4, 0, 0), domino(4, 4, 1.55, 0.1, 92), domino(4, 6, 3.1, 0)) == [(1, 4), (4, 4), (4, 6)]


def test_a_double_laid_wrongly_against_another_is_the_line_s_next() -> None:
    """Both lie crosswise, whole side against whole side; of a hand laid open, with gaps, they are nothing."""
    row = domino(1, 4, 0, 0), domino(4, 4, 1.55, 0, 90)
    assert line_of(*row, domino(2, 2, 2.6, 0.05, 88)) == [(1, 4), (4, 4), (2, 2)]
    assert line_of(*row, domino(2, 2, 2.8, 0, 90)) == [(1, 4), (4, 4)]
    assert line_of(domino(3, 3, 0, 0, 90), domino(2, 2, 1.25, 0, 90)) == []
    assert line_of(*row, domino(2, 3, 2.6, 0.05, 88)) == [(1, 4), (4, 4)]


@pytest.mark.parametrize("way", [-1, 1])
@pytest.mark.parametrize("beyond", [False, True])
def test_a_corner_is_followed_whichever_way_it_is_laid(way: int, beyond: bool) -> None:
    """The next domino may stand under the last half, or past its end, to either side."""
    corner = (1.55, way * 0.5) if beyond else (0.5, way * 1.55)
    after = (corner[0], corner[1] + way * 2.05)
    turned = domino(2, 5, *corner, way * 90), domino(5, 5, after[0], corner[1] + way * 1.55, 0), domino(0, 2, 0, 0)
    assert line_of(*turned) == [(0, 2), (2, 5), (5, 5)]


def test_a_line_that_comes_back_beside_itself_stays_one_chain() -> None:
    """Two corners make the line run back; the parallel row is not joined side to side."""
    there = [domino(0, 1, 0, 0), domino(1, 2, 2.02, 0), domino(2, 3, 2.52, 1.52, 90)]
    back = [domino(3, 4, 1.02, 2.02, 180), domino(4, 6, -1.02, 2.02, 180)]
    assert line_of(*there, *back) == [(6, 4), (4, 3), (3, 2), (2, 1), (1, 0)]


def test_a_wrong_domino_in_the_line_is_still_chained() -> None:
    """Geometry decides: a joint of different suits is a joint."""
    assert line_of(domino(0, 1, 0, 0), domino(5, 2, 2.05, 0), domino(2, 2, 3.6, 0, 90)) == [(0, 1), (5, 2), (2, 2)]


def test_equal_suits_choose_between_two_ways_to_go_on() -> None:
    """Where two dominoes touch one end alike, the one that fits is the line."""
    fits, does_not = domino(3, 6, 2.0, 0.30), domino(4, 1, 2.0, -0.75)
    assert line_of(domino(0, 3, 0, -0.2), does_not, fits)[-1] == (3, 6)


def test_loose_dominoes_make_no_chain() -> None:
    """Dominoes lying apart, or side by side in a hand, do not hang together."""
    assert chains([domino(1, 2, 0, 0), domino(2, 3, 0, 3), domino(3, 4, 5, 0)]) == ((), ())
    assert chains([domino(1, 2, x * 1.25, 0, 90) for x in range(5)]) == ((), ())


def test_two_groups_are_two_chains_longest_first() -> None:
    """Each group is a chain of its own."""
    long = [domino(0, 1, 0, 0), domino(1, 2, 2.05, 0), domino(2, 3, 4.1, 0)]
    found, _ = chains([domino(5, 6, 0, 8), domino(6, 6, 1.55, 8, 90), *long])
    assert [len(chain) for chain in found] == [3, 2]


def test_no_domino_is_used_twice_however_they_lie() -> None:
    """In any heap each domino is in at most one place of one chain; the reading itself checks it."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        heap = [
            domino(
                int(rng.integers(7)), int(rng.integers(7)), rng.uniform(0, 7), rng.uniform(0, 7), rng.uniform(0, 360)
            )
            for _ in range(int(rng.integers(2, 24)))
        ]
        Reading(tuple(heap), *chains(heap))


def test_a_hidden_half_does_not_break_the_chain() -> None:
    """A half under a hand has no suit, and its domino still lies where it lies."""
    hidden = Domino(half(2), Half(None), domino(2, 2, 2.05, 0).corners, 0.5)
    assert line_of(domino(1, 2, 0, 0), hidden, domino(3, 4, 4.1, 0)) == [(1, 2), (2, None), (3, 4)]


def test_a_line_that_steps_aside_by_a_half_goes_on() -> None:
    """Two equal halves side by side are a joint where nothing else is."""
    stepped = [domino(1, 6, 2.0, 0, 180), domino(6, 5, 0, 0, 180), domino(3, 5, -1.0, -1.02)]
    assert line_of(*stepped) == [(3, 5), (5, 6), (6, 1)]


@pytest.mark.parametrize("way", [-1, 1])
def test_a_double_beside_the_last_half_is_the_line_s_next(way: int) -> None:
    """At a corner a double may lie along the last domino, its long side against the side of the open half."""
    corner = [
        domino(1, 6, 0, 0),
        domino(6, 4, 2.02, 0),
        domino(4, 4, 2.5, way * 1.03),
        domino(4, 2, 2.5, way * 2.6, way * 90),
    ]
    assert line_of(*corner) == [(1, 6), (6, 4), (4, 4), (4, 2)]


def test_hands_laid_side_by_side_do_not_step() -> None:
    """Dominoes whole side by side, equal halves and all, and a step onto another suit, are no joints."""
    assert chains([domino(2, 2, 0, 0), domino(2, 2, 0, 1.02)]) == ((), ())
    assert chains([domino(6, 5, 0, 0, 180), domino(3, 4, -1.0, -1.02)]) == ((), ())


def test_a_third_domino_at_a_double_is_a_branch() -> None:
    """The line goes through a crosswise double; what touches its end besides is told as a branch, not as the line."""
    dominoes = [domino(1, 4, 0, 0), domino(4, 4, 1.55, 0, 90), domino(4, 6, 3.1, 0), domino(4, 2, 1.55, 2.05, 90)]
    found, branches = chains(dominoes)
    assert [[link.domino for link in chain] for chain in found] == [[0, 1, 2]]
    assert branches == (Branch(3, 1),)


def test_a_domino_against_the_side_of_the_line_is_a_branch() -> None:
    """So is one laid against the side of a half in the middle of the line, with all that hangs on it."""
    line = [domino(0, 1, 0, 0), domino(1, 2, 2.02, 0), domino(2, 3, 4.04, 0)]
    aside = [domino(5, 6, 1.6, 1.55, 90), domino(6, 6, 1.6, 3.1)]
    found, branches = chains([*line, *aside])
    assert [len(chain) for chain in found] == [3, 2]
    assert branches == (Branch(3, 1),)
