"""The firmware is put on a board by the real mpremote, over a real pty, into the flash of a real MicroPython."""

import importlib.util
import os
from pathlib import Path

import pytest
import serial

from controller.cli import main
from firmware_bridge import installer
from firmware_bridge.install import SETTINGS, build_of, files, settings
from firmware_bridge.installer import InstallError, install
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


def test_something_that_is_no_micropython_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers on the line: the sentence names MicroPython, and how to get a board out of its firmware."""
    monkeypatch.setattr(installer, "GREET_S", 0.5)
    ends = os.openpty()
    path = tmp_path / "mute"
    path.symlink_to(os.ttyname(ends[1]))
    with pytest.raises(InstallError, match=r"mpremote says: .*a new board needs MicroPython first"):
        install(str(path), contents(), build=BUILD, tell=told_nothing)
    for end in ends:
        os.close(end)


def test_files_that_make_another_build_are_noticed(tmp_path: Path) -> None:
    """What the board says afterwards is what counts."""
    with (
        UnixBoard(tmp_path, is_bare=True) as board,
        pytest.raises(InstallError, match=f"expected the board to carry {BUILD}, it says something else"),
    ):
        install(str(board.path), contents(build="something else"), build=BUILD, tell=told_nothing)


def test_missing_mpremote_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi without it one command brings it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InstallError, match=r"pip install 'gameline\[firmware\]'"):
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
