"""One picture in, a `Reading` out: the order of the steps, and nothing that a step could do itself."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats
from vision.candidates import distinct
from vision.geometry import Table
from vision.growth import neighbours, resized, variations
from vision.judge import PLAIN_PIPS, Traits, log_odds, placement, traits_of
from vision.line import chains
from vision.packing import best_packing, crossing, overlaps
from vision.reading import Domino, Half, Reading
from vision.search import DEFAULT, Params, Search, searches
from vision.templates import DEFAULT_STYLE
from vision.tiles import Faces, joined, likeliest_style, look, reread

CERTAIN = 4.0
"""Log odds beyond which a domino is no likelier than one that is certain."""


def read(bgr: NDArray[np.uint8], *, params: Params = DEFAULT, table: Table | None = None) -> Reading:
    """Everything that lies in a picture.

    Parameters: bgr of shape (H, W, 3), uint8; table, where the camera has been calibrated: then the size of the
    dominoes is known and everything off the table is ignored.
    Raises: ValueError when bgr is no such array.
    """
    best: _Found | None = None
    for search in searches(bgr, params=params, table=table):
        found = _found(search, params)
        if best is None or found.worth > best.worth:
            best = found
    if best is None:
        return Reading()
    dominoes = _dominoes(best)
    if table is not None:
        dominoes = [domino for domino in dominoes if table.holds(domino.centre)]
    return Reading(tuple(dominoes), *chains(dominoes, params.line))


@dataclass(frozen=True, slots=True)
class Weighed:
    """The places of one search weighed against each other, with those added where the line goes on."""

    faces: Faces
    odds: Floats
    kept: NDArray[np.intp]
    """Those of the best packing, in no order."""
    traits: Traits | None
    """What the set was taken to look like; None where nothing was likely enough to start from."""
    ink_floor: float
    style: int


@dataclass(frozen=True, slots=True)
class _Found:
    """The dominoes found at one scale."""

    search: Search
    faces: Faces
    odds: Floats
    worth: float


def _found(search: Search, params: Params) -> _Found:
    """The best set of dominoes of one search, none where they are no dominoes at all."""
    weighed = weigh(search, params=params)
    kept = weighed.kept[weighed.odds[weighed.kept] > params.sure_enough]
    faces, odds = weighed.faces.where(kept), weighed.odds[kept]
    if not _are_dominoes(faces, odds, params):
        faces, odds = faces.where(kept[:0]), odds[:0]
    faces = reread(search.view, faces, ink_floor=weighed.ink_floor, style=weighed.style)
    return _Found(search, faces, odds, float(np.clip(odds - 0.5, 0, CERTAIN).sum()))


def weigh(search: Search, *, params: Params = DEFAULT) -> Weighed:
    """The best packing, found again with the traits of the set it shows, and grown where the line goes on."""
    faces, odds = search.faces, log_odds(search.faces, weights=params.weights)
    kept = _packed(faces, odds, params)
    if not len(kept):
        return Weighed(faces, odds, kept, None, params.ink_floor, DEFAULT_STYLE)
    plain = faces.where(_plainest(faces, odds, kept))
    traits = traits_of(plain)
    floor = max(params.ink_floor, params.blank * traits.ink)
    style = likeliest_style(search.view, plain.pose, ink_floor=floor)
    again = partial(look, search.view, ink_floor=floor, style=style)
    likely = faces.pose[np.argsort(-odds, kind="stable")[: min(params.candidates, 8 * len(kept) + 40)]]
    faces = again(np.concatenate((likely, resized(likely, traits.side_px))))
    fresh: list[Faces] = []
    for growth in range(1 + params.growth):
        if growth:
            found = faces.where(kept)
            traits = traits_of(faces.where(_plainest(faces, odds, kept)))
            fresh = _grown(again, found, traits, params)
            if growth <= 2:
                fresh.append(refined(again, found.where(_uncertain(found))))
            if not fresh:
                break
            faces = joined([faces, *fresh])
        odds = log_odds(faces, traits, weights=params.weights)
        known = len(faces) - sum(len(part) for part in fresh)
        kept = _packed(faces, odds, params)
        if not len(kept) or (growth and (kept < known).all()):
            break
    return Weighed(faces, odds, kept, traits, floor, style)


def _are_dominoes(faces: Faces, odds: Floats, params: Params) -> bool:
    """Whether what was found is dominoes at all: one is plain, and several are not all without a pip."""
    return bool(len(faces) and odds.max() >= params.plain and (len(faces) == 1 or (faces.suits > 0).any()))


def _uncertain(faces: Faces) -> NDArray[np.bool_]:
    """Which were not placed well by their pips alone."""
    vague = faces.misfit.min(axis=2).max(axis=1) > 0.03
    return np.asarray(vague | (faces.suits < PLAIN_PIPS).any(axis=1))


def _grown(again: Callable[[Floats], Faces], found: Faces, traits: Traits, params: Params) -> list[Faces]:
    """The likeliest further dominoes at the free ends of those found."""
    pose = neighbours(found.pose)
    free = ~crossing(pose, found.pose).any(axis=1)
    if not free.any():
        return []
    faces = again(pose[free])
    odds = log_odds(faces, traits, weights=params.weights)
    best = np.argsort(-odds, kind="stable")[: params.grown]
    best = best[odds[best] > params.hopeful]
    return [refined(again, faces.where(best))] if len(best) else []


def refined(again: Callable[[Floats], Faces], faces: Faces) -> Faces:
    """Each moved a little to where its borders and patterns fit best."""
    for size in (1.0, 0.5):
        if not len(faces):
            break
        pose = variations(faces.pose, size)
        tried = again(pose.reshape(-1, 4))
        best = placement(tried).reshape(pose.shape[:2]).argmax(axis=1)
        faces = tried.where(np.arange(len(faces)) * pose.shape[1] + best)
    return faces


def _plainest(faces: Faces, odds: Floats, kept: NDArray[np.intp]) -> NDArray[np.intp]:
    """The two thirds of the kept whose traits can be trusted most."""
    rich = kept[(faces.suits[kept] >= PLAIN_PIPS).all(axis=1)]
    among = rich if len(rich) >= 2 else kept
    return among[np.argsort(-odds[among])][: max(2, (2 * len(among) + 2) // 3)]


def _packed(faces: Faces, odds: Floats, params: Params) -> NDArray[np.intp]:
    """Indices of the best set without overlaps."""
    usable = np.nonzero(odds > params.doubtful)[0]
    usable = usable[np.argsort(-odds[usable], kind="stable")][: params.candidates]
    usable = usable[distinct(faces.pose[usable], odds[usable], near=0.1, turn_rad=0.15)]
    if not len(usable):
        return usable
    pool = faces.where(usable)
    return usable[best_packing(_worth(pool, odds[usable]), overlaps(pool.pose))]


def _worth(faces: Faces, odds: Floats) -> Floats:
    """What a domino adds to a set: its odds, and more for plain halves, for each has to belong to some domino."""
    plain = (faces.suits >= PLAIN_PIPS) & (faces.misfit.min(axis=2) < 0.1)
    return np.asarray(np.minimum(odds, CERTAIN) + 1.3 + 3 * plain.sum(axis=1), dtype=np.float32)


def _dominoes(found: _Found) -> list[Domino]:
    """Records in the pixels of the picture that was given, from left to right."""
    search, scale = found.search, found.search.factor
    result = []
    for pose, misfit, odds in zip(found.faces.pose, found.faces.misfit, found.odds, strict=True):
        x, y, angle, side = (float(v) for v in pose)
        cos, sin = np.cos(angle) * side, np.sin(angle) * side
        corners = tuple(
            (
                float((x + u * cos - v * sin + 0.5) / scale - 0.5 + search.left),
                float((y + u * sin + v * cos + 0.5) / scale - 0.5 + search.top),
            )
            for u, v in ((-1, 0.5), (-1, -0.5), (1, -0.5), (1, 0.5))
        )
        a, b = (_half(m) for m in misfit)
        result.append(Domino(a, b, (corners[0], corners[1], corners[2], corners[3]), float(1 / (1 + np.exp(-odds)))))
    return sorted(result, key=lambda domino: domino.centre)


def _half(misfit: Floats) -> Half:
    """Probabilities of the suits from how far each is from what shows; None when nothing fits."""
    if misfit.min() > 0.3:
        return Half(None)
    temperature = 0.006 + 0.1 * float(misfit.min())
    weight = np.exp(-(misfit.astype(np.float64) - float(misfit.min())) / temperature)
    return Half(tuple(float(p) for p in weight / weight.sum()))
