"""Hands laid open: what the cross-checks mend, what they must not, and what the referee is told."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.line import Line
from controller.game.rulesets import Params, Reveal
from controller.game.seen import ChainLink, Disagreement, SeenTile, Sighting
from controller.game.showing import OpenHands, read_hand, read_hands
from controller.game.snapshot import snapshot
from controller.game.state import AlertKind, Awaited, Exposed, Phase
from controller.game.tiles import ALL_TILES, Seat, Tile
from tests.controller.games import (
    LOCKING_DEAL,
    NAMES,
    Hands,
    Table,
    at_the_table,
    deal,
    half,
    hands_of,
    in_a_row,
    line_of,
    looks,
    seen,
    split,
)

HANDS = hands_of("00 10 20 30 | 55 54 53 44 | 40 11 31 41 22 | 51 32 42 52 33")
"""What is left after the locking moves."""
UNPLAYED = frozenset(tile for hand in HANDS for tile in hand)
Shown = list[list[SeenTile]]


def name_of(seat: Seat) -> str:
    return NAMES[seat]


def laid_open(hands: Hands = HANDS, sure: float = 0.97) -> Shown:
    """Every hand shown, each domino read clearly, some of them from their higher half."""
    return [
        [seen(*((t.high, t.low) if n % 2 else (t.low, t.high)), sure) for n, t in enumerate(hand)] for hand in hands
    ]


def read(
    shown: Shown, hands: Hands = HANDS, told: tuple[Exposed, ...] = (), unshown: Seat | None = None
) -> OpenHands | Disagreement | None:
    """What is made of it."""
    left = [len(hand) for hand in hands]
    unplayed = frozenset(tile for hand in hands for tile in hand)
    sighting = Sighting((), (), tuple(tuple(hand) for hand in shown))
    return read_hands(unplayed, left, sighting, told=told, unshown=unshown, name_of=name_of)


def trouble(shown: Shown, hands: Hands = HANDS, told: tuple[Exposed, ...] = ()) -> Disagreement:
    """Why nothing is offered."""
    view = read(shown, hands, told)
    assert isinstance(view, Disagreement), view
    return view


def in_order(hands: Hands) -> Hands:
    return tuple(tuple(sorted(hand)) for hand in hands)


def test_hands_clearly_read_are_offered() -> None:
    """Whichever way round each domino lies, with what the reader said of each."""
    view = read(laid_open())
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)
    assert view.raw[0] == ((0, 0), (1, 0), (0, 2), (3, 0))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_every_deal_is_read_however_it_is_shown(seed: int) -> None:
    """Any split of any unplayed dominoes, in any order, read fairly: it comes out as it lies."""
    rng = random.Random(seed)
    hands = tuple(tuple(rng.sample(hand, rng.randint(0, 7))) for hand in deal(rng))
    shown = laid_open(hands, rng.uniform(0.7, 1.0))
    for hand in shown:
        rng.shuffle(hand)
    view = read(shown, hands)
    assert isinstance(view, OpenHands), view
    assert view.hands == in_order(hands)


@pytest.mark.rule("5.10")
def test_doubtful_half_is_mended_by_what_is_left() -> None:
    """Read 4-1 or 4-0 alike, and 4-1 is in the same hand: it is the 4-0. What was read stays beside it."""
    shown = laid_open()
    shown[2][0] = SeenTile(half(4), split(6, 0, 0.9))
    view = read(shown)
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)
    assert (view.hands[2][0], view.raw[2][0]) == (Tile.of(4, 0), (4, 6))


def test_hidden_half_is_mended_where_only_one_domino_is_left_for_it() -> None:
    """A five beside nothing: every other five is shown, so it is the 5-4."""
    shown = laid_open()
    shown[1][1] = SeenTile(half(5), None)
    view = read(shown)
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)
    assert view.raw[1][2] == (5, -1)


def test_two_that_might_change_hands_are_named() -> None:
    """5-1 with Dan and 5-3 with Bob, both with a hidden half: nobody can say which is whose."""
    shown = laid_open()
    shown[1][2], shown[3][0] = SeenTile(half(5), None), SeenTile(half(5), None)
    found = trouble(shown)
    assert found.code == "hand_doubtful"
    assert found.seat in (Seat.S1, Seat.S3)
    assert found.tile in (Tile.of(5, 1), Tile.of(5, 3))
    assert NAMES[found.seat] in found.text
    assert str(found.tile) in found.text


def test_two_of_one_hand_that_cannot_be_told_apart_need_not_be() -> None:
    """Two dominoes of Dan that might be each other are Dan's, whichever is which."""
    shown = laid_open()
    shown[3][0], shown[3][3] = SeenTile(half(5), None), SeenTile(None, half(5))
    view = read(shown)
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)


