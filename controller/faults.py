"""A fault of the seats as both kinds of them tell it, and how several are told; which there are the seats know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol


class FaultLike(Protocol):
    """Something wrong at one place of the table."""

    @property
    def part(self) -> str:
        """`lamp`, `button` or `buzzer`; of a board that is away: `board`."""

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
