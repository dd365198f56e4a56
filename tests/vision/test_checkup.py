"""What a technician is told of one picture: light, sharpness, the table, the domino that lies there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.checkup import Checkup, check
from vision.geometry import Table
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop
from vision.rig import Rig

Bgr8 = NDArray[np.uint8]
RIG = Rig(1440, 1080)
TABLE = RIG.table()


@pytest.fixture(scope="module")
def laid() -> Bgr8:
    """A table with 6-4 in its middle."""
    backdrop = Backdrop(RIG, Look(), np.random.default_rng(5))
    backdrop.lay([LineLayout(np.random.default_rng(5)).first(6, 4)])
    return backdrop.picture().bgr


def checkup(bgr: Bgr8, table: Table | None = TABLE) -> Checkup:
    """A look with the real reader."""
    return check(bgr, read=lambda picture: read(picture, table=table), table=table)


def test_good_picture_is_told_as_it_is(laid: Bgr8) -> None:
    """Its size, the domino with its halves, and edges of about two pixels."""
    seen = checkup(laid)
    assert (seen.width_px, seen.height_px, seen.table_in_view) == (1440, 1080, True)
    (domino,) = seen.dominoes
    assert {domino.a, domino.b} == {6, 4}
    assert domino.confidence > 0.9
    assert seen.half_px is not None
    assert seen.edge_px is not None
    assert 25 < seen.half_px < 31
    assert seen.edge_px < 3
    assert 40 < seen.brightness < 120


def test_blur_widens_the_edges_and_dark_does_not(laid: Bgr8) -> None:
    """How sharp a picture is has nothing to do with how light it is."""
    blurred = checkup(np.asarray(cv2.GaussianBlur(laid, (0, 0), 3), np.uint8))
    dark = checkup((laid * 0.3).astype(np.uint8))
    assert blurred.edge_px is not None
    assert dark.edge_px is not None
    assert blurred.edge_px > 6
    assert dark.edge_px < 3
    assert dark.brightness < 25 < blurred.brightness


def test_glare_is_the_white_share_of_the_table_alone(laid: Bgr8) -> None:
    """A white floor beside the table is none."""
    outside, inside = laid.copy(), laid.copy()
    outside[:, :40] = 255
    inside[300:800, 400:1000] = 255
    assert checkup(outside).glare < 0.01
    assert checkup(inside).glare > 0.2


def test_corner_outside_the_picture_is_told_and_an_unknown_table_is_not_judged(laid: Bgr8) -> None:
    """The corners of another frame size do not fit."""
    half = np.asarray(cv2.resize(laid, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    assert check(half, read=lambda bgr: Reading(), table=TABLE).table_in_view is False
    nothing = check(half, read=lambda bgr: Reading(), table=None)
    assert (nothing.table_in_view, nothing.dominoes, nothing.edge_px, nothing.half_px) == (None, (), None, None)
