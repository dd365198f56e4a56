"""Table and knowledge weighed together: what was laid, what was read wrong, what nobody can say."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from controller.game.line import Line
from controller.game.seen import ChainLink, Disagreement, SeenTile, Sighting, Spot
from controller.game.sight import Agreement, Lay, reconcile
from controller.game.tiles import End, Seat, Tile
from tests.controller.games import deal, half, in_a_row, line_of, looks, seen, split, ways

LINE = line_of("65 53 31")


def laid(line: Line, sighting: Sighting, take_back: tuple[Tile, ...] = ()) -> Lay:
    """The one move that was made."""
    view = reconcile(line, take_back, sighting)
    assert isinstance(view, Agreement), view
    assert len(view.lays) == 1
    return view.lays[0]


def trouble(line: Line, sighting: Sighting, take_back: tuple[Tile, ...] = ()) -> Disagreement:
    """Why nothing can be said."""
    view = reconcile(line, take_back, sighting)
    assert isinstance(view, Disagreement), view
    return view


def what(lay: Lay) -> tuple[int, int, str]:
    """Inner half, outer half, end."""
    return lay.inner, lay.outer, lay.end.value


def mirrored(sighting: Sighting) -> Sighting:
    """The same table with every chain told from its other end and every domino read from its other half."""
    turned = tuple(SeenTile(tile.b, tile.a) for tile in sighting.tiles)
    chains = tuple(tuple(reversed(chain)) for chain in sighting.chains)
    return Sighting(turned, chains, sighting.shown)


def shuffled(sighting: Sighting, seed: int) -> Sighting:
    """The same table with its dominoes named in another order."""
    order = list(range(len(sighting.tiles)))
    random.Random(seed).shuffle(order)
    chains = tuple(tuple(ChainLink(order.index(k.tile), k.is_flipped) for k in chain) for chain in sighting.chains)
    return Sighting(tuple(sighting.tiles[i] for i in order), chains)


def flipped_at_random(sighting: Sighting, seed: int) -> Sighting:
    """The same table with some dominoes read from their other half, as a reader may."""
    rng = random.Random(seed)
    flips = [rng.random() < 0.5 for _ in sighting.tiles]
    tiles = tuple(tile.flipped() if flip else tile for tile, flip in zip(sighting.tiles, flips, strict=True))
    chains = tuple(tuple(ChainLink(k.tile, k.is_flipped != flips[k.tile]) for k in chain) for chain in sighting.chains)
    return Sighting(tiles, chains)


def test_known_line_is_nothing_new() -> None:
    """A table that lies as it is known tells nothing."""
    assert reconcile(LINE, (), looks(LINE)) == Agreement()
    assert reconcile(Line(), (), Sighting()) == Agreement()


def test_first_domino_is_laid_as_it_is_read() -> None:
    """The only domino in the middle is the lead, its first half to the left."""
    assert what(laid(Line(), in_a_row(seen(5, 3)))) == (5, 3, "first")


def test_two_dominoes_before_the_lead_are_refused() -> None:
    """Nobody can say which of two dominoes was led."""
    assert trouble(Line(), in_a_row(seen(5, 3), seen(3, 3))).code == "many_first"


@pytest.mark.parametrize("look", [lambda s: s, mirrored, lambda s: shuffled(s, 3), lambda s: flipped_at_random(s, 5)])
def test_new_domino_is_found_at_either_end(look: object) -> None:
    """At the right and at the left end, whichever way the chain is told and the dominoes are turned."""
    assert callable(look)
    assert what(laid(LINE, look(looks(LINE, seen(1, 4))))) == (1, 4, "R")
    assert what(laid(LINE, look(looks(LINE, left=(seen(2, 6),))))) == (6, 2, "L")


def test_new_domino_beside_a_single_one_goes_to_the_right_end() -> None:
    """On a line of one domino the half it touches says which end it is."""
    assert what(laid(line_of("65"), looks(line_of("65"), seen(5, 0)))) == (5, 0, "R")
    assert what(laid(line_of("65"), looks(line_of("65"), left=(seen(0, 6),)))) == (6, 0, "L")
    turned = in_a_row(seen(0, 5), seen(5, 6))
    assert what(laid(line_of("65"), turned)) == (5, 0, "R")


def test_new_domino_beside_a_single_double_is_laid_on_one_of_its_sides() -> None:
    """Both sides of a lone double are the same suit: the domino joins it, whichever side."""
    double = line_of("66")
    for sighting in (looks(double, seen(6, 2)), looks(double, left=(seen(2, 6),))):
        assert what(laid(double, sighting))[:2] == (6, 2)


def test_wrong_double_flush_against_a_lone_double_is_told_as_it_lies() -> None:
    """No reader links the two, for nothing but this makes a line of them; one farther off touches nothing."""
    double = line_of("00")

    def beside(by: complex) -> Sighting:
        tiles = (replace(seen(0, 0), spot=Spot(5 + 5j, 1 + 0j)), replace(seen(6, 6), spot=Spot(5 + 5j + by, 1 + 0j)))
        return Sighting(tiles)

    for by in (1j, -1.1j, 0.3 + 1j):
        assert what(laid(double, beside(by))) == (6, 6, "R")
    for by in (2j, 2.1 + 0j):
        assert trouble(double, beside(by)).code == "touches_no_end"


def test_lone_double_with_dominoes_on_both_sides_had_two_moves() -> None:
    """Two moves at different ends have no order, beside a double too."""
    double = line_of("66")
    assert trouble(double, looks(double, seen(6, 2), left=(seen(3, 6),))).code == "two_at_once"


def test_crosswise_double_joins_like_any_other() -> None:
    """A double laid across the line has no direction, and needs none."""
    sighting = looks(LINE, seen(1, 1))
    chain = (*sighting.chains[0][:-1], ChainLink(3, is_flipped=True))
    assert what(laid(LINE, Sighting(sighting.tiles, (chain,)))) == (1, 1, "R")


def test_misread_half_is_repaired_because_each_domino_exists_once() -> None:
    """A half read as 5 or 4 alike can only be 4 when the 1-5 lies already."""
    line = line_of("65 51")
    lay = laid(line, looks(line, SeenTile(half(1), split(5, 4, 0.55))))
    assert what(lay) == (1, 4, "R")
    assert lay.raw == (1, 5)
    assert lay.confidence > 0.9


def test_doubtful_inner_half_is_taken_for_the_one_that_fits() -> None:
    """Of two readings that are as good, the one that joins is right, and what was read stays on record."""
    lay = laid(LINE, looks(LINE, SeenTile(split(2, 1, 0.55), half(4))))
    assert what(lay) == (1, 4, "R")
    assert lay.raw == (2, 4)


def test_hidden_inner_half_is_supplied_by_the_joint() -> None:
    """A half that can't be seen is the suit that is open there."""
    lay = laid(LINE, looks(LINE, SeenTile(None, half(4))))
    assert what(lay) == (1, 4, "R")
    assert lay.raw == (-1, 4)


