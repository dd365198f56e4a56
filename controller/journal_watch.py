"""Whether the journal on the disk is still as it was written, looked at while it is in use; who writes is journal.py.

The connection that writes has pages in its memory that are right whatever has become of the file, so each look has a
connection of its own, which reads only. Nothing here opens the file but SQLite: with a descriptor of ours the process
would lose, on closing it, the locks that SQLite has on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable

from controller.faults import Trouble
from controller.journal import BUSY_S, Journal, JournalDamaged, JournalError, JournalStorage, checked, file_at
from controller.journal_errors import damaged, translated

LOOK_NS = 5_000_000_000
"""Between two looks at the pages: 6 ms for 10,000 entries, outside Python's lock."""
READ_NS = 60_000_000_000
"""Between two readings of every entry, at rest alone: 46 ms for 10,000, which the loop has to share Python with."""


class JournalWatch:
    """Looks at a journal in use now and then; the look itself is another thread's work.

    Args:
        journal: the open one.
        aside: has something done in another thread, soon; never blocks.
        clock_ns: a monotonic clock.
    """

    def __init__(
        self, journal: Journal, *, aside: Callable[[Callable[[], None]], None], clock_ns: Callable[[], int]
    ) -> None:
        self._journal = journal
        self._aside = aside
        self._clock_ns = clock_ns
        self._looked_ns = self._read_ns = clock_ns()  # who opened it has read all of it
        self._is_looking = False
        self._trouble: Trouble | None = None
        self._is_in_entries = False

    @property
    def trouble(self) -> Trouble | None:
        """What was found; None while the journal is whole as far as anybody has looked."""
        return self._trouble

    def turn(self, *, is_at_rest: bool) -> None:
        """Have it looked at where it is time; called only from the loop.

        Args:
            is_at_rest: whether no player's clock runs, so that every entry may be read too.
        """
        now_ns = self._clock_ns()
        if self._is_looking or now_ns - self._looked_ns < LOOK_NS:
            return
        self._looked_ns, self._is_looking = now_ns, True
        is_reading = is_at_rest and (self._is_in_entries or now_ns - self._read_ns >= READ_NS)
        if is_reading:
            self._read_ns = now_ns
        committed = self._journal.last_sequence
        self._aside(lambda: self._look(committed, is_reading=is_reading))

    def _look(self, committed: int, *, is_reading: bool) -> None:
        """In the other thread."""
        try:
            inspect(self._journal, committed, is_reading=is_reading)
            if is_reading or not self._is_in_entries:  # a look at the pages alone does not see that an entry is well
                self._trouble, self._is_in_entries = None, False
        except (JournalDamaged, JournalStorage) as error:
            self._trouble, self._is_in_entries = Trouble(error.code, str(error)), is_reading
        except JournalError:
            pass  # it could not be looked at; what keeps us from it the next commit says
        finally:
            self._is_looking = False


def inspect(journal: Journal, committed: int, *, is_reading: bool) -> None:
    """Look at the file of a journal that is open in this process, from any thread.

    Args:
        committed: the sequence that it had when the look was asked for.
        is_reading: whether every entry is read; otherwise only the pages' own order is looked at.

    Raises:
        JournalDamaged: it is not as it was written, or no longer there.
        JournalError: it could not be looked at.
    """
    path = journal.path
    with translated(path):
        try:
            is_same, is_empty = file_at(path) == journal.file, path.stat().st_size == 0
        except FileNotFoundError:
            raise damaged(path, "its file is gone while the service writes to it") from None
        if not is_same:
            raise damaged(path, "another file lies in its place while the service writes to the old one")
        if is_empty:  # SQLite would take the log of an empty file for a forgotten one, and delete it
            raise damaged(path, "it is empty (0 bytes)")
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_S)) as db:
            if is_reading:
                last = checked(db, path)
            else:
                (finding,) = db.execute("PRAGMA quick_check(1)").fetchone()
                if finding != "ok":
                    raise damaged(path, f"SQLite's check says: {' '.join(finding.split())}")
                (last,) = db.execute("SELECT coalesce(max(sequence), 0) FROM entries").fetchone()
    if last < committed:
        raise damaged(path, f"its last entry is {last}, and {committed} were written")
