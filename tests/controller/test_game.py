"""Sets and games through `decide` and `evolve`: moves, passes, endings, points, findings, the ladder, the clock."""

from __future__ import annotations

import random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.decide import TABLE
from controller.game.events import Ending, FindingKind, Reason, Winner
from controller.game.evolve import evolve_all
from controller.game.penalties import lost_game_points
from controller.game.rulesets import Adjudication, Params, WrongDominoAlert
from controller.game.rulings import TEXTS
from controller.game.seen import SeenTile, Sighting
from controller.game.state import AlertKind, Halt, Phase
from controller.game.tiles import End, MonoNs, Pair, Seat, Suit, Tile
from tests.controller.games import (
    LEVEL_DEAL,
    LOCKING_DEAL,
    LOCKING_MOVES,
    NAMES,
    Table,
    at,
    at_the_table,
    in_a_row,
    looks,
    random_evening,
    seen,
)

IMMEDIATE = Params(wrong_domino_alert=WrongDominoAlert.IMMEDIATE)
SILENT = Params(wrong_domino_alert=WrongDominoAlert.SILENT)
AUTO = Params(adjudication=Adjudication.AUTO)


def reason(event: ev.Event | None) -> Reason:
    """Why an input was refused."""
    assert isinstance(event, ev.Refused), event
    return event.reason


def seeds_where(wanted: Any, *, tries: int = 200) -> Table:
    """The first of the tables that `wanted(seed)` makes and that is not None."""
    for seed in range(tries):
        table = wanted(seed)
        if table is not None:
            assert isinstance(table, Table)
            return table
    raise AssertionError(f"none of {tries} seeds gave the wanted game")


def ended_by(ending: Ending, seed: int) -> Table | None:
    """A set of random play if it came to this end."""
    table = Table(random.Random(seed))
    table.open_game()
    table.open_set()
    table.play_to_count()
    return table if table.state.ending is ending else None


# --- a set ---


def test_lead_may_be_any_domino_and_the_turn_goes_clockwise() -> None:
    """Any domino leads, and after each seat the next one clockwise is on turn."""
    table = at_the_table(moves=5)
    assert [ply.seat for ply in table.state.plies] == [0, 1, 2, 3, 0]
    assert table.state.turn is Seat.S1
    assert table.state.line.ends == (6, 3)


def test_lead_is_where_the_game_says() -> None:
    """The first set is led by the seat the referee named."""
    table = Table()
    table.open_game(lead=Seat.S2)
    table.open_set()
    assert table.state.turn is Seat.S2
    assert reason(table.do(cmd.LayDomino(at(1), Suit(1), Suit(2), End.FIRST, Seat.S0))) is Reason.OUT_OF_TURN


@pytest.mark.parametrize(
    ("inner", "outer", "end", "why"),
    [
        (1, 6, "R", Reason.TILE_ALREADY_PLAYED),
        (6, 1, "L", Reason.TILE_ALREADY_PLAYED),
        (1, 7, "R", Reason.NO_SUCH_TILE),
        (-1, 1, "L", Reason.NO_SUCH_TILE),
        (1, 2, "first", Reason.BAD_END),
    ],
)
def test_impossible_domino_changes_nothing(inner: int, outer: int, end: str, why: Reason) -> None:
    """A domino that lies already, that does not exist or that joins nothing is refused; the set stays as it was."""
    table = at_the_table(moves=1)
    before = table.state
    assert reason(table.lay(inner, outer, end)) is why
    assert table.state == before


def test_first_domino_has_no_end_to_join() -> None:
    """The first domino of a set cannot be laid at the left or right end."""
    assert reason(at_the_table().lay(6, 1, "R")) is Reason.BAD_END


def test_pass_before_the_first_move_is_impossible() -> None:
    """Any domino may lead, so a press before the first move counts for nothing."""
    table = at_the_table()
    assert reason(table.skip()) is Reason.PASS_BEFORE_FIRST_MOVE
    assert reason(table.skip(2)) is Reason.PASS_BEFORE_FIRST_MOVE
    assert table.state.turn is Seat.S0


def test_pass_out_of_turn_changes_nothing() -> None:
    """Only the seat on turn can pass."""
    table = at_the_table(moves=1)
    assert reason(table.skip(3)) is Reason.OUT_OF_TURN
    assert not table.state.open_findings
    assert table.state.turn is Seat.S1


