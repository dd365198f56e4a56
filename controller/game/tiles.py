"""The 28 dominoes, the four seats and the two pairs: the words everything else is said in; no rule is decided here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NewType

Suit = NewType("Suit", int)
"""One of the seven numbers 0..6 of a domino's half."""

MonoNs = NewType("MonoNs", int)
"""Nanoseconds of the machine's monotonic clock, stamped at the edge; the only time that decides anything."""

SUITS: tuple[Suit, ...] = tuple(Suit(n) for n in range(7))
HAND_SIZE = 7
"""Dominoes a player takes: 28 in all, none left over (C0.1)."""


class Seat(IntEnum):
    """A chair at the table, clockwise seen from above (C0.1)."""

    S0 = 0
    S1 = 1
    S2 = 2
    S3 = 3

    @property
    def next(self) -> Seat:
        """The seat that moves after this one."""
        return Seat((self + 1) % 4)

    @property
    def pair(self) -> Pair:
        """Partners sit opposite each other."""
        return Pair.A if self % 2 == 0 else Pair.B


class Pair(Enum):
    """Two partners: A = seats 0 and 2, B = seats 1 and 3."""

    A = "A"
    B = "B"

    @property
    def rivals(self) -> Pair:
        """The other pair."""
        return Pair.B if self is Pair.A else Pair.A

    @property
    def index(self) -> int:
        """Place of this pair in every [A, B] record."""
        return 0 if self is Pair.A else 1


class End(Enum):
    """Where a domino joins the game line; the first domino of a set joins nothing."""

    FIRST = "first"
    L = "L"
    R = "R"


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A domino, whichever way round it lies: `low` <= `high`. Make one with `Tile.of`."""

    low: Suit
    high: Suit

    @classmethod
    def of(cls, a: int, b: int) -> Tile:
        """The domino with halves `a` and `b`; ValueError when there is no such domino among the 28 (C1.1)."""
        if not (0 <= a <= 6 and 0 <= b <= 6):
            raise ValueError(f"expected a domino with halves 0 to 6, got {a}-{b}")
        return _TILE_AT[a][b]

    @property
    def spots(self) -> int:
        """Sum of both halves."""
        return self.low + self.high

    @property
    def is_double(self) -> bool:
        """Both halves carry the same suit (C0.8)."""
        return self.low == self.high

    def carries(self, suit: Suit) -> bool:
        """Whether one of the halves is `suit`."""
        return suit in (self.low, self.high)

    def __str__(self) -> str:
        return f"{self.high}-{self.low}"


TILES: tuple[Tile, ...] = tuple(Tile(low, high) for low in SUITS for high in SUITS[low:])
"""The 28 dominoes in their order, 0-0 first and 6-6 last; a domino's place here is its bit in a mask."""

_TILE_AT = tuple(tuple(next(t for t in TILES if {t.low, t.high} == {a, b}) for b in SUITS) for a in SUITS)
"""The one instance of each domino, by its two halves in either order."""

ALL_TILES: frozenset[Tile] = frozenset(TILES)

# --- sets of dominoes as masks ---

Mask = int
"""A set of dominoes as an int, bit n standing for `TILES[n]`; no NewType, since `&` and `|` give plain ints back."""

ALL_MASK: Mask = (1 << len(TILES)) - 1
DOUBLE_BLANK: Mask = 1
"""0-0 alone."""

_BIT_AT = tuple(tuple(1 << TILES.index(_TILE_AT[a][b]) for b in SUITS) for a in SUITS)
CARRYING: tuple[Mask, ...] = tuple(sum(bits) for bits in _BIT_AT)
"""For each suit the seven dominoes that carry it."""

_SPOTS_DIGITS = tuple(sum(1 << n for n, tile in enumerate(TILES) if tile.spots & digit) for digit in (1, 2, 4, 8))
"""The dominoes whose spots, written in binary, have a one at 1, 2, 4 and 8: four bit counts add up any hand."""


def bit_of(tile: Tile) -> Mask:
    """The mask with `tile` alone."""
    return _BIT_AT[tile.low][tile.high]


def mask_of(tiles: Iterable[Tile]) -> Mask:
    """The mask of `tiles`; one that comes twice counts once."""
    mask = 0
    for tile in tiles:
        mask |= _BIT_AT[tile.low][tile.high]
    return mask


def tiles_of(mask: Mask) -> tuple[Tile, ...]:
    """The dominoes of `mask` in their order; ValueError when there is a bit beyond the 28."""
    if not 0 <= mask <= ALL_MASK:
        raise ValueError(f"expected a mask of 28 bits, got {mask:#x}: make it with mask_of")
    return tuple(tile for n, tile in enumerate(TILES) if mask >> n & 1)


def spots_of(mask: Mask) -> int:
    """Sum of the spots of all dominoes in `mask`, 168 for all 28."""
    ones, twos, fours, eights = _SPOTS_DIGITS
    return (
        (mask & ones).bit_count()
        + 2 * (mask & twos).bit_count()
        + 4 * (mask & fours).bit_count()
        + 8 * (mask & eights).bit_count()
    )
