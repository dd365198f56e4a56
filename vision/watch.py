"""Watches a table over time: when a hand is in, when all lies still again, and then, once, what lies there.

A pure state machine: it is fed frames and knows no clock but their stamps. What the dominoes mean is not its business.
Everything runs on a thumbnail of the frame; only a scene that has changed and settled is read at full size.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.change import (
    Area,
    Arm,
    Bgr,
    ChangeParams,
    Mask,
    Thumb,
    alike,
    area_of,
    cannot_see,
    changed,
    find_arm,
    thumbnail,
)
from vision.frame import Frame, NotAFrame, checked
from vision.geometry import Table
from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class WatchParams:
    """How long things take, and what counts as a change."""

    settle_ms: float = 400.0
    """All must lie still for so long before it is read."""
    resting_ms: float = 60_000.0
    """What lies at the border unmoved for so long is no arm: it belongs to the scene."""
    change: ChangeParams = field(default_factory=ChangeParams)


@dataclass(frozen=True, slots=True)
class HandSeen:
    """From whose side the arm came in that was over the table last, and how sure that is, in [0, 1]."""

    seat: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Settled:
    """The scene has changed and lies still, with no hand in it."""

    reading: Reading
    rest_ns: int
    """Since when it lies still."""
    frame: Frame
    """The one it was judged on."""
    hand: HandSeen | None = None
    """None where nobody's arm was made out."""

    @property
    def frame_number(self) -> int:
        """Of that frame."""
        return self.frame.number


@dataclass(frozen=True, slots=True)
class HandIn:
    """An arm has come over the table."""

    mono_ns: int
    side: int | None
    """The picture's side it comes from, a hint at whose it is: 0 bottom, 1 left, 2 top, 3 right."""


@dataclass(frozen=True, slots=True)
class HandOut:
    """The last arm has left the table."""

    mono_ns: int


@dataclass(frozen=True, slots=True)
class CannotSee:
    """Frames come, but nothing can be seen in them."""

    mono_ns: int
    reason: str


@dataclass(frozen=True, slots=True)
class SeesAgain:
    """What could not be seen can be seen again."""

    mono_ns: int


Sight = Settled | HandIn | HandOut | CannotSee | SeesAgain


class Watcher:
    """Turns frames into sights.

    Where the table is known, hands count in its middle square only: players rest theirs in front of themselves, and
    that must not hold up the game. The seats' zones are watched on their own, for dominoes shown there.

        >>> watcher = Watcher(read=lambda bgr: Reading())
        >>> cloth = np.random.default_rng(1).integers(60, 120, (240, 320, 3), dtype=np.uint8)
        >>> [type(sight).__name__ for n in range(4) for sight in watcher.see(Frame(cloth, n * 250_000_000, n))]
        ['Settled']

    Args:
        read: reads a frame's picture; called only for a settled scene that differs from the one before.
        params: how long things take, and what counts as a change.
        table: where the table is; None watches the whole picture, and an arm is what comes in over its border.
    """

    def __init__(
        self, *, read: Callable[[Bgr], Reading], params: WatchParams | None = None, table: Table | None = None
    ) -> None:
        self._read = read
        self._params = params or WatchParams()
        self._table = table
        self._shape: tuple[int, ...] | None = None
        self._parts: tuple[_Part, ...] = ()
        self._hand = False
        self._blind = False

    def see(self, frame: Frame) -> tuple[Sight, ...]:
        """Take the next frame; an idle one costs a thumbnail and a comparison."""
        try:
            thumb = thumbnail(checked(frame.bgr, source=f"frame {frame.number}"))
        except NotAFrame as problem:
            return self._lose_sight(frame, str(problem))
        if reason := cannot_see(thumb, self._params.change):
            return self._lose_sight(frame, reason)
        sights: list[Sight] = []
        if self._blind:
            self._blind = False
            sights.append(SeesAgain(frame.mono_ns))
        if self._shape != frame.bgr.shape:
            self._shape = frame.bgr.shape
            self._parts = _parts(thumb, frame.bgr, self._table, self._params)
        line = self._parts[0]
        for part in self._parts:
            part.look(thumb, frame.mono_ns)
        sights += self._hand_sights(line.arm, frame.mono_ns)
        news = [part for part in self._parts if part.news]
        if news and line.judged:
            rest_ns = max(part.rest_ns for part in news)
            for part in news:
                part.news = False
            sights.append(Settled(self._read(frame.bgr), rest_ns, frame))
        return tuple(sights)

    @property
    def scene(self) -> Thumb | None:
        """The table as it last lay still; None before it has."""
        return self._parts[0].scene if self._parts else None

    @property
    def rest_ns(self) -> int | None:
        """Since when all has been lying still; None while it has not lain so for long enough, or cannot be seen."""
        is_resting = bool(self._parts) and not self._blind and all(part.judged for part in self._parts)
        return max(part.rest_ns for part in self._parts) if is_resting else None

    def _lose_sight(self, frame: Frame, reason: str) -> tuple[Sight, ...]:
        for part in self._parts:
            part.interrupt()
        was, self._blind = self._blind, True
        return () if was else (CannotSee(frame.mono_ns, reason),)

    def _hand_sights(self, arm: Arm | None, now_ns: int) -> tuple[Sight, ...]:
        was, self._hand = self._hand, arm is not None
        if arm is not None and not was:
            return (HandIn(now_ns, arm.side),)
        return (HandOut(now_ns),) if was and arm is None else ()


