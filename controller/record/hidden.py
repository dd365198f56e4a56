"""How many deals fit a game after each act: how much of the hands is still hidden, and 0 where a record cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.game import events as ev
from controller.game.deals import count_deals, evidence_of
from controller.game.evolve import evolve
from controller.game.state import Phase, Skip, State


@dataclass(frozen=True, slots=True)
class DealsLeft:
    """After one act."""

    set_no: int
    act: int
    """Number of the act in the set as it stands, from 1."""
    deals: int
    """Deals of the 28 dominoes that agree with every move and pass so far (section 4)."""


def deals_left(events: Iterable[ev.Event]) -> Iterator[DealsLeft]:
    """One for every move, pass and correction while a set is played; passes that were dismissed do not count."""
    state = State()
    for event in events:
        after = evolve(state, event)
        is_new = after.plies != state.plies or after.exposed != state.exposed or after.excused != state.excused
        if is_new and after.plies and after.phase is Phase.PLAY:
            passes = {place for place, ply in enumerate(after.plies) if isinstance(ply, Skip)}
            evidence = evidence_of(after.plies, after.exposed, believed=frozenset(passes - after.excused))
            yield DealsLeft(after.set_no, len(after.plies), count_deals(evidence))
        state = after
