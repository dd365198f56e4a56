"""A seat board as a process on a real pty, with fingers for its buttons and eyes for its lamps; which process it is, a
subclass knows.
"""

import os
import subprocess
import threading
import time
import tty
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from firmware_bridge.install import LAMP_KINDS, SETTINGS, files, settings

BUILD = "gameline test"


class BoardProcess:
    """Power it on and off; *path* is what the host opens, as the path of a board under /dev/serial/by-id.

    Its flash has at first the files that `gameline firmware install` writes, or *flash*, or with *is_bare* none;
    MicroPython runs its main.py. Only the chip's own modules, those of rp2/, are made up: what they tell is in *log*,
    what they are told comes by *control*.
    """

    def __init__(
        self,
        folder: Path,
        *,
        lamps: str = "leds",
        pixels: int = 1,
        down: str = "",
        flash: Mapping[str, bytes] | None = None,
        is_bare: bool = False,
    ) -> None:
        self.folder = folder
        self.path = folder / "seat-board"
        self.log = folder / "log"
        self.control = folder / "control.in"
        self._down = down
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._is_on = False
        self._line: tuple[int, int] | None = None
        assert lamps in LAMP_KINDS
        self.contents = {} if is_bare else {**(flash or files()), SETTINGS: settings(lamps, pixels, BUILD)}
        os.mkfifo(self.control)
        self._orders = os.open(self.control, os.O_RDWR | os.O_NONBLOCK)
        self.load()

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(self, *_: object) -> None:
        self.power_off()
        os.close(self._orders)

    def power_on(self) -> None:
        """Start what lies in its flash; its path appears."""
        board, host = os.openpty()
        tty.setraw(board)
        tty.setraw(host)
        self._line = board, host
        self._is_on = True
        self._thread = threading.Thread(target=self._run, args=(board,), name="board")
        self._thread.start()
        self.path.symlink_to(os.ttyname(host))

    def power_off(self) -> None:
        """Cut its power; twice is harmless."""
        if self._thread is None or self._line is None:
            return
        with self._lock:
            self._is_on = False
            if self._process is not None:
                self._process.kill()
        self._thread.join()
        self._thread = None
        self.path.unlink()
        for end in self._line:
            os.close(end)

    def load(self) -> None:
        """Put *contents*, files by name, into a new flash."""
        raise NotImplementedError

    def start(self, board: int) -> subprocess.Popen[bytes]:
        """The chip begins: a new process, which has *board* as its end of the line."""
        raise NotImplementedError

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the chip begins anew, which is the end of its process, or has lost its power."""
        raise NotImplementedError

    def _run(self, board: int) -> None:
        while True:
            with self._lock:
                if not self._is_on:
                    return
                with suppress(BlockingIOError):
                    os.read(self._orders, 65536)  # what no chip was there to obey
                self._order(f"down {self._down}")
                self._process = self.start(board)
            self.watch(self._process)

    def note(self, what: str) -> None:
        """Write down what the chip cannot tell itself."""
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"0 {what}\n")

    def move(self, *steps: tuple[int, bool] | int) -> None:
        """A finger: the edges of buttons, and milliseconds between them, in order."""
        words = [str(s) if isinstance(s, int) else f"{s[0]}{'+' if s[1] else '-'}" for s in steps]
        self._order(f"move {' '.join(words)}")

    def babble(self, text: str) -> None:
        """What a crash would print on the console, on the same line as the frames."""
        self._order(f"babble {text}")

    def hang(self, ms: int) -> None:
        """Stop its loop so long."""
        self._order(f"move {ms}")

    def hang_for_ever(self) -> None:
        """Let its loop turn on the spot."""
        self._order("hang")

    def spark(self, seat: int) -> None:
        """Have the pixels of a seat show what nobody told them."""
        self._order(f"spark {seat}")

    def memory_left(self) -> int:
        """Bytes that its program could still use."""
        counted = len(self.told("left"))
        self._order("count")
        while len(self.told("left")) == counted:
            time.sleep(0.01)
        return int(self.shows("left"))

    def told(self, what: str) -> list[tuple[int, str]]:
        """Every change of an output: its milliseconds and its value; `seat 0`, `referee`, `buzzer`; `made` pins."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        found = []
        for line in text[: text.rfind("\n") + 1].splitlines():  # the last one may just be being written
            ms, _, rest = line.partition(" ")
            if rest.startswith(what):
                found.append((int(ms), rest[len(what) :].strip()))
        return found

    def shows(self, what: str) -> str:
        """The present value of an output."""
        told = self.told(what)
        return told[-1][1] if told else ""

    def _order(self, text: str) -> None:
        os.write(self._orders, f"{text}\n".encode())
