"""Misreadings that would explain a contradiction: each of them does, none is missed, and the likeliest come first."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.amend import CannotAmend, corrected, reattributed, relaid
from controller.game.proof import contradiction, wrong_passes
from controller.game.repairs import OtherSeat, OtherTile, Repair, repairs
from controller.game.state import Exposed, Move, Ply, Skip
from controller.game.tiles import ALL_TILES, SUITS, Seat, Suit, Tile
from tests.controller.histories import Hands, Plies, acts, may_hold, most_dealt, places_of, random_set

SEEDS = st.integers(0, 10**6)
NAMES = ("Ann", "Bob", "Cleo", "Dan")
SMALL = acts(0, "66f - 65R 55R 54R 63L")


def moves(plies: Plies) -> list[Move]:
    return [ply for ply in plies if isinstance(ply, Move)]


def amended(plies: Plies, repair: Repair) -> Plies:
    """The acts as the repair says they were."""
    if isinstance(repair, OtherSeat):
        return reattributed(plies, repair.ply, repair.seat)
    return corrected(plies, repair.ply, repair.inner, repair.outer)


def is_consistent(plies: Plies, exposed: tuple[Exposed, ...] = ()) -> bool:
    """No pass is contradicted by a later move of its seat or a seen domino, and every unplayed one finds a hand."""
    may = may_hold(plies, exposed)
    return not wrong_passes(plies, exposed) and most_dealt(may, places_of(plies)) == len(may)


def every_repair(plies: Plies, hands: Hands | None = None) -> set[tuple[int, Tile | Seat]]:
    """All that could be changed, tried out one by one: place, and the domino or the seat it was instead."""
    shown = tuple(Exposed(tile, Seat(q)) for q, hand in enumerate(hands or ()) for tile in hand)
    unplayed = ALL_TILES - {move.tile for move in moves(plies)}
    other_tiles = [OtherTile(n, a, b) for n, a, b in product(range(len(plies)), SUITS, SUITS)]
    tries: list[Repair] = [other for other in other_tiles if Tile.of(other.inner, other.outer) in unplayed]
    tries += [OtherSeat(n, seat) for n, seat in product(range(len(plies)), Seat)]
    found = set()
    for repair in tries:
        try:
            now = amended(plies, repair)
        except CannotAmend:
            continue
        still_fits = all(
            after.is_fitting for after, before in zip(moves(now), moves(plies), strict=True) if before.is_fitting
        )
        full = [seat for seat in Seat if places_of(now[:-1])[seat] == 0]
        changed = now[repair.ply]
        is_fit = isinstance(repair, OtherSeat) or (isinstance(changed, Move) and changed.is_fitting)
        is_laid = any(seen.tile in {move.tile for move in moves(now)} for seen in shown)
        if still_fits and is_fit and not full and not is_laid and is_consistent(now, shown):
            found.add(
                (repair.ply, repair.seat if isinstance(repair, OtherSeat) else Tile.of(repair.inner, repair.outer))
            )
    return found


def first_contradiction(plies: Plies) -> Plies | None:
    """The acts up to the first that cannot be."""
    return next((plies[:n] for n in range(len(plies) + 1) if contradiction(plies[:n])), None)


def named(found: tuple[Repair, ...]) -> list[tuple[int, Tile | Seat]]:
    return [(r.ply, r.seat if isinstance(r, OtherSeat) else Tile.of(r.inner, r.outer)) for r in found]


# --- all of them and no others ---


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=25)
def test_repairs_are_all_single_changes_that_leave_a_deal(seed: int) -> None:
    """Tried out one by one, these changes and no others explain the acts."""
    plies = first_contradiction(random_set(seed, lies=0.12).plies)
    if plies is None:
        return
    found = named(repairs(plies, limit=10_000))
    assert len(found) == len(set(found))
    assert set(found) == every_repair(plies)


@pytest.mark.parametrize("seed", [451, 1995, 2233])
def test_nobody_goes_on_after_the_last_domino_of_a_hand(seed: int) -> None:
    """A change by which a seat would have gone out before the last act is none, though a deal is left."""
    plies = first_contradiction(random_set(seed, lies=0.12).plies)
    assert plies is not None
    tries = [(n, seat) for n in range(len(plies)) for seat in Seat]
    too_long = set()
    for place, seat in tries:
        with contextlib.suppress(CannotAmend):
            now = reattributed(plies, place, seat)
            if is_consistent(now) and 0 in places_of(now[:-1]):
                too_long.add((place, seat))
    assert too_long
    assert set(named(repairs(plies, limit=10_000))) == every_repair(plies)
    assert not too_long & set(named(repairs(plies, limit=10_000)))


def with_wrong_domino(plies: Plies) -> Plies:
    """The acts with the last domino lying the other way round."""
    place = max(n for n, ply in enumerate(plies) if isinstance(ply, Move))
    move = plies[place]
    assert isinstance(move, Move)
    return relaid((*plies[:place], replace(move, inner=move.outer, outer=move.inner), *plies[place + 1 :]))


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=25)
def test_repairs_are_found_beside_a_wrong_domino(seed: int) -> None:
    """A domino that does not fit may have been misread in both halves."""
    plies = first_contradiction(random_set(seed, lies=0.12).plies)
    if plies is None or len(plies) < 3:
        return
    turned = with_wrong_domino(plies)
    if contradiction(turned) is not None:
        found = repairs(turned, limit=10_000)
        assert set(named(found)) == every_repair(turned)
        assert [rank(turned, repair) for repair in found] == sorted(rank(turned, repair) for repair in found)


def test_sets_of_these_tests_have_repairs_of_both_kinds_and_none() -> None:
    """Random sets with wrong passes try every answer."""
    broken = [plies for seed in range(60) if (plies := first_contradiction(random_set(seed, lies=0.12).plies))]
    found = [repairs(plies) for plies in broken]
    kinds = [{type(repair) for repair in some} for some in found]
    assert sum(OtherTile in kind for kind in kinds) > 5
    assert sum(OtherSeat in kind for kind in kinds) > 5
    assert sum(not kind for kind in kinds) > 2


# --- what really happened is among them ---


def without_voices(truth: Plies, place: int) -> tuple[Plies, OtherSeat] | None:
    """Honest acts as recorded when the first passes from `place` on were not pressed, and how it was.

    The record goes on to the pass after them; None when no move comes between.
    """
    voice = next((n for n in range(place, len(truth)) if isinstance(truth[n], Skip)), len(truth))
    after = next((n for n in range(voice, len(truth)) if isinstance(truth[n], Move)), len(truth))
    recorded = list(truth[:voice])
    for ply in truth[after:]:
        if isinstance(ply, Skip):
            break
        recorded.append(replace(ply, seat=recorded[-1].seat.next))
    return (tuple(recorded), OtherSeat(voice, truth[after].seat)) if after < len(truth) else None


def misread(truth: Plies, number: int, suit: Suit) -> tuple[Plies, OtherTile] | None:
    """Honest acts up to some passes, the outer half of the domino laid before them read as `suit`, and how it was.

    The passes are the first from `number` on. None when the domino that was read lies already.
    """
    skip = next((n for n in range(number, len(truth)) if isinstance(truth[n], Skip)), len(truth))
    end = next((n for n in range(skip, len(truth)) if isinstance(truth[n], Move)), len(truth))
    place = max(n for n, ply in enumerate(truth[:end]) if isinstance(ply, Move))
    move = truth[place]
    assert isinstance(move, Move)
    if Tile.of(move.inner, suit) in {other.tile for other in moves(truth[:end])}:
        return None
    return corrected(truth[:end], place, move.inner, suit), OtherTile(place, move.inner, move.outer)


@pytest.mark.parametrize("seeds", [range(30), range(30, 60)])
def test_missed_voice_is_among_the_repairs(seeds: range) -> None:
    """An honest pass by voice that was not pressed gives the later moves to the wrong seats: it is told as it was."""
    tried = 0
    for truth, place in product([random_set(seed).plies for seed in seeds], range(1, 28)):
        told = without_voices(truth, place)
        if told is not None and contradiction(told[0]) is not None:
            assert told[1] in repairs(told[0], limit=10_000)
            tried += 1
    assert tried > 15


@pytest.mark.parametrize("seeds", [range(30), range(30, 60)])
def test_misread_half_is_among_the_repairs(seeds: range) -> None:
    """A domino at an end of the line, its outer half read wrongly before some passes, is told as it was."""
    tried = 0
    for truth, number, suit in product([random_set(seed).plies for seed in seeds], range(1, 28, 3), SUITS):
        told = misread(truth, number, suit)
        if told is not None and contradiction(told[0]) is not None:
            assert told[1] in repairs(told[0], limit=10_000)
            tried += 1
    assert tried > 15


# --- shown dominoes, excuses, order, bounds ---


def test_nothing_is_repaired_where_nothing_is_wrong() -> None:
    """Acts that can be are left alone."""
    assert repairs(()) == ()
    assert repairs(acts(0, "66f - - -")) == ()
    assert repairs(random_set(3).plies) == ()


def test_domino_known_in_a_hand_was_not_laid_by_another() -> None:
    """A domino seen in one hand is no misreading of another seat's move; one shown at the count was laid by nobody."""
    tried = 0
    for seed in range(40):
        plies = first_contradiction(random_set(seed, lies=0.12).plies)
        for other in repairs(plies, limit=10_000) if plies else ():
            if isinstance(other, OtherTile) and plies:
                tile, seat = Tile.of(other.inner, other.outer), plies[other.ply].seat
                assert other in repairs(plies, (Exposed(tile, seat),), limit=10_000)
                assert other not in repairs(plies, (Exposed(tile, seat.next),), limit=10_000)
                shown = tuple((tile,) if q is seat else () for q in Seat)
                assert other not in repairs(plies, (), shown, limit=10_000)
                tried += 1
    assert tried > 10


