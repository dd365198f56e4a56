"""Chapter 14 of docs/rules.md: warnings by `spots`."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.events import Ending, Winner
from controller.game.penalties import spots_points
from controller.game.rulesets import (
    Adjudication,
    BetweenSets,
    FineColumn,
    Ladder,
    LockTie,
    Params,
    WonLockCount,
    fours,
    spots,
)
from controller.game.state import Phase
from controller.game.tiles import Pair
from tests.controller.rule_sets import (
    LIE_IN_LOCK,
    LOCK_12_30,
    LOCK_24_30,
    LOCK_30_30,
    LOCK_40_26,
    LONE_OUT,
    LOST_23,
    OUT_15,
    OUT_20,
    OUT_35,
    OUT_40,
    OUT_52,
    OUT_60,
    Script,
)
from tests.controller.rule_table import begun, deal, entered, locked, opened, play, run, warn

SPOTS = spots()
AUTO = spots(adjudication=Adjudication.AUTO)

Points = tuple[float, float]


def fined(script: Script, rung: int, params: Params = SPOTS, *, rivals: int = 0) -> Points:
    """Points of a set in which pair A got the warning of that number, and pair B one of another; 0 for none."""
    earlier = (max(0, rung - 1), max(0, rivals - 1))
    table = begun(params, earlier=earlier, cup="the cup")
    warn(table, *(0,) * (rung > 0), *(1,) * (rivals > 0))
    return run(table, script).state.points


@pytest.mark.rule("14.1")
@pytest.mark.parametrize("ladder", Ladder)
def test_rules_ladder_says_what_warnings_lead_to(ladder: Ladder) -> None:
    """Two in one set: the set is lost in `fours`; in `spots` it goes on, and will cost ten points."""
    table = warn(begun(fours() if ladder is Ladder.SETS else SPOTS), 0, 2)
    assert table.is_in(Phase.BETWEEN if ladder is Ladder.SETS else Phase.PLAY)


@pytest.mark.rule("14.1")
def test_rules_first_warning_of_spots_costs_nothing_and_all_of_the_competition_count() -> None:
    """The first of the competition is free; the first of this game is the second where there was one before."""
    assert fined(OUT_35, 1) == (35, 0)
    assert fined(OUT_35, 2) == (15, 0)


@pytest.mark.rule("14.2")
def test_rules_fine_belongs_to_the_set_it_was_given_in() -> None:
    """The second warning fell in the first set: the second set is worth its 40 points in full."""
    table = warn(begun(SPOTS), 0, 0)
    run(table, OUT_35)
    locked(table, Pair.A)
    assert [result.points for result in table.state.results] == [(15, 0), (40, 0)]


@pytest.mark.rule("14.2")
@pytest.mark.parametrize("between", BetweenSets)
def test_rules_fine_between_two_sets_belongs_to_the_next(between: BetweenSets) -> None:
    """It is never lost: pair A, warned again after its first set, has 20 in the deadlock that it wins by 25 to 65."""
    table = locked(opened(spots(between_sets=between)), Pair.A, warned=0)
    warn(table, 0)
    locked(table, Pair.A)
    assert [result.points for result in table.state.results] == [(40, 0), (30, 0)]


OUT_TABLE = [
    (OUT_15, (15, 0), (0, 5), (0, 25)),
    (OUT_20, (20, 0), (0, 0), (0, 20)),
    (OUT_35, (35, 0), (15, 0), (0, 5)),
    (OUT_40, (40, 0), (20, 0), (0, 0)),
    (OUT_52, (52, 0), (32, 0), (12, 0)),
    (OUT_60, (60, 0), (40, 0), (20, 0)),
]
"""The table of 14.3."""


@pytest.mark.rule("14.3")
@pytest.mark.parametrize(("script", "first", "second", "third"), OUT_TABLE, ids=["15", "20", "35", "40", "52", "60"])
def test_rules_fined_pair_goes_out(script: Script, first: Points, second: Points, third: Points) -> None:
    """Every line of the table: the rivals' spots against 20, or 40."""
    assert (fined(script, 1), fined(script, 2), fined(script, 3)) == (first, second, third)


@pytest.mark.rule("14.3")
def test_rules_lone_double_blank_counts_for_the_rivals_of_a_fined_pair() -> None:
    """10 and 11 with the rivals: 20 : 21 is worth one, 40 : 21 nineteen for them."""
    assert (fined(LONE_OUT, 2), fined(LONE_OUT, 3)) == ((1, 0), (0, 19))


@pytest.mark.rule("14.4")
@pytest.mark.parametrize(("rung", "points"), [(1, (0, 23)), (2, (0, 33)), (3, (0, 43))])
def test_rules_fine_is_added_to_what_the_rivals_win(rung: int, points: Points) -> None:
    """The fined pair holds 23 when a rival goes out."""
    assert fined(LOST_23, rung) == points


