"""Chapter 15 of docs/rules.md: proof without seeing hands."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import FindingKind, ProvenBy, Reason
from controller.game.rulesets import Adjudication, fours
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from tests.controller.rule_sets import LIE_IN_LOCK, LOCK_AFTER_A_TRUE_PASS, OUT_15
from tests.controller.rule_table import begun, count, entered, found, kinds, play, refused, rule, run, tile

WRONG_PASS = FindingKind.WRONG_PASS


@pytest.mark.rule("15.1")
def test_rules_domino_laid_later_was_in_the_hand_at_the_pass() -> None:
    """Seat 1 passed on sixes (act 2) and lays the six-four: proven by the play, and the very pass is named."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    finding = found(table, WRONG_PASS)
    assert (finding.seat, finding.pair, finding.ply, finding.proven_by) == (Seat.S1, Pair.B, 1, ProvenBy.PLAY)
    assert finding.passes == (1,)
    assert "6-4" in finding.text


@pytest.mark.rule("15.2")
def test_rules_domino_shown_at_the_count_was_in_the_hand_at_the_pass() -> None:
    """Seat 2 passed on 1 and 4 and shows 4-0: proven by the reveal."""
    table = run(begun(), LIE_IN_LOCK)
    finding = found(table, WRONG_PASS)
    assert (finding.seat, finding.ply, finding.proven_by) == (Seat.S2, 6, ProvenBy.REVEAL)
    assert entered(table) == 0


@pytest.mark.rule("15.2")
def test_rules_counted_hands_clear_a_true_pass() -> None:
    """The same acts with other hands: the pass was right, and the set is registered."""
    table = run(begun(), LOCK_AFTER_A_TRUE_PASS)
    assert not table.state.findings
    assert len(table.state.results) == 1


@pytest.mark.rule("15.3")
def test_rules_domino_that_was_seen_was_in_the_hand_at_the_pass() -> None:
    """Somebody saw the double four with seat 2 after its pass on fours: proven, in the middle of the set."""
    table = play(begun(), LIE_IN_LOCK.acts.split(" 15L")[0])
    assert not table.state.findings
    table.do(cmd.Expose(table.now, 2, tile("44"), "Eve"))
    assert found(table, WRONG_PASS).proven_by is ProvenBy.EXPOSURE


@pytest.mark.rule("15.3")
def test_rules_domino_seen_before_the_pass_proves_it_as_well() -> None:
    """The six-one was seen with seat 1 before it passed on sixes: the pass is wrong when it is made."""
    table = play(begun(), "66")
    table.do(cmd.Expose(table.now, 1, tile("61"), "Eve"))
    assert not table.state.findings
    play(table, "P")
    assert found(table, WRONG_PASS).ply == 1


@pytest.mark.rule("15.3")
def test_rules_domino_that_cannot_be_in_a_hand_is_refused() -> None:
    """One that lies, one that was seen with somebody else, one that does not exist."""
    table = play(begun(), "66")
    table.do(cmd.Expose(table.now, 1, tile("61"), "Eve"))
    for word in ("66", "61"):
        assert refused(table, cmd.Expose(table.now, 2, tile(word), "Eve")) is Reason.NOT_IN_A_HAND


@pytest.mark.rule("15.3")
def test_rules_nothing_is_seen_in_a_hand_that_is_empty_or_full() -> None:
    """Seat 0 has gone out; seat 1 holds seven dominoes that are all known: an eighth was not there."""
    table = play(begun(), OUT_15.acts)
    assert refused(table, cmd.Expose(table.now, 0, tile("55"), "Eve")) is Reason.NOT_IN_A_HAND
    table = play(begun(), "66")
    for word in ["60", "61", "62", "63", "64", "65", "55"]:
        assert refused(table, cmd.Expose(table.now, 1, tile(word), "Eve")) is None
    assert refused(table, cmd.Expose(table.now, 1, tile("54"), "Eve")) is Reason.NOT_IN_A_HAND


@pytest.mark.rule("15.3")
@pytest.mark.rule("9.7")
def test_rules_counted_hands_say_where_a_domino_was() -> None:
    """The count showed the double four with seat 0: nobody can have seen it with seat 2, whose pass was right."""
    table = run(begun(), LOCK_AFTER_A_TRUE_PASS)
    late = cmd.Expose(table.now, 2, tile("44"), "Eve", in_last_set=True)
    assert refused(table, late) is Reason.NOT_IN_A_HAND
    assert not table.state.open_findings


PASS_COUNTED = "02 06L P 26R 61R 63L 33L 32L 11R 24L 15R 50R 43L 03R 35R 31L 14L 55R 54R 44R 46L 40R"
"""Led by seat 1. Seat 3 passed (act 3) on 6 and 2; of the six dominoes left only 0-0 and 1-0 have neither."""
SEAT_COUNTED = "66 60R 65L P 00R 53L 04R P"
"""Seat 3 passes on 5 and 0, then on 3 and 4: it has seven dominoes, and only 1-1, 2-1, 6-1, 2-2 and 6-2 are left."""
PAIR_COUNTED = "25 26L 66L 56R 60R 04R 42R 63L 20R 34L 44L 05R 46L 53R 31R 14R P 45R 61L 55R 10L 51R P 03L P 33L"
"""Led by seat 2. Seats 0 and 2 have both denied 1-1 and 2-1, and one place is left with their rivals."""
NOBODY_COUNTED = "03 01L 36R P 65R 54R P P"
"""Led by seat 3. Eleven dominoes can lie only with seats 0 and 3, who have ten places; seats 1 and 2 passed."""


