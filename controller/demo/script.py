"""The director: when the four players and the referee act, seeing only the table itself and the scoreboard on MQTT.

It is asked once a frame, inside the camera's thread; what it waits for it looks for again in the next frame.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Hashable

from controller.demo.party import Party
from controller.demo.patience import Asked, DemoFailed, Desk, Patience
from controller.demo.players import as_lists
from controller.demo.referee import Ears, Heard
from controller.demo.scoreboard import Board, Finding, Reply, tile_in
from controller.demo.setplay import SetPlay
from controller.game.tiles import Seat, Tile

TRIES = 6  # helping the program see a domino more often than this would hide a fault
REFUSALS = 3
NOTICE_S = 3.0  # a move that the scoreboard does not show after so long was not seen
SETTLED_S = 1.2  # after a hand has left, the program waits for the table to lie still
REFEREE_S = 1.5  # how long the referee looks at a thing before he rules
GLANCE_S = 0.5
SHOWN_S = 6.0  # the camera has so long to read four open hands
LOOK_S = 2.5  # how long the last line lies before the table is swept
MIX_S = 2.0
BLIND_S = 20.0  # the camera must see again so soon after the lights are back
REAL_S = 1.0  # the machine has at least so long for anything, however fast table time runs
NEWS_REAL_S = 0.2


class Director:
    """Plays the game, step by step.

    `step` belongs to the camera's thread; `over` and `failure` may be looked at from any.

    Args:
        party: The four players.
        ears: The referee's client.
        names: By seat.
        sets: Sets of the game.
        is_fast: Whether table time moves by frames alone.
        rng: Draws who leads an extra set.
        real_ns: The machine's monotonic clock, to be patient with the machine.
    """

    def __init__(
        self,
        *,
        party: Party,
        ears: Ears,
        names: tuple[str, str, str, str],
        sets: int,
        is_fast: bool,
        rng: random.Random,
        real_ns: Callable[[], int],
    ) -> None:
        self.over = threading.Event()
        self.failure: str | None = None
        self._party = party
        self._ears = ears
        self._names = names
        self._sets = sets
        self._is_fast = is_fast
        self._rng = rng
        self._patience = Patience(real_ns)
        self._desk = Desk(ears, real_ns)
        self._now_ns = 0
        self._tries = 0
        self._refusals = 0
        self._wants_news = False
        self._heard = ears.heard()
        self._answered_revision: int | None = None

    def step(self, now_ns: int) -> None:
        """Do what is to be done in this frame."""
        if self.over.is_set():
            return
        self._now_ns = now_ns
        try:
            self._party.step(now_ns)
            self._heard = self._listen()
            if self._party.is_busy:
                self._patience.forget()
            elif not self._heard.is_fresh or self._is_answer_due(self._heard.board):
                self._wants_news = True
            else:
                self._react(self._heard.board)
        except DemoFailed as failure:
            self.failure = str(failure)
            self.over.set()

    # --- listening and asking ---------------------------------------------------------------------

    def _listen(self) -> Heard:
        """What the referee has heard; where frames alone move time, news is waited for in real time, within bounds.

        Without that the table would burn through seconds of thinking time while a message crosses the machine.
        """
        if self._is_fast and self._wants_news:
            self._ears.wait(self._heard.count, NEWS_REAL_S)
        self._wants_news = False
        return self._ears.heard()

    def _is_answer_due(self, board: Board) -> bool:
        """Whether a command is still on its way, or has been answered but does not show on the board yet."""
        if self._desk.is_waiting:
            answer = self._desk.answer()
            if answer is None:
                return True
            self._hear_answer(*answer)
        if board.revision != self._answered_revision:
            self._answered_revision = None
            return False
        if self._waited_in_vain("the answer to show", NOTICE_S):
            self._answered_revision = None
        return True

    def _hear_answer(self, asked: Asked, reply: Reply) -> None:
        self._patience.forget()
        if reply.accepted:
            self._answered_revision, self._refusals = asked.revision, 0
            return
        # A refusal may only mean that the board has moved on meanwhile: the next look at it tells what to do.
        self._refusals += 1
        if self._refusals >= REFUSALS:
            raise DemoFailed(f"The table refuses the command {asked.name}: {reply.text or reply.reason}.")

    def _ask(self, name: str, arguments: dict[str, object]) -> None:
        self._party.acts += 1
        self._desk.ask(name, self._heard.board.revision, arguments)

    def _waited(self, what: Hashable, table_s: float) -> bool:
        """Whether `what` has lasted so long."""
        return self._patience.is_over(what, self._now_ns, table_s)

    def _waited_in_vain(self, what: Hashable, table_s: float, *, real_s: float = REAL_S) -> bool:
        """Whether news that should end `what` has not come for so long, though the machine had time for it."""
        self._wants_news = self._patience.lasted(what, self._now_ns) > SETTLED_S
        return self._patience.is_over(what, self._now_ns, table_s, real_s)

    # --- reacting to the scoreboard ---------------------------------------------------------------

    def _react(self, board: Board) -> None:
        play = self._party.set
        if board.phase == "idle":
            if self._waited("idle", 1.0):
                self._ask("start_game", {"names": list(self._names), "sets": self._sets, "lead": 0})
        elif board.phase == "game_over":
            if self._waited("game over", 1.0):
                self.over.set()
        elif board.phase == "between":
            self._between(board, play)
        elif play is None:
            raise DemoFailed("The table plays a set that nobody was dealt: it still has another game.")
        elif not self._is_halted(board, play):
            self._play(board, play) if board.phase == "play" else self._count(board, play)

    def _play(self, board: Board, play: SetPlay) -> None:
        if play.is_untouched and play.turn is None and board.turn is not None:
            play.turn = Seat(board.turn)
        if play.turn is None or play.turn != board.turn or not play.is_line_of(board):
            self._mend(board, play)
            return
        if not play.is_lifted:
            self._tries = 0
        if board.alert is not None and board.alert.kind == "time" and self._waited("overtime", GLANCE_S):
            self._ask("acknowledge", {})  # noted; more the referee does only when the rivals ask for it (C5.6)
        else:
            self._party.take_turn(play, board.set_no, self._now_ns)

    def _is_halted(self, board: Board, play: SetPlay) -> bool:
        """Whether somebody has to do something before play goes on; it is done here."""
        if board.take_back:
            self._give_back(board, play)
        elif board.findings:
            self._rule(board.findings[0], play)
        elif {"paused", "restarted"} & set(board.halts):
            if self._waited("paused", REFEREE_S):
                self._ask("resume", {})
        elif "out_of_sync" in board.halts:
            if self._waited_in_vain(("out of sync", self._tries), NOTICE_S):
                self._help(board, play)
        elif "camera" in board.halts:
            if self._party.is_camera_dark:
                self._patience.forget()
            elif self._waited_in_vain("blind", BLIND_S, real_s=5 * REAL_S):
                raise DemoFailed(f"The camera shows the table again, but {BLIND_S:g} s later it is still not seen.")
        else:
            return False
        return True

    def _rule(self, finding: Finding, play: SetPlay) -> None:
        if not self._waited(("finding", finding.id), REFEREE_S):
            return
        if finding.kind in ("wrong_pass", "inconsistent_passes"):
            is_true = _is_true(finding, play)
            play.is_awarded = play.is_awarded or is_true
            self._ask("rule", {"finding": finding.id, "decision": "confirm" if is_true else "dismiss"})
        elif play.last is not None and play.last.is_wrong:
            play.is_awarded = True  # the warning may be the pair's second, which costs the set (C8.2)
            self._ask("rule", {"finding": finding.id, "decision": "continue"})
        else:
            self._try_once_more(self._heard.board, play)
            self._ask("undo", {})

    def _count(self, board: Board, play: SetPlay) -> None:
        if not play.is_over or not play.is_line_of(board):
            self._mend(board, play)
        elif not play.are_hands_shown:
            if self._waited("line closed", 1.0):
                self._party.show_hands(play)
        elif board.shown is not None and _hands(board) == [set(hand) for hand in play.hands]:
            if self._waited("hands read", REFEREE_S):
                self._ask("confirm_count", {})
        elif self._waited_in_vain("hands shown", SHOWN_S):
            self._party.note("The camera has not read the open hands: the referee enters them.")
            self._ask("count", {"hands": as_lists(play.players)})

    def _between(self, board: Board, play: SetPlay | None) -> None:
        if play is None:
            if self._waited("mixing", MIX_S):
                self._party.deal()
                # For an extra set the lead is drawn (C5.7); else it is on the board.
                self._ask("start_set", {} if board.lead is not None else {"lead": self._rng.randrange(4)})
        elif play.is_untouched:
            self._waited_in_vain("the set to start", NOTICE_S)
        elif not (play.is_over or play.is_awarded):
            self._mend(board, play)
        elif play.has_gone_out and not play.are_hands_shown:
            if self._waited("gone out", 1.0):
                self._party.show_hands(play)
        elif not self._party.is_table_empty:
            if self._waited("last look", LOOK_S):
                self._party.sweep()
        elif self._waited("swept", SETTLED_S):
            ending = board.results[-1].by if board.results else ""
            self._party.close_set(set_no=board.set_no - 1, last_ending=ending)

    # --- helping the program see ------------------------------------------------------------------

    def _give_back(self, board: Board, play: SetPlay) -> None:
        """A domino that must go back goes back; when it has gone and the board does not notice, people help."""
        if play.last is not None:
            if self._waited("take back", 1.0):
                self._party.lift(play)
        elif self._waited_in_vain(("given back", self._tries), NOTICE_S):
            self._help(board, play)

    def _mend(self, board: Board, play: SetPlay) -> None:
        """Table and board do not show the same: first wait, then do what people would do."""
        if not self._waited_in_vain(("mend", self._tries), NOTICE_S):
            return
        if play.passer is not None and board.turn == play.passer and play.is_line_of(board):
            self._try_once_more(board, play)
            self._party.press_again(play.passer, self._now_ns)
        elif play.last is not None and len(board.line) >= len(play.line.placed):
            # The board shows another domino than the one that lies: the referee takes the move back, it is laid again.
            self._try_once_more(board, play)
            self._ask("undo", {})
        else:
            self._help(board, play)

    def _help(self, board: Board, play: SetPlay) -> None:
        """Push the doubtful domino straighter; where the last one is still not seen, take it up and lay it again."""
        self._try_once_more(board, play)
        is_unseen = play.last is not None and len(board.line) < len(play.line.placed)
        if is_unseen and self._tries % 2 == 0:
            self._party.lift_unseen(play, board.set_no)
        else:
            self._party.straighten(play, self._doubtful())

    def _doubtful(self) -> Tile | None:
        """The domino to look at, as the last loss of sync named it."""
        lost = [event for event in self._heard.events if event.type == "sync_lost"]
        return tile_in(lost[-1].body.get("tile")) if lost and self._heard.board.sync_text else None

    def _try_once_more(self, board: Board, play: SetPlay) -> None:
        self._tries += 1
        if self._tries <= TRIES:
            return
        lies = " ".join(f"{p.left}-{p.right}" for p in play.line.placed) or "nothing"
        shows = " ".join(f"{t.left}-{t.right}" for t in board.line) or "nothing"
        why = f" ({board.sync_text.rstrip('.')})" if board.sync_text else ""
        raise DemoFailed(
            f"Table and scoreboard do not come together in {TRIES} tries: on the table lies {lies}, "
            f"the scoreboard shows {shows}{why}."
        )


def _is_true(finding: Finding, play: SetPlay) -> bool:
    """Whether that player, or that pair, has passed wrongly; where nobody is named the referee waits for proof."""
    if finding.seat is not None:
        return finding.seat in play.false_passers
    return any(seat.pair.value == finding.pair for seat in play.false_passers)


def _hands(board: Board) -> list[set[Tile]]:
    return [{Tile.of(a, b) for a, b in hand} for hand in board.shown or ()]
