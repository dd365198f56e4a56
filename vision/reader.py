"""One picture in, a `Reading` out: places found, faces read, the best whole set of them kept, chains made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import FACE_PX, HIDDEN, cut, moved, poses_of, quads_of
from vision.finder import MOST, Level, find, levels_for, pyramid, to_search
from vision.geometry import Table
from vision.growth import neighbours
from vision.line import LineParams, chains
from vision.networks import Network, network
from vision.packing import best_packing, crossing, overlaps
from vision.reading import Domino, Half, Reading

Bgr8 = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

UNKNOWN: Final = 0.5
"""Probability of being hidden from which no suit of a half is told."""
ANSWERS: Final = 25
"""Numbers that the face reader gives for each face: eight for each half, one for the whole, two for each corner."""
AT_ONCE: Final = 32
"""Faces read in one go; more take more memory and no less time."""
TOGETHER_PX: Final = 200
"""Longer side up to which levels are so small that they are searched in one go."""
ENOUGH_PX: Final = 9.0
"""Side of a half in a level from which that level is enough to find all dominoes of such a size."""
MOST_GROWN: Final = 42
"""Places that are looked at in one step of following the line."""
SAME_PLACE: Final = 0.1
"""Apart up to which two places are one, in sides of a half."""
WIDER: Final = 1.5
"""A domino drawn so much larger meets those that it touches; and itself."""
GROWTH: Final = 2
"""How many times the ends of the dominoes found are looked at for one more."""
MOST_LEVELS: Final = 8
"""Levels of the largest picture, from `LARGEST_PX` down to `COARSE_PX` of `vision.finder`."""
MOST_LOOKS: Final = 2 * (MOST_LEVELS * MOST + GROWTH * MOST_GROWN)
"""Faces looked at in any picture, at most, whatever it shows; packing has a bound of its own."""
FARTHEST: Final = 0.6
"""Most that a corner is moved in one look, in sides of a half."""
SMALLEST_PX: Final = 16
"""No domino can be read in a picture smaller than this."""


@dataclass(frozen=True, slots=True)
class Params:
    """What a reader may be told."""

    half_mm: tuple[float, float] = (18.0, 31.0)
    """Side of a half, from the smallest to the largest set; used when the table's scale is known."""
    hopeful: float = -5.0
    """Log odds at first look below which a place is not looked at again."""
    off: float = 0.05
    """Sides of a half by which the corners have to be off for a second look at a plain domino."""
    likely: float = -2.0
    """Log odds below which a place is dropped once it has been looked at as often as it has to be."""
    plain: float = 1.0
    """Log odds from which a domino is looked at for neighbours."""
    certain: float = 3.0
    """Log odds of two dominoes at least from which no finer level is searched."""
    sure: float = 2.0
    """Log odds that a domino needs to be reported."""
    plainest: float = 4.5
    """Log odds that the plainest domino of a picture needs; where none has them, it shows something else."""
    alike: float = 0.5
    """Logarithm of two sizes' ratio up to which they may be of one picture; tilted cameras need half of it."""
    temperature: float = 2.0
    """By which the halves' log odds are divided: the network is surer of drawn pictures than it may be of others."""
    line: LineParams = field(default_factory=LineParams)


DEFAULT = Params()


@dataclass(frozen=True, slots=True)
class Faces:
    """What was read at some places, the picture's pixels."""

    quads: Floats
    """Corners as the face itself says, shape (N, 4, 2)."""
    odds: Floats
    """Log odds of a domino, shape (N,)."""
    halves: Floats
    """Log odds of a's and b's suits and of being hidden, shape (N, 2, 8)."""
    moved: Floats
    """How far the corners were from where they were looked for, the mean in sides of a half, shape (N,)."""

    def __len__(self) -> int:
        return len(self.quads)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp] | list[int]) -> "Faces":
        """The rows that are marked or named."""
        return Faces(self.quads[keep], self.odds[keep], self.halves[keep], self.moved[keep])


