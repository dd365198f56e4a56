"""A line that grows out of the middle into the seats' zones, drawn and read by the real reader: moves, and no hands."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from controller.eyes import sighting_of
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.seen import Sighting
from controller.game.state import Move, State
from controller.game.tiles import End, Seat
from tests.controller.games import Table
from vision.geometry import LINE
from vision.layout import LineLayout, Lying, separation_mm
from vision.look import Look
from vision.reader import read
from vision.render import Backdrop
from vision.rig import Rig

RIG = Rig(width_px=1600, height_px=1200)
TABLE = RIG.table()
LATE_MM = 20.0
"""Depth of the zones that these players keep the line out of."""
BESIDE_MM = 12.0
"""Between the line and a hand shown beside it: half a domino's width."""


class Drawn:
    """A set played to its end by the book, and its line on a drawn table, running into the zones and turning there."""

    def __init__(self, seed: int) -> None:
        self.game = Table(random.Random(seed))
        self.game.open_game()
        self.game.open_set()
        self.game.play_to_count()
        moves = [ply for ply in self.game.state.plies if isinstance(ply, Move)]
        layout = LineLayout(np.random.default_rng(seed), zone_mm=LATE_MM)
        layout.first(moves[0].inner, moves[0].outer)
        for move in moves[1:]:
            layout.add("L" if move.end is End.L else "R", move.inner, move.outer)
        self.line = layout.lying
        self.backdrop = Backdrop(RIG, Look(), np.random.default_rng(seed))

    def see(self, *lying: Lying) -> Sighting:
        """The table with these dominoes."""
        self.backdrop.lay(lying)
        return sighting_of(read(self.backdrop.picture().bgr, table=TABLE), TABLE.zones_of)

    def before(self, count: int) -> State:
        """The state with so many dominoes laid, the next one to come."""
        happened = self.game.happened
        laid = [n for n, event in enumerate(happened) if isinstance(event, ev.DominoLaid)]
        return evolve_all(State(), happened[: laid[count]])

    def hand(self, seat: Seat) -> tuple[Lying, ...]:
        """What the seat has left, laid open as near to the middle of its edge as the line leaves room."""
        shown = LineLayout(np.random.default_rng(1)).shown(seat, [(t.high, t.low) for t in self.game.hand(seat)])
        x, y = ((1, 0), (0, 1), (-1, 0), (0, -1))[seat]
        places = (
            tuple(replace(one, x_mm=one.x_mm + side * x, y_mm=one.y_mm + side * y) for one in shown)
            for aside_mm in range(0, 300, 5)
            for side in (aside_mm, -aside_mm)
        )
        return next(p for p in places if all(separation_mm(a, b) >= BESIDE_MM for a in p for b in self.line))


@pytest.mark.rule("4.15")
@pytest.mark.parametrize("seed", [1, 6])
def test_line_grows_into_a_zone_and_round_a_corner_there(seed: int) -> None:
    """Each domino laid in a zone is the move that it is; at the count it is none of the hand shown beside it."""
    drawn = Drawn(seed)
    zones = TABLE.zones_of(TABLE.to_px([(lying.x_mm, lying.y_mm) for lying in drawn.line]))
    beyond = [count for count, zone in enumerate(zones) if zone != LINE]
    for count in islice(beyond, 3):
        before, now = drawn.see(*drawn.line[:count]), drawn.see(*drawn.line[: count + 1])
        state, move = drawn.before(count), [ply for ply in drawn.game.state.plies if isinstance(ply, Move)][count]
        laid = decide(state, cmd.See(state.last_at, now, before=before))[0]
        assert isinstance(laid, ev.DominoLaid), laid
        assert (laid.inner, laid.outer, laid.end) == (move.inner, move.outer, move.end)
    hands = [drawn.hand(seat) for seat in Seat]
    sighting = drawn.see(*drawn.line, *(lying for hand in hands for lying in hand))
    drawn.game.do(cmd.See(drawn.game.now, sighting))
    assert drawn.game.state.shown == tuple(tuple(sorted(drawn.game.hand(seat))) for seat in Seat)
