"""A stand-in for the driver of a USB camera, as OpenCV shows one: what it holds, and frames with its own stamps."""

from collections.abc import Iterable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.controls import V4L2


class Driver:
    """A V4L2 device: some controls are there, and a value may be kept otherwise than set.

    Args:
        values: the controls there are, and what they are at first.
        stuck: those that take a value and keep what they had.
        stamps_ms: of its frames, one after another; after the last it is unplugged.
        size: (width, height) of its frames.
    """

    def __init__(
        self,
        values: Mapping[str, float],
        stuck: frozenset[str] = frozenset(),
        stamps_ms: Iterable[float] = (),
        size: tuple[int, int] = (64, 48),
    ) -> None:
        self.values = {V4L2[name]: value for name, value in values.items()}
        self.stuck = {V4L2[name] for name in stuck}
        self.order: list[str] = []
        self._picture = np.zeros((size[1], size[0], 3), np.uint8)
        self._picture[:] = np.linspace(20, 200, size[0])[:, None]
        self._stamps_ms = iter(stamps_ms)
        self._stamp_ms = 0.0

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def get(self, prop: int, /) -> float:
        return self._stamp_ms if prop == cv2.CAP_PROP_POS_MSEC else self.values.get(prop, 0.0)

    def set(self, prop: int, value: float, /) -> bool:
        self.order += [name for name, number in V4L2.items() if number == prop]
        if prop not in self.values:
            return False
        if prop not in self.stuck:
            self.values[prop] = value
        return True

    def read(self) -> tuple[bool, NDArray[np.uint8]]:
        stamp_ms = next(self._stamps_ms, None)
        if stamp_ms is None:
            raise OSError("unplugged")
        self._stamp_ms = stamp_ms
        return True, self._picture.copy()

    def release(self) -> None:
        pass
