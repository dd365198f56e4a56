"""The journal keeps every event of the table for good, in order and without gaps; what the events mean it never asks.

One SQLite file: write-ahead log, `synchronous=FULL` (with NORMAL a power cut may take the last commits), entries that
can only be appended. Called only from the loop's thread. While the journal is open a side file, `<journal>.lock`, holds
an OS lock: the kernel lets go of it when the process dies, however it dies. It stays, and marks the place as ours.
"""

import contextlib
import fcntl
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from controller.journal_errors import JournalBusy as JournalBusy
from controller.journal_errors import JournalDamaged as JournalDamaged
from controller.journal_errors import JournalError as JournalError
from controller.journal_errors import JournalForeign as JournalForeign
from controller.journal_errors import JournalFull as JournalFull
from controller.journal_errors import JournalNewer as JournalNewer
from controller.journal_errors import JournalReadOnly as JournalReadOnly
from controller.journal_errors import JournalStorage as JournalStorage
from controller.journal_errors import damaged, translated

FORMAT = 1  # `user_version` of the file; raised with every change of the schema that an older Gameline would trip over
APPLICATION_ID = 0x474C4A31  # "GLJ1" in SQLite's header, so that another program's database is never taken for ours
BUSY_S = 0.5  # how long a command-line reader may hold us up before the loop gives up
BATCH = 256  # entries read at a time, so that a slow reader never holds the write-ahead log
ANSWERS_KEPT = 512  # repeated orders come seconds after the first, not hours

_ANSWERS = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY, client TEXT NOT NULL, id TEXT NOT NULL, answer TEXT NOT NULL, UNIQUE (client, id)
) STRICT;
"""
_SCHEMA = f"""
CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY, mono_ns INTEGER NOT NULL, boot_id TEXT NOT NULL, wall_utc TEXT NOT NULL,
    clock_synchronised INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, crc32 INTEGER NOT NULL
) STRICT;
CREATE TABLE cursors (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
{_ANSWERS}
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
    WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'the journal has no gaps and no doubles'); END;
CREATE TRIGGER entries_unchanged BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER entries_kept BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
"""
_COLUMNS = "sequence, mono_ns, boot_id, wall_utc, clock_synchronised, type, body"
_SQLITE_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100  # the SQLite header; the application id is the big-endian word at byte 68
_PARTS = ("", "-wal", "-shm")  # the files that are one database


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it is written; `body` holds only what JSON can carry."""

    type: str
    mono_ns: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as written; `body` is as it comes back from JSON (lists, not tuples)."""

    sequence: int
    mono_ns: int
    """Of the boot `boot_id`; never compared across boots."""
    boot_id: str
    wall_utc: str
    """A label only: true to the world when `clock_synchronised`."""
    clock_synchronised: bool
    type: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to an order, so that the same order, coming again, is not carried out twice."""

    client: str
    id: str
    """Chosen by the client."""
    answer: str


