"""How dominoes hang together: which touches which, and the chains that makes; geometry first, suits only break ties.

A joint is made by the short end of one of the two dominoes: against the other's end (straight on), against the middle
of its long side (it lies crosswise, as doubles do), or against the side of one of its halves (a corner). Now and then
a line goes on without an end: it steps aside where a double lies beside the last half, or two equal halves lie side by
side; and a double that was laid wrongly lies crosswise against another. A third domino at a place where the line goes
through is a branch.
Lengths are in units of the side of a half.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vision.reading import Branch, Domino, Link, Point


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
_A, _B, _LEFT, _RIGHT = "a", "b", "left", "right"


@dataclass(frozen=True, slots=True)
class _Place:
    """One place of a domino where another may touch."""

    at: Point
    outward: Point
    slot: str
    kind: str
    suit: int | None


@dataclass(frozen=True, slots=True)
class _Joint:
    cost: float
    first: int
    first_slot: str
    second: int
    second_slot: str
    suits: tuple[int | None, int | None]


def chains(
    dominoes: Sequence[Domino], params: LineParams = DEFAULT
) -> tuple[tuple[tuple[Link, ...], ...], tuple[Branch, ...]]:
    """The chains of two or more, longest first, each from its end farther left (then higher); and the branches."""
    taken: dict[int, dict[str, tuple[int, _Joint]]] = {i: {} for i in range(len(dominoes))}
    group = list(range(len(dominoes)))
    joints = _joints(dominoes, params)
    through = _laid_through(joints)
    joints.sort(key=lambda j: (_is_flush(j), j.cost + params.aside_cost * _is_aside(j, through)))
    for joint in joints:
        if group[joint.first] == group[joint.second]:
            continue
        if _is_flush(joint) and not _ends_a_line(joint, taken):
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
    ends = ((joint.first, joint.first_slot), (joint.second, joint.second_slot))
    return any(index in through and slot in (_A, _B) for index, slot in ends)


def _is_flush(joint: _Joint) -> bool:
    """Whether it joins two long sides in their whole length."""
    return {joint.first_slot, joint.second_slot} <= {_LEFT, _RIGHT}


def _ends_a_line(joint: _Joint, taken: dict[int, dict[str, tuple[int, _Joint]]]) -> bool:
    """Whether the line comes in at the other long side of one of the two: alone they are but side by side."""
    other = {_LEFT: _RIGHT, _RIGHT: _LEFT}
    return other[joint.first_slot] in taken[joint.first] or other[joint.second_slot] in taken[joint.second]


def _branches(
    joints: Sequence[_Joint], taken: dict[int, dict[str, tuple[int, _Joint]]], group: list[int]
) -> Iterator[Branch]:
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


def _free(taken: dict[str, tuple[int, _Joint]], slot: str) -> bool:
    """Whether a domino can have one more joint at a slot: at most two, and never twice at the same."""
    return len(taken) < 2 and slot not in taken


def _joints(dominoes: Sequence[Domino], params: LineParams) -> list[_Joint]:
    """The best joint of each two slots of each two dominoes near enough to touch."""
    places = [_places(domino) for domino in dominoes]
    sides = [_side(domino) for domino in dominoes]
    centres = [domino.centre for domino in dominoes]
    best: dict[tuple[int, str, int, str], _Joint] = {}
    for i, j, at_i, at_j in _near(places, sides, centres, params):
        p, q, side = places[i][at_i], places[j][at_j], (sides[i] + sides[j]) / 2
        if "end" not in (p.kind, q.kind) and not _is_step(p, q, centres[i], centres[j], side):
            continue
        cost = _cost(p, q, side, params)
        key = (i, p.slot, j, q.slot)
        if cost is not None and (key not in best or cost < best[key].cost):
            best[key] = _Joint(cost, i, p.slot, j, q.slot, (p.suit, q.suit))
    return list(best.values())


def _near(
    places: Sequence[tuple[_Place, ...]], sides: Sequence[float], centres: Sequence[Point], params: LineParams
) -> list[tuple[int, int, int, int]]:
    """Which places of which two dominoes are near enough to touch: few of the 64 for each two."""
    if len(places) < 2:
        return []
    middles, mean = np.array(centres), np.add.outer(sides, sides) / 2
    apart = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
    first, second = np.nonzero(np.triu(apart <= (2 + params.reach_alike) * mean, 1))
    at = np.array([[place.at for place in each] for each in places])
    gaps = np.abs(at[first][:, :, None] - at[second][:, None]).max(axis=-1)
    pair, at_first, at_second = np.nonzero(gaps <= params.reach_alike * mean[first, second][:, None, None])
    found = zip(first[pair].tolist(), second[pair].tolist(), at_first.tolist(), at_second.tolist(), strict=True)
    return list(found)


def _is_step(p: _Place, q: _Place, one: Point, other: Point, side: float) -> bool:
    """Whether two places may be joined without an end: of two doubles laid crosswise, or of two equal suits.

    Those are a double beside a half, or two halves side by side.
    """
    if _are_flush(p, q):
        return p.suit is not None and q.suit is not None
    if p.suit is None or p.suit != q.suit or "side" not in (p.kind, q.kind):
        return False
    if "middle" in (p.kind, q.kind):
        return True
    across = p.outward
    x, y = other[0] - one[0], other[1] - one[1]
    return STEP[0] < abs(x * across[1] - y * across[0]) / side < STEP[1]


def _are_flush(p: _Place, q: _Place) -> bool:
    """Whether two long sides lie against each other in their whole length."""
    return p.kind == q.kind == "middle"


def _cost(p: _Place, q: _Place, side: float, params: LineParams) -> float | None:
    """How badly two places touch; None when they do not."""
    gap = math.dist(p.at, q.at) / side
    steps_aside = "end" not in (p.kind, q.kind)
    reach = params.step_reach if steps_aside else _reach(p, q, params)
    if gap > (params.flush_reach if _are_flush(p, q) else reach):
        return None
    facing = -(p.outward[0] * q.outward[0] + p.outward[1] * q.outward[1])
    skew_deg = math.degrees(math.acos(max(-1.0, min(1.0, facing))))
    if skew_deg > params.max_skew_deg:
        return None
    cost = gap + skew_deg / 90 + (params.step_cost if steps_aside else 0)
    for place in (p, q):
        # The middle of a long side has a suit where the domino is a double, which is laid crosswise.
        cost += {"end": 0.0, "middle": 0.15 if place.suit is None else 0.0, "side": 0.06}[place.kind]
    if p.suit is not None and q.suit is not None and p.suit != q.suit:
        cost += params.mismatch_cost
    return cost


def _reach(p: _Place, q: _Place, params: LineParams) -> float:
    are_alike = p.kind == q.kind == "end" and p.suit is not None and p.suit == q.suit
    return params.reach_alike if are_alike else params.reach


def _side(domino: Domino) -> float:
    """Side of a half in pixels, the mean over the face."""
    c = domino.corners
    ends, sides = math.dist(c[0], c[1]) + math.dist(c[2], c[3]), math.dist(c[1], c[2]) + math.dist(c[3], c[0])
    return (ends + sides / 2) / 4


def _places(domino: Domino) -> tuple[_Place, ...]:
    """The eight places of a domino: two ends, two middles, four half sides."""
    c0, c1, c2, c3 = domino.corners
    a_end, b_end, right, left = _between(c0, c1), _between(c2, c3), _between(c1, c2), _between(c3, c0)
    along, across = _unit(a_end, b_end), _unit(right, left)
    back, away = (-along[0], -along[1]), (-across[0], -across[1])
    a, b = domino.a.suit, domino.b.suit
    both = a if a == b else None
    return (
        _Place(a_end, back, _A, "end", a),
        _Place(b_end, along, _B, "end", b),
        _Place(right, away, _RIGHT, "middle", both),
        _Place(left, across, _LEFT, "middle", both),
        _Place(_between(c1, right), away, _A, "side", a),
        _Place(_between(right, c2), away, _B, "side", b),
        _Place(_between(c0, left), across, _A, "side", a),
        _Place(_between(left, c3), across, _B, "side", b),
    )


def _between(p: Point, q: Point) -> Point:
    return ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)


def _unit(start: Point, stop: Point) -> Point:
    length = math.dist(start, stop) or 1.0
    return ((stop[0] - start[0]) / length, (stop[1] - start[1]) / length)


def _starts(taken: dict[int, dict[str, tuple[int, _Joint]]], dominoes: Sequence[Domino]) -> list[int]:
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


def _walk(start: int, taken: dict[int, dict[str, tuple[int, _Joint]]], dominoes: Sequence[Domino]) -> tuple[Link, ...]:
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
    domino: Domino, index: int, entry: tuple[str, int, _Joint] | None, leave: tuple[str, int, _Joint] | None
) -> bool:
    """Whether half b comes first: by the half that was entered or left, and for one lying crosswise by its suits."""
    if entry is not None and entry[0] in (_A, _B):
        return entry[0] == _B
    if leave is not None and leave[0] in (_A, _B):
        return leave[0] == _A
    if entry is not None and domino.a.suit != domino.b.suit:
        met = entry[2].suits[1 if entry[2].first == index else 0]
        return met is not None and met == domino.b.suit
    return False
