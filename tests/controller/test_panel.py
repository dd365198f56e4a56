"""Lamps and buzzer as a function of the state: what each seat and the referee see and hear at every moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Acknowledged, FindingKind, FindingRaised
from controller.game.evolve import evolve
from controller.game.panel import ALL, BUZZER_MS, FEEDBACK_NS, GREEN, OFF, RED, YELLOW, Leds, panel
from controller.game.rulesets import Params, WrongDominoAlert
from controller.game.state import AlertKind, Phase, State
from controller.game.tiles import MonoNs, Pair, Seat
from tests.controller.games import Table, at, at_the_table

SECOND_AND_THIRD: Leds = (0.0, 1.0, 1.0)
MS = 1_000_000


def leds(table: Table, seat: int, after_s: float = 0.0) -> Leds:
    """The lamp of a seat, so long after the table's present moment."""
    return panel(table.state, MonoNs(table.now + at(after_s))).seats[seat]


def heard(state: State, since: MonoNs, for_ms: int) -> list[int]:
    """The buzzer's phrase as milliseconds on, off, on ... from `since` on."""
    levels = [panel(state, MonoNs(since + ms * MS)).buzzer for ms in range(for_ms)]
    lengths: list[int] = []
    last = 0.0
    for level in levels:
        if level != last:
            lengths.append(0)
            last = level
        if lengths:
            lengths[-1] += 1
    return lengths[:-1] if lengths and last == 0.0 else lengths


def test_idle_table_is_dark_and_silent() -> None:
    """With no game nothing is lit and nothing sounds, at any time."""
    for now in (0, 1, 10**12):
        lamps = panel(State(), MonoNs(now))
        assert lamps.seats == (OFF, OFF, OFF, OFF)
        assert (lamps.referee, lamps.buzzer) == (0.0, 0.0)


def test_lead_is_lit_before_the_set() -> None:
    """Between sets the seat that will lead is green, the others dark."""
    table = Table()
    table.open_game(lead=Seat.S2)
    assert [leds(table, seat) for seat in Seat] == [OFF, OFF, GREEN, OFF]


@pytest.mark.parametrize(
    ("thought_s", "want"),
    [(0, ALL), (4.999, ALL), (5.0, SECOND_AND_THIRD), (9.999, SECOND_AND_THIRD), (10.0, RED), (10.3, OFF), (10.6, RED)],
)
def test_bar_shrinks_by_thirds_and_pulses_in_the_last_five_seconds(thought_s: float, want: Leds) -> None:
    """All lit, then yellow and red, then red pulsing, for the seat on turn alone."""
    table = at_the_table(moves=1)  # the move was made at 1 s, a whole pulse
    assert leds(table, 1, thought_s) == want
    assert [leds(table, seat, thought_s) for seat in (0, 2, 3)] == [OFF, OFF, OFF]


def test_long_thinking_time_has_a_steady_red_third() -> None:
    """With 60 s a move the last third is red, and only its last five seconds pulse."""
    table = at_the_table(moves=1, params=Params(think_seconds=60))
    assert {leds(table, 1, 41 + step / 10) for step in range(100)} == {RED}
    assert {leds(table, 1, 55.5 + step / 10) for step in range(40)} == {RED, OFF}


def test_overrun_flickers_from_the_first_instant_beyond() -> None:
    """At exactly the limit the red still pulses; beyond it all three flicker."""
    table = at_the_table(moves=1)
    assert leds(table, 1, 15.0) in (RED, OFF)
    beyond = {panel(table.state, MonoNs(table.now + at(15.0) + 1 + ms * MS)).seats[1] for ms in range(400)}
    assert beyond == {ALL, OFF}


def test_paused_seat_is_yellow() -> None:
    """While paused the seat on turn is steadily yellow and the referee's lamp is lit."""
    table = at_the_table(moves=1)
    table.do(cmd.Pause(table.now))
    for after in (0.0, 7.0, 100.0):
        assert [leds(table, seat, after) for seat in Seat] == [OFF, YELLOW, OFF, OFF]
    assert panel(table.state, table.now).referee == 1.0


