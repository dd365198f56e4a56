"""A few drawn sets through the real reader and the core; `make sight` plays two hundred of each."""

from __future__ import annotations

import random

import pytest

from tests.rendered_sets import CLEAN, FOUND, played, script


@pytest.mark.parametrize("seed", range(3))
def test_wrong_domino_is_found_on_a_drawn_table(seed: int) -> None:
    """One that does not fit is told as it lies, and only that one."""
    assert played(seed, is_wrong=True).what == FOUND


@pytest.mark.parametrize("seed", range(3, 6))
def test_no_wrong_domino_is_found_where_none_lies(seed: int) -> None:
    """Every move is seen as it was made, and nobody is troubled."""
    assert played(seed, is_wrong=False).what == CLEAN


def test_scripts_are_what_they_say() -> None:
    """One move of a wrong set does not fit where it is laid, none of the others; every length of line comes up."""
    lengths = set()
    for seed in range(60):
        told = script(random.Random(seed), is_wrong=seed % 2 == 0)
        ends: tuple[int, int] | None = None
        for place, (inner, outer, end) in enumerate(told.moves):
            if ends is None:
                ends = (inner, outer)
                continue
            fits = inner == ends[end.value == "R"]
            assert fits != (told.is_wrong and place == told.looked_at)
            ends = (ends[0], outer) if end.value == "R" else (outer, ends[1])
        assert len(told.moves) == told.looked_at + 2
        lengths.add(told.looked_at)
    assert min(lengths) == 1
    assert max(lengths) > 15
