"""The page that Prometheus reads: the newest heartbeat in its words; what is counted, and where, it does not know.

The loop hands over each heartbeat whole, once a second; the page's thread only looks at the newest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from controller.health import CODES
from controller.messages import Heartbeat, Numbers


class Metrics:
    """The page at `http://host:port/metrics`; closed from any thread, twice is safe.

    Args:
        host: the address to listen on.
        port: its port.
        table: the table's name, the label of every number.
        version: of the program.
        clock_ns: the monotonic clock of the heartbeats.

    Raises:
        OSError: there is no such address, or another program listens there.
    """

    def __init__(
        self, *, host: str, port: int, table: str, version: str, clock_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._numbers = _Numbers(table, version, clock_ns)
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self._numbers)
        ProcessCollector(registry=registry)  # memory, processor time and open files, under their usual names
        self._server, self._thread = start_http_server(port, host, registry)
        self._thread.name = "metrics"
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"

    def show(self, beat: Heartbeat) -> None:
        """The newest heartbeat, as it left."""
        self._numbers.beat = beat

    def close(self) -> None:
        """Take no more connections."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Numbers(Collector):
    """Turns the newest heartbeat into metrics whenever the page is asked for."""

    def __init__(self, table: str, version: str, clock_ns: Callable[[], int]) -> None:
        self.beat: Heartbeat | None = None
        self._table, self._version, self._clock_ns = table, version, clock_ns

    def collect(self) -> Iterator[Metric]:
        """All of them; before the first heartbeat only that the program is there."""
        version = GaugeMetricFamily(
            "gameline_version", "The program's version, as a label.", labels=("table", "version")
        )
        version.add_metric((self._table, self._version), 1)
        yield version
        beat = self.beat
        if beat is None:
            return
        yield from self._now(beat)
        yield from self._counted(beat.numbers)

    def _now(self, beat: Heartbeat) -> Iterator[Metric]:
        """What is so at this moment."""
        age_s = max(0, self._clock_ns() - beat.mono_ns) / 1e9
        frame_age_s = None if beat.frame_age_ms is None else beat.frame_age_ms / 1000 + age_s
        numbers = beat.numbers
        yield from self._gauge(
            "heartbeat_age_seconds", "Since the loop last told its numbers; a living one does each second.", age_s
        )
        yield from self._gauge("frame_age_seconds", "Since the newest frame was taken.", frame_age_s)
        yield from self._gauge("journal_sequence", "Of the newest event in the journal.", beat.sequence)
        yield from self._gauge("mqtt_unsent_events", "In the journal, and not yet taken by the broker.", numbers.unsent)
        yield from self._gauge(
            "clock_synchronised", "Whether the wall clock was set from the network.", beat.clock_synchronised
        )
        yield from self._gauge("temperature_celsius", "Of the processor.", beat.temperature_c)
        yield from self._gauge("memory_bytes", "Of the program, as far as it is in memory.", numbers.memory_bytes)
        fault = GaugeMetricFamily(
            "gameline_fault", "1 while the fault lasts; docs/health.md has the codes.", labels=("table", "code")
        )
        for code in dict.fromkeys((*CODES, *numbers.faults)):
            fault.add_metric((self._table, code), code in numbers.faults)
        yield fault

    def _counted(self, numbers: Numbers) -> Iterator[Metric]:
        """What was counted since the start."""
        yield self._counter("frames", "From the camera.", numbers.frames)
        yield self._counter("moves", "Dominoes laid.", numbers.moves)
        yield self._counter("buzzes", "How often the buzzer began to sound.", numbers.buzzes)
        yield self._counter("orders_accepted", "Referee commands that were carried out.", numbers.orders_accepted)
        yield self._counters("orders_refused", "Referee commands that were refused.", "reason", numbers.orders_refused)
        yield self._counters("events", "Committed to the journal.", "type", numbers.events)
        yield self._counters(
            "false_presses", "Pulses of a button too short for a finger.", "place", numbers.false_presses
        )
        yield self._counters("line_errors", "Lost on the line to the seat board.", "kind", numbers.line_errors)
        for name, what, spent in (
            ("read", "Reading a picture.", numbers.reads),
            ("journal_commit", "Committing to the journal, the disk's sync included.", numbers.commits),
        ):
            summary = SummaryMetricFamily(f"gameline_{name}_seconds", what, labels=("table",))
            summary.add_metric((self._table,), spent.count, spent.seconds)
            yield summary
            yield from self._gauge(f"{name}_longest_seconds", "The longest since the start.", spent.longest_s)

    def _gauge(self, name: str, what: str, value: float | None) -> Iterator[Metric]:
        """One number, or none where nobody knows it."""
        if value is not None:
            gauge = GaugeMetricFamily(f"gameline_{name}", what, labels=("table",))
            gauge.add_metric((self._table,), value)
            yield gauge

    def _counter(self, name: str, what: str, value: int) -> Metric:
        counter = CounterMetricFamily(f"gameline_{name}", what, labels=("table",))
        counter.add_metric((self._table,), value)
        return counter

    def _counters(self, name: str, what: str, label: str, values: Mapping[str, int]) -> Metric:
        counter = CounterMetricFamily(f"gameline_{name}", what, labels=("table", label))
        for key, value in values.items():
            counter.add_metric((self._table, key), value)
        return counter
