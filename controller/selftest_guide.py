"""One self-test from beginning to end: the script, the camera's tally and what is measured, made one report; no I/O.

Whoever runs it, at a terminal or in the service's loop, feeds it and shows what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from controller.faults import Faults
from controller.inbox import PressLike
from controller.selftest import Script, Showing
from controller.selftest_checks import CameraWanted, Look, Measured, Tally, camera_results, equipment_results
from controller.selftest_results import Result


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a self-test."""

    table: str
    version: str
    began: str
    """By the wall clock, for a person."""
    seconds: float
    by: str
    stopped: str | None
    """Why it was ended before its end."""
    results: tuple[Result, ...]
    last_word: str = ""
    """What is left to do on the table; empty where there is nothing."""

    @property
    def has_passed(self) -> bool:
        """Whether everything was tested and is well."""
        return all(result.passed for result in self.results)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a self-test has to know of its table."""

    table: str
    version: str
    lamps: Callable[[], Sequence[str]]
    """What each seat's lamp shows under test; asked on every round, for a seat board says it when it answers."""
    camera: CameraWanted
    measure: Callable[[], Measured]
    """Called at the end, and for every report in between; takes milliseconds."""
    wall: Callable[[], str]
    """The time for a person."""


class Guide:
    """Feed it presses, frames and looks; ask `turn` what to show.

    Args:
        setting: the table.
        now_ns: the time of the start.
        by: who tests.
        with_buzzer: whether the buzzer may sound.
    """

    def __init__(self, setting: Setting, now_ns: int, *, by: str, with_buzzer: bool) -> None:
        self._setting = setting
        self._began_ns = self._ended_ns = now_ns
        self._began = setting.wall()
        self._by = by
        self._script = Script(now_ns, lamps=setting.lamps(), with_buzzer=with_buzzer)
        self._tally = Tally()
        self._trouble: str | None = None
        self._looks_asked = self._looks_taken = 0
        self._is_last_look_asked = False

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, or was stopped."""
        return self._script.is_over

    def press(self, press: PressLike, now_ns: int) -> None:
        """A button was pressed or held."""
        self._script.press(press.button, press.held_ms, press.at_ns, now_ns)

    def frame(self, at_ns: int, now_ns: int) -> None:
        """A frame came from the camera that was taken at `at_ns`."""
        self._tally.frame(at_ns, now_ns)

    def looked(self, look: Look, now_ns: int) -> None:
        """The look that was asked for."""
        self._tally.looked(look, now_ns)
        self._looks_taken += 1
        self._script.looked(look.at_ns, now_ns)

    def stop(self, why: str) -> None:
        """End it here."""
        self._script.stop(why)

    def turn(
        self,
        now_ns: int,
        *,
        faults: Faults,
        noise: Mapping[str, int],
        camera_trouble: str | None,
    ) -> Showing:
        """What is to be seen, heard and said now; called every 50 ms or sooner.

        Args:
            now_ns: the time.
            faults: as the seats tell them.
            noise: as the seats tell it.
            camera_trouble: why the camera gives nothing or sees nothing, or None.
        """
        self._trouble = camera_trouble
        self._script.hang(self._setting.lamps())
        if not self.is_over:
            self._ended_ns = now_ns
        age_s = self._tally.age_s(now_ns)
        # While the camera's thread reads a picture no frame comes from it: only the step's own time ends that.
        is_looking = self._looks_taken < self._looks_asked
        has_frames = is_looking or (age_s is not None and age_s <= self._setting.camera.stale_s)
        return self._script.advance(now_ns, faults=faults, noise=noise, has_frames=has_frames)

    def asks_for_look(self) -> bool:
        """Whether a look at the table is to be taken; True once each time, at the start and at the end.

        The first one is for a recording that is over before the last, and for the report of a test that is stopped.
        """
        is_first = self._tally.frames > 0 and self._looks_asked == 0
        is_last = self._script.wants_look and not self._is_last_look_asked
        self._is_last_look_asked |= is_last
        self._looks_asked += is_first or is_last
        return is_first or is_last

    def progress(self) -> tuple[Result, ...]:
        """What a person was asked for, as it stands."""
        return self._script.results()

    def report(self) -> Report:
        """Everything so far."""
        setting = self._setting
        results = (
            *self._script.results(),
            *camera_results(
                setting.camera,
                self._tally,
                trouble=self._trouble,
                domino=self._script.domino,
                now_ns=self._ended_ns,
            ),
            *equipment_results(setting.measure()),
        )
        seconds = (self._ended_ns - self._began_ns) / 1e9
        return Report(
            setting.table,
            setting.version,
            self._began,
            seconds,
            self._by,
            self._script.stopped,
            results,
            self._script.last_word,
        )
