"""What the referee says: games, sets, rulings, warnings, counts, corrections, pauses, taking back."""

from __future__ import annotations

from collections import Counter

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.amend import CannotAmend, corrected, reattributed
from controller.game.clocks import NS_PER_S
from controller.game.draw import DrawError, lead_by_tiles, seats_by_lots, seats_by_tiles
from controller.game.events import Ending, Reason
from controller.game.ledger import LedgerConflict
from controller.game.penalties import EXPELLED_AT, WARNING_REASONS, warn
from controller.game.rulesets import ReplayBy, Reveal, Scoring, Seating
from controller.game.rulings import Events, Refusal, ruling
from controller.game.state import Phase, Ply, State
from controller.game.tiles import MonoNs, Seat, Suit, Tile


def draw_seats(state: State, command: cmd.DrawSeats) -> Events:
    """Who sits where, by dominoes or by lots (C3, R0)."""
    params = command.params
    try:
        if params.seating is Seating.LOTS and command.lots is not None:
            seating = seats_by_lots(command.pairs, command.lots)
        elif params.seating is Seating.TILE_DRAW and command.drawn is not None:
            seating = seats_by_tiles(command.pairs, command.drawn, params.minor_order)
        else:
            wanted = "the pairs' lots" if params.seating is Seating.LOTS else "four drawn dominoes"
            raise Refusal(Reason.NOTHING_DRAWN, f"expected {wanted}, by which these rules seat, got none: enter them")
    except DrawError as error:
        raise Refusal(Reason(error.reason), error.text) from error
    return (ev.SeatsDrawn(command.at, seating.names, seating.lead),)


def start_game(state: State, command: cmd.StartGame) -> Events:
    """A game begins, seated as drawn or as named."""
    if state.phase not in (Phase.IDLE, Phase.GAME_OVER) and not command.abandon:
        raise Refusal(Reason.GAME_RUNNING)
    names, lead = command.names, command.lead
    if names is None:
        if state.seating is None:
            raise Refusal(Reason.NOTHING_DRAWN)
        names, lead = state.seating.names, state.seating.lead
    rung = EXPELLED_AT[command.params.ladder]
    if command.competition:
        if not command.game or state.ledger.knows(command.game):
            raise Refusal(Reason.GAME_KNOWN, repr(command.game))
        for players in ((names[0], names[2]), (names[1], names[3])):
            if state.ledger.warnings_of(command.competition, players) >= rung:
                raise Refusal(Reason.EXPELLED, " and ".join(players))
    return (ev.GameStarted(command.at, names, lead, command.params, command.competition, command.game),)


def draw_lead(state: State, command: cmd.DrawLead) -> Events:
    """Player No. 1 of an extra set is determined by drawn dominoes (C5.7)."""
    if state.lead is not None:
        raise Refusal(Reason.LEAD_IS_FIXED)
    try:
        return (ev.LeadDrawn(command.at, lead_by_tiles(command.drawn, state.params.minor_order)),)
    except DrawError as error:
        raise Refusal(Reason(error.reason), error.text) from error


def start_set(state: State, command: cmd.StartSet) -> Events:
    """The dominoes are dealt: the leader's clock starts."""
    if state.lead is None and command.lead is None:
        raise Refusal(Reason.LEAD_MUST_BE_DRAWN)
    if state.lead is not None and command.lead not in (None, state.lead):
        raise Refusal(Reason.LEAD_IS_FIXED)
    lead = state.lead if state.lead is not None else command.lead
    assert lead is not None
    return (ev.SetStarted(command.at, state.set_no, lead),)


def rule(state: State, command: cmd.Rule) -> Events:
    """A decision on a finding."""
    finding = next((f for f in state.open_findings if f.number == command.finding), None)
    if finding is None:
        raise Refusal(Reason.NO_SUCH_FINDING)
    return ruling(state, command, finding)


