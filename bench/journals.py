"""What durability costs: moves on one table whose journal syncs in full, normally, or is none at all, side by side."""

from __future__ import annotations

import logging
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self
from unittest import mock

import numpy as np

from bench.steps import STEPS, Ear, Move, Steps, p99
from controller import app, inbox
from controller.app import BackgroundService, Service
from controller.config import BrokerConfig, CameraConfig, Config, JournalConfig, SeatsConfig, TableConfig
from controller.game.line import Line
from controller.game.seen import ChainLink, SeenTile, Sighting
from controller.game.tiles import End, MonoNs, Seat
from controller.journal import Answered, Draft, Entry, Journal
from controller.mosquitto import Mosquitto
from hardware.pins import open_factory
from vision.camera import CameraEnded, Frame

MOVES = 24
"""Of a set: six dominoes of each hand, and nobody has to pass."""
SHARP = 0.97


class Normal(Journal):
    """The journal with WAL's own `NORMAL`: a power cut may take the last commits."""

    def __init__(self, *what: Any, **more: Any) -> None:
        super().__init__(*what, **more)
        self._db.execute("PRAGMA synchronous = NORMAL")

    def set_cursor(self, name: str, sequence: int) -> None:
        """As the journal does, which leaves `FULL` behind."""
        super().set_cursor(name, sequence)
        self._db.execute("PRAGMA synchronous = NORMAL")


class Nothing(Journal):
    """A journal that keeps nothing: what would be gone with the process."""

    def __init__(self, *what: Any, boot_id: str, **more: Any) -> None:
        self._entries: list[Entry] = []
        self.boot_id = boot_id
        self._places: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    @property
    def last_sequence(self) -> int:
        """How many there are."""
        return len(self._entries)

    def append(
        self, drafts: Sequence[Draft], answered: Callable[[Sequence[Entry]], Answered] | None = None
    ) -> tuple[Entry, ...]:
        """Keep them in memory alone."""
        made = tuple(
            Entry(self.last_sequence + number, draft.mono_ns, self.boot_id, "", True, draft.type, dict(draft.body))
            for number, draft in enumerate(drafts, start=1)
        )
        self._entries += made
        if answered is not None:
            answered(made)
        return made

    def answers(self) -> tuple[Answered, ...]:
        """None."""
        return ()

    def entries(self, after: int = 0, limit: int | None = None) -> Iterator[Entry]:
        """Those after a sequence."""
        return iter(self._entries[after : None if limit is None else after + limit])

    def cursor(self, name: str) -> int:
        """A reader's place."""
        return self._places.get(name, 0)

    def cursors(self) -> dict[str, int]:
        """All places."""
        return dict(self._places)

    def set_cursor(self, name: str, sequence: int) -> None:
        """Remember a place."""
        self._places[name] = sequence


KINDS: dict[str, type[Journal]] = {"FULL": Journal, "NORMAL": Normal, "no journal": Nothing}


class Dark:
    """A camera that gives nothing: what is seen is said by the bench."""

    def __init__(self) -> None:
        self._is_over = threading.Event()

    def read(self) -> Frame:
        """Wait for the end."""
        self._is_over.wait()
        raise CameraEnded("the bench is over")

    def close(self) -> None:
        """Let go of whoever waits."""
        self._is_over.set()


def moves(rng: np.random.Generator) -> Iterator[tuple[End, int, int]]:
    """Moves of one set that nobody's hand forbids: (end, inner, outer)."""
    line = Line()
    while len(line.placed) < MOVES and not line.is_locked:
        possible = [
            (end, inner, tile.high if inner == tile.low else tile.low)
            for tile in sorted(line.unplayed)
            for end in ((End.L, End.R) if line.placed else (End.FIRST,))
            for inner in sorted({tile.low, tile.high})
            if line.open_suit(end) in (None, inner)
        ]
        end, inner, outer = possible[int(rng.integers(len(possible)))]
        line = line.with_tile(inner, outer, end, Seat.S0)
        yield end, int(inner), int(outer)


def measure_journals(place: Path, sets: int) -> None:
    """Print the moves of each journal, set by set in turn, beside a bare message through the same broker."""
    steps = Steps()
    measured: dict[str, list[Move]] = {kind: [] for kind in KINDS}
    with Mosquitto(place) as broker, steps.noted():
        for number in range(sets):
            for kind in KINDS:
                where = place / f"{kind.replace(' ', '-')}-{number}.sqlite"
                measured[kind] += set_played(kind, where, broker, steps, seed=number)
        bare_s = _bare(broker, MOVES * sets)
    _report(measured, bare_s)


