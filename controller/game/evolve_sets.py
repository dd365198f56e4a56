"""What begins and ends games and sets, and what undo and a restart of the program do to the state."""

from __future__ import annotations

from dataclasses import replace

from controller.game import events as ev
from controller.game.clocks import NS_PER_S, Clock
from controller.game.commands import Decision
from controller.game.draw import Seating
from controller.game.ledger import GameEntry, Ledger
from controller.game.line import Line
from controller.game.rulesets import ExtraSetLead, NextLead
from controller.game.state import Alert, AlertKind, ClosedSet, Move, Phase, SetResult, State
from controller.game.tiles import Pair, Seat


def seats_drawn(state: State, event: ev.SeatsDrawn) -> State:
    """Who sits where, by drawn dominoes or lots."""
    return replace(state, seating=Seating(event.names, event.lead))


def game_started(state: State, event: ev.GameStarted) -> State:
    """A game was opened."""
    limit_ns = round(event.params.think_seconds * NS_PER_S)
    return State(
        params=event.params,
        phase=Phase.BETWEEN,
        names=event.names,
        competition=event.competition,
        game=event.game,
        lead=event.lead,
        clock=Clock(limit_ns),
        line=state.line,  # what lies is not the first move of the new game: the table has to be cleared
        take_back=state.take_back,
        camera_trouble=state.camera_trouble,
        next_finding=state.next_finding,
        ledger=state.ledger,
        next_warning=state.next_warning,
    )


def set_started(state: State, event: ev.SetStarted) -> State:
    """A set began: `lead` may make the first move. What was claimed or shown before it is still so."""
    shown = {seen.tile for seen in state.exposed}
    return replace(
        without_set(state),
        phase=Phase.PLAY,
        lead=event.lead,
        turn=event.lead,
        line=Line(),
        alert=state.alert if state.claim is not None or state.open_findings else None,
        findings=state.findings,
        exposed=state.exposed,
        claim=state.claim,
        take_back=tuple(tile for tile in state.take_back if tile in shown),
    )


def without_set(state: State) -> State:
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
        is_reveal_ordered=False,
        exposed=(),
        excused=frozenset(),
        claim=None,
        unclaimed=(),
        last_move=None,
        findings=(),
        forfeits=(),
        take_back=(),
        sync=None,
        is_paused=False,
        is_restarted=False,
    )


def set_scored(state: State, event: ev.SetScored) -> State:
    """The set is over and has its points [A, B]; spots [A, B] where they were counted."""
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
    is_played = event.by in (ev.Ending.OUT, ev.Ending.DEADLOCK)
    dismissed = frozenset(
        f.ply
        for f in state.findings
        if f.decision is Decision.DISMISS and f.set_no is None and f.proven_by is not ev.ProvenBy.COUNTING
    )
    closed = ClosedSet(result.set_no, state.plies, state.exposed, state.hands, state.attempt, not is_played, dismissed)
    after = replace(
        without_set(state),
        phase=Phase.BETWEEN,
        results=(*state.results, result),
        lead=_next_lead(state, event),
        closed=closed,
        findings=tuple(
            replace(f, set_no=result.set_no)  # somebody has pointed at it, and it may still be warned for
            for f in state.open_findings
            if f.kind is ev.FindingKind.OVERTIME and f.set_no is None
        ),
        attempt=0,
    )
    points = " : ".join(f"{p:g}" for p in after.points)
    alert = Alert(AlertKind.SET_OVER, event.at, f"Set {result.set_no} is over, the game stands {points}.")
    return replace(after, alert=alert)


def _next_lead(state: State, event: ev.SetScored) -> Seat | None:
    """Who leads the set after this one; None where it is drawn (C3.4, C5.7, R6)."""
    params, set_no = state.params, state.set_no
    is_extra_next = set_no >= params.sets_in_game
    is_drawn = params.next_lead is NextLead.DRAW or (
        is_extra_next and (set_no == params.sets_in_game or params.extra_set_lead is ExtraSetLead.DRAW_EACH)
    )
    if is_drawn or state.lead is None:
        return None
    if params.next_lead is NextLead.ROTATE or event.winner is ev.Winner.DRAW or is_extra_next:
        return state.lead.next
    last = state.plies[-1].seat if state.plies else state.lead
    return last if last.pair.value == event.winner.value else last.next


