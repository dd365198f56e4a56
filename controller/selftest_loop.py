"""Runs a self-test where there is no service: seats and camera in, signs out, until it is over; it prints nothing."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence

from controller.inbox import Blind, FrameTaken, Item, LookTaken, Seats, Sighted, ThreadDied
from controller.selftest import Showing
from controller.selftest_guide import Guide, Report, Setting
from controller.selftest_results import Result

TURN_S = 0.02
"""The longest wait for news: a lamp's step of 50 ms is never missed."""

Tell = Callable[[Showing, Sequence[Result]], None]


class Bench:
    """A table that is opened for a self-test and nothing else.

    Args:
        setting: the table.
        seats: buttons, lamps and buzzer.
        news: what the camera's and the seats' threads tell.
        ask_look: has the camera look at the table.
        clock_ns: the monotonic clock.
        is_quiet: whether these are the buzzer's quiet hours.
    """

    def __init__(
        self,
        setting: Setting,
        *,
        seats: Seats,
        news: queue.Queue[Item],
        ask_look: Callable[[], None],
        clock_ns: Callable[[], int],
        is_quiet: Callable[[], bool],
    ) -> None:
        self._setting = setting
        self._seats = seats
        self._news = news
        self._ask_look = ask_look
        self._clock_ns = clock_ns
        self._is_quiet = is_quiet
        self._blind: dict[str, str] = {}

    def run(self, tell: Tell, *, by: str, with_sound: bool, is_stopped: Callable[[], bool]) -> Report:
        """Guide one person round the table; at the end everything is off.

        Args:
            tell: called on every round with what to do and what has come so far.
            by: who tests.
            with_sound: the buzzer may sound in its quiet hours.
            is_stopped: asked on every round; True ends the test with its report so far.
        """
        guide = Guide(self._setting, self._clock_ns(), by=by, with_buzzer=with_sound or not self._is_quiet())
        while not guide.is_over:
            if is_stopped():
                guide.stop("by the person who tested")
            tell(self._turn(guide), guide.progress())
        return guide.report()

    def _turn(self, guide: Guide) -> Showing:
        """One round: news, presses, time; then what is to be seen and heard."""
        for item in _waiting(self._news):
            self._take(item, guide)
        now_ns = self._clock_ns()
        for press in self._seats.presses(now_ns):
            guide.press(press, now_ns)
        trouble = next(iter(self._blind.values()), None)
        showing = guide.turn(now_ns, faults=self._seats.faults(), noise=self._seats.noise(), camera_trouble=trouble)
        self._seats.show(showing.seats, answer=showing.answer, referee=showing.referee, sound=showing.sound)
        if guide.asks_for_look():
            self._ask_look()
        return showing

    def _take(self, item: Item, guide: Guide) -> None:
        match item:
            case FrameTaken():
                guide.frame(item.at, self._clock_ns())
            case LookTaken():
                guide.looked(item.look, self._clock_ns())
            case Blind():
                self._blind[item.missing] = item.reason
            case Sighted():
                self._blind.pop(item.missing, None)
            case ThreadDied():
                self._blind["frames"] = f"the {item.name} thread has ended by a fault of ours: {item.reason}"


def _waiting(news: queue.Queue[Item]) -> list[Item]:
    """What has come; waits a moment for the first."""
    try:
        items = [news.get(timeout=TURN_S)]
    except queue.Empty:
        return []
    while not news.empty():
        items.append(news.get_nowait())
    return items
