"""Orders as words of a command line: every example of every order, there and back."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from controller.order_types import Order
from controller.order_words import add_fields, example, fields_of
from controller.orders import ORDERS

EXAMPLES = [(kind, fields) for kind in ORDERS.values() for fields in kind.examples]


def read(kind: type[Order], words: list[str]) -> dict[str, Any]:
    """The fields that these words give."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_fields(parser, kind)
    return fields_of(parser.parse_args(words), kind)


@pytest.mark.parametrize(("kind", "fields"), EXAMPLES, ids=[example(*each) for each in EXAMPLES])
def test_example_is_read_back_as_what_it_is(kind: type[Order], fields: Mapping[str, Any], tmp_path: Path) -> None:
    """What the help shows can be typed, and gives the fields that it was made of; a ledger comes from its file."""
    name, *words = shlex.split(example(kind, fields))
    for place, word in enumerate(words):
        if word == "FILE":
            words[place] = str(tmp_path / "ledger.json")
            (tmp_path / "ledger.json").write_text(json.dumps(fields["ledger"]))
    assert (name, read(kind, words)) == (kind.topic, fields)


def test_every_field_of_every_order_is_an_option() -> None:
    """None is left out: what JSON can say, the command line can."""
    for kind in ORDERS.values():
        parser = argparse.ArgumentParser()
        add_fields(parser, kind)
        flags = {action.option_strings[-1] for action in parser._actions} - {"--help"}
        own = [name for name in kind.__struct_fields__ if name not in Order.__struct_fields__]
        assert flags == {f"--{name.replace('_', '-')}" for name in own}


def test_what_a_field_is_stands_in_its_help() -> None:
    """The sentence under the field in the source, said as the command line says it."""
    parser = argparse.ArgumentParser()
    add_fields(parser, ORDERS["lay"])
    text = " ".join(parser.format_help().split())
    assert "--tile A-B The half at the joint first; of the first domino the left half." in text
    assert "--seat N left out: the seat on turn." in text
