"""The demonstration as plain lines, one for each thing that happens: for pipes, logs and people who prefer reading."""

from __future__ import annotations

from types import TracebackType
from typing import IO, Self

from controller.demo.watching import Address, View, pair_names
from controller.demo.words import ending, points, sentence
from controller.game.clocks import NS_PER_S

QUIET_EVENTS = frozenset({"hands_awaited", "hands_shown", "table_cleared", "acknowledged"})


class Plain:
    """Prints lines; safe to show the same view twice.

    Args:
        out: Where to.
        address: Of the broker, told first.
    """

    def __init__(self, out: IO[str], address: Address) -> None:
        self._out = out
        self._address = address
        self._told_sequence = 0
        self._told_notes = 0
        self._told_trouble: str | None = None
        self._start_ns: int | None = None

    def __enter__(self) -> Self:
        self._say(f"The broker listens at {self._address.host} port {self._address.port}; watch it with")
        self._say(f"    {self._address.command}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.flush()

    def show(self, view: View) -> None:
        """Print what has happened since the last time."""
        if self._start_ns is None:
            self._start_ns = view.now_ns
        if view.heard.trouble != self._told_trouble:
            self._told_trouble = view.heard.trouble
            self._say(f"{self._time(view.now_ns)}  Not understood: {view.heard.trouble}")
        lines = [(note.at_ns, f"* {note.text}") for note in view.notes[self._told_notes :]]
        self._told_notes = len(view.notes)
        for happened in view.heard.events:
            if happened.sequence > self._told_sequence:
                self._told_sequence = happened.sequence
                said = sentence(happened, view.board.names)
                if said is not None and happened.type not in QUIET_EVENTS:
                    lines.append((happened.mono_ns, said))
        for at_ns, said in sorted(lines, key=lambda line: line[0]):
            self._say(f"{self._time(at_ns)}  {said}")

    def _time(self, at_ns: int) -> str:
        seconds = max(0, at_ns - (self._start_ns or 0)) // NS_PER_S
        return f"{seconds // 60:3d}:{seconds % 60:02d}"

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def register_lines(view: View) -> list[str]:
    """The score register: a line a set with the running total, then the result."""
    board = view.board
    lines = [
        f"Score register    A: {pair_names(board.names, 0)}    B: {pair_names(board.names, 1)}",
        f"{'set':<4} {'lead':<8} {'moves':>5} {'passes':>6}  {'ending':<22} {'spots':>9} {'points':>9} {'total':>9}",
    ]
    total = (0.0, 0.0)
    for result in board.results:
        total = (total[0] + result.points[0], total[1] + result.points[1])
        number = f"{result.set_no}{'+' if result.set_no > board.sets else ''}"
        spots = f"{result.spots[0]} : {result.spots[1]}" if result.spots else "-"
        lines.append(
            f"{number:<4} {board.name(result.lead):<8} {result.moves or 0:>5} {result.passes or 0:>6}  "
            f"{ending(result):<22} {spots:>9} {points(result.points):>9} {points(total):>9}"
        )
    lines.append(f"Warnings  A {board.warnings[0]}, B {board.warnings[1]}")
    if board.winner is not None:
        pair = {"A": 0, "B": 1}.get(board.winner)
        who = "a draw" if pair is None else f"{pair_names(board.names, pair)} win"
        lines.append(f"Result    {points(board.points)}, {who}")
    return lines
