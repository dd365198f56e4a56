"""Wrong passes proven from moves, passes and shown dominoes: all that can be, of those who did it, and nobody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.events import ProvenBy
from controller.game.proof import (
    Contradiction,
    Hands,
    WrongPass,
    contradiction,
    reason_text,
    seat_name,
    wrong_pass_text,
    wrong_passes,
)
from controller.game.state import Exposed, Move, Skip
from controller.game.tiles import Pair, Seat, Tile
from tests.controller.histories import Plies, acts, hands, may_hold, most_dealt, places_of, random_set, tiles

SEEDS = st.integers(0, 10**6)
NAMES = ("Ann", "Bob", "Cleo", "Dan")
NO_HANDS: Hands = ((), (), (), ())
CASES = Path(__file__).parent.parent / "data" / "cases.jsonl"
Case = dict[str, Any]


# --- worked cases ---


def is_told_in_acts(case: Case) -> bool:
    """Whether a case is made of moves, passes and shown hands alone, and says what they prove."""
    events = case["given"].get("events", [])
    is_plain = all({"play", "pass", "reveal"} & set(event) or event == {"referee": "reveal"} for event in events)
    return is_plain and bool({"first_provable", "wrong_passes"} & set(case["expect"]))


ALL_CASES = [json.loads(line) for line in CASES.read_text().splitlines()]
PROOF_CASES = [case for case in ALL_CASES if is_told_in_acts(case)]


def read(case: Case) -> tuple[Plies, Hands | None]:
    """The acts of a case, and the hands shown at its end."""
    words, shown = [], None
    for event in case["given"]["events"]:
        if "play" in event:
            words.append("{}{}{}".format(*event["play"], event["end"][0]))
        elif "pass" in event:
            words.append("-")
        elif "reveal" in event:
            shown = tuple(tuple(Tile.of(a, b) for a, b in hand) for hand in event["reveal"])
    return acts(case["given"]["lead"], " ".join(words)), shown


def test_worked_cases_try_every_kind_of_proof() -> None:
    """Among the cases are some for each way of proving and each sort of blame."""
    found = [case["expect"]["first_provable"] for case in PROOF_CASES if case["expect"].get("first_provable")]
    assert len(found) >= 20
    assert len(PROOF_CASES) - len(found) >= 25
    assert {first["by"] for first in found} == {"play", "counting", "reveal"}
    counted = [first["blame"] for first in found if first["by"] == "counting"]
    assert {tuple(bool(blame[whom]) for whom in ("passes", "seats", "pairs")) for blame in counted} == {
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    }


@pytest.mark.parametrize("case", PROOF_CASES, ids=lambda case: case["id"])
def test_case_is_proven_at_the_act_its_author_says(case: Case) -> None:
    """The first contradiction comes at that act, proven so, and against those."""
    plies, shown = read(case)
    told = [(plies[:number], None) for number in range(len(plies) + 1)] + ([(plies, shown)] if shown else [])
    found = ((len(known), hand, contradiction(known, (), hand)) for known, hand in told)
    first = next(((number, hand, proof) for number, hand, proof in found if proof), None)
    want = case["expect"].get("first_provable")
    if want is None:
        assert first is None
        return
    assert first is not None
    number, hand, proof = first
    events = [place for place, event in enumerate(case["given"]["events"]) if "play" in event or "pass" in event]
    assert (len(case["given"]["events"]) - 1 if hand else events[number - 1]) == want["event"]
    assert proof.by.value == want["by"]
    assert {
        "passes": [events[place] for place in proof.passes],
        "seats": [int(seat) for seat in proof.seats],
        "pairs": [pair.value for pair in proof.pairs],
    } == want["blame"]


@pytest.mark.parametrize(
    "case",
    [case for case in PROOF_CASES if case["expect"].get("wrong_passes") is not None],
    ids=lambda case: case["id"],
)
def test_shown_hands_prove_each_wrong_pass_of_a_case(case: Case) -> None:
    """With all hands on the table every wrong pass is known, with the dominoes that fitted."""
    plies, shown = read(case)
    found = [
        {"event": wrong.ply, "seat": int(wrong.seat), "tiles": [[tile.low, tile.high] for tile in wrong.tiles]}
        for wrong in wrong_passes(plies, (), shown)
    ]
    assert found == case["expect"]["wrong_passes"]


# --- contradicted outright ---


def test_later_move_is_the_proof_before_the_shown_hand() -> None:
    """What everybody saw on the line is said first; all the dominoes that fitted are named."""
    plies = acts(0, "61f - 12R - - 26R")
    shown = hands("| 60 | |")
    assert wrong_passes(plies) == (WrongPass(Seat.S1, 1, tiles("62"), ProvenBy.PLAY, 5),)
    assert wrong_passes(plies[:5], (), shown) == (WrongPass(Seat.S1, 1, tiles("60"), ProvenBy.REVEAL, None),)
    assert wrong_passes(plies, (), shown) == (WrongPass(Seat.S1, 1, tiles("60 62"), ProvenBy.PLAY, 5),)


def test_domino_that_fits_only_later_proves_nothing() -> None:
    """A pass was right if nothing fitted then, whatever is laid afterwards."""
    assert wrong_passes(acts(0, "61f - 12R 23R 65L 34R")) == ()


def test_partners_and_rivals_dominoes_prove_nothing() -> None:
    """Only the passing seat's own dominoes speak against it."""
    assert wrong_passes(acts(0, "61f - 11R 66L"), (), hands("62 | 34 | 51 | 65")) == ()


