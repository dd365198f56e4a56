"""`evolve(state, event)`: what each event does to the state; the same for live play, restart, undo and replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from controller.game import events as ev
from controller.game import evolve_findings as findings
from controller.game import evolve_play as play
from controller.game import evolve_sets as sets
from controller.game.clocks import Clock
from controller.game.line import Line
from controller.game.state import Mute, Phase, State


def evolve(state: State, event: ev.Event) -> State:
    """The state after `event`. Never refuses: what is in the journal has happened."""
    after = _APPLY[type(event)](state, event)
    before, ahead = after.before, after.ahead
    if ev.is_act(event):
        # Of a game that was given up for another the last moment is kept, not its whole past.
        past = None if isinstance(event, ev.GameStarted) else state.before
        before, ahead = replace(state, clock=state.clock.standing(event.at), before=past), None
    clock, revision = _tended(after, event), state.revision + 1
    return replace(after, before=before, ahead=ahead, clock=clock, revision=revision, last_at=event.at)


def evolve_all(state: State, happened: Iterable[ev.Event]) -> State:
    """The state after all of `happened`."""
    return reduce(evolve, happened, state)


def _tended(state: State, event: ev.Event) -> Clock:
    """Thinking time passes exactly while a seat is on turn and nothing halts the set."""
    is_wanted = state.phase is Phase.PLAY and state.turn is not None and not state.halts
    return state.clock.running(event.at) if is_wanted else state.clock.standing(event.at)


_APPLY: dict[type, Callable[[State, Any], State]] = {
    ev.SeatsDrawn: sets.seats_drawn,
    ev.GameStarted: sets.game_started,
    ev.LeadDrawn: lambda state, event: replace(state, lead=event.lead),
    ev.SetStarted: sets.set_started,
    ev.DominoLaid: play.domino_laid,
    ev.Passed: play.passed,
    ev.PassWithdrawn: play.pass_withdrawn,
    ev.Refused: play.refused,
    ev.FindingRaised: findings.finding_raised,
    ev.FindingRuled: findings.finding_ruled,
    ev.WarningGiven: findings.warning_given,
    ev.SetForfeited: findings.set_forfeited,
    ev.PairExpelled: findings.pair_expelled,
    ev.TimeClaimed: play.time_claimed,
    ev.RedealClaimed: play.redeal_claimed,
    ev.RedealGranted: play.redeal_granted,
    ev.RedealDenied: play.redeal_denied,
    ev.RedealUnclaimed: lambda state, event: replace(state, unclaimed=(*state.unclaimed, event.seat)),
    ev.TileExposed: play.tile_exposed,
    ev.Attributed: findings.attributed,
    ev.Corrected: findings.corrected,
    ev.RevealOrdered: play.reveal_ordered,
    ev.LedgerMerged: sets.ledger_merged,
    ev.WentOut: play.went_out,
    ev.Locked: play.locked,
    ev.HandsAwaited: play.hands_awaited,
    ev.HandsShown: play.hands_shown,
    ev.HandsCounted: play.hands_counted,
    ev.CountWaived: lambda state, _: replace(state, is_count_waived=True),
    ev.SetScored: sets.set_scored,
    ev.SetRescored: sets.set_rescored,
    ev.SetAnnulled: sets.set_annulled,
    ev.GameEnded: sets.game_ended,
    ev.RegisterConfirmed: sets.register_confirmed,
    ev.TimeExceeded: play.time_exceeded,
    ev.RefereeCalled: play.referee_called,
    ev.Acknowledged: lambda state, _: replace(state, alert=None),
    ev.Paused: lambda state, _: replace(state, is_paused=True),
    ev.Resumed: lambda state, _: replace(state, is_paused=False, is_restarted=False),
    ev.Muted: lambda state, event: replace(state, mute=Mute(event.until)),
    ev.Unmuted: lambda state, _: replace(state, mute=None),
    ev.SyncLost: play.sync_lost,
    ev.SyncFound: play.sync_found,
    ev.TakenBack: play.taken_back,
    ev.TableCleared: lambda state, _: replace(state, line=Line(), take_back=()),
    ev.CameraLost: play.camera_lost,
    ev.CameraRegained: play.camera_regained,
    ev.StorageLost: lambda state, _: replace(state, storage_trouble="nothing can be kept"),
    ev.StorageRegained: lambda state, _: replace(state, storage_trouble=None),
    ev.Restarted: sets.restarted,
    ev.Undone: sets.undone,
    ev.Redone: sets.redone,
}