@pytest.mark.rule("5.10")
@pytest.mark.parametrize("sure", [0.97, 1.0])
def test_clear_wrong_domino_is_never_taken_for_one_that_is_left(sure: float) -> None:
    """A domino that lies in the line, or that somebody else shows, is named with whose hand it is in."""
    shown = laid_open()
    shown[0][1] = seen(6, 6, sure)
    found = trouble(shown)
    assert (found.code, found.seat, found.tile) == ("hand_foreign", Seat.S0, Tile.of(6, 6))
    assert "lies in the line" in found.text
    shown[0][1] = seen(5, 5, sure)
    found = trouble(shown)
    assert (found.code, found.tile) == ("hand_foreign", Tile.of(5, 5))
    assert "a second time" in found.text


def test_seat_that_shows_too_few_or_too_many_is_named() -> None:
    """Nothing is offered, and it is said whose hand to look at."""
    shown = laid_open()
    del shown[2][0]
    found = trouble(shown)
    assert (found.code, found.seat) == ("hand_count", Seat.S2)
    assert found.text.startswith("4 dominoes of Cleo can be seen, by the moves he has 5 left: ")
    shown[2] += [seen(4, 0), seen(6, 6)]
    assert trouble(shown).text.startswith("6 dominoes of Cleo")


def test_nothing_is_said_before_everybody_has_begun_to_show() -> None:
    """Players lay their hands open one after the other."""
    for seat in Seat:
        shown = laid_open()
        shown[seat] = []
        assert read(shown) is None
    assert read([[], [], [], []]) is None


@pytest.mark.rule("5.10")
def test_domino_that_was_entered_need_not_be_seen() -> None:
    """The one of Cleo's hand, or her whole hand; one that is seen as well is no further domino."""
    told = (Exposed(Tile.of(4, 0), Seat.S2),)
    shown = laid_open()
    assert read(shown, told=told) == read(shown)
    del shown[2][0]
    view = read(shown, told=told)
    assert isinstance(view, OpenHands)
    assert (view.hands, view.raw[2][0]) == (in_order(HANDS), (-1, -1))
    assert trouble(shown, told=(Exposed(Tile.of(4, 1), Seat.S2),)).code == "hand_count"
    shown[2] = []
    whole = tuple(Exposed(tile, Seat.S2) for tile in HANDS[2])
    assert isinstance(view := read(shown, told=whole), OpenHands)
    assert view.hands == in_order(HANDS)


def test_domino_that_was_entered_settles_a_doubt() -> None:
    """Once one of the two is known to be Dan's the other is Bob's."""
    shown = laid_open()
    shown[1][2], shown[3][0] = SeenTile(half(5), None), SeenTile(half(5), None)
    view = read(shown, told=(Exposed(Tile.of(5, 1), Seat.S3),))
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)


def test_domino_entered_for_another_seat_than_it_is_seen_at_is_named() -> None:
    """Word and picture contradict each other."""
    assert trouble(laid_open(), told=(Exposed(Tile.of(4, 0), Seat.S0),)).code == "hand_foreign"


def test_hand_that_need_not_be_shown_is_what_is_left() -> None:
    """With `counted_only` the partner of who went out may keep his hand covered; if he shows it, it is read."""
    shown = laid_open()
    shown[3] = []
    view = read(shown, unshown=Seat.S3)
    assert isinstance(view, OpenHands)
    assert view.hands == in_order(HANDS)
    assert read(laid_open(), unshown=Seat.S3) == read(laid_open())


# --- in the game ---


def counting(params: Params | None = None) -> Table:
    """A line locked with LOCKING_DEAL, the hands to be shown."""
    return at_the_table(params=params, moves=10)


def show(table: Table, shown: Shown) -> None:
    table.do(cmd.See(table.now, Sighting((), (), tuple(tuple(hand) for hand in shown))))


