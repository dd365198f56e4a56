"""One picture in, a `Reading` out: places found, faces read, the best whole set of them kept, chains made."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import HIDDEN, poses_of, quads_of
from vision.faces import NO_FACES, Eyes, Faces
from vision.finder import FINE_PX, MOST, Answer, find, made_to_measure, to_search
from vision.geometry import Table
from vision.growth import neighbours
from vision.line import LineParams, chains
from vision.networks import Network, network
from vision.packing import best_packing, crossing, distinct, firsts, overlaps, same
from vision.reading import Domino, Half, Reading
from vision.twins import as_doubles
from vision.unclear import MOST_LOOKS_ASIDE, from_aside, insisted, pondered

Bgr8 = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Box = tuple[int, int, int, int]  # left, top, right, bottom; pixels

UNKNOWN: Final = 0.5
"""Probability of being hidden from which no suit of a half is told."""
PLAIN: Final = 1.0
"""Log odds by the finder from which a place tells how large the dominoes are."""
TOGETHER_PX: Final = 200
"""Longer side up to which levels are so small that they are searched in one go."""
ENOUGH_PX: Final = 8.0
"""Side of a half in a level from which that level is enough to find all dominoes of such a size."""
ROUGH_PX: Final = 6.0
"""The same from which it at least tells that size, so that a level can be made to measure."""
SMALL_ENOUGH_PX: Final = 9.0
"""In place of both for a picture of up to `FINE_PX`: its next level is near, and costs little."""
SMALL_PX: Final = 15.0
"""Side of a half up to which large pictures are searched at their own size."""
MOST_GROWN: Final = 42
"""Places that are looked at in one step of following the line."""
FAINT: Final = -1.5
"""Log odds by the finder below which the line is not followed to a place."""
UNLIKE: Final = 0.5
"""The same for a place that in no colour is as bright as a domino found, by this in its logarithm; a shadow is less."""
SAME_PLACE: Final = 0.1
"""Apart up to which two places are one, in sides of a half."""
SAME_SIZE: Final = 0.35
"""Logarithm of two sides' ratio up to which two places in one are one domino."""
AGAIN: Final = 2
"""How many times a place is looked at again where its domino lies a little otherwise."""
KNOWN_AGAIN: Final = 1
"""The same on a known table, where the first look is as slanted as the camera's."""
GROWTH: Final = 8
"""How many times what touches the dominoes found is looked for, at most."""
CLEAR: Final = 8.0
"""Log odds from which a domino is looked at again only where it lies quite otherwise."""
CLEARLY_OFF: Final = 0.12
"""That is to say, by so many sides of a half."""
MOST_LEVELS: Final = 16
"""Levels searched of any picture: 11 of one of `FINE_PX` with those between, and a few made to measure."""
PARTLY_NEW: Final = 0.1
"""Share of a place that must have changed for a domino to be looked for there; one nudged by a few millimetres has."""
MOSTLY_NEW: Final = 0.5
"""The same for a domino that counts as laid just now."""
KNOWN: Final = 20.0
"""Log odds of what lies there for certain."""
SEEN_SIDES: Final = (0.85, 1.2)
"""Sides of halves that dominoes seen already leave possible: a tilted camera has that much from edge to edge."""
SMALLEST_PX: Final = 16
"""No domino can be read in a picture smaller than this."""


@dataclass(frozen=True, slots=True)
class Params:
    """What a reader may be told."""

    half_mm: tuple[float, float] = (18.0, 31.0)
    """Side of a half, from the smallest to the largest set; used when the table's scale is known."""
    of_known: tuple[float, float] = (0.8, 1.25)
    """Sides of halves that are believed where the dominoes have been measured: another set may be taken one evening."""
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
    plainest: float = 5.2
    """Log odds that the plainest domino of a picture needs; where none has them, it shows something else."""
    aside: float = 1.1
    """And so much more where it took looks from aside: they make the best of what is none, too."""
    new: float = 1.5
    """Added to the log odds of what covers a place where something new lies."""
    shape: float = 3.0
    """And to those of what has its very outline next to a certain domino: what else is as large is not put there."""
    alike: float = 0.5
    """Logarithm of two sizes' ratio up to which they may be of one picture; tilted cameras need half of it."""
    temperature: float = 1.5
    """By which the halves' log odds are divided: the network is surer of drawn pictures than it may be of others."""
    line: LineParams = field(default_factory=LineParams)


