"""The line remembered: one domino lifted, moved, turned or replaced is told; a line pushed, an arm, a cup are not."""

from __future__ import annotations

import cmath
import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.line import Line
from controller.game.rulesets import WrongDominoAlert, fours
from controller.game.seen import ChainLink, Disagreement, SeenTile, Sighting, Spot
from controller.game.sight import Agreement, reconcile
from controller.game.state import Halt, Move, Skip
from controller.game.tiles import End, Seat, Tile
from tests.controller.games import Table, deal, in_a_row, line_of, looks, seen, ways
from tests.controller.rule_table import begun, play

LINE = line_of("66 65 53 31 14 42")
NOWHERE = 1000 + 0j


def lying(line: Line, *, turn_deg: float = 0.0, shift: complex = 0j) -> list[SeenTile]:
    """The line in a straight row, two sides of a half a domino, turned and shifted as a whole; a to the left."""
    way = cmath.rect(1.0, math.radians(turn_deg))
    return [replace(seen(p.left, p.right), spot=Spot(way * (2 * n) + shift, way)) for n, p in enumerate(line.placed)]


def moved(tile: SeenTile, by: complex = 0j, *, turn_deg: float = 0.0) -> SeenTile:
    """A domino put down elsewhere, or turned."""
    assert tile.spot is not None
    return replace(tile, spot=Spot(tile.spot.middle + by, tile.spot.way * cmath.rect(1.0, math.radians(turn_deg))))


def table_of(tiles: list[SeenTile], *, bare: tuple[SeenTile, ...] | None = ()) -> Sighting:
    """The dominoes with the chains they form: what lies one behind the other, as a reader links them."""
    chains: list[list[ChainLink]] = []
    for number, tile in enumerate(tiles):
        last = tiles[number - 1] if number else None
        is_next = last is not None and last.spot is not None and tile.spot is not None
        if is_next and abs(tile.spot.middle - last.spot.middle) < 2.5 and chains:  # type: ignore[union-attr]
            chains[-1].append(ChainLink(number, is_flipped=False))
        else:
            chains.append([ChainLink(number, is_flipped=False)])
    return Sighting(tuple(tiles), tuple(tuple(chain) for chain in chains if len(chain) > 1), bare=bare)


BEFORE = table_of(lying(LINE))


def trouble(
    tiles: list[SeenTile], *, bare: tuple[SeenTile, ...] | None = (), before: Sighting | None = BEFORE
) -> tuple[str, Tile | None]:
    """What is told of this table."""
    view = reconcile(LINE, (), table_of(tiles, bare=bare), before)
    assert isinstance(view, Disagreement), view
    assert view.tile is None or str(view.tile) in view.text
    return view.code, view.tile


def is_well(tiles: list[SeenTile], *, before: Sighting | None = BEFORE) -> bool:
    return reconcile(LINE, (), table_of(tiles), before) == Agreement()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(turn_deg=st.floats(-180, 180), x=st.floats(-20, 20), y=st.floats(-20, 20))
def test_line_pushed_or_turned_as_a_whole_is_nothing(turn_deg: float, x: float, y: float) -> None:
    """However far, with a domino hidden too."""
    tiles = lying(LINE, turn_deg=turn_deg, shift=complex(x, y))
    assert is_well(tiles)
    for hidden in range(6):
        assert is_well([tile for n, tile in enumerate(tiles) if n != hidden])


@pytest.mark.rule("4.12")
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("turn_deg", [0.0, 70.0])
def test_lifted_domino_is_told(place: int, turn_deg: float) -> None:
    """Inside the line as well as at its ends: its place is bare."""
    tiles = lying(LINE, turn_deg=turn_deg)
    gone = tiles.pop(place)
    assert trouble(tiles, bare=(gone,)) == ("tile_missing", LINE.placed[place].tile)


@pytest.mark.rule("4.12")
@pytest.mark.parametrize("place", range(6))
def test_hidden_domino_is_not_lost(place: int) -> None:
    """Under an arm or a cup its place is not bare; where nobody has looked, one at an end is missed as ever."""
    tiles = lying(LINE)
    tiles.pop(place)
    assert is_well(tiles)
    view = reconcile(LINE, (), table_of(tiles, bare=None), BEFORE)
    assert isinstance(view, Disagreement) == (place in (0, 5))


