"""What the service has counted since its start: plain numbers that the loop's thread alone touches, and tells.

They leave in the heartbeat; the page for Prometheus shows the same message, so that nothing has to be locked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from controller import messages


@dataclass(slots=True)
class Spent:
    """Time spent on something that is done again and again."""

    count: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0

    def add(self, seconds: float) -> None:
        """It was done once more."""
        self.count += 1
        self.seconds += seconds
        self.longest_s = max(self.longest_s, seconds)

    def told(self) -> messages.Spent:
        """As it stands in the heartbeat."""
        return messages.Spent(self.count, round(self.seconds, 4), round(self.longest_s, 4))


@dataclass(slots=True)
class Numbers:
    """Counted since the start."""

    frames: int = 0
    buzzes: int = 0
    """How often the buzzer began to sound."""
    orders_accepted: int = 0
    orders_refused: Counter[str] = field(default_factory=Counter)
    """By reason."""
    events: Counter[str] = field(default_factory=Counter)
    """By type."""
    reads: Spent = field(default_factory=Spent)
    """Of pictures."""
    commits: Spent = field(default_factory=Spent)
    """Of the journal."""

    def told(
        self,
        *,
        unsent: int,
        faults: tuple[str, ...],
        false_presses: dict[str, int],
        line_errors: dict[str, int],
        memory_bytes: int | None,
    ) -> messages.Numbers:
        """As they stand in the heartbeat, with those that others know."""
        return messages.Numbers(
            frames=self.frames,
            reads=self.reads.told(),
            moves=self.events["domino_laid"],
            events=dict(self.events),
            orders_accepted=self.orders_accepted,
            orders_refused=dict(self.orders_refused),
            buzzes=self.buzzes,
            commits=self.commits.told(),
            unsent=unsent,
            faults=faults,
            false_presses=false_presses,
            line_errors=line_errors,
            memory_bytes=memory_bytes,
        )
