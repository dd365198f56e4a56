"""Referee commands as they come over MQTT: one strict schema each, checked for age and repetition, then a core command.

Every order is answered once, on `reply/<client>`; an order that comes a second time gets its first answer again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import msgspec

from controller.game import commands as cmd
from controller.game.rulesets import Params
from controller.game.tiles import MonoNs, Seat, Tile

ANSWERS_KEPT = 512
"""Repeated orders come seconds after the first, not hours: this many answers are remembered."""
MAX_TTL_S = 60.0
FUTURE_S = 60.0
"""An order from further ahead than this was sent by a clock that is wrong, and its age means nothing."""

Halves = tuple[int, int]
SeatNo = Annotated[int, msgspec.Meta(ge=0, le=3)]


Count53 = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that every JSON reader can hold."""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every order carries."""

    topic: ClassVar[str]

    id: str
    """Chosen by the sender, never used twice."""
    sent_ms: Count53
    """Unix time at the sender."""
    ttl_s: float = 10.0
    """Older than this it is not carried out any more."""
    by: str
    client: str
    """Where the answer goes: reply/<client>."""


class StartGame(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Open a game."""

    topic = "start_game"
    names: tuple[str, str, str, str]
    sets: Annotated[int, msgspec.Meta(ge=4, le=400)] | None = None
    lead: SeatNo = 0
    abandon: bool = False
    """Give up a game in progress for this one."""


class StartSet(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The dominoes are dealt."""

    topic = "start_set"
    lead: SeatNo | None = None


class Rule(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Decide on a finding."""

    topic = "rule"
    finding: Count53
    decision: Literal["continue", "restart", "lost", "confirm", "dismiss"]


class Count(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Enter the four hands."""

    topic = "count"
    hands: tuple[tuple[Halves, ...], tuple[Halves, ...], tuple[Halves, ...], tuple[Halves, ...]]


class ConfirmCount(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The hands the camera has read are right."""

    topic = "confirm_count"


class RestartSet(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The set is played again with the same lead."""

    topic = "restart_set"


class Pause(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stop the clock."""

    topic = "pause"


class Resume(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Go on."""

    topic = "resume"


class Undo(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Take the last act back."""

    topic = "undo"


class Acknowledge(Order, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Silence the buzzer."""

    topic = "acknowledge"


ORDERS: dict[str, type[Order]] = {
    kind.topic: kind
    for kind in (StartGame, StartSet, Rule, Count, ConfirmCount, RestartSet, Pause, Resume, Undo, Acknowledge)
}


def command_of(order: Order, at: MonoNs, params: Params) -> cmd.Command:
    """The core's command for an order; ValueError for a seat, domino or parameter that does not exist."""
    match order:
        case StartGame():
            chosen = params if order.sets is None else replace(params, sets_in_game=order.sets)
            return cmd.StartGame(at, order.names, Seat(order.lead), chosen, order.abandon)
        case StartSet():
            return cmd.StartSet(at, None if order.lead is None else Seat(order.lead))
        case Rule():
            return cmd.Rule(at, order.finding, cmd.Decision(order.decision))
        case Count():
            return cmd.Count(at, tuple(tuple(Tile.of(a, b) for a, b in hand) for hand in order.hands))
        case _:
            return _BARE[type(order)](at)


_BARE: dict[type[Order], Callable[[MonoNs], cmd.Command]] = {
    ConfirmCount: cmd.ConfirmCount,
    RestartSet: cmd.RestartSet,
    Pause: cmd.Pause,
    Resume: cmd.Resume,
    Undo: cmd.Undo,
    Acknowledge: cmd.Acknowledge,
}
"""Orders that say nothing but their name."""


class Answer(msgspec.Struct, frozen=True):
    """What comes back on `reply/<client>`."""

    id: str | None
    accepted: bool
    reason: str | None = None
    text: str | None = None
    events: tuple[tuple[int, str], ...] = ()
    """Sequence and type of every event the order caused."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An order that may go to the core."""

    id: str
    client: str
    command: cmd.Command


@dataclass(frozen=True, slots=True)
class Turned:
    """An order that gets its answer without the core: refused at the door, or answered before."""

    client: str | None
    answer: Answer


class Door:
    """Lets orders in: strict about form, age and repetition. Called only from the loop."""

    def __init__(self, *, params: Params, wall_ms: Callable[[], int]) -> None:
        self._params = params
        self._wall_ms = wall_ms
        self._answers: OrderedDict[tuple[str | None, str], Answer] = OrderedDict()

    def admit(self, name: str, payload: bytes, *, retained: bool, at: MonoNs) -> Accepted | Turned:
        """The core's command for a message on `cmd/<name>`, or the answer that turns it away."""
        try:
            who = msgspec.json.decode(payload, type=_Envelope)
        except (msgspec.DecodeError, RecursionError) as error:
            return Turned(None, Answer(None, accepted=False, reason="malformed", text=f"expected JSON: {error}"))
        if who.id is not None and (first := self._answers.get((who.client, who.id))) is not None:
            return Turned(who.client, first)
        problem = _problem(name, retained=retained)
        if problem is None:
            try:
                order = msgspec.json.decode(payload, type=ORDERS[name])
                problem = self._age_problem(order)
                if problem is None:
                    return Accepted(order.id, order.client, command_of(order, at, self._params))
            except (msgspec.ValidationError, ValueError) as error:
                problem = ("malformed", str(error))
        return Turned(who.client, Answer(who.id, accepted=False, reason=problem[0], text=problem[1]))

    def remember(self, order: Accepted, answer: Answer) -> None:
        """Keep the answer for a repetition of the same order; two clients may choose the same id."""
        self._answers[order.client, order.id] = answer
        while len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)

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


def _problem(name: str, *, retained: bool) -> tuple[str, str] | None:
    if retained:
        return ("retained", "an order must not be retained: publish it again without the retain flag")
    if name not in ORDERS:
        return ("unknown", f"expected cmd/ and one of {', '.join(sorted(ORDERS))}, got {name!r}")
    return None
