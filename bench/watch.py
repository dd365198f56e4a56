"""The time of watching one frame as a multiple of decoding its JPEG, on one thread; a settled change, a core, memory.

The vigil, which looks at one frame a second, has a line of its own and its part of the core.

Run `python -m bench.watch` from the repository's root; it takes some minutes, most of them for the memory. Multiples
and not milliseconds, as in `bench.read`; the thread's own time, so that a busy machine spoils nothing. What is filmed
is a drawn table on which a domino is laid and taken off again; each frame is decoded just before, as a camera's is.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# One thread for everything, and set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import Before
from vision.cut import poses_of
from vision.frame import Frame
from vision.geometry import Table
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop, Reaching
from vision.rereading import Box, regions, reread
from vision.rest import rest_of
from vision.rig import Rig
from vision.vigil import Vigil
from vision.watch import Watcher

BGR = NDArray[np.uint8]

JPEG_QUALITY = 90
FRAME_PX = (1280, 720)
FPS = 15
LYING = 14
SEED = 3
STILL, REACHING, SETTLING = 34, 12, 14
"""Frames in which nothing moves, with an arm in, and until the table has been read: a move in four seconds."""
MEMORY_FRAMES = 100_000


@dataclass
class Shot:
    """A frame of the film, and what happens in it."""

    kind: str
    jpeg: NDArray[np.uint8]

    def decoded(self) -> BGR:
        """As a camera's frame comes to the watcher."""
        return np.asarray(cv2.imdecode(self.jpeg, cv2.IMREAD_COLOR), np.uint8)


class Stopwatch:
    """What a watcher reads, and how long that took."""

    def __init__(self, table: Table | None) -> None:
        self.table = table
        self.read_ms = 0.0
        self.regions: list[Box] = []

    def read(self, bgr: BGR) -> Reading:
        """All of a picture."""
        return self._timed(lambda: read(bgr, table=self.table))

    def reread(self, bgr: BGR, before: Before) -> Reading:
        """What has changed of it."""
        side_px = float(np.median(poses_of(np.array([d.corners for d in before.reading.dominoes]))[:, 3]))
        self.regions = regions(before, side_px, bgr.shape[0] / before.changed.shape[0])
        return self._timed(lambda: reread(bgr, before, table=self.table))

    def _timed(self, action: Callable[[], Reading]) -> Reading:
        start = time.thread_time()
        reading = action()
        self.read_ms += (time.thread_time() - start) * 1e3
        return reading


