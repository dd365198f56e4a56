"""The recorder and the stills: within their budgets, and a disk that fails is a sentence, never a halt."""

from __future__ import annotations

import json
import logging
import resource
import threading
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from controller import clips as module
from controller import scribe as scribing
from controller.app import Service
from controller.game.rulesets import Params
from controller.journal import Entry
from controller.keeper import RecordTo
from controller.recorder import Recorder
from controller.recording import sessions
from controller.scribe import Scribe
from controller.stills import Stills
from hardware.pins import open_factory
from tests.controller.test_app import Camera, config_in

S = 1_000_000_000
LOG = logging.getLogger("test")
NOISE = np.random.default_rng(1).integers(0, 255, (120, 160, 3), dtype=np.uint8)
HEAD = {"name": "hall", "table": None, "stale_s": 2.0, "rules": msgspec.to_builtins(Params())}


@dataclass(frozen=True)
class Frame:
    """A frame of no camera."""

    bgr: NDArray[np.uint8]
    mono_ns: int
    number: int


@dataclass(frozen=True)
class Rested:
    """A scene of no watcher."""

    frame: Frame
    rest_ns: int


def rested(grey: NDArray[np.uint8], at_s: float) -> Rested:
    return Rested(Frame(grey, round(at_s * S), 0), round(at_s * S))


def entry(sequence: int, at_s: float, kind: str = "passed") -> Entry:
    at_ns = round(at_s * S)
    return Entry(sequence, at_ns, "boot", "2026-01-01T00:00:00Z", True, kind, {"at": at_ns, "seat": 1})


