"""Hidden hands: which deals agree with what everybody saw, how many, one of them by lot; never which is likely.

All 28 dominoes are dealt, so the unplayed ones are exactly the four hands. A seat that passed cannot hold a domino of
a suit that was open then; nothing else is known. How a player would play enters nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.game.line import fitting_mask
from controller.game.state import Exposed, Move, Ply
from controller.game.tiles import ALL_MASK, HAND_SIZE, TILES, Mask, Seat, Tile, bit_of, tiles_of

_EVERYBODY = 0b1111
_SEATS_OF = tuple(tuple(q for q in range(4) if eligible >> q & 1) for eligible in range(16))
"""At each eligibility mask (bit q = seat q) the seats in it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the hands after some acts."""

    places: tuple[int, int, int, int]
    """Dominoes that each seat still holds; negative only in a record that cannot be."""
    unplayed: Mask
    """The dominoes that do not lie."""
    barred: tuple[Mask, Mask, Mask, Mask]
    """The dominoes that each seat cannot hold."""

    def class_of(self, eligible: int) -> Mask:
        """The unplayed dominoes that exactly these seats may hold; `eligible` has bit q for seat q, 0 is nobody."""
        bits = self.unplayed
        for q, barred in enumerate(self.barred):
            bits &= ~barred if eligible >> q & 1 else barred
        return bits

    def size_of(self, eligible: int) -> int:
        """How many unplayed dominoes exactly these seats may hold."""
        return self.class_of(eligible).bit_count()

    def tiles_of(self, eligible: int) -> tuple[Tile, ...]:
        """The unplayed dominoes that exactly these seats may hold, in their order."""
        return tiles_of(self.class_of(eligible))


@dataclass(frozen=True, slots=True)
class Violation:
    """Why no deal exists: dominoes that can lie only with some seats, which have fewer places."""

    seats: tuple[Seat, ...]
    tiles: tuple[Tile, ...]
    places: int


def evidence_of(
    plies: tuple[Ply, ...], exposed: tuple[Exposed, ...] = (), *, believed: frozenset[int] | None = None
) -> Evidence:
    """What is known after these acts, `believed` being the places of the passes that count (None: all of them).

    A domino that was seen in a hand and does not lie is with that seat, whatever the seat passed; where it was seen in
    two hands the later word holds.
    """
    unplayed, places, barred = ALL_MASK, [HAND_SIZE] * 4, [0] * 4
    for number, ply in enumerate(plies):
        if isinstance(ply, Move):
            unplayed &= ~bit_of(ply.tile)
            places[ply.seat] -= 1
        elif believed is None or number in believed:
            barred[ply.seat] |= fitting_mask(*ply.ends)
    for seen in exposed:
        bit = bit_of(seen.tile)
        for q in range(4):
            barred[q] = barred[q] & ~bit if q == seen.seat else barred[q] | bit
    r0, r1, r2, r3 = places
    b0, b1, b2, b3 = barred
    return Evidence((r0, r1, r2, r3), unplayed, (b0, b1, b2, b3))


def has_deal(evidence: Evidence) -> bool:
    """Whether some deal agrees with the evidence: no seats have fewer places than dominoes that only they may hold.

    That these 16 inequalities are enough is Hall's theorem for seats with several places (C6.1).
    """
    r0, r1, r2, r3 = evidence.places
    d0, d1, d2, d3 = (evidence.unplayed & barred for barred in evidence.barred)
    d01, d23, r01, r23 = d0 & d1, d2 & d3, r0 + r1, r2 + r3
    return (
        not d01 & d23
        and (d1 & d23).bit_count() <= r0
        and (d0 & d23).bit_count() <= r1
        and (d01 & d3).bit_count() <= r2
        and (d01 & d2).bit_count() <= r3
        and d23.bit_count() <= r01
        and (d1 & d3).bit_count() <= r0 + r2
        and (d1 & d2).bit_count() <= r0 + r3
        and (d0 & d3).bit_count() <= r1 + r2
        and (d0 & d2).bit_count() <= r1 + r3
        and d01.bit_count() <= r23
        and d3.bit_count() <= r01 + r2
        and d2.bit_count() <= r01 + r3
        and d1.bit_count() <= r0 + r23
        and d0.bit_count() <= r1 + r23
        and evidence.unplayed.bit_count() <= r01 + r23
    )


def violation(evidence: Evidence) -> Violation | None:
    """Why no deal exists, told with the fewest dominoes that show it; None while one exists."""
    found = []
    for inside in range(16):
        bits = evidence.unplayed
        for q in _SEATS_OF[_EVERYBODY & ~inside]:
            bits &= evidence.barred[q]
        places = sum(evidence.places[q] for q in _SEATS_OF[inside])
        if bits.bit_count() > places:
            found.append((bits.bit_count(), len(_SEATS_OF[inside]), inside, bits, places))
    if not found:
        return None
    *_, inside, bits, places = min(found)
    return Violation(tuple(Seat(q) for q in _SEATS_OF[inside]), tiles_of(bits), places)


def count_deals(evidence: Evidence) -> int:
    """How many deals agree with the evidence, exactly; 0 when none does."""
    if not has_deal(evidence):
        return 0
    handout = _handout(evidence)
    return sum(ways * handout.endings(free) for free, ways in handout.layers[-1].items())


def marginals(evidence: Evidence) -> dict[Tile, tuple[float, float, float, float]]:
    """For each unplayed domino the share of the deals in which each seat holds it.

    The four shares of a domino come to 1, those of a seat to its places. ValueError when no deal exists.
    """
    total = count_deals(evidence)
    if not total:
        raise ValueError(_NO_DEAL)
    shares: dict[Tile, tuple[float, float, float, float]] = {}
    for eligible in range(1, 16):
        bits = evidence.class_of(eligible)
        if bits:
            one = bits & -bits  # the dominoes of a class are alike
            a, b, c, d = (count_deals(_held(evidence, one, q)) / total if eligible >> q & 1 else 0.0 for q in range(4))
            shares |= dict.fromkeys(tiles_of(bits), (a, b, c, d))
    return shares


def sample_deal(evidence: Evidence, below: Callable[[int], int]) -> tuple[tuple[Tile, ...], ...]:
    """Four hands drawn from all the deals that agree with the evidence, each deal as likely as any other.

    `below(n)` gives a whole number from 0 to n - 1, each as likely as any other; n may be beyond 2**53. ValueError when
    no deal exists.
    """
    if not has_deal(evidence):
        raise ValueError(_NO_DEAL)
    handout = _handout(evidence)
    hands = [list(evidence.tiles_of(1 << q)) for q in range(4)]
    free = _picked({free: ways * handout.endings(free) for free, ways in handout.layers[-1].items()}, below)
    pool: list[Tile] = []
    for eligible, _, q in handout.chain:
        pool += evidence.tiles_of(eligible)
        hands[q] += _drawn(pool, free >> 4 * q & 7, below)
    hands[handout.last] += pool
    for (eligible, size), before in zip(reversed(handout.classes), reversed(handout.layers[:-1]), strict=True):
        splits = _SPLITS[eligible][size]
        split = _picked({split: ways * before.get(free + split, 0) for split, ways in splits}, below)
        pool = list(evidence.tiles_of(eligible))
        for q in _SEATS_OF[eligible]:
            hands[q] += _drawn(pool, split >> 4 * q & 7, below)
        free += split
    return tuple(tuple(sorted(hand)) for hand in hands)


# --- handing out: the dominoes in classes of equal eligibility, the free places of the four seats in one number ---

_NO_DEAL = "expected evidence that some deal agrees with, got none: ask for the violation"
_GUARD = 0x8888
"""Free places are four fields of four bits; the top bit of each is set, and gone when more is taken than was there."""


@dataclass(frozen=True, slots=True)
class _Handout:
    """Every way to hand out the dominoes class by class; for a last chain of classes the ways are known without trying.

    The chain is the class of all seats, a class of three, and a class of two of these. The seat that is only in the
    first draws its places from that, the next seat from what it left and the second, and so on.
    """

    classes: list[tuple[int, int]]
    """Eligibility and size of the classes before the chain, in the order in which they are handed out."""
    layers: list[dict[int, int]]
    """Before each of these classes and after the last: in how many ways it comes to these free places."""
    chain: tuple[tuple[int, int, int], ...]
    """Eligibility and size of the chain's classes, each with the seat that draws when it is added."""
    last: int
    """The seat that takes what is left of the chain."""

    def endings(self, free: int) -> int:
        """In how many ways the chain's dominoes fill these free places."""
        ways, pool = 1, 0
        for _, size, q in self.chain:
            takes = free >> 4 * q & 7
            pool += size
            if takes > pool:
                return 0
            ways *= _CHOOSE[pool][takes]
            pool -= takes
        return ways


