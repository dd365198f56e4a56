"""What the firmware is on a board of its own, an emulated one: installed by its command, with 140 kB of memory and
integers of 32 bits. That it works there, test_firmware.py says, which `make test-board` runs on this board as well.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import serial

from controller.cli import main
from firmware_bridge.install import files
from firmware_bridge.wire import PROTOCOL
from tests.firmware_bridge.emulated_board import MICROPYTHON, EmulatedBoard
from tests.firmware_bridge.host import Host
from tests.hardware import debounce_answers, lamp_answers
from tests.hardware.test_debounce import vectors

pytestmark = pytest.mark.skipif(
    not MICROPYTHON, reason="no MicroPython for an emulated board: make test-board builds it"
)

LEADS, OFF = (6, 0, 0), (0, 0, 0)


def test_command_puts_the_firmware_on_a_bare_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole of `gameline firmware install` over the emulated line; after a power cut the board starts with it."""
    with EmulatedBoard(tmp_path, is_bare=True) as board:
        assert main(["firmware", "install", "--port", str(board.path), "--lamps", "pwm"]) == 0
        board.power_off()
        board.power_on()
        host = Host(board.path)
        host.until(host.ready, "ready")
        there = host.seats._session.board
        assert there is not None
        assert (there.protocol, {kind for kind, _ in there.lamps}) == (PROTOCOL, {2})
        assert capsys.readouterr().out.startswith(f"{board.path} carries {there.build}")
        host.seats.close()


def test_firmware_leaves_memory_and_uses_up_none(tmp_path: Path) -> None:
    """Compiled on the board from its sources it leaves two thirds of 140 kB, and after signs and presses no less."""
    with EmulatedBoard(tmp_path, lamps="pixels", pixels=16) as board:
        host = Host(board.path)
        host.until(host.ready, "ready")

        def play() -> None:
            for n in range(10):
                host.show(*(LEADS if n % 4 == seat else OFF for seat in range(4)), sound=(1, time.monotonic_ns()))
                board.move((n % 5, True), 60, (n % 5, False))
                host.until(lambda n=n: len(host.found) > n, "press")  # type: ignore[misc]
            host.found.clear()
            host.run(0.5)

        play()
        before = board.memory_left()
        play()
        assert board.memory_left() >= before - 256
        assert before > 140_000 * 2 // 3
        host.seats.close()


LAMPS = [f"{n % 4 + 1} 4 {n * 3 % 17} {n * n * 104729} {n * 7919 % 20000} 15000" for n in range(400)]


@pytest.mark.parametrize(
    ("program", "answers", "asked"),
    [
        ("debounce_answers.py", debounce_answers.answers, vectors()),
        ("lamp_answers.py", lamp_answers.answers, LAMPS),
    ],
    ids=["debouncer", "lamps and phrases"],
)
def test_board_draws_the_same_from_the_same(
    tmp_path: Path, program: str, answers: Callable[[str], str], asked: Sequence[str]
) -> None:
    """Line by line what CPython answers, also where the board's small integers end, at 2**30."""
    source = (Path(lamp_answers.__file__).parent / program).read_bytes()
    with (
        EmulatedBoard(tmp_path, flash={**files(), "main.py": source}) as board,
        serial.Serial(str(board.path), timeout=10) as line,
    ):
        for text in asked:
            line.write(text.encode() + b"\n")
            assert line.read_until(b"\n").decode().rstrip("\r\n") == answers(text)
