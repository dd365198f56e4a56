"""A hall of 300 tables on one broker: whether every event arrives, how late, and how many a second beside raw clients.

Run: python -m bench.hall. First all play at the pace of a quick hall, with heartbeats: each table is then the table's
real MQTT side (`controller.mqtt.Mqtt`: its own connection, will, subscription, births and acknowledgements, one event
on its way at a time) in one of a few processes; its journal is in memory, because every table has a disk of its own;
what it says is one real set, recorded beforehand. Then as fast as they can: the same, all on this one computer; their
traffic alone, sent by a light stand-in (`bench.traffic`), as from computers of their own; and as many `mosquitto_pub`
that say the same raw. `mosquitto_sub` hears all of them and stamps what it hears.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import logging
import multiprocessing as mp
import os
import queue
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from bench.journals import Nothing, set_played
from bench.steps import Steps, p99
from bench.traffic import Message, say_all
from controller.journal import Draft
from controller.mosquitto import Mosquitto
from controller.mqtt import Mqtt

TABLES = 300
PROCESSES = os.cpu_count() or 1
RACED_SETS = 3
ROUNDS = 2
PACE_S = 5.0
"""A move every so many seconds at each table: quick players."""
PLAYED_S = 30.0
HEARTBEAT = json.dumps({"revision": 1, "sequence": 1, "mono_ns": 1, "frame_age_ms": 80, "seconds_left": 12}).encode()
OF_RAW = 0.5
"""What is promised: at least so many messages a second of what the raw clients do."""
DEADLINE_S = 300.0

Turn = tuple[Sequence[Draft], bytes]
"""What the table commits by one act, and the scoreboard after it."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is to do."""

    host: str
    port: int
    numbers: range
    turns: Sequence[Turn]
    pace_s: float | None
    """None: as fast as it can, the whole set once."""


class Table:
    """One table of the hall: its MQTT side, and the set that it plays."""

    def __init__(self, task: Task, number: int, woken: queue.SimpleQueue[int]) -> None:
        self._turns = iter(task.turns)
        self.journal = Nothing(boot_id=f"boot-{number}")
        self.said = 0
        """Messages: events, and scoreboards."""
        self.at_ns: list[int] = []
        """When each event was committed, by the clock on the wall, which the listener stamps with too."""
        self.mqtt = Mqtt(
            host=task.host,
            port=task.port,
            table=f"hall-{number}",
            client_id=f"hall-{number}",
            boot_id=f"boot-{number}",
            version="bench",
            on_command=lambda message: None,
            logger=logging.getLogger("bench"),
            wake=lambda: woken.put(number),
        )

    def play(self) -> bool:
        """Make the next move; False where the set is over."""
        turn = next(self._turns, None)
        if turn is None:
            return False
        drafts, state = turn
        self.journal.append(drafts)
        self.at_ns += [time.time_ns()] * len(drafts)
        self.mqtt.show_state(state)
        self.mqtt.pump(self.journal)
        self.said += len(drafts) + 1
        return True

    @property
    def is_quiet(self) -> bool:
        """Whether the broker has acknowledged everything."""
        return self.journal.cursor("mqtt") == self.journal.last_sequence and not self.mqtt._awaited


def play_part(task: Task, pipe: Connection) -> None:
    """A process with its tables, in one loop: connect, say so, wait for the word, play, tell what was said."""
    logging.getLogger("bench").addHandler(logging.NullHandler())
    woken: queue.SimpleQueue[int] = queue.SimpleQueue()
    tables = {number: Table(task, number, woken) for number in task.numbers}
    for table in tables.values():
        table.mqtt.start()
    while not all(table.mqtt.connected and table.is_quiet for table in tables.values()):
        for table in tables.values():  # woken or not, as a service's loop does: nothing wakes the turn of a birth
            table.mqtt.pump(table.journal)
        time.sleep(0.05)
    pipe.send("ready")
    pipe.recv()
    if task.pace_s is None:
        _race(tables, woken)
    else:
        _play(tables, woken, task.pace_s)
    pipe.send([(table.said, table.at_ns) for table in tables.values()])
    for table in tables.values():
        table.mqtt.close()


