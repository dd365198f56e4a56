"""Draws one domino as the camera sees it, a small patch of picture: side walls, bevel, pips, dividing line and pin.

Everything is drawn some times larger and averaged down, so that a domino of 40 pixels looks as it does in a photograph.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import homography
from vision.layout import DOMINO_LENGTH_MM, DOMINO_WIDTH_MM, Lying
from vision.look import Look
from vision.rig import Rig

Gray = NDArray[np.floating[Any]]
Colour = NDArray[np.floating[Any]]
Points = NDArray[np.float64]

SUPER: Final = 4  # drawn this many times larger, then averaged
SHIFT: Final = 6  # fractional bits of OpenCV's polygon corners

# Places of the pips in a half, in units of the spacing; the first number runs along the domino.
PIPS: Final[tuple[tuple[tuple[int, int], ...], ...]] = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
)


@dataclass(frozen=True, slots=True)
class Patch:
    """A piece of picture with its place in the frame; it may reach over the frame's border."""

    x_px: int
    y_px: int
    bgr: Colour  # (H, W, 3), 0..255, already multiplied by alpha
    alpha: Gray  # (H, W, 1), 0..1


def outline_mm(lying: Lying, corner_mm: float, height_mm: float) -> Points:
    """A domino's rounded outline at a height, shape (N, 3), clockwise as seen."""
    turn = np.radians(lying.angle_deg)
    along, across = np.array((np.cos(turn), np.sin(turn))), np.array((-np.sin(turn), np.cos(turn)))
    arc = np.radians(np.linspace(0, 90, 6))
    u_mm, v_mm = DOMINO_LENGTH_MM / 2 - corner_mm, DOMINO_WIDTH_MM / 2 - corner_mm
    rim = [
        (su * u_mm + corner_mm * np.cos(arc + start), sv * v_mm + corner_mm * np.sin(arc + start))
        for su, sv, start in ((1, 1, 0.0), (-1, 1, np.pi / 2), (-1, -1, np.pi), (1, -1, 3 * np.pi / 2))
    ]
    u, v = np.hstack(rim)
    plane = np.outer(u, along) + np.outer(v, across) + (lying.x_mm, lying.y_mm)
    return np.column_stack((plane, np.full(len(plane), height_mm)))


def face_corners_px(lying: Lying, rig: Rig, look: Look, *, lift_mm: float = 0.0) -> Points:
    """Where the face's four corners come out in the picture, shape (4, 2), as if they were not rounded."""
    corners = lying.corners_mm()
    return rig.to_px(np.column_stack((corners, np.full(4, look.thickness_mm + lift_mm))))


def domino_patch(lying: Lying, rig: Rig, look: Look, rng: np.random.Generator, *, lift_mm: float = 0.0) -> Patch:
    """The domino as seen by the camera, before the room's uneven light and the lens's blur."""
    top = rig.to_px(outline_mm(lying, look.corner_mm, look.thickness_mm + lift_mm))
    base = rig.to_px(outline_mm(lying, look.corner_mm, lift_mm))
    both = np.vstack((top, base))
    x0, y0 = (int(v) for v in np.floor(both.min(axis=0)) - 1)
    width, height = (int(v) for v in np.ceil(both.max(axis=0)) + 2 - (x0, y0))
    size = (width * SUPER, height * SUPER)

    def fine(points_px: Points) -> Points:
        return np.asarray((points_px - (x0, y0)) * SUPER + (SUPER - 1) / 2)

    body = _side_walls(fine(top), fine(base), look, size)
    face = _face(lying, look, rng, rig.px_per_mm * SUPER)
    grid = np.array(((0, 0), (face.shape[1], 0), (face.shape[1], face.shape[0]), (0, face.shape[0]))) - 0.5
    corners = fine(face_corners_px(lying, rig, look, lift_mm=lift_mm))[[1, 2, 3, 0]]
    warped = cv2.warpPerspective(face, homography(grid, corners), size, borderMode=cv2.BORDER_REPLICATE)
    on_face = _filled(fine(top), size)[..., None]
    covered = _filled(cv2.convexHull(fine(both).astype(np.float32))[:, 0].astype(np.float64), size)[..., None]
    bgr = (body + (warped - body) * on_face) * covered
    small = cv2.resize(np.dstack((bgr, covered)), (width, height), interpolation=cv2.INTER_AREA)
    return Patch(x0, y0, small[..., :3].astype(np.float32), small[..., 3:].astype(np.float32))


def _side_walls(top: Points, base: Points, look: Look, size: tuple[int, int]) -> Colour:
    """The walls between two outlines, each as bright as it faces the lamp; shape (H, W, 3)."""
    lamp = np.array((np.cos(np.radians(look.light_deg)), np.sin(np.radians(look.light_deg))))
    colour = look.body_bgr if look.base_bgr is None else look.base_bgr
    canvas = np.full((size[1], size[0], 3), np.multiply(colour, 0.5), np.float32)
    for i in range(len(top)):
        j = (i + 1) % len(top)
        edge = top[j] - top[i]
        outwards = np.array((edge[1], -edge[0])) / max(float(np.hypot(*edge)), 1e-9)
        shade = 0.6 + 0.25 * float(outwards @ lamp)
        wall = np.round(np.array((top[i], top[j], base[j], base[i])) * 2**SHIFT).astype(np.int32)
        cv2.fillConvexPoly(canvas, wall, tuple(c * shade for c in colour), cv2.LINE_8, SHIFT)
    return canvas


