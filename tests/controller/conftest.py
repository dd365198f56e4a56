"""A real mosquitto of its own for each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.mosquitto import Mosquitto


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running broker that forgets everything when it ends; stop, kill and start it at will, the port stays."""
    directory = tmp_path / "broker"
    directory.mkdir()
    with Mosquitto(directory) as broker:
        yield broker


@pytest.fixture
def lasting_mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running broker that keeps its retained messages and sessions when it is stopped and started again."""
    directory = tmp_path / "lasting-broker"
    directory.mkdir()
    with Mosquitto(directory, persistence=True) as broker:
        yield broker
