"""Messages held against the schemas that `gameline schema` prints; here a field that no schema names fails."""

from __future__ import annotations

import functools
from typing import Any

import jsonschema

from controller.schema import TOPICS, schema_of


def check(topic: str, body: object) -> None:
    """Raise where a message on `topic`, below the table's prefix, is not as its schema says."""
    is_reply = topic.startswith("reply/")
    _validator("reply" if is_reply else topic).validate(body)


@functools.cache
def _validator(name: str) -> jsonschema.Draft7Validator:
    schema = schema_of(TOPICS[name])
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(_closed(schema))


def _closed(node: Any) -> Any:
    """A schema whose records have no other fields than it names."""
    if isinstance(node, list):
        return [_closed(each) for each in node]
    if not isinstance(node, dict):
        return node
    told = {key: _closed(value) for key, value in node.items()}
    return {"additionalProperties": False, **told} if isinstance(node.get("properties"), dict) else told
