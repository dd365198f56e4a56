"""What each command of the command line does, from its options to its exit code; how it is done is in the rooms."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from controller.app import play_demo, replay_recording
from controller.calibration import calibration_of
from controller.cli import Misuse, Sorry
from controller.config import Config, ConfigError, in_file, load_config
from controller.demo.patience import DemoFailed
from controller.demo.run import Options
from controller.eyes import Point, Zone, sighting_of
from controller.game.line import Line
from controller.game.seen import Sighting
from controller.game.sight import Agreement, reconcile
from controller.game.tiles import End, Seat
from controller.lookout import open_camera, remembering, table_of, view_server, zones_of
from controller.mosquitto import MosquittoError
from controller.output import make_folder, write_picture, write_text
from controller.recording import RecordingError
from vision.calibration import Calibration
from vision.camera import CameraEnded, CameraLost, FolderCamera, NotAFrame, VideoCamera
from vision.draw import draw
from vision.evaluate import evaluate as evaluate_folder
from vision.frame import Frame
from vision.images import ImageError, load
from vision.labels import LabelError
from vision.lookout import Camera, Playback
from vision.page import Album, page
from vision.reader import read as read_picture
from vision.reader import watched
from vision.reading import Half, Reading
from vision.rereading import reread as reread_picture
from vision.view import View
from vision.watch import CannotSee, HandIn, HandOut, SeesAgain, Settled, Sight, Watcher

VIEW_PORT = 8420
"""Of the technician's page where none is configured."""


def read(options: argparse.Namespace) -> int:
    """Read every picture; those that can't be read are named on stderr, the others are read all the same."""
    code = 0
    images: Sequence[Path] = options.images
    if options.draw is not None and len(images) > 1:
        make_folder(options.draw, "--draw of several pictures")
    for image in images:
        try:
            picture = load(image)
        except ImageError as error:
            print(f"gameline: {error}", file=sys.stderr)
            code = 1
            continue
        start = time.perf_counter()
        reading = read_picture(picture)
        seconds = time.perf_counter() - start
        record = reading_record(image, reading, seconds)
        print(json.dumps(record) if options.json else reading_text(record), flush=True)
        if options.draw is not None:
            out = options.draw if len(images) == 1 else options.draw / f"{image.stem}.png"
            write_picture(out, draw(picture, reading), "--draw")
    return code


def reading_record(image: Path, reading: Reading, seconds: float) -> dict[str, Any]:
    """The reading of one picture as `--json` prints it."""
    tiles = [
        {
            "a": domino.a.suit,
            "b": domino.b.suit,
            "corners": [[round(x, 1), round(y, 1)] for x, y in domino.corners],
            "confidence": round(domino.confidence, 4),
            "probabilities": {"a": _rounded(domino.a), "b": _rounded(domino.b)},
        }
        for domino in reading.dominoes
    ]
    line = [[first.suit, second.suit] for first, second in reading.along(reading.line)] if reading.line else None
    branches = [[branch.domino, branch.at] for branch in reading.branches]
    return {"file": str(image), "tiles": tiles, "line": line, "branches": branches, "seconds": round(seconds, 4)}


def _rounded(half: Half) -> list[float] | None:
    return None if half.probabilities is None else [round(p, 4) for p in half.probabilities]


def reading_text(record: dict[str, Any]) -> str:
    """The reading of one picture for a person."""
    tiles = [(_half(tile["a"]), _half(tile["b"])) for tile in record["tiles"]]
    names = " ".join(f"{a}-{b}" for a, b in tiles) or "none"
    line = "".join(f"[{_half(a)}|{_half(b)}]" for a, b in record["line"] or ())
    noun = "domino" if len(tiles) == 1 else "dominoes"
    lines = [f"{record['file']}: {len(tiles)} {noun} in {record['seconds']:.2f} s", f"  dominoes: {names}"]
    if line:
        lines.append(f"  line:     {line}")
    for branch, at in record["branches"]:
        (a, b), (c, d) = tiles[branch], tiles[at]
        lines.append(f"  branch:   {a}-{b} at {c}-{d}")
    return "\n".join(lines)


def _half(suit: int | None) -> str:
    return "?" if suit is None else str(suit)


