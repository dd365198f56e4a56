"""For every test: a property may take its time on a busy machine; and further cases of the rules may be named."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("gameline", deadline=None)
settings.load_profile("gameline")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--cases FILE`, as often as there are files: test_cases.py runs these instead of its own."""
    parser.addoption("--cases", action="append", type=Path, default=[], metavar="FILE", help="worked cases, JSON Lines")
