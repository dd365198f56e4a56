"""Reads a picture of which most is known: what has changed is read again, with room round it, and the rest is kept.

Cheaper than reading all of it, and steadier: what was read well before a lamp glared on it stays as it was read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import Before, ChangeParams, Mask, Thumb, changed
from vision.cut import poses_of, weights_of
from vision.divider import lacks_line
from vision.frame import Bgr
from vision.geometry import Table
from vision.networks import network
from vision.packing import crossing, same
from vision.reader import NO_PLACES, WATCHED, Hints, Params, Reader
from vision.reader import Box as Box
from vision.reading import Domino, Half, Reading, is_doubtful

Floats = NDArray[np.floating[Any]]

ROOM: Final = 2.5
"""Read round a change, in sides of a half: a domino that touches it, and half of the next."""
ROOM_UNKNOWN: Final = 0.06
"""The same as a share of the picture's shorter side, while no domino has been seen."""
MOST: Final = 0.5
"""Share of the picture from which all of it is read."""
DOMINO_LIKE: Final = (0.5, 3.0)
"""Area of a change, in dominoes, within which one lies about in its middle, with its shadow."""
GONE: Final = 0.5
"""Share of a domino that must have changed for it to be believed gone when it is not found again."""
SQUARE: Final = 1.35
"""How much longer than broad a change is at least whose turn is a domino's."""
SAME_OUTLINE: Final = 0.75
"""What two outlines share of all that either holds, from which they are one; the rest is its shadow."""
LEFT_OVER: Final = 0.15
"""Share of a domino that may have changed beside those that have come, for there to be nothing else."""
CHANGE: Final = ChangeParams()
SAMPLES: Final = weights_of(*np.meshgrid(np.linspace(0.1, 0.9, 9), np.linspace(0.1, 0.9, 5))).reshape(4, -1).T
"""How much each corner counts at places all over a domino, where it is asked whether the picture has changed."""


def reread(bgr: Bgr, before: Before, *, params: Params = WATCHED, table: Table | None = None) -> Reading:
    """Everything that lies in a picture, given what was read before it changed.

    Dominoes where nothing has changed are the very same records, and so are those that have changed a little and are
    not found again; a doubtful one where nothing has changed is looked at again, and both looks count. Parameters and
    errors as in `vision.reader.read`.
    """
    reader = Reader(network("finder"), network("faces"), params)
    known = before.reading.dominoes
    poses = _poses(known)
    side_px = median(poses[:, 3].tolist()) if known else 0.0
    scale = bgr.shape[0] / before.changed.shape[0]
    boxes = regions(before, side_px, scale)
    if sum((right - left) * (bottom - top) for left, top, right, bottom in boxes) > MOST * bgr.shape[0] * bgr.shape[1]:
        return reader.read(bgr, table)
    is_touched = _share(np.array([domino.corners for domino in known]).reshape(-1, 4, 2), before.changed, scale) > 0
    lying = [domino for domino, is_it in zip(known, is_touched, strict=True) if not is_it]
    touched = [domino for domino, is_it in zip(known, is_touched, strict=True) if is_it]
    still, stirred = poses[~is_touched], poses[is_touched]
    new: list[Domino] = []
    hidden: list[Domino] = []
    for box in boxes:
        change = _change(bgr, before, box)
        places, shapes = stirred[_is_in(stirred, box)], change.places(side_px)
        hints = Hints(
            dominoes=tuple(lying[i] for i in np.nonzero(_is_in(still, box))[0]),
            places=places,
            shapes=shapes[~same(shapes, places, 1.0).any(axis=1)],
            side_px=side_px,
            is_new=change.share,
            is_shape=change.is_shape,
            is_all=change.is_all,
        )
        found = _apart(reader.within(bgr, box, table, hints), [*lying, *new])
        new += [domino for domino in found if not lacks_line(bgr, domino, lying)]
        here = [touched[i] for i in np.nonzero(_is_in(stirred, box))[0]]
        hidden += [domino for domino in here if change.share(np.array([domino.corners]))[0] < GONE]
    kept = [_joined(domino, reader.look(bgr, domino)) if is_doubtful(domino) else domino for domino in lying]
    return reader.reading_of([*kept, *new, *_apart(hidden, new)])


