"""From reading to sighting: what lies in the middle, what is shown in front of a seat, what is off the table."""

from __future__ import annotations

from collections.abc import Sequence

from controller.eyes import Point, Zone, sighting_of
from controller.game.seen import ChainLink, SeenTile, Spot
from controller.game.tiles import Seat
from tests.controller.games import half
from vision.reading import Domino, Half, Link, Reading


def domino(a: int | None, b: int | None, x: float, y: float) -> Domino:
    """A domino the reader has found, its centre at (x, y)."""
    halves = [Half(None if suit is None else half(suit)) for suit in (a, b)]
    corners = ((x - 2, y - 1), (x - 2, y + 1), (x + 2, y + 1), (x + 2, y - 1))
    return Domino(halves[0], halves[1], corners, 0.9)


def upright(a: int, b: int, x: float, y: float) -> Domino:
    """The same lying the other way."""
    corners = ((x + 1, y - 2), (x - 1, y - 2), (x - 1, y + 2), (x + 1, y + 2))
    return Domino(Half(half(a)), Half(half(b)), corners, 0.9)


def zone_of(point: Point) -> Zone:
    """A table of 100 pixels with zones ten deep and nothing beyond."""
    x, y = point
    if not (0 <= x <= 100 and 0 <= y <= 100):
        return None
    for seat, is_there in enumerate((y > 90, x < 10, y < 10, x > 90)):
        if is_there:
            return seat
    return "line"


def zones_of(points: Sequence[Point]) -> list[Zone]:
    """Of some points."""
    return [zone_of(point) for point in points]


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
    sighting = sighting_of(reading, zones_of)
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
    sighting = sighting_of(Reading(dominoes, (links(3, 1, 2, flipped=(1,)),)), zones_of)
    assert sighting.chains == (
        (ChainLink(2, is_flipped=False), ChainLink(0, is_flipped=True), ChainLink(1, is_flipped=False)),
    )


def test_line_goes_on_in_a_zone() -> None:
    """Straight on and round a corner there: what hangs on the middle is told with it, and in whose zone it lies."""
    line = [domino(n % 7, n % 7, 60.0 + 4 * n, 50) for n in range(10)]  # from the middle into the right zone
    corner = upright(6, 5, 97, 53)
    reading = Reading((*line, corner), (links(*range(11)),))
    sighting = sighting_of(reading, zones_of)
    assert len(sighting.tiles) == 11
    assert [len(chain) for chain in sighting.chains] == [11]
    assert [tile.seat for tile in sighting.tiles] == [None] * 8 + [Seat.S3] * 3
    assert sighting.shown == ((), (), (), ())
    assert sighting_of(Reading(tuple(reversed(reading.dominoes)), (links(*range(11)),)), zones_of).chains


def test_hand_beside_the_line_does_not_belong_to_it() -> None:
    """A reader may see a joint over a gap: in a zone what does not touch is shown there, and what hangs on that."""
    dominoes = (*(domino(n, n, 81.0 + 4 * n, 50) for n in range(3)), domino(3, 3, 94.0, 50), domino(4, 4, 98.0, 50))
    sighting = sighting_of(Reading(dominoes, (links(0, 1, 2, 3, 4),)), zones_of)
    assert [[link.tile for link in chain] for chain in sighting.chains] == [[0, 1, 2]]
    assert [(tile.a, tile.seat) for tile in sighting.shown[3]] == [(half(3), Seat.S3), (half(4), Seat.S3)]


def test_chain_of_a_hand_is_no_line() -> None:
    """Dominoes of a hand may touch each other: without one in the middle they are shown."""
    dominoes = (domino(6, 6, 50, 50), *(domino(n, n, 40.0 + 4 * n, 95) for n in range(3)))
    sighting = sighting_of(Reading(dominoes, (links(1, 2, 3),)), zones_of)
    assert (len(sighting.tiles), sighting.chains, len(sighting.shown[0])) == (1, (), 3)


def test_empty_reading_is_an_empty_table() -> None:
    """Nothing found is a sighting too: the middle is clear."""
    sighting = sighting_of(Reading(), zones_of)
    assert (sighting.tiles, sighting.chains, sighting.shown) == ((), (), ((), (), (), ()))


def test_places_are_told_in_sides_of_a_half() -> None:
    """Whatever the scale: middles and the way from a to b; dominoes that are gone with those that lie."""
    reading = Reading((domino(6, 5, 40, 50), domino(5, 1, 44, 50)), bare=(domino(1, 1, 50, 60), domino(2, 2, 5, 50)))
    sighting = sighting_of(reading, zones_of)
    assert [tile.spot for tile in sighting.tiles] == [Spot(20 + 25j, 1 + 0j), Spot(22 + 25j, 1 + 0j)]
    assert sighting.tiles[0].flipped().spot == Spot(20 + 25j, -1 + 0j)
    assert sighting.bare == (SeenTile(half(1), half(1)), SeenTile(half(2), half(2), seat=Seat.S1))
    assert sighting_of(Reading(), zones_of).bare is None
