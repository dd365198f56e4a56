"""The seat board's flash as memory of an emulated microcontroller, run by the MicroPython that was built for it."""

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.install import files
from tests.firmware_bridge.board_process import BoardProcess

MICROPYTHON = os.environ.get("GAMELINE_TEST_BOARD", "")
"""The program that mps2/build has built; `make test-board` names it."""

FLASH_BYTES, MEMORY_BYTES = 1 << 20, 1 << 24


class EmulatedBoard(BoardProcess):
    """QEMU's MPS2, an ARM Cortex-M3: its flash is a file that outlives it, its watchdog the machine's own."""

    def load(self) -> None:
        """Write it as if the firmware had been installed."""
        self._memory = self.folder / "memory"
        self._fill(_image(frozenset(self.contents.items())) if self.contents else b"")
        self.control.with_suffix(".out").symlink_to(os.devnull)  # the log takes the same

    def start(self, board: int) -> subprocess.Popen[bytes]:
        """Begin; it ends when the program or the watchdog resets the chip."""
        return subprocess.Popen(
            [
                *("qemu-system-arm", "-machine", "mps2-an385,memory-backend=flash", "-kernel", MICROPYTHON),
                *("-object", f"memory-backend-file,id=flash,size={MEMORY_BYTES},share=on,mem-path={self._memory}"),
                *("-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"),
                *("-chardev", f"pipe,id=pins,path={self.control.with_suffix('')},logfile={self.log},logappend=on"),
                *("-serial", "chardev:pins", "-display", "none", "-monitor", "none", "-semihosting", "-no-reboot"),
            ],
            stdin=board,
            stdout=board,
        )

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """A chip that begins anew without having told so was bitten by its watchdog."""
        resets = len(self.told("reset"))
        ended = process.wait()
        assert ended <= 0, "QEMU does not run"
        if ended == 0 and len(self.told("reset")) == resets:
            self.note("bitten")

    def _fill(self, image: bytes) -> None:
        self._memory.write_bytes(image)
        os.truncate(self._memory, MEMORY_BYTES)

    def _write(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Write files over the line of a board that is at its console."""
        with tempfile.TemporaryDirectory() as place:
            for name, content in contents:
                file = Path(place) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            copy = ["-m", "mpremote", "connect", str(self.path), "resume", "cp", "-r", f"{place}/.", ":"]
            subprocess.run([sys.executable, *copy], check=True, capture_output=True, timeout=50)


@functools.cache
def _image(contents: frozenset[tuple[str, bytes]]) -> bytes:
    """A flash with these files. Writing takes seconds, so what every firmware has in common is written once."""
    usual = frozenset((name, content) for name, content in files().items() if name != "main.py")
    is_usual_and_more = contents != usual and dict(usual).keys() <= dict(contents).keys()
    with tempfile.TemporaryDirectory() as place:
        board = EmulatedBoard(Path(place), is_bare=True)
        if is_usual_and_more:
            board._fill(_image(usual))
        with board:
            board._write(contents - usual if is_usual_and_more else contents)
            return board._memory.read_bytes()[:FLASH_BYTES]
