"""The one best way to give every row a column of its own, and how much worse the next way is; only numbers are here.

The core takes no library, and this is the whole of what it would take one for.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

Costs = Sequence[Sequence[float]]
"""A square table: what it costs when a row takes a column; finite numbers."""


def best_assignment(costs: Costs) -> tuple[int, ...]:
    """The column of each row such that every column is taken once and the costs come to the least.

    Row by row, each time along the cheapest chain of rows that make room (the Hungarian method with prices).
    """
    size = len(costs)
    taken_by: list[int | None] = [None] * size
    row_price, column_price = [0.0] * size, [0.0] * size
    for row in range(size):
        _make_room(costs, row, taken_by, row_price, column_price)
    columns = [0] * size
    for column, taker in enumerate(taken_by):
        assert taker is not None, "every row has been given a column"
        columns[taker] = column
    return tuple(columns)


def _make_room(
    costs: Costs, row: int, taken_by: list[int | None], row_price: list[float], column_price: list[float]
) -> None:
    """Give one more row a column, in place; rows that have one may be moved to another."""
    size = len(costs)
    reached: list[int] = []
    ahead = set(range(size))
    gap, via = [math.inf] * size, [-1] * size  # what each column ahead still costs, and the column before it
    asking, last = row, -1
    while True:
        for column in ahead:
            rest = costs[asking][column] - row_price[asking] - column_price[column]
            if rest < gap[column]:
                gap[column], via[column] = rest, last
        last = min(ahead, key=lambda column: (gap[column], column))
        step = gap[last]
        row_price[row] += step
        for column in reached:
            taker = taken_by[column]
            assert taker is not None, "a reached column is a taken one"
            row_price[taker] += step
            column_price[column] -= step
        for column in ahead:
            gap[column] -= step
        ahead.remove(last)
        reached.append(last)
        next_row = taken_by[last]
        if next_row is None:
            break
        asking = next_row
    while last >= 0:
        taken_by[last] = row if via[last] < 0 else taken_by[via[last]]
        last = via[last]


def doubts(costs: Costs, columns: Sequence[int], groups: Sequence[Hashable]) -> tuple[float, ...]:
    """For each row how much more the best of all assignments costs in which its column goes to another group.

    `columns` is the best assignment; infinite where there is no other group. Any other assignment is the best one with
    columns handed round in circles, so the cheapest circle through the row is what is looked for.
    """
    size = len(columns)
    instead = [[costs[a][columns[b]] - costs[a][columns[a]] for b in range(size)] for a in range(size)]
    chain = [row[:] for row in instead]
    for middle in range(size):
        onwards = chain[middle]
        for start in chain:
            until = start[middle]
            for end, rest in enumerate(onwards):
                if until + rest < start[end]:
                    start[end] = until + rest
    return tuple(
        min((instead[b][a] + chain[a][b] for b in range(size) if groups[b] != groups[a]), default=math.inf)
        for a in range(size)
    )
