"""What a case takes as given, made by the core: a game that stands so, and sets that end as they must."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.ledger import Ledger, LedgerEntry
from controller.game.line import pair_spots
from controller.game.penalties import winner_of
from controller.game.playout import Played, plies_of, random_set
from controller.game.rulesets import Adjudication, Params, params_of
from controller.game.state import Move, State
from controller.game.tiles import ALL_TILES, End, MonoNs, Pair, Seat, Suit, Tile, mask_of, tiles_of

NAMES = ("South", "West", "North", "East")
PLAYERS = {Pair.A: ("South", "North"), Pair.B: ("West", "East")}
COMPETITION = "a competition"
NOW = MonoNs(0)
SEARCHED = 60_000
"""Random sets looked through for one with a given end: most ends come once in some thousand."""


def params_for(case: dict[str, Any], **more: Any) -> Params:
    """The case's rule set with adjudication auto and whatever it sets itself."""
    given = {**more, **(case.get("params") or {})}
    return params_of({"rule_set": case["ruleset"], "adjudication": Adjudication.AUTO, **given})


def told(state: State, command: cmd.Command) -> State:
    """The state after a command that must be accepted."""
    happened = decide(state, command)
    assert not isinstance(happened[0], ev.Refused), happened
    return evolve_all(state, happened)


def game(params: Params, *, lead: Seat = Seat.S0, earlier: tuple[int, int] = (0, 0)) -> State:
    """A game of a competition in whose earlier games the pairs were warned so often."""
    ledger = Ledger()
    for pair in Pair:
        for number in range(earlier[pair.index]):
            players = PLAYERS[pair]
            name = f"earlier game {number}"
            entry = LedgerEntry(f"{name} {pair.value}", COMPETITION, name, players, players[0], "talk", 1)
            ledger = ledger.with_entry(entry)
    state = evolve_all(State(), (ev.LedgerMerged(NOW, ledger),))
    return told(state, cmd.StartGame(NOW, NAMES, lead, params, competition=COMPETITION, game="this game"))


REASONS = {
    "time": ("time", "overtime", "time_limit", "slow"),
    "talk": ("talk", "talks", "talking"),
    "exposure": ("exposure", "exposed_tile", "exposed_tiles", "exposed_domino", "showing", "showing_domino", "show"),
    "signs": ("signs", "sign", "signals"),
}
"""Our reasons of a warning, and the words that cases have for them."""


def reason_of(warning: dict[str, Any]) -> str:
    """Our word for what a case warns for; where it does not say, for talking."""
    word = str(warning.get("reason", "talk"))
    return next((ours for ours, words in REASONS.items() if word in words), word)


def with_warnings(state: State, given: tuple[int, int]) -> State:
    """The pairs have been warned so often in this game, whatever it has cost them: that is in the score already.

    These warnings belong to no set of the case.
    """
    for pair in Pair:
        for _ in range(given[pair.index]):
            state = evolve_all(state, (ev.WarningGiven(NOW, Seat(pair.index), "talk"),))
    return replace(state, warnings=tuple(replace(warning, set_no=0) for warning in state.warnings))


def with_score(state: State, sets: int, score: tuple[float, float]) -> State:
    """So many sets are registered and come to this score."""
    for _ in range(sets):
        points = (min(1.0, score[0]), 1.0 - min(1.0, score[0]))
        score = (score[0] - points[0], score[1] - points[1])
        scored = ev.SetScored(NOW, ev.Ending.OUT, winner_of(points), None, points)
        state = evolve_all(state, (ev.SetStarted(NOW, state.set_no, state.lead or Seat.S0), scored))
    assert tuple(score) == (0, 0), f"expected a score that {sets} sets can have, {score} is left over"
    return state