class _Part:
    """One part of the table: how it looked when it last lay still, and how long it has looked as it does."""

    def __init__(self, area: Area, params: WatchParams) -> None:
        self.scene: Thumb | None = None  # as last judged to lie still
        self.arm: Arm | None = None
        self.judged = False
        self.news = False  # it has settled into something new that nobody has read yet
        self.rest_ns = 0
        self._area = area
        self._params = params
        self._anchor: Thumb | None = None  # the first look of the present rest

    def interrupt(self) -> None:
        """Nothing was seen for a while: the rest begins anew."""
        self._anchor = None
        self.judged = False

    def look(self, thumb: Thumb, now_ns: int) -> None:
        """Take the next look."""
        self._rest(thumb, now_ns)
        if not self.judged:
            self._judge(thumb, now_ns)

    def _rest(self, thumb: Thumb, now_ns: int) -> None:
        """Go on resting, or begin anew. The rest's first look is what counts, so that creeping shows in the end."""
        inside, params = self._area.inside, self._params.change
        if self._anchor is not None and alike(self._anchor, thumb, inside, params):
            return
        if self._anchor is None or changed(self._anchor, thumb, inside, params).any():
            self.rest_ns = now_ns
            self.judged = False
        elif self.judged:
            self.scene = thumb  # only the light has changed
        self._anchor = thumb

    def _judge(self, thumb: Thumb, now_ns: int) -> None:
        """What a look that has not been judged comes to: an arm, a wait, nothing new, or news."""
        rested_ms = (now_ns - self.rest_ns) / 1e6
        new = True
        self.arm = None
        if self.scene is not None:
            change = changed(self.scene, thumb, self._area.inside, self._params.change)
            new = bool(change.any())
            if rested_ms < self._params.resting_ms:
                self.arm = find_arm(change, self.scene, thumb, self._area, self._params.change)
        if self.arm is None and rested_ms >= self._params.settle_ms:
            self.scene = self._anchor = thumb
            self.judged = True
            self.news |= new


def _parts(thumb: Thumb, bgr: Bgr, table: Table | None, params: WatchParams) -> tuple[_Part, ...]:
    """The parts to watch on thumbnails of this size: the middle square and the seats' zones, or all there is."""
    if table is None:
        return (_Part(area_of(np.full(thumb.grey.shape, 255, np.uint8)), params),)
    whole = _square(table, table.side_mm / 2, thumb, bgr)
    middle = _square(table, table.side_mm / 2 - table.zone_mm, thumb, bgr)
    zones = cv2.subtract(whole, middle).astype(np.uint8)
    middle_mm2 = (table.side_mm - 2 * table.zone_mm) ** 2
    in_middle, in_zones = (
        replace(params, change=replace(params.change, arm_share=params.change.arm_mm2 / mm2))
        for mm2 in (middle_mm2, table.side_mm**2 - middle_mm2)
    )
    return _Part(area_of(middle), in_middle), _Part(area_of(zones, outer=whole), in_zones)


def _square(table: Table, half_mm: float, thumb: Thumb, bgr: Bgr) -> Mask:
    """The mask of a square round the table's centre."""
    corners = table.to_px([(-half_mm, -half_mm), (half_mm, -half_mm), (half_mm, half_mm), (-half_mm, half_mm)])
    small = (corners + 0.5) * (thumb.grey.shape[0] / bgr.shape[0]) - 0.5
    mask = np.zeros(thumb.grey.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(small).astype(np.int32), 255)
    return mask
