"""Worked cases of the rules, played through the real core: what must be said of each record is written beside it.

`pytest tests/controller/test_cases.py --cases FILE` runs the cases of another file. Only the keys that a case expects
are looked at, and a key that nobody here knows fails its case.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.controller.case_scores import game, interplay, ladder, lead, readmission, seat_draw
from tests.controller.case_sets import play_set

CASES = Path(__file__).parent.parent / "data" / "cases.jsonl"

Case = dict[str, Any]
Told = dict[str, Any]
"""What the core says of a case, under the keys of `expect`."""

KINDS: dict[str, Callable[[Case], Told]] = {
    **dict.fromkeys(("legal", "lock", "draw", "lone_blank", "wrong_pass", "wrong_domino", "illegal"), play_set),
    **dict.fromkeys(("attribution", "clock", "replay", "redeal"), play_set),
    "ladder": ladder,
    "expulsion": readmission,
    "seat_draw": seat_draw,
    "lead": lead,
    "game": game,
    "interplay": interplay,
}


def cases_in(path: Path) -> list[Case]:
    """The cases of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case, of the project's own file or of those that were named."""
    if "case" in metafunc.fixturenames:
        files: list[Path] = metafunc.config.getoption("--cases") or [CASES]
        cases = [case for path in files for case in cases_in(path)]
        metafunc.parametrize("case", cases, ids=[case["id"] for case in cases])


def check(case: Case) -> None:
    """Every key of `expect` is as the core says."""
    told = KINDS[case["kind"]](case)
    for key, wanted in case["expect"].items():
        assert key in told, f"nobody here says {key!r} of a {case['kind']} case"
        if isinstance(wanted, dict) and isinstance(told[key], dict):
            got = {name: told[key].get(name) for name in wanted}
        else:
            got = told[key]
        assert got == wanted, f"{key}: the case expects {wanted}, the core says {got}"


def test_case_ends_as_its_author_worked_it_out(case: Case) -> None:
    """A worked record leads to the verdicts, line, winner and points written beside it."""
    check(case)


def test_cases_are_told_apart() -> None:
    """The project's own cases are there, each with a name of its own, and none of them is empty."""
    cases = cases_in(CASES)
    assert len({case["id"] for case in cases}) == len(cases) == 173
    assert all(case["expect"] for case in cases)


@pytest.mark.parametrize("key", ["next_seat", "set", "ends", "first_provable"])
def test_case_with_another_answer_fails(key: str) -> None:
    """The check can fail: the same record with another answer written beside it is found wrong."""
    case = next(c for c in cases_in(CASES) if c["id"] == "WP-COUNT_SEAT-01")
    expect = dict(case["expect"])
    expect[key] = {"set": {"winner": "B"}, "first_provable": None}.get(key, [9, 9])
    with pytest.raises(AssertionError, match=key):
        check({**case, "expect": expect})
