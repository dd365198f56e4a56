"""The drawing of the wiring: every wire is there, with its right number, and can be read."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from hardware.drawing import HEIGHT, WIDTH, draw
from hardware.plan import Kind, Plan, board_plan, pins_plan
from hardware.routes import Wire, tracks
from hardware.sheet import width_of
from hardware.wiring import DEFAULT_WIRING, SeatPins, Wiring, problems
from tests.hardware.drawings import SVG, overlapping, stretches_of, words_of

PLANS = {"pins": pins_plan(DEFAULT_WIRING), "rings": board_plan(), "leds": board_plan(Kind.LEDS)}
PLANS |= {f"pins-{kind.value}": pins_plan(DEFAULT_WIRING, kind) for kind in (Kind.PWM, Kind.RGB)}
FONTS = Path("/usr/share/fonts/truetype/dejavu")


def svg_of(plan: Plan) -> str:
    return draw(plan, table="table1")


@st.composite
def wirings(draw_from: st.DrawFn) -> Wiring:
    """Any wiring that the program accepts."""
    outputs = draw_from(st.permutations([pin for pin in range(9, 28) if pin not in (14, 15)]))
    spare, outputs = outputs[14:], outputs[:14]
    buttons = draw_from(st.permutations([*range(2, 9), *spare]))
    seats = [SeatPins(buttons[seat], *outputs[3 * seat : 3 * seat + 3]) for seat in range(4)]
    return Wiring((seats[0], seats[1], seats[2], seats[3]), outputs[12], buttons[4], outputs[13])


@pytest.mark.parametrize("name", PLANS)
def test_drawing_is_well_formed_and_lies_on_its_sheet(name: str) -> None:
    """It is SVG with a title for those who cannot see it, on A4, and nothing sticks out."""
    svg = svg_of(PLANS[name])
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert "table1" in (root.findtext(f"{SVG}title") or "")
    assert float(root.attrib["width"].removesuffix("mm")) == 297
    assert float(root.attrib["height"].removesuffix("mm")) <= 210
    for words in words_of(svg):
        assert 0 <= words.left < words.right <= WIDTH, words
        assert 0 <= words.top < words.bottom <= HEIGHT, words


@pytest.mark.parametrize("name", PLANS)
def test_no_two_labels_overlap(name: str) -> None:
    """Every word can be read, also where the font is a wide one."""
    assert overlapping(svg_of(PLANS[name])) == []


@pytest.mark.parametrize("name", PLANS)
def test_every_wire_is_labelled_at_both_ends(name: str) -> None:
    """At the socket with what it is, at the place with its pin's number; nobody needs the colours."""
    plan = PLANS[name]
    texts = [words.text for words in words_of(svg_of(plan))]
    for place in plan.places:
        short = "R" if place.name == "referee" else f"S{place.name[-1]}"
        pins = [lead.pin.number for lead in place.leads if lead.pin]
        for lead in place.leads:
            assert lead.core in texts
            if lead.pin is not None:
                assert texts.count(f"pin {lead.pin.number}") == pins.count(lead.pin.number)
                what = "GND × 2" if pins.count(lead.pin.number) > 1 else lead.what
                assert f"{short} {what}" in texts
    assert texts.count("X1 +5 V") == (6 if name == "rings" else 0)


@pytest.mark.parametrize("name", PLANS)
def test_every_pin_of_the_socket_is_drawn_with_number_and_name(name: str) -> None:
    """So that one can count from any of them."""
    plan = PLANS[name]
    texts = [words.text for words in words_of(svg_of(plan))]
    for pin in plan.socket.pins:
        assert str(pin.number) in texts
        assert pin.name in texts


@settings(max_examples=40, deadline=None)
@given(wirings())
def test_any_wiring_can_be_read(wiring: Wiring) -> None:
    """Wherever the pins are: no words on words, and no wire along another one's way."""
    assert problems(wiring) == ()
    svg = svg_of(pins_plan(wiring))
    assert overlapping(svg) == []
    for one, other in combinations(stretches_of(svg), 2):
        assert one.ink == other.ink or not one.lies_on(other)


def test_the_same_wiring_gives_the_same_drawing() -> None:
    """What is committed changes only where the wiring does."""
    assert svg_of(PLANS["pins"]) == svg_of(pins_plan(DEFAULT_WIRING))


def test_room_for_words_is_what_the_widest_font_takes() -> None:
    """The estimate is held against DejaVu Sans Bold, where it is installed."""
    if not (FONTS / "DejaVuSans-Bold.ttf").exists():
        pytest.skip("needs the font DejaVu Sans")
    pdfmetrics.registerFont(TTFont("widest", str(FONTS / "DejaVuSans-Bold.ttf")))
    texts = {words.text for plan in PLANS.values() for words in words_of(svg_of(plan)) if len(words.text) > 1}
    for text in texts:
        assert pdfmetrics.stringWidth(text, "widest", 11) <= width_of(text, 11), text


def test_wires_that_need_not_cross_do_not() -> None:
    """Wires in the same order at both ends keep it on the way, up or down."""
    ups = [Wire(begin=500 + 36 * at, end=100 + 36 * at, net=at) for at in range(6)]
    assert tracks(ups) == (0, 1, 2, 3, 4, 5)
    downs = [Wire(begin=100 + 36 * at, end=500 + 36 * at, net=at) for at in range(6)]
    assert tracks(downs) == (5, 4, 3, 2, 1, 0)
    assert tracks([]) == ()
