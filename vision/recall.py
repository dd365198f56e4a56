"""Remembers where dominoes lay, and says of those that are gone whether anything lies there now.

A domino that is not read may be hidden by an arm, a cup or a sheet, or it may have been lifted: only where its place
has come to look as the cloth round it did is it gone. One as dark as its cloth changes so little when it is lifted that
a reader may keep it: then it is taken out of the reading. What a domino means is not asked here.
"""

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

INNER: Final = 0.4
"""Share of a domino's length and width that is looked at in each place: its edge shows its shadow, and may be a pixel
off."""
GROUND: Final = (1.25, 1.8)
"""Between these shares round it lies the cloth that is remembered."""
CLEAR: Final = 1.25
"""Of other dominoes so much is left out of that cloth, their shadows with them."""
NEXT: Final = 2.0
"""Diagonals of a domino beyond which others are nowhere in that cloth."""
LEAST_PX: Final = 24
"""Of fewer pixels of cloth nothing is remembered."""
ENOUGH_PX: Final = 400
"""Of more pixels of cloth not all are looked at."""
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
LOGARITHMS: Final = np.log(np.arange(256, dtype=np.float32) + np.float32(FLOOR))
"""Of every level, with that floor."""
NEAR: Final = 0.5
"""Sides of a half within which a domino read now is the one that lay there."""
MOST: Final = 56
"""Dominoes remembered at most: two sets."""
STEPS: Final = np.linspace(-0.5, 0.5, 11)
MIDDLES: Final = (0.25, 0.5, 0.75)
"""Along a domino, the middles of what is looked at: either half, and the line between them."""


def _weights() -> Quad:
    """What each corner counts at each of the points that are looked at, shape (4, 3, P)."""
    along, across = np.meshgrid(INNER * STEPS, 0.5 + INNER * STEPS)
    a = np.stack([middle + along.reshape(-1) for middle in MIDDLES])
    b = np.broadcast_to(across.reshape(-1), a.shape)
    return np.stack(((1 - a) * b, (1 - a) * (1 - b), a * (1 - b), a * b))


WEIGHTS: Final = _weights()


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


@dataclass(frozen=True, slots=True)
class _Face:
    """What a domino's place looks like: at either half and at the line between them, blue, green, red."""

    levels: Colour
    """Means of the logarithms, shape (3, 3); infinite where some of it is out of the picture."""
    spreads: Colour
    """Their standard deviations, shape (3, 3)."""

    def differs(self, ground: Colour, roughness: Colour) -> float:
        """By how much it differs from its cloth, or is less even, where it does so most; 1 is just bare."""
        off = np.maximum(np.abs(self.levels - ground), self.spreads)
        return float((off / np.maximum(ALIKE, ROUGH * roughness)).max())


class Recall:
    """Adds to every reading which of the dominoes seen before have left a bare place.

    >>> Recall().of(np.zeros((48, 64, 3), np.uint8), Reading()).bare
    ()
    """

    def __init__(self) -> None:
        self._known: tuple[_Known, ...] = ()

    def of(self, bgr: Bgr, reading: Reading) -> Reading:
        """The reading of a picture, shape (H, W, 3), with what is gone since the ones before."""
        dominoes = reading.dominoes
        quads, faces = _quads(dominoes), _faces(bgr, dominoes)
        cloths = [_cloth(bgr, quad, quads) for quad in quads]
        now = [
            _Known(domino, *cloth, face.differs(*cloth))
            for domino, face, cloth in zip(dominoes, faces, cloths, strict=True)
            if cloth is not None
        ]
        light = self._light(now)
        left = [domino for domino, face in zip(dominoes, faces, strict=True) if self._has_left(domino, face, light)]
        if left:
            reading = _without(reading, left)
        missed = _missed(self._known, reading.dominoes)
        places = _faces(bgr, [known.domino for known in missed])
        lost = [_followed(known, place, light) for known, place in zip(missed, places, strict=True)]
        fresh = [known for known in now if known.domino not in left and known.differs >= TELLING]
        self._known = (*fresh, *lost)[:MOST]
        return replace(reading, bare=tuple(known.domino for known in lost if known.is_gone))

    def _has_left(self, domino: Domino, place: _Face, light: Colour) -> bool:
        """Whether a domino that is read as it was lies there no longer: its record was kept over a small change."""
        was = next((known for known in self._known if known.domino.corners == domino.corners), None)
        if was is None or was.is_gone or was.differs < CLEARLY:
            return False
        return _followed(was, place, light).is_gone

    def _light(self, now: Sequence[_Known]) -> Colour:
        """How much brighter the cloth is than it was, shape (3,): the median over dominoes that lie as they did."""
        are_at = _are_at([known.domino for known in self._known], [here.domino for here in now])
        changes = [now[n].ground - self._known[k].ground for k, n in np.argwhere(are_at).tolist()]
        return np.median(changes, axis=0) if changes else np.zeros(3)


