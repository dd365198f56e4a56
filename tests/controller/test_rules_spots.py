"""Chapter 7 of docs/rules.md: scoring by `spots`."""

from __future__ import annotations

import pytest

from controller.game.events import Ending, Winner
from controller.game.rulesets import Adjudication, LockTie, fours, spots
from controller.game.tiles import Pair, Seat
from tests.controller.rule_sets import (
    LOCK_12_30,
    LOCK_40_26,
    LONE_LOCK,
    LONE_OUT,
    LONE_PARTNER,
    LONE_TWO,
    LOST_23,
    OUT_15,
    OUT_40,
    OUT_60,
    Script,
)
from tests.controller.rule_table import begun, deal, locked, opened, play, run

SPOTS = spots()


@pytest.mark.rule("7.1")
@pytest.mark.parametrize(
    ("script", "points"), [(OUT_15, (15, 0)), (OUT_60, (60, 0)), (LOST_23, (0, 23))], ids=["15", "60", "23"]
)
def test_rules_winners_are_credited_what_the_rivals_hold(script: Script, points: tuple[float, float]) -> None:
    """The spots of the two rivals of who went out; the 12, 9 or 6 spots with the partner are not counted."""
    assert run(begun(SPOTS), script).state.points == points


@pytest.mark.rule("7.1")
def test_rules_scoring_decides_what_the_same_set_is_worth() -> None:
    """The same dominoes are worth one point in `fours` and fifteen in `spots`."""
    assert run(begun(fours()), OUT_15).state.points == (1, 0)
    assert run(begun(SPOTS), OUT_15).state.points == (15, 0)


@pytest.mark.rule("7.2")
@pytest.mark.parametrize(("value", "points"), [(10, (21, 0)), (0, (11, 0)), (25, (36, 0))])
def test_rules_lone_double_blank_has_a_value(value: int, points: tuple[float, float]) -> None:
    """The rivals hold 0-0 alone, and 6-5: 10 + 11, by default."""
    assert SPOTS.lone_blank_value == 10
    assert run(begun(spots(lone_blank_value=value)), LONE_OUT).state.points == points


@pytest.mark.rule("7.2")
def test_rules_double_blank_beside_another_domino_counts_nothing() -> None:
    """A rival holds 0-0 and 4-4, the other 6-6: 20 and no more."""
    assert run(begun(SPOTS), LONE_TWO).state.points == (20, 0)


@pytest.mark.rule("7.2")
@pytest.mark.parametrize(("script", "points"), [(LONE_PARTNER, (8, 0)), (OUT_40, (40, 0))], ids=["8", "40"])
def test_rules_double_blank_of_the_winners_partner_is_not_counted(script: Script, points: tuple[float, float]) -> None:
    """The partner of who went out holds it alone: only the rivals' spots count."""
    assert run(begun(SPOTS), script).state.points == points


@pytest.mark.rule("7.3")
@pytest.mark.parametrize(("is_worth", "points"), [(True, (0, 2)), (False, (8, 0))])
def test_rules_lone_double_blank_can_turn_a_deadlock(is_worth: bool, points: tuple[float, float]) -> None:
    """12 against 20 is won by 8; with ten more for the lone double blank it is 22 against 20, lost by 2."""
    assert run(begun(spots(lone_blank_in_lock=is_worth)), LONE_LOCK).state.points == points


@pytest.mark.rule("7.4")
@pytest.mark.parametrize(("script", "points"), [(LOCK_12_30, (18, 0)), (LOCK_40_26, (0, 14))], ids=["12:30", "40:26"])
def test_rules_deadlock_is_worth_the_difference(script: Script, points: tuple[float, float]) -> None:
    """30 less 12 for pair A, 40 less 26 for pair B."""
    table = run(begun(SPOTS), script)
    assert table.state.results[0].by is Ending.DEADLOCK
    assert table.state.points == points


@pytest.mark.rule("7.5")
@pytest.mark.parametrize(
    ("tie", "next_points", "sets"),
    [
        (LockTie.ZERO, (0, 40), 2),
        (LockTie.HALF, (0, 40), 2),
        (LockTie.REPLAY, (0, 40), 1),
        (LockTie.CARRY, (0, 85), 2),
    ],
)
def test_rules_equal_deadlock_of_spots(tie: LockTie, next_points: tuple[float, float], sets: int) -> None:
    """45:45, then 65:25: nothing and 40, a replay and 40, or 45 that wait and 40."""
    table = locked(opened(spots(lock_tie=tie)), None)
    assert table.state.points == (0, 0)
    assert table.state.lead is (Seat.S0 if tie is LockTie.REPLAY else Seat.S1)
    locked(table, Pair.B)
    assert table.state.points == next_points
    assert len(table.state.results) == sets


@pytest.mark.rule("7.5")
@pytest.mark.rule("9.3")
def test_rules_carried_spots_are_won_by_an_awarded_set_too() -> None:
    """45 wait; pair B passes wrongly in the next set: 10 and 45 for pair A."""
    table = locked(opened(spots(lock_tie=LockTie.CARRY, adjudication=Adjudication.AUTO)), None)
    deal(table)
    play(table, "66 65R P 54R 63L 42R 35L")
    assert table.state.points == (55, 0)


@pytest.mark.rule("7.6")
def test_rules_only_the_winners_column_has_an_entry() -> None:
    """Set after set one of the two columns stays empty."""
    table = opened(SPOTS)
    for winner in (Pair.A, Pair.B, None, Pair.A):
        locked(table, winner)
    assert [result.points for result in table.state.results] == [(40, 0), (0, 40), (0, 0), (40, 0)]
    assert table.state.winner is Winner.A
