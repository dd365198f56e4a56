"""The displays of docs/mqtt.md, as they stand there, at a real broker with the real service."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.mosquitto import ADDRESS, Mosquitto
from tests.contract.node import MODULES, WHY_NOT, command
from tests.controller.live_service import ROOT, Display, config_in, end, film_in

DOCUMENT = ROOT / "docs" / "mqtt.md"
SHORT = 24
"""Lines, blank ones aside, that an example has at the most: it is to be read at a glance."""
javascript = pytest.mark.skipif(not MODULES, reason=WHY_NOT)


def example(language: str) -> str:
    """The one display of the document in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


def free_port() -> int:
    """Of the loopback address, for the broker's listener for WebSockets."""
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def shown(arguments: list[str]) -> Iterator[Iterator[str]]:
    """The lines that a display prints."""
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as display:
        assert display.stdout is not None
        try:
            yield (line.rstrip("\n") for line in display.stdout)
        finally:
            display.kill()


def until(lines: Iterator[str], pattern: str) -> list[str]:
    """What is shown until a line is like this, that one last."""
    passed: list[str] = []
    for line in lines:
        passed.append(line)
        if re.fullmatch(pattern, line):
            return passed
    raise AssertionError(f"the display has ended before it showed {pattern!r}: {passed}")


def test_examples_are_short() -> None:
    """About twenty lines each."""
    for language in ("python", "js"):
        assert sum(line != "" for line in example(language).splitlines()) <= SHORT


@pytest.mark.parametrize(
    "way", ["python", pytest.param("js", marks=javascript), pytest.param("js over WebSockets", marks=javascript)]
)
def test_display_of_the_documents_follows_a_table(tmp_path: Path, way: str) -> None:
    """Switched on late it shows what lies; then each move once, a broker that comes back, a table that is lost."""
    web = free_port()
    with Mosquitto(tmp_path, lines=[f"listener {web} {ADDRESS}", "protocol websockets"]) as broker:
        place = tmp_path / "display"
        place.mkdir()
        if way == "python":
            (place / "display.py").write_text(example("python"))
            arguments = [sys.executable, str(place / "display.py"), ADDRESS, str(broker.port), "hall"]
        else:
            (place / "display.mjs").write_text(example("js"))
            address = f"ws://{ADDRESS}:{web}" if "WebSockets" in way else f"mqtt://{ADDRESS}:{broker.port}"
            arguments = command(place, "display.mjs", address, "hall")
        config = config_in(tmp_path, film=film_in(tmp_path), port=broker.port, pin_factory="mock")
        service = subprocess.Popen(
            [sys.executable, "-m", "controller", "run", str(config)], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        with contextlib.ExitStack() as stack:
            stack.callback(end, service, signal.SIGKILL)
            referee = Display(broker.port)
            stack.callback(referee.close)
            referee.wait_for("connection", lambda body: body["status"] == "online")
            assert referee.order("start_game", names=["S", "W", "N", "E"])["accepted"]
            lines = stack.enter_context(shown(arguments))
            until(lines, "between, 0 to 0: ")
            referee.order("start_set")
            until(lines, "now: set_started")
            until(lines, "now: domino_laid")
            _send_again(referee)
            passed = until(lines, "late: passed")
            assert not [line for line in passed if "domino_laid" in line], "an event that comes again is dropped"
            broker.stop()
            broker.start()
            passed = until(lines, "the table is online")
            assert [line for line in passed if re.fullmatch("play, 0 to 0: (6-4|4-6)", line)]
            service.kill()
            until(lines, "the table is lost")
            until(lines, "no sign of life: this may be old")


def _send_again(referee: Display) -> None:
    """The event that the referee has not taken yet, a second time; then one that is late."""
    event = referee.wait_for("event/domino_laid")
    for name, body in (
        ("domino_laid", event),
        ("passed", {**event, "sequence": 10_000, "type": "passed", "historical": True, "body": {"at": 1, "seat": 0}}),
    ):
        referee.client.publish(f"gameline/v1/hall/event/{name}", json.dumps(body), qos=1)
