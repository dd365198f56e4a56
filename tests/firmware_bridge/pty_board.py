"""A fake board on a real pty, served by a thread of its own, to be plugged in and out of a path that stays the same."""

import os
import select
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tests.firmware_bridge.fake_board import FakeBoard


class PtyBoard:
    """Plug in, use `board`, unplug; *path* is what the host opens."""

    def __init__(self, path: Path, board: FakeBoard, *, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.path = path
        self._clock_ns = clock_ns
        self.board = board
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def signs(self) -> list[int]:
        """The signs it was last told to show."""
        return [sign for sign, _, _ in self.board.shown.seats] if self.board.shown else []

    def plug(self) -> None:
        """Appear under the path and begin to answer."""
        master, slave = os.openpty()
        tty.setraw(slave)
        self.path.symlink_to(os.ttyname(slave))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(master, slave, self._stop), name="board")
        self._thread.start()

    def unplug(self) -> None:
        """Go away with the cable; again is harmless."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self.path.unlink(missing_ok=True)
        self._thread = None

    def _serve(self, master: int, slave: int, stop: threading.Event) -> None:
        while not stop.is_set():
            ready, _, _ = select.select([master], [], [], 0.005)
            if ready:
                self.board.receive(os.read(master, 4096), self._clock_ns())
            if out := self.board.send(self._clock_ns()):
                os.write(master, out)
        os.close(slave)
        os.close(master)
