"""Events as JSON and back: every kind survives the journal, and what is not understood is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from controller.codec import EVENTS, UnknownEvent, body_of, event_of, type_name
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.evolve import evolve_all
from controller.game.ledger import GameEntry, Ledger, LedgerEntry
from controller.game.rulesets import Adjudication, LockTie, Params, RuleSet, WrongDominoAlert, fours, spots
from controller.game.seen import Arm, Stills
from controller.game.state import State
from controller.game.tiles import End, MonoNs, Pair, Seat, Suit, Tile
from tests.controller.games import LOCKING_DEAL, NAMES

T = MonoNs(2**60 + 1)
"""Two hundred thousand days: more than a float could keep exactly."""
PARAMS = Params(
    sets_in_game=8,
    think_seconds=12.5,
    pair_tournament=False,
    adjudication=Adjudication.AUTO,
    wrong_domino_alert=WrongDominoAlert.SILENT,
    wrong_domino_warning_counts=False,
)
LEDGER = Ledger(
    (
        LedgerEntry("final#2", "cup", "final", ("Ann", "Cleo"), "Ann", "signs", 1),
        LedgerEntry("final#1", "cup", "final", ("Bob", "Dan"), "Dan", "talk", 1, "2025-11-30T10:00:00Z"),
    ),
    frozenset({"first#1"}),
    (GameEntry("final#3", "cup", (("Ann", "Cleo"), ("Bob", "Dan")), (1.5, 2.5), "B"),),
)
ONE_OF_EACH: tuple[ev.Event, ...] = (
    ev.SeatsDrawn(T, NAMES, Seat.S0),
    ev.GameStarted(T, NAMES, Seat.S2, PARAMS, "cup", "final"),
    ev.LeadDrawn(T, Seat.S3),
    ev.SetStarted(T, 3, Seat.S1),
    ev.DominoLaid(T, Seat.S3, Suit(1), Suit(6), End.L, True, 0.93, (4, 6), 2_345, Arm(Seat.S3, 0.75), adopted=0),
    ev.Passed(T, Seat.S0, 14_999, by_voice=True),
    ev.PassWithdrawn(T, Seat.S0),
    ev.Refused(T, "Pass", ev.Reason.OUT_OF_TURN, Seat.S1, "it is another seat's turn"),
    ev.FindingRaised(
        T,
        7,
        ev.FindingKind.WRONG_PASS,
        None,
        5,
        "C6.1",
        "½ «рыба»",
        Pair.B,
        ev.ProvenBy.COUNTING,
        (5, 9),
        ("Act 6 may have been 5-3.",),
        2,
        stills=Stills(None, T),
    ),
    ev.FindingRuled(T, 7, Decision.CONFIRM, True, "Olga"),
    ev.WarningGiven(T, Seat.S1, "talk", "Olga", by_referee=True, counts=False),
    ev.SetForfeited(T, Pair.A, ev.Ending.SECOND_WARNING),
    ev.PairExpelled(T, Pair.A),
    ev.TimeClaimed(T, Seat.S1, Seat.S2, 16_200, ev.Reason.NOT_A_RIVAL),
    ev.RedealClaimed(T, Seat.S3),
    ev.RedealGranted(T, Seat.S3, LOCKING_DEAL[3], is_seen=True),
    ev.RedealDenied(T, Seat.S0, ev.Reason.CONDITION_NOT_MET, LOCKING_DEAL[0]),
    ev.RedealUnclaimed(T, Seat.S2),
    ev.TileExposed(T, Seat.S2, Tile.of(4, 0), "Olga", in_last_set=True),
    ev.Attributed(T, 4, Seat.S1, "Olga"),
    ev.Corrected(T, 4, Suit(3), Suit(1), "Olga"),
    ev.RevealOrdered(T, "Olga"),
    ev.LedgerMerged(T, LEDGER),
    ev.WentOut(T, Seat.S1),
    ev.Locked(T, Suit(0)),
    ev.HandsAwaited(T, (0, 3, 0, 5), "Dominoes are still to be laid open: 3 of Bob, 5 of Dan."),
    ev.HandsShown(T, LOCKING_DEAL, (((6, 1), (-1, 0)), (), (), ())),
    ev.HandsCounted(T, ((), *LOCKING_DEAL[1:]), "Olga"),
    ev.CountWaived(T, "Olga"),
    ev.SetScored(T, ev.Ending.DEADLOCK, ev.Winner.DRAW, (45, 45), (0.5, 0.5)),
    ev.SetRescored(T, 2, ev.Ending.WRONG_PASS, ev.Winner.A, (1.0, 0.0)),
    ev.SetAnnulled(T, by_referee=True, reason="a hand fell open", by="Olga", is_chief=True),
    ev.GameEnded(T, ev.Winner.B, (1.5, 2.5), ev.Ending.THIRD_WARNING),
    ev.RegisterConfirmed(T, Pair.B, "Olga", is_chief=True),
    ev.TimeExceeded(T, Seat.S0),
    ev.RefereeCalled(T, Seat.S0),
    ev.Acknowledged(T),
    ev.Paused(T),
    ev.Resumed(T),
    ev.Muted(T, MonoNs(T + 60), "Olga"),
    ev.Unmuted(T, "Olga"),
    ev.SyncLost(T, "seen_twice", Tile.of(3, 1), "look at both"),
    ev.SyncFound(T, is_vouched=True),
    ev.TakenBack(T, Tile.of(6, 6)),
    ev.TableCleared(T),
    ev.CameraLost(T, "a cover on the lens"),
    ev.CameraRegained(T),
    ev.StorageLost(T),
    ev.StorageRegained(T),
    ev.Restarted(T),
    ev.Undone(T),
    ev.Redone(T),
)


def test_every_kind_of_event_is_tried() -> None:
    """The list below has one of each kind, and each kind its own name."""
    assert {type(event) for event in ONE_OF_EACH} == set(get_args(ev.Event))
    assert len(EVENTS) == len(ONE_OF_EACH)


@pytest.mark.parametrize("event", ONE_OF_EACH, ids=lambda event: type_name(type(event)))
def test_event_survives_the_journal(event: ev.Event) -> None:
    """Written as JSON and read again an event is the same, in value and in type."""
    again = event_of(type_name(type(event)), json.loads(json.dumps(body_of(event))))
    assert again == event
    assert repr(again) == repr(event)
    assert hash(again) == hash(event)


def test_equal_ledgers_are_written_alike() -> None:
    """A ledger's ids have no order of their own: the journal has them in one, so that equal events are equal bytes."""
    withdrawn = [f"first#{number}" for number in range(10, 40)]
    bodies = [
        body_of(ev.LedgerMerged(T, Ledger(LEDGER.entries, frozenset(ids)))) for ids in (withdrawn, withdrawn[::-1])
    ]
    assert json.dumps(bodies[0]) == json.dumps(bodies[1])
    assert bodies[0]["ledger"]["withdrawn"] == withdrawn
    assert event_of("ledger_merged", bodies[0]) == ev.LedgerMerged(T, Ledger(LEDGER.entries, frozenset(withdrawn)))


