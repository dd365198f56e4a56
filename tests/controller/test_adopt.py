"""The line taken over as it lies: moves in turn, all at once, on the referee's word and on nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.events import FindingKind, Reason
from controller.game.line import Line
from controller.game.seen import SeenTile, Sighting, Spot
from controller.game.state import Move
from controller.game.tiles import End, Seat, Suit, Tile
from controller.record.judge import judge
from controller.record.recording import record_of
from tests.controller.games import Table, half, in_a_row, line_of, looks, seen, split
from tests.controller.rule_table import begun, happened, kinds, play, refused

LINE = line_of("26 66 65 53 31")


def adopt(table: Table, sighting: Sighting, first: tuple[int, int] | None = (6, 6)) -> ev.Event | None:
    """The referee's word on a table that looks so."""
    return table.do(cmd.AdoptLine(table.now, first, "Eve", sighting))


def lying(line: Line) -> set[tuple[tuple[int, int], ...]]:
    """A line from either end."""
    row = [(int(p.left), int(p.right)) for p in line.placed]
    return {tuple(row), tuple((b, a) for a, b in reversed(row))}


@pytest.mark.rule("4.14")
def test_line_that_lay_before_the_camera_was_ready_is_taken_over() -> None:
    """Five dominoes lie: nothing counts until the referee says so; then they are the moves of the seats in turn."""
    table = begun(lead=Seat.S2)
    table.do(cmd.See(table.now, looks(LINE)))
    assert table.state.sync is not None
    assert table.state.sync.code == "many_first"
    assert table.state.plies == ()
    assert not table.state.clock.is_running
    adopt(table, looks(LINE))
    assert table.state.sync is None
    assert lying(table.state.line) == lying(LINE)
    moves = [ply for ply in table.state.plies if isinstance(ply, Move)]
    assert moves[0].tile == Tile.of(6, 6)
    assert [move.seat for move in moves] == [2, 3, 0, 1, 2]
    assert table.state.turn is Seat.S3
    assert table.state.clock.is_running
    laid = happened(table, ev.DominoLaid)
    assert [event.adopted for event in laid if isinstance(event, ev.DominoLaid)] == [0, 1, 2, 3, 4]


@pytest.mark.rule("4.14")
def test_line_taken_over_goes_on_like_any_other() -> None:
    """The camera sees the next move; whose the earlier ones were the referee may say; the record comes out the same."""
    table = begun()
    adopt(table, looks(LINE))
    table.do(cmd.See(table.now, looks(table.state.line, seen(table.state.line.placed[-1].right, 4))))
    assert len(table.state.plies) == 6
    table.do(cmd.Attribute(table.now, 1, 2, "Eve"))
    assert table.state.plies[2].seat is Seat.S2
    assert judge(record_of(table.happened)).state.line == table.state.line


@pytest.mark.rule("4.14")
def test_line_taken_over_is_taken_back_at_once() -> None:
    """One word of the referee is one act."""
    table = begun()
    adopt(table, looks(LINE))
    table.do(cmd.Undo(table.now))
    assert (len(table.state.plies), len(table.state.take_back)) == (0, 5)
    adopt(table, looks(LINE), (5, 3))
    moves = [ply.tile for ply in table.state.plies if isinstance(ply, Move)]
    assert (len(table.state.take_back), moves[0]) == (0, Tile.of(5, 3))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_any_line_is_taken_over_as_it_lies(seed: int) -> None:
    """From any domino of it, or from none: the same line comes out, one way round or the other."""
    rng = random.Random(seed)
    table = Table(rng)
    table.open_game()
    table.open_set()
    for _ in range(rng.randrange(1, 20)):
        if table.state.turn is not None:
            table.play_one()
    line = table.state.line
    if table.state.turn is None or not line.placed:
        return
    first = rng.choice([None, *((int(p.left), int(p.right)) for p in line.placed)])
    fresh = begun()
    adopt(fresh, looks(line), first)
    assert lying(fresh.state.line) == lying(line)
    assert fresh.state.open_findings == ()


