"""A table that is renamed leaves nothing of itself under its old name, and nothing of another table's."""

import contextlib
import json
import logging
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.broker import ghosts_at_broker
from controller.config import BrokerConfig, Config, TableConfig
from controller.ghosts import NAMED, mark_of
from controller.journal import Journal
from controller.mosquitto import Mosquitto
from tests.controller.live_service import ROOT, Display, config_in

DEADLINE_S = 20.0


def retained(broker: Mosquitto) -> dict[str, bytes]:
    """What the broker has kept under all tables, by topic."""
    found: dict[str, bytes] = {}
    is_all = threading.Event()
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=str(uuid.uuid4()))

    def hear(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        if message.topic == "end":
            is_all.set()
        elif message.retain:
            found[message.topic] = bytes(message.payload)

    client.on_message = hear
    client.connect(broker.host, broker.port)
    client.subscribe([("gameline/v1/#", 1), ("homeassistant/#", 1), ("end", 1)])
    client.loop_start()
    client.publish("end", b"", qos=1)
    assert is_all.wait(DEADLINE_S)
    client.disconnect()
    client.loop_stop()
    client.on_message = None
    return found


def until(broker: Mosquitto, topics: set[str]) -> None:
    """Wait until the broker has kept these topics and no others."""
    deadline = time.monotonic() + DEADLINE_S
    while (found := set(retained(broker))) != topics:
        assert time.monotonic() < deadline, found ^ topics


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@contextlib.contextmanager
def service(config: Path) -> Iterator[None]:
    """The service as a process, ended in order."""
    command = [sys.executable, "-m", "controller", "run", str(config)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.send_signal(signal.SIGTERM)
            assert running.wait(DEADLINE_S) == 0


def test_renamed_table_leaves_no_ghost(tmp_path: Path, broker: Mosquitto) -> None:
    """What was retained as `hall` is gone once the table is called `north`."""
    config = config_in(tmp_path, film=Path("/nowhere"), port=broker.port, pin_factory="mock")
    config.write_text(f"{config.read_text()}[home_assistant]\ndiscovery = true\n")
    display = Display(broker.port)
    with service(config):
        assert display.wait_for("connection")["status"] == "online"
    display.close()
    topics = set(retained(broker))
    assert {f"gameline/v1/hall/{name}" for name in ("meta", "health", "state", "connection")} < topics
    assert "homeassistant/device/gameline-hall/config" in topics
    config.write_text(config.read_text().replace('name = "hall"', 'name = "north"'))
    with service(config):
        until(broker, {topic.replace("hall", "north") for topic in topics})


@pytest.mark.parametrize("boot_id", ["ours", "another's"])
def test_old_name_that_is_another_tables_by_now_is_left_alone(tmp_path: Path, broker: Mosquitto, boot_id: str) -> None:
    """Two tables that changed names: the newer `hall` keeps all it has said; either way the name is forgotten."""
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id="other")
    client.connect(broker.host, broker.port)
    client.loop_start()
    said = {"gameline/v1/hall/state": b"{}", "gameline/v1/hall/connection": json.dumps({"boot_id": boot_id}).encode()}
    for topic, payload in said.items():
        client.publish(topic, payload, qos=1, retain=True).wait_for_publish(DEADLINE_S)
    client.disconnect()
    client.loop_stop()
    config = Config(table=TableConfig(name="north"), broker=BrokerConfig(host=broker.host, port=broker.port))
    with Journal(tmp_path / "journal.db", boot_id="b", wall_utc=str, clock_synchronised=lambda: True) as journal:
        journal.set_cursor(f"{NAMED}hall", mark_of("ours"))
        log = logging.getLogger("test")
        (ghost,) = ghosts_at_broker(config, journal, boot_id="b", logger=log, clock_ns=time.monotonic_ns)
        ghost.start()
        deadline = time.monotonic() + DEADLINE_S
        while not ghost._is_over:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        ghost.close(journal)
        assert journal.cursors()[f"{NAMED}hall"] == 0
    assert retained(broker) == ({} if boot_id == "ours" else said)
