"""Chapter 5 of docs/rules.md: end of a set."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason, Winner
from controller.game.rulesets import LockDetection, Reveal, fours, spots
from controller.game.state import Phase
from controller.game.tiles import Pair
from tests.controller.games import hands_of, looks, seen
from tests.controller.rule_sets import LONE_PARTNER, OUT_15
from tests.controller.rule_table import (
    begun,
    count,
    entered,
    kinds,
    lay_by,
    lock_acts,
    lock_hands,
    locked,
    opened,
    play,
    refused,
    rule,
    warn,
)


@pytest.mark.rule("5.1")
def test_rules_set_is_over_with_the_last_domino_of_a_hand() -> None:
    """Seat 0 lays its seventh domino: nobody is on turn any more."""
    *before, last = OUT_15.acts.split()
    table = play(begun(), " ".join(before))
    assert table.is_in(Phase.PLAY)
    play(table, last)
    assert table.is_in(Phase.COUNT)
    assert table.state.ending is Ending.OUT
    assert table.state.turn is None


@pytest.mark.rule("5.2")
@pytest.mark.parametrize("detection", LockDetection)
def test_rules_deadlock_is_told_by_the_line_or_by_four_passes(detection: LockDetection) -> None:
    """All seven sixes lie: the set is over at once, or when all four have passed on it."""
    *before, last = lock_acts().split()
    table = play(begun(fours(lock_detection=detection)), " ".join(before))
    assert not table.state.line.is_locked
    play(table, last)
    assert table.is_in(Phase.COUNT if detection is LockDetection.LINE else Phase.PLAY)
    if detection is LockDetection.FOUR_PASSES:
        play(table, "P P P")
        assert table.is_in(Phase.PLAY)
        play(table, "P")
    assert table.state.ending is Ending.DEADLOCK


@pytest.mark.rule("5.3")
def test_rules_going_out_comes_before_the_deadlock() -> None:
    """The last domino of seat 0 is the last two as well: it has gone out, nobody counts a deadlock."""
    table = play(begun(), LONE_PARTNER.acts)
    assert table.state.line.is_locked
    assert table.state.ending is Ending.OUT
    count(table, LONE_PARTNER.left)
    assert table.state.results[0].winner is Winner.A


@pytest.mark.rule("5.4")
def test_rules_deadlock_with_different_ends_shows_a_wrong_domino() -> None:
    """A true deadlock has one suit at both ends; sixes and blanks can only be locked by a domino that did not fit."""
    true = locked(opened(), Pair.A, counted=False)
    assert true.state.line.ends == (6, 6)
    table = play(begun(), "56 00R 02R 24R 40R 03R 35R 50R 54L 46L 63L 32L 26L 66L 60L 01L 16L")
    assert table.state.ending is Ending.DEADLOCK
    assert table.state.line.ends == (6, 0)
    assert kinds(table) == [FindingKind.WRONG_DOMINO]


@pytest.mark.rule("5.5")
def test_rules_after_the_end_nothing_is_added_and_nobody_pays() -> None:
    """A pass or a domino after the deadlock is answered `set_over`."""
    table = locked(opened(), Pair.A, counted=False)
    assert refused(table, cmd.Pass(table.now, 2)) is Reason.SET_OVER
    assert refused(table, lay_by(2, "40R", table)) is Reason.SET_OVER
    assert table.state.warnings == ()
    assert not table.state.findings


@pytest.mark.rule("5.6")
def test_rules_closed_line_is_provisional_until_it_is_registered() -> None:
    """Before the count nothing is entered, and a warning can still cost the pair the set that it would win."""
    table = locked(opened(), Pair.A, counted=False)
    assert entered(table) == 0
    warn(table, 0, 2)
    assert table.state.results[0].by is Ending.SECOND_WARNING
    assert table.state.points == (0, 1)


@pytest.mark.rule("5.6")
def test_rules_set_is_not_registered_while_an_offence_waits_for_the_referee() -> None:
    """The hands are counted, but a wrong domino has not been ruled on: no result."""
    table = play(begun(), "56 00R 02R 24R 40R 03R 35R 50R 54L 46L 63L 32L 26L 66L 60L 01L 16L")
    count(table, "11 12 | 13 14 15 | 22 25 33 | 34 44 55")
    assert table.state.hands is not None
    assert entered(table) == 0
    rule(table, Decision.DISMISS)
    assert table.state.results[0].by is Ending.DEADLOCK


@pytest.mark.rule("5.7")
def test_rules_count_is_exactly_what_does_not_lie() -> None:
    """A hand with a domino too few, one that lies, or one shown twice is no count."""
    table = locked(opened(), Pair.A, counted=False)
    right = "00 10 20 30 | 55 54 53 44 | 40 11 31 41 22 | 51 32 42 52 33"
    for left in (right.replace(" 33", ""), right.replace("33", "66"), right.replace("33", "00")):
        assert refused(table, cmd.Count(table.now, hands_of(left))) is Reason.BAD_REVEAL
    moved = "00 10 20 | 30 55 54 53 44 | 40 11 31 41 22 | 51 32 42 52 33"
    assert refused(table, cmd.Count(table.now, hands_of(moved))) is Reason.BAD_REVEAL
    count(table, right)
    assert len(table.state.results) == 1


@pytest.mark.rule("5.7")
@pytest.mark.parametrize("reveal", Reveal)
def test_rules_partner_of_the_winner_shows_or_need_not(reveal: Reveal) -> None:
    """Seat 0 went out: its partner's double six is shown, or is what is left of the 28."""
    table = play(begun(fours(reveal=reveal)), OUT_15.acts)
    without = cmd.Count(table.now, hands_of(" | 55 | | 41"))
    if reveal is Reveal.ALL:
        assert refused(table, without) is Reason.BAD_REVEAL
    else:
        table.do(without)
        assert table.state.results[0].spots == (12, 15)


@pytest.mark.rule("5.8")
def test_rules_set_that_was_gone_out_of_needs_no_count_in_fours_only() -> None:
    """After going out the referee may confirm without a count; not in a deadlock, and not in `spots`."""
    table = play(begun(), OUT_15.acts)
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.points == (1, 0)
    assert table.state.results[0].spots is None
    table = locked(opened(), Pair.A, counted=False)
    assert refused(table, cmd.ConfirmCount(table.now)) is Reason.NOTHING_SHOWN
    table = play(begun(spots()), OUT_15.acts)
    assert refused(table, cmd.ConfirmCount(table.now)) is Reason.NOTHING_SHOWN


@pytest.mark.rule("5.9")
def test_rules_hands_that_were_read_count_when_they_are_confirmed() -> None:
    """The camera has read the four hands: only the referee's word makes them the count."""
    table = locked(opened(), Pair.B, counted=False)
    assert table.state.lead is not None
    hands = lock_hands(table.state.lead, Pair.B)
    shown = tuple(tuple(seen(int(t.low), int(t.high)) for t in hand) for hand in hands)
    lying = looks(table.state.line)
    table.do(cmd.See(table.now, type(lying)(lying.tiles, lying.chains, shown)))
    assert table.state.shown is not None
    assert entered(table) == 0
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.results[0].spots == (65, 25)
