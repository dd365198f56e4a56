"""The written record of a game from its events: what was done; what followed from it is left to the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from controller.game import events as ev
from controller.game.clocks import NS_PER_MS
from controller.game.commands import Decision
from controller.game.evolve import evolve
from controller.game.rulesets import OutOfTurn
from controller.game.seen import Stills
from controller.game.state import Finding, Phase, State
from controller.game.tiles import Pair, Tile
from controller.record import entries as en
from controller.record.record import Record, SetMark, SetRecord


class NothingPlayed(ValueError):
    """Events without a game in them."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The game as it is written so far; what was taken back is not in it, as it is not in the game."""

    started: ev.GameStarted | None = None
    warned: tuple[int, int] = (0, 0)
    """Warnings of the competition before this game."""
    sets: tuple[SetRecord, ...] = ()
    """The last one is being written as long as it has no result."""
    between: tuple[en.Entry, ...] = ()
    """Written since the last set."""
    numbers: tuple[int, ...] = ()
    """The written number of every act that stands in the set; 0 for a pass that a correction has put in."""
    before: _Page | None = None
    """As it was before the last act: what undo returns to."""
    ahead: _Page | None = None
    """As the last undo has left it: what redo returns to."""


def record_of(events: Iterable[ev.Event], *, tags: tuple[tuple[str, str], ...] = ()) -> Record:
    """The last game among `events`, as a journal keeps them; `tags` are added to what the events know.

    Raises:
        NothingPlayed: no game was started.
    """
    state, page = State(), _Page()
    for event in events:
        after = evolve(state, event)
        page = _written(page, event, state, after)
        state = after
    if page.started is None:
        raise NothingPlayed("expected the events of a game, got none that starts one: play one first")
    known = {"Event": page.started.competition, "Game": page.started.game, **dict(tags)}
    return Record(
        lead=page.started.lead,
        params=page.started.params,
        names=page.started.names,
        tags=tuple((name, value) for name, value in known.items() if value),
        warned=page.warned,
        sets=page.sets,
        after=page.between,
        result=state.points if state.phase is Phase.GAME_OVER else None,
    )


def _written(page: _Page, event: ev.Event, before: State, after: State) -> _Page:
    """The page after one event."""
    if isinstance(event, ev.Undone):
        return replace(page.before or _Page(), ahead=page)
    if isinstance(event, ev.Redone):
        return page.ahead or page
    new = page
    if isinstance(event, ev.GameStarted):
        warned = [after.competition_warnings_of(pair) for pair in Pair]
        new = _Page(started=event, warned=(warned[0], warned[1]))
    elif isinstance(event, ev.SetStarted):
        new = _begun(page, event, before)
    elif isinstance(event, ev.SetScored):
        new = _marked(page, event, before)
    elif isinstance(event, ev.SetAnnulled) and event.set_no is not None:
        new = _struck(page, event)
    else:
        entry = _entry_of(page, event, before)
        if entry is not None:
            new = _put(page, entry)
    new = replace(new, numbers=_numbered(new, event, before, after))
    if not ev.is_act(event):
        return new
    past = replace(page, before=None) if isinstance(event, ev.GameStarted) else page
    return replace(new, before=past, ahead=None)


def _begun(page: _Page, event: ev.SetStarted, before: State) -> _Page:
    """A set, or the same one again with other dominoes."""
    if page.sets and page.sets[-1].result is None:
        last = page.sets[-1]
        again = replace(last, entries=(*last.entries, *page.between))
        return replace(page, sets=(*page.sets[:-1], again), between=(), numbers=())
    lead = event.lead if before.lead is None else None
    return replace(page, sets=(*page.sets, SetRecord(event.set_no, lead, page.between)), between=(), numbers=())


def _marked(page: _Page, event: ev.SetScored, before: State) -> _Page:
    """The result of the set; one that was lost before it began has no acts."""
    mark = SetMark(event.by, event.points, event.spots)
    if page.sets and page.sets[-1].result is None:
        last = page.sets[-1]
        over = replace(last, entries=(*last.entries, *page.between), result=mark)
        return replace(page, sets=(*page.sets[:-1], over), between=(), numbers=())
    lost = SetRecord(before.set_no, None, page.between, (), mark)
    return replace(page, sets=(*page.sets, lost), between=(), numbers=())


def _struck(page: _Page, event: ev.SetAnnulled) -> _Page:
    """The set registered last is written on: it is played again."""
    last = page.sets[-1]
    again = en.Restarted(en.Again.REPLAY, event.reason, by=event.by, is_chief=event.is_chief)
    opened = replace(last, entries=(*last.entries, *page.between, again), result=None)
    return replace(page, sets=(*page.sets[:-1], opened), between=(), numbers=())


