"""The line remembered: which of its dominoes lies otherwise than it was laid; what is new on the table is not asked.

A domino that something hides is not lost, and a line pushed or turned as a whole lies as it did. Where the table was
seen before, each domino is looked for where the others say that it must be; else its neighbours have to do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from controller.game.line import Line, Placed
from controller.game.seen import Disagreement, SeenTile, Sighting, Spot, Vouched, recognise
from controller.game.tiles import ALL_TILES, Tile

TURNED = 20.0
"""A domino lies turned round when that explains what is seen so many times better."""
MOVED = 0.75
"""Sides of a half by which a domino must lie elsewhere than the others say: 18 mm. A line is nudged by less."""
AT_EASE = 0.4
"""The same up to which it lies where they say."""
ASKEW = 0.7
"""Cosine of the angle by which it must be turned: 45 degrees."""
REPLACED = "tile_replaced"
DISTURBED = "line_disturbed"
"""So little of the line lies as it was laid that nobody's word makes it one again."""
Pairs = list[tuple[complex, complex]]
"""Where dominoes lay, and where they lie."""
FEWEST = 3
"""So many dominoes say where another must lie; so many hidden ones are covered, by more than an arm or a cup."""


def trouble_in(look: Look, vouched: Collection[Vouched] = ()) -> Disagreement | None:
    """The first thing that is wrong with the known line; None while it lies as it was laid.

    What the referee has `vouched` for is right, whatever it looks like.
    """
    return next((trouble for trouble in _troubles(look) if trouble.subject not in vouched), None)


def _troubles(look: Look) -> Iterator[Disagreement]:
    """All that is wrong with a known line, what tells most first."""
    line, missing = look.line, look.missing
    gone = look.gone()
    displaced = [(placed.tile, code) for placed in line.placed if (code := look.displaced(placed)) is not None]
    if len(gone) + len(displaced) >= FEWEST and len(line.placed) <= 2 * (len(gone) + len(displaced)):
        text = "The line no longer lies as it was laid: put it back, or have the set played again."
        yield Disagreement(DISTURBED, None, text)
    for tile in missing:
        number = look.replacing(tile)
        if number is not None:
            is_like = max(sorted(ALL_TILES - {tile}), key=look.sighting.tiles[number].either_way)
            text = (
                f"{is_like} seems to lie where {tile} was laid: put {tile} back, or correct its move if it is misread."
            )
            yield Disagreement(REPLACED, tile, text)
    for tile in gone:
        where = "at the end of" if tile in (line.placed[0].tile, line.placed[-1].tile) else "in"
        text = f"{tile} is not seen {where} the line where it was laid: put it back, or undo its move."
        yield Disagreement("tile_missing", tile, text)
    for tile, code in displaced:
        how = "lies turned round" if code == "tile_turned" else "does not lie where it was laid"
        yield Disagreement(code, tile, f"{tile} {how}: put it back as it lay, or undo its move.")
    if len(missing) >= FEWEST:
        text = (
            f"Something covers {len(missing)} dominoes of the line, {missing[0]} among them: take it away, or have the "
            "line taken over if they lie there."
        )
        yield Disagreement("covered", missing[0], text)


