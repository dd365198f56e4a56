"""The real service as a process: a film for a camera, a real broker, a real journal, signals and kill -9."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import paho.mqtt
import pytest

from controller.certificates import SERVER_DAYS, make_authority, make_server
from controller.game.rulesets import spots, values_of
from controller.journal import Draft, Journal
from controller.mosquitto import Mosquitto
from tests.controller.guarded_broker import free_ports
from tests.controller.live_service import ROOT, Display, config_in, end, film_in, own_mounts
from tests.controller.pi_sensors import sensors_in
from tests.firmware_bridge.fake_board import FakeBoard
from tests.firmware_bridge.pty_board import PtyBoard

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of a table on which 6-4 is laid after a second."""
    return film_in(tmp_path_factory.mktemp("film"))


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, film: Path, broker: Mosquitto) -> Path:
    return config_in(tmp_path, film=film, port=broker.port, pin_factory="mock")


@pytest.fixture
def display(broker: Mosquitto) -> Iterator[Display]:
    made = Display(broker.port)
    yield made
    made.close()


@pytest.fixture
def start() -> Iterator[Start]:
    """Start the service as systemd starts it; whatever the test leaves running is killed."""
    running: list[subprocess.Popen[str]] = []

    def start_one(config: Path, *, within: Sequence[str] = (), **environment: str) -> subprocess.Popen[str]:
        command = [*within, sys.executable, "-m", "controller", "run", str(config)]
        environ = {**os.environ, **environment}
        running.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=environ))
        return running[-1]

    yield start_one
    for service in running:
        service.kill()
        service.communicate()


def test_service_turns_a_filmed_move_into_a_published_event_and_survives_kill_9(
    start: Start, config: Path, display: Display
) -> None:
    """From a frame to a display; killed and started again, the game is where it was, paused, and orders are known."""
    service = start(config)
    assert display.wait_for("connection")["status"] == "online"
    begun = display.order("start_game", id="this evening", names=["S", "W", "N", "E"])
    assert begun["accepted"]
    display.order("start_set")
    laid = display.wait_for("event/domino_laid")
    assert sorted((laid["body"]["inner"], laid["body"]["outer"])) == [4, 6]
    end(service, signal.SIGKILL)
    assert display.wait_for("connection")["status"] == "lost"
    again = start(config)
    state = display.wait_for("state", lambda body: "restarted" in body["halts"])
    assert (len(state["line"]), state["turn"], state["clock"]["running"]) == (1, 1, False)
    assert display.order("start_game", id="this evening", names=["S", "W", "N", "E"]) == begun
    assert display.order("resume")["accepted"]
    code, said = end(again, signal.SIGTERM)
    assert display.wait_for("connection", lambda body: body["status"] != "online")["status"] == "offline"
    assert (code, "Traceback" in said) == (0, False)


def test_service_without_a_camera_stays_under_80_mb(start: Start, config: Path, film: Path, display: Display) -> None:
    """What only pictures need is loaded with the first of them: a table whose camera is away takes little memory."""
    config.write_text(config.read_text().replace(str(film), "/nowhere"))
    service = start(config)
    assert display.wait_for("health", lambda parts: parts["camera"]["status"] == "failed")
    assert display.order("start_game", names=["S", "W", "N", "E"])["accepted"]
    status = Path(f"/proc/{service.pid}/status").read_text(encoding="ascii")
    assert int(status.partition("VmHWM:")[2].split()[0]) / 1024 < 80
    maps = Path(f"/proc/{service.pid}/maps").read_text(encoding="utf-8")
    assert "onnxruntime" not in maps
    assert end(service, signal.SIGTERM)[0] == 0


def test_service_begins_with_a_seat_board_that_answers_at_once(
    start: Start, tmp_path: Path, film: Path, broker: Mosquitto, display: Display
) -> None:
    """A board on the line has news before there is a loop to hear them: it waits for it, and all is well."""
    with PtyBoard(tmp_path / "seat-board", FakeBoard()) as board:
        service = start(config_in(tmp_path, film=film, port=broker.port, board=board.path))
        display.wait_for("health", lambda body: body["seats"]["status"] == "ok")
        assert end(service, signal.SIGTERM)[0] == 0


