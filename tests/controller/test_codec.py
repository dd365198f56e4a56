"""Events as JSON and back: every kind survives the journal, and what is not understood is said."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from controller.codec import EVENTS, UnknownEvent, body_of, event_of, type_name
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.rulesets import Adjudication, Params, WrongDominoAlert
from controller.game.tiles import End, MonoNs, Seat, Suit, Tile
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
ONE_OF_EACH: tuple[ev.Event, ...] = (
    ev.GameStarted(T, NAMES, Seat.S2, PARAMS),
    ev.SetStarted(T, 3, Seat.S1),
    ev.DominoLaid(T, Seat.S3, Suit(1), Suit(6), End.L, True, 0.93, (4, 6)),
    ev.Passed(T, Seat.S0),
    ev.Refused(T, "Pass", ev.Reason.OUT_OF_TURN, Seat.S1, "it is another seat's turn"),
    ev.FindingRaised(T, 7, ev.FindingKind.WRONG_PASS, Seat.S2, 5, "C6.1", "½ «рыба»"),
    ev.FindingRuled(T, 7, Decision.CONFIRM, True),
    ev.WarningGiven(T, Seat.S1, "talk"),
    ev.WentOut(T, Seat.S1),
    ev.Locked(T, Suit(0)),
    ev.HandsShown(T, LOCKING_DEAL),
    ev.HandsCounted(T, ((), *LOCKING_DEAL[1:])),
    ev.CountWaived(T),
    ev.SetScored(T, ev.Ending.DEADLOCK, ev.Winner.DRAW, (45, 45), (0.5, 0.5)),
    ev.SetAnnulled(T),
    ev.GameEnded(T, ev.Winner.B, (1.5, 2.5)),
    ev.TimeExceeded(T, Seat.S0),
    ev.RefereeCalled(T, Seat.S0),
    ev.Acknowledged(T),
    ev.Paused(T),
    ev.Resumed(T),
    ev.SyncLost(T, "seen_twice", Tile.of(3, 1), "look at both"),
    ev.SyncFound(T),
    ev.TakenBack(T, Tile.of(6, 6)),
    ev.TableCleared(T),
    ev.CameraLost(T, "a cover on the lens"),
    ev.CameraRegained(T),
    ev.StorageLost(T),
    ev.StorageRegained(T),
    ev.Restarted(T),
    ev.Undone(T),
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
    ],
)
def test_event_with_an_impossible_field_is_not_understood(name: str, body: dict[str, object]) -> None:
    """A seat, time, ending or number of sets that does not exist is refused, never guessed."""
    with pytest.raises(UnknownEvent, match=f"expected the fields of '{name}'"):
        event_of(name, body)


def test_older_event_without_a_newer_field_is_understood() -> None:
    """A field added with a default does not make older journals unreadable."""
    body = body_of(ONE_OF_EACH[2])
    del body["raw"]
    event = event_of("domino_laid", body)
    assert isinstance(event, ev.DominoLaid)
    assert event.raw is None
