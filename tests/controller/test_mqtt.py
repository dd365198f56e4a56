"""The table's MQTT against a real broker: births, wills, brokers that die and come back, commands and replies."""

import contextlib
import json
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from paho.mqtt.client import Client, MQTTMessage, MQTTv5, MQTTv311
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller import mqtt as mqtt_module
from controller.journal import Draft, Journal
from controller.mosquitto import Mosquitto
from controller.mqtt import RETAINED, CommandMessage, Mqtt
from controller.mqtt_link import Retained
from tests.chaos.proxy import Proxy
from tests.controller.brokers import KIND, Broker

PROJECT = Path(mqtt_module.__file__).parents[1]
TREE = "gameline/v1/hall/"
DEADLINE_S = KIND.deadline_s


class Listener:
    """A display: subscribes to everything of the table, and again on every connection."""

    def __init__(self, broker: Broker, topic: str = f"{TREE}#") -> None:
        self._changed = threading.Condition()
        # By name too where wildcards give nothing retained; all in one request, so one answer comes.
        self._topics = [topic] if "wildcards" not in KIND.cannot else [topic, *(f"{TREE}{name}" for name in RETAINED)]
        self.messages: list[MQTTMessage] = []
        self.subscriptions = 0
        self.client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5 if KIND.spoken == "5" else MQTTv311)
        self.client.on_connect = self._connected
        self.client.on_subscribe = self._subscribed
        self.client.on_message = self._received
        self.client.reconnect_delay_set(0.02, 0.05)  # type: ignore[arg-type]
        self.client.connect_async(broker.host, broker.port, clean_start=True)

    def __enter__(self) -> Self:
        self.client.loop_start()
        self.until(lambda: self.subscriptions == 1, "the listener is subscribed")
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        # What hangs in a circle is closed when chance has it, with a warning.
        self.client.on_connect = self.client.on_subscribe = self.client.on_message = None

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something holds, looking after each message."""
        with self._changed:
            assert self._changed.wait_for(condition, DEADLINE_S), f"not within {DEADLINE_S} s: {what}; {self.seen()}"

    def until_seen(self, name: str, holds: Callable[[Any], bool] = lambda _: True) -> Any:
        """Wait for a message at a topic whose JSON holds, and give that JSON."""
        self.until(lambda: any(holds(value) for value in self.at(name)), f"a message at {name}")
        return next(value for value in self.at(name) if holds(value))

    def at(self, name: str) -> list[Any]:
        """The JSON of every message at a topic of the table."""
        return [json.loads(message.payload) for message in tuple(self.messages) if message.topic == TREE + name]

    def events(self) -> list[dict[str, Any]]:
        """Every event as it came."""
        start = f"{TREE}event/"
        return [json.loads(message.payload) for message in tuple(self.messages) if message.topic.startswith(start)]

    def seen(self) -> list[str]:
        """Every topic as it came, without the prefix."""
        return [message.topic.removeprefix(TREE) for message in tuple(self.messages)]

    def _connected(self, client: Client, *_: object) -> None:
        if KIND.spoken == "5":
            client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in self._topics])
        else:
            client.subscribe([(topic, 1) for topic in self._topics])

    def _subscribed(self, *_: object) -> None:
        with self._changed:
            self.subscriptions += 1
            self._changed.notify_all()

    def _received(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()


class Table:
    """A table without a game: a journal, its MQTT, and a loop that the test turns by hand."""

    def __init__(self, broker: Broker, directory: Path, **changes: Any) -> None:
        self.wake = threading.Event()
        self.ahead_ns = 0
        self.commands: list[CommandMessage] = []
        boot_id = changes.get("boot_id", "boot-1")
        self.journal = Journal(
            directory / "journal.db", boot_id=boot_id, wall_utc=lambda: "w", clock_synchronised=lambda: True
        )
        arguments: dict[str, Any] = {
            "host": broker.host,
            "port": broker.port,
            "table": "hall",
            "client_id": "gameline-hall",
            "boot_id": boot_id,
            "version": "0.1.0",
            "on_command": self.commands.append,
            "logger": logging.getLogger("test"),
            "wake": self.wake.set,
            "reconnect_s": (0.05, 0.2),
            "clock_ns": self.now_ns,
            "version_of_mqtt": KIND.asked,
        }
        self.mqtt = Mqtt(**{**arguments, **changes})

    def __enter__(self) -> Self:
        self.mqtt.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.mqtt.close(self.journal)
        self.journal.close()

    def now_ns(self) -> int:
        """The real monotonic clock, put ahead as the test wishes."""
        return time.monotonic_ns() + self.ahead_ns

    def play(self, count: int = 1) -> None:
        """Write numbered events to the journal."""
        for _ in range(count):
            number = self.journal.last_sequence + 1
            self.journal.append([Draft("played" if number % 2 else "passed", self.now_ns(), {"number": number})])

    def turn_until(self, condition: Callable[[], bool], what: str) -> None:
        """Pump as the loop does, at each wake and now and then, until something holds."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            self.mqtt.pump(self.journal)
            if condition():
                return
            assert time.monotonic() < deadline, f"not within {DEADLINE_S} s: {what}; problem: {self.mqtt.problem}"
            self.wake.wait(0.02)
            self.wake.clear()

    def connect(self) -> None:
        """Turn until there is a connection that has had its birth."""
        self.turn_until(lambda: self.mqtt.connected, "the table is connected")

    def deliver(self) -> None:
        """Turn until every event is acknowledged."""
        self.turn_until(lambda: self.journal.cursor("mqtt") == self.journal.last_sequence, "all events are delivered")


