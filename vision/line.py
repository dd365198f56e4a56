"""How dominoes hang together: which touches which, and the chains that makes; geometry first, suits only break ties.

A joint is made by the short end of one of the two dominoes: against the other's end (straight on), against the middle
of its long side (it lies crosswise, as doubles do), or against the side of one of its halves (a corner). Now and then
a line goes on without an end: it steps aside where a double lies beside the last half, or two equal halves lie side by
side; and a double that was laid wrongly lies crosswise against another. A third domino at a place where the line goes
through is a branch.
Lengths are in units of the side of a half.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import numbers_of
from vision.reading import Branch, Domino, Link

Floats = NDArray[np.floating[Any]]
Complexes = NDArray[np.complexfloating[Any, Any]]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class LineParams:
    """What still counts as touching."""

    reach: float = 0.7
    """Between two touching places, in sides of a half; sloppy players leave a third of that."""
    reach_alike: float = 0.9
    """The same between the ends of two halves of one suit: a line that a sleeve has pushed apart goes on."""
    max_skew_deg: float = 38.0
    """Between two touching borders."""
    mismatch_cost: float = 0.12
    """Added where the suits differ: enough to choose between two like joints, too little to refuse one."""
    aside_cost: float = 0.12
    """Added at the ends of a domino that has neighbours at both its long sides: the line goes through it."""
    step_reach: float = 0.35
    """The same where no end is part of the joint; nothing but suits and places says that it is one."""
    flush_reach: float = 0.15
    """The same for two doubles laid crosswise: dominoes of a hand laid open lie farther apart."""
    step_cost: float = 0.5
    """Added for those: any other joint is likelier."""


DEFAULT = LineParams()

STEP = (0.7, 1.3)
"""How far along a domino the other's centre is where it steps aside by a half; whole side by side it is 0."""

# A slot is the part of a domino that a joint takes up: half a, half b, or one of the two long sides' middles.
_A, _B, _RIGHT, _LEFT = range(4)
_SLOT: Final = np.array((_A, _B, _RIGHT, _LEFT, _A, _B, _A, _B))
"""Of the eight places of a domino where another may touch: two ends, two middles, four sides of halves."""
_AT: Final = np.array(
    (
        (0.5, 0, 0, 0.5, 0, 0, 0.75, 0.25),
        (0.5, 0, 0.5, 0, 0.75, 0.25, 0, 0),
        (0, 0.5, 0.5, 0, 0.25, 0.75, 0, 0),
        (0, 0.5, 0, 0.5, 0, 0, 0.25, 0.75),
    )
)
"""How much each corner counts at each of those places."""
_OUTWARD: Final = np.array(
    (
        (1, -1, -1, 1, -1, -1, 1, 1),
        (1, -1, 1, -1, 1, 1, -1, -1),
        (-1, 1, 1, -1, 1, 1, -1, -1),
        (-1, 1, -1, 1, -1, -1, 1, 1),
    )
)
"""And in which way it leads outward there."""
_SIDE_OF: Final = np.array((0.25, 0.125, 0.25, 0.125))
"""How much each edge counts in the side of a half."""
_IS_END: Final = np.arange(8) < 2
_IS_MIDDLE: Final = (np.arange(8) == 2) | (np.arange(8) == 3)
_UNKNOWN: Final = -1
"""Suit of a place that has none: its half cannot be seen, or two that differ meet there."""
_COST: Final = np.where(_IS_END, 0.0, np.where(_IS_MIDDLE, 0.15, 0.06))
"""Of a joint there; the middle of a long side costs nothing where it has a suit: a double is laid crosswise."""


@dataclass(frozen=True, slots=True)
class _Joint:
    cost: float
    first: int
    first_slot: int
    second: int
    second_slot: int
    suits: tuple[int, int]
    is_flush: bool
    """It joins two long sides in their whole length."""


Taken = dict[int, tuple[int, _Joint]]
"""By slot of one domino, which other is joined there, and how."""


