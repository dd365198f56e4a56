"""Puts the firmware on a seat board through mpremote and has the board say that it is there; no other file does."""

import errno
import importlib.util
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from firmware_bridge import wire
from firmware_bridge.framing import PeerFault, Receiver, frame
from firmware_bridge.install import SETTINGS
from firmware_bridge.link import Port, explain, open_serial
from firmware_bridge.messages import Hello, HelloReply, Leave, MessageError, decode, encode

GREET_S = 3.0
"""A board that carries the firmware answers Hello within 20 ms, and within 2 s of its start."""

BACK_S = 15.0
"""A Pico is away from USB for a second or two when it starts anew, and compiles its files for some seconds."""

AWAY_S = 1.0
"""A board that has not left answers long before."""

MEET_S = 15.0
"""MicroPython's console answers within a second; what says nothing for so long is something else."""

WRITE_S = 120.0

NO_LINE = (errno.EISDIR, errno.ENOTTY, errno.EINVAL)
"""What opening a folder or an ordinary file as a serial line gives."""

GONE = (OSError, termios.error)
"""What pyserial raises when a port vanishes, its own SerialException being an OSError."""


class InstallError(RuntimeError):
    """The firmware is not on the board; the message says in one sentence why and what to do."""


def install(port: str, contents: Mapping[str, bytes], *, build: str, tell: Callable[[str], None]) -> HelloReply:
    """Put files on a board and check who answers afterwards.

    Args:
        port: Its path, `/dev/serial/by-id/...`.
        contents: The files by their names on the board, settings too.
        build: What the board must call itself then.
        tell: Takes a few words about each step.

    Raises:
        InstallError: It could not be done. The board has its old firmware, whole, or none that starts: main.py goes
            before anything else is written and comes back last, after the settings with the build. The same command
            can be given again.
    """
    if importlib.util.find_spec("mpremote") is None:
        raise InstallError(f"mpremote is missing, which writes to the board: {sys.executable} -m pip install mpremote")
    tell(f"asking who is at {port}")
    there = _ask(port, GREET_S, is_back=False)
    if there is None:
        tell("no seat firmware answers: this may be a new board")
    else:
        tell(f"it carries {there.build}; it starts anew without it, for its files")
        _have_it_leave(port)
    _meet_micropython(port)
    tell(f"writing {len(contents)} files")
    _write(port, contents)
    tell("it starts with them")
    reply = _ask(port, BACK_S, is_back=True)
    if reply is None:
        raise InstallError(
            f"the files are on the board but it does not answer within {BACK_S:.0f} s: unplug it, plug it in, try again"
        )
    if reply.build != build:
        raise InstallError(f"expected the board to carry {build}, it says {reply.build}: try again")
    return reply


