"""The USB camera on a genuine V4L2 device, the kernel's own test driver: stamps, sizes, what it holds and what not."""

import time
from pathlib import Path

import pytest

from vision.camera import CameraLost, V4L2Camera
from vision.controls import Held

SIZE = (640, 360)
STALL_S = 1.5


@pytest.fixture
def device(tmp_path: Path) -> str:
    """The device by a name that stays the same."""
    (tmp_path / "usb-camera").symlink_to("/dev/video0")
    return str(tmp_path / "usb-camera")


def test_frames_come_in_their_size_and_with_the_driver_s_stamps(device: str) -> None:
    """Each was taken later than the one before, and none long ago."""
    with V4L2Camera(device, SIZE) as camera:
        frames = [camera.read() for _ in range(5)]
        age_s = (time.monotonic_ns() - frames[-1].mono_ns) / 1e9
    assert [frame.bgr.shape for frame in frames] == [(360, 640, 3)] * 5
    stamps = [frame.mono_ns for frame in frames]
    assert stamps == sorted(set(stamps))
    assert 0 <= age_s < 1


def test_frame_that_has_waited_in_the_driver_is_no_new_one(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody fetches any for a while: what then comes first was taken before, and says so; later ones are new again."""

    def stalled(*_: object) -> Held:
        time.sleep(STALL_S)
        return Held()

    monkeypatch.setattr("vision.camera.held_v4l2", stalled)
    with V4L2Camera(device, SIZE) as camera:
        camera.read()
        camera.hold()
        ages_s = [(time.monotonic_ns() - camera.read().mono_ns) / 1e9 for _ in range(12)]
    assert max(ages_s) > 0.8 * STALL_S
    assert ages_s[-1] < 0.5


def test_device_holds_what_it_can_and_the_rest_is_named(device: str) -> None:
    """This one has a gain but neither exposure nor white balance; opened again it is asked what it has kept."""
    with V4L2Camera(device, SIZE) as camera:
        camera.read()
        held = camera.hold()
    assert list(held.controls) == ["gain"]
    assert held.refused == ("auto_exposure", "exposure", "auto_white_balance")
    with V4L2Camera(device, SIZE, controls={**held.controls, "exposure": 200.0}) as camera:
        assert camera.not_held == ("exposure",)
        camera.read()


def test_device_that_another_program_has_is_told(device: str) -> None:
    """Two cannot have one camera: the second is refused when it opens or asks for a frame; the first goes on."""
    with V4L2Camera(device, SIZE) as camera:
        camera.read()
        with pytest.raises(CameraLost), V4L2Camera(device, SIZE, timeout_s=1) as second:
            second.read()
        camera.read()