@pytest.mark.rule("15.4")
def test_rules_passes_that_leave_too_few_dominoes_are_wrong() -> None:
    """Seat 3 has denied four suits: seven dominoes are in its hand and five are left that it can hold."""
    table = play(begun(), SEAT_COUNTED)
    finding = found(table, WRONG_PASS)
    assert finding.proven_by is ProvenBy.COUNTING
    held = [t for t in table.state.line.unplayed if not any(t.carries(tile(f"{s}{s}").low) for s in (0, 3, 4, 5))]
    assert len(held) == 5
    assert table.state.tiles_left(Seat.S3) == 7


@pytest.mark.rule("15.4")
def test_rules_one_act_before_nothing_is_proven() -> None:
    """With its first pass alone seat 3 can be right."""
    table = play(begun(), SEAT_COUNTED.removesuffix(" P"))
    assert not table.state.findings


@pytest.mark.rule("15.5")
@pytest.mark.parametrize(
    ("acts", "lead", "kind", "pair", "seat", "passes"),
    [
        (PASS_COUNTED, 1, WRONG_PASS, Pair.B, Seat.S3, (2,)),
        (SEAT_COUNTED, 0, WRONG_PASS, Pair.B, Seat.S3, (3, 7)),
        (PAIR_COUNTED, 2, WRONG_PASS, Pair.A, None, (16, 22, 24)),
        (NOBODY_COUNTED, 3, FindingKind.INCONSISTENT_PASSES, None, None, (3, 6, 7)),
    ],
    ids=["pass", "seat", "pair", "nobody"],
)
def test_rules_blamed_is_who_cannot_be_innocent(
    acts: str, lead: int, kind: FindingKind, pair: Pair | None, seat: Seat | None, passes: tuple[int, ...]
) -> None:
    """By counting: the very pass, a seat, a pair, or nobody."""
    finding = found(play(begun(lead=Seat(lead)), acts), kind)
    assert finding.proven_by is ProvenBy.COUNTING
    assert (finding.pair, finding.seat, finding.passes) == (pair, seat, passes)


@pytest.mark.rule("15.5")
def test_rules_pair_that_is_proven_loses_though_nobody_knows_which_of_the_two() -> None:
    """Either seat 0 or seat 2 passed wrongly: pair A has lost."""
    table = play(begun(fours(adjudication=Adjudication.AUTO), lead=Seat.S2), PAIR_COUNTED)
    assert table.state.points == (0, 1)


@pytest.mark.rule("15.6")
def test_rules_unlikely_hands_prove_nothing() -> None:
    """Three players pass on the double six at once: unlikely, but one may hold every six, so nobody is blamed."""
    table = play(begun(), "66 P P P")
    assert not table.state.findings
    assert table.state.turn is Seat.S0
    play(table, "65R")
    assert not table.state.findings


@pytest.mark.rule("15.6")
def test_rules_pass_of_everybody_on_a_suit_that_is_left_is_wrong() -> None:
    """A fourth pass: now nobody can hold the six sixes that do not lie."""
    table = play(begun(), "66 P P P P")
    assert kinds(table) == [FindingKind.INCONSISTENT_PASSES]
    assert table.is_in(Phase.PLAY)


@pytest.mark.rule("15.7")
def test_rules_misreadings_that_would_explain_it_are_told() -> None:
    """Before seat 1 is accused the referee hears what else it may have been; a correction clears it."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    repairs = found(table, WRONG_PASS).repairs
    assert 1 <= len(repairs) <= 3
    assert any("act 6" in text for text in repairs)
    table.do(cmd.Correct(table.now, 5, 4, 2, "Eve"))
    assert not table.state.open_findings


@pytest.mark.rule("15.8")
def test_rules_hands_may_be_laid_open_in_the_middle_of_a_set() -> None:
    """The referee orders it: nobody moves any more, and the count decides on every pass."""
    table = play(begun(), "66 P P 65R")
    table.do(cmd.OrderReveal(table.now, "Eve"))
    assert table.is_in(Phase.COUNT)
    assert refused(table, cmd.Pass(table.now, 0)) is Reason.SET_OVER
    count(table, "00 10 20 30 40 50 | 61 11 21 31 41 51 22 | 33 44 32 42 52 43 55 | 62 63 53 54 64 60")
    assert [(f.seat, f.proven_by) for f in table.state.open_findings] == [(Seat.S1, ProvenBy.REVEAL)]
    rule(table, Decision.CONFIRM)
    assert table.state.points == (1, 0)
