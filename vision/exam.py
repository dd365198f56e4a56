"""The reader examined on drawn pictures nothing was learnt from, with dominoes and without: `python -m vision.exam`."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

# Each process has one core; set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2

from vision.evaluate import Evaluation, Outcome, compare
from vision.labels import SEEN_ENOUGH, Labelled, Truth
from vision.networks import FOLDER, network
from vision.practice import drawn
from vision.reader import Reader

SEED: Final = 2
"""Not the one that is learnt from."""
PICTURES, BARE = 300, 200
"""Drawn with dominoes and without."""
WITHOUT: Final = "without dominoes"

T = TypeVar("T")
R = TypeVar("R")


def examined(networks: Path = FOLDER, *, pictures: int = PICTURES, bare: int = BARE) -> Evaluation:
    """How so many drawn pictures are read, those without dominoes in a group of their own."""
    some = [(number, False) for number in range(pictures)] + [(number, True) for number in range(bare)]
    return Evaluation(tuple(on_all_cores(partial(_outcome, networks), some, "reading")))


def _outcome(networks: Path, which: tuple[int, bool]) -> Outcome:
    cv2.setNumThreads(1)
    number, bare = which
    practice = drawn(number, SEED, bare=bare)
    reader = Reader(network("finder", networks), network("faces", networks))
    start = time.perf_counter()
    reading = reader.read(practice.bgr)
    seconds = time.perf_counter() - start
    truths = tuple(Truth(d.tile, d.corners, min(d.seen) >= SEEN_ENOUGH) for d in practice.dominoes)
    group = WITHOUT if bare else "with dominoes"
    return compare(Labelled(Path(f"number {number}"), group, truths, None), reading, seconds=seconds)


def on_all_cores(work: Callable[[T], R], on: Sequence[T], name: str) -> Iterator[R]:
    """What some work makes of each item, in order, with a line on stderr that tells how far it is."""
    # Spawned, not forked: whoever asks may have threads of its own by now, and a forked child would wait for them.
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for done, result in enumerate(pool.map(work, on, chunksize=8), start=1):
            if done % 20 == 0 or done == len(on):
                tell(f"{name}: {done} of {len(on)}")
            yield result
    print(file=sys.stderr)


def tell(text: str) -> None:
    """One line on stderr, written over as it goes on."""
    print(f"\r{text}", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Draw, read, print; exit code 1 when a domino was seen where none lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=PICTURES, help=f"with dominoes (default {PICTURES})")
    parser.add_argument("--bare", type=int, default=BARE, help=f"without dominoes (default {BARE})")
    options = parser.parse_args()
    evaluation = examined(pictures=options.pictures, bare=options.bare)
    print(evaluation.text())
    sys.exit(any(outcome.invented for outcome in evaluation.outcomes if outcome.group == WITHOUT))


if __name__ == "__main__":
    main()
