"""Finds the numbers in `vision.weights` from nothing: draws pictures, looks at them as the reader does, and fits.

`python -m vision.fit` needs no picture from anywhere. Folders of labelled pictures may be named; they are then learnt
from as well. What is drawn is `vision.practice`'s business, what is looked at `vision.search`'s.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

# One thread for everything, and set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats
from vision.evaluate import Evaluation, compare
from vision.images import load
from vision.judge import (
    COLUMNS,
    PLAIN_PIPS,
    SET_COLUMNS,
    Row,
    Traits,
    Weights,
    evidence,
    log_odds,
    poor_halves,
    traits_of,
)
from vision.labels import labelled
from vision.practice import Practice, drawn, without_dominoes
from vision.reader import read, refined, weigh
from vision.search import DEFAULT, SIDE_PX, Search, searches
from vision.tiles import Faces, joined, likeliest_style, look

SEED, EXAM_SEED = 1, 2
"""Of the pictures learnt from, and of those that are only read afterwards."""
PICTURES, EXAM_PICTURES = 320, 96
WITHOUT: Final = 3
"""Times the things that are no dominoes are drawn, turned and coloured otherwise each time."""
ROUNDS = 2
"""How often the reader goes through all pictures with the weights found so far, and learns from what it looked at."""
RIDGE: Final = 0.5
STEPS: Final = 30
"""Of Newton's method, which settles within fifteen."""
MOST_OF_NOTHING: Final = 150
"""Places learnt from in one search of a picture without dominoes, which has as many as one cares to look at."""
LIKELY: Final = 520
"""Places of a picture looked at once more with the traits of its set."""
JITTER: Final = (0.03, 0.03, 0.03, 0.018)
"""Standard deviations by which a true place is moved, turned (radians) and resized, in sides."""
SAME_SIZE: Final = 0.15
"""Logarithm of two sizes' ratio up to which a search is one for these dominoes."""
OTHER_SIZE: Final = 0.35
"""The same from which whatever it finds is wrong."""
HIT_SIDES, HIT_RAD, HIT_SIZE = 0.1, 0.1, 0.1
"""Apart up to which a place is a domino's; the last is the logarithm of the sizes' ratio."""
NEAR_SIDES, NEAR_RAD = 0.16, 0.2
"""Apart up to which a place that is no hit is no miss either, and teaches nothing."""
WEIGHTS = Path(__file__).with_name("weights.py")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A search of one picture, and where in its view dominoes lie."""

    search: Search
    truth: Floats
    """Poses of all of them, shape (M, 4)."""
    plain: NDArray[np.bool_]
    """Which are in full view, shape (M,)."""

    def verdicts(self, faces: Faces) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which faces are those of a domino in full view, and which can be learnt from, both of shape (N,)."""
        x, y, angle, side = (faces.pose[:, None, i] - self.truth[None, :, i] for i in range(4))
        apart = np.hypot(x, y) / self.truth[:, 3]
        turned = np.abs((angle + np.pi / 2) % np.pi - np.pi / 2)
        resized = np.abs(np.log1p(side / self.truth[:, 3]))
        hit = ((apart < HIT_SIDES) & (turned < HIT_RAD) & (resized < HIT_SIZE))[:, self.plain].any(axis=1)
        near = ((apart < NEAR_SIDES) & (turned < NEAR_RAD)).any(axis=1)
        return hit, hit | ~near


@dataclass(slots=True)
class Notes:
    """Evidence with its verdicts, for one stage of judging."""

    rows: list[Floats] = field(default_factory=list)
    poor: list[NDArray[np.intp]] = field(default_factory=list)
    hits: list[NDArray[np.bool_]] = field(default_factory=list)

    def take(self, lesson: Lesson, faces: Faces, traits: Traits | None) -> None:
        """Note down what shows at these places and what is there."""
        hits, usable = lesson.verdicts(faces)
        faces = faces.where(usable)
        self.rows.append(evidence(faces, traits))
        self.poor.append(poor_halves(faces))
        self.hits.append(hits[usable])

    def weights(self) -> tuple[Row, ...]:
        """The weights of each column. Raises: ValueError when nothing was noted down."""
        rows, poor, hits = (np.concatenate(part) for part in (self.rows, self.poor, self.hits))
        some = [logistic(rows[poor == n], hits[poor == n]) for n in range(3)]
        return tuple((float(none), float(one), float(both)) for none, one, both in np.round(some, 2).T + 0.0)


