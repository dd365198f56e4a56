"""How likely each candidate is a domino, from what its face shows and from what the set in this picture looks like."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.blobs import Floats
from vision.tiles import Faces
from vision.weights import ALONE, IN_SET

PLAIN_PIPS = 2
"""A half with at least so many pips shows by them alone where it lies."""

FAR_COLOUR = 50.0
"""Grey levels between two bodies' colours that light alone seldom makes."""


COLUMNS = (
    "certain",
    "better half's misfit",
    "worse half's misfit",
    "foreign",
    "fainter end",
    "fainter side",
    "plainer side",
    "fainter end's seam",
    "fainter side's seam",
    "blank halves",
    "divider",
    "waist",
    "tips",
    "weakest ink",
    "unevenness",
)
"""The evidence of a face by itself."""
SET_COLUMNS = (
    "divider unlike",
    "waist unlike",
    "tips unlike",
    "body unlike",
    "ink unlike",
    "edges above",
    "seams above",
    "size unlike",
    "colour unlike",
)
"""The evidence of a face against the traits of its set, after that of the face by itself."""

Row = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Weights:
    """For each column of evidence its weight where no, one or both halves are poor.

    A blank half proves itself by its borders and a six by its pips, hence three.
    """

    alone: tuple[Row, ...]
    """For `COLUMNS`."""
    in_set: tuple[Row, ...]
    """For `COLUMNS` and `SET_COLUMNS`."""


FITTED = Weights(tuple(ALONE.values()), tuple(IN_SET.values()))
"""Those of `vision.weights`."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the dominoes of one picture have in common; medians over those found so far."""

    divider: float
    body: float
    ink: float
    edges: float
    seams: float
    waist: float
    tips: float
    side_px: float
    colour: tuple[float, float, float]


def traits_of(faces: Faces) -> Traits:
    """The traits of a set, from at least one of its dominoes."""
    blue, green, red = (float(v) for v in np.median(faces.colours.reshape(-1, 3), axis=0))
    return Traits(
        divider=float(np.median(faces.divider)),
        body=float(np.median(faces.body)),
        ink=float(np.median(np.maximum(faces.ink.max(axis=1), 40))),
        edges=float(np.median(faces.edges.mean(axis=1))),
        seams=float(np.median(faces.seams.mean(axis=1))),
        waist=float(np.median(faces.waist)),
        tips=float(np.median(faces.tips)),
        side_px=float(np.median(faces.pose[:, 3])),
        colour=(blue, green, red),
    )


def log_odds(faces: Faces, traits: Traits | None = None, *, weights: Weights = FITTED) -> Floats:
    """The log odds that a domino lies at each pose, shape (N,); sharper when the set's traits are known."""
    chosen = np.array(weights.alone if traits is None else weights.in_set, np.float32).T[poor_halves(faces)]
    return np.asarray((evidence(faces, traits) * chosen).sum(axis=1), dtype=np.float32)


def poor_halves(faces: Faces) -> NDArray[np.intp]:
    """How many halves of each have too few pips to show by them alone, shape (N,): which weights are its own."""
    return np.asarray((faces.suits < PLAIN_PIPS).sum(axis=1))


def placement(faces: Faces) -> Floats:
    """How well each pose sits on whatever domino is there, shape (N,); only for comparing poses next to each other.

    The odds will not do for that: they tell dominoes from other things, and rather like a blank that shows a false pip.
    """
    fit = faces.misfit.min(axis=2).sum(axis=1)
    lines = faces.edges.mean(axis=1) + 0.3 * faces.divider + 0.3 * faces.tips - 0.3 * faces.waist
    return np.asarray(lines - 5 * fit - faces.unevenness / FAR_COLOUR, dtype=np.float32)


def evidence(faces: Faces, traits: Traits | None) -> Floats:
    """What speaks for and against each pose, one row each, `COLUMNS` and, with traits, `SET_COLUMNS`."""
    fit = np.log(faces.misfit.min(axis=2) + 0.01) + 4
    pips = faces.suits > 0
    # Where no half has pips there is no ink to compare, and the middle value says nothing either way.
    ink = np.where(pips.any(axis=1), np.where(pips, faces.ink, np.inf).min(axis=1), 60)
    ends, sides, seams = faces.edges[:, :2], faces.edges[:, 2:], faces.seams
    columns = [
        np.ones(len(faces)),
        fit.min(axis=1),
        fit.max(axis=1),
        np.minimum(faces.foreign, 0.4),
        ends.min(axis=1),
        sides.min(axis=1),
        sides.max(axis=1),
        seams[:, :2].min(axis=1),
        seams[:, 2:].min(axis=1),
        (~pips).sum(axis=1),
        faces.divider,
        faces.waist,
        faces.tips,
        np.log(np.clip(ink, 20, 200) / 60),
        np.minimum(faces.unevenness / FAR_COLOUR, 1.5),
    ]
    if traits is not None:
        strange = np.abs(faces.colours - np.array(traits.colour, np.float32)).max(axis=(1, 2)) / FAR_COLOUR
        inked = np.abs(np.log(np.clip(ink, 20, 250) / traits.ink))
        columns += [
            np.abs(faces.divider - traits.divider),
            np.abs(faces.waist - traits.waist),
            np.abs(faces.tips - traits.tips),
            np.minimum(np.abs(np.log((faces.body + 10) / (traits.body + 10))), 1),
            np.where(pips.any(axis=1), np.minimum(inked, 1.2), 0),
            faces.edges.mean(axis=1) - traits.edges,
            seams.mean(axis=1) - traits.seams,
            np.minimum(np.abs(np.log(faces.pose[:, 3] / traits.side_px)) * 10, 2),
            np.minimum(strange, 1.5),
        ]
    return np.column_stack(columns).astype(np.float32)
