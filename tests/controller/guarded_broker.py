"""A real mosquitto with the files of `gameline broker-config`, and clients that connect as one of its accounts."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from controller.cli import main
from controller.mosquitto import Mosquitto

ACCOUNTS = {
    "hall": "table",
    "other": "table",
    "referee": "referee",
    "ann": "referee",
    "bob": "chief",
    "wall": "display",
    "mirror": "bridge",
}
TREE = "gameline/v1/hall/"
DEADLINE_S = 20.0
Way = Literal["local", "tls", "local_ws", "tls_ws"]
WAYS: tuple[Way, ...] = ("local", "tls", "local_ws", "tls_ws")


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens on."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class Guarded:
    """The broker and its folder.

    Args:
        folder: of its files; every user has to be able to enter it, for a broker that root starts becomes another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = dict(zip(WAYS, free_ports(4), strict=True))
        accounts = [word for account, role in ACCOUNTS.items() for word in ("--account", f"{account}={role}")]
        ports = [str(port) for port in self.ports.values()]
        assert main(["broker-config", str(folder), *accounts, "--ports", *ports, "--host", "127.0.0.1"]) == 0
        self.broker = Mosquitto(folder, self.ports["tls_ws"], configuration=folder / "mosquitto.conf")

    def password(self, account: str) -> str:
        return (self.folder / "passwords" / account).read_text().strip()

    @contextlib.contextmanager
    def client(
        self,
        account: str | None,
        *,
        way: Way = "local",
        password: str | None = None,
        host: str = "127.0.0.1",
        will: str | None = None,
    ) -> Iterator[Voice]:
        """A client that has tried to connect; `account` None: without one."""
        voice = Voice(transport="websockets" if way.endswith("ws") else "tcp")
        if account is not None:
            voice.client.username_pw_set(account, self.password(account) if password is None else password)
        if way.startswith("tls"):
            voice.client.tls_set_context(ssl.create_default_context(cafile=self.folder / "ca.crt"))
        if will is not None:
            voice.client.will_set(will, "lost")
        voice.client.connect(host, self.ports[way])
        voice.client.loop_start()
        try:
            voice.wait(lambda: voice.answer is not None, "the broker's answer to the connection")
            yield voice
        finally:
            voice.client.disconnect()
            voice.client.loop_stop()
            # What hangs in a circle is closed when chance has it, with a warning.
            voice.client.on_message = voice.client.on_connect = None
            voice.client.on_publish = voice.client.on_subscribe = None


class Voice:
    """One client: what it hears, and what the broker says to it."""

    def __init__(self, *, transport: Literal["tcp", "websockets"]) -> None:
        self.answer: ReasonCode | None = None
        self.heard: list[tuple[str, bytes]] = []
        self._is_subscribed = False
        self._answers: dict[int, ReasonCode] = {}
        self._changed = threading.Condition()
        self.client = Client(
            CallbackAPIVersion.VERSION2, protocol=MQTTv5, transport=transport, reconnect_on_failure=False
        )
        self.client.on_connect = lambda _c, _d, _f, reason, _p: self._note(lambda: setattr(self, "answer", reason))
        self.client.on_subscribe = lambda *_: self._note(lambda: setattr(self, "_is_subscribed", True))
        self.client.on_publish = lambda _c, _d, mid, reason, _p: self._note(lambda: self._keep(mid, reason))
        self.client.on_message = lambda _c, _d, message: self._note(lambda: self._hear(message))

    @property
    def is_in(self) -> bool:
        """Whether the broker has let it in."""
        return self.answer is not None and not self.answer.is_failure

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, DEADLINE_S), f"not within {DEADLINE_S} s: {what}; {self.heard}"

    def may_write(self, topic: str, payload: bytes = b"{}", *, retain: bool = False) -> bool:
        """Publish, and say whether the broker took it."""
        message_id = self.client.publish(topic, payload, qos=1, retain=retain).mid
        self.wait(lambda: message_id in self._answers, f"the broker's answer to {topic}")
        return not self._answers[message_id].is_failure

    def end_with_will(self) -> None:
        """Go, and have the broker publish the will, as when the connection breaks."""
        self.client.disconnect(reasoncode=ReasonCode(PacketTypes.DISCONNECT, identifier=0x04))

    def listen(self, topic: str = "#") -> None:
        self.client.subscribe(topic, qos=1)
        self.wait(lambda: self._is_subscribed, "the subscription")

    def hear(self, topic: str, holds: Callable[[Any], bool] = lambda body: True) -> Any:
        """Wait for JSON on a topic of the table."""

        def found() -> list[Any]:
            bodies = [json.loads(payload) for heard, payload in tuple(self.heard) if heard == TREE + topic]
            return [body for body in bodies if holds(body)]

        self.wait(lambda: found() != [], f"such a message on {topic}")
        return found()[0]

    def _keep(self, message_id: int, reason: ReasonCode) -> None:
        self._answers[message_id] = reason

    def _hear(self, message: MQTTMessage) -> None:
        self.heard.append((message.topic, bytes(message.payload)))

    def _note(self, change: Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, as pytest's own is not; its name has a space in it."""
    place = Path(tempfile.mkdtemp(prefix="gameline broker-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place)
