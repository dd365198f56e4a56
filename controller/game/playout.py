"""Whole sets played at random by the rules; the caller brings the chance, and nobody at a real table is judged here.

Every player lays one of the dominoes that fit, each way of laying one being as likely as any other, and passes only
when nothing fits. The hands are played as they are dealt: none is handed out again (C2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from controller.game.events import Ending
from controller.game.line import is_locked_mask, pair_spots, set_credit, set_winner
from controller.game.state import Move, Ply, Skip
from controller.game.tiles import (
    ALL_MASK,
    CARRYING,
    HAND_SIZE,
    SUITS,
    TILES,
    End,
    Mask,
    Pair,
    Seat,
    Suit,
    Tile,
    bit_of,
    tiles_of,
)

Chance = Callable[[], float]
"""Gives independent numbers, each as likely as any other in [0, 1), such as the `random` of a `random.Random`."""

Hands = tuple[Mask, Mask, Mask, Mask]
"""The dominoes of the four seats."""


@dataclass(frozen=True, slots=True)
class Played:
    """A set that was played to its end."""

    dealt: Hands
    lead: Seat
    acts: tuple[int, ...]
    """What the seats did in turn, the leader first: 0 is a pass, else the mask of the domino laid, with a minus sign
    when it was laid at the left end. The first domino lies with its lower half to the left."""
    out: Seat | None
    """Who laid his last domino; None when the line is locked."""
    hands: Hands
    """What is left."""
    ends: tuple[Suit, Suit]
    """The suits open at last, left and right."""

    @property
    def ending(self) -> Ending:
        """How the set was closed."""
        return Ending.DEADLOCK if self.out is None else Ending.OUT

    @property
    def passes(self) -> int:
        """How often somebody passed."""
        return self.acts.count(0)

    @property
    def moves(self) -> int:
        """Dominoes laid."""
        return len(self.acts) - self.passes

    @property
    def winner(self) -> Pair | None:
        """Who has won by the English text; None is a draw (C5.2-C5.4)."""
        return set_winner(self.out, pair_spots(self.hands, lone_blank=0))

    def credit(self, *, lone_blank: int) -> tuple[int, int]:
        """What the Russian text enters for the pairs A and B, a double blank alone in a hand counting so much (R8)."""
        return set_credit(self.out, pair_spots(self.hands, lone_blank=lone_blank))


def random_set(chance: Chance, lead: Seat) -> Played:
    """A set of random hands and random moves, begun by `lead`."""
    return play_out(random_hands(chance), lead, chance)


def random_hands(chance: Chance) -> Hands:
    """The 28 dominoes dealt, every deal as likely as any other: each gets a number and they are put in its order."""
    order = sorted(_BITS, key=lambda _: chance())
    return (sum(order[:7]), sum(order[7:14]), sum(order[14:21]), sum(order[21:]))


def play_out(dealt: Hands, lead: Seat, chance: Chance) -> Played:
    """These hands played at random to the end of the set; ValueError when they are not 28 dominoes, seven a seat.

    This loop is a benchmark's subject: masks and whole numbers only, one record at the end.
    """
    if sum(dealt) != ALL_MASK or any(hand.bit_count() != HAND_SIZE for hand in dealt):
        raise ValueError(f"expected the 28 dominoes in four hands of seven, got {dealt}: deal them anew")
    hands = list(dealt)
    first = tiles_of(hands[lead])[int(chance() * HAND_SIZE)]
    left, right = first.low, first.high
    bit, seat = bit_of(first), int(lead)
    hands[seat] ^= bit
    unplayed = ALL_MASK ^ bit
    acts = [bit]
    while not is_locked_mask(unplayed, left, right):
        seat = (seat + 1) % 4
        at_left = _WAYS[left][hands[seat] & CARRYING[left]]
        at_right = _WAYS[right][hands[seat] & CARRYING[right]] if left != right else ()
        if not at_left and not at_right:
            acts.append(0)
            continue
        choice = int(chance() * (len(at_left) + len(at_right)))
        if choice < len(at_left):
            bit, left = at_left[choice]
            acts.append(-bit)
        else:
            bit, right = at_right[choice - len(at_left)]
            acts.append(bit)
        hands[seat] ^= bit
        unplayed ^= bit
        if not hands[seat]:  # before the deadlock, which needs players who all have dominoes (C0.7)
            return Played(dealt, lead, tuple(acts), Seat(seat), _four(hands), (left, right))
    return Played(dealt, lead, tuple(acts), None, _four(hands), (left, right))


def plies_of(played: Played) -> Iterator[Ply]:
    """The acts of the set in order, as they stand in a game's history."""
    first = _tile(played.acts[0])
    seat, left, right = played.lead, first.low, first.high
    yield Move(seat, left, right, End.FIRST, is_fitting=True)
    for act in played.acts[1:]:
        seat = seat.next
        if act == 0:
            yield Skip(seat, (left, right))
        elif act < 0:
            inner, left = left, _other_half(_tile(-act), left)
            yield Move(seat, inner, left, End.L, is_fitting=True)
        else:
            inner, right = right, _other_half(_tile(act), right)
            yield Move(seat, inner, right, End.R, is_fitting=True)


def _tile(bit: Mask) -> Tile:
    return TILES[bit.bit_length() - 1]


# --- the ways of laying ---

_BITS = tuple(1 << n for n in range(len(TILES)))


def _other_half(tile: Tile, half: Suit) -> Suit:
    return tile.high if tile.low == half else tile.low


def _ways(dominoes: Mask, suit: Suit) -> tuple[tuple[Mask, Suit], ...]:
    """Each of these dominoes with the suit that it leaves open when it is laid where `suit` is open."""
    return tuple((bit_of(tile), _other_half(tile, suit)) for tile in tiles_of(dominoes))


def _choices(dominoes: Mask) -> Iterator[Mask]:
    """Every set that can be chosen from `dominoes`, itself and the empty one included."""
    chosen = dominoes
    while chosen:
        yield chosen
        chosen = (chosen - 1) & dominoes
    yield 0


_WAYS = tuple({held: _ways(held, suit) for held in _choices(CARRYING[suit])} for suit in SUITS)
"""By the open suit and the dominoes of a hand that carry it, the ways of laying there: 7 times 128, worked out once."""


def _four(hands: list[Mask]) -> Hands:
    south, west, north, east = hands
    return (south, west, north, east)