def test_two_seats_pressing_at_once_are_taken_one_after_the_other() -> None:
    """In the same instant, the seat on turn passes and then its neighbour; the other way round only one counts."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.skip(2)
    assert table.state.turn is Seat.S3
    table = at_the_table(moves=1)
    assert reason(table.skip(2)) is Reason.OUT_OF_TURN
    table.skip(1)
    assert table.state.turn is Seat.S2


def test_same_seat_pressing_twice_passes_once() -> None:
    """A second press of the same seat is out of turn: nobody can pass for his rival."""
    table = at_the_table(moves=1)
    table.skip(1)
    assert reason(table.skip(1)) is Reason.OUT_OF_TURN
    assert table.state.turn is Seat.S2


def test_deadlock_is_known_at_the_closing_move() -> None:
    """The move that shuts the line ends the set, before anybody passes."""
    table = at_the_table(moves=10)
    assert table.is_in(Phase.COUNT)
    assert table.state.ending is Ending.DEADLOCK
    assert table.kinds(2) == ["DominoLaid", "Locked"]
    assert reason(table.skip(2)) is Reason.SET_OVER
    assert reason(table.lay(5, 5, "R")) is Reason.SET_OVER


@pytest.mark.parametrize(
    ("hands", "spots", "points"), [(LOCKING_DEAL, (25, 65), (1.0, 0.0)), (LEVEL_DEAL, (45, 45), (0.5, 0.5))]
)
def test_deadlock_goes_to_the_pair_with_fewer_spots(
    hands: tuple[tuple[Tile, ...], ...], spots: tuple[int, int], points: tuple[float, float]
) -> None:
    """The four hands are counted: fewer spots win the set, equal spots share it."""
    table = at_the_table(hands, moves=10)
    table.count()
    result = table.state.results[0]
    assert (result.spots, result.points, result.by) == (spots, points, Ending.DEADLOCK)
    assert (result.moves, result.passes) == (10, 0)


def test_deadlock_cannot_be_registered_without_a_count() -> None:
    """After a deadlock the spots decide, so the referee cannot waive them."""
    table = at_the_table(moves=10)
    assert reason(table.do(cmd.ConfirmCount(table.now))) is Reason.NOTHING_SHOWN


def test_hands_that_are_not_the_unplayed_dominoes_are_refused() -> None:
    """A count with a domino missing, doubled, laid already, or in the hand of another is refused."""
    table = at_the_table(moves=10)
    hands = [list(table.hand(seat)) for seat in Seat]
    short = [hands[0][1:], *hands[1:]]
    twice = [[hands[1][0], *hands[0][1:]], *hands[1:]]
    laid = [[Tile.of(6, 1), *hands[0][1:]], *hands[1:]]
    moved = [hands[0][1:], [*hands[1], hands[0][0]], *hands[2:]]
    for wrong in (short, twice, laid, moved, hands[:3], []):
        assert reason(table.do(cmd.Count(table.now, tuple(map(tuple, wrong))))) is Reason.BAD_REVEAL
    table.count()
    assert table.is_in(Phase.BETWEEN)


def test_hands_read_by_the_camera_wait_for_the_referees_word() -> None:
    """Dominoes laid open in front of the seats are read, shown, and registered once the referee confirms them."""
    table = at_the_table(moves=10)
    shown = tuple(tuple(seen(t.low, t.high) for t in table.hand(seat)) for seat in Seat)
    table.do(cmd.See(table.now, Sighting(looks(table.state.line).tiles, (), shown)))
    assert table.is_in(Phase.COUNT)
    assert table.state.shown == tuple(tuple(sorted(table.hand(seat))) for seat in Seat)
    assert table.do(cmd.See(table.now, Sighting((), (), shown))) is None
    table.do(cmd.ConfirmCount(table.now))
    assert table.state.results[0].spots == (25, 65)


def test_going_out_wins_whatever_the_spots() -> None:
    """Who lays his last domino wins the set for his pair; the count may be waived."""
    table = seeds_where(lambda seed: ended_by(Ending.OUT, seed))
    out = next(seat for seat in Seat if table.state.tiles_left(seat) == 0)
    table.do(cmd.ConfirmCount(table.now))
    result = table.state.results[0]
    assert (result.by, result.winner.value, result.spots) == (Ending.OUT, out.pair.value, None)


def test_going_out_comes_before_the_deadlock() -> None:
    """The last domino of a hand that also shuts the line is going out: in a deadlock all players have dominoes."""

    def both(seed: int) -> Table | None:
        table = ended_by(Ending.OUT, seed)
        return table if table and table.state.line.is_locked else None

    table = seeds_where(both)
    assert "Locked" not in table.kinds(3)
    table.count()
    assert table.state.results[0].by is Ending.OUT


def test_correct_deadlock_has_the_same_suit_at_both_ends() -> None:
    """A suit has eight halves and joints use them in twos, so without a wrong domino both ends are equal."""
    locked = [table for seed in range(40) if (table := ended_by(Ending.DEADLOCK, seed))]
    assert len(locked) > 3
    assert all(table.state.line.ends == (end := table.happened[-1].suit, end) for table in locked)  # type: ignore[union-attr]


# --- a game ---


def whole_game(seed: int, params: Params) -> Table:
    """The agreed sets by the rules."""
    table = Table(random.Random(seed))
    table.open_game(params, lead=Seat(seed % 4))
    for _ in range(params.sets_in_game):
        table.play_set()
    return table


@pytest.mark.parametrize("sets", [4, 8])
def test_game_has_its_sets_and_the_lead_goes_round(sets: int) -> None:
    """A game of 4 or 8 sets is played out, and the lead moves one seat clockwise whatever the result."""
    table = whole_game(1, Params(sets_in_game=sets, pair_tournament=False))
    assert [result.lead for result in table.state.results] == [(1 + i) % 4 for i in range(sets)]
    assert table.is_in(Phase.GAME_OVER)
    assert sum(table.state.points) == sets


def test_three_to_nothing_is_played_out() -> None:
    """A game that can no longer be lost still has its fourth set."""

    def three_nil(seed: int) -> Table | None:
        table = Table(random.Random(seed))
        table.open_game()
        for _ in range(3):
            table.play_set()
        return table if 3.0 in table.state.points else None

    table = seeds_where(three_nil)
    assert table.is_in(Phase.BETWEEN)
    table.play_set()
    assert table.is_in(Phase.GAME_OVER)


def level_game(seed: int, *, pair_tournament: bool) -> Table | None:
    """Four sets if they end level."""
    table = whole_game(seed, Params(pair_tournament=pair_tournament))
    return table if table.state.points == (2.0, 2.0) else None


def test_level_game_of_a_tournament_has_an_extra_set_with_a_drawn_lead() -> None:
    """Two all is not the end: the lead is drawn and one more set decides."""
    table = seeds_where(lambda seed: level_game(seed, pair_tournament=True))
    assert table.is_in(Phase.BETWEEN)
    assert table.state.lead is None
    assert reason(table.do(cmd.StartSet(table.now))) is Reason.LEAD_MUST_BE_DRAWN
    while not table.is_in(Phase.GAME_OVER):
        table.play_set()
    assert table.state.winner is not Winner.DRAW
    assert sum(table.state.points) == len(table.state.results) >= 5


def test_level_extra_set_is_followed_by_another_with_the_lead_moved_on() -> None:
    """A shared extra set decides nothing: the next one is led by the next seat."""
    table = seeds_where(lambda seed: level_game(seed, pair_tournament=True))
    table.deal = LEVEL_DEAL
    table.do(cmd.StartSet(table.now, Seat.S0))
    for number, word in enumerate(LOCKING_MOVES.split()):
        table.lay(int(word[0]), int(word[1]), "R" if number else "first")
    table.count()
    assert table.state.points == (2.5, 2.5)
    assert (table.state.phase, table.state.lead) == (Phase.BETWEEN, Seat.S1)


def test_level_game_outside_a_tournament_is_a_draw() -> None:
    """Where the regulations allow a draw, two all is the result."""
    table = seeds_where(lambda seed: level_game(seed, pair_tournament=False))
    assert (table.state.phase, table.state.winner) == (Phase.GAME_OVER, Winner.DRAW)


def test_lead_cannot_be_chosen_within_the_game() -> None:
    """Only for the first extra set may the referee say who leads."""
    table = Table()
    table.open_game()
    assert reason(table.do(cmd.StartSet(at(1), Seat.S2))) is Reason.LEAD_IS_FIXED
    table.do(cmd.StartSet(at(1), Seat.S0))
    assert table.is_in(Phase.PLAY)


def test_new_game_can_follow_the_old_one() -> None:
    """After the result a new game begins with an empty register."""
    table = whole_game(3, Params(pair_tournament=False))
    assert reason(table.do(cmd.StartSet(table.now))) is Reason.GAME_OVER
    table.open_game()
    assert (table.state.phase, table.state.results, table.state.winner) == (Phase.BETWEEN, (), None)


def test_running_game_is_only_given_up_on_purpose() -> None:
    """A new game in the middle of another is refused unless the referee says that the old one is given up."""
    table = at_the_table(moves=3)
    assert reason(table.do(cmd.StartGame(table.now, NAMES, Seat.S3, Params()))) is Reason.GAME_RUNNING
    table.do(cmd.LoseCamera(table.now, "dark"))
    table.do(cmd.StartGame(table.now, NAMES, Seat.S3, Params(), abandon=True))
    state = table.state
    assert (state.phase, state.lead, state.plies, state.results) == (Phase.BETWEEN, Seat.S3, (), ())
    assert state.camera_trouble == "dark"


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), alert=st.sampled_from(WrongDominoAlert), who=st.sampled_from(Adjudication))
def test_random_evening_keeps_every_invariant(seed: int, alert: WrongDominoAlert, who: Adjudication) -> None:
    """Random play with accidents: dominoes, turns, clock, points, lamps and scoreboard are right after every event."""
    random_evening(seed, params=Params(adjudication=who, wrong_domino_alert=alert))


# --- the wrong domino ---


def with_wrong_domino(params: Params | None = None, *, later_moves: int = 0) -> Table:
    """Seat 1 has laid 3-4 where a 1 or a 6 is open; then others have moved."""
    table = at_the_table(moves=1, params=params)
    table.lay(3, 4, "R")
    for inner, outer in ((4, 6), (6, 6), (6, 3))[:later_moves]:
        table.lay(inner, outer, "R")
    return table


@pytest.mark.parametrize(
    ("params", "is_halted", "is_told"), [(IMMEDIATE, True, True), (Params(), False, True), (SILENT, False, False)]
)
def test_wrong_domino_is_told_as_loudly_as_the_regulations_say(params: Params, is_halted: bool, is_told: bool) -> None:
    """It lies in the line; the referee is buzzed and play stops, or only buzzed, or nobody is told."""
    table = with_wrong_domino(params)
    assert table.state.line.ends == (6, 4)
    assert (Halt.FINDING in table.state.halts) == is_halted
    assert (table.state.alert is not None) == is_told
    assert bool(table.state.told_findings) == is_told
    assert len(table.state.open_findings) == 1
    assert table.state.turn is Seat.S2


@pytest.mark.parametrize(
    ("inner", "outer", "end"),
    [(3, 4, "R"), (2, 1, "R"), (1, 2, "L"), (0, 6, "R")],
    ids=["none", "half", "end", "turned"],
)
def test_wrong_domino_is_any_joint_that_does_not_match(inner: int, outer: int, end: str) -> None:
    """A domino that fits nowhere, at the other end only, or with its wrong half inwards is wrong all the same."""
    table = at_the_table(moves=1)
    table.lay(inner, outer, end)
    assert table.state.open_findings[0].kind is FindingKind.WRONG_DOMINO


def test_silent_wrong_domino_is_told_when_the_line_is_closed() -> None:
    """With a silent table the referee learns of it at the end of the set, and no points stand before he has ruled."""
    table = seeds_where(lambda seed: closed_with_wrong_domino(seed, SILENT))
    assert table.is_in(Phase.COUNT)
    assert table.state.told_findings == table.state.open_findings != ()
    offender = table.state.open_findings[0].pair
    assert offender is not None
    table.count()
    assert table.is_in(Phase.COUNT)
    table.rule(Decision.LOST)
    result = table.state.results[0]
    assert (result.by, result.winner.value) == (Ending.WRONG_DOMINO, offender.rivals.value)


def closed_with_wrong_domino(seed: int, params: Params) -> Table | None:
    """A set of random play with one wrong domino in it that came to an end of its own."""
    table = Table(random.Random(seed))
    table.open_game(params)
    table.open_set()
    for _ in range(6):
        table.play_one()
    if not table.play_wrong():
        return None
    table.play_to_count()
    return table if len(table.state.open_findings) == 1 else None


def test_continue_takes_the_domino_back_and_the_same_seat_moves() -> None:
    """Found at once: the domino goes back, the pair is warned, the seat moves again when it is off the table."""
    table = with_wrong_domino()
    table.wait(9)
    table.rule(Decision.CONTINUE)
    state = table.state
    assert (state.turn, state.line.ends, state.tiles_left(Seat.S1)) == (Seat.S1, (6, 1), 7)
    assert state.take_back == (Tile.of(3, 4),)
    assert state.halts == {Halt.TAKE_BACK}
    assert [state.warnings_of(pair) for pair in Pair] == [0, 1]
    table.do(cmd.See(table.now, looks(state.line, seen(3, 4))))
    assert table.state.halts == {Halt.TAKE_BACK}
    table.do(cmd.See(table.now, looks(state.line)))
    assert table.state.clock.is_running
    assert table.state.clock.elapsed_ns(table.now) == 0


def test_continue_lets_the_seat_pass_too() -> None:
    """After a wrong domino has gone back its player may pass if nothing fits."""
    table = with_wrong_domino()
    table.rule(Decision.CONTINUE)
    table.skip(1)
    assert table.state.turn is Seat.S2


def test_second_wrong_domino_in_the_same_place_is_found_as_well() -> None:
    """Having taken one wrong domino back, the player lays another: it is a finding of its own and costs the set."""
    table = with_wrong_domino()
    table.rule(Decision.CONTINUE)
    table.lay(5, 5, "R")
    assert len(table.state.open_findings) == 1
    table.rule(Decision.CONTINUE)
    result = table.state.results[0]
    assert (result.by, result.winner) == (Ending.SECOND_WARNING, Winner.A)


def test_hands_shown_too_early_do_not_outlive_a_domino_taken_back() -> None:
    """A last domino that was wrong goes back: the hands already shown are not those of the later count."""

    def last_wrong(seed: int) -> Table | None:
        table = Table(random.Random(seed))
        table.open_game()
        table.open_set()
        while table.state.phase is Phase.PLAY:
            turn = table.state.turn
            assert turn is not None
            if table.state.tiles_left(turn) == 1 and table.play_wrong():
                break
            table.play_one()
        return table if table.state.ending is Ending.OUT and table.state.open_findings else None

    table = seeds_where(last_wrong)
    shown = tuple(tuple(seen(t.low, t.high) for t in table.hand(seat)) for seat in Seat)
    table.do(cmd.See(table.now, Sighting((), (), shown)))
    assert table.state.shown is not None
    table.rule(Decision.CONTINUE)
    assert table.is_in(Phase.PLAY)
    assert table.state.shown is None


def test_restart_plays_the_set_again_with_the_same_lead() -> None:
    """The referee may order the set played again: nothing is registered, the warning stays."""
    table = with_wrong_domino()
    table.rule(Decision.RESTART)
    state = table.state
    assert (state.phase, state.lead, state.results) == (Phase.BETWEEN, Seat.S0, ())
    assert state.warnings_of(Pair.B) == 1
    table.open_set()
    assert table.state.turn is Seat.S0


def test_wrong_domino_found_later_loses_the_set_without_a_warning() -> None:
    """Found after the next seat has acted it cannot go back: the pair loses the set, or the set is played again."""
    table = with_wrong_domino(later_moves=2)
    assert reason(table.rule(Decision.CONTINUE)) is Reason.FOUND_TOO_LATE
    table.rule(Decision.LOST)
    result = table.state.results[0]
    assert (result.by, result.winner, result.points) == (Ending.WRONG_DOMINO, Winner.A, (1.0, 0.0))
    assert not table.state.warnings


def test_late_restart_warns_nobody() -> None:
    """A player who cannot be found cannot be warned."""
    table = with_wrong_domino(later_moves=1)
    table.rule(Decision.RESTART)
    assert (table.state.phase, table.state.warnings) == (Phase.BETWEEN, ())


def test_next_seats_pass_makes_it_too_late() -> None:
    """A pass of the next seat is an act as well: the wrong domino was not found at once."""
    table = with_wrong_domino()
    table.skip()
    assert reason(table.rule(Decision.CONTINUE)) is Reason.FOUND_TOO_LATE


def test_dismissed_domino_stays_and_is_not_told_again() -> None:
    """The referee saw that nothing was wrong: play goes on and the finding does not come back."""
    table = with_wrong_domino()
    table.rule(Decision.DISMISS)
    table.lay(4, 6, "R")
    assert not table.state.open_findings
    assert table.state.alert is None
    assert len(table.state.line.placed) == 3


def test_decision_must_belong_to_the_finding() -> None:
    """A wrong domino cannot be confirmed as a pass, and a ruling needs an open finding."""
    table = with_wrong_domino()
    assert reason(table.rule(Decision.CONFIRM)) is Reason.NOT_A_DECISION
    assert reason(table.do(cmd.Rule(table.now, 99, Decision.DISMISS))) is Reason.NO_SUCH_FINDING
    number = table.finding()
    table.rule(Decision.DISMISS)
    assert reason(table.do(cmd.Rule(table.now, number, Decision.DISMISS))) is Reason.NO_SUCH_FINDING


def test_warning_may_not_count_where_the_regulations_say_so() -> None:
    """With the parameter off the warning is written down and is no rung of the ladder."""
    table = with_wrong_domino(Params(wrong_domino_warning_counts=False))
    table.rule(Decision.CONTINUE)
    assert [warning.counts for warning in table.state.warnings] == [False]
    assert table.state.warnings_of(Pair.B) == 0


def warned(times: int) -> Table:
    """Pair A leads 1 to 0, has been warned so many times, and now seat 2 has laid a wrong domino."""
    table = at_the_table(moves=10)
    table.count()
    table.open_set(LOCKING_DEAL)
    table.lay(1, 2, "first")
    table.lay(5, 5, "R")
    table.state = evolve_all(table.state, (ev.WarningGiven(table.now, Seat.S0, "talk"),) * times)
    return table


@pytest.mark.parametrize("decision", [Decision.CONTINUE, Decision.RESTART])
def test_second_warning_loses_the_set_whatever_the_decision(decision: Decision) -> None:
    """The pair's second warning in the game costs the set in progress, even one ordered to be played again."""
    table = warned(1)
    table.rule(decision)
    result = table.state.results[-1]
    assert (result.by, result.winner) == (Ending.SECOND_WARNING, Winner.B)
    assert (table.state.phase, table.state.points) == (Phase.BETWEEN, (1.0, 1.0))