def test_domino_of_an_earlier_set_is_not_missed_in_this_one() -> None:
    """One read as the 3-1 was swept away before this set; now a cup hides the real one. Lifted later it is missed."""
    misread = replace(seen(3, 1, 0.8), spot=Spot(30 + 9j, 1 + 0j))
    before = replace(BEFORE, bare=(misread,))
    tiles = lying(LINE)
    lifted = tiles.pop(3)
    assert reconcile(LINE, (), table_of(tiles, bare=(misread,)), before) == Agreement()
    assert trouble(tiles, bare=(misread, lifted), before=before) == ("tile_missing", Tile.of(3, 1))


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("by", [3j, -1.5j, 40 + 5j])
def test_domino_moved_away_is_told(place: int, by: complex) -> None:
    """Pushed out of the line, or laid somewhere else on the table; also while the whole line was turned."""
    for turn_deg in (0.0, 30.0):
        tiles = lying(LINE, turn_deg=turn_deg)
        tiles[place] = moved(tiles[place], by)
        # Beside the row the chain is broken there.
        links = table_of([tile for n, tile in enumerate(tiles) if n != place])
        order = [n for n in range(6) if n != place]
        chains = tuple(tuple(ChainLink(order[k.tile], k.is_flipped) for k in chain) for chain in links.chains)
        view = reconcile(LINE, (), Sighting(tuple(tiles), chains, bare=()), BEFORE)
        assert isinstance(view, Disagreement)
        assert (view.code, view.tile) == ("tile_moved", LINE.placed[place].tile)


@pytest.mark.parametrize("place", range(1, 6))
def test_domino_turned_round_is_told(place: int) -> None:
    """By half a turn where it lies, with the table seen before and without; a double has no wrong way round."""
    tiles = lying(LINE)
    turned = tiles[place]
    assert turned.spot is not None
    tiles[place] = SeenTile(turned.b, turned.a, turned.spot)  # its other half is to the left now
    for before in (BEFORE, None):
        assert trouble(tiles, before=before) == ("tile_turned", LINE.placed[place].tile)
    tiles = lying(LINE)
    tiles[0] = moved(tiles[0], turn_deg=180)
    assert is_well(tiles)


def test_domino_turned_across_the_line_is_told() -> None:
    """By a quarter turn, so that it touches nothing any more."""
    tiles = lying(LINE)
    tiles[2] = moved(tiles[2], turn_deg=90)
    chains = ((ChainLink(0, is_flipped=False), ChainLink(1, is_flipped=False)),)
    view = reconcile(LINE, (), Sighting(tuple(tiles), chains, bare=()), BEFORE)
    assert isinstance(view, Disagreement)
    assert (view.code, view.tile) == ("tile_turned", Tile.of(5, 3))


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("before", [BEFORE, None], ids=["seen before", "not seen before"])
def test_domino_replaced_by_another_is_told(place: int, before: Sighting | None) -> None:
    """The 2-2 lies where another was laid: that one is named, and what lies there."""
    tiles = lying(LINE)
    tiles[place] = replace(seen(2, 2), spot=tiles[place].spot)
    view = reconcile(LINE, (), table_of(tiles), before)
    assert isinstance(view, Disagreement)
    assert (view.code, view.tile) == ("tile_replaced", LINE.placed[place].tile)
    assert view.text.startswith("2-2 seems to lie where")


def test_line_nudged_and_bent_is_nothing() -> None:
    """A sleeve shifts half of it by a finger's breadth: each domino still touches its neighbours."""
    tiles = lying(LINE)
    bent = [*tiles[:3], *(moved(tile, 0.9j, turn_deg=8) for tile in tiles[3:])]
    assert is_well(bent)