def logistic(rows: Floats, hits: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights, shape (K,), of a logistic regression with a ridge, by Newton's method; rows of shape (N, K)."""
    x, y = rows.astype(np.float64), hits.astype(np.float64)
    weights = np.zeros(x.shape[1])
    ridge = RIDGE * np.eye(len(weights))
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - chance) - RIDGE * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + ridge
        weights += np.linalg.solve(bend, slope)
    return weights


def fit(pictures: Sequence[Practice], *, seed: int = SEED, rounds: int = ROUNDS) -> Weights:
    """Weights that tell the dominoes of these pictures from everything else in them.

    A place by itself is learnt first. With that the likely places are found, and judged by the traits of the true
    set; then the reader goes through the pictures itself and learns from whatever it looked at.
    Raises: ValueError when the pictures show no place worth a look.
    """
    rng = np.random.default_rng(seed)
    alone, in_set = Notes(), Notes()
    for lesson in _lessons(pictures, "by itself"):
        faces = lesson.search.faces
        few = np.sort(rng.permutation(len(faces))[:MOST_OF_NOTHING])
        alone.take(lesson, faces if lesson.plain.any() else faces.where(few), None)
    weights = Weights(alone.weights(), ())
    for lesson in _lessons(pictures, "in its set"):
        if lesson.plain.any():
            _learn_in_set(in_set, lesson, weights, rng)
        else:
            alone.take(lesson, _likeliest(lesson.search.faces, None, weights, MOST_OF_NOTHING), None)
    weights = Weights(alone.weights(), in_set.weights())
    for number in range(rounds):
        for lesson in _lessons(pictures, f"reading, round {number + 1}"):
            weighed = weigh(lesson.search, params=replace(DEFAULT, weights=weights))
            if weighed.traits is not None:
                most = len(weighed.faces) if lesson.plain.any() else MOST_OF_NOTHING
                in_set.take(lesson, _likeliest(weighed.faces, weighed.traits, weights, most), weighed.traits)
        weights = replace(weights, in_set=in_set.weights())
    return weights


def examined(pictures: Iterable[Practice], weights: Weights) -> Evaluation:
    """How pictures are read with these weights."""
    params = replace(DEFAULT, weights=weights)
    readings = ((picture, read(picture.bgr, params=params, table=picture.table)) for picture in pictures)
    return Evaluation(tuple(compare(picture.truth, reading, seconds=0.0) for picture, reading in readings))


def written(weights: Weights, about: str) -> str:
    """The text of `vision.weights`: what about these numbers, then a line for each column."""
    rows = zip((*COLUMNS, *SET_COLUMNS), weights.in_set, strict=True)
    return "\n".join(
        (
            '"""The weights of the evidence in `vision.judge`; numbers only, written by `vision.fit`.\n',
            f'{about}\n"""\n',
            *_table("ALONE", zip(COLUMNS, weights.alone, strict=True)),
            '"""For a face by itself: each column\'s weight where no half, one or both have fewer than two pips."""\n',
            *_table("IN_SET", rows),
            '"""The same for a face with the traits of its set."""\n',
        )
    )


