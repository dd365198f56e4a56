"""The reader against labelled pictures: what was right, what went wrong and how, how sure it was, how long it took.

Numbers only; what a person looks at is made of them in `vision.page`.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.images import ImageError, load
from vision.labels import Labelled, Pair, Truth, labelled
from vision.reading import Domino, Half, Point, Reading

Read = Callable[..., Reading]
"""Reads a picture; told by `table=` where the table lies, in pictures of which the label does."""
Progress = Callable[[int, int], None]
Failed = Callable[[Labelled, "Outcome", NDArray[np.uint8], Reading], None]
SAME_PLACE: Final = 0.5
"""Two faces are the same domino when their centres are nearer than this share of its short side."""
BINS: Final = 10
"""Of the confidence, in the reliability of the halves."""
UNKNOWN: Final = 7
"""The column of the confusion for a half that was reported as one that cannot be seen."""


@dataclass(frozen=True, slots=True)
class HalfRead:
    """One half that counts and what was read of it."""

    suit: int
    read: int | None
    confidence: float


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
    halves: tuple[HalfRead, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether every domino was read right and none was invented."""
        return not (self.missed or self.invented or self.misread)

    @property
    def misordered(self) -> bool:
        """Whether every domino is right, and yet the line is not."""
        return self.exact and self.line_right is False


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
    misordered: int
    lines: int
    lines_right: int
    median_seconds: float


@dataclass(frozen=True, slots=True)
class Bin:
    """The halves read with a confidence in one stretch."""

    halves: int
    confidence: float
    """Their mean."""
    right: float
    """The share of them that were right."""


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

    def confusion(self) -> tuple[tuple[int, ...], ...]:
        """How often each suit (rows) was read as each (columns), the last column for halves that could not be seen."""
        counts = Counter((h.suit, UNKNOWN if h.read is None else h.read) for o in self.outcomes for h in o.halves)
        return tuple(tuple(counts[suit, read] for read in range(UNKNOWN + 1)) for suit in range(7))

    def reliability(self) -> tuple[Bin, ...]:
        """How often the halves were right that were read with such and such a confidence; empty stretches left out."""
        halves = [h for o in self.outcomes for h in o.halves if h.read is not None]
        bins = []
        for number in range(BINS):
            some = [h for h in halves if min(int(h.confidence * BINS), BINS - 1) == number]
            if some:
                sure = sum(h.confidence for h in some) / len(some)
                bins.append(Bin(len(some), sure, sum(h.read == h.suit for h in some) / len(some)))
        return tuple(bins)

    def calibration_error(self) -> float:
        """The expected calibration error: how far confidence and share of right ones are apart, weighted by halves."""
        bins = self.reliability()
        total = sum(b.halves for b in bins)
        return sum(b.halves * abs(b.confidence - b.right) for b in bins) / total if total else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {
            "groups": [asdict(group) for group in self.groups()],
            "confusion": self.confusion(),
            "calibration_error": round(self.calibration_error(), 5),
            "reliability": [asdict(b) for b in self.reliability()],
            "failures": [_without_halves(outcome) for outcome in self.failures()],
            "unreadable": list(self.unreadable),
        }

    def text(self) -> str:
        """A table of the groups, the confusion of the halves, how sure they were, and a line for each failure."""
        parts = [_table([COLUMNS, *(row(group) for group in self.groups())])]
        if any(map(any, self.confusion())):
            header = ("lies / read", *map(str, range(7)), "?")
            lines = [header, *((str(suit), *map(str, line)) for suit, line in enumerate(self.confusion()))]
            parts += [_table(lines), f"expected calibration error of the halves: {self.calibration_error():.2%}"]
        parts += ["\n".join([*map(failure, self.failures()), *self.unreadable])]
        return "\n\n".join(part for part in parts if part)


def evaluate(
    folder: str | Path, *, read: Read, progress: Progress | None = None, failed: Failed | None = None
) -> Evaluation:
    """Read every labelled picture of a folder, or of its subfolders, and compare.

    progress is called with (done, all) after each picture, failed with each picture that was not read exactly, while
    it is at hand. Raises: LabelError.
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
            reading = read(bgr) if picture.table is None else read(bgr, table=picture.table)
            outcome = compare(picture, reading, seconds=time.perf_counter() - start)
            outcomes.append(outcome)
            if failed is not None and (not outcome.exact or outcome.line_right is False):
                failed(picture, outcome, bgr, reading)
        if progress is not None:
            progress(done, len(pictures))
    return Evaluation(tuple(outcomes), tuple(unreadable))


def compare(picture: Labelled, reading: Reading, *, seconds: float) -> Outcome:
    """One picture's outcome: by place where the labels tell it, else by the tiles alone."""
    by_place = all(truth.corners is not None for truth in picture.dominoes)
    met, missed, invented = (_by_place if by_place else _by_tiles)(picture.dominoes, reading.dominoes)
    met = [(truth, halves) for truth, halves in met if truth.counts]
    misread = [(truth.tile, _tile(halves)) for truth, halves in met if truth.tile != _tile(halves)]
    asked = sum(truth.counts for truth in picture.dominoes)
    return Outcome(
        file=picture.path.name,
        group=picture.group,
        asked=asked,
        right=asked - len(missed) - len(misread),
        missed=tuple(missed),
        invented=tuple(invented),
        misread=tuple(misread),
        line_right=None if picture.line is None else _same_line(picture.line, _line(reading)),
        seconds=seconds,
        halves=tuple(
            HalfRead(suit, half.suit, half.confidence)
            for truth, halves in met
            for suit, half in zip(truth.tile, halves, strict=True)
        ),
    )