class Journal:
    """An open journal, owned by this process.

    Example:
        with Journal(path, boot_id=boot, wall_utc=utc_now, clock_synchronised=ntp_synchronised) as journal:
            journal.append([Draft("played", mono_ns, {"tile": "6-4"})])

    Args:
        path: the SQLite file; made when there is none, in a directory that must exist.
        boot_id: the boot that this process's `mono_ns` belong to.
        wall_utc: the wall clock as text, asked once for each append.
        clock_synchronised: whether that clock has been set by the network, asked once for each append.

    Raises:
        JournalError: one of its family; nothing at the path has been changed.
    """

    def __init__(
        self, path: Path, *, boot_id: str, wall_utc: Callable[[], str], clock_synchronised: Callable[[], bool]
    ) -> None:
        self.path, self.boot_id = path, boot_id
        self._wall_utc, self._clock_synchronised = wall_utc, clock_synchronised
        _require_ours(path)
        with contextlib.ExitStack() as undo:
            undo.enter_context(_owned(path))
            self.created = not path.exists()
            """Whether this is a new, empty journal, for the caller to say aloud."""
            if self.created:
                _create(path)
            self._db = undo.enter_context(contextlib.closing(_connect(path)))
            self._last_sequence = checked(self._db, path)
            with translated(path):
                self._db.execute(_ANSWERS)  # journals from before answers were kept have none
                self.file = file_at(path)
                """Which file it is, whatever has its name later."""
            self._undo = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give up ownership; twice is safe."""
        self._undo.close()

    @property
    def last_sequence(self) -> int:
        """The sequence of the newest entry; 0 when there is none."""
        return self._last_sequence

    def append(
        self, drafts: Sequence[Draft], answered: Callable[[Sequence[Entry]], Answered] | None = None
    ) -> tuple[Entry, ...]:
        """Write all drafts in one transaction, or none; when it returns they survive a power cut.

        Args:
            drafts: in order.
            answered: of an order's drafts, the answer to it, made of their entries and kept with them.

        Raises:
            JournalFull, JournalReadOnly, JournalBusy, JournalStorage: nothing was written; append may be tried again.
        """
        if not drafts and answered is None:
            return ()
        wall_utc, synchronised = self._wall_utc(), self._clock_synchronised()
        rows = [
            (self._last_sequence + number, draft.mono_ns, self.boot_id, wall_utc, int(synchronised), draft.type, body)
            for number, draft in enumerate(drafts, start=1)
            for body in [msgspec.json.encode(draft.body).decode()]
        ]
        entries = tuple(_entry(row) for row in rows)
        with translated(self.path), _transaction(self._db):
            self._db.executemany(
                f"INSERT INTO entries ({_COLUMNS}, crc32) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(*row, _crc32(row)) for row in rows],
            )
            if answered is not None:
                self._keep(answered(entries))
        self._last_sequence += len(entries)
        return entries

    def _keep(self, answered: Answered) -> None:
        """Keep an answer, and no more of them than can still be asked for."""
        self._db.execute(
            "INSERT OR REPLACE INTO answers (client, id, answer) VALUES (?, ?, ?)",
            (answered.client, answered.id, answered.answer),
        )
        self._db.execute("DELETE FROM answers WHERE number <= (SELECT max(number) FROM answers) - ?", (ANSWERS_KEPT,))

    def answers(self) -> tuple[Answered, ...]:
        """The answers that are kept, the oldest first."""
        with translated(self.path):
            rows = self._db.execute("SELECT client, id, answer FROM answers ORDER BY number").fetchall()
        return tuple(Answered(*row) for row in rows)

    def entries(self, after: int = 0, limit: int | None = None) -> Iterator[Entry]:
        """The entries with a sequence above `after`, in order, at most `limit`.

        Raises:
            JournalDamaged: an entry is missing or is not as it was written.
        """
        left = self._last_sequence if limit is None else limit
        while left > 0:
            with translated(self.path):
                rows = self._db.execute(
                    f"SELECT {_COLUMNS}, crc32 FROM entries WHERE sequence > ? ORDER BY sequence LIMIT ?",
                    (after, min(left, BATCH)),
                ).fetchall()
            if not rows:
                return
            for *row, crc32 in rows:
                after += 1
                if row[0] != after or _crc32(row) != crc32:
                    raise damaged(self.path, f"entry {after} is missing or not as it was written")
                yield _entry(row)
            left -= len(rows)

    def cursor(self, name: str) -> int:
        """How far the reader `name` has come; 0 when it never came."""
        with translated(self.path):
            found = self._db.execute("SELECT sequence FROM cursors WHERE name = ?", (name,)).fetchone()
        return int(found[0]) if found else 0

    def cursors(self) -> dict[str, int]:
        """The place of every reader there has been, by its name."""
        with translated(self.path):
            return dict(self._db.execute("SELECT name, sequence FROM cursors"))

    def set_cursor(self, name: str, sequence: int) -> None:
        """Remember how far the reader `name` has come.

        Survives the end of the process at once, and a power cut from the next append on: a card's slow sync is for
        what cannot be made again, and after a power cut a reader may be given its last few entries once more.
        """
        with translated(self.path):
            self._db.execute("PRAGMA synchronous = NORMAL")
            try:
                with _transaction(self._db):
                    self._db.execute(
                        "INSERT INTO cursors VALUES (?, ?) "
                        "ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence",
                        (name, sequence),
                    )
            finally:
                self._db.execute("PRAGMA synchronous = FULL")

    @staticmethod
    def set_aside(path: Path) -> Path:
        """Keep a damaged journal beside under a name with the time, so that a new one can begin at `path`.

        Only ever called on a person's word: a journal is never emptied silently. Nothing is deleted or overwritten;
        the write-ahead log keeps its name's ending, so that SQLite's own tools can still open what was kept.

        Returns:
            the new name.

        Raises:
            JournalForeign: there is nothing to set aside.
            JournalBusy, JournalReadOnly: it may not be moved now.
        """
        if path.is_dir() or not any(_part(path, ending).exists() for ending in _PARTS):
            raise JournalForeign(f"There is no journal at {path} to set aside: check the path.")
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        with _owned(path):
            kept, number = path.with_name(f"{path.name}.damaged-{stamp}"), 1
            while any(_part(kept, ending).exists() for ending in _PARTS):
                number += 1
                kept = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
            # The main file goes first: a log without its journal is noticed at the next start, the reverse is not.
            with translated(path):
                for ending in _PARTS:
                    if _part(path, ending).exists():
                        _part(path, ending).rename(_part(kept, ending))
                _sync_directory(path.parent)
        return kept


# --- opening ----------------------------------------------------------------------------------------------------------


def _part(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _require_ours(path: Path) -> None:
    """Refuse, before anything is touched, a path that holds something else than a journal, or half of one."""
    with translated(path):
        if not path.parent.is_dir():
            raise JournalForeign(f"The journal's directory {path.parent} is not there: make it, or correct the path.")
        if not path.exists():
            if _part(path, "-wal").exists():
                raise damaged(path, f"it is missing, but its write-ahead log {path.name}-wal is there")
            return
        if not path.is_file():
            raise JournalForeign(f"{path} is not a file: name the journal's file, for example {path / 'journal.db'}.")
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
        if header[:16] == _SQLITE_MAGIC and int.from_bytes(header[68:72]) == APPLICATION_ID:
            return
        if _part(path, ".lock").exists():
            raise damaged(path, "its header is not a journal's" if header else "it is empty (0 bytes)")
    raise JournalForeign(f"{path} is not a Gameline journal: name another file, and leave this one to its owner.")


@contextlib.contextmanager
def _owned(path: Path) -> Iterator[None]:
    """Hold the OS lock of the journal at `path`."""
    with translated(path):
        lock = os.open(_part(path, ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise JournalBusy(
                f"The journal {path} is in use by another Gameline (process {owner}): stop that one first."
            ) from error
        with translated(path):
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
        yield
    finally:
        os.close(lock)


def owner_of(path: Path) -> int | None:
    """The process that has the journal at `path`, 0 where it does not say which; None: nobody has it.

    Raises:
        JournalReadOnly: this user may not look.
    """
    lock = _part(path, ".lock")
    if not _is_there(lock):
        return None
    with translated(path):
        descriptor = os.open(lock, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).strip()
        return int(owner) if owner.isdigit() else 0
    finally:
        os.close(descriptor)
    return None


@contextlib.contextmanager
def held(path: Path) -> Iterator[JournalError | None]:
    """Keep every table off the journal at `path`, and say what is wrong with it, or None; it is only looked at.

    A place without a lock is no table's yet and is not held: a lock made here would belong to whoever looks, and a
    service of another user could not take it.

    Raises:
        JournalBusy: a table has it.
        JournalReadOnly: this user may not take its lock, so nobody knows whether a table has it.
    """
    with contextlib.ExitStack() as stack:
        if _is_there(_part(path, ".lock")):
            stack.enter_context(_owned(path))
        yield _wrong_with(path)


def file_at(path: Path) -> tuple[int, int]:
    """Which file has this name now: its device, and its number there. Raises: FileNotFoundError."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _is_there(path: Path) -> bool:
    """Whether it is; a folder that may not be looked into is no answer, and `exists` takes it for one."""
    with translated(path):
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True


