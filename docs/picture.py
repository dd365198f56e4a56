"""Makes docs/table.jpg for the README: the demonstration's table as the camera sees it, and what the reader saw in it.

Run: python docs/picture.py
"""

from pathlib import Path

import cv2
import numpy as np

from vision.draw import draw
from vision.layout import LineLayout
from vision.look import Look
from vision.reader import read
from vision.render import Backdrop, Reaching
from vision.rig import Rig

OUT = Path(__file__).with_name("table.jpg")
SIZE_PX = (1440, 1080)
WIDTH_PX = 1400
ROWS, COLUMNS = slice(190, 690), slice(290, 1130)
"""The part of the picture with the line in it."""
MOVES = ((6, 4), (4, 4), (4, 1), (1, 5), (5, 5), (5, 2), (2, 3), (3, 3), (3, 6), (6, 6), (6, 5))
LEFT_MOVES = ((6, 1), (1, 1), (1, 2), (2, 2), (2, 0))
QUALITY = 82


def main() -> None:
    """Lay a line, photograph it with a hand over it and without, read it, and put the two side by side."""
    rig = Rig(*SIZE_PX, tilt_deg=2.0, k1=-0.03)
    backdrop, layout = Backdrop(rig, Look(), np.random.default_rng(4)), LineLayout(np.random.default_rng(12))
    layout.first(*MOVES[0])
    for inner, outer in MOVES[1:]:
        layout.add("R", inner, outer)
    for inner, outer in LEFT_MOVES:
        layout.add("L", inner, outer)
    backdrop.lay(layout.lying)
    still = backdrop.picture().bgr
    new = layout.add("R", 5, 4)
    with_hand = backdrop.picture([Reaching(3, new.x_mm + 55, new.y_mm - 20, new)]).bgr
    seen = draw(still, read(still, table=rig.table()))
    pair = np.hstack([np.asarray(picture)[ROWS, COLUMNS] for picture in (with_hand, seen)])
    scale = WIDTH_PX / pair.shape[1]
    small = cv2.resize(pair, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(OUT), small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
