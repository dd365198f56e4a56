"""Four players and their referee, who do what the scoreboard asks for; what is wrong with the table they do not know.

They hold the hands of one deal, lay dominoes before the camera, press buttons and give orders, with mishaps now and
then. Whatever a fault has done to the game, they find back into it from the scoreboard alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from controller.game.tiles import ALL_TILES, Tile
from tests.chaos.scene import Lay
from tests.chaos.table import ACKNOWLEDGE, Table

NAMES = ("South", "West", "North", "East")
MISHAP_SHARE = 0.15
READ_S = 8.0
"""A domino that has not been understood by then is taken back and laid again."""
ANSWER_S = 2.0
CALL_MS = 1700
FRESH_S = 3.0
"""Without a heartbeat for so long the scoreboard is not believed."""

State = dict[str, Any]


class Player:
    """All of them in one, for one table.

    Args:
        table: where they sit.
        rng: the deal, the choice among moves, and the mishaps.
        think: waits before each move, pass and mishap; without it they play as fast as the table answers.
    """

    def __init__(self, table: Table, rng: random.Random, *, think: Callable[[], None] = lambda: None) -> None:
        self._table = table
        self._think = think
        self._listener = table.listener
        self._rng = rng
        self._laid: list[Lay] = []
        tiles = sorted(ALL_TILES)
        random.Random(rng.randrange(4)).shuffle(tiles)  # few deals: the pictures are drawn once
        self._deal = [frozenset(tiles[seat * 7 : seat * 7 + 7]) for seat in range(4)]
        self.understood_s: list[float] = []
        """When each domino was laid that was understood at the first try."""

    def play(self, until: Callable[[], bool], timeout_s: float) -> bool:
        """Play on until something is so; whether it came to be in this time."""
        end_s = time.monotonic() + timeout_s
        while not until():
            if time.monotonic() > end_s:
                return False
            self._table.tend()
            self._step()
        return True

    def lay_next(self) -> None:
        """Put the next domino before the camera, if there is one to lay, and wait for nothing."""
        state = self._listener.heard.state
        if state is not None and state["phase"] == "play" and not state["halts"] and state["turn"] is not None:
            moves = list(self._moves(state, state["turn"]))
            if moves and self._is_as_told(state):
                self._show([*self._laid, self._rng.choice(moves)])

    def is_understood(self) -> bool:
        """Whether the scoreboard has the line that lies before the camera: no more is to come of it."""
        state = self._listener.heard.state
        return state is not None and self._is_as_told(state)

    # --- one thing after the other ---

    def _step(self) -> None:
        """What the newest scoreboard asks for."""
        state = self._listener.heard.state
        if state is None or not self._is_believed():
            self._listener.wait(self._is_believed, 0.2)
        elif state["alert"]:
            self._table.press(ACKNOWLEDGE)
            self._await_change(state)
        elif state["phase"] in ("idle", "game_over"):
            self._order(state, "start_game", names=list(NAMES))
        elif {"restarted", "paused"} & set(state["halts"]):
            self._order(state, "resume")
        elif state["findings"]:
            self._rule(state)
        elif state["phase"] == "between":
            self._show([])
            self._order(state, "start_set", **({} if state["lead"] is not None else {"lead": 0}))
        elif state["phase"] == "count":
            self._order(state, "count", hands=self._hands(state))
        else:
            self._go_on(state)

    def _is_believed(self) -> bool:
        """Whether the scoreboard is of a table that lives; before the first sign of life none can be old."""
        heard = self._listener.heard
        is_fresh = heard.heartbeat is None or time.monotonic() - heard.heartbeat_s < FRESH_S
        return heard.state is not None and is_fresh and self._listener.connection == "online"

    def _go_on(self, state: State) -> None:
        """In a set that nothing of the referee's keeps."""
        if {"camera", "storage"} & set(state["halts"]):
            self._listener.wait(lambda: self._is_other(state), 0.2)
        elif not self._is_as_told(state) or state["take_back"]:
            self._put_right(state)
        elif "out_of_sync" in state["halts"]:
            self._put_right(state)
            if not self._is_other(state):
                self._order(state, "adopt_line")
        elif state["halts"] or state["turn"] is None:
            self._await_change(state)
        else:
            self._take_turn(state, state["turn"])

    def _take_turn(self, state: State, seat: int) -> None:
        moves = list(self._moves(state, seat))
        if self._laid and self._rng.random() < MISHAP_SHARE:
            self._mishap(state, seat)
        elif not moves:
            self._think()
            self._table.press(seat)
            self._await_change(state)
        else:
            laid = [*self._laid, self._rng.choice(moves)]
            self._table.scene.draw(laid)
            self._think()
            begun_s = time.monotonic()
            self._show(laid)
            if self._await_line(len(self._laid)):
                self.understood_s.append(begun_s)

    def _mishap(self, state: State, seat: int) -> None:
        """A wrong domino, a press out of turn, a call for the referee, a pause."""
        self._think()
        kind = self._rng.choice(("wrong domino", "out of turn", "call", "pause"))
        wrong = [tile for tile in sorted(self._hand(state, seat)) if not {tile.low, tile.high} & set(state["ends"])]
        if kind == "wrong domino" and wrong:
            tile = self._rng.choice(wrong)
            self._show([*self._laid, Lay("R", tile.low, tile.high)])
        elif kind == "out of turn":
            self._table.press((seat + 1) % 4)
        elif kind == "call":
            self._table.press((seat + 2) % 4, CALL_MS)
        else:
            self._order(state, "pause")
            return
        self._await_change(state)

    def _rule(self, state: State) -> None:
        """The first thing that may be said; a set that is to be played again is one of them."""
        finding = state["findings"][0]
        self._order(state, "rule", finding=finding["id"], decision=finding["decisions"][0])

    def _order(self, state: State, name: str, **arguments: Any) -> None:
        answer = self._listener.order(name, **arguments)
        if answer is not None and answer["accepted"]:
            self._await_change(state)
        else:
            self._listener.wait(lambda: False, 0.2)

    # --- the dominoes ---

    def _hand(self, state: State, seat: int) -> frozenset[Tile]:
        return self._deal[seat] - {Tile.of(laid["left"], laid["right"]) for laid in state["line"]}

    def _hands(self, state: State) -> list[list[list[int]]]:
        """All hands as they are shown: a wrong turn before a fault may have left a domino with another seat."""
        left = [tile for seat in range(4) for tile in sorted(self._hand(state, seat))]
        hands = []
        for number in state["tiles_left"]:
            hands.append([[int(tile.low), int(tile.high)] for tile in left[:number]])
            left = left[number:]
        return hands

    def _moves(self, state: State, seat: int) -> Iterator[Lay]:
        """Everything that fits."""
        for tile in sorted(self._hand(state, seat)):
            low, high = int(tile.low), int(tile.high)
            if state["ends"] is None:
                yield Lay("first", low, high)
                continue
            for inner, outer in {(low, high), (high, low)}:
                if inner == state["ends"][1]:
                    yield Lay("L" if self._is_mirrored(state) else "R", inner, outer)
                elif inner == state["ends"][0]:
                    yield Lay("R" if self._is_mirrored(state) else "L", inner, outer)

    def _is_as_told(self, state: State) -> bool:
        return told(state) in (chain(self._laid), mirrored(chain(self._laid)))

    def _is_mirrored(self, state: State) -> bool:
        """Whether the scoreboard calls the end left that was laid as the right one: the reader names them."""
        return told(state) != chain(self._laid)

    def _put_right(self, state: State) -> None:
        """Give the camera its time; then lay the line as the scoreboard has it, without what has to go back."""
        is_right = not state["take_back"] and self._is_as_told(state)
        if not state["take_back"] and not is_right and self._listener.wait(lambda: self._is_other(state), READ_S):
            return
        back = {tuple(sorted(tile)) for tile in state["take_back"]}
        good = [lay for lay in self._laid if tuple(sorted(lay[1:])) not in back]
        wanted = [tile for tile in told(state) if tuple(sorted(tile)) not in back]
        while good and wanted not in (chain(good), mirrored(chain(good))):
            good.pop()
        if not good and told(state) and not back:  # laid before the fault by hands that have forgotten how
            line = told(state)
            good = [Lay("first", *line[0]), *(Lay("R", *tile) for tile in line[1:])]
        self._show(good)
        self._listener.wait(lambda: self._is_other(state), READ_S)

    def _show(self, laid: Sequence[Lay]) -> None:
        if list(laid) != self._laid or not laid:
            self._laid = list(laid)
            self._table.scene.show(self._laid, self._table.picture)

    # --- waiting ---

    def _is_other(self, state: State) -> bool:
        return self._listener.heard.state != state

    def _await_change(self, state: State) -> None:
        self._listener.wait(lambda: self._is_other(state), ANSWER_S)

    def _await_line(self, length: int) -> bool:
        """Whether the line becomes so long; what halts the set first is another thing to see to."""

        def is_over() -> bool:
            state = self._listener.heard.state
            return state is not None and (len(state["line"]) >= length or bool(state["halts"]))

        return self._listener.wait(is_over, READ_S) and not (self._listener.heard.state or {"halts": True})["halts"]


def told(state: State) -> list[tuple[int, int]]:
    """The line of a scoreboard, from left to right."""
    return [(laid["left"], laid["right"]) for laid in state["line"]]


def mirrored(line: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same line, looked at from the other side."""
    return [(right, left) for left, right in reversed(line)]


def chain(laid: Sequence[Lay]) -> list[tuple[int, int]]:
    """The line that was laid, from left to right."""
    line: list[tuple[int, int]] = []
    for end, inner, outer in laid:
        if end == "L":
            line.insert(0, (outer, inner))
        else:
            line.append((inner, outer))
    return line
