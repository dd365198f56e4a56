"""Faces: how much the picture looks like a domino at a given place, turn and size; candidates come from elsewhere.

A pose is a row (x, y, angle, side): the domino's centre in pixels, the angle of its a→b axis in radians, and the side
of one half in pixels. Many poses are looked at in one go.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats, Gray
from vision.templates import (
    BARE_U,
    BARE_V,
    CELLS,
    COLS,
    DEFAULT_STYLE,
    DISCS,
    KIND_SUIT,
    MARGIN,
    PLAIN,
    ROWS,
    SLOPE,
    SLOPE_OF,
    TEMPLATES,
    WEIGHT,
    U,
    V,
)

PLAIN_EDGE = 40.0
"""Grey levels of difference from the body at which a border is plain to see."""
PLAIN_SEAM = 32.0
"""The same for the mean along a whole border."""
MOST_SHADE = 25.0
"""Grey levels a body's light may differ from its middle value before it counts as something else."""
FAINT, FULL = 0.25, 0.75
"""Ink, in units of a pip's, up to which it is grain or gloss and from which it is a pip in full."""
MARK_GAIN = 1.4
"""Ink over what stands out, for a soft pip is not told from the body just round it in full."""
GLARE = 30.0
"""Grey levels by which a reflection is lighter than the body."""
ONE_CORE = 200_000
"""Multiplications up to which OpenBLAS keeps a product on one core (it splits from 2¹⁸)."""


@dataclass(frozen=True, slots=True)
class Faces:
    """What the picture shows at each of N poses."""

    pose: Floats
    """Shape (N, 4)."""
    misfit: Floats
    """For each half and suit, how far the ink is from the suit's pattern, shape (N, 2, 7)."""
    ink: Floats
    """Grey levels between body and the strongest pip place of each half, shape (N, 2)."""
    foreign: Floats
    """How much of the face is lighter than the body, in units of its ink, shape (N,)."""
    edges: Floats
    """How plainly each border shows: a's end, b's end, one side, the other, in [0, 1], shape (N, 4)."""
    seams: Floats
    """The same for the border taken as a whole, which shows a faint straight line through grain and noise."""
    divider: Floats
    """How plainly the line between the halves shows, shape (N,)."""
    waist: Floats
    """How deep the long borders are cut at that line, shape (N,): a joint of two dominoes is cut, a divider is not."""
    tips: Floats
    """The same at the two ends, where a domino's corners are rounded, shape (N,)."""
    body: Floats
    """Level of the body, shape (N,)."""
    colours: Floats
    """Colour of each half's body, BGR, shape (N, 2, 3)."""

    def __len__(self) -> int:
        return len(self.pose)

    @property
    def unevenness(self) -> Floats:
        """Grey levels between the two halves' bodies, the channel that differs most, shape (N,)."""
        return np.asarray(np.abs(self.colours[:, 0] - self.colours[:, 1]).max(axis=1))

    @property
    def suits(self) -> NDArray[np.intp]:
        """The best fitting suit of each half, shape (N, 2)."""
        return np.asarray(self.misfit.argmin(axis=2))

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> "Faces":
        """The rows that are marked or named."""
        return Faces(*(getattr(self, name)[keep] for name in self.__slots__))


def joined(parts: list[Faces]) -> Faces:
    """All rows of several."""
    return Faces(*(np.concatenate([getattr(part, name) for part in parts]) for name in Faces.__slots__))


@dataclass(frozen=True, slots=True)
class View:
    """A picture to look at, at the size at which a half is about `CELLS` samples wide or a little more."""

    plane: Gray
    """In which pips are dark, shape (H, W)."""
    marks: Gray
    """How much each pixel of the plane stands out as part of a small mark."""
    bgr: NDArray[np.uint8]
    """In colour, at any size."""
    factor: float
    """How much larger the plane is than the colours."""


def sample(plane: Gray, pose: Floats) -> Floats:
    """The picture under each pose, shape (N, ROWS, COLS)."""
    x, y = _places_of(pose, U, V)
    got = cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return got.reshape(len(pose), ROWS, COLS).astype(np.float32)


