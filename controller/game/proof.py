"""Proving a wrong pass from what everybody could see: moves, passes and shown hands; never from a likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.game.state import Move, Skip, State
from controller.game.tiles import Seat, Tile


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A pass that cannot have been right (C6.1)."""

    seat: Seat
    ply: int
    """The wrong pass."""
    tile: Tile
    """The fitting domino that was in hand."""
    seen_in: int | None
    """The later move that showed it; None when it was shown at the count."""


def wrong_passes(state: State) -> Iterator[Contradiction]:
    """Every pass contradicted by a later move of the same seat or by its shown hand, in the order of the passes.

    Nothing is ever drawn, so a domino laid or shown later was in hand at the pass (CLAUSES section 4).
    """
    for index, ply in enumerate(state.plies):
        if isinstance(ply, Skip):
            later = ((i, p) for i, p in enumerate(state.plies) if i > index)
            laid = ((i, p.tile) for i, p in later if isinstance(p, Move) and p.seat is ply.seat)
            shown = ((None, tile) for tile in (state.hands[ply.seat] if state.hands else ()))
            for seen_in, tile in (*laid, *shown):
                if any(tile.carries(suit) for suit in ply.ends):
                    yield Contradiction(ply.seat, index, tile, seen_in)
                    break
