"""The wall clock's jumps: told while they last, but for the one with which the network sets it."""

from __future__ import annotations

import pytest

from controller.wall_clock import WallClock


class Clocks:
    """A wall clock and a monotonic one."""

    def __init__(self, *, is_set: bool) -> None:
        self.wall_ms = 1_800_000_000_000
        self.mono_ns = 77
        self.is_set = is_set
        self.watched = WallClock(wall_ms=lambda: self.wall_ms, mono_ns=lambda: self.mono_ns, is_set=lambda: self.is_set)

    def told(self) -> list[str]:
        return [trouble.text for trouble in self.watched.troubles()]

    def go_on(self, seconds: float) -> None:
        self.wall_ms += round(seconds * 1e3)
        self.mono_ns += round(seconds * 1e9)


@pytest.mark.parametrize(
    ("jump_s", "said"),
    [
        (14 * 86_400, "jumped 14 days ahead"),
        (-3_600, "jumped 60 minutes back"),
        (-7_300, "jumped 2 hours back"),
        (6, "jumped 6 seconds ahead"),
    ],
)
def test_jump_is_told_as_long_as_it_lasts(jump_s: int, said: str) -> None:
    """Two weeks ahead or an hour back: how far, and what to do, until the clock is as before."""
    clocks = Clocks(is_set=True)
    clocks.go_on(3_600)
    assert clocks.told() == []
    clocks.wall_ms += jump_s * 1000
    clocks.go_on(60)
    assert [said in text for text in clocks.told()] == [True]
    clocks.wall_ms -= jump_s * 1000
    assert clocks.told() == []


def test_first_setting_by_the_network_is_no_fault() -> None:
    """A Pi wakes without the time; the jump with which it gets it is what everybody waits for, the next one is not."""
    clocks = Clocks(is_set=False)
    clocks.wall_ms += 86_400_000 * 100
    clocks.is_set = True
    assert clocks.told() == []
    clocks.wall_ms += 86_400_000 * 100
    assert ["100 days ahead" in text for text in clocks.told()] == [True]
