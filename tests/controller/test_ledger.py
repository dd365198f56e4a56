"""The ledger of a competition: it grows the same in any order, forgets nothing undone, and says who must leave."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.ledger import (
    EntryFee,
    GameEntry,
    Ledger,
    LedgerConflict,
    LedgerEntry,
    ledger_text,
    pair_key,
    readmission,
)
from controller.game.rulesets import BenefitPenalty, ExpelledResults

ANN, BOB, CLEO = ("Ann", "Alex"), ("Bob", "Bert"), ("Cleo", "Carl")
SPRING, AUTUMN = "Spring Cup", "Autumn Cup"


def warning(number: int, players: tuple[str, str] = ANN, competition: str = SPRING) -> LedgerEntry:
    """The warning called w<number>; an equal number always means an equal warning."""
    return LedgerEntry(
        f"w{number}", competition, f"g{number % 3}", players, players[number % 2], "talk", number % 4 + 1
    )


def result(
    number: int, a: tuple[str, str] = ANN, b: tuple[str, str] = BOB, winner: Literal["A", "B", "draw"] = "A"
) -> GameEntry:
    """The result of the game called g<number>."""
    return GameEntry(f"g{number}", SPRING, (a, b), (2.5, 1.5), winner)


def ledger_of(entries: Iterable[LedgerEntry] = (), games: Iterable[GameEntry] = ()) -> Ledger:
    """A ledger put together entry by entry."""
    ledger = Ledger()
    for entry in entries:
        ledger = ledger.with_entry(entry)
    for game in games:
        ledger = ledger.with_game(game)
    return ledger


# Few ids, each with one content, so that ledgers overlap often and never conflict.
entries = st.lists(st.integers(0, 7).map(lambda n: warning(n, (ANN, BOB)[n % 2], (SPRING, AUTUMN)[n // 4])), max_size=6)
games = st.lists(st.integers(0, 3).map(result), max_size=4)
undone = st.frozensets(st.sampled_from(["w0", "w1", "w5", "g2", "never came"]))
ledgers = st.builds(lambda e, u, g: Ledger(tuple(e), u, tuple(g)), entries, undone, games)


@settings(deadline=None, derandomize=True)
@given(ledgers, ledgers, ledgers)
def test_ledger_merges_in_any_order_and_any_number_of_times(a: Ledger, b: Ledger, c: Ledger) -> None:
    """Tables may pass their ledgers on in any order, by any way and twice: all end with the same one."""
    assert a.merged(b) == b.merged(a)
    assert a.merged(b).merged(c) == a.merged(b.merged(c))
    assert a.merged(a) == a
    assert a.merged(b).merged(b).merged(a) == a.merged(b)
    assert a.merged(Ledger()) == a


@settings(deadline=None, derandomize=True)
@given(ledgers, ledgers)
def test_merged_ledger_holds_all_that_was_not_withdrawn(a: Ledger, b: Ledger) -> None:
    """What stands after a merge is what either had, less what either withdrew, in the order of ids."""
    both = a.merged(b)
    gone = a.withdrawn | b.withdrawn
    assert set(both.entries) == {entry for entry in (*a.entries, *b.entries) if entry.id not in gone}
    assert set(both.games) == {game for game in (*a.games, *b.games) if game.id not in gone}
    assert both.withdrawn == gone
    for ids in ([entry.id for entry in both.entries], [game.id for game in both.games]):
        assert ids == sorted(set(ids))


@settings(deadline=None, derandomize=True)
@given(st.data(), entries)
def test_ledger_is_equal_however_it_came_together(data: st.DataObject, some: list[LedgerEntry]) -> None:
    """Equal warnings make equal ledgers, in whatever order and however often each was entered."""
    otherwise = data.draw(st.permutations(some + some))
    assert ledger_of(some) == ledger_of(otherwise) == Ledger(tuple(otherwise))
    assert hash(ledger_of(some)) == hash(ledger_of(otherwise))


def test_undone_warning_does_not_come_back_from_another_table() -> None:
    """A warning that was taken back stays so, whether its copy comes by a merge, by hand, or before the undoing."""
    copied = ledger_of([warning(1), warning(2)])
    undone_here = copied.without("w1")
    assert undone_here.entries == (warning(2),)
    for again in (
        undone_here.merged(copied),
        copied.merged(undone_here),
        undone_here.with_entry(warning(1)),
        Ledger().without("w1").merged(copied),
    ):
        assert again.entries == (warning(2),)
        assert again.withdrawn == {"w1"}


def test_undone_result_does_not_come_back_either() -> None:
    """A result that was taken back is entered anew under an id of its own."""
    ledger = ledger_of(games=[result(1)]).without("g1").with_game(result(1))
    assert ledger.games == ()
    assert ledger.with_game(replace(result(1), id="g1-2", winner="B")).merged(ledger_of(games=[result(1)])).games == (
        replace(result(1), id="g1-2", winner="B"),
    )


def test_one_id_for_two_things_is_told_with_what_differs() -> None:
    """Nobody guesses which of two warnings with one id was meant, nor which of two results."""
    other = replace(warning(1), reason="signs")
    said = "id 'w1', got two whose reason differs, 'talk' and 'signs'"
    with pytest.raises(LedgerConflict, match=said):
        ledger_of([warning(1)]).with_entry(other)
    with pytest.raises(LedgerConflict, match=said):
        Ledger((warning(1), other))
    with pytest.raises(LedgerConflict, match=said):
        ledger_of([warning(1)]).merged(ledger_of([other]))
    with pytest.raises(LedgerConflict, match=r"id 'g1', got two whose winner differs, 'A' and 'B': withdraw that id"):
        ledger_of(games=[result(1)]).with_game(result(1, winner="B"))


def test_warnings_are_counted_for_the_pair_whoever_is_named_first() -> None:
    """All games of one competition count; the same two in other seats are the same pair; nobody else's count."""
    ledger = ledger_of(
        [warning(1), warning(2, ANN[::-1]), warning(3, BOB), warning(4, ANN, AUTUMN), warning(5, ("Ann", "Bert"))]
    )
    assert ledger.warnings_of(SPRING, ANN) == ledger.warnings_of(SPRING, ANN[::-1]) == 2
    assert ledger.warnings_of(SPRING, BOB) == 1
    assert ledger.warnings_of(SPRING, CLEO) == 0
    assert ledger.warnings_of(AUTUMN, ANN) == 1
    assert ledger.warnings_of("Summer Cup", ANN) == 0