@pytest.fixture
def table(broker: Broker, tmp_path: Path) -> Iterator[Table]:
    """A connected table on a broker that forgets."""
    with Table(broker, tmp_path) as table:
        table.connect()
        yield table


def sequences(listener: Listener) -> list[int]:
    """The sequences of the events as they came."""
    return [event["sequence"] for event in listener.events()]


def wait_gone(table: Table) -> None:
    """Turn until the table knows that it has no connection."""
    table.turn_until(lambda: not table.mqtt.connected, "the table notices that the broker is gone")


def freeze(broker: Broker) -> int:
    """Stop the broker where it stands, and return once every thread of it does: its process."""
    assert broker.process_id is not None
    os.kill(broker.process_id, signal.SIGSTOP)
    _, status = os.waitpid(broker.process_id, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return broker.process_id


@contextmanager
def answering_late(broker: Broker, table: Table) -> Iterator[None]:
    """A broker that stands still meanwhile, and on its way to it a message of the table that is late already.

    Alone: not every broker acknowledges in the order in which it was sent to, and the birth may still be on its way.
    """
    table.turn_until(lambda: not table.mqtt._awaited, "the broker has acknowledged all")
    process_id = freeze(broker)
    try:
        table.play()
        table.mqtt.pump(table.journal)
        table.ahead_ns = mqtt_module.SLOW_NS + 1
        yield
    finally:
        os.kill(process_id, signal.SIGCONT)


# --- birth and death --------------------------------------------------------------------------------------------------


def test_late_display_sees_the_whole_table(broker: Broker, table: Table) -> None:
    """Who subscribes late finds meta, health, state and connection retained, and nothing else."""
    table.mqtt.show_meta(b'{"schema":1}')
    table.mqtt.show_health(b'{"camera":"ok"}')
    for revision in range(3):
        table.mqtt.show_state(json.dumps({"revision": revision}).encode())
    table.mqtt.heartbeat(b'{"revision":2}')
    table.play(2)
    table.deliver()
    with Listener(broker) as display:
        for name in ("meta", "health", "connection"):  # not every broker gives them in the order they came
            display.until_seen(name)
        display.until_seen("state", lambda state: state == {"revision": 2})
        assert display.at("meta") == [{"schema": 1}]
        assert display.at("health") == [{"camera": "ok"}]
        assert display.at("connection") == [{"status": "online", "boot_id": "boot-1", "version": "0.1.0"}]
        assert sorted(set(display.seen())) == ["connection", "health", "meta", "state"]


def test_birth_ends_with_online(broker: Broker, tmp_path: Path) -> None:
    """Whoever sees `online` has already seen meta, health and state, in this order."""
    with Listener(broker) as display, Table(broker, tmp_path) as table:
        for show in (table.mqtt.show_state, table.mqtt.show_health, table.mqtt.show_meta):
            show(b"{}")
        table.play(3)
        table.connect()
        table.deliver()
        display.until(lambda: len(display.events()) == 3, "three events")
        assert display.seen()[:4] == ["meta", "health", "state", "connection"]


def test_clean_close_says_offline(broker: Broker, tmp_path: Path) -> None:
    """A table that is switched off in order says so, and the will stays unspoken; closing twice is safe."""
    with Listener(broker) as display:
        with Table(broker, tmp_path) as table:
            table.connect()
            table.mqtt.close()
        assert display.until_seen("connection", lambda value: value["status"] == "offline")["boot_id"] == "boot-1"
        assert [value["status"] for value in display.at("connection")] == ["online", "offline"]


def test_killed_table_is_lost(broker: Broker, tmp_path: Path) -> None:
    """When the table's process is killed the broker says `lost` for it, retained, with its boot and version."""
    program = """
        import logging, sys
        from pathlib import Path
        from controller.journal import Journal
        from controller.mqtt import Mqtt
        mqtt = Mqtt(host=sys.argv[1], port=int(sys.argv[2]), table="hall", client_id="killed", boot_id="boot-k",
                    version="0.2", version_of_mqtt=sys.argv[4], on_command=print, logger=logging.getLogger())
        journal = Journal(Path(sys.argv[3]), boot_id="boot-k", wall_utc=lambda: "w", clock_synchronised=lambda: True)
        mqtt.start()
        while True:
            mqtt.pump(journal)
    """
    arguments = [broker.host, str(broker.port), str(tmp_path / "journal.db"), KIND.asked]
    with Listener(broker) as display:
        with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program), *arguments], cwd=PROJECT) as process:
            display.until_seen("connection", lambda value: value["status"] == "online")
            process.kill()
        display.until_seen("connection", lambda value: value["status"] == "lost")
    with Listener(broker) as late:
        assert late.until_seen("connection") == {"status": "lost", "boot_id": "boot-k", "version": "0.2"}


