"""`snapshot(state, now)`: the whole scoreboard as one record of values; no hand before it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from controller.game.clocks import NS_PER_S
from controller.game.commands import Decision
from controller.game.draw import mixing
from controller.game.events import Ending, FindingKind, ProvenBy, Winner
from controller.game.paragraphs import PARAGRAPHS
from controller.game.penalties import fine_of, is_expelled
from controller.game.rulesets import RuleSet
from controller.game.rulings import decisions_on
from controller.game.seen import Stills
from controller.game.state import AlertKind, Awaited, Finding, Halt, Need, Phase, Signature, State
from controller.game.tiles import MonoNs, Pair, Seat, Tile

Halves = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LineTile:
    """A domino of the line from left to right."""

    left: int
    right: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of the move in progress at the moment of the snapshot."""

    running: bool
    limit_s: float
    elapsed_ms: int
    seconds_left: int


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding that waits for the referee."""

    id: int
    kind: FindingKind
    seat: Seat | None
    """None where only a pair, or nobody, is proven."""
    clause: str
    text: str
    pair: Pair | None
    """Whose offence it is; None where nobody's is proven."""
    act: int
    """The move or pass in question, as people count: the first of its set is 1."""
    passes: tuple[int, ...]
    """The passes that the proof rests on, as acts."""
    proven_by: ProvenBy | None
    repairs: tuple[str, ...]
    """Single misreadings that would explain it as well, in words."""
    decisions: tuple[Decision, ...]
    """What may be said to it now."""
    set_no: int | None
    """The registered set it is about; None: this one."""
    rule: str
    """The paragraph of docs/rules.md it rests on."""
    stills: Stills | None
    """Before and after, where nothing but the side from which an arm came tells whose domino it was."""


@dataclass(frozen=True, slots=True)
class AlertView:
    """What the referee has not yet acknowledged."""

    kind: AlertKind
    text: str


@dataclass(frozen=True, slots=True)
class SignatureView:
    """Who has confirmed the register of the game that is over."""

    signer: str
    """`A`, `B`, `referee` or `chief`."""
    by: str


@dataclass(frozen=True, slots=True)
class MuteView:
    """The buzzer is silent."""

    seconds_left: int | None
    """At the moment of the snapshot; None: until the referee says otherwise."""


@dataclass(frozen=True, slots=True)
class ResultView:
    """One set of the register."""

    set_no: int
    lead: Seat | None
    """None for a set that was lost before its lead was drawn."""
    by: Ending
    winner: Winner
    spots: tuple[int, int] | None
    points: tuple[float, float]
    moves: int
    passes: int


@dataclass(frozen=True, slots=True)
class RulesView:
    """Which rules are played; `game_started` has every parameter."""

    rule_set: RuleSet
    version: str


@dataclass(frozen=True, slots=True)
class SeatingView:
    """Who sits where in the next game, as it was drawn."""

    names: tuple[str, str, str, str]
    lead: Seat