def _put(page: _Page, entry: en.Entry) -> _Page:
    if not page.sets or page.sets[-1].result is not None:
        return replace(page, between=(*page.between, entry))
    last = page.sets[-1]
    return replace(page, sets=(*page.sets[:-1], replace(last, entries=(*last.entries, entry))))


def _numbered(page: _Page, event: ev.Event, before: State, after: State) -> tuple[int, ...]:
    """The written numbers beside the acts that stand."""
    numbers = page.numbers
    if isinstance(event, ev.Attributed):
        voices = (0,) * (len(after.plies) - len(before.plies))
        numbers = (*numbers[: event.ply], *voices, *numbers[event.ply :])
    elif isinstance(event, ev.DominoLaid | ev.Passed):
        numbers = (*numbers, page.sets[-1].acts)
    return numbers[: len(after.plies)]


def _entry_of(page: _Page, event: ev.Event, before: State) -> en.Entry | None:
    """What somebody did, as it is written; None for what follows by itself."""
    write = _ENTRIES.get(type(event))
    if write is not None:
        return write(event)
    match event:
        case ev.DominoLaid():
            seat = None if event.seat is before.turn else event.seat
            return en.Laid(event.inner, event.outer, event.end, seat, not event.is_fitting, event.think_ms)
        case ev.Passed():
            return en.Skipped(None, event.by_voice, event.think_ms)
        case ev.FindingRaised() if event.lay is not None and not _is_by_arm_and_stands(before, event.stills):
            return en.Laid(*event.lay, event.seat)
        case ev.RedealClaimed():
            return en.RedealClaimed(event.seat, None, before.clock.elapsed_ns(event.at) // NS_PER_MS)
        case ev.Paused():
            return en.Paused(before.clock.elapsed_ns(event.at) // NS_PER_MS)
        case ev.Resumed() if before.is_paused:
            return en.Resumed()
        case _:
            return _order_of(page, event, before)


def _order_of(page: _Page, event: ev.Event, before: State) -> en.Entry | None:
    """What the referee said about an act, a seat or the set."""
    match event:
        case ev.FindingRuled() if not event.by_rule:
            finding = next(f for f in before.findings if f.number == event.finding)
            if _is_by_arm_and_stands(before, finding.stills):
                is_again = event.decision is Decision.RESTART
                again = en.Restarted(en.Again.RESTART, finding.kind.value, by=event.by, is_chief=event.is_chief)
                return again if is_again else None
            return en.Ruled(finding.kind, _act_of(page, finding), event.decision, event.by, event.is_chief)
        case ev.Attributed():
            return en.Attributed(page.numbers[event.ply], event.seat, event.by)
        case ev.Corrected():
            return en.Corrected(page.numbers[event.ply], event.inner, event.outer, event.by)
        case ev.WarningGiven() if event.by_referee:
            return en.Warned(event.seat, event.reason, event.by, pair=event.pair)
        case ev.SetAnnulled() if event.by_referee:
            return en.Restarted(en.Again.RESTART, event.reason, by=event.by, is_chief=event.is_chief)
        case _:
            return None


def _is_by_arm_and_stands(state: State, stills: Stills | None) -> bool:
    """Whether a finding only asks whose domino it was that an arm laid: the move, once it counts, says that."""
    return stills is not None and state.params.out_of_turn is OutOfTurn.STANDS


def _act_of(page: _Page, finding: Finding) -> int:
    """The written number of the act a finding is about; 0 where there is none to name."""
    is_here = finding.set_no is None and finding.ply < len(page.numbers)
    return page.numbers[finding.ply] if is_here else 0


def _halves(tile: Tile) -> en.Halves:
    return (int(tile.high), int(tile.low))


def _hand(hand: tuple[Tile, ...]) -> en.Hand:
    return tuple(_halves(tile) for tile in hand)


def _shown(event: ev.HandsCounted) -> en.Entry:
    south, west, north, east = (_hand(hand) for hand in event.hands)
    return en.Shown((south, west, north, east), event.by)


_ENTRIES: dict[type, Callable[[Any], en.Entry]] = {
    ev.PassWithdrawn: lambda e: en.TakenBackAct(),
    ev.HandsCounted: _shown,
    ev.CountWaived: lambda e: en.CountWaived(e.by),
    ev.RevealOrdered: lambda e: en.RevealOrdered(e.by),
    ev.TimeClaimed: lambda e: en.TimeClaimed(e.seat, e.elapsed_ms),
    ev.RedealGranted: lambda e: en.RedealClaimed(e.seat, _hand(e.hand)),
    ev.RedealDenied: lambda e: en.RedealClaimed(e.seat, _hand(e.hand)),
    ev.TileExposed: lambda e: en.ExposedTile(e.seat, _halves(e.tile), e.in_last_set, e.by),
    ev.LeadDrawn: lambda e: en.LeadDrawn(e.lead),
    ev.RefereeCalled: lambda e: en.Called(e.seat),
}
"""What people did, by its event."""
