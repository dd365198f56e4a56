"""The recorder: frames around everything that happens, with what came in beside them, so that it can be run again.

Called from the scribe's thread alone. The last seconds of frames are held as they came; when something happens a clip
begins with them, and goes on until nothing has happened for a while and no hand is over the table. What is written
where stands in recording.py; the oldest clips go when the budget is spent.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

import cv2

from controller.journal import Entry
from controller.recording import CLIPS, EVENTS, FORMAT, HEAD, LOG

BEFORE_NS: Final = 3_000_000_000
AFTER_NS: Final = 2_000_000_000
LONGEST_NS: Final = 30_000_000_000
"""A hand that stays for ever makes no clip for ever."""
HELD_BYTES: Final = 170_000_000
"""Of frames as they came, however large the camera's are: sixty of 1280x720."""
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
RETRY_NS: Final = 5_000_000_000
"""After the disk has failed nothing is tried for so long."""


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


class DiskFull(OSError):
    """Nothing more may be written."""


class Recorder:
    """The recording of one run of the service.

    Args:
        folder: of all recordings of this table; the session gets a folder of its own in it.
        session: its name: later ones sort after earlier ones.
        head: what has to be known to run it again: the table, the rules, the camera's time limit.
        budget_bytes: how large all recordings in `folder` may be together.
        wall_ms_at_0: wall time less monotonic time, asked for each clip: the wall clock may be set meanwhile.
    """

    def __init__(
        self,
        folder: Path,
        *,
        session: str,
        head: Mapping[str, Any],
        budget_bytes: int,
        wall_ms_at_0: Callable[[], int],
    ) -> None:
        self.trouble: str | None = None
        """Why nothing is kept at the moment, if so."""
        self._root = folder
        self._folder = folder / session
        self._head = head
        self._wall_ms_at_0 = wall_ms_at_0
        self._store = _Store(folder, budget_bytes)
        self._held: deque[Frame] = deque()
        self._held_bytes = 0
        self._scene: Frame | None = None
        self._clip: _Clip | None = None
        self._clips = 0
        self._sequence = 0
        self._now_ns = 0
        self._until_ns = 0
        self._retry_ns = 0
        self._is_hand_in = False
        self._dropped = 0
        self._has_begun = False
        self._unwritten: list[Entry] = []

    def begin(self, entries: Iterable[Entry]) -> None:
        """Take note of what the journal had before; it is written with the first clip."""
        self._unwritten = list(entries)
        self._sequence = self._unwritten[-1].sequence if self._unwritten else 0

    def frame(self, frame: Frame, *, is_hand_in: bool, is_settled: bool, dropped: int) -> None:
        """A frame came.

        Args:
            frame: as the camera gave it.
            is_hand_in: whether a hand is over the table.
            is_settled: whether the scene has come to rest with it: something may be about to happen.
            dropped: frames that were left out so far, since the start.
        """
        self._now_ns = max(self._now_ns, frame.mono_ns)
        self._is_hand_in, self._dropped = is_hand_in, dropped
        if is_settled:
            self._stir(frame.mono_ns)
        clip = self._clip
        if clip is not None:
            self._attempt(lambda: clip.keep(frame, is_read=is_settled))
        self._held.append(frame)
        self._held_bytes += frame.bgr.nbytes
        while self._held and (self._held_bytes > HELD_BYTES or self._held[0].mono_ns < frame.mono_ns - BEFORE_NS):
            self._held_bytes -= self._held.popleft().bgr.nbytes
        if is_settled:
            self._scene = frame
        self.tick(frame.mono_ns)

    def given(self, mono_ns: int, kind: str, fields: Mapping[str, Any]) -> None:
        """Something came in beside the frames."""
        self._stir(mono_ns)
        clip = self._clip
        if clip is not None:
            self._attempt(lambda: clip.note({"input": kind, "mono_ns": mono_ns, "fields": fields}))

    def happened(self, entries: Sequence[Entry], mono_ns: int) -> None:
        """This was committed to the journal."""
        self._stir(mono_ns)
        self._unwritten += entries
        self._sequence = entries[-1].sequence
        if self._clip is not None:
            self._attempt(self._write_events)

    def tick(self, now_ns: int) -> None:
        """The clip ends when nothing has happened for a while."""
        self._now_ns = max(self._now_ns, now_ns)
        clip = self._clip
        if clip is None:
            return
        is_over = self._now_ns > self._until_ns and not self._is_hand_in
        # Never between a scene or a press and the events that follow from it at once.
        is_long = self._now_ns - clip.opened_ns > LONGEST_NS and self._now_ns > self._until_ns - AFTER_NS // 2
        if is_over or is_long:
            self.end()

    def end(self) -> None:
        """Close the clip, if one is open."""
        clip = self._clip
        if clip is not None:
            self._attempt(lambda: clip.close(self._sequence, self._now_ns, self._dropped))
            self._clip = None

    def _stir(self, mono_ns: int) -> None:
        """Something happens: a clip is open from now on, for a while."""
        self._now_ns = max(self._now_ns, mono_ns)
        self._until_ns = self._now_ns + AFTER_NS
        if self._clip is None and self._now_ns >= self._retry_ns:
            self._attempt(self._open)

    def _open(self) -> None:
        self._write_events()
        self._clips += 1
        folder = self._folder / CLIPS / f"{self._clips:06d}"
        self._store.add(folder)
        folder.mkdir(parents=True)
        scene = self._scene
        self._clip = clip = _Clip(folder, self._store, self._now_ns, self._dropped)
        kept = None if scene is None else clip.write(scene, "scene", is_read=True)
        clip.note({"after": self._sequence, "wall_ms_at_0": self._wall_ms_at_0(), "scene": kept})
        for frame in self._held:
            # What was taken before that scene came to rest would show it come and go once more.
            if scene is None or frame.mono_ns > scene.mono_ns:
                clip.keep(frame, is_read=False)

    def _write_events(self) -> None:
        if not self._has_begun:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / HEAD).write_text(json.dumps({"format": FORMAT, **self._head}, indent=1), encoding="utf-8")
            self._has_begun = True
        if not self._unwritten:
            return
        rows = (
            {"sequence": e.sequence, "mono_ns": e.mono_ns, "wall_utc": e.wall_utc, "type": e.type, "body": e.body}
            for e in self._unwritten
        )
        _append_whole(self._folder / EVENTS, "".join(json.dumps(row) + "\n" for row in rows).encode())
        self._unwritten = []

    def _attempt(self, write: Callable[[], None]) -> None:
        """Do it; a disk that will not take it is a sentence, and the clip is given up."""
        try:
            write()
        except OSError as error:
            why = str(error) if isinstance(error, DiskFull) else (error.strerror or str(error)).lower()
            self.trouble = f"recording: {self._root} cannot be written: {why}"
            self._retry_ns = self._now_ns + RETRY_NS
            if self._clip is not None:
                self._clip.abandon()
                self._clip = None
        else:
            if self._clip is not None:
                self.trouble = None


def _append_whole(path: Path, data: bytes) -> None:
    """All of it, or nothing: half a line in the middle would spoil the file."""
    with path.open("ab", buffering=0) as file:
        end = file.tell()
        try:
            if file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            file.truncate(end)
            raise


class _Clip:
    """A clip that is being written."""

    def __init__(self, folder: Path, store: _Store, opened_ns: int, dropped: int) -> None:
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


class _Store:
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
