"""One picture in, a `Reading` out: places found, faces read, the best whole set of them kept, chains made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import FACE_PX, HIDDEN, cut, moved, poses_of, quads_of
from vision.finder import FINE_PX, MOST, Answer, Level, find, levels_for, pyramid, to_search
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
SMALL_PX: Final = 15.0
"""Side of a half up to which large pictures are searched at their own size."""
MOST_GROWN: Final = 42
"""Places that are looked at in one step of following the line."""
FAINT: Final = -1.5
"""Log odds by the finder below which the line is not followed to a place."""
SAME_PLACE: Final = 0.1
"""Apart up to which two places are one, in sides of a half."""
AGAIN: Final = 2
"""How many times a place is looked at again where its domino lies a little otherwise."""
GROWTH: Final = 8
"""How many times what touches the dominoes found is looked for, at most."""
MOST_LEVELS: Final = 11
"""Levels searched of any picture: of one of `FINE_PX` with those between, more than the 8 of the largest."""
MOST_LOOKS: Final = (1 + AGAIN) * (MOST_LEVELS * MOST + GROWTH * MOST_GROWN)
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
    """Log odds below which a place is looked at again however well its corners lay."""
    certain: float = 3.0
    """Log odds from which a domino is not looked at again in a finer level, and lends belief to what touches it."""
    beside: float = 1.0
    """Added to the log odds of what touches a certain domino as the next of a line does."""
    sure: float = 2.5
    """Log odds that a domino needs to be reported, and for what touches it to be looked for."""
    plainest: float = 5.0
    """Log odds that the plainest domino of a picture needs; where none has them, it shows something else."""
    alike: float = 0.5
    """Logarithm of two sizes' ratio up to which they may be of one picture; tilted cameras need half of it."""
    temperature: float = 1.5
    """By which the halves' log odds are divided: the network is surer of drawn pictures than it may be of others."""
    line: LineParams = field(default_factory=LineParams)


DEFAULT = Params()


@dataclass(frozen=True, slots=True)
class Faces:
    """What was read at some places, the picture's pixels."""

    quads: Floats
    """Corners as the face itself says, shape (N, 4, 2)."""
    poses: Floats
    """The poses of those, shape (N, 4)."""
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
        return Faces(self.quads[keep], self.poses[keep], self.odds[keep], self.halves[keep], self.moved[keep])


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
        corner, near, sides_px = (0, 0), bgr, None
        if table is not None:
            corner, near = _near_table(bgr, table, self.params)
            sides_px = self.params.half_mm[0] * table.px_per_mm, self.params.half_mm[1] * table.px_per_mm
        levels = pyramid(near)
        look, search = look_with(self.faces, levels), to_search(levels, sides_px=sides_px)
        faces = found(self.finder, look, search, self.params, table=table, corner=corner)
        rows = zip(faces.quads + np.array(corner), faces.odds, chances(faces.halves, self.params), strict=True)
        dominoes = sorted((_domino(*row) for row in rows), key=lambda domino: domino.centre)
        return Reading(tuple(dominoes), *chains(dominoes, self.params.line))


def read(bgr: Bgr8, *, params: Params = DEFAULT, table: Table | None = None) -> Reading:
    """Everything that lies in a picture.

    Parameters: bgr of shape (H, W, 3), uint8; table, where the camera has been calibrated: then the size of the
    dominoes is known and everything off the table is ignored.
    Raises: ValueError when bgr is no such array.
    """
    return Reader(network("finder"), network("faces"), params).read(bgr, table)


