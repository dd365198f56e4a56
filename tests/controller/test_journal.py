"""The journal on real files and against real processes: killed, starved of room, damaged, and opened twice."""

import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from controller import journal as journal_module
from controller.journal import (
    ANSWERS_KEPT,
    Answered,
    Draft,
    Entry,
    Journal,
    JournalBusy,
    JournalDamaged,
    JournalForeign,
    JournalFull,
    JournalNewer,
    JournalReadOnly,
)
from tests.chaos.disk_faults import failing_writes

PROJECT = Path(journal_module.__file__).parents[1]
NOBODY = 65534
WALL = "2031-05-04T10:00:00Z"


def opened(path: Path, boot_id: str = "boot-1") -> Journal:
    """The journal at `path`, as the program would open it."""
    return Journal(path, boot_id=boot_id, wall_utc=lambda: WALL, clock_synchronised=lambda: False)


def played(number: int) -> Draft:
    """An event like the table's."""
    return Draft("played", 1_000 * number, {"tile": [6, number % 7], "note": f"play {number}"})


def filled(path: Path, count: int) -> None:
    """Leave a closed journal of `count` entries, each with its own commit."""
    with opened(path) as journal:
        for number in range(count):
            journal.append([played(number)])


def child(program: str, *arguments: str) -> "subprocess.Popen[str]":
    """A process of its own that runs `program` with the journal imported."""
    opening = """
        import sys
        from pathlib import Path
        from controller.journal import *
        def opened(path):
            return Journal(Path(path), boot_id="boot-c", wall_utc=lambda: "w", clock_synchronised=lambda: True)
    """
    source = textwrap.dedent(opening) + textwrap.dedent(program)
    return subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def corrupt(path: Path, offset: int, data: bytes) -> None:
    """Overwrite part of a file."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


@contextlib.contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """Take away the right to write in a directory; as root, whom no mode stops, be nobody meanwhile."""
    directory.chmod(0o555)
    person = os.geteuid()
    if person == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(person)
        directory.chmod(0o755)


# --- writing and reading ----------------------------------------------------------------------------------------------


def test_journal_gives_back_what_was_appended(tmp_path: Path) -> None:
    """What was appended is read back in order, with its time, boot, label and body, also after a restart."""
    path = tmp_path / "journal.db"
    with opened(path) as journal:
        assert journal.created
        assert journal.last_sequence == 0
        written = journal.append([played(1), Draft("passed", 7, {"seat": 2, "ratio": 0.5, "proof": None})])
        assert list(journal.entries()) == list(written)
    with opened(path, "boot-2") as journal:
        assert not journal.created
        more = journal.append([played(3)])
        assert list(journal.entries()) == [*written, *more]
        assert [entry.sequence for entry in journal.entries()] == [1, 2, 3] == [*range(1, journal.last_sequence + 1)]
        assert [entry.boot_id for entry in journal.entries()] == ["boot-1", "boot-1", "boot-2"]
        assert (written[1].type, written[1].mono_ns, written[1].wall_utc) == ("passed", 7, WALL)
        assert written[1].clock_synchronised is False
        assert written[1].body == {"seat": 2, "ratio": 0.5, "proof": None}


def test_journal_entries_can_be_read_from_a_place_and_in_portions(tmp_path: Path) -> None:
    """A reader asks for what comes after a sequence and for so many at the most; large journals come in portions."""
    with opened(tmp_path / "journal.db") as journal:
        journal.append([played(number) for number in range(600)])
        assert [entry.sequence for entry in journal.entries(after=590)] == [*range(591, 601)]
        assert [entry.sequence for entry in journal.entries(after=10, limit=3)] == [11, 12, 13]
        assert [entry.sequence for entry in journal.entries(limit=300)] == [*range(1, 301)]
        assert list(journal.entries(after=600)) == []
        assert list(journal.entries(limit=0)) == []


def test_journal_can_be_appended_to_while_it_is_read(tmp_path: Path) -> None:
    """A reader half way through does not hinder an append, and the append does not disturb the reader."""
    with opened(tmp_path / "journal.db") as journal:
        journal.append([played(number) for number in range(5)])
        reader = journal.entries()
        first = next(reader)
        journal.append([played(6)])
        assert [first.sequence, *(entry.sequence for entry in reader)][:5] == [1, 2, 3, 4, 5]


def answer(number: int, text: str = "") -> Answered:
    """An answer to an order of one client's."""
    return Answered("tablet", f"o{number}", text or f"answer {number}")


