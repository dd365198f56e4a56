"""Chapter 6 of docs/rules.md: scoring by `fours`."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Ending, Reason, Winner
from controller.game.rulesets import Adjudication, ExtraSetLead, LockTie, fours
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from tests.controller.rule_sets import LOST_23, OUT_15, OUT_MORE
from tests.controller.rule_table import begun, locked, opened, play, refused, rule, run, warn

WRONG_PASS = "66 P 65R 54R 63L 46R"
"""Seat 1 passes on double six and lays the six-four later."""


@pytest.mark.rule("6.1")
def test_rules_who_goes_out_wins_one_point() -> None:
    """Seat 0 goes out with 12 spots at its partner and 15 at the rivals; or seat 1, with 23 against 6: one point."""
    table = run(begun(), OUT_15)
    assert table.state.results[0].spots == (12, 15)
    assert table.state.points == (1, 0)
    table = run(begun(), LOST_23)
    assert table.state.results[0].spots == (23, 6)
    assert table.state.points == (0, 1)


@pytest.mark.rule("6.1")
def test_rules_spots_do_not_matter_when_somebody_goes_out() -> None:
    """Pair A is left with 10 spots and pair B with 6: seat 0 went out, so pair A has won."""
    table = run(begun(), OUT_MORE)
    assert table.state.results[0].spots == (10, 6)
    assert table.state.points == (1, 0)


@pytest.mark.rule("6.2")
@pytest.mark.parametrize(("winner", "spots"), [(Pair.A, (25, 65)), (Pair.B, (65, 25))])
def test_rules_fewer_spots_win_a_deadlock(winner: Pair, spots: tuple[int, int]) -> None:
    """Whoever locked the line, the pair with 25 spots beats the pair with 65."""
    table = locked(opened(), winner)
    result = table.state.results[0]
    assert (result.by, result.spots, result.winner.value) == (Ending.DEADLOCK, spots, winner.value)
    assert result.points == ((1, 0) if winner is Pair.A else (0, 1))


@pytest.mark.rule("6.3")
@pytest.mark.parametrize(
    ("tie", "points", "next_points", "sets"),
    [
        (LockTie.HALF, (0.5, 0.5), (0.5, 1.5), 2),
        (LockTie.ZERO, (0, 0), (0, 1), 2),
        (LockTie.REPLAY, (0, 0), (0, 1), 1),
        (LockTie.CARRY, (0, 0), (0, 2), 2),
    ],
)
def test_rules_equal_deadlock(
    tie: LockTie, points: tuple[float, float], next_points: tuple[float, float], sets: int
) -> None:
    """45 spots each, then a set that pair B wins: a half each, nothing, a replay, or a point that waits."""
    table = locked(opened(fours(lock_tie=tie)), None)
    assert table.state.points == points
    assert table.state.lead is (Seat.S0 if tie is LockTie.REPLAY else Seat.S1)
    locked(table, Pair.B)
    assert table.state.points == next_points
    assert len(table.state.results) == sets


@pytest.mark.rule("6.3")
def test_rules_carried_points_add_up_and_are_won_once() -> None:
    """Two drawn deadlocks wait: the winners of the third set get three points, those of the fourth one."""
    table = opened(fours(lock_tie=LockTie.CARRY))
    for winner in (None, None, Pair.A, Pair.B):
        locked(table, winner)
    assert [result.points for result in table.state.results] == [(0, 0), (0, 0), (3, 0), (0, 1)]


@pytest.mark.rule("6.4")
def test_rules_points_of_a_game_are_the_sum_of_its_sets() -> None:
    """1, ½ and ½, 0 and 1: pair A has won with 2½ to 1½."""
    table = opened()
    for winner in (Pair.A, None, Pair.B, Pair.A):
        locked(table, winner)
    assert table.state.points == (2.5, 1.5)
    assert table.state.winner is Winner.A


LEVEL_GAME = (Pair.A, Pair.B, Pair.A, Pair.B)


@pytest.mark.rule("6.5")
@pytest.mark.parametrize("is_tournament", [True, False])
def test_rules_level_game_is_a_draw_or_goes_on(is_tournament: bool) -> None:
    """2:2 after four sets: in a pair tournament there is an extra set, else it is a draw."""
    table = opened(fours(pair_tournament=is_tournament))
    for winner in LEVEL_GAME:
        locked(table, winner)
    assert table.is_in(Phase.BETWEEN if is_tournament else Phase.GAME_OVER)
    assert table.state.winner is (None if is_tournament else Winner.DRAW)


@pytest.mark.rule("6.6")
def test_rules_first_decided_extra_set_ends_the_game() -> None:
    """2:2, a drawn extra set does not decide, the next one does: 2½ : 3½."""
    table = opened()
    for winner in (*LEVEL_GAME, None):
        locked(table, winner)
    assert table.is_in(Phase.BETWEEN)
    locked(table, Pair.B)
    assert table.is_in(Phase.GAME_OVER)
    assert table.state.points == (2.5, 3.5)
    assert table.state.winner is Winner.B


@pytest.mark.rule("6.7")
@pytest.mark.parametrize("leads", ExtraSetLead)
def test_rules_lead_of_extra_sets_is_drawn(leads: ExtraSetLead) -> None:
    """The first extra lead is drawn, here by seat 2; a further one rotates or is drawn as well; nobody moves."""
    table = opened(fours(extra_set_lead=leads))
    for winner in LEVEL_GAME:
        locked(table, winner)
    names = table.state.names
    assert refused(table, cmd.StartSet(table.now)) is Reason.LEAD_MUST_BE_DRAWN
    table.do(cmd.DrawLead(table.now, ((6, 6), (1, 1), (1, 0), (3, 3))))
    assert table.state.lead is Seat.S2
    locked(table, None)
    assert table.state.lead is (Seat.S3 if leads is ExtraSetLead.DRAW_THEN_ROTATE else None)
    assert table.state.names == names


@pytest.mark.rule("6.8")
@pytest.mark.parametrize("offence", ["warning", "wrong domino", "wrong pass"])
def test_rules_awarded_set_is_worth_one(offence: str) -> None:
    """A second warning, a wrong domino found late, a wrong pass of pair B: 1 : 0."""
    table = begun(fours(adjudication=Adjudication.AUTO))
    if offence == "warning":
        warn(table, 1, 3)
    elif offence == "wrong domino":
        play(table, "66 54R 65L")
        rule(table, Decision.LOST)
    else:
        play(table, WRONG_PASS)
    assert [result.points for result in table.state.results] == [(1, 0)]


@pytest.mark.rule("6.8")
@pytest.mark.rule("9.3")
@pytest.mark.parametrize("worth", [0, 1, 3])
def test_rules_wrong_pass_result_is_what_the_rivals_get(worth: int) -> None:
    """The regulations may make a wrong pass worth another number of points."""
    table = begun(fours(adjudication=Adjudication.AUTO, wrong_pass_result=worth))
    play(table, WRONG_PASS)
    assert table.state.results[0].points == (worth, 0)
