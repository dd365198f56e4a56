"""What the rules make of what the eyes saw: sighting and known line weighed together, never bent into a legal move.

Each of the 28 dominoes exists once, so what is seen is recognised among the known ones first; what is left over is new.
The rules lend a doubtful half a thumb's weight (`ILLEGAL_WEIGHT`); a wrong domino clearly seen is reported as it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

from controller.game.line import Line
from controller.game.remembered import TURNED, Look, trouble_in
from controller.game.seen import HIDDEN, UNSEEN, Disagreement, Half, SeenTile, Sighting, Vouched, recognise
from controller.game.tiles import ALL_TILES, SUITS, End, Seat, Suit, Tile

ILLEGAL_WEIGHT = 0.02
"""Prior weight of a domino that does not fit, or that lies already, beside one that fits."""
SURE = 0.6
"""A domino less certain than this is not taken for a move: the referee is shown it instead."""
MOST_ORDERS = 20
"""Of so many orders at most it is asked which can be: three moves at either end, far more than one settling brings."""
FLUSH = 1.3
"""Sides of a half between the middles of two dominoes that lie whole side by side, at most."""
WORD_ENDS = frozenset({"tile_missing", "tile_replaced", "covered", "touches_no_end"})
"""What the camera may go on to see wrongly, so that only the referee's word ends it; the rest the table itself does."""
ARM_SURE = 0.8
"""An arm whose seat is less certain than this contradicts nobody's turn."""


