"""What acts and sights do to the state: moves, passes, closing, claims, table and camera; rulings are elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from controller.game import events as ev
from controller.game.clocks import NS_PER_MS
from controller.game.evolve_sets import without_set
from controller.game.line import Line
from controller.game.rulesets import WrongDominoAlert
from controller.game.state import (
    Alert,
    AlertKind,
    Awaited,
    Exposed,
    Feedback,
    LastMove,
    Move,
    Phase,
    Skip,
    State,
    SyncTrouble,
)
from controller.game.tiles import MonoNs, Seat


def domino_laid(state: State, event: ev.DominoLaid) -> State:
    """A domino was added to the line, whether it fits or not. For `End.FIRST` inner is the left half."""
    closed, findings = state.closed, state.findings
    if not state.plies:  # the first move: the set before it is closed for good (C6.1)
        closed, findings = None, tuple(f for f in findings if f.set_no is None)
    move = Move(event.seat, event.inner, event.outer, event.end, event.is_fitting)
    line = state.line.with_tile(event.inner, event.outer, event.end, event.seat)
    plies = (*state.plies, move)
    next_turn = _next_turn(state, event.seat, event.think_ms)
    return replace(state, closed=closed, findings=findings, line=line, plies=plies, take_back=(), **next_turn)


def passed(state: State, event: ev.Passed) -> State:
    """A seat announced that it has no fitting domino."""
    assert state.line.ends is not None, "a pass before the first move is refused"
    skip = Skip(event.seat, state.line.ends)
    feedback = Feedback(event.seat, event.at, None)
    next_turn = _next_turn(state, event.seat, event.think_ms)
    return replace(state, plies=(*state.plies, skip), feedback=feedback, **next_turn)


def _next_turn(state: State, seat: Seat, think_ms: int) -> dict[str, Any]:
    """What changes in the state, not the state itself: making one is most of what an event costs."""
    last = LastMove(seat, think_ms, state.is_overtime)
    return {"turn": seat.next, "clock": state.clock.fresh(), "is_overtime": False, "last_move": last}


def pass_withdrawn(state: State, event: ev.PassWithdrawn) -> State:
    """The seat thinks on with the time it had used."""
    assert state.last_move is not None, "only the last act can be withdrawn"
    clock = replace(state.clock.fresh(), banked_ns=state.last_move.think_ms * NS_PER_MS)
    answered = Feedback(event.seat, event.at, None)
    plies = state.plies[:-1]
    return replace(state, plies=plies, turn=event.seat, clock=clock, feedback=answered, last_move=None)


def refused(state: State, event: ev.Refused) -> State:
    """An input changed nothing."""
    if event.seat is None:
        return state
    return replace(state, feedback=Feedback(event.seat, event.at, event.reason))


def went_out(state: State, event: ev.WentOut) -> State:
    """A seat put its last domino (C0.3)."""
    alert = Alert(AlertKind.SET_OVER, event.at, f"{state.name_of(event.seat)} went out: the hands are shown.")
    return _closed(replace(state, phase=Phase.COUNT, ending=ev.Ending.OUT, turn=None, alert=alert), event.at)


def locked(state: State, event: ev.Locked) -> State:
    """No unplayed domino fits (C0.7)."""
    left, right = state.line.ends or (event.suit, event.suit)
    where = f"{left} at both ends" if left == right else f"{left} and {right} open, as only a wrong domino can do it"
    text = f"The line is locked with {where}: the hands are counted."
    alert = Alert(AlertKind.SET_OVER, event.at, text)
    return _closed(replace(state, phase=Phase.COUNT, ending=ev.Ending.DEADLOCK, turn=None, alert=alert), event.at)


def _closed(state: State, at: MonoNs) -> State:
    """A wrong domino that was kept silent is told now that the line is closed."""
    silent = [f for f in state.told_findings if f.kind is ev.FindingKind.WRONG_DOMINO]
    if not silent or state.params.wrong_domino_alert is not WrongDominoAlert.SILENT:
        return state
    return replace(state, alert=Alert(AlertKind.WRONG_DOMINO, at, silent[0].text))


def hands_awaited(state: State, event: ev.HandsAwaited) -> State:
    """Some hands lie open, others not yet."""
    awaited = Awaited(event.dominoes, event.text) if any(event.dominoes) else None
    return replace(state, awaited=awaited)


def hands_shown(state: State, event: ev.HandsShown) -> State:
    """The camera has read the four hands, and they are exactly the unplayed dominoes."""
    return replace(state, shown=event.hands, awaited=None)


def hands_counted(state: State, event: ev.HandsCounted) -> State:
    """The referee entered or confirmed the four hands."""
    counted = replace(_without_alert(state, AlertKind.OUT_OF_SYNC), hands=event.hands, awaited=None, sync=None)
    if not state.is_reveal_ordered:
        return counted
    text = "The hands show no wrong pass: the set is played again, or the reveal taken back."
    return replace(counted, alert=Alert(AlertKind.CALLED, event.at, text))  # a finding, if there is one, comes after it


def reveal_ordered(state: State, event: ev.RevealOrdered) -> State:
    """The referee has all hands laid open in the middle of a set."""
    text = "The referee has ordered the hands to be laid open."
    alert = Alert(AlertKind.SET_OVER, event.at, text)
    return replace(state, phase=Phase.COUNT, turn=None, is_reveal_ordered=True, alert=alert)


def time_exceeded(state: State, event: ev.TimeExceeded) -> State:
    """The seat on turn has thought longer than it was given (C5.5)."""
    text = f"{state.name_of(event.seat)} has thought longer than {state.params.think_seconds:g} s."
    return replace(state, is_overtime=True, alert=Alert(AlertKind.TIME, event.at, text))


def referee_called(state: State, event: ev.RefereeCalled) -> State:
    """A seat asked for the referee."""
    alert = Alert(AlertKind.CALLED, event.at, f"{state.name_of(event.seat)} calls the referee.")
    return replace(state, alert=alert, feedback=Feedback(event.seat, event.at, None))


def time_claimed(state: State, event: ev.TimeClaimed) -> State:
    """A seat pointed at a rival's long thinking (C5.6)."""
    return replace(state, feedback=Feedback(event.seat, event.at, event.reason))