Look = Callable[[Floats], Faces]
"""What shows at each of some quads of a picture, shape (N, 4, 2)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader with its networks; `read` is one with those that come with it."""

    finder: Network
    faces: Network
    params: Params = DEFAULT

    def read(self, bgr: Bgr8, table: Table | None = None) -> Reading:
        """Everything that lies in a picture; parameters and errors as in `read`."""
        if not isinstance(bgr, np.ndarray) or bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
            got = f"{bgr.dtype} {bgr.shape}" if isinstance(bgr, np.ndarray) else type(bgr).__name__
            raise ValueError(f"expected a BGR picture, uint8 of shape (H, W, 3), got {got}")
        if min(bgr.shape[:2]) < SMALLEST_PX:
            return Reading()
        sides_px = None if table is None else _sides_px(table, self.params)
        left, top, near = (0, 0, bgr) if table is None else _near_table(bgr, table, self.params)
        levels = pyramid(near)
        look, search = look_with(self.faces, levels), to_search(levels, sides_px=sides_px)
        faces = found(self.finder, look, search, self.params, sides_px=sides_px)
        quads = faces.quads + np.array((left, top))
        seen = [_domino(*row, self.params) for row in zip(quads, faces.odds, faces.halves, strict=True)]
        dominoes = sorted((d for d in seen if table is None or table.holds(d.centre)), key=lambda d: d.centre)
        return Reading(tuple(dominoes), *chains(dominoes, self.params.line))


def read(bgr: Bgr8, *, params: Params = DEFAULT, table: Table | None = None) -> Reading:
    """Everything that lies in a picture.

    Parameters: bgr of shape (H, W, 3), uint8; table, where the camera has been calibrated: then the size of the
    dominoes is known and everything off the table is ignored.
    Raises: ValueError when bgr is no such array.
    """
    return Reader(network("finder"), network("faces"), params).read(bgr, table)


def _sides_px(table: Table, params: Params) -> tuple[float, float]:
    """The smallest and the largest side of a half on this table."""
    return params.half_mm[0] * table.px_per_mm, params.half_mm[1] * table.px_per_mm


def found(
    finder: Network,
    look: Look,
    levels: Sequence[Level],
    params: Params,
    *,
    sides_px: tuple[float, float] | None = None,
) -> Faces:
    """The dominoes of a picture: searched for from coarse to fine, the line followed, none in another.

    The dominoes of a picture are of one size: what is finer than the level that shows them need not be searched.
    sides_px bounds the sides of the halves where the table is known.
    """
    faces = look(np.zeros((0, 4, 2)))
    coarse = sum(max(level.bgr.shape[:2]) <= TOGETHER_PX for level in levels)
    for group in (levels[:coarse], *([level] for level in levels[coarse:])):
        places = np.concatenate([find(finder, level) for level in group]) if group else np.zeros((0, 5))
        faces = _once(joined(faces, _looked_at_well(look, quads_of(places[:, :4]), params)), params.likely)
        plain = faces.where(faces.odds > params.certain)
        if len(plain) >= 2 and np.median(poses_of(plain.quads)[:, 3]) / group[-1].factor > ENOUGH_PX:
            break
    tried = np.zeros((0, 4), np.float32)
    for _ in range(GROWTH):
        near = _free_places(faces, tried, params)
        if not len(near):
            break
        tried = np.concatenate((tried, near))
        faces = _once(joined(faces, _looked_at_well(look, quads_of(near), params)), params.likely)
    size = poses_of(faces.quads)[:, 3]
    low, high = sides_px or (0.0, np.inf)
    is_seen = (chances(faces.halves, params)[..., HIDDEN] < UNKNOWN).any(axis=1)
    faces = faces.where((faces.odds > params.sure) & is_seen & (size > low) & (size < high))
    if not (faces.odds > params.plainest).any():
        return faces.where([])
    pose = poses_of(faces.quads).astype(np.float32)
    faces = faces.where(best_packing(faces.odds.astype(np.float32), overlaps(pose)))
    return faces.where(_of_one_set(faces, params))


def _free_places(faces: Faces, tried: Floats, params: Params) -> Floats:
    """Where a further domino may lie at the free ends of the plain ones, but for where it was looked for already.

    What the finder does not see, the line says. Ends of lines come first, then dominoes that touch no other.
    """
    plain = poses_of(faces.where(faces.odds > params.plain).quads).astype(np.float32)
    known = poses_of(faces.where(faces.odds > params.sure).quads).astype(np.float32)
    touching = crossing(plain * np.array((1, 1, 1, WIDER), np.float32), known).sum(axis=1) - 1
    near = neighbours(np.concatenate((plain[touching == 1], plain[touching < 1])))
    near = near[~crossing(near, known).any(axis=1)]
    apart = np.hypot(near[:, :1] - tried[:, 0], near[:, 1:2] - tried[:, 1]) / near[:, 3:]
    turned = np.abs(np.sin(near[:, 2:3] - tried[:, 2]))
    return np.asarray(near[~((apart < SAME_PLACE) & (turned < 0.5)).any(axis=1)][:MOST_GROWN])


