"""A register being written: what is noted of acts and beside the results, event by event; sets are closed elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.rulesets import Ladder
from controller.game.state import ClosedSet, Move, Skip, State
from controller.game.tiles import Tile
from controller.register.register import (
    AmendmentEntry,
    ClaimEntry,
    Consequence,
    CorrectionEntry,
    CorrectionKind,
    FindingEntry,
    Halves,
    Hand,
    MisreadingEntry,
    OvertimeEntry,
    PassFact,
    RedealEntry,
    ReplayEntry,
    SetEntry,
    SignatureEntry,
    UnclaimedEntry,
    WarningEntry,
)
from controller.register.sets import Mark

FINED = {2: Consequence.FINE_10, 3: Consequence.FINE_20}
"""What the warnings cost in `spots` before they cost the set (R10)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The register so far, and what the next events need to be written down."""

    begun: ev.GameStarted | None = None
    ended: ev.GameEnded | None = None
    sets: tuple[SetEntry, ...] = ()
    marks: tuple[Mark, ...] = ()
    """Of the acts of the set in progress, what the state does not keep."""
    recorded_by: str = ""
    """Who has entered the count of the set in progress."""
    warnings: tuple[WarningEntry, ...] = ()
    findings: tuple[FindingEntry, ...] = ()
    claims: tuple[ClaimEntry, ...] = ()
    overtimes: tuple[OvertimeEntry, ...] = ()
    redeals: tuple[RedealEntry, ...] = ()
    unclaimed: tuple[UnclaimedEntry, ...] = ()
    replays: tuple[ReplayEntry, ...] = ()
    corrections: tuple[CorrectionEntry, ...] = ()
    amendments: tuple[AmendmentEntry, ...] = ()
    signatures: tuple[SignatureEntry, ...] = ()
    before: Draft | None = None
    """The draft before the last act, for undo; as far back as `State.before` goes."""
    ahead: Draft | None = None
    """The draft that the last undo has left, for redo; as far on as `State.ahead` goes."""
    last: ev.Event | None = None
    """That act."""


def _domino_laid(draft: Draft, event: ev.DominoLaid, state: State, _after: State) -> Draft:
    draft = _timed(draft, event, state)
    return replace(draft, marks=(*draft.marks, Mark(event.think_ms or None, event.confidence, is_by_voice=False)))


def _passed(draft: Draft, event: ev.Passed, state: State, _after: State) -> Draft:
    draft = _timed(draft, event, state)
    return replace(draft, marks=(*draft.marks, Mark(event.think_ms or None, None, is_by_voice=event.by_voice)))


def _timed(draft: Draft, event: ev.DominoLaid | ev.Passed, state: State) -> Draft:
    """The draft in which the overtime of this very act has its whole length, now that the act is made."""
    if not state.is_overtime or not draft.overtimes or draft.overtimes[-1].seat is not event.seat:
        return draft
    made = replace(draft.overtimes[-1], act=len(state.plies) + 1, think_ms=event.think_ms or None, is_unmade=False)
    return replace(draft, overtimes=(*draft.overtimes[:-1], made))


def _pass_withdrawn(draft: Draft, event: ev.PassWithdrawn, state: State, _after: State) -> Draft:
    return _corrected_by(draft, state, CorrectionKind.PASS_WITHDRAWN, act=len(state.plies), seat=event.seat)


def _attributed(draft: Draft, event: ev.Attributed, state: State, after: State) -> Draft:
    voices = (Mark(None, None, is_by_voice=True),) * (len(after.plies) - len(state.plies))
    draft = _without_void(draft, state, after)
    draft = replace(draft, marks=(*draft.marks[: event.ply], *voices, *draft.marks[event.ply :]))
    return _corrected_by(draft, state, CorrectionKind.ATTRIBUTED, act=event.ply + 1, seat=event.seat, by=event.by)


def _corrected(draft: Draft, event: ev.Corrected, state: State, after: State) -> Draft:
    said = replace(draft.marks[event.ply], confidence=None)
    draft = _without_void(draft, state, after)
    draft = replace(draft, marks=(*draft.marks[: event.ply], said, *draft.marks[event.ply + 1 :]))
    seat, domino = state.plies[event.ply].seat, (int(event.inner), int(event.outer))
    kind = CorrectionKind.CORRECTED
    return _corrected_by(draft, state, kind, act=event.ply + 1, seat=seat, domino=domino, by=event.by)


def _tile_exposed(draft: Draft, event: ev.TileExposed, state: State, _after: State) -> Draft:
    domino = _halves(event.tile)
    noted = _corrected_by(draft, state, CorrectionKind.EXPOSED, seat=event.seat, domino=domino, by=event.by)
    if not event.in_last_set or state.closed is None:
        return noted
    entry = replace(noted.corrections[-1], set_no=state.closed.set_no)
    return replace(noted, corrections=(*noted.corrections[:-1], entry))


def _reveal_ordered(draft: Draft, event: ev.RevealOrdered, state: State, _after: State) -> Draft:
    return _corrected_by(draft, state, CorrectionKind.REVEAL_ORDERED, by=event.by)


def _count_waived(draft: Draft, event: ev.CountWaived, state: State, _after: State) -> Draft:
    draft = replace(draft, recorded_by=event.by)
    return _corrected_by(draft, state, CorrectionKind.COUNT_WAIVED, by=event.by)


def _corrected_by(draft: Draft, state: State, kind: CorrectionKind, **what: Any) -> Draft:
    fields = {"act": None, "seat": None, "domino": None, "by": "", **what}
    return replace(draft, corrections=(*draft.corrections, CorrectionEntry(state.set_no, kind, **fields)))


def _hands_counted(draft: Draft, event: ev.HandsCounted, _state: State, _after: State) -> Draft:
    return replace(draft, recorded_by=event.by)


def _finding_raised(draft: Draft, event: ev.FindingRaised, state: State, after: State) -> Draft:
    passes, dominoes = _facts(event, state)
    finding = FindingEntry(
        number=event.finding,
        set_no=event.set_no or state.set_no,
        kind=event.kind,
        seat=event.seat,
        pair=after.findings[-1].pair,
        act=event.ply + 1,
        clause=event.clause,
        proven_by=event.proven_by,
        passes=passes,
        dominoes=dominoes,
        proof=event.text,
        repairs=event.repairs,
        decision=None,
        is_by_rule=False,
        by="",
        misreadings=tuple(map(_misreading, event.misreadings)),
    )
    return replace(draft, findings=(*draft.findings, _with_cause(finding, draft.last)))


def _with_cause(finding: FindingEntry, cause: ev.Event | None) -> FindingEntry:
    """A finding with what the act before it says of it: a hand that was shown for nothing, a rival's claim of time."""
    match finding.kind, cause:
        case FindingKind.EXPOSED_HAND, ev.RedealDenied():
            return replace(finding, dominoes=tuple(map(_halves, cause.hand)), refused=cause.reason)
        case FindingKind.OVERTIME, ev.TimeClaimed():
            return replace(finding, claimant=cause.seat, elapsed_ms=cause.elapsed_ms)
        case _:
            return finding


