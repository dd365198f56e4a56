"""What is gone and what is only hidden, on drawn tables."""

import doctest
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from vision import recall as recall_module
from vision import things
from vision.change import FINE_ROWS, Before, ChangeParams, changed, thumbnail
from vision.layout import LineLayout, Lying
from vision.look import TILE_SETS, Look
from vision.reader import read
from vision.reading import Domino, Half, Reading
from vision.recall import Recall
from vision.render import Backdrop, Picture, Placed, Reaching
from vision.rereading import reread
from vision.rig import Rig

RIG = Rig(width_px=800, height_px=640)
INSIDE = 2


def reading_of(lying: Sequence[Lying], picture: Picture, *, but: int | None = None) -> Reading:
    """What a reader that makes no mistake finds, one domino left out where it can't be seen."""
    found = zip(lying, picture.corners, strict=True)
    return Reading(
        tuple(Domino(_half(one.a), _half(one.b), corners, 0.99) for n, (one, corners) in enumerate(found) if n != but)
    )


def _half(suit: int) -> Half:
    return Half(tuple(0.97 if s == suit else 0.005 for s in range(7)))


class Table:
    """A drawn line that has been seen once."""

    def __init__(
        self,
        seed: int = 3,
        *,
        look: Look | None = None,
        rig: Rig = RIG,
        row: Sequence[tuple[int, int]] = ((6, 6), (6, 5), (5, 3), (3, 1), (1, 4), (4, 2)),
    ) -> None:
        rng = np.random.default_rng(seed)
        layout = LineLayout(rng)
        layout.first(*row[0])
        for inner, outer in row[1:]:
            layout.add("R", inner, outer)
        self.line = layout.lying
        self.backdrop = Backdrop(rig, look or Look(), rng)
        self.backdrop.lay(self.line)
        self.recall = Recall()
        assert self.recall.of(self.backdrop.picture().bgr, self.reading()).bare == ()

    def reading(self, *, but: int | None = None) -> Reading:
        return reading_of(self.line, self.backdrop.picture(), but=but)

    def without(self, place: int) -> list[Lying]:
        """The line with one domino lifted."""
        return [lying for n, lying in enumerate(self.line) if n != place]

    def lifted(self, place: int, *, light: float = 1.0) -> Reading:
        """What is said once that domino has been lifted, in another light."""
        rest = self.without(place)
        self.backdrop.lay(rest)
        picture = self.backdrop.picture()
        return self.recall.of(np.clip(picture.bgr * light, 0, 255).astype(np.uint8), reading_of(rest, picture))


def suits(reading: Reading) -> list[tuple[int | None, int | None]]:
    return [(domino.a.suit, domino.b.suit) for domino in reading.bare or ()]


@pytest.mark.parametrize("place", range(6))
def test_place_of_a_lifted_domino_is_bare(place: int) -> None:
    """At either end and inside the line, and as long as it is gone."""
    table = Table()
    gone = table.line[place]
    for _ in range(2):
        assert suits(table.lifted(place)) == [(gone.a, gone.b)]


@pytest.mark.parametrize("light", [0.75, 1.25])
def test_place_is_bare_in_another_light_too(light: float) -> None:
    """A lamp that was dimmed or turned up covers nothing."""
    assert len(suits(Table().lifted(INSIDE, light=light))) == 1


def test_place_stays_bare_in_the_pictures_after_the_light_has_changed() -> None:
    """The next picture is compared with the cloth as it is lit by then, and so is the one after another change."""
    table = Table()
    for light in (1.0, 1.3, 1.3, 1.3, 1.0, 1.0):
        assert len(suits(table.lifted(INSIDE, light=light))) == 1


def test_lifted_domino_stays_gone_until_it_is_seen_again() -> None:
    """A cup put on its bare place brings nothing back; the domino itself does."""
    table = Table()
    gone = table.line[INSIDE]
    assert len(suits(table.lifted(INSIDE))) == 1
    cup = Placed(things.cup(np.random.default_rng(1), 3.0), gone.x_mm, gone.y_mm, 0, 60)
    covered = table.backdrop.picture(things=[cup])
    assert suits(table.recall.of(covered.bgr, reading_of(table.without(INSIDE), covered))) == [(gone.a, gone.b)]
    table.backdrop.lay(table.line)
    assert suits(table.recall.of(table.backdrop.picture().bgr, table.reading())) == []
    assert suits(table.recall.of(table.backdrop.picture().bgr, table.reading(but=INSIDE))) == []


def test_place_under_something_is_not_bare() -> None:
    """A cup, the scoresheet, an arm: what lies under them may well be there."""
    table = Table()
    at = table.line[INSIDE]
    rng = np.random.default_rng(1)
    covers: list[Picture] = [
        table.backdrop.picture(things=[Placed(things.cup(rng, 3.0), at.x_mm, at.y_mm, 0, 60)]),
        table.backdrop.picture(things=[Placed(things.scoresheet(rng, 3.0), at.x_mm, at.y_mm, 20)]),
        *(table.backdrop.picture([Reaching(seat, at.x_mm, at.y_mm)]) for seat in range(4)),
    ]
    for picture in covers:
        assert suits(table.recall.of(picture.bgr, table.reading(but=INSIDE))) == []


