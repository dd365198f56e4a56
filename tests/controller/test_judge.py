"""Written games put to the rules: a live game is judged alike, and what cannot be is told, never raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind
from controller.game.rulesets import Adjudication, NextLead, Params, fours, spots
from controller.game.state import Phase
from controller.game.tiles import End, Pair, Seat, Tile
from controller.record import entries as en
from controller.record.entries import Laid, Skipped
from controller.record.json_lines import format_jsonl, parse_jsonl
from controller.record.judge import Judgement, judge
from controller.record.notation import format_record, parse_record
from controller.record.notation_lexer import NotationError
from controller.record.record import Record, SetMark, SetRecord
from controller.record.recording import NothingPlayed, record_of
from tests.controller.games import Table, at_the_table, random_evening
from tests.controller.parameters import params
from tests.controller.records import records

SAME = ("results", "points", "phase", "winner", "warnings", "plies", "lead", "turn", "exposed")
"""What a game written down and judged has in common with the game as it was played."""

LOCKED_SET: tuple[en.Entry, ...] = (
    Laid(6, 1, End.FIRST),
    *(Laid(a, b, End.R) for a, b in ((1, 2), (2, 6), (6, 6), (6, 3), (3, 4), (4, 6), (6, 5), (5, 0), (0, 6))),
    en.Shown(
        (
            ((0, 0), (1, 0), (2, 0), (3, 0)),
            ((5, 5), (5, 4), (5, 3), (4, 4)),
            ((4, 0), (1, 1), (3, 1), (4, 1), (2, 2)),
            ((5, 1), (3, 2), (4, 2), (5, 2), (3, 3)),
        )
    ),
)
"""A six at both ends after ten moves; 25 spots are left with pair A and 65 with pair B."""


def record(*entries: en.Entry, params: Params | None = None, result: SetMark | None = None) -> Record:
    """A game of one set, as far as it was written."""
    chosen = params or fours(adjudication=Adjudication.AUTO)
    return Record(Seat.S0, chosen, ("Ann", "Bob", "Cleo", "Dan"), sets=(SetRecord(1, entries=entries, result=result),))


def told(judgement: Judgement) -> list[str]:
    """The kinds of the verdicts."""
    return [verdict.kind for verdict in judgement.verdicts]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), chosen=params())
def test_live_game_is_judged_from_its_record_as_it_was_played(seed: int, chosen: Params) -> None:
    """An evening of mishaps, written down, read again and judged: sets, score and warnings are the same."""
    table = random_evening(seed, params=chosen, is_checked=False)
    if table.state.phase is Phase.IDLE:
        return  # the game itself was taken back
    if table.state.phase is Phase.COUNT:
        table.do(cmd.RestartSet(table.now, "the evening is over", is_chief=True))  # a set gone out needs no count
    written = record_of(table.happened)
    assert parse_record(format_record(written)) == written
    assert parse_jsonl(format_jsonl(written)) == written
    judgement = judge(written)
    assert {name: getattr(judgement.state, name) for name in SAME} == {n: getattr(table.state, n) for n in SAME}
    unexpected = [v for v in judgement.verdicts if v.kind in ("refused", "differs") and "out_of_turn" not in v.text]
    assert not unexpected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(written=records())
def test_no_record_breaks_the_judge(written: Record) -> None:
    """Whatever is written, were it nonsense from end to end, is judged: refused where it cannot be, never raised."""
    judgement = judge(written)
    moves = sum(isinstance(entry, Laid) for played in written.sets for entry in played.entries)
    assert len(judgement.state.line.placed) <= max(moves, 0)


def test_judge_says_who_has_a_locked_set() -> None:
    """Ten moves and the count are enough: pair A has fewer spots, and what is written agrees."""
    mark = SetMark(Ending.DEADLOCK, (1.0, 0.0), (25, 65))
    judgement = judge(record(*LOCKED_SET, result=mark))
    assert judgement.is_clean
    (result,) = judgement.state.results
    assert (result.by, result.spots, result.points) == (Ending.DEADLOCK, (25, 65), (1.0, 0.0))


def test_judge_tells_where_the_written_result_differs() -> None:
    """A club wrote the set down for the wrong pair: the judge says what the rules say."""
    judgement = judge(record(*LOCKED_SET, result=SetMark(Ending.DEADLOCK, (0.0, 1.0))))
    assert not judgement.is_clean
    assert [v.text for v in judgement.verdicts if v.kind == "differs"] == [
        "the rules say deadlock 1:0, spots (25, 65)."
    ]


def test_judge_scores_an_old_record_by_its_own_rules() -> None:
    """The same moves by the other text: the difference of the spots goes to the pair with fewer."""
    judgement = judge(record(*LOCKED_SET, params=spots(adjudication=Adjudication.AUTO)))
    assert judgement.state.results[0].points == (40.0, 0.0)


def test_judge_finds_a_wrong_pass_with_its_proof() -> None:
    """Act 2 was a pass with a six open, act 6 lays a six of the same hand: the set is lost, and it is said why."""
    judgement = judge(
        record(
            Laid(6, 6, End.FIRST),
            Skipped(),
            Laid(6, 5, End.R),
            Laid(5, 5, End.R),
            Laid(5, 4, End.R),
            Laid(6, 0, End.L),
        )
    )
    assert told(judgement) == ["wrong_pass", "ruled", "set"]
    assert "Bob passed (act 2) with 6 open, and later laid 6-0 (act 6)" in judgement.verdicts[0].text
    assert judgement.state.results[0].points == (1.0, 0.0)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Laid(7, 7, End.R), "no_such_tile"),
        (Laid(6, 1, End.R), "tile_already_played"),
        (Laid(1, 1, End.FIRST), "bad_end"),
        (Laid(1, 1, End.R, seat=3), "out_of_turn"),
        (Laid(1, 1, End.R, seat=9), "no_such_seat"),
        (Skipped(seat=9), "no_such_seat"),
        (en.Warned(9, "talk"), "no_such_seat"),
        (en.Warned(1, "sneezing"), "unknown_warning"),
        (en.Ruled(FindingKind.WRONG_PASS, 1, Decision.CONFIRM), "no_such_finding"),
        (en.Attributed(1, 3), "cannot_amend"),
        (en.Corrected(1, 6, 1), "cannot_amend"),
        (en.Shown(((), (), (), ())), "set_running"),
        (en.ExposedTile(1, (6, 1)), "not_in_a_hand"),
        (en.Resumed(), "not_paused"),
    ],
)
def test_judge_refuses_what_cannot_be_and_goes_on(entry: en.Entry, reason: str) -> None:
    """An entry that cannot be is refused with its reason at its place, and the game goes on as if it were not there."""
    judgement = judge(record(Laid(6, 1, End.FIRST), entry, Laid(1, 2, End.R)))
    (refused,) = [verdict for verdict in judgement.verdicts if verdict.kind == "refused"]
    assert refused.text.startswith(f"{reason}: ") or f"{reason}: " in refused.text
    assert (refused.set_no, len(judgement.state.line.placed)) == (1, 2)


def test_judge_takes_an_act_back_where_the_record_says_so() -> None:
    """A move and the word that takes it back leave the line as it was, and the seat on turn again."""
    judgement = judge(record(Laid(6, 1, End.FIRST), Laid(1, 2, End.R), en.TakenBackAct(), Laid(1, 3, End.R)))
    assert [placed.tile for placed in judgement.state.line.placed] == [Tile.of(6, 1), Tile.of(1, 3)]
    assert judgement.state.turn is Seat.S2


def test_judge_rules_anew_after_a_ruling_was_taken_back() -> None:
    """The set was lost, the ruling taken back, and the same act is ruled on, and corrected, by its written number."""
    lost = en.Ruled(FindingKind.WRONG_DOMINO, 2, Decision.LOST)
    plain = fours()
    acts = (Laid(6, 3, End.FIRST), Laid(4, 5, End.R))
    again = judge(record(*acts, lost, en.TakenBackAct(), lost, params=plain))
    assert [verdict.kind for verdict in again.verdicts].count("refused") == 0
    assert again.state.points == (1.0, 0.0)
    corrected = judge(record(*acts, lost, en.TakenBackAct(), en.Corrected(2, 3, 5), params=plain))
    assert [placed.tile for placed in corrected.state.line.placed] == [Tile.of(6, 3), Tile.of(5, 3)]
    assert not corrected.state.findings


def test_judge_does_not_take_the_game_itself_back() -> None:
    """A pencil that strikes out more than was written is told so."""
    judgement = judge(record(Laid(6, 3, End.FIRST), *[en.TakenBackAct()] * 3))
    assert [v.text.split(":")[0] for v in judgement.verdicts if v.kind == "refused"] == ["nothing_to_undo"]
    assert judgement.state.phase is Phase.BETWEEN


def test_correction_after_the_set_was_lost_by_a_misreading_opens_it_again() -> None:
    """The set was closed by a contradiction: the act was another seat's, who had not passed, and play goes on."""
    contradicted = (
        Laid(6, 6, End.FIRST),
        Skipped(),
        Laid(6, 5, End.R),
        Laid(5, 5, End.R),
        Laid(5, 4, End.R),
        Laid(6, 0, End.L),
    )
    judgement = judge(record(*contradicted, en.Attributed(6, 2), Laid(4, 1, End.R)))
    assert not judgement.state.results
    assert [ply.seat for ply in judgement.state.plies] == [0, 1, 2, 3, 0, 1, 2, 3]


