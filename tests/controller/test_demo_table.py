"""The simulated table: time, hands, dominoes and fingers, frame by frame."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from controller.demo.buttons import Fingers
from controller.demo.clock import FRAME_NS, START_NS, TableClock
from controller.demo.gestures import REACH_FRAMES, edge
from controller.demo.table import Layout, Scene, SimulatedTable
from controller.game.tiles import End, Seat, Tile
from vision.layout import LineLayout

GESTURE_FRAMES = 2 * REACH_FRAMES + 2


def table_of(script: Callable[[SimulatedTable[Scene]], None] | None = None, seed: int = 1) -> SimulatedTable[Scene]:
    """A table that gives its scenes instead of pictures, with the layout people have."""

    def new_layout(number: int) -> Layout:
        return LineLayout(np.random.default_rng(number))

    clock = TableClock(speed=None, real_ns=lambda: 0)
    table: SimulatedTable[Scene] = SimulatedTable(
        clock=clock, take=lambda scene: scene, new_layout=new_layout, rng=random.Random(seed)
    )
    table.attach(step=lambda _: script(table) if script else None, when_quiet=lambda: None)
    return table


def after_gesture(table: SimulatedTable[Scene]) -> Scene:
    """The scene once no hand is over the table."""
    for _ in range(GESTURE_FRAMES):
        scene = table.read()
    assert not table.is_busy
    assert not scene.arms
    return scene


def test_fast_time_moves_by_frames_alone() -> None:
    """A frame is a tenth of a second of table time, however long the machine takes."""
    real = [0]
    clock = TableClock(speed=None, real_ns=lambda: real[0])
    assert clock.now_ns() == START_NS
    real[0] = 10**12
    assert clock.now_ns() == START_NS
    assert clock.next_frame() == START_NS + FRAME_NS == clock.now_ns()


def test_paced_time_flows_between_frames_and_waits_for_a_slow_machine() -> None:
    """Time runs at its speed, and stands two frames after the last one until the next is taken."""
    real = [0]
    clock = TableClock(speed=4.0, real_ns=lambda: real[0])
    real[0] += 10_000_000
    assert clock.now_ns() == START_NS + 40_000_000
    real[0] += 10**10
    assert clock.now_ns() == START_NS + 2 * FRAME_NS
    assert clock.next_frame() == START_NS + 2 * FRAME_NS
    real[0] += 5_000_000
    assert clock.now_ns() == START_NS + 2 * FRAME_NS + 20_000_000


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_clock_refuses_a_speed_that_is_none(speed: float) -> None:
    """Table time has to go forward."""
    with pytest.raises(ValueError, match="speed above 0"):
        TableClock(speed=speed, real_ns=lambda: 0)


def test_hand_comes_in_with_the_domino_lays_it_and_leaves() -> None:
    """Four frames in, the domino lying from the touch on, and back the way the hand came."""
    table = table_of()
    table.lay(Seat.S3, End.FIRST, 6, 4)
    scenes = [table.read() for _ in range(GESTURE_FRAMES)]
    assert [bool(scene.arms) for scene in scenes] == [True] * (GESTURE_FRAMES - 1) + [False]
    assert [len(scene.pieces) for scene in scenes] == [0] * REACH_FRAMES + [1] * (REACH_FRAMES + 2)
    assert [arm.holding is not None for scene in scenes for arm in scene.arms] == [True] * 4 + [False] * 5
    xs = [scene.arms[0].x_mm for scene in scenes[:-1]]
    assert max(xs) == xs[REACH_FRAMES - 1 + 5] == pytest.approx(edge(3, scenes[-1].pieces[0].at)[0])
    assert {arm.seat for scene in scenes for arm in scene.arms} == {3}
    assert [scene.number for scene in scenes] == list(range(1, GESTURE_FRAMES + 1))


@pytest.mark.parametrize("seat", list(Seat))
def test_arm_comes_from_its_own_edge(seat: Seat) -> None:
    """Seat 0 sits at the bottom, 1 left, 2 at the top, 3 right."""
    x, y = edge(seat, (40.0, -30.0))
    assert (round(x), round(y))[seat % 2 == 0] == {0: 450, 1: -450, 2: -450, 3: 450}[seat]


def test_domino_taken_back_leaves_room_for_another_and_lies_elsewhere_when_laid_again() -> None:
    """The layout goes back with the domino, but nobody lays a domino twice to the hair."""
    table = table_of()
    table.lay(Seat.S0, End.FIRST, 6, 4)
    after_gesture(table)
    table.lay(Seat.S1, End.R, 3, 2)
    first_try = after_gesture(table).pieces[1]
    table.take_back(Seat.S1)
    assert len(after_gesture(table).pieces) == 1
    table.lay(Seat.S1, End.R, 3, 2)
    again = after_gesture(table).pieces[1]
    assert again != first_try
    assert abs(again.x_mm - first_try.x_mm) + abs(again.y_mm - first_try.y_mm) < 10


def test_straightening_moves_one_domino_a_little() -> None:
    """Less than a millimetre, and nothing else on the table moves; a domino that is not there lets the hand pass."""
    table = table_of()
    table.lay(Seat.S0, End.FIRST, 6, 4)
    before = after_gesture(table).pieces[0]
    table.straighten(Seat.S0, Tile.of(4, 6))
    after = after_gesture(table).pieces[0]
    assert after != before
    assert abs(after.x_mm - before.x_mm) < 1
    table.straighten(Seat.S0, Tile.of(0, 0))
    assert after_gesture(table).pieces == (after,)


def test_hands_are_shown_in_front_of_their_seats_and_swept_with_the_line() -> None:
    """Shown dominoes lie in the zones; the sweep leaves an empty table."""
    table = table_of()
    table.lay(Seat.S0, End.FIRST, 6, 4)
    after_gesture(table)
    table.show([[Tile.of(0, 0)], [], [Tile.of(1, 2), Tile.of(1, 1)], [Tile.of(5, 5)]])
    shown = after_gesture(table).pieces[1:]
    assert [(p.a, p.b) for p in shown] == [(0, 0), (2, 1), (1, 1), (5, 5)]
    assert shown[0].y_mm > 320
    assert shown[1].y_mm < -320
    assert shown[3].x_mm > 320
    table.sweep()
    assert after_gesture(table).pieces == ()
    assert table.is_empty


def test_dark_camera_shows_nothing_until_the_time_is_over() -> None:
    """Three frames of black, then the table again."""
    table = table_of()
    table.darken(START_NS + 3 * FRAME_NS + 1)
    assert [table.read().is_dark for _ in range(5)] == [True, True, True, False, False]


def test_table_waits_for_quiet_before_each_frame_until_it_is_closed() -> None:
    """In fast pace the program has done with one frame before the next is taken; a closed table asks nobody."""
    order: list[str] = []
    table = table_of()
    table.attach(step=lambda _: order.append("step"), when_quiet=lambda: order.append("quiet"))
    table.read()
    table.read()
    table.close()
    table.close()
    table.read()
    assert order == ["quiet", "step", "quiet", "step"]


def test_fault_of_the_script_is_kept_for_whoever_waits() -> None:
    """An exception in the camera's thread is not lost with the thread."""
    table = table_of(lambda _: [][0])
    with pytest.raises(IndexError):
        table.read()
    assert isinstance(table.fault, IndexError)


