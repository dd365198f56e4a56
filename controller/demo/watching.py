"""What a watcher is shown, as one record, and where to watch for oneself; how it is shown is not known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from controller.demo.mishaps import Note
from controller.demo.referee import Heard
from controller.demo.scoreboard import Board

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """Where the broker listens, and under which topics the table speaks."""

    host: str
    port: int
    table: str

    @property
    def topics(self) -> str:
        """Everything the table says."""
        return f"gameline/v1/{self.table}/#"

    @property
    def command(self) -> str:
        """What to type into another terminal to see it."""
        return f"mosquitto_sub -h {self.host} -p {self.port} -t '{self.topics}' -v"


@dataclass(frozen=True, slots=True)
class View:
    """The demonstration at one moment."""

    heard: Heard
    notes: tuple[Note, ...]
    """What went on purpose wrong so far."""
    now_ns: int
    """Table time."""

    @property
    def board(self) -> Board:
        """The scoreboard as it was last heard."""
        return self.heard.board

    @property
    def seconds_left(self) -> float:
        """Of the move in progress, counted on from the scoreboard's last word; never below 0."""
        clock = self.board.clock
        elapsed_ms = clock.elapsed_ms
        if clock.running:
            elapsed_ms += max(0, self.now_ns - self.heard.board_at_ns) / NS_PER_MS
        return max(0.0, clock.limit_s - elapsed_ms / 1000)


class Screen(Protocol):
    """Where it is shown; a context manager."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, and leave the terminal as it was."""

    def show(self, view: View) -> None:
        """Bring what is shown up to date."""


def pair_names(names: Sequence[str], pair: int) -> str:
    """Both names of a pair."""
    return f"{names[pair]} + {names[pair + 2]}" if len(names) == 4 else "AB"[pair]
