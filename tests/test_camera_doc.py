"""docs/camera.md against the code: the table of heights, what passes, what is told after how long."""

import math
import re
from pathlib import Path

import pytest

from controller.config import CameraConfig
from vision import calibration, cards
from vision.geometry import Table
from vision.layout import DOMINO_LENGTH_MM
from vision.vigil import LOOKS, VigilParams

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "camera.md").read_text(encoding="utf-8")
WIDTH_DEG, HEIGHT_DEG = (66.0, 102.0), (41.0, 67.0)
"""Module 3 and the wide one, by the maker's documentation; the first evening says the same."""
NUMBER = r"([\d.]+)(?: m)?"
ROWS = re.findall(rf"^\| {' [|] '.join([NUMBER] * 7)} \|$", TEXT, re.MULTILINE)


def half_px(height_mm: float, width_deg: float, width_px: int) -> float:
    """Side of a half by the calibration's own measure, under a camera straight above a table."""
    focal_px = width_px / 2 / math.tan(math.radians(width_deg) / 2)
    reach_px = focal_px * 450 / height_mm
    corners = [(u * reach_px, v * reach_px) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    table = Table((corners[0], corners[1], corners[2], corners[3]))
    return calibration.smallest_half_px(table, DOMINO_LENGTH_MM)


def test_angles_are_said_once_and_for_all() -> None:
    """This page and the first evening take the cameras' angles from one place."""
    evening = (ROOT / "docs" / "first-evening.md").read_text(encoding="utf-8")
    for width, height in zip(WIDTH_DEG, HEIGHT_DEG, strict=True):
        assert f"{width:.0f}° by {height:.0f}°" in TEXT
        assert re.search(rf"{width:.0f}° by\s+{height:.0f}°", evening)


def test_table_of_heights_is_what_the_calibration_measures() -> None:
    """Each height's pixels per half and what the camera sees of the table."""
    assert len(ROWS) >= 10
    for row in ROWS:
        height_mm, *said = (float(value) for value in row)
        height_mm *= 1000
        for camera in (0, 1):
            small, sees_m, large = said[3 * camera : 3 * camera + 3]
            assert small == pytest.approx(half_px(height_mm, WIDTH_DEG[camera], 1280), abs=0.051)
            assert large == pytest.approx(half_px(height_mm, WIDTH_DEG[camera], 1920), abs=0.051)
            sees_mm = 2 * height_mm * math.tan(math.radians(HEIGHT_DEG[camera]) / 2)
            assert sees_m == pytest.approx(sees_mm / 1000, abs=0.0051)


def test_heights_that_are_advised_show_the_table_and_can_be_read() -> None:
    """At both ends of each advice a table of 900 mm is in the picture and a half has enough pixels."""
    advised = re.findall(r"Module 3( Wide)? \|.*?\| ([\d.]+) to ([\d.]+) m \|", TEXT)
    assert len(advised) == 2
    for wide, *ends in advised:
        camera, width_px = (1, 1920) if wide else (0, 1280)
        for end in ends:
            height_mm = 1000 * float(end)
            assert 2 * height_mm * math.tan(math.radians(HEIGHT_DEG[camera]) / 2) > 920
            assert half_px(height_mm, WIDTH_DEG[camera], width_px) > 15


def test_what_passes_is_what_the_code_asks() -> None:
    """The limits of the page are those of the score."""
    for said in (
        f"| error | {calibration.MOST_ERROR_MM:g} mm or less",
        f"within {100 * calibration.MOST_STRETCH:g} % of `table.side_mm`",
        f"within {200 * calibration.MOST_STRETCH:g} % of `--domino`",
        f"| a half | {calibration.LEAST_HALF_PX:g} pixels or more",
        f"{100 * calibration.LEAST_IN_VIEW:g} % of the table, and all of its middle square",
        f"at most {calibration.MOST_EDGE_PX:g} pixels from dark to light, or a fifth of a half",
        f"The reader needs {calibration.LEAST_HALF_PX:g};",
        "dominoes or more in its middle, not in a corner, and run the same",
        f"it is {cards.RULER_MM:g} mm",
    ):
        assert said in TEXT, said
    assert calibration.EDGE_SHARE == 1 / 5
    assert calibration.LEAST_DOMINOES == 3
    assert CameraConfig().mains_hz == 50


def test_what_is_told_and_after_how_long_is_what_the_vigil_does() -> None:
    """Each code with its time; flicker needs a window of looks before."""
    params = VigilParams()
    told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", TEXT, re.MULTILINE))
    assert told.keys() == {*LOOKS, "not_held"}
    seconds = {code: int(re.match(r"\d+", text)[0]) for code, text in told.items() if code != "not_held"}  # type: ignore[index]
    assert seconds == {**LOOKS, "light_flickers": LOOKS["light_flickers"] + params.window}
    assert f"{params.moved_mm:g} mm or more; with nothing where it was {params.lost} s" in told["camera_moved"]
    assert f"{100 * params.flicker:g} % or more" in told["light_flickers"]
    assert math.exp(-params.lighter) == pytest.approx(2 / 3, abs=0.01)
    assert math.exp(params.lighter) == pytest.approx(1.5, abs=0.02)
    assert math.expm1(params.tinted) == pytest.approx(0.15, abs=0.01)
