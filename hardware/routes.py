"""How wires run from a socket to the places beside it without lying on each other; no part is known here."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Wire:
    """Straight out of the socket at height `begin`, along a track of its own, and on at height `end`."""

    begin: float
    end: float
    net: int
    """Wires of one net belong together and may touch."""


def tracks(wires: Sequence[Wire]) -> tuple[int, ...]:
    """The track of each wire, 0 next to the socket, so that few of them cross.

    Begins with what is right where all wires turn the same way (of those going up the highest turns first, of those
    going down the lowest) and then changes places as long as that takes a crossing away. The same wires always give
    the same tracks.
    """
    up = sorted((at for at, wire in enumerate(wires) if wire.end < wire.begin), key=lambda at: wires[at].begin)
    down = sorted((at for at, wire in enumerate(wires) if wire.end >= wire.begin), key=lambda at: -wires[at].begin)
    order = min((up + down, down + up), key=lambda order: _crossings(wires, order))
    best = _crossings(wires, order)
    improved = True
    while improved:
        improved = False
        for i, j in combinations(range(len(order)), 2):
            for other in (_swapped(order, i, j), _moved(order, i, j), _moved(order, j, i)):
                crossings = _crossings(wires, other)
                if crossings < best:
                    order, best, improved = other, crossings, True
    found = [0] * len(wires)
    for track, at in enumerate(order):
        found[at] = track
    return tuple(found)


def _swapped(order: list[int], i: int, j: int) -> list[int]:
    other = list(order)
    other[i], other[j] = other[j], other[i]
    return other


def _moved(order: list[int], i: int, j: int) -> list[int]:
    other = list(order)
    other.insert(j, other.pop(i))
    return other


def _crossings(wires: Sequence[Wire], order: Sequence[int]) -> int:
    """How often wires cross when they take the tracks in this order."""
    count = 0
    for near, far in combinations((wires[at] for at in order), 2):
        if near.net != far.net:
            count += _is_between(near.end, far) + _is_between(far.begin, near)
    return count


def _is_between(height: float, wire: Wire) -> bool:
    return min(wire.begin, wire.end) < height < max(wire.begin, wire.end)
