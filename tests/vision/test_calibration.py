"""Tables calibrated from drawn pictures whose every millimetre is known: how far off, and what makes it fail."""

import re
from collections.abc import Mapping
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.marked import with_cards
from vision.calibration import Calibration, CannotCalibrate, calibrated, judged, median_of, turned_to
from vision.cards import CORNERS, PLACES
from vision.edges import _measured, _slopes
from vision.geometry import Points, Table
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop, Reaching
from vision.rig import Rig

Bgr = NDArray[np.uint8]
STRAIGHT = Rig(fill=0.94)
BARREL = Rig(fill=0.94, k1=-0.09, tilt_deg=5.0, tilt_towards_deg=30.0, roll_deg=2.0)
SIDE_MM = 900.0
FOUR = {card: PLACES[card] for card in CORNERS}


@cache
def backdrop(rig: Rig) -> Backdrop:
    return Backdrop(rig, Look(), np.random.default_rng(4))


def flat(rig: Rig, points_mm: Points) -> Points:
    """Points of the table's plane, shape (N, 2), in pixels."""
    return rig.to_px(np.column_stack((points_mm, np.zeros(len(points_mm)))))


def picture(
    rig: Rig,
    cards: Mapping[int, tuple[float, float]] = PLACES,
    *,
    off_mm: float = 0.0,
    turned_deg: float = 0.0,
    scale: float = 1.0,
) -> Bgr:
    """The table with cards; `scale` is how large the page was printed."""
    return with_cards(
        backdrop(rig).picture().bgr,
        lambda px: rig.to_mm(px) / scale,
        lambda mm: flat(rig, mm * scale),
        side_mm=SIDE_MM / scale,
        rng=np.random.default_rng(8),
        cards=cards,
        off_mm=off_mm,
        turned_deg=turned_deg,
    )


def calibrate(bgr: Bgr, *, side_mm: float = SIDE_MM, with_reader: bool = False, seat0: str = "bottom") -> Calibration:
    def nothing(_: Bgr, table: Table | None) -> Reading:
        return Reading()

    return calibrated(
        bgr,
        side_mm=side_mm,
        zone_mm=130.0,
        domino_mm=48.0,
        seat0=seat0,
        read=(lambda bgr, table: read(bgr, table=table)) if with_reader else nothing,
    )


def off_mm(found: Table, rig: Rig, side_mm: float = SIDE_MM) -> tuple[float, float]:
    """How far the table's edge, and any place where the line lies, are from where they are, at most."""
    steps = np.linspace(-1, 1, 13)
    edge = side_mm / 2 * np.array([place for v in steps for place in ((v, -1), (v, 1), (-1, v), (1, v))])
    line = (side_mm / 2 - 130) * np.array([(u, v) for u in steps for v in steps])
    worst = [float(np.hypot(*(found.to_mm(flat(rig, places)) - places).T).max()) for places in (edge, line)]
    return worst[0], worst[1]


@pytest.mark.parametrize(
    ("rig", "cards", "edge_mm", "line_mm"),
    [
        (STRAIGHT, PLACES, 0.5, 0.5),
        (STRAIGHT, FOUR, 0.8, 1.0),
        (BARREL, PLACES, 0.5, 0.5),
        (BARREL, FOUR, 1.5, 2.0),
    ],
)
def test_cards_tell_where_the_table_lies(
    rig: Rig, cards: Mapping[int, tuple[float, float]], edge_mm: float, line_mm: float
) -> None:
    """Cards laid as they should be give the table to half a millimetre, the lens bent or not; four to two."""
    found = calibrate(picture(rig, cards))
    edge, line = off_mm(found.table, rig)
    assert edge < edge_mm
    assert line < line_mm
    assert found.score.passed
    assert found.score.error_mm < 0.5
    assert found.score.in_view == 1.0


@pytest.mark.parametrize("rig", [STRAIGHT, BARREL])
def test_cards_laid_by_hand_tell_it_to_two_millimetres(rig: Rig) -> None:
    """Half a millimetre off and half a degree turned, as hands lay them, is still far less than a domino."""
    found = calibrate(picture(rig, off_mm=0.5, turned_deg=0.5))
    assert max(off_mm(found.table, rig)) < 2.0
    assert found.score.passed


