"""The page of cards as a printer prints it, and the cards as a camera sees them."""

from xml.etree import ElementTree as ET

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cards import CARD_MM, MARKER_MM, PLACES, find_cards, page_svg

PX_PER_MM = 4
LEVELS = {"#fff": 255, "#000": 0}


def printed(svg: str) -> NDArray[np.uint8]:
    """The boxes of the page as they come out of a printer, in millimetres as the file says."""
    root = ET.fromstring(svg)
    assert root.attrib["width"] == f"{root.attrib['viewBox'].split()[2]}mm", "one unit is one millimetre"
    assert root.attrib["height"] == f"{root.attrib['viewBox'].split()[3]}mm", "one unit is one millimetre"
    width, height = (float(v) for v in root.attrib["viewBox"].split()[2:])
    page = np.full((round(height * PX_PER_MM), round(width * PX_PER_MM)), 128, np.uint8)
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        if box.attrib["fill"] in LEVELS:
            x, y, w, h = (round(float(box.attrib[key]) * PX_PER_MM) for key in ("x", "y", "width", "height"))
            page[y : y + h, x : x + w] = LEVELS[box.attrib["fill"]]
    return np.asarray(cv2.cvtColor(page, cv2.COLOR_GRAY2BGR), np.uint8)


def test_page_is_a_small_table_with_cards_of_their_true_size() -> None:
    """Every card is found on the printed page, in its size, at its place round the middle, none turned."""
    seen = find_cards(printed(page_svg()))
    assert seen.keys() == PLACES.keys()
    middle = np.mean([seen[card].mean(axis=0) for card in range(4)], axis=0)
    for card, (u, v) in PLACES.items():
        corners_mm = (seen[card] + 0.5 - (middle + 0.5)) / PX_PER_MM
        ideal = np.array((u, v)) * CARD_MM + MARKER_MM / 2 * np.array(((-1, -1), (1, -1), (1, 1), (-1, 1)))
        assert np.abs(corners_mm - ideal).max() < 0.2


@pytest.mark.parametrize("cells", [0.05, 0.1, 0.2])
def test_corners_are_where_they_are_however_soft_the_picture(cells: float) -> None:
    """A picture out of focus moves a marker's corner neither in nor out."""
    page = printed(page_svg())
    sharp = find_cards(page)
    soft = find_cards(np.asarray(cv2.GaussianBlur(page, (0, 0), cells * MARKER_MM / 6 * PX_PER_MM), np.uint8))
    assert soft.keys() == PLACES.keys()
    assert max(float(np.abs(soft[card] - sharp[card]).max()) for card in PLACES) < 0.3


def test_card_seen_twice_counts_for_nothing() -> None:
    """Of two cards with one number nobody knows which is meant; the others are still found."""
    page = printed(page_svg())
    twice = np.hstack((page, page))
    twice[: page.shape[0] // 2, page.shape[1] :] = 255
    seen = find_cards(np.asarray(twice, np.uint8))
    assert 0 < len(seen) < len(PLACES)
    assert 1 in seen
    assert 0 not in seen


def test_dominoes_and_noise_are_no_cards() -> None:
    """Nothing is found where no card is."""
    noise = np.random.default_rng(5).integers(0, 256, (360, 640, 3), dtype=np.uint8)
    assert find_cards(noise) == {}