def test_service_tells_a_late_display_everything(
    start: Start, config: Path, broker: Mosquitto, display: Display
) -> None:
    """A display that is switched on late sees the whole table at once."""
    service = start(config)
    display.wait_for("connection", lambda body: body["status"] == "online")
    display.order("start_game", names=["S", "W", "N", "E"])
    late = Display(broker.port)
    assert late.wait_for("state", lambda body: body["phase"] != "idle")["names"] == ["S", "W", "N", "E"]
    late.close()
    later = Display(broker.port)
    first = {later.heard.get(timeout=10)[0] for _ in range(5)}
    assert {"connection", "meta", "state", "health", "selftest"} <= first
    assert later.wait_for("heartbeat")["revision"] >= 1
    later.close()
    end(service, signal.SIGTERM)


def test_service_plays_by_the_rules_that_the_file_chooses(start: Start, config: Path, display: Display) -> None:
    """One word in the file chooses the Russian text: meta has all its parameters, and lots seat the players."""
    config.write_text(f'{config.read_text()}[game]\nrule_set = "spots"\nsets_in_game = 2\n')
    service = start(config)
    assert display.wait_for("meta")["rules"] == values_of(spots(sets_in_game=2))
    display.wait_for("connection", lambda body: body["status"] == "online")
    refused = display.order("draw_seats", pairs=[["S", "N"], ["W", "E"]], drawn=[[6, 4], [1, 0], [5, 5], [3, 2]])
    assert (refused["accepted"], refused["reason"]) == (False, "nothing_drawn")
    assert display.order("draw_seats", pairs=[["S", "N"], ["W", "E"]], lots=[9, 4])["accepted"]
    assert display.wait_for("state", lambda body: body["seating"])["seating"]["names"] == ["W", "S", "E", "N"]
    assert display.order("start_game", competition="cup")["accepted"]
    state = display.wait_for("state", lambda body: body["phase"] == "between")
    assert (state["names"], state["sets"], state["rules"]["rule_set"]) == (["W", "S", "E", "N"], 2, "spots")
    assert state["game"].startswith("hall-tests-")
    end(service, signal.SIGTERM)


def test_service_tells_systemd_that_it_is_ready_and_feeds_the_watchdog(
    start: Start, config: Path, tmp_path: Path
) -> None:
    """Type=notify: READY=1 once everything is open, then signs of life from the loop."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(20)
        service = start(config, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="600000")
        said = [systemd.recv(100) for _ in range(3)]
        end(service, signal.SIGTERM)
    assert said == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]


def test_service_tells_heat_and_a_weak_supply_and_plays_on(
    start: Start, config: Path, tmp_path: Path, display: Display
) -> None:
    """The files of a Raspberry Pi's kernel, mounted for this service alone: cool, hot, weak too, cool again."""
    sensors_in(tmp_path / "sys", is_weak=False)
    heat = tmp_path / "sys" / "thermal" / "thermal_zone0" / "temp"
    heat.parent.mkdir(parents=True)
    heat.write_text("61300\n")
    mounted = [*own_mounts(), "sh", "-c", f'mount --bind {tmp_path / "sys"} /sys/class && exec "$@"', "sh"]
    start(config, within=mounted)
    parts = display.wait_for("health", lambda parts: parts["seats"]["status"] == "ok")
    assert (parts["camera"]["codes"], parts["disk"]["codes"]) == ([], [])
    heat.write_text("83700\n")
    parts = display.wait_for("health", lambda parts: parts["camera"]["codes"] == ["processor_hot"])
    assert (parts["camera"]["status"], parts["disk"]["status"]) == ("degraded", "ok")
    assert parts["camera"]["why"].endswith("give it air or a fan, and keep it out of the sun")
    sensors_in(tmp_path / "sys", is_weak=True)
    parts = display.wait_for("health", lambda parts: parts["disk"]["codes"] == ["supply_weak"])
    assert parts["disk"]["why"].endswith("on a short thick cable, and nothing hungry on USB")
    assert display.order("start_game", names=["S", "W", "N", "E"])["accepted"]
    heat.write_text("74000\n")
    parts = display.wait_for("health", lambda parts: parts["camera"]["codes"] == [])
    assert parts["disk"]["codes"] == ["supply_weak"]