def test_turned_camera_leaves_the_seats_where_they_sit() -> None:
    """A camera hung the other way round, or sideways: the cards say where seat 0 is."""
    bgr = picture(STRAIGHT)
    at = flat(STRAIGHT, np.array([(0.0, 400.0), (-400.0, 0.0), (0.0, -400.0), (400.0, 0.0), (30.0, -60.0)]))
    height, width = bgr.shape[:2]
    for turn, places in (
        (cv2.ROTATE_180, (width - 1, height - 1) - at),
        (cv2.ROTATE_90_CLOCKWISE, np.column_stack((height - 1 - at[:, 1], at[:, 0]))),
    ):
        turned = calibrate(np.asarray(cv2.rotate(bgr, turn), np.uint8))
        zones = turned.table.zones_of(places)
        assert zones == [0, 1, 2, 3, "line"]
        assert np.abs(turned.table.to_mm(places[4]) - (30.0, -60.0)).max() < 1


def test_missing_card_is_named() -> None:
    """Without a corner's card nothing is guessed; the sentence says which one, or that there is none at all."""
    three = {card: place for card, place in PLACES.items() if card != 2}
    with pytest.raises(CannotCalibrate, match=r"but 2 \| 3 is not seen: lay them flat"):
        calibrate(picture(STRAIGHT, three))


def test_cards_in_another_order_are_refused() -> None:
    """Cards that were exchanged would turn the seats round; that is told, and nothing is kept."""
    swapped = {**PLACES, 0: PLACES[1], 1: PLACES[0]}
    with pytest.raises(CannotCalibrate, match="go round the table as on the page"):
        calibrate(picture(STRAIGHT, swapped))


def test_what_lies_badly_fails_with_the_reason() -> None:
    """A card pushed off its corner, a page shrunk by the printer, a wrong side: each fails in its own words."""
    off = {**PLACES, 3: (0.97, 0.97)}
    (fault,) = calibrate(picture(STRAIGHT, off)).score.faults
    assert "from where a square table has them" in fault
    (fault,) = calibrate(picture(STRAIGHT, scale=0.94)).score.faults
    assert re.search(r"by the cards the table's side is 9[4-6]\d mm, by table.side_mm 900", fault)
    (fault,) = calibrate(picture(STRAIGHT), side_mm=800.0).score.faults
    assert "by table.side_mm 800" in fault


def test_picture_that_is_too_soft_too_small_or_cut_off_fails_with_the_reason() -> None:
    """Sharpness, pixels per half and how much of the table is in view are judged by themselves."""
    bgr = picture(STRAIGHT)
    soft = calibrate(np.asarray(cv2.GaussianBlur(bgr, (0, 0), 1.9), np.uint8))
    assert [fault.split(" pixels")[0][:13] for fault in soft.score.faults] == ["an edge takes"]
    small = calibrate(np.asarray(cv2.resize(bgr, (640, 360), interpolation=cv2.INTER_AREA), np.uint8))
    assert any(fault.startswith("a half has") for fault in small.score.faults)
    assert small.score.half_px == pytest.approx(calibrate(bgr).score.half_px / 2, rel=0.02)
    cut = bgr[:, :900]
    found = judged(cut, STRAIGHT.table(), domino_mm=48.0, error_mm=0.1, edges_px=(), faults=(), dominoes=())
    assert found.score.in_view == pytest.approx(0.88, abs=0.03)
    assert [fault.partition(":")[0] for fault in found.score.faults] == [
        f"the picture shows {100 * found.score.in_view:.0f} % of the table, 98 % are expected"
    ]


def test_dominoes_on_the_table_check_the_measures() -> None:
    """A few dominoes beside the cards: of the length that was said they pass, of another they don't."""
    table = backdrop(STRAIGHT)
    layout = LineLayout(np.random.default_rng(3))
    layout.first(6, 4)
    layout.add("R", 4, 4)
    table.lay(layout.lying)
    try:
        bgr = picture(STRAIGHT)
    finally:
        table.lay(())
    of_two = calibrate(bgr, with_reader=True)
    assert of_two.score.passed
    assert of_two.table.domino_mm is None
    found = calibrated(
        bgr,
        side_mm=SIDE_MM,
        zone_mm=130,
        domino_mm=56.0,
        read=lambda bgr, table: read(bgr, table=table),
    )
    assert len(found.score.faults) == 1
    assert "mm long, 56 are expected" in found.score.faults[0]


