"""A journal that something else damages while it is in use: real files, and another process that does the harm."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.codec import body_of, type_name
from controller.game import events as ev
from controller.game.tiles import MonoNs
from controller.health import CODES
from controller.journal import Draft, Journal, JournalDamaged
from controller.journal_watch import LOOK_NS, READ_NS, JournalWatch
from controller.mosquitto import Mosquitto
from tests.controller.engine_parts import Time
from tests.controller.live_service import ROOT, Display, config_in, film_in
from tests.controller.test_engine import make_table, start

PAGE_BYTES = 4096
ENTRIES = 300


def opened(path: Path) -> Journal:
    """The journal at `path`, as the service opens it."""
    return Journal(path, boot_id="boot", wall_utc=lambda: "2031-05-04T10:00:00Z", clock_synchronised=lambda: True)


def filled(path: Path) -> Path:
    """A closed journal of 25 pages, all of it in the one file."""
    with opened(path) as journal:
        for number in range(ENTRIES):
            event = ev.Refused(MonoNs(number), "Pass", ev.Reason.NO_GAME, None, f"entry {number} {'x' * 200}")
            journal.append([Draft(type_name(ev.Refused), number, body_of(event))])
    return path


def elsewhere(program: str, *arguments: object) -> None:
    """Have another process do it: one of ours that closed the file would drop the locks that SQLite has on it."""
    done = [sys.executable, "-c", f"import os, sqlite3, sys; path = sys.argv[1]; {program}", *map(str, arguments)]
    subprocess.run(done, check=True)


def overwrite(path: Path) -> None:
    """A page in the middle holds something else."""
    elsewhere("f = open(path, 'r+b'); f.seek(int(sys.argv[2])); f.write(os.urandom(4096))", path, 10 * PAGE_BYTES)


def cut_short(path: Path) -> None:
    """The second half of the file is missing."""
    elsewhere("os.truncate(path, os.path.getsize(path) // 2)", path)


def empty(path: Path) -> None:
    """Nothing of the file is left but the log beside it."""
    elsewhere("os.truncate(path, 0)", path)


def take_away(path: Path) -> None:
    """Somebody has deleted it; the service writes into a file without a name."""
    path.unlink()


def put_another(path: Path) -> None:
    """Somebody has put a copy in its place."""
    copy = path.with_name("copy")
    elsewhere("open(sys.argv[2], 'wb').write(open(path, 'rb').read())", path, copy)
    copy.replace(path)


def flip(path: Path) -> None:
    """One letter inside an entry; its page is in order."""
    program = "data = open(path, 'rb').read(); f = open(path, 'r+b'); f.seek(data.index(b'entry 100 ')); f.write(b'E')"
    elsewhere(program, path)


@dataclass
class Watched:
    """An open journal under a watch whose looks are taken at once."""

    journal: Journal
    time: Time = field(default_factory=Time)

    def __post_init__(self) -> None:
        self.watch = JournalWatch(self.journal, aside=lambda do: do(), clock_ns=self.time)

    def after(self, wait_ns: int, *, is_at_rest: bool = False) -> str | None:
        """The code that it tells after a turn that comes so much later, with a sentence that says what to do."""
        self.time.now_ns += wait_ns
        self.watch.turn(is_at_rest=is_at_rest)
        trouble = self.watch.trouble
        if trouble is None:
            return None
        assert str(self.journal.path) in trouble.text
        assert "set it aside, then start again" in trouble.text
        return trouble.code


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "journal.sqlite")


@pytest.fixture
def watched(path: Path) -> Iterator[Watched]:
    with opened(path) as journal:
        yield Watched(journal)


@pytest.mark.parametrize("harm", [overwrite, cut_short, empty, take_away, put_another])
def test_harm_to_the_file_is_told_in_the_middle_of_a_set(
    watched: Watched, path: Path, harm: Callable[[Path], None]
) -> None:
    """Whole until then; from the next look on it is damaged, whether or not anybody has written in between."""
    assert watched.after(LOOK_NS) is None
    harm(path)
    assert watched.after(LOOK_NS - 1) is None
    assert watched.after(1) == "journal_damaged"
    assert path.with_name(f"{path.name}-wal").exists()
    with suppress(JournalDamaged):  # of a file that was cut short the page may be missing to which it would be added
        watched.journal.append([Draft("resumed", 1, {})])
    assert watched.after(LOOK_NS) == "journal_damaged"


def test_changed_letter_in_an_entry_is_told_at_rest(watched: Watched, path: Path) -> None:
    """Every entry is read while no clock runs, and what was found stays until it has been read again."""
    flip(path)
    assert watched.after(READ_NS) is None
    assert watched.after(LOOK_NS, is_at_rest=True) == "journal_damaged"
    assert watched.after(LOOK_NS) == "journal_damaged"


def test_harm_that_is_mended_is_told_no_more(watched: Watched, path: Path) -> None:
    """Whoever puts the page back hears that all is well; a page that is written anew mends itself."""
    elsewhere("open(path + '.copy', 'wb').write(open(path, 'rb').read())", path)
    for harm in (overwrite, flip):
        harm(path)
        assert watched.after(READ_NS, is_at_rest=True) == "journal_damaged"
        elsewhere("data = open(path + '.copy', 'rb').read(); open(path, 'r+b').write(data)", path)
        assert watched.after(LOOK_NS, is_at_rest=True) is None


def test_look_leaves_the_locks_of_the_writer(watched: Watched, path: Path) -> None:
    """Another program that comes and goes would take the log away with it, were the locks gone with the look."""
    watched.journal.append([Draft("resumed", 1, {})])
    log = path.with_name(f"{path.name}-wal")
    before = log.stat().st_ino
    assert watched.after(READ_NS, is_at_rest=True) is None
    elsewhere("db = sqlite3.connect(path); db.execute('SELECT count(*) FROM entries').fetchall(); db.close()", path)
    assert log.stat().st_ino == before
    watched.journal.append([Draft("paused", 2, {})])
    assert watched.after(READ_NS, is_at_rest=True) is None


def test_journal_that_grows_while_it_is_looked_at_is_whole(watched: Watched) -> None:
    """A look in another thread finds nothing in commits that come meanwhile, nor does it fail one."""
    looks: list[threading.Thread] = []

    def aside(do: Callable[[], None]) -> None:
        looks.append(threading.Thread(target=do))
        looks[-1].start()

    watch = JournalWatch(watched.journal, aside=aside, clock_ns=watched.time)
    for number in range(200):
        watched.time.now_ns += READ_NS
        watch.turn(is_at_rest=number % 2 == 0)
        watched.journal.append([Draft("resumed", number, {"by": "y" * 100})])
        assert watch.trouble is None
    for look in looks:
        look.join()
    assert len(looks) > 20
    assert watch.trouble is None


def test_game_in_progress_goes_on_with_a_damaged_journal_and_no_other_begins(tmp_path: Path) -> None:
    """The clock runs on, moves count, health says so; once the game is over the referee is told why none begins."""
    time = Time()
    table = make_table(filled(tmp_path / "journal.sqlite"), time)
    with closing(table.journal):
        table.engine._journal_watch = JournalWatch(table.journal, aside=lambda do: do(), clock_ns=time)
        start(table)
        overwrite(tmp_path / "journal.sqlite")
        table.rounds(LOOK_NS / 1e9 + 1)
        disk = table.outlet.healths[-1]["disk"]
        assert (disk["status"], disk["codes"]) == (CODES["journal_damaged"].status, ["journal_damaged"])
        assert disk["why"].startswith("Play this game to its end and write its score down first")
        assert table.engine.state.clock.is_running
        table.see((6, 4))
        state = table.outlet.states[-1]
        assert (len(state["line"]), state["halts"]) == (1, [])
        answer = table.order("start_game", names=["S", "W", "N", "E"])
        assert (answer["accepted"], answer["reason"]) == (False, "storage")
        assert "is damaged" in answer["text"]


def test_event_that_the_journal_does_not_give_back_ends_no_game(tmp_path: Path) -> None:
    """What cannot be read for the broker any more is told, with what to do first, and tried again and again."""
    time = Time()
    table = make_table(filled(tmp_path / "journal.sqlite"), time)
    with closing(table.journal):
        start(table)
        tried: list[int] = []

        def pump(journal: Journal) -> None:
            tried.append(time.now_ns)
            list(journal.entries())

        table.outlet.pump = pump  # type: ignore[method-assign]
        table.rounds(1)
        overwrite(tmp_path / "journal.sqlite")
        table.journal._db.execute("PRAGMA shrink_memory")  # as if it had been written long ago
        tried.clear()
        table.rounds(3)
        disk = table.outlet.healths[-1]["disk"]
        assert disk["codes"] == ["journal_damaged"]
        assert disk["why"].startswith("Play this game to its end")
        assert len(tried) > 2
        table.see((6, 4))
        assert len(table.outlet.states[-1]["line"]) == 1


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[Display, Path]]:
    """A display, and the journal that a running service process has open."""
    journal = filled(tmp_path / "journal.sqlite")
    with Mosquitto(tmp_path) as broker, closing(Display(broker.port)) as display:
        config = config_in(tmp_path, film=film_in(tmp_path), port=broker.port)
        with subprocess.Popen([sys.executable, "-m", "controller", "run", str(config)], cwd=ROOT) as running:
            try:
                display.wait_for("health", lambda body: body["disk"]["status"] == "ok")
                yield display, journal
            finally:
                running.send_signal(signal.SIGTERM)
        assert running.returncode == 0


def test_running_service_names_a_journal_that_is_damaged_under_it(service: tuple[Display, Path]) -> None:
    """Within seconds health has the code and says what to do, and the service lives on."""
    display, journal = service
    overwrite(journal)
    disk = display.wait_for("health", lambda body: body["disk"]["status"] != "ok")["disk"]
    assert disk["codes"] == ["journal_damaged"]
    assert f"The journal {journal} is damaged" in disk["why"]
    assert "set it aside, then start again" in disk["why"]
    display.wait_for("heartbeat")
