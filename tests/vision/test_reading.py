"""The record of a look: suits, confidence, and what a reading may not say."""

import pytest

from vision.reading import Domino, Half, Link, Reading

PLACE = ((0.0, 10.0), (0.0, 0.0), (20.0, 0.0), (20.0, 10.0))


def test_a_half_tells_its_likeliest_suit() -> None:
    """And how likely it is; a hidden one tells neither."""
    half = Half((0.1, 0.0, 0.7, 0.2, 0.0, 0.0, 0.0))
    assert (half.suit, half.confidence) == (2, 0.7)
    assert (Half(None).suit, Half(None).confidence) == (None, 0.0)


@pytest.mark.parametrize("wrong", [(1.0,), (0.5,) * 7, ()])
def test_probabilities_are_seven_and_sum_to_one(wrong: tuple[float, ...]) -> None:
    """Anything else is a mistake of ours."""
    with pytest.raises(ValueError, match="expected seven probabilities with sum 1"):
        Half(wrong)


def test_a_reading_gives_its_line_as_it_lies() -> None:
    """Flipped dominoes come with b first."""
    one, two = Half((1.0, *(0.0,) * 6)), Half((*(0.0,) * 6, 1.0))
    dominoes = (Domino(one, two, PLACE, 1.0), Domino(one, two, PLACE, 1.0))
    reading = Reading(dominoes, ((Link(1, flipped=True), Link(0, flipped=False)),))
    assert [(a.suit, b.suit) for a, b in reading.along(reading.line)] == [(6, 0), (0, 6)]
    assert Reading().line == ()
    assert dominoes[0].centre == (10.0, 5.0)


@pytest.mark.parametrize("links", [(0, 0), (0, 5), (-1, 0)])
def test_a_chain_uses_each_domino_once(links: tuple[int, int]) -> None:
    """A chain that meets a domino twice, or one that is not there, is a mistake of ours."""
    half = Half(None)
    chain = tuple(Link(index, flipped=False) for index in links)
    with pytest.raises(ValueError, match="expected every chained domino once"):
        Reading((Domino(half, half, PLACE, 1.0), Domino(half, half, PLACE, 1.0)), (chain,))
