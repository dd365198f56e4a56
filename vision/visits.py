"""Whose arms were in since the table was last read, from which sides and where: a hint at who has changed it."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.change import Cells, Mask
from vision.reach import NEIGHBOURS, Arm

FADES: Final = 0.25
"""What a visit of arms still counts once another has begun."""
ELSEWHERE: Final = 0.1
"""What an arm counts that was never where the table has changed."""
GLIMPSE: Final = 0.5
"""Frames with an arm by which its side is half sure."""


@dataclass(frozen=True, slots=True)
class HandSeen:
    """Whose arm reached in last before a rest: a hint, never a proof."""

    seat: int
    """Of the table where it is known, else the picture's side: 0 bottom, 1 left, 2 top, 3 right."""
    confidence: float
    """In [0, 1]; low when arms came from two sides, at a corner, or for a moment only."""


class Visits:
    """The arms that were in since the table was last read: from which sides, and where they have been."""

    def __init__(self) -> None:
        self.is_in = False
        self._frames = 0
        self._votes = [0.0, 0.0, 0.0, 0.0]
        self._been: list[Cells | None] = [None, None, None, None]

    def take(self, arms: tuple[Arm, ...]) -> None:
        """Note the arms of a frame."""
        was, self.is_in = self.is_in, bool(arms)
        if arms and not was:
            self._votes = [vote * FADES for vote in self._votes]
        for arm in arms:
            self._frames += 1
            for side, share in enumerate(arm.from_sides):
                self._votes[side] += share
                if share:
                    been = self._been[side]
                    self._been[side] = arm.cells if been is None or been.shape != arm.cells.shape else been | arm.cells

    @property
    def been(self) -> Cells | None:
        """All cells where arms have been; None when none was in."""
        been = [cells for cells in self._been if cells is not None]
        return np.logical_or.reduce(been) if been else None

    def last(self, where: Mask) -> HandSeen | None:
        """Whose hand it was that changed the table there, shape (h, w) of the thumbnail."""
        clear = self._frames / (self._frames + GLIMPSE)
        sides = [side for side, vote in enumerate(self._votes) if vote]
        if len(sides) < 2:
            return HandSeen(sides[0], clear) if sides else None
        weights = (1.0 if _met(been, where) else ELSEWHERE for been in self._been)
        votes = [vote * weight for vote, weight in zip(self._votes, weights, strict=True)]
        seat = votes.index(max(votes))
        return HandSeen(seat, votes[seat] / sum(votes) * clear)

    def forget(self) -> None:
        """The table has been read, or lies as it did: what comes now is another matter."""
        self._frames = 0
        self._votes = [0.0, 0.0, 0.0, 0.0]
        self._been = [None, None, None, None]


def _met(been: Cells | None, where: Mask) -> bool:
    """Whether arms that have been in these cells can have changed the table there."""
    if been is None:
        return False
    size = been.shape[1::-1]
    cells = cv2.resize(where, size, interpolation=cv2.INTER_AREA) > 0
    return bool((cells & (cv2.dilate(been.astype(np.uint8), NEIGHBOURS) > 0)).any())