def _handout(evidence: Evidence) -> _Handout:
    """The ways for evidence that has a deal: what can lie with one seat only is dealt, the large classes go last."""
    sizes = [evidence.size_of(eligible) for eligible in range(16)]
    three = max(_OF_SIZE[3], key=lambda eligible: sizes[eligible])
    two = max((e for e in _OF_SIZE[2] if e & three == e), key=lambda eligible: sizes[eligible])
    classes = [(e, sizes[e]) for e in (*_OF_SIZE[2], *_OF_SIZE[3]) if sizes[e] and e not in (two, three)]
    free = _GUARD + sum((places - sizes[1 << q]) << 4 * q for q, places in enumerate(evidence.places))
    layers = [{free: 1}]
    for eligible, size in classes:
        layers.append(_dealt_out(layers[-1], _SPLITS[eligible][size]))
    (first,), (second,) = _SEATS_OF[_EVERYBODY & ~three], _SEATS_OF[three & ~two]
    third, last = _SEATS_OF[two]
    chain = ((_EVERYBODY, first), (three, second), (two, third))
    return _Handout(classes, layers, tuple((e, sizes[e], q) for e, q in chain), last)


def _dealt_out(layer: dict[int, int], splits: list[tuple[int, int]]) -> dict[int, int]:
    """The layer after one class was handed out in each of its ways that the free places allow."""
    after: dict[int, int] = {}
    for free, ways in layer.items():
        for split, times in splits:
            left = free - split
            if left & _GUARD == _GUARD:
                after[left] = after.get(left, 0) + ways * times
    return after


