"""Programs for Node.js run by the tests, with the packages of package.json beside them: `make test-contract`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MODULES = os.environ.get("GAMELINE_TEST_NODE", "")
"""The folder of the packages; empty where there are none."""
WHY_NOT = "no Node.js with its packages: make test-contract brings them"


def command(folder: Path, program: str, *arguments: str) -> list[str]:
    """What starts a program that was written to this folder, which can import the packages from there."""
    (folder / "node_modules").symlink_to(Path(MODULES).absolute())
    node = shutil.which("node")
    assert node is not None
    return [node, str(folder / program), *arguments]
