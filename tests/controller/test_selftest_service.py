"""The self-test with everything around it: a real broker, mock pins, a folder of rendered frames; only time leaps."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory

from controller import machine
from controller.app import BackgroundService, Service, self_test_bench
from controller.config import BrokerConfig, CameraConfig, Config, JournalConfig, SeatsConfig, TableConfig
from controller.journal import Journal, JournalBusy
from controller.mosquitto import Mosquitto
from controller.selftest import Asked, Showing
from controller.selftest_results import Result
from controller.selftest_terminal import Screen, _own_stderr, _try_page
from hardware.pins import open_factory
from hardware.seats import Fault
from hardware.wiring import DEFAULT_WIRING
from tests.controller.engine_parts import FakeOutlet, FakeSeats, desk_of
from tests.controller.live_service import ROOT, Display
from tests.controller.technician import BUTTONS, Leaps, asked, result
from vision.images import _quiet
from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop
from vision.rig import Rig

LOG = logging.getLogger("test.selftest")
RIG = Rig(1440, 1080)
FRAMES = 3000


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five minutes of a table with 6-4 in its middle."""
    folder = tmp_path_factory.mktemp("frames")
    backdrop = Backdrop(RIG, Look(), np.random.default_rng(5))
    backdrop.lay([LineLayout(np.random.default_rng(5)).first(6, 4)])
    cv2.imwrite(str(folder / "laid.jpg"), backdrop.picture().bgr)
    (folder / "frames").mkdir()
    for number in range(FRAMES):
        (folder / "frames" / f"{number:04d}.jpg").symlink_to(folder / "laid.jpg")
    return folder / "frames"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, frames: Path, broker: Mosquitto) -> Config:
    return Config(
        table=TableConfig(name="hall", corners_px=RIG.table().corners_px),
        camera=CameraConfig(kind="folder", path=str(frames), fps=10.0),
        seats=SeatsConfig(pin_factory="mock"),
        broker=BrokerConfig(port=broker.port),
        journal=JournalConfig(path=str(tmp_path / "journal.sqlite")),
    )


class Finger:
    """Presses what a sentence asks for, a moment after it was said; time leaps instead of passing."""

    def __init__(self, factory: MockFactory, clock: Leaps) -> None:
        self._factory, self._clock = factory, clock
        self._done = ""

    def follow(self, say: str) -> None:
        """Do once what is said; called from the test's own thread."""
        act = asked(say)
        if act is None or say == self._done:
            return
        self._done = say
        time.sleep(0.1)  # the loop has begun the step
        self._clock.leap(7000 if "Buzzer" in say else 2700)
        pin = self._factory.pin(BUTTONS[act[0]])
        pin.drive_low()
        time.sleep(0.05)
        self._clock.leap(act[1])
        time.sleep(0.05)
        pin.drive_high()
        self._clock.leap(100)


