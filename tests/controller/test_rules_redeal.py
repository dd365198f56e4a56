"""Chapter 12 of docs/rules.md: redeal."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.rulesets import Redeal, RedealDeadline, fours, spots
from controller.game.seen import Sighting
from controller.game.state import Halt, Phase
from controller.game.tiles import Pair, Seat
from tests.controller.games import Table, hands_of, in_a_row, seen
from tests.controller.rule_table import (
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
)

FIVE_DOUBLES = "00 11 22 33 44 65 62"
SIX_SIXES = "60 61 62 63 64 65 31"
NEITHER = "00 11 22 33 65 62 43"


def claim(table: Table, seat: int, text: str) -> ev.Event | Reason | None:
    """A claim with the hand shown: what comes of it, or why it is refused."""
    (dominoes,) = hands_of(text)
    event = table.do(cmd.ClaimRedeal(table.now, seat, dominoes))
    return event.reason if isinstance(event, ev.Refused) else event


@pytest.mark.rule("12.1")
@pytest.mark.parametrize(
    ("text", "is_granted"),
    [
        (FIVE_DOUBLES, True),
        ("00 11 22 33 44 55 66", True),
        (SIX_SIXES, True),
        ("60 61 62 63 64 65 66", True),
        (NEITHER, False),
        ("60 61 62 63 64 51 31", False),
    ],
    ids=["5 doubles", "7 doubles", "6 of a suit", "7 of a suit", "4 doubles", "5 of a suit"],
)
def test_rules_redeal_for_five_doubles_or_six_of_a_suit(text: str, is_granted: bool) -> None:
    """That many or more; one less is not enough."""
    event = claim(begun(), 2, text)
    assert isinstance(event, ev.RedealGranted if is_granted else ev.RedealDenied)


@pytest.mark.rule("12.1")
@pytest.mark.parametrize("redeal", Redeal)
def test_rules_redeal_can_be_off(redeal: Redeal) -> None:
    """Where the rules know no redeal the claim is refused, and nobody has to show anything."""
    table = begun(fours(redeal=redeal))
    event = claim(table, 2, FIVE_DOUBLES)
    assert (event is Reason.NO_REDEAL) is (redeal is Redeal.OFF)
    assert claim(begun(spots()), 2, FIVE_DOUBLES) is Reason.NO_REDEAL


@pytest.mark.rule("12.2")
def test_rules_double_is_one_domino_of_its_suit() -> None:
    """Double six and four more sixes are five dominoes of the suit, though six halves."""
    assert isinstance(claim(begun(), 0, "66 60 61 62 63 51 31"), ev.RedealDenied)
    assert isinstance(claim(begun(), 0, "66 60 61 62 63 64 31"), ev.RedealGranted)


@pytest.mark.rule("12.3")
@pytest.mark.parametrize(
    ("deadline", "acts", "is_late"),
    [
        (RedealDeadline.FIRST_MOVE, "", False),
        (RedealDeadline.FIRST_MOVE, "55", True),
        (RedealDeadline.OWN_FIRST_MOVE, "55", False),
        (RedealDeadline.OWN_FIRST_MOVE, "55 54R", True),
    ],
)
def test_rules_redeal_until_the_first_move_or_the_own_first_move(
    deadline: RedealDeadline, acts: str, is_late: bool
) -> None:
    """Seat 1 claims: before the set's first move, or before its own."""
    table = play(begun(fours(redeal_deadline=deadline)), acts)
    event = table.do(cmd.ClaimRedeal(table.now, 1))
    assert isinstance(event, ev.Refused if is_late else ev.RedealClaimed)
    if is_late:
        assert isinstance(event, ev.Refused)
        assert event.reason is Reason.TOO_LATE


@pytest.mark.rule("12.4")
@pytest.mark.rule("8.6")
def test_rules_nobody_moves_while_a_hand_is_to_be_shown() -> None:
    """Seat 1 has claimed: the clock of the leader stands until the seven dominoes have been read."""
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 1))
    assert table.state.halts == {Halt.CLAIM}
    table.wait(60.0)
    assert table.state.clock.elapsed_ns(table.now) == 0
    lying = Sighting(tuple(seen(int(t.low), int(t.high)) for t in hands_of(FIVE_DOUBLES)[0]))
    table.do(cmd.See(table.now, lying))
    assert len(happened(table, ev.RedealGranted)) == 1


@pytest.mark.rule("12.4")
def test_rules_leaders_domino_is_no_move_while_a_hand_is_to_be_shown() -> None:
    """A domino that is laid meanwhile is no first move, and is not taken for the hand."""
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 1))
    table.do(cmd.See(table.now, in_a_row(seen(6, 4))))
    assert table.state.plies == ()
    assert table.state.claim is Seat.S1


@pytest.mark.rule("12.4")
def test_rules_claim_and_play_do_not_go_on_side_by_side() -> None:
    """A first move that somebody tells while the hand is awaited is no move, or the claim is over: never both."""
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 1))
    table.lay(6, 6, "first")
    assert not (table.state.plies and table.state.claim is not None)


