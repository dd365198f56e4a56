"""The score register as the club files it: every set, its end, spots, points and the running total."""

from __future__ import annotations

import random

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.evolve import evolve
from controller.game.register import register_text
from controller.game.rulesets import Params
from controller.game.state import Phase
from controller.game.tiles import Seat
from tests.controller.games import LEVEL_DEAL, LOCKING_DEAL, LOCKING_MOVES, Table, at_the_table


def test_register_has_a_line_for_every_way_a_set_can_end() -> None:
    """A counted deadlock, a shared one and a set lost by a wrong pass, with the points as the club writes them."""
    table = at_the_table(moves=10)
    table.count()
    table.open_set(LEVEL_DEAL[3:] + LEVEL_DEAL[:3])
    for place, word in enumerate(LOCKING_MOVES.split()):
        table.lay(int(word[0]), int(word[1]), "R" if place else "first")
    table.count()
    table.open_set(LOCKING_DEAL)
    table.lay(1, 2, "first")
    table.skip(3)
    for inner, outer in ((2, 6), (6, 6), (6, 3), (3, 2)):
        table.lay(inner, outer, "R")
    table.rule(Decision.CONFIRM)
    lines = [" ".join(line.split()) for line in register_text(table.state).splitlines()]
    assert lines == [
        "Pair A: Ann and Cleo Pair B: Bob and Dan",
        "Rules: fours version 1, 4 sets, 15 s a move",
        "set lead moves passes ending spots points total",
        "1 Ann 10 0 deadlock 25 : 65 1 : 0 1 : 0",
        "2 Bob 10 0 deadlock 45 : 45 ½ : ½ 1½ : ½",
        "3 Cleo 5 1 wrong pass (C6.1) - 1 : 0 2½ : ½",
    ]


def test_register_names_warnings_and_the_winner() -> None:
    """Warnings stand with pair, seat and reason, and the last line is the result."""
    table = Table(random.Random(2))
    table.open_game(Params(pair_tournament=False))
    table.open_set()
    table.state = evolve(table.state, ev.WarningGiven(table.now, Seat.S3, "talk"))
    table.play_to_count()
    table.count()
    while table.state.phase is not Phase.GAME_OVER:
        table.play_set()
    *_, warning, result = register_text(table.state).splitlines()
    assert warning == "Warning in set 1: pair B, Dan, for talk"
    a, b = table.state.points
    ends = {True: "pair A, Ann and Cleo, wins", False: "pair B, Bob and Dan, wins"}
    assert result.endswith("a draw" if a == b else ends[a > b])


def test_extra_sets_are_marked() -> None:
    """Sets beyond the agreed number carry a plus."""
    for seed in range(50):
        table = Table(random.Random(seed))
        table.open_game()
        while table.state.phase is not Phase.GAME_OVER:
            table.play_set()
        if len(table.state.results) > 4:
            break
    text = register_text(table.state)
    assert "  5+ " in text
    assert "  4+ " not in text


def test_register_of_a_table_without_a_game_is_only_its_head() -> None:
    """Before the first set there is nothing to file but who plays by which rules."""
    table = Table()
    table.open_game()
    assert len(register_text(table.state).splitlines()) == 3
