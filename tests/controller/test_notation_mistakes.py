"""What is no record: refused at its place, in time that grows with its length only; nothing else comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.events import Ending, FindingKind
from controller.game.tiles import End
from controller.record import entries as en
from controller.record.notation import NotationError, format_record, parse_record
from controller.record.record import Record, SetMark, SetRecord
from tests.controller.records import MANY, SIMPLE, records, slipped

HEAD = '[RuleSet "fours"] [Lead "0"]\n'
REFUSED = [
    ("", 1, 1, '[RuleSet "..."]'),
    ('[Lead "0"]\n  set 1', 2, 3, '[RuleSet "..."]'),
    ('[RuleSet "fours"]\n  set 1', 2, 3, '[Lead "..."]'),
    ('[RuleSet "sixes"]', 1, 10, "fours or spots"),
    ('[Lead "4"]', 1, 7, "a seat, 0 to 3"),
    ('[Lead "٣"]', 1, 7, "a seat, 0 to 3"),
    ('[Notation "2"]', 1, 11, "notation 1"),
    ('[Lead "0"]\n[Lead "1"]', 2, 2, "tag Lead once"),
    ("[Lead 0]", 1, 7, "the tag's value in quotes"),
    ('[Lead "0"', 1, 10, "a closing ]"),
    ('[9 "0"]', 1, 2, "a tag's name"),
    ('[Event "a\nb"]', 1, 10, 'a closing "'),
    ('[Event "a', 1, 8, 'a closing "'),
    ('[Event "a\0"]', 1, 10, "a character that can be seen"),
    ('[Event "\ud800"]', 1, 9, "a character that can be seen"),
    ('[Event "\\ud800"]', 1, 9, "a whole character"),
    ('[Event "\\q"]', 1, 9, "one of"),
    ('[rule_set "fours"]', 1, 2, "a parameter of the rules"),
    ('[lock_ties "half"]', 1, 2, "a parameter of the rules"),
    (HEAD + '[lock_tie "half"]\n[wrong_domino_alert "loud"]', 3, 21, "wrong_domino_alert to be one of"),
    (HEAD + '[sets_in_game "5"]', 2, 15, "sets_in_game to be a multiple of 4"),
    (HEAD + '[sets_in_game "4.0"]', 2, 15, "a whole number"),
    (HEAD + '[think_seconds "1e999"]', 2, 16, "think_seconds between 1 and 600"),
    (HEAD + '[think_seconds "nan"]', 2, 16, "a number"),
    (HEAD + '[fines_stack "yes"]', 2, 14, "true or false"),
    (HEAD + '[scoring "spots"]', 2, 10, "scoring and ladder of one text"),
    (HEAD + '[Warned "1"]', 2, 9, "warnings of both pairs"),
    (HEAD + '[Result "2.3:1"]', 2, 9, "points of both pairs"),
    (HEAD + "64", 2, 1, "set and its number"),
    (HEAD + "set 0", 2, 5, "the set's number, 1 to 9999"),
    (HEAD + "set one", 2, 5, "the set's number"),
    (HEAD + "set 1 lead 4", 2, 12, "a seat, 0 to 3"),
    (HEAD + "set 1\n64 >42", 3, 4, "a move (64, R42, L62)"),
    (HEAD + "set 1\n６４", 3, 1, "a move (64, R42, L62)"),
    (HEAD + "set 1\n6\u06644", 3, 1, "a move (64, R42, L62)"),
    (HEAD + "set 1\n64\0", 3, 1, "a move (64, R42, L62)"),
    (HEAD + "set 1\n100:64", 3, 1, "a move (64, R42, L62)"),
    (HEAD + "set 1\n64 R422", 3, 4, "a move (64, R42, L62)"),
    (HEAD + 'set 1\n64 [Event "late"]', 3, 4, "a move (64, R42, L62)"),
    (HEAD + "set 1\n1. 64 3. P", 3, 7, "2. as the number"),
    (HEAD + "set 1\n1. 64 2. !undo", 3, 10, "a move or pass after its number"),
    (HEAD + "set 1\n64@1@2", 3, 5, "one time on the set's clock"),
    (HEAD + "set 1\n64/1/2", 3, 5, "a thinking time (/) once"),
    (HEAD + "set 1\n!resume /1", 3, 9, "a thinking time (/) once, and after a move"),
    (HEAD + "set 1\n64@1.2345", 3, 3, "at most 3 decimals"),
    (HEAD + "set 1\n64@1000000", 3, 3, "seconds below a million"),
    (HEAD + "set 1\n!shout", 3, 1, "one of !warn"),
    (HEAD + "set 1\n!warn Ann", 3, 7, "a seat, 0 to 3"),
    (HEAD + "set 1\n!warn 1 by Smirnov", 3, 12, "a name in quotes"),
    (HEAD + 'set 1\n!warn 1 by chief "Smirnov"', 3, 12, "a name in quotes"),
    (HEAD + "set 1\n64 P !rule 3 wrong_pass", 3, 12, "the number of one of the 2 moves and passes before it"),
    (HEAD + "set 1\n64 !rule 0 wrong_pass", 3, 10, "the number of one of the 1 moves and passes before it"),
    (HEAD + "set 1\n!attribute 1 to 2", 3, 12, "the number of one of the 0 moves and passes before it"),
    (HEAD + "set 1\n64 !rule 1 wrong", 3, 12, "one of wrong_domino"),
    (HEAD + "set 1\n64 !correct 1 43", 3, 15, "to and a domino"),
    (HEAD + "set 1\n!show 1 4", 3, 9, "a domino of two digits"),
    (HEAD + "set 1\n!claim money 1", 3, 8, "one of time redeal"),
    (HEAD + "set 1\n!claim redeal 1 ()", 3, 18, "a domino of two digits"),
    (HEAD + "set 1\n!claim redeal 1 (" + "11 " * 29, 3, 102, "at most 28 dominoes"),
    (HEAD + "set 1\n= (11 | 22 | 33)", 3, 16, "a domino or |"),
    (HEAD + "set 1\n= (1 | 2 | 3 | 4 | 5)", 3, 4, "a domino of two digits"),
    (HEAD + "set 1\n= 11 | 22 | 33 | 44", 3, 3, "( and the four hands"),
    (HEAD + "set 1\n{a {b}", 3, 4, "a closing }"),
    (HEAD + "set 1\n\n {a", 4, 2, "a closing } for this one"),
    (HEAD + "set 1\n}", 3, 1, "a move (64, R42, L62)"),
    (HEAD + "set 1\nend", 3, 4, "points of both pairs"),
    (HEAD + "set 1\nend 1:0", 3, 8, "one of out deadlock"),
    (HEAD + "set 1\nend 1:0 luck", 3, 9, "one of out deadlock"),
    (HEAD + "set 1\nend 1:0 out spots 5", 3, 19, "spots of both pairs"),
    (HEAD + "set 1\nend * 64", 3, 7, "set and its number"),
]


@pytest.mark.parametrize(("text", "line", "column", "expected"), REFUSED, ids=[str(n) for n in range(len(REFUSED))])
def test_mistake_is_told_with_its_place(text: str, line: int, column: int, expected: str) -> None:
    """What is no record is refused at the line and column of the first mistake, with what should stand there."""
    with pytest.raises(NotationError) as caught:
        parse_record(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: expected ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[Event Spring "Cup"]', "line 2, column 8: expected the tag's value in quotes, got 'Spring'"),
        ("set one", "line 2, column 5: expected the set's number, got 'one'"),
        ('set "1"', "line 2, column 5: expected the set's number, got a quoted text '1'"),
        ("set {1}", "line 2, column 5: expected the set's number, got a note '1'"),
        ("set @1", "line 2, column 5: expected the set's number, got '@1'"),
        ("set )", "line 2, column 5: expected the set's number, got ')'"),
        ("set", "line 2, column 4: expected the set's number, got the end of the record"),
        ("set " + "9" * 30, f"line 2, column 5: expected the set's number, got '{'9' * 24}...'"),
        ("set \0", r"line 2, column 5: expected the set's number, got '\x00'"),
    ],
)
def test_mistake_is_told_in_one_sentence(text: str, told: str) -> None:
    """The sentence says what came as a person would name it, and never more than the beginning of it."""
    with pytest.raises(NotationError) as caught:
        parse_record(HEAD + text)
    assert str(caught.value) == told


def test_column_counts_characters_as_a_person_does() -> None:
    """Russian letters before a mistake count one each, and a carriage return begins no second line."""
    with pytest.raises(NotationError, match=r"^line 2, column 16: expected a closing \} for this one, got the end"):
        parse_record('[RuleSet "fours"][Lead "0"]\r\n{Вера}!call 1{}{')


ODD_WORDS = [
    *'"[]{}\\()|=-?/@',
    "[Event",
    '"x"',
    "{n}",
    "٣",
    "６４",
    "\0",
    "\ud800",
    "9" * 20,
    "1.",
    "3.",
    "2:",
    "<12>3",
    "xx",
]
GOOD_WORDS = [
    *{word for text, _, _, _ in REFUSED for word in text.split()},
    *format_record(SIMPLE).split(),
]
WORDS = st.sampled_from(ODD_WORDS) | st.sampled_from(sorted(GOOD_WORDS))


def check_parse(text: str) -> None:
    """Nothing but a record or a NotationError with a place in the text comes of it, and a record is written again."""
    try:
        record = parse_record(text)
    except NotationError as error:
        mistake = error
    else:
        assert parse_record(format_record(record)) == record
        return
    assert mistake.line <= text.count("\n") + text.count("\r") + 1
    assert 1 <= mistake.column <= len(text) + 1
    assert str(mistake).isprintable()
    assert len(str(mistake)) < 600


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(st.characters(), max_size=30) | st.lists(WORDS, max_size=12).map(" ".join))
def test_any_words_at_all_are_a_record_or_a_mistake_with_its_place(text: str) -> None:
    """Whatever is held before the reader, it reads it or says where it cannot."""
    check_parse(text)
    check_parse(f"{HEAD}set 1 64 {text}")


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.data(), records())
def test_slips_of_the_pen_are_a_record_or_a_mistake_with_its_place(data: st.DataObject, record: Record) -> None:
    """A good record with a few characters missing, added or changed is read, or refused at some place of it."""
    check_parse(data.draw(slipped(format_record(record), WORDS)))


LONG = {
    "moves": HEAD + "set 1 " + "R42 " * MANY,
    "marks": HEAD + "!warn 1 talk " * MANY,
    "sets": HEAD + "set 1 " * MANY,
    "brackets": HEAD + "(" * MANY,
    "braces": HEAD + "{" * MANY,
    "blanks in a note": HEAD + "{" + " " * MANY * 5 + "x",
    "breaks in a note": HEAD + "{" + "x \n" * MANY,
    "backslashes": '[A "' + "\\\\" * MANY,
    "one word": "x" * MANY * 5,
    "empty lines": "\r\n" * MANY,
    "tags": "".join(f'[A{number} "x"]' for number in range(MANY)),
    "digits": HEAD + "set " + "9" * MANY,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_reader_takes_its_time_by_the_length_of_the_record_only(text: str) -> None:
    """A record of half a million characters, of whatever kind, is read or refused in moments; a test has a minute."""
    check_parse(text)


def test_what_cannot_be_written_cannot_be_recorded() -> None:
    """A record refuses at once what the notation has no way to write."""
    bad: list[Callable[[], object]] = [
        lambda: SetRecord(0),
        lambda: SetRecord(1, entries=(en.Laid(100, 0, End.FIRST),)),
        lambda: SetRecord(1, entries=(en.Skipped(-100),)),
        lambda: SetRecord(1, entries=(en.Skipped(t_ms=-1),)),
        lambda: SetRecord(1, entries=(en.Skipped(think_ms=10**9),)),
        lambda: SetRecord(1, entries=(en.Ruled(FindingKind.WRONG_PASS, 1), en.Skipped())),
        lambda: SetRecord(1, entries=(en.Skipped(), en.Corrected(0, 1, 1))),
        lambda: SetRecord(1, entries=(en.Note("\ud800"),)),
        lambda: SetRecord(1, entries=(en.RedealClaimed(0, ((0, 0),) * 29),)),
        lambda: SetRecord(1, result=SetMark(Ending.OUT, (0.3, 0.7))),
        lambda: SetRecord(1, result=SetMark(Ending.OUT, (10_000, 0))),
        lambda: SetRecord(1, result=SetMark(Ending.OUT, (1, 0), (10_000, 0))),
        lambda: replace(SIMPLE, sets=(SetRecord(1, before=(en.Skipped(),)),)),
        lambda: replace(SIMPLE, after=(en.Attributed(1, 2),)),
        lambda: replace(SIMPLE, tags=(("Lead", "1"),)),
        lambda: replace(SIMPLE, tags=(("A", "1"), ("A", "2"))),
        lambda: replace(SIMPLE, tags=(("lower", "1"),)),
        lambda: replace(SIMPLE, names=("\ud800", "", "", "")),
        lambda: replace(SIMPLE, warned=(0, 1000)),
        lambda: replace(SIMPLE, result=(0.25, 0)),
    ]
    for make in bad:
        with pytest.raises(ValueError, match=r"^expected "):
            make()
