"""Health: no fault without a code, no code without its line in the docs, each told when it comes and goes."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller import journal_errors as je
from controller import messages
from controller.faults import Trouble
from controller.health import CODES, PARTS, Health, Part
from vision.vigil import LOOKS

ROOT = Path(__file__).parents[2]
SOURCES = [path for room in ("controller", "hardware", "firmware_bridge") for path in (ROOT / room).rglob("*.py")]
CODE_AT = {"Trouble": 0, "Fault": 1, "Ails": 1, "Ailing": 0}
"""Where a call that makes a fault has its code."""


def codes_in(path: Path) -> Iterator[str]:
    """Every code that a file writes down where it makes a fault."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CODE_AT:
            at = CODE_AT[node.func.id]
            if len(node.args) > at and isinstance(node.args[at], ast.Constant):
                yield node.args[at].value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
            if not isinstance(node.value.value, str):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "code" for target in targets):
                yield node.value.value


def test_every_fault_has_a_code_that_the_table_knows() -> None:
    """Of the journal, the camera's vigil, and whatever else is written down in a source."""
    told = {code for path in SOURCES if path.name != "health.py" for code in codes_in(path)}
    told |= {error.code for error in je.JournalError.__subclasses__()} | set(LOOKS) | {"not_held"}
    assert told - set(CODES) == set()
    assert len(told) > 20


def test_every_code_of_the_table_is_told_by_somebody() -> None:
    """A code that nobody can tell is an empty promise."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "health.py")
    text += (ROOT / "vision" / "vigil.py").read_text(encoding="utf-8")
    assert [code for code in CODES if f'"{code}"' not in text] == []


def test_documentation_has_the_same_table() -> None:
    """Code, part, status, what is wrong and what to do, in one order."""
    rows = re.findall(
        r"^\| `(\w+)` \| (\w+) \| (\w+) \| (.+) \| (.+) \|$", (ROOT / "docs" / "health.md").read_text(), re.MULTILINE
    )
    assert rows == [(code, f.part, f.status, f.wrong, f.to_do) for code, f in CODES.items()]


def nothing() -> dict[Part, list[Trouble]]:
    return {part: [] for part in PARTS}


def test_fault_is_logged_with_its_code_when_it_comes_and_when_it_goes(caplog: pytest.LogCaptureFixture) -> None:
    """Once each, at the level of what it does to the table; two seats with the same fault are two, a moment is none."""
    caplog.set_level(logging.INFO)
    now_s = [0.0]
    health = Health(clock_ns=lambda: round(now_s[0] * 1e9), logger=logging.getLogger("tests"))
    wrong = nothing()
    wrong["disk"] = [Trouble("disk_full", "no room")]
    wrong["seats"] = [Trouble("button_held", f"seat {seat}: held", f"seat {seat}") for seat in (1, 2)]
    wrong["broker"] = [Trouble("broker_away", "not yet")]
    health.look(wrong)
    wrong["broker"] = []
    for now_s[0] in (1.0, 2.0):
        parts = health.look(wrong)
    assert parts.disk == messages.Part("failed", "no room", ("disk_full",))
    assert parts.seats == messages.Part("degraded", "seat 1: held; seat 2: held", ("button_held",))
    assert parts.camera == messages.Part("ok", "", ())
    assert health.codes == ("disk_full", "button_held")
    now_s[0] = 30.0
    health.look(nothing())
    told = [(record.levelname, record.getMessage(), record.__dict__["fault"]) for record in caplog.records]
    assert told == [
        ("ERROR", "disk_full: no room", "disk_full"),
        ("WARNING", "button_held: seat 1: held", "button_held"),
        ("WARNING", "button_held: seat 2: held", "button_held"),
        ("INFO", "disk_full is over after 30 s", "disk_full"),
        ("INFO", "button_held at seat 1 is over after 30 s", "button_held"),
        ("INFO", "button_held at seat 2 is over after 30 s", "button_held"),
    ]


def test_code_that_the_table_lacks_ends_no_game() -> None:
    """The table is ours to complete; until then the part is degraded and the sentence is told."""
    wrong = nothing()
    wrong["camera"] = [Trouble("unheard_of", "something")]
    health = Health(clock_ns=lambda: 0, logger=logging.getLogger("tests"))
    assert health.look(wrong).camera == messages.Part("degraded", "something", ("unheard_of",))