def test_third_warning_loses_the_game() -> None:
    """The third warning ends the game at once; a pair that was leading loses it by the margin of one set."""
    table = warned(2)
    table.rule(Decision.CONTINUE)
    assert (table.state.phase, table.state.winner) == (Phase.GAME_OVER, Winner.B)
    assert table.state.points == (1.5, 2.5)
    assert len(table.state.results) == 1, "the set that was being played is not played to its end"


@pytest.mark.parametrize(
    ("sets", "before", "after"),
    [
        (4, (2, 1), (1.5, 2.5)),
        (4, (3, 0), (1.5, 2.5)),
        (8, (5, 1), (3.5, 4.5)),
        (8, (1, 3), (1, 4.5)),
        (8, (2, 5), (2, 5)),
        (8, (2, 2), (2, 4.5)),
    ],
)
def test_game_lost_by_warnings_is_scored_by_the_margin_of_one(
    sets: int, before: tuple[float, float], after: tuple[float, float]
) -> None:
    """A leading offender loses by one set; otherwise the rivals are raised to the winning points if below them."""
    params = Params(sets_in_game=sets)
    assert lost_game_points(before, Pair.A, params) == after
    assert lost_game_points((before[1], before[0]), Pair.B, params) == (after[1], after[0])


# --- the wrong pass ---


