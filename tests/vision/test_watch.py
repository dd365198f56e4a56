import doctest
import weakref
from dataclasses import replace
from typing import Any
from unittest import mock

import cv2
import numpy as np
import pytest

from tests.vision.film import RIG, STEP_NS, TABLE, Bgr, Film, both_ways, names, tiles, watched
from vision import part, watch
from vision.change import CELL, ChangeParams, alike, changed, changed_cells, light_change, thumbnail
from vision.frame import Frame
from vision.geometry import Table
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.part import RestParams
from vision.reader import read
from vision.reading import Domino, Half, Reading
from vision.render import Backdrop, Reaching
from vision.rereading import reread
from vision.rig import Rig
from vision.watch import CannotSee, HandIn, HandOut, HandSeen, SeesAgain, Settled, Sight, Watcher, WatchParams


@pytest.mark.parametrize("seed", range(3))
def test_each_placement_settles_once_with_no_hand_in(seed: int) -> None:
    """On any table, under any camera, a game of five placements is five times hand in, hand out, settled."""
    rng = np.random.default_rng(seed)
    rig = Rig.random(rng, 640, 480)
    film = Film(Look.random(rng), rig, seed).still()
    for count in range(1, 6):
        film.play(count, seat=count % 4)
    sights = both_ways(film, table=rig.table())
    assert names(sights) == ["Settled"] + 5 * ["HandIn", "HandOut", "Settled"]
    assert not any(film.arm_in[number] for number, sight in sights if isinstance(sight, Settled))


def test_four_frames_a_second_are_enough() -> None:
    """Two frames with the hand in, one with it leaving and five of the still table are one placement."""
    film = Film().still(5)
    for count in range(1, 5):
        x, y = film.line[count - 1].x_mm, film.line[count - 1].y_mm
        film.arms([Reaching(count % 4, x, y)], 2).lay(count)
        film.arms([Reaching(count % 4, x * 0.8 + 20, y + 60)]).still(5)
    sights = both_ways(film, step_ns=250_000_000)
    assert names(sights) == ["Settled"] + 4 * ["HandIn", "HandOut", "Settled"]


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_hand_comes_from_its_players_side(seat: int) -> None:
    """The side an arm comes in from is the seat's."""
    sights = both_ways(Film().still().play(1, seat=seat))
    assert [sight.side for _, sight in sights if isinstance(sight, HandIn)] == [seat]


@pytest.mark.parametrize(("seat", "turns"), [(0, 0), (1, 3), (2, 1), (3, 2)])
def test_settled_scene_names_the_seat_whose_hand_was_in(seat: int, turns: int) -> None:
    """On a known table the seat is the table's own, however the table stands under the camera."""
    corners = TABLE.corners_px[-turns:] + TABLE.corners_px[:-turns] if turns else TABLE.corners_px
    table = Table((corners[0], corners[1], corners[2], corners[3]), side_mm=TABLE.side_mm, zone_mm=TABLE.zone_mm)
    film = Film().still().play(1, seat=seat)
    hand = last_hand(film, table)
    assert hand is not None
    assert (hand.seat, hand.confidence > 0.8) == ((seat + turns) % 4, True)
    side = last_hand(film, None)
    assert side is not None
    assert (side.seat, side.confidence > 0.8) == (seat, True)


def test_scene_without_an_arm_names_no_hand() -> None:
    """A domino that lies there from one frame to the next was laid by nobody that was seen."""
    assert last_hand(Film().still().lay(1).still(), TABLE) is None


def test_two_arms_from_two_sides_leave_a_doubt() -> None:
    """Two players who reach for the same place at once: one of them is named, and not surely."""
    film = Film().still()
    both = [Reaching(0, 10, 40), Reaching(3, 30, 10)]
    hand = last_hand(film.arms(both, 3).lay(1).arms(both, 2).still(), TABLE)
    assert hand is not None
    assert hand.confidence < 0.7


