"""Presses from edges: what a contact does in a few milliseconds never makes, doubles or hides a press."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.debounce import CHATTERS, FINE, NOISE_LIMIT, STUCK_AT_START, STUCK_LONG, Debouncer
from tests import micropython
from tests.hardware.debounce_answers import answers

US = 1000
Edges = list[tuple[int, bool]]  # (us, pressed), as they happen


def stamped(us: int) -> int:
    """The time as a pin's stamp has it."""
    return us // US


def presses(debouncer: Debouncer, now_ms: int) -> list[tuple[int, int]]:
    """Everything it has to tell by now."""
    found = []
    while (press := debouncer.next_press(now_ms)) is not None:
        found.append(press)
    return found


@st.composite
def trembling(draw: st.DrawFn, *, to: bool) -> Edges:
    """A level change that trembles for less than 30 ms before it stands."""
    times = draw(st.lists(st.integers(0, 30 * US - 1), min_size=1, max_size=60, unique=True).map(sorted))
    times = times[1 - len(times) % 2 :]  # an odd number of edges ends at the new level
    return [(t, to if i % 2 == 0 else not to) for i, t in enumerate(times)]


def at(edges: Edges, start_ms: int) -> Edges:
    """The same edges, later."""
    return [(start_ms * US + t, pressed) for t, pressed in edges]


def told(edges: Edges, *, until_ms: int, step_ms: int | None) -> list[tuple[int, int]]:
    """Pour in the edges, asking for presses every *step_ms*, or only once at the end where it is None."""
    debouncer = Debouncer(False, -1000)
    found: list[tuple[int, int]] = []
    asked_ms = 0
    for at_us, pressed in edges:
        at_ms = stamped(at_us)
        while step_ms is not None and asked_ms < at_ms:
            found += presses(debouncer, asked_ms)
            asked_ms += step_ms
        debouncer.edge(pressed, at_ms)
    while step_ms is not None and asked_ms < until_ms:
        found += presses(debouncer, asked_ms)
        asked_ms += step_ms
    found += presses(debouncer, until_ms)
    assert debouncer.fault(until_ms) == FINE
    return found


@given(
    down=trembling(to=True),
    up=trembling(to=False),
    phase_us=st.integers(0, 999),
    step_ms=st.sampled_from([None, 1, 7, 50]),
)
def test_any_trembling_under_30_ms_is_one_press(down: Edges, up: Edges, phase_us: int, step_ms: int | None) -> None:
    """Press and release may tremble as they like for 30 ms: it is one press, told early or late."""
    edges = [(phase_us + us, pressed) for us, pressed in at(down, 0) + at(up, 100)]
    ((held_ms, at_ms),) = told(edges, until_ms=300, step_ms=step_ms)
    assert held_ms == 0
    assert 0 <= at_ms <= 30


@given(
    times=st.lists(st.tuples(st.integers(60 * US, 400 * US), st.integers(60 * US, 400 * US)), max_size=8),
    step_ms=st.sampled_from([None, 3, 20]),
)
def test_clean_press_of_60_ms_is_never_lost(times: list[tuple[int, int]], step_ms: int | None) -> None:
    """Every clean press of 60 ms counts, also when all its edges arrive late in one batch."""
    edges: Edges = []
    starts = []
    now = 0
    for down_us, up_us in times:
        starts.append(stamped(now))
        edges += [(now, True), (now + down_us, False)]
        now += down_us + up_us
    found = told(edges, until_ms=stamped(now), step_ms=step_ms)
    assert found == [(0, start) for start in starts]


@given(down=trembling(to=True), up=trembling(to=False), phase_us=st.integers(0, 999))
def test_press_of_60_ms_counts_though_its_contact_is_worn(down: Edges, up: Edges, phase_us: int) -> None:
    """Half of a short press may tremble: what is left of it is enough."""
    edges = [(phase_us + us, pressed) for us, pressed in at(down, 0) + at(up, 60)]
    ((held_ms, _),) = told(edges, until_ms=300, step_ms=None)
    assert held_ms == 0