def test_announcement_goes_out_first_and_again_on_every_connection(mosquitto: Broker, tmp_path: Path) -> None:
    """What others are to find the table by is retained outside of its tree; a broker that forgets is told again."""
    announced = Retained("homeassistant/device/gameline-hall/config", b'{"device": {}}')
    with Listener(mosquitto, "#") as everyone, Table(mosquitto, tmp_path, discovery=announced) as table:
        table.turn_until(lambda: len(everyone.seen()) >= 2, "it is born")
        assert everyone.seen() == [announced.topic, "connection"]
        mosquitto.stop()
        wait_gone(table)
        mosquitto.start()
        everyone.until(lambda: everyone.subscriptions == 2, "the listener is back")
        table.turn_until(lambda: everyone.seen().count(announced.topic) >= 2, "it is announced again")
        assert {m.payload for m in everyone.messages if m.topic == announced.topic} == {announced.payload}


@pytest.mark.needs("reasons")
def test_broker_that_takes_no_announcement_is_told_of(tmp_path: Path) -> None:
    """The topic to be allowed is named; everything else goes on."""
    rules = tmp_path / "acl"
    rules.write_text(f"topic readwrite {TREE}#\n")
    announced = Retained("homeassistant/device/gameline-hall/config", b"{}")
    with (
        Mosquitto(tmp_path, lines=[f"acl_file {rules}"]) as broker,
        Table(broker, tmp_path, discovery=announced) as table,
    ):
        table.connect()
        table.play(3)
        table.deliver()
        table.turn_until(lambda: table.mqtt.problem is not None, "the refusal is said")
        assert table.mqtt.problem == (
            f"The MQTT broker does not take {announced.topic} (Not authorized): "
            f"let the user (anonymous) write {announced.topic}."
        )
        table.deliver()
        with answering_late(broker, table):
            assert table.mqtt.trouble is not None
            assert table.mqtt.trouble.code == "broker_denies_writing", "a slow answer hides what lasts"


# --- brokers that come and go -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_every_event_arrives_once_when_the_broker_is_away_for_a_while(broker: Broker, table: Table, end: str) -> None:
    """A broker without memory, stopped or killed during a game, costs no event, doubles none and mixes none."""
    with Listener(broker) as display:
        for _ in range(20):
            table.play()
            table.mqtt.pump(table.journal)
        table.deliver()
        display.until(lambda: len(display.events()) == 20, "20 events")
        getattr(broker, end)()
        for _ in range(200):
            table.play()
            table.mqtt.pump(table.journal)
        wait_gone(table)
        broker.start()
        display.until(lambda: display.subscriptions == 2, "the display is back")
        table.play(10)
        table.deliver()
        display.until(lambda: len(display.events()) >= 230, "230 events")
        assert sequences(display) == [*range(1, 231)]
        assert [event["body"]["number"] for event in display.events()] == [*range(1, 231)]
        assert {event["historical"] for event in display.events()[:20]} == {False}
        assert {event["historical"] for event in display.events()[20:220]} == {True}