def test_domino_laid_before_the_pass_proves_nothing() -> None:
    """What had left the hand was not in it, whatever was seen of it before or is said of it after."""
    plies = acts(0, "66f 65R 53R 36R 62R -")
    assert wrong_passes(plies) == ()
    assert wrong_passes(plies, (Exposed(Tile.of(6, 5), Seat.S1),)) == ()
    assert wrong_passes(plies, (), hands("| 65 | |")) == ()


def test_each_wrong_pass_is_proven_once_in_their_order() -> None:
    """Two wrong passes of one seat are two, the earlier first."""
    found = wrong_passes(acts(0, "61f - 11R - - -"), (), hands("| 60 62 | | 10"))
    assert [(wrong.seat, wrong.ply) for wrong in found] == [(1, 1), (3, 3), (1, 5)]


def test_domino_seen_in_the_hand_proves_the_earlier_pass() -> None:
    """A wrong domino taken back has shown what the seat held when it passed."""
    plies = acts(0, "66f - 65R 55R 54R")
    seen = (Exposed(Tile.of(6, 3), Seat.S1),)
    assert wrong_passes(plies, seen) == (WrongPass(Seat.S1, 1, tiles("63"), ProvenBy.EXPOSURE, None),)
    assert wrong_passes(plies, seen, hands("| 62 | |")) == (
        WrongPass(Seat.S1, 1, tiles("62 63"), ProvenBy.EXPOSURE, None),
    )
    assert wrong_passes(plies, (Exposed(Tile.of(6, 3), Seat.S2),)) == ()
    later = acts(0, "66f - 65R 55R 54R 63L")
    assert wrong_passes(later, seen) == (WrongPass(Seat.S1, 1, tiles("63"), ProvenBy.PLAY, 5),)


@pytest.mark.parametrize("seed", range(40))
def test_all_hands_shown_decide_every_pass(seed: int) -> None:
    """With every domino known exactly the wrong passes are proven, each with all that fitted then."""
    played = random_set(seed, lies=0.1)
    found = wrong_passes(played.plies, (), played.left)
    assert tuple(wrong.ply for wrong in found) == played.wrong
    for wrong in found:
        skip = played.plies[wrong.ply]
        assert isinstance(skip, Skip)
        held = played.held(wrong.ply)[wrong.seat]
        assert wrong.seat is skip.seat
        assert wrong.tiles == tuple(t for t in held if any(t.carries(suit) for suit in skip.ends))
        laid = [n for n, ply in enumerate(played.plies) if isinstance(ply, Move) and ply.tile in wrong.tiles]
        assert wrong.seen_in == min(laid, default=None)
        assert wrong.by is (ProvenBy.PLAY if laid else ProvenBy.REVEAL)


