"""Keeps watch: one thread that holds the camera, feeds the watcher and tells what it sees, and never gives up.

What is told are the watcher's sights, what the vigil finds, and five words of its own; the callback must only enqueue.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from vision.camera import CameraEnded, CameraLost
from vision.checkup import Checkup
from vision.frame import Bgr, Frame, NotAFrame
from vision.images import ImageError
from vision.vigil import Ails, Heals, Vigil
from vision.watch import Sight, Watcher

REOPEN_S: Final = 1.0
"""Between two tries to open a lost camera: a plug pushed back in is seen within a second."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A frame was taken at this time; told after what was seen in it, which somebody waits for."""

    mono_ns: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The camera gives no frames, for this reason; it is being opened again and again."""

    mono_ns: int
    reason: str


@dataclass(frozen=True, slots=True)
class Back:
    """The camera gives frames again."""

    mono_ns: int


@dataclass(frozen=True, slots=True)
class Died:
    """The thread has ended by a fault of ours."""

    reason: str


@dataclass(frozen=True, slots=True)
class Examined:
    """A frame was looked at as a technician asked."""

    mono_ns: int
    checkup: Checkup


News = Sight | Taken | Lost | Back | Died | Examined | Ails | Heals


class Camera(Protocol):
    """Anything that gives frames."""

    def read(self) -> Frame:
        """The next frame; blocks for a bounded time."""

    def close(self) -> None:
        """Let go of it."""


class Playback:
    """A recording, played as if it happened now: each frame waits for its moment and is stamped with it.

    Args:
        camera: the recording, stamped from 0.
        clock_ns: the clock to stamp with.
        wait: waits at most so many seconds, less when the watch is over.
    """

    def __init__(self, camera: Camera, *, clock_ns: Callable[[], int], wait: Callable[[float], object]) -> None:
        self._camera = camera
        self._clock_ns = clock_ns
        self._wait = wait
        self._start_ns = clock_ns()

    def read(self) -> Frame:
        """The next frame at its time."""
        frame = self._camera.read()
        due_ns = self._start_ns + frame.mono_ns
        early_ns = due_ns - self._clock_ns()
        if early_ns < 0:  # a machine too slow for the recording plays it slower; it never falls behind for good
            self._start_ns -= early_ns
            due_ns -= early_ns
        self._wait(max(0, early_ns) / 1e9)
        return Frame(frame.bgr, due_ns, frame.number)

    def close(self) -> None:
        """Let go of the recording."""
        self._camera.close()


class Lookout:
    """The camera's thread.

    Args:
        open_camera: opens the camera; raises CameraLost while it is not there.
        watcher: what is fed.
        tell: called in this thread with every piece of news, in order; it must only enqueue.
        clock_ns: the monotonic clock of the frames.
        check: looks at a frame that was asked for by `examine`.
        show: called in this thread with every frame, the watcher, and what it saw in it, before that is told; with the
            last frame of a recording once more, and what was still to be told. It must only take note.
        vigil: looks once a second whether the camera is well.
        stale_s: a frame older than that is no frame: what lay there then decides nothing now.
    """

    def __init__(
        self,
        *,
        open_camera: Callable[[], Camera],
        watcher: Watcher,
        tell: Callable[[News], None],
        clock_ns: Callable[[], int],
        check: Callable[[Bgr], Checkup] | None = None,
        show: Callable[[Frame, Watcher, tuple[Sight, ...]], None] = lambda frame, watcher, sights: None,
        vigil: Vigil | None = None,
        stale_s: float = math.inf,
    ) -> None:
        self._vigil = vigil
        self._stale_s = stale_s
        self._check = check
        self._show = show
        self._is_asked = threading.Event()
        self._open_camera = open_camera
        self._watcher = watcher
        self._tell = tell
        self._clock_ns = clock_ns
        self._over = threading.Event()
        self._newest: Frame | None = None  # of the frames that were watched
        self._lost: str | None = None  # why the camera gives nothing, as last told
        self._thread = threading.Thread(target=self._work, name="camera", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def examine(self) -> None:
        """Have the next frame checked and told as `Examined`; from any thread."""
        self._is_asked.set()

    def wait(self, seconds: float) -> bool:
        """Sleep, less when the watch is called off; True when it is."""
        return self._over.wait(seconds)

    def close(self) -> None:
        """Call the watch off and wait for the thread, a few seconds at most."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(5.0)

    def _work(self) -> None:
        try:
            while not self._over.is_set():
                self._watch_once()
                self._over.wait(REOPEN_S)
        except Exception as fault:  # whatever it is, nobody else would ever hear of it
            self._tell(Died(f"{type(fault).__name__}: {fault}"))

    def _watch_once(self) -> None:
        """From opening the camera to losing it."""
        try:
            camera = self._open_camera()
        except CameraLost as lost:
            self._lose(str(lost))
            return
        try:
            while not self._over.is_set():
                self._look(camera)
        except CameraEnded as ended:
            if self._newest is not None:
                self._pass_on(self._newest, self._watcher.end())
            self._lose(str(ended))
            self._over.wait()
        except CameraLost as lost:
            self._lose(str(lost))
        finally:
            camera.close()

    def _look(self, camera: Camera) -> None:
        try:
            frame = camera.read()
        except (NotAFrame, ImageError) as bad:
            self._lose(str(bad))
            return
        if self._clock_ns() - frame.mono_ns > self._stale_s * 1e9:
            self._lose(f"the camera's frames come more than {self._stale_s:g} s after they were taken: restart it")
            return
        self._newest = frame
        sights = self._watcher.see(frame)
        if self._lost is not None:
            self._lost = None
            self._tell(Back(frame.mono_ns))
        self._pass_on(frame, sights)
        self._tell(Taken(frame.mono_ns))
        if self._check is not None and self._is_asked.is_set():
            self._is_asked.clear()
            self._tell(Examined(frame.mono_ns, self._check(frame.bgr)))
        if self._vigil is not None and not sights:  # what was seen is on its way, and wants the processor
            for news in self._vigil.look(frame):
                self._tell(news)

    def _pass_on(self, frame: Frame, sights: tuple[Sight, ...]) -> None:
        """Show and tell what was seen up to this frame."""
        self._show(frame, self._watcher, sights)
        for sight in sights:
            self._tell(sight)

    def _lose(self, reason: str) -> None:
        """Tell why nothing comes, once for each reason: a camera can be late fifteen times a second."""
        if reason != self._lost:
            self._lost = reason
            self._tell(Lost(self._clock_ns(), reason))
