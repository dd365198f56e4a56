"""Bad days of the disk, and of the journal on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from controller.codec import body_of, type_name
from controller.game import events as ev
from controller.game.tiles import MonoNs
from controller.journal import Draft, Journal
from tests.chaos.fault import CannotBe, Fault, Named
from tests.chaos.player import Player
from tests.chaos.table import Table

WRITES = "pwrite64,fsync,fdatasync"
"""The calls by which SQLite writes, and nothing else in the service does."""
DISK_BYTES = 3_000_000
PAGE_BYTES = 4096
LOG_HEAD_BYTES, FRAME_HEAD_BYTES, LEAF_OF_A_TABLE = 32, 24, 0x0D
"""Of SQLite's files: https://www.sqlite.org/fileformat2.html, 4.1 and 1.6."""
OLD_ENTRIES = 60


class FullDisk(Fault):
    """Somebody else has filled the disk that the journal is on."""

    name = "disk full"
    bears_another = True
    lasts_s = (3.0, 5.0)
    named = Named("health", "No room", part="disk")

    def prepare(self, table: Path) -> None:
        (table / "state").mkdir()
        _mount(table / "state")

    def inject(self, table: Table, player: Player) -> None:
        with suppress(OSError), (table.state / "somebody-elses").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(PAGE_BYTES))

    def heal(self, table: Table) -> None:
        (table.state / "somebody-elses").unlink()

    def clean(self, table: Path) -> None:
        subprocess.run(["umount", "--lazy", str(table / "state")], check=False)


class ReadOnlyStart(FullDisk):
    """After a power cut the disk can only be read; the service is started on it again and again."""

    name = "disk read-only at the start"
    bears_another = False
    named = Named("log", "cannot be written")

    def inject(self, table: Table, player: Player) -> None:
        table.kill()
        subprocess.run(["mount", "-o", "remount,ro", str(table.state)], check=True)

    def heal(self, table: Table) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(table.state)], check=True)


class FailingDisk(Fault):
    """Every write to the journal fails as that of a dying card does."""

    name = "disk fails"
    lasts_s = (3.0, 5.0)
    error: ClassVar[str] = "EIO"
    named = Named("health", "The storage under the journal", part="disk")

    def prepare(self, table: Path) -> None:
        if shutil.which("strace") is None:
            raise CannotBe("strace is missing: apt install strace")

    def inject(self, table: Table, player: Player) -> None:
        table.tend()
        assert table.process is not None, "a service that has ended cannot be made to fail"
        self._failing = ExitStack()
        self._failing.enter_context(failing_writes(table.process.pid, self.error))

    def heal(self, table: Table) -> None:
        self._failing.close()


class ReadOnlyDisk(FailingDisk):
    """The kernel has found the file system wanting and lets it be read only."""

    name = "disk read-only in the middle of a game"
    error = "EROFS"
    named = Named("health", "cannot be written", part="disk")


class TruncatedJournal(Fault):
    """After a power cut a part of the journal's file is missing; a person puts the copy back that he has."""

    name = "journal truncated"
    spoils_journal = True
    lasts_s = (3.0, 4.0)
    named = Named("log", r"is damaged|is not a Gameline journal")

    def inject(self, table: Table, player: Player) -> None:
        table.is_held = True
        table.stop()  # so that everything is in the one file
        self._whole = table.journal.read_bytes()
        self.damage(table.journal)
        self._damaged = table.journal.read_bytes()
        table.is_held = False

    def damage(self, journal: Path) -> None:
        os.truncate(journal, self.rng.randrange(len(self._whole)))

    def heal(self, table: Table) -> None:
        table.is_held = True
        table.tend()
        if table.process is not None:
            table.stop()
        self._is_left_alone = table.journal.read_bytes() == self._damaged
        table.journal.write_bytes(self._whole)
        table.is_held = False

    def wrong(self, table: Table) -> list[str]:
        return [] if self._is_left_alone else ["a damaged journal was written to"]


