"""Findings carry the misreadings that would explain them as well, as facts and in words, one for one."""

from __future__ import annotations

import json

import pytest

from controller.codec import body_of, event_of
from controller.game import events as ev
from controller.game.state import Move
from controller.game.tiles import Seat, Tile
from tests.controller.games import NAMES, Table, random_evening
from tests.controller.rule_table import begun, happened, play

WRONG = "66 P 65R 54R 63L 26L"
"""The seat after the leader passes on the double six and lays the six-two later, where it does not fit."""
SEAT_COUNTED = "66 60R 65L P 00R 53L 04R P"
"""By its two passes seat 3 has denied too much, though nobody has seen its hand."""


def raised(table: Table) -> list[ev.FindingRaised]:
    """What was found, in its order."""
    return [event for event in happened(table, ev.FindingRaised) if isinstance(event, ev.FindingRaised)]


def in_words(misreading: ev.Misreading) -> str:
    """The sentence for the referee, made of the facts alone."""
    act = misreading.ply + 1
    if misreading.was is not None:
        return f"If the domino of act {act} was {misreading.was}, not {misreading.taken_for}, everything fits."
    *others, last = (NAMES[seat] for seat in misreading.by_voice)
    who = f"{', '.join(others)} and {last}" if others else last
    whose = NAMES[(misreading.by_voice[-1] + 1) % 4]
    return f"If {who} passed by voice before act {act}, which was {whose}'s, everything fits."


def test_misreading_of_a_domino_says_which_and_for_which() -> None:
    """Seat 3 denied four suits in two passes: act 7 may have been 3-0 or 5-0 and not 4-0, or act 6 5-0 and not 5-3."""
    (finding,) = raised(play(begun(), SEAT_COUNTED))
    assert finding.misreadings == (
        ev.Misreading(6, Tile.of(3, 0), Tile.of(4, 0), ()),
        ev.Misreading(6, Tile.of(5, 0), Tile.of(4, 0), ()),
        ev.Misreading(5, Tile.of(5, 0), Tile.of(5, 3), ()),
    )


def test_misreading_of_a_turn_says_who_may_have_passed_by_voice() -> None:
    """Seat 1 laid a six after its pass on sixes: it may have been seat 2's or 0's, or be another domino altogether."""
    finding = raised(play(begun(), WRONG))[-1]
    assert finding.misreadings == (
        ev.Misreading(5, None, None, (Seat.S1,)),
        ev.Misreading(4, None, None, (Seat.S0, Seat.S1)),
        ev.Misreading(5, Tile.of(3, 0), Tile.of(6, 2), ()),
    )


@pytest.mark.parametrize("seed", range(5, 15))
def test_misreadings_are_what_the_referee_is_told(seed: int) -> None:
    """In a whole evening the facts of every finding say, one for one, what its sentences say to the referee."""
    table = random_evening(seed, is_checked=False)
    found = raised(table)
    assert found
    for finding in found:
        assert tuple(map(in_words, finding.misreadings)) == finding.repairs


def test_taken_for_is_the_domino_of_the_record() -> None:
    """The domino in question is the one that lies at that act, and what it would have been lies nowhere."""
    table = play(begun(), SEAT_COUNTED)
    (finding,) = raised(table)
    for misreading in finding.misreadings:
        move = table.state.plies[misreading.ply]
        assert isinstance(move, Move)
        assert move.tile == misreading.taken_for
        assert misreading.was in table.state.line.unplayed


@pytest.mark.parametrize("acts", [SEAT_COUNTED, WRONG])
def test_misreadings_survive_the_journal(acts: str) -> None:
    """Written as JSON and read again a finding is the same; of an older journal it has none, and its words stay."""
    finding = raised(play(begun(), acts))[-1]
    body = json.loads(json.dumps(body_of(finding)))
    assert event_of("finding_raised", body) == finding
    assert len(body.pop("misreadings")) == 3
    old = event_of("finding_raised", body)
    assert isinstance(old, ev.FindingRaised)
    assert (old.misreadings, old.repairs) == ((), finding.repairs)
