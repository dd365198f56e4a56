"""`decide(state, command)`: what happens when somebody does something; the whole law of the table, as events.

`TABLE` says for every phase and command what is done or why it is refused. After the act itself `follow` asks
the rules what follows from the new state, one step at a time, until nothing more does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Ending, Reason
from controller.game.evolve import evolve, evolve_all
from controller.game.follow import follow
from controller.game.rulings import TEXTS, Events, Refusal, ruling
from controller.game.sight import Disagreement, Lay, assign_hands, reconcile
from controller.game.state import Halt, Phase, State
from controller.game.tiles import End, Seat, Tile


def decide(state: State, command: cmd.Command) -> Events:
    """The events that `command` causes in `state`; a refused one causes `Refused` alone."""
    handler = TABLE[type(command)][state.phase]
    try:
        if isinstance(handler, Reason):
            raise Refusal(handler)
        happened = tuple(handler(state, command))
    except Refusal as refusal:
        return (_refused(command, refusal),)
    return (*happened, *follow(evolve_all(state, happened), command.at)) if happened else ()


def _refused(command: cmd.Command, refusal: Refusal) -> ev.Refused:
    text = f"{refusal.detail}: {TEXTS[refusal.reason]}" if refusal.detail else TEXTS[refusal.reason]
    seat = getattr(command, "seat", None)
    return ev.Refused(command.at, type(command).__name__, refusal.reason, seat, text)


# --- what each command does -------------------------------------------------------------------------------------------


def _start_game(state: State, command: cmd.StartGame) -> Events:
    if state.phase not in (Phase.IDLE, Phase.GAME_OVER) and not command.abandon:
        raise Refusal(Reason.GAME_RUNNING)
    return (ev.GameStarted(command.at, command.names, command.lead, command.params),)


def _start_set(state: State, command: cmd.StartSet) -> Events:
    if state.lead is None and command.lead is None:
        raise Refusal(Reason.LEAD_MUST_BE_DRAWN)
    if state.lead is not None and command.lead not in (None, state.lead):
        raise Refusal(Reason.LEAD_IS_FIXED)
    lead = state.lead if state.lead is not None else command.lead
    assert lead is not None
    return (ev.SetStarted(command.at, state.set_no, lead),)


def _lay(state: State, command: cmd.LayDomino) -> Events:
    return _laid(state, command, raw=None)


def _laid(state: State, command: cmd.LayDomino, *, raw: tuple[int, int] | None) -> Events:
    seat = state.turn if command.seat is None else command.seat
    if seat is not state.turn:
        raise Refusal(Reason.OUT_OF_TURN)
    assert seat is not None
    if not (0 <= command.inner <= 6 and 0 <= command.outer <= 6):
        raise Refusal(Reason.NO_SUCH_TILE)
    if (command.end is End.FIRST) == bool(state.line.placed):
        raise Refusal(Reason.BAD_END)
    if Tile.of(command.inner, command.outer) in state.line.tiles:
        raise Refusal(Reason.TILE_ALREADY_PLAYED)
    is_fitting = state.line.open_suit(command.end) in (None, command.inner)
    return (
        ev.DominoLaid(command.at, seat, command.inner, command.outer, command.end, is_fitting, command.confidence, raw),
    )


def _pass(state: State, command: cmd.Pass) -> Events:
    if state.halts - {Halt.TAKE_BACK}:
        raise Refusal(Reason.HALTED)
    if not state.line.placed:
        raise Refusal(Reason.PASS_BEFORE_FIRST_MOVE)
    if command.seat is not state.turn:
        raise Refusal(Reason.OUT_OF_TURN)
    return (ev.Passed(command.at, command.seat),)


def _see_between(state: State, command: cmd.See) -> Events:
    """Between sets: the table swept clean, or the lead made before the referee had started the set."""
    if state.line.placed or state.take_back:
        return () if command.sighting.tiles else (ev.TableCleared(command.at),)
    is_lead = len(command.sighting.tiles) == 1 and not any(command.sighting.shown)
    if state.lead is None or not is_lead:
        return ()
    started = ev.SetStarted(command.at, state.set_no, state.lead)
    laid = _see_play(evolve(state, started), command)
    return (started, *laid) if any(isinstance(event, ev.DominoLaid) for event in laid) else ()


def _see_play(state: State, command: cmd.See) -> Events:
    """A table at rest during a set; while somebody has to act first, what lies is not judged."""
    if state.halts & {Halt.PAUSED, Halt.RESTARTED, Halt.CAMERA, Halt.FINDING}:
        return ()
    view = reconcile(state.line, state.take_back, command.sighting)
    if isinstance(view, Disagreement):
        is_known = state.sync is not None and (state.sync.code, state.sync.tile) == (view.code, view.tile)
        return () if is_known else (ev.SyncLost(command.at, view.code, view.tile, view.text),)
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    back = tuple(ev.TakenBack(command.at, tile) for tile in view.taken_back)
    return (*found, *back, *_lays_seen(evolve_all(state, (*found, *back)), command, view.lays))


def _lays_seen(state: State, command: cmd.See, lays: Iterable[Lay]) -> Events:
    """The moves one behind the other, as long as the set goes on; each was made when the table came to rest."""
    rest_at = command.at if command.rest_at is None else command.rest_at
    happened: list[ev.Event] = []
    for lay in lays:
        if state.phase is not Phase.PLAY:
            break
        step = _laid(state, cmd.LayDomino(rest_at, lay.inner, lay.outer, lay.end, None, lay.confidence), raw=lay.raw)
        step = (*step, *follow(evolve_all(state, step), command.at))
        happened.extend(step)
        state = evolve_all(state, step)
    return tuple(happened)


def _see_count(state: State, command: cmd.See) -> Events:
    """The hands laid open in front of the seats."""
    left = tuple(state.tiles_left(seat) for seat in Seat)
    hands = assign_hands(state.line.unplayed, left, command.sighting)
    return () if hands is None or hands == state.shown else (ev.HandsShown(command.at, hands),)


def _rule(state: State, command: cmd.Rule) -> Events:
    finding = next((f for f in state.open_findings if f.number == command.finding), None)
    if finding is None:
        raise Refusal(Reason.NO_SUCH_FINDING)
    return ruling(state, command.at, finding, command.decision, by_rule=False)


def _count(state: State, command: cmd.Count) -> Events:
    left = tuple(state.tiles_left(seat) for seat in Seat)
    tiles = Counter(tile for hand in command.hands for tile in hand)
    if tuple(len(hand) for hand in command.hands) != left or tiles != Counter(state.line.unplayed):
        raise Refusal(Reason.BAD_REVEAL, f"expected {left} dominoes by seat")
    return (ev.HandsCounted(command.at, command.hands),)


def _confirm_count(state: State, command: cmd.ConfirmCount) -> Events:
    if state.shown is None and state.ending is Ending.OUT:
        return (ev.CountWaived(command.at),)
    if state.shown is None:
        raise Refusal(Reason.NOTHING_SHOWN)
    return (ev.HandsCounted(command.at, state.shown),)


def _restart_set(state: State, command: cmd.RestartSet) -> Events:
    return (ev.SetAnnulled(command.at, by_referee=True),)


def _pause(state: State, command: cmd.Pause) -> Events:
    if state.is_paused:
        raise Refusal(Reason.ALREADY_PAUSED)
    return (ev.Paused(command.at),)


def _resume(state: State, command: cmd.Resume) -> Events:
    if not (state.is_paused or state.is_restarted):
        raise Refusal(Reason.NOT_PAUSED)
    return (ev.Resumed(command.at),)


def _undo(state: State, command: cmd.Undo) -> Events:
    if state.before is None:
        raise Refusal(Reason.NOTHING_TO_UNDO)
    return (ev.Undone(command.at),)


def _lose_camera(state: State, command: cmd.LoseCamera) -> Events:
    return () if state.camera_trouble is not None else (ev.CameraLost(command.at, command.reason),)


def _regain_camera(state: State, command: cmd.RegainCamera) -> Events:
    return () if state.camera_trouble is None else (ev.CameraRegained(command.at),)


def _regain_storage(state: State, command: cmd.RegainStorage) -> Events:
    """Nobody is charged for the time in which nothing could be kept."""
    return (ev.StorageLost(command.since), ev.StorageRegained(command.at))


def _tick(state: State, command: cmd.Tick) -> Events:
    if state.turn is None or state.is_overtime or not state.clock.is_running or not state.clock.is_over(command.at):
        return ()
    return (ev.TimeExceeded(command.at, state.turn),)


def _nothing(state: State, command: cmd.Command) -> Events:
    return ()


# --- the table of phases and commands ---------------------------------------------------------------------------------

Handler = Callable[[State, Any], Iterable[ev.Event]] | Reason


def _row(idle: Handler, between: Handler, play: Handler, count: Handler, game_over: Handler) -> dict[Phase, Handler]:
    return dict(zip(Phase, (idle, between, play, count, game_over), strict=True))


def _call(state: State, command: cmd.CallReferee) -> Events:
    return (ev.RefereeCalled(command.at, command.seat),)


def _acknowledge(state: State, command: cmd.Acknowledge) -> Events:
    return () if state.alert is None else (ev.Acknowledged(command.at),)


def _restart(state: State, command: cmd.Restart) -> Events:
    return (ev.Restarted(command.at),)


TABLE: dict[type, dict[Phase, Handler]] = {
    cmd.StartGame: _row(_start_game, _start_game, _start_game, _start_game, _start_game),
    cmd.StartSet: _row(Reason.NO_GAME, _start_set, Reason.SET_RUNNING, Reason.SET_RUNNING, Reason.GAME_OVER),
    cmd.See: _row(_nothing, _see_between, _see_play, _see_count, _nothing),
    cmd.LayDomino: _row(Reason.NO_GAME, Reason.NO_SET, _lay, Reason.SET_OVER, Reason.GAME_OVER),
    cmd.Pass: _row(Reason.NO_GAME, Reason.PASS_BEFORE_FIRST_MOVE, _pass, Reason.SET_OVER, Reason.GAME_OVER),
    cmd.CallReferee: _row(_call, _call, _call, _call, _call),
    cmd.Acknowledge: _row(_acknowledge, _acknowledge, _acknowledge, _acknowledge, _acknowledge),
    cmd.Rule: _row(Reason.NO_GAME, Reason.NO_SUCH_FINDING, _rule, _rule, Reason.GAME_OVER),
    cmd.Count: _row(Reason.NO_GAME, Reason.NO_SET, Reason.SET_RUNNING, _count, Reason.GAME_OVER),
    cmd.ConfirmCount: _row(Reason.NO_GAME, Reason.NO_SET, Reason.SET_RUNNING, _confirm_count, Reason.GAME_OVER),
    cmd.RestartSet: _row(Reason.NO_GAME, Reason.NO_SET, _restart_set, _restart_set, Reason.GAME_OVER),
    cmd.Pause: _row(Reason.NO_GAME, Reason.NO_SET, _pause, _pause, Reason.GAME_OVER),
    cmd.Resume: _row(Reason.NO_GAME, Reason.NOT_PAUSED, _resume, _resume, Reason.GAME_OVER),
    cmd.Undo: _row(Reason.NOTHING_TO_UNDO, _undo, _undo, _undo, _undo),
    cmd.LoseCamera: _row(_lose_camera, _lose_camera, _lose_camera, _lose_camera, _lose_camera),
    cmd.RegainCamera: _row(_regain_camera, _regain_camera, _regain_camera, _regain_camera, _regain_camera),
    cmd.RegainStorage: _row(*[_regain_storage] * 5),
    cmd.Restart: _row(_restart, _restart, _restart, _restart, _restart),
    cmd.Tick: _row(_nothing, _nothing, _tick, _nothing, _nothing),
}
