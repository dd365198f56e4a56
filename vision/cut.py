"""Quads and poses of dominoes, and a face cut out of a picture as the face reader wants it; pixels only.

A quad has a domino's corners, shape (4, 2), going round clockwise as seen, 0 and 1 at a's end. A pose is
(x, y, angle, side): the centre, the angle of the a→b axis in radians, the side of one half.
"""

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.floating[Any]]

HALF_PX: Final = 18
"""Side of a half in a face that is read."""
FACE_PX: Final = (28, 48)
"""Rows and columns of such a face, with 5 or 6 pixels round the domino."""
COLOURS: Final = 12
"""Of a pixel as the networks have them: two by two folded together, (row, column, BGR)."""
HIDDEN: Final = 7
"""Class of a half that cannot be seen, after the suits 0..6."""
STRIDE: Final = 4
"""Pixels between neighbouring cells of the finder's answer."""
CELL_PX: Final = (STRIDE - 1) / 2
"""From a cell's first pixel to its middle."""
NEAR_PX: Final = 9.0
"""Side of a half at which the finder's size comes out as 0."""


_ROUND: Final = np.array((-1 + 0.5j, -1 - 0.5j, 1 - 0.5j, 1 + 0.5j))
"""The corners of a domino that lies along x, as numbers x + iy, in sides of a half."""


def quads_of(poses: Points) -> Points:
    """The corners of dominoes seen straight from above, shape (N, 4, 2), from poses of shape (N, 4)."""
    x, y, angle, side = np.asarray(poses, np.float64).reshape(-1, 4).T[..., None]
    corners = x + 1j * y + side * np.exp(1j * angle) * _ROUND
    return _points(corners)


def _points(numbers: NDArray[np.complexfloating[Any, Any]]) -> Points:
    """Points (x, y), shape (N, 4, 2), of numbers x + iy, shape (N, 4)."""
    return np.asarray(numbers.view(np.float64).reshape(-1, 4, 2))


def numbers_of(points: Points) -> NDArray[np.complexfloating[Any, Any]]:
    """Numbers x + iy of points (x, y): what is turned, moved and measured together is one array."""
    return np.asarray(points[..., 0] + 1j * points[..., 1])


HOME: Final = quads_of(np.array(((FACE_PX[1] - 1) / 2, (FACE_PX[0] - 1) / 2, 0.0, HALF_PX)))[0].astype(np.float32)
"""Where a cut has the corners."""


def _grid() -> tuple[Points, Points]:
    """For each pixel of a face how far along (0 at a's end, 1 at b's) and across the domino it lies."""
    row, column = np.mgrid[: FACE_PX[0], : FACE_PX[1]]
    along = (column - (FACE_PX[1] - 1) / 2) / (2 * HALF_PX) + 0.5
    across = (row - (FACE_PX[0] - 1) / 2) / HALF_PX + 0.5
    return along, across


def folded(faces: NDArray[Any]) -> NDArray[Any]:
    """Faces as the face reader wants them, shape (N, 14, 24, 12), from shape (N, 28, 48, 3)."""
    count, rows, columns, colours = faces.shape
    quarters = faces.reshape(count, rows // 2, 2, columns // 2, 2, colours).transpose(0, 1, 3, 2, 4, 5)
    return quarters.reshape(count, rows // 2, columns // 2, 4 * colours)


def weights_of(along: Points, across: Points) -> Points:
    """How much each corner counts at some places of a quad, shape (4, ...)."""
    back, up = 1 - along, 1 - across
    return np.stack((back * across, back * up, along * up, along * across))


Grid = NDArray[np.float32]
"""How much each of a quad's corners counts at each of some places of a face, shape (4, rows, columns)."""
WHOLE: Final[Grid] = weights_of(*_grid()).astype(np.float32)
FOLDED: Final[Grid] = folded(WHOLE[..., None]).reshape(4, FACE_PX[0] // 2, -1)
"""The same, so ordered that what is cut out is folded already."""
FEW: Final[Grid] = WHOLE[:, 7:22:4, 8:40:4]
"""A few places of the domino itself, from which its colour is told."""
_ACROSS: Final = np.array(((1, -1, 2), (1, -1, -2), (1, 1, -2), (1, 1, 2))) / 4
"""How much each corner counts in a quad's middle, its step from there to b's end, and its breadth."""
_CORNERS: Final = (np.array((0.0, 0.0, 1.0, 1.0)), np.array((1.0, 0.0, 0.0, 1.0)))
"""How far along and across the corners of a quad lie."""


def cut(bgr: NDArray[np.uint8], quads: Points, grid: Grid = WHOLE) -> NDArray[np.uint8]:
    """The faces under some quads, shape (N, 4, 2), with what is round them, a's half on the left: (N, 28, 48, 3).

    A quad is so small that it may be taken as bilinear, which lets all be cut in one go.
    """
    rows, columns = grid.shape[1:]
    places = (quads.astype(np.float32).transpose(2, 0, 1) @ grid.reshape(4, -1)).reshape(2, -1, columns)
    faces = cv2.remap(bgr, places[0], places[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(faces, dtype=np.uint8).reshape(-1, rows, columns, 3)


def moved(quads: Points, offsets: Points) -> Points:
    """Quads, shape (N, 4, 2), with each corner moved by so many sides of a half along and across, the same shape."""
    along, across = _CORNERS[0] + offsets[..., 0] / 2, _CORNERS[1] + offsets[..., 1]
    c0, c1, c2, c3 = numbers_of(quads).T[..., None]
    return _points(c1 + along * (c2 - c1) + across * (c0 - c1) + along * across * (c1 - c2 + c3 - c0))


def halves_of(quad: Points) -> Points:
    """The quads of a domino's two halves, a's first, each from its end of the domino on, shape (2, 4, 2)."""
    right, left = (quad[1] + quad[2]) / 2, (quad[3] + quad[0]) / 2
    return np.array(((quad[0], quad[1], right, left), (quad[2], quad[3], left, right)))


def axes_of(quads: Points) -> NDArray[np.complex128]:
    """Of each quad, shape (N, 4, 2), its middle, the step from there to b's end, and its breadth, shape (3, N)."""
    return np.asarray((numbers_of(quads) @ _ACROSS).T)


def poses_of(quads: Points) -> Points:
    """The pose nearest to each quad, shape (N, 4)."""
    middle, along, across = axes_of(quads)
    poses = np.empty((len(quads), 4))
    poses[:, 0], poses[:, 1], poses[:, 2] = middle.real, middle.imag, np.angle(along)
    poses[:, 3] = (np.abs(along) + np.abs(across)) / 2
    return poses