@pytest.mark.parametrize("event", ONE_OF_EACH, ids=lambda event: type_name(type(event)))
def test_event_without_its_time_is_not_understood(event: ev.Event) -> None:
    """A body with a missing field is refused with the name of the event."""
    body = body_of(event)
    del body["at"]
    with pytest.raises(UnknownEvent, match=type_name(type(event))):
        event_of(type_name(type(event)), body)


def test_names_are_in_small_letters() -> None:
    """A kind of event is called in journal and topics as a person would write it."""
    assert type_name(ev.DominoLaid) == "domino_laid"
    assert type_name(ev.Undone) == "undone"


def test_documents_name_every_kind_of_event() -> None:
    """Whoever reads the journal over MQTT finds each type in docs/mqtt.md."""
    text = (Path(__file__).parents[2] / "docs" / "mqtt.md").read_text(encoding="utf-8")
    told = text.partition("## event")[2].partition("## Commands")[0]
    assert [name for name in EVENTS if f"`{name}`" not in told] == []


def test_event_of_a_newer_version_is_told() -> None:
    """An unknown name says that an update is needed."""
    with pytest.raises(UnknownEvent, match="'redealt': update Gameline"):
        event_of("redealt", {"at": 1})


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("passed", {"at": 1, "seat": 4}),
        ("passed", {"at": "1", "seat": 0}),
        ("locked", {"at": 1.5, "suit": 0}),
        ("set_scored", {"at": 1, "by": "magic", "winner": "A", "spots": None, "points": [1.0, 0.0]}),
        ("game_started", {"at": 1, "names": ["a", "b", "c", "d"], "lead": 0, "params": {"sets_in_game": 5}}),
        ("game_started", {"at": 1, "names": ["a", "b", "c", "d"], "lead": 0, "params": {"rule_set": "chess"}}),
        ("game_started", {"at": 1, "names": ["a", "b", "c", "d"], "lead": 0, "params": {"rule_set": []}}),
        ("game_started", {"at": 1, "names": ["a", "b", "c", "d"], "lead": 0, "params": 4}),
        (
            "ledger_merged",
            {
                "at": 1,
                "ledger": {
                    "entries": [],
                    "withdrawn": [],
                    "games": [
                        {
                            "id": "x",
                            "competition": "cup",
                            "pairs": [["a", "b"], ["c", "d"]],
                            "points": points,
                            "winner": "A",
                        }
                        for points in ([1, 0], [2, 0])
                    ],
                },
            },
        ),
    ],
)
def test_event_with_an_impossible_field_is_not_understood(name: str, body: dict[str, object]) -> None:
    """A seat, time, ending or number of sets that does not exist is refused, never guessed."""
    with pytest.raises(UnknownEvent, match=f"expected the fields of '{name}'"):
        event_of(name, body)


