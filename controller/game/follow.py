"""What follows by the rules alone once somebody has acted: findings, going out, deadlock, score, the game's end."""

from __future__ import annotations

from collections.abc import Iterator

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.draw import is_redealable
from controller.game.events import Ending, FindingKind, Winner
from controller.game.evolve import evolve_all
from controller.game.findings import late_finding, new_finding
from controller.game.line import set_winner
from controller.game.penalties import lost_afterwards, lost_set, points_for, spots_points, winner_of
from controller.game.proof import wrong_passes
from controller.game.rulesets import Adjudication, BothOffend, LockDetection, LockTie, Redeal, Scoring, WrongPassStop
from controller.game.rulings import Events, is_at_once
from controller.game.state import Finding, Forfeit, Move, Phase, Skip, State
from controller.game.tiles import MonoNs, Seat

OFFENCES = (FindingKind.WRONG_PASS, FindingKind.WRONG_DOMINO)
"""What costs a set once it is confirmed."""


def follow(state: State, at: MonoNs) -> Events:
    """Everything the rules add, each step seeing what the one before it did."""
    added: list[ev.Event] = []
    while step := _consequence(state, at):
        added.extend(step)
        state = evolve_all(state, step)
    return tuple(added)


def _consequence(state: State, at: MonoNs) -> Events:
    """The next thing that follows from `state` by the rules alone; () when nothing does."""
    late = _late(state, at)
    if late:
        return late
    if state.phase is Phase.BETWEEN or (state.phase is Phase.PLAY and not state.plies):
        over = _game_end(state, at)  # a set may have been lost after the next was dealt
        if over or state.phase is Phase.BETWEEN:
            return over
    if state.phase not in (Phase.PLAY, Phase.COUNT):
        return ()
    found = new_finding(state, at)
    if found is not None:
        return (found,)
    come = next((f for f in state.open_findings if _is_his_turn(state, f)), None)
    if come is not None:
        return (ev.FindingRuled(at, come.number, Decision.DISMISS, by_rule=True),)
    return (
        _confirmed_by_rule(state, at)
        or _awarded(state, at)
        or _closing(state, at)
        or _unclaimed(state, at)
        or _score(state, at)
    )


def _is_his_turn(state: State, finding: Finding) -> bool:
    """Whether who is said to have laid out of turn is on turn now, those before him having passed since (11.8)."""
    since = state.plies[finding.ply :]
    has_passed = bool(since) and all(isinstance(ply, Skip) for ply in since)
    return finding.kind is FindingKind.OUT_OF_TURN and finding.seat is state.turn and has_passed


def _late(state: State, at: MonoNs) -> Events:
    """A wrong pass of the set registered last: found, confirmed, and its points changed."""
    found = late_finding(state, at)
    if found is not None:
        return (found,)
    for finding in state.findings:
        if finding.set_no is None or finding.kind is not FindingKind.WRONG_PASS:
            continue
        if finding.is_open and state.params.adjudication is Adjudication.AUTO:
            return (ev.FindingRuled(at, finding.number, Decision.CONFIRM, by_rule=True),)
        if finding.is_confirmed and finding.pair is not None:
            return (lost_afterwards(state, at, finding.pair, Ending.WRONG_PASS),)
    return ()


def _confirmed_by_rule(state: State, at: MonoNs) -> Events:
    """With adjudication auto a wrong pass confirms itself; a wrong domino at the count, or with another offence."""
    if state.params.adjudication is not Adjudication.AUTO:
        return ()
    has_confirmed = state.is_award_waiting
    for finding in state.open_findings:
        if finding.kind is FindingKind.WRONG_PASS:
            return (ev.FindingRuled(at, finding.number, Decision.CONFIRM, by_rule=True),)
        is_costly = finding.kind is FindingKind.WRONG_DOMINO and state.has_wrong_domino_clause
        if is_costly and (state.is_counted or (has_confirmed and not is_at_once(state, finding))):
            return (ev.FindingRuled(at, finding.number, Decision.LOST, by_rule=True),)
    return ()


def _awarded(state: State, at: MonoNs) -> Events:
    """What was confirmed costs the set; of two pairs that offended, the one that did it first (section 4)."""
    lost = sorted(_lost_by(state), key=lambda offence: offence.ply)
    if not lost or not _is_time_to_award(state):
        return ()
    first = lost[0]
    is_restart = state.params.both_offend is BothOffend.RESTART
    others = (f for f in state.open_findings if f.pair is first.pair.rivals and state.may_cost_the_set(f))
    if any(is_restart or _done_at(state, f) < first.ply for f in others):
        return ()  # it may decide the set otherwise: the referee rules on it first
    if len({offence.pair for offence in lost}) > 1 and is_restart:
        return (ev.SetAnnulled(at, reason="both_offend"),)
    return (lost_set(state, at, first.pair, first.by),)


