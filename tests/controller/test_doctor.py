"""`gameline doctor` at tables with one thing wrong: real brokers, ports, files, and a camera that hangs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import serial

from controller import cli, doctor_disk, doctor_machine, machine
from controller.calibration import keep
from controller.certificates import SERVER_DAYS, make_authority, make_server
from controller.config import CameraConfig, Config, SeatsConfig
from controller.doctor_checks import Check, Found, Patient, examine
from controller.doctor_disk import IN_MEMORY, filesystem_of
from controller.journal import Draft, Journal
from controller.mosquitto import Mosquitto
from tests.controller.live_service import ROOT, Display, config_in, film_in, own_mounts
from tests.controller.pi_sensors import sensors_in
from tests.firmware_bridge.fake_board import FakeBoard
from tests.firmware_bridge.pty_board import PtyBoard
from vision.calibration import Calibration, Score
from vision.rest import rest_of
from vision.rig import Rig

RIG = Rig(1440, 1080)
Lines = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film_in(tmp_path_factory.mktemp("film"))


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, film: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that is well; the machine's clock is set, and its /tmp may be in memory, as it is on some."""
    monkeypatch.setattr(doctor_disk, "IN_MEMORY", ())
    (tmp_path / "synchronized").touch()
    monkeypatch.setattr(machine, "SYNCHRONISED", tmp_path / "synchronized")
    return config_in(tmp_path, film=film, port=broker.port, pin_factory="mock")


@pytest.fixture
def look(config: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Lines]:
    """What the doctor says of the table, by part, after changes to its configuration; it exits with `code`."""

    def asked(*changes: tuple[str, str], code: int = 1) -> Lines:
        text = config.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        config.write_text(text)
        assert cli.main(["doctor", str(config), "--json"]) == code
        told = json.loads(capsys.readouterr().out)
        assert told["well"] is (code == 0)
        lines: Lines = {}
        for line in told["checks"]:
            lines.setdefault(line["part"], line)
            assert line["well"] is not False or len(line["cure"]) > 10, line
        return lines

    return asked


@pytest.fixture
def vcgencmd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a program of this name into the PATH that does as the script says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    def put(script: str) -> None:
        (folder / "vcgencmd").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "vcgencmd").chmod(0o755)

    return put


def ill(lines: Lines) -> list[str]:
    """Which parts are not well."""
    return [part for part, line in lines.items() if line["well"] is False]


