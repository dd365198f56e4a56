"""Cases of what surrounds a set: seats, leads, games, warnings and what they cost, offences of both pairs."""

from __future__ import annotations

from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.events import Winner
from controller.game.evolve import evolve_all
from controller.game.ledger import readmission as entry_fee
from controller.game.line import pair_spots
from controller.game.penalties import EXPELLED_AT
from controller.game.playout import Played
from controller.game.rulesets import Params, Redeal, Scoring
from controller.game.state import Phase, State
from controller.game.tiles import ALL_TILES, End, Pair, Seat, Suit
from tests.controller import case_context as given_
from tests.controller.case_context import (
    NOW,
    PLAYERS,
    Wanted,
    params_for,
    play_to,
    reason_of,
    set_begun,
    told,
    wanted_of,
)
from tests.controller.case_sets import halves_of

Case = dict[str, Any]


def seat_draw(case: Case) -> dict[str, Any]:
    """The draw put to the core: who sits where, or why it cannot be."""
    given = case["given"]
    pairs = (tuple(given["pairs"]["A"]), tuple(given["pairs"]["B"]))
    names = [*pairs[0], *pairs[1]]
    drawn = tuple(halves_of(given["draw"][name]) for name in names) if "draw" in given else None
    lots = (given["lots"]["A"], given["lots"]["B"]) if "lots" in given else None
    command = cmd.DrawSeats(NOW, pairs, params_for(case), drawn, lots)  # type: ignore[arg-type]
    (event,) = decide(State(), command)
    if isinstance(event, ev.Refused):
        return {"illegal": event.reason.value}
    state = evolve_all(State(), (event,))
    state = told(state, cmd.StartGame(NOW, None, Seat.S3, params_for(case)))
    assert state.lead is not None
    return {"player1": state.names[0], "seats": list(state.names), "first_lead": int(state.lead)}


def lead(case: Case) -> dict[str, Any]:
    """Sets that were played, restarted, replayed or redealt: who led each, and who leads next."""
    given = case["given"]
    more = {} if case["ruleset"] == "fours" else {"redeal": Redeal.DOUBLES5_OR_SUIT6}
    state = given_.game(params_for(case, sets_in_game=400, **more), lead=Seat(given["first"]))
    leads = []
    for word in given["log"]:
        state = set_begun(state)
        assert state.lead is not None
        leads.append(int(state.lead))
        state = _end_set(state, word)
    return {"leads": leads, "next_lead": None if state.lead is None else int(state.lead)}


def _end_set(state: State, word: str) -> State:
    """The set in progress ends as the log of a case says."""
    if word == "set":
        return play_to(state, Wanted("out"), _plain_spots)
    if word == "redeal":
        hand = tuple(sorted(tile for tile in ALL_TILES if tile.is_double))
        return told(state, cmd.ClaimRedeal(NOW, Seat.S2, hand))
    assert word in ("restart", "replay")
    return told(state, cmd.RestartSet(NOW, word, is_chief=True))


def _plain_spots(played: Played) -> tuple[int, int]:
    return pair_spots(played.hands, lone_blank=0)


def game(case: Case) -> dict[str, Any]:
    """Sets played to the points of the case; how the game stands then."""
    given = case["given"]
    more = {name: given[name] for name in ("sets_in_game", "pair_tournament") if name in given}
    try:
        params = params_for(case, **more)
    except ValueError:
        return {"illegal": "sets_in_game"}
    state = given_.game(params)
    for points in given["sets"]:
        state = play_to(set_begun(state), _ended_with(points, params), _plain_spots)
    is_extra_due = state.phase is Phase.BETWEEN and len(state.results) >= params.sets_in_game
    return {
        "score": list(state.points),
        "winner": None if state.winner is None else state.winner.value,
        "needs_extra_set": is_extra_due,
    }


def _ended_with(points: list[float], params: Params) -> Wanted:
    """The end of a set that gives these points: by the Russian text they are the spots of the losers."""
    if points[0] == points[1]:
        return Wanted("deadlock", "draw")
    is_a = points[0] > points[1]
    left = int(max(points)) if params.scoring is Scoring.SPOTS else None
    return Wanted("out", "A" if is_a else "B", (None, left) if is_a else (left, None))


