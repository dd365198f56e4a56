"""The camera's thread: what it tells when the camera is there, goes away, comes back, or gives rubbish."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from vision.camera import CameraEnded, CameraLost, Frame, NotAFrame
from vision.checkup import check
from vision.lookout import Back, Died, Examined, Lookout, Lost, News, Playback, Taken
from vision.reading import Domino, Half, Reading
from vision.rest import rest_of
from vision.vigil import LOOKS, Ails, Heals, Vigil, VigilParams
from vision.watch import Settled, Sight, Watcher

WAIT_S = 10.0
PICTURE = np.random.default_rng(1).integers(60, 120, (240, 320, 3), dtype=np.uint8)


class Script:
    """A camera that does one thing after the other: a frame, or an error to raise."""

    def __init__(self, *steps: object) -> None:
        self._steps: Iterator[object] = iter(steps)
        self.number = 0
        self.is_closed = False

    def read(self) -> Frame:
        step = next(self._steps, CameraEnded("the script is over"))
        if isinstance(step, Exception):
            raise step
        self.number += 1
        return Frame(PICTURE, self.number * 250_000_000, self.number)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def watch() -> Iterator[Callable[..., queue.Queue[News]]]:
    """Start a lookout on cameras opened one after the other, and hear its news."""
    running: list[Lookout] = []

    def start(*cameras: Script | CameraLost, read: Callable[[object], Reading] | None = None) -> queue.Queue[News]:
        opened = iter(cameras)

        def open_camera() -> Script:
            camera = next(opened, CameraLost("nothing there"))
            if isinstance(camera, CameraLost):
                raise camera
            return camera

        heard: queue.Queue[News] = queue.Queue()
        watcher = Watcher(read=read or (lambda bgr: Reading()))
        running.append(Lookout(open_camera=open_camera, watcher=watcher, tell=heard.put, clock_ns=lambda: 7))
        running[-1].start()
        return heard

    yield start
    for lookout in running:
        lookout.close()


def hear(heard: queue.Queue[News], count: int) -> list[News]:
    """The next pieces of news."""
    return [heard.get(timeout=WAIT_S) for _ in range(count)]


def test_lookout_tells_what_was_seen_in_each_frame_and_then_the_frame(watch: Callable[..., queue.Queue[News]]) -> None:
    """A still table is told once, before the frame that made it certain: who waits for it waits for nothing else."""
    news = hear(watch(Script(*range(6))), 8)
    assert [type(piece) for piece in news].count(Taken) == 6
    settled = next(piece for piece in news if isinstance(piece, Settled))
    assert news[news.index(settled) + 1] == Taken(settled.frame.mono_ns)
    assert news[-1] == Lost(7, "the script is over")


def test_lookout_opens_a_lost_camera_again_and_says_when_it_is_back(watch: Callable[..., queue.Queue[News]]) -> None:
    """A pulled plug is told with its reason; the next camera that opens ends it."""
    first = Script(1, CameraLost("the cable is out"))
    heard = watch(first, CameraLost("still out"), Script(1, 2))
    told = hear(heard, 6)
    assert told[:4] == [Taken(250_000_000), Lost(7, "the cable is out"), Lost(7, "still out"), Back(250_000_000)]
    assert first.is_closed


def test_lookout_goes_on_after_something_that_is_no_frame(watch: Callable[..., queue.Queue[News]]) -> None:
    """One torn frame is a reason to say so, not to open the camera anew."""
    told = hear(watch(Script(1, NotAFrame("got nothing"), 2)), 4)
    assert told == [Taken(250_000_000), Lost(7, "got nothing"), Back(500_000_000), Taken(500_000_000)]


def test_lookout_never_dies_silently(watch: Callable[..., queue.Queue[News]]) -> None:
    """A fault of ours in the camera's thread is told with its name."""

    def broken(bgr: object) -> Reading:
        raise ZeroDivisionError("division by zero")

    heard = watch(Script(*range(9)), read=broken)
    died = next(piece for piece in iter(lambda: heard.get(timeout=WAIT_S), None) if isinstance(piece, Died))
    assert died.reason == "ZeroDivisionError: division by zero"


def test_frame_that_comes_late_decides_nothing() -> None:
    """Frames older than the limit are never watched, however many come; the first fresh one ends it."""
    heard: queue.Queue[News] = queue.Queue()
    camera = Script(*range(7))
    late = range(4, 7)
    watched: list[int] = []

    class Counting(Watcher):
        def see(self, frame: Frame) -> tuple[Sight, ...]:
            watched.append(frame.number)
            return super().see(frame)

    lookout = Lookout(
        open_camera=lambda: camera,
        watcher=Counting(read=lambda bgr: Reading()),
        tell=heard.put,
        clock_ns=lambda: camera.number * 250_000_000 + (12_000_000_000 if camera.number in late else 0),
        stale_s=2.0,
    )
    lookout.start()
    told = [news for news in hear(heard, 8) if not isinstance(news, Settled)]
    lookout.close()
    assert [type(news) for news in told[:6]] == [Taken, Taken, Taken, Lost, Back, Taken]
    assert watched == [1, 2, 3, 7]
    assert isinstance(told[3], Lost)
    assert told[3].reason == "the camera's frames come more than 2 s after they were taken: restart it"


