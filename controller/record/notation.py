"""A written record from text and back, head, sets and entries; docs/notation.md is its grammar, nothing is judged."""

from __future__ import annotations

import re
from dataclasses import replace

from controller.game.events import Ending
from controller.game.tiles import Seat
from controller.record.entries import ACTS_LIMIT, Entry, Laid, Skipped
from controller.record.notation_entries import format_entry, is_act_next, parse_entry
from controller.record.notation_lexer import Kind, Tokens
from controller.record.notation_lexer import NotationError as NotationError
from controller.record.notation_tags import format_tags, parse_points, parse_tags, points_word
from controller.record.record import SET_LIMIT, Record, SetMark, SetRecord

WIDTH = 120
"""Columns of a line."""
ROUND = 4
"""Moves and passes of a line: one a seat, so that every column is a seat's."""

_NUMBER = re.compile("[0-9]{1,4}")
_SEAT = re.compile("[0-3]")
_SPOTS = re.compile("(-?[0-9]{1,4}):(-?[0-9]{1,4})")
_ACT_NUMBER = re.compile(r"([0-9]{1,9})\.(.*)")
_ENDINGS = {ending.value: ending for ending in Ending}


def parse_record(text: str) -> Record:
    """The record that is written in `text`.

    Raises:
        NotationError: it does not keep to the notation; the first place where it does not.
    """
    tokens = Tokens(text)
    head = parse_tags(tokens)
    sets: list[SetRecord] = []
    while True:
        before = _parse_between(tokens, sets[-1].acts if sets else 0)
        if tokens.is_next(Kind.END):
            return replace(head, sets=tuple(sets), after=before)
        sets.append(_parse_set(tokens, before))


def format_record(record: Record) -> str:
    """The record as text, in the one form that `parse_record` reads back to an equal record."""
    lines = format_tags(record)
    for played in record.sets:
        lines += ["", *_format_entries(played.before)]
        lead = [] if played.lead is None else ["lead", str(int(played.lead))]
        lines += _filled(["set", str(played.set_no), *lead])
        lines += _format_entries(played.entries)
        lines += _filled(["end", *_format_mark(played.result)])
    if record.after:
        lines += ["", *_format_entries(record.after)]
    return "\n".join(lines) + "\n"


def _parse_between(tokens: Tokens, acts: int) -> tuple[Entry, ...]:
    """Entries up to the next set or the end; `acts` are those of the set before."""
    entries = []
    while not tokens.is_next(Kind.END) and not tokens.is_next(Kind.WORD, "set"):
        if is_act_next(tokens):
            tokens.fail("set and its number before the first move of a set")
        entries.append(parse_entry(tokens, acts))
    return tuple(entries)


def _parse_set(tokens: Tokens, before: tuple[Entry, ...]) -> SetRecord:
    """A set from its heading to its `end`, or to the next heading where that is not written."""
    tokens.take()
    number = tokens.next
    set_no = int(tokens.match(_NUMBER, "the set's number")[0])
    if set_no == 0:
        tokens.fail(f"the set's number, 1 to {SET_LIMIT}", number)
    lead = Seat(int(tokens.match(_SEAT, "a seat, 0 to 3")[0])) if tokens.has(Kind.WORD, "lead") else None
    entries: list[Entry] = []
    acts = 0
    while not (tokens.is_next(Kind.END) or tokens.is_next(Kind.WORD, "set", "end")):
        _check_number(tokens, acts + 1)
        if acts == ACTS_LIMIT and is_act_next(tokens):
            tokens.fail(f"at most {ACTS_LIMIT} moves and passes in a set")
        entries.append(parse_entry(tokens, acts))
        acts += isinstance(entries[-1], Laid | Skipped)
    result = _parse_mark(tokens) if tokens.has(Kind.WORD, "end") else None
    return SetRecord(set_no, lead, before, tuple(entries), result)


def _check_number(tokens: Tokens, act: int) -> None:
    """Take the number of a move or pass, as in `5.`, if one comes; it must be right."""
    found = _ACT_NUMBER.fullmatch(tokens.next.text) if tokens.is_next(Kind.WORD) else None
    if found is None:
        return
    if int(found[1]) != act:
        tokens.fail(f"{act}. as the number of the next move or pass")
    tokens.skip(found.start(2))
    if not is_act_next(tokens):
        tokens.fail("a move or pass after its number")


def _parse_mark(tokens: Tokens) -> SetMark | None:
    """How the set ended: `*`, or points and how they came about."""
    if tokens.has(Kind.WORD, "*"):
        return None
    points = parse_points(tokens.next.text) if tokens.is_next(Kind.WORD) else None
    if points is None:
        tokens.fail("points of both pairs, such as 1:0, or *")
    tokens.take()
    by = tokens.choose(_ENDINGS)
    spots = None
    if tokens.has(Kind.WORD, "spots"):
        found = tokens.match(_SPOTS, "spots of both pairs, such as 12:30")
        spots = (int(found[1]), int(found[2]))
    return SetMark(by, points, spots)


def _format_mark(mark: SetMark | None) -> list[str]:
    if mark is None:
        return ["*"]
    spots = [] if mark.spots is None else ["spots", f"{mark.spots[0]}:{mark.spots[1]}"]
    return [points_word(mark.points), mark.by.value, *spots]


def _format_entries(entries: tuple[Entry, ...]) -> list[str]:
    """Four moves or passes a line, after the number of the first; everything else in lines of its own."""
    lines: list[str] = []
    words: list[str] = []
    acts = 0
    for entry in entries:
        is_act = isinstance(entry, Laid | Skipped)
        if words and (not is_act or acts % ROUND == 0):
            lines += _filled(words)
            words = []
        if is_act:
            words = words or [f"{acts + 1}."]
            words += format_entry(entry)
            acts += 1
        else:
            lines += _filled(format_entry(entry))
    return lines + (_filled(words) if words else [])


def _filled(words: list[str]) -> list[str]:
    """The words in as many lines as they need; a text among them brings its own breaks."""
    lines: list[str] = []
    for word in words:
        first, *more = word.split("\n")
        if lines and len(lines[-1]) + 1 + len(first) <= WIDTH:
            lines[-1] += f" {first}"
        else:
            lines.append(f"  {first}" if lines else first)
        lines += more
    return lines
