"""Chapter 10 of docs/rules.md: wrong domino."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Reason
from controller.game.rulesets import (
    Adjudication,
    Params,
    WrongDomino,
    WrongDominoAlert,
    WrongLastDomino,
    fours,
    spots,
)
from controller.game.state import AlertKind, Halt, Phase
from controller.game.tiles import Pair, Seat
from tests.controller.games import Table, looks
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import (
    FOURS,
    begun,
    count,
    entered,
    found,
    happened,
    kinds,
    play,
    rule,
    tile,
    warn,
)

WRONG = FindingKind.WRONG_DOMINO


def wrong(params: Params = FOURS, *, after: str = "") -> Table:
    """Seat 1 lays the four of 4-3 to a six; then come the acts `after` it."""
    return play(begun(params), f"66 43R {after}")


def ruled(table: Table, decision: Decision, *, is_chief: bool = False) -> ev.Event | None:
    """The referee rules on the wrong domino, and it leaves the table where it has to."""
    event = rule(table, decision, WRONG, is_chief=is_chief)
    if table.state.take_back:
        table.do(cmd.See(table.now, looks(table.state.line)))
    return event


@pytest.mark.rule("10.1")
@pytest.mark.parametrize(
    ("word", "is_wrong"),
    [("43R", True), ("43L", True), ("64R", True), ("46R", True), ("65R", True), ("56R", False), ("64L", False)],
)
def test_rules_domino_is_wrong_by_the_half_at_the_joint(word: str, is_wrong: bool) -> None:
    """On 6 and 5: 4-3 fits nowhere, 6-4 not at the five, 6-5 not the wrong way round."""
    table = play(begun(), "60 05R")
    table.lay(int(word[0]), int(word[1]), word[2])
    assert (kinds(table) == [WRONG]) is is_wrong


@pytest.mark.rule("10.2")
def test_rules_wrong_domino_lies_as_it_lies() -> None:
    """4-3 lies at the six with its three open; the next player lays to that three."""
    table = wrong(after="35R")
    assert table.state.line.ends == (6, 5)
    assert kinds(table) == [WRONG]
    assert table.state.turn is Seat.S3


@pytest.mark.rule("10.3")
@pytest.mark.parametrize(
    ("alert", "is_told", "stands"),
    [
        (WrongDominoAlert.IMMEDIATE, True, True),
        (WrongDominoAlert.REFEREE_ONLY, True, False),
        (WrongDominoAlert.SILENT, False, False),
    ],
)
def test_rules_who_hears_of_a_wrong_domino(alert: WrongDominoAlert, is_told: bool, stands: bool) -> None:
    """The referee is buzzed and the clock stands, or he is buzzed alone, or nobody is told before the set is over."""
    table = wrong(fours(wrong_domino_alert=alert))
    assert (table.state.alert is not None and table.state.alert.kind is AlertKind.WRONG_DOMINO) is is_told
    assert bool(table.state.told_findings) is is_told
    assert table.state.clock.is_running is not stands


@pytest.mark.rule("10.3")
def test_rules_silent_wrong_domino_is_told_when_the_set_is_over() -> None:
    """Nobody heard of it; the line is closed and the referee has it before him."""
    acts = "56 00R 02R 24R 40R 03R 35R 50R 54L 46L 63L 32L 26L 66L 60L 01L"
    table = play(begun(fours(wrong_domino_alert=WrongDominoAlert.SILENT)), acts)
    assert len(table.state.told_findings) == 0
    play(table, "16L")
    assert table.is_in(Phase.COUNT)
    assert kinds(table) == [WRONG]
    assert len(table.state.told_findings) == 1


@pytest.mark.rule("10.4")
@pytest.mark.parametrize(
    ("at_once_moves", "after", "is_at_once"),
    [
        (0, "", True),
        (0, "35R", False),
        (0, "P", False),
        (1, "35R", True),
        (1, "35R 51R", False),
        (3, "35R P 51R", True),
        (3, "35R P 51R 12R", False),
    ],
)
def test_rules_wrong_domino_is_found_at_once_for_so_many_acts(at_once_moves: int, after: str, is_at_once: bool) -> None:
    """By default the next move or pass is too late; the regulations may give up to a round."""
    table = wrong(fours(at_once_moves=at_once_moves), after=after)
    event = ruled(table, Decision.CONTINUE)
    if is_at_once:
        assert isinstance(event, ev.FindingRuled)
        assert table.state.turn is Seat.S1
    else:
        assert isinstance(event, ev.Refused)
        assert event.reason is Reason.FOUND_TOO_LATE


@pytest.mark.rule("10.5")
def test_rules_found_at_once_the_domino_goes_back_and_the_same_seat_moves() -> None:
    """Seat 1 takes 4-3 back and has its whole time again; it lays another domino, or passes."""
    for acts in ("65R", "P"):
        table = wrong()
        table.wait(9.0)
        rule(table, Decision.CONTINUE)
        state = table.state
        assert (state.take_back, state.turn, state.line.ends) == ((tile("43"),), Seat.S1, (6, 6))
        table.do(cmd.See(table.now, looks(table.state.line)))
        assert not table.state.halts
        assert table.state.clock.elapsed_ns(table.now) == 0
        play(table, acts)
        assert table.state.turn is Seat.S2


@pytest.mark.rule("10.6")
@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("decision", [Decision.CONTINUE, Decision.RESTART])
def test_rules_found_at_once_there_is_a_warning_that_counts_or_not(decision: Decision, counts: bool) -> None:
    """A domino was shown: the pair has a warning, which may or may not be a rung of the ladder."""
    table = wrong(fours(wrong_domino_warning_counts=counts))
    ruled(table, decision)
    assert [(w.seat, w.reason, w.counts) for w in table.state.warnings] == [(Seat.S1, "exposure", counts)]
    assert table.state.warnings_of(Pair.B) == counts
    warn(table, 3)
    assert (table.state.points == (1, 0)) is counts


@pytest.mark.rule("10.7")
@pytest.mark.parametrize("decision", [Decision.CONTINUE, Decision.RESTART])
@pytest.mark.parametrize(("before", "by"), [(1, Ending.SECOND_WARNING), (2, None)])
def test_rules_warning_that_costs_the_set_costs_it_whatever_was_decided(
    before: int, by: Ending | None, decision: Decision
) -> None:
    """It is the pair's second warning, or its third: the set, or the game, is lost though play was to go on."""
    table = begun()
    warn(table, *(1,) * before)
    if before == 2:
        table.do(cmd.StartSet(table.now))
        play(table, "66 65R 43R")
    else:
        play(table, "66 43R")
    ruled(table, decision)
    if by is None:
        assert table.is_in(Phase.GAME_OVER)
    else:
        assert [result.by for result in table.state.results] == [by]
    assert not happened(table, ev.SetAnnulled)