def found(
    finder: Network,
    look: Look,
    levels: Sequence[Level],
    params: Params,
    *,
    table: Table | None = None,
    corner: tuple[int, int] = (0, 0),
) -> Faces:
    """The dominoes of a picture: searched for from coarse to fine, the line followed, none in another.

    The dominoes of a picture are of one size: what is finer than the level that shows them need not be searched.
    Where the table is known, only what lies on it counts, and only in a size that sets have; corner (x, y) is where its
    part of the picture begins.
    """
    faces, answers = _searched(finder, look, levels, params)
    faces = _followed(faces, answers, look, params)
    is_seen = (chances(faces.halves, params)[..., HIDDEN] < UNKNOWN).any(axis=1)
    worth = faces.odds + params.beside * _is_beside(faces, params)
    faces = replace(faces, odds=worth).where((worth > params.sure) & is_seen)
    if table is not None:
        faces = faces.where(_is_on_table(faces.quads + np.array(corner), table, params))
    if not (faces.odds > params.plainest).any():
        return faces.where([])
    faces = _packed(faces)
    return faces.where(_of_one_set(faces, params))


def _searched(finder: Network, look: Look, levels: Sequence[Level], params: Params) -> tuple[Faces, list[Answer]]:
    """What is seen where the finder says, level by level, until one shows dominoes plainly; and what it said."""
    faces = look(np.zeros((0, 4, 2)))
    answers: list[Answer] = []
    coarse = sum(max(level.bgr.shape[:2]) <= TOGETHER_PX for level in levels)
    for group in filter(None, (levels[:coarse], *([level] for level in levels[coarse:]))):
        if answers and group[-1] is levels[-1] and max(levels[-1].bgr.shape[:2]) > FINE_PX:
            small = faces.poses[faces.odds > params.plain, 3]
            if not len(small) or np.median(small) > SMALL_PX:
                break
        some = [find(finder, level) for level in group]
        answers += some
        places = np.concatenate([answer.places for answer in some])
        known = faces.where((faces.odds > params.certain) & (faces.moved < params.off))
        fresh = quads_of(places[~_same(places, known.poses).any(axis=1)])
        faces = _once(joined(faces, _looked_at_well(look, fresh, params)), params.likely)
        plain = faces.poses[faces.odds > params.certain, 3]
        if len(plain) >= 2 and np.median(plain) / group[-1].factor > ENOUGH_PX:
            break
    return faces, answers


def _followed(faces: Faces, answers: Sequence[Answer], look: Look, params: Params) -> Faces:
    """Those, and what touches them."""
    tried = np.zeros((0, 4))
    for _ in range(GROWTH):
        near = _free_places(faces, answers, tried, params)
        more = _looked_at_well(look, quads_of(near), params)
        if not len(more):
            break
        tried = np.concatenate((tried, near))
        faces = _once(joined(faces, more), params.likely)
    return faces


def _is_on_table(quads: Floats, table: Table, params: Params) -> NDArray[np.bool_]:
    """Which lie on the table in a size that sets have."""
    x_mm, y_mm, _, side_mm = poses_of(table.to_mm(quads)).T
    on_table = np.maximum(np.abs(x_mm), np.abs(y_mm)) <= table.side_mm / 2
    return np.asarray(on_table & (side_mm > params.half_mm[0]) & (side_mm < params.half_mm[1]))


def _packed(faces: Faces) -> Faces:
    """The best of them that lie in no other."""
    return faces.where(best_packing(faces.odds.astype(np.float32), overlaps(faces.poses.astype(np.float32))))


def _is_beside(faces: Faces, params: Params) -> NDArray[np.bool_]:
    """Which touch a certain domino as the next of a line does: not much else lies so."""
    return np.asarray(_same(faces.poses, neighbours(faces.poses[faces.odds > params.certain])).any(axis=1))


def _free_places(faces: Faces, answers: Sequence[Answer], tried: Floats, params: Params) -> Floats:
    """Where a further domino may touch the sure ones, the likeliest first, but for where it was looked for already.

    What the finder said nothing plain of, because of what lies beside it, the line says.
    """
    known = _packed(faces.where(faces.odds > params.sure))
    near = neighbours(known.poses, beside=True)
    odds = np.max([answer.at(near) for answer in answers], axis=0)
    likely = np.nonzero(odds > FAINT)[0]
    near = near[likely[np.argsort(-odds[likely], kind="stable")]]
    near = near[~crossing(near.astype(np.float32), known.poses.astype(np.float32)).any(axis=1)]
    near = near[_firsts(_same(near, near, SAME_PLACE))]
    return near[~_same(near, tried, SAME_PLACE).any(axis=1)][:MOST_GROWN]


