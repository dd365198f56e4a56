import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.driver import Driver
from vision.camera import (
    CameraEnded,
    CameraLost,
    FolderCamera,
    LiveCamera,
    Picamera,
    V4L2Camera,
    VideoCamera,
)
from vision.frame import NotAFrame, checked
from vision.images import ImageError

SIZE = (64, 48)


def grey(level: int) -> NDArray[np.uint8]:
    return np.full((SIZE[1], SIZE[0], 3), level, np.uint8)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A film of twelve frames at 6 a second, each brighter than the one before."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 6.0, SIZE)
    for number in range(12):
        writer.write(grey(20 * number))
    writer.release()
    return path


@pytest.fixture
def cut() -> Iterator[threading.Event]:
    """Set at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def test_folder_gives_its_pictures_by_name_with_stamps(tmp_path: Path) -> None:
    """Numbers in names count as numbers, other files are left alone, and the rate makes the stamps."""
    for name, level in (("f_10.png", 100), ("f_9.png", 90), ("f_2.JPG", 20)):
        assert cv2.imwrite(str(tmp_path / name), grey(level))
    (tmp_path / "notes.txt").write_text("no picture")
    with FolderCamera(tmp_path, fps=4) as camera:
        assert len(camera) == 3
        frames = [camera.read() for _ in range(3)]
        assert [round(float(frame.bgr.mean())) for frame in frames] == [20, 90, 100]
        assert [(frame.number, frame.mono_ns) for frame in frames] == [(0, 0), (1, 250_000_000), (2, 500_000_000)]
        with pytest.raises(CameraEnded, match="after 3 pictures"):
            camera.read()


def test_folder_goes_on_after_a_broken_picture(tmp_path: Path) -> None:
    """A file that is no picture is named, and the next call gives the next one with its own stamp."""
    (tmp_path / "a.jpg").write_bytes(b"")
    assert cv2.imwrite(str(tmp_path / "b.png"), grey(50))
    camera = FolderCamera(tmp_path, fps=2)
    with pytest.raises(ImageError, match=r"a\.jpg"):
        camera.read()
    assert (camera.read().number, len(camera)) == (1, 2)


def test_folder_without_pictures_is_told(tmp_path: Path) -> None:
    """A missing folder, a file, an empty folder and a silly rate are each refused in a sentence."""
    with pytest.raises(CameraLost, match="not a folder"):
        FolderCamera(tmp_path / "nowhere")
    with pytest.raises(CameraLost, match="no pictures in"):
        FolderCamera(tmp_path)
    with pytest.raises(ValueError, match="above 0, got 0"):
        FolderCamera(tmp_path, fps=0)


def test_film_gives_its_frames_at_its_own_rate(film: Path) -> None:
    """All frames come in order, stamped by the film's rate, or by the one given."""
    with VideoCamera(film) as camera:
        frames = [camera.read() for _ in range(12)]
        with pytest.raises(CameraEnded, match="after 12 frames"):
            camera.read()
    levels = [float(frame.bgr.mean()) for frame in frames]
    assert levels == sorted(levels)
    assert [frame.mono_ns for frame in frames[:3]] == [0, 166_666_667, 333_333_333]
    with VideoCamera(film, fps=4) as camera:
        assert [camera.read().mono_ns for _ in range(2)] == [0, 250_000_000]
        camera.close()


def test_what_is_no_film_is_told(tmp_path: Path) -> None:
    """Neither a missing file nor a text is opened as a film."""
    text = tmp_path / "film.mp4"
    text.write_text("not a film")
    for path, why in ((tmp_path / "missing.mp4", "is not there"), (text, "cannot be opened as one")):
        with pytest.raises(CameraLost, match=why):
            VideoCamera(path)


