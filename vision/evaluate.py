"""The reader against labelled pictures: what was right, what was missed, invented and misread, and how long it took."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.images import ImageError, load
from vision.labels import Labelled, Pair, Truth, labelled
from vision.reading import Domino, Point, Reading

Read = Callable[[NDArray[np.uint8]], Reading]
Progress = Callable[[int, int], None]

SAME_PLACE = 0.5
"""Two faces are the same domino when their centres are nearer than this share of its short side."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one picture was read."""

    file: str
    group: str
    asked: int
    """Dominoes that counted."""
    right: int
    missed: tuple[Pair, ...]
    invented: tuple[Pair, ...]
    """Suits of what was read and is not there; -1 for a half that could not be seen."""
    misread: tuple[tuple[Pair, Pair], ...]
    """What lies there, and what was read."""
    line_right: bool | None
    """None when the labels name no line."""
    seconds: float

    @property
    def exact(self) -> bool:
        """Whether every domino was read right and none was invented."""
        return not (self.missed or self.invented or self.misread)


@dataclass(frozen=True, slots=True)
class Group:
    """The sum over the pictures of one kind."""

    name: str
    pictures: int
    exact: int
    asked: int
    right: int
    missed: int
    invented: int
    misread: int
    lines: int
    lines_right: int
    median_seconds: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome of a whole folder."""

    outcomes: tuple[Outcome, ...]
    unreadable: tuple[str, ...] = ()
    """Pictures that could not be opened, one sentence each."""

    def groups(self) -> tuple[Group, ...]:
        """One sum for each group, by name, and one over all of them at the end."""
        names = sorted({outcome.group for outcome in self.outcomes})
        some = [_sum(name, [o for o in self.outcomes if o.group == name]) for name in names]
        return (*some, _sum("all", self.outcomes)) if len(some) != 1 else tuple(some)

    def failures(self) -> tuple[Outcome, ...]:
        """The pictures that were not read exactly, or whose line was not."""
        return tuple(o for o in self.outcomes if not o.exact or o.line_right is False)

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {
            "groups": [asdict(group) for group in self.groups()],
            "failures": [asdict(outcome) for outcome in self.failures()],
            "unreadable": list(self.unreadable),
        }

    def text(self) -> str:
        """A table of the groups, and a line for each failure."""
        header = (
            "group",
            "pictures",
            "exact",
            "dominoes",
            "right",
            "missed",
            "invented",
            "misread",
            "lines",
            "seconds",
        )
        rows = [header, *(_row(group) for group in self.groups())]
        widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
        table = ["  ".join(_cell(row, i, widths) for i in range(len(header))).rstrip() for row in rows]
        return "\n".join([*table, "", *(_failure(outcome) for outcome in self.failures()), *self.unreadable]).rstrip()


def evaluate(folder: str | Path, *, read: Read, progress: Progress | None = None) -> Evaluation:
    """Read every labelled picture of a folder, or of its subfolders, and compare.

    progress is called with (done, all) after each picture. Raises: LabelError.
    """
    pictures = labelled(folder)
    outcomes: list[Outcome] = []
    unreadable: list[str] = []
    for done, picture in enumerate(pictures, start=1):
        try:
            bgr = load(picture.path)
        except ImageError as error:
            unreadable.append(str(error))
        else:
            start = time.perf_counter()
            reading = read(bgr)
            outcomes.append(compare(picture, reading, seconds=time.perf_counter() - start))
        if progress is not None:
            progress(done, len(pictures))
    return Evaluation(tuple(outcomes), tuple(unreadable))


def compare(picture: Labelled, reading: Reading, *, seconds: float) -> Outcome:
    """One picture's outcome: by place where the labels tell it, else by the tiles alone."""
    read = [_tile(domino) for domino in reading.dominoes]
    if all(truth.corners is not None for truth in picture.dominoes):
        missed, invented, misread = _by_place(picture.dominoes, reading.dominoes)
    else:
        wanted = Counter(_sorted(truth.tile) for truth in picture.dominoes)
        got = Counter(_sorted(tile) for tile in read)
        missed, invented, misread = tuple((wanted - got).elements()), tuple((got - wanted).elements()), ()
    asked = sum(truth.counts for truth in picture.dominoes)
    return Outcome(
        file=picture.path.name,
        group=picture.group,
        asked=asked,
        right=asked - len(missed) - len(misread),
        missed=missed,
        invented=invented,
        misread=misread,
        line_right=None if picture.line is None else _same_line(picture.line, _line(reading)),
        seconds=seconds,
    )


