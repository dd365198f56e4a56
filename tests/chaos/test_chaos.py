"""A short set of bad days; `make chaos` has all of them, many times."""

from __future__ import annotations

import pytest

from tests.chaos.disk_faults import FailingDisk
from tests.chaos.fault import Fault
from tests.chaos.runs import run
from tests.chaos.scene import Scene
from tests.chaos.service_faults import KilledService


@pytest.fixture(scope="module")
def scene() -> Scene:
    """One table to draw."""
    return Scene()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", [KilledService, FailingDisk], ids=lambda kind: str(kind.name))
def test_nothing_is_lost_on_a_bad_day(kind: type[Fault], scene: Scene) -> None:
    """Killed, or with a disk that fails: the game goes on, and all copies of it agree."""
    outcome = run(kind, 1, scene)
    assert outcome.skipped is None
    assert outcome.wrong == ()