def _misreading(misreading: ev.Misreading) -> MisreadingEntry:
    was, taken_for = (None if tile is None else _halves(tile) for tile in (misreading.was, misreading.taken_for))
    return MisreadingEntry(misreading.ply + 1, was, taken_for, misreading.by_voice)


def _facts(event: ev.FindingRaised, state: State) -> tuple[tuple[PassFact, ...], Hand]:
    """The passes in question and the dominoes that speak against them; for a wrong domino or turn the domino.

    Long thinking and a hand laid open have neither in the record: what they rest on is in the act before.
    """
    if event.lay is not None:
        return (), (_halves(Tile.of(*event.lay[:2])),)
    history: State | ClosedSet = state
    if event.set_no is not None and state.closed is not None:
        history = state.closed
    plies = history.plies
    if event.kind is FindingKind.WRONG_DOMINO:
        move = plies[event.ply]
        return (), ((_halves(move.tile),) if isinstance(move, Move) else ())
    places = event.passes or (event.ply,)
    skips = [(place, ply) for place, ply in enumerate(plies) if place in places and isinstance(ply, Skip)]
    passes = tuple(PassFact(place + 1, skip.seat, (int(skip.ends[0]), int(skip.ends[1]))) for place, skip in skips)
    if event.proven_by is ev.ProvenBy.COUNTING or len(skips) != 1:
        return passes, ()
    place, skip = skips[0]
    held = [ply.tile for ply in plies[place:] if isinstance(ply, Move) and ply.seat is skip.seat]
    # What was seen in the hand and lies now says no more than its move: it may have been laid before the pass.
    lying = {ply.tile for ply in plies if isinstance(ply, Move)}
    held += [shown.tile for shown in history.exposed if shown.seat is skip.seat and shown.tile not in lying]
    held += history.hands[skip.seat] if history.hands is not None else ()
    against = (tile for tile in dict.fromkeys(held) if tile.carries(skip.ends[0]) or tile.carries(skip.ends[1]))
    return passes, tuple(map(_halves, against))


def _without_void(draft: Draft, state: State, after: State) -> Draft:
    """The draft without the open findings that a changed history has made void: what is still so is found anew.

    What was found in an earlier deal of the set is not touched by it.
    """
    void = {finding.number for finding in state.findings} - {finding.number for finding in after.findings}
    findings = (f for f in draft.findings if f.decision is not None or f.number not in void)
    return replace(draft, findings=tuple(findings))


