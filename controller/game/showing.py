"""Hands laid open: which dominoes they are, by one best assignment of what is seen to what is left, or what is unclear.

The unplayed dominoes are exactly the four hands, each of them once and as many at each seat as it has left: that mends
a doubtful half. What is clearly seen to be another domino is never taken for one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from controller.game.assign import best_assignment, doubts
from controller.game.line import Line
from controller.game.seen import UNSEEN, Disagreement, SeenTile, Sighting, recognise
from controller.game.state import Exposed
from controller.game.tiles import ALL_TILES, HAND_SIZE, TILES, Seat, Tile

ERRING = 0.002
"""A reader that is certain of a half is wrong about it so often at most."""
CLEAR = 20.0
"""The best way to deal what is shown has to be so many times likelier than any other that changes a hand."""
UNLIKE = 0.02
"""A seen domino is not taken for one that explains it so much worse than its best explanation among all 28."""

SEEN = 0.5
"""A domino that was named is the one that is seen when it explains it at least so well."""

_NEVER = 1e6
"""Cost of what is ruled out: more than all doubts of a table together."""

NameOf = Callable[[Seat], str]


@dataclass(frozen=True, slots=True)
class OpenHands:
    """What is taken for the four hands, and beside each domino what the reader alone would say (-1: nothing)."""

    hands: tuple[tuple[Tile, ...], ...]
    raw: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in somebody's hand, and what is seen there."""

    owner: Seat | None
    """None: in nobody's of whom it is asked."""
    seen: SeenTile
    among: Collection[Tile] | None = None
    """The only dominoes that may be there; None: any."""


def read_hands(
    unplayed: frozenset[Tile],
    left: Sequence[int],
    sighting: Sighting,
    *,
    told: Iterable[Exposed] = (),
    unshown: Seat | None = None,
    name_of: NameOf,
) -> OpenHands | Disagreement | None:
    """The four hands as they lie open; None as long as somebody has yet to begin showing his.

    Args:
        unplayed: the dominoes that do not lie in the line.
        left: how many each seat has left.
        sighting: the table; only what is shown in front of the seats counts, and nothing that lies in the line.
        told: dominoes that are known to be in a hand, by the referee's word: they need not be seen.
        unshown: the seat that need not show its hand: it is what is left.
        name_of: what a seat is called in a sentence.
    """
    if any(hands_awaited(unplayed, left, sighting, told=told, unshown=unshown)):
        return None
    named = _named(told, unplayed)
    shown = dict(zip(Seat, sighting.hands(ALL_TILES - unplayed), strict=True))
    asked = [seat for seat in Seat if seat is not unshown or shown[seat]]
    for seat in asked:
        trouble = _miscounted(seat, shown[seat], left[seat], named[seat], name_of)
        if trouble is not None:
            return trouble
    places = [_Place(seat, _softened(seen)) for seat in Seat for seen in shown[seat]]
    for seat in Seat:
        hidden = _Place(seat, UNSEEN, _unseen(named[seat], shown[seat]) if seat in asked else None)
        places += [hidden] * (left[seat] - len(shown[seat]))
    tiles = tuple(sorted(unplayed))
    dealt = _dealt(places, tiles, named, name_of)
    if isinstance(dealt, Disagreement):
        return dealt
    by_seat = [sorted((tile, raw) for owner, tile, raw in dealt if owner is seat) for seat in Seat]
    return OpenHands(
        tuple(tuple(tile for tile, _ in hand) for hand in by_seat),
        tuple(tuple(raw for _, raw in hand) for hand in by_seat),
    )


def hands_awaited(
    unplayed: frozenset[Tile],
    left: Sequence[int],
    sighting: Sighting,
    *,
    told: Iterable[Exposed] = (),
    unshown: Seat | None = None,
) -> tuple[int, int, int, int]:
    """How many dominoes each seat has yet to show, 0 for one that has begun; arguments as in `read_hands`."""
    named, shown = _named(told, unplayed), sighting.hands(ALL_TILES - unplayed)
    south, west, north, east = (0 if seat is unshown or shown[seat] or named[seat] else left[seat] for seat in Seat)
    return south, west, north, east


