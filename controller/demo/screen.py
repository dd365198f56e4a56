"""The demonstration as a live table in the terminal: line, seats, clock, score and the last events, drawn with rich."""

from __future__ import annotations

import textwrap
from types import TracebackType
from typing import Self

from rich.align import Align
from rich.box import ROUNDED
from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.demo.scoreboard import Board
from controller.demo.watching import Address, View, pair_names
from controller.demo.words import points, sentence

WIDTH = 78  # fits an ordinary terminal of 80 columns
DOMINO_CELLS = 5  # [6|4]
LINE_ROWS = 2  # 28 dominoes at 14 a row
NOTICE_ROWS = 2
BAR_CELLS = 30
YELLOW_FROM_S = 5.0
RED_FROM_S = 2.0
OTHER_ROWS = 15  # everything but the last events, borders included
EVENTS_LEAST = 4
PAIR_STYLES = ("cyan", "magenta")
HALTS = {
    "paused": "The referee has stopped the clock.",
    "restarted": "The program was started again: the referee lets play go on.",
    "camera": "The camera sees nothing: the clock stands.",
    "out_of_sync": "Table and scoreboard do not agree: the clock stands.",
    "take_back": "A domino goes back to its hand.",
    "finding": "The referee is asked to rule.",
}


class LiveScreen:
    """Draws over itself several times a second.

    Args:
        console: A terminal.
        address: Of the broker, shown at the bottom.
    """

    def __init__(self, console: Console, address: Address) -> None:
        self._console = console
        self._address = address
        self._live = Live(console=console, auto_refresh=False, screen=False, transient=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, view: View) -> None:
        """Draw the table as it is now."""
        self._live.update(picture(view, self._address, rows=self._console.height), refresh=True)


def picture(view: View, address: Address, *, rows: int = 24) -> RenderableType:
    """The whole screen, not higher than `rows`."""
    events = max(EVENTS_LEAST, rows - OTHER_ROWS - 1)
    board = view.board
    everything = Group(
        _headline(board),
        Panel(_line(board), title="line", title_align="left", box=ROUNDED, width=WIDTH, height=LINE_ROWS + 2),
        _seats(board),
        _clock(view),
        _notice(view),
        Panel(_events(view, events), title="what happened", title_align="left", box=ROUNDED, width=WIDTH),
        _footer(address),
    )
    return Constrain(everything, WIDTH)  # in a wider terminal nothing is centred on that terminal


def _headline(board: Board) -> RenderableType:
    grid = Table.grid(expand=False)
    grid.add_column(width=27)
    grid.add_column(width=WIDTH - 27, justify="right")
    where = {"idle": "before the game", "game_over": "game over"}.get(
        board.phase, f"set {board.set_no} of {board.sets}"
    )
    if board.phase not in ("idle", "game_over") and board.set_no > board.sets:
        where = f"extra set {board.set_no - board.sets}"
    score = Text.assemble(
        (pair_names(board.names, 0), PAIR_STYLES[0]),
        ("  " + points(board.points) + "  ", "bold"),
        (pair_names(board.names, 1), PAIR_STYLES[1]),
    )
    grid.add_row(Text(f"Gameline demo · {where}", style="bold"), score)
    return grid


def _line(board: Board) -> Text:
    """The dominoes from the left end to the right one, as many to a row as fit; the open halves stand out."""
    text = Text(no_wrap=False)
    if not board.line:
        return Text("no domino lies", style="dim")
    a_row = (WIDTH - 4) // DOMINO_CELLS
    last = len(board.line) - 1
    for place, tile in enumerate(board.line):
        if place and place % a_row == 0:
            text.append("\n")
        body = PAIR_STYLES[tile.seat % 2] if tile.seat is not None else ""
        text.append("[", style=body)
        text.append(str(tile.left), style="bold reverse" if place == 0 else body)
        text.append("|", style=body)
        text.append(str(tile.right), style="bold reverse" if place == last else body)
        text.append("]", style=body)
    return text


