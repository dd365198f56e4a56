"""Chapter 16 of docs/rules.md, second half: corrections, undo and redo, pauses, calls, mute."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.panel import Phrase, Sign, panel
from controller.game.rulesets import Adjudication, fours
from controller.game.snapshot import snapshot
from controller.game.state import AlertKind, Halt, Phase
from controller.game.tiles import Pair, Seat
from tests.controller.games import NAMES, looks, seen
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import CUP, begun, count, kinds, locked, opened, play, refused, rule, tile, warn


@pytest.mark.rule("16.8")
def test_rules_misread_domino_can_be_corrected() -> None:
    """It was no 4-3 but 6-5: the wrong domino is none, and the line goes on from the five."""
    table = play(begun(), "66 43R")
    table.do(cmd.Correct(table.now, 1, 6, 5, "Eve"))
    assert table.state.line.ends == (6, 5)
    assert not table.state.open_findings
    play(table, "54R")


@pytest.mark.rule("16.8")
def test_rules_correction_can_show_what_was_not_seen() -> None:
    """It was no 6-5 but 4-3: now it is a wrong domino."""
    table = play(begun(), "66 65R")
    table.do(cmd.Correct(table.now, 1, 4, 3, "Eve"))
    assert kinds(table) == [FindingKind.WRONG_DOMINO]


@pytest.mark.rule("16.8")
def test_rules_correction_clears_the_pass_that_the_misreading_accused() -> None:
    """The domino that spoke against seat 1 was no 6-4 but 4-1: its pass on sixes was right."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    assert kinds(table) == [FindingKind.WRONG_PASS]
    table.do(cmd.Correct(table.now, 5, 4, 1, "Eve"))
    assert kinds(table) == []
    assert table.state.clock.is_running


@pytest.mark.rule("16.8")
@pytest.mark.rule("11.4")
def test_rules_move_given_to_another_seat_clears_the_pass_that_it_accused() -> None:
    """The six-four was seat 2's, seat 1 having passed a second time by voice: nothing speaks against it any more."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    table.do(cmd.Attribute(table.now, 5, 2, "Eve"))
    assert [finding.seat for finding in table.state.open_findings] == []


@pytest.mark.rule("16.8")
def test_rules_correction_of_an_earlier_act_reaches_the_passes_after_it() -> None:
    """The double six was a double five: nobody has passed on sixes, so the six-four later is no offence."""
    table = play(begun(), "66 P 65R 54R 64R")
    table.do(cmd.Correct(table.now, 0, 5, 5, "Eve"))
    assert FindingKind.WRONG_PASS not in kinds(table)


@pytest.mark.rule("16.8")
@pytest.mark.parametrize(
    ("ply", "halves"),
    [(1, (6, 6)), (1, (6, 5)), (2, (6, 4)), (9, (6, 4))],
    ids=["lies elsewhere", "the same", "a pass", "no act"],
)
def test_rules_correction_that_cannot_be_is_refused(ply: int, halves: tuple[int, int]) -> None:
    """A domino that lies elsewhere, no change, an act that is no move."""
    table = play(begun(), "66 65R P")
    assert refused(table, cmd.Correct(table.now, ply, *halves)) is Reason.CANNOT_AMEND


@pytest.mark.rule("16.8")
def test_rules_correction_can_open_a_set_that_was_closed_by_a_misreading() -> None:
    """The last domino was misread and the line is not locked: play goes on."""
    table = locked(opened(), Pair.A, counted=False)
    table.do(cmd.Correct(table.now, 9, 0, 4, "Eve"))
    assert table.is_in(Phase.PLAY)
    assert table.state.turn is Seat.S2


@pytest.mark.rule("16.9")
def test_rules_undo_takes_back_the_last_act_with_all_that_followed() -> None:
    """The count that won the set, the move before it, the warning: line, clock, score and lead come back."""
    table = locked(opened(), Pair.A)
    assert table.state.points == (1, 0)
    table.do(cmd.Undo(table.now))
    assert table.state.points == (0, 0)
    assert table.is_in(Phase.COUNT)
    assert table.state.lead is Seat.S0
    table.do(cmd.Undo(table.now))
    assert table.is_in(Phase.PLAY)
    assert table.state.turn is Seat.S1
    table = warn(begun(), 0, 0)
    table.do(cmd.Undo(table.now))
    assert table.is_in(Phase.PLAY)
    assert table.state.warnings_of(Pair.A) == 1


@pytest.mark.rule("16.9")
def test_rules_undo_takes_back_the_referees_own_word() -> None:
    """A wrong pass was confirmed by mistake: the finding is open again, the set goes on."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    rule(table, Decision.CONFIRM)
    assert table.state.points == (1, 0)
    table.do(cmd.Undo(table.now))
    assert table.state.points == (0, 0)
    assert kinds(table) == [FindingKind.WRONG_PASS]