def test_lookout_tells_what_the_vigil_finds() -> None:
    """After what was seen in a frame comes what has become of the camera."""
    heard: queue.Queue[News] = queue.Queue()
    params = VigilParams(every_ms=250.0, looks={**LOOKS, "exposure_drifts": 2})
    brighter = np.asarray(np.clip(PICTURE * 1.9, 0, 255), np.uint8)
    lookout = Lookout(
        open_camera=lambda: Script(1, 2),
        watcher=Watcher(read=lambda bgr: Reading()),
        tell=heard.put,
        clock_ns=lambda: 7,
        vigil=Vigil(table=None, rest=rest_of(brighter, None), params=params),
    )
    lookout.start()
    told = [heard.get(timeout=WAIT_S) for _ in range(3)]
    lookout.close()
    assert told[:2] == [Taken(250_000_000), Taken(500_000_000)]
    assert isinstance(told[2], Ails)
    assert (told[2].mono_ns, told[2].code) == (500_000_000, "exposure_drifts")


def test_vigil_keeps_out_of_the_way_of_what_was_seen() -> None:
    """The frame that settles a move is not looked at for anything else: the next one is."""
    heard: queue.Queue[News] = queue.Queue()
    looked: list[int] = []

    class Noting(Vigil):
        def look(self, frame: Frame) -> tuple[Ails | Heals, ...]:
            looked.append(frame.number)
            return super().look(frame)

    lookout = Lookout(
        open_camera=lambda: Script(*range(6)),
        watcher=Watcher(read=lambda bgr: Reading()),
        tell=heard.put,
        clock_ns=lambda: 7,
        vigil=Noting(table=None),
    )
    lookout.start()
    told = list(iter(lambda: heard.get(timeout=WAIT_S), Lost(7, "the script is over")))
    lookout.close()
    (settled,) = (news for news in told if isinstance(news, Settled))
    assert looked == [number for number in range(1, 7) if number != settled.frame.number]


def test_lookout_tells_what_was_read_last_when_a_recording_ends() -> None:
    """A doubtful domino that waits for another look is told of when there will be none."""
    heard: queue.Queue[News] = queue.Queue()
    half = Half((0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    doubtful = Reading((Domino(half, half, ((0, 0), (0, 9), (18, 9), (18, 0)), 0.9),))
    watcher = Watcher(read=lambda bgr: doubtful, reread=lambda bgr, before: doubtful)
    camera = Script(1, 2, 3)
    shown: list[tuple[int, list[str]]] = []

    def show(frame: Frame, watcher: Watcher, sights: tuple[Sight, ...]) -> None:
        shown.append((frame.number, [type(sight).__name__ for sight in sights]))

    lookout = Lookout(open_camera=lambda: camera, watcher=watcher, tell=heard.put, clock_ns=lambda: 7, show=show)
    lookout.start()
    told = list(iter(lambda: heard.get(timeout=WAIT_S), Lost(7, "the script is over")))
    lookout.close()
    assert [type(news).__name__ for news in told] == ["Taken", "Taken", "Taken", "Settled"]
    assert shown == [(1, []), (2, []), (3, []), (3, ["Settled"])]


def test_playback_gives_each_frame_at_its_moment_with_the_running_clock() -> None:
    """A recording stamped from 0 is played as if it happened now."""
    now_ns = [5_000_000_000]

    def wait(seconds: float) -> None:
        now_ns[0] += round(seconds * 1e9)

    playback = Playback(Script(1, 2), clock_ns=lambda: now_ns[0], wait=wait)
    stamps = [playback.read().mono_ns for _ in range(2)]
    assert stamps == [5_250_000_000, 5_500_000_000]
    assert now_ns[0] == 5_500_000_000


def test_lookout_examines_one_frame_each_time_it_is_asked() -> None:
    """The next frame after the question is looked at, and told after its `Taken`; no other is."""
    heard: queue.Queue[News] = queue.Queue()
    go_on = threading.Event()

    class Waiting(Script):
        def read(self) -> Frame:
            if self.number == 1:
                go_on.wait(WAIT_S)
            return super().read()

    camera = Waiting(1, 2, 3)
    lookout = Lookout(
        open_camera=lambda: camera,
        watcher=Watcher(read=lambda bgr: Reading()),
        tell=heard.put,
        clock_ns=lambda: 7,
        check=lambda bgr: check(bgr, read=lambda picture: Reading(), table=None),
    )
    lookout.start()
    assert heard.get(timeout=WAIT_S) == Taken(250_000_000)
    lookout.examine()
    go_on.set()
    told = [news for news in (heard.get(timeout=WAIT_S) for _ in range(4)) if not isinstance(news, Settled)]
    lookout.close()
    assert told[0] == Taken(500_000_000)
    assert isinstance(told[1], Examined)
    assert (told[1].mono_ns, told[1].checkup.width_px) == (500_000_000, 320)
    assert Taken(750_000_000) in told
    assert sum(isinstance(news, Examined) for news in told) == 1
