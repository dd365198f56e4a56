"""What must hold after every fault, checked against the journal's file; how a fault is made is not known here."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from controller.codec import event_of
from controller.game.evolve import evolve_all
from controller.game.snapshot import snapshot
from controller.game.state import State
from controller.game.tiles import MonoNs
from tests.chaos.listener import Heard
from tests.chaos.table import End

Row = dict[str, Any]

_COLUMNS = ("sequence", "type", "mono_ns", "boot_id", "wall_utc", "clock_synchronised", "body")


def rows_of(journal: Path) -> list[Row]:
    """Every entry as it stands in the file, read with SQLite alone."""
    with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)) as db:
        found = db.execute(f"SELECT {', '.join(_COLUMNS)} FROM entries ORDER BY sequence").fetchall()
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found]
    return [
        {**row, "clock_synchronised": bool(row["clock_synchronised"]), "body": json.loads(row["body"])} for row in rows
    ]


def violations(
    rows: Sequence[Row], *, before: Iterable[Sequence[Row]], heard: Heard, ends: Iterable[End], buzzes: bool
) -> list[str]:
    """What does not hold, each in a sentence.

    Args:
        rows: of the journal, after everything.
        before: the journal as it was at earlier moments.
        heard: what the subscriber has.
        ends: how the services ended.
        buzzes: whether the buzzer has current now.
    """
    found = [*_kept(rows, before), *_numbered_once(rows), *_heard(rows, heard), *_shown(rows, heard)]
    found += [f"a service ended with a traceback: {end.said[-2000:]}" for end in ends if "Traceback" in end.said]
    if buzzes:
        found.append("the buzzer is left on")
    return found


def _kept(rows: Sequence[Row], before: Iterable[Sequence[Row]]) -> list[str]:
    return [
        f"of {len(earlier)} entries that the journal had, {_first_other(earlier, rows)} is lost or changed"
        for earlier in before
        if list(rows[: len(earlier)]) != list(earlier)
    ]


def _numbered_once(rows: Sequence[Row]) -> list[str]:
    numbers = [row["sequence"] for row in rows]
    return (
        [] if numbers == list(range(1, len(rows) + 1)) else [f"the journal's numbers have gaps or doubles: {numbers}"]
    )


def _heard(rows: Sequence[Row], heard: Heard) -> list[str]:
    """Each event once or more, always the same, none besides; and what an order was told that it did is there."""
    found = []
    written = {row["sequence"]: row for row in rows}
    copies: dict[int, Row] = {}
    for _, event in heard.events:
        copy = {name: event[name] for name in _COLUMNS}
        if copies.setdefault(copy["sequence"], copy) != copy:
            found.append(f"two events under the number {copy['sequence']}: {copies[copy['sequence']]} and {copy}")
        elif written.get(copy["sequence"]) != copy:
            found.append(f"event {copy['sequence']} was heard as {copy}, written is {written.get(copy['sequence'])}")
    if missing := sorted(written.keys() - copies.keys()):
        found.append(f"{len(missing)} of {len(rows)} events never came to the subscriber, the first is {missing[0]}")
    for reply in heard.replies.values():
        for number, kind in reply["events"]:
            if number not in written or written[number]["type"] != kind:
                found.append(f"an order was told that it had caused event {number}, {kind}: it is not in the journal")
    return found


def _shown(rows: Sequence[Row], heard: Heard) -> list[str]:
    """The scoreboard is the journal's; of the clock only what does not go on by itself."""
    state = evolve_all(State(), (event_of(row["type"], row["body"]) for row in rows))
    rebuilt = json.loads(msgspec.json.encode(snapshot(state, MonoNs(0))))
    shown = dict(heard.state or {})
    for board in (rebuilt, shown):
        clock = board.get("clock", {})
        board["clock"] = {name: clock.get(name) for name in ("running", "limit_s")}
    other = [name for name in rebuilt if rebuilt[name] != shown.get(name)]
    return [
        f"the scoreboard shows {name} {shown.get(name)!r}, by the journal it is {rebuilt[name]!r}" for name in other
    ]


def _first_other(earlier: Sequence[Row], rows: Sequence[Row]) -> str:
    for number, row in enumerate(earlier, start=1):
        if number > len(rows) or rows[number - 1] != row:
            return f"entry {number}"
    return "none"
