"""Random sets and hidden hands through the real rules, as multiples of what the library dominoes does in that time.

Run `python -m bench.rules` from the repository's root. Everything is CPU time. Ours and the library take turns in one
process, so that a busy moment hits both, and the median of the rounds counts: a multiple says the same on a desk and on
a Raspberry Pi.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

from controller.game import commands as cmd
from controller.game.deals import count_deals, evidence_of, has_deal
from controller.game.decide import decide
from controller.game.events import Ending
from controller.game.evolve import evolve_all
from controller.game.line import is_locked_mask
from controller.game.playout import Chance, Played, plies_of, random_set
from controller.game.rulesets import Params, spots
from controller.game.state import Exposed, Move, Ply, Skip, State
from controller.game.tiles import End, MonoNs, Seat, tiles_of

LIBRARY = "dominoes==6.1.0"
NAMES = ("Ann", "Bob", "Cleo", "Dan")
LONE_BLANK = spots().lone_blank_value
STATISTICS_SETS = 40_000
CORE_SETS = 40
DEAL_SETS = 1000
LATE_POSITIONS = 9
FEWEST_DEALS, MOST_DEALS = 2000, 10_000
COUNTS = 200

Subject = TypeVar("Subject")


def main() -> None:
    """Print each speed beside the library's, then what random sets are like."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds of which the median is taken (default 9)")
    parser.add_argument("--sets", type=int, default=2000, help="sets a round (default 2000)")
    options = parser.parse_args()
    library = other_library()
    compare_sets(library, options.rounds, options.sets)
    print_statistics()
    time_deals()
    if library is not None:
        compare_counts(library)


def other_library() -> ModuleType | None:
    """The library to compare with; None, and one sentence, where it is not installed."""
    name = LIBRARY.split("==")[0]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        print(f"expected {LIBRARY} to compare with, got no such library: pip install {LIBRARY}\n")
        return None


# --- whole random sets ------------------------------------------------------------------------------------------------


def compare_sets(library: ModuleType | None, rounds: int, sets: int) -> None:
    """Random sets a CPU second, deal and score included."""
    chance = random.Random(1).random
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(cpu_seconds(lambda: our_set(chance), sets))
        if library is not None:
            theirs.append(cpu_seconds(lambda: their_set(library), sets))
    core = [cpu_seconds(lambda: core_set(random_set(chance, Seat.S0)), CORE_SETS) for _ in range(rounds)]
    print(f"{'random sets a CPU second':<44}{'sets':>10}{'times dominoes':>16}")
    base = statistics.median(theirs) if theirs else None
    for label, seconds in (
        ("the rules alone: deal, play, score", ours),
        (LIBRARY, theirs),
        ("the whole core: every act decided, kept", core),
    ):
        if seconds:
            each = statistics.median(seconds)
            multiple = f"{base / each:>16.2f}" if base is not None else ""
            print(f"{label:<44}{1 / each:>10,.0f}{multiple}")


def our_set(chance: Chance) -> tuple[object, object]:
    """A random set with its score by both texts."""
    played = random_set(chance, Seat.S0)
    return played.winner, played.credit(lone_blank=LONE_BLANK)


def their_set(library: ModuleType) -> object:
    """A random set of the library, with the board that it calls skinny; it keeps the score as it goes."""
    game = library.Game.new(starting_player=0)
    game.skinny_board()
    while game.result is None:
        game.make_move(*random.choice(game.valid_moves))
    return game.result


def core_set(played: Played) -> State:
    """The same set decided act by act as at a table, and counted."""
    now = MonoNs(0)
    acts: list[cmd.Command] = [cmd.StartGame(now, NAMES, played.lead, Params()), cmd.StartSet(now)]
    for ply in plies_of(played):
        if isinstance(ply, Move):
            acts.append(cmd.LayDomino(now, ply.inner, ply.outer, ply.end))
        else:
            acts.append(cmd.Pass(now, ply.seat))
    state = State()
    for act in (*acts, cmd.Count(now, tuple(tiles_of(hand) for hand in played.hands))):
        state = evolve_all(state, decide(state, act))
    if len(state.results) != 1:
        raise RuntimeError(f"expected the set in the register, got phase {state.phase}: the core and the rules differ")
    return state


def print_statistics() -> None:
    """What so many random sets are like, to be held against other programs."""
    chance = random.Random(2).random
    played = [random_set(chance, Seat.S0) for _ in range(STATISTICS_SETS)]
    locks = [one for one in played if one.ending is Ending.DEADLOCK]
    outs = [one for one in played if one.ending is Ending.OUT]
    print(f"\n{len(played):,} random sets, one seat always leading")
    for label, value in (
        ("end in a deadlock", f"{len(locks) / len(played):.1%}"),
        ("deadlocks with equal spots", f"{sum(one.winner is None for one in locks) / len(locks):.1%}"),
        ("deadlocks with different ends", f"{sum(one.ends[0] != one.ends[1] for one in locks)}"),
        ("last dominoes that also lock", f"{sum(is_shut(one) for one in outs) / len(outs):.1%}"),
        ("passes a set", f"{statistics.fmean(one.passes for one in played):.2f}"),
        ("moves a set", f"{statistics.fmean(one.moves for one in played):.1f}"),
    ):
        print(f"{label:<44}{value:>10}")