def test_answer_is_kept_with_the_entries_it_is_about(tmp_path: Path) -> None:
    """In one transaction: where the entries are, the answer is, and where one fails there is neither."""
    path = tmp_path / "journal.db"

    def told(entries: Sequence[Entry]) -> Answered:
        return answer(1, f"caused {[entry.sequence for entry in entries]}")

    def failing(entries: Sequence[Entry]) -> Answered:
        raise RuntimeError("no answer")

    with opened(path) as journal:
        journal.append([played(1)])
        journal.append([played(2), played(3)], told)
        with pytest.raises(RuntimeError):
            journal.append([played(4)], failing)
        assert (journal.last_sequence, len(list(journal.entries()))) == (3, 3)
        assert journal.append((), lambda entries: answer(2)) == ()
    with opened(path) as journal:
        assert journal.answers() == (answer(1, "caused [2, 3]"), answer(2))
        assert journal.last_sequence == 3


def test_no_more_answers_are_kept_than_can_be_asked_for(tmp_path: Path) -> None:
    """The oldest go; an order answered anew keeps the newest word."""
    with opened(tmp_path / "journal.db") as journal:
        for number in range(ANSWERS_KEPT + 5):
            journal.append((), lambda entries, number=number: answer(number))  # type: ignore[misc]
        journal.append((), lambda entries: answer(7, "anew"))
        kept = journal.answers()
    assert len(kept) == ANSWERS_KEPT - 1
    assert (kept[0], kept[-1]) == (answer(6), answer(7, "anew"))


def test_journal_from_before_answers_were_kept_keeps_them_from_now_on(tmp_path: Path) -> None:
    """It is opened as it is, and nothing else in it is changed."""
    path = tmp_path / "journal.db"
    filled(path, 3)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE answers")
    with opened(path) as journal:
        assert (journal.answers(), journal.last_sequence) == ((), 3)
        journal.append([played(4)], lambda entries: answer(1))
        assert journal.answers() == (answer(1),)


def test_append_of_nothing_writes_nothing(tmp_path: Path) -> None:
    """An empty decision leaves no entry."""
    with opened(tmp_path / "journal.db") as journal:
        assert journal.append([]) == ()
        assert journal.last_sequence == 0


def test_append_is_all_or_nothing_when_a_body_is_not_json(tmp_path: Path) -> None:
    """A draft that JSON cannot carry is our mistake, and no draft of its append is kept."""
    with opened(tmp_path / "journal.db") as journal:
        with pytest.raises(TypeError):
            journal.append([played(1), Draft("played", 2, {"what": object()})])
        assert list(journal.entries()) == []
        assert journal.append([played(1)])[0].sequence == 1


def test_cursor_is_remembered_over_a_restart(tmp_path: Path) -> None:
    """Each reader has its own place, zero at first, kept in the journal's own file."""
    path = tmp_path / "journal.db"
    with opened(path) as journal:
        assert journal.cursor("mqtt") == 0
        journal.set_cursor("mqtt", 4)
        journal.set_cursor("mqtt", 9)
        journal.set_cursor("printer", 2)
    with opened(path) as journal:
        assert (journal.cursor("mqtt"), journal.cursor("printer"), journal.cursor("other")) == (9, 2, 0)


def test_commits_are_synced_to_the_medium(tmp_path: Path) -> None:
    """The file is in WAL mode and every append is synced in full, also after a cursor was moved."""
    with opened(tmp_path / "journal.db") as journal:
        journal.set_cursor("mqtt", 1)
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}' WHERE sequence = 2",
        "DELETE FROM entries WHERE sequence = 3",
        "INSERT OR REPLACE INTO entries VALUES (2, 0, 'b', 'w', 1, 't', '{}', 0)",
        "INSERT INTO entries VALUES (5, 0, 'b', 'w', 1, 't', '{}', 0)",
    ],
)
def test_entries_cannot_be_changed_by_anyone(tmp_path: Path, statement: str) -> None:
    """The database itself refuses to change, remove, replace or skip an entry, whoever asks."""
    path = tmp_path / "journal.db"
    filled(path, 3)
    with contextlib.closing(sqlite3.connect(path)) as stranger, pytest.raises(sqlite3.IntegrityError, match="journal"):
        stranger.execute(statement)
    with opened(path) as journal:
        assert journal.last_sequence == 3


def test_journal_belongs_to_one_thread(tmp_path: Path) -> None:
    """An append from another thread than the loop's is refused as the programming mistake it is."""
    caught: list[Exception] = []
    with opened(tmp_path / "journal.db") as journal:

        def intrude() -> None:
            try:
                journal.append([played(1)])
            except sqlite3.ProgrammingError as error:
                caught.append(error)

        thread = threading.Thread(target=intrude)
        thread.start()
        thread.join()
        assert len(caught) == 1
        assert journal.append([played(1)])[0].sequence == 1


