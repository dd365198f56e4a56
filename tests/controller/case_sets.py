"""Cases of one set: every event put to the core as a command, and what it said on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_S
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.evolve import evolve
from controller.game.follow import provisional_score
from controller.game.proof import wrong_passes
from controller.game.state import Phase, Skip, State
from controller.game.tiles import End, MonoNs, Pair, Seat, Suit, Tile
from tests.controller.case_context import game, params_for, reason_of, set_begun, told, with_warnings

Entry = dict[str, Any]

VERDICTS = {"game_over": "set_over", "set_running": "bad_reveal"}
"""Where our word says more than a case of one set can."""


@dataclass
class Told:
    """What the core has said so far, with the numbers of the case's events."""

    verdicts: list[dict[str, Any]] = field(default_factory=list)
    alerts: list[dict[str, Any]] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    overtimes: list[dict[str, Any]] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    """The case's event of every act that stands in the set; -1 for a pass that was put in."""
    again: list[int] = field(default_factory=list)
    """Those of the acts that a correction has taken back and does again."""
    provable: dict[str, Any] | None = None
    redeal: dict[str, Any] = field(default_factory=dict)
    is_redealt: bool | None = None
    locked: int | None = None
    scored: ev.SetScored | None = None
    ended: ev.GameEnded | None = None
    is_restarted: bool = False
    closed: State | None = None
    """The state before the set was registered, or the game ended in it."""

    def place_of(self, event: int) -> int:
        """The place in the set of an act that the case knows by its event; beyond it where there is none."""
        return self.events.index(event) if event in self.events else len(self.events)


def play_set(case: dict[str, Any]) -> dict[str, Any]:
    """The case's record through decide and evolve, and what is to be said of it."""
    given = case["given"]
    context = given.get("context", {})
    in_game = context.get("warn_game", (0, 0))
    in_all = context.get("warn_comp", in_game)
    earlier = (max(0, in_all[0] - in_game[0]), max(0, in_all[1] - in_game[1]))
    state = with_warnings(game(params_for(case), lead=Seat(given.get("lead", 0)), earlier=earlier), in_game)
    state = set_begun(state, at=moment(given.get("clock_start", 0.0)))
    so_far = Told()
    for number, entry in enumerate(given["events"]):
        state = _one_event(state, number, entry, so_far)
    return _answers(state, so_far)


def moment(seconds: float) -> MonoNs:
    """A moment of the case's clock."""
    return MonoNs(round(seconds * NS_PER_S))


def _one_event(state: State, number: int, entry: Entry, so_far: Told) -> State:
    """The state after one event of the case."""
    is_again = state.phase is Phase.BETWEEN and so_far.scored is None
    if is_again and so_far.is_restarted and ("play" in entry or "pass" in entry):
        state = told(state, cmd.StartSet(moment(entry.get("t", 0.0))))  # dealt anew
    command = command_of(entry, state, so_far)
    for event in decide(state, command):
        before = state
        state = evolve(state, event)
        _number(event, number, before, state, so_far)
        _note(event, number, so_far, before)
    return state


def _number(event: ev.Event, number: int, before: State, after: State, so_far: Told) -> None:
    """Keeps the case's numbers beside the acts that stand."""
    grown = len(after.plies) - len(before.plies)
    if isinstance(event, ev.Attributed):
        so_far.events[event.ply : event.ply] = [-1] * grown
    elif isinstance(event, ev.Undone):
        so_far.again = so_far.events[len(after.plies) :]
    elif grown > 0:
        is_put_in = isinstance(event, ev.Passed) and event.by_voice
        so_far.events.append(-1 if is_put_in else so_far.again.pop(0) if so_far.again else number)
    if isinstance(event, ev.Attributed | ev.Corrected | ev.Undone):
        so_far.locked = so_far.provable = so_far.scored = so_far.closed = None  # it is found anew, if it is so
    if not isinstance(event, ev.SetScored | ev.GameEnded):
        del so_far.events[len(after.plies) :]


def command_of(entry: Entry, state: State, so_far: Told) -> cmd.Command:
    """An event of the case as a command of ours."""
    at = moment(entry.get("t", state.last_at / NS_PER_S))
    if "play" in entry:
        inner, outer = halves_of(entry["play"])
        return cmd.LayDomino(at, inner, outer, _end_of(entry, state), entry.get("seat"))
    if "pass" in entry:
        return cmd.Pass(at, entry.get("seat", state.turn or Seat.S0))
    if "reveal" in entry:
        return cmd.Count(at, tuple(hand_of(hand) for hand in entry["reveal"]))
    if "claim" in entry:
        if entry["claim"] == "time":
            return cmd.ClaimTime(at, entry["seat"])
        return cmd.ClaimRedeal(at, entry["seat"], hand_of(entry["hand"]) if "hand" in entry else None)
    return _order_of(entry, state, so_far, at)