class OverwrittenJournal(TruncatedJournal):
    """A page of it holds something else."""

    name = "page of the journal overwritten"
    named = Named("log", r"is damaged|is not a Gameline journal")

    def damage(self, journal: Path) -> None:
        page = self.rng.randrange(len(self._whole) // PAGE_BYTES)
        with journal.open("r+b") as file:
            file.seek(page * PAGE_BYTES)
            file.write(self.rng.randbytes(PAGE_BYTES))


class TruncatedInUse(Fault):
    """Something else cuts the file short while the service writes to it; later a person puts back what was lost."""

    name = "journal truncated in use"
    spoils_journal = True
    named = Named("health", "is damaged", part="disk")

    def prepare(self, table: Path) -> None:
        (table / "state").mkdir()
        _begin_old(table / "state" / "journal.sqlite")

    def inject(self, table: Table, player: Player) -> None:
        self._whole = table.journal.read_bytes()
        self.damage(table.journal, self.rng.choice(_old_pages(table.journal)))
        self._damaged = table.journal.read_bytes()

    def damage(self, journal: Path, page: int) -> None:
        os.truncate(journal, page * PAGE_BYTES + self.rng.randrange(PAGE_BYTES))

    def heal(self, table: Table) -> None:
        table.is_held = True
        table.tend()
        if table.process is not None:
            table.stop()
        with table.journal.open("r+b") as file:
            for offset in range(0, len(self._whole), PAGE_BYTES):
                whole, harmed = (page[offset : offset + PAGE_BYTES] for page in (self._whole, self._damaged))
                file.seek(offset)
                if file.read(PAGE_BYTES).ljust(PAGE_BYTES, b"\0") == harmed.ljust(PAGE_BYTES, b"\0"):
                    file.seek(offset)  # not written anew since
                    file.write(whole)
        table.is_held = False


class OverwrittenInUse(TruncatedInUse):
    """Something else writes into the file while the service does."""

    name = "page of the journal overwritten in use"

    def damage(self, journal: Path, page: int) -> None:
        with journal.open("r+b") as file:
            file.seek(page * PAGE_BYTES)
            file.write(self.rng.randbytes(PAGE_BYTES))


def _begin_old(journal: Path) -> None:
    """A journal with a past, so that it has pages that nobody writes any more."""
    with Journal(journal, boot_id="past", wall_utc=lambda: "", clock_synchronised=lambda: False) as past:
        for number in range(OLD_ENTRIES):
            event = ev.Refused(MonoNs(number), "Pass", ev.Reason.NO_GAME, None, f"there is no game {number}")
            past.append([Draft(type_name(ev.Refused), number, body_of(event))])


def _old_pages(journal: Path) -> list[int]:
    """Pages full of entries that stand in the file alone, not in the log as well; counted from 0."""
    log = journal.with_name(f"{journal.name}-wal").read_bytes()
    frames = range(LOG_HEAD_BYTES, len(log), FRAME_HEAD_BYTES + PAGE_BYTES)
    logged = {int.from_bytes(log[frame : frame + 4]) - 1 for frame in frames}
    data = journal.read_bytes()
    pages = range(len(data) // PAGE_BYTES)
    return [page for page in pages if page not in logged and data[page * PAGE_BYTES] == LEAF_OF_A_TABLE]


def _mount(folder: Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBe(f"this user may not mount a disk: {done.stderr.strip()}")


@contextmanager
def failing_writes(process: int, error: str) -> Iterator[None]:
    """As long as this lasts strace fails all writes and syncs of the process."""
    faults = ["-e", f"trace={WRITES}", "-e", f"inject={WRITES}:error={error}"]
    command = ["strace", "-f", "-p", str(process), *faults, "-o", "/dev/null"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr is not None
        said = strace.stderr.readline()
        assert "attached" in said, f"strace cannot attach: {said}"
        try:
            yield
        finally:
            strace.terminate()
            strace.communicate()
