"""The simulated referee: a client of the broker like any other, who hears what the table tells and sends it commands.

He knows nothing but what came over MQTT. The network thread only translates and stores; whoever acts asks.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.demo.scoreboard import Board, Happened, Reply, Unreadable, read_board, read_happened, read_reply

CLIENT = "demo-referee"
TTL_S = 10  # a command older than this is refused: it was meant for a table that has changed since
EVENTS_KEPT = 400  # more than one set has; whoever shows events looks several times a second
REPLIES_KEPT = 32


@dataclass(frozen=True, slots=True)
class Heard:
    """What has been heard up to now."""

    count: int
    """States, events, replies and connections so far: it has changed when anything has."""
    is_fresh: bool
    """Whether the board was heard after the last connection to the broker."""
    board: Board
    board_at_ns: int
    """Table time at which the board came."""
    events: tuple[Happened, ...]
    """The newest ones, the oldest first."""
    trouble: str | None = None
    """The last message that could not be read, in one sentence."""


class Ears(Protocol):
    """The referee as the script and the screen need him."""

    def heard(self) -> Heard:
        """What has been heard up to now."""

    def wait(self, count: int, timeout_s: float) -> None:
        """Sleep until more than `count` has been heard, at most this long of real time."""

    def command(self, name: str, arguments: Mapping[str, object]) -> str:
        """Send a command; the answer comes to the id that is returned."""

    def reply(self, request: str) -> Reply | None:
        """The answer to a command, None while there is none."""


class Referee:
    """The referee's client; a context manager that connects by itself, again and again.

    Args:
        host: The broker.
        port: Its port.
        table: The table's name in the topics.
        now_ns: Table time, to stamp what is heard.
        wall_ms: Unix milliseconds, for the time a command was sent.
    """

    def __init__(
        self, *, host: str, port: int, table: str, now_ns: Callable[[], int], wall_ms: Callable[[], int]
    ) -> None:
        self._root = f"gameline/v1/{table}/"
        self._now_ns = now_ns
        self._wall_ms = wall_ms
        self._news = threading.Condition()
        self._count = 0
        self._is_fresh = False
        self._board = Board()
        self._board_at_ns = now_ns()
        self._events: deque[Happened] = deque(maxlen=EVENTS_KEPT)
        self._replies: dict[str, Reply] = {}
        self._trouble: str | None = None
        self._host, self._port = host, port
        self._client = Client(
            callback_api_version=CallbackAPIVersion.VERSION2, client_id=CLIENT, protocol=MQTTProtocolVersion.MQTTv5
        )
        self._client.reconnect_delay_set(min_delay=1, max_delay=2)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message

    def __enter__(self) -> Self:
        self._client.connect_async(self._host, self._port)
        self._client.loop_start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def heard(self) -> Heard:
        """What has been heard up to now."""
        with self._news:
            return Heard(
                self._count, self._is_fresh, self._board, self._board_at_ns, tuple(self._events), self._trouble
            )

    def wait(self, count: int, timeout_s: float) -> None:
        """Sleep until more than `count` has been heard, at most this long of real time."""
        with self._news:
            self._news.wait_for(lambda: self._count > count, timeout_s)

    def command(self, name: str, arguments: Mapping[str, object]) -> str:
        """Send a command; the answer comes to the id that is returned."""
        request = str(uuid.uuid4())
        payload = {
            "id": request,
            "sent_ms": self._wall_ms(),
            "ttl_s": TTL_S,
            "by": "referee",
            "client": CLIENT,
            **arguments,
        }
        self._client.publish(f"{self._root}cmd/{name}", json.dumps(payload), qos=1)
        return request

    def reply(self, request: str) -> Reply | None:
        """The answer to a command, None while there is none."""
        with self._news:
            return self._replies.get(request)

    # --- the network thread -----------------------------------------------------------------------

    def _on_connect(
        self, client: Client, userdata: Any, flags: ConnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if not reason.is_failure:
            client.subscribe(f"{self._root}#", qos=1)

    def _on_disconnect(
        self, client: Client, userdata: Any, flags: DisconnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        with self._news:
            self._is_fresh = False
            self._told()

    def _on_message(self, client: Client, userdata: Any, message: MQTTMessage) -> None:
        topic = message.topic.removeprefix(self._root)
        try:
            self._hear(topic, bytes(message.payload))
        except Unreadable as error:
            # A message nobody could read must not end the network thread; the screen shows it.
            with self._news:
                self._trouble = f"{topic}: {error}"
                self._told()

    def _hear(self, topic: str, payload: bytes) -> None:
        at_ns = self._now_ns()
        if topic == "state":
            board = read_board(payload)
            with self._news:
                self._board, self._board_at_ns, self._is_fresh = board, at_ns, True
                self._told()
        elif topic.startswith("event/"):
            happened = read_happened(payload)
            with self._news:
                self._events.append(happened)
                self._told()
        elif topic == f"reply/{CLIENT}":
            reply = read_reply(payload)
            with self._news:
                self._replies[reply.id] = reply
                while len(self._replies) > REPLIES_KEPT:
                    del self._replies[next(iter(self._replies))]
                self._told()

    def _told(self) -> None:
        self._count += 1
        self._news.notify_all()
