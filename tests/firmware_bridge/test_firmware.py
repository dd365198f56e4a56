"""The firmware itself, under MicroPython on a real pty, against the real host: only the chip's pins are made up.

MicroPython is the one for this machine here; `make test-board` takes the one that runs on an emulated microcontroller.
"""

import ast
import random
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import serial

from firmware_bridge import wire
from firmware_bridge.framing import frame
from firmware_bridge.install import FILES, LAMP_KINDS, MAIN, files
from hardware.sockets import BOARD_PINS
from tests.firmware_bridge.board_process import BUILD, BoardProcess
from tests.firmware_bridge.emulated_board import MICROPYTHON, EmulatedBoard
from tests.firmware_bridge.host import Host
from tests.firmware_bridge.unix_board import UnixBoard
from tests.micropython import MPY_CROSS

OFF, LEADS, TURN, SHOW_DOMINOES = (0, 0, 0), (6, 0, 0), 1, (5, 0, 0)
GREEN, DARK, ALL, YELLOW_RED, RED = "ff0000", "000000", "ffffff", "00ffff", "0000ff"
MS = 1_000_000
ROOT = Path(__file__).parents[2]
Board = EmulatedBoard if MICROPYTHON else UnixBoard
LATE_MS = 120 if MICROPYTHON else 60
"""How late a sign may come: a round of the loop and the line, which an emulator carries a byte at a time."""


@pytest.fixture
def board(tmp_path: Path) -> Iterator[BoardProcess]:
    """A board with three LEDs at every seat, switched on."""
    with Board(tmp_path) as board:
        yield board


@pytest.fixture
def host(board: BoardProcess) -> Iterator[Host]:
    """A program that has found the board."""
    host = Host(board.path)
    host.until(host.ready, "ready")
    yield host
    host.seats.close()


def told(host: Host, place: str) -> list[str]:
    """What is wrong at a place."""
    return [fault.wrong for fault in host.seats.faults().get(place, ())]


def lengths(changes: list[tuple[int, str]]) -> list[int]:
    """How long each state lasted that was left again, in ms."""
    return [after - before for (before, _), (after, _) in pairwise(changes)]


def test_board_says_who_it_is_and_what_it_has(host: Host) -> None:
    """Build, buzzer and lamps come with the first answer."""
    reply = host.seats._session.board
    assert reply is not None
    assert (reply.protocol, reply.build, reply.has_buzzer, reply.lamps) == (wire.PROTOCOL, BUILD, True, ((1, 1),) * 4)


def test_signs_are_drawn_on_the_board(board: BoardProcess, host: Host) -> None:
    """Each seat its own sign, the referee his."""
    began_ns = time.monotonic_ns() - 6_000 * MS
    host.show(LEADS, (TURN, began_ns, 15_000), OFF, OFF, referee=14)
    host.until(lambda: [board.shows(f"seat {seat}") for seat in range(4)] == [GREEN, YELLOW_RED, DARK, DARK], "signs")
    host.until(lambda: board.shows("referee") == "255", "referee")


def test_bar_goes_on_while_the_host_is_busy(board: BoardProcess, host: Host) -> None:
    """The host does nothing for 1.8 s; meanwhile yellow goes out after its third and red pulses twice a second."""
    host.show((TURN, time.monotonic_ns() - 9_000 * MS, 15_000), OFF, OFF, OFF)
    host.until(lambda: board.shows("seat 0") == YELLOW_RED, "turn")
    time.sleep(1.8)
    seen = board.told("seat 0")
    assert [levels for _, levels in seen][-5:] == [YELLOW_RED, RED, DARK, RED, DARK]
    assert lengths(seen)[-4:-1] == [pytest.approx(ms, abs=LATE_MS) for ms in (1000, 250, 250)]


def test_phrase_ends_by_itself_while_the_host_is_busy(board: BoardProcess, host: Host) -> None:
    """300 on, 150 off, 300 on, and silence, to one round of the board's loop, though the host says nothing more.

    Of the first as much as is left when the word comes: it began at the host's time.
    """
    host.show(OFF, OFF, OFF, OFF, sound=(3, time.monotonic_ns()))
    host.until(lambda: board.shows("buzzer") == "1", "buzz")
    time.sleep(1.5)
    assert [levels for _, levels in board.told("buzzer")] == ["0", "1", "0", "1", "0"]
    first, *rest = lengths(board.told("buzzer"))[1:]
    assert 150 < first < 300 + LATE_MS
    assert rest == [pytest.approx(ms, abs=LATE_MS) for ms in (150, 300)]