@dataclass(frozen=True, slots=True)
class MixingView:
    """Who mixes for the next set, and in which order the dominoes are taken."""

    first: Seat
    second: Seat
    takes: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ExposedView:
    """A domino that everybody knows to be in a hand."""

    seat: Seat
    tile: Halves


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a display needs; seats 0..3 clockwise, pairs [A, B], dominoes as [half, half]."""

    revision: int
    phase: Phase
    set_no: int
    sets: int
    lead: Seat | None
    turn: Seat | None
    line: tuple[LineTile, ...]
    ends: Halves | None
    names: tuple[str, str, str, str]
    tiles_left: tuple[int, int, int, int]
    points: tuple[float, float]
    winner: Winner | None
    results: tuple[ResultView, ...]
    warnings: tuple[int, int]
    findings: tuple[FindingView, ...]
    halts: tuple[Halt, ...]
    take_back: tuple[Halves, ...]
    shown: tuple[tuple[Halves, ...], ...] | None
    clock: ClockView
    alert: AlertView | None
    sync_text: str | None
    competition: str
    game: str
    rules: RulesView
    seating: SeatingView | None
    mixing: MixingView | None
    extra_set: bool
    carried: float
    """Points of drawn deadlocks that the winner of the next decided set gets on top."""
    needs_referee: Need | None
    """What only a person can decide now."""
    claim: Seat | None
    """The seat that has to show its hand for a redeal."""
    exposed: tuple[ExposedView, ...]
    warnings_competition: tuple[int, int]
    expelled: tuple[Pair, ...]
    """Pairs that are out of the competition."""
    ended_by: Ending | None
    """The warning that ended the game; null where it is not over, or all its sets are played."""
    fines: tuple[int, int]
    """Points for which the pairs are fined in this set (`spots`)."""
    muted: MuteView | None
    signatures: tuple[SignatureView, ...]
    awaited: Awaited | None
    """Whose hands are still to be laid open while others lie so."""


def snapshot(state: State, now: MonoNs) -> Snapshot:
    """The scoreboard of `state` at `now`."""
    clock = state.clock
    set_no = len(state.results) if state.phase is Phase.GAME_OVER else state.set_no
    left = [state.tiles_left(seat) for seat in Seat]
    return Snapshot(
        revision=state.revision,
        phase=state.phase,
        set_no=set_no,
        sets=state.params.sets_in_game,
        lead=state.lead,
        turn=state.turn,
        line=tuple(LineTile(p.left, p.right, p.seat) for p in state.line.placed),
        ends=state.line.ends,
        names=state.names,
        tiles_left=(left[0], left[1], left[2], left[3]),
        points=state.points,
        winner=state.winner,
        results=tuple(
            ResultView(r.set_no, r.lead, r.by, r.winner, r.spots, r.points, r.moves, r.passes) for r in state.results
        ),
        warnings=(state.warnings_of(Pair.A), state.warnings_of(Pair.B)),
        findings=tuple(_finding(state, finding) for finding in state.told_findings),
        halts=tuple(sorted(state.halts, key=lambda halt: halt.value)),
        take_back=tuple(_halves(tile) for tile in state.take_back),
        shown=tuple(tuple(_halves(tile) for tile in hand) for hand in state.shown) if state.shown else None,
        clock=ClockView(
            running=clock.is_running,
            limit_s=state.params.think_seconds,
            elapsed_ms=clock.elapsed_ns(now) // 1_000_000,
            seconds_left=clock.seconds_left(now),
        ),
        alert=AlertView(state.alert.kind, state.alert.text) if state.alert else None,
        sync_text=state.sync.text if state.sync else None,
        competition=state.competition,
        game=state.game,
        rules=RulesView(state.params.rule_set, state.params.version),
        seating=SeatingView(state.seating.names, state.seating.lead) if state.seating else None,
        mixing=_mixing(state),
        extra_set=set_no > state.params.sets_in_game,
        carried=state.carried,
        needs_referee=state.needs_referee,
        claim=state.claim,
        exposed=tuple(
            ExposedView(shown.seat, _halves(shown.tile))
            for shown in state.exposed
            if shown.tile not in state.line.tiles
        ),
        warnings_competition=(state.competition_warnings_of(Pair.A), state.competition_warnings_of(Pair.B)),
        expelled=tuple(pair for pair in Pair if is_expelled(state, pair)),
        ended_by=state.ended_by,
        fines=(fine_of(state, Pair.A), fine_of(state, Pair.B)),
        muted=_muted(state, now),
        signatures=tuple(SignatureView(_signer(signature), signature.by) for signature in state.signatures),
        awaited=state.awaited,
    )


def _signer(signature: Signature) -> str:
    if signature.pair is not None:
        return signature.pair.value
    return "chief" if signature.is_chief else "referee"


def _muted(state: State, now: MonoNs) -> MuteView | None:
    if state.mute is None:
        return None
    until = state.mute.until
    return MuteView(None if until is None else max(0, math.ceil((until - now) / NS_PER_S)))


def _finding(state: State, finding: Finding) -> FindingView:
    return FindingView(
        id=finding.number,
        kind=finding.kind,
        seat=finding.seat,
        clause=finding.clause,
        text=finding.text,
        pair=finding.pair,
        act=finding.ply + 1,
        passes=tuple(place + 1 for place in finding.passes),
        proven_by=finding.proven_by,
        repairs=finding.repairs,
        decisions=tuple(sorted(decisions_on(state, finding), key=lambda decision: decision.value)),
        set_no=finding.set_no,
        rule=PARAGRAPHS[finding.kind],
        stills=finding.stills,
    )


def _mixing(state: State) -> MixingView | None:
    """A reminder while the dominoes are mixed, where the text has an order for it (C2.1)."""
    if state.phase is not Phase.BETWEEN or state.lead is None or state.params.rule_set is not RuleSet.FOURS:
        return None
    order = mixing(state.lead, state.params.first_mixer)
    return MixingView(order.first, order.second, order.takes)


def _halves(tile: Tile) -> Halves:
    return (tile.high, tile.low)
