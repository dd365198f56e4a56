"""Evidence: the table as it lay before and after each alert, as pictures that a referee finds by the event's number.

Called from the scribe's thread alone. `<sequence>-<event>-before.jpg` is the settled scene before the one that the
alert is about, `...-after.jpg` that one; the oldest go first when the budget is spent.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import cv2

from controller.clips import Scene
from controller.journal import Entry

QUALITY: Final = 95
SCENES: Final = 4
"""Settled scenes remembered: an alert is about the last or, when the loop is late, the one before it."""


class Stills:
    """The pictures of one table.

    Args:
        folder: made with the first picture.
        budget_bytes: how large all of them may be together.
    """

    def __init__(self, folder: Path, *, budget_bytes: int) -> None:
        self.trouble: str | None = None
        """Why the last picture was not kept, if so."""
        self._folder = folder
        self._budget_bytes = budget_bytes
        self._scenes: deque[Scene] = deque(maxlen=SCENES)

    def settled(self, scene: Scene) -> None:
        """The table has come to rest like this; told again after a better look it is still one scene."""
        if self._scenes and self._scenes[-1].rest_ns == scene.rest_ns:
            self._scenes.pop()
        self._scenes.append(scene)

    def alert(self, entry: Entry) -> None:
        """Keep what an alert is about: the scene that had come to rest when it arose, and the one before."""
        known = [scene for scene in self._scenes if scene.rest_ns <= entry.mono_ns][-2:]
        names = ("before", "after")[2 - len(known) :]
        try:
            for name, scene in zip(names, known, strict=True):
                self._write(f"{entry.sequence:08d}-{entry.type}-{name}.jpg", scene.frame.bgr)
        except OSError as error:
            self.trouble = f"stills: {self._folder} cannot be written: {(error.strerror or str(error)).lower()}"
        else:
            self.trouble = None

    def _write(self, name: str, bgr: Any) -> None:
        data = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))[1].tobytes()
        self._folder.mkdir(parents=True, exist_ok=True)
        _make_room(self._folder.glob("*.jpg"), self._budget_bytes - len(data))
        half = self._folder / f"{name}.part"
        try:
            half.write_bytes(data)
            half.replace(self._folder / name)
        except OSError:
            half.unlink(missing_ok=True)
            raise


def _make_room(files: Iterable[Path], budget_bytes: int) -> None:
    """Take the oldest files away until the others fit."""
    kept: list[tuple[float, str, int, Path]] = []
    for path in files:
        with contextlib.suppress(FileNotFoundError):
            stat = path.stat()
            kept.append((stat.st_mtime, path.name, stat.st_size, path))
    total = sum(size for _, _, size, _ in kept)
    for _, _, size, path in sorted(kept):
        if total <= budget_bytes:
            return
        path.unlink(missing_ok=True)
        total -= size
