"""The door for referee commands: each is checked for form, age and repetition, and only then a command of the core.

Every order is answered once, on `reply/<client>`; an order that comes a second time gets its first answer again.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import msgspec

from controller import order_types as ot
from controller.accounts import Role, refusal
from controller.game import commands as cmd
from controller.game.rulesets import Params
from controller.game.tiles import MonoNs
from controller.journal import ANSWERS_KEPT, Answered
from controller.order_types import Order, command_of
from controller.selftest import Asked

MAX_TTL_S = 60.0
FUTURE_S = 60.0
"""An order from further ahead than this was sent by a clock that is wrong, and its age means nothing."""

ORDERS: dict[str, type[Order]] = {
    kind.topic: kind
    for kind in (
        ot.DrawSeats,
        ot.StartGame,
        ot.DrawLead,
        ot.StartSet,
        ot.Lay,
        ot.AdoptLine,
        ot.VoicePass,
        ot.TimeClaim,
        ot.Redeal,
        ot.Expose,
        ot.Show,
        ot.Warn,
        ot.Rule,
        ot.Reveal,
        ot.Count,
        ot.ConfirmCount,
        ot.RestartSet,
        ot.Replay,
        ot.ConfirmRegister,
        ot.Attribute,
        ot.Correct,
        ot.MergeLedger,
        ot.Pause,
        ot.Resume,
        ot.Undo,
        ot.Redo,
        ot.Mute,
        ot.Unmute,
        ot.Acknowledge,
        ot.SelfTest,
    )
}
"""Every order by its name in `cmd/<name>`."""


class Answer(msgspec.Struct, frozen=True):
    """What comes back on `reply/<client>`."""

    id: str | None
    accepted: bool
    reason: str | None = None
    text: str | None = None
    rule: str | None = None
    """The paragraph of docs/rules.md that a refusal rests on."""
    events: tuple[tuple[int, str], ...] = ()
    """Sequence and type of every event the order caused."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An order that may go to the core, or to the self-test."""

    id: str
    client: str
    command: cmd.Command | Asked


@dataclass(frozen=True, slots=True)
class Turned:
    """An order that gets its answer without the core: refused at the door, or answered before."""

    client: str | None
    answer: Answer


class Door:
    """Lets orders in: strict about form, age and repetition. Called only from the loop."""

    def __init__(
        self, *, params: Params, table: str, wall_ms: Callable[[], int], accounts: Mapping[str, Role] = {}
    ) -> None:
        self._params = params
        self._accounts = accounts
        self._table = table
        self._wall_ms = wall_ms
        self._answers: OrderedDict[tuple[str | None, str], Answer] = OrderedDict()

    def admit(
        self, name: str, payload: bytes, *, retained: bool, at: MonoNs, revision: int, account: str | None = None
    ) -> Accepted | Turned:
        """The core's command for a message on `cmd/<name>`, or the answer that turns it away.

        Args:
            name: the order's.
            payload: what stood there.
            retained: whether it was published with the retain flag.
            at: when it came.
            revision: of the state now.
            account: the one whose `cmd/<name>/<account>` it came on; its answers go to `reply/<account>/<client>`.
        """
        try:
            who = msgspec.json.decode(payload, type=_Envelope)
        except (msgspec.DecodeError, RecursionError) as error:
            return Turned(None, Answer(None, accepted=False, reason="malformed", text=f"expected JSON: {error}"))
        client = who.client if account is None or who.client is None else f"{account}/{who.client}"
        if who.id is not None and (first := self._answers.get((client, who.id))) is not None:
            return Turned(client, first)
        problem = _problem(name, retained=retained)
        if problem is None:
            try:
                order = msgspec.json.decode(payload, type=ORDERS[name])
                problem = (
                    self._who_problem(order, account) or self._age_problem(order) or _revision_problem(order, revision)
                )
                if problem is None:
                    command = command_of(order, at, params=self._params, table=self._table)
                    return Accepted(order.id, client or order.client, command)
            except (ValueError, RecursionError) as error:
                problem = ("malformed", str(error))
        answer = Answer(who.id, accepted=False, reason=problem[0], text=problem[1])
        self.remember(client, who.id, answer)
        return Turned(client, answer)

    def recall(self, answered: Iterable[Answered]) -> None:
        """Remember what the journal has kept of an earlier run."""
        for kept in answered:
            with contextlib.suppress(msgspec.DecodeError):  # what can't be read any more is no answer
                self.remember(kept.client, kept.id, msgspec.json.decode(kept.answer, type=Answer))

    def remember(self, client: str | None, order_id: str | None, answer: Answer) -> None:
        """Keep the answer for a repetition of the same order; two clients may choose the same id."""
        if order_id is None or max(len(order_id), len(client or "")) > ot.NAME_LETTERS:
            return  # it can be no order's: a megabyte is not kept for who only tries
        self._answers[client, order_id] = answer
        while len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)

    def _who_problem(self, order: Order, account: str | None) -> tuple[str, str] | None:
        needs = Role.CHIEF if getattr(order, "chief", False) else order.needs
        return refusal(self._accounts, account=account, by=order.by, needs=needs)

    def _age_problem(self, order: Order) -> tuple[str, str] | None:
        if not 0 < order.ttl_s <= MAX_TTL_S:
            return ("malformed", f"expected ttl_s above 0 and at most {MAX_TTL_S:g}, got {order.ttl_s:g}")
        age_s = (self._wall_ms() - order.sent_ms) / 1000
        if age_s > order.ttl_s:
            wanted = f"expected an order younger than {order.ttl_s:g} s, got one {age_s:.1f} s old"
            return ("stale", f"{wanted}: send it again, and look whether both clocks are right")
        if age_s < -FUTURE_S:
            return ("stale", f"expected an order from now, got one {-age_s:.0f} s ahead: set the sender's clock")
        return None


class _Envelope(msgspec.Struct):
    """As much of any order as its answer needs."""

    id: str | None = None
    client: str | None = None


def _revision_problem(order: Order, revision: int) -> tuple[str, str] | None:
    if order.revision in (None, revision):
        return None
    wanted = f"expected an order for revision {revision} of the state, got one for {order.revision}"
    return ("moved_on", f"{wanted}: look at the table as it is now, and order again")


def _problem(name: str, *, retained: bool) -> tuple[str, str] | None:
    if retained:
        return ("retained", "an order must not be retained: publish it again without the retain flag")
    if name not in ORDERS:
        return ("unknown", f"expected cmd/ and one of {', '.join(sorted(ORDERS))}, got {name!r}")
    return None