def test_part_of_a_competition_leaves_the_others_and_keeps_what_was_withdrawn() -> None:
    """Only its own warnings and results are in it; a withdrawn id is kept, since nobody knows whose it was."""
    other_game = replace(result(2), competition=AUTUMN)
    ledger = ledger_of([warning(1), warning(2, BOB, AUTUMN)], [result(1), other_game]).without("w9")
    assert ledger.for_competition(SPRING) == Ledger((warning(1),), frozenset({"w9"}), (result(1),))
    assert ledger.for_competition(AUTUMN) == Ledger((warning(2, BOB, AUTUMN),), frozenset({"w9"}), (other_game,))


@pytest.mark.parametrize("rung", [4, 5])
def test_pair_is_expelled_from_its_rung_on_and_not_before(rung: int) -> None:
    """One warning fewer keeps a pair in, the rung itself and all above it expel, an undone one does not count."""
    full = ledger_of(
        [
            *(warning(n, CLEO) for n in range(rung + 1)),
            *(warning(n, ANN if n % 2 else ANN[::-1]) for n in range(10, 10 + rung)),
            *(warning(n, BOB) for n in range(20, 20 + rung - 1)),
            *(warning(n, BOB, AUTUMN) for n in range(30, 33)),
        ]
    )
    assert full.expelled(SPRING, rung) == (("Alex", "Ann"), ("Carl", "Cleo"))
    assert full.without("w10").expelled(SPRING, rung) == (("Carl", "Cleo"),)
    assert full.expelled(AUTUMN, rung) == ()


