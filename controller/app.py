"""The composition root: the one file that knows every room, and wires camera, seats, journal, broker and loop together.

It reads from top to bottom as the wiring diagram. Nothing is decided here.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import cv2
import numpy as np
from gpiozero import Factory
from rich.console import Console

from controller import engine as en
from controller import inbox
from controller.codec import UnknownEvent
from controller.config import BrokerConfig, CameraConfig, Config, ConfigError, JournalConfig, SeatsConfig, TableConfig
from controller.demo import run as demo
from controller.demo.gestures import Piece
from controller.demo.table import Scene
from controller.demo.watching import Address
from controller.eyes import Point, Zone, sighting_of
from controller.game.rulesets import Params, values_of
from controller.game.tiles import MonoNs
from controller.journal import Journal, JournalError
from controller.mosquitto import Mosquitto
from controller.mqtt import CommandMessage, Mqtt
from controller.quiet import is_quiet
from controller.wiring import wiring_of
from firmware_bridge.link import LinkDied
from firmware_bridge.seats import BoardSeats
from hardware.pins import PinsUnavailable, open_factory
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING
from vision.camera import FolderCamera, Frame, Picamera, V4L2Camera, VideoCamera
from vision.geometry import Table
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.lookout import Back, Camera, Died, Lookout, Lost, News, Playback, Taken
from vision.reader import read
from vision.render import Backdrop, Reaching
from vision.rig import Rig
from vision.watch import CannotSee, HandIn, HandOut, SeesAgain, Settled, Watcher

VERSION = importlib.metadata.version("gameline")
MACHINE_ID = Path("/etc/machine-id")
SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd makes it once the clock has been set from the network."""
THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
QUIET_S = 0.0005
"""Between two looks at the loop's inbox, in the demonstration's fast pace."""
DEMO_SIZE_PX = (1440, 1080)
"""A square table fills a 4:3 picture; the halves of its dominoes are then about 28 pixels wide."""
DEMO_STALE_S = 2.0


FAULTS = (en.Dead, JournalError, UnknownEvent, PinsUnavailable, LinkDied)
"""What can end a service, each with a sentence for a person."""


def table_of(config: Config) -> Table | None:
    """Where the table lies in the picture, if the configuration says so."""
    table = config.table
    if table.corners_px is None:
        return None
    try:
        return Table(table.corners_px, side_mm=table.side_mm, zone_mm=table.zone_mm)
    except ValueError as error:
        raise ConfigError(f"table.corners_px: {error}") from error


def open_camera(config: Config, *, clock_ns: Callable[[], int], wait: Callable[[float], object]) -> Camera:
    """The camera of the configuration; CameraLost while it is not there."""
    camera = config.camera
    size = (camera.width_px, camera.height_px)
    path = Path(camera.path or "")
    if camera.kind == "picamera":
        return Picamera(size, fps=camera.fps)
    if camera.kind == "v4l2":
        return V4L2Camera(str(path), size, fps=camera.fps)
    recording: Camera = FolderCamera(path, fps=camera.fps) if camera.kind == "folder" else VideoCamera(path)
    return Playback(recording, clock_ns=clock_ns, wait=wait)


