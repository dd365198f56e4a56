"""The table in the picture: there and back, scale, zones, and corners that make no table."""

import numpy as np
import pytest

from vision.geometry import Table
from vision.rig import Rig

TILTED = Table(corners_px=((200.0, 60.0), (1100.0, 80.0), (1180.0, 690.0), (120.0, 700.0)))
STRAIGHT = Table(corners_px=((100.0, 50.0), (1000.0, 50.0), (1000.0, 950.0), (100.0, 950.0)))


def test_millimetres_and_pixels_go_there_and_back() -> None:
    """A point keeps its place through both directions, alone or in a list."""
    points = np.random.default_rng(1).uniform(-440, 440, (50, 2))
    assert np.allclose(TILTED.to_mm(TILTED.to_px(points)), points, atol=1e-3)
    assert TILTED.to_mm((640.0, 360.0)).shape == (2,)


def test_the_corners_are_the_corners() -> None:
    """The picture's top left corner is at (-450, -450), the bottom right at (450, 450)."""
    assert np.allclose(TILTED.to_mm(TILTED.corners_px), [(-450, -450), (450, -450), (450, 450), (-450, 450)], atol=1e-3)


def test_the_scale_is_pixels_by_millimetres() -> None:
    """900 pixels across 900 mm are one pixel a millimetre."""
    assert STRAIGHT.px_per_mm == pytest.approx(1.0, abs=1e-6)
    assert 0.6 < TILTED.px_per_mm < 1.2


@pytest.mark.parametrize(
    ("point_px", "zone"),
    [
        ((550, 500), "line"),
        ((550, 900), 0),
        ((150, 500), 1),
        ((550, 100), 2),
        ((950, 500), 3),
        ((550, 820.5), 0),
        ((550, 819.5), "line"),
        ((120, 900), 1),
        ((180, 930), 0),
        ((50, 500), None),
        ((550, 960), None),
    ],
)
def test_each_seat_has_the_strip_along_its_edge(point_px: tuple[float, float], zone: object) -> None:
    """Seat 0 sits at the picture's bottom, then clockwise; the middle is the line's."""
    assert STRAIGHT.zones_of([point_px]) == [zone]


@pytest.mark.parametrize(
    "corners",
    [
        ((100, 50), (100, 950), (1000, 950), (1000, 50)),
        ((100, 50), (1000, 50), (500, 60), (100, 950)),
        ((1, 1), (1, 1), (1, 1), (1, 1)),
        ((float("nan"), 0), (1, 0), (1, 1), (0, 1)),
    ],
)
def test_corners_that_make_no_table_are_refused(corners: tuple[tuple[float, float], ...]) -> None:
    """Anticlockwise, dented, collapsed or unknown corners are told in one sentence."""
    with pytest.raises(ValueError, match="expected four table corners clockwise"):
        Table(corners_px=corners)  # type: ignore[arg-type]  # wrong on purpose


def test_a_zone_deeper_than_the_table_is_refused() -> None:
    """The strips of two seats may not meet."""
    with pytest.raises(ValueError, match="expected 0 <= zone_mm"):
        Table(corners_px=STRAIGHT.corners_px, side_mm=200, zone_mm=100)


def test_a_table_is_the_same_in_a_part_of_the_picture() -> None:
    """Cut the picture, and each point keeps its millimetres, whatever the lens bends."""
    rig = Rig(1280, 960, tilt_deg=15, k1=-0.1)
    table = rig.table()
    part = table.within(130, 70)
    points = np.array(((400.0, 300.0), (900.0, 610.0)))
    assert part.to_mm(points - (130, 70)) == pytest.approx(table.to_mm(points))
    assert part.to_px(table.to_mm(points)) == pytest.approx(points - (130, 70), abs=0.01)
