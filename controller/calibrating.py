"""What `gameline calibrate` does: print the cards, take the picture, say what came of it, keep it where it is good."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from controller.calibration import calibration_of, keep
from controller.cli import Sorry
from controller.config import Config, ConfigError, in_file, load_config
from controller.lookout import open_camera
from controller.output import write_picture, write_svg
from vision.calibration import MOST_FRAMES, Calibration, CannotCalibrate, calibrated, median_of
from vision.camera import CameraEnded, CameraLost, LiveCamera, NotAFrame
from vision.cards import page_svg
from vision.controls import Held
from vision.draw import draw_table
from vision.frame import Bgr
from vision.images import ImageError, load
from vision.lookout import Camera
from vision.reader import read

SETTLING_S: Final = 3.0
"""A camera has found its exposure, white balance and focus by then."""
HELD_FRAMES: Final = 5
"""After they were fixed so many frames may still be older."""
LOOKS: Final = 5
"""So often the table is looked at until it can be calibrated: a hand or a shadow is over the cards for seconds."""


def calibrate(options: argparse.Namespace) -> int:
    """Write the page, or calibrate; 1 where the result is not good enough to be kept."""
    if options.page is not None:
        write_svg(options.page, page_svg(), "--page")
        if options.config is None:
            return 0
    elif options.config is None:
        raise Sorry("expected a configuration to calibrate, or --page with a file to write: gameline calibrate --help")
    try:
        config = load_config(options.config)
        bgr, held, found = _looked(config, options)
        if options.draw is not None:
            write_picture(options.draw, draw_table(bgr, found.table), "--draw")
        path = Path(config.table.calibration)
        if found.score.passed:
            keep(path, found)
    except CannotCalibrate as error:
        raise Sorry(f"{error}; {_as_before(config)}") from error
    except (ImageError, CameraLost, NotAFrame) as error:
        raise Sorry(str(error)) from error
    except ConfigError as error:
        raise Sorry(in_file(error, options.config)) from error
    record = _record(found, held, path)
    print(json.dumps(record) if options.json else _text(found, held, path))
    if not found.score.passed:
        for fault in found.score.faults:
            print(f"gameline: {fault}", file=sys.stderr)
        print(f"gameline: not kept; {_as_before(config)}", file=sys.stderr)
    return 0 if found.score.passed else 1


def _as_before(config: Config) -> str:
    try:
        is_there = calibration_of(config) is not None
    except ConfigError:
        return f"the calibration of before, {config.table.calibration}, cannot be used either"
    return "the calibration of before is still the one in use" if is_there else "there is no calibration yet"


def _looked(config: Config, options: argparse.Namespace) -> tuple[Bgr, Held, Calibration]:
    """The first look that passes, while it is told what is wrong with the others; else the last that shows the table.

    Raises:
        CannotCalibrate, NotAFrame or ImageError: none shows it; the reason of the last.
        CameraLost: the camera gives nothing any more.
    """
    best: tuple[Bgr, Held, Calibration] | None = None
    failure: Exception | None = None
    why = ""
    with _opened(config, options.picture) as (take, held):
        for _ in range(1 if options.picture else LOOKS):
            try:
                bgr = _picture(config, take())
                if why:
                    print(f"gameline: not yet: {why}; looking again", file=sys.stderr)
                found = calibrated(
                    bgr,
                    side_mm=config.table.side_mm,
                    zone_mm=config.table.zone_mm,
                    domino_mm=options.domino,
                    seat0=options.seat0,
                    read=lambda picture, table: read(picture, table=table),
                    controls=held.controls,
                )
            except (CannotCalibrate, NotAFrame, ImageError) as error:
                failure, why = error, str(error)
                continue
            except CameraEnded as error:
                failure = failure or error
                break
            best = bgr, held, found
            if found.score.passed:
                break
            why = found.score.faults[0]
    if best is None:
        assert failure is not None, "there is one look at least"
        raise failure
    return best


def _picture(config: Config, frames: list[Bgr]) -> Bgr:
    """The median of some frames, which is to be of the size that [camera] has."""
    bgr = median_of(frames)
    wanted, came = (config.camera.width_px, config.camera.height_px), (bgr.shape[1], bgr.shape[0])
    if came != wanted:
        raise CannotCalibrate(
            f"expected pictures of {wanted[0]}x{wanted[1]}, as [camera] has them, got {came[0]}x{came[1]}: take them "
            "with that camera, or correct [camera]"
        )
    return bgr


@contextlib.contextmanager
def _opened(config: Config, files: list[Path] | None) -> Iterator[tuple[Callable[[], list[Bgr]], Held]]:
    """What takes a few frames, of these pictures or of the camera; a live one has found its exposure, and holds it."""
    if files:
        yield lambda: [load(file) for file in files], Held()
        return
    held = Held()
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("looking", total=MOST_FRAMES)
        camera = open_camera(config, clock_ns=time.monotonic_ns, wait=lambda seconds: None)
        with contextlib.closing(camera):
            if isinstance(camera, LiveCamera):
                until = time.monotonic() + SETTLING_S
                while time.monotonic() < until:
                    _pass_by(camera)
                held = camera.hold()
                for _ in range(HELD_FRAMES):
                    _pass_by(camera)

            def take() -> list[Bgr]:
                progress.reset(task)
                return _frames_of(camera, lambda: progress.advance(task))

            yield take, held


def _pass_by(camera: LiveCamera) -> None:
    """A frame that nobody looks at, be it one or not."""
    with contextlib.suppress(NotAFrame):
        camera.read()


def _frames_of(camera: Camera, progress: Callable[[], None]) -> list[Bgr]:
    """A few frames, without what is none; fewer where a recording ends.

    Raises:
        NotAFrame, ImageError or CameraEnded: there was none, of twice as many.
    """
    frames: list[Bgr] = []
    wrong: Exception | None = None
    for _ in range(2 * MOST_FRAMES):
        try:
            frames.append(camera.read().bgr)
        except (NotAFrame, ImageError) as error:
            wrong = wrong or error
            continue
        except CameraEnded as error:
            wrong = wrong or error
            break
        progress()
        if len(frames) == MOST_FRAMES:
            break
    if not frames and wrong is not None:
        raise wrong
    return frames


def _record(found: Calibration, held: Held, path: Path) -> dict[str, Any]:
    """The result as `--json` prints it."""
    score, lens = found.score, found.table.lens
    return {
        "passed": score.passed,
        "faults": list(score.faults),
        "error_mm": round(score.error_mm, 2),
        "half_px": round(score.half_px, 1),
        "in_view": round(score.in_view, 3),
        "edge_px": None if score.edge_px is None else round(score.edge_px, 1),
        "size_px": list(found.size_px),
        "corners_px": [[round(x, 2), round(y, 2)] for x, y in found.table.corners_px],
        "side_mm": found.table.side_mm,
        "domino_mm": round(found.domino_mm, 1),
        "measured_mm": None if found.table.domino_mm is None else round(found.table.domino_mm, 1),
        "lens": None if lens is None else {"focal_px": lens.focal_px, "k1": round(lens.k1, 5), "k2": round(lens.k2, 5)},
        "held": _plain(held.controls),
        "refused": list(held.refused),
        "file": str(path) if score.passed else None,
    }


def _plain(controls: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in controls.items()}


def _text(found: Calibration, held: Held, path: Path) -> str:
    """The result for a person."""
    score, table = found.score, found.table
    edge = "nothing to tell it by" if score.edge_px is None else f"an edge takes {score.edge_px:.1f} pixels"
    measured = "not measured; with three or more on the table the reader is faster and stricter"
    if table.domino_mm is not None:
        measured = f"{table.domino_mm:.1f} mm long"
    corners = ", ".join(f"({x:.0f}, {y:.0f})" for x, y in table.corners_px)
    lines = [
        f"calibration: {'passed' if score.passed else 'failed'}",
        f"  error:      {score.error_mm:.1f} mm",
        f"  a half:     {score.half_px:.1f} pixels at least",
        f"  in view:    {100 * score.in_view:.0f} % of the table",
        f"  sharpness:  {edge}",
        f"  dominoes:   {measured}",
        f"  corners:    {corners}, from the one between seats 1 and 2 on clockwise",
    ]
    if held.controls:
        lines.append("  held fixed: " + ", ".join(f"{name} {value}" for name, value in held.controls.items()))
    if held.refused:
        lines.append(f"  this camera cannot hold {', '.join(held.refused)}: even light helps, see docs/camera.md")
    if score.passed:
        lines.append(f"kept in {path}")
    return "\n".join(lines)
