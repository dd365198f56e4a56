"""Correcting a set that the last act has closed: that act is taken back, the record put right, the act done again."""

from __future__ import annotations

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.amend import CannotAmend, corrected, reattributed
from controller.game.events import Reason
from controller.game.evolve import evolve_all
from controller.game.rulings import Events, Refusal
from controller.game.state import Move, Phase, Ply, State
from controller.game.tiles import MonoNs, Seat, Suit

TOO_LATE = "the set is registered and more than a move or pass has been done since: take that back first"


def reopen(state: State, command: cmd.Attribute | cmd.Correct) -> Events:
    """An act of the set registered last is corrected, as long as nothing but moves and passes would be lost by it.

    A contradiction may have closed it by itself that was only a misreading; the correction decides it anew. What the
    referee ruled or counted last is taken back with it, and is for him to say again.
    """
    before, closed = state.before, state.closed
    if closed is None:
        raise Refusal(Reason.NO_SET)
    is_act = 0 <= command.ply < len(closed.plies)
    if isinstance(command, cmd.Attribute) and is_act and closed.plies[command.ply].seat == command.seat:
        return ()  # so it stands in the record
    if before is None or before.phase not in (Phase.PLAY, Phase.COUNT) or before.set_no != len(state.results):
        raise Refusal(Reason.CANNOT_AMEND, TOO_LATE)
    if closed.plies[: len(before.plies)] != before.plies or (state.warnings, closed.exposed) != (
        before.warnings,
        before.exposed,
    ):
        raise Refusal(Reason.CANNOT_AMEND, TOO_LATE)
    right = _amended(closed.plies, command)
    happened: list[ev.Event] = [ev.Undone(command.at)]
    if command.ply < len(before.plies):
        happened.append(_amendment(command))
    still = evolve_all(state, happened)
    is_voice = command.ply >= len(before.plies)
    return (*happened, *(_again(act, command.at, is_voice=is_voice) for act in right[len(still.plies) :]))


def _amended(plies: tuple[Ply, ...], command: cmd.Attribute | cmd.Correct) -> tuple[Ply, ...]:
    """The whole set as it is said to have been, its last act included."""
    if isinstance(command, cmd.Correct) and not (0 <= command.inner <= 6 and 0 <= command.outer <= 6):
        raise Refusal(Reason.NO_SUCH_TILE)
    try:
        if isinstance(command, cmd.Attribute):
            return reattributed(plies, command.ply, Seat(command.seat))
        return corrected(plies, command.ply, Suit(command.inner), Suit(command.outer))
    except CannotAmend as error:
        raise Refusal(Reason.CANNOT_AMEND, error.text) from error


def _amendment(command: cmd.Attribute | cmd.Correct) -> ev.Event:
    if isinstance(command, cmd.Attribute):
        return ev.Attributed(command.at, command.ply, Seat(command.seat), command.by)
    return ev.Corrected(command.at, command.ply, Suit(command.inner), Suit(command.outer), command.by)


def _again(act: Ply, at: MonoNs, *, is_voice: bool) -> ev.Event:
    """An act done again, as it stands in the corrected history."""
    if isinstance(act, Move):
        return ev.DominoLaid(at, act.seat, act.inner, act.outer, act.end, act.is_fitting, 1.0)
    return ev.Passed(at, act.seat, by_voice=is_voice)
