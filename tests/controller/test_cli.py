"""The command line as a person types it: real processes, real files, one clear sentence for each mistake."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli import EXAMPLES
from tests.vision.film import RIG, TABLE, Film
from vision import things
from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop, Placed, Reaching
from vision.rig import Rig

ROOT = Path(__file__).parents[2]
MOVES = (("R", 4, 4), ("R", 4, 1), ("L", 6, 5))


def gameline(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command and keep what it said."""
    command = [sys.executable, "-m", "controller", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames of four moves: a hand brings a domino, leaves, and all lies still."""
    folder = tmp_path_factory.mktemp("frames")
    rng = np.random.default_rng(11)
    backdrop, layout, number = Backdrop(Rig(1440, 1080), Look(), rng), LineLayout(rng), 0
    for move in (None, *MOVES):
        new = layout.first(6, 4) if move is None else layout.add("L" if move[0] == "L" else "R", move[1], move[2])
        steps = [[Reaching(0, new.x_mm, new.y_mm, new)]] * 2
        for arms in (*steps, None, *[()] * 5):
            if arms is None:
                backdrop.lay(layout.lying)
                arms = [Reaching(0, new.x_mm, new.y_mm)]
            cv2.imwrite(str(folder / f"{number:03d}.png"), backdrop.picture(arms).bgr)
            number += 1
    return folder


def test_read_says_what_lies_in_a_picture_as_one_object_a_line(film: Path) -> None:
    """`--json` has file, tiles with corners and probabilities, the line, its branches, and the seconds it took."""
    last = max(film.iterdir())
    ran = gameline("read", "--json", last, last)
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (ran.returncode, ran.stderr, len(records)) == (0, "", 2)
    record = records[0]
    assert sorted(record) == ["branches", "file", "line", "seconds", "tiles"]
    assert record["branches"] == []
    assert sorted(tuple(sorted((t["a"], t["b"]))) for t in record["tiles"]) == [(1, 4), (4, 4), (4, 6), (5, 6)]
    assert record["line"] in ([[5, 6], [6, 4], [4, 4], [4, 1]], [[1, 4], [4, 4], [4, 6], [6, 5]])
    assert all(len(tile["corners"]) == 4 and 0 < tile["confidence"] <= 1 for tile in record["tiles"])
    for tile in record["tiles"]:
        for half in ("a", "b"):
            assert len(tile["probabilities"][half]) == 7
            assert max(range(7), key=tile["probabilities"][half].__getitem__) == tile[half]


def test_evaluate_writes_a_page_and_a_sheet(film: Path, tmp_path: Path) -> None:
    """A picture labelled wrongly is a failure on both; without failures no sheet is written, and that is said."""
    shutil.copy(max(film.iterdir()), tmp_path / "one.png")
    labels = tmp_path / "labels.jsonl"
    out, sheet = tmp_path / "page.html", tmp_path / "sheet.png"
    labels.write_text('{"file": "one.png", "tiles": [[1, 4], [4, 4], [4, 6], [0, 0]]}')
    ran = gameline("evaluate", tmp_path, "--page", out, "--sheet", sheet)
    assert ran.returncode == 0
    assert "missed 0-0; invented 5-6" in ran.stdout.replace("6-5", "5-6")
    assert "data:image/jpeg" in out.read_text()
    assert cv2.imread(str(sheet)) is not None
    sheet.unlink()
    labels.write_text('{"file": "one.png", "tiles": [[1, 4], [4, 4], [4, 6], [5, 6]]}')
    ran = gameline("evaluate", tmp_path, "--json", "--sheet", sheet)
    assert json.loads(ran.stdout)["groups"][0]["exact"] == 1
    assert "no picture failed" in ran.stderr
    assert not sheet.exists()


def test_read_draws_what_it_read(film: Path, tmp_path: Path) -> None:
    """`--draw` writes a picture of the same size with something drawn on it."""
    last = max(film.iterdir())
    out = tmp_path / "drawn.png"
    assert gameline("read", last, "--draw", out).returncode == 0
    before, after = cv2.imread(str(last)), cv2.imread(str(out))
    assert before is not None
    assert after is not None
    assert before.shape == after.shape
    assert (before != after).any()


def test_read_names_a_bad_file_in_one_sentence_and_reads_the_others(film: Path, tmp_path: Path) -> None:
    """One broken picture among good ones: exit code 1, one sentence, and the good ones are read."""
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"no picture")
    ran = gameline("read", "--json", bad, max(film.iterdir()), tmp_path / "missing.png")
    assert (ran.returncode, len(ran.stdout.splitlines())) == (1, 1)
    assert [str(bad) in ran.stderr, "missing.png" in ran.stderr, ran.stderr.count("\n")] == [True, True, 2]


def test_read_says_what_is_wrong_with_the_name_to_draw_to(film: Path, tmp_path: Path) -> None:
    """A picture needs an ending that says its kind."""
    ran = gameline("read", max(film.iterdir()), "--draw", tmp_path / "drawn.xyz")
    assert (ran.returncode, "--draw" in ran.stderr, "Traceback" in ran.stderr) == (1, True, False)


def test_watch_tells_every_move_once_at_its_end(film: Path) -> None:
    """A folder of frames becomes moves: the first domino, then each at its end, inner half first."""
    ran = gameline("watch", film, "--fps", "4", "--json")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    played = [(event["tile"], event["end"]) for event in events if event["type"] == "played"]
    assert ran.returncode == 0
    assert all({"frame", "type"} <= set(event) for event in events)
    mirrored = [([4, 6], "first"), ([4, 4], "L"), ([4, 1], "L"), ([6, 5], "R")]
    assert played in ([([6, 4], "first"), ([4, 4], "R"), ([4, 1], "R"), ([6, 5], "L")], mirrored)


def test_watch_remembers_what_a_cup_hides_as_the_service_does(tmp_path: Path) -> None:
    """A cup put over the last domino of the line is nothing; when the domino is taken away it is named."""
    game, cup_rng = Film().still(), np.random.default_rng(1)
    for count in range(1, 4):
        game.play(count, seat=count % 4)
    last = game.line[2]
    cup = Placed(things.cup(cup_rng, 2.0), last.x_mm, last.y_mm, 0, 60)
    game.arms((), 8, things=(cup,)).still()
    game.lay(2).still()
    for number, bgr in enumerate(game.frames):
        cv2.imwrite(str(tmp_path / f"{number:03}.png"), bgr)
    ran = gameline("watch", tmp_path, "--fps", "8", "--json")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    told = [(event["type"], event.get("code"), event["tile"]) for event in events if "tile" in event]
    assert [kind for kind, _, _ in told] == ["played", "played", "played", "out_of_sync"]
    assert told[-1][1:] == ("tile_missing", [6, 1])


def test_watch_takes_the_table_of_a_configuration_for_a_recording(tmp_path: Path) -> None:
    """A domino laid open in a zone is no first move where the table is known; frames of another size are told."""
    corners = [[round(float(v), 2) for v in corner] for corner in TABLE.corners_px]
    config = tmp_path / "gameline.toml"
    text = f'[table]\ncorners_px = {corners}\ncalibration = "{tmp_path}/none.json"\n[camera]\n'
    config.write_text(f"{text}width_px = {RIG.width_px}\nheight_px = {RIG.height_px}\n")
    game = Film().still()
    game.lay(0, *LineLayout(np.random.default_rng(1)).shown(0, [(2, 5)])).still()
    folder = tmp_path / "frames"
    folder.mkdir()
    for number, bgr in enumerate(game.frames):
        cv2.imwrite(str(folder / f"{number:03}.png"), bgr)
    told = {
        words: [json.loads(line)["type"] for line in gameline("watch", folder, "--json", *words).stdout.splitlines()]
        for words in ((), ("--config", str(config)))
    }
    assert list(told.values()) == [["played"], []]
    config.write_text(f"{text}width_px = 320\nheight_px = 240\n")
    ran = gameline("watch", folder, "--config", config)
    assert (ran.returncode, "expected frames of 320x240" in ran.stderr, "got 640x480" in ran.stderr) == (1, True, True)


def test_watch_shows_a_recording_on_a_page_whose_button_makes_a_test_case(film: Path, tmp_path: Path) -> None:
    """Once the last frame has passed the page stays; what is saved there is evaluated as it is."""
    cases = tmp_path / "cases"
    words = ("watch", film, "--fps", "10", "--view", "--listen", "127.0.0.1:0", "--cases", cases)
    command = [sys.executable, "-m", "controller", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        try:
            origin = running.stderr.readline().split()[3].removesuffix("/,")
            assert "the page stays" in running.stderr.readline()
            with urllib.request.urlopen(f"{origin}/picture/dominoes.jpg", timeout=10) as answer:
                assert answer.read(2) == b"\xff\xd8"
            save = urllib.request.Request(f"{origin}/save/dominoes", b"", {"Origin": origin})
            with urllib.request.urlopen(save, timeout=10) as answer:
                assert str(cases) in answer.read().decode()
            running.send_signal(signal.SIGTERM)
            assert running.wait(timeout=20) == 0
            assert re.search("6-4 first|4-6 first", running.stdout.read())
        finally:
            running.kill()
    ran = gameline("evaluate", cases, "--json")
    group = json.loads(ran.stdout)["groups"][0]
    assert (group["pictures"], group["exact"], group["lines_right"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("fly",), 2),
        (("demo", "--speed", "0"), 2),
        (("demo", "--sets", "5"), 1),
        (("watch", "nowhere"), 1),
        (("watch",), 2),
        (("watch", "frames", "--config", "nowhere.toml"), 1),
        (("watch", "frames", "--view", "--listen", "8420"), 2),
        (("watch", "--config", "nowhere.toml"), 1),
        (("demo", "--seed", "-3"), 2),
        (("demo", "--film", "README.md"), 1),
        (("read", "a.jpg", "b.jpg", "--draw", "README.md"), 1),
    ],
)
def test_wrong_usage_and_bad_input_have_their_own_exit_codes(words: tuple[str, ...], code: int) -> None:
    """2 for words that make no command, 1 for input that can't be used; never a traceback."""
    ran = gameline(*words)
    assert (ran.returncode, "Traceback" in ran.stderr, ran.stdout) == (code, False, "")


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_command_has_help_with_an_example(command: str) -> None:
    """`--help` shows how to use it, in one line that can be copied."""
    ran = gameline(command, "--help")
    assert ran.returncode == 0
    assert ran.stdout.endswith(f"\nexample: {EXAMPLES[command]}\n")
    assert EXAMPLES[command].startswith(f"gameline {command} ")
