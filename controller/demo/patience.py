"""Waiting without sleeping: for how long something has been so, and whether a command has been answered yet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from controller.demo.referee import Ears
from controller.demo.scoreboard import Reply

NS_PER_S = 1_000_000_000
REPLY_S = 15.0  # real seconds; a broker on the same machine answers in milliseconds


class DemoFailed(RuntimeError):
    """The demonstration cannot go on; one sentence says why."""


class Patience:
    """How long one thing has lasted, in table time and in real time; another thing starts anew.

    Both are asked for because table time may run many times faster than the machine that has to answer.
    """

    def __init__(self, real_ns: Callable[[], int]) -> None:
        self._real_ns = real_ns
        self._what: Hashable = None
        self._since_ns = 0
        self._since_real_ns = 0

    def lasted(self, what: Hashable, now_ns: int) -> float:
        """Table seconds for which `what` has been asked about without anything else in between."""
        if what != self._what:
            self._what, self._since_ns, self._since_real_ns = what, now_ns, self._real_ns()
        return (now_ns - self._since_ns) / NS_PER_S

    def is_over(self, what: Hashable, now_ns: int, table_s: float, real_s: float = 0.0) -> bool:
        """Whether `what` has lasted so many table seconds and so many real ones."""
        return self.lasted(what, now_ns) >= table_s and self._real_ns() - self._since_real_ns >= real_s * NS_PER_S

    def forget(self) -> None:
        """Start anew whatever comes next."""
        self._what = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A command on its way."""

    name: str
    request: str
    revision: int
    """Of the board that was looked at when it was sent."""
    at_real_ns: int


class Desk:
    """The referee's desk: at most one command is on its way at any time."""

    def __init__(self, ears: Ears, real_ns: Callable[[], int]) -> None:
        self._ears = ears
        self._real_ns = real_ns
        self._asked: Asked | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been answered yet."""
        return self._asked is not None

    def ask(self, name: str, revision: int, arguments: Mapping[str, object]) -> None:
        """Send a command."""
        self._asked = Asked(name, self._ears.command(name, arguments), revision, self._real_ns())

    def answer(self) -> tuple[Asked, Reply] | None:
        """The answer, once; None while there is none.

        Raises:
            DemoFailed: There has been none for too long.
        """
        asked = self._asked
        if asked is None:
            return None
        reply = self._ears.reply(asked.request)
        if reply is not None:
            self._asked = None
            return asked, reply
        if self._real_ns() - asked.at_real_ns > REPLY_S * NS_PER_S:
            raise DemoFailed(f"The table did not answer the command {asked.name} within {REPLY_S:g} s.")
        return None
