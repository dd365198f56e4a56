"""A written record as JSON Lines and back: one object for the head, each set, each entry; nothing is judged here.

The entries of a set are numbered from 0 by their place in it, and by these numbers (`event`) rulings and corrections
speak of a move or pass. docs/notation.md says what each object may hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from controller.game.events import Ending
from controller.game.rulesets import Params, RuleSet, params_of
from controller.game.tiles import Seat
from controller.record.entries import ACTS_LIMIT, Entry, Laid, Skipped, Warned
from controller.record.json_entries import Acts, BadEntry, format_entry, parse_entry
from controller.record.json_errors import is_deep, told
from controller.record.notation import parse_record
from controller.record.notation_lexer import NotationError, clipped, shown
from controller.record.notation_tags import chosen_values
from controller.record.record import (
    RESERVED_TAGS,
    SCORE_LIMIT,
    SET_LIMIT,
    TAG_NAME,
    WARNED_LIMIT,
    Record,
    SetMark,
    SetRecord,
)

_WORDS: dict[str, Iterable[Enum]] = {"by": Ending, "ruleset": RuleSet}
"""The words that a key may hold."""

Kind = TypeVar("Kind")
SeatNo = Annotated[int, msgspec.Meta(ge=0, le=3)]
Points = Annotated[float, msgspec.Meta(ge=-SCORE_LIMIT, le=SCORE_LIMIT, multiple_of=0.5)]
Spots = Annotated[int, msgspec.Meta(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]
Warnings = Annotated[int, msgspec.Meta(ge=0, le=WARNED_LIMIT)]


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The first object; `record` is the version of the form: within one, only keys and entries are added."""

    ruleset: Literal["fours", "spots"]
    lead: SeatNo
    record: int = 1
    version: str = Params().version
    params: dict[str, Any] = {}
    names: tuple[str, str, str, str] = ("", "", "", "")
    tags: dict[str, str] = {}
    warned: tuple[Warnings, Warnings] = (0, 0)
    result: tuple[Points, Points] | None = None


class _Set(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The object before the entries of a set."""

    set: Annotated[int, msgspec.Meta(ge=1, le=SET_LIMIT)]
    lead: SeatNo | None = None


class _Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The object after the entries of a set."""

    result: tuple[Points, Points] | None
    by: Ending | None = None
    spots: tuple[Spots, Spots] | None = None


class _Context(msgspec.Struct, frozen=True, kw_only=True):
    """Warnings [A, B] before a case."""

    warn_game: tuple[Warnings, Warnings] = (0, 0)
    warn_comp: tuple[Warnings, Warnings] = (0, 0)
    """Those of the game are among them."""


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a case."""

    lead: SeatNo
    events: list[dict[str, Any]]
    context: _Context = _Context()


class _Case(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a worked case as is a record."""

    id: str
    ruleset: Literal["fours", "spots"]
    given: _Given
    params: dict[str, Any] | None = None


def read_record(text: str) -> Record:
    """The record in `text`, JSON Lines if it begins with `{`, else the notation. NotationError when it is neither."""
    return parse_jsonl(text) if text.lstrip("\ufeff \t\r\n").startswith("{") else parse_record(text)


def parse_jsonl(text: str) -> Record:
    """The record that the lines of `text` are.

    Raises:
        NotationError: a line is no JSON object, or not one of a record; its place.
    """
    lines = [(number, line) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1) if line.strip()]
    if not lines:
        raise NotationError(1, 1, "the head of a record, an object with ruleset and lead", "nothing")
    first, head = lines[0]
    record = _record_of(first, _decoded(first, head))
    parts = _Parts()
    for number, line in lines[1:]:
        parts.add(number, _decoded(number, line))
    parts.close(None)
    return replace(record, sets=tuple(parts.sets), after=tuple(parts.between))


def parse_case(text: str) -> Record:
    """The record of one worked case, a line of tests/data/cases.jsonl: one set, whose findings confirm themselves.

    Warnings of its context that were given in this game stand before the set, the others of the competition in
    `warned`. NotationError where the case has no events of a set, or they are none.
    """
    case = _converted(1, _decoded(1, text), _Case)
    context = case.given.context
    here, there = context.warn_game, context.warn_comp
    parts = _Parts()
    parts.between += [Warned(pair, "talk") for pair in (0, 1) for _ in range(here[pair])]
    parts.add(1, {"set": 1})
    for event in case.given.events:
        parts.add_entry(1, event)
    parts.close(None)
    head = {"ruleset": case.ruleset, "lead": case.given.lead, "tags": {"Game": case.id}}
    record = _record_of(1, head | {"params": {"adjudication": "auto"} | (case.params or {})})
    return replace(record, warned=(max(0, there[0] - here[0]), max(0, there[1] - here[1])), sets=tuple(parts.sets))


def format_jsonl(record: Record) -> str:
    """The record as lines of JSON that `parse_jsonl` reads back to an equal record."""
    objects: list[dict[str, Any]] = [_head_of(record)]
    acts: Acts = ()
    for played in record.sets:
        objects += [format_entry(entry, acts) for entry in played.before]
        acts = _acts_of(played.entries)
        objects.append({"set": played.set_no} | ({} if played.lead is None else {"lead": int(played.lead)}))
        objects += [format_entry(entry, acts) for entry in played.entries]
        objects.append(_result_of(played.result))
    objects += [format_entry(entry, acts) for entry in record.after]
    return "".join(msgspec.json.encode(each).decode() + "\n" for each in objects)


def _head_of(record: Record) -> dict[str, Any]:
    return {
        "record": 1,
        "ruleset": record.params.rule_set.value,
        "version": record.params.version,
        "params": chosen_values(record.params),
        "lead": int(record.lead),
        "names": record.names,
        "tags": dict(record.tags),
        "warned": record.warned,
        "result": record.result,
    }


