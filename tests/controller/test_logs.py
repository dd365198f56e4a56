"""Log lines as journald gets them, in its native protocol, from a socket of our own."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.logs import JournalHandler, _log_death


class Journald:
    """Listens where journald would, and takes apart what comes."""

    def __init__(self, place: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(place))
        self.socket.settimeout(10)

    def close(self) -> None:
        self.socket.close()

    def entry(self) -> dict[str, str]:
        """The next entry; a long one comes as a file."""
        data, files, _, _ = socket.recv_fds(self.socket, 1 << 20, 1)
        for file in files:
            with os.fdopen(file, "rb") as sealed:
                sealed.seek(0)
                data = sealed.read()
        fields: dict[str, str] = {}
        while data:
            head, _, data = data.partition(b"\n")
            name, is_short, value = head.partition(b"=")
            if not is_short:
                size = int.from_bytes(data[:8], "little")
                value, data = data[8 : 8 + size], data[8 + size + 1 :]
            assert name.decode() not in fields
            fields[name.decode()] = value.decode()
        return fields


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[Journald]:
    with closing(Journald(tmp_path / "socket")) as listening:
        yield listening


@pytest.fixture
def log(tmp_path: Path, journald: Journald) -> Iterator[logging.Logger]:
    logger = logging.Logger("gameline.tests")
    logger.addHandler(JournalHandler("hall", tmp_path / "socket"))
    yield logger
    logger.handlers[0].close()


def test_line_comes_with_fields_to_search_by(log: logging.Logger, journald: Journald) -> None:
    """Priority, where in the program, which table, and the code of the fault or the event's number where it has one."""
    log.warning("%s: %s", "disk_full", "no room", extra={"fault": "disk_full"})
    told = journald.entry()
    assert (told["MESSAGE"], told["PRIORITY"], told["SYSLOG_IDENTIFIER"]) == ("disk_full: no room", "4", "gameline")
    assert (told["GAMELINE_TABLE"], told["GAMELINE_FAULT"], told["LOGGER"]) == ("hall", "disk_full", "gameline.tests")
    assert (told["CODE_FILE"], told["CODE_FUNC"]) == (__file__, "test_line_comes_with_fields_to_search_by")
    assert "GAMELINE_SEQUENCE" not in told
    log.info("buzzed", extra={"sequence": 12, "event": "time_exceeded"})
    told = journald.entry()
    assert (told["GAMELINE_SEQUENCE"], told["GAMELINE_EVENT"]) == ("12", "time_exceeded")
    assert (told["PRIORITY"], "GAMELINE_FAULT" in told) == ("6", False)


@pytest.mark.parametrize(
    ("level", "priority"),
    [(logging.CRITICAL, "2"), (logging.ERROR, "3"), (logging.WARNING, "4"), (logging.INFO, "6"), (logging.DEBUG, "7")],
)
def test_level_becomes_the_priority_of_syslog(
    log: logging.Logger, journald: Journald, level: int, priority: str
) -> None:
    log.log(level, "x")
    assert journald.entry()["PRIORITY"] == priority


def test_text_from_outside_makes_no_field_of_its_own(log: logging.Logger, journald: Journald) -> None:
    """A name with a line break, or a whole traceback, stays in its message, however long it is."""
    log.info("a name\nPRIORITY=0\nGAMELINE_TABLE=other")
    told = journald.entry()
    assert (told["MESSAGE"], told["PRIORITY"]) == ("a name\nPRIORITY=0\nGAMELINE_TABLE=other", "6")
    try:
        raise ValueError("x" * 300_000)
    except ValueError:
        log.exception("a fault of ours")
    told = journald.entry()
    assert told["MESSAGE"].startswith("a fault of ours\nTraceback")
    assert told["MESSAGE"].endswith("x" * 1000)


def test_line_that_journald_does_not_take_is_on_stderr(
    capsys: pytest.CaptureFixture[str], journald: Journald, log: logging.Logger, tmp_path: Path
) -> None:
    """While it is started anew nothing is lost, and afterwards it has them again."""
    journald.close()
    (tmp_path / "socket").unlink()
    log.error("meanwhile")
    assert capsys.readouterr().err == "ERROR gameline.tests: meanwhile\n"
    with closing(Journald(tmp_path / "socket")) as again:
        log.error("afterwards")
        assert again.entry()["MESSAGE"] == "afterwards"


def test_fault_of_ours_that_ends_the_program_is_one_entry(log: logging.Logger, journald: Journald) -> None:
    """With its traceback, at a level that nobody overlooks."""
    ours = logging.getLogger("gameline")
    ours.addHandler(log.handlers[0])
    try:
        raise ZeroDivisionError("division by zero")
    except ZeroDivisionError as error:
        _log_death(type(error), error, error.__traceback__)
    finally:
        ours.removeHandler(log.handlers[0])
    told = journald.entry()
    assert told["PRIORITY"] == "2"
    assert told["MESSAGE"].startswith("a fault of ours: report it\nTraceback")
    assert told["MESSAGE"].endswith("ZeroDivisionError: division by zero")
