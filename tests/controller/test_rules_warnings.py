"""Chapter 13 of docs/rules.md: warnings by `fours`."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Ending, Reason, Winner
from controller.game.ledger import GameEntry, readmission
from controller.game.rulesets import (
    Adjudication,
    BenefitPenalty,
    BetweenSets,
    ExpelledResults,
    LockTie,
    ThirdWarningScore,
    Warning2Scope,
    fours,
)
from controller.game.state import Phase
from controller.game.tiles import Pair, Seat
from controller.record.judge import judge
from controller.record.notation import format_record, parse_record
from controller.record.recording import record_of
from controller.register.fold import register_of
from controller.register.text import register_text
from tests.controller.games import NAMES
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import (
    CUP,
    FOURS,
    PLAYERS,
    begun,
    deal,
    locked,
    opened,
    play,
    refused,
    run,
    tile,
    warn,
    warned_before,
)

A, B = Pair.A, Pair.B


@pytest.mark.rule("13.1")
@pytest.mark.parametrize("reason", ["time", "talk", "exposure", "signs"])
def test_rules_referee_warns_for_four_reasons(reason: str) -> None:
    """Time, talking, showing dominoes, signs; no other word is a reason."""
    table = warn(begun(), 2, reason=reason)
    assert [(w.seat, w.reason) for w in table.state.warnings] == [(Seat.S2, reason)]
    assert refused(table, cmd.Warn(table.now, 2, "bad mood")) is Reason.UNKNOWN_WARNING


@pytest.mark.rule("13.1")
def test_rules_nothing_warns_by_itself() -> None:
    """A player far over his time, one with a domino seen in his hand: no warning without the referee."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), "66")
    table.wait(100.0)
    table.do(cmd.Tick(table.now))
    table.do(cmd.ClaimTime(table.now, 0))
    table.do(cmd.Expose(table.now, 3, tile("44"), "Eve"))
    assert table.state.warnings == ()


@pytest.mark.rule("13.2")
def test_rules_warning_is_booked_to_the_pair() -> None:
    """One for seat 0 and one for its partner are the second of pair A; the rivals' are counted by themselves."""
    table = warn(begun(), 0, 1)
    assert table.is_in(Phase.PLAY)
    warn(table, 2)
    assert table.state.results[0].by is Ending.SECOND_WARNING
    assert table.state.points == (0, 1)
    assert [w.seat for w in table.state.warnings] == [0, 1, 2]


@pytest.mark.rule("13.2")
def test_rules_pair_is_warned_without_saying_whose_it_was() -> None:
    """It counts as any other; register, ledger and record name the pair and nobody of it."""
    table = warn(begun(cup=CUP), 1)
    table.do(cmd.Warn(table.now, None, "signs", "Eve", Pair.B))
    assert table.state.results[0].by is Ending.SECOND_WARNING
    assert table.state.points == (1, 0)
    assert [(entry.player, entry.players) for entry in table.state.ledger.entries] == [
        (NAMES[1], PLAYERS[Pair.B]),
        ("", PLAYERS[Pair.B]),
    ]
    text = register_text(register_of(table.happened, table="1", date=""))
    assert "pair B, Bob and Dan, for signs to the partner; the pair's 2nd in the game" in text
    record = record_of(table.happened)
    assert "!warn B signs" in format_record(record)
    judgement = judge(parse_record(format_record(record)))
    assert judgement.state.results[0].by is Ending.SECOND_WARNING
    assert ("warning", "pair B, for signs.") in [(verdict.kind, verdict.text) for verdict in judgement.verdicts]
    table.do(cmd.Undo(table.now))
    text = register_text(register_of(table.happened, table="1", date=""))
    assert "a warning to Bob and Dan for signs to the partner taken back" in text


@pytest.mark.rule("13.3")
@pytest.mark.parametrize(
    ("scope", "earlier", "first_set", "second_set", "is_lost"),
    [
        (Warning2Scope.GAME, 0, 0, 2, True),
        (Warning2Scope.GAME, 0, 1, 1, True),
        (Warning2Scope.GAME, 1, 0, 1, False),
        (Warning2Scope.SET, 0, 0, 2, True),
        (Warning2Scope.SET, 0, 1, 1, False),
        (Warning2Scope.COMPETITION, 1, 0, 1, True),
        (Warning2Scope.COMPETITION, 0, 1, 1, True),
        (Warning2Scope.COMPETITION, 2, 0, 1, True),
        (Warning2Scope.COMPETITION, 0, 0, 1, False),
    ],
)
def test_rules_second_warning_costs_the_set(
    scope: Warning2Scope, earlier: int, first_set: int, second_set: int, is_lost: bool
) -> None:
    """So many in earlier games, in the first set and in the second: whether the second set is lost by them."""
    table = opened(fours(warning2_scope=scope), earlier=(earlier, 0), cup=CUP)
    deal(table)
    warn(table, *(0,) * first_set)
    assert table.is_in(Phase.PLAY)
    run(table, OUT_15)
    deal(table)
    warn(table, *(0,) * second_set)
    lost = [result.set_no for result in table.state.results if result.by is Ending.SECOND_WARNING]
    assert lost == ([2] if is_lost else [])


