"""What a finding or a warning costs: points of a set and of a game; who is guilty is decided elsewhere."""

from __future__ import annotations

from controller.game.events import Ending, Event, GameEnded, SetScored, WarningGiven, Winner
from controller.game.state import State
from controller.game.tiles import MonoNs, Pair, Seat


def lost_set(at: MonoNs, loser: Pair, by: Ending) -> SetScored:
    """The set goes to the rivals of `loser`, 1 to 0, whatever lies (C6.1, C7.2, C8.2)."""
    winner = Winner(loser.rivals.value)
    return SetScored(at, by, winner, None, points_for(winner))


def points_for(winner: Winner) -> tuple[float, float]:
    """Points of a set: 1 for the winner, 0 for the loser, ½ each for a draw (C5.2, C5.3)."""
    return {Winner.A: (1.0, 0.0), Winner.B: (0.0, 1.0), Winner.DRAW: (0.5, 0.5)}[winner]


def warn(state: State, at: MonoNs, seat: Seat, reason: str) -> tuple[Event, ...]:
    """A warning for the pair of `seat` and what follows from it: the second costs the set, the third the game (C8)."""
    given = WarningGiven(at, seat, reason)
    rung = state.warnings_of(seat.pair) + 1
    if rung == 2:
        return (given, lost_set(at, seat.pair, Ending.SECOND_WARNING))
    if rung >= 3:
        points = lost_game_points(state.points, seat.pair, state.params.sets_in_game)
        return (given, lost_set(at, seat.pair, Ending.THIRD_WARNING), GameEnded(at, winner_of(points), points))
    return (given,)


def lost_game_points(points: tuple[float, float], loser: Pair, sets: int) -> tuple[float, float]:
    """Points of a game lost by the third warning: a leader loses by one set, else the rivals are raised (C8.3)."""
    own, rival = points[loser.index], points[loser.rivals.index]
    winning = sets / 2 + 0.5
    own, rival = (sets / 2 - 0.5, winning) if own > rival else (own, max(rival, winning))
    return (own, rival) if loser is Pair.A else (rival, own)


def winner_of(points: tuple[float, float]) -> Winner:
    """The pair with more points."""
    if points[0] == points[1]:
        return Winner.DRAW
    return Winner.A if points[0] > points[1] else Winner.B
