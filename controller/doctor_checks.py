"""What the doctor asks and what it is answered: a check with its time limit, and a finding; none is made here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from controller.config import Config


@dataclass(frozen=True, slots=True)
class Found:
    """One line of the doctor's."""

    part: str
    is_well: bool | None
    """None: it was not looked at, and `what` says why."""
    what: str
    """What was found."""
    cure: str = ""
    """What to do, in one sentence; empty where it is well."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something to look at."""

    part: str
    look: Callable[[], Iterable[Found]]
    limit_s: float = 5.0
    """What takes longer hangs."""


@dataclass(frozen=True, slots=True)
class Patient:
    """The table that is looked at."""

    config: Config
    user: str
    """The service's: whose groups and files have to be right."""
    service_pid: int | None
    """The process that has the table's journal, and with it camera and seats; 0: nobody knows which."""

    @property
    def in_use(self) -> str | None:
        """Why camera and seats cannot be looked at; None where they can."""
        if self.service_pid is None:
            return None
        who = f"process {self.service_pid}" if self.service_pid else "another process"
        return f"in use by the service, {who}: what that says of it stands under `service`"


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, tuple[Found, ...], float]]:
    """Make all checks at once, each in a thread of its own, and give what they found and the seconds it took, in order.

    A check that hangs or breaks is a finding too. Its thread is left behind: a driver that hangs cannot be ended.
    """
    began_s = time.monotonic()
    running = [(check, _Look(check)) for check in checks]
    for check, look in running:
        found = look.wait(began_s + check.limit_s)
        yield check, found, look.seconds


class _Look:
    """One check on its way."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._found: list[Found] = []
        self._began_s = time.monotonic()
        self.seconds = 0.0
        self._thread = threading.Thread(target=self._work, name=f"doctor {check.part}", daemon=True)
        self._thread.start()

    def wait(self, until_s: float) -> tuple[Found, ...]:
        """What was found by then."""
        self._thread.join(max(0.0, until_s - time.monotonic()))
        if self._thread.is_alive():
            self.seconds = time.monotonic() - self._began_s
            what = f"no answer within {self._check.limit_s:g} s"
            cure = "its driver hangs: unplug it and plug it in again, or switch the machine off and on"
            return (*self._found, Found(self._check.part, False, what, cure))
        return tuple(self._found)

    def _work(self) -> None:
        try:
            self._found.extend(self._check.look())
        except Exception as fault:  # whatever it is: a doctor that dies of one check tells nothing of the others
            what = f"the check itself broke ({type(fault).__name__}: {fault})"
            self._found.append(Found(self._check.part, False, what, "report this; the other checks count all the same"))
        self.seconds = time.monotonic() - self._began_s
