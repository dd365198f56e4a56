"""Chapter 2 of docs/rules.md: seats and lead."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.decide import decide
from controller.game.events import Reason
from controller.game.rulesets import MinorOrder, NextLead, Params, Seating, fours, spots
from controller.game.state import Phase, State
from controller.game.tiles import ALL_TILES, Pair, Seat
from tests.controller.games import Table
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import (
    FOURS,
    begun,
    deal,
    locked,
    opened,
    refused,
    run,
)

PAIRS = (("Ann", "Cleo"), ("Bob", "Dan"))


def drawn(*words: str, params: Params = FOURS) -> tuple[str, ...] | Reason:
    """The players by seat after Ann, Cleo, Bob and Dan drew these dominoes, or why not."""
    halves = tuple((int(w[0]), int(w[1])) for w in words)
    (event,) = decide(State(), cmd.DrawSeats(Table().now, PAIRS, params, halves))  # type: ignore[arg-type]
    if isinstance(event, ev.Refused):
        return event.reason
    assert isinstance(event, ev.SeatsDrawn)
    assert event.lead is Seat.S0
    return event.names


@pytest.mark.rule("2.1")
@pytest.mark.rule("2.3")
@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("10 66 50 65", ("Ann", "Bob", "Cleo", "Dan")),
        ("66 10 65 50", ("Cleo", "Dan", "Ann", "Bob")),
        ("54 61 00 11", ("Bob", "Cleo", "Dan", "Ann")),
        ("54 11 66 10", ("Dan", "Cleo", "Bob", "Ann")),
    ],
)
def test_rules_minor_domino_leads_and_minor_rival_sits_on_the_left(words: str, names: tuple[str, ...]) -> None:
    """Who draws the fewest spots sits at seat 0; the rival with fewer sits at seat 1; partners face each other."""
    assert drawn(*words.split()) == names


@pytest.mark.rule("2.2")
@pytest.mark.parametrize(
    ("order", "first"),
    [
        (MinorOrder.SPOTS_THEN_LOW_SUIT, "Ann"),
        (MinorOrder.SPOTS_THEN_HIGH_SUIT, "Bob"),
        (MinorOrder.LOW_SUIT_THEN_SPOTS, "Dan"),
    ],
)
def test_rules_minor_order_decides_between_equal_spots(order: MinorOrder, first: str) -> None:
    """Of 5-1 (Ann), 4-2 (Bob) and 6-1 (Cleo) with 6-5 or 6-0: each reading has another No. 1."""
    words = "51 61 42 60" if order is MinorOrder.LOW_SUIT_THEN_SPOTS else "51 61 42 65"
    names = drawn(*words.split(), params=fours(minor_order=order))
    assert names[0] == first  # type: ignore[index]


@pytest.mark.rule("2.2")
@pytest.mark.parametrize(
    ("order", "first"),
    [
        (MinorOrder.SPOTS_THEN_LOW_SUIT, "Bob"),
        (MinorOrder.SPOTS_THEN_HIGH_SUIT, "Bob"),
        (MinorOrder.LOW_SUIT_THEN_SPOTS, "Ann"),
    ],
)
def test_rules_minor_order_weighs_spots_against_suits(order: MinorOrder, first: str) -> None:
    """Six-blank (Ann) is minor to double one (Bob) only where the suit comes first."""
    names = drawn("60", "66", "11", "65", params=fours(minor_order=order))
    assert names[0] == first  # type: ignore[index]


@pytest.mark.rule("2.3")
def test_rules_rivals_with_equal_spots_are_told_apart_by_the_minor_suit() -> None:
    """Bob's 4-2 and Dan's 5-1 have six spots each: Dan sits on the left of No. 1."""
    assert drawn("00", "66", "42", "51") == ("Ann", "Dan", "Cleo", "Bob")


@pytest.mark.rule("2.4")
@pytest.mark.parametrize(
    ("lots", "names"), [((3, 7), ("Ann", "Bob", "Cleo", "Dan")), ((7, 3), ("Bob", "Ann", "Dan", "Cleo"))]
)
def test_rules_lower_lot_sits_first_and_leads(lots: tuple[int, int], names: tuple[str, ...]) -> None:
    """The first player of the pair with the lower lot leads, the first of the rivals sits on his left."""
    table = Table()
    table.do(cmd.DrawSeats(table.now, PAIRS, spots(), None, lots))
    table.do(cmd.StartGame(table.now, None, Seat.S3, spots()))
    assert table.state.names == names
    assert table.state.lead is Seat.S0


@pytest.mark.rule("2.5")
def test_rules_draw_that_cannot_be_changes_nothing() -> None:
    """A domino drawn twice, one that does not exist, equal lots, and a game for which nothing was drawn."""
    assert drawn("51", "15", "42", "60") is Reason.TILE_DRAWN_TWICE
    assert drawn("51", "70", "42", "60") is Reason.NO_SUCH_TILE
    table = Table()
    assert refused(table, cmd.DrawSeats(table.now, PAIRS, spots(), None, (4, 4))) is Reason.EQUAL_LOTS
    assert refused(table, cmd.StartGame(table.now, None, Seat.S0, FOURS)) is Reason.NOTHING_DRAWN


@pytest.mark.rule("2.1")
@pytest.mark.rule("2.4")
@pytest.mark.rule("2.5")
@pytest.mark.parametrize("seating", Seating)
def test_rules_seating_takes_dominoes_or_lots_and_not_the_other(seating: Seating) -> None:
    """Where dominoes are drawn lots seat nobody, and the other way round."""
    table = Table()
    halves = ((0, 0), (1, 1), (2, 2), (3, 3))
    by_tiles = cmd.DrawSeats(table.now, PAIRS, fours(seating=seating), halves, None)
    by_lots = cmd.DrawSeats(table.now, PAIRS, fours(seating=seating), None, (1, 2))
    right, wrong = (by_tiles, by_lots) if seating is Seating.TILE_DRAW else (by_lots, by_tiles)
    assert refused(table, wrong) is Reason.NOTHING_DRAWN
    assert isinstance(table.do(right), ev.SeatsDrawn)


@pytest.mark.rule("2.6")
@pytest.mark.parametrize(
    ("next_lead", "winner", "lead"),
    [
        (NextLead.ROTATE, Pair.A, Seat.S1),
        (NextLead.ROTATE, Pair.B, Seat.S1),
        (NextLead.ROTATE, None, Seat.S1),
        (NextLead.WINNER, Pair.B, Seat.S1),
        (NextLead.WINNER, Pair.A, Seat.S2),
        (NextLead.WINNER, None, Seat.S1),
        (NextLead.DRAW, Pair.A, None),
        (NextLead.DRAW, None, None),
    ],
)
def test_rules_next_lead_after_a_deadlock(next_lead: NextLead, winner: Pair | None, lead: Seat | None) -> None:
    """Seat 0 led and seat 1 made the last move: the next lead rotates, goes with the winner, or is drawn."""
    assert locked(opened(fours(next_lead=next_lead)), winner).state.lead is lead


@pytest.mark.rule("2.6")
def test_rules_winner_who_went_out_leads_next() -> None:
    """Seat 0 led and went out: with `winner` it leads again, with `rotate` seat 1 does."""
    assert run(begun(fours(next_lead=NextLead.WINNER)), OUT_15).state.lead is Seat.S0
    assert run(begun(), OUT_15).state.lead is Seat.S1


@pytest.mark.rule("2.6")
def test_rules_four_sets_are_led_by_four_players() -> None:
    """In a game of four each player leads once, clockwise."""
    table = opened(lead=Seat.S2)
    for winner in (Pair.A, Pair.A, Pair.B, Pair.A):
        locked(table, winner)
    assert [result.lead for result in table.state.results] == [2, 3, 0, 1]


@pytest.mark.rule("2.7")
def test_rules_set_played_again_keeps_its_leader() -> None:
    """Neither a replay nor a redeal moves the lead on."""
    table = begun(lead=Seat.S2)
    table.do(cmd.RestartSet(table.now, "spilled", "Eve"))
    assert table.state.lead is Seat.S2
    deal(table)
    doubles = tuple(sorted(t for t in ALL_TILES if t.is_double))
    table.do(cmd.ClaimRedeal(table.now, 1, doubles))
    assert table.is_in(Phase.BETWEEN)
    assert table.state.lead is Seat.S2


@pytest.mark.rule("2.8")
def test_rules_settled_lead_is_fixed_and_drawn_lead_must_be_drawn() -> None:
    """A settled lead goes to nobody else; with a drawn one no set begins before the draw."""
    table = opened()
    assert refused(table, cmd.StartSet(table.now, Seat.S2)) is Reason.LEAD_IS_FIXED
    assert refused(table, cmd.DrawLead(table.now, ((0, 0), (1, 1), (2, 2), (3, 3)))) is Reason.LEAD_IS_FIXED
    table = locked(opened(fours(next_lead=NextLead.DRAW)), Pair.A)
    assert refused(table, cmd.StartSet(table.now)) is Reason.LEAD_MUST_BE_DRAWN
    table.do(cmd.DrawLead(table.now, ((6, 6), (1, 1), (0, 0), (3, 3))))
    table.do(cmd.StartSet(table.now))
    assert table.state.turn is Seat.S2