def main() -> None:
    """Print the multiples of watching with the table known and not, then what a minute takes, then the memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6, help="moves that are timed (default 6)")
    parser.add_argument("--frames", type=int, default=MEMORY_FRAMES, help="frames for the memory (default 100000)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rig = Rig(*FRAME_PX)
    film = shots(rig)
    decode_ms = float(np.median([_milliseconds(shot.decoded) for shot in film for _ in range(3)]))
    print(f"decoding a frame of 1280x720: {decode_ms:.2f} ms\n")
    print(f"{'watching':<58}{'of a decode':>12}{'at most':>10}")
    for note, table in (("", None), (", table known", rig.table())):
        times = watched(film, table, options.rounds)
        vigil_ms = looked_at(film, table)
        for kind, limit in (("idle", 0.15), ("hands in the zones", 1.0), ("arm", 1.0), ("settling", 1.0)):
            multiple = float(np.mean(times[kind])) / decode_ms
            print(f"{f'{kind}{note}':<58}{multiple:>12.2f}{limit:>10.2f}")
        print(f"{f'the vigil, a look once a second{note}':<58}{vigil_ms / decode_ms:>12.2f}{2.5:>10.2f}")
        for name in ("region", "frame"):
            multiple = float(np.median(np.array(times["settled"]) / np.array(times[name])))
            print(f"{f'a settled change, of one full read of that {name}{note}':<58}{multiple:>12.2f}{1.0:>10.2f}")
        watching = ("idle", "arm", "settling", "settled")
        a_move = sum(sum(times[kind]) for kind in watching) / options.rounds / 2
        seconds = len(film) / 2 / FPS
        share = (a_move + len(film) / 2 * decode_ms + seconds * vigil_ms) / (seconds * 1e3)
        print(f"{f'share of a core at {FPS} frames a second, decoding included{note}':<58}{share:>12.2f}{0.5:>10.2f}\n")
    early_mb, late_mb = memory(film, rig.table(), options.frames)
    print(f"memory after 2,000 frames {early_mb:.1f} MB, after {options.frames:,} frames {late_mb:.1f} MB")


def shots(rig: Rig) -> list[Shot]:
    """The film of a domino laid and taken off again."""
    rng = np.random.default_rng(SEED)
    backdrop = Backdrop(rig, Look(), rng)
    layout = LineLayout(rng)
    tiles = [(a, b) for a in range(7) for b in range(a, 7)]
    for number in range(LYING):
        layout.add("R" if number % 2 else "L", *tiles[number]) if number else layout.first(*tiles[0])
    new = layout.lying[-1]
    film: list[Shot] = []

    def take(kind: str, *arms: Reaching) -> None:
        bgr = backdrop.picture(arms).bgr
        film.append(Shot(kind, cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]))

    for before, after in ((layout.lying[:-1], layout.lying), (layout.lying, layout.lying[:-1])):
        ways = np.linspace(0.8, 0.0, REACHING // 2)
        backdrop.lay(before)
        for way in ways:
            take("arm", Reaching(0, new.x_mm + 30 * way, new.y_mm + (420 - new.y_mm) * way))
        backdrop.lay(after)
        for way in ways[::-1]:
            take("arm", Reaching(0, new.x_mm + 30 * way, new.y_mm + (420 - new.y_mm) * way))
        for _ in range(SETTLING):
            take("settling")
        for number in range(STILL):
            hands = (Reaching(0, -80 + 6 * (number % 5), 425.0), Reaching(2, 90 - 5 * (number % 4), -430.0))
            take("idle" if number < STILL // 2 else "hands in the zones", *(() if number < STILL // 2 else hands))
    return film


def watched(film: list[Shot], table: Table | None, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of watching each frame by what happens in it; of reading each settled change, its region, its frame.

    Without the table, hands at the border hold a game up: those frames are left out, and counted as idle.
    """
    times: dict[str, list[float]] = {kind: [] for kind in (*(shot.kind for shot in film), "settled", "region", "frame")}
    stopwatch = Stopwatch(table)
    watcher = Watcher(read=stopwatch.read, reread=stopwatch.reread, table=table)
    for number, shot in enumerate(_played(film, rounds + 1, with_hands=table is not None)):
        stopwatch.read_ms, stopwatch.regions = 0.0, []
        frame = Frame(shot.decoded(), round(number * 1e9 / FPS), number)
        start_s = time.thread_time()
        watcher.see(frame)
        took_ms = (time.thread_time() - start_s) * 1e3
        if number < len(film):
            continue
        times[shot.kind].append(took_ms - stopwatch.read_ms)
        if stopwatch.regions:
            times["settled"].append(stopwatch.read_ms)
            times["region"].append(sum(_read_ms(shot, box, table) for box in stopwatch.regions))
            times["frame"].append(_read_ms(shot, (0, 0, *FRAME_PX), table))
    times["hands in the zones"] = times["hands in the zones"] or times["idle"]
    return times


def looked_at(film: list[Shot], table: Table | None) -> float:
    """Milliseconds of one look of the vigil, the median of all frames of the film taken a second apart."""
    still = next(shot for shot in film if shot.kind == "idle")
    vigil = Vigil(table=table, rest=rest_of(still.decoded(), table))
    frames = (Frame(shot.decoded(), number * 1_000_000_000, number) for number, shot in enumerate(film))
    return float(np.median([_milliseconds(partial(vigil.look, frame)) for frame in frames]))


def memory(film: list[Shot], table: Table, frames: int) -> tuple[float, float]:
    """Resident megabytes after 2,000 frames and after all of them."""
    watcher = Watcher(read=lambda b: read(b, table=table), reread=lambda b, o: reread(b, o, table=table), table=table)
    early = 0.0
    shots_ = _played(film, frames // len(film) + 1, with_hands=True)
    decoded = {id(shot): shot.decoded() for shot in film}
    for number, shot in zip(range(frames), shots_, strict=False):
        watcher.see(Frame(decoded[id(shot)], round(number * 1e9 / FPS), number))
        if number == 2000:
            early = _resident_mb()
    return early, _resident_mb()


def _played(film: list[Shot], rounds: int, *, with_hands: bool) -> Iterator[Shot]:
    for _ in range(rounds):
        for shot in film:
            if with_hands or shot.kind != "hands in the zones":
                yield shot


def _resident_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _read_ms(shot: Shot, box: Box, table: Table | None) -> float:
    """Milliseconds of reading that part of a frame and no more."""
    left, top, right, bottom = box
    part = np.ascontiguousarray(shot.decoded()[top:bottom, left:right])
    return _milliseconds(lambda: read(part, table=table and table.within(left, top)))


def _milliseconds(action: Callable[[], object]) -> float:
    start = time.thread_time()
    action()
    return (time.thread_time() - start) * 1e3


if __name__ == "__main__":
    main()
