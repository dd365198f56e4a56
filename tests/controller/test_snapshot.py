"""The scoreboard: everything a display needs as plain JSON, and no hand before it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.evolve import evolve
from controller.game.ledger import Ledger, LedgerEntry
from controller.game.rulesets import FirstMixer, LockTie, Params, WrongDominoAlert, fours, spots
from controller.game.seen import Sighting
from controller.game.snapshot import ClockView, FindingView, LineTile, MixingView, Snapshot, snapshot
from controller.game.state import Move, Phase, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile
from tests.controller.games import (
    LEVEL_DEAL,
    LOCKING_DEAL,
    LOCKING_MOVES,
    NAMES,
    Table,
    at,
    at_the_table,
    looks,
    random_evening,
    seen,
)


def board(state: State, now: MonoNs) -> dict[str, Any]:
    """The scoreboard as a display receives it."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(snapshot(state, now)))
    return shown


def test_snapshot_of_an_idle_table_is_empty() -> None:
    """Before a game there is nothing to show, and that can be written down too."""
    shown = board(State(), MonoNs(0))
    assert (shown["phase"], shown["line"], shown["ends"], shown["turn"], shown["winner"]) == (
        "idle",
        [],
        None,
        None,
        None,
    )
    assert shown["tiles_left"] == [7, 7, 7, 7]


def test_snapshot_shows_the_line_with_seats_turn_and_clock() -> None:
    """Every domino from left to right with its seat, the open suits, whose turn it is and how long he has."""
    table = at_the_table(moves=3)
    table.wait(5.5)
    shown = board(table.state, table.now)
    assert [tuple(tile.values()) for tile in shown["line"]] == [(6, 1, 0), (1, 2, 1), (2, 6, 2)]
    assert (shown["ends"], shown["turn"], shown["lead"], shown["set_no"], shown["sets"]) == ([6, 6], 3, 0, 1, 4)
    assert shown["tiles_left"] == [6, 6, 6, 7]
    assert shown["names"] == list(NAMES)
    assert shown["clock"] == {"running": True, "limit_s": 15.0, "elapsed_ms": 5500, "seconds_left": 10}


def test_seconds_left_are_rounded_up() -> None:
    """A display shows 15 at the beginning, 1 until the very end, and 0 from the limit on."""
    table = at_the_table(moves=1)
    clock = table.state.clock
    left = [clock.seconds_left(MonoNs(table.now + ns)) for ns in (0, 1, 10**9, 14_999_999_999, 15 * 10**9, 99 * 10**9)]
    assert left == [15, 15, 14, 1, 0, 0]


def test_snapshot_has_no_hand_before_it_is_shown() -> None:
    """Nothing of the four hands is on the scoreboard until the camera has read them at the count."""
    table = at_the_table(moves=10)
    assert board(table.state, table.now)["shown"] is None
    hands = tuple(tuple(seen(t.low, t.high) for t in table.hand(seat)) for seat in Seat)
    table.do(cmd.See(table.now, Sighting((), (), hands)))
    shown = board(table.state, table.now)["shown"]
    assert [len(hand) for hand in shown] == [4, 4, 5, 5]
    assert [3, 0] in shown[0]


def test_snapshot_tells_what_waits_for_the_referee() -> None:
    """Findings with their clause, halts, the alert and the domino that has to go back."""
    table = at_the_table(moves=1, params=Params(wrong_domino_alert=WrongDominoAlert.IMMEDIATE))
    table.lay(3, 4, "R")
    shown = board(table.state, table.now)
    assert shown["findings"] == [
        {
            "id": 1,
            "kind": "wrong_domino",
            "seat": 1,
            "clause": "C7",
            "text": "Bob laid 4-3 with 3 to the joint, which does not fit.",
            "pair": "B",
            "act": 2,
            "stills": None,
            "passes": [],
            "proven_by": None,
            "repairs": [],
            "decisions": ["continue", "dismiss", "lost", "restart"],
            "set_no": None,
            "rule": "10.1",
        }
    ]
    assert shown["halts"] == ["finding"]
    assert shown["alert"]["kind"] == "wrong_domino"
    table.rule(Decision.CONTINUE)
    shown = board(table.state, table.now)
    assert (shown["take_back"], shown["halts"], shown["warnings"]) == ([[4, 3]], ["take_back"], [0, 1])
    assert (shown["findings"], shown["alert"]) == ([], None)


