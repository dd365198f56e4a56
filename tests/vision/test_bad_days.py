"""The watcher on bad days: what lamps, cameras, people and paper do to a table without a move being made."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.film import LINE, RIG, STEP_NS, TABLE, Film, both_ways, names, readings, tiles, watched
from vision.frame import Frame
from vision.geometry import Table
from vision.look import Look
from vision.reading import Reading
from vision.render import Backdrop, Placed, Reaching
from vision.rig import Rig
from vision.things import scoresheet
from vision.watch import Settled, Watcher

GAME = ["Settled", "HandIn", "HandOut", "Settled", "HandIn", "HandOut", "Settled"]


def two_moves() -> Film:
    """A film of two dominoes laid by neighbours."""
    return Film().still().play(1).play(2, seat=1)


@pytest.mark.parametrize("reach", [0.2, 0.35])
def test_two_moves_are_seen_under_a_swinging_lamp(reach: float) -> None:
    """A pool of light that wanders over the table for the whole game, two seconds to and fro, is not a move."""
    film = two_moves()
    y, x = np.mgrid[: RIG.height_px, : RIG.width_px]
    lit = []
    for number, bgr in enumerate(film.frames):
        centre = 320 + 220 * np.sin(number * STEP_NS / 1e9 * np.pi)
        pool = 1 - reach + reach * np.exp(-(((x - centre) / 300) ** 2 + ((y - 240) / 300) ** 2))
        lit.append((bgr * pool[..., None]).astype(np.uint8))
    assert names(both_ways(lit)) == GAME


def test_shadows_that_swing_with_the_lamp_are_read_as_no_move() -> None:
    """The dominoes' shadows wander as the lamp swings: what is read then is the same five dominoes."""
    rig = Rig(960, 720)
    film = Film(rig=rig).lay(5).still(5)
    for swing_deg in (25.0, -25.0):
        look = replace(film.backdrop.look, light_deg=film.backdrop.look.light_deg + swing_deg, slant=0.9)
        swung = Film(look, rig).lay(5).still(5)
        film.frames += swung.frames
        film.arm_in += swung.arm_in
    seen = [tiles(reading) for reading in readings(film, rig.table())]
    assert len(seen) > 1
    assert seen == len(seen) * [sorted(tuple(sorted(tile)) for tile in LINE)]