@pytest.mark.rule("5.10")
def test_unclear_hand_is_told_once_and_the_word_of_the_referee_is_enough() -> None:
    """Cleo's domino under her arm: seat and count are told, the referee enters it, and the hands are offered."""
    table = counting()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    missing = table.hand(Seat.S2)[0]
    del shown[2][0]
    show(table, shown)
    show(table, shown)
    assert table.state.sync is not None
    assert (table.state.sync.code, table.state.sync.seat) == ("hand_count", Seat.S2)
    assert sum(isinstance(event, ev.SyncLost) for event in table.happened) == 1
    table.do(cmd.Show(table.now, 2, (missing,), "Eve"))
    show(table, shown)
    assert table.state.sync is None
    assert table.state.alert is None
    table.do(cmd.ConfirmCount(table.now, "Eve"))
    assert table.state.results[-1].spots == (25, 65)


@pytest.mark.rule("5.10")
def test_hand_that_stays_hidden_is_waited_for_by_name() -> None:
    """All but Cleo have laid theirs open: state and words say of whom how many are awaited, until she does."""
    table = counting()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    show(table, [[], [], [], []])
    assert table.state.awaited is None, "nobody has begun"
    show(table, [shown[0], shown[1], [], []])
    assert table.state.awaited is not None
    assert table.state.awaited.dominoes == (0, 0, 5, 5)
    for _ in range(2):
        show(table, [*shown[:2], [], shown[3]])
    assert snapshot(table.state, table.now).awaited == Awaited(
        (0, 0, 5, 0), "Dominoes are still to be laid open: 5 of Cleo."
    )
    assert sum(isinstance(event, ev.HandsAwaited) for event in table.happened) == 2
    assert table.state.alert is not None
    assert table.state.alert.kind is AlertKind.SET_OVER, "nobody is buzzed for it"
    show(table, [*shown[:2], shown[2][:3], shown[3]])
    assert table.state.awaited is None
    assert table.state.sync is not None, "now she shows too few"
    show(table, [*shown[:2], [], shown[3]])
    show(table, shown)
    assert (table.state.awaited, table.state.shown is not None) == (None, True)


def test_word_of_the_referee_ends_the_waiting() -> None:
    """A whole hand that he enters need not be shown, nor one that need not be counted."""
    table = counting()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    show(table, [*shown[:2], [], shown[3]])
    table.do(cmd.Show(table.now, 2, table.hand(Seat.S2), "Eve"))
    show(table, [*shown[:2], [], shown[3]])
    assert (table.state.awaited, table.state.shown is not None) == (None, True)
    table = counting()
    show(table, [*shown[:2], [], shown[3]])
    table.count()
    assert table.state.awaited is None


@pytest.mark.rule("4.15")
def test_line_that_ends_in_a_zone_is_none_of_the_hand_there() -> None:
    """The line's last domino lies before Cleo, and one of her own touches it: hers are counted, the line's is not."""
    table = counting()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    line = looks(table.state.line)
    last = replace(line.tiles[-1], seat=Seat.S2)
    touching = replace(shown[2].pop(), seat=Seat.S2)
    tiles = (*line.tiles[:-1], last, touching)
    chain = tuple(ChainLink(n, is_flipped=False) for n in range(len(tiles)))
    table.do(cmd.See(table.now, Sighting(tiles, (chain,), tuple(tuple(hand) for hand in shown))))
    assert table.state.shown == in_order(tuple(table.hand(seat) for seat in Seat))


def test_count_that_was_entered_ends_every_question() -> None:
    """All four hands by word: nothing is left to be looked at."""
    table = counting(replace(Params(), pair_tournament=True))
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    del shown[0][0]
    show(table, shown)
    assert table.state.sync is not None
    table.count()
    assert table.state.sync is None
    assert table.state.phase is Phase.BETWEEN


def test_hands_that_were_read_may_be_gathered_up() -> None:
    """While the dominoes are swept together nothing is asked that has been answered."""
    table = counting()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    show(table, shown)
    before = table.state
    show(table, [hand[1:] for hand in shown])
    show(table, [[], [], [], []])
    assert table.state == before


