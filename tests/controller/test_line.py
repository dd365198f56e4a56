"""What fits, what locks and what a closed set is worth: the law on masks beside the slow and obvious way."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.game.line import Line, Placed, fitting_mask, is_locked_mask, pair_spots, set_credit, set_winner
from controller.game.tiles import (
    ALL_MASK,
    ALL_TILES,
    CARRYING,
    DOUBLE_BLANK,
    SUITS,
    TILES,
    End,
    Pair,
    Seat,
    Suit,
    Tile,
    bit_of,
    mask_of,
    spots_of,
    tiles_of,
)

exactly = settings(deadline=None, derandomize=True)
suits = st.sampled_from(SUITS)
tile_sets = st.frozensets(st.sampled_from(TILES))


def fits(tile: Tile, left: Suit, right: Suit) -> bool:
    """The obvious way: one of the halves is one of the open suits."""
    return bool({tile.low, tile.high} & {left, right})


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Any different dominoes in a row, whichever way round, so that most joints are wrong."""
    line = Line()
    for tile in draw(st.lists(st.sampled_from(TILES), unique=True, min_size=1)):
        inner, outer = draw(st.sampled_from([(tile.low, tile.high), (tile.high, tile.low)]))
        end = draw(st.sampled_from([End.L, End.R])) if line.placed else End.FIRST
        line = line.with_tile(inner, outer, end, Seat.S0)
    return line


@st.composite
def hands_left(draw: st.DrawFn) -> tuple[frozenset[Tile], ...]:
    """Four small hands, the double blank often alone in one of them."""
    tiles = draw(st.permutations(TILES))
    cuts = sorted(draw(st.lists(st.integers(0, 12), min_size=4, max_size=4)))
    hands = [frozenset(tiles[start:stop]) for start, stop in zip([0, *cuts[:3]], cuts, strict=True)]
    alone = draw(st.none() | st.integers(0, 3))
    if alone is not None:
        hands = [hand - {Tile.of(0, 0)} for hand in hands]
        hands[alone] = frozenset({Tile.of(0, 0)})
    return tuple(hands)


# --- dominoes as masks ---


def test_twenty_eight_dominoes_stand_in_order_each_with_a_bit_of_its_own() -> None:
    """28 dominoes, 0-0 first and 6-6 last, none twice."""
    assert len(TILES) == 28
    assert list(TILES) == sorted(ALL_TILES)
    assert [bit_of(tile) for tile in TILES] == [1 << n for n in range(28)]
    assert mask_of(TILES) == ALL_MASK == 2**28 - 1
    assert tiles_of(DOUBLE_BLANK) == (Tile.of(0, 0),)


def test_domino_named_by_its_halves_in_either_order_is_the_same_one() -> None:
    """5-3 and 3-5 are one domino, and it is equal to one made by hand."""
    for a in SUITS:
        for b in SUITS:
            assert Tile.of(a, b) is Tile.of(b, a)
            assert Tile.of(a, b) == Tile(min(a, b), max(a, b))
            assert hash(Tile.of(a, b)) == hash(Tile(min(a, b), max(a, b)))


@pytest.mark.parametrize(("a", "b"), [(-1, 3), (3, -1), (7, 0), (0, 7), (7, 7)])
def test_domino_that_does_not_exist_is_refused(a: int, b: int) -> None:
    """No half is negative or above six."""
    with pytest.raises(ValueError, match="expected a domino with halves 0 to 6"):
        Tile.of(a, b)


@exactly
@given(tile_sets)
@example(frozenset())
@example(ALL_TILES)
def test_mask_holds_a_set_of_dominoes_and_gives_it_back(tiles: frozenset[Tile]) -> None:
    """Nothing is lost and nothing added between the dominoes and their mask, nor a spot on them."""
    mask = mask_of(tiles)
    assert tiles_of(mask) == tuple(sorted(tiles))
    assert mask.bit_count() == len(tiles)
    assert spots_of(mask) == sum(tile.low + tile.high for tile in tiles)


@pytest.mark.parametrize("mask", [-1, 1 << 28])
def test_mask_with_a_bit_too_many_is_refused(mask: int) -> None:
    """There is no 29th domino."""
    with pytest.raises(ValueError, match="expected a mask of 28 bits"):
        tiles_of(mask)


def test_seven_dominoes_carry_each_suit() -> None:
    """A suit has seven dominoes, the double counted once."""
    for suit in SUITS:
        assert set(tiles_of(CARRYING[suit])) == {tile for tile in ALL_TILES if suit in (tile.low, tile.high)}
        assert CARRYING[suit].bit_count() == 7


