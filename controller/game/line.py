"""The game line from left end to right end, and the law of what fits it; whether it is kept is said, not enforced.

The law stands once, in the functions on masks at the top: the line asks them about what lies on the table, and random
sets are played by them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller.game.tiles import (
    ALL_MASK,
    CARRYING,
    DOUBLE_BLANK,
    SUITS,
    End,
    Mask,
    Pair,
    Seat,
    Suit,
    Tile,
    bit_of,
    mask_of,
    spots_of,
    tiles_of,
)

_FITTING = tuple(tuple(CARRYING[left] | CARRYING[right] for right in SUITS) for left in SUITS)


def fitting_mask(left: Suit, right: Suit) -> Mask:
    """Of the 28 dominoes those that could be added to a line with these open suits (C0.2); who has none passes."""
    return _FITTING[left][right]


def is_locked_mask(unplayed: Mask, left: Suit, right: Suit) -> bool:
    """Whether none of the `unplayed` dominoes fits these open suits (C0.7).

    Not asked once somebody has gone out: a deadlock needs players who all have dominoes.
    """
    return not unplayed & _FITTING[left][right]


def pair_spots(hands: Sequence[Mask], *, lone_blank: int) -> tuple[int, int]:
    """Spots left with pair A and with pair B, from the four hands of a closed set (C5.4, R8).

    A double blank that is the only domino of its hand counts `lone_blank`: 0 in the English text, 10 in the Russian.
    """
    spots_a, spots_b = spots_of(hands[0] | hands[2]), spots_of(hands[1] | hands[3])
    if DOUBLE_BLANK in hands:
        return (spots_a + lone_blank, spots_b) if DOUBLE_BLANK in hands[::2] else (spots_a, spots_b + lone_blank)
    return (spots_a, spots_b)


def set_winner(out: Seat | None, spots: tuple[int, int]) -> Pair | None:
    """Whose set it is by the dominoes: of who went `out`, or in a deadlock of fewer spots, None for equal (C5.2-4)."""
    if out is not None:
        return out.pair
    if spots[0] == spots[1]:
        return None
    return Pair.A if spots[0] < spots[1] else Pair.B


def set_credit(out: Seat | None, spots: tuple[int, int]) -> tuple[int, int]:
    """What the winners of a set are credited, [A, B]: the losers' spots, in a deadlock the difference (R8)."""
    if out is not None:
        return (spots[1], 0) if out.pair is Pair.A else (0, spots[0])
    return (max(0, spots[1] - spots[0]), max(0, spots[0] - spots[1]))


@dataclass(frozen=True, slots=True)
class Placed:
    """A domino in the line, `left` being the half towards the line's left end."""

    left: Suit
    right: Suit
    seat: Seat
    """Whose move it was."""

    @property
    def tile(self) -> Tile:
        """The domino, whichever way round."""
        return Tile.of(self.left, self.right)


@dataclass(frozen=True, slots=True)
class Line:
    """The chain of dominoes with its two open ends; a wrong domino stands in it until the referee acts."""

    placed: tuple[Placed, ...] = ()

    @property
    def ends(self) -> tuple[Suit, Suit] | None:
        """The open suits (left, right), None while nothing lies."""
        return (self.placed[0].left, self.placed[-1].right) if self.placed else None

    @property
    def mask(self) -> Mask:
        """The dominoes that lie."""
        return mask_of(p.tile for p in self.placed)

    @property
    def unplayed_mask(self) -> Mask:
        """The dominoes that do not lie: together exactly the four hands."""
        return ALL_MASK ^ self.mask

    @property
    def tiles(self) -> frozenset[Tile]:
        """The dominoes that lie."""
        return frozenset(p.tile for p in self.placed)

    @property
    def unplayed(self) -> frozenset[Tile]:
        """The dominoes that do not lie: together exactly the four hands."""
        return frozenset(tiles_of(self.unplayed_mask))

    def open_suit(self, end: End) -> Suit | None:
        """The suit a domino must carry to join at `end`, None where anything may be laid."""
        if self.ends is None or end is End.FIRST:
            return None
        return self.ends[0] if end is End.L else self.ends[1]

    def is_fitting(self, tile: Tile) -> bool:
        """Whether `tile` could be added at one of the ends (C0.2)."""
        return self.ends is None or bool(bit_of(tile) & fitting_mask(*self.ends))

    @property
    def is_locked(self) -> bool:
        """No unplayed domino fits (C0.7): known at the closing move itself, since the unplayed ones are the hands."""
        return self.ends is not None and is_locked_mask(self.unplayed_mask, *self.ends)

    def with_tile(self, inner: Suit, outer: Suit, end: End, seat: Seat) -> Line:
        """The line after a domino was laid at `end` with its `inner` half to the joint; a mismatch is laid as it lies.

        For `End.FIRST` inner is the left half and outer the right one.
        """
        if end is End.L:
            return Line((Placed(outer, inner, seat), *self.placed))
        return Line((*self.placed, Placed(inner, outer, seat)))

    def without(self, tile: Tile) -> Line:
        """The line after `tile` was taken away from one of its ends; ValueError when it is not at an end."""
        if self.placed and self.placed[-1].tile == tile:
            return Line(self.placed[:-1])
        if self.placed and self.placed[0].tile == tile:
            return Line(self.placed[1:])
        raise ValueError(f"expected a domino at an end of the line, got {tile}: take the later ones away first")