def _held(evidence: Evidence, bit: int, seat: int) -> Evidence:
    """The evidence with one domino known to lie with `seat`."""
    a, b, c, d = (barred & ~bit if q == seat else barred | bit for q, barred in enumerate(evidence.barred))
    return Evidence(evidence.places, evidence.unplayed, (a, b, c, d))


def _picked(weights: dict[int, int], below: Callable[[int], int]) -> int:
    """One of the keys, each as likely as its weight says."""
    at = below(sum(weights.values()))
    for key, weight in weights.items():
        at -= weight
        if at < 0:
            return key
    raise AssertionError("below(n) gave n or more")


def _drawn(pool: list[Tile], count: int, below: Callable[[int], int]) -> list[Tile]:
    """So many dominoes taken out of the pool, each choice as likely as any other."""
    return [pool.pop(below(len(pool))) for _ in range(count)]


def _splits(eligible: int) -> list[list[tuple[int, int]]]:
    """For each size the ways to divide a class among its seats: places taken, and how often that comes about."""
    splits: list[dict[int, int]] = [{0: 1}]
    for _ in range(len(_SEATS_OF[eligible]) * HAND_SIZE):
        more: dict[int, int] = {}
        for split, times in splits[-1].items():
            for q in _SEATS_OF[eligible]:
                if split >> 4 * q & 7 < HAND_SIZE:
                    more[split + (1 << 4 * q)] = more.get(split + (1 << 4 * q), 0) + times
        splits.append(more)
    return [list(by_split.items()) for by_split in splits]


_OF_SIZE = tuple([e for e in range(16) if len(_SEATS_OF[e]) == size] for size in range(5))
_SPLITS = {eligible: _splits(eligible) for eligible in (*_OF_SIZE[2], *_OF_SIZE[3])}
_CHOOSE = [[1] + [0] * HAND_SIZE]
"""At n, k the number of ways to choose k of n dominoes."""
for _ in TILES:
    _CHOOSE.append([1] + [_CHOOSE[-1][k - 1] + _CHOOSE[-1][k] for k in range(1, HAND_SIZE + 1)])
