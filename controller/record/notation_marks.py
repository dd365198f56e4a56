"""The marks of a written record, `!` and a word: what the referee said and the players claimed, from words and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.tiles import Pair
from controller.record import entries as en
from controller.record.entries import Again, Entry
from controller.record.notation_lexer import Kind, Tokens
from controller.record.notation_words import (
    ACT_FORM,
    by_words,
    hand_words,
    parse_act,
    parse_by,
    parse_by_or_chief,
    parse_hand,
    parse_reason,
    parse_seat,
    parse_tile,
    reason_words,
    tile_word,
)

_KINDS = {kind.value: kind for kind in FindingKind}
_DECISIONS = {decision.value: decision for decision in Decision}
_PAIRS = {pair.value: pair for pair in Pair}


def parse_mark(tokens: Tokens, acts: int) -> Entry:
    """The mark that comes, without its time; `acts` are the moves and passes that it may speak of."""
    return tokens.choose(_PARSERS)(tokens, acts)


def format_mark(entry: Entry) -> list[str]:
    """The words of an entry that is a mark, without its time."""
    return _FORMATTERS[type(entry)](entry)


def _parse_warn(tokens: Tokens, acts: int) -> Entry:
    is_pair = tokens.is_next(Kind.WORD, *_PAIRS)
    pair = tokens.choose(_PAIRS) if is_pair else None
    seat = None if is_pair else parse_seat(tokens)
    reason = parse_reason(tokens)
    return en.Warned(seat, reason, parse_by(tokens), pair=pair)


def _format_warn(entry: en.Warned) -> list[str]:
    whose = entry.seat if entry.pair is None else entry.pair.value
    return ["!warn", str(whose), *reason_words(entry.reason), *by_words(entry.by)]


def _parse_rule(tokens: Tokens, acts: int) -> Entry:
    is_numbered = tokens.is_next(Kind.WORD) and ACT_FORM.fullmatch(tokens.next.text) is not None
    act = parse_act(tokens, acts) if is_numbered else 0
    kind = tokens.choose(_KINDS)
    is_decided = tokens.is_next(Kind.WORD, *_DECISIONS)
    decision = tokens.choose(_DECISIONS) if is_decided else None
    return en.Ruled(kind, act, decision, *parse_by_or_chief(tokens))


def _format_rule(entry: en.Ruled) -> list[str]:
    act = [str(entry.act)] if entry.act else []
    decision = [] if entry.decision is None else [entry.decision.value]
    return ["!rule", *act, entry.kind.value, *decision, *by_words(entry.by, is_chief=entry.is_chief)]


def _parse_again(word: Again) -> Callable[[Tokens, int], Entry]:
    def parse(tokens: Tokens, acts: int) -> Entry:
        reason = parse_reason(tokens)
        act = parse_act(tokens, acts) if tokens.has(Kind.WORD, "act") else 0
        seat = parse_seat(tokens) if tokens.has(Kind.WORD, "seat") else None
        return en.Restarted(word, reason, act, seat, *parse_by_or_chief(tokens))

    return parse


def _format_again(entry: en.Restarted) -> list[str]:
    act = ["act", str(entry.act)] if entry.act else []
    seat = [] if entry.seat is None else ["seat", str(entry.seat)]
    who = by_words(entry.by, is_chief=entry.is_chief)
    return [f"!{entry.word.value}", *reason_words(entry.reason), *act, *seat, *who]


def _parse_attribute(tokens: Tokens, acts: int) -> Entry:
    act = parse_act(tokens, acts)
    tokens.want(Kind.WORD, "to and a seat", "to")
    seat = parse_seat(tokens)
    return en.Attributed(act, seat, parse_by(tokens))


def _format_attribute(entry: en.Attributed) -> list[str]:
    return ["!attribute", str(entry.act), "to", str(entry.seat), *by_words(entry.by)]


def _parse_correct(tokens: Tokens, acts: int) -> Entry:
    act = parse_act(tokens, acts)
    tokens.want(Kind.WORD, "to and a domino", "to")
    inner, outer = parse_tile(tokens)
    return en.Corrected(act, inner, outer, parse_by(tokens))


def _format_correct(entry: en.Corrected) -> list[str]:
    return ["!correct", str(entry.act), "to", tile_word((entry.inner, entry.outer)), *by_words(entry.by)]


def _parse_claim(tokens: Tokens, acts: int) -> Entry:
    is_time = tokens.choose({"time": True, "redeal": False})
    seat = parse_seat(tokens)
    if is_time:
        return en.TimeClaimed(seat)
    if not tokens.has(Kind.SIGN, "("):
        return en.RedealClaimed(seat)
    hand = parse_hand(tokens)
    tokens.want(Kind.SIGN, "a domino or )", ")")
    return en.RedealClaimed(seat, hand)


def _format_time_claim(entry: en.TimeClaimed) -> list[str]:
    return ["!claim", "time", str(entry.seat)]


def _format_redeal_claim(entry: en.RedealClaimed) -> list[str]:
    hand = [] if entry.hand is None else f"({' '.join(hand_words(entry.hand))})".split(" ")
    return ["!claim", "redeal", str(entry.seat), *hand]


def _parse_show(tokens: Tokens, acts: int) -> Entry:
    seat = parse_seat(tokens)
    tile = parse_tile(tokens)
    is_last = tokens.has(Kind.WORD, "last")
    return en.ExposedTile(seat, tile, is_last, parse_by(tokens))


def _format_show(entry: en.ExposedTile) -> list[str]:
    last = ["last"] if entry.in_last_set else []
    return ["!show", str(entry.seat), tile_word(entry.tile), *last, *by_words(entry.by)]


def _parse_draw(tokens: Tokens, acts: int) -> Entry:
    drawn = (parse_tile(tokens), parse_tile(tokens), parse_tile(tokens), parse_tile(tokens))
    return en.DominoesDrawn(drawn)


def _format_draw(entry: en.DominoesDrawn) -> list[str]:
    return ["!draw", *map(tile_word, entry.drawn)]


_PARSERS: dict[str, Callable[[Tokens, int], Entry]] = {
    "!warn": _parse_warn,
    "!rule": _parse_rule,
    "!restart": _parse_again(Again.RESTART),
    "!replay": _parse_again(Again.REPLAY),
    "!reveal": lambda tokens, _: en.RevealOrdered(parse_by(tokens)),
    "!waive": lambda tokens, _: en.CountWaived(parse_by(tokens)),
    "!attribute": _parse_attribute,
    "!correct": _parse_correct,
    "!show": _parse_show,
    "!claim": _parse_claim,
    "!call": lambda tokens, _: en.Called(parse_seat(tokens)),
    "!lead": lambda tokens, _: en.LeadDrawn(parse_seat(tokens)),
    "!draw": _parse_draw,
    "!undo": lambda tokens, _: en.TakenBackAct(),
    "!pause": lambda tokens, _: en.Paused(),
    "!resume": lambda tokens, _: en.Resumed(),
}

_FORMATTERS: dict[type, Callable[[Any], list[str]]] = {
    en.Warned: _format_warn,
    en.Ruled: _format_rule,
    en.Restarted: _format_again,
    en.RevealOrdered: lambda entry: ["!reveal", *by_words(entry.by)],
    en.CountWaived: lambda entry: ["!waive", *by_words(entry.by)],
    en.Attributed: _format_attribute,
    en.Corrected: _format_correct,
    en.ExposedTile: _format_show,
    en.TimeClaimed: _format_time_claim,
    en.RedealClaimed: _format_redeal_claim,
    en.Called: lambda entry: ["!call", str(entry.seat)],
    en.LeadDrawn: lambda entry: ["!lead", str(entry.seat)],
    en.DominoesDrawn: _format_draw,
    en.TakenBackAct: lambda _: ["!undo"],
    en.Paused: lambda _: ["!pause"],
    en.Resumed: lambda _: ["!resume"],
}