def test_service_tells_that_the_brokers_certificate_ends_soon(start: Start, tmp_path: Path, film: Path) -> None:
    """The connection is proven by it, and well; the display's is in the clear."""
    now, (port,) = datetime.now(UTC), free_ports(1)
    authority = make_authority("A", now=now)
    server = make_server(authority, ["127.0.0.1"], now=now - timedelta(days=SERVER_DAYS - 10))
    for name, data in {"ca.crt": authority.certificate, "s.crt": server.certificate, "s.key": server.key}.items():
        (tmp_path / name).write_bytes(data)
    lines = [f"listener {port} 127.0.0.1", f"certfile {tmp_path}/s.crt", f"keyfile {tmp_path}/s.key"]
    with Mosquitto(tmp_path, lines=lines) as broker:
        config = config_in(tmp_path, film=film, port=port)
        text = config.read_text().replace("[journal]", f'tls = true\nca_file = "{tmp_path}/ca.crt"\n[journal]')
        config.write_text(text)
        start(config)
        display = Display(broker.port)
        parts = display.wait_for("health", lambda parts: parts["broker"]["codes"] == ["broker_certificate_ends"])
        display.close()
    assert parts["broker"]["status"] == "degraded"
    assert f"ends on {now + timedelta(days=9):%Y-%m-%d}" in parts["broker"]["why"]
    assert "run `gameline broker-config` with --renew there" in parts["broker"]["why"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("[table]\nnme = 1\n", "table"),
        ('[camera]\nkind = "web"\n', "camera.kind: expected"),
        ("[seats.pins]\n", "seat0"),
        ("[broker\n", "expected TOML"),
    ],
)
def test_service_names_the_file_and_the_key_of_a_mistake(start: Start, tmp_path: Path, change: str, said: str) -> None:
    """A mistake in the configuration stops the start with one sentence."""
    path = tmp_path / "wrong.toml"
    path.write_text(change)
    service = start(path)
    told = service.communicate(timeout=20)[1]
    assert service.returncode == 1
    assert (str(path) in told, said in told, told.count("\n")) == (True, True, 1)


def test_service_refuses_pins_that_are_used_twice(start: Start, tmp_path: Path) -> None:
    """One pin for two lamps is named before anything is lit."""
    text = (ROOT / "systemd" / "gameline.toml").read_text().replace("buzzer = 12", "buzzer = 17")
    path = tmp_path / "twice.toml"
    path.write_text(text.replace("/var/lib/gameline", str(tmp_path)))
    service = start(path)
    told = service.communicate(timeout=20)[1]
    assert (service.returncode, "GPIO 17" in told, "Traceback" in told) == (1, True, False)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('host = ""', "broker.host: expected"),
        ('username = "hall"\npassword_file = "{path}"', "broker.password_file: expected a readable text file"),
        ('username = "hall"\npassword_file = "/nowhere"', "broker.password_file: expected a readable text file"),
    ],
)
def test_service_names_what_is_wrong_with_the_broker(
    start: Start, config: Path, tmp_path: Path, lines: str, said: str
) -> None:
    """A host that is none and a password that is no text stop the start with one sentence."""
    path = tmp_path / "password"
    path.write_bytes(b"\xff\xfe")
    config.write_text(config.read_text().replace("[broker]\n", f"[broker]\n{lines.format(path=path)}\n"))
    told = start(config).communicate(timeout=20)[1]
    assert (str(config) in told, said in told, told.count("\n")) == (True, True, 1)


