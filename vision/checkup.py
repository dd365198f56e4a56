"""What a technician asks of one picture: its light and sharpness, whether the table is in it, and what lies there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Bgr
from vision.geometry import Points, Table
from vision.reading import Domino, Reading

GLARING: Final = 250
"""From this grey on a pixel has lost what was there."""
SURROUNDINGS: Final = 0.15
"""So much of its longest side round it belongs to the picture of a thing: its border is an edge too."""


@dataclass(frozen=True, slots=True)
class SeenDomino:
    """A domino as it was read."""

    a: int | None
    b: int | None
    """Suits 0 to 6; None: that half cannot be seen."""
    confidence: float
    """Of the domino and both halves together, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """One picture, judged by nobody yet."""

    width_px: int
    height_px: int
    brightness: float
    """The median grey of the table, or of the whole picture where the table is not known; 0 to 255."""
    glare: float
    """The share of its pixels that are all white, in [0, 1]."""
    table_in_view: bool | None
    """Whether all four corners of the table lie in the picture; None: nobody knows where they are."""
    dominoes: tuple[SeenDomino, ...]
    """The surest first."""
    edge_px: float | None
    """How many pixels the sharpest edges of the surest domino take; about 2 in a sharp picture. None: no domino."""
    half_px: float | None
    """How long a half of that domino is."""


def check(bgr: Bgr, *, read: Callable[[Bgr], Reading], table: Table | None) -> Checkup:
    """Look at one picture.

    Args:
        bgr: Shape (H, W, 3), uint8.
        read: Reads a picture.
        table: Where the table lies, if that is known.
    """
    height, width = bgr.shape[:2]
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    mask = np.full((height, width), 255, np.uint8)
    in_view: bool | None = None
    if table is not None:
        corners = np.array(table.corners_px)
        in_view = bool((corners >= 0).all() and (corners <= (width, height)).all())
        mask[:] = 0
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 255)
    seen = grey[mask > 0] if mask.any() else grey.ravel()
    dominoes = sorted(read(bgr).dominoes, key=_sureness, reverse=True)
    best = dominoes[0] if dominoes else None
    return Checkup(
        width_px=width,
        height_px=height,
        brightness=float(np.median(seen)),
        glare=float((seen >= GLARING).mean()),
        table_in_view=in_view,
        dominoes=tuple(SeenDomino(d.a.suit, d.b.suit, _sureness(d)) for d in dominoes),
        edge_px=None if best is None else edge_px(grey, np.array(best.corners)),
        half_px=None if best is None else _half_px(best),
    )


def _sureness(domino: Domino) -> float:
    return domino.confidence * domino.a.confidence * domino.b.confidence


def _half_px(domino: Domino) -> float:
    """The longer sides of a domino are two halves long."""
    corners = np.array(domino.corners)
    return float(np.linalg.norm(corners[1] - corners[2]) + np.linalg.norm(corners[3] - corners[0])) / 4


def edge_px(grey: NDArray[np.uint8], corners: Points) -> float | None:
    """The contrast of what has these corners, shape (4, 2), over its steepest slope; None where it is out of view.

    That is how many pixels lie between dark and light, whatever the light and the thing.
    """
    spare = SURROUNDINGS * float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())
    left, top = np.maximum(np.floor(corners.min(axis=0) - spare), 0).astype(int)
    right, bottom = np.ceil(corners.max(axis=0) + spare).astype(int)
    patch = grey[top:bottom, left:right].astype(np.float32)
    if min(patch.shape, default=0) < 3:
        return None
    slope = np.hypot(cv2.Sobel(patch, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(patch, cv2.CV_32F, 0, 1, scale=1 / 8))
    steepest = float(np.percentile(slope, 99))
    contrast = float(np.percentile(patch, 95) - np.percentile(patch, 5))
    return contrast / steepest if steepest > 0 else None