class Table:
    """A recorder with frames ten times a second."""

    def __init__(self, folder: Path, budget_bytes: int = 100_000_000, session: str = "s1") -> None:
        self.recorder = Recorder(
            folder, session=session, head=HEAD, budget_bytes=budget_bytes, wall_ms_at_0=lambda: 1000
        )
        self.recorder.begin([])
        self.folder = folder
        self.tenth = 0
        self.sequence = 0

    def frames(self, seconds: float, *, is_hand_in: bool = False, settles: bool = False) -> None:
        for _ in range(round(seconds * 10)):
            frame = self.next()
            self.take(frame, is_hand_in=is_hand_in, is_read=settles, rested=frame if settles else None)

    def next(self) -> Frame:
        self.tenth += 1
        return Frame(NOISE, (self.tenth - 1) * S // 10, self.tenth - 1)

    def take(
        self, frame: Frame, *, is_hand_in: bool = False, is_read: bool = False, rested: Frame | None = None
    ) -> Frame:
        self.recorder.frame(frame, is_hand_in=is_hand_in, is_read=is_read, rested=rested, dropped=0)
        return frame

    def event(self) -> None:
        self.sequence += 1
        self.recorder.happened([entry(self.sequence, self.tenth / 10)], self.tenth * S // 10)

    def clips(self) -> list[tuple[int, float, float]]:
        """Of each clip: the event before it, and its first and last second."""
        self.recorder.end()
        (session,) = sessions(self.folder)
        return [(clip.after, clip.pictures[0].mono_ns / S, clip.pictures[-1].mono_ns / S) for clip in session.clips]


def test_clip_has_the_seconds_before_and_after_and_the_next_one_is_another(tmp_path: Path) -> None:
    """Three seconds before the event and two after it; what happens much later has a clip of its own."""
    table = Table(tmp_path)
    table.frames(10)
    table.event()
    table.frames(1)
    table.event()
    table.frames(20)
    table.event()
    table.frames(10)
    (first, second) = table.clips()
    assert first == (0, 6.9, 13.1)
    assert second == (2, 27.9, 33.1)


def test_clip_waits_for_a_hand_and_begins_after_the_scene_that_had_settled(tmp_path: Path) -> None:
    """A hand over the table ends no clip, unless it stays for half a minute; the settled scene is kept with it."""
    table = Table(tmp_path)
    table.frames(5)
    table.frames(0.1, settles=True)
    table.frames(1)
    table.recorder.given(table.tenth * S // 10, "press", {"button": 1, "held_ms": 0})
    table.frames(6, is_hand_in=True)
    table.frames(5)
    table.event()
    table.frames(40, is_hand_in=True)
    table.recorder.end()
    (session,) = sessions(tmp_path)
    first, second = session.clips
    assert (first.pictures[0].mono_ns, first.scene) == (19 * S // 10, None)
    assert first.pictures[-1].mono_ns / S == pytest.approx(12.1)
    assert [given.kind for given in first.inputs] == ["press"]
    assert second.scene is not None
    assert second.scene.mono_ns / S == pytest.approx(5.0)
    assert second.pictures[-1].mono_ns - second.pictures[0].mono_ns < 34 * S


def test_scene_is_kept_as_it_was_read_though_it_was_told_with_a_later_frame(tmp_path: Path) -> None:
    """A doubtful domino is told when the next hand comes in: nobody is to take that hand for what lay there."""
    table = Table(tmp_path)
    table.frames(2)
    read = table.take(table.next(), is_read=True)
    table.frames(0.2)
    table.take(table.next(), rested=read)
    table.event()
    table.frames(20)
    table.event()
    table.recorder.end()
    (session,) = sessions(tmp_path)
    first, second = session.clips
    assert [picture.mono_ns for picture in first.pictures if picture.path.suffix == ".png"] == [read.mono_ns]
    assert second.scene is not None
    assert second.scene.mono_ns == read.mono_ns


def test_session_in_which_nothing_was_journalled_and_a_clip_that_was_just_begun_spoil_no_recording(
    tmp_path: Path,
) -> None:
    """A domino is put down before any game; then the power goes while the next clip is being opened."""
    table = Table(tmp_path)
    table.frames(1)
    table.take(table.next(), rested=table.next())
    table.frames(5)
    begun = tmp_path / "s1" / "clips" / "000002"
    begun.mkdir()
    (begun / "log.jsonl").touch()
    (session,) = sessions(tmp_path)
    assert (session.events, [clip.name for clip in session.clips]) == ((), ["s1/000001"])


def test_oldest_clips_go_when_the_budget_is_spent_also_those_of_earlier_sessions(tmp_path: Path) -> None:
    """All recordings of the folder together stay within the budget, and the events stay for those that are left."""
    size = len(cv2.imencode(".jpg", NOISE, module.JPEG)[1])
    budget = 130 * size
    for session in ("s1", "s2"):
        table = Table(tmp_path, budget, session)
        for _ in range(4):
            table.frames(8)
            table.event()
        table.frames(3)
        table.recorder.end()
        assert sum(path.stat().st_size for path in tmp_path.glob("*/clips/*/*")) <= budget
    (left,) = sessions(tmp_path)
    assert left.folder.name == "s2"
    assert [clip.after for clip in left.clips] == [2, 3]
    assert len(left.events) == 4


def test_disk_that_fails_is_a_sentence_until_a_clip_has_been_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the folder's place, a disk nearly full, a budget smaller than a clip: the frames go on."""
    (tmp_path / "file").touch()
    table = Table(tmp_path / "file")
    table.frames(2)
    table.event()
    assert table.recorder.trouble is not None
    assert "cannot be written" in table.recorder.trouble
    (tmp_path / "file").unlink()
    table.frames(3)
    table.event()
    assert table.recorder.trouble is not None, "it is not tried again at once"
    table.frames(3)
    table.event()
    assert [after for after, _, _ in table.clips()] == [2]
    assert table.recorder.trouble is None
    monkeypatch.setattr(module, "SPARE_BYTES", 1 << 60)
    table.frames(6)
    table.event()
    assert "of the disk is free" in str(table.recorder.trouble)
    assert [path.name for path in (tmp_path / "file" / "s1" / "clips").iterdir()] == [], "no half clip is left"
    monkeypatch.undo()
    small = Table(tmp_path / "small", budget_bytes=10_000)
    small.frames(2)
    small.event()
    assert "larger than the budget" in str(small.recorder.trouble)


def test_trouble_is_not_over_because_another_clip_has_begun(tmp_path: Path) -> None:
    """Each clip grows beyond the budget: that is one trouble for the technician, and not one every few seconds."""
    table = Table(tmp_path, budget_bytes=40 * len(cv2.imencode(".jpg", NOISE, module.JPEG)[1]))
    table.frames(4)
    told = []
    for _ in range(200):
        table.event()
        table.frames(0.1)
        told.append(table.recorder.trouble)
    first = next(n for n, trouble in enumerate(told) if trouble)
    assert table.recorder._clips > 2
    assert set(told[first:]) == {told[first]}


def test_disk_that_fills_in_the_middle_of_a_line_leaves_no_half_of_it(tmp_path: Path) -> None:
    """The kernel itself refuses the rest of what is written; the events are whole, and go on when there is room."""
    table = Table(tmp_path)
    table.frames(1)
    table.event()
    events = tmp_path / "s1" / "events.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (events.stat().st_size + 20, before[1]))
    try:
        table.event()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be written" in str(table.recorder.trouble)
    assert len(events.read_text().splitlines()) == 1
    table.frames(6)
    table.event()
    table.recorder.end()
    (session,) = sessions(tmp_path)
    assert [event.sequence for event in session.events] == [1, 2, 3]
    assert table.recorder.trouble is None


def test_service_plays_on_where_nothing_can_be_recorded_and_says_so_in_its_health(tmp_path: Path) -> None:
    """`--record` on a file: the loop turns, and health names the folder."""
    (tmp_path / "file").touch()
    factory = open_factory("mock")
    said: list[list[str]] = []
    record = RecordTo(tmp_path / "file", 1_000_000)
    with Service(
        config_in(tmp_path), camera=Camera(factory.pin(12)), pin_factory=factory, record=record, logger=LOG
    ) as service:
        for _ in range(50):
            service.engine.turn(timeout_s=0.05)
            said.append([f"{trouble.code}: {trouble.text}" for trouble in service._keeper.troubles()])
    [told] = said[-1]
    assert told.startswith("recording_not_kept: recording: ")
    assert "cannot be written" in told


def test_scribe_keeps_the_newest_pictures_and_every_fact_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a disk that hangs pictures are left out, oldest first, and counted; what happened is not."""
    monkeypatch.setattr(scribing, "MOST_BYTES", 30)
    scribe, gate, done = Scribe(logger=LOG), threading.Event(), list[str]()
    hanging = threading.Event()

    def hang() -> None:
        hanging.set()
        gate.wait(10)

    scribe.start()
    scribe.put(hang)
    assert hanging.wait(10)
    for number in range(8):
        scribe.put(lambda number=number: done.append(f"picture {number}"), size=10)  # type: ignore[misc]
        scribe.put(lambda number=number: done.append(f"fact {number}"))  # type: ignore[misc]
    assert not scribe.is_idle
    gate.set()
    scribe.close()
    assert [word for word in done if word.startswith("fact")] == [f"fact {n}" for n in range(8)]
    assert [word for word in done if word.startswith("picture")] == ["picture 5", "picture 6", "picture 7"]
    assert done.index("fact 4") < done.index("picture 5") < done.index("fact 5")
    assert (scribe.dropped, scribe.is_idle) == (5, True)


def test_frame_that_is_shown_again_with_what_was_still_to_be_told_is_kept_once(tmp_path: Path) -> None:
    """The last of a recording comes twice: the clip has it once, and the scene opens it."""
    table = Table(tmp_path)
    last = Frame(NOISE, S, 7)
    for scene in (None, last):
        table.recorder.frame(last, is_hand_in=False, is_read=True, rested=scene, dropped=0)
    table.recorder.end()
    (session,) = sessions(tmp_path)
    (log,) = session.folder.glob("clips/*/*.jsonl")
    assert [row["frame"] for row in map(json.loads, log.read_text().splitlines()) if "frame" in row] == [7]


def test_fault_in_a_job_ends_neither_the_scribe_nor_what_comes_after(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged as ours."""
    scribe, done = Scribe(logger=LOG), list[int]()
    scribe.start()
    scribe.put(lambda: [][0])
    scribe.put(lambda: done.append(1))
    scribe.close()
    assert done == [1]
    assert "a fault of ours" in caplog.text


def test_stills_show_the_scene_the_alert_is_about_and_the_one_before_within_their_budget(tmp_path: Path) -> None:
    """A scene that came to rest after the alert is not its evidence; the oldest pictures go."""
    stills = Stills(tmp_path / "stills", budget_bytes=20_000)
    greys = {level: np.full((48, 64, 3), level, np.uint8) for level in (40, 80, 120, 160)}
    stills.alert(entry(1, 0.5, "referee_called"))
    assert (stills.trouble, list(tmp_path.iterdir())) == (None, [])
    for at_s, level in ((1, 40), (2, 80), (3, 120), (3, 120), (9, 160)):  # told again after a better look
        stills.settled(rested(greys[level], at_s))
    stills.alert(entry(7, 3.0, "finding_raised"))
    name = str(tmp_path / "stills" / "00000007-finding_raised")
    before, after = cv2.imread(f"{name}-before.jpg"), cv2.imread(f"{name}-after.jpg")
    assert before is not None
    assert after is not None
    assert (round(float(before.mean())), round(float(after.mean()))) == (80, 120)
    for number in range(8, 40):
        stills.alert(entry(number, 10.0, "referee_called"))
    kept = sorted(path.name for path in (tmp_path / "stills").iterdir())
    assert sum(path.stat().st_size for path in (tmp_path / "stills").iterdir()) <= 20_000
    assert kept[-1] == "00000039-referee_called-before.jpg"
    assert "00000007-finding_raised-before.jpg" not in kept
    broken = Stills(tmp_path / "stills" / kept[0], budget_bytes=20_000)
    broken.settled(rested(greys[40], 1))
    broken.alert(entry(40, 2.0))
    assert "cannot be written" in str(broken.trouble)


def test_clip_on_disk_has_every_frame_in_order_with_its_time(tmp_path: Path) -> None:
    """What is read back is what was written."""
    table = Table(tmp_path)
    table.frames(1)
    table.event()
    table.frames(1)
    table.recorder.end()
    (session,) = sessions(tmp_path)
    (clip,) = session.clips
    assert [picture.number for picture in clip.pictures] == list(range(20))
    assert clip.wall_ms_at_0 == 1000
    assert (clip.upto, json.loads((session.folder / "session.json").read_text())["name"]) == (1, "hall")
    picture = cv2.imread(str(clip.pictures[0].path))
    assert picture is not None
    assert picture.shape == NOISE.shape
