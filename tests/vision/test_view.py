"""What the technician is shown: four pictures of one moment, drawn only for somebody who looks."""

from __future__ import annotations

import threading
import time
from dataclasses import fields, replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import view as module
from vision.cases import save_case
from vision.evaluate import evaluate
from vision.frame import Frame
from vision.geometry import Table, table_from, table_record
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.reading import Reading
from vision.render import Backdrop, Reaching
from vision.rig import Rig
from vision.view import KINDS, LONGEST_PX, TABLE_PX, Kind, View
from vision.watch import Watcher

Bgr = NDArray[np.uint8]

RIG = Rig(width_px=800, height_px=600, tilt_deg=4.0, k1=-0.03)
TABLE = RIG.table()
STEP_NS = 250_000_000


class Stage:
    """A drawn table before a watcher, and the view of it."""

    def __init__(self, table: Table | None = TABLE) -> None:
        self.backdrop = Backdrop(RIG, Look(), np.random.default_rng(4))
        self.layout = LineLayout(np.random.default_rng(4))
        self.now_ns = 0
        self.view = View(read=lambda bgr: read(bgr, table=table), table=table, clock_ns=lambda: self.now_ns)
        self.watcher = Watcher(read=lambda bgr: read(bgr, table=table), table=table)
        self.number = 0

    def show(self, count: int = 1, *arms: Reaching, bgr: Bgr | None = None) -> None:
        """So many frames, 0.25 s apart."""
        for _ in range(count):
            picture = self.backdrop.picture(arms).bgr if bgr is None else bgr
            frame = Frame(picture, self.number * STEP_NS, self.number)
            sights = self.watcher.see(frame)
            self.view.look(frame, self.watcher, sights)
            self.now_ns, self.number = frame.mono_ns + STEP_NS // 5, self.number + 1

    def lay(self) -> None:
        """The next domino lies there from now on."""
        if self.layout.lying:
            self.layout.add("R", 4, 4)
        else:
            self.layout.first(6, 4)
        self.backdrop.lay(self.layout.lying)

    def picture(self, kind: Kind) -> Bgr:
        jpeg = self.view.picture(kind)
        assert jpeg is not None
        bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert bgr is not None
        return np.asarray(bgr, np.uint8)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the pictures that are put into JPEG."""
    counted: list[int] = []
    encode = module._jpeg

    def count(bgr: Bgr) -> bytes:
        counted.append(1)
        return encode(bgr)

    monkeypatch.setattr(module, "_jpeg", count)
    monkeypatch.setattr(module, "REDRAW_S", 60.0)
    return counted


def test_nothing_is_drawn_until_somebody_looks_and_a_frame_only_once(drawn: list[int]) -> None:
    """Frames go by for nothing; two who look at one frame cost one drawing, and so does asking too often."""
    stage = Stage()
    stage.show(20)
    assert (drawn, stage.view._maps) == ([], None)
    first = stage.view.picture("raw")
    assert first == stage.view.picture("raw")
    stage.show()
    assert stage.view.picture("raw") == first
    assert len(drawn) == 1


def test_there_is_no_picture_before_the_first_frame_and_no_straight_one_of_an_unknown_table() -> None:
    """What is not there is not invented, and the state says so."""
    stage = Stage(None)
    assert [stage.view.picture(kind) for kind in KINDS] == [None] * 4
    assert stage.view.case("raw") is None
    assert (stage.view.state()["frame"], stage.view.state()["standing"]) == (None, "waiting")
    stage.show()
    assert stage.view.picture("raw") is not None
    assert [stage.view.picture("table"), stage.view.picture("dominoes")] == [None, None]
    assert stage.view.state()["table"] is False


def test_state_says_what_the_watcher_thinks() -> None:
    """Waiting, settled with what was read, a hand with its side, nothing to be seen and why, and a lost camera."""
    stage = Stage()
    stage.show()
    assert stage.view.state()["standing"] == "waiting"
    stage.lay()
    stage.show(6)
    state = stage.view.state()
    assert (state["standing"], state["age_ms"], len(state["dominoes"])) == ("settled", 50, 1)
    assert {state["dominoes"][0]["a"], state["dominoes"][0]["b"]} == {4, 6}
    assert min(state["dominoes"][0]["confidence"]) > 0.8
    assert state["still_ms"] >= 400
    stage.show(2, Reaching(2, 0.0, 0.0))
    assert (stage.view.state()["standing"], stage.view.state()["side"]) == ("hand_in", 2)
    stage.show(1, bgr=np.zeros((600, 800, 3), np.uint8))
    assert stage.view.state()["standing"] == "cannot_see"
    assert "dark" in stage.view.state()["why"]
    stage.view.lose("the plug is out")
    assert (stage.view.state()["standing"], stage.view.state()["why"]) == ("lost", "the plug is out")
    stage.show(6)
    assert stage.view.state()["standing"] == "settled"
    stage.now_ns += 20 * STEP_NS
    assert (stage.view.state()["standing"], stage.view.state()["why"]) == ("lost", "no new frame for 5 s")


def test_state_has_what_ails_the_camera_as_long_as_it_lasts() -> None:
    """Each trouble once, by its newest sentence, until it is over."""
    view = Stage().view
    for code, text, told in (
        ("lens_soft", "wipe the lens", ["wipe the lens"]),
        ("camera_moved", "by 8 mm", ["wipe the lens", "by 8 mm"]),
        ("lens_soft", None, ["by 8 mm"]),
        ("camera_moved", "by 9 mm", ["by 9 mm"]),
        ("not_held", None, ["by 9 mm"]),
    ):
        view.ail(code, text)
        assert view.state()["ails"] == told


def test_pictures_show_the_table_straight_the_change_in_red_and_the_dominoes_large() -> None:
    """A domino laid at the table's centre is there in each of them."""
    stage = Stage()
    stage.show(5)
    stage.lay()
    stage.show(1)
    lies = stage.layout.lying[0]
    straight = stage.picture("table")
    assert straight.shape == (TABLE_PX, TABLE_PX, 3)
    row, column = (round((v / TABLE.side_mm + 0.5) * TABLE_PX) for v in (lies.y_mm, lies.x_mm))
    around = straight[row - 6 : row + 7, column - 14 : column + 15].astype(int)
    assert around.mean() > straight[100:150, 400:500].mean() + 60
    change = stage.picture("change").astype(int)
    red = (change[..., 2] > 180) & (change[..., 1] < 120)
    at = TABLE.to_px((lies.x_mm, lies.y_mm)) * change.shape[1] / 800
    assert abs(np.argwhere(red).mean(axis=0) - at[::-1]).max() < 4
    stage.show(5)
    assert not (stage.picture("raw").shape[1] > LONGEST_PX)
    large = stage.picture("dominoes")
    amber = (abs(large.astype(int) - (66, 200, 255)).sum(axis=2) < 90) | (abs(large.astype(int) - 225).sum(axis=2) < 60)
    assert amber.mean() > 0.01


