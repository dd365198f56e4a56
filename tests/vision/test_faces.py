"""What is looked at on a known table: places as the camera sees them lie there."""

import numpy as np
import pytest

from vision.cut import poses_of, quads_of
from vision.faces import Eyes
from vision.layout import Lying
from vision.look import Look
from vision.networks import network
from vision.render import render
from vision.rig import Rig

RIG = Rig(1280, 960, distance_mm=700, tilt_deg=20, k1=-0.08)


def picture() -> tuple[np.ndarray, np.ndarray]:
    """Dominoes in the corners of a tilted table, and their corners in the picture, shape (3, 4, 2)."""
    dominoes = [Lying(3, 2, 390, 380, 30), Lying(5, 1, -390, 370, 75), Lying(6, 4, 380, -390, 140)]
    drawn = render(dominoes, rig=RIG, look=Look(), rng=np.random.default_rng(0))
    return drawn.bgr, np.array(drawn.corners)


def test_a_place_on_a_known_table_is_as_slanted_as_the_camera_sees_it() -> None:
    """Taken as seen from above the corners are off by more than a pixel, put onto the table they are not."""
    bgr, corners = picture()
    places = poses_of(corners)
    above = np.abs(quads_of(places) - corners).mean()
    table = np.abs(Eyes(network("faces"), bgr, RIG.table()).quads(places) - corners).mean()
    assert above > 1
    assert table < above / 3


def test_without_a_table_places_are_seen_from_above() -> None:
    """Nothing else is known then."""
    bgr, corners = picture()
    places = poses_of(corners)
    assert Eyes(network("faces"), bgr).quads(places) == pytest.approx(quads_of(places))


def test_shades_tell_a_white_domino_from_the_table() -> None:
    """Of the table beside a domino no colour is as bright."""
    bgr, corners = picture()
    places = poses_of(corners)
    eyes = Eyes(network("faces"), bgr)
    beside = places + np.array((0.0, 120.0, 0.0, 0.0)) * np.sign(480 - places[:, 1:2])
    assert (eyes.shades(places) - eyes.shades(beside)).min() > 0.5
