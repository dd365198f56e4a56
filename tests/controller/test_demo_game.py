"""The demonstration as a stranger runs it: a whole game with everything that can go wrong, in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_demo_puts_everything_away_when_it_is_ended_early(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, a kill and a closed terminal leave neither a file nor a broker behind."""
    command = [sys.executable, "-m", "controller", "demo", "--plain"]
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        next(line for line in running.stdout if "begins" in line)
        running.send_signal(number)
        said = running.communicate(timeout=30)[1]
    assert (running.returncode, said, list(tmp_path.iterdir())) == (130, "", [])
    port = int(first.split("port ")[1].split(";")[0])
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass


@pytest.mark.timeout(400)
def test_demo_plays_a_game_with_mishaps_to_its_register() -> None:
    """Camera, buttons and referee alone lead through four sets; each mishap shows, and the register closes the game."""
    command = [sys.executable, "-m", "controller", "demo", "--fast", "--plain", "--mishaps", "--seed", "3"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=390, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    for words in (
        "mosquitto_sub -h 127.0.0.1",
        "which does not fit",
        "the domino goes back",
        "presses the pass button twice",
        "thinks longer than allowed",
        "The camera sees nothing",
        "The camera sees the table again",
        "The broker is back",
        "passes though a domino fits",
        "which fitted then",
        "Set 4 begins",
        "Result",
    ):
        assert words in ran.stdout, words
