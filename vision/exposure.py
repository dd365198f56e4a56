"""What light, lens and sensor do to a drawn picture: shadows, glare, exposure, blur, noise, compression; no scene."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Point

Bgr8 = NDArray[np.uint8]
Plane = NDArray[np.floating[Any]]


def through_lens(
    bgr: Bgr8, rng: np.random.Generator, side_px: float, corners: Sequence[Sequence[Point]] = ()
) -> tuple[Bgr8, Plane]:
    """Hard shadows, glare, wrong exposure and colour, blur, noise, compression; and the glare by itself, (H, W)."""
    height, width = bgr.shape[:2]
    picture = bgr.astype(np.float32)
    if rng.random() < 0.3:
        picture *= 1 - float(rng.uniform(0.25, 0.75)) * _half_plane((height, width), rng, side_px)[..., None]
    glare = (
        _glare((height, width), rng, side_px, corners) if rng.random() < 0.4 else np.zeros((height, width), np.float32)
    )
    picture += (float(rng.uniform(225, 262)) - picture) * glare[..., None]
    picture *= np.exp(rng.normal(0, 0.10, 3)).astype(np.float32)
    picture = 255 * np.power(np.clip(picture / 255, 0, 1.2), float(np.exp(rng.normal(0, 0.22))))
    exposure = float(np.exp(rng.normal(0.0, 0.2))) if rng.random() < 0.75 else float(rng.uniform(0.12, 0.6))
    picture = np.clip(picture * exposure, 0, 255)
    picture = _blurred(picture, rng, side_px)
    if rng.random() < 0.25:
        soft = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.8, 2)))
        picture += float(rng.uniform(0.2, 1.2)) * (picture - soft)
    noise = float(rng.gamma(1.2, 2.0))
    grain = rng.standard_normal(picture.shape, dtype=np.float32)
    if rng.random() < 0.4:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.8
    picture = np.clip(picture + noise * grain, 0, 255)
    out = np.round(picture).astype(np.uint8)
    if rng.random() < 0.1:
        out = np.repeat(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2).astype(np.uint8)
    if rng.random() < 0.7:
        packed = cv2.imencode(".jpg", out, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))))[1]
        out = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return out, glare


def _half_plane(shape: tuple[int, int], rng: np.random.Generator, side_px: float) -> Plane:
    """The hard shadow of something beside the table, or a bar of it, shape (H, W), 0..1."""
    row, column = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    turn = float(rng.uniform(0, 2 * np.pi))
    along = column * np.cos(turn) + row * np.sin(turn)
    start = float(rng.uniform(along.min(), along.max()))
    soft = float(rng.uniform(0.03, 0.6)) * side_px
    shade = np.clip(0.5 + (along - start) / soft, 0, 1)
    if rng.random() < 0.5:
        shade *= np.clip(0.5 + (start + float(rng.uniform(0.5, 8)) * side_px - along) / soft, 0, 1)
    return np.asarray(shade, np.float32)


def _glare(
    shape: tuple[int, int], rng: np.random.Generator, side_px: float, corners: Sequence[Sequence[Point]]
) -> Plane:
    """Reflections, (H, W), 0..1: one large and faint, or small ones on the dominoes that wash out what is there."""
    row, column = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    total = np.zeros(shape, np.float32)
    small = rng.random() < 0.6
    for _ in range(int(rng.integers(1, 14 if small else 3))):
        x, y = float(rng.uniform(0, shape[1])), float(rng.uniform(0, shape[0]))
        if small and len(corners) and rng.random() < 0.75:
            middle = np.mean(corners[int(rng.integers(len(corners)))], axis=0)
            x, y = (float(v) for v in middle + rng.normal(0, 0.5 * side_px, 2))
        turn = float(rng.uniform(0, np.pi))
        long = float(rng.uniform(0.08, 0.9) if small else rng.uniform(2, 8)) * side_px
        short = long * float(rng.uniform(0.25, 1))
        u = (column - x) * np.cos(turn) + (row - y) * np.sin(turn)
        v = (row - y) * np.cos(turn) - (column - x) * np.sin(turn)
        peak = float(rng.uniform(0.3, 1.6) if small else rng.uniform(0.1, 0.9))
        total += peak * np.exp(-((u / long) ** 2 + (v / short) ** 2))
    return np.minimum(total, 1)


def _blurred(picture: Plane, rng: np.random.Generator, side_px: float) -> Plane:
    """Out of focus, shaken, or neither."""
    chance = rng.random()
    if chance < 0.35:
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.3, 0.055 * side_px + 0.3))))
    if chance < 0.5:
        length = max(2, round(float(rng.uniform(0.05, 0.16)) * side_px))
        kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
        turn = float(rng.uniform(0, np.pi))
        end = (length + round(length / 2 * np.cos(turn)), length + round(length / 2 * np.sin(turn)))
        start = (2 * length - end[0], 2 * length - end[1])
        cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA)
        return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()))
    return picture
