"""The table's own time, which the whole program takes for its monotonic clock; what happens then is not known here."""

from __future__ import annotations

import threading
from collections.abc import Callable

FRAME_NS = 100_000_000  # ten frames a second of table time, as a real camera of the table gives
START_NS = 1_000_000_000  # no clock of a running machine reads 0
MAX_LATE_FRAMES = 2


class TableClock:
    """Table time, at a pace: `speed` table seconds a second, or with `speed` None frame by frame.

    With a speed the time flows on between frames, but never further than two frames past the last one: where the
    machine cannot draw and read that fast, the table's time slows down rather than skip what happens on the table.
    Safe to be asked from any thread; `next_frame` belongs to the camera's thread.

    Args:
        speed: table seconds a second, None for as fast as the frames are taken.
        real_ns: the machine's monotonic clock.
    """

    def __init__(self, *, speed: float | None, real_ns: Callable[[], int]) -> None:
        if speed is not None and not speed > 0:
            raise ValueError(f"expected a speed above 0, got {speed}")
        self.speed = speed
        self._real_ns = real_ns
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._frame_ns = START_NS
        self._frame_real_ns = real_ns()
        self._latest_ns = START_NS

    @property
    def is_fast(self) -> bool:
        """Whether time moves by frames alone."""
        return self.speed is None

    def now_ns(self) -> int:
        """Table time; never less than it said before."""
        with self._lock:
            return self._now_locked(self._real_ns())

    def next_frame(self) -> int:
        """Come to the time of the next frame, sleeping where the pace asks for it, and say it."""
        if self.speed is not None:
            due_real_ns = self._frame_real_ns + int(FRAME_NS / self.speed)
            self._stopped.wait(max(0, due_real_ns - self._real_ns()) / 1e9)
        with self._lock:
            real_ns = self._real_ns()
            self._frame_ns = self._frame_ns + FRAME_NS if self.speed is None else self._now_locked(real_ns)
            self._frame_real_ns = real_ns
            self._latest_ns = max(self._latest_ns, self._frame_ns)
            return self._frame_ns

    def stop(self) -> None:
        """Let nobody sleep any more."""
        self._stopped.set()

    def _now_locked(self, real_ns: int) -> int:
        if self.speed is not None:
            passed_ns = min(int((real_ns - self._frame_real_ns) * self.speed), MAX_LATE_FRAMES * FRAME_NS)
            self._latest_ns = max(self._latest_ns, self._frame_ns + passed_ns)
        return self._latest_ns
