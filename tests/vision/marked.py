"""Cards drawn into pictures of a table, as a camera whose every point is known would show them."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import CARD_MM, CELLS, MARKER_MM, PLACES, cells_of
from vision.geometry import Points

Bgr = NDArray[np.uint8]
FINER = 8
"""Each pixel of a card is the mean of so many squared."""


def with_cards(
    bgr: Bgr,
    to_mm: Callable[[Points], Points],
    to_px: Callable[[Points], Points],
    *,
    side_mm: float,
    rng: np.random.Generator,
    cards: Mapping[int, tuple[float, float]] = PLACES,
    off_mm: float = 0.0,
    turned_deg: float = 0.0,
    blur_px: float = 0.55,
    white: float = 215.0,
    black: float = 28.0,
) -> Bgr:
    """The picture with cards at those places, in half sides of the table, each off by as much as a hand may be."""
    picture = bgr.astype(np.float32)
    paper, cover = np.zeros(bgr.shape[:2], np.float32), np.zeros(bgr.shape[:2], np.float32)
    for card, place in cards.items():
        middle = np.array(place) * (side_mm - CARD_MM) / 2 + rng.normal(0, off_mm, 2)
        turn = np.radians(rng.normal(0, turned_deg))
        rim = middle + CARD_MM * np.array(((-1, -1), (1, -1), (1, 1), (-1, 1)))
        box = to_px(rim)
        low = np.maximum(np.floor(box.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(box.max(axis=0)).astype(int) + 1, bgr.shape[1::-1])
        size = (high - low) * FINER
        if (size <= 0).any():
            continue
        x, y = np.meshgrid(*(low[i] - 0.5 + (np.arange(size[i]) + 0.5) / FINER for i in (0, 1)))
        away = to_mm(np.stack((x, y), axis=-1).reshape(-1, 2)) - middle
        spin = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))))
        u, v = (away @ spin).T
        on_card = np.maximum(np.abs(u), np.abs(v)) <= CARD_MM / 2
        on_marker = np.maximum(np.abs(u), np.abs(v)) <= MARKER_MM / 2
        column, row = (np.clip(((w / MARKER_MM + 0.5) * CELLS).astype(int), 0, CELLS - 1) for w in (u, v))
        level = np.where(on_marker & ~cells_of(card)[row, column], black, white) * on_card
        shape = (high[1] - low[1], FINER, high[0] - low[0], FINER)
        window = np.s_[low[1] : high[1], low[0] : high[0]]
        paper[window] += level.reshape(shape).mean(axis=(1, 3))
        cover[window] += on_card.reshape(shape).mean(axis=(1, 3))
    paper_seen, cover_seen = (cv2.GaussianBlur(plane, (0, 0), blur_px) for plane in (paper, cover))
    out = picture * (1 - cover_seen[..., None]) + paper_seen[..., None]
    return np.clip(np.round(out + rng.normal(0, 1.5, out.shape)), 0, 255).astype(np.uint8)
