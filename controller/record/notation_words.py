"""The small words that entries of a written record share, each from tokens and back: dominoes, seats, times, names."""

from __future__ import annotations

import re

from controller.record.entries import HAND_LIMIT, MISSING_HALF, Halves, Hand
from controller.record.notation_lexer import Kind, Tokens, quoted

HALF = "[0-9]|x|<-?[0-9]{1,2}>"
"""A digit; x for a half that is missing; <-3> and <12> for what no domino has."""
SEAT = "-?[0-9]{1,2}"
ACT_FORM = re.compile("[0-9]{1,9}")

_TILE_FORM = re.compile(f"({HALF})-?({HALF})")
_SEAT_FORM = re.compile(SEAT)
_TIME_FORM = re.compile(r"[@/]([0-9]{1,6})(?:\.([0-9]{1,3}))?")
_REASON_FORM = re.compile("[a-z][a-z_]{2,30}")
_NO_REASON = frozenset({"act", "seat", "set", "end"})
"""Words that may come where a reason is left out; a reason so called is written in quotes."""


def half_of(word: str) -> int:
    """The half that a word of the form HALF is."""
    return MISSING_HALF if word == "x" else int(word.strip("<>"))


def tile_word(tile: Halves) -> str:
    """A domino as its two halves."""
    return "".join(_half_word(half) for half in tile)


def _half_word(half: int) -> str:
    if half == MISSING_HALF:
        return "x"
    return str(half) if 0 <= half <= 9 else f"<{half}>"


def parse_tile(tokens: Tokens) -> Halves:
    """A domino: 64, or 6-4."""
    found = tokens.match(_TILE_FORM, "a domino of two digits, such as 64")
    return half_of(found[1]), half_of(found[2])


def parse_hand(tokens: Tokens) -> Hand:
    """One domino after another, or `-` for none."""
    if tokens.has(Kind.WORD, "-"):
        return ()
    hand = [parse_tile(tokens)]
    while tokens.is_next(Kind.WORD):
        if len(hand) == HAND_LIMIT:
            tokens.fail(f"at most {HAND_LIMIT} dominoes in a hand")
        hand.append(parse_tile(tokens))
    return tuple(hand)


def hand_words(hand: Hand) -> list[str]:
    """What `parse_hand` reads."""
    return [tile_word(tile) for tile in hand] or ["-"]


def parse_seat(tokens: Tokens) -> int:
    """A seat, perhaps one that no table has."""
    return int(tokens.match(_SEAT_FORM, "a seat, 0 to 3")[0])


def parse_act(tokens: Tokens, acts: int) -> int:
    """The number of one of the `acts` that are written already."""
    token = tokens.next
    number = int(tokens.match(ACT_FORM, "the number of a move or pass")[0])
    if not 1 <= number <= acts:
        tokens.fail(f"the number of one of the {acts} moves and passes before it", token)
    return number


def parse_reason(tokens: Tokens) -> str:
    """A reason as one word or a quoted text; empty if none comes."""
    is_word = tokens.is_next(Kind.WORD) and _is_plain(tokens.next.text)
    return tokens.take().text if is_word or tokens.is_next(Kind.TEXT) else ""


def reason_words(reason: str) -> list[str]:
    """What `parse_reason` reads."""
    if not reason:
        return []
    return [reason if _is_plain(reason) else quoted(reason)]


def _is_plain(reason: str) -> bool:
    return _REASON_FORM.fullmatch(reason) is not None and reason not in _NO_REASON


def parse_by(tokens: Tokens) -> str:
    """`by "name"`; empty if it does not come."""
    return tokens.want(Kind.TEXT, "a name in quotes").text if tokens.has(Kind.WORD, "by") else ""


def parse_by_or_chief(tokens: Tokens) -> tuple[str, bool]:
    """The name, and whether it is the chief referee's: `by "name"`, `by chief`, `by chief "name"`, or nothing."""
    if not tokens.has(Kind.WORD, "by"):
        return "", False
    is_chief = tokens.has(Kind.WORD, "chief")
    if is_chief and not tokens.is_next(Kind.TEXT):
        return "", True
    return tokens.want(Kind.TEXT, "chief or a name in quotes").text, is_chief


def by_words(by: str, *, is_chief: bool = False) -> list[str]:
    """What `parse_by` and `parse_by_or_chief` read."""
    who = (["chief"] if is_chief else []) + ([quoted(by)] if by else [])
    return ["by", *who] if who else []


def parse_ms(tokens: Tokens) -> int:
    """The milliseconds of a time that comes."""
    found = _TIME_FORM.fullmatch(tokens.next.text)
    if found is None:
        tokens.fail("seconds below a million, with at most 3 decimals")
    tokens.take()
    return int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0"))


def ms_word(sign: str, ms: int) -> str:
    """What `parse_ms` reads, after its sign."""
    seconds, rest = divmod(ms, 1000)
    return f"{sign}{seconds}" + (f".{rest:03}".rstrip("0") if rest else "")
