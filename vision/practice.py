"""Drawn pictures to learn from and be examined on: dominoes in every arrangement and light, and things that are none.

The looks go farther than `Look.random` does: the reader has to stand what the demonstration need not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import cut
from vision.exposure import through_lens
from vision.layout import DOMINO_LENGTH_MM, DOMINO_WIDTH_MM, LineLayout, Lying, separation_mm
from vision.look import BRASS, Bgr, Look, Surface
from vision.patterns import pattern
from vision.reading import Point
from vision.render import Placed, Reaching, render
from vision.rig import Rig
from vision.things import THINGS, back, standing

Bgr8 = NDArray[np.uint8]
Plane = NDArray[np.floating[Any]]

TILES: Final = tuple((a, b) for a in range(7) for b in range(a, 7))
SIZE_PX: Final = (640, 480)
SIDE_PX: Final = (11.0, 34.0)
"""Side of a half, from the smallest to the largest."""
PLAIN: Final = 7.0
"""Standard deviation of a face's grey levels from which its pips can be made out."""
PATTERNED: Final = 0.5
"""Share of the bare pictures that show a pattern and no table."""
CLOSE_UP: Final = 0.06
"""Share of the pictures that show little more than one domino."""
CLOSEST_PX: Final = 24
"""No picture is smaller."""
TRIES: Final = 5
"""Lights that are tried at most, until a face has that."""
SURFACES: Final[tuple[Surface, ...]] = ("felt", "wood", "wood", "oilcloth", "plaid", "stone", "print", "print")
SUITS_BGR: Final[tuple[Bgr, ...]] = (
    (28, 26, 26), (190, 120, 40), (60, 130, 40), (50, 40, 180), (96, 90, 88), (150, 60, 30), (30, 120, 225),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """One domino of a picture."""

    tile: tuple[int, int]
    corners: tuple[Point, ...]
    """Pixels, a's end first."""
    seen: tuple[float, float]
    """Share of each half, a first, that can be seen."""


@dataclass(frozen=True, slots=True)
class Practice:
    """One picture and what lies in it."""

    bgr: Bgr8
    dominoes: tuple[Shown, ...]
    side_px: float
    """Of a half, about."""


def drawn(number: int, seed: int, *, bare: bool = False) -> Practice:
    """One drawn picture; the same number and seed give the same one. A bare one shows things but no domino's face."""
    rng = np.random.default_rng((seed, number))
    if bare and rng.random() < PATTERNED:
        return Practice(through_lens(pattern(rng, SIZE_PX), rng, SIDE_PX[0])[0], (), SIDE_PX[0])
    look = any_look(rng)
    side_px = float(np.exp(rng.uniform(*np.log(SIDE_PX))))
    rig = _rig(side_px, rng)
    reach = 0.5 * DOMINO_WIDTH_MM / side_px * np.array(SIZE_PX)
    dominoes = [] if bare else _arranged(rng, reach)
    things = [
        *_scattered(rng, rig, reach, dominoes, most=14 if bare else 4, clear=True),
        *([] if bare or rng.random() < 0.7 else _scattered(rng, rig, reach, dominoes, most=2, clear=False)),
    ]
    arms = [_arm(rng, reach) for _ in range(int(rng.integers(1, 3)))] if rng.random() < 0.3 else []
    picture = render(dominoes, rig=rig, look=look, rng=rng, arms=arms, things=things)
    for _ in range(TRIES):
        bgr, glare = through_lens(picture.bgr, rng, side_px, picture.corners)
        if _is_visible(bgr, picture.corners):
            break
    close_up = rng.random() < CLOSE_UP
    left, top, right, bottom = _close_up(rng, picture.corners, side_px) if close_up else (0, 0, *SIZE_PX)
    cover = np.full_like(picture.cover, 255)
    cover[top:bottom, left:right] = np.maximum(picture.cover, np.where(glare > 0.75, 255, 0))[top:bottom, left:right]
    seen = replace(picture, cover=cover).seen()
    shown = (
        Shown((lying.a, lying.b), tuple((x - left, y - top) for x, y in corners), shares)
        for lying, corners, shares in zip(dominoes, picture.corners, seen, strict=True)
    )
    bgr = np.ascontiguousarray(bgr[top:bottom, left:right])
    return Practice(bgr, tuple(domino for domino in shown if max(domino.seen) > 0), side_px)


def _close_up(
    rng: np.random.Generator, corners: Sequence[Sequence[Point]], side_px: float
) -> tuple[int, int, int, int]:
    """What a picture of one domino alone shows, or of any place (left, top, right, bottom)."""
    size = np.array(SIZE_PX)
    middle = rng.uniform(0.2, 0.8, 2) * size
    if len(corners):
        middle = np.mean(corners[int(rng.integers(len(corners)))], axis=0)
    reach = rng.uniform(0.7, 2.6, (2, 2)) * side_px
    left, top = np.clip(middle - reach[0], 0, size - CLOSEST_PX).astype(int).tolist()
    right, bottom = np.clip(middle + reach[1], (left + CLOSEST_PX, top + CLOSEST_PX), size).astype(int).tolist()
    return left, top, right, bottom


def _is_visible(bgr: Bgr8, corners: Sequence[Sequence[Point]]) -> bool:
    """Whether a person could make out the plainest dominoes: nothing is learnt from a picture that is all but black."""
    if not corners:
        return True
    faces = cut(bgr, np.array(corners))[:, 5:23, 6:42].mean(axis=3)
    return float(np.percentile(faces.std(axis=(1, 2)), 80)) > PLAIN


def _rig(side_px: float, rng: np.random.Generator) -> Rig:
    """A camera under which a half is about so large, mostly with the table reaching beyond the picture."""
    table_mm = DOMINO_WIDTH_MM / side_px * SIZE_PX[1] * float(rng.uniform(0.85, 2.2))
    fill = table_mm * side_px / DOMINO_WIDTH_MM / SIZE_PX[1]
    steep = rng.random() < 0.3
    return Rig(
        *SIZE_PX,
        table_mm=table_mm,
        zone_mm=0.0,
        fill=fill,
        distance_mm=float(rng.uniform(1.0, 2.5)) * max(table_mm, 350.0),
        tilt_deg=float(rng.uniform(8, 27) if steep else rng.uniform(0, 8)),
        tilt_towards_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.uniform(0, 360)) if rng.random() < 0.5 else float(rng.uniform(-4, 4)),
        k1=float(rng.uniform(-0.12, 0.02)),
    )


