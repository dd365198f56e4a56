"""The calibration's file and its command: what is kept, what is refused, and that it is what the table is judged by."""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from controller import calibrating, doings, lookout
from controller.calibration import calibration_of, keep, kept_calibration
from controller.cli import Sorry
from controller.config import CameraConfig, Config, ConfigError, TableConfig
from controller.demo.stage import config_of_demo
from controller.demo.watching import Address
from tests.vision.marked import with_cards
from vision.calibration import Calibration, Score
from vision.camera import LiveCamera
from vision.cards import PLACES
from vision.geometry import Lens, Table
from vision.images import load
from vision.layout import Lying
from vision.look import Look
from vision.render import Backdrop
from vision.rest import rest_of
from vision.rig import Rig

ROOT = Path(__file__).parents[2]
RIG = Rig(fill=0.94)
SCENE = np.random.default_rng(5).integers(60, 90, (720, 1280, 3), dtype=np.uint8)
cv2.rectangle(SCENE, (200, 20), (900, 700), (40, 160, 90), -1)
FOUND = Calibration(
    size_px=(1280, 720),
    table=Table(
        ((300.5, 20.25), (980.0, 21.0), (985.0, 700.0), (290.0, 701.0)),
        lens=Lens(1280.0, (639.5, 359.5), -0.1, 0.01),
        domino_mm=47.5,
    ),
    domino_mm=48.0,
    score=Score(0.4, 17.2, 1.0, 2.1, ()),
    rest=rest_of(SCENE, None, [((1.0, 2.0), (3.0, 2.0), (3.0, 4.0), (1.0, 4.0))]),
    controls={"ExposureTime": 10000, "ColourGains": [1.5, 2.0]},
)


def config(path: Path, camera: CameraConfig | None = None) -> Config:
    """A configuration whose calibration lies there."""
    return Config(table=TableConfig(calibration=str(path)), camera=camera or CameraConfig())


def table_of(config: Config) -> Table | None:
    """Where service and commands take the table to lie."""
    return lookout.table_of(config, calibration_of(config))


