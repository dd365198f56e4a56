"""What every bad day is: made, ended, and read of while it lasts; which there are is in faults.py."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from tests.chaos.player import Player
from tests.chaos.table import Table


class CannotBe(Exception):
    """This machine does not let us make the fault; the message says why."""


@dataclass(frozen=True)
class Named:
    """Where the fault can be read of while it lasts: in a part of `health`, in `connection`, in what a service says."""

    where: Literal["health", "connection", "log", "twin"]
    what: str
    part: str = ""


class Fault:
    """One kind of bad day; made for one run."""

    name: ClassVar[str]
    lasts_s: ClassVar[tuple[float, float]] = (2.0, 4.0)
    """Between these; longer where it has to be named first."""
    named: ClassVar[Named | None] = None
    """None: it is over before anybody could read of it."""
    spoils_journal: ClassVar[bool] = False
    """Whether the journal's file says nothing while it lasts."""
    bears_another: ClassVar[bool] = False
    """Whether one of `SECONDS` may come on top of it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def environment(self, folder: Path) -> Mapping[str, str]:
        """What the service needs around it so that the fault can be made."""
        return {}

    def command(self) -> tuple[str, ...]:
        """What is put in front of the service's command."""
        return ()

    def prepare(self, table: Path) -> None:
        """Before anything is started in the table's folder. Raises: CannotBe."""

    def inject(self, table: Table, player: Player) -> None:
        """Make it."""
        raise NotImplementedError

    def heal(self, table: Table) -> None:
        """End it, as a person would."""

    def wrong(self, table: Table) -> list[str]:
        """What else does not hold once it is over."""
        return []

    def clean(self, table: Path) -> None:
        """After everything."""