def halves_of(raw: Any) -> tuple[int, int]:
    """The two halves of a domino; what is none, half a one or three halves, is one that does not exist."""
    is_domino = isinstance(raw, list) and len(raw) == 2 and all(type(half) is int for half in raw)
    return (raw[0], raw[1]) if is_domino else (-1, -1)


def _end_of(entry: Entry, state: State) -> End:
    """The end that the case names; one that does not exist is the wrong one."""
    known = {end.value: end for end in End}
    return known.get(entry.get("end", ""), End.FIRST if state.line.placed else End.L)


def _order_of(entry: Entry, state: State, so_far: Told, at: MonoNs) -> cmd.Command:
    """What a referee says in the case."""
    is_chief = "chief_referee" in entry
    word = entry["chief_referee"] if is_chief else entry["referee"]
    by = "chief" if is_chief else "referee"
    if word == "warning":
        return cmd.Warn(at, entry["seat"], reason_of(entry), by)
    if word == "wrong_domino":
        finding = _wrong_domino_at(state, so_far.place_of(entry["event"]))
        decision = entry.get("decision")
        return cmd.Rule(at, finding, Decision.LOST if decision is None else Decision(decision), by, is_chief)
    if word in ("restart", "replay"):
        return cmd.RestartSet(at, entry.get("reason", ""), by, is_chief)
    if word == "attribute":
        return cmd.Attribute(at, so_far.place_of(entry["event"]), entry["seat"], by)
    if word == "reveal":
        return cmd.OrderReveal(at, by)
    raise KeyError(f"no command for {entry}")


def _wrong_domino_at(state: State, place: int) -> int:
    kind = ev.FindingKind.WRONG_DOMINO
    return next((f.number for f in state.open_findings if f.kind is kind and f.ply == place), 0)


def hand_of(halves: list[Any]) -> tuple[Tile, ...]:
    """A hand as it is written, were it impossible: the core is to say so."""
    return tuple(Tile(Suit(min(tile)), Suit(max(tile))) for tile in map(halves_of, halves))


def _note(event: ev.Event, number: int, so_far: Told, before: State) -> None:
    """What the cases ask about, as it comes by."""
    match event:
        case ev.Refused():
            reason = VERDICTS.get(event.reason.value, event.reason.value)
            so_far.verdicts.append({"event": number, "status": "illegal", "reason": reason})
            if event.what == "ClaimRedeal":
                so_far.redeal, so_far.is_redealt = {"reason": reason}, False
        case ev.FindingRaised():
            _note_finding(event, number, so_far)
        case ev.TimeClaimed():
            so_far.claims.append(
                {
                    "event": number,
                    "accepted": event.reason is None,
                    "reason": None if event.reason is None else event.reason.value,
                    "elapsed": event.elapsed_ms / 1000,
                }
            )
        case ev.TimeExceeded():
            elapsed = before.clock.elapsed_ns(event.at) / NS_PER_S
            so_far.overtimes.append({"event": number, "seat": int(event.seat), "elapsed": elapsed})
        case ev.RedealGranted():
            so_far.redeal, so_far.is_redealt, so_far.is_restarted = {"reason": None}, True, True
        case ev.RedealDenied():
            so_far.redeal, so_far.is_redealt = {"reason": event.reason.value}, False
        case ev.SetAnnulled():
            so_far.is_restarted, so_far.locked = True, None
        case ev.Locked():
            so_far.locked = so_far.events[-1]
        case _:
            _note_end(event, so_far, before)


def _note_end(event: ev.Event, so_far: Told, before: State) -> None:
    """The set is registered, or the game ended in it."""
    if isinstance(event, ev.SetScored):
        so_far.scored, so_far.closed = event, before
    elif isinstance(event, ev.GameEnded) and event.by is not None:
        so_far.ended = event
        so_far.closed = so_far.closed or before