def set_rescored(state: State, event: ev.SetRescored) -> State:
    """A registered set has another result, and is closed for good."""
    at = event.set_no - 1
    result = replace(state.results[at], by=event.by, winner=event.winner, points=event.points)
    findings = tuple(f for f in state.findings if f.set_no is None or f.kind is ev.FindingKind.OVERTIME)
    results = (*state.results[:at], result, *state.results[at + 1 :])
    lead, is_won = state.lead, state.params.next_lead is NextLead.WINNER and state.phase is Phase.BETWEEN
    if is_won and lead is not None and lead.pair.value == _other(event.winner):
        lead = lead.next  # the lead goes with the set
    closed = None if state.closed is None else replace(state.closed, is_final=True)
    after = replace(state, results=results, closed=closed, findings=findings, lead=lead)
    points = " : ".join(f"{p:g}" for p in after.points)
    text = f"Set {event.set_no} has another result, the game stands {points}."
    return replace(after, alert=Alert(AlertKind.SET_OVER, event.at, text))


def _other(winner: ev.Winner) -> str | None:
    """The pair that has lost."""
    return None if winner is ev.Winner.DRAW else Pair(winner.value).rivals.value


def set_annulled(state: State, event: ev.SetAnnulled) -> State:
    """The set is played again with the same lead, nothing is registered."""
    return replace(without_set(state), phase=Phase.BETWEEN, alert=None, attempt=state.attempt + 1)


def game_ended(state: State, event: ev.GameEnded) -> State:
    """The game is over."""
    override = event.points if event.points != state.points else None
    after = replace(without_set(state), phase=Phase.GAME_OVER, winner=event.winner, points_override=override, lead=None)
    how = f", by the {event.by.value.removeprefix('awarded:').replace('_', ' ')}" if event.by is not None else ""
    points = " : ".join(f"{p:g}" for p in event.points)
    alert = Alert(AlertKind.SET_OVER, event.at, f"The game is over, {points}{how}.")
    after = replace(after, ended_by=event.by, alert=alert)
    if not state.competition:
        return after
    entry = GameEntry(
        id=ledger_id(state),
        competition=state.competition,
        pairs=(state.players_of(Pair.A), state.players_of(Pair.B)),
        points=event.points,
        winner=event.winner.value,
    )
    return replace(after, ledger=state.ledger.with_game(entry), next_warning=state.next_warning + 1)


def restarted(state: State, event: ev.Restarted) -> State:
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


def undone(state: State, event: ev.Undone) -> State:
    """Back to before the last act; what is so on the table stays so: camera, sync, dominoes that must go back."""
    before = state.before
    assert before is not None, "undo with nothing to undo is refused"
    lying_back = tuple(p.tile for p in state.line.placed if p.tile not in before.line.tiles)
    still_back = tuple(t for t in state.take_back if t not in before.line.tiles)
    # What is stamped after now was stamped before a reboot, on another clock: it would sound at no apt moment.
    feedback = before.feedback if before.feedback is not None and before.feedback.at <= event.at else None
    alert = before.alert if before.alert is not None and before.alert.at <= event.at else None
    return replace(
        before,
        take_back=(*still_back, *lying_back),
        ledger=_without_own(state, before),
        next_warning=state.next_warning,
        camera_trouble=state.camera_trouble,
        is_restarted=(state.is_restarted or before.is_restarted) and before.phase in (Phase.PLAY, Phase.COUNT),
        alert=alert,
        feedback=feedback,
        sync=state.sync if state.phase in (Phase.PLAY, Phase.COUNT) else before.sync,
        next_finding=state.next_finding,
    )


def _without_own(state: State, before: State) -> Ledger:
    """The ledger less what this game has entered since `before`; what came from other tables stays."""
    ledger = state.ledger
    for number in range(before.next_warning, state.next_warning):
        ledger = ledger.without(f"{state.game}#{number}")
    return ledger


def ledger_merged(state: State, event: ev.LedgerMerged) -> State:
    """Warnings of the competition's other tables and games are known here too."""
    return replace(state, ledger=state.ledger.merged(event.ledger))


def ledger_id(state: State) -> str:
    """A name that no other table or game gives: what is undone keeps its name, what follows gets another."""
    return f"{state.game}#{state.next_warning}"
