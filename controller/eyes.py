"""From the reader's records to the core's sighting: which domino lies in the middle, and which in front of a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from controller.game.sight import ChainLink, SeenTile, Sighting

Point = tuple[float, float]
Zone = str | int | None
"""A seat's number, None off the table, anything else the middle."""


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


def sighting_of(reading: ReadingLike, zone_of: Callable[[Point], Zone]) -> Sighting:
    """What the core is told of a reading: the middle with its chains, and the dominoes shown in each seat's zone."""
    zones = [zone_of(domino.centre) for domino in reading.dominoes]
    seen = [SeenTile(domino.a.probabilities, domino.b.probabilities) for domino in reading.dominoes]
    middle = [i for i, zone in enumerate(zones) if zone is not None and not isinstance(zone, int)]
    place = {index: i for i, index in enumerate(middle)}
    return Sighting(
        tiles=tuple(seen[i] for i in middle),
        chains=tuple(part for chain in reading.chains for part in _parts(chain, place)),
        shown=tuple(tuple(seen[i] for i, zone in enumerate(zones) if zone == seat) for seat in range(4)),
    )


def _parts(chain: Sequence[LinkRead], place: dict[int, int]) -> list[tuple[ChainLink, ...]]:
    """The stretches of a chain that lie in the middle, two dominoes or more each."""
    parts: list[list[ChainLink]] = [[]]
    for link in chain:
        if link.domino in place:
            parts[-1].append(ChainLink(place[link.domino], link.flipped))
        elif parts[-1]:
            parts.append([])
    return [tuple(part) for part in parts if len(part) > 1]
