"""The demonstration as a stranger runs it: a whole game with everything that can go wrong, in a process of its own.

Everything that it says at its broker meanwhile is held against the schemas of `gameline schema`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from tests.controller import contract

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_demo_puts_everything_away_when_it_is_ended_early(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, a kill and a closed terminal leave neither a file nor a broker behind."""
    command = [sys.executable, "-m", "controller", "demo", "--plain"]
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        next(line for line in running.stdout if "begins" in line)
        running.send_signal(number)
        said = running.communicate(timeout=30)[1]
    assert (running.returncode, said, list(tmp_path.iterdir())) == (130, "", [])
    port = int(first.split("port ")[1].split(";")[0])
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass


@pytest.mark.timeout(400)
def test_demo_plays_a_game_with_mishaps_to_its_register() -> None:
    """Camera, buttons and referee alone lead through four sets; each mishap shows, and the register closes the game.

    Every message, the referee's orders among them, is as its schema says, without a field that no schema names.
    """
    command = [sys.executable, "-m", "controller", "demo", "--fast", "--plain", "--mishaps", "--seed", "3"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        with _listener(int(first.split("port ")[1].split(";")[0])) as messages:
            out = first + running.stdout.read()
            assert running.stderr is not None
            assert (running.stderr.read(), running.wait(timeout=30)) == ("", 0)
    _check_contract(messages)
    for words in (
        "mosquitto_sub -h 127.0.0.1",
        "which does not fit",
        "the domino goes back",
        "presses the pass button twice",
        "thinks longer than allowed",
        "The camera sees nothing",
        "The camera sees the table again",
        "The broker is back",
        "passes though a domino fits",
        "which fitted then",
        "Set 4 begins",
        "Result",
    ):
        assert words in out, words


@contextlib.contextmanager
def _listener(port: int) -> Iterator[list[tuple[str, Any]]]:
    """Everything at a broker that comes and goes."""
    messages: list[tuple[str, Any]] = []
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.on_connect = lambda client, *_: client.subscribe("gameline/v1/demo/#", qos=1)
    client.on_message = lambda client, userdata, m: messages.append(
        (m.topic.removeprefix("gameline/v1/demo/"), json.loads(m.payload))
    )
    client.reconnect_delay_set(0.02, 0.05)  # type: ignore[arg-type]
    client.connect_async("127.0.0.1", port)
    client.loop_start()
    yield messages
    client.disconnect()
    client.loop_stop()
    client.on_message = client.on_connect = None


def _check_contract(messages: list[tuple[str, Any]]) -> None:
    for topic, body in messages:
        contract.check(topic, body)
    topics = {topic for topic, _ in messages}
    assert {"connection", "meta", "state", "health", "selftest", "heartbeat", "cmd/start_game"} <= topics
    assert any(topic.startswith("reply/") for topic in topics)
    of_mishaps = ("finding_raised", "finding_ruled", "time_exceeded", "camera_lost", "camera_regained", "warning_given")
    assert {f"event/{name}" for name in ("domino_laid", "passed", "set_scored", "game_ended", *of_mishaps)} <= topics
