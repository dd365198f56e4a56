"""The reader on drawn tables: every domino, every light, every turn, and nothing where nothing lies."""

import math
import time

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Picture, render
from vision.rig import Rig

Pair = tuple[int, int]
BGR = NDArray[np.uint8]

RIG = Rig(width_px=1280, height_px=960)
LINE: tuple[Pair, ...] = (
    (5, 2),
    (2, 2),
    (2, 0),
    (0, 0),
    (0, 1),
    (1, 6),
    (6, 6),
    (6, 3),
    (3, 4),
    (4, 1),
    (1, 1),
    (1, 5),
)
PATIENCE_S = 8.0
"""No picture may take longer, on the slowest machine that runs these tests."""


def laid(line: tuple[Pair, ...], seed: int) -> list[Lying]:
    """A line laid the way people lay, first domino first."""
    layout = LineLayout(np.random.default_rng(seed))
    dominoes = [layout.first(*line[0])]
    dominoes += [layout.add("R", inner, outer) for inner, outer in line[1:]]
    return dominoes


def pictured(dominoes: list[Lying], *, look: Look | None = None, seed: int = 0) -> Picture:
    """The picture of a table with these dominoes on it."""
    return render(dominoes, rig=RIG, look=look or Look(), rng=np.random.default_rng(seed))


def line_of(reading: Reading) -> tuple[tuple[int | None, int | None], ...]:
    """Suits along the longest chain."""
    return tuple((a.suit, b.suit) for a, b in reading.along(reading.line))


def is_line(reading: Reading, line: tuple[Pair, ...]) -> bool:
    """Whether the whole reading is one line, from either end."""
    return len(reading.dominoes) == len(line) and line_of(reading) in (line, tuple((b, a) for a, b in reversed(line)))


def tiles_of(reading: Reading) -> list[tuple[int, int]]:
    """Suits of all dominoes, in an order of their own."""
    suits = [(d.a.suit, d.b.suit) for d in reading.dominoes]
    return sorted((min(a, b), max(a, b)) for a, b in suits if a is not None and b is not None)


@pytest.mark.parametrize("seed", range(3))
def test_a_line_with_doubles_and_corners_is_read_whole(seed: int) -> None:
    """Twelve dominoes with crosswise doubles come back in order, each turned as it lies."""
    assert is_line(read(pictured(laid(LINE, seed)).bgr), LINE)


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_sets_lamps_and_tables_of_all_kinds_are_read(seed: int) -> None:
    """Bodies, pips, tables and light are drawn by chance; the line is read all the same."""
    look = Look.random(np.random.default_rng(seed))
    picture = pictured(laid(LINE, seed), look=look, seed=seed)
    assert is_line(read(picture.bgr, table=RIG.table()), LINE)