def _turn(tables: dict[int, Table], woken: queue.SimpleQueue[int], timeout_s: float) -> set[int]:
    """Pump every table whose network thread has left something; which ones."""
    numbers: set[int] = set()
    try:
        numbers.add(woken.get(timeout=max(0.0, timeout_s)))
        while True:
            numbers.add(woken.get_nowait())
    except queue.Empty:
        pass
    for number in numbers:
        tables[number].mqtt.pump(tables[number].journal)
    return numbers


def _play(tables: dict[int, Table], woken: queue.SimpleQueue[int], pace_s: float) -> None:
    """Moves and heartbeats, each table at its own moments."""
    rng = np.random.default_rng(tables.keys().__iter__().__next__())
    began_s = time.monotonic()
    due = [(began_s + float(rng.uniform(0, pace_s)), number, True) for number in tables]
    due += [(began_s + float(rng.uniform(0, 1)), number, False) for number in tables]
    heapq.heapify(due)
    while due:
        at_s, number, is_move = due[0]
        if at_s > time.monotonic():
            _turn(tables, woken, at_s - time.monotonic())
            continue
        heapq.heappop(due)
        if is_move:
            tables[number].play()
        else:
            tables[number].mqtt.heartbeat(HEARTBEAT)
        next_s = at_s + (float(rng.uniform(0.5, 1.5)) * pace_s if is_move else 1.0)
        if next_s < began_s + PLAYED_S:
            heapq.heappush(due, (next_s, number, is_move))
    while not all(table.is_quiet for table in tables.values()):
        _turn(tables, woken, 0.05)


def _race(tables: dict[int, Table], woken: queue.SimpleQueue[int]) -> None:
    """Each table makes its next move as soon as the broker has acknowledged the last."""
    left = {number for number, table in tables.items() if table.play()}
    while left:
        for number in _turn(tables, woken, 0.05) & left:
            if tables[number].is_quiet and not tables[number].play():
                left.discard(number)


class Listener:
    """`mosquitto_sub` on the whole hall: what it hears is in a file, each line with its moment."""

    def __init__(self, broker: Mosquitto, path: Path, *topics: str) -> None:
        self._path = path
        command = ["mosquitto_sub", "-h", broker.host, "-p", str(broker.port), "-V", "5", "-q", "1", "-R"]
        command += [word for topic in topics for word in ("-t", topic)]
        with path.open("wb") as file:
            self._process = subprocess.Popen([*command, "-F", "%U\t%t\t%p"], stdout=file)

    def wait_for(self, count: int) -> None:
        """Until so many lines are there."""
        deadline = time.monotonic() + DEADLINE_S
        while (heard := self._path.read_bytes().count(b"\n")) < count:
            if time.monotonic() > deadline:
                raise SystemExit(f"bench.hall: {count} messages were said, {heard} arrived")
            time.sleep(0.1)

    def heard(self) -> Iterator[tuple[float, str, bytes]]:
        """Moment, topic and payload of each message."""
        for line in self._path.read_bytes().splitlines():
            at, topic, payload = line.split(b"\t", 2)
            yield float(at), topic.decode(), payload

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def recorded(place: Path) -> list[Turn]:
    """One real set of a real service, act by act: what it committed, and its scoreboard then."""
    acts: list[Turn] = []
    drafts: list[Draft] = []
    append, show_state = Nothing.append, Mqtt.show_state

    def appended(journal: Nothing, more: Sequence[Draft], *answered: Any) -> Any:
        drafts.extend(more)
        return append(journal, more, *answered)

    def shown(mqtt: Mqtt, payload: bytes) -> None:
        if drafts:
            acts.append((tuple(drafts), payload))
            drafts.clear()
        show_state(mqtt, payload)

    steps = Steps()
    with (
        Mosquitto(place) as broker,
        steps.noted(),
        mock.patch.object(Nothing, "append", appended),
        mock.patch.object(Mqtt, "show_state", shown),
    ):
        set_played("no journal", place / "recorded.sqlite", broker, steps, seed=1)
    return acts


