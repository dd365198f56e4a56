"""Whether a blank face has the line between its halves that all the others have; what has none is no domino's face.

An eraser, a card of that size or a domino lying face down is a double blank but for that line.
"""

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Bgr
from vision.reading import Domino

FEWEST: Final = 3
"""Of fewer others nothing is said of the line that they have."""
CLEAR: Final = 0.1
"""Logarithm of brightness by which the line of each of them must stand out, for its lack to mean anything."""
FAINT: Final = 0.25
"""Of the faintest of those: a line fainter than that is none. Of 60 double blanks drawn, down to 13 pixels a half, and
15 path-traced, none had less than 0.5."""
MIDDLE: Final = 0.25
"""So far from its middle, in lengths of a domino, it is looked at."""
BREADTH: Final = 0.3
"""And so far to either side, in its widths."""
LINE: Final = 0.08
"""And so far the line may reach, in its lengths, with the error of the place."""
FLOOR: Final = 8.0
"""Added to every level, so that noise in the dark is no difference."""


def lacks_line(bgr: Bgr, domino: Domino, others: Sequence[Domino]) -> bool:
    """Whether a domino read as a double blank shows no line, though all the others do; bgr of shape (H, W, 3)."""
    if (domino.a.suit, domino.b.suit) != (0, 0) or len(others) < FEWEST:
        return False
    faintest = min(_contrast(bgr, other) for other in others)
    return faintest >= CLEAR and _contrast(bgr, domino) < FAINT * faintest


def _contrast(bgr: Bgr, domino: Domino) -> float:
    """By how much the middle of a face differs from what is beside it, as a logarithm of brightness."""
    corners = np.array(domino.corners)
    a, b = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
    across = corners[0] - corners[1]
    steps = max(9, round(2 * MIDDLE * float(np.linalg.norm(b - a))) | 1)
    ways = max(5, round(2 * BREADTH * float(np.linalg.norm(across))))
    along = np.linspace(-MIDDLE, MIDDLE, steps)
    aside = np.linspace(-BREADTH, BREADTH, ways)
    places: NDArray[np.floating[Any]] = (a + b) / 2 + along[:, None, None] * (b - a) + aside[None, :, None] * across
    maps = places.astype(np.float32)
    pixels = cv2.remap(bgr, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    rows = np.log(pixels.mean(axis=-1) + FLOOR).mean(axis=1)
    is_middle = np.abs(along) <= LINE / 2 + 1e-9
    beside = np.median(rows[(~is_middle) & (np.abs(along) <= 2 * LINE)])
    return float(np.abs(rows[is_middle] - beside).max())
