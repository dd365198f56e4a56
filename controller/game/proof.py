"""Proving a wrong pass from what everybody could see: moves, passes, shown dominoes; never from a likelihood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from controller.game.deals import evidence_of, has_deal, violation
from controller.game.events import ProvenBy
from controller.game.line import fitting_mask
from controller.game.state import Exposed, Move, Ply, Skip
from controller.game.tiles import ALL_MASK, CARRYING, SUITS, Pair, Seat, Tile, bit_of, mask_of, tiles_of

Hands = tuple[tuple[Tile, ...], ...]
Names = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class WrongPass:
    """A pass contradicted by dominoes of the same hand (C6.1)."""

    seat: Seat
    ply: int
    """Place of the pass."""
    tiles: tuple[Tile, ...]
    """All the dominoes that fitted then and are known to have been in the hand, in their order."""
    by: ProvenBy
    """Play if one of them was laid later, else exposure if one was seen before the count, else reveal."""
    seen_in: int | None
    """Place of the first later move that laid one; None when none was laid."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Somebody passed wrongly. Where no pass, seat or pair is named it is not proven who."""

    by: ProvenBy
    passes: tuple[int, ...]
    """Places of the passes that are contradicted, by counting each of those that leave no deal alone."""
    seats: tuple[Seat, ...]
    """The seats whose own passes leave no deal."""
    pairs: tuple[Pair, ...]
    """The pairs whose own passes leave no deal."""
    tiles: tuple[Tile, ...]
    """The dominoes that show it."""
    holders: tuple[Seat, ...]
    """By counting: the only seats that these dominoes can lie with."""
    places: int
    """By counting: places left with the holders, fewer than the dominoes."""
    because: tuple[int, ...] = ()
    """By counting: the passes that keep these dominoes from all other seats."""
    wrong: tuple[WrongPass, ...] = ()
    """Not by counting: the contradicted passes one by one."""


def wrong_passes(
    plies: tuple[Ply, ...], exposed: tuple[Exposed, ...] = (), hands: Hands | None = None
) -> tuple[WrongPass, ...]:
    """Every pass that a domino of the same hand contradicts, in the order of the passes.

    Nothing is ever drawn, so a domino that was laid later, shown at the count or seen in the hand was in it at the pass
    if it fitted then. A domino said to be in a hand that lies in the line says nothing but what its move says.
    """
    if not any(isinstance(ply, Skip) for ply in plies):
        return ()
    lies = mask_of(ply.tile for ply in plies if isinstance(ply, Move))
    seen, shown = [0] * 4, [0] * 4
    for known in exposed:
        seen[known.seat] |= bit_of(known.tile) & ~lies
    for seat, hand in enumerate(hands or ()):
        shown[seat] |= mask_of(hand) & ~lies
    later, found = [0] * 4, []
    for place in range(len(plies) - 1, -1, -1):
        ply = plies[place]
        if isinstance(ply, Move):
            later[ply.seat] |= bit_of(ply.tile)
            continue
        q, fitting = ply.seat, fitting_mask(*ply.ends)
        if held := fitting & (later[q] | seen[q] | shown[q]):
            by = ProvenBy.PLAY if held & later[q] else ProvenBy.EXPOSURE if held & seen[q] else ProvenBy.REVEAL
            found.append(WrongPass(q, place, tiles_of(held), by, _laid_after(plies, place, fitting)))
    return tuple(reversed(found))


def contradiction(
    plies: tuple[Ply, ...],
    exposed: tuple[Exposed, ...] = (),
    hands: Hands | None = None,
    *,
    excused: frozenset[int] = frozenset(),
) -> Contradiction | None:
    """What is wrong with the passes; None while a deal agrees with them all. `excused` passes are left out of account.

    A pass contradicted outright comes before what counting shows. None also where the record cannot be even without
    its passes: then a move or a shown hand is wrong, and no pass is to blame.
    """
    passes = frozenset(place for place, ply in enumerate(plies) if isinstance(ply, Skip)) - excused
    if not passes:
        return None
    direct = tuple(wrong for wrong in wrong_passes(plies, exposed, hands) if wrong.ply in passes)
    if direct:
        return _outright(direct)
    known = (*exposed, *shown_in(hands))
    if has_deal(evidence_of(plies, known, believed=passes)):
        return None
    return _by_counting(plies, known, passes)