@given(up=trembling(to=False), held_ms=st.integers(1600, 2900), step_ms=st.sampled_from([None, 10]))
def test_trembling_release_of_a_hold_is_no_second_press(up: Edges, held_ms: int, step_ms: int | None) -> None:
    """A hold was told when it was reached; letting go adds nothing."""
    edges = [(0, True), *at(up, held_ms)]
    found = told(edges, until_ms=held_ms + 500, step_ms=step_ms)
    assert found == [(1500, 1500)]


@given(gaps=st.lists(st.tuples(st.integers(100 * US, 900 * US), st.integers(1, 30 * US - 1)), max_size=6))
def test_contact_lost_for_a_moment_does_not_break_a_hold(gaps: list[tuple[int, int]]) -> None:
    """A hold with short gaps in it stays one hold."""
    edges: Edges = [(0, True)]
    now = 0
    for after_us, gap_us in gaps:
        now += after_us
        edges += [(now, False), (now + gap_us, True)]
        now += gap_us
    debouncer = Debouncer(False, 0)
    for at_us, pressed in edges:
        debouncer.edge(pressed, stamped(at_us))
    found = presses(debouncer, max(stamped(now) + 100, 3000))
    assert found == [(1500, 1500), (3000, 3000)]


@given(
    pulses=st.lists(st.tuples(st.integers(50 * US, 900 * US), st.integers(1, 5 * US - 1)), max_size=NOISE_LIMIT - 1),
    held=st.booleans(),
)
def test_pulse_under_5_ms_is_noise_and_counted(pulses: list[tuple[int, int]], held: bool) -> None:
    """Interference on a long wire is counted, and never a press or a release."""
    debouncer = Debouncer(False, 0)
    now = 0
    if held:
        debouncer.edge(True, 0)
        now = 100 * US
        presses(debouncer, stamped(now))
    for gap_us, width_us in pulses:
        debouncer.edge(not held, stamped(now + gap_us))
        debouncer.edge(held, stamped(now + gap_us + width_us))
        now += gap_us + width_us
    assert all(held_ms for held_ms, _ in presses(debouncer, stamped(now) + 60))
    assert debouncer.noise == len(pulses)


def test_hold_is_told_when_it_is_reached() -> None:
    """Calling the referee does not wait for the finger to leave."""
    debouncer = Debouncer(False, 0)
    debouncer.edge(True, 10)
    assert presses(debouncer, 1509) == []
    assert presses(debouncer, 1510) == [(1500, 1510)]
    assert presses(debouncer, 3010) == [(3000, 3010)]
    debouncer.edge(False, 3500)
    assert presses(debouncer, 4000) == []


def test_hold_let_go_just_before_its_time_is_a_short_press() -> None:
    """1.49 seconds is a pass, however late the program looks."""
    debouncer = Debouncer(False, 0)
    debouncer.edge(True, 0)
    debouncer.edge(False, 1490)
    assert presses(debouncer, 5000) == [(0, 0)]


def test_button_down_at_the_start_is_stuck_and_needs_a_release_first() -> None:
    """What lies on a button when the program starts has not passed."""
    debouncer = Debouncer(True, 0)
    assert presses(debouncer, 5000) == []
    assert debouncer.fault(5000) == STUCK_AT_START
    debouncer.edge(False, 6000)
    assert presses(debouncer, 6100) == []
    assert debouncer.fault(6100) == FINE
    debouncer.edge(True, 7000)
    debouncer.edge(False, 7100)
    assert presses(debouncer, 7200) == [(0, 7000)]


def test_button_never_released_after_a_press_becomes_a_fault() -> None:
    """A jammed button is told to the referee; its holds were told once."""
    debouncer = Debouncer(False, 0)
    debouncer.edge(True, 0)
    assert len(presses(debouncer, 19_000)) == 2
    assert debouncer.fault(19_000) == FINE
    assert debouncer.fault(20_000) == STUCK_LONG


@pytest.mark.parametrize("half_period_ms", [1, 4, 10, 19])
def test_chatter_is_a_fault_and_never_a_press(half_period_ms: int) -> None:
    """A loose plug that makes and breaks without rest is a fault; a contact closed meanwhile is no press."""
    debouncer = Debouncer(False, 0)
    pressed = False
    for at_ms in range(0, 2000, half_period_ms):
        pressed = not pressed
        debouncer.edge(pressed, at_ms)
        assert presses(debouncer, at_ms) == []
    debouncer.edge(True, 2000)
    debouncer.edge(False, 3700)
    assert presses(debouncer, 4000) == []
    assert debouncer.fault(4000) == CHATTERS