def test_liars_of_random_sets_are_many_and_not_everybody() -> None:
    """The sets tried above hold wrong passes and honest ones."""
    sets = [random_set(seed, lies=0.1) for seed in range(40)]
    wrong = sum(len(played.wrong) for played in sets)
    passes = sum(isinstance(ply, Skip) for played in sets for ply in played.plies)
    assert 40 < wrong < passes - 40


# --- counted ---


def blamed_slowly(plies: Plies, believed: frozenset[int]) -> bool:
    """Whether these passes alone leave no deal, by moving dominoes from hand to hand."""
    may = may_hold(plies, believed=believed)
    return most_dealt(may, places_of(plies)) < len(may)


@given(SEEDS, st.sampled_from([0.1, 0.3]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_blame_is_who_alone_leaves_no_deal(seed: int, lies: float) -> None:
    """A pass, a seat or a pair is proven exactly when its own passes cannot all have been right."""
    plies = random_set(seed, lies=lies).plies
    for number in range(len(plies) + 1):
        known = plies[:number]
        passes = {place: ply.seat for place, ply in enumerate(known) if isinstance(ply, Skip)}
        found = contradiction(known)
        if wrong_passes(known):
            assert found is not None
            assert found.by is ProvenBy.PLAY
            assert found.passes == tuple(wrong.ply for wrong in wrong_passes(known))
            return
        assert (found is not None) == blamed_slowly(known, frozenset(passes))
        if found is not None:
            of_seat = {seat: frozenset(p for p in passes if passes[p] is seat) for seat in Seat}
            of_pair = {pair: frozenset(p for p in passes if passes[p].pair is pair) for pair in Pair}
            assert found.passes == tuple(p for p in passes if blamed_slowly(known, frozenset({p})))
            assert found.seats == tuple(seat for seat in Seat if blamed_slowly(known, of_seat[seat]))
            assert found.pairs == tuple(pair for pair in Pair if blamed_slowly(known, of_pair[pair]))
            assert_shown_by(found, known)


@pytest.mark.parametrize("seed", [495, 834, 836])
def test_passes_of_the_holders_are_no_reason(seed: int) -> None:
    """That a holder denied some of the dominoes too is not told: they lie with the holders at best."""
    plies = random_set(seed, lies=0.2).plies
    known = next(plies[:number] for number in range(len(plies)) if contradiction(plies[:number]))
    found = contradiction(known)
    assert found is not None
    held = [ply for ply in known if isinstance(ply, Skip) and ply.seat in found.holders]
    assert any(tile.carries(suit) for ply in held for suit in ply.ends for tile in found.tiles)
    assert_shown_by(found, known)


def assert_shown_by(found: Contradiction, plies: Plies) -> None:
    """The passes named as the reason keep the dominoes from all but the holders, who have too few places."""
    may, places = may_hold(plies, believed=frozenset(found.because)), places_of(plies)
    assert all(may[tile] <= set(found.holders) for tile in found.tiles)
    assert {plies[place].seat for place in found.because}.isdisjoint(found.holders)
    assert len(found.tiles) > found.places == sum(places[seat] for seat in found.holders)
    whose = {plies[place].seat for place in found.because}
    if found.passes:
        assert found.because == found.passes[:1]
    elif found.seats:
        assert whose == {found.seats[0]}
    elif found.pairs:
        assert {seat.pair for seat in whose} == {found.pairs[0]}


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=80)
def test_honest_set_is_never_contradicted(seed: int) -> None:
    """Nobody who passed rightly is accused, at no act and not at the count."""
    played = random_set(seed)
    for number in range(len(played.plies) + 1):
        assert contradiction(played.plies[:number]) is None
        assert contradiction(played.plies[:number], (), played.held(number)) is None


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=80)
def test_contradiction_stays_and_names_nobody_innocent(seed: int) -> None:
    """Once the acts cannot be they stay so, and every pass, seat and pair named has a wrong pass to it."""
    played = random_set(seed, lies=0.12)
    was = False
    for number in range(len(played.plies) + 1):
        found = contradiction(played.plies[:number])
        assert found or not was
        was = found is not None
        if found:
            wrong = [place for place in played.wrong if place < number]
            assert set(found.passes) <= set(wrong)
            assert {played.plies[place].seat for place in wrong} >= set(found.seats)
            assert {played.plies[place].seat.pair for place in wrong} >= set(found.pairs)
            assert wrong
    assert (contradiction(played.plies, (), played.left) is not None) == bool(played.wrong)


