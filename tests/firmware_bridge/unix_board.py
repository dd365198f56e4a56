"""The seat board's flash as a folder, run by MicroPython for this machine."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.firmware_bridge.board_process import BoardProcess
from tests.micropython import MICROPYTHON

_HERE = Path(__file__).parent


class UnixBoard(BoardProcess):
    """A board whose flash can be looked at, and changed, while it runs; its clock runs *speed* times as fast."""

    def __init__(self, folder: Path, *, speed: int = 1, **board: Any) -> None:
        self._speed = speed
        super().__init__(folder, **board)

    def load(self) -> None:
        """Write its files."""
        self.flash = self.folder / "flash"
        self.flash.mkdir()
        self._fed = self.folder / "fed"
        self._is_main = True
        for name, content in self.contents.items():
            (self.flash / name).parent.mkdir(parents=True, exist_ok=True)
            (self.flash / name).write_bytes(content)

    def power_on(self) -> None:
        """Start what lies in its flash; its path appears."""
        self._is_main = True
        super().power_on()

    def start(self, board: int) -> subprocess.Popen[bytes]:
        """As MicroPython does: main.py, and the console when that has ended; again after every reset of the chip."""
        self._is_main = self._is_main and (self.flash / "main.py").exists()
        self._fed.unlink(missing_ok=True)
        return subprocess.Popen(
            [MICROPYTHON, "main.py" if self._is_main else "-i"],
            stdin=board,
            stdout=board,
            cwd=self.flash,
            env={
                "MICROPYPATH": f"{self.flash}:{_HERE / 'rp2'}:{_HERE / 'unix'}",
                "BOARD_CONTROL": str(self.control),
                "BOARD_LOG": str(self.log),
                "BOARD_FED": str(self._fed),
                "BOARD_SPEED": str(self._speed),
            },
        )

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """The chip's watchdog, from the moment on that the program has started it."""
        while True:
            with suppress(subprocess.TimeoutExpired):
                self._is_main = process.wait(0.02) != 0 or not self._is_main
                return
            with suppress(FileNotFoundError, ValueError):  # not started, or just being written
                if (time.time() - self._fed.stat().st_mtime) * 1000 > int(self._fed.read_text(encoding="utf-8")):
                    process.kill()
                    self.note("bitten")