# ---- how dominoes lie


def _arranged(rng: np.random.Generator, reach: NDArray[np.float64]) -> list[Lying]:
    """Dominoes in one of the ways they are met; some of them may lie beyond the picture's edge."""
    kind = rng.random()
    if kind < 0.48:
        dominoes = _line(rng, int(rng.integers(2, 29)))
        if rng.random() < 0.3:
            dominoes = _apart([*dominoes, *_loose(rng, int(rng.integers(1, 7)), reach, 2.0)])
    elif kind < 0.6:
        dominoes = _loose(rng, int(rng.integers(1, 4)), reach * 0.8, 3.0)
    elif kind < 0.72:
        dominoes = _loose(rng, int(rng.integers(4, 20)), reach, 2.0)
    elif kind < 0.78:
        dominoes = _loose(rng, 28, np.minimum(reach, rng.uniform(70, 160)), 0.2)
    elif kind < 0.88:
        dominoes = _heap(rng, int(rng.integers(3, 29)))
    else:
        dominoes = _rows(rng)
    shift = rng.uniform(-0.5, 0.5, 2) * reach
    turn_deg = float(rng.choice((0, 90, 180, 270))) + float(rng.normal(0, 3))
    return [_carried(lying, turn_deg, shift) for lying in dominoes]


