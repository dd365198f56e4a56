"""Draws the table as a camera would see it, dominoes, arms, light and noise, and says where each domino came out.

What is drawn is known exactly, so the pictures serve the demonstration and the tests of the reader alike. Nothing here
reads a picture or knows a rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arm import ARM_MM, LEFT_MM, TOP_MM, WIDTH_MM, ArmPicture, Pose, draw_arm
from vision.cloth import bare_table, light
from vision.cut import halves_of
from vision.face import Patch, domino_patch, face_corners_px, outline_mm
from vision.geometry import Corners, homography, project, quad_of
from vision.layout import Lying as Lying
from vision.look import Look as Look
from vision.rig import Rig as Rig
from vision.things import Sheet

Bgr8 = NDArray[np.uint8]
Gray = NDArray[np.floating[Any]]
Colour = NDArray[np.floating[Any]]
Points = NDArray[np.float64]

HELD_MM: Final = 14.0  # a domino under the fingertips is this far above the table
FINGERS_MM: Final = 16.0  # heights of the arm along its length: at the fingertips
ELBOW_MM: Final = 75.0  # and this far down the arm:
ELBOW_AT_MM: Final = 600.0
SHOULDER_MM: Final = (140.0, 320.0)  # to the player's right of his seat's middle, and behind the table's edge
ARM_DETAIL: Final = 1.4  # an arm is drawn this much finer than shown
NOISE_SPARE_PX: Final = 64  # the noise of each frame is another window of a field larger by this
ARM_SPREAD_MM: Final = 12.0  # how soft the shadow of an arm is
SHADOW_STEP: Final = 4  # an arm's shadow is soft: computed on every fourth pixel


@dataclass(frozen=True, slots=True)
class Reaching:
    """An arm over the table: whose, where its fingertips are, and the domino under them."""

    seat: int
    x_mm: float
    y_mm: float
    holding: Lying | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Something that is no domino's face and lies on the table, or on the dominoes."""

    sheet: Sheet
    x_mm: float
    y_mm: float
    angle_deg: float
    height_mm: float = 2.0


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture and the truth about it."""

    bgr: Bgr8
    """Shape (H, W, 3), uint8; nobody else holds it."""
    corners: tuple[Corners, ...]
    """For each lying domino the corners of its face in pixels, 0 and 1 at a's end, going round; lens included."""
    cover: NDArray[np.uint8]
    """How much arms and things hide of each pixel, shape (H, W), 0..255."""

    def seen(self) -> tuple[tuple[float, float], ...]:
        """For each domino the shares of its halves, a first, that are in the picture and not under anything.

        One domino over another is not looked for: they lie side by side.
        """
        halves = (halves_of(np.array(corners)) for corners in self.corners)
        return tuple((_open_share(self.cover, a), _open_share(self.cover, b)) for a, b in halves)


def render(
    dominoes: Sequence[Lying],
    *,
    rig: Rig,
    look: Look,
    rng: np.random.Generator,
    arms: Sequence[Reaching] = (),
    things: Sequence[Placed] = (),
) -> Picture:
    """One picture; for a film of one table keep a `Backdrop`, its later frames cost a fraction of the first."""
    backdrop = Backdrop(rig, look, rng)
    backdrop.lay(dominoes)
    return backdrop.picture(arms, things)


