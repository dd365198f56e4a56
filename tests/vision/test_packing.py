"""Which candidates are kept: never two in one place, and the best whole set, against trying every set."""

from itertools import combinations

import numpy as np

from vision.packing import best_packing, firsts, overlaps, same


def best_by_trying_all(worth: np.ndarray, conflict: np.ndarray) -> float:
    """The greatest total of any set without a conflict."""
    n = len(worth)
    sets = (some for size in range(n + 1) for some in combinations(range(n), size))
    return max(float(worth[list(s)].sum()) for s in sets if not any(conflict[i, j] for i, j in combinations(s, 2)))


def test_the_best_packing_is_the_best_of_all() -> None:
    """On random little heaps it is as good as trying every set, and has no conflict in it."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(1, 11))
        conflict = np.triu(rng.random((n, n)) < 0.3, 1)
        conflict = conflict | conflict.T
        worth = rng.normal(1, 1, n).astype(np.float32)
        kept = best_packing(worth, conflict)
        assert not conflict[np.ix_(kept, kept)].any()
        assert abs(float(worth[kept].sum()) - best_by_trying_all(worth, conflict)) < 1e-5


def test_a_greedy_bridge_gives_way_to_a_whole_tiling() -> None:
    """One plausible domino across a joint does not cost the two real ones."""
    conflict = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)
    assert best_packing(np.array([3.0, 4.0, 3.0], np.float32), conflict) == [0, 2]


def test_a_huge_knot_is_settled_in_time() -> None:
    """Where everything is in everything's way, an answer still comes."""
    rng = np.random.default_rng(1)
    conflict = np.triu(rng.random((260, 260)) < 0.1, 1)
    conflict = conflict | conflict.T
    kept = best_packing(rng.random(260).astype(np.float32), conflict)
    assert kept
    assert not conflict[np.ix_(kept, kept)].any()


def test_touching_is_not_overlapping() -> None:
    """Dominoes end to end, or crosswise at an end, may both lie there; one across another may not."""
    pose = np.array([[0, 0, 0, 30], [60, 0, 0, 30], [105, 0, np.pi / 2, 30], [0, 10, np.pi / 2, 30]], np.float32)
    assert overlaps(pose).tolist() == [
        [False, False, False, True],
        [False, False, False, False],
        [False, False, False, False],
        [True, False, False, False],
    ]


def test_places_are_the_same_from_either_end_and_only_near() -> None:
    """A domino seen from its other end lies where it lay; one beside it, or across, is another."""
    here = np.array(((50.0, 60.0, 0.4, 10.0),))
    others = here + np.array(((0, 0, np.pi, 0), (2, 2, 0.2, 0), (4, 0, 0, 0), (0, 0, np.pi / 2, 0), (0, 0, -0.3, 5)))
    assert same(here, others).tolist() == [[True, True, False, False, True]]
    assert same(here, others, 0.1)[0, 1] == np.False_


def test_the_first_of_each_kind_is_kept() -> None:
    """A row that is like one that was dropped is kept all the same."""
    like = np.eye(4, dtype=np.bool_)
    for one, other in ((0, 1), (1, 2)):
        like[one, other] = like[other, one] = True
    assert firsts(like).tolist() == [True, False, True, True]
