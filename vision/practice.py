"""Drawn pictures to learn from and be examined on: dominoes in every arrangement and light, and things that are none.

The looks go farther than `Look.random` does: the reader has to stand what the demonstration need not show.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Table
from vision.labels import Labelled, Truth
from vision.layout import DOMINO_LENGTH_MM, LineLayout, Lying, separation_mm
from vision.look import Bgr, Look
from vision.render import Reaching, render
from vision.rig import Rig

Bgr8 = NDArray[np.uint8]

TILES: Final = tuple((a, b) for a in range(7) for b in range(a, 7))
TABLE_SIZES: Final = ((1280, 720), (1280, 960), (1440, 1080))
CLOSE_SIZES: Final = ((480, 360), (640, 480), (800, 600), (960, 540))
APART_MM: Final = 3.0  # loose dominoes lie no nearer than this
TOLD_APART: Final = 90  # sum over the channels by which a table of any colour differs from the bodies on it
DARK: Final = 330  # sum over the channels up to which a body is dark; such sets are harder, and drawn more often
WORDS: Final = "the quick brown fox jumps over the lazy dog 0123456789 . . . ::: iii ooo 000 888 Aa Bb gG"
BARE_TABLES: Final = 24
FACE_DOWN: Final = 12
BLANK_SIZE: Final = (500, 800)  # rows and columns of a picture without dominoes


@dataclass(frozen=True, slots=True)
class Practice:
    """One picture and what lies in it."""

    bgr: Bgr8
    truth: Labelled
    """Without dominoes for a picture that shows something else."""
    table: Table | None = None
    """Where the table is, for a picture that is to be read as from a camera that was calibrated."""


def drawn(number: int, seed: int) -> Practice:
    """One drawn picture; the same number and seed give the same one. The kinds take turns."""
    rng = np.random.default_rng((seed, number))
    kind = ("line", "close line", "hands", "loose", "lone", "line", "close loose", "close lone")[number % 8]
    dominoes = _arranged(kind, rng)
    look = _look(rng)
    if kind.startswith("close"):
        dominoes = _centred(dominoes)
        rig = _close_rig(dominoes, rng)
        table = None
    else:
        rig = Rig.random(rng, *TABLE_SIZES[rng.integers(len(TABLE_SIZES))])
        table = rig.table() if rng.random() < 0.4 else None
    arms = [_arm(rng)] if kind == "line" and rng.random() < 0.2 else []
    picture = render(dominoes, rig=rig, look=look, rng=rng, arms=arms)
    truths = tuple(Truth((lying.a, lying.b), corners) for lying, corners in zip(dominoes, picture.corners, strict=True))
    return Practice(picture.bgr, Labelled(Path(f"{kind} {number}"), kind, truths, None), table)


def without_dominoes(seed: int | Sequence[int]) -> Iterator[Practice]:
    """Boards, print, grids of dots, plaid, bricks and noise, half of them turned; bare tables; face-down dominoes."""
    rng = np.random.default_rng(seed)
    height, width = BLANK_SIZE
    for number, (name, bgr) in enumerate(_patterns(rng)):
        turn_deg = float(rng.uniform(0, 90)) if rng.random() < 0.5 else 0.0
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0)
        turned = cv2.warpAffine(bgr, turn, (width, height), borderMode=cv2.BORDER_REFLECT)
        yield Practice(turned.astype(np.uint8, copy=False), Labelled(Path(f"{name} {number}"), name, (), None))
    for number in range(BARE_TABLES):
        rig = Rig(width, height, table_mm=float(rng.uniform(200, 900)), fill=1.1, roll_deg=float(rng.uniform(0, 360)))
        picture = render((), rig=rig, look=_look(rng), rng=rng)
        yield Practice(picture.bgr, Labelled(Path(f"bare table {number}"), "bare table", (), None))
    for number in range(FACE_DOWN):
        backs = [replace(lying, a=0, b=0) for lying in _arranged(("close loose", "close line")[number % 2], rng)]
        look = replace(_look(rng), divider_mm=0.0, pin_bgr=None)
        centred = _centred(backs)
        picture = render(centred, rig=_close_rig(centred, rng), look=look, rng=rng)
        yield Practice(picture.bgr, Labelled(Path(f"face down {number}"), "face down", (), None))


def _arranged(kind: str, rng: np.random.Generator) -> list[Lying]:
    """The dominoes of a picture of this kind, anywhere on the table."""
    close = kind.startswith("close")
    if kind.endswith("line"):
        return _line(rng, int(rng.integers(2, 13 if close else 29)))
    if kind.endswith("loose"):
        return _loose(rng, int(rng.integers(2, 7 if close else 15)), reach_mm=110.0 if close else 400.0)
    if kind.endswith("lone"):
        return _loose(rng, 1, reach_mm=400.0)
    layout = LineLayout(rng)
    tiles = rng.permutation(TILES).tolist()
    return [lying for seat in range(4) for lying in layout.shown(seat, tiles[7 * seat : 7 * seat + rng.integers(8)])]


def _line(rng: np.random.Generator, most: int) -> list[Lying]:
    """A line of up to so many dominoes with matching suits, as the play went."""
    tiles = [(int(a), int(b)) for a, b in rng.permutation(TILES)]
    layout = LineLayout(rng, sloppiness=float(rng.uniform(0.3, 1.6)))
    left, right = tiles.pop()
    layout.first(left, right)
    while len(layout.lying) < most:
        at_left = bool(rng.random() < 0.5)
        suit = left if at_left else right
        fitting = [tile for tile in tiles if suit in tile]
        if not fitting:
            break
        tiles.remove(fitting[0])
        outer = sum(fitting[0]) - suit
        layout.add("L" if at_left else "R", suit, outer)
        left, right = (outer, right) if at_left else (left, outer)
    return list(layout.lying)


def _loose(rng: np.random.Generator, most: int, *, reach_mm: float) -> list[Lying]:
    """Up to so many dominoes at any turn, none touching another, within a square about the table's centre."""
    dominoes: list[Lying] = []
    for a, b in rng.permutation(TILES)[:most].tolist():
        x_mm, y_mm, angle_deg = (float(v) for v in rng.uniform(-1, 1, 3) * (reach_mm, reach_mm, 180))
        domino = Lying(a, b, x_mm, y_mm, angle_deg)
        if all(separation_mm(domino, other) > APART_MM for other in dominoes):
            dominoes.append(domino)
    return dominoes