@pytest.mark.parametrize(
    ("picture", "complaint"),
    [
        (None, "got nothing"),
        ([1, 2, 3], "got list"),
        (np.zeros((0, 0, 3), np.uint8), "smaller than"),
        (np.zeros((48, 64), np.uint8), r"got \(48, 64\) of uint8"),
        (np.zeros((48, 64, 4), np.uint8), r"got \(48, 64, 4\)"),
        (np.zeros((48, 64, 3), np.float32), "of float32"),
        (np.zeros((24, 64, 3), np.uint8), "expected 64x48 from the test, got 64x24"),
    ],
)
def test_frame_that_is_none_is_refused(picture: object, complaint: str) -> None:
    """Whatever a driver hands over, what is no picture is told with what it is."""
    with pytest.raises(NotAFrame, match=complaint):
        checked(picture, source="the test", size=SIZE)


def test_frame_that_is_one_passes() -> None:
    """A colour picture comes through untouched."""
    picture = grey(7)
    assert checked(picture, source="the test", size=SIZE) is picture


def test_live_camera_gives_the_newest_frame_only(film: Path, cut: threading.Event) -> None:
    """Frames that nobody fetched in time are dropped; each is given once and counted."""
    capture = cv2.VideoCapture(str(film))
    three_read = threading.Event()
    taken = 0

    def grab() -> tuple[object, int | None]:
        nonlocal taken
        if taken == 3:
            three_read.set()
            cut.wait(30)
        taken += 1
        return capture.read()[1], taken * 10

    with LiveCamera(grab=grab, release=capture.release, source="film", size=SIZE, timeout_s=1) as camera:
        assert three_read.wait(10)
        frame = camera.read()
        assert (frame.number, frame.mono_ns, round(float(frame.bgr.mean()) / 20)) == (0, 30, 2)
        cut.set()
        assert camera.read().number == 1


def test_live_camera_stamps_what_the_driver_does_not(film: Path) -> None:
    """Without a time from the driver the frame is stamped when it came; the camera never ends, however busy we are."""
    capture = cv2.VideoCapture(str(film))
    frame = capture.read()[1]
    with LiveCamera(grab=lambda: (frame.copy(), None), release=capture.release, source="film") as camera:
        first = camera.read()
        second = camera.read()
        assert 0 < first.mono_ns < second.mono_ns


def test_hanging_driver_loses_the_camera_and_is_not_opened_twice(cut: threading.Event) -> None:
    """A driver that never comes back costs its timeout, once; while it hangs the camera is not opened again."""
    released = threading.Event()

    def hang() -> tuple[object, int | None]:
        cut.wait(30)
        return None, None

    camera = LiveCamera(grab=hang, release=released.set, source="loose cable", timeout_s=0.05)
    with pytest.raises(CameraLost, match=r"no frame for 0\.05 s; check its cable"):
        camera.read()
    camera.close()
    with pytest.raises(CameraLost, match="still hangs"):
        LiveCamera(grab=hang, release=released.set, source="loose cable", timeout_s=0.05)
    cut.set()
    assert released.wait(10)
    with pytest.raises(CameraLost, match="loose cable is closed"):
        camera.read()


def test_empty_frames_are_told_from_no_frames() -> None:
    """A camera that opens and gives nothing but empty frames is told which source it needs."""
    with (
        LiveCamera(grab=lambda: (None, None), release=lambda: None, source="/dev/video0", timeout_s=0.2) as camera,
        pytest.raises(CameraLost, match=r"/dev/video0 opens but gave \d+ empty frames in 0\.2 s.*picamera"),
    ):
        camera.read()


def test_failing_driver_is_told_by_its_own_words() -> None:
    """What the driver's library throws in the camera's thread comes out as a lost camera."""

    def fail() -> tuple[object, int | None]:
        raise OSError("device unplugged")

    with (
        LiveCamera(grab=fail, release=lambda: None, source="usb", timeout_s=5) as camera,
        pytest.raises(CameraLost, match="usb failed: device unplugged"),
    ):
        camera.read()


def test_wrong_size_from_a_live_camera_is_refused() -> None:
    """A frame of another size than the calibration was made for does not come through."""
    with (
        LiveCamera(grab=lambda: (grey(9), None), release=lambda: None, source="usb", size=(1280, 720)) as camera,
        pytest.raises(NotAFrame, match="expected 1280x720 from usb, got 64x48"),
    ):
        camera.read()


