"""Undo and replay: the last act taken back leaves the state before it, and the journal's events make the live state."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.codec import body_of, event_of, type_name
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.events import is_act
from controller.game.evolve import evolve, evolve_all
from controller.game.rulesets import Adjudication, Params, WrongDominoAlert
from controller.game.seen import Sighting
from controller.game.state import Halt, Phase, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile
from tests.controller.games import Table, at, at_the_table, in_a_row, looks, random_evening, seen


def undone(state: State, now: MonoNs) -> State:
    """The state after the referee has taken the last act back."""
    return evolve_all(state, decide(state, cmd.Undo(now)))


def undo_of(happened: list[ev.Event], act: int) -> None:
    """Take back the act at that place in the history, at once: everything is as it was before it."""
    before = evolve_all(State(), happened[:act])
    after = evolve(before, happened[act])
    now = happened[act].at
    back = undone(after, now)
    assert_stands_again(evolve(back, ev.Redone(now)), after, now)
    for tile in back.take_back:
        assert tile in after.line.tiles or tile in after.take_back
        back = evolve(back, ev.TakenBack(now, tile))
    assert back.clock.elapsed_ns(now) == before.clock.elapsed_ns(now)
    expected = replace(before, take_back=())
    if not before.take_back:  # with a domino yet to go back the clock stood; here it has gone
        assert back.clock.is_running == before.clock.is_running
    assert replace(back, clock=before.clock) == expected


def assert_stands_again(again: State, after: State, now: MonoNs) -> None:
    """What was taken back and stands again is as it was, its time and its own past included."""
    assert replace(again, clock=after.clock, take_back=()) == replace(after, take_back=())
    assert set(after.take_back) <= {*again.take_back, *again.line.tiles}
    assert again.clock.elapsed_ns(now) == after.clock.elapsed_ns(now)
    assert (again.before, again.ahead) == (after.before, after.ahead)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), alert=st.sampled_from(WrongDominoAlert), who=st.sampled_from(Adjudication))
def test_undo_leaves_the_state_before_any_act(seed: int, alert: WrongDominoAlert, who: Adjudication) -> None:
    """Whatever was done in a random evening, taking it back gives the state before, the clock's time included."""
    happened = random_evening(
        seed, params=Params(adjudication=who, wrong_domino_alert=alert), is_checked=False
    ).happened
    acts = [place for place, event in enumerate(happened) if is_act(event)]
    for act in random.Random(seed).sample(acts, min(8, len(acts))):
        undo_of(happened, act)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_replayed_journal_makes_the_live_state(seed: int) -> None:
    """The events of a random evening, written as JSON and read again, lead to the very same state."""
    table = random_evening(seed, is_checked=False)
    lines = [json.dumps([type_name(type(event)), body_of(event)]) for event in table.happened]
    state = State()
    for name, body in map(json.loads, lines):
        state = evolve(state, event_of(name, body))
    assert state == table.state
    assert (state.revision, state.next_finding) == (table.state.revision, table.state.next_finding)
    assert (state.last_at, state.before) == (table.state.last_at, table.state.before)
    assert state.ahead == table.state.ahead


def test_undo_of_a_whole_set_leads_back_to_its_beginning() -> None:
    """Act after act can be taken back, down to the beginning of the game and no further."""
    table = at_the_table(moves=10)
    table.count()
    for _ in range(12):
        assert isinstance(table.do(cmd.Undo(table.now)), ev.Undone)
        if table.state.take_back:
            table.do(cmd.See(table.now, looks(table.state.line)))
    assert (table.state.phase, table.state.line.placed) == (Phase.BETWEEN, ())
    table.do(cmd.Undo(table.now))
    assert table.state.phase is Phase.IDLE
    refused = table.do(cmd.Undo(table.now))
    assert isinstance(refused, ev.Refused)


def test_undone_move_gives_back_the_time_already_thought() -> None:
    """Eight seconds had been thought when the move was made: after the undo seven are left."""
    table = at_the_table(moves=1)
    table.wait(8)
    table.lay(1, 2, "R")
    table.wait(30)
    table.do(cmd.Undo(table.now))
    assert table.state.turn is Seat.S1
    table.wait(30)
    table.do(cmd.See(table.now, looks(table.state.line)))
    assert table.state.clock.elapsed_ns(table.now) == at(8)
    table.wait(7.001)
    assert isinstance(table.do(cmd.Tick(table.now)), ev.TimeExceeded)