def test_rung_below_one_expels_nobody_and_is_refused() -> None:
    """A rung of 0 would expel the innocent: it is a mistake of whoever asks."""
    with pytest.raises(ValueError, match="rung of at least 1, got 0"):
        ledger_of([warning(1)]).expelled(SPRING, 0)


def test_results_of_an_expelled_pair_stand_or_are_void() -> None:
    """By the regulations an expelled pair's earlier games stand, or none of them counts for either side."""
    against_ann, of_ann, others = result(1, BOB, ANN[::-1]), result(2, ANN, CLEO), result(3, BOB, CLEO)
    ledger = ledger_of([], [against_ann, of_ann, others, replace(result(4), competition=AUTUMN)])
    stand, void = ExpelledResults.STAND, ExpelledResults.VOID
    expelled = (pair_key(ANN),)
    assert ledger.standing_games(SPRING, expelled_pairs=expelled, rule=stand) == (against_ann, of_ann, others)
    assert ledger.standing_games(SPRING, expelled_pairs=expelled, rule=void) == (others,)
    assert ledger.standing_games(SPRING, expelled_pairs=[ANN], rule=void) == (others,)
    assert ledger.standing_games(SPRING, expelled_pairs=(), rule=void) == (against_ann, of_ann, others)


FIXED, CAP = BenefitPenalty.FIXED, BenefitPenalty.CAP


@pytest.mark.parametrize(
    ("is_expelled", "fee", "has_benefits", "rule", "expected"),
    [
        (True, 300, False, FIXED, EntryFee(is_free=False, penalty=900, total=1200)),
        (True, 300, True, FIXED, EntryFee(is_free=False, penalty=50, total=350)),
        (True, 10, True, FIXED, EntryFee(is_free=False, penalty=50, total=60)),
        (False, 300, False, FIXED, EntryFee(is_free=True, penalty=0, total=300)),
        (False, 300, True, CAP, EntryFee(is_free=True, penalty=0, total=300)),
        (True, 10, True, CAP, EntryFee(is_free=False, penalty=30, total=40)),
        (True, 300, True, CAP, EntryFee(is_free=False, penalty=50, total=350)),
        (True, 300, False, CAP, EntryFee(is_free=False, penalty=900, total=1200)),
        (True, 0, False, FIXED, EntryFee(is_free=False, penalty=0, total=0)),
        (True, 0, True, FIXED, EntryFee(is_free=False, penalty=50, total=50)),
        (True, 0.1, False, FIXED, EntryFee(is_free=False, penalty=0.3, total=0.4)),
        (True, 16.7, True, CAP, EntryFee(is_free=False, penalty=50, total=66.7)),
        (True, 12.5, True, CAP, EntryFee(is_free=False, penalty=37.5, total=50)),
    ],
)
def test_fee_after_an_expulsion(
    is_expelled: bool, fee: float, has_benefits: bool, rule: BenefitPenalty, expected: EntryFee
) -> None:
    """Three fees on top of the fee; a benefit holder 50 roubles, or with a cap never more than the others (C8.5)."""
    for amount in (fee, float(fee)):
        paid = readmission(is_expelled=is_expelled, fee=amount, has_benefits=has_benefits, rule=rule)
        assert paid == expected
        assert repr(paid) == repr(expected)


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 10**7), st.booleans(), st.booleans(), st.sampled_from(BenefitPenalty))
def test_fee_and_penalty_make_the_total_to_the_kopeck(
    kopecks: int, is_expelled: bool, has_benefits: bool, rule: BenefitPenalty
) -> None:
    """No kopeck is lost or made by counting with fractions, whatever the fee."""
    paid = readmission(is_expelled=is_expelled, fee=kopecks / 100, has_benefits=has_benefits, rule=rule)
    penalty = 3 * kopecks if is_expelled else 0
    if is_expelled and has_benefits:
        penalty = 5000 if rule is FIXED else min(5000, penalty)
    assert (paid.penalty, paid.total) == (penalty / 100, (kopecks + penalty) / 100)