def with_wrong_pass(params: Params | None = None) -> Table:
    """Seat 1 passes with 6 and 1 open and lays 0-6 four acts later."""
    table = at_the_table(moves=1, params=params)
    table.skip(1)
    for inner, outer, end in ((6, 2, "L"), (1, 5, "R"), (5, 0, "R"), (0, 6, "R")):
        table.wait(1)
        table.lay(inner, outer, end)
    return table


def test_wrong_pass_is_proven_by_a_later_move() -> None:
    """Nothing is ever drawn: a domino laid later was in hand at the pass, and the referee is told which and when."""
    table = with_wrong_pass()
    finding = table.state.open_findings[0]
    assert (finding.kind, finding.seat, finding.ply, finding.clause) == (FindingKind.WRONG_PASS, Seat.S1, 1, "C6.1")
    assert finding.text == "Bob passed (act 2) with 6 and 1 open, and later laid 6-0 (act 6), which fitted then."
    assert table.state.halts == {Halt.FINDING}
    assert reason(table.skip(2)) is Reason.HALTED
    table.rule(Decision.CONFIRM)
    result = table.state.results[0]
    assert (result.by, result.winner, result.spots) == (Ending.WRONG_PASS, Winner.A, None)
    assert not table.state.warnings


def test_wrong_pass_confirms_itself_in_a_written_record() -> None:
    """With adjudication auto the set is lost at the proof."""
    table = with_wrong_pass(AUTO)
    assert table.state.results[0].by is Ending.WRONG_PASS