@pytest.mark.rule("13.3")
def test_rules_set_lost_by_a_warning_is_lost_at_once() -> None:
    """In the middle of the set, with the rivals about to lose it: it is over, and the lead goes on."""
    table = play(begun(), "66 65R")
    warn(table, 0, 0)
    assert table.is_in(Phase.BETWEEN)
    assert table.state.lead is Seat.S1
    assert table.state.results[0].spots is None


@pytest.mark.rule("13.4")
@pytest.mark.parametrize(
    ("between", "results"),
    [
        (BetweenSets.NEXT, [(Ending.DEADLOCK, (1, 0)), (Ending.SECOND_WARNING, (0, 1))]),
        (BetweenSets.LAST, [(Ending.SECOND_WARNING, (0, 1))]),
    ],
)
def test_rules_warning_between_two_sets(between: BetweenSets, results: list[tuple[Ending, tuple[int, int]]]) -> None:
    """Pair A won the first set and is warned a second time after it: the next set is lost, or the one it won."""
    table = opened(fours(between_sets=between))
    warn(table, 0)
    locked(table, A)
    warn(table, 2)
    assert [(result.by, result.points) for result in table.state.results] == results
    assert [w.set_no for w in table.state.warnings] == [1, 2 if between is BetweenSets.NEXT else 1]


@pytest.mark.rule("13.4")
@pytest.mark.rule("13.3")
@pytest.mark.parametrize("between", BetweenSets)
def test_rules_warning_after_a_set_belongs_to_it_also_when_warnings_are_counted_by_sets(between: BetweenSets) -> None:
    """One warning in the first set and one after it: with `last` they are two in that set, which is lost."""
    table = opened(fours(between_sets=between, warning2_scope=Warning2Scope.SET))
    deal(table)
    warn(table, 0)
    run(table, OUT_15)
    warn(table, 2)
    assert table.state.points == ((0, 1) if between is BetweenSets.LAST else (1, 0))


@pytest.mark.rule("13.4")
@pytest.mark.rule("6.3")
def test_rules_drawn_set_that_is_lost_afterwards_leaves_nothing_to_be_carried() -> None:
    """A point waited after a drawn deadlock; that set is lost by a warning then: one point for it, and none waits."""
    table = locked(opened(fours(between_sets=BetweenSets.LAST, lock_tie=LockTie.CARRY)), None, warned=0)
    warn(table, 2)
    locked(table, A)
    assert [result.points for result in table.state.results] == [(0, 1), (1, 0)]


@pytest.mark.rule("13.4")
def test_rules_warning_before_the_first_set_belongs_to_it() -> None:
    """There is no set before the first: two warnings before it cost the first set, with `last` as well."""
    for between in BetweenSets:
        table = warn(opened(fours(between_sets=between)), 1, 3)
        assert [(result.set_no, result.points) for result in table.state.results] == [(1, (1, 0))]


THIRD = [
    (4, "AAB", (1.5, 2.5), (2, 3), (0, 1)),
    (4, "AAA", (1.5, 2.5), (3, 4), (-1, 0)),
    (8, "AAAAAB", (3.5, 4.5), (5, 6), (0, 1)),
    (8, "ABBB", (1, 4.5), (1, 3), (1, 3)),
    (8, "AABBBBB", (2, 5), (2, 5), (2, 5)),
    (8, "AABB", (2, 4.5), (2, 3), (1, 2)),
]
"""The table of 13.5: sets, who won them before, and the three scores."""
READINGS = (ThirdWarningScore.MARGIN_ONE_OF_N, ThirdWarningScore.RIVALS_LIFTED, ThirdWarningScore.OWN_CUT)
SCORES = [
    pytest.param(sets, won, reading, row[place], id=f"{won} of {sets} {reading.value}")
    for sets, won, *row in THIRD
    for place, reading in enumerate(READINGS)
]


@pytest.mark.rule("13.5")
@pytest.mark.parametrize("offender", Pair)
@pytest.mark.parametrize(("sets", "won", "reading", "score"), SCORES)
def test_rules_third_warning_costs_the_game(
    sets: int, won: str, reading: ThirdWarningScore, score: tuple[float, float], offender: Pair
) -> None:
    """Every line of the table, for a pair A and, the sides turned, for a pair B: the game is over at once."""
    params = fours(sets_in_game=sets, third_warning_score=reading, warning2_scope=Warning2Scope.SET)
    table = opened(params)
    for place, winner in enumerate(won):
        own = Pair(winner) if offender is A else Pair(winner).rivals
        locked(table, own, warned=offender.index if place < 2 else None)
    deal(table)
    assert table.is_in(Phase.PLAY)
    warn(table, offender.index)
    assert table.is_in(Phase.GAME_OVER)
    assert table.state.points == (score if offender is A else score[::-1])
    assert table.state.winner is not None
    assert table.state.winner.value == offender.rivals.value


