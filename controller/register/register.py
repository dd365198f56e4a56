"""The score register as text a club can file: every set with its end, spots and points, from the state alone."""

from __future__ import annotations

from collections.abc import Iterator

from controller.game.events import Ending
from controller.game.state import State
from controller.game.tiles import Pair, Seat

ENDINGS: dict[Ending, str] = {
    Ending.OUT: "went out",
    Ending.DEADLOCK: "deadlock",
    Ending.WRONG_PASS: "wrong pass (C6.1)",
    Ending.WRONG_DOMINO: "wrong domino (C7.2)",
    Ending.SECOND_WARNING: "second warning (C8.2)",
    Ending.THIRD_WARNING: "third warning (C8.3)",
}


def register_text(state: State) -> str:
    """The register of the game, a line a set; points are [A : B] with a running total."""
    return "\n".join(_lines(state))


def _lines(state: State) -> Iterator[str]:
    names = state.names
    yield f"Pair A: {names[0]} and {names[2]}    Pair B: {names[1]} and {names[3]}"
    params = state.params
    rules = f"{params.rule_set} version {params.version}"
    yield f"Rules: {rules}, {params.sets_in_game} sets, {params.think_seconds:g} s a move"
    yield f"{'set':>3}  {'lead':<12} {'moves':>5} {'passes':>6}  {'ending':<22} {'spots':>9} {'points':>9} {'total':>9}"
    total = (0.0, 0.0)
    for result in state.results:
        total = (total[0] + result.points[0], total[1] + result.points[1])
        spots = _pair(result.spots) if result.spots else "-"
        number = f"{result.set_no:>3}{'+' if result.set_no > params.sets_in_game else ' '}"
        yield (
            f"{number} {names[result.lead]:<12} {result.moves:>5} {result.passes:>6}  "
            f"{ENDINGS[result.by]:<22} {spots:>9} {_pair(result.points):>9} {_pair(total):>9}"
        )
    for warning in state.warnings:
        pair = warning.seat.pair.value
        yield f"Warning in set {warning.set_no}: pair {pair}, {names[Seat(warning.seat)]}, for {warning.reason}"
    if state.winner is not None:
        yield f"Result {_pair(state.points)}: {_winner(state)}"


def _winner(state: State) -> str:
    assert state.winner is not None
    if state.winner.value not in {pair.value for pair in Pair}:
        return "a draw"
    first, second = (0, 2) if state.winner.value == Pair.A.value else (1, 3)
    return f"pair {state.winner.value}, {state.names[first]} and {state.names[second]}, wins"


def _pair(values: tuple[float, float]) -> str:
    return " : ".join("½" if v == 0.5 else f"{v:g}".replace(".5", "½") for v in values)
