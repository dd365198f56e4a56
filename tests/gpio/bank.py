"""Simulated chips of the guest's kernel: lines that a test pulls as a finger does, and reads as an eye does."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

CONFIG = Path("/sys/kernel/config/gpio-sim")
TRACING = Path("/sys/kernel/tracing")
LINES = 54
"""As many as the header's chip of a Raspberry Pi 4 has; the 28 of the header come first."""
LOOK_S = 0.0001
"""Between two looks at a line: a hundredth of a lamp's pulse."""


class Bank:
    """A chip of gpio-sim, alive until it is closed.

    Args:
        name: unique among the chips that are alive.
        label: what the chip calls itself, such as `pinctrl-bcm2711`.
        hogs: lines held by a driver of the kernel, and its name.
        lines: how many it has.
    """

    def __init__(self, name: str, label: str, *, hogs: Mapping[int, str] | None = None, lines: int = LINES) -> None:
        self._folder = CONFIG / name
        bank = self._folder / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(lines))
        (bank / "label").write_text(label)
        self._hogs = dict(hogs or {})
        for line, driver in self._hogs.items():
            hog = bank / f"line{line}" / "hog"
            hog.mkdir(parents=True)
            (hog / "name").write_text(driver)
            (hog / "direction").write_text("input")
        (self._folder / "live").write_text("1")
        chip = (bank / "chip_name").read_text().strip()
        self.number = int(chip.removeprefix("gpiochip"))
        self._lines = Path("/sys/devices/platform") / (self._folder / "dev_name").read_text().strip() / chip
        self._open: dict[tuple[int, str], int] = {}

    def press(self, line: int) -> None:
        """Connect the line to ground, as a button does."""
        os.pwrite(self._file(line, "pull"), b"pull-down", 0)

    def release(self, line: int) -> None:
        """Let the pull-up have it again."""
        os.pwrite(self._file(line, "pull"), b"pull-up", 0)

    def pull(self, line: int) -> str:
        """`up` or `down`."""
        return os.pread(self._file(line, "pull"), 16, 0).decode().strip().removeprefix("pull-")

    def level(self, line: int) -> int:
        """0 or 1, what a voltmeter would show."""
        return int(os.pread(self._file(line, "value"), 2, 0))

    def pull_file(self, line: int) -> Path:
        """The file that `press` and `release` write to, for another process."""
        return self._lines / f"sim_gpio{line}" / "pull"

    def share_of_time_high(self, line: int, seconds: float) -> tuple[float, int]:
        """How much of the time the line was high, and how often it rose."""
        high_s, rises = 0.0, 0
        before = self.level(line)
        start = now = time.perf_counter()
        while now < start + seconds:
            time.sleep(LOOK_S)
            level = self.level(line)
            then, now = now, time.perf_counter()
            high_s += (now - then) * (level + before) / 2
            rises += level > before
            before = level
        return high_s / (now - start), rises

    def close(self) -> None:
        """Take the chip away; twice is safe."""
        for file in self._open.values():
            os.close(file)
        self._open.clear()
        if not self._folder.exists():
            return
        (self._folder / "live").write_text("0")
        for line in self._hogs:
            (self._folder / "bank0" / f"line{line}" / "hog").rmdir()
            (self._folder / "bank0" / f"line{line}").rmdir()
        (self._folder / "bank0").rmdir()
        self._folder.rmdir()

    def _file(self, line: int, what: str) -> int:
        if (line, what) not in self._open:
            flags = os.O_RDWR if what == "pull" else os.O_RDONLY
            self._open[line, what] = os.open(self._lines / f"sim_gpio{line}" / what, flags)
        return self._open[line, what]


@contextmanager
def banks(*labels: str) -> Iterator[list[Bank]]:
    """Several chips with these labels, numbered in this order."""
    made: list[Bank] = []
    try:
        for number, label in enumerate(labels):
            made.append(Bank(f"bank-{number}", label))
        yield made
    finally:
        for bank in made:
            bank.close()


@contextmanager
def another_program(chip: int, *lines: int) -> Iterator["subprocess.Popen[str]"]:
    """A program of somebody else's that has the lines as outputs, high; killed at the end if not before."""
    claim = f"c = lgpio.gpiochip_open({chip}); [lgpio.gpio_claim_output(c, line, 1) for line in {lines}]"
    code = f"import lgpio; {claim}; print('has it', flush=True)"
    program = subprocess.Popen(
        [sys.executable, "-c", f"{code}; input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=os.environ["TMPDIR"],
    )
    assert program.stdout is not None
    try:
        assert program.stdout.readline() == "has it\n"
        yield program
    finally:
        program.kill()
        program.communicate()


@contextmanager
def noting_writes() -> Iterator[set[tuple[str, str]]]:
    """Which lines are written to meanwhile, and each level they were given; filled at the end.

    The kernel notes it, so nothing is too short to be seen. It numbers the lines of all chips in one row.
    """
    noted, switch = TRACING / "trace", TRACING / "events/gpio/gpio_value/enable"
    written: set[tuple[str, str]] = set()
    noted.write_text("")
    switch.write_text("1")
    try:
        yield written
    finally:
        switch.write_text("0")
    written.update(re.findall(r"gpio_value: (\d+) set (\d)", noted.read_text()))


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 5.0) -> None:
    """Return as soon as it is so.

    Raises:
        AssertionError: it never was.
    """
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"expected {what} within {seconds} s"
        time.sleep(0.001)
