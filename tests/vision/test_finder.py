"""The finder's share that is no network: which sizes of a picture are searched, and how pixels are handed over."""

from itertools import pairwise

import numpy as np
import pytest

from vision.finder import COARSE_PX, FINE_PX, LARGEST_PX, LEAST_PX, made_to_measure, pyramid, to_search

SIZES = [(720, 1280), (2000, 3000), (100, 100), (480, 640), (41, 400), (16, 16)]


def blank(size: tuple[int, int]) -> np.ndarray:
    """A picture of such a height and width."""
    return np.zeros((*size, 3), np.uint8)


@pytest.mark.parametrize("size", SIZES)
def test_a_pyramid_reaches_from_the_picture_to_where_a_domino_fills_it(size: tuple[int, int]) -> None:
    """Every level is half of the one before, and points go there and back."""
    levels = pyramid(blank(size))
    assert levels[0].factor == max(1.0, max(size) / LARGEST_PX)
    assert max(levels[-1].bgr.shape[:2]) <= COARSE_PX or min(levels[-1].bgr.shape[:2]) < 16
    for before, level in pairwise(levels):
        assert level.factor == 2 * before.factor
        assert level.bgr.shape[0] == before.bgr.shape[0] // 2
    points = np.array(((3.5, 7.0), (0.0, 1.0)))
    for level in levels:
        assert level.to_picture(level.from_picture(points)) == pytest.approx(points)


def test_small_pictures_are_searched_between_their_halves_too() -> None:
    """A picture of one domino has few levels: any size of it is to come out near the best one."""
    small, large = pyramid(blank((FINE_PX // 2, FINE_PX))), pyramid(blank((FINE_PX, 2 * FINE_PX)))
    factors = [level.factor for level in to_search(small)]
    assert factors == sorted(factors, reverse=True)
    assert len(factors) == 2 * len(small) - 1
    assert len(to_search(large)) == len(large)


@pytest.mark.parametrize("px_per_mm", [0.5, 0.8, 2.0, 4.0])
def test_a_known_table_is_searched_in_one_level_made_to_measure(px_per_mm: float) -> None:
    """The smallest set's halves come out as large as wanted, but for pictures that are smaller already."""
    levels = pyramid(blank((720, 1280)))
    (level,) = to_search(levels, np.array((18.0, 31.0)) * px_per_mm)
    side_px = 18 * px_per_mm / level.factor
    assert side_px == pytest.approx(min(LEAST_PX, 18 * px_per_mm))
    assert level.bgr.shape[1] == pytest.approx(1280 / level.factor, abs=1)


def test_a_level_made_to_measure_is_never_larger_than_the_picture() -> None:
    """Pixels that are not there are not made up."""
    levels = pyramid(blank((100, 200)))
    assert made_to_measure(levels, 3.0).factor == 1