def _line(rng: np.random.Generator, most: int) -> list[Lying]:
    """A line of up to so many dominoes, mostly with matching suits, as the play went."""
    tiles = [(int(a), int(b)) for a, b in rng.permutation(TILES)]
    layout = LineLayout(
        rng, sloppiness=float(rng.uniform(0.2, 2.0)), table_mm=float(rng.choice((560.0, 700.0, 900.0))), zone_mm=60.0
    )
    left, right = tiles.pop()
    layout.first(left, right)
    while len(layout.lying) < most and tiles:
        at_left = bool(rng.random() < 0.5)
        suit = left if at_left else right
        if rng.random() < 0.95:
            tile = next((tile for tile in tiles if suit in tile), None)
            if tile is None:
                break
            tiles.remove(tile)
        else:  # any other, which may come a second time later: wrong dominoes and mixed sets lie on tables too
            tiles.pop(0)
            if not tiles:
                break
            tile = tiles[0]
        inner = suit if suit in tile else tile[0]
        outer = sum(tile) - inner
        try:
            layout.add("L" if at_left else "R", inner, outer)
        except ValueError:  # the line has wound itself in
            break
        left, right = (outer, right) if at_left else (left, outer)
    return list(layout.lying)


def _loose(rng: np.random.Generator, most: int, reach: NDArray[np.float64], apart_mm: float) -> list[Lying]:
    """Up to so many dominoes at any turn, each clear of all others by so much."""
    dominoes: list[Lying] = []
    tiles = rng.permutation(TILES)[:most].tolist()
    for _ in range(12 * most):
        if len(dominoes) == len(tiles):
            break
        a, b = tiles[len(dominoes)]
        x_mm, y_mm = (float(v) for v in rng.uniform(-1, 1, 2) * reach)
        domino = Lying(a, b, x_mm, y_mm, float(rng.uniform(0, 360)))
        if all(separation_mm(domino, other) > apart_mm for other in dominoes):
            dominoes.append(domino)
    return dominoes


def _heap(rng: np.random.Generator, most: int) -> list[Lying]:
    """Up to so many dominoes at any turn, pushed together until they touch."""
    dominoes: list[Lying] = []
    spread_deg = float(rng.choice((8, 40, 180)))
    for a, b in rng.permutation(TILES)[:most].tolist():
        domino = Lying(a, b, 0.0, 0.0, float(rng.uniform(-spread_deg, spread_deg)) + 90 * float(rng.integers(4)))
        way, gap = np.radians(rng.uniform(0, 360)), float(rng.uniform(0, 0.8))
        away, step = np.array((np.cos(way), np.sin(way))), 16.0
        start = rng.normal(0, 30, 2)
        # From outside inwards along one way, by ever smaller steps, as far as nothing is in it.
        far = 400.0
        while step > 0.1:
            x_mm, y_mm = (float(v) for v in start + away * (far - step))
            nearer = replace(domino, x_mm=x_mm, y_mm=y_mm)
            if far > step and all(separation_mm(nearer, other) > gap for other in dominoes):
                far, domino = far - step, nearer
            else:
                step /= 2
        dominoes.append(domino)
    return dominoes


def _rows(rng: np.random.Generator) -> list[Lying]:
    """Dominoes side by side, in rows or stepped like bricks, close or with gaps: hands laid open and board games."""
    tiles = rng.permutation(TILES).tolist()
    gap = float(rng.choice((0.3, 1.0, 6.0, 14.0)))
    step = float(rng.choice((0.0, 0.0, 12.0, 24.0)))
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    found = []
    for row in range(rows):
        for column in range(columns):
            if not tiles or rng.random() < 0.12:
                continue
            a, b = tiles.pop()
            u = (row - rows / 2) * (DOMINO_LENGTH_MM + gap + 0.6) + (step if column % 2 else 0.0)
            v = (column - columns / 2) * (DOMINO_WIDTH_MM + gap + 0.6)
            du, dv, turn = (
                float(x) for x in rng.normal(0, 1, 3) * (0.05 * gap + 0.1, 0.05 * gap + 0.1, 0.15 * gap + 0.2)
            )
            found.append(Lying(a, b, u + du, v + dv, turn + (180 if rng.random() < 0.5 else 0)))
    return found


def _apart(dominoes: Sequence[Lying]) -> list[Lying]:
    """Those that lie in none before them."""
    kept: list[Lying] = []
    for lying in dominoes:
        if all(separation_mm(lying, other) > 0 for other in kept):
            kept.append(lying)
    return kept


