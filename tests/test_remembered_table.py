"""What happens to a line between two moves, drawn and read by the real reader: told as what it is, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from controller.eyes import sighting_of
from controller.game import commands as cmd
from controller.game.seen import Sighting
from controller.game.state import State
from controller.game.tiles import Tile
from tests.controller.games import Table
from tests.controller.rule_table import begun, play
from vision import things
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.recall import Recall
from vision.render import Backdrop, Placed
from vision.rig import Rig

RIG = Rig(width_px=1280, height_px=1024, tilt_deg=3.0, k1=-0.03)
ACTS = "66 65R 53R 31R 14R 42R 22R"


@dataclass
class Drawn:
    """A drawn line of seven, known to the core and seen once."""

    game: Table
    line: tuple[Lying, ...]
    backdrop: Backdrop
    recall: Recall
    before: Sighting | None = None

    def look(self, lying: Sequence[Lying], *covers: Placed) -> State:
        """The state once the table has been seen like this."""
        self.backdrop.lay(lying)
        picture = self.backdrop.picture(things=covers)
        table = RIG.table()
        reading = self.recall.of(picture.bgr, read(picture.bgr, table=table))
        sighting = sighting_of(reading, table.zones_of)
        self.game.do(cmd.See(self.game.now, sighting, before=self.before))
        if self.game.state.sync is None:
            self.before = sighting
        return self.game.state

    def told(self, lying: Sequence[Lying], *covers: Placed) -> tuple[str, Tile | None] | None:
        """What is told of that table, with the domino to look at; None for nothing."""
        moves = len(self.game.state.plies)
        sync = self.look(lying, *covers).sync
        assert len(self.game.state.plies) == moves, "nothing may be committed"
        return None if sync is None else (sync.code, sync.tile)


@pytest.fixture
def drawn() -> Iterator[Drawn]:
    rng = np.random.default_rng(4)
    layout = LineLayout(rng)
    words = ACTS.split()
    layout.first(int(words[0][0]), int(words[0][1]))
    for word in words[1:]:
        layout.add("R", int(word[0]), int(word[1]))
    made = Drawn(play(begun(), ACTS), layout.lying, Backdrop(RIG, Look(), rng), Recall())
    assert made.told(made.line) is None
    yield made
    assert made.told(made.line) is None, "the state is left by itself when the table is right again"
    assert made.game.state.clock.is_running


def but(line: Sequence[Lying], place: int, *others: Lying) -> list[Lying]:
    """The line with one domino gone, or others in its place."""
    return [*line[:place], *others, *line[place + 1 :]]


@pytest.mark.parametrize("place", [0, 3, 6])
def test_lifted_domino_is_missed_and_a_hidden_one_is_not(drawn: Drawn, place: int) -> None:
    """Inside the line and at both its ends: a cup over it is nothing, its bare place is."""
    at = drawn.line[place]
    cup = Placed(things.cup(np.random.default_rng(1), 3.0), at.x_mm, at.y_mm, 0, 60)
    assert drawn.told(drawn.line, cup) is None
    assert drawn.told(but(drawn.line, place)) == ("tile_missing", Tile.of(at.a, at.b))


def test_domino_moved_turned_or_replaced_is_told(drawn: Drawn) -> None:
    """The 3-1 in the middle of the line, each time put back in between."""
    at = drawn.line[3]
    name = Tile.of(at.a, at.b)
    changes = {
        "tile_moved": replace(at, x_mm=at.x_mm + 110, angle_deg=at.angle_deg + 20),
        "tile_turned": replace(at, angle_deg=at.angle_deg + 180),
        "tile_replaced": replace(at, a=0, b=0),
    }
    for code, lying in changes.items():
        assert drawn.told(but(drawn.line, 3, lying)) == (code, name)
        assert drawn.told(drawn.line) is None


def test_line_pushed_and_turned_as_a_whole_is_nothing(drawn: Drawn) -> None:
    """By a sleeve, some centimetres and degrees; and back again."""
    turn = np.radians(12.0)
    pushed = [
        replace(
            one,
            x_mm=one.x_mm * np.cos(turn) - one.y_mm * np.sin(turn) + 25,
            y_mm=one.x_mm * np.sin(turn) + one.y_mm * np.cos(turn) - 40,
            angle_deg=one.angle_deg + 12,
        )
        for one in drawn.line
    ]
    assert drawn.told(pushed) is None


def test_scoresheet_on_the_line_is_told_as_a_cover(drawn: Drawn) -> None:
    """Nothing is missed, and nothing counts before it is gone."""
    at = drawn.line[3]
    sheet = Placed(things.scoresheet(np.random.default_rng(1), 3.0), at.x_mm, at.y_mm, 10)
    told = drawn.told(drawn.line, sheet)
    assert told is not None
    assert told[0] == "covered"


def test_line_swept_together_is_told_as_a_whole(drawn: Drawn) -> None:
    """The dominoes of a set that is still played lie about anyhow."""
    rng = np.random.default_rng(2)
    swept = [
        Lying(one.a, one.b, 70.0 * (n % 3 - 1), 90.0 * (n // 3 - 1), float(rng.uniform(0, 360)))
        for n, one in enumerate(drawn.line)
    ]
    assert drawn.told(swept) == ("line_disturbed", None)