def _result_of(mark: SetMark | None) -> dict[str, Any]:
    if mark is None:
        return {"result": None}
    return {"result": mark.points, "by": mark.by.value} | ({} if mark.spots is None else {"spots": mark.spots})


def _acts_of(entries: Sequence[Entry]) -> Acts:
    """By an entry's place in its set the number of the act it is, 0 where it is none."""
    numbers = count(1)
    return [next(numbers) if isinstance(entry, Laid | Skipped) else 0 for entry in entries]


@dataclass(slots=True)
class _Parts:
    """Sets and entries as they come line by line."""

    sets: list[SetRecord] = field(default_factory=list)
    """Those that are closed."""
    between: list[Entry] = field(default_factory=list)
    """Entries since the last of them."""
    heading: _Set | None = None
    """Of the set that is open."""
    entries: list[Entry] = field(default_factory=list)
    acts: list[int] = field(default_factory=list)
    """Of the set that is open, or else of the last one."""
    played: int = 0
    """Acts of the open set."""

    def add(self, number: int, given: dict[str, Any]) -> None:
        """Take the object of line `number`."""
        if "set" in given:
            self.close(None)
            self.heading = _converted(number, given, _Set)
            self.acts = []
        elif "result" in given:
            if self.heading is None:
                raise NotationError(number, 1, "the result of a set after its set line", "one outside a set")
            self.close(_mark_of(number, _converted(number, given, _Result)))
        else:
            self.add_entry(number, given)

    def add_entry(self, number: int, given: dict[str, Any]) -> None:
        """Take an entry of the open set, or one between sets."""
        try:
            entry = parse_entry(given, self.acts)
        except BadEntry as bad:
            raise NotationError(number, 1, bad.expected, bad.got) from None
        is_act = isinstance(entry, Laid | Skipped)
        if self.heading is None:
            if is_act:
                raise NotationError(number, 1, 'a line such as {"set":1} before the first move of a set', "a move")
            self.between.append(entry)
        else:
            if is_act and self.played == ACTS_LIMIT:
                raise NotationError(number, 1, f"at most {ACTS_LIMIT} moves and passes in a set", "one more")
            self.entries.append(entry)
            self.acts.append(self.played + 1 if is_act else 0)
            self.played += is_act

    def close(self, mark: SetMark | None) -> None:
        """The open set, if there is one, is over."""
        if self.heading is None:
            return
        lead = None if self.heading.lead is None else Seat(self.heading.lead)
        self.sets.append(SetRecord(self.heading.set, lead, tuple(self.between), tuple(self.entries), mark))
        self.heading, self.between, self.entries, self.played = None, [], [], 0


def _record_of(number: int, given: dict[str, Any]) -> Record:
    """The record with what its head says, and no set yet."""
    head = _converted(number, given, _Head)
    if head.record != 1:
        raise NotationError(number, 1, "record 1, the newest form that this program knows", clipped(str(head.record)))
    for name in head.tags:
        if not TAG_NAME.fullmatch(name) or name in RESERVED_TAGS:
            raise NotationError(number, 1, "a tag's name, a capital and then letters and digits", shown(name))
    chosen = {name: value for name, value in head.params.items() if name not in ("rule_set", "version")}
    if len(chosen) < len(head.params):
        raise NotationError(number, 1, "ruleset and version beside params", "them in params")
    try:
        params = params_of({"rule_set": head.ruleset, "version": head.version, **chosen})
    except ValueError as error:
        expected, _, got = str(error).removeprefix("expected ").partition(", got ")
        raise NotationError(number, 1, expected, clipped(got)) from None
    return Record(
        lead=Seat(head.lead),
        params=params,
        names=head.names,
        tags=tuple(head.tags.items()),
        warned=head.warned,
        result=head.result,
    )


def _mark_of(number: int, given: _Result) -> SetMark | None:
    if given.result is None:
        if given.by is not None or given.spots is not None:
            raise NotationError(number, 1, "neither by nor spots where result is null", "one")
        return None
    if given.by is None:
        raise NotationError(number, 1, "by in the result of a set", "none")
    return SetMark(given.by, given.result, given.spots)


def _decoded(number: int, line: str) -> dict[str, Any]:
    """The object of a line."""
    try:
        raw = line.encode()
    except UnicodeEncodeError as error:
        raise NotationError(number, error.start + 1, "a whole character", shown(line[error.start])) from None
    try:
        given = msgspec.json.decode(raw)
    except RecursionError:
        given = None
    except msgspec.DecodeError as error:
        what, _, byte = str(error).rstrip(")").partition(" (byte ")
        raise NotationError(number, _column_of(line, what, byte), "a JSON object", what) from None
    if not isinstance(given, dict) or is_deep(given):
        raise NotationError(number, 1, "a JSON object", shown(line))
    return given


def _column_of(line: str, what: str, byte: str) -> int:
    """The column that msgspec means: by its byte where it tells one, else the end of a line that breaks off, or 1."""
    if byte:
        is_past = what.endswith("trailing characters")  # there it tells the byte after the first that is too many
        return len(line.encode()[: int(byte) - is_past].decode(errors="ignore")) + 1
    return len(line.rstrip("\r")) + 1 if "truncated" in what else 1


def _converted(number: int, given: dict[str, Any], kind: type[Kind]) -> Kind:
    """The object as one of ours."""
    try:
        return msgspec.convert(given, kind, strict=True)
    except msgspec.ValidationError as error:
        words = next((_WORDS[name] for name in _WORDS if f"$.{name}`" in str(error)), ())
        raise NotationError(number, 1, *told(error, "", given, words)) from None
