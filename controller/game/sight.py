"""What the rules make of what the eyes saw: sighting and known line weighed together, never bent into a legal move.

Each of the 28 dominoes exists once, so what is seen is recognised among the known ones first; what is left over is new.
The rules lend a doubtful half a thumb's weight (`ILLEGAL_WEIGHT`); a wrong domino clearly seen is reported as it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from controller.game.line import Line
from controller.game.tiles import ALL_TILES, SUITS, End, MonoNs, Seat, Suit, Tile

ILLEGAL_WEIGHT = 0.02
"""Prior weight of a domino that does not fit, or that lies already, beside one that fits."""
SURE = 0.6
"""A domino less certain than this is not taken for a move: the referee is shown it instead."""
SAME = 0.02
"""A known domino is recognised in a seen one that it explains at least this well."""
TURNED = 20.0
"""A domino at an end lies turned round when that explains what is seen so many times better."""
ARM_SURE = 0.8
"""An arm whose seat is less certain than this contradicts nobody's turn."""
HIDDEN: tuple[float, ...] = (1 / 7,) * 7

Half = tuple[float, ...]
"""Seven probabilities, suit 0 to 6."""


@dataclass(frozen=True, slots=True)
class SeenTile:
    """A domino as the reader saw it: the probabilities of its halves, None for a half that can't be seen."""

    a: Half | None
    b: Half | None

    def likelihood(self, a: Suit, b: Suit) -> float:
        """How well the domino lying with `a` and `b` explains what was seen."""
        return (self.a or HIDDEN)[a] * (self.b or HIDDEN)[b]

    def either_way(self, tile: Tile) -> float:
        """How well `tile` explains what was seen, whichever way round it lies."""
        return max(self.likelihood(tile.low, tile.high), self.likelihood(tile.high, tile.low))

    def flipped(self) -> SeenTile:
        """The same domino looked at from the other side."""
        return SeenTile(self.b, self.a)

    @property
    def raw(self) -> tuple[int, int]:
        """What the reader alone takes the halves for, -1 for one that can't be seen."""
        return (_argmax(self.a), _argmax(self.b))


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A place in a chain: which seen domino, and whether its `b` comes first along the chain."""

    tile: int
    is_flipped: bool


@dataclass(frozen=True, slots=True)
class Sighting:
    """A table at rest: the dominoes in the middle, the chains they form, and what is shown in front of each seat."""

    tiles: tuple[SeenTile, ...] = ()
    chains: tuple[tuple[ChainLink, ...], ...] = ()
    shown: tuple[tuple[SeenTile, ...], ...] = ((), (), (), ())


@dataclass(frozen=True, slots=True)
class Arm:
    """From whose side an arm came over the table, and how sure that is, in [0, 1]."""

    seat: Seat
    confidence: float


@dataclass(frozen=True, slots=True)
class Stills:
    """When the table had come to rest before something happened, and after it: the two pictures to look at."""

    before_at: MonoNs | None
    """None: nothing was seen of it before."""
    after_at: MonoNs


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


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Table and knowledge do not go together."""

    code: str
    tile: Tile | None
    """The domino to look at."""
    text: str
    seat: Seat | None = None
    """In whose hand it is; None: in nobody's."""


def reconcile(line: Line, take_back: tuple[Tile, ...], sighting: Sighting) -> Agreement | Disagreement:
    """What happened between the known `line` and the table as it is seen.

    `take_back` are dominoes that must leave the table: while they lie they are not new.
    """
    matched = recognise((*(p.tile for p in line.placed), *take_back), sighting)
    missing = [p.tile for p in line.placed if p.tile not in matched.values()]
    new = [i for i in range(len(sighting.tiles)) if i not in matched]
    taken_back = tuple(tile for tile in take_back if tile not in matched.values())
    gone = [tile for tile in missing if tile in (line.placed[0].tile, line.placed[-1].tile)]
    if gone:
        text = f"{gone[0]} is not seen at the end of the line where it was laid: put it back, or undo its move."
        return Disagreement("tile_missing", gone[0], text)
    moved = _moved_end(line, sighting, matched)
    if moved is not None:
        text = f"{moved} does not lie at its end as it was laid: put it back so, or undo its move."
        return Disagreement("tile_moved", moved, text)
    if not new:
        return Agreement((), taken_back)
    still = [tile for tile in take_back if tile not in taken_back]
    if still:
        text = f"{still[0]} has to go back to its hand before another domino is laid: take it off the table."
        return Disagreement("not_taken_back", still[0], text)
    if not line.placed:
        return _first_move(sighting, new, taken_back)
    return _added(line, sighting, matched, new, taken_back)


def _most_likely(seen: SeenTile, among: frozenset[Tile]) -> Tile:
    return max(sorted(among), key=seen.either_way)


def recognise(known: tuple[Tile, ...], sighting: Sighting) -> dict[int, Tile]:
    """Which seen domino is which known one: best explanations first, each used once."""
    scored = sorted(
        ((seen.either_way(tile), i, tile) for i, seen in enumerate(sighting.tiles) for tile in known),
        key=lambda entry: (-entry[0], entry[1], entry[2]),
    )
    matched: dict[int, Tile] = {}
    for score, i, tile in scored:
        if score >= SAME and i not in matched and tile not in matched.values():
            matched[i] = tile
    return matched


