"""Remembers where dominoes lay, and says of those that are gone whether anything lies there now.

A domino that is not read may be hidden by an arm, a cup or a sheet, or it may have been lifted: only where its place
has come to look as the cloth round it did is it gone. One as dark as its cloth changes so little when it is lifted that
a reader may keep it: then it is taken out of the reading. What a domino means is not asked here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Bgr
from vision.line import chains
from vision.reading import Domino, Reading

Quad = NDArray[np.floating[Any]]
Colour = NDArray[np.floating[Any]]

INNER: Final = 0.8
"""Share of a domino's length and width that is looked at: its edge shows its shadow, and may be a pixel off."""
GROUND: Final = (1.25, 1.8)
"""Between these shares round it lies the cloth that is remembered."""
CLEAR: Final = 1.25
"""Of other dominoes so much is left out of that cloth, their shadows with them."""
LEAST_PX: Final = 24
"""Of fewer pixels of cloth nothing is remembered."""
ALIKE: Final = 0.18
"""Logarithm of brightness, in every colour, by which a bare place may differ from the cloth round it at most."""
ROUGH: Final = 2.5
"""Times the cloth's own roughness by which it may differ, where the cloth is patterned."""
FLOOR: Final = 8.0
"""Added to every level, so that noise in the dark is no difference."""
LESS: Final = 2 / 3
"""Of what a domino itself differed by its place may differ at most: its pips and its line are what tells some."""
TELLING: Final = 0.7
"""Of a domino that differs from its cloth by less, in what a bare place may differ by, nobody could say whether it is
gone."""
CLEARLY: Final = 1.0
"""And by so much it must have differed, that a reading which keeps it is not believed."""
NEAR: Final = 0.5
"""Sides of a half within which a domino read now is the one that lay there."""
MOST: Final = 56
"""Dominoes remembered at most: two sets."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A domino as it lay, and the cloth round it."""

    domino: Domino
    ground: Colour
    """Logarithms of blue, green, red: shape (3,)."""
    roughness: Colour
    """Their standard deviations, shape (3,)."""
    differs: float
    """By how much the domino differs from that, in what a bare place may differ by."""
    is_gone: bool = False
    """Whether its place was seen bare since: what is put over that afterwards hides no domino."""


class Recall:
    """Adds to every reading which of the dominoes seen before have left a bare place.

    >>> Recall().of(np.zeros((48, 64, 3), np.uint8), Reading()).bare
    ()
    """

    def __init__(self) -> None:
        self._known: tuple[_Known, ...] = ()

    def of(self, bgr: Bgr, reading: Reading) -> Reading:
        """The reading of a picture, shape (H, W, 3), with what is gone since the ones before."""
        quads = [np.array(domino.corners) for domino in reading.dominoes]
        now = [
            _Known(d, *c, _differs(bgr, q, *c))
            for d, q in zip(reading.dominoes, quads, strict=True)
            if (c := _cloth(bgr, q, quads))
        ]
        light = self._light(now)
        if left := [domino for domino in reading.dominoes if self._has_left(domino, bgr, light)]:
            reading = _without(reading, left)
        missed = [known for known in self._known if not _is_among(known.domino, reading.dominoes)]
        lost = [_followed(known, bgr, light) for known in missed]
        fresh = [known for known in now if known.domino not in left and known.differs >= TELLING]
        self._known = (*fresh, *lost)[:MOST]
        return replace(reading, bare=tuple(known.domino for known in lost if known.is_gone))

    def _has_left(self, domino: Domino, bgr: Bgr, light: Colour) -> bool:
        """Whether a domino that is read as it was lies there no longer: its record was kept over a small change."""
        was = next((known for known in self._known if known.domino.corners == domino.corners), None)
        if was is None or was.is_gone or was.differs < CLEARLY:
            return False
        return _followed(was, bgr, light).is_gone

    def _light(self, now: Sequence[_Known]) -> Colour:
        """How much brighter the cloth is than it was, shape (3,): the median over dominoes that lie as they did."""
        changes = [
            here.ground - known.ground
            for here in now
            for known in self._known
            if _is_at(known.domino, np.array(here.domino.corners))
        ]
        return np.median(changes, axis=0) if changes else np.zeros(3)


def _followed(known: _Known, bgr: Bgr, light: Colour) -> _Known:
    """A domino that is not read, its cloth as it is lit now: the next picture's light is told from this one's."""
    ground = known.ground + light
    differs = _differs(bgr, np.array(known.domino.corners), ground, known.roughness)
    return replace(known, ground=ground, is_gone=known.is_gone or _is_bare(differs, known))


def _without(reading: Reading, left: Sequence[Domino]) -> Reading:
    """The reading without the dominoes that have left."""
    dominoes = tuple(domino for domino in reading.dominoes if domino not in left)
    return Reading(dominoes, *chains(dominoes))


def _is_among(domino: Domino, found: Sequence[Domino]) -> bool:
    """Whether one of those found lies where `domino` lay, or shows the same elsewhere."""
    return any(
        _is_at(domino, np.array(other.corners)) or {other.a.suit, other.b.suit} == {domino.a.suit, domino.b.suit}
        for other in found
    )


def _is_at(domino: Domino, quad: Quad) -> bool:
    own = np.array(domino.corners)
    side = np.linalg.norm(own[0] - own[1])
    return bool(np.linalg.norm(own.mean(axis=0) - quad.mean(axis=0)) < NEAR * side)


def _is_bare(differs: float, was: _Known) -> bool:
    """Whether a place that differs so much from its cloth shows it, and no longer the domino that lay there."""
    return differs <= min(1.0, LESS * was.differs)


def _differs(bgr: Bgr, quad: Quad, ground: Colour, roughness: Colour) -> float:
    """By how much a place differs from the cloth round it, or is less even, where it does so most; 1 is just bare."""
    may_differ = np.maximum(ALIKE, ROUGH * roughness)
    ends = (quad[:2].mean(axis=0), quad[2:].mean(axis=0))
    most = 0.0
    for about in (*ends, quad.mean(axis=0)):  # either half, and the line between them
        pixels = _pixels(bgr, _scaled((quad + about) / 2, INNER))
        if len(pixels) < LEAST_PX // 4:
            return math.inf
        off = np.maximum(np.abs(pixels.mean(axis=0) - ground), pixels.std(axis=0))
        most = max(most, float((off / may_differ).max()))
    return most


def _cloth(bgr: Bgr, quad: Quad, quads: Sequence[Quad]) -> tuple[Colour, Colour] | None:
    """Mean and roughness of the cloth round a domino; None where too little of it is seen."""
    near, far = (_scaled(quad, share) for share in GROUND)
    others = [_scaled(other, CLEAR) for other in quads]
    pixels = _pixels(bgr, far, without=[near, *others])
    return (np.median(pixels, axis=0), pixels.std(axis=0)) if len(pixels) >= LEAST_PX else None


def _scaled(quad: Quad, share: float) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray(middle + share * (quad - middle))


def _pixels(bgr: Bgr, quad: Quad, *, without: Sequence[Quad] = ()) -> NDArray[np.float32]:
    """Logarithms of the pixels in a quad that are in the picture and in none of the others, shape (N, 3)."""
    height, width = bgr.shape[:2]
    left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        return np.zeros((0, 3), np.float32)
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad - (left, top)).astype(np.int32), 1)
    for other in without:
        cv2.fillConvexPoly(mask, np.round(other - (left, top)).astype(np.int32), 0)
    inside = bgr[top:bottom, left:right][mask > 0]
    return np.asarray(np.log(inside.astype(np.float32) + np.float32(FLOOR)))
