"""The self-test in the service: a referee asks for it, the loop feeds it, MQTT carries what it says; never in a game.

Called only from the loop's thread. Nothing of it goes to the journal: it is no part of any game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from controller.faults import Faults
from controller.inbox import PressLike
from controller.messages import SelfTestOver, SelfTestRunning
from controller.selftest import Asked, Showing
from controller.selftest_checks import Look
from controller.selftest_guide import Guide, Setting
from controller.selftest_page import report_record

TELL_EVERY_NS = 500_000_000
"""Within a step news wait so long for each other: a button that chatters has another count on every round."""

Refusal = tuple[str, str]
"""The reason's code, and a sentence with what to do."""


class Desk:
    """Where a self-test is asked for.

    Args:
        setting: the table.
        publish: takes the newest of what displays are to show, as JSON.
        ask_look: has the camera look at the table, soon; must not block.
        is_quiet: whether these are the buzzer's quiet hours.
    """

    def __init__(
        self,
        *,
        setting: Setting,
        publish: Callable[[bytes], None],
        ask_look: Callable[[], None],
        is_quiet: Callable[[], bool],
    ) -> None:
        self._setting = setting
        self._publish = publish
        self._ask_look = ask_look
        self._is_quiet = is_quiet
        self._guide: Guide | None = None
        self._by = ""
        self._told: tuple[object, ...] = ()
        self._told_step, self._told_ns = 0, 0
        self.showing: Showing | None = None
        """What the seats are to show; None while no test is running."""

    @property
    def is_running(self) -> bool:
        """Whether a self-test is going on."""
        return self._guide is not None

    def begin(self) -> None:
        """Say that none is running: the last service may have ended in the middle of one."""
        self._tell(SelfTestOver())

    def ask(self, asked: Asked, now_ns: int, *, is_game_on: bool) -> Refusal | None:
        """Start or end a self-test; why not, or None.

        Args:
            asked: what is wanted.
            now_ns: the time.
            is_game_on: whether a game has begun and is not over.
        """
        if asked.is_end:
            if self._guide is None:
                return "not_running", "no self-test is running: there is nothing to end"
            self._guide.stop(f"by {asked.by}")
            return None
        if is_game_on:
            return "game_running", "a game is being played: test the table when it is over"
        if self._guide is not None:
            return "already_running", f"a self-test by {self._by} is running: wait for its end, or end it with stop"
        self._by, self._told, self._told_step = asked.by, (), 0
        self._guide = Guide(self._setting, now_ns, by=asked.by, with_buzzer=asked.with_sound or not self._is_quiet())
        return None

    def press(self, press: PressLike, now_ns: int) -> None:
        """A button was pressed or held."""
        if self._guide is not None:
            self._guide.press(press, now_ns)

    def frame(self, at_ns: int, now_ns: int) -> None:
        """A frame came from the camera that was taken at `at_ns`."""
        if self._guide is not None:
            self._guide.frame(at_ns, now_ns)

    def looked(self, look: Look, now_ns: int) -> None:
        """The camera has looked at the table."""
        if self._guide is not None:
            self._guide.looked(look, now_ns)

    def stop(self, why: str) -> None:
        """End it for another reason than its end."""
        if self._guide is not None:
            self._guide.stop(why)

    def turn(
        self,
        now_ns: int,
        *,
        faults: Faults,
        noise: Mapping[str, int],
        camera_trouble: str | None,
    ) -> None:
        """Let the time pass; arguments as `Guide.turn` takes them."""
        guide = self._guide
        if guide is None:
            return
        showing = guide.turn(now_ns, faults=faults, noise=noise, camera_trouble=camera_trouble)
        if guide.asks_for_look():
            self._ask_look()
        if guide.is_over:
            self._guide = self.showing = None
            self._tell(SelfTestOver(say=showing.say, report=report_record(guide.report())))
            return
        self.showing = showing
        results = guide.progress()
        is_new_step = showing.step != self._told_step or now_ns - self._told_ns >= TELL_EVERY_NS
        if is_new_step and (news := (showing.step, showing.say, results)) != self._told:
            self._told, self._told_step, self._told_ns = news, showing.step, now_ns
            self._tell(
                SelfTestRunning(
                    by=self._by,
                    step=showing.step,
                    steps=showing.steps,
                    say=showing.say,
                    seconds_left=showing.seconds_left,
                    results=results,
                )
            )

    def _tell(self, body: SelfTestRunning | SelfTestOver) -> None:
        self._publish(msgspec.json.encode(body))