def test_events_in_flight_in_a_frozen_broker_are_sent_again_as_late(broker: Broker, table: Table) -> None:
    """What a dead broker never read is sent to its successor, once and marked historical."""
    with Listener(broker) as display:
        table.play(1)
        table.deliver()
        display.until(lambda: len(display.events()) == 1, "one event")
        freeze(broker)
        table.play(300)
        for _ in range(20):
            table.mqtt.pump(table.journal)
        assert table.mqtt.connected
        assert table.journal.cursor("mqtt") == 1
        broker.kill()
        wait_gone(table)
        broker.start()
        display.until(lambda: display.subscriptions == 2, "the display is back")
        table.deliver()
        display.until(lambda: len(display.events()) >= 301, "301 events")
        assert sequences(display) == [*range(1, 302)]
        assert [event["historical"] for event in display.events()] == [False] + [True] * 300


def test_events_wait_for_the_next_start_of_the_table(broker: Broker, tmp_path: Path) -> None:
    """A table that was restarted goes on after the last acknowledged event and marks those of the earlier boot."""
    with Listener(broker) as display:
        with Table(broker, tmp_path) as table:
            table.connect()
            table.play(30)
            table.mqtt.pump(table.journal)
        with Table(broker, tmp_path, boot_id="boot-2") as table:
            assert table.journal.cursor("mqtt") >= 1
            table.connect()
            table.play(1)
            table.deliver()
        display.until(lambda: len(display.events()) >= 31, "31 events")
        assert sequences(display) == [*range(1, 32)]
        assert display.events()[-1]["historical"] is False
        assert display.events()[-1] == {
            "sequence": 31,
            "type": "played",
            "mono_ns": display.events()[-1]["mono_ns"],
            "boot_id": "boot-2",
            "wall_utc": "w",
            "clock_synchronised": True,
            "historical": False,
            "body": {"number": 31},
        }


def test_event_that_leaves_seconds_late_is_historical(broker: Broker, table: Table) -> None:
    """Even on a good connection an event that is many seconds old is no news."""
    with Listener(broker) as display:
        table.play()
        table.ahead_ns += 6_000_000_000
        table.play()
        table.deliver()
        display.until(lambda: len(display.events()) == 2, "two events")
        assert [event["historical"] for event in display.events()] == [True, False]


def test_broker_absent_at_start_is_no_error(broker: Broker, tmp_path: Path) -> None:
    """A table whose broker is not there yet says so, plays, drops heartbeats, and delivers when the broker comes."""
    broker.stop()
    with Table(broker, tmp_path) as table:
        table.play(3)
        table.turn_until(lambda: "does not answer" in (table.mqtt.problem or ""), "the problem is said")
        assert table.mqtt.problem == (
            f"The MQTT broker at 127.0.0.1:{broker.port} does not answer ([Errno 111] Connection refused): "
            "start it, or correct host and port; we go on trying."
        )
        table.mqtt.heartbeat(b"1")
        table.mqtt.show_state(b"1")
        table.mqtt.show_state(b"2")
        broker.start()
        with Listener(broker) as display:
            table.connect()
            table.mqtt.heartbeat(b"3")
            table.deliver()
            display.until_seen("heartbeat")
            display.until(lambda: len(display.events()) == 3, "three events")
            assert (display.at("heartbeat"), display.at("state")) == ([3], [2])
            assert table.mqtt.problem is None


@pytest.mark.needs("forgetting")
def test_broker_that_forgot_gets_the_newest_of_everything(broker: Broker, table: Table) -> None:
    """After a broker's restart a display is right again within two seconds, and never sees what is outdated."""
    table.mqtt.show_meta(b'"meta"')
    table.mqtt.show_health(b'"ok"')
    for revision in range(5):
        table.mqtt.show_state(str(revision).encode())
    table.mqtt.pump(table.journal)
    broker.stop()
    wait_gone(table)
    for revision in range(5, 10):
        table.mqtt.show_state(str(revision).encode())
    broker.start()
    began = time.monotonic()
    with Listener(broker) as display:
        table.connect()
        display.until_seen("connection", lambda value: value["status"] == "online")
        assert time.monotonic() - began < 2.0
        assert [display.at(name) for name in ("meta", "health", "state")] == [["meta"], ["ok"], [9]]


def test_frozen_broker_misses_what_was_between(broker: Broker, table: Table) -> None:
    """A broker that stands still for a while gets the state before, and then the newest, not a hundred between."""
    with Listener(broker) as display:
        process_id = freeze(broker)
        for revision in range(100):
            table.mqtt.show_state(str(revision).encode())
            table.mqtt.pump(table.journal)
        os.kill(process_id, signal.SIGCONT)
        table.turn_until(lambda: 99 in display.at("state"), "the newest state arrives")
        assert display.at("state") == [0, 99]


