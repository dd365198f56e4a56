"""A display that keeps everything it hears, with the referee's voice; what should have been heard it does not know."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

TABLE = "chaos"
PREFIX = f"gameline/v1/{TABLE}/"
CLIENT = "listener"
REPLY_S = 3.0


@dataclass
class Heard:
    """All of it, with the monotonic seconds of its coming."""

    events: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    healths: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    connections: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    replies: dict[str, dict[str, Any]] = field(default_factory=dict)
    state: dict[str, Any] | None = None
    """The newest scoreboard."""
    state_s: float = 0.0
    heartbeat: dict[str, Any] | None = None
    heartbeat_s: float = 0.0


class Listener:
    """A client of the broker, not through the proxy, whose session the broker keeps."""

    def __init__(self, port: int) -> None:
        self.heard = Heard()
        self.news = threading.Condition()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=CLIENT, clean_session=False)
        self._client.reconnect_delay_set(0.1, 0.2)  # type: ignore[arg-type]  # paho only adds and compares them
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._client.connect_async("127.0.0.1", port, keepalive=60)
        self._client.loop_start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._client.on_connect = self._client.on_message = None

    @property
    def connection(self) -> str | None:
        """What the table, or the broker in its name, said last of its connection."""
        connections = self.heard.connections
        return connections[-1][1]["status"] if connections else None

    @property
    def sequence(self) -> int:
        """The highest number of an event so far."""
        return max((event["sequence"] for _, event in self.heard.events), default=0)

    def wait(self, is_so: Callable[[], bool], timeout_s: float) -> bool:
        """Whether it comes to be so in this time, looked at after every message."""
        with self.news:
            return self.news.wait_for(is_so, timeout_s)

    def order(self, name: str, **arguments: Any) -> dict[str, Any] | None:
        """Give an order; the answer, or None where none came in time."""
        number = str(uuid.uuid4())
        body = {"id": number, "sent_ms": time.time_ns() // 1_000_000, "by": "referee", "client": CLIENT, **arguments}
        self._client.publish(f"{PREFIX}cmd/{name}", json.dumps(body), qos=0)
        self.wait(lambda: number in self.heard.replies, REPLY_S)
        return self.heard.replies.get(number)

    def _on_connect(self, client: paho.Client, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        client.subscribe(f"{PREFIX}#", qos=1)

    def _on_message(self, client: paho.Client, userdata: Any, message: paho.MQTTMessage) -> None:
        topic = message.topic.removeprefix(PREFIX)
        now_s = time.monotonic()
        heard = self.heard
        with self.news:
            body = json.loads(message.payload)
            if topic.startswith("event/"):
                heard.events.append((now_s, body))
            elif topic == "health":
                heard.healths.append((now_s, body))
            elif topic == "connection":
                heard.connections.append((now_s, body))
            elif topic == "state":
                heard.state, heard.state_s = body, now_s
            elif topic == "heartbeat":
                heard.heartbeat, heard.heartbeat_s = body, now_s
            elif topic == f"reply/{CLIENT}" and body["id"] is not None:
                heard.replies[body["id"]] = body
            self.news.notify_all()