def redeal_claimed(state: State, event: ev.RedealClaimed) -> State:
    """A seat claims a redeal and has its hand to show."""
    text = f"{state.name_of(event.seat)} claims a redeal: he lays his seven dominoes in the middle."
    alert = Alert(AlertKind.CALLED, event.at, text)
    return replace(state, claim=event.seat, alert=alert, feedback=Feedback(event.seat, event.at, None))


def redeal_granted(state: State, event: ev.RedealGranted) -> State:
    """The dominoes are handed out once again, same leader (C2.2)."""
    lying = event.hand if event.is_seen else ()
    return replace(without_set(state), phase=Phase.BETWEEN, alert=None, take_back=lying, line=Line())


def redeal_denied(state: State, event: ev.RedealDenied) -> State:
    """The hand goes back, and everybody knows it now."""
    lying = event.hand if event.is_seen else ()
    known = state.line.tiles | {seen.tile for seen in state.exposed}
    shown = tuple(Exposed(tile, event.seat) for tile in event.hand if tile not in known)
    return replace(state, claim=None, take_back=(*state.take_back, *lying), exposed=(*state.exposed, *shown))


def tile_exposed(state: State, event: ev.TileExposed) -> State:
    """A domino was seen in a hand."""
    shown = Exposed(event.tile, event.seat)
    if not event.in_last_set:
        return replace(state, exposed=(*state.exposed, shown))
    assert state.closed is not None, "refused where the last set is closed for good"
    return replace(state, closed=replace(state.closed, exposed=(*state.closed.exposed, shown)))


def sync_lost(state: State, event: ev.SyncLost) -> State:
    """What lies on the table and what is known can't be reconciled."""
    alert = Alert(AlertKind.OUT_OF_SYNC, event.at, event.text)
    return replace(state, sync=SyncTrouble(event.code, event.tile, event.text, event.seat), alert=alert)


def sync_found(state: State, event: ev.SyncFound) -> State:
    """The table is again as it is known."""
    sync = state.sync
    word = {(sync.code, sync.tile)} if event.is_vouched and sync is not None else set()
    return replace(_without_alert(state, AlertKind.OUT_OF_SYNC), sync=None, vouched=state.vouched | word)


def camera_lost(state: State, event: ev.CameraLost) -> State:
    """No usable picture comes."""
    return replace(state, camera_trouble=event.reason, alert=Alert(AlertKind.CAMERA, event.at, event.reason))


def camera_regained(state: State, event: ev.CameraRegained) -> State:
    """Pictures come again."""
    return replace(_without_alert(state, AlertKind.CAMERA), camera_trouble=None)


def _without_alert(state: State, kind: AlertKind) -> State:
    is_gone = state.alert is not None and state.alert.kind is kind
    return replace(state, alert=None) if is_gone else state


def taken_back(state: State, event: ev.TakenBack) -> State:
    """A domino that had to go back to its hand has left the table."""
    return replace(state, take_back=tuple(t for t in state.take_back if t != event.tile))