def _note_finding(event: ev.FindingRaised, number: int, so_far: Told) -> None:
    if event.kind is ev.FindingKind.WRONG_DOMINO:
        entry = {"event": number, "kind": event.kind.value, "seat": None if event.seat is None else int(event.seat)}
        so_far.alerts.append(entry)
        so_far.verdicts.append({"event": number, "status": "illegal", "reason": event.kind.value})
    if event.proven_by is None:
        return
    if so_far.provable is None:
        blame: dict[str, list[Any]] = {"passes": [], "seats": [], "pairs": []}
        so_far.provable = {"event": number, "by": event.proven_by.value, "blame": blame}
    if so_far.provable["event"] == number:
        _add_blame(so_far.provable["blame"], event, so_far)


def _add_blame(blame: dict[str, list[Any]], event: ev.FindingRaised, so_far: Told) -> None:
    """Whom a finding names: a pair, perhaps a seat, perhaps the very pass."""
    if event.pair is not None:
        blame["pairs"] = sorted({*blame["pairs"], event.pair.value})
    if event.seat is not None:
        blame["seats"] = sorted({*blame["seats"], int(event.seat)})
    if event.is_of_one_pass:
        blame["passes"] = sorted({*blame["passes"], so_far.events[event.ply]})


def _answers(state: State, so_far: Told) -> dict[str, Any]:
    """Everything a case may ask, as things stand after its last event."""
    closed = so_far.closed or state
    is_over = so_far.scored is not None or so_far.ended is not None
    is_again = state.phase is Phase.BETWEEN and not is_over
    turn = state.lead if is_again else state.turn
    return {
        "verdicts": so_far.verdicts,
        "alerts": so_far.alerts,
        "claims": so_far.claims,
        "overtimes": so_far.overtimes,
        "next_seat": None if turn is None or is_over else int(turn),
        "ends": None if is_again or closed.line.ends is None else [int(suit) for suit in closed.line.ends],
        "tiles_on_line": 0 if is_again else len(closed.line.placed),
        "deadlock_event": so_far.locked,
        "first_provable": so_far.provable,
        "wrong_passes": _wrong_passes(closed, so_far),
        "set": _set(closed, so_far),
        "next_lead": _next_lead(state, is_over=is_over, is_again=is_again),
        "needs_referee": state.needs_referee,
        "warnings_game": [state.warnings_of(pair) for pair in Pair],
        "restarted": so_far.is_restarted,
        "redeal": so_far.is_redealt,
        **so_far.redeal,
    }


def _next_lead(state: State, *, is_over: bool, is_again: bool) -> int | None:
    """Who leads next, once the set is over or to be played again."""
    if is_over or is_again:
        return None if state.lead is None else int(state.lead)
    if state.ending is None or state.lead is None:
        return None
    return int(state.lead.next)  # closed and not registered: the lead goes round whatever is counted


def _wrong_passes(closed: State, so_far: Told) -> list[dict[str, Any]] | None:
    """Every wrong pass with the dominoes that fitted; None as long as not all hands are known."""
    if closed.hands is None:
        return None
    found = wrong_passes(closed.plies, closed.exposed, closed.hands)
    return [
        {
            "event": so_far.events[wrong.ply],
            "seat": int(wrong.seat),
            "tiles": [[int(tile.low), int(tile.high)] for tile in wrong.tiles],
        }
        for wrong in found
        if isinstance(closed.plies[wrong.ply], Skip)
    ]


def _set(closed: State, so_far: Told) -> dict[str, Any]:
    """How the set stands: over or not, and what it is worth; without a count as far as that is known."""
    scored, ended = so_far.scored, so_far.ended
    if ended is not None and ended.by is not None and (scored is None or scored.by is not ended.by):
        return {"over": True, "by": ended.by.value, "winner": ended.winner.value, "spots": None, "points": None}
    if scored is None and not any(closed.may_cost_the_set(finding) for finding in closed.open_findings):
        scored = provisional_score(closed, MonoNs(0))
    by = scored.by if scored is not None else closed.ending
    winner = scored.winner.value if scored is not None else _gone_out(closed)
    return {
        "over": by is not None,
        "by": None if by is None else by.value,
        "winner": winner,
        "spots": None if scored is None or scored.spots is None else list(scored.spots),
        "points": None if scored is None else list(scored.points),
    }


def _gone_out(closed: State) -> str | None:
    """The pair that has gone out, whatever that will be worth."""
    is_out = closed.ending is ev.Ending.OUT and not closed.open_findings
    return next((seat.pair.value for seat in Seat if is_out and closed.tiles_left(seat) == 0), None)
