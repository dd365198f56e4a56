"""The composition root: the one file that knows every room, and wires camera, seats, journal, broker and loop together.

It reads from top to bottom as the wiring diagram. Nothing is decided here.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import os
import queue
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
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
from controller.journal import Journal, JournalError, JournalFull, JournalReadOnly, JournalStorage, held
from controller.mosquitto import Mosquitto
from controller.mqtt import CommandMessage, Mqtt
from controller.mqtt_link import Link
from controller.quiet import is_quiet
from controller.selftest import LAMPS
from controller.selftest_checks import BoardSeen, CameraWanted, Look, Measured
from controller.selftest_desk import Desk
from controller.selftest_guide import Setting
from controller.selftest_loop import Bench
from controller.wiring import wiring_of
from firmware_bridge.install import LAMP_KINDS
from firmware_bridge.link import LinkDied
from firmware_bridge.seats import BOARD, BoardSeats
from firmware_bridge.wire import PROTOCOL, SEATS
from hardware.pins import PinsUnavailable, open_factory
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING
from vision.camera import FolderCamera, Frame, Picamera, V4L2Camera, VideoCamera
from vision.checkup import Checkup, check
from vision.geometry import Table
from vision.layout import LineLayout, Lying
from vision.look import Look as Looks
from vision.lookout import Back, Camera, Died, Examined, Lookout, Lost, News, Playback, Taken
from vision.reader import read
from vision.reading import Reading
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


def open_seats(
    config: Config,
    pin_factory: Factory | None,
    *,
    clock_ns: Callable[[], int],
    wake: Callable[[], None],
    logger: logging.Logger,
) -> PinSeats | BoardSeats:
    """Buttons, lamps and buzzer of the configuration; `pin_factory` in the place of the configured one."""
    if config.seats.kind == "board":
        return BoardSeats(port=config.seats.port or "", clock_ns=clock_ns, wake=wake, logger=logger)
    wiring = wiring_of(config)
    factory = pin_factory or open_factory(config.seats.pin_factory)
    lamp = config.seats.lamps
    seats = PinSeats(wiring=wiring, pin_factory=factory, clock_ns=clock_ns, wake=wake, logger=logger, lamp=lamp)
    seats.start()
    return seats


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
            seats = stack.enter_context(
                contextlib.closing(open_seats(config, pin_factory, clock_ns=clock_ns, wake=self._wake, logger=logger))
            )
            mqtt = _mqtt(config, boot_id, self._order, self._wake, logger, clock_ns)

            def quiet() -> bool:
                return _is_quiet_now(config)

            def measure() -> Measured:
                return _measured(config, seats, broker=mqtt.problem, disk=self.engine.storage_trouble)

            setting = _setting(config, seats, measure)
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
                is_quiet=quiet,
                meta=_meta(config),
                desk=Desk(
                    setting=setting,
                    publish=mqtt.show_selftest,
                    ask_look=lambda: self._lookout.examine(),
                    is_quiet=quiet,
                ),
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
                check=lambda bgr: check(bgr, read=lambda picture: read(picture, table=table), table=table),
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

    def _wake(self) -> None:
        """From the pins', the board's and the network thread: something waits."""
        self.engine.submit(inbox.Wake())

    def _order(self, message: CommandMessage) -> None:
        """From the network thread."""
        self.engine.submit(inbox.OrderCame(message))

    def _tell(self, news: News) -> None:
        """From the camera's thread."""
        if (item := _item_of(news, self._zone_of)) is not None:
            self.engine.submit(item)


