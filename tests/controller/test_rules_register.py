"""Chapters 17 and 18 of docs/rules.md: register and parameters."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason
from controller.game.ledger import Ledger
from controller.game.rulesets import Ladder, Params, RuleSet, Scoring, fours, params_of, spots, values_of
from controller.game.tiles import Pair, Seat
from controller.register.fold import register_of
from controller.register.register import Consequence, CorrectionKind, Register
from controller.register.text import register_text
from tests.controller.games import Table, hands_of
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import (
    CUP,
    PLAYERS,
    begun,
    deal,
    locked,
    opened,
    play,
    refused,
    rule,
    run,
    warn,
    warned_before,
)


def filed(table: Table) -> Register:
    """The register of what has happened."""
    return register_of(table.happened, table="1", date="")


@pytest.mark.rule("17.1")
def test_rules_register_has_every_set_with_its_acts_and_result() -> None:
    """Leader, acts with their times, ending, ends, spots, points, total and who recorded it."""
    table = run(begun(), OUT_15)
    locked(table, Pair.B)
    first, second = filed(table).sets
    assert (first.lead, first.ending, first.spots, first.points) == (Seat.S0, Ending.OUT, (0, 10, 12, 5), (1, 0))
    assert (first.moves, first.passes, first.ends) == (25, 0, (4, 1))
    assert first.acts[1].domino is not None
    assert (first.acts[1].seat, first.acts[1].domino[:2], first.acts[1].think_ms) == (Seat.S1, (1, 5), 1000)
    assert first.hands is not None
    assert first.hands[2] == ((6, 6),)
    assert (second.ending, second.points, second.total) == (Ending.DEADLOCK, (0, 1), (1, 1))
    assert (first.recorded_by, second.recorded_by) == ("Eve", "Eve")


@pytest.mark.rule("17.2")
@pytest.mark.parametrize("params", [fours(lock_tie="zero"), spots(sets_in_game=6)], ids=["fours", "spots"])
def test_rules_register_names_rule_set_version_and_parameters(params: Params) -> None:
    """What it takes to score the game again stands in it, and makes the same parameters again."""
    register = filed(run(begun(params_of(values_of(params))), OUT_15))
    assert params_of(values_of(register.params)) == params_of(values_of(params))
    text = register_text(register)
    assert params.rule_set.value in text.lower() or params.rule_set.name in text
    assert "1" in register.params.version


@pytest.mark.rule("17.2")
def test_rules_old_games_are_scored_by_their_own_version() -> None:
    """A register keeps the version it was written by."""
    register = filed(run(begun(fours(version="0.9")), OUT_15))
    assert register.params.version == "0.9"
    assert "0.9" in register_text(register)


@pytest.mark.rule("17.3")
@pytest.mark.parametrize(
    ("params", "consequences"),
    [
        (fours(), [Consequence.NONE, Consequence.SET_LOST, Consequence.GAME_LOST]),
        (spots(), [Consequence.NONE, Consequence.FINE_10, Consequence.FINE_20, Consequence.SET_40_0]),
    ],
    ids=["fours", "spots"],
)
def test_rules_register_has_every_warning_and_what_it_led_to(params: Params, consequences: list[Consequence]) -> None:
    """Pair, player, reason, which one it was, and its consequence."""
    table = opened(params)
    for number in range(len(consequences)):
        warn(table, 2 * (number % 2), reason="signs")
    warnings = filed(table).warnings
    assert [warning.consequence for warning in warnings] == consequences
    assert [warning.in_game for warning in warnings] == list(range(1, len(consequences) + 1))
    assert {(warning.pair, warning.reason, warning.by) for warning in warnings} == {(Pair.A, "signs", "Eve")}
    assert [warning.seat for warning in warnings[:2]] == [Seat.S0, Seat.S2]


@pytest.mark.rule("17.3")
def test_rules_register_has_overtimes_and_claims_accepted_or_not() -> None:
    """A slow move, a claim too early and one in time; a redeal denied."""
    table = begun()
    table.do(cmd.ClaimRedeal(table.now, 1, hands_of("00 11 22 33 65 62 43")[0]))
    rule(table, Decision.DISMISS)
    play(table, "66")
    table.wait(10.0)
    table.do(cmd.ClaimTime(table.now, 0))
    table.wait(10.0)
    table.do(cmd.ClaimTime(table.now, 0))
    table.lay(6, 5, "R")
    register = filed(table)
    assert [claim.refused for claim in register.claims] == [Reason.WITHIN_LIMIT, None]
    assert [(overtime.seat, overtime.think_ms) for overtime in register.overtimes] == [(Seat.S1, 20_000)]
    assert [redeal.refused for redeal in register.redeals] == [Reason.CONDITION_NOT_MET]


@pytest.mark.rule("17.4")
def test_rules_register_has_findings_with_proof_and_who_decided() -> None:
    """A wrong pass confirmed by Eve, its proof, and the clause by which the set was awarded."""
    for params, clause in ((fours(), "C6.1"), (spots(), "R11")):
        table = play(begun(params), "66 P 65R 54R 63L 46R")
        rule(table, Decision.CONFIRM)
        register = filed(table)
        (finding,) = register.findings
        assert (finding.kind, finding.decision, finding.by) == (FindingKind.WRONG_PASS, Decision.CONFIRM, "Eve")
        assert "6-4" in finding.proof
        assert register.sets[0].clause == clause


@pytest.mark.rule("17.4")
@pytest.mark.parametrize(
    ("params", "earlier", "warnings", "clause"),
    [(fours(), 0, 2, "C8.2"), (spots(), 3, 1, "R10"), (spots(), 4, 1, "R10")],
)
def test_rules_register_names_the_clause_of_an_awarded_set(
    params: Params, earlier: int, warnings: int, clause: str
) -> None:
    """A set lost by a second, a fourth, a fifth warning."""
    table = begun(params, earlier=(earlier, 0), cup=CUP)
    warn(table, *(0,) * warnings)
    assert filed(table).sets[0].clause.startswith(clause)


@pytest.mark.rule("17.5")
def test_rules_register_says_why_a_set_was_played_again() -> None:
    """No points, but a line: by whose order and why."""
    table = begun(spots())
    table.do(cmd.RestartSet(table.now, "dominoes fell", "Ivo", is_chief=True))
    register = filed(table)
    assert register.sets == ()
    assert [(r.set_no, r.reason, r.by, r.is_chief) for r in register.replays] == [(1, "dominoes fell", "Ivo", True)]


@pytest.mark.rule("17.6")
def test_rules_register_notes_what_was_corrected_or_taken_back() -> None:
    """A corrected domino, a move given to another seat, a move taken back."""
    table = play(begun(), "66 65R 54R")
    table.do(cmd.Correct(table.now, 1, 6, 4, "Eve"))
    table.do(cmd.Attribute(table.now, 2, 3, "Eve"))
    table.do(cmd.Undo(table.now))
    kinds = [entry.kind for entry in filed(table).corrections]
    assert kinds == [CorrectionKind.CORRECTED, CorrectionKind.ATTRIBUTED, CorrectionKind.CORRECTION_UNDONE]


@pytest.mark.rule("17.7")
def test_rules_ledger_counts_each_warning_once() -> None:
    """Two tables pass their ledgers on, twice and in any order: two warnings, not four."""
    table = opened(cup=CUP)
    for _ in range(2):
        table.do(cmd.MergeLedger(table.now, warned_before((2, 0))))
    assert table.state.competition_warnings_of(Pair.A) == 2
    deal(table)
    warn(table, 0)
    assert table.state.competition_warnings_of(Pair.A) == 3
    table.do(cmd.Undo(table.now))
    before = table.state.ledger
    table.do(cmd.MergeLedger(table.now, replace(before)))
    assert table.state.competition_warnings_of(Pair.A) == 2


@pytest.mark.rule("17.7")
def test_rules_withdrawn_warning_does_not_come_back_from_another_table() -> None:
    """The other table still has the warning that was taken back here."""
    table = begun(cup=CUP)
    warn(table, 0)
    elsewhere = table.state.ledger
    table.do(cmd.Undo(table.now))
    table.do(cmd.MergeLedger(table.now, elsewhere))
    assert table.state.competition_warnings_of(Pair.A) == 0


@pytest.mark.rule("17.7")
def test_rules_ledger_that_does_not_belong_or_contradicts_is_refused() -> None:
    """Warnings of another cup, and one id for two different warnings."""
    table = opened(cup=CUP)
    table.do(cmd.MergeLedger(table.now, warned_before((1, 0))))
    entry = warned_before((1, 0)).entries[0]
    other = Ledger((replace(entry, competition="another"),))
    assert refused(table, cmd.MergeLedger(table.now, other)) is Reason.OTHER_COMPETITION
    twice = Ledger((replace(entry, players=PLAYERS[Pair.B]),))
    assert refused(table, cmd.MergeLedger(table.now, twice)) is Reason.LEDGER_CONFLICT


# --- 18. parameters ---


@pytest.mark.rule("18.1")
@pytest.mark.parametrize("rule_set", RuleSet)
def test_rules_rule_set_chooses_every_default(rule_set: RuleSet) -> None:
    """With the name of the text alone all its parameters are there, and any may be set otherwise."""
    whole = fours() if rule_set is RuleSet.FOURS else spots()
    assert params_of({"rule_set": rule_set.value}) == whole
    for name, value in values_of(whole).items():
        assert params_of({"rule_set": rule_set.value, name: value}) == whole
    assert params_of({"rule_set": rule_set.value, "think_seconds": 20}).think_seconds == 20


@pytest.mark.rule("18.1")
@pytest.mark.parametrize("name", [field.name for field in fields(Params) if field.name != "version"])
def test_rules_value_that_does_not_exist_is_refused(name: str) -> None:
    """No parameter takes a word that is none of its values, and no other parameter exists."""
    with pytest.raises(ValueError, match=name):
        params_of({name: "nonsense"})
    with pytest.raises(ValueError, match="lucky"):
        params_of({"lucky": True})


@pytest.mark.rule("18.2")
@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize("ladder", Ladder)
def test_rules_scoring_and_ladder_belong_together(scoring: Scoring, ladder: Ladder) -> None:
    """A set worth one point with fines of ten is no game."""
    chosen: dict[str, Any] = {"scoring": scoring, "ladder": ladder}
    if (scoring is Scoring.SETS) is (ladder is Ladder.SETS):
        assert fours(**chosen).scoring is scoring
    else:
        with pytest.raises(ValueError, match="scoring and ladder"):
            fours(**chosen)


@pytest.mark.rule("18.3")
@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("think_seconds", (1, 600), (0, 0.5, 601)),
        ("pass_retract_seconds", (0, 15), (-1, 16)),
        ("at_once_moves", (0, 3), (-1, 4)),
        ("lone_blank_value", (0, 100), (-1, 101)),
        ("wrong_pass_result", (0, 100), (-1, 101)),
    ],
)
def test_rules_numbers_have_bounds(name: str, good: tuple[float, ...], bad: tuple[float, ...]) -> None:
    """The bounds themselves are allowed, what lies beyond is not."""
    for value in good:
        assert getattr(fours(**{name: value}), name) == value
    for value in bad:
        with pytest.raises(ValueError, match=name):
            fours(**{name: value})


@pytest.mark.rule("18.3")
def test_rules_spots_take_any_number_of_sets() -> None:
    """One, three, ten: the regulations must say; none and 401 are too few and too many."""
    assert [spots(sets_in_game=sets).sets_in_game for sets in (1, 3, 10, 400)] == [1, 3, 10, 400]
    for sets in (0, 401):
        with pytest.raises(ValueError, match="sets_in_game"):
            spots(sets_in_game=sets)
