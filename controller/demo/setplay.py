"""One set as it really is: the hands, the line on the table, whose turn it is; not what the program believes."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.demo.mishaps import Mishap
from controller.demo.players import Move, Player, Players, laid, with_player
from controller.demo.scoreboard import Board
from controller.game.line import Line
from controller.game.tiles import Seat, Tile


@dataclass(frozen=True, slots=True)
class Last:
    """The domino that was laid last and still lies."""

    seat: Seat
    tile: Tile
    is_wrong: bool
    """Laid though it fits at neither end."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What the player on turn will do, and when."""

    at_ns: int
    move: Move | None
    """None is a pass."""
    mishap: Mishap | None = None


@dataclass(slots=True)
class SetPlay:
    """A set in progress, changed by what the players do."""

    players: Players
    line: Line = field(default_factory=Line)
    turn: Seat | None = None
    """None before the first look at who leads, and when the line is closed."""
    turn_no: int = 0
    last: Last | None = None
    passer: Seat | None = None
    """Who passed, where that was the last act."""
    intent: Intent | None = None
    false_passers: frozenset[Seat] = frozenset()
    is_awarded: bool = False
    """A ruling may have ended it, whatever the hands are."""
    are_hands_shown: bool = False

    @property
    def is_lifted(self) -> bool:
        """The last act was that a domino went back to its hand."""
        return self.last is None and self.passer is None and self.turn_no > 0

    @property
    def is_untouched(self) -> bool:
        """Nobody has moved yet."""
        return not self.line.placed and self.turn_no == 0

    @property
    def has_gone_out(self) -> bool:
        """Somebody has no domino left."""
        return any(not player.hand for player in self.players)

    @property
    def is_over(self) -> bool:
        """Gone out or locked, with a line in which nothing is wrong."""
        is_wrong = self.last is not None and self.last.is_wrong
        return not is_wrong and (self.has_gone_out or self.line.is_locked)

    @property
    def player(self) -> Player:
        """The player on turn."""
        assert self.turn is not None, "asked for the player on turn of a set that nobody can go on with"
        return self.players[self.turn]

    @property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        """The four hands."""
        return tuple(tuple(sorted(player.hand)) for player in self.players)

    def lay(self, move: Move) -> None:
        """The player on turn lays a domino."""
        player = self.player
        is_wrong = not self.line.is_fitting(move.tile)
        self.players = with_player(self.players, player.without(move.tile))
        self.line = laid(self.line, move, player.seat)
        self.last, self.passer = Last(player.seat, move.tile, is_wrong), None
        self._next_turn(player.seat)

    def pass_turn(self, *, falsely: bool) -> None:
        """The player on turn passes."""
        player = self.player
        if falsely:
            self.players = with_player(self.players, player.passing_falsely(self.line))
            self.false_passers |= {player.seat}
        self.last, self.passer = None, player.seat
        self._next_turn(player.seat)

    def lift(self) -> Seat:
        """The domino laid last goes back to its hand, and its seat is on turn again."""
        assert self.last is not None, "there is nothing to lift"
        last = self.last
        self.players = with_player(self.players, self.players[last.seat].having(last.tile))
        self.line = self.line.without(last.tile)
        self.last, self.intent, self.turn = None, None, last.seat
        return last.seat

    def is_line_of(self, board: Board) -> bool:
        """Whether the board shows this line, from whichever side it looks at it."""
        truth = [(placed.left, placed.right) for placed in self.line.placed]
        shown = [(tile.left, tile.right) for tile in board.line]
        return shown in (truth, [(right, left) for left, right in reversed(truth)])

    def _next_turn(self, seat: Seat) -> None:
        self.intent = None
        self.turn_no += 1
        self.turn = None if self.is_over else seat.next
