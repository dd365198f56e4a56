"""Where the next domino of a line would lie: every way in which dominoes touch, and no way into one another."""

import math

import numpy as np
import pytest

from vision.growth import neighbours
from vision.layout import LineLayout
from vision.packing import crossing

POSES = np.array([(100.0, 80.0, 0.4, 20.0), (300.0, 200.0, -1.2, 31.0)])


@pytest.mark.parametrize("beside", [False, True])
def test_neighbours_touch_and_lie_in_none(beside: bool) -> None:
    """Each is clear of its domino, as large, and no farther off than touching needs."""
    places = neighbours(POSES, beside=beside).reshape(2, 20 if beside else 14, 4)
    for pose, around in zip(POSES, places, strict=True):
        assert not crossing(around.astype(np.float32), pose[None].astype(np.float32)).any()
        assert np.hypot(*(around[:, :2] - pose[:2]).T).max() < 2.1 * pose[3]
        assert (around[:, 3] == pose[3]).all()


def test_a_line_as_people_lay_it_grows_by_neighbours() -> None:
    """Doubles, corners and sloppy joints: the next domino lies within a third of a half of where one was expected."""
    layout = LineLayout(np.random.default_rng(4), sloppiness=1.5)
    layout.first(6, 6)
    for number in range(1, 20):
        layout.add("R", (6 - number) % 7, (5 - number) % 7)
    for before, after in zip(layout.lying, layout.lying[1:], strict=False):
        side = 24.0
        places = neighbours(np.array([(before.x_mm, before.y_mm, math.radians(before.angle_deg), side)]))
        apart = np.hypot(places[:, 0] - after.x_mm, places[:, 1] - after.y_mm)
        turned = np.abs(np.sin(places[:, 2] - math.radians(after.angle_deg)))
        assert ((apart < side / 3) & (turned < 0.3)).any()