def _places_of(pose: Floats, u: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Pixels (x, y), each of shape (N, K), of K places given in units of the side."""
    x, y, angle, side = (pose[:, i, None].astype(np.float32) for i in range(4))
    cos, sin = np.cos(angle) * side, np.sin(angle) * side
    return x + cos * u - sin * v, y + sin * u + cos * v


def _colours(view: View, pose: Floats) -> Floats:
    """The median colour of a few places of each half where no suit has ink, shape (N, 2, 3)."""
    x, y = _places_of(pose, BARE_U, BARE_V)
    height, width = view.bgr.shape[:2]
    cols = np.clip(((x + 0.5) / view.factor - 0.5), 0, width - 1).astype(np.intp)
    rows = np.clip(((y + 0.5) / view.factor - 0.5), 0, height - 1).astype(np.intp)
    return np.asarray(np.median(view.bgr[rows, cols].reshape(len(pose), 2, -1, 3), axis=2), dtype=np.float32)


def look(view: View, pose: Floats, *, ink_floor: float, style: int = DEFAULT_STYLE) -> Faces:
    """Look at the picture at each pose.

    Parameters: pose of shape (N, 4); ink_floor in grey levels, below which a half's strongest mark is no pip; style
    an index of `STYLES`.
    """
    patch = sample(view.plane, pose)
    body, strength, ink, level = _inked(patch, ink_floor)
    foreign = (np.clip(-ink / level, 0, 1) @ WEIGHT).mean(axis=1)
    misfit = _misfit(ink, level, TEMPLATES[style])
    departure = patch - body[:, None, None]
    edges, seams = _borders(departure)
    waist = _notch(departure, slice(COLS // 2 - 1, COLS // 2 + 1))
    ends = slice(MARGIN - 1, MARGIN + 2), slice(-MARGIN - 2, -MARGIN + 1)
    tips: Floats = np.mean([_notch(departure, end) for end in ends], axis=0, dtype=np.float32)
    divider = _divider(departure)
    return Faces(pose, misfit, strength, foreign, edges, seams, divider, waist, tips, body, _colours(view, pose))


def likeliest_style(view: View, pose: Floats, *, ink_floor: float) -> int:
    """The style whose patterns fit best over all the poses together: one set is made in one way."""
    _, _, ink, level = _inked(sample(view.plane, pose), ink_floor)
    total = [float(_misfit(ink, level, templates).min(axis=2).sum()) for templates in TEMPLATES]
    return int(np.argmin(total))


def reread(view: View, faces: Faces, *, ink_floor: float, style: int) -> Faces:
    """The same faces with their suits read once more, where reflections are no ink.

    A pip is darker than the body and stands out from what is just round it; a reflection on a dark body does only one.
    For telling dominoes from other things this would not do: a table beside a domino does not stand out either.
    """
    if not len(faces):
        return faces
    _, _, ink, level = _inked(sample(view.plane, faces.pose), ink_floor)
    ink = np.minimum(ink, MARK_GAIN * _halves(sample(view.marks, faces.pose)))
    return replace(faces, misfit=_misfit(ink, level, TEMPLATES[style]))


def _inked(patch: Floats, ink_floor: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Level of the body (N,), strongest ink (N, 2), the ink itself (N, 2, CELLS²) and what a pip has (N, 2, 1)."""
    n = len(patch)
    flat = _halves(patch)
    plain = flat[:, :, PLAIN]
    body = np.median(plain.reshape(n, -1), axis=1).astype(np.float32)
    ink = body[:, None, None] - flat + _shading(plain - body[:, None, None])
    strength = np.maximum(_product(ink, DISCS.T).max(axis=2), 0)
    # A mark just as strong as the floor comes out at one half: as near to no pip as to a pip.
    level = np.maximum(strength, np.maximum(2 * ink_floor, 0.5 * strength.max(axis=1, keepdims=True)))
    return body, strength, ink, level[:, :, None]


def _product(left: Floats, right: Floats) -> Floats:
    """left @ right for left of shape (..., K) and right of shape (K, M), in pieces that stay on one core.

    OpenBLAS spreads a larger product over all cores, and waits for them: ten times slower when they are busy.
    """
    rows = left.reshape(-1, left.shape[-1])
    piece = max(1, ONE_CORE // right.size)
    out = np.empty((len(rows), right.shape[1]), np.float32)
    for start in range(0, len(rows), piece):
        np.matmul(rows[start : start + piece], right, out=out[start : start + piece])
    return out.reshape(*left.shape[:-1], right.shape[1])


def _halves(patch: Floats) -> Floats:
    """The two halves of each patch, shape (N, 2, CELLS²), b's turned so that its divider is where a's is."""
    face = patch[:, MARGIN:-MARGIN, MARGIN:-MARGIN]
    halves = np.empty((len(patch), 2, CELLS, CELLS), np.float32)
    halves[:, 0] = face[:, :, :CELLS]
    halves[:, 1] = face[:, ::-1, : CELLS - 1 : -1]
    return halves.reshape(len(patch), 2, -1)


def _shading(plain: Floats) -> Floats:
    """The even slope of light over each half, shape (N, 2, CELLS²), from its plain samples' departures (N, 2, P)."""
    return _product(_product(np.clip(plain, -MOST_SHADE, MOST_SHADE), SLOPE_OF.T), SLOPE)


def _misfit(ink: Floats, level: Floats, templates: Floats) -> Floats:
    """Weighted mean square between each half's ink in units of a pip's and each suit's pattern; shape (N, 2, 7).

    What is lighter than the body is a reflection and says nothing of what is under it.
    """
    seen = (ink > -np.maximum(GLARE, 0.3 * level)).astype(np.float32)
    ink = np.clip((ink / level - FAINT) / (FULL - FAINT), 0, 1)
    error = (
        (ink**2 @ WEIGHT)[..., None]
        - 2 * _product(ink, (templates * WEIGHT).T)
        + _product(seen, (templates**2 * WEIGHT).T)
    )
    error /= np.maximum(seen @ WEIGHT, 0.5)[..., None]
    return np.stack([error[..., suit == KIND_SUIT].min(axis=2) for suit in range(7)], axis=2)


def _borders(departure: Floats) -> tuple[Floats, Floats]:
    """How plainly each border shows, place by place and as a whole, both (N, 4), from departures from the body."""
    along, rim = slice(MARGIN + 2, -MARGIN - 2), MARGIN + 1
    strips = (
        departure[:, along, :rim],
        departure[:, along, : -rim - 1 : -1],
        departure[:, :rim, along].transpose(0, 2, 1),
        departure[:, : -rim - 1 : -1, along].transpose(0, 2, 1),
    )
    edges = [np.minimum(np.abs(strip).max(axis=2) / PLAIN_EDGE, 1).mean(axis=1) for strip in strips]
    seams = [np.minimum(np.abs(strip.mean(axis=1)).max(axis=1) / PLAIN_SEAM, 1) for strip in strips]
    return np.stack(edges, axis=1), np.stack(seams, axis=1)


def _divider(departure: Floats) -> Floats:
    """How plainly a line stands between the halves, shape (N,), from departures from the body."""
    middle = COLS // 2
    profile = departure[:, MARGIN + 3 : -MARGIN - 3].mean(axis=1)
    beside = (profile[:, middle - 4 : middle - 2].mean(axis=1) + profile[:, middle + 2 : middle + 4].mean(axis=1)) / 2
    line = np.abs(profile[:, middle - 2 : middle + 2] - beside[:, None]).max(axis=1)
    return np.asarray(np.minimum(line / PLAIN_SEAM, 1), dtype=np.float32)


def _notch(departure: Floats, columns: slice) -> Floats:
    """How far both long borders are cut into at some columns, shape (N,), from departures from the body."""
    first, last = (np.abs(departure[:, row, columns]).max(axis=1) for row in (MARGIN, -MARGIN - 1))
    return np.asarray(np.minimum(np.minimum(first, last) / PLAIN_EDGE, 1), dtype=np.float32)