class Backdrop:
    """One table under one camera, drawn once; then dominoes are laid on it and frames taken.

        >>> backdrop = Backdrop(Rig(width_px=320, height_px=240), Look(), np.random.default_rng(1))
        >>> backdrop.lay([Lying(6, 4, 0, 0, 0)])
        >>> picture = backdrop.picture([Reaching(0, 0, 100)])
        >>> (picture.bgr.shape, len(picture.corners))
        ((240, 320, 3), 1)

    The same generator and the same calls give the same pictures, byte for byte.
    """

    def __init__(self, rig: Rig, look: Look, rng: np.random.Generator) -> None:
        self.rig = rig
        self.look = look
        self._rng = rng
        self._seed = int(rng.integers(2**31))  # each domino keeps its own grain, whenever it is laid
        self._light = light(rig, look)
        self._table = bare_table(rig, look, rng)
        size = (rig.height_px + NOISE_SPARE_PX, rig.width_px + NOISE_SPARE_PX, 3)
        self._noise = np.clip(np.round(rng.normal(0, look.noise, size)), -127, 127).astype(np.int8)
        self._patches: dict[Lying, Patch] = {}
        self._arms: dict[tuple[int, Pose], ArmPicture] = {}
        self.lay(())

    def lay(self, dominoes: Sequence[Lying]) -> None:
        """Clear the table and lay these dominoes, the last ones on top."""
        scene = self._table * (1 - self.look.shadow * _shadows(dominoes, self.rig, self.look))[..., None]
        for lying in dominoes:
            _paste(scene, self._patch(lying))
        seen = cv2.GaussianBlur(scene * self._light, (0, 0), max(self.look.blur_px, 0.1))
        self._still: Bgr8 = np.clip(np.round(seen), 0, 255).astype(np.uint8)
        self._corners = tuple(quad_of(face_corners_px(lying, self.rig, self.look)) for lying in dominoes)

    def picture(self, arms: Sequence[Reaching] = (), things: Sequence[Placed] = ()) -> Picture:
        """The next frame: the dominoes laid, things and then arms over them, and noise of its own."""
        frame = self._still.copy()
        cover = np.zeros(frame.shape[:2], np.uint8)
        for thing in things:
            self._put(frame, cover, thing)
        for arm in arms:
            self._reach(frame, cover, arm)
        top, left = (int(v) for v in self._rng.integers(NOISE_SPARE_PX, size=2))
        noise = self._noise[top : top + self.rig.height_px, left : left + self.rig.width_px]
        noisy = cv2.add(frame, noise, dtype=cv2.CV_8U)
        if self.look.jpeg_quality is not None:
            noisy = _through_jpeg(noisy.astype(np.uint8, copy=False), self.look.jpeg_quality)
        return Picture(noisy.astype(np.uint8, copy=False), self._corners, cover)

    def _patch(self, lying: Lying) -> Patch:
        if lying not in self._patches:
            own = np.random.default_rng((self._seed, lying.a, lying.b))
            self._patches[lying] = domino_patch(lying, self.rig, self.look, own)
        return self._patches[lying]

    def _put(self, frame: Bgr8, cover: NDArray[np.uint8], thing: Placed) -> None:
        """Paint a thing and its shadow into a frame."""
        sheet = thing.sheet
        height, width = (n / sheet.scale for n in sheet.cover.shape)
        turn = np.radians(thing.angle_deg)
        spin = np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
        flat = np.array(((-width, -height), (width, -height), (width, height), (-width, height))) / 2 @ spin
        corners = np.column_stack((flat + np.array((thing.x_mm, thing.y_mm)), np.full(4, thing.height_mm)))
        drawn = ArmPicture(
            np.round(np.dstack((np.clip(sheet.bgr, 0, 255) * sheet.cover[..., None], sheet.cover * 255))).astype(
                np.uint8
            ),
            np.round(sheet.cover * 255).astype(np.uint8),
        )
        lean = np.radians(self.look.light_deg)
        away = -self.look.slant * thing.height_mm * np.array((np.cos(lean), np.sin(lean), 0.0))
        shade = self._onto(drawn, corners * (1, 1, 0) + away)
        _darken(frame, drawn, shade, self.look, self.rig.px_per_mm, spread_mm=1.0 + thing.height_mm / 8)
        _overlay(frame, cover, drawn, self._onto(drawn, corners), self._light)

    def _reach(self, frame: Bgr8, cover: NDArray[np.uint8], arm: Reaching) -> None:
        """Paint an arm, its shadow and what it holds into a frame."""
        picture = self._arm(arm.seat, "open" if arm.holding is None else "holding")
        placed = _arm_in_table(arm, self.rig.table_mm)
        lean = np.radians(self.look.light_deg)
        away = -self.look.slant * np.array((np.cos(lean), np.sin(lean), 0.0))
        flat = placed * (1, 1, 0)
        _darken(frame, picture, self._onto(picture, flat + placed[:, 2:] * away), self.look, self.rig.px_per_mm)
        if arm.holding is not None:
            own = np.random.default_rng((self._seed, arm.holding.a, arm.holding.b))
            held = domino_patch(arm.holding, self.rig, self.look, own, lift_mm=HELD_MM)
            _paste(frame, held, self._light)
        _overlay(frame, cover, picture, self._onto(picture, placed), self._light)

    def _arm(self, seat: int, pose: Pose) -> ArmPicture:
        if (seat, pose) not in self._arms:
            lamp = np.radians(self.look.light_deg - 90.0 * seat)
            self._arms[seat, pose] = draw_arm(
                pose,
                skin=self.look.skins_bgr[seat],
                sleeve=self.look.sleeves_bgr[seat],
                lamp=(float(np.cos(lamp)), float(np.sin(lamp))),
                px_per_mm=self.rig.px_per_mm * ARM_DETAIL,
                rng=np.random.default_rng((self._seed, seat)),
            )
        return self._arms[seat, pose]

    def _onto(self, picture: ArmPicture, placed_mm: Points) -> Points:
        """The homography from an arm's picture to the frame, the arm's four corners lying at these places."""
        height, width = picture.bgra.shape[:2]
        grid = np.array(((0, 0), (width, 0), (width, height), (0, height))) - 0.5
        return homography(grid, self.rig.to_px(placed_mm))