def test_set_that_was_lost_before_it_began_is_judged_so() -> None:
    """A second warning between two sets costs the next one, which is written without an act."""
    rules = fours(adjudication=Adjudication.AUTO)
    first = replace(record(en.Warned(1, "talk"), *LOCKED_SET, params=rules).sets[0], result=None)
    lost = SetRecord(2, before=(en.Warned(3, "talk"),), result=SetMark(Ending.SECOND_WARNING, (1.0, 0.0)))
    third = SetRecord(3, entries=(Laid(6, 1, End.FIRST),))
    judgement = judge(replace(record(params=rules), sets=(first, lost, third)))
    assert judgement.is_clean
    assert [result.by for result in judgement.state.results] == [Ending.DEADLOCK, Ending.SECOND_WARNING]


def test_domino_that_goes_back_does_not_stop_the_clock_of_a_record() -> None:
    """Nobody writes down that it left the table: the time thought after it counts, and a rival may point at it."""
    back = en.Ruled(FindingKind.WRONG_DOMINO, 2, Decision.CONTINUE)
    claim = en.TimeClaimed(0, think_ms=16_000)
    judgement = judge(record(Laid(6, 3, End.FIRST), Laid(4, 5, End.R), back, claim, params=fours()))
    assert judgement.state.needs_referee == "overtime"