@pytest.mark.parametrize("fee", [-1, -0.01, math.nan, math.inf, -math.inf, 1e308])
def test_fee_that_is_no_amount_is_refused(fee: float) -> None:
    """A negative fee, or one that is no number, is a mistake and no discount."""
    for is_expelled in (True, False):
        with pytest.raises(ValueError, match="expected an entry fee of 0 or more, got"):
            readmission(is_expelled=is_expelled, fee=fee, has_benefits=False, rule=FIXED)


def test_page_for_the_organiser_says_who_was_warned_when_and_for_what() -> None:
    """Every warned pair with its warnings, the most warned first, and what an expulsion means afterwards."""
    ledger = ledger_of(
        [
            LedgerEntry("1", SPRING, "t1-7", BOB, "Bert", "talk", 2, "2024-05-04T10:15:00Z"),
            LedgerEntry("2", SPRING, "t1-7", ANN, "Ann", "signs", 3, "2024-05-04T10:30:00Z"),
            LedgerEntry("3", SPRING, "t2-9", ANN[::-1], "Alex", "exposure", 1, "2024-05-04T09:00:00Z"),
            LedgerEntry("4", SPRING, "t2-9", CLEO, "Cleo", "time", 1),
            LedgerEntry("5", SPRING, "t2-9", ANN, "Ann", "talk", 4, "2024-05-04T10:45:00Z"),
            LedgerEntry("6", SPRING, "t2-9", CLEO, "Carl", "talk", 4, "2024-05-04T10:45:00Z"),
            LedgerEntry("7", AUTUMN, "t2-1", BOB, "Bob", "talk", 1),
        ]
    )
    assert ledger_text(ledger, SPRING, rung=3).splitlines() == [
        "Warnings in the competition Spring Cup: 6",
        "A pair is expelled after warning 3.",
        "",
        "Alex and Ann: 3 warnings, expelled",
        "  Alex, for exposure, game t2-9, set 1, 2024-05-04T09:00:00Z",
        "  Ann, for signs, game t1-7, set 3, 2024-05-04T10:30:00Z",
        "  Ann, for talk, game t2-9, set 4, 2024-05-04T10:45:00Z",
        "",
        "Carl and Cleo: 2 warnings, the next one expels",
        "  Cleo, for time, game t2-9, set 1, at a time not known",
        "  Carl, for talk, game t2-9, set 4, 2024-05-04T10:45:00Z",
        "",
        "Bert and Bob: 1 warning",
        "  Bert, for talk, game t1-7, set 2, 2024-05-04T10:15:00Z",
        "",
        "Expelled: Alex and Ann",
        "Where the club's text (fours) is played, each of these players misses the next club tournament, or pays",
        "3 entry fees for it on top of the fee; a benefit holder 50 roubles on top of it, or",
        "at most that where the regulations make it a cap. One tournament missed ends the bar (C8.5).",
    ]


def test_page_without_an_expulsion_says_so() -> None:
    """Where nobody is expelled, or nobody was warned at all, nothing is said of fees."""
    assert ledger_text(ledger_of([warning(1)]), SPRING, rung=4).splitlines()[-1] == "Nobody is expelled."
    empty = ledger_text(ledger_of([warning(1)]), AUTUMN, rung=4).splitlines()
    assert empty == [
        "Warnings in the competition Autumn Cup: 0",
        "A pair is expelled after warning 4.",
        "",
        "Nobody is expelled.",
    ]


def test_name_with_a_line_break_does_not_forge_a_line_of_the_page() -> None:
    """A name or reason with control letters stays in the line it stands in."""
    forged = replace(warning(1), reason="talk\nExpelled: Bob and Bert\x1b[2J")
    lines = ledger_text(ledger_of([forged]), SPRING, rung=4).splitlines()
    assert "  Alex, for talk Expelled: Bob and Bert [2J, game g1, set 2, at a time not known" in lines
    assert not [line for line in lines if line.startswith("Expelled")]