def _seats(board: Board) -> RenderableType:
    """The four seats as they sit: 2 at the top, 1 left, 3 right, 0 at the bottom."""
    grid = Table.grid(expand=False)
    for _ in range(3):
        grid.add_column(width=WIDTH // 3, justify="center")
    grid.add_row("", _seat(board, 2), "")
    grid.add_row(_seat(board, 1), _middle(board), _seat(board, 3))
    grid.add_row("", _seat(board, 0), "")
    return grid


def _seat(board: Board, seat: int) -> Text:
    left = board.tiles_left[seat] if seat < len(board.tiles_left) else 0
    is_on_turn = board.turn == seat
    text = Text()
    text.append("▶ " if is_on_turn else "  ", style="bold green")
    text.append(board.name(seat), style=f"bold {PAIR_STYLES[seat % 2]}" if is_on_turn else PAIR_STYLES[seat % 2])
    text.append(" " + "▮" * left + "▯" * (7 - left), style="" if is_on_turn else "dim")
    return text


def _middle(board: Board) -> Text:
    warned = f"warnings {board.warnings[0]} : {board.warnings[1]}"
    return Text(warned, style="yellow" if any(board.warnings) else "dim")


def _clock(view: View) -> RenderableType:
    board = view.board
    if board.turn is None or board.phase != "play":
        words = {"between": "The dominoes are mixed and dealt.", "count": "The line is closed: the hands are counted."}
        return Align.center(Text(words.get(board.phase, ""), style="dim"))
    left_s = view.seconds_left
    style = "red" if left_s <= RED_FROM_S else "yellow" if left_s <= YELLOW_FROM_S else "green"
    filled = round(BAR_CELLS * left_s / board.clock.limit_s) if board.clock.limit_s else 0
    text = Text(f"{board.name(board.turn)} thinks  ")
    text.append("█" * filled, style=style)
    text.append("░" * (BAR_CELLS - filled), style="dim")
    text.append(f" {left_s:4.1f} s", style=f"bold {style}")
    text.append("" if board.clock.running else "  (stands)", style="dim")
    return Align.center(text)


def _notice(view: View) -> RenderableType:
    """The one thing the referee has to look at, in two rows at most."""
    board = view.board
    said = [(finding.text, "bold red") for finding in board.findings]
    said += [(board.sync_text, "bold yellow")] if board.sync_text else []
    said += [(HALTS[halt], "yellow") for halt in board.halts if halt in HALTS]
    said += [(board.alert.text, "yellow")] if board.alert and not said else []
    said += [(f"Not understood: {view.heard.trouble}", "dim")] if view.heard.trouble else []
    text, style = said[0] if said else ("", "")
    rows = textwrap.wrap(text, WIDTH)[:NOTICE_ROWS]
    rows += [""] * (NOTICE_ROWS - len(rows))
    return Align.center(Text("\n".join(rows), style=style, justify="center"))


def _events(view: View, rows: int) -> RenderableType:
    """The newest things last, one row each; what goes wrong on purpose is marked."""
    lines = _said(view)[-rows:]
    lines += [Text("")] * (rows - len(lines))
    for line in lines:
        line.truncate(WIDTH - 4, overflow="ellipsis")
    return Group(*lines)


def _said(view: View) -> list[Text]:
    lines = [(note.at_ns, Text(f"* {note.text}", style="yellow", no_wrap=True)) for note in view.notes]
    for happened in view.heard.events:
        said = sentence(happened, view.board.names)
        if said is not None:
            lines.append((happened.mono_ns, Text(said, no_wrap=True)))
    return [text for _, text in sorted(lines, key=lambda line: line[0])]


def _footer(address: Address) -> RenderableType:
    return Text(f" broker {address.host}:{address.port}\n {address.command}", style="dim", no_wrap=True)
