"""One entry of a record as a JSON object and back: which keys it has and what they may hold; nothing is judged here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from typing import Annotated, Any

import msgspec

from controller.game.commands import Decision
from controller.game.events import FindingKind
from controller.game.tiles import End, Pair
from controller.record import entries as en
from controller.record.entries import HAND_LIMIT, MISSING_HALF, Again, Entry, Halves, Hand
from controller.record.json_errors import told
from controller.record.notation_lexer import clipped
from controller.record.record import ODD_LIMIT, TIME_LIMIT_MS

Odd = Annotated[int, msgspec.Meta(ge=-ODD_LIMIT, le=ODD_LIMIT)]
"""A seat or half, perhaps one that does not exist."""
Tile = Annotated[tuple[Odd, ...], msgspec.Meta(min_length=1, max_length=2)]
"""Two halves, inner first; a single one is half a domino."""
Tiles = Annotated[tuple[Tile, ...], msgspec.Meta(max_length=HAND_LIMIT)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=TIME_LIMIT_MS / 1000)]
Acts = Sequence[int]
"""What each entry of a set is by its place: the number of its act from 1, or 0 where it is no move or pass."""


FINEST_MS = 1e-3
"""What a time in seconds may miss a whole millisecond by: no more than a float of that size does."""


class BadEntry(ValueError):
    """An object that is no entry: what was expected, and what came."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected = expected
        self.got = got


@dataclass(frozen=True, slots=True)
class _Key:
    """How a field of an entry is held by an object."""

    name: str
    type: Any
    """What msgspec is to find there."""
    read: Callable[[Any], Any] = lambda value: value
    write: Callable[[Any], Any] = lambda value: value


def _halves(tile: tuple[int, ...]) -> Halves:
    return (tile[0], tile[1]) if len(tile) == 2 else (tile[0], MISSING_HALF)


def _tile_of(halves: Halves) -> tuple[int, ...]:
    return halves[:1] if halves[1] == MISSING_HALF else halves


def _tiles_of(hand: Hand | None) -> list[tuple[int, ...]] | None:
    return None if hand is None else [_tile_of(halves) for halves in hand]


def _hands(hands: tuple[Any, ...]) -> tuple[Hand | None, ...]:
    return tuple(map(_hand, hands))


def _hand(tiles: tuple[tuple[int, ...], ...] | None) -> Hand | None:
    return None if tiles is None else tuple(map(_halves, tiles))


def _ms(seconds: float) -> int:
    ms = round(seconds * 1000)
    if abs(seconds * 1000 - ms) > FINEST_MS:
        raise BadEntry("seconds with at most 3 decimals", str(seconds))
    return ms


def _value(word: Enum) -> str:
    value: str = word.value
    return value


def _seconds(ms: int) -> float:
    return ms / 1000


_REVEAL = tuple[Tiles | None, Tiles | None, Tiles | None, Tiles | None]
_KEYS: dict[str, _Key] = {
    "seat": _Key("seat", Odd),
    "end": _Key("end", End, write=_value),
    "is_marked_wrong": _Key("wrong", bool),
    "is_by_voice": _Key("voice", bool),
    "text": _Key("note", str),
    "reason": _Key("reason", str),
    "by": _Key("by", str),
    "decision": _Key("decision", Decision, write=_value),
    "pair": _Key("pair", Pair, write=_value),
    "hands": _Key("reveal", _REVEAL, _hands, lambda hands: [_tiles_of(hand) for hand in hands]),
    "hand": _Key("hand", Tiles, _hand, _tiles_of),
    "drawn": _Key("drawn", tuple[Tile, Tile, Tile, Tile], _hand, _tiles_of),
    "tile": _Key("tile", Tile, _halves, _tile_of),
    "in_last_set": _Key("last_set", bool),
    "think_ms": _Key("think", Seconds, _ms, _seconds),
    "t_ms": _Key("t", Seconds, _ms, _seconds),
}
"""By the field's name. `act` is written as `event`, inner and outer half together as `play`."""

_PLAY = _Key("play", Tile, _halves)
_EVENT = _Key("event", int)

_WORDS: dict[str, Iterable[Enum]] = {"end": End, "decision": Decision, "pair": Pair}
"""The words that a key may hold."""

