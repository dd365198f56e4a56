"""docs/hardware.md against the code: its tables, drawings, how many of each part, and the numbers it reckons with."""

from __future__ import annotations

import math
import re
from pathlib import Path

from hardware.blocks import PIXEL_MA, RING_PIXELS, SEATS
from hardware.lamps import PIXEL_FULL
from hardware.plan import BUTTON_FILTER, RESISTOR, Kind, Plan, board_plan, markdown_table, pins_plan
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING, RESERVED

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "hardware.md").read_text(encoding="utf-8")
PINS, RINGS, LEDS = pins_plan(DEFAULT_WIRING), board_plan(), board_plan(Kind.LEDS)


def how_many(part: str, below: str) -> int:
    """The number in the list of parts of one chapter."""
    chapter = TEXT.split(f"### {below}")[1].split("\n### ")[0].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in chapter.splitlines() if line[:1] == "|"]
    return sum(int(row[2].split()[0]) for row in rows if part in f"{row[0]} {row[1]}" and row[2][:1].isdigit())


def through(plan: Plan, part: str) -> int:
    """How many cores of a plan go through a part."""
    return sum(part in lead.through for place in plan.places for lead in place.leads)


def test_tables_are_what_the_command_prints() -> None:
    """Nobody copies a pin's number by hand."""
    assert markdown_table(PINS) in TEXT
    assert markdown_table(RINGS) in TEXT


def test_drawings_are_in_the_page() -> None:
    """Those that a test holds against the command."""
    assert re.findall(r"\(([\w-]+\.svg)\)", TEXT) == ["wiring-pins.svg", "wiring-board.svg", "wiring-board-leds.svg"]


def test_parts_are_as_many_as_are_drawn() -> None:
    """Who buys by the list has enough and nothing over."""
    both, leds, rings = "For both ways", "For the pins, and for a board with plain LEDs", "For a board with rings"
    filters = through(PINS, BUTTON_FILTER)
    assert filters == through(RINGS, BUTTON_FILTER) == how_many("push button", both) == how_many("100 nF", both)
    assert how_many("1 kΩ", both) == how_many("10 kΩ", both) == filters + 1
    assert how_many("cable 3 ×", both) == len(PINS.places)
    assert how_many(RESISTOR, leds) == how_many("LED", leds) == through(PINS, RESISTOR) == through(LEDS, RESISTOR)
    assert how_many(RESISTOR, rings) == through(RINGS, RESISTOR)
    assert how_many("ring 16 × WS2812B", rings) == how_many("1000 µF", rings) == how_many("fuse", rings) == SEATS


def test_sums_come_out() -> None:
    """The little computations of the page, done again."""
    amperes = SEATS * RING_PIXELS * PIXEL_MA / 1000
    assert f"{SEATS} × {RING_PIXELS} × {PIXEL_MA} mA = {amperes:.2f} A" in TEXT
    assert f"{amperes:.2f} A × {PIXEL_FULL} / 255 = {amperes * PIXEL_FULL / 255:.2f} A" in TEXT
    assert f"(3.3 − 2.0) / 470 = {(3.3 - 2.0) / 470 * 1000:.1f} mA" in TEXT
    assert f"(3.3 − 0.7) / 1 kΩ = {3.3 - 0.7:.1f} mA" in TEXT
    assert f"11 kΩ × 100 nF × ln(3.3 / 1.3) = {11e3 * 100e-9 * math.log(3.3 / 1.3) * 1000:.1f} ms" in TEXT
    assert f"3.3 V × 1 kΩ / (33 kΩ + 1 kΩ) = {3.3 / 34:.1f} V" in TEXT
    assert f"3.3 V / 10 kΩ = {3.3 / 10:.2f} mA" in TEXT
    assert f"470 Ω × 15 pF (the input of a WS2812B) = {470 * 15e-3:.0f} ns" in TEXT
    a_metre = 0.0172 / 0.25
    assert f"{a_metre:.3f} Ω a metre and core, there and back {6 * a_metre:.2f} Ω" in TEXT
    assert round(6 * a_metre * amperes / SEATS, 1) == 0.4
    assert f"(150 pF) is {150e-12 * 8000 * 1e6:.1f} µC, which lifts 100 nF by {150e-12 * 8000 / 100e-9:.0f} V" in TEXT


def test_page_says_which_pins_are_refused_and_free() -> None:
    """The reserved ones by number, and what is left over."""
    used = {getattr(seat, name) for seat in DEFAULT_WIRING.seats for name in ("button", "green", "yellow", "red")}
    used |= {DEFAULT_WIRING.referee_lamp, DEFAULT_WIRING.acknowledge, DEFAULT_WIRING.buzzer}
    free = sorted(set(range(28)) - used - set(RESERVED))
    assert f"Free: GPIO {', '.join(map(str, free))}." in TEXT
    assert "docs/hardware.md" in (PinSeats.__doc__ or "")


def test_camera_sees_the_table_from_the_height_that_the_page_says() -> None:
    """The narrower direction of either lens, from its angle, against a table of 0.9 m."""
    page = (ROOT / "docs" / "first-evening.md").read_text(encoding="utf-8")
    for height_m, angle_deg in ((1.3, 41), (0.8, 67)):
        seen_m = 2 * height_m * math.tan(math.radians(angle_deg / 2))
        assert f"{seen_m:.2f} m" in page
        assert f"from {height_m} m" in page
        assert seen_m > 0.9
