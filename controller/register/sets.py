"""One set of the register from the state in which it closes: acts, ends, hands and spots; no event is followed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from controller.game.commands import Decision
from controller.game.draw import mixing
from controller.game.events import Ending, FindingKind, SetScored
from controller.game.penalties import fine_of
from controller.game.rulesets import Params, RuleSet, WonLockCount
from controller.game.state import Finding, Move, Ply, State
from controller.game.tiles import Pair, Seat
from controller.register.register import ActEntry, FineEntry, Hand, MixingEntry, SetEntry

_CLAUSES = {
    RuleSet.FOURS: {
        Ending.WRONG_PASS: "C6.1",
        Ending.WRONG_DOMINO: "C7.2",
        Ending.SECOND_WARNING: "C8.2",
        Ending.THIRD_WARNING: "C8.3",
        Ending.FOURTH_WARNING: "C8.4",
    },
    RuleSet.SPOTS: {
        Ending.WRONG_PASS: "R11",
        Ending.FOURTH_WARNING: "R10",
        Ending.REMOVED: "R10",
    },
}


@dataclass(frozen=True, slots=True)
class Mark:
    """What the state does not keep of an act."""

    think_ms: int | None
    confidence: float | None
    is_by_voice: bool


def clause_of(ending: Ending, params: Params) -> str:
    """The clause of the text by which a set is awarded; empty where it was played out, or the text has none."""
    return _CLAUSES[params.rule_set].get(ending, "")


def written_set(state: State, marks: tuple[Mark, ...], scored: SetScored | None = None, by: str = "") -> SetEntry:
    """The set in progress as an entry: with its result where it is `scored`, as far as it has come where not.

    Totals are left out, `with_totals` puts them in.
    """
    params, lead, ends = state.params, state.lead, state.line.ends
    return SetEntry(
        set_no=state.set_no,
        is_extra=state.set_no > params.sets_in_game,
        lead=lead,
        mixing=_mixing(lead, params),
        acts=_acts(state, marks),
        ending=None if scored is None else scored.by,
        clause="" if scored is None else clause_of(scored.by, params),
        ends=None if ends is None or not state.plies else (int(ends[0]), int(ends[1])),
        spots=_spots(state) if scored is not None and scored.spots is not None else None,
        hands=_hands(state),
        winner=None if scored is None else scored.winner,
        points=None if scored is None else scored.points,
        total=None,
        recorded_by=by,
        fines=() if scored is None else fines_in(state, scored.by),
    )


def fines_in(state: State, by: Ending) -> tuple[FineEntry, ...]:
    """The fines that are in the points of a set which ends so; a set lost by a warning has none (R10)."""
    if by in (Ending.FOURTH_WARNING, Ending.REMOVED):
        return ()
    fined = ((pair, fine_of(state, pair)) for pair in Pair)
    return tuple(FineEntry(pair, fine, _counted(state, by, pair, fine)) for pair, fine in fined if fine)


def _counted(state: State, by: Ending, pair: Pair, fine: int) -> int | None:
    """What a fined pair counts in a set it won: twice the fine; None where the fine is added to its spots (R10.3)."""
    flat = 2 * fine
    if by is Ending.OUT:
        out = state.gone_out
        return flat if out is not None and out.pair is pair else None
    if by is not Ending.DEADLOCK or state.spots is None:
        return None
    held, rival = state.spots[pair.index], state.spots[pair.rivals.index]
    how = state.params.won_lock_count
    is_flat = how is WonLockCount.LITERAL or (how is WonLockCount.FLAT_OR_FINE and held <= flat)
    return flat if held < rival and is_flat else None


def with_totals(sets: Iterable[SetEntry]) -> tuple[SetEntry, ...]:
    """The sets with their running totals."""
    a, b, done = 0.0, 0.0, []
    for entry in sets:
        if entry.points is not None:
            a, b = a + entry.points[0], b + entry.points[1]
        done.append(replace(entry, total=None if entry.points is None else (a, b)))
    return tuple(done)


def with_wrong_pass(entry: SetEntry, findings: Iterable[Finding]) -> SetEntry:
    """A registered set with the passes marked that have been ruled wrong since."""
    wrong = _ruled_wrong(f for f in findings if f.set_no == entry.set_no)
    acts = tuple(replace(act, is_wrong=act.is_wrong or act.number - 1 in wrong) for act in entry.acts)
    return replace(entry, acts=acts)


def _mixing(lead: Seat | None, params: Params) -> MixingEntry | None:
    if lead is None or params.rule_set is not RuleSet.FOURS:  # the other text is silent
        return None
    order = mixing(lead, params.first_mixer)
    first, second, third, last = order.takes
    return MixingEntry(order.first, order.second, (first, second, third, last))


def _acts(state: State, marks: tuple[Mark, ...]) -> tuple[ActEntry, ...]:
    wrong = _ruled_wrong(f for f in state.findings if f.set_no is None)
    pairs = zip(state.plies, marks, strict=True)
    return tuple(_act(place, ply, mark, is_wrong=place in wrong) for place, (ply, mark) in enumerate(pairs))


def _act(place: int, ply: Ply, mark: Mark, *, is_wrong: bool) -> ActEntry:
    if isinstance(ply, Move):
        domino, is_wrong = (int(ply.inner), int(ply.outer), ply.end), not ply.is_fitting
    else:
        domino = None
    return ActEntry(place + 1, ply.seat, domino, mark.is_by_voice, mark.think_ms, mark.confidence, is_wrong)


def _ruled_wrong(findings: Iterable[Finding]) -> frozenset[int]:
    """Places of the passes that were ruled wrong; where only a player or a pair is proven, no pass is."""
    return frozenset(
        f.ply
        for f in findings
        if f.kind is FindingKind.WRONG_PASS
        and f.decision is Decision.CONFIRM
        and f.seat is not None
        and len(f.passes) < 2
    )


def _hands(state: State) -> tuple[Hand, Hand, Hand, Hand] | None:
    if state.hands is None:
        return None
    first, second, third, fourth = (tuple((int(t.high), int(t.low)) for t in hand) for hand in state.hands)
    return (first, second, third, fourth)


def _spots(state: State) -> tuple[int, int, int, int] | None:
    """What each hand counted: the pairs' spots as they were scored, hand by hand."""
    hands = state.hands
    if hands is None:
        return None
    alone = (tuple(hand if place == seat else () for place, hand in enumerate(hands)) for seat in Seat)
    first, second, third, fourth = (sum(replace(state, hands=one).spots or (0, 0)) for one in alone)
    return (first, second, third, fourth)
