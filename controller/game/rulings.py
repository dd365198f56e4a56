"""What the referee may decide on a finding and what it costs; and why an input changes nothing, in words."""

from __future__ import annotations

from controller.game import events as ev
from controller.game.commands import Decision, Rule
from controller.game.events import Ending, FindingKind, Reason
from controller.game.evolve import evolve
from controller.game.penalties import warn
from controller.game.rulesets import OutOfTurn, ReplayBy, RuleSet, WrongDomino, WrongLastDomino
from controller.game.seen import Disagreement
from controller.game.state import Finding, State
from controller.game.tiles import MonoNs, Seat

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
    Reason.NOTHING_TO_REDO: "nothing was taken back since the last act, so nothing can stand again",
    Reason.NOT_PAUSED: "nothing is paused",
    Reason.ALREADY_PAUSED: "the clock is paused already",
    Reason.NOT_MUTED: "the buzzer is not muted",
    Reason.LEAD_MUST_BE_DRAWN: "the lead of the next set is drawn: say which seat leads",
    Reason.LEAD_IS_FIXED: "the lead of the next set is settled by the rules: leave it out",
    Reason.NO_SUCH_SEAT: "seats are numbered 0 to 3",
    Reason.TILE_DRAWN_TWICE: "four different dominoes must be drawn: read them again",
    Reason.EQUAL_LOTS: "two pairs cannot have the same lot: read them again",
    Reason.NOTHING_DRAWN: "nothing has been drawn for the seats: name the players by seat, or draw first",
    Reason.EXPELLED: "that pair is expelled from this competition: it may not play in it",
    Reason.GAME_KNOWN: "a game of a competition needs a name of its own: give it another",
    Reason.TOO_LATE: "it is too late to claim a redeal: a move has been made",
    Reason.CONDITION_NOT_MET: "a redeal needs five doubles or six dominoes of one suit in the hand",
    Reason.BAD_HAND: "a hand for a redeal is seven different dominoes, none of which lies in the line",
    Reason.NO_REDEAL: "these rules know no redeal",
    Reason.WITHIN_LIMIT: "the player is still within the time given",
    Reason.NOT_A_RIVAL: "only a rival of the player who thinks may point at his time",
    Reason.UNKNOWN_WARNING: "a warning is for time, talk, exposure or signs",
    Reason.ONLY_CHIEF_REFEREE: "only the chief referee may have the set played again",
    Reason.CANNOT_AMEND: "the record cannot be changed so",
    Reason.NOT_IN_A_HAND: "that domino cannot have been in that hand",
    Reason.OTHER_COMPETITION: "the ledger is of another competition than the game",
    Reason.LEDGER_CONFLICT: "the two ledgers contradict each other",
    Reason.CANNOT_ADOPT: "the line cannot be taken over as it lies",
    Reason.CANNOT_REPLAY: "that set cannot be played again",
    Reason.ALREADY_SIGNED: "the register has that signature already",
    Reason.REGISTER_SIGNED: "the register is signed by the referee: only the chief referee may have it changed",
}

DECISIONS: dict[FindingKind, frozenset[Decision]] = {
    FindingKind.WRONG_DOMINO: frozenset({Decision.CONTINUE, Decision.RESTART, Decision.LOST, Decision.DISMISS}),
    FindingKind.WRONG_PASS: frozenset({Decision.CONFIRM, Decision.RESTART, Decision.DISMISS}),
    FindingKind.INCONSISTENT_PASSES: frozenset({Decision.RESTART, Decision.DISMISS}),
    FindingKind.OUT_OF_TURN: frozenset({Decision.CONFIRM, Decision.RESTART, Decision.DISMISS}),
    FindingKind.EXPOSED_HAND: frozenset({Decision.CONFIRM, Decision.RESTART, Decision.DISMISS}),
    FindingKind.OVERTIME: frozenset({Decision.CONFIRM, Decision.DISMISS}),
}
"""What may be said to each kind of finding."""

CLAUSES: dict[RuleSet, dict[FindingKind, str]] = {
    RuleSet.FOURS: {
        FindingKind.WRONG_DOMINO: "C7",
        FindingKind.WRONG_PASS: "C6.1",
        FindingKind.INCONSISTENT_PASSES: "C6.1",
        FindingKind.OUT_OF_TURN: "C7.1",
        FindingKind.EXPOSED_HAND: "C2.2",
        FindingKind.OVERTIME: "C5.6",
    },
    RuleSet.SPOTS: {
        FindingKind.WRONG_DOMINO: "R10",  # the text has none for it: what was shown may be warned for
        FindingKind.WRONG_PASS: "R11",
        FindingKind.INCONSISTENT_PASSES: "R11",
        FindingKind.OUT_OF_TURN: "R10",
        FindingKind.EXPOSED_HAND: "R10",
        FindingKind.OVERTIME: "R9",
    },
}
"""The clause of the text that a finding rests on."""

