"""The MQTT traffic of many tables from one thread: what they have said, with no more on its way than a table has.

A light stand-in for the tables' own MQTT sides where a hall's traffic has to come from one computer: each table still
has a connection with a will and a subscription, and waits for the acknowledgement of its last event before the next.
The packets are those of MQTT 5 (OASIS standard, chapters 3.1, 3.3, 3.4, 3.8), of which no more is here than that.
"""

from __future__ import annotations

import selectors
import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

CONNACK, PUBACK, SUBACK = 2, 4, 9
KEEPALIVE_S = 60
Message = tuple[str, bytes]
"""Topic and payload."""


class LightTable:
    """One table's connection; what is to be said is sent in order, one of each kind on its way at a time."""

    def __init__(self, address: tuple[str, int], table: str, messages: Sequence[Message]) -> None:
        self._waiting = deque(messages)
        self._on_way: dict[int, bool] = {}  # message id -> whether it is an event
        self._next_id = 1
        self._unread = bytearray()
        tree = f"gameline/v1/{table}/"
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(_connect(f"light-{table}", f"{tree}connection", b'{"status":"lost"}'))
        self.socket.sendall(_subscribe(f"{tree}cmd/+"))
        answers: list[int] = []
        while SUBACK not in answers:
            answers += [kind for kind, _ in self._packets()]
        assert CONNACK in answers

    def send(self) -> None:
        """Send what may be sent now."""
        while self._waiting:
            topic, payload = self._waiting[0]
            is_event = "/event/" in topic
            if is_event in self._on_way.values():
                return
            self._waiting.popleft()
            self._on_way[self._next_id] = is_event
            self.socket.sendall(_publish(topic, payload, self._next_id, is_retained=not is_event))
            self._next_id = self._next_id % 65_535 + 1

    def hear(self) -> bool:
        """Take what the broker has acknowledged, and send on; False once everything is."""
        for kind, message_id in self._packets():
            if kind == PUBACK:
                self._on_way.pop(message_id)
        self.send()
        return bool(self._waiting or self._on_way)

    def _packets(self) -> Iterator[tuple[int, int]]:
        """Kind, and message id or what stands in its place, of every packet that is whole."""
        more = self.socket.recv(65_536)
        if not more:
            raise ConnectionError("the broker has hung up")
        self._unread += more
        while len(self._unread) >= 4:
            length = self._unread[1]  # what a broker answers us has less than 128 bytes
            if len(self._unread) < 2 + length:
                return
            yield self._unread[0] >> 4, int.from_bytes(self._unread[2:4])
            del self._unread[: 2 + length]


def say_all(address: tuple[str, int], said: Mapping[str, Sequence[Message]], begin: Callable[[], None]) -> None:
    """Connect every table, wait for the word, and send everything; returns once all of it is acknowledged."""
    tables = [LightTable(address, table, messages) for table, messages in said.items()]
    with selectors.DefaultSelector() as selector:
        for table in tables:
            selector.register(table.socket, selectors.EVENT_READ, table)
        begin()
        for table in tables:
            table.send()
        left = len(tables)
        while left:
            for key, _ in selector.select():
                if not key.data.hear():
                    selector.unregister(key.fileobj)
                    left -= 1
    for table in tables:
        table.socket.close()


def _connect(client_id: str, will_topic: str, will: bytes) -> bytes:
    flags = 0x02 | 0x04 | 0x08 | 0x20  # clean start; a will, with QoS 1, retained
    head = _text(b"MQTT") + bytes([5, flags]) + KEEPALIVE_S.to_bytes(2) + b"\0"
    return _packet(0x10, head + _text(client_id.encode()) + b"\0" + _text(will_topic.encode()) + _text(will))


def _subscribe(topic: str) -> bytes:
    return _packet(0x82, b"\0\1\0" + _text(topic.encode()) + b"\x09")  # QoS 1, retained as published


def _publish(topic: str, payload: bytes, message_id: int, *, is_retained: bool) -> bytes:
    return _packet(0x32 | is_retained, _text(topic.encode()) + message_id.to_bytes(2) + b"\0" + payload)


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(2) + text


def _packet(head: int, body: bytes) -> bytes:
    size, length = bytearray(), len(body)
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    size.append(length)
    return bytes([head]) + bytes(size) + body