def regions(before: Before, side_px: float, scale: float) -> list[Box]:
    """The parts of the picture, so many times larger than the mask, round what has changed; no two of them meet.

    The side of a half says how much room each needs; 0 where no domino has been seen.
    """
    height, width = (round(n * scale) for n in before.changed.shape)
    room_px = side_px * ROOM or ROOM_UNKNOWN * min(height, width)
    outlines = cv2.findContours(before.changed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    boxes: list[Box] = []
    for outline in outlines:
        x, y, w, h = (v * scale for v in cv2.boundingRect(outline))
        box = (x - room_px, y - room_px, x + w + room_px, y + h + room_px)
        while meeting := [other for other in boxes if _meet(box, other)]:
            boxes = [other for other in boxes if other not in meeting]
            sides = list(zip(box, *meeting, strict=True))
            box = (min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3]))
        boxes.append((int(box[0]), int(box[1]), int(box[2]), int(box[3])))
    return [(max(left, 0), max(top, 0), min(right, width), min(bottom, height)) for left, top, right, bottom in boxes]


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _is_in(poses: Floats, box: Box) -> NDArray[np.bool_]:
    """Which are in a box, shape (N,)."""
    (left, top, right, bottom), (x, y) = box, poses[:, :2].T
    return np.asarray((left <= x) & (x < right) & (top <= y) & (y < bottom))


def _share(quads: Floats, changed: Mask, scale: float) -> Floats:
    """What share of each quad, shape (N, 4, 2), has changed; shape (N,)."""
    places = (SAMPLES @ quads / scale).astype(int)
    last = np.array(changed.shape[::-1]) - 1
    inside = np.minimum(np.maximum(places, 0), last)
    is_in = (inside == places).all(axis=2)
    return np.asarray((is_in & (changed[inside[..., 1], inside[..., 0]] > 0)).mean(axis=1))


