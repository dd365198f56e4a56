"""What the two networks learn from: pieces of practice pictures with the answers they should give; no network.

A pose is a row (x, y, angle, side): a domino's centre in pixels, the angle of its a→b axis, the side of a half.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cut import CELL_PX, FACE_PX, HALF_PX, HIDDEN, HOME, NEAR_PX, STRIDE, cut, halves_of, poses_of, quads_of
from vision.finder import FOUND_PX
from vision.growth import shifted
from vision.practice import Practice, Shown

Bgr8 = NDArray[np.uint8]
Floats = NDArray[np.float32]
Planes = NDArray[np.float16]
Points = NDArray[np.floating[Any]]

WINDOW_PX: Final = 128
"""Side of the piece of a picture that the finder learns from."""
READ_PX: Final = (11.0, 30.0)
"""Side of a half in a picture from which faces are cut, before they are brought to `HALF_PX`."""
PLAIN, COVERED = 0.9, 0.55
"""Shares seen of a half from which its suit can be asked for, and up to which it counts as hidden."""
MOST_SEEN, LEAST_SEEN = 0.55, 0.15
"""Shares of a domino from which it has to be found, and up to which it must not."""
SAME_SIDES, OTHER_SIDES = 0.2, 0.42
"""Mean distance of the corners, in sides of a half, up to which a quad is a domino's, and from which it is not."""
NOT_HERE: Final = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.5, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, -0.5, 0.0),
    (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.5, 0.0, 0.5), (-0.5, 0.0, 0.5), (1.0, 0.0, 0.5), (-1.0, 0.0, 0.5),
    (0.5, 0.5, 0.5), (0.0, 0.0, 0.5), (0.5, -0.5, 0.0), (0.0, 0.0, 0.25), (0.5, 1.0, 0.0), (1.5, 0.5, 0.5),
)  # fmt: skip
"""Where in a line something looks like a domino and is none: along, across in sides, turned in half turns."""


@dataclass(frozen=True, slots=True)
class FinderLesson:
    """A window and what the finder should say of each of its cells; the answers in float16, for there are many."""

    bgr: Bgr8
    heat: Planes
    """1 at the centres, falling off round them, shape (h, w)."""
    weight: Planes
    """0 where nobody can say, shape (h, w)."""
    pose: Planes
    """Shape (5, h, w), as `vision.nets.Finder` gives them."""
    mask: Planes
    """How much each cell's pose counts, shape (h, w)."""


@dataclass(frozen=True, slots=True)
class FaceLessons:
    """Faces cut out and what they show."""

    bgr: Bgr8
    """Shape (N, 28, 48, 3)."""
    suits: NDArray[np.int64]
    """Shape (N, 2); 7 for a hidden half, -1 where nobody can say."""
    domino: NDArray[np.int64]
    """1 a domino lies just here, 0 none does, -1 nobody can say; shape (N,)."""
    corners: Floats
    """From where the cut expects the corners to where they are, in sides of a half, shape (N, 8)."""


def window(practice: Practice, rng: np.random.Generator) -> FinderLesson:
    """A piece of a picture at a size at which the finder works, turned and mirrored by chance."""
    factor = min(1.0, float(np.exp(rng.uniform(*np.log(FOUND_PX)))) / practice.side_px)
    bgr, dominoes = _shrunk(practice, factor)
    bgr, dominoes = _turned(bgr, dominoes, int(rng.integers(4)), mirrored=bool(rng.random() < 0.5))
    height, width = bgr.shape[:2]
    centre = rng.uniform(0, 1, 2) * (width, height)
    if dominoes and rng.random() < 0.85:
        centre = np.mean(dominoes[rng.integers(len(dominoes))].corners, axis=0) + rng.normal(0, 30, 2)
    left, top = (
        int(np.clip(c - WINDOW_PX / 2, 0, max(0, n - WINDOW_PX))) for c, n in zip(centre, (width, height), strict=True)
    )
    piece = np.zeros((WINDOW_PX, WINDOW_PX, 3), np.uint8)
    part = bgr[top : top + WINDOW_PX, left : left + WINDOW_PX]
    piece[: part.shape[0], : part.shape[1]] = part
    moved = [Shown(d.tile, tuple((x - left, y - top) for x, y in d.corners), _inside(d, left, top)) for d in dominoes]
    return _answers(piece, moved)


