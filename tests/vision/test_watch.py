import doctest
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import watch
from vision.change import ChangeParams, alike, changed, light_change, recoloured, thumbnail
from vision.frame import Frame
from vision.geometry import Table
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop, Reaching
from vision.rig import Rig
from vision.watch import CannotSee, HandIn, HandOut, SeesAgain, Settled, Sight, Watcher, WatchParams

Bgr = NDArray[np.uint8]

RIG = Rig(width_px=640, height_px=480)
TABLE = RIG.table()
STEP_NS = 125_000_000  # eight frames a second
LINE = ((6, 6), (6, 4), (6, 1), (4, 4), (1, 0))
ENDS = "RRLRL"


class Film:
    """A drawn table, the frames taken of it, and for each whether an arm was in."""

    def __init__(self, look: Look | None = None, rig: Rig = RIG, seed: int = 1) -> None:
        self.backdrop = Backdrop(rig, look or Look(), np.random.default_rng(seed))
        self.frames: list[Bgr] = []
        self.arm_in: list[bool] = []
        layout = LineLayout(np.random.default_rng(seed))
        layout.first(*LINE[0])
        for end, (inner, outer) in zip(ENDS[1:], LINE[1:], strict=True):
            layout.add("R" if end == "R" else "L", inner, outer)
        self.line = layout.lying

    def still(self, count: int = 8) -> "Film":
        """The table as it lies, for so many frames."""
        return self.arms((), count)

    def arms(self, arms: Sequence[Reaching], count: int = 1) -> "Film":
        """So many frames with these arms in."""
        for _ in range(count):
            self.frames.append(self.backdrop.picture(arms).bgr)
            self.arm_in.append(bool(arms))
        return self

    def lay(self, count: int, *others: Lying) -> "Film":
        """So many dominoes of the line, and others, lie there from now on."""
        self.backdrop.lay((*self.line[:count], *others))
        return self

    def play(self, count: int, *, seat: int = 0, rest: int = 0) -> "Film":
        """An arm comes in with the next domino, may rest, lays it as number `count`, and goes; then all is still."""
        domino = self.line[count - 1]
        out = np.array([(0, 1), (-1, 0), (0, -1), (1, 0)][seat])
        goal = np.array((domino.x_mm, domino.y_mm))
        away = out * 470 - goal
        ways = [goal + away * share for share in (0.8, 0.4, 0.1)]
        for x, y in (*ways, *(rest * [ways[-1]])):
            self.arms([Reaching(seat, float(x), float(y), replace(domino, x_mm=float(x), y_mm=float(y)))])
        self.lay(count)
        for x, y in reversed(ways):
            self.arms([Reaching(seat, float(x), float(y))])
        return self.still()


def watched(
    film: Film | Sequence[Any],
    *,
    table: Table | None = TABLE,
    params: WatchParams | None = None,
    step_ns: int = STEP_NS,
    reader: Callable[[Bgr], Reading] = lambda _: Reading(),
) -> list[tuple[int, Sight]]:
    """What a watcher sees, each with the number of the frame."""
    watcher = Watcher(read=reader, table=table, params=params)
    frames = film.frames if isinstance(film, Film) else film
    return [(n, sight) for n, bgr in enumerate(frames) for sight in watcher.see(Frame(bgr, n * step_ns, n))]


def names(sights: list[tuple[int, Sight]]) -> list[str]:
    return [type(sight).__name__ for _, sight in sights]


def both_ways(film: Film | Sequence[Any], *, table: Table = TABLE, step_ns: int = STEP_NS) -> list[tuple[int, Sight]]:
    """What a watcher sees that watches the whole picture, made sure to be no other than one that knows the table."""
    sights = watched(film, table=None, step_ns=step_ns)
    assert names(sights) == names(watched(film, table=table, step_ns=step_ns))
    return sights


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


def test_settling_takes_as_long_as_it_is_told() -> None:
    """The time of stillness is a parameter."""
    slow = watched(Film().still(20), params=WatchParams(settle_ms=2000))
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


def test_frozen_picture_is_a_still_table() -> None:
    """The same bytes for a long time are read once and raise no alarm."""
    film = Film().lay(2).still(1)
    assert names(watched(100 * film.frames)) == ["Settled"]


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
    sights = watched(film, params=WatchParams(resting_ms=3000))
    assert names(sights) == ["Settled", "HandIn", "HandOut", "Settled"]


def test_reader_gets_settled_frames_only() -> None:
    """The expensive reading happens once for each settled scene, on that very frame."""
    film = Film().still().play(1).play(2, seat=2)
    given: list[Bgr] = []

    def note(bgr: Bgr) -> Reading:
        given.append(bgr)
        return Reading()

    sights = watched(film, reader=note)
    settled = [number for number, sight in sights if isinstance(sight, Settled)]
    assert [id(bgr) for bgr in given] == [id(film.frames[number]) for number in settled]


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
    one, other = thumbnail(before), thumbnail(after)
    assert np.abs(one.grey.astype(int) - other.grey).max() <= 1
    mask = recoloured(one, other, np.full((180, 320), 255, np.uint8), ChangeParams())
    assert mask[44:96, 84:156].all()
    assert np.count_nonzero(mask) < 1.2 * 60 * 80


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
