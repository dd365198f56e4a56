"""`decide(state, command)`: what happens when somebody does something; the whole law of the table, as events.

`TABLE` says for every phase and command what is done or why it is refused. After the act itself `follow` asks
the rules what follows from the new state, one step at a time, until nothing more does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from controller.game import claims, playing, refereeing, replaying, seeing
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Reason
from controller.game.evolve import evolve_all
from controller.game.follow import follow
from controller.game.reopening import reopen
from controller.game.rulings import TEXTS, Events, Refusal
from controller.game.state import Phase, State
from controller.game.tiles import Seat

Handler = Callable[[State, Any], Iterable[ev.Event]] | Reason


def decide(state: State, command: cmd.Command) -> Events:
    """The events that `command` causes in `state`; a refused one changes nothing and causes `Refused`."""
    handler = TABLE[type(command)][state.phase]
    try:
        if isinstance(handler, Reason):
            raise Refusal(handler)
        if not _is_seat(getattr(command, "seat", None)):
            raise Refusal(Reason.NO_SUCH_SEAT)
        happened = tuple(handler(state, command))
    except Refusal as refusal:
        refused = _refused(command, refusal)
        if refusal.reason is Reason.OUT_OF_TURN and isinstance(command, cmd.LayDomino):
            return (refused, *playing.laid_out_of_turn(state, command))
        return (refused,)
    return (*happened, *follow(evolve_all(state, happened), command.at)) if happened else ()


def _is_seat(seat: int | None) -> bool:
    return seat is None or seat in tuple(Seat)


def _refused(command: cmd.Command, refusal: Refusal) -> ev.Refused:
    detail, said = refusal.detail.rstrip("."), TEXTS[refusal.reason]
    is_whole = ": " in detail or refusal.detail.endswith(".")
    text = detail if is_whole else f"{detail}: {said}" if detail else said
    seat = getattr(command, "seat", None)
    known = Seat(seat) if seat is not None and _is_seat(seat) else None
    return ev.Refused(command.at, type(command).__name__, refusal.reason, known, text)


def _lose_camera(state: State, command: cmd.LoseCamera) -> Events:
    return () if state.camera_trouble is not None else (ev.CameraLost(command.at, command.reason),)


def _regain_camera(state: State, command: cmd.RegainCamera) -> Events:
    return () if state.camera_trouble is None else (ev.CameraRegained(command.at),)


def _regain_storage(state: State, command: cmd.RegainStorage) -> Events:
    """Nobody is charged for the time in which nothing could be kept."""
    return (ev.StorageLost(command.since), ev.StorageRegained(command.at))


def _restart(state: State, command: cmd.Restart) -> Events:
    return (ev.Restarted(command.at),)


def _tick(state: State, command: cmd.Tick) -> Events:
    """What follows from time alone: a move that is late, a mute that is over."""
    late = playing.tick(state, command) if state.phase is Phase.PLAY else ()
    is_mute_over = state.mute is not None and state.mute.until is not None and command.at >= state.mute.until
    return (*late, ev.Unmuted(command.at)) if is_mute_over else late


def _after_set(reason: Reason) -> Handler:
    """Refuses what belongs into a set: while the line of the one registered still lies it is over, else `reason`."""

    def refuse(state: State, command: cmd.Command) -> Events:
        is_over = bool(state.results) and state.attempt == 0 and bool(state.line.placed)
        raise Refusal(Reason.SET_OVER if is_over else reason)

    return refuse


def _nothing(state: State, command: cmd.Command) -> Events:
    return ()


# --- the table of phases and commands ---------------------------------------------------------------------------------

_NO_GAME, _NO_SET, _OVER = Reason.NO_GAME, Reason.NO_SET, Reason.GAME_OVER
_RUNNING, _CLOSED = Reason.SET_RUNNING, Reason.SET_OVER


def _row(idle: Handler, between: Handler, play: Handler, count: Handler, game_over: Handler) -> dict[Phase, Handler]:
    return dict(zip(Phase, (idle, between, play, count, game_over), strict=True))


def _always(handler: Handler) -> dict[Phase, Handler]:
    return dict.fromkeys(Phase, handler)


TABLE: dict[type, dict[Phase, Handler]] = {
    cmd.DrawSeats: _row(refereeing.draw_seats, Reason.GAME_RUNNING, _RUNNING, _RUNNING, refereeing.draw_seats),
    cmd.StartGame: _always(refereeing.start_game),
    cmd.DrawLead: _row(_NO_GAME, refereeing.draw_lead, _RUNNING, _RUNNING, _OVER),
    cmd.StartSet: _row(_NO_GAME, refereeing.start_set, _RUNNING, _RUNNING, _OVER),
    cmd.See: _row(_nothing, seeing.see_between, seeing.see_play, seeing.see_count, _nothing),
    cmd.LayDomino: _row(_NO_GAME, _after_set(_NO_SET), playing.lay, _CLOSED, _OVER),
    cmd.AdoptLine: _row(_NO_GAME, _after_set(_NO_SET), seeing.adopt, _CLOSED, _OVER),
    cmd.Pass: _row(_NO_GAME, _after_set(Reason.PASS_BEFORE_FIRST_MOVE), playing.skip, _CLOSED, _OVER),
    cmd.CallReferee: _always(playing.call),
    cmd.ClaimTime: _row(_NO_GAME, _NO_SET, claims.claim_time, _CLOSED, _OVER),
    cmd.ClaimRedeal: _row(_NO_GAME, claims.claim_redeal, claims.claim_redeal, Reason.TOO_LATE, _OVER),
    cmd.Expose: _row(_NO_GAME, claims.expose, claims.expose, claims.expose, _OVER),
    cmd.Show: _row(_NO_GAME, claims.show, claims.show, claims.show, _OVER),
    cmd.Acknowledge: _always(refereeing.acknowledge),
    cmd.Rule: _row(_NO_GAME, refereeing.rule, refereeing.rule, refereeing.rule, _OVER),
    cmd.Warn: _row(_NO_GAME, refereeing.give_warning, refereeing.give_warning, refereeing.give_warning, _OVER),
    cmd.OrderReveal: _row(_NO_GAME, _NO_SET, refereeing.order_reveal, _CLOSED, _OVER),
    cmd.Count: _row(_NO_GAME, _after_set(_NO_SET), _RUNNING, refereeing.count, _OVER),
    cmd.ConfirmCount: _row(_NO_GAME, _NO_SET, _RUNNING, refereeing.confirm_count, _OVER),
    cmd.RestartSet: _row(_NO_GAME, _NO_SET, refereeing.restart_set, refereeing.restart_set, _OVER),
    cmd.Replay: _row(_NO_GAME, replaying.replay, replaying.replay, replaying.replay, replaying.replay),
    cmd.ConfirmRegister: _row(
        _NO_GAME, Reason.GAME_RUNNING, Reason.GAME_RUNNING, Reason.GAME_RUNNING, refereeing.confirm_register
    ),
    cmd.Attribute: _row(_NO_GAME, reopen, refereeing.amend, refereeing.amend, _OVER),
    cmd.Correct: _row(_NO_GAME, reopen, refereeing.amend, refereeing.amend, _OVER),
    cmd.MergeLedger: _always(refereeing.merge_ledger),
    cmd.Pause: _row(_NO_GAME, _NO_SET, refereeing.pause, refereeing.pause, _OVER),
    cmd.Resume: _row(_NO_GAME, Reason.NOT_PAUSED, refereeing.resume, refereeing.resume, _OVER),
    cmd.Undo: _always(refereeing.undo),
    cmd.Redo: _always(refereeing.redo),
    cmd.Mute: _always(refereeing.mute),
    cmd.Unmute: _always(refereeing.unmute),
    cmd.LoseCamera: _always(_lose_camera),
    cmd.RegainCamera: _always(_regain_camera),
    cmd.RegainStorage: _always(_regain_storage),
    cmd.Restart: _always(_restart),
    cmd.Tick: _always(_tick),
}
