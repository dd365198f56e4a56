"""A short game on a drawn table before the real service while it records; in the middle the service is restarted."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from controller import inbox
from controller.accounts import Role
from controller.app import BackgroundService, Service
from controller.config import Config, TableConfig
from controller.demo import stage
from controller.demo.clock import TableClock
from controller.demo.table import Scene, SimulatedTable
from controller.demo.watching import Address
from controller.game.tiles import End, MonoNs, Seat
from controller.journal import Entry, Journal
from controller.keeper import RecordTo
from controller.mqtt import CommandMessage
from hardware.pins import open_factory
from hardware.wiring import DEFAULT_WIRING
from vision.frame import Frame
from vision.layout import LineLayout
from vision.rig import Rig

LOG = logging.getLogger("test")
RIG = Rig(width_px=720, height_px=540, tilt_deg=2.0, k1=-0.03)
QUIET_NS = 3_000_000_000
"""Between two things that happen, so that each has a clip of its own."""


class Camera:
    """Pictures of the simulated table; one that has not changed is not drawn again."""

    def __init__(self) -> None:
        self._photographer = stage.Photographer(np.random.default_rng(7), None, RIG)
        self._last: tuple[Any, Any] | None = None

    def take(self, scene: Scene) -> Frame:
        seen = (scene.pieces, scene.arms, scene.is_dark)
        if self._last is None or self._last[0] != seen or scene.arms:
            self._last = (seen, self._photographer.take(scene).bgr)
        return Frame(self._last[1], scene.mono_ns, scene.number)


class Lasting:
    """The table as a camera that may be closed and taken again."""

    def __init__(self, table: SimulatedTable[Frame]) -> None:
        self._table = table

    def read(self) -> Frame:
        return self._table.read()

    def close(self) -> None:
        """The table stays."""


@dataclass(frozen=True)
class Played:
    """What is left of a game."""

    recording: Path
    stills: Path
    journal: Path

    def entries(self) -> list[Entry]:
        """Everything in the journal."""
        with Journal(self.journal, boot_id="after", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
            return list(journal.entries())


class Play:
    """What happens at the table, one thing after the other, each when all has been quiet for a while."""

    def __init__(self, table: SimulatedTable[Frame], submit: Callable[[inbox.Item], None], buttons: list[Any]) -> None:
        self._table = table
        self._submit = submit
        self._buttons = buttons
        self._due: list[tuple[int, Callable[[], None]]] = []
        self._acts: list[Callable[[int], None]] = []
        self._quiet_since_ns = 0
        self.first: list[Callable[[int], None]] = [
            lambda now: self._order(now, "start_game", names=["S", "W", "N", "E"]),
            lambda now: self._order(now, "pause", account="ann", by="bob"),  # forged, so nothing comes of it
            lambda now: self._order(now, "start_set", account="ann", by="ann"),
            lambda now: table.lay(Seat.S0, End.FIRST, 6, 4),
            lambda now: table.lay(Seat.S1, End.R, 4, 4),
            lambda now: self._press(now, 2, 120_000_000),
            lambda now: self._press(now, 0, 1_900_000_000),
        ]
        self.then: list[Callable[[int], None]] = [
            lambda now: self._order(now, "resume"),
            lambda now: table.lay(Seat.S3, End.L, 6, 5),
        ]
        self.is_over = True

    def begin(self, acts: list[Callable[[int], None]]) -> None:
        """Do these."""
        self._acts, self.is_over = list(acts), False

    def step(self, now_ns: int) -> None:
        """Once a frame."""
        while self._due and self._due[0][0] <= now_ns:
            self._due.pop(0)[1]()
        if self._table.is_busy or self._due:
            self._quiet_since_ns = now_ns
        if now_ns - self._quiet_since_ns < QUIET_NS:
            return
        self._quiet_since_ns = now_ns
        if self._acts:
            self._acts.pop(0)(now_ns)
        else:
            self.is_over = True

    def _order(self, now_ns: int, name: str, *, account: str | None = None, **arguments: Any) -> None:
        body = {"id": name, "sent_ms": time.time_ns() // 1_000_000, "by": "referee", "client": "tests", **arguments}
        message = CommandMessage(name, json.dumps(body).encode(), False, None, None, None, MonoNs(now_ns), account)
        self._submit(inbox.OrderCame(message))

    def _press(self, now_ns: int, seat: int, held_ns: int) -> None:
        pin = self._buttons[seat]
        self._due = [(now_ns, pin.drive_low), (now_ns + held_ns, pin.drive_high)]


def play(folder: Path) -> Played:
    """Play and record the game in this folder."""
    clock = TableClock(speed=None, real_ns=time.monotonic_ns)
    table = SimulatedTable(
        clock=clock,
        take=Camera().take,
        new_layout=lambda seed: LineLayout(np.random.default_rng(seed)),
        rng=random.Random(3),
    )
    factory = open_factory("mock")
    config: Config = stage.config_of_demo(folder / "journal.sqlite", Address("127.0.0.1", 1, "hall"), 4)
    broker = msgspec.structs.replace(config.broker, accounts={"ann": Role.REFEREE, "bob": Role.CHIEF})
    place = TableConfig(name="hall", corners_px=RIG.table().corners_px)
    config = msgspec.structs.replace(config, table=place, broker=broker)
    running: list[Service] = []
    script = Play(
        table, lambda item: running[-1].engine.submit(item), [factory.pin(s.button) for s in DEFAULT_WIRING.seats]
    )

    def make() -> Service:
        to = RecordTo(folder / "recording", 1_000_000_000)
        camera = Lasting(table)
        running.append(
            Service(config, camera=camera, pin_factory=factory, clock_ns=clock.now_ns, record=to, logger=LOG)
        )
        return running[-1]

    for acts in (script.first, script.then):
        background = BackgroundService(make)
        table.attach(step=script.step, when_quiet=background.wait_until_quiet)
        script.begin(acts)
        background.start()
        deadline_s = time.monotonic() + 50
        while not script.is_over and background.failure is None and time.monotonic() < deadline_s:
            time.sleep(0.02)
        background.stop()
        assert (background.failure, table.fault, script.is_over) == (None, None, True)
    table.close()
    return Played(folder / "recording", folder / "stills", folder / "journal.sqlite")
