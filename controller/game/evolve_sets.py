"""What begins and ends games and sets, and what undo and a restart of the program do to the state."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from controller.game import events as ev
from controller.game.clocks import NS_PER_S, Clock
from controller.game.commands import Decision
from controller.game.draw import Seating
from controller.game.ledger import GameEntry, Ledger, LedgerEntry
from controller.game.line import Line
from controller.game.rulesets import ExtraSetLead, NextLead
from controller.game.state import Alert, AlertKind, ClosedSet, Move, Mute, Phase, SetResult, Signature, State
from controller.game.tiles import MonoNs, Pair, Seat


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
        first_lead=event.lead,
        lead=event.lead,
        clock=Clock(limit_ns),
        line=state.line,  # what lies is not the first move of the new game: the table has to be cleared
        take_back=state.take_back,
        camera_trouble=state.camera_trouble,
        mute=state.mute,
        next_finding=state.next_finding,
        ledger=_without_result(state) if event.again else state.ledger,
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
        awaited=None,
        shown=None,
        hands=None,
        is_count_waived=False,
        is_reveal_ordered=False,
        exposed=(),
        excused=frozenset(),
        vouched=frozenset(),
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
    """The set is played again with the same lead, nothing is registered; one that was is struck out."""
    again = replace(without_set(state), phase=Phase.BETWEEN, alert=None, attempt=state.attempt + 1)
    if event.set_no is None:
        return again
    return replace(
        again,
        results=state.results[:-1],
        lead=state.results[-1].lead,
        attempt=1 if state.closed is None else state.closed.attempt + 1,
        closed=None,
        winner=None,
        points_override=None,
        signatures=(),
        ledger=_without_result(state),
    )


def _without_result(state: State) -> Ledger:
    """The ledger without the result of this game, where it has come to one."""
    ledger = state.ledger
    for game in ledger.games:
        if state.game and game.id.rpartition("#")[0] == state.game:
            ledger = ledger.without(game.id)
    return ledger


def register_confirmed(state: State, event: ev.RegisterConfirmed) -> State:
    """The register of the game that is over was signed."""
    signature = Signature(event.pair, event.by, event.is_chief)
    return replace(state, signatures=(*state.signatures, signature))


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
        mute=_goes_on(state, event.at),
        feedback=None,
    )


def _goes_on(state: State, now: MonoNs) -> Mute | None:
    """A mute for a time has on the new clock what was left of it at the last event on the old one."""
    if state.mute is None or state.mute.until is None:
        return state.mute
    return Mute(MonoNs(now + max(0, state.mute.until - state.last_at)))


def undone(state: State, event: ev.Undone) -> State:
    """Back to before the last act."""
    assert state.before is not None, "undo with nothing to undo is refused"
    back = _returned(state, state.before, event.at, lying=state.line)
    return replace(back, ahead=replace(state, clock=state.clock.standing(event.at)))


def redone(state: State, event: ev.Redone) -> State:
    """On again to where the last undo began. Between two sets the line known is the old one, long swept perhaps."""
    ahead = state.ahead
    assert ahead is not None, "redo with nothing to redo is refused"
    is_same_set = state.phase in (Phase.PLAY, Phase.COUNT)
    on = _returned(state, ahead, event.at, lying=state.line if is_same_set else Line())
    has_resumed = ahead.before is not None and ahead.before.is_restarted and not ahead.is_restarted
    return replace(on, is_restarted=on.is_restarted and not has_resumed)


def _returned(state: State, to: State, now: MonoNs, *, lying: Line) -> State:
    """The state `to`, earlier or later; what is so on the table stays so: camera, sync, dominoes that must go back."""
    lying_back = tuple(p.tile for p in lying.placed if p.tile not in to.line.tiles)
    still_back = tuple(t for t in state.take_back if t not in to.line.tiles)
    # What is stamped after now was stamped before a reboot, on another clock: it would sound at no apt moment.
    feedback = to.feedback if to.feedback is not None and to.feedback.at <= now else None
    alert = to.alert if to.alert is not None and to.alert.at <= now else None
    ledger, next_warning = _ledger_of(state, to)
    return replace(
        to,
        take_back=(*still_back, *lying_back),
        ledger=ledger,
        next_warning=next_warning,
        camera_trouble=state.camera_trouble,
        mute=state.mute,
        is_restarted=(state.is_restarted or to.is_restarted) and to.phase in (Phase.PLAY, Phase.COUNT),
        alert=alert,
        feedback=feedback,
        sync=state.sync if state.phase in (Phase.PLAY, Phase.COUNT) else to.sync,
        vouched=to.vouched | state.vouched,
        next_finding=state.next_finding,
    )


def _ledger_of(state: State, to: State) -> tuple[Ledger, int]:
    """The ledger in which what this game has entered is as in `to`, and the next number; other tables' entries stay.

    What was withdrawn stays so, therefore what stands again gets another name.
    """
    ledger, number = state.ledger, state.next_warning
    games = {state.game, to.game} - {""}
    has, wants = _own(state.ledger, games), _own(to.ledger, games)
    surplus, missing = Counter(has.values()), Counter(wants.values())
    surplus, missing = surplus - missing, missing - surplus
    for name, content in reversed(has.items()):
        if surplus[content]:
            surplus[content] -= 1
            ledger = ledger.without(name)
    for name, content in wants.items():
        if missing[content]:
            missing[content] -= 1
            again = replace(content, id=f"{name.rpartition('#')[0]}#{number}")
            ledger = ledger.with_entry(again) if isinstance(again, LedgerEntry) else ledger.with_game(again)
            number += 1
    return ledger, number


def _own(ledger: Ledger, games: set[str]) -> dict[str, LedgerEntry | GameEntry]:
    """What these games have entered: by its name, in the order of entering, the content without it."""
    own: list[tuple[int, LedgerEntry | GameEntry]] = []
    entered: tuple[LedgerEntry | GameEntry, ...] = (*ledger.entries, *ledger.games)
    for each in entered:
        game, _, number = each.id.rpartition("#")
        if game in games and number.isdecimal():
            own.append((int(number), each))
    return {each.id: replace(each, id="") for _, each in sorted(own, key=lambda numbered: numbered[0])}


def ledger_merged(state: State, event: ev.LedgerMerged) -> State:
    """Warnings of the competition's other tables and games are known here too."""
    return replace(state, ledger=state.ledger.merged(event.ledger))


def ledger_id(state: State) -> str:
    """A name that no other table or game gives: what is undone keeps its name, what follows gets another."""
    return f"{state.game}#{state.next_warning}"
