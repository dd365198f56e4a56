"""One part of a table: how it looked when it last lay still, and how long it has looked as it does; nothing is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from vision.change import CELL, ChangeParams, Mask, Thumb, alike, changed, changed_cells, moves
from vision.frame import Bgr
from vision.geometry import LINE, Points, Table
from vision.reach import Area, Arm, Places, area_of, find_arms
from vision.reading import Point, Reading

SOUGHT_MS: Final = 100.0
"""An arm that was in so short a time ago, while things still move, is in."""
AHEAD: Final = 0.5
"""Share of the time to settle after which a look that rests is compared and read already: the one that settles need not
be."""
ROOM_MM: Final = 120.0
"""Round the middle of a domino at the end of the line: the next one, on whichever side, and the hand that lays it."""
ROUND: Final = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(16) * np.pi / 8])
"""A circle of radius 1, near enough."""


@dataclass(frozen=True, slots=True)
class RestParams:
    """How long things take to lie still, and what counts as a change."""

    settle_ms: float = 400.0
    """All must lie still for so long before it is read."""
    resting_ms: float = 90_000.0
    """What lies at the border unmoved for so long is no arm: it belongs to the scene. People lean over for a minute."""
    change: ChangeParams = field(default_factory=ChangeParams)


class Part:
    """One part of the table: how it looked when it last lay still, and how long it has looked as it does."""

    def __init__(self, area: Area, params: RestParams, *, is_line: bool) -> None:
        self.arms: tuple[Arm, ...] = ()
        self.judged = False
        self.news = False  # it has settled into something new that nobody has read yet
        self.is_clear = False  # it rests, perhaps not for long enough yet, and no arm was found in it
        self.rest_ns = 0
        self.scene: Thumb | None = None  # as last judged to lie still
        self.inside = area.inside
        self._area = area
        self._params = params
        self._is_line = is_line
        self._anchor: Thumb | None = None  # the first look of the present rest
        self._changes: dict[Thumb, Mask] = {}  # where it differs from looks before
        self._sought_ns = 0  # when arms were last looked for

    def watch(self, area: Area) -> None:
        """Watch another area from now on."""
        self.inside, self._area = area.inside, area
        self._begin_anew()

    def interrupt(self) -> None:
        """Nothing was seen for a while: the rest begins anew."""
        self._anchor = None
        self.judged = False

    def look(self, thumb: Thumb, now_ns: int, known: Thumb | None) -> None:
        """Take the next look; `known` is the table as it was last read."""
        self._rest(thumb, now_ns)
        self._changes = {before: where for before, where in self._changes.items() if before in (self.scene, known)}
        if not self.judged:
            self._judge(thumb, now_ns, known)

    def changed_since(self, before: Thumb, thumb: Thumb) -> Mask:
        """Where the newest look differs from one before, shape (h, w); worked out once for all of a rest."""
        if before not in self._changes:
            self._changes[before] = changed(before, thumb, self.inside, self._params.change)
        return self._changes[before]

    def brings_news(self, thumb: Thumb) -> bool:
        """Whether the newest look is not what last lay still here."""
        return self.scene is None or bool(self.changed_since(self.scene, thumb).any())

    def _rest(self, thumb: Thumb, now_ns: int) -> None:
        """Go on resting, or begin anew. The rest's first look is what counts, so that creeping shows in the end."""
        if self._anchor is not None and alike(self._anchor, thumb, self.inside, self._params.change):
            return
        if self._anchor is None or self._stirs(self._anchor, thumb):
            self.rest_ns = now_ns
            self.judged = False
        elif self.judged:
            self.scene = thumb  # only the light has changed
        self._anchor = thumb
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._changes, self.is_clear = {}, False

    def _stirs(self, anchor: Thumb, thumb: Thumb) -> bool:
        """Whether more than the light has changed; the cheap questions first."""
        area, params = self._area, self._params.change
        if (self.arms or not self._is_line) and moves(anchor, thumb, area.inside):
            return True
        if changed_cells(anchor, thumb, area.cells, params)[0].any():
            return True
        return bool(changed(anchor, thumb, area.inside, params).any())

    def _judge(self, thumb: Thumb, now_ns: int, known: Thumb | None) -> None:
        """What a look that has not been judged comes to: an arm, a wait, nothing new, or news."""
        if self.arms and self.rest_ns == now_ns and now_ns - self._sought_ns < SOUGHT_MS * 1e6:
            return
        rested_ms = (now_ns - self.rest_ns) / 1e6
        is_near = rested_ms >= AHEAD * self._params.settle_ms
        self.arms = ()
        # Of hands in the zones nobody wants to hear: there it is enough to know that none is left in the end.
        is_sought = not self.is_clear and rested_ms < self._params.resting_ms and (is_near or self._is_line)
        if self.scene is not None and is_sought:
            self._sought_ns = now_ns
            self.arms = find_arms(self.scene, thumb, self._area, self._params.change)
        if self.arms or not is_near:
            return
        self.is_clear = True
        is_new = self.brings_news(thumb)
        if known is not None:
            self.changed_since(known, thumb)  # asked for in any case, and here it is not waited for
        if rested_ms < self._params.settle_ms:
            return
        self.news |= is_new
        self.scene = self._anchor = thumb
        self.judged = True


