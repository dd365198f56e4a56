"""What the chief referee has played again: the set in progress, the set registered last, or the whole game (R10.5)."""

from __future__ import annotations

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import Ending, Reason
from controller.game.penalties import is_expelled
from controller.game.rulings import Events, Refusal
from controller.game.state import Phase, State
from controller.game.tiles import Pair

BY_WARNING = (Ending.SECOND_WARNING, Ending.FOURTH_WARNING, Ending.REMOVED)
"""A set that a warning has decided is not played again: the warning stays."""
WARNED = "a warning has decided it: that stays, or is taken back with undo"


def replay(state: State, command: cmd.Replay) -> Events:
    """The chief referee's word alone: who may give it is known at the door."""
    if state.ended_by is not None:
        raise Refusal(Reason.CANNOT_REPLAY, WARNED)
    if command.game is not None:
        return _game_again(state, command, command.game)
    if state.phase in (Phase.PLAY, Phase.COUNT):
        if command.set_no not in (None, state.set_no):
            raise Refusal(Reason.CANNOT_REPLAY, f"set {state.set_no} is in progress: it must be over first")
        return (_annulled(command, None),)
    if command.set_no is None:
        raise Refusal(Reason.NO_SET, _how_to_name(state))
    _check_registered(state, command.set_no)
    return (_annulled(command, command.set_no),)


def _annulled(command: cmd.Replay, set_no: int | None) -> ev.SetAnnulled:
    return ev.SetAnnulled(
        command.at, by_referee=True, reason=command.reason, by=command.by, is_chief=True, set_no=set_no
    )


def _how_to_name(state: State) -> str:
    if not state.results:
        return ""
    return f"no set is in progress: to have the set registered last played again name it, {len(state.results)}"


def _check_registered(state: State, set_no: int) -> None:
    """Only the last one: what was played after it rests on it."""
    if not state.results or set_no != len(state.results):
        last = f"the last is set {len(state.results)}" if state.results else "none is registered yet"
        raise Refusal(Reason.CANNOT_REPLAY, f"of those registered only the last set can be played again: {last}")
    if state.results[-1].by in BY_WARNING:
        raise Refusal(Reason.CANNOT_REPLAY, WARNED)


def _game_again(state: State, command: cmd.Replay, game: str) -> Events:
    """A game of its own between the same players: warnings count on in the competition, the old result does not."""
    for pair in Pair:
        if is_expelled(state, pair):
            raise Refusal(Reason.EXPELLED, " and ".join(state.players_of(pair)))
    if state.competition and (not game or state.ledger.knows(game) or game == state.game):
        raise Refusal(Reason.GAME_KNOWN, repr(game))
    return (
        ev.GameStarted(
            command.at,
            state.names,
            state.first_lead,
            state.params,
            state.competition,
            game,
            again=True,
            reason=command.reason,
            by=command.by,
        ),
    )