@pytest.mark.rule("10.8")
def test_rules_found_later_it_costs_the_set_without_a_warning() -> None:
    """Seat 2 has moved: the domino cannot go back, the pair of seat 1 loses the set."""
    table = wrong(after="35R")
    event = ruled(table, Decision.CONTINUE)
    assert isinstance(event, ev.Refused)
    assert event.reason is Reason.FOUND_TOO_LATE
    ruled(table, Decision.LOST)
    assert table.state.results[0].by is Ending.WRONG_DOMINO
    assert table.state.points == (1, 0)
    assert table.state.warnings == ()


@pytest.mark.rule("10.9")
def test_rules_wrong_domino_of_nobody_in_particular_restarts_the_set() -> None:
    """Found later and not to be cleared up: dealt anew, same leader, no points, no warning."""
    table = wrong(after="35R")
    ruled(table, Decision.RESTART)
    assert table.is_in(Phase.BETWEEN)
    assert entered(table) == 0
    assert table.state.lead is Seat.S0
    assert table.state.warnings == ()


@pytest.mark.rule("10.10")
@pytest.mark.parametrize("last", WrongLastDomino)
def test_rules_wrong_domino_as_the_last_of_a_hand(last: WrongLastDomino) -> None:
    """Seat 0 goes out with a wrong domino: before the count it may go back, or it always costs the set."""
    *before, word = OUT_15.acts.split()
    table = play(begun(fours(wrong_last_domino=last)), f"{' '.join(before)} 45L")
    assert word == "54L"
    assert table.state.ending is Ending.OUT
    event = ruled(table, Decision.CONTINUE)
    if last is WrongLastDomino.LATE:
        assert isinstance(event, ev.Refused)
        ruled(table, Decision.LOST)
        assert table.state.points == (0, 1)
    else:
        assert table.state.turn is Seat.S0
        assert table.is_in(Phase.PLAY)
        play(table, "54L")
        assert table.state.ending is Ending.OUT


