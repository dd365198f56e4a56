"""A fault as health tells it, and the seats' own as both kinds of them tell it; which there are says health."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something is wrong at this moment."""

    code: str
    """One of `controller.health.CODES`: it stays the same, the sentence may get better."""
    text: str
    """What is wrong and what to do, in one sentence."""
    where: str = ""
    """At which place of the table, where there are several."""


class FaultLike(Protocol):
    """Something wrong at one place of the table."""

    @property
    def part(self) -> str:
        """`lamp`, `button` or `buzzer`; of a board that is away: `board`."""

    @property
    def code(self) -> str:
        """One of `controller.health.CODES`."""

    @property
    def wrong(self) -> str:
        """What is wrong."""

    @property
    def to_do(self) -> str:
        """What a person can do about it; empty where `wrong` says it."""

    @property
    def is_held(self) -> bool:
        """Whether it is only a button that somebody may be leaning on."""


Faults = Mapping[str, Sequence[FaultLike]]
"""By place: `seat 0` to `seat 3`, `referee`, or a board that is away; only places with a fault."""


def told(faults: Iterable[FaultLike]) -> str:
    """All of a place in one line."""
    return "; ".join(text for fault in faults for text in (fault.wrong, fault.to_do) if text)
