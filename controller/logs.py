"""Where log lines go: under systemd into its journal, with fields to search by, else to stderr; nothing is said here.

A line may carry `fault`, `sequence` and `event` in `extra`; no line carries what a person keeps secret.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from logging_journald import JournaldTransport, check_journal_stream

IDENTIFIER: Final = "gameline"
FIELDS: Final = {"fault": "GAMELINE_FAULT", "sequence": "GAMELINE_SEQUENCE", "event": "GAMELINE_EVENT"}
"""Fields of the journal, by their names in `extra`."""
PRIORITIES: Final = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""syslog's, from the most urgent on; what is below is 7, for whoever looks for mistakes."""
FORMAT: Final = "%(levelname)s %(name)s: %(message)s"


def start_logging(table: str) -> None:
    """Send every line of this process where it belongs."""
    if is_stderr_the_journal():
        logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[JournalHandler(table)])
        sys.excepthook = _log_death
    else:
        # A descriptor of our own: while a picture is decoded the camera's thread leads the usual one nowhere, for the
        # decoders write to it what nobody can use, and lines of the other threads would go with it.
        stderr = os.fdopen(os.dup(sys.stderr.fileno()), "w", buffering=1, encoding="utf-8", errors="backslashreplace")
        logging.basicConfig(level=logging.INFO, format=FORMAT, stream=stderr)


def nowhere() -> logging.Logger:
    """A logger whose lines nobody reads: for a command that says itself, once and at its end, what there is to say."""
    logger = logging.Logger("nowhere")
    logger.addHandler(logging.NullHandler())
    return logger


class JournalHandler(logging.Handler):
    """Sends each line to journald in its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL), field by field.

    Args:
        table: the table's name.
        socket: where journald listens.

    Raises:
        OSError: it does not.
    """

    def __init__(self, table: str, socket: Path = JournaldTransport.SOCKET_PATH) -> None:
        super().__init__()
        self._table = table
        self._transport = JournaldTransport(socket, connected=False)  # journald may be started anew meanwhile

    def emit(self, record: logging.LogRecord) -> None:
        """Send it; what journald does not take goes to stderr, which systemd reads too."""
        try:
            self._transport.send(self._fields(record))
        except OSError:
            with contextlib.suppress(OSError):
                print(logging.Formatter(FORMAT).format(record), file=sys.stderr, flush=True)

    def close(self) -> None:
        """Let go of the socket."""
        self._transport.socket.close()
        super().close()

    def _fields(self, record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
        yield "MESSAGE", self.format(record)
        yield "PRIORITY", next((number for level, number in PRIORITIES if record.levelno >= level), 7)
        yield "SYSLOG_IDENTIFIER", IDENTIFIER
        yield "LOGGER", record.name
        yield "CODE_FILE", record.pathname
        yield "CODE_LINE", record.lineno
        yield "CODE_FUNC", record.funcName
        yield "THREAD", record.threadName
        yield "GAMELINE_TABLE", self._table
        for name, field in FIELDS.items():
            if (value := getattr(record, name, None)) is not None:
                yield field, value


def is_stderr_the_journal() -> bool:
    """Whether systemd has connected it, which says so in JOURNAL_STREAM."""
    with contextlib.suppress(OSError, ValueError):
        return bool(check_journal_stream()) and JournaldTransport.SOCKET_PATH.exists()
    return False


def _log_death(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault of ours that ends the program: one entry with all its lines, and not one without a level for each."""
    logging.getLogger(IDENTIFIER).critical("a fault of ours: report it", exc_info=(kind, error, trace))