def watch(options: argparse.Namespace) -> int:
    """Print what happens in a recording or before a camera."""
    if options.frames is None and options.config is None:
        raise Misuse("expected FRAMES, or a configuration's camera with --config CONFIG, got neither: see watch --help")
    try:
        config = Config() if options.config is None else load_config(options.config)
        calibration = None if options.config is None else calibration_of(config)
        table = table_of(config, calibration)
        view = View(read=partial(watched, table=table), table=table)
        follower = _Follower(zones_of(table))
        with _page(options, config, view) if options.view else contextlib.nullcontext():
            camera = _camera(options, config, calibration)
            size_px = (config.camera.width_px, config.camera.height_px)
            for number, sight in _sights(camera, view, table_size_px=None if table is None else size_px):
                for event in follower.happenings(number, sight):
                    print(json.dumps(event) if options.json else _happening_text(event), flush=True)
            if options.view:
                print("gameline: that was the last frame; the page stays until Ctrl-C", file=sys.stderr)
                with contextlib.suppress(KeyboardInterrupt):
                    threading.Event().wait()
    except CameraLost as error:
        raise Sorry(str(error)) from error
    except ConfigError as error:
        raise Sorry(in_file(error, options.config)) from error
    return 0


def _camera(options: argparse.Namespace, config: Config, calibration: Calibration | None) -> Camera:
    """The frames that were asked for: a recording as fast as it can be read, at its own pace where somebody looks."""
    frames: Path | None = options.frames
    if frames is None:
        controls = calibration.controls if calibration is not None else None
        return open_camera(config, clock_ns=time.monotonic_ns, wait=time.sleep, controls=controls)
    recording = FolderCamera(frames, fps=options.fps) if frames.is_dir() else VideoCamera(frames)
    return Playback(recording, clock_ns=time.monotonic_ns, wait=time.sleep) if options.view else recording


@contextlib.contextmanager
def _page(options: argparse.Namespace, config: Config, view: View) -> Iterator[None]:
    """The technician's page, as long as it is looked at."""
    host, port = options.listen or (config.view.host, config.view.port or VIEW_PORT)
    cases = options.cases or Path(config.view.cases if options.config else "cases")
    try:
        logger = logging.getLogger("gameline")
        server = view_server(view, host=host, port=port, cases=cases, title="Gameline", logger=logger)
    except OSError as error:
        raise Sorry(f"expected an address to listen on, got {host}:{port} ({error.strerror}): give another") from error
    with contextlib.closing(server):
        server.start()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        print(f"gameline: look at {server.address}, Ctrl-C ends it", file=sys.stderr)
        yield


def _sights(camera: Camera, view: View, *, table_size_px: tuple[int, int] | None) -> Iterator[tuple[int, Sight]]:
    """Everything the watcher sees, with the number of the frame; bad frames are named on stderr.

    Where the table is known it is known for frames of `table_size_px`, width and height.
    """
    read, reread = remembering(view.read, partial(reread_picture, table=view.table))
    watcher = Watcher(read=read, reread=reread, table=view.table)
    frame: Frame | None = None
    with contextlib.closing(camera), contextlib.suppress(CameraEnded):
        while True:
            try:
                frame = camera.read()
            except (ImageError, NotAFrame) as error:
                print(f"gameline: {error}", file=sys.stderr)
                continue
            size_px = (frame.bgr.shape[1], frame.bgr.shape[0])
            if table_size_px is not None and size_px != table_size_px:
                made, came = (f"{width}x{height}" for width, height in (table_size_px, size_px))
                raise Sorry(f"expected frames of {made}, for which the configuration knows the table, got {came}")
            sights = watcher.see(frame)
            view.look(frame, watcher, sights)
            for sight in sights:
                yield frame.number, sight
    if frame is not None:
        sights = watcher.end()
        view.look(frame, watcher, sights)
        for sight in sights:
            yield frame.number, sight


