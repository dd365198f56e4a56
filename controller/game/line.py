"""The game line: the dominoes as they lie from left end to right end; whether they may is said, not enforced."""

from __future__ import annotations

from dataclasses import dataclass

from controller.game.tiles import ALL_TILES, End, Seat, Suit, Tile


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
    def tiles(self) -> frozenset[Tile]:
        """The dominoes that lie."""
        return frozenset(p.tile for p in self.placed)

    @property
    def unplayed(self) -> frozenset[Tile]:
        """The dominoes that do not lie: together exactly the four hands."""
        return ALL_TILES - self.tiles

    def open_suit(self, end: End) -> Suit | None:
        """The suit a domino must carry to join at `end`, None where anything may be laid."""
        if self.ends is None or end is End.FIRST:
            return None
        return self.ends[0] if end is End.L else self.ends[1]

    def is_fitting(self, tile: Tile) -> bool:
        """Whether `tile` could be added at one of the ends (C0.2)."""
        return self.ends is None or any(tile.carries(suit) for suit in self.ends)

    @property
    def is_locked(self) -> bool:
        """No unplayed domino fits (C0.7): known at the closing move itself, since the unplayed ones are the hands."""
        return bool(self.placed) and not any(self.is_fitting(tile) for tile in self.unplayed)

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
