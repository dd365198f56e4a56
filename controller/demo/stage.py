"""The rendered table of the demonstration: its rig, what its camera sees, and the configuration of its service."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.config import BrokerConfig, CameraConfig, Config, JournalConfig, SeatsConfig, TableConfig
from controller.demo.gestures import Piece
from controller.demo.table import Scene
from controller.demo.watching import Address
from controller.game.rulesets import Params
from vision.camera import Frame
from vision.layout import Lying
from vision.look import Look
from vision.render import Backdrop, Reaching
from vision.rig import Rig

RIG: Final = Rig(width_px=1440, height_px=1080, tilt_deg=2.0, k1=-0.03)
"""A square table fills a 4:3 picture; the halves of its dominoes are then about 28 pixels wide."""
STALE_S = 2.0


class Photographer:
    """The simulated table as its camera sees it; only what has changed is laid anew."""

    def __init__(self, rng: np.random.Generator, film: Path | None, rig: Rig = RIG) -> None:
        self._backdrop = Backdrop(rig, Look(), rng)
        self._film = film
        self._pieces: tuple[Piece, ...] = ()

    def take(self, scene: Scene) -> Frame:
        """One frame of the scene."""
        if scene.pieces != self._pieces:
            self._pieces = scene.pieces
            self._backdrop.lay([_lying(piece) for piece in scene.pieces])
        arms = [Reaching(a.seat, a.x_mm, a.y_mm, _lying(a.holding) if a.holding else None) for a in scene.arms]
        bgr = self._backdrop.picture(arms).bgr
        if scene.is_dark:
            bgr[:] = 0
        if self._film is not None:
            cv2.imwrite(str(self._film / f"{scene.number:06d}.jpg"), bgr)
        return Frame(bgr, scene.mono_ns, scene.number)


def _lying(piece: Piece) -> Lying:
    return Lying(piece.a, piece.b, piece.x_mm, piece.y_mm, piece.angle_deg)


def config_of_demo(journal: Path, address: Address, sets: int) -> Config:
    """A service on this table, with its pins in memory."""
    # Nobody calibrates this table, and where the machine's own one lies is no business of it.
    calibration = str(journal.with_name("calibration.json"))
    table = TableConfig(name=address.table, corners_px=RIG.table().corners_px, calibration=calibration)
    return Config(
        table=table,
        camera=CameraConfig(kind="folder", path="-", stale_s=STALE_S),
        seats=SeatsConfig(pin_factory="mock"),
        broker=BrokerConfig(host=address.host, port=address.port, reconnect_s=(1, 2)),
        journal=JournalConfig(path=str(journal)),
        game=Params(sets_in_game=sets),
    )