@pytest.mark.parametrize("seed", [*range(25), 39, 105])
def test_full_count_leaves_only_what_agrees_with_the_hands(seed: int) -> None:
    """With all hands shown, at the end or early, no domino was misread, and a missed voice must leave their sizes."""
    played = random_set(seed, lies=0.1)
    found = repairs(played.plies, (), played.left, limit=10_000)
    assert set(named(found)) == (every_repair(played.plies, played.left) if played.wrong else set())
    assert not any(isinstance(repair, OtherTile) for repair in found)
    early = first_contradiction(played.plies) or ()
    ordered = played.held(len(early))
    assert set(named(repairs(early, (), ordered, limit=10_000))) == (every_repair(early, ordered) if early else set())


def test_first_domino_may_have_been_any_that_explains_a_pass() -> None:
    """While nothing is joined to it both its halves are in question; one half read otherwise comes before two."""
    found = repairs(acts(0, "64f -"), (Exposed(Tile.of(6, 3), Seat.S1),), limit=100)
    assert [(other.inner, other.outer) for other in found if isinstance(other, OtherTile)] == [
        *((0, 4), (1, 4), (2, 4), (4, 4), (5, 4)),
        *((0, 0), (0, 1), (0, 2), (0, 5), (1, 1), (1, 2), (1, 5), (2, 2), (2, 5), (5, 5)),
    ]
    assert len(found) == 15


