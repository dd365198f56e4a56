"""What has changed between the events of a recording and those of its replay: the same, different, missing or new."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from controller.recording import Event

LEFT_OUT: Final = frozenset({"at", "think_ms", "elapsed_ms", "confidence", "stills"})
"""Of an event's body, wherever in it: times, of pictures too, hang on the machine's speed, confidences on JPEG."""
Kind = Literal["missing", "new", "different"]


@dataclass(frozen=True, slots=True)
class Change:
    """An event that did not come out as it was journalled."""

    clip: str
    kind: Kind
    was: Event | None
    now: Event | None

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        told = {"clip": self.clip, "kind": self.kind, "sequence": None if self.was is None else self.was.sequence}
        sides = {"was": self.was, "now": self.now}
        return {**told, **{name: event and {"type": event.type, **event.body} for name, event in sides.items()}}

    def text(self) -> str:
        """On one line, for a person."""
        if self.was is None or self.now is None:
            event = self.was or self.now
            assert event is not None, "one of both is there"
            number = f"event {event.sequence}, " if self.was is not None else ""
            return f"{self.clip}: {self.kind}: {number}{event.type} {_brief(event.body)}".rstrip()
        was, now = _brief(self.was.body, self.now.body), _brief(self.now.body, self.was.body)
        return f"{self.clip}: different: event {self.was.sequence}, {self.was.type}: was {was}, now {now}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole recording, run again."""

    clips: int
    same: int
    changes: tuple[Change, ...]
    dropped: int
    """Frames that the recorder had to leave out: a difference may come from them."""

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        kinds = {kind: sum(change.kind == kind for change in self.changes) for kind in ("different", "missing", "new")}
        changes = [change.as_dict() for change in self.changes]
        return {"clips": self.clips, "same": self.same, **kinds, "dropped_frames": self.dropped, "changes": changes}

    def text(self) -> str:
        """For a person: each change, then the sum."""
        told = self.as_dict()
        sums = ", ".join(f"{told[kind]} {kind}" for kind in ("same", "different", "missing", "new"))
        lost = f"; {self.dropped} frames were left out when it was recorded" if self.dropped else ""
        clips = "1 clip" if self.clips == 1 else f"{self.clips} clips"
        return "\n".join([*(change.text() for change in self.changes), f"{clips}: {sums}{lost}"])


def compare(clip: str, was: Sequence[Event], now: Sequence[Event]) -> tuple[int, list[Change]]:
    """How many events are the same, and what became of the others."""
    same, changes = 0, []
    matched = SequenceMatcher(None, [_essence(event) for event in was], [_essence(event) for event in now], False)
    for what, a, b, c, d in matched.get_opcodes():
        if what == "equal":
            same += b - a
            continue
        left = list(now[c:d])
        for event in was[a:b]:
            twin = next((other for other in left if other.type == event.type), None)
            changes.append(Change(clip, "missing" if twin is None else "different", event, twin))
            if twin is not None:
                left = left[left.index(twin) + 1 :]
        met = {id(change.now) for change in changes}
        changes += [Change(clip, "new", None, event) for event in now[c:d] if id(event) not in met]
    return same, changes


def _essence(event: Event) -> str:
    """What has to be the same."""
    return json.dumps([event.type, _lasting(event.body)], sort_keys=True)


def _lasting(value: Any) -> Any:
    """What stays of a body when all is left out that is not compared."""
    if isinstance(value, Mapping):
        return {name: _lasting(held) for name, held in value.items() if name not in LEFT_OUT}
    return [_lasting(held) for held in value] if isinstance(value, list) else value


def _brief(body: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> str:
    """The fields that say something, or of two bodies those that differ."""
    fields = (
        (name, value)
        for name, value in _lasting(body).items()
        if value is not None and (other is None or _lasting(other.get(name)) != value)
    )
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in fields)
