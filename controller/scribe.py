"""One thread that encodes and writes pictures, and looks after the journal's file, out of the camera's and loop's way.

Jobs are done in the order they came. Pictures are large, so only some may wait: the newest are kept, what had to go is
counted.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 110_000_000
"""Of pictures may wait: forty frames of 1280x720."""
TICK_S: Final = 0.25
"""Between two looks at the clock where nothing comes."""
LAST_S: Final = 5.0
"""What waits at the end has so long to be written."""


@dataclass(frozen=True, slots=True)
class _Job:
    do: Callable[[], None]
    size: int


class Scribe:
    """The thread.

    Args:
        logger: told of a fault of ours in a job; the next one is done all the same.
    """

    def __init__(self, *, logger: logging.Logger) -> None:
        self.dropped = 0
        """Pictures that had to go because too many waited."""
        self._log = logger
        self._news = threading.Condition()
        self._jobs: deque[_Job] = deque()
        self._bytes = 0
        self._undone = 0  # waiting, or being done
        self._ticks: list[Callable[[], None]] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._work, name="scribe", daemon=True)

    def every_tick(self, do: Callable[[], None]) -> None:
        """Have this done now and then while nothing waits; before `start`."""
        self._ticks.append(do)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, do: Callable[[], None], *, size: int = 0) -> None:
        """Have something done after all that waits; from any thread, never blocks.

        Args:
            do: done in the scribe's thread.
            size: bytes of the picture it holds; 0 for what must not be left out, whatever waits.
        """
        with self._news:
            self._jobs.append(_Job(do, size))
            self._undone += 1
            self._bytes += size
            while self._bytes > MOST_BYTES:
                oldest = next(job for job in self._jobs if job.size)
                self._jobs.remove(oldest)
                self._undone -= 1
                self._bytes -= oldest.size
                self.dropped += 1
            self._news.notify()

    @property
    def is_idle(self) -> bool:
        """Whether everything that came has been done."""
        return self._undone == 0

    def close(self) -> None:
        """Write what waits, in a few seconds at the most, and end; twice is safe."""
        with self._news:
            self._is_over = True
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(LAST_S)

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._jobs or self._is_over, TICK_S)
                job = self._jobs.popleft() if self._jobs else None
                self._bytes -= 0 if job is None else job.size
                if job is None and self._is_over:
                    return
            if job is None:
                for do in self._ticks:
                    self._try(do)
                continue
            self._try(job.do)
            with self._news:
                self._undone -= 1

    def _try(self, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception:  # whatever it is, a game does not stop for a picture that was not kept
            self._log.exception("scribe: a fault of ours, a picture may be missing")
