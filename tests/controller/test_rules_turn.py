"""Chapter 11 of docs/rules.md: out of turn and whose move."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.line import Line
from controller.game.rulesets import Adjudication, OutOfTurn, fours, spots
from controller.game.seen import Arm, Stills
from controller.game.state import Halt, Move, Phase, Skip
from controller.game.tiles import Seat, Tile
from controller.record.judge import judge
from controller.record.recording import record_of
from tests.controller.games import Table, at, looks, seen
from tests.controller.rule_table import begun, found, happened, kinds, lay_by, play, refused, rule


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


# --- whose arm it was ---

BOB, CLEO = Arm(Seat.S1, 0.95), Arm(Seat.S2, 0.95)
STILLS = Stills(at(3), at(4))


def laid_by(arm: Arm | None, params: OutOfTurn = OutOfTurn.AS_WRONG_DOMINO) -> Table:
    """Bob is on turn after the double six, and the camera sees a domino laid by this arm."""
    table = play(begun(fours(out_of_turn=params)), "66")
    reach(table, arm)
    return table


def reach(table: Table, arm: Arm | None, line: Line | None = None) -> None:
    """The table comes to rest with the six five at the right end of its line; it is laid by this arm."""
    known = table.state.line if line is None else line
    table.do(cmd.See(table.now, looks(known, seen(6, 5)), None, arm, STILLS))


@pytest.mark.rule("11.7")
@pytest.mark.parametrize("arm", [None, BOB, Arm(Seat.S3, 0.79)], ids=["nobody's", "the seat's on turn", "doubtful"])
def test_rules_arm_that_contradicts_nobody_is_noted_with_the_move(arm: Arm | None) -> None:
    """The move is that of the seat on turn; whose arm was seen stands beside it."""
    table = laid_by(arm)
    (first, move) = happened(table, ev.DominoLaid)
    assert isinstance(first, ev.DominoLaid)
    assert isinstance(move, ev.DominoLaid)
    assert (first.arm, move.seat, move.arm) == (None, Seat.S1, arm)
    assert kinds(table) == []


@pytest.mark.rule("11.7")
def test_rules_arm_from_another_side_is_a_finding_and_no_move() -> None:
    """Cleo's arm laid it on Bob's turn: nothing counts, the clock stands, both pictures are named."""
    table = laid_by(CLEO)
    finding = found(table, FindingKind.OUT_OF_TURN)
    assert (finding.seat, finding.ply, finding.stills) == (Seat.S2, 1, STILLS)
    assert "Cleo's side" in finding.text
    assert table.state.turn is Seat.S1
    assert len(table.state.plies) == 1
    assert table.state.halts == {Halt.FINDING}
    reach(table, CLEO)
    assert kinds(table) == [FindingKind.OUT_OF_TURN]


@pytest.mark.rule("11.7")
def test_rules_arm_that_was_misjudged_leaves_the_move_to_the_seat_on_turn() -> None:
    """Dismissed, it is not asked again: what lies is Bob's move, and Cleo's arm stays on record."""
    table = laid_by(CLEO)
    rule(table, Decision.DISMISS)
    reach(table, CLEO)
    assert kinds(table) == []
    assert (table.state.plies[-1].seat, table.state.turn) == (Seat.S1, Seat.S2)
    assert table.state.warnings == ()


@pytest.mark.rule("11.7")
@pytest.mark.parametrize("params", [OutOfTurn.AS_WRONG_DOMINO, OutOfTurn.REFEREE])
def test_rules_domino_of_a_confirmed_arm_goes_back_to_its_hand(params: OutOfTurn) -> None:
    """It is known to be Cleo's, has to leave the table, and then Bob moves; laid again it is asked again."""
    table = laid_by(CLEO, params)
    rule(table, Decision.CONFIRM)
    assert [w.reason for w in table.state.warnings] == ["exposure"] * (params is OutOfTurn.AS_WRONG_DOMINO)
    assert table.state.take_back == (Tile.of(6, 5),)
    assert [(shown.tile, shown.seat) for shown in table.state.exposed] == [(Tile.of(6, 5), Seat.S2)]
    reach(table, CLEO)
    assert len(table.state.plies) == 1
    table.do(cmd.See(table.now, looks(table.state.line), None, None, STILLS))
    assert not table.state.halts
    reach(table, CLEO)
    assert kinds(table) == [FindingKind.OUT_OF_TURN]


@pytest.mark.rule("11.7")
def test_rules_domino_of_a_confirmed_arm_stands_where_the_rules_say_so() -> None:
    """It is Cleo's move then, without a warning, and Dan is next."""
    table = laid_by(CLEO, OutOfTurn.STANDS)
    rule(table, Decision.CONFIRM)
    reach(table, CLEO)
    assert (table.state.plies[-1].seat, table.state.turn) == (Seat.S2, Seat.S3)
    assert table.state.warnings == ()
    assert judge(record_of(table.happened)).state.plies == table.state.plies


@pytest.mark.rule("11.8")
def test_rules_word_that_was_only_spoken_ends_the_question() -> None:
    """Bob had passed by word: once that is entered it is Cleo's turn, and her domino is her move."""
    table = laid_by(CLEO)
    table.do(cmd.Pass(table.now, 1, by_voice=True))
    assert kinds(table) == []
    reach(table, CLEO)
    assert [(type(ply), ply.seat) for ply in table.state.plies] == [(Move, 0), (Skip, 1), (Move, 2)]
    assert table.state.warnings == ()
    assert judge(record_of(table.happened)).state.plies == table.state.plies
    table.do(cmd.Undo(table.now))
    table.do(cmd.Undo(table.now))
    assert kinds(table) == [FindingKind.OUT_OF_TURN]


@pytest.mark.rule("11.8")
def test_rules_word_of_one_seat_leaves_the_question_of_a_later_one() -> None:
    """Dan's arm laid it, and only Bob has passed: Cleo is still before him."""
    table = laid_by(Arm(Seat.S3, 0.9))
    assert refused(table, cmd.Pass(table.now, 1)) is Reason.HALTED
    table.do(cmd.Pass(table.now, 1, by_voice=True))
    assert kinds(table) == [FindingKind.OUT_OF_TURN]
    table.do(cmd.Pass(table.now, 2, by_voice=True))
    assert kinds(table) == []
    assert table.state.turn is Seat.S3


@pytest.mark.rule("11.7")
def test_rules_two_dominoes_at_once_are_nobodys_arm() -> None:
    """Two moves were made before the table came to rest: the arm is the last one's, and contradicts nobody."""
    table = play(begun(), "66")
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5), seen(5, 5)), None, CLEO, STILLS))
    moves = [event for event in table.happened if isinstance(event, ev.DominoLaid)][1:]
    assert [(move.seat, move.arm) for move in moves] == [(Seat.S1, None), (Seat.S2, CLEO)]
