"""What the core is told of a table at rest: seen dominoes with their probabilities, chains, places; nothing is judged.

Only which seen domino is which known one is said here: everything that is made of a sighting begins with that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from controller.game.tiles import SUITS, MonoNs, Seat, Suit, Tile

SAME = 0.02
"""A known domino is recognised in a seen one that it explains at least this well."""
HIDDEN: tuple[float, ...] = (1 / 7,) * 7

Half = tuple[float, ...]
"""Seven probabilities, suit 0 to 6."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a domino lies, as points of the complex plane: nothing else here turns and shifts so simply."""

    middle: complex
    """x and y, in sides of a half."""
    way: complex
    """From a to b, of length one."""

    def apart(self, other: Spot) -> float:
        """The gap to another domino, in sides of a half; negative where one lies on the other (separating axes)."""
        axes = [way * turn for way in (self.way, other.way) for turn in (1, 1j)]
        between = other.middle - self.middle
        return max(abs((between * axis.conjugate()).real) - self._reach(axis) - other._reach(axis) for axis in axes)

    def _reach(self, axis: complex) -> float:
        """How far the domino reaches from its middle along an axis of length one."""
        along = self.way * axis.conjugate()
        return abs(along.real) + abs(along.imag) / 2


@dataclass(frozen=True, slots=True)
class SeenTile:
    """A domino as the reader saw it: the probabilities of its halves, None for a half that can't be seen."""

    a: Half | None
    b: Half | None
    spot: Spot | None = field(default=None, compare=False)
    """None where only what it shows is known."""
    seat: Seat | None = None
    """In whose zone it lies; None: in the middle."""

    def likelihood(self, a: Suit, b: Suit) -> float:
        """How well the domino lying with `a` and `b` explains what was seen."""
        return (self.a or HIDDEN)[a] * (self.b or HIDDEN)[b]

    def either_way(self, tile: Tile) -> float:
        """How well `tile` explains what was seen, whichever way round it lies."""
        a, b = self.a or HIDDEN, self.b or HIDDEN
        return max(a[tile.low] * b[tile.high], a[tile.high] * b[tile.low])

    def flipped(self) -> SeenTile:
        """The same domino looked at from the other side."""
        spot = self.spot and Spot(self.spot.middle, -self.spot.way)
        return SeenTile(self.b, self.a, spot, self.seat)

    @property
    def raw(self) -> tuple[int, int]:
        """What the reader alone takes the halves for, -1 for one that can't be seen."""
        return (_argmax(self.a), _argmax(self.b))


UNSEEN = SeenTile(None, None)


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A place in a chain: which seen domino, and whether its `b` comes first along the chain."""

    tile: int
    is_flipped: bool


@dataclass(frozen=True, slots=True)
class Sighting:
    """A table at rest: the dominoes in the middle, the chains they form, and what is shown in front of each seat."""

    tiles: tuple[SeenTile, ...] = ()
    """In the middle, and in the zones what hangs on that: the line may have grown there."""
    chains: tuple[tuple[ChainLink, ...], ...] = ()
    shown: tuple[tuple[SeenTile, ...], ...] = ((), (), (), ())
    """What else lies in the zones."""
    bare: tuple[SeenTile, ...] | None = None
    """Dominoes that lay on the table before, and where they lay nothing lies now; None: nobody has looked for that."""

    @property
    def ways(self) -> tuple[tuple[tuple[int, SeenTile], ...], ...]:
        """Every chain, from either end: each domino's number, and the domino with the half first that is met first."""
        told = []
        for chain in self.chains:
            seen = [(link.tile, self.tiles[link.tile], link.is_flipped) for link in chain]
            told.append(tuple((n, tile.flipped() if is_flipped else tile) for n, tile, is_flipped in seen))
            told.append(tuple((n, tile if is_flipped else tile.flipped()) for n, tile, is_flipped in reversed(seen)))
        return tuple(told)

    def hands(self, line: Iterable[Tile]) -> tuple[tuple[SeenTile, ...], ...]:
        """What each seat shows: all that lies in its zone but the dominoes of the `line`."""
        known = recognise(tuple(sorted(line)), self.tiles)
        touching = [tile for number, tile in enumerate(self.tiles) if number not in known]
        return tuple(
            (*self.shown[seat], *(tile for tile in touching if tile.seat is not None and tile.seat == seat))
            for seat in Seat
        )


@dataclass(frozen=True, slots=True)
class Arm:
    """From whose side an arm came over the table, and how sure that is, in [0, 1]."""

    seat: Seat
    confidence: float


@dataclass(frozen=True, slots=True)
class Stills:
    """When the table had come to rest before something happened, and after it: the two pictures to look at."""

    before_at: MonoNs | None
    """None: nothing was seen of it before."""
    after_at: MonoNs


Vouched = tuple[str, Tile | None]
"""A disagreement's code and domino, on the referee's word that the table is right all the same."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Table and knowledge do not go together."""

    code: str
    tile: Tile | None
    """The domino to look at."""
    text: str
    seat: Seat | None = None
    """In whose hand it is; None: in nobody's."""

    @property
    def subject(self) -> Vouched:
        """What it is about."""
        return (self.code, self.tile)


def recognise(known: tuple[Tile, ...], seen_tiles: tuple[SeenTile, ...]) -> dict[int, Tile]:
    """Which seen domino is which known one: best explanations first, each used once."""
    among = frozenset(known)
    scored = sorted(
        (-score, i, tile)
        for i, seen in enumerate(seen_tiles)
        for tile in among.intersection(_perhaps(seen))
        if (score := seen.either_way(tile)) >= SAME
    )
    matched: dict[int, Tile] = {}
    taken: set[Tile] = set()
    for _, i, tile in scored:
        if i not in matched and tile not in taken:
            matched[i] = tile
            taken.add(tile)
    return matched


def _perhaps(seen: SeenTile) -> Iterator[Tile]:
    """The few dominoes that may explain it well enough: of either half each suit must, and most halves are one."""
    one, other = ([suit for suit in SUITS if half[suit] >= SAME] for half in (seen.a or HIDDEN, seen.b or HIDDEN))
    return (Tile.of(a, b) for a in one for b in other)


def _argmax(half: Half | None) -> int:
    return -1 if half is None else max(SUITS, key=lambda suit: half[suit])
