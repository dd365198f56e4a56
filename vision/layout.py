"""Where dominoes lie on the table, in millimetres: a line grown as people grow it, and hands shown in front of a seat.

No picture is drawn or read here. Table millimetres: origin at the table's centre, x to the picture's right, y down the
picture; angles in degrees, clockwise as seen; seats 0 bottom, 1 left, 2 top, 3 right.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

DOMINO_LENGTH_MM: Final = 48.0  # a common club domino, twice as long as wide
DOMINO_WIDTH_MM: Final = 24.0
MARGIN_MM: Final = 42.0  # people turn this far before the middle square ends; room for a double across the line
CLEARANCE_MM: Final = 5.0  # the line passes its own earlier dominoes no nearer than this
NEAR_MM: Final = math.hypot(DOMINO_LENGTH_MM, DOMINO_WIDTH_MM) + CLEARANCE_MM  # centres farther apart need no look
MAX_GAP_MM: Final = 1.0  # at a joint
MAX_TILT_DEG: Final = 1.0  # the whole line against the table's edges
STEADINESS: Final = 0.6  # share of the line's sideways drift that the next domino keeps: people straighten as they go
SHOWN_GAP_MM: Final = 6.0  # between the dominoes of a hand laid open

End = Literal["L", "R"]


@dataclass(frozen=True, slots=True)
class Lying:
    """A domino lying face up: its halves, its centre, and the angle of the axis from a to b."""

    a: int
    b: int
    x_mm: float
    y_mm: float
    angle_deg: float

    def corners_mm(self) -> NDArray[np.float64]:
        """The face's corners, shape (4, 2): 0 and 1 at a's end, going round clockwise as seen."""
        ux, uy = _unit(self.angle_deg)
        along = np.array((ux, uy)) * DOMINO_LENGTH_MM / 2
        across = np.array((-uy, ux)) * DOMINO_WIDTH_MM / 2
        centre = np.array((self.x_mm, self.y_mm))
        return centre + np.array((across - along, -across - along, along - across, along + across))


def separation_mm(one: Lying, other: Lying) -> float:
    """The widest gap between two dominoes along any of their axes; negative when they overlap (separating axes)."""
    p, q = one.corners_mm(), other.corners_mm()
    widest = -math.inf
    for angle_deg in (one.angle_deg, one.angle_deg + 90, other.angle_deg, other.angle_deg + 90):
        axis = np.array(_unit(angle_deg))
        on_p, on_q = p @ axis, q @ axis
        widest = max(widest, float(on_q.min() - on_p.max()), float(on_p.min() - on_q.max()))
    return widest


class LineLayout:
    """A line growing at both ends inside the middle square, without ever covering itself.

    It starts near the centre, runs straight, and turns where the next domino would leave the middle square; both ends
    turn the same way round, so that they wind past each other. Doubles lie crosswise. All 28 dominoes fit, in whatever
    order and at whichever ends they come; what lies is never moved.

        >>> line = LineLayout(np.random.default_rng(1))
        >>> _ = line.first(6, 6)
        >>> (line.add("R", 6, 4).a, len(line.lying))
        (6, 2)

    Args:
        rng: the only source of chance.
        table_mm: side of the table.
        zone_mm: depth of the seats' zones; the line stays out of them.
        sloppiness: 0 lays by a ruler, 1 as people do, 2 as tired people do.
    """

    def __init__(
        self, rng: np.random.Generator, *, table_mm: float = 900.0, zone_mm: float = 130.0, sloppiness: float = 1.0
    ) -> None:
        self._rng = rng
        self._table_mm = table_mm
        self._zone_mm = zone_mm
        self._sloppiness = sloppiness
        self._reach_mm = table_mm / 2 - zone_mm - MARGIN_MM
        self._lying: list[Lying] = []
        self._tips: dict[End, _Tip] = {}

    @property
    def lying(self) -> tuple[Lying, ...]:
        """Every domino of the line, in the order they were laid."""
        return tuple(self._lying)

    def first(self, left: int, right: int) -> Lying:
        """Lay the first domino near the centre, half `left` towards the line's L end; a double lies crosswise.

        Raises:
            ValueError: the line has begun already.
        """
        if self._lying:
            raise ValueError(f"first() was called on a line of {len(self._lying)} dominoes; lay the others with add()")
        rng, slop = self._rng, min(self._sloppiness, 1.0)
        heading_deg = float(rng.choice((0.0, 0.0, 0.0, 180.0, 90.0, 270.0)) + rng.uniform(-1, 1) * MAX_TILT_DEG * slop)
        turn_deg = float(rng.choice((90.0, -90.0)))
        x_mm, y_mm = (float(v) for v in rng.uniform(-12, 12, 2) * slop)
        domino = Lying(left, right, x_mm, y_mm, heading_deg + (90 if left == right else 0))
        self._lying.append(domino)
        ends: tuple[tuple[End, float], ...] = (("R", heading_deg), ("L", heading_deg + 180))
        for end, outwards_deg in ends:
            way = _Way(x_mm, y_mm, outwards_deg, outwards_deg, crosswise=left == right)
            axis_mm = _across(x_mm, y_mm, outwards_deg)
            self._tips[end] = _tip_after((domino,), way, axis_mm=axis_mm, turn_deg=turn_deg)
        return domino

    def add(self, end: End, inner: int, outer: int) -> Lying:
        """Lay a domino at an end, half `inner` against the line; whether the suits agree is nobody's business here.

        Raises:
            ValueError: the line has not begun, or it has wound round until no room is left (after 28 dominoes).
        """
        if not self._lying:
            raise ValueError("add() was called on an empty line; lay its first domino with first()")
        tip = self._tips[end]
        for way in _ways_on(tip, double=inner == outer, beyond_first=bool(self._rng.random() < 0.6)):
            domino = self._settle(way, inner, outer, against=tip.near)
            if self._has_room(domino, way, beside=tip.near):
                self._lying.append(domino)
                straight = way.heading_deg == tip.heading_deg
                axis_mm = tip.axis_mm if straight else _across(domino.x_mm, domino.y_mm, way.heading_deg)
                near = (domino, tip.near[0])
                self._tips[end] = _tip_after(near, way, axis_mm=axis_mm, turn_deg=tip.turn_deg)
                return domino
        raise ValueError(f"no room for {inner}-{outer} at {end}: {len(self._lying)} dominoes fill the middle square")

    def shown(self, seat: int, tiles: Sequence[tuple[int, int]]) -> tuple[Lying, ...]:
        """A hand laid face up in a seat's zone, side by side with gaps, first halves towards the table's centre."""
        rng, slop = self._rng, min(self._sloppiness, 1.0)
        pitch_mm = DOMINO_WIDTH_MM + SHOWN_GAP_MM
        depth_mm = self._table_mm / 2 - self._zone_mm / 2
        right, down = np.array(_unit(90.0 * seat)), np.array(_unit(90.0 * seat + 90))
        hand: list[Lying] = []
        for place, (a, b) in enumerate(tiles):
            along_mm = (place - (len(tiles) - 1) / 2) * pitch_mm + rng.uniform(-1, 1) * slop
            x_mm, y_mm = right * along_mm + down * (depth_mm + rng.uniform(-4, 4) * slop)
            hand.append(Lying(a, b, float(x_mm), float(y_mm), 90.0 * seat + 90 + float(rng.uniform(-3, 3)) * slop))
        return tuple(hand)

    def _settle(self, way: "_Way", inner: int, outer: int, *, against: Sequence[Lying]) -> Lying:
        """Put a domino down as a hand does: a little turned, a little aside, then pushed until the gap is right."""
        rng, slop = self._rng, self._sloppiness
        turned_deg = float(np.clip(rng.normal(0, 0.9), -2, 2)) * slop
        aside_mm = float(np.clip(rng.normal(0, 0.5), -1, 1)) * slop
        gap_mm = 0.05 + float(rng.uniform(0, MAX_GAP_MM - 0.05)) * min(slop, 1.0)
        px, py = _unit(way.push_deg)
        angle_deg = way.heading_deg + (90 if way.crosswise else 0) + turned_deg
        domino = Lying(inner, outer, way.x_mm - py * aside_mm, way.y_mm + px * aside_mm, angle_deg)
        # The gap is along a domino's own axis, the push nearly so: a few steps close it.
        while (short_mm := gap_mm - min(separation_mm(other, domino) for other in against)) > 1e-3:
            domino = replace(domino, x_mm=domino.x_mm + px * short_mm, y_mm=domino.y_mm + py * short_mm)
        return domino

    def _has_room(self, domino: Lying, way: "_Way", *, beside: Sequence[Lying]) -> bool:
        """Whether a domino stays in the middle square and clear of the line; a double may stick out by its width."""
        reach_mm = self._reach_mm + (DOMINO_WIDTH_MM if way.crosswise else 0.0)
        if float((domino.corners_mm() @ np.array(_unit(way.heading_deg))).max()) > reach_mm:
            return False
        return all(
            separation_mm(domino, other) >= CLEARANCE_MM
            for other in self._lying
            if other not in beside and math.hypot(other.x_mm - domino.x_mm, other.y_mm - domino.y_mm) < NEAR_MM
        )


@dataclass(frozen=True, slots=True)
class _Tip:
    """An open end of the line."""

    near: tuple[Lying, ...]  # the last domino there and the one before it
    x_mm: float  # the middle of the open end
    y_mm: float
    heading_deg: float  # which way the line runs on
    axis_mm: float  # where this straight run lies, measured across the heading
    turn_deg: float  # +90 or -90: the way this line winds
    crosswise: bool  # the last domino lies across the line


@dataclass(frozen=True, slots=True)
class _Way:
    """A place where the next domino could go: its centre, the line's heading there, and where it is pushed from."""

    x_mm: float
    y_mm: float
    heading_deg: float
    push_deg: float  # the direction away from the neighbour it touches
    crosswise: bool


