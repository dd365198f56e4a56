"""Correcting a set that the last act has closed: that act is taken back, the record put right, the act done again."""

from __future__ import annotations

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.amend import CannotAmend, corrected, reattributed
from controller.game.events import Reason
from controller.game.evolve import evolve, evolve_all
from controller.game.rulings import Events, Refusal
from controller.game.state import Move, Phase, Ply, State
from controller.game.tiles import MonoNs, Seat, Suit

TOO_LATE = "the set is registered and something has been done since: take that back first"


def reopen(state: State, command: cmd.Attribute | cmd.Correct) -> Events:
    """An act of the set registered last is corrected, as long as nothing was done since it was closed.

    A contradiction may have closed it by itself that was only a misreading; the correction decides it anew.
    """
    before, closed = state.before, state.closed
    if isinstance(command, cmd.Correct) and not (0 <= command.inner <= 6 and 0 <= command.outer <= 6):
        raise Refusal(Reason.NO_SUCH_TILE)
    if closed is None:
        raise Refusal(Reason.NO_SET)
    is_last = before is not None and before.phase in (Phase.PLAY, Phase.COUNT) and before.set_no == len(state.results)
    if before is None or not is_last or closed.plies[: len(before.plies)] != before.plies:
        raise Refusal(Reason.CANNOT_AMEND, TOO_LATE)
    undone = ev.Undone(command.at)
    again = closed.plies[len(before.plies) :]
    if command.ply < len(before.plies):
        amended = _amended(before, command)
        return (undone, amended, *_done_again(evolve_all(state, (undone, amended)), again, command.at))
    return (undone, *_done_otherwise(evolve(state, undone), again, command))


def _amended(before: State, command: cmd.Attribute | cmd.Correct) -> ev.Attributed | ev.Corrected:
    """The correction of an act that stood before the last one."""
    try:
        if isinstance(command, cmd.Attribute):
            reattributed(before.plies, command.ply, Seat(command.seat))
            return ev.Attributed(command.at, command.ply, Seat(command.seat), command.by)
        corrected(before.plies, command.ply, Suit(command.inner), Suit(command.outer))
        return ev.Corrected(command.at, command.ply, Suit(command.inner), Suit(command.outer), command.by)
    except CannotAmend as error:
        raise Refusal(Reason.CANNOT_AMEND, error.text) from error


def _done_again(state: State, acts: tuple[Ply, ...], at: MonoNs) -> Events:
    """The act that closed the set, by whose turn it is now; a press keeps its seat."""
    happened: list[ev.Event] = []
    for act in acts:
        if state.turn is None or not (isinstance(act, Move) or act.seat is state.turn):
            raise Refusal(Reason.CANNOT_AMEND, "the act after it would be out of turn")
        happened.append(_laid(state.turn, act, at) if isinstance(act, Move) else ev.Passed(at, act.seat))
        state = evolve(state, happened[-1])
    return tuple(happened)


def _done_otherwise(state: State, acts: tuple[Ply, ...], command: cmd.Attribute | cmd.Correct) -> Events:
    """The closing act itself was another's, those before him having passed by voice, or it was another domino."""
    move = acts[0] if acts and command.ply == len(state.plies) else None
    if not isinstance(move, Move) or state.turn is None or not state.line.placed:
        raise Refusal(Reason.CANNOT_AMEND, f"act {command.ply + 1} is no move that could be so")
    if isinstance(command, cmd.Correct):
        inner, outer = Suit(command.inner), Suit(command.outer)
        other = Move(move.seat, inner, outer, move.end, state.line.open_suit(move.end) in (None, inner))
        if other.tile in state.line.tiles:
            raise Refusal(Reason.CANNOT_AMEND, f"{other.tile} lies in the line already")
        return (_laid(state.turn, other, command.at),)
    voices: list[ev.Event] = []
    while state.turn is not None and state.turn != command.seat:
        voices.append(ev.Passed(command.at, state.turn, by_voice=True))
        state = evolve(state, voices[-1])
    return (*voices, _laid(Seat(command.seat), move, command.at))


def _laid(seat: Seat, move: Move, at: MonoNs) -> ev.DominoLaid:
    return ev.DominoLaid(at, seat, move.inner, move.outer, move.end, move.is_fitting, 1.0)