@pytest.mark.rule("12.4")
def test_rules_claim_made_before_the_set_is_started_is_still_a_claim_in_it() -> None:
    """Seat 1 has claimed, and the referee starts the set: the hand has still to be shown."""
    table = opened()
    table.do(cmd.ClaimRedeal(table.now, 1))
    deal(table)
    assert table.state.claim is Seat.S1


@pytest.mark.rule("12.5")
def test_rules_rightful_claim_deals_anew_with_the_same_leader() -> None:
    """Nothing is registered, seat 3 leads again, and what was shown has to leave the table."""
    table = begun(lead=Seat.S3)
    claim(table, 1, SIX_SIXES)
    assert table.is_in(Phase.BETWEEN)
    assert entered(table) == 0
    assert table.state.lead is Seat.S3
    assert table.state.exposed == ()


@pytest.mark.rule("12.5")
def test_rules_redeal_may_be_claimed_before_the_set_is_started() -> None:
    """The dominoes are dealt and the last line still stands in the record: the claim is judged by the hand alone."""
    table = locked(opened(), Pair.A)
    assert isinstance(claim(table, 1, SIX_SIXES), ev.RedealGranted)


@pytest.mark.rule("12.6")
@pytest.mark.parametrize("decision", [Decision.CONFIRM, Decision.RESTART, Decision.DISMISS])
def test_rules_false_claim_is_for_the_referee(decision: Decision) -> None:
    """Everybody has seen four doubles: a warning, or a new deal, or play goes on with a hand that is known."""
    table = begun()
    event = claim(table, 1, NEITHER)
    assert isinstance(event, ev.RedealDenied)
    assert event.reason is Reason.CONDITION_NOT_MET
    assert kinds(table) == [FindingKind.EXPOSED_HAND]
    assert table.state.needs_referee == "exposed_hand"
    rule(table, decision)
    assert [warning.reason for warning in table.state.warnings] == ["exposure"] * (decision is Decision.CONFIRM)
    assert table.is_in(Phase.BETWEEN if decision is Decision.RESTART else Phase.PLAY)
    assert len(table.state.exposed) == (0 if decision is Decision.RESTART else 7)


@pytest.mark.rule("12.6")
def test_rules_hand_shown_too_late_is_exposed_for_nothing() -> None:
    """A hand that qualifies, shown after the first move: no redeal, and everybody has seen it."""
    table = play(begun(), "55")
    event = claim(table, 1, SIX_SIXES)
    assert isinstance(event, ev.RedealDenied)
    assert event.reason is Reason.TOO_LATE
    assert found(table, FindingKind.EXPOSED_HAND).seat is Seat.S1


@pytest.mark.rule("12.6")
def test_rules_false_claim_before_the_set_waits_for_the_referee_into_the_set() -> None:
    """The hand was shown before the set was started: it is still known, and still to be ruled on, when it begins."""
    table = opened()
    claim(table, 1, NEITHER)
    deal(table)
    assert kinds(table) == [FindingKind.EXPOSED_HAND]
    assert len(table.state.exposed) == 7


@pytest.mark.rule("12.7")
@pytest.mark.parametrize(
    "text", ["00 11 22 33 44 65", "00 11 22 33 44 44 65", "00 11 22 33 44 65 62 61"], ids=["six", "twice", "eight"]
)
def test_rules_what_is_no_hand_is_not_judged(text: str) -> None:
    """Six dominoes, one of them twice, eight: nothing has happened."""
    table = begun()
    (dominoes,) = hands_of(text)
    assert refused(table, cmd.ClaimRedeal(table.now, 1, dominoes)) is Reason.BAD_HAND


@pytest.mark.rule("12.7")
def test_rules_hand_with_a_domino_that_lies_is_no_hand() -> None:
    """The double four lies in the line: it is in no hand."""
    table = play(begun(fours(redeal_deadline=RedealDeadline.OWN_FIRST_MOVE)), "44")
    (dominoes,) = hands_of(FIVE_DOUBLES)
    assert refused(table, cmd.ClaimRedeal(table.now, 1, dominoes)) is Reason.BAD_HAND


@pytest.mark.rule("12.8")
@pytest.mark.parametrize("redeal", Redeal)
def test_rules_redeal_that_nobody_claimed_is_noted_and_the_result_stands(redeal: Redeal) -> None:
    """Seat 3 laid 6-6 and 6-5 and shows four more doubles: five in all, which is noted where redeals are known."""
    table = locked(opened(fours(redeal=redeal)), Pair.A, counted=False)
    count(table, "00 10 20 30 | 55 54 53 32 | 40 31 41 42 52 | 11 22 33 44 51")
    unclaimed = [event.seat for event in table.happened if isinstance(event, ev.RedealUnclaimed)]
    assert unclaimed == ([Seat.S3] if redeal is Redeal.DOUBLES5_OR_SUIT6 else [])
    assert table.state.results[0].spots == (32, 58)
    assert table.state.points == (1, 0)
