"""Chapters 1 and 3 of docs/rules.md: table and dominoes, before the set."""

from __future__ import annotations

import pytest

from controller.game import commands as cmd
from controller.game.events import Reason
from controller.game.rulesets import FirstMixer, Params, fours, spots
from controller.game.state import Phase
from controller.game.tiles import ALL_TILES, Pair, Seat
from controller.register.fold import register_of
from tests.controller.games import NAMES, Table, in_a_row, seen
from tests.controller.rule_sets import OUT_15
from tests.controller.rule_table import (
    FOURS,
    begun,
    deal,
    entered,
    lay_by,
    locked,
    opened,
    play,
    refused,
    tile,
    warn,
)


@pytest.mark.rule("1.1")
@pytest.mark.parametrize("word", ["77R", "67R", "76R"])
def test_rules_only_28_dominoes_exist(word: str) -> None:
    """A seven is on no domino; there are 28 of them, seven of each suit and seven doubles."""
    assert len(ALL_TILES) == 28
    assert all(sum(t.carries(tile(f"{suit}{suit}").low) for t in ALL_TILES) == 7 for suit in range(7))
    assert sum(t.is_double for t in ALL_TILES) == 7
    table = play(begun(), "66")
    assert refused(table, lay_by(1, word, table)) is Reason.NO_SUCH_TILE


@pytest.mark.rule("1.2")
def test_rules_four_seats_and_two_pairs() -> None:
    """Seats 0 and 2 play against 1 and 3, and nobody sits at 4."""
    assert [seat.pair for seat in Seat] == [Pair.A, Pair.B, Pair.A, Pair.B]
    table = play(begun(), "66")
    for seat in (-1, 4):
        assert refused(table, cmd.Pass(table.now, seat)) is Reason.NO_SUCH_SEAT


@pytest.mark.rule("1.3")
def test_rules_spots_are_those_of_both_halves() -> None:
    """Five and four are nine spots, the double six is one domino of its suit, and all together have 168."""
    assert tile("54").spots == 9
    assert tile("66").spots == 12
    assert sum(t.spots for t in ALL_TILES) == 168
    assert sum(t.carries(tile("66").low) for t in ALL_TILES) == 7


@pytest.mark.rule("1.4")
def test_rules_unplayed_dominoes_are_the_four_hands() -> None:
    """After 24 moves four dominoes are left, one at each seat that has not gone out, and no others can be shown."""
    table = play(begun(), OUT_15.acts)
    state = table.state
    assert [state.tiles_left(seat) for seat in Seat] == [0, 1, 1, 1]
    assert state.line.unplayed == {tile("55"), tile("66"), tile("41")}


@pytest.mark.rule("1.5")
@pytest.mark.parametrize("word", ["65R", "56R", "56L"])
def test_rules_no_domino_is_laid_twice(word: str) -> None:
    """The six-five lies: it cannot be laid again, whichever way round."""
    table = play(begun(), "66 65R")
    assert refused(table, lay_by(2, word, table)) is Reason.TILE_ALREADY_PLAYED


@pytest.mark.rule("1.6")
@pytest.mark.parametrize("params", [fours(), spots(sets_in_game=3), fours(sets_in_game=8)], ids=["4", "3", "8"])
def test_rules_game_has_the_agreed_sets(params: Params) -> None:
    """The game is over with its last agreed set and not before."""
    table = opened(params)
    for _ in range(params.sets_in_game):
        assert table.state.phase is Phase.BETWEEN
        locked(table, Pair.A)
    assert table.state.phase is Phase.GAME_OVER
    assert len(table.state.results) == params.sets_in_game


@pytest.mark.rule("1.6")
@pytest.mark.rule("18.3")
@pytest.mark.parametrize("sets", [0, 2, 3, 6, 404])
def test_rules_game_of_fours_has_a_multiple_of_four_sets(sets: int) -> None:
    """Other numbers of sets are no game of `fours`."""
    with pytest.raises(ValueError, match="sets_in_game"):
        fours(sets_in_game=sets)


