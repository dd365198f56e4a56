"""What findings, rulings, warnings and corrections do to the state; what they follow from is decided elsewhere."""

from __future__ import annotations

from dataclasses import replace

from controller.game import amend
from controller.game import events as ev
from controller.game.amend import line_of
from controller.game.commands import Decision
from controller.game.evolve_sets import ledger_id
from controller.game.ledger import LedgerEntry
from controller.game.rulesets import OutOfTurn, WrongDominoAlert
from controller.game.state import Alert, AlertKind, Exposed, Finding, Forfeit, Move, Phase, Ply, State, WarningEntry
from controller.game.tiles import MonoNs, Tile

ALERTS: dict[ev.FindingKind, AlertKind] = {
    ev.FindingKind.WRONG_DOMINO: AlertKind.WRONG_DOMINO,
    ev.FindingKind.WRONG_PASS: AlertKind.WRONG_PASS,
    ev.FindingKind.INCONSISTENT_PASSES: AlertKind.WRONG_PASS,
    ev.FindingKind.OUT_OF_TURN: AlertKind.WRONG_DOMINO,
    ev.FindingKind.EXPOSED_HAND: AlertKind.CALLED,
    ev.FindingKind.OVERTIME: AlertKind.TIME,
}
"""What the referee is buzzed for by each kind of finding."""


def finding_raised(state: State, event: ev.FindingRaised) -> State:
    """Something for the referee to rule on."""
    finding = Finding(
        number=event.finding,
        kind=event.kind,
        seat=event.seat,
        ply=event.ply,
        clause=event.clause,
        text=event.text,
        pair=event.pair if event.seat is None else event.seat.pair,
        proven_by=event.proven_by,
        passes=event.passes,
        repairs=event.repairs,
        set_no=event.set_no,
        lay=event.lay,
        stills=event.stills,
    )
    state = replace(state, findings=(*state.findings, finding), next_finding=event.finding + 1)
    is_wrong_domino = event.kind is ev.FindingKind.WRONG_DOMINO
    if is_wrong_domino and state.params.wrong_domino_alert is WrongDominoAlert.SILENT and state.ending is None:
        return state
    return replace(state, alert=Alert(ALERTS[event.kind], event.at, event.text))


def finding_ruled(state: State, event: ev.FindingRuled) -> State:
    """The referee (or, with adjudication auto, the rules) decided on a finding."""
    finding = next(f for f in state.findings if f.number == event.finding)
    findings = tuple(replace(f, decision=event.decision) if f is finding else f for f in state.findings)
    state = replace(state, findings=findings, alert=None)
    if state.is_award_waiting:
        state = replace(state, alert=_awaited(state, event.at))
    if event.decision is Decision.DISMISS:
        return _dismissed(state, finding)
    if event.decision is Decision.CONFIRM and finding.lay is not None and finding.seat is not None:
        tile = Tile.of(*finding.lay[:2])
        lying = (tile,) if finding.is_by_arm and state.params.out_of_turn is not OutOfTurn.STANDS else ()
        shown = Exposed(tile, finding.seat)
        return replace(state, exposed=(*state.exposed, shown), take_back=(*state.take_back, *lying))
    if event.decision is not Decision.CONTINUE:
        return state
    back = tuple(ply for ply in state.plies[finding.ply :] if isinstance(ply, Move))
    assert back, "only a wrong domino can go back"
    plies = state.plies[: finding.ply]
    return replace(
        state,
        line=line_of(plies),
        plies=plies,
        findings=tuple(f for f in findings if f.set_no is not None or _is_untouched(f, finding.ply)),
        excused=frozenset(place for place in state.excused if place < finding.ply),
        exposed=(*state.exposed, *(Exposed(move.tile, move.seat) for move in back)),
        turn=plies[-1].seat.next if plies else state.lead,
        clock=state.clock.fresh(),
        is_overtime=False,
        last_move=None,
        ending=None,
        shown=None,
        is_reveal_ordered=False,
        phase=Phase.PLAY,
        take_back=(*state.take_back, *(move.tile for move in back)),
    )