def test_dismissed_pass_is_not_told_again() -> None:
    """The referee knows better, perhaps a misread domino: play goes on and this pass stays at peace."""
    table = with_wrong_pass()
    assert reason(table.rule(Decision.CONTINUE)) is Reason.NOT_A_DECISION
    assert reason(table.rule(Decision.LOST)) is Reason.NOT_A_DECISION
    table.rule(Decision.DISMISS)
    table.lay(6, 4, "R")
    assert not table.state.findings[0].is_open
    assert table.state.turn is Seat.S3


def test_wrong_pass_is_proven_by_the_shown_hands() -> None:
    """A fitting domino kept to the end is found at the count, and the pair loses the set it may have won."""

    def kept(seed: int) -> Table | None:
        table = Table(random.Random(seed))
        table.open_game()
        table.open_set()
        wrong_at = 4 + seed % 12
        while table.state.phase is Phase.PLAY and not table.state.open_findings:
            if len(table.state.plies) == wrong_at:
                table.skip()
            else:
                table.play_one()
        if table.state.phase is not Phase.COUNT or table.state.open_findings:
            return None
        table.count()
        return table if table.state.open_findings else None

    table = seeds_where(kept)
    finding = table.state.open_findings[0]
    assert finding.kind is FindingKind.WRONG_PASS
    assert finding.pair is not None
    assert "at the count showed" in finding.text
    table.rule(Decision.CONFIRM)
    assert table.state.results[0].winner.value == finding.pair.rivals.value


