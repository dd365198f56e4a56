"""docs/rules.md against the code and the tests: every paragraph is tried, every parameter and refusal is in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import get_type_hints

import pytest

from controller.game.events import Ending, FindingKind, Reason
from controller.game.paragraphs import PARAGRAPHS
from controller.game.rulesets import Params, fours, spots, values_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
PLAYERS = (ROOT / "docs" / "players.md").read_text(encoding="utf-8")
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py"))}

NUMBERED = re.compile(r"^\*\*(\d+)\.(\d+)\*\* (.*)$", re.DOTALL)
CLAUSES = re.compile(r"\((?:[CR]\d+(?:\.\d)?|ours)(?:, (?:[CR]\d+(?:\.\d)?|ours))*\)$")
CITED = re.compile(r"mark\.rule\(\"(\d+\.\d+)\"\)")


def _paragraphs() -> list[tuple[str, str]]:
    """Number and text of every paragraph, in the order of the page."""
    found = (NUMBERED.match(block.strip()) for block in TEXT.split("\n\n"))
    return [(f"{m[1]}.{m[2]}", " ".join(m[3].split())) for m in found if m is not None]


PARAGRAPH = dict(_paragraphs())


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of parameters."""

    fours: str
    spots: str
    values: str
    paragraphs: tuple[str, ...]


def _rows() -> dict[str, Row]:
    """The table of parameters by name."""
    table = TEXT[TEXT.index("| parameter |") :].split("\n\n")[0].splitlines()[2:]
    rows = {}
    for line in table:
        name, in_fours, in_spots, values, places = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name.strip("`")] = Row(in_fours.strip("`"), in_spots.strip("`"), values, tuple(places.split(", ")))
    return rows


ROWS = _rows()


def _written(value: object) -> str:
    """A value as the page writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def test_paragraphs_are_numbered_without_gaps() -> None:
    """Every chapter begins with 1 and goes on by one; no number stands twice."""
    chapters = [int(number) for number in re.findall(r"^## (\d+)\. ", TEXT, re.MULTILINE)]
    assert chapters == list(range(1, 19))
    numbers = [tuple(map(int, number.split("."))) for number, _ in _paragraphs()]
    counts = Counter(chapter for chapter, _ in numbers)
    assert numbers == [(chapter, place) for chapter in chapters for place in range(1, counts[chapter] + 1)]
    assert set(counts) == set(chapters)


def test_every_paragraph_names_where_it_comes_from() -> None:
    """The clauses of the texts stand at its end, or `ours` where the texts are silent."""
    for number, text in _paragraphs():
        assert CLAUSES.search(text), f"{number}: {text[-40:]}"


def test_every_paragraph_is_tried_and_every_citation_leads_somewhere() -> None:
    """A test cites each paragraph by its number, and no test cites one that does not exist."""
    cited = {number for text in SOURCES.values() for number in CITED.findall(text)}
    assert sorted(PARAGRAPH.keys() - cited) == []
    assert sorted(cited - PARAGRAPH.keys()) == []


@pytest.mark.parametrize("kind", [Reason, FindingKind, Ending])
def test_every_refusal_finding_and_ending_rests_on_a_paragraph(kind: type[Enum]) -> None:
    """None is left out, none leads to a paragraph that does not exist."""
    members = [member for member in PARAGRAPHS if isinstance(member, kind)]
    assert members == list(kind)
    assert [PARAGRAPHS[member] for member in members if PARAGRAPHS[member] not in PARAGRAPH] == []


@pytest.mark.parametrize("member", [*Reason, *FindingKind], ids=lambda member: f"{type(member).__name__}.{member.name}")
def test_paragraph_of_a_refusal_or_finding_names_it(member: Reason | FindingKind) -> None:
    """Who looks the paragraph up finds the word that the table gave him."""
    assert f"`{member.value}`" in PARAGRAPH[PARAGRAPHS[member]]


def test_table_has_every_parameter_with_the_defaults_of_both_texts() -> None:
    """As the code has them, in the same order."""
    in_fours, in_spots = values_of(fours()), values_of(spots())
    assert list(ROWS) == [field.name for field in fields(Params)]
    for name, row in ROWS.items():
        assert (row.fours, row.spots) == (_written(in_fours[name]), _written(in_spots[name])), name


HINTS = get_type_hints(Params)


@pytest.mark.parametrize("name", [field.name for field in fields(Params)])
def test_parameter_is_explained_with_all_its_values(name: str) -> None:
    """The paragraphs it is sent to name it, and each value that it can have, as the table does."""
    row = ROWS[name]
    words = [PARAGRAPH[number] for number in row.paragraphs]
    assert all(f"`{name}`" in text for text in words)
    hint = HINTS[name]
    values = [m.value for m in hint] if isinstance(hint, type) and issubclass(hint, Enum) else []
    values = ["true", "false"] if hint is bool else values
    for value in values:
        assert f"`{value}`" in row.values
        assert any(f"`{value}`" in text for text in words), f"{name} {value}"
    if values:
        assert re.findall(r"`(\w+)`", row.values).__len__() == len(values)


@pytest.mark.parametrize("name", [field.name for field in fields(Params) if field.name != "version"])
def test_every_value_of_a_parameter_is_tried_by_the_tests_of_the_rules(name: str) -> None:
    """Each value stands in a test that cites a paragraph, or all of them are tried one by one."""
    sources = "\n".join(text for path, text in SOURCES.items() if path.name.startswith("test_rules_"))
    hint = HINTS[name]
    if isinstance(hint, type) and issubclass(hint, Enum):
        is_whole = re.search(rf"parametrize\(\"\w+\", {hint.__name__}\)|in {hint.__name__}:", sources)
        missing = [m.name for m in hint if not re.search(rf"\b{hint.__name__}\.{m.name}\b", sources)]
        assert is_whole or missing == [], f"{name}: no test for {missing}"
    else:
        assert re.search(rf"\b{name}=|\"{name}\"", sources), f"{name}: no test sets it"


def test_page_for_players_sends_them_to_the_rules_and_the_lamps() -> None:
    """Both pages are linked; the limits that it tells are those of the code."""
    assert "](rules.md)" in PLAYERS
    assert "](lamps.md)" in PLAYERS
    assert f"{fours().think_seconds:g} seconds for a move" in PLAYERS
    assert f"{spots().wrong_pass_result} in `spots`" in PLAYERS