def _by_place(
    truths: Sequence[Truth], dominoes: Sequence[Domino]
) -> tuple[tuple[Pair, ...], tuple[Pair, ...], tuple[tuple[Pair, Pair], ...]]:
    """Missed, invented and misread, each domino met with the nearest one read at its place."""
    left = set(range(len(dominoes)))
    missed, misread = [], []
    for truth in truths:
        corners = truth.corners or ()
        centre = _centre(corners)
        reach = SAME_PLACE * math.dist(corners[0], corners[1])
        near = min(left, key=lambda i: math.dist(dominoes[i].centre, centre), default=None)
        if near is None or math.dist(dominoes[near].centre, centre) > (reach if truth.counts else 2 * reach):
            missed += [truth.tile] if truth.counts else []
            continue
        left.discard(near)
        tile = _tile(dominoes[near])
        # The a→b axis may have been taken either way round; which half is which is seen by where they lie.
        if math.dist(_centre(dominoes[near].corners[:2]), _centre(corners[:2])) > math.dist(
            _centre(dominoes[near].corners[2:]), _centre(corners[:2])
        ):
            tile = (tile[1], tile[0])
        if truth.counts and tile != truth.tile:
            misread.append((truth.tile, tile))
    return tuple(missed), tuple(_tile(dominoes[i]) for i in sorted(left)), tuple(misread)


def _centre(points: Sequence[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))


def _tile(domino: Domino) -> Pair:
    """Suits as read, -1 for a half that could not be seen."""
    a, b = domino.a.suit, domino.b.suit
    return (-1 if a is None else a, -1 if b is None else b)


def _line(reading: Reading) -> tuple[Pair, ...]:
    found = reading.along(reading.line)
    return tuple((-1 if a.suit is None else a.suit, -1 if b.suit is None else b.suit) for a, b in found)


def _same_line(one: Sequence[Pair], other: Sequence[Pair]) -> bool:
    """Whether two lines are the same, read from either end."""
    return tuple(one) in (tuple(other), tuple((b, a) for a, b in reversed(other)))


def _sorted(tile: Pair) -> Pair:
    return (min(tile), max(tile))


def _sum(name: str, outcomes: Iterable[Outcome]) -> Group:
    some = list(outcomes)
    lines = [o.line_right for o in some if o.line_right is not None]
    return Group(
        name=name,
        pictures=len(some),
        exact=sum(o.exact for o in some),
        asked=sum(o.asked for o in some),
        right=sum(o.right for o in some),
        missed=sum(len(o.missed) for o in some),
        invented=sum(len(o.invented) for o in some),
        misread=sum(len(o.misread) for o in some),
        lines=len(lines),
        lines_right=sum(lines),
        median_seconds=float(np.median([o.seconds for o in some])) if some else 0.0,
    )


def _row(group: Group) -> tuple[str, ...]:
    counts = (group.pictures, group.exact, group.asked, group.right, group.missed, group.invented, group.misread)
    return (
        group.name,
        *(str(count) for count in counts),
        f"{group.lines_right}/{group.lines}",
        f"{group.median_seconds:.3f}",
    )


def _cell(row: Sequence[str], column: int, widths: Sequence[int]) -> str:
    return row[column].ljust(widths[column]) if column == 0 else row[column].rjust(widths[column])


def _failure(outcome: Outcome) -> str:
    parts = [f"missed {_names(outcome.missed)}"] if outcome.missed else []
    parts += [f"invented {_names(outcome.invented)}"] if outcome.invented else []
    parts += [f"{_name(truth)} read as {_name(got)}" for truth, got in outcome.misread]
    parts += ["line wrong"] if outcome.line_right is False else []
    return f"{outcome.group}/{outcome.file}: {'; '.join(parts)}"


def _names(tiles: Iterable[Pair]) -> str:
    return " ".join(_name(tile) for tile in tiles)


def _name(tile: Pair) -> str:
    return "-".join("?" if suit < 0 else str(suit) for suit in tile)