def _ask(port: str, timeout_s: float, *, is_back: bool) -> HelloReply | None:
    """Open the port and ask who is there; where the line goes meanwhile, again, as a board that starts takes it along.

    Raises:
        InstallError: The port cannot be opened: at once, but where it is to come back only at the end of the time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        reply = None
        try:
            with closing(_open(port)) as line:
                reply = greet(line, min(GREET_S, deadline - time.monotonic()))
        except InstallError:
            if not is_back or time.monotonic() >= deadline:
                raise
        except GONE:
            is_back = True
        if reply is not None or time.monotonic() >= deadline:
            return reply
        time.sleep(0.25)


def _have_it_leave(port: str) -> None:
    """Send Leave until nobody answers; its layout is the same in every version, so a board of another one goes too."""
    deadline = time.monotonic() + BACK_S
    while time.monotonic() < deadline:
        with suppress(*GONE), closing(_wait_for(port)) as line:  # a board that leaves may take the line along at once
            line.write(frame(encode(Leave(1))))
            line.flush()
        time.sleep(1.0)
        _wait_for(port).close()
        if _ask(port, AWAY_S, is_back=True) is None:
            return
    raise InstallError(
        f"the board does not leave its firmware within {BACK_S:.0f} s: hold seat 0's and the acknowledge button while "
        "plugging it in, and try again"
    )


def greet(line: Port, timeout_s: float) -> HelloReply | None:
    """Ask who is there until somebody answers, or None after the time.

    Raises:
        OSError, termios.error: The line is gone.
    """
    receiver = Receiver()
    deadline = time.monotonic() + timeout_s
    asked = 0.0
    while time.monotonic() < deadline:
        if time.monotonic() - asked >= 0.5:
            asked = time.monotonic()
            line.write(frame(encode(Hello(1, wire.PROTOCOL))))
        receiver.receive_data(line.read(line.in_waiting or 1))
        for reply in _replies(receiver):
            return reply
        time.sleep(0.01)
    return None


def _replies(receiver: Receiver) -> Iterator[HelloReply]:
    """What a board says about itself, among whatever else there is."""
    while (event := receiver.next_event()) is not None:
        if isinstance(event, PeerFault):
            continue
        try:
            message = decode(event)
        except MessageError:
            continue
        if isinstance(message, HelloReply):
            yield message


def _open(port: str) -> Port:
    try:
        return open_serial(port)
    except OSError as problem:
        reason = explain(port, problem)
        if problem.errno in NO_LINE or "configure port" in str(problem):
            reason = f"{port} is no serial line: take the board's path from /dev/serial/by-id"
        if "used by another program" in reason:
            reason = f"{port} is in use, perhaps by a game: end the game and stop the service (systemctl stop gameline)"
        raise InstallError(reason) from problem


def _wait_for(port: str) -> Port:
    """The port, as soon as the board is back."""
    deadline = time.monotonic() + BACK_S
    while True:
        try:
            return _open(port)
        except InstallError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.25)


def _meet_micropython(port: str) -> None:
    """See that a console answers before two minutes are spent on one that does not."""
    if _mpremote(port, ["exec", "pass"], MEET_S) is None:
        raise InstallError(
            f"nothing at {port} answers as MicroPython: is it the board's path (ls /dev/serial/by-id)? A new board "
            "needs MicroPython first: hold BOOTSEL while plugging it in, and copy its .uf2 file to the drive that comes"
        )


def _write(port: str, contents: Mapping[str, bytes]) -> None:
    folders = sorted({parent.as_posix() for name in contents for parent in Path(name).parents} - {"."})
    # The order is what an interruption leaves: without main.py nothing starts, and it starts nothing but by its end.
    begin = "import os\ntry: os.remove('main.py')\nexcept OSError: pass\n"
    begin += f"for f in {folders!r}:\n try: os.mkdir(f)\n except OSError: pass"
    names = sorted(contents, key=lambda name: (name == "main.py", name == SETTINGS, name))
    with tempfile.TemporaryDirectory(prefix="gameline-firmware-") as folder:
        steps = ["exec", begin]
        for number, name in enumerate(names):
            file = Path(folder) / str(number)
            file.write_bytes(contents[name])
            steps += ["+", "cp", str(file), f":{name}"]
        done = _mpremote(port, [*steps, "+", "reset"], WRITE_S)
    if done is None:
        raise InstallError(f"the board did not take the files within {WRITE_S:.0f} s: unplug it, plug it in, try again")


def _mpremote(port: str, steps: list[str], timeout_s: float) -> str | None:
    """What mpremote says of some steps, or None when it does not end in time.

    Raises:
        InstallError: It says that they failed.
    """
    run = [sys.executable, "-m", "mpremote", "connect", port, "resume", *steps]
    try:
        done = subprocess.run(run, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["nothing"]
        raise InstallError(
            f"the files could not be written (mpremote says: {said[0]}): a new board needs MicroPython first; one with "
            "firmware can be started without it by holding seat 0's and the acknowledge button while plugging it in"
        )
    return done.stdout
