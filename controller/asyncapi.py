"""The AsyncAPI 3 document of a table, and `gameline schema`, which prints it or the schema of one topic."""

from __future__ import annotations

import argparse
import json

from controller.cli import Sorry
from controller.machine import VERSION
from controller.schema import COMPONENTS, TOPICS, Schema, Topic, schema_of

PREFIX = "gameline/v1/{table}/"
CLIENT = (
    "Who gave the order, as it says itself. Where the broker has accounts an order may come on cmd/<name>/<account>; "
    "its answer goes to reply/<account>/<client> then."
)
ABOUT = (
    "What a smart domino table says over MQTT, and the orders it takes. Readers ignore fields they do not know; inside "
    "v1 fields are only added. docs/mqtt.md tells the rest."
)


def schema(options: argparse.Namespace) -> int:
    """Print what was asked for; without a name the names there are, each with what it is."""
    if options.asyncapi:
        print(json.dumps(asyncapi(), indent=2, ensure_ascii=False))
    elif options.topic is None:
        width = max(map(len, TOPICS))
        print("\n".join(f"{topic.name:<{width}}  {topic.what}" for topic in TOPICS.values()))
    elif options.topic in TOPICS:
        print(json.dumps(schema_of(TOPICS[options.topic]), indent=2, ensure_ascii=False))
    else:
        raise Sorry(
            f"expected a topic as `gameline schema` lists them, got {options.topic!r}: one is event/domino_laid"
        )
    return 0


def asyncapi() -> Schema:
    """The AsyncAPI document of a table."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Gameline",
            "version": VERSION,
            "description": ABOUT,
            "license": {"name": "MIT"},
            "tags": [{"name": "dominoes"}],
        },
        "defaultContentType": "application/json",
        "servers": {"broker": {"host": "127.0.0.1:1883", "protocol": "mqtt", "protocolVersion": "5"}},
        "channels": {_key(topic): _channel(topic) for topic in TOPICS.values()},
        "operations": {_key(topic): _operation(topic) for topic in TOPICS.values() if topic.name != "reply"},
        "components": {
            "schemas": COMPONENTS,
            "messages": {_key(topic): _message(topic) for topic in TOPICS.values()},
            "parameters": {
                "table": {"description": "The table's name, as its configuration has it."},
                "client": {"description": CLIENT},
            },
        },
    }


def _key(topic: Topic) -> str:
    """Its name in the document, where a key has no slash."""
    return topic.name.replace("/", ".")


def _channel(topic: Topic) -> Schema:
    names = ["table", "client"] if topic.name == "reply" else ["table"]
    return {
        "address": f"{PREFIX}reply/{{client}}" if topic.name == "reply" else f"{PREFIX}{topic.name}",
        "description": topic.what,
        "messages": {_key(topic): {"$ref": f"#/components/messages/{_key(topic)}"}},
        "parameters": {name: {"$ref": f"#/components/parameters/{name}"} for name in names},
    }


def _operation(topic: Topic) -> Schema:
    operation: Schema = {
        "action": "receive" if topic.is_order else "send",
        "channel": {"$ref": f"#/channels/{_key(topic)}"},
        "summary": topic.what,
        "bindings": {"mqtt": {"qos": topic.qos, "retain": topic.is_retained, "bindingVersion": "0.2.0"}},
    }
    if topic.is_order:
        where = {"location": "$message.payload#/client", "description": "reply/<client>"}
        operation["reply"] = {"channel": {"$ref": "#/channels/reply"}, "address": where}
    return operation


def _message(topic: Topic) -> Schema:
    return {"name": topic.name, "title": topic.name, "summary": topic.what, "payload": topic.payload}