@given(SEEDS)
@settings(deadline=None, derandomize=True, max_examples=40)
def test_nothing_is_left_when_the_wrong_passes_are_excused(seed: int) -> None:
    """Left out of account, a wrong pass contradicts nothing and proves nothing against anybody."""
    played = random_set(seed, lies=0.12)
    for number in range(len(played.plies) + 1):
        assert contradiction(played.plies[:number], excused=frozenset(played.wrong)) is None


def test_excused_pass_lets_counting_speak() -> None:
    """A pass contradicted outright no longer hides, once excused, what the others prove together."""
    plies = acts(0, "66f - - - - 63R - - -")
    outright = contradiction(plies)
    assert outright is not None
    assert (outright.by, outright.passes, outright.seats) == (ProvenBy.PLAY, (1,), (Seat.S1,))
    assert outright.wrong == wrong_passes(plies)
    assert contradiction(plies[:8], excused=frozenset({1})) is None
    counted = contradiction(plies, excused=frozenset({1}))
    assert counted is not None
    assert (counted.by, counted.passes, counted.seats, counted.pairs) == (ProvenBy.COUNTING, (), (), ())
    assert (counted.holders, counted.places) == ((Seat.S1,), 6)
    assert counted.tiles == tiles("60 61 62 64 65 30 31 32 33 34 35")


def test_strongest_proof_is_named_of_several() -> None:
    """A move that everybody saw comes before a domino seen in a hand, and that before one shown at the count."""
    plies = acts(0, "61f - 12R - - 26R")
    by_play = contradiction(plies, (), hands("| | | 20"))
    assert by_play is not None
    assert (by_play.by, by_play.passes, by_play.pairs) == (ProvenBy.PLAY, (1, 3), (Pair.B,))
    assert by_play.tiles == tiles("62 20")
    by_exposure = contradiction(plies[:5], (Exposed(Tile.of(6, 0), Seat.S1),), hands("22 | | | 20"))
    assert by_exposure is not None
    assert (by_exposure.by, by_exposure.passes, by_exposure.pairs) == (ProvenBy.EXPOSURE, (1, 3, 4), (Pair.A, Pair.B))


def test_exposure_alone_or_with_passes_can_leave_no_deal() -> None:
    """A domino seen in a hand proves an earlier pass of its seat, and takes a place from the others."""
    plies = acts(0, "66f - - -")
    outright = contradiction(plies, (Exposed(Tile.of(6, 0), Seat.S1),))
    assert outright is not None
    assert (outright.by, outright.passes, outright.pairs) == (ProvenBy.EXPOSURE, (1,), (Pair.B,))
    counted = contradiction(plies, (Exposed(Tile.of(5, 5), Seat.S0),))
    assert counted is not None
    assert (counted.by, counted.holders, counted.places) == (ProvenBy.COUNTING, (Seat.S0,), 6)
    assert counted.tiles == tiles("60 61 62 63 64 65 55")