def _looked_at_well(look: Look, quads: Floats, params: Params) -> Faces:
    """The likely dominoes at some quads, looked at once more where they lie otherwise than was thought."""
    faces = _once(look(quads), params.hopeful)
    off = (faces.moved > params.off) | (faces.odds < params.plain)
    return _once(joined(faces.where(~off), look(faces.quads[off])), params.likely)


def _once(faces: Faces, least: float) -> Faces:
    """Those with at least such log odds, each domino once."""
    faces = faces.where(faces.odds > least)
    return faces.where(_distinct(faces))


def look_with(net: Network, levels: list[Level]) -> Look:
    """How a picture is looked at: what shows at each of some quads, shape (N, 4, 2)."""

    def look(quads: Floats) -> Faces:
        cuts = cut_from(levels, quads)
        parts = [net(cuts[first : first + AT_ONCE]) for first in range(0, len(cuts), AT_ONCE)]
        answer = np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, ANSWERS))
        offsets = np.clip(answer[:, 17:].reshape(-1, 4, 2), -FARTHEST, FARTHEST)
        off = np.abs(offsets).mean(axis=(1, 2))
        return Faces(moved(quads, offsets), answer[:, 16], answer[:, :16].reshape(-1, 2, 8), off)

    return look


def cut_from(levels: list[Level], quads: Floats) -> NDArray[np.uint8]:
    """The faces under some quads of the picture, each from the level that shows it best."""
    cuts = np.empty((len(quads), *FACE_PX, 3), np.uint8)
    which = levels_for(levels, poses_of(quads)[:, 3])
    for number in np.unique(which):
        here = which == number
        cuts[here] = cut(levels[number].bgr, levels[number].from_picture(quads[here]))
    return cuts


def joined(one: Faces, other: Faces) -> Faces:
    """The rows of both."""
    return Faces(*(np.concatenate((getattr(one, name), getattr(other, name))) for name in Faces.__slots__))


def _distinct(faces: Faces) -> NDArray[np.intp]:
    """Which are no second finding of a likelier one."""
    order = np.argsort(-faces.odds, kind="stable")
    x, y, angle, side = poses_of(faces.quads[order]).T
    apart = np.hypot(x[:, None] - x, y[:, None] - y) / side
    turned = np.abs((angle[:, None] - angle + np.pi / 2) % np.pi - np.pi / 2)
    same = np.tril((apart < 0.35) & (turned < 0.35), -1)
    keep = np.ones(len(order), np.bool_)
    for i in range(len(order)):
        keep[i] = not (same[i] & keep).any()
    return order[keep]


def _of_one_set(faces: Faces, params: Params) -> NDArray[np.bool_]:
    """Which are as large as most of what was found: dominoes of one table are of one size, a speck of noise is not."""
    size = np.log(poses_of(faces.quads)[:, 3])
    alike = np.abs(size[:, None] - size) < params.alike
    weight = np.log1p(np.exp(faces.odds)) * np.exp(size / 2)
    return alike[(alike * weight).sum(axis=1).argmax()] if len(size) else np.zeros(0, np.bool_)


def _near_table(bgr: Bgr8, table: Table, params: Params) -> tuple[int, int, Bgr8]:
    """The part of the picture that holds the table and whatever reaches over its edge, and where it begins (x, y)."""
    corners = np.array(table.corners_px)
    over = _sides_px(table, params)[1]
    left, top = (max(0, int(v - over)) for v in corners.min(axis=0))
    right, bottom = (int(v + over) for v in corners.max(axis=0))
    part = bgr[top : max(bottom, top), left : max(right, left)]
    return (left, top, part) if min(part.shape[:2]) >= SMALLEST_PX else (0, 0, bgr)


def _domino(quad: Floats, odds: float, halves: Floats, params: Params) -> Domino:
    c = [(float(x), float(y)) for x, y in quad]
    a, b = (_half(log_odds, params) for log_odds in halves)
    return Domino(a, b, (c[0], c[1], c[2], c[3]), float(1 / (1 + np.exp(-odds))))


def chances(log_odds: Floats, params: Params) -> Floats:
    """Probabilities of the seven suits and of being hidden, shape (..., 8), from log odds of that shape."""
    chance = np.exp((log_odds - log_odds.max(axis=-1, keepdims=True)) / params.temperature)
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))


def _half(log_odds: Floats, params: Params) -> Half:
    """Probabilities of the suits; None when the half cannot be seen."""
    chance = chances(log_odds, params)
    if chance[HIDDEN] >= UNKNOWN:
        return Half(None)
    suits = chance[:HIDDEN] / chance[:HIDDEN].sum()
    return Half(tuple(float(p) for p in suits))
