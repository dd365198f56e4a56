"""Records as JSON Lines: the same game as in the notation, the worked cases' own form, mistakes with their place."""

from __future__ import annotations

import json
import re
import typing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.rulesets import Adjudication
from controller.game.tiles import End, Pair, Seat
from controller.record import entries as en
from controller.record.entries import Entry, Warned
from controller.record.json_lines import format_jsonl, parse_case, parse_jsonl, read_record
from controller.record.notation import format_record, parse_record
from controller.record.notation_lexer import NotationError
from controller.record.record import Record
from tests.controller.records import MANY, entries_about, records, slipped, with_entries

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "notation.md").read_text(encoding="utf-8")
CASES = [json.loads(line) for line in (TESTS / "data" / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
PLAYED = [case for case in CASES if "events" in case["given"]]
HEAD = '{"ruleset":"fours","lead":0}\n'
SET = HEAD + '{"set":1}\n{"play":[6,4],"end":"first"}\n'
KINDS = typing.get_args(en.Entry)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(records())
def test_record_is_read_back_as_it_was_written(record: Record) -> None:
    """Whatever can stand in a record comes back from its lines, which are the only lines for it."""
    text = format_jsonl(record)
    assert parse_jsonl(text) == record
    assert format_jsonl(parse_jsonl(text)) == text
    assert all(isinstance(json.loads(line), dict) for line in text.removesuffix("\n").split("\n"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(deadline=None, derandomize=True, max_examples=20)
@given(data=st.data())
def test_entry_of_each_kind_is_read_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    """No kind of entry loses anything on its way through a program."""
    record = with_entries(en.Laid(6, 6, End.FIRST), data.draw(entries_about(1)[kind]))
    assert parse_jsonl(format_jsonl(record)) == record


@settings(deadline=None, derandomize=True, max_examples=30)
@given(records())
def test_either_form_is_recognised(record: Record) -> None:
    """A record may be handed over in either form, without saying which."""
    assert read_record(format_jsonl(record)) == record
    assert read_record(format_record(record)) == record
    assert read_record("\ufeff\r\n " + format_jsonl(record).replace("\n", "\r\n")) == record


def test_both_forms_of_the_page_are_one_game() -> None:
    """The worked game of the page stands there twice, word for word and line for line the same."""
    text = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    lines = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0]
    assert parse_jsonl(lines) == parse_record(text)
    assert format_jsonl(parse_record(text)) == lines


@pytest.mark.parametrize("case", PLAYED, ids=[case["id"] for case in PLAYED])
def test_worked_case_is_a_record(case: dict[str, Any]) -> None:
    """The events of a worked case are entries as they stand, and are written again just as its author wrote them."""
    record = parse_case(json.dumps(case))
    assert record.params.rule_set.value == case["ruleset"]
    assert record.lead == case["given"]["lead"]
    assert record.tag("Game") == case["id"]
    assert len(record.sets[0].before) == sum(case["given"].get("context", {}).get("warn_game", []))
    assert parse_record(format_record(record)) == record
    lines = [json.loads(line) for line in format_jsonl(record).splitlines()]
    begin = lines.index({"set": 1}) + 1
    wanted = [{key: value for key, value in event.items() if value is not None} for event in case["given"]["events"]]
    assert lines[begin:-1] == wanted


def test_case_stands_under_its_own_rules_and_warnings() -> None:
    """Its parameters, findings that confirm themselves, and the warnings given before are in the record."""
    given = {"lead": 3, "events": [], "context": {"warn_game": [1, 2], "warn_comp": [3, 2]}}
    case = {"id": "A", "ruleset": "spots", "params": {"lock_tie": "carry"}, "given": given, "expect": {}}
    record = parse_case(json.dumps(case))
    assert record.params.adjudication is Adjudication.AUTO
    assert record.params.lock_tie.value == "carry"
    assert record.warned == (2, 0)
    assert record.sets[0].before == (Warned(0, "talk"), Warned(1, "talk"), Warned(1, "talk"))


@pytest.mark.parametrize("case", [case for case in CASES if case not in PLAYED], ids=lambda case: case["id"])
def test_case_without_events_is_no_record(case: dict[str, Any]) -> None:
    """A case about scores or seats has nothing that could be played through."""
    with pytest.raises(NotationError, match=r"^line 1, column 1: expected "):
        parse_case(json.dumps(case))


READ: list[tuple[str, Entry]] = [
    ('{"play":[3],"end":"first"}', en.Laid(3, -1, End.FIRST)),
    ('{"seat":4,"play":[7,7],"end":"L","wrong":true,"t":5}', en.Laid(7, 7, End.L, 4, is_marked_wrong=True, t_ms=5000)),
    ('{"pass":true,"voice":true,"think":0.001}', en.Skipped(is_by_voice=True, think_ms=1)),
    ('{"reveal":[[],null,[[1,2],[3]],[]],"by":"Ann"}', en.Shown(((), None, ((1, 2), (3, -1)), ()), "Ann")),
    ('{"referee":"waive"}', en.CountWaived()),
    ('{"referee":"warning","seat":3,"reason":"talk"}', en.Warned(3, "talk")),
    ('{"referee":"warning","reason":"talk","pair":"A"}', en.Warned(reason="talk", pair=Pair.A)),
    ('{"referee":"wrong_domino","event":0,"decision":null}', en.Ruled(FindingKind.WRONG_DOMINO, 1)),
    (
        '{"chief_referee":"wrong_pass","decision":"confirm"}',
        en.Ruled(FindingKind.WRONG_PASS, 0, Decision.CONFIRM, is_chief=True),
    ),
    (
        '{"chief_referee":"replay","reason":"exposed_tiles","seat":3}',
        en.Restarted(en.Again.REPLAY, "exposed_tiles", seat=3, is_chief=True),
    ),
    ('{"referee":"restart","event":0}', en.Restarted(en.Again.RESTART, act=1)),
    ('{"referee":"reveal"}', en.RevealOrdered()),
    ('{"referee":"attribute","event":0,"seat":1}', en.Attributed(1, 1)),
    ('{"referee":"correct","event":0,"play":[4,3]}', en.Corrected(1, 4, 3)),
    ('{"referee":"exposed","seat":1,"tile":[4,3],"last_set":true}', en.ExposedTile(1, (4, 3), in_last_set=True)),
    ('{"seat":1,"claim":"time","t":15.5}', en.TimeClaimed(1, t_ms=15500)),
    ('{"seat":1,"claim":"redeal","hand":[[0,0]]}', en.RedealClaimed(1, ((0, 0),))),
    ('{"referee":"draw","drawn":[[6,4],[1,0],[2,2],[5,3]]}', en.DominoesDrawn(((6, 4), (1, 0), (2, 2), (5, 3)))),
    ('{"referee":"lead","seat":3}', en.LeadDrawn(3)),
    ('{"seat":2,"call":"referee"}', en.Called(2)),
    ('{"referee":"undo"}', en.TakenBackAct()),
    ('{"referee":"pause"}', en.Paused()),
    ('{"referee":"resume"}', en.Resumed()),
    ('{"note":"\\u0412\\u0435\\u0440\\u0430"}', en.Note("Вера")),
]


@pytest.mark.parametrize(("line", "entry"), READ, ids=[type(entry).__name__ for _, entry in READ])
def test_entry_is_read_just_so(line: str, entry: Entry) -> None:
    """Each kind of entry has keys of its own; an event is counted from 0 over every entry of its set."""
    assert parse_jsonl(SET + line).sets[0].entries == (en.Laid(6, 4, End.FIRST), entry)


def test_table_shows_every_kind_of_entry() -> None:
    """No kind of entry is left out of the list of how each is read."""
    assert {type(entry) for _, entry in READ} == set(KINDS)


def test_events_are_counted_over_notes_and_marks_too() -> None:
    """A ruling finds its move by the place among all entries of the set, or of the set before."""
    note, skip, ruling = '{"note":""}\n', '{"pass":true}\n', '{"referee":"wrong_pass","event":2}\n'
    record = parse_jsonl(
        SET + note + skip + '{"result":null}\n' + ruling + '{"set":2,"lead":3}\n' + note * 2 + skip + ruling
    )
    first, second = record.sets
    assert second.before == (en.Ruled(FindingKind.WRONG_PASS, 2),)
    assert second.entries[-1] == en.Ruled(FindingKind.WRONG_PASS, 1)
    assert (first.lead, second.lead) == (None, Seat.S3)


REFUSED = [
    ("", 1, 1, "the head of a record"),
    ("[]", 1, 1, "a JSON object"),
    ('\n{"lead":0}', 2, 1, "ruleset in this object"),
    ('{"ruleset":"sixes","lead":0}', 1, 1, "ruleset to be one of fours, spots"),
    ('{"ruleset":"fours","lead":4}', 1, 1, "lead to be a whole number <= 3"),
    ('{"ruleset":"fours","lead":0,"record":2}', 1, 1, "record 1"),
    ('{"ruleset":"fours","lead":0,"nmaes":[]}', 1, 1, "no 'nmaes' in this object"),
    ('{"ruleset":"fours","lead":0,"names":["","",""]}', 1, 1, "names to be a list of length 4"),
    ('{"ruleset":"fours","lead":0,"params":{"lock_tie":"x"}}', 1, 1, "lock_tie to be one of"),
    ('{"ruleset":"fours","lead":0,"params":{"sets":4}}', 1, 1, "one of the parameters"),
    ('{"ruleset":"fours","lead":0,"params":{"rule_set":"spots"}}', 1, 1, "ruleset and version beside params"),
    ('{"ruleset":"fours","lead":0,"tags":{"Lead":"1"}}', 1, 1, "a tag's name"),
    (HEAD + '{"set":1', 2, 9, "a JSON object"),
    (HEAD + '{"é":1]', 2, 7, "a JSON object"),
    (HEAD + '{"set":1}}', 2, 10, "a JSON object"),
    (HEAD + '{"note":"\ud800"}', 2, 10, "a whole character"),
    (HEAD + "[" * 5000, 2, 1, "a JSON object"),
    (HEAD + '{"set":' + "[" * 900 + "]" * 900 + "}", 2, 1, "a JSON object"),
    (HEAD + '{"set":0}', 2, 1, "set to be a whole number >= 1"),
    (HEAD + '{"set":' + "9" * 400 + "}", 2, 1, "set to be a whole number <= 9999"),
    (HEAD + '{"play":[6,4],"end":"first"}', 2, 1, 'a line such as {"set":1}'),
    (HEAD + '{"result":[1,0],"by":"out"}', 2, 1, "the result of a set after its set line"),
    (HEAD + '{"set":1,"leed":0}', 2, 1, "no 'leed' in this object"),
    (SET + '{"result":null,"why":""}', 4, 1, "no 'why' in this object"),
    (SET + '{"result":[1,0]}', 4, 1, "by in the result of a set"),
    (SET + '{"result":null,"by":"out"}', 4, 1, "neither by nor spots"),
    (SET + '{"result":[1,0],"by":"luck"}', 4, 1, "by to be one of out, deadlock"),
    (SET + '{"result":[1,0.3],"by":"out"}', 4, 1, "result[1] to be a number that's a multiple of 0.5"),
    (SET + '{"play":[6,4],"end":"up"}', 4, 1, "end to be one of first, L, R"),
    (SET + '{"play":[6,4]}', 4, 1, "end in this entry"),
    (SET + '{"play":[],"end":"R"}', 4, 1, "play to be a list of length >= 1"),
    (SET + '{"play":[6,4,2],"end":"R"}', 4, 1, "play to be a list of length <= 2"),
    (SET + '{"play":[6,100],"end":"R"}', 4, 1, "play[1] to be a whole number <= 99"),
    (SET + '{"play":[6,true],"end":"R"}', 4, 1, "play[1] to be a whole number"),
    (SET + '{"pass":false}', 4, 1, "an entry: play, pass: true"),
    (SET + '{"pass":1}', 4, 1, "an entry: play, pass: true"),
    (SET + '{"pass":true,"seet":1}', 4, 1, "no 'seet' in this entry"),
    (SET + '{"pass":true,"t":-1}', 4, 1, "t to be a number >= 0"),
    (SET + '{"pass":true,"t":1e6}', 4, 1, "t to be a number <= 999999.999"),
    (SET + '{"pass":true,"t":1.2345}', 4, 1, "seconds with at most 3 decimals"),
    (SET + '{"pass":true,"t":1e999}', 4, 1, "a JSON object"),
    (SET + '{"reveal":[[],[],[]]}', 4, 1, "reveal to be a list of length 4"),
    (SET + '{"claim":"money","seat":1}', 4, 1, "an entry"),
    (SET + '{"claim":"time"}', 4, 1, "seat in this entry"),
    (SET + '{"claim":"time","seat":1,"hand":[]}', 4, 1, "no 'hand' in this entry"),
    (SET + '{"referee":"shout"}', 4, 1, "referee to be one of warning"),
    (SET + '{"referee":["warning"]}', 4, 1, "referee to be one of warning"),
    (SET + '{"chief_referee":"warning","seat":1}', 4, 1, "a ruling, restart or replay"),
    (SET + '{"referee":"wrong_pass","event":1}', 4, 1, "event to be the number of a move or pass before it"),
    (SET + '{"referee":"wrong_pass","event":-1}', 4, 1, "event to be the number of a move or pass before it"),
    (SET + '{"note":""}\n{"referee":"wrong_pass","event":1}', 5, 1, "event to be the number of a move or pass"),
    (SET + '{"referee":"wrong_pass","decision":"perhaps"}', 4, 1, "decision to be one of continue"),
    (SET + '{"referee":"attribute","seat":1}', 4, 1, "event in this entry"),
]


@pytest.mark.parametrize(("text", "line", "column", "expected"), REFUSED, ids=[str(n) for n in range(len(REFUSED))])
def test_mistake_is_told_with_its_place(text: str, line: int, column: int, expected: str) -> None:
    """What is no record is refused at its line, and where it is no JSON at its column, with what should stand there."""
    with pytest.raises(NotationError) as caught:
        parse_jsonl(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: expected ")
    assert expected in str(caught.value)


GOOD_WORDS = {word for text, _, _, _ in REFUSED for word in re.findall(r'"[^"]*"|[\[\]{}:,]|[0-9.]+|\n', text)}
WORDS = st.sampled_from(sorted(GOOD_WORDS)) | st.sampled_from(["null", "true", "1e999", "\ud800", '"\\ud800"', "\0"])


def check_parse(text: str) -> None:
    """Nothing but a record or a NotationError with a place in the text comes of it, and a record is written again."""
    try:
        record = parse_jsonl(text)
    except NotationError as error:
        mistake = error
    else:
        assert parse_jsonl(format_jsonl(record)) == record
        assert parse_record(format_record(record)) == record
        return
    assert 1 <= mistake.line <= text.count("\n") + 1
    assert 1 <= mistake.column <= len(text.split("\n")[mistake.line - 1]) + 1
    assert str(mistake).isprintable()


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(st.characters(), max_size=30) | st.lists(WORDS, max_size=12).map("".join))
def test_any_words_at_all_are_a_record_or_a_mistake_with_its_place(text: str) -> None:
    """Whatever a program sends, it is read, or refused with a place."""
    check_parse(text)
    check_parse(f"{SET}{{{text}}}")


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.data(), records())
def test_slips_of_a_program_are_a_record_or_a_mistake_with_its_place(data: st.DataObject, record: Record) -> None:
    """Good lines with a few characters missing, added or changed are read, or refused at some place of them."""
    check_parse(data.draw(slipped(format_jsonl(record), WORDS)))


LONG = {
    "moves": SET + '{"pass":true}\n' * MANY,
    "sets": HEAD + '{"set":1}\n' * MANY,
    "objects": HEAD + '{"a":' * MANY,
    "digits": HEAD + '{"set":' + "9" * MANY + "}",
    "a text": HEAD + '{"note":"' + "\\u0000" * MANY + '"}',
    "empty lines": "\r\n" * MANY,
    "a wide line": HEAD + "[" + "[]," * MANY + "[]]",
    "keys": HEAD + "{" + ",".join(f'"{number}":[]' for number in range(MANY)) + "}",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_reader_takes_its_time_by_the_length_of_the_record_only(text: str) -> None:
    """Lines without end, of whatever kind, are read or refused in moments; a test has a minute."""
    check_parse(text)