def _lost_by(state: State) -> Iterator[Forfeit]:
    """Everything by which this set is lost: confirmed offences, and a warning that waits for a ruling."""
    yield from state.forfeits
    for finding in state.findings:
        if finding.is_confirmed and finding.set_no is None and finding.pair is not None:
            ending = Ending.WRONG_PASS if finding.kind is FindingKind.WRONG_PASS else Ending.WRONG_DOMINO
            yield Forfeit(finding.pair, ending, _done_at(state, finding))


def _done_at(state: State, finding: Finding) -> int:
    """When it was done. What only counting has shown is dated by the hands, once they are known (C6.1)."""
    if finding.proven_by is not ev.ProvenBy.COUNTING or state.hands is None:
        return finding.ply
    wrong = wrong_passes(state.plies, state.exposed, state.hands)
    return next((w.ply for w in wrong if w.ply in finding.passes), finding.ply)


def _is_time_to_award(state: State) -> bool:
    """A wrong pass may be played on to the end of the set (wrong_pass_stop), anything else never is."""
    if state.params.wrong_pass_stop is WrongPassStop.AT_ONCE or state.is_counted or state.forfeits:
        return True
    return any(f.is_confirmed and f.kind is FindingKind.WRONG_DOMINO for f in state.findings)


def _closing(state: State, at: MonoNs) -> Events:
    """Going out comes before the deadlock: a deadlock needs players who all have dominoes (C0.7)."""
    if state.phase is not Phase.PLAY or not state.line.placed:
        return ()
    out = state.gone_out
    if out is not None:
        return (ev.WentOut(at, out),)
    if state.line.is_locked and _is_lock_told(state):
        assert state.line.ends is not None
        return (ev.Locked(at, state.line.ends[1]),)
    return ()


def _is_lock_told(state: State) -> bool:
    """With the line's word a lock ends the set at once, with the players' when all four have passed on it."""
    last = state.plies[-4:]
    has_passed = len(last) == 4 and all(isinstance(ply, Skip) for ply in last)
    return state.params.lock_detection is LockDetection.LINE or has_passed


def _unclaimed(state: State, at: MonoNs) -> Events:
    """The count shows a dealt hand that could have been redealt: it is noted, the result stands (C2.2)."""
    if state.hands is None or state.params.redeal is Redeal.OFF:
        return ()
    for seat in Seat:
        laid = [ply.tile for ply in state.plies if isinstance(ply, Move) and ply.seat is seat]
        if seat not in state.unclaimed and is_redealable((*laid, *state.hands[seat])):
            return (ev.RedealUnclaimed(at, seat),)
    return ()


def _score(state: State, at: MonoNs) -> Events:
    """The set is registered once the hands are counted, or the count is waived, and no offence waits for a ruling."""
    is_waiting = any(f.kind in OFFENCES and f.set_no is None for f in state.open_findings)
    if is_waiting or not state.is_counted:
        return ()
    scored = provisional_score(state, at)
    if scored is None:
        return ()
    is_tie = scored.by is Ending.DEADLOCK and scored.winner is Winner.DRAW
    if is_tie and state.params.lock_tie is LockTie.REPLAY:
        return (ev.SetAnnulled(at, reason="equal_lock"),)
    return (scored,)


def provisional_score(state: State, at: MonoNs) -> ev.SetScored | None:
    """What the closed line is worth as things stand; None while it is open, or its spots are needed and not counted."""
    spots = state.spots
    out = state.gone_out if state.ending is Ending.OUT else None
    if state.ending is None or (spots is None and (out is None or state.params.scoring is Scoring.SPOTS)):
        return None
    if state.params.scoring is Scoring.SPOTS:
        assert spots is not None
        points = spots_points(state, state.ending, None if out is None else out.pair, spots)
        return ev.SetScored(at, state.ending, winner_of(points), spots, points)
    pair = set_winner(out, spots or (0, 0))
    if pair is None:
        tie = points_for(Winner.DRAW) if state.params.lock_tie is LockTie.HALF else (0.0, 0.0)
        return ev.SetScored(at, state.ending, Winner.DRAW, spots, tie)
    won = points_for(Winner(pair.value))
    points = (won[0] + state.carried * won[0], won[1] + state.carried * won[1])
    return ev.SetScored(at, state.ending, Winner(pair.value), spots, points)


def _game_end(state: State, at: MonoNs) -> Events:
    """After the agreed sets; a level game goes on with extra sets where the regulations want a winner (C5.7)."""
    if len(state.results) < state.params.sets_in_game:
        return ()
    winner = winner_of(state.points)
    if winner is Winner.DRAW and state.params.pair_tournament:
        return ()
    return (ev.GameEnded(at, winner, state.points),)
