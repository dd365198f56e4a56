"""The draw before a game: seats, leads, mixing and hands that may be dealt again, beside a slow and obvious way."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.draw import (
    DrawError,
    Drawn,
    Mixing,
    Seating,
    is_redealable,
    lead_by_tiles,
    minor_key,
    mixing,
    seats_by_lots,
    seats_by_tiles,
)
from controller.game.rulesets import FirstMixer, MinorOrder
from controller.game.tiles import ALL_TILES, SUITS, Seat, Tile

PAIRS = (("Ann", "Cleo"), ("Bob", "Dan"))
LOW, HIGH, SUIT_FIRST = MinorOrder
TILES = sorted(ALL_TILES)


def is_minor(tile: Tile, other: Tile, order: MinorOrder) -> bool:
    """Whether `tile` is below `other`, said as the text says it and one pair at a time."""
    suits, other_suits = {tile.low, tile.high}, {other.low, other.high}
    if order is MinorOrder.LOW_SUIT_THEN_SPOTS and min(suits) != min(other_suits):
        return min(suits) < min(other_suits)
    if tile.spots != other.spots:
        return tile.spots < other.spots
    if order is MinorOrder.SPOTS_THEN_HIGH_SUIT:
        return max(suits) < max(other_suits)
    return min(suits) < min(other_suits)


@pytest.mark.parametrize("order", MinorOrder)
def test_minor_domino_is_one_of_any_two_and_the_same_by_key_and_by_text(order: MinorOrder) -> None:
    """Of any two dominoes exactly one is the minor, and the key says which as the words do."""
    for tile, other in permutations(TILES, 2):
        assert is_minor(tile, other, order) is not is_minor(other, tile, order)
        assert (minor_key(tile, order) < minor_key(other, order)) is is_minor(tile, other, order)


@pytest.mark.parametrize(
    ("order", "lowest_first"),
    [
        (LOW, ["1-1", "6-0", "5-1", "4-2", "3-3", "6-1"]),
        (HIGH, ["1-1", "3-3", "4-2", "5-1", "6-0", "6-1"]),
        (SUIT_FIRST, ["6-0", "1-1", "5-1", "6-1", "4-2", "3-3"]),
    ],
)
def test_minor_order_by_each_reading(order: MinorOrder, lowest_first: list[str]) -> None:
    """Equal spots go by the lowest suit, by the highest, or the lowest suit goes before everything."""
    tiles = [Tile.of(int(word[0]), int(word[2])) for word in lowest_first]
    shuffled = random.Random(1).sample(tiles, len(tiles))
    assert sorted(shuffled, key=lambda tile: minor_key(tile, order)) == tiles


@pytest.mark.parametrize(
    ("drawn", "order", "seats"),
    [
        (((3, 2), (6, 6), (6, 0), (1, 1)), LOW, "Dan Ann Bob Cleo"),
        (((5, 1), (6, 5), (4, 2), (6, 6)), LOW, "Ann Bob Cleo Dan"),
        (((5, 1), (6, 5), (4, 2), (6, 6)), HIGH, "Bob Ann Dan Cleo"),
        (((0, 6), (6, 5), (1, 1), (2, 2)), SUIT_FIRST, "Ann Bob Cleo Dan"),
        (((4, 2), (3, 3), (5, 1), (6, 0)), LOW, "Dan Ann Bob Cleo"),
        (((4, 2), (3, 3), (5, 1), (6, 0)), HIGH, "Cleo Bob Ann Dan"),
        (((0, 1), (0, 2), (6, 5), (6, 4)), LOW, "Ann Dan Cleo Bob"),
    ],
)
def test_seats_by_tiles_as_worked_out_by_hand(drawn: Drawn, order: MinorOrder, seats: str) -> None:
    """The minor domino sits first and leads, the lesser of the rivals' on his left, his partner opposite (C3)."""
    seating = seats_by_tiles(PAIRS, drawn, order)
    assert seating.names == tuple(seats.split())
    assert seating.lead is Seat.S0


draws = st.lists(st.sampled_from(TILES), min_size=4, max_size=4, unique=True)


@settings(deadline=None, derandomize=True)
@given(draws, st.sampled_from(MinorOrder), st.lists(st.booleans(), min_size=4, max_size=4))
def test_seats_by_tiles_are_the_only_ones_the_text_allows(
    tiles: list[Tile], order: MinorOrder, turned: list[bool]
) -> None:
    """Of all 24 ways to sit one only fits the text, and it is the one found, whichever way the dominoes are held."""
    names = [*PAIRS[0], *PAIRS[1]]
    a, b, c, d = ((t.high, t.low) if is_turned else (t.low, t.high) for t, is_turned in zip(tiles, turned, strict=True))

    def is_right(chairs: tuple[int, ...]) -> bool:
        first, left, opposite, right = chairs
        return (
            all(is_minor(tiles[first], tiles[other], order) for other in (left, opposite, right))
            and {first, opposite} in ({0, 1}, {2, 3})
            and is_minor(tiles[left], tiles[right], order)
        )

    (only,) = (chairs for chairs in permutations(range(4)) if is_right(chairs))
    expected = Seating((names[only[0]], names[only[1]], names[only[2]], names[only[3]]), Seat.S0)
    assert seats_by_tiles(PAIRS, (a, b, c, d), order) == expected
    assert seats_by_tiles((PAIRS[1], PAIRS[0]), (c, d, a, b), order) == expected


