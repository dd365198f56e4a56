"""What a self-test finds out of its table without a person: journal and disk, clock, seat board, lamps."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from controller.config import Config
from controller.inbox import Seats
from controller.journal import JournalFull, JournalReadOnly, JournalStorage, held
from controller.machine import VERSION, is_clock_set
from controller.selftest import LAMPS
from controller.selftest_checks import BoardSeen, CameraWanted, Measured
from controller.selftest_guide import Setting
from firmware_bridge.install import LAMP_KINDS
from firmware_bridge.seats import BoardSeats
from firmware_bridge.wire import PROTOCOL, SEATS


def keep_service_out(config: Config, stack: contextlib.ExitStack) -> tuple[str | None, str | None]:
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


def setting_of(config: Config, seats: Seats, measure: Callable[[], Measured]) -> Setting:
    """What the self-test has to know of its table."""
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


def measured(
    config: Config, seats: Seats, *, broker: str | None, disk: str | None, journal: str | None = None
) -> Measured:
    """What the self-test judges without a person; the troubles are told by those who have them."""
    folder = Path(config.journal.path).parent
    free_mb: float | None = None
    with contextlib.suppress(OSError):
        free_mb = shutil.disk_usage(folder).free / 1e6
    return Measured(
        board=board_seen(seats) if isinstance(seats, BoardSeats) else None,
        is_clock_set=is_clock_set(),
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
        trouble=seats.trouble,
    )
