"""The table in Home Assistant itself: its core and its MQTT integration, at a real broker with the real service."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from controller.cli import main
from controller.codec import EVENTS
from controller.discovery import CALLS, PLAY, discovery
from controller.mosquitto import Mosquitto
from controller.orders import ORDERS
from tests.controller.live_service import ROOT, Display, config_in, film_in

HASS = os.environ.get("GAMELINE_TEST_HASS", "")
"""The Python that has Home Assistant; empty where there is none."""
MESSAGE = json.loads(discovery("hall", prefix="homeassistant", version="1").payload)

needs_hass = pytest.mark.skipif(not HASS, reason="no Home Assistant here: make test-homeassistant brings it")


class HomeAssistant:
    """The running Home Assistant: what it has said so far, and its buttons."""

    def __init__(self, place: Path, broker: Mosquitto) -> None:
        place.mkdir()
        arguments = [HASS, str(Path(__file__).with_name("hass.py")), str(place), broker.host, str(broker.port)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.warnings: list[str] = []
        self.entities: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def do(self, *words: str) -> None:
        """Press a button, check a file, or quit."""
        assert self._process.stdin is not None
        print(*words, file=self._process.stdin, flush=True)

    def until(self, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What it says next that is what is waited for; the test's own limit ends the waiting."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said: dict[str, Any] = json.loads(line)
            if "entity" in said:
                self.entities[said["entity"]] = said
            self.entities.pop(said.get("gone", ""), None)
            self.warnings += [said["warning"]] if "warning" in said else []
            if is_it(said):
                return said
        assert self._process.stderr is not None
        raise AssertionError(f"Home Assistant has ended: {self._process.stderr.read()}")

    def until_is(self, entity: str, state: str) -> dict[str, Any]:
        """The attributes of one of the table's entities once it is so."""
        name = entity.replace(".", ".gameline_hall_")
        if self.entities.get(name, {}).get("state") != state:
            self.until(lambda said: said.get("entity") == name and said["state"] == state)
        attributes: dict[str, Any] = self.entities[name]["attributes"]
        return attributes


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, broker: Mosquitto) -> Path:
    """A table that announces itself, where five seconds are given for a move."""
    written = config_in(tmp_path, film=film_in(tmp_path), port=broker.port, pin_factory="mock")
    written.write_text(written.read_text() + "[home_assistant]\ndiscovery = true\n[game]\nthink_seconds = 5\n")
    return written