def test_press_with_bounces_comes_once_with_the_time_of_the_finger(board: BoardProcess, host: Host) -> None:
    """Edges stamped on the board become one press at the host's own time, within the error that is stated."""
    host.run(1.5)
    for button in (0, 3, 4):
        pressed_ns = time.monotonic_ns()
        down = [step for n in range(7) for step in ((button, n % 2 == 0), 4)]
        up = [step for n in range(7) for step in ((button, n % 2 == 1), 4)]
        board.move(*down, 60, *up)
        host.until(lambda: bool(host.found), "press")
        (press,) = host.found
        host.found.clear()
        error_ns = host.seats._session.clock_error_ns
        assert error_ns is not None
        assert (press.button, press.held_ms) == (button, 0)
        assert error_ns < (40 if MICROPYTHON else 15) * MS  # an emulated line takes a byte at a time
        # The last bounce was 24 ms after the first, which came at most a round after it was ordered.
        assert -error_ns <= press.at_ns - (pressed_ns + 24 * MS) <= error_ns + 60 * MS
        host.run(0.3)
        assert host.found == []


def test_hold_is_told_while_the_finger_is_down(board: BoardProcess, host: Host) -> None:
    """The referee is called after 1.5 s of holding, whatever the finger does then; letting go is no press."""
    board.move((1, True))
    host.until(lambda: bool(host.found), "hold")
    assert [(press.button, press.held_ms) for press in host.found] == [(1, 1500)]
    board.move((1, False))
    host.run(0.5)
    assert len(host.found) == 1


def test_button_down_at_power_on_is_a_fault_of_its_seat(tmp_path: Path) -> None:
    """A cup on the button is told by its place, is no press, and is forgotten when it is gone."""
    with Board(tmp_path, down="3") as board:
        host = Host(board.path)
        host.until(lambda: told(host, "seat 1") == ["button held down"], "stuck")
        board.move((1, False))
        host.until(host.ready, "released")
        assert host.found == []
        host.seats.close()


def test_button_that_chatters_is_a_fault_and_never_a_press(board: BoardProcess, host: Host) -> None:
    """A loose plug at seat 2 is told by its place."""
    for _ in range(15):
        board.move(*[step for n in range(12) for step in ((2, n % 2 == 0), 3)])
        host.run(0.01)
    host.until(lambda: "chatters" in "".join(told(host, "seat 2")), "chatter")
    host.run(0.5)
    assert host.found == []


def test_noise_is_no_press_and_is_counted_at_its_place(board: BoardProcess, host: Host) -> None:
    """Three pulses from a motor's wire beside seat 3's: counted on the board, told by the host."""
    host.run(0.2)  # counted is what comes after the first sign was shown
    for _ in range(3):
        board.move((3, True), 2, (3, False), 100)
    host.until(lambda: host.seats.noise()["seat 3"] == 3, "noise")
    assert host.seats.noise() == {"seat 0": 0, "seat 1": 0, "seat 2": 0, "seat 3": 3, "referee": 0}
    assert (host.found, host.seats.faults()) == ([], {})


def test_silent_host_is_told_by_every_lamp_and_the_buzzer_is_off(board: BoardProcess, host: Host) -> None:
    """The program dies: two seconds later no sign of it is left, and when it is back it is obeyed at once."""
    host.show(LEADS, LEADS, LEADS, LEADS, referee=14, sound=(4, time.monotonic_ns()))
    host.until(lambda: (board.shows("seat 3"), board.shows("buzzer")) == (GREEN, "1"), "leads")
    gone = time.monotonic()
    while board.shows("seat 3") == GREEN:
        assert time.monotonic() < gone + 10
        time.sleep(0.02)
    assert 1.3 < time.monotonic() - gone < 3.5
    time.sleep(2.2)
    assert RED in {levels for _, levels in board.told("seat 3")[-3:]}
    assert {board.shows("referee"), board.shows("buzzer")} == {"0"}
    host.until(lambda: board.shows("seat 3") == GREEN, "back")


def test_power_cut_is_noticed_and_the_signs_come_back(board: BoardProcess, host: Host) -> None:
    """The boot number in the board's memory goes up; the present signs are shown without anybody asking."""
    host.show(LEADS, OFF, OFF, OFF)
    host.until(lambda: board.shows("seat 0") == GREEN, "leads")
    before = host.seats._session.board
    board.power_off()
    host.until(lambda: not host.ready(), "gone")
    board.power_on()
    host.until(lambda: host.ready() and board.shows("seat 0") == GREEN, "back")
    after = host.seats._session.board
    assert before is not None
    assert after is not None
    assert after.boot == before.boot + 1
    assert board.told("buzzer")[-1] == (board.told("buzzer")[-1][0], "0")
    assert "1" not in {value for _, value in board.told("buzzer")}


def test_text_of_a_console_on_the_line_is_dropped_and_counted(board: BoardProcess, host: Host) -> None:
    """A traceback between two frames costs nothing but a count."""
    damaged = host.seats._session.damaged
    board.babble("Traceback (most recent call last): ~ MemoryError ~")
    host.until(lambda: host.seats._session.damaged > damaged, "counted")
    host.run(0.3)
    assert host.ready()