def _ways_on(tip: _Tip, *, double: bool, beyond_first: bool) -> Iterator[_Way]:
    """The places for the next domino, best first: straight on, then round a corner the line's way, then the other way.

    Round a corner people lay a domino beyond the end (its inner half against the end), on the side (its end against the
    side of the last half), or, after a double that lies crosswise, off the double's own end.
    """
    half_mm = (DOMINO_WIDTH_MM if double else DOMINO_LENGTH_MM) / 2
    drift_mm = _across(tip.x_mm, tip.y_mm, tip.heading_deg) - tip.axis_mm
    yield _way_from(tip, half_mm, (STEADINESS - 1) * drift_mm, tip.heading_deg, tip.heading_deg, crosswise=double)
    width_mm = DOMINO_WIDTH_MM
    for turn_deg in (tip.turn_deg, -tip.turn_deg):
        heading_deg = tip.heading_deg + turn_deg
        sign = math.copysign(1.0, turn_deg)
        side_mm = DOMINO_LENGTH_MM / 2 if tip.crosswise else width_mm / 2
        side = _way_from(tip, -width_mm / 2, sign * (side_mm + half_mm), heading_deg, heading_deg, crosswise=double)
        beyond_mm = half_mm - width_mm / 2
        beyond = _way_from(tip, width_mm / 2, sign * beyond_mm, heading_deg, tip.heading_deg, crosswise=False)
        if tip.crosswise or double:
            yield side
        else:
            yield from (beyond, side) if beyond_first else (side, beyond)


