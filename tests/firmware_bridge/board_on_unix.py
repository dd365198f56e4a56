"""The seat board's own program under MicroPython on this machine: only the pins are others; run with four paths.

`micropython board_on_unix.py CONTROL LOG BOOT SETTINGS`: CONTROL is a named pipe that brings lines `edge BUTTON LEVEL
AGO_MS` (level 1: down) and `babble TEXT`; LOG takes a line for each output that changes; BOOT keeps the boot
number; SETTINGS is `KIND,PIXELS,BUILD,DOWN`, DOWN the
numbers of the buttons that are down at the start. The line to the host is stdin and stdout.
"""

import binascii
import select
import sys

import micropython
import utime

from firmware_bridge.firmware import main


class UnixPins:
    """The same as the Pins of the board, for a process with a control pipe."""

    def __init__(self, control: str, log: str, boot: str, settings: str) -> None:
        micropython.kbd_intr(-1)
        self._boot_file = boot
        kind, pixels, self.build, down = settings.split(",")
        self.kind, self.pixels = int(kind), int(pixels)
        self._control = open(control, "r+b")
        self._log = open(log, "a")
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._poll.register(self._control, select.POLLIN)
        self._line_poll = select.poll()
        self._line_poll.register(sys.stdin, select.POLLIN)
        self._control_poll = select.poll()
        self._control_poll.register(self._control, select.POLLIN)
        self._command = b""
        self._levels = [str(button) in down for button in range(5)]
        self._edges: list[tuple[int, bool, int]] = []
        self._shown: dict[str, str] = {}
        self._tell(f"started {main.__file__}")

    def boot(self) -> int:
        try:
            with open(self._boot_file) as file:
                number = (int(file.read()) + 1) % 65536
        except (OSError, ValueError):
            number = 0
        with open(self._boot_file, "w") as file:
            file.write(str(number))
        return number

    def ticks(self) -> int:
        return int(utime.ticks_ms()) & 0x3FFFFFFF  # as they run over on a board

    def since(self, ticks: int, earlier: int) -> int:
        return ((ticks - earlier + 0x20000000) & 0x3FFFFFFF) - 0x20000000

    def wait(self, ms: int) -> None:
        if ms > 0:
            self._poll.poll(ms)

    def read(self) -> bytes:
        data = b""
        while len(data) < 128 and self._line_poll.poll(0):
            byte = sys.stdin.buffer.read(1)
            if not byte:
                sys.exit(0)  # the line is gone for good
            data += byte
        self._obey()
        return data

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)

    def feed(self) -> None:
        pass

    def is_pressed(self, button: int) -> bool:
        return self._levels[button]

    def next_edge(self) -> tuple[int, bool, int] | None:
        return self._edges.pop(0) if self._edges else None

    def show(self, seat: int, levels: bytearray) -> None:
        self._change(f"seat {seat}", binascii.hexlify(levels).decode())

    def show_referee(self, level: int) -> None:
        self._change("referee", str(level))

    def buzz(self, is_on: bool) -> None:
        self._change("buzzer", str(int(is_on)))

    def _change(self, what: str, value: str) -> None:
        if self._shown.get(what) != value:
            self._shown[what] = value
            self._tell(what + " " + value)

    def _tell(self, text: str) -> None:
        self._log.write(f"{utime.ticks_ms()} {text}\n")
        self._log.flush()

    def _obey(self) -> None:
        while self._control_poll.poll(0):
            byte = self._control.read(1)
            if byte != b"\n":
                self._command += byte
                continue
            words = self._command.decode().split(" ", 1)
            self._command = b""
            if words[0] == "edge":
                button, level, ago_ms = [int(word) for word in words[1].split()]
                self._levels[button] = bool(level)
                self._edges.append((button, bool(level), (self.ticks() - ago_ms) & 0x3FFFFFFF))
            elif words[0] == "babble":
                sys.stdout.buffer.write(words[1].encode())


main.run(UnixPins(*sys.argv[1:5]))  # type: ignore[arg-type]