def test_hands_shown_by_some_are_counted_with() -> None:
    """Six other dominoes in the leader's hand leave no place for the sixes that all others denied."""
    plies = acts(0, "66f - - -")
    shown = hands("00 10 20 11 22 21 | | |")
    assert contradiction(plies[:3], (), shown) is None
    found = contradiction(plies, (), shown)
    assert found is not None
    assert (found.by, found.holders, found.places) == (ProvenBy.COUNTING, (Seat.S0,), 6)
    assert found.tiles == tiles("60 61 62 63 64 65 00 10 20 11 22 21")
    assert (found.passes, found.seats, found.pairs) == ((), (), ())


def test_record_that_cannot_be_without_any_pass_accuses_nobody() -> None:
    """Eight dominoes shown in one hand are a misreading, whatever was passed."""
    plies = acts(0, "66f - - -")
    assert contradiction(plies, (), hands("00 10 20 11 22 21 33 | | |")) is None
    assert contradiction(()) is None


# --- in words ---


TOLD = {
    (0, "66f - - - -"): (
        "These 6 dominoes, 6-0 6-1 6-2 6-3 6-4 6-5, can lie with nobody: Bob passed (act 2) with 6 open, "
        "Cleo passed (act 3) with 6 open, Dan passed (act 4) with 6 open, Ann passed (act 5) with 6 open. At "
        "least one of these passes was wrong, but whose is not proven."
    ),
    (0, "66f - - - 65R - - -"): (
        "These 11 dominoes, all the unplayed ones with 5 or 6, can lie only with Ann, who has 5 places left: "
        "Bob passed (act 6) with 6 and 5 open, Cleo passed (act 7) with 6 and 5 open, Dan passed (act 8) "
        "with 6 and 5 open. At least one of these passes was wrong, but whose is not proven."
    ),
    (1, "02f 06L - 26R 61R 63L 33L 32L 11R 24L 15R 50R 43L 03R 35R 31L 14L 55R 54R 44R 46L 40R"): (
        "These 5 dominoes, 2-1 2-2 5-2 6-5 6-6, can lie only with Ann, Bob and Cleo, who have 4 places left: "
        "Dan passed (act 3) with 6 and 2 open. So the pass of Dan at act 3 was wrong."
    ),
    (0, "66f 60R 65L - 00R 53L 04R -"): (
        "These 17 dominoes, all the unplayed ones with 0, 3, 4 or 5, can lie only with Ann, Bob and Cleo, "
        "who have 15 places left: Dan passed (act 4) with 5 and 0 open and (act 8) with 3 and 4 open. So a "
        "pass of Dan was wrong."
    ),
    (2, "25f 26L 66L 56R 60R 04R 42R 63L 20R 34L 44L 05R 46L 53R 31R 14R - 45R 61L 55R 10L 51R - 03L - 33L"): (
        "These 2 dominoes, 1-1 2-1, can lie only with Bob and Dan, who have 1 place left: Ann passed (act "
        "23) with 0 and 1 open, Cleo passed (act 25) with 3 and 1 open. So a pass of Ann or Cleo was wrong."
    ),
    (0, "36f 30L 04L 46L 60R 66L 01R 62L 12R 20L 05L - 22R 52L - - - -"): (
        "These 2 dominoes, 3-2 4-2, can lie with nobody: Dan passed (act 12) with 5 and 2 open, Cleo passed "
        "(act 15) with 2 open, Ann passed (act 17) with 2 open, Bob passed (act 18) with 2 open. At least "
        "one of these passes was wrong, but whose is not proven."
    ),
}
"""The leader and the acts, and what is to be told of them."""


