"""The notation: what is written is read back the same, in the one form that docs/notation.md tells of."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind
from controller.game.line import Line
from controller.game.rulesets import WrongDominoAlert, spots
from controller.game.tiles import End, Pair, Seat, Suit, Tile
from controller.record import entries as en
from controller.record.entries import Again, Entry
from controller.record.notation import format_record, parse_record
from controller.record.notation_lexer import NotationError
from controller.record.record import Record, SetMark
from tests.controller.records import MANY, entries_about, records, texts, with_entries

PAGE = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
KINDS = typing.get_args(en.Entry)
HEAD = '[RuleSet "fours"] [Lead "0"]\n'


def entries_of(text: str) -> tuple[Entry, ...]:
    """The entries of a first set in which these words stand."""
    return parse_record(f"{HEAD}set 1\n{text}").sets[0].entries


@settings(deadline=None, derandomize=True, max_examples=100)
@given(records())
def test_record_is_read_back_as_it_was_written(record: Record) -> None:
    """Whatever can stand in a record comes back from its text, which is the only text for it."""
    text = format_record(record)
    assert parse_record(text) == record
    assert format_record(parse_record(text)) == text


@settings(deadline=None, derandomize=True, max_examples=50)
@given(records())
def test_written_record_keeps_to_the_width_of_a_page(record: Record) -> None:
    """No line is longer than 120 characters, nor does one end in blanks or hold a character nobody can see."""
    for line in format_record(record).splitlines():
        assert len(line) <= 120
        assert line == line.rstrip(" ")
        assert not re.search("[\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff]", line)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(deadline=None, derandomize=True, max_examples=20)
@given(data=st.data())
def test_entry_of_each_kind_is_read_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    """No kind of entry loses anything on its way over the paper."""
    record = with_entries(en.Laid(6, 6, End.FIRST), data.draw(entries_about(1)[kind]))
    assert parse_record(format_record(record)) == record


WRITTEN: list[tuple[str, Entry]] = [
    ("64", en.Laid(6, 4, End.FIRST)),
    ("R42", en.Laid(4, 2, End.R)),
    ("L62", en.Laid(6, 2, End.L)),
    ("2:R44", en.Laid(4, 4, End.R, 2)),
    ("4:P", en.Skipped(4)),
    ("Pv", en.Skipped(is_by_voice=True)),
    ("R46?", en.Laid(4, 6, End.R, is_marked_wrong=True)),
    ("77", en.Laid(7, 7, End.FIRST)),
    ("3x", en.Laid(3, -1, End.FIRST)),
    ("-1:L<12><-3>?", en.Laid(12, -3, End.L, -1, is_marked_wrong=True)),
    ("R42/3.214@20.5", en.Laid(4, 2, End.R, think_ms=3214, t_ms=20500)),
    ("P/0.05", en.Skipped(think_ms=50)),
    ("= (65 11 | 3x | - | ?) @7", en.Shown((((6, 5), (1, 1)), ((3, -1),), (), None), t_ms=7000)),
    ('= (- | - | - | -) by "Smirnov"', en.Shown(((), (), (), ()), "Smirnov")),
    ("!waive", en.CountWaived()),
    ("!warn 2 talk", en.Warned(2, "talk")),
    ("!warn 2", en.Warned(2)),
    ("!warn B talk", en.Warned(reason="talk", pair=Pair.B)),
    ('!warn 2 "seat" by "Smirnov"', en.Warned(2, "seat", "Smirnov")),
    ("!rule wrong_pass confirm", en.Ruled(FindingKind.WRONG_PASS, 0, Decision.CONFIRM)),
    ("!rule 1 wrong_domino", en.Ruled(FindingKind.WRONG_DOMINO, 1)),
    ("!rule 1 wrong_domino lost by chief", en.Ruled(FindingKind.WRONG_DOMINO, 1, Decision.LOST, is_chief=True)),
    ("!restart", en.Restarted(Again.RESTART)),
    ("!restart player_unknown act 1", en.Restarted(Again.RESTART, "player_unknown", 1)),
    (
        '!replay exposed_tiles seat 3 by chief "Smirnov"',
        en.Restarted(Again.REPLAY, "exposed_tiles", 0, 3, "Smirnov", is_chief=True),
    ),
    ("!reveal", en.RevealOrdered()),
    ("!attribute 1 to 3", en.Attributed(1, 3)),
    ("!correct 1 to 43", en.Corrected(1, 4, 3)),
    ("!show 1 43", en.ExposedTile(1, (4, 3))),
    ("!show 1 43 last", en.ExposedTile(1, (4, 3), in_last_set=True)),
    ("!claim time 2 /17.2 @20.5", en.TimeClaimed(2, 17200, 20500)),
    ("!claim redeal 1", en.RedealClaimed(1)),
    ("!claim redeal 1 (00 11)", en.RedealClaimed(1, ((0, 0), (1, 1)))),
    ("!claim redeal 1 (-)", en.RedealClaimed(1, ())),
    ("!draw 64 10 22 53", en.DominoesDrawn(((6, 4), (1, 0), (2, 2), (5, 3)))),
    ("!lead 3", en.LeadDrawn(3)),
    ("!call 2", en.Called(2)),
    ("!undo", en.TakenBackAct()),
    ("!pause @30", en.Paused(t_ms=30000)),
    ("!resume", en.Resumed()),
    ("{Ann was late}", en.Note("Ann was late")),
    ("{} @1", en.Note("", 1000)),
]


@pytest.mark.parametrize(("text", "entry"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_entry_is_written_just_so(text: str, entry: Entry) -> None:
    """Each kind of entry has one way of being written, which is read as that entry."""
    assert entries_of(f"66 {text}") == (en.Laid(6, 6, End.FIRST), entry)
    record = with_entries(en.Laid(6, 6, End.FIRST), entry)
    assert f"66 {text}" in " ".join(format_record(record).split())


def test_table_shows_every_kind_of_entry() -> None:
    """No kind of entry is left out of the list of how each is written."""
    assert {type(entry) for _, entry in WRITTEN} == set(KINDS)


LOOSE = [
    ("1.64 2.r42\t3. p", "1. 64 R42 P"),
    ("6-4 R4-2 l6-6? pV", "64 R42 L66? Pv"),
    ("64 /2.500 @007.0", "64/2.5@7"),
    ("64@7/2", "64/2@7"),
    ("{ a\n   b }", "{a b}"),
    ("{a \\\n  b}", "{a b}"),
    ('!warn 1 "talk"', "!warn 1 talk"),
    ('!warn 1 "a\\u006cas" by ""', "!warn 1 alas"),
    ("= ( 65 11|32|-|40 )", "= (65 11 | 32 | - | 40)"),
]


@pytest.mark.parametrize(("loose", "strict"), LOOSE)
def test_hasty_writing_is_read_and_written_properly(loose: str, strict: str) -> None:
    """Small letters, missing blanks and broken lines of a person in haste mean the same."""
    assert entries_of(loose) == entries_of(strict)
    assert strict in format_record(with_entries(*entries_of(loose)))


def test_line_ends_of_any_machine_are_read() -> None:
    """A file from another system, with or without a mark of its encoding, is the same record."""
    for text in (EXAMPLE.replace("\n", "\r\n"), EXAMPLE.replace("\n", "\r"), "\ufeff" + EXAMPLE):
        assert format_record(parse_record(text)) == EXAMPLE


def test_head_is_read_in_any_order_and_what_is_unknown_is_kept() -> None:
    """Rules, names and warnings come from the head; a tag that nobody knows yet is not lost."""
    text = (
        '[Result "2.5:1.5"] [Weather "rain"] [think_seconds "20"] [RuleSet "spots"] [fines_stack "true"] [Lead "3"]'
        '[Seat2 "Cleo"] [Warned "1:0"] [Event "Spring Cup"] [sets_in_game "6"] [Version "2"]'
        '[wrong_domino_alert "silent"]'
    )
    record = parse_record(text)
    assert record.result == (2.5, 1.5)
    assert record.params == spots(
        think_seconds=20.0,
        fines_stack=True,
        sets_in_game=6,
        version="2",
        wrong_domino_alert=WrongDominoAlert.SILENT,
    )
    assert record.lead is Seat.S3
    assert record.names == ("", "", "Cleo", "")
    assert record.warned == (1, 0)
    assert record.tags == (("Weather", "rain"), ("Event", "Spring Cup"))
    assert record.tag("Event") == "Spring Cup"
    assert record.tag("Site") == ""


def test_what_happens_between_sets_is_kept_apart() -> None:
    """A warning after a set's end stands before the next set, and a ruling there is about the set that ended."""
    record = parse_record(HEAD + "!call 0 set 1 64 P end 0.5:0.5 deadlock !rule 2 wrong_pass set 2 lead 3 end * !pause")
    first, second = record.sets
    assert first.before == (en.Called(0),)
    assert first.result == SetMark(Ending.DEADLOCK, (0.5, 0.5))
    assert second.before == (en.Ruled(FindingKind.WRONG_PASS, 2),)
    assert second.lead is Seat.S3
    assert second.result is None
    assert record.after == (en.Paused(),)


