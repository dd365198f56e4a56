"""Rules 8, 10, 12, 14 and 16: what waits for the referee is told and stops play, and what goes back goes wholly."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason
from controller.game.rulesets import (
    Adjudication,
    BetweenSets,
    FineColumn,
    OutOfTurn,
    WrongDominoAlert,
    WrongPassStop,
    fours,
    spots,
)
from controller.game.state import AlertKind, Halt, Phase
from controller.game.tiles import Seat
from tests.controller.games import Table, hands_of
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import act, begun, count, deal, kinds, lay_by, play, refused, rule, tile, warn

BOTH_OFFEND = "66 61R 33R P 65L"
"""Seat 2 lays 3-3 at the one, then seat 3 passes with a six and a three open."""


@pytest.mark.rule("16.3")
@pytest.mark.parametrize("alert", [WrongDominoAlert.REFEREE_ONLY, WrongDominoAlert.SILENT])
def test_rules_offence_that_may_decide_the_set_otherwise_stops_play_and_is_told(alert: WrongDominoAlert) -> None:
    """Pair B's wrong pass is confirmed; pair A's wrong domino was laid before it and is still to be ruled on."""
    table = play(begun(fours(wrong_domino_alert=alert)), BOTH_OFFEND)
    table.do(cmd.Expose(table.now, 3, tile("63"), "Eve"))
    rule(table, Decision.CONFIRM, FindingKind.WRONG_PASS)
    assert table.is_in(Phase.PLAY)
    assert Halt.FINDING in table.state.halts
    assert [finding.kind for finding in table.state.told_findings] == [FindingKind.WRONG_DOMINO]
    assert table.state.alert is not None
    assert table.state.alert.kind is AlertKind.WRONG_DOMINO
    rule(table, Decision.LOST, FindingKind.WRONG_DOMINO)
    assert (table.state.results[0].by, table.state.points) == (Ending.WRONG_DOMINO, (0, 1))


@pytest.mark.rule("9.8")
@pytest.mark.parametrize(("decision", "points"), [(Decision.LOST, (1, 0)), (Decision.DISMISS, (0, 1))])
def test_rules_second_warning_waits_for_what_the_rivals_did_before_it(
    decision: Decision, points: tuple[float, float]
) -> None:
    """Pair B laid a wrong domino, then pair A has its second warning: the first offence decides, if it was one."""
    table = play(begun(), "66 55R 54R 41R")
    warn(table, 0, 2)
    assert table.is_in(Phase.PLAY)
    assert Halt.FINDING in table.state.halts
    assert table.state.alert is not None
    assert "waits" in table.state.alert.text
    rule(table, decision, FindingKind.WRONG_DOMINO)
    assert table.state.points == points


@pytest.mark.rule("9.8")
def test_rules_what_counting_has_shown_is_dated_by_the_hands() -> None:
    """Pair A is accused by counting , its first pass was true; pair B passed wrongly before the false one."""
    table = begun(fours(wrong_pass_stop=WrongPassStop.AT_END, adjudication=Adjudication.AUTO), lead=Seat.S2)
    play(table, "30 32L P P P 05R P 21L P")
    table.do(cmd.OrderReveal(table.now, "Eve"))
    count(table, "41 61 33 43 53 44 66 | 10 20 40 11 62 63 | 00 51 22 42 64 55 | 60 31 52 54 65")
    assert (table.state.results[0].by, table.state.points) == (Ending.WRONG_PASS, (1, 0))


@pytest.mark.rule("9.8")
def test_rules_warnings_of_both_pairs_wait_in_their_order() -> None:
    """Pair A's second warning waits for pair B's wrong domino; pair B's own comes later and overtakes nothing."""
    table = play(begun(), "66 55R 54R 41R")
    warn(table, 0, 2, 1, 1)
    assert table.is_in(Phase.PLAY)
    rule(table, Decision.DISMISS, FindingKind.WRONG_DOMINO)
    assert table.state.points == (0, 1)


@pytest.mark.rule("9.8")
def test_rules_second_warning_comes_after_an_offence_that_is_confirmed_already() -> None:
    """Pair B's wrong pass is confirmed and the set played to its end; pair A's second warning comes after it."""
    table = play(begun(fours(wrong_pass_stop=WrongPassStop.AT_END)), "66 P 65R 54R 63L 46R")
    rule(table, Decision.CONFIRM, FindingKind.WRONG_PASS)
    warn(table, 0, 2)
    assert (table.state.results[0].by, table.state.points) == (Ending.WRONG_PASS, (1, 0))


