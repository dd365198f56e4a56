"""One run: a table, a game, a fault at a random moment, its end, and what must hold; many runs are in __main__.py."""

from __future__ import annotations

import random
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.fault import CannotBe, Fault, Named
from tests.chaos.faults import hides
from tests.chaos.player import Player
from tests.chaos.scene import Scene
from tests.chaos.table import Table
from tests.chaos.truth import Row, rows_of, violations

BEGIN_S = 60.0
NAME_S = 30.0
"""Longest until a fault can be read of."""
GO_ON_S = 60.0
QUIET_S = 30.0
ACTS_AFTER = 3
"""Moves and passes that the game goes on with after the fault."""
PLAYED = ("domino_laid", "passed")


@dataclass(frozen=True)
class Outcome:
    """How a run went."""

    fault: str
    wrong: tuple[str, ...]
    """What did not hold; nothing in a good run."""
    skipped: str | None = None
    """Why the fault could not be made here."""
    events: int = 0
    seconds: float = 0.0


class _Made:
    """A fault from its making on, and whether it could be read of."""

    def __init__(self, fault: Fault, table: Table, player: Player) -> None:
        self.fault = fault
        self.since_s = time.monotonic()
        self._table = table
        self._log_bytes = table.log_bytes
        fault.inject(table, player)

    def is_named(self) -> bool:
        """Whether it has been named since, where it has to be."""
        return self.fault.named is None or self._is_named(self.fault.named)

    def unread(self) -> str:
        """The sentence that it was not, with what could be read instead."""
        return f"nobody could read of {self.fault.name!r}: expected {self.fault.named}, got {self._newest()}"

    def _is_named(self, named: Named) -> bool:
        table, heard = self._table, self._table.listener.heard
        if named.where == "log":
            return re.search(named.what, table.said(self._log_bytes)) is not None
        if named.where == "twin":
            return re.search(named.what, (table.folder / "twin.log").read_text(encoding="utf-8")) is not None
        if named.where == "connection":
            return any(at_s >= self.since_s and body["status"] == named.what for at_s, body in heard.connections)
        return any(
            at_s >= self.since_s
            and body[named.part]["status"] != "ok"
            and re.search(named.what, body[named.part]["why"])
            for at_s, body in heard.healths
        )

    def _newest(self) -> object:
        named, healths = self.fault.named, self._table.listener.heard.healths
        if named is not None and named.where == "health" and healths:
            return healths[-1][1][named.part]
        return self._table.said()[-1000:]


def run(
    kind: type[Fault], seed: int, scene: Scene, *, second: type[Fault] | None = None, keep: Path | None = None
) -> Outcome:
    """One run with this fault.

    Args:
        kind: the fault.
        second: one that comes on top of it.
        seed: of the game, its mishaps and the moments.
        scene: draws the table.
        keep: where the files of a run that went wrong stay; None keeps none.
    """
    name = kind.name if second is None else f"{kind.name}, {second.name} on top"
    rng = random.Random(f"{name} {seed}")
    fault = kind(rng)
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gameline-chaos-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        try:
            fault.prepare(folder)
            environment = fault.environment(folder)
        except CannotBe as why:
            return Outcome(name, (), skipped=str(why))
        try:
            with Table(folder, scene, environment=environment, cap=fault.command()) as table:
                wrong, events = _play(table, fault, second(rng) if second is not None else None, rng)
                if wrong and keep is not None:
                    _keep(table, keep / f"{name.replace(' ', '-')}-{seed}")
        finally:
            fault.clean(folder)
    return Outcome(name, tuple(wrong), events=events, seconds=time.monotonic() - begun_s)


def _play(table: Table, fault: Fault, second: Fault | None, rng: random.Random) -> tuple[list[str], int]:
    player = Player(table, rng)
    wrong: list[str] = []

    def played() -> int:
        return sum(event["type"] in PLAYED for _, event in table.listener.heard.events)

    acts = rng.randrange(1, 8)
    if not player.play(lambda: played() >= acts, BEGIN_S):
        return [f"the game does not begin: {table.said()[-2000:]}"], 0
    player.play(lambda: False, rng.uniform(0, 1))
    before = [rows_of(table.journal)]
    log_bytes = table.log_bytes
    there = [_Made(fault, table, player)]
    if second is not None:
        player.play(lambda: False, rng.uniform(0, 2))
        there.append(_Made(second, table, player))

    def is_read(one: _Made) -> bool:
        return one.is_named() or any(hides(other.fault, one.fault) for other in there)

    def are_named() -> bool:
        return all(map(is_read, there))

    least_s = rng.uniform(*fault.lasts_s)
    if not player.play(lambda: time.monotonic() - there[0].since_s >= least_s and are_named(), NAME_S):
        wrong += [one.unread() for one in there if not is_read(one)]
    if not fault.spoils_journal:
        before += _readable(table.journal)
    fault.heal(table)
    if second is not None:
        player.play(lambda: False, rng.uniform(0, 2))
        # What the first hid of the second can be read now, if there is still something to read of.
        if second.lasts_s != (0.0, 0.0) and not player.play(there[1].is_named, NAME_S):
            wrong.append(there[1].unread())
        second.heal(table)

    acts = played() + ACTS_AFTER
    if not player.play(lambda: played() >= acts, GO_ON_S):
        wrong.append(f"the game does not go on: {table.listener.heard.state}; {table.said(log_bytes)[-2000:]}")
    _come_to_rest(table, player)
    table.is_held = True
    if table.process is None:
        wrong.append("the service is not there at the end")
    else:
        table.stop()
    table.listener.wait(lambda: table.listener.connection == "offline", QUIET_S)
    buzzes = not _soon(lambda: not table.buzzes())
    rows = rows_of(table.journal)
    wrong += violations(rows, before=before, heard=table.listener.heard, ends=table.ends, buzzes=buzzes)
    return wrong + fault.wrong(table), len(rows)


def _come_to_rest(table: Table, player: Player) -> None:
    """Until everything that was written has been heard; what the players still have before the camera is awaited."""
    table.listener.wait(player.is_understood, 1.5)
    player.play(lambda: table.listener.sequence >= _last(table.journal), QUIET_S)
    table.listener.wait(lambda: table.listener.sequence >= _last(table.journal), QUIET_S)


def _last(journal: Path) -> int:
    rows = next(iter(_readable(journal)), [])
    return len(rows)


def _readable(journal: Path) -> list[list[Row]]:
    """The journal now, unless the fault has made it unreadable."""
    with suppress(sqlite3.Error, ValueError):
        return [rows_of(journal)]
    return []


def _soon(is_so: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + 5.0
    while not is_so():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.05)
    return True


def _keep(table: Table, folder: Path) -> None:
    """Configuration, journal and everything that was said, for whoever looks for the mistake."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (table.config, table.journal, *table.folder.glob("*.log")):
        with suppress(OSError):
            (folder / path.name).write_bytes(path.read_bytes())
