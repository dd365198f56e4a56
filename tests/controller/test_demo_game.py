"""The demonstration as a stranger runs it: a whole game with everything that can go wrong, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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
