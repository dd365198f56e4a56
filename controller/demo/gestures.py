"""What a hand does at the table: it comes in from its player's edge, touches, and leaves; in frames, not in pixels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

REACH_FRAMES = 4  # from the edge to the touch, and back again
EDGE_MM = 450.0  # where an arm comes in; the table is 900 mm wide
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Piece:
    """A domino lying face up, in table millimetres: the angle runs from `a` to `b`, clockwise as seen."""

    a: int
    b: int
    x_mm: float
    y_mm: float
    angle_deg: float

    @property
    def at(self) -> Point:
        """Its centre."""
        return (self.x_mm, self.y_mm)


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm reaching in from a seat's edge, with the fingertips here and perhaps a domino in them."""

    seat: int
    x_mm: float
    y_mm: float
    holding: Piece | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """One arm's part of a gesture: where it touches, and what it carries on its way in and out."""

    seat: int
    target: Point
    brings: Piece | None = None
    takes: Piece | None = None


class Gesture:
    """Arms that come in together, touch, and leave; `touch` is what changes on the table at the touch.

    `advance` is called once a frame and says which arms the frame shows; () when the gesture is over.
    """

    def __init__(self, reaches: tuple[Reach, ...], touch: Callable[[], None]) -> None:
        self._reaches = reaches
        self._touch = touch
        self._frame = 0

    def advance(self) -> tuple[Arm, ...]:
        """The arms of the next frame."""
        self._frame += 1
        if self._frame == REACH_FRAMES + 1:
            self._touch()
        if self._frame > 2 * REACH_FRAMES + 1:
            return ()
        is_leaving = self._frame > REACH_FRAMES
        steps = 2 * REACH_FRAMES + 1 - self._frame if is_leaving else self._frame
        return tuple(_arm(reach, steps / REACH_FRAMES, is_leaving=is_leaving) for reach in self._reaches)


def edge(seat: int, target: Point) -> Point:
    """Where the arm of `seat` crosses the table's edge on its way to `target`: before the player, a little aimed."""
    x, y = turned(target, -seat)
    return turned((x / 2, max(EDGE_MM, y)), seat)


def turned(point: Point, quarters: int) -> Point:
    """`point` turned clockwise as seen about the table's centre, so that seat 0's place becomes seat `quarters`'s."""
    angle = math.radians(90 * quarters)
    cos, sin = round(math.cos(angle)), round(math.sin(angle))
    return (point[0] * cos - point[1] * sin, point[0] * sin + point[1] * cos)


def _arm(reach: Reach, part: float, *, is_leaving: bool) -> Arm:
    start = edge(reach.seat, reach.target)
    x = start[0] + (reach.target[0] - start[0]) * part
    y = start[1] + (reach.target[1] - start[1]) * part
    held = reach.takes if is_leaving else reach.brings
    return Arm(reach.seat, x, y, replace(held, x_mm=x, y_mm=y) if held is not None else None)
