"""What msgspec has against a record's object, said as what was expected and what came; nothing is read here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Any

import msgspec

from controller.record.notation_lexer import clipped

DEEPEST = 16
"""Lists and objects inside one another; no record needs as many."""

_KINDS = {"array": "a list", "object": "an object", "int": "a whole number", "float": "a number", "str": "a text"}


def told(error: msgspec.ValidationError, name: str, value: Any, words: Iterable[Enum] = ()) -> tuple[str, str]:
    """What was expected and what came, where msgspec refused `value`, which stands under `name` ("" for a whole line).

    `words` are those it may be, where it may only be certain words.
    """
    what, _, path = str(error).replace("`", "").partition(" - at $")
    if missing := re.fullmatch("Object missing required field (.*)", what):
        return f"{missing[1]} in this object", "none"
    if unknown := re.fullmatch("Object contains unknown field (.*)", what, re.DOTALL):
        return f"no {clipped(unknown[1])!r} in this object", "one"
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, list) and part.isdecimal():
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
    expected = what.partition(", got ")[0].removeprefix("Expected ")
    if what.startswith("Invalid enum value"):
        expected = f"one of {', '.join(word.value for word in words)}"
    for kind, said in _KINDS.items():
        expected = re.sub(rf"^{kind}\b", said, expected)
    return f"{f'{name}{path}'.lstrip('.') or 'the line'} to be {expected}", clipped(repr(value))


def is_deep(value: Any) -> bool:
    """Whether lists and objects lie deeper inside one another than any record's: what walks them could fall."""
    level = [value]
    for _ in range(DEEPEST):
        level = [each for held in level if isinstance(held, dict | list) for each in _inside(held)]
    return bool(level)


def _inside(held: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return held.values() if isinstance(held, dict) else held
