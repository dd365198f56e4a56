"""Hidden hands: every deal that agrees with the acts is counted once, drawn as often as any other, and none besides."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.deals import Evidence, count_deals, evidence_of, has_deal, marginals, sample_deal, violation
from controller.game.state import Exposed, Move, Skip
from controller.game.tiles import ALL_TILES, SUITS, End, Seat, Suit, Tile
from tests.controller.histories import Hands, Plies, acts, hands, may_hold, most_dealt, places_of, random_set, tiles

SEEDS = st.integers(0, 10**6)


# --- the slow way ---


def every_deal(may: dict[Tile, frozenset[int]], places: tuple[int, ...]) -> Iterator[Hands]:
    """All deals, one by one: each domino to each seat that may hold it and has a place."""
    if not may:
        yield ((),) * 4
        return
    tile, *rest = may
    for q in may[tile]:
        if places[q]:
            left = tuple(n - (p == q) for p, n in enumerate(places))
            for deal in every_deal({other: may[other] for other in rest}, left):
                yield tuple(tuple(sorted((tile, *hand))) if p == q else hand for p, hand in enumerate(deal))


def count_by_tile(may: dict[Tile, frozenset[int]], places: tuple[int, ...]) -> int:
    """The number of deals, domino by domino, with the free places as the only memory."""
    ways = Counter({places: 1})
    for seats in may.values():
        more: Counter[tuple[int, ...]] = Counter()
        for free, count in ways.items():
            for q in seats:
                if free[q]:
                    more[tuple(n - (p == q) for p, n in enumerate(free))] += count
        ways = more
    return ways[(0,) * len(places)]


def wild(seed: int, *, fewest: int = 0) -> Plies:
    """Acts of no real set: any dominoes laid by anybody, at least `fewest`, and passes on any suits."""
    rng = random.Random(seed)
    seats = [seat for seat in Seat for _ in range(7)]
    rng.shuffle(seats)
    laid = rng.sample(sorted(ALL_TILES), rng.randint(fewest, 26))
    plies = [Move(seat, tile.low, tile.high, End.R, is_fitting=True) for seat, tile in zip(seats, laid, strict=False)]
    passes = range(rng.randint(0, 7))
    return (*plies, *(Skip(Seat(rng.randrange(4)), (rng.choice(SUITS), rng.choice(SUITS))) for _ in passes))


def alike(deal: Hands) -> Hands:
    """The deal with each hand in order."""
    return tuple(tuple(sorted(hand)) for hand in deal)


# --- what is known ---


def test_evidence_tells_the_places_and_who_may_hold_each_domino() -> None:
    """After 6-6, a pass of seat 1 and 6-5, seat 1 holds no six; everybody may hold the rest."""
    evidence = evidence_of(acts(0, "66f - 65R"))
    assert evidence.places == (6, 7, 6, 7)
    assert evidence.tiles_of(0b1101) == tiles("60 61 62 63 64")
    assert evidence.size_of(0b1111) == 21
    assert all(evidence.size_of(eligible) == 0 for eligible in range(16) if eligible not in (0b1101, 0b1111))


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_classes_part_the_unplayed_dominoes_by_who_may_hold_them(seed: int) -> None:
    """Every unplayed domino is in the class of exactly the seats that never passed on it."""
    plies = wild(seed)
    evidence, may = evidence_of(plies), may_hold(plies)
    found = {tile: eligible for eligible in range(16) for tile in evidence.tiles_of(eligible)}
    assert found == {tile: sum(1 << q for q in seats) for tile, seats in may.items()}
    assert sum(evidence.size_of(eligible) for eligible in range(16)) == sum(evidence.places)


def test_pass_that_is_not_believed_denies_nothing() -> None:
    """A pass left out of account leaves its seat's hand open."""
    plies = acts(0, "66f - 65R -")
    assert evidence_of(plies, believed=frozenset({3})).tiles_of(0b0111) == tiles("60 61 62 63 64 50 51 52 53 54 55")
    assert evidence_of(plies, believed=frozenset()).size_of(0b1111) == 26
    assert evidence_of(plies, believed=frozenset({1, 3})) == evidence_of(plies)