def test_close_twice_is_safe(tmp_path: Path) -> None:
    """Closing again does nothing, and the journal can be opened again at once."""
    journal = opened(tmp_path / "journal.db")
    journal.close()
    journal.close()
    opened(tmp_path / "journal.db").close()


# --- death ------------------------------------------------------------------------------------------------------------


def test_journal_keeps_every_acknowledged_entry_when_its_writer_is_killed(tmp_path: Path) -> None:
    """Twenty times killed at any moment: every acknowledged entry is there once, with no gap, and the journal opens."""
    path = tmp_path / "journal.db"
    chance = random.Random(11)
    acknowledged = 0
    for _ in range(20):
        with child(
            """
            journal = opened(sys.argv[1])
            size = 0
            while True:
                size = size % 3 + 1
                for entry in journal.append([Draft("played", 1, {"filling": "x" * 900})] * size):
                    print(entry.sequence, flush=True)
                journal.set_cursor("mqtt", journal.last_sequence)
            """,
            str(path),
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline()
            threading.Event().wait(chance.uniform(0.0, 0.03))
            writer.send_signal(signal.SIGKILL)
            acknowledged = max([acknowledged, *(int(line) for line in writer.stdout if line.endswith("\n"))])
        with opened(path) as journal:
            assert [entry.sequence for entry in journal.entries()] == [*range(1, journal.last_sequence + 1)]
            assert journal.last_sequence >= acknowledged > 0
            assert journal.cursor("mqtt") <= journal.last_sequence
            acknowledged = journal.last_sequence


def test_journal_is_free_again_when_its_owner_is_killed(tmp_path: Path) -> None:
    """While one process owns the journal another is told which; when it is killed the journal is free at once."""
    path = tmp_path / "journal.db"
    with child("journal = opened(sys.argv[1]); print('mine', flush=True); sys.stdin.read()", str(path)) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "mine\n"
        with pytest.raises(JournalBusy, match=rf"in use by another Gameline \(process {owner.pid}\): stop that one"):
            opened(path)
        with pytest.raises(JournalBusy):
            Journal.set_aside(path)
        owner.kill()
        owner.wait()
        with opened(path) as journal:
            assert journal.append([played(1)])[0].sequence == 1


def test_journal_says_when_another_program_locks_the_database(tmp_path: Path) -> None:
    """A tool that holds a write transaction is named as the hindrance, and afterwards the append goes through."""
    path = tmp_path / "journal.db"
    with opened(path) as journal, contextlib.closing(sqlite3.connect(path, isolation_level=None)) as tool:
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusy, match="close it, then try again"):
            journal.append([played(1)])
        tool.execute("ROLLBACK")
        assert journal.append([played(1)])[0].sequence == 1


# --- no room, no permission -------------------------------------------------------------------------------------------

STARVED = """
    import resource
    journal = opened(sys.argv[1])
    journal.append([Draft("played", 1, {"n": 0})] * 3)
    before = journal.last_sequence
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, room[1]))
    try:
        while True:
            journal.append([Draft("played", 1, {"filling": "x" * 2000})] * 3)
            before = journal.last_sequence
    except JournalFull as error:
        print(error)
    assert journal.last_sequence == before == len(list(journal.entries()))
    try:
        journal.append([Draft("played", 1, {"filling": "x" * 2000})] * 3)
    except JournalFull:
        print("still full")
    resource.setrlimit(resource.RLIMIT_FSIZE, room)
    print(journal.append([Draft("played", 1, {})])[0].sequence - before)
    print(len(list(journal.entries())) - before)
"""


def test_failed_append_leaves_nothing_and_the_journal_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """At the limit of a quota the append fails as a whole with one sentence; with room again the next one succeeds."""
    path = tmp_path / "journal.db"
    with child(STARVED, str(path)) as writer:
        output, _ = writer.communicate(timeout=30)
    sentence, again, appended, counted = output.splitlines()
    assert sentence.startswith(f"No room to write the journal {path} (")
    assert sentence.endswith("free some space on its disk, then try again.")
    assert (again, appended, counted, writer.returncode) == ("still full", "1", "1", 0)
    with opened(path) as journal:
        assert [entry.sequence for entry in journal.entries()] == [*range(1, journal.last_sequence + 1)]


