"""A game as somebody wrote it down, set by set; whether it can have been so is not asked here.

What is written may be against the rules, a domino 7-7 or a fifth seat: those are the core's to judge. A record only
refuses what docs/notation.md has no way to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from controller.game.events import Ending
from controller.game.rulesets import Params
from controller.game.tiles import Seat
from controller.record.entries import ACTS_LIMIT, HAND_LIMIT, Entry, Halves, Hand, Laid, Restarted, Ruled, Skipped

ODD_LIMIT = 99
"""Seats and halves may be written wrongly, but not beyond two digits."""
TIME_LIMIT_MS = 10**9 - 1
"""Below a million seconds: eleven days."""
SCORE_LIMIT = 9999
SET_LIMIT = 9999
WARNED_LIMIT = 999

TAG_NAME = re.compile(r"[A-Z][A-Za-z0-9_]{0,39}")
RESERVED_TAGS = frozenset(
    {"Notation", "Seat0", "Seat1", "Seat2", "Seat3", "Lead", "RuleSet", "Version", "Warned", "Result"}
)
"""Tags that are fields of the record, so none of its `tags`."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SetMark:
    """How a set ended, as it was written: the judge compares it with what the rules say."""

    by: Ending
    points: tuple[float, float]
    """[A, B], in whole or half points."""
    spots: tuple[int, int] | None = None
    """[A, B], where they were counted."""


@dataclass(frozen=True, slots=True)
class SetRecord:
    """One set, from its first move to its result. ValueError for what the notation cannot write."""

    set_no: int
    lead: Seat | None = None
    """Where it is written: the lead that was drawn for an extra set."""
    before: tuple[Entry, ...] = ()
    """What happened since the set before it; a ruling or correction there is about an act of that one."""
    entries: tuple[Entry, ...] = ()
    result: SetMark | None = None
    """None: not written, or the set was not played to its end."""

    @property
    def acts(self) -> int:
        """How many moves and passes are written."""
        return sum(isinstance(entry, Laid | Skipped) for entry in self.entries)

    def __post_init__(self) -> None:
        if not 1 <= self.set_no <= SET_LIMIT:
            raise ValueError(f"expected a set's number from 1 to {SET_LIMIT}, got {self.set_no}")
        if self.acts > ACTS_LIMIT:
            raise ValueError(f"expected at most {ACTS_LIMIT} moves and passes in a set, got {self.acts}")
        _check_entries(self.entries, 0)
        if self.result is not None:
            _check_points("points", self.result.points)
            if not all(abs(spots) <= SCORE_LIMIT for spots in self.result.spots or ()):
                raise ValueError(f"expected spots up to {SCORE_LIMIT}, got {self.result.spots}")


@dataclass(frozen=True, slots=True)
class Record:
    """A whole game, or as much of it as was written. ValueError for what the notation cannot write."""

    lead: Seat
    """Of the first set."""
    params: Params
    names: tuple[str, str, str, str] = ("", "", "", "")
    """By seat."""
    tags: tuple[tuple[str, str], ...] = ()
    """Event (the competition), Site, Date, Game (its name there), Table, Round, and any other; each once."""
    warned: tuple[int, int] = (0, 0)
    """Warnings [A, B] of the competition before this game."""
    sets: tuple[SetRecord, ...] = ()
    after: tuple[Entry, ...] = ()
    """What happened after the last set."""
    result: tuple[float, float] | None = None
    """Points [A, B] as they were written, None: not written or not over."""

    def tag(self, name: str) -> str:
        """The value of a tag of `tags`, empty where it is not written."""
        return dict(self.tags).get(name, "")

    def __post_init__(self) -> None:
        if len(dict(self.tags)) < len(self.tags):
            raise ValueError(f"expected every tag once, got {[name for name, _ in self.tags]}")
        for name, _ in self.tags:
            if not TAG_NAME.fullmatch(name) or name in RESERVED_TAGS:
                raise ValueError(f"expected a tag's name that is free, of a capital, letters and digits, got {name!r}")
        for text in (*self.names, *(value for _, value in self.tags), self.params.version):
            check_text("a text", text)
        if not all(0 <= warnings <= WARNED_LIMIT for warnings in self.warned):
            raise ValueError(f"expected warnings from 0 to {WARNED_LIMIT}, got {self.warned}")
        if self.result is not None:
            _check_points("result", self.result)
        acts = 0
        for played in self.sets:
            _check_entries(played.before, acts, is_between=True)
            acts = played.acts
        _check_entries(self.after, acts, is_between=True)


def check_text(name: str, text: str) -> None:
    """ValueError for a text that no file could hold."""
    if _HALF_CHARACTER.search(text):
        raise ValueError(f"expected {name} without half characters (surrogates), got {text!r}")


def _check_points(name: str, points: tuple[float, float]) -> None:
    if not all(abs(value) <= SCORE_LIMIT and value * 2 == int(value * 2) for value in points):
        raise ValueError(f"expected {name} in halves and up to {SCORE_LIMIT}, got {points}")


def _check_range(low: int, high: int) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if value is not None and not low <= value <= high:
            raise ValueError(f"expected {name} from {low} to {high}, got {value}")

    return check


_check_odd = _check_range(-ODD_LIMIT, ODD_LIMIT)


def _check_tile(name: str, tile: Halves) -> None:
    for half in tile:
        _check_odd(name, half)


def _check_hand(name: str, hand: Hand | None) -> None:
    if hand is not None and len(hand) > HAND_LIMIT:
        raise ValueError(f"expected {name} of at most {HAND_LIMIT} dominoes, got {len(hand)}")
    for tile in hand or ():
        _check_tile(name, tile)


def _check_hands(name: str, hands: tuple[Hand | None, ...]) -> None:
    for hand in hands:
        _check_hand(name, hand)


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "seat": _check_odd,
    "inner": _check_odd,
    "outer": _check_odd,
    "t_ms": _check_range(0, TIME_LIMIT_MS),
    "think_ms": _check_range(0, TIME_LIMIT_MS),
    "tile": _check_tile,
    "hand": _check_hand,
    "hands": _check_hands,
    "drawn": _check_hand,
    "text": check_text,
    "reason": check_text,
    "by": check_text,
}
"""By the field's name: what a field so called may hold in any entry."""


def _check_entries(entries: tuple[Entry, ...], acts: int, *, is_between: bool = False) -> None:
    """Every entry as it can be written; `acts` are those it may speak of, before the first entry."""
    for entry in entries:
        if isinstance(entry, Laid | Skipped):
            if is_between:
                raise ValueError(f"expected no move or pass between sets, got {entry}")
            acts += 1
        for field in fields(entry):
            value = getattr(entry, field.name)
            if field.name == "act" and not (0 if isinstance(entry, Ruled | Restarted) else 1) <= value <= acts:
                raise ValueError(f"expected the number of one of the {acts} acts before it, got {value}")
            if field.name in _CHECKS:
                _CHECKS[field.name](field.name, value)