def test_birth_is_repeated_on_a_broker_with_memory(lasting_broker: Broker, tmp_path: Path) -> None:
    """A broker with memory has the retained topics after a restart, and the birth is repeated all the same."""
    with Table(lasting_broker, tmp_path) as table:
        table.connect()
        table.mqtt.show_state(b"1")
        table.play(5)
        table.deliver()
        lasting_broker.stop()
        wait_gone(table)
        lasting_broker.start()
        with Listener(lasting_broker) as display:
            display.until_seen("state")
            display.messages.clear()
            table.connect()
            display.until_seen("connection", lambda value: value["status"] == "online")
            assert display.events() == []


def test_each_bounce_of_the_broker_makes_one_connection(broker: Broker, table: Table) -> None:
    """Five restarts of the broker are five new connections: only one hand reconnects, and only one thread runs."""
    for bounce in range(5):
        [broker.kill, broker.stop][bounce % 2]()
        wait_gone(table)
        broker.start()
        table.connect()
    table.play()
    table.deliver()
    broker.stop()
    assert table.mqtt.connections == 6
    if isinstance(broker, Mosquitto):  # others do not log it
        assert broker.log.read_text().count("as gameline-hall") == 6
    assert sum("gameline-hall" in thread.name for thread in threading.enumerate()) == 1


def test_no_message_waits_for_the_answer_to_the_one_before(broker: Broker, table: Table) -> None:
    """The kernel would hold back a small packet until the last one is acknowledged, which may take 40 ms."""
    held_back = []
    for entry in Path("/proc/self/fd").iterdir():
        if not entry.is_socket():
            continue
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(int(entry.name))) as connected:
            if connected.getpeername()[1:2] == (broker.port,):
                held_back.append(not connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
    assert held_back == [False]


# --- things that go wrong ---------------------------------------------------------------------------------------------


def test_fault_in_a_callback_never_ends_the_thread(broker: Broker, tmp_path: Path) -> None:
    """When taking a command fails it is counted and said; commands still arrive, and a lost broker is found again."""
    taken: list[str] = []

    def take(command: CommandMessage) -> None:
        if command.name == "bad":
            raise KeyError("seat")
        taken.append(command.name)

    with Table(broker, tmp_path, on_command=take) as table, Listener(broker) as referee:
        table.connect()
        for name in ("bad", "good", "bad"):
            referee.client.publish(f"{TREE}cmd/{name}", b"{}", qos=1)
        table.turn_until(lambda: table.mqtt.callback_errors == 2, "both faults are counted")
        assert taken == ["good"]
        assert table.mqtt.problem == (
            "A fault of Gameline in handling MQTT (KeyError: 'seat'), number 2 since the start: please report it."
        )
        broker.kill()
        wait_gone(table)
        broker.start()
        table.connect()
        assert table.mqtt.alive
        referee.until(lambda: referee.subscriptions == 2, "the referee is back")
        referee.client.publish(f"{TREE}cmd/again", b"{}", qos=1)
        table.turn_until(lambda: taken == ["good", "again"], "the next command arrives")
        table.ahead_ns += 61_000_000_000
        table.turn_until(lambda: table.mqtt.problem is None, "the fault is an old one")


@contextlib.contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that gives everyone the same bytes and hangs up; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(1000)
                        connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


CONNACK = bytes.fromhex("20 03 00 00 00" if KIND.asked == "5" else "20 02 00 00")
TAKEN_OVER = bytes.fromhex("e0 02 8e 00")
DOUBLE_ID = (
    " client uses our MQTT client id 'gameline-hall', for the broker throws us out again and again: "
    "give each table its own client id."
)


def test_two_tables_of_one_client_id_are_told(broker: Broker, tmp_path: Path) -> None:
    """Two tables that throw each other out for ever both name the likely reason and the cure."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Table(broker, tmp_path / "one") as one, Table(broker, tmp_path / "two", table="other") as two:
        one.turn_until(
            lambda: all((table.mqtt.problem or "").endswith(DOUBLE_ID) for table in (one, two)), "both say so"
        )


def test_second_table_of_a_name_says_nothing_until_the_first_is_gone(broker: Broker, tmp_path: Path) -> None:
    """Two journals are never told as one: the table that comes second waits, says why, and tells all when it may."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with (
        Listener(broker) as display,
        Table(broker, tmp_path / "two", boot_id="boot-2", client_id="second") as two,
    ):
        two.journal.append([Draft("played", two.now_ns(), {"of": "two"})])
        with Table(broker, tmp_path / "one") as one:
            one.connect()
            one.play(2)
            one.deliver()
            two.mqtt.start()

            def is_told() -> bool:
                one.mqtt.heartbeat(b'{"boot_id":"boot-1"}')
                return "Another table named 'hall'" in (two.mqtt.problem or "")

            two.turn_until(is_told, "it says why it waits")
            assert not two.mqtt.connected
            display.client.publish(f"{TREE}cmd/pause", b"{}", qos=1)
            one.turn_until(lambda: len(one.commands) == 1, "the first one obeys")
            two.turn_until(is_told, "the second one still waits")
            assert two.commands == []
            assert one.mqtt.problem is None
        two.deliver()
        assert two.mqtt.problem is None
        display.until(lambda: len(display.events()) == 3, "all have come")
        assert [event["boot_id"] for event in display.events()] == ["boot-1", "boot-1", "boot-2"]


