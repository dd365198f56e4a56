"""The file a calibration is kept in: written whole or not at all, read strictly, each mistake told with the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from controller.config import Config, ConfigError, TableConfig
from controller.replacing import replace_file
from vision.calibration import Calibration, Score
from vision.change import Thumb
from vision.geometry import Corners, Lens, Table, quad_of
from vision.reading import Point
from vision.rest import Rest

VERSION = 1
AGAIN = "run gameline calibrate"


class _Lens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    focal_px: float
    centre_px: Point
    k1: float
    k2: float


class _Score(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    error_mm: float
    half_px: float
    in_view: float
    edge_px: float | None


class _Rest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    still: bytes
    spots: tuple[tuple[float, float, float], ...]
    aside: tuple[Corners, ...]


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    size_px: tuple[int, int]
    corners_px: Corners
    lens: _Lens | None
    side_mm: float
    domino_mm: float
    score: _Score
    controls: dict[str, Any]
    rest: _Rest
    measured_mm: float | None = None
    """How long the dominoes are that lay there; None where too few did."""


def keep(path: Path, calibration: Calibration) -> None:
    """Put a calibration that has passed into its place.

    Raises:
        ConfigError: the file cannot be written; what was there is still there.
    """
    table, lens, score = calibration.table, calibration.table.lens, calibration.score
    kept = _Kept(
        version=VERSION,
        size_px=calibration.size_px,
        corners_px=table.corners_px,
        lens=None if lens is None else _Lens(lens.focal_px, lens.centre_px, lens.k1, lens.k2),
        side_mm=table.side_mm,
        domino_mm=calibration.domino_mm,
        score=_Score(score.error_mm, score.half_px, score.in_view, score.edge_px),
        controls=dict(calibration.controls),
        rest=_packed(calibration.rest),
        measured_mm=table.domino_mm,
    )
    try:
        replace_file(path, msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        is_new = isinstance(error, FileNotFoundError)
        cure = "start the service once, which makes its folder" if is_new else "run it as the service's user"
        raise ConfigError(
            f"table.calibration: expected a file that can be written, got {path} ({why}): {cure}, or name another"
        ) from error


def kept_calibration(path: Path, *, zone_mm: float = TableConfig().zone_mm) -> Calibration:
    """The calibration in a file; the depth of the seats' strips is the configuration's.

    Raises:
        ConfigError: the file can't be read, is damaged, or is of another version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"expected a calibration in {path}, got {error.strerror}: {AGAIN}") from error
    try:
        version = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).get("version")
        if version is not None and bytes(version) != str(VERSION).encode():
            raise ConfigError(
                f"expected a calibration of version {VERSION} in {path}, got version {bytes(version).decode()}: {AGAIN}"
            )
        kept = msgspec.json.decode(data, type=_Kept)
        bend = kept.lens
        lens = None if bend is None else Lens(bend.focal_px, bend.centre_px, bend.k1, bend.k2)
        table = Table(kept.corners_px, side_mm=kept.side_mm, zone_mm=zone_mm, lens=lens, domino_mm=kept.measured_mm)
        rest = _unpacked(kept.rest)
    except (msgspec.DecodeError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"expected a calibration in {path}, got a damaged one ({error}): {AGAIN}") from error
    score = Score(kept.score.error_mm, kept.score.half_px, kept.score.in_view, kept.score.edge_px, ())
    return Calibration(kept.size_px, table, kept.domino_mm, score, rest, kept.controls)


def _packed(rest: Rest) -> _Rest:
    still = cv2.imencode(".jpg", rest.thumb.bgr, (cv2.IMWRITE_JPEG_QUALITY, 95))[1].tobytes()
    spots = tuple((float(x), float(y), float(steep)) for x, y, steep in rest.spots)
    return _Rest(still, spots, tuple(quad_of(quad) for quad in rest.aside))


def _unpacked(kept: _Rest) -> Rest:
    bgr = cv2.imdecode(np.frombuffer(kept.still, np.uint8), cv2.IMREAD_COLOR) if kept.still else None
    if bgr is None:
        raise ValueError("rest.still is no picture")
    thumb = Thumb(np.asarray(bgr, np.uint8), np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8))
    return Rest(thumb, np.array(kept.spots, np.float64).reshape(-1, 3), kept.aside)


def calibration_of(config: Config) -> Calibration | None:
    """The calibration of the configured table; None where none has been made.

    Raises:
        ConfigError: there is one that cannot be used, or it was made for pictures of another size.
    """
    path = Path(config.table.calibration)
    try:
        path.stat()
        calibration = kept_calibration(path, zone_mm=config.table.zone_mm)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            f"table.calibration: expected a file that can be read, got {path} ({error.strerror}): run it as the "
            "service's user, or name another"
        ) from error
    except ConfigError as error:
        raise ConfigError(f"table.calibration: {error}") from error
    size = (config.camera.width_px, config.camera.height_px)
    if calibration.size_px != size:
        made, now = (f"{width}x{height}" for width, height in (calibration.size_px, size))
        raise ConfigError(
            f"table.calibration: expected a calibration for pictures of {now} in {path}, got one for {made}: {AGAIN}, "
            "or set the camera back"
        )
    return calibration