def _way_from(
    tip: _Tip, ahead_mm: float, aside_mm: float, heading_deg: float, push_deg: float, *, crosswise: bool
) -> _Way:
    """A centre so far ahead of the tip and so far aside (positive: clockwise of the heading)."""
    ux, uy = _unit(tip.heading_deg)
    x_mm, y_mm = tip.x_mm + ux * ahead_mm - uy * aside_mm, tip.y_mm + uy * ahead_mm + ux * aside_mm
    return _Way(x_mm, y_mm, heading_deg, push_deg, crosswise)


def _tip_after(near: tuple[Lying, ...], way: _Way, *, axis_mm: float, turn_deg: float) -> _Tip:
    """The open end that the last domino, laid that way, leaves: the far side of it as it really lies."""
    domino = near[0]
    half_mm = (DOMINO_WIDTH_MM if way.crosswise else DOMINO_LENGTH_MM) / 2
    outwards_deg = domino.angle_deg - (90 if way.crosswise else 0)
    if math.cos(math.radians(outwards_deg - way.heading_deg)) < 0:
        outwards_deg += 180
    ux, uy = _unit(outwards_deg)
    x_mm, y_mm = domino.x_mm + ux * half_mm, domino.y_mm + uy * half_mm
    return _Tip(near, x_mm, y_mm, way.heading_deg, axis_mm, turn_deg, way.crosswise)


def _across(x_mm: float, y_mm: float, heading_deg: float) -> float:
    """How far a point lies aside of the table's centre, measured clockwise of a heading."""
    ux, uy = _unit(heading_deg)
    return y_mm * ux - x_mm * uy


def _unit(angle_deg: float) -> tuple[float, float]:
    angle = math.radians(angle_deg)
    return math.cos(angle), math.sin(angle)
