"""A table without camera and seats in a thread of its own, on a real broker and with a real journal, for its orders."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.engine import Engine
from controller.game.rulesets import Params
from controller.game.seen import ChainLink, Sighting
from controller.game.tiles import MonoNs
from controller.inbox import OrderCame, Seen, Wake
from controller.journal import Journal
from controller.mosquitto import Mosquitto
from controller.mqtt import CommandMessage, Mqtt
from tests.controller.engine_parts import FakeOutlet, FakeSeats, Press, desk_of, seen_tile


class LiveTable:
    """A table named `hall` that plays as long as the context lasts; its loop has the real clock.

    Args:
        broker: where it speaks.
        folder: where its journal is.
    """

    def __init__(self, broker: Mosquitto, folder: Path) -> None:
        self.seats = FakeSeats()
        self.entries: list[tuple[str, dict[str, object]]] = []
        """Of its journal, type and body, once it has ended."""
        self.path = folder / "journal.sqlite"
        self._broker = broker
        self._over, self._begun = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="table")

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._begun.wait(20), "the table has not begun"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(20)

    def see(self, *tiles: tuple[int, int]) -> None:
        """The table has come to rest with these dominoes in one chain."""
        chain = tuple(ChainLink(place, is_flipped=False) for place in range(len(tiles)))
        seen = Sighting(tuple(seen_tile(a, b) for a, b in tiles), (chain,))
        self._engine.submit(Seen(MonoNs(time.monotonic_ns()), seen))

    def press(self, button: int, held_ms: int = 0) -> None:
        """A finger on a button."""
        self.seats.waiting.append(Press(button, held_ms, time.monotonic_ns()))

    def _run(self) -> None:
        """The journal belongs to the thread that opens it, so everything is made here."""
        with Journal(self.path, boot_id="boot", wall_utc=lambda: "w", clock_synchronised=lambda: True) as journal:
            mqtt = Mqtt(
                host=self._broker.host,
                port=self._broker.port,
                table="hall",
                client_id="gameline-hall",
                boot_id="boot",
                version="0",
                on_command=self._hear,
                wake=lambda: self._engine.submit(Wake()),
                logger=logging.getLogger("test"),
            )
            self._engine = Engine(
                journal=journal,
                seats=self.seats,
                outlet=mqtt,
                params=Params(),
                table="hall",
                clock_ns=time.monotonic_ns,
                wall_ms=lambda: time.time_ns() // 1_000_000,
                stale_s=1e6,
                clock_synchronised=lambda: True,
                temperature_c=lambda: None,
                is_quiet=lambda: False,
                version="",
                desk=desk_of(FakeOutlet(), self.seats),
                logger=logging.getLogger("test"),
            )
            mqtt.start()
            try:
                self._engine.begin()
                self._begun.set()
                self._engine.run(is_stopped=self._over.is_set, alive=lambda: None)
            finally:
                mqtt.close(journal)
                self.entries = [(entry.type, entry.body) for entry in journal.entries()]

    def _hear(self, message: CommandMessage) -> None:
        self._engine.submit(OrderCame(message))
