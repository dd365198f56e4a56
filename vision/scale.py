"""How large the dominoes are in a picture nobody has measured: votes from patterns, dividers and plain rectangles."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats, Gray, Polarity, find_blobs, mark_strength
from vision.candidates import distinct
from vision.pips import DIAGONAL, find_patterns, round_blobs

VOTES = np.array([0, 0, 0, 0.15, 1, 2, 2.5], np.float32)
"""What a pattern of each suit is worth: three marks in a row are common, a neat six is not."""
DIVIDER = 0.85
"""Usual length of a divider, in sides of a half."""
RECTANGLE_VOTE, RECTANGLES_VOTE = 2.0, 6.0
"""What one plain rectangle is worth, and all of them at most: cards, backs and standing dominoes are rectangles too."""
DIVIDER_VOTE = 0.3
PLAIN_WEIGHT = 12.0
"""Votes for one size at which no finer level needs to be looked at: five or six neat halves."""
MOST_OUTLINES = 150
"""Looked at in each mask, longest first."""
SMALLEST_LEVEL_PX = 48
BEST_SIDE_PX = 30.0
"""Side of a half at which its pips are in the middle of what is found."""
PLAIN_CONTRAST = 50.0
"""Grey levels at which a pattern's vote counts in full; the weave of a cloth has fewer."""
SMALLEST_RECTANGLE_PX = 9
RECTANGLE_PX = 480
"""The longer side at which plain rectangles are looked for."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One hypothesis."""

    side_px: float
    """Side of a domino's half in the picture."""
    polarity: Polarity
    weight: float


def find_scales(
    planes: Mapping[Polarity, Gray], rectangles: Floats, *, most: int, bounds_px: tuple[float, float] | None = None
) -> tuple[Scale, ...]:
    """The likeliest sizes, best first.

    Parameters: planes, for each polarity the picture as `ink_plane` gives it; rectangles of shape (N, 4), poses from
    `find_rectangles`; bounds_px, the smallest and largest side a half can have, where that is known.
    Levels of the pyramid are looked at from the coarsest, which costs least, until one is plain.
    """
    share = min(RECTANGLE_VOTE, RECTANGLES_VOTE / max(1, len(rectangles)))
    plain = _Votes.of(rectangles[:, 3], np.full(len(rectangles), share)).within(bounds_px)
    votes = dict.fromkeys(planes, plain)
    for level in _levels(next(iter(planes.values())).shape, bounds_px):
        for polarity, plane in planes.items():
            votes[polarity] = votes[polarity].and_(_pattern_votes(plane, level).within(bounds_px))
        best = max((scale for p in planes for scale in votes[p].scales(p, 1)), key=lambda s: s.weight, default=None)
        if best is not None and best.weight > PLAIN_WEIGHT:
            break
    found = [scale for polarity in planes for scale in votes[polarity].scales(polarity, most)]
    return tuple(sorted(found, key=lambda scale: -scale.weight)[:most])


@dataclass(frozen=True, slots=True)
class _Votes:
    """Sizes voted for, and what each vote is worth."""

    sides: Floats
    weights: Floats

    @classmethod
    def of(cls, sides: NDArray[np.floating], weights: NDArray[np.floating]) -> "_Votes":
        return cls(sides.astype(np.float32), weights.astype(np.float32))

    def and_(self, other: "_Votes") -> "_Votes":
        """The votes of both."""
        return _Votes(np.concatenate((self.sides, other.sides)), np.concatenate((self.weights, other.weights)))

    def within(self, bounds_px: tuple[float, float] | None) -> "_Votes":
        """The votes for sizes that can be."""
        if bounds_px is None:
            return self
        can = (self.sides >= bounds_px[0]) & (self.sides <= bounds_px[1])
        return _Votes(self.sides[can], self.weights[can])

    def scales(self, polarity: Polarity, most: int) -> list[Scale]:
        """The sizes with most votes near them, each taken out before the next is looked for."""
        found: list[Scale] = []
        side, weight = np.log(self.sides), self.weights
        while len(side) and len(found) < most:
            near = np.abs(side[:, None] - side[None, :]) < 0.1
            total = near @ weight
            best = int(total.argmax())
            members = near[best]
            mean = float(np.exp(np.average(side[members], weights=weight[members])))
            found.append(Scale(mean, polarity, float(total[best])))
            side, weight = side[~members], weight[~members]
        return found


