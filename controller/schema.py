"""The JSON Schema of everything that goes over MQTT, generated from the types that are sent and read.

Nothing is described here that a type says itself: names, fields, choices and the sentences beside them are the types'.
The dialect is draft-07, which is the one that AsyncAPI speaks.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import inspect as types

from controller.codec import EVENTS
from controller.game.snapshot import Snapshot
from controller.messages import (
    Connection,
    DoctorsWord,
    Event,
    Health,
    Heartbeat,
    Meta,
    SelfTestOver,
    SelfTestRunning,
)
from controller.orders import ORDERS, Answer

DIALECT = "http://json-schema.org/draft-07/schema#"
_COMPONENTS = "#/components/schemas/"

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Topic:
    """What goes over one topic."""

    name: str
    """Below `gameline/v1/<table>/`, without the client of a reply."""
    kinds: tuple[type, ...]
    """The types of what may be sent there; of an event that of its body."""
    what: str
    """In one sentence."""
    is_retained: bool = False
    qos: int = 1

    @property
    def is_order(self) -> bool:
        """Whether the table receives it."""
        return self.name.startswith("cmd/")

    @property
    def is_event(self) -> bool:
        """Whether it is an entry of the journal."""
        return self.name.startswith("event/")

    @property
    def payload(self) -> Schema:
        """Its schema, pointing to the components of all topics."""
        if self.is_event:
            return _event_schema(self.name.removeprefix("event/"), self.kinds[0])
        schemas = [{"$ref": f"{_COMPONENTS}{_component(kind)}"} for kind in self.kinds]
        return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def _topics() -> Iterator[Topic]:
    retained: dict[str, type] = {"connection": Connection, "meta": Meta, "state": Snapshot, "health": Health}
    for name, kind in retained.items():
        yield Topic(name, (kind,), _first_words(kind), is_retained=True)
    tests = (SelfTestRunning, SelfTestOver)
    yield Topic("selftest", tests, "The self-test that goes on, or what came of the last one.", is_retained=True)
    yield Topic("heartbeat", (Heartbeat,), _first_words(Heartbeat), qos=0)
    yield Topic("doctor", (DoctorsWord,), _first_words(DoctorsWord))
    for name, kind in EVENTS.items():
        yield Topic(f"event/{name}", (kind,), _first_words(kind))
    for name, kind in ORDERS.items():
        yield Topic(f"cmd/{name}", (kind,), _first_words(kind))
    yield Topic("reply", (Answer,), "The answer to an order, on `reply/<client>`, once.")


def schema_of(topic: Topic) -> Schema:
    """The JSON Schema of one topic's messages, whole in itself."""
    root = topic.payload
    needed: dict[str, Schema] = {}
    waiting = _refs(root)
    while waiting:
        if (name := waiting.pop()) not in needed:
            needed[name] = COMPONENTS[name]
            waiting |= _refs(needed[name])
    body = {"allOf": [root]} if "$ref" in root else root  # beside a reference nothing counts
    words = {"title": topic.name, "description": topic.what}
    definitions = {name: needed[name] for name in sorted(needed)}
    whole: Schema = _pointed({"$schema": DIALECT, **body, **words, "definitions": definitions}, "#/definitions/")
    return whole


# --- the types --------------------------------------------------------------------------------------------------------


def _component(kind: type) -> str:
    """Its name among the components; an order may have the name of a parameter's choices."""
    return f"{kind.__name__}Order" if kind in ORDERS.values() else kind.__name__


def _components() -> dict[str, Schema]:
    orders = [kind for topic in TOPICS.values() if topic.is_order for kind in topic.kinds]
    said = [Event, *(kind for topic in TOPICS.values() if not topic.is_order for kind in topic.kinds)]
    lasting = {record.__name__ for record in _records(types.multi_type_info(EVENTS.values()))}
    components: dict[str, Schema] = {}
    for kinds, ending in ((said, ""), (orders, "Order")):
        made = msgspec.json.schema_components(kinds, ref_template=f"{_COMPONENTS}{{name}}{ending}")[1]
        records = {record.__name__: record for record in _records(types.multi_type_info(kinds))}
        for name, schema in made.items():
            is_whole = not ending and name not in lasting  # an older version's event lacks what came later
            components[name + ending] = _draft_07(_described(schema, records.get(name), is_whole=is_whole))
    return components


