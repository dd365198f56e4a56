"""kill -9 at any moment: the game goes on from the last committed event, nothing lost, nothing doubled."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.codec import event_of
from controller.game.evolve import evolve_all
from controller.game.state import State
from controller.journal import Entry, Journal

KILLS = 20
ORDERED = ("game_started", "set_started", "hands_counted", "resumed")
"""What only a referee's order brings about."""


def entries_of(path: Path) -> list[Entry]:
    """Everything in the journal of a dead process; what came of an order is there with its answer, or neither is."""
    with Journal(path, boot_id="test", wall_utc=lambda: "", clock_synchronised=lambda: False) as journal:
        entries, answers = list(journal.entries()), [json.loads(kept.answer) for kept in journal.answers()]
    told = {sequence: kind for answer in answers for sequence, kind in answer["events"]}
    assert told.items() <= {entry.sequence: entry.type for entry in entries}.items()
    assert {entry.sequence for entry in entries if entry.type in ORDERED} <= told.keys()
    return entries


def play_and_kill(path: Path, rng: random.Random) -> tuple[int, int]:
    """Let a process play for a moment and kill it: the revision it began with, the highest it has published."""
    command = [sys.executable, "-m", "tests.controller.endless_game", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        shown = [next(lines) for _ in range(rng.randrange(1, 40))]
        time.sleep(rng.random() * 0.01)
        process.kill()
        shown += list(lines)
    begun = next(int(line.split()[1]) for line in shown if line.startswith("begun"))
    whole = [line for line in shown if line.endswith("\n") and not line.startswith("begun")]
    return begun, max(int(line) for line in whole) if whole else begun


@pytest.mark.timeout(180)  # twenty processes, on a machine that may be slow
def test_a_killed_game_goes_on_from_the_last_committed_event(tmp_path: Path) -> None:
    """Twenty times killed at a random moment: what was published is kept, in order, without gap or double."""
    path = tmp_path / "journal.sqlite"
    rng = random.Random(20)
    kept: list[Entry] = []
    for _ in range(KILLS):
        begun, published = play_and_kill(path, rng)
        entries = entries_of(path)
        assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
        assert entries[: len(kept)] == kept
        assert begun == len(kept) + (1 if kept else 0)
        assert published <= len(entries)
        kept = entries
    state = evolve_all(State(), (event_of(entry.type, entry.body) for entry in kept))
    assert state.revision == len(kept)
    assert sum(entry.type == "restarted" for entry in kept) == KILLS - 1
    assert {"set_scored", *ORDERED} <= {entry.type for entry in kept}
    moves = [p.tile for p in state.line.placed]
    assert len(moves) == len(set(moves))
