"""Quads, poses and the faces cut under them: places that fit together whichever way they are asked."""

import cv2
import numpy as np
import pytest

from vision.cut import COLOURS, FACE_PX, FEW, FOLDED, HALF_PX, HOME, cut, folded, moved, poses_of, quads_of

POSES = np.array([(60.0, 50.0, 0.0, 20.0), (80.0, 70.0, 0.7, 15.0), (40.0, 90.0, -2.5, 24.0)])


def test_a_pose_and_its_quad_tell_the_same() -> None:
    """From pose to corners and back nothing changes."""
    assert poses_of(quads_of(POSES)) == pytest.approx(POSES)


def test_corners_go_round_clockwise_from_a_s_end() -> None:
    """With the axis to the right, a's end is on the left, its lower corner first."""
    (quad,) = quads_of(POSES[:1])
    assert quad.tolist() == [[40, 60], [40, 40], [80, 40], [80, 60]]


def test_a_face_is_cut_with_half_a_on_the_left_however_it_lies() -> None:
    """A domino drawn with a dark half a shows it on the left of its cut, and the table round it."""
    for pose in POSES:
        picture = np.full((140, 140, 3), 90, np.uint8)
        x, y, angle, side = pose
        rows, columns = np.mgrid[:140, :140]
        along = ((columns - x) * np.cos(angle) + (rows - y) * np.sin(angle)) / side
        across = ((rows - y) * np.cos(angle) - (columns - x) * np.sin(angle)) / side
        picture[(np.abs(along) < 1) & (np.abs(across) < 0.5)] = 220
        picture[(np.abs(along + 0.5) < 0.5) & (np.abs(across) < 0.5)] = 20
        (face,) = cut(picture, quads_of(pose[None]))
        assert face.shape == (*FACE_PX, 3)
        inside = face[8:20]
        assert inside[:, 9:21].max() < 60
        assert inside[:, 27:39].min() > 180
        assert np.abs(face[:2].astype(int) - 90).max() < 12


def test_a_corner_is_moved_along_and_across_the_domino() -> None:
    """Offsets are sides of a half in the domino's own directions, whichever way it is turned."""
    offsets = np.zeros((len(POSES), 4, 2))
    offsets[:, 2] = (0.5, 0.25)
    quads = quads_of(POSES)
    gone = moved(quads, offsets) - quads
    assert np.abs(gone[:, [0, 1, 3]]).max() < 1e-9
    axis = np.stack((np.cos(POSES[:, 2]), np.sin(POSES[:, 2])), axis=1)
    across = np.stack((-axis[:, 1], axis[:, 0]), axis=1)
    assert gone[:, 2] == pytest.approx(POSES[:, 3:] * (0.5 * axis + 0.25 * across))


def test_a_cut_has_the_corners_at_home() -> None:
    """The corners of a cut are where the lessons expect them."""
    assert HOME[2, 0] - HOME[1, 0] == 2 * HALF_PX
    assert HOME[0, 1] - HOME[1, 1] == HALF_PX
    assert HOME.mean(axis=0).tolist() == [(FACE_PX[1] - 1) / 2, (FACE_PX[0] - 1) / 2]


def test_faces_can_be_cut_folded() -> None:
    """Two by two pixels become one, (row, column, BGR), whether after cutting or at once."""
    bgr = np.random.default_rng(1).integers(0, 256, (120, 160, 3), dtype=np.uint8)
    faces = cut(bgr, quads_of(POSES))
    at_once = cut(bgr, quads_of(POSES), FOLDED).reshape(len(POSES), FACE_PX[0] // 2, FACE_PX[1] // 2, COLOURS)
    assert np.array_equal(folded(faces), at_once)
    assert at_once[0, 3, 5].tolist() == faces[0, 6:8, 10:12].reshape(-1).tolist()


def test_a_few_places_are_all_on_the_domino() -> None:
    """What is round it has no share in its colour."""
    bgr = np.full((200, 300, 3), 60, np.uint8)
    quad = quads_of(np.array(((150.0, 100.0, 0.0, 40.0),)))
    cv2.fillConvexPoly(bgr, np.rint(quad[0]).astype(np.int32), (200, 190, 180))
    assert np.unique(cut(bgr, quad, FEW).reshape(-1, 3), axis=0).tolist() == [[200, 190, 180]]