def _centred(dominoes: list[Lying]) -> list[Lying]:
    """The same arrangement about the table's centre."""
    corners = np.concatenate([lying.corners_mm() for lying in dominoes])
    x_mm, y_mm = (float(v) for v in (corners.min(axis=0) + corners.max(axis=0)) / 2)
    return [replace(lying, x_mm=lying.x_mm - x_mm, y_mm=lying.y_mm - y_mm) for lying in dominoes]


def _close_rig(dominoes: list[Lying], rng: np.random.Generator) -> Rig:
    """A camera held over a few dominoes by hand: any turn, a plain tilt, and no more of the table than they need."""
    reach_mm = max(float(np.hypot(*lying.corners_mm().T).max()) for lying in dominoes)
    width, height = CLOSE_SIZES[rng.integers(len(CLOSE_SIZES))]
    return Rig(
        width,
        height,
        table_mm=2 * (reach_mm + float(rng.uniform(5, 2 * DOMINO_LENGTH_MM))),
        zone_mm=0.0,
        fill=float(rng.uniform(0.98, 1.15)),
        distance_mm=float(rng.uniform(500, 1200)),
        tilt_deg=float(rng.uniform(0, 12)),
        tilt_towards_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.uniform(0, 360)),
        k1=float(rng.uniform(-0.05, 0.02)),
    )


def _look(rng: np.random.Generator) -> Look:
    """Looks beyond those met in clubs: dimmer, more blurred, more compressed, on tables of any colour."""
    look = Look.random(rng)
    while sum(look.body_bgr) > DARK and rng.random() < 0.4:
        look = Look.random(rng)
    surface, table_bgr = look.surface, look.table_bgr
    chance = float(rng.random())
    if chance < 0.2:
        table_bgr = _any_colour_unlike(look.body_bgr, rng)
    elif chance < 0.4:
        surface, table_bgr = "wood", _shade_of(look.body_bgr, rng)
    return replace(
        look,
        surface=surface,
        table_bgr=table_bgr,
        divider_mm=float(rng.choice((0.6, 0.8, 1.0, 1.3))),
        pip_mm=float(rng.uniform(1.8, 2.8)),
        corner_mm=float(rng.uniform(0.8, 3.4)),
        bevel_mm=float(rng.uniform(0.5, 2.0)),
        brightness=float(rng.uniform(0.6, 1.15)),
        kelvin=float(rng.uniform(2900, 7500)),
        unevenness=float(rng.uniform(0.05, 0.6)),
        shadow=float(rng.uniform(0.2, 0.75)),
        blur_px=float(rng.uniform(0.3, 1.0)),
        noise=float(rng.uniform(0.8, 4.5)),
        jpeg_quality=None if rng.random() < 0.3 else int(rng.integers(55, 96)),
    )