def in_processes(broker: Mosquitto, turns: Sequence[Turn], pace_s: float | None) -> tuple[float, list[tuple[int, Any]]]:
    """Have all tables play; when they began, and of each how much it said, and when it committed each event."""
    tasks = [
        (Task(broker.host, broker.port, range(int(share[0]), int(share[-1]) + 1), turns, pace_s),)
        for share in np.array_split(np.arange(TABLES), PROCESSES)
    ]
    with at_once(play_part, tasks) as (began_s, pipes):
        return began_s, [table for pipe in pipes for table in pipe.recv()]


@contextlib.contextmanager
def at_once(part: Callable[..., None], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[float, list[Connection]]]:
    """A process for each task, all told to go when all are ready; yields that moment and their pipes, waits for all."""
    context = mp.get_context("spawn")
    pipes, processes = [], []
    for task in tasks:
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=part, args=(*task, theirs), daemon=True))
        processes[-1].start()
        pipes.append(ours)
    deadline = time.monotonic() + DEADLINE_S
    for number, pipe in enumerate(pipes):
        if not pipe.poll(deadline - time.monotonic()):
            raise SystemExit(f"bench.hall: not every table of process {number} was connected after {DEADLINE_S:g} s")
        assert pipe.recv() == "ready"
    began_s = time.time()
    for pipe in pipes:
        pipe.send("go")
    yield began_s, pipes
    for process in processes:
        process.join()


def measure_pace(place: Path, turns: Sequence[Turn]) -> None:
    """Print how late events are at a hall's pace, and whether all came, once each and in order."""
    with hall_broker(place) as broker:
        with contextlib.closing(Listener(broker, place / "pace.txt", "gameline/v1/+/event/#")) as listener:
            _, tables = in_processes(broker, turns, PACE_S)
            count = sum(len(at_ns) for _, at_ns in tables)
            listener.wait_for(count)
        late_s: list[float] = []
        next_of = [0] * TABLES
        for at_s, topic, payload in listener.heard():
            number = int(topic.split("/")[2].removeprefix("hall-"))
            sequence = json.loads(payload)["sequence"]
            if sequence != next_of[number] + 1:
                raise SystemExit(f"bench.hall: event {sequence} of table {number} came after {next_of[number]}")
            next_of[number] = sequence
            late_s.append(at_s - tables[number][1][sequence - 1] / 1e9)
    if next_of != [len(at_ns) for _, at_ns in tables]:
        raise SystemExit("bench.hall: not every event arrived")
    states = sum(said for said, _ in tables) - count
    print(f"{TABLES} tables for {PLAYED_S:g} s, a move in {PACE_S:g} s at each:")
    print(f"  {count} events, all arrived, once, in order; {states} scoreboards, {int(TABLES * PLAYED_S)} heartbeats")
    print(f"  committed to heard      median {np.median(late_s) * 1e3:7.2f} ms  p99 {p99(late_s) * 1e3:7.2f} ms\n")


