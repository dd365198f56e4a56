"""A table's eyes put together: its camera, what watches the frames, the technician's page; what they tell in our words.

It knows vision and no other leaf room; how all of them hang together is app.py's business.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from controller import inbox
from controller.config import Config, ConfigError
from controller.eyes import Point, Zone, sighting_of
from controller.game.seen import Arm
from controller.game.tiles import MonoNs, Seat
from controller.machine import VERSION
from controller.selftest_checks import Look
from controller.view_server import ViewServer
from vision.calibration import Calibration
from vision.camera import FolderCamera, LiveCamera, Picamera, V4L2Camera, VideoCamera
from vision.cases import CaseError, save_case
from vision.change import Before
from vision.checkup import Checkup, check
from vision.frame import Frame
from vision.geometry import Table
from vision.lookout import Back, Camera, Died, Examined, Lookout, Lost, News, Playback, Taken
from vision.reader import read
from vision.reading import Reading
from vision.recall import Recall
from vision.view import KINDS, View
from vision.vigil import Ails, Heals, Vigil
from vision.watch import CannotSee, HandIn, HandOut, SeesAgain, Settled, Sight, Watcher

Bgr8 = NDArray[np.uint8]

NOT_HELD = "the camera does not hold {what} as it did when it was calibrated: run gameline calibrate again"


def table_of(config: Config, calibration: Calibration | None) -> Table | None:
    """Where the table lies in the picture, if it has been calibrated or the configuration says so."""
    if calibration is not None:
        return calibration.table
    table = config.table
    if table.corners_px is None:
        return None
    try:
        return Table(table.corners_px, side_mm=table.side_mm, zone_mm=table.zone_mm)
    except ValueError as error:
        raise ConfigError(f"table.corners_px: {error}") from error


def open_camera(
    config: Config,
    *,
    clock_ns: Callable[[], int],
    wait: Callable[[float], object],
    controls: Mapping[str, Any] | None = None,
) -> Camera:
    """The camera of the configuration, with what it is to hold fixed; CameraLost while it is not there."""
    camera = config.camera
    size = (camera.width_px, camera.height_px)
    path = Path(camera.path or "")
    if camera.kind == "picamera":
        return Picamera(size, fps=camera.fps, controls=controls, mains_hz=camera.mains_hz)
    if camera.kind == "v4l2":
        return V4L2Camera(
            str(path), size, fps=camera.fps, controls=controls, mains_hz=camera.mains_hz, clock_ns=clock_ns
        )
    recording: Camera = FolderCamera(path, fps=camera.fps) if camera.kind == "folder" else VideoCamera(path)
    return Playback(recording, clock_ns=clock_ns, wait=wait)


def lookout_of(
    config: Config,
    calibration: Calibration | None,
    table: Table | None,
    *,
    watch: Callable[[Bgr8], Reading],
    watch_again: Callable[[Bgr8, Before], Reading] | None = None,
    tell: Callable[[News], None],
    clock_ns: Callable[[], int],
    camera: Camera | None = None,
    show: Callable[[Frame, Watcher, tuple[Sight, ...]], None] = lambda frame, watcher, sights: None,
) -> Lookout:
    """The configured camera, or another in its place, with what watches its frames and what looks at one of them."""
    controls = calibration.controls if calibration is not None else None

    def opened() -> Camera:
        opening = camera or open_camera(config, clock_ns=clock_ns, wait=lookout.wait, controls=controls)
        refused = ", ".join(opening.not_held) if isinstance(opening, LiveCamera) else ""
        tell(Ails(clock_ns(), "not_held", NOT_HELD.format(what=refused)) if refused else Heals(clock_ns(), "not_held"))
        return opening

    lookout = Lookout(
        open_camera=opened,
        watcher=Watcher(read=watch, reread=watch_again, table=table),
        tell=tell,
        clock_ns=clock_ns,
        check=lambda bgr: check(bgr, read=lambda picture: read(picture, table=table), table=table),
        show=show,
        stale_s=config.camera.stale_s,
        vigil=Vigil(table=table, rest=calibration.rest if calibration is not None else None),
    )
    return lookout


def view_server(view: View, *, host: str, port: int, cases: Path, title: str, logger: logging.Logger) -> ViewServer:
    """The technician's page, with a button that keeps a frame as a test case in `cases`. Raises: OSError."""

    def save(kind: Any) -> tuple[bool, str]:
        if (case := view.case(kind)) is None:
            return False, "there is no such picture yet"
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{kind}"
        try:
            picture = save_case(cases, name, case, by=f"gameline {VERSION}")
        except CaseError as error:
            return False, str(error)
        return True, f"kept as {picture}; correct by hand what labels.jsonl beside it says was read"

    return ViewServer(shown=view, kinds=KINDS, save=save, host=host, port=port, title=title, logger=logger)