FAILING = """
    journal = opened(sys.argv[1])
    journal.append([Draft("played", 1, {"n": 0})])
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        journal.append([Draft("played", 2, {"n": 1})])
    except JournalError as error:
        print(type(error).__name__, error, flush=True)
    sys.stdin.readline()
    print(journal.append([Draft("played", 2, {"n": 1})])[0].sequence)
"""


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        ("ENOSPC", "JournalFull", "free some space on its disk"),
        ("EDQUOT", "JournalFull", "free some space on its disk"),
        ("EROFS", "JournalReadOnly", "make its directory and file writable"),
        ("EIO", "JournalStorage", "check its card or disk"),
    ],
)
def test_failed_write_says_whether_the_disk_is_full_read_only_or_broken(
    tmp_path: Path, error: str, kind: str, said: str
) -> None:
    """strace fails every write and sync in this way; SQLite keeps most of it to itself, the sentence does not."""
    with child(FAILING, str(tmp_path / "journal.db")) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        with failing_writes(writer.pid, error):
            writer.stdin.write("\n")
            writer.stdin.flush()
            sentence = writer.stdout.readline()
        appended, _ = writer.communicate("\n", timeout=30)
    assert (sentence.split()[0], said in sentence, appended) == (kind, True, "2\n")
    assert not (tmp_path / "journal.db.probe").exists()


def test_new_journal_without_room_leaves_no_half_journal(tmp_path: Path) -> None:
    """When there is no room even for an empty journal the sentence says so, and with room the start succeeds."""
    path = tmp_path / "journal.db"
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, room[1]))
    try:
        with pytest.raises(JournalFull, match="free some space"):
            opened(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, room)
    assert not path.exists()
    with opened(path) as journal:
        assert journal.created


def test_journal_in_a_read_only_place_says_so() -> None:
    """A journal that cannot be written is refused at the start, not in the middle of a game."""
    with tempfile.TemporaryDirectory() as place:  # pytest's own directories are closed to nobody
        directory = Path(place)
        filled(directory / "journal.db", 2)
        with read_only(directory):
            with pytest.raises(JournalReadOnly, match="make its directory and file writable"):
                opened(directory / "journal.db")
            with pytest.raises(JournalReadOnly):
                opened(directory / "new.db")
            with pytest.raises(JournalReadOnly):
                Journal.set_aside(directory / "journal.db")
        with opened(directory / "journal.db") as journal:
            assert journal.last_sequence == 2


def test_journal_file_that_may_not_be_written_says_so() -> None:
    """A journal that we may read but not write is refused at the start as well, though its directory is open to us."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "journal.db"
        filled(path, 2)
        path.with_name("journal.db.lock").chmod(0o666)
        path.chmod(0o444)
        Path(place).chmod(0o777)
        person = os.geteuid()
        if person == 0:
            os.seteuid(NOBODY)
        try:
            with pytest.raises(JournalReadOnly, match="readonly database"):
                opened(path)
        finally:
            os.seteuid(person)


def test_journal_where_no_file_can_be_made_says_so() -> None:
    """A place of the kernel's own that takes no files, even from root, gives the same sentence."""
    with pytest.raises(JournalReadOnly, match="cannot be written"):
        opened(Path("/proc/self/journal.db"))


# --- what lies at the path --------------------------------------------------------------------------------------------


def test_journal_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    """A directory, a pipe, a missing directory and a path below a file are each refused with what to name instead."""
    with pytest.raises(JournalForeign, match="is not a file: name the journal's file"):
        opened(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalForeign, match="is not a file"):
        opened(tmp_path / "pipe")
    with pytest.raises(JournalForeign, match=r"directory .* is not there"):
        opened(tmp_path / "absent" / "journal.db")
    (tmp_path / "file").write_text("text")
    with pytest.raises(JournalForeign, match=r"directory .* is not there"):
        opened(tmp_path / "file" / "journal.db")


def test_file_of_another_program_is_never_touched(tmp_path: Path) -> None:
    """A text, an empty file and a foreign database are refused twice over and stay as they were."""
    text, empty, foreign = tmp_path / "notes.txt", tmp_path / "empty", tmp_path / "photos.db"
    text.write_text("bread, milk\n" * 100)
    empty.touch()
    with contextlib.closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE photos (name TEXT)")
    before = [path.read_bytes() for path in (text, empty, foreign)]
    for path in (text, empty, foreign) * 2:
        with pytest.raises(JournalForeign, match="is not a Gameline journal: name another file"):
            opened(path)
    assert [path.read_bytes() for path in (text, empty, foreign)] == before
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "empty", "photos.db"}