_ORDERS: dict[str, tuple[type[Entry], dict[str, Any]]] = {
    "warning": (en.Warned, {}),
    **{kind.value: (en.Ruled, {"kind": kind}) for kind in FindingKind},
    **{word.value: (en.Restarted, {"word": word}) for word in Again},
    "reveal": (en.RevealOrdered, {}),
    "waive": (en.CountWaived, {}),
    "attribute": (en.Attributed, {}),
    "correct": (en.Corrected, {}),
    "exposed": (en.ExposedTile, {}),
    "undo": (en.TakenBackAct, {}),
    "lead": (en.LeadDrawn, {}),
    "draw": (en.DominoesDrawn, {}),
    "pause": (en.Paused, {}),
    "resume": (en.Resumed, {}),
}
"""What stands under `referee`, and the entry it is."""
_SAID: dict[tuple[str, Any], type[Entry]] = {
    ("pass", True): en.Skipped,
    ("claim", "time"): en.TimeClaimed,
    ("claim", "redeal"): en.RedealClaimed,
    ("call", "referee"): en.Called,
}
"""Other entries known by a key and its one value."""
_HELD: dict[str, type[Entry]] = {"play": en.Laid, "reveal": en.Shown, "note": en.Note}
"""Entries known by a key of their own."""
_FIRST = ("seat", "referee", "chief_referee", "play", "pass", "claim", "call", "event")
"""Keys in the order they are written; the others follow as the entry has them."""


def parse_entry(given: Mapping[str, Any], acts: Acts) -> Entry:
    """The entry that an object is, `acts` being those it may speak of. BadEntry when it is none."""
    left = dict(given)
    kind, values = _kind_of(left)
    for field in fields(kind):
        if field.name in values:
            continue
        if field.name == "act":
            event = _taken(left, _EVENT, MISSING if field.default is MISSING else None)
            values["act"] = 0 if event is None else _act(event, acts)
        elif field.name == "inner":
            values["inner"], values["outer"] = _taken(left, _PLAY, MISSING)
        else:
            values[field.name] = _taken(left, _KEYS[field.name], field.default)
    if left:
        raise BadEntry(f"no {clipped(next(iter(left)))!r} in this entry", "one")
    if kind is en.Warned and (values["seat"] is None) is (values["pair"] is None):
        raise BadEntry("a seat or a pair in a warning", "neither" if values["seat"] is None else "both")
    return kind(**values)


def format_entry(entry: Entry, acts: Acts) -> dict[str, Any]:
    """The object of an entry that `parse_entry` reads back."""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    written = _head_of(entry, values)
    if "inner" in values:
        written["play"] = _tile_of((values.pop("inner"), values.pop("outer")))
    if act := values.pop("act", 0):
        written["event"] = acts.index(act)
    for field in fields(entry):
        if field.name in values and values[field.name] != field.default:
            key = _KEYS[field.name]
            written[key.name] = key.write(values[field.name])
    return {key: written[key] for key in (*(key for key in _FIRST if key in written), *written)}


def _kind_of(left: dict[str, Any]) -> tuple[type[Entry], dict[str, Any]]:
    """What an object is, and the fields that follow from that; the keys that say so are taken out."""
    for who in ("referee", "chief_referee"):
        if who in left:
            word = left.pop(who)
            if not isinstance(word, str) or word not in _ORDERS:
                raise BadEntry(f"{who} to be one of {', '.join(_ORDERS)}", clipped(repr(word)))
            kind, values = _ORDERS[word]
            if who == "referee":
                return kind, dict(values) | ({"is_chief": False} if kind in (en.Ruled, en.Restarted) else {})
            if kind not in (en.Ruled, en.Restarted):
                raise BadEntry("a ruling, restart or replay of the chief referee's", clipped(repr(word)))
            return kind, {**values, "is_chief": True}
    for (key, value), kind in _SAID.items():
        if key in left and left[key] == value and type(left[key]) is type(value):
            del left[key]
            return kind, {}
    for key, kind in _HELD.items():
        if key in left:
            return kind, {}
    raise BadEntry(
        "an entry: play, pass: true, reveal, referee, chief_referee, claim, call or note", clipped(repr(left))
    )


def _head_of(entry: Entry, values: dict[str, Any]) -> dict[str, Any]:
    """The keys that say what an entry is; the fields they stand for are taken out."""
    for (key, value), kind in _SAID.items():
        if isinstance(entry, kind):
            return {key: value}
    if isinstance(entry, tuple(_HELD.values())):
        return {}
    who = "chief_referee" if values.pop("is_chief", False) else "referee"
    fixed = {name: values.pop(name) for name in ("kind", "word") if name in values}
    word = next(word for word, (kind, known) in _ORDERS.items() if isinstance(entry, kind) and known == fixed)
    return {who: word}


def _taken(left: dict[str, Any], key: _Key, usual: Any) -> Any:
    """The value under a key, which is taken out; `usual` where it is left out or null, unless it must be there."""
    value = left.pop(key.name, None)
    if value is None:
        if usual is MISSING:
            raise BadEntry(f"{key.name} in this entry", "none")
        return usual
    try:
        return key.read(msgspec.convert(value, key.type, strict=True))
    except msgspec.ValidationError as error:
        raise BadEntry(*told(error, key.name, value, _WORDS.get(key.name, ()))) from None


def _act(event: int, acts: Acts) -> int:
    """The act that is entry number `event` of its set."""
    if not 0 <= event < len(acts) or not acts[event]:
        raise BadEntry("event to be the number of a move or pass before it in the set, from 0", clipped(str(event)))
    return acts[event]