def test_silent_finding_is_not_on_the_scoreboard() -> None:
    """What nobody may be told before the end of the set is not published either."""
    table = at_the_table(moves=1, params=Params(wrong_domino_alert=WrongDominoAlert.SILENT))
    table.lay(3, 4, "R")
    shown = board(table.state, table.now)
    assert (shown["findings"], shown["alert"], shown["halts"]) == ([], None, [])


def test_snapshot_says_why_the_table_is_out_of_sync() -> None:
    """The sentence for the referee is there as long as table and game disagree."""
    table = at_the_table(moves=2)
    table.do(cmd.See(table.now, Sighting()))
    assert "is not seen at the end" in board(table.state, table.now)["sync_text"]
    table.do(cmd.See(table.now, looks(table.state.line)))
    assert board(table.state, table.now)["sync_text"] is None


def test_snapshot_of_a_finished_game_counts_the_sets_played() -> None:
    """At the end the number of the last set stands there, not of one that will never be played."""
    table = Table()
    table.open_game(Params(pair_tournament=False))
    while table.state.phase is not Phase.GAME_OVER:
        table.play_set()
    shown = board(table.state, at(0))
    assert (shown["set_no"], len(shown["results"]), sum(shown["points"])) == (4, 4, 4)
    assert shown["winner"] in ("A", "B", "draw")


def test_revision_grows_with_every_event() -> None:
    """A display that has seen a revision knows whether another is newer, through undo as well."""
    table = at_the_table(moves=2)
    before = table.state.revision
    table.do(cmd.Undo(table.now))
    assert table.state.revision == before + 1


def test_snapshot_names_competition_game_and_rules() -> None:
    """A display knows which game of which competition it shows, by which text and version."""
    table = Table()
    table.do(cmd.StartGame(table.now, NAMES, Seat.S1, spots(), competition="cup", game="final"))
    shown = board(table.state, table.now)
    assert (shown["competition"], shown["game"], shown["rules"]) == (
        "cup",
        "final",
        {"rule_set": "spots", "version": "1"},
    )
    assert board(State(), MonoNs(0))["rules"]["rule_set"] == "fours"


def test_snapshot_shows_the_seats_as_they_were_drawn() -> None:
    """Between the draw and the game the players can read where they sit."""
    table = Table()
    assert board(table.state, table.now)["seating"] is None
    pairs = (("Ann", "Cleo"), ("Bob", "Dan"))
    table.do(cmd.DrawSeats(table.now, pairs, fours(), ((6, 6), (5, 5), (1, 1), (0, 0))))
    assert board(table.state, table.now)["seating"] == {"names": ["Dan", "Cleo", "Bob", "Ann"], "lead": 0}


def test_snapshot_reminds_who_mixes() -> None:
    """Before a set the leader's partner mixes first, then the leader, who also takes last; in a set nobody does."""
    table = Table()
    table.open_game(lead=Seat.S1)
    assert board(table.state, table.now)["mixing"] == {"first": 3, "second": 1, "takes": [2, 3, 0, 1]}
    left = replace(table.state, params=fours(first_mixer=FirstMixer.LEFT))
    assert board(left, table.now)["mixing"]["first"] == 2
    assert board(replace(table.state, lead=None), table.now)["mixing"] is None
    table.open_set()
    assert board(table.state, table.now)["mixing"] is None


def test_snapshot_has_no_mixing_order_where_the_text_has_none() -> None:
    """The Russian text says nothing of mixing, so nothing is shown."""
    table = Table()
    table.open_game(spots())
    assert board(table.state, table.now)["mixing"] is None


