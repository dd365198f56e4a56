"""`evolve(state, event)`: what each event does to the state; the same for live play, restart, undo and replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from controller.game import events as ev
from controller.game.clocks import NS_PER_S, Clock
from controller.game.commands import Decision
from controller.game.line import Line
from controller.game.rulesets import WrongDominoAlert
from controller.game.state import (
    Alert,
    AlertKind,
    Feedback,
    Finding,
    Move,
    Phase,
    SetResult,
    Skip,
    State,
    SyncTrouble,
    WarningEntry,
)
from controller.game.tiles import Seat


def evolve(state: State, event: ev.Event) -> State:
    """The state after `event`. Never refuses: what is in the journal has happened."""
    after = _APPLY[type(event)](state, event)
    if ev.is_act(event):
        # Of a game that was given up for another the last moment is kept, not its whole past.
        past = None if isinstance(event, ev.GameStarted) else state.before
        after = replace(after, before=replace(state, clock=state.clock.standing(event.at), before=past))
    return _tend_clock(replace(after, revision=state.revision + 1, last_at=event.at), event)


def evolve_all(state: State, happened: Iterable[ev.Event]) -> State:
    """The state after all of `happened`."""
    return reduce(evolve, happened, state)


def _tend_clock(state: State, event: ev.Event) -> State:
    """Thinking time passes exactly while a seat is on turn and nothing halts the set."""
    is_wanted = state.phase is Phase.PLAY and state.turn is not None and not state.halts
    clock = state.clock.running(event.at) if is_wanted else state.clock.standing(event.at)
    return replace(state, clock=clock)


def _game_started(state: State, event: ev.GameStarted) -> State:
    limit_ns = round(event.params.think_seconds * NS_PER_S)
    return State(
        params=event.params,
        phase=Phase.BETWEEN,
        names=event.names,
        lead=event.lead,
        clock=Clock(limit_ns),
        camera_trouble=state.camera_trouble,
        next_finding=state.next_finding,
    )


def _set_started(state: State, event: ev.SetStarted) -> State:
    return replace(_without_set(state), phase=Phase.PLAY, lead=event.lead, turn=event.lead, line=Line(), alert=None)


def _without_set(state: State) -> State:
    """The state with everything that belongs to one set only laid aside; the line stays to be looked at."""
    return replace(
        state,
        turn=None,
        plies=(),
        clock=state.clock.fresh(),
        is_overtime=False,
        ending=None,
        shown=None,
        hands=None,
        is_count_waived=False,
        findings=(),
        take_back=(),
        sync=None,
        is_paused=False,
        is_restarted=False,
    )


def _domino_laid(state: State, event: ev.DominoLaid) -> State:
    move = Move(event.seat, event.inner, event.outer, event.end, event.is_fitting)
    line = state.line.with_tile(event.inner, event.outer, event.end, event.seat)
    return _next_turn(replace(state, line=line, plies=(*state.plies, move), take_back=()), event.seat)


def _passed(state: State, event: ev.Passed) -> State:
    assert state.line.ends is not None, "a pass before the first move is refused"
    skip = Skip(event.seat, state.line.ends)
    state = replace(state, plies=(*state.plies, skip), feedback=Feedback(event.seat, event.at, None))
    return _next_turn(state, event.seat)


def _next_turn(state: State, seat: Seat) -> State:
    return replace(state, turn=seat.next, clock=state.clock.fresh(), is_overtime=False)


def _refused(state: State, event: ev.Refused) -> State:
    if event.seat is None:
        return state
    return replace(state, feedback=Feedback(event.seat, event.at, event.reason))


def _finding_raised(state: State, event: ev.FindingRaised) -> State:
    finding = Finding(event.finding, event.kind, event.seat, event.ply, event.clause, event.text)
    state = replace(state, findings=(*state.findings, finding), next_finding=event.finding + 1)
    is_wrong_domino = event.kind is ev.FindingKind.WRONG_DOMINO
    if is_wrong_domino and state.params.wrong_domino_alert is WrongDominoAlert.SILENT and state.ending is None:
        return state
    return replace(state, alert=Alert(AlertKind(event.kind.value), event.at, event.text))


def _finding_ruled(state: State, event: ev.FindingRuled) -> State:
    finding = next(f for f in state.findings if f.number == event.finding)
    findings = tuple(replace(f, is_open=False) if f is finding else f for f in state.findings)
    state = replace(state, findings=findings, alert=None)
    if event.decision is not Decision.CONTINUE:
        return state
    move = state.plies[finding.ply]
    assert isinstance(move, Move), "only a wrong domino can go back"
    return replace(
        state,
        line=state.line.without(move.tile),
        plies=state.plies[: finding.ply],
        findings=tuple(f for f in findings if f.ply < finding.ply),  # the place in the set will be filled anew
        turn=move.seat,
        clock=state.clock.fresh(),
        is_overtime=False,
        ending=None,
        shown=None,
        phase=Phase.PLAY,
        take_back=(*state.take_back, move.tile),
    )


def _warning_given(state: State, event: ev.WarningGiven) -> State:
    return replace(state, warnings=(*state.warnings, WarningEntry(event.seat, event.reason, state.set_no)))


def _went_out(state: State, event: ev.WentOut) -> State:
    alert = Alert(AlertKind.SET_OVER, event.at, f"{state.names[event.seat]} went out: the hands are shown.")
    return replace(state, phase=Phase.COUNT, ending=ev.Ending.OUT, turn=None, alert=alert)


def _locked(state: State, event: ev.Locked) -> State:
    left, right = state.line.ends or (event.suit, event.suit)
    where = f"{left} at both ends" if left == right else f"{left} and {right} open, as only a wrong domino can do it"
    text = f"The line is locked with {where}: the hands are counted."
    alert = Alert(AlertKind.SET_OVER, event.at, text)
    return replace(state, phase=Phase.COUNT, ending=ev.Ending.DEADLOCK, turn=None, alert=alert)


def _hands_shown(state: State, event: ev.HandsShown) -> State:
    return replace(state, shown=event.hands)


def _hands_counted(state: State, event: ev.HandsCounted) -> State:
    return replace(state, hands=event.hands)


def _set_scored(state: State, event: ev.SetScored) -> State:
    assert state.lead is not None, "a set in progress has a leader"
    moves = sum(1 for ply in state.plies if isinstance(ply, Move))
    result = SetResult(
        set_no=state.set_no,
        lead=state.lead,
        by=event.by,
        winner=event.winner,
        spots=event.spots,
        points=event.points,
        moves=moves,
        passes=len(state.plies) - moves,
    )
    after = replace(_without_set(state), phase=Phase.BETWEEN, results=(*state.results, result))
    points = " : ".join(f"{p:g}" for p in after.points)
    alert = Alert(AlertKind.SET_OVER, event.at, f"Set {result.set_no} is over, the game stands {points}.")
    return replace(after, lead=_next_lead(after, result.lead), alert=alert)


def _next_lead(state: State, lead: Seat) -> Seat | None:
    """The lead moves one seat clockwise, whatever the result (C3.4); for the first extra set it is drawn (C5.7)."""
    return None if len(state.results) == state.params.sets_in_game else lead.next


def _set_annulled(state: State, event: ev.SetAnnulled) -> State:
    return replace(_without_set(state), phase=Phase.BETWEEN, alert=None)


def _game_ended(state: State, event: ev.GameEnded) -> State:
    override = event.points if event.points != state.points else None
    return replace(state, phase=Phase.GAME_OVER, winner=event.winner, points_override=override, lead=None)


def _time_exceeded(state: State, event: ev.TimeExceeded) -> State:
    text = f"{state.names[event.seat]} has thought longer than {state.params.think_seconds:g} s."
    return replace(state, is_overtime=True, alert=Alert(AlertKind.TIME, event.at, text))


def _referee_called(state: State, event: ev.RefereeCalled) -> State:
    alert = Alert(AlertKind.CALLED, event.at, f"{state.names[event.seat]} calls the referee.")
    return replace(state, alert=alert, feedback=Feedback(event.seat, event.at, None))


def _sync_lost(state: State, event: ev.SyncLost) -> State:
    alert = Alert(AlertKind.OUT_OF_SYNC, event.at, event.text)
    return replace(state, sync=SyncTrouble(event.code, event.tile, event.text), alert=alert)


def _sync_found(state: State, event: ev.SyncFound) -> State:
    return replace(_without_alert(state, AlertKind.OUT_OF_SYNC), sync=None)


def _camera_lost(state: State, event: ev.CameraLost) -> State:
    return replace(state, camera_trouble=event.reason, alert=Alert(AlertKind.CAMERA, event.at, event.reason))


def _camera_regained(state: State, event: ev.CameraRegained) -> State:
    return replace(_without_alert(state, AlertKind.CAMERA), camera_trouble=None)


def _without_alert(state: State, kind: AlertKind) -> State:
    is_gone = state.alert is not None and state.alert.kind is kind
    return replace(state, alert=None) if is_gone else state


def _taken_back(state: State, event: ev.TakenBack) -> State:
    return replace(state, take_back=tuple(t for t in state.take_back if t != event.tile))


def _restarted(state: State, event: ev.Restarted) -> State:
    """Times of the earlier run mean nothing on the new clock: what was thought until its last event stays thought."""
    return replace(
        state,
        clock=state.clock.standing(state.last_at),
        is_restarted=state.phase in (Phase.PLAY, Phase.COUNT),
        camera_trouble=None,
        storage_trouble=None,
        alert=None,
        feedback=None,
    )


def _undone(state: State, event: ev.Undone) -> State:
    """Back to before the last act; what is so on the table stays so: camera, sync, dominoes that must go back."""
    before = state.before
    assert before is not None, "undo with nothing to undo is refused"
    lying_back = tuple(p.tile for p in state.line.placed if p.tile not in before.line.tiles)
    still_back = tuple(t for t in state.take_back if t not in before.line.tiles)
    return replace(
        before,
        take_back=(*still_back, *lying_back),
        camera_trouble=state.camera_trouble,
        is_restarted=(state.is_restarted or before.is_restarted) and before.phase in (Phase.PLAY, Phase.COUNT),
        sync=state.sync,
        next_finding=state.next_finding,
    )


_APPLY: dict[type, Callable[[State, Any], State]] = {
    ev.GameStarted: _game_started,
    ev.SetStarted: _set_started,
    ev.DominoLaid: _domino_laid,
    ev.Passed: _passed,
    ev.Refused: _refused,
    ev.FindingRaised: _finding_raised,
    ev.FindingRuled: _finding_ruled,
    ev.WarningGiven: _warning_given,
    ev.WentOut: _went_out,
    ev.Locked: _locked,
    ev.HandsShown: _hands_shown,
    ev.HandsCounted: _hands_counted,
    ev.CountWaived: lambda state, _: replace(state, is_count_waived=True),
    ev.SetScored: _set_scored,
    ev.SetAnnulled: _set_annulled,
    ev.GameEnded: _game_ended,
    ev.TimeExceeded: _time_exceeded,
    ev.RefereeCalled: _referee_called,
    ev.Acknowledged: lambda state, _: replace(state, alert=None),
    ev.Paused: lambda state, _: replace(state, is_paused=True),
    ev.Resumed: lambda state, _: replace(state, is_paused=False, is_restarted=False),
    ev.SyncLost: _sync_lost,
    ev.SyncFound: _sync_found,
    ev.TakenBack: _taken_back,
    ev.TableCleared: lambda state, _: replace(state, line=Line(), take_back=()),
    ev.CameraLost: _camera_lost,
    ev.CameraRegained: _camera_regained,
    ev.StorageLost: lambda state, _: replace(state, storage_trouble="nothing can be kept"),
    ev.StorageRegained: lambda state, _: replace(state, storage_trouble=None),
    ev.Restarted: _restarted,
    ev.Undone: _undone,
}
