"""Another look at faces that are not clear: from a little aside, from either end, where something must lie.

Faces in, faces out. What is clear, and what is kept in the end, is said by who asks.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.cut import HIDDEN
from vision.faces import Eyes, Faces
from vision.packing import distinct, same
from vision.reading import DOUBTFUL

Floats = NDArray[np.floating[Any]]

ASIDE: Final = 0.12
"""How far aside an unclear domino is looked at once more, in sides of a half."""
WIDE: Final = 5 / 3
"""So many times farther it is looked at where something must lie."""
MOST_PONDERED: Final = 8
"""Doubtful dominoes of a picture that are looked at ten times more, at most."""
CLIMBS: Final = 5
"""How often that is done, each time from where it showed best."""
MOST_UNCLEAR: Final = 42
"""Unclear faces of a picture that are looked at so, at most."""
MOST_LOOKS_ASIDE: Final = 4 * CLIMBS * MOST_UNCLEAR + 10 * MOST_PONDERED
"""Faces looked at by `from_aside` and `pondered`, at most."""


def from_aside(eyes: Eyes, faces: Faces, *, likely: float, clear: float) -> Faces:
    """Those, each that is likely and not clear as it shows best from a little aside: a first look may be led astray."""
    for _ in range(CLIMBS):
        unclear = faces.where((faces.odds > likely) & (faces.odds < clear)).quads[:MOST_UNCLEAR]
        if not len(unclear):
            break
        seen = eyes.look(np.concatenate([unclear + step for step in _asides(unclear)]))
        both = faces + seen.where(seen.odds > likely)
        best = both.where(distinct(both.odds, both.poses))
        has_won = len(best) > len(faces) or best.odds.sum() > faces.odds.sum()
        faces = best
        if not has_won:
            break
    return faces


def insisted(eyes: Eyes, faces: Faces, places: Floats, *, sure: float, hopeful: float) -> Faces:
    """Those, and what shows well aside of where something must lie, poses of shape (N, 4), and nothing was found."""
    found = faces.where(faces.odds > sure)
    missed = places[~same(places, found.poses, 1.0).any(axis=1)]
    if not len(missed):
        return faces
    quads = eyes.quads(missed)
    seen = eyes.look(np.concatenate([quads, *(quads + WIDE * step for step in _asides(quads))]))
    best = faces + seen.where(seen.odds > hopeful)
    return best.where(distinct(best.odds, best.poses))


def pondered(eyes: Eyes, faces: Faces, *, temperature: float) -> Faces:
    """Those, where a half is doubtful with the mean of ten looks: from five places near by, from either end."""
    doubt = 1 - np.exp(_log_chances(faces.halves / temperature)[..., :HIDDEN].max(axis=2).min(axis=1))
    rows = np.argsort(-doubt, kind="stable")[: np.count_nonzero(doubt > 1 - DOUBTFUL)][:MOST_PONDERED]
    if not len(rows):
        return faces
    quads = faces.quads[rows]
    around = np.stack([quads + step for step in (0 * quads, *_asides(quads))])
    halves = [
        eyes.look(looks.reshape(-1, 4, 2)).halves.reshape(len(around), len(rows), 2, HIDDEN + 1)
        for looks in (around, np.roll(around, 2, axis=2))
    ]
    both_ends = np.concatenate((halves[0], halves[1][:, :, ::-1]))
    faces = faces.where(np.arange(len(faces)))
    faces.halves[rows] = _log_chances(both_ends).mean(axis=0)
    return faces


def _asides(quads: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The steps by which to move quads a little aside, across and along, either way."""
    across = ASIDE * (quads[:, 1] - quads[:, 0])[:, None]
    along = ASIDE / 2 * (quads[:, 3] - quads[:, 0])[:, None]
    return across, -across, along, -along


def _log_chances(log_odds: Floats) -> Floats:
    """Logarithms of the probabilities of the last axis' classes."""
    most = log_odds.max(axis=-1, keepdims=True)
    return np.asarray(log_odds - most - np.log(np.exp(log_odds - most).sum(axis=-1, keepdims=True)))