@dataclass(frozen=True, slots=True)
class Lay:
    """A domino that has been laid: what it is taken for, how sure that is, and what the reader alone would say."""

    inner: Suit
    outer: Suit
    end: End
    confidence: float
    raw: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Table and knowledge go together: these moves were made, these dominoes have left the table."""

    lays: tuple[Lay, ...] = ()
    taken_back: tuple[Tile, ...] = ()


_TWO_AT_ONCE = Disagreement(
    "two_at_once",
    None,
    "Two dominoes were laid before the table came to rest, and either may have been first: enter the first with lay, "
    "or have one taken back.",
)


def reconcile(
    line: Line,
    take_back: tuple[Tile, ...],
    sighting: Sighting,
    before: Sighting | None = None,
    *,
    vouched: Collection[Vouched] = (),
    can_be: Callable[[tuple[Lay, ...]], bool] = lambda lays: True,
) -> Agreement | Disagreement:
    """What happened between the known `line` and the table as it is seen.

    Args:
        line: as it is known.
        take_back: dominoes that must leave the table: while they lie they are not new.
        sighting: the table as it is seen.
        before: the table when it was last found to agree.
        vouched: what is right on the referee's word, though it looks wrong.
        can_be: whether the players can have made these moves in this order; asked where the line leaves several.
    """
    matched = recognise((*(p.tile for p in line.placed), *take_back), sighting.tiles)
    look = Look(line, sighting, matched, before)
    trouble = trouble_in(look, vouched)
    if trouble is not None:
        return trouble
    matched |= look.stand_ins(vouched)
    new = [i for i in range(len(sighting.tiles)) if i not in matched]
    taken_back = tuple(tile for tile in take_back if tile not in matched.values())
    if not new:
        return Agreement((), taken_back)
    still = [tile for tile in take_back if tile not in taken_back]
    if still:
        text = f"{still[0]} has to go back to its hand before another domino is laid: take it off the table."
        return Disagreement("not_taken_back", still[0], text)
    if not line.placed:
        return _first_move(sighting, new, taken_back)
    found = _added(line, sighting, matched, new, vouched)
    if isinstance(found, Disagreement):
        return found
    orders = [order for order in found if len(found) == 1 or can_be(order)]
    return Agreement(orders[0], taken_back) if len(orders) == 1 else _TWO_AT_ONCE


def as_it_lies(
    line: Line,
    sighting: Sighting,
    first: Tile | None,
    *,
    before: Sighting | None = None,
    vouched: Collection[Vouched] = (),
) -> tuple[Lay, ...] | Disagreement:
    """The moves that make the known `line` the one that lies, in one of the orders in which they can have been made.

    On an empty line `first` is the domino that was led; None: nobody says, and it is one at an end. The others as in
    `reconcile`, but that a domino may lie elsewhere than before.
    """
    if not line.placed:
        return _whole(sighting, first)
    matched = recognise(tuple(p.tile for p in line.placed), sighting.tiles)
    look = Look(line, sighting, matched, None if before is None else Sighting(bare=before.bare))
    trouble = trouble_in(look, vouched)
    matched |= look.stand_ins(vouched)
    new = [i for i in range(len(sighting.tiles)) if i not in matched]
    found = trouble or _added(line, sighting, matched, new, vouched)
    return found if isinstance(found, Disagreement) else found[0]


def _whole(sighting: Sighting, first: Tile | None) -> tuple[Lay, ...] | Disagreement:
    """A line of which nothing is known: from its first domino to the right end, and then to the left one."""
    numbered = sighting.ways[0] if sighting.ways else tuple(enumerate(sighting.tiles[:1]))
    for i in {*range(len(sighting.tiles))} - {number for number, _ in numbered}:
        return _loose(sighting.tiles[i])
    if not numbered:
        return ()
    row = [seen for _, seen in numbered]
    at = 0 if first is None else max(range(len(row)), key=lambda n: row[n].either_way(first))
    lead = _judged(Line(), row[at], End.FIRST)
    if isinstance(lead, Disagreement):
        return lead
    if first not in (None, Tile.of(lead.inner, lead.outer)):
        return Disagreement("tile_missing", first, f"{first} is not seen in the line: name one that lies there.")
    lays, line = [lead], Line().with_tile(lead.inner, lead.outer, End.FIRST, Seat.S0)
    for end, side in ((End.R, row[at + 1 :]), (End.L, [seen.flipped() for seen in reversed(row[:at])])):
        for seen, further in pairwise((*side, UNSEEN)):
            judged = _judged(line, seen, end, further.a or HIDDEN)
            if isinstance(judged, Disagreement):
                return judged
            lays.append(judged)
            line = line.with_tile(judged.inner, judged.outer, end, Seat.S0)
    return tuple(lays)


def _loose(seen: SeenTile) -> Disagreement:
    tile = _most_likely(seen, ALL_TILES)
    text = f"{tile} lies in the middle but touches no end of the line: take it away, or lay it to the end."
    return Disagreement("touches_no_end", tile, text)


def _most_likely(seen: SeenTile, among: frozenset[Tile]) -> Tile:
    return max(sorted(among), key=seen.either_way)


def _first_move(sighting: Sighting, new: list[int], taken_back: tuple[Tile, ...]) -> Agreement | Disagreement:
    if len(new) > 1:
        text = f"{len(new)} dominoes lie though none was led: leave only the first move, or have the line taken over."
        return Disagreement("many_first", None, text)
    judged = _judged(Line(), sighting.tiles[new[0]], End.FIRST)
    return judged if isinstance(judged, Disagreement) else Agreement((judged,), taken_back)


def _judged(line: Line, seen: SeenTile, end: End, beyond: Half = HIDDEN) -> Lay | Disagreement:
    """The new domino `seen` (a inwards) at `end`: what it is, by sight first and by the rules a little.

    `beyond` is the half of a further new domino that lies against its outer one.
    """
    suit = line.open_suit(end)
    lying = line.tiles
    weights: dict[tuple[Suit, Suit], float] = {}
    for inner in SUITS:
        for outer in SUITS:
            is_likely = Tile.of(inner, outer) not in lying and suit in (None, inner)
            fits_beyond = beyond[outer] + ILLEGAL_WEIGHT * (1.0 - beyond[outer])
            rules = (1.0 if is_likely else ILLEGAL_WEIGHT) * fits_beyond
            weights[inner, outer] = seen.likelihood(inner, outer) * rules
    total = sum(weights.values())
    (inner, outer), weight = max(weights.items(), key=lambda item: item[1])
    where = "first in the middle" if end is End.FIRST else f"at the {'left' if end is End.L else 'right'} end"
    tile = Tile.of(inner, outer)
    if total <= 0 or weight / total < SURE:
        return Disagreement(
            "doubtful", tile, f"The new domino {where} can't be read for certain, perhaps {tile}: look at it."
        )
    if tile in lying:
        return Disagreement("seen_twice", tile, f"{tile} is seen a second time, {where}: look at both.")
    return Lay(inner, outer, end, weight / total, seen.raw)


def _added(
    line: Line, sighting: Sighting, matched: dict[int, Tile], new: list[int], vouched: Collection[Vouched]
) -> list[tuple[Lay, ...]] | Disagreement:
    """The new dominoes as moves, in every order in which the line can have come about: at one end there is only one."""
    hanging = (*_flush(line, sighting, matched), *_joined(line, sighting, matched))
    found = {i: (end, seen, depth) for i, end, seen, depth in hanging}
    loose = (_loose(sighting.tiles[i]) for i in new if i not in found)
    astray = next((trouble for trouble in loose if trouble.subject not in vouched), None)
    if astray is not None:
        return astray
    lays: dict[End, list[Lay]] = {End.L: [], End.R: []}
    at = {(end, depth): seen for end, seen, depth in found.values()}
    for i in sorted(found, key=lambda i: found[i][2]):
        end, seen, depth = found[i]
        if depth != len(lays[end]):
            return _TWO_AT_ONCE
        further = at.get((end, depth + 1), UNSEEN)
        judged = _judged(line, seen, end, further.a or HIDDEN)
        if isinstance(judged, Disagreement):
            return judged
        lays[end].append(judged)
        line = line.with_tile(judged.inner, judged.outer, end, line.placed[0].seat)
    return list(islice(_orders(lays[End.L], lays[End.R]), MOST_ORDERS))


def _orders(left: list[Lay], right: list[Lay]) -> Iterator[tuple[Lay, ...]]:
    """Every order in which these can have been laid, each end's own order kept."""
    for places in combinations(range(len(left) + len(right)), len(left)):
        at_left, at_right = iter(left), iter(right)
        yield tuple(next(at_left if n in places else at_right) for n in range(len(left) + len(right)))