@dataclass(frozen=True)
class Change:
    """What has changed in a part of the picture."""

    mask: Mask
    """Shape (h, w), without holes."""
    corner: tuple[float, float]
    """Where it begins in the picture."""
    scale: float
    """Pixels of the picture for each of the mask."""

    @cached_property
    def _things(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        """Which thing each place of the mask belongs to, 0 for none; and of each thing OpenCV's statistics."""
        labels, stats = cv2.connectedComponentsWithStats(self.mask)[1:3]
        return np.asarray(labels), np.asarray(stats)

    def share(self, quads: Floats) -> Floats:
        """What share of each quad of the picture, shape (N, 4, 2), has changed; shape (N,)."""
        return _share(quads - np.array(self.corner), self.mask, self.scale)

    def is_shape(self, quads: Floats) -> NDArray[np.bool_]:
        """Which quads have the outline of one thing that has come or gone, shape (N,)."""
        labels, stats = self._things
        alike = np.zeros(len(quads), np.bool_)
        for number in range(len(quads)):
            face = self._face(quads[number : number + 1])
            met = np.bincount(labels[face > 0], minlength=len(stats))
            met[0] = 0
            thing = int(met.argmax())
            either = np.count_nonzero(face) + stats[thing, cv2.CC_STAT_AREA] - met[thing]
            alike[number] = met[thing] > SAME_OUTLINE * either
        return alike

    def is_all(self, quads: Floats) -> bool:
        """Whether some quads are all that has come, but for shadows beside them."""
        faces = np.asarray(cv2.dilate(self._face(quads), np.ones((3, 3), np.uint8)), np.uint8)
        left = np.count_nonzero(self.mask & (faces == 0))
        return len(quads) > 0 and bool(left < LEFT_OVER * np.count_nonzero(faces) / len(quads))

    def _face(self, quads: Floats) -> Mask:
        """What of the mask some quads of the picture cover: 1, else 0.

        One pixel round them too: what is changed in part is changed, and so is the shadow where they touch the table.
        """
        face = np.zeros(self.mask.shape, np.uint8)
        for quad in (quads - np.array(self.corner) + 0.5) / self.scale - 0.5:
            cv2.fillConvexPoly(face, np.round(quad).astype(np.int32), 1)
        return np.asarray(cv2.dilate(face, np.ones((3, 3), np.uint8)), np.uint8)

    def places(self, side_px: float) -> Floats:
        """Where a domino may lie that makes a change by its shape alone, poses of shape (N, 4)."""
        places: list[tuple[float, float, float, float]] = []
        for outline in cv2.findContours(self.mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
            (x, y), (width, height), angle_deg = cv2.minAreaRect(outline)
            long, short = (self.scale * (v + 1) for v in (max(width, height), min(width, height)))
            side = side_px or min(long / 2, short)
            if not DOMINO_LIKE[0] < long * short / (2 * side * side) < DOMINO_LIKE[1]:
                continue
            angle = float(np.radians(angle_deg + (90 if height > width else 0)))
            left, top = (v + (at + 0.5) * self.scale - 0.5 for v, at in zip(self.corner, (x, y), strict=True))
            places.append((left, top, angle, side))
            if long < SQUARE * short:
                places.append((left, top, angle + np.pi / 2, side))
        return np.array(places) if places else NO_PLACES


def _change(bgr: Bgr, before: Before, box: Box) -> Change:
    """What has changed in a part of the picture, as finely as can be told."""
    fine = before.picture
    scale = bgr.shape[0] / (before.changed if fine is None else fine.grey).shape[0]
    left, top, right, bottom = (round(v / scale) for v in box)
    here = np.s_[top:bottom, left:right]
    corner = (left * scale, top * scale)
    if fine is None:
        return Change(_filled(before.changed[here]), corner, scale)
    part = bgr[round(top * scale) : round(bottom * scale), round(left * scale) : round(right * scale)]
    now = np.asarray(cv2.resize(part, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR), np.uint8)
    grey = np.asarray(cv2.cvtColor(now, cv2.COLOR_BGR2GRAY), np.uint8)
    then = Thumb(np.ascontiguousarray(fine.bgr[here]), np.ascontiguousarray(fine.grey[here]))
    mask = changed(then, Thumb(now, grey), np.full(grey.shape, 255, np.uint8), CHANGE)
    return Change(_filled(mask), corner, scale)


def _filled(mask: Mask) -> Mask:
    """The mask without holes: a domino can be as grey as the cloth in its middle."""
    outlines = cv2.findContours(np.ascontiguousarray(mask), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    return np.asarray(cv2.drawContours(np.zeros_like(mask), outlines, -1, 255, cv2.FILLED), np.uint8)


def _apart(found: Sequence[Domino], lying: Sequence[Domino]) -> list[Domino]:
    """Those found that are none of the lying ones, and lie in none."""
    if not found or not lying:
        return list(found)
    is_in_one = crossing(_poses(found), _poses(lying))
    return [domino for domino, is_known in zip(found, is_in_one, strict=True) if not is_known.any()]


def _joined(known: Domino, look: Domino) -> Domino:
    """A resting domino with one look more, which counts as much as each before; as sure of it as the surer one."""
    surer = max(known, look, key=lambda domino: domino.confidence)
    return replace(
        surer, a=_mean(known.a, look.a, known.looks), b=_mean(known.b, look.b, known.looks), looks=known.looks + 1
    )


def _mean(known: Half, look: Half, looks: int) -> Half:
    """The geometric mean of so many looks at a half and one more; where it was hidden in one, the other's."""
    if known.probabilities is None or look.probabilities is None:
        return look if known.probabilities is None else known
    logs = [np.log(np.maximum(half.probabilities or (), 1e-12)) for half in (known, look)]
    mean = np.exp((looks * logs[0] + logs[1]) / (looks + 1))
    return Half(tuple((mean / mean.sum()).tolist()))


def _poses(dominoes: Sequence[Domino]) -> Floats:
    return poses_of(np.array([domino.corners for domino in dominoes])) if dominoes else NO_PLACES
