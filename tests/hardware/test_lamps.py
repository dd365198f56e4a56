"""Every sign on every kind of lamp: told from the others by rhythm or colour, and the same on the Pi and on a board."""

import random
import re
import runpy
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from controller.game.clocks import Clock
from controller.game.tiles import MonoNs
from hardware import buzzer, lamps
from tests import micropython
from tests.hardware.lamp_answers import answers

ROOT = Path(__file__).parents[2]
KINDS = {"leds": (lamps.LEDS, 1), "pwm": (lamps.PWM, 1), "rgb": (lamps.RGB, 1), "pixels": (lamps.PIXELS, 16)}
SIGN_NAMES = (
    "OFF TURN PAUSED WAITING OUT_OF_SYNC SHOW LEADS SET_OVER WON COUNTED REFUSED HOST_SILENT SELF_TEST NEWS DUE FELT"
)
GREEN, YELLOW, RED, DARK, ALL = (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0), (255, 255, 255)


def look(kind: str, sign: int, now_ms: int = 0, since_ms: int = 0, limit_ms: int = 15_000) -> tuple[int, ...]:
    """The levels of a lamp."""
    number, pixels = KINDS[kind]
    levels = bytearray(b"\x01" * lamps.size(number, pixels))  # what was shown before must not shine through
    lamps.draw(levels, number, sign, now_ms, since_ms, limit_ms)
    return tuple(levels)


def film(kind: str, sign: int, for_ms: int = 6000) -> tuple[tuple[int, ...], ...]:
    """What is seen, every 10 ms."""
    return tuple(look(kind, sign, now_ms=ms, since_ms=ms) for ms in range(0, for_ms, 10))


