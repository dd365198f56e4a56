"""One person who tests a table with mock pins: he reads the sentence and presses what it names; time passes for him."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from controller.selftest import LAMPS, Showing
from controller.selftest_checks import CameraWanted, Look, Measured
from controller.selftest_guide import Guide, Report, Setting
from controller.selftest_results import Result
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING
from tests.hardware.mock_table import MockTable

MS = 1_000_000
BUTTONS = (*(seat.button for seat in DEFAULT_WIRING.seats), DEFAULT_WIRING.acknowledge)
GOOD = Look(0, 1280, 720, 90.0, 0.0, True, ((6, 4, 0.99),), 2.3, 28.0)
WELL = Measured(None, True, "broker:1883", None, "/var/lib/gameline", None, 5000.0)
WANTED = CameraWanted("picamera", (1280, 720), 10.0, 2.0, is_live=True)


def setting(measured: Measured = WELL, wanted: CameraWanted = WANTED) -> Setting:
    """A table with everything well but what is given."""
    return Setting("hall", "1.0", lambda: (LAMPS["leds"],) * 4, wanted, lambda: measured, lambda: "2026-11-30 15:00")


def result(report: Report, part: str) -> Result:
    """The one line about a part."""
    (found,) = [line for line in report.results if line.part == part]
    return found


class Leaps:
    """The monotonic clock, which the test lets leap ahead."""

    def __init__(self) -> None:
        self._ahead_ns = 0

    def __call__(self) -> int:
        return time.monotonic_ns() + self._ahead_ns

    def leap(self, ms: int) -> None:
        """So much later."""
        self._ahead_ns += ms * MS


@dataclass
class Technician:
    """Goes round a table; `press_of` says what he does with each sentence, by default what it asks for.

    Args:
        table: mock pins and the time.
        press_of: the button and for how long, in ms, from the sentence; None: he does nothing.
        watched: called after each round.
        stops_after_s: the camera gives no frame after that.
        late_ms: how old a frame is when it comes.
        reads_ms: how long a look takes; meanwhile no frame comes.
        look: what the camera sees when it is asked.
    """

    table: MockTable
    press_of: Callable[[str], tuple[int, int] | None] = lambda say: asked(say)
    frames_every_ms: int = 100
    stops_after_s: float = 1e9
    late_ms: int = 80
    reads_ms: int = 0
    look: Look | None = GOOD
    camera_trouble: str | None = None
    measured: Measured = WELL
    wanted: CameraWanted = WANTED
    with_buzzer: bool = True
    reaction_ms: int = 3000
    watched: Callable[[], None] = lambda: None
    sentences: list[str] = field(default_factory=list)
    shown: list[Showing] = field(default_factory=list)

    def goes_round(self, seats: PinSeats | None = None, *, most_s: float = 300.0) -> Report:
        """From the start to the end of a self-test."""
        seats = seats or self.table.seats or self.table.open()
        guide = Guide(setting(self.measured, self.wanted), self.table.now_ns, by="Tess", with_buzzer=self.with_buzzer)
        began_ns = self.table.now_ns
        end_ns = began_ns + round(most_s * 1e9)
        step, since_ns, let_go_ns, frame_ns = 0, 0, 0, 0
        finger: int | None = None
        asked_ns, is_looking = 0, False
        while not guide.is_over:
            assert self.table.now_ns < end_ns, "it hangs"
            now_ns = self.table.after(20).now_ns
            is_silent = now_ns - began_ns > self.stops_after_s * 1e9
            if (
                self.frames_every_ms
                and not is_silent
                and not is_looking
                and now_ns - frame_ns >= self.frames_every_ms * MS
            ):
                frame_ns = now_ns
                guide.frame(now_ns - self.late_ms * MS, now_ns)
            for press in seats.presses(now_ns):
                guide.press(press, now_ns)
            showing = guide.turn(now_ns, faults=seats.faults(), noise=seats.noise(), camera_trouble=self.camera_trouble)
            seats.show(showing.seats, answer=showing.answer, referee=showing.referee, sound=showing.sound)
            if guide.asks_for_look():
                asked_ns, is_looking = now_ns, self.look is not None
            if is_looking and self.look is not None and now_ns - asked_ns >= self.reads_ms * MS:
                guide.looked(replace(self.look, at_ns=asked_ns), now_ns)
                is_looking = False
            self.shown.append(showing)
            self.watched()
            if not self.sentences or self.sentences[-1] != showing.say:
                self.sentences.append(showing.say)
            if showing.step != step:
                step, since_ns = showing.step, now_ns
            wait_ms = 7000 if "Buzzer" in showing.say else self.reaction_ms
            if finger is not None and now_ns >= let_go_ns:
                self.table.release(finger)
                finger, since_ns = None, now_ns
            elif finger is None and now_ns - since_ns >= wait_ms * MS and (act := self.press_of(showing.say)):
                finger, let_go_ns = BUTTONS[act[0]], now_ns + act[1] * MS
                self.table.press(finger)
        return guide.report()


def asked(say: str, short_ms: int = 120) -> tuple[int, int] | None:
    """The button that a sentence asks for and how long it is held, in ms."""
    if "looking" in say or "over" in say:
        return None
    if named := re.search(r"Seat (\d): (watch|hold)", say):
        return int(named[1]), 1800 if named[2] == "hold" else short_ms
    return 4, short_ms
