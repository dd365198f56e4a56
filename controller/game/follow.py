"""What follows by the rules alone once somebody has acted: findings, going out, deadlock, score, the game's end."""

from __future__ import annotations

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, Winner
from controller.game.evolve import evolve_all
from controller.game.penalties import points_for, winner_of
from controller.game.proof import Contradiction, wrong_passes
from controller.game.rulesets import Adjudication
from controller.game.rulings import Events, ruling
from controller.game.state import Move, Phase, State
from controller.game.tiles import MonoNs, Seat, Tile


def follow(state: State, at: MonoNs) -> Events:
    """Everything the rules add, each step seeing what the one before it did."""
    added: list[ev.Event] = []
    while step := _consequence(state, at):
        added.extend(step)
        state = evolve_all(state, step)
    return tuple(added)


def _consequence(state: State, at: MonoNs) -> Events:
    """The next thing that follows from `state` by the rules alone; () when nothing does."""
    if state.phase is Phase.BETWEEN:
        return _game_end(state, at)
    if state.phase not in (Phase.PLAY, Phase.COUNT):
        return ()
    return _new_finding(state, at) or _confirmed_by_rule(state, at) or _closing(state, at) or _score(state, at)


def _new_finding(state: State, at: MonoNs) -> Events:
    """The first wrong domino or wrong pass that the play so far proves and nobody has been told of."""
    told = {(f.kind, f.ply) for f in state.findings}
    for index, ply in enumerate(state.plies):
        if isinstance(ply, Move) and not ply.is_fitting and (FindingKind.WRONG_DOMINO, index) not in told:
            text = f"{state.names[ply.seat]} laid {ply.tile} with {ply.inner} to the joint, which does not fit."
            return (ev.FindingRaised(at, state.next_finding, FindingKind.WRONG_DOMINO, ply.seat, index, "C7", text),)
    for found in wrong_passes(state):
        if (FindingKind.WRONG_PASS, found.ply) not in told:
            text = _wrong_pass_text(state, found)
            return (
                ev.FindingRaised(at, state.next_finding, FindingKind.WRONG_PASS, found.seat, found.ply, "C6.1", text),
            )
    return ()


def _wrong_pass_text(state: State, found: Contradiction) -> str:
    """The proof in words a referee can read out."""
    skip = state.plies[found.ply]
    assert not isinstance(skip, Move), "a contradiction is about a pass"
    opened = " and ".join(str(suit) for suit in dict.fromkeys(skip.ends))
    how = "showed" if found.seen_in is None else f"laid (act {found.seen_in + 1})"
    name = state.names[found.seat]
    return f"{name} passed (act {found.ply + 1}) with {opened} open, and later {how} {found.tile}, which fitted then."


def _confirmed_by_rule(state: State, at: MonoNs) -> Events:
    """With adjudication auto findings confirm themselves: a wrong pass at once, a wrong domino at the count."""
    if state.params.adjudication is not Adjudication.AUTO:
        return ()
    for finding in state.open_findings:
        if finding.kind is FindingKind.WRONG_PASS:
            return ruling(state, at, finding, Decision.CONFIRM, by_rule=True)
        if state.hands is not None:
            return ruling(state, at, finding, Decision.LOST, by_rule=True)
    return ()


def _closing(state: State, at: MonoNs) -> Events:
    """Going out comes before the deadlock: a deadlock needs players who all have dominoes (C0.7)."""
    if state.phase is not Phase.PLAY or not state.line.placed:
        return ()
    out = _gone_out(state)
    if out is not None:
        return (ev.WentOut(at, out),)
    if state.line.is_locked:
        assert state.line.ends is not None
        return (ev.Locked(at, state.line.ends[1]),)
    return ()


def _score(state: State, at: MonoNs) -> Events:
    """The set is registered once the hands are counted, or the count is waived, and nothing waits for the referee."""
    if state.open_findings or (state.hands is None and not state.is_count_waived):
        return ()
    scored = provisional_score(state, at)
    return () if scored is None else (scored,)


def provisional_score(state: State, at: MonoNs) -> ev.SetScored | None:
    """What the closed line is worth as things stand; None while it is open, or locked and not counted (C5.2-C5.4)."""
    spots = _spots(state.hands)
    out = _gone_out(state)
    if state.ending is Ending.OUT and out is not None:
        winner = Winner(out.pair.value)
    elif state.ending is Ending.DEADLOCK and spots is not None:
        winner = winner_of((spots[1], spots[0]))  # fewer spots win (C5.4)
    else:
        return None
    return ev.SetScored(at, state.ending, winner, spots, points_for(winner))


def _gone_out(state: State) -> Seat | None:
    return next((seat for seat in Seat if state.tiles_left(seat) == 0), None)


def _spots(hands: tuple[tuple[Tile, ...], ...] | None) -> tuple[int, int] | None:
    if hands is None:
        return None
    by_seat = [sum(tile.spots for tile in hand) for hand in hands]
    return (by_seat[0] + by_seat[2], by_seat[1] + by_seat[3])


def _game_end(state: State, at: MonoNs) -> Events:
    """After the agreed sets; a level game goes on with extra sets where the regulations want a winner (C5.7)."""
    if len(state.results) < state.params.sets_in_game:
        return ()
    winner = winner_of(state.points)
    if winner is Winner.DRAW and state.params.pair_tournament:
        return ()
    return (ev.GameEnded(at, winner, state.points),)