Halves = tuple[Half, Half]
Met = tuple[list[tuple[Truth, Halves]], list[Pair], list[Pair]]
"""Dominoes with what was read of them, each turned as it lies; those missed; those invented."""


def _by_place(truths: Sequence[Truth], dominoes: Sequence[Domino]) -> Met:
    """Each domino met with the nearest one read at its place."""
    left = set(range(len(dominoes)))
    met, missed = [], []
    # Those that count first: what is half hidden must not take the reading of its neighbour.
    for truth in sorted(truths, key=lambda truth: not truth.counts):
        corners = truth.corners or ()
        centre = _centre(corners)
        reach = SAME_PLACE * math.dist(corners[0], corners[1])
        near = min(left, key=lambda i: math.dist(dominoes[i].centre, centre), default=None)
        if near is None or math.dist(dominoes[near].centre, centre) > (reach if truth.counts else 2 * reach):
            missed += [truth.tile] if truth.counts else []
            continue
        left.discard(near)
        read = dominoes[near]
        # The a→b axis may have been taken either way round; which half is which is seen by where they lie.
        turned = math.dist(_centre(read.corners[:2]), _centre(corners[:2])) > math.dist(
            _centre(read.corners[2:]), _centre(corners[:2])
        )
        met.append((truth, (read.b, read.a) if turned else (read.a, read.b)))
    return met, missed, [_tile((dominoes[i].a, dominoes[i].b)) for i in sorted(left)]


def _by_tiles(truths: Sequence[Truth], dominoes: Sequence[Domino]) -> Met:
    """Each domino met with one read as the same tile, then with one of which one half is the same."""
    met: list[tuple[Truth, Halves]] = []
    truths, left = list(truths), [(d.a, d.b) for d in dominoes]
    for same in (2, 1):
        for truth in list(truths):
            found = (
                (i, halves)
                for i, read in enumerate(left)
                for halves in permutations(read)
                if sum(half.suit == suit for half, suit in zip(halves, truth.tile, strict=True)) == same
            )
            index, turned = next(found, (None, None))
            if index is not None and turned is not None:
                met.append((truth, (turned[0], turned[1])))
                truths.remove(truth)
                del left[index]
    return met, [truth.tile for truth in truths if truth.counts], [_tile(halves) for halves in left]


def _centre(points: Sequence[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))


def _tile(halves: Halves) -> Pair:
    """Suits as read, -1 for a half that could not be seen."""
    a, b = halves[0].suit, halves[1].suit
    return (-1 if a is None else a, -1 if b is None else b)


def _line(reading: Reading) -> tuple[Pair, ...]:
    return tuple(_tile(halves) for halves in reading.along(reading.line))


def _same_line(one: Sequence[Pair], other: Sequence[Pair]) -> bool:
    """Whether two lines are the same, read from either end."""
    return tuple(one) in (tuple(other), tuple((b, a) for a, b in reversed(other)))


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
        misordered=sum(o.misordered for o in some),
        lines=len(lines),
        lines_right=sum(lines),
        median_seconds=float(np.median([o.seconds for o in some])) if some else 0.0,
    )


COLUMNS: Final = (
    "group",
    "pictures",
    "exact",
    "dominoes",
    "right",
    "missed",
    "invented",
    "misread",
    "misordered",
    "lines",
    "seconds",
)
"""Of a table of groups."""


def row(group: Group) -> tuple[str, ...]:
    """A group under `COLUMNS`."""
    counts = (group.pictures, group.exact, group.asked, group.right, group.missed, group.invented, group.misread)
    return (
        group.name,
        *(str(count) for count in (*counts, group.misordered)),
        f"{group.lines_right}/{group.lines}",
        f"{group.median_seconds:.3f}",
    )


def failure(outcome: Outcome) -> str:
    """What went wrong in a picture, on one line."""
    parts = [f"missed {_names(outcome.missed)}"] if outcome.missed else []
    parts += [f"invented {_names(outcome.invented)}"] if outcome.invented else []
    parts += [f"{_name(truth)} read as {_name(got)}" for truth, got in outcome.misread]
    parts += ["misordered" if outcome.misordered else "line wrong"] if outcome.line_right is False else []
    return f"{outcome.group}/{outcome.file}: {'; '.join(parts)}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns under each other, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    cells = ([f"{cell:{'<' if i == 0 else '>'}{widths[i]}}" for i, cell in enumerate(row)] for row in rows)
    return "\n".join("  ".join(row).rstrip() for row in cells)


def _without_halves(outcome: Outcome) -> dict[str, Any]:
    return {name: value for name, value in asdict(outcome).items() if name != "halves"}


def _names(tiles: Iterable[Pair]) -> str:
    return " ".join(_name(tile) for tile in tiles)


def _name(tile: Pair) -> str:
    return "-".join("?" if suit < 0 else str(suit) for suit in tile)
