"""An hour of play without a pause for thought, as fast as the table reads: whether memory or delay grows.

Run: python -m tests.chaos.soak --minutes 60. Memory is the service's own, delay is from a domino laid before the camera
to its event at a display; both are told every minute, and the last tenth of the time is held against the second.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.player import Player
from tests.chaos.runs import PLAYED
from tests.chaos.scene import Scene
from tests.chaos.table import Table

PARTS = 10
MEMORY_GROWTH = 1.05
DELAY_GROWTH = 1.25
THOUGHT_S = 12.0
"""People take about so long for a move."""


def memory_mb(process: int) -> float:
    """What it has in memory for itself and shared with others."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> int:
    """Play; 1 where something has grown."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, metavar="N", help="so long (60)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the games (1)")
    options = parser.parse_args()
    part_s = options.minutes * 60 / PARTS
    memory: list[float] = []
    delay: list[float] = []
    with tempfile.TemporaryDirectory(prefix="gameline-soak-") as place, Table(Path(place), Scene()) as table:
        player = Player(table, random.Random(options.seed))
        begun_s = time.monotonic()
        for part in range(1, PARTS + 1):
            player.delays_s.clear()
            end_s = begun_s + part * part_s
            player.play(lambda end_s=end_s: time.monotonic() >= end_s, part_s * 2)  # type: ignore[misc]
            if table.process is None or table.ends:
                print(f"the service has ended: {table.said()[-2000:]}", file=sys.stderr)
                return 1
            memory.append(memory_mb(table.process.pid))
            delay.append(statistics.median(player.delays_s))
            acts = sum(event["type"] in PLAYED for _, event in table.listener.heard.events)
            speed = acts * THOUGHT_S / (time.monotonic() - begun_s)
            print(
                f"{part * part_s / 60:5.1f} min  {acts} moves and passes ({speed:.0f} times as fast as people)  "
                f"{memory[-1]:.0f} MB  {delay[-1] * 1000:.0f} ms",
                flush=True,
            )
        table.stop()
    # The first tenth has what is loaded once.
    has_grown = memory[-1] > memory[1] * MEMORY_GROWTH or delay[-1] > delay[1] * DELAY_GROWTH
    print(f"memory {memory[1]:.0f} to {memory[-1]:.0f} MB, delay {delay[1] * 1000:.0f} to {delay[-1] * 1000:.0f} ms")
    return 1 if has_grown else 0


if __name__ == "__main__":
    sys.exit(main())