def measure_race(place: Path, turns: Sequence[Turn]) -> None:
    """Print messages a second as fast as can be: of the tables, of their traffic alone, and of raw clients."""
    turns = tuple(turns) * RACED_SETS
    tables = place / "tables.txt"
    ways: dict[str, Callable[[Mosquitto], float]] = {
        "tables": lambda broker: in_processes(broker, turns, None)[0],
        "traffic": lambda broker: in_light_processes(broker, tables),
        "raw": lambda broker: raw(broker, tables),
    }
    took_s = dict.fromkeys(ways, 0.0)
    messages = TABLES * sum(len(drafts) + 1 for drafts, _ in turns)
    for name in list(ways) * ROUNDS:
        with hall_broker(place) as broker:
            topics = ("gameline/v1/+/event/#", "gameline/v1/+/state")
            with contextlib.closing(Listener(broker, place / f"{name}.txt", *topics)) as listener:
                began_s = ways[name](broker)
                listener.wait_for(messages)
            took_s[name] += max(at_s for at_s, _, _ in listener.heard()) - began_s
    raw_s = took_s["raw"]
    head = f"as fast as they can, {ROUNDS} times {messages} messages, all arrived"
    print(f"{head:<62}{'a second':>10}{'of raw':>10}{'at least':>10}")
    for name, what, limit in (
        ("tables", f"{TABLES} MQTT sides in {PROCESSES} processes here", ""),
        ("traffic", f"traffic of {TABLES} tables", f"{OF_RAW:g}"),
        ("raw", f"{TABLES} mosquitto_pub", ""),
    ):
        seconds = took_s[name]
        print(f"  {what:<60}{messages * ROUNDS / seconds:>10.0f}{raw_s / seconds:>10.2f}{limit:>10}")


def in_light_processes(broker: Mosquitto, path: Path) -> float:
    """Have a light stand-in say what the tables have said; when it began."""
    names = list(recorded_messages(path))
    shares = np.array_split(np.arange(len(names)), PROCESSES)
    tasks = [((broker.host, broker.port), path, [names[number] for number in share]) for share in shares]
    with at_once(say_part, tasks) as (began_s, _):
        return began_s


def say_part(address: tuple[str, int], path: Path, names: Sequence[str], pipe: Connection) -> None:
    """A process with some of the tables' traffic."""

    def begin() -> None:
        pipe.send("ready")
        pipe.recv()

    said = recorded_messages(path)
    say_all(address, {name: said[name] for name in names}, begin)


def recorded_messages(path: Path) -> dict[str, list[Message]]:
    """What the tables have said, by their names, in order."""
    said: dict[str, list[Message]] = {}
    for line in path.read_bytes().splitlines():
        _, topic, payload = line.split(b"\t", 2)
        said.setdefault(topic.decode().split("/")[2], []).append((topic.decode(), payload))
    return said


def raw(broker: Mosquitto, path: Path) -> float:
    """Have as many `mosquitto_pub` say what the tables have said, each line by line; when they began."""
    lines = recorded_messages(path)
    before = broker.log.read_text().count("New client connected")
    clients = []
    for table in lines:
        command = ["mosquitto_pub", "-h", broker.host, "-p", str(broker.port), "-V", "5", "-q", "1", "-l"]
        clients.append(subprocess.Popen([*command, "-t", f"gameline/v1/{table}/event/raw"], stdin=subprocess.PIPE))
    while broker.log.read_text().count("New client connected") - before < TABLES:
        time.sleep(0.1)
    texts = [b"".join(payload + b"\n" for _, payload in said) for said in lines.values()]
    began_s = time.time()
    for client, text in zip(clients, texts, strict=True):
        assert client.stdin is not None
        client.stdin.write(text)
        client.stdin.close()
    for client in clients:
        client.wait(DEADLINE_S)
    return began_s


def hall_broker(place: Path) -> Mosquitto:
    """A broker that drops nothing for a listener that is slower than a whole hall for a moment."""
    return Mosquitto(place, lines=("max_queued_messages 0",))


def main() -> None:
    """Print both."""
    argparse.ArgumentParser(prog="python -m bench.hall", description=__doc__).parse_args()
    print(f"load of this machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    with tempfile.TemporaryDirectory(prefix="gameline-bench-") as place:
        turns = recorded(Path(place))
        measure_pace(Path(place), turns)
        measure_race(Path(place), turns)


if __name__ == "__main__":
    main()
