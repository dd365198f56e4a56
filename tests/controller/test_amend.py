"""The history of a set put right: another seat, another domino, and what cannot be."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from controller.game.amend import CannotAmend, corrected, line_of, reattributed, relaid
from controller.game.line import Line
from controller.game.state import Move, Skip
from controller.game.tiles import ALL_TILES, End, Seat, Suit, Tile
from tests.controller.histories import Plies, acts, random_set

SEEDS = st.integers(0, 10**6)


def moves_only(seed: int) -> Plies:
    """A set of random play up to its first pass."""
    plies = random_set(seed).plies
    return tuple(itertools.takewhile(lambda ply: isinstance(ply, Move), plies))


# --- the line of a history ---


def test_line_of_history_has_every_domino_where_it_was_laid() -> None:
    """Left moves stand before the first domino, right ones behind it, and passes change nothing."""
    line = line_of(acts(2, "64f 44R - 62L 41R"))
    assert [(p.left, p.right, p.seat) for p in line.placed] == [(2, 6, 1), (6, 4, 2), (4, 4, 3), (4, 1, 2)]
    assert line_of(()) == Line()


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_history_judged_anew_by_its_own_line_is_the_same(seed: int) -> None:
    """Nothing changes where nothing was amended."""
    plies = random_set(seed).plies
    assert relaid(plies) == plies


def test_relaid_history_says_again_what_fits_and_which_suits_were_open() -> None:
    """What was written of a move or a pass gives way to what the line says."""
    wrong = (
        Move(Seat.S0, Suit(6), Suit(4), End.FIRST, is_fitting=True),
        Move(Seat.S1, Suit(4), Suit(1), End.R, is_fitting=False),
        Skip(Seat.S2, (Suit(0), Suit(0))),
        Move(Seat.S3, Suit(3), Suit(6), End.L, is_fitting=True),
        Skip(Seat.S0, (Suit(0), Suit(0))),
    )
    _, right, first_pass, misfit, second_pass = relaid(wrong)
    assert isinstance(right, Move)
    assert right.is_fitting
    assert first_pass == Skip(Seat.S2, (Suit(6), Suit(1)))
    assert isinstance(misfit, Move)
    assert not misfit.is_fitting
    assert second_pass == Skip(Seat.S0, (Suit(6), Suit(1)))


def test_pass_before_the_first_move_cannot_be_relaid() -> None:
    """Any domino may open a set, so a pass there cannot have been."""
    with pytest.raises(CannotAmend) as refused:
        relaid((Skip(Seat.S3, (Suit(0), Suit(0))), *acts(0, "64f")))
    assert "before the first move" in refused.value.text


# --- another seat ---


def test_one_voice_missed_puts_one_pass_in() -> None:
    """Seat 3 passed by voice: the second domino is seat 0's, and seat 1 is on turn."""
    plies = reattributed(acts(2, "64f 44R"), 1, Seat.S0)
    assert plies == (
        Move(Seat.S2, Suit(6), Suit(4), End.FIRST, is_fitting=True),
        Skip(Seat.S3, (Suit(6), Suit(4))),
        Move(Seat.S0, Suit(4), Suit(4), End.R, is_fitting=True),
    )
    assert plies[-1].seat.next == Seat.S1


def test_two_voices_missed_put_two_passes_in() -> None:
    """Seats 3 and 0 passed by voice: the second domino is seat 1's, and seat 2 is on turn."""
    plies = reattributed(acts(2, "64f 44R"), 1, Seat.S1)
    assert [(type(ply), ply.seat) for ply in plies] == [(Move, 2), (Skip, 3), (Skip, 0), (Move, 1)]
    assert line_of(plies).ends == (6, 4)
    assert plies[-1].seat.next == Seat.S2


@given(SEEDS, st.integers(1, 9), st.integers(1, 3))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_later_moves_go_on_in_turn_order(seed: int, place: int, shift: int) -> None:
    """The same dominoes lie the same way; every act is in turn and every new pass names the suits open then."""
    plies = moves_only(seed)
    assume(place < len(plies) < 21)
    moved = plies[place]
    assert isinstance(moved, Move)
    amended = reattributed(plies, place, Seat((moved.seat + shift) % 4))
    assert [act.seat for act in amended] == [(plies[0].seat + number) % 4 for number in range(len(amended))]
    assert len(amended) == len(plies) + shift
    assert relaid(amended) == amended
    assert [p.tile for p in line_of(amended).placed] == [p.tile for p in line_of(plies).placed]
    assert amended[:place] == plies[:place]
    assert amended[place + shift].seat == (moved.seat + shift) % 4


