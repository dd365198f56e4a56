"""The contract as files: the schemas say what is sent, what is refused, and one AsyncAPI document has them all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from controller.cli import main
from controller.codec import EVENTS, body_of, type_name
from controller.messages import Event
from controller.orders import ORDERS
from controller.schema import COMPONENTS, TOPICS, schema_of
from tests.controller import contract
from tests.controller.test_codec import OLD, ONE_OF_EACH

DOCUMENT = Path(__file__).parents[2] / "docs" / "mqtt.md"
ORDER = {"id": "1", "sent_ms": 1764465000000, "by": "referee", "client": "tests"}


def event(name: str, body: object) -> Any:
    """An entry of the journal as it is published."""
    sent = msgspec.to_builtins(Event(7, name, 10**18, "boot", "2026-01-01T00:00:00Z", True, False, {}))
    return {**sent, "body": json.loads(json.dumps(body))}


@pytest.mark.parametrize("happened", ONE_OF_EACH, ids=lambda happened: type_name(type(happened)))
def test_every_kind_of_event_is_as_its_schema_says(happened: Any) -> None:
    """Each with every field that it may have; and the schema of one kind is not that of another."""
    name = type_name(type(happened))
    sent = event(name, body_of(happened))
    contract.check(f"event/{name}", sent)
    with pytest.raises(jsonschema.ValidationError):
        contract.check(f"event/{name}", {**sent, "type": "shuffled"})


def test_event_of_an_older_version_keeps_the_contract() -> None:
    """What an earlier version has written is sent as it was: fields that came later may be missing."""
    for name, body, _ in OLD:
        contract.check(f"event/{name}", event(name, json.loads(body)))


def test_every_example_of_the_documents_is_an_order() -> None:
    """Whoever checks an order against its schema before sending it may send what docs/mqtt.md shows."""
    examples = re.findall(r"^(\w+) +(\{.*\})$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name, _ in examples} == set(ORDERS)
    for name, fields in examples:
        contract.check(f"cmd/{name}", {**ORDER, **json.loads(fields)})


@pytest.mark.parametrize(
    ("topic", "body"),
    [
        ("cmd/pause", {"id": "1"}),
        ("cmd/pause", {**ORDER, "seat": 1}),
        ("cmd/lay", {**ORDER, "tile": [5], "end": "R"}),
        ("cmd/lay", {**ORDER, "tile": [5, 4, 3], "end": "R"}),
        ("cmd/lay", {**ORDER, "tile": [5, 4], "end": "middle"}),
        ("cmd/start_set", {**ORDER, "lead": 4}),
        ("connection", {"status": "away", "boot_id": "1", "version": "1"}),
        ("connection", {"status": "online", "boot_id": "1", "version": "1", "mood": "good"}),
        ("event/passed", event("passed", {"at": 1, "seat": 4})),
        ("event/passed", event("passed", {"at": 1})),
        ("selftest", {"running": True}),
        ("reply/x", {"id": "1", "accepted": "yes"}),
    ],
)
def test_what_is_no_message_is_none(topic: str, body: object) -> None:
    """A missing field, another type, a seat or word that does not exist, a field that no schema names."""
    with pytest.raises(jsonschema.ValidationError):
        contract.check(topic, body)


def test_schemas_say_in_words_what_the_types_say() -> None:
    """Choices are listed, and the sentence below a field in the code stands beside it."""
    status = COMPONENTS["Connection"]["properties"]["status"]
    assert sorted(status["enum"]) == ["lost", "offline", "online"]
    assert status["description"].startswith("`offline`: it was switched off in order")
    assert "game_over" in COMPONENTS["Phase"]["enum"]
    assert COMPONENTS["LayOrder"]["properties"]["seat"]["description"] == "null: the seat on turn."
    assert COMPONENTS["LayOrder"]["properties"]["client"]["description"] == "Where the answer goes: reply/<client>."


def test_components_have_names_of_their_own() -> None:
    """Two records of one name would be told apart by the names of our files, which are no part of the contract."""
    assert [name for name in COMPONENTS if not name.isidentifier()] == []


def test_schema_points_to_nothing_outside_itself() -> None:
    """Each can be saved and used alone."""
    for topic in TOPICS.values():
        schema = schema_of(topic)
        for place in re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema)):
            assert place.removeprefix("#/definitions/") in schema["definitions"], (topic.name, place)


def test_command_lists_the_topics_and_prints_the_schema_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name what there is; with one its schema; with another a sentence."""
    assert main(["schema"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(TOPICS)
    assert {f"event/{name}" for name in EVENTS} | {f"cmd/{name}" for name in ORDERS} <= {*listed}
    assert main(["schema", "event/passed"]) == 0
    assert json.loads(capsys.readouterr().out) == schema_of(TOPICS["event/passed"])
    assert main(["schema", "event/shuffled"]) == 1
    assert "expected a topic as `gameline schema` lists them, got 'event/shuffled'" in capsys.readouterr().err


def test_asyncapi_document_has_a_channel_for_each_topic(capsys: pytest.CaptureFixture[str]) -> None:
    """Addresses, quality of service and what is retained are those of docs/mqtt.md; every reference leads somewhere."""
    assert main(["schema", "--asyncapi"]) == 0
    printed = capsys.readouterr().out
    document = json.loads(printed)
    addresses = {channel["address"] for channel in document["channels"].values()}
    assert addresses == {f"gameline/v1/{{table}}/{name}{'/{client}' * (name == 'reply')}" for name in TOPICS}
    for place in set(re.findall(r'"\$ref": "#/([^"]*)"', printed)):
        found = document
        for part in place.split("/"):
            found = found[part]
    rows = re.findall(
        r"^\| `([\w/<>]+)`[^|]* \| (yes|no|never) \| (\d) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE
    )
    told = {name.partition("/<")[0]: (retained == "yes", int(qos)) for name, retained, qos in rows}
    assert set(told) == {name.partition("/")[0] for name in TOPICS}
    for operation in document["operations"].values():
        name = operation["channel"]["$ref"].removeprefix("#/channels/").partition(".")[0]
        mqtt = operation["bindings"]["mqtt"]
        assert (mqtt["retain"], mqtt["qos"]) == told[name], name
        assert operation["action"] == ("receive" if name == "cmd" else "send")