class _Follower:
    """Follows the line as the service does, but knows no game: no seats, no turns, nothing that has to go back."""

    def __init__(self, zones: Callable[[Sequence[Point]], Sequence[Zone]]) -> None:
        self._zones_of = zones
        self._line = Line()
        self._agreed: Sighting | None = None

    def happenings(self, number: int, sight: Sight) -> Iterator[dict[str, Any]]:
        """The events of one sight."""
        match sight:
            case HandIn():
                yield {"frame": number, "type": "hand_in", "side": sight.side}
            case HandOut():
                yield {"frame": number, "type": "hand_out"}
            case CannotSee():
                yield {"frame": number, "type": "cannot_see", "text": sight.reason}
            case SeesAgain():
                yield {"frame": number, "type": "sees_again"}
            case Settled():
                yield from self._settled(sight.frame_number, sighting_of(sight.reading, self._zones_of))

    def _settled(self, number: int, sighting: Sighting) -> Iterator[dict[str, Any]]:
        if not sighting.tiles:
            if self._line.placed:
                self._line, self._agreed = Line(), sighting
                yield {"frame": number, "type": "cleared"}
            return
        view = reconcile(self._line, (), sighting, self._agreed)
        if not isinstance(view, Agreement):
            tile = [view.tile.high, view.tile.low] if view.tile else None
            yield {"frame": number, "type": "out_of_sync", "code": view.code, "tile": tile, "text": view.text}
            return
        self._agreed = sighting
        for lay in view.lays:
            is_fitting = self._line.open_suit(lay.end) in (None, lay.inner)
            self._line = self._line.with_tile(lay.inner, lay.outer, lay.end, Seat.S0)
            yield {
                "frame": number,
                "type": "played",
                "tile": [lay.inner, lay.outer],
                "end": lay.end.value,
                "fits": is_fitting,
                "confidence": round(lay.confidence, 4),
            }


def _happening_text(event: dict[str, Any]) -> str:
    where = f"frame {event['frame']:>5}: "
    if event["type"] != "played":
        what: str = event.get("text", event["type"].replace("_", " "))
        return where + what
    inner, outer = event["tile"]
    end = "first" if event["end"] == End.FIRST.value else f"at {event['end']}"
    return f"{where}{inner}-{outer} {end}" + ("" if event["fits"] else ", which does not fit")


def evaluate(options: argparse.Namespace) -> int:
    """Measure the reader on labelled pictures."""
    album = Album()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=None)

        def tell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        try:
            evaluation = evaluate_folder(options.folder, read=read_picture, progress=tell, failed=album.keep)
        except (LabelError, ImageError) as error:
            raise Sorry(str(error)) from error
    if options.page is not None:
        write_text(options.page, page(evaluation, album, f"The reader on {options.folder}"))
    sheet = album.sheet() if options.sheet is not None else None
    if sheet is not None:
        write_picture(options.sheet, sheet, "--sheet")
    elif options.sheet is not None:
        print("gameline: no picture failed, so no sheet was written", file=sys.stderr)
    print(json.dumps(evaluation.as_dict()) if options.json else evaluation.text())
    return 0


def demo(options: argparse.Namespace) -> int:
    """Play a whole game on a rendered table."""
    if options.sets < 4 or options.sets % 4:
        raise Sorry(f"expected --sets to be a multiple of 4, got {options.sets}: use 4, 8, 12 ...")
    if options.film is not None:
        make_folder(options.film, "--film")
    chosen = Options(
        seed=options.seed,
        sets=options.sets,
        speed=None if options.fast else options.speed,
        mishaps=options.mishaps,
        plain=options.plain,
    )
    # A terminal that is closed, or a kill, ends it as Ctrl-C does: table, broker and files are put away.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    # What the service has to say of planned mishaps is on the screen already.
    logging.basicConfig(level=logging.CRITICAL)
    try:
        play_demo(chosen, console=Console(), film=options.film)
    except (DemoFailed, MosquittoError) as error:
        raise Sorry(str(error)) from error
    return 0


def replay(options: argparse.Namespace) -> int:
    """Run a recording again, and tell what has changed."""
    logger = logging.getLogger("gameline")
    logger.setLevel(logging.CRITICAL)  # what the loop would say again of a table that was recorded
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("replaying", total=None)

        def tell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        try:
            outcome = replay_recording(options.folder, progress=tell, logger=logger)
        except RecordingError as error:
            raise Sorry(str(error)) from error
    print(json.dumps(outcome.as_dict()) if options.json else outcome.text())
    return 1 if outcome.changes else 0
