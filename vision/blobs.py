"""Small marks that stand out from their surroundings: round ones (pips) and thin ones (dividers); no dominoes yet."""

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

Polarity = Literal["dark", "light"]
"""Whether the marks are darker or lighter than what they lie on."""

POLARITIES: tuple[Polarity, Polarity] = ("dark", "light")

Gray = NDArray[np.uint8]
Floats = NDArray[np.float32]

MARK_PX = 11
"""Side of the square that swallows a mark: marks up to about 9 px across are found."""
MIN_CONTRAST = 16
"""Grey levels a mark must stand out by; camera noise and felt stay below after smoothing."""
MOST_MARKED = 0.06
"""Share of a picture that marks may cover before weak ones are taken for grain or weave."""
MAX_BLOBS = 4000
"""A picture with more marks than this is texture; the strongest are kept so that time stays bounded."""


@dataclass(frozen=True, slots=True)
class Blobs:
    """Marks found in one picture, one row each."""

    xy: Floats
    """Centroids, shape (N, 2)."""
    diameter_px: Floats
    """Of the disc with the same second moments, shape (N,)."""
    length_px: Floats
    """Of the thin bar with the same second moments, shape (N,)."""
    roundness: Floats
    """Minor over major axis in (0, 1], shape (N,)."""
    solidity: Floats
    """Area over the area of the ellipse with the same moments; about 1 for a disc or bar, shape (N,)."""
    angle_rad: Floats
    """Of the major axis, in (-π/2, π/2], shape (N,)."""
    contrast: Floats
    """Grey levels against the surroundings, the mean over the mark, shape (N,)."""

    def __len__(self) -> int:
        return len(self.xy)

    def where(self, keep: NDArray[np.bool_]) -> "Blobs":
        """The rows that are marked True."""
        return Blobs(*(getattr(self, name)[keep] for name in self.__slots__))

    def strongest(self, most: int) -> "Blobs":
        """At most so many, by contrast."""
        if len(self) <= most:
            return self
        keep = np.zeros(len(self), np.bool_)
        keep[np.argsort(-self.contrast, kind="stable")[:most]] = True
        return self.where(keep)


def ink_plane(bgr: NDArray[np.uint8], polarity: Polarity) -> Gray:
    """One channel in which the pips are dark on their body, shape (H, W), from shape (H, W, 3).

    The weakest channel shows a coloured pip on a white body as well as a black one; light pips are white or pale, so
    inverted luminance does.
    """
    if polarity == "dark":
        return np.asarray(cv2.min(cv2.min(bgr[:, :, 0], bgr[:, :, 1]), bgr[:, :, 2]), dtype=np.uint8)
    return np.asarray(cv2.bitwise_not(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)), dtype=np.uint8)


def mark_strength(plane: Gray) -> Gray:
    """How much darker each pixel is than its surroundings, as part of a small mark; shape (H, W) in and out.

    A morphological hat is blind to slow changes of light, and separable, so it costs little.
    """
    square = np.ones((MARK_PX, MARK_PX), np.uint8)
    return np.asarray(cv2.morphologyEx(plane, cv2.MORPH_BLACKHAT, square), dtype=np.uint8)


def find_blobs(strength: Gray) -> Blobs:
    """Connected marks of a strength map of shape (H, W), uint8, cut at half their own height.

    Cutting each at half its own height, not at one level for all, keeps pips apart that a soft lens runs together.
    """
    peak = cv2.dilate(strength, np.ones((MARK_PX - 2, MARK_PX - 2), np.uint8))
    level = cv2.max(cv2.convertScaleAbs(peak, alpha=0.5), np.full_like(strength, _floor(strength)))
    mask = cv2.compare(strength, level, cv2.CMP_GT)
    _, labels, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(mask, 8, cv2.CV_32S, cv2.CCL_BBDT)
    small = _could_be_marks(np.asarray(stats))
    number = int(np.count_nonzero(small))
    rename = np.full(len(stats), -1, np.int32)
    rename[small] = np.arange(number)
    at = np.flatnonzero(mask.reshape(-1))
    ids = rename[labels.reshape(-1)[at]]
    at, ids = at[ids >= 0], ids[ids >= 0]
    return _moments(at, ids, strength, number)


def _could_be_marks(stats: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which components are of a mark's size and fill their box as a disc or a bar does; the largest when too many."""
    area, width, height = (stats[:, i] for i in (cv2.CC_STAT_AREA, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    long, short = np.maximum(width, height), np.minimum(width, height)
    filled = area / (width * height)
    disc = (long <= 1.9 * short) & (filled > 0.55)
    bar = (long >= 9) & ((long > 2.2 * short) | (filled < 0.45))
    small = (area >= 5) & (area <= 40 * MARK_PX) & (disc | bar)
    small[0] = False
    if np.count_nonzero(small) > MAX_BLOBS:
        small &= area >= np.sort(area[small])[-MAX_BLOBS]
    return np.asarray(small, dtype=np.bool_)


def _floor(strength: Gray) -> int:
    """The least strength that counts, higher in a picture that is marked all over."""
    some = strength[:: max(1, strength.shape[0] // 120), ::4].reshape(-1)
    rank = some.size - max(1, int(MOST_MARKED * some.size))
    return min(max(MIN_CONTRAST, int(np.partition(some, rank)[rank])), 2 * MIN_CONTRAST)


def _moments(at: NDArray[np.intp], ids: NDArray[np.int32], strength: Gray, count: int) -> Blobs:
    """Shape of each component from its pixels' first and second moments; `at` are flat indices of pixels."""
    rows, cols = np.divmod(at, strength.shape[1])
    n = np.maximum(np.bincount(ids, minlength=count), 1)
    x = np.bincount(ids, cols, count) / n
    y = np.bincount(ids, rows, count) / n
    dx, dy = cols - x[ids], rows - y[ids]
    # 1/12 is the moment of the pixel's own square.
    xx = np.bincount(ids, dx * dx, count) / n + 1 / 12
    yy = np.bincount(ids, dy * dy, count) / n + 1 / 12
    xy = np.bincount(ids, dx * dy, count) / n
    spread = np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
    major, minor = (xx + yy) / 2 + spread, np.maximum((xx + yy) / 2 - spread, 1 / 12)
    root = np.sqrt(major * minor)
    values = (
        np.column_stack((x, y)),
        4 * np.sqrt(root),
        np.sqrt(12 * major),
        np.sqrt(minor / major),
        n / (4 * np.pi * root),
        0.5 * np.arctan2(2 * xy, xx - yy),
        np.bincount(ids, strength.reshape(-1)[at], count) / n,
    )
    return Blobs(*(v.astype(np.float32) for v in values))
