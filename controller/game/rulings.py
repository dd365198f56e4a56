"""What the referee may decide on a finding and what it costs; and why an input changes nothing, in words."""

from __future__ import annotations

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason
from controller.game.evolve import evolve
from controller.game.penalties import lost_set, warn
from controller.game.state import Finding, State
from controller.game.tiles import MonoNs

Events = tuple[ev.Event, ...]

TEXTS: dict[Reason, str] = {
    Reason.NO_GAME: "no game has been started: start one first",
    Reason.GAME_RUNNING: "a game is in progress: play it to its end, or give it up with abandon",
    Reason.GAME_OVER: "the game is over: start a new one",
    Reason.NO_SET: "no set is in progress: start one first",
    Reason.SET_RUNNING: "a set is in progress: it must be over first",
    Reason.SET_OVER: "the line is closed: nothing can be added to this set",
    Reason.OUT_OF_TURN: "it is another seat's turn",
    Reason.PASS_BEFORE_FIRST_MOVE: "any domino may lead, so nobody can pass before the first move",
    Reason.TILE_ALREADY_PLAYED: "that domino lies in the line already",
    Reason.NO_SUCH_TILE: "there is no such domino among the 28",
    Reason.BAD_END: "the first domino of a set is laid as 'first', every other at L or R",
    Reason.HALTED: "the set is halted: nothing counts before it goes on",
    Reason.NO_SUCH_FINDING: "there is no open finding with that number",
    Reason.NOT_A_DECISION: "that decision does not belong to this kind of finding",
    Reason.FOUND_TOO_LATE: "the next seat has acted already: only lost, restart or dismiss are left",
    Reason.BAD_REVEAL: "the four hands must be exactly the unplayed dominoes, as many a seat as it has left",
    Reason.NOTHING_SHOWN: "the camera has not read four hands: enter them",
    Reason.NOTHING_TO_UNDO: "there is nothing to take back",
    Reason.NOT_PAUSED: "nothing is paused",
    Reason.ALREADY_PAUSED: "the clock is paused already",
    Reason.LEAD_MUST_BE_DRAWN: "for an extra set the lead is drawn: say which seat leads",
    Reason.LEAD_IS_FIXED: "the lead moves one seat clockwise from set to set: leave it out",
}


class Refusal(Exception):  # it never leaves the core: a verdict, not an error
    """An input that changes nothing, on its way to becoming a `Refused` event."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def ruling(state: State, at: MonoNs, finding: Finding, decision: Decision, *, by_rule: bool) -> Events:
    """A decision on a finding with its consequence for the set."""
    is_pass = finding.kind is FindingKind.WRONG_PASS
    if (decision in (Decision.CONTINUE, Decision.LOST) and is_pass) or (decision is Decision.CONFIRM and not is_pass):
        raise Refusal(Reason.NOT_A_DECISION)
    is_at_once = len(state.plies) == finding.ply + 1 and state.hands is None
    if decision is Decision.CONTINUE and not is_at_once:
        raise Refusal(Reason.FOUND_TOO_LATE)
    ruled = ev.FindingRuled(at, finding.number, decision, by_rule)
    if decision is Decision.DISMISS:
        return (ruled,)
    if decision is Decision.CONFIRM:
        return (ruled, lost_set(at, finding.seat.pair, Ending.WRONG_PASS))
    if decision is Decision.LOST:
        return (ruled, lost_set(at, finding.seat.pair, Ending.WRONG_DOMINO))
    warned: Events = ()
    if not is_pass and is_at_once and state.params.wrong_domino_warning_counts:
        warned = warn(evolve(state, ruled), at, finding.seat, "exposure")
    is_over = any(isinstance(event, ev.SetScored) for event in warned)
    annulled = (ev.SetAnnulled(at),) if decision is Decision.RESTART and not is_over else ()
    return (ruled, *warned, *annulled)
