"""Events of the core to plain JSON records and back, by their type's name; the core itself never learns of JSON."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from typing import Any

import msgspec

from controller.game import events as ev
from controller.game.rulesets import RuleSet, spots, values_of


def type_name(event: type) -> str:
    """The name of an event in journal and topics: `DominoLaid` is `domino_laid`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


EVENTS: dict[str, type] = {type_name(kind): kind for kind in typing.get_args(ev.Event)}


class UnknownEvent(ValueError):
    """A journal entry that this version cannot understand."""


def body_of(event: ev.Event) -> dict[str, Any]:
    """The event's fields as plain JSON values; what has no order, as a ledger's withdrawn ids, is sorted."""
    body: dict[str, Any] = msgspec.to_builtins(event, builtin_types=(), order="deterministic")
    return body


def event_of(name: str, body: Mapping[str, Any]) -> ev.Event:
    """The event called `name` with the fields of `body`.

    Raises:
        UnknownEvent: no such event, or its fields are not as they should be.
    """
    kind = EVENTS.get(name)
    if kind is None:
        raise UnknownEvent(f"expected an event this version knows, got {name!r}: update Gameline to read this journal")
    try:
        event: ev.Event = msgspec.convert(_completed(body), kind, strict=True)
    except (msgspec.ValidationError, ValueError) as error:
        raise UnknownEvent(f"expected the fields of {name!r}, got {body!r}: {error}") from error
    return event


def _completed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body with the parameters that did not exist when it was written, as its rule set has them."""
    params = body.get("params")
    if not isinstance(params, Mapping) or params.get("rule_set") != RuleSet.SPOTS.value:
        return dict(body)  # those of `fours` are the types' own defaults
    return {**body, "params": {**values_of(spots()), **params}}