def test_table_that_a_broker_still_believes_online_is_not_waited_for_long(broker: Broker, tmp_path: Path) -> None:
    """After a power cut of table and broker together the last `online` stands, but no heart beats: we are soon born."""
    with Listener(broker) as display, Table(broker, tmp_path) as table:
        display.client.publish(f"{TREE}connection", b'{"status":"online","boot_id":"boot-0"}', retain=True)
        display.until(lambda: "connection" in display.seen(), "the broker has it")
        table.turn_until(lambda: table.mqtt.connections == 1, "there is a connection")
        table.ahead_ns = mqtt_module.ALONE_NS
        table.connect()
        table.turn_until(lambda: table.mqtt.problem is None, "all is well")


def test_table_that_is_online_stays_so_whoever_leaves_in_its_name(broker: Broker, table: Table) -> None:
    """The will of another table of our name, or of our own last connection, does not make displays believe us lost."""
    with Listener(broker, f"{TREE}connection") as display:
        display.client.publish(f"{TREE}connection", b'{"status":"lost","boot_id":"boot-0"}', retain=True)
        said: list[str] = []

        def has_been_put_right() -> bool:
            said[:] = [json.loads(message.payload)["status"] for message in display.messages]
            return "lost" in said and said[-1] == "online"

        table.turn_until(has_been_put_right, "it says again that it is online")


def test_broker_that_answers_slowly_is_told(broker: Broker, table: Table) -> None:
    """A message that is not acknowledged for seconds is a fault of the way to the broker, until one is in time.

    It must not be over with the late answer: health could never leave on a slow way with any other word than that.
    """
    with answering_late(broker, table):
        assert table.mqtt.trouble is not None
        assert table.mqtt.trouble.code == "broker_slow"
    table.deliver()
    assert table.mqtt.trouble is not None
    table.ahead_ns += mqtt_module.SLOW_AFTER_NS
    assert table.mqtt.trouble is None
    table.ahead_ns -= mqtt_module.SLOW_AFTER_NS
    table.play()
    table.deliver()
    assert table.mqtt.problem is None


def test_way_that_is_slow_from_the_start_is_told_with_the_birth(broker: Broker, tmp_path: Path) -> None:
    """The first answer says it already: the first health that leaves has it, not the second, many seconds later."""
    with Proxy(broker.port) as network, Table(broker, tmp_path, port=network.port) as table:
        network.delay(0.55 * mqtt_module.SLOW_NS / 1e9)  # each way
        table.connect()
        assert table.mqtt.trouble is not None
        assert table.mqtt.trouble.code == "broker_slow"
        network.mend()
        table.play()
        table.deliver()
        assert table.mqtt.trouble is None


@pytest.mark.parametrize(
    ("answer", "who"),
    [
        pytest.param(CONNACK + TAKEN_OVER, "Another", marks=pytest.mark.needs("reasons")),
        (CONNACK, "Perhaps another"),
    ],
)
def test_connection_thrown_out_again_and_again_is_told(broker: Broker, tmp_path: Path, answer: bytes, who: str) -> None:
    """Where the broker says that another client took over we say it too, else we say that it may be so."""
    with answering(answer) as port, Table(broker, tmp_path, port=port) as table:
        table.turn_until(lambda: table.mqtt.problem == who + DOUBLE_ID, "the problem is said")
        assert table.mqtt.alive


def test_refused_login_names_the_cure(tmp_path: Path) -> None:
    """A broker that does not know us is not taken for an absent one."""
    with (
        Mosquitto(tmp_path, lines=["allow_anonymous false"]) as broker,
        Table(broker, tmp_path, username="hall", password="wrong") as table,
    ):
        table.turn_until(lambda: "does not let" in (table.mqtt.problem or ""), "the refusal is said")
        assert table.mqtt.problem == (
            f"The MQTT broker at 127.0.0.1:{broker.port} does not let the user 'hall' in (Not authorized): put the "
            "account's right password into broker.password_file, or correct broker.username."
        )