MOST_LOOKS: Final = (2 + AGAIN) * (MOST_LEVELS * MOST + GROWTH * MOST_GROWN) + MOST_LOOKS_ASIDE
"""Faces looked at in any picture, at most, whatever it shows; packing has a bound of its own."""
DEFAULT = Params()
WATCHED: Final = Params(aside=0.0)
"""Over a table that is watched while it is played on: what looks like a lone domino there mostly is one."""
NO_PLACES: Final = np.zeros((0, 4))


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a part of a picture before it is read; pixels of the whole picture."""

    dominoes: tuple[Domino, ...] = ()
    """They lie there for certain."""
    places: Floats = field(default_factory=lambda: NO_PLACES)
    """Where to look whatever the finder says, poses of shape (N, 4)."""
    shapes: Floats = field(default_factory=lambda: NO_PLACES)
    """The same where what has come has about a domino's shape: there it is looked at insistently."""
    side_px: float = 0.0
    """Side of a half; 0 where no domino has been seen."""
    is_new: Callable[[Floats], Floats] = lambda quads: np.ones(len(quads))
    """By what share each quad, shape (N, 4, 2), covers what was not there before; only there it is searched."""
    is_shape: Callable[[Floats], NDArray[np.bool_]] = lambda quads: np.zeros(len(quads), np.bool_)
    """Which quads have the very outline of what was not there before."""
    is_all: Callable[[Floats], bool] = lambda quads: False
    """Whether some quads are all that was not there before."""

    def from_corner(self, corner: tuple[int, int]) -> "Hints":
        """The same in the pixels of a part that begins there."""
        if self is NO_HINTS:
            return self
        left, top = corner
        lying = tuple(domino.moved(-left, -top) for domino in self.dominoes)
        return Hints(
            lying,
            self.places - (left, top, 0, 0),
            self.shapes - (left, top, 0, 0),
            self.side_px,
            lambda quads: self.is_new(quads + np.array(corner)),
            lambda quads: self.is_shape(quads + np.array(corner)),
            lambda quads: self.is_all(quads + np.array(corner)),
        )


NO_HINTS: Final = Hints()


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
        return self.reading_of(self.within(bgr, (0, 0, bgr.shape[1], bgr.shape[0]), table))

    def within(self, bgr: Bgr8, box: Box, table: Table | None = None, hints: Hints = NO_HINTS) -> list[Domino]:
        """The dominoes in a part of a picture, given what is known of it already."""
        corner, part = _part(bgr, box, table, self.params)
        if min(part.shape[:2]) < SMALLEST_PX:
            return []
        eyes = Eyes(self.faces, part, table and table.within(*corner))
        faces = found(self.finder, eyes, self.params, hints.from_corner(corner))
        return list(_dominoes(faces, corner, self.params))

    def look(self, bgr: Bgr8, domino: Domino) -> Domino:
        """What shows at the place of a domino."""
        quad = np.array(domino.corners)
        side = poses_of(quad[None])[0, 3]
        left, top, right, bottom = (int(v) for v in (*(quad.min(axis=0) - side), *(quad.max(axis=0) + side)))
        corner, part = _part(bgr, (left, top, right, bottom), None, self.params)
        eyes = Eyes(self.faces, part)
        return next(
            _dominoes(
                pondered(eyes, eyes.look(quad[None] - corner), temperature=self.params.temperature), corner, self.params
            )
        )

    def reading_of(self, dominoes: Iterable[Domino]) -> Reading:
        """The dominoes of a picture with the chains they make."""
        order = sorted(as_doubles(tuple(dominoes)), key=lambda domino: domino.centre)
        return Reading(tuple(order), *chains(order, self.params.line))


def read(bgr: Bgr8, *, params: Params = DEFAULT, table: Table | None = None) -> Reading:
    """Everything that lies in a picture.

    Parameters: bgr of shape (H, W, 3), uint8; table, where the camera has been calibrated: then the size of the
    dominoes is known and everything off the table is ignored.
    Raises: ValueError when bgr is no such array.
    """
    return Reader(network("finder"), network("faces"), params).read(bgr, table)


def watched(bgr: Bgr8, *, table: Table | None = None) -> Reading:
    """Everything that lies on a table that is watched; otherwise as `read`."""
    return read(bgr, params=WATCHED, table=table)


