"""Test cases: a frame kept with where the table lies and what was read, in a folder of labels that evaluation takes.

What was read is not what lies there: each label says that it has to be corrected by hand.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2

from vision.frame import Bgr
from vision.geometry import Table, table_record
from vision.reading import Half, Reading

MOST: Final = 500
"""Cases in one folder: a button that is stuck must not fill the disk."""
SPARE_BYTES: Final = 500_000_000
"""So much of the disk is left to others."""
NOTE: Final = (
    "tiles, corners and line are what was read, not what lies there: correct them by hand, then delete this note"
)


class CaseError(OSError):
    """A test case that cannot be kept; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Case:
    """A frame, where the table lies in it, and what was read."""

    bgr: Bgr
    reading: Reading
    table: Table | None


def save_case(folder: Path, name: str, case: Case, *, by: str) -> Path:
    """Keep a case: `<name>.png`, lossless, and one more line in `labels.jsonl`; both are durable when this returns.

    Args:
        folder: made where it is not there.
        name: of the picture, without ending; a number is added where it is taken.
        case: what is kept.
        by: the program and its version, for the label.

    Returns:
        the picture.

    Raises:
        CaseError: the folder is full, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if sum(1 for path in folder.iterdir() if path.suffix == ".png") >= MOST:
            raise CaseError(f"expected room for a test case, but {folder} has {MOST} already: take them away first")
        if shutil.disk_usage(folder).free < SPARE_BYTES:
            raise CaseError(f"expected room for a test case, but the disk of {folder} is nearly full: make room")
        picture = _write_new(folder, name, cv2.imencode(".png", case.bgr)[1].tobytes())
        label = {"file": picture.name, **label_of(case.reading), "table": table_record(case.table)}
        _append(folder / "labels.jsonl", json.dumps({**label, "by": by, "note": NOTE}) + "\n")
    except CaseError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CaseError(f"expected a folder that can be written, got {folder} ({reason}): name another") from error
    return picture


def label_of(reading: Reading) -> dict[str, Any]:
    """A reading in the words of a label; dominoes with a half that could not be seen stand apart, to be completed."""
    whole = [domino for domino in reading.dominoes if None not in (domino.a.suit, domino.b.suit)]
    halved = [domino for domino in reading.dominoes if None in (domino.a.suit, domino.b.suit)]
    line = [[a.suit, b.suit] for a, b in reading.along(reading.line)]
    return {
        "tiles": [[domino.a.suit, domino.b.suit] for domino in whole],
        "corners": [[[round(x, 1), round(y, 1)] for x, y in domino.corners] for domino in whole],
        "line": line if line and all(None not in tile for tile in line) else None,
        "confidence": [round(domino.confidence * _least(domino.a, domino.b), 4) for domino in whole],
        "half_seen": [{"tile": [domino.a.suit, domino.b.suit], "corners": domino.corners} for domino in halved],
    }


def _least(a: Half, b: Half) -> float:
    return min(a.confidence, b.confidence)


def _write_new(folder: Path, name: str, data: bytes) -> Path:
    number = 1
    while True:
        path = folder / (f"{name}.png" if number == 1 else f"{name}-{number}.png")
        try:
            with path.open("xb") as file:
                file.write(data)
                os.fsync(file.fileno())
        except FileExistsError:
            number += 1
            continue
        return path


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