def test_no_secret_is_ever_in_what_is_said(
    start: Start, config: Path, tmp_path: Path, display: Display, broker: Mosquitto
) -> None:
    """The broker's password is in no line of the log and in no message, whether it is right or wrong."""
    secret = "Zt7-unheard-of"
    (tmp_path / "password").write_text(f"{secret}\n")
    (tmp_path / "strict").mkdir()
    said = []
    with Mosquitto(tmp_path / "strict", lines=["allow_anonymous false"]) as strict:
        for port in (strict.port, broker.port):
            lines = f'port = {port}\nusername = "hall"\npassword_file = "{tmp_path / "password"}"\n'
            path = tmp_path / f"{port}.toml"
            path.write_text(config.read_text().replace(f"port = {broker.port}\n", lines))
            service = start(path)
            if port == broker.port:
                display.wait_for("heartbeat")
            else:
                assert service.stderr is not None
                said.append(next(line for line in service.stderr if "broker_refuses" in line))
            said.append(end(service, signal.SIGTERM)[1])
    said += [json.dumps(message) for message in display.heard_so_far]
    assert "broker_refuses: The MQTT broker at" in "".join(said)
    assert not [line for line in said if secret in line or "Zt7" in line]


def test_service_refuses_a_journal_with_events_of_a_later_version(start: Start, config: Path, tmp_path: Path) -> None:
    """What this version does not understand is not replayed without it."""
    path = tmp_path / "journal.sqlite"
    with Journal(path, boot_id="later", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
        journal.append([Draft("domino_flew", 1, {})])
    service = start(config)
    told = service.communicate(timeout=20)[1]
    assert (service.returncode, "domino_flew" in told, "Traceback" in told) == (1, True, False)


def test_service_says_that_its_journal_is_damaged_and_leaves_it_as_it_is(
    start: Start, config: Path, tmp_path: Path
) -> None:
    """A torn file is neither played from nor begun anew: one sentence says what to do, and nothing is changed."""
    path = tmp_path / "journal.sqlite"
    with Journal(path, boot_id="before", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
        journal.append([Draft("paused", 1, {"by": "x" * 20_000})])
    torn = path.read_bytes()[:8192]
    path.write_bytes(torn)
    service = start(config)
    told = service.communicate(timeout=20)[1]
    assert (service.returncode, str(path) in told, "damaged" in told, told.count("\n")) == (1, True, True, 1)
    assert path.read_bytes() == torn


OLD_PAHO = {"1.6.1": "", "2.1.0": f"__path__.append({paho.mqtt.__path__[0]!r})\n"}
"""Of 1.6 nothing is there that we call; 2.1 lacks one function, which would only be missed in a game."""


@pytest.mark.parametrize("version", sorted(OLD_PAHO))
def test_service_says_that_a_library_is_too_old(start: Start, config: Path, tmp_path: Path, version: str) -> None:
    """Whatever pip has put there is told at the start in a sentence, not by an exception on the first connection."""
    package = tmp_path / "site" / "paho" / "mqtt"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(f"__version__ = {version!r}\n{OLD_PAHO[version]}")
    service = start(config, PYTHONPATH=str(tmp_path / "site"))
    told = service.communicate(timeout=20)[1]
    assert (service.returncode, told.count("\n")) == (1, 1)
    assert "paho" in told
    assert "install Gameline again" in told


def test_service_refuses_a_journal_that_another_process_has(start: Start, config: Path, display: Display) -> None:
    """Two services on one journal would write two games: the second one says so and ends."""
    first = start(config)
    display.wait_for("connection", lambda body: body["status"] == "online")
    second = start(config)
    told = second.communicate(timeout=20)[1]
    assert (second.returncode, "journal" in told, "Traceback" in told) == (1, True, False)
    end(first, signal.SIGTERM)