def _levels(shape: tuple[int, ...], bounds_px: tuple[float, float] | None) -> list[int]:
    """Which halvings of a picture to look at, coarsest first; the one where pips are plainest when sizes are known."""
    most = max(0, int(np.log2(min(shape[:2]) / SMALLEST_LEVEL_PX)))
    if bounds_px is None:
        return list(range(most, -1, -1))
    best = round(float(np.log2(np.sqrt(bounds_px[0] * bounds_px[1]) / BEST_SIDE_PX)))
    return [min(max(best, 0), most)]


def _pattern_votes(plane: Gray, level: int) -> _Votes:
    """Votes from threes, fours, fives and sixes and from dividers, at one level of the picture's pyramid."""
    factor = 0.5**level
    if level:
        plane = np.asarray(cv2.resize(plane, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    blobs = find_blobs(mark_strength(plane))
    pips = round_blobs(blobs, low_px=2.8, high_px=9.0).strongest(400)
    found = find_patterns(pips, plane.shape[:2], low=2.7, high=5.3, slack_px=2, relative=True)
    worth = VOTES[found.suit] * (found.stray == 0) * np.minimum(1, found.contrast / PLAIN_CONTRAST) ** 2
    used = worth > 0
    long_enough = (blobs.length_px > 9) & (blobs.length_px < 30) & (blobs.roundness < 0.35)
    bars = blobs.where(long_enough & (blobs.contrast > PLAIN_CONTRAST)).strongest(8)
    sides = (2 * np.hypot(*found.diagonal[used].T) / DIAGONAL, bars.length_px / DIVIDER)
    weights = (worth[used], np.full(len(bars), DIVIDER_VOTE))
    return _Votes.of(np.concatenate(sides) / factor, np.concatenate(weights))


def find_rectangles(bgr: NDArray[np.uint8]) -> Floats:
    """Plain rectangles twice as long as wide, standing alone, as poses of shape (N, 4).

    Several channels are cut at Otsu's level, for no one channel tells every body from every table.
    """
    factor = min(1.0, RECTANGLE_PX / max(bgr.shape[:2]))
    small = cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (3, 3), 0)
    lab, hsv = cv2.cvtColor(small, cv2.COLOR_BGR2LAB), cv2.cvtColor(small, cv2.COLOR_BGR2HSV)
    masks = [
        cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1]
        for channel in (lab[:, :, 0], small[:, :, 0], hsv[:, :, 1], lab[:, :, 1], lab[:, :, 2])
    ]
    around = cv2.blur(lab[:, :, 0], (101, 101))
    masks.append(cv2.compare(cv2.subtract(lab[:, :, 0], around), np.full_like(around, 6), cv2.CMP_GT))
    poses = [pose for mask in masks for pose in _rectangles_of(np.asarray(mask, dtype=np.uint8))]
    found = np.array(poses, np.float32).reshape(-1, 4)
    found[:, [0, 1, 3]] /= factor
    return found[distinct(found, np.zeros(len(found), np.float32))]


def _rectangles_of(mask: NDArray[np.uint8]) -> list[tuple[float, float, float, float]]:
    """Poses of the 2:1 rectangles among a mask's outlines and holes."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    poses = []
    for outline in sorted(outlines, key=len, reverse=True)[:MOST_OUTLINES]:
        area = cv2.contourArea(outline)
        if area < SMALLEST_RECTANGLE_PX**2:
            continue
        (x, y), (w, h), angle = cv2.minAreaRect(outline)
        short, long = min(w, h), max(w, h)
        if not 1.65 < long / short < 2.5 or area < 0.82 * w * h:
            continue
        if long > 0.95 * max(mask.shape):
            continue
        turned = np.deg2rad(angle + (90 if h > w else 0))
        poses.append((x, y, float(turned), (short + long / 2) / 2))
    return poses