@pytest.mark.rule("13.5")
def test_rules_game_lost_by_a_warning_leaves_its_sets_as_they_were() -> None:
    """The sets that were registered stay in the register; the one in progress is not entered."""
    table = locked(opened(), A, warned=0)
    warn(table, 0)
    deal(table)
    play(table, "66 65R")
    warn(table, 2)
    assert [result.by for result in table.state.results] == [Ending.DEADLOCK, Ending.SECOND_WARNING]
    (ended,) = (event for event in table.happened if isinstance(event, ev.GameEnded))
    assert ended.by is Ending.THIRD_WARNING
    assert ended.points == (1, 2.5)


@pytest.mark.rule("13.6")
@pytest.mark.parametrize("in_game", [0, 1, 2])
def test_rules_fourth_warning_of_the_competition_expels(in_game: int) -> None:
    """Three before, in this game and earlier ones together: the next one ends the game and the competition."""
    table = opened(fours(warning2_scope=Warning2Scope.SET), earlier=(0, 3 - in_game))
    for _ in range(in_game):
        locked(table, B, warned=1)
    deal(table)
    warn(table, 3)
    assert table.is_in(Phase.GAME_OVER)
    assert table.state.expelled == (B,)
    assert table.state.winner is Winner.A
    assert table.state.points[0] == 2.5


@pytest.mark.rule("13.6")
def test_rules_third_warning_of_the_competition_alone_does_not_expel() -> None:
    """Two in earlier games and one in this: nothing is lost yet."""
    table = opened(earlier=(2, 0))
    deal(table)
    warn(table, 0)
    assert table.is_in(Phase.PLAY)
    assert table.state.expelled == ()


@pytest.mark.rule("13.7")
def test_rules_expelled_pair_is_refused_in_that_competition() -> None:
    """Four warnings in the cup: no further game of the cup, in whatever seats; another competition is open to it."""
    table = opened(earlier=(3, 0))
    warn(table, 0)
    turned = (NAMES[1], NAMES[2], NAMES[3], NAMES[0])
    for names in (NAMES, turned):
        command = cmd.StartGame(table.now, names, Seat.S0, FOURS, competition=CUP, game="tomorrow")
        assert refused(table, command) is Reason.EXPELLED
    command = cmd.StartGame(table.now, NAMES, Seat.S0, FOURS, competition="another", game="tomorrow")
    assert refused(table, command) is None


@pytest.mark.rule("13.8")
@pytest.mark.parametrize(("rule", "games"), [(ExpelledResults.STAND, 2), (ExpelledResults.VOID, 1)])
def test_rules_earlier_games_of_an_expelled_pair_stand_or_are_void(rule: ExpelledResults, games: int) -> None:
    """Of the two games of the cup the expelled pair played one."""
    ledger = warned_before((4, 0))
    others = ("Fay", "Gus")
    ledger = ledger.with_game(GameEntry("1", CUP, (PLAYERS[A], PLAYERS[B]), (3, 1), "A"))
    ledger = ledger.with_game(GameEntry("2", CUP, (PLAYERS[B], others), (3, 1), "A"))
    assert ledger.expelled(CUP, 4) == (tuple(sorted(PLAYERS[A])),)
    chosen = fours(expelled_results=rule).expelled_results
    assert len(ledger.standing_games(CUP, expelled_pairs=ledger.expelled(CUP, 4), rule=chosen)) == games


@pytest.mark.rule("13.9")
@pytest.mark.parametrize(
    ("fee", "has_benefits", "rule", "total"),
    [
        (300, False, BenefitPenalty.FIXED, 1200),
        (300, True, BenefitPenalty.FIXED, 350),
        (10, True, BenefitPenalty.FIXED, 60),
        (300, True, BenefitPenalty.CAP, 350),
        (10, True, BenefitPenalty.CAP, 40),
        (10, False, BenefitPenalty.CAP, 40),
    ],
)
def test_rules_expelled_player_pays_three_fees_or_fifty(
    fee: float, has_benefits: bool, rule: BenefitPenalty, total: float
) -> None:
    """Of 300: 900 more, a benefit holder 50; of 10: 30 more, a benefit holder 50, or at most 50."""
    chosen = fours(benefit_penalty=rule).benefit_penalty
    cost = readmission(is_expelled=True, fee=fee, has_benefits=has_benefits, rule=chosen)
    assert not cost.is_free
    assert cost.total == total
    assert readmission(is_expelled=False, fee=fee, has_benefits=has_benefits, rule=chosen).total == fee
