"""Who sits where, who leads, who mixes and which hand may be dealt again: what is settled before a set, never in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from controller.game.rulesets import FirstMixer, MinorOrder
from controller.game.tiles import SUITS, Seat, Tile

REDEAL_DOUBLES = 5
"""So many doubles in one hand, or more, and the dominoes may be dealt again (C2.2)."""
REDEAL_OF_SUIT = 6
"""So many dominoes of one suit in one hand, or more, and they may be dealt again (C2.2)."""

Players = tuple[str, str]
"""The names of two partners, the pair's first player first where lots decide (R0)."""
Halves = tuple[int, int]
"""A domino as it was read or typed, not yet known to exist."""
Drawn = tuple[Halves, Halves, Halves, Halves]
"""One domino for each of the four players."""
Fault = Literal["no_such_tile", "tile_drawn_twice", "equal_lots"]


class DrawError(Exception):
    """A draw that cannot have happened, on its way to becoming a refusal; it never leaves the core."""

    def __init__(self, reason: Fault, text: str) -> None:
        super().__init__(reason, text)
        self.reason: Fault = reason
        self.text = text
        """One sentence for the referee."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Where the four sit and who leads the first set."""

    names: tuple[str, str, str, str]
    """By seat, clockwise; the pair of seat 0 is pair A, whichever was named first."""
    lead: Seat


@dataclass(frozen=True, slots=True)
class Mixing:
    """Who mixes and in which order the hands are taken (C2.1): a reminder, nobody can see it done."""

    first: Seat
    second: Seat
    """Always the leader."""
    takes: tuple[Seat, ...]
    """All four, the leader last."""


def minor_key(tile: Tile, order: MinorOrder) -> tuple[int, int]:
    """What dominoes are ordered by, the minor first; two different dominoes never have the same key (C3.2)."""
    match order:
        case MinorOrder.SPOTS_THEN_LOW_SUIT:
            return (tile.spots, tile.low)
        case MinorOrder.SPOTS_THEN_HIGH_SUIT:
            return (tile.spots, tile.high)
        case MinorOrder.LOW_SUIT_THEN_SPOTS:
            return (tile.low, tile.spots)


def seats_by_tiles(pairs: tuple[Players, Players], drawn: Drawn, order: MinorOrder) -> Seating:
    """The seats by drawn dominoes: the minor one leads from seat 0, the rival with the lesser on his left (C3).

    Args:
        pairs: the two pairs as entered; which comes first means nothing.
        drawn: the dominoes of pairs[0][0], pairs[0][1], pairs[1][0], pairs[1][1].
        order: which of two dominoes is the minor.

    Raises:
        DrawError: a domino that does not exist, or one that was drawn twice.
    """
    keys = _keys(drawn, order)
    names = (*pairs[0], *pairs[1])
    first = keys.index(min(keys))
    partner = first ^ 1  # places 0 and 1 are one pair, 2 and 3 the other
    left, other = sorted({0, 1, 2, 3} - {first, partner}, key=keys.__getitem__)
    return Seating((names[first], names[left], names[partner], names[other]), Seat.S0)


def seats_by_lots(pairs: tuple[Players, Players], lots: tuple[int, int]) -> Seating:
    """The seats by the pairs' lots: the lower lot's first player leads from seat 0, the rivals' first on his left (R0).

    Raises:
        DrawError: both pairs have the same lot.
    """
    if lots[0] == lots[1]:
        raise DrawError("equal_lots", f"expected two different lots, got {lots[0]} for both pairs: read them again")
    (first, partner), (left, other) = pairs if lots[0] < lots[1] else (pairs[1], pairs[0])
    return Seating((first, left, partner, other), Seat.S0)


def lead_by_tiles(drawn: Drawn, order: MinorOrder) -> Seat:
    """Who leads an extra set: the seat with the minor of the four dominoes, given by seat; nobody moves (C5.7).

    Raises:
        DrawError: a domino that does not exist, or one that was drawn twice.
    """
    keys = _keys(drawn, order)
    return Seat(keys.index(min(keys)))


def mixing(lead: Seat, first_mixer: FirstMixer) -> Mixing:
    """Who mixes before a set led by `lead`, the leader himself second, and the order of taking (C2.1)."""
    left, opposite, right = lead.next, lead.next.next, lead.next.next.next
    first = opposite if first_mixer is FirstMixer.OPPOSITE else left
    return Mixing(first, lead, (left, opposite, right, lead))


def is_redealable(hand: Sequence[Tile]) -> bool:
    """Whether these dominoes hold five doubles or six of one suit, or more; a double counts once for its suit (C2.2).

    Not checked: that there are seven, that they differ, that nobody has moved.
    """
    doubles = sum(tile.is_double for tile in hand)
    of_suit = max(sum(tile.carries(suit) for tile in hand) for suit in SUITS)
    return doubles >= REDEAL_DOUBLES or of_suit >= REDEAL_OF_SUIT


def _keys(drawn: Drawn, order: MinorOrder) -> list[tuple[int, int]]:
    """The keys of four drawn dominoes that exist and differ."""
    tiles: list[Tile] = []
    for a, b in drawn:
        try:
            tile = Tile.of(a, b)
        except ValueError:
            text = f"expected dominoes of the 28, got {a}-{b}: there is no such domino, read it again"
            raise DrawError("no_such_tile", text) from None
        tiles.append(tile)
    for place, tile in enumerate(tiles):
        if tile in tiles[:place]:
            text = f"expected four different dominoes, got {tile} twice: read them again, or draw again"
            raise DrawError("tile_drawn_twice", text)
    return [minor_key(tile, order) for tile in tiles]