def test_partner_of_who_went_out_need_not_show() -> None:
    """With `counted_only` three hands are enough for the camera too."""
    table = Table(random.Random(5))
    table.open_game(replace(Params(), reveal=Reveal.COUNTED_ONLY))
    while True:
        table.open_set()
        table.play_to_count()
        if table.state.ending is ev.Ending.OUT:
            break
        table.count()
    shown = laid_open(tuple(table.hand(seat) for seat in Seat))
    out = table.state.gone_out
    assert out is not None
    shown[out.next.next] = []
    show(table, shown)
    assert table.state.shown == in_order(tuple(table.hand(seat) for seat in Seat))


# --- the seven of a claimed redeal ---

SEVEN = tuple(Tile.of(*halves) for halves in ((0, 0), (1, 1), (1, 5), (2, 2), (3, 3), (4, 4), (1, 6)))
HAND = tuple(sorted(SEVEN))


def hand_of(*others: SeenTile, line: Line | None = None, told: tuple[Exposed, ...] = ()) -> object:
    """What is made of the seven, or those of them that are not replaced by others."""
    own = [seen(t.low, t.high) for t in SEVEN[: 7 - len(others)]]
    table = looks(line, *own, *others) if line is not None else in_a_row(*own, *others)
    return read_hand(line or Line(), Seat.S1, table, told=told, name_of=name_of)


def test_seven_of_a_claim_are_read() -> None:
    """All seven, beside a line too; a half of one mended because the other domino it may be is among them."""
    assert hand_of() == HAND
    assert hand_of(line=line_of("66 65")) == HAND
    assert hand_of(SeenTile(split(5, 6, 0.6), half(1))) == HAND


@pytest.mark.rule("12.4")
def test_seven_of_a_claim_that_cannot_be_read_are_named() -> None:
    """A hidden half leaves several dominoes: seat and domino are told; so is an eighth domino."""
    found = hand_of(SeenTile(half(6), None))
    assert isinstance(found, Disagreement)
    assert (found.code, found.seat) == ("hand_doubtful", Seat.S1)
    eighth = read_hand(
        Line(), Seat.S1, in_a_row(*(seen(t.low, t.high) for t in (*SEVEN, Tile.of(6, 6)))), name_of=name_of
    )
    assert isinstance(eighth, Disagreement)
    assert eighth.code == "hand_count"


def test_seven_of_a_claim_may_lie_in_front_of_the_claimant() -> None:
    """In his zone, or half of them there; what lies before another seat is none of them."""
    own = tuple(seen(t.low, t.high) for t in SEVEN)
    others = (seen(6, 6),)
    for there in (7, 4):
        table = replace(in_a_row(*own[there:]), shown=(others, own[:there], others, ()))
        assert read_hand(Line(), Seat.S1, table, name_of=name_of) == HAND


def test_seven_of_a_claim_wait_until_all_lie() -> None:
    """Six are no hand; with the seventh by the referee's word they are."""
    six = in_a_row(*(seen(t.low, t.high) for t in SEVEN[:6]))
    assert read_hand(Line(), Seat.S1, six, name_of=name_of) is None
    told = (Exposed(SEVEN[6], Seat.S1),)
    assert read_hand(Line(), Seat.S1, six, told=told, name_of=name_of) == HAND


def test_claim_goes_on_by_itself_once_it_can_be_read() -> None:
    """Before the set: the doubtful domino is told, shown better, and the redeal granted."""
    table = Table()
    table.open_game()
    table.do(cmd.ClaimRedeal(table.now, 1))
    doubtful = [*(seen(t.low, t.high) for t in SEVEN[:6]), SeenTile(half(6), None)]
    table.do(cmd.See(table.now, in_a_row(*doubtful)))
    assert table.state.sync is not None
    assert table.state.sync.seat is Seat.S1
    table.do(cmd.Show(table.now, 1, (SEVEN[6],), "Eve"))
    table.do(cmd.See(table.now, in_a_row(*doubtful)))
    assert isinstance(table.happened[-1], ev.RedealGranted)
    assert table.state.sync is None
    assert table.state.exposed == ()


def test_unplayed_is_what_the_cases_say() -> None:
    """The hands of this file are what the locking moves leave."""
    assert frozenset(t for hand in LOCKING_DEAL for t in hand) - UNPLAYED == ALL_TILES - UNPLAYED
    assert len(UNPLAYED) == 18