def test_excused_pass_needs_no_repair() -> None:
    """A pass left out of account is not to be explained any more."""
    plies = acts(0, "66f - 65R 55R 54R 63R")
    assert repairs(plies) != ()
    assert repairs(plies, excused=frozenset({1})) == ()


def test_fewest_changes_come_first_and_the_limit_holds() -> None:
    """Voices before misread halves, one voice before two, one half before two, later acts before earlier ones."""
    tried = 0
    for seed in range(60):
        plies = first_contradiction(random_set(seed, lies=0.12).plies)
        if plies is None:
            continue
        found = repairs(plies, limit=10_000)
        ranks = [rank(plies, repair) for repair in found]
        assert ranks == sorted(ranks)
        assert repairs(plies) == found[:8]
        assert repairs(plies, limit=3) == found[:3]
        tried += len({rank[:2] for rank in ranks}) > 1
    assert tried > 5


def rank(plies: Plies, repair: Repair) -> tuple[int, int, int]:
    """Halves changed, voices missed, and how early the act is."""
    was: Ply = plies[repair.ply]
    assert isinstance(was, Move)
    if isinstance(repair, OtherSeat):
        return (0, (repair.seat - was.seat) % 4, -repair.ply)
    return ((repair.inner != was.inner) + (repair.outer != was.outer), 0, -repair.ply)


# --- in words ---


@pytest.mark.parametrize(
    ("repair", "text"),
    [
        (OtherTile(4, Suit(5), Suit(3)), "If the domino of act 5 was 5-3, not 5-4, everything fits."),
        (OtherSeat(5, Seat.S2), "If Bob passed by voice before act 6, which was Cleo's, everything fits."),
        (OtherSeat(5, Seat.S3), "If Bob and Cleo passed by voice before act 6, which was Dan's, everything fits."),
        (OtherSeat(5, Seat.S0), "If Bob, Cleo and Dan passed by voice before act 6, which was Ann's, everything fits."),
    ],
)
def test_repair_is_told_in_one_sentence(repair: Repair, text: str) -> None:
    """What would have to have been, and at which act."""
    assert repair.text(SMALL, NAMES) == text


def test_repairs_of_a_small_record_are_these() -> None:
    """Bob passed on a six and then laid one: an act since his pass was another's, for some voices were missed."""
    texts = [repair.text(SMALL, NAMES) for repair in repairs(SMALL, limit=100)]
    assert texts == [
        "If Bob passed by voice before act 6, which was Cleo's, everything fits.",
        "If Ann passed by voice before act 5, which was Bob's, everything fits.",
        "If Dan passed by voice before act 4, which was Ann's, everything fits.",
        "If Bob and Cleo passed by voice before act 6, which was Dan's, everything fits.",
        "If Ann and Bob passed by voice before act 5, which was Cleo's, everything fits.",
    ]


def test_repairs_may_be_misread_dominoes_alone() -> None:
    """After two passes on ones and fours an end that was neither explains them; later acts are told first."""
    plies = acts(3, "03f 01L 36R - 65R 54R - -")
    assert named(repairs(plies, limit=100)) == [
        *((5, Tile.of(5, suit)) for suit in (0, 1, 3, 5)),
        *((1, Tile.of(0, suit)) for suit in (0, 4, 5, 6)),
    ]