def found(finder: Network, eyes: Eyes, params: Params, hints: Hints = NO_HINTS) -> Faces:
    """The dominoes of a picture: searched for from coarse to fine, the line followed, none in another.

    The dominoes of a picture are of one size: what is finer than the level that shows them need not be searched.
    Where the table is known, only what lies on it counts, and only in a size that sets have.
    """
    faces, answers = _searched(finder, eyes, params, hints)
    faces = _followed(eyes, faces, answers, params, hints)
    if len(hints.shapes):
        faces = insisted(eyes, faces, hints.shapes, sure=params.sure, hopeful=params.hopeful)
    believed = _believed(eyes, faces, params, hints)
    plainest = params.plainest
    is_plain = bool((faces.odds > plainest).any() or (_from_both_ends(eyes, believed) > plainest).any())
    if hints is not NO_HINTS or not is_plain:
        clear = params.plainest if is_plain or hints.side_px else CLEAR
        from_there = from_aside(eyes, faces, likely=params.likely, clear=clear)
        if from_there is not faces:
            believed = _believed(eyes, from_there, params, hints)
        plainest += 0.0 if is_plain else params.aside
    # The looks from aside make the best of one end: however clear that is, the other has its say.
    enough = CLEAR if is_plain else np.inf
    if not hints.side_px and not (_from_both_ends(eyes, believed, enough) > plainest).any():
        return NO_FACES
    faces = _packed(believed)
    faces = faces.where(_of_one_set(faces, params))
    is_known = faces.odds >= KNOWN
    return faces.where(is_known) + pondered(eyes, faces.where(~is_known), temperature=params.temperature)


def _believed(eyes: Eyes, faces: Faces, params: Params, hints: Hints) -> Faces:
    """What is sure and to be seen of them, on the table where that is known; new ones, with the odds of where they lie.

    What touches a certain domino as the line goes on, or lies where something has changed, is believed the more.
    """
    beside = _is_beside(faces, params)
    faces = faces.where(np.arange(len(faces)))
    faces.odds[:] += params.beside * beside
    if hints is not NO_HINTS:
        faces.odds[:] += params.new * (hints.is_new(faces.quads) > MOSTLY_NEW)
        faces.odds[:] += params.shape * (beside & hints.is_shape(faces.quads))
    is_seen = (chances(faces.halves, params)[..., HIDDEN] < UNKNOWN).any(axis=1)
    faces = faces.where((faces.odds > params.sure) & is_seen)
    return faces if eyes.table is None else faces.where(_is_on_table(faces.quads, eyes.table, params))


def _searched(finder: Network, eyes: Eyes, params: Params, hints: Hints) -> tuple[Faces, list[Answer]]:
    """What lies where the finder says, level by level until one shows dominoes plainly; and what it said.

    Places are looked at as late as can be, for the next level often shows the same dominoes better. The finder is not
    asked at all where nothing has changed but dominoes that show clearly, and such as lay there and show no more.
    """
    faces, places = _faces_of(hints.dominoes, params), np.concatenate((hints.places, hints.shapes))
    answers, fresh = list[Answer](), list[Answer]()
    if len(places):
        faces = _looked_at(eyes, faces, places, params)
        here = faces.where(faces.odds < KNOWN)
        gone = hints.places[~same(hints.places, here.poses).any(axis=1)]
        if (here.odds > CLEAR).all() and hints.is_all(np.concatenate((here.quads, quads_of(gone)))):
            return faces, answers
    sides_px = None
    if eyes.table is not None:
        length_mm = eyes.table.domino_mm
        sides_mm = np.array(params.half_mm) if length_mm is None else length_mm / 2 * np.array(SEEN_SIDES)
        sides_px = eyes.table.px_per_mm * sides_mm
    if hints.side_px:
        sides_px = hints.side_px * np.array(SEEN_SIDES)
    levels = to_search(eyes.levels, sides_px)
    coarse = sum(max(level.bgr.shape[:2]) <= TOGETHER_PX for level in levels)
    groups = [group for group in (levels[:coarse], *([level] for level in levels[coarse:])) if group]
    is_large = max(levels[-1].bgr.shape[:2]) > FINE_PX
    usual = len(groups) - (is_large and len(groups) > 1)
    enough_px, rough_px = (ENOUGH_PX, ROUGH_PX) if is_large else (SMALL_ENOUGH_PX, SMALL_ENOUGH_PX)
    places = NO_PLACES
    for number, group in enumerate(groups, start=1):
        if number > usual and not 0 < _usual(faces.poses[faces.odds > params.plain, 3], 1) <= SMALL_PX:
            break
        fresh += [find(finder, level) for level in group]
        factor, seen_px = group[-1].factor, _usual(fresh[-1].places[fresh[-1].odds > PLAIN, 3])
        if seen_px < rough_px * factor and number < usual:
            continue
        if seen_px < enough_px * factor and number < usual:
            fresh.append(find(finder, made_to_measure(eyes.levels, seen_px)))
        places = np.concatenate((places, _partly_new(_new_places(fresh, faces, params), hints)))
        faces = _looked_at(eyes, faces, places, params)
        answers, fresh, places = answers + fresh, [], NO_PLACES
        if _usual(faces.poses[faces.odds > params.certain, 3]) >= rough_px * factor:
            break
    return faces, answers