def main() -> None:
    """Draw, fit, examine and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="labelled pictures to learn from as well")
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="the file to write (default: the reader's own)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = [picture for folder in options.folders for picture in _from_folder(folder)]
    pictures += _drawn(PICTURES, WITHOUT, SEED)
    weights = fit(pictures)
    exam = examined(_drawn(EXAM_PICTURES, 1, EXAM_SEED), weights)
    total = exam.groups()[-1]
    command = " ".join(("python -m vision.fit", *map(str, options.folders)))
    score = (
        f"Command: {command} (seed {SEED}). Read with these numbers, {total.pictures} pictures drawn with seed\n"
        f"{EXAM_SEED} and not learnt from: {total.right} of {total.asked} dominoes right, {total.invented} invented, "
        f"{total.exact} pictures exact."
    )
    options.to.write_text(written(weights, score), encoding="utf-8")
    print(exam.text(), score, sep="\n\n")


def _lessons(pictures: Sequence[Practice], stage: str) -> Iterator[Lesson]:
    """Every search that something can be learnt from."""
    for done, picture in enumerate(pictures, start=1):
        _progress(stage, done, len(pictures))
        if not picture.truth.dominoes:
            yield from map(_nothing_in, islice(searches(picture.bgr, table=picture.table), 2))
        else:
            yield from _lessons_of(picture)


def _nothing_in(search: Search) -> Lesson:
    return Lesson(search, np.zeros((0, 4), np.float32), np.zeros(0, np.bool_))


def _lessons_of(picture: Practice) -> Iterator[Lesson]:
    """The search of the size and polarity in which the dominoes' suits are plainest, and any of quite another size.

    In the other polarity a blank looks as it should, and a one as a blank: that would teach to mistrust both.
    """
    best, most = None, 0
    suits = np.array([truth.tile for truth in picture.truth.dominoes])
    plain = np.array([truth.counts for truth in picture.truth.dominoes])
    for search in searches(picture.bgr, table=picture.table):
        truth = _truth_in(search, picture)
        apart = abs(float(np.log(truth[:, 3].mean() / SIDE_PX)))
        if apart > OTHER_SIZE:
            yield _nothing_in(search)
        if apart > SAME_SIZE:
            continue
        right = int((look(search.view, truth, ink_floor=DEFAULT.ink_floor).suits == suits)[plain].sum())
        if right > most:
            best, most = Lesson(search, truth, plain), right
    if best is not None:
        yield best


def _truth_in(search: Search, picture: Practice) -> Floats:
    """The poses of a picture's dominoes in a view of it, shape (M, 4)."""
    corners = np.array([truth.corners for truth in picture.truth.dominoes]) - (search.left, search.top)
    corners = (corners + 0.5) * search.factor - 0.5
    axis = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2
    angle, side = np.arctan2(axis[:, 1], axis[:, 0]), np.hypot(*axis.T) / 2
    return np.column_stack((corners.mean(axis=1), angle, side)).astype(np.float32)


def _learn_in_set(notes: Notes, lesson: Lesson, weights: Weights, rng: np.random.Generator) -> None:
    """Learn from the likely places of a picture, and from its dominoes found again, with the traits of the true set."""
    view, truth = lesson.search.view, lesson.truth[lesson.plain]
    if not len(truth):
        return
    true = look(view, truth, ink_floor=DEFAULT.ink_floor)
    rich = (true.suits >= PLAIN_PIPS).all(axis=1)
    true = true.where(np.asarray(rich, dtype=np.bool_)) if np.count_nonzero(rich) >= 2 else true
    traits = traits_of(true)
    floor = max(DEFAULT.ink_floor, DEFAULT.blank * traits.ink)
    again = partial(look, view, ink_floor=floor, style=likeliest_style(view, true.pose, ink_floor=floor))
    likely = again(_likeliest(lesson.search.faces, None, weights, LIKELY).pose)
    unit = (SIDE_PX, SIDE_PX, 1.0, SIDE_PX)
    moved = truth + rng.normal(0, np.multiply(JITTER, unit), truth.shape).astype(np.float32)
    notes.take(lesson, joined([likely, refined(again, again(moved))]), traits)


def _likeliest(faces: Faces, traits: Traits | None, weights: Weights, most: int) -> Faces:
    return faces.where(np.argsort(-log_odds(faces, traits, weights=weights), kind="stable")[:most])


def _drawn(pictures: int, without: int, seed: int) -> list[Practice]:
    """So many pictures with dominoes, and so many times those without."""
    found = []
    for number in range(pictures):
        found.append(drawn(number, seed))
        _progress(f"drawing, seed {seed}", number + 1, pictures)
    found = [picture for picture in found if picture.truth.dominoes]
    return found + [picture for turn in range(without) for picture in without_dominoes((seed, turn))]


def _from_folder(folder: Path) -> Iterator[Practice]:
    """The labelled pictures of a folder whose labels say where the dominoes lie. Raises: LabelError, ImageError."""
    for truth in labelled(folder):
        if truth.dominoes and all(domino.corners is not None for domino in truth.dominoes):
            yield Practice(load(truth.path), truth)


def _table(name: str, rows: Iterable[tuple[str, Row]]) -> Iterator[str]:
    yield f"{name} = {{"
    for column, (none, one, both) in rows:
        yield f'    "{column}": ({none:.2f}, {one:.2f}, {both:.2f}),'
    yield "}"


def _progress(stage: str, done: int, total: int) -> None:
    """One line on stderr for each stage, written over as it goes on."""
    if done % 16 and done != total:
        return
    print(f"\r{stage}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
