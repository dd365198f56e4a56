import doctest
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import render as render_module
from vision.layout import LineLayout, Lying
from vision.look import Look, Surface
from vision.reading import Point
from vision.render import Backdrop, Picture, Placed, Reaching, render
from vision.rig import Rig
from vision.things import THINGS, Sheet, back, coaster, standing

Bgr = NDArray[np.uint8]

PLAIN = Look(noise=0, shadow=0, unevenness=0, blur_px=0.1)  # nothing but the dominoes differs between two pictures
SMALL = Rig(width_px=480, height_px=400)
SEVEN = (
    Lying(6, 4, 0, 0, 0),
    Lying(3, 3, 200, -120, 90),
    Lying(0, 5, -210, 150, 33),
    Lying(1, 2, 150, 230, -61),
    Lying(6, 6, -280, -260, 180),
    Lying(0, 0, 320, 100, 147),
    Lying(5, 1, -20, 330, 271),
)


def picture(dominoes: Sequence[Lying], *, rig: Rig = SMALL, look: Look = PLAIN, seed: int = 1) -> Picture:
    return render(dominoes, rig=rig, look=look, rng=np.random.default_rng(seed))


def differing(one: Bgr, other: Bgr, *, levels: int = 12) -> NDArray[np.bool_]:
    return np.asarray(cv2.absdiff(one, other).max(axis=2) > levels)


