"""The 28 dominoes, the four seats and the two pairs: the words everything else is said in; no rule is decided here."""

from __future__ import annotations

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
        return cls(Suit(min(a, b)), Suit(max(a, b)))

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


ALL_TILES: frozenset[Tile] = frozenset(Tile.of(a, b) for a in range(7) for b in range(a + 1))