def test_moves_that_the_camera_missed_are_taken_over_beside_the_known_line() -> None:
    """Two at different ends, which nobody can put in order: on the referee's word they are moves all the same."""
    table = play(begun(), "66 65R")
    sighting = looks(table.state.line, seen(5, 1), left=(seen(4, 6),))
    table.do(cmd.See(table.now, sighting))
    assert table.state.sync is not None
    adopt(table, sighting, None)
    assert table.state.sync is None
    assert len(table.state.plies) == 4
    assert table.state.turn is Seat.S0


def test_wrong_domino_in_a_line_taken_over_is_found() -> None:
    """It is taken over as it lies."""
    table = begun()
    adopt(table, in_a_row(seen(6, 6), seen(6, 5), seen(3, 1)))
    assert kinds(table) == [FindingKind.WRONG_DOMINO]


@pytest.mark.rule("4.14")
@pytest.mark.parametrize(
    ("sighting", "first", "reason"),
    [
        (None, None, Reason.CANNOT_ADOPT),
        (looks(LINE), (4, 4), Reason.CANNOT_ADOPT),
        (looks(LINE), (6, 9), Reason.NO_SUCH_TILE),
        (Sighting((seen(6, 6), seen(5, 3))), (6, 6), Reason.CANNOT_ADOPT),
        (in_a_row(seen(6, 6), SeenTile(half(6), split(2, 4))), (6, 6), Reason.CANNOT_ADOPT),
    ],
    ids=["nothing seen", "not there", "no domino", "loose", "doubtful"],
)
def test_line_that_cannot_be_taken_over_is_refused(
    sighting: Sighting | None, first: tuple[int, int] | None, reason: Reason
) -> None:
    """Nothing is half taken over."""
    table = begun()
    assert refused(table, cmd.AdoptLine(table.now, first, "Eve", sighting)) is reason


@pytest.mark.rule("4.14")
def test_table_with_nothing_new_has_nothing_to_take_over() -> None:
    """Empty, or with the line as it is known: the referee is told so, for he expected something else."""
    table = play(begun(), "66 65R")
    for sighting in (Sighting(), looks(table.state.line)):
        assert refused(table, cmd.AdoptLine(table.now, None, "Eve", sighting)) is Reason.CANNOT_ADOPT
    assert table.state.sync is None


def in_place(*row: SeenTile) -> Sighting:
    """The same dominoes in a row, each where it lies."""
    tiles = tuple(replace(tile, spot=Spot(complex(2 * n), 1 + 0j)) for n, tile in enumerate(row))
    return replace(in_a_row(*tiles), bare=())


@pytest.mark.rule("4.14")
def test_word_ends_what_glare_hides_and_nothing_else() -> None:
    """Three dominoes that can't be read lie where they were laid, the referee says; a fourth is told again."""
    table = play(begun(), "66 65R 53R 31R 14R 42R")
    swept = (seen(3, 5, 0.8),)  # with an earlier set; nobody could read it in this one
    whole = replace(in_place(*(seen(p.left, p.right) for p in table.state.line.placed)), bare=swept)

    def without(*hidden: int) -> Sighting:
        tiles = [tile for n, tile in enumerate(whole.tiles) if n not in hidden]
        return Sighting(tuple(tiles), bare=swept)

    table.do(cmd.See(table.now, without(1, 2, 3), before=whole))
    assert table.state.sync is not None
    assert table.state.sync.code == "covered"
    event = table.do(cmd.AdoptLine(table.now, None, "Eve", without(1, 2, 3), whole))
    assert event == ev.SyncFound(table.now, is_vouched=True)
    table.do(cmd.See(table.now, without(1, 2, 3), before=without(1, 2, 3)))
    assert table.state.sync is None
    assert table.state.clock.is_running
    table.do(cmd.See(table.now, without(0, 1, 2, 3), before=without(1, 2, 3)))
    assert table.state.sync is not None, "what comes on top of it is told"