def test_journal_of_a_newer_version_is_refused_unchanged(tmp_path: Path) -> None:
    """An older program never opens a newer journal, and the newer program finds it as it left it."""
    path = tmp_path / "journal.db"
    filled(path, 3)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    with pytest.raises(JournalNewer, match="has format 7, and this Gameline knows up to 1: install the newer"):
        opened(path)
    assert path.read_bytes() == before


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 50, 4096, 9000])
def test_truncated_journal_is_found_at_start(tmp_path: Path, size: int) -> None:
    """A journal cut short anywhere is called damaged and never taken for an empty one."""
    path = tmp_path / "journal.db"
    filled(path, 200)
    os.truncate(path, size)
    with pytest.raises(JournalDamaged, match=r"is damaged \(.*\): copy it away for repair or set it aside"):
        opened(path)
    assert path.stat().st_size == size


@pytest.mark.parametrize("page", [0, 1, 2, 3, 5, 7])
def test_overwritten_page_is_found_at_start(tmp_path: Path, page: int) -> None:
    """A page full of rubbish is found whichever it is: header, cursors or entries."""
    path = tmp_path / "journal.db"
    filled(path, 300)
    assert path.stat().st_size > 8 * 4096
    corrupt(path, page * 4096, random.Random(page).randbytes(4096))
    with pytest.raises(JournalDamaged):
        opened(path)


def test_flipped_bit_inside_an_entry_is_found_at_start(tmp_path: Path) -> None:
    """A single wrong letter in a body, which SQLite itself cannot notice, is found and its entry named."""
    path = tmp_path / "journal.db"
    filled(path, 50)
    place = path.read_bytes().index(b'"play 17"')
    corrupt(path, place, b'"play 77"')
    with pytest.raises(JournalDamaged, match="entry 18 is missing or not as it was written"):
        opened(path)


def test_entry_removed_behind_our_back_is_found_at_start(tmp_path: Path) -> None:
    """Whoever drops the guards and removes an entry leaves a gap that the start finds."""
    path = tmp_path / "journal.db"
    filled(path, 5)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TRIGGER entries_kept")
        database.execute("DELETE FROM entries WHERE sequence = 3")
    with pytest.raises(JournalDamaged, match="entry 3 is missing"):
        opened(path)


def test_journal_lost_beside_its_log_is_damage_not_a_fresh_start(tmp_path: Path) -> None:
    """When the main file is gone but its write-ahead log remains, nothing begins anew by itself."""
    path = tmp_path / "journal.db"
    filled(path, 1)
    path.rename(tmp_path / "journal.db-wal")
    with pytest.raises(JournalDamaged, match="it is missing, but its write-ahead log"):
        opened(path)


def test_damage_found_while_reading_is_said(tmp_path: Path) -> None:
    """An entry that goes bad while the journal is open is refused when it is read."""
    path = tmp_path / "journal.db"
    with opened(path) as journal:
        journal.append([played(1), played(2)])
        journal._db.execute("DROP TRIGGER entries_unchanged")
        journal._db.execute("UPDATE entries SET type = 'passed' WHERE sequence = 2")
        reader = journal.entries()
        assert next(reader).sequence == 1
        with pytest.raises(JournalDamaged, match="entry 2"):
            next(reader)


def test_set_aside_keeps_the_damaged_journal_and_makes_room_for_a_new_one(tmp_path: Path) -> None:
    """Set aside, the damaged file and its log lie beside under a name with the time, and a new journal begins."""
    path = tmp_path / "journal.db"
    with opened(path) as journal:
        journal.append([played(1)])
        shutil.copy(tmp_path / "journal.db-wal", tmp_path / "kept-wal")
    shutil.copy(tmp_path / "kept-wal", tmp_path / "journal.db-wal")
    corrupt(path, 0, b"rubbish")
    damaged = path.read_bytes()
    with pytest.raises(JournalDamaged):
        opened(path)
    kept = Journal.set_aside(path)
    assert kept.name.startswith(f"journal.db.damaged-{time.strftime('%Y', time.gmtime())}")
    assert kept.read_bytes() == damaged
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == (tmp_path / "kept-wal").read_bytes()
    with opened(path) as journal:
        assert journal.created
        assert list(journal.entries()) == []
    other = Journal.set_aside(path)
    assert other != kept
    assert kept.read_bytes() == damaged


def test_set_aside_of_nothing_is_refused(tmp_path: Path) -> None:
    """Where there is no journal nothing is moved, and the sentence says so."""
    with pytest.raises(JournalForeign, match="There is no journal"):
        Journal.set_aside(tmp_path / "journal.db")
    assert list(tmp_path.iterdir()) == []
