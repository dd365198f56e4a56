"""What the table says over MQTT, a type for each topic: a type is what is sent and what `gameline schema` shows of it.

Here are the topics' bodies that the shell makes; the scoreboard is `controller.game.snapshot.Snapshot`, an event's body
is the event, an answer is `controller.orders.Answer`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from controller.game.rulesets import Params
from controller.selftest_results import Result


class Connection(msgspec.Struct, frozen=True):
    """Whether the table is there; the newest word is retained."""

    status: Literal["online", "offline", "lost"]
    """`offline`: it was switched off in order; `lost`: the broker has heard nothing from it and says so itself."""
    boot_id: str
    """Another after each start of the program."""
    version: str
    """Of Gameline."""


class Meta(msgspec.Struct, frozen=True):
    """What table this is and by which rules it plays unless a game says otherwise."""

    version: str
    """Of Gameline."""
    table: str
    rules: Params
    schema: Literal[1] = 1
    """Of these messages, as the 1 in v1."""
    seats: str = "0 to 3, clockwise seen from above; pair A sits at 0 and 2, pair B at 1 and 3"


class Event(msgspec.Struct, frozen=True):
    """An entry of the journal."""

    sequence: int
    """Without gaps; drop what is not above the highest you have seen."""
    type: str
    mono_ns: int
    """Nanoseconds of the table's monotonic clock, comparable only within one boot."""
    boot_id: str
    wall_utc: str
    """A label for people."""
    clock_synchronised: bool
    """Whether `wall_utc` can be believed."""
    historical: bool
    """It is sent late: show it, but do not sound for it."""
    body: dict[str, Any]


class Spent(msgspec.Struct, frozen=True):
    """Time spent on something that is done again and again."""

    count: int
    seconds: float
    longest_s: float


class Numbers(msgspec.Struct, frozen=True):
    """What was counted since the program started; docs/health.md says more of each."""

    frames: int
    reads: Spent
    """Of pictures."""
    moves: int
    events: dict[str, int]
    """By type."""
    orders_accepted: int
    orders_refused: dict[str, int]
    """By reason."""
    buzzes: int
    commits: Spent
    """Of the journal."""
    unsent: int
    """Events that the broker has not acknowledged."""
    faults: tuple[str, ...]
    """Codes of what is wrong now."""
    false_presses: dict[str, int]
    """Pulses too short for a finger, by place."""
    line_errors: dict[str, int]
    """On the line to a seat board, by kind."""
    memory_bytes: int | None


class Heartbeat(msgspec.Struct, frozen=True):
    """A sign of life, once a second; without one for 3 s show the data as old."""

    revision: int
    """Of the newest state."""
    sequence: int
    """Of the newest event."""
    mono_ns: int
    boot_id: str
    """Of this start of the program: another one under the same name is another table."""
    frame_age_ms: int | None
    """Since the camera's last frame; null: there was none."""
    seconds_left: int | None
    """For the move in progress; null while no set is played."""
    running: bool
    """Whether thinking time passes."""
    clock_synchronised: bool
    temperature_c: float | None
    """Of the processor; null where it is not known."""
    numbers: Numbers


class Part(msgspec.Struct, frozen=True):
    """How one part of the table is."""

    status: Literal["ok", "degraded", "failed"] = "ok"
    why: str = ""
    """What is wrong and what to do; empty where it is well."""
    codes: tuple[str, ...] = ()
    """Of each fault, as docs/health.md lists them."""


class Health(msgspec.Struct, frozen=True):
    """How each part of the table is; the newest word is retained."""

    camera: Part
    disk: Part
    broker: Part
    clock: Part
    record: Part
    seats: Part


class DoctorsWord(msgspec.Struct, frozen=True):
    """`gameline doctor` tries whether the broker takes it; for nobody to read."""


class SelfTestReport(msgspec.Struct, frozen=True):
    """What came of a self-test."""

    table: str
    version: str
    """Of Gameline."""
    began: str
    """The table's local time, for people."""
    seconds: float
    by: str
    stopped: str | None
    """Why it was ended before its end."""
    passed: bool
    """Everything was tested and is well."""
    results: tuple[Result, ...]
    last_word: str
    """What is left to do on the table; empty where there is nothing."""


class SelfTestRunning(msgspec.Struct, frozen=True, kw_only=True):
    """A self-test goes on."""

    running: Annotated[bool, msgspec.Meta(extra_json_schema={"const": True})] = True
    by: str
    step: int
    steps: int
    say: str
    """The sentence to show to the person at the table."""
    seconds_left: int
    """For this step, at the moment of this message."""
    results: tuple[Result, ...]
    """So far."""


class SelfTestOver(msgspec.Struct, frozen=True, kw_only=True):
    """No self-test is running."""

    running: Annotated[bool, msgspec.Meta(extra_json_schema={"const": False})] = False
    say: str = ""
    """The last sentence of the last one."""
    report: SelfTestReport | None = None
    """None was made since the program started where it is null."""
