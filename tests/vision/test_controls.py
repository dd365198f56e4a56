"""What a camera holds fixed: a stand-in for its driver keeps, rounds or refuses what it is told."""

import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.vision.driver import Driver
from vision.camera import CameraLost, LiveCamera, Picamera, V4L2Camera
from vision.controls import Held, fixed_of, held_v4l2, set_v4l2, unflickering

USUAL = {"auto_exposure": 3.0, "exposure": 157.0, "gain": 4.0, "auto_white_balance": 1.0, "white_balance_k": 4600.0}


def test_usb_camera_holds_what_it_had_chosen() -> None:
    """The automatics go off, each before its value is set; the exposure becomes whole flickers of the lamps."""
    driver = Driver(USUAL)
    held = held_v4l2(driver)
    assert held == Held(
        {
            "auto_exposure": 1.0,
            "exposure": 200.0,
            "gain": 4.0,
            "auto_white_balance": 0.0,
            "white_balance_k": 4600.0,
        }
    )
    assert driver.order == ["auto_exposure", "exposure", "gain", "auto_white_balance", "white_balance_k"]
    again = Driver(USUAL)
    assert set_v4l2(again, held.controls) == ()
    assert again.values == driver.values


def test_usb_camera_that_cannot_hold_says_so() -> None:
    """A control that is missing or does not stay is named; what nobody needs is not asked for."""
    held = held_v4l2(Driver({"auto_exposure": 3.0, "exposure": 157.0}, stuck=frozenset({"exposure"})))
    assert held == Held({"auto_exposure": 1.0}, ("exposure", "auto_white_balance"))
    assert set_v4l2(Driver({}), {"auto_exposure": 1.0, "iris": 3}) == ("iris", "auto_exposure")


@pytest.mark.parametrize(
    ("exposure_us", "mains_hz", "held_us"),
    [(15700, 50, 20000), (9000, 50, 10000), (5100, 50, 10000), (4000, 50, 4000), (15700, 60, 16666.7), (100, 60, 100)],
)
def test_exposure_is_whole_flickers(exposure_us: float, mains_hz: float, held_us: float) -> None:
    """A lamp on 50 Hz flickers 100 times a second; in strong light an exposure may have to be shorter than that."""
    assert unflickering(exposure_us, mains_hz) == pytest.approx(held_us, abs=0.1)


METADATA = {"ExposureTime": 14980, "AnalogueGain": 2.0, "ColourGains": (1.7, 2.1), "LensPosition": 0.8, "Lux": 300.0}


def test_ribbon_camera_is_fixed_as_bright_as_it_was() -> None:
    """A longer exposure has less gain; white balance and focus stay as they were."""
    fixed = fixed_of(METADATA)
    assert fixed["ExposureTime"] == 10000
    assert fixed["AnalogueGain"] == pytest.approx(2.0 * 1.498)
    assert (fixed["AeEnable"], fixed["AwbEnable"], fixed["AfMode"]) == (False, False, 0)
    assert (fixed["ColourGains"], fixed["LensPosition"]) == ((1.7, 2.1), 0.8)
    assert "LensPosition" not in fixed_of({name: value for name, value in METADATA.items() if name != "LensPosition"})


class Request:
    """A frame of the stand-in library."""

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert name == "main"
        return np.full((48, 64, 3), 90, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {**METADATA, "SensorTimestamp": 0}

    def release(self) -> None:
        pass


class Library:
    """picamera2 without a camera: it remembers what it is told."""

    camera_controls: Mapping[str, Any] = dict.fromkeys(
        ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "AfMode", "LensPosition", "FrameRate")
    )
    told: list[dict[str, Any]]

    def __init__(self) -> None:
        type(self).told = []

    def create_video_configuration(self, *, main: dict[str, Any], controls: dict[str, Any]) -> dict[str, Any]:
        return {"main": main, "controls": controls}

    def configure(self, configuration: dict[str, Any]) -> None:
        self.told.append(configuration["controls"])

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.told.append(controls)

    def start(self) -> None:
        pass

    def close(self) -> None:
        pass

    def capture_request(self) -> Request:
        return Request()

    def capture_metadata(self) -> dict[str, Any]:
        return dict(METADATA)


class WithoutFocus(Library):
    """An older camera, with a lens that is turned by hand."""

    camera_controls: Mapping[str, Any] = {
        name: None for name in Library.camera_controls if name not in ("AfMode", "LensPosition")
    }

    def capture_metadata(self) -> dict[str, Any]:
        return {name: value for name, value in METADATA.items() if name != "LensPosition"}


@pytest.mark.parametrize("library", [Library, WithoutFocus])
def test_ribbon_camera_is_opened_with_what_it_held(monkeypatch: pytest.MonkeyPatch, library: type[Library]) -> None:
    """What was held once is told when it is opened again, lists from a file as well; what it has not is named."""
    module = types.ModuleType("picamera2")
    monkeypatch.setattr(module, "Picamera2", library, raising=False)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with Picamera((64, 48)) as camera:
        camera.read()
        held = camera.hold()
    has_focus = library is Library
    assert library.told[0] == ({"FrameRate": 15.0, "AfMode": 2} if has_focus else {"FrameRate": 15.0})
    assert library.told[1] == held.controls
    assert held.refused == ()
    kept = {**held.controls, "ColourGains": list(held.controls["ColourGains"])}
    with Picamera((64, 48), controls={**kept, "HdrMode": 1}) as camera:
        assert camera.not_held == ("HdrMode",)
    assert library.told == [{"FrameRate": 15.0, **held.controls}]


def test_camera_that_gives_nothing_cannot_be_held() -> None:
    """Asking a camera that has failed to hold still is told as a lost camera."""

    def fail() -> tuple[object, int | None]:
        raise OSError("unplugged")

    with (
        LiveCamera(grab=fail, release=lambda: None, source="usb", timeout_s=1) as camera,
        pytest.raises(CameraLost, match="usb failed: unplugged"),
    ):
        camera.hold()


def test_number_of_a_usb_camera_is_refused() -> None:
    """/dev/video0 may be another camera after a boot: the sentence says what to write instead."""
    with pytest.raises(CameraLost, match=r"stable path, got /dev/video0, .* choose from `ls /dev/v4l/by-id/`"):
        V4L2Camera("/dev/video0")
