"""Remembers where dominoes lay, and says of those that are gone whether anything lies there now.

A domino that is not read may be hidden by an arm, a cup or a sheet, or it may have been lifted: only where its place
has come to look as the cloth round it did is it gone. One as dark as its cloth changes so little when it is lifted that
a reader may keep it: then it is taken out of the reading. What a domino means is not asked here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cut import axes_of, numbers_of, weights_of
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
ROUND: Final = (30, 15)
"""Places along and across a domino at which that is looked at, so far as they are not its own."""
CLEAR: Final = 1.25
"""Of other dominoes so much is left out of that cloth, their shadows with them."""
NEXT: Final = 1.6
"""Diagonals of a domino beyond which others are nowhere in that cloth."""
LEAST_SEEN: Final = 24
"""Where fewer places of the cloth are seen nothing is remembered."""
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


def _inner() -> Quad:
    """What each corner counts at each of the places of a domino that are looked at, shape (4, 3, P)."""
    along, across = np.meshgrid(INNER * STEPS, 0.5 + INNER * STEPS)
    a = np.stack([middle + along.reshape(-1) for middle in MIDDLES])
    return weights_of(a, np.broadcast_to(across.reshape(-1), a.shape))


def _round() -> Quad:
    """The same at each of the places round it, as far apart along it as across, shape (4, P)."""
    a, b = np.meshgrid(*(GROUND[1] * (np.arange(n) + 0.5 - n / 2) / n for n in ROUND))
    is_cloth = np.maximum(np.abs(a), np.abs(b)) > GROUND[0] / 2
    return weights_of(0.5 + a[is_cloth], 0.5 + b[is_cloth])


PLACE: Final = _inner().astype(np.float32)
CLOTH: Final = _round().astype(np.float32)


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


class _Faces(NamedTuple):
    """What the places of some dominoes look like: at either half and at the line between them, blue, green, red."""

    levels: Colour
    """Means of the logarithms, shape (N, 3, 3); infinite where some of it is out of the picture."""
    spreads: Colour
    """Their standard deviations, shape (N, 3, 3)."""

    def some(self, numbers: Sequence[int]) -> "_Faces":
        """Those of these numbers."""
        return _Faces(self.levels[numbers], self.spreads[numbers])

    def differ(self, ground: Colour, roughness: Colour) -> Colour:
        """By how much each differs from its cloth, or is less even, where it does so most; 1 is just bare; shape (N,).

        Of the cloths both are of shape (N, 3).
        """
        off = np.maximum(np.abs(self.levels - ground[:, None]), self.spreads)
        return np.asarray((off / np.maximum(ALIKE, ROUGH * roughness)[:, None]).max(axis=(1, 2)))


class Recall:
    """Adds to every reading which of the dominoes seen before have left a bare place.

    >>> Recall().of(np.zeros((48, 64, 3), np.uint8), Reading()).bare
    ()
    """

    def __init__(self) -> None:
        self._known: tuple[_Known, ...] = ()

    def of(self, bgr: Bgr, reading: Reading) -> Reading:
        """The reading of a picture, shape (H, W, 3), with what is gone since the ones before."""
        dominoes, quads = reading.dominoes, _quads(reading.dominoes)
        faces, (grounds, roughness, is_seen) = _faces(bgr, quads), _cloths(bgr, quads)
        are_at = _are_at(_quads([known.domino for known in self._known]), quads)
        light = self._light(are_at & is_seen, grounds)
        left = self._left(dominoes, faces, light)
        if left:
            reading = _without(reading, left)
        stays = np.array([domino not in left for domino in dominoes], np.bool_)
        missed = self._missed(np.logical_or.reduce(are_at & stays, axis=1), reading.dominoes)
        lost = _followed(missed, _faces(bgr, _quads([known.domino for known in missed])), light)
        differs = faces.differ(grounds, roughness)
        fresh = np.nonzero(is_seen & stays & (differs >= TELLING))[0]
        now = (_Known(dominoes[n], grounds[n], roughness[n], float(differs[n])) for n in fresh)
        self._known = (*now, *lost)[:MOST]
        return replace(reading, bare=tuple(known.domino for known in lost if known.is_gone))

    def _left(self, dominoes: Sequence[Domino], faces: _Faces, light: Colour) -> list[Domino]:
        """Those that are read as they were and lie there no longer: the record was kept over a small change."""
        lay = {known.domino.corners: known for known in reversed(self._known)}
        as_it_was = ((number, lay.get(domino.corners)) for number, domino in enumerate(dominoes))
        asked = {n: was for n, was in as_it_was if was is not None and not was.is_gone and was.differs >= CLEARLY}
        _, are_bare = _looked_at(list(asked.values()), faces.some(list(asked)), light)
        return [dominoes[number] for number, bare in zip(asked, are_bare, strict=True) if bare]

    def _light(self, are_at: NDArray[np.bool_], grounds: Colour) -> Colour:
        """How much brighter the cloth is than it was, shape (3,): the median over dominoes that lie as they did."""
        was, now = np.nonzero(are_at)
        if not len(was):
            return np.zeros(3)
        return np.asarray(np.median(grounds[now] - np.array([known.ground for known in self._known])[was], axis=0))

    def _missed(self, is_found: NDArray[np.bool_], found: Sequence[Domino]) -> list[_Known]:
        """Those in whose place none of those found lies, and which none shows elsewhere."""
        shown = [{domino.a.suit, domino.b.suit} for domino in found]
        missed = (known for known, is_it in zip(self._known, is_found, strict=True) if not is_it)
        return [known for known in missed if {known.domino.a.suit, known.domino.b.suit} not in shown]


def _followed(known: Sequence[_Known], places: _Faces, light: Colour) -> list[_Known]:
    """Dominoes that are not read, their cloths as lit now: the next picture's light is told from this one's."""
    looks = zip(known, *_looked_at(known, places, light), strict=True)
    return [replace(one, ground=ground, is_gone=one.is_gone or bare) for one, ground, bare in looks]


def _looked_at(known: Sequence[_Known], places: _Faces, light: Colour) -> tuple[Colour, list[bool]]:
    """The cloth round each of some dominoes in this light, shape (N, 3), and whether its place looks like that."""
    if not known:
        return np.zeros((0, 3)), []
    grounds = np.array([one.ground for one in known]) + light
    differ = places.differ(grounds, np.array([one.roughness for one in known]))
    is_bare = differ <= np.minimum(1.0, LESS * np.array([one.differs for one in known]))
    return grounds, is_bare.tolist()


def _without(reading: Reading, left: Sequence[Domino]) -> Reading:
    """The reading without the dominoes that have left."""
    dominoes = tuple(domino for domino in reading.dominoes if domino not in left)
    return Reading(dominoes, *chains(dominoes))


def _are_at(was: Quad, now: Quad) -> NDArray[np.bool_]:
    """Which of the places of dominoes now, shape (N, 4, 2), is which of those before, (K, 4, 2); shape (K, N)."""
    (before, along, _), (after, _, _) = axes_of(was), axes_of(now)
    return np.asarray(np.abs(before[:, None] - after) < NEAR * np.abs(along)[:, None])


def _faces(bgr: Bgr, quads: Quad) -> _Faces:
    """What the places of dominoes look like; all at once, for one by one it would take longer than reading them."""
    if not len(quads):
        return _Faces(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)))
    x, y = _places(quads, PLACE)
    pixels = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT).reshape(len(quads), 3, -1, 3)
    logs = LOGARITHMS[np.ascontiguousarray(pixels.swapaxes(2, 3))]
    height, width = bgr.shape[:2]
    is_in = np.logical_and.reduce((quads >= 0) & (quads < (width, height)), axis=(1, 2))
    return _Faces(np.where(is_in[:, None, None], logs.mean(axis=3), np.inf), logs.std(axis=3))


def _cloths(bgr: Bgr, quads: Quad) -> tuple[Colour, Colour, NDArray[np.bool_]]:
    """Median and roughness of the cloth round each domino, both (N, 3), and whether enough of it is seen, (N,)."""
    if not len(quads):
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.bool_)
    x, y = _places(quads, CLOTH)
    height, width = bgr.shape[:2]
    is_in = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    is_cloth = is_in & ~_covered(quads)
    counts = is_cloth.sum(axis=1)
    pixels = np.ascontiguousarray(cv2.remap(bgr, x, y, cv2.INTER_NEAREST).swapaxes(1, 2))
    # What is no cloth comes last; of sorts the stable one counts bytes in place of comparing them.
    ordered = np.sort(np.where(is_cloth[:, None], pixels, np.uint8(255)), axis=2, kind="stable")
    medians = LOGARITHMS[ordered[np.arange(len(quads)), :, counts // 2]]
    shares = (is_cloth / np.maximum(counts, 1)[:, None])[..., None]
    logs = LOGARITHMS[pixels]
    off = logs - logs @ shares
    return medians, np.sqrt((off * off) @ shares)[..., 0], counts >= LEAST_SEEN


def _places(quads: Quad, weights: Quad) -> NDArray[np.float32]:
    """Where in the picture such places of each quad are, x and y: shape (2, N, P)."""
    return (quads.transpose(2, 0, 1) @ weights.reshape(4, -1)).astype(np.float32)


def _covered(quads: Quad) -> NDArray[np.bool_]:
    """Which of the places of `CLOTH` round each domino lie under another or in its shadow, shape (N, P)."""
    middles, along, across = axes_of(quads)
    apart = np.abs(middles[:, None] - middles)
    np.fill_diagonal(apart, np.inf)
    domino, other = np.nonzero(apart < NEXT * np.hypot(2 * np.abs(along), np.abs(across)))
    covered = np.zeros((len(quads), CLOTH.shape[1]), np.bool_)
    if len(domino):
        # A place is a mean of its domino's corners, and so it is as the other domino sees them.
        way = (numbers_of(quads)[domino] - middles[other, None]).conj()
        beyond = (way * (along / np.abs(along) ** 2)[other, None]).real.astype(np.float32) / CLEAR
        beside = (way * (across / np.abs(across) ** 2)[other, None]).real.astype(np.float32) / (CLEAR / 2)
        is_over = np.maximum(np.abs(beyond @ CLOTH), np.abs(beside @ CLOTH)) < 1
        first = np.nonzero(np.diff(domino, prepend=-1))[0]
        covered[domino[first]] = np.logical_or.reduceat(is_over, first, axis=0)
    return covered


def _quads(dominoes: Sequence[Domino]) -> Quad:
    """Their corners, shape (N, 4, 2)."""
    return np.array([domino.corners for domino in dominoes]).reshape(-1, 4, 2)