def test_undone_domino_must_leave_the_table() -> None:
    """While the domino still lies it is not laid anew, the clock stands, and nothing else may be laid."""
    table = at_the_table(moves=1)
    table.lay(1, 2, "R")
    table.do(cmd.Undo(table.now))
    line = table.state.line
    assert table.state.take_back == (Tile.of(1, 2),)
    assert table.do(cmd.See(table.now, looks(line, seen(1, 2)))) is None
    assert table.state.halts == {Halt.TAKE_BACK}
    lost = table.do(cmd.See(table.now, looks(line, seen(1, 2), left=(seen(0, 6),))))
    assert isinstance(lost, ev.SyncLost)
    assert (lost.code, lost.tile) == ("not_taken_back", Tile.of(1, 2))
    table.do(cmd.See(table.now, looks(line, left=(seen(0, 6),))))
    assert table.kinds(3) == ["SyncFound", "TakenBack", "DominoLaid"]
    assert not table.state.take_back


def test_domino_already_lifted_when_its_move_is_undone_needs_no_more() -> None:
    """A player who takes his domino back too early is told so; the undo makes table and game agree again."""
    table = at_the_table(moves=2)
    without = in_a_row(seen(6, 1))
    lost = table.do(cmd.See(table.now, without))
    assert isinstance(lost, ev.SyncLost)
    assert lost.code == "tile_missing"
    table.do(cmd.Undo(table.now))
    table.do(cmd.See(table.now, without))
    assert table.kinds(2) == ["SyncFound", "TakenBack"]
    assert not table.state.halts


def test_undone_pass_gives_the_turn_back() -> None:
    """A pass pressed by mistake can be taken back, and the seat may lay."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.do(cmd.Undo(table.now))
    assert (table.state.turn, table.state.take_back) == (Seat.S1, ())
    assert isinstance(table.lay(1, 2, "R"), ev.DominoLaid)


def test_undo_of_a_closing_move_opens_the_line_again() -> None:
    """The deadlock and the count's beginning go with the move that caused them."""
    table = at_the_table(moves=10)
    table.do(cmd.Undo(table.now))
    assert (table.state.phase, table.state.turn, table.state.ending) == (Phase.PLAY, Seat.S1, None)


def test_undo_of_a_ruling_takes_back_warning_and_points() -> None:
    """A decision pressed by mistake is taken back with the warning and the lost set that followed from it."""
    table = at_the_table(moves=1)
    table.state = evolve(table.state, ev.WarningGiven(table.now, Seat.S1, "talk"))
    table.lay(3, 4, "R")
    finding = table.finding()
    table.rule(Decision.CONTINUE)
    assert len(table.state.results) == 1
    table.do(cmd.Undo(table.now))
    assert not table.state.results
    assert (table.state.warnings_of(Pair.B), table.state.phase) == (1, Phase.PLAY)
    assert table.finding() == finding
    table.rule(Decision.DISMISS)
    assert not table.state.open_findings


def test_finding_of_an_undone_past_cannot_be_ruled_on() -> None:
    """Numbers of findings are never used twice: a late decision does not hit another finding."""
    table = at_the_table(moves=1)
    table.lay(3, 4, "R")
    old = table.finding()
    table.do(cmd.Undo(table.now))
    table.lay(5, 5, "R")
    assert table.finding() > old
    assert isinstance(table.do(cmd.Rule(table.now, old, Decision.DISMISS)), ev.Refused)


def test_undo_of_a_resume_after_a_power_cut_halts_again() -> None:
    """Resumed too early after a restart: taken back, the clock stands again."""
    table = at_the_table(moves=1)
    table.do(cmd.Restart(table.now))
    table.do(cmd.Resume(table.now))
    assert not table.state.halts
    table.do(cmd.Undo(table.now))
    assert table.state.halts == {Halt.RESTARTED}


def test_undo_does_not_hide_what_is_wrong_now() -> None:
    """A camera lost and a program restarted since the act stay so after the undo."""
    table = at_the_table(moves=1)
    table.lay(1, 2, "R")
    table.do(cmd.LoseCamera(table.now, "dark"))
    table.do(cmd.Undo(table.now))
    assert table.state.halts == {Halt.CAMERA, Halt.TAKE_BACK}
    table.do(cmd.Restart(table.now))
    table.do(cmd.Undo(table.now))
    assert table.is_in(Phase.PLAY)
    assert Halt.RESTARTED in table.state.halts


def test_undone_set_does_not_start_itself_again() -> None:
    """A set that began by a stray domino is taken back: while the domino still lies nothing begins."""
    table = Table()
    table.open_game()
    stray = in_a_row(seen(5, 3))
    table.do(cmd.See(at(1), stray))
    table.do(cmd.Undo(at(2)))
    table.do(cmd.See(at(2), stray))
    table.do(cmd.Undo(at(3)))
    assert table.is_in(Phase.BETWEEN)
    assert table.do(cmd.See(at(3), stray)) is None
    table.do(cmd.See(at(4), Sighting()))
    assert not table.state.take_back
    table.do(cmd.See(at(5), stray))
    assert table.is_in(Phase.PLAY)
