"""The seat board's flash run as a process on a real pty, with fingers for its buttons and eyes for its lamps."""

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
from tests.micropython import MICROPYTHON

FAKE_CHIP = Path(__file__).parent / "rp2"
BUILD = "gameline test"


class UnixBoard:
    """Power it on and off; *path* is what the host opens, as the path of a board under /dev/serial/by-id.

    Its flash has the files that `gameline firmware install` writes, or *flash*, or with *is_bare* none; MicroPython
    runs its main.py. Only the chip's own modules, machine and neopixel, are made up.
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
        self.path = folder / "seat-board"
        self.flash = folder / "flash"
        self._control = folder / "control"
        self._log = folder / "log"
        self._fed = folder / "fed"
        self._down = down
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._is_on = False
        self._line: tuple[int, int] | None = None
        assert lamps in LAMP_KINDS
        self.flash.mkdir()
        contents = {} if is_bare else {**(flash or files()), SETTINGS: settings(lamps, pixels, BUILD)}
        for name, content in contents.items():
            (self.flash / name).parent.mkdir(parents=True, exist_ok=True)
            (self.flash / name).write_bytes(content)
        os.mkfifo(self._control)

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(self, *_: object) -> None:
        self.power_off()

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

    def _run(self, board: int) -> None:
        """As MicroPython does: main.py, and the console when that has ended; again after every reset of the chip."""
        environment = {
            "MICROPYPATH": f"{self.flash}:{FAKE_CHIP}",
            "BOARD_CONTROL": str(self._control),
            "BOARD_LOG": str(self._log),
            "BOARD_FED": str(self._fed),
            "BOARD_DOWN": self._down,
        }
        is_main = True
        while True:
            program = "main.py" if is_main and (self.flash / "main.py").exists() else "-i"
            with self._lock:
                if not self._is_on:
                    return
                self._fed.unlink(missing_ok=True)
                self._process = subprocess.Popen(
                    [MICROPYTHON, program], stdin=board, stdout=board, cwd=self.flash, env=environment
                )
            ended = self._watch(self._process)
            is_main = ended != 0 or program != "main.py"

    def _watch(self, process: subprocess.Popen[bytes]) -> int:
        """The chip's watchdog, from the moment on that the program has started it; tells how the program ended."""
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(0.02)
            with suppress(FileNotFoundError, ValueError):  # not started, or just being written
                if (time.time() - self._fed.stat().st_mtime) * 1000 > int(self._fed.read_text(encoding="utf-8")):
                    process.kill()
                    with self._log.open("a", encoding="utf-8") as log:
                        log.write("0 bitten\n")
                    return process.wait()

    def move(self, *steps: tuple[int, bool] | int) -> None:
        """A finger: the edges of buttons, and milliseconds between them, in order."""
        lines = [f"sleep {s}" if isinstance(s, int) else f"edge {s[0]} {int(s[1])}" for s in steps]
        self._order("\n".join(lines))

    def babble(self, text: str) -> None:
        """What a crash would print on the console, on the same line as the frames."""
        self._order(f"babble {text}")

    def hang(self, ms: int) -> None:
        """Stop its loop so long."""
        self._order(f"sleep {ms}")

    def hang_for_ever(self) -> None:
        """Let its loop turn on the spot."""
        self._order("hang")

    def spark(self, seat: int) -> None:
        """Have the pixels of a seat show what nobody told them."""
        self._order(f"spark {seat}")

    def told(self, what: str) -> list[tuple[int, str]]:
        """Every change of an output: its milliseconds and its value; `seat 0`, `referee`, `buzzer`; `made` pins."""
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []
        found = []
        for line in lines:
            ms, _, rest = line.partition(" ")
            if rest.startswith(what):
                found.append((int(ms), rest[len(what) :].strip()))
        return found

    def shows(self, what: str) -> str:
        """The present value of an output."""
        told = self.told(what)
        return told[-1][1] if told else ""

    def _order(self, text: str) -> None:
        self._control.write_text(text + "\n", encoding="utf-8")