EDGES = {
    "felt": (Rig(fill=0.90, k1=-0.05, tilt_deg=3.0), Look(), 900.0),
    "wood": (Rig(fill=0.90, tilt_deg=4.0, tilt_towards_deg=200.0, roll_deg=-2.0), Look(surface="wood"), 960.0),
}
"""A cloth in a wooden frame, and a board that reaches 30 mm beyond the measure; the side as a tape says."""


@cache
def played(name: str) -> Bgr:
    """Four dominoes on such a table."""
    rig, look, _ = EDGES[name]
    table = Backdrop(rig, look, np.random.default_rng(6))
    layout = LineLayout(np.random.default_rng(3))
    layout.first(6, 4)
    for move in ((4, 4), (4, 1), (1, 1)):
        layout.add("R", *move)
    table.lay(layout.lying)
    return table.picture().bgr


@pytest.mark.parametrize("name", EDGES)
def test_edge_and_a_few_dominoes_tell_where_the_table_lies(name: str) -> None:
    """Without cards it is known to three millimetres: the right one of the frame's two edges, the lens bent or not."""
    rig, _, side_mm = EDGES[name]
    found = calibrate(played(name), side_mm=side_mm, with_reader=True)
    assert found.score.passed
    assert max(off_mm(found.table, rig, side_mm)) < 3.0
    assert found.table.domino_mm == pytest.approx(48.0, abs=1.5)
    assert found.score.edge_px is not None


@pytest.mark.parametrize("off_by_mm", [24.0, 40.0])
def test_edge_that_only_the_others_vouch_for_is_none(off_by_mm: float) -> None:
    """An edge begun askew is found where it is, or the table is not: three that fit do not carry a fourth."""
    rig, _, side_mm = EDGES["felt"]
    quad = flat(rig, side_mm / 2 * np.array(((-1, -1), (1, -1), (1, 1), (-1, 1))))
    quad[3, 0] += off_by_mm * rig.px_per_mm
    found = _measured(_slopes(played("felt")), quad, (1280, 720), side_mm, 130.0)
    assert found is None or max(off_mm(found.table, rig, side_mm)) < 3.0


def test_seat_0_may_be_at_any_side_of_the_picture() -> None:
    """Without cards the technician says where it is; the other seats follow clockwise."""
    rig, _, side_mm = EDGES["felt"]
    at = flat(rig, np.array([(0.0, 400.0), (-400.0, 0.0), (0.0, -400.0), (400.0, 0.0)]))
    found = calibrate(played("felt"), side_mm=side_mm, with_reader=True, seat0="left")
    assert found.table.zones_of(at) == [3, 0, 1, 2]
    corners = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    turned = {seat0: turned_to(corners, seat0)[0] for seat0 in ("bottom", "left", "top", "right")}
    assert turned == {"bottom": (0, 0), "left": (9, 0), "top": (9, 9), "right": (0, 9)}


def test_table_without_cards_dominoes_or_edges_is_told() -> None:
    """What is missing, and what to do."""
    bare = backdrop(STRAIGHT).picture().bgr
    with pytest.raises(CannotCalibrate, match="but no card and 0 of those are seen"):
        calibrate(bare, with_reader=True)
    with pytest.raises(CannotCalibrate, match="four edges 2400 mm apart"):
        calibrate(played("felt"), side_mm=2400.0, with_reader=True)


def test_median_forgets_a_hand() -> None:
    """A hand that crosses a few of the frames leaves no trace in their median; other sizes are refused."""
    table = backdrop(STRAIGHT)
    frames = [table.picture([Reaching(0, 0, 200)] if n < 2 else ()).bgr for n in range(5)]
    clean = cv2.absdiff(median_of(frames), cv2.blur(table.picture().bgr, (1, 1)))
    assert float(np.percentile(clean, 99)) < 10
    with pytest.raises(CannotCalibrate, match="pictures of one size, got 1280x720, 640x360"):
        median_of([frames[0], np.asarray(cv2.resize(frames[0], (640, 360)), np.uint8)])
    with pytest.raises(CannotCalibrate, match="got none"):
        median_of([])


def test_lying_is_drawn_where_it_is_said() -> None:
    """The drawn cards are the truth of these tests: a domino drawn at a card's middle lies there too."""
    place = np.array(((-418.0, 418.0),))
    table = backdrop(STRAIGHT)
    table.lay([Lying(1, 1, -418.0, 418.0, 0.0)])
    corners = np.array(table.picture().corners[0])
    table.lay(())
    assert np.hypot(*(corners.mean(axis=0) - flat(STRAIGHT, place)[0])) < 4
