"""The process under test: `gameline run` itself, with a picture file in the place of a USB camera.

Run: python -m tests.chaos.service run CONFIG. Everything above the driver is the real thing: the camera's thread, its
waiting, its losing and opening again.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

FPS = 10.0
FROZEN = ".frozen"
"""A file of the camera's name and this ending makes its driver hang, as a loose cable does."""


class PictureDevice:
    """A driver, as `cv2.VideoCapture` is one, whose camera sees the picture that lies at its path."""

    def __init__(self, path: str, backend: int = 0) -> None:
        self._path = Path(path)
        self._frozen = Path(path + FROZEN)
        self._wait = threading.Event().wait  # time.sleep fails under libfaketime 0.9.10
        self._seen_ns = 0
        self._frames = 0
        self._picture: NDArray[np.uint8] | None = None

    def isOpened(self) -> bool:  # noqa: N802  (as OpenCV calls it)
        """Whether it is there."""
        return self._path.exists()

    def read(self) -> tuple[bool, NDArray[np.uint8] | None]:
        """The next frame at its time; (False, None) from a camera that was pulled out."""
        self._wait(1 / FPS)
        while self._frozen.exists():
            self._wait(1 / FPS)
        try:
            laid_ns = self._path.stat().st_mtime_ns
            if laid_ns != self._seen_ns:
                data = np.frombuffer(self._path.read_bytes(), np.uint8)
                self._picture, self._seen_ns = cv2.imdecode(data, cv2.IMREAD_COLOR), laid_ns  # type: ignore[assignment]
        except FileNotFoundError:
            return False, None
        if self._picture is None:
            return False, None
        picture = self._picture.copy()
        self._frames += 1
        picture[0, 0, 0] = self._frames % 256  # no sensor gives the same frame twice
        return True, picture

    def set(self, prop: int, value: float) -> bool:
        """Every control is taken."""
        return True

    def get(self, prop: int) -> float:
        """No control says anything."""
        return 0.0

    def release(self) -> None:
        """Nothing to let go of."""


def main(arguments: list[str]) -> int:
    """The command line, before such a camera."""
    from controller.cli import main as gameline

    device: Any = PictureDevice
    cv2.VideoCapture = device  # type: ignore[misc]
    return gameline(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
