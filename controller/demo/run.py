"""The demonstration put together: clock, table, players, referee and screen around the service that is shown.

What sees, draws, presses and serves is handed in; a fault anywhere ends it with one sentence.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol, TypeVar

from rich.console import Console

from controller.demo.buttons import Fingers
from controller.demo.clock import TableClock
from controller.demo.party import Party
from controller.demo.patience import NS_PER_S, DemoFailed
from controller.demo.plain import Plain, register_lines
from controller.demo.referee import Referee
from controller.demo.screen import LiveScreen
from controller.demo.script import Director
from controller.demo.table import Layout, Scene, SimulatedTable
from controller.demo.watching import Address, Screen, View

NAMES = ("South", "West", "North", "East")
DRAW_S = 0.1  # the screen is drawn so often
STALLED_S = 120.0  # real seconds without anybody doing anything: longer than any thinking at ordinary speed
LAST_WORDS_S = 3.0  # the game's last event has so long to arrive

FrameT = TypeVar("FrameT")


class Service(Protocol):
    """The program that is shown, as the demonstration runs it."""

    def start(self) -> None:
        """Start it, in threads of its own."""

    def stop(self) -> None:
        """Stop it and wait for its end."""

    def wait_until_quiet(self) -> None:
        """Return once everything that has come in has been decided and shown; at once when it has ended."""

    @property
    def failure(self) -> str | None:
        """Why it has ended by itself, None while it runs."""


class Broker(Protocol):
    """The broker the demonstration starts, stops, and stops for good."""

    host: str

    @property
    def port(self) -> int:
        """Known from the first start, the same ever after."""

    def start(self) -> None:
        """Start it."""

    def stop(self) -> None:
        """Stop it; safe when it does not run."""


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen on the command line."""

    seed: int
    sets: int = 4
    speed: float | None = 1.0
    """Table seconds a second; None is as fast as the machine can."""
    mishaps: bool = False
    plain: bool = False
    table: str = "demo"
    """The table's name in the topics."""


def run(
    options: Options,
    *,
    broker: Broker,
    make_service: Callable[[SimulatedTable[FrameT], Callable[[], int], Address], Service],
    take: Callable[[Scene], FrameT],
    new_layout: Callable[[int], Layout],
    press: Callable[[int, bool], None],
    console: Console,
) -> View:
    """Play a whole game and show it; the register is printed at the end.

    Args:
        options: What was chosen.
        broker: Started and stopped here.
        make_service: Builds the service from its camera, its monotonic clock and the broker's address.
        take: Takes the picture of a scene, whatever the service calls a frame.
        new_layout: How the dominoes of one set are laid, from a seed.
        press: Takes a seat's button down (True) or lets it go (False).
        console: Where it is shown.

    Returns:
        What a watcher saw last.

    Raises:
        DemoFailed: It could not be played to its end; one sentence.
    """
    rng = random.Random(options.seed)
    clock = TableClock(speed=options.speed, real_ns=time.monotonic_ns)
    table = SimulatedTable(clock=clock, take=take, new_layout=new_layout, rng=rng)
    with ExitStack() as stack:
        broker.start()
        stack.callback(broker.stop)
        address = Address(broker.host, broker.port, options.table)
        referee = stack.enter_context(_referee(address, clock))
        party = _party(table, Fingers(press, rng), broker, rng, options)
        director = Director(
            party=party,
            ears=referee,
            names=NAMES,
            sets=options.sets,
            is_fast=clock.is_fast,
            rng=rng,
            real_ns=time.monotonic_ns,
        )
        service = make_service(table, clock.now_ns, address)
        table.attach(step=director.step, when_quiet=service.wait_until_quiet)
        screen = stack.enter_context(_screen(options, console, address))
        service.start()
        stack.callback(service.stop)
        stack.callback(table.close)

        def view() -> View:
            return View(referee.heard(), tuple(party.notes), clock.now_ns())

        stalled_s = STALLED_S / min(1.0, options.speed or 1.0)
        _watch(director, party, lambda: table.fault, service, lambda: screen.show(view()), stalled_s)
        _hear_the_end(referee)
        screen.show(view())
        last = view()
    _print_end(last, party, console)
    return last


def _referee(address: Address, clock: TableClock) -> Referee:
    return Referee(
        host=address.host,
        port=address.port,
        table=address.table,
        now_ns=clock.now_ns,
        wall_ms=lambda: time.time_ns() // 1_000_000,
    )


def _party(
    table: SimulatedTable[FrameT], fingers: Fingers, broker: Broker, rng: random.Random, options: Options
) -> Party:
    return Party(
        table=table,
        fingers=fingers,
        broker=broker,
        names=NAMES,
        rng=rng,
        mishaps=options.mishaps,
        is_hurried=options.speed is None,
    )


def _screen(options: Options, console: Console, address: Address) -> Screen:
    """Lines where lines were asked for, or where nothing can be drawn over."""
    return Plain(console.file, address) if options.plain or not console.is_terminal else LiveScreen(console, address)


def _watch(
    director: Director,
    party: Party,
    fault: Callable[[], Exception | None],
    service: Service,
    show: Callable[[], None],
    stalled_s: float,
) -> None:
    """Show the game until it is over.

    Raises:
        DemoFailed: It will never be over.
    """
    acts, since_ns = party.acts, time.monotonic_ns()
    while not director.over.wait(DRAW_S):
        show()
        if (ended := fault()) is not None:
            raise DemoFailed(f"The simulated table broke down ({type(ended).__name__}: {ended}).") from ended
        if service.failure is not None:
            raise DemoFailed(f"The service has ended: {service.failure}")
        if party.acts != acts:
            acts, since_ns = party.acts, time.monotonic_ns()
        elif time.monotonic_ns() - since_ns > stalled_s * NS_PER_S:
            raise DemoFailed(f"Nobody at the table has been able to act for {stalled_s:g} s: the demonstration hangs.")
    if director.failure is not None:
        show()
        raise DemoFailed(director.failure)


def _hear_the_end(referee: Referee) -> None:
    """The scoreboard may say that the game is over a moment before its last event arrives."""
    until_ns = time.monotonic_ns() + round(LAST_WORDS_S * NS_PER_S)
    heard = referee.heard()
    while not any(event.type == "game_ended" for event in heard.events) and time.monotonic_ns() < until_ns:
        referee.wait(heard.count, DRAW_S)
        heard = referee.heard()


def _print_end(last: View, party: Party, console: Console) -> None:
    lines = ["", *register_lines(last)]
    if missed := sorted(mishap.value for mishap in party.plan.pending):
        lines.append(f"This game gave no occasion for: {', '.join(missed)}.")
    print("\n".join(lines), file=console.file, flush=True)
