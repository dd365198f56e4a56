"""`decide(state, command)`: what happens when somebody does something; the whole law of the table, as events.

`TABLE` says for every phase and command what is done or why it is refused. After the act itself `_follow` asks
the rules what follows from the new state, one step at a time, until nothing more does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Reason, Winner
from controller.game.evolve import evolve, evolve_all
from controller.game.penalties import lost_set, points_for, warn, winner_of
from controller.game.proof import Contradiction, wrong_passes
from controller.game.rulesets import Adjudication
from controller.game.sight import Disagreement, Lay, assign_hands, reconcile
from controller.game.state import Finding, Halt, Move, Phase, State
from controller.game.tiles import End, MonoNs, Seat, Tile

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


class Refusal(Exception):  # it never leaves this file: a verdict, not an error
    """An input that changes nothing, on its way to becoming a `Refused` event."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def decide(state: State, command: cmd.Command) -> Events:
    """The events that `command` causes in `state`; a refused one causes `Refused` alone."""
    handler = TABLE[type(command)][state.phase]
    try:
        if isinstance(handler, Reason):
            raise Refusal(handler)
        happened = tuple(handler(state, command))
    except Refusal as refusal:
        return (_refused(command, refusal),)
    return (*happened, *_follow(evolve_all(state, happened), command.at)) if happened else ()


def _refused(command: cmd.Command, refusal: Refusal) -> ev.Refused:
    text = f"{refusal.detail}: {TEXTS[refusal.reason]}" if refusal.detail else TEXTS[refusal.reason]
    seat = getattr(command, "seat", None)
    return ev.Refused(command.at, type(command).__name__, refusal.reason, seat, text)


def _follow(state: State, at: MonoNs) -> Events:
    """Everything the rules add, each step seeing what the one before it did."""
    added: list[ev.Event] = []
    while step := _consequence(state, at):
        added.extend(step)
        state = evolve_all(state, step)
    return tuple(added)


def _consequence(state: State, at: MonoNs) -> Events:
    """The next thing that follows from `state` by the rules alone; () when nothing does."""
    if state.phase is Phase.BETWEEN:
        return _game_end(state, at)
    if state.phase not in (Phase.PLAY, Phase.COUNT):
        return ()
    return _new_finding(state, at) or _confirmed_by_rule(state, at) or _closing(state, at) or _score(state, at)


def _new_finding(state: State, at: MonoNs) -> Events:
    """The first wrong domino or wrong pass that the play so far proves and nobody has been told of."""
    told = {(f.kind, f.ply) for f in state.findings}
    for index, ply in enumerate(state.plies):
        if isinstance(ply, Move) and not ply.is_fitting and (FindingKind.WRONG_DOMINO, index) not in told:
            text = f"{state.names[ply.seat]} laid {ply.tile} with {ply.inner} to the joint, which does not fit."
            return (ev.FindingRaised(at, state.next_finding, FindingKind.WRONG_DOMINO, ply.seat, index, "C7", text),)
    for found in wrong_passes(state):
        if (FindingKind.WRONG_PASS, found.ply) not in told:
            text = _wrong_pass_text(state, found)
            return (
                ev.FindingRaised(at, state.next_finding, FindingKind.WRONG_PASS, found.seat, found.ply, "C6.1", text),
            )
    return ()


def _wrong_pass_text(state: State, found: Contradiction) -> str:
    """The proof in words a referee can read out."""
    skip = state.plies[found.ply]
    assert not isinstance(skip, Move), "a contradiction is about a pass"
    opened = " and ".join(str(suit) for suit in dict.fromkeys(skip.ends))
    how = "showed" if found.seen_in is None else f"laid (act {found.seen_in + 1})"
    name = state.names[found.seat]
    return f"{name} passed (act {found.ply + 1}) with {opened} open, and later {how} {found.tile}, which fitted then."


def _confirmed_by_rule(state: State, at: MonoNs) -> Events:
    """With adjudication auto findings confirm themselves: a wrong pass at once, a wrong domino at the count."""
    if state.params.adjudication is not Adjudication.AUTO:
        return ()
    for finding in state.open_findings:
        if finding.kind is FindingKind.WRONG_PASS:
            return _ruling(state, at, finding, Decision.CONFIRM, by_rule=True)
        if state.hands is not None:
            return _ruling(state, at, finding, Decision.LOST, by_rule=True)
    return ()


def _closing(state: State, at: MonoNs) -> Events:
    """Going out comes before the deadlock: a deadlock needs players who all have dominoes (C0.7)."""
    if state.phase is not Phase.PLAY or not state.line.placed:
        return ()
    out = next((seat for seat in Seat if state.tiles_left(seat) == 0), None)
    if out is not None:
        return (ev.WentOut(at, out),)
    if state.line.is_locked:
        assert state.line.ends is not None
        return (ev.Locked(at, state.line.ends[1]),)
    return ()


def _score(state: State, at: MonoNs) -> Events:
    """The set is registered once the hands are counted, or the count is waived, and nothing waits for the referee."""
    if state.open_findings or (state.hands is None and not state.is_count_waived):
        return ()
    scored = provisional_score(state, at)
    return () if scored is None else (scored,)


def provisional_score(state: State, at: MonoNs) -> ev.SetScored | None:
    """What the closed line is worth as things stand; None while it is open, or locked and not counted (C5.2-C5.4)."""
    spots = _spots(state.hands)
    if state.ending is Ending.OUT:
        winner = Winner(_gone_out(state).pair.value)
    elif state.ending is Ending.DEADLOCK and spots is not None:
        winner = winner_of((spots[1], spots[0]))  # fewer spots win (C5.4)
    else:
        return None
    return ev.SetScored(at, state.ending, winner, spots, points_for(winner))


def _gone_out(state: State) -> Seat:
    return next(seat for seat in Seat if state.tiles_left(seat) == 0)


def _spots(hands: tuple[tuple[Tile, ...], ...] | None) -> tuple[int, int] | None:
    if hands is None:
        return None
    by_seat = [sum(tile.spots for tile in hand) for hand in hands]
    return (by_seat[0] + by_seat[2], by_seat[1] + by_seat[3])


def _game_end(state: State, at: MonoNs) -> Events:
    """After the agreed sets; a level game goes on with extra sets where the regulations want a winner (C5.7)."""
    if len(state.results) < state.params.sets_in_game:
        return ()
    winner = winner_of(state.points)
    if winner is Winner.DRAW and state.params.pair_tournament:
        return ()
    return (ev.GameEnded(at, winner, state.points),)


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
        step = (*step, *_follow(evolve_all(state, step), command.at))
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
    return _ruling(state, command.at, finding, command.decision, by_rule=False)


def _ruling(state: State, at: MonoNs, finding: Finding, decision: Decision, *, by_rule: bool) -> Events:
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