def _usual(sides_px: Floats, least: int = 2) -> float:
    """The median of so many sides of halves at least; 0 where there are fewer."""
    return median(sides_px.tolist()) if len(sides_px) >= least else 0.0


def _new_places(answers: Sequence[Answer], faces: Faces, params: Params) -> Floats:
    """Where some answers say that dominoes may lie, each place once, but for those that are plain already."""
    places = np.concatenate([answer.places for answer in answers])
    places = places[np.argsort(-np.concatenate([answer.odds for answer in answers]), kind="stable")]
    alike = np.abs(np.log(places[:, None, 3] / places[:, 3])) < SAME_SIZE
    places = places[firsts(same(places, places) & alike)]
    known = faces.where((faces.odds > params.certain) & (faces.moved < params.off))
    return places[~same(places, known.poses).any(axis=1)]


def _looked_at(eyes: Eyes, faces: Faces, places: Floats, params: Params) -> Faces:
    """Those faces and what shows at some places, once each; looked at again where they lie otherwise than thought."""
    while len(places) or (faces.again > 0).any():
        faces = _looked_once(eyes, faces, places, params)
        places = NO_PLACES
    return faces


def _looked_once(eyes: Eyes, faces: Faces, places: Floats, params: Params) -> Faces:
    """One look at some places and at the faces that are worth another."""
    old, again = faces.where(faces.again == 0), faces.where(faces.again > 0)
    seen = eyes.look(np.concatenate((again.quads, eyes.quads(places))))
    fresh = AGAIN if eyes.table is None else KNOWN_AGAIN
    left = np.concatenate((again.again - 1, np.full(len(places), fresh)))
    off = np.where(seen.odds > CLEAR, CLEARLY_OFF, params.off)
    seen.again[:] = left * ((seen.moved > off) | (seen.odds < params.plain))
    least = np.where(seen.again == fresh, params.hopeful, params.likely)
    faces = old + seen.where(seen.odds > least)
    return faces.where(distinct(faces.odds, faces.poses))


def _partly_new(places: Floats, hints: Hints) -> Floats:
    """Those where something has changed."""
    return places[hints.is_new(quads_of(places)) > PARTLY_NEW]


def _followed(eyes: Eyes, faces: Faces, answers: Sequence[Answer], params: Params, hints: Hints) -> Faces:
    """Those, and what touches them."""
    if not answers:
        return faces
    tried, told = NO_PLACES, 0
    for _ in range(GROWTH):
        sure = faces.where(faces.odds > params.sure)
        if len(sure) == told:
            break
        told = len(sure)
        known = _packed(sure)
        near = _partly_new(_free_places(known, answers, tried), hints)
        shades = eyes.shades(np.concatenate((known.poses, near)))
        near = near[_is_like(shades[len(known) :], shades[: len(known)])]
        tried = np.concatenate((tried, near))
        faces = _looked_at(eyes, faces, near, params)
    return faces


def _is_like(shades: Floats, known: Floats) -> NDArray[np.bool_]:
    """Which places are about as bright as one of the known dominoes: a set is of one make."""
    return np.asarray((np.abs(shades[:, None] - known).max(axis=2) < UNLIKE).any(axis=1))


def _from_both_ends(eyes: Eyes, faces: Faces, clear: float = CLEAR) -> Floats:
    """Log odds of the faces, shape (N,); where none is clear, the mean of those and of what they are upside down.

    A domino is one from either end, while what only looks like one seldom does so both ways.
    """
    if not len(faces) or faces.odds.max() > clear:
        return faces.odds
    return np.asarray((faces.odds + eyes.look(np.roll(faces.quads, 2, axis=1)).odds) / 2)


def _is_on_table(quads: Floats, table: Table, params: Params) -> NDArray[np.bool_]:
    """Which lie on the table in a size that sets have."""
    x_mm, y_mm, _, side_mm = poses_of(table.to_mm(quads)).T
    on_table = np.maximum(np.abs(x_mm), np.abs(y_mm)) <= table.side_mm / 2
    least_mm, most_mm = params.half_mm
    if table.domino_mm is not None:
        least_mm, most_mm = (share * table.domino_mm / 2 for share in params.of_known)
    return np.asarray(on_table & (side_mm > least_mm) & (side_mm < most_mm))


