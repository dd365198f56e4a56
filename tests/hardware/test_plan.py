"""Which core goes to which pin: numbers of the header against a table that others keep, grounds, and the tables."""

from __future__ import annotations

import ast
from pathlib import Path

from gpiozero.pins.mock import MockFactory

from hardware.plan import CORES, GATES, Kind, board_plan, markdown_table, pins_plan, text_table
from hardware.sockets import BOARD_PINS, GROUND, HEADER, PICO
from hardware.wiring import DEFAULT_WIRING, HEADER_PINS

# Raspberry Pi Pico Datasheet: the physical pins of GP0 to GP22 and GP26 to GP28, and of ground.
PICO_GP = dict(
    zip(
        [*range(23), 26, 27, 28],
        [1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 31, 32, 34],
        strict=True,
    )
)
PICO_GROUND = [3, 8, 13, 18, 23, 28, 38]


def test_header_is_the_published_one() -> None:
    """Number, name, column and row of all forty pins are those of gpiozero's own board data."""
    published = MockFactory().board_info.headers["J8"].pins
    assert len(HEADER.pins) == len(published) == 40
    for pin in HEADER.pins:
        theirs = published[pin.number]
        assert pin.name.replace(" ", "") == theirs.name.replace("3V3", "3.3V")
        assert (pin.row + 1, 2 if pin.is_right else 1) == (theirs.row, theirs.col)


def test_every_gpio_has_one_pin_on_the_header() -> None:
    """What may be configured can be found."""
    assert [HEADER.named(f"GPIO {number}").name for number in HEADER_PINS]
    assert len({HEADER.named(f"GPIO {number}").number for number in HEADER_PINS}) == len(HEADER_PINS)


def test_pico_is_the_published_one() -> None:
    """Numbers of every GP, of ground and of power; 1 to 20 go down on the left, 21 to 40 up on the right."""
    assert {number: PICO.named(f"GP{number}").number for number in PICO_GP} == PICO_GP
    assert [pin.number for pin in PICO.grounds] == PICO_GROUND
    assert (PICO.named("VBUS").number, PICO.named("VSYS").number, PICO.named("3V3(OUT)").number) == (40, 39, 36)
    assert [PICO.numbered(number).row for number in (1, 20, 21, 40)] == [0, 19, 19, 0]
    assert [PICO.numbered(number).is_right for number in (1, 20, 21, 40)] == [False, False, True, True]


def test_every_configured_pin_is_in_the_plan_with_its_header_number() -> None:
    """Nothing of the configuration is left out, nothing is moved."""
    plan = pins_plan(DEFAULT_WIRING)
    found = {(place.name, lead.what): lead.pin.name for place in plan.places for lead in place.leads if lead.pin}
    for seat, pins in enumerate(DEFAULT_WIRING.seats):
        for what in ("button", "green", "yellow", "red"):
            assert found[f"seat {seat}", what] == f"GPIO {getattr(pins, what)}"
    assert found["referee", "lamp"] == f"GPIO {DEFAULT_WIRING.referee_lamp}"
    assert found["referee", "acknowledge"] == f"GPIO {DEFAULT_WIRING.acknowledge}"
    assert found["referee", "buzzer"] == f"GPIO {DEFAULT_WIRING.buzzer}"


def test_each_place_has_a_ground_pin_of_its_own() -> None:
    """No two places share a ground pin, and no pin is used twice but for ground."""
    for plan in (pins_plan(DEFAULT_WIRING), board_plan(), board_plan(Kind.LEDS)):
        grounds = [{lead.pin for lead in p.leads if lead.pin and lead.pin.name == GROUND} for p in plan.places]
        assert all(len(pins) == 1 for pins in grounds)
        assert len(set.union(*grounds)) == len(plan.places)
        others = [lead.pin for p in plan.places for lead in p.leads if lead.pin and lead.pin.name != GROUND]
        assert len(set(others)) == len(others)


def test_board_uses_no_pin_twice() -> None:
    """And leaves the console's pins alone."""
    pins = BOARD_PINS
    used = [
        *pins.buttons,
        pins.acknowledge,
        pins.referee_lamp,
        pins.buzzer,
        *(pin for seat in pins.lamps for pin in seat),
    ]
    assert len(set(used)) == len(used)
    assert not {0, 1} & set(used), "GP0 and GP1 are the console of a board that is looked into"


def test_board_is_drawn_with_the_pins_of_its_firmware() -> None:
    """Read from the firmware's source: it imports what only a board has."""
    source = Path(__file__).parents[2] / "firmware_bridge" / "firmware" / "pins.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = {
        target.id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.endswith(("_PIN", "_PINS"))
    }
    assert found["BUTTON_PINS"] == (*BOARD_PINS.buttons, BOARD_PINS.acknowledge)
    assert [(first, first + 1, first + 2) for first in found["LAMP_PINS"]] == list(BOARD_PINS.lamps)
    assert (found["REFEREE_PIN"], found["BUZZER_PIN"]) == (BOARD_PINS.referee_lamp, BOARD_PINS.buzzer)


def test_amperes_of_the_rings_stay_out_of_the_board() -> None:
    """Their plus and minus come from the supply."""
    for place in board_plan().places[:4]:
        assert [lead.pin for lead in place.leads if lead.what in ("ring +5 V", "ring GND")] == [None, None]


def test_gates_are_those_of_a_74ahct125() -> None:
    """Four gates, eight legs; the rest is enable (1, 4, 10, 13), ground (7) and plus (14)."""
    assert sorted(leg for gate in GATES for leg in gate) == [2, 3, 5, 6, 8, 9, 11, 12]


def test_table_has_every_lead_and_says_where_ground_is() -> None:
    """One line for each core; the colours are words as well as letters."""
    plan = pins_plan(DEFAULT_WIRING)
    text = text_table(plan)
    assert "seat 0   button            GPIO 5   29   WH white   button filter" in text
    assert "ground (GND): pins 6, 9, 14, 20, 25, 30, 34, 39" in text
    assert sum(f"  {letters} {colour} " in text_table(plan) for letters, colour in CORES.items()) == len(CORES)
    assert len([line for line in text.splitlines() if line.startswith(("seat", "referee"))]) == 30
    assert len(markdown_table(plan).splitlines()) == 2 + 30
    assert "| seat 3 | red | GPIO 21 | 40 | PK pink | 470 Ω |" in markdown_table(plan)
