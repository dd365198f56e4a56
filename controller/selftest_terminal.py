"""`gameline selftest`: one person is guided round the table from a terminal; what is tested and judged is elsewhere.

The guide speaks on stderr, the result is on stdout: `gameline selftest CONFIG > page.txt` guides and keeps the page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import msgspec

from controller.app import FAULTS, self_test_bench
from controller.cli import Sorry, forsake
from controller.config import ConfigError, in_file, load_config
from controller.journal_errors import JournalBusy
from controller.selftest import Showing
from controller.selftest_guide import Report
from controller.selftest_page import WIDTH, report_html, report_record, report_text, result_line
from controller.selftest_results import Result

_COUNTS = re.compile(r"\d+ pulses?")


def selftest(options: argparse.Namespace) -> int:
    """Guide, then print the page; 0 where everything is well, else 1."""
    if options.html is not None:
        _try_page(options.html)
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
        raise Sorry(in_file(error, options.config)) from error
    except JournalBusy as error:
        raise Sorry(f"{error} Or let the referee test from his console: cmd/selftest.") from error
    except FAULTS as error:
        raise Sorry(str(error)) from error
    _hand_over(report, options, guide_gone=screen.gone)
    return 0 if report.has_passed else 1


@contextlib.contextmanager
def _own_stderr() -> Iterator[TextIO]:
    """Another way to stderr: while a picture of a folder is decoded the usual one leads nowhere, for the libraries."""
    out = os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8", errors="replace")
    try:
        yield out
    finally:
        with contextlib.suppress(OSError):  # of a terminal that is gone, with what it did not take
            out.close()


def _try_page(page: Path) -> None:
    """Before two minutes are gone: whether the page can be written, with nothing left behind or changed.

    Only opening it tells: a folder that everybody may write to can hold another user's file that not even root may.
    """
    try:
        is_new = not page.exists()
        with page.open("ab"):
            pass
        if is_new:
            page.unlink()
    except OSError as error:
        raise Sorry(
            f"expected a file that can be written for --html, got {page} ({error.strerror}): name another"
        ) from error


def _hand_over(report: Report, options: argparse.Namespace, *, guide_gone: str | None) -> None:
    """Write the page where it was asked for, then print it: a file stays when the terminal has gone."""
    troubles = []
    if options.html is not None:
        page: Path = options.html
        try:
            page.write_text(report_html(report), encoding="utf-8")
        except OSError as error:
            troubles.append(f"expected to write {page}, got {error.strerror}: name another")
    try:
        _print(report, as_json=options.json)
        if guide_gone is not None:
            troubles.append(f"the sentences could not be shown to the end ({guide_gone}): test again where they can")
            if not options.json:
                print(f"gameline: {troubles[-1]}", flush=True)  # stderr is where they could not be shown
    except OSError as error:
        forsake(sys.stdout)
        kept = f"it is in {options.html}" if options.html is not None else "name a file with --html"
        troubles.append(f"the result could not be printed ({error.strerror}): {kept}")
    if troubles:
        raise Sorry("; ".join(troubles))


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(msgspec.to_builtins(report_record(report)))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
        text = report_text(report, width=min(width, WIDTH))
    print(text, flush=True)  # what cannot be printed is to fail here, and not at the exit


class Screen:
    """What the person at the terminal reads: each step once, its countdown, and what came as it comes.

    A terminal that goes, with its window or its network, ends no test and no page: nothing more is written to it.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.gone: str | None = None
        """Why nothing can be read here any more."""
        self._is_terminal = out.isatty()
        self._seconds = -1
        self._known: dict[str, str] = {}

    def say(self, text: str) -> None:
        """Write a line, folded to the width of a phone where it is one."""
        self._clear()
        width = min(shutil.get_terminal_size().columns, 100)
        self._write(f"{textwrap.fill(text, width)}\n")

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
            self._write(f"\r    {showing.seconds_left} s \x1b[K")

    def end(self) -> None:
        """Leave a clean line."""
        self._clear()
        self._write("\n")

    def _is_new(self, what: str, line: str) -> bool:
        """Whether a line says something else than before; the count of a button that chatters is nothing else."""
        before, self._known[what] = self._known.get(what), _COUNTS.sub("# pulses", line)
        return before != self._known[what]

    def _clear(self) -> None:
        if self._is_terminal:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        if self.gone is None:
            try:
                print(text, end="", file=self._out, flush=True)
            except OSError as error:
                self.gone = error.strerror
