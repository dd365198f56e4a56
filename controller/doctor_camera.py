"""What the doctor asks of the camera: a frame in time, its size and light, and whether the calibration still fits."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from controller.calibration import calibration_of
from controller.config import ConfigError
from controller.doctor_checks import Found, Patient
from controller.lookout import open_camera, table_of
from controller.selftest_checks import BRIGHTNESS, GLARE_MOST
from vision.calibration import Calibration
from vision.camera import CameraEnded, CameraLost, LiveCamera, NotAFrame
from vision.checkup import check
from vision.frame import Frame
from vision.geometry import Table
from vision.images import ImageError
from vision.lookout import Camera
from vision.reading import Reading
from vision.vigil import LOOKS, Ails, Vigil, VigilParams

WARM_S = 1.0
"""A camera that was just opened finds its exposure in this time."""


def calibration(patient: Patient) -> Iterator[Found]:
    """Whether there is one for this camera, and how good and old it is."""
    config = patient.config
    path = Path(config.table.calibration)
    try:
        kept = calibration_of(config)
        table_of(config, kept)
        days = (datetime.now(UTC) - datetime.fromtimestamp(path.stat().st_mtime, UTC)).days if kept else 0
    except ConfigError as error:
        yield Found("calibration", False, "of no use", str(error))
        return
    if kept is not None:
        what = f"{days} days old, {kept.score.error_mm:.1f} mm off, halves of {kept.score.half_px:.0f} pixels"
        yield Found("calibration", True, what)
    elif config.table.corners_px is not None:
        yield Found("calibration", True, "none, but table.corners_px says where the table lies")
    else:
        cure = "gameline calibrate: without it a hand shown to the camera is not told from the line"
        yield Found("calibration", False, f"there is none at {path}", cure)


def camera(patient: Patient) -> Iterator[Found]:
    """A frame, in time, of the right size, with enough light, of the table that was calibrated."""
    config = patient.config
    if patient.in_use is not None:
        yield Found("camera", None, patient.in_use)
        return
    kept: Calibration | None = None
    with contextlib.suppress(ConfigError):  # told under calibration
        kept = calibration_of(config)
    try:
        controls = kept.controls if kept is not None else None
        opened = open_camera(config, clock_ns=time.monotonic_ns, wait=time.sleep, controls=controls)
        with contextlib.closing(opened):
            frame, age_s = _newest(opened)
    except (CameraLost, NotAFrame, ImageError, CameraEnded) as error:
        yield Found("camera", False, "no frame", f"{error}; see docs/camera.md")
        return
    height, width = frame.bgr.shape[:2]
    what = f"{width}x{height}, {age_s:.2f} s old"
    if age_s > config.camera.stale_s:
        yield Found(
            "camera", False, what, f"frames come later than camera.stale_s ({config.camera.stale_s:g} s): restart it"
        )
    else:
        yield Found("camera", True, what)
    table = None
    with contextlib.suppress(ConfigError):
        table = table_of(config, kept)
    yield from _picture(frame, table, kept)


def _newest(opened: Camera) -> tuple[Frame, float]:
    """A frame of a camera that has had time to find its exposure, and how old it was when it came."""
    until_s = time.monotonic() + WARM_S
    frame = opened.read()
    while isinstance(opened, LiveCamera) and time.monotonic() < until_s:
        frame = opened.read()
    return frame, (time.monotonic_ns() - frame.mono_ns) / 1e9


def _picture(frame: Frame, table: Table | None, kept: Calibration | None) -> Iterator[Found]:
    """What is wrong with the picture, or that nothing is."""
    seen = check(frame.bgr, read=lambda bgr: Reading(), table=table)
    low, high = BRIGHTNESS
    problems = []
    if not low <= seen.brightness <= high:
        cure = "switch the lamp on, or take the cap off" if seen.brightness < low else "less light, or a darker cloth"
        problems.append((f"its grey is {seen.brightness:.0f} of 255", cure))
    if seen.glare > GLARE_MOST:
        problems.append((f"{seen.glare:.0%} of the table is white", "move the lamp until nothing shines back"))
    if seen.table_in_view is False:
        problems.append(("a corner of the table is outside it", "turn or raise the camera, then gameline calibrate"))
    if kept is not None:
        at_once = VigilParams(every_ms=0, looks=dict.fromkeys(LOOKS, 1), lost=1)
        told = Vigil(table=kept.table, rest=kept.rest, params=at_once).look(frame)
        problems += [(ails.code.replace("_", " "), ails.text) for ails in told if isinstance(ails, Ails)]
    for what, cure in problems:
        yield Found("picture", False, what, cure)
    if not problems:
        as_calibrated = ", as it was calibrated" if kept is not None else ""
        yield Found("picture", True, f"light enough{as_calibrated}")