def test_chatter_that_is_over_is_forgiven_after_its_window() -> None:
    """Once the plug sits, the seat plays again."""
    debouncer = Debouncer(False, 0)
    for at_ms in range(0, 1000, 10):
        debouncer.edge(at_ms % 20 == 0, at_ms)
    assert debouncer.fault(1100) == CHATTERS
    assert debouncer.fault(12_000) == FINE
    debouncer.edge(True, 12_000)
    debouncer.edge(False, 12_080)
    assert presses(debouncer, 12_200) == [(0, 12_000)]


def test_chatter_while_held_stops_the_hold_from_counting() -> None:
    """A wire that fails under the finger does not call the referee."""
    debouncer = Debouncer(False, 0)
    debouncer.edge(True, 0)
    for at_ms in range(100, 1400, 10):
        debouncer.edge(at_ms % 20 == 10, at_ms)
    assert presses(debouncer, 4000) == []
    assert debouncer.fault(4000) == CHATTERS


@given(
    edges=st.lists(st.tuples(st.integers(-5, 40), st.booleans()), max_size=60),
    started_down=st.booleans(),
)
def test_any_edges_at_all_are_survived_and_told_once(edges: list[tuple[int, bool]], started_down: bool) -> None:
    """Doubled levels and stamps that step back do no harm, and no press comes without a release before it."""
    debouncer = Debouncer(started_down, 0)
    now = 0
    found: list[tuple[int, int]] = []
    for step_ms, pressed in edges:
        now += step_ms
        debouncer.edge(pressed, now)
        found += presses(debouncer, now)
    found += presses(debouncer, now + 100)
    assert [at_ms for _, at_ms in found] == sorted({at_ms for _, at_ms in found})
    assert presses(debouncer, now + 100) == []


def test_level_told_twice_by_a_late_library_is_still_one_press() -> None:
    """A library that reads the pin after the edge may tell the same level again and again."""
    debouncer = Debouncer(False, 0)
    for at_ms in (0, 1, 2, 3):
        debouncer.edge(True, at_ms)
    for at_ms in (70, 71, 72):
        debouncer.edge(False, at_ms)
    assert presses(debouncer, 200) == [(0, 3)]
    assert debouncer.noise == 0


def vectors() -> list[str]:
    """Two hundred buttons as lines of text: how each starts, and its edges and questions in milliseconds."""
    chance = random.Random(5)
    lines = []
    for _ in range(200):
        now = chance.choice([0, 2**30 - 2000, 2**32 - 2000, 2**40])  # where small integers of a board end, and beyond
        words = [f"{now}{chance.choice('-_')}"]
        pressed = False
        gaps_ms = [0, 1, 2, 3, 4, 8, 15, 20, 21, 22, 30, 31, 32, 60, 100, 101, 500, 1500, 3001, 20_000]
        if chance.random() < 0.2:
            gaps_ms = gaps_ms[:8]  # a loose plug
        for _ in range(chance.randrange(1, 60)):
            now += chance.choice(gaps_ms)
            pressed = not pressed if chance.random() < 0.9 else pressed
            words.append(f"{now}{chance.choice('-_?') if chance.random() < 0.1 else '_' if pressed else '-'}")
            if chance.random() < 0.3:
                words.append(f"{now}?")
        lines.append(" ".join([*words, f"{now + 100}?"]))
    return lines


def test_board_draws_the_same_presses_from_the_same_edges() -> None:
    """The same file under MicroPython gives the same presses, noise and faults, also where its small integers end."""
    asked = vectors()
    told = micropython.run("tests/hardware/debounce_answers.py", asked=asked)
    assert told == [answers(line) for line in asked]
    for word in (" 0@", " 1500@", " 3000@", "fault=1", "fault=2", "fault=3"):
        assert any(word in line for line in told), f"no case has {word}"
