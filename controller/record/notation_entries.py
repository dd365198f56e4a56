"""One entry of a written record from its words and back: moves, passes, the count, notes, and the time of each."""

from __future__ import annotations

import re
from dataclasses import replace

from controller.game.tiles import End
from controller.record.entries import Entry, Hand, Laid, Note, Paused, RedealClaimed, Shown, Skipped, TimeClaimed
from controller.record.notation_lexer import Kind, Tokens, braced
from controller.record.notation_marks import format_mark, parse_mark
from controller.record.notation_words import (
    HALF,
    SEAT,
    by_words,
    half_of,
    hand_words,
    ms_word,
    parse_by,
    parse_hand,
    parse_ms,
    tile_word,
)

_MOVE_FORM = re.compile(rf"(?:({SEAT}):)?([LRlr])?({HALF})-?({HALF})(\?)?")
_PASS_FORM = re.compile(f"(?:({SEAT}):)?[Pp]([Vv])?")
_ENDS = {"": End.FIRST, "L": End.L, "R": End.R}
_LETTERS = {end: letter for letter, end in _ENDS.items()}


def parse_entry(tokens: Tokens, acts: int) -> Entry:
    """The entry that comes; `acts` are the moves and passes it may speak of. NotationError if there is none."""
    entry: Entry
    if tokens.is_next(Kind.NOTE):
        entry = Note(tokens.take().text)
    elif tokens.has(Kind.SIGN, "="):
        entry = _parse_count(tokens)
    elif tokens.is_next(Kind.WORD) and tokens.next.text.startswith("!"):
        entry = parse_mark(tokens, acts)
    else:
        entry = parse_act(tokens)
    while tokens.is_next(Kind.TIME):
        entry = _timed(tokens, entry)
    return entry


def format_entry(entry: Entry) -> list[str]:
    """The words of an entry; a text among them may go over several lines."""
    times = []
    if isinstance(entry, Laid | Skipped | TimeClaimed | RedealClaimed | Paused) and entry.think_ms is not None:
        times.append(ms_word("/", entry.think_ms))
    if entry.t_ms is not None:
        times.append(ms_word("@", entry.t_ms))
    if isinstance(entry, Laid | Skipped):
        return ["".join([_act_word(entry), *times])]
    if isinstance(entry, Note):
        return [braced(entry.text), *times]
    return [*(_format_count(entry) if isinstance(entry, Shown) else format_mark(entry)), *times]


def is_act_next(tokens: Tokens) -> bool:
    """Whether a move or a pass comes."""
    text = tokens.next.text
    return tokens.is_next(Kind.WORD) and bool(_MOVE_FORM.fullmatch(text) or _PASS_FORM.fullmatch(text))


def parse_act(tokens: Tokens) -> Entry:
    """The move or pass that comes, without its time."""
    if not is_act_next(tokens):
        tokens.fail("a move (64, R42, L62), a pass (P), a mark (!warn ...), a count (= ...), a note, end or set")
    word = tokens.take().text
    if move := _MOVE_FORM.fullmatch(word):
        end = _ENDS[(move[2] or "").upper()]
        return Laid(half_of(move[3]), half_of(move[4]), end, _seat_of(move[1]), is_marked_wrong=move[5] is not None)
    skip = _PASS_FORM.fullmatch(word)
    assert skip is not None
    return Skipped(_seat_of(skip[1]), is_by_voice=skip[2] is not None)


def _seat_of(prefix: str | None) -> int | None:
    return None if prefix is None else int(prefix)


def _act_word(entry: Laid | Skipped) -> str:
    prefix = "" if entry.seat is None else f"{entry.seat}:"
    if isinstance(entry, Skipped):
        return f"{prefix}{'Pv' if entry.is_by_voice else 'P'}"
    tile = tile_word((entry.inner, entry.outer))
    return f"{prefix}{_LETTERS[entry.end]}{tile}{'?' if entry.is_marked_wrong else ''}"


def _timed(tokens: Tokens, entry: Entry) -> Entry:
    """The entry with the time that comes after it."""
    if tokens.next.text.startswith("@"):
        if entry.t_ms is not None:
            tokens.fail("one time on the set's clock (@)")
        return replace(entry, t_ms=parse_ms(tokens))
    if not isinstance(entry, Laid | Skipped | TimeClaimed | RedealClaimed | Paused) or entry.think_ms is not None:
        tokens.fail("a thinking time (/) once, and after a move, a pass, a claim or a pause only")
    return replace(entry, think_ms=parse_ms(tokens))


def _parse_count(tokens: Tokens) -> Entry:
    """`= (65 11 | 32 | - | ?)`, the hands by seat; `?` was not shown."""
    tokens.want(Kind.SIGN, "( and the four hands", "(")
    hands: list[Hand | None] = []
    for sign in "|||)":
        hands.append(None if tokens.has(Kind.WORD, "?") else parse_hand(tokens))
        tokens.want(Kind.SIGN, f"a domino or {sign} (four hands stand between the brackets, | between them)", sign)
    return Shown((hands[0], hands[1], hands[2], hands[3]), parse_by(tokens))


def _format_count(entry: Shown) -> list[str]:
    hands = [["?"] if hand is None else hand_words(hand) for hand in entry.hands]
    words = [word for hand in hands for word in ("|", *hand)][1:]
    words[0] = f"({words[0]}"
    words[-1] += ")"
    return ["=", *words, *by_words(entry.by)]
