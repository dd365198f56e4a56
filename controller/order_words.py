"""An order as words of a command line: its options, their help and its examples, all made of its type; nothing is sent.

A number, a word or a name is written as it is, a domino as `5-4`, several things as several words, a parameter as
`name=value`, and what only a program writes, as a ledger, is the name of its file.
"""

from __future__ import annotations

import argparse
import ast
import inspect as source
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import inspect

from controller import order_types
from controller.order_types import Order

COMMON = frozenset(Order.__struct_fields__)
"""Fields that every order has; the command line has them once for all."""
_DEST = "field_"
"""Before the name of an order's field in the parsed options: there it cannot be taken for another option."""
_NUMBERS = re.compile(r"(-?\d+)-(-?\d+)")


def add_fields(parser: argparse.ArgumentParser, kind: type[Order]) -> None:
    """Give the parser an option for each field of the order's own."""
    told = _told().get(kind.__name__, {})
    for field in _fields(kind):
        flag, text = f"--{field.name.replace('_', '-')}", told.get(field.name)
        common: dict[str, Any] = {"dest": f"{_DEST}{field.name}", "default": argparse.SUPPRESS, "help": text}
        if isinstance(_held(field), inspect.BoolType):
            parser.add_argument(flag, action="store_true", **common)
            continue
        many, metavar = _written(_held(field))
        reads = _Reads(_item(_held(field)))
        parser.add_argument(flag, required=field.required, type=reads, nargs=many, metavar=metavar, **common)


def fields_of(options: argparse.Namespace, kind: type[Order]) -> dict[str, Any]:
    """The fields of the order's own that were given, as JSON has them."""
    given = {name: vars(options).get(f"{_DEST}{name}") for name in (field.name for field in _fields(kind))}
    body = {name: value for name, value in given.items() if value is not None}
    for field in _fields(kind):
        if isinstance(_held(field), inspect.DictType) and field.name in body:
            body[field.name] = dict(body[field.name])
    return body


def example(kind: type[Order], fields: Mapping[str, Any]) -> str:
    """The words after `gameline referee` that give an order with these fields."""
    words = [kind.topic]
    for field in _fields(kind):
        value = fields.get(field.name)
        if value is None or value is False:
            continue
        words.append(f"--{field.name.replace('_', '-')}")
        words.extend(map(shlex.quote, _words(_held(field), value)))
    return " ".join(words)


# --- what a field is ---


def _fields(kind: type[Order]) -> tuple[inspect.Field, ...]:
    shape = inspect.type_info(kind)
    assert isinstance(shape, inspect.StructType), "an order is a struct"
    return tuple(field for field in shape.fields if field.name not in COMMON)


def _held(field: inspect.Field) -> inspect.Type:
    """What a field holds where it holds anything."""
    if not isinstance(field.type, inspect.UnionType):
        return field.type
    held = [each for each in field.type.types if not isinstance(each, inspect.NoneType)]
    return held[0] if len(held) == 1 else field.type


@cache
def _told() -> Mapping[str, Mapping[str, str]]:
    """What stands under each field in the source, by order, for `--help`; where there is no source, nothing."""
    try:
        tree = ast.parse(source.getsource(order_types))
    except OSError:
        return {}
    return {order.name: dict(_told_in(order)) for order in tree.body if isinstance(order, ast.ClassDef)}