def test_set_without_end_is_one_whose_result_nobody_wrote() -> None:
    """The next heading or the end of the paper closes a set that has no `end`."""
    assert parse_record(HEAD + "set 1 64 set 2") == parse_record(HEAD + "set 1 64 end * set 2 end *")


@pytest.mark.parametrize("text", ["a" * MANY, "a " * MANY, " " * MANY, "\0" * MANY, "\n" * MANY])
def test_long_texts_go_over_many_lines(text: str) -> None:
    """A text of any length is cut into lines, and comes back whole."""
    record = with_entries(en.Note(text), en.Warned(1, text), en.RevealOrdered(text))
    written = format_record(record)
    assert max(map(len, written.splitlines())) <= 120
    assert parse_record(written) == record


@settings(deadline=None, derandomize=True, max_examples=100)
@given(texts)
def test_note_broken_at_a_blank_is_the_same_note(text: str) -> None:
    """However a person's lines are broken and set in, a note's words are what counts."""
    record = with_entries(en.Note(text))
    head, brace, note = format_record(record).partition("{")
    assert parse_record(head + brace + re.sub(r"(?<!\\)\n", "  \r\n\n\t ", note)) == record


def test_page_explains_every_mark_and_word() -> None:
    """A reader of the page finds each mark, finding, decision and ending of a set on it."""
    marks = {text.split()[0] for text, _ in WRITTEN if text.startswith("!")}
    words = [*marks, *(word.value for kind in (FindingKind, Decision, Ending, Again) for word in kind)]
    assert [word for word in words if word not in PAGE] == []


