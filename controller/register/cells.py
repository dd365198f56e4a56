"""The register in words, piece by piece: names, cells, head and result, as text and page share them; no layout."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum

from controller.game.events import Winner
from controller.game.rulesets import Params, RuleSet, Scoring, fours, spots
from controller.game.tiles import Pair, Seat
from controller.register.register import Halves, Register, SetEntry
from controller.register.russian import RUSSIAN
from controller.register.words import ENGLISH, Language, Words


def words_of(language: Language) -> Words:
    """The words of a language."""
    return {Language.EN: ENGLISH, Language.RU: RUSSIAN}[language]


def plain(text: str) -> str:
    """A text somebody typed, without what would break the line it stands in."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def name_of(register: Register, seat: Seat) -> str:
    """The player's name, `№0` to `№3` where the seat has none."""
    return plain(register.names[seat]) or f"№{seat.value}"


def pair_names(register: Register, pair: Pair, words: Words) -> str:
    """Both partners."""
    first, second = (name_of(register, seat) for seat in Seat if seat.pair is pair)
    return words.two.format(first=first, second=second)


def whose(register: Register, seat: Seat | None, pair: Pair | None, words: Words) -> str:
    """The player, or both of a pair where none of them is named."""
    if seat is not None:
        return name_of(register, seat)
    return words.nobody if pair is None else pair_names(register, pair, words)


def confirmed(register: Register, pair: Pair | None, words: Words, *, is_chief: bool = False) -> str:
    """That this pair, or one of the referees, has confirmed the register at the table; empty where not yet."""
    for signature in register.signatures:
        if (signature.pair, signature.is_chief and pair is None) == (pair, is_chief):
            name = plain(signature.by)
            return words.confirmed_by.format(name=name) if name else words.confirmed
    return ""


# --- cells ---


def number(value: float) -> str:
    """Points as the club writes them, with ½ (C5.3)."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    whole = str(int(size)) if size >= 1 or not size % 1 else ""
    return f"{sign}{whole}{'½' if size % 1 else ''}"


def both(values: tuple[float, float]) -> str:
    """[A, B] as `A : B`."""
    return f"{number(values[0])} : {number(values[1])}"


def columns(entry: SetEntry, params: Params) -> tuple[str, str]:
    """Points of a set in the columns of pair A and pair B: of spots the amount stands in the winner's only (R8)."""
    if entry.points is None:
        return ("", "")
    a, b = number(entry.points[0]), number(entry.points[1])
    if params.scoring is not Scoring.SPOTS:
        return (a, b)
    is_blank_a = entry.winner is Winner.B and entry.points[0] == 0
    is_blank_b = entry.winner is Winner.A and entry.points[1] == 0
    return ("" if is_blank_a else a, "" if is_blank_b else b)


def set_number(entry: SetEntry) -> str:
    """The number of a set, with a plus where it is beyond the agreed ones."""
    return f"{entry.set_no}{'+' if entry.is_extra else ''}"


def ending(entry: SetEntry, words: Words) -> str:
    """How a set ended, with the clause where it was awarded."""
    return words.unfinished if entry.ending is None else f"{words.endings[entry.ending]} {entry.clause}".strip()


def ends(entry: SetEntry) -> str:
    """The suits that were open when the set closed."""
    return f"{entry.ends[0]} {entry.ends[1]}" if entry.ends else "-"


def spots_left(entry: SetEntry) -> str:
    """Spots of the four hands, those of a pair with a plus between them."""
    if entry.spots is None:
        return "-"
    s0, s1, s2, s3 = entry.spots
    return f"{s0}+{s2} : {s1}+{s3}"


def fines(entry: SetEntry, words: Words) -> str:
    """The fines that are in the points of a set, empty where there are none (R10)."""
    return ", ".join(
        (words.fine if fine.counts is None else words.fine_counts).format(
            pair=fine.pair.value, points=fine.points, counts=fine.counts
        )
        for fine in entry.fines
    )


def fines_line(register: Register, words: Words) -> str | None:
    """Why the points of some sets are not what their spots alone would make; None where no pair was fined."""
    fined = [
        words.fine_in_set.format(set_no=set_number(entry), fine=fines(entry, words))
        for entry in register.sets
        if entry.fines
    ]
    return words.fines.format(fines="; ".join(fined)) if fined else None


def seconds(milliseconds: int) -> str:
    """Thinking time in seconds, to the millisecond: what is over the limit never looks as if it were within."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{f'{rest:03}'.rstrip('0') or '0'}"


def tile(halves: Halves) -> str:
    """A domino, the greater half first."""
    return f"{max(halves)}-{min(halves)}"


# --- the head and the foot ---


IN_RULES_LINE = ("rule_set", "version", "sets_in_game", "think_seconds")
"""The parameters that are told in any case."""


def rules_line(register: Register, words: Words) -> str:
    """Rule set, version, sets and time."""
    params = register.params
    return words.rules.format(
        rule_set=words.rule_sets[params.rule_set],
        version=plain(params.version),
        sets=params.sets_in_game,
        seconds=f"{params.think_seconds:g}",
    )


def chosen_parameters(register: Register, words: Words) -> tuple[str, ...]:
    """The parameters that are not as the rule set has them, but for those that stand in the line of the rules."""
    params = register.params
    usual = fours() if params.rule_set is RuleSet.FOURS else spots()
    return tuple(
        f"{words.parameter.get(name, name.replace('_', ' '))}: {_value(value, words)}"
        for name, value in ((field.name, getattr(params, field.name)) for field in fields(params))
        if value != getattr(usual, name) and name not in IN_RULES_LINE
    )


def _value(value: object, words: Words) -> str:
    if isinstance(value, Enum):
        value = value.value
    key = str(value)
    return f"{value:g}" if isinstance(value, float) else words.value.get(key, key.replace("_", " "))


def result_line(register: Register, words: Words) -> str | None:
    """The game's points and whose it is; None while it is in progress."""
    if register.result is None or register.winner is None:
        return None
    if register.winner is Winner.DRAW:
        winner = words.draw
    else:
        pair = Pair(register.winner.value)
        winner = words.pair_wins.format(pair=pair.value, names=pair_names(register, pair, words))
    line = words.result.format(points=both(register.result), winner=winner)
    if register.ended_by is None:
        return line
    return f"{line}; {words.ended_by.format(ending=words.endings[register.ended_by])}"