@pytest.mark.rule("4.12")
def test_sheet_over_the_line_is_told_as_what_it_is() -> None:
    """Three dominoes that can't be seen are covered by more than an arm or a cup: nothing counts before it is gone."""
    tiles = lying(LINE)
    view = reconcile(
        LINE, (), table_of([*tiles[:1], *tiles[4:], replace(seen(2, 0), spot=Spot(12 + 0j, 1 + 0j))]), BEFORE
    )
    assert isinstance(view, Disagreement)
    assert (view.code, view.tile) == ("covered", Tile.of(6, 5))
    assert view.text == (
        "Something covers 3 dominoes of the line, 6-5 among them: take it away, or have the line taken over "
        "if they lie there."
    )


def test_line_swept_together_is_told_as_a_whole() -> None:
    """Most of it lifted or lying about: no single domino is to blame."""
    tiles = lying(LINE)
    about = [moved(tile, complex(7 * n, 11 - 5 * n), turn_deg=50 * n) for n, tile in enumerate(tiles)]
    view = reconcile(LINE, (), Sighting(tuple(about[:3]), (), bare=tuple(tiles[3:])), BEFORE)
    assert isinstance(view, Disagreement)
    assert (view.code, view.tile) == ("line_disturbed", None)


def test_line_scattered_in_plain_view_is_told_as_a_whole() -> None:
    """Every domino is seen, and none lies to the others as it lay."""
    about = [moved(tile, complex(7 * n * n, 11 - 5 * n), turn_deg=50 * n) for n, tile in enumerate(lying(LINE))]
    assert trouble(about) == ("line_disturbed", None)


def test_move_at_an_end_is_seen_while_another_domino_is_hidden() -> None:
    """A cup over the middle of the line keeps nobody from playing."""
    tiles = [*lying(LINE), replace(seen(2, 0), spot=Spot(12 + 0j, 1 + 0j))]
    view = reconcile(LINE, (), table_of([*tiles[:2], *tiles[3:]]), BEFORE)
    assert isinstance(view, Agreement)
    assert [(lay.inner, lay.outer, lay.end) for lay in view.lays] == [(2, 0, End.R)]


# --- two moves before the table comes to rest ---


def two_at_once(acts: str) -> Table:
    """After these acts the 6-2 lies at the left end and the 3-1 at the right one, both at once."""
    table = play(begun(), acts)
    tiles = [seen(2, 6), *(seen(p.left, p.right) for p in table.state.line.placed), seen(1, 3)]
    chain = tuple(ChainLink(n, is_flipped=False) for n in range(len(tiles)))
    table.do(cmd.See(table.now, Sighting(tuple(tiles), (chain,))))
    return table


@pytest.mark.rule("4.13")
def test_moves_at_both_ends_are_derived_where_only_one_order_can_be() -> None:
    """Bob has passed on sixes, so he cannot have laid the 6-2: he laid the 3-1, and then Cleo the 6-2."""
    table = two_at_once("66 P 65R 54R 41R")
    last = [(ply.seat, ply.tile) for ply in table.state.plies[-2:] if isinstance(ply, Move)]
    assert last == [(Seat.S1, Tile.of(3, 1)), (Seat.S2, Tile.of(6, 2))]
    assert table.state.sync is None


@pytest.mark.rule("4.13")
def test_moves_at_both_ends_are_asked_about_where_either_may_have_been_first() -> None:
    """Nobody's hand says which came first; once the referee has entered the first the other follows by itself."""
    table = two_at_once("66 64R 41R")
    assert table.state.sync is not None
    assert table.state.sync.code == "two_at_once"
    assert len(table.state.plies) == 3
    assert not table.state.clock.is_running
    table.do(cmd.LayDomino(table.now, 6, 2, End.L))
    tiles = [*(seen(p.left, p.right) for p in table.state.line.placed), seen(1, 3)]
    table.do(cmd.See(table.now, in_a_row(*tiles)))
    last = [(ply.seat, ply.tile) for ply in table.state.plies[-2:] if isinstance(ply, Move)]
    assert last == [(Seat.S3, Tile.of(6, 2)), (Seat.S0, Tile.of(3, 1))]
    assert table.state.sync is None