def _event_schema(name: str, body: type) -> Schema:
    """An entry of the journal whose body is one kind of event."""
    envelope = COMPONENTS[Event.__name__]
    closed = {"type": {"const": name}, "body": {"$ref": f"{_COMPONENTS}{_component(body)}"}}
    return {**envelope, "title": name, "properties": {**envelope["properties"], **closed}}


def _records(found: Sequence[types.Type]) -> Iterator[type]:
    """Every record in some types, however deep; a type may come more than once."""
    for info in found:
        if isinstance(info, types.StructType | types.DataclassType):
            yield info.cls
            yield from _records([field.type for field in info.fields])
        elif isinstance(info, types.UnionType):
            yield from _records(info.types)
        elif isinstance(info, types.TupleType):
            yield from _records(info.item_types)
        elif isinstance(info, types.CollectionType):
            yield from _records([info.item_type])


def _described(schema: Schema, record: type | None, *, is_whole: bool) -> Schema:
    """A record's schema with the sentences that stand in the code below its fields.

    Where it is always sent whole, fields with a default are required too: only what has none may be left out.
    """
    if "description" in schema:
        schema = {**schema, "description": _first_paragraph(schema["description"])}
    if record is None:
        return schema
    notes = {name: text for kind in reversed(record.__mro__[:-1]) for name, text in _notes(kind).items()}
    told = {
        name: {**field, "description": notes[name]} if name in notes else field
        for name, field in schema["properties"].items()
    }
    always = {name for name, field in told.items() if is_whole and "default" in field}
    return {**schema, "properties": told, "required": [n for n in told if n in always or n in schema["required"]]}


def _notes(record: type) -> dict[str, str]:
    """The docstrings below a record's own fields, by field."""
    written = _classes(record.__module__).get(record.__name__)
    return {
        field.target.id: _first_paragraph(note.value.value)
        for field, note in pairwise(written.body if written is not None else ())
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(note, ast.Expr)
        and isinstance(note.value, ast.Constant)
        and isinstance(note.value.value, str)
    }


@functools.cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module as they are written; `inspect` itself would read all of it anew for each of them."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _draft_07(node: Any) -> Any:
    """The same in the older dialect: tuples are lists of items, and beside a reference nothing counts."""
    if isinstance(node, list | tuple):
        return [_draft_07(each) for each in node]
    if not isinstance(node, dict):
        return node
    told = {key: _draft_07(value) for key, value in node.items()}
    if "prefixItems" in told:
        told["additionalItems"], told["items"] = told["items"], told.pop("prefixItems")
    if "$ref" in told and len(told) > 1:
        told["allOf"] = [{"$ref": told.pop("$ref")}]
    return told


def _refs(node: Any) -> set[str]:
    """The components that a schema points to itself."""
    if isinstance(node, list):
        return {name for each in node for name in _refs(each)}
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"].removeprefix(_COMPONENTS)} if isinstance(node.get("$ref"), str) else set()
    return own | {name for value in node.values() for name in _refs(value)}


def _pointed(node: Any, place: str) -> Any:
    """The same schema, pointing to components at another place."""
    if isinstance(node, list):
        return [_pointed(each, place) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value.replace(_COMPONENTS, place) if key == "$ref" and isinstance(value, str) else _pointed(value, place)
        for key, value in node.items()
    }


def _first_paragraph(text: str) -> str:
    """For a reader of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split("\n\n")[0].split()))


def _first_words(kind: type) -> str:
    return _first_paragraph(inspect.getdoc(kind) or "")


TOPICS = {topic.name: topic for topic in _topics()}
"""Every topic by its name."""
COMPONENTS = _components()
"""The schema of every record that any message has in it, by name."""
