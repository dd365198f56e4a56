"""Four simulated players: their hands, what they may lay and what they choose; no table or message is known here.

A choice follows from the hand, the line and the player's taste alone, so a set can be played out in the head: that is
how a false pass is chosen that a later move is certain to prove.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from controller.game.line import Line
from controller.game.tiles import ALL_TILES, HAND_SIZE, End, Seat, Suit, Tile

MANY_DOUBLES = 5  # with so many in one hand the dominoes are dealt again (C2.2)
MANY_OF_A_SUIT = 6  # likewise (C2.2)
THINK_S = (1.5, 6.0)
THINK_HURRIED_S = (0.3, 0.8)
OVERRUN_S = (16.0, 18.5)  # past the 15 s of C5.5


@dataclass(frozen=True, slots=True)
class Move:
    """One domino at one end, `inner` towards the joint; for the first move `inner` is the left half."""

    inner: Suit
    outer: Suit
    end: End

    @property
    def tile(self) -> Tile:
        """The domino, whichever way round."""
        return Tile.of(self.inner, self.outer)


@dataclass(frozen=True, slots=True)
class Player:
    """A seat with the dominoes still in the hand."""

    seat: Seat
    hand: frozenset[Tile]
    taste: tuple[Tile, ...]
    """All dominoes, the dearest first: he lays the dearest one that fits."""
    owed: frozenset[Tile] = frozenset()
    """What fitted when he passed falsely: he lays these before all others, and so betrays himself."""

    def moves(self, line: Line) -> tuple[Move, ...]:
        """Every move that the rules allow him, the one he likes best first."""
        order = {tile: place for place, tile in enumerate(self.taste)}
        tiles = sorted(self.hand, key=lambda tile: (tile not in self.owed, order[tile]))
        return tuple(move for tile in tiles for move in ways(tile, line))

    def wrong_moves(self, line: Line) -> tuple[Move, ...]:
        """Every way to lay a domino that fits at neither end; none before the first move, and never the last domino."""
        if line.ends is None or len(self.hand) < 2:
            return ()
        tiles = sorted(tile for tile in self.hand if not line.is_fitting(tile) and not tile.is_double)
        return tuple(
            Move(inner, outer, end)
            for tile in tiles
            for end in (End.L, End.R)
            for inner, outer in ((tile.low, tile.high), (tile.high, tile.low))
        )

    def without(self, tile: Tile) -> Player:
        """The player after `tile` left the hand."""
        return replace(self, hand=self.hand - {tile})

    def having(self, tile: Tile) -> Player:
        """The player after `tile` came back to the hand."""
        return replace(self, hand=self.hand | {tile})

    def passing_falsely(self, line: Line) -> Player:
        """The player after a pass though something fitted: from now on he owes what fitted."""
        return replace(self, owed=self.owed | {tile for tile in self.hand if line.is_fitting(tile)})


Players = tuple[Player, Player, Player, Player]


def ways(tile: Tile, line: Line) -> tuple[Move, ...]:
    """The ends at which `tile` fits, with the right half inwards."""
    if line.ends is None:
        return (Move(tile.low, tile.high, End.FIRST),)
    found = []
    for end in (End.L, End.R):
        suit = line.open_suit(end)
        if suit is not None and tile.carries(suit):
            found.append(Move(suit, tile.high if tile.low == suit else tile.low, end))
    return tuple(found)


def deal(rng: random.Random) -> Players:
    """Mix the 28 dominoes and deal them; mixed again while somebody could ask for it (C2.2)."""
    tiles = sorted(ALL_TILES)
    while True:
        rng.shuffle(tiles)
        hands = [frozenset(tiles[seat * HAND_SIZE : (seat + 1) * HAND_SIZE]) for seat in Seat]
        if not any(may_ask_for_redeal(hand) for hand in hands):
            break
    south, west, north, east = (
        Player(seat, hand, tuple(rng.sample(tiles, len(tiles)))) for seat, hand in zip(Seat, hands, strict=True)
    )
    return south, west, north, east


def may_ask_for_redeal(hand: Iterable[Tile]) -> bool:
    """Five doubles or six dominoes of one suit, or more of them (C2.2)."""
    tiles = tuple(hand)
    doubles = sum(tile.is_double for tile in tiles)
    same = max((sum(tile.carries(Suit(n)) for tile in tiles) for n in range(7)), default=0)
    return doubles >= MANY_DOUBLES or same >= MANY_OF_A_SUIT


def with_player(players: Players, player: Player) -> Players:
    """The table with this player as he is now."""
    south, west, north, east = (player if p.seat is player.seat else p for p in players)
    return south, west, north, east


def laid(line: Line, move: Move, seat: Seat) -> Line:
    """The line after `seat` made `move`."""
    return line.with_tile(move.inner, move.outer, move.end, seat)


def false_pass_will_show(players: Players, line: Line, seat: Seat) -> bool:
    """Whether `seat`, passing now though something fits, will later lay one of the dominoes that fitted.

    The set is played out from here as the players will play it, without any other mishap.
    """
    liar = players[seat].passing_falsely(line)
    if not liar.owed:
        return False
    table, turn = with_player(players, liar), seat.next
    while all(player.hand for player in table) and not line.is_locked:
        player = table[turn]
        moves = player.moves(line)
        if moves:
            if turn is seat and moves[0].tile in player.owed:
                return True
            line, table = laid(line, moves[0], turn), with_player(table, player.without(moves[0].tile))
        turn = turn.next
    return False


def think_s(rng: random.Random, *, hurried: bool) -> float:
    """How long a player thinks, in seconds of table time."""
    return rng.uniform(*(THINK_HURRIED_S if hurried else THINK_S))


def overrun_s(rng: random.Random) -> float:
    """How long a player thinks who forgets the clock."""
    return rng.uniform(*OVERRUN_S)


def as_lists(hands: Sequence[Player]) -> list[list[list[int]]]:
    """The four hands the way a count is entered: lists of [a, b] by seat."""
    return [[[tile.high, tile.low] for tile in sorted(player.hand)] for player in hands]
