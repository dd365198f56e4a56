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
from tests.controller.case_context import game, params_for, set_begun, with_warnings

REASONS = {"exposed_tile": "exposure", "exposed_tiles": "exposure", "showing": "exposure", "overtime": "time"}
"""Words of the cases for the reasons of a warning, where ours are others."""

Entry = dict[str, Any]


@dataclass
class Told:
    """What the core has said so far, with the numbers of the case's events."""

    verdicts: list[dict[str, Any]] = field(default_factory=list)
    alerts: list[dict[str, Any]] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    overtimes: list[dict[str, Any]] = field(default_factory=list)
    event_of: dict[int, int] = field(default_factory=dict)
    """The case's event by the place of the act in the set."""
    provable: dict[str, Any] | None = None
    redeal: dict[str, Any] = field(default_factory=dict)
    is_redealt: bool | None = None
    locked: int | None = None
    scored: ev.SetScored | None = None
    is_restarted: bool = False
    closed: State | None = None
    """The state before the set was registered."""


def play_set(case: dict[str, Any]) -> dict[str, Any]:
    """The case's record through decide and evolve, and what is to be said of it."""
    given = case["given"]
    context = given.get("context", {})
    in_game, in_all = context.get("warn_game", (0, 0)), context.get("warn_comp", (0, 0))
    earlier = (max(0, in_all[0] - in_game[0]), max(0, in_all[1] - in_game[1]))
    state = with_warnings(game(params_for(case), lead=Seat(given["lead"]), earlier=earlier), in_game)
    state = set_begun(state)
    told = Told()
    for number, entry in enumerate(given["events"]):
        state = _one_event(state, number, entry, told)
    return _answers(state, told)


def _one_event(state: State, number: int, entry: Entry, told: Told) -> State:
    """The state after one event of the case."""
    plies = len(state.plies)
    for event in decide(state, command_of(entry, state, told)):
        before = state
        state = evolve(state, event)
        if len(state.plies) == plies + 1:
            told.event_of[plies] = number
        if isinstance(event, ev.Attributed):
            told.event_of = {len(state.plies) - 1 - back: told.event_of[plies - 1 - back] for back in range(plies)}
        _note(event, number, told, before)
    return state


def command_of(entry: Entry, state: State, told: Told) -> cmd.Command:
    """An event of the case as a command of ours."""
    at = MonoNs(round(entry.get("t", 0.0) * NS_PER_S))
    if "play" in entry:
        inner, outer = (*entry["play"], -1)[:2]  # half a domino is none of the 28
        return cmd.LayDomino(at, inner, outer, End(entry["end"]), entry.get("seat"))
    if "pass" in entry:
        return cmd.Pass(at, entry["seat"])
    if "reveal" in entry:
        return cmd.Count(at, tuple(hand_of(hand) for hand in entry["reveal"]))
    if "claim" in entry:
        if entry["claim"] == "time":
            return cmd.ClaimTime(at, entry["seat"])
        return cmd.ClaimRedeal(at, entry["seat"], hand_of(entry["hand"]) if "hand" in entry else None)
    return _order_of(entry, state, told, at)


def _order_of(entry: Entry, state: State, told: Told, at: MonoNs) -> cmd.Command:
    """What a referee says in the case."""
    is_chief = "chief_referee" in entry
    word = entry["chief_referee"] if is_chief else entry["referee"]
    by = "chief" if is_chief else "referee"
    if word == "warning":
        return cmd.Warn(at, entry["seat"], str(REASONS.get(entry["reason"], entry["reason"])), by)
    if word == "wrong_domino":
        finding = _wrong_domino_at(state, _place(entry["event"], told))
        decision = Decision.LOST if entry["decision"] is None else Decision(entry["decision"])
        return cmd.Rule(at, finding, decision, by, is_chief)
    if word in ("restart", "replay"):
        return cmd.RestartSet(at, entry.get("reason", ""), by, is_chief)
    if word == "attribute":
        return cmd.Attribute(at, _place(entry["event"], told), entry["seat"], by)
    if word == "reveal":
        return cmd.OrderReveal(at, by)
    raise KeyError(f"no command for {entry}")


def _place(event: int, told: Told) -> int:
    """The place in the set of an act that the case knows by its event."""
    return next((place for place, number in told.event_of.items() if number == event), 99)


def _wrong_domino_at(state: State, place: int) -> int:
    kind = ev.FindingKind.WRONG_DOMINO
    return next((f.number for f in state.findings if f.kind is kind and f.ply == place), 0)


def hand_of(halves: list[list[int]]) -> tuple[Tile, ...]:
    """A hand as it is written, were it impossible: the core is to say so."""
    return tuple(Tile(Suit(min(a, b)), Suit(max(a, b))) for a, b in halves)


