"""The composition root: the one file that knows every room, and wires camera, seats, journal, broker and loop together.

It reads from top to bottom as the wiring diagram. Nothing is decided here.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from gpiozero import Factory
from numpy.typing import NDArray

from controller import engine as en
from controller import inbox
from controller.broker import caller_at_broker, ghosts_at_broker, table_at_broker
from controller.calibration import calibration_of
from controller.codec import UnknownEvent
from controller.config import Config, ConfigError
from controller.heat_and_power import HeatAndPower
from controller.journal import Journal, JournalError
from controller.journal_watch import JournalWatch
from controller.keeper import RecordTo, keeper_of
from controller.lookout import item_of, lookout_of, open_page, remembering, table_of
from controller.machine import VERSION, is_clock_set, is_quiet_now, is_supply_weak, memory_bytes, temperature_c
from controller.messages import Heartbeat
from controller.mqtt import CommandMessage
from controller.recording import HEAD, Picture, Session, damaged, sessions
from controller.replay import Eyes, replay
from controller.replay_changes import Outcome
from controller.selftest_checks import Measured
from controller.selftest_desk import Desk
from controller.selftest_equipment import keep_service_out, measured, setting_of
from controller.selftest_loop import Bench
from controller.wall_clock import WallClock
from controller.wiring import wiring_of
from firmware_bridge.link import LinkDied
from firmware_bridge.seats import BoardSeats
from hardware.pins import PinsUnavailable, open_factory
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING
from vision.frame import Frame
from vision.geometry import table_from, table_record
from vision.images import ImageError, load
from vision.lookout import Back, Camera, Lost, News, Taken
from vision.reader import watched
from vision.reading import Reading
from vision.rereading import reread
from vision.view import View
from vision.vigil import Ails, Heals
from vision.watch import HandIn, HandOut, Settled, Sight, Watcher

if TYPE_CHECKING:
    from rich.console import Console

    from controller.demo.run import Options
    from controller.demo.watching import Address
    from controller.metrics import Metrics

Bgr8 = NDArray[np.uint8]

QUIET_S = 0.0005
"""Between two looks at the loop's inbox, in the demonstration's fast pace."""

FAULTS = (en.Dead, JournalError, UnknownEvent, PinsUnavailable, LinkDied)
"""What can end a service, each with a sentence for a person."""


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
        record: where frames around everything that happens are kept; None keeps none but the stills of alerts.

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
        record: RecordTo | None = None,
        logger: logging.Logger,
    ) -> None:
        self._log = logger
        self._inbox: queue.Queue[inbox.Item] = queue.Queue()  # seats may have news before there is a loop
        self._is_hand_in = False  # of the camera's thread
        self._read_s: list[float] = []  # what its reading took since the loop heard of it
        self._stack = contextlib.ExitStack()
        boot_id = str(uuid.uuid4())
        calibration = calibration_of(config)
        table = table_of(config, calibration)
        self._table = table
        with contextlib.ExitStack() as stack:
            journal = stack.enter_context(_open_journal(config, boot_id))
            seats = stack.enter_context(
                contextlib.closing(open_seats(config, pin_factory, clock_ns=clock_ns, wake=self._wake, logger=logger))
            )
            mqtt = table_at_broker(
                config,
                boot_id=boot_id,
                version=VERSION,
                on_command=self._order,
                wake=self._wake,
                logger=logger,
                clock_ns=clock_ns,
            )

            quiet = partial(is_quiet_now, config)

            def measure() -> Measured:
                return measured(config, seats, broker=mqtt.problem, disk=self.engine.storage_trouble)

            self._journal = journal
            self._keeper = keeper_of(config, table_record(table), record, boot_id, clock_ns=clock_ns, logger=logger)
            stack.callback(self._keeper.close)
            journal_watch = JournalWatch(journal, aside=self._keeper.aside, clock_ns=clock_ns)
            setting = setting_of(config, seats, measure)
            wall = WallClock(wall_ms=_wall_ms, mono_ns=time.monotonic_ns, is_set=is_clock_set)
            heat_and_power = HeatAndPower(
                temperature_c=temperature_c, is_supply_weak=is_supply_weak, clock_ns=time.monotonic_ns
            )
            self.engine = en.Engine(
                journal=journal,
                seats=seats,
                outlet=mqtt,
                params=config.game,
                table=config.table.name,
                clock_ns=clock_ns,
                wall_ms=_wall_ms,
                stale_s=config.camera.stale_s,
                clock_synchronised=is_clock_set,
                temperature_c=temperature_c,
                memory_bytes=memory_bytes,
                show_numbers=self._show_numbers,
                is_quiet=quiet,
                version=VERSION,
                desk=Desk(
                    setting=setting,
                    publish=mqtt.show_selftest,
                    ask_look=lambda: self._lookout.examine(),
                    is_quiet=quiet,
                ),
                logger=logger,
                witness=self._keeper,
                journal_watch=journal_watch,
                accounts=config.broker.accounts,
                waiting=self._inbox,
                other_troubles=lambda: (*wall.troubles(), *heat_and_power.troubles(), *mqtt.warnings(time.time())),
            )
            mqtt.start()
            stack.callback(mqtt.close, journal)
            for ghost in ghosts_at_broker(config, journal, boot_id=boot_id, logger=logger, clock_ns=clock_ns):
                stack.callback(ghost.close, journal)
                ghost.start()
            self._metrics = _open_metrics(config, clock_ns, logger)
            if self._metrics is not None:
                stack.callback(self._metrics.close)
            look = partial(watched, table=table)
            self._view = View(read=look, table=table, clock_ns=clock_ns)
            self._page = open_page(config, self._view, logger)
            if self._page is not None:
                stack.callback(self._page.close)
            watch, watch_again = remembering(self._timed(look), self._timed(partial(reread, table=table)))
            self._lookout = lookout_of(
                config,
                calibration,
                table,
                watch=watch,
                watch_again=watch_again,
                tell=self._tell,
                clock_ns=clock_ns,
                camera=camera,
                show=self._show,
            )
            stack.callback(self._lookout.close)
            stack.callback(seats.close)  # first of all: a camera or broker that is slow to go must not let it buzz on
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self._keeper.begin(self._journal.entries())
            self.engine.begin()
            self._lookout.start()
            if self._page is not None:
                self._page.start()
            undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lamps and buzzer off first, then camera, broker and journal; twice is safe."""
        self._stack.close()

    @property
    def is_idle(self) -> bool:
        """Whether everything that has come in has been decided, shown and kept."""
        return self.engine.is_idle and self._keeper.is_idle

    def _wake(self) -> None:
        """From the pins', the board's and the network thread: something waits."""
        self._inbox.put(inbox.Wake())

    def _order(self, message: CommandMessage) -> None:
        """From the network thread."""
        self.engine.submit(inbox.OrderCame(message))

    def _show_numbers(self, beat: Heartbeat) -> None:
        """From the loop, once a second."""
        if self._metrics is not None:
            self._metrics.show(beat)

    def _timed(self, read: Callable[..., Reading]) -> Callable[..., Reading]:
        """Reads as `read` does, and notes how long it took, for the loop to hear of when all is told."""

        def timed(*what: object) -> Reading:
            began_s = time.perf_counter()
            reading = read(*what)
            self._read_s.append(time.perf_counter() - began_s)
            return reading

        return timed

    def _show(self, frame: Frame, watcher: Watcher, sights: tuple[Sight, ...]) -> None:
        """From the camera's thread, before what was seen is told."""
        self._view.look(frame, watcher, sights)
        for sight in sights:
            if isinstance(sight, HandIn | HandOut):
                self._is_hand_in = isinstance(sight, HandIn)
        scenes = [sight for sight in sights if isinstance(sight, Settled)]
        self._keeper.look(frame, is_hand_in=self._is_hand_in, is_read=watcher.has_read, scenes=scenes)

    def _tell(self, news: News) -> None:
        """From the camera's thread."""
        if isinstance(news, Lost):
            self._view.lose(news.reason)
        if isinstance(news, Ails | Heals):
            self._view.ail(news.code, news.text if isinstance(news, Ails) else None)
        if isinstance(news, Lost | Back):
            self._keeper.blind("frames", news.reason if isinstance(news, Lost) else None)
        if (item := item_of(news, self._table)) is not None:
            self.engine.submit(item)
        if isinstance(news, Taken):
            for seconds in self._read_s:
                self.engine.submit(inbox.PictureRead(seconds))
            self._read_s.clear()


