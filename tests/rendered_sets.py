"""Drawn sets through the real reader and the core: is a wrong domino found, and is none invented where there is none?

What the core makes of a picture depends on the line it knows and on the picture it last found right, on nothing else:
so of every set the pictures round one move are read, one before it, the one with it, and one move later, and the moves
before them are told in words. The line is as long as chance has it, from one domino to the end of the set.

    python -m tests.rendered_sets 200 0     # how many of each kind, and the first one's seed
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from controller.eyes import sighting_of
from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.line import Line
from controller.game.rulesets import Params
from controller.game.seen import Sighting
from controller.game.state import Phase, State
from controller.game.tiles import End, MonoNs, Seat
from tests.controller.games import NAMES, Lie, deal, ways
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.render import Backdrop
from vision.rig import Rig

S = 1_000_000_000
FOUND, CLEAN = "found", "clean"


@dataclass(frozen=True, slots=True)
class Script:
    """The moves of a set as far as it is played, and which of them is looked at."""

    moves: tuple[Lie, ...]
    looked_at: int
    """Place of the wrong domino, or of a right one; at least one move lies before it and one follows."""
    is_wrong: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one set."""

    what: str
    """`found` or `clean` where it is as it should be, else what went wrong."""
    detail: str = ""


def script(rng: random.Random, *, is_wrong: bool) -> Script:
    """A set of random play; its wrong domino fits nowhere, fits the other end, or lies the wrong way round."""
    while True:
        hands = [list(hand) for hand in deal(rng)]
        line, seat, moves = Line(), Seat.S0, list[Lie]()
        looked_at, wanted = rng.randrange(1, 24), is_wrong
        for _ in range(40):
            is_now = wanted and len(moves) == looked_at
            can = [(tile, way) for tile in hands[seat] for way in ways(line, tile, is_fitting=not is_now)]
            if can:
                tile, way = rng.choice(can)
                hands[seat].remove(tile)
                line = line.with_tile(*way, seat)
                moves.append(way)
                wanted = wanted and not is_now
            if len(moves) == looked_at + 2:
                return Script(tuple(moves), looked_at, is_wrong)
            if not hands[seat] or line.is_locked:
                break
            seat = seat.next


def played(seed: int, *, is_wrong: bool) -> Outcome:
    """One set, drawn under a camera, in a light and on a table of its own, and looked at three times."""
    told = script(random.Random(seed), is_wrong=is_wrong)
    state = _before(told)
    sightings = _pictures(told, seed)
    before = next(sightings)
    quiet = decide(state, cmd.See(MonoNs(90 * S), before))
    if quiet:
        return Outcome(f"before it: {type(quiet[0]).__name__}", _words(quiet))
    for place, sighting in enumerate(sightings, start=told.looked_at):
        happened = decide(state, cmd.See(MonoNs((100 + place) * S), sighting, before=before))
        state, before = evolve_all(state, happened), sighting
        wrong = _wrong(told, place, happened, state.line)
        if wrong is not None:
            return wrong
    findings = [f for f in state.findings if f.kind is ev.FindingKind.WRONG_DOMINO]
    if [f.ply for f in findings] != [told.looked_at] * is_wrong:
        return Outcome("wrong findings", str(findings))
    return Outcome(FOUND if is_wrong else CLEAN)


def _wrong(told: Script, place: int, happened: tuple[ev.Event, ...], line: Line) -> Outcome | None:
    """What is not as it should be after the move at that place; None where all is."""
    inner, outer, end = told.moves[place]
    where = "at it" if place == told.looked_at else "after it"
    if not any(isinstance(event, ev.DominoLaid) for event in happened):
        return Outcome(f"{where}: asked", _words(happened))
    row = [(p.left, p.right) for p in _line(told.moves[: place + 1]).placed]
    seen = [(p.left, p.right) for p in line.placed]
    if seen not in (row, [(right, left) for left, right in reversed(row)]):  # left and right are names, no directions
        return Outcome(f"{where}: another move", f"{inner}-{outer} {end.value}: {_words(happened)}")
    is_finding = any(isinstance(e, ev.FindingRaised) for e in happened)
    if is_finding != (told.is_wrong and place == told.looked_at):
        return Outcome(f"{where}: {'a finding' if is_finding else 'no finding'}", _words(happened))
    return None


def _line(moves: tuple[Lie, ...]) -> Line:
    line = Line()
    for move in moves:
        line = line.with_tile(*move, Seat.S0)
    return line


def _before(told: Script) -> State:
    """The state of the game when the moves before the one looked at have been told in words."""
    state = State()
    words: list[cmd.Command] = [cmd.StartGame(MonoNs(0), NAMES, Seat.S0, Params()), cmd.StartSet(MonoNs(S))]
    words += [cmd.LayDomino(MonoNs((n + 2) * S), *move) for n, move in enumerate(told.moves[: told.looked_at])]
    for word in words:
        state = evolve_all(state, decide(state, word))
    assert state.phase is Phase.PLAY, state.phase
    return state


def _pictures(told: Script, seed: int) -> Iterator[Sighting]:
    """What the reader sees of the table before the move, after it, and one move later."""
    rng = np.random.default_rng(seed)
    rig, look = Rig.random(rng), Look.random(rng)
    layout, backdrop, table = LineLayout(rng), Backdrop(rig, look, rng), rig.table()
    for place, (inner, outer, end) in enumerate(told.moves):
        if end is End.FIRST:
            layout.first(inner, outer)
        else:
            layout.add("L" if end is End.L else "R", inner, outer)
        if place >= told.looked_at - 1:
            backdrop.lay(layout.lying)
            yield sighting_of(read(backdrop.picture().bgr, table=table), table.zones_of)


def _words(happened: tuple[ev.Event, ...]) -> str:
    return "; ".join(str(getattr(event, "text", type(event).__name__)) for event in happened)


def main(count: int, first: int) -> int:
    """So many sets with a wrong domino and as many without; 0 when every one came out as it should."""
    outcomes: Counter[tuple[bool, str]] = Counter()
    start = time.perf_counter()
    for number in range(first, first + 2 * count):
        is_wrong = number % 2 == 0
        outcome = played(number, is_wrong=is_wrong)
        outcomes[is_wrong, outcome.what] += 1
        if outcome.what not in (FOUND, CLEAN):
            kind = "with" if is_wrong else "without"
            print(f"set {number}, {kind} a wrong domino: {outcome.what}: {outcome.detail}", flush=True)
        elif sys.stderr.isatty():
            print(f"\r{number - first + 1} of {2 * count}", end="", file=sys.stderr, flush=True)
    found, clean = outcomes[True, FOUND], outcomes[False, CLEAN]
    seconds = time.perf_counter() - start
    print(f"{found} of {count} wrong dominoes found, {seconds:.0f} s")
    print(f"{count - clean} of {count} sets without one troubled")
    return int(found < count or clean < count)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    raise SystemExit(main(given[0] if given else 200, given[1] if len(given) > 1 else 0))