def test_noise_and_control_bytes_neither_stop_nor_move_it(board: BoardProcess) -> None:
    """Ctrl-C, Ctrl-D and 60 kB of random bytes on the line: no lamp lights, and the next Hello is answered.

    An emulated line takes a byte at a time: there it is a tenth.
    """
    chance = random.Random(7)
    with serial.Serial(str(board.path), timeout=2) as line:
        line.write(b"\x03\x03\x04\x01\x02")
        for _ in range(60 if MICROPYTHON else 600):
            line.write(chance.randbytes(100))
        line.write(b"~" + frame(wire.pack(wire.HELLO, 9, 2)))
        heard = b""
        deadline = time.monotonic() + 20
        while b"gameline" not in heard:
            assert time.monotonic() < deadline
            heard += line.read(line.in_waiting or 1)
    assert not board.told("bitten")
    assert len(board.told("made 20")) == 1
    assert {levels for _, levels in board.told("seat 0")} <= {DARK, RED}  # RED: no host
    assert {levels for _, levels in board.told("buzzer")} == {"0"}


def test_ring_of_pixels_is_drawn_on_the_board(tmp_path: Path) -> None:
    """A quarter of the time left lights a quarter of sixteen pixels in red."""
    with Board(tmp_path, lamps="pixels", pixels=16) as board:
        host = Host(board.path)
        host.until(host.ready, "ready")
        began_ns = time.monotonic_ns() - 45_000 * MS
        host.show((TURN, began_ns, 60_000), OFF, OFF, OFF)
        host.until(lambda: board.shows("seat 0").startswith("1c0000" * 3), "bar")
        assert board.shows("seat 0").endswith("000000" * 12)
        host.seats.close()