def test_arm_that_was_elsewhere_is_not_taken_for_the_layers() -> None:
    """One player lays, another rests a hand at the far side all the while: the hand that was there is named."""
    film = Film().lay(4).still()
    x, y = film.line[4].x_mm, film.line[4].y_mm
    resting = Reaching(2 if y > -200 else 0, 250.0 if x < 0 else -250.0, -200.0 if y > -200 else 200.0)
    layer = Reaching(1 if x < 0 else 3, x, y)
    hand = last_hand(film.arms([layer, resting], 3).lay(5).arms([layer, resting]).arms([resting], 4).still(), TABLE)
    assert hand is not None
    assert hand.seat == layer.seat


def test_last_of_two_visits_counts_most() -> None:
    """A hand that came in, changed nothing and left a moment before does not name its player."""
    film = Film().still().arms([Reaching(1, -60, 0)], 2).still(2)
    hand = last_hand(film.arms([Reaching(2, 0, -20)], 2).lay(1).arms([Reaching(2, 0, -60)]).still(), TABLE)
    assert hand is not None
    assert (hand.seat, hand.confidence < 0.9) == (2, True)


def last_hand(film: Film, table: Table | None) -> HandSeen | None:
    """The hand named with the last scene."""
    sight = watched(film, table=table)[-1][1]
    assert isinstance(sight, Settled)
    return sight.hand


def test_doubtful_domino_is_told_late_and_again_when_it_proves_otherwise() -> None:
    """It is looked at for 0.3 s more before it is told as it is; looks go on, and what they bring is told too."""

    def read_as(confidence: float, suit: int) -> Reading:
        half = Half(tuple(confidence if n == suit else (1 - confidence) / 6 for n in range(7)))
        return Reading((Domino(half, half, ((0, 0), (0, 9), (18, 9), (18, 0)), 0.9),))

    def seen(*later: Reading) -> list[tuple[int, float]]:
        looks = iter(later)
        sights = watched(
            Film().lay(1).still(60),
            reader=lambda _: read_as(0.6, 3),
            rereader=lambda _, before: next(looks, before.reading),
        )
        halves = [(number, sight.reading.dominoes[0].a) for number, sight in sights if isinstance(sight, Settled)]
        assert [frame for frame, _ in halves] == sorted({frame for frame, _ in halves})
        return [(half.suit or 0, round(half.confidence, 2)) for _, half in halves]

    assert seen(read_as(0.95, 3)) == [(3, 0.95)]
    assert seen() == [(3, 0.6)]
    assert seen(*(5 * [read_as(0.7, 3)]), read_as(0.7, 2), read_as(0.95, 2)) == [(3, 0.7), (2, 0.7), (2, 0.95)]
    assert seen(*(8 * [read_as(0.7, 3)]), read_as(0.95, 2)) == [(3, 0.7)]


