"""One picture in, a `Reading` out: the order of the steps, and nothing that a step could do itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import POLARITIES, Floats, Gray, Polarity, find_blobs, ink_plane, mark_strength
from vision.candidates import distinct, from_dividers, from_patterns, from_rectangles
from vision.geometry import Table
from vision.growth import neighbours, resized, variations
from vision.judge import PLAIN_PIPS, Traits, log_odds, placement, traits_of
from vision.line import LineParams, chains
from vision.packing import best_packing, crossing, overlaps
from vision.pips import DIAGONAL, find_patterns, round_blobs
from vision.reading import Domino, Half, Reading
from vision.scale import Scale, find_rectangles, find_scales
from vision.tiles import Faces, View, joined, likeliest_style, look, reread

SIDE_PX = 28.0
"""Every picture is scaled so that a half is about so large: a pip is then 5 to 7 px across."""
SMALLEST_PX = 8
"""No domino can be read in a picture smaller than this."""


@dataclass(frozen=True, slots=True)
class Params:
    """What a reader may be told."""

    largest_px: int = 1600
    """A picture with a longer side is scaled down first."""
    smallest_px: int = 480
    """A picture with a shorter longer side is scaled up first, for its pips may be 3 px across."""
    half_mm: tuple[float, float] = (20.0, 29.0)
    """Side of a half, from the smallest to the largest set; used when the table's scale is known."""
    scales: int = 4
    """How many sizes of dominoes are tried when the table's scale is not known."""
    rival: float = 0.3
    """Share of the likeliest size's votes that another size needs to be tried too."""
    candidates: int = 260
    """At most so many places are weighed against each other."""
    ink_floor: float = 20.0
    """Grey levels; a half whose strongest mark is weaker is blank rather than not."""
    blank: float = 0.2
    """The same as a share of the set's usual ink."""
    doubtful: float = -3.0
    """Log odds below which a place is not weighed at all."""
    sure_enough: float = -2.0
    """Log odds a domino needs to be reported."""
    plain: float = 1.5
    """Log odds that the plainest domino of a picture needs; where none is plain, it is a pattern of something else."""
    growth: int = 2
    """How many times the free ends of the dominoes found are looked at for one more."""
    grown: int = 16
    """At most so many places are looked at closely each time."""
    hopeful: float = -9.0
    """Log odds below which such a place is not looked at closely."""
    line: LineParams = field(default_factory=LineParams)


DEFAULT = Params()


def read(bgr: NDArray[np.uint8], *, params: Params = DEFAULT, table: Table | None = None) -> Reading:
    """Everything that lies in a picture.

    Parameters: bgr of shape (H, W, 3), uint8; table, where the camera has been calibrated: then the size of the
    dominoes is known and everything off the table is ignored.
    Raises: ValueError when bgr is no such array.
    """
    if not isinstance(bgr, np.ndarray) or bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        got = f"{bgr.dtype} {bgr.shape}" if isinstance(bgr, np.ndarray) else type(bgr).__name__
        raise ValueError(f"expected a BGR picture, uint8 of shape (H, W, 3), got {got}")
    if min(bgr.shape[:2]) < SMALLEST_PX:
        return Reading()
    left, top, near = _near_table(bgr, table)
    base, factor = _resized(near, params)
    planes: dict[Polarity, Gray] = {polarity: ink_plane(base, polarity) for polarity in POLARITIES}
    rectangles = find_rectangles(base)
    best: _Found | None = None
    for scale in _scales(planes, rectangles, factor, params, table):
        found = _search(base, planes[scale.polarity], rectangles, scale, params)
        if found is not None and (best is None or found.worth > best.worth):
            best = found
    if best is None:
        return Reading()
    dominoes = _dominoes(best, factor, left, top)
    if table is not None:
        dominoes = [domino for domino in dominoes if table.holds(domino.centre)]
    return Reading(tuple(dominoes), chains(dominoes, params.line))


@dataclass(frozen=True, slots=True)
class _Found:
    """The dominoes found at one scale."""

    faces: Faces
    odds: Floats
    worth: float
    factor: float


def _near_table(bgr: NDArray[np.uint8], table: Table | None) -> tuple[int, int, NDArray[np.uint8]]:
    """The part of the picture that holds the table, and where in the picture it begins (x, y); all without a table."""
    if table is None:
        return 0, 0, bgr
    corners = np.array(table.corners_px)
    left, top = (max(0, int(v) - SMALLEST_PX) for v in corners.min(axis=0))
    right, bottom = (int(v) + SMALLEST_PX for v in corners.max(axis=0))
    part = bgr[top : max(bottom, top), left : max(right, left)]
    return (left, top, part) if min(part.shape[:2]) >= SMALLEST_PX else (0, 0, bgr)


def _resized(bgr: NDArray[np.uint8], params: Params) -> tuple[NDArray[np.uint8], float]:
    """The picture at a size that can be worked on, and how much larger it is than before."""
    longer = max(bgr.shape[:2])
    factor = min(1.0, params.largest_px / longer) if longer >= params.smallest_px else params.smallest_px / longer
    return _scaled(bgr, factor), factor


