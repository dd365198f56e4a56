"""`register_of(events)`: the register that a game's events make; it judges nothing, what was decided stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from controller.game import events as ev
from controller.game.evolve import evolve
from controller.game.rulesets import Ladder
from controller.game.state import Phase, State
from controller.register.draft import BESIDE, Draft, led_to, lost_by
from controller.register.register import (
    AmendmentEntry,
    Consequence,
    CorrectionEntry,
    CorrectionKind,
    FindingEntry,
    OvertimeEntry,
    Register,
    ReplayEntry,
)
from controller.register.sets import clause_of, fines_in, with_totals, with_wrong_pass, written_set


def register_of(events: Iterable[ev.Event], *, table: str, date: str) -> Register:
    """The register of the last game that was opened in `events`, as far as it has come.

    Args:
        events: everything that happened at the table, from the first on: earlier games count warnings too.
        table: the table's name.
        date: wall time of the beginning, a label; empty where no clock was right.

    Raises:
        ValueError: no game was opened.
    """
    state, draft = State(), Draft()
    for event in events:
        after = evolve(state, event)
        draft = _noted(draft, event, state, after)
        state = after
    begun, ended = draft.begun, draft.ended
    if begun is None:
        raise ValueError("expected the events of a game, got none that opens one: start a game first")
    is_running = state.phase in (Phase.PLAY, Phase.COUNT)
    sets = (*draft.sets, written_set(state, draft.marks)) if is_running else draft.sets
    return Register(
        competition=begun.competition,
        table=table,
        game_id=begun.game,
        date=date,
        params=begun.params,
        names=begun.names,
        sets=with_totals(sets),
        result=None if ended is None else ended.points,
        winner=None if ended is None else ended.winner,
        ended_by=None if ended is None else ended.by,
        expelled=state.expelled,
        warnings=draft.warnings,
        findings=_as_they_stand(draft.findings, state),
        claims=draft.claims,
        overtimes=_with_the_one_that_lasts(draft.overtimes, state),
        redeals=draft.redeals,
        unclaimed=draft.unclaimed,
        replays=draft.replays,
        corrections=draft.corrections,
        amendments=draft.amendments,
        signatures=draft.signatures,
    )


def _as_they_stand(findings: tuple[FindingEntry, ...], state: State) -> tuple[FindingEntry, ...]:
    """The findings, lapsed those on which nobody can rule any more; of the set before until this one has an act."""
    waiting = {f.number for f in state.open_findings if f.set_no is None or not state.plies}
    return tuple(replace(f, is_lapsed=f.decision is None and f.number not in waiting) for f in findings)


def _with_the_one_that_lasts(overtimes: tuple[OvertimeEntry, ...], state: State) -> tuple[OvertimeEntry, ...]:
    """The overtimes, the last one without its length but not given up where that seat is still thinking."""
    if not (state.is_overtime and state.phase is Phase.PLAY and overtimes):
        return overtimes
    return (*overtimes[:-1], replace(overtimes[-1], is_unmade=False))


def _noted(draft: Draft, event: ev.Event, state: State, after: State) -> Draft:
    """The draft after `event`, which made `after` of `state`."""
    if isinstance(event, ev.Undone):
        return replace(_undone(draft, after), ahead=draft)
    if isinstance(event, ev.Redone):
        assert draft.ahead is not None, "redo with nothing to redo is refused"
        return draft.ahead  # it stands, so that it was taken back meanwhile is nothing to file
    note = _NOTE.get(type(event))
    noted = draft if note is None else note(draft, event, state, after)
    # What a ruling or an order has taken out of the history is out of the marks too.
    noted = replace(noted, marks=noted.marks[: len(after.plies)])
    if not ev.is_act(event):
        return noted
    # The same chain as `State.before`: of an earlier game the last moment alone.
    past = replace(draft, before=None) if isinstance(event, ev.GameStarted) else draft
    return replace(noted, before=past, ahead=None, last=event)


# --- undo ---

_UNDONE: dict[type, CorrectionKind] = {
    ev.DominoLaid: CorrectionKind.MOVE_UNDONE,
    ev.Passed: CorrectionKind.PASS_UNDONE,
    ev.FindingRuled: CorrectionKind.RULING_UNDONE,
    ev.WarningGiven: CorrectionKind.WARNING_UNDONE,
    ev.HandsCounted: CorrectionKind.COUNT_UNDONE,
    ev.CountWaived: CorrectionKind.CORRECTION_UNDONE,
    ev.PassWithdrawn: CorrectionKind.CORRECTION_UNDONE,
    ev.Attributed: CorrectionKind.CORRECTION_UNDONE,
    ev.Corrected: CorrectionKind.CORRECTION_UNDONE,
    ev.TileExposed: CorrectionKind.CORRECTION_UNDONE,
    ev.RevealOrdered: CorrectionKind.CORRECTION_UNDONE,
    ev.SetAnnulled: CorrectionKind.REPLAY_UNDONE,
    ev.TimeClaimed: CorrectionKind.CLAIM_UNDONE,
    ev.RedealGranted: CorrectionKind.REDEAL_UNDONE,
    ev.RedealDenied: CorrectionKind.REDEAL_UNDONE,
    ev.RegisterConfirmed: CorrectionKind.SIGNATURE_UNDONE,
}
"""The acts whose undoing is noted; that a pause or a start was taken back is nothing to file."""


def _undone(draft: Draft, after: State) -> Draft:
    """The draft before the last act; that something was taken back is kept, whatever else is taken back later."""
    assert draft.before is not None, "undo with nothing to undo is refused"
    last = draft.last
    if isinstance(last, ev.GameStarted):
        return draft.before
    corrections = draft.corrections
    if type(last) in _UNDONE:
        entry = CorrectionEntry(after.set_no, _UNDONE[type(last)], act=None, seat=None, domino=None, by="")
        corrections = (*corrections, replace(entry, **_undone_what(draft, draft.before, last, after)))
    return replace(draft.before, corrections=corrections)


def _undone_what(draft: Draft, before: Draft, last: ev.Event | None, after: State) -> dict[str, Any]:
    """What an act was about that has been taken back, as fields of the note of it."""
    match last:
        case ev.DominoLaid():
            return {"act": len(after.plies) + 1, "seat": last.seat, "domino": (int(last.inner), int(last.outer))}
        case ev.Passed():
            return {"act": len(after.plies) + 1, "seat": last.seat}
        case ev.WarningGiven():
            return {"seat": last.seat, "pair": last.pair, "reason": last.reason}
        case ev.TimeClaimed() | ev.RedealGranted() | ev.RedealDenied():
            return {"seat": last.seat}
        case ev.RegisterConfirmed():
            return {"set_no": len(after.results), "pair": last.pair}
        case ev.FindingRuled():
            found = next(f for f in before.findings if f.number == last.finding)
            what = {"act": found.act, "seat": found.seat, "set_no": found.set_no}
            return {**what, "finding": found.kind, "decision": last.decision}
        case _ if _UNDONE[type(last)] is CorrectionKind.CORRECTION_UNDONE:
            # Notes are only ever added, so what the act has noted stands where the list then ended.
            noted = draft.corrections[len(before.corrections)]
            place = {"act": noted.act, "seat": noted.seat, "set_no": noted.set_no}
            return {**place, "domino": noted.domino, "undone": noted.kind}
        case _:
            return {}


# --- what each event leaves in the register ---


def _game_started(draft: Draft, event: ev.GameStarted, _state: State, _after: State) -> Draft:
    if not event.again:
        return Draft(begun=event)
    again = ReplayEntry(1, event.reason, is_by_rule=False, is_chief=True, by=event.by, is_game=True)
    return Draft(begun=event, replays=(again,))


def _set_begun(draft: Draft, _event: ev.Event, _state: State, _after: State) -> Draft:
    return replace(draft, marks=(), recorded_by="")


def _pair_expelled(draft: Draft, _event: ev.PairExpelled, state: State, _after: State) -> Draft:
    return led_to(draft, Consequence.EXPELLED if state.params.ladder is Ladder.SETS else Consequence.REMOVED)


def _set_scored(draft: Draft, event: ev.SetScored, state: State, _after: State) -> Draft:
    entry = written_set(state, draft.marks, event, draft.recorded_by)
    return lost_by(replace(draft, sets=(*draft.sets, entry), marks=(), recorded_by=""), event.by, state)


def _set_rescored(draft: Draft, event: ev.SetRescored, state: State, _after: State) -> Draft:
    place = event.set_no - 1
    entry, clause = draft.sets[place], clause_of(event.by, state.params)
    assert entry.ending is not None
    assert entry.points is not None
    change = AmendmentEntry(event.set_no, entry.ending, entry.points, event.by, event.points, clause)
    fines = fines_in(state.before_last_set(), event.by)
    entry = replace(entry, ending=event.by, clause=clause, winner=event.winner, points=event.points, fines=fines)
    entry = with_wrong_pass(entry, state.findings)
    sets = (*draft.sets[:place], entry, *draft.sets[place + 1 :])
    return lost_by(replace(draft, sets=sets, amendments=(*draft.amendments, change)), event.by, state)


def _set_annulled(draft: Draft, event: ev.SetAnnulled, state: State, _after: State) -> Draft:
    is_by_rule = event.reason in ("both_offend", "equal_lock") and not event.by_referee
    replay = ReplayEntry(event.set_no or state.set_no, event.reason, is_by_rule, event.is_chief, event.by)
    if event.set_no is not None:
        replay = replace(replay, struck=draft.sets[-1].points)
        draft = replace(draft, sets=draft.sets[:-1], ended=None, signatures=())
    return replace(draft, replays=(*draft.replays, replay), marks=(), recorded_by="")


def _game_ended(draft: Draft, event: ev.GameEnded, state: State, _after: State) -> Draft:
    """A game that a warning has ended leaves its last set as it lay: it was not played to its end (C8.3)."""
    if state.phase in (Phase.PLAY, Phase.COUNT):
        draft = replace(draft, sets=(*draft.sets, written_set(state, draft.marks)))
    return lost_by(replace(draft, ended=event), event.by, state)


_NOTE: dict[type, Callable[[Draft, Any, State, State], Draft]] = {
    **BESIDE,
    ev.GameStarted: _game_started,
    ev.SetStarted: _set_begun,
    ev.PairExpelled: _pair_expelled,
    ev.SetScored: _set_scored,
    ev.SetRescored: _set_rescored,
    ev.SetAnnulled: _set_annulled,
    ev.GameEnded: _game_ended,
}
"""Events that leave something in the register; the others only move the state."""
