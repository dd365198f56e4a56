"""`gameline selftest`: one person is guided round the table from a terminal; what is tested and judged is elsewhere.

The guide speaks on stderr, the result is on stdout: `gameline selftest CONFIG > page.txt` guides and keeps the page.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from controller.app import FAULTS, self_test_bench
from controller.cli import Sorry
from controller.config import ConfigError, load_config
from controller.journal_errors import JournalBusy
from controller.selftest import Showing
from controller.selftest_guide import Report
from controller.selftest_page import WIDTH, report_html, report_json, report_text, result_line
from controller.selftest_results import Result

_COUNTS = re.compile(r"\d+ pulses?")


def selftest(options: argparse.Namespace) -> int:
    """Guide, then print the page; 0 where everything is well, else 1."""
    if options.html is not None and (options.html.is_dir() or not os.access(options.html.parent, os.W_OK)):
        raise Sorry(f"expected a file that can be written for --html, got {options.html}: name another")
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: over.set())
    logging.basicConfig(level=logging.CRITICAL)  # faults are told with their step, and stand in the page
    try:
        config = load_config(options.config)
        with _own_stderr() as out, self_test_bench(config, logger=logging.getLogger("gameline")) as bench:
            screen = Screen(out)
            screen.say(
                f"Self-test of {config.table.name}, two minutes, one person. Ctrl-C ends it with what was found."
            )
            report = bench.run(screen.show, by=options.by, with_sound=options.sound, is_stopped=over.is_set)
            screen.end()
    except ConfigError as error:
        text = str(error)
        raise Sorry(text if text.startswith(str(options.config)) else f"{options.config}: {text}") from error
    except JournalBusy as error:
        raise Sorry(f"{error} Or let the referee test from his console: cmd/selftest.") from error
    except FAULTS as error:
        raise Sorry(str(error)) from error
    _hand_over(report, options)
    return 0 if report.has_passed else 1


def _own_stderr() -> TextIO:
    """Another way to stderr: while a picture of a folder is decoded the usual one leads nowhere, for the libraries."""
    return os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace")


def _hand_over(report: Report, options: argparse.Namespace) -> None:
    """Print the page, and write it where it was asked for."""
    if options.json:
        print(json.dumps(report_json(report)))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
        print(report_text(report, width=min(width, WIDTH)))
    if options.html is not None:
        page: Path = options.html
        try:
            page.write_text(report_html(report), encoding="utf-8")
        except OSError as error:
            raise Sorry(f"expected to write {page}, got {error.strerror}: name another") from error


class Screen:
    """What the person at the terminal reads: each step once, its countdown, and what came as it comes."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._is_terminal = out.isatty()
        self._seconds = -1
        self._known: dict[str, str] = {}

    def say(self, text: str) -> None:
        """Write a line, folded to the width of a phone where it is one."""
        self._clear()
        width = min(shutil.get_terminal_size().columns, 100)
        print(textwrap.fill(text, width), file=self._out, flush=True)

    def show(self, showing: Showing, results: Sequence[Result]) -> None:
        """What is to be done now, and what has come so far; writes only what is new."""
        for result in results:
            line = f"    {result_line(result)}"
            if result.passed is not None and self._is_new(result.part, line):
                self.say(line)
        line = f"[{showing.step}/{showing.steps}] {showing.say}"
        if self._is_new("step", line):
            self.say(line)
        if self._is_terminal and showing.seconds_left != self._seconds:
            self._seconds = showing.seconds_left
            print(f"\r    {showing.seconds_left} s \x1b[K", end="", file=self._out, flush=True)

    def end(self) -> None:
        """Leave a clean line."""
        self._clear()
        print(file=self._out, flush=True)

    def _is_new(self, what: str, line: str) -> bool:
        """Whether a line says something else than before; the count of a button that chatters is nothing else."""
        before, self._known[what] = self._known.get(what), _COUNTS.sub("# pulses", line)
        return before != self._known[what]

    def _clear(self) -> None:
        if self._is_terminal:
            print("\r\x1b[K", end="", file=self._out)