def _awaited(state: State, at: MonoNs) -> Alert | None:
    """The offence that has to be ruled on before the set can be awarded; the award itself, if it comes, ends this."""
    offences = (ev.FindingKind.WRONG_PASS, ev.FindingKind.WRONG_DOMINO)
    waiting = next((f for f in state.told_findings if f.kind in offences and f.set_no is None), None)
    if waiting is None:
        return None
    return Alert(ALERTS[waiting.kind], at, f"The set waits for a ruling on this too: {waiting.text}")


def _dismissed(state: State, finding: Finding) -> State:
    """What the referee has dismissed is not proof any more: the record may be wrong there."""
    if finding.set_no is None:
        return replace(state, excused=state.excused | frozenset(finding.passes))
    if state.closed is None:
        return state
    return replace(state, closed=replace(state.closed, dismissed=state.closed.dismissed | {finding.ply}))


def warning_given(state: State, event: ev.WarningGiven) -> State:
    """A warning was entered for a pair."""
    set_no, pair = state.warned_set_no, event.warned
    rung = state.competition_warnings_of(pair) + 1 if event.counts else 0
    warning = WarningEntry(pair, event.seat, event.reason, set_no, event.counts, rung, state.attempt)
    state = replace(state, warnings=(*state.warnings, warning))
    if not (event.counts and state.competition):
        return state
    entry = LedgerEntry(
        id=ledger_id(state),
        competition=state.competition,
        game=state.game,
        players=state.players_of(pair),
        player="" if event.seat is None else state.names[event.seat],
        reason=event.reason,
        set_no=set_no,
    )
    return replace(state, ledger=state.ledger.with_entry(entry), next_warning=state.next_warning + 1)


def set_forfeited(state: State, event: ev.SetForfeited) -> State:
    """A warning costs the set, but an offence of the rivals' that was done before it has to be ruled on first."""
    forfeit = Forfeit(event.pair, event.by, len(state.plies))
    waiting = replace(state, forfeits=(*state.forfeits, forfeit))
    return replace(waiting, alert=_awaited(waiting, event.at))


def pair_expelled(state: State, event: ev.PairExpelled) -> State:
    """A pair is out of the competition (C8.4, R10)."""
    return replace(state, expelled=(*state.expelled, event.pair))


def attributed(state: State, event: ev.Attributed) -> State:
    """The move at `ply` was made by `seat`; the seats skipped have passed by voice."""
    return _amended(state, amend.reattributed(state.plies, event.ply, event.seat), event.ply)


def corrected(state: State, event: ev.Corrected) -> State:
    """The domino of the move at `ply` was another, or lay otherwise."""
    return _amended(state, amend.corrected(state.plies, event.ply, event.inner, event.outer), event.ply)


def _is_untouched(finding: Finding, place: int) -> bool:
    """Whether a finding stands whatever was changed from `place` on; an accusation may rest on later acts."""
    accuses = finding.kind in (ev.FindingKind.WRONG_PASS, ev.FindingKind.INCONSISTENT_PASSES)
    is_settled = not accuses or finding.decision is Decision.DISMISS
    return is_settled and finding.ply < place and max(finding.passes, default=0) < place


def _amended(state: State, plies: tuple[Ply, ...], place: int) -> State:
    """The set with another history from `place` on: what was found there is to be found anew."""
    turn = plies[-1].seat.next
    kept = (f for f in state.findings if f.set_no is not None or _is_untouched(f, place))
    is_revealed = state.is_reveal_ordered
    return replace(
        state,
        plies=plies,
        line=line_of(plies),
        findings=tuple(kept),
        excused=frozenset(p for p in state.excused if p < place),
        turn=None if is_revealed else turn,
        phase=Phase.COUNT if is_revealed else Phase.PLAY,
        ending=None,
        shown=None,
        hands=None,
        is_count_waived=False,
        last_move=None,
        clock=state.clock if turn is state.turn else state.clock.fresh(),
        is_overtime=state.is_overtime and turn is state.turn,
    )
