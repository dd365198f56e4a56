"""What a frame is, and the one place where a picture is made sure to be one; where frames come from is camera.py."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Bgr = NDArray[np.uint8]
Size = tuple[int, int]

LEAST_SIDE_PX: Final = 16


class NotAFrame(ValueError):
    """What came from a camera is not a picture."""


class CameraLost(RuntimeError):
    """No frames come any more; the camera must be opened anew."""


class CameraEnded(CameraLost):
    """A recording is over."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture with the time it was taken."""

    bgr: Bgr
    """Shape (H, W, 3), uint8."""
    mono_ns: int
    number: int
    """Counts the frames of this camera from 0."""


def checked(picture: object, *, source: str, size: Size | None = None) -> Bgr:
    """The one place where a picture is made sure to be one, of shape (H, W, 3), uint8.

    Args:
        picture: whatever came.
        source: the camera or file, for the message.
        size: (width, height) that it must have; None for any.

    Raises:
        NotAFrame: it is nothing, empty, of another shape or type, or of another size.
    """
    expected = f"expected a colour picture (H, W, 3) of uint8 from {source}"
    if picture is None:
        raise NotAFrame(f"{expected}, got nothing")
    if not isinstance(picture, np.ndarray):
        raise NotAFrame(f"{expected}, got {type(picture).__name__}")
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise NotAFrame(f"{expected}, got {picture.shape} of {picture.dtype}")
    if min(picture.shape[:2]) < LEAST_SIDE_PX:
        raise NotAFrame(f"{expected}, got {picture.shape}: smaller than {LEAST_SIDE_PX} pixels")
    height, width = picture.shape[:2]
    if size is not None and size != (width, height):
        raise NotAFrame(f"expected {size[0]}x{size[1]} from {source}, got {width}x{height}; set the camera's size")
    return picture