WARNED_FOR = {
    FindingKind.OUT_OF_TURN: "exposure",
    FindingKind.EXPOSED_HAND: "exposure",
    FindingKind.OVERTIME: "time",
}
"""What a confirmed finding is warned for, where it costs no set."""


class Refusal(Exception):  # it never leaves the core: a verdict, not an error
    """An input that changes nothing, on its way to becoming a `Refused` event."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def raised(state: State, at: MonoNs, kind: FindingKind, seat: Seat | None, ply: int, text: str) -> ev.FindingRaised:
    """A finding about the act at place `ply`, with its number and the clause of this game's text."""
    clause = CLAUSES[state.params.rule_set][kind]
    return ev.FindingRaised(at, state.next_finding, kind, seat, ply, clause, text, None if seat is None else seat.pair)


def lost(state: State, at: MonoNs, view: Disagreement) -> Events:
    """Table and knowledge do not go together, unless just that has been told."""
    known = state.sync and (state.sync.code, state.sync.tile, state.sync.seat)
    is_known = known == (view.code, view.tile, view.seat)
    return () if is_known else (ev.SyncLost(at, view.code, view.tile, view.text, view.seat),)


def decisions_on(state: State, finding: Finding) -> frozenset[Decision]:
    """What the referee may say to `finding` as things stand."""
    allowed = DECISIONS[finding.kind]
    if finding.set_no is not None:  # a set that is registered: it is rescored or it stands
        return allowed - {Decision.RESTART}
    if state.forfeits:  # a warning costs the set already, to one pair or the other: it is not played again
        allowed -= {Decision.RESTART}
    if finding.kind is not FindingKind.WRONG_DOMINO:
        return allowed
    if not is_at_once(state, finding):
        allowed -= {Decision.CONTINUE}
    return allowed - {Decision.LOST} if state.params.wrong_domino is WrongDomino.REFEREE else allowed


def is_at_once(state: State, finding: Finding) -> bool:
    """Whether a wrong domino was found right after its move (C7.1): nobody has acted since, no hand is shown."""
    if state.hands is not None or len(state.plies) - finding.ply - 1 > state.params.at_once_moves:
        return False
    is_last = state.ending is Ending.OUT and finding.ply == len(state.plies) - 1
    return not is_last or state.params.wrong_last_domino is WrongLastDomino.AT_ONCE_BEFORE_REVEAL


def ruling(state: State, command: Rule, finding: Finding) -> Events:
    """The referee's decision on a finding with its consequence; a confirmed offence costs the set in `follow`."""
    allowed = decisions_on(state, finding)
    if command.decision not in allowed:
        is_late = command.decision is Decision.CONTINUE and finding.kind is FindingKind.WRONG_DOMINO
        words = ", ".join(sorted(decision.value for decision in allowed))
        reason = Reason.FOUND_TOO_LATE if is_late else Reason.NOT_A_DECISION
        raise Refusal(reason, f"expected one of {words}")
    is_restart = command.decision is Decision.RESTART
    if is_restart and state.params.replay_by is ReplayBy.CHIEF_REFEREE and not command.is_chief:
        raise Refusal(Reason.ONLY_CHIEF_REFEREE)
    ruled = ev.FindingRuled(command.at, finding.number, command.decision, False, command.by, command.is_chief)
    warned = _warned(state, command, finding, ruled)
    is_over = any(isinstance(event, ev.SetScored | ev.GameEnded) for event in warned)
    if is_restart and not is_over:
        annulled = ev.SetAnnulled(command.at, reason=finding.kind.value, by=command.by, is_chief=command.is_chief)
        return (ruled, *warned, annulled)
    return (ruled, *warned)


def _warned(state: State, command: Rule, finding: Finding, ruled: ev.FindingRuled) -> Events:
    """The warning that goes with a decision: for a domino shown (C7.1), or for what was confirmed (C8.1)."""
    counts = True
    if finding.kind is FindingKind.WRONG_DOMINO:
        is_shown = command.decision in (Decision.CONTINUE, Decision.RESTART) and is_at_once(state, finding)
        reason = "exposure" if is_shown and state.params.wrong_domino is WrongDomino.C7 else None
        counts = state.params.wrong_domino_warning_counts
    else:
        is_warned_for = state.params.out_of_turn is OutOfTurn.AS_WRONG_DOMINO
        is_told_only = finding.kind is FindingKind.OUT_OF_TURN and not is_warned_for
        is_warned = command.decision is Decision.CONFIRM and not is_told_only
        reason = WARNED_FOR.get(finding.kind) if is_warned else None
    if reason is None or finding.seat is None:
        return ()
    return warn(evolve(state, ruled), command.at, finding.seat, reason, by=command.by, counts=counts)
