"""A drawn table filmed as it is played on, and what a watcher sees in the film; for the tests of the watcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.change import Before
from vision.frame import Frame
from vision.geometry import Table
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop, Placed, Reaching
from vision.rereading import reread
from vision.rig import Rig
from vision.watch import Settled, Sight, Watcher, WatchParams

Bgr = NDArray[np.uint8]

RIG = Rig(width_px=640, height_px=480)
TABLE = RIG.table()
STEP_NS = 125_000_000  # eight frames a second
LINE = ((6, 6), (6, 4), (6, 1), (4, 4), (1, 0))
ENDS = "RRLRL"


class Film:
    """A drawn table, the frames taken of it, and for each whether an arm was in."""

    def __init__(self, look: Look | None = None, rig: Rig = RIG, seed: int = 1) -> None:
        self.backdrop = Backdrop(rig, look or Look(), np.random.default_rng(seed))
        self.frames: list[Bgr] = []
        self.arm_in: list[bool] = []
        layout = LineLayout(np.random.default_rng(seed))
        layout.first(*LINE[0])
        for end, (inner, outer) in zip(ENDS[1:], LINE[1:], strict=True):
            layout.add("R" if end == "R" else "L", inner, outer)
        self.line = layout.lying

    def still(self, count: int = 8) -> Film:
        """The table as it lies, for so many frames."""
        return self.arms((), count)

    def arms(self, arms: Sequence[Reaching], count: int = 1, things: Sequence[Placed] = ()) -> Film:
        """So many frames with these arms in, and things on the table."""
        for _ in range(count):
            self.frames.append(self.backdrop.picture(arms, things).bgr)
            self.arm_in.append(bool(arms))
        return self

    def lay(self, count: int, *others: Lying) -> Film:
        """So many dominoes of the line, and others, lie there from now on."""
        self.backdrop.lay((*self.line[:count], *others))
        return self

    def play(self, count: int, *, seat: int = 0, rest: int = 0) -> Film:
        """An arm comes in with the next domino, may rest, lays it as number `count`, and goes; then all is still."""
        domino = self.line[count - 1]
        out = np.array([(0, 1), (-1, 0), (0, -1), (1, 0)][seat])
        goal = np.array((domino.x_mm, domino.y_mm))
        away = out * 470 - goal
        ways = [goal + away * share for share in (0.8, 0.4, 0.1)]
        for x, y in (*ways, *(rest * [ways[-1]])):
            self.arms([Reaching(seat, float(x), float(y), replace(domino, x_mm=float(x), y_mm=float(y)))])
        self.lay(count)
        for x, y in reversed(ways):
            self.arms([Reaching(seat, float(x), float(y))])
        return self.still()


def watched(
    film: Film | Sequence[Any],
    *,
    table: Table | None = TABLE,
    params: WatchParams | None = None,
    step_ns: int = STEP_NS,
    reader: Callable[[Bgr], Reading] = lambda _: Reading(),
    rereader: Callable[[Bgr, Before], Reading] | None = None,
) -> list[tuple[int, Sight]]:
    """What a watcher sees, each with the number of the frame."""
    watcher = Watcher(read=reader, reread=rereader, table=table, params=params)
    frames = film.frames if isinstance(film, Film) else film
    return [(n, sight) for n, bgr in enumerate(frames) for sight in watcher.see(Frame(bgr, n * step_ns, n))]


def readings(film: Film, table: Table) -> list[Reading]:
    """What the real reader reads of each settled scene."""
    sights = watched(
        film,
        table=table,
        reader=lambda bgr: read(bgr, table=table),
        rereader=lambda bgr, before: reread(bgr, before, table=table),
    )
    return [sight.reading for _, sight in sights if isinstance(sight, Settled)]


def names(sights: list[tuple[int, Sight]]) -> list[str]:
    return [type(sight).__name__ for _, sight in sights]


def both_ways(film: Film | Sequence[Any], *, table: Table = TABLE, step_ns: int = STEP_NS) -> list[tuple[int, Sight]]:
    """What a watcher sees that watches the whole picture, made sure to be no other than one that knows the table."""
    sights = watched(film, table=None, step_ns=step_ns)
    assert names(sights) == names(watched(film, table=table, step_ns=step_ns))
    return sights


def tiles(reading: Reading) -> list[tuple[int, ...]]:
    """The suits of each domino read, the lower first; -1 for a half that can't be seen."""
    suits = ((domino.a.suit, domino.b.suit) for domino in reading.dominoes)
    return sorted(tuple(sorted(-1 if suit is None else suit for suit in pair)) for pair in suits)