def shown_in(hands: Hands | None) -> tuple[Exposed, ...]:
    """The dominoes of counted hands as dominoes seen in a hand."""
    return tuple(Exposed(tile, Seat(q)) for q, hand in enumerate(hands or ()) for tile in hand)


def reason_text(found: Contradiction, plies: tuple[Ply, ...], names: Names) -> str:
    """The proof and whom it proves, in words that a referee can check and read out."""
    if found.by is not ProvenBy.COUNTING:
        return " ".join(wrong_pass_text(wrong, plies, names) for wrong in found.wrong)
    return f"{_shortage(found, plies, names)}: {_denials(found, plies, names)}. {_verdict(found, plies, names)}"


def wrong_pass_text(wrong: WrongPass, plies: tuple[Ply, ...], names: Names) -> str:
    """What contradicts a pass outright, in one sentence."""
    skip, name = plies[wrong.ply], seat_name(names, wrong.seat)
    assert isinstance(skip, Skip), "a wrong pass is a pass"
    passed = f"{name[:1].upper()}{name[1:]} passed {_opened(wrong.ply, skip)}"
    if wrong.seen_in is not None:
        laid = plies[wrong.seen_in]
        assert isinstance(laid, Move), "a domino is laid by a move"
        return f"{passed}, and later laid {laid.tile} (act {wrong.seen_in + 1}), which fitted then."
    if wrong.by is ProvenBy.EXPOSURE:  # before the pass or after it: it was there from the deal on
        return f"{passed}, and was seen to hold {_listed(wrong.tiles)}, which fitted then."
    return f"{passed}, and at the count showed {_listed(wrong.tiles)}, which fitted then."


def seat_name(names: Names, seat: Seat) -> str:
    """The player's name, or the seat's number where no name was given."""
    return names[seat] or f"seat {int(seat)}"


# --- who is proven ---


def _laid_after(plies: tuple[Ply, ...], place: int, fitting: int) -> int | None:
    """Place of the first move after a pass by which its seat laid one of these dominoes."""
    seat = plies[place].seat
    later = ((at, ply) for at, ply in enumerate(plies) if at > place and ply.seat is seat)
    return next((at for at, ply in later if isinstance(ply, Move) and bit_of(ply.tile) & fitting), None)


def _outright(direct: tuple[WrongPass, ...]) -> Contradiction:
    """What passes contradicted outright prove together."""
    seats = tuple(sorted({wrong.seat for wrong in direct}))
    return Contradiction(
        by=next(by for by in _STRONGEST_FIRST if any(wrong.by is by for wrong in direct)),
        passes=tuple(wrong.ply for wrong in direct),
        seats=seats,
        pairs=tuple(pair for pair in Pair if any(seat.pair is pair for seat in seats)),
        tiles=tuple(sorted({tile for wrong in direct for tile in wrong.tiles})),
        holders=(),
        places=0,
        wrong=direct,
    )


_STRONGEST_FIRST = (ProvenBy.PLAY, ProvenBy.EXPOSURE, ProvenBy.REVEAL)


def _by_counting(plies: tuple[Ply, ...], known: tuple[Exposed, ...], passes: frozenset[int]) -> Contradiction | None:
    """Whom passes prove that together leave no deal: a pass, a seat or a pair if its own passes leave none alone.

    For a deal that agrees with all passes of somebody is a world in which he is innocent (C6.1).
    """

    def has_none(believed: frozenset[int]) -> bool:
        return not has_deal(evidence_of(plies, known, believed=believed))

    if has_none(frozenset()):
        return None
    of_seat = {seat: frozenset(place for place in passes if plies[place].seat is seat) for seat in Seat}
    of_pair = {pair: frozenset(place for place in passes if plies[place].seat.pair is pair) for pair in Pair}
    alone = tuple(place for place in sorted(passes) if has_none(frozenset({place})))
    seats = tuple(seat for seat in Seat if has_none(of_seat[seat]))
    pairs = tuple(pair for pair in Pair if has_none(of_pair[pair]))
    sharpest = [frozenset({place}) for place in alone] + [of_seat[seat] for seat in seats] + [of_pair[p] for p in pairs]
    believed = sharpest[0] if sharpest else passes
    short = violation(evidence_of(plies, known, believed=believed))
    assert short is not None, "no deal agrees with these passes"
    return Contradiction(
        by=ProvenBy.COUNTING,
        passes=alone,
        seats=seats,
        pairs=pairs,
        tiles=short.tiles,
        holders=short.seats,
        places=short.places,
        because=tuple(sorted(_because(plies, believed, short.tiles, short.seats))),
    )