@pytest.fixture
def service(config: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "controller", "run", str(config)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
        yield running
        running.kill()


@pytest.fixture
def home(tmp_path: Path, broker: Mosquitto) -> Iterator[HomeAssistant]:
    with HomeAssistant(tmp_path / "home", broker) as running:
        yield running


def shown(broker: Mosquitto, config: Path, what: str) -> tuple[int, list[bytes]]:
    """The exit code of a command, and what a late client finds retained where Home Assistant looks for devices."""
    code = main(["home-assistant", what, str(config)])
    found: list[bytes] = []
    with contextlib.closing(Display(broker.port)) as late:
        late.client.on_message = lambda client, userdata, message: found.append(bytes(message.payload))
        late.client.unsubscribe("gameline/v1/hall/#")
        late.client.subscribe("homeassistant/device/gameline-hall/config", qos=1)
        probe = late.client.publish("probe", b"", qos=1)
        probe.wait_for_publish(20)
    return code, found


def test_command_publishes_one_retained_message_and_takes_it_away(
    broker: Mosquitto, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A client that comes later finds it, then no more; `show` prints the same; who forgets the key is told."""
    assert main(["home-assistant", "show", str(config)]) == 0
    printed = json.loads(capsys.readouterr().out)
    code, found = shown(broker, config, "publish")
    assert (code, [json.loads(each) for each in found]) == (0, [printed])
    assert printed["components"] == MESSAGE["components"]
    assert shown(broker, config, "remove") == (0, [])
    assert "set discovery = false in [home_assistant]" in capsys.readouterr().err


def test_command_says_what_the_broker_does_not_do(
    broker: Mosquitto, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broker that is away, in a sentence with what to do."""
    broker.stop()
    assert main(["home-assistant", "publish", str(config)]) == 1
    assert "start it, or correct host and port" in capsys.readouterr().err


def test_command_names_the_topic_that_the_broker_does_not_let_it_write(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broker whose rules forbid it is no success."""
    (tmp_path / "strict").mkdir()
    rules = tmp_path / "strict" / "acl"
    rules.write_text("topic readwrite gameline/#\n")
    with Mosquitto(tmp_path / "strict", lines=[f"acl_file {rules}"]) as strict:
        config.write_text(re.sub(r"^port = \d+$", f"port = {strict.port}", config.read_text(), flags=re.MULTILINE))
        assert main(["home-assistant", "publish", str(config)]) == 1
    topic = "homeassistant/device/gameline-hall/config"
    assert f"does not take {topic} (Not authorized): let the user (anonymous) write there" in capsys.readouterr().err


def test_names_are_those_of_the_contract() -> None:
    """Topics, events and orders that exist."""
    components = MESSAGE["components"].values()
    tree = "gameline/v1/hall/"
    topics = {each[key].removeprefix(tree) for each in components for key in each if key.endswith("topic")}
    assert topics == {"state", "health", "heartbeat", "event/+", "reply/home-assistant"} | {
        f"cmd/{name}" for name in ("acknowledge", "pause", "resume")
    }
    assert {topic.removeprefix("cmd/") for topic in topics if topic.startswith("cmd/")} <= set(ORDERS)
    assert {*PLAY, *CALLS} <= set(EVENTS.values())


@needs_hass
@pytest.mark.timeout(180)
def test_message_is_as_home_assistant_wants_it(tmp_path: Path, home: HomeAssistant) -> None:
    """Its own schemas take the message and each component without a key too many, and would find one."""
    home.until(lambda said: bool(said.get("is_up")))
    wrong = copy.deepcopy(MESSAGE)
    wrong["components"]["phase"]["colour"] = "red"
    for message, verdict in ((MESSAGE, "well"), (wrong, "extra keys not allowed @ data['colour']")):
        (tmp_path / "message.json").write_text(json.dumps(message))
        home.do("check", str(tmp_path / "message.json"))
        assert home.until(lambda said: "checked" in said)["checked"] == verdict
    assert home.warnings == []


@needs_hass
@pytest.mark.timeout(150)
def test_table_lives_in_home_assistant(
    broker: Mosquitto, config: Path, service: subprocess.Popen[bytes], home: HomeAssistant
) -> None:
    """It appears by itself, follows a game, presses buttons, is unavailable when it is lost, goes by one command."""
    referee = Display(broker.port)
    home.until_is("sensor.phase", "idle")
    _tell_without_limits(referee)
    assert referee.order("start_game", names=["Ann", "", "Cleo", "Dan"])["accepted"]
    referee.order("start_set")
    assert home.until_is("sensor.turn", "seat 1")
    played = home.until(lambda said: said.get("attributes", {}).get("event_type") == "domino_laid")["attributes"]
    assert sorted((played["body"]["inner"], played["body"]["outer"])) == [4, 6]
    for entity, state in (
        ("sensor.phase", "play"),
        ("sensor.set", "1"),
        ("sensor.points_a", "0"),
    ):
        home.until_is(entity, state)
    assert set(home.until_is("binary_sensor.problem", "on")) >= {"camera", "disk", "broker", "clock", "record", "seats"}
    home.until(lambda said: said.get("entity") == "sensor.gameline_twin_seconds_left" and said["state"].isdecimal())

    home.do("press", "button.gameline_hall_pause")
    home.until_is("sensor.last_answer", "done")
    home.do("press", "button.gameline_hall_pause")
    home.until(lambda said: "paused" in str(said.get("state")))
    home.do("press", "button.gameline_hall_resume")
    home.until_is("sensor.last_answer", "done")
    assert home.until_is("binary_sensor.alert", "on")["kind"] in ("time", "camera"), (
        "a film that stands still is noticed too"
    )
    home.do("press", "button.gameline_hall_acknowledge")
    home.until_is("binary_sensor.alert", "off")

    service.kill()
    home.until_is("sensor.phase", "unavailable")
    assert home.warnings == []
    assert main(["home-assistant", "remove", str(config)]) == 0
    home.until(lambda said: not [name for name in home.entities if "gameline_hall" in name])
    referee.close()


def _tell_without_limits(referee: Display) -> None:
    """The same table as another device whose sensors are all on from the beginning."""
    twin = json.loads(
        json.dumps(MESSAGE).replace("gameline-hall", "gameline-twin").replace("Gameline hall", "Gameline twin")
    )
    for component in twin["components"].values():
        component.pop("enabled_by_default", None)
    referee.client.publish("homeassistant/device/gameline-twin/config", json.dumps(twin), qos=1, retain=True)