@pytest.mark.rule("1.7")
def test_rules_decided_game_is_played_to_its_end() -> None:
    """At 3:0 the fourth set is still played, and its point is entered."""
    table = opened()
    for winner in (Pair.A, Pair.A, Pair.A, Pair.B):
        assert table.state.phase is Phase.BETWEEN
        locked(table, winner)
    assert table.state.points == (3, 1)


# --- 3. before the set ---


@pytest.mark.rule("3.1")
@pytest.mark.parametrize(("mixer", "first"), [(FirstMixer.OPPOSITE, Seat.S3), (FirstMixer.LEFT, Seat.S2)])
def test_rules_mixing_is_noted_with_the_leader_second_and_last(mixer: FirstMixer, first: Seat) -> None:
    """Seat 1 leads: its partner, or the rival on its left, mixes first; seat 1 mixes second and takes last."""
    table = begun(fours(first_mixer=mixer), lead=Seat.S1)
    mixing = register_of(table.happened, table="1", date="").sets[0].mixing
    assert mixing is not None
    assert (mixing.first, mixing.second, mixing.takes[-1]) == (first, Seat.S1, Seat.S1)
    assert sorted(mixing.takes) == list(Seat)


@pytest.mark.rule("3.2")
def test_rules_mixing_is_a_line_of_fours_only_and_never_a_finding() -> None:
    """The register of `spots` has no such line, and nobody is accused of mixing."""
    table = begun(spots())
    assert register_of(table.happened, table="1", date="").sets[0].mixing is None
    assert not begun().state.findings


@pytest.mark.rule("3.3")
def test_rules_set_begins_with_the_word_or_with_the_leaders_domino() -> None:
    """The referee starts the set, or the leader lays a domino in the cleared middle and has begun it."""
    table = opened(lead=Seat.S3)
    table.do(cmd.See(table.now, in_a_row(seen(6, 4))))
    assert table.is_in(Phase.PLAY)
    assert table.state.plies[0].seat is Seat.S3
    assert begun(lead=Seat.S3).state.turn is Seat.S3


@pytest.mark.rule("3.3")
def test_rules_last_line_must_be_cleared_before_the_lead_is_seen() -> None:
    """While the last line still lies a domino in the middle begins nothing."""
    table = locked(opened(), Pair.A)
    table.do(cmd.See(table.now, in_a_row(seen(6, 4))))
    assert table.is_in(Phase.BETWEEN)


@pytest.mark.rule("3.4")
def test_rules_what_does_not_belong_to_the_moment_is_refused() -> None:
    """Before a game, before a set, in one, and after the game."""
    table = Table()
    assert refused(table, cmd.StartSet(table.now)) is Reason.NO_GAME
    assert refused(table, cmd.Warn(table.now, 0, "talk")) is Reason.NO_GAME
    table = opened()
    assert refused(table, lay_by(0, "66", table)) is Reason.NO_SET
    assert refused(table, cmd.StartGame(table.now, NAMES, Seat.S0, FOURS)) is Reason.GAME_RUNNING
    deal(table)
    assert refused(table, cmd.StartSet(table.now)) is Reason.SET_RUNNING
    warn(table, 0, 0)
    deal(table)
    warn(table, 0)
    assert table.is_in(Phase.GAME_OVER)
    assert refused(table, cmd.StartSet(table.now)) is Reason.GAME_OVER


@pytest.mark.rule("3.4")
def test_rules_game_in_progress_can_be_given_up() -> None:
    """A new game takes the place of one that is given up, and nothing of it is left."""
    table = begun()
    play(table, "66 65R")
    table.do(cmd.StartGame(table.now, NAMES, Seat.S1, FOURS, abandon=True))
    assert table.is_in(Phase.BETWEEN)
    assert entered(table) == 0
    assert table.state.lead is Seat.S1
