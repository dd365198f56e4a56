"""An hour of play at 20 times the speed of people: whether memory or delay grows.

Run: python -m tests.chaos.soak --minutes 60. The clock of service and seat board runs 20 times as fast as the real one
(service.py, unix_board.py), and the players think about as long on it as people do; every scene is read, every event
committed and sent as ever. Memory and processor are the service's own; delay is from a domino laid before the camera to
its event at a display, in real time. All is told every minute; the last tenth is held against the second.
"""

from __future__ import annotations

import argparse
import bisect
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.player import Player
from tests.chaos.runs import PLAYED
from tests.chaos.scene import Scene
from tests.chaos.table import Table

SPEED = 20
"""Of the table's clock, and how fast play has to be for all that."""
MOVE_S = 12.0
"""People take about so long for a move or a pass; what is played is counted by it."""
PACE_S = 11.5
"""So often by the table's clock is one due: when a count or the referee has kept them they hurry after that."""
PARTS = 10
MEMORY_GROWTH = 1.05
DELAY_GROWTH = 1.25


@dataclass(frozen=True)
class Counts:
    """What has been counted since the start."""

    at_s: float
    acts: int
    """Moves and passes."""
    processor_s: float
    numbers: dict[str, Any]
    """Of the service, from its heartbeat."""


@dataclass(frozen=True)
class Stretch:
    """What was measured from one moment to another."""

    seconds: float
    acts: int
    processor: float
    """The service's, in cores."""
    frames: float
    """A second."""
    reads: int
    read_ms: float
    commits: int
    commit_ms: float
    """The mean of one, in real time."""
    memory_mb: float
    journal_mb: float
    delays_s: Sequence[float]

    @property
    def speed(self) -> float:
        """So many times as fast as people."""
        return self.acts * MOVE_S / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.acts:3d} acts, {self.speed:4.1f} times  {self.memory_mb:5.1f} MB  {self.processor:3.0%} of a core  "
            f"delay {median_ms(self.delays_s):3.0f} ms, p99 {p99_ms(self.delays_s):3.0f} ms  "
            f"{self.frames:2.0f} frames/s  {self.reads} readings of {self.read_ms:.0f} ms  "
            f"{self.commits} commits of {self.commit_ms:.2f} ms  journal {self.journal_mb:.1f} MB"
        )


class Soak:
    """A running table that is played at, one stretch of time after the other."""

    def __init__(self, table: Table, seed: int) -> None:
        self._table = table
        self._player = Player(table, random.Random(seed), think=self._think)
        self._player.play(lambda: table.listener.heard.heartbeat is not None, 60.0)
        self._begun_s = time.monotonic()
        self._acts = self._looked_at = 0
        self._counts = self._counted()

    def stretch(self, until_s: float) -> Stretch | None:
        """Play until then; None where the service has ended."""
        table, before = self._table, self._counts
        self._player.understood_s.clear()
        self._player.play(lambda: time.monotonic() >= until_s or bool(table.ends), math.inf)
        if table.process is None or table.ends:
            return None
        self._counts = now = self._counted()
        seconds = now.at_s - before.at_s
        reads, read_s = _spent(now, before, "reads")
        commits, commit_s = _spent(now, before, "commits")
        return Stretch(
            seconds=seconds,
            acts=now.acts - before.acts,
            processor=(now.processor_s - before.processor_s) / seconds,
            frames=(now.numbers["frames"] - before.numbers["frames"]) / seconds,
            reads=reads,
            read_ms=1000 * read_s,
            commits=commits,
            commit_ms=1000 * commit_s / SPEED,
            memory_mb=_memory_mb(table.process.pid),
            journal_mb=sum(part.stat().st_size for part in table.state.glob(f"{table.journal.name}*")) / 1e6,
            delays_s=self._delays_s(),
        )

    def _delays_s(self) -> list[float]:
        """Of each domino from its being laid to the event of it; the very last may still be on its way."""
        laid_s = [at_s for at_s, event in self._table.listener.heard.events if event["type"] == "domino_laid"]
        come = [bisect.bisect(laid_s, at_s) for at_s in self._player.understood_s]
        told = zip(self._player.understood_s, come, strict=True)
        return [laid_s[place] - at_s for at_s, place in told if place < len(laid_s)]

    def _think(self) -> None:
        """Until the next move or pass is due."""
        self._count_acts()
        due_s = self._begun_s + self._acts * PACE_S / SPEED
        time.sleep(max(0.0, due_s - time.monotonic()))

    def _count_acts(self) -> None:
        events = self._table.listener.heard.events
        until = len(events)
        self._acts += sum(event["type"] in PLAYED for _, event in events[self._looked_at : until])
        self._looked_at = until

    def _counted(self) -> Counts:
        beat, process = self._table.listener.heard.heartbeat, self._table.process
        assert beat is not None, "the service has begun"
        assert process is not None, "the service has not ended"
        self._count_acts()
        return Counts(time.monotonic(), self._acts, _processor_s(process.pid), beat["numbers"])