def _answers(bgr: Bgr8, dominoes: Sequence[Shown]) -> FinderLesson:
    cells = WINDOW_PX // STRIDE
    row, column = np.mgrid[:cells, :cells].astype(np.float32)
    heat = np.zeros((cells, cells), np.float32)
    weight = np.ones_like(heat)
    pose = np.zeros((5, cells, cells), np.float32)
    mask = np.zeros_like(heat)
    for domino in dominoes:
        x, y, angle, side = poses_of(np.array([domino.corners]))[0]
        # The cell (r, c) looks at pixels 4c to 4c + 3.
        u, v = (x - CELL_PX) / STRIDE, (y - CELL_PX) / STRIDE
        far = (column - u) ** 2 + (row - v) ** 2
        seen = sum(domino.seen) / 2
        if seen <= LEAST_SEEN:
            continue
        spread = max(0.6, 0.25 * side / STRIDE)
        if seen < MOST_SEEN:
            weight[far < (side / STRIDE) ** 2] = 0
            continue
        bump = np.exp(-far / (2 * spread**2)).astype(np.float32)
        r, c = round(v), round(u)
        if 0 <= r < cells and 0 <= c < cells:
            bump[r, c] = 1
            weight[r, c] = 1
        # Every cell of the face tells where its domino lies: there are many more of them than centres to learn from.
        along = ((column - u) * np.cos(angle) + (row - v) * np.sin(angle)) * STRIDE / side
        across = ((row - v) * np.cos(angle) - (column - u) * np.sin(angle)) * STRIDE / side
        near = np.where((np.abs(along) < 0.95) & (np.abs(across) < 0.48), 0.3 + 0.7 * bump, 0).astype(np.float32)
        better = near > mask
        values = (u - column, v - row, np.log(side / NEAR_PX), np.cos(2 * angle), np.sin(2 * angle))
        for plane, value in zip(pose, values, strict=True):
            plane[better] = value[better] if isinstance(value, np.ndarray) else value
        mask = np.maximum(mask, near)
        heat = np.maximum(heat, bump)
    return FinderLesson(bgr, *(plane.astype(np.float16) for plane in (heat, weight, pose, mask)))


def faces(practice: Practice, rng: np.random.Generator, *, each: int = 3) -> FaceLessons:
    """Faces cut at each domino, a little beside it and quite beside it; each so many times."""
    cuts: list[Bgr8] = []
    suits, domino, offsets = [], [], []
    for _ in range(each):
        factor = min(1.0, float(np.exp(rng.uniform(*np.log(READ_PX)))) / practice.side_px)
        bgr, dominoes = _shrunk(practice, factor)
        bgr, dominoes = _turned(bgr, dominoes, 0, mirrored=bool(rng.random() < 0.5))
        bgr = _relit(bgr, rng)
        for shown in dominoes:
            if sum(shown.seen) / 2 < 0.3:
                continue
            corners = np.array(shown.corners)
            seen, tile = shown.seen, shown.tile
            if rng.random() < 0.5:
                corners, seen, tile = corners[[2, 3, 0, 1]], seen[::-1], tile[::-1]
            quad, right = _jittered(corners, rng)
            cuts.append(cut(bgr, quad[None])[0])
            offsets.append(right)
            domino.append(1 if sum(seen) / 2 > MOST_SEEN else -1)
            suits.append(_asked(tile, seen))
            if rng.random() < 0.5:
                cuts.append(cut(bgr, _beside(corners, rng)[None])[0])
                offsets.append(np.zeros(8, np.float32))
                domino.append(0)
                suits.append([-1, -1])
    if not cuts:
        return judged(np.zeros((0, *FACE_PX, 3), np.uint8), np.zeros((0, 4, 2)), ())
    return FaceLessons(np.stack(cuts), np.array(suits), np.array(domino), np.stack(offsets))


def judged(cuts: Bgr8, quads: Points, dominoes: Sequence[Shown]) -> FaceLessons:
    """What the faces under some quads of a picture, shape (N, 4, 2), should have been said to be.

    A quad that lies nearly as a domino does is that domino, one that lies otherwise is none; between, nobody can say.
    """
    n = len(quads)
    suits, there = np.full((n, 2), -1), np.zeros(n, np.int64)
    corners = np.zeros((n, 8), np.float32)
    known = [d for d in dominoes if sum(d.seen) / 2 >= LEAST_SEEN]
    if not known or not n:
        return FaceLessons(cuts, suits, there, corners)
    true = np.array([[d.corners, d.corners[2:] + d.corners[:2]] for d in known], np.float64)
    centres = true[:, 0].mean(axis=1)
    for i, quad in enumerate(quads):
        near = int(np.hypot(*(centres - quad.mean(axis=0)).T).argmin())
        both = [_offsets(quad, each) for each in true[near]]
        turned = int(np.abs(both[0]).mean() > np.abs(both[1]).mean())
        offsets, domino = both[turned], known[near]
        off = float(np.abs(offsets).mean())
        if not off <= OTHER_SIDES:  # nor is a quad that has collapsed anything
            continue
        corners[i] = offsets
        if off > SAME_SIDES or sum(domino.seen) / 2 < MOST_SEEN:
            there[i] = -1
            continue
        there[i] = 1
        suits[i] = _asked(domino.tile, domino.seen)[:: -1 if turned else 1]
    return FaceLessons(cuts, suits, there, corners)


def _asked(tile: Sequence[int], seen: Sequence[float]) -> list[int]:
    """What is asked of each half: its suit, that it is hidden, or nothing."""
    return [t if s > PLAIN else HIDDEN if s < COVERED else -1 for t, s in zip(tile, seen, strict=True)]


