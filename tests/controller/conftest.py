"""A real broker of its own for each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.mosquitto import Mosquitto
from tests.controller.brokers import KIND, NAME, Broker, forget


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What this run's broker cannot do is left out, and said."""
    for item in items:
        lacking = {need for mark in item.iter_markers("needs") for need in mark.args} & KIND.cannot
        if lacking:
            item.add_marker(pytest.mark.skip(reason=f"{NAME}: {', '.join(sorted(lacking))}"))


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running broker that forgets everything when it ends; stop, kill and start it at will, the port stays."""
    directory = tmp_path / "broker"
    directory.mkdir()
    with Mosquitto(directory) as broker:
        yield broker


@pytest.fixture(scope="session")
def kept_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The one broker for all tests, where it is slow to start."""
    with KIND.make(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture
def broker(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A running broker of this run's kind that remembers nothing yet; end and start it at will, the port stays."""
    if KIND.is_slow:
        kept: Broker = request.getfixturevalue("kept_broker")
        kept.start()
        yield kept
        kept.start()
        forget(kept)
        return
    directory = tmp_path / "broker"
    directory.mkdir()
    with KIND.make(directory) as broker:
        yield broker


@pytest.fixture
def lasting_broker(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Broker]:
    """The same, one that keeps its retained messages when it is stopped and started again."""
    if KIND.is_slow:
        yield request.getfixturevalue("broker")
        return
    directory = tmp_path / "lasting-broker"
    directory.mkdir()
    with KIND.make_lasting(directory) as broker:
        yield broker