# --- what fits and what locks ---


def test_domino_fits_where_one_of_its_halves_is_open() -> None:
    """At 49 pairs of open suits and for all 28 dominoes the mask says what the halves say (C0.2)."""
    for left in SUITS:
        for right in SUITS:
            assert set(tiles_of(fitting_mask(left, right))) == {tile for tile in ALL_TILES if fits(tile, left, right)}


@exactly
@given(tile_sets, suits, suits)
def test_line_is_locked_when_no_unplayed_domino_fits(unplayed: frozenset[Tile], left: Suit, right: Suit) -> None:
    """One fitting domino in any hand keeps the line open; without it the line is locked (C0.7)."""
    useless = frozenset(tile for tile in unplayed if not fits(tile, left, right))
    assert is_locked_mask(mask_of(unplayed), left, right) is (unplayed == useless)
    assert is_locked_mask(mask_of(useless), left, right)
    for tile in tiles_of(fitting_mask(left, right)):
        assert not is_locked_mask(mask_of(useless | {tile}), left, right)


@exactly
@given(lines())
@example(Line((Placed(Suit(0), Suit(0), Seat.S0),)))
def test_line_says_of_any_row_of_dominoes_what_the_obvious_way_says(line: Line) -> None:
    """Lying, unplayed, fitting and locked are the same however wrongly the dominoes lie."""
    lying = {Tile.of(p.left, p.right) for p in line.placed}
    left, right = line.placed[0].left, line.placed[-1].right
    assert line.ends == (left, right)
    assert line.tiles == lying == set(tiles_of(line.mask))
    assert line.unplayed == ALL_TILES - lying == set(tiles_of(line.unplayed_mask))
    assert {tile for tile in ALL_TILES if line.is_fitting(tile)} == {t for t in ALL_TILES if fits(t, left, right)}
    assert line.is_locked is not any(fits(tile, left, right) for tile in ALL_TILES - lying)


def test_any_domino_may_be_laid_on_an_empty_table_which_is_not_locked() -> None:
    """The first move is free, and nobody is locked out before it (C0.4)."""
    assert all(Line().is_fitting(tile) for tile in ALL_TILES)
    assert not Line().is_locked
    assert Line().unplayed_mask == ALL_MASK


def test_seventh_domino_of_a_suit_locks_a_line_open_to_it_at_both_ends() -> None:
    """With six sixes in the line and a six at the left end, 5-6 is the last that could fit and shuts it (C0.7)."""
    line = Line()
    for left, right in ((6, 0), (0, 1), (1, 6), (6, 2), (2, 3), (3, 6), (6, 6), (6, 4), (4, 5)):
        line = line.with_tile(Suit(left), Suit(right), End.R if line.placed else End.FIRST, Seat.S0)
        assert not line.is_locked
    assert line.with_tile(Suit(5), Suit(6), End.R, Seat.S0).is_locked


# --- what a closed set is worth ---


@exactly
@given(hands_left(), st.sampled_from([0, 10, 25]))
def test_spots_left_are_counted_for_each_pair(hands: tuple[frozenset[Tile], ...], lone_blank: int) -> None:
    """Partners' spots are added; a double blank alone in its hand counts what the text says (R8)."""
    by_seat = [lone_blank if hand == {Tile.of(0, 0)} else sum(t.low + t.high for t in hand) for hand in hands]
    expected = (by_seat[0] + by_seat[2], by_seat[1] + by_seat[3])
    assert pair_spots([mask_of(hand) for hand in hands], lone_blank=lone_blank) == expected


@pytest.mark.parametrize(
    ("out", "spots", "winner", "credit"),
    [
        (Seat.S0, (40, 15), Pair.A, (15, 0)),
        (Seat.S2, (0, 52), Pair.A, (52, 0)),
        (Seat.S1, (23, 60), Pair.B, (0, 23)),
        (Seat.S3, (7, 0), Pair.B, (0, 7)),
        (None, (12, 30), Pair.A, (18, 0)),
        (None, (40, 25), Pair.B, (0, 15)),
        (None, (30, 30), None, (0, 0)),
    ],
)
def test_closed_set_is_won_by_who_went_out_or_by_fewer_spots(
    out: Seat | None, spots: tuple[int, int], winner: Pair | None, credit: tuple[int, int]
) -> None:
    """Going out wins whatever is left and earns the rivals' spots; a deadlock earns the difference (C5.2-4, R8)."""
    assert set_winner(out, spots) is winner
    assert set_credit(out, spots) == credit
