"""A recorded game run again: all the same with the same eyes, and exactly what has changed with others."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller.app import replay_recording
from controller.mosquitto import Mosquitto
from controller.recording import Event, RecordingError, sessions
from controller.replay_changes import Outcome, compare
from tests.controller.live_service import ROOT, Display, config_in, end, film_in
from tests.controller.recorded_game import LOG, Played, play
from vision.geometry import Table
from vision.reader import read
from vision.reading import Domino, Half, Reading

SURE_3 = Half((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The game, recorded once for all tests; who changes anything takes a copy."""
    return play(tmp_path_factory.mktemp("played"))


def run(folder: Path, **options: Any) -> Outcome:
    return replay_recording(folder, logger=LOG, **options)


def last_session(played: Played, copy: Path) -> Path:
    """A copy of the session in which the last domino was laid, alone."""
    copy.mkdir()
    session = max(played.recording.iterdir())
    return Path(shutil.copytree(session, copy / session.name))


def misreader(wrong: frozenset[int]) -> Any:
    """A reader that takes the half 5 of this domino for a 3."""

    def misread(bgr: Any, *, table: Table | None = None) -> Reading:
        reading = read(bgr, table=table)
        return replace(reading, dominoes=tuple(wrongly(domino) for domino in reading.dominoes))

    def wrongly(domino: Domino) -> Domino:
        if {domino.a.suit, domino.b.suit} != wrong:
            return domino
        return replace(domino, a=SURE_3) if domino.a.suit == 5 else replace(domino, b=SURE_3)

    return misread


def test_recorded_game_comes_out_the_same(played: Played) -> None:
    """Moves seen, a pass and a call pressed, orders, a restart: every event in a clip, each clip on its own."""
    told: list[tuple[int, int]] = []
    outcome = run(played.recording, progress=lambda done, total: told.append((done, total)))
    types = [entry.type for entry in played.entries()]
    before = ["game_started", "set_started", "domino_laid", "domino_laid", "passed", "referee_called"]
    assert types == [*before, "restarted", "resumed", "domino_laid"]
    assert (outcome.changes, outcome.same, outcome.dropped) == ((), len(types) - 1, 0)
    assert outcome.clips >= 6
    assert told[-1] == (outcome.clips, outcome.clips)
    first, second = sessions(played.recording)
    kept = [(event.sequence, event.type, event.body) for event in second.events]
    assert first.events == second.events[: len(before)]
    assert kept == [(entry.sequence, entry.type, entry.body) for entry in played.entries()]


def test_reader_that_misreads_one_domino_changes_exactly_the_event_of_it(played: Played, tmp_path: Path) -> None:
    """Six-five taken for six-three is one event that is different, and nothing else is."""
    outcome = run(last_session(played, tmp_path / "copy"), read=misreader(frozenset({6, 5})), reread=None)
    (change,) = outcome.changes
    assert change.kind == "different"
    assert change.was is not None
    assert change.now is not None
    assert (change.was.type, change.was.body["outer"], change.now.body["outer"]) == ("domino_laid", 5, 3)
    assert outcome.same == 1
    assert "was outer 5" in change.text()
    assert change.as_dict()["sequence"] == len(played.entries())


def test_reader_that_sees_nothing_misses_the_move_and_no_order(played: Played, tmp_path: Path) -> None:
    """What came from the referee comes all the same; a line of which no place looks bare is taken for hidden."""
    outcome = run(last_session(played, tmp_path / "copy"), read=lambda bgr, *, table=None: Reading(), reread=None)
    missing = [change.was.type for change in outcome.changes if change.kind == "missing" and change.was]
    new = {change.now.type for change in outcome.changes if change.kind == "new" and change.now}
    assert (missing, new, outcome.same) == (["domino_laid"], set(), 1)