@pytest.mark.rule("10.10")
def test_rules_counted_hands_make_a_wrong_last_domino_late() -> None:
    """The hands have been counted: the domino cannot go back any more."""
    table = play(begun(), f"{OUT_15.acts.rsplit(' ', 1)[0]} 45L")
    count(table, OUT_15.left)
    event = ruled(table, Decision.CONTINUE)
    assert isinstance(event, ev.Refused)
    assert event.reason is Reason.FOUND_TOO_LATE
    ruled(table, Decision.LOST)
    assert table.state.points == (0, 1)


@pytest.mark.rule("10.11")
def test_rules_dismissed_wrong_domino_stands() -> None:
    """The line goes on from it, and it is not found a second time."""
    table = wrong()
    ruled(table, Decision.DISMISS)
    play(table, "35R")
    assert not table.state.open_findings
    assert len(happened(table, ev.FindingRaised)) == 1


@pytest.mark.rule("10.12")
@pytest.mark.parametrize("clause", WrongDomino)
def test_rules_wrong_domino_is_ruled_by_the_text_or_by_the_referee(clause: WrongDomino) -> None:
    """Where the text is silent nobody loses a set for it, and taking it back goes without a warning."""
    table = wrong(fours(wrong_domino=clause))
    assert table.state.needs_referee == ("wrong_domino_unspecified" if clause is WrongDomino.REFEREE else None)
    event = ruled(table, Decision.LOST)
    assert isinstance(event, ev.Refused) is (clause is WrongDomino.REFEREE)
    table = wrong(fours(wrong_domino=clause))
    ruled(table, Decision.CONTINUE)
    assert len(table.state.warnings) == (clause is WrongDomino.C7)


@pytest.mark.rule("10.12")
def test_rules_wrong_domino_of_spots_is_the_referees() -> None:
    """The Russian text does not speak of it: it goes back, it stands, or the chief referee has the set replayed."""
    assert spots().wrong_domino is WrongDomino.REFEREE
    table = wrong(spots())
    ruled(table, Decision.RESTART, is_chief=True)
    assert table.is_in(Phase.BETWEEN)
    table = wrong(spots(adjudication=Adjudication.AUTO))
    ruled(table, Decision.DISMISS)
    assert table.is_in(Phase.PLAY)


@pytest.mark.rule("10.13")
def test_rules_wrong_domino_that_went_back_proves_an_earlier_pass_wrong() -> None:
    """Seat 1 passed on sixes and then laid 6-3 wrongly: it goes back, and the pass was wrong."""
    table = play(begun(), "66 P 65R 55R 54R 63R")
    assert set(kinds(table)) == {WRONG, FindingKind.WRONG_PASS}
    rule(table, Decision.CONTINUE, WRONG)
    assert (Seat.S1, tile("63")) in [(seen.seat, seen.tile) for seen in table.state.exposed]
    assert kinds(table) == [FindingKind.WRONG_PASS]
    assert found(table, FindingKind.WRONG_PASS).proven_by in (ProvenBy.PLAY, ProvenBy.EXPOSURE)
    rule(table, Decision.CONFIRM)
    assert table.state.results[0].by is Ending.WRONG_PASS


@pytest.mark.rule("10.13")
def test_rules_domino_that_went_back_is_known_to_be_in_that_hand() -> None:
    """4-3 went back to seat 1: when seat 1 passes on a three later that pass is wrong at once."""
    table = wrong()
    ruled(table, Decision.CONTINUE)
    play(table, "65R 53R 60L P")
    assert Halt.FINDING not in table.state.halts
    play(table, "P")
    assert found(table, FindingKind.WRONG_PASS).proven_by is ProvenBy.EXPOSURE
    assert found(table, FindingKind.WRONG_PASS).seat is Seat.S1
