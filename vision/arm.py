"""Draws a right arm from above, the hand open or with a domino under its fingertips; a picture to move over a table.

It lies in its own millimetres: the fingertips at (0, 0), the arm running down to y = ARM_MM, the thumb to the left.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.look import Bgr

Gray = NDArray[np.floating[Any]]
Colour = NDArray[np.floating[Any]]
Pose = Literal["open", "holding"]
Bone = tuple[float, float, float, float, float, float]  # x, y, radius at one end; x, y, radius at the other

LEFT_MM: Final = 120.0  # the picture's reach to the left of the fingertips
WIDTH_MM: Final = 300.0
TOP_MM: Final = 40.0  # and above them
ARM_MM: Final = 1150.0
HAND_MM: Final = 300.0  # from here on only the sleeve
CUFF_MM: Final = 262.0
MERGE_MM: Final = 5.0  # how softly fingers run into the hand

PALM: Final[tuple[Bone, ...]] = (
    (-8, 164, 18, -25, 98, 12.5),
    (4, 166, 18, -5, 92, 13),
    (12, 166, 18, 14, 96, 12.5),
    (20, 164, 16, 31, 106, 11.5),
    (7, 156, 25, 8, 188, 26),
    (8, 188, 26, 14, 300, 33),
)
FINGERS: Final[dict[Pose, tuple[Bone, ...]]] = {
    "open": (
        (-25, 98, 11, -24, 50, 9), (-24, 50, 9, -21, 14, 7.2),
        (-5, 92, 11, -2, 42, 9), (-2, 42, 9, 0, 6, 7.4),
        (14, 96, 10.5, 19, 50, 8.6), (19, 50, 8.6, 21, 16, 7),
        (31, 106, 9.5, 39, 70, 7.8), (39, 70, 7.8, 42, 42, 6.4),
        (-22, 150, 15, -48, 112, 11.5), (-48, 112, 11.5, -55, 74, 8.6),
    ),
    "holding": (
        (-25, 98, 11, -22, 52, 9.4), (-22, 52, 9.4, -9, 14, 7.4),
        (-5, 92, 11, 0, 46, 9.4), (0, 46, 9.4, 5, 10, 7.6),
        (14, 96, 10.5, 20, 56, 9), (20, 56, 9, 19, 24, 7.4),
        (31, 106, 9.5, 38, 74, 8.2), (38, 74, 8.2, 33, 46, 6.8),
        (-22, 150, 15, -42, 104, 11.5), (-42, 104, 11.5, -26, 44, 8.6),
    ),
}  # fmt: skip
SLEEVE: Final[tuple[Bone, ...]] = ((14, 285, 42, 40, 700, 60), (40, 700, 60, 60, 1200, 72))


@dataclass(frozen=True, slots=True)
class ArmPicture:
    """An arm, drawn once."""

    bgra: NDArray[np.uint8]
    """Shape (H, W, 4): the colours already multiplied by alpha."""
    alpha: NDArray[np.uint8]
    """Shape (H, W), the same alpha once more, in one piece."""


def draw_arm(
    pose: Pose, *, skin: Bgr, sleeve: Bgr, lamp: tuple[float, float], px_per_mm: float, rng: np.random.Generator
) -> ArmPicture:
    """Draw one arm.

    Args:
        pose: what the hand does.
        skin, sleeve: colours under a white lamp.
        lamp: unit vector towards the lamp, in the arm's own axes.
        px_per_mm: scale of the drawing; draw finer than it will be shown.
        rng: the folds of the sleeve, the skin's unevenness.
    """
    x, y = _grid(px_per_mm)
    hand = slice(0, round((HAND_MM + TOP_MM) * px_per_mm))
    arm = slice(round((CUFF_MM - 20 + TOP_MM) * px_per_mm), len(y))
    bare, bare_height = _union((*PALM, *FINGERS[pose]), x[hand], y[hand])
    skin_bgr = _skin(skin, x[hand], y[hand], pose, rng) * _shade(bare_height, lamp, px_per_mm)
    cloth, cloth_height = _union(SLEEVE, x[arm], y[arm])
    cloth = np.minimum(cloth, y[arm] - CUFF_MM - 5 * (x[arm] / 50) ** 2)
    folds = _folds(cloth.shape, px_per_mm, rng)
    hem = (1 - 0.35 * np.exp(-np.maximum(cloth, 0) / 2.5))[..., None]
    cloth_bgr = np.array(sleeve, np.float32) * _shade(cloth_height + folds, lamp, px_per_mm) * hem

    colour, alpha = np.zeros((*x.shape, 3), np.float32), np.zeros((*x.shape, 1), np.float32)
    for rows, depth, paint in ((hand, bare, skin_bgr), (arm, cloth, cloth_bgr)):
        cover = np.clip(depth * px_per_mm + 0.5, 0, 1)[..., None]
        colour[rows] += (paint - colour[rows]) * cover
        alpha[rows] += (1 - alpha[rows]) * cover
    flat = np.dstack((np.clip(colour, 0, 255) * alpha, alpha * 255))
    bgra = np.round(flat).astype(np.uint8)
    return ArmPicture(bgra, np.ascontiguousarray(bgra[..., 3]))


def _grid(px_per_mm: float) -> tuple[Gray, Gray]:
    """The arm's millimetres at each pixel, both of shape (H, W)."""
    columns = np.arange(round(WIDTH_MM * px_per_mm), dtype=np.float32) / px_per_mm - LEFT_MM
    rows = np.arange(round((ARM_MM + TOP_MM) * px_per_mm), dtype=np.float32) / px_per_mm - TOP_MM
    x, y = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    return x, y