def test_replay_command_says_what_changed_and_how_it_ended(played: Played, tmp_path: Path) -> None:
    """0 when all is the same, 1 when not or when the folder is none; --json is one object."""

    def gameline(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "controller", "replay", *map(str, words)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)

    session = last_session(played, tmp_path / "copy")
    events = session / "events.jsonl"
    rows = [json.loads(line) for line in events.read_text().splitlines()]
    rows[-1]["body"]["outer"] = 1
    events.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for clip in sorted((session / "clips").iterdir())[:-1]:
        shutil.rmtree(clip)
    ran = gameline(session, "--json")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["same"], told["different"], told["changes"][0]["was"]["outer"]) == (1, 0, 1, 1)
    ran = gameline(tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert "expected the folder that `gameline run --record` wrote" in ran.stderr
    rows[-1]["body"]["outer"] = 5
    events.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = gameline(tmp_path / "copy")
    assert (ran.returncode, ran.stdout) == (0, "1 clip: 1 same, 0 different, 0 missing, 0 new\n")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("session.json", "session.json is damaged"),
        ("events.jsonl", "events.jsonl, line 2 is damaged"),
        ("clips/000002/log.jsonl", "log.jsonl, line 2 is damaged"),
        ("clips/000002/scene.png", "scene.png is damaged"),
        ("format", "expected a recording of format 1, got 7"),
        ("unknown", "expected an event this version knows, got 'domino_flew'"),
        ("empty", "expected clips"),
        ("rules", "session.json is damaged .*Expected `int`"),
        ("table", "session.json is damaged .*side_mm' is missing"),
        ("stale_s", "session.json is damaged .*could not convert"),
    ],
)
def test_damaged_recording_is_one_sentence(played: Played, tmp_path: Path, damage: str, said: str) -> None:
    """Whatever is broken is named, with its file."""
    shutil.copytree(played.recording, tmp_path / "copy")
    session, other = sorted((tmp_path / "copy").iterdir())
    head = json.loads((session / "session.json").read_text())
    if damage == "format":
        (session / "session.json").write_text(json.dumps({**head, "format": 7}))
    elif damage in ("rules", "table", "stale_s"):
        wrong = {
            "rules": {"sets_in_game": "four"},
            "table": {"corners_px": head["table"]["corners_px"]},
            "stale_s": "two",
        }
        (session / "session.json").write_text(json.dumps({**head, damage: wrong[damage]}))
    elif damage == "unknown":
        path = session / "events.jsonl"
        path.write_text(path.read_text().replace("set_started", "domino_flew"))
    elif damage == "empty":
        shutil.rmtree(session / "clips")
        shutil.rmtree(other)
    elif damage.endswith(".jsonl"):
        lines = (session / damage).read_text().splitlines(keepends=True)
        (session / damage).write_text(lines[0] + '{"torn": \n' + "".join(lines[2:]))
    else:
        data = (session / damage).read_bytes()
        (session / damage).write_bytes(data[: len(data) // 2])
    with pytest.raises(RecordingError, match=said) as raised:
        run(tmp_path / "copy")
    assert "\n" not in str(raised.value)


def test_recording_that_a_power_cut_ended_is_replayed_as_far_as_it_goes(played: Played, tmp_path: Path) -> None:
    """The last line of a log may break off, and the end of the last clip may be missing."""
    session = last_session(played, tmp_path / "copy")
    *earlier, newest = sorted((session / "clips").iterdir())
    for clip in earlier:
        shutil.rmtree(clip)
    last = newest / "log.jsonl"
    last.write_text("".join(last.read_text().splitlines(keepends=True)[:-1]) + '{"file": "0000')
    assert run(tmp_path / "copy").changes == ()


def test_service_records_what_a_display_hears_and_replay_tells_the_same(tmp_path: Path) -> None:
    """`gameline run --record` as a process with a real broker, killed at the end; `gameline replay` finds no change."""
    film = film_in(tmp_path)
    with Mosquitto(tmp_path) as broker:
        config = config_in(tmp_path, film=film, port=broker.port, pin_factory="mock")
        display = Display(broker.port)
        command = [sys.executable, "-m", "controller", "run", "--record", str(tmp_path / "kept"), str(config)]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as service:
            try:
                display.wait_for("connection", lambda body: body["status"] == "online")
                assert display.order("start_game", names=["S", "W", "N", "E"])["accepted"]
                display.order("start_set")
                display.wait_for("event/domino_laid")
                healths = [body for topic, body in display.heard_so_far if topic == "health"]
                assert healths[-1]["record"] == {"status": "ok", "why": "", "codes": []}
            finally:
                end(service, signal.SIGTERM)
                display.close()
    command = [sys.executable, "-m", "controller", "replay", str(tmp_path / "kept")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)
    assert (ran.returncode, ": 3 same, 0 different, 0 missing, 0 new" in ran.stdout) == (0, True), ran


def event(sequence: int, type_: str, **body: Any) -> Event:
    return Event(sequence, type_, body)


def test_events_are_compared_without_times_and_confidences() -> None:
    """What hangs on how fast a machine reads is no change; what is new, missing or different is told as that."""
    was = [event(1, "passed", seat=1, at=5, think_ms=3), event(2, "locked", at=6), event(3, "domino_laid", outer=5)]
    assert compare("c", was, [event(9, e.type, **{**e.body, "at": 7, "confidence": 0.5}) for e in was]) == (3, [])
    armed = [event(1, "domino_laid", outer=5, arm={"seat": 1, "confidence": sure}) for sure in (0.5, 0.7)]
    assert compare("c", armed[:1], armed[1:]) == (1, [])
    same, changes = compare("c", was, [was[0], event(2, "domino_laid", outer=4), event(3, "went_out")])
    assert (same, [change.kind for change in changes]) == (1, ["missing", "different", "new"])
    same, changes = compare("c", was, [was[2]])
    assert (same, [(c.kind, c.was.sequence if c.was else None) for c in changes]) == (
        1,
        [("missing", 1), ("missing", 2)],
    )
    same, changes = compare("c", was, [*was, event(4, "went_out", seat=2)])
    assert (same, [change.text() for change in changes]) == (3, ["c: new: went_out seat 2"])


def test_call_of_a_referee_leaves_the_scene_before_and_after_it_under_its_number(played: Played) -> None:
    """Stills are kept with every alert, named by the event's sequence."""
    (call,) = (entry for entry in played.entries() if entry.type == "referee_called")
    names = [f"{call.sequence:08d}-referee_called-{when}.jpg" for when in ("after", "before")]
    assert sorted(path.name for path in played.stills.iterdir()) == names