def upright(bgr: Bgr, corners: Sequence[Point], *, px_per_mm: int = 8) -> Bgr:
    """The face cut out by its four corners, half a to the left, shape (24 * px_per_mm, 48 * px_per_mm, 3)."""
    width, height = 48 * px_per_mm, 24 * px_per_mm
    goal = np.array([(0, height), (0, 0), (width, 0), (width, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), goal)
    return np.asarray(cv2.warpPerspective(bgr, matrix, (width, height), flags=cv2.INTER_CUBIC), np.uint8)


def pips_seen(half: Bgr) -> int:
    """Dark round spots of a pip's size in a half of a white face."""
    dark = (cv2.cvtColor(half, cv2.COLOR_BGR2GRAY) < 110).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    return sum(300 < area < 1800 and 0.7 < width / height < 1.4 for _, _, width, height, area in stats[1:].tolist())


@pytest.mark.parametrize(
    "rig",
    [
        SMALL,
        replace(SMALL, tilt_deg=8, tilt_towards_deg=30, roll_deg=4),
        replace(SMALL, k1=-0.12),
        Rig(width_px=1440, height_px=1080, k1=-0.05, tilt_deg=4),
    ],
    ids=["plumb", "tilted", "barrel", "large"],
)
def test_corners_lie_where_the_picture_changes(rig: Rig) -> None:
    """The corners given enclose just the pixels that differ from the bare table, and centre on them to 0.2 pixel."""
    blank = replace(PLAIN, thickness_mm=0.5, corner_mm=0.3, bevel_mm=0.3, divider_mm=0, pin_bgr=None)
    backdrop = Backdrop(rig, blank, np.random.default_rng(1))
    bare = backdrop.picture().bgr
    for domino in SEVEN:
        backdrop.lay([replace(domino, a=0, b=0)])
        laid = backdrop.picture()
        difference = cv2.absdiff(bare, laid.bgr).max(axis=2)
        changed = np.where(difference > 6, difference, 0).astype(float)
        (corners,) = laid.corners
        face = np.zeros(changed.shape, np.uint8)
        cv2.fillPoly(face, [np.round(np.array(corners) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        assert np.count_nonzero((changed > 0) & (face > 0)) > 0.85 * np.count_nonzero((changed > 0) | (face > 0))
        rows, columns = np.indices(changed.shape)
        middle = np.array([(changed * columns).sum(), (changed * rows).sum()]) / changed.sum()
        assert np.abs(middle - np.mean(corners, axis=0)).max() < 0.2


def test_face_carries_its_pips_with_a_at_the_first_two_corners() -> None:
    """Cut out by its corners, each half shows its own number of pips."""
    rig = Rig(width_px=1440, height_px=1080, tilt_deg=3, k1=-0.04)
    everyone = [Lying(a, b, (a - 3) * 100, (b - 3) * 100, 17.0 * a + 41 * b) for a in range(7) for b in range(7)]
    seen = picture(everyone, rig=rig, look=replace(PLAIN, pin_bgr=None, divider_mm=0.6))
    for domino, corners in zip(everyone, seen.corners, strict=True):
        face = upright(seen.bgr, corners)
        middle = face.shape[1] // 2
        assert (pips_seen(face[:, :middle]), pips_seen(face[:, middle:])) == (domino.a, domino.b), domino


def test_same_seed_draws_the_same_picture() -> None:
    """Pictures and truth repeat byte for byte; another seed is another picture."""
    rng = np.random.default_rng(5)
    look, rig = Look.random(rng), Rig.random(rng, 480, 400)
    arms = [Reaching(2, 40, -60, Lying(1, 2, 40, -50, 10))]
    one, same = (render(SEVEN, rig=rig, look=look, rng=np.random.default_rng(9), arms=arms) for _ in range(2))
    other = render(SEVEN, rig=rig, look=look, rng=np.random.default_rng(10), arms=arms)
    assert np.array_equal(one.bgr, same.bgr)
    assert one.corners == same.corners == other.corners
    assert not np.array_equal(one.bgr, other.bgr)


def test_frames_of_one_backdrop_differ_in_noise_only() -> None:
    """Two frames of a still table are not the same bytes, and differ by no more than the sensor's noise."""
    backdrop = Backdrop(SMALL, Look(noise=2.0), np.random.default_rng(3))
    backdrop.lay(SEVEN)
    one, other = (backdrop.picture().bgr.astype(int) for _ in range(2))
    assert 0.5 < np.abs(one - other).mean() < 4
    assert np.abs((one - other).mean()) < 0.1


def test_domino_keeps_its_looks_while_others_come() -> None:
    """What lies is drawn the same before and after more dominoes are laid far from it."""
    backdrop = Backdrop(SMALL, PLAIN, np.random.default_rng(3))
    backdrop.lay(SEVEN[:3])
    before = backdrop.picture()
    backdrop.lay(SEVEN)
    after = backdrop.picture()
    left, top = (int(v) for v in np.min(before.corners[1], axis=0))
    right, bottom = (int(v) for v in np.max(before.corners[1], axis=0))
    assert not differing(before.bgr, after.bgr, levels=0)[top:bottom, left:right].any()


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_arm_reaches_from_its_seats_edge_to_its_fingertips(seat: int) -> None:
    """An arm covers the way from the picture's side of its seat to the fingertips, and leaves the other side alone."""
    rig = Rig(width_px=400, height_px=400)
    backdrop = Backdrop(rig, PLAIN, np.random.default_rng(1))
    bare = backdrop.picture().bgr
    covered = differing(bare, backdrop.picture([Reaching(seat, 0, 0)]).bgr, levels=40)
    from_seat = np.rot90(covered, k=seat)  # turns the seat's side to the bottom
    assert from_seat[-1].any()
    assert not from_seat[:150].any()
    assert from_seat[190:215, 180:220].any()


def test_arm_throws_a_shadow() -> None:
    """Beside an arm the table is darker than without it, where the look has shadows."""
    backdrop = Backdrop(SMALL, Look(noise=0, light_deg=180, slant=0.8), np.random.default_rng(1))
    bare = backdrop.picture().bgr.astype(int)
    drawn = backdrop.picture([Reaching(0, 0, 100)]).bgr.astype(int)
    row = (bare - drawn)[330].mean(axis=1)
    assert (row[270:340] > 4).sum() > 8


def test_held_domino_shows_under_the_fingertips() -> None:
    """A domino held over the table is seen there, and is not among the lying ones."""
    backdrop = Backdrop(SMALL, PLAIN, np.random.default_rng(1))
    open_hand = backdrop.picture([Reaching(0, 0, 100)]).bgr
    holding = backdrop.picture([Reaching(0, 0, 100, Lying(6, 6, 0, 80, 0))])
    assert differing(open_hand, holding.bgr, levels=60).sum() > 100
    assert holding.corners == ()


def test_domino_half_outside_the_picture_is_cut_off() -> None:
    """What lies over the picture's border is drawn as far as it is seen, and its corners lie outside."""
    edge = Lying(6, 6, 445, 445, 45)
    rig = replace(SMALL, fill=1.05)
    cut = picture((edge, Lying(1, 1, 2000, 0, 0)), rig=rig)
    assert differing(picture((), rig=rig).bgr, cut.bgr).any()
    assert np.array(cut.corners).max() > SMALL.height_px


def test_random_looks_differ_and_none_hides_its_pips() -> None:
    """Each look has its own set, table and light; pips stand out from the body, and dominoes from the table."""
    looks = [Look.random(np.random.default_rng(seed)) for seed in range(60)]
    assert len({look.body_bgr for look in looks}) == 60
    assert {look.surface for look in looks} == {"felt", "wood", "oilcloth"}
    for look in looks:
        for suit in range(1, 7):
            assert np.abs(np.subtract(look.pip_bgr(suit), look.body_bgr)).max() > 60
        assert np.abs(np.subtract(look.table_bgr, look.body_bgr)).sum() > 80


@pytest.mark.parametrize("seed", range(6))
def test_random_look_is_drawn_with_its_dominoes_visible(seed: int) -> None:
    """Whatever the look, most of each domino differs from the bare table."""
    rng = np.random.default_rng(seed)
    rig, look = Rig.random(rng, 640, 480), replace(Look.random(rng), jpeg_quality=80)
    line = LineLayout(rng)
    line.first(6, 6)
    line.add("R", 6, 2)
    bare, laid = picture((), rig=rig, look=look), picture(line.lying, rig=rig, look=look)
    changed = differing(bare.bgr, laid.bgr, levels=15).astype(np.uint8)
    for corners in laid.corners:
        face = upright(np.repeat(changed[..., None] * np.uint8(255), 3, axis=2), corners)
        assert face.mean() > 100


@pytest.mark.parametrize("seed", range(5))
def test_rig_goes_to_the_picture_and_back(seed: int) -> None:
    """A point of the table seen in the picture is the same point of the table, lens and tilt and all."""
    rng = np.random.default_rng(seed)
    rig = replace(Rig.random(rng), tilt_deg=float(rng.uniform(0, 20)))
    points = rng.uniform(-450, 450, (50, 2))
    seen = rig.to_px(np.column_stack((points, np.zeros(50))))
    assert rig.to_mm(seen) == pytest.approx(points, abs=1e-3)
    assert (seen >= 0).all()
    assert (seen <= (rig.width_px, rig.height_px)).all()


@pytest.mark.parametrize("k1", [0.0, -0.1, 0.03])
def test_rigs_table_is_what_a_calibration_finds(k1: float) -> None:
    """The table's millimetres and the rig's are the same, whatever the lens bends."""
    rig = Rig(tilt_deg=7, tilt_towards_deg=200, roll_deg=-2, k1=k1)
    points = np.random.default_rng(1).uniform(-450, 450, (50, 2))
    seen = rig.to_px(np.column_stack((points, np.zeros(50))))
    assert rig.table().to_px(points) == pytest.approx(seen, abs=0.01)
    assert rig.table().to_mm(seen) == pytest.approx(points, abs=0.01)


def test_domino_height_leans_outwards() -> None:
    """A face is seen above its foot: farther from the picture's middle than the table under it."""
    rig = Rig()
    (foot,), (face,) = rig.to_px([(300, 0, 0)]), rig.to_px([(300, 0, 9)])
    assert face[0] - foot[0] == pytest.approx(300 * rig.px_per_mm * 9 / (rig.distance_mm - 9), rel=0.02)


def test_render_examples_hold() -> None:
    """The examples in the documentation do what they say."""
    assert doctest.testmod(render_module).failed == 0


def test_things_hide_what_is_under_them() -> None:
    """A coaster on half b hides b and not a, and the picture changes there."""
    sheet = coaster(np.random.default_rng(5), SMALL.px_per_mm * 2)
    dominoes = [Lying(6, 4, 0, 0, 0)]
    bare = picture(dominoes)
    radius_mm = sheet.cover.shape[1] / sheet.scale / 2
    covered = render(
        dominoes,
        rig=SMALL,
        look=PLAIN,
        rng=np.random.default_rng(1),
        things=[Placed(sheet, 4 + radius_mm, 0, 0)],
    )
    (before,), (after,) = bare.seen(), covered.seen()
    assert before == (1.0, 1.0)
    assert after[0] > 0.95
    assert after[1] < 0.4
    assert differing(bare.bgr, covered.bgr).any()


def test_a_half_beyond_the_edge_is_not_seen() -> None:
    """Of a domino across the picture's border the outer half counts as hidden."""
    x_mm = float(SMALL.to_mm(np.array([[0.0, 200.0]]))[0, 0])
    (seen,) = picture([Lying(1, 2, x_mm, 0, 0)]).seen()
    assert seen[0] < 0.1
    assert seen[1] > 0.8


@pytest.mark.parametrize("surface", ["felt", "wood", "oilcloth", "plaid", "stone", "print"])
def test_every_surface_is_drawn_in_its_own_way(surface: Surface) -> None:
    """Tables of one colour differ by their surface, and none is a single tone."""
    table = picture((), look=replace(PLAIN, surface=surface, second_bgr=(200, 210, 220))).bgr
    assert table[150:250, 150:250].std() > 0.5


@pytest.mark.parametrize("make", [*THINGS, back, standing], ids=lambda make: make.__name__)
def test_every_thing_is_drawn(make: Callable[[np.random.Generator, float], Sheet]) -> None:
    """Each has a body, colours in range, and repeats with its seed."""
    one, same = (make(np.random.default_rng(8), 1.5) for _ in range(2))
    assert np.array_equal(one.bgr, same.bgr)
    assert one.cover.max() == 1
    assert one.cover.mean() > 0.2
    assert 0 <= one.bgr.min() <= one.bgr.max() <= 255
