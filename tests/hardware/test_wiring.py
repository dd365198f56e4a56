"""What is wrong with a choice of pins is said before any pin is opened."""

from dataclasses import replace

import pytest

from hardware.wiring import DEFAULT_WIRING, SeatPins, Wiring, outputs, problems


def test_default_wiring_has_no_problems() -> None:
    """The wiring we recommend is one we accept."""
    assert problems(DEFAULT_WIRING) == ()


@pytest.mark.parametrize(
    ("wiring", "says"),
    [
        (replace(DEFAULT_WIRING, buzzer=17), "GPIO 17 is given to seat 0's green lamp and to the buzzer"),
        (replace(DEFAULT_WIRING, acknowledge=28), "the acknowledge button must be a BCM number from 0 to 27, got 28"),
        (replace(DEFAULT_WIRING, acknowledge=-1), "from 0 to 27, got -1"),
        (replace(DEFAULT_WIRING, acknowledge=1), "GPIO 1 cannot be the acknowledge button: it reads the ID EEPROM"),
        (replace(DEFAULT_WIRING, buzzer=14), "GPIO 14 cannot be the buzzer: the serial console talks on it"),
        (replace(DEFAULT_WIRING, buzzer=3), "GPIO 3 cannot be the buzzer: it is pulled up at power-on"),
        (replace(DEFAULT_WIRING, referee_lamp=2), "it would light or sound before the program starts"),
    ],
)
def test_problem_is_one_sentence_that_names_the_pin(wiring: Wiring, says: str) -> None:
    """One mistake gives one sentence, with the pin and its use."""
    (sentence,) = problems(wiring)
    assert says in sentence
    assert sentence.endswith(".")


def test_problems_are_all_told_at_once() -> None:
    """Nobody has to start the program once for each mistake."""
    pins = SeatPins(button=5, green=15, yellow=40, red=22)
    wiring = replace(DEFAULT_WIRING, seats=(pins, *DEFAULT_WIRING.seats[1:]), buzzer=22)
    assert len(problems(wiring)) == 3


def test_button_may_sit_on_a_pin_with_a_fixed_pull_up() -> None:
    """GPIO 3 has the pull-up a button wants."""
    assert problems(replace(DEFAULT_WIRING, acknowledge=3)) == ()


def test_outputs_are_all_that_lights_or_sounds_and_the_buzzer_is_first() -> None:
    """Twelve lamps of the seats, the referee's, and the buzzer, which must be silent before anything else is dark."""
    assert outputs(DEFAULT_WIRING)[:2] == (DEFAULT_WIRING.buzzer, DEFAULT_WIRING.referee_lamp)
    buttons = {DEFAULT_WIRING.acknowledge, *(seat.button for seat in DEFAULT_WIRING.seats)}
    assert len(set(outputs(DEFAULT_WIRING)) - buttons) == 14
