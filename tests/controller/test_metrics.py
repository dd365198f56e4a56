"""The page for Prometheus, asked over its own socket and read with Prometheus' own parsers."""

from __future__ import annotations

import logging
import re
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain_text

from controller.app import Service
from controller.config import Config, JournalConfig, MetricsConfig
from controller.health import CODES
from controller.messages import Heartbeat
from controller.metrics import Metrics
from hardware.pins import open_factory
from tests.controller.engine_parts import S, Time
from tests.controller.test_app import Camera, config_in

LOG = logging.getLogger("tests")
ROOT = Path(__file__).parents[2]
SAID: dict[str, Any] = {
    "boot_id": "b",
    "mono_ns": 98 * S,
    "revision": 31,
    "sequence": 31,
    "seconds_left": 9,
    "running": True,
    "frame_age_ms": 250,
    "clock_synchronised": True,
    "temperature_c": 51.5,
    "numbers": {
        "frames": 900,
        "reads": {"count": 12, "seconds": 3.5, "longest_s": 0.6},
        "moves": 9,
        "events": {"domino_laid": 9, "passed": 2},
        "orders_accepted": 4,
        "orders_refused": {"stale": 1, 'of "another"\nkind': 2},
        "buzzes": 1,
        "commits": {"count": 20, "seconds": 0.4, "longest_s": 0.05},
        "unsent": 7,
        "faults": ["broker_away"],
        "false_presses": {"seat 0": 3, "referee": 0},
        "line_errors": {"damaged": 2, "unanswered": 1},
        "memory_bytes": 90_000_000,
    },
}
BEAT = msgspec.convert(SAID, Heartbeat)
"""A heartbeat two seconds old."""


def free_port() -> int:
    with socket.socket() as finder:
        finder.bind(("127.0.0.1", 0))
        return int(finder.getsockname()[1])


@pytest.fixture
def page() -> Iterator[Metrics]:
    with closing(Metrics(host="127.0.0.1", port=free_port(), table="hall", version="1.2", clock_ns=Time())) as made:
        yield made


def asked(address: str, **headers: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def numbers(text: str) -> dict[str, float]:
    """Every sample by its name, with its labels but the table's where it has others."""
    found = {}
    for family in plain_text(text):
        assert family.documentation
        for sample in family.samples:
            if not sample.name.startswith(("process_", "gameline_version")):
                assert sample.labels.pop("table") == "hall"
            found[" ".join((sample.name, *sample.labels.values()))] = sample.value
    return found


def test_page_tells_the_newest_heartbeat(page: Metrics) -> None:
    """Number by number, and how old it is: a loop that stands still must not look alive."""
    page.show(replace(BEAT, sequence=30))
    page.show(BEAT)
    told = numbers(asked(page.address))
    assert {
        name.removeprefix("gameline_"): told[name]
        for name in told
        if not name.startswith(("gameline_fault", "process"))
    } == {
        "version hall 1.2": 1,
        "heartbeat_age_seconds": 2,
        "frame_age_seconds": 2.25,
        "journal_sequence": 31,
        "mqtt_unsent_events": 7,
        "clock_synchronised": 1,
        "temperature_celsius": 51.5,
        "memory_bytes": 90_000_000,
        "frames_total": 900,
        "moves_total": 9,
        "buzzes_total": 1,
        "orders_accepted_total": 4,
        "orders_refused_total stale": 1,
        'orders_refused_total of "another"\nkind': 2,
        "events_total domino_laid": 9,
        "events_total passed": 2,
        "false_presses_total seat 0": 3,
        "false_presses_total referee": 0,
        "line_errors_total damaged": 2,
        "line_errors_total unanswered": 1,
        "read_seconds_count": 12,
        "read_seconds_sum": 3.5,
        "read_longest_seconds": 0.6,
        "journal_commit_seconds_count": 20,
        "journal_commit_seconds_sum": 0.4,
        "journal_commit_longest_seconds": 0.05,
    }
    faults = {name.removeprefix("gameline_fault "): told[name] for name in told if name.startswith("gameline_fault")}
    assert faults == {code: code == "broker_away" for code in CODES}
    assert told["process_resident_memory_bytes"] > 1_000_000


def test_page_is_what_openmetrics_wants_too(page: Metrics) -> None:
    """The stricter of the two formats, for whoever asks for it; its own parser refuses what is not right."""
    page.show(BEAT)
    text = asked(page.address, Accept="application/openmetrics-text; version=1.0.0")
    names = {family.name for family in open_metrics(text)}  # type: ignore[no-untyped-call]
    assert {"gameline_frames", "gameline_read_seconds", "gameline_fault"} <= names


def test_documentation_names_every_number_of_the_page_and_of_the_heartbeat(page: Metrics) -> None:
    """And none that is not there."""
    page.show(BEAT)
    rows = re.findall(
        r"^\| `(gameline_\w+)` \| (?:`([\w.]+)`)?(.*?) \|", (ROOT / "docs" / "health.md").read_text(), re.MULTILINE
    )
    told = {family.name for family in open_metrics(asked(page.address, Accept="application/openmetrics-text"))}  # type: ignore[no-untyped-call]
    assert {name.removesuffix("_total") for name, _, _ in rows} == {
        name for name in told if name.startswith("gameline")
    }
    assert {key.partition(".")[0] for _, key, of in rows if key and not of} == SAID["numbers"].keys()


def test_what_nobody_knows_is_left_out(page: Metrics) -> None:
    """No thermometer, no frame yet, no heartbeat yet: no number is better than a wrong one."""
    assert [name for name in numbers(asked(page.address)) if name.startswith("gameline")] == [
        "gameline_version hall 1.2"
    ]
    page.show(replace(BEAT, temperature_c=None, frame_age_ms=None))
    told = numbers(asked(page.address))
    assert not {"gameline_temperature_celsius", "gameline_frame_age_seconds"} & told.keys()
    assert "gameline_heartbeat_age_seconds" in told


def test_page_is_for_this_machine_alone_unless_another_address_is_configured(page: Metrics) -> None:
    """What is not the configured address is refused, and after the end all is."""
    port = int(page.address.rpartition(":")[2].removesuffix("/metrics"))
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    page.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_service_shows_its_numbers_and_plays_on_where_the_port_is_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Switched on by the configuration; a second table on the same port has no page, and says so."""
    port = free_port()
    config: Config = msgspec.structs.replace(config_in(tmp_path), metrics=MetricsConfig(port=port))
    other = msgspec.structs.replace(config, journal=JournalConfig(path=str(tmp_path / "other.sqlite")))
    factory = open_factory("mock")
    camera = Camera(factory.pin(12))
    with Service(config, camera=camera, pin_factory=factory, logger=LOG) as service:
        for _ in range(5):
            service.engine.turn(timeout_s=1.0)
        text = asked(f"http://127.0.0.1:{port}/metrics")
        told = {sample.name: sample.value for family in plain_text(text) for sample in family.samples}
        assert (told["gameline_memory_bytes"] > 1_000_000, "gameline_frames_total" in told) == (True, True)
        with Service(other, camera=camera, pin_factory=open_factory("mock"), logger=LOG) as second:
            second.engine.turn(timeout_s=1.0)
        assert "metrics: expected an address to listen on" in caplog.text
    with pytest.raises(OSError, match="refused"):
        asked(f"http://127.0.0.1:{port}/metrics")