def chains(
    dominoes: Sequence[Domino], params: LineParams = DEFAULT
) -> tuple[tuple[tuple[Link, ...], ...], tuple[Branch, ...]]:
    """The chains of two or more, longest first, each from its end farther left (then higher); and the branches."""
    taken: dict[int, Taken] = {i: {} for i in range(len(dominoes))}
    group = list(range(len(dominoes)))
    joints = _joints(dominoes, params)
    through = _laid_through(joints)
    joints.sort(key=lambda j: (j.is_flush, j.cost + params.aside_cost * _is_aside(j, through)))
    for joint in joints:
        if group[joint.first] == group[joint.second]:
            continue
        if joint.is_flush and not _ends_a_line(joint, taken):
            continue
        if not (_free(taken[joint.first], joint.first_slot) and _free(taken[joint.second], joint.second_slot)):
            continue
        taken[joint.first][joint.first_slot] = (joint.second, joint)
        taken[joint.second][joint.second_slot] = (joint.first, joint)
        group = _merged(group, joint)
    found = [_walk(start, taken, dominoes) for start in _starts(taken, dominoes)]
    return tuple(sorted(found, key=lambda chain: -len(chain))), tuple(_branches(joints, taken, group))


def _laid_through(joints: Sequence[_Joint]) -> set[int]:
    """The dominoes that may be joined at the middles of both long sides."""
    at = {(j.first, j.first_slot) for j in joints} | {(j.second, j.second_slot) for j in joints}
    return {index for index, slot in at if slot == _LEFT and (index, _RIGHT) in at}


def _is_aside(joint: _Joint, through: set[int]) -> bool:
    return (joint.first in through and joint.first_slot in (_A, _B)) or (
        joint.second in through and joint.second_slot in (_A, _B)
    )


def _ends_a_line(joint: _Joint, taken: dict[int, Taken]) -> bool:
    """Whether the line comes in at the other long side of one of the two: alone they are but side by side."""
    other = {_LEFT: _RIGHT, _RIGHT: _LEFT}
    return other[joint.first_slot] in taken[joint.first] or other[joint.second_slot] in taken[joint.second]


def _branches(joints: Sequence[_Joint], taken: dict[int, Taken], group: list[int]) -> Iterator[Branch]:
    """The joints by which what hangs together otherwise touches a domino that is joined at both ends already."""
    for joint in joints:
        at_first, at_second = taken[joint.first], taken[joint.second]
        if group[joint.first] == group[joint.second]:
            continue
        # Of the domino in the middle any place will do, its joints' own halves too; the other's has to be free.
        if len(at_first) == 2 and joint.second_slot not in at_second:
            yield Branch(joint.second, joint.first)
        elif len(at_second) == 2 and joint.first_slot not in at_first:
            yield Branch(joint.first, joint.second)
        else:
            continue
        group = _merged(group, joint)


def _merged(group: list[int], joint: _Joint) -> list[int]:
    """Which dominoes hang together, after one more joint."""
    old, new = group[joint.second], group[joint.first]
    return [new if g == old else g for g in group]


def _free(taken: Taken, slot: int) -> bool:
    """Whether a domino can have one more joint at a slot: at most two, and never twice at the same."""
    return len(taken) < 2 and slot not in taken


def _joints(dominoes: Sequence[Domino], params: LineParams) -> list[_Joint]:
    """The best joint of each two slots of each two dominoes near enough to touch.

    Points are complex numbers here, x + iy.
    """
    if len(dominoes) < 2:
        return []
    corners = numbers_of(np.array([domino.corners for domino in dominoes]))
    at, outward = corners @ _AT, corners @ _OUTWARD
    outward /= np.maximum(np.abs(outward), 1e-9)
    suits = np.array([_suits(domino) for domino in dominoes])
    side, middle = np.abs(corners - corners[:, (1, 2, 3, 0)]) @ _SIDE_OF, corners.mean(axis=1)
    first, second, p, q = _near(at, middle, side, params.reach_alike)
    mean = (side[first] + side[second]) / 2
    way, p_suit, q_suit = outward[first, p], suits[first, p], suits[second, q]
    gap = np.abs(at[first, p] - at[second, q]) / mean
    skew_deg = np.degrees(np.arccos(np.clip(-(way * outward[second, q].conj()).real, -1, 1)))
    along = np.abs(((middle[second] - middle[first]) * way.conj()).imag) / mean
    are_known = (p_suit != _UNKNOWN) & (q_suit != _UNKNOWN)
    are_alike = are_known & (p_suit == q_suit)
    are_flush, is_aside = _IS_MIDDLE[p] & _IS_MIDDLE[q], ~(_IS_END[p] | _IS_END[q])
    # Where no end is part of it, a joint is one of two doubles laid crosswise or of two equal suits: a double beside
    # a half, or two halves side by side.
    is_step = are_alike & (_IS_MIDDLE[p] | _IS_MIDDLE[q] | (STEP[0] < along) & (along < STEP[1]))
    may_be = ~is_aside | np.where(are_flush, are_known, is_step)
    reach = np.where(are_alike & _IS_END[p] & _IS_END[q], params.reach_alike, params.reach)
    reach = np.where(are_flush, params.flush_reach, np.where(is_aside, params.step_reach, reach))
    cost = gap + skew_deg / 90 + params.step_cost * is_aside + params.mismatch_cost * (are_known & ~are_alike)
    for place, suit in ((p, p_suit), (q, q_suit)):
        cost += np.where(_IS_MIDDLE[place] & (suit != _UNKNOWN), 0.0, _COST[place])
    touching = np.nonzero(may_be & (gap <= reach) & (skew_deg <= params.max_skew_deg))[0]
    touching = touching[np.argsort(cost[touching], kind="stable")]
    columns = (cost, first, _SLOT[p], second, _SLOT[q], p_suit, q_suit, are_flush)
    best: dict[tuple[int, int, int, int], _Joint] = {}
    for paid, i, i_slot, j, j_slot, i_suit, j_suit, is_flush in zip(
        *(column[touching].tolist() for column in columns), strict=True
    ):
        if (i, i_slot, j, j_slot) not in best:
            best[i, i_slot, j, j_slot] = _Joint(paid, i, i_slot, j, j_slot, (i_suit, j_suit), is_flush)
    return list(best.values())


