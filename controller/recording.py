"""What a recording is on disk, in one place for who writes and who reads it; docs/technician.md shows the layout.

`DIR/<session>/session.json` says what is to be known beforehand, `events.jsonl` has every event of the journal, and
`clips/<number>/` a stretch of time with its frames and a `log.jsonl` of what happened in it beside what they show.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controller.codec import UnknownEvent, event_of
from controller.game import events as ev

FORMAT: Final = 1
HEAD, EVENTS, CLIPS, LOG = "session.json", "events.jsonl", "clips", "log.jsonl"


class RecordingError(ValueError):
    """A recording that cannot be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it was journalled."""

    sequence: int
    type: str
    body: dict[str, Any]

    def told(self) -> ev.Event:
        """The event itself. Raises: RecordingError."""
        try:
            return event_of(self.type, self.body)
        except UnknownEvent as error:
            raise RecordingError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame that was kept."""

    path: Path
    mono_ns: int
    number: int


@dataclass(frozen=True, slots=True)
class Input:
    """What came in beside the frames: a press, an order, the camera going and coming back."""

    mono_ns: int
    kind: str
    """press, order, blind or sighted."""
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of time."""

    folder: Path
    after: int
    """The sequence of the last event before it."""
    upto: int | None
    """Of the last in it; None where the recorder did not come to say so."""
    until_ns: int | None
    wall_ms_at_0: int
    """Wall time less monotonic time."""
    dropped: int
    scene: Picture | None
    """The scene that had settled last when it began."""
    pictures: tuple[Picture, ...]
    inputs: tuple[Input, ...]

    @property
    def name(self) -> str:
        """As a person finds it: session and clip."""
        return f"{self.folder.parent.parent.name}/{self.folder.name}"


@dataclass(frozen=True, slots=True)
class Session:
    """One run of the service."""

    folder: Path
    head: Mapping[str, Any]
    events: tuple[Event, ...]
    clips: tuple[Clip, ...]

    def during(self, clip: Clip) -> tuple[Event, ...]:
        """The events of a clip; one whose end is not known goes on to the next one's beginning."""
        upto = clip.upto
        if upto is None:
            later = [other.after for other in self.clips if other.folder.name > clip.folder.name]
            upto = later[0] if later else self.events[-1].sequence if self.events else 0
        return tuple(event for event in self.events if clip.after < event.sequence <= upto)


def sessions(folder: Path) -> tuple[Session, ...]:
    """The sessions of a recording, in order, or the one that `folder` is itself.

    Raises:
        RecordingError: it is no recording, or something in it is damaged or of a later version.
    """
    heads = [folder / HEAD] if (folder / HEAD).is_file() else sorted(folder.glob(f"*/{HEAD}"))
    if not heads:
        wanted = f"expected the folder that `gameline run --record` wrote, with <session>/{HEAD} in it"
        raise RecordingError(f"{wanted}, found none in {folder}: name another")
    found = tuple(_session(head.parent) for head in heads)
    if not any(session.clips for session in found):
        raise RecordingError(f"expected clips in {folder}, found none: nothing happened while it was recorded")
    return found


def _session(folder: Path) -> Session:
    try:
        head = json.loads((folder / HEAD).read_text(encoding="utf-8"))
        version = head["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(folder / HEAD, error) from error
    if version != FORMAT:
        raise RecordingError(f"expected a recording of format {FORMAT}, got {version} in {folder}: update Gameline")
    events = []
    for number, row in _rows(folder / EVENTS):
        try:
            events.append(Event(int(row["sequence"]), str(row["type"]), dict(row["body"])))
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(folder / EVENTS, error, number) from error
    logs = sorted(folder.glob(f"{CLIPS}/*/{LOG}"))
    return Session(folder, head, tuple(events), tuple(clip for log in logs if (clip := _clip(log)) is not None))


def _clip(log: Path) -> Clip | None:
    """The clip of a log; None where the power went before its first line."""
    head: dict[str, Any] | None = None
    end: dict[str, Any] = {}
    pictures, inputs = [], []
    number = 0
    try:
        for number, row in _rows(log):  # noqa: B007 - named where the line is damaged
            if head is None:
                head = {"after": int(row["after"]), "wall": int(row["wall_ms_at_0"]), "scene": row["scene"]}
            elif "file" in row:
                pictures.append(_picture(log.parent, row))
            elif "input" in row:
                inputs.append(Input(int(row["mono_ns"]), str(row["input"]), dict(row["fields"])))
            else:
                end = {"upto": int(row["upto"]), "until_ns": int(row["until_ns"]), "dropped": int(row["dropped"])}
        if head is None:
            return None
        scene = head["scene"] and _picture(log.parent, head["scene"])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, RecordingError):
            raise
        raise damaged(log, error, number) from error
    return Clip(
        folder=log.parent,
        after=head["after"],
        upto=end.get("upto"),
        until_ns=end.get("until_ns"),
        wall_ms_at_0=head["wall"],
        dropped=end.get("dropped", 0),
        scene=scene,
        pictures=tuple(sorted(pictures, key=lambda picture: picture.mono_ns)),
        inputs=tuple(sorted(inputs, key=lambda given: given.mono_ns)),
    )


def _picture(folder: Path, row: Mapping[str, Any]) -> Picture:
    return Picture(folder / Path(str(row["file"])).name, int(row["mono_ns"]), int(row["frame"]))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file with their numbers; a last one that breaks off was being written when the power went."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(path, error) from error
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not line.endswith("\n"):
            return
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise TypeError(f"expected an object, got {line.strip()[:40]!r}")
        except (ValueError, TypeError) as error:
            raise damaged(path, error, number) from error
        yield number, row


def damaged(path: Path, error: Exception, line: int = 0) -> RecordingError:
    """What to say of a recording of which this file, or this line of it, is not as it was written."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    if isinstance(error, KeyError):
        why = f"{why} is missing"
    where = f"{path}, line {line}" if line else str(path)
    return RecordingError(f"expected a whole recording, but {where} is damaged ({why}): take its folder out of it")
