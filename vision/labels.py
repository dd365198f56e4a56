"""Labelled pictures in a folder: which pictures, and what lies in them; reading them is another file's.

Two kinds of folder are understood; docs/pictures.md describes both. `labels.jsonl` holds one object a line: {"file",
"tiles": [[a, b], ...], "corners": [four points for each tile], "line": [[a, b], ...] or null, "arrangement", "table",
...}, where all but file and tiles may be left out. Otherwise every picture has a JSON of the same name beside it with
"chain": dominoes with "a", "b", "corners_px" and, where known, "visible_a", "visible_b" and "readable"; half-hidden
and unreadable ones are left out of the count.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.geometry import Table, table_from
from vision.reading import Point

Pair = tuple[int, int]

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")
SEEN_ENOUGH = 0.95
"""Share of both halves that has to be in view for a domino to count."""


class LabelError(ValueError):
    """Labels that cannot be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One domino that lies in a picture."""

    tile: Pair
    corners: tuple[Point, ...] | None = None
    """Where it lies, a's end first; None when the labels do not say."""
    counts: bool = True
    """False for one that is too hidden, or in too much glare, to ask of anyone."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One picture and what lies in it."""

    path: Path
    group: str
    dominoes: tuple[Truth, ...]
    line: tuple[Pair, ...] | None
    """The dominoes of the line as they lie along it; None when the picture has no line, or part of it is hidden."""
    table: Table | None = None
    """Where the table lies, for a picture of a calibrated camera."""


def labelled(folder: str | Path) -> tuple[Labelled, ...]:
    """The labelled pictures of a folder. Raises: LabelError when there are none, or a label cannot be understood."""
    folder = Path(folder)
    table = folder / "labels.jsonl"
    found = tuple(_from_table(table) if table.is_file() else _from_files(folder))
    if not found:
        wanted = "labels.jsonl, or pictures with a JSON of the same name"
        raise LabelError(f"expected {wanted}, found neither in {folder}; name another folder")
    return found


def _from_table(table: Path) -> Iterator[Labelled]:
    for number, text in enumerate(table.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            label = json.loads(text)
            line = label.get("line")
            yield Labelled(
                path=table.parent / label["file"],
                group=f"{Path(label['file']).parent.as_posix()} {label.get('arrangement', '')}".strip(". "),
                dominoes=_truths(label["tiles"], label.get("corners")),
                # One domino is no line: the reader chains two or more.
                line=None if line is None or len(line) < 2 else tuple(_pair(tile) for tile in line),
                table=table_from(label.get("table")),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LabelError(f"expected a label with file and tiles in {table}, line {number}, got {error!r}") from None


def _from_files(folder: Path) -> Iterator[Labelled]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in PICTURE_SUFFIXES):
        beside = path.with_suffix(".json")
        if not beside.is_file():
            continue
        try:
            label = json.loads(beside.read_text(encoding="utf-8"))
            dominoes = tuple(_truth(entry) for entry in label["chain"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LabelError(f"expected a label with a chain of dominoes in {beside}, got {error!r}") from None
        loose = label.get("kind") == "hands"
        whole = len(dominoes) > 1 and all(truth.counts for truth in dominoes) and not loose
        group = path.parent.relative_to(folder).as_posix()
        line = tuple(truth.tile for truth in dominoes) if whole else None
        yield Labelled(path, folder.name if group == "." else group, dominoes, line)


def _truths(tiles: Sequence[Sequence[int]], corners: Sequence[Sequence[Point]] | None) -> tuple[Truth, ...]:
    """The dominoes of one line of the table. Raises: ValueError."""
    if corners is None:
        return tuple(Truth(_pair(tile)) for tile in tiles)
    if len(corners) != len(tiles):
        raise ValueError(f"corners for each of {len(tiles)} tiles, got {corners}")
    return tuple(Truth(_pair(tile), _quad(quad)) for tile, quad in zip(tiles, corners, strict=True))


def _truth(entry: dict[str, Any]) -> Truth:
    seen = min(entry.get("visible_a", 1.0), entry.get("visible_b", 1.0))
    corners = _quad(entry["corners_px"])
    return Truth(_pair((entry["a"], entry["b"])), corners, seen >= SEEN_ENOUGH and entry.get("readable") is not False)


def _quad(corners: Sequence[Point]) -> tuple[Point, ...]:
    if len(corners) != 4:
        raise ValueError(f"four corners, got {corners}")
    return tuple((float(x), float(y)) for x, y in corners)


def _pair(tile: Sequence[int]) -> Pair:
    a, b = tile
    if not (0 <= a <= 6 and 0 <= b <= 6):
        raise ValueError(f"suits from 0 to 6, got {a} and {b}")
    return (int(a), int(b))