def _face(lying: Lying, look: Look, rng: np.random.Generator, px_per_mm: float) -> Colour:
    """A face straight from above, half a to the left, shape (H, W, 3)."""
    width, height = round(DOMINO_LENGTH_MM * px_per_mm), round(DOMINO_WIDTH_MM * px_per_mm)
    u = ((np.arange(width, dtype=np.float32) + 0.5) / width - 0.5)[None, :] * DOMINO_LENGTH_MM
    v = ((np.arange(height, dtype=np.float32) + 0.5) / height - 0.5)[:, None] * DOMINO_WIDTH_MM
    lamp_deg = np.radians(look.light_deg - lying.angle_deg)
    lamp_u, lamp_v = float(np.cos(lamp_deg)), float(np.sin(lamp_deg))
    face: Colour = _body(u, v, look, rng) * _bevel(u, v, look, lamp_u, lamp_v)
    if look.divider_mm:
        line = _inside(look.divider_mm / 2 - np.abs(u), px_per_mm) * _inside(
            look.divider_reach_mm - np.abs(v), px_per_mm
        )
        face = _painted(face, line * (1 - look.wear * float(rng.random())), np.array(look.divider_bgr, np.float32))
    if look.pin_bgr is not None:
        gleam = 1 + 0.35 * (u * lamp_u + v * lamp_v)[..., None] / look.pin_mm
        face = _painted(
            face, _inside(look.pin_mm - np.hypot(u, v), px_per_mm), np.array(look.pin_bgr, np.float32) * gleam
        )
    for side, suit in ((-1, lying.a), (1, lying.b)):
        for along, across in PIPS[suit]:
            du = u - side * DOMINO_LENGTH_MM / 4 - along * look.pip_spacing_mm + side * look.pip_shift_mm
            dv = v - across * look.pip_spacing_mm
            paint = np.array(look.pip_bgr(suit), np.float32)
            lit = (-(du * lamp_u + dv * lamp_v) / look.pip_mm)[..., None]  # a hollow's far wall catches the light
            hollow = paint * (1 + 0.3 * lit) + 22 * np.clip(lit, 0, 1) if look.drilled else paint
            left = 1 - look.wear * float(rng.random())
            face = _painted(face, left * _inside(look.pip_mm - np.hypot(du, dv), px_per_mm), hollow)
    return np.asarray(np.clip(face, 0, 255), dtype=np.float32)


def _body(u: Gray, v: Gray, look: Look, rng: np.random.Generator) -> Colour:
    """The bare body with a faint grain along the domino, shape (H, W, 3)."""
    height, width = v.shape[0], u.shape[1]
    grain = cv2.resize(rng.normal(0, 1, (12, 4)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    tone = 1 + look.grain * grain + float(rng.normal(0, 0.012))
    return np.asarray(tone[..., None] * np.array(look.body_bgr, np.float32), dtype=np.float32)


def _bevel(u: Gray, v: Gray, look: Look, lamp_u: float, lamp_v: float) -> Gray:
    """How the rounded edge takes the light: brighter towards the lamp, darker away from it; shape (H, W, 1)."""
    r = look.corner_mm
    out_u = np.maximum(np.abs(u) - (DOMINO_LENGTH_MM / 2 - look.bevel_mm - r), 0) * np.sign(u)
    out_v = np.maximum(np.abs(v) - (DOMINO_WIDTH_MM / 2 - look.bevel_mm - r), 0) * np.sign(v)
    distance = np.hypot(out_u, out_v) + 1e-6
    slope = np.clip((distance - r) / look.bevel_mm, 0, 1) ** 1.5
    facing = (out_u * lamp_u + out_v * lamp_v) / distance
    return np.asarray(1 + look.bevel_light * slope * (0.22 * facing - 0.16), dtype=np.float32)[..., None]


def _inside(depth_mm: Gray, px_per_mm: float) -> Gray:
    """Coverage of pixels by a shape, from the depth inside it in mm (negative outside): one pixel of soft edge."""
    return np.asarray(np.clip(depth_mm * px_per_mm + 0.5, 0, 1), dtype=np.float32)


def _painted(face: Colour, cover: Gray, paint: Colour) -> Colour:
    return np.asarray(face + (paint - face) * cover[..., None], dtype=np.float32)


def _filled(outline_px: Points, size: tuple[int, int]) -> Gray:
    """A filled polygon's coverage, shape (H, W), 0..1."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(outline_px * 2**SHIFT).astype(np.int32)], 255, cv2.LINE_AA, SHIFT)
    return mask.astype(np.float32) / 255
