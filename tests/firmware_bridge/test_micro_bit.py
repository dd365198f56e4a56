"""The parts of the firmware on a micro:bit's MicroPython on an emulated Cortex-M0: `make test-board`."""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.session import Session, Signs, State
from tests.firmware_bridge.micro_bit import IS_THERE, MicroBit
from tests.hardware.debounce_answers import answers as presses
from tests.hardware.lamp_answers import answers as levels
from tests.hardware.test_debounce import vectors

ROOT = Path(__file__).parents[2]
MS = 1_000_000

pytestmark = pytest.mark.skipif(
    not IS_THERE and "GAMELINE_TEST_BOARD" not in os.environ,
    reason="no qemu-system-arm or firmware-microbit-micropython here: make test-board installs them",
)

DEBOUNCE = """
import gc
def answers(line):
 gc.collect()
 words = line.split()
 d = Debouncer(words[0][-1] == "_", int(words[0][:-1]))
 told = []
 for word in words[1:]:
  at = int(word[:-1])
  if word[-1] != "?":
   d.edge(word[-1] == "_", at)
   continue
  p = d.next_press(at)
  while p:
   told.append("%d@%d" % p)
   p = d.next_press(at)
  told.append("fault=%d noise=%d" % (d.fault(at), d.noise))
 return " " + " ".join(told)
"""

LAMPS = """
import gc

def tell(first, last):
    for n in range(first, last):
        gc.collect()
        levels = bytearray(size(n % 4 + 1, 4))
        since = n * 7919 % 20000
        draw(levels, n % 4 + 1, n * 3 % 17, n * n * 104729, since, 15000)
        print("".join(["%02x" % level for level in levels]), sounds(n * 3 % 17, since))
"""

TALK = """
import gc
import micropython
from microbit import uart, running_time

def hear(fields):
    t = running_time()
    if fields[0] == HELLO:
        parts = (0,) + (1, 1) * 4
        uart.write(frame(pack_hello_reply((fields[1], PROTOCOL, 9, t, SEATS), "micro:bit", parts)))
    elif fields[0] == SHOW:
        uart.write(frame(pack(SHOWN, fields[1], 9, t, fields[2], 0, 0, 0, 0, 0, 0)))

def talk():
    micropython.kbd_intr(-1)
    receiver = Receiver()
    while True:
        data = uart.read(32) if uart.any() else None
        if data:
            receiver.receive_data(data)
            event = receiver.next_event()
            while event is not None:
                fields = None if isinstance(event, PeerFault) else unpack(event)
                if fields:
                    hear(fields)
                event = receiver.next_event()
            gc.collect()
"""


@pytest.fixture
def board() -> Iterator[MicroBit]:
    """A board at its console."""
    with MicroBit() as board:
        yield board


def test_debouncer_draws_the_same_presses_on_the_board(board: MicroBit) -> None:
    """Forty buttons of the same vectors as under CPython, also where the board's small integers end."""
    board.load(ROOT / "hardware" / "debounce.py")
    board.load_text("asked", DEBOUNCE)
    for line in [line for line in vectors() if len(line) < 180][:40]:
        assert board.run(f"print(answers('{line}'))").rstrip("\n") == presses(line)


def test_lamps_and_phrases_are_drawn_the_same_on_the_board(board: MicroBit) -> None:
    """Four hundred moments of every sign and every kind of lamp, also where the board's small integers end."""
    board.load(ROOT / "hardware" / "lamps.py")
    board.load(ROOT / "hardware" / "buzzer.py")
    board.load_text("asked", LAMPS)
    for first in range(0, 400, 50):
        told = board.run(f"tell({first},{first + 50})").splitlines()
        asked = [(n % 4 + 1, 4, n * 3 % 17, n * n * 104729, n * 7919 % 20000, 15000) for n in range(first, first + 50)]
        assert told == [levels(" ".join(map(str, numbers))) for numbers in asked]
    assert 399 * 399 * 104729 > 2**33


def test_frames_and_messages_of_the_board_are_those_of_the_host(board: MicroBit) -> None:
    """The host's own session greets it over the emulated serial line, and its signs are acknowledged, through noise."""
    for file in ("crc", "framing", "wire"):
        board.load(ROOT / "firmware_bridge" / f"{file}.py")
    board.load_text("talk", TALK)
    board.start("talk()")
    session = Session()
    session.opened(time.monotonic_ns())
    chance = random.Random(2)

    def run_until(is_reached: object) -> None:
        deadline = time.monotonic() + 20
        assert callable(is_reached)
        while not is_reached():
            assert time.monotonic() < deadline, (session.state, session.damaged)
            now_ns = time.monotonic_ns()
            board.line.write(session.advance(now_ns).write)
            session.received(board.line.read(board.line.in_waiting or 1), time.monotonic_ns())

    run_until(lambda: session.state is State.READY)
    assert session.board is not None
    assert session.board.build.startswith("micro:bit")
    for sign in range(1, 20):
        board.line.write(b"~" + b"\x03" + chance.randbytes(20) + b"~")
        session.show(Signs(((sign, 0, 0),) * 4))
        run_until(lambda sign=sign: session.stuck == sign)
    assert session.clock_error_ns is not None
    assert session.clock_error_ns < 100 * MS