@pytest.mark.parametrize("inner", [0, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("outer", [0, 2, 4])
def test_wrong_domino_clearly_seen_is_never_corrected(inner: int, outer: int) -> None:
    """What lies there and is read for certain is reported as it lies, fitting or not."""
    if Tile.of(inner, outer) in LINE.tiles:
        return
    assert what(laid(LINE, looks(LINE, seen(inner, outer)))) == (inner, outer, "R")
    view = reconcile(LINE, (), looks(LINE, seen(inner, outer, 0.9)))
    assert isinstance(view, Disagreement) or what(view.lays[0]) == (inner, outer, "R")


def test_doubtful_domino_is_shown_to_the_referee() -> None:
    """An outer half that may be two things is no move."""
    found = trouble(LINE, looks(LINE, SeenTile(half(1), split(2, 4))))
    assert found.code == "doubtful"
    assert found.tile in (Tile.of(1, 2), Tile.of(1, 4))
    assert trouble(LINE, looks(LINE, SeenTile(half(1), None))).code == "doubtful"
    assert trouble(Line(), in_a_row(SeenTile(split(1, 2), half(4)))).code == "doubtful"


def test_domino_read_as_nothing_is_doubtful() -> None:
    """Probabilities that are all nothing are no reading."""
    nothing = (0.0,) * 7
    assert trouble(Line(), in_a_row(SeenTile(nothing, nothing))).code == "doubtful"


def test_domino_seen_twice_is_told() -> None:
    """The same domino cannot lie in two places: the referee looks at both."""
    sure = [seen(p.left, p.right, 0.995) for p in LINE.placed]
    found = trouble(LINE, in_a_row(*sure, seen(1, 3, 0.995)))
    assert (found.code, found.tile) == ("seen_twice", Tile.of(1, 3))


def test_missing_end_domino_is_told() -> None:
    """A domino gone from an end was taken away by somebody."""
    found = trouble(LINE, in_a_row(seen(6, 5), seen(5, 3)))
    assert (found.code, found.tile) == ("tile_missing", Tile.of(3, 1))
    assert trouble(LINE, in_a_row(seen(5, 3), seen(3, 1))).tile == Tile.of(6, 5)
    assert trouble(LINE, Sighting()).code == "tile_missing"


def test_hidden_domino_inside_the_line_is_no_trouble() -> None:
    """An arm's shadow over the middle of the line hides nothing that matters."""
    assert reconcile(LINE, (), Sighting((seen(6, 5), seen(3, 1)))) == Agreement()
    tiles = (seen(6, 5), seen(3, 1), seen(1, 4))
    sighting = Sighting(tiles, ((ChainLink(1, is_flipped=False), ChainLink(2, is_flipped=False)),))
    assert what(laid(LINE, sighting)) == (1, 4, "R")


def test_chain_broken_in_two_is_still_the_line() -> None:
    """Where the dominoes do not quite touch the reader sees two chains; both ends are still known."""
    tiles = (seen(2, 6), seen(6, 5), seen(5, 3), seen(3, 1))
    links = [ChainLink(i, is_flipped=False) for i in range(4)]
    assert what(laid(LINE, Sighting(tiles, (tuple(links[:2]), tuple(links[2:]))))) == (6, 2, "L")
    tiles = (seen(6, 5), seen(5, 3), seen(3, 1), seen(1, 4))
    reverse = tuple(ChainLink(k.tile, not k.is_flipped) for k in reversed(links[2:]))
    assert what(laid(LINE, Sighting(tiles, (reverse, tuple(links[:2]))))) == (1, 4, "R")


def test_end_domino_turned_round_is_told() -> None:
    """Turned where it lay it would open another suit: nobody after it is to be judged by what no longer lies there."""
    turned = in_a_row(seen(6, 5), seen(5, 3), seen(1, 3))
    for sighting in (turned, mirrored(turned), shuffled(turned, 2), flipped_at_random(turned, 4)):
        found = trouble(LINE, sighting)
        assert (found.code, found.tile) == ("tile_turned", Tile.of(3, 1))
    assert trouble(LINE, in_a_row(seen(5, 6), seen(5, 3), seen(3, 1))).tile == Tile.of(6, 5)
    assert trouble(LINE, in_a_row(seen(6, 5), seen(5, 3), seen(1, 3), seen(3, 3))).code == "tile_turned"


def test_end_domino_laid_at_the_other_end_is_told() -> None:
    """Shifted from one end to the other in one reach it is not where the game knows it."""
    line = line_of("16 65 51")
    found = trouble(line, in_a_row(seen(5, 1), seen(1, 6), seen(6, 5)))
    assert (found.code, found.tile) == ("tile_moved", Tile.of(5, 1))


def test_end_domino_that_cannot_be_judged_is_left_in_peace() -> None:
    """A double has no wrong way round; a half that can't be seen, and an end that hangs on nothing, say nothing."""
    line = line_of("65 55")
    assert reconcile(line, (), in_a_row(seen(6, 5), seen(5, 5).flipped())) == Agreement()
    assert reconcile(LINE, (), in_a_row(seen(6, 5), seen(5, 3), SeenTile(None, half(1)))) == Agreement()
    tiles = (seen(6, 5), seen(5, 3), seen(1, 3))
    first_two = (ChainLink(0, is_flipped=False), ChainLink(1, is_flipped=False))
    assert reconcile(LINE, (), Sighting(tiles, (first_two,))) == Agreement()
    unsure = SeenTile(split(1, 3, 0.6), split(3, 1, 0.6))
    assert reconcile(LINE, (), in_a_row(seen(6, 5), seen(5, 3), unsure)) == Agreement()


def test_domino_misread_inside_the_line_is_no_move_at_its_end() -> None:
    """5-3 lies where 5-4 was entered by mistake: it hangs on an inner half, so it is no new move but in its place."""
    line = line_of("65 54 34")
    what_lies = in_a_row(seen(6, 5), seen(5, 3), seen(3, 4))
    view = reconcile(line, (), what_lies)
    assert isinstance(view, Disagreement)
    assert (view.code, view.tile) == ("tile_replaced", Tile.of(5, 4))


def test_domino_that_touches_no_end_is_told() -> None:
    """A domino lying loose in the middle, or beside the line, is no move."""
    sighting = looks(LINE)
    loose = Sighting((*sighting.tiles, seen(4, 4)), sighting.chains)
    found = trouble(LINE, loose)
    assert (found.code, found.tile) == ("touches_no_end", Tile.of(4, 4))
    branch = Sighting(loose.tiles, (*sighting.chains, (ChainLink(1, is_flipped=False), ChainLink(3, is_flipped=False))))
    assert trouble(LINE, branch).code == "touches_no_end"


def test_two_dominoes_at_one_end_were_laid_one_after_the_other() -> None:
    """The inner one came first."""
    view = reconcile(LINE, (), looks(LINE, seen(1, 4), seen(4, 4)))
    assert isinstance(view, Agreement)
    assert [what(lay) for lay in view.lays] == [(1, 4, "R"), (4, 4, "R")]


def test_two_dominoes_at_different_ends_have_no_order() -> None:
    """Nobody can say who laid which: one has to be taken back."""
    assert trouble(LINE, looks(LINE, seen(1, 4), left=(seen(2, 6),))).code == "two_at_once"


def test_doubtful_outer_half_is_told_by_what_lies_against_it() -> None:
    """5 or 4 alike, and the next domino lies with a 4 against it; its clear half is never bent for a wrong next one."""
    view = reconcile(LINE, (), looks(LINE, SeenTile(half(1), split(5, 4, 0.6)), seen(4, 0)))
    assert isinstance(view, Agreement)
    assert [what(lay) for lay in view.lays] == [(1, 4, "R"), (4, 0, "R")]
    view = reconcile(LINE, (), looks(LINE, seen(1, 4, 0.995), seen(6, 0, 0.995)))
    assert isinstance(view, Agreement)
    assert [what(lay) for lay in view.lays] == [(1, 4, "R"), (6, 0, "R")]


def test_second_of_two_dominoes_may_be_doubtful() -> None:
    """One that can't be read makes both wait."""
    view = trouble(LINE, looks(LINE, seen(1, 4), SeenTile(half(4), split(2, 0))))
    assert view.code == "doubtful"


def test_domino_to_be_taken_back_is_not_new_while_it_lies() -> None:
    """It is recognised where it lies, and missed when it is gone."""
    back = (Tile.of(1, 4),)
    assert reconcile(LINE, back, looks(LINE, seen(1, 4))) == Agreement()
    assert reconcile(LINE, back, looks(LINE)) == Agreement((), back)


def test_nothing_is_laid_before_the_other_domino_has_gone_back() -> None:
    """A move beside a domino that has to go back waits for it; in its place it is a move."""
    back = (Tile.of(1, 4),)
    found = trouble(LINE, looks(LINE, seen(1, 4), left=(seen(2, 6),)), back)
    assert (found.code, found.tile) == ("not_taken_back", Tile.of(1, 4))
    view = reconcile(LINE, back, looks(LINE, seen(1, 1)))
    assert isinstance(view, Agreement)
    assert view.taken_back == back
    assert what(view.lays[0]) == (1, 1, "R")


@pytest.mark.parametrize("seed", range(6))
def test_whole_set_is_followed_by_sight_alone(seed: int) -> None:
    """Every move of a random set, read fairly well and told in any order, is seen as it was made."""
    rng = random.Random(seed)
    hands = deal(rng)
    line, left = Line(), {seat: list(hands[seat]) for seat in Seat}
    seat, passes = Seat.S0, 0
    while passes < 4:
        can = [(tile, way) for tile in left[seat] for way in ways(line, tile)]
        passes = 0 if can else passes + 1
        if can:
            tile, (inner, outer, end) = rng.choice(can)
            left[seat].remove(tile)
            grown = line.with_tile(inner, outer, end, seat)
            tiles = tuple(seen(p.left, p.right, rng.uniform(0.85, 1.0)) for p in grown.placed)
            lay = laid(line, flipped_at_random(shuffled(in_a_row(*tiles), seed), seed))
            assert (lay.inner, lay.outer) == (inner, outer) or not line.placed
            assert Tile.of(lay.inner, lay.outer) == tile
            line = line.with_tile(lay.inner, lay.outer, lay.end, seat)
        seat = seat.next


def test_end_of_a_long_line_is_named_by_its_last_domino() -> None:
    """The same suit open at both ends does not confuse them."""
    line = line_of("15 53 31")
    assert what(laid(line, looks(line, seen(1, 2)))) == (1, 2, End.R.value)
    assert what(laid(line, mirrored(looks(line, left=(seen(2, 1),))))) == (1, 2, End.L.value)