@pytest.mark.needs("reasons")
def test_refused_event_stays_in_the_journal_and_leaves_when_it_may(tmp_path: Path) -> None:
    """Where the broker's rules forbid our events none is lost or doubled: the cure is named, and then all arrive."""
    rules = tmp_path / "acl"
    rules.write_text(f"topic readwrite {TREE}connection\ntopic read {TREE}#\n")
    with (
        Mosquitto(tmp_path, lines=[f"acl_file {rules}"]) as broker,
        Table(broker, tmp_path) as table,
        Listener(broker) as display,
    ):
        table.connect()
        table.play(40)
        table.turn_until(lambda: table.mqtt.problem is not None, "the refusal is said")
        assert table.mqtt.problem == (
            f"The MQTT broker does not take {TREE}event (Not authorized): let the user (anonymous) write {TREE}#."
        )
        assert table.journal.cursor("mqtt") == 0
        rules.write_text(f"topic readwrite {TREE}#\n")
        assert broker.process_id is not None
        os.kill(broker.process_id, signal.SIGHUP)

        def delivered() -> bool:
            table.ahead_ns += 11_000_000_000  # the next try is due, whether the broker has read its rules yet or not
            return table.journal.cursor("mqtt") == 40

        table.turn_until(delivered, "all events are delivered")
        display.until(lambda: len(display.events()) >= 40, "40 events")
        assert sequences(display) == [*range(1, 41)]
        table.play()
        table.deliver()  # in time: the answers before took a clock that leapt
        assert table.mqtt.problem is None


def test_port_of_something_else_is_named(broker: Broker, tmp_path: Path) -> None:
    """Whoever gives us a web server's port, or the broker's for WebSocket, is told which one to name."""
    page = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
    with answering(page) as port, Table(broker, tmp_path, port=port) as table:
        table.turn_until(
            lambda: f"is no broker of MQTT {KIND.asked}" in (table.mqtt.problem or ""), "the mistake is said"
        )
        assert "not the one for WebSocket" in (table.mqtt.problem or "")
        assert table.mqtt.alive


@pytest.mark.parametrize(
    ("table", "host", "expected"),
    [(table, "localhost", "a table's name without") for table in ("", "a/b", "a+", "#", "a\n", "é" * 200)]
    + [("hall", host, "the MQTT broker's host name") for host in ("", "a..b", "x" * 70)],
)
def test_name_that_cannot_be_one_is_refused(table: str, host: str, expected: str) -> None:
    """A table that would spoil the topics or a host that would end the network thread is refused at once."""
    with pytest.raises(ValueError, match=f"expected {expected}"):
        Mqtt(
            host=host,
            port=1883,
            table=table,
            client_id="gameline-hall",
            boot_id="boot-1",
            version="0.1.0",
            on_command=print,
            logger=logging.getLogger("test"),
        )


def test_events_leave_though_the_journal_has_no_room_for_the_cursor(broker: Broker, table: Table) -> None:
    """On a full disk the stored events still go out, each once, and our place is written when there is room again."""
    with Listener(broker) as display:
        table.play(30)
        room = resource.getrlimit(resource.RLIMIT_FSIZE)
        log_bytes = table.journal.path.with_name("journal.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (log_bytes, room[1]))
        try:
            table.turn_until(lambda: len(display.events()) == 30, "30 events")
            assert table.journal.cursor("mqtt") == 0
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, room)
        table.play()
        table.deliver()
        display.until(lambda: len(display.events()) >= 31, "31 events")
        assert sequences(display) == [*range(1, 32)]


# --- commands and replies ---------------------------------------------------------------------------------------------