def _union(bones: tuple[Bone, ...], x: Gray, y: Gray) -> tuple[Gray, Gray]:
    """Depth inside the outline of bones run together (negative outside), and their height; mm, shape (H, W)."""
    depths: Gray = np.full(x.shape, -1e3, np.float32)
    heights: Gray = np.zeros(x.shape, np.float32)
    for x0, y0, r0, x1, y1, r1 in bones:
        dx, dy = np.float32(x1 - x0), np.float32(y1 - y0)
        t = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
        distance = np.hypot(x - x0 - t * dx, y - y0 - t * dy)
        radius = np.float32(r0) + t * np.float32(r1 - r0)
        depth = radius - distance
        blend = np.clip(0.5 + 0.5 * (depth - depths) / MERGE_MM, 0, 1)
        depths = depths + (depth - depths) * blend + MERGE_MM * 0.35 * blend * (1 - blend)
        height = np.sqrt(np.maximum(radius**2 - distance**2, 0))
        heights = np.maximum(heights, height)
    return depths, heights


def _shade(height_mm: Gray, lamp: tuple[float, float], px_per_mm: float) -> Colour:
    """Brightness of a rounded surface under a lamp high to one side, shape (H, W, 1)."""
    smooth = cv2.GaussianBlur(height_mm, (0, 0), 2.2 * px_per_mm)
    slope_x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=px_per_mm / 8)
    slope_y = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=px_per_mm / 8)
    steep = np.sqrt(1 + slope_x**2 + slope_y**2)
    facing = (-slope_x * lamp[0] * 0.5 - slope_y * lamp[1] * 0.5 + 0.86) / steep
    return np.asarray(0.42 + 0.68 * np.clip(facing, 0, 1.1), dtype=np.float32)[..., None]


def _skin(skin: Bgr, x: Gray, y: Gray, pose: Pose, rng: np.random.Generator) -> Colour:
    """Skin with redder knuckles and fingertips, and nails; shape (H, W, 3)."""
    tone = np.array(skin, np.float32)
    spots = rng.standard_normal((max(2, y.shape[0] // 12), max(2, y.shape[1] // 12)), dtype=np.float32)
    mottle = cv2.resize(spots, (y.shape[1], y.shape[0]), interpolation=cv2.INTER_CUBIC)
    flush = np.zeros(y.shape, np.float32)
    paint = np.broadcast_to(tone, (*y.shape, 3)) * (1 + 0.015 * mottle[..., None])
    nails = np.zeros(y.shape, np.float32)
    for x0, y0, _, x1, y1, _ in FINGERS[pose]:
        flush += np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 90) + 0.8 * np.exp(-((x - x1) ** 2 + (y - y1) ** 2) / 60)
    for x0, y0, _, x1, y1, r1 in FINGERS[pose][1::2]:
        length = float(np.hypot(x1 - x0, y1 - y0))
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        along, across = (x - x1) * ux + (y - y1) * uy, (y - y1) * ux - (x - x1) * uy
        inside = 1 - np.hypot((along - 0.5) / (0.78 * r1), across / (0.62 * r1))
        nails = np.maximum(nails, np.clip(4 * inside, 0, 1))
    reddened = paint * (1 - 0.10 * np.minimum(flush, 1)[..., None] * np.array((1.0, 0.9, 0.1), np.float32))
    nail = np.minimum(tone * (1.10, 1.06, 1.10) + 18, 255)
    return np.asarray(reddened + (nail - reddened) * (0.75 * nails)[..., None], dtype=np.float32)


def _folds(shape: tuple[int, ...], px_per_mm: float, rng: np.random.Generator) -> Gray:
    """Heights of a sleeve's folds, running across the arm; mm, shape (H, W)."""
    rows, columns = round(shape[0] / (28 * px_per_mm)), round(shape[1] / (75 * px_per_mm))
    coarse = rng.standard_normal((max(rows, 2), max(columns, 2)), dtype=np.float32)
    return np.asarray(cv2.resize(coarse * 6, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), dtype=np.float32)