def give_warning(state: State, command: cmd.Warn) -> Events:
    """The referee can warn, it is never automatic (C8.1)."""
    if command.reason not in WARNING_REASONS:
        raise Refusal(Reason.UNKNOWN_WARNING, f"got {command.reason!r}")
    whose = command.pair if command.seat is None else Seat(command.seat)
    assert whose is not None, "a warning is for a seat or a pair"
    return warn(state, command.at, whose, command.reason, by=command.by, by_referee=True)


def order_reveal(state: State, command: cmd.OrderReveal) -> Events:
    """All hands are laid open in the middle of a set: whose pass was wrong will be seen (section 4)."""
    return (ev.RevealOrdered(command.at, command.by),)


def count(state: State, command: cmd.Count) -> Events:
    """The four hands, entered by the referee."""
    left = tuple(state.tiles_left(seat) for seat in Seat)
    hands = _with_partner(state, command.hands)
    tiles = Counter(tile for hand in hands for tile in hand)
    if tuple(len(hand) for hand in hands) != left or tiles != Counter(state.line.unplayed):
        raise Refusal(Reason.BAD_REVEAL, f"expected {left} dominoes by seat")
    return (ev.HandsCounted(command.at, hands, command.by),)


def _with_partner(state: State, hands: tuple[tuple[Tile, ...], ...]) -> tuple[tuple[Tile, ...], ...]:
    """The hands with that of the winner's partner, which need not be shown: it is what is left (reveal)."""
    partner = unshown(state)
    if partner is None or len(hands) != len(Seat) or hands[partner]:
        return hands
    shown = {tile for hand in hands for tile in hand}
    rest = tuple(sorted(state.line.unplayed - shown))
    return tuple(rest if seat == partner else hand for seat, hand in enumerate(hands))


def unshown(state: State) -> Seat | None:
    """Who need not show his hand: with `counted_only` the partner of who went out (5.7)."""
    out = state.gone_out
    is_inferred = state.params.reveal is Reveal.COUNTED_ONLY and state.ending is Ending.OUT and out is not None
    return out.next.next if is_inferred and out is not None else None


def confirm_count(state: State, command: cmd.ConfirmCount) -> Events:
    """What the camera has read is right; where somebody went out and spots do not matter, no count is needed."""
    if state.shown is not None:
        return (ev.HandsCounted(command.at, state.shown, command.by),)
    if state.ending is Ending.OUT and state.params.scoring is Scoring.SETS:
        return (ev.CountWaived(command.at, command.by),)
    raise Refusal(Reason.NOTHING_SHOWN)


def restart_set(state: State, command: cmd.RestartSet) -> Events:
    """The set is played again, same leader; in `spots` only the chief referee may order it (C7.3, R10.5)."""
    if state.params.replay_by is ReplayBy.CHIEF_REFEREE and not command.is_chief:
        raise Refusal(Reason.ONLY_CHIEF_REFEREE)
    return (
        ev.SetAnnulled(command.at, by_referee=True, reason=command.reason, by=command.by, is_chief=command.is_chief),
    )


def amend(state: State, command: cmd.Attribute | cmd.Correct) -> Events:
    """A move of this set was another seat's, those in between having passed by voice; or it was another domino."""
    if stands_so(state.plies, command):
        return ()
    amended(state.plies, command)
    return (amendment(command),)


def stands_so(plies: tuple[Ply, ...], command: cmd.Attribute | cmd.Correct) -> bool:
    """Whether the record says already whose move it was."""
    is_act = 0 <= command.ply < len(plies)
    return isinstance(command, cmd.Attribute) and is_act and plies[command.ply].seat == command.seat


