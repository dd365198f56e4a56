"""What a set is worth and what a warning costs, by either text; who is guilty is decided elsewhere."""

from __future__ import annotations

from controller.game.events import (
    Ending,
    Event,
    GameEnded,
    PairExpelled,
    SetForfeited,
    SetRescored,
    SetScored,
    WarningGiven,
    Winner,
)
from controller.game.evolve import evolve
from controller.game.rulesets import (
    FineColumn,
    Ladder,
    Params,
    Scoring,
    ThirdWarningScore,
    Warning2Scope,
    WonLockCount,
)
from controller.game.state import State
from controller.game.tiles import MonoNs, Pair, Seat

WARNING_REASONS = ("time", "talk", "exposure", "signs")
"""For what the referee may warn (C8.1, R10)."""
FINES = {2: 10, 3: 20}
"""Points by rung for which a pair is fined (R10)."""
FLATS = {2: 20, 3: 40}
"""Points by rung that a fined pair has in a set it won, taken for a deadlock (R10)."""
LOST_BY_WARNING = 40
"""Points of a set lost by the fourth warning (R10)."""
EXPELLED_AT = {Ladder.SETS: 4, Ladder.FINES: 5}
"""The warning of the competition that expels a pair (C8.4, R10)."""


def points_for(winner: Winner) -> tuple[float, float]:
    """Points of a set of `fours`: 1 for the winner, 0 for the loser, ½ each for a draw (C5.2, C5.3)."""
    return {Winner.A: (1.0, 0.0), Winner.B: (0.0, 1.0), Winner.DRAW: (0.5, 0.5)}[winner]


def winner_of(points: tuple[float, float]) -> Winner:
    """The pair with more points."""
    if points[0] == points[1]:
        return Winner.DRAW
    return Winner.A if points[0] > points[1] else Winner.B


def lost_set(state: State, at: MonoNs, loser: Pair, by: Ending) -> SetScored:
    """The set goes to the rivals of `loser`, whatever lies (C6.1, C7.2, C8.2, R10, R11)."""
    credit = _credit_of(state, loser, by)
    points = (0.0, credit) if loser is Pair.A else (credit, 0.0)
    if state.params.fine_column is FineColumn.OWN:
        without = _credit_of(state, loser, by, is_fined=False)
        points = (without - credit, without) if loser is Pair.A else (without, without - credit)
    return SetScored(at, by, Winner(loser.rivals.value), state.spots, points)


def _credit_of(state: State, loser: Pair, by: Ending, *, is_fined: bool = True) -> float:
    """What the rivals get for a set that is awarded to them, with what drawn deadlocks have left to be won."""
    if state.params.scoring is Scoring.SETS:
        return (state.params.wrong_pass_result if by is Ending.WRONG_PASS else 1) + state.carried
    if by is not Ending.WRONG_PASS:
        return LOST_BY_WARNING + state.carried
    own = _rate(state, loser, FINES) if is_fined else 0
    return max(0, state.params.wrong_pass_result + own - _rate(state, loser.rivals, FINES)) + state.carried


def spots_points(state: State, ending: Ending, out: Pair | None, spots: tuple[int, int]) -> tuple[float, float]:
    """Points of a set of `spots` that was played to its end, the fines of this set among them (R8, R10.3).

    The totals are compared and the difference goes to the pair with fewer.
    """
    totals, own = [0, 0], [0, 0]
    for pair in Pair:
        held, rival = spots[pair.index], spots[pair.rivals.index]
        fine, flat = _rate(state, pair, FINES), _rate(state, pair, FLATS)
        if ending is Ending.OUT and pair is out:
            totals[pair.index] = flat  # 0 without a fine: the rivals' spots are all that counts
        elif ending is Ending.DEADLOCK and held < rival and fine:
            totals[pair.index] = _won_lock(state.params, held, fine, flat)
        elif state.params.fine_column is FineColumn.RIVALS:
            totals[pair.index] = held + fine
        else:
            totals[pair.index], own[pair.index] = held, fine
    credit = abs(totals[0] - totals[1]) + (state.carried if totals[0] != totals[1] else 0)
    points = (float(credit), 0.0) if totals[0] <= totals[1] else (0.0, float(credit))
    return (points[0] - own[0], points[1] - own[1])


def _won_lock(params: Params, held: int, fine: int, flat: int) -> int:
    """The spots of a fined pair that won a deadlock: never fewer than it holds, unless read literally (R10.3)."""
    if params.won_lock_count is WonLockCount.ADDITIVE:
        return held + fine
    is_literal = params.won_lock_count is WonLockCount.LITERAL
    return flat if is_literal or held <= flat else held + fine


def fine_of(state: State, pair: Pair) -> int:
    """Points for which `pair` is fined in this set (R10.2)."""
    return _rate(state, pair, FINES)


def is_expelled(state: State, pair: Pair) -> bool:
    """Whether `pair` is out of the competition, by a warning here or at another table (C8.4, R10)."""
    return pair in state.expelled or state.competition_warnings_of(pair) >= EXPELLED_AT[state.params.ladder]


