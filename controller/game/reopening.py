"""Correcting a set that the last act has closed: that act is taken back, the record put right, the act done again."""

from __future__ import annotations

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Reason
from controller.game.evolve import evolve_all
from controller.game.refereeing import amended, amendment, stands_so
from controller.game.rulings import Events, Refusal
from controller.game.state import Move, Phase, Ply, State
from controller.game.tiles import MonoNs

TOO_LATE = "the set is registered and more than a move or pass has been done since: take that back first"


def reopen(state: State, command: cmd.Attribute | cmd.Correct) -> Events:
    """An act of the set registered last is corrected, as long as nothing but moves and passes would be lost by it.

    A contradiction may have closed it by itself that was only a misreading; the correction decides it anew. What the
    referee ruled or counted last is taken back with it, and is for him to say again.
    """
    before, closed = state.before, state.closed
    if closed is None:
        raise Refusal(Reason.NO_SET)
    if stands_so(closed.plies, command):
        return ()
    if before is None or before.phase not in (Phase.PLAY, Phase.COUNT) or before.set_no != len(state.results):
        raise Refusal(Reason.CANNOT_AMEND, TOO_LATE)
    if closed.plies[: len(before.plies)] != before.plies or (state.warnings, closed.exposed) != (
        before.warnings,
        before.exposed,
    ):
        raise Refusal(Reason.CANNOT_AMEND, TOO_LATE)
    right = amended(closed.plies, command)
    happened: list[ev.Event] = [ev.Undone(command.at)]
    if command.ply < len(before.plies):
        happened.append(amendment(command))
    still = evolve_all(state, happened)
    is_voice = command.ply >= len(before.plies)
    return (*happened, *(_again(act, command.at, is_voice=is_voice) for act in right[len(still.plies) :]))


def _again(act: Ply, at: MonoNs, *, is_voice: bool) -> ev.Event:
    """An act done again, as it stands in the corrected history."""
    if isinstance(act, Move):
        return ev.DominoLaid(at, act.seat, act.inner, act.outer, act.end, act.is_fitting, 1.0)
    return ev.Passed(at, act.seat, by_voice=is_voice)