@pytest.mark.rule("4.14")
def test_word_ends_a_domino_that_is_read_as_another() -> None:
    """Entered by the referee and surely misread by the camera: it is the 5-4, whatever it looks like; play goes on."""
    table = play(begun(), "66 65R")
    before = in_place(seen(6, 6), seen(6, 5))
    misread = in_place(seen(6, 6), seen(6, 5), seen(3, 3))
    table.do(cmd.LayDomino(table.now, Suit(5), Suit(4), End.R))
    table.do(cmd.See(table.now, misread, before=before))
    assert table.state.sync is not None
    assert (table.state.sync.code, table.state.sync.tile) == ("tile_replaced", Tile.of(5, 4))
    adopt(table, misread, None)
    table.do(cmd.See(table.now, misread, before=misread))
    assert table.state.sync is None
    assert len(table.state.plies) == 3
    table.do(cmd.See(table.now, in_place(*misread.tiles, seen(4, 1)), before=misread))
    assert table.state.line.placed[-1].tile == Tile.of(4, 1)
    table.do(cmd.Undo(table.now))
    assert table.state.vouched


@pytest.mark.rule("4.14")
def test_word_ends_what_is_no_domino() -> None:
    """A print on the cloth is taken for a loose domino; another loose one is told, and in the next set this one."""
    table = play(begun(), "66 65R")
    print_on_the_cloth = seen(2, 2)
    sighting = looks(table.state.line)
    loose = replace(sighting, tiles=(*sighting.tiles, print_on_the_cloth))
    table.do(cmd.See(table.now, loose))
    assert table.state.sync is not None
    assert table.state.sync.code == "touches_no_end"
    adopt(table, loose, None)
    table.do(cmd.See(table.now, loose))
    assert table.state.sync is None
    table.do(cmd.See(table.now, replace(loose, tiles=(*loose.tiles, seen(4, 4)))))
    assert table.state.sync is not None
    assert table.state.sync.tile == Tile.of(4, 4)
    table.do(cmd.RestartSet(table.now, "", "Eve"))
    assert table.state.vouched == frozenset()


def test_word_makes_no_line_of_scattered_dominoes() -> None:
    """What is told is not the end of it: a line swept together is put back, or played again."""
    table = play(begun(), "66 65R 53R 31R")
    gone = Sighting(bare=tuple(seen(p.left, p.right) for p in table.state.line.placed))
    table.do(cmd.See(table.now, gone))
    assert refused(table, cmd.AdoptLine(table.now, None, "Eve", gone)) is Reason.CANNOT_ADOPT


def test_dominoes_swept_together_at_the_end_of_a_set_are_no_moves() -> None:
    """While the line and the hands are mixed anyhow nothing is laid, told or taken back; then the table is clear."""
    rng = random.Random(5)
    table = Table(rng)
    table.open_game()
    table.open_set()
    table.play_to_count()
    hands = tuple(tuple(seen(t.low, t.high) for t in table.hand(seat)) for seat in Seat)
    table.do(cmd.See(table.now, Sighting(looks(table.state.line).tiles, looks(table.state.line).chains, hands)))
    assert table.state.shown is not None

    def sweep() -> None:
        pile = [seen(t.low, t.high) for t in rng.sample(sorted(table.state.line.tiles | table.state.line.unplayed), 20)]
        for left in (20, 14, 9, 4):
            zones = tuple(tuple(pile[:n]) for n in (rng.randrange(4) for _ in range(4)))
            table.do(cmd.See(table.now, Sighting(in_a_row(*pile[:left]).tiles, in_a_row(*pile[:left]).chains, zones)))

    before = len(table.happened)
    sweep()
    assert len(table.happened) == before
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    before = len(table.happened)
    sweep()
    assert len(table.happened) == before
    table.do(cmd.See(table.now, Sighting()))
    assert [type(event) for event in table.happened[before:]] == [ev.TableCleared]