def test_truthful_play_never_raises_a_finding() -> None:
    """Players who play by the rules are never accused."""
    for seed in range(6):
        table = Table(random.Random(seed))
        table.open_game(Params(pair_tournament=False))
        while not table.is_in(Phase.GAME_OVER):
            table.play_set()
        assert not any(isinstance(event, ev.FindingRaised | ev.Refused) for event in table.happened)


# --- the clock ---


def test_fifteen_seconds_are_in_time_and_a_nanosecond_more_is_not() -> None:
    """Exactly the time given is no offence; the first instant beyond it is noted, once."""
    table = at_the_table(moves=1)
    start = table.now
    assert table.do(cmd.Tick(MonoNs(start + 15_000_000_000))) is None
    noted = table.do(cmd.Tick(MonoNs(start + 15_000_000_001)))
    assert noted == ev.TimeExceeded(MonoNs(start + 15_000_000_001), Seat.S1)
    assert table.do(cmd.Tick(MonoNs(start + 30_000_000_000))) is None
    assert table.state.alert is not None
    assert table.state.alert.kind is AlertKind.TIME
    assert not table.state.warnings


def test_time_is_given_anew_for_every_move() -> None:
    """The clock of a move starts at nothing, after a move and after a pass."""
    table = at_the_table(moves=1)
    table.wait(20)
    table.do(cmd.Tick(table.now))
    table.skip(1)
    assert not table.state.is_overtime
    table.wait(15)
    assert table.do(cmd.Tick(table.now)) is None
    table.lay(1, 1, "R")
    assert table.state.clock.elapsed_ns(table.now) == 0


