"""The clock of one move: how long the seat on turn has thought; it is told the time and never asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.game.tiles import MonoNs

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """Thinking time of the move in progress."""

    limit_ns: int = 15 * NS_PER_S
    banked_ns: int = 0
    """Thinking time before the last pause."""
    since: MonoNs | None = None
    """When it was last set running; None while it stands."""

    @property
    def is_running(self) -> bool:
        """Whether thinking time is passing."""
        return self.since is not None

    def elapsed_ns(self, now: MonoNs) -> int:
        """Thinking time used up at `now`; a `now` before the start counts as the start."""
        return self.banked_ns + (max(0, now - self.since) if self.since is not None else 0)

    def is_over(self, now: MonoNs) -> bool:
        """Whether more than the time given is used: exactly the limit is in time (C5.5)."""
        return self.elapsed_ns(now) > self.limit_ns

    def seconds_left(self, now: MonoNs) -> int:
        """Whole seconds to show, rounded up, 0 from the limit on: the one rounding rule of lamps and displays."""
        return max(0, -((self.elapsed_ns(now) - self.limit_ns) // NS_PER_S))

    def running(self, at: MonoNs) -> Clock:
        """The clock set running at `at`, if it stood."""
        return self if self.is_running else replace(self, since=at)

    def standing(self, at: MonoNs) -> Clock:
        """The clock stopped at `at`, if it ran."""
        return replace(self, banked_ns=self.elapsed_ns(at), since=None) if self.is_running else self

    def fresh(self) -> Clock:
        """The clock of the next move, standing at nothing."""
        return Clock(self.limit_ns)
