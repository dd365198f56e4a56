"""The time of one read as a multiple of decoding the same frame's JPEG, on one thread; the share of each step; memory.

Run `python -m bench.read` from the repository's root. A multiple and not milliseconds: it says the same on a desk and
on a Raspberry Pi, whose camera hands over JPEGs that something has to decode anyway. Drawn frames are smooth and
quickly decoded; folders of pictures may be named to measure on those as well.
"""

import argparse
import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# One thread for everything, and set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Table
from vision.images import load
from vision.labels import PICTURE_SUFFIXES
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.render import render
from vision.rig import Rig

BGR = NDArray[np.uint8]

JPEG_QUALITY = 90
FRAME_PX = (1280, 720)
STILL_PX = (4000, 3000)
FEW, MANY = 4, 28
SEED = 3
STEPS = {"pyramid": "halving the picture", "find": "finding", "look": "reading faces", "chains": "chaining"}
"""Functions of the reader by what they do."""
MOST_PICTURES = 40
"""Read in each folder."""


def main() -> None:
    """Print a row for each frame, the shares for the fullest, what a still costs, and the memory all of it takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="pictures to measure on as well")
    parser.add_argument("--rounds", type=int, default=21, help="reads of each frame (default 21)")
    parser.add_argument("--memory", metavar="PICTURE", help="only print the most memory that reading one took, in MB")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rig = Rig(*FRAME_PX)
    if options.memory:
        read(load(options.memory))
        # Not getrusage: its peak is also that of the process this one was started by.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        print(f"{int(status.partition('VmHWM:')[2].split()[0]) / 1024:.0f}")
        return
    print(f"{'frame':<34}{'decode ms':>10}{'read ms':>10}{'multiple':>10}")
    took = {}
    for count in (0, FEW, MANY // 2, MANY):
        bgr = frame(count, rig)
        for note, table in (("", None), (", table known", rig.table())):
            decode_ms, read_ms = timed(bgr, table, options.rounds)
            took[count, note] = read_ms
            print(f"{f'{count} dominoes{note}':<34}{decode_ms:>10.1f}{read_ms:>10.1f}{read_ms / decode_ms:>10.1f}")
    still = cv2.resize(frame(MANY // 2, rig), STILL_PX, interpolation=cv2.INTER_CUBIC)
    decode_ms, read_ms = timed(np.asarray(still, np.uint8), None, max(3, options.rounds // 4))
    print(f"{'a still of 12 megapixels':<34}{decode_ms:>10.1f}{read_ms:>10.1f}{read_ms / decode_ms:>10.1f}")
    for folder in options.folders:
        paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in PICTURE_SUFFIXES)[:MOST_PICTURES]
        if not paths:
            parser.error(f"expected pictures in {folder}, found none: name another folder")
        times = [timed(load(path), None, 5) for path in paths]
        decode_ms, read_ms = np.median(np.array(times), axis=0)
        multiple = np.median([reading / decoding for decoding, reading in times])
        print(f"{f'median of {len(paths)} in {folder.name}':<34}{decode_ms:>10.1f}{read_ms:>10.1f}{multiple:>10.1f}")
    for note in ("", ", table known"):
        print(f"{MANY} dominoes over {FEW}{note}: {took[MANY, note] / took[FEW, note]:.2f}")
    print("\nshare of each step, many dominoes, table not known")
    for step, share in shares(frame(MANY, rig)):
        print(f"{step:<34}{share:>10.0%}")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/frame.png"
        cv2.imwrite(path, frame(MANY, rig))
        command = (sys.executable, "-m", "bench.read", "--memory", path)
        memory = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"most memory, all loaded, {MANY} dominoes: {memory} MB")


def frame(dominoes: int, rig: Rig) -> BGR:
    """A line of so many dominoes on the demo's table; suits are of no matter here."""
    rng = np.random.default_rng(SEED)
    layout = LineLayout(rng)
    tiles = [(a, b) for a in range(7) for b in range(a, 7)]
    for number in range(dominoes):
        layout.add("R" if number % 2 else "L", *tiles[number]) if number else layout.first(*tiles[0])
    return np.asarray(render(layout.lying, rig=rig, look=Look(), rng=rng).bgr, dtype=np.uint8)


def timed(bgr: BGR, table: Table | None, rounds: int) -> tuple[float, float]:
    """Median milliseconds of decoding and of reading, taken in turn so that a busy moment hits both."""
    jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    decoding, reading = [], []
    read(bgr, table=table)
    for _ in range(rounds):
        decoding.append(_milliseconds(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR)))
        reading.append(_milliseconds(lambda: read(bgr, table=table)))
    return float(np.median(decoding)), float(np.median(reading))


def shares(bgr: BGR) -> list[tuple[str, float]]:
    """Each step's share of one read, the callees of a step counted with it."""
    read(bgr)
    profile = cProfile.Profile()

    def whole() -> None:
        read(bgr)

    profile.runcall(whole)
    times = pstats.Stats(profile).get_stats_profile().func_profiles
    total = times["whole"].cumtime
    return [(label, times[name].cumtime / total) for name, label in STEPS.items() if name in times]


def _milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    main()
