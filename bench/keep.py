"""What a look at the page and a recording cost, as multiples of decoding the same frame's JPEG, on one thread.

Run `python -m bench.keep` from the repository's root. The camera's thread pays for every frame, the scribe and whoever
looks at the page only when there is something to keep or to show.
"""

import logging
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# One thread for everything, and set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np

from controller.clips import PNG
from controller.journal import Entry
from controller.keeper import Keeper
from controller.recorder import Recorder
from controller.stills import Stills
from vision import view as viewing
from vision.frame import Bgr, Frame
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import render
from vision.rig import Rig
from vision.view import KINDS, View
from vision.watch import Settled, Watcher

RIG = Rig(width_px=1280, height_px=720)
FRAMES = 300
STEP_NS = 66_666_667  # fifteen frames a second
EVENT_EVERY = 20  # frames: a clip is open all the time
DOMINOES = 12


def main() -> None:
    """Print the table."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(3)
    layout = LineLayout(rng)
    layout.first(6, 4)
    for suit in (1, 2, 3, 5, 0, 6, 1, 3, 2, 0, 4)[: DOMINOES - 1]:
        layout.add("R", suit, suit)
    bgr = render(layout.lying, rig=RIG, look=Look(noise=2.0), rng=rng).bgr
    jpeg = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, 90))[1]
    decode_s = best(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR))
    print(f"decoding a frame of 1280x720: {decode_s * 1e3:.2f} ms; what follows is beside it")

    def say(what: str, seconds: float) -> None:
        print(f"{what:58}{seconds / decode_s:8.3f}")

    watcher, view = Watcher(read=lambda _: Reading(), table=RIG.table()), View(read=read, table=RIG.table())
    numbers = iter(range(10**9))

    def frame() -> Frame:
        number = next(numbers)
        return Frame(bgr, number * STEP_NS, number)

    say("camera's thread: the watcher, an idle frame", best(lambda: watcher.see(frame()), 50))
    say("camera's thread: the page, nobody looking", best(lambda: view.look(frame(), watcher, ()), 50))
    viewing.REDRAW_S = 0.0  # type: ignore[misc]
    seen = frame()
    settled = Settled(read(bgr, table=RIG.table()), seen.mono_ns, seen)
    for kind in KINDS:

        def look(kind: viewing.Kind = kind) -> None:
            view.look(Frame(bgr, 0, 0), watcher, (settled,))
            view._shown.clear()
            view.picture(kind)

        say(f"somebody who looks: the picture {kind!r}", best(look))
    for name, is_busy in (("nothing happens", False), ("a clip is open", True)):
        camera_s, scribe_s = recording(bgr, is_busy=is_busy)
        say(f"camera's thread: the recorder, {name}", camera_s)
        say(f"scribe's thread: a frame, {name}", scribe_s)
    say("scribe's thread: a frame that was read", best(lambda: cv2.imencode(".png", bgr, PNG)))


def best(do: Callable[[], object], times: int = 9) -> float:
    """Seconds of this thread's processor that one call takes, the median of some."""
    taken = []
    for _ in range(times):
        start = time.thread_time()
        do()
        taken.append(time.thread_time() - start)
    return sorted(taken)[times // 2]


def recording(bgr: Bgr, *, is_busy: bool) -> tuple[float, float]:
    """Seconds a frame of the camera's thread and of the scribe's."""
    with tempfile.TemporaryDirectory(prefix="gameline-bench-") as place:
        folder, now_ns = Path(place), [0]
        recorder = Recorder(folder, session="s", head={}, budget_bytes=10**10, wall_ms_at_0=lambda: 0)
        stills = Stills(folder / "stills", budget_bytes=10**8)
        keeper = Keeper(stills=stills, recorder=recorder, clock_ns=lambda: now_ns[0], logger=logging.getLogger("bench"))
        keeper.begin([])
        camera_s, before_s = 0.0, time.process_time() - time.thread_time()
        for number in range(FRAMES):
            frame = Frame(bgr, number * STEP_NS, number)
            now_ns[0] = frame.mono_ns
            if is_busy and number % EVENT_EVERY == 0:
                keeper.happened([Entry(number + 1, frame.mono_ns, "b", "", True, "passed", {})], [])
            start = time.thread_time()
            keeper.look(frame, is_hand_in=False, is_read=False, scenes=())
            camera_s += time.thread_time() - start
            while not keeper.is_idle:
                time.sleep(0.001)
        keeper.close()
        scribe_s = time.process_time() - time.thread_time() - before_s
        return camera_s / FRAMES, scribe_s / FRAMES


if __name__ == "__main__":
    main()
