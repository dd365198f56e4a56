"""The recorder: frames around everything that happens, with what came in beside them, so that it can be run again.

Called from the scribe's thread alone. The last seconds of frames are held as they came; when something happens a clip
begins with them, and goes on until nothing has happened for a while and no hand is over the table. What is written
where stands in recording.py; the oldest clips go when the budget is spent.
"""

from __future__ import annotations

import errno
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from controller.clips import ClipFile, ClipStore, DiskFull, Frame
from controller.journal import Entry
from controller.recording import CLIPS, EVENTS, FORMAT, HEAD
from controller.replacing import replace_file

BEFORE_NS: Final = 3_000_000_000
AFTER_NS: Final = 2_000_000_000
LONGEST_NS: Final = 30_000_000_000
"""A hand that stays for ever makes no clip for ever."""
HELD_BYTES: Final = 170_000_000
"""Of frames as they came, however large the camera's are: sixty of 1280x720."""
RETRY_NS: Final = 5_000_000_000
"""After the disk has failed nothing is tried for so long."""


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
        """Why a clip could not be kept, until one has been kept to its end."""
        self._root = folder
        self._folder = folder / session
        self._head = head
        self._wall_ms_at_0 = wall_ms_at_0
        self._store = ClipStore(folder, budget_bytes)
        self._held: deque[tuple[Frame, bool]] = deque()  # and whether it was read
        self._held_bytes = 0
        self._scene: Frame | None = None
        self._clip: ClipFile | None = None
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

    def frame(self, frame: Frame, *, is_hand_in: bool, is_read: bool, rested: Frame | None, dropped: int) -> None:
        """A frame came, or came before, and what was still to be told of it.

        Args:
            frame: as the camera gave it.
            is_hand_in: whether a hand is over the table.
            is_read: whether the reader was given it.
            rested: the frame that shows the scene that it is told with it has come to rest, often an earlier one; None
                where none has. Something may be about to happen.
            dropped: frames that were left out so far, since the start.
        """
        self._now_ns = max(self._now_ns, frame.mono_ns)
        self._is_hand_in, self._dropped = is_hand_in, dropped
        if rested is not None:
            self._stir(frame.mono_ns)
        if not self._held or frame is not self._held[-1][0]:
            self._keep(frame, is_read=is_read)
        if rested is not None:
            self._scene = rested
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
            if self._clip is not None:
                self._clip, self.trouble = None, None  # one that has begun may still fail, again and again

    def _keep(self, frame: Frame, *, is_read: bool) -> None:
        """In the clip that is open, and for one that may be opened within the next seconds."""
        clip = self._clip
        if clip is not None:
            self._attempt(lambda: clip.keep(frame, is_read=is_read))
        self._held.append((frame, is_read))
        self._held_bytes += frame.bgr.nbytes
        while self._held and (self._held_bytes > HELD_BYTES or self._held[0][0].mono_ns < frame.mono_ns - BEFORE_NS):
            self._held_bytes -= self._held.popleft()[0].bgr.nbytes

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
        self._clip = clip = ClipFile(folder, self._store, self._now_ns, self._dropped)
        kept = None if scene is None else clip.write(scene, "scene", is_read=True)
        clip.note({"after": self._sequence, "wall_ms_at_0": self._wall_ms_at_0(), "scene": kept})
        for frame, is_read in self._held:
            # What was taken before that scene came to rest would show it come and go once more.
            if scene is None or frame.mono_ns > scene.mono_ns:
                clip.keep(frame, is_read=is_read)

    def _write_events(self) -> None:
        if not self._has_begun:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / EVENTS).touch()  # there may be none for long, and the head makes it a session
            replace_file(self._folder / HEAD, json.dumps({"format": FORMAT, **self._head}, indent=1).encode())
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
