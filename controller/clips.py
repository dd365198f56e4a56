"""The clips of a recording as they are written, within budget and disk; when one begins or ends is not known here."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

import cv2

from controller.recording import CLIPS, LOG

JPEG: Final[tuple[int, ...]] = (cv2.IMWRITE_JPEG_QUALITY, 90)
"""For what the watcher only glances at. What was read is kept without any loss: at every quality up to 95 some
doubtful dominoes were read differently (docs/technician.md)."""
PNG: Final[tuple[int, ...]] = (
    cv2.IMWRITE_PNG_COMPRESSION,
    1,
    cv2.IMWRITE_PNG_STRATEGY,
    cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY,
)
"""The quickest that is smaller: half the time of the usual one, at no more bytes, on pictures with a sensor's noise."""
SPARE_BYTES: Final = 500_000_000
"""So much of the disk is left to the journal and everybody else."""


class Frame(Protocol):
    """A frame as the camera gave it."""

    @property
    def bgr(self) -> Any:
        """Shape (H, W, 3), uint8."""

    @property
    def mono_ns(self) -> int:
        """When it was taken."""

    @property
    def number(self) -> int:
        """Counts the frames of the camera."""


class Scene(Protocol):
    """The table as it came to rest once."""

    @property
    def frame(self) -> Frame:
        """The frame it was judged on, also where it is told later."""

    @property
    def rest_ns(self) -> int:
        """Since when it lay still; the same where it is told again after a better look."""


class DiskFull(OSError):
    """Nothing more may be written."""


class ClipFile:
    """A clip that is being written."""

    def __init__(self, folder: Path, store: ClipStore, opened_ns: int, dropped: int) -> None:
        self.opened_ns = opened_ns
        self._dropped_before = dropped
        self._count = 0
        self._folder = folder
        self._store = store
        self._log: TextIO = (folder / LOG).open("w", encoding="utf-8")

    def keep(self, frame: Frame, *, is_read: bool) -> None:
        """Keep a frame, and note it; without any loss where the reader was given it."""
        self._count += 1  # a camera that comes back counts its frames from 0 again
        self.note(self.write(frame, f"{self._count:06d}", is_read=is_read))

    def write(self, frame: Frame, stem: str, *, is_read: bool) -> dict[str, Any]:
        """Keep a picture; its row for the log."""
        ending, how = (".png", PNG) if is_read else (".jpg", JPEG)
        name = f"{stem}{ending}"
        data = cv2.imencode(ending, frame.bgr, how)[1].tobytes()
        self._store.take(self._folder, len(data))
        (self._folder / name).write_bytes(data)
        return {"file": name, "frame": frame.number, "mono_ns": frame.mono_ns}

    def note(self, row: Mapping[str, Any]) -> None:
        """One more line of the log."""
        text = json.dumps(row) + "\n"
        self._store.take(self._folder, len(text))
        self._log.write(text)
        self._log.flush()

    def close(self, upto: int, until_ns: int, dropped: int) -> None:
        """Say how far it goes."""
        try:
            self.note({"upto": upto, "until_ns": until_ns, "dropped": dropped - self._dropped_before})
        finally:
            self._log.close()

    def abandon(self) -> None:
        """Take it away where it cannot be written to its end: half a clip would miss events that its other half has."""
        with contextlib.suppress(OSError):
            self._log.close()
        self._store.remove(self._folder)


class ClipStore:
    """How large the clips are, of this session and those before it, and which has to go."""

    def __init__(self, root: Path, budget_bytes: int) -> None:
        self._root = root
        self._budget_bytes = budget_bytes
        self._sizes: dict[Path, int] = {}
        self._is_known = False
        self._total = 0
        self._unlooked_bytes = 0

    def add(self, clip: Path) -> None:
        """A clip begins; with the first one it is seen what is there from before."""
        if not self._is_known:
            before = sorted(self._root.glob(f"*/{CLIPS}/*"))
            self._sizes = {old: sum(file.stat().st_size for file in old.iterdir()) for old in before}
            self._total = sum(self._sizes.values())
            self._is_known = True
        self._sizes[clip] = 0

    def remove(self, clip: Path) -> None:
        """Take a clip away."""
        self._total -= self._sizes.pop(clip)
        shutil.rmtree(clip, ignore_errors=True)

    def take(self, clip: Path, size: int) -> None:
        """Make room for so many bytes more of this clip. Raises: DiskFull."""
        self._total += size
        self._sizes[clip] += size
        self._unlooked_bytes += size
        while self._total > self._budget_bytes and self._drop_oldest(clip):
            pass
        if self._total > self._budget_bytes:
            raise DiskFull(f"one clip alone is larger than the budget of {self._budget_bytes / 1e6:.0f} MB")
        if self._unlooked_bytes > SPARE_BYTES / 20 or self._sizes[clip] == size:
            self._unlooked_bytes = 0
            while shutil.disk_usage(self._root).free < SPARE_BYTES:
                if not self._drop_oldest(clip):
                    raise DiskFull(f"less than {SPARE_BYTES / 1e6:.0f} MB of the disk is free")

    def _drop_oldest(self, but: Path) -> bool:
        """Take the oldest clip away, and its session with its last; False where there is none but this one."""
        oldest = next((clip for clip in self._sizes if clip != but), None)
        if oldest is None:
            return False
        self.remove(oldest)
        session = oldest.parent.parent
        if session != but.parent.parent and not any(clip.parent.parent == session for clip in self._sizes):
            shutil.rmtree(session, ignore_errors=True)
        return True