def set_begun(state: State, *, at: MonoNs = NOW) -> State:
    """The next set has been dealt; the lead of an extra set is drawn."""
    return told(state, cmd.StartSet(at, Seat.S0 if state.lead is None else None))


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a set must end; None for what does not matter."""

    by: str
    winner: str | None = None
    """Of the dominoes alone: A, B or draw."""
    spots: tuple[int | None, int | None] = (None, None)

    def fits(self, played: Played, spots: tuple[int, int]) -> bool:
        """Whether a set ended so."""
        if played.ending.value != self.by:
            return False
        winner = "draw" if played.winner is None else played.winner.value
        is_so = self.winner in (None, winner)
        return is_so and all(want in (None, got) for want, got in zip(self.spots, spots, strict=True))


def wanted_of(outcome: dict[str, Any]) -> Wanted:
    """The end of a set as a case describes it."""
    if outcome["by"] == "draw":
        return Wanted("deadlock", "draw")
    if outcome["by"] == "deadlock":
        spots = outcome.get("spots", (None, None))
        return Wanted("deadlock", outcome.get("winner"), (spots[0], spots[1]))
    left = outcome.get("loser_spots")
    spots = (None, left) if outcome["winner"] == "A" else (left, None)
    return Wanted("out", outcome["winner"], spots)


def play_to(state: State, wanted: Wanted, spots_of: Callable[[Played], tuple[int, int]]) -> State:
    """The set in progress played, move by move through the core, to an end as wanted, and counted."""
    assert state.lead is not None
    if None not in wanted.spots and sum(spots or 0 for spots in wanted.spots) % 2:
        return locked_by_hand(state, wanted)
    chance = random.Random(1).random
    for _ in range(SEARCHED if wanted.by == "deadlock" else 10 * SEARCHED):
        played = random_set(chance, state.lead)
        if wanted.fits(played, spots_of(played)):
            return counted(replayed(state, played), played)
    if wanted.by == "deadlock" and None not in wanted.spots:
        return locked_by_hand(state, wanted)
    raise AssertionError(f"no set of {SEARCHED} random ones ends as wanted: {wanted}")


def locked_by_hand(state: State, wanted: Wanted) -> State:
    """A deadlock with spots that no line leaves, or hardly any: a true lock always leaves an even sum.

    The dominoes that are not in the hands are laid as if they fitted.
    """
    hands = _hands_with(wanted)
    held = {tile for hand in hands for tile in hand}
    assert state.lead is not None
    seat, end = state.lead, End.FIRST
    for tile in sorted(ALL_TILES - held):
        laid = ev.DominoLaid(NOW, seat, tile.low, tile.high, end, is_fitting=True, confidence=1.0)
        state, seat, end = evolve_all(state, (laid,)), seat.next, End.R
    state = evolve_all(state, (ev.Locked(NOW, Suit(0)),))
    return told(state, cmd.Count(NOW, hands))


def _hands_with(wanted: Wanted) -> tuple[tuple[Tile, ...], ...]:
    """Four hands, as many dominoes each, that come to the spots that are wanted."""
    rng = random.Random(1)
    for number in range(SEARCHED):
        size = 1 + number % 6
        ours = rng.sample(sorted(ALL_TILES), 2 * size)
        if sum(tile.spots for tile in ours) != wanted.spots[0]:
            continue
        for _ in range(SEARCHED // 100):
            theirs = rng.sample(sorted(ALL_TILES - set(ours)), 2 * size)
            hands = (ours[:size], theirs[:size], ours[size:], theirs[size:])
            if pair_spots([mask_of(hand) for hand in hands], lone_blank=0) == tuple(wanted.spots):
                return tuple(map(tuple, hands))
    raise AssertionError(f"no four hands come to {wanted.spots}")


def replayed(state: State, played: Played) -> State:
    """Every act of a set put to the core."""
    for ply in plies_of(played):
        if isinstance(ply, Move):
            state = told(state, cmd.LayDomino(NOW, ply.inner, ply.outer, ply.end, ply.seat))
        else:
            state = told(state, cmd.Pass(NOW, ply.seat))
    return state


def counted(state: State, played: Played) -> State:
    """The hands that are left are shown."""
    return told(state, cmd.Count(NOW, tuple(tiles_of(hand) for hand in played.hands)))


def lay_wrongly(state: State, loser: Pair) -> State:
    """A player of `loser` lays a domino that does not fit; it is found when the next has laid his."""
    assert state.lead is not None
    acts = ("66 first", "55 R", "54 R") if state.lead.next.pair is loser else ("66 first", "65 R", "44 R", "43 R")
    for act in acts:
        assert state.turn is not None
        word, end = act.split()
        state = told(state, cmd.LayDomino(NOW, int(word[0]), int(word[1]), End(end)))
    return told(state, cmd.Rule(NOW, state.open_findings[0].number, cmd.Decision.LOST))


def pass_wrongly(state: State, loser: Pair) -> State:
    """A player of `loser` passes with a five and a six open, and lays one of the two later."""
    assert state.lead is not None
    acts: tuple[str, ...] = ("66 first", "65 R", "pass", "54 R", "63 L", "42 R", "35 L")
    offender = state.lead.next.next
    if offender.pair is not loser:  # the other pair passes: a plain move is made before
        acts = ("66 first", "65 R", "54 R", "pass", "63 L", "42 R", "21 R", "34 L")
    for act in acts:
        assert state.turn is not None
        if act == "pass":
            state = told(state, cmd.Pass(NOW, state.turn))
        else:
            word, end = act.split()
            state = told(state, cmd.LayDomino(NOW, Suit(int(word[0])), Suit(int(word[1])), End(end)))
    return state