def _told_in(order: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(order.body, order.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = source.cleandoc(ast.literal_eval(below.value))
            yield field.target.id, text.replace("None:", "left out:").replace("%", "%%")


def _is_numbers(kind: inspect.Type) -> bool:
    """Two numbers written as one word: a domino, or the lots of two pairs."""
    is_two = isinstance(kind, inspect.TupleType) and len(kind.item_types) == 2
    return is_two and all(isinstance(each, inspect.IntType) for each in kind.item_types)  # type: ignore[attr-defined]


def _written(kind: inspect.Type) -> tuple[int | str | None, str]:
    """How many words it takes, as argparse counts them, and what stands for one of them."""
    if isinstance(kind, inspect.TupleType) and not _is_numbers(kind):
        return len(kind.item_types), _written(kind.item_types[0])[1]
    if isinstance(kind, inspect.VarTupleType):
        return "*", _written(kind.item_type)[1]
    if isinstance(kind, inspect.DictType):
        return "+", "NAME=VALUE"
    if isinstance(kind, inspect.LiteralType):
        return None, "{" + ",".join(map(str, kind.values)) + "}"
    is_number = isinstance(kind, inspect.IntType | inspect.FloatType)
    return None, "A-B" if _is_numbers(kind) else "N" if is_number else "TEXT" if _is_text(kind) else "FILE"


def _item(kind: inspect.Type) -> inspect.Type:
    """What one word is."""
    if isinstance(kind, inspect.TupleType) and not _is_numbers(kind):
        return kind.item_types[0]
    return kind.item_type if isinstance(kind, inspect.VarTupleType) else kind


def _is_text(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.StrType)


# --- words to values ---


class _Reads:
    """A word as a value of one type; argparse names it in its message where it cannot be one."""

    def __init__(self, kind: inspect.Type) -> None:
        self._kind = kind

    def __call__(self, word: str) -> Any:
        try:
            return _value(self._kind, word)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error


def _value(kind: inspect.Type, word: str) -> Any:
    match kind:
        case inspect.LiteralType():
            if word not in kind.values:
                raise ValueError(f"expected one of {', '.join(map(str, kind.values))}, got {word!r}")
            return word
        case inspect.IntType() | inspect.FloatType():
            return _number(word, is_whole=isinstance(kind, inspect.IntType))
        case inspect.TupleType() if _is_numbers(kind):
            if (numbers := _NUMBERS.fullmatch(word.strip())) is None:
                raise ValueError(f"expected two numbers as 5-4, got {word!r}")
            return [int(numbers[1]), int(numbers[2])]
        case inspect.TupleType():
            return [_value(kind.item_types[0], part.strip()) for part in word.split(",")]
        case inspect.VarTupleType():
            return [_value(kind.item_type, part) for part in word.replace(",", " ").split()]
        case inspect.DictType():
            return _named(word)
        case inspect.StrType():
            return word
        case _:
            return _in_file(Path(word))


def _number(word: str, *, is_whole: bool) -> int | float:
    try:
        return int(word) if is_whole else float(word)
    except ValueError:
        raise ValueError(f"expected a {'whole ' if is_whole else ''}number, got {word!r}") from None


def _named(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not (name and equals):
        raise ValueError(f"expected NAME=VALUE, got {word!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _in_file(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected a file with JSON in it, got {path} ({error})") from error


# --- values to words ---


def _words(kind: inspect.Type, value: Any) -> Iterator[str]:
    """The words that `_value` makes the value of; of what is in a file, a file's name."""
    match kind:
        case inspect.BoolType():
            return
        case inspect.TupleType() | inspect.VarTupleType() if not _is_numbers(kind):
            yield from (_word(_item(kind), each) for each in value)
        case inspect.DictType():
            yield from (f"{name}={each if isinstance(each, str) else json.dumps(each)}" for name, each in value.items())
        case _:
            yield _word(kind, value)


def _word(kind: inspect.Type, value: Any) -> str:
    if _is_numbers(kind):
        return f"{value[0]}-{value[1]}"
    if isinstance(kind, inspect.VarTupleType):
        return " ".join(_word(kind.item_type, each) for each in value)
    if isinstance(kind, inspect.TupleType):
        return ",".join(_word(kind.item_types[0], each) for each in value)
    is_plain = isinstance(kind, inspect.IntType | inspect.FloatType | inspect.StrType | inspect.LiteralType)
    return str(value) if is_plain else "FILE"


def examples(kinds: Sequence[type[Order]]) -> Iterator[str]:
    """Every example of these orders, each as the words that give it."""
    for kind in kinds:
        yield from (example(kind, fields) for fields in kind.examples)