@pytest.mark.rule("14.5")
@pytest.mark.parametrize(
    ("script", "rung", "points"),
    [
        (LOCK_40_26, 1, (0, 14)),
        (LOCK_40_26, 2, (0, 24)),
        (LOCK_40_26, 3, (0, 34)),
        (LOCK_30_30, 1, (0, 0)),
        (LOCK_30_30, 2, (0, 10)),
        (LOCK_30_30, 3, (0, 20)),
    ],
)
def test_rules_fine_in_a_deadlock_that_was_not_won(script: Script, rung: int, points: Points) -> None:
    """Lost by 40 to 26, or equal at 30: the fine is added to the pair's own spots."""
    assert fined(script, rung) == points


FLAT, LITERAL, ADDITIVE = WonLockCount.FLAT_OR_FINE, WonLockCount.LITERAL, WonLockCount.ADDITIVE


@pytest.mark.rule("14.6")
@pytest.mark.parametrize(
    ("script", "rung", "reading", "points"),
    [
        (LOCK_12_30, 2, FLAT, (10, 0)),
        (LOCK_12_30, 2, LITERAL, (10, 0)),
        (LOCK_12_30, 2, ADDITIVE, (8, 0)),
        (LOCK_12_30, 3, FLAT, (0, 10)),
        (LOCK_12_30, 3, LITERAL, (0, 10)),
        (LOCK_12_30, 3, ADDITIVE, (0, 2)),
        (LOCK_24_30, 2, FLAT, (0, 4)),
        (LOCK_24_30, 2, LITERAL, (10, 0)),
        (LOCK_24_30, 2, ADDITIVE, (0, 4)),
        (LOCK_24_30, 3, FLAT, (0, 10)),
        (LOCK_24_30, 3, LITERAL, (0, 10)),
        (LOCK_24_30, 3, ADDITIVE, (0, 14)),
    ],
)
def test_rules_fined_pair_wins_a_deadlock(script: Script, rung: int, reading: WonLockCount, points: Points) -> None:
    """Every line of the table of 14.6: 12 against 30, and 24 against 30."""
    assert fined(script, rung, spots(won_lock_count=reading)) == points


@pytest.mark.rule("14.6")
@pytest.mark.rule("14.5")
@pytest.mark.parametrize(
    ("held", "rung", "points"),
    [((25, 30), 2, (0, 5)), ((25, 30), 3, (0, 10)), ((40, 25), 2, (0, 25)), ((40, 25), 3, (0, 35))],
)
def test_rules_count_itself_knows_spots_that_no_true_deadlock_leaves(
    held: tuple[int, int], rung: int, points: Points
) -> None:
    """A deadlock leaves an even number in all, but with a wrong domino that stands 25 against 30 can come."""
    table = begun(SPOTS, earlier=(rung - 1, 0), cup="the cup")
    warn(table, 0)
    assert spots_points(table.state, Ending.DEADLOCK, None, held) == points


@pytest.mark.rule("14.7")
def test_rules_both_pairs_may_be_fined_in_one_set() -> None:
    """Each side by itself: 20 : 45 and 40 : 55 going out with 35, 20 : 40 and 40 : 50 in a deadlock of 12 and 30."""
    assert (fined(OUT_35, 2, rivals=2), fined(OUT_35, 3, rivals=3)) == ((25, 0), (15, 0))
    assert (fined(LOCK_12_30, 2, rivals=2), fined(LOCK_12_30, 3, rivals=3)) == ((20, 0), (10, 0))


@pytest.mark.rule("14.7")
@pytest.mark.parametrize(("is_stacked", "points"), [(False, [(0, 43), (12, 0)]), (True, [(0, 53), (0, 8)])])
def test_rules_two_fines_of_one_pair_in_one_set(is_stacked: bool, points: list[Points]) -> None:
    """Second and third warning in one set: 20 or 30 added to 23; 40 or 60 against the 52 that the rivals hold."""
    for script, wanted in zip((LOST_23, OUT_52), points, strict=True):
        table = begun(spots(fines_stack=is_stacked), earlier=(1, 0), cup="the cup")
        warn(table, 0, 2)
        assert run(table, script).state.points == wanted


@pytest.mark.rule("14.8")
@pytest.mark.rule("7.6")
@pytest.mark.parametrize(
    ("column", "lost", "locked", "level"),
    [(FineColumn.RIVALS, (0, 33), (0, 24), (0, 10)), (FineColumn.OWN, (-10, 23), (-10, 14), (-10, 0))],
)
def test_rules_fine_is_entered_with_the_rivals_or_with_the_pair(
    column: FineColumn, lost: Points, locked: Points, level: Points
) -> None:
    """23 lost, 40 against 26, 30 against 30: the same difference, in one column or in both."""
    params = spots(fine_column=column)
    got = [fined(script, 2, params) for script in (LOST_23, LOCK_40_26, LOCK_30_30)]
    assert got == [lost, locked, level]
    assert fined(OUT_35, 2, params) == (15, 0)


