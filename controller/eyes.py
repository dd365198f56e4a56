"""From the reader's records to the core's sighting: which domino lies with the line, and which in front of a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, Protocol

from controller.game.seen import ChainLink, SeenTile, Sighting, Spot
from controller.game.tiles import Seat

Point = tuple[float, float]
Zone = str | int | None
"""A seat's number, None off the table, anything else the middle."""
Axis = tuple[complex, complex]
TOUCHING: Final = 0.35
"""Sides of a half, at most, between a domino in a zone and the line that goes on there; hands lie farther off."""


class HalfRead(Protocol):
    """A half as a reader gives it."""

    @property
    def probabilities(self) -> tuple[float, ...] | None:
        """Seven, or None where it can't be seen."""


class DominoRead(Protocol):
    """A domino as a reader gives it."""

    @property
    def a(self) -> HalfRead:
        """The first half."""

    @property
    def b(self) -> HalfRead:
        """The second half."""

    @property
    def centre(self) -> Point:
        """Its middle in the picture."""

    @property
    def corners(self) -> Sequence[Point]:
        """Four, going round; 0 and 1 are at a's end."""


class LinkRead(Protocol):
    """A place in a chain as a reader gives it."""

    @property
    def domino(self) -> int:
        """Index of the domino."""

    @property
    def flipped(self) -> bool:
        """Whether b comes first."""


class ReadingLike(Protocol):
    """A reading, whoever read it."""

    @property
    def dominoes(self) -> Sequence[DominoRead]:
        """Everything found."""

    @property
    def chains(self) -> Sequence[Sequence[LinkRead]]:
        """Dominoes that hang together."""

    @property
    def bare(self) -> Sequence[DominoRead] | None:
        """Dominoes of earlier readings whose places are bare now; None where nobody has looked for that."""


def sighting_of(reading: ReadingLike, zones_of: Callable[[Sequence[Point]], Sequence[Zone]]) -> Sighting:
    """What the core is told of a reading: the middle with what hangs on it, and what else lies in each seat's zone."""
    axes = [_axis(domino) for domino in reading.dominoes]
    side_px = _side_px(axes)
    zones = zones_of([domino.centre for domino in reading.dominoes])
    seen = [_seen(*domino, side_px) for domino in zip(reading.dominoes, axes, zones, strict=True)]
    lying = _with_the_line(reading, zones, seen)
    place = {index: i for i, index in enumerate(lying)}
    shown = [tile for i, tile in enumerate(seen) if i not in place]
    bare = reading.bare
    left = zip(bare, zones_of([domino.centre for domino in bare]), strict=True) if bare else ()
    return Sighting(
        tiles=tuple(seen[i] for i in lying),
        chains=tuple(part for chain in reading.chains for part in _parts(chain, place)),
        shown=tuple(tuple(tile for tile in shown if tile.seat is not None and tile.seat == seat) for seat in range(4)),
        bare=None if bare is None else tuple(_seen(d, _axis(d), z, side_px) for d, z in left if z is not None),
    )


def _with_the_line(reading: ReadingLike, zones: Sequence[Zone], seen: Sequence[SeenTile]) -> list[int]:
    """The numbers of the dominoes in the middle, and of those in a zone that go on from one of them, each touching."""
    lying = {i for i, zone in enumerate(zones) if zone is not None and not isinstance(zone, int)}
    for chain in reading.chains:
        for way in (chain, tuple(reversed(chain))):
            for link, further in pairwise(way):
                one, other = seen[link.domino].spot, seen[further.domino].spot
                if link.domino in lying and isinstance(zones[further.domino], int) and one and other:
                    lying |= {further.domino} if one.apart(other) < TOUCHING else set()
    return sorted(lying)


def _seen(domino: DominoRead, axis: Axis, zone: Zone, side_px: float) -> SeenTile:
    middle, way = axis
    length = abs(way)
    spot = Spot(middle / side_px, way / length) if length and side_px else None
    seat = Seat(zone) if isinstance(zone, int) else None
    return SeenTile(domino.a.probabilities, domino.b.probabilities, spot, seat)


def _axis(domino: DominoRead) -> Axis:
    """A domino's middle, and the step from a's end to b's, as points of the complex plane."""
    one, two, three, four = (complex(x, y) for x, y in domino.corners)
    return (one + two + three + four) / 4, (three + four - one - two) / 2


def _side_px(axes: Sequence[Axis]) -> float:
    """The side of a half as most of them show it: places are told in it, so that no scale has to be known."""
    lengths = sorted(abs(way) for _, way in axes)
    return lengths[len(lengths) // 2] / 2 if lengths else 0.0


def _parts(chain: Sequence[LinkRead], place: dict[int, int]) -> list[tuple[ChainLink, ...]]:
    """The stretches of a chain that lie with the line, two dominoes or more each."""
    parts: list[list[ChainLink]] = [[]]
    for link in chain:
        if link.domino in place:
            parts[-1].append(ChainLink(place[link.domino], link.flipped))
        elif parts[-1]:
            parts.append([])
    return [tuple(part) for part in parts if len(part) > 1]
