"""What can go wrong with the journal, each as one sentence that says what to do; nothing here opens or mends one."""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

PROBE_BYTES = 4096  # a page of the journal


class JournalError(RuntimeError):
    """Something about the journal; the message says what, and what to do."""

    code: ClassVar[str]
    """As `controller.health.CODES` has it."""


class JournalForeign(JournalError):
    """What lies at the path is not a journal of ours, or the path cannot hold one."""

    code = "journal_foreign"


class JournalDamaged(JournalError):
    """The journal is broken; nothing is lost by looking, and only `Journal.set_aside` moves it."""

    code = "journal_damaged"


class JournalNewer(JournalError):
    """A newer Gameline wrote the journal."""

    code = "journal_newer"


class JournalReadOnly(JournalError):
    """The place does not let us write."""

    code = "disk_read_only"


class JournalFull(JournalError):
    """A write found no room; the journal is as before and usable again when there is room."""

    code = "disk_full"


class JournalBusy(JournalError):
    """Another process owns the journal."""

    code = "journal_busy"


class JournalStorage(JournalError):
    """The medium failed to read, write or sync."""

    code = "disk_fails"


def damaged(path: Path, finding: str) -> JournalDamaged:
    """The error for a journal that is not whole."""
    return JournalDamaged(
        f"The journal {path} is damaged ({finding}): copy it away for repair or set it aside, then start again."
    )


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite and of the file system into ours."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise  # our own mistake: a closed journal, a foreign thread, a gap
    except sqlite3.Error as error:
        raise _from_sqlite(error, path) from error
    except OSError as error:
        raise _from_os(error, path) from error


def _from_sqlite(error: sqlite3.Error, path: Path) -> JournalError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # it has none for text that is no UTF-8
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return _full(path, error)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return _read_only(path, error)
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return JournalBusy(f"Another program holds the journal {path} locked ({error}): close it, then try again.")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
        return damaged(path, str(error))
    if primary == sqlite3.SQLITE_IOERR and (why := _why_unwritten(path)) is not None:
        return _from_os(why, path)
    return JournalStorage(
        f"The storage under the journal {path} failed ({error}, {getattr(error, 'sqlite_errorname', 'no name')}): "
        "check its card or disk, and replace it if this comes again."
    )


def _why_unwritten(path: Path) -> OSError | None:
    """SQLite tells only that something failed: the kernel says why of a file that would be as long as the log is."""
    probe = path.with_name(f"{path.name}.probe")
    try:
        log = path.with_name(f"{path.name}-wal")
        end = log.stat().st_size if log.exists() else 0
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            if os.pwrite(descriptor, bytes(PROBE_BYTES), end) < PROBE_BYTES:
                return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as why:
        return why
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return None


def _from_os(error: OSError, path: Path) -> JournalError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _full(path, error)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
        return _read_only(path, error)
    return JournalStorage(f"The storage under the journal {path} failed ({error}): check its card or disk.")


def _full(path: Path, error: Exception) -> JournalFull:
    return JournalFull(f"No room to write the journal {path} ({error}): free some space on its disk, then try again.")


def _read_only(path: Path, error: Exception) -> JournalReadOnly:
    return JournalReadOnly(
        f"The journal {path} cannot be written ({error}): make its directory and file writable, or name another place."
    )
