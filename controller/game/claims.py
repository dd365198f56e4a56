"""What a player may claim: a rival's time, a redeal of his hand; and what somebody saw of a hand."""

from __future__ import annotations

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_MS
from controller.game.draw import is_redealable
from controller.game.events import Reason
from controller.game.evolve import evolve_all
from controller.game.line import Line
from controller.game.rulesets import Redeal, RedealDeadline, TimeClaimWindow
from controller.game.rulings import Events, Refusal, lost, raised
from controller.game.seen import Disagreement
from controller.game.showing import read_hand
from controller.game.state import Move, Phase, State
from controller.game.tiles import ALL_TILES, HAND_SIZE, MonoNs, Seat, Tile


def claim_time(state: State, command: cmd.ClaimTime) -> Events:
    """A rival points at long thinking: it is noted and goes to the referee, no warning by itself (C5.6, R9)."""
    seat = Seat(command.seat)
    thinker, elapsed_ms, is_over = _pointed_at(state, seat, command.at)
    reason = None
    if thinker.pair is seat.pair:
        reason = Reason.NOT_A_RIVAL
    elif not is_over:
        reason = Reason.WITHIN_LIMIT
    claimed = ev.TimeClaimed(command.at, seat, thinker, elapsed_ms, reason)
    place = max(0, len(state.plies) - (thinker is not state.turn))
    kind = ev.FindingKind.OVERTIME
    is_told = any((f.kind, f.seat, f.ply) == (kind, thinker, place) for f in state.findings)
    if reason is not None or is_told:
        return (claimed,)
    text = (
        f"{state.name_of(seat)} points out that {state.name_of(thinker)} has thought {elapsed_ms / 1000:.1f} s "
        f"of the {state.params.think_seconds:g} s given."
    )
    return (claimed, raised(state, command.at, kind, thinker, place, text))


def _pointed_at(state: State, seat: Seat, at: MonoNs) -> tuple[Seat, int, bool]:
    """Who is meant: the seat on turn, or the one whose slow move is still the last (time_claim_window)."""
    turn = state.turn
    assert turn is not None
    last = state.last_move
    is_window = state.params.time_claim_window is TimeClaimWindow.NEXT_MOVE
    now_over = state.clock.is_over(at) and turn.pair is not seat.pair
    if is_window and last is not None and last.is_overtime and last.seat.pair is not seat.pair and not now_over:
        return (last.seat, last.think_ms, True)
    return (turn, state.clock.elapsed_ns(at) // NS_PER_MS, state.clock.is_over(at))


def claim_redeal(state: State, command: cmd.ClaimRedeal) -> Events:
    """A hand with five doubles or six of a suit may be dealt again (C2.2); without a hand, one has yet to be shown."""
    seat = Seat(command.seat)
    if state.params.redeal is Redeal.OFF:
        raise Refusal(Reason.NO_REDEAL)
    if state.claim not in (None, seat):
        raise Refusal(Reason.HALTED)
    if command.hand is not None:
        return _judged(state, command.at, seat, command.hand, is_seen=False)
    if _is_too_late(state, seat):
        raise Refusal(Reason.TOO_LATE)
    if state.claim is not None:
        raise Refusal(Reason.HALTED)
    return (ev.RedealClaimed(command.at, seat),)


def see_claim(state: State, command: cmd.See) -> Events:
    """The claimant's dominoes lie in the middle: once they can be read they are judged."""
    claimant = state.claim
    assert claimant is not None, "somebody has claimed a redeal"
    view = read_hand(_lying(state), claimant, command.sighting, told=state.exposed, name_of=state.name_of)
    if view is None:
        return ()
    if isinstance(view, Disagreement):
        return lost(state, command.at, view)
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    return (*found, *_judged(state, command.at, claimant, view, is_seen=True))


def _lying(state: State) -> Line:
    """The line of this set; between sets the one of the last may still be known, and means nothing here."""
    return state.line if state.phase is Phase.PLAY else Line()


def _judged(state: State, at: MonoNs, seat: Seat, hand: tuple[Tile, ...], *, is_seen: bool) -> Events:
    """A shown hand: redeal, or everybody has seen it for nothing."""
    if _is_too_late(state, seat):
        return _denied(state, at, seat, Reason.TOO_LATE, hand, is_seen=is_seen)
    is_hand = (
        len(hand) == HAND_SIZE == len(set(hand)) and set(hand) <= ALL_TILES and not set(hand) & _lying(state).tiles
    )
    if not is_hand:
        raise Refusal(Reason.BAD_HAND)
    if not is_redealable(hand):
        return _denied(state, at, seat, Reason.CONDITION_NOT_MET, hand, is_seen=is_seen)
    return (ev.RedealGranted(at, seat, hand, is_seen),)


def _denied(state: State, at: MonoNs, seat: Seat, reason: Reason, hand: tuple[Tile, ...], *, is_seen: bool) -> Events:
    known = tuple(tile for tile in dict.fromkeys(hand) if tile in ALL_TILES)
    text = f"{state.name_of(seat)} has shown his hand for a redeal that he may not have: warning, new deal, or play on."
    found = raised(state, at, ev.FindingKind.EXPOSED_HAND, seat, len(state.plies), text)
    return (ev.RedealDenied(at, seat, reason, known, is_seen), found)


def _is_too_late(state: State, seat: Seat) -> bool:
    """Whether the first move, or the claimant's own, has been made (redeal_deadline)."""
    if state.params.redeal_deadline is RedealDeadline.FIRST_MOVE:
        return bool(state.plies)
    return any(isinstance(ply, Move) and ply.seat is seat for ply in state.plies)


def expose(state: State, command: cmd.Expose) -> Events:
    """A domino was seen in a hand: nothing is drawn, so it was there from the deal on (section 4)."""
    seat = Seat(command.seat)
    if command.tile not in ALL_TILES:
        raise Refusal(Reason.NO_SUCH_TILE)
    if command.in_last_set:
        if state.closed is None or not state.can_amend_closed:
            raise Refusal(Reason.NO_SET, "no set before this one can still be changed: leave in_last_set out")
        plies, exposed, hands = state.closed.plies, state.closed.exposed, state.closed.hands
    else:
        if state.phase is Phase.BETWEEN and state.claim is None:
            raise Refusal(Reason.NO_SET)
        plies, exposed, hands = state.plies, state.exposed, state.hands
    moves = [ply for ply in plies if isinstance(ply, Move)]
    laid = {move.tile for move in moves}
    left = HAND_SIZE - sum(move.seat is seat for move in moves)
    known = sum(shown.seat is seat and shown.tile not in laid for shown in exposed)
    is_known = command.tile in laid or any(shown.tile == command.tile for shown in exposed)
    if is_known or known >= left or (hands is not None and command.tile not in hands[seat]):
        raise Refusal(Reason.NOT_IN_A_HAND)
    return (ev.TileExposed(command.at, seat, command.tile, command.by, command.in_last_set),)


def show(state: State, command: cmd.Show) -> Events:
    """Dominoes of a hand laid open that the camera can't read: each is known to be there, and need not be seen.

    One that is known to be there already is no mistake.
    """
    seat = Seat(command.seat)
    known = {shown.tile for shown in state.exposed if shown.seat is seat}
    happened: list[ev.Event] = []
    for tile in dict.fromkeys(command.tiles):
        if tile not in known:
            step = expose(state, cmd.Expose(command.at, seat, tile, command.by))
            happened.extend(step)
            state = evolve_all(state, step)
    return tuple(happened)