def test_doubtful_domino_is_told_at_once_when_the_next_hand_comes() -> None:
    """Nothing that has been read is lost, or told after what came later."""
    half = Half((0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    doubtful = Reading((Domino(half, half, ((0, 0), (0, 9), (18, 9), (18, 0)), 0.9),))
    film = Film().lay(1).still(6).arms([Reaching(0, 0, 60)], 4)
    sights = watched(film, reader=lambda _: doubtful, rereader=lambda _, before: doubtful)
    assert names(sights) == ["Settled", "HandIn"]
    assert [number for number, _ in sights] == [6, 6]
    assert isinstance(sights[0][1], Settled)
    assert sights[0][1].frame_number < 6


def test_frames_that_were_read_are_told_from_the_others() -> None:
    """Each that the reader was given, whether what it gave is told with it or later."""
    half = Half((0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    doubtful = Reading((Domino(half, half, ((0, 0), (0, 9), (18, 9), (18, 0)), 0.9),))
    given: list[Bgr] = []

    def note(bgr: Bgr) -> Reading:
        given.append(bgr)
        return doubtful

    watcher = Watcher(read=note, reread=lambda bgr, before: note(bgr), table=TABLE)
    for number, bgr in enumerate(Film().lay(1).still(6).arms([Reaching(0, 0, 60)], 4).frames):
        watcher.see(Frame(bgr, number * STEP_NS, number))
        assert watcher.has_read == bool(given)
        assert all(picture is bgr for picture in given)
        given.clear()


def test_scene_and_rest_are_told_to_who_asks() -> None:
    """The last settled thumbnail stays while an arm is in; since when all rests is known only while it does."""
    film = Film().lay(2).still().arms([Reaching(0, 0, 100)])
    watcher = Watcher(read=lambda _: Reading(), table=TABLE)
    assert (watcher.scene, watcher.rest_ns) == (None, None)
    for number, bgr in enumerate(film.frames):
        watcher.see(Frame(bgr, number * STEP_NS, number))
        if number == 7:
            assert watcher.rest_ns == 0
    assert watcher.rest_ns is None
    assert watcher.scene is not None
    assert np.array_equal(watcher.scene.bgr, thumbnail(film.frames[4]).bgr)


def test_resting_arm_does_not_settle() -> None:
    """An arm that lies still over the table for five seconds is waited for."""
    film = Film().still().play(1, rest=40)
    sights = both_ways(film)
    assert names(sights) == ["Settled", "HandIn", "HandOut", "Settled"]
    assert not film.arm_in[sights[-1][0]]


def test_arm_in_a_sleeve_of_the_cloths_colour_does_not_settle() -> None:
    """A sleeve nobody can tell from the cloth still hides no resting hand."""
    look = Look()
    film = Film(replace(look, sleeves_bgr=4 * (look.table_bgr,))).still().play(1, rest=24)
    sights = watched(film)
    assert names(sights) == ["Settled", "HandIn", "HandOut", "Settled"]


def test_visit_that_changes_nothing_settles_nothing() -> None:
    """A hand that comes and goes without laying anything gives no new scene to read."""
    film = Film().lay(3).still()
    film.arms([Reaching(1, -200, 60)]).arms([Reaching(1, -120, 40)], 2).still()
    assert names(both_ways(film)) == ["Settled", "HandIn", "HandOut"]


def test_nudged_domino_settles_anew() -> None:
    """A domino moved by three millimetres is another scene."""
    film = Film().lay(3).still()
    moved = replace(film.line[2], x_mm=film.line[2].x_mm + 3, angle_deg=film.line[2].angle_deg + 2)
    film.lay(2, moved).still()
    assert names(both_ways(film)) == ["Settled", "Settled"]


def test_rest_begins_with_the_first_still_frame() -> None:
    """A settled scene says since when it lies so: from the first frame without the hand, not from when it was read."""
    film = Film().still().play(1)
    number, sight = watched(film, table=None)[-1]
    assert isinstance(sight, Settled)
    first_still = len(film.frames) - 8
    assert (sight.rest_ns, sight.frame_number) == (first_still * STEP_NS, number)
    assert (number - first_still) * STEP_NS == 500_000_000  # the first frame at or after 400 ms


def test_nothing_is_compared_once_a_scene_has_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has changed is worked out while it rests: the players wait for the reading alone."""
    film = Film().still().play(1).play(2)
    watcher = Watcher(read=lambda _: Reading(), table=TABLE)
    compared: set[int] = set()
    settled: set[int] = set()
    for number, bgr in enumerate(film.frames):
        with monkeypatch.context() as patched:
            spies = [mock.Mock(wraps=getattr(part, name)) for name in ("changed", "find_arms")]
            patched.setattr(part, "changed", spies[0])
            patched.setattr(part, "find_arms", spies[1])
            sights = watcher.see(Frame(bgr, number * STEP_NS, number))
        compared |= {number for spy in spies if spy.called}
        settled |= {number for sight in sights if isinstance(sight, Settled)}
    assert len(settled) == 3
    assert compared
    assert not settled & compared


def test_part_that_rests_keeps_no_look_that_is_known_no_more() -> None:
    """Hands are shown in the zones for minutes while nothing stirs in the middle."""
    bgr = Film().still(1).frames[0]
    line, _ = part.parts_of(thumbnail(bgr), bgr, TABLE, RestParams())
    known = [thumbnail(bgr) for _ in range(4)]
    for number, look in enumerate(known):
        line.look(thumbnail(bgr), number * STEP_NS, look)
        line.changed_since(look, thumbnail(bgr))
    forgotten = [weakref.ref(look) for look in known[:-1]]
    del known, look
    assert [look() for look in forgotten] == [None] * 3


def test_settling_takes_as_long_as_it_is_told() -> None:
    """The time of stillness is a parameter."""
    slow = watched(Film().still(20), params=WatchParams(rest=RestParams(settle_ms=2000)))
    assert [number for number, _ in slow] == [16]


def test_restless_table_is_not_read() -> None:
    """While something moves in every frame, nothing settles."""
    film = Film().lay(2)
    for number in range(24):
        film.arms([Reaching(0, -100.0 + 40 * (number % 5), 60.0)])
    assert names(watched(film)) == []


@pytest.mark.parametrize("reach", [0.3, -0.3])
def test_brightness_that_drifts_is_no_change(reach: float) -> None:
    """The light may rise or fall by 30 % and back, in seconds or at once: nothing new lies there."""
    film = Film().lay(4).still(40)
    slow = [1 + reach * np.sin(np.pi * n / 40) for n in range(40)]
    sudden = [1 + reach * (n // 10 % 2) for n in range(40)]
    for gains in (slow, sudden):
        lit = [cv2.convertScaleAbs(bgr, alpha=gain) for bgr, gain in zip(film.frames, gains, strict=True)]
        assert names(both_ways(lit)) == ["Settled"]


def test_placements_are_seen_while_the_light_drifts() -> None:
    """A game under a light that swings by 30 % gives the same sights as under a steady one."""
    film = Film().still()
    for count in range(1, 5):
        film.play(count, seat=count % 4)
    lit = [cv2.convertScaleAbs(bgr, alpha=1 + 0.3 * np.sin(n / 9)) for n, bgr in enumerate(film.frames)]
    assert names(watched(lit)) == names(watched(film))


def test_second_lamp_is_no_hand() -> None:
    """A lamp at one side that goes on and off is neither a hand nor a domino."""
    film = Film().lay(4).still(30)
    y, x = np.mgrid[: RIG.height_px, : RIG.width_px]
    pool = 0.7 + 0.4 * np.exp(-(((x - 480) / 260) ** 2 + ((y - 60) / 260) ** 2))[..., None]
    lit = [(bgr * pool).astype(np.uint8) if 10 <= n < 20 else bgr for n, bgr in enumerate(film.frames)]
    assert names(both_ways(lit)) == ["Settled"]


def test_blackout_is_told_and_its_end_too() -> None:
    """In the dark nothing is seen, once; with the light back the old scene is not read again, a new one is."""
    film = Film().lay(3).still(30)
    film.lay(4).still(10)
    dark = [bgr // 40 if 10 <= n < 20 or 28 <= n < 32 else bgr for n, bgr in enumerate(film.frames)]
    sights = both_ways(dark)
    assert names(sights) == ["Settled", "CannotSee", "SeesAgain", "CannotSee", "SeesAgain", "Settled"]
    assert isinstance(sights[1][1], CannotSee)
    assert "dark" in sights[1][1].reason
    assert [number for number, _ in sights[1:5]] == [10, 20, 28, 32]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (None, "got nothing"),
        (np.zeros((0, 0, 3), np.uint8), "smaller"),
        (np.zeros((480, 640), np.uint8), r"(480, 640)"),
        (np.zeros((480, 640, 3), np.uint8), "dark"),
        (np.full((480, 640, 3), 120, np.uint8), "blank"),
    ],
    ids=["nothing", "empty", "grey", "dark", "blank"],
)
def test_frame_that_shows_nothing_is_told_and_survived(bad: object, reason: str) -> None:
    """Nothing, an empty or a blank frame stops nobody: it is told once, and the next good one is seen."""
    film = Film().lay(2).still(24)
    frames: list[Any] = list(film.frames)
    frames[10:12] = [bad, bad]
    sights = both_ways(frames)
    assert names(sights) == ["Settled", "CannotSee", "SeesAgain"]
    assert isinstance(sights[1][1], CannotSee)
    assert reason in sights[1][1].reason


def test_frozen_picture_is_a_still_table_and_then_no_live_one() -> None:
    """The same bytes for some seconds are read once; for too many they are no camera's, until one bit changes."""
    film = Film().lay(2).still(2)
    first, second = film.frames
    assert names(watched(79 * [first])) == ["Settled"]
    sights = watched([*(100 * [first]), *(8 * [second])], params=WatchParams(frozen_ms=10_000))
    assert names(sights) == ["Settled", "CannotSee", "SeesAgain"]
    assert isinstance(sights[1][1], CannotSee)
    assert "frozen" in sights[1][1].reason


def test_arm_there_from_the_start_is_not_part_of_the_table() -> None:
    """If the first scene has an arm in it, its leaving is seen as such, and play goes on."""
    film = Film().lay(2).arms([Reaching(0, 0, 100)], 8).arms([Reaching(0, 40, 260)]).still()
    film.play(3, seat=1)
    for table in (TABLE, None):
        assert names(watched(film, table=table))[-4:] == ["Settled", "HandIn", "HandOut", "Settled"]


def test_bumped_camera_is_another_scene() -> None:
    """When the whole picture has moved a little, that is no hand: it settles and is read again."""
    film = Film().lay(4).still(20)
    bumped = [np.roll(bgr, 5, axis=1) if n >= 10 else bgr for n, bgr in enumerate(film.frames)]
    assert names(watched(bumped)) == ["Settled", "Settled"]


def test_players_hands_before_themselves_hold_up_nothing() -> None:
    """Where the table is known, hands that fidget in the seats' zones are no hands in the line."""
    film = Film().still()
    for count in (1, 2):
        for number in range(16):
            film.arms([Reaching(0, -80 + 8 * (number % 5), 420.0), Reaching(3, 430.0, 70 + 9 * (number % 3))])
            if number == 6:
                film.lay(count)
    sights = watched(film)
    assert names(sights) == ["Settled", "Settled", "Settled"]


def test_line_that_grows_into_a_zone_is_watched_there() -> None:
    """Two dominoes are laid before seat 3 while others fidget: each settles once the hand that laid it is gone."""
    suits = ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0))
    row = [Lying(a, b, 164.0 + 48.5 * n, 3.0, 0.0) for n, (a, b) in enumerate(suits)]
    film = Film().lay(0, *row[:4]).still()
    for count in (5, 6):
        for number in range(18):
            arms = [Reaching(0, -80 + 8 * (number % 5), 420.0), Reaching(1, -430.0, 70 + 9 * (number % 3))]
            if number < 4:
                arms.append(Reaching(3, row[count - 1].x_mm + 15 * (number % 2), 3.0))
            if number == 3:
                film.lay(0, *row[:count])
            film.arms(arms)
    sights = watched(
        film,
        reader=lambda bgr: read(bgr, table=TABLE),
        rereader=lambda bgr, before: reread(bgr, before, table=TABLE),
    )
    settled = [(number, len(sight.reading.line)) for number, sight in sights if isinstance(sight, Settled)]
    assert [count for _, count in settled] == [4, 5, 6]
    assert not any(0 <= (number - 8) % 18 < 4 for number, _ in settled)
    assert "HandIn" in names(sights)


def test_hand_laid_open_in_a_zone_is_read() -> None:
    """Dominoes shown in a seat's zone settle as a scene of their own."""
    film = Film().lay(4).still()
    shown = LineLayout(np.random.default_rng(1)).shown(2, [(1, 2), (3, 4)])
    film.arms([Reaching(2, 0, -420)], 2).lay(4, *shown).arms([Reaching(2, 0, -430)], 1).still()
    sights = watched(film)
    assert names(sights) == ["Settled", "Settled"]
    assert sights[-1][0] > 11


def test_what_lies_unmoved_at_the_border_becomes_part_of_the_scene() -> None:
    """A coat on the table's corner is waited for like an arm, but not for ever."""
    film = Film().lay(3).still(10).arms([Reaching(0, 0, 100)], 40)
    sights = watched(film, params=WatchParams(rest=RestParams(resting_ms=3000)))
    assert names(sights) == ["Settled", "HandIn", "HandOut", "Settled"]


def test_reader_gets_each_settled_scene_once_and_ahead_of_its_time() -> None:
    """The expensive reading happens while the scene still settles: when it has, it can be told at once."""
    film = Film().still().play(1).play(2, seat=2)
    given: list[int] = []

    def note(bgr: Bgr) -> Reading:
        given.append(next(number for number, frame in enumerate(film.frames) if frame is bgr))
        return Reading()

    settled = [number for number, sight in watched(film, reader=note) if isinstance(sight, Settled)]
    first, *others = settled  # nothing is known of a table before it has settled once
    assert given == [first, *(number - 2 for number in others)]


MOVED = replace(Film().line[0], x_mm=60, y_mm=40)
SHOWN = replace(Film().line[1], x_mm=-100, y_mm=370)
"""In the zone of seat 0."""


@pytest.mark.parametrize(
    ("at_first", "in_the_end"),
    [([Film().line[0]], [MOVED]), ([Film().line[0], SHOWN], [SHOWN])],
    ids=["moved", "taken"],
)
def test_scene_that_is_not_the_one_read_ahead_is_read_again(at_first: list[Lying], in_the_end: list[Lying]) -> None:
    """A domino is pushed or taken, with a finger that no camera saw, before it has rested for long enough."""
    rig = Rig()
    backdrop = Backdrop(rig, Look(), np.random.default_rng(2))
    frames = []
    for lying, count in (([], 5), (at_first, 4), (in_the_end, 6)):
        backdrop.lay(lying)
        frames += [backdrop.picture().bgr for _ in range(count)]
    given: list[int] = []

    def look(bgr: Bgr) -> Reading:
        given.append(next(number for number, frame in enumerate(frames) if frame is bgr))
        return read(bgr, table=rig.table())

    sights = watched(frames, table=rig.table(), reader=look)
    assert names(sights) == ["Settled", "Settled"]
    assert given[:2] == [4, 7]
    told = sights[-1][1]
    assert isinstance(told, Settled)
    assert tiles(told.reading) == sorted(tuple(sorted((one.a, one.b))) for one in in_the_end)
    assert told.reading == read(frames[given[-1]], table=rig.table())
    assert given[-1] > 8


def test_arm_drawn_back_over_a_zone_hides_nothing_in_the_end() -> None:
    """It lay over an open domino when the line was read ahead, and had gone when that had settled."""
    rig = Rig()
    film = Film(rig=rig).lay(0, SHOWN).still()
    film.lay(1, SHOWN).arms([Reaching(0, -100, 320)], 3).still()
    settled = [s for _, s in watched(film, table=rig.table(), reader=read, rereader=reread) if isinstance(s, Settled)]
    assert tiles(settled[0].reading) == [tuple(sorted((SHOWN.a, SHOWN.b)))]
    assert len(tiles(settled[-1].reading)) == 2
    assert tiles(settled[0].reading)[0] in tiles(settled[-1].reading)


def test_settled_scenes_carry_what_the_reader_reads() -> None:
    """With the real reader, three placements are read as a line that grows by one domino each."""
    film = Film(rig=Rig()).still()
    for count in (1, 2, 3):
        film.play(count)
    readings = [
        sight.reading for _, sight in watched(film, table=Rig().table(), reader=read) if isinstance(sight, Settled)
    ]
    assert [len(reading.dominoes) for reading in readings] == [0, 1, 2, 3]
    suits = sorted(tuple(sorted((d.a.suit or 0, d.b.suit or 0))) for d in readings[-1].dominoes)
    assert suits == [(1, 6), (4, 6), (6, 6)]
    assert len(readings[-1].line) == 3


def test_frames_of_another_size_begin_anew() -> None:
    """When the camera changes its format, the scene is read again in the new one."""
    film = Film().lay(2).still(10)
    larger = Film(rig=Rig()).lay(2).still(10)
    assert names(watched([*film.frames, *larger.frames], table=None)) == ["Settled", "Settled"]


def test_thumbnail_is_the_mean_of_the_middle_of_its_squares() -> None:
    """Each thumbnail pixel is the mean of the four pixels in the middle of the square it stands for."""
    bgr = np.random.default_rng(1).integers(0, 256, (720, 1280, 3), dtype=np.uint8)
    small = thumbnail(bgr)
    assert (small.bgr.shape, small.grey.shape) == ((180, 320, 3), (180, 320))
    assert small.bgr[10, 20] == pytest.approx(bgr[41:43, 81:83].mean(axis=(0, 1)), abs=1)


def test_light_alone_explains_itself() -> None:
    """A gain that slopes over the picture is found to two hundredths, though a fifth of the picture is covered."""
    rng = np.random.default_rng(2)
    before = rng.integers(40, 150, (180, 320, 3)).astype(np.uint8)
    slope = np.linspace(0.8, 1.25, 320)[None, :, None]
    after = np.round(before * slope).astype(np.uint8)
    after[:, 200:264] = 30
    inside = np.full(before.shape[:2], 255, np.uint8)
    one, other = thumbnail(before), thumbnail(after)
    found = light_change(one.grey, other.grey, inside, step=4)
    assert np.abs(found / slope[..., 0] - 1)[:, :190].max() < 0.02
    mask = changed(one, other, inside, ChangeParams())
    assert mask[:, 204:260].mean() > 0.98 * 255
    assert not mask[:, :195].any()


def test_recoloured_cloth_is_seen_though_as_grey_as_before() -> None:
    """A blue that is just as grey as the green it covers is seen where it lies, and nowhere else."""
    before = np.full((180, 320, 3), (60, 110, 40), np.uint8)
    after = before.copy()
    after[40:100, 80:160] = (172, 90, 37)
    after[120:140, 200:220] = (20, 37, 13)
    one, other = thumbnail(before), thumbnail(after)
    assert np.abs(one.grey.astype(int) - other.grey)[40:100, 80:160].max() <= 1
    grey, colour = changed_cells(one, other, np.ones((180 // CELL, 320 // CELL), np.bool_), ChangeParams())
    assert grey[30:35, 50:55].all()
    assert np.count_nonzero(grey) == 5 * 5
    assert colour[10:25, 20:40].all()
    assert np.count_nonzero(colour & ~grey) == 15 * 20


def test_alike_forgives_noise_only() -> None:
    """The sensor's noise is no difference; a spot of a pip's size is."""
    rng = np.random.default_rng(3)
    inside = np.full((180, 320), 255, np.uint8)
    one, other = (np.clip(90 + rng.normal(0, 1.5, (180, 320, 3)), 0, 255).astype(np.uint8) for _ in range(2))
    assert alike(thumbnail(one), thumbnail(other), inside, ChangeParams())
    other[50:52, 60:62] += 20
    assert not alike(thumbnail(one), thumbnail(other), inside, ChangeParams())


def test_sights_are_the_five_of_them() -> None:
    """Everything a watcher can say is one of five."""
    assert set(Sight.__args__) == {Settled, HandIn, HandOut, CannotSee, SeesAgain}


def test_watch_examples_hold() -> None:
    """The examples in the documentation do what they say."""
    assert doctest.testmod(watch).failed == 0


@pytest.mark.parametrize(("x_mm", "y_mm", "angle_deg"), [(300, 0, 90), (-300, 40, 90), (0, 300, 0), (290, 290, 0)])
def test_domino_at_the_edge_of_the_middle_square_is_no_arm(x_mm: float, y_mm: float, angle_deg: float) -> None:
    """A line that has grown to the seats' zones is read at once, however long a shadow its last domino throws."""
    rig = Rig(1440, 1080)
    backdrop = Backdrop(rig, Look(slant=0.9, shadow=0.7), np.random.default_rng(3))
    frames = [backdrop.picture().bgr for _ in range(8)]
    backdrop.lay([Lying(3, 3, x_mm, y_mm, angle_deg)])
    frames += [backdrop.picture().bgr for _ in range(8)]
    assert names(watched(frames, table=rig.table())) == ["Settled", "Settled"]