def _spent(now: Counts, before: Counts, what: str) -> tuple[int, float]:
    """How often, and how many seconds each."""
    new, old = now.numbers[what], before.numbers[what]
    count = new["count"] - old["count"]
    return count, (new["seconds"] - old["seconds"]) / max(1, count)


def _memory_mb(process: int) -> float:
    """What it has in memory for itself and shared with others."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def _processor_s(process: int) -> float:
    """Time that its threads have had so far, for themselves and in the kernel."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def median_ms(seconds: Sequence[float]) -> float:
    """The middle one, in milliseconds; NaN of none."""
    return 1000 * statistics.median(seconds) if seconds else float("nan")


def p99_ms(seconds: Sequence[float]) -> float:
    """What 99 of 100 do not pass, likewise."""
    return 1000 * sorted(seconds)[-(-99 * len(seconds) // 100) - 1] if seconds else float("nan")


def judge(stretches: Sequence[Stretch]) -> list[str]:
    """What has grown from the second tenth to the last, or was too slow; the first has what is loaded once."""
    second, last = (
        stretches[tenth * len(stretches) // PARTS : (tenth + 1) * len(stretches) // PARTS] for tenth in (1, PARTS - 1)
    )
    memory = [statistics.mean(stretch.memory_mb for stretch in tenth) for tenth in (second, last)]
    delays = [[delay for stretch in tenth for delay in stretch.delays_s] for tenth in (second, last)]
    acts, seconds = sum(stretch.acts for stretch in stretches), sum(stretch.seconds for stretch in stretches)
    speed = acts * MOVE_S / seconds
    print(f"{acts} moves and passes in {seconds / 60:.1f} minutes: {speed:.1f} times as fast as people")
    print(f"memory {memory[0]:.1f} to {memory[1]:.1f} MB")
    print(
        f"delay {median_ms(delays[0]):.0f} to {median_ms(delays[1]):.0f} ms, "
        f"p99 {p99_ms(delays[0]):.0f} to {p99_ms(delays[1]):.0f} ms"
    )
    wrong = []
    if not memory[1] <= memory[0] * MEMORY_GROWTH:
        wrong.append(f"memory has grown by more than {MEMORY_GROWTH - 1:.0%}")
    if not median_ms(delays[1]) <= median_ms(delays[0]) * DELAY_GROWTH:
        wrong.append(f"delay has grown by more than {DELAY_GROWTH - 1:.0%}")
    if not speed >= SPEED:
        wrong.append(f"play was less than {SPEED} times as fast as people's")
    return wrong


def main() -> int:
    """Play; 1 where something has grown, or it was too slow."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, metavar="N", help="so long (60)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the games (1)")
    options = parser.parse_args()
    parts = max(PARTS, round(options.minutes))
    stretches: list[Stretch] = []
    with (
        tempfile.TemporaryDirectory(prefix="gameline-soak-") as place,
        Table(Path(place), Scene(), speed=SPEED) as table,
    ):
        soak = Soak(table, options.seed)
        begun_s = time.monotonic()
        for part in range(1, parts + 1):
            minutes = part * options.minutes / parts
            stretch = soak.stretch(begun_s + minutes * 60)
            if stretch is None:
                print(f"the service has ended: {table.said()[-2000:]}", file=sys.stderr)
                return 1
            stretches.append(stretch)
            print(f"{minutes:4.1f} min  {stretch}", flush=True)
        table.stop()
    wrong = judge(stretches)
    for what in wrong:
        print(what, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
