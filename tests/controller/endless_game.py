"""A process that plays games for ever on one journal and says what it has published; made to be killed.

Its four players deal from a seed that the journal's own length gives, so a new process finds the same hands again.
"""

from __future__ import annotations

import json
import logging
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from controller import engine as en
from controller import inbox
from controller.game.rulesets import Params
from controller.game.seen import ChainLink, Sighting
from controller.game.state import Move, Phase, State
from controller.game.tiles import ALL_TILES, MonoNs, Seat, Tile
from controller.journal import Journal
from controller.mqtt import CommandMessage
from tests.controller.engine_parts import FakeOutlet, FakeSeats, Press, desk_of, seen_tile


class Told(FakeOutlet):
    """Says on stdout which state has been published."""

    def show_state(self, payload: bytes) -> None:
        print(json.loads(payload)["revision"], flush=True)


def hands(state: State) -> list[list[Tile]]:
    """The hands of this set, from its number alone, less what has been laid."""
    tiles = sorted(ALL_TILES)
    random.Random(len(state.results)).shuffle(tiles)
    laid = state.line.tiles
    return [[tile for tile in tiles[seat * 7 : seat * 7 + 7] if tile not in laid] for seat in range(4)]


def order(name: str, **arguments: object) -> inbox.OrderCame:
    """A referee command, never the same twice."""
    body = {"id": str(time.monotonic_ns()), "sent_ms": 0, "by": "referee", "client": "t", **arguments}
    return inbox.OrderCame(CommandMessage(name, json.dumps(body).encode(), False, "t", None, None, time.monotonic_ns()))


def sighting(state: State, new: tuple[int, int, bool] | None) -> Sighting:
    """The line as a camera sees it, with a new domino (left, right, whether it lies at the left end)."""
    halves = [(int(p.left), int(p.right)) for p in state.line.placed]
    if new is not None:
        left, right, is_left = new
        halves = [(left, right), *halves] if is_left else [*halves, (left, right)]
    links = tuple(ChainLink(i, is_flipped=False) for i in range(len(halves)))
    return Sighting(tuple(seen_tile(a, b) for a, b in halves), (links,) if len(links) > 1 else ())


def move(state: State, seat: Seat) -> tuple[int, int, bool] | None:
    """A legal move of `seat` as it comes to lie, None where nothing fits."""
    ends = state.line.ends
    for tile in hands(state)[seat]:
        for inner, outer in ((tile.low, tile.high), (tile.high, tile.low)):
            if ends is None:
                return (inner, outer, False)
            if inner == ends[1]:
                return (inner, outer, False)
            if inner == ends[0]:
                return (outer, inner, True)
    return None


def next_items(state: State, seats: FakeSeats) -> Iterator[inbox.Item]:
    """What somebody at the table does next."""
    now = MonoNs(time.monotonic_ns())
    yield inbox.FrameTaken(now)
    if state.phase in (Phase.IDLE, Phase.GAME_OVER):
        yield order("start_game", names=["S", "W", "N", "E"])
    elif state.is_restarted:
        yield order("resume")
    elif state.phase is Phase.BETWEEN:
        yield inbox.Seen(now, Sighting())
        yield order("start_set", **({} if state.lead is not None else {"lead": 2}))
    elif state.phase is Phase.COUNT:
        yield order("count", hands=[[[t.low, t.high] for t in hand] for hand in hands(state)])
    elif state.turn is not None and (new := move(state, state.turn)) is None:
        seats.waiting.append(Press(state.turn, 0, now))
    elif state.turn is not None:
        yield inbox.Seen(now, sighting(state, new))


def main(path: Path) -> None:
    """Play until killed."""
    journal = Journal(path, boot_id=str(time.time_ns()), wall_utc=lambda: "", clock_synchronised=lambda: False)
    seats = FakeSeats()
    engine = en.Engine(
        journal=journal,
        seats=seats,
        outlet=Told(),
        params=Params(),
        table="test",
        clock_ns=time.monotonic_ns,
        wall_ms=lambda: 0,
        stale_s=60.0,
        clock_synchronised=lambda: True,
        temperature_c=lambda: None,
        is_quiet=lambda: False,
        version="",
        desk=desk_of(FakeOutlet(), seats),
        logger=logging.getLogger("test"),
    )
    engine.begin()
    print("begun", engine.state.revision, sum(isinstance(p, Move) for p in engine.state.plies), flush=True)
    while True:
        for item in next_items(engine.state, seats):
            engine.submit(item)
        while not engine.is_idle:
            engine.turn(timeout_s=0)
        engine.turn(timeout_s=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
