"""The drawing of a reading: it covers what was read, leaves the rest, and takes any reading."""

import numpy as np

from vision.draw import draw
from vision.reading import Domino, Half, Link, Reading

SURE = Half((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


def domino(x: float, half: Half = SURE) -> Domino:
    """A domino 80 px long with its centre at (x, 100)."""
    return Domino(half, SURE, ((x - 40, 120), (x - 40, 80), (x + 40, 80), (x + 40, 120)), 1.0)


def test_a_drawing_is_a_new_picture_of_the_same_size() -> None:
    """The picture itself is left alone, and what lies far from every domino too."""
    bgr = np.full((200, 400, 3), 90, np.uint8)
    reading = Reading(
        (domino(80), domino(162, Half(None)), domino(330)), ((Link(0, flipped=False), Link(1, flipped=True)),)
    )
    drawn = draw(bgr, reading)
    assert drawn.shape == bgr.shape
    assert (bgr == 90).all()
    assert (drawn[:40] == 90).all()
    assert (drawn[80:120, 40:200] != 90).any(axis=2).mean() > 0.9


def test_nothing_read_draws_nothing() -> None:
    """An empty reading is the picture."""
    bgr = np.random.default_rng(0).integers(0, 256, (50, 60, 3), dtype=np.uint8)
    assert np.array_equal(draw(bgr, Reading()), bgr)


def test_dominoes_at_the_rim_are_drawn_as_far_as_they_show() -> None:
    """A place partly or wholly outside the picture is no error."""
    bgr = np.zeros((60, 60, 3), np.uint8)
    assert draw(bgr, Reading((domino(0), domino(500)))).shape == bgr.shape