def _carried(lying: Lying, turn_deg: float, shift: NDArray[np.float64]) -> Lying:
    """A domino turned about the table's centre, then moved."""
    turn = np.radians(turn_deg)
    x_mm = lying.x_mm * np.cos(turn) - lying.y_mm * np.sin(turn) + shift[0]
    y_mm = lying.x_mm * np.sin(turn) + lying.y_mm * np.cos(turn) + shift[1]
    return replace(lying, x_mm=float(x_mm), y_mm=float(y_mm), angle_deg=lying.angle_deg + turn_deg)


# ---- what else is on the table


def _scattered(
    rng: np.random.Generator, rig: Rig, reach: NDArray[np.float64], dominoes: Sequence[Lying], *, most: int, clear: bool
) -> list[Placed]:
    """Things on the table: clear of the dominoes, or over some of them."""
    scale = rig.px_per_mm * 1.5
    placed: list[Placed] = []
    room = float(rng.choice((0.5, 0.8, 1.0)))
    for _ in range(int(rng.integers(0 if clear and most < 9 else 1, most + 1))):
        chance = rng.random()
        make = back if chance < 0.3 else standing if chance < 0.45 else THINGS[rng.integers(len(THINGS))]
        many = int(rng.integers(1, 6)) if make in (back, standing) else 1
        recipe = int(rng.integers(2**31))
        for _ in range(many):
            sheet = make(np.random.default_rng(recipe), scale)
            size = np.hypot(*sheet.cover.shape) / scale
            place = rng.uniform(-1.1, 1.1, 2) * reach
            if not clear:
                if not dominoes:
                    break
                near = dominoes[int(rng.integers(len(dominoes)))]
                place = np.array((near.x_mm, near.y_mm)) + rng.normal(0, size / 3 + 6, 2)
            gaps = [np.hypot(place[0] - d.x_mm, place[1] - d.y_mm) for d in dominoes]
            if clear and min(gaps, default=1e9) < room * (size / 2 + DOMINO_LENGTH_MM * 0.56):
                continue
            flat = make not in (back, standing)
            height = float(rng.uniform(0.3, 12 if flat else 10)) if make is not standing else 24.0
            placed.append(Placed(sheet, float(place[0]), float(place[1]), float(rng.uniform(0, 360)), height))
    return placed


def _arm(rng: np.random.Generator, reach: NDArray[np.float64]) -> Reaching:
    x_mm, y_mm = (float(v) for v in rng.uniform(-0.9, 0.9, 2) * reach)
    return Reaching(int(rng.integers(4)), x_mm, y_mm)


# ---- how it all looks


def any_look(rng: np.random.Generator) -> Look:
    """Looks beyond those met in clubs: any set on any table under any lamp."""
    look = Look.random(rng)
    body, divider, pips = _set_colours(rng)
    table, second = _any(rng), _any(rng)
    chance = rng.random()
    if chance < 0.12:
        table = _near(body, rng, 0.25)
    elif chance < 0.35:
        table = _near(look.table_bgr, rng, 0.1)
    elif chance < 0.45:
        table = _near((20, 20, 20) if rng.random() < 0.6 else (235, 235, 235), rng, 0.3)
    if rng.random() < 0.5:
        second = _near(table, rng, 0.3)
    if np.abs(np.subtract(table, body)).sum() < 12:
        table = _near(body, rng, 0.5)
    card = rng.random() < 0.12
    pip_mm = float(rng.uniform(1.7, 3.1))
    spacing = float(rng.uniform(max(5.8, 2 * pip_mm + 0.9), 7.6))
    room = max(0.0, min(1.6, 12 - spacing - pip_mm - 0.8))
    pinned = rng.random()
    return replace(
        look,
        body_bgr=body,
        base_bgr=_any(rng) if rng.random() < 0.25 else None,
        divider_bgr=divider,
        pips_bgr=pips,
        divider_mm=float(rng.choice((0.0, 0.4, 0.7, 1.0, 1.4, 2.0), p=(0.25, 0.1, 0.15, 0.2, 0.18, 0.12))),
        divider_reach_mm=float(rng.uniform(7, 12)),
        pin_bgr=None if pinned < 0.5 else BRASS if pinned < 0.8 else _any(rng),
        pin_mm=float(rng.uniform(1.2, 2.6)),
        pip_mm=pip_mm,
        pip_spacing_mm=spacing,
        pip_shift_mm=float(rng.uniform(-room, room)) if rng.random() < 0.3 else 0.0,
        drilled=bool(rng.random() < 0.6),
        grain=float(rng.choice((0.008, 0.02, 0.06))),
        wear=float(rng.uniform(0, 0.6)) if rng.random() < 0.15 else 0.0,
        thickness_mm=0.4 if card else float(rng.uniform(4, 13)),
        corner_mm=0.2 if card else float(rng.uniform(0.4, 4.2)),
        bevel_mm=0.3 if card else float(rng.uniform(0.4, 2.4)),
        bevel_light=0.0 if card else float(rng.uniform(0.2, 1.3)),
        surface=SURFACES[rng.integers(len(SURFACES))],
        table_bgr=table,
        second_bgr=second,
        floor_bgr=_any(rng),
        light_deg=float(rng.uniform(0, 360)),
        slant=float(rng.uniform(0, 1.2)),
        brightness=float(rng.uniform(0.7, 1.15)),
        kelvin=float(rng.uniform(2700, 8000)),
        unevenness=float(rng.uniform(0.0, 0.65)),
        shadow=float(rng.uniform(0.05, 0.8)),
        softness_mm=float(rng.uniform(0.6, 8)),
        blur_px=float(rng.uniform(0.25, 0.8)),
        noise=float(rng.uniform(0, 2)),
        jpeg_quality=None,
    )


