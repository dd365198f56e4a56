"""docs/failures.md against the tests: every failure is answered by a test that there is, or says why there is none."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRIED, _, UNTRIED = (
    (ROOT / "docs" / "failures.md").read_text(encoding="utf-8").partition("## What cannot be tried here")
)
NAMED = re.compile(r"`([a-z0-9_/]+\.py)::(test_[a-z0-9_]+)`")


def _rows(text: str) -> list[list[str]]:
    """The cells of every line of the tables, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not set(line) <= set("|-")]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if "| what goes wrong |" not in line
    ]


def _tests(file: str) -> set[str]:
    """The names of the tests in a file below tests/."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_failure_names_tests_that_there_are() -> None:
    """What goes wrong, what we do, and nothing but tests, each of which is in the file it is said to be in."""
    rows = _rows(TRIED)
    assert len(rows) > 40
    for failure, cure, tests in rows:
        assert failure
        assert cure
        assert re.sub(NAMED, "", tests).strip(", ") == "", f"{failure}: expected tests only, got {tests}"
        named = NAMED.findall(tests)
        assert named, f"{failure}: no test is named"
        for file, name in named:
            assert name in _tests(file), f"{failure}: {file} has no {name}"


def test_failures_that_cannot_be_tried_say_why() -> None:
    """Each has what we do and what is missing for a test."""
    rows = _rows(UNTRIED)
    assert rows
    for cells in rows:
        assert len(cells) == 3
        assert all(cells)


def test_no_failure_stands_twice() -> None:
    """One row for each, so that a reader finds the one answer."""
    failures = [row[0] for row in (*_rows(TRIED), *_rows(UNTRIED))]
    assert len(failures) == len(set(failures))