def test_bench_passes_a_good_table_and_everything_is_off_afterwards(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pins, folder camera, real reader, real broker, disk: each with what came."""
    monkeypatch.setattr(machine, "SYNCHRONISED", tmp_path)
    factory, clock = open_factory("mock"), Leaps()
    finger, said = Finger(factory, clock), [""]
    over = threading.Event()

    def follow() -> None:
        while not over.wait(0.02):
            finger.follow(said[0])

    def tell(showing: Showing, results: object) -> None:
        said[0] = showing.say

    person = threading.Thread(target=follow)
    person.start()
    try:
        with self_test_bench(config, pin_factory=factory, clock_ns=clock, logger=LOG) as bench:
            report = bench.run(tell, by="Tess", with_sound=False, is_stopped=lambda: False)
    finally:
        over.set()
        person.join()
    assert [line for line in report.results if not line.passed] == []
    assert result(report, "camera, domino").came.split(",")[0] in ("6-4", "4-6")
    assert said[0] == f"The self-test is over. {report.last_word}".rstrip()
    assert result(report, "broker").came == "connected"
    assert not Path(config.journal.path).exists()
    seats = DEFAULT_WIRING.seats
    outputs = [pin for seat in seats for pin in (seat.green, seat.yellow, seat.red)]
    assert max(state.state for state in factory.pin(DEFAULT_WIRING.buzzer).states) == 1
    assert all(factory.pin(pin).state == 0 for pin in (*outputs, DEFAULT_WIRING.referee_lamp, DEFAULT_WIRING.buzzer))


def test_lamps_go_out_also_when_the_test_breaks_off(config: Config) -> None:
    """A fault of ours in the middle: the lamp that was lit is dark, the pins are given back."""
    factory = open_factory("mock")
    lamp_pins = (DEFAULT_WIRING.seats[0].green, DEFAULT_WIRING.seats[0].yellow, DEFAULT_WIRING.seats[0].red)

    def tell(showing: Showing, results: object) -> None:
        if any(factory.pin(pin).state for pin in lamp_pins):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), self_test_bench(config, pin_factory=factory, logger=LOG) as bench:
        bench.run(tell, by="Tess", with_sound=False, is_stopped=lambda: False)
    assert [factory.pin(pin).state for pin in lamp_pins] == [0, 0, 0]


def test_bench_does_not_begin_beside_a_running_service(config: Config) -> None:
    """Two programs on the same pins: the second says so and touches nothing."""
    path = Path(config.journal.path)
    with (
        Journal(path, boot_id="other", wall_utc=lambda: "", clock_synchronised=lambda: True),
        pytest.raises(JournalBusy, match="in use by another Gameline"),
        self_test_bench(config, pin_factory=open_factory("mock"), logger=LOG),
    ):
        raise AssertionError("it must not have started")


@pytest.fixture
def service(config: Config) -> Iterator[tuple[MockFactory, Leaps]]:
    """The service in its thread, on mock pins and a clock that can leap."""
    factory, clock = open_factory("mock"), Leaps()
    background = BackgroundService(lambda: Service(config, pin_factory=factory, clock_ns=clock, logger=LOG))
    background.start()
    assert background.failure is None
    yield factory, clock
    background.stop()


@pytest.fixture
def display(broker: Mosquitto, service: object) -> Iterator[Display]:
    made = Display(broker.port)
    made.wait_for("connection", lambda body: body["status"] == "online")
    yield made
    made.close()


def test_referee_has_the_table_tested_over_mqtt(
    service: tuple[MockFactory, Leaps], display: Display, broker: Mosquitto
) -> None:
    """The answer comes at once, each sentence on `selftest`, then the report; a display that comes late has it too."""
    finger = Finger(*service)
    assert _newest(broker) == {"running": False, "say": "", "report": None}
    assert display.order("selftest", sound=True)["accepted"]
    body = display.wait_for("selftest", lambda body: body["running"])
    assert (body["by"], body["step"], body["steps"]) == ("referee", 1, 9)
    again = display.order("selftest")
    assert (again["accepted"], again["reason"]) == (False, "already_running")
    while body["running"]:
        finger.follow(body["say"])
        body = display.wait_for("selftest")
    lines = {line["part"]: line for line in body["report"]["results"]}
    assert [part for part, line in lines.items() if not line["passed"]] in ([], ["clock"])
    assert lines["camera, domino"]["came"].startswith(("6-4", "4-6"))
    assert (body["report"]["by"], body["report"]["stopped"]) == ("referee", None)
    assert body["say"] == f"The self-test is over. {body['report']['last_word']}".rstrip()
    assert _newest(broker) == body


def test_test_is_refused_during_a_game_and_ended_by_one(service: tuple[MockFactory, Leaps], display: Display) -> None:
    """A game comes first: its presses are passes, its lamps are clocks."""
    none = display.order("selftest", stop=True)
    assert (none["accepted"], none["reason"]) == (False, "not_running")
    assert display.order("selftest")["accepted"]
    assert display.order("start_game", names=["S", "W", "N", "E"])["accepted"]
    report = display.wait_for("selftest", lambda body: body.get("report") is not None)["report"]
    assert (report["stopped"], report["passed"]) == ("a game was started", False)
    refused = display.order("selftest")
    assert (refused["accepted"], refused["reason"]) == (False, "game_running")
    assert "when it is over" in refused["text"]


def test_referee_ends_a_test_and_lamps_go_back_to_the_game(
    service: tuple[MockFactory, Leaps], display: Display
) -> None:
    """`stop` gives the report so far; the lamp under test goes dark."""
    factory, _ = service
    lamp = factory.pin(DEFAULT_WIRING.seats[0].green)
    assert display.order("selftest")["accepted"]
    _until(lambda: max(state.state for state in lamp.states) == 1)
    assert display.order("selftest", stop=True)["accepted"]
    report = display.wait_for("selftest", lambda body: body.get("report") is not None)["report"]
    assert report["stopped"] == "by referee"
    _until(lambda: lamp.state == 0)
    assert display.order("selftest")["accepted"]
    assert display.wait_for("selftest", lambda body: body["running"])["step"] == 1
    assert display.wait_for("heartbeat")["sequence"] == 0


@pytest.mark.parametrize(
    ("what", "came", "cure"),
    [
        ("no folder", "cannot be written", "folder is not there: start the service once"),
        ("damaged", "the journal there cannot be used", "is damaged ("),
        ("foreign", "the journal there cannot be used", "is not a Gameline journal"),
        ("half", "the journal there cannot be used", "its write-ahead log"),
        ("a folder", "the journal there cannot be used", "is not a file"),
        ("good", "MB free", ""),
        ("none", "MB free", ""),
    ],
)
def test_journal_is_told_by_what_is_wrong_with_it(
    config: Config, tmp_path: Path, what: str, came: str, cure: str
) -> None:
    """Nothing of it is a disk that cannot be written; and whoever looks leaves no file behind."""
    folder = tmp_path / "folder"
    path = folder / "journal.sqlite"
    if what != "no folder":
        folder.mkdir()
    if what in ("damaged", "good"):
        Journal(path, boot_id="other", wall_utc=lambda: "", clock_synchronised=lambda: True).close()
    match what:
        case "damaged":
            path.write_bytes(path.read_bytes()[:5000])
        case "foreign":
            path.write_text("a letter")
        case "half":
            path.with_name("journal.sqlite-wal").touch()
        case "a folder":
            path.mkdir()
    before = sorted(folder.glob("*"))
    other = msgspec.structs.replace(config, journal=JournalConfig(path=str(path)))
    with self_test_bench(other, pin_factory=open_factory("mock"), logger=LOG) as bench:
        report = bench.run(lambda showing, results: None, by="Tess", with_sound=False, is_stopped=lambda: True)
    disk = result(report, "disk")
    assert came in disk.came
    assert cure in disk.to_do
    assert sorted(folder.glob("*")) == before


def test_trying_the_broker_throws_no_service_out(
    config: Config, service: tuple[MockFactory, Leaps], display: Display, tmp_path: Path
) -> None:
    """A table of the same name on this machine: its displays hear of no coming and going, and it stays connected."""
    (tmp_path / "other").mkdir()
    other = msgspec.structs.replace(config, journal=JournalConfig(path=str(tmp_path / "other" / "journal.sqlite")))
    began_s = time.monotonic()
    with self_test_bench(other, pin_factory=open_factory("mock"), logger=LOG) as bench:
        report = bench.run(
            lambda showing, results: None,
            by="Tess",
            with_sound=False,
            is_stopped=lambda: time.monotonic() - began_s > 3,
        )
    assert result(report, "broker").came == "connected"
    display.order("selftest", stop=True)  # its answer comes after everything that was said before
    assert [topic for topic, _ in display.heard_so_far if topic == "connection"] == ["connection"]


@pytest.mark.usefixtures("open_to_all")
def test_another_user_does_not_test_beside_a_running_service(
    config_file: Path, service: tuple[MockFactory, Leaps], display: Display
) -> None:
    """The lock is the service's own: nobody knows whether it runs, so nothing begins and nothing is said of it."""
    config_file.with_name("journal.sqlite.lock").chmod(0)
    ran = as_another("selftest", str(config_file), "--json")
    assert (ran.returncode, ran.stdout) == (1, "")
    (sentence,) = ran.stderr.splitlines()
    assert "Permission denied" in sentence
    assert "test as the service's user, sudo -u gameline" in sentence
    display.order("selftest", stop=True)  # its answer comes after everything that was said before
    assert [topic for topic, _ in display.heard_so_far if topic == "connection"] == ["connection"]


@pytest.mark.usefixtures("open_to_all")
def test_folder_that_may_not_be_looked_into_does_not_hide_a_service(config_file: Path, tmp_path: Path) -> None:
    """What cannot be seen is not taken for not being there."""
    (closed := tmp_path / "closed").mkdir(mode=0)
    text = config_file.read_text().replace(str(tmp_path / "journal.sqlite"), str(closed / "journal.sqlite"))
    config_file.write_text(text)
    ran = as_another("selftest", str(config_file), "--json")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "test as the service's user, sudo -u gameline" in ran.stderr


ANOTHER = """
import os, sys
from controller import selftest_terminal
from controller.cli import main
if os.geteuid() == 0:
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""
"""The command line of a user who owns nothing here; what it imports is read while that may still be read."""


def as_another(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user who may read every folder of the test but owns nothing in it."""
    return python("-c", ANOTHER, *arguments)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What Python says to some arguments, with this repository's files."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture
def open_to_all(tmp_path: Path) -> Iterator[None]:
    """pytest keeps its folders to their owner."""
    above = [folder for folder in tmp_path.parents if folder.stat().st_mode & 0o055 != 0o055]
    kept = {folder: folder.stat().st_mode for folder in (tmp_path, *above)}
    for folder, mode in kept.items():
        folder.chmod(mode | 0o055)
    yield
    for folder, mode in kept.items():
        folder.chmod(mode)


def _newest(broker: Mosquitto) -> Any:
    """What a display that comes now hears of the self-test."""
    late = Display(broker.port)
    try:
        return late.wait_for("selftest")
    finally:
        late.close()


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("asked_by_night", "came"),
    [(Asked("Olga"), "quiet hours"), (Asked("Olga", with_sound=True), "played; nobody confirmed it")],
)
def test_buzzer_sounds_by_night_only_where_it_is_asked_for(asked_by_night: Asked, came: str) -> None:
    """A display that starts a test at night wakes nobody by mistake."""
    outlet, looks = FakeOutlet(), list[int]()
    desk = desk_of(outlet, FakeSeats(is_night=True), looks)
    assert desk.ask(asked_by_night, 0, is_game_on=False) is None
    now_ns, sounds = 0, set[int]()
    while desk.is_running:
        now_ns += 500_000_000
        desk.frame(now_ns, now_ns)
        desk.turn(now_ns, faults={}, noise={}, camera_trouble=None)
        sounds.add(desk.showing.sound[0] if desk.showing else 0)
    lines = {line["part"]: line for line in outlet.selftests[-1]["report"]["results"]}
    assert came in lines["buzzer"]["came"]
    assert sounds == (set(range(6)) if asked_by_night.with_sound else {0})
    assert len(looks) == 2