class Look:
    """A known line and how it is seen, with what follows from that for each of its dominoes.

    Args:
        line: as it is known.
        sighting: the table as it is seen.
        matched: which seen domino is which known one.
        before: the table when all was last well; None: nobody has seen that.
    """

    def __init__(self, line: Line, sighting: Sighting, matched: Mapping[int, Tile], before: Sighting | None) -> None:
        self.line = line
        self.sighting = sighting
        self._place = {placed.tile: place for place, placed in enumerate(line.placed)}
        self._matched = {number: tile for number, tile in matched.items() if tile in self._place}
        self.seen = {tile: sighting.tiles[number] for number, tile in self._matched.items()}
        self.missing = [placed.tile for placed in line.placed if placed.tile not in self.seen]
        self._long_bare = () if before is None or before.bare is None else before.bare
        expected = _expected(line, self.seen, before)
        self._is_scattered = expected is None
        self._expected = expected or {}
        self._touching: set[Tile] = set()  # linked to a neighbour of its own, whichever way round
        self._proper: set[Tile] = set()  # and both as they were laid
        self._turned: set[Tile] = set()
        self._astray: set[Tile] = set()  # linked to another known domino
        for joint in self._joints():
            self._follow(*joint)

    def displaced(self, placed: Placed) -> str | None:
        """How a seen domino lies otherwise than it was laid; None where it does not, or is hidden."""
        tile, seen = placed.tile, self.seen.get(placed.tile)
        if seen is None or tile in self._proper:
            return None
        must = self._expected.get(tile)
        if must is None or seen.spot is None:
            if tile in self._turned:
                return "tile_turned"
            is_astray = self._is_scattered or (tile in self._astray and self._has_neighbour(tile))
            return "tile_moved" if is_astray and tile not in self._touching else None
        if abs(seen.spot.middle - must.middle) > MOVED and tile not in self._touching:
            return "tile_moved"
        turn = (seen.spot.way * _sense(placed, seen) * must.way.conjugate()).real
        is_either_way = tile.is_double or not _has_sense(placed, seen)
        return "tile_turned" if (abs(turn) if is_either_way else turn) < ASKEW else None

    def gone(self) -> list[Tile]:
        """Those of the missing that are not there; where nobody has looked at their places, those of the ends."""
        if self.sighting.bare is None:
            return [tile for tile in self.missing if self._place[tile] in (0, len(self.line.placed) - 1)]
        # What had left a bare place when all was well is none of these, whatever it was read as: it lay in another set.
        bare = tuple(tile for tile in self.sighting.bare if tile not in self._long_bare)
        gone = recognise(tuple(self.missing), bare).values()
        return [tile for tile in self.missing if tile in gone]

    def replacing(self, tile: Tile) -> int | None:
        """The number of the unknown domino that lies where `tile` was laid, None where none does."""
        must = self._expected.get(tile)
        for number, seen in enumerate(self.sighting.tiles):
            is_there = must is not None and seen.spot is not None and abs(seen.spot.middle - must.middle) < AT_EASE
            if number not in self._matched and is_there:
                return number
        for way in self.sighting.ways:
            for (number, seen), (other, _) in pairwise(way):
                neighbour = self._matched.get(number)
                if neighbour is None or other in self._matched:
                    continue
                step = self._place[tile] - self._place[neighbour]
                if abs(step) == 1 and not _is_turned(self.line.placed[self._place[neighbour]], seen, step):
                    return other
        return None

    def stand_ins(self, vouched: Collection[Vouched]) -> dict[int, Tile]:
        """Seen dominoes that are known ones misread, on the referee's word."""
        misread = [tile for tile in self.missing if (REPLACED, tile) in vouched]
        return {number: tile for tile in misread if (number := self.replacing(tile)) is not None}

    def _has_neighbour(self, tile: Tile) -> bool:
        """Whether a neighbour of its own is seen, so that it might lie there."""
        place = self._place[tile]
        beside = self.line.placed[max(0, place - 1) : place + 2]
        return any(placed.tile in self.seen for placed in beside if placed.tile != tile)

    def _joints(self) -> Iterator[tuple[Tile, SeenTile, Tile, SeenTile]]:
        """Known dominoes that touch each other, from left to right where they are neighbours."""
        for way in self.sighting.ways:
            for (number, seen), (other, beyond) in pairwise(way):
                if number in self._matched and other in self._matched:
                    tile, next_tile = self._matched[number], self._matched[other]
                    if self._place[next_tile] > self._place[tile]:
                        yield tile, seen, next_tile, beyond

    def _follow(self, tile: Tile, seen: SeenTile, beyond: Tile, seen_beyond: SeenTile) -> None:
        both = {tile, beyond}
        if self._place[beyond] - self._place[tile] > 1:
            self._astray |= both
            return
        self._touching |= both
        turned = {
            which
            for which, how in ((tile, seen), (beyond, seen_beyond))
            if _is_turned(self.line.placed[self._place[which]], how, 1)
        }
        self._turned |= turned
        self._proper |= set() if turned else both


def _is_turned(placed: Placed, seen: SeenTile, step: int) -> bool:
    """Whether a domino, as it is seen on the way to the right (step 1) or left (-1), lies the other way round."""
    first, last = (placed.left, placed.right) if step > 0 else (placed.right, placed.left)
    return seen.likelihood(last, first) > TURNED * seen.likelihood(first, last)


def _has_sense(placed: Placed, seen: SeenTile) -> bool:
    """Whether what is seen says which of its halves is which."""
    one, other = seen.likelihood(placed.left, placed.right), seen.likelihood(placed.right, placed.left)
    return max(one, other) > TURNED * min(one, other)


def _sense(placed: Placed, seen: SeenTile) -> int:
    """1 where a is the half towards the line's left end, else -1."""
    one, other = seen.likelihood(placed.left, placed.right), seen.likelihood(placed.right, placed.left)
    return 1 if one >= other else -1


def _expected(line: Line, seen: Mapping[Tile, SeenTile], before: Sighting | None) -> dict[Tile, Spot] | None:
    """Where each domino that was seen before must lie now, its way from left to right, by how the most of them lie.

    Empty where too few are seen to say; None where they do not say the same: the line was bent, or scattered.
    """
    if before is None:
        return {}
    earlier = recognise(tuple(placed.tile for placed in line.placed), before.tiles)
    was: dict[Tile, Spot] = {}
    by_tile = {tile: before.tiles[number] for number, tile in earlier.items()}
    for placed in line.placed:
        tile = by_tile.get(placed.tile)
        if tile is not None and tile.spot is not None:
            was[placed.tile] = Spot(tile.spot.middle, tile.spot.way * _sense(placed, tile))
    pairs = [(spot.middle, now.middle) for tile, spot in was.items() if tile in seen and (now := seen[tile].spot)]
    if len(pairs) < FEWEST:
        return {}
    turn, shift, at_ease = _motion(pairs)
    if at_ease < FEWEST or 2 * at_ease < len(pairs):
        return None
    return {tile: Spot(turn * spot.middle + shift, turn * spot.way) for tile, spot in was.items()}


def _motion(pairs: Pairs) -> tuple[complex, complex, int]:
    """How the whole line has been turned and shifted, as most of its dominoes say, and how many do."""
    found = (1 + 0j, 0j, 0)
    for turn, shift in _motions(pairs):
        at_ease = sum(abs(turn * was + shift - now) < AT_EASE for was, now in pairs)
        if at_ease > found[2]:
            found = turn, shift, at_ease
        if at_ease == len(pairs):  # mostly at once: a line is seldom moved
            break
    return found


def _motions(pairs: Pairs) -> Iterator[tuple[complex, complex]]:
    """Ways in which it may have been, none first."""
    yield 1 + 0j, 0j
    for (one, one_now), (two, two_now) in pairwise(pairs):
        turned = (two_now - one_now) * (two - one).conjugate()
        if turned:
            turn = turned / abs(turned)
            yield turn, (one_now + two_now) / 2 - turn * (one + two) / 2
