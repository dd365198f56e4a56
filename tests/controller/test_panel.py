"""Signs and phrases as a function of the state: what each seat and the referee are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Acknowledged, FindingKind, FindingRaised, SyncLost
from controller.game.evolve import evolve
from controller.game.panel import PHRASES, Flash, Lamp, Panel, Phrase, Sign, Sound, panel
from controller.game.rulesets import Params, WrongDominoAlert
from controller.game.state import AlertKind, Phase, State
from controller.game.tiles import MonoNs, Pair, Seat
from hardware import buzzer, lamps
from tests.controller.games import Table, at, at_the_table


def signs(table: Table) -> list[Sign]:
    """The signs of seats 0 to 3."""
    return [lamp.sign for lamp in panel(table.state).seats]


def test_idle_table_is_dark_and_silent() -> None:
    """With no game nothing is lit and nothing sounds."""
    assert panel(State()) == Panel((Lamp(Sign.OFF),) * 4, None, Sign.OFF, Sound())


def test_signs_and_phrases_are_those_of_whoever_draws_them() -> None:
    """Each name stands for the same number in the core and beside the lamps; two rooms, one list."""
    assert {sign.name: int(sign) for sign in Sign}.items() <= vars(lamps).items()
    assert {phrase.name: int(phrase) for phrase in Phrase}.items() <= vars(buzzer).items()
    assert len(Sign) + len({"HOST_SILENT", "SELF_TEST", "FELT"}) == lamps.SIGNS
    assert len(Phrase) == len(buzzer.PHRASES_MS)


def test_lead_is_lit_before_the_set() -> None:
    """Between sets the seat that will lead says so; before the first set the others say nothing."""
    table = Table()
    table.open_game(lead=Seat.S2)
    assert signs(table) == [Sign.OFF, Sign.OFF, Sign.LEADS, Sign.OFF]


def test_turn_has_a_clock_that_needs_nobody_to_go_on() -> None:
    """The seat on turn is told when its time began and how long it is; nothing of that changes while time passes."""
    table = at_the_table(moves=1)
    assert signs(table) == [Sign.OFF, Sign.TURN, Sign.OFF, Sign.OFF]
    assert panel(table.state).seats[1] == Lamp(Sign.TURN, table.now, 15_000)
    table.wait(20.0)
    assert panel(table.state).seats[1].since == table.now - at(20.0)


def test_pause_takes_nothing_from_the_time() -> None:
    """Paused, the seat on turn says so; resumed, its time began so much later."""
    table = at_the_table(moves=1)
    began = panel(table.state).seats[1].since
    table.wait(4.0)
    table.do(cmd.Pause(table.now))
    assert signs(table) == [Sign.OFF, Sign.PAUSED, Sign.OFF, Sign.OFF]
    assert panel(table.state).referee is Sign.DUE
    table.wait(60.0)
    table.do(cmd.Resume(table.now))
    assert panel(table.state).seats[1] == Lamp(Sign.TURN, MonoNs(began + at(60.0)), 15_000)


def test_halted_table_says_so_at_every_seat() -> None:
    """When the table waits for the referee or the camera all four seats say it."""
    table = at_the_table(moves=1)
    table.do(cmd.LoseCamera(table.now, "dark"))
    assert signs(table) == [Sign.WAITING] * 4


def test_table_that_cannot_be_understood_has_a_sign_of_its_own() -> None:
    """Out of sync everybody is asked to look at the dominoes, before anything else that waits."""
    table = at_the_table(moves=1)
    lost = SyncLost(table.now, "gone", None, "a domino is gone")
    assert {lamp.sign for lamp in panel(evolve(table.state, lost)).seats} == {Sign.OUT_OF_SYNC}


def test_full_disk_halts_what_is_shown() -> None:
    """Where nothing can be committed no bar is shown, since no move can be believed."""
    table = at_the_table(moves=1)
    stuck = panel(replace(table.state, storage_trouble="the disk is full"))
    assert {lamp.sign for lamp in stuck.seats} == {Sign.WAITING}
    assert stuck.referee is Sign.DUE


def test_press_is_answered_by_what_became_of_it() -> None:
    """A pass that counts and one that counts for nothing are told apart; the seat's own sign stays beneath."""
    table = at_the_table(moves=1)
    table.skip(3)
    assert panel(table.state).answer == Flash(Seat.S3, Sign.REFUSED, table.now)
    table.skip(1)
    assert panel(table.state).answer == Flash(Seat.S1, Sign.COUNTED, table.now)
    assert signs(table) == [Sign.OFF, Sign.OFF, Sign.TURN, Sign.OFF]


def test_count_asks_everybody_who_has_dominoes() -> None:
    """With the line closed whoever holds dominoes shows them, and the referee's lamp does not go out."""
    table = at_the_table(moves=10)
    table.do(cmd.Acknowledge(table.now))
    assert signs(table) == [Sign.SHOW if table.state.tiles_left(seat) else Sign.SET_OVER for seat in Seat]
    assert Sign.SHOW in signs(table)
    assert panel(table.state).referee is Sign.DUE
    table.count()
    assert signs(table) == [Sign.SET_OVER, Sign.LEADS, Sign.SET_OVER, Sign.SET_OVER]