class Service:
    """The whole controller of one table; a context manager that opens everything and closes it again.

    Args:
        config: what `gameline.toml` says.
        camera: a camera to take instead of the configured one.
        pin_factory: pins to take instead of the configured ones.
        clock_ns: the monotonic clock of the whole service.

    Raises:
        ConfigError: the wiring, the table's corners, the broker's host or its password's file can't be.
        JournalError: the journal can't be opened.
        PinsUnavailable: there are no pins.
    """

    def __init__(
        self,
        config: Config,
        *,
        camera: Camera | None = None,
        pin_factory: Factory | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        logger: logging.Logger,
    ) -> None:
        self._log = logger
        self._stack = contextlib.ExitStack()
        boot_id = str(uuid.uuid4())
        table = table_of(config)
        self._zone_of: Callable[[Point], Zone] = table.zone_of if table is not None else all_middle
        with contextlib.ExitStack() as stack:
            journal = stack.enter_context(_open_journal(config, boot_id))
            seats = stack.enter_context(contextlib.closing(self._open_seats(config, pin_factory, clock_ns)))
            mqtt = _mqtt(config, boot_id, self._order, self._wake, logger, clock_ns)
            self.engine = en.Engine(
                journal=journal,
                seats=seats,
                outlet=mqtt,
                params=config.game,
                table=config.table.name,
                clock_ns=clock_ns,
                wall_ms=lambda: time.time_ns() // 1_000_000,
                stale_s=config.camera.stale_s,
                clock_synchronised=SYNCHRONISED.exists,
                temperature_c=_temperature_c,
                is_quiet=lambda: is_quiet(config.seats.quiet, datetime.now(UTC).astimezone().time()),
                meta=_meta(config),
                logger=logger,
            )
            mqtt.start()
            stack.callback(mqtt.close, journal)
            watcher = Watcher(read=lambda bgr: read(bgr, table=table), table=table)
            self._lookout = Lookout(
                open_camera=lambda: camera or open_camera(config, clock_ns=clock_ns, wait=self._lookout.wait),
                watcher=watcher,
                tell=self._tell,
                clock_ns=clock_ns,
            )
            stack.callback(self._lookout.close)
            stack.callback(seats.close)  # first of all: a camera or broker that is slow to go must not let it buzz on
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self.engine.begin()
            self._lookout.start()
            undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lamps and buzzer off first, then camera, broker and journal; twice is safe."""
        self._stack.close()

    def _open_seats(self, config: Config, pin_factory: Factory | None, clock_ns: Callable[[], int]) -> Any:
        if config.seats.kind == "board":
            return BoardSeats(port=config.seats.port or "", clock_ns=clock_ns, wake=self._wake, logger=self._log)
        wiring = wiring_of(config)
        factory = pin_factory or open_factory(config.seats.pin_factory)
        return PinSeats(
            wiring=wiring,
            pin_factory=factory,
            clock_ns=clock_ns,
            wake=self._wake,
            logger=self._log,
            lamp=config.seats.lamps,
        )

    def _wake(self) -> None:
        """From the pins', the board's and the network thread: something waits."""
        self.engine.submit(inbox.Wake())

    def _order(self, message: CommandMessage) -> None:
        """From the network thread."""
        self.engine.submit(inbox.OrderCame(message))

    def _tell(self, news: News) -> None:
        """From the camera's thread: what vision says, in the loop's words."""
        match news:
            case Settled():
                self.engine.submit(inbox.Seen(MonoNs(news.rest_ns), sighting_of(news.reading, self._zone_of)))
            case Taken():
                self.engine.submit(inbox.FrameTaken(MonoNs(news.mono_ns)))
            case HandIn() | HandOut():
                self.engine.submit(inbox.HandOver(MonoNs(news.mono_ns), is_in=isinstance(news, HandIn)))
            case Lost() | CannotSee():
                self.engine.submit(inbox.Blind("frames" if isinstance(news, Lost) else "sight", news.reason))
            case Back() | SeesAgain():
                self.engine.submit(inbox.Sighted("frames" if isinstance(news, Back) else "sight"))
            case Died():
                self.engine.submit(inbox.ThreadDied("camera", news.reason))


def all_middle(point: Point) -> Zone:
    """Without the table's corners everything seen is in the middle."""
    return "line"


def _open_journal(config: Config, boot_id: str) -> Journal:
    return Journal(
        Path(config.journal.path),
        boot_id=boot_id,
        wall_utc=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"),
        clock_synchronised=SYNCHRONISED.exists,
    )


def _mqtt(
    config: Config,
    boot_id: str,
    on_command: Callable[[CommandMessage], None],
    wake: Callable[[], None],
    logger: logging.Logger,
    clock_ns: Callable[[], int],
) -> Mqtt:
    broker = config.broker
    password: str | None = None
    if broker.password_file is not None:
        try:
            password = Path(broker.password_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"broker.password_file: expected a readable text file, got {error}") from error
    try:
        return Mqtt(
            host=broker.host,
            port=broker.port,
            table=config.table.name,
            client_id=f"gameline-{config.table.name}-{_machine()}",
            boot_id=boot_id,
            version=VERSION,
            on_command=on_command,
            wake=wake,
            logger=logger,
            username=broker.username,
            password=password,
            reconnect_s=broker.reconnect_s,
            clock_ns=clock_ns,
        )
    except ValueError as error:
        raise ConfigError(f"broker.host: {error}") from error