def _arm_in_table(arm: Reaching, table_mm: float) -> Points:
    """The corners of an arm's picture in table millimetres with heights, shape (4, 3), clockwise from the top left."""
    seat = np.radians(90.0 * arm.seat)
    right, out = np.array((np.cos(seat), np.sin(seat))), np.array((-np.sin(seat), np.cos(seat)))
    tips = np.array((arm.x_mm, arm.y_mm))
    shoulder = right * SHOULDER_MM[0] + out * (table_mm / 2 + SHOULDER_MM[1])
    down = (shoulder - tips) / np.hypot(*(shoulder - tips))
    across = np.array((down[1], -down[0]))
    left_mm, right_mm = -LEFT_MM, WIDTH_MM - LEFT_MM
    corners = []
    for x_mm, y_mm in ((left_mm, -TOP_MM), (right_mm, -TOP_MM), (right_mm, ARM_MM), (left_mm, ARM_MM)):
        height_mm = FINGERS_MM + (ELBOW_MM - FINGERS_MM) * y_mm / ELBOW_AT_MM
        corners.append((*(tips + across * x_mm + down * y_mm), height_mm))
    return np.array(corners)


def _shadows(dominoes: Sequence[Lying], rig: Rig, look: Look) -> Gray:
    """How much of the lamp's light the dominoes take from the table, shape (H, W), 0..1."""
    cast = np.zeros((rig.height_px, rig.width_px), np.uint8)
    contact = cast.copy()
    lean = np.radians(look.light_deg)
    away = -look.slant * look.thickness_mm * np.array((np.cos(lean), np.sin(lean), 0.0))
    for lying in dominoes:
        base = outline_mm(lying, look.corner_mm, 0.0)
        for mask, points in ((cast, np.vstack((base, base + away))), (contact, base)):
            hull = cv2.convexHull(rig.to_px(points).astype(np.float32))
            cv2.fillPoly(mask, [np.round(hull * 64).astype(np.int32)], 255, cv2.LINE_AA, 6)
    soft = cv2.GaussianBlur(cast, (0, 0), max(look.softness_mm * rig.px_per_mm / 2, 0.5))
    near = cv2.GaussianBlur(contact, (0, 0), max(1.6 * rig.px_per_mm, 0.5))
    return np.maximum(soft, (near * 0.8).astype(np.uint8)).astype(np.float32) / 255


