"""What of a camera is held fixed while a game is played, exposure, gains and focus, and in which words; no frames.

A hand over the table must not make the table darker, nor a red sleeve the dominoes green.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import cv2

MAINS_HZ: Final = 50.0
"""A lamp flickers twice as often; an exposure of whole flickers shows none."""
V4L2_UNIT_US: Final = 100.0
"""In which V4L2 counts an exposure (V4L2_CID_EXPOSURE_ABSOLUTE)."""
V4L2: Final[Mapping[str, int]] = {
    "auto_exposure": cv2.CAP_PROP_AUTO_EXPOSURE,
    "exposure": cv2.CAP_PROP_EXPOSURE,
    "gain": cv2.CAP_PROP_GAIN,
    "auto_white_balance": cv2.CAP_PROP_AUTO_WB,
    "white_balance_k": cv2.CAP_PROP_WB_TEMPERATURE,
    "autofocus": cv2.CAP_PROP_AUTOFOCUS,
    "focus": cv2.CAP_PROP_FOCUS,
}
"""In the order in which they are set: a value counts only once its automatic is off."""
OFF: Final[Mapping[str, float]] = {"auto_exposure": 1.0, "auto_white_balance": 0.0, "autofocus": 0.0}
"""What switches an automatic off; V4L2_EXPOSURE_MANUAL is 1."""
NEEDED: Final = frozenset({"auto_exposure", "exposure", "auto_white_balance"})
"""What a camera has to hold so that its pictures stay as they are; many have no gain and no focus to set."""
NEAR: Final = 0.02
"""A value that comes back so near, relatively, is held: drivers round."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a camera holds fixed from now on."""

    controls: Mapping[str, Any] = field(default_factory=dict)
    """In the words of its driver."""
    refused: tuple[str, ...] = ()
    """What it ought to and does not."""


class Settable(Protocol):
    """A V4L2 device as OpenCV opens it."""

    def get(self, prop: int, /) -> float:
        """A property; 0 or -1 where there is none."""

    def set(self, prop: int, value: float, /) -> bool:
        """Whether it took it."""


def held_v4l2(device: Settable, mains_hz: float = MAINS_HZ) -> Held:
    """Switch the automatics of a USB camera off and keep what they had chosen."""
    now = {name: device.get(V4L2[name]) for name in V4L2}
    if now["exposure"] > 0:
        now["exposure"] = unflickering(now["exposure"] * V4L2_UNIT_US, mains_hz) / V4L2_UNIT_US
    wanted = {name: OFF.get(name, value) for name, value in now.items() if name in NEEDED or value > 0}
    missing = set_v4l2(device, wanted)
    return Held(
        {name: v for name, v in wanted.items() if name not in missing}, tuple(n for n in missing if n in NEEDED)
    )


def set_v4l2(device: Settable, controls: Mapping[str, Any]) -> tuple[str, ...]:
    """Set what a USB camera is to hold; what it does not take, or does not keep."""
    refused = [name for name in controls if name not in V4L2]
    for name, prop in V4L2.items():
        if name in controls:
            value = float(controls[name])
            is_taken = device.set(prop, value)
            if not is_taken or abs(device.get(prop) - value) > NEAR * abs(value):
                refused.append(name)
    return tuple(refused)


def fixed_of(metadata: Mapping[str, Any], mains_hz: float = MAINS_HZ) -> dict[str, Any]:
    """The libcamera controls that keep a picture as one with these metadata was taken."""
    taken_us = float(metadata["ExposureTime"])
    exposure_us = round(unflickering(taken_us, mains_hz))
    fixed: dict[str, Any] = {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": exposure_us,
        "AnalogueGain": max(1.0, float(metadata["AnalogueGain"]) * taken_us / exposure_us),
        "ColourGains": tuple(float(gain) for gain in metadata["ColourGains"]),
    }
    if "LensPosition" in metadata:
        fixed |= {"AfMode": 0, "LensPosition": float(metadata["LensPosition"])}
    return fixed


def unflickering(exposure_us: float, mains_hz: float = MAINS_HZ) -> float:
    """The whole number of a lamp's flickers nearest to an exposure; one that is shorter than half of one is kept."""
    flicker_us = 1e6 / (2 * mains_hz)
    return max(round(exposure_us / flicker_us), 1) * flicker_us if exposure_us > flicker_us / 2 else exposure_us