def test_pause_keeps_the_time_already_thought() -> None:
    """Nothing runs while paused, and afterwards the clock goes on from where it stood."""
    table = at_the_table(moves=1)
    table.wait(10)
    table.do(cmd.Pause(table.now))
    assert reason(table.do(cmd.Pause(table.now))) is Reason.ALREADY_PAUSED
    assert reason(table.skip(1)) is Reason.HALTED
    table.wait(100)
    assert table.do(cmd.Tick(table.now)) is None
    table.do(cmd.Resume(table.now))
    assert reason(table.do(cmd.Resume(table.now))) is Reason.NOT_PAUSED
    table.wait(5)
    assert table.do(cmd.Tick(table.now)) is None
    table.wait(0.001)
    assert isinstance(table.do(cmd.Tick(table.now)), ev.TimeExceeded)


def test_domino_laid_during_a_pause_counts_when_play_goes_on() -> None:
    """What is seen while paused is not judged; seen again afterwards it is the move."""
    table = at_the_table(moves=1)
    sighting = looks(table.state.line, seen(1, 2))
    table.do(cmd.Pause(table.now))
    assert table.do(cmd.See(table.now, sighting)) is None
    table.do(cmd.Resume(table.now))
    assert isinstance(table.do(cmd.See(table.now, sighting)), ev.DominoLaid)


def test_lost_camera_stops_the_clock() -> None:
    """No thinking time passes while nothing can be seen, and no pass counts."""
    table = at_the_table(moves=1)
    table.wait(4)
    table.do(cmd.LoseCamera(table.now, "a cover on the lens"))
    assert table.do(cmd.LoseCamera(table.now, "again")) is None
    table.wait(60)
    assert reason(table.skip(1)) is Reason.HALTED
    table.do(cmd.RegainCamera(table.now))
    assert table.do(cmd.RegainCamera(table.now)) is None
    assert table.state.clock.elapsed_ns(table.now) == at(4)
    assert table.state.alert is None


def test_restart_of_the_program_keeps_time_and_halts() -> None:
    """After a power cut the set is there with its clock paused: what was thought stays thought, on a new clock."""
    table = at_the_table(moves=1)
    table.wait(6)
    table.do(cmd.CallReferee(table.now, Seat.S3))
    table.wait(2)
    table.seconds = 0.5  # the machine counts from its own start
    table.do(cmd.Restart(table.now))
    assert table.state.halts == {Halt.RESTARTED}
    assert table.state.clock.elapsed_ns(table.now) == at(6)
    table.wait(30)
    assert table.do(cmd.Tick(table.now)) is None
    table.do(cmd.Resume(table.now))
    table.wait(9)
    assert table.do(cmd.Tick(table.now)) is None
    table.wait(0.001)
    assert isinstance(table.do(cmd.Tick(table.now)), ev.TimeExceeded)


def test_restart_keeps_what_the_table_waits_for() -> None:
    """A finding and a domino that has to go back are still there after a power cut."""
    table = with_wrong_domino(IMMEDIATE)
    table.do(cmd.Restart(at(0)))
    assert table.state.halts == {Halt.FINDING, Halt.RESTARTED}
    table.rule(Decision.CONTINUE)
    table.do(cmd.Restart(at(0)))
    assert table.state.halts == {Halt.TAKE_BACK, Halt.RESTARTED}


# --- the set begins by itself, the table is cleared ---


