"""Where frames come from, a folder, a film, a camera on USB or on the ribbon: stamped and checked, never read.

Every camera has `read() -> Frame` and `close()`, closes twice without harm, and is a context manager. The libraries of
real cameras are touched here and nowhere else; what a frame is stands in frame.py.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import cv2

from vision.controls import MAINS_HZ, Held, fixed_of, held_v4l2, set_v4l2
from vision.frame import CameraEnded as CameraEnded
from vision.frame import CameraLost as CameraLost
from vision.frame import Frame as Frame
from vision.frame import NotAFrame as NotAFrame
from vision.frame import Size, checked
from vision.images import load

PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
TIMEOUT_S: Final = 2.0  # a camera at 4 frames a second has missed eight by then
BY_ID: Final = Path("/dev/v4l/by-id")
AF_CONTINUOUS: Final = 2  # libcamera's AfModeEnum
EMPTY_WAIT_S: Final = 0.02  # between empty reads, so that a dead driver does not eat a core
FRESH_NS: Final = 1_000_000_000  # a camera's first frame is younger by its driver's stamp, if that is by our clock


class _Closing:
    """What all cameras share: closing, also at the end of a `with`."""

    def close(self) -> None:
        """Let go of the camera; a second time does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class FolderCamera(_Closing):
    """The pictures of a folder, in the order of their names, as if taken `fps` times a second from time 0.

    Numbers in names count as numbers: frame_9 comes before frame_10.

    Raises:
        CameraLost: the folder is not there, or holds no picture.
    """

    def __init__(self, path: Path, *, fps: float = 4.0) -> None:
        if not fps > 0:
            raise ValueError(f"expected frames per second above 0, got {fps}")
        if not path.is_dir():
            raise CameraLost(f"expected a folder of pictures, got {path}, which is not a folder")
        pictures = (p for p in path.iterdir() if p.suffix.lower() in PICTURES and p.is_file())
        self._paths = sorted(pictures, key=_by_name)
        if not self._paths:
            raise CameraLost(f"no pictures in {path}; expected files ending in {', '.join(sorted(PICTURES))}")
        self._step_ns = 1e9 / fps
        self._next = 0

    def __len__(self) -> int:
        return len(self._paths)

    def read(self) -> Frame:
        """The next picture.

        Raises:
            CameraEnded: that was the last.
            vision.images.ImageError: the file is no picture; the next call goes on with the next file.
        """
        number = self._next
        if number >= len(self._paths):
            raise CameraEnded(f"the folder is over after {number} pictures")
        self._next += 1
        path = self._paths[number]
        return Frame(checked(load(path), source=str(path)), round(number * self._step_ns), number)


class VideoCamera(_Closing):
    """A film, each frame stamped from time 0 by the film's own rate, or by `fps` where that is given.

    Raises:
        CameraLost: the file cannot be opened as a film.
    """

    def __init__(self, path: Path, *, fps: float | None = None) -> None:
        if not path.exists():
            raise CameraLost(f"expected a film, got {path}, which is not there: check its name")
        self._path = path
        self._film = cv2.VideoCapture(str(path))
        rate = fps if fps is not None else float(self._film.get(cv2.CAP_PROP_FPS))
        if not self._film.isOpened() or not rate > 0:
            self._film.release()
            raise CameraLost(f"expected a film, got {path}, which cannot be opened as one")
        self._step_ns = 1e9 / rate
        self._next = 0

    def read(self) -> Frame:
        """The next frame; raises CameraEnded after the last, CameraLost when the very first cannot be read."""
        there, picture = self._film.read()
        if not there:
            if self._next == 0:
                raise CameraLost(f"{self._path} opens as a film but gives no frame; is it complete?")
            raise CameraEnded(f"the film is over after {self._next} frames")
        number, self._next = self._next, self._next + 1
        return Frame(checked(picture, source=str(self._path)), round(number * self._step_ns), number)

    def close(self) -> None:
        """Let go of the file."""
        self._film.release()