def test_usb_camera_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A path without a device, and a device that is no camera, are told apart."""
    with pytest.raises(CameraLost, match=r"no camera at .*by-id"):
        V4L2Camera(str(tmp_path / "usb-camera"))
    with pytest.raises(CameraLost, match="/dev/null cannot be opened as a camera"):
        V4L2Camera("/dev/null")


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Driver], str]:
    """Puts a driver into the place of that of the next camera opened, and gives its path."""
    path = tmp_path / "usb-camera"
    path.touch()

    def plug(driver: Driver) -> str:
        monkeypatch.setattr("vision.camera.cv2.VideoCapture", lambda *_: driver)
        return str(path)

    return plug


def stamps_of(plugged: Callable[[Driver], str], *stamps_ms: float) -> list[int]:
    """What the frames with such driver's stamps are stamped with, ns."""
    turn, taken = threading.Semaphore(0), list[int]()

    def one_by_one() -> Iterator[float]:
        for stamp_ms in stamps_ms:
            turn.acquire()
            yield stamp_ms

    path = plugged(Driver({}, stamps_ms=one_by_one()))
    with V4L2Camera(path, SIZE, timeout_s=10) as camera:
        for _ in stamps_ms:
            turn.release()
            taken.append(camera.read().mono_ns)
    return taken


def test_usb_camera_s_frame_is_as_old_as_its_driver_says(plugged: Callable[[Driver], str]) -> None:
    """After a stall the driver hands out what has waited in its buffers: that is old, whenever it comes to us."""
    now_ms = time.monotonic_ns() / 1e6
    taken = stamps_of(plugged, now_ms, now_ms - 1800, now_ms + 5000)
    assert taken[:2] == [round(now_ms * 1e6), round((now_ms - 1800) * 1e6)]
    assert taken[2] < time.monotonic_ns()  # and none is from the future


@pytest.mark.parametrize("clock", [time.time, lambda: 0.0])
def test_stamps_of_another_clock_are_no_age(plugged: Callable[[Driver], str], clock: Callable[[], float]) -> None:
    """A driver that counts by the wall clock, or gives no stamp, makes no frame old: its coming counts."""
    start_ns = time.monotonic_ns()
    taken = stamps_of(plugged, *(1e3 * clock() for _ in range(3)))
    assert all(start_ns < stamp < time.monotonic_ns() for stamp in taken)
    assert taken == sorted(taken)


def test_frames_are_stamped_by_the_clock_that_is_given(plugged: Callable[[Driver], str]) -> None:
    """A table whose clock runs 20 times as fast takes no driver's stamp by the machine's for its own."""
    start_ns = time.monotonic_ns()
    path = plugged(Driver({}, stamps_ms=iter([start_ns / 1e6])))
    with V4L2Camera(path, SIZE, timeout_s=10, clock_ns=lambda: time.monotonic_ns() * 20) as camera:
        assert 20 * start_ns < camera.read().mono_ns < 20 * time.monotonic_ns()


def test_usb_camera_names_what_does_not_stay_as_it_was_held(plugged: Callable[[Driver], str]) -> None:
    """Opened with what it once held: the exposure does not stay, a white balance it has not at all."""
    path = plugged(Driver({"auto_exposure": 3.0, "exposure": 156.0}, stuck=frozenset({"exposure"})))
    held = {"auto_exposure": 1.0, "exposure": 200.0, "white_balance_k": 4600.0}
    with V4L2Camera(path, SIZE, controls=held) as camera:
        assert camera.not_held == ("exposure", "white_balance_k")
    with V4L2Camera(plugged(Driver({"exposure": 156.0})), SIZE, controls={"exposure": 200.0}) as camera:
        assert camera.not_held == ()


def test_ribbon_camera_without_its_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where picamera2 is not installed, the sentence says what to install."""
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraLost, match="sudo apt install python3-picamera2"):
        Picamera()