def _open_metrics(config: Config, clock_ns: Callable[[], int], logger: logging.Logger) -> Metrics | None:
    """The page for Prometheus where one is configured; one that cannot be had is only told."""
    chosen, table = config.metrics, config.table.name
    if chosen.port is None:
        return None
    from controller.metrics import Metrics  # 1 MB that a table without the page does without

    try:
        page = Metrics(host=chosen.host, port=chosen.port, table=table, version=VERSION, clock_ns=clock_ns)
    except OSError as error:
        why = error.strerror or error
        logger.error("metrics: expected an address to listen on, got %s:%s: %s", chosen.host, chosen.port, why)
        return None
    logger.info("metrics: the page for Prometheus is at %s", page.address)
    return page


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
    calibration = calibration_of(config)
    table = table_of(config, calibration)

    def wake() -> None:
        news.put(inbox.Wake())

    def tell(told: News) -> None:
        if (item := item_of(told, None)) is not None:
            news.put(item)

    def measure() -> Measured:
        return measured(config, seats, broker=caller.problem, disk=disk_trouble, journal=journal_trouble)

    with contextlib.ExitStack() as stack:
        disk_trouble, journal_trouble = keep_service_out(config, stack)
        caller = caller_at_broker(config, "selftest", logger=logger, clock_ns=clock_ns)
        stack.callback(caller.close)
        caller.start()
        # Whether anything can be seen at all, no more: what lies there is looked at when it is asked for.
        lookout = lookout_of(config, calibration, table, watch=lambda bgr: Reading(), tell=tell, clock_ns=clock_ns)
        stack.callback(lookout.close)
        seats = open_seats(config, pin_factory, clock_ns=clock_ns, wake=wake, logger=logger)
        stack.callback(seats.close)  # first of all, as the service does
        lookout.start()
        yield Bench(
            setting_of(config, seats, measure),
            seats=seats,
            news=news,
            ask_look=lookout.examine,
            clock_ns=clock_ns,
            is_quiet=partial(is_quiet_now, config),
        )


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _open_journal(config: Config, boot_id: str) -> Journal:
    return Journal(
        Path(config.journal.path),
        boot_id=boot_id,
        wall_utc=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"),
        clock_synchronised=is_clock_set,
    )