def test_example_of_the_page_is_written_as_the_program_writes_it() -> None:
    """The worked game is in the one form that `format_record` has for it."""
    assert format_record(parse_record(EXAMPLE)) == EXAMPLE


def test_example_of_the_page_is_a_set_by_the_rules() -> None:
    """In its first set every move fits, the passes were due, the last move locks, and the count gives the result."""
    played = parse_record(EXAMPLE).sets[0]
    shown = next(entry for entry in played.entries if isinstance(entry, en.Shown))
    left = [{Tile.of(*halves) for halves in hand or ()} for hand in shown.hands]
    acts = [entry for entry in played.entries if isinstance(entry, en.Laid | en.Skipped)]
    hands = [set(hand) for hand in left]
    for turn, act in enumerate(acts):
        if isinstance(act, en.Laid):
            hands[turn % 4].add(Tile.of(act.inner, act.outer))
    assert [len(hand) for hand in hands] == [7, 7, 7, 7]
    line = Line()
    for turn, act in enumerate(acts):
        assert not line.is_locked
        if isinstance(act, en.Laid):
            assert line.open_suit(act.end) in (None, act.inner)
            line = line.with_tile(Suit(act.inner), Suit(act.outer), act.end, Seat(turn % 4))
            hands[turn % 4].remove(line.placed[0 if act.end is End.L else -1].tile)
        else:
            assert not any(line.is_fitting(tile) for tile in hands[turn % 4])
    assert line.is_locked
    spots_left = [sum(tile.spots for tile in hand) for hand in left]
    assert played.result == SetMark(
        Ending.DEADLOCK, (1, 0), (spots_left[0] + spots_left[2], spots_left[1] + spots_left[3])
    )


def test_quotes_of_a_telephone_are_quotes() -> None:
    """A telephone bends straight quotes: what was meant is read, and written straight again."""
    record = parse_record("[RuleSet “fours”]\n[Lead „0“]\n[Seat0 «Анна»]\nset 1\n66")
    assert record.names[0] == "Анна"
    assert '[Seat0 "Анна"]' in format_record(record)


def test_cyrillic_letter_that_looks_like_a_pass_is_told() -> None:
    """The letters look alike on paper: the mistake says which alphabet it is."""
    with pytest.raises(NotationError, match="got 'Р', which is Cyrillic"):
        parse_record('[RuleSet "fours"]\n[Lead "0"]\nset 1\n66 Р')
