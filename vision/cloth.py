"""Draws the bare table under a lamp: its cloth or board, the rim, the floor beside it, and how the light falls."""

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.look import Look
from vision.rig import Rig

Gray = NDArray[np.floating[Any]]
Colour = NDArray[np.floating[Any]]

RIM_MM: Final = 30.0  # the wooden frame round the cloth, outside the table's measure
RIM_BGR: Final = (50, 76, 112)
PLANK_MM: Final = 150.0
CHECK_MM: Final = 15.0
DETAIL: Final = 1.25  # the table is drawn this much finer than the camera sees it
NEUTRAL_KELVIN: Final = 5500.0


def bare_table(rig: Rig, look: Look, rng: np.random.Generator) -> Colour:
    """The table and the floor as the camera sees them in even light, shape (H, W, 3), 0..255."""
    scale = rig.px_per_mm * DETAIL
    half_mm = rig.table_mm / 2 + RIM_MM
    weave = WEAVES[look.surface]
    drawn = _framed(weave(look, round(2 * half_mm * scale), scale, rng), look, scale, rng)
    x_mm, y_mm = _seen_mm(rig)
    columns, rows = ((mm + half_mm) * scale - 0.5 for mm in (x_mm, y_mm))
    table = cv2.remap(drawn, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside_px = (half_mm - np.maximum(np.abs(x_mm), np.abs(y_mm))) * np.float32(rig.px_per_mm)
    cover = np.clip(inside_px + 0.5, 0, 1)[..., None]
    floor = _floor(inside_px, look, rng)
    return np.asarray(floor + (table - floor) * cover, dtype=np.float32)


def light(rig: Rig, look: Look) -> Colour:
    """What each pixel is multiplied by, shape (H, W, 3): the lamp's place, its colour and the lens's dark corners."""
    x_mm, y_mm = _seen_mm(rig)
    lamp = np.radians(look.light_deg)
    lamp_x, lamp_y = (np.float32(0.35 * rig.table_mm * f(lamp)) for f in (np.cos, np.sin))
    far = ((x_mm - lamp_x) ** 2 + (y_mm - lamp_y) ** 2) / np.float32(rig.table_mm) ** 2
    fall = 1 / (1 + far)
    fall = (fall - fall.min()) / np.float32(max(float(np.ptp(fall)), 1e-9))
    warmth = np.clip((NEUTRAL_KELVIN - look.kelvin) / NEUTRAL_KELVIN, -0.5, 0.5)
    lamp_bgr = np.array((1 - 0.55 * warmth, 1 - 0.08 * warmth, 1 + 0.22 * warmth), np.float32) * look.brightness
    return np.asarray((1 - look.unevenness * (1 - fall))[..., None] * lamp_bgr, dtype=np.float32)


def _seen_mm(rig: Rig) -> tuple[Gray, Gray]:
    """The table's x and y in mm under each pixel, both of shape (H, W)."""
    step = 16  # the lens is smooth: known on a coarse grid, interpolated between
    columns, rows = np.arange(-step, rig.width_px + 2 * step, step), np.arange(-step, rig.height_px + 2 * step, step)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    coarse = rig.to_mm(grid).reshape(len(rows), len(columns), 2).astype(np.float32)
    x, y = np.meshgrid(np.arange(rig.width_px, dtype=np.float32), np.arange(rig.height_px, dtype=np.float32))
    seen = cv2.remap(coarse, x / step + 1, y / step + 1, cv2.INTER_LINEAR)
    return np.ascontiguousarray(seen[..., 0]), np.ascontiguousarray(seen[..., 1])


def _floor(inside_px: Gray, look: Look, rng: np.random.Generator) -> Colour:
    """The floor far below: plain, dark, darkest in the table's own shade."""
    shade = 1 - 0.45 * np.exp(np.minimum(inside_px, 0) / 60)
    tone = shade * (1 + 0.06 * clouds(inside_px.shape, 110, rng))
    return np.asarray(tone[..., None] * np.array(look.floor_bgr, np.float32), dtype=np.float32)


def _framed(drawn: Colour, look: Look, scale: float, rng: np.random.Generator) -> Colour:
    """The drawn surface with its rim: a wooden frame round felt, the cloth's or board's own edge otherwise."""
    side = len(drawn)
    place = np.arange(side, dtype=np.float32)
    to_edge = np.minimum(place, side - 1 - place) / np.float32(scale)
    edge_mm = np.minimum(to_edge[None, :], to_edge[:, None])
    if look.surface != "felt":
        return np.asarray(drawn * (1 - 0.35 * np.exp(-edge_mm / 2.5))[..., None], np.float32)
    along_rows = to_edge[:, None] < to_edge[None, :]
    grain = _grain(side, scale, rng)
    rounded = 0.75 + 0.35 * np.sin(np.clip(edge_mm / RIM_MM, 0, 1) * np.float32(np.pi))
    frame = (rounded * (1 + 0.10 * np.where(along_rows, grain, grain.T)))[..., None] * np.array(RIM_BGR, np.float32)
    depth_mm = edge_mm - np.float32(RIM_MM)
    cover = np.clip(depth_mm * np.float32(scale) + 0.5, 0, 1)[..., None]
    seam = (1 - 0.35 * np.exp(-np.maximum(depth_mm, 0) / 3))[..., None]
    return np.asarray(frame + (drawn * seam - frame) * cover, dtype=np.float32)


def _felt(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """Wool cloth: fine grain, faint clouds where hands have brushed it, a few light fibres."""
    tone = 1 + 0.055 * clouds((side, side), 0.8 * scale, rng) + 0.03 * clouds((side, side), 3 * scale, rng)
    tone += 0.035 * clouds((side, side), 100 * scale, rng)
    lint = np.zeros((side, side), np.float32)
    for x, y, turn in zip(*rng.uniform(0, side, (2, 60)), rng.uniform(0, np.pi, 60), strict=True):
        end = (int(x + 4.5 * scale * np.cos(turn)), int(y + 4.5 * scale * np.sin(turn)))
        cv2.line(lint, (int(x), int(y)), end, 0.10, 1, cv2.LINE_AA)
    return np.asarray((tone + lint)[..., None] * np.array(look.table_bgr, np.float32), dtype=np.float32)


def _wood(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """A board of planks: long streaks along the grain, each plank of its own tone, dark joints."""
    rows = np.arange(side)
    plank = (rows / (PLANK_MM * scale)).astype(int)
    tones = rng.normal(0, 0.06, plank[-1] + 1).astype(np.float32)[plank][:, None]
    bend = clouds((side, side), 160 * scale, rng) * np.float32(6 * scale)
    x, y = np.meshgrid(np.arange(side, dtype=np.float32), rows.astype(np.float32))
    streaks = np.zeros((side, side), np.float32)
    for strength, length_mm, width_mm in ((0.07, 15, 0.7), (0.09, 25, 2.5)):
        squeezed = length_mm * scale
        straight = clouds((side, max(2, round(side / squeezed))), max(width_mm * scale, 1.0), rng)
        streaks += strength * cv2.remap(
            straight, x / np.float32(squeezed), y + bend, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
    joint = 1 - 0.45 * (np.diff(plank, append=plank[-1]) > 0).astype(np.float32)[:, None]
    tone = (1 + tones + streaks) * cv2.blur(np.repeat(joint, side, axis=1), (1, 3))
    return np.asarray(tone[..., None] * np.array(look.table_bgr, np.float32), dtype=np.float32)


def _oilcloth(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """A smooth cloth with a woven check, two tones crossing."""
    cell = (np.arange(side) / (CHECK_MM * scale)).astype(int) % 2
    check = 1 - 0.10 * (cell[None, :] + cell[:, None]).astype(np.float32)
    check = cv2.GaussianBlur(check, (0, 0), 0.8 * scale)
    tone = check * (1 + 0.02 * clouds((side, side), 40 * scale, rng) + 0.012 * clouds((side, side), scale, rng))
    return np.asarray(tone[..., None] * np.array(look.table_bgr, np.float32), dtype=np.float32)


def _plaid(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """A cloth of crossing stripes of two colours, each of a width of its own."""
    pitch_mm, share = float(rng.uniform(8, 90)), float(rng.uniform(0.2, 0.7))
    stripe = ((np.arange(side) / (pitch_mm * scale)) % 1 < share).astype(np.float32)
    cross: Gray = (stripe[None, :] + stripe[:, None]) / 2 * float(rng.uniform(0.3, 1))
    cross = np.asarray(cv2.GaussianBlur(cross, (0, 0), max(0.4 * scale, 0.3)), np.float32)
    tone = 1 + 0.05 * clouds((side, side), 0.8 * scale, rng)
    first, second = (np.array(colour, np.float32) for colour in (look.table_bgr, look.second_bgr))
    return np.asarray((first + (second - first) * cross[..., None]) * tone[..., None], dtype=np.float32)


def _stone(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """Stone or a worn laminate: clouds of every size between two colours, sharp veins where they cross zero."""
    total = np.zeros((side, side), np.float32)
    for spot_mm, weight in ((80, 1.0), (25, 0.6), (8, 0.4), (2.5, 0.3), (0.9, 0.25)):
        total += weight * clouds((side, side), spot_mm * scale, rng)
    veins = np.exp(-((total / 0.12) ** 2)) * float(rng.uniform(0, 0.7))
    mix = np.clip(0.5 + total * float(rng.uniform(0.05, 0.5)), 0, 1) * (1 - veins)
    first, second = (np.array(colour, np.float32) for colour in (look.table_bgr, look.second_bgr))
    return np.asarray(first + (second - first) * mix[..., None], dtype=np.float32)


def _print(look: Look, side: int, scale: float, rng: np.random.Generator) -> Colour:
    """A printed cloth or game board: rules, rings, stars, dots and letters, strewn or in rows."""
    canvas = np.empty((side, side, 3), np.uint8)
    canvas[:] = look.table_bgr
    size_px, pitch_px = float(rng.uniform(4, 26)) * scale, float(rng.uniform(20, 70)) * scale
    colours = [look.second_bgr, tuple(int(v) for v in rng.integers(10, 245, 3)), (20, 20, 20), (235, 235, 235)]
    colours = colours[: int(rng.integers(1, 5))]
    if rng.random() < 0.5:
        for at in np.arange(0, side, pitch_px):
            width = max(1, round(float(rng.uniform(0.3, 1.2)) * scale))
            cv2.line(canvas, (int(at), 0), (int(at), side), colours[0], width, cv2.LINE_AA)
            cv2.line(canvas, (0, int(at)), (side, int(at)), colours[0], width, cv2.LINE_AA)
    kinds = rng.permutation(6)[: int(rng.integers(1, 4))]
    strewn = rng.random() < 0.4
    for y in np.arange(pitch_px / 2, side, pitch_px):
        for x in np.arange(pitch_px / 2, side, pitch_px):
            if rng.random() < 0.4:
                continue
            px, py = rng.uniform(0, side, 2) if strewn else (x, y)
            _sign(
                canvas,
                int(kinds[rng.integers(len(kinds))]),
                (px, py),
                size_px,
                colours[rng.integers(len(colours))],
                rng,
            )
    tone = 1 + 0.04 * clouds((side, side), 0.8 * scale, rng)
    return np.asarray(canvas * tone[..., None], dtype=np.float32)


def _sign(
    canvas: NDArray[np.uint8], kind: int, at: tuple[float, float], size_px: float, colour: Any, rng: np.random.Generator
) -> None:
    """One printed sign, in place: a disc, a ring, a star, a rectangle, letters or a word in boxes."""
    x, y, radius = round(at[0]), round(at[1]), max(1, round(size_px / 2))
    if kind == 0:
        cv2.circle(canvas, (x, y), max(1, radius // 2), colour, -1, cv2.LINE_AA)
    elif kind == 1:
        cv2.circle(canvas, (x, y), radius, colour, max(1, radius // 4), cv2.LINE_AA)
    elif kind == 2:
        turns = np.arange(8) * np.pi / 4
        reach = np.where(np.arange(8) % 2, 0.35, 1.0) * size_px
        star = np.stack((x + reach * np.cos(turns), y + reach * np.sin(turns)), axis=1)
        cv2.fillPoly(canvas, [np.round(star).astype(np.int32)], colour, cv2.LINE_AA)
    elif kind == 3:
        thickness = -1 if rng.random() < 0.5 else max(1, radius // 6)
        cv2.rectangle(canvas, (x - radius, y - radius // 2), (x + radius, y + radius // 2), colour, thickness)
    else:
        letters = "".join(chr(int(c)) for c in rng.integers(48, 123, int(rng.integers(1, 7))))
        font, weight = int(rng.integers(8)), max(1, round(radius * float(rng.uniform(0.1, 0.35))))
        if kind == 4:
            cv2.putText(canvas, letters, (x, y), font, size_px / 22, colour, weight, cv2.LINE_AA)
            return
        # A word of which each letter stands on a ground of its own, as on a game's board.
        pitch = max(3, round(0.95 * size_px))
        grounds, ink = ((200, 250), (25, 25, 25)) if rng.random() < 0.75 else ((10, 90), (235, 235, 235))
        for number, letter in enumerate(letters):
            left = x + pitch * number
            ground = tuple(int(v) for v in rng.integers(*grounds, 3))
            cv2.rectangle(canvas, (left, y - round(size_px)), (left + pitch - 2, y + radius // 2), ground, -1)
            cv2.putText(canvas, letter, (left, y), font, size_px / 22, ink, weight, cv2.LINE_AA)


WEAVES: Final = {
    "felt": _felt,
    "wood": _wood,
    "oilcloth": _oilcloth,
    "plaid": _plaid,
    "stone": _stone,
    "print": _print,
}


def _grain(side: int, scale: float, rng: np.random.Generator) -> Gray:
    """Fine streaks running along the rows, of standard deviation about 1; shape (side, side)."""
    coarse = clouds((side, max(2, round(side / (40 * scale)))), 1.6 * scale, rng)
    return np.asarray(cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def clouds(shape: tuple[int, ...], spot_px: float, rng: np.random.Generator) -> Gray:
    """Smooth noise of standard deviation about 1, with spots of about this size; shape (H, W)."""
    height, width = shape[0], shape[1]
    coarse = (max(2, round(height / max(spot_px, 1))), max(2, round(width / max(spot_px, 1))))
    noise = rng.standard_normal(coarse, dtype=np.float32)
    return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC) * 1.2, dtype=np.float32)