def _looked_at_well(look: Look, quads: Floats, params: Params) -> Faces:
    """The likely dominoes at some quads, looked at again where they lie otherwise than was thought."""
    faces = _once(look(quads), params.hopeful)
    for _ in range(AGAIN):
        off = (faces.moved > params.off) | (faces.odds < params.plain)
        if not off.any():
            break
        faces = _once(joined(faces.where(~off), look(faces.quads[off])), params.likely)
    return _once(faces, params.likely)


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
        quads = moved(quads, offsets)
        return Faces(quads, poses_of(quads), answer[:, 16], answer[:, :16].reshape(-1, 2, 8), off)

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
    poses = faces.poses[order]
    return order[_firsts(_same(poses, poses))]


def _firsts(same: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows, in order, are the same as none before them that is kept; same of shape (N, N)."""
    keep = np.ones(len(same), np.bool_)
    for row in np.nonzero(np.tril(same, -1).any(axis=1))[0]:
        keep[row] = not (same[row, :row] & keep[:row]).any()
    return keep


def _same(one: Floats, other: Floats, sides: float = 0.35) -> NDArray[np.bool_]:
    """Whether a pose of one list means the same domino as one of the other, up to so many sides apart, (N, M)."""
    apart = np.hypot(one[:, :1] - other[:, 0], one[:, 1:2] - other[:, 1])
    turned = np.abs((one[:, 2:3] - other[:, 2] + np.pi / 2) % np.pi - np.pi / 2)
    return np.asarray((apart < sides * other[:, 3]) & (turned < 0.35))


def _of_one_set(faces: Faces, params: Params) -> NDArray[np.bool_]:
    """Which are as large as most of what was found: dominoes of one table are of one size, a speck of noise is not."""
    size = np.log(faces.poses[:, 3])
    alike = np.abs(size[:, None] - size) < params.alike
    weight = np.log1p(np.exp(faces.odds)) * np.exp(size / 2)
    return alike[(alike * weight).sum(axis=1).argmax()] if len(size) else np.zeros(0, np.bool_)


def _near_table(bgr: Bgr8, table: Table, params: Params) -> tuple[tuple[int, int], Bgr8]:
    """Where the part of the picture begins (x, y) that holds the table and whatever reaches over its edge; and it."""
    reach = table.side_mm / 2 + params.half_mm[1]
    rim = reach * np.array([(u, v) for u in (-1, 0, 1) for v in (-1, 0, 1)])
    edge = np.concatenate((np.nan_to_num(table.to_px(rim)), table.corners_px))
    left, top, right, bottom = (int(v) for v in np.clip((*edge.min(axis=0), *edge.max(axis=0)), 0, max(bgr.shape)))
    part = bgr[top:bottom, left:right]
    return ((left, top), part) if min(part.shape[:2]) >= SMALLEST_PX else ((0, 0), bgr)


def _domino(quad: Floats, odds: float, halves: Floats) -> Domino:
    corners = [(x, y) for x, y in quad.tolist()]
    a, b = (_half(chance) for chance in halves)
    return Domino(a, b, (corners[0], corners[1], corners[2], corners[3]), float(1 / (1 + np.exp(-odds))))


def chances(log_odds: Floats, params: Params) -> Floats:
    """Probabilities of the seven suits and of being hidden, shape (..., 8), from log odds of that shape."""
    chance = np.exp((log_odds - log_odds.max(axis=-1, keepdims=True)) / params.temperature)
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))


def _half(chance: Floats) -> Half:
    """Probabilities of the suits; None when the half cannot be seen."""
    if chance[HIDDEN] >= UNKNOWN:
        return Half(None)
    return Half(tuple((chance[:HIDDEN] / chance[:HIDDEN].sum()).tolist()))
