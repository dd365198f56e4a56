"""The head of a written record, `[Name "value"]` line by line: who plays where, under which rules; and back."""

from __future__ import annotations

import re
from typing import Any

from controller.game.rulesets import Params, RuleSet, params_of, values_of
from controller.game.tiles import Seat
from controller.record.notation_lexer import Kind, Token, Tokens, clipped, quoted
from controller.record.record import RESERVED_TAGS, TAG_NAME, Record

NOTATION = "1"
"""Version of the notation; within one, only new tags, marks and words are added."""

_PARAM_NAME = re.compile("[a-z][a-z0-9_]{0,39}")
_DEFAULTS = {name: value for name, value in values_of(Params()).items() if name not in ("rule_set", "version")}
"""Every parameter that has a tag of its own name, with a value of its type."""
_AMOUNT = r"-?[0-9]{1,4}(?:\.[05])?"
_POINTS = re.compile(f"({_AMOUNT}):({_AMOUNT})")
_FORMS: dict[str, tuple[re.Pattern[str], str]] = {
    "Notation": (re.compile(NOTATION), f"notation {NOTATION}, the newest that this program knows"),
    "RuleSet": (re.compile("|".join(each.value for each in RuleSet)), "fours or spots"),
    "Lead": (re.compile("[0-3]"), "a seat, 0 to 3"),
    "Warned": (re.compile("[0-9]{1,3}:[0-9]{1,3}"), "warnings of both pairs, such as 1:0"),
    "Result": (re.compile(rf"{_POINTS.pattern}|\*"), "points of both pairs, such as 2.5:1.5, or *"),
}
"""Tags that are not free text: what they may be, and how that is told."""
_TYPES: dict[type, tuple[re.Pattern[str], str]] = {
    bool: (re.compile("true|false"), "true or false"),
    int: (re.compile("-?[0-9]{1,9}"), "a whole number"),
    float: (re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,25})?(e-?[0-9]{1,3})?"), "a number"),
    str: (re.compile(r"(?s:.*)"), "a word"),
}
"""The same for parameters, by the type of their default."""

Tags = dict[str, tuple[str, Token]]
"""Values by name, each with the token of its value."""


def parse_tags(tokens: Tokens) -> Record:
    """The record with all that its tags say, and no set yet."""
    tags: Tags = {}
    while tokens.has(Kind.SIGN, "["):
        name = tokens.next
        if name.kind is not Kind.WORD or not (TAG_NAME.fullmatch(name.text) or _PARAM_NAME.fullmatch(name.text)):
            tokens.fail("a tag's name, a letter and then letters and digits")
        if name.text in tags:
            tokens.fail(f"tag {name.text} once")
        if name.text[0].islower() and name.text not in _DEFAULTS:
            tokens.fail("a parameter of the rules (a tag of your own begins with a capital)")
        tokens.take()
        value = tokens.want(Kind.TEXT, "the tag's value in quotes")
        form, expected = _form_of(name.text)
        if not form.fullmatch(value.text):
            tokens.fail(expected, value)
        tags[name.text] = (value.text, value)
        tokens.want(Kind.SIGN, "a closing ]", "]")
    return _record_of(tokens, tags)


def format_tags(record: Record) -> list[str]:
    """One line a tag; a long value goes over several."""
    values = [("Notation", NOTATION), *record.tags]
    values += [(f"Seat{seat}", name) for seat, name in enumerate(record.names)]
    values += [("Lead", str(int(record.lead)))]
    values += [("RuleSet", record.params.rule_set.value), ("Version", record.params.version)]
    values += [(name, _plain(value)) for name, value in chosen_values(record.params).items()]
    values += [("Warned", f"{record.warned[0]}:{record.warned[1]}")]
    values += [("Result", "*" if record.result is None else points_word(record.result))]
    return [line for name, value in values for line in f"[{name} {quoted(value)}]".split("\n")]


def chosen_values(params: Params) -> dict[str, Any]:
    """The parameters that are not their rule set's defaults, as plain values; without rule set and version."""
    usual = values_of(params_of({"rule_set": params.rule_set}))
    return {name: value for name, value in values_of(params).items() if name in _DEFAULTS and value != usual[name]}


def parse_points(text: str) -> tuple[float, float] | None:
    """Points A:B such as 2.5:1.5, None where it is something else."""
    found = _POINTS.fullmatch(text)
    return None if found is None else (float(found[1]), float(found[2]))


def points_word(points: tuple[float, float]) -> str:
    """What `parse_points` reads."""
    return ":".join(f"{value + 0.0:g}" for value in points)


def _form_of(name: str) -> tuple[re.Pattern[str], str]:
    """What the value of a tag must look like."""
    return _FORMS.get(name) or _TYPES[type(_DEFAULTS.get(name, ""))]


def _record_of(tokens: Tokens, tags: Tags) -> Record:
    """The record that the tags describe, which are well-formed each; a missing one is told where the tags end."""
    written = {name: value for name, (value, _) in tags.items()}
    for name in ("RuleSet", "Lead"):
        if name not in written:
            tokens.fail(f'a tag [{name} "..."] above this')
    first, second = written.get("Warned", "0:0").split(":")
    return Record(
        lead=Seat(int(written["Lead"])),
        params=_params_of(tokens, tags),
        names=(written.get("Seat0", ""), written.get("Seat1", ""), written.get("Seat2", ""), written.get("Seat3", "")),
        tags=tuple((name, value) for name, value in written.items() if _is_free(name)),
        warned=(int(first), int(second)),
        result=parse_points(written.get("Result", "*")),
    )


def _is_free(name: str) -> bool:
    return name not in RESERVED_TAGS and name not in _DEFAULTS


def _params_of(tokens: Tokens, tags: Tags) -> Params:
    """The rules as the tags give them."""
    values: dict[str, Any] = {"rule_set": tags["RuleSet"][0]}
    if "Version" in tags:
        values["version"] = tags["Version"][0]
    values |= {name: _value_of(name, text) for name, (text, _) in tags.items() if name in _DEFAULTS}
    try:
        return params_of(values)
    except ValueError as error:
        # A parameter may be right alone and wrong beside another: the message names those it is about.
        named = [name for name in values if name in tags and re.search(rf"\b{name}\b", str(error))]
        expected, _, got = str(error).removeprefix("expected ").partition(", got ")
        raise tokens.error(tags[named[-1] if named else "RuleSet"][1], expected, clipped(got)) from None


def _value_of(name: str, text: str) -> Any:
    """The value of a parameter as its type has it; whether it may have it is for `params_of` to say."""
    kind = type(_DEFAULTS[name])
    return text == "true" if kind is bool else kind(text)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
