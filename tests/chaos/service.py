"""The process under test: `gameline run` itself, with a picture file in the place of a USB camera.

Run: python -m tests.chaos.service run CONFIG. Everything above the driver is the real thing: the camera's thread, its
waiting, its losing and opening again. Where the environment says so the table lives faster: its monotonic clock, by
which it settles, times moves and draws lamps, and the waits that go by it. Of the real time stay what the world outside
decides: orders' time to live, the broker's keepalive, how long a driver may hang.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

FPS = 10.0
"""By the table's clock."""
MOST_FPS = 50.0
"""By the real one: at 20 times the speed two frames are as far apart as things have to lie still."""
NOISE_PX = 32
"""A corner of the picture that changes from frame to frame so that the coarsest look at it sees that."""
SPEED = "TABLE_SPEED"
"""In the environment: so many times as fast as the machine's runs the monotonic clock of the service."""
FROZEN = ".frozen"
"""A file of the camera's name and this ending makes its driver hang, as a loose cable does."""


class PictureDevice:
    """A driver, as `cv2.VideoCapture` is one, whose camera sees the picture that lies at its path."""

    def __init__(self, path: str, backend: int = 0) -> None:
        self._path = Path(path)
        self._frame_s = max(1 / (FPS * speed()), 1 / MOST_FPS)
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
        self._wait(self._frame_s)
        while self._frozen.exists():
            self._wait(self._frame_s)
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
        picture[:NOISE_PX, :NOISE_PX] = self._frames % 8  # no sensor gives the same frame twice
        return True, picture

    def set(self, prop: int, value: float) -> bool:
        """Every control is taken."""
        return True

    def get(self, prop: int) -> float:
        """No control says anything."""
        return 0.0

    def release(self) -> None:
        """Nothing to let go of."""


def speed() -> int:
    """Of the table's clock; 1 unless the environment says more."""
    return int(os.environ.get(SPEED, "1"))


def hurry(times: int) -> None:
    """Have a service that is made from now on live so many times as fast."""
    from controller import app, engine, serving

    engine.TICK_S /= times
    service: Any = partial(app.Service, clock_ns=lambda: time.monotonic_ns() * times)
    serving.Service = service  # type: ignore[attr-defined]


def main(arguments: list[str]) -> int:
    """The command line, before such a camera."""
    from controller.cli import main as gameline

    device: Any = PictureDevice
    cv2.VideoCapture = device  # type: ignore[misc]
    if speed() != 1:
        hurry(speed())
    return gameline(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