def test_table_that_is_well_has_ticks_and_exit_code_0(
    look: Callable[..., Lines], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything was looked at; what this machine has not got is said to be so."""
    lines = look(code=0)
    assert [part for part, line in lines.items() if line["well"] and part not in ("temperature", "power", "unit")] == [
        *("configuration", "calibration", "camera", "picture", "broker", "broker rights", "disk", "permissions"),
        *("user", "groups", "clock", "time zone", "memory", "libraries"),
    ]
    assert {"temperature", "power", "unit", "journal", "pins"} < lines.keys()
    assert re.fullmatch(r"1440x1080, \d\.\d\d s old", lines["camera"]["found"])
    assert lines["broker rights"]["found"] == "(anonymous) may publish gameline/v1/hall/#"
    assert cli.main(["doctor", str(config)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert (told[0], told[-1]) == (f"✓ configuration: {config}", "all is well")
    assert '– pins: mock pins: nothing is wired (pin_factory = "mock")' in told


def test_broken_configuration_is_told_with_its_key_and_the_machine_is_looked_at(look: Callable[..., Lines]) -> None:
    """What needs it is left out."""
    lines = look(("port = ", "prot = "))
    assert ill(lines) == ["configuration"]
    assert "broker.prot: expected one of" in lines["configuration"]["cure"]
    assert (lines["clock"]["well"], "camera" in lines, "broker" in lines) == (True, False, False)


def test_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", str(tmp_path / "none.toml")]) == 1
    assert "give the path of one" in capsys.readouterr().out


def port_line(broker: Mosquitto, port: int, more: str = "") -> tuple[str, str]:
    return f"port = {broker.port}\n", f"port = {port}\n{more}"


def test_broker_that_is_away_swallows_or_is_none_is_told_with_its_cure(
    look: Callable[..., Lines], broker: Mosquitto
) -> None:
    """Nothing listens; something takes the connection and is silent for ever; nothing comes through at all."""
    lines = look(port_line(broker, 1))
    assert ill(lines) == ["broker"]
    assert "start it, or correct host and port" in lines["broker"]["cure"]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began_s, silent_port = time.monotonic(), silent.getsockname()[1]
        lines = look(("port = 1\n", f"port = {silent_port}\n"))
        assert time.monotonic() - began_s < 30
    assert "does not answer within 5 s" in lines["broker"]["found"]
    assert "firewall" in lines["broker"]["cure"]
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, contextlib.ExitStack() as waiting:
        for _ in range(3):  # whose queue is full: the kernel drops what else comes, as a firewall would
            knock = waiting.enter_context(socket.socket())
            knock.setblocking(False)
            knock.connect_ex(deaf.getsockname())
        lines = look((f"port = {silent_port}\n", f"port = {deaf.getsockname()[1]}\n"))
    assert "does not answer (timed out)" in lines["broker"]["cure"]


def test_wrong_password_and_missing_rights_are_told(
    look: Callable[..., Lines], broker: Mosquitto, tmp_path: Path
) -> None:
    """The login is refused; with another broker it is not, but its rules keep our topics out: whom to let do what."""
    (tmp_path / "password").write_text("hunter2\n")
    (tmp_path / "password").chmod(0o600)
    user = f'username = "hall"\npassword_file = "{tmp_path / "password"}"\n'
    (tmp_path / "strict").mkdir()
    with Mosquitto(tmp_path / "strict", lines=["allow_anonymous false"]) as strict:
        lines = look(port_line(broker, strict.port, user))
        assert ill(lines) == ["broker"]
        assert "put the account's right password into broker.password_file" in lines["broker"]["cure"]
        before = f"port = {strict.port}\n"
    rules = tmp_path / "rules"
    rules.write_text("topic read #\n")
    with Mosquitto(tmp_path / "strict", lines=[f"acl_file {rules}"]) as strict:
        lines = look((before, f"port = {strict.port}\n"))
        assert ill(lines) == ["broker rights"]
        assert "let the user hall write gameline/v1/hall/#" in lines["broker rights"]["cure"]


@pytest.mark.filterwarnings(
    # paho leaves the socket of a handshake that failed to the collector (2.2, _create_socket)
    "ignore:.*ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
def test_certificate_of_the_broker_is_told_with_its_days_and_how_to_renew_it(
    look: Callable[..., Lines], broker: Mosquitto, tmp_path: Path
) -> None:
    """A broker with TLS shows one that is good for long, one that ends in twelve days, one that is over."""
    now = datetime.now(UTC)
    authority = make_authority("A", now=now)
    (tmp_path / "ca.crt").write_bytes(authority.certificate)
    files = [f"certfile {tmp_path}/s.crt", f"keyfile {tmp_path}/s.key"]
    change = port_line(broker, 0, f'tls = true\nca_file = "{tmp_path}/ca.crt"\n')
    for days_left, parts in (
        (500, []),
        (12, ["broker certificate"]),
        (-1, ["broker"]),
    ):
        server = make_server(
            authority, ["127.0.0.1"], now=now - timedelta(days=SERVER_DAYS - 1 - days_left, minutes=-5)
        )
        (tmp_path / "s.crt").write_bytes(server.certificate)
        (tmp_path / "s.key").write_bytes(server.key)
        with Mosquitto(tmp_path, lines=files) as guarded:
            lines = look((change[0], change[1].replace("port = 0\n", f"port = {guarded.port}\n")), code=bool(parts))
            change = (f"port = {guarded.port}\n", "port = 0\n")
        assert ill(lines) == parts
        if days_left > 0:
            day = f"{now + timedelta(days=days_left, minutes=5):%Y-%m-%d}"
            assert lines["broker certificate"]["found"] == f"ends in {days_left} days, on {day}"
        if parts:
            assert "run `gameline broker-config` with --renew there and restart" in lines[parts[0]]["cure"]
    assert "shows a certificate that we do not trust" in lines["broker"]["found"]
    assert "has expired" in lines["broker"]["cure"]


def test_files_that_others_may_read_or_change_are_told(
    look: Callable[..., Lines], broker: Mosquitto, config: Path, tmp_path: Path
) -> None:
    """The password must be the service's alone; a password that is not there stops the start."""
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    secret.chmod(0o644)
    config.chmod(0o666)
    lines = look(port_line(broker, broker.port, f'username = "hall"\npassword_file = "{secret}"\n'))
    assert ill(lines) == ["permissions"]
    assert lines["permissions"]["cure"] == f"sudo chmod 644 {config}"
    config.chmod(0o644)
    assert look()["permissions"]["cure"] == f"sudo chmod 600 {secret}"
    secret.unlink()
    lines = look()
    assert ill(lines) == ["broker", "permissions"]
    assert "put the password alone into this file" in lines["permissions"]["cure"]


def test_camera_that_is_not_there_and_picture_that_is_dark_are_told(
    look: Callable[..., Lines], film: Path, tmp_path: Path
) -> None:
    """Each with what to do about it."""
    lines = look(('kind = "folder"', 'kind = "v4l2"'), (str(film), "/dev/v4l/by-id/none"))
    assert (ill(lines), lines["camera"]["found"]) == (["camera"], "no frame")
    assert "plug it in, or choose from `ls /dev/v4l/by-id/`" in lines["camera"]["cure"]
    dark = tmp_path / "dark"
    dark.mkdir()
    cv2.imwrite(str(dark / "0.png"), np.full((1080, 1440, 3), 9, np.uint8))
    lines = look(('kind = "v4l2"', 'kind = "folder"'), ("/dev/v4l/by-id/none", str(dark)))
    assert ill(lines) == ["picture"]
    assert "switch the lamp on" in lines["picture"]["cure"]


def test_calibration_that_is_missing_spoilt_or_no_longer_fits_is_told(
    look: Callable[..., Lines], film: Path, tmp_path: Path
) -> None:
    """One look at the table says whether the camera has been pushed since."""
    kept = tmp_path / "calibration.json"
    corners = next(line for line in (tmp_path / "gameline.toml").read_text().splitlines() if "corners_px" in line)
    lines = look((corners, f'calibration = "{kept}"'))
    assert ill(lines) == ["calibration"]
    assert "gameline calibrate" in lines["calibration"]["cure"]
    empty, table = cv2.imread(str(film / ".." / "empty.png")), RIG.table()
    assert empty is not None
    rest = rest_of(np.asarray(empty, np.uint8), table)
    keep(kept, Calibration((1440, 1080), table, 48.0, Score(0.4, 17.2, 1.0, 2.1, ()), rest, {}))
    lines = look(("fps = 10.0", "fps = 10.0\nwidth_px = 1440\nheight_px = 1080"), code=0)
    assert lines["calibration"]["found"] == "0 days old, 0.4 mm off, halves of 17 pixels"
    assert lines["picture"]["found"] == "light enough, as it was calibrated"
    pushed = tmp_path / "pushed"
    pushed.mkdir()
    by = np.array([[1.0, 0.0, 12.0], [0.0, 1.0, 5.0]])
    cv2.imwrite(str(pushed / "0.png"), cv2.warpAffine(empty, by, (1440, 1080), borderMode=cv2.BORDER_REPLICATE))
    lines = look((str(film), str(pushed)))
    assert (ill(lines), lines["picture"]["found"]) == (["picture"], "camera moved")
    assert "push the camera back" in lines["picture"]["cure"]
    kept.write_text("{}")
    lines = look()
    assert ill(lines) == ["calibration"]
    assert "run gameline calibrate" in lines["calibration"]["cure"]


def test_pins_that_are_not_there_are_told(look: Callable[..., Lines]) -> None:
    """On a machine without a header, with what was looked for."""
    lines = look(('pin_factory = "mock"', 'pin_factory = "rpigpio"'))
    assert "pins" in ill(lines)
    assert "expected a chip labelled pinctrl-bcm2711" in lines["pins"]["found"]


def test_seat_board_that_answers_is_away_or_is_taken_is_told(look: Callable[..., Lines], tmp_path: Path) -> None:
    """Its firmware and its time; no such port; a port that another program has."""
    port = tmp_path / "board"
    lines = look(('pin_factory = "mock"', f'kind = "board"\nport = "{port}"'))
    assert ill(lines) == ["seat board"]
    assert "plug the seat board in" in lines["seat board"]["cure"]
    with PtyBoard(port, FakeBoard()):
        lines = look(code=0)
        assert "answers in" in lines["seat board"]["found"]
        with serial.Serial(str(port), exclusive=True):
            lines = look()
    assert ill(lines) == ["seat board"]
    assert "is used by another program" in lines["seat board"]["cure"]


def test_port_of_a_page_that_another_program_has_is_told(look: Callable[..., Lines], broker: Mosquitto) -> None:
    """Also an address that this machine has not; without pages nothing is asked."""
    with socket.create_server(("127.0.0.1", 0)) as another:
        port = another.getsockname()[1]
        lines = look(("[journal]", f"[view]\nport = {port}\n[metrics]\nport = {port}\n[journal]"))
        assert ill(lines) == ["view page", "metrics page"]
        assert "correct metrics.port and metrics.host" in lines["metrics page"]["cure"]
    assert look(code=0)["view page"]["found"] == f"127.0.0.1:{port} is free"
    lines = look((f"[metrics]\nport = {port}", f'[metrics]\nport = {port}\nhost = "192.0.2.1"'))
    assert ill(lines) == ["metrics page"]


def test_journal_that_is_damaged_or_of_another_program_is_told(look: Callable[..., Lines], tmp_path: Path) -> None:
    """Nothing of it is changed by looking."""
    path = tmp_path / "journal.sqlite"
    with Journal(path, boot_id="b", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
        journal.append([Draft("passed", 1, {"seat": 1})] * 3)
    assert look(code=0)["journal"]["found"] == "3 entries, each as it was written"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'{"seat":1}', b'{"seat":2}', 1))
    spoilt = path.read_bytes()
    lines = look()
    assert (ill(lines), lines["journal"]["found"]) == (["journal"], "journal damaged")
    assert "set it aside" in lines["journal"]["cure"]
    assert path.read_bytes() == spoilt


