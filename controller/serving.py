"""`gameline run`: the service as a process, with its signals, its systemd and its exit code; nothing else is loaded."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import sdnotify

from controller.app import FAULTS, Service
from controller.cli import Sorry
from controller.config import ConfigError, in_file, load_config
from controller.keeper import RecordTo
from controller.logs import start_logging

WATCHDOG_SHARE = 3
"""The watchdog is fed this many times in its period."""


def run(options: argparse.Namespace) -> int:
    """The service, until SIGTERM or SIGINT, or until something it cannot live without has ended."""
    logger = logging.getLogger("gameline")
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    systemd = sdnotify.SystemdNotifier()
    try:
        config = load_config(options.config)
        start_logging(config.table.name)
        folder: Path | None = options.record
        record = None if folder is None else RecordTo(folder, round(options.budget * 1e9))
        with Service(config, record=record, logger=logger) as service:
            systemd.notify("READY=1")
            service.engine.run(is_stopped=over.is_set, alive=_Watchdog(systemd).feed)
            systemd.notify("STOPPING=1")
    except ConfigError as error:
        raise Sorry(in_file(error, options.config)) from error
    except FAULTS as error:
        raise Sorry(str(error)) from error
    return 0


class _Watchdog:
    """Feeds systemd's watchdog from the loop, a few times in its period."""

    def __init__(self, systemd: Any) -> None:
        self._systemd = systemd
        self._period_s = int(os.environ.get("WATCHDOG_USEC", "0")) / 1e6 / WATCHDOG_SHARE
        self._fed_s = 0.0

    def feed(self) -> None:
        """Called on every round of the loop."""
        now_s = time.monotonic()
        if self._period_s and now_s - self._fed_s >= self._period_s:
            self._fed_s = now_s
            self._systemd.notify("WATCHDOG=1")