def test_older_event_without_a_newer_field_is_understood() -> None:
    """A field added with a default does not make older journals unreadable."""
    body = body_of(next(event for event in ONE_OF_EACH if isinstance(event, ev.DominoLaid)))
    del body["raw"], body["arm"], body["adopted"]
    event = event_of("domino_laid", body)
    assert isinstance(event, ev.DominoLaid)
    assert event.raw is None


OLD: tuple[tuple[str, str, ev.Event], ...] = (
    (
        "game_started",
        """{"at": 100000000000, "names": ["Ann", "Bob", "Cleo", "Dan"], "lead": 2, "params": {"rule_set": "fours",
        "version": "1", "sets_in_game": 8, "think_seconds": 12.5, "pair_tournament": false, "adjudication": "auto",
        "wrong_domino_alert": "silent", "wrong_domino_warning_counts": false}}""",
        ev.GameStarted(MonoNs(100_000_000_000), NAMES, Seat.S2, PARAMS),
    ),
    (
        "set_started",
        '{"at": 101000000000, "set_no": 1, "lead": 2}',
        ev.SetStarted(MonoNs(101_000_000_000), 1, Seat.S2),
    ),
    (
        "domino_laid",
        """{"at": 102000000000, "seat": 2, "inner": 6, "outer": 4, "end": "first", "is_fitting": true,
        "confidence": 0.93, "raw": [6, 4]}""",
        ev.DominoLaid(MonoNs(102_000_000_000), Seat.S2, Suit(6), Suit(4), End.FIRST, True, 0.93, (6, 4)),
    ),
    (
        "passed",
        '{"at": 103000000000, "seat": 3}',
        ev.Passed(MonoNs(103_000_000_000), Seat.S3),
    ),
    (
        "domino_laid",
        """{"at": 104000000000, "seat": 0, "inner": 3, "outer": 1, "end": "R", "is_fitting": false,
        "confidence": 0.9, "raw": null}""",
        ev.DominoLaid(MonoNs(104_000_000_000), Seat.S0, Suit(3), Suit(1), End.R, False, 0.9, None),
    ),
    (
        "finding_raised",
        """{"at": 104000000000, "finding": 1, "kind": "wrong_domino", "seat": 0, "ply": 2, "clause": "C7",
        "text": "Ann laid 3-1 with 3 to the joint, which does not fit."}""",
        ev.FindingRaised(
            MonoNs(104_000_000_000),
            1,
            ev.FindingKind.WRONG_DOMINO,
            Seat.S0,
            2,
            "C7",
            "Ann laid 3-1 with 3 to the joint, which does not fit.",
        ),
    ),
    (
        "finding_ruled",
        '{"at": 105000000000, "finding": 1, "decision": "continue", "by_rule": false}',
        ev.FindingRuled(MonoNs(105_000_000_000), 1, Decision.CONTINUE),
    ),
    (
        "warning_given",
        '{"at": 105000000000, "seat": 0, "reason": "exposure"}',
        ev.WarningGiven(MonoNs(105_000_000_000), Seat.S0, "exposure"),
    ),
)
"""Entries as an earlier version has written them, in their order, and what they are today."""


@pytest.mark.parametrize(("name", "body", "event"), OLD, ids=[name for name, _, _ in OLD])
def test_event_of_an_older_version_is_understood(name: str, body: str, event: ev.Event) -> None:
    """An entry without the fields and parameters that came later is the event it always was."""
    again = event_of(name, json.loads(body))
    assert again == event
    assert repr(again) == repr(event)


def test_journal_of_an_older_version_is_replayed() -> None:
    """A set that was begun by an earlier version goes on: the wrong domino is back in its hand, the pair is warned."""
    state = evolve_all(State(), (event_of(name, json.loads(body)) for name, body, _ in OLD))
    assert (state.params.rule_set, state.params.lock_tie) == (RuleSet.FOURS, LockTie.HALF)
    assert (state.turn, len(state.plies), state.take_back) == (Seat.S0, 2, (Tile.of(3, 1),))
    assert (state.warnings_of(Pair.A), state.competition, state.ledger) == (1, "", Ledger())


def test_parameters_that_came_later_are_those_of_the_rule_set() -> None:
    """An entry that does not name a parameter means its default in the text that was played."""
    body = {"at": 1, "names": ["a", "b", "c", "d"], "lead": 0}
    for rules in (fours(sets_in_game=8), spots(sets_in_game=8)):
        event = event_of("game_started", {**body, "params": {"rule_set": rules.rule_set.value, "sets_in_game": 8}})
        assert isinstance(event, ev.GameStarted)
        assert event.params == rules