def test_each_frame_twice_is_the_same_game() -> None:
    """A driver that gives each picture twice, with one stamp or with two, changes nothing."""
    film = two_moves()
    stamped_once = [(n, bgr) for n, bgr in enumerate(film.frames) for _ in range(2)]
    watcher = Watcher(read=lambda _: Reading(), table=TABLE)
    sights = [(n, sight) for n, bgr in stamped_once for sight in watcher.see(Frame(bgr, n * STEP_NS, n))]
    assert names(sights) == GAME
    assert names(watched([bgr for _, bgr in stamped_once], step_ns=STEP_NS // 2)) == GAME


def test_frames_out_of_order_are_passed_over() -> None:
    """A frame that comes after a later one, with an arm that has long gone, is not looked at."""
    film = two_moves()
    order = list(range(len(film.frames)))
    for place in range(4, len(order) - 1, 5):
        order[place], order[place + 1] = order[place + 1], order[place]
    watcher = Watcher(read=lambda _: Reading(), table=TABLE)
    stale = [Frame(bgr, n * STEP_NS, n) for n, bgr in enumerate(film.frames)]
    sights = [(n, sight) for n in order for sight in watcher.see(stale[n])]
    assert names(sights) == GAME
    assert [sight for n in range(len(order)) for sight in watcher.see(stale[n])] == []


@pytest.mark.parametrize("table", [TABLE, None], ids=["table known", "whole picture"])
def test_torn_frames_invent_nothing(table: Table | None) -> None:
    """A frame whose lower part is of another moment, or was never written, neither settles nor hides a move."""
    film = two_moves()
    torn = list(film.frames)
    for number in range(3, len(torn) - 1, 7):
        cut = 100 + 37 * number % 300
        torn[number] = np.concatenate((film.frames[number - 1][:cut], film.frames[number][cut:]))
    for number in (5, len(torn) - 12):
        torn[number] = torn[number].copy()
        torn[number][300:] = 128
    settled = [n for n, sight in watched(torn, table=table) if isinstance(sight, Settled)]
    assert len(settled) == GAME.count("Settled")
    assert not any(film.arm_in[number] for number in settled)


def test_someone_who_leans_over_for_a_minute_changes_nothing() -> None:
    """A head and two arms over the table for a minute, moving a little or not at all, are waited for."""
    film = Film().lay(4).still()
    leaning = (Reaching(0, -60, -40), Reaching(0, 90, 20), Reaching(0, 20, 60))
    poses = [[replace(arm, x_mm=arm.x_mm + 4 * shift) for arm in leaning] for shift in range(2)]
    asleep = [film.backdrop.picture(poses[0]).bgr for _ in range(6)]
    awake = [film.backdrop.picture(pose).bgr for pose in poses for _ in range(3)]
    still = film.frames
    frames = [*still, *(20 * asleep)[:62], *(20 * awake)[:62], *still]
    assert names(both_ways(frames, step_ns=1_000_000_000)) == ["Settled", "HandIn", "HandOut"]


def test_scoresheet_laid_on_the_line_hides_and_gives_back() -> None:
    """What lies beside the sheet is still there, what is under it is not seen; without it all is read as before."""
    rig = Rig(960, 720)
    film = Film(rig=rig).lay(5).still(5)
    paper = [Placed(scoresheet(np.random.default_rng(4), 2.0), 130, 0, 10)]
    film.arms((), 6, paper).still(5)
    whole, covered, again = readings(film, rig.table())
    assert tiles(whole) == tiles(again) == sorted(tuple(sorted(tile)) for tile in LINE)
    assert 0 < len(covered.dominoes) < 5
    assert set(tiles(covered)) < set(tiles(whole))


def test_dominoes_swept_together_at_the_end_are_no_line_in_the_end() -> None:
    """Two arms push the line into a heap, the heap lies, then it is mixed face down and away: seen, seen, gone."""
    rig = Rig(960, 720)
    film = Film(rig=rig).lay(5).still(5)
    heap = [replace(d, x_mm=60 + 7 * n, y_mm=40 - 52 * n, angle_deg=40.0 * n) for n, d in enumerate(film.line)]
    hands = [Reaching(0, 40, 60), Reaching(2, 80, -150)]
    film.arms(hands, 3).lay(0, *heap).arms(hands, 2).still(5).arms(hands, 2).lay(0).arms(hands, 2).still(5)
    line, swept, empty = readings(film, rig.table())
    assert (len(line.line), len(swept.line), len(empty.dominoes)) == (5, 0, 0)
    assert set(tiles(swept)) <= set(tiles(line))


@pytest.mark.parametrize(("x_mm", "y_mm"), [(0.0, 395.0), (-395.0, 0.0), (395.0, 395.0)])
def test_first_domino_at_the_very_edge_of_the_picture_is_no_arm(x_mm: float, y_mm: float) -> None:
    """Where the table is not known, a domino at the border of the picture is a domino all the same."""
    rig = Rig(640, 640, fill=1.05)
    backdrop = Backdrop(rig, Look(), np.random.default_rng(2))
    frames = [backdrop.picture().bgr for _ in range(8)]
    backdrop.lay([replace(Film().line[0], x_mm=x_mm, y_mm=y_mm)])
    frames += [backdrop.picture().bgr for _ in range(8)]
    assert names(watched(frames, table=None)) == ["Settled", "Settled"]


def test_lights_off_with_a_move_in_the_dark_is_one_new_scene() -> None:
    """Somebody lays a domino in the dark: when the light is back it is told once, and no hand is named."""
    film = Film().still().lay(1).still(12)
    dark = [bgr // 40 if 6 <= n < 12 else bgr for n, bgr in enumerate(film.frames)]
    sights = both_ways(dark)
    assert names(sights) == ["Settled", "CannotSee", "SeesAgain", "Settled"]
    last = sights[-1][1]
    assert isinstance(last, Settled)
    assert last.hand is None


def test_brightness_ramps_while_a_domino_is_laid() -> None:
    """The camera's exposure runs away by 30 % while the hand is in: the move is still one move, the hand one hand."""
    film = two_moves()
    gains = 1 + 0.3 * np.sin(np.linspace(0, 3 * np.pi, len(film.frames)))
    lit = [cv2.convertScaleAbs(bgr, alpha=float(gain)) for bgr, gain in zip(film.frames, gains, strict=True)]
    assert names(both_ways(lit)) == GAME
