"""What else may have happened: one misread domino or one missed voice with which no pass is contradicted any more.

A contradiction comes as well from a misreading as from a wrong pass, so this is told before anybody is accused. What
is likely of a player is not weighed, only how little would have to be otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from controller.game.amend import CannotAmend, corrected, reattributed
from controller.game.deals import evidence_of, has_deal
from controller.game.proof import Hands, Names, contradiction, seat_name, shown_in
from controller.game.state import Exposed, Move, Ply, Skip
from controller.game.tiles import ALL_TILES, HAND_SIZE, SUITS, End, Seat, Suit, Tile


@dataclass(frozen=True, slots=True)
class OtherTile:
    """The domino of the move at place `ply` was misread."""

    ply: int
    inner: Suit
    outer: Suit

    def text(self, plies: tuple[Ply, ...], names: Names) -> str:
        """The condition in one sentence, about the history as it is recorded."""
        move = plies[self.ply]
        assert isinstance(move, Move), "a domino is laid by a move"
        return f"If the domino of act {self.ply + 1} was {Tile.of(self.inner, self.outer)}, not {move.tile}, {_FITS}"


@dataclass(frozen=True, slots=True)
class OtherSeat:
    """The move at place `ply` was made by `seat`, and the seats before it passed by voice."""

    ply: int
    seat: Seat

    def text(self, plies: tuple[Ply, ...], names: Names) -> str:
        """The condition in one sentence, about the history as it is recorded."""
        seat = plies[self.ply].seat
        voices = [seat_name(names, Seat((seat + step) % 4)) for step in range((self.seat - seat) % 4)]
        said = " and ".join(filter(None, (", ".join(voices[:-1]), voices[-1])))
        whose = seat_name(names, self.seat)
        return f"If {said} passed by voice before act {self.ply + 1}, which was {whose}'s, {_FITS}"


Repair = OtherTile | OtherSeat

_FITS = "everything fits."
_Half = tuple[int, bool]
"""A half of a laid domino: place of its move, and whether it is the outer one."""


def repairs(
    plies: tuple[Ply, ...],
    exposed: tuple[Exposed, ...] = (),
    hands: Hands | None = None,
    *,
    excused: frozenset[int] = frozenset(),
    limit: int = 8,
) -> tuple[Repair, ...]:
    """The single changes after which no pass is contradicted, a deal exists, and every move that fitted still fits.

    At most `limit`, the likeliest first: fewest halves read otherwise, then fewest voices missed, then the latest act.
    () where there is nothing to repair. `excused` passes are left out of account.
    """
    if contradiction(plies, exposed, hands, excused=excused) is None:
        return ()
    shown = shown_in(hands)

    def mends(repair: Repair) -> bool:
        try:
            amended = _amended(plies, repair)
        except CannotAmend:
            return False
        return (
            _is_possible(amended, exposed, shown)
            and has_deal(evidence_of(amended, (*exposed, *shown), believed=_passes(amended) - excused))
            and contradiction(amended, exposed, hands, excused=excused) is None
        )

    return tuple(islice(filter(mends, _candidates(plies)), limit))


def _candidates(plies: tuple[Ply, ...]) -> Iterator[Repair]:
    """Every single change worth trying, the likeliest first."""
    for voices, place in product((1, 2, 3), range(len(plies) - 1, 0, -1)):
        if isinstance(plies[place], Move):
            yield OtherSeat(place, Seat((plies[place].seat + voices) % 4))
    others = _misread(plies)
    yield from sorted(others, key=lambda other: (others[other], -other.ply, other.inner, other.outer))


def _misread(plies: tuple[Ply, ...]) -> dict[OtherTile, int]:
    """What each domino may have been instead, and how many of its halves are other then.

    That is an unplayed domino which fits, alike in each half to which a fitting one was joined later. So as a rule only
    the outer halves at the two ends of the line are in question.
    """
    joints, held = _joints(plies)
    unplayed = ALL_TILES - {move.tile for move in _moves(plies)}
    fewest: dict[tuple[int, Tile], tuple[int, Suit, Suit]] = {}
    for (place, joint), move in zip(joints.items(), _moves(plies), strict=True):
        is_inner_free = joint is None and (place, False) not in held
        inners = SUITS if is_inner_free else (move.inner if joint is None else joint,)
        outers = (move.outer,) if (place, True) in held else SUITS
        for inner, outer in product(inners, outers):
            tile = Tile.of(inner, outer)
            if tile in unplayed:
                other = ((inner != move.inner) + (outer != move.outer), inner, outer)
                fewest[place, tile] = min(other, fewest.get((place, tile), other))
    return {OtherTile(place, inner, outer): halves for (place, _), (halves, inner, outer) in fewest.items()}


def _joints(plies: tuple[Ply, ...]) -> tuple[dict[int, Suit | None], set[_Half]]:
    """The suit that was open where each move was laid, None for the first; and the halves that a fitting one joined."""
    joints: dict[int, Suit | None] = {}
    held: set[_Half] = set()
    tips: dict[End, tuple[_Half, Suit]] = {}
    for place, ply in enumerate(plies):
        if not isinstance(ply, Move):
            continue
        if not tips:
            tips = {End.L: ((place, False), ply.inner), End.R: ((place, True), ply.outer)}
            joints[place] = None
            continue
        tip, joints[place] = tips[ply.end]
        if ply.is_fitting:
            held.add(tip)
        tips[ply.end] = ((place, True), ply.outer)
    return joints, held


def _amended(plies: tuple[Ply, ...], repair: Repair) -> tuple[Ply, ...]:
    """The history with the change made; CannotAmend where it cannot be made."""
    if isinstance(repair, OtherSeat):
        return reattributed(plies, repair.ply, repair.seat)
    return corrected(plies, repair.ply, repair.inner, repair.outer)


def _is_possible(plies: tuple[Ply, ...], exposed: tuple[Exposed, ...], shown: tuple[Exposed, ...]) -> bool:
    """Whether a set can go so: over with the last domino of a hand, and each domino laid by the seat that had it."""
    laid = {move.tile: move.seat for move in _moves(plies)}
    before_last = Counter(move.seat for move in _moves(plies[:-1]))
    return (
        all(count < HAND_SIZE for count in before_last.values())
        and all(laid.get(seen.tile, seen.seat) is seen.seat for seen in exposed)
        and not any(seen.tile in laid for seen in shown)
    )


def _moves(plies: tuple[Ply, ...]) -> list[Move]:
    return [ply for ply in plies if isinstance(ply, Move)]


def _passes(plies: tuple[Ply, ...]) -> frozenset[int]:
    return frozenset(place for place, ply in enumerate(plies) if isinstance(ply, Skip))