def _note(event: ev.Event, number: int, told: Told, before: State) -> None:
    """What the cases ask about, as it comes by."""
    match event:
        case ev.Refused():
            told.verdicts.append({"event": number, "status": "illegal", "reason": event.reason.value})
            if event.what == "ClaimRedeal":
                told.redeal, told.is_redealt = {"reason": event.reason.value}, False
        case ev.FindingRaised():
            _note_finding(event, number, told, before)
        case ev.TimeClaimed():
            told.claims.append(
                {
                    "event": number,
                    "accepted": event.reason is None,
                    "reason": None if event.reason is None else event.reason.value,
                    "elapsed": event.elapsed_ms / 1000,
                }
            )
        case ev.TimeExceeded():
            elapsed = before.clock.elapsed_ns(event.at) / NS_PER_S
            told.overtimes.append({"event": number, "seat": int(event.seat), "elapsed": elapsed})
        case ev.RedealGranted():
            told.redeal, told.is_redealt = {"reason": None}, True
        case ev.RedealDenied():
            told.redeal, told.is_redealt = {"reason": event.reason.value}, False
        case ev.SetScored():
            told.scored, told.closed = event, before
        case ev.SetAnnulled():
            told.is_restarted = True
        case ev.Locked():
            told.locked = number
        case _:
            pass


def _note_finding(event: ev.FindingRaised, number: int, told: Told, before: State) -> None:
    if event.kind is ev.FindingKind.WRONG_DOMINO:
        entry = {"event": number, "kind": event.kind.value, "seat": None if event.seat is None else int(event.seat)}
        told.alerts.append(entry)
        told.verdicts.append({"event": number, "status": "illegal", "reason": event.kind.value})
    if event.proven_by is not None and told.provable is None:
        told.provable = {"event": number, "by": event.proven_by.value, "blame": _blame(event, told, before)}
    elif event.proven_by is not None and told.provable is not None and told.provable["event"] == number:
        _add_blame(told.provable["blame"], event, told)


def _blame(event: ev.FindingRaised, told: Told, before: State) -> dict[str, list[Any]]:
    blame: dict[str, list[Any]] = {"passes": [], "seats": [], "pairs": []}
    _add_blame(blame, event, told)
    return blame


def _add_blame(blame: dict[str, list[Any]], event: ev.FindingRaised, told: Told) -> None:
    """Whom a finding names: a pair, perhaps a seat, perhaps the very pass."""
    if event.pair is not None and event.pair.value not in blame["pairs"]:
        blame["pairs"].append(event.pair.value)
    if event.seat is not None and int(event.seat) not in blame["seats"]:
        blame["seats"].append(int(event.seat))
    if event.is_of_one_pass:
        blame["passes"].append(told.event_of[event.ply])


def _answers(state: State, told: Told) -> dict[str, Any]:
    """Everything a case may ask, as things stand after its last event."""
    closed = told.closed or state
    scored = told.scored
    if scored is None and not state.open_findings:
        scored = provisional_score(state, MonoNs(0))
    is_again = state.phase is Phase.BETWEEN and told.scored is None
    turn = state.lead if is_again else state.turn
    return {
        "verdicts": told.verdicts,
        "alerts": told.alerts,
        "claims": told.claims,
        "overtimes": told.overtimes,
        "next_seat": None if turn is None or told.scored is not None else int(turn),
        "ends": None if is_again or closed.line.ends is None else [int(suit) for suit in closed.line.ends],
        "tiles_on_line": 0 if is_again else len(closed.line.placed),
        "deadlock_event": told.locked,
        "first_provable": told.provable,
        "wrong_passes": _wrong_passes(closed, told),
        "set": _set(closed, scored),
        "next_lead": _next_lead(state, told, is_again=is_again),
        "needs_referee": state.needs_referee,
        "warnings_game": [state.warnings_of(pair) for pair in Pair],
        "restarted": told.is_restarted,
        "redeal": told.is_redealt,
        **told.redeal,
    }


def _next_lead(state: State, told: Told, *, is_again: bool) -> int | None:
    """Who leads next, once the set is over or to be played again."""
    if told.scored is not None or is_again:
        return None if state.lead is None else int(state.lead)
    if state.ending is None or state.lead is None:
        return None
    return int(state.lead.next)  # closed and not registered: the lead goes round whatever is counted


def _wrong_passes(closed: State, told: Told) -> list[dict[str, Any]] | None:
    """Every wrong pass with the dominoes that fitted; None as long as not all hands are known."""
    if closed.hands is None:
        return None
    found = wrong_passes(closed.plies, closed.exposed, closed.hands)
    return [
        {
            "event": told.event_of[wrong.ply],
            "seat": int(wrong.seat),
            "tiles": [[int(tile.low), int(tile.high)] for tile in wrong.tiles],
        }
        for wrong in found
        if isinstance(closed.plies[wrong.ply], Skip)
    ]


def _set(closed: State, scored: ev.SetScored | None) -> dict[str, Any]:
    """How the set stands: over or not, and what it is worth."""
    is_over = scored is not None or closed.ending is not None
    by = scored.by if scored is not None else closed.ending
    return {
        "over": is_over,
        "by": None if by is None else by.value,
        "winner": None if scored is None else scored.winner.value,
        "spots": None if scored is None or scored.spots is None else list(scored.spots),
        "points": None if scored is None else list(scored.points),
    }
