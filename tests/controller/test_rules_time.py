"""Chapter 8 of docs/rules.md: time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.rulesets import Params, TimeClaimWindow, fours, spots
from controller.game.state import Halt
from controller.game.tiles import Seat
from tests.controller.games import Table, looks, seen
from tests.controller.rule_table import begun, happened, kinds, play, rule

LIMIT_NS = 1_000_000_000


def claim(table: Table, seat: int) -> Reason | None:
    """Why a claim of time is not accepted; None: it is."""
    event = table.do(cmd.ClaimTime(table.now, seat))
    assert isinstance(event, ev.TimeClaimed), event
    return event.reason


def thinking(seconds: float, params: Params | None = None) -> Table:
    """Seat 1 has thought so long over its first move."""
    table = play(begun(params or fours()), "66")
    table.wait(seconds)
    return table


@pytest.mark.rule("8.1")
@pytest.mark.parametrize(
    ("params", "limit"), [(fours(), 15), (spots(), 15), (fours(think_seconds=1), 1), (fours(think_seconds=90.5), 90.5)]
)
def test_rules_exactly_the_limit_is_in_time(params: Params, limit: float) -> None:
    """15.0 s are in time, a nanosecond more is over."""
    table = thinking(limit, params)
    table.do(cmd.Tick(table.now))
    assert not table.state.is_overtime
    table.do(cmd.Tick(type(table.now)(table.now + 1)))
    assert table.state.is_overtime


@pytest.mark.rule("8.1")
@pytest.mark.parametrize("after", [15.0, 15.1])
def test_rules_late_act_is_noted_though_nobody_looked_at_the_clock(after: float) -> None:
    """A move made too late is an overtime of its own, without any tick before it."""
    table = thinking(after)
    table.lay(6, 5, "R")
    assert len(happened(table, ev.TimeExceeded)) == (after > 15)


@pytest.mark.rule("8.2")
def test_rules_time_begins_with_the_act_before() -> None:
    """Of the first move with the start of the set, of every other with the move or pass before it."""
    table = begun()
    table.wait(9.0)
    assert table.state.clock.elapsed_ns(table.now) == 9 * LIMIT_NS
    table.lay(6, 6, "first")
    assert table.state.clock.elapsed_ns(table.now) == 0
    table.wait(4.0)
    table.skip()
    assert table.state.turn is Seat.S2
    assert table.state.clock.elapsed_ns(table.now) == 0
    laid, passed = happened(table, ev.DominoLaid)[0], happened(table, ev.Passed)[0]
    assert isinstance(laid, ev.DominoLaid)
    assert isinstance(passed, ev.Passed)
    assert (laid.think_ms, passed.think_ms) == (9000, 4000)


@pytest.mark.rule("8.2")
def test_rules_domino_was_laid_when_the_table_came_to_rest() -> None:
    """It lay still after 14.5 s and was read at 15.5 s: it was in time."""
    table = thinking(14.5)
    rest_at = table.now
    table.wait(1.0)
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5)), rest_at))
    assert len(table.state.plies) == 2
    assert not happened(table, ev.TimeExceeded)


@pytest.mark.rule("8.3")
def test_rules_overtime_is_noted_once_and_costs_nothing() -> None:
    """Half a minute over the time: one note, no finding, no warning, and the player is still on turn."""
    table = thinking(16.0)
    for _ in range(30):
        table.do(cmd.Tick(table.now))
        table.wait(1.0)
    table.lay(6, 5, "R")
    assert len(happened(table, ev.TimeExceeded)) == 1
    assert not table.state.findings
    assert table.state.warnings == ()


@pytest.mark.rule("8.4")
@pytest.mark.parametrize(
    ("seat", "after", "reason"),
    [
        (0, 15.0, Reason.WITHIN_LIMIT),
        (0, 15.1, None),
        (2, 15.1, None),
        (3, 15.1, Reason.NOT_A_RIVAL),
        (1, 15.1, Reason.NOT_A_RIVAL),
        (3, 10.0, Reason.NOT_A_RIVAL),
    ],
)
def test_rules_only_a_rival_points_at_time_and_only_once_it_is_over(
    seat: int, after: float, reason: Reason | None
) -> None:
    """Seat 1 thinks: its rivals 0 and 2 may point at more than 15 s, its partner and itself never."""
    assert claim(thinking(after), seat) is reason


@pytest.mark.rule("8.5")
@pytest.mark.parametrize(("decision", "warnings"), [(Decision.CONFIRM, 1), (Decision.DISMISS, 0)])
def test_rules_valid_claim_is_for_the_referee(decision: Decision, warnings: int) -> None:
    """The player thinks on while it waits; confirmed it is a warning for time, dismissed it is nothing."""
    table = thinking(20.0)
    claim(table, 2)
    assert kinds(table) == [FindingKind.OVERTIME]
    assert table.state.clock.is_running
    assert table.state.needs_referee == "overtime"
    rule(table, decision)
    assert [warning.reason for warning in table.state.warnings] == ["time"] * warnings
    play(table, "65R")


@pytest.mark.rule("8.5")
def test_rules_claim_that_is_not_valid_is_only_noted() -> None:
    """A claim in time leaves no finding."""
    table = thinking(5.0)
    claim(table, 2)
    assert not table.state.findings


@pytest.mark.rule("8.5")
def test_rules_one_slow_move_is_one_finding() -> None:
    """Both rivals point at the same move, one of them twice: the referee has one thing to rule on."""
    table = thinking(20.0)
    claim(table, 0)
    claim(table, 2)
    assert kinds(table) == [FindingKind.OVERTIME]
    rule(table, Decision.CONFIRM)
    claim(table, 2)
    assert kinds(table) == []


HALTS: dict[Halt, Callable[[Table], cmd.Command]] = {
    Halt.PAUSED: lambda table: cmd.Pause(table.now),
    Halt.RESTARTED: lambda table: cmd.Restart(table.now),
    Halt.CAMERA: lambda table: cmd.LoseCamera(table.now, "dark"),
    Halt.OUT_OF_SYNC: lambda table: cmd.See(table.now, looks(table.state.line, seen(4, 4), left=(seen(6, 1),))),
}


@pytest.mark.rule("8.6")
@pytest.mark.parametrize("halt", HALTS, ids=lambda halt: halt.value)
def test_rules_no_time_passes_while_the_set_is_halted(halt: Halt) -> None:
    """Pause, restart of the program, camera lost, table not understood: the clock stands."""
    table = thinking(5.0)
    table.do(HALTS[halt](table))
    assert halt in table.state.halts
    used = table.state.clock.elapsed_ns(table.now)
    table.wait(60.0)
    assert table.state.clock.elapsed_ns(table.now) == used <= 5 * LIMIT_NS


@pytest.mark.rule("8.6")
def test_rules_no_time_is_charged_while_nothing_could_be_kept() -> None:
    """The journal was full for a minute: that minute is nobody's."""
    table = thinking(5.0)
    since = table.now
    table.wait(60.0)
    table.do(cmd.RegainStorage(table.now, since))
    assert table.state.clock.elapsed_ns(table.now) == 5 * LIMIT_NS
    assert table.state.clock.is_running


@pytest.mark.rule("8.7")
@pytest.mark.parametrize(
    ("window", "reason"), [(TimeClaimWindow.NEXT_MOVE, None), (TimeClaimWindow.WHILE_THINKING, Reason.NOT_A_RIVAL)]
)
def test_rules_slow_move_that_is_made_may_or_may_not_be_pointed_at(
    window: TimeClaimWindow, reason: Reason | None
) -> None:
    """Seat 1 has laid after 20 s and seat 2 thinks: whether seat 2 may still point at seat 1 is a parameter."""
    table = thinking(20.0, fours(time_claim_window=window))
    table.lay(6, 5, "R")
    table.wait(1.0)
    assert claim(table, 2) is reason
    if reason is None:
        assert table.state.findings[0].seat is Seat.S1


@pytest.mark.rule("8.7")
def test_rules_window_closes_with_the_next_move() -> None:
    """Seat 2 has moved as well: the slow move of seat 1 is past."""
    table = thinking(20.0)
    play(table, "65R 54R")
    assert claim(table, 2) is Reason.WITHIN_LIMIT
    assert not table.state.findings