@pytest.mark.parametrize("kind", KINDS)
def test_every_sign_of_a_seat_looks_different(kind: str) -> None:
    """Nobody takes one sign for another; only one plain LED is just lit for three of them."""
    seats = [sign for sign in range(lamps.SIGNS) if sign not in (lamps.NEWS, lamps.DUE)]
    same = {(a, b) for a, b in combinations(seats, 2) if film(kind, a) == film(kind, b)}
    lit = set(combinations((lamps.PAUSED, lamps.LEADS, lamps.FELT), 2))
    assert same == (lit if kind == "pwm" else set())
    assert film(kind, lamps.NEWS) != film(kind, lamps.DUE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", [lamps.OFF, lamps.SIGNS, 255, -1])
def test_no_sign_and_unknown_signs_are_dark(kind: str, sign: int) -> None:
    """A sign of a later version lights nothing wrong."""
    assert set().union(*film(kind, sign)) == {0}


@pytest.mark.parametrize(
    ("used_ms", "leds", "pwm", "rgb"),
    [
        (0, ALL, 255, (0, 255, 0)),
        (4999, ALL, 255, (0, 255, 0)),
        (5000, (0, 255, 255), 110, (255, 150, 0)),
        (9999, (0, 255, 255), 110, (255, 150, 0)),
        (10_000, RED, 255, (255, 0, 0)),
        (10_250, DARK, 0, DARK),
        (10_500, RED, 255, (255, 0, 0)),
        (15_000, RED, 255, (255, 0, 0)),
        (15_001, ALL, 255, ALL),
        (15_100, DARK, 0, DARK),
    ],
)
def test_bar_goes_by_thirds_pulses_and_flickers(
    used_ms: int, leds: tuple[int, ...], pwm: int, rgb: tuple[int, ...]
) -> None:
    """Green, yellow, red third, the last five seconds pulsing; at the limit still in time, beyond it all flickers."""
    assert look("leds", lamps.TURN, since_ms=used_ms) == leds
    assert look("pwm", lamps.TURN, since_ms=used_ms) == (pwm,)
    assert look("rgb", lamps.TURN, since_ms=used_ms) == rgb


def test_long_thinking_time_has_a_steady_red_third() -> None:
    """With 60 s a move the last third is red, and only its last five seconds pulse."""
    seen = {look("leds", lamps.TURN, since_ms=ms, limit_ms=60_000) for ms in range(40_000, 55_000, 10)}
    assert seen == {RED}
    assert {look("leds", lamps.TURN, since_ms=ms, limit_ms=60_000) for ms in range(55_000, 60_001, 10)} == {RED, DARK}


def test_ring_is_the_share_of_the_time_and_never_grows() -> None:
    """Pixels go one after the other, the last one fading; while time is left there is light."""
    seen = [look("pixels", lamps.TURN, since_ms=ms) for ms in range(15_001) if ms < 10_000 or ms % 500 < 250]
    light = [sum(levels) / max(levels) if any(levels) else 0 for levels in seen]
    lit = [sum(any(levels[3 * pixel : 3 * pixel + 3]) for pixel in range(16)) for levels in seen]
    assert lit[0] == 16
    assert lit == sorted(lit, reverse=True)
    assert set(lit) == set(range(17))
    assert max(a - b for a, b in pairwise(light) if a > b) < 3.6
    red = lamps.PIXEL_FULL
    assert sum(look("pixels", lamps.TURN, since_ms=7500)[0::3]) == 8 * red
    assert sum(look("pixels", lamps.TURN, since_ms=7969)[0::3]) == pytest.approx(7.5 * red, abs=1)


def test_pixels_stay_within_what_a_usb_port_gives() -> None:
    """Whatever is shown, four rings of 16 draw less than half an ampere: 20 mA a light at full, 1 mA a pixel itself."""
    worst = max(sum(levels) for sign in range(lamps.SIGNS) for levels in film("pixels", sign))
    assert 4 * (worst / 255 * 0.020 + 16 * 0.001) < 0.5


@pytest.mark.parametrize("limit_ms", [1000, 7500, 15_000, 60_000, 600_000])
def test_bar_and_every_display_round_the_time_alike(limit_ms: int) -> None:
    """The lamps' seconds are those of scoreboard and heartbeat at every moment, to the millisecond of the lamps."""
    clock = Clock(limit_ms * 1_000_000, since=MonoNs(0))
    chance = random.Random(limit_ms)
    for used_ns in [0, 1, *(chance.randrange(limit_ms * 1_100_000) for _ in range(2000)), limit_ms * 1_000_000]:
        left_ms = limit_ms - used_ns // 1_000_000
        assert lamps.seconds_left(left_ms) == clock.seconds_left(MonoNs(used_ns))


def test_flash_ends_by_itself_and_a_press_is_seen_at_once() -> None:
    """The first moment of an answer differs from a dark lamp on every kind, and after 0.4 s nothing is left of it."""
    for kind in KINDS:
        for sign in (lamps.COUNTED, lamps.REFUSED):
            assert any(look(kind, sign, since_ms=0))
            assert not any(look(kind, sign, since_ms=lamps.FLASH_MS))
            assert not any(look(kind, sign, since_ms=-1))


@pytest.mark.parametrize("phrase", range(len(buzzer.PHRASES_MS)))
def test_phrase_sounds_once_as_it_is_written(phrase: int) -> None:
    """On, off, on as long as the table says, within a second, and silence before and after."""
    heard = [buzzer.sounds(phrase, ms) for ms in range(-100, 5000)]
    lengths = [0]
    for before, now in pairwise(heard):
        if now != before:
            lengths.append(0)
        lengths[-1] += 1
    assert tuple(lengths[1:-1]) == buzzer.PHRASES_MS[phrase]
    assert not any(heard[1100:])


def test_unknown_phrase_is_silent() -> None:
    """A phrase of a later version makes no sound."""
    assert not any(buzzer.sounds(phrase, ms) for phrase in (-1, 6, 255) for ms in range(1000))


def test_board_draws_the_same_levels_and_phrases() -> None:
    """The same files under MicroPython give the same levels for 4000 random moments of every sign, kind and length."""
    chance = random.Random(3)
    asked = []
    for _ in range(4000):
        limit_ms = chance.choice([1000, 15_000, 60_000, 600_000])
        now_ms = chance.choice([0, 2**30, 2**32, 2**40]) + chance.randrange(10_000)
        since_ms = chance.choice([chance.randrange(-5, 2000), chance.randrange(2 * limit_ms), 2**32 - 1])
        kind, sign = chance.randint(1, 4), chance.randrange(lamps.SIGNS + 1)
        asked.append(f"{kind} {chance.choice([1, 8, 16])} {sign} {now_ms} {since_ms} {limit_ms}")
    assert micropython.run("tests/hardware/lamp_answers.py", asked=asked) == [answers(line) for line in asked]


LOCKED = """
import micropython
from hardware import lamps
made = []
for kind in range(1, 5):
    levels = bytearray(lamps.size(kind, 16))
    for sign in range(lamps.SIGNS + 1):
        for ms in (0, 150, 350, 450, 9000, 12100, 12300, 15050, 15150):
            micropython.heap_lock()
            try:
                lamps.draw(levels, kind, sign, ms, ms, 15000)
            except MemoryError:
                made.append((kind, sign, ms))
            micropython.heap_unlock()
print(made)
"""


def test_board_draws_without_making_an_object() -> None:
    """With its memory locked a board draws every sign on every kind of lamp: nothing to collect in the 20 ms loop."""
    assert micropython.run("-c", LOCKED) == ["[]"]


def test_picture_of_the_lamps_is_drawn_by_this_code() -> None:
    """docs/lamps.svg is what docs/lamps.py draws today; draw it again when a sign changes."""
    script = runpy.run_path(str(ROOT / "docs" / "lamps.py"))
    assert (ROOT / "docs" / "lamps.svg").read_text(encoding="utf-8") == script["picture"]()
    shown = {sign for _, sign, _ in script["ROWS"]}
    assert shown == set(range(1, lamps.SIGNS)), "every sign has a row"


def test_page_about_the_lamps_has_every_sign_and_phrase_with_its_number() -> None:
    """Whoever writes another firmware finds the numbers in docs/lamps.md."""
    page = (ROOT / "docs" / "lamps.md").read_text(encoding="utf-8")
    signs = {name: value for name, value in vars(lamps).items() if name in SIGN_NAMES.split()}
    assert sorted(signs.values()) == list(range(lamps.SIGNS))
    for name, number in signs.items():
        assert f"\n| {number} | {name.lower().replace('_', ' ')}" in page.replace("self-test", "self test")
    for number, lengths_ms in enumerate(buzzer.PHRASES_MS[1:], start=1):
        assert re.search(rf"\n\| {number} \| [a-z ]+ \| {', '.join(map(str, lengths_ms))} \|", page)
    assert f"at most {lamps.PIXEL_FULL} of 255" in page