def _flush(line: Line, sighting: Sighting, matched: dict[int, Tile]) -> Iterator[tuple[int, End, SeenTile, int]]:
    """A new domino whole side by side with the only one of the line, a double, as `_joined` tells it.

    No chain has it, for two dominoes side by side are seldom a line; here nothing else can have been meant.
    """
    if len(line.placed) != 1 or not line.placed[0].tile.is_double:
        return
    for number in matched:
        spot = sighting.tiles[number].spot
        for i, seen in enumerate(sighting.tiles):
            if i in matched or spot is None or seen.spot is None:
                continue
            apart = (seen.spot.middle - spot.middle) * spot.way.conjugate()
            if abs(apart) < FLUSH and abs(apart.imag) > abs(apart.real):
                yield i, End.R, seen, 0


def _joined(line: Line, sighting: Sighting, matched: dict[int, Tile]) -> Iterator[tuple[int, End, SeenTile, int]]:
    """Each new domino that hangs on an end of the known line: (index, end, seen with a inwards, how far out)."""
    for way in sighting.ways:
        for place, (number, seen) in enumerate(way):
            tile, following = matched.get(number), way[place + 1 :]
            if tile is None or not following or following[0][0] in matched:
                continue
            end = _end_reached(line, tile, seen)
            for depth, (outer, seen_outer) in enumerate(following):
                if end is None or outer in matched:
                    break
                yield outer, end, seen_outer, depth


def _end_reached(line: Line, tile: Tile, seen: SeenTile) -> End | None:
    """The end of the line at which `tile`, seen in the direction outwards, is the last domino; None inside the line."""
    first, last = line.placed[0], line.placed[-1]
    if len(line.placed) == 1:
        outwards_right = seen.likelihood(last.left, last.right) >= seen.likelihood(last.right, last.left)
        return End.R if outwards_right else End.L
    if tile not in (first.tile, last.tile):
        return None
    end, inner, outer = (End.R, last.left, last.right) if tile == last.tile else (End.L, first.right, first.left)
    is_inwards = seen.likelihood(outer, inner) > TURNED * seen.likelihood(inner, outer)
    return None if is_inwards else end  # what hangs on its inner half is no new end: something there is misread
