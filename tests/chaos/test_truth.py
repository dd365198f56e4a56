"""What is checked after a bad day sees what it is there to see: each kind of harm is done once, and named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.codec import event_of
from controller.game.evolve import evolve_all
from controller.game.snapshot import snapshot
from controller.game.state import State
from controller.game.tiles import MonoNs
from tests.chaos.listener import Heard
from tests.chaos.service_faults import begin_other_game
from tests.chaos.table import End
from tests.chaos.truth import Row, rows_of, violations


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    """A journal of a game, a set and two dominoes."""
    begin_other_game(tmp_path / "journal.sqlite")
    return rows_of(tmp_path / "journal.sqlite")


def heard_of(rows: Sequence[Row]) -> Heard:
    """What a display has that has missed nothing."""
    state = evolve_all(State(), (event_of(row["type"], row["body"]) for row in rows))
    reply = {"id": "1", "events": [[rows[-1]["sequence"], rows[-1]["type"]]]}
    return Heard(
        events=[(0.0, {**copy.deepcopy(row), "historical": False}) for row in rows],
        replies={"1": reply},
        state=json.loads(msgspec.json.encode(snapshot(state, MonoNs(99)))),
    )


def test_good_day_has_nothing_wrong(rows: list[Row]) -> None:
    """An event that came twice, a clock that goes on, and an end by signal are none of it."""
    heard = heard_of(rows)
    heard.events.append(heard.events[-1])
    ends = [End(-9, ""), End(0, "INFO")]
    assert len(rows) == 4
    assert violations(rows, before=[rows[:2], rows], heard=heard, ends=ends, buzzes=False) == []


def _event_lost(rows: list[Row], heard: Heard) -> None:
    del heard.events[1]


def _event_changed(rows: list[Row], heard: Heard) -> None:
    heard.events[2][1]["body"]["seat"] = 3


def _number_twice(rows: list[Row], heard: Heard) -> None:
    heard.events.append((1.0, {**heard.events[3][1], "boot_id": "another"}))


def _entry_lost(rows: list[Row], heard: Heard) -> None:
    del rows[3], heard.events[3]


def _entry_changed(rows: list[Row], heard: Heard) -> None:
    rows[2] = {**rows[2], "wall_utc": "later"}


def _number_left_out(rows: list[Row], heard: Heard) -> None:
    rows[3] = {**rows[3], "sequence": 5}


def _promise_broken(rows: list[Row], heard: Heard) -> None:
    heard.replies["2"] = {"id": "2", "events": [[4, "passed"]]}


def _scoreboard_behind(rows: list[Row], heard: Heard) -> None:
    assert heard.state is not None
    heard.state["line"].pop()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (_event_lost, "1 of 4 events never came to the subscriber, the first is 2"),
        (_event_changed, "event 3 was heard as"),
        (_number_twice, "two events under the number 4"),
        (_entry_lost, "of 4 entries that the journal had, entry 4 is lost or changed"),
        (_entry_changed, "entry 3 is lost or changed"),
        (_number_left_out, "the journal's numbers have gaps or doubles"),
        (_promise_broken, "an order was told that it had caused event 4, passed"),
        (_scoreboard_behind, "the scoreboard shows line"),
    ],
)
def test_harm_is_named(rows: list[Row], harm: Callable[[list[Row], Heard], Any], told: str) -> None:
    """One sentence at least says what is wrong."""
    heard, before = heard_of(rows), [list(rows)]
    harm(rows, heard)
    found = violations(rows, before=before, heard=heard, ends=[], buzzes=False)
    assert any(told in sentence for sentence in found), found


def test_buzzer_and_tracebacks_are_named(rows: list[Row]) -> None:
    """A buzzer that sounds on, and an end that is a fault of ours."""
    ends = [End(1, "Traceback (most recent call last):")]
    found = violations(rows, before=[], heard=heard_of(rows), ends=ends, buzzes=True)
    assert [sentence.split(":")[0] for sentence in found] == [
        "a service ended with a traceback",
        "the buzzer is left on",
    ]