def amended(plies: tuple[Ply, ...], command: cmd.Attribute | cmd.Correct) -> tuple[Ply, ...]:
    """The acts of a set as they are said to have been; Refusal where they cannot have been so."""
    if isinstance(command, cmd.Correct) and not (0 <= command.inner <= 6 and 0 <= command.outer <= 6):
        raise Refusal(Reason.NO_SUCH_TILE)
    try:
        if isinstance(command, cmd.Attribute):
            return reattributed(plies, command.ply, Seat(command.seat))
        return corrected(plies, command.ply, Suit(command.inner), Suit(command.outer))
    except CannotAmend as error:
        raise Refusal(Reason.CANNOT_AMEND, error.text) from error


def amendment(command: cmd.Attribute | cmd.Correct) -> ev.Event:
    """The event by which a set in progress takes on what `amended` has found possible."""
    if isinstance(command, cmd.Attribute):
        return ev.Attributed(command.at, command.ply, Seat(command.seat), command.by)
    return ev.Corrected(command.at, command.ply, Suit(command.inner), Suit(command.outer), command.by)


def merge_ledger(state: State, command: cmd.MergeLedger) -> Events:
    """Warnings from other tables; counted once however often they come."""
    known = {entry.competition for entry in command.ledger.entries}
    known |= {entry.competition for entry in command.ledger.games}
    if state.competition and known - {state.competition}:
        other = ", ".join(sorted(known - {state.competition}))
        raise Refusal(Reason.OTHER_COMPETITION, f"expected {state.competition!r}, got {other!r}")
    try:
        merged = state.ledger.merged(command.ledger)
    except LedgerConflict as error:
        raise Refusal(Reason.LEDGER_CONFLICT, str(error)) from error
    if any(state.has_yet_to_give(name) for name in command.ledger.ids):
        raise Refusal(Reason.LEDGER_CONFLICT, f"it knows warnings of {state.game!r} that this game has not given")
    return () if merged == state.ledger else (ev.LedgerMerged(command.at, command.ledger),)


def confirm_register(state: State, command: cmd.ConfirmRegister) -> Events:
    """A pair or the referee signs for the game that is over."""
    signed = {(signature.pair, signature.is_chief) for signature in state.signatures}
    if (command.pair, command.is_chief) in signed:
        raise Refusal(Reason.ALREADY_SIGNED)
    return (ev.RegisterConfirmed(command.at, command.pair, command.by, command.is_chief),)


def pause(state: State, command: cmd.Pause) -> Events:
    """The clock stands."""
    if state.is_paused:
        raise Refusal(Reason.ALREADY_PAUSED)
    return (ev.Paused(command.at),)


def resume(state: State, command: cmd.Resume) -> Events:
    """The clock runs again."""
    if not (state.is_paused or state.is_restarted):
        raise Refusal(Reason.NOT_PAUSED)
    return (ev.Resumed(command.at),)


def undo(state: State, command: cmd.Undo) -> Events:
    """The last act did not happen."""
    if state.before is None:
        raise Refusal(Reason.NOTHING_TO_UNDO)
    if state.is_signed and not command.is_chief:
        raise Refusal(Reason.REGISTER_SIGNED)
    return (ev.Undone(command.at),)


def redo(state: State, command: cmd.Redo) -> Events:
    """What was taken back last has happened after all."""
    if state.ahead is None:
        raise Refusal(Reason.NOTHING_TO_REDO)
    return (ev.Redone(command.at),)


def mute(state: State, command: cmd.Mute) -> Events:
    """The buzzer is silent, for a time or until the referee says otherwise; his lamp tells all the same."""
    until = None if command.seconds is None else MonoNs(command.at + round(command.seconds * NS_PER_S))
    return (ev.Muted(command.at, until, command.by),)


def unmute(state: State, command: cmd.Unmute) -> Events:
    """The buzzer may sound again."""
    if state.mute is None:
        raise Refusal(Reason.NOT_MUTED)
    return (ev.Unmuted(command.at, command.by),)


def acknowledge(state: State, command: cmd.Acknowledge) -> Events:
    """The referee has noticed."""
    return () if state.alert is None else (ev.Acknowledged(command.at),)
