"""Bad days of the service itself: killed, told to end, doubled, short of memory."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from controller.codec import body_of, type_name
from controller.game import commands as cmd
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.rulesets import Params
from controller.game.state import State
from controller.game.tiles import End, MonoNs, Seat
from controller.journal import Draft, Journal
from tests.chaos.fault import CannotBe, Fault, Named
from tests.chaos.player import Player
from tests.chaos.table import Table

CAP_BYTES = 300_000_000
CGROUPS = Path("/sys/fs/cgroup")


class KilledService(Fault):
    """kill -9; systemd starts it again."""

    name = "service killed"
    lasts_s = (0.0, 0.0)
    named = Named("connection", "lost")

    def inject(self, table: Table, player: Player) -> None:
        table.kill()


class TerminatedService(Fault):
    """SIGTERM as a domino is being laid."""

    name = "service told to end in the middle of a move"
    lasts_s = (0.0, 0.0)
    named = Named("connection", "offline")

    def inject(self, table: Table, player: Player) -> None:
        player.lay_next()
        time.sleep(self.rng.uniform(0, 0.8))
        table.stop()

    def wrong(self, table: Table) -> list[str]:
        return [f"SIGTERM ended it with code {end.code}" for end in table.ends[:1] if end.code != 0]


class SecondCopy(Fault):
    """A second service is started on the same journal."""

    name = "second copy on the same journal"
    lasts_s = (0.0, 0.0)

    def inject(self, table: Table, player: Player) -> None:
        log = table.folder / "second.log"
        second = table.launch(table.write_config("second.toml", table.journal, seats='pin_factory = "mock"'), log)
        try:
            self.code = second.wait(30)
        except subprocess.TimeoutExpired:
            second.kill()
            self.code = second.wait()
        self.said = log.read_text(encoding="utf-8")

    def wrong(self, table: Table) -> list[str]:
        is_told = self.code == 1 and "is in use by another Gameline" in self.said
        return [] if is_told else [f"the second copy ended with code {self.code}: {self.said}"]


class Twin(Fault):
    """A second service with the same table's name, with a journal and a game of its own."""

    name = "two services of one table"
    lasts_s = (6.0, 9.0)
    named = Named("twin", "Another table named 'chaos' is online")

    def inject(self, table: Table, player: Player) -> None:
        (table.folder / "twin").mkdir()
        journal = table.folder / "twin" / "journal.sqlite"
        begin_other_game(journal)
        config = table.write_config("twin.toml", journal, seats='pin_factory = "mock"')
        self._twin = table.launch(config, table.folder / "twin.log")

    def heal(self, table: Table) -> None:
        self._twin.send_signal(signal.SIGTERM)
        self._twin.wait(30)


class CappedMemory(Fault):
    """The service may take 300 MB of memory from its start on, and the kernel ends whoever takes more."""

    name = "300 MB of memory"
    lasts_s = (2.0, 4.0)

    def prepare(self, table: Path) -> None:
        self._group = next(
            (root / f"gameline-chaos-{os.getpid()}" for root in (CGROUPS / "memory", CGROUPS) if _may_cap(root)), None
        )
        if self._group is None:
            raise CannotBe("this user may not make a memory control group")
        self._group.mkdir(exist_ok=True)
        limit = "memory.max" if (self._group / "memory.max").exists() else "memory.limit_in_bytes"
        (self._group / limit).write_text(str(CAP_BYTES), encoding="ascii")

    def command(self) -> tuple[str, ...]:
        return ("sh", "-c", f'echo $$ > {self._group}/cgroup.procs; exec "$@"', "sh")

    def inject(self, table: Table, player: Player) -> None:
        """It has been so from the start."""

    def wrong(self, table: Table) -> list[str]:
        return [f"the capped service ended with code {end.code}" for end in table.ends if end.code != 0]

    def clean(self, table: Path) -> None:
        if self._group is not None:
            self._group.rmdir()


def begin_other_game(path: Path) -> None:
    """A new journal in which another game has begun."""
    state = State()
    commands: tuple[cmd.Command, ...] = (
        cmd.StartGame(MonoNs(1), ("Ann", "Bob", "Cid", "Dan"), Seat.S0, Params(), False, "", "another game"),
        cmd.StartSet(MonoNs(2), None),
        cmd.LayDomino(MonoNs(3), 6, 6, End.FIRST, None),
        cmd.LayDomino(MonoNs(4), 6, 5, End.R, None),
    )
    with Journal(path, boot_id="twin", wall_utc=lambda: "", clock_synchronised=lambda: False) as journal:
        for command in commands:
            happened = decide(state, command)
            journal.append([Draft(type_name(type(event)), event.at, body_of(event)) for event in happened])
            state = evolve_all(state, happened)


def _may_cap(root: Path) -> bool:
    return (
        (root / "cgroup.procs").exists()
        and os.access(root, os.W_OK)
        and ((root / "memory.limit_in_bytes").exists() or "memory" in _text(root / "cgroup.subtree_control").split())
    )


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="ascii")
    return ""