def _temperature_c() -> float | None:
    """Of the processor; None where this machine does not say."""
    try:
        return int(THERMOMETER.read_text(encoding="ascii")) / 1000
    except (OSError, ValueError):
        return None


def _machine() -> str:
    """Eight letters that tell this machine from another: two tables of one name must not throw each other out."""
    with contextlib.suppress(OSError):
        return MACHINE_ID.read_text(encoding="ascii").strip()[:8]
    return f"{uuid.getnode():012x}"[-8:]


def _meta(config: Config) -> dict[str, Any]:
    return {
        "schema": 1,
        "version": VERSION,
        "table": config.table.name,
        "seats": "0 to 3, clockwise seen from above; pair A sits at 0 and 2, pair B at 1 and 3",
        "rules": values_of(config.game),
    }


class BackgroundService:
    """A service in a thread of its own, as the demonstration runs it: journal and loop belong to that one thread."""

    def __init__(self, make: Callable[[], Service]) -> None:
        self._make = make
        self._service: Service | None = None
        self._is_over = threading.Event()
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="service", daemon=True)
        self.failure: str | None = None

    def start(self) -> None:
        """Start it and wait until it has begun or failed."""
        self._thread.start()
        self._has_begun.wait()

    def stop(self) -> None:
        """End it and wait until everything is closed."""
        self._is_over.set()
        self._thread.join()

    def wait_until_quiet(self) -> None:
        """Return once everything submitted so far has been decided and shown; at once when nothing will be any more."""
        while self._service is not None and not self._is_over.is_set() and not self._service.engine.is_quiet:
            time.sleep(QUIET_S)

    def _run(self) -> None:
        try:
            with self._make() as self._service:
                self._has_begun.set()
                try:
                    self._service.engine.run(is_stopped=self._is_over.is_set, alive=lambda: None)
                finally:
                    self._is_over.set()  # whoever waits for the loop must not hold up the end
        except (*FAULTS, ConfigError) as error:
            self.failure = str(error)
        except Exception as fault:  # whatever it is, nobody else would ever hear of it
            self.failure = f"a fault of ours, {type(fault).__name__}: {fault}"
        finally:
            self._has_begun.set()


def play_demo(options: demo.Options, *, console: Console, film: Path | None) -> None:
    """A whole game on a rendered table, through the real reader, rules, journal and broker.

    Raises:
        demo.DemoFailed: it could not be played to its end.
        MosquittoError: there is no broker to start.
    """
    rng = np.random.default_rng(options.seed)
    rig = Rig(width_px=DEMO_SIZE_PX[0], height_px=DEMO_SIZE_PX[1], tilt_deg=2.0, k1=-0.03)
    photographer = _Photographer(rig, rng, film)
    factory = open_factory("mock")
    buttons = [factory.pin(seat.button) for seat in DEFAULT_WIRING.seats]
    with tempfile.TemporaryDirectory(prefix="gameline-demo-") as place:

        def make_service(table: Camera, clock_ns: Callable[[], int], address: Address) -> BackgroundService:
            config = _demo_config(rig, Path(place) / "journal.sqlite", address, options.sets)
            log = logging.getLogger("gameline")
            return BackgroundService(
                lambda: Service(config, camera=table, pin_factory=factory, clock_ns=clock_ns, logger=log)
            )

        demo.run(
            options,
            broker=Mosquitto(Path(place)),
            make_service=make_service,
            take=photographer.take,
            new_layout=lambda seed: LineLayout(np.random.default_rng(seed)),
            press=lambda seat, is_down: buttons[seat].drive_low() if is_down else buttons[seat].drive_high(),
            console=console,
        )


class _Photographer:
    """The simulated table as its camera sees it; only what has changed is laid anew."""

    def __init__(self, rig: Rig, rng: np.random.Generator, film: Path | None) -> None:
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


def _demo_config(rig: Rig, journal: Path, address: Address, sets: int) -> Config:
    table = TableConfig(name=address.table, corners_px=rig.table().corners_px)
    return Config(
        table=table,
        camera=CameraConfig(kind="folder", path="-", stale_s=DEMO_STALE_S),
        seats=SeatsConfig(pin_factory="mock"),
        broker=BrokerConfig(host=address.host, port=address.port, reconnect_s=(1, 2)),
        journal=JournalConfig(path=str(journal)),
        game=Params(sets_in_game=sets),
    )
