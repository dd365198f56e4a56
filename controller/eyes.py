"""From the reader's records to the core's sighting: which domino lies in the middle, and which in front of a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from controller.game.seen import ChainLink, SeenTile, Sighting, Spot

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


def sighting_of(reading: ReadingLike, zone_of: Callable[[Point], Zone]) -> Sighting:
    """What the core is told of a reading: the middle with its chains, and the dominoes shown in each seat's zone."""
    side_px = _side_px(reading.dominoes)
    zones = [zone_of(domino.centre) for domino in reading.dominoes]
    seen = [_seen(domino, side_px) for domino in reading.dominoes]
    middle = [i for i, zone in enumerate(zones) if _is_middle(zone)]
    place = {index: i for i, index in enumerate(middle)}
    bare = reading.bare
    return Sighting(
        tiles=tuple(seen[i] for i in middle),
        chains=tuple(part for chain in reading.chains for part in _parts(chain, place)),
        shown=tuple(tuple(seen[i] for i, zone in enumerate(zones) if zone == seat) for seat in range(4)),
        bare=None if bare is None else tuple(_seen(d, side_px) for d in bare if _is_middle(zone_of(d.centre))),
    )


def _is_middle(zone: Zone) -> bool:
    return zone is not None and not isinstance(zone, int)


def _seen(domino: DominoRead, side_px: float) -> SeenTile:
    a, b = (_middle(domino.corners[:2]), _middle(domino.corners[2:]))
    length = abs(b - a)
    spot = Spot(_middle(domino.corners) / side_px, (b - a) / length) if length and side_px else None
    return SeenTile(domino.a.probabilities, domino.b.probabilities, spot)


def _middle(points: Sequence[Point]) -> complex:
    return sum(complex(*point) for point in points) / len(points)


def _side_px(dominoes: Sequence[DominoRead]) -> float:
    """The side of a half as most of them show it: places are told in it, so that no scale has to be known."""
    lengths = sorted(abs(_middle(domino.corners[2:]) - _middle(domino.corners[:2])) for domino in dominoes)
    return lengths[len(lengths) // 2] / 2 if lengths else 0.0


def _parts(chain: Sequence[LinkRead], place: dict[int, int]) -> list[tuple[ChainLink, ...]]:
    """The stretches of a chain that lie in the middle, two dominoes or more each."""
    parts: list[list[ChainLink]] = [[]]
    for link in chain:
        if link.domino in place:
            parts[-1].append(ChainLink(place[link.domino], link.flipped))
        elif parts[-1]:
            parts.append([])
    return [tuple(part) for part in parts if len(part) > 1]