def test_every_domino_of_the_set_is_told_from_every_other() -> None:
    """All 28, lying apart in rows, are read right."""
    pairs = [(a, b) for a in range(7) for b in range(a, 7)]
    spread = [Lying(a, b, -300 + 100 * (i % 7), -200 + 130 * (i // 7), 17.0 * i) for i, (a, b) in enumerate(pairs)]
    assert tiles_of(read(pictured(spread).bgr)) == pairs


def test_places_are_told_in_the_picture_s_own_pixels() -> None:
    """Corners lie where the renderer put them, a's end first."""
    picture = pictured([Lying(4, 1, 60, -40, 30)])
    (domino,) = read(picture.bgr).dominoes
    drawn = picture.corners[0] if domino.a.suit == 4 else picture.corners[0][2:] + picture.corners[0][:2]
    ends = zip(domino.corners[:2], domino.corners[2:], strict=True)
    assert all(math.dist(p, q) > 40 for p, q in ends)
    middle = [(p[0] + q[0]) / 2 for p, q in (domino.corners[:2], drawn[:2])]
    assert abs(middle[0] - middle[1]) < 3
    assert math.dist(domino.centre, (sum(x for x, _ in drawn) / 4, sum(y for _, y in drawn) / 4)) < 3


@pytest.mark.parametrize("quarter", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_a_turned_picture_reads_the_same(quarter: int) -> None:
    """No direction is special."""
    turned = np.asarray(cv2.rotate(pictured(laid(LINE, 0)).bgr, quarter), dtype=np.uint8)
    assert is_line(read(turned), LINE)


@pytest.mark.parametrize("angle_deg", [11, 37, 64])
def test_a_slanting_picture_reads_the_same(angle_deg: float) -> None:
    """Nor is any angle."""
    bgr = pictured(laid(LINE[:6], 1)).bgr
    turn = cv2.getRotationMatrix2D((bgr.shape[1] / 2, bgr.shape[0] / 2), angle_deg, 1.0)
    slanting = cv2.warpAffine(bgr, turn, bgr.shape[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    assert is_line(read(np.asarray(slanting, dtype=np.uint8)), LINE[:6])


@pytest.mark.parametrize("gain", [0.45, 0.7, 1.25])
def test_more_or_less_light_reads_the_same(gain: float) -> None:
    """A lamp moved nearer or farther changes nothing."""
    assert is_line(read(np.clip(pictured(laid(LINE, 2)).bgr * gain, 0, 255).astype(np.uint8)), LINE)


@pytest.mark.parametrize("shift_px", [(37, -21), (-60, 15)])
def test_a_moved_camera_reads_the_same(shift_px: tuple[int, int]) -> None:
    """The places move with the picture, the line stays."""
    bgr = pictured(laid(LINE, 1)).bgr
    still, moved = read(bgr), read(np.roll(bgr, shift_px, axis=(1, 0)))
    assert is_line(moved, LINE)
    before = still.dominoes[still.line[0].domino].centre
    after = min((d.centre for d in moved.dominoes), key=lambda c: math.dist(c, np.add(before, shift_px)))
    assert math.dist(after, np.add(before, shift_px)) < 4


def test_a_larger_picture_reads_the_same() -> None:
    """A camera of 24 megapixels shows the same dominoes, in its own pixels."""
    bgr = pictured(laid(LINE[:5], 0)).bgr
    large = np.asarray(cv2.resize(bgr, None, fx=4.5, fy=4.5, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    reading = read(large)
    assert is_line(reading, LINE[:5])
    assert max(x for d in reading.dominoes for x, _ in d.corners) > bgr.shape[1]


def test_a_wrong_domino_is_reported_as_it_lies() -> None:
    """A domino that does not fit is read, and stays in its line."""
    wrong = ((5, 2), (2, 2), (2, 0), (4, 3), (3, 3))
    assert is_line(read(pictured(laid(wrong, 0)).bgr), wrong)


def test_two_groups_are_two_chains() -> None:
    """A line and two dominoes pushed together elsewhere are two chains, the longer first."""
    aside = [Lying(2, 4, -60, 330, 0), Lying(4, 6, -10, 330, 0)]
    reading = read(pictured([*laid(LINE[:5], 3), *aside]).bgr)
    assert [len(chain) for chain in reading.chains] == [5, 2]
    assert sorted(tiles_of(reading)) == sorted([*((min(t), max(t)) for t in LINE[:5]), (2, 4), (4, 6)])


def test_what_lies_off_the_table_is_ignored() -> None:
    """With the table known, a domino beyond its edge is none of ours."""
    dominoes = [Lying(3, 6, 0, 0, 20), Lying(1, 4, 120, 60, 80)]
    bgr = pictured(dominoes).bgr
    assert tiles_of(read(bgr, table=RIG.table())) == [(1, 4), (3, 6)]
    x, y = (float(v) for v in RIG.table().to_px((60.0, 30.0)))
    corners = RIG.table().corners_px
    near = tuple(((px - x) * 0.115 + x - 50, (py - y) * 0.115 + y - 20) for px, py in corners)
    small = type(RIG.table())(corners_px=(near[0], near[1], near[2], near[3]), side_mm=103.5, zone_mm=10)
    assert tiles_of(read(bgr, table=small)) == [(3, 6)]


def test_one_half_under_a_card_is_never_guessed_with_confidence() -> None:
    """What cannot be seen is None, or left unsure, or the domino is not reported at all."""
    picture = pictured([*laid(LINE[:3], 0), Lying(6, 5, 40, 200, 0)])
    x, y = (float(v) for v in RIG.table().to_px((53.0, 200.0)))
    covered = picture.bgr.copy()
    cv2.circle(covered, (round(x + 12), round(y)), 24, (60, 90, 160), -1, cv2.LINE_AA)
    near = [d for d in read(covered).dominoes if math.dist(d.centre, RIG.table().to_px((40.0, 200.0))) < 20]
    assert all(half.suit in (None, 6) or half.confidence < 0.9 for d in near for half in (d.a, d.b))


def text_page() -> BGR:
    """A printed page."""
    page = np.full((720, 1280, 3), 245, np.uint8)
    words = "quick brown fox jumps over lazy dog 0123456789 . . ::: iii ooo 000 888"
    for line, y in enumerate(range(40, 700, 26)):
        shuffled = " ".join(np.random.default_rng(line).permutation(words.split()))
        cv2.putText(page, shuffled, (30, y), cv2.FONT_HERSHEY_SIMPLEX, 0.62, (20, 20, 20), 1, cv2.LINE_AA)
    return page


def chessboard(square_px: int) -> BGR:
    """A board of black and white squares."""
    y, x = np.mgrid[:720, :1280]
    board = ((x // square_px + y // square_px) % 2 * 200 + 25).astype(np.uint8)
    return np.repeat(board[:, :, None], 3, axis=2)


NOTHING: dict[str, BGR] = {
    "blank": np.full((720, 1280, 3), 90, np.uint8),
    "black": np.zeros((720, 1280, 3), np.uint8),
    "one pixel": np.full((1, 1, 3), 200, np.uint8),
    "a strip": np.full((9, 3000, 3), 200, np.uint8),
    "noise": np.random.default_rng(0).integers(0, 256, (720, 1280, 3), dtype=np.uint8),
    "a cloudy cloth": np.asarray(
        cv2.GaussianBlur(np.random.default_rng(1).integers(0, 256, (720, 1280, 3), dtype=np.uint8), (0, 0), 3), np.uint8
    ),
    "a page of text": text_page(),
    "chessboard 30": chessboard(30),
    "chessboard 60": chessboard(60),
    "chessboard 90": chessboard(90),
    "8k": np.full((4320, 7680, 3), 60, np.uint8),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_found_where_nothing_lies(name: str) -> None:
    """Blank pictures, noise, print and boards hold no domino, and are done with soon."""
    start = time.perf_counter()
    reading = read(NOTHING[name])
    assert reading == Reading()
    assert time.perf_counter() - start < PATIENCE_S


@pytest.mark.parametrize(
    "wrong",
    [None, np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((40, 40, 3), np.float32)],
)
def test_what_is_no_picture_is_refused(wrong: object) -> None:
    """A frame that is no BGR array is told in one sentence."""
    with pytest.raises(ValueError, match=r"expected a BGR picture, uint8 of shape \(H, W, 3\), got"):
        read(wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_the_picture_is_left_as_it_was() -> None:
    """Reading changes no pixel."""
    bgr = pictured(laid(LINE[:3], 0)).bgr
    before = bgr.copy()
    read(bgr)
    assert np.array_equal(bgr, before)