def gameline(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "controller", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with all its cards, three times; the same without those on the right."""
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(2)
    backdrop = Backdrop(RIG, Look(), rng)
    left = {card: place for card, place in PLACES.items() if place[0] <= 0}
    for name, cards in (("0", PLACES), ("1", PLACES), ("2", PLACES), ("left", left)):
        bgr = with_cards(
            backdrop.picture().bgr,
            RIG.to_mm,
            lambda mm: RIG.to_px(np.column_stack((mm, np.zeros(len(mm))))),
            side_mm=900.0,
            rng=rng,
            cards=cards,
        )
        cv2.imwrite(str(folder / f"{name}.png"), bgr)
    return folder


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """Lens, corners, controls and score are the same after the disk; the strips' depth is the configuration's."""
    path = tmp_path / "calibration.json"
    keep(path, FOUND)
    back = kept_calibration(path, zone_mm=130.0)
    assert replace(back, rest=FOUND.rest) == FOUND
    assert np.array_equal(back.rest.spots, FOUND.rest.spots)
    assert back.rest.aside == FOUND.rest.aside
    assert float(cv2.absdiff(back.rest.thumb.bgr, FOUND.rest.thumb.bgr).mean()) < 4
    assert calibration_of(config(path)) is not None
    assert table_of(config(path)) == FOUND.table
    assert [entry.name for entry in tmp_path.iterdir()] == ["calibration.json"]


def test_without_a_calibration_the_corners_of_the_configuration_count(tmp_path: Path) -> None:
    """No file is no mistake; a file counts before the corners written by hand."""
    path = tmp_path / "calibration.json"
    corners = ((1.0, 1.0), (700.0, 1.0), (700.0, 700.0), (1.0, 700.0))
    by_hand = Config(table=TableConfig(calibration=str(path), corners_px=corners))
    table = table_of(by_hand)
    assert table is not None
    assert table.corners_px == corners
    assert table_of(config(path)) is None
    keep(path, FOUND)
    assert table_of(by_hand) == FOUND.table


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: data[: len(data) // 2], "got a damaged one"),
        (lambda data: b"", "got a damaged one"),
        (lambda data: data.replace(b'"version": 1', b'"version": 0'), "version 1 in .*, got version 0: run gameline"),
        (lambda data: data.replace(b"300.5", b'"300.5"'), r"damaged one \(Expected `float`, got `str`"),
        (lambda data: data.replace(b"300.5", b"1300.5"), "damaged one .*clockwise"),
        (lambda data: data.replace(b'"still": "', b'"still": "AAAA'), "damaged one .*is no picture"),
        (lambda data: data.replace(b'"domino_mm"', b'"domino"'), "damaged one"),
    ],
)
def test_damaged_or_older_calibration_is_one_sentence(tmp_path: Path, change: object, complaint: str) -> None:
    """Whatever is wrong with the file, the sentence names it and what to do; nothing is taken for none."""
    path = tmp_path / "calibration.json"
    keep(path, FOUND)
    assert callable(change)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ConfigError, match=complaint) as told:
        table_of(config(path))
    assert str(told.value).startswith("table.calibration: ")
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


def test_calibration_of_another_picture_size_is_refused(tmp_path: Path) -> None:
    """A camera set to another size shows the table elsewhere."""
    path = tmp_path / "calibration.json"
    keep(path, FOUND)
    with pytest.raises(ConfigError, match=r"for pictures of 1920x1080 in .*, got one for 1280x720: run gameline"):
        calibration_of(config(path, CameraConfig(width_px=1920, height_px=1080)))


def test_demonstration_takes_no_calibration_of_the_machines_own_table(tmp_path: Path) -> None:
    """It draws a table of its own, and runs on a Pi whose table has been calibrated."""
    demo = config_of_demo(tmp_path / "journal.sqlite", Address("127.0.0.1", 1, "demo"), 4)
    assert Path(demo.table.calibration).parent == tmp_path
    table = table_of(demo)
    assert table is not None
    assert table.corners_px == demo.table.corners_px


def test_place_that_cannot_be_looked_at_is_no_missing_calibration(tmp_path: Path) -> None:
    """A name that the disk will not have, or a folder that others may not enter, is one sentence and no traceback."""
    assert table_of(config(tmp_path / "calibration.json")) is None
    with pytest.raises(ConfigError, match=r"table\.calibration: expected a file that can be read, got .*: run it as"):
        table_of(config(tmp_path / ("long" * 100)))


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A folder that is missing, or a name that is a folder, is one sentence."""
    for path, cure in (
        (tmp_path / "nowhere" / "calibration.json", "start the service once"),
        (tmp_path, "as the service"),
    ):
        with pytest.raises(ConfigError, match=rf"table\.calibration: expected a file that can be written.*{cure}"):
            keep(path, FOUND)


def test_command_calibrates_from_pictures_and_keeps_the_last_good_one(pictures: Path, tmp_path: Path) -> None:
    """What has passed is kept and used; what fails says why, in one object too, and leaves the file as it is."""
    kept, toml = tmp_path / "calibration.json", tmp_path / "gameline.toml"
    toml.write_text(f'[table]\ncalibration = "{kept}"\n[camera]\nkind = "folder"\npath = "{pictures}"\n')
    good = [pictures / f"{number}.png" for number in range(3)]
    drawn = tmp_path / "table.png"
    ran = gameline("calibrate", toml, "--json", "--draw", drawn, "--picture", *good)
    record = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (record["passed"], record["faults"], record["file"]) == (True, [], str(kept))
    assert record["error_mm"] < 0.5
    picture = cv2.imread(str(drawn))
    assert picture is not None
    assert picture.shape == (720, 1280, 3)
    table = kept_calibration(kept).table
    assert np.abs(np.array(table.corners_px) - RIG.table().corners_px).max() < 0.5

    before = kept.read_bytes()
    ran = gameline("calibrate", toml, "--picture", pictures / "left.png")
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "gameline: expected the four cards" in ran.stderr
    assert "2 | 3 and 3 | 0 are not seen" in ran.stderr
    assert "the calibration of before is still the one in use" in ran.stderr
    toml.write_text(toml.read_text().replace("[table]", "[table]\nside_mm = 700.0"))
    ran = gameline("calibrate", toml, "--picture", *good, "--json")
    record = json.loads(ran.stdout)
    assert (ran.returncode, record["passed"], record["file"]) == (1, False, None)
    assert "by table.side_mm 700" in record["faults"][0]
    assert "not kept" in ran.stderr
    assert kept.read_bytes() == before

    ran = gameline("watch", "--config", toml, "--json")
    assert ran.returncode == 0
    toml.write_text(toml.read_text().replace("[camera]", "[camera]\nwidth_px = 1920\nheight_px = 1080"))
    ran = gameline("calibrate", toml, "--picture", *good)
    assert ran.returncode == 1
    assert "expected pictures of 1920x1080, as [camera] has them, got 1280x720" in ran.stderr
    assert f"the calibration of before, {kept}, cannot be used either" in ran.stderr
    kept.write_text("{}")
    ran = gameline("watch", "--config", toml)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "got a damaged one" in ran.stderr


def test_watch_has_the_camera_hold_what_it_was_calibrated_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what the technician looks at would not be what the service sees."""
    keep(tmp_path / "calibration.json", FOUND)
    held: list[object] = []
    monkeypatch.setattr("controller.lookout.V4L2Camera", lambda *_, controls, **__: held.append(controls))
    usb = config(tmp_path / "calibration.json", CameraConfig(kind="v4l2", path="/dev/v4l/by-id/usb"))
    doings._camera(argparse.Namespace(frames=None), usb, calibration_of(usb))
    assert held == [FOUND.controls]
    assert FOUND.controls


def test_watch_takes_dominoes_before_a_seat_for_no_move(tmp_path: Path) -> None:
    """As the service does: the line lies in the middle of the calibrated table, not what is shown before a seat."""
    backdrop = Backdrop(RIG, Look(), np.random.default_rng(4))
    backdrop.lay((Lying(6, 6, 0.0, 0.0, 90.0), Lying(5, 3, 20.0, 385.0, 0.0)))
    (tmp_path / "frames").mkdir()
    for number in range(5):
        cv2.imwrite(str(tmp_path / "frames" / f"{number}.png"), backdrop.picture().bgr)
    keep(tmp_path / "calibration.json", replace(FOUND, table=RIG.table()))
    toml = tmp_path / "gameline.toml"
    toml.write_text(
        f'[table]\ncalibration = "{tmp_path / "calibration.json"}"\n'
        f'[camera]\nkind = "folder"\npath = "{tmp_path / "frames"}"\nfps = 8.0\n'
    )
    ran = gameline("watch", "--config", toml, "--json")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (ran.returncode, [event["type"] for event in events]) == (0, ["played"])
    assert events[0]["tile"] == [6, 6]


def test_command_takes_the_configured_camera(pictures: Path, tmp_path: Path) -> None:
    """Without pictures named, frames of the camera: here a folder, as any recording."""
    kept, toml, folder = tmp_path / "calibration.json", tmp_path / "gameline.toml", tmp_path / "frames"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.png").write_bytes((pictures / f"{number}.png").read_bytes())
    toml.write_text(f'[table]\ncalibration = "{kept}"\n[camera]\nkind = "folder"\npath = "{folder}"\n')
    ran = gameline("calibrate", toml)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "calibration: passed" in ran.stdout
    assert f"kept in {kept}" in ran.stdout


def frames_in(folder: Path, *pictures: Path) -> Path:
    """A configuration whose camera gives these pictures in turn."""
    folder.mkdir()
    for number, picture in enumerate(pictures):
        (folder / f"{number:02d}.png").symlink_to(picture)
    toml = folder.with_suffix(".toml")
    kept = folder.with_name("calibration.json")
    toml.write_text(f'[table]\ncalibration = "{kept}"\n[camera]\nkind = "folder"\npath = "{folder}"\n')
    return toml


def test_command_looks_again_while_something_is_over_the_cards(pictures: Path, tmp_path: Path) -> None:
    """A hand on two cards, then a file cut short, a dark one, and good ones: told meanwhile, and kept in the end."""
    torn, dark = tmp_path / "torn.png", tmp_path / "dark.png"
    torn.write_bytes((pictures / "0.png").read_bytes()[:1000])
    cv2.imwrite(str(dark), np.zeros((720, 1280, 3), np.uint8))
    hidden, good = pictures / "left.png", [pictures / f"{number}.png" for number in range(3)]
    ran = gameline("calibrate", frames_in(tmp_path / "frames", *9 * [hidden], torn, dark, *good))
    assert (ran.returncode, ran.stderr.count("\n")) == (0, 1)
    assert ran.stderr.startswith(
        "gameline: not yet: expected the four cards at the table's corners, but 2 | 3 and 3 | 0"
    )
    assert (tmp_path / "calibration.json").exists()


def test_command_fails_with_the_reason_when_no_look_will_do(pictures: Path, tmp_path: Path) -> None:
    """Where the recording ends without one, or nothing that comes is a picture."""
    ran = gameline("calibrate", frames_in(tmp_path / "hidden", *18 * [pictures / "left.png"]))
    assert (ran.returncode, ran.stderr.count("not yet"), ran.stderr.count("\n")) == (1, 1, 2)
    assert "\ngameline: expected the four cards" in ran.stderr
    (tmp_path / "torn.png").write_bytes((pictures / "0.png").read_bytes()[:1000])
    ran = gameline("calibrate", frames_in(tmp_path / "torn", *3 * [tmp_path / "torn.png"]))
    assert (ran.returncode, ran.stderr.count("torn/00.png"), ran.stderr.count("\n")) == (1, 1, 1)


@pytest.mark.parametrize("is_any_good", [True, False])
def test_torn_frames_of_a_live_camera_are_passed_by(
    pictures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_any_good: bool,
) -> None:
    """Every second one of another size ends nothing; where all are, it is told with what to do."""
    good = load(pictures / "0.png")
    frames = itertools.cycle((good[:400], good if is_any_good else good[:400]))

    def grab() -> tuple[object, int | None]:
        time.sleep(0.005)
        return next(frames), None

    def opened(*_: object, **__: object) -> LiveCamera:
        return LiveCamera(grab=grab, release=lambda: None, source="usb", size=(1280, 720), timeout_s=20)

    monkeypatch.setattr(calibrating, "open_camera", opened)
    monkeypatch.setattr(calibrating, "SETTLING_S", 0.1)
    toml = frames_in(tmp_path / "none")
    options = argparse.Namespace(
        page=None, config=toml, picture=None, domino=48.0, seat0="bottom", draw=None, json=True
    )
    if is_any_good:
        assert calibrating.calibrate(options) == 0
        assert json.loads(capsys.readouterr().out)["passed"]
    else:
        with pytest.raises(Sorry, match="expected 1280x720 from usb, got 1280x400; set the camera's size"):
            calibrating.calibrate(options)


def test_command_prints_the_page_and_tells_wrong_usage(tmp_path: Path) -> None:
    """The page needs no configuration; no page and no configuration is a sentence, and so is another ending."""
    page = tmp_path / "cards.svg"
    assert gameline("calibrate", "--page", page).returncode == 0
    assert page.read_text().startswith("<svg")
    for words, complaint in (
        ((), "expected a configuration to calibrate, or --page"),
        (("--page", tmp_path / "cards.pdf"), "ends in .svg"),
        ((tmp_path / "missing.toml",), "expected a configuration file"),
    ):
        ran = gameline("calibrate", *words)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert complaint in ran.stderr


def test_file_is_json_with_its_version_first(tmp_path: Path) -> None:
    """Whoever opens it sees what it is."""
    path = tmp_path / "calibration.json"
    keep(path, FOUND)
    assert next(iter(msgspec.json.decode(path.read_bytes()))) == "version"
