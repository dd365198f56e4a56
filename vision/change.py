"""What differs between two looks at the table: another light is nothing, another thing lying there is; on thumbnails.

Pure functions of pictures; time is in part.py, and what a change means in watch.py.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Bgr
from vision.reading import Reading

Mask = NDArray[np.uint8]  # (h, w): 0 or 255
Cells = NDArray[np.bool_]
Gray = NDArray[np.floating[Any]]

THUMB_ROWS: Final = 360  # frames are halved until they have fewer rows; a domino is then still several pixels wide
GLANCE_ROWS: Final = THUMB_ROWS // 2  # the same for a glance at a table where nothing stirs
FINE_ROWS: Final = 2 * THUMB_ROWS  # the same for what a thumbnail is too small for: a domino turned where it lay
FLOOR: Final = 16.0  # levels below are mostly noise
GLARE: Final = 235.0  # levels above cannot be compared: the sensor is nearly full
LIGHT_STEP: Final = 4  # the light is fitted on every fourth thumbnail pixel each way
CELL: Final = 4  # a cell is a square of so many thumbnail pixels: enough for arms, and the colours' noise is great
CLEAR_SHARE: Final = 0.9  # of a cell that must not glare where its colour is compared
MOVES_LEVELS: Final = 24.0  # of grey, from one frame to the next: more than a lamp's flicker
MOVES_PX: Final = 20  # thumbnail pixels of it
LIGHT_ROUNDS: Final = 4
LIGHT_NEAR: Final = 0.12  # logarithm: a pixel so near to the fitted light shows the light and not another thing
LIGHT_BLUR: Final = 11  # in those steps: wider than an arm, narrower than the pool of a lamp
LEAST_KNOWN: Final = 60  # fitting the light's six numbers wants ten times as many pixels
RIDGE: Final = 1e-3 * np.eye(6, dtype=np.float32)  # keeps the fit solvable when only a strip of the picture is known
MEDIAN_OF_NOISE: Final = 0.6745  # the median distance of normal noise from its mean, in standard deviations


@dataclass(frozen=True, slots=True)
class ChangeParams:
    """What counts as changed, and what as an arm."""

    stir_levels: float = 3.0
    """Looks that differ by less than so many grey levels anywhere, averaged over 3 x 3 thumbnail pixels, are one."""
    change: float = 0.07
    """A relative change of grey, beyond what the light explains, that is something else lying there."""
    recolour: float = 0.15
    """A relative change of one colour that belongs to an arm, if there is one."""
    noises: float = 5.0
    """And it must be so many times the noise that the two looks show everywhere."""
    change_px: int = 5
    """Thumbnail pixels of it that make a change."""
    arm_share: float = 0.005
    """Share of the watched area from which something solid at its border is an arm; where the table is not known."""
    arm_mm2: float = 5000.0
    """The same where it is known: more than a domino with its shadow laid right at the border, less than a hand."""
    arm_depth: float = 0.05
    """And how far it must reach in, as a share of the area's height."""
    upheaval: float = 0.6
    """A change of more than this share is no arm but another scene: the camera or the cloth was moved."""
    dark_levels: float = 10.0
    """Mean level below which nothing can be seen."""
    blank_levels: float = 2.0
    """Standard deviation of levels below which the picture is blank: a cover on the lens."""


