"""Chapter 11 of docs/rules.md: out of turn and whose move."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.rulesets import Adjudication, OutOfTurn, fours, spots
from controller.game.state import Halt, Move, Phase, Skip
from controller.game.tiles import Seat
from tests.controller.games import Table, looks, seen
from tests.controller.rule_table import begun, kinds, lay_by, play, refused, rule


def out_of_turn(params: OutOfTurn, seat: int = 3, word: str = "65R") -> Table:
    """Seat 1 is on turn after the double six, and another seat is told to have laid a domino."""
    table = play(begun(fours(out_of_turn=params)), "66")
    table.do(lay_by(seat, word, table))
    return table


@pytest.mark.rule("11.1")
def test_rules_domino_belongs_to_the_seat_on_turn() -> None:
    """The camera saw a domino and no player: it is the move of seat 1."""
    table = play(begun(), "66")
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5))))
    assert table.state.plies[-1].seat is Seat.S1


@pytest.mark.rule("11.2")
@pytest.mark.parametrize(
    ("params", "is_move", "warnings"),
    [(OutOfTurn.AS_WRONG_DOMINO, False, 1), (OutOfTurn.STANDS, True, 0), (OutOfTurn.REFEREE, False, 0)],
)
def test_rules_domino_out_of_turn(params: OutOfTurn, is_move: bool, warnings: int) -> None:
    """Seat 3 laid: it goes back with a warning, or it stands and seat 0 is next, or it only goes back."""
    table = out_of_turn(params)
    assert (len(table.state.plies) == 2) is is_move
    assert table.state.turn is (Seat.S0 if is_move else Seat.S1)
    assert kinds(table) == ([] if is_move else [FindingKind.OUT_OF_TURN])
    if not is_move:
        rule(table, Decision.CONFIRM)
    assert [warning.reason for warning in table.state.warnings] == ["exposure"] * warnings
    assert spots().out_of_turn is OutOfTurn.REFEREE


@pytest.mark.rule("11.2")
def test_rules_domino_out_of_turn_is_refused_and_is_one_finding() -> None:
    """The refusal says why; the same domino told twice is no second finding."""
    table = out_of_turn(OutOfTurn.AS_WRONG_DOMINO)
    assert refused(table, lay_by(3, "65R", table)) is Reason.OUT_OF_TURN
    assert kinds(table) == [FindingKind.OUT_OF_TURN]


@pytest.mark.rule("11.3")
@pytest.mark.parametrize("decision", [Decision.CONFIRM, Decision.RESTART, Decision.DISMISS])
def test_rules_finding_out_of_turn_stops_play_until_it_is_ruled_on(decision: Decision) -> None:
    """The clock stands; then play goes on with the seat that was on turn, or the set is played again."""
    table = out_of_turn(OutOfTurn.AS_WRONG_DOMINO)
    assert table.state.halts == {Halt.FINDING}
    assert not table.state.clock.is_running
    rule(table, decision)
    if decision is Decision.RESTART:
        assert table.is_in(Phase.BETWEEN)
    else:
        assert table.state.clock.is_running
        play(table, "65R")


@pytest.mark.rule("11.4")
def test_rules_move_is_given_to_the_seat_that_made_it() -> None:
    """The second domino was seat 3's, seats 1 and 2 having passed by voice; the third is then seat 0's."""
    table = play(begun(), "66 65R 54R")
    table.do(cmd.Attribute(table.now, 1, 3, "Eve"))
    acts = [(type(ply), ply.seat) for ply in table.state.plies]
    assert acts == [(Move, 0), (Skip, 1), (Skip, 2), (Move, 3), (Move, 0)]
    assert table.state.turn is Seat.S1


@pytest.mark.rule("11.4")
def test_rules_passes_by_voice_count_as_evidence() -> None:
    """Seat 1 has then passed on sixes, and lays one later: that pass was wrong."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), "66 65R")
    table.do(cmd.Attribute(table.now, 1, 2, "Eve"))
    play(table, "54R 41R 61L")
    assert table.state.points == (1, 0)


@pytest.mark.rule("11.5")
@pytest.mark.parametrize(
    ("acts", "ply", "seat"),
    [("66 65R", 0, 2), ("66 65R P", 2, 3), ("66 65R P", 1, 2), ("66 65R", 7, 2)],
    ids=["first move", "a pass", "a later press", "no such act"],
)
def test_rules_move_cannot_be_given_where_that_cannot_be(acts: str, ply: int, seat: int) -> None:
    """Nobody passes before the first move, and a button that was pressed was pressed by that seat."""
    table = play(begun(), acts)
    assert refused(table, cmd.Attribute(table.now, ply, seat, "Eve")) is Reason.CANNOT_AMEND


@pytest.mark.rule("11.4")
def test_rules_move_given_to_whose_it_is_changes_nothing() -> None:
    """The referee says what stands in the record already."""
    table = play(begun(), "66 65R")
    before = table.state
    assert table.do(cmd.Attribute(table.now, 1, 1, "Eve")) is None
    assert table.state == before


@pytest.mark.rule("11.6")
@pytest.mark.rule("4.2")
def test_rules_second_domino_in_one_turn_is_out_of_turn() -> None:
    """Seat 0 lays a double and another behind it: the second is no move of its turn."""
    table = play(begun(), "66")
    assert refused(table, lay_by(0, "65R", table)) is Reason.OUT_OF_TURN
    assert kinds(table) == [FindingKind.OUT_OF_TURN]
    assert table.state.line.ends == (6, 6)
