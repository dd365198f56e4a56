"""What a table has left at the broker under an earlier name, taken back once it has another; nothing of the present.

The journal remembers each name with a mark of the last start under it. What is retained under an earlier name is taken
back only while it bears that mark: the name may be another table's by now.
"""

import contextlib
import zlib
from collections.abc import Callable, Mapping

import msgspec
from paho.mqtt.client import MQTTMessage

from controller.journal import Journal, JournalError
from controller.mqtt import RETAINED
from controller.mqtt_link import Link

NAMED = "named "  # before a table's name, among the names of the journal's cursors
SETTLED_NS = 10_000_000_000  # what is retained comes as soon as it is subscribed to: by then there is nothing


def earlier_names(journal: Journal, table: str, boot_id: str) -> Mapping[str, int]:
    """The names that this table has had at the broker, with their marks; the present one is remembered with its own.

    Raises:
        JournalError: the journal cannot be read. One that cannot be written is no error here.
    """
    marks = {name.removeprefix(NAMED): mark for name, mark in journal.cursors().items() if name.startswith(NAMED)}
    with contextlib.suppress(JournalError):  # the loop's own append says it aloud
        journal.set_cursor(NAMED + table, mark_of(boot_id))
    return {name: mark for name, mark in marks.items() if mark and name != table}


def mark_of(boot_id: str) -> int:
    """A number above 0 that tells one start from another; a cursor can keep no more."""
    return zlib.crc32(boot_id.encode()) + 1


class Ghost:
    """A table's former self at the broker.

    Args:
        name: the earlier name.
        announced: the topic outside its tree where other programs were told of it.
        mark: of the last start under it.
        open_link: makes a connection; called with its `subscription` and `on_message`.
        clock_ns: a monotonic clock.
    """

    def __init__(
        self, name: str, mark: int, *, announced: str, open_link: Callable[..., Link], clock_ns: Callable[[], int]
    ) -> None:
        self._name, self._mark, self._announced, self._clock_ns = name, mark, announced, clock_ns
        self._prefix = f"gameline/v1/{name}/"
        self._is_over = False
        self._link = open_link(subscription=f"{self._prefix}connection", on_message=self._found)

    def start(self) -> None:
        """Look for it, as soon as there is a broker; nothing waits for it."""
        self._link.start()

    def close(self, journal: Journal) -> None:
        """Leave it, and forget its name where nothing of it is left; only in the loop's thread."""
        is_nothing_there = self._link.connection and self._clock_ns() - self._link.since_ns > SETTLED_NS
        self._link.close()
        if self._is_over or is_nothing_there:
            with contextlib.suppress(JournalError):  # then the next start looks for it again
                journal.set_cursor(NAMED + self._name, 0)

    def _found(self, message: MQTTMessage) -> None:
        """In the network thread: `connection` is taken back last, so an interrupted work is found again."""
        if not message.payload:
            self._is_over = True  # the broker has taken all of it back
            return
        if mark_of(_boot_of(bytes(message.payload))) != self._mark:
            self._is_over = True
            return
        for topic in (self._announced, *(self._prefix + name for name in RETAINED)):
            self._link.publish(topic, b"", connection=self._link.connection, retain=True)


def _boot_of(payload: bytes) -> str:
    """Of which start a `connection` tells; none where it is no such message."""
    try:
        return str(msgspec.json.decode(payload)["boot_id"])
    except (msgspec.DecodeError, LookupError, TypeError):
        return ""