@dataclass(frozen=True, eq=False)
class Thumb:
    """A frame, some times smaller."""

    bgr: NDArray[np.uint8]
    """Shape (h, w, 3)."""
    grey: NDArray[np.uint8]
    """Shape (h, w)."""

    @cached_property
    def cells(self) -> Gray:
        """The mean of each cell, shape (h // CELL, w // CELL, 3)."""
        size = (self.grey.shape[1] // CELL, self.grey.shape[0] // CELL)
        return np.asarray(cv2.resize(self.bgr, size, interpolation=cv2.INTER_AREA), np.float32)

    @cached_property
    def steepness(self) -> Gray:
        """How steep the colours are at each cell, relative to how bright they are; shape (h // CELL, w // CELL)."""
        logs = np.log(self.cells + np.float32(FLOOR))
        slopes = cv2.magnitude(cv2.Sobel(logs, cv2.CV_32F, 1, 0), cv2.Sobel(logs, cv2.CV_32F, 0, 1))
        blue, green, red = cv2.split(slopes)
        return np.asarray(cv2.max(cv2.max(blue, green), red))


@dataclass(frozen=True, slots=True)
class Before:
    """What was read before, and where the picture has changed since."""

    reading: Reading
    changed: Mask
    """Shape (h, w), the picture made smaller: 255 where something else lies now."""
    picture: Thumb | None = None
    """What was read, of FINE_ROWS; tells the changes' outlines."""


def thumbnail(bgr: Bgr, rows: int = THUMB_ROWS) -> Thumb:
    """The frame, halved until it has fewer rows than that: shape (h, w, 3) of (H, W, 3).

    Each pixel is the mean of the four in the middle of its square: enough against noise, and the frame's other rows are
    never fetched from memory, which is what an idle frame costs.
    """
    factor = 1
    while min(bgr.shape[:2]) // factor >= rows:
        factor *= 2
    size = (bgr.shape[1] // factor, bgr.shape[0] // factor)
    small = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    return Thumb(small, np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8))


def cannot_see(thumb: Thumb, params: ChangeParams) -> str | None:
    """Why nothing can be seen in a thumbnail; None when something can."""
    mean, deviation = (float(v[0, 0]) for v in cv2.meanStdDev(thumb.grey))
    if mean < params.dark_levels:
        return f"the picture is dark (mean {mean:.0f} of 255); is the lamp on?"
    if deviation < params.blank_levels:
        return f"the picture is blank (all about {mean:.0f} of 255); is the lens covered?"
    return None


def alike(one: Thumb, other: Thumb, inside: Mask, params: ChangeParams) -> bool:
    """Whether two thumbnails differ by noise only; the cheap question, asked of every frame."""
    difference = cv2.blur(cv2.absdiff(one.grey, other.grey), (3, 3))
    return cv2.minMaxLoc(difference, mask=inside)[1] <= params.stir_levels


def moves(one: Thumb, other: Thumb, inside: Mask) -> bool:
    """Whether two looks differ so much that something moves; the cheap question, asked while an arm is in."""
    difference = cv2.min(cv2.absdiff(one.grey, other.grey), inside)
    return cv2.countNonZero(cv2.inRange(difference, MOVES_LEVELS, 255.0)) > MOVES_PX


def changed(before: Thumb, after: Thumb, inside: Mask, params: ChangeParams) -> Mask:
    """Where something else lies: the grey has changed by more than the light's own change explains; shape (h, w).

    The light's change is a smooth field of ratios, fitted to most of the picture; so a lamp that goes on, the sun, and
    the camera's own exposure change nothing, and neither does the sensor's noise.
    """
    whole = np.zeros_like(inside)
    box = _box(inside)
    one, other, within = before.grey[box], after.grey[box], inside[box]
    predicted, rest = _unexplained(one, other, light_change(one, other, within, step=LIGHT_STEP))
    rest = np.abs(cv2.blur(rest, (3, 3)))
    sample = np.s_[::LIGHT_STEP, ::LIGHT_STEP]
    noise = _noise(rest[sample][within[sample] > 0])
    mask = (rest > np.maximum(params.change * (predicted + FLOOR), params.noises * noise)) & (within > 0)
    if not mask.any():
        return whole
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    large = np.zeros(count, np.uint8)
    large[1:][stats[1:, cv2.CC_STAT_AREA] >= params.change_px] = 255
    whole[box] = large[labels]
    return whole


def changed_cells(before: Thumb, after: Thumb, inside: Cells, params: ChangeParams) -> tuple[Cells, Cells]:
    """The cells whose grey has changed, and those of which a colour has; both of the cells' shape.

    A fraction of the cost of `changed`, for what is asked of every frame in which something moves. A sleeve can be as
    grey as the cloth and yet be blue.
    """
    grey, colour = np.zeros_like(inside), np.zeros_like(inside)
    box = _box(inside.astype(np.uint8))
    one, other, within = before.cells[box], after.cells[box], inside[box]
    grey_one, grey_other = (cv2.cvtColor(cells, cv2.COLOR_BGR2GRAY) for cells in (one, other))
    light = light_change(grey_one, grey_other, within.astype(np.uint8), step=1)
    predicted, rest = _unexplained(grey_one, grey_other, light)
    rest = np.abs(rest)
    grey[box] = within & (rest > np.maximum(params.change * (predicted + FLOOR), params.noises * _noise(rest[within])))
    if not grey.any():
        return grey, colour
    pixels = tuple(slice(part.start * CELL, part.stop * CELL) for part in box)
    dull = cv2.inRange(cv2.max(before.bgr[pixels], after.bgr[pixels]), (0.0, 0.0, 0.0), 3 * (GLARE - 1,))
    clear = within & (cv2.resize(dull, within.shape[::-1], interpolation=cv2.INTER_AREA) > CLEAR_SHARE * 255)
    predicted, rest = _unexplained(one, other, light[..., None])
    few = np.s_[::2, ::2]
    tint = np.median(rest[few][clear[few]], axis=0) if clear[few].any() else np.zeros(3)
    blue, green, red = cv2.split(np.abs(rest - tint.astype(np.float32)) - params.recolour * (predicted + FLOOR))
    colour[box] = clear & (cv2.max(cv2.max(blue, green), red) > 0)
    return grey, colour


def _box(inside: Mask) -> tuple[slice, slice]:
    """The rows and columns that hold a mask."""
    left, top, width, height = cv2.boundingRect(inside)
    return slice(top, top + height), slice(left, left + width)


def _noise(rest: Gray) -> float:
    """The standard deviation of what two looks differ by everywhere, from absolute differences."""
    return _middle(rest) / MEDIAN_OF_NOISE if rest.size else 0.0


def _middle(values: NDArray[np.floating[Any]]) -> float:
    """The median of some numbers, of two the larger; NumPy's own takes ten times as long for few."""
    half = values.size // 2
    return float(np.partition(values, half, axis=None)[half])


def light_change(before: NDArray[Any], after: NDArray[Any], inside: Mask, *, step: int) -> Gray:
    """By how much the light makes each pixel brighter, a smooth field of ratios; all of shape (h, w).

    It is fitted on every so many pixels each way.

    A quadratic surface by least squares, each round on the pixels nearer to the last one; then what that leaves, seen
    through a wide blur of those pixels alone, for no lamp lights a quadratic.
    """
    sparse = np.s_[::step, ::step]
    one, other = before[sparse].astype(np.float32), after[sparse].astype(np.float32)
    known = (inside[sparse] > 0) & (np.minimum(one, other) > FLOOR) & (np.maximum(one, other) < GLARE)
    if np.count_nonzero(known) < LEAST_KNOWN:
        return np.ones(before.shape, np.float32)
    ratio = np.log(np.maximum(other, 1) / np.maximum(one, 1))
    basis = _quadratics(ratio.shape)
    fitted: Gray = np.full(ratio.shape, _middle(ratio[known]), np.float32)
    for width in np.geomspace(0.4, LIGHT_NEAR, LIGHT_ROUNDS):
        near = known & (np.abs(ratio - fitted) < width)
        if np.count_nonzero(near) < LEAST_KNOWN:
            break
        chosen = basis * near.reshape(-1)
        fitted = (np.linalg.solve(chosen @ basis.T + RIDGE, chosen @ ratio.reshape(-1)) @ basis).reshape(ratio.shape)
    for _ in range(2):
        near = known & (np.abs(ratio - fitted) < LIGHT_NEAR)
        left = cv2.blur((ratio - fitted) * near, (LIGHT_BLUR, LIGHT_BLUR))
        share = cv2.blur(near.astype(np.float32), (LIGHT_BLUR, LIGHT_BLUR))
        fitted = fitted + left / np.maximum(share, 0.2)
    return np.exp(cv2.resize(fitted.astype(np.float32), before.shape[::-1], interpolation=cv2.INTER_LINEAR))


@lru_cache(maxsize=8)
def _quadratics(shape: tuple[int, ...]) -> Gray:
    """1, x, y, x², xy and y² at each pixel of a picture, shape (6, h * w)."""
    y, x = np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32) for n in shape), indexing="ij")
    return np.stack((np.ones_like(x), x, y, x * x, x * y, y * y)).reshape(6, -1)


def _unexplained(before: NDArray[Any], after: NDArray[Any], light: Gray) -> tuple[Gray, Gray]:
    """What the light alone would make of `before`, and what `after` differs from that; both of their shape.

    What is nearly white cannot be compared and counts as unchanged.
    """
    predicted = np.minimum(before * light, GLARE)
    rest = np.minimum(after, GLARE) - predicted
    rest[(before >= GLARE) & (rest > 0)] = 0
    return predicted, rest