def _packed(faces: Faces) -> Faces:
    """The best of them that lie in no other."""
    return faces.where(best_packing(faces.odds, overlaps(faces.poses)))


def _is_beside(faces: Faces, params: Params) -> NDArray[np.bool_]:
    """Which touch a certain domino as the next of a line does: not much else lies so."""
    return np.asarray(same(faces.poses, neighbours(faces.poses[faces.odds > params.certain])).any(axis=1))


def _free_places(known: Faces, answers: Sequence[Answer], tried: Floats) -> Floats:
    """Where a further domino may touch the known ones, the likeliest first, but for where it was looked for already.

    What the finder said nothing plain of, because of what lies beside it, the line says.
    """
    near = neighbours(known.poses, beside=True)
    odds = np.max([answer.at(near) for answer in answers], axis=0)
    likely = np.nonzero(odds > FAINT)[0]
    near = near[likely[np.argsort(-odds[likely], kind="stable")]]
    near = near[~crossing(near, known.poses).any(axis=1)]
    near = near[firsts(same(near, near, SAME_PLACE))]
    return near[~same(near, tried, SAME_PLACE).any(axis=1)][:MOST_GROWN]


def _of_one_set(faces: Faces, params: Params) -> NDArray[np.bool_]:
    """Which are as large as most of what was found: dominoes of one table are of one size, a speck of noise is not."""
    size = np.log(faces.poses[:, 3])
    alike = np.abs(size[:, None] - size) < params.alike
    weight = np.log1p(np.exp(faces.odds)) * np.exp(size / 2)
    return alike[(alike * weight).sum(axis=1).argmax()] if len(size) else np.zeros(0, np.bool_)


def _part(bgr: Bgr8, box: Box, table: Table | None, params: Params) -> tuple[tuple[int, int], Bgr8]:
    """Where a part of the picture begins (x, y), and it; of a known table what holds it and reaches over its edge."""
    height, width = bgr.shape[:2]
    edge = np.array((box[:2], box[2:]), np.float64)
    if table is not None:
        whole = table.box_px(params.half_mm[1])
        edge = np.array((np.maximum(edge[0], whole[0]), np.minimum(edge[1], whole[1])))
    (left, top), (right, bottom) = np.clip(edge, 0, (width, height)).astype(int)
    part = bgr[top:bottom, left:right]
    return (int(left), int(top)), part


def _faces_of(dominoes: Sequence[Domino], params: Params) -> Faces:
    """Dominoes that lie there for certain as faces."""
    if not dominoes:
        return NO_FACES
    quads = np.array([domino.corners for domino in dominoes])
    halves = np.array([[_log_odds(half, params) for half in (domino.a, domino.b)] for domino in dominoes])
    return Faces.of(quads, np.full(len(dominoes), KNOWN), halves, np.zeros(len(dominoes)))


def _log_odds(half: Half, params: Params) -> Floats:
    """Of the suits and of being hidden, shape (8,), such that `chances` gives them back."""
    shown = np.zeros(HIDDEN) if half.probabilities is None else np.maximum(half.probabilities, 1e-9)
    hidden = 1.0 if half.probabilities is None else 0.0
    return np.asarray(params.temperature * np.log(np.maximum(np.append(shown, hidden), 1e-9)))


def _dominoes(faces: Faces, corner: tuple[int, int], params: Params) -> Iterator[Domino]:
    """The faces as records, at their place in the whole picture."""
    chance = chances(faces.halves, params)
    is_hidden = chance[..., HIDDEN] >= UNKNOWN
    suits = chance[..., :HIDDEN] / chance[..., :HIDDEN].sum(axis=-1, keepdims=True)
    parts = (faces.quads + np.array(corner), suits, is_hidden, 1 / (1 + np.exp(-faces.odds)))
    for quad, (a, b), (a_hidden, b_hidden), certainty in zip(*(part.tolist() for part in parts), strict=True):
        c0, c1, c2, c3 = ((x, y) for x, y in quad)
        yield Domino(
            Half(None if a_hidden else tuple(a)), Half(None if b_hidden else tuple(b)), (c0, c1, c2, c3), certainty
        )


def chances(log_odds: Floats, params: Params) -> Floats:
    """Probabilities of the seven suits and of being hidden, shape (..., 8), from log odds of that shape."""
    chance = np.exp((log_odds - log_odds.max(axis=-1, keepdims=True)) / params.temperature)
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))