@pytest.mark.parametrize("file", FILES)
def test_file_compiles_for_the_board(file: str, tmp_path: Path) -> None:
    """MicroPython's own compiler takes every file for the processor of a Pico."""
    compiled = tmp_path / "file.mpy"
    run = [MPY_CROSS, "-march=armv6m", "-o", str(compiled), str(ROOT / file)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    assert compiled.read_bytes()[:1] == b"M"


def test_compiled_firmware_runs_as_the_source_does(tmp_path: Path) -> None:
    """The bytes that the compiler makes for a Pico say hello and light a lamp."""
    flash = {"main.py": (ROOT / MAIN).read_bytes()}  # the one that MicroPython looks for as source
    for file in (name for name in FILES if name != MAIN):
        compiled = tmp_path / "file.mpy"
        subprocess.run([MPY_CROSS, "-march=armv6m", "-o", str(compiled), str(ROOT / file)], timeout=20, check=True)
        flash[file.removesuffix(".py") + ".mpy"] = compiled.read_bytes()
    with Board(tmp_path, flash=flash) as board:
        host = Host(board.path)
        host.until(host.ready, "ready")
        host.show(LEADS, SHOW_DOMINOES, OFF, OFF)
        host.until(lambda: board.shows("seat 0") == GREEN, "leads")
        host.seats.close()


def test_outputs_are_off_from_their_first_moment_the_buzzer_before_all(board: BoardProcess, host: Host) -> None:
    """Power-on makes no sound and no light."""
    made = [value.split() for _, value in board.told("made")]
    assert made[0] == ["21", "0"]
    assert sorted({int(pin) for pin, _ in made}) == [*range(7, 19), 20, 21]
    assert {value for _, value in made} == {"0"}
    host.until(lambda: bool(board.told("buzzer")), "a round")
    assert [value for _, value in board.told("buzzer")] == ["0"]


def test_loop_that_hangs_is_started_anew_by_the_watchdog(board: BoardProcess, host: Host) -> None:
    """After 2 s without a round the chip starts anew, all off, and the present signs come back."""
    host.show(LEADS, OFF, OFF, OFF)
    board.hang(1500)
    host.run(1.8)
    assert not board.told("bitten")
    before = host.seats._session.board
    board.hang(2300)
    host.until(lambda: bool(board.told("bitten")), "bitten")
    host.until(lambda: host.ready() and host.seats._session.board != before, "started anew")
    host.until(lambda: board.shows("seat 0") == GREEN, "leads")


def test_loop_that_hangs_for_ever_is_bitten_too(board: BoardProcess, host: Host) -> None:
    """The watchdog needs no help of the program that it watches."""
    before = host.seats._session.board
    board.hang_for_ever()
    host.until(lambda: bool(board.told("bitten")), "bitten")
    host.until(lambda: host.ready() and host.seats._session.board != before, "started anew")


def test_pixels_go_dark_before_the_other_files_are_looked_at(tmp_path: Path) -> None:
    """What they showed before a restart is gone though the firmware cannot even be compiled."""
    flash = {**files(), "firmware_bridge/wire.py": b"raise RuntimeError\n"}
    with Board(tmp_path, lamps="pixels", pixels=2, flash=flash) as board:
        deadline = time.monotonic() + 10
        while len(board.told("strip")) < 4:
            assert time.monotonic() < deadline, board.told("")
            time.sleep(0.02)
        assert [what for _, what in board.told("strip")][:4] == [f"{pin} {2 * DARK}" for pin in (7, 10, 13, 16)]
        assert board.told("made")[0][1] == "21 0"


def test_pixels_that_a_spark_has_flipped_are_right_within_a_second(tmp_path: Path) -> None:
    """The sign has not changed, and is written again all the same."""
    with Board(tmp_path, lamps="pixels", pixels=2) as board:
        host = Host(board.path)
        host.until(host.ready, "ready")
        host.show(LEADS, OFF, OFF, OFF)
        host.until(lambda: board.shows("seat 0") == 2 * "001c00", "leads")
        for seat, sign in ((0, "001c00"), (1, DARK)):
            board.spark(seat)
            host.run(1.5)
            (before_ms, before), (after_ms, now) = board.told(f"seat {seat}")[-2:]
            assert (before, now) == (2 * ALL, 2 * sign)
            assert after_ms - before_ms < 1200
        host.seats.close()


@pytest.mark.parametrize("is_full", [False, True], ids=["flash", "full flash"])
def test_board_that_leaves_is_silent_and_dark_before_it_writes(tmp_path: Path, is_full: bool) -> None:
    """A Leave in the middle of a phrase ends it and the signs, even where the flash takes nothing."""
    flash = {**files(), "aside.txt/is a folder": b""} if is_full else files()
    with (
        Board(tmp_path, lamps="pixels", pixels=1, flash=flash) as board,
        serial.Serial(str(board.path), timeout=2) as line,
    ):
        heard = b""
        while b"gameline" not in heard:
            line.write(frame(wire.pack(wire.HELLO, 1, 2)))
            time.sleep(0.1)
            heard += line.read(line.in_waiting)
        deadline = time.monotonic() + 10
        line.write(frame(wire.pack(wire.SHOW, 2, *(6, 0, 0) * 4, 255, 0, 0, 14, 4, 0)))
        while (board.shows("buzzer"), board.shows("seat 3")) != ("1", "001c00"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        line.write(frame(wire.pack(wire.LEAVE, 3, wire.LEAVE_WORD)))
        while not board.told("reset"):
            assert time.monotonic() < deadline, board.told("")
            time.sleep(0.01)
        ((reset_ms, _),) = board.told("reset")
        for what, off in (("buzzer", "0"), ("seat 0", DARK), ("seat 3", DARK)):
            assert [value for ms, value in board.told(what) if ms <= reset_ms][-1] == off


@pytest.mark.parametrize(
    ("lamps", "pixels", "lit"), [("pwm", 1, "ff"), ("rgb", 1, "ff0000"), ("pixels", 3, "001c00" * 3)]
)
def test_every_kind_of_lamp_hangs_on_the_board(tmp_path: Path, lamps: str, pixels: int, lit: str) -> None:
    """The same green on one LED, on the first pin of an RGB LED, and in the middle byte of a strip's pixels."""
    with Board(tmp_path, lamps=lamps, pixels=pixels) as board:
        host = Host(board.path)
        host.until(host.ready, "ready")
        host.show(OFF, OFF, OFF, LEADS)
        host.until(lambda: board.shows("seat 3") == lit, "leads")
        reply = host.seats._session.board
        assert reply is not None
        assert reply.lamps == ((LAMP_KINDS[lamps], pixels),) * 4
        host.seats.close()


def test_wiring_that_is_drawn_is_the_one_that_the_firmware_drives() -> None:
    """The pins of the drawing are those of the program on the board."""
    source = ast.parse((ROOT / "firmware_bridge" / "firmware" / "pins.py").read_text(encoding="utf-8"))
    assigned = [node for node in source.body if isinstance(node, ast.Assign)]
    values = {node.targets[0].id: node.value for node in assigned if isinstance(node.targets[0], ast.Name)}
    names = ("BUTTON_PINS", "LAMP_PINS", "REFEREE_PIN", "BUZZER_PIN")
    buttons, lamps, referee, buzzer = (ast.literal_eval(values[name]) for name in names)
    assert buttons == (*BOARD_PINS.buttons, BOARD_PINS.acknowledge)
    assert [tuple(range(first, first + 3)) for first in lamps] == [tuple(three) for three in BOARD_PINS.lamps]
    assert (referee, buzzer) == (BOARD_PINS.referee_lamp, BOARD_PINS.buzzer)
