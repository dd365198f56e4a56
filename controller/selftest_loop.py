"""Runs a self-test where there is no service: seats and camera in, signs out, until it is over; it prints nothing."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence

from controller.inbox import Blind, FrameTaken, Item, LookTaken, Seats, Sighted, ThreadDied
from controller.selftest import Showing
from controller.selftest_guide import Guide, Report
from controller.selftest_results import Result

TURN_S = 0.02
"""The longest wait for news: a lamp's step of 50 ms is never missed."""

Tell = Callable[[Showing, Sequence[Result]], None]


def guided(
    guide: Guide,
    *,
    seats: Seats,
    news: queue.Queue[Item],
    ask_look: Callable[[], None],
    clock_ns: Callable[[], int],
    tell: Tell,
    is_stopped: Callable[[], bool],
) -> Report:
    """Run a self-test to its end, everything off after it.

    Args:
        guide: a new one.
        seats: buttons, lamps and buzzer.
        news: what the camera's and the seats' threads tell.
        ask_look: has the camera look at the table.
        clock_ns: the monotonic clock.
        tell: called on every round.
        is_stopped: True ends it with its report so far.
    """
    blind: dict[str, str] = {}
    while not guide.is_over:
        if is_stopped():
            guide.stop("by the person who tested")
        for item in _waiting(news):
            _take(item, guide, blind, clock_ns())
        now_ns = clock_ns()
        for press in seats.presses(now_ns):
            guide.press(press, now_ns)
        trouble = next(iter(blind.values()), None)
        showing = guide.turn(now_ns, faults=seats.faults(), noise=seats.noise(), camera_trouble=trouble)
        seats.show(showing.seats, answer=showing.answer, referee=showing.referee, sound=showing.sound)
        if guide.asks_for_look():
            ask_look()
        tell(showing, guide.progress())
    return guide.report()


def _waiting(news: queue.Queue[Item]) -> list[Item]:
    """What has come; waits a moment for the first."""
    try:
        items = [news.get(timeout=TURN_S)]
    except queue.Empty:
        return []
    while not news.empty():
        items.append(news.get_nowait())
    return items


def _take(item: Item, guide: Guide, blind: dict[str, str], now_ns: int) -> None:
    match item:
        case FrameTaken():
            guide.frame(item.at)
        case LookTaken():
            guide.looked(item.look, now_ns)
        case Blind():
            blind[item.missing] = item.reason
        case Sighted():
            blind.pop(item.missing, None)
        case ThreadDied():
            blind["frames"] = f"the {item.name} thread has ended by a fault of ours: {item.reason}"
