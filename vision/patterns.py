"""Draws pictures of nothing but a pattern: boards, print, dots, weave, noise, bricks, crowds; none of it is a domino.

They have marks, lines and rectangles of every size, which is all that a domino has too.
"""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cloth import clouds
from vision.look import Bgr

Bgr8 = NDArray[np.uint8]
Size = tuple[int, int]

WORDS: Final = "the quick brown fox jumps over the lazy dog 0123456789 . . . ::: iii ooo 000 888 Aa Bb gG .: %% oO"


def pattern(rng: np.random.Generator, size: Size) -> Bgr8:
    """One pattern by chance, turned and tinted by chance; size is (width, height) in pixels."""
    longer = int(1.5 * max(size))
    drawn = PATTERNS[rng.integers(len(PATTERNS))](rng, (longer, longer))
    turn_deg = float(rng.uniform(0, 360)) if rng.random() < 0.6 else 0.0
    middle = (longer - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), turn_deg, 1.0)
    turn[0, 2] += size[0] / 2 - middle
    turn[1, 2] += size[1] / 2 - middle
    return np.asarray(cv2.warpAffine(drawn, turn, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def board(rng: np.random.Generator, size: Size) -> Bgr8:
    """Squares of two colours, as of chess, or bars."""
    pitch = float(rng.uniform(6, 70))
    stretch = float(rng.choice((1.0, 1.0, 2.0, 6.0)))
    column, row = (np.arange(n) // p for n, p in zip(size, (pitch, pitch * stretch), strict=True))
    odd = (row[:, None] + column[None, :]) % 2 > 0
    return _two_toned(odd.astype(np.float32), rng)


def dots(rng: np.random.Generator, size: Size) -> Bgr8:
    """A grid of dots."""
    sheet, ink = _sheet(rng, size)
    pitch = float(rng.uniform(7, 45))
    radius = pitch * float(rng.uniform(0.12, 0.4))
    shift = pitch / 2 if rng.random() < 0.4 else 0.0
    for number, y in enumerate(np.arange(pitch / 2, size[1], pitch)):
        for x in np.arange(pitch / 2 + shift * (number % 2), size[0], pitch):
            if rng.random() < 0.97:
                cv2.circle(sheet, (round(16 * x), round(16 * y)), round(16 * radius), ink, -1, cv2.LINE_AA, 4)
    return sheet


def page_of_text(rng: np.random.Generator, size: Size) -> Bgr8:
    """A printed page."""
    sheet, ink = _sheet(rng, size)
    height = float(rng.uniform(0.3, 1.6))
    font, weight = int(rng.integers(8)), 1 + int(height > 0.8)
    for y in range(20, size[1], max(10, int(42 * height))):
        text = "  ".join(" ".join(rng.permutation(WORDS.split())) for _ in range(3))
        cv2.putText(sheet, text, (int(rng.integers(-200, 20)), y), font, height, ink, weight, cv2.LINE_AA)
    return sheet


def weave(rng: np.random.Generator, size: Size) -> Bgr8:
    """A coarse cloth: two waves crossing, a little uneven."""
    pitch = float(rng.uniform(3, 16))
    column, row = np.arange(size[0])[None, :], np.arange(size[1])[:, None]
    wander = clouds(size[::-1], 40.0, rng) * float(rng.uniform(0, 0.6))
    wave = np.sin(2 * np.pi * column / pitch + wander) * np.sin(2 * np.pi * row / pitch + wander)
    return _two_toned(np.clip(0.5 + 0.5 * wave + 0.2 * clouds(size[::-1], 1.5, rng), 0, 1), rng)


def noise(rng: np.random.Generator, size: Size) -> Bgr8:
    """Clouds of one size, as of a dim picture, terrazzo or foliage, soft or in two tones."""
    total = clouds(size[::-1], float(rng.uniform(1, 14)), rng)
    if rng.random() < 0.4:
        total = (total > float(rng.uniform(-0.5, 1.2))).astype(np.float32)
    return _two_toned(np.clip(0.5 + 0.4 * total, 0, 1), rng)


def bricks(rng: np.random.Generator, size: Size) -> Bgr8:
    """Rectangles twice as long as wide, side by side, each a little different; dominoes without a pip."""
    sheet, ink = _sheet(rng, size)
    side, gap = float(rng.uniform(8, 60)), float(rng.uniform(1, 6))
    bond = rng.random() < 0.5
    for course, y in enumerate(np.arange(0, size[1], side + gap)):
        for x in np.arange(-side * (course % 2 if bond else 0), size[0], 2 * side + gap):
            shade = np.clip(np.array(ink) * rng.normal(1, 0.05), 0, 255)
            corners = (round(x), round(y)), (round(x + 2 * side), round(y + side))
            cv2.rectangle(sheet, *corners, tuple(shade.tolist()), -1)
    return sheet


def crowd(rng: np.random.Generator, size: Size) -> Bgr8:
    """Heads and shoulders, or anything else of many rounds in many colours."""
    sheet, _ = _sheet(rng, size)
    radius = float(rng.uniform(6, 60))
    for _ in range(int(2.5 * size[0] * size[1] / radius**2 / 3)):
        x, y = (int(v) for v in rng.uniform(0, 1, 2) * size)
        body, skin = _any(rng), _any(rng)
        cv2.ellipse(sheet, (x, y + int(radius)), (int(radius), int(radius * 0.7)), 0, 0, 360, body, -1, cv2.LINE_AA)
        cv2.circle(sheet, (x, y), max(2, int(radius * 0.5)), skin, -1, cv2.LINE_AA)
        for side in (-1, 1):
            eye = (int(x + side * radius * 0.18), int(y - radius * 0.1))
            cv2.circle(sheet, eye, max(1, int(radius * 0.07)), (20, 20, 20), -1, cv2.LINE_AA)
    return sheet


def rings_and_lines(rng: np.random.Generator, size: Size) -> Bgr8:
    """Strokes, circles and boxes strewn about: drawings, boards of games, circuit boards."""
    sheet, _ = _sheet(rng, size)
    inks = [_any(rng) for _ in range(int(rng.integers(1, 6)))]
    reach = float(rng.uniform(6, 60))
    for _ in range(int(rng.integers(60, 900))):
        x, y = (int(v) for v in rng.uniform(0, 1, 2) * size)
        u, v = (int(w) for w in rng.normal(0, reach, 2))
        ink, width = inks[int(rng.integers(len(inks)))], int(rng.integers(1, 4))
        kind = int(rng.integers(4))
        if kind == 0:
            cv2.line(sheet, (x, y), (x + u, y + v), ink, width, cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(sheet, (x, y), max(1, abs(u) // 2), ink, width if u > 0 else -1, cv2.LINE_AA)
        else:
            cv2.rectangle(sheet, (x, y), (x + u, y + v // 2), ink, width if kind == 2 else -1)
    return sheet


PATTERNS: Final[tuple[Callable[[np.random.Generator, Size], Bgr8], ...]] = (
    board,
    dots,
    page_of_text,
    weave,
    noise,
    noise,
    bricks,
    crowd,
    rings_and_lines,
)


def _two_toned(share: NDArray[np.floating], rng: np.random.Generator) -> Bgr8:
    """Between two colours by a share in 0..1, shape (H, W, 3)."""
    first, second = np.array(_any(rng), np.float32), np.array(_any(rng), np.float32)
    if rng.random() < 0.3:
        second = first + rng.normal(0, 10, 3).astype(np.float32)
    return np.clip(first + (second - first) * share[..., None], 0, 255).astype(np.uint8)


def _sheet(rng: np.random.Generator, size: Size) -> tuple[Bgr8, Bgr]:
    """A plain sheet and an ink that can be told from it."""
    while True:
        paper, ink = _any(rng), _any(rng)
        if abs(sum(paper) - sum(ink)) > 90:
            break
    sheet = np.empty((size[1], size[0], 3), np.uint8)
    sheet[:] = paper
    return sheet, ink


def _any(rng: np.random.Generator) -> Bgr:
    """Any colour, greys most often."""
    level, loud = float(rng.uniform(4, 250)), float(rng.beta(1, 3))
    b, g, r = (int(v) for v in np.clip(level + (rng.uniform(0, 255, 3) - level) * loud, 0, 255))
    return b, g, r