def test_halted_table_blinks_yellow_at_every_seat() -> None:
    """When the table waits for the referee or the camera all four seats blink alike."""
    table = at_the_table(moves=1)
    table.do(cmd.LoseCamera(table.now, "dark"))
    for step in range(20):
        shown = {leds(table, seat, step / 10) for seat in Seat}
        assert len(shown) == 1
        assert shown <= {YELLOW, OFF}


def test_full_disk_halts_what_is_shown() -> None:
    """Where nothing can be committed no bar is shown, since no move can be believed."""
    table = at_the_table(moves=1)
    stuck = replace(table.state, storage_trouble="the disk is full")
    assert {panel(stuck, at(1 + step / 10)).seats[1] for step in range(20)} == {YELLOW, OFF}
    assert panel(stuck, table.now).referee == 1.0


def test_press_is_answered_green_and_a_useless_one_red_twice() -> None:
    """A pass that counts flashes green once; one that counts for nothing flashes red twice; then the lamp is itself."""
    table = at_the_table(moves=1)
    table.skip(3)
    assert [leds(table, 3, ms / 1000) for ms in (0, 99, 100, 199, 200, 299, 300, 399)] == [RED, RED, OFF, OFF] * 2
    table.skip(1)
    assert leds(table, 1, 0.0) == leds(table, 1, 0.399) == GREEN
    assert leds(table, 1, FEEDBACK_NS / 1e9) == OFF
    assert leds(table, 2, 0.0) == ALL


def test_count_blinks_slowly_at_every_seat() -> None:
    """With the line closed all seats blink until the set is registered, and the referee's lamp does not go out."""
    table = at_the_table(moves=10)
    table.do(cmd.Acknowledge(table.now))
    assert {leds(table, seat, step / 5) for seat in Seat for step in range(20)} == {YELLOW, OFF}
    assert {panel(table.state, at(20 + step / 10)).referee for step in range(20)} == {1.0}
    table.count()
    assert [leds(table, seat) for seat in Seat] == [OFF, GREEN, OFF, OFF]


def test_winners_are_lit_at_the_end() -> None:
    """The pair that has won the game is green, both pairs after a draw."""
    table = Table()
    table.open_game(Params(pair_tournament=False))
    while table.state.phase is not Phase.GAME_OVER:
        table.play_set()
    winner = table.state.winner
    assert winner is not None
    lit = [leds(table, seat) == GREEN for seat in Seat]
    assert lit == [winner.value in (seat.pair.value, "draw") for seat in Seat]


@pytest.mark.parametrize("kind", AlertKind)
def test_buzzer_phrase_ends_by_itself(kind: AlertKind) -> None:
    """Each alert has its own phrase, heard once from the alert's moment on, though nobody acknowledges it."""
    table = at_the_table(moves=1)
    table.do(cmd.CallReferee(table.now, Seat.S3))
    assert table.state.alert is not None
    state = replace(table.state, alert=replace(table.state.alert, kind=kind))
    assert heard(state, table.now, 3000) == list(BUZZER_MS[kind])
    assert panel(state, MonoNs(table.now - 1)).buzzer == 0.0
    assert {panel(state, at(60 + step / 10)).referee for step in range(20)} == {0.0, 1.0}


def test_acknowledged_alert_is_silent_at_once() -> None:
    """In the middle of the phrase the referee acknowledges: buzzer off, lamp as the table now needs it."""
    table = at_the_table(moves=1)
    table.lay(3, 4, "R")
    assert panel(table.state, table.now).buzzer == 1.0
    table.do(cmd.Acknowledge(table.now))
    assert heard(table.state, table.now, 1500) == []
    assert panel(table.state, table.now).referee == 1.0
    table.rule(Decision.DISMISS)
    assert panel(table.state, table.now).referee == 0.0


