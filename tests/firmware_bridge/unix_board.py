"""The seat board's own program as a process on a real pty, with fingers for its buttons and eyes for its lamps."""

import os
import subprocess
import tty
from pathlib import Path
from typing import Self

from tests.micropython import MICROPYTHON

ROOT = Path(__file__).parents[2]
BUILD = "gameline test"


class UnixBoard:
    """Power it on and off; *path* is what the host opens, as the path of a board under /dev/serial/by-id."""

    def __init__(self, folder: Path, *, kind: int = 1, pixels: int = 1, down: str = "", code: Path = ROOT) -> None:
        self.path = folder / "seat-board"
        self._folder = folder
        self._settings = f"{kind},{pixels},{BUILD},{down}"
        self._code = code
        self._control = folder / "control"
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._line: tuple[int, int] | None = None
        os.mkfifo(self._control)

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(self, *_: object) -> None:
        self.power_off()

    def power_on(self) -> None:
        """Start the program; its path appears."""
        board, host = os.openpty()
        tty.setraw(board)
        tty.setraw(host)
        self._line = board, host
        program = ROOT / "tests" / "firmware_bridge" / "board_on_unix.py"
        files = [str(self._control), str(self._log), str(self._folder / "boot"), self._settings]
        self._process = subprocess.Popen(
            [MICROPYTHON, str(program), *files], stdin=board, stdout=board, env={"MICROPYPATH": str(self._code)}
        )
        self.path.symlink_to(os.ttyname(host))

    def power_off(self) -> None:
        """Cut its power; twice is harmless."""
        if self._process is None or self._line is None:
            return
        self._process.kill()
        self._process.wait()
        self._process = None
        self.path.unlink()
        for end in self._line:
            os.close(end)

    @property
    def is_alive(self) -> bool:
        """Whether its program runs."""
        return self._process is not None and self._process.poll() is None

    def edges(self, *edges: tuple[int, bool, int]) -> None:
        """Edges of its buttons, each with how many milliseconds ago it was."""
        text = "".join(f"edge {button} {int(is_down)} {ago_ms}\n" for button, is_down, ago_ms in edges)
        self._control.write_text(text, encoding="ascii")

    def babble(self, text: str) -> None:
        """What a crash would print on the console, on the same line as the frames."""
        self._control.write_text(f"babble {text}\n", encoding="utf-8")

    def told(self, what: str) -> list[tuple[int, str]]:
        """Every change of an output: its milliseconds and its value; `seat 0`, `referee`, `buzzer` or `started`."""
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
