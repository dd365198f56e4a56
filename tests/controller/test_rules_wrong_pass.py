"""Chapter 9 of docs/rules.md: wrong pass."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason, Winner
from controller.game.rulesets import (
    Adjudication,
    BothOffend,
    ClaimDeadline,
    LockTie,
    Params,
    WrongPassStop,
    fours,
    spots,
)
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from tests.controller.games import Table
from tests.controller.rule_sets import LIE_IN_LOCK, LIE_OF_PARTNER, LOCK_AFTER_A_TRUE_PASS
from tests.controller.rule_table import (
    FOURS,
    begun,
    count,
    deal,
    entered,
    found,
    happened,
    kinds,
    locked,
    opened,
    play,
    refused,
    rule,
    run,
    tile,
)

AUTO = fours(adjudication=Adjudication.AUTO)
WRONG = "66 P 65R 54R 63L 46R"
"""The seat after the leader passes on the double six and lays the six-four later."""


@pytest.mark.rule("9.1")
@pytest.mark.parametrize(("lead", "points"), [(Seat.S0, (1, 0)), (Seat.S1, (0, 1))])
def test_rules_wrong_pass_costs_the_pair_the_set(lead: Seat, points: tuple[float, float]) -> None:
    """The player after the leader passed with a six in hand: his pair has lost the set, and the next may begin."""
    table = play(begun(AUTO, lead=lead), WRONG)
    assert table.state.results[0].by is Ending.WRONG_PASS
    assert table.state.points == points
    assert table.is_in(Phase.BETWEEN)


@pytest.mark.rule("9.1")
def test_rules_wrong_pass_loses_a_set_that_was_won_by_the_dominoes() -> None:
    """53 spots against 55, and seat 0 going out: both sets were won by pair A, and both are lost by its wrong pass."""
    for script in (LIE_IN_LOCK, LIE_OF_PARTNER):
        result = run(begun(AUTO), script).state.results[0]
        assert (result.by, result.winner, result.points) == (Ending.WRONG_PASS, Winner.B, (0, 1))
    true = run(begun(AUTO), LOCK_AFTER_A_TRUE_PASS).state.results[0]
    assert (true.by, true.spots) == (Ending.DEADLOCK, (57, 51))


@pytest.mark.rule("9.2")
@pytest.mark.parametrize(("last", "is_wrong"), [("26R", True), ("25R", True), ("24R", False), ("22R", False)])
def test_rules_either_of_the_two_open_suits_makes_a_pass_wrong(last: str, is_wrong: bool) -> None:
    """Six and five were open at the pass, six and two are now: a six or a five shows that it was wrong, no other."""
    table = play(begun(AUTO), f"65 P 54R 43R 32R {last}")
    assert (len(table.state.results) == 1) is is_wrong


@pytest.mark.rule("9.2")
def test_rules_suits_open_later_make_no_pass_wrong() -> None:
    """Seat 1 passed on the double six and lays a domino that fits what was opened since."""
    table = play(begun(AUTO), "66 P 65R 54R 64L 41R")
    assert table.is_in(Phase.PLAY)
    assert not table.state.findings


@pytest.mark.rule("9.3")
@pytest.mark.parametrize(
    ("params", "points"),
    [
        (AUTO, (0, 1)),
        (spots(adjudication=Adjudication.AUTO), (0, 10)),
        (spots(adjudication=Adjudication.AUTO, wrong_pass_result=25), (0, 25)),
    ],
    ids=["fours", "spots", "25"],
)
def test_rules_spots_that_are_left_do_not_change_what_it_costs(params: Params, points: tuple[float, float]) -> None:
    """A deadlock of 53 against 55, but seat 2 passed wrongly: 0:1, or 0:10, or what the regulations say."""
    assert run(begun(params), LIE_IN_LOCK).state.points == points


@pytest.mark.rule("9.4")
def test_rules_no_warning_goes_with_a_wrong_pass() -> None:
    """The set is lost, and the pair has no warning more than before."""
    table = play(begun(AUTO), WRONG)
    assert table.state.warnings == ()


@pytest.mark.rule("9.5")
@pytest.mark.parametrize("who", Adjudication)
@pytest.mark.parametrize("stop", WrongPassStop)
def test_rules_wrong_pass_ends_the_set_at_once_or_at_its_end(stop: WrongPassStop, who: Adjudication) -> None:
    """Seat 2 passed with the double four, which was seen: confirmed, the set is over, or it is played on first."""
    before, after = LIE_IN_LOCK.acts.split(" P ")
    table = play(begun(fours(wrong_pass_stop=stop, adjudication=who)), f"{before} P")
    table.do(cmd.Expose(table.now, 2, tile("44"), "Eve"))
    if who is Adjudication.REFEREE:
        assert bool(table.state.halts) is (stop is WrongPassStop.AT_ONCE)
        rule(table, Decision.CONFIRM)
    if stop is WrongPassStop.AT_END:
        assert table.is_in(Phase.PLAY)
        play(table, after)
        assert entered(table) == 0
        count(table, LIE_IN_LOCK.left)
    assert [result.by for result in table.state.results] == [Ending.WRONG_PASS]
    assert table.state.points == (0, 1)


@pytest.mark.rule("9.6")
@pytest.mark.parametrize("decision", [Decision.RESTART, Decision.DISMISS, None])
def test_rules_wrong_pass_of_nobody_in_particular(decision: Decision | None) -> None:
    """Passes of seats 1 and 2 cannot all be right: a replay, a dismissal, or the open hands that show whose it was."""
    table = play(begun(lead=Seat.S3), "03 01L 36R P 65R 54R P P")
    assert kinds(table) == [FindingKind.INCONSISTENT_PASSES]
    assert found(table, FindingKind.INCONSISTENT_PASSES).pair is None
    assert table.state.needs_referee == "inconsistent_passes"
    if decision is not None:
        rule(table, decision)
        assert table.is_in(Phase.BETWEEN if decision is Decision.RESTART else Phase.PLAY)
        assert entered(table) == 0
        return
    table.do(cmd.OrderReveal(table.now, "Eve"))
    count(table, "40 50 21 33 44 | 00 20 52 62 53 66 | 11 41 51 61 32 42 55 | 60 31 22 43 64")
    wrong = [f for f in table.state.open_findings if f.kind is FindingKind.WRONG_PASS]
    assert {finding.seat for finding in wrong} == {Seat.S2}
    rule(table, Decision.CONFIRM, FindingKind.WRONG_PASS)
    assert table.state.results == () or table.state.points == (0, 1)


def registered(params: Params) -> Table:
    """Seat 0 went out and the set was registered without a count; its partner had passed wrongly, as nobody knows."""
    table = play(begun(params), LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.results[0].winner is Winner.A
    return table


def see_late(table: Table) -> cmd.Expose:
    """The double blank was seen in the hand of seat 2 after the set."""
    return cmd.Expose(table.now, 2, tile("00"), "Eve", in_last_set=True)


@pytest.mark.rule("9.7")
@pytest.mark.parametrize("deadline", ClaimDeadline)
def test_rules_wrong_pass_of_a_registered_set_until_the_deadline(deadline: ClaimDeadline) -> None:
    """Found before the first move of the next set it changes the points, or the register is final."""
    table = registered(fours(claim_deadline=deadline))
    deal(table)
    if deadline is ClaimDeadline.REGISTERED:
        assert refused(table, see_late(table)) is Reason.NO_SET
        return
    table.do(see_late(table))
    assert found(table, FindingKind.WRONG_PASS).set_no == 1
    assert table.state.points == (1, 0)
    rule(table, Decision.CONFIRM)
    assert table.state.points == (0, 1)
    assert table.state.results[0].by is Ending.WRONG_PASS


@pytest.mark.rule("9.7")
def test_rules_first_move_of_the_next_set_closes_the_last_one() -> None:
    """A move later nothing of the set before can be found any more."""
    table = registered(FOURS)
    deal(table)
    play(table, "66")
    assert refused(table, see_late(table)) is Reason.NO_SET
    assert table.state.points == (1, 0)


@pytest.mark.rule("9.7")
def test_rules_late_wrong_pass_may_be_dismissed() -> None:
    """The referee does not believe it: the set stays as it was registered."""
    table = registered(FOURS)
    table.do(see_late(table))
    rule(table, Decision.DISMISS)
    assert table.state.points == (1, 0)
    assert not table.state.open_findings


@pytest.mark.rule("9.7")
def test_rules_last_set_of_a_game_is_closed_with_the_game() -> None:
    """Seat 0 went out in the fourth set: the game is over, and nothing is found in it any more."""
    table = locked(locked(locked(opened(lead=Seat.S1), Pair.A), Pair.A), Pair.A)
    deal(table)
    play(table, LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now))
    assert refused(table, see_late(table)) is Reason.GAME_OVER


@pytest.mark.rule("9.7")
@pytest.mark.rule("9.3")
def test_rules_late_wrong_pass_costs_what_it_would_have_cost_in_time() -> None:
    """Where a wrong pass is worth three points it is so after the register as well."""
    table = registered(fours(wrong_pass_result=3))
    table.do(see_late(table))
    rule(table, Decision.CONFIRM)
    assert table.state.points == (0, 3)


@pytest.mark.rule("9.7")
@pytest.mark.rule("6.3")
def test_rules_carried_point_goes_to_the_winners_by_a_late_wrong_pass() -> None:
    """A point waited for the winners of this set: taken from pair A, the set and that point are pair B's."""
    table = locked(opened(fours(lock_tie=LockTie.CARRY), lead=Seat.S3), None)
    deal(table)
    play(table, LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.points == (2, 0)
    table.do(see_late(table))
    rule(table, Decision.CONFIRM)
    assert table.state.points == (0, 2)


@pytest.mark.rule("9.7")
@pytest.mark.rule("6.5")
def test_rules_late_wrong_pass_that_unlevels_a_game_ends_it_without_an_extra_set() -> None:
    """2:2, and then the fourth set goes to pair B after all, the extra set having been dealt: 1:3 and over."""
    table = opened(lead=Seat.S1)
    for winner in (Pair.B, Pair.B, Pair.A):
        locked(table, winner)
    deal(table)
    play(table, LIE_OF_PARTNER.acts)
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.points == (2, 2)
    deal(table)
    table.do(see_late(table))
    rule(table, Decision.CONFIRM)
    assert table.state.points == (1, 3)
    assert table.is_in(Phase.GAME_OVER)


BOTH = "66 P P 65R"
"""Seats 1 and 2 pass on the double six."""


def both_offended(who: Adjudication, both_offend: BothOffend) -> Table:
    """The hands are laid open in the middle of the set: seats 1 and 2 both held a six when they passed."""
    table = play(begun(fours(adjudication=who, both_offend=both_offend)), BOTH)
    table.do(cmd.OrderReveal(table.now, "Eve"))
    count(table, "00 10 20 30 40 50 | 61 11 21 31 41 51 22 | 62 63 32 42 52 33 43 | 64 53 44 54 55 60")
    return table


@pytest.mark.rule("9.8")
@pytest.mark.parametrize("both_offend", BothOffend)
def test_rules_both_pairs_passed_wrongly(both_offend: BothOffend) -> None:
    """Seat 1 did it first: pair B loses the set, or it is played again."""
    table = both_offended(Adjudication.AUTO, both_offend)
    if both_offend is BothOffend.FIRST_COMMITTED:
        assert table.state.points == (1, 0)
    else:
        assert entered(table) == 0
        assert len(happened(table, ev.SetAnnulled)) == 1


@pytest.mark.rule("9.8")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first first", "second first"])
@pytest.mark.parametrize("both_offend", BothOffend)
def test_rules_order_of_rulings_does_not_decide_between_two_offences(
    both_offend: BothOffend, order: tuple[int, int]
) -> None:
    """Whichever of the two findings the referee confirms first, what was done first decides, or both."""
    table = both_offended(Adjudication.REFEREE, both_offend)
    numbers = [finding.number for finding in table.state.open_findings]
    assert len(numbers) == 2
    for place in order:
        if table.state.open_findings:
            table.do(cmd.Rule(table.now, numbers[place], Decision.CONFIRM, "Eve"))
    if both_offend is BothOffend.FIRST_COMMITTED:
        assert table.state.points == (1, 0)
    else:
        assert entered(table) == 0
        assert len(happened(table, ev.SetAnnulled)) == 1


@pytest.mark.rule("9.8")
def test_rules_of_two_offences_one_may_be_dismissed() -> None:
    """The earlier finding is dismissed: the later one, confirmed, costs pair A the set."""
    table = both_offended(Adjudication.REFEREE, BothOffend.FIRST_COMMITTED)
    rule(table, Decision.DISMISS)
    rule(table, Decision.CONFIRM)
    assert table.state.points == (0, 1)
