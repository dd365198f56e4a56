"""The scoreboard: everything a display needs as plain JSON, and no hand before it is shown."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.rulesets import Params, WrongDominoAlert
from controller.game.sight import Sighting
from controller.game.snapshot import snapshot
from controller.game.state import Phase, State
from controller.game.tiles import MonoNs, Seat
from tests.controller.games import NAMES, Table, at, at_the_table, looks, seen


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