def test_silent_table_gives_no_sign_of_a_wrong_domino() -> None:
    """With a silent alert neither lamp nor buzzer tells before the set is over."""
    table = at_the_table(moves=1, params=Params(wrong_domino_alert=WrongDominoAlert.SILENT))
    table.lay(3, 4, "R")
    lamps = panel(table.state, table.now)
    assert (lamps.referee, lamps.buzzer) == (0.0, 0.0)
    assert lamps.seats[2] == ALL


def test_claimant_blinks_until_his_hand_is_shown() -> None:
    """The seat that has to lay its hand open blinks like the hands at a count, and the referee's lamp stays lit."""
    table = Table()
    table.open_game()
    table.do(cmd.ClaimRedeal(table.now, 2))
    table.do(cmd.Acknowledge(table.now))
    table.wait(FEEDBACK_NS / 1e9)
    assert {leds(table, 2, step / 5) for step in range(20)} == {YELLOW, OFF}
    assert [leds(table, seat) for seat in (0, 1, 3)] == [GREEN, OFF, OFF]
    assert {panel(table.state, at(20 + step / 10)).referee for step in range(20)} == {1.0}
    table.do(cmd.Undo(table.now))
    assert [leds(table, seat) for seat in Seat] == [GREEN, OFF, OFF, OFF]
    assert panel(table.state, table.now).referee == 0.0


def test_claimant_is_told_from_the_others_in_a_set_too() -> None:
    """While the lead waits for the claim, only the claimant's lamp asks for dominoes."""
    table = at_the_table()
    table.do(cmd.ClaimRedeal(table.now, 3))
    table.wait(1.6)
    assert leds(table, 3) == YELLOW
    assert leds(table, 3, 0.7) == YELLOW
    assert {leds(table, seat, 0.7) for seat in (1, 2)} == {OFF}


def test_false_claim_leaves_the_referee_to_decide() -> None:
    """A hand shown for nothing buzzes like a call, and the lamps wait for the ruling."""
    table = at_the_table()
    table.is_checked = False
    table.do(cmd.ClaimRedeal(table.now, 3, table.hand(Seat.S3)))
    assert heard(table.state, table.now, 3000) == list(BUZZER_MS[AlertKind.CALLED])
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state, table.now).referee == 1.0
    assert {leds(table, seat, step / 5) for seat in Seat for step in range(20)} == {YELLOW, OFF}
    table.rule(Decision.DISMISS)
    assert panel(table.state, table.now).referee == 0.0
    assert leds(table, 0) == ALL


def test_time_claim_is_answered_at_the_claimants_seat_and_heard_by_the_referee() -> None:
    """A rightful claim flashes green and buzzes; one too early or against the partner flashes red and is not heard."""
    table = at_the_table(moves=1)
    table.is_checked = False
    table.wait(3.0)
    table.do(cmd.ClaimTime(table.now, 2))
    assert leds(table, 2) == RED
    assert panel(table.state, table.now).buzzer == 0.0
    table.wait(13.0)
    table.do(cmd.ClaimTime(table.now, 3))
    assert leds(table, 3) == RED
    table.do(cmd.ClaimTime(table.now, 2))
    assert leds(table, 2) == GREEN
    assert heard(table.state, table.now, 3000) == list(BUZZER_MS[AlertKind.TIME])
    table.do(cmd.Acknowledge(table.now))
    table.wait(1.0)
    assert panel(table.state, table.now).referee == 1.0
    assert {leds(table, 1, step / 20) for step in range(20)} == {ALL, OFF}


def test_late_finding_lights_the_referee_between_sets() -> None:
    """A wrong pass of the registered set waits on the referee's lamp; the seats get ready for the next set."""
    table = at_the_table(moves=10)
    table.count()
    table.do(cmd.Acknowledge(table.now))
    assert panel(table.state, table.now).referee == 0.0
    found = FindingRaised(table.now, 1, FindingKind.WRONG_PASS, Seat.S1, 3, "C6.1", "?", Pair.B, set_no=1)
    state = evolve(evolve(table.state, found), Acknowledged(table.now))
    assert panel(state, table.now).referee == 1.0
    assert panel(state, table.now).seats == (OFF, GREEN, OFF, OFF)