def test_domino_seen_in_a_hand_lies_there_whatever_the_seat_passed() -> None:
    """The domino everybody saw is that seat's, until it is laid."""
    plies = acts(0, "66f - 65R")
    assert evidence_of(plies, (Exposed(Tile.of(6, 3), Seat.S1),)).tiles_of(0b0010) == tiles("63")
    assert evidence_of(plies, (Exposed(Tile.of(6, 5), Seat.S1),)).class_of(0b0010) == 0
    twice = (Exposed(Tile.of(6, 3), Seat.S1), Exposed(Tile.of(6, 3), Seat.S2))
    assert evidence_of(plies, twice).tiles_of(0b0100) == tiles("63")


# --- whether there is a deal, and how many ---


def test_number_of_deals_after_one_lead() -> None:
    """27 dominoes to hands of 6, 7, 7 and 7; before any act 28 to four sevens."""
    assert count_deals(evidence_of(acts(2, "64f"))) == 118_129_586_889_600
    assert count_deals(evidence_of(())) == factorial(28) // factorial(7) ** 4


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_deals_are_counted_as_domino_by_domino(seed: int) -> None:
    """Counting by classes, domino by domino and by moving dominoes on agree, also where no deal is left."""
    plies = wild(seed)
    evidence, may, places = evidence_of(plies), may_hold(plies), places_of(plies)
    assert count_deals(evidence) == count_by_tile(may, places)
    assert has_deal(evidence) == (most_dealt(may, places) == len(may)) == (count_deals(evidence) > 0)
    assert has_deal(evidence) == (violation(evidence) is None)


def test_wild_acts_leave_deals_and_none_about_as_often() -> None:
    """The acts of no real set try both answers."""
    answers = Counter(has_deal(evidence_of(wild(seed))) for seed in range(300))
    assert min(answers.values()) > 60
    assert len(answers) == 2


@pytest.mark.parametrize("lies", [0.0, 0.15])
def test_deals_of_real_sets_are_counted_as_domino_by_domino(lies: float) -> None:
    """After every act of sets of random play, honest and not."""
    for seed in range(12):
        plies = random_set(seed, lies=lies).plies
        for number in range(len(plies) + 1):
            known = plies[:number]
            assert count_deals(evidence_of(known)) == count_by_tile(may_hold(known), places_of(known))


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_true_deal_is_never_ruled_out_by_honest_acts(seed: int) -> None:
    """While nobody passes wrongly the hands that were dealt agree with everything."""
    played = random_set(seed)
    for number in range(len(played.plies) + 1):
        evidence = evidence_of(played.plies[:number])
        assert has_deal(evidence)
        for seat, hand in enumerate(played.held(number)):
            assert len(hand) == evidence.places[seat]
            held = {tile for eligible in range(16) if eligible >> seat & 1 for tile in evidence.tiles_of(eligible)}
            assert held >= set(hand)


def test_eighth_domino_of_a_seat_leaves_no_deal() -> None:
    """A record in which a seat laid eight cannot be."""
    laid = [Move(Seat.S0, Suit(0), suit, End.R, is_fitting=True) for suit in SUITS]
    eighth = Move(Seat.S0, Suit(1), Suit(1), End.R, is_fitting=True)
    assert count_deals(evidence_of(tuple(laid))) > 0
    evidence = evidence_of((*laid, eighth))
    assert not has_deal(evidence)
    assert count_deals(evidence) == 0
    found = violation(evidence)
    assert found is not None
    assert (found.seats, found.tiles, found.places) == ((Seat.S0,), (), -1)


