"""What players do: laying, passing, letting time go by, calling; what is seen and what the referee says is not here."""

from __future__ import annotations

from dataclasses import replace

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_MS, NS_PER_S
from controller.game.events import Reason
from controller.game.evolve import evolve_all
from controller.game.rulesets import OutOfTurn
from controller.game.rulings import Events, Refusal, raised
from controller.game.seen import Arm
from controller.game.state import Halt, Skip, State
from controller.game.tiles import End, MonoNs, Seat, Suit, Tile


def lay(state: State, command: cmd.LayDomino) -> Events:
    """A domino is laid, as somebody says."""
    if state.claim is not None:
        raise Refusal(Reason.HALTED)
    return laid(state, command, raw=None)


def laid(state: State, command: cmd.LayDomino, *, raw: tuple[int, int] | None, arm: Arm | None = None) -> Events:
    """A domino is laid, as somebody says or as it was seen: then with what the reader took it for, and whose arm."""
    turn = state.turn
    assert turn is not None, "somebody is on turn while a set is played"
    seat = turn if command.seat is None else Seat(command.seat)
    withdrawn: Events = ()
    if seat is not turn and _may_retract(state, seat, command.at):
        withdrawn = (ev.PassWithdrawn(command.at, seat),)
        state = evolve_all(state, withdrawn)
    elif seat is not turn and state.params.out_of_turn is not OutOfTurn.STANDS:
        raise Refusal(Reason.OUT_OF_TURN)
    if not (0 <= command.inner <= 6 and 0 <= command.outer <= 6):
        raise Refusal(Reason.NO_SUCH_TILE)
    inner, outer = Suit(command.inner), Suit(command.outer)
    if (command.end is End.FIRST) is not (not state.line.placed):
        raise Refusal(Reason.BAD_END)
    if Tile.of(inner, outer) in state.line.tiles:
        raise Refusal(Reason.TILE_ALREADY_PLAYED)
    if state.tiles_left(seat) == 0:
        raise Refusal(Reason.NOT_IN_A_HAND)
    is_fitting = state.line.open_suit(command.end) in (None, inner)
    move = ev.DominoLaid(
        command.at,
        seat,
        inner,
        outer,
        command.end,
        is_fitting,
        command.confidence,
        raw,
        think_ms=_think_ms(state, command.at),
        arm=arm,
    )
    return (*withdrawn, *_overtime(state, command.at), move)


def _think_ms(state: State, at: MonoNs) -> int:
    """How long the move was thought over."""
    return state.clock.elapsed_ns(at) // NS_PER_MS


def _overtime(state: State, at: MonoNs) -> Events:
    """A move that comes too late is noted as such, whether or not somebody has looked at the clock before (C5.5)."""
    if state.turn is None or state.is_overtime or not state.clock.is_running or not state.clock.is_over(at):
        return ()
    return (ev.TimeExceeded(at, state.turn),)


def laid_out_of_turn(state: State, command: cmd.LayDomino) -> Events:
    """A domino laid by another seat than the one on turn is for the referee: it was shown (C7.1, out_of_turn)."""
    assert command.seat is not None
    seat = Seat(command.seat)
    is_known = any(f.kind is ev.FindingKind.OUT_OF_TURN and f.ply == len(state.plies) for f in state.open_findings)
    is_domino = 0 <= command.inner <= 6 and 0 <= command.outer <= 6
    if is_known or not is_domino:
        return ()
    name = state.name_of(seat)
    text = f"{name} laid {Tile.of(command.inner, command.outer)} though it was not his turn: it goes back to his hand."
    kind = ev.FindingKind.OUT_OF_TURN
    lay = (Suit(command.inner), Suit(command.outer), command.end)
    return (replace(raised(state, command.at, kind, seat, len(state.plies), text), lay=lay),)


def skip(state: State, command: cmd.Pass) -> Events:
    """A pass, pressed or said."""
    seat = Seat(command.seat)
    halts = state.halts - {Halt.TAKE_BACK} - (_by_word(state) if command.by_voice else frozenset())
    if halts:
        why = ", ".join(sorted(halt.value for halt in halts))
        raise Refusal(Reason.HALTED, f"the set is halted ({why}): nothing counts before it goes on")
    if not state.line.placed:
        raise Refusal(Reason.PASS_BEFORE_FIRST_MOVE)
    if seat is not state.turn:
        if _may_retract(state, seat, command.at):
            return (ev.PassWithdrawn(command.at, seat),)
        raise Refusal(Reason.OUT_OF_TURN)
    late = _overtime(state, command.at)
    return (*late, ev.Passed(command.at, seat, _think_ms(state, command.at), command.by_voice))


def _by_word(state: State) -> frozenset[Halt]:
    """What a pass that was only spoken may be the reason of, so that the referee can enter it then.

    The table is not understood, or another seat than the one on turn has laid a domino.
    """
    is_turn = all(f.kind is ev.FindingKind.OUT_OF_TURN for f in state.open_findings if state.stops_for(f))
    return frozenset({Halt.OUT_OF_SYNC, Halt.FINDING} if is_turn else {Halt.OUT_OF_SYNC})


def _may_retract(state: State, seat: Seat, at: MonoNs) -> bool:
    """Whether `seat` has just passed and may still take it back (pass_retract_seconds)."""
    last = state.plies[-1] if state.plies else None
    if not isinstance(last, Skip) or last.seat is not seat or not state.params.pass_retract_seconds:
        return False
    is_open = state.last_move is not None and not state.open_findings
    return is_open and state.clock.elapsed_ns(at) <= state.params.pass_retract_seconds * NS_PER_S


def tick(state: State, command: cmd.Tick) -> Events:
    """Time goes by: the limit may be passed."""
    return _overtime(state, command.at)


def call(state: State, command: cmd.CallReferee) -> Events:
    """A player asks for the referee."""
    return (ev.RefereeCalled(command.at, Seat(command.seat)),)