def request(response_topic: str | None = None, correlation: bytes | None = None) -> Properties:
    """The MQTT 5 properties of a request."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    if response_topic is not None:
        properties.ResponseTopic = response_topic
    if correlation is not None:
        properties.CorrelationData = correlation
    return properties


def test_command_arrives_as_it_was_sent(broker: Broker, table: Table) -> None:
    """Name, payload, asker, correlation and time of arrival reach the loop; other topics do not."""
    with Listener(broker) as referee:
        before = table.now_ns()
        referee.client.publish(f"{TREE}cmd/deep/er", b"no", qos=1)
        referee.client.publish("gameline/v1/other/cmd/start", b"no", qos=1)
        referee.client.publish(f"{TREE}cmd/start", b"\xff\x00", 1, False, request(f"{TREE}reply/tablet-1", b"\x01\x02"))
        table.turn_until(lambda: len(table.commands) > 0, "the command arrives")
        (command,) = table.commands
        assert (command.name, command.payload, command.retained) == ("start", b"\xff\x00", False)
        asker = ("tablet-1", b"\x01\x02") if KIND.spoken == "5" else (None, None)
        assert (command.client, command.correlation) == asker
        assert before <= command.mono_ns <= table.now_ns()


@pytest.mark.needs("wildcards")
def test_retained_command_is_known_as_retained(broker: Broker, table: Table) -> None:
    """A command published with the retain flag carries it when it is found on a reconnect; in MQTT 5 live too."""
    with Listener(broker) as referee:
        referee.client.publish(f"{TREE}cmd/reset", b"{}", qos=1, retain=True)
        table.turn_until(lambda: len(table.commands) == 1, "the live one arrives")
    with Table(broker, _below(table), client_id="second") as second:
        second.turn_until(lambda: len(second.commands) == 1, "the retained one arrives")
        assert (table.commands[0].retained, second.commands[0].retained) == (KIND.spoken == "5", True)


def _below(table: Table) -> Path:
    directory = table.journal.path.parent / "second"
    directory.mkdir()
    return directory


@pytest.mark.needs("properties")
def test_reply_goes_to_the_asker(broker: Broker, table: Table) -> None:
    """The answer goes to the response topic with its correlation, or to the client that the caller names."""
    with Listener(broker) as referee:
        referee.client.publish(f"{TREE}cmd/one", b"", 1, False, request(f"{TREE}reply/tablet", b"c1"))
        referee.client.publish(f"{TREE}cmd/two", b"", qos=1)
        table.turn_until(lambda: len(table.commands) == 2, "both commands arrive")
        assert table.mqtt.reply(table.commands[0], b'"first"', client="liar")
        assert table.mqtt.reply(table.commands[1], b'"second"', client="console")
        assert referee.until_seen("reply/tablet") == "first"
        assert referee.until_seen("reply/console") == "second"
        first = next(message for message in referee.messages if message.topic.endswith("reply/tablet"))
        assert first.properties is not None
        assert vars(first.properties)["CorrelationData"] == b"c1"
        assert not first.retain


@pytest.mark.needs("properties")
@pytest.mark.parametrize(
    "response_topic",
    [
        "bank/door/open",
        f"{TREE}state",
        "gameline/v1/other/reply/x",
        f"{TREE}reply/",
        f"{TREE}reply/a/b",
        f"{TREE}reply",
    ],
)
def test_reply_never_leaves_our_reply_tree(broker: Broker, table: Table, response_topic: str) -> None:
    """A response topic elsewhere does not make the table write there; such a command names no asker."""
    with Listener(broker, "#") as everyone:
        everyone.client.publish(f"{TREE}cmd/one", b"", 1, False, request(response_topic))
        table.turn_until(lambda: len(table.commands) == 1, "the command arrives")
        assert table.commands[0].client is None
        assert table.commands[0].response_topic == response_topic
        assert not table.mqtt.reply(table.commands[0], b"1")
        assert not table.mqtt.reply(table.commands[0], b"1", client="a/../#")
        assert table.mqtt.reply(table.commands[0], b"1", client="ok")
        everyone.until_seen("reply/ok")
        assert {topic for topic in everyone.seen() if topic != "cmd/one"} == {"connection", "reply/ok"}


def test_oversized_command_is_kept_from_us(broker: Broker, table: Table) -> None:
    """A command of many kilobytes never reaches the table, and the next one does."""
    with Listener(broker) as referee:
        referee.client.publish(f"{TREE}cmd/huge", b"x" * 100_000, qos=1)
        referee.client.publish(f"{TREE}cmd/small", b"x", qos=1)
        table.turn_until(lambda: len(table.commands) > 0, "the small command arrives")
        assert [command.name for command in table.commands] == ["small"]
        assert table.mqtt.connections == 1


def test_nothing_is_said_without_a_connection(broker: Broker, table: Table) -> None:
    """A heartbeat or a reply while the broker is away is dropped, not sent when it is stale."""
    with Listener(broker) as referee:
        referee.client.publish(f"{TREE}cmd/one", b"", 1, False, request(f"{TREE}reply/tablet"))
        table.turn_until(lambda: len(table.commands) == 1, "the command arrives")
        broker.stop()
        wait_gone(table)
        table.mqtt.heartbeat(b"1")
        assert not table.mqtt.reply(table.commands[0], b"1")
        broker.start()
        referee.until(lambda: referee.subscriptions == 2, "the referee is back")
        table.connect()
        table.mqtt.heartbeat(b"2")
        referee.until_seen("heartbeat")
        assert referee.at("heartbeat") == [2]
        assert "reply/tablet" not in referee.seen()
