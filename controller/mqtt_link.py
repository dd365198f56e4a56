"""The connection to an MQTT broker: who makes it, what its thread may do, what went wrong with it; never what is said.

The network thread is paho's. It alone connects and reconnects; our callbacks in it leave news and set facts, and an
exception in one never ends it. Everything public is called from the loop's thread.
"""

import logging
import random
import socket
import ssl
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from paho.mqtt import __version__ as paho_version
from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, MQTTv5, MQTTv311
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.faults import Trouble
from controller.mqtt_trouble import ends_soon, no_broker, unreachable, unwelcome

Version = Literal["5", "3.1.1"]
KEEPALIVE_S = 10  # the broker says `lost` after one and a half of these
CONNECT_S = 3.0  # for the TCP connection; also the longest that `close` waits for a connection being made
GOODBYE_S = 2.0  # for the acknowledgement of the farewell
PACKET_BYTES = 65_536  # the broker keeps larger packets from us; the largest command has a few hundred
SHORT_NS = 5_000_000_000  # a connection that ends sooner was thrown out: not every broker says why (mosquitto 2.0.11)
RECENT_NS = 60_000_000_000  # how long a fault stays in `problem` after it was last seen
SESSION_TAKEN_OVER: Final = 142  # MQTT 5 reason codes
UNSUPPORTED_VERSION: Final = 132  # paho gives it for the 1 of a broker that knows 3.1.1 alone
CALLBACKS = (
    *("on_pre_connect", "on_socket_open", "on_connect", "on_connect_fail", "on_disconnect"),
    *("on_subscribe", "on_publish", "on_message"),
)

if tuple(int(part) for part in paho_version.split(".")[:2]) < (2, 2):  # `drop_out_messages` is missing, found too late
    raise ImportError(f"paho-mqtt {paho_version}, where 2.2 or newer is needed", name="paho")


class Retained(NamedTuple):
    """A topic in full and its payload, to be published retained with QoS 1."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Up:
    """A connection stands and is subscribed."""

    connection: int
    refusal: str | None
    """Why the broker does not grant the subscription; None when it does."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The broker has answered a message."""

    message_id: int
    refusal: str | None
    """Why the broker did not take it; None when it did."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message on one of the topics that are watched."""

    topic: str
    payload: bytes


News = Up | Acknowledged | Heard


