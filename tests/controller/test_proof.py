"""Wrong passes proven from moves and shown hands: every one that can be, and never an innocent one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from controller.game.events import Ending
from controller.game.proof import Contradiction, wrong_passes
from controller.game.state import Move, Phase, Skip, State
from controller.game.tiles import Seat, Tile
from tests.controller.games import Hands, Table, at_the_table


def with_a_liar(seed: int) -> tuple[Table, int] | None:
    """A set of random play in which one seat that could have moved passed, and the place of that pass."""
    rng = random.Random(seed)
    table = Table(random.Random(seed))
    table.open_game()
    table.open_set()
    wrong_at, wrong = rng.randrange(1, 20), None
    while table.state.phase is Phase.PLAY and not table.state.open_findings:
        turn = table.state.turn
        assert turn is not None
        can = any(table.state.line.is_fitting(tile) for tile in table.hand(turn))
        if wrong is None and len(table.state.plies) >= wrong_at and can:
            wrong = len(table.state.plies)
            table.skip()
        else:
            table.play_one()
    return None if wrong is None else (table, wrong)


def proofs(state: State, hands: Hands | None = None) -> list[Contradiction]:
    """What is proven, by these hands too."""
    return list(wrong_passes(state if hands is None else replace(state, hands=hands)))


@pytest.mark.parametrize("seed", range(30))
def test_every_wrong_pass_is_proven_by_the_end_and_no_other(seed: int) -> None:
    """By a later move or at the latest by the shown hands the one wrong pass is found, with a domino that fitted."""
    made = with_a_liar(seed)
    if made is None:
        return
    table, wrong = made
    hands = tuple(table.hand(seat) for seat in Seat)
    (found,) = proofs(table.state, hands)
    skip = table.state.plies[wrong]
    assert isinstance(skip, Skip)
    assert (found.ply, found.seat) == (wrong, skip.seat)
    assert any(found.tile.carries(suit) for suit in skip.ends)
    assert found.tile in table.deal[skip.seat]
    if found.seen_in is None:
        assert found.tile in hands[found.seat]
    else:
        shown_by = table.state.plies[found.seen_in]
        assert isinstance(shown_by, Move)
        assert (shown_by.seat, shown_by.tile) == (found.seat, found.tile)
        assert found.seen_in > wrong


def test_later_move_is_the_proof_before_the_shown_hand() -> None:
    """What everybody saw on the line is said first."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.lay(1, 2, "R")
    assert proofs(table.state) == []
    hands: Hands = ((), (Tile.of(6, 0),), (), ())
    assert proofs(table.state, hands) == [Contradiction(Seat.S1, 1, Tile.of(6, 0), None)]
    table.skip(3)
    table.skip(0)
    table.lay(2, 6, "R")
    assert proofs(table.state, hands)[0] == Contradiction(Seat.S1, 1, Tile.of(6, 2), 5)


def test_domino_that_fits_only_later_proves_nothing() -> None:
    """A pass was right if nothing fitted then, whatever is laid afterwards."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.lay(1, 2, "R")
    table.lay(2, 3, "R")
    table.lay(6, 5, "L")
    table.lay(3, 4, "R")
    assert proofs(table.state) == []


def test_partners_and_rivals_dominoes_prove_nothing() -> None:
    """Only the passing seat's own dominoes speak against it."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.lay(1, 1, "R")
    table.lay(6, 6, "L")
    hands: Hands = ((Tile.of(6, 2),), (Tile.of(3, 4),), (Tile.of(1, 5),), (Tile.of(6, 5),))
    assert proofs(table.state, hands) == []


def test_each_wrong_pass_is_proven_once_in_their_order() -> None:
    """Two wrong passes of one seat are two findings, the earlier first."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.lay(1, 1, "R")
    table.skip(3)
    table.skip(0)
    table.skip(1)
    hands: Hands = ((), (Tile.of(6, 0), Tile.of(6, 2)), (), (Tile.of(1, 0),))
    assert [(found.seat, found.ply) for found in proofs(table.state, hands)] == [(1, 1), (3, 3), (1, 5)]


def test_set_ended_by_play_is_still_open_to_proof() -> None:
    """The line closed, the shown hand can turn the set."""
    table = at_the_table(moves=10)
    assert table.state.ending is Ending.DEADLOCK
    table.count()
    assert table.state.results[0].by is Ending.DEADLOCK