def read_hand(
    line: Line, claimant: Seat, sighting: Sighting, *, told: Iterable[Exposed] = (), name_of: NameOf
) -> tuple[Tile, ...] | Disagreement | None:
    """The seven dominoes that a claimant has laid open, in the middle beside the `line` or in his zone.

    None until all of them lie there.
    """
    known = recognise(tuple(p.tile for p in line.placed), sighting.tiles)
    new = [seen for i, seen in enumerate(sighting.tiles) if i not in known]
    new += sighting.shown[claimant]
    named = _named(told, line.unplayed)
    if len(new) > HAND_SIZE:
        text = f"{name_of(claimant)} shows {len(new)} dominoes, a hand has seven: leave only his hand beside the line."
        return Disagreement("hand_count", None, text, claimant)
    unseen = _unseen(named[claimant], new)
    if len(new) + len(unseen) < HAND_SIZE:
        return None
    places = [_Place(claimant, _softened(seen)) for seen in new]
    places += [_Place(claimant, UNSEEN, unseen)] * (HAND_SIZE - len(new))
    places += [_Place(None, UNSEEN)] * (len(line.unplayed) - HAND_SIZE)
    dealt = _dealt(places, tuple(sorted(line.unplayed)), named, name_of)
    if isinstance(dealt, Disagreement):
        return dealt
    return tuple(sorted(tile for owner, tile, _ in dealt if owner is claimant))


def _named(told: Iterable[Exposed], unplayed: frozenset[Tile]) -> dict[Seat, list[Tile]]:
    """The dominoes that are known to be in each hand."""
    named: dict[Seat, list[Tile]] = {seat: [] for seat in Seat}
    for exposed in told:
        if exposed.tile in unplayed:
            named[exposed.seat].append(exposed.tile)
    return named


def _miscounted(
    seat: Seat, shown: Sequence[SeenTile], left: int, named: Iterable[Tile], name_of: NameOf
) -> Disagreement | None:
    """A seat that shows more or fewer dominoes than it has left, those that need not be seen taken off."""
    if len(shown) <= left <= len(shown) + len(_unseen(named, shown)):
        return None
    noun = "domino" if len(shown) == 1 else "dominoes"
    what = "enter what can't be seen, or" if len(shown) < left else "take away what is not his, or"
    text = (
        f"{len(shown)} {noun} of {name_of(seat)} can be seen, by the moves he has {left} left: {what} say whose move "
        "it was if one was another seat's."
    )
    return Disagreement("hand_count", None, text, seat)


def _dealt(
    places: Sequence[_Place], tiles: tuple[Tile, ...], named: dict[Seat, list[Tile]], name_of: NameOf
) -> list[tuple[Seat | None, Tile, tuple[int, int]]] | Disagreement:
    """Each place with its domino and what the reader alone would say of it; or the one that is unclear."""
    owner_of = {tile: seat for seat, own in named.items() for tile in own}
    costs = [[_cost(place, tile, owner_of.get(tile)) for tile in tiles] for place in places]
    columns = best_assignment(costs)
    dealt = [(place, tiles[column]) for place, column in zip(places, columns, strict=True)]
    for number, (place, tile) in enumerate(dealt):
        best = max(TILES, key=place.seen.either_way)
        is_unlike = place.seen.either_way(tile) < UNLIKE * place.seen.either_way(best)
        if place.owner is not None and (is_unlike or costs[number][columns[number]] >= _NEVER):
            return _foreign(place.owner, best if is_unlike else tile, tiles, name_of)
    by_doubt = doubts(costs, columns, [place.owner for place in places])
    doubt, number = min(((doubt, n) for n, doubt in enumerate(by_doubt) if places[n].owner is not None), default=(9, 0))
    if doubt < math.log(CLEAR):
        place, tile = dealt[number]
        assert place.owner is not None, "only a place in a hand is asked for"
        text = f"A domino of {name_of(place.owner)}, perhaps {tile}, can't be read for certain: show it, or enter it."
        return Disagreement("hand_doubtful", tile, text, place.owner)
    return [(place.owner, tile, place.seen.raw) for place, tile in dealt]


def _foreign(owner: Seat, tile: Tile, tiles: Collection[Tile], name_of: NameOf) -> Disagreement:
    """A domino that is clearly seen where it can't be."""
    why = "a second time" if tile in tiles else "though it lies in the line"
    text = f"{tile} is seen in the hand of {name_of(owner)}, {why}: look at it, and at the line."
    return Disagreement("hand_foreign", tile, text, owner)


def _cost(place: _Place, tile: Tile, owner: Seat | None) -> float:
    is_elsewhere = owner is not None and place.owner is not owner
    if is_elsewhere or (place.among is not None and tile not in place.among):
        return _NEVER
    return -math.log(place.seen.either_way(tile))


def _softened(seen: SeenTile) -> SeenTile:
    """What is seen, the reader's certainty not believed beyond what it has earned."""
    a, b = (half and tuple((1 - len(half) * ERRING) * p + ERRING for p in half) for half in (seen.a, seen.b))
    return SeenTile(a, b, seen.spot)


def _unseen(named: Iterable[Tile], shown: Collection[SeenTile]) -> list[Tile]:
    """Of the dominoes that somebody has named those that are not seen as well."""
    return [tile for tile in named if all(seen.either_way(tile) < SEEN for seen in shown)]
