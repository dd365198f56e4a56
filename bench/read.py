"""The time of one read as a multiple of decoding the same frame's JPEG, on one thread, and the share of each step.

Run `python -m bench.read` from the repository's root. A multiple and not milliseconds: it says the same on a desk and
on a Raspberry Pi, whose camera hands over JPEGs that something has to decode anyway.
"""

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Callable

# One thread for everything, and set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Table
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.render import render
from vision.rig import Rig

BGR = NDArray[np.uint8]

JPEG_QUALITY = 90
LINE = ((5, 2), (2, 2), (2, 0), (0, 0), (0, 1), (1, 6), (6, 6), (6, 3), (3, 4), (4, 1), (1, 1), (1, 5), (5, 5), (5, 3))
FEW, MANY = 2, len(LINE)
STEPS = {
    "ink_plane": "one channel",
    "find_rectangles": "rectangles",
    "find_scales": "size",
    "find_blobs": "marks",
    "find_patterns": "patterns",
    "look": "looking at faces",
    "log_odds": "judging",
    "best_packing": "packing",
    "chains": "chaining",
}
"""Functions of the reader by what they do; `size` contains marks and patterns of its own."""


def main() -> None:
    """Print one row for each frame, then the shares for the fullest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="reads of each frame (default 15)")
    rounds = parser.parse_args().rounds
    cv2.setNumThreads(1)
    rig = Rig(width_px=1280, height_px=720)
    print(f"{'frame':<28}{'decode ms':>10}{'read ms':>10}{'multiple':>10}")
    for name, dominoes in (("empty table", 0), (f"{FEW} dominoes", FEW), (f"{MANY} dominoes", MANY)):
        bgr = frame(dominoes, rig)
        for note, table in (("", None), (", table known", rig.table())):
            decode_ms, read_ms = timed(bgr, table, rounds)
            print(f"{name + note:<28}{decode_ms:>10.1f}{read_ms:>10.1f}{read_ms / decode_ms:>10.1f}")
    print("\nshare of each step, many dominoes, table known")
    for step, share in shares(frame(MANY, rig), rig.table()):
        print(f"{step:<28}{share:>10.0%}")


def frame(dominoes: int, rig: Rig) -> BGR:
    """A line of so many dominoes on the demo's table."""
    rng = np.random.default_rng(1)
    layout = LineLayout(rng)
    lying = [layout.first(*LINE[0]), *(layout.add("R", *tile) for tile in LINE[1:dominoes])] if dominoes else []
    return np.asarray(render(lying, rig=rig, look=Look(), rng=rng).bgr, dtype=np.uint8)


def timed(bgr: BGR, table: Table | None, rounds: int) -> tuple[float, float]:
    """Median milliseconds of decoding and of reading, taken in turn so that a busy moment hits both."""
    jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    decoding, reading = [], []
    read(bgr, table=table)
    for _ in range(rounds):
        decoding.append(_milliseconds(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR)))
        reading.append(_milliseconds(lambda: read(bgr, table=table)))
    return float(np.median(decoding)), float(np.median(reading))


def shares(bgr: BGR, table: Table | None) -> list[tuple[str, float]]:
    """Each step's share of one read, the callees of a step counted with it."""
    profile = cProfile.Profile()
    profile.enable()
    read(bgr, table=table)
    profile.disable()
    times = pstats.Stats(profile).get_stats_profile().func_profiles
    total = times["read"].cumtime
    return [(label, times[name].cumtime / total) for name, label in STEPS.items() if name in times]


def _milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    main()
