"""What lies on the table, drawn as the camera sees it and put where the camera looks; whose turn it is nobody asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import cv2
import numpy as np

from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop
from vision.rig import Rig

SIZE_PX = (1024, 768)
SEED = 5
JPEG_QUALITY = 95
KEPT = 1000
"""Pictures that are not drawn again; 0.2 MB each."""


class Lay(NamedTuple):
    """A domino as somebody lays it: which end, the half at the joint, the other half."""

    end: Literal["first", "L", "R"]
    inner: int
    outer: int


class Scene:
    """The table as it looks; one of them draws for many games, for its dominoes are drawn once."""

    def __init__(self) -> None:
        self._backdrop = Backdrop(Rig(*SIZE_PX), Look(), np.random.default_rng(SEED))
        self._drawn: dict[tuple[Lay, ...], bytes] = {}

    @property
    def corners_px(self) -> list[list[float]]:
        """Of the table in the picture, as the configuration takes them."""
        return [list(corner) for corner in self._backdrop.rig.table().corners_px]

    def show(self, laid: Sequence[Lay], picture: Path) -> None:
        """Have the picture show these dominoes, whole from one moment to the next."""
        new = picture.with_suffix(".new")
        new.write_bytes(self._picture(tuple(laid)))
        new.replace(picture)

    def draw(self, laid: Sequence[Lay]) -> None:
        """Draw what is to be shown next: no time of whoever waits for it then."""
        self._picture(tuple(laid))

    def _picture(self, laid: tuple[Lay, ...]) -> bytes:
        if laid not in self._drawn:
            if len(self._drawn) == KEPT:
                del self._drawn[next(iter(self._drawn))]  # the oldest
            layout = LineLayout(np.random.default_rng(SEED))
            for end, inner, outer in laid:
                if end == "first":
                    layout.first(inner, outer)
                else:
                    layout.add(end, inner, outer)
            self._backdrop.lay(layout.lying)
            _, data = cv2.imencode(".jpg", self._backdrop.picture().bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            self._drawn[laid] = data.tobytes()
        return self._drawn[laid]