@pytest.mark.parametrize(("lead", "history"), TOLD)
def test_counting_is_told_so_that_a_referee_can_check_it(lead: int, history: str) -> None:
    """Which dominoes have too few places, by whose passes, and whom that proves."""
    plies = acts(lead, history)
    found = contradiction(plies)
    assert found is not None
    assert reason_text(found, plies, NAMES) == TOLD[lead, history]


def test_domino_seen_in_a_hand_is_told_with_the_passes() -> None:
    """Where a place is taken by a domino that was seen, that is said."""
    plies = acts(0, "66f - - -")
    seen = (Exposed(Tile.of(5, 5), Seat.S0),)
    found = contradiction(plies, seen)
    assert found is not None
    assert reason_text(found, plies, NAMES) == (
        "These 7 dominoes, 6-0 6-1 6-2 6-3 6-4 5-5 6-5, can lie only with Ann, who has 6 places left: Bob passed "
        "(act 2) with 6 open, Cleo passed (act 3) with 6 open, Dan passed (act 4) with 6 open, 5-5 seen in a hand. "
        "At least one of these passes was wrong, but whose is not proven."
    )


def test_pass_contradicted_outright_is_told_in_one_sentence_each() -> None:
    """When which suits were open, and the domino that fitted then."""
    plies = acts(0, "61f - 12R - - 26R")
    (wrong,) = wrong_passes(plies)
    text = "Bob passed (act 2) with 6 and 1 open, and later laid 6-2 (act 6), which fitted then."
    assert wrong_pass_text(wrong, plies, NAMES) == text
    found = contradiction(plies)
    assert found is not None
    assert reason_text(found, plies, NAMES) == text
    shown = contradiction(plies[:5], (), hands("| 60 62 | | 20"))
    assert shown is not None
    assert reason_text(shown, plies, NAMES) == (
        "Bob passed (act 2) with 6 and 1 open, and at the count showed 6-0 6-2, which fitted then. "
        "Dan passed (act 4) with 6 and 2 open, and at the count showed 2-0, which fitted then."
    )


def test_text_tells_what_was_seen_in_a_hand_and_one_place_or_none() -> None:
    """Exposure is told as such; a single domino, a single place and no place have their own words."""
    plies = acts(0, "66f - 65R 55R 54R")
    (wrong,) = wrong_passes(plies, (Exposed(Tile.of(6, 3), Seat.S1),))
    text = "Bob passed (act 2) with 6 open, and was seen to hold 6-3, which fitted then."
    assert wrong_pass_text(wrong, plies, NAMES) == text
    alone = contradiction(plies, (Exposed(Tile.of(6, 3), Seat.S1),))
    assert alone is not None
    assert reason_text(alone, plies, NAMES) == text
    one = Contradiction(ProvenBy.COUNTING, (1,), (), (), tiles("60"), (Seat.S2,), 0, because=(1,))
    assert reason_text(one, plies, NAMES).startswith(
        "This domino, 6-0, can lie only with Cleo, who has no places left: "
    )


def test_several_proofs_are_named_in_one_sentence() -> None:
    """Each proven pass, then each seat and pair that no named pass belongs to."""
    plies = acts(0, "66f - - -")
    several = Contradiction(
        ProvenBy.COUNTING, (1, 2), (Seat.S1, Seat.S2, Seat.S3), (Pair.A, Pair.B), tiles("60"), (), 0, because=(1, 2, 3)
    )
    assert reason_text(several, plies, NAMES).endswith(
        "So the pass of Bob at act 2, the pass of Cleo at act 3 and a pass of Dan were wrong."
    )


def test_seat_without_a_name_is_told_by_its_number() -> None:
    """A game without names is judged as well."""
    assert seat_name(("", "Bob", "", ""), Seat.S1) == "Bob"
    assert seat_name(("", "Bob", "", ""), Seat.S2) == "seat 2"
    plies = acts(0, "61f - 12R - - 26R")
    (wrong,) = wrong_passes(plies)
    assert wrong_pass_text(wrong, plies, ("", "", "", "")).startswith("Seat 1 passed (act 2)")