def _item_of(news: News, zone_of: Callable[[Point], Zone]) -> inbox.Item | None:
    """What vision says, in the loop's words."""
    match news:
        case Settled():
            return inbox.Seen(MonoNs(news.rest_ns), sighting_of(news.reading, zone_of))
        case Taken():
            return inbox.FrameTaken(MonoNs(news.mono_ns))
        case HandIn() | HandOut():
            return inbox.HandOver(MonoNs(news.mono_ns), is_in=isinstance(news, HandIn))
        case Lost() | CannotSee():
            return inbox.Blind("frames" if isinstance(news, Lost) else "sight", news.reason)
        case Back() | SeesAgain():
            return inbox.Sighted("frames" if isinstance(news, Back) else "sight")
        case Examined():
            return inbox.LookTaken(_look_of(news.mono_ns, news.checkup))
        case Died():
            return inbox.ThreadDied("camera", news.reason)


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
    password = _password(config)
    try:
        return Mqtt(
            host=broker.host,
            port=broker.port,
            table=config.table.name,
            client_id=_client_id(config),
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


def _caller(config: Config, logger: logging.Logger, clock_ns: Callable[[], int]) -> Link:
    """A connection that only tries the broker: it says nothing, hears nothing, and is no table to anybody.

    With the service's own id the broker would throw the service out, wherever that runs; a will or a farewell would
    tell the displays of a table that was never away.
    """
    broker = config.broker
    password = _password(config)
    try:
        return Link(
            host=broker.host,
            port=broker.port,
            client_id=f"{_client_id(config)}-selftest",
            username=broker.username,
            password=password,
            logger=logger,
            reconnect_s=broker.reconnect_s,
            clock_ns=clock_ns,
        )
    except ValueError as error:
        raise ConfigError(f"broker.host: {error}") from error


def _client_id(config: Config) -> str:
    return f"gameline-{config.table.name}-{_machine()}"


def _password(config: Config) -> str | None:
    if config.broker.password_file is None:
        return None
    try:
        return Path(config.broker.password_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"broker.password_file: expected a readable text file, got {error}") from error


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


@contextlib.contextmanager
def self_test_bench(
    config: Config,
    *,
    pin_factory: Factory | None = None,
    clock_ns: Callable[[], int] = time.monotonic_ns,
    logger: logging.Logger,
) -> Iterator[Bench]:
    """Seats, camera and broker of one table without its game, for `gameline selftest`.

    Args:
        config: what `gameline.toml` says.
        pin_factory: pins to take instead of the configured ones.
        clock_ns: the monotonic clock.
        logger: told what the parts have to say.

    Raises:
        ConfigError: as the service.
        JournalBusy: the service of this table is running.
        JournalReadOnly: this user cannot know whether it is.
        PinsUnavailable: there are no pins.
    """
    news: queue.Queue[inbox.Item] = queue.Queue()
    table = table_of(config)

    def wake() -> None:
        news.put(inbox.Wake())

    def tell(told: News) -> None:
        if (item := _item_of(told, all_middle)) is not None:
            news.put(item)

    def measure() -> Measured:
        return _measured(config, seats, broker=caller.problem, disk=disk_trouble, journal=journal_trouble)

    with contextlib.ExitStack() as stack:
        disk_trouble, journal_trouble = _keep_service_out(config, stack)
        caller = _caller(config, logger, clock_ns)
        stack.callback(caller.close)
        caller.start()
        lookout = Lookout(
            open_camera=lambda: open_camera(config, clock_ns=clock_ns, wait=lookout.wait),
            watcher=Watcher(read=lambda bgr: Reading(), table=table),  # whether anything can be seen, no more
            tell=tell,
            clock_ns=clock_ns,
            check=lambda bgr: check(bgr, read=lambda picture: read(picture, table=table), table=table),
        )
        stack.callback(lookout.close)
        seats = open_seats(config, pin_factory, clock_ns=clock_ns, wake=wake, logger=logger)
        stack.callback(seats.close)  # first of all, as the service does
        lookout.start()
        yield Bench(
            _setting(config, seats, measure),
            seats=seats,
            news=news,
            ask_look=lookout.examine,
            clock_ns=clock_ns,
            is_quiet=lambda: _is_quiet_now(config),
        )


def _is_quiet_now(config: Config) -> bool:
    """Not before the clock has been set: a Pi without a battery wakes at any hour, and a game by day must be heard."""
    return is_quiet(config.seats.quiet, datetime.now(UTC).astimezone().time()) and SYNCHRONISED.exists()


def _keep_service_out(config: Config, stack: contextlib.ExitStack) -> tuple[str | None, str | None]:
    """Hold the table's journal, so that no service starts meanwhile; what is wrong with its disk, and with itself.

    Where no service has made its journal yet, nothing holds one out that is started during the test: a journal, or a
    lock, made here would belong to whoever tests, and not to the service's user.
    """
    path = Path(config.journal.path)
    try:
        error = stack.enter_context(held(path))
    except JournalReadOnly as refusal:
        raise JournalReadOnly(
            f"Expected to hold {path}.lock, so that no service runs beside the test, got {refusal.__cause__}: test as "
            "the service's user, sudo -u gameline gameline selftest ..."
        ) from refusal
    if not path.parent.is_dir():
        return f"{path.parent} is not there: start the service once, or correct journal.path", None
    if isinstance(error, (JournalReadOnly, JournalFull, JournalStorage)):
        return str(error), None
    if error is None and not path.exists() and not os.access(path.parent, os.W_OK):
        return f"this user may not write to {path.parent}: test as the service's user (sudo -u gameline)", None
    return None, None if error is None else str(error)


def _setting(config: Config, seats: PinSeats | BoardSeats, measure: Callable[[], Measured]) -> Setting:
    camera = config.camera
    return Setting(
        table=config.table.name,
        version=VERSION,
        lamps=lambda: board_lamps(seats) if isinstance(seats, BoardSeats) else (LAMPS[config.seats.lamps],) * SEATS,
        camera=CameraWanted(
            name=" ".join(filter(None, (camera.kind, camera.path))),
            size=(camera.width_px, camera.height_px),
            fps=camera.fps,
            stale_s=camera.stale_s,
            is_live=camera.kind in ("picamera", "v4l2"),
        ),
        measure=measure,
        wall=lambda: datetime.now(UTC).astimezone().strftime("%Y-%m-%d %H:%M"),
    )


def _measured(
    config: Config, seats: PinSeats | BoardSeats, *, broker: str | None, disk: str | None, journal: str | None = None
) -> Measured:
    """What the self-test judges without a person; the troubles are told by those who have them."""
    folder = Path(config.journal.path).parent
    free_mb: float | None = None
    with contextlib.suppress(OSError):
        free_mb = shutil.disk_usage(folder).free / 1e6
    return Measured(
        board=board_seen(seats) if isinstance(seats, BoardSeats) else None,
        is_clock_set=SYNCHRONISED.exists(),
        broker=f"{config.broker.host}:{config.broker.port}",
        broker_trouble=broker,
        disk=str(folder),
        disk_trouble=disk,
        free_mb=free_mb,
        journal_trouble=journal,
    )


def board_lamps(seats: BoardSeats) -> tuple[str, ...]:
    """What each seat's lamp shows under test; before the board has answered, and told what hangs on it, three LEDs."""
    kinds = {number: LAMPS[name] for name, number in LAMP_KINDS.items()}
    lamps = tuple(kinds.get(number, LAMPS["leds"]) for number in seats.report().lamps)
    return lamps if len(lamps) == SEATS else (LAMPS["leds"],) * SEATS


def board_seen(seats: BoardSeats) -> BoardSeen:
    """The board and the talk with it, as the self-test judges them."""
    told = seats.report()
    return BoardSeen(
        build=told.build,
        protocol=told.protocol,
        our_protocol=PROTOCOL,
        boot=told.boot,
        round_trip_ms=None if told.round_trip_ns is None else told.round_trip_ns / 1e6,
        damaged=told.damaged,
        unanswered=told.unanswered,
        trouble=seats.faults().get(BOARD),
    )


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
        while self._service is not None and not self._is_over.is_set() and not self._service.engine.is_idle:
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
        self._backdrop = Backdrop(rig, Looks(), rng)
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