def _rate(state: State, pair: Pair, rates: dict[int, int]) -> int:
    """The fine, or flat count, of `pair` in this set by its warnings of this set (R10.2)."""
    if state.params.ladder is not Ladder.FINES:
        return 0
    given = [
        rates.get(w.rung, 0)
        for w in state.warnings
        if w.counts
        and w.pair is pair
        and w.set_no == state.set_no
        and (state.params.fine_survives_replay or w.attempt == state.attempt)
    ]
    return sum(given) if state.params.fines_stack else max(given, default=0)


def warn(
    state: State, at: MonoNs, whose: Seat | Pair, reason: str, *, by: str, by_referee: bool = False, counts: bool = True
) -> tuple[Event, ...]:
    """A warning for a player, or for a pair alone, and what follows from it on the ladder of the text (C8, R10)."""
    seat, pair = (None, whose) if isinstance(whose, Pair) else (whose, None)
    given = WarningGiven(at, seat, reason, by, by_referee, counts, pair)
    if not counts:
        return (given,)
    after = evolve(state, given)
    climb = _sets_ladder if state.params.ladder is Ladder.SETS else _fines_ladder
    return (given, *climb(after, at, given.warned))


def _sets_ladder(state: State, at: MonoNs, pair: Pair) -> tuple[Event, ...]:
    """The second costs the set, the third the game, the fourth of the competition the place in it (C8.2-C8.4)."""
    in_game, in_competition = state.warnings_of(pair), state.competition_warnings_of(pair)
    if in_competition >= EXPELLED_AT[Ladder.SETS]:
        return (PairExpelled(at, pair), _lost_game(state, at, pair, Ending.FOURTH_WARNING))
    if in_game >= 3:
        return (_lost_game(state, at, pair, Ending.THIRD_WARNING),)
    set_no = state.warnings[-1].set_no
    in_set = sum(1 for w in state.warnings if w.counts and w.pair is pair and w.set_no == set_no)
    scope = {Warning2Scope.GAME: in_game, Warning2Scope.COMPETITION: in_competition, Warning2Scope.SET: in_set}
    if scope[state.params.warning2_scope] < 2:
        return ()
    return (_lost_by_warning(state, at, pair, Ending.SECOND_WARNING),)


def _fines_ladder(state: State, at: MonoNs, pair: Pair) -> tuple[Event, ...]:
    """The second and third are fined when the set is scored, the fourth loses it, the fifth ends it all (R10)."""
    rung = state.competition_warnings_of(pair)
    if rung < 4:
        return ()
    if rung < EXPELLED_AT[Ladder.FINES]:
        return (_lost_by_warning(state, at, pair, Ending.FOURTH_WARNING),)
    lost = lost_set(state, at, pair, Ending.REMOVED)
    points = (state.points[0] + lost.points[0], state.points[1] + lost.points[1])
    return (PairExpelled(at, pair), lost, GameEnded(at, Winner(pair.rivals.value), points, Ending.REMOVED))


def _lost_by_warning(state: State, at: MonoNs, pair: Pair, by: Ending) -> SetScored | SetRescored | SetForfeited:
    """The set in progress is lost; between two sets the next one, or the last (between_sets).

    What the rivals did before it decides first, once it is ruled on (section 4).
    """
    is_open = any(f.pair is pair.rivals and state.may_cost_the_set(f) for f in state.open_findings)
    if is_open or state.is_award_waiting:
        return SetForfeited(at, pair, by)
    if state.warnings[-1].set_no == state.set_no:
        return lost_set(state, at, pair, by)
    return lost_afterwards(state, at, pair, by)


def lost_afterwards(state: State, at: MonoNs, pair: Pair, by: Ending) -> SetRescored:
    """The set registered last goes to the rivals of `pair`, as it would have gone in time."""
    lost = lost_set(state.before_last_set(), at, pair, by)
    return SetRescored(at, len(state.results), by, lost.winner, lost.points)


def _lost_game(state: State, at: MonoNs, pair: Pair, by: Ending) -> GameEnded:
    """The game ends at once; sets that were not played are not played (C8.3)."""
    points = lost_game_points(state.points, pair, state.params)
    return GameEnded(at, Winner(pair.rivals.value), points, by)


def lost_game_points(points: tuple[float, float], loser: Pair, params: Params) -> tuple[float, float]:
    """Points of a game lost by a warning, as third_warning_score reads C8.3; a level score is not a lead."""
    own, rival = points[loser.index], points[loser.rivals.index]
    half = params.sets_in_game / 2
    match params.third_warning_score:
        case ThirdWarningScore.MARGIN_ONE_OF_N:
            own, rival = (half - 0.5, half + 0.5) if own > rival else (own, max(rival, half + 0.5))
        case ThirdWarningScore.RIVALS_LIFTED:
            rival = max(rival, own + 1)
        case ThirdWarningScore.OWN_CUT:
            own = min(own, rival - 1)
    return (own, rival) if loser is Pair.A else (rival, own)
