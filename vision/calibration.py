"""What is known of one camera over one table, how good that is, and how it is found in a picture of the table.

Where it is kept, and which camera gives the picture, is nobody's business here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import cv2
import numpy as np

from vision.cards import CORNERS, FREE, PLACE_OF, find_cards, name_of
from vision.checkup import edge_px
from vision.edges import NoEdge, length_mm, table_from_edges
from vision.fitting import table_from_cards
from vision.frame import Bgr
from vision.geometry import Corners, Points, Table, quad_of
from vision.reading import Domino, Reading
from vision.rest import Rest, rest_of

MOST_ERROR_MM: Final = 2.5
"""Reprojection error from which a table does not lie as it was found: a domino's joint is narrower."""
MOST_STRETCH: Final = 0.025
"""How far the table's side may be another by the cards' or the dominoes' size than by the tape."""
LEAST_HALF_PX: Final = 10.0
"""Side of a half below which the reader cannot read it."""
LEAST_IN_VIEW: Final = 0.98
"""Share of the table that the picture must show; all of the middle square besides."""
MOST_EDGE_PX: Final = 3.0
"""Pixels that an edge may take from dark to light; or a fifth of a half, where that is more."""
EDGE_SHARE: Final = 0.2
GRID: Final = np.stack(np.meshgrid(*(np.linspace(-0.5, 0.5, 41),) * 2), axis=-1).reshape(-1, 2)
"""Places all over a table, in sides of it."""
LEAST_DOMINOES: Final = 3
"""From so many the size of all is known."""
SIDES: Final = ("bottom", "left", "top", "right")
"""Of a picture, clockwise: seat 0's, and so on."""
MOST_FRAMES: Final = 9
"""Of more the median costs more time and gains nothing."""


class CannotCalibrate(ValueError):
    """A picture that does not show where the table lies; one sentence says what is missing and what to do."""


@dataclass(frozen=True, slots=True)
class Score:
    """How good a calibration is."""

    error_mm: float
    """Reprojection error: the root mean square of how far what lies on the table is from where it should."""
    half_px: float
    """Side of a domino's half where the line may be farthest from the camera."""
    in_view: float
    """Share of the table that the picture shows, in [0, 1]."""
    edge_px: float | None
    """How many pixels a sharp edge takes; None where there was none to look at."""
    faults: tuple[str, ...]
    """Why it has failed, each with what to do; empty where it has passed."""

    @property
    def passed(self) -> bool:
        """Whether a table can be played on with it."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Calibration:
    """One camera over one table."""

    size_px: tuple[int, int]
    """Width and height of the pictures it is for."""
    table: Table
    domino_mm: float
    """Length of the dominoes that are played with."""
    score: Score
    rest: Rest
    """What later frames are compared with."""
    controls: Mapping[str, Any] = field(default_factory=dict)
    """What the camera was told to hold fixed, in its own words."""


def calibrated(
    bgr: Bgr,
    *,
    side_mm: float,
    zone_mm: float,
    domino_mm: float,
    read: Callable[[Bgr, Table | None], Reading],
    seat0: str = SIDES[0],
    controls: Mapping[str, Any] | None = None,
) -> Calibration:
    """What a picture of a table says, by the cards on it or, where there is none, by its edge and some dominoes.

    Args:
        bgr: Shape (H, W, 3), uint8.
        side_mm: The table's side by the tape.
        zone_mm: Depth of the seats' strips.
        domino_mm: Length of a domino.
        seat0: Without cards the side of the picture where seat 0 is.
        read: Reads the dominoes in a picture, on a table where that is known.
        controls: What the camera holds fixed.

    Raises:
        CannotCalibrate: it does not show where the table lies.
    """
    if find_cards(bgr):
        found = from_cards(bgr, side_mm=side_mm, zone_mm=zone_mm, domino_mm=domino_mm, read=read)
    else:
        found = from_edges(bgr, side_mm=side_mm, zone_mm=zone_mm, domino_mm=domino_mm, seat0=seat0, read=read)
    return replace(found, controls=controls or {})


def from_edges(
    bgr: Bgr,
    *,
    side_mm: float,
    zone_mm: float,
    domino_mm: float,
    seat0: str,
    read: Callable[[Bgr, Table | None], Reading],
) -> Calibration:
    """What a picture of a table without cards says, by its edge; parameters and errors as in `calibrated`."""
    dominoes = read(bgr, None).dominoes
    if len(dominoes) < LEAST_DOMINOES:
        raise CannotCalibrate(
            f"expected the printed cards, or the bare table with {LEAST_DOMINOES} dominoes or more in its middle, but "
            f"no card and {len(dominoes)} of those are seen: gameline calibrate --page prints the cards"
        )
    try:
        found = table_from_edges(bgr, dominoes, side_mm=side_mm, zone_mm=zone_mm, domino_mm=domino_mm)
    except NoEdge as error:
        raise CannotCalibrate(
            f"expected four edges {side_mm:.0f} mm apart round the picture's middle, but there are none: clear the "
            "table, light what is beside it otherwise, give --domino their length, or take the printed cards"
        ) from error
    table = replace(found.table, corners_px=turned_to(found.table.corners_px, seat0))
    on_table = read(bgr, table).dominoes
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    widths = [width for domino in on_table if (width := edge_px(grey, np.array(domino.corners))) is not None]
    faults = []
    if found.error_mm > MOST_ERROR_MM:
        faults.append(
            f"the table's edges are {found.error_mm:.1f} mm from being straight, {MOST_ERROR_MM:g} at most are "
            "expected: clear what lies on them, or take the printed cards"
        )
    return judged(
        bgr,
        table,
        domino_mm=domino_mm,
        error_mm=found.error_mm,
        edges_px=widths,
        faults=faults,
        dominoes=on_table,
    )


def turned_to(corners: Corners, seat0: str) -> Corners:
    """Corners from the top left of the picture on as a table's: from the one between seats 1 and 2 on."""
    first = SIDES.index(seat0)
    return quad_of(np.roll(np.array(corners), -first, axis=0))