def _set_colours(rng: np.random.Generator) -> tuple[Bgr, Bgr, tuple[Bgr, ...]]:
    """Body, divider and pips: mostly light with dark pips, or dark with light pips, now and then any two colours."""
    kind = rng.random()
    if kind < 0.36:
        body = _near(((236, 240, 242), (200, 224, 236), (215, 225, 228))[rng.integers(3)], rng, 0.08)
        pips: tuple[Bgr, ...] = (_near((30, 28, 28), rng, 0.4),)
    elif kind < 0.49:
        body = _near((236, 240, 242), rng, 0.06)
        colours = [_near(colour, rng, 0.2) for colour in SUITS_BGR]
        pips = tuple(colours if rng.random() < 0.5 else [colours[i] for i in rng.permutation(7)])
    elif kind < 0.61:
        body = _near(((150, 195, 222), (110, 160, 200), (90, 140, 190))[rng.integers(3)], rng, 0.12)
        pips = (_near((34, 44, 60), rng, 0.35),)
    elif kind < 0.84:
        body = _near(((40, 38, 38), (46, 64, 100), (60, 80, 120))[rng.integers(3)], rng, 0.25)
        pips = (_near(((238, 242, 244), (190, 220, 235), (120, 190, 220))[rng.integers(3)], rng, 0.08),)
    else:
        while True:
            body, ink = _any(rng), _any(rng)
            if abs(_light(body) - _light(ink)) > 70:
                break
        pips = (ink,)
    divider = (
        pips[0] if rng.random() < 0.7 else _near(pips[0], rng, 0.5) if rng.random() < 0.6 else _near(body, rng, 0.25)
    )
    return body, divider, pips


def _light(colour: Bgr) -> float:
    return float(np.dot(colour, (0.114, 0.587, 0.299)))


def _any(rng: np.random.Generator) -> Bgr:
    """Any colour, greys and dull ones more often than loud ones."""
    level, loud = float(rng.uniform(8, 245)), float(rng.beta(1.2, 2.5))
    tint = rng.uniform(8, 245, 3)
    b, g, r = (int(v) for v in np.clip(level + (tint - level) * loud, 4, 250))
    return b, g, r


def _near(colour: Bgr, rng: np.random.Generator, spread: float) -> Bgr:
    """A colour like another."""
    tinted = (np.array(colour) + 6) * np.exp(rng.normal(0, spread)) * rng.normal(1, 0.25 * spread + 0.01, 3) - 6
    b, g, r = (int(v) for v in np.clip(tinted, 4, 250))
    return b, g, r