def test_snapshot_counts_warnings_in_game_and_competition() -> None:
    """Warnings from earlier games of the competition stand beside those of this game."""
    ledger = Ledger((LedgerEntry("x#1", "cup", "x", ("Dan", "Bob"), "Bob", "talk", 1),))
    table = Table()
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, fours(), competition="cup", game="final"))
    table.do(cmd.MergeLedger(table.now, ledger))
    table.open_set()
    table.do(cmd.Warn(table.now, 1, "signs"))
    shown = board(table.state, table.now)
    assert (shown["warnings"], shown["warnings_competition"]) == ([0, 1], [0, 2])


def test_snapshot_names_an_expelled_pair() -> None:
    """The fourth warning of the competition is on the board with what it means."""
    table = Table()
    entries = (LedgerEntry(f"x#{n}", "cup", "x", ("Bob", "Dan"), "Bob", "talk", 1) for n in range(3))
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, fours(), competition="cup", game="final"))
    assert board(table.state, table.now)["expelled"] == []
    table.do(cmd.MergeLedger(table.now, Ledger(tuple(entries))))
    table.open_set()
    table.do(cmd.Warn(table.now, 3, "talk"))
    assert (board(table.state, table.now)["expelled"], table.state.phase) == (["B"], Phase.GAME_OVER)


def test_snapshot_shows_a_wrong_pass_with_its_proof_and_the_decisions() -> None:
    """Which pass, whose, what proves it and what may be said to it."""
    table = at_the_table(moves=1)
    table.skip(1)
    table.lay(1, 1, "R")
    table.skip(3)
    table.lay(6, 3, "L")
    table.lay(1, 2, "R")
    (finding,) = board(table.state, table.now)["findings"]
    assert (finding["kind"], finding["seat"], finding["pair"]) == ("wrong_pass", 1, "B")
    assert (finding["act"], finding["passes"], finding["proven_by"]) == (2, [2], "play")
    assert finding["decisions"] == ["confirm", "dismiss", "restart"]
    assert all(isinstance(text, str) and text for text in finding["repairs"])


def test_snapshot_takes_decisions_away_with_time() -> None:
    """A wrong domino can go back only as long as nobody has acted since."""
    table = at_the_table(moves=1)
    table.lay(3, 4, "R")
    table.lay(4, 6, "R")
    (finding,) = board(table.state, table.now)["findings"]
    assert finding["decisions"] == ["dismiss", "lost", "restart"]


def test_snapshot_shows_a_finding_that_proves_a_pair_but_no_seat() -> None:
    """Where only a pair is proven no player is named."""
    event = ev.FindingRaised(
        at(1), 1, ev.FindingKind.WRONG_PASS, None, 3, "C6.1", "?", Pair.B, ev.ProvenBy.COUNTING, (3, 5)
    )
    state = evolve(at_the_table(moves=4).state, event)
    (finding,) = board(state, at(1))["findings"]
    assert (finding["seat"], finding["pair"], finding["act"], finding["passes"]) == (None, "B", 4, [4, 6])


def test_snapshot_says_that_only_the_referee_can_decide() -> None:
    """A false claim of a redeal needs a person; the hand that everybody has seen is on the board, and only that one."""
    table = at_the_table()
    table.is_checked = False
    table.do(cmd.ClaimRedeal(table.now, 2))
    shown = board(table.state, table.now)
    assert (shown["claim"], shown["needs_referee"], shown["exposed"]) == (2, None, [])
    table.do(cmd.ClaimRedeal(table.now, 2, LOCKING_DEAL[2]))
    shown = board(table.state, table.now)
    assert (shown["claim"], shown["needs_referee"]) == (None, "exposed_hand")
    assert [one["seat"] for one in shown["exposed"]] == [2] * 7
    assert {Tile.of(*one["tile"]) for one in shown["exposed"]} == set(LOCKING_DEAL[2])


def test_snapshot_forgets_an_exposed_domino_once_it_is_laid() -> None:
    """What lies in the line is in nobody's hand any more."""
    table = at_the_table(moves=1)
    table.do(cmd.Expose(table.now, 1, Tile.of(1, 2)))
    assert board(table.state, table.now)["exposed"] == [{"seat": 1, "tile": [2, 1]}]
    table.lay(1, 2, "R")
    assert board(table.state, table.now)["exposed"] == []