def set_played(kind: str, path: Path, broker: Mosquitto, steps: Steps, *, seed: int) -> list[Move]:
    """One set on a service whose journal is of that kind, all else as on any table; its moves.

    Args:
        kind: a key of KINDS.
        path: of the journal; the table is called as it is.
        broker: a running one.
        steps: what notes the moves, already noting.
        seed: of the moves.
    """
    config = Config(
        table=TableConfig(name=path.stem),
        camera=CameraConfig(kind="folder", path="-", stale_s=60.0),
        seats=SeatsConfig(pin_factory="mock"),
        broker=BrokerConfig(host=broker.host, port=broker.port),
        journal=JournalConfig(path=str(path)),
    )
    made: list[Service] = []

    def make() -> Service:
        made.append(Service(config, camera=Dark(), pin_factory=open_factory("mock"), logger=logging.getLogger("bench")))
        return made[0]

    def opened(config: Config, boot_id: str) -> Journal:
        return KINDS[kind](path, boot_id=boot_id, wall_utc=str, clock_synchronised=lambda: True)

    with mock.patch.object(app, "_open_journal", opened):
        service = BackgroundService(make)
        service.start()
    ear = Ear(broker.host, broker.port, path.stem)
    try:
        if service.failure:
            raise SystemExit(f"bench.latency: {service.failure}")
        return _played(made[0].engine.submit, ear, steps, seed)
    finally:
        service.stop()
        ear.close()


def _played(submit: Callable[[inbox.Item], None], ear: Ear, steps: Steps, seed: int) -> list[Move]:
    def see(tiles: list[tuple[int, int]]) -> None:
        now = MonoNs(time.monotonic_ns())
        submit(inbox.FrameTaken(now))
        chain = tuple(ChainLink(number, is_flipped=False) for number in range(len(tiles)))
        steps.begin()
        submit(inbox.Seen(now, Sighting(tuple(_seen(*tile) for tile in tiles), (chain,) if len(chain) > 1 else ())))

    see([])
    ear.wait_for("connection")
    ear.order("start_game", names=["0", "1", "2", "3"])
    ear.order("start_set")
    ear.wait_for("set_started")
    tiles: list[tuple[int, int]] = []
    found = []
    for end, inner, outer in moves(np.random.default_rng(seed)):
        tiles = [(outer, inner), *tiles] if end is End.L else [*tiles, (inner, outer)]
        see(tiles)
        found.append(steps.move(*ear.wait_for("domino_laid")))
    return found


def _seen(a: int, b: int) -> SeenTile:
    """A domino clearly seen."""
    left, right = (tuple(SHARP if suit == half else (1 - SHARP) / 6 for suit in range(7)) for half in (a, b))
    return SeenTile(left, right)


def _bare(broker: Mosquitto, times: int) -> list[float]:
    """Seconds of a message of an event's size through the broker and back, with nothing else to do."""
    ear, taken = Ear(broker.host, broker.port), []
    for _ in range(times):
        began_s = time.perf_counter()
        ear.say("bare", b"x" * 600)
        taken.append(ear.wait_for("bare")[1] - began_s)
    ear.close()
    return taken


def _report(measured: dict[str, list[Move]], bare_s: list[float]) -> None:
    commit = STEPS.index("commit")
    whole = {kind: [move.beyond_s for move in moves] for kind, moves in measured.items()}
    nothing_s = statistics.median(whole["no journal"])
    head = f"{len(whole['FULL'])} moves a journal, seen to event"
    print(f"{head:<34}{'median ms':>12}{'p99 ms':>10}{'of none':>10}{'commit ms':>12}")
    for kind, values in whole.items():
        median_s = statistics.median(values)
        commit_s = statistics.median(move.steps[commit] for move in measured[kind])
        row = f"  {kind:<32}{median_s * 1e3:>12.2f}{p99(values) * 1e3:>10.2f}{median_s / nothing_s:>10.2f}"
        print(f"{row}{commit_s * 1e3:>12.2f}")
    bare_ms = statistics.median(bare_s) * 1e3
    print(f"  {'a bare message, there and back':<32}{bare_ms:>12.2f}{p99(bare_s) * 1e3:>10.2f}\n")