def _wrong_with(path: Path) -> JournalError | None:
    """What keeps a table from the journal that it would find, also half of one; None also where there is none."""
    try:
        _require_ours(path)
        if path.exists():
            with contextlib.closing(_connect(path)) as db:
                checked(db, path)
    except JournalError as error:
        return error
    return None


def _create(path: Path) -> None:
    """Make an empty journal beside and rename it into place: a power cut leaves a whole journal or none."""
    making = _part(path, ".new")
    with translated(path):
        for ending in (*_PARTS, "-journal"):
            _part(making, ending).unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(making, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
        descriptor = os.open(making, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        making.rename(path)
        _sync_directory(path.parent)


def _connect(path: Path) -> sqlite3.Connection:
    with translated(path):
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=BUSY_S)
        try:
            version = int(db.execute("PRAGMA user_version").fetchone()[0])
            if version > FORMAT:
                raise JournalNewer(
                    f"The journal {path} has format {version}, and this Gameline knows up to {FORMAT}: "
                    "install the newer Gameline again, or name another file."
                )
            if version != FORMAT:
                raise damaged(path, f"its format is {version}, expected {FORMAT}")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("DELETE FROM cursors WHERE 0")  # a file that may only be read says so now, not during a game
        except BaseException:
            db.close()
            raise
    return db


def checked(db: sqlite3.Connection, path: Path) -> int:
    """The last sequence of a journal that is whole: SQLite's own check, no gap, every entry as it was written.

    Raises:
        JournalDamaged: it is not.
    """
    with translated(path):
        (finding,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        if finding != "ok":
            raise damaged(path, f"SQLite's check says: {' '.join(finding.split())}")
        last = 0
        for *row, crc32 in db.execute(f"SELECT {_COLUMNS}, crc32 FROM entries ORDER BY sequence"):
            last += 1
            if row[0] != last or _crc32(row) != crc32:
                raise damaged(path, f"entry {last} is missing or not as it was written")
    return last


def kept_in(path: Path) -> tuple[Entry, ...]:
    """Every entry of the journal at `path`, which may be in use by a running table; nothing is changed.

    Raises:
        JournalError: one of its family; an entry that is missing or not as it was written among them.
    """
    if not path.exists():
        raise JournalForeign(f"There is no journal at {path}: check the name.")
    _require_ours(path)
    with translated(path):
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_S)) as db:
            rows = db.execute(f"SELECT {_COLUMNS}, crc32 FROM entries ORDER BY sequence").fetchall()
    for number, (*row, crc32) in enumerate(rows, start=1):
        if row[0] != number or _crc32(row) != crc32:
            raise damaged(path, f"entry {number} is missing or not as it was written")
    return tuple(_entry(row[:-1]) for row in rows)


# --- rows -------------------------------------------------------------------------------------------------------------


def _crc32(row: Sequence[Any]) -> int:
    """SQLite's check sees broken pages; this sees a flipped bit inside an entry."""
    return zlib.crc32("\x1f".join(map(str, row)).encode())


def _entry(row: Sequence[Any]) -> Entry:
    sequence, mono_ns, boot_id, wall_utc, synchronised, kind, body = row
    return Entry(sequence, mono_ns, boot_id, wall_utc, bool(synchronised), kind, msgspec.json.decode(body))


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