def together(parts: Sequence[FaceLessons]) -> FaceLessons:
    """All lessons of several."""
    return FaceLessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in FaceLessons.__slots__))


def _jittered(corners: Points, rng: np.random.Generator) -> tuple[Points, Floats]:
    """A rectangle nearly where a domino lies, as the finder would give it, and where its corners are from there."""
    x, y, angle, side = poses_of(corners[None])[0]
    dx, dy = np.clip(rng.normal(0, 0.1, 2), -0.28, 0.28) * side
    turned = float(np.clip(rng.normal(0, 0.08), -0.24, 0.24))
    larger = float(np.exp(np.clip(rng.normal(0, 0.09), -0.25, 0.25)))
    if rng.random() < 0.4:  # as it is looked at for the second time
        quad = corners + rng.normal(0, 0.03 * side, corners.shape)
    else:
        quad = quads_of(np.array((x + dx, y + dy, angle + turned, side * larger)))[0]
    return quad, _offsets(quad, corners)


def _offsets(quad: Points, corners: Points) -> Floats:
    """Where corners are against a cut's own, in sides of a half as the cut sees them, shape (8,)."""
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), HOME)
    seen = cv2.perspectiveTransform(corners[None].astype(np.float32), matrix)[0]
    return np.asarray((seen - HOME) / HALF_PX, np.float32).reshape(-1)


def _beside(corners: Points, rng: np.random.Generator) -> Points:
    """A rectangle that is not where a domino lies."""
    along, across, turn = NOT_HERE[rng.integers(len(NOT_HERE))]
    along, across = along + float(rng.normal(0, 0.06)), across + float(rng.normal(0, 0.06))
    larger = float(np.exp(rng.normal(0, 0.06))) * (float(rng.choice((0.7, 1.4))) if rng.random() < 0.1 else 1.0)
    pose = shifted(poses_of(corners[None]), along, across, turn * np.pi + float(rng.normal(0, 0.06)))
    return np.asarray(quads_of(pose * (1, 1, 1, larger))[0])


def _shrunk(practice: Practice, factor: float) -> tuple[Bgr8, list[Shown]]:
    """The picture smaller, its dominoes with it."""
    if factor > 0.98:
        return practice.bgr, list(practice.dominoes)
    bgr = cv2.resize(practice.bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(np.uint8)
    fx, fy = bgr.shape[1] / practice.bgr.shape[1], bgr.shape[0] / practice.bgr.shape[0]
    moved = [
        Shown(d.tile, tuple(((x + 0.5) * fx - 0.5, (y + 0.5) * fy - 0.5) for x, y in d.corners), d.seen)
        for d in practice.dominoes
    ]
    return bgr, moved


def _turned(bgr: Bgr8, dominoes: list[Shown], quarters: int, *, mirrored: bool) -> tuple[Bgr8, list[Shown]]:
    """The picture turned by so many quarters, and mirrored: dominoes mirrored are still dominoes."""
    width = bgr.shape[1]
    if mirrored:
        bgr = bgr[:, ::-1]
        flipped = [[(width - 1 - x, y) for x, y in d.corners] for d in dominoes]
        dominoes = [Shown(d.tile, (c[1], c[0], c[3], c[2]), d.seen) for d, c in zip(dominoes, flipped, strict=True)]
    for _ in range(quarters):
        width = bgr.shape[1]
        bgr = np.rot90(bgr)
        dominoes = [Shown(d.tile, tuple((y, width - 1 - x) for x, y in d.corners), d.seen) for d in dominoes]
    return np.ascontiguousarray(bgr), dominoes


def _relit(bgr: Bgr8, rng: np.random.Generator) -> Bgr8:
    """A little brighter or darker, another tint, a little noise: a picture that is cut again is not quite the same."""
    table = np.arange(256)[:, None] * np.exp(rng.normal(0, 0.12)) * np.exp(rng.normal(0, 0.05, 3))
    lut = np.clip(np.round(table), 0, 255).astype(np.uint8)
    out = cv2.merge([cv2.LUT(bgr[..., i], lut[:, i]) for i in range(3)])
    return out.astype(np.uint8)


def _inside(domino: Shown, left: int, top: int) -> tuple[float, float]:
    """The shares of the halves seen that are also in the window."""
    # A grid over each half tells how much of it is in the window.
    u, v = (w[..., None] for w in np.meshgrid((np.arange(5) + 0.5) / 5, (np.arange(5) + 0.5) / 5))
    shares = []
    for c, seen in zip(halves_of(np.array(domino.corners) - (left, top)), domino.seen, strict=True):
        near, away = c[0] + (c[1] - c[0]) * u, c[3] + (c[2] - c[3]) * u
        grid = near + (away - near) * v
        shares.append(seen * float(((grid >= 0) & (grid < WINDOW_PX)).all(axis=-1).mean()))
    return shares[0], shares[1]