def test_winners_are_lit_at_the_end() -> None:
    """The pair that has won the game is told, both pairs after a draw."""
    table = Table()
    table.open_game(Params(pair_tournament=False))
    while table.state.phase is not Phase.GAME_OVER:
        table.play_set()
    winner = table.state.winner
    assert winner is not None
    lit = [sign is Sign.WON for sign in signs(table)]
    assert lit == [winner.value in (seat.pair.value, "draw") for seat in Seat]


@pytest.mark.parametrize("kind", AlertKind)
def test_every_alert_has_its_phrase_and_its_moment(kind: AlertKind) -> None:
    """The buzzer speaks from the alert's moment on, and the referee's lamp tells until somebody acknowledges."""
    table = at_the_table(moves=1)
    table.do(cmd.CallReferee(table.now, Seat.S3))
    assert table.state.alert is not None
    shown = panel(replace(table.state, alert=replace(table.state.alert, kind=kind)))
    assert shown.sound == Sound(PHRASES[kind], table.now)
    assert shown.sound.phrase is not Phrase.SILENT
    assert shown.referee is Sign.NEWS


def test_acknowledged_alert_is_silent_at_once() -> None:
    """In the middle of the phrase the referee acknowledges: silence, and his lamp as the table now needs it."""
    table = at_the_table(moves=1)
    table.lay(3, 4, "R")
    assert panel(table.state).sound.phrase is Phrase.ILLEGAL
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state).sound == Sound()
    assert panel(table.state).referee is Sign.DUE
    table.rule(Decision.DISMISS)
    assert panel(table.state).referee is Sign.OFF


def test_silent_table_gives_no_sign_of_a_wrong_domino() -> None:
    """With a silent alert neither lamp nor buzzer tells before the set is over."""
    table = at_the_table(moves=1, params=Params(wrong_domino_alert=WrongDominoAlert.SILENT))
    table.lay(3, 4, "R")
    shown = panel(table.state)
    assert (shown.referee, shown.sound) == (Sign.OFF, Sound())
    assert shown.seats[2].sign is Sign.TURN


def test_claimant_is_asked_until_his_hand_is_shown() -> None:
    """The seat that has to lay its hand open is asked as at a count, and the referee's lamp stays lit."""
    table = Table()
    table.open_game()
    table.do(cmd.ClaimRedeal(table.now, 2))
    table.do(cmd.Acknowledge(table.now))
    assert signs(table) == [Sign.LEADS, Sign.OFF, Sign.SHOW, Sign.OFF]
    assert panel(table.state).referee is Sign.DUE
    table.do(cmd.Undo(table.now))
    assert signs(table) == [Sign.LEADS, Sign.OFF, Sign.OFF, Sign.OFF]
    assert panel(table.state).referee is Sign.OFF


def test_claimant_is_told_from_the_others_in_a_set_too() -> None:
    """While the lead waits for the claim, only the claimant's lamp asks for dominoes."""
    table = at_the_table()
    table.do(cmd.ClaimRedeal(table.now, 3))
    assert signs(table) == [Sign.WAITING, Sign.WAITING, Sign.WAITING, Sign.SHOW]


def test_false_claim_leaves_the_referee_to_decide() -> None:
    """A hand shown for nothing buzzes like a call, and the lamps wait for the ruling."""
    table = at_the_table()
    table.is_checked = False
    table.do(cmd.ClaimRedeal(table.now, 3, table.hand(Seat.S3)))
    assert panel(table.state).sound.phrase is Phrase.CALLED
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state).referee is Sign.DUE
    assert signs(table) == [Sign.WAITING] * 4
    table.rule(Decision.DISMISS)
    assert panel(table.state).referee is Sign.OFF
    assert signs(table)[0] is Sign.TURN


def test_time_claim_is_answered_at_the_claimants_seat_and_heard_by_the_referee() -> None:
    """A rightful claim counts and buzzes; one too early or against the partner is refused and not heard."""
    table = at_the_table(moves=1)
    table.is_checked = False
    table.wait(3.0)
    table.do(cmd.ClaimTime(table.now, 2))
    assert panel(table.state).answer == Flash(Seat.S2, Sign.REFUSED, table.now)
    assert panel(table.state).sound == Sound()
    table.wait(13.0)
    table.do(cmd.ClaimTime(table.now, 3))
    assert panel(table.state).answer == Flash(Seat.S3, Sign.REFUSED, table.now)
    table.do(cmd.ClaimTime(table.now, 2))
    assert panel(table.state).answer == Flash(Seat.S2, Sign.COUNTED, table.now)
    assert panel(table.state).sound.phrase is Phrase.TIME
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state).referee is Sign.DUE
    assert signs(table)[1] is Sign.TURN


def test_late_finding_lights_the_referee_between_sets() -> None:
    """A wrong pass of the registered set waits on the referee's lamp; the seats get ready for the next set."""
    table = at_the_table(moves=10)
    table.count()
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state).referee is Sign.OFF
    found = FindingRaised(table.now, 1, FindingKind.WRONG_PASS, Seat.S1, 3, "C6.1", "?", Pair.B, set_no=1)
    state = evolve(evolve(table.state, found), Acknowledged(table.now))
    assert panel(state).referee is Sign.DUE
    assert [lamp.sign for lamp in panel(state).seats] == [Sign.SET_OVER, Sign.LEADS, Sign.SET_OVER, Sign.SET_OVER]
