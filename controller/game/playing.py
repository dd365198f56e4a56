"""What players and camera do: laying, passing, a table at rest, time going by; nothing the referee says is here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.claims import see_claim
from controller.game.clocks import NS_PER_MS, NS_PER_S
from controller.game.commands import Decision
from controller.game.events import Reason
from controller.game.evolve import evolve, evolve_all
from controller.game.follow import follow
from controller.game.proof import contradiction
from controller.game.refereeing import unshown
from controller.game.rulesets import OutOfTurn
from controller.game.rulings import Events, Refusal, lost, raised
from controller.game.seen import Arm, Disagreement, Stills
from controller.game.showing import read_hands
from controller.game.sight import ARM_SURE, Lay, as_it_lies, reconcile
from controller.game.state import Finding, Halt, Move, Phase, Skip, State
from controller.game.tiles import End, MonoNs, Seat, Suit, Tile


def lay(state: State, command: cmd.LayDomino) -> Events:
    """A domino is laid, as somebody says."""
    if state.claim is not None:
        raise Refusal(Reason.HALTED)
    return _laid(state, command, raw=None)


def _laid(state: State, command: cmd.LayDomino, *, raw: tuple[int, int] | None, arm: Arm | None = None) -> Events:
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
    laid = ev.DominoLaid(
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
    return (*withdrawn, *_overtime(state, command.at), laid)


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


def see_between(state: State, command: cmd.See) -> Events:
    """Between sets: the table swept clean, a hand shown for a redeal, or the lead made before the set was started."""
    if state.claim is not None:
        return see_claim(state, command)
    if state.line.placed or state.take_back:
        return () if command.sighting.tiles else (ev.TableCleared(command.at),)
    is_lead = len(command.sighting.tiles) == 1 and not any(command.sighting.shown)
    if state.lead is None or not is_lead:
        return ()
    started = ev.SetStarted(command.at, state.set_no, state.lead)
    laid = see_play(evolve(state, started), command)
    return (started, *laid) if any(isinstance(event, ev.DominoLaid) for event in laid) else ()


def see_play(state: State, command: cmd.See) -> Events:
    """A table at rest during a set; while somebody has to act first, what lies is not judged."""
    if state.claim is not None:
        return see_claim(state, command)
    if state.halts & {Halt.PAUSED, Halt.RESTARTED, Halt.CAMERA, Halt.FINDING}:
        return ()
    view = reconcile(
        state.line,
        state.take_back,
        command.sighting,
        command.before,
        can_be=partial(_can_be_laid, state, command.passed),
    )
    if isinstance(view, Disagreement):
        return lost(state, command.at, view)
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    back = tuple(ev.TakenBack(command.at, tile) for tile in view.taken_back)
    return (*found, *back, *_lays_seen(evolve_all(state, (*found, *back)), command, view.lays))


def _can_be_laid(state: State, passed: Sequence[Seat], lays: Sequence[Lay]) -> bool:
    """Whether the seats on turn can have laid these in this order, by all that is known of their hands."""
    seat, plies = state.turn, state.plies
    assert seat is not None, "somebody is on turn while a set is played"
    for lay in lays:
        tile = Tile.of(lay.inner, lay.outer)
        if any(shown.tile == tile and shown.seat is not seat for shown in state.exposed):
            return False
        plies = (*plies, Move(seat, lay.inner, lay.outer, lay.end, is_fitting=True))
        seat = _after(seat, passed)
    has_gone_out = any(replace(state, plies=plies[:-1]).tiles_left(each) == 0 for each in Seat)
    return not has_gone_out and contradiction(plies, state.exposed, None, excused=state.excused) is None


def _after(seat: Seat, passed: Sequence[Seat]) -> Seat:
    """Who moves after `seat` when these have passed."""
    after = seat.next
    while after in passed and after is not seat:
        after = after.next
    return after


def _lays_seen(state: State, command: cmd.See, lays: Sequence[Lay]) -> Events:
    """The moves one behind the other, as long as the set goes on; each was made when the table came to rest.

    The arm that was over the table last is that of the last move.
    """
    rest_at = command.at if command.rest_at is None else command.rest_at
    if len(lays) == 1 and (found := _by_another(state, command, lays[0], rest_at)):
        return found
    happened: list[ev.Event] = []
    for place, seen in enumerate(lays, start=1):
        if state.phase is not Phase.PLAY:
            break
        while place > 1 and state.turn in command.passed:
            if state.halts:
                return tuple(happened)  # what was laid after that is seen again when the set goes on
            passing = skip(state, cmd.Pass(rest_at, state.turn))
            happened.extend(passing)
            state = evolve_all(state, passing)
        laying = cmd.LayDomino(rest_at, seen.inner, seen.outer, seen.end, _stands_for(state, seen), seen.confidence)
        step = _laid(state, laying, raw=seen.raw, arm=command.arm if place == len(lays) else None)
        step = (*step, *follow(evolve_all(state, step), command.at))
        happened.extend(step)
        state = evolve_all(state, step)
    return tuple(happened)


def adopt(state: State, command: cmd.AdoptLine) -> Events:
    """The line as it lies, on the referee's word: moves in turn, whose and in what order nobody has seen (4.14)."""
    if state.claim is not None:
        raise Refusal(Reason.HALTED)
    if command.first is not None and not all(0 <= half <= 6 for half in command.first):
        raise Refusal(Reason.NO_SUCH_TILE)
    if command.sighting is None:
        raise Refusal(Reason.CANNOT_ADOPT, "nothing has been seen of the table: wait for the camera")
    lays = as_it_lies(state.line, command.sighting, None if command.first is None else Tile.of(*command.first))
    if isinstance(lays, Disagreement):
        raise Refusal(Reason.CANNOT_ADOPT, lays.text)
    happened: list[ev.Event] = [ev.SyncFound(command.at)] if state.sync is not None and lays else []
    seat, line = state.turn, state.line
    assert seat is not None, "somebody is on turn while a set is played"
    for place, seen in enumerate(lays):
        if place // len(Seat) >= state.tiles_left(seat):
            text = f"so many moves {state.name_of(seat)} cannot have made: enter them one by one"
            raise Refusal(Reason.CANNOT_ADOPT, text)
        is_fitting = line.open_suit(seen.end) in (None, seen.inner)
        line = line.with_tile(seen.inner, seen.outer, seen.end, seat)
        happened.append(
            ev.DominoLaid(
                command.at,
                seat,
                seen.inner,
                seen.outer,
                seen.end,
                is_fitting,
                seen.confidence,
                seen.raw,
                adopted=place,
            )
        )
        seat = seat.next
    return tuple(happened)