def parts_of(thumb: Thumb, bgr: Bgr, table: Table | None, params: RestParams) -> tuple[Part, ...]:
    """The parts to watch on thumbnails of this size: the middle square and the seats' zones, or all there is."""
    if table is None:
        return (Part(area_of(np.full(thumb.grey.shape, 255, np.uint8)), params, is_line=True),)
    middle_mm2 = (table.side_mm - 2 * table.zone_mm) ** 2
    in_middle, in_zones = (
        replace(params, change=replace(params.change, arm_share=params.change.arm_mm2 / mm2))
        for mm2 in (middle_mm2, table.side_mm**2 - middle_mm2)
    )
    line, zones = areas_of(thumb, bgr, table)
    return Part(line, in_middle, is_line=True), Part(zones, in_zones, is_line=False)


def areas_of(thumb: Thumb, bgr: Bgr, table: Table, beyond: Sequence[Point] = ()) -> tuple[Area, Area]:
    """The middle square, with room round each of these points of the picture, and the rest of the seats' zones."""
    whole = _filled(table.square_px(table.side_mm / 2), thumb, bgr)
    line = _filled(table.square_px(table.side_mm / 2 - table.zone_mm), thumb, bgr)
    for middle_mm in table.to_mm(np.array(beyond).reshape(-1, 2)):
        line |= whole & _filled(table.to_px(middle_mm + ROOM_MM * ROUND), thumb, bgr)
    places = _places_of(table, thumb, bgr)
    return area_of(line, places=places), area_of(whole & ~line, outer=whole, places=places)


def beyond_the_middle(reading: Reading, table: Table) -> tuple[Point, ...]:
    """The dominoes of lines that begin in the middle square, where the next one may lie in a seat's zone."""
    places = [domino.centre for domino in reading.dominoes]
    zones = table.zones_of(places)
    from_the_middle = (
        [places[link.domino] for link in chain]
        for chain in reading.chains
        if any(zones[link.domino] == LINE for link in chain)
    )
    centres = [centre for chain in from_the_middle for centre in chain]
    reach_mm = np.abs(table.to_mm(np.array(centres).reshape(-1, 2))).max(axis=1, initial=0.0) + ROOM_MM
    is_near = reach_mm > table.side_mm / 2 - table.zone_mm
    return tuple(centre for centre, is_it in zip(centres, is_near, strict=True) if is_it)


def _filled(outline_px: Points, thumb: Thumb, bgr: Bgr) -> Mask:
    """The mask of a convex shape of the picture, shape (N, 2)."""
    small = (outline_px + 0.5) * (thumb.grey.shape[0] / bgr.shape[0]) - 0.5
    mask = np.zeros(thumb.grey.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(small).astype(np.int32), 255)
    return mask


def _places_of(table: Table, thumb: Thumb, bgr: Bgr) -> Places:
    """Where on the table each cell is, in millimetres, however the table lies in the picture."""
    rows, columns = np.indices((thumb.grey.shape[0] // CELL, thumb.grey.shape[1] // CELL))
    scale = CELL * bgr.shape[0] / thumb.grey.shape[0]
    return np.asarray(table.to_mm((np.stack((columns, rows), axis=-1) + 0.5) * scale - 0.5))