def test_seats_by_tiles_go_by_player_and_not_by_name() -> None:
    """Two players of one name do not get mixed up: each stays opposite his own partner."""
    pairs = (("Ann", "Ann"), ("Bob", "Ann"))
    assert seats_by_tiles(pairs, ((1, 1), (6, 6), (5, 5), (0, 0)), LOW).names == ("Ann", "Ann", "Bob", "Ann")


@pytest.mark.parametrize(
    ("drawn", "reason", "said"),
    [
        (((0, 1), (0, 2), (7, 7), (6, 4)), "no_such_tile", "7-7"),
        (((0, 1), (0, 2), (3, -1), (6, 4)), "no_such_tile", "3--1"),
        (((0, 7), (0, 1), (0, 1), (6, 4)), "no_such_tile", "0-7"),
        (((0, 1), (0, 2), (1, 0), (6, 4)), "tile_drawn_twice", "1-0"),
        (((6, 6), (0, 2), (5, 4), (6, 6)), "tile_drawn_twice", "6-6"),
        (((2, 3), (3, 2), (3, 2), (6, 6)), "tile_drawn_twice", "3-2"),
    ],
)
def test_draw_that_cannot_be_is_refused(drawn: Drawn, reason: str, said: str) -> None:
    """A domino that does not exist, or one drawn by two players, is no draw, for seats or for a lead."""
    with pytest.raises(DrawError) as by_seats:
        seats_by_tiles(PAIRS, drawn, LOW)
    with pytest.raises(DrawError) as by_lead:
        lead_by_tiles(drawn, LOW)
    assert by_seats.value.reason == by_lead.value.reason == reason
    assert said in by_seats.value.text
    assert by_seats.value.text.startswith("expected ")


@pytest.mark.parametrize(
    ("lots", "seats"), [((3, 7), "Ann Bob Cleo Dan"), ((7, 3), "Bob Ann Dan Cleo"), ((10, 9), "Bob Ann Dan Cleo")]
)
def test_seats_by_lots_begin_with_the_lower_lot(lots: tuple[int, int], seats: str) -> None:
    """The lower lot's first player sits first and leads, the rivals' first on his left, the second ones opposite."""
    assert seats_by_lots(PAIRS, lots) == Seating((*seats.split(),), Seat.S0)  # type: ignore[arg-type]


def test_equal_lots_are_refused() -> None:
    """Two pairs cannot have drawn the same lot."""
    with pytest.raises(DrawError) as caught:
        seats_by_lots(PAIRS, (4, 4))
    assert caught.value.reason == "equal_lots"
    assert "got 4 for both" in caught.value.text


@settings(deadline=None, derandomize=True)
@given(draws, st.sampled_from(MinorOrder))
def test_lead_of_an_extra_set_has_the_minor_domino(tiles: list[Tile], order: MinorOrder) -> None:
    """The seat whose domino is below the three others leads; nobody changes his seat for it."""
    a, b, c, d = ((tile.high, tile.low) for tile in tiles)
    lead = lead_by_tiles((a, b, c, d), order)
    assert all(is_minor(tiles[lead], tiles[seat], order) for seat in Seat if seat is not lead)


@pytest.mark.parametrize("lead", Seat)
def test_leader_mixes_second_and_takes_last(lead: Seat) -> None:
    """His partner, or by the regulations his left neighbour, mixes before him; the others take clockwise after him."""
    opposite, left = mixing(lead, FirstMixer.OPPOSITE), mixing(lead, FirstMixer.LEFT)
    order = tuple(Seat((lead + step) % 4) for step in (1, 2, 3, 4))
    assert opposite == Mixing(first=order[1], second=lead, takes=order)
    assert left == Mixing(first=order[0], second=lead, takes=order)
    assert opposite.first.pair is lead.pair
    assert left.first.pair is lead.pair.rivals


@pytest.mark.parametrize(
    ("hand", "may"),
    [
        ("00 11 22 33 44 01 56", True),
        ("00 11 22 33 01 56 24", False),
        ("66 65 64 63 62 61 60", True),
        ("33 30 31 32 34 56 01", False),
        ("00 11 22 33 44 55 01", True),
        ("00 11 22 33 44 55 66", True),
        ("20 21 23 24 25 26 00", True),
        ("33 30 31 32 34 35 01", True),
        ("", False),
    ],
)
def test_hand_may_be_dealt_again_with_five_doubles_or_six_of_a_suit(hand: str, may: bool) -> None:
    """Five doubles or six dominoes of one suit, or more; the double of a suit is one domino, not two (C2.2)."""
    tiles = [Tile.of(int(word[0]), int(word[1])) for word in hand.split()]
    assert is_redealable(tiles) is may
    assert is_redealable(tiles[::-1]) is may


def hands_with(some: list[Tile], at_least: int) -> list[tuple[Tile, ...]]:
    """Every hand of seven with at least so many of some dominoes."""
    rest = [tile for tile in TILES if tile not in some]
    return [
        (*inside, *outside)
        for count in range(at_least, 8)
        for inside in combinations(some, count)
        for outside in combinations(rest, 7 - count)
    ]


def test_hands_that_may_be_dealt_again_are_as_many_as_counted_on_paper() -> None:
    """4558 hands have five doubles or more; of each suit 148 hands have six of its dominoes or all seven."""
    doubles = hands_with([tile for tile in TILES if tile.is_double], 4)
    assert sum(map(is_redealable, doubles)) == 4558
    for suit in SUITS:
        of_suit = hands_with([tile for tile in TILES if tile.carries(suit)], 5)
        assert len(of_suit) == 4558
        assert sum(map(is_redealable, of_suit)) == 148
