"""What differs between two looks at the table: another light is nothing, another thing lying there is; on thumbnails.

Pure functions of pictures; time, and what a change means, are in watch.py.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Bgr = NDArray[np.uint8]
Mask = NDArray[np.uint8]  # (h, w): 0 or 255
Gray = NDArray[np.floating[Any]]

THUMB_ROWS: Final = 360  # frames are halved until they have fewer rows; a domino is then still several pixels wide
FLOOR: Final = 16.0  # levels below are mostly noise
GLARE: Final = 235.0  # levels above cannot be compared: the sensor is nearly full
LIGHT_STEP: Final = 4  # the light is fitted on every fourth thumbnail pixel each way
COARSE: Final = 4  # colours are compared on squares of so many thumbnail pixels: the sensor's colour noise is great
LIGHT_ROUNDS: Final = 4
LIGHT_NEAR: Final = 0.12  # logarithm: a pixel so near to the fitted light shows the light and not another thing
LIGHT_BLUR: Final = 11  # in those steps: wider than an arm, narrower than the pool of a lamp
LEAST_KNOWN: Final = 60  # fitting the light's six numbers wants ten times as many pixels
RIDGE: Final = 1e-3 * np.eye(6, dtype=np.float32)  # keeps the fit solvable when only a strip of the picture is known
MEDIAN_OF_NOISE: Final = 0.6745  # the median distance of normal noise from its mean, in standard deviations
BORDER_PX: Final = 2.5  # what comes so near to the border touches it
NEIGHBOURS: Final = np.ones((5, 5), np.uint8)  # changes so near to each other belong together
SOLID: Final = np.ones((7, 7), np.uint8)  # thinner changes are edges: a domino nudged, the camera bumped
GONE: Final = 2.0  # an outline that has lost so many times the contrast it has won has gone


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


@dataclass(frozen=True, slots=True)
class Thumb:
    """A frame, some times smaller."""

    bgr: NDArray[np.uint8]
    """Shape (h, w, 3)."""
    grey: NDArray[np.uint8]
    """Shape (h, w)."""


@dataclass(frozen=True, slots=True)
class Area:
    """The part of the thumbnail that is watched."""

    inside: Mask
    border: NDArray[np.bool_]  # where an arm comes in, shape (h, w)
    depth: Gray  # distance from that border, thumbnail pixels, shape (h, w)
    size_px: int
    box: tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Arm:
    """Something large that reaches in from the border."""

    side: int
    """Of the picture: 0 bottom, 1 left, 2 top, 3 right."""
    share: float
    """Of the watched area."""


def thumbnail(bgr: Bgr) -> Thumb:
    """The frame, halved until it has fewer than THUMB_ROWS rows: shape (h, w, 3) of (H, W, 3).

    Each pixel is the mean of the four in the middle of its square: enough against noise, and the frame's other rows are
    never fetched from memory, which is what an idle frame costs.
    """
    factor = 1
    while min(bgr.shape[:2]) // factor >= THUMB_ROWS:
        factor *= 2
    size = (bgr.shape[1] // factor, bgr.shape[0] // factor)
    small = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    return Thumb(small, np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8))


def area_of(inside: Mask, *, outer: Mask | None = None) -> Area:
    """The watched area of a mask; arms come in over the border of `outer`, or of the mask itself."""
    padded = cv2.copyMakeBorder(inside if outer is None else outer, 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    depth = np.asarray(cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)
    left, top, width, height = cv2.boundingRect(inside)
    box = (left, top, left + width - 1, top + height - 1)
    return Area(inside, (depth <= BORDER_PX) & (inside > 0), depth, cv2.countNonZero(inside), box)


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


def changed(before: Thumb, after: Thumb, inside: Mask, params: ChangeParams) -> Mask:
    """Where something else lies: the grey has changed by more than the light's own change explains; shape (h, w).

    The light's change is a smooth field of ratios, fitted to most of the picture; so a lamp that goes on, the sun, and
    the camera's own exposure change nothing, and neither does the sensor's noise.
    """
    predicted, rest = _unexplained(before.grey, after.grey, inside, step=LIGHT_STEP)
    rest = np.abs(cv2.blur(rest, (3, 3)))
    noise = float(np.median(rest[inside > 0])) / MEDIAN_OF_NOISE
    mask = (rest > np.maximum(params.change * (predicted + FLOOR), params.noises * noise)) & (inside > 0)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    large = np.zeros(count, np.uint8)
    large[1:][stats[1:, cv2.CC_STAT_AREA] >= params.change_px] = 255
    return np.asarray(large[labels])


def recoloured(before: Thumb, after: Thumb, inside: Mask, params: ChangeParams) -> Mask:
    """Where a colour has changed, coarsely; shape (h, w). A sleeve can be as grey as the cloth and yet be blue."""
    size = (inside.shape[1] // COARSE, inside.shape[0] // COARSE)
    one, other = (cv2.resize(thumb.bgr, size, interpolation=cv2.INTER_AREA) for thumb in (before, after))
    glaring = np.asarray((np.maximum(before.bgr, after.bgr) >= GLARE).any(axis=2), np.float32)
    clear = cv2.resize(glaring, size, interpolation=cv2.INTER_AREA) < 0.1
    within = np.asarray(cv2.resize(inside, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    mask = np.zeros(within.shape, np.bool_)
    for channel in range(3):
        predicted, rest = _unexplained(one[..., channel], other[..., channel], within, step=1)
        mask |= clear & (np.abs(rest) > params.recolour * (predicted + FLOOR))
    whole = cv2.resize(mask.astype(np.uint8) * np.uint8(255), inside.shape[::-1], interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.bitwise_and(whole, inside), np.uint8)


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
    y, x = np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32) for n in ratio.shape), indexing="ij")
    basis = np.stack((np.ones_like(x), x, y, x * x, x * y, y * y), axis=-1)
    fitted: Gray = np.full(ratio.shape, np.median(ratio[known]), np.float32)
    for width in np.geomspace(0.4, LIGHT_NEAR, LIGHT_ROUNDS):
        near = known & (np.abs(ratio - fitted) < width)
        if np.count_nonzero(near) < LEAST_KNOWN:
            break
        chosen = basis[near]
        fitted = basis @ np.linalg.solve(chosen.T @ chosen + RIDGE, chosen.T @ ratio[near])
    for _ in range(2):
        near = known & (np.abs(ratio - fitted) < LIGHT_NEAR)
        left = cv2.blur((ratio - fitted) * near, (LIGHT_BLUR, LIGHT_BLUR))
        share = cv2.blur(near.astype(np.float32), (LIGHT_BLUR, LIGHT_BLUR))
        fitted = fitted + left / np.maximum(share, 0.2)
    return np.exp(cv2.resize(fitted.astype(np.float32), before.shape[::-1], interpolation=cv2.INTER_LINEAR))


def find_arm(change: Mask, before: Thumb, after: Thumb, area: Area, params: ChangeParams) -> Arm | None:
    """The largest changed region that reaches in from the border, if it is large enough and has come, not gone."""
    if not change.any():
        return None
    change = np.asarray(cv2.bitwise_or(change, recoloured(before, after, area.inside, params)), np.uint8)
    joined = cv2.bitwise_and(cv2.dilate(change, NEIGHBOURS), area.inside)
    count, labels = cv2.connectedComponents(joined)
    solid = cv2.morphologyEx(change, cv2.MORPH_OPEN, SOLID) > 0
    shares = np.bincount(labels[solid], minlength=count) / area.size_px
    reach_px = params.arm_depth * (area.box[3] - area.box[1])
    for label in sorted(range(1, count), key=lambda i: -float(shares[i])):
        share = float(shares[label])
        if share < params.arm_share:
            return None
        region = labels == label
        at_border = region & area.border
        deep = float(area.depth[region].max()) >= reach_px
        if share <= params.upheaval and at_border.any() and deep and not _has_gone(region, before, after):
            return Arm(_side(at_border, area.box), share)
    return None


def _unexplained(before: NDArray[Any], after: NDArray[Any], inside: Mask, *, step: int) -> tuple[Gray, Gray]:
    """What the light alone would make of `before`, and what `after` differs from that; all of shape (h, w).

    What is nearly white cannot be compared and counts as unchanged.
    """
    predicted = np.minimum(before * light_change(before, after, inside, step=step), GLARE)
    rest = np.minimum(after, GLARE) - predicted
    rest[(before >= GLARE) & (rest > 0)] = 0
    return predicted, rest


def _has_gone(region: NDArray[np.bool_], before: Thumb, after: Thumb) -> bool:
    """Whether a region's outline was to be seen before and no longer is: something was taken away, nothing came."""
    outline = cv2.morphologyEx(region.astype(np.uint8), cv2.MORPH_GRADIENT, NEIGHBOURS) > 0
    won = (_steepness(after) - _steepness(before))[outline]
    return float(-won[won < 0].sum()) > GONE * float(won[won > 0].sum())


def _steepness(thumb: Thumb) -> Gray:
    """How steep the colours are at each pixel, relative to how bright they are; shape (h, w)."""
    logs = np.log(thumb.bgr + np.float32(FLOOR))
    slopes = np.hypot(cv2.Sobel(logs, cv2.CV_32F, 1, 0), cv2.Sobel(logs, cv2.CV_32F, 0, 1))
    return np.asarray(slopes.max(axis=2))


def _side(touching: NDArray[np.bool_], box: tuple[int, int, int, int]) -> int:
    """The side of a box that most of these pixels are nearest to: 0 bottom, 1 left, 2 top, 3 right."""
    rows, columns = np.nonzero(touching)
    left, top, right, bottom = box
    distances = np.stack((bottom - rows, columns - left, rows - top, right - columns))
    return int(np.bincount(distances.argmin(axis=0), minlength=4).argmax())