@pytest.mark.rule("14.8")
@pytest.mark.rule("14.12")
@pytest.mark.parametrize(("column", "points"), [(FineColumn.RIVALS, (0, 20)), (FineColumn.OWN, (-10, 10))])
def test_rules_fine_beside_a_wrong_pass_is_entered_likewise(column: FineColumn, points: Points) -> None:
    """Pair A is fined ten and passes wrongly: 0 : 20, or -10 : 10."""
    assert fined(LIE_IN_LOCK, 2, spots(fine_column=column, adjudication=Adjudication.AUTO)) == points


@pytest.mark.rule("14.9")
@pytest.mark.parametrize("acts", ["", "66 65R 55R"])
def test_rules_fourth_warning_of_spots_costs_the_set_forty(acts: str) -> None:
    """At once, whatever lies: 40 for the rivals, and the game goes on."""
    table = play(begun(SPOTS, earlier=(3, 0), cup="the cup"), acts)
    warn(table, 2)
    assert [(result.by, result.points) for result in table.state.results] == [(Ending.FOURTH_WARNING, (0, 40))]
    assert table.is_in(Phase.BETWEEN)
    assert table.state.expelled == ()


@pytest.mark.rule("14.9")
@pytest.mark.rule("14.2")
@pytest.mark.parametrize("between", BetweenSets)
def test_rules_fourth_warning_between_two_sets_costs_the_next(between: BetweenSets) -> None:
    """The set that pair A has won stays won; the one to come goes to the rivals."""
    table = locked(opened(spots(between_sets=between), earlier=(3, 0)), Pair.A)
    warn(table, 0)
    assert [result.points for result in table.state.results] == [(40, 0), (0, 40)]


@pytest.mark.rule("14.10")
def test_rules_fifth_warning_of_spots_removes_the_pair() -> None:
    """The set is entered 40 : 0, the game is over, the rivals have won it."""
    table = locked(opened(SPOTS, earlier=(0, 4)), Pair.B)
    deal(table)
    warn(table, 3)
    assert [(result.by, result.points) for result in table.state.results][1:] == [(Ending.REMOVED, (40, 0))]
    assert table.is_in(Phase.GAME_OVER)
    assert table.state.winner is Winner.A
    assert table.state.expelled == (Pair.B,)


@pytest.mark.rule("14.11")
@pytest.mark.rule("16.7")
@pytest.mark.parametrize(("survives", "points"), [(True, (15, 0)), (False, (35, 0))])
def test_rules_fine_of_a_set_that_is_played_again(survives: bool, points: Points) -> None:
    """The second warning fell in the playing that was annulled: its fine stays or goes, the warning counts on."""
    table = begun(spots(fine_survives_replay=survives), earlier=(1, 0), cup="the cup")
    warn(table, 0)
    table.do(cmd.RestartSet(table.now, "exposure", "Chief", is_chief=True))
    deal(table)
    run(table, OUT_35)
    assert table.state.points == points
    assert table.state.competition_warnings_of(Pair.A) == 2


@pytest.mark.rule("14.12")
@pytest.mark.parametrize(
    ("own", "rivals", "points"),
    [
        (0, 0, (0, 10)),
        (1, 0, (0, 10)),
        (2, 0, (0, 20)),
        (3, 0, (0, 30)),
        (0, 2, (0, 0)),
        (0, 3, (0, 0)),
        (3, 2, (0, 20)),
    ],
)
def test_rules_wrong_pass_in_a_set_with_a_fine(own: int, rivals: int, points: Points) -> None:
    """Pair A passes wrongly: its fine is added to the ten, a fine of the rivals is taken off, not below 0."""
    assert fined(LIE_IN_LOCK, own, AUTO, rivals=rivals) == points


@pytest.mark.rule("14.11")
@pytest.mark.rule("7.5")
@pytest.mark.parametrize(("survives", "points"), [(True, (25, 0)), (False, (35, 0))])
def test_rules_fines_of_an_equal_deadlock_that_is_replayed(survives: bool, points: Points) -> None:
    """Both pairs fined, 40 : 40, played again: seat 0 goes out against 35, and the fines still count or do not."""
    table = begun(spots(lock_tie=LockTie.REPLAY, fine_survives_replay=survives))
    warn(table, 0, 0, 1, 1)
    run(table, LOCK_30_30)
    assert entered(table) == 0
    deal(table)
    assert run(table, OUT_35).state.points == points
