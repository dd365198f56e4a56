"""What this run's broker can do, tried one by one: docs/mqtt.md has the table, brokers.py what the tests leave out."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage, MQTTv5, MQTTv311
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.accounts import Role
from tests.controller.brokers import KIND, Broker

TREE = "gameline/v1/hall/"


class Caller:
    """A client in the version that this run speaks."""

    def __init__(self, broker: Broker, *, account: str | None = None, will: str | None = None) -> None:
        self.heard: list[tuple[str, bytes, int]] = []
        self.asked: list[tuple[str | None, bytes | None]] = []
        self.answered: dict[int, bool] = {}
        self.subscribed: ReasonCode | None = None
        self.is_up: bool | None = None
        self._changed = threading.Condition()
        version = MQTTv5 if KIND.spoken == "5" else MQTTv311
        self.client = Client(CallbackAPIVersion.VERSION2, protocol=version, reconnect_on_failure=False)
        self.client.on_connect = lambda _c, _d, _f, reason, _p: self._note(is_up=not reason.is_failure)
        self.client.on_disconnect = lambda *_: self._note(is_up=False)
        self.client.on_subscribe = lambda _c, _d, _m, reasons, _p: self._note(subscribed=reasons[0])
        self.client.on_publish = lambda _c, _d, mid, reason, _p: self._answer(mid, is_taken=not reason.is_failure)
        self.client.on_message = self._hear
        if account is not None:
            self.client.username_pw_set(account, f"secret-of-{account}")
        if will is not None:
            self.client.will_set(will, b"lost", qos=1, retain=True)
        self.client.connect(broker.host, broker.port)
        self.client.loop_start()
        assert self.until(lambda: self.is_up is not None)

    def until(self, holds: Callable[[], bool], seconds: float = KIND.deadline_s) -> bool:
        with self._changed:
            return self._changed.wait_for(holds, seconds)

    def hear(self, topic: str, qos: int = 1) -> bool:
        """Subscribe; whether the broker grants it."""
        self.subscribed = None
        self.client.subscribe(topic, qos)
        assert self.until(lambda: self.subscribed is not None or not self.is_up)
        return self.subscribed is not None and not self.subscribed.is_failure

    def say(self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, **properties: Any) -> bool:
        """Publish; whether the broker has acknowledged it as taken."""
        chosen = None
        if properties:
            chosen = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            for name, value in properties.items():
                setattr(chosen, name, value)
        mid = self.client.publish(topic, payload, qos, retain, chosen).mid
        self.until(lambda: mid in self.answered or not self.is_up)
        return self.answered.get(mid, False)

    def has_heard(self, topic: str) -> list[bytes]:
        return [payload for heard, payload, _ in tuple(self.heard) if heard == topic]

    def _note(self, **facts: Any) -> None:
        with self._changed:
            for name, fact in facts.items():
                setattr(self, name, fact)
            self._changed.notify_all()

    def _answer(self, mid: int, *, is_taken: bool) -> None:
        with self._changed:
            self.answered[mid] = is_taken
            self._changed.notify_all()

    def _hear(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        with self._changed:
            self.heard.append((message.topic, bytes(message.payload), message.qos))
            asker = message.properties
            self.asked.append((getattr(asker, "ResponseTopic", None), getattr(asker, "CorrelationData", None)))
            self._changed.notify_all()


@contextlib.contextmanager
def calling(broker: Broker, **how: Any) -> Iterator[Caller]:
    caller = Caller(broker, **how)
    try:
        yield caller
    finally:
        caller.client.disconnect()
        caller.client.loop_stop()
        caller.client.on_connect = caller.client.on_disconnect = caller.client.on_message = None
        caller.client.on_subscribe = caller.client.on_publish = None


def gives_retained(broker: Broker, topic: str, asked: str) -> bool:
    """Whether who subscribes to `asked` is given what was retained at `topic` before."""
    with calling(broker) as caller, calling(broker) as end:
        caller.hear(asked)
        if asked != topic:
            caller.hear(f"{TREE}end")
        end.say(f"{TREE}end" if asked != topic else topic, b"end")
        assert caller.until(lambda: any(payload == b"end" for _, payload, _ in caller.heard))
        return caller.has_heard(topic)[:1] == [b"kept"]


def wildcards(broker: Broker) -> bool:
    with calling(broker) as caller:
        caller.say(f"{TREE}state", b"kept", retain=True)
    return gives_retained(broker, f"{TREE}state", f"{TREE}#")


def retained(broker: Broker) -> bool:
    with calling(broker) as caller:
        caller.say(f"{TREE}state", b"kept", retain=True)
    return gives_retained(broker, f"{TREE}state", f"{TREE}state")


def retained_over_a_restart(broker: Broker) -> bool:
    with calling(broker) as caller:
        caller.say(f"{TREE}state", b"kept", retain=True)
    broker.stop()
    broker.start()
    return gives_retained(broker, f"{TREE}state", f"{TREE}state")


def will_retained(broker: Broker) -> bool:
    with calling(broker) as watcher:
        watcher.hear(f"{TREE}connection")
        with calling(broker, will=f"{TREE}connection") as dying:
            connection = dying.client.socket()
            assert isinstance(connection, socket.socket)
            connection.shutdown(socket.SHUT_RDWR)
        assert watcher.until(lambda: watcher.has_heard(f"{TREE}connection") == [b"lost"])
    with calling(broker) as late:
        late.hear(f"{TREE}connection")
        return late.until(lambda: late.has_heard(f"{TREE}connection") == [b"lost"], 5.0)


def exactly_once(broker: Broker) -> bool:
    with calling(broker) as caller:
        granted = caller.hear(f"{TREE}state", qos=2) and caller.subscribed is not None and caller.subscribed.value == 2
        taken = caller.say(f"{TREE}state", b"1", qos=2)
        heard = caller.until(lambda: caller.heard != [], 5.0)
        return granted and taken and heard and caller.heard[0][2] == 2


def system_topics(broker: Broker) -> bool:
    with calling(broker) as caller:
        caller.hear("$SYS/#")
        return caller.until(lambda: caller.heard != [], 5.0)


def properties(broker: Broker) -> bool:
    if KIND.spoken != "5":
        return False
    with calling(broker) as caller:
        caller.hear(f"{TREE}cmd/pause")
        caller.say(f"{TREE}cmd/pause", b"1", ResponseTopic=f"{TREE}reply/a", CorrelationData=b"c")
        assert caller.until(lambda: caller.heard != [])
        return caller.asked == [(f"{TREE}reply/a", b"c")]


def expiry(broker: Broker) -> bool:
    if KIND.spoken != "5":
        return False
    with calling(broker) as caller:
        caller.say(f"{TREE}state", b"kept", retain=True, MessageExpiryInterval=1)
    time.sleep(2.5)  # the broker's own clock is what is tried
    return not gives_retained(broker, f"{TREE}state", f"{TREE}state")


@pytest.mark.parametrize(
    "ability",
    [wildcards, retained, retained_over_a_restart, will_retained, exactly_once, system_topics, properties, expiry],
)
def test_broker_can_what_is_written_of_it(lasting_broker: Broker, ability: Callable[[Broker], bool]) -> None:
    """Each ability is there, or known to be lacking: a broker that learns it fails here too."""
    assert ability(lasting_broker) is (ability.__name__ not in KIND.cannot)


def test_broker_keeps_accounts_to_their_topics(tmp_path: Path) -> None:
    """With the rights of broker_files.py in the broker's own words: what may be said is heard, the rest is not."""
    accounts = {"hall": Role.TABLE, "ann": Role.REFEREE, "bob": Role.CHIEF, "wall": Role.DISPLAY}
    with KIND.make_guarded(tmp_path, accounts) as broker, calling(broker, account="hall") as table:
        table.hear(f"{TREE}cmd/#")
        for account, topic in (
            ("wall", "cmd/pause"),
            ("wall", "cmd/pause/wall"),
            ("ann", "cmd/pause/bob"),
            ("ann", "cmd/pause"),
            ("ann", "state"),
        ):
            with calling(broker, account=account) as liar:
                liar.say(f"{TREE}{topic}", b"lie")
        with calling(broker, account="ann") as ann, calling(broker, account="wall") as wall:
            ann.hear(f"{TREE}reply/ann/console")
            ann.hear(f"{TREE}state")
            wall.hear(f"{TREE}state")
            ann.say(f"{TREE}cmd/pause/ann", b"1")
            assert table.until(lambda: table.heard != [])
            assert [heard[:2] for heard in table.heard] == [(f"{TREE}cmd/pause/ann", b"1")]
            table.say(f"{TREE}reply/ann/console", b"2")
            table.say(f"{TREE}state", b"3")
            assert ann.until(lambda: len(ann.heard) == 2)
            assert wall.until(lambda: len(wall.heard) == 1)
            assert [heard[:2] for heard in (*ann.heard, *wall.heard)] == [
                (f"{TREE}reply/ann/console", b"2"),
                (f"{TREE}state", b"3"),
                (f"{TREE}state", b"3"),
            ]
        for topic in ("cmd/pause/ann", "reply/ann/console"):
            with calling(broker, account="wall") as spy, calling(broker, account="ann") as ann:
                spy.hear(f"{TREE}{topic}")
                ann.say(f"{TREE}cmd/pause/ann", b"4")
                table.say(f"{TREE}reply/ann/console", b"5")
                table.say(f"{TREE}state", b"6", retain=True)
                with contextlib.suppress(AssertionError):  # some hang up on who asks for what is not his
                    spy.hear(f"{TREE}state")
                    spy.until(lambda: spy.heard != [], 5.0)
                assert not spy.has_heard(f"{TREE}{topic}")
        with contextlib.suppress(OSError), calling(broker) as nobody:
            assert not nobody.is_up
