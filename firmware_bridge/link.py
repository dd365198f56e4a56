"""The serial port, and the one thread that opens, reads and writes it; what the bytes mean is not known here."""

import errno
import os
import select
import termios
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import serial

BAUD = 115_200

WRITE_TIMEOUT_S = 0.5
"""A board that takes no byte for so long hangs."""

RETRY_S = (0.25, 0.5, 1.0, 2.0)
"""Waits before the port is opened again; the last one for ever."""

INBOX_LIMIT = 1000
"""News the loop has not taken; beyond that the bytes wait in the kernel, which drops what it cannot hold."""


class LinkDied(RuntimeError):
    """The thread of the line has ended by a mistake of ours; the program must start anew."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The port is open."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Received:
    """These bytes came."""

    data: bytes
    at_ns: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The port cannot be opened, or is gone."""

    reason: str


News = Opened | Received | Lost


Port = serial.Serial


def open_serial(port: str) -> serial.Serial:
    """Open the port for this program alone.

    Raises:
        OSError: It is not there, not allowed, or another program has it.
    """
    try:
        return serial.Serial(port, BAUD, exclusive=True, timeout=0, write_timeout=WRITE_TIMEOUT_S)
    except termios.error as problem:  # a port that vanishes while it is set up; pyserial lets this one through
        raise OSError(*problem.args) from problem


class Link:
    """A line that reconnects for ever; `take` and `write` are called from the loop and never block.

    Args:
        port: A path that stays the same, `/dev/serial/by-id/...`.
        clock_ns: Stamps what is received; called from the line's thread.
        wake: Called from the line's thread when there is news; must not block.
        open_serial: How to open the port.
    """

    def __init__(
        self,
        *,
        port: str,
        clock_ns: Callable[[], int],
        wake: Callable[[], None],
        open_serial: Callable[[str], serial.Serial] = open_serial,
    ) -> None:
        self._port = port
        self._clock_ns = clock_ns
        self._wake = wake
        self._open_serial = open_serial
        self._inbox: deque[News] = deque()
        self._outbox: deque[bytes] = deque()
        self._stop = threading.Event()
        self._failures = 0  # since the line last brought something
        self._died: Exception | None = None
        self._poke_read, self._poke_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="seat-board", daemon=True)
        self._thread.start()

    def take(self) -> list[News]:
        """All news since the last call.

        Raises:
            LinkDied: The thread has ended by itself.
        """
        if self._died is not None:
            raise LinkDied(f"The thread of the seat board's line has ended: {self._died!r}.") from self._died
        return [self._inbox.popleft() for _ in range(len(self._inbox))]

    def write(self, data: bytes) -> None:
        """Send these bytes soon; they are dropped where the line is gone."""
        self._outbox.append(data)
        os.write(self._poke_write, b"!")

    def close(self) -> None:
        """Send what is queued, give the port back and end the thread; a second time does nothing."""
        if self._stop.is_set():
            return
        self._stop.set()
        os.write(self._poke_write, b"!")
        self._thread.join()
        os.close(self._poke_read)
        os.close(self._poke_write)

    def _run(self) -> None:
        try:
            self._keep_connected()
        except Exception as problem:  # ours, so nothing here can mend it: `take` raises it in the loop
            self._died = problem
            self._wake()

    def _keep_connected(self) -> None:
        while not self._stop.is_set():
            try:
                with closing(self._open_serial(self._port)) as port:
                    self._outbox.clear()
                    self._tell(Opened(self._clock_ns()))
                    self._serve(port)
            except OSError as problem:  # pyserial's SerialException too
                self._tell(Lost(explain(self._port, problem)))
                self._stop.wait(RETRY_S[min(self._failures, len(RETRY_S) - 1)])
                self._failures += 1

    def _serve(self, port: serial.Serial) -> None:
        """Carry bytes both ways until told to stop; an OSError says that the line is gone."""
        while True:
            stopping = self._stop.is_set()
            while self._outbox:
                port.write(self._outbox.popleft())
            if stopping:
                return
            if len(self._inbox) >= INBOX_LIMIT:
                self._stop.wait(0.05)
                continue
            ready, _, _ = select.select([port.fileno(), self._poke_read], [], [])
            if self._poke_read in ready:
                os.read(self._poke_read, 4096)
            if port.fileno() in ready:
                self._tell(Received(port.read(port.in_waiting or 1), self._clock_ns()))
                self._failures = 0

    def _tell(self, news: News) -> None:
        self._inbox.append(news)
        self._wake()


def explain(port: str, problem: OSError) -> str:
    """Why there is no line and what to do, in one sentence."""
    if problem.errno == errno.ENOENT:
        return f"there is no {port}: plug the seat board in, or take its path from /dev/serial/by-id"
    if problem.errno == errno.EACCES:
        return f"this user may not open {port}: add it to the group dialout"
    if problem.errno == errno.EAGAIN or "multiple access" in str(problem):
        return f"{port} is used by another program, or the board was unplugged ({problem}): stop that, or plug it in"
    return f"the line to the seat board is gone ({problem}): it is opened again as soon as the board is back"
