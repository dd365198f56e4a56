"""The simulated players: they keep to the rules, and a false pass is certain to come to light."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.demo.mishaps import Mishap, MishapPlan
from controller.demo.players import (
    Move,
    Player,
    Players,
    deal,
    false_pass_will_show,
    laid,
    may_ask_for_redeal,
    overrun_s,
    think_s,
    with_player,
)
from controller.game.line import Line
from controller.game.tiles import ALL_TILES, End, Seat, Suit, Tile

seeds = st.integers(0, 10**6)


def played(players: Players, line: Line, turn: Seat) -> Iterator[tuple[Seat, Move | None, Line, Players]]:
    """The set played out: seat, its move (None is a pass), the line before it, the players after it."""
    while all(player.hand for player in players) and not line.is_locked:
        moves = players[turn].moves(line)
        if moves:
            players = with_player(players, players[turn].without(moves[0].tile))
        yield turn, moves[0] if moves else None, line, players
        if moves:
            line = laid(line, moves[0], turn)
        turn = turn.next


@given(seed=seeds)
def test_deal_gives_all_dominoes_and_no_claim_to_a_redeal(seed: int) -> None:
    """Seven each, every domino once, and nobody may ask for another deal."""
    players = deal(random.Random(seed))
    assert Counter(tile for player in players for tile in player.hand) == Counter(ALL_TILES)
    assert [len(player.hand) for player in players] == [7, 7, 7, 7]
    assert not any(may_ask_for_redeal(player.hand) for player in players)


@pytest.mark.parametrize(
    ("hand", "may"),
    [
        ("0-0 1-1 2-2 3-3 4-4 0-1 0-2", True),
        ("0-0 1-1 2-2 3-3 4-5 5-6 3-6", False),
        ("6-0 6-1 6-2 6-3 6-4 6-6 0-1", True),
        ("6-0 6-1 6-2 6-3 6-4 5-5 0-1", False),
    ],
)
def test_redeal_counts_doubles_and_dominoes_of_a_suit(hand: str, may: bool) -> None:
    """Five doubles or six dominoes of one suit, a double counting once (C2.2)."""
    tiles = [Tile.of(*map(int, text.split("-"))) for text in hand.split()]
    assert may_ask_for_redeal(tiles) is may


@given(seed=seeds)
def test_player_never_moves_or_passes_against_the_rules(seed: int) -> None:
    """Every move joins equal suits with a domino of the hand; a pass only where nothing in the hand fits."""
    for seat, move, line, players in played(deal(random.Random(seed)), Line(), Seat.S1):
        if move is None:
            assert not any(line.is_fitting(tile) for tile in players[seat].hand)
        else:
            assert line.open_suit(move.end) in (None, move.inner)
            assert (move.end is End.FIRST) == (not line.placed)
            assert move.tile not in line.tiles


@given(seed=seeds)
def test_moves_are_all_that_fit(seed: int) -> None:
    """Nothing that fits is left out, at either end."""
    for seat, _, line, players in played(deal(random.Random(seed)), Line(), Seat.S0):
        offered = {(move.tile, move.end) for move in players[seat].moves(line)}
        fitting = {
            (tile, end)
            for tile in players[seat].hand
            for end in (End.L, End.R)
            if line.placed and tile.carries(line.open_suit(end) or Suit(0))
        }
        assert offered == fitting or not line.placed


@given(seed=seeds)
def test_wrong_moves_fit_at_neither_end(seed: int) -> None:
    """A wrong domino is wrong wherever one looks, and is never somebody's last."""
    for seat, _, line, players in played(deal(random.Random(seed)), Line(), Seat.S2):
        player = players[seat]
        for move in player.wrong_moves(line):
            assert not line.is_fitting(move.tile)
            assert move.tile in player.hand
            assert len(player.hand) > 1


def test_false_pass_is_always_proven_by_a_later_move() -> None:
    """Where a false pass is judged certain to show, the same seat later lays a domino that fitted then."""
    proven = 0
    for seed in range(150):
        players, line = deal(random.Random(seed)), Line()
        for seat, move, before, after in played(players, line, Seat.S0):
            if before.placed and move is not None and false_pass_will_show(players, before, seat):
                suits = before.ends or ()
                liar = players[seat].passing_falsely(before)
                later = played(with_player(players, liar), before, seat.next)
                assert any(
                    s is seat and m is not None and any(m.tile.carries(suit) for suit in suits) for s, m, _, _ in later
                )
                proven += 1
                break
            players = after
    assert proven > 100


def test_player_who_owes_a_domino_lays_it_first() -> None:
    """What fitted at the false pass is laid before what he likes better."""
    hand = frozenset({Tile.of(6, 4), Tile.of(6, 2)})
    line = Line().with_tile(Suit(1), Suit(6), End.FIRST, Seat.S0)
    player = Player(Seat.S1, hand, (Tile.of(6, 2), Tile.of(6, 4)))
    assert player.moves(line)[0].tile == Tile.of(6, 2)
    owing = Player(Seat.S1, hand, player.taste, owed=frozenset({Tile.of(6, 4)}))
    assert owing.moves(line)[0].tile == Tile.of(6, 4)


def test_thinking_stays_inside_the_clock_and_overrunning_outside() -> None:
    """Ordinary thinking never reaches 15 s; forgetting the clock always passes it."""
    rng = random.Random(1)
    assert all(think_s(rng, hurried=hurried) < 14 for hurried in (True, False) for _ in range(200))
    assert all(overrun_s(rng) > 15 for _ in range(200))


def test_plan_without_mishaps_knows_overruns_only() -> None:
    """Without mishaps nothing is planned and only the clock is overrun."""
    plan = MishapPlan(random.Random(1), mishaps=False)
    drawn = {plan.draw(1, turn, set(Mishap)) for turn in range(400)}
    assert plan.pending == frozenset()
    assert drawn == {None, Mishap.OVERRUN}


def test_mishap_that_is_impossible_stays_due() -> None:
    """What could not happen in its set is drawn in a later one, once."""
    plan = MishapPlan(random.Random(1), mishaps=True)
    for turn in range(30):
        assert plan.draw(1, turn, {Mishap.OVERRUN}) in (None, Mishap.OVERRUN)
    assert Mishap.WRONG_DOMINO in plan.pending
    assert plan.draw(2, 0, {Mishap.WRONG_DOMINO}) is Mishap.WRONG_DOMINO
    assert Mishap.WRONG_DOMINO not in plan.pending
    plan.again(Mishap.WRONG_DOMINO, 2)
    assert plan.draw(2, 20, {Mishap.WRONG_DOMINO}) is None
    assert plan.draw(3, 20, {Mishap.WRONG_DOMINO}) is Mishap.WRONG_DOMINO
