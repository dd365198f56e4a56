"""The best assignment and the next best, against trying every one."""

from __future__ import annotations

import math
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.assign import best_assignment, doubts

TABLES = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)


def total(costs: list[list[int]], columns: tuple[int, ...]) -> int:
    """What an assignment costs."""
    return sum(row[column] for row, column in zip(costs, columns, strict=True))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(table=TABLES)
def test_no_assignment_is_better_than_the_best(table: tuple[list[list[int]], list[int]]) -> None:
    """Every column once, and no permutation costs less."""
    costs, _ = table
    columns = best_assignment(costs)
    assert sorted(columns) == list(range(len(costs)))
    assert total(costs, columns) == min(total(costs, way) for way in permutations(range(len(costs))))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(table=TABLES)
def test_doubt_is_what_the_next_best_costs_that_gives_the_column_to_another_group(
    table: tuple[list[list[int]], list[int]],
) -> None:
    """For every row, against all permutations."""
    costs, groups = table
    columns = best_assignment(costs)
    least = total(costs, columns)
    ways = list(permutations(range(len(costs))))
    for row, doubt in enumerate(doubts(costs, columns, groups)):
        other = [total(costs, w) for w in ways if groups[w.index(columns[row])] != groups[row]]
        assert math.isclose(doubt, min(other, default=math.inf) - least)


def test_nothing_is_assigned_at_once() -> None:
    """An empty table has an empty answer."""
    assert best_assignment([]) == ()
    assert doubts([], (), ()) == ()