def test_domino_that_lies_twice_leaves_no_deal() -> None:
    """A record in which a domino was laid a second time cannot be: too few places are left for the others."""
    laid = Move(Seat.S0, Suit(6), Suit(6), End.FIRST, is_fitting=True)
    evidence = evidence_of((laid, Move(Seat.S1, Suit(6), Suit(6), End.R, is_fitting=True)))
    assert not has_deal(evidence)
    found = violation(evidence)
    assert found is not None
    assert (found.seats, len(found.tiles), found.places) == (tuple(Seat), 27, 26)


# --- why there is none ---


def test_four_passes_on_one_suit_leave_its_dominoes_nowhere() -> None:
    """After 6-6 and four passes six dominoes can lie with nobody."""
    found = violation(evidence_of(acts(0, "66f - - - -")))
    assert found is not None
    assert (found.seats, found.tiles, found.places) == ((), tiles("60 61 62 63 64 65"), 0)


def test_three_passes_on_one_suit_leave_exactly_one_way() -> None:
    """After 6-6 and three passes the leader holds the other six sixes: as many places as dominoes."""
    evidence = evidence_of(acts(0, "66f - - -"))
    assert violation(evidence) is None
    assert count_deals(evidence) == factorial(21) // factorial(7) ** 3 == 399_072_960
    assert marginals(evidence)[Tile.of(6, 2)] == (1.0, 0.0, 0.0, 0.0)


def test_eleven_dominoes_in_five_places() -> None:
    """After 6-6, 6-5 and six passes eleven dominoes can lie with the leader alone, who holds five."""
    history = "66f - - - 65R - - -"
    assert has_deal(evidence_of(acts(0, history)[:-1]))
    found = violation(evidence_of(acts(0, history)))
    assert found is not None
    assert found.seats == (Seat.S0,)
    assert found.tiles == tiles("60 61 62 63 64 50 51 52 53 54 55")
    assert found.places == 5


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_violation_names_the_fewest_dominoes_that_show_it(seed: int) -> None:
    """Its dominoes can lie with its seats only and have too few places there; no other seats show it with fewer."""
    plies = wild(seed)
    may, places = may_hold(plies), places_of(plies)
    short = []
    for seats in itertools.chain.from_iterable(itertools.combinations(range(4), n) for n in range(5)):
        confined = tuple(tile for tile in may if may[tile] <= set(seats))
        if len(confined) > sum(places[q] for q in seats):
            short.append((len(confined), seats, confined, sum(places[q] for q in seats)))
    found = violation(evidence_of(plies))
    if found is None:
        assert not short
        return
    assert (len(found.tiles), found.seats, found.tiles, found.places) in short
    assert len(found.tiles) == min(short)[0]


# --- shares and lots ---


def small(seed: int) -> Plies:
    """Acts that leave at most nine dominoes and at least one deal."""
    return next(plies for n in itertools.count() if has_deal(evidence_of(plies := wild(seed + 1000 * n, fewest=19))))


@pytest.mark.parametrize("seed", range(25))
def test_shares_are_those_of_all_deals_one_by_one(seed: int) -> None:
    """With few dominoes left every deal can be written down; the shares are counted from them."""
    plies = small(seed)
    deals = list(every_deal(may_hold(plies), places_of(plies)))
    assert len(deals) == len(set(deals)) == count_deals(evidence_of(plies))
    for tile, shares in marginals(evidence_of(plies)).items():
        for q in range(4):
            assert shares[q] == pytest.approx(sum(tile in deal[q] for deal in deals) / len(deals))


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_shares_of_a_domino_come_to_one_and_those_of_a_seat_to_its_places(seed: int) -> None:
    """No domino and no place is left over."""
    plies = wild(seed)
    evidence = evidence_of(plies)
    if not has_deal(evidence):
        with pytest.raises(ValueError, match="expected evidence"):
            marginals(evidence)
        return
    shares = marginals(evidence)
    assert sorted(shares) == sorted(may_hold(plies))
    assert all(sum(share) == pytest.approx(1.0) for share in shares.values())
    assert [sum(share[q] for share in shares.values()) for q in range(4)] == pytest.approx(list(evidence.places))


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_drawn_deal_agrees_with_everything_known(seed: int) -> None:
    """Every domino is once in a hand that may hold it, and every hand is full."""
    plies = wild(seed)
    evidence = evidence_of(plies)
    below = random.Random(seed).randrange
    if not has_deal(evidence):
        with pytest.raises(ValueError, match="expected evidence"):
            sample_deal(evidence, below)
        return
    deal, may = sample_deal(evidence, below), may_hold(plies)
    assert tuple(len(hand) for hand in deal) == evidence.places
    assert sorted(tile for hand in deal for tile in hand) == sorted(may)
    assert all(q in may[tile] for q, hand in enumerate(deal) for tile in hand)
    assert deal == alike(deal)