def test_case_is_the_frame_that_was_shown_not_a_newer_one_and_is_evaluated_as_it_is(tmp_path: Any) -> None:
    """A press of the button keeps what is on the screen; the folder is labelled, and read the way it was read here."""
    stage = Stage()
    stage.lay()
    stage.show(6)
    stage.picture("raw")
    shown = stage.view._now.frame
    stage.lay()
    stage.show(6, bgr=None)
    case = stage.view.case("raw")
    assert case is not None
    assert shown is not None
    assert case.bgr is shown.bgr
    assert len(case.reading.dominoes) == 1
    stage.picture("dominoes")
    settled = stage.view.case("dominoes")
    assert settled is not None
    assert settled.reading is stage.view._now.read.reading  # type: ignore[union-attr]
    for number in range(2):
        save_case(tmp_path / "cases", "one", case, by="test")
        save_case(tmp_path / "cases", f"two{number}", settled, by="test")
    tables: list[Table | None] = []

    def reader(bgr: Bgr, *, table: Table | None = None) -> Any:
        tables.append(table)
        return read(bgr, table=table)

    evaluation = evaluate(tmp_path / "cases", read=reader)
    assert [outcome.exact for outcome in evaluation.outcomes] == [True] * 4
    assert [outcome.asked for outcome in evaluation.outcomes] == [1, 2, 1, 2]
    assert tables == [TABLE] * 4


def test_cases_are_read_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many press the button at once: the other core is the game's."""
    stage = Stage()
    stage.show(1)
    stage.picture("raw")
    at_once, most = 0, 0

    def slow(bgr: Any) -> Reading:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        time.sleep(0.02)
        at_once -= 1
        return Reading()

    monkeypatch.setattr(stage.view, "read", slow)
    pressing = [threading.Thread(target=stage.view.case, args=("raw",)) for _ in range(4)]
    for thread in pressing:
        thread.start()
    for thread in pressing:
        thread.join()
    assert most == 1


def test_table_is_the_same_after_being_written_down() -> None:
    """Corners, lengths and lens come back: whatever a table is made of stands in its record."""
    record = table_record(TABLE)
    assert record is not None
    assert set(record) == {part.name for part in fields(Table) if part.init}
    assert table_from(table_record(TABLE)) == TABLE
    plain = replace(TABLE, lens=None)
    assert table_from(table_record(plain)) == plain
    assert table_from(table_record(None)) is None
