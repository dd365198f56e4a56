"""One move on its way to a second client, and the moment at which each step of it was done."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import select
import statistics
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller import engine as en
from controller import inbox
from controller.game import commands as cmd
from controller.game.decide import decide
from controller.mqtt_link import Link

STEPS = ("watch", "recall", "decide", "commit", "publish", "broker", "receive")
"""Watching beyond the reading; what has left since, where that was not recalled ahead; waiting in the inbox and
deciding; the journal; the state until the event is handed over; packing it, the network threads and the broker; the
second client's part."""


@dataclass(frozen=True, slots=True)
class Move:
    """Seconds that one move took: of each step, and of reading the picture, which is none of them."""

    steps: tuple[float, ...]
    read_s: float
    """0 where it had been read before it had rested for long enough."""
    eyes_cpu_s: float
    """Of watching and recalling, what the processor worked at them: the rest is waiting for one."""

    @property
    def beyond_s(self) -> float:
        """From the frame in hand to the event at a second client, without the reading."""
        return sum(self.steps)


@dataclass(slots=True)
class Stretch:
    """How long something that is called took altogether, in seconds and in seconds of the processor."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    calls_s: list[float] = field(default_factory=list)
    """Of every call since the start."""

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, whose time is added."""

        def timed(*what: Any) -> Any:
            began_s, began_cpu_s = time.perf_counter(), time.thread_time()
            answer = call(*what)
            self.calls_s.append(time.perf_counter() - began_s)
            self.wall_s += self.calls_s[-1]
            self.cpu_s += time.thread_time() - began_cpu_s
            return answer

        return timed


class Steps:
    """The moments of the move that is on its way; one at a time, whatever thread does a step of it."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}
        self._cpu_s = 0.0
        self.read = Stretch()
        """Of the reader."""
        self.asked = Stretch()
        """Of what the watcher asks: the reader, and what it recalls."""

    def begin(self) -> None:
        """A frame, or what was seen in it, is handed over now, in the thread that looks at it."""
        for stretch in (self.read, self.asked):
            stretch.wall_s = stretch.cpu_s = 0.0
        self._at, self._cpu_s = {"begun": time.perf_counter()}, -time.thread_time()

    def seen(self) -> None:
        """What was seen is told now, in the same thread."""
        if "seen" not in self._at:
            self._cpu_s += time.thread_time()
        self.done("seen")

    def done(self, step: str, *, after: str = "begun") -> None:
        """Note a step the first time that it is done, if it is the next one."""
        if after in self._at:
            self._at.setdefault(step, time.perf_counter())

    def move(self, readable_s: float, heard_s: float) -> Move:
        """The move that a second client has heard of."""
        at = (*(self._at[step] for step in ("begun", "seen", "decided", "committed", "published")), readable_s, heard_s)
        looked, *others = (later - earlier for earlier, later in itertools.pairwise(at))
        watch, recall = looked - self.asked.wall_s, self.asked.wall_s - self.read.wall_s
        return Move((watch, recall, *others), self.read.wall_s, self._cpu_s - self.read.cpu_s)

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Note the steps of every service in this process."""
        submit, believe, publish = en.Engine.submit, en.Engine._believe, Link.publish

        def submitted(engine: en.Engine, item: inbox.Item) -> None:
            if isinstance(item, inbox.Seen):
                self.seen()
            submit(engine, item)

        def decided(state: Any, command: cmd.Command) -> Any:
            happened = decide(state, command)
            if isinstance(command, cmd.See) and happened:
                self.done("decided", after="seen")
            return happened

        def believed(*what: Any) -> None:
            self.done("committed", after="decided")
            believe(*what)

        def published(link: Link, topic: str, *what: Any, **more: Any) -> Any:
            if topic.endswith("event/domino_laid"):
                self.done("published", after="committed")
            return publish(link, topic, *what, **more)

        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(en.Engine, "submit", submitted))
            stack.enter_context(mock.patch.object(en, "decide", decided))
            stack.enter_context(mock.patch.object(en.Engine, "_believe", believed))
            stack.enter_context(mock.patch.object(Link, "publish", published))
            yield


class Ear:
    """A second client that notes of each message when its first byte was there, and when it had been taken in."""

    def __init__(self, host: str, port: int, table: str = "bench") -> None:
        self._tree = f"gameline/v1/{table}/"
        self.arrived: queue.Queue[tuple[float, float, str]] = queue.Queue()
        self._readable_s = 0.0
        self._is_over = threading.Event()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"bench-{uuid.uuid4()}")
        self._client.on_message = self._hear
        self._client.connect(host, port)
        self._client.subscribe(f"{self._tree}#", qos=1)
        self._thread = threading.Thread(target=self._listen, name="ear", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while (socket := self._client.socket()) is not None and not self._is_over.is_set():
            writers = [socket] if self._client.want_write() else []
            readable, writable, _ = select.select([socket], writers, [], 0.05)
            self._readable_s = time.perf_counter()
            if readable:
                self._client.loop_read()
            if writable:
                self._client.loop_write()
            self._client.loop_misc()

    def _hear(self, client: paho.Client, userdata: object, message: paho.MQTTMessage) -> None:
        self.arrived.put((self._readable_s, time.perf_counter(), message.topic.rsplit("/", 1)[-1]))

    def say(self, topic: str, payload: bytes) -> None:
        """Publish something of one's own below the table's tree."""
        self._client.publish(self._tree + topic, payload, qos=1)

    def order(self, name: str, **arguments: object) -> None:
        """Send a referee command."""
        body = {"id": str(uuid.uuid4()), "sent_ms": time.time_ns() // 1_000_000, "by": "bench", "client": "bench"}
        self.say(f"cmd/{name}", json.dumps({**body, **arguments}).encode())

    def wait_for(self, topic: str, timeout_s: float = 20.0) -> tuple[float, float]:
        """When the next message whose topic ends in `topic` was there, and when it was taken in; else queue.Empty."""
        deadline = time.perf_counter() + timeout_s
        while True:
            readable_s, heard_s, heard = self.arrived.get(timeout=max(0.01, deadline - time.perf_counter()))
            if heard == topic:
                return readable_s, heard_s

    def close(self) -> None:
        """Leave."""
        self._is_over.set()
        self._thread.join()
        self._client.disconnect()


def p99(values: Sequence[float]) -> float:
    """The value that one in a hundred is above."""
    return float(np.percentile(values, 99))


def print_steps(moves: Sequence[Move]) -> None:
    """Each step with its share of the whole."""
    whole_s = sum(statistics.median(move.steps[number] for move in moves) for number in range(len(STEPS)))
    print(f"{'':<34}{'median ms':>12}{'p99 ms':>10}{'share':>10}")
    for number, step in enumerate(STEPS):
        values = [move.steps[number] for move in moves]
        median_s = statistics.median(values)
        print(f"  {step:<32}{median_s * 1e3:>12.2f}{p99(values) * 1e3:>10.2f}{median_s / whole_s:>10.0%}")