def _near(at: Complexes, middle: Complexes, side: Floats, reach: float) -> tuple[Indices, Indices, Indices, Indices]:
    """Which two dominoes' which two places are near enough to touch, the first two in order: few of the 64 for each."""
    apart = np.abs(middle[:, None] - middle) / (side[:, None] + side)
    first, second = np.nonzero(apart <= (2 + reach) / 2)
    in_order = first < second
    first, second = first[in_order], second[in_order]
    between = at[first][:, :, None] - at[second][:, None]
    limit = reach * (side[first] + side[second]) / 2
    pair, p, q = np.nonzero(between.real**2 + between.imag**2 <= (limit * limit)[:, None, None])
    return first[pair], second[pair], p, q


def _suits(domino: Domino) -> tuple[int, ...]:
    """What shows at each of the eight places."""
    a, b = (_UNKNOWN if half.suit is None else half.suit for half in (domino.a, domino.b))
    both = a if a == b else _UNKNOWN
    return (a, b, both, both, a, b, a, b)


def _starts(taken: dict[int, Taken], dominoes: Sequence[Domino]) -> list[int]:
    """One end of every chain, the one farther left, then higher."""
    starts, seen = [], set()
    for index in sorted((i for i in taken if len(taken[i]) == 1), key=lambda i: dominoes[i].centre):
        if index in seen:
            continue
        starts.append(index)
        seen.add(index)
        before, here = index, next(iter(taken[index].values()))[0]
        while len(taken[here]) == 2:
            before, here = here, next(n for n, _ in taken[here].values() if n != before)
        seen.add(here)
    return starts


def _walk(start: int, taken: dict[int, Taken], dominoes: Sequence[Domino]) -> tuple[Link, ...]:
    """The chain from one end to the other."""
    links, entry, here, before = [], None, start, -1
    while True:
        exits = [(slot, other, joint) for slot, (other, joint) in taken[here].items() if other != before]
        leave = exits[0] if exits else None
        links.append(Link(here, flipped=_flipped(dominoes[here], here, entry, leave)))
        if leave is None:
            return tuple(links)
        _, before, joint = leave[0], here, leave[2]
        here = leave[1]
        entry = (joint.second_slot if joint.second == here else joint.first_slot, before, joint)


def _flipped(
    domino: Domino, index: int, entry: tuple[int, int, _Joint] | None, leave: tuple[int, int, _Joint] | None
) -> bool:
    """Whether half b comes first: by the half that was entered or left, and for one lying crosswise by its suits."""
    if entry is not None and entry[0] in (_A, _B):
        return entry[0] == _B
    if leave is not None and leave[0] in (_A, _B):
        return leave[0] == _A
    if entry is not None and domino.a.suit != domino.b.suit:
        met = entry[2].suits[1 if entry[2].first == index else 0]
        return met == domino.b.suit
    return False
