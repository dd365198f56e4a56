"""Looks once a second whether the camera still sees what it was calibrated for, and tells what lasts, with what to do.

A pure state machine: it is fed frames and knows no clock but their stamps. How a look differs from the table at rest is
measured in rest.py; here is what counts as a fault, for how long, and in which words.
"""

import math
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import ChangeParams, Thumb, cannot_see, thumbnail
from vision.frame import Bgr, Frame
from vision.geometry import Table
from vision.rest import Comparison, Differences, Rest, cells, flicker_of, rest_of

Plane = NDArray[np.floating[Any]]
Code = Literal["camera_moved", "lens_soft", "light_flickers", "exposure_drifts", "white_balance_drifts"]
LOOKS: Final[Mapping[Code, int]] = {
    "camera_moved": 5,
    "lens_soft": 20,
    "light_flickers": 10,
    "exposure_drifts": 60,
    "white_balance_drifts": 60,
}
Size = tuple[float, str]
"""How large a fault is, more than 1 being too large, and what to say of it."""

MOVED: Final = (
    "the camera has moved: the table is {by} from where it was {since}; push the camera back and "
    "fasten it, or run gameline calibrate again"
)
ELSEWHERE: Final = (
    "the picture no longer shows what it did {since}: the camera or the table was moved, or something "
    "covers much of it; put it right, or run gameline calibrate again"
)
SOFT: Final = (
    "the picture is less sharp than {since}: wipe the lens, and if that does not help turn its ring "
    "until the picture is sharp"
)
DIRTY: Final = "the picture is less sharp in its {where} than {since}: wipe the lens"
FLICKERS: Final = (
    "the light flickers: set camera.mains_hz to the mains and run gameline calibrate again, or hang another lamp"
)
DARKER: Final = "the table is {by} % darker than {since}: switch the lamp on, or run gameline calibrate in this light"
BRIGHTER: Final = "the table is {by} % brighter than {since}: keep the sun out, or run gameline calibrate in this light"
WHITE: Final = "most of the table is white: keep the sun out, or run gameline calibrate in this light"
COLOURS: Final = "the colours are others than {since}: hang the lamp of then, or run gameline calibrate in this light"
NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class VigilParams:
    """What counts as a fault of the camera, and how long it has to last."""

    every_ms: float = 1000.0
    """Between two looks."""
    moved_mm: float = 6.0
    """How far a corner of the table may have moved in the picture."""
    moved_share: float = 0.008
    """The same as a share of the picture's width, where the table is not known."""
    softer: float = 0.40
    """By how much the steepest places may be less steep: a blur of about 1.5 pixels where they were sharp."""
    dirty: float = 0.50
    """From how much a place counts as seen through dirt."""
    dirty_share: float = 0.2
    """And how many of the places may."""
    flicker: float = 0.02
    """By how much the light may go to and fro, as a share."""
    lighter: float = 0.40
    """By how much the table may be darker or brighter, in its logarithm: 33 % darker, 49 % brighter."""
    tinted: float = 0.14
    """By how much blue or red may have changed against green, in its logarithm."""
    calm: float = 0.75
    """What is below such a share of its limit is no fault any more."""
    looks: Mapping[Code, int] = field(default_factory=lambda: LOOKS)
    """In so many looks in a row it has to be so; a look that tells nothing, because too much is hidden, is none."""
    healed: int = 5
    """And in so many it has to be over; or to be another than was told."""
    other: float = 0.25
    """From such a share more or less it is another, and told again; another place or another cure is one, too."""
    lost: int = 180
    """After so many looks at which nothing is where it was, another place is in the picture."""
    window: int = 16
    """Looks from which flicker is told."""
    change: ChangeParams = field(default_factory=ChangeParams)


@dataclass(frozen=True, slots=True)
class Ails:
    """Something is wrong with what the camera sees; the sentence says what to do."""

    mono_ns: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Heals:
    """It no longer is."""

    mono_ns: int
    code: str