def _any_colour_unlike(body: Bgr, rng: np.random.Generator) -> Bgr:
    """A colour that these bodies can be told from."""
    while True:
        b, g, r = (int(v) for v in rng.integers(15, 235, 3))
        if np.abs(np.subtract((b, g, r), body)).sum() > TOLD_APART:
            return b, g, r


def _shade_of(body: Bgr, rng: np.random.Generator) -> Bgr:
    """Nearly the colour of these bodies: dark wood lies on dark wood in many a club."""
    shade = np.clip(np.array(body) * rng.uniform(0.6, 1.5) * rng.normal(1, 0.1, 3), 15, 235)
    b, g, r = (int(v) for v in shade)
    return b, g, r


def _arm(rng: np.random.Generator) -> Reaching:
    """An arm whose fingertips stay in its own seat's zone, so that it hides nothing of the line."""
    seat = int(rng.integers(4))
    along_mm, out_mm = float(rng.uniform(-200, 200)), float(rng.uniform(340, 430))
    turn = np.radians(90.0 * seat)
    x_mm = np.cos(turn) * along_mm - np.sin(turn) * out_mm
    y_mm = np.sin(turn) * along_mm + np.cos(turn) * out_mm
    return Reaching(seat, float(x_mm), float(y_mm))


def _patterns(rng: np.random.Generator) -> Iterator[tuple[str, Bgr8]]:
    """Things with marks, lines and rectangles of all sizes, each with what it is."""
    for size_px in (12, 15, 16, 22, 26, 30, 40, 56):
        yield "board", _board(size_px, 25, 225)
        yield "board", _board(size_px, 90, 150)
    for size in (0.5, 0.62, 0.8, 1.1, 1.5):
        yield "print", _print(size, rng)
    for pitch_px, radius_px in ((14, 4), (20, 4), (26, 5), (34, 6), (40, 6)):
        yield "dots", _dots(pitch_px, radius_px, 240, 20)
        yield "dots", _dots(pitch_px, radius_px, 30, 230)
    for size_px in (20, 30, 44):
        yield "plaid", _plaid(size_px)
    for sigma in (1.5, 2.5, 4.0):
        grain = cv2.GaussianBlur(rng.integers(0, 256, (*BLANK_SIZE, 3)).astype(np.float32), (0, 0), sigma)
        yield "noise", (255 * (grain - grain.min()) / np.ptp(grain)).astype(np.uint8)
    for long_px, short_px in ((60, 30), (50, 25), (90, 45), (70, 30)):
        yield "bricks", _bricks(long_px, short_px, rng)


def _board(size_px: int, dark: int, light: int) -> Bgr8:
    row, column = np.mgrid[: BLANK_SIZE[0], : BLANK_SIZE[1]] // size_px
    return _grey(np.where((row + column) % 2 == 0, dark, light))


def _plaid(size_px: int) -> Bgr8:
    row, column = np.mgrid[: BLANK_SIZE[0], : BLANK_SIZE[1]] // size_px
    return _grey(100 + 40 * (row % 2) + 40 * (column % 2))


def _print(size: float, rng: np.random.Generator) -> Bgr8:
    page = np.full((*BLANK_SIZE, 3), 245, np.uint8)
    for y in range(30, BLANK_SIZE[0] - 10, int(42 * size)):
        text = " ".join(rng.permutation(WORDS.split()))
        font, weight = int(rng.integers(8)), 1 + int(size > 0.8)
        cv2.putText(page, text, (20, y), font, size, (20, 20, 20), weight, cv2.LINE_AA)
    return page


def _dots(pitch_px: int, radius_px: int, ground: int, dot: int) -> Bgr8:
    sheet = np.full((*BLANK_SIZE, 3), ground, np.uint8)
    for y in range(pitch_px // 2, BLANK_SIZE[0], pitch_px):
        for x in range(pitch_px // 2, BLANK_SIZE[1], pitch_px):
            cv2.circle(sheet, (x, y), radius_px, (dot, dot, dot), -1, cv2.LINE_AA)
    return sheet


def _bricks(long_px: int, short_px: int, rng: np.random.Generator) -> Bgr8:
    wall = np.full((*BLANK_SIZE, 3), int(rng.integers(60, 200)), np.uint8)
    colour = tuple(int(v) for v in rng.integers(0, 255, 3))
    for course, y in enumerate(range(0, BLANK_SIZE[0], short_px + 4)):
        for x in range(-long_px // 2 * (course % 2), BLANK_SIZE[1], long_px + 4):
            cv2.rectangle(wall, (x, y), (x + long_px, y + short_px), colour, -1)
    return wall


def _grey(plane: NDArray[np.integer]) -> Bgr8:
    return np.repeat(plane.astype(np.uint8)[:, :, None], 3, axis=2)