def test_button_that_chatters_does_not_flood_the_broker() -> None:
    """Its count is another one on every round of the loop; displays hear of it twice a second."""
    outlet = FakeOutlet()
    desk = desk_of(outlet, FakeSeats())
    assert desk.ask(Asked("Olga"), 0, is_game_on=False) is None
    for number in range(500):
        fault = Fault("button", "button_chatters", f"button chatters ({number} pulses)", "check its plug and its wire")
        desk.turn(20_000_000 * number, faults={"seat 0": [fault]}, noise={"seat 0": number}, camera_trouble=None)
    assert 15 < len(outlet.selftests) < 25
    assert "chatters" in outlet.selftests[-1]["say"]


# --- the command ---


def test_screen_says_each_thing_once() -> None:
    """A sentence, or a result, that differs only in its count of pulses is not printed again."""
    out = io.StringIO()
    screen = Screen(out)
    for number in range(100):
        showing = Showing(1, 9, f"(seat 0: {number} pulses.) Press.", 15, ((0, 0, 0),) * 4, None, 0, (0, 0))
        screen.show(showing, [Result("seat 0, button", "quiet", f"{number} pulses too short", False, "check")])
    screen.show(replace(showing, step=2, say="Next."), [])
    assert len(out.getvalue().splitlines()) == 3