@pytest.mark.rule("16.9")
def test_rules_undo_goes_down_to_the_start_of_the_game() -> None:
    """Act after act is taken back, the game itself last; then there is nothing."""
    table = play(begun(), "66 65R")
    for _ in range(4):
        assert isinstance(table.do(cmd.Undo(table.now)), ev.Undone)
    assert table.is_in(Phase.IDLE)
    assert refused(table, cmd.Undo(table.now)) is Reason.NOTHING_TO_UNDO


@pytest.mark.rule("16.10")
def test_rules_domino_of_an_undone_move_has_to_leave_the_table() -> None:
    """While it lies the clock stands, and it is not taken for a new move."""
    table = play(begun(), "66 65R")
    lying = looks(table.state.line)
    table.do(cmd.Undo(table.now))
    assert table.state.take_back == (tile("65"),)
    assert table.state.halts == {Halt.TAKE_BACK}
    table.do(cmd.See(table.now, lying))
    assert len(table.state.plies) == 1
    table.do(cmd.See(table.now, looks(table.state.line)))
    assert not table.state.halts
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5))))
    assert len(table.state.plies) == 2


@pytest.mark.rule("16.11")
def test_rules_clock_is_stopped_and_let_run_once() -> None:
    """Twice the same is refused; in the pause the referee can warn."""
    table = play(begun(), "66")
    assert refused(table, cmd.Resume(table.now)) is Reason.NOT_PAUSED
    table.do(cmd.Pause(table.now))
    assert not table.state.clock.is_running
    assert refused(table, cmd.Pause(table.now)) is Reason.ALREADY_PAUSED
    warn(table, 1)
    assert table.state.warnings_of(Pair.B) == 1
    table.do(cmd.Resume(table.now))
    assert table.state.clock.is_running


@pytest.mark.rule("16.11")
def test_rules_count_and_ruling_are_possible_in_a_pause() -> None:
    """The pause stops the players, not the referee."""
    table = play(begun(), "66 P 65R 54R 63L 46R")
    table.do(cmd.Pause(table.now))
    rule(table, Decision.DISMISS)
    assert kinds(table) == []
    table = play(begun(), OUT_15.acts)
    table.do(cmd.Pause(table.now))
    count(table, OUT_15.left)
    assert table.state.points == (1, 0)


@pytest.mark.rule("16.12")
def test_rules_set_waits_after_a_restart_of_the_program() -> None:
    """Six seconds were thought when the pause began; after the restart the referee lets play go on, six are used."""
    table = play(begun(), "66")
    table.wait(6.0)
    table.do(cmd.Pause(table.now))
    table.do(cmd.Resume(table.now))
    table.do(cmd.Restart(table.now))
    assert table.state.halts == {Halt.RESTARTED}
    table.wait(600.0)
    table.do(cmd.Resume(table.now))
    assert table.state.clock.elapsed_ns(table.now) == 6_000_000_000
    assert table.state.clock.is_running
    assert table.state.line.ends == (6, 6)


@pytest.mark.rule("16.13")
@pytest.mark.parametrize("seat", Seat)
def test_rules_any_player_may_call_the_referee(seat: Seat) -> None:
    """On turn or not, he is heard; line, turn and score stay."""
    table = play(begun(fours(adjudication=Adjudication.AUTO)), "66")
    before = (table.state.plies, table.state.turn, table.state.points, table.state.clock)
    table.do(cmd.CallReferee(table.now, seat))
    assert table.state.alert is not None
    assert table.state.alert.kind is AlertKind.CALLED
    assert (table.state.plies, table.state.turn, table.state.points, table.state.clock) == before


@pytest.mark.rule("16.14")
def test_rules_redo_lets_stand_again_what_was_taken_back() -> None:
    """Three acts are taken back and stand again, one after the other, with line, clock and points as they were."""
    table = locked(opened(), Pair.A)
    states = [table.state]
    for _ in range(3):
        table.do(cmd.Undo(table.now))
        states.append(table.state)
    assert table.state.line != states[0].line
    for state in reversed(states[:-1]):
        assert isinstance(table.do(cmd.Redo(table.now)), ev.Redone)
        assert replace(table.state, take_back=()) == replace(state, take_back=())
    assert table.state.points == (1, 0)
    assert refused(table, cmd.Redo(table.now)) is Reason.NOTHING_TO_REDO
    table.do(cmd.Undo(table.now))
    assert table.state.points == (0, 0)