def is_shut(played: Played) -> bool:
    """Whether nothing that is left fits, however the set ended."""
    south, west, north, east = played.hands
    return is_locked_mask(south | west | north | east, *played.ends)


# --- hidden hands -----------------------------------------------------------------------------------------------------


def time_deals() -> None:
    """What it costs, at every position of so many random sets, to ask whether a deal exists and how many do."""
    chance = random.Random(3).random
    histories = [tuple(plies_of(random_set(chance, Seat.S0))) for _ in range(DEAL_SETS)]
    positions = [plies[:acts] for plies in histories for acts in range(1, len(plies) + 1)]
    known = [evidence_of(plies) for plies in positions]
    print(f"\n{len(positions):,} positions, all those of {DEAL_SETS:,} random sets")
    print(f"{'CPU microseconds a position':<44}{'mean':>10}{'99 of 100':>10}")
    print_times("what is known of the hands, from all acts", evidence_of, positions)
    print_times("whether a deal exists", has_deal, known)
    print_times("how many deals there are, exactly", count_deals, known)


def print_times(label: str, question: Callable[[Subject], object], subjects: Sequence[Subject]) -> None:
    """The mean over all, and the time that 99 of 100 keep; each is asked once."""
    seconds = []
    for subject in subjects:
        start = time.process_time()
        question(subject)
        seconds.append(time.process_time() - start)
    seconds.sort()
    print(f"{label:<44}{statistics.fmean(seconds) * 1e6:>10.1f}{seconds[len(seconds) * 99 // 100] * 1e6:>10.1f}")


def compare_counts(library: ModuleType) -> None:
    """Deals a CPU second at late positions, as the seat on turn knows them: the library can still list them all."""
    counted, listed, ratios, deals = [], [], [], []
    for plies, exposed, game in late_positions(library):
        start = time.process_time()
        found = sum(1 for _ in game.all_possible_hands())
        listing = time.process_time() - start
        if found != count_deals(evidence_of(plies, exposed)):
            raise RuntimeError(f"expected the {found} deals that {LIBRARY} lists, counted another number: one is wrong")
        counting = cpu_seconds(partial(counted_anew, plies, exposed), COUNTS)
        deals.append(found)
        counted.append(found / counting)
        listed.append(found / listing)
        ratios.append(listing / counting)
    print(f"\n{len(deals)} late positions with {min(deals):,} to {max(deals):,} deals each, the same number by both")
    print(f"{'deals a CPU second':<44}{'median':>14}{'times dominoes':>16}")
    print(f"{'counted, from the acts':<44}{statistics.median(counted):>14,.0f}{statistics.median(ratios):>16,.0f}")
    print(f"{LIBRARY + ', listed one by one':<44}{statistics.median(listed):>14,.0f}{1:>16}")


def counted_anew(plies: tuple[Ply, ...], exposed: tuple[Exposed, ...]) -> int:
    """The number of deals from nothing but the acts and the hand of the seat on turn."""
    return count_deals(evidence_of(plies, exposed))


def late_positions(library: ModuleType) -> Iterator[tuple[tuple[Ply, ...], tuple[Exposed, ...], Any]]:
    """From each of so many random sets the first position with few deals: acts, own hand, and the library's game."""
    chance = random.Random(4).random
    wanted = LATE_POSITIONS
    while wanted:
        played = random_set(chance, Seat.S0)
        history = tuple(plies_of(played))
        for acts, ply in enumerate(history):
            if isinstance(ply, Skip):
                continue  # the library does the passes itself, so it is never on turn there
            laid = {p.tile for p in history[:acts] if isinstance(p, Move)}
            own = tuple(Exposed(tile, ply.seat) for tile in tiles_of(played.dealt[ply.seat]) if tile not in laid)
            if FEWEST_DEALS <= count_deals(evidence_of(history[:acts], own)) <= MOST_DEALS:
                yield history[:acts], own, their_game(library, played, history[:acts])
                wanted -= 1
                break


def their_game(library: ModuleType, played: Played, plies: tuple[Ply, ...]) -> Any:
    """The same hands and acts in the library."""
    game = library.Game.new(starting_player=int(played.lead))
    game.skinny_board()
    game.hands = [library.Hand([library.Domino(t.low, t.high) for t in tiles_of(hand)]) for hand in played.dealt]
    for ply in plies:
        if isinstance(ply, Move):
            game.make_move(library.Domino(ply.inner, ply.outer), ply.end is not End.R)
    return game


def cpu_seconds(action: Callable[[], object], times: int) -> float:
    """CPU seconds of one action, over so many."""
    start = time.process_time()
    for _ in range(times):
        action()
    return (time.process_time() - start) / times


if __name__ == "__main__":
    main()