@pytest.mark.parametrize(
    ("history", "ply", "seat", "why"),
    [
        ("64f 44R - 41R", 2, 1, "is no move"),
        ("64f 44R", 2, 1, "is no move"),
        ("64f 44R", -1, 1, "is no move"),
        ("64f 44R", 1, 3, "of that seat already"),
        ("64f 44R", 0, 0, "before the first move"),
        ("64f 44R - 41R", 1, 0, "out of turn"),
        ("64f 44R 41R -", 1, 1, "(act 4) would then be out of turn"),
    ],
)
def test_seat_that_cannot_have_made_the_move_is_refused(history: str, ply: int, seat: int, why: str) -> None:
    """The refusal says in one sentence what stands against it."""
    with pytest.raises(CannotAmend) as refused:
        reattributed(acts(2, history), ply, Seat(seat))
    assert why in refused.value.text
    assert refused.value.text.endswith(".")


def test_seat_cannot_come_to_eight_dominoes() -> None:
    """Seven moves are a hand; an eighth shows that the attribution is wrong."""
    plies = tuple(
        Move(Seat.S0, Suit(a), Suit(b), End.R if number else End.FIRST, is_fitting=True)
        for number, (a, b) in enumerate([(6, 5), (5, 4), (4, 3), (3, 2), (2, 1), (1, 0), (0, 6)])
    )
    last = Move(Seat.S3, Suit(6), Suit(4), End.R, is_fitting=True)
    with pytest.raises(CannotAmend) as refused:
        reattributed((*plies, last), 7, Seat.S0)
    assert "more than seven" in refused.value.text
    assert reattributed((*plies, last), 7, Seat.S1)[-1].seat == Seat.S1


# --- another domino ---


def test_corrected_domino_is_judged_and_judges_what_came_after() -> None:
    """With 4-1 for 4-2 the next move no longer fits, and the pass denied other suits."""
    plies = corrected(acts(0, "64f 42R 23R -"), 1, Suit(4), Suit(1))
    assert [ply.is_fitting for ply in plies if isinstance(ply, Move)] == [True, True, False]
    plies = corrected(acts(0, "64f 42R -"), 1, Suit(4), Suit(1))
    assert plies[2] == Skip(Seat.S2, (Suit(6), Suit(1)))


def test_first_domino_can_be_corrected_too() -> None:
    """For the first move the halves are told from left to right."""
    plies = corrected(acts(0, "64f 42R 63L"), 0, Suit(6), Suit(5))
    assert [ply.is_fitting for ply in plies if isinstance(ply, Move)] == [True, False, True]


def test_domino_turned_round_is_a_correction() -> None:
    """The same domino the other way round no longer fits, and opens the other suit."""
    plies = corrected(acts(0, "64f 42R -"), 1, Suit(2), Suit(4))
    assert plies[1] == Move(Seat.S1, Suit(2), Suit(4), End.R, is_fitting=False)
    assert plies[2] == Skip(Seat.S2, (Suit(6), Suit(4)))


@given(SEEDS, st.integers(0, 27), st.sampled_from(sorted(ALL_TILES)), st.booleans())
@settings(deadline=None, derandomize=True, max_examples=100)
def test_correction_undone_is_the_history_as_it_was(seed: int, place: int, tile: Tile, is_turned: bool) -> None:
    """Correcting back leaves no trace."""
    plies = random_set(seed).plies
    place = min(place, len(plies) - 1)
    was = plies[place]
    inner, outer = (tile.high, tile.low) if is_turned else (tile.low, tile.high)
    try:
        amended = corrected(plies, place, inner, outer)
    except CannotAmend:
        laid = {ply.tile for n, ply in enumerate(plies) if isinstance(ply, Move) and n != place}
        assert isinstance(was, Skip) or tile in laid or (inner, outer) == (was.inner, was.outer)
        return
    assert isinstance(was, Move)
    assert amended != plies
    assert corrected(amended, place, was.inner, was.outer) == plies


@pytest.mark.parametrize(
    ("ply", "inner", "outer", "why"),
    [
        (2, 4, 1, "is no move"),
        (9, 4, 1, "is no move"),
        (1, 4, 7, "no domino 4-7"),
        (1, -1, 4, "no domino -1-4"),
        (1, 4, 2, "recorded so already"),
        (1, 6, 4, "lies elsewhere"),
        (0, 2, 4, "lies elsewhere"),
    ],
)
def test_domino_that_cannot_have_been_laid_is_refused(ply: int, inner: int, outer: int, why: str) -> None:
    """A domino lies once, and there are 28."""
    with pytest.raises(CannotAmend) as refused:
        corrected(acts(0, "64f 42R -"), ply, Suit(inner), Suit(outer))
    assert why in refused.value.text
    assert refused.value.text.endswith(".")