@pytest.mark.rule("4.13")
def test_pass_between_two_moves_at_once_is_a_pass() -> None:
    """Bob lays, Cleo passes, Dan lays, and only then all lies still; a finding in between is ruled on first."""
    table = play(begun(), "66")
    sighting = looks(table.state.line, seen(6, 5), seen(5, 1))
    table.do(cmd.See(table.now, sighting, passed=(Seat.S2,)))
    acts = [(type(ply), ply.seat) for ply in table.state.plies]
    assert acts == [(Move, 0), (Move, 1), (Skip, 2), (Move, 3)]
    table = play(begun(), "66")
    tiles = (seen(6, 5), seen(5, 1), seen(1, 3), seen(3, 4), seen(4, 2))
    table.do(cmd.See(table.now, looks(table.state.line, *tiles), passed=(Seat.S2,)))
    acts = [(type(ply), ply.seat) for ply in table.state.plies]
    assert acts[2:] == [(Skip, 2), (Move, 3), (Move, 0), (Move, 1), (Move, 2)], "one press is one pass"
    table = play(begun(), "66")
    table.do(cmd.See(table.now, looks(table.state.line, seen(6, 5), seen(5, 1)), passed=tuple(Seat)))
    assert len(table.state.plies) == 7, "and all four end it"
    table = play(begun(fours(wrong_domino_alert=WrongDominoAlert.IMMEDIATE)), "66")
    table.do(cmd.See(table.now, looks(table.state.line, seen(4, 5), seen(5, 1)), passed=(Seat.S2,)))
    assert [(type(ply), ply.seat) for ply in table.state.plies] == [(Move, 0), (Move, 1)]
    assert table.state.halts == {Halt.FINDING}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_two_moves_are_never_derived_in_an_order_that_was_not(seed: int) -> None:
    """Two moves of an honest game seen at once: as they were made, or the referee is asked."""
    rng = random.Random(seed)
    table = Table(rng)
    table.open_game()
    table.open_set(deal(rng))
    for _ in range(rng.randrange(2, 16)):
        if table.state.turn is None:
            return
        table.play_one()
    if table.state.turn is None or not table.state.line.placed:
        return
    after, seat, made = table.state.line, table.state.turn, []
    for _ in range(2):
        can = [(tile, way) for tile in table.hand(seat) for way in ways(after, tile)]
        can = [(tile, way) for tile, way in can if tile not in after.tiles]
        if not can:
            return
        tile, (inner, outer, end) = rng.choice(can)
        after = after.with_tile(inner, outer, end, seat)
        made.append((seat, tile))
        seat = seat.next
    chain = tuple(ChainLink(n, is_flipped=False) for n in range(len(after.placed)))
    plies = len(table.state.plies)
    table.do(cmd.See(table.now, Sighting(tuple(seen(p.left, p.right) for p in after.placed), (chain,))))
    told = [(ply.seat, ply.tile) for ply in table.state.plies[plies:]]  # type: ignore[union-attr]
    assert told in ([], made)


# --- in the game ---


def test_state_is_left_by_itself_when_the_table_is_right_again() -> None:
    """The clock stops, nothing is committed, and all goes on when the domino lies where it lay."""
    table = Table()
    table.open_game()
    table.open_set()
    for word in ("66first", "65R", "53R", "31R"):
        table.lay(int(word[0]), int(word[1]), word[2:])
    line = table.state.line
    before = table_of(lying(line))
    tiles = lying(line)
    lifted = tiles.pop(1)
    table.do(cmd.See(table.now, table_of(tiles, bare=(lifted,)), before=before))
    assert table.state.halts == {Halt.OUT_OF_SYNC}
    assert not table.state.clock.is_running
    assert table.state.sync is not None
    assert (table.state.sync.code, table.state.sync.tile) == ("tile_missing", Tile.of(6, 5))
    table.do(cmd.See(table.now, before, before=before))
    assert table.state.sync is None
    assert table.state.clock.is_running
    assert [type(event) for event in table.happened[-2:]] == [ev.SyncLost, ev.SyncFound]