def replay_recording(
    folder: Path,
    *,
    read: Callable[..., Reading] = watched,
    reread: Callable[..., Reading] | None = reread,
    progress: Callable[[int, int], None] = lambda done, total: None,
    logger: logging.Logger,
) -> Outcome:
    """Run a recording again through the watcher, a reader and the rules. Raises: RecordingError."""

    def eyes(session: Session) -> Eyes:
        try:
            table = table_from(session.head["table"])
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(session.folder / HEAD, error) from error
        again = None if reread is None else partial(reread, table=table)
        watch, watch_again = remembering(partial(read, table=table), again)
        watcher = Watcher(read=watch, reread=watch_again, table=table)

        def see(picture: Picture, at_ns: int) -> Iterator[inbox.Item]:
            try:
                frame = Frame(load(picture.path), at_ns, picture.number)
            except ImageError as error:
                raise damaged(picture.path, error) from error
            for news in (Taken(at_ns), *watcher.see(frame)):
                if (item := item_of(news, table)) is not None:
                    yield item

        return see

    return replay(sessions(folder), eyes=eyes, progress=progress, logger=logger)


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
        """Return once everything that came so far has been decided, shown and kept; at once when nothing will be."""
        while self._service is not None and not self._is_over.is_set() and not self._service.is_idle:
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


def play_demo(options: Options, *, console: Console, film: Path | None) -> None:
    """A whole game on a rendered table, through the real reader, rules, journal and broker.

    Raises:
        DemoFailed: it could not be played to its end.
        MosquittoError: there is no broker to start.
    """
    # What draws a table is no business of the service, which has it in its memory otherwise.
    from controller.demo import run as demo
    from controller.demo.stage import Photographer, config_of_demo
    from controller.mosquitto import Mosquitto
    from vision.layout import LineLayout

    rng = np.random.default_rng(options.seed)
    photographer = Photographer(rng, film)
    factory = open_factory("mock")
    buttons = [factory.pin(seat.button) for seat in DEFAULT_WIRING.seats]
    with tempfile.TemporaryDirectory(prefix="gameline-demo-") as place:

        def make_service(table: Camera, clock_ns: Callable[[], int], address: Address) -> BackgroundService:
            config = config_of_demo(Path(place) / "journal.sqlite", address, options.sets)
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
