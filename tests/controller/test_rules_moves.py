"""Chapter 4 of docs/rules.md: moves and passes."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Reason
from controller.game.rulesets import Adjudication, fours
from controller.game.state import Halt, Phase, Skip
from controller.game.tiles import Seat
from controller.register.fold import register_of
from tests.controller.games import in_a_row, looks, seen
from tests.controller.rule_table import (
    begun,
    lay_by,
    play,
    refused,
    rule,
    tile,
)


@pytest.mark.rule("4.1")
def test_rules_turn_goes_clockwise() -> None:
    """After seat 3 comes seat 0, whether the seats move or pass."""
    table = play(begun(lead=Seat.S2), "66 65R P 54R 41R")
    assert [ply.seat for ply in table.state.plies] == [2, 3, 0, 1, 2]
    assert table.state.turn is Seat.S3


@pytest.mark.rule("4.2")
def test_rules_first_domino_is_the_first_and_every_other_is_at_an_end() -> None:
    """Nothing lies yet, so nothing has an end; later there is no first domino any more."""
    table = begun()
    assert refused(table, lay_by(0, "66R", table)) is Reason.BAD_END
    play(table, "65")
    assert refused(table, lay_by(1, "66", table)) is Reason.BAD_END
    play(table, "66L")
    assert table.state.line.ends == (6, 5)
    assert [p.left for p in table.state.line.placed] == [6, 6]


@pytest.mark.rule("4.3")
@pytest.mark.parametrize("word", ["00", "31", "66"])
def test_rules_any_domino_may_lead_and_nobody_passes_before(word: str) -> None:
    """Double blank, three-one, double six: each may be led, and a pass before it counts for nothing."""
    table = begun()
    assert refused(table, cmd.Pass(table.now, 0)) is Reason.PASS_BEFORE_FIRST_MOVE
    play(table, word)
    assert table.state.turn is Seat.S1
    assert not table.state.findings


@pytest.mark.rule("4.4")
def test_rules_domino_fits_by_the_half_at_the_joint() -> None:
    """To the six of 6-5 goes a six, and the other half is open then; a double leaves its own suit."""
    table = play(begun(), "65 64L")
    assert table.state.line.ends == (4, 5)
    play(table, "55R")
    assert table.state.line.ends == (4, 5)
    assert not table.state.findings


@pytest.mark.rule("4.5")
def test_rules_pass_is_taken_at_its_word() -> None:
    """Nobody asks for the hand: the turn moves on, and the open suits are kept."""
    table = play(begun(), "65 P")
    assert table.state.plies[-1] == Skip(Seat.S1, (tile("65").high, tile("65").low))
    assert table.state.turn is Seat.S2
    assert not table.state.findings


@pytest.mark.rule("4.6")
def test_rules_pass_by_voice_counts_and_is_marked() -> None:
    """The referee enters what a player said: the same pass, marked in the register, no offence."""
    table = play(begun(), "66")
    table.do(cmd.Pass(table.now, 1, by_voice=True))
    assert table.state.turn is Seat.S2
    acts = register_of(table.happened, table="1", date="").sets[0].acts
    assert [entry.is_by_voice for entry in acts] == [False, True]
    assert table.state.warnings == ()


@pytest.mark.rule("4.7")
@pytest.mark.parametrize("seat", [0, 2, 3])
def test_rules_pass_out_of_turn_counts_for_nothing(seat: int) -> None:
    """Seat 1 is on turn: nobody else can pass."""
    table = play(begun(), "66")
    assert refused(table, cmd.Pass(table.now, seat)) is Reason.OUT_OF_TURN
    assert table.state.turn is Seat.S1


@pytest.mark.rule("4.8")
@pytest.mark.rule("9.9")
@pytest.mark.parametrize(
    ("grace", "after", "is_back"), [(0, 0.5, False), (3, 3.0, True), (3, 3.1, False), (15, 14.0, True)]
)
def test_rules_pass_may_be_taken_back_in_time(grace: float, after: float, is_back: bool) -> None:
    """Within the grace a second press takes the pass back, and it never was one; else the pass stands."""
    table = play(begun(fours(pass_retract_seconds=grace, adjudication=Adjudication.AUTO)), "66")
    table.wait(4.0)
    table.skip()
    table.wait(after)
    again = table.skip(1)
    assert isinstance(again, ev.PassWithdrawn) is is_back
    if is_back:
        assert table.state.clock.elapsed_ns(table.now) == 4_000_000_000
        play(table, "65R")
        assert table.is_in(Phase.PLAY)
        assert [type(ply).__name__ for ply in table.state.plies] == ["Move", "Move"]
    else:
        assert table.state.turn is Seat.S2


@pytest.mark.rule("4.8")
def test_rules_domino_of_who_has_just_passed_takes_his_pass_back() -> None:
    """The referee tells that seat 1 has laid after all: in time that is its move, and seat 2 is next."""
    table = play(begun(fours(pass_retract_seconds=5)), "66 P")
    table.do(lay_by(1, "65R", table))
    assert [type(ply).__name__ for ply in table.state.plies] == ["Move", "Move"]
    assert table.state.turn is Seat.S2


@pytest.mark.rule("4.8")
def test_rules_pass_stands_once_the_next_seat_has_acted() -> None:
    """Seat 2 has moved: the pass of seat 1 cannot be taken back any more."""
    table = play(begun(fours(pass_retract_seconds=15)), "66 P 65R")
    assert refused(table, cmd.Pass(table.now, 1)) is Reason.OUT_OF_TURN


@pytest.mark.rule("4.9")
def test_rules_halted_set_takes_no_pass_and_no_domino_that_is_seen() -> None:
    """In a pause a press is refused, and a domino laid is not judged before play goes on."""
    table = play(begun(), "66")
    table.do(cmd.Pause(table.now))
    assert refused(table, cmd.Pass(table.now, 1)) is Reason.HALTED
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5))))
    assert len(table.state.plies) == 1
    table.do(cmd.Resume(table.now))
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5))))
    assert len(table.state.plies) == 2


@pytest.mark.rule("4.9")
@pytest.mark.rule("10.5")
def test_rules_player_whose_domino_goes_back_may_pass_while_it_still_lies() -> None:
    """4-3 does not fit and has to leave the table; seat 1 has nothing else and passes."""
    table = play(begun(), "66 43R")
    rule(table, Decision.CONTINUE)
    assert table.state.halts == {Halt.TAKE_BACK}
    play(table, "P")
    assert table.state.turn is Seat.S2


@pytest.mark.rule("4.10")
def test_rules_refused_input_changes_nothing() -> None:
    """One after the other is refused; line, turn, clock and score stay, and play goes on from there."""
    table = play(begun(), "66 65R")
    table.wait(5.0)
    for command in (lay_by(2, "66R", table), lay_by(2, "71R", table), cmd.Pass(table.now, 0), cmd.StartSet(table.now)):
        assert refused(table, command) is not None
    assert table.state.clock.elapsed_ns(table.now) == 5_000_000_000
    play(table, "54R")
    assert table.state.turn is Seat.S3


@pytest.mark.rule("4.11")
def test_rules_table_that_cannot_be_understood_stops_the_clock() -> None:
    """A domino far from the line: the clock stands and the referee is told which; put right, play goes on."""
    table = play(begun(), "66")
    loose = in_a_row(seen(6, 6), seen(4, 2))
    table.do(cmd.See(table.now, type(loose)(loose.tiles, ())))
    assert Halt.OUT_OF_SYNC in table.state.halts
    assert table.state.sync is not None
    assert table.state.sync.tile == tile("42")
    assert table.state.alert is not None
    table.do(cmd.See(table.now, looks(table.state.line)))
    assert not table.state.halts
    assert table.state.clock.is_running
