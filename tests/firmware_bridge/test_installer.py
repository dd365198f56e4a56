"""The firmware is put on a board by the real mpremote, over a real pty, into the flash of a real MicroPython."""

import importlib.util
import os
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serial

from controller.cli import main
from firmware_bridge import installer
from firmware_bridge.install import SETTINGS, build_of, files, settings
from firmware_bridge.installer import InstallError, install
from firmware_bridge.link import open_serial
from firmware_bridge.messages import Leave, Message, encode
from firmware_bridge.wire import PROTOCOL
from tests.firmware_bridge.board_process import BUILD as BOARD_BUILD
from tests.firmware_bridge.unix_board import UnixBoard

BUILD = build_of(files(), "0.0")


def contents(build: str = BUILD, lamps: str = "leds") -> dict[str, bytes]:
    """What is to lie on the board."""
    return {**files(), SETTINGS: settings(lamps, 1, build)}


def flash_of(board: UnixBoard) -> dict[str, bytes]:
    """What lies on it, but for its boot number."""
    found = {file.relative_to(board.flash).as_posix(): file.read_bytes() for file in board.flash.rglob("*.*")}
    return {name: content for name, content in found.items() if name != "boot.txt"}


def told_nothing(_: str) -> None:
    """Nobody listens."""


@pytest.mark.parametrize("is_bare", [True, False], ids=["new board", "board with firmware"])
def test_firmware_is_installed_and_says_so(tmp_path: Path, is_bare: bool) -> None:
    """A board with MicroPython alone, or with older firmware, has every file afterwards and calls itself by them."""
    steps: list[str] = []
    with UnixBoard(tmp_path, lamps="pixels", pixels=4, is_bare=is_bare) as board:
        reply = install(str(board.path), contents(), build=BUILD, tell=steps.append)
        assert (reply.build, reply.lamps) == (BUILD, ((1, 1),) * 4)
        assert flash_of(board) == contents()
        assert board.told("reset")
    assert any("carries gameline test" in step for step in steps) is not is_bare


def test_command_installs_with_the_lamps_that_hang_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole command, from its words to the sentence at the end."""
    with UnixBoard(tmp_path, is_bare=True) as board:
        code = main(["firmware", "install", "--port", str(board.path), "--lamps", "pixels", "--pixels", "12"])
        assert (code, (board.flash / SETTINGS).read_text().split("\n")[:2]) == (0, ["4", "12"])
    said = capsys.readouterr()
    assert said.out.startswith(f"{board.path} carries gameline ")
    assert "writing 13 files" in said.err


def test_board_in_a_game_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The service holds the line: nothing is written, and the sentence says what to end first."""
    with UnixBoard(tmp_path) as board, serial.Serial(str(board.path), exclusive=True):
        before = flash_of(board)
        assert main(["firmware", "install", "--port", str(board.path)]) == 1
        assert flash_of(board) == before
    assert "is in use, perhaps by a game: end the game and stop the service" in capsys.readouterr().err


def test_board_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong path is one sentence, exit code 1."""
    assert main(["firmware", "install", "--port", str(tmp_path / "none")]) == 1
    assert "plug the seat board in" in capsys.readouterr().err
    assert main(["firmware", "install", "--port", "x", "--pixels", "0"]) == 1
    assert "Expected 1 to 60 pixels, got 0" in capsys.readouterr().err


@pytest.fixture
def mute(tmp_path: Path) -> Iterator[Path]:
    """A line with nobody at its other end."""
    ends = os.openpty()
    path = tmp_path / "mute"
    path.symlink_to(os.ttyname(ends[1]))
    yield path
    for end in ends:
        os.close(end)


def test_something_that_is_no_micropython_is_told(mute: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers on the line: the sentence names MicroPython, and how to get a board out of its firmware."""
    monkeypatch.setattr(installer, "GREET_S", 0.5)
    with pytest.raises(InstallError, match=r"mpremote says: .*a new board needs MicroPython first"):
        install(str(mute), contents(), build=BUILD, tell=told_nothing)