def _paste(scene: NDArray[np.float32] | Bgr8, patch: Patch, lamp: Colour | None = None) -> None:
    """Lay a patch over a scene, in place; what reaches over the border is cut off."""
    height, width = patch.alpha.shape[:2]
    rows = slice(max(patch.y_px, 0), max(min(patch.y_px + height, scene.shape[0]), 0))
    columns = slice(max(patch.x_px, 0), max(min(patch.x_px + width, scene.shape[1]), 0))
    inner = (
        slice(rows.start - patch.y_px, rows.stop - patch.y_px),
        slice(columns.start - patch.x_px, columns.stop - patch.x_px),
    )
    if rows.stop <= rows.start or columns.stop <= columns.start:
        return
    colour = patch.bgr[inner] if lamp is None else patch.bgr[inner] * lamp[rows, columns]
    mixed = scene[rows, columns] * (1 - patch.alpha[inner]) + colour
    scene[rows, columns] = np.clip(mixed, 0, 255)


def _darken(
    frame: Bgr8, arm: ArmPicture, onto: Points, look: Look, px_per_mm: float, *, spread_mm: float = ARM_SPREAD_MM
) -> None:
    """Take from a frame, in place, the light that an arm or a thing keeps from it."""
    spread_px = spread_mm * px_per_mm
    window = _window(frame, arm, onto, margin_px=3 * spread_px)
    if window is None:
        return
    rows, columns = window
    size = (columns.stop - columns.start, rows.stop - rows.start)
    coarse = (-(-size[0] // SHADOW_STEP), -(-size[1] // SHADOW_STEP))
    shift = np.array(((1, 0, -columns.start), (0, 1, -rows.start), (0, 0, SHADOW_STEP))) / SHADOW_STEP
    mask = cv2.warpPerspective(arm.alpha, shift @ onto, coarse)
    soft = cv2.resize(cv2.GaussianBlur(mask, (0, 0), max(spread_px / SHADOW_STEP, 0.8)), size)
    left = cv2.convertScaleAbs(soft, alpha=-look.shadow, beta=255.0)
    frame[rows, columns] = cv2.multiply(frame[rows, columns], cv2.merge((left, left, left)), scale=1 / 255)


def _overlay(frame: Bgr8, cover: NDArray[np.uint8], arm: ArmPicture, onto: Points, lamp: Colour) -> None:
    """Lay an arm or a thing over a frame, in place, and note what it hides."""
    window = _window(frame, arm, onto, margin_px=1)
    if window is None:
        return
    rows, columns = window
    shift = np.array(((1, 0, -columns.start), (0, 1, -rows.start), (0, 0, 1.0)))
    size = (columns.stop - columns.start, rows.stop - rows.start)
    seen = cv2.warpPerspective(arm.bgra, shift @ onto, size)
    bare = cv2.bitwise_not(seen[..., 3])
    lit = cv2.multiply(seen[..., :3], lamp[rows, columns], dtype=cv2.CV_8U)
    under = cv2.multiply(frame[rows, columns], cv2.merge((bare, bare, bare)), scale=1 / 255)
    frame[rows, columns] = cv2.add(under, lit)
    np.maximum(cover[rows, columns], seen[..., 3], out=cover[rows, columns])


def _open_share(cover: NDArray[np.uint8], quad: Points) -> float:
    """The share of a quad that is in the picture and not covered."""
    left, top = (int(v) for v in np.floor(quad.min(axis=0)))
    right, bottom = (int(v) + 1 for v in np.ceil(quad.max(axis=0)))
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad - (left, top)).astype(np.int32), 1)
    rows, columns = slice(max(top, 0), max(bottom, 0)), slice(max(left, 0), max(right, 0))
    window = cover[rows, columns]
    part = mask[rows.start - top :, columns.start - left :][: window.shape[0], : window.shape[1]]
    return float(((window < 128) & (part > 0)).sum() / max(1, int(mask.sum())))


def _window(frame: Bgr8, arm: ArmPicture, onto: Points, *, margin_px: float) -> tuple[slice, slice] | None:
    """The rows and columns of a frame that an arm's picture can reach; None when it lies outside."""
    height, width = arm.bgra.shape[:2]
    corners = project(onto, ((0, 0), (width, 0), (width, height), (0, height)))
    low = np.maximum(np.floor(corners.min(axis=0) - margin_px), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0) + margin_px) + 1, frame.shape[1::-1]).astype(int)
    if (high <= low).any():
        return None
    return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))


def _through_jpeg(bgr: Bgr8, quality: int) -> NDArray[Any]:
    packed = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, quality))[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))
