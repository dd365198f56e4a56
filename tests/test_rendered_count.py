"""The hands of a count, drawn in front of the seats and read by the real reader: as they were dealt, or asked for."""

from __future__ import annotations

import random

import numpy as np
import pytest

from controller.eyes import sighting_of
from controller.game import commands as cmd
from controller.game.seen import Sighting
from controller.game.state import Move
from controller.game.tiles import End, Seat
from tests.controller.games import Table
from vision import things
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.render import Backdrop, Placed
from vision.rig import Rig


def counted(seed: int, *, is_covered: bool = False) -> tuple[Table, Sighting]:
    """A set played to its end and its table seen once, one domino of the fullest hand face down or not."""
    table = Table(random.Random(seed))
    table.open_game()
    table.open_set()
    table.play_to_count()
    rng = np.random.default_rng(seed)
    rig, look, layout = Rig.random(rng, 1600, 1200), Look.random(rng), LineLayout(rng)
    for ply in table.state.plies:
        if isinstance(ply, Move) and ply.end is End.FIRST:
            layout.first(ply.inner, ply.outer)
        elif isinstance(ply, Move):
            layout.add("L" if ply.end is End.L else "R", ply.inner, ply.outer)
    hands = [layout.shown(seat, [(t.high, t.low) for t in table.hand(seat)]) for seat in Seat]
    backdrop = Backdrop(rig, look, rng)
    backdrop.lay([*layout.lying, *(lying for hand in hands for lying in hand)])
    under: Lying = max(hands, key=len)[0]
    cover = [Placed(things.back(rng, 3.0), under.x_mm, under.y_mm, under.angle_deg, 8)] if is_covered else []
    calibrated = rig.table()
    reading = read(backdrop.picture(things=cover).bgr, table=calibrated)
    sighting = sighting_of(reading, calibrated.zones_of)
    table.do(cmd.See(table.now, sighting))
    return table, sighting


def is_right(table: Table) -> bool:
    """Whether the hands are offered as they are."""
    return table.state.shown == tuple(tuple(sorted(table.hand(seat))) for seat in Seat)


@pytest.mark.parametrize("seed", range(3))
def test_hands_in_front_of_the_seats_are_read(seed: int) -> None:
    """Whatever table, light and dominoes: all four come out as they were dealt, and need only be confirmed."""
    table, _ = counted(seed)
    assert is_right(table), table.state.sync


def test_hand_with_a_domino_face_down_is_named_and_what_it_is_entered() -> None:
    """Its seat is told; the referee enters that domino alone, and all four hands are offered."""
    table, sighting = counted(1, is_covered=True)
    seat = max(Seat, key=lambda seat: len(table.hand(seat)))
    assert table.state.shown is None
    assert table.state.sync is not None
    assert (table.state.sync.code, table.state.sync.seat) == ("hand_count", seat)
    table.do(cmd.Show(table.now, seat, table.hand(seat)[:1], "Eve"))
    table.do(cmd.See(table.now, sighting))
    assert is_right(table)
    assert table.state.sync is None