def test_snapshot_shows_what_a_drawn_deadlock_has_left_to_be_won() -> None:
    """By the regulations that carry it, the point of an equal deadlock waits for the next decided set."""
    table = at_the_table(LEVEL_DEAL, params=fours(lock_tie=LockTie.CARRY), moves=10)
    table.is_checked = False
    table.count()
    shown = board(table.state, table.now)
    assert (shown["carried"], shown["points"]) == (1.0, [0.0, 0.0])


def test_snapshot_tells_an_extra_set_from_the_sets_agreed() -> None:
    """A level game goes on with an extra set, whose lead is drawn; a game that is over without one has none."""
    table = Table()
    table.open_game()
    for _ in range(4):
        assert board(table.state, table.now)["extra_set"] is False
        table.open_set(LEVEL_DEAL if table.state.lead is Seat.S0 else _turned(LEVEL_DEAL, table.state.lead))
        for word in LOCKING_MOVES.split():
            table.lay(int(word[0]), int(word[1]), "R" if table.state.line.placed else "first")
        table.count()
    shown = board(table.state, table.now)
    assert (shown["extra_set"], shown["set_no"], shown["lead"], shown["mixing"]) == (True, 5, None, None)
    assert board(replace(table.state, phase=Phase.GAME_OVER), table.now)["extra_set"] is False


def _turned(deal: tuple[tuple[Tile, ...], ...], lead: Seat | None) -> tuple[tuple[Tile, ...], ...]:
    """The deal with the leader's hand at the seat that leads."""
    assert lead is not None
    return tuple(deal[(seat - lead) % 4] for seat in Seat)


def _dominoes(shown: object) -> Iterator[Tile]:
    """Every domino that is anywhere on a scoreboard, but for its texts."""
    if isinstance(shown, dict):
        if {"left", "right"} <= set(shown):
            yield Tile.of(shown["left"], shown["right"])
        for name, value in shown.items():
            if name not in ("ends", "points", "warnings", "warnings_competition", "fines", "tiles_left", "spots"):
                yield from _dominoes(value)
    elif isinstance(shown, list):
        if len(shown) == 2 and all(type(half) is int for half in shown):
            yield Tile.of(*shown)
        for value in shown:
            yield from _dominoes(value)


@pytest.mark.parametrize("seed", range(12))
def test_snapshot_never_has_a_domino_that_nobody_has_seen(seed: int) -> None:
    """Whatever happens in an evening, each domino on the board was laid, shown or seen in a hand in that set."""
    state, seen_so_far = State(), set[Tile]()
    for event in random_evening(seed, is_checked=False).happened:
        state = evolve(state, event)
        if isinstance(event, ev.SetStarted):
            seen_so_far = set()
        if isinstance(event, ev.SetStarted | ev.Undone):  # undo may bring the line of the set before back
            seen_so_far |= {placed.tile for placed in state.line.placed} | set(state.take_back)
        seen_so_far |= {ply.tile for ply in state.plies if isinstance(ply, Move)}
        seen_so_far |= {exposed.tile for exposed in state.exposed}
        seen_so_far |= {tile for hand in state.shown or () for tile in hand}
        board_now = board(state, event.at)
        assert set(_dominoes({**board_now, "findings": []})) <= seen_so_far, event


def test_documents_name_every_field() -> None:
    """Whoever writes a display finds each field of the board in docs/mqtt.md."""
    text = (Path(__file__).parents[2] / "docs" / "mqtt.md").read_text(encoding="utf-8")
    told = text.partition("## state")[2].partition("## event")[0]
    for record in (Snapshot, FindingView, ClockView, LineTile, MixingView):
        assert [f.name for f in fields(record) if f"`{f.name}`" not in told] == [], record


def test_older_displays_still_find_everything() -> None:
    """Inside v1 fields are only added: those that the first displays were written for are there, as they were."""
    shown = board(at_the_table(moves=3).state, at(5))
    first = (
        "revision phase set_no sets lead turn line ends names tiles_left points winner results warnings findings halts "
        "take_back shown clock alert sync_text"
    )
    assert list(shown)[: len(first.split())] == first.split()