def from_cards(
    bgr: Bgr, *, side_mm: float, zone_mm: float, domino_mm: float, read: Callable[[Bgr, Table | None], Reading]
) -> Calibration:
    """What a picture with the printed cards on the table says.

    Args:
        bgr: Shape (H, W, 3), uint8.
        side_mm: The table's side by the tape.
        zone_mm: Depth of the seats' strips.
        domino_mm: Length of a domino.
        read: Reads the dominoes on a table; those that lie there check the measures.

    Raises:
        CannotCalibrate: a card of a corner is not seen, or the cards lie in another order than on the page.
    """
    seen = find_cards(bgr)
    missing = [name_of(card) for card in CORNERS if card not in seen]
    if missing:
        count = "none of them is" if len(missing) == len(CORNERS) else f"{_listed(missing)} not"
        raise CannotCalibrate(
            f"expected the four cards at the table's corners, but {count} seen: lay them flat and whole in the "
            "picture, without a reflection on them, the white rim free"
        )
    size_px = (bgr.shape[1], bgr.shape[0])
    try:
        fit = table_from_cards(seen, PLACE_OF, FREE, size_px=size_px, side_mm=side_mm, zone_mm=zone_mm)
    except ValueError as error:
        raise CannotCalibrate(
            "expected the cards to go round the table as on the page, but they do not: lay 0 | 1 between seat 0 and "
            "seat 1, and so on clockwise"
        ) from error
    faults = []
    worst = max(fit.off_mm, key=lambda card: fit.off_mm[card])
    if abs(fit.side_mm / side_mm - 1) > MOST_STRETCH:
        faults.append(
            f"by the cards the table's side is {fit.side_mm:.0f} mm, by table.side_mm {side_mm:.0f}: measure the "
            "table, and the 100 mm on the page, which must be printed at 100 %"
        )
    elif fit.error_mm > MOST_ERROR_MM:
        faults.append(
            f"the cards lie {fit.error_mm:.1f} mm from where a square table has them, {MOST_ERROR_MM:g} at most are "
            f"expected, and {name_of(worst)} is off most: push each against the table's edges as on the page, and "
            "measure whether the table is square"
        )
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    widths = [width for quad in seen.values() if (width := edge_px(grey, quad)) is not None]
    return judged(
        bgr,
        fit.table,
        domino_mm=domino_mm,
        error_mm=fit.error_mm,
        edges_px=widths,
        faults=faults,
        dominoes=read(bgr, fit.table).dominoes,
        aside=[_grown(quad) for quad in seen.values()],
    )