def _scaled(bgr: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    if factor == 1.0:
        return bgr
    # Averaging over areas is needed, and slow, only where several pixels fall together.
    how = cv2.INTER_CUBIC if factor > 1 else cv2.INTER_LINEAR if factor > 0.6 else cv2.INTER_AREA
    size = tuple(max(SMALLEST_PX, round(n * factor)) for n in bgr.shape[1::-1])
    return np.asarray(cv2.resize(bgr, size, interpolation=how), dtype=np.uint8)


def _scales(
    planes: dict[Polarity, Gray], rectangles: Floats, factor: float, params: Params, table: Table | None
) -> list[Scale]:
    """The sizes worth trying, likeliest first."""
    if table is None:
        bounds_px = None
    else:
        low, high = (mm * table.px_per_mm * factor for mm in params.half_mm)
        bounds_px = (0.9 * low, 1.1 * high)
    found = find_scales(planes, rectangles, most=params.scales, bounds_px=bounds_px)
    return [s for s in found if s.weight > params.rival * found[0].weight]


def _search(base: NDArray[np.uint8], plane: Gray, rectangles: Floats, scale: Scale, params: Params) -> _Found | None:
    """The best set of dominoes of one size and polarity."""
    factor = SIDE_PX / scale.side_px
    plane = _scaled(plane, factor)
    marks = mark_strength(plane)
    blobs = find_blobs(marks)
    pips = round_blobs(blobs, low_px=3.2, high_px=9).strongest(500)
    patterns = find_patterns(
        pips, plane.shape[:2], low=0.86 * DIAGONAL * SIDE_PX, high=1.14 * DIAGONAL * SIDE_PX, slack_px=2
    )
    moved = rectangles.copy()
    moved[:, :2] = (rectangles[:, :2] + 0.5) * factor - 0.5
    moved[:, 3] *= factor
    pose = np.concatenate(
        (from_patterns(patterns, SIDE_PX), from_dividers(blobs, SIDE_PX), from_rectangles(moved, SIDE_PX))
    )
    if not len(pose):
        return None
    view = View(plane, marks, base, factor)
    faces, odds = _weighed(view, look(view, pose, ink_floor=params.ink_floor), params)
    worth = float(np.clip(odds - 0.5, 0, 6).sum())
    return _Found(faces, odds, worth, factor)


def _weighed(view: View, faces: Faces, params: Params) -> tuple[Faces, Floats]:
    """The best packing, found again with the traits of the set it shows, and grown where the line goes on."""
    odds = log_odds(faces)
    kept = _packed(faces, odds, params)
    if not len(kept):
        return faces.where(kept), odds[kept]
    plain = faces.where(_plainest(faces, odds, kept))
    traits = traits_of(plain)
    floor = max(params.ink_floor, params.blank * traits.ink)
    style = likeliest_style(view, plain.pose, ink_floor=floor)
    again = partial(look, view, ink_floor=floor, style=style)
    likely = faces.pose[np.argsort(-odds, kind="stable")[: min(params.candidates, 8 * len(kept) + 40)]]
    faces = again(np.concatenate((likely, resized(likely, traits.side_px))))
    fresh: list[Faces] = []
    for growth in range(1 + params.growth):
        if growth:
            found = faces.where(kept)
            traits = traits_of(faces.where(_plainest(faces, odds, kept)))
            fresh = _grown(again, found, traits, params)
            if growth <= 2:
                fresh.append(_refined(again, found.where(_uncertain(found))))
            if not fresh:
                break
            faces = joined([faces, *fresh])
        odds = log_odds(faces, traits)
        known = len(faces) - sum(len(part) for part in fresh)
        kept = _packed(faces, odds, params)
        if not len(kept) or (growth and (kept < known).all()):
            break
    kept = kept[odds[kept] > params.sure_enough]
    if not _are_dominoes(faces.where(kept), odds[kept], params):
        kept = kept[:0]
    return reread(view, faces.where(kept), ink_floor=floor, style=style), odds[kept]


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
    odds = log_odds(faces, traits)
    best = np.argsort(-odds, kind="stable")[: params.grown]
    best = best[odds[best] > params.hopeful]
    return [_refined(again, faces.where(best))] if len(best) else []


def _refined(again: Callable[[Floats], Faces], faces: Faces) -> Faces:
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
    return np.asarray(np.minimum(odds, 4) + 1.3 + 3 * plain.sum(axis=1), dtype=np.float32)


def _dominoes(found: _Found, factor: float, left: int, top: int) -> list[Domino]:
    """Records in the pixels of the picture that was given, from left to right."""
    scale = found.factor * factor
    result = []
    for pose, misfit, odds in zip(found.faces.pose, found.faces.misfit, found.odds, strict=True):
        x, y, angle, side = (float(v) for v in pose)
        cos, sin = np.cos(angle) * side, np.sin(angle) * side
        corners = tuple(
            (
                float((x + u * cos - v * sin + 0.5) / scale - 0.5 + left),
                float((y + u * sin + v * cos + 0.5) / scale - 0.5 + top),
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