@pytest.mark.rule("9.8")
def test_rules_set_that_a_warning_costs_is_not_played_again() -> None:
    """A second warning waits for a ruling: to restart the set would take it away."""
    table = play(begun(), "66 55R 54R 41R")
    warn(table, 0, 2)
    finding = table.finding()
    assert refused(table, cmd.Rule(table.now, finding, Decision.RESTART, "Eve")) is Reason.NOT_A_DECISION


CONTRADICTED = "66 P 65R 54R 63L 46R"
"""Seat 1 passes with a six open and lays 4-6 as the last act: by itself that costs pair B the set."""


@pytest.mark.rule("16.8")
def test_rules_correction_opens_the_set_that_a_misreading_closed() -> None:
    """The last act was seat 2's, seat 1 having passed again: nothing is contradicted, and play goes on."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), CONTRADICTED)
    assert table.state.points == (1, 0)
    table.do(cmd.Attribute(table.now, 5, 2, "Eve"))
    assert (table.state.results, table.state.turn) == ((), Seat.S3)
    assert [ply.seat for ply in table.state.plies] == [0, 1, 2, 3, 0, 1, 2]


@pytest.mark.rule("16.8")
def test_rules_act_done_again_is_judged_anew() -> None:
    """An earlier domino is corrected so that the last one does not fit any more: it is a wrong domino now."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), CONTRADICTED)
    table.do(cmd.Correct(table.now, 3, 5, 1, "Eve"))
    raised = [e for e in table.happened if isinstance(e, ev.FindingRaised)]
    assert FindingKind.WRONG_DOMINO in [finding.kind for finding in raised]
    assert not [move.is_fitting for move in raised_moves(table)][-1]