def _because(
    plies: tuple[Ply, ...], believed: frozenset[int], tiles: tuple[Tile, ...], holders: tuple[Seat, ...]
) -> Iterator[int]:
    """Few of the believed passes that keep `tiles` from every seat but `holders`: those that deny most come first."""
    for seat in Seat:
        denials = {
            place: fitting_mask(*ply.ends)
            for place, ply in enumerate(plies)
            if isinstance(ply, Skip) and place in believed and ply.seat is seat and seat not in holders
        }
        left = mask_of(tiles)
        while any(denied & left for denied in denials.values()):
            best = max(denials, key=lambda place: (denials[place] & left).bit_count())
            left &= ~denials.pop(best)
            yield best


# --- in words ---


def _shortage(found: Contradiction, plies: tuple[Ply, ...], names: Names) -> str:
    """Which dominoes have too few places."""
    count = len(found.tiles)
    noun = "This domino" if count == 1 else f"These {count} dominoes"
    listed = _listed(found.tiles)
    listed = min(listed, _by_suits(found.tiles, plies) or listed, key=len)  # many are told by their suits
    if not found.holders:
        return f"{noun}, {listed}, can lie with nobody"
    places = f"{found.places or 'no'} place{'s' * (found.places != 1)} left"
    verb = "has" if len(found.holders) == 1 else "have"
    return f"{noun}, {listed}, can lie only with {_people(found.holders, names)}, who {verb} {places}"


def _denials(found: Contradiction, plies: tuple[Ply, ...], names: Names) -> str:
    """Why these dominoes cannot lie with anybody else."""
    acts: dict[Seat, list[str]] = {}
    denied = [0] * 4
    for place in found.because:
        skip = plies[place]
        assert isinstance(skip, Skip), "only a pass denies"
        acts.setdefault(skip.seat, []).append(_opened(place, skip))
        denied[skip.seat] |= fitting_mask(*skip.ends)
    said = [f"{seat_name(names, seat)} passed {_joined(opened, 'and')}" for seat, opened in acts.items()]
    seen = 0
    for seat in set(Seat) - set(found.holders):
        seen |= mask_of(found.tiles) & ~denied[seat]
    return ", ".join([*said, f"{_listed(tiles_of(seen))} seen in a hand"] if seen else said)


def _verdict(found: Contradiction, plies: tuple[Ply, ...], names: Names) -> str:
    """Whom it proves."""
    said = [f"the pass of {seat_name(names, plies[place].seat)} at act {place + 1}" for place in found.passes]
    proven = {plies[place].seat for place in found.passes}
    said += [f"a pass of {seat_name(names, seat)}" for seat in found.seats if seat not in proven]
    proven |= set(found.seats)
    pairs = [pair for pair in found.pairs if not any(seat.pair is pair for seat in proven)]
    said += [f"a pass of {_people([seat for seat in Seat if seat.pair is pair], names, 'or')}" for pair in pairs]
    if not said:
        return "At least one of these passes was wrong, but whose is not proven."
    return f"So {_joined(said, 'and')} {'was' if len(said) == 1 else 'were'} wrong."


def _opened(place: int, skip: Skip) -> str:
    return f"(act {place + 1}) with {' and '.join(str(suit) for suit in dict.fromkeys(skip.ends))} open"


def _by_suits(tiles: tuple[Tile, ...], plies: tuple[Ply, ...]) -> str:
    """The dominoes by the suits of which they are all that is unplayed; "" where no suits give just these."""
    unplayed = ALL_MASK & ~mask_of(ply.tile for ply in plies if isinstance(ply, Move))
    for count in range(1, len(SUITS)):
        for suits in combinations(SUITS, count):
            carrying = mask_of(tile for suit in suits for tile in tiles_of(CARRYING[suit]))
            if carrying & unplayed == mask_of(tiles):
                return f"all the unplayed ones with {_joined([str(suit) for suit in suits], 'or')}"
    return ""


def _listed(tiles: tuple[Tile, ...]) -> str:
    return " ".join(str(tile) for tile in tiles)


def _people(seats: Sequence[Seat], names: Names, word: str = "and") -> str:
    return _joined([seat_name(names, seat) for seat in seats], word)


def _joined(words: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
