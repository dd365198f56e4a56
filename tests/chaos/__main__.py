"""Many runs of the fault harness, each seed printed, and how often each fault came and what did not hold.

The seed chooses the fault too, all in turn: with --runs 1 and the seed of a run that one comes again.

Run: python -m tests.chaos --runs 200 --seed 1, or with --fault WORD only the faults with that word in their name.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from tests.chaos.faults import FAULTS, SECONDS
from tests.chaos.runs import run
from tests.chaos.scene import Scene

SECOND_SHARE = 0.5
"""Of the runs whose fault bears another one on top."""


def main() -> int:
    """Play them one after the other; 1 where something did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, metavar="N", help="so many runs, all faults in turn (200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first run; each next has the next (1)")
    parser.add_argument("--fault", default="", metavar="WORD", help="only faults with this in their name")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep journal and logs of runs that went wrong")
    parser.add_argument("--doubled", action="store_true", help="only faults that bear another, each with one on top")
    options = parser.parse_args()
    kinds = [kind for kind in FAULTS if options.fault in kind.name and (kind.bears_another or not options.doubled)]
    if not kinds:
        parser.error(f"no fault has {options.fault!r} in its name: {'; '.join(kind.name for kind in FAULTS)}")

    share = 1.0 if options.doubled else SECOND_SHARE
    scene, begun_s = Scene(), time.monotonic()
    good: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    skipped: dict[str, str] = {}
    for number in range(options.runs):
        seed = options.seed + number
        kind = kinds[seed % len(kinds)]
        if kind.name in skipped:
            continue
        chance = random.Random(seed)
        second = chance.choice(SECONDS) if kind.bears_another and chance.random() < share else None
        outcome = run(kind, seed, scene, second=second, keep=options.keep)
        if outcome.skipped is not None:
            skipped[kind.name] = outcome.skipped
            print(f"{number + 1:4}  {kind.name}: skipped, {outcome.skipped}", flush=True)
            continue
        (bad if outcome.wrong else good)[kind.name] += 1
        word = "does NOT hold" if outcome.wrong else "holds"
        print(
            f"{number + 1:4}  seed {seed}, {outcome.fault}: {word}, {outcome.events} events, {outcome.seconds:.0f} s",
            flush=True,
        )
        for sentence in outcome.wrong:
            print(f"      {sentence}", flush=True)
    print(f"\n{good.total() + bad.total()} runs in {time.monotonic() - begun_s:.0f} s")
    for kind in kinds:
        told = skipped.get(kind.name) or f"{good[kind.name]} held, {bad[kind.name]} did not"
        print(f"  {kind.name}: {told}")
    return 1 if bad or skipped else 0


if __name__ == "__main__":
    sys.exit(main())