def _by_another(state: State, command: cmd.See, seen: Lay, rest_at: MonoNs) -> Events:
    """The arm that laid this came from another side than the seat's on turn: the referee is asked whose it was.

    By itself that overrides nobody's turn (11.7). What he has let pass is not asked again.
    """
    arm, turn = command.arm, state.turn
    assert turn is not None, "somebody is on turn while a set is played"
    if arm is None or arm.confidence < ARM_SURE or arm.seat is turn:
        return ()
    is_stands = state.params.out_of_turn is OutOfTurn.STANDS
    if any(is_stands or f.decision is not Decision.CONFIRM for f in _out_of_turn(state, seen)):
        return ()
    who, due = state.name_of(arm.seat), state.name_of(turn)
    text = (
        f"{Tile.of(seen.inner, seen.outer)} was laid by an arm from {who}'s side though it is {due}'s turn: look at "
        f"both pictures. If {due} passed by word, enter that; if it was {due}'s domino, dismiss this."
    )
    found = raised(state, command.at, ev.FindingKind.OUT_OF_TURN, arm.seat, len(state.plies), text)
    lay = (seen.inner, seen.outer, seen.end)
    return (replace(found, lay=lay, stills=command.stills or Stills(None, rest_at)),)


def _out_of_turn(state: State, seen: Lay) -> Iterator[Finding]:
    """What has been found about this very domino, in this turn, by the side from which an arm came."""
    for finding in state.findings:
        is_here = finding.is_by_arm and finding.set_no is None and finding.ply == len(state.plies)
        if is_here and finding.lay is not None and Tile.of(*finding.lay[:2]) == Tile.of(seen.inner, seen.outer):
            yield finding


def _stands_for(state: State, seen: Lay) -> Seat | None:
    """Whose move a domino laid out of turn is, where the rules let it stand and the referee has confirmed it (11.2)."""
    if state.params.out_of_turn is not OutOfTurn.STANDS:
        return None
    return next((f.seat for f in _out_of_turn(state, seen) if f.decision is Decision.CONFIRM), None)


def see_count(state: State, command: cmd.See) -> Events:
    """The hands laid open in front of the seats; once they have been read their owners may gather them up."""
    if state.hands is not None:
        return ()
    view = read_hands(
        state.line.unplayed,
        [state.tiles_left(seat) for seat in Seat],
        command.sighting,
        told=state.exposed,
        unshown=unshown(state),
        name_of=state.name_of,
    )
    if view is None or (isinstance(view, Disagreement) and state.shown is not None):
        return ()
    if isinstance(view, Disagreement):
        return lost(state, command.at, view)
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    return (*found, ev.HandsShown(command.at, view.hands, view.raw)) if view.hands != state.shown else found


def tick(state: State, command: cmd.Tick) -> Events:
    """Time goes by: the limit may be passed."""
    return _overtime(state, command.at)


def call(state: State, command: cmd.CallReferee) -> Events:
    """A player asks for the referee."""
    return (ev.RefereeCalled(command.at, Seat(command.seat)),)
