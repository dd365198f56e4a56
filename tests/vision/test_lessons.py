"""Practice pictures and the lessons made of them: repeatable, and their answers where the dominoes are."""

import numpy as np
import pytest

from vision.cut import HIDDEN, NEAR_PX, STRIDE, cut, quads_of
from vision.lessons import faces, judged, together, window
from vision.practice import CLOSEST_PX, SIZE_PX, Practice, Shown, drawn

PICTURES = [drawn(number, 77) for number in range(6)]


def test_the_same_number_draws_the_same_picture() -> None:
    """Pictures and truth repeat byte for byte; the next one is another."""
    again = drawn(0, 77)
    assert np.array_equal(again.bgr, PICTURES[0].bgr)
    assert again.dominoes == PICTURES[0].dominoes
    assert not np.array_equal(PICTURES[0].bgr, PICTURES[1].bgr)


def test_a_bare_picture_shows_no_domino() -> None:
    """Things, arms and backs of dominoes may lie there, and nothing to be read."""
    bare = drawn(3, 78, bare=True)
    assert bare.dominoes == ()
    assert bare.bgr.std() > 1


def test_every_domino_shown_can_be_seen_in_part() -> None:
    """What lies beyond the edge or under things altogether is no domino of the picture."""
    shown = [domino for practice in PICTURES for domino in practice.dominoes]
    assert len(shown) > 20
    assert all(0 <= share <= 1 for domino in shown for share in domino.seen)
    assert all(max(domino.seen) > 0 for domino in shown)


def test_a_close_up_shows_one_domino_and_what_it_cuts_off_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of single dominoes are small, and neighbours reach over their edges."""
    monkeypatch.setattr("vision.practice.CLOSE_UP", 1.0)
    for picture in (drawn(number, 77) for number in range(6)):
        height, width = picture.bgr.shape[:2]
        assert CLOSEST_PX <= width < SIZE_PX[0]
        assert CLOSEST_PX <= height < SIZE_PX[1]
        assert picture.dominoes
        for domino in picture.dominoes:
            x, y = np.array(domino.corners).T
            inside = (x > -1) & (x < width) & (y > -1) & (y < height)
            assert inside.all() or min(domino.seen) < 1


def test_a_window_asks_for_each_domino_at_its_centre() -> None:
    """Where the heat is 1 the pose tells centre, size and turn of a domino of the picture."""
    practice = Practice(
        np.full((100, 100, 3), 60, np.uint8), (Shown((1, 2), ((30, 60), (30, 40), (70, 40), (70, 60)), (1.0, 1.0)),), 20
    )
    for seed in range(6):
        lesson = window(practice, np.random.default_rng(seed))
        ((row, column),) = np.argwhere(lesson.heat > 0.99)
        dx, dy, size, cos, sin = lesson.pose[:, row, column].astype(float)
        x, y = (column + dx) * STRIDE + 1.5, (row + dy) * STRIDE + 1.5
        factor = NEAR_PX * np.exp(size) / 20
        assert 0.2 < factor <= 1.001
        assert np.hypot(x / factor - 49.5, y / factor - 49.5) < 2.5
        assert np.hypot(cos, sin) == pytest.approx(1, abs=1e-2)
        assert abs(sin) < 0.05


def test_a_domino_hidden_in_part_is_not_asked_for_either_way() -> None:
    """Half under a hand, the finder may say what it likes there."""
    corners = ((30.0, 60.0), (30.0, 40.0), (70.0, 40.0), (70.0, 60.0))
    practice = Practice(np.full((100, 100, 3), 60, np.uint8), (Shown((1, 2), corners, (0.7, 0.0)),), 20)
    lesson = window(practice, np.random.default_rng(1))
    assert lesson.heat.max() < 0.5
    assert (lesson.weight == 0).any()


def test_faces_say_where_the_corners_are() -> None:
    """A domino cut a little aside is asked to be put right: the offsets lead from home to its corners."""
    lessons = together([faces(practice, np.random.default_rng(4)) for practice in PICTURES])
    lying = lessons.domino == 1
    assert lying.sum() > 20
    assert (lessons.domino == 0).sum() > 10
    assert np.abs(lessons.corners[lying]).max() < 1.5
    assert 0.01 < np.abs(lessons.corners[lying]).mean() < 0.3
    assert set(np.unique(lessons.suits)) <= {-1, *range(8)}
    assert (lessons.suits[lessons.domino == 0] == -1).all()


def test_where_nothing_lies_nothing_is_asked_but_that() -> None:
    """Faces of a bare picture teach only that no domino lies there."""
    quads = np.array([[(30, 60), (30, 40), (70, 40), (70, 60)]], float)
    lessons = judged(cut(PICTURES[0].bgr, quads), quads, ())
    assert lessons.domino.tolist() == [0]
    assert lessons.suits.tolist() == [[-1, -1]]


def test_what_the_reader_looked_at_is_judged_by_where_it_lies() -> None:
    """Nearly where a domino lies it is that domino, turned as it was looked at; elsewhere none; between nobody says."""
    pose = np.array([(50.0, 50.0, 0.0, 20.0)])
    shown = Shown((1, 2), tuple((float(x), float(y)) for x, y in quads_of(pose)[0]), (1.0, 0.2))
    looked_at = np.array(
        [(51, 50, 0, 20), (50, 50, np.pi, 20), (50, 50, np.pi / 2, 20), (90, 50, 0, 20), (62, 50, 0, 20)]
    )
    quads = quads_of(looked_at)
    lessons = judged(np.zeros((len(quads), 28, 48, 3), np.uint8), quads, [shown])
    assert lessons.domino.tolist() == [1, 1, 0, 0, -1]
    assert lessons.suits.tolist() == [[1, HIDDEN], [HIDDEN, 1], [-1, -1], [-1, -1], [-1, -1]]
    assert lessons.corners[0].reshape(4, 2) == pytest.approx(np.tile((-0.05, 0.0), (4, 1)), abs=0.01)
