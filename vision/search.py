"""Where in a picture dominoes may lie: its sizes, its polarities, the places worth a look; judging them is another's.

What comes out is what the picture shows at each place, for `vision.reader` to weigh and `vision.fit` to learn from.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import POLARITIES, Floats, Gray, Polarity, find_blobs, ink_plane, mark_strength
from vision.candidates import from_dividers, from_patterns, from_rectangles
from vision.geometry import Table
from vision.judge import FITTED, Weights
from vision.line import LineParams
from vision.pips import DIAGONAL, find_patterns, round_blobs
from vision.scale import Scale, find_rectangles, find_scales
from vision.tiles import Faces, View, look

SIDE_PX = 28.0
"""Every picture is scaled so that a half is about so large: a pip is then 5 to 7 px across."""
SMALLEST_PX = 8
"""No domino can be read in a picture smaller than this."""


@dataclass(frozen=True, slots=True)
class Params:
    """What a reader may be told."""

    largest_px: int = 1600
    """A picture with a longer side is scaled down first."""
    smallest_px: int = 480
    """A picture with a shorter longer side is scaled up first, for its pips may be 3 px across."""
    half_mm: tuple[float, float] = (20.0, 29.0)
    """Side of a half, from the smallest to the largest set; used when the table's scale is known."""
    scales: int = 4
    """How many sizes of dominoes are tried when the table's scale is not known."""
    rival: float = 0.3
    """Share of the likeliest size's votes that another size needs to be tried too."""
    candidates: int = 260
    """At most so many places are weighed against each other."""
    ink_floor: float = 20.0
    """Grey levels; a half whose strongest mark is weaker is blank rather than not."""
    blank: float = 0.2
    """The same as a share of the set's usual ink."""
    doubtful: float = -3.0
    """Log odds below which a place is not weighed at all."""
    sure_enough: float = -2.0
    """Log odds a domino needs to be reported."""
    plain: float = 1.5
    """Log odds that the plainest domino of a picture needs; where none is plain, it is a pattern of something else."""
    growth: int = 2
    """How many times the free ends of the dominoes found are looked at for one more."""
    grown: int = 16
    """At most so many places are looked at closely each time."""
    hopeful: float = -9.0
    """Log odds below which such a place is not looked at closely."""
    line: LineParams = field(default_factory=LineParams)
    weights: Weights = FITTED


DEFAULT = Params()


@dataclass(frozen=True, slots=True)
class Search:
    """A picture at one size and polarity of dominoes, and what it shows at every place worth a look, not yet judged."""

    view: View
    faces: Faces
    factor: float
    """How much larger the view is than the picture."""
    left: int
    top: int
    """Where in the picture, in its pixels, the view begins."""


def searches(bgr: NDArray[np.uint8], *, params: Params = DEFAULT, table: Table | None = None) -> Iterator[Search]:
    """What `read` goes by, likeliest size first; nothing for a picture without a mark. Raises: as `read` does."""
    if not isinstance(bgr, np.ndarray) or bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        got = f"{bgr.dtype} {bgr.shape}" if isinstance(bgr, np.ndarray) else type(bgr).__name__
        raise ValueError(f"expected a BGR picture, uint8 of shape (H, W, 3), got {got}")
    if min(bgr.shape[:2]) < SMALLEST_PX:
        return
    left, top, near = _near_table(bgr, table)
    base, factor = _resized(near, params)
    planes: dict[Polarity, Gray] = {polarity: ink_plane(base, polarity) for polarity in POLARITIES}
    rectangles = find_rectangles(base)
    for scale in _scales(planes, rectangles, factor, params, table):
        view = _view(base, planes[scale.polarity], scale)
        pose = _places(view, rectangles)
        if len(pose):
            faces = look(view, pose, ink_floor=params.ink_floor)
            yield Search(view, faces, view.factor * factor, left, top)


def _near_table(bgr: NDArray[np.uint8], table: Table | None) -> tuple[int, int, NDArray[np.uint8]]:
    """The part of the picture that holds the table, and where in the picture it begins (x, y); all without a table."""
    if table is None:
        return 0, 0, bgr
    corners = np.array(table.corners_px)
    left, top = (max(0, int(v) - SMALLEST_PX) for v in corners.min(axis=0))
    right, bottom = (int(v) + SMALLEST_PX for v in corners.max(axis=0))
    part = bgr[top : max(bottom, top), left : max(right, left)]
    return (left, top, part) if min(part.shape[:2]) >= SMALLEST_PX else (0, 0, bgr)


def _resized(bgr: NDArray[np.uint8], params: Params) -> tuple[NDArray[np.uint8], float]:
    """The picture at a size that can be worked on, and how much larger it is than before."""
    longer = max(bgr.shape[:2])
    factor = min(1.0, params.largest_px / longer) if longer >= params.smallest_px else params.smallest_px / longer
    return _scaled(bgr, factor), factor


def _scaled(bgr: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    if factor == 1.0:
        return bgr
    # Averaging over areas is needed, and slow, only where several pixels fall together.
    how = cv2.INTER_CUBIC if factor > 1 else cv2.INTER_LINEAR if factor > 0.6 else cv2.INTER_AREA
    size = tuple(max(SMALLEST_PX, round(n * factor)) for n in bgr.shape[1::-1])
    return np.asarray(cv2.resize(bgr, size, interpolation=how), dtype=np.uint8)


def _scales(
    planes: dict[Polarity, Gray], rectangles: Floats, factor: float, params: Params, table: Table | None
) -> list[Scale]:
    """The sizes worth trying, likeliest first."""
    if table is None:
        bounds_px = None
    else:
        low, high = (mm * table.px_per_mm * factor for mm in params.half_mm)
        bounds_px = (0.9 * low, 1.1 * high)
    found = find_scales(planes, rectangles, most=params.scales, bounds_px=bounds_px)
    return [s for s in found if s.weight > params.rival * found[0].weight]


def _view(base: NDArray[np.uint8], plane: Gray, scale: Scale) -> View:
    """A picture at the size at which dominoes of this scale are read."""
    factor = SIDE_PX / scale.side_px
    plane = _scaled(plane, factor)
    return View(plane, mark_strength(plane), base, factor)


def _places(view: View, rectangles: Floats) -> Floats:
    """Poses of everything that may be a domino, shape (N, 4); the rectangles are given at the colours' size."""
    blobs = find_blobs(view.marks)
    pips = round_blobs(blobs, low_px=3.2, high_px=9).strongest(500)
    patterns = find_patterns(
        pips, view.plane.shape[:2], low=0.86 * DIAGONAL * SIDE_PX, high=1.14 * DIAGONAL * SIDE_PX, slack_px=2
    )
    moved = rectangles.copy()
    moved[:, :2] = (rectangles[:, :2] + 0.5) * view.factor - 0.5
    moved[:, 3] *= view.factor
    return np.concatenate(
        (from_patterns(patterns, SIDE_PX), from_dividers(blobs, SIDE_PX), from_rectangles(moved, SIDE_PX))
    )