def test_judge_counts_thinking_times_and_claims() -> None:
    """Sixteen seconds are too long, a rival may say so; the time is written with the claim or with the move."""
    claim = en.TimeClaimed(0, think_ms=16_000)
    judgement = judge(record(Laid(6, 1, End.FIRST, think_ms=15_000), claim, Laid(1, 2, End.R, think_ms=17_000)))
    assert told(judgement) == ["time_claim", "overtime", "overtime", "unfinished"]
    assert judgement.state.needs_referee == "overtime"


def test_judge_brings_the_warnings_of_earlier_games() -> None:
    """Three warnings in earlier games and one in this: the pair is out of the competition."""
    written = replace(record(Laid(6, 1, End.FIRST), en.Warned(2, "talk")), warned=(3, 0), tags=(("Event", "Cup"),))
    judgement = judge(written)
    assert judgement.state.expelled == (Pair.A,)
    assert judgement.state.ledger.expelled("Cup", 4) == (("Ann", "Cleo"),)


def test_nothing_is_recorded_where_nothing_was_played() -> None:
    """Events without a game make no record."""
    with pytest.raises(NothingPlayed, match="expected the events of a game"):
        record_of(())


def test_record_of_a_game_holds_only_what_stands() -> None:
    """A move that was taken back is not in the record, nor is what followed from it."""
    table: Table = at_the_table(moves=3)
    before = record_of(table.happened)
    table.lay(6, 6, "R")
    table.do(cmd.Undo(table.now))
    assert record_of(table.happened) == before


def test_example_that_comes_with_the_project_is_the_one_of_the_page_and_is_clean() -> None:
    """The written game that the README judges is the worked example of docs/notation.md, and clean."""
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "example.dom").read_text(encoding="utf-8")
    assert text in (docs / "notation.md").read_text(encoding="utf-8")
    judgement = judge(parse_record(text))
    assert judgement.is_clean
    assert judgement.state.points == (2.0, 0.0)


def test_lead_that_was_drawn_for_a_set_is_judged_so() -> None:
    """Written before the set, as `record_of` writes it: the seat drawn leads, and the next set asks anew."""
    rules = fours(adjudication=Adjudication.AUTO, next_lead=NextLead.DRAW)
    drawn = SetRecord(2, before=(en.LeadDrawn(2),), entries=(Laid(6, 1, End.FIRST),))
    judgement = judge(replace(record(*LOCKED_SET, params=rules), sets=(*record(*LOCKED_SET).sets, drawn)))
    assert not [verdict for verdict in judgement.verdicts if verdict.kind == "refused"]
    assert (judgement.state.lead, judgement.state.turn) == (Seat.S2, Seat.S3)


def test_warnings_of_players_without_names_are_not_mixed_up() -> None:
    """Nobody wrote the names: pair A's three warnings are not pair B's."""
    written = replace(record(Laid(6, 1, End.FIRST), en.Warned(1, "talk")), warned=(3, 0), names=("", "", "", ""))
    judgement = judge(written)
    assert [judgement.state.competition_warnings_of(pair) for pair in Pair] == [3, 1]
    assert not judgement.state.expelled


def test_domino_laid_out_of_turn_is_no_fault_of_the_record() -> None:
    """It happened, was found and ruled on: the record is clean all the same."""
    ruled = en.Ruled(FindingKind.OUT_OF_TURN, 0, Decision.CONFIRM)
    judgement = judge(record(Laid(6, 1, End.FIRST), Laid(1, 1, End.R, seat=3), ruled, Laid(1, 2, End.R)))
    assert judgement.state.warnings_of(Pair.B) == 1
    assert judgement.is_clean


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (parse_record, '[Lead "0"]\n[RuleSet "fours"]\nset 1\n66' + " P" * 500),
        (
            parse_jsonl,
            '{"record":1,"ruleset":"fours","lead":0}\n{"set":1}\n{"play":[6,6],"end":"first"}\n'
            + '{"pass":true}\n' * 500,
        ),
    ],
)
def test_set_without_end_is_refused(reader: Callable[[str], Record], text: str) -> None:
    """No set has four hundred passes: a file that goes on and on is told so, and does not keep the judge for ever."""
    with pytest.raises(NotationError, match="at most 400 moves and passes in a set"):
        reader(text)