def test_lead_made_before_the_referee_started_the_set_counts() -> None:
    """One domino in the swept middle is the lead's first move: the set begins with it."""
    table = Table()
    table.open_game()
    table.do(cmd.See(at(1), in_a_row(seen(5, 3))))
    assert table.kinds(2) == ["SetStarted", "DominoLaid"]
    assert (table.state.turn, table.state.line.ends) == (Seat.S1, (5, 3))


def test_line_of_the_last_set_must_go_before_the_next_one_leads() -> None:
    """Dominoes of the last set are no lead, until the middle has been seen empty."""
    table = at_the_table(moves=10)
    table.count()
    assert table.do(cmd.See(table.now, in_a_row(seen(6, 1)))) is None
    assert isinstance(table.do(cmd.See(table.now, Sighting())), ev.TableCleared)
    table.do(cmd.See(table.now, in_a_row(seen(6, 1))))
    assert table.state.turn is Seat.S2


def test_two_dominoes_are_no_lead() -> None:
    """With two dominoes in the middle, or hands shown, nothing begins."""
    table = Table()
    table.open_game()
    assert table.do(cmd.See(at(1), in_a_row(seen(5, 3), seen(3, 3)))) is None
    assert table.do(cmd.See(at(1), Sighting((seen(5, 3),), (), ((seen(1, 1),), (), (), ())))) is None
    assert table.do(cmd.See(at(1), Sighting((SeenTile(None, None),)))) is None
    assert table.is_in(Phase.BETWEEN)


def test_called_referee_is_buzzed_and_acknowledges() -> None:
    """Any seat may call the referee at any time; acknowledged, the alert is gone."""
    table = at_the_table(moves=1)
    table.do(cmd.CallReferee(table.now, Seat.S3))
    assert table.state.alert is not None
    assert table.state.alert.text == "Dan calls the referee."
    table.do(cmd.Acknowledge(table.now))
    assert table.state.alert is None
    assert table.do(cmd.Acknowledge(table.now)) is None


# --- the table of commands ---


def test_every_command_has_its_answer_in_every_phase() -> None:
    """No pair of phase and command is left open: something is done, or it is refused with a sentence."""
    assert set(TABLE) == set(get_args(cmd.Command))
    assert all(set(row) == set(Phase) for row in TABLE.values())
    assert set(TEXTS) == set(Reason)
    for row in TABLE.values():
        assert all(callable(handler) or isinstance(handler, Reason) for handler in row.values())


def test_nothing_is_done_without_a_game() -> None:
    """Before a game begins every act of play is refused and the state stays what it was."""
    table = Table()
    acts = (cmd.StartSet(at(1)), cmd.Pass(at(1), Seat.S0), cmd.Count(at(1), ()), cmd.ConfirmCount(at(1)))
    for act in acts:
        assert reason(table.do(act)) is Reason.NO_GAME
    assert reason(table.do(cmd.Undo(at(1)))) is Reason.NOTHING_TO_UNDO
    assert table.is_in(Phase.IDLE)


def test_restarted_set_keeps_its_leader_and_registers_nothing() -> None:
    """What can't be cleared up is played again, from a set in progress as from the count; undo takes the order back."""
    for moves in (5, len(LOCKING_MOVES.split())):
        table = at_the_table(moves=moves)
        before = table.state
        annulled = table.do(cmd.RestartSet(table.now))
        assert isinstance(annulled, ev.SetAnnulled)
        assert (table.state.phase, table.state.lead, table.state.results) == (Phase.BETWEEN, Seat.S0, ())
        table.do(cmd.Undo(table.now))
        assert table.state == before


def test_domino_left_over_from_the_last_game_leads_no_new_one() -> None:
    """The table has to be cleared first: what lies there is nobody's first move."""
    table = at_the_table(moves=1)
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, Params(), abandon=True))
    assert table.do(cmd.See(table.now, in_a_row(seen(6, 1)))) is None
    assert table.is_in(Phase.BETWEEN)
    table.do(cmd.See(table.now, Sighting()))
    table.do(cmd.See(table.now, in_a_row(seen(5, 3))))
    assert table.is_in(Phase.PLAY)


def test_game_given_up_by_mistake_comes_back() -> None:
    """A new game needs the word abandon while another is in progress, and undo brings the old one back."""
    table = at_the_table(moves=5)
    before = table.state
    names = ("a", "b", "c", "d")
    refused = table.do(cmd.StartGame(table.now, names, Seat.S0, Params()))
    assert isinstance(refused, ev.Refused)
    assert refused.reason is Reason.GAME_RUNNING
    table.do(cmd.StartGame(table.now, names, Seat.S0, Params(), abandon=True))
    assert (table.state.names, table.state.plies) == (names, ())
    table.do(cmd.Undo(table.now))
    assert table.state == before