def test_folder_in_memory_is_no_place_for_a_journal(
    look: Callable[..., Lines], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone with the power."""
    monkeypatch.setattr(doctor_disk, "IN_MEMORY", IN_MEMORY)
    memory = Path("/dev/shm")
    if not memory.is_dir() or filesystem_of(memory) != "tmpfs":
        pytest.skip("this machine has no file system in memory")
    lines = look((str(tmp_path / "journal.sqlite"), str(memory / "gameline-doctor.sqlite")))
    assert (ill(lines), "gone with the power" in lines["disk"]["cure"]) == (["disk"], True)


def test_disk_that_is_full_is_told(config: Path, tmp_path: Path) -> None:
    """A real one of 64 kB, mounted for this test alone."""
    small = tmp_path / "small"
    small.mkdir()
    config.write_text(config.read_text().replace(str(tmp_path / "journal.sqlite"), str(small / "journal.sqlite")))
    run = f'mount -t tmpfs -o size=64k none {small}; head -c 100000 /dev/zero > {small}/full 2>/dev/null; exec "$@"'
    command = [
        *own_mounts(),
        "sh",
        "-c",
        run,
        "sh",
        sys.executable,
        "-m",
        "controller",
        "doctor",
        str(config),
        "--json",
    ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)
    lines = {line["part"]: line for line in json.loads(ran.stdout)["checks"]}
    assert (ran.returncode, lines["disk"]["found"]) == (1, f"{small}: No space left on device")
    assert lines["disk"]["cure"].startswith("make room")


def test_camera_whose_driver_hangs_holds_up_nobody(config: Path, film: Path, tmp_path: Path) -> None:
    """A film that nobody writes blocks its reader for ever: told after its time limit, everything else beside it."""
    os.mkfifo(tmp_path / "film.mp4")
    text = (
        config.read_text().replace('kind = "folder"', 'kind = "video"').replace(str(film), str(tmp_path / "film.mp4"))
    )
    config.write_text(text)
    began_s = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-m", "controller", "doctor", str(config)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert time.monotonic() - began_s < 40
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "✗ camera: no answer within 9 s\n    its driver hangs: unplug it" in ran.stdout
    assert "✓ broker: " in ran.stdout


def test_running_service_is_asked_for_its_health_and_keeps_its_camera(
    look: Callable[..., Lines], config: Path, broker: Mosquitto
) -> None:
    """Camera and seats are its own meanwhile; what is wrong with them it says itself, with its cure."""
    config.write_text(config.read_text().replace('kind = "folder"\npath = "', 'kind = "folder"\npath = "/nowhere'))
    display = Display(broker.port)
    command = [sys.executable, "-m", "controller", "run", str(config)]
    service = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        display.wait_for("health", lambda parts: parts["camera"]["codes"] == ["camera_no_frames"])
        lines = look()
        assert lines["camera"]["found"].startswith(f"in use by the service, process {service.pid}")
        assert (ill(lines), lines["service"]["found"]) == (["service"], "camera failed (camera_no_frames)")
        assert lines["service"]["cure"].startswith("expected a folder of pictures, got /nowhere")
        assert lines["journal"]["found"].endswith("entries, each as it was written")
        assert service.poll() is None
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait(20)
        display.close()


def test_user_who_may_not_use_the_devices_is_told_which_groups_he_lacks() -> None:
    """With the command that puts him into them."""
    config = Config(
        seats=SeatsConfig(kind="board", port="/dev/serial/by-id/x"), camera=CameraConfig(kind="v4l2", path="/dev/v4l/x")
    )
    (found,) = doctor_machine.groups(Patient(config, user="nobody", service_pid=None))
    assert found.cure.startswith("sudo usermod --append --groups dialout,video nobody")
    (found,) = doctor_machine.groups(Patient(config, user="root", service_pid=None))
    assert found.is_well


@pytest.mark.parametrize(
    ("word", "is_well", "says"),
    [
        ("0x0", True, "never slowed down"),
        ("0x50000", False, "low voltage since it was switched on"),
        ("0x50005", False, "low voltage now"),
        ("0x80008", False, "its heat limit is reached"),
        ("0x80000", True, "since it was switched on: its heat limit is reached"),
    ],
)
def test_firmwares_word_of_supply_and_heat_is_understood(
    tmp_path: Path, vcgencmd: Callable[[str], None], word: str, is_well: bool, says: str
) -> None:
    """The words of a Raspberry Pi as vcgencmd says them; a low voltage corrupts cards for good."""
    vcgencmd(f"echo throttled={word}")
    (found,) = doctor_machine.power(tmp_path)
    assert (found.is_well, says in found.what) == (is_well, True)


@pytest.mark.parametrize("script", ["exec sleep 60", "exit 1", "echo 'VCHI initialization failed'"])
def test_kernel_is_asked_for_the_voltage_where_vcgencmd_does_not_say(
    tmp_path: Path, vcgencmd: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """One that hangs is not waited for; the kernel knows of now alone, and nothing where this is no Raspberry Pi."""
    vcgencmd(script)
    monkeypatch.setattr(doctor_machine, "ASK_S", 0.5 if "sleep" in script else 10.0)
    (found,) = doctor_machine.power(tmp_path / "none")
    assert found.is_well is None
    for is_weak in (True, False):
        (found,) = doctor_machine.power(sensors_in(tmp_path, is_weak=is_weak))
        assert (found.is_well, "now" in found.what) == (not is_weak, True)


def test_heat_memory_and_time_zone_are_judged(tmp_path: Path) -> None:
    """A hot processor, a machine too small, and quiet hours counted in a zone that nobody chose."""
    (tmp_path / "temp").write_text("84500\n")
    (found,) = doctor_machine.heat(tmp_path / "temp")
    assert (found.is_well, found.what) == (False, "84 °C")
    (tmp_path / "meminfo").write_text("MemTotal: 926720 kB\nMemAvailable: 102400 kB\nSwapTotal: 0 kB\n")
    (found,) = doctor_machine.memory(tmp_path / "meminfo")
    assert (found.is_well, found.what) == (False, "100 of 905 MB available, 0 MB of swap")
    quiet = Config(seats=SeatsConfig(quiet=("22:00", "08:00")))
    zone = tmp_path / "zoneinfo" / "Etc" / "UTC"
    zone.parent.mkdir(parents=True)
    zone.touch()
    (tmp_path / "localtime").symlink_to(zone)
    (found,) = doctor_machine.zone(quiet, tmp_path / "localtime")
    assert (found.is_well, "set-timezone" in found.cure) == (False, True)
    assert [one.is_well for one in doctor_machine.zone(Config(), tmp_path / "localtime")] == [True]


def test_library_of_a_version_that_is_not_wanted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is missing; what only another machine wants is not asked for."""
    wanted = ["numpy>=99", "no-such-thing>=1", 'winter>=1; sys_platform == "win32"', 'lgpio>=99; extra == "pi"']
    monkeypatch.setattr(metadata, "requires", lambda name: wanted)
    (found,) = doctor_machine.libraries(Config(seats=SeatsConfig(pin_factory="mock")))
    assert (found.is_well, "wanted >=99; no-such-thing is missing" in found.what) == (False, True)
    assert "lgpio" not in found.what
    (found,) = doctor_machine.libraries(Config())
    assert "lgpio" in found.what


def test_check_that_hangs_or_breaks_is_a_finding_and_the_others_are_made() -> None:
    """All at once, so that the slowest alone is waited for; told in order."""
    never = socket.socketpair()

    def hang() -> Sequence[Found]:
        never[0].recv(1)
        return ()

    def broken() -> Sequence[Found]:
        raise ZeroDivisionError("division by zero")

    well = Found("c", True, "fine")
    checks = [Check("a", hang, 0.2), Check("b", broken), Check("c", lambda: [well])]
    (a,), (b,), (c,) = (found for _, found, _ in examine(checks))
    for end in never:
        end.close()
    assert (a.part, a.is_well, a.what) == ("a", False, "no answer within 0.2 s")
    assert (b.is_well, b.what) == (False, "the check itself broke (ZeroDivisionError: division by zero)")
    assert c == well
