"""An engine's surroundings for the tests: time moved by hand, seats without pins, a broker that keeps what was said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.faults import Trouble
from controller.game.seen import SeenTile
from controller.journal import Journal
from controller.mqtt import CommandMessage
from controller.selftest import LAMPS
from controller.selftest_checks import CameraWanted, Measured
from controller.selftest_desk import Desk
from controller.selftest_guide import Setting
from hardware.seats import Fault
from tests.controller import contract

S = 1_000_000_000
SHARP = 0.97


@dataclass
class Time:
    """The one clock, moved by hand."""

    now_ns: int = 100 * S

    def __call__(self) -> int:
        return self.now_ns

    def pass_s(self, seconds: float) -> None:
        self.now_ns += round(seconds * S)


@dataclass(frozen=True)
class Press:
    """A press as a seat reports it."""

    button: int
    held_ms: int
    at_ns: int


@dataclass
class FakeSeats:
    """Seats without pins: presses are put in, signs are looked at."""

    waiting: list[Press] = field(default_factory=list)
    signs: tuple[int, ...] = ()
    answer: tuple[int, int, int] | None = None
    referee: int = 0
    phrase: int = 0
    is_night: bool = False
    wrong: dict[str, list[Fault]] = field(default_factory=dict)

    def presses(self, now_ns: int) -> Sequence[Press]:
        found, self.waiting = self.waiting, []
        return found

    def show(
        self,
        seats: Sequence[tuple[int, int, int]],
        *,
        answer: tuple[int, int, int] | None,
        referee: int,
        sound: tuple[int, int],
    ) -> None:
        self.signs = tuple(sign for sign, _, _ in seats)
        self.answer, self.referee, self.phrase = answer, referee, sound[0]

    def faults(self) -> Mapping[str, list[Fault]]:
        return self.wrong

    def noise(self) -> Mapping[str, int]:
        return {"seat 1": 2}

    def line_errors(self) -> Mapping[str, int]:
        return {"damaged": 3, "unanswered": 1}


@dataclass
class FakeOutlet:
    """A broker that keeps what was said, if it is as its schema says."""

    trouble: Trouble | None = None
    acknowledged: int = 0
    alive: bool = True
    states: list[dict[str, Any]] = field(default_factory=list)
    healths: list[dict[str, Any]] = field(default_factory=list)
    beats: list[dict[str, Any]] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)
    selftests: list[dict[str, Any]] = field(default_factory=list)

    def show_meta(self, payload: bytes) -> None:
        _kept("meta", payload)

    def show_state(self, payload: bytes) -> None:
        self.states.append(_kept("state", payload))

    def show_health(self, payload: bytes) -> None:
        self.healths.append(_kept("health", payload))

    def show_selftest(self, payload: bytes) -> None:
        self.selftests.append(_kept("selftest", payload))

    def heartbeat(self, payload: bytes) -> None:
        self.beats.append(_kept("heartbeat", payload))

    def pump(self, journal: Journal) -> None:
        pass

    def reply(self, message: CommandMessage, payload: bytes, *, client: str | None = None) -> bool:
        self.replies.append(_kept("reply", payload))
        return True


def _kept(topic: str, payload: bytes) -> Any:
    """A message that keeps the contract."""
    body = json.loads(payload)
    contract.check(topic, body)
    return body


SETTING = Setting(
    table="hall",
    version="1",
    lamps=lambda: (LAMPS["leds"],) * 4,
    camera=CameraWanted("picamera", (1280, 720), 10.0, 2.0, is_live=True),
    measure=lambda: Measured(None, True, "broker:1883", None, "/var/lib/gameline", None, 5000.0),
    wall=lambda: "2026-11-30 15:00",
)
"""A table with everything well but what a test changes."""


def desk_of(outlet: FakeOutlet, seats: FakeSeats, looks: list[int] | None = None) -> Desk:
    """Where the self-test is asked for; each look that it asks for is counted in `looks`."""
    asked = [] if looks is None else looks
    return Desk(
        setting=SETTING,
        publish=outlet.show_selftest,
        ask_look=lambda: asked.append(1),
        is_quiet=lambda: seats.is_night,
    )


def seen_tile(a: int, b: int) -> SeenTile:
    """A domino clearly seen."""
    rest = (1 - SHARP) / 6
    halves = [tuple(SHARP if suit == half else rest for suit in range(7)) for half in (a, b)]
    return SeenTile(halves[0], halves[1])