def judged(
    bgr: Bgr,
    table: Table,
    *,
    domino_mm: float,
    error_mm: float,
    edges_px: Sequence[float],
    faults: Sequence[str],
    dominoes: Sequence[Domino],
    aside: Sequence[Points] = (),
) -> Calibration:
    """A calibration with its score: faults found so far, and those that every picture may have."""
    faults = list(faults)
    size = (bgr.shape[1], bgr.shape[0])
    at_px = table.to_px(GRID * table.side_mm)
    is_in = np.asarray(((at_px >= 0) & (at_px <= np.subtract(size, 1))).all(axis=1))
    is_middle = np.asarray(np.abs(GRID).max(axis=1) <= 0.5 - table.zone_mm / table.side_mm)
    if is_in.mean() < LEAST_IN_VIEW or not is_in[is_middle].all():
        faults.append(
            f"the picture shows {100 * is_in.mean():.0f} % of the table, {100 * LEAST_IN_VIEW:.0f} % are expected: "
            "raise the camera, or move it over the table's middle"
        )
    half_px = smallest_half_px(table, domino_mm)
    if half_px < LEAST_HALF_PX:
        faults.append(
            f"a half has {half_px:.1f} pixels where the line may lie, {LEAST_HALF_PX:g} are needed: hang the camera "
            "lower, or choose a larger picture in [camera]"
        )
    measured_mm = float(np.median([length_mm(domino, table) for domino in dominoes])) if dominoes else domino_mm
    if len(dominoes) >= LEAST_DOMINOES:
        table = replace(table, domino_mm=measured_mm)
    if abs(measured_mm / domino_mm - 1) > 2 * MOST_STRETCH:
        faults.append(
            f"the dominoes on the table are {measured_mm:.0f} mm long, {domino_mm:g} are expected: give "
            "--domino their length, and measure table.side_mm"
        )
    sharp = float(np.median(edges_px)) if len(edges_px) else None
    most = max(MOST_EDGE_PX, EDGE_SHARE * half_px)
    if sharp is not None and sharp > most:
        faults.append(
            f"an edge takes {sharp:.1f} pixels from dark to light, {most:.1f} at most are expected: wipe the lens, "
            "turn its ring until the picture is sharp, and give it more light"
        )
    return Calibration(
        size_px=size,
        table=table,
        domino_mm=domino_mm,
        score=Score(error_mm, half_px, float(is_in.mean()), sharp, tuple(faults)),
        rest=rest_of(bgr, table, [*aside, *(np.array(domino.corners) for domino in dominoes)]),
    )


def smallest_half_px(table: Table, domino_mm: float) -> float:
    """Side in pixels of a half where the line may be farthest from the camera, the shorter of its two directions."""
    reach = table.side_mm / 2 - table.zone_mm
    places = reach * np.array([(u, v) for u in (-1, 0, 1) for v in (-1, 0, 1)])
    side_mm = domino_mm / 2
    lengths = [np.hypot(*(table.to_px(places + step) - table.to_px(places)).T) for step in ((side_mm, 0), (0, side_mm))]
    return float(np.min(lengths))


def median_of(frames: Sequence[Bgr]) -> Bgr:
    """One picture of several of a table that lies still: less noise, and without a hand that crossed some of them.

    Raises:
        CannotCalibrate: they are of different sizes, or there is none.
    """
    sizes = {frame.shape for frame in frames}
    if len(sizes) != 1:
        what = ", ".join(sorted(f"{shape[1]}x{shape[0]}" for shape in sizes)) or "none"
        raise CannotCalibrate(f"expected pictures of one size, got {what}: take all with one camera")
    if len(frames) == 1:
        return frames[0]
    return np.asarray(np.median(np.stack(frames[:MOST_FRAMES]), axis=0), np.uint8)


def _grown(quad: Points) -> Points:
    """A marker's corners moved out to those of its card, and a little more."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + 1.5 * (quad - middle))


def _listed(names: Sequence[str]) -> str:
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"
