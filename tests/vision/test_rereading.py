"""Reading on a known scene: what has changed is read again, all else stays the record that it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.film import LINE, Bgr, Film, readings, tiles
from vision import things
from vision.change import FINE_ROWS, Before, ChangeParams, changed, thumbnail
from vision.layout import LineLayout, Lying
from vision.look import TILE_SETS, Look
from vision.reader import read
from vision.reading import Domino, Half, Reading
from vision.render import Backdrop, Placed, Reaching
from vision.rereading import Change, reread
from vision.rig import Rig

RIG = Rig(960, 720)
WHOLE = sorted(tuple(sorted(tile)) for tile in LINE)


def scenes(first: Sequence[Lying], then: Sequence[Lying]) -> list[Reading]:
    """What is read of some dominoes, and then of others in their place, an arm between that reached the last."""
    x, y = first[-1].x_mm, first[-1].y_mm
    film = Film(rig=RIG).lay(0, *first).still(5)
    film.arms([Reaching(0, x, y)], 2).lay(0, *then).arms([Reaching(0, x + 20, y + 60)], 1).still(6)
    return readings(film, RIG.table())


def kept(before: Reading, after: Reading) -> int:
    """How many records are the very same."""
    return sum(any(domino is known for known in before.dominoes) for domino in after.dominoes)


def test_laid_domino_is_read_and_the_others_are_kept() -> None:
    """Of a line that grows by one, only what touches the new domino is read anew."""
    line = Film().line
    before, after = scenes(line[:4], line)
    assert tiles(after) == WHOLE
    assert len(after.line) == 5
    assert kept(before, after) >= 2


def test_whole_line_pushed_and_turned_by_a_sleeve_is_followed() -> None:
    """All of it lies elsewhere and otherwise, and is the same line of five."""
    line = Film().line
    turn = np.radians(7.0)
    spin = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))))
    pushed = []
    for lying in line:
        x, y = spin @ (lying.x_mm, lying.y_mm) + (9.0, -14.0)
        pushed.append(replace(lying, x_mm=float(x), y_mm=float(y), angle_deg=lying.angle_deg + 7))
    before, after = scenes(line, pushed)
    assert tiles(before) == tiles(after) == WHOLE
    assert [len(chain) for chain in after.chains] == [5]
    assert kept(before, after) == 0


def test_moved_domino_is_seen_where_it_lies_now() -> None:
    """One taken from the line's end and put down apart is read there, out of the chain, and nowhere else."""
    line = Film().line
    apart = replace(line[4], x_mm=line[4].x_mm, y_mm=line[4].y_mm + 120, angle_deg=20.0)
    before, after = scenes(line, [*line[:4], apart])
    assert tiles(before) == tiles(after) == WHOLE
    assert (len(before.line), len(after.line)) == (5, 4)


def test_lifted_domino_is_no_longer_seen() -> None:
    """One taken away from the middle of the line leaves the others, in two chains."""
    line = Film().line
    before, after = scenes(line, [d for d in line if d is not line[0]])
    assert len(before.dominoes) == 5
    assert tiles(after) == sorted(tuple(sorted(tile)) for tile in LINE[1:])


def test_replaced_domino_is_read_as_the_other_one() -> None:
    """Another domino in the very same place is no longer the old one."""
    line = Film().line
    other = replace(line[4], a=3, b=5)
    _, after = scenes(line, [*line[:4], other])
    assert tiles(after) == sorted([*(tuple(sorted(tile)) for tile in LINE[:4]), (3, 5)])


def test_turned_domino_is_seen_turned() -> None:
    """One turned round where it lay, as exactly as a hand can, has its halves the other way round along the chain."""
    line = Film().line
    turned = replace(line[4], x_mm=line[4].x_mm + 1, angle_deg=line[4].angle_deg + 181)
    before, after = scenes(line, [*line[:4], turned])
    assert tiles(before) == tiles(after) == WHOLE
    ones, others = ({(a.suit, b.suit) for a, b in reading.along(reading.line)} for reading in (before, after))
    assert ones ^ others == {(0, 1), (1, 0)}


def test_domino_shown_for_a_moment_in_a_zone_does_not_stay() -> None:
    """One that lay in a seat's zone when the line was read is not there at the next reading, though no zone rested."""
    film = Film(rig=RIG).lay(3).still(5)
    shown = LineLayout(np.random.default_rng(1)).shown(0, [(2, 5)])
    for count, others in ((4, shown), (5, ())):
        for number in range(8):
            film.lay(count, *others).arms([Reaching(2, -80 + 12 * (number % 5), -425.0)])
    seen = [tiles(reading) for reading in readings(film, RIG.table())]
    assert (2, 5) in seen[1]
    assert seen[-1] == WHOLE


def test_nothing_changed_is_the_same_reading() -> None:
    """A picture that has not changed gives the records that were there, but for a second look at doubtful ones."""
    bgr = Film(rig=RIG).lay(5).still(1).frames[0]
    first = read(bgr, table=RIG.table())
    again = reread(bgr, Before(first, np.zeros((180, 240), np.uint8)), table=RIG.table())
    assert again == first
    assert kept(first, again) == 5


def test_doubtful_half_is_looked_at_again_and_both_looks_count() -> None:
    """A half that glared is told by the next look; one that wavers becomes surer with each."""
    bgr = Film(rig=RIG).lay(5).still(1).frames[0]
    first = read(bgr, table=RIG.table())
    hidden, wavering, *others = first.dominoes
    even = Half(tuple(0.4 if suit in (wavering.b.suit, (wavering.b.suit or 0) - 1) else 0.04 for suit in range(7)))
    doubted = (replace(hidden, a=Half(None)), replace(wavering, b=even), *others)
    again = reread(bgr, Before(replace(first, dominoes=doubted), np.zeros((180, 240), np.uint8)), table=RIG.table())
    assert tiles(again) == WHOLE
    assert confidence(again, hidden) > 0.9
    assert even.confidence < confidence(again, wavering)
    assert sorted(domino.looks for domino in again.dominoes) == [1, 1, 1, 2, 2]


