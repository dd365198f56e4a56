"""The four players' own doing: thinking, laying, pressing, helping the camera see; when they may is said elsewhere."""

from __future__ import annotations

import random
from typing import Any, Protocol

from controller.demo.buttons import Fingers
from controller.demo.mishaps import Mishap, MishapPlan, Note
from controller.demo.patience import NS_PER_S
from controller.demo.players import deal, false_pass_will_show, overrun_s, think_s
from controller.demo.setplay import Intent, SetPlay
from controller.demo.table import SimulatedTable
from controller.game.tiles import Seat, Tile

BLACKOUT_S = 3.0
BROKER_AWAY_S = 2.0


class Broker(Protocol):
    """The broker that is stopped and started again."""

    def start(self) -> None:
        """Start it, on the port it had."""

    def stop(self) -> None:
        """Stop it."""


class Party:
    """Four people at a table.

    Args:
        table: Where their hands do things.
        fingers: On the buttons.
        broker: Somebody trips over its cable, where mishaps are wanted.
        names: By seat, for the notes.
        rng: The only source of chance.
        mishaps: Whether everything goes wrong that can.
        is_hurried: Whether they think only briefly.
    """

    def __init__(
        self,
        *,
        table: SimulatedTable[Any],
        fingers: Fingers,
        broker: Broker,
        names: tuple[str, str, str, str],
        rng: random.Random,
        mishaps: bool,
        is_hurried: bool,
    ) -> None:
        self.set: SetPlay | None = None
        self.acts = 0
        """Everything done so far, counted: while it grows, something is happening."""
        self.notes: list[Note] = []
        """What went on purpose wrong, for whoever watches; only ever added to."""
        self.plan = MishapPlan(rng, mishaps=mishaps)
        self._table = table
        self._fingers = fingers
        self._broker = broker
        self._names = names
        self._rng = rng
        self._is_hurried = is_hurried
        self._broker_back_ns: int | None = None
        self._now_ns = 0

    @property
    def is_busy(self) -> bool:
        """Whether a hand is over the table or on a button."""
        return self._table.is_busy or self._fingers.is_busy

    @property
    def is_camera_dark(self) -> bool:
        """Whether the camera shows nothing."""
        return self._table.is_dark

    @property
    def is_table_empty(self) -> bool:
        """Whether no domino lies face up."""
        return self._table.is_empty

    def step(self, now_ns: int) -> None:
        """Go on with what was begun in earlier frames."""
        self._now_ns = now_ns
        self._fingers.step(now_ns)
        if self._broker_back_ns is not None and now_ns >= self._broker_back_ns:
            self._broker_back_ns = None
            self._broker.start()
            self.note("The broker is back.")

    def note(self, text: str) -> None:
        """Tell whoever watches."""
        self.notes.append(Note(self._now_ns, text))

    def deal(self) -> None:
        """Mix, and take seven each."""
        self.set = SetPlay(deal(self._rng))

    def take_turn(self, play: SetPlay, set_no: int, now_ns: int) -> bool:
        """Think, and when that is done move or pass; True once it is done."""
        if play.intent is None:
            play.intent = self._intend(play, set_no, now_ns)
        if now_ns < play.intent.at_ns:
            return False
        self._carry_out(play, play.intent, now_ns)
        return True

    def lift(self, play: SetPlay) -> None:
        """The domino laid last goes back into its hand."""
        self.acts += 1
        self._table.take_back(play.lift())

    def lift_unseen(self, play: SetPlay, set_no: int) -> None:
        """The same for one that the camera never made out; was it a wrong one, nobody knows, and it is tried again."""
        if play.last is not None and play.last.is_wrong:
            self.plan.again(Mishap.WRONG_DOMINO, set_no - 1)
            self.note("The wrong domino was not made out; somebody will lay another one.")
        self.lift(play)

    def straighten(self, play: SetPlay, tile: Tile | None) -> None:
        """Somebody pushes a domino straighter, the last one where none is named; the camera sees a hand either way."""
        self.acts += 1
        lying = {placed.tile: placed.seat for placed in play.line.placed}
        if tile not in lying and play.last is not None:
            tile = play.last.tile
        self._table.straighten(lying.get(tile, Seat.S0) if tile is not None else Seat.S0, tile)

    def press_again(self, seat: Seat, now_ns: int) -> None:
        """A pass that was not noticed is announced once more."""
        self.acts += 1
        self._fingers.press(seat, now_ns)

    def show_hands(self, play: SetPlay) -> None:
        """Everybody lays his hand open."""
        self.acts += 1
        play.are_hands_shown = True
        self._table.show(play.hands)

    def sweep(self) -> None:
        """Everything goes off the table."""
        self.acts += 1
        self._table.sweep()

    def close_set(self, *, set_no: int, last_ending: str) -> None:
        """The set is in the register; a false pass that nothing proved is tried again in the next one."""
        if self.set is not None and self.set.false_passers and not last_ending.endswith("wrong_pass"):
            self.plan.again(Mishap.FALSE_PASS, set_no)
        self.set = None

    def _intend(self, play: SetPlay, set_no: int, now_ns: int) -> Intent:
        player, rng = play.player, self._rng
        moves, wrong = player.moves(play.line), player.wrong_moves(play.line)
        possible = {Mishap.OVERRUN, Mishap.BLACKOUT, Mishap.BROKER_RESTART}
        if wrong:
            possible.add(Mishap.WRONG_DOMINO)
        if not moves:
            possible.add(Mishap.DOUBLE_PRESS)
        elif play.line.placed and not play.false_passers and false_pass_will_show(play.players, play.line, player.seat):
            possible.add(Mishap.FALSE_PASS)
        mishap = None if play.is_lifted else self.plan.draw(set_no, play.turn_no, possible)
        thinks_s = think_s(rng, hurried=self._is_hurried)
        if mishap is Mishap.OVERRUN:
            thinks_s = overrun_s(rng)
        elif mishap is Mishap.BLACKOUT:
            thinks_s += BLACKOUT_S
            self._table.darken(now_ns + round(BLACKOUT_S * NS_PER_S))
            self.note(f"The camera goes black for {BLACKOUT_S:g} s.")
        move = moves[0] if moves else None
        if mishap is Mishap.WRONG_DOMINO:
            move = rng.choice(wrong)
        elif mishap is Mishap.FALSE_PASS:
            move = None
        return Intent(now_ns + round(thinks_s * NS_PER_S), move, mishap)

    def _carry_out(self, play: SetPlay, intent: Intent, now_ns: int) -> None:
        self.acts += 1
        seat, name = play.player.seat, self._names[play.player.seat]
        if intent.mishap is Mishap.BROKER_RESTART:
            self._broker.stop()
            self._broker_back_ns = now_ns + round(BROKER_AWAY_S * NS_PER_S)
            self.note(f"The broker is stopped for {BROKER_AWAY_S:g} s; play goes on meanwhile.")
        if intent.move is not None:
            if intent.mishap is Mishap.WRONG_DOMINO:
                self.note(f"{name} lays a domino that does not fit.")
            self._table.lay(seat, intent.move.end, intent.move.inner, intent.move.outer)
            play.lay(intent.move)
            return
        is_false = intent.mishap is Mishap.FALSE_PASS
        if is_false:
            self.note(f"{name} passes though a domino fits; laying it later will prove it.")
        elif intent.mishap is Mishap.DOUBLE_PRESS:
            self.note(f"{name} presses the pass button twice.")
        self._fingers.press(seat, now_ns, times=2 if intent.mishap is Mishap.DOUBLE_PRESS else 1)
        play.pass_turn(falsely=is_false)