def edges_of(times: int, seed: int, frames: int = 12) -> list[tuple[int, int, bool]]:
    """What the pins see of a press: frame, seat, down."""
    edges: list[tuple[int, int, bool]] = []
    frame = [0]
    fingers = Fingers(lambda seat, down: edges.append((frame[0], seat, down)), random.Random(seed))
    fingers.press(Seat.S2, 0, times=times)
    for frame[0] in range(frames):
        fingers.step(frame[0] * FRAME_NS)
    assert not fingers.is_busy
    return edges


def levels(edges: Sequence[tuple[int, int, bool]]) -> list[tuple[int, bool]]:
    """The level each frame ended with, where it changed."""
    return list({frame: down for frame, _, down in edges}.items())


def test_press_goes_down_and_comes_up_within_a_short_press() -> None:
    """Down at once, up within a quarter of a second, sometimes with a bounce in between."""
    assert levels(edges_of(1, 1)) == [(0, True), (2, False)]
    assert {len(edges_of(1, seed)) for seed in range(10)} == {2, 4}
    assert {seat for _, seat, _ in edges_of(1, 1)} == {2}


def test_impatient_finger_presses_twice_with_a_gap() -> None:
    """Two presses that no debouncing may make one."""
    assert levels(edges_of(2, 1)) == [(0, True), (2, False), (4, True), (5, False)]
