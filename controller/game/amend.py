"""Changing the history of a set: another seat or another domino for a move; what it costs anybody is not said here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from controller.game.line import Line
from controller.game.state import Move, Ply, Skip
from controller.game.tiles import HAND_SIZE, Seat, Suit, Tile


class CannotAmend(Exception):
    """The history cannot be changed so. It never leaves the core: there it becomes a refusal."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        """Why not, in one sentence for the referee."""


def line_of(plies: tuple[Ply, ...]) -> Line:
    """The line that the moves make, one after another; passes change nothing."""
    line = Line()
    for ply in plies:
        line = _after(line, ply)
    return line


def relaid(plies: tuple[Ply, ...]) -> tuple[Ply, ...]:
    """The same acts, each judged anew by the line as it then lay: whether a move fits, which suits a pass denied.

    CannotAmend where somebody passes before the first move: any domino may open a set (C0.4).
    """
    line, acts = Line(), []
    for ply in plies:
        acts.append(_judged(line, ply))
        line = _after(line, ply)
    return tuple(acts)


def reattributed(plies: tuple[Ply, ...], ply: int, seat: Seat) -> tuple[Ply, ...]:
    """The history with the move at place `ply` made by `seat`, one to three seats on from the recorded one.

    The seats between them passed by voice (C3.5): their passes are put in before the move, and the moves after it go
    on in turn order. CannotAmend where that cannot be: it is no move, it is that seat's already, it is the first move,
    a later pass was pressed at a seat that would not be on turn, or a seat would have laid more than seven dominoes.
    """
    move = _move_at(plies, ply)
    if seat is move.seat:
        raise CannotAmend(f"Act {ply + 1} is the move of that seat already.")
    ends = line_of(plies[:ply]).ends
    if ends is None:
        raise CannotAmend("Nobody can pass before the first move, so it stays with its seat.")
    voices = [Seat((move.seat + step) % 4) for step in range((seat - move.seat) % 4)]
    acts = [*plies[:ply], *(Skip(voice, ends) for voice in voices), replace(move, seat=seat)]
    for place in range(ply + 1, len(plies)):
        later, turn = plies[place], acts[-1].seat.next
        if isinstance(later, Move):
            acts.append(replace(later, seat=turn))
        elif later.seat is turn:
            acts.append(later)
        else:
            raise CannotAmend(f"The pass pressed later (act {place + 1}) would then be out of turn.")
    laid = Counter(act.seat for act in acts if isinstance(act, Move))
    if any(count > HAND_SIZE for count in laid.values()):
        raise CannotAmend("A seat would then have laid more than seven dominoes.")
    return tuple(acts)


def corrected(plies: tuple[Ply, ...], ply: int, inner: Suit, outer: Suit) -> tuple[Ply, ...]:
    """The history with another domino at place `ply`, or the same one the other way round, and all judged anew.

    For the first move inner is the left half. CannotAmend where that cannot be: it is no move, there is no such
    domino, it lies elsewhere in the line, or nothing would change.
    """
    move = _move_at(plies, ply)
    try:
        tile = Tile.of(inner, outer)
    except ValueError as error:
        raise CannotAmend(f"There is no domino {inner}-{outer}.") from error
    if (inner, outer) == (move.inner, move.outer):
        raise CannotAmend(f"Act {ply + 1} is recorded so already.")
    if any(isinstance(act, Move) and act.tile == tile for place, act in enumerate(plies) if place != ply):
        raise CannotAmend(f"The domino {tile} lies elsewhere in the line.")
    return relaid((*plies[:ply], replace(move, inner=inner, outer=outer), *plies[ply + 1 :]))


def _move_at(plies: tuple[Ply, ...], ply: int) -> Move:
    move = plies[ply] if 0 <= ply < len(plies) else None
    if not isinstance(move, Move):
        raise CannotAmend(f"Act {ply + 1} is no move.")
    return move


def _after(line: Line, ply: Ply) -> Line:
    """The line after an act."""
    return line.with_tile(ply.inner, ply.outer, ply.end, ply.seat) if isinstance(ply, Move) else line


def _judged(line: Line, ply: Ply) -> Ply:
    """The act as it stands before the line that lay then."""
    if isinstance(ply, Move):
        return replace(ply, is_fitting=line.open_suit(ply.end) in (None, ply.inner))
    if line.ends is None:
        raise CannotAmend("Nobody can pass before the first move: any domino may open a set.")
    return replace(ply, ends=line.ends)