def test_something_that_never_answers_is_told_soon(mute: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after the two minutes that the files may take."""
    monkeypatch.setattr(installer, "GREET_S", 0.5)
    monkeypatch.setattr(installer, "MEET_S", 1.0)
    with pytest.raises(InstallError, match=r"nothing at .*mute answers as MicroPython: .*BOOTSEL"):
        install(str(mute), contents(), build=BUILD, tell=told_nothing)


@pytest.mark.parametrize("name", [".", "file", "/dev/null"])
def test_what_is_no_serial_line_is_told(tmp_path: Path, name: str) -> None:
    """A folder, a file, a device of another kind: where the right path is found."""
    (tmp_path / "file").write_text("no line")
    with pytest.raises(InstallError, match=r"is no serial line: take the board's path from /dev/serial/by-id"):
        install(str(tmp_path / name), contents(), build=BUILD, tell=told_nothing)


def test_files_that_make_another_build_are_noticed(tmp_path: Path) -> None:
    """What the board says afterwards is what counts."""
    with (
        UnixBoard(tmp_path, is_bare=True) as board,
        pytest.raises(InstallError, match=f"expected the board to carry {BUILD}, it says something else"),
    ):
        install(str(board.path), contents(build="something else"), build=BUILD, tell=told_nothing)


def test_board_of_another_protocol_takes_the_files_of_this_one(tmp_path: Path) -> None:
    """It is told to be installed by this very command, so it understands Leave whatever version it speaks."""
    wire = files()["firmware_bridge/wire.py"].replace(b"PROTOCOL = 3", b"PROTOCOL = 4")
    steps: list[str] = []
    with UnixBoard(tmp_path, flash={**files(), "firmware_bridge/wire.py": wire}) as board:
        with serial.Serial(str(board.path), timeout=0) as line:
            there = installer.greet(line, 3.0)
        assert there is not None
        assert there.protocol == 4
        assert install(str(board.path), contents(), build=BUILD, tell=steps.append).protocol == PROTOCOL
        assert flash_of(board) == contents()


MOMENTS = ("main.py is gone", "hardware/lamps.py", SETTINGS, "main.py")
NEW = {name: content + b"# new\n" for name, content in files().items()}
NEW_BUILD = build_of(NEW, "0.0")


@pytest.mark.parametrize("moment", MOMENTS)
def test_interrupted_install_leaves_old_firmware_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """However far it came when mpremote was killed and the power cut: no board says the new build with an old file."""
    new = {**NEW, SETTINGS: settings("leds", 1, NEW_BUILD)}
    with UnixBoard(tmp_path) as board:
        old = flash_of(board)

        def is_reached() -> bool:
            if moment == MOMENTS[0]:
                return not (board.flash / "main.py").exists()
            return (board.flash / moment).exists() and (board.flash / moment).read_bytes() == new[moment]

        whole = subprocess.run

        def cut(run: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
            if run[-2:] == ["exec", "pass"]:  # only asks who is there
                return whole(run, **how)
            with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while not is_reached():
                    assert process.poll() is None, "it was to be killed first"
                    time.sleep(0.001)
                process.kill()
            return subprocess.CompletedProcess(run, 1, "", "cut")

        monkeypatch.setattr(subprocess, "run", cut)
        with pytest.raises(InstallError, match="mpremote says: cut"):
            install(str(board.path), new, build=NEW_BUILD, tell=told_nothing)
        board.power_off()
        lies_there = flash_of(board)
        board.power_on()
        with serial.Serial(str(board.path), timeout=0) as line:
            reply = installer.greet(line, 2.0)
        assert lies_there == old or lies_there.get("main.py") != old["main.py"]
        if reply is not None:
            assert (reply.build, lies_there) in [(BOARD_BUILD, old), (NEW_BUILD, new)]
        assert (reply is not None) is (moment == "main.py")


class Fickle(serial.Serial):  # type: ignore[misc]
    """A line that breaks where the test says, as a USB port does whose board starts anew."""

    writes_to_fail = 0
    flushes_to_fail = 0

    def write(self, data: bytes) -> int | None:
        if Fickle.writes_to_fail:
            Fickle.writes_to_fail -= 1
            raise serial.SerialException("write failed: [Errno 5] Input/output error")
        written: int | None = super().write(data)
        return written

    def flush(self) -> None:
        super().flush()
        if Fickle.flushes_to_fail:
            Fickle.flushes_to_fail -= 1
            raise termios.error(5, "Input/output error")


@pytest.fixture
def fickle(monkeypatch: pytest.MonkeyPatch) -> type[Fickle]:
    """The installer's lines are fickle ones."""
    monkeypatch.setattr(installer, "open_serial", lambda port: Fickle(port, exclusive=True, timeout=0))
    monkeypatch.setattr(Fickle, "writes_to_fail", 0)
    monkeypatch.setattr(Fickle, "flushes_to_fail", 0)
    return Fickle


def test_line_that_goes_and_comes_back_is_waited_for(tmp_path: Path, fickle: type[Fickle]) -> None:
    """Hello fails twice, and the flush behind Leave as well: the firmware is put on all the same."""
    fickle.writes_to_fail, fickle.flushes_to_fail = 2, 1
    with UnixBoard(tmp_path) as board:
        assert install(str(board.path), contents(), build=BUILD, tell=told_nothing).build == BUILD
    assert (fickle.writes_to_fail, fickle.flushes_to_fail) == (0, 0)


def test_line_that_never_comes_back_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fickle: type[Fickle], capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, whatever pyserial raises."""
    monkeypatch.setattr(installer, "BACK_S", 2.0)
    monkeypatch.setattr(installer, "GREET_S", 0.5)
    fickle.writes_to_fail = 1000
    with UnixBoard(tmp_path, is_bare=True) as board:
        assert main(["firmware", "install", "--port", str(board.path)]) == 1
    assert "the files are on the board but it does not answer within 2 s" in capsys.readouterr().err


def test_board_that_goes_for_good_after_leave_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cable is pulled in the middle: the sentence says that the port is not there."""
    monkeypatch.setattr(installer, "BACK_S", 1.0)
    with UnixBoard(tmp_path) as board:
        monkeypatch.setattr(installer, "encode", lambda message: pull_at_leave(board, message))
        assert main(["firmware", "install", "--port", str(board.path)]) == 1
    assert "plug the seat board in" in capsys.readouterr().err


def pull_at_leave(board: UnixBoard, message: Message) -> bytes:
    """Pull the plug when Leave is about to be sent."""
    if isinstance(message, Leave):
        board.power_off()
    return encode(message)


def test_port_that_vanishes_while_it_is_set_up_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's line opens it again; what pyserial lets through there would have ended its thread."""

    def vanish(*_: object, **__: object) -> None:
        raise termios.error(5, "Input/output error")

    monkeypatch.setattr(serial, "Serial", vanish)
    with pytest.raises(OSError, match="Input/output error"):
        open_serial("x")


def test_missing_mpremote_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi without it one command brings it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InstallError, match=r"mpremote is missing.*: .*python.* -m pip install mpremote"):
        install("x", contents(), build=BUILD, tell=told_nothing)


def test_board_is_got_out_of_its_firmware_by_two_held_buttons(tmp_path: Path) -> None:
    """Seat 0's and the acknowledge button held at power-on leave MicroPython's console; either alone does not."""
    for down, is_console in (("2,6", True), ("2", False), ("6", False)):
        folder = tmp_path / down
        folder.mkdir()
        with UnixBoard(folder, down=down) as board, serial.Serial(str(board.path), timeout=5) as line:
            line.write(b"\r\x03")
            heard = b"" if not is_console else line.read_until(b">>> ")
            assert (b">>> " in heard) is is_console
            reply = installer.greet(line, 3.0 if not is_console else 0.5)
            assert (reply is None) is is_console


def test_build_tells_every_byte_apart() -> None:
    """Another byte in a file, or another name, is another build."""
    first = {"a.py": b"1", "b.py": b"2"}
    others = [{"a.py": b"2", "b.py": b"2"}, {"a.py": b"1", "c.py": b"2"}, {"a.py": b"1"}, {"a.py": b"1", "b.py": b"3"}]
    assert len({build_of(each, "1.0") for each in (first, *others)}) == 5
    assert build_of(first, "1.0") == build_of(dict(reversed(first.items())), "1.0")
