"""Which files make the firmware of a seat board, under which names there, and how its build is called; no port here."""

import binascii
from collections.abc import Mapping
from pathlib import Path

MAIN = "firmware_bridge/firmware/main.py"
FILES = (
    "hardware/__init__.py",
    "hardware/buzzer.py",
    "hardware/debounce.py",
    "hardware/lamps.py",
    "firmware_bridge/__init__.py",
    "firmware_bridge/crc.py",
    "firmware_bridge/framing.py",
    "firmware_bridge/wire.py",
    "firmware_bridge/firmware/__init__.py",
    "firmware_bridge/firmware/board.py",
    "firmware_bridge/firmware/pins.py",
    MAIN,
)
"""As they lie in this program and, but for the last, on the board: there it is main.py, which runs at power-on."""

SETTINGS = "seats.txt"

LAMP_KINDS = {"leds": 1, "pwm": 2, "rgb": 3, "pixels": 4}
"""What can hang on a board, by the number of docs/lamps.md."""

_ROOT = Path(__file__).parents[1]


def files(root: Path = _ROOT) -> dict[str, bytes]:
    """The firmware's files by their names on the board, without its settings."""
    return {"main.py" if name == MAIN else name: (root / name).read_bytes() for name in FILES}


def build_of(contents: Mapping[str, bytes], version: str) -> str:
    """What the board calls its firmware: this program's version and a sum of the files, so that none can differ."""
    crc = 0
    for name in sorted(contents):
        crc = binascii.crc32(contents[name], binascii.crc32(name.encode(), crc))
    return f"gameline {version} {crc:08x}"


def settings(kind: str, pixels: int, build: str) -> bytes:
    """The settings file of a board.

    Raises:
        ValueError: There is no such lamp, or no strip of so many pixels.
    """
    if kind not in LAMP_KINDS:
        raise ValueError(f"Expected the lamps to be one of {', '.join(LAMP_KINDS)}, got {kind!r}.")
    if not 1 <= pixels <= 60:
        raise ValueError(f"Expected 1 to 60 pixels, got {pixels}.")
    return f"{LAMP_KINDS[kind]}\n{pixels}\n{build}\n".encode()
