"""From reading to sighting: what lies in the middle, what is shown in front of a seat, what is off the table."""

from __future__ import annotations

from controller.eyes import Point, Zone, sighting_of
from controller.game.seen import ChainLink, SeenTile, Spot
from tests.controller.games import half
from vision.reading import Domino, Half, Link, Reading


def domino(a: int | None, b: int | None, x: float, y: float) -> Domino:
    """A domino the reader has found, its centre at (x, y)."""
    halves = [Half(None if suit is None else half(suit)) for suit in (a, b)]
    corners = ((x - 2, y - 1), (x - 2, y + 1), (x + 2, y + 1), (x + 2, y - 1))
    return Domino(halves[0], halves[1], corners, 0.9)


def zone_of(point: Point) -> Zone:
    """A table of 100 pixels with zones ten deep and nothing beyond."""
    x, y = point
    if not (0 <= x <= 100 and 0 <= y <= 100):
        return None
    for seat, is_there in enumerate((y > 90, x < 10, y < 10, x > 90)):
        if is_there:
            return seat
    return "line"


def links(*numbers: int, flipped: tuple[int, ...] = ()) -> tuple[Link, ...]:
    """A chain of those dominoes."""
    return tuple(Link(number, number in flipped) for number in numbers)


def test_middle_and_hands_are_told_apart() -> None:
    """A domino belongs to the middle or to the seat in whose zone its centre lies; off the table it is nothing."""
    reading = Reading(
        (
            domino(1, 2, 50, 95),
            domino(6, 5, 40, 50),
            domino(3, 3, 95, 50),
            domino(0, 0, 150, 50),
            domino(5, None, 60, 50),
            domino(4, 4, 5, 50),
            domino(2, 2, 50, 5),
        ),
        (links(1, 4),),
    )
    sighting = sighting_of(reading, zone_of)
    assert sighting.tiles == (SeenTile(half(6), half(5)), SeenTile(half(5), None))
    assert sighting.chains == ((ChainLink(0, is_flipped=False), ChainLink(1, is_flipped=False)),)
    assert [[(tile.a, tile.b) for tile in hand] for hand in sighting.shown] == [
        [(half(1), half(2))],
        [(half(4), half(4))],
        [(half(2), half(2))],
        [(half(3), half(3))],
    ]


def test_chain_keeps_its_order_and_turns() -> None:
    """Numbers change, order and direction do not."""
    dominoes = (domino(0, 0, 150, 50), *(domino(n, n, 20.0 + 10 * n, 50) for n in range(1, 4)))
    sighting = sighting_of(Reading(dominoes, (links(3, 1, 2, flipped=(1,)),)), zone_of)
    assert sighting.chains == (
        (ChainLink(2, is_flipped=False), ChainLink(0, is_flipped=True), ChainLink(1, is_flipped=False)),
    )


def test_chain_that_leaves_the_middle_is_cut_there() -> None:
    """A domino of a hand that touches the line does not belong to it, and a single left over is no chain."""
    dominoes = tuple(domino(n, n, 20.0 + 10 * n, 95 if n == 2 else 50) for n in range(6))
    sighting = sighting_of(Reading(dominoes, (links(0, 1, 2, 3, 4),)), zone_of)
    assert [[link.tile for link in chain] for chain in sighting.chains] == [[0, 1], [2, 3]]
    sighting = sighting_of(Reading(dominoes, (links(1, 2, 3, 4, 5),)), zone_of)
    assert [[link.tile for link in chain] for chain in sighting.chains] == [[2, 3, 4]]


def test_empty_reading_is_an_empty_table() -> None:
    """Nothing found is a sighting too: the middle is clear."""
    sighting = sighting_of(Reading(), zone_of)
    assert (sighting.tiles, sighting.chains, sighting.shown) == ((), (), ((), (), (), ()))


def test_places_are_told_in_sides_of_a_half() -> None:
    """Whatever the scale: middles and the way from a to b; dominoes that are gone with those that lie."""
    reading = Reading((domino(6, 5, 40, 50), domino(5, 1, 44, 50)), bare=(domino(1, 1, 50, 60), domino(2, 2, 5, 50)))
    sighting = sighting_of(reading, zone_of)
    assert [tile.spot for tile in sighting.tiles] == [Spot(20 + 25j, 1 + 0j), Spot(22 + 25j, 1 + 0j)]
    assert sighting.tiles[0].flipped().spot == Spot(20 + 25j, -1 + 0j)
    assert sighting.bare == (SeenTile(half(1), half(1)),)
    assert sighting_of(Reading(), zone_of).bare is None
