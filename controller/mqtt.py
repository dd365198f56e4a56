"""What the table says over MQTT (retained topics, events, replies) and the commands that come; it decides nothing.

Called only from the loop's thread, which takes in `pump` what the network thread has left. Birth on every connection:
connect with the will, subscribe, then meta, health, state, selftest, and `connection: online` last. Where another
table of this name is online, there is no birth before that is gone: two journals must not be told as one.

Events leave in order and one at a time, the next when the broker has acknowledged the last: of 300 brokers ended
in mid-stream none was sent an event twice; with 50 on the way one in ten was. Only the one event whose
acknowledgement dies with the broker can still come again, under the same sequence.
"""

import logging
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec
from paho.mqtt.client import MQTTMessage

from controller.faults import Trouble
from controller.journal import Entry, Journal, JournalError
from controller.messages import Connection, Event
from controller.mqtt_link import Acknowledged, Heard, Link, Retained, Up, Version

CURSOR = "mqtt"  # the name of our place in the journal
EVENT = "event"
DISCOVERY = "discovery"  # retained outside of our tree
HEARTBEAT = "heartbeat"
RETAINED = ("meta", "health", "state", "selftest", "connection")
BIRTH = (DISCOVERY, *RETAINED)  # in this order
SAID = (*RETAINED, HEARTBEAT, f"{EVENT}/+")
"""What every display may read."""
LATE_NS = 5_000_000_000  # an event older than this when it leaves is historical: a display must not beep for it
KEEP_RETRY_NS = 1_000_000_000  # a locked journal costs half a second for each try
REFUSED_RETRY_NS = 10_000_000_000  # before we try again what the broker refused to take
SLOW_NS = 2_000_000_000  # a broker that answers later than this is told
SLOW_AFTER_NS = 60_000_000_000  # and for so long after its last answer, if that came late
ALONE_NS = 3_000_000_000  # a table whose heart has not beaten for so long is not there any more


class _Sent(NamedTuple):
    """A message on its way to the broker."""

    what: str
    """`event`, or the retained topic."""
    at_ns: int


class _Presence(msgspec.Struct):
    """As much of `connection` and `heartbeat` as tells one table of this name from another."""

    boot_id: str | None = None
    status: str = "online"


@dataclass(frozen=True, slots=True)
class CommandMessage:
    """A command as it arrived, unjudged."""

    name: str
    payload: bytes
    retained: bool
    """It was published with the retain flag, so it may be of any age."""
    client: str | None
    """Where the answer goes below `reply/`: the end of the response topic when that is the asker's, else None."""
    response_topic: str | None
    correlation: bytes | None
    mono_ns: int
    """When it reached us."""
    account: str | None = None
    """Whose own topic it came on, which the broker lets nobody else write; None: plain `cmd/<name>`."""


