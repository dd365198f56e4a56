import doctest
import math
from collections.abc import Iterator

import numpy as np
import pytest

from vision import layout
from vision.layout import DOMINO_LENGTH_MM, DOMINO_WIDTH_MM, End, LineLayout, Lying, separation_mm

ALL_28 = [(a, b) for a in range(7) for b in range(a, 7)]
MIDDLE_MM = 320.0  # half of the middle square of a 900 mm table with zones of 130 mm


def grown(seed: int, *, right_share: float, tiles: list[tuple[int, int]], sloppiness: float = 1.0) -> tuple[Lying, ...]:
    """A line of these dominoes, each going to the R end with this probability, whether it fits there or not."""
    rng = np.random.default_rng(seed)
    line = LineLayout(rng, sloppiness=sloppiness)
    line.first(*tiles[0])
    for inner, outer in tiles[1:]:
        line.add("R" if rng.random() < right_share else "L", inner, outer)
    return line.lying


def tightest_mm(lying: tuple[Lying, ...]) -> float:
    """The smallest separation of any two dominoes."""
    near = (
        separation_mm(one, other)
        for i, one in enumerate(lying)
        for other in lying[:i]
        if math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) < 60
    )
    return min(near)


def fill(line: LineLayout) -> None:
    """Lay three sets' worth of dominoes at one end."""
    for _ in range(84):
        line.add("R", 1, 2)


def legal_line(seed: int) -> Iterator[tuple[LineLayout, End, Lying, Lying]]:
    """A line laid by the rules: after each domino the layout, the end, the domino before there, and the new one."""
    rng = np.random.default_rng(seed)
    line = LineLayout(rng)
    left = [ALL_28[i] for i in rng.permutation(28)]
    start = left.pop()
    first = line.first(*start)
    last: dict[End, Lying] = {"L": first, "R": first}
    open_suit: dict[End, int] = {"L": start[0], "R": start[1]}
    while fitting := [(end, tile) for tile in left for end in open_suit if open_suit[end] in tile]:
        end, tile = fitting[int(rng.integers(len(fitting)))]
        left.remove(tile)
        inner = open_suit[end]
        outer = tile[1] if tile[0] == inner else tile[0]
        domino = line.add(end, inner, outer)
        yield line, end, last[end], domino
        last[end], open_suit[end] = domino, outer


@pytest.mark.parametrize("right_share", [0.5, 0.0, 1.0, 0.1, 0.8])
def test_line_of_all_28_fits_and_never_overlaps(right_share: float) -> None:
    """A hundred lines of all dominoes, in any order, mostly wrong ones: none covers itself, none leaves the middle."""
    for seed in range(100):
        tiles = [ALL_28[i] for i in np.random.default_rng(seed).permutation(28)]
        lying = grown(seed, right_share=right_share, tiles=tiles, sloppiness=float(seed % 3))
        assert len(lying) == 28
        assert tightest_mm(lying) > -1e-6
        assert max(float(np.abs(domino.corners_mm()).max()) for domino in lying) <= MIDDLE_MM


@pytest.mark.parametrize("doubles_first", [True, False])
def test_line_bears_all_doubles_in_a_row(*, doubles_first: bool) -> None:
    """Seven doubles one after the other, which only wrong play brings, still lie side by side."""
    tiles = sorted(ALL_28, key=lambda tile: (tile[0] == tile[1]) != doubles_first)
    for seed in range(30):
        assert tightest_mm(grown(seed, right_share=seed % 3 / 2, tiles=tiles)) > -1e-6


def test_joint_touches_with_the_suits_that_meet() -> None:
    """The half that joins lies against the line's end: its centre is no farther off than half a domino and a gap."""
    for seed in range(40):
        for _, _, before, domino in legal_line(seed):
            assert 0 <= separation_mm(before, domino) <= 1.5
            turn = math.radians(domino.angle_deg)
            inner = np.array((domino.x_mm - 12 * math.cos(turn), domino.y_mm - 12 * math.sin(turn)))
            reach = 24.5 if domino.a != domino.b else 27.5
            centre = np.array((before.x_mm, before.y_mm))
            halves = before.corners_mm()[[0, 2]] * 0.5 + before.corners_mm()[[1, 3]] * 0.5
            nearest = min(float(np.hypot(*(inner - p))) for p in (*(0.5 * (halves + centre)), centre))
            assert nearest <= reach + 1.5


