"""What a domino's face looks like when sampled on a grid: where the pips of each suit are, and where no ink can be.

Arrays over one half have shape (CELLS, CELLS) or flat (CELLS²,), with the divider on the right.
"""

import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats
from vision.pips import PITCH

CELLS = 16
"""Samples along the side of one half: a pip is then about four samples across."""
MARGIN = 3
"""Samples looked at outside each border, where the table or a gap shows."""
ROWS = CELLS + 2 * MARGIN
COLS = 2 * CELLS + 2 * MARGIN

PITCHES = (0.25, 0.275, 0.30)
"""From the middle of a half to its rows of pips, in sides of a half."""
RADII = (0.085, 0.105, 0.125)
"""Of a pip."""
SHIFTS = (0.0, -0.04, 0.08)
"""How far a half's pattern is moved towards the divider; most makers do not move it."""
STYLES = [(pitch, radius, shift) for shift in SHIFTS for pitch in PITCHES for radius in RADII]
DEFAULT_STYLE = STYLES.index((0.275, 0.105, 0.0))
INNER_RADIUS = 0.085
"""Of the part of a pip that is inked whatever the style."""

# (suit, mirrored): the two and three may run along either diagonal.
_KINDS = [(0, False), (1, False), (2, False), (2, True), (3, False), (3, True), (4, False), (5, False), (6, False)]
KIND_SUIT = np.array([suit for suit, _ in _KINDS])
"""The suit of each template of a style."""
_AT = (np.arange(CELLS) - (CELLS - 1) / 2) / CELLS
_ALONG, _ACROSS = np.meshgrid(_AT, _AT)


def _places(suit: int, *, mirrored: bool = False) -> list[tuple[float, float]]:
    """Where a suit's pips are, in units of the pitch from the half's middle; (along, across)."""
    corner = [(-1.0, -1.0), (1.0, 1.0)] if not mirrored else [(-1.0, 1.0), (1.0, -1.0)]
    four = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)]
    middle = [(0.0, 0.0)]
    sides = [(0.0, -1.0), (0.0, 1.0)]
    return [[], middle, corner, corner + middle, four, four + middle, four + sides][suit]


def _template(suit: int, pitch: float, radius: float, shift: float, *, mirrored: bool) -> Floats:
    """The ink of one half, 1 inside a pip and 0 elsewhere, with an edge as soft as a sample is wide."""
    ink = np.zeros((CELLS, CELLS))
    for x, y in _places(suit, mirrored=mirrored):
        gap = radius - np.hypot(_ALONG - shift - x * pitch, _ACROSS - y * pitch)
        ink = np.maximum(ink, np.clip(0.5 + gap * CELLS / 1.6, 0, 1))
    return ink.reshape(-1).astype(np.float32)


def _disc(x: float, y: float, shift: float) -> Floats:
    """Mean over the inner part of the pip at a place."""
    disc = np.hypot(_ALONG - shift - x * PITCH, _ACROSS - y * PITCH) < INNER_RADIUS
    return np.asarray(disc / disc.sum(), dtype=np.float32).reshape(-1)


def _weight() -> Floats:
    """How much each sample of a half counts: not the divider's strip nor the rim."""
    inside = (_ALONG < 0.4) & (_ALONG > -0.47) & (np.abs(_ACROSS) < 0.47)
    return np.asarray(inside / inside.sum(), dtype=np.float32).reshape(-1)


def _grid() -> tuple[Floats, Floats]:
    """Sample places in sides of a half, along a→b in about (-1, 1) and across in (-½, ½), each flat."""
    u, v = np.meshgrid((np.arange(COLS) - (COLS - 1) / 2) / CELLS, (np.arange(ROWS) - (ROWS - 1) / 2) / CELLS)
    return u.astype(np.float32).reshape(-1), v.astype(np.float32).reshape(-1)


U, V = _grid()
TEMPLATES = np.array([[_template(suit, *style, mirrored=mirrored) for suit, mirrored in _KINDS] for style in STYLES])
"""Shape (styles, kinds, CELLS²)."""
DISCS = np.array([_disc(x, y, shift) for shift in SHIFTS for x, y in (*_places(1), *_places(6))])
"""Where a pip can be, shape (places, CELLS²)."""
WEIGHT = _weight()
PLAIN: NDArray[np.bool_] = (WEIGHT > 0) & (TEMPLATES[: len(PITCHES) * len(RADII), -2:].max(axis=(0, 1)) < 0.05)
"""Samples where no suit has ink."""
SLOPE = np.stack((_ALONG, _ACROSS)).reshape(2, -1).astype(np.float32)
"""Light that falls off evenly along or across, shape (2, CELLS²)."""
SLOPE_OF = np.linalg.pinv(SLOPE[:, PLAIN].T).astype(np.float32)
"""How steep the light is from the plain samples, shape (2, plain)."""

# The middles of a half's sides and of the cross between the pips, where not even a six has ink.
_BARE = [(-0.36, 0.0), (0.36, 0.0), (-0.14, 0.0), (0.14, 0.0), (0.0, 0.13), (0.0, -0.13)]
BARE_U = np.array([middle + u for middle in (-0.5, 0.5) for u, _ in _BARE], np.float32)
BARE_V = np.array([v for _ in (-0.5, 0.5) for _, v in _BARE], np.float32)
"""A few bare places of either half, a's first."""
