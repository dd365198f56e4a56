"""What the table tells over MQTT, as the demonstration reads it: state, event, reply; unknown fields are ignored."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from controller.game.tiles import Tile

T = TypeVar("T")


class LineTile(msgspec.Struct, frozen=True):
    """A domino of the line, `left` towards its left end."""

    left: int
    right: int
    seat: int | None = None

    @property
    def tile(self) -> Tile:
        """The domino, whichever way round."""
        return Tile.of(self.left, self.right)


class Finding(msgspec.Struct, frozen=True):
    """Something the referee has to rule on."""

    id: int
    kind: str
    seat: int | None
    """None where only a pair, or nobody, is proven."""
    text: str = ""
    pair: str | None = None


class ShownClock(msgspec.Struct, frozen=True):
    """The clock of the move, as it was when the state was sent."""

    running: bool = False
    limit_s: float = 15.0
    elapsed_ms: float = 0.0


class Alert(msgspec.Struct, frozen=True):
    """What the referee is buzzed for."""

    kind: str = ""
    text: str = ""


class Result(msgspec.Struct, frozen=True):
    """One set in the register."""

    set_no: int
    by: str = ""
    winner: str = ""
    points: tuple[float, float] = (0.0, 0.0)
    spots: tuple[int, int] | None = None
    lead: int | None = None
    moves: int | None = None
    passes: int | None = None


class Board(msgspec.Struct, frozen=True):
    """The whole scoreboard."""

    revision: int = 0
    phase: str = "idle"
    set_no: int = 0
    sets: int = 4
    lead: int | None = None
    turn: int | None = None
    line: tuple[LineTile, ...] = ()
    names: tuple[str, ...] = ()
    tiles_left: tuple[int, ...] = ()
    points: tuple[float, float] = (0.0, 0.0)
    results: tuple[Result, ...] = ()
    warnings: tuple[int, int] = (0, 0)
    findings: tuple[Finding, ...] = ()
    halts: tuple[str, ...] = ()
    take_back: tuple[tuple[int, int], ...] = ()
    shown: tuple[tuple[tuple[int, int], ...], ...] | None = None
    clock: ShownClock = ShownClock()
    alert: Alert | None = None
    sync_text: str | None = None
    winner: str | None = None

    def name(self, seat: int | None) -> str:
        """The name at a seat, or the seat's number while nobody is named."""
        if seat is None:
            return "nobody"
        return self.names[seat] if seat < len(self.names) and self.names[seat] else f"seat {seat}"


class Happened(msgspec.Struct, frozen=True):
    """One entry of the journal."""

    sequence: int
    type: str
    mono_ns: int = 0
    historical: bool = False
    body: dict[str, Any] = {}


class Reply(msgspec.Struct, frozen=True):
    """The answer to a command."""

    id: str
    accepted: bool
    reason: str | None = None
    text: str | None = None


class Unreadable(ValueError):
    """A message that is not what its topic says; one sentence."""


def read_board(payload: bytes) -> Board:
    """The state message.

    Raises:
        Unreadable: It is no state.
    """
    return _read(payload, Board, "a state")


def read_happened(payload: bytes) -> Happened:
    """An event message.

    Raises:
        Unreadable: It is no event.
    """
    return _read(payload, Happened, "an event")


def read_reply(payload: bytes) -> Reply:
    """A reply message.

    Raises:
        Unreadable: It is no reply.
    """
    return _read(payload, Reply, "a reply")


def tile_in(body: object) -> Tile | None:
    """A domino inside an event's body, however it is written: [a, b], {low, high} or "6-4"; None when it is none."""
    halves: list[Any]
    if isinstance(body, dict):
        halves = [body.get("low", body.get("a")), body.get("high", body.get("b"))]
    elif isinstance(body, str):
        halves = body.split("-")
    elif isinstance(body, list):
        halves = body
    else:
        return None
    try:
        a, b = (int(half) for half in halves)
        return Tile.of(a, b)
    except (TypeError, ValueError):
        return None


def _read(payload: bytes, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(payload, type=kind)
    except msgspec.DecodeError as error:
        raise Unreadable(f"Expected {what}, got something else: {error}.") from error