def test_double_lies_across_the_end_of_the_domino_before() -> None:
    """A double's long side has its middle at the end it was laid to, nearly everywhere straight on."""
    across = straight = 0
    for seed in range(40):
        for _, _, before, domino in legal_line(seed):
            if domino.a == domino.b:
                away = math.cos(math.radians(domino.angle_deg - before.angle_deg))
                across += abs(away) < 0.2
                straight += 1
    assert across >= 0.8 * straight


def test_line_turns_only_near_the_edge_of_the_middle() -> None:
    """Where a line turns, one more domino straight on would have come within the margin of the middle square's edge."""
    for seed in range(40):
        for line, end, before, domino in legal_line(seed):
            turned = abs(math.sin(math.radians(domino.angle_deg - before.angle_deg))) > 0.5
            if turned and domino.a != domino.b and before.a != before.b:
                assert float(np.abs(before.corners_mm()).max()) > MIDDLE_MM - 42 - 2 * DOMINO_LENGTH_MM
            assert domino in line.lying, end


def test_same_seed_lays_the_same_line() -> None:
    """Chance comes from the generator alone."""
    assert grown(7, right_share=0.5, tiles=ALL_28) == grown(7, right_share=0.5, tiles=ALL_28)
    assert grown(7, right_share=0.5, tiles=ALL_28) != grown(8, right_share=0.5, tiles=ALL_28)


def test_line_laid_by_a_ruler_has_no_jitter() -> None:
    """With sloppiness 0 every domino lies square to the table."""
    lying = grown(3, right_share=0.5, tiles=ALL_28, sloppiness=0)
    assert {round(domino.angle_deg % 90, 6) % 90 for domino in lying} == {0.0}


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_shown_hand_lies_in_the_seats_own_zone(seat: int) -> None:
    """Seven dominoes shown lie in the strip before their seat, apart from each other, first halves to the middle."""
    tiles = ALL_28[:7]
    shown = LineLayout(np.random.default_rng(seat)).shown(seat, tiles)
    assert [(domino.a, domino.b) for domino in shown] == tiles
    assert tightest_mm(shown) > 1
    towards = {0: (0, 1), 1: (-1, 0), 2: (0, -1), 3: (1, 0)}[seat]
    for domino in shown:
        depths = domino.corners_mm() @ np.array(towards)
        assert depths.min() >= 320
        assert depths.max() <= 450
        assert depths[:2].mean() < depths[2:].mean()


def test_corners_go_round_from_the_a_end() -> None:
    """Corners 0 and 1 are at a's end and the four go clockwise as seen."""
    corners = Lying(1, 2, 100, 50, 0).corners_mm()
    half, across = DOMINO_LENGTH_MM / 2, DOMINO_WIDTH_MM / 2
    around = np.array([(-half, across), (-half, -across), (half, -across), (half, across)])
    assert corners == pytest.approx(around + np.array((100, 50)))


def test_layout_refuses_what_has_no_place() -> None:
    """A second first domino, one added to nothing, and a thirtieth are told apart in a sentence."""
    line = LineLayout(np.random.default_rng(1))
    with pytest.raises(ValueError, match="empty line"):
        line.add("L", 1, 2)
    line.first(1, 2)
    with pytest.raises(ValueError, match="line of 1 dominoes"):
        line.first(3, 4)
    with pytest.raises(ValueError, match="no room for 1-2 at R"):
        fill(line)


def test_layout_examples_hold() -> None:
    """The examples in the documentation do what they say."""
    assert doctest.testmod(layout).failed == 0