def crowded(count: int) -> Plies:
    """Acts with dominoes of many classes left, and so many deals."""
    for seed in itertools.count():
        plies = wild(seed, fewest=18)
        evidence = evidence_of(plies)
        classes = sum(1 for eligible in range(16) if evidence.class_of(eligible))
        if classes >= 6 and count_deals(evidence) == count:
            return plies
    raise AssertionError


@pytest.mark.parametrize("count", [24, 60])
def test_every_deal_is_drawn_as_often_as_any_other(count: int) -> None:
    """100 draws a deal: the spread over the deals is that of chance (chi-square, 1 in 1,000 beyond)."""
    plies = crowded(count)
    deals = {alike(deal) for deal in every_deal(may_hold(plies), places_of(plies))}
    below, evidence = random.Random(7).randrange, evidence_of(plies)
    drawn = Counter(sample_deal(evidence, below) for _ in range(100 * count))
    assert set(drawn) <= deals
    spread = sum((drawn[deal] - 100) ** 2 / 100 for deal in deals)
    free = count - 1
    beyond = free * (1 - 2 / (9 * free) + 3.09 * (2 / (9 * free)) ** 0.5) ** 3  # Wilson and Hilferty
    assert spread < beyond


def test_every_deal_is_drawn_by_as_many_numbers_as_any_other() -> None:
    """Trying every number that the lot can give, weighted by how likely it is, gives each deal the same weight."""
    plies = crowded(12)
    weights: Counter[Hands] = Counter()
    paths: list[list[int]] = [[]]
    ways = factorial(9) ** 3
    while paths:
        path = paths.pop()
        asked: list[int] = []

        def below(n: int, path: list[int] = path, asked: list[int] = asked) -> int:
            asked.append(n)
            if len(asked) > len(path):
                paths.extend([*path, k] for k in range(1, n))
                path.append(0)
            return path[len(asked) - 1]

        deal = sample_deal(evidence_of(plies), below)
        weight = ways
        for n in asked:
            weight, rest = divmod(weight, n)
            assert rest == 0
        weights[deal] += weight
    assert len(weights) == 12
    assert set(weights.values()) == {ways // 12}


def test_evidence_of_hands_on_the_table_is_the_only_deal() -> None:
    """Once every domino was seen there is one deal: the hands themselves."""
    shown = hands("64 42 | 33 | 51 10 | 22")
    laid = sorted(ALL_TILES - {tile for hand in shown for tile in hand})
    seats = [seat for seat in Seat for _ in range(7 - len(shown[seat]))]
    plies = tuple(
        Move(seat, tile.low, tile.high, End.R, is_fitting=True) for seat, tile in zip(seats, laid, strict=True)
    )
    exposed = tuple(Exposed(tile, seat) for seat in Seat for tile in shown[seat])
    evidence: Evidence = evidence_of(plies, exposed)
    assert count_deals(evidence) == 1
    assert sample_deal(evidence, lambda n: n - 1) == shown
