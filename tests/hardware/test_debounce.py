"""Presses from edges: what a contact does in a few milliseconds never makes, doubles or hides a press."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.debounce import NOISE_LIMIT, Debouncer, Press

MS = 1_000_000
Edges = list[tuple[int, bool]]  # (ns, pressed)


@st.composite
def trembling(draw: st.DrawFn, *, to: bool) -> Edges:
    """A level change that trembles for less than 30 ms before it stands."""
    times = draw(st.lists(st.integers(0, 30 * MS - 1), min_size=1, max_size=60, unique=True).map(sorted))
    times = times[1 - len(times) % 2 :]  # an odd number of edges ends at the new level
    return [(t, to if i % 2 == 0 else not to) for i, t in enumerate(times)]


def at(edges: Edges, start_ns: int) -> Edges:
    """The same edges, later."""
    return [(start_ns + t, pressed) for t, pressed in edges]


def told(edges: Sequence[tuple[int, bool]], *, until_ns: int, step_ns: int | None) -> list[Press]:
    """Pour in the edges, asking for presses every *step_ns*, or only once at the end where it is None."""
    debouncer = Debouncer(2, pressed=False, at_ns=-1000 * MS)
    found: list[Press] = []
    asked_ns = 0
    for at_ns, pressed in edges:
        while step_ns is not None and asked_ns < at_ns:
            found += debouncer.presses(asked_ns)
            asked_ns += step_ns
        debouncer.edge(pressed=pressed, at_ns=at_ns)
    while step_ns is not None and asked_ns < until_ns:
        found += debouncer.presses(asked_ns)
        asked_ns += step_ns
    found += debouncer.presses(until_ns)
    assert debouncer.fault(until_ns) is None
    return found


@given(down=trembling(to=True), up=trembling(to=False), step_ms=st.sampled_from([None, 1, 7, 50]))
def test_any_trembling_under_30_ms_is_one_press(down: Edges, up: Edges, step_ms: int | None) -> None:
    """Press and release may tremble as they like for 30 ms: it is one press, told early or late."""
    edges = at(down, 0) + at(up, 100 * MS)
    (press,) = told(edges, until_ns=300 * MS, step_ns=step_ms and step_ms * MS)
    assert press.held_ms == 0
    assert 0 <= press.at_ns < 30 * MS


@given(
    presses=st.lists(st.tuples(st.integers(60, 400), st.integers(60, 400)), max_size=8),
    step_ms=st.sampled_from([None, 3, 20]),
)
def test_clean_press_of_60_ms_is_never_lost(presses: list[tuple[int, int]], step_ms: int | None) -> None:
    """Every clean press of 60 ms counts, also when all its edges arrive late in one batch."""
    edges: Edges = []
    starts = []
    now = 0
    for down_ms, up_ms in presses:
        starts.append(now)
        edges += [(now, True), (now + down_ms * MS, False)]
        now += (down_ms + up_ms) * MS
    found = told(edges, until_ns=now, step_ns=step_ms and step_ms * MS)
    assert found == [Press(2, 0, start) for start in starts]


@given(up=trembling(to=False), held_ms=st.integers(1600, 2900), step_ms=st.sampled_from([None, 10]))
def test_trembling_release_of_a_hold_is_no_second_press(up: Edges, held_ms: int, step_ms: int | None) -> None:
    """A hold was told when it was reached; letting go adds nothing."""
    edges = [(0, True), *at(up, held_ms * MS)]
    found = told(edges, until_ns=(held_ms + 500) * MS, step_ns=step_ms and step_ms * MS)
    assert found == [Press(2, 1500, 1500 * MS)]


@given(gaps=st.lists(st.tuples(st.integers(100, 900), st.integers(1, 29)), max_size=6))
def test_contact_lost_for_a_moment_does_not_break_a_hold(gaps: list[tuple[int, int]]) -> None:
    """A hold with short gaps in it stays one hold."""
    edges: Edges = [(0, True)]
    now = 0
    for after_ms, gap_ms in gaps:
        now += after_ms * MS
        edges += [(now, False), (now + gap_ms * MS, True)]
        now += gap_ms * MS
    debouncer = Debouncer(2, pressed=False, at_ns=0)
    for at_ns, pressed in edges:
        debouncer.edge(pressed=pressed, at_ns=at_ns)
    found = debouncer.presses(max(now + 100 * MS, 3000 * MS))
    assert found == (Press(2, 1500, 1500 * MS), Press(2, 3000, 3000 * MS))


@given(
    pulses=st.lists(st.tuples(st.integers(50 * MS, 900 * MS), st.integers(1, 5 * MS - 1)), max_size=NOISE_LIMIT - 1),
    held=st.booleans(),
)
def test_pulse_under_5_ms_is_noise_and_counted(pulses: list[tuple[int, int]], held: bool) -> None:
    """Interference on a long wire is counted, and never a press or a release."""
    debouncer = Debouncer(0, pressed=False, at_ns=0)
    now = 0
    if held:
        debouncer.edge(pressed=True, at_ns=0)
        now = 100 * MS
        debouncer.presses(now)
    for gap_ns, width_ns in pulses:
        debouncer.edge(pressed=not held, at_ns=now + gap_ns)
        debouncer.edge(pressed=held, at_ns=now + gap_ns + width_ns)
        now += gap_ns + width_ns
    assert all(press.held_ms for press in debouncer.presses(now + 60 * MS))
    assert debouncer.noise == len(pulses)


def test_hold_is_told_when_it_is_reached() -> None:
    """Calling the referee does not wait for the finger to leave."""
    debouncer = Debouncer(1, pressed=False, at_ns=0)
    debouncer.edge(pressed=True, at_ns=10 * MS)
    assert debouncer.presses(1509 * MS) == ()
    assert debouncer.presses(1510 * MS) == (Press(1, 1500, 1510 * MS),)
    assert debouncer.presses(3010 * MS) == (Press(1, 3000, 3010 * MS),)
    debouncer.edge(pressed=False, at_ns=3500 * MS)
    assert debouncer.presses(4000 * MS) == ()


def test_hold_let_go_just_before_its_time_is_a_short_press() -> None:
    """1.49 seconds is a pass, however late the program looks."""
    debouncer = Debouncer(1, pressed=False, at_ns=0)
    debouncer.edge(pressed=True, at_ns=0)
    debouncer.edge(pressed=False, at_ns=1490 * MS)
    assert debouncer.presses(5000 * MS) == (Press(1, 0, 0),)


def test_button_down_at_the_start_is_stuck_and_needs_a_release_first() -> None:
    """What lies on a button when the program starts has not passed."""
    debouncer = Debouncer(3, pressed=True, at_ns=0)
    assert debouncer.presses(5000 * MS) == ()
    assert "held down since the start" in (debouncer.fault(5000 * MS) or "")
    debouncer.edge(pressed=False, at_ns=6000 * MS)
    assert debouncer.presses(6100 * MS) == ()
    assert debouncer.fault(6100 * MS) is None
    debouncer.edge(pressed=True, at_ns=7000 * MS)
    debouncer.edge(pressed=False, at_ns=7100 * MS)
    assert debouncer.presses(7200 * MS) == (Press(3, 0, 7000 * MS),)


def test_button_never_released_after_a_press_becomes_a_fault() -> None:
    """A jammed button is told to the referee; its holds were told once."""
    debouncer = Debouncer(3, pressed=False, at_ns=0)
    debouncer.edge(pressed=True, at_ns=0)
    assert len(debouncer.presses(19_000 * MS)) == 2
    assert debouncer.fault(19_000 * MS) is None
    assert "more than 20 s" in (debouncer.fault(20_000 * MS) or "")


@pytest.mark.parametrize("half_period_ms", [1, 4, 10, 19])
def test_chatter_is_a_fault_and_never_a_press(half_period_ms: int) -> None:
    """A loose plug that makes and breaks without rest is a fault; a contact closed meanwhile is no press."""
    debouncer = Debouncer(0, pressed=False, at_ns=0)
    pressed = False
    for at_ms in range(0, 2000, half_period_ms):
        pressed = not pressed
        debouncer.edge(pressed=pressed, at_ns=at_ms * MS)
        assert debouncer.presses(at_ms * MS) == ()
    debouncer.edge(pressed=True, at_ns=2000 * MS)
    debouncer.edge(pressed=False, at_ns=3700 * MS)
    assert debouncer.presses(4000 * MS) == ()
    assert "chatters" in (debouncer.fault(4000 * MS) or "")


def test_chatter_that_is_over_is_forgiven_after_its_window() -> None:
    """Once the plug sits, the seat plays again."""
    debouncer = Debouncer(0, pressed=False, at_ns=0)
    for at_ms in range(0, 1000, 10):
        debouncer.edge(pressed=at_ms % 20 == 0, at_ns=at_ms * MS)
    assert debouncer.fault(1100 * MS) is not None
    assert debouncer.fault(12_000 * MS) is None
    debouncer.edge(pressed=True, at_ns=12_000 * MS)
    debouncer.edge(pressed=False, at_ns=12_080 * MS)
    assert debouncer.presses(12_200 * MS) == (Press(0, 0, 12_000 * MS),)


def test_chatter_while_held_stops_the_hold_from_counting() -> None:
    """A wire that fails under the finger does not call the referee."""
    debouncer = Debouncer(0, pressed=False, at_ns=0)
    debouncer.edge(pressed=True, at_ns=0)
    for at_ms in range(100, 1400, 10):
        debouncer.edge(pressed=at_ms % 20 == 10, at_ns=at_ms * MS)
    assert debouncer.presses(4000 * MS) == ()
    assert debouncer.fault(4000 * MS) is not None


@given(
    edges=st.lists(st.tuples(st.integers(-5 * MS, 40 * MS), st.booleans()), max_size=60),
    started_down=st.booleans(),
)
def test_any_edges_at_all_are_survived_and_told_once(edges: list[tuple[int, bool]], started_down: bool) -> None:
    """Doubled levels and stamps that step back do no harm, and no press comes without a release before it."""
    debouncer = Debouncer(0, pressed=started_down, at_ns=0)
    now = 0
    found: list[Press] = []
    for step_ns, pressed in edges:
        now += step_ns
        debouncer.edge(pressed=pressed, at_ns=now)
        found += debouncer.presses(now)
    found += debouncer.presses(now + 100 * MS)
    assert [press.at_ns for press in found] == sorted({press.at_ns for press in found})
    assert debouncer.presses(now + 100 * MS) == ()


def test_level_told_twice_by_a_late_library_is_still_one_press() -> None:
    """A library that reads the pin after the edge may tell the same level again and again."""
    debouncer = Debouncer(0, pressed=False, at_ns=0)
    for at_ms in (0, 1, 2, 3):
        debouncer.edge(pressed=True, at_ns=at_ms * MS)
    for at_ms in (70, 71, 72):
        debouncer.edge(pressed=False, at_ns=at_ms * MS)
    assert debouncer.presses(200 * MS) == (Press(0, 0, 3 * MS),)
    assert debouncer.noise == 0
