"""Chapter 16 of docs/rules.md, first half: findings and rulings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason
from controller.game.rulesets import Adjudication, BetweenSets, ReplayBy, WrongDominoAlert, WrongPassStop, fours, spots
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from tests.controller.games import Table, hands_of
from tests.controller.rule_sets import LIE_IN_LOCK, LIE_OF_PARTNER
from tests.controller.rule_table import (
    FOURS,
    begun,
    count,
    deal,
    entered,
    found,
    happened,
    lay_by,
    play,
    refused,
    rule,
    tile,
    warn,
)

WRONG_PASS = "66 P 65R 54R 63L 46R"
AUTO = fours(adjudication=Adjudication.AUTO)


@pytest.mark.rule("16.1")
def test_rules_finding_names_act_clause_and_proof() -> None:
    """The referee reads who, which act, by which clause of his text and why; another number is none of his."""
    for params, clause in ((FOURS, "C6.1"), (spots(), "R11")):
        table = play(begun(params), WRONG_PASS)
        finding = found(table, FindingKind.WRONG_PASS)
        assert (finding.seat, finding.ply, finding.clause) == (Seat.S1, 1, clause)
        assert "act 2" in finding.text
        assert "act 6" in finding.text
        assert refused(table, cmd.Rule(table.now, finding.number + 1, Decision.CONFIRM)) is Reason.NO_SUCH_FINDING
        rule(table, Decision.DISMISS)
        assert refused(table, cmd.Rule(table.now, finding.number, Decision.CONFIRM)) is Reason.NO_SUCH_FINDING


@pytest.mark.rule("16.1")
def test_rules_number_of_a_finding_is_not_used_twice() -> None:
    """A ruling that comes late cannot hit another finding, not even after an undo."""
    table = play(begun(), WRONG_PASS)
    first = table.finding()
    table.do(cmd.Undo(table.now))
    table.do(lay_by(1, "46R", table))
    assert table.finding() > first


@pytest.mark.rule("16.1")
@pytest.mark.parametrize("who", Adjudication)
def test_rules_wrong_pass_confirms_itself_only_in_written_records(who: Adjudication) -> None:
    """At a real table it waits for the referee, and costs nothing before he has spoken."""
    table = play(begun(fours(adjudication=who)), WRONG_PASS)
    ruled = [event for event in table.happened if isinstance(event, ev.FindingRuled)]
    if who is Adjudication.AUTO:
        assert [event.by_rule for event in ruled] == [True]
        assert table.state.points == (1, 0)
    else:
        assert ruled == []
        assert table.state.points == (0, 0)


@pytest.mark.rule("16.1")
def test_rules_wrong_domino_costs_a_written_set_once_the_hands_are_counted() -> None:
    """Until the count it may still be ruled on; then it is late and nobody has said anything."""
    table = play(begun(AUTO), "56 00R 02R 24R 40R 03R 35R 50R 54L 46L 63L 32L 26L 66L 60L 01L 16L")
    assert entered(table) == 0
    count(table, "11 12 | 13 14 15 | 22 25 33 | 34 44 55")
    assert table.state.results[0].by is Ending.WRONG_DOMINO
    assert table.state.points == (1, 0)


def _wrong_domino() -> Table:
    return play(begun(), "66 43R")


def _wrong_domino_late() -> Table:
    return play(begun(), "66 43R 35R")


def _wrong_domino_of_spots() -> Table:
    return play(begun(spots(replay_by=ReplayBy.REFEREE)), "66 43R")


def _wrong_pass() -> Table:
    return play(begun(), WRONG_PASS)


def _inconsistent() -> Table:
    return play(begun(lead=Seat.S3), "03 01L 36R P 65R 54R P P")


def _out_of_turn() -> Table:
    table = play(begun(), "66")
    table.do(lay_by(3, "65R", table))
    return table


def _exposed_hand() -> Table:
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 1, hands_of("00 11 22 33 65 62 43")[0]))
    return table


def _overtime() -> Table:
    table = play(begun(), "66")
    table.wait(20.0)
    table.do(cmd.ClaimTime(table.now, 0))
    return table


def _late_wrong_pass() -> Table:
    table = play(begun(), LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now))
    table.do(cmd.Expose(table.now, 2, tile("00"), "Eve", in_last_set=True))
    return table


CONTINUE, LOST, CONFIRM, RESTART, DISMISS = (
    Decision.CONTINUE,
    Decision.LOST,
    Decision.CONFIRM,
    Decision.RESTART,
    Decision.DISMISS,
)
ALLOWED: list[tuple[Callable[[], Table], set[Decision]]] = [
    (_wrong_domino, {CONTINUE, LOST, RESTART, DISMISS}),
    (_wrong_domino_late, {LOST, RESTART, DISMISS}),
    (_wrong_domino_of_spots, {CONTINUE, RESTART, DISMISS}),
    (_wrong_pass, {CONFIRM, RESTART, DISMISS}),
    (_inconsistent, {RESTART, DISMISS}),
    (_out_of_turn, {CONFIRM, RESTART, DISMISS}),
    (_exposed_hand, {CONFIRM, RESTART, DISMISS}),
    (_overtime, {CONFIRM, DISMISS}),
    (_late_wrong_pass, {CONFIRM, DISMISS}),
]
"""The table of 16.2."""


@pytest.mark.rule("16.2")
@pytest.mark.parametrize("decision", Decision)
@pytest.mark.parametrize(("finding", "allowed"), ALLOWED, ids=lambda value: getattr(value, "__name__", ""))
def test_rules_each_kind_of_finding_has_its_decisions(
    finding: Callable[[], Table], allowed: set[Decision], decision: Decision
) -> None:
    """Every field of the table: the decision is taken, or it does not belong to that finding."""
    table = finding()
    event = rule(table, decision)
    assert isinstance(event, ev.FindingRuled) is (decision in allowed)
    if isinstance(event, ev.Refused):
        is_late = finding is _wrong_domino_late and decision is CONTINUE
        assert event.reason is (Reason.FOUND_TOO_LATE if is_late else Reason.NOT_A_DECISION)


@pytest.mark.rule("16.3")
@pytest.mark.parametrize(
    ("finding", "stops"),
    [
        (_wrong_pass, True),
        (_inconsistent, True),
        (_out_of_turn, True),
        (_exposed_hand, True),
        (_wrong_domino, False),
        (_overtime, False),
        (_late_wrong_pass, False),
        (lambda: play(begun(fours(wrong_domino_alert=WrongDominoAlert.IMMEDIATE)), "66 43R"), True),
        (lambda: play(begun(fours(wrong_pass_stop=WrongPassStop.AT_END)), WRONG_PASS), False),
        (lambda: play(begun(AUTO), "66 43R"), False),
    ],
)
def test_rules_which_findings_stop_play(finding: Callable[[], Table], stops: bool) -> None:
    """The clock stands while the referee has to rule first, and a pass is refused."""
    table = finding()
    assert table.state.open_findings
    assert table.state.is_waiting_for_ruling is stops
    if table.state.line.placed and table.is_in(Phase.PLAY):
        assert table.state.turn is not None
        reason = refused(table, cmd.Pass(table.now, table.state.turn))
        assert (reason is Reason.HALTED) is stops


@pytest.mark.rule("16.4")
def test_rules_dismissed_finding_is_not_raised_again_in_the_set() -> None:
    """The pass of seat 1 is out of account: what it lays and shows later says nothing against it."""
    table = play(begun(), WRONG_PASS)
    rule(table, Decision.DISMISS)
    play(table, "61R 12R 20R 06R")
    assert len(happened(table, ev.FindingRaised)) == 1
    assert not table.state.halts


@pytest.mark.rule("16.4")
def test_rules_dismissed_finding_is_not_raised_again_when_the_set_is_registered() -> None:
    """Seat 2 was seen with a four after its pass, which was dismissed: neither count nor register bring it back."""
    before, after = LIE_IN_LOCK.acts.split(" P ")
    table = play(begun(), f"{before} P")
    table.do(cmd.Expose(table.now, 2, tile("44"), "Eve"))
    rule(table, Decision.DISMISS)
    play(table, after)
    count(table, LIE_IN_LOCK.left)
    while table.state.open_findings and table.is_in(Phase.COUNT):
        rule(table, Decision.DISMISS)
    assert table.state.results[0].by is Ending.DEADLOCK
    assert table.state.points == (1, 0)
    assert not table.state.open_findings


@pytest.mark.rule("16.4")
@pytest.mark.rule("9.7")
def test_rules_dismissed_late_finding_is_not_raised_again_when_the_next_set_is_dealt_anew() -> None:
    """The wrong pass of the last set was dismissed; the next set is annulled before its first move."""
    table = _late_wrong_pass()
    deal(table)
    rule(table, Decision.DISMISS)
    table.do(cmd.RestartSet(table.now, "dealt badly", "Eve"))
    assert not table.state.open_findings


@pytest.mark.rule("16.4")
def test_rules_dismissed_counting_excuses_all_its_passes() -> None:
    """Somebody passed wrongly, the referee dismisses it: those passes prove nothing when the next one comes."""
    table = _inconsistent()
    rule(table, Decision.DISMISS)
    play(table, "P P")
    assert not table.state.open_findings


@pytest.mark.rule("16.5")
def test_rules_awarded_set_is_closed_for_good() -> None:
    """Lost by a second warning; that a rival had passed wrongly is seen later and changes nothing."""
    table = play(begun(), "66 P")
    warn(table, 0, 2)
    assert table.state.points == (0, 1)
    late = cmd.Expose(table.now, 1, tile("61"), "Eve", in_last_set=True)
    assert refused(table, late) is Reason.NO_SET
    assert table.state.points == (0, 1)


@pytest.mark.rule("16.5")
def test_rules_set_that_was_lost_after_it_was_registered_is_closed_too() -> None:
    """With `last` pair B has lost a set by a warning after it; the wrong pass of a rival comes too late."""
    table = begun(fours(between_sets=BetweenSets.LAST))
    warn(table, 1)
    play(table, LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now))
    warn(table, 3)
    assert table.state.results[0].by is Ending.SECOND_WARNING
    table.do(cmd.Expose(table.now, 2, tile("00"), "Eve", in_last_set=True))
    assert not table.state.open_findings
    assert table.state.points == (1, 0)


@pytest.mark.rule("16.6")
@pytest.mark.parametrize("replay_by", ReplayBy)
def test_rules_who_may_have_a_set_played_again(replay_by: ReplayBy) -> None:
    """The table's referee, or the chief referee alone; by an order or by a ruling; nothing but a note is entered."""
    for command in ("order", "ruling"):
        table = play(begun(fours(replay_by=replay_by)), WRONG_PASS)
        for is_chief in (False, True):
            if not table.is_in(Phase.PLAY):
                break
            order = cmd.RestartSet(table.now, "spilled", "Eve", is_chief)
            ruling = cmd.Rule(table.now, table.finding(), Decision.RESTART, "Eve", is_chief)
            reason = refused(table, order if command == "order" else ruling)
            must_be_chief = replay_by is ReplayBy.CHIEF_REFEREE and not is_chief
            assert reason is (Reason.ONLY_CHIEF_REFEREE if must_be_chief else None)
        assert entered(table) == 0
        assert len(happened(table, ev.SetAnnulled)) == 1
    assert (FOURS.replay_by, spots().replay_by) == (ReplayBy.REFEREE, ReplayBy.CHIEF_REFEREE)


@pytest.mark.rule("16.7")
def test_rules_warning_stays_when_the_set_is_played_again() -> None:
    """A player showed his dominoes and was warned: the set is played again, the warning counts on."""
    table = warn(begun(), 0, reason="exposure")
    table.do(cmd.RestartSet(table.now, "exposure", "Eve"))
    assert table.state.warnings_of(Pair.A) == 1
    deal(table)
    warn(table, 2)
    assert table.state.points == (0, 1)