def open_page(config: Config, view: View, logger: logging.Logger) -> ViewServer | None:
    """The technician's page where one is configured; a game needs none, so one that cannot be had is only told."""
    chosen = config.view
    if chosen.port is None:
        return None
    title = f"Gameline {config.table.name}"
    try:
        server = view_server(
            view, host=chosen.host, port=chosen.port, cases=Path(chosen.cases), title=title, logger=logger
        )
    except OSError as error:
        why = error.strerror or error
        logger.error("view: expected an address to listen on, got %s:%s: %s", chosen.host, chosen.port, why)
        return None
    logger.info("view: the technician's page is at %s", server.address)
    return server


def remembering(
    read: Callable[[Bgr8], Reading], reread: Callable[[Bgr8, Before], Reading] | None
) -> tuple[Callable[[Bgr8], Reading], Callable[[Bgr8, Before], Reading] | None]:
    """Both ways of reading, that also tell what has left a bare place since it was read; they remember as one."""
    recall = Recall()
    again = None if reread is None else lambda bgr, before: recall.of(bgr, reread(bgr, before))
    return lambda bgr: recall.of(bgr, read(bgr)), again


def zones_of(table: Table | None) -> Callable[[Sequence[Point]], Sequence[Zone]]:
    """Whose zones points of the picture are in; where the table is not known everything is in the middle."""
    return table.zones_of if table is not None else lambda points: ["line"] * len(points)


def item_of(news: News, table: Table | None) -> inbox.Item | None:
    """What vision says, in the loop's words; which seat an arm belongs to is known only where the table is."""
    match news:
        case Settled():
            hand = news.hand if table is not None else None
            arm = None if hand is None else Arm(Seat(hand.seat), hand.confidence)
            return inbox.Seen(MonoNs(news.rest_ns), sighting_of(news.reading, zones_of(table)), arm)
        case Taken():
            return inbox.FrameTaken(MonoNs(news.mono_ns))
        case HandIn() | HandOut():
            return inbox.HandOver(MonoNs(news.mono_ns), is_in=isinstance(news, HandIn))
        case Lost() | CannotSee():
            return inbox.Blind("frames" if isinstance(news, Lost) else "sight", news.reason)
        case Back() | SeesAgain():
            return inbox.Sighted("frames" if isinstance(news, Back) else "sight")
        case Ails():
            return inbox.Ailing(news.code, news.text)
        case Heals():
            return inbox.Ailing(news.code, None)
        case Examined():
            return inbox.LookTaken(_look_of(news.mono_ns, news.checkup))
        case Died():
            return inbox.ThreadDied("camera", news.reason)


def _look_of(at_ns: int, checkup: Checkup) -> Look:
    return Look(
        at_ns=at_ns,
        width_px=checkup.width_px,
        height_px=checkup.height_px,
        brightness=checkup.brightness,
        glare=checkup.glare,
        table_in_view=checkup.table_in_view,
        dominoes=tuple((domino.a, domino.b, domino.confidence) for domino in checkup.dominoes),
        edge_px=checkup.edge_px,
        half_px=checkup.half_px,
    )