def test_guide_is_heard_while_a_picture_is_decoded(capfd: pytest.CaptureFixture[str]) -> None:
    """The libraries' complaints go nowhere meanwhile; the sentence for the person does not."""
    with _own_stderr() as out, _quiet():
        print("Seat 0", file=out, flush=True)
    assert "Seat 0" in capfd.readouterr().err


@pytest.fixture
def config_file(tmp_path: Path, config: Config) -> Path:
    corners = [list(corner) for corner in config.table.corners_px or ()]
    path = tmp_path / "gameline.toml"
    path.write_text(
        f'[table]\nname = "hall"\ncorners_px = {corners}\n[camera]\nkind = "folder"\npath = "{config.camera.path}"\n'
        f'[seats]\npin_factory = "mock"\n[broker]\nport = {config.broker.port}\n'
        f'[journal]\npath = "{config.journal.path}"\n'
    )
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_command_that_is_interrupted_reports_what_it_has(config_file: Path, number: int) -> None:
    """Ctrl-C, a kill, a closed terminal: stdout has the one object, stderr had the sentences, exit code 1."""
    page = config_file.with_name("page.html")
    command = [sys.executable, "-m", "controller", "selftest", str(config_file), "--json", "--html", str(page)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        heard = next(line for line in running.stderr if line.startswith("[1/9]"))
        running.send_signal(number)
        out, said = running.communicate(timeout=30)
    assert "Seat 0: watch its lamp" in heard
    body: dict[str, Any] = json.loads(out)
    assert (running.returncode, body["stopped"], body["passed"]) == (1, "by the person who tested", False)
    assert "Traceback" not in said
    assert "not tested: the test was ended before" in page.read_text()


ON_ITS_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from controller.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The command line with the terminal that a shell gives it, whose end it is told by SIGHUP."""


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "not told"])
def test_terminal_that_closes_leaves_the_page(config_file: Path, *, is_told: bool) -> None:
    """A closed window, a lost connection: the test goes on or ends as it is told to, and the page is there."""
    page = config_file.with_name("page.html")
    start = ["-c", ON_ITS_TERMINAL] if is_told else ["-m", "controller"]
    ours, its = pty.openpty()
    command = [sys.executable, *start, "selftest", str(config_file), "--html", str(page)]
    with subprocess.Popen(command, cwd=ROOT, stdin=its, stdout=its, stderr=its, start_new_session=True) as running:
        os.close(its)
        _hear(ours, b"[1/9]")
        _hear(ours, b" 13 s")  # two seconds later
        os.close(ours)
        if not is_told:
            time.sleep(1.5)  # the countdown is written to what is no more
            assert running.poll() is None
            running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=30) == 1
    assert "ended before" in page.read_text()


def _hear(terminal: int, words: bytes) -> None:
    """Read until these words have come."""
    heard, deadline_s = b"", time.monotonic() + 30
    while words not in heard:
        assert time.monotonic() < deadline_s, heard
        heard += os.read(terminal, 4096)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("where", ["closed pipe", "/dev/full"])
def test_result_that_cannot_be_printed_is_said_and_the_page_is_there(
    config_file: Path, where: str, form: tuple[str, ...]
) -> None:
    """`| true`, a full disk: one sentence on stderr, exit code 1."""
    page = config_file.with_name("page.html")
    if where == "closed pipe":
        reading, out = os.pipe()
        os.close(reading)
    else:
        out = os.open(where, os.O_WRONLY)
    command = [sys.executable, "-m", "controller", "selftest", str(config_file), *form, "--html", str(page)]
    with subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True) as running:
        os.close(out)
        assert running.stderr is not None
        next(line for line in running.stderr if line.startswith("[1/9]"))
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 1
    last = said.splitlines()[-1]
    assert last.startswith("gameline: the result could not be printed (")
    assert last.endswith(f"it is in {page}")
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert "ended before" in page.read_text()


def test_guide_that_nobody_reads_is_said_below_the_result(config_file: Path) -> None:
    """stderr leads to a program that has ended: the result is printed, and that not everything was shown."""
    command = [sys.executable, "-m", "controller", "selftest", str(config_file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        next(line for line in running.stderr if line.startswith("[1/9]"))
        running.stderr.close()
        running.send_signal(signal.SIGINT)
        out = running.stdout.read()
    assert running.returncode == 1
    assert out.startswith("Self-test of hall")
    assert out.splitlines()[-1].startswith("gameline: the sentences could not be shown to the end (Broken pipe)")


@pytest.mark.usefixtures("open_to_all")
def test_page_that_may_not_be_written_over_is_said_before_anybody_walks(config_file: Path) -> None:
    """A file of somebody else; what can be written is neither made nor changed by the question."""
    (page := config_file.with_name("page.html")).write_text("kept")
    page.chmod(0o444)
    ran = as_another("selftest", str(config_file), "--html", str(page))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "can be written for --html" in ran.stderr
    assert "Permission denied" in ran.stderr
    page.chmod(0o644)
    _try_page(page)
    assert page.read_text() == "kept"
    _try_page(page.with_name("new.html"))
    assert not page.with_name("new.html").exists()


def test_command_says_what_is_wrong_before_anybody_walks(config_file: Path, tmp_path: Path) -> None:
    """No configuration, a page that cannot be written, wrong usage: one sentence, before two minutes are gone."""
    for arguments, code, sentence in (
        ([str(tmp_path / "none.toml")], 1, "give the path of one"),
        ([str(config_file), "--html", "/proc/nowhere/page.html"], 1, "can be written for --html"),
        ([str(config_file), "--html", ""], 2, "expected a file's name, got an empty one"),
        ([], 2, "usage"),
    ):
        done = python("-m", "controller", "selftest", *arguments)
        assert (done.returncode, sentence in done.stderr, done.stdout) == (code, True, "")