def confidence(reading: Reading, place: Domino) -> float:
    """Of the domino read at the place of another."""
    near = min(reading.dominoes, key=lambda d: np.hypot(*np.subtract(d.centre, place.centre)))
    return min(near.a.confidence, near.b.confidence)


@pytest.mark.parametrize("make", [0, 3, 4], ids=["white", "black", "rosewood"])
def test_first_domino_is_found_by_its_change_without_a_known_table(make: int) -> None:
    """One domino alone in a picture whose scale nobody knows is read where the picture has changed."""
    body, divider, pips = TILE_SETS[make]
    film = Film(Look(body_bgr=body, divider_bgr=divider, pips_bgr=pips), RIG)
    before, after = film.still(1).frames[0], film.lay(1).still(1).frames[-1]
    reading = reread(after, Before(Reading(), _change(before, after)))
    assert tiles(reading) == [(6, 6)]


@pytest.mark.parametrize(("rim_px", "is_one"), [(0, True), (1, True), (2, True), (4, False)])
def test_change_a_pixel_larger_all_round_has_a_domino_s_outline(rim_px: int, is_one: bool) -> None:
    """What is changed in part, and the shadow where it touches the table, belong to a change; more is another thing."""
    mask = np.zeros((120, 160), np.uint8)
    cv2.rectangle(mask, (50 - rim_px, 60 - rim_px), (83 + rim_px, 76 + rim_px), 255, -1)
    quad = 2 * np.array([[(50.0, 76.0), (50.0, 60.0), (83.0, 60.0), (83.0, 76.0)]])
    assert Change(mask, (0.0, 0.0), 2.0).is_shape(quad).tolist() == [is_one]


@pytest.mark.parametrize(("lying", "then"), [(4, 5), (5, 4)], ids=["laid", "lifted"])
def test_one_domino_laid_or_lifted_needs_no_search(lying: int, then: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has changed is a domino's outline and a look there tells all, so the finder is not asked."""
    before = Film(rig=RIG).lay(lying).still(1).frames[0]
    after = Film(rig=RIG).lay(then).still(1).frames[0]
    known = read(before, table=RIG.table())

    def find(*_: object) -> None:
        raise AssertionError("the finder was asked")

    monkeypatch.setattr("vision.reader.find", find)
    reading = reread(after, Before(known, _change(before, after), thumbnail(before, FINE_ROWS)), table=RIG.table())
    assert tiles(reading) == sorted(tuple(sorted(tile)) for tile in LINE[:then])


def test_upheaval_is_read_anew() -> None:
    """Where most of the picture has changed, nothing is kept."""
    bgr = Film(rig=RIG).lay(5).still(1).frames[0]
    first = read(bgr)
    bumped = np.asarray(np.roll(bgr, 40, axis=1))
    again = reread(bumped, Before(first, np.full((180, 240), 255, np.uint8)))
    assert tiles(again) == WHOLE
    assert kept(first, again) == 0


def _change(before: Bgr, after: Bgr) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    one, other = thumbnail(before), thumbnail(after)
    return changed(one, other, np.full(one.grey.shape, 255, np.uint8), ChangeParams())


@pytest.mark.parametrize("seed", [1, 4, 10])
def test_blank_thing_at_the_end_of_the_line_is_no_double_blank(seed: int) -> None:
    """An eraser of a domino's size and colour has not the line that the others have; the double blank itself has."""
    rng = np.random.default_rng(seed)
    rig, look, layout = Rig.random(rng, 1280, 960), Look.random(rng), LineLayout(rng)
    layout.first(6, 6)
    for inner, outer in ((6, 4), (4, 4), (4, 1)):
        layout.add("R", inner, outer)
    line, at = layout.lying, layout.add("R", 1, 0)
    backdrop = Backdrop(rig, look, rng)
    backdrop.lay(line)
    bgr = backdrop.picture().bgr
    first = read(bgr, table=rig.table())
    eraser = things.Sheet(48.0, 24.0, 3.0)
    eraser.rounded(0, 0, 48, 24, 2, look.body_bgr)
    with_eraser = backdrop.picture(things=[Placed(eraser, at.x_mm, at.y_mm, at.angle_deg, look.thickness_mm)]).bgr
    backdrop.lay((*line, replace(at, a=0, b=0)))
    for picture, more in ((with_eraser, []), (backdrop.picture().bgr, [(0, 0)])):
        before = Before(first, _change(bgr, picture), thumbnail(bgr, FINE_ROWS))
        assert tiles(reread(picture, before, table=rig.table())) == sorted([*more, *tiles(first)])


def test_cups_and_phones_put_down_are_no_dominoes() -> None:
    """A bright and a dark rectangle of a domino's size, newly there beside a line, are not read as one."""
    bgr = Film(rig=RIG).lay(5).still(1).frames[0]
    first = read(bgr, table=RIG.table())
    with_things = bgr.copy()
    cv2.rectangle(with_things, (600, 500), (638, 519), (240, 240, 240), -1)
    cv2.rectangle(with_things, (400, 520), (419, 558), (25, 25, 25), -1)
    again = reread(with_things, Before(first, _change(bgr, with_things)), table=RIG.table())
    assert tiles(again) == WHOLE
