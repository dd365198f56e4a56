"""What is made of a table at rest: moves, whose they are, the hands of a count, the line taken over as it lies.

What lies there `sight.py` and `showing.py` say; here it becomes events of the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.claims import see_claim
from controller.game.commands import Decision
from controller.game.events import Reason
from controller.game.evolve import evolve, evolve_all
from controller.game.follow import follow
from controller.game.playing import laid, skip
from controller.game.proof import contradiction
from controller.game.refereeing import unshown
from controller.game.remembered import DISTURBED
from controller.game.rulesets import OutOfTurn
from controller.game.rulings import Events, Refusal, lost, raised
from controller.game.seen import Disagreement, Stills
from controller.game.showing import OpenHands, hands_awaited, read_hands
from controller.game.sight import ARM_SURE, WORD_ENDS, Lay, as_it_lies, reconcile
from controller.game.state import Finding, Halt, Move, Phase, State
from controller.game.tiles import MonoNs, Seat, Tile


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
        vouched=state.vouched,
        can_be=partial(_can_be_laid, state, command.passed),
    )
    if isinstance(view, Disagreement):
        return lost(state, command.at, view)
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    back = tuple(ev.TakenBack(command.at, tile) for tile in view.taken_back)
    return (*found, *back, *_lays_seen(evolve_all(state, (*found, *back)), command, view.lays))


def _can_be_laid(state: State, passed: Sequence[Seat], lays: Sequence[Lay]) -> bool:
    """Whether the seats on turn can have laid these in this order, by all that is known of their hands."""
    seat, plies, waiting = state.turn, state.plies, set(passed)
    assert seat is not None, "somebody is on turn while a set is played"
    for lay in lays:
        tile = Tile.of(lay.inner, lay.outer)
        if any(shown.tile == tile and shown.seat is not seat for shown in state.exposed):
            return False
        plies = (*plies, Move(seat, lay.inner, lay.outer, lay.end, is_fitting=True))
        seat = seat.next
        while seat in waiting:
            waiting.remove(seat)
            seat = seat.next
    has_gone_out = any(replace(state, plies=plies[:-1]).tiles_left(each) == 0 for each in Seat)
    return not has_gone_out and contradiction(plies, state.exposed, None, excused=state.excused) is None


def _lays_seen(state: State, command: cmd.See, lays: Sequence[Lay]) -> Events:
    """The moves one behind the other, as long as the set goes on; each was made when the table came to rest.

    The arm that was over the table last is that of the last move.
    """
    rest_at = command.at if command.rest_at is None else command.rest_at
    if len(lays) == 1 and (found := _by_another(state, command, lays[0], rest_at)):
        return found
    happened: list[ev.Event] = []
    waiting = set(command.passed)  # each has passed once
    for place, seen in enumerate(lays, start=1):
        if state.phase is not Phase.PLAY:
            break
        while place > 1 and state.turn in waiting:
            if state.halts:
                return tuple(happened)  # what was laid after that is seen again when the set goes on
            waiting.remove(state.turn)
            passing = skip(state, cmd.Pass(rest_at, state.turn))
            happened.extend(passing)
            state = evolve_all(state, passing)
        laying = cmd.LayDomino(rest_at, seen.inner, seen.outer, seen.end, _stands_for(state, seen), seen.confidence)
        step = laid(state, laying, raw=seen.raw, arm=command.arm if place == len(lays) else None)
        state = evolve_all(state, step)
        added = follow(state, command.at)
        state = evolve_all(state, added)
        happened += (*step, *added)
    return tuple(happened)


def adopt(state: State, command: cmd.AdoptLine) -> Events:
    """The line as it lies, on the referee's word: moves in turn, whose and in what order nobody has seen (4.14).

    His word stands for what he was told is wrong as well, and for that alone.
    """
    if state.claim is not None:
        raise Refusal(Reason.HALTED)
    if command.first is not None and not all(0 <= half <= 6 for half in command.first):
        raise Refusal(Reason.NO_SUCH_TILE)
    if command.sighting is None:
        raise Refusal(Reason.CANNOT_ADOPT, "nothing has been seen of the table: wait for the camera")
    if state.sync is not None and state.sync.code == DISTURBED:
        raise Refusal(Reason.CANNOT_ADOPT, state.sync.text)
    first = None if command.first is None else Tile.of(*command.first)
    word = {(sync.code, sync.tile) for sync in (state.sync,) if sync is not None and sync.code in WORD_ENDS}
    lays = as_it_lies(state.line, command.sighting, first, before=command.before, vouched=state.vouched | word)
    if isinstance(lays, Disagreement):
        raise Refusal(Reason.CANNOT_ADOPT, lays.text)
    if not lays and state.sync is None:
        raise Refusal(Reason.CANNOT_ADOPT, "nothing lies there that the line does not have already")
    happened: list[ev.Event] = []
    if state.sync is not None:
        happened.append(ev.SyncFound(command.at, is_vouched=bool(word)))
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
    unplayed, left = state.line.unplayed, [state.tiles_left(seat) for seat in Seat]
    told, partner = state.exposed, unshown(state)
    view = read_hands(unplayed, left, command.sighting, told=told, unshown=partner, name_of=state.name_of)
    if state.shown is not None and not isinstance(view, OpenHands):
        return ()
    awaited = _awaited(state, command, hands_awaited(unplayed, left, command.sighting, told=told, unshown=partner))
    if view is None:
        return awaited
    if isinstance(view, Disagreement):
        return (*awaited, *lost(state, command.at, view))
    found = (ev.SyncFound(command.at),) if state.sync is not None else ()
    return (*found, ev.HandsShown(command.at, view.hands, view.raw)) if view.hands != state.shown else found


def _awaited(state: State, command: cmd.See, dominoes: tuple[int, int, int, int]) -> Events:
    """Who has yet to lay his hand open, told where somebody else has begun, and where that has changed."""
    has_begun = any(command.sighting.hands(state.line.tiles))
    known = (0, 0, 0, 0) if state.awaited is None else state.awaited.dominoes
    now = dominoes if has_begun else (0, 0, 0, 0)
    if now == known:
        return ()
    of = [f"{count} of {state.name_of(seat)}" for seat, count in zip(Seat, now, strict=True) if count]
    text = f"Dominoes are still to be laid open: {', '.join(of)}." if of else ""
    return (ev.HandsAwaited(command.at, now, text),)
