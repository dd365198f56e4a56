"""What the play so far proves and nobody has been told of: wrong dominoes, wrong passes, with the proof in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, ProvenBy
from controller.game.proof import Contradiction, contradiction, reason_text, seat_name, wrong_pass_text, wrong_passes
from controller.game.repairs import OtherTile, Repair, repairs
from controller.game.rulesets import WrongDomino
from controller.game.rulings import raised
from controller.game.state import Finding, Move, Ply, Skip, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile

REPAIRS_TOLD = 3
"""So many misreadings are named with a finding: the likeliest, for a referee who is standing."""


def new_finding(state: State, at: MonoNs) -> ev.FindingRaised | None:
    """The first thing that the play so far proves and that is not on the referee's table."""
    return _wrong_domino(state, at) or _wrong_pass(state, at) or _by_counting(state, at)


def late_finding(state: State, at: MonoNs) -> ev.FindingRaised | None:
    """A wrong pass in the set registered last, by a domino that was shown since (C6.1, claim_deadline)."""
    if not state.can_amend_closed or state.closed is None:
        return None
    told = {f.ply for f in state.findings if f.set_no == state.closed.set_no}
    for found in wrong_passes(state.closed.plies, state.closed.exposed, state.closed.hands):
        if found.ply not in told | state.closed.dismissed:
            text = wrong_pass_text(found, state.closed.plies, state.names)
            return _proven(state, at, FindingKind.WRONG_PASS, found.seat, found.ply, text, set_no=state.closed.set_no)
    return None


def _proven(
    state: State,
    at: MonoNs,
    kind: FindingKind,
    seat: Seat | None,
    ply: int,
    text: str,
    *,
    pair: Pair | None = None,
    proven_by: ProvenBy | None = None,
    passes: tuple[int, ...] = (),
    repaired: tuple[Repair, ...] = (),
    set_no: int | None = None,
) -> ev.FindingRaised:
    """A finding with its proof and the misreadings that would explain it away."""
    found = raised(state, at, kind, seat, ply, text)
    return replace(
        found,
        pair=found.pair or pair,
        proven_by=proven_by,
        passes=passes,
        repairs=tuple(repair.text(state.plies, state.names) for repair in repaired),
        set_no=set_no,
        misreadings=tuple(_misreading(repair, state.plies) for repair in repaired),
    )


def _wrong_domino(state: State, at: MonoNs) -> ev.FindingRaised | None:
    told = {f.ply for f in state.findings if f.kind is FindingKind.WRONG_DOMINO}
    for place, ply in enumerate(state.plies):
        if isinstance(ply, Move) and not ply.is_fitting and place not in told:
            name = seat_name(state.names, ply.seat)
            text = f"{name} laid {ply.tile} with {ply.inner} to the joint, which does not fit."
            if state.params.wrong_domino is WrongDomino.REFEREE:
                text += " These rules leave to the referee what follows."
            return raised(state, at, FindingKind.WRONG_DOMINO, ply.seat, place, text)
    return None


def _wrong_pass(state: State, at: MonoNs) -> ev.FindingRaised | None:
    """A pass contradicted by a domino of the same hand that was laid later, shown or exposed."""
    told = {f.ply for f in _pass_findings(state) if f.proven_by is not ProvenBy.COUNTING}
    for found in wrong_passes(state.plies, state.exposed, state.hands):
        if found.ply not in told:
            return _proven(
                state,
                at,
                FindingKind.WRONG_PASS,
                found.seat,
                found.ply,
                wrong_pass_text(found, state.plies, state.names),
                proven_by=found.by,
                passes=(found.ply,),
                repaired=_repairs(state),
            )
    return None


def _by_counting(state: State, at: MonoNs) -> ev.FindingRaised | None:
    """No deal fits all passes: whom that proves, unless as much has been told (section 4)."""
    if state.hands is not None:
        return None  # all is known: what was wrong is proven directly
    direct = {f.ply for f in _pass_findings(state) if f.proven_by is not ProvenBy.COUNTING}
    excused = state.excused | direct
    found = contradiction(state.plies, state.exposed, None, excused=excused)
    if found is None or found.by is not ProvenBy.COUNTING:
        return None
    told = [f for f in _pass_findings(state) if f.decision is not Decision.DISMISS]
    for blame in _blames(found, state.plies, excused):
        if not any(blame.is_told_by(finding) for finding in told):
            kind = FindingKind.INCONSISTENT_PASSES if blame.pair is None else FindingKind.WRONG_PASS
            return _proven(
                state,
                at,
                kind,
                blame.seat,
                blame.passes[0],
                reason_text(found, state.plies, state.names),
                pair=blame.pair,
                proven_by=ProvenBy.COUNTING,
                passes=blame.passes,
                repaired=_repairs(state),
            )
    return None


@dataclass(frozen=True, slots=True)
class _Blame:
    """Whom a contradiction proves: the passes in question and, where it is known, whose they are."""

    seat: Seat | None
    pair: Pair | None
    passes: tuple[int, ...]

    def is_told_by(self, finding: Finding) -> bool:
        """Whether `finding` says as much: the same people, or the same pass."""
        if self.pair is None:
            return True  # somebody is blamed already, or everybody is
        if finding.pair is not self.pair or (self.seat is not None and finding.seat is not self.seat):
            return False
        return len(self.passes) > 1 or finding.ply == self.passes[0]


def _blames(found: Contradiction, plies: tuple[Ply, ...], excused: frozenset[int]) -> Iterator[_Blame]:
    """The sharpest that can be said: single passes, else seats, else pairs, else only that one of all was wrong."""
    passes = {place: p.seat for place, p in enumerate(plies) if isinstance(p, Skip) and place not in excused}
    for place in found.passes:
        yield _Blame(passes[place], passes[place].pair, (place,))
    for seat in found.seats if not found.passes else ():
        yield _Blame(seat, seat.pair, tuple(place for place, whose in passes.items() if whose is seat))
    for pair in found.pairs if not (found.passes or found.seats) else ():
        yield _Blame(None, pair, tuple(place for place, whose in passes.items() if whose.pair is pair))
    if not (found.passes or found.seats or found.pairs):
        yield _Blame(None, None, tuple(passes))


def _pass_findings(state: State) -> list[Finding]:
    kinds = (FindingKind.WRONG_PASS, FindingKind.INCONSISTENT_PASSES)
    return [f for f in state.findings if f.kind in kinds and f.set_no is None]


def _repairs(state: State) -> tuple[Repair, ...]:
    """What may have been misread instead: said before anybody is accused."""
    return repairs(state.plies, state.exposed, state.hands, excused=state.excused, limit=REPAIRS_TOLD)


def _misreading(repair: Repair, plies: tuple[Ply, ...]) -> ev.Misreading:
    """A change to the history as the facts of a finding."""
    move = plies[repair.ply]
    if isinstance(repair, OtherTile):
        assert isinstance(move, Move), "a domino is laid by a move"
        return ev.Misreading(repair.ply, Tile.of(repair.inner, repair.outer), move.tile, ())
    voices = tuple(Seat((move.seat + step) % 4) for step in range((repair.seat - move.seat) % 4))
    return ev.Misreading(repair.ply, None, None, voices)
