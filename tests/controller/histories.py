"""Histories of sets for the core's tests: written by hand, or played at random by honest seats and by a liar."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from controller.game.line import Line
from controller.game.state import Exposed, Move, Ply, Skip
from controller.game.tiles import ALL_TILES, End, Seat, Suit, Tile

Plies = tuple[Ply, ...]
Hands = tuple[tuple[Tile, ...], ...]
ENDS = {"f": End.FIRST, "L": End.L, "R": End.R}


def tiles(text: str) -> tuple[Tile, ...]:
    """Dominoes written as `65 11`, in the order of `Tile`."""
    return tuple(sorted(Tile.of(int(word[0]), int(word[1])) for word in text.split()))


def hands(text: str) -> Hands:
    """Four hands written as `65 11 | 32 | | 40`."""
    return tuple(tiles(hand) for hand in text.split("|"))


def acts(lead: int, text: str) -> Plies:
    """A history written as `64f 44R - 41R` in turn order from `lead`: inner half, outer half, end; a dash is a pass."""
    line = Line()
    plies: list[Ply] = []
    for number, word in enumerate(text.split()):
        seat = Seat((lead + number) % 4)
        if word == "-":
            assert line.ends is not None
            plies.append(Skip(seat, line.ends))
            continue
        inner, outer, end = Suit(int(word[0])), Suit(int(word[1])), ENDS[word[2]]
        plies.append(Move(seat, inner, outer, end, line.open_suit(end) in (None, inner)))
        line = line.with_tile(inner, outer, end, seat)
    return tuple(plies)


@dataclass(frozen=True)
class Played:
    """A set of random play, and what only the players know of it."""

    plies: Plies
    dealt: Hands
    left: Hands
    """What each seat still holds after the last act."""
    wrong: tuple[int, ...]
    """The passes of seats that could have moved."""

    def held(self, acts_made: int) -> Hands:
        """What each seat held after so many acts."""
        laid = {ply.tile for ply in self.plies[:acts_made] if isinstance(ply, Move)}
        return tuple(tuple(tile for tile in hand if tile not in laid) for hand in self.dealt)


def ways(line: Line, tile: Tile) -> list[tuple[Suit, Suit, End]]:
    """Every way to lay `tile` so that it fits: inner half, outer half, end."""
    if line.ends is None:
        return [(tile.low, tile.high, End.FIRST)]
    turned = dict.fromkeys(((tile.low, tile.high), (tile.high, tile.low)))
    return [(inner, outer, end) for end in (End.L, End.R) for inner, outer in turned if inner == line.open_suit(end)]


def random_set(seed: int, *, lies: float = 0.0, liar: Seat | None = None) -> Played:
    """A set of random play by the rules to its end; with `lies` a seat (`liar` if named) now and then passes wrongly.

    The set also ends when all four have passed in a row.
    """
    rng = random.Random(seed)
    mixed = sorted(ALL_TILES)
    rng.shuffle(mixed)
    dealt = tuple(tuple(sorted(mixed[7 * seat : 7 * seat + 7])) for seat in range(4))
    holds = [list(hand) for hand in dealt]
    seat, line = Seat(rng.randrange(4)), Line()
    plies: list[Ply] = []
    wrong: list[int] = []
    while all(holds) and not line.is_locked and not _have_all_passed(plies):
        can = [(tile, way) for tile in holds[seat] for way in ways(line, tile)]
        is_lying = bool(can and plies) and liar in (None, seat) and rng.random() < lies
        if can and not is_lying:
            tile, (inner, outer, end) = rng.choice(can)
            plies.append(Move(seat, inner, outer, end, is_fitting=True))
            line = line.with_tile(inner, outer, end, seat)
            holds[seat].remove(tile)
        else:
            assert line.ends is not None
            wrong.extend([len(plies)] if is_lying else [])
            plies.append(Skip(seat, line.ends))
        seat = seat.next
    return Played(tuple(plies), dealt, tuple(tuple(hand) for hand in holds), tuple(wrong))


def _have_all_passed(plies: list[Ply]) -> bool:
    return len(plies) > 4 and all(isinstance(ply, Skip) for ply in plies[-4:])


# --- the slow way to see whether there is a deal ---


def may_hold(
    plies: Plies, exposed: tuple[Exposed, ...] = (), believed: frozenset[int] | None = None
) -> dict[Tile, frozenset[int]]:
    """For each unplayed domino the seats that passed on none of its suits, or the one that showed it."""
    laid = {ply.tile for ply in plies if isinstance(ply, Move)}
    shown = {seen.tile: frozenset({int(seen.seat)}) for seen in exposed}
    counts = range(len(plies)) if believed is None else believed
    passes = [ply for place, ply in enumerate(plies) if isinstance(ply, Skip) and place in counts]
    return {
        tile: shown.get(tile)
        or frozenset(
            q for q in range(4) if not any(p.seat == q and set(p.ends) & {tile.low, tile.high} for p in passes)
        )
        for tile in sorted(ALL_TILES - laid)
    }


def places_of(plies: Plies) -> tuple[int, ...]:
    """Dominoes each seat still holds."""
    laid = Counter(ply.seat for ply in plies if isinstance(ply, Move))
    return tuple(7 - laid[seat] for seat in Seat)


def most_dealt(may: dict[Tile, frozenset[int]], places: tuple[int, ...]) -> int:
    """How many dominoes can be dealt at all: each finds a place, by moving others on where it must."""
    held: list[list[Tile]] = [[] for _ in places]

    def placed(tile: Tile, tried: set[int]) -> bool:
        for q in may[tile] - tried:
            tried.add(q)
            if len(held[q]) < places[q]:
                held[q].append(tile)
                return True
            for other in held[q]:
                if placed(other, tried):
                    held[q].remove(other)
                    held[q].append(tile)
                    return True
        return False

    return sum(placed(tile, set()) for tile in may)