class Vigil:
    """Tells what has become of the camera.

    Args:
        table: where the table is; None judges the whole picture.
        rest: the table as it was calibrated; None takes the first two looks that are alike.
        params: what counts as a fault, and how long it has to last.
    """

    def __init__(self, *, table: Table | None, rest: Rest | None = None, params: VigilParams | None = None) -> None:
        self._table = table
        self._rest = rest
        self._since = "when it was calibrated" if rest is not None else "at the start"
        self._params = params or VigilParams()
        self._comparison: Comparison | None = None
        self._before: Thumb | None = None
        self._next_ns = 0
        self._faults: dict[Code, _Fault] = {code: _Fault() for code in self._params.looks}
        self._lost = 0
        self._window: deque[Plane] = deque(maxlen=self._params.window)

    def look(self, frame: Frame) -> tuple[Ails | Heals, ...]:
        """Take the next frame; all but one a second cost nothing."""
        if frame.mono_ns < self._next_ns:
            return ()
        self._next_ns = frame.mono_ns + round(self._params.every_ms * 1e6)
        thumb = thumbnail(frame.bgr)
        if cannot_see(thumb, self._params.change):
            self._window.clear()
            return ()
        comparison = self._compared_by(thumb, frame.bgr)
        if comparison is None:
            return ()
        sizes = self._sizes(comparison.differences(frame.bgr, thumb), frame.bgr.shape[1])
        sizes["light_flickers"] = self._flicker(comparison, thumb)
        return tuple(news for code, size in sizes.items() for news in self._told(code, size, frame.mono_ns))

    def _compared_by(self, thumb: Thumb, bgr: Bgr) -> Comparison | None:
        """What frames are compared by; None as long as there is nothing, or where the picture's size is another."""
        if self._rest is None and self._before is not None and self._before.grey.shape == thumb.grey.shape:
            difference = cv2.blur(cv2.absdiff(self._before.grey, thumb.grey), (3, 3))
            if cv2.minMaxLoc(difference)[1] <= 2 * self._params.change.stir_levels:
                self._rest = rest_of(bgr, self._table)
        self._before = thumb
        if self._rest is None or self._rest.thumb.grey.shape != thumb.grey.shape:
            return None
        if self._comparison is None:
            size_px = (bgr.shape[1], bgr.shape[0])
            self._comparison = Comparison(self._rest, self._table, size_px, self._params.dirty)
        return self._comparison

    def _sizes(self, differs: Differences, width_px: int) -> dict[Code, Size | None]:
        """How large each fault is; None where nothing can be told."""
        params = self._params
        sizes: dict[Code, Size | None] = dict.fromkeys(params.looks)
        self._lost = self._lost + 1 if differs.is_lost else 0
        softer = differs.softer or 0.0
        if differs.is_lost:
            if softer > params.softer:
                sizes["lens_soft"] = (softer / params.softer, self._say(SOFT))
            elif self._lost >= params.lost:
                sizes["camera_moved"] = (2.0, self._say(ELSEWHERE))
            return sizes
        if differs.moved_px is not None:
            sizes["camera_moved"] = self._moved(differs.moved_px, width_px)
        if differs.softer is not None:
            sizes["lens_soft"] = (softer / params.softer, self._say(SOFT))
            share = (differs.soft_share or 0.0) / params.dirty_share
            if softer <= params.softer and share > params.calm:
                sizes["lens_soft"] = (max(softer / params.softer, share), self._say(DIRTY, where=differs.soft_at))
        if differs.is_white:
            sizes["exposure_drifts"] = (2.0, WHITE)
        elif differs.lighter is not None and differs.tinted is not None:
            by = f"{100 * abs(math.expm1(differs.lighter)):.0f}"
            text = self._say(DARKER if differs.lighter < 0 else BRIGHTER, by=by)
            sizes["exposure_drifts"] = (abs(differs.lighter) / params.lighter, text)
            sizes["white_balance_drifts"] = (differs.tinted / params.tinted, self._say(COLOURS))
        return sizes

    def _say(self, words: str, **what: str) -> str:
        return words.format(since=self._since, **what)

    def _moved(self, by_px: float, width_px: int) -> Size:
        if self._table is None:
            return by_px / width_px / self._params.moved_share, self._say(MOVED, by=f"{by_px:.0f} pixels")
        by_mm = by_px / self._table.px_per_mm
        return by_mm / self._params.moved_mm, self._say(MOVED, by=f"{by_mm:.0f} mm")

    def _flicker(self, comparison: Comparison, thumb: Thumb) -> Size | None:
        self._window.append(cells(thumb.grey))
        if len(self._window) < self._params.window:
            return None
        share = flicker_of(self._window, comparison.counts)
        return None if share is None else (share / self._params.flicker, FLICKERS)

    def _told(self, code: Code, size: Size | None, now_ns: int) -> tuple[Ails | Heals, ...]:
        if size is None:
            return ()
        fault, params = self._faults[code], self._params
        fault.bad = fault.bad + 1 if size[0] > 1 else 0
        fault.good = fault.good + 1 if size[0] < params.calm else 0
        is_other = fault.told is not None and not fault.good and _is_other(fault.told, size, params.other)
        fault.other = fault.other + 1 if is_other else 0
        if (fault.told is None and fault.bad >= params.looks[code]) or fault.other >= params.healed:
            fault.told, fault.other = size, 0
            return (Ails(now_ns, code, size[1]),)
        if fault.told is not None and fault.good >= params.healed:
            fault.told = None
            return (Heals(now_ns, code),)
        return ()


def _is_other(told: Size, now: Size, share: float) -> bool:
    """Whether a fault that was told would be told in other words now, or with a number that is another by a share."""
    if NUMBER.sub("", told[1]) != NUMBER.sub("", now[1]):
        return True
    return told[1] != now[1] and abs(math.log(now[0] / told[0])) > math.log1p(share)


@dataclass(slots=True)
class _Fault:
    """In how many looks in a row a fault was there, was not, or was another than was told."""

    bad: int = 0
    good: int = 0
    other: int = 0
    told: Size | None = None
