"""The fit and the pictures it learns from: few of them, and what the committed numbers can do."""

import math
from itertools import islice
from pathlib import Path

import numpy as np

from vision.fit import examined, fit, logistic, written
from vision.judge import COLUMNS, FITTED, SET_COLUMNS
from vision.practice import Practice, drawn, without_dominoes
from vision.weights import ALONE, IN_SET

CLOSE = (1, 6, 7, 9, 14, 15)
"""Numbers of pictures that show a few dominoes, large."""


def close_pictures(seed: int) -> list[Practice]:
    """A line, loose dominoes and lone ones."""
    return [drawn(number, seed) for number in CLOSE]


def test_logistic_weights_tell_two_heaps_apart() -> None:
    """A column that differs gets the weight, one that does not gets next to none."""
    rng = np.random.default_rng(1)
    hits = np.arange(400) % 2 == 0
    rows = np.column_stack((np.ones(400), np.where(hits, 2.0, -2.0) + rng.normal(0, 1, 400), rng.normal(0, 1, 400)))
    weights = logistic(rows.astype(np.float32), hits)
    assert weights[1] > 5 * abs(weights[2])
    assert (((rows @ weights) > 0) == hits).mean() > 0.95


def test_a_fit_on_a_few_pictures_reads_others() -> None:
    """Six close pictures and a few boards are enough to read six other close pictures tolerably."""
    weights = fit([*close_pictures(1), *islice(without_dominoes(1), 4)], rounds=1)
    assert all(math.isfinite(value) for row in (*weights.alone, *weights.in_set) for value in row)
    exam = examined(close_pictures(2), weights)
    total = exam.groups()[-1]
    assert total.right >= 0.6 * total.asked


def test_what_is_written_is_what_was_fitted(tmp_path: Path) -> None:
    """The text is a module whose two tables hold the same numbers, in the order of the columns."""
    names: dict[str, dict[str, tuple[float, float, float]]] = {}
    exec(compile(written(FITTED, "By hand."), str(tmp_path / "weights.py"), "exec"), {}, names)
    assert tuple(names["ALONE"].values()) == FITTED.alone
    assert tuple(names["IN_SET"].values()) == FITTED.in_set


def test_the_committed_weights_belong_to_the_columns() -> None:
    """Each column of evidence has its three weights, under its name and in its place."""
    assert tuple(ALONE) == COLUMNS
    assert tuple(IN_SET) == (*COLUMNS, *SET_COLUMNS)
    assert all(len(row) == 3 for row in (*ALONE.values(), *IN_SET.values()))


def test_the_committed_weights_read_drawn_tables() -> None:
    """Whole tables and close pictures drawn for this test alone are read."""
    total = examined([*(drawn(number, 77) for number in range(4)), *close_pictures(77)], FITTED).groups()[-1]
    assert total.right >= 0.9 * total.asked


def test_the_same_number_draws_the_same_picture() -> None:
    """A picture depends on its number and seed alone, or no score could be made again."""
    one, other = drawn(7, 3), drawn(7, 3)
    assert np.array_equal(one.bgr, other.bgr)
    assert one.truth == other.truth
    assert not np.array_equal(one.bgr, drawn(7, 4).bgr)
