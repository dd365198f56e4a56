"""Random sets: every one is played by the rules, every way is as likely, and the numbers are those of random play."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from statistics import fmean, stdev

import pytest

from controller.game import commands as cmd
from controller.game.decide import decide
from controller.game.events import Ending
from controller.game.evolve import evolve_all
from controller.game.line import Line
from controller.game.playout import Played, play_out, plies_of, random_hands, random_set
from controller.game.rulesets import Params, fours, spots
from controller.game.state import Move, Skip, State
from controller.game.tiles import ALL_MASK, ALL_TILES, TILES, End, MonoNs, Pair, Seat, Tile, mask_of, tiles_of

NAMES = ("Ann", "Bob", "Cleo", "Dan")


def sets(count: int, *, seed: int = 1) -> list[Played]:
    """So many random sets, the seats leading in turn."""
    chance = random.Random(seed).random
    return [random_set(chance, Seat(n % 4)) for n in range(count)]


def has_shut(played: Played) -> bool:
    """Whether no domino left in a hand fits, however the set ended."""
    left = {tile for hand in played.hands for tile in tiles_of(hand)}
    return not any(tile.carries(suit) for tile in left for suit in played.ends)


def ways(line: Line, hand: set[Tile]) -> set[tuple[Tile, End]]:
    """The dominoes of a hand with the ends they fit; one way only where both ends show the same suit."""
    assert line.ends is not None
    left, right = line.ends
    at_right = set() if left == right else {(tile, End.R) for tile in hand if tile.carries(right)}
    return {(tile, End.L) for tile in hand if tile.carries(left)} | at_right


# --- by the rules ---


def test_every_move_fits_and_every_pass_is_right() -> None:
    """Replayed on a line of the table: in turn, from the hand, fitting, and nobody passes who could lay."""
    for played in sets(400):
        hands = [set(tiles_of(hand)) for hand in played.dealt]
        line, turn = Line(), played.lead
        for ply in plies_of(played):
            assert ply.seat is turn
            assert not line.is_locked
            if isinstance(ply, Move):
                assert ply.is_fitting
                assert ply.inner == (line.open_suit(ply.end) if line.placed else ply.tile.low)
                hands[turn].remove(ply.tile)
                line = line.with_tile(ply.inner, ply.outer, ply.end, turn)
            else:
                assert ply.ends == line.ends
                assert not any(line.is_fitting(tile) for tile in hands[turn])
            turn = turn.next
        assert tuple(mask_of(hand) for hand in hands) == played.hands
        assert line.ends == played.ends
        assert line.unplayed == {tile for hand in hands for tile in hand}


def test_set_ends_by_going_out_before_it_ends_by_a_deadlock() -> None:
    """The last act leaves a hand empty or shuts the line, and when it does both somebody has gone out (C0.7)."""
    both = 0
    for played in sets(400):
        empty = [seat for seat in Seat if not played.hands[seat]]
        last = list(plies_of(played))[-1]
        assert isinstance(last, Move)
        assert empty == ([] if played.out is None else [last.seat])
        assert played.out is last.seat or has_shut(played)
        assert played.ending is (Ending.OUT if empty else Ending.DEADLOCK)
        both += bool(empty) and has_shut(played)
    assert both > 0


def test_twenty_eight_dominoes_are_dealt_and_none_is_lost() -> None:
    """Seven a seat, and at the end each domino lies in the line or is left in the hand that got it."""
    for played in sets(200):
        assert [len(tiles_of(hand)) for hand in played.dealt] == [7, 7, 7, 7]
        laid = [ply.tile for ply in plies_of(played) if isinstance(ply, Move)]
        left = [tile for hand in played.hands for tile in tiles_of(hand)]
        assert sorted([*laid, *left]) == sorted(ALL_TILES)
        assert played.moves == len(laid)
        assert played.passes == sum(isinstance(ply, Skip) for ply in plies_of(played))
        assert all(left & ~dealt == 0 for left, dealt in zip(played.hands, played.dealt, strict=True))


def test_locked_line_shows_the_same_suit_at_both_ends() -> None:
    """In a correct line a suit has an even number of open halves, so a deadlock has equal ends (C0.7)."""
    locks = [played for played in sets(2000) if played.ending is Ending.DEADLOCK]
    assert locks
    assert all(played.ends[0] == played.ends[1] for played in locks)


@pytest.mark.parametrize("params", [fours(), spots()], ids=["fours", "spots"])
def test_whole_core_registers_the_same_ending_and_the_same_points(params: Params) -> None:
    """Played move by move at the table and counted, a set comes out as it was played at random (C5.2-4, R8)."""
    sample = sets(24, seed=2)
    assert {played.winner for played in sample} == {Pair.A, Pair.B, None}
    assert any(played.credit(lone_blank=10) != played.credit(lone_blank=0) for played in sample)
    for played in sample:
        state = registered(played, params)
        result = state.results[0]
        assert result.by is played.ending
        assert (result.moves, result.passes) == (played.moves, played.passes)
        if params.lone_blank_value:
            assert result.points == played.credit(lone_blank=params.lone_blank_value)
        else:
            assert result.points == {Pair.A: (1, 0), Pair.B: (0, 1), None: (0.5, 0.5)}[played.winner]


def registered(played: Played, params: Params) -> State:
    """The game after this set was played in it and its hands were counted."""
    now = MonoNs(0)
    state = State()
    acts: list[cmd.Command] = [cmd.StartGame(now, NAMES, played.lead, params), cmd.StartSet(now)]
    for ply in plies_of(played):
        if isinstance(ply, Move):
            acts.append(cmd.LayDomino(now, ply.inner, ply.outer, ply.end))
        else:
            acts.append(cmd.Pass(now, ply.seat))
    for act in (*acts, cmd.Count(now, tuple(tiles_of(hand) for hand in played.hands))):
        state = evolve_all(state, decide(state, act))
    return state


# --- by chance alone ---


def test_each_way_of_laying_is_as_likely_as_any_other() -> None:
    """At each act the chances from 0 to 1, in as many equal steps as there are ways, take each way once."""
    for played in sets(12, seed=4):
        drawn, line, hands = choices_of(played), Line(), [set(tiles_of(hand)) for hand in played.dealt]
        move = 0
        for number, ply in enumerate(plies_of(played)):
            if isinstance(ply, Skip):
                continue
            if move:
                possible = ways(line, hands[ply.seat])
                steps = [float(Fraction(2 * n + 1, 2 * len(possible))) for n in range(len(possible))]
                taken = [act_after(played, [*drawn[:move], step], number) for step in steps]
                assert set(taken) == possible
            hands[ply.seat].remove(ply.tile)
            line = line.with_tile(ply.inner, ply.outer, ply.end, ply.seat)
            move += 1


def choices_of(played: Played) -> list[float]:
    """Chances that lead to this very set, found move by move among finely spaced ones."""
    found: list[float] = []
    for number, ply in enumerate(plies_of(played)):
        if isinstance(ply, Move):
            tried = ((2 * n + 1) / 28 for n in range(14))
            wanted = (ply.tile, ply.end)
            found.append(next(chance for chance in tried if act_after(played, [*found, chance], number) == wanted))
    return found


def act_after(played: Played, chances: list[float], number: int) -> tuple[Tile, End] | None:
    """Act `number` of a set of the same hands when the moves were chosen by these chances; None for a pass."""
    ply = list(plies_of(play_out(played.dealt, played.lead, given(chances))))[number]
    return (ply.tile, ply.end) if isinstance(ply, Move) else None


def given(chances: list[float]) -> Callable[[], float]:
    """These chances one after the other, then always the first way."""
    left = iter(chances)
    return lambda: next(left, 0.0)


def test_leader_may_begin_with_any_of_his_seven_dominoes() -> None:
    """Any domino may lead, each as likely as the others (C0.4)."""
    dealt = random_hands(random.Random(5).random)
    for lead in Seat:
        led = [next(plies_of(play_out(dealt, lead, given([(2 * n + 1) / 14])))) for n in range(7)]
        assert {ply.tile for ply in led if isinstance(ply, Move)} == set(tiles_of(dealt[lead]))


def test_each_domino_comes_to_each_seat_as_often() -> None:
    """In 4,000 deals a domino comes to a seat 1,000 times, give or take what chance allows (4.5 sigma, seeded)."""
    chance, deals = random.Random(6).random, 4000
    dealt = [random_hands(chance) for _ in range(deals)]
    allowed = 4.5 * (deals * 3 / 16) ** 0.5
    for n, tile in enumerate(TILES):
        for seat in Seat:
            came = sum(hands[seat] >> n & 1 for hands in dealt)
            assert abs(came - deals / 4) < allowed, (tile, seat)
    together = sum(hands[seat] & 3 == 3 for hands in dealt for seat in Seat)
    assert abs(together - deals * 6 / 27) < 4.5 * (deals * 6 / 27 * 21 / 27) ** 0.5


def test_numbers_of_random_play_are_those_measured_over_many_sets() -> None:
    """Locks, equal spots, passes, moves, and last dominoes that also lock, each within 4 sigma of 40,000 sets."""
    played = sets(8000, seed=7)
    locks = [one for one in played if one.ending is Ending.DEADLOCK]
    outs = [one for one in played if one.ending is Ending.OUT]
    for found, of, expected in (
        (len(locks), len(played), 0.269),
        (sum(one.winner is None for one in locks), len(locks), 0.063),
        (sum(has_shut(one) for one in outs), len(outs), 0.155),
    ):
        assert abs(found / of - expected) < 4 * (expected * (1 - expected) / of) ** 0.5
    for counts, mean in (([one.passes for one in played], 3.20), ([one.moves for one in played], 22.4)):
        assert abs(fmean(counts) - mean) < 4 * stdev(counts) / len(counts) ** 0.5


@pytest.mark.parametrize(
    "dealt",
    [(127, 127 << 7, 127 << 14, 127 << 14), (255, 63 << 8, 127 << 14, 127 << 21), (ALL_MASK, 0, 0, 0)],
    ids=["a hand twice", "eight and six", "all in one hand"],
)
def test_hands_that_are_not_a_deal_are_refused(dealt: tuple[int, int, int, int]) -> None:
    """A set is played with all 28 dominoes, seven a seat (C0.1)."""
    with pytest.raises(ValueError, match="expected the 28 dominoes in four hands of seven"):
        play_out(dealt, Seat.S0, random.Random(8).random)