def _moved_end(line: Line, sighting: Sighting, matched: dict[int, Tile]) -> Tile | None:
    """The domino at an end that was turned round or laid elsewhere in the line since it was laid; None if neither.

    Only an end can be moved unnoticed, and only what hangs on a known domino of the line can be judged.
    """
    if len(line.placed) < 2:
        return None
    first, last = line.placed[0], line.placed[-1]
    ends = ((first, line.placed[1], first.right, first.left), (last, line.placed[-2], last.left, last.right))
    for end, neighbour, inner, outer in ends:
        before = _before(sighting, matched, end.tile, line.tiles)
        if before and neighbour.tile not in before:
            return end.tile
        seen = before.get(neighbour.tile)
        if seen is not None and seen.likelihood(outer, inner) > TURNED * seen.likelihood(inner, outer):
            return end.tile
    return None


def _before(sighting: Sighting, matched: dict[int, Tile], tile: Tile, known: frozenset[Tile]) -> dict[Tile, SeenTile]:
    """The known dominoes that touch `tile` in its chain, each with `tile` as it is seen coming from there."""
    found: dict[Tile, SeenTile] = {}
    for chain in sighting.chains:
        for links in (chain, _reversed(chain)):
            for from_link, link in pairwise(links):
                neighbour = matched.get(from_link.tile)
                if matched.get(link.tile) == tile and neighbour in known:
                    found[neighbour] = _oriented(sighting, link)
    return found


def _first_move(sighting: Sighting, new: list[int], taken_back: tuple[Tile, ...]) -> Agreement | Disagreement:
    if len(new) > 1:
        text = f"{len(new)} dominoes lie though none was led: leave only the first move in the middle."
        return Disagreement("many_first", None, text)
    return _judged(Line(), sighting.tiles[new[0]], End.FIRST, taken_back)


def _judged(line: Line, seen: SeenTile, end: End, taken_back: tuple[Tile, ...]) -> Agreement | Disagreement:
    """The new domino `seen` (a inwards) at `end`: what it is, by sight first and by the rules a little."""
    suit = line.open_suit(end)
    lying = line.tiles
    weights: dict[tuple[Suit, Suit], float] = {}
    for inner in SUITS:
        for outer in SUITS:
            is_likely = Tile.of(inner, outer) not in lying and suit in (None, inner)
            weights[inner, outer] = seen.likelihood(inner, outer) * (1.0 if is_likely else ILLEGAL_WEIGHT)
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
    return Agreement((Lay(inner, outer, end, weight / total, seen.raw),), taken_back)


def _argmax(half: Half | None) -> int:
    return -1 if half is None else max(SUITS, key=lambda suit: half[suit])


def _added(
    line: Line, sighting: Sighting, matched: dict[int, Tile], new: list[int], taken_back: tuple[Tile, ...]
) -> Agreement | Disagreement:
    """One new domino, or several one behind the other at the same end; two at different ends have no order."""
    found = {i: (end, seen, depth) for i, end, seen, depth in _joined(line, sighting, matched)}
    loose = [i for i in new if i not in found]
    if loose:
        tile = _most_likely(sighting.tiles[loose[0]], ALL_TILES)
        return Disagreement("touches_no_end", tile, f"{tile} lies in the middle but touches no end of the line.")
    if len({found[i][0] for i in new}) > 1 or len({found[i][2] for i in new}) < len(new):
        text = (
            "Two dominoes were laid at different ends before the table came to rest: take one back, lay them in turn."
        )
        return Disagreement("two_at_once", None, text)
    lays: list[Lay] = []
    for i in sorted(new, key=lambda i: found[i][2]):
        end, seen, _ = found[i]
        judged = _judged(line, seen, end, taken_back)
        if isinstance(judged, Disagreement):
            return judged
        lays.extend(judged.lays)
        line = line.with_tile(judged.lays[0].inner, judged.lays[0].outer, end, line.placed[0].seat)
    return Agreement(tuple(lays), taken_back)


def _joined(line: Line, sighting: Sighting, matched: dict[int, Tile]) -> Iterator[tuple[int, End, SeenTile, int]]:
    """Each new domino that hangs on an end of the known line: (index, end, seen with a inwards, how far out)."""
    for chain in sighting.chains:
        for links in (chain, _reversed(chain)):
            for place, link in enumerate(links):
                tile = matched.get(link.tile)
                following = links[place + 1 :]
                if tile is None or not following or following[0].tile in matched:
                    continue
                end = _end_reached(line, tile, _oriented(sighting, link))
                for depth, outer in enumerate(following):
                    if end is None or outer.tile in matched:
                        break
                    yield outer.tile, end, _oriented(sighting, outer), depth


def _reversed(chain: tuple[ChainLink, ...]) -> tuple[ChainLink, ...]:
    return tuple(ChainLink(link.tile, not link.is_flipped) for link in reversed(chain))


def _oriented(sighting: Sighting, link: ChainLink) -> SeenTile:
    seen = sighting.tiles[link.tile]
    return seen.flipped() if link.is_flipped else seen


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
