"""Worked cases of the rules, played through the real core: what must be said of each record is written beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.follow import provisional_score
from controller.game.line import Line
from controller.game.rulesets import Adjudication, Params, WrongDominoAlert
from controller.game.state import Phase, State
from controller.game.tiles import End, MonoNs, Pair, Seat, Suit, Tile

CASES = Path(__file__).parent.parent / "data" / "cases.jsonl"

Outcome = dict[str, Any]


def params_of(case: dict[str, Any]) -> Params:
    """The case's parameters: adjudication auto, and whatever it sets itself."""
    given = dict(case.get("params", {}))
    alert = WrongDominoAlert(given.pop("wrong_domino_alert", "referee_only"))
    return Params(adjudication=Adjudication.AUTO, wrong_domino_alert=alert, **given)


def hands_of(raw: list[list[list[int]]]) -> tuple[tuple[Tile, ...], ...]:
    """Four hands of dominoes."""
    return tuple(tuple(Tile.of(a, b) for a, b in hand) for hand in raw)


def command_of(entry: dict[str, Any], state: State, numbers: dict[int, int], at: MonoNs) -> cmd.Command:
    """An event of the case as a command of ours; `numbers` maps the case's event numbers to our plies."""
    if "play" in entry:
        seat = Seat(entry["seat"]) if "seat" in entry else None
        inner, outer = entry["play"]
        return cmd.LayDomino(at, Suit(inner), Suit(outer), End(entry["end"]), seat)
    if "pass" in entry:
        return cmd.Pass(at, Seat(entry["seat"]))
    if "reveal" in entry:
        return cmd.Count(at, hands_of(entry["reveal"]))
    if entry.get("referee") == "wrong_domino":
        ply = numbers[entry["event"]]
        finding = next(f for f in state.findings if f.kind is ev.FindingKind.WRONG_DOMINO and f.ply == ply)
        return cmd.Rule(at, finding.number, Decision(entry["decision"] or "lost"))
    raise KeyError(f"no command for {entry}")


def play(case: dict[str, Any]) -> tuple[State, Outcome]:
    """The case's record through decide and evolve: the last state, and what was said on the way."""
    lead = Seat(case["given"]["lead"])
    at = MonoNs(0)
    state = State()
    said: Outcome = {"verdicts": [], "findings": [], "scored": None, "locked": None}
    for opening in (cmd.StartGame(at, ("S", "W", "N", "E"), lead, params_of(case)), cmd.StartSet(at)):
        state = evolve_all(state, decide(state, opening))
    for _ in range(case["given"].get("context", {}).get("warn_game", [0, 0])[0]):
        state = evolve_all(state, (ev.WarningGiven(at, Seat.S0, "talk"),))
    for _ in range(case["given"].get("context", {}).get("warn_game", [0, 0])[1]):
        state = evolve_all(state, (ev.WarningGiven(at, Seat.S1, "talk"),))
    numbers: dict[int, int] = {}
    line_at_end = state
    for number, entry in enumerate(case["given"]["events"]):
        plies = len(state.plies)
        happened = decide(state, command_of(entry, state, numbers, at))
        for event in happened:
            before = state
            state = evolve_all(state, (event,))
            if len(state.plies) > plies:
                numbers[number] = plies
            note(event, number, said, before)
            if isinstance(event, ev.SetScored):
                line_at_end = before
    is_annulled = state.phase is Phase.BETWEEN and not said["scored"]
    said["closed"] = line_at_end if said["scored"] else replace(state, line=Line()) if is_annulled else state
    if not said["scored"] and not state.open_findings and (provisional := provisional_score(state, at)):
        said["scored"] = provisional
        state = evolve_all(state, (provisional,))
    return state, said


def note(event: ev.Event, number: int, said: Outcome, before: State) -> None:
    """What the case file asks about, as it comes by."""
    if isinstance(event, ev.Refused):
        said["verdicts"].append({"event": number, "status": "illegal", "reason": event.reason.value})
    elif isinstance(event, ev.FindingRaised):
        said["findings"].append({"event": number, "kind": event.kind.value, "seat": int(event.seat)})
        if event.kind is ev.FindingKind.WRONG_DOMINO:
            said["verdicts"].append({"event": number, "status": "illegal", "reason": event.kind.value})
    elif isinstance(event, ev.SetScored):
        said["scored"] = event
    elif isinstance(event, ev.Locked):
        said["locked"] = number


def check(case: dict[str, Any]) -> None:
    """Every key of `expect` that this core speaks of."""
    state, said = play(case)
    expect = case["expect"]
    closed: State = said["closed"]
    scored: ev.SetScored | None = said["scored"]
    if "verdicts" in expect:
        assert said["verdicts"] == expect["verdicts"]
    if "next_seat" in expect:
        waits = state.lead if said["scored"] is None and state.phase is Phase.BETWEEN else state.turn
        assert (None if waits is None or scored else int(waits)) == expect["next_seat"]
    if expect.get("ends") is not None:
        assert closed.line.ends == tuple(expect["ends"])
    if "tiles_on_line" in expect:
        assert len(closed.line.placed) == expect["tiles_on_line"]
    if "deadlock_event" in expect:
        assert said["locked"] == expect["deadlock_event"]
    if "warnings_game" in expect:
        assert [state.warnings_of(pair) for pair in Pair] == expect["warnings_game"]
    if expect.get("next_lead") is not None:
        assert state.lead == expect["next_lead"]
    check_set(expect, scored, state)


def check_set(expect: dict[str, Any], scored: ev.SetScored | None, state: State) -> None:
    """The set's end, winner, spots and points."""
    if "set" not in expect:
        return
    want = expect["set"]
    if not want.get("points"):
        assert scored is None
        if want.get("by"):
            assert state.ending is not None
            assert state.ending.value == want["by"]
        return
    assert scored is not None
    assert scored.by.value == want["by"]
    assert scored.winner.value == want["winner"]
    assert list(scored.points) == want["points"]
    if want["spots"] is not None and scored.by is ev.Ending.DEADLOCK:
        assert scored.spots == tuple(want["spots"])


@pytest.mark.parametrize("case", [json.loads(line) for line in CASES.read_text().splitlines()], ids=lambda c: c["id"])
def test_case_ends_as_its_author_worked_it_out(case: dict[str, Any]) -> None:
    """A worked record leads to the verdicts, line, winner and points written beside it."""
    check(case)
