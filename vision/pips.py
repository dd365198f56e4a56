"""Pips: which marks are pips, which stand together as a half's pattern, and how likely each suit is from a half's face.

Lengths are in units of the half's side unless a name says otherwise; a domino is 2 long and 1 wide.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs, Floats

PITCH = 0.275
"""From the middle of a half to its rows of pips; measured 0.26 to 0.29 over many makers."""
DIAGONAL = PITCH * 2 * np.sqrt(2)
"""Between a half's opposite corner pips; every suit from two up has at least one such pair."""

MOST_PAIRS = 1200
"""A full set has some 300 pairs of pips a diagonal apart; many more are a pattern of something else."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Groups of pips that look like one half's pattern, one row each."""

    centre: Floats
    """Shape (N, 2), pixels."""
    diagonal: Floats
    """From the centre to one corner pip, shape (N, 2), pixels."""
    suit: NDArray[np.int64]
    """2 to 6, shape (N,)."""
    stray: NDArray[np.int64]
    """Pips at places of the half that the suit does not use, shape (N,)."""
    along: NDArray[np.int64]
    """For a six, which way its rows of three go: 1 along the diagonal turned by -45°, -1 across it; 0 for others."""
    contrast: Floats
    """Of the weaker of the two pips on the diagonal, shape (N,)."""

    def __len__(self) -> int:
        return len(self.centre)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> "Patterns":
        """The rows that are marked or named."""
        return Patterns(*(getattr(self, name)[keep] for name in self.__slots__))


def round_blobs(blobs: Blobs, *, low_px: float, high_px: float) -> Blobs:
    """The blobs that could be pips."""
    return blobs.where(
        (blobs.roundness > 0.6)
        & (blobs.solidity > 0.8)
        & (blobs.diameter_px >= low_px)
        & (blobs.diameter_px <= high_px)
    )


def find_patterns(
    pips: Blobs, shape: tuple[int, int], *, low: float, high: float, slack_px: float, relative: bool = False
) -> Patterns:
    """Patterns of two to six among pips, from every pair that could be the ends of a half's diagonal.

    Parameters: shape is (H, W) of the picture; low and high bound the diagonal, in pixels or, if relative, in
    diameters of the pips; slack_px is the greatest misplacement of a pip. The four, five and six come out twice,
    once for each diagonal.
    """
    first, second = _pairs(pips, low, high, relative=relative)
    centre: Floats = np.asarray((pips.xy[first] + pips.xy[second]) / 2, dtype=np.float32)
    arm: Floats = np.asarray((pips.xy[second] - pips.xy[first]) / 2, dtype=np.float32)
    across: Floats = np.column_stack((-arm[:, 1], arm[:, 0]))
    index = _index_map(pips, shape, radius_px=max(1, round(slack_px)))

    def has(offset: Floats) -> NDArray[np.bool_]:
        at = np.rint(centre + offset).astype(np.intp)
        inside = (at >= 0).all(axis=1) & (at[:, 0] < shape[1]) & (at[:, 1] < shape[0])
        at[~inside] = 0
        return np.asarray(inside & (index[at[:, 1], at[:, 0]] > 0))

    half = np.float32(0.5)
    middle = has(np.zeros_like(arm))
    corners = has(across).astype(int) + has(-across)
    along, back = half * (arm + across), half * (arm - across)
    some = [has(along), has(-along), has(back), has(-back)]
    sides = some[0] & some[1], some[2] & some[3]
    six = (corners == 2) & ~middle & (sides[0] ^ sides[1])
    suit = np.where(six, 6, 2 + middle + corners // 2 * 2)
    stray = np.sum(some, axis=0) - 2 * six + (corners == 1)
    # The two pips in the middle of a six lie across its rows.
    rows = np.where(six, np.where(sides[0], 1, -1), 0)
    return Patterns(centre, arm, suit, stray, rows, np.minimum(pips.contrast[first], pips.contrast[second]))


def _pairs(pips: Blobs, low: float, high: float, *, relative: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index pairs of pips of like size and strength, low to high apart."""
    gap = np.hypot(pips.xy[:, None, 0] - pips.xy[None, :, 0], pips.xy[:, None, 1] - pips.xy[None, :, 1])
    if relative:
        gap /= np.sqrt(pips.diameter_px[:, None] * pips.diameter_px[None, :])
    size = pips.diameter_px[:, None] / pips.diameter_px[None, :]
    strength = pips.contrast[:, None] / pips.contrast[None, :]
    near = (gap >= low) & (gap <= high) & (np.abs(np.log(size)) < 0.4) & (np.abs(np.log(strength)) < 0.9)
    first, second = np.nonzero(np.triu(near, 1))
    if len(first) > MOST_PAIRS:
        strongest = np.argsort(-np.minimum(pips.contrast[first], pips.contrast[second]), kind="stable")[:MOST_PAIRS]
        first, second = first[strongest], second[strongest]
    return first, second


def _index_map(pips: Blobs, shape: tuple[int, int], radius_px: int) -> NDArray[np.int32]:
    """Which pip (from 1) lies within radius_px of each pixel; 0 for none."""
    index = np.zeros(shape, np.int32)
    for number, (x, y) in enumerate(pips.xy.tolist(), start=1):
        cv2.circle(index, (round(x), round(y)), radius_px, number, -1)
    return index
