"""The AsyncAPI document before AsyncAPI's own parser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.asyncapi import asyncapi
from controller.schema import TOPICS
from tests.contract.node import MODULES, WHY_NOT, command

WARNING = 1
"""Of the parser's severities: 0 is an error, 2 and more are hints."""

pytestmark = pytest.mark.skipif(not MODULES, reason=WHY_NOT)


def parsed(folder: Path, document: object) -> dict[str, list[dict[str, str]]]:
    """What the parser says."""
    shutil.copy(Path(__file__).with_name("parse.mjs"), folder)
    ran = subprocess.run(
        command(folder, "parse.mjs"), input=json.dumps(document), capture_output=True, text=True, timeout=50, check=True
    )
    said: dict[str, list[dict[str, str]]] = json.loads(ran.stdout)
    return said


def test_parser_finds_nothing_wrong_and_every_operation(tmp_path: Path) -> None:
    """No error and no warning; every topic but the answers is an operation, with its address and a payload."""
    said = parsed(tmp_path, asyncapi())
    assert [each for each in said["diagnostics"] if int(each["severity"]) <= WARNING] == []
    assert len(said["operations"]) == len(TOPICS) - 1
    for action, address, payloads in said["operations"]:
        name = address.removeprefix("gameline/v1/{table}/")
        assert action == ("receive" if TOPICS[name].is_order else "send")
        assert len(payloads) == 1
        assert payloads[0]


def test_parser_would_find_what_is_wrong(tmp_path: Path) -> None:
    """A schema that is none, and a reference that leads nowhere, are errors."""
    document = asyncapi()
    document["components"]["schemas"] = {**document["components"]["schemas"], "Part": {"type": "thing"}}
    document["channels"]["meta"]["messages"]["meta"] = {"$ref": "#/components/messages/nowhere"}
    said = parsed(tmp_path, document)
    wrong = [each["path"] for each in said["diagnostics"] if int(each["severity"]) == 0]
    assert any("Part/type" in path for path in wrong), said["diagnostics"]
    assert any(path.startswith("channels/meta") for path in wrong), said["diagnostics"]