def test_domino_that_lies_there_unread_is_not_gone() -> None:
    """The reader has missed it; the next picture that shows it makes nothing of that."""
    table = Table()
    for but in (INSIDE, None, INSIDE):
        assert suits(table.recall.of(table.backdrop.picture().bgr, table.reading(but=but))) == []


def test_domino_lifted_while_it_was_covered_is_missed_afterwards() -> None:
    """What lay there is remembered under the cover."""
    table = Table()
    at = table.line[INSIDE]
    cover = Placed(things.scoresheet(np.random.default_rng(1), 3.0), at.x_mm, at.y_mm, 20)
    table.recall.of(table.backdrop.picture(things=[cover]).bgr, Reading())
    assert suits(table.lifted(INSIDE)) == [(at.a, at.b)]


def test_domino_that_lies_elsewhere_now_is_not_gone() -> None:
    """The whole line was pushed: every old place is bare, and every domino is seen."""
    table = Table()
    pushed = [Lying(one.a, one.b, one.x_mm + 40, one.y_mm + 30, one.angle_deg) for one in table.line]
    table.backdrop.lay(pushed)
    picture = table.backdrop.picture()
    assert suits(table.recall.of(picture.bgr, reading_of(pushed, picture))) == []


BLACK = TILE_SETS[3]
DARK = Look(body_bgr=BLACK[0], divider_bgr=BLACK[1], pips_bgr=BLACK[2], pin_bgr=None, table_bgr=(40, 40, 40))


@pytest.mark.parametrize("divider_mm", [1.0, 0.0])
def test_domino_as_dark_as_its_cloth_is_missed_once_it_is_lifted(divider_mm: float) -> None:
    """So little changes that the reader keeps it: its pips, and the line of a blank one, are there no longer.

    A blank one without a line shows nothing that would be missed.
    """
    for place in range(6):
        table = Table(look=replace(DARK, divider_mm=divider_mm), row=((0, 0), (0, 6), (6, 6), (6, 1), (1, 2), (2, 2)))
        kept, gone = table.reading(), table.line[place]
        for _ in range(2):  # the light as it was, nothing lifted
            assert table.recall.of(table.backdrop.picture().bgr, kept) == replace(kept, bare=())
            assert suits(table.recall.of(table.backdrop.picture().bgr, table.reading(but=place))) == []
            table.recall.of(table.backdrop.picture().bgr, kept)
        table.backdrop.lay(table.without(place))
        told = table.recall.of(table.backdrop.picture().bgr, kept)
        if (gone.a, gone.b, divider_mm) == (0, 0, 0.0):
            assert told == replace(kept, bare=())
            continue
        assert suits(told) == [(gone.a, gone.b)]
        assert told.dominoes == tuple(d for n, d in enumerate(kept.dominoes) if n != place)


def test_reader_that_keeps_a_dark_domino_is_not_believed() -> None:
    """The real one reads only what has changed: of the 1-2 on black cloth, lifted, its pips are all that has."""
    table = Table(look=DARK, row=((0, 0), (0, 6), (6, 6), (6, 1), (1, 2)), rig=Rig(width_px=1280, height_px=1024))
    first = table.backdrop.picture().bgr
    known = table.recall.of(first, read(first))
    table.backdrop.lay(table.without(4))
    then, bgr = thumbnail(first), table.backdrop.picture().bgr
    where = changed(then, thumbnail(bgr), np.full(then.grey.shape, 255, np.uint8), ChangeParams())
    kept = reread(bgr, Before(known, where, thumbnail(first, FINE_ROWS)))
    assert len(kept.dominoes) == 5
    told = table.recall.of(bgr, kept)
    assert len(told.dominoes) == 4
    assert [set(pair) for pair in suits(told)] == [{1, 2}]


def test_domino_that_looks_like_the_cloth_is_never_said_to_be_gone() -> None:
    """Blank on a cloth of its own colour: nobody could tell."""
    plain = np.full((120, 160, 3), 200, np.uint8)
    there = Domino(_half(0), _half(0), ((40.0, 70.0), (40.0, 50.0), (80.0, 50.0), (80.0, 70.0)), 0.9)
    recall = Recall()
    recall.of(plain, Reading((there,)))
    assert recall.of(plain, Reading()).bare == ()


def test_memory_is_bounded() -> None:
    """A table on which other dominoes lie in every picture is not remembered for ever."""
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 255, (240, 320, 3), dtype=np.uint8)
    recall = Recall()
    for n in range(100):
        x, y = (float(v) for v in rng.uniform(30, 200, 2))
        corners = ((x, y + 10), (x, y), (x + 20, y), (x + 20, y + 10))
        recall.of(noise, Reading((Domino(_half(n % 7), _half(n // 7 % 7), corners, 0.9),)))
    assert len(recall._known) <= recall_module.MOST


def test_examples_in_the_docs_run() -> None:
    assert doctest.testmod(recall_module, extraglobs={"np": np}).failed == 0