def _followed(known: _Known, place: _Face, light: Colour) -> _Known:
    """A domino that is not read, its cloth as it is lit now: the next picture's light is told from this one's."""
    ground = known.ground + light
    is_bare = place.differs(ground, known.roughness) <= min(1.0, LESS * known.differs)
    return replace(known, ground=ground, is_gone=known.is_gone or is_bare)


def _without(reading: Reading, left: Sequence[Domino]) -> Reading:
    """The reading without the dominoes that have left."""
    dominoes = tuple(domino for domino in reading.dominoes if domino not in left)
    return Reading(dominoes, *chains(dominoes))


def _missed(known: Sequence[_Known], found: Sequence[Domino]) -> list[_Known]:
    """Those in whose place none of those found lies, and which none shows elsewhere."""
    is_taken = [bool(row.any()) for row in _are_at([one.domino for one in known], found)]
    shown = [{domino.a.suit, domino.b.suit} for domino in found]
    return [
        one
        for one, is_it in zip(known, is_taken, strict=True)
        if not is_it and {one.domino.a.suit, one.domino.b.suit} not in shown
    ]


def _are_at(known: Sequence[Domino], found: Sequence[Domino]) -> NDArray[np.bool_]:
    """Which of those found lie where which of the known ones lay, shape (known, found)."""
    was, now = _quads(known), _quads(found)
    sides = np.linalg.norm(was[:, 0] - was[:, 1], axis=-1)
    apart = np.linalg.norm(was.mean(axis=1)[:, None] - now.mean(axis=1), axis=-1)
    return np.asarray(apart < NEAR * sides[:, None])


def _faces(bgr: Bgr, dominoes: Sequence[Domino]) -> list[_Face]:
    """What the places of dominoes look like; all at once, for one by one it would take longer than reading them."""
    if not dominoes:
        return []
    quads = _quads(dominoes)
    places = np.einsum("nkc,krp->nrpc", quads, WEIGHTS).astype(np.float32)
    rows = places.reshape(len(dominoes), -1, 2)
    pixels = cv2.remap(bgr, rows[..., 0], rows[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    logs = LOGARITHMS[pixels.reshape(*places.shape[:3], 3)]
    height, width = bgr.shape[:2]
    is_in = [bool(((quad >= 0) & (quad < (width, height))).all()) for quad in quads]
    return [
        _Face(levels, spreads) if inside else _Face(levels + np.inf, spreads)
        for levels, spreads, inside in zip(logs.mean(axis=2), logs.std(axis=2), is_in, strict=True)
    ]


def _quads(dominoes: Sequence[Domino]) -> Quad:
    """Their corners, shape (N, 4, 2)."""
    return np.array([domino.corners for domino in dominoes]).reshape(-1, 4, 2)


def _cloth(bgr: Bgr, quad: Quad, quads: Quad) -> tuple[Colour, Colour] | None:
    """Mean and roughness of the cloth round a domino; None where too little of it is seen."""
    near, far = (_scaled(quad, share) for share in GROUND)
    apart = np.hypot(*(quads.mean(axis=1) - quad.mean(axis=0)).T)
    near_by = quads[apart < NEXT * np.hypot(*(quad[0] - quad[2]))]
    others = [_scaled(other, CLEAR) for other in near_by]
    pixels = _pixels(bgr, far, without=[near, *others])
    return (np.median(pixels, axis=0), pixels.std(axis=0)) if len(pixels) >= LEAST_PX else None


def _scaled(quad: Quad, share: float) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray(middle + share * (quad - middle))


def _pixels(bgr: Bgr, quad: Quad, *, without: Sequence[Quad] = ()) -> NDArray[np.float32]:
    """Logarithms of the pixels in a quad that are in the picture and in none of the others, shape (N, 3).

    Of many only some, evenly: their median and deviation are as good, and are wanted of every domino in every reading.
    """
    height, width = bgr.shape[:2]
    left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        return np.zeros((0, 3), np.float32)
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad - (left, top)).astype(np.int32), 1)
    for other in without:
        cv2.fillConvexPoly(mask, np.round(other - (left, top)).astype(np.int32), 0)
    rows, columns = np.nonzero(mask)
    step = max(1, len(rows) // ENOUGH_PX)
    return np.asarray(LOGARITHMS[bgr[top + rows[::step], left + columns[::step]]])
