"""Fresh mock pins for every test."""

from collections.abc import Iterator

import pytest

from tests.hardware.mock_table import MockTable


@pytest.fixture
def table() -> Iterator[MockTable]:
    """A table nobody sits at yet; its pins are given back afterwards."""
    table = MockTable()
    yield table
    if table.seats is not None:
        table.seats.close()
    table.factory.reset()