@pytest.mark.rule("16.14")
def test_rules_nothing_stands_again_once_something_else_was_done() -> None:
    """A move was taken back and another made: the first one is gone. A pass that counts for nothing is no act."""
    table = play(begun(), "66 65R")
    assert refused(table, cmd.Redo(table.now)) is Reason.NOTHING_TO_REDO
    table.do(cmd.Undo(table.now))
    table.do(cmd.See(table.now, looks(table.state.line)))
    assert refused(table, cmd.Pass(table.now, 3)) is Reason.OUT_OF_TURN
    play(table, "64R")
    assert refused(table, cmd.Redo(table.now)) is Reason.NOTHING_TO_REDO
    assert table.state.line.ends == (6, 4)


@pytest.mark.rule("16.14")
def test_rules_domino_that_stands_again_need_not_go_back() -> None:
    """It still lies where it was laid: nothing has to be done at the table, and its time is what it was."""
    table = play(begun(), "66 65R")
    elapsed_ns = table.state.clock.elapsed_ns(table.now)
    table.do(cmd.Undo(table.now))
    assert table.state.take_back == (tile("65"),)
    table.do(cmd.Redo(table.now))
    assert not table.state.take_back
    assert not table.state.halts
    assert table.state.clock.elapsed_ns(table.now) == elapsed_ns
    play(table, "54R")


@pytest.mark.rule("16.14")
def test_rules_warning_and_result_that_stand_again_count_in_the_competition() -> None:
    """What was withdrawn from the ledger is entered again, once, however often it goes to and fro."""
    table = begun(fours(sets_in_game=4), cup=CUP)
    warn(table, 1)
    for _ in range(3):
        table.do(cmd.Undo(table.now))
        assert (table.state.competition_warnings_of(Pair.B), table.state.ledger.entries) == (0, ())
        table.do(cmd.Redo(table.now))
        assert table.state.competition_warnings_of(Pair.B) == 1
    table = opened(cup=CUP)
    for _ in range(4):
        locked(table, Pair.A)
    table.do(cmd.Undo(table.now))
    assert not table.state.ledger.games
    table.do(cmd.Redo(table.now))
    assert [(game.points, game.winner) for game in table.state.ledger.games] == [((4.0, 0.0), "A")]


@pytest.mark.rule("16.15")
def test_rules_muted_buzzer_is_silent_and_the_lamp_tells() -> None:
    """A wrong domino makes no sound; the lamp has news, and unmuted the next alert sounds."""
    table = begun()
    table.do(cmd.Mute(table.now, by="Eve"))
    play(table, "66 43R")
    signs = panel(table.state)
    assert (signs.sound.phrase, signs.referee) == (Phrase.SILENT, Sign.NEWS)
    table.do(cmd.Unmute(table.now, "Eve"))
    assert panel(table.state).sound.phrase is Phrase.ILLEGAL
    assert refused(table, cmd.Unmute(table.now)) is Reason.NOT_MUTED


@pytest.mark.rule("16.15")
def test_rules_buzzer_muted_for_a_time_sounds_again_by_itself() -> None:
    """Twenty seconds are told, not one of them is lost or won by a restart; then it may sound."""
    table = begun()
    table.do(cmd.Mute(table.now, 20.0))
    muted = snapshot(table.state, table.now).muted
    assert (muted is not None, muted.seconds_left if muted else None) == (True, 20)
    table.wait(5.0)
    table.do(cmd.Pass(table.now, 3))
    table.seconds = 2.0  # another boot, another clock
    table.do(cmd.Restart(table.now))
    table.wait(14.9)
    table.do(cmd.Tick(table.now))
    assert table.state.mute is not None
    table.wait(0.1)
    assert isinstance(table.do(cmd.Tick(table.now)), ev.Unmuted)
    assert snapshot(table.state, table.now).muted is None


@pytest.mark.rule("16.15")
def test_rules_buzzer_stays_muted_whatever_is_taken_back_or_begun() -> None:
    """Undo, redo, another game: the referee has not said that it may sound."""
    table = play(begun(), "66")
    table.do(cmd.Mute(table.now))
    table.do(cmd.Undo(table.now))
    assert table.state.mute is not None
    table.do(cmd.Redo(table.now))
    assert table.state.mute is not None
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, fours(), abandon=True))
    assert table.state.mute is not None
    assert table.state.phase is Phase.BETWEEN