def _finding_ruled(draft: Draft, event: ev.FindingRuled, state: State, after: State) -> Draft:
    ruled: dict[str, Any] = {"decision": event.decision, "is_by_rule": event.by_rule, "by": event.by}
    findings = tuple(replace(f, **ruled) if f.number == event.finding else f for f in draft.findings)
    draft = replace(draft, findings=findings)
    return _without_void(draft, state, after) if event.decision is Decision.CONTINUE else draft


def _warning_given(draft: Draft, event: ev.WarningGiven, _state: State, after: State) -> Draft:
    pair, entry = event.warned, after.warnings[-1]
    is_fined = event.counts and after.params.ladder is Ladder.FINES
    warning = WarningEntry(
        set_no=entry.set_no,
        pair=pair,
        seat=event.seat,
        reason=event.reason,
        in_game=after.warnings_of(pair) if event.counts else None,
        in_competition=entry.rung if event.counts and after.competition else None,
        consequence=FINED.get(entry.rung, Consequence.NONE) if is_fined else Consequence.NONE,
        by=event.by,
    )
    return replace(draft, warnings=(*draft.warnings, warning))


def led_to(draft: Draft, consequence: Consequence) -> Draft:
    """The draft in which the last warning has led to that."""
    warning = replace(draft.warnings[-1], consequence=consequence)
    return replace(draft, warnings=(*draft.warnings[:-1], warning))


def lost_by(draft: Draft, by: ev.Ending | None, state: State) -> Draft:
    """The draft after a set or game went to the rivals, noted with the warning where it was one that cost it."""
    is_sets = state.params.ladder is Ladder.SETS
    if by is ev.Ending.SECOND_WARNING:
        return led_to(draft, Consequence.SET_LOST)
    if by is ev.Ending.THIRD_WARNING:
        return led_to(draft, Consequence.GAME_LOST)
    if by is ev.Ending.FOURTH_WARNING and not is_sets:
        return led_to(draft, Consequence.SET_40_0)
    return draft


def _time_exceeded(draft: Draft, event: ev.TimeExceeded, state: State, _after: State) -> Draft:
    overtime = OvertimeEntry(state.set_no, len(state.plies) + 1, event.seat, None, is_unmade=True)
    return replace(draft, overtimes=(*draft.overtimes, overtime))


def _time_claimed(draft: Draft, event: ev.TimeClaimed, state: State, _after: State) -> Draft:
    is_thinking = state.turn is event.thinker
    act = max(1, len(state.plies) + is_thinking)
    claim = ClaimEntry(state.set_no, act, event.seat, event.thinker, event.elapsed_ms, event.reason)
    return replace(draft, claims=(*draft.claims, claim))


def _redeal(draft: Draft, event: ev.RedealGranted | ev.RedealDenied, state: State, _after: State) -> Draft:
    refused = event.reason if isinstance(event, ev.RedealDenied) else None
    redeal = RedealEntry(state.set_no, event.seat, tuple(map(_halves, event.hand)), refused)
    return replace(draft, redeals=(*draft.redeals, redeal))


def _unclaimed(draft: Draft, event: ev.RedealUnclaimed, state: State, _after: State) -> Draft:
    return replace(draft, unclaimed=(*draft.unclaimed, UnclaimedEntry(state.set_no, event.seat)))


def _register_confirmed(draft: Draft, event: ev.RegisterConfirmed, _state: State, _after: State) -> Draft:
    signature = SignatureEntry(event.pair, event.by, event.is_chief)
    return replace(draft, signatures=(*draft.signatures, signature))


def _halves(tile: Tile) -> Halves:
    return (int(tile.high), int(tile.low))


BESIDE: dict[type, Callable[[Draft, Any, State, State], Draft]] = {
    ev.DominoLaid: _domino_laid,
    ev.Passed: _passed,
    ev.PassWithdrawn: _pass_withdrawn,
    ev.Attributed: _attributed,
    ev.Corrected: _corrected,
    ev.TileExposed: _tile_exposed,
    ev.RevealOrdered: _reveal_ordered,
    ev.CountWaived: _count_waived,
    ev.HandsCounted: _hands_counted,
    ev.FindingRaised: _finding_raised,
    ev.FindingRuled: _finding_ruled,
    ev.WarningGiven: _warning_given,
    ev.TimeExceeded: _time_exceeded,
    ev.TimeClaimed: _time_claimed,
    ev.RedealGranted: _redeal,
    ev.RedealDenied: _redeal,
    ev.RedealUnclaimed: _unclaimed,
    ev.RegisterConfirmed: _register_confirmed,
}
"""What each event leaves in the register beside the sets."""