class Link:
    """One paho client, connected again and again.

    Args:
        will: what the broker publishes when we are lost; None: nothing.
        subscription: the topic filter that we want messages from, subscribed with QoS 1 on every connection; None: we
            want none, and no `Up` comes.
        watched: topics whose messages, but for our own, come as news; what is retained there comes before `Up`.
        on_message: called in the network thread; it must only enqueue.
        wake: called in the network thread after it left news; it must only set a flag. None: the loop looks often.
        reconnect_s: the shortest and longest wait before a new try, doubled from try to try.
        clock_ns: a monotonic clock.
        tls: how the broker's certificate is judged; None: a connection in the clear.
        version_of_mqtt: a broker that refuses 5 is spoken to in 3.1.1 from then on.

    Raises:
        ValueError: a host that cannot be one.
    """

    def __init__(
        self,
        *,
        host: str,
        port: int,
        client_id: str,
        username: str | None,
        password: str | None,
        will: Retained | None = None,
        subscription: str | None = None,
        watched: Sequence[str] = (),
        on_message: Callable[[MQTTMessage], None] = lambda message: None,
        wake: Callable[[], None] | None = None,
        logger: logging.Logger,
        reconnect_s: tuple[float, float],
        clock_ns: Callable[[], int],
        tls: ssl.SSLContext | None = None,
        version_of_mqtt: Version = "5",
    ) -> None:
        self._host, self._port, self._client_id = _checked_host(host), port, client_id
        self._subscription, self._watched, self._on_message = subscription, tuple(watched), on_message
        self._subscribed: int | None = None  # message id of the subscription
        self._wake, self._logger, self._clock_ns = wake, logger, clock_ns
        self._news: deque[News] = deque()
        self._lock = threading.Lock()  # holds a message, the connection it is meant for and its client together
        self._thread: threading.Thread | None = None
        self._closed = False
        self._refused = False  # the broker said no to this attempt
        self._at, self._username, self._tls, self._version = f"{host}:{port}", username, tls, version_of_mqtt
        self._why = Trouble("broker_silent", f"There is no connection to the MQTT broker at {host}:{port} yet.")
        self._thrown_out: deque[tuple[int, bool]] = deque(maxlen=3)  # when, and whether another client took over
        self._fault: tuple[int, Trouble] | None = None
        self.connection = 0
        """The number of the connection that stands, 0 when none does."""
        self.since_ns = 0
        """When the newest connection was made."""
        self.connections = 0
        """How many connections have been made."""
        self.certificate_ends_s: float | None = None
        """When the certificate ends that the broker showed for the newest connection, Unix time; None: it has none."""
        self.callback_errors = 0
        """How many exceptions were caught in the network thread."""
        self._make: Callable[[], Client] = partial(self._make_client, password, will, reconnect_s)
        self._client = self._make()

    # --- for the loop -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, and go on for ever; an absent broker is no error."""
        properties = None
        if self._version == "5":
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.MaximumPacketSize = PACKET_BYTES
        self._client.connect_async(
            self._host, self._port, keepalive=KEEPALIVE_S, clean_start=True, properties=properties
        )
        self._client.loop_start()

    def close(self, farewell: Retained | None = None) -> None:
        """Publish the farewell, if there is one and a connection stands, and go without the will; twice is safe."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self.connection and farewell is not None:
            info = self._client.publish(*farewell, qos=1, retain=True)
            if info.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
                info.wait_for_publish(GOODBYE_S)
        self._client.disconnect()
        self._client.drop_out_messages()  # else paho's thread waits for their acknowledgement
        self._client.loop_stop()
        # paho closes the last of its sockets when the client goes, and a client that knows us goes when chance has it.
        for callback in CALLBACKS:
            setattr(self._client, callback, None)

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        connection: int,
        qos: int = 1,
        retain: bool = False,
        correlation: bytes | None = None,
    ) -> int | None:
        """Hand a message to paho for the connection it is meant for, and for no later one.

        Returns:
            the message's id, for its acknowledgement; None when that connection does not stand any more.
        """
        with self._lock:
            if not connection or connection != self.connection:
                return None
            properties = None
            if correlation is not None and self._version == "5":
                properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
                properties.CorrelationData = correlation
            info = self._client.publish(topic, payload, qos, retain, properties)
        return None if info.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE else info.mid

    def news(self) -> Iterator[News]:
        """What the network thread has left since the last time, in order."""
        while self._news:
            yield self._news.popleft()

    @property
    def version(self) -> Version:
        """The version of MQTT that is spoken: as asked for, or 3.1.1 since the broker has refused 5."""
        return self._version

    @property
    def alive(self) -> bool:
        """Whether the network thread has not ended by itself; when it has, only a new process helps."""
        return self._closed or self._thread is None or self._thread.is_alive()

    @property
    def problem(self) -> str | None:
        """What a person should know and do, in one sentence; None when the connection is well."""
        trouble = self.trouble
        return None if trouble is None else trouble.text

    @property
    def trouble(self) -> Trouble | None:
        """The same with its code."""
        now_ns = self._clock_ns()
        recent = [taken_over for at_ns, taken_over in tuple(self._thrown_out) if now_ns - at_ns < RECENT_NS]
        if sum(recent) >= 2 or len(recent) == 3:
            return Trouble(
                "broker_id_taken",
                f"{'Another' if any(recent) else 'Perhaps another'} client uses our MQTT client id "
                f"{self._client_id!r}, for the broker throws us out again and again: "
                "give each table its own client id.",
            )
        if not self.alive:
            ended = "The MQTT thread has ended, which it never should: restart Gameline and report the fault."
            return Trouble("mqtt_fault", ended)
        if not self.connection:
            return self._why
        if self._fault is not None and now_ns - self._fault[0] < RECENT_NS:
            return self._fault[1]
        return None

    def warnings(self, now_s: float) -> tuple[Trouble, ...]:
        """What will end a connection that is well; `now_s` is Unix time."""
        if not self.connection or self.certificate_ends_s is None:
            return ()
        return ends_soon(self.certificate_ends_s, now_s, self._at)

    # --- in the network thread ----------------------------------------------------------------------------------------

    def _make_client(self, password: str | None, will: Retained | None, reconnect_s: tuple[float, float]) -> Client:
        is_5 = self._version == "5"
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            clean_session=None if is_5 else True,
            protocol=MQTTv5 if is_5 else MQTTv311,
        )
        client.on_pre_connect = self._guarded(self._on_pre_connect)
        client.on_socket_open = self._guarded(self._on_socket_open)
        client.on_connect = self._guarded(self._on_connect)
        client.on_connect_fail = self._guarded(self._on_connect_fail)
        client.on_disconnect = self._guarded(self._on_disconnect)
        client.on_subscribe = self._guarded(self._on_subscribe)
        client.on_publish = self._guarded(self._on_publish)
        client.on_message = self._guarded(self._on_any_message)
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.max_inflight_messages_set(0)  # else paho queues behind its own limit what we take for sent
        client.connect_timeout = CONNECT_S
        shortest, longest = reconnect_s
        shortest *= random.uniform(1.0, 1.2)  # the tables of a hall do not come back in step
        client.reconnect_delay_set(shortest, longest)  # type: ignore[arg-type]  # paho only adds and compares them
        if self._username is not None:
            client.username_pw_set(self._username, password)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        return client

    def _guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """An exception would end paho's thread, and with it every reconnect; it is counted and said instead."""

        def guarded(client: Client, *rest: Any) -> None:
            if client is not self._client:
                return  # the last words of one that spoke a version that the broker does not
            try:
                callback(client, *rest)
            except Exception as error:
                self.callback_errors += 1
                sentence = (
                    f"A fault of Gameline in handling MQTT ({type(error).__name__}: {error}), "
                    f"number {self.callback_errors} since the start: please report it."
                )
                self._fault = (self._clock_ns(), Trouble("mqtt_fault", sentence))
                self._logger.exception("%s", sentence)

        return guarded

    def _tell(self, news: News) -> None:
        self._news.append(news)
        if self._wake is not None:
            self._wake()

    def _explain(self, why: Trouble) -> None:
        if why != self._why and not self._closed:
            self._why = why

    def _on_pre_connect(self, _client: Client, _data: Any) -> None:
        self._thread = threading.current_thread()
        self._refused = False

    def _on_socket_open(self, _client: Client, _data: Any, opened: socket.socket) -> None:
        # Else an event waits for the broker's word on the message before it, which may take 40 ms (RFC 896, 1122).
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _on_connect_fail(self, _client: Client, _data: Any) -> None:
        self._thrown_out.clear()  # a broker that comes and goes explains it better than a second client
        self._explain(unreachable(sys.exc_info()[1], self._at, tls=self._tls is not None))

    def _on_connect(
        self, client: Client, _data: Any, _flags: ConnectFlags, reason: ReasonCode, _properties: Properties
    ) -> None:
        if self._closed:
            client.disconnect()
            return
        if reason.is_failure:
            self._refused = True
            if reason.value == UNSUPPORTED_VERSION and self._version == "5":
                self._fall_back()
            else:
                self._explain(unwelcome(reason, self._at, username=self._username))
            return
        with self._lock:
            # What the last connection left unacknowledged is dropped before paho sends it again by itself: retained
            # payloads would be old, and events would not say that they are late.
            client.drop_out_messages()
            self.certificate_ends_s = _certificate_ends_s(client)
            self.connections += 1
            self.since_ns = self._clock_ns()
            self.connection = self.connections
        self._logger.info("Connected to the MQTT broker at %s", self._at)
        if self._subscription is not None:
            for topic in self._watched:  # first: a broker sends what is retained before it grants the next
                self._subscribe(client, topic, noLocal=True)
            # With `retainAsPublished` a retained message is known as such also when it arrives live.
            self._subscribed = self._subscribe(client, self._subscription, retainAsPublished=True)

    def _subscribe(self, client: Client, topic: str, **options: bool) -> int | None:
        """The message's id; the options are those of MQTT 5."""
        if self._version == "5":
            return client.subscribe(topic, options=SubscribeOptions(qos=1, **options))[1]
        return client.subscribe(topic, qos=1)[1]

    def _fall_back(self) -> None:
        """Go on in 3.1.1, with another client: paho's own cannot change its version."""
        with self._lock:
            self._client.disconnect()
            if self._closed:
                return
            self._logger.info("The MQTT broker at %s does not speak MQTT 5; we go on in 3.1.1", self._at)
            self._version, self._thread = "3.1.1", None
            self._client = self._make()
            self.start()

    def _on_any_message(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        if len(message.payload) > PACKET_BYTES:
            return  # a broker of 3.1.1 cannot be told to keep these from us
        if message.topic in self._watched:
            self._tell(Heard(message.topic, bytes(message.payload)))
        else:
            self._on_message(message)

    def _on_subscribe(
        self, _client: Client, _data: Any, mid: int, reasons: list[ReasonCode], _properties: Properties
    ) -> None:
        if mid == self._subscribed:  # whoever may not watch does without
            self._tell(Up(self.connection, next((str(reason) for reason in reasons if reason.is_failure), None)))

    def _on_publish(
        self, _client: Client, _data: Any, message_id: int, reason: ReasonCode, _properties: Properties
    ) -> None:
        self._tell(Acknowledged(message_id, str(reason) if reason.is_failure else None))

    def _on_disconnect(
        self, _client: Client, _data: Any, _flags: DisconnectFlags, reason: ReasonCode, _properties: Properties
    ) -> None:
        connection, self.connection = self.connection, 0
        if connection:
            now_ns, taken_over = self._clock_ns(), reason.value == SESSION_TAKEN_OVER
            if taken_over or now_ns - self.since_ns < SHORT_NS:
                self._thrown_out.append((now_ns, taken_over))
            why = f"The connection to the MQTT broker at {self._at} was lost ({reason}); it is made again by itself."
            self._explain(Trouble("broker_away", why))
        elif not self._refused:
            self._explain(no_broker(self._at, self._version))


def _certificate_ends_s(client: Client) -> float | None:
    """Of the certificate that the broker has proven itself with."""
    connection = client.socket()
    shown = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    return ssl.cert_time_to_seconds(str(shown["notAfter"])) if shown else None


def _checked_host(host: str) -> str:
    try:
        if host and host.encode("idna"):
            return host
    except UnicodeError as error:
        raise ValueError(f"expected the MQTT broker's host name or address, got {host!r}") from error
    raise ValueError(f"expected the MQTT broker's host name or address, got {host!r}")
