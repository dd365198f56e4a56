"""Whatever is asked of the core, in any order and under any parameters: it is done or refused, and nothing is lost."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.evolve import evolve_all
from controller.game.ledger import Ledger, LedgerEntry
from controller.game.penalties import WARNING_REASONS
from controller.game.rulesets import Params
from controller.game.seen import SeenTile, Sighting
from controller.game.tiles import ALL_TILES, End, MonoNs, Pair, Seat, Suit, Tile
from tests.controller.games import NAMES, at_the_table, half, in_a_row
from tests.controller.parameters import params

HALVES = st.one_of(st.none(), st.integers(0, 6).map(half), st.just((0.0,) * 7), st.just((1.0, *(0.0,) * 6)))
SEEN = st.builds(SeenTile, HALVES, HALVES)
ROWS = st.lists(SEEN, max_size=3).map(lambda tiles: in_a_row(*tiles))
SIGHTINGS = st.one_of(ROWS, st.builds(Sighting, shown=st.tuples(*[st.lists(SEEN, max_size=2).map(tuple)] * 4)))
SEATS = st.sampled_from([*Seat, 4, -1])
CHAIRS = st.sampled_from(Seat)
SUIT = st.integers(-1, 7)
TILES = st.sampled_from([*sorted(ALL_TILES), Tile(Suit(7), Suit(7)), Tile(Suit(-1), Suit(3))])
HANDS = st.lists(st.lists(TILES, max_size=7).map(tuple), max_size=5).map(tuple)
TIMES = st.integers(0, 10**11).map(MonoNs)
WHO = st.sampled_from(["", "a referee"])
REASONS = st.sampled_from([*WARNING_REASONS, "sneezing"])
PLACES = st.integers(-1, 12)
FOUR_DRAWN = st.tuples(*[st.tuples(SUIT, SUIT)] * 4)
PAIRS = st.just((("a", "b"), ("c", "d")))
ENTRIES = st.builds(
    LedgerEntry,
    id=st.sampled_from(["x", "y", "z"]),
    competition=st.sampled_from(["cup", "other cup"]),
    game=st.just("g"),
    players=st.sampled_from([(NAMES[0], NAMES[2]), (NAMES[1], NAMES[3])]),
    player=st.just(NAMES[0]),
    reason=st.just("talk"),
    set_no=st.integers(1, 2),
)
LEDGERS = st.lists(ENTRIES, max_size=2, unique_by=lambda entry: entry.id).map(lambda entries: Ledger(tuple(entries)))
COMMANDS: dict[type, st.SearchStrategy[Any]] = {
    cmd.DrawSeats: st.builds(
        cmd.DrawSeats, TIMES, PAIRS, params(), st.none() | FOUR_DRAWN, st.none() | st.tuples(SUIT, SUIT)
    ),
    cmd.StartGame: st.builds(
        cmd.StartGame, TIMES, st.none() | st.just(NAMES), CHAIRS, params(), st.booleans(), st.sampled_from(["", "cup"])
    ),
    cmd.DrawLead: st.builds(cmd.DrawLead, TIMES, FOUR_DRAWN),
    cmd.StartSet: st.builds(cmd.StartSet, TIMES, st.none() | CHAIRS),
    cmd.See: st.builds(cmd.See, TIMES, SIGHTINGS),
    cmd.LayDomino: st.builds(cmd.LayDomino, TIMES, SUIT, SUIT, st.sampled_from(End), st.none() | SEATS),
    cmd.AdoptLine: st.builds(cmd.AdoptLine, TIMES, st.none() | st.tuples(SUIT, SUIT), WHO, st.none() | SIGHTINGS),
    cmd.Pass: st.builds(cmd.Pass, TIMES, SEATS, st.booleans()),
    cmd.CallReferee: st.builds(cmd.CallReferee, TIMES, SEATS),
    cmd.ClaimTime: st.builds(cmd.ClaimTime, TIMES, SEATS),
    cmd.ClaimRedeal: st.builds(cmd.ClaimRedeal, TIMES, SEATS, st.none() | st.lists(TILES, max_size=8).map(tuple)),
    cmd.Expose: st.builds(cmd.Expose, TIMES, SEATS, TILES, WHO, st.booleans()),
    cmd.Show: st.builds(cmd.Show, TIMES, SEATS, st.lists(TILES, max_size=8).map(tuple), WHO),
    cmd.Rule: st.builds(cmd.Rule, TIMES, st.integers(0, 4), st.sampled_from(Decision), WHO, st.booleans()),
    cmd.Warn: st.builds(cmd.Warn, TIMES, SEATS, REASONS, WHO)
    | st.builds(cmd.Warn, TIMES, st.none(), REASONS, WHO, st.sampled_from(Pair)),
    cmd.OrderReveal: st.builds(cmd.OrderReveal, TIMES, WHO),
    cmd.Count: st.builds(cmd.Count, TIMES, HANDS, WHO),
    cmd.ConfirmCount: st.builds(cmd.ConfirmCount, TIMES, WHO),
    cmd.RestartSet: st.builds(cmd.RestartSet, TIMES, st.just("spilled"), WHO, st.booleans()),
    cmd.Attribute: st.builds(cmd.Attribute, TIMES, PLACES, SEATS, WHO),
    cmd.Correct: st.builds(cmd.Correct, TIMES, PLACES, SUIT, SUIT, WHO),
    cmd.MergeLedger: st.builds(cmd.MergeLedger, TIMES, LEDGERS),
    cmd.Replay: st.builds(
        cmd.Replay, TIMES, st.none() | st.integers(1, 3), st.none() | st.just("again"), st.just("shown"), WHO
    ),
    cmd.ConfirmRegister: st.builds(cmd.ConfirmRegister, TIMES, st.none() | st.sampled_from(Pair), WHO, st.booleans()),
    cmd.Mute: st.builds(cmd.Mute, TIMES, st.none() | st.floats(1, 100), WHO),
    cmd.LoseCamera: st.builds(cmd.LoseCamera, TIMES, st.just("dark")),
    cmd.RegainStorage: st.builds(cmd.RegainStorage, TIMES, TIMES),
    **{
        kind: st.builds(kind, TIMES)
        for kind in (
            cmd.Acknowledge,
            cmd.Pause,
            cmd.Resume,
            cmd.Undo,
            cmd.Redo,
            cmd.Unmute,
            cmd.RegainCamera,
            cmd.Restart,
            cmd.Tick,
        )
    },
}


def test_every_command_is_tried() -> None:
    """No command is left out of what is asked at random."""
    assert set(COMMANDS) == set(get_args(cmd.Command))


@settings(max_examples=250, deadline=None, derandomize=True)
@given(chosen=params(), commands=st.lists(st.one_of(*COMMANDS.values()), max_size=25), moves=st.integers(0, 10))
def test_no_sequence_of_commands_breaks_the_core(chosen: Params, commands: list[cmd.Command], moves: int) -> None:
    """Whatever is asked, in any order and at any time, is done or refused, and every invariant holds."""
    table = at_the_table(params=chosen, moves=moves)
    for command in commands:
        before = table.state
        happened = decide(before, command)
        if happened and isinstance(happened[0], ev.Refused) and len(happened) == 1:
            after = evolve_all(before, happened)
            assert (after.line, after.plies, after.points, after.warnings) == (
                before.line,
                before.plies,
                before.points,
                before.warnings,
            )
        table.do(command)