class LiveCamera(_Closing):
    """A camera that is read in a thread of its own, for a loose cable can block its driver for ever.

    Args:
        grab: blocks until the next picture and gives it with its monotonic time in ns, or with None for "now"; gives
            (None, None) when the driver came back empty-handed. Called only from the camera's thread.
        release: lets go of the device; called once, from the camera's thread.
        source: the camera's name in messages.
        size: (width, height) that every frame must have; None for any.
        timeout_s: a camera without a frame for so long is lost.
        hold: fixes exposure, gains and focus as they are, and says them; called only from the camera's thread.
        not_held: what the device was told to hold fixed and does not.
        clock_ns: the monotonic clock that "now" is told by.

    Raises:
        CameraLost: an earlier thread on the same source still hangs in its driver; at most one is allowed to.
    """

    def __init__(
        self,
        *,
        grab: Callable[[], tuple[object, int | None]],
        release: Callable[[], None],
        source: str,
        size: Size | None = None,
        timeout_s: float = TIMEOUT_S,
        hold: Callable[[], Held] = lambda: Held(),
        not_held: Sequence[str] = (),
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        name = f"camera {source}"
        if any(thread.name == name for thread in threading.enumerate()):
            raise CameraLost(f"the driver of {source} still hangs in an earlier read; replug it or restart the service")
        self._grab, self._release = grab, release
        self._source, self._size, self._timeout_s, self._clock_ns = source, size, timeout_s, clock_ns
        self._news = threading.Condition()
        self._newest: tuple[object, int] | None = None
        self._taken = 0
        self._empty = 0
        self._failure: str | None = None
        self._hold, self._is_to_hold, self._held = hold, False, Held()
        self.not_held = tuple(not_held)
        self._closing = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def read(self) -> Frame:
        """The newest frame not given out yet; waits for one, at most `timeout_s`.

        Raises:
            CameraLost: none came, or the camera is closed.
            NotAFrame: something came that is no picture; the next call waits for the next one.
        """
        with self._news:
            self._news.wait_for(lambda: self._newest or self._failure or self._closing, self._timeout_s)
            if self._newest is None:
                raise CameraLost(self._why_none())
            picture, mono_ns = self._newest
            number, self._taken, self._newest, self._empty = self._taken, self._taken + 1, None, 0
        return Frame(checked(picture, source=self._source, size=self._size), mono_ns, number)

    def hold(self) -> Held:
        """Fix exposure, gains and focus as they are now; what is fixed, to be given when it is opened again.

        Raises:
            CameraLost: it gives no picture meanwhile.
        """
        with self._news:
            self._is_to_hold = True
            self._news.wait_for(lambda: not self._is_to_hold or self._failure or self._closing, self._timeout_s)
            if self._is_to_hold:
                raise CameraLost(self._why_none())
            return self._held

    def close(self) -> None:
        """Stop the thread and let go of the device; a thread that hangs in its driver is left behind."""
        with self._news:
            self._closing = True
            self._news.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(self._timeout_s)

    def _why_none(self) -> str:
        if self._closing:
            return f"{self._source} is closed"
        if self._failure is not None:
            return f"{self._source} failed: {self._failure}"
        if self._empty:
            return (
                f"{self._source} opens but gave {self._empty} empty frames in {self._timeout_s:g} s: "
                'a camera on the ribbon cable needs the source "picamera", a USB camera another port or cable'
            )
        return f"{self._source} gave no frame for {self._timeout_s:g} s; check its cable and power"

    def _work(self) -> None:
        """The camera's thread: fetch, stamp, keep only the newest."""
        try:
            while not self._closing:
                picture, mono_ns = self._grab()
                held = self._hold() if self._is_to_hold else None
                with self._news:
                    if held is not None:
                        self._held, self._is_to_hold = held, False
                        self._news.notify_all()
                    if picture is None:
                        self._empty += 1
                        self._news.wait_for(lambda: self._closing, EMPTY_WAIT_S)
                        continue
                    self._newest = (picture, self._clock_ns() if mono_ns is None else mono_ns)
                    self._news.notify_all()
        except Exception as error:  # the driver's, of whatever kind: told to the reader as CameraLost
            with self._news:
                self._failure = str(error) or type(error).__name__
                self._news.notify_all()
        finally:
            self._release()


class V4L2Camera(LiveCamera):
    """A USB camera, its frames stamped by the driver: one that has waited in a buffer is as old as it is.

    Name it by its stable path, `/dev/v4l/by-id/...`: numbers like /dev/video0 change from one start to the next.

    Args:
        device: its path.
        size: (width, height).
        fps: frames a second.
        controls: what `hold` said once, to be held from the start.
        mains_hz: of the lamps.
        clock_ns: the monotonic clock of the frames; a driver's stamps count where they are by the same.

    Raises:
        CameraLost: there is no such device, it is a number, or it cannot be opened.
    """

    def __init__(
        self,
        device: str,
        size: Size = (1280, 720),
        *,
        fps: float = 15.0,
        controls: Mapping[str, Any] | None = None,
        mains_hz: float = MAINS_HZ,
        timeout_s: float = TIMEOUT_S,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        if re.fullmatch(r"/dev/video\d+", device):
            raise CameraLost(
                f"expected a camera's stable path, got {device}, which may be another camera after a boot; "
                f"{_stable_names(device)}"
            )
        if not Path(device).exists():
            raise CameraLost(f"no camera at {device}; plug it in, or choose from `ls /dev/v4l/by-id/`")
        capture = cv2.VideoCapture(device, cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise CameraLost(f"{device} cannot be opened as a camera; is another program using it?")
        # Compressed frames: USB 2 carries only a few uncompressed ones of this size in a second.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        capture.set(cv2.CAP_PROP_FPS, fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

        is_ours: bool | None = None

        def grab() -> tuple[object, int | None]:
            nonlocal is_ours
            there, picture = capture.read()
            if not there:
                return None, None
            now_ns = clock_ns()
            taken_ns = round(capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6)  # that of V4L2's buffer, mostly CLOCK_MONOTONIC
            if is_ours is None:
                # A driver may count by another clock, or not at all: its first frame, just taken, gives it away.
                is_ours = abs(now_ns - taken_ns) < FRESH_NS
            return picture, min(taken_ns, now_ns) if is_ours else None

        super().__init__(
            grab=grab,
            release=capture.release,
            source=device,
            size=size,
            timeout_s=timeout_s,
            hold=lambda: held_v4l2(capture, mains_hz),
            not_held=set_v4l2(capture, controls or {}),
            clock_ns=clock_ns,
        )


class Picamera(LiveCamera):
    """The Raspberry Pi's own camera on the ribbon cable, stamped by the sensor.

    Args:
        size: (width, height).
        fps: frames a second.
        controls: what `hold` said once, to be held from the start; without it exposure, white balance and focus are
            the camera's own.
        mains_hz: of the lamps.

    Raises:
        CameraLost: picamera2 is not installed, or finds no camera.
    """

    def __init__(
        self,
        size: Size = (1280, 720),
        *,
        fps: float = 15.0,
        controls: Mapping[str, Any] | None = None,
        mains_hz: float = MAINS_HZ,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        try:
            from picamera2 import Picamera2
        except (ImportError, ValueError) as error:  # ValueError: it was built for another numpy than this one
            raise CameraLost(
                f"the library picamera2 cannot be loaded ({error}); sudo apt install python3-picamera2, "
                "and where it was built for numpy 1, pip install 'numpy<2'"
            ) from error
        try:
            camera = Picamera2()
            known = camera.camera_controls
            wanted = {
                name: tuple(value) if isinstance(value, list) else value for name, value in (controls or {}).items()
            }
            if not wanted and "AfMode" in known:
                wanted = {"AfMode": AF_CONTINUOUS}
            # libcamera's "RGB888" lies in memory as blue, green, red, which is what OpenCV expects.
            camera.configure(
                camera.create_video_configuration(
                    main={"size": size, "format": "RGB888"},
                    controls={"FrameRate": fps, **{name: value for name, value in wanted.items() if name in known}},
                )
            )
            camera.start()
        except (RuntimeError, IndexError) as error:
            raise CameraLost(f"the ribbon camera does not start: {error}; check it with rpicam-hello") from error
        # The sensor's stamps count through a suspend, our clock does not; on a table computer the two keep step.
        ahead_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()

        def grab() -> tuple[object, int | None]:
            request = camera.capture_request()
            try:
                return request.make_array("main"), request.get_metadata()["SensorTimestamp"] - ahead_ns
            finally:
                request.release()

        def hold() -> Held:
            fixed = fixed_of(camera.capture_metadata(), mains_hz)
            ours = {name: value for name, value in fixed.items() if name in known}
            camera.set_controls(ours)
            return Held(ours, tuple(sorted(fixed.keys() - ours.keys())))

        super().__init__(
            grab=grab,
            release=camera.close,
            source="the ribbon camera",
            size=size,
            timeout_s=timeout_s,
            hold=hold,
            not_held=sorted(wanted.keys() - known.keys()),
        )


def _stable_names(device: str) -> str:
    """What to write instead of a number."""
    names = sorted(str(link) for link in BY_ID.glob("*") if os.path.realpath(link) == os.path.realpath(device))
    return f"write {names[0]}" if names else "choose from `ls /dev/v4l/by-id/`"


def _by_name(path: Path) -> tuple[list[tuple[int, str]], str]:
    """A sorting key that puts 9 before 10, and equal numbers in the order of their spelling."""
    pieces = re.findall(r"\d+|\D+", path.name)
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces], path.name