def ladder(case: Case) -> dict[str, Any]:
    """Warnings given in a set, and what the set and the game come to."""
    given = case["given"]
    is_fours = case["ruleset"] == "fours"
    more = {"sets_in_game": given["sets_in_game"]} if "sets_in_game" in given else {}
    in_game = given.get("warn_game", (0, 0))
    in_all = given.get("warn_comp", in_game)
    state = given_.game(params_for(case, **more), earlier=(in_all[0] - in_game[0], in_all[1] - in_game[1]))
    state = given_.with_warnings(state, in_game)
    state = given_.with_score(state, given.get("set_no", 1) - 1, given.get("score", (0, 0)))
    sets = len(state.results)
    state = set_begun(state)
    heard: list[ev.Event] = []
    for warning in given["warnings"]:
        happened = decide(state, cmd.Warn(NOW, warning["seat"], reason_of(warning)))
        heard.extend(happened)
        state = evolve_all(state, happened)
    if given.get("outcome") is not None and state.phase is Phase.PLAY:
        state = _outcome(state, given["outcome"])
    result = state.results[sets] if len(state.results) > sets else None
    ended = next((event for event in heard if isinstance(event, ev.GameEnded)), None)
    by = result.by if result is not None else ended.by if ended is not None else None
    warned_of = [state.competition_warnings_of(pair) for pair in Pair]
    rung = EXPELLED_AT[state.params.ladder]
    out = state.ledger.expelled(state.competition, rung)
    gone = [pair.value for pair in Pair if set(PLAYERS[pair]) in [set(players) for players in out]]
    assert gone == [pair.value for pair in state.expelled]
    points = None if result is None else list(result.points)
    is_over = state.phase is Phase.GAME_OVER
    return {
        "set": {"points": points, "by": None if by is None else by.value.removeprefix("awarded:")},
        "points": points,
        "by": None if by is None else by.value.removeprefix("awarded:") if is_fours else by.value,
        "score_after": [sum(r.points[0] for r in state.results), sum(r.points[1] for r in state.results)],
        "warn_game": [state.warnings_of(pair) for pair in Pair],
        "warn_comp": warned_of,
        "game": {
            "over": is_over,
            "winner": state.winner.value if state.winner is not None else None,
            "score": list(state.points) if is_over else None,
        },
        "expelled": gone,
        "removed": gone,
    }


def _outcome(state: State, outcome: dict[str, Any]) -> State:
    """The set played to the end that the case gives it."""
    if outcome["by"] == "awarded:wrong_pass":
        return given_.pass_wrongly(state, Pair(outcome["loser"]))
    if outcome["by"] == "awarded:wrong_domino":
        return given_.lay_wrongly(state, Pair(outcome["loser"]))
    value = state.params.lone_blank_value if state.params.scoring is Scoring.SPOTS else 0
    return play_to(state, wanted_of(outcome), lambda played: pair_spots(played.hands, lone_blank=value))


def readmission(case: Case) -> dict[str, Any]:
    """What it costs to play the next tournament."""
    given = case["given"]
    rule = params_for(case).benefit_penalty
    cost = entry_fee(is_expelled=given["expelled"], fee=given["fee"], has_benefits=given["benefits"], rule=rule)
    return {"may_enter_next_free": cost.is_free, "penalty": cost.penalty, "total": cost.total}


def interplay(case: Case) -> dict[str, Any]:
    """Offences of both pairs in one set, in the order they are found; the referee rules on what is still open then."""
    params = params_for(case, lock_detection="four_passes", adjudication="referee")
    state = _long_set(set_begun(given_.game(params)))
    for offence in sorted(case["given"]["offences"], key=lambda offence: (offence["found"], offence["event"])):
        state = _found(state, offence) if state.phase is Phase.PLAY else state
    while state.phase is Phase.PLAY and (waiting := [f for f in state.open_findings if state.may_cost_the_set(f)]):
        is_pass = waiting[0].kind is ev.FindingKind.WRONG_PASS
        decision = Decision.CONFIRM if is_pass else Decision.LOST
        state = told(state, cmd.Rule(NOW, waiting[0].number, decision))
    result = state.results[0] if state.results else None
    winner = state.winner if result is None else result.winner
    return {
        "loser": {Winner.A: "B", Winner.B: "A"}.get(winner) if winner is not None else None,
        "points": None if result is None else list(result.points),
        "by": None if result is None else result.by.value,
    }


def _long_set(state: State) -> State:
    """A set with many acts in it: one domino, and passes that nobody has judged yet."""
    events: list[ev.Event] = [ev.DominoLaid(NOW, Seat.S0, Suit(6), Suit(6), End.FIRST, True, 1.0)]
    seat = Seat.S0.next
    for _ in range(40):
        events.append(ev.Passed(NOW, seat))
        seat = seat.next
    return evolve_all(state, events)


def _found(state: State, offence: dict[str, Any]) -> State:
    """An offence comes to light: a finding, or the warning that costs the set."""
    seat = Seat(Pair(offence["pair"]).index)
    if offence["kind"].endswith("_warning"):
        before = {"second_warning": 1, "third_warning": 2, "fourth_warning": 3}[offence["kind"]]
        state = given_.with_warnings(state, (before, 0) if seat is Seat.S0 else (0, before))
        return told(state, cmd.Warn(NOW, seat, "talk"))
    kind = ev.FindingKind(offence["kind"])
    raised = ev.FindingRaised(NOW, state.next_finding, kind, seat, offence["event"], "", "", seat.pair)
    return evolve_all(state, (raised,))