class Mqtt:
    """The voice of one table.

    Example:
        mqtt = Mqtt(host="localhost", port=1883, table="hall-1", client_id="gameline-5f3a", boot_id=boot, version="0.1",
                    on_command=inbox.put, logger=logging.getLogger("gameline.mqtt"))
        mqtt.start()
        mqtt.show_state(scoreboard)
        mqtt.pump(journal)
        mqtt.close(journal)

    Args:
        table: one level of a topic, unique at the broker.
        with_accounts: whether orders are taken on `cmd/<name>/<account>` too.
        client_id: unique at the broker; two clients of one id throw each other out for ever.
        on_command: called in the network thread; it must only enqueue.
        tls, version_of_mqtt: as `Link` takes them.
        discovery: what another program's users are to find this table by, published on every connection; None: nothing.
        wake: called in the network thread when there is work for `pump`; it must only set a flag. None: pump often.
        reconnect_s: the shortest and longest wait before a new try; doubled from try to try.
        clock_ns: the monotonic clock that the journal's entries are stamped with.

    Raises:
        ValueError: a table or host that cannot be one.
    """

    def __init__(
        self,
        *,
        host: str,
        port: int,
        table: str,
        client_id: str,
        boot_id: str,
        version: str,
        on_command: Callable[[CommandMessage], None],
        logger: logging.Logger,
        username: str | None = None,
        password: str | None = None,
        with_accounts: bool = False,
        tls: ssl.SSLContext | None = None,
        version_of_mqtt: Version = "5",
        discovery: Retained | None = None,
        wake: Callable[[], None] | None = None,
        reconnect_s: tuple[float, float] = (1.0, 15.0),
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        if not _is_level(table):
            raise ValueError(f"expected a table's name without '/', '+', '#' and control characters, got {table!r}")
        self._table, self._prefix = table, f"gameline/v1/{table}/"
        self._boot_id, self._version = boot_id, version
        self._user = username or "(anonymous)"
        self._on_command, self._logger, self._clock_ns = on_command, logger, clock_ns
        self._birth = 0  # the number of the connection that has had its birth
        self._unborn: Up | None = None  # a connection that waits for it
        self._rival: str | None = None  # another table of this name, by its boot
        self._rival_until_ns = 0  # so long it is believed to be there
        self._rival_beats = False  # and is more than what a broker still has of one that died
        self._newest = {"connection": self._connection("online").payload}
        self._elsewhere: dict[str, str] = {}  # topics outside of our tree
        if discovery is not None:
            self._elsewhere[DISCOVERY], self._newest[DISCOVERY] = discovery
        self._unsent: set[str] = set()  # retained topics whose newest payload has not left
        self._awaited: dict[int, _Sent] = {}  # by message id, what the broker has not acknowledged
        self._late_ns: int | None = None  # when the newest answer came, where it came late
        self._cursor = 0  # every event up to this sequence is acknowledged
        self._kept_cursor: int | None = None  # as the journal has it; None before the first pump
        self._keep_again_ns = 0  # after a failure; 0 when all is well
        self._refusals: dict[str, tuple[Trouble, int]] = {}  # what -> the trouble, and when to try again
        self._link = Link(
            host=host,
            port=port,
            client_id=client_id,
            username=username,
            password=password,
            will=self._connection("lost"),
            subscription=f"{self._prefix}cmd/{'#' if with_accounts else '+'}",
            watched=(f"{self._prefix}connection", f"{self._prefix}{HEARTBEAT}"),
            on_message=self._command,
            wake=wake,
            logger=logger,
            reconnect_s=reconnect_s,
            clock_ns=clock_ns,
            tls=tls,
            version_of_mqtt=version_of_mqtt,
        )

    def start(self) -> None:
        """Begin to connect, and go on for ever; an absent broker is no error."""
        self._link.start()

    def close(self, journal: Journal | None = None) -> None:
        """Say `offline` and go; twice is safe. Events that are not acknowledged by then leave at the next start.

        Args:
            journal: keeps what was acknowledged last; without it the next start may send that again.
        """
        self._link.close(self._connection("offline") if self.connected else None)
        if journal is not None:
            self.pump(journal)

    @property
    def connected(self) -> bool:
        """Whether a connection stands and has had its birth."""
        return self._birth != 0 and self._birth == self._link.connection

    @property
    def connections(self) -> int:
        """How many connections have been made."""
        return self._link.connections

    @property
    def version_of_mqtt(self) -> Version:
        """The version that is spoken: as asked for, or 3.1.1 since the broker has refused 5."""
        return self._link.version

    @property
    def callback_errors(self) -> int:
        """How many exceptions, ours or of `on_command`, were caught in the network thread."""
        return self._link.callback_errors

    @property
    def alive(self) -> bool:
        """Whether the network thread has not ended by itself; when it has, only a new process helps."""
        return self._link.alive

    @property
    def problem(self) -> str | None:
        """What a person should know and do, in one sentence; None when all is well."""
        trouble = self.trouble
        return None if trouble is None else trouble.text

    @property
    def trouble(self) -> Trouble | None:
        """The same with its code."""
        return self._link.trouble or self._own_trouble

    def warnings(self, now_s: float) -> tuple[Trouble, ...]:
        """What will end a connection that is well; `now_s` is Unix time."""
        return self._link.warnings(now_s)

    @property
    def acknowledged(self) -> int:
        """The sequence up to which the broker has every event."""
        return self._cursor

    def show_meta(self, payload: bytes) -> None:
        """Publish the schema, rules and names, retained; the newest goes out again on every reconnect."""
        self._show("meta", payload)

    def show_state(self, payload: bytes) -> None:
        """Publish the scoreboard, retained; only the newest is ever sent, and again on every reconnect."""
        self._show("state", payload)

    def show_health(self, payload: bytes) -> None:
        """Publish the health, retained; the newest goes out again on every reconnect."""
        self._show("health", payload)

    def show_selftest(self, payload: bytes) -> None:
        """Publish the self-test's progress or result, retained; the newest goes out again on every reconnect."""
        self._show("selftest", payload)

    def heartbeat(self, payload: bytes) -> None:
        """Publish a sign of life, not retained; without a connection it is dropped."""
        self._publish(HEARTBEAT, payload, qos=0)

    def reply(self, message: CommandMessage, payload: bytes, *, client: str | None = None) -> bool:
        """Answer a command at its response topic, or else at `reply/<client>`; without a connection it is dropped.

        Args:
            client: where the answer goes below `reply/`; used when the response topic names nothing.

        Returns:
            whether the answer was sent; False also when nobody to answer is known.
        """
        to = message.client or client
        if to is None or not _is_reply(to, message.account):
            return False
        return self._publish(f"reply/{to}", payload, correlation=message.correlation) is not None

    def pump(self, journal: Journal) -> None:
        """Take what the network thread left and send on what waits; called often, and after each wake.

        Raises:
            JournalError: the journal cannot be read. One that cannot be written is no error here: our place is kept in
                memory and written when it can be.
        """
        if self._kept_cursor is None:
            self._cursor = self._kept_cursor = journal.cursor(CURSOR)
        has_come_up = False
        for news in self._link.news():
            match news:
                case Up():
                    self._unborn, has_come_up = news, True
                    self._answered(self._link.since_ns)  # what we asked for on being connected
                case Acknowledged(message_id, refusal):
                    self._acknowledge(message_id, refusal)
                case Heard(topic, payload):
                    self._look_at(topic, payload)
        # Not in the turn in which it came up: the birth has what health says of this connection.
        if self._unborn is not None and not has_come_up and not self._gives_way:
            self._be_born(self._unborn)
        if self.connected:
            self._send_retained()
            self._send_event(journal)
        self._keep_cursor(journal)

    # --- what the broker answered -------------------------------------------------------------------------------------

    def _be_born(self, up: Up) -> None:
        self._birth, self._unborn, refusal = up.connection, None, up.refusal
        self._rival, self._rival_beats = None, False
        self._awaited.clear()  # the link has dropped what the earlier connection left unacknowledged
        self._refusals.clear()
        if refusal is not None:
            sentence = f"The MQTT broker lets no command through to us ({refusal}): let the user {self._user} read "
            self._refusals["cmd"] = (Trouble("broker_denies_commands", f"{sentence}{self._prefix}cmd/#."), 0)
        self._unsent = set(self._newest)

    def _look_at(self, topic: str, payload: bytes) -> None:
        """Another table of this name is there while its heart beats; what it leaves behind of us is put right."""
        try:
            said = msgspec.json.decode(payload, type=_Presence)
        except msgspec.DecodeError:
            return
        is_heart = topic.endswith(HEARTBEAT)
        if said.boot_id is not None and said.boot_id != self._boot_id and (is_heart or said.status == "online"):
            self._rival, self._rival_until_ns = said.boot_id, self._clock_ns() + ALONE_NS
            self._rival_beats = self._rival_beats or is_heart
            if self.connected and said.boot_id < self._boot_id:  # both were born at once: one of them withdraws
                self._unborn, self._birth = Up(self._birth, None), 0
        elif not is_heart and said.boot_id == self._rival:
            self._rival_until_ns = 0  # it said goodbye
        if not is_heart and self.connected and payload != self._newest["connection"]:
            self._unsent.add("connection")

    @property
    def _gives_way(self) -> bool:
        """Whether another table of this name is the one that speaks, and that obeys."""
        return self._unborn is not None and self._clock_ns() < self._rival_until_ns

    @property
    def _own_trouble(self) -> Trouble | None:
        """What is wrong with what is said, where the connection is well."""
        if self._rival_beats and self._unborn is not None:
            return Trouble(
                "table_twice",
                f"Another table named {self._table!r} is online at the MQTT broker, so this one publishes nothing: "
                "give each table a name of its own (table.name), or stop the other one.",
            )
        if self._refusals:  # lasting, where a slow way may be one for a moment
            return next(iter(self._refusals.values()))[0]
        now_ns = self._clock_ns()
        is_late = now_ns - min((sent.at_ns for sent in self._awaited.values()), default=now_ns) > SLOW_NS
        # What says so is itself on the slow way: it would be overtaken by the word that all has been answered.
        was_late = self._late_ns is not None and now_ns - self._late_ns < SLOW_AFTER_NS
        if (self.connected and is_late) or was_late:
            return Trouble(
                "broker_slow",
                f"The MQTT broker has taken more than {SLOW_NS // 1_000_000_000} s to acknowledge a message: look at "
                "the network between, and at what else keeps it busy.",
            )
        return None

    def _answered(self, since_ns: int) -> None:
        """The broker has answered what was sent then."""
        now_ns = self._clock_ns()
        self._late_ns = now_ns if now_ns - since_ns > SLOW_NS else None

    def _acknowledge(self, message_id: int, refusal: str | None) -> None:
        sent = self._awaited.pop(message_id, None)
        if sent is None:
            return
        what = sent.what
        self._answered(sent.at_ns)
        if refusal is not None:
            topic = self._topic(what)
            sentence = f"The MQTT broker does not take {topic} ({refusal}): let the user {self._user} write "
            wanted = topic if what in self._elsewhere else f"{self._prefix}#"
            trouble = Trouble("broker_denies_writing", f"{sentence}{wanted}.")
            self._refusals[what] = (trouble, self._clock_ns() + REFUSED_RETRY_NS)
            if what in BIRTH:
                self._unsent.add(what)
            return
        self._refusals.pop(what, None)
        if what == EVENT:
            self._cursor += 1

    def _keep_cursor(self, journal: Journal) -> None:
        now_ns = self._clock_ns()
        if self._cursor == self._kept_cursor or now_ns < self._keep_again_ns:
            return
        try:
            journal.set_cursor(CURSOR, self._cursor)
            self._kept_cursor, self._keep_again_ns = self._cursor, 0
        except JournalError as error:  # the loop's own append says it aloud, and there is nothing else to do about it
            if self._keep_again_ns == 0:
                self._logger.warning("The place of MQTT in the journal is kept in memory meanwhile: %s", error)
            self._keep_again_ns = now_ns + KEEP_RETRY_NS

    # --- sending ------------------------------------------------------------------------------------------------------

    def _show(self, name: str, payload: bytes) -> None:
        self._newest[name] = payload
        self._unsent.add(name)
        if self.connected:
            self._send_retained()

    def _send_retained(self) -> None:
        """Send the newest of each topic, never two of one topic at a time: a slow broker misses what was between."""
        for name in BIRTH:
            if name in self._unsent and not self._is_awaited(name) and not self._held(name):
                message_id = self._publish(name, self._newest[name], retain=True)
                if message_id is None:
                    return
                self._await(message_id, name)
                self._unsent.discard(name)

    def _send_event(self, journal: Journal) -> None:
        if self._is_awaited(EVENT) or self._held(EVENT) or self._cursor >= journal.last_sequence:
            return
        for entry in journal.entries(after=self._cursor, limit=1):
            message_id = self._publish(f"{EVENT}/{entry.type}", self._event(entry))
            if message_id is not None:
                self._await(message_id, EVENT)

    def _await(self, message_id: int, what: str) -> None:
        self._awaited[message_id] = _Sent(what, self._clock_ns())

    def _is_awaited(self, what: str) -> bool:
        return any(sent.what == what for sent in self._awaited.values())

    def _held(self, kind: str) -> bool:
        return kind in self._refusals and self._clock_ns() < self._refusals[kind][1]

    def _event(self, entry: Entry) -> bytes:
        missed = entry.boot_id != self._boot_id or entry.mono_ns < self._link.since_ns
        return msgspec.json.encode(
            Event(
                sequence=entry.sequence,
                type=entry.type,
                mono_ns=entry.mono_ns,
                boot_id=entry.boot_id,
                wall_utc=entry.wall_utc,
                clock_synchronised=entry.clock_synchronised,
                historical=missed or self._clock_ns() - entry.mono_ns > LATE_NS,
                body=entry.body,
            )
        )

    def _publish(
        self, name: str, payload: bytes, *, qos: int = 1, retain: bool = False, correlation: bytes | None = None
    ) -> int | None:
        """The message's id; None when there is no connection that has had its birth."""
        return self._link.publish(
            self._topic(name), payload, connection=self._birth, qos=qos, retain=retain, correlation=correlation
        )

    def _topic(self, name: str) -> str:
        return self._elsewhere.get(name, self._prefix + name)

    def _connection(self, status: Literal["online", "offline", "lost"]) -> Retained:
        body = Connection(status, self._boot_id, self._version)
        return Retained(f"{self._prefix}connection", msgspec.json.encode(body))

    # --- in the network thread ----------------------------------------------------------------------------------------

    def _command(self, message: MQTTMessage) -> None:
        if self._gives_way:
            return
        name, slash, account = _after(f"{self._prefix}cmd/", message.topic).partition("/")
        if slash and not _is_level(account):
            return  # deeper than any order
        response_topic = getattr(message.properties, "ResponseTopic", None)
        client = _after(f"{self._prefix}reply/", response_topic or "")
        self._on_command(
            CommandMessage(
                name=name,
                payload=bytes(message.payload),
                retained=message.retain,
                client=client if _is_reply(client, account or None) else None,
                response_topic=response_topic,
                correlation=getattr(message.properties, "CorrelationData", None),
                mono_ns=self._clock_ns(),
                account=account or None,
            )
        )


def _after(beginning: str, topic: str) -> str:
    """What follows in a topic after its beginning; nothing when it begins otherwise."""
    return topic.removeprefix(beginning) if topic.startswith(beginning) else ""


def _is_reply(to: str, account: str | None) -> bool:
    """Whether what follows `reply/` is the asker's: `<client>`, of an account `<account>/<client>`."""
    return _is_level(to if account is None else _after(f"{account}/", to))


def _is_level(text: str) -> bool:
    """Whether a text can be one level of a topic to publish to."""
    return text != "" and text.isprintable() and not set(text) & set("/+#") and len(text.encode()) <= 256