@pytest.mark.rule("16.8")
def test_rules_correction_puts_no_domino_into_the_line_twice() -> None:
    """6-4 lies there as the last act: no other act can have been it."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), CONTRADICTED)
    assert refused(table, cmd.Correct(table.now, 2, 6, 4, "Eve")) is Reason.CANNOT_AMEND


@pytest.mark.rule("16.8")
def test_rules_correction_takes_no_warning_back() -> None:
    """The set was lost by a second warning: that is not undone by correcting a domino of it."""
    table = play(begun(), "66 65R")
    warn(table, 0, 2)
    assert refused(table, cmd.Correct(table.now, 1, 6, 4, "Eve")) is Reason.CANNOT_AMEND
    assert len(table.state.warnings) == 2


def raised_moves(table: Table) -> list[ev.DominoLaid]:
    """Every domino laid, also those done again."""
    return [event for event in table.happened if isinstance(event, ev.DominoLaid)]


@pytest.mark.rule("10.3")
def test_rules_silent_wrong_domino_is_told_when_the_line_is_closed() -> None:
    """Nobody was told while it was played; the referee is buzzed for it once seat 0 has gone out."""
    table = begun(fours(wrong_domino_alert=WrongDominoAlert.SILENT))
    words = OUT_15.acts.split()
    play(table, " ".join(words[:-1]))
    assert table.state.turn is Seat.S0
    assert not table.state.told_findings
    act(table, "45R")  # the last domino, with the wrong half to the joint
    assert table.is_in(Phase.COUNT)
    assert table.state.alert is not None
    assert (table.state.alert.kind, "5-4" in table.state.alert.text) == (AlertKind.WRONG_DOMINO, True)


@pytest.mark.rule("10.5")
def test_rules_accusation_that_rests_on_what_went_back_goes_with_it() -> None:
    """A wrong domino and the three passes after it are taken back: nobody is accused of a pass that is no more."""
    table = play(begun(fours(at_once_moves=3)), "66 P 65R 44R P P P")
    assert kinds(table) == [FindingKind.WRONG_DOMINO, FindingKind.INCONSISTENT_PASSES]
    assert table.state.findings[1].passes == (1, 4, 5, 6)
    rule(table, Decision.CONTINUE, FindingKind.WRONG_DOMINO)
    assert not table.state.findings
    assert (table.state.turn, len(table.state.plies)) == (Seat.S3, 3)


@pytest.mark.rule("10.5")
def test_rules_wrong_domino_laid_out_of_turn_gives_the_turn_back_to_whose_it_was() -> None:
    """Seat 3 laid a wrong domino when seat 1 was on turn, and moves out of turn stand: seat 1 is on turn again."""
    table = play(begun(fours(out_of_turn=OutOfTurn.STANDS)), "66")
    table.do(lay_by(3, "54R", table))
    rule(table, Decision.CONTINUE, FindingKind.WRONG_DOMINO)
    assert table.state.turn is Seat.S1


@pytest.mark.rule("10.5")
def test_rules_reveal_is_over_when_the_referee_lets_play_continue() -> None:
    """The hands were to be laid open, then the wrong domino goes back: a later correction does not stop the set."""
    table = play(begun(), "66 61R 33R")
    table.do(cmd.OrderReveal(table.now, "Eve"))
    rule(table, Decision.CONTINUE, FindingKind.WRONG_DOMINO)
    act(table, "15R")
    table.do(cmd.Correct(table.now, 2, 1, 4, "Eve"))
    assert table.is_in(Phase.PLAY)
    assert table.state.turn is Seat.S3


@pytest.mark.rule("8.5")
def test_rules_slow_move_may_be_ruled_on_after_the_set() -> None:
    """The referee comes late: the claim waits over the end of the set, until the first move of the next."""
    table = begun()
    words = OUT_15.acts.split()
    play(table, " ".join(words[:-1]))
    table.wait(20.0)
    assert table.state.turn is Seat.S0
    table.do(cmd.ClaimTime(table.now, 1))
    play(table, words[-1])
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.needs_referee == "overtime"
    rule(table, Decision.CONFIRM, FindingKind.OVERTIME)
    assert [(w.seat, w.reason) for w in table.state.warnings] == [(Seat.S0, "time")]
    assert len(table.state.results) == 1


@pytest.mark.rule("8.3")
def test_rules_no_warning_for_time_comes_by_itself_after_the_set() -> None:
    """In a written record findings confirm themselves, but a claim of time is for the referee alone."""
    table = begun(fours(adjudication=Adjudication.AUTO))
    words = OUT_15.acts.split()
    play(table, " ".join(words[:-1]))
    table.wait(20.0)
    table.do(cmd.ClaimTime(table.now, 1))
    play(table, words[-1])
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert kinds(table) == [FindingKind.OVERTIME]
    assert not table.state.warnings


@pytest.mark.rule("12.3")
def test_rules_nobody_clears_the_claim_of_another() -> None:
    """Seat 0 has to show his hand: one that is entered for seat 2 is not heard meanwhile."""
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 0))
    hand = hands_of("00 11 22 33 44 55 66")[0]
    assert refused(table, cmd.ClaimRedeal(table.now, 2, hand)) is Reason.HALTED
    assert table.state.claim is Seat.S0
    assert table.do(cmd.ClaimRedeal(table.now, 0, hand)) is not None
    assert table.is_in(Phase.BETWEEN)


@pytest.mark.rule("14.8")
@pytest.mark.parametrize("column", FineColumn)
def test_rules_difference_does_not_depend_on_the_column_of_a_fine(column: FineColumn) -> None:
    """A wrong pass of pair A, fined 10, against pair B, fined 20: 10 and 10 less 20 is nothing for anybody."""
    table = begun(spots(fine_column=column), earlier=(1, 2))
    warn(table, 0, 1)
    play(table, "66 65R P 54R 63L 42R 35L")
    rule(table, Decision.CONFIRM, FindingKind.WRONG_PASS)
    points = table.state.points
    assert points[1] - points[0] == 0


@pytest.mark.rule("13.4")
def test_rules_warning_after_an_annulled_set_belongs_to_the_set_that_is_played_again() -> None:
    """With `last`: set 2 was begun and annulled, so what is said now is about it and not about set 1."""
    table = begun(fours(between_sets=BetweenSets.LAST))
    warn(table, 0)
    play(table, OUT_15.acts)
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    deal(table)
    table.do(cmd.RestartSet(table.now, "spilled", "Eve"))
    warn(table, 2)
    assert [result.points for result in table.state.results] == [(1, 0), (0, 1)]


@pytest.mark.rule("4.8")
def test_rules_pass_may_be_taken_back_although_a_finding_was_dismissed() -> None:
    """A finding that is settled takes nobody's right away."""
    table = play(begun(fours(pass_retract_seconds=5.0)), "66 61R 33R")
    rule(table, Decision.DISMISS)
    act(table, "P")
    table.wait(2.0)
    table.do(cmd.Pass(table.now, 3))
    assert table.state.turn is Seat.S3
    assert not isinstance(table.happened[-1], ev.Refused)
