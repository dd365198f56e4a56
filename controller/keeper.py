"""What is kept beside the journal, stills of alerts and recordings, handed to the one scribe; nothing is written here.

The camera's thread brings frames, the loop's thread events, presses and orders; both only put them into the scribe's
hands, in the order they happened.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from controller.clips import Frame, Scene
from controller.config import Config
from controller.faults import Trouble
from controller.inbox import PressLike
from controller.journal import Entry
from controller.machine import VERSION
from controller.mqtt import CommandMessage
from controller.recorder import Recorder
from controller.scribe import Scribe
from controller.stills import Stills


@dataclass(frozen=True, slots=True)
class RecordTo:
    """Where a recording goes, and how large it may become."""

    folder: Path
    budget_bytes: int


class Keeper:
    """Keeps what happens at one table.

    Args:
        stills: keeps the scenes of alerts.
        recorder: keeps frames around everything that happens; None where nothing is recorded.
        clock_ns: the service's monotonic clock.
        logger: told of faults.
    """

    def __init__(
        self, *, stills: Stills, recorder: Recorder | None, clock_ns: Callable[[], int], logger: logging.Logger
    ) -> None:
        self._stills = stills
        self._recorder = recorder
        self._clock_ns = clock_ns
        self._blind: str | None = None
        self._scribe = Scribe(logger=logger)
        if recorder is not None:
            self._scribe.every_tick(lambda: recorder.tick(clock_ns()))

    def troubles(self) -> tuple[Trouble, ...]:
        """Why something is not kept, if so."""
        parts = (("stills_not_kept", self._stills), ("recording_not_kept", self._recorder))
        return tuple(Trouble(code, part.trouble) for code, part in parts if part is not None and part.trouble)

    @property
    def is_idle(self) -> bool:
        """Whether everything that came has been kept."""
        return self._scribe.is_idle

    def begin(self, entries: Iterable[Entry]) -> None:
        """Start, with what the journal has already."""
        if self._recorder is not None:
            self._recorder.begin(entries)
        self._scribe.start()

    def close(self) -> None:
        """Write what waits and end; twice is safe."""
        if self._recorder is not None:
            self._scribe.put(self._recorder.end)
        self._scribe.close()

    # --- any thread ---

    def aside(self, do: Callable[[], None]) -> None:
        """Have the scribe do something else that is slow, after what waits; never blocks."""
        self._scribe.put(do)

    # --- the camera's thread ---

    def look(self, frame: Frame, *, is_hand_in: bool, is_read: bool, scenes: Sequence[Scene]) -> None:
        """A frame came, the watcher read it or did not, and told with it of these scenes that have come to rest."""
        for scene in scenes:
            self._scribe.put(lambda scene=scene: self._stills.settled(scene))  # type: ignore[misc]
        recorder = self._recorder
        if recorder is not None:
            dropped, rested = self._scribe.dropped, scenes[-1].frame if scenes else None
            self._scribe.put(
                lambda: recorder.frame(frame, is_hand_in=is_hand_in, is_read=is_read, rested=rested, dropped=dropped),
                size=0 if is_read or scenes else frame.bgr.nbytes,
            )

    def blind(self, missing: str, reason: str | None) -> None:
        """The camera gives no frames, for this reason, or gives them again; kept once however often it is told."""
        if reason == self._blind:
            return
        self._blind = reason
        self._given(self._clock_ns(), "sighted" if reason is None else "blind", {"missing": missing, "reason": reason})

    # --- the loop's thread ---

    def pressed(self, press: PressLike) -> None:
        """A button was pressed."""
        self._given(press.at_ns, "press", {"button": press.button, "held_ms": press.held_ms})

    def ordered(self, message: CommandMessage) -> None:
        """An order came."""
        payload = message.payload.decode("utf-8", "replace")
        order = {"name": message.name, "payload": payload, "retained": message.retained, "account": message.account}
        self._given(message.mono_ns, "order", order)

    def happened(self, entries: Sequence[Entry], alerts: Sequence[Entry]) -> None:
        """This was committed to the journal."""
        now_ns, recorder = self._clock_ns(), self._recorder
        if recorder is not None:
            self._scribe.put(lambda: recorder.happened(entries, now_ns))
        for alert in alerts:
            self._scribe.put(lambda alert=alert: self._stills.alert(alert))  # type: ignore[misc]

    def _given(self, mono_ns: int, kind: str, fields: dict[str, Any]) -> None:
        recorder = self._recorder
        if recorder is not None:
            self._scribe.put(lambda: recorder.given(mono_ns, kind, fields))


def keeper_of(
    config: Config,
    table: Mapping[str, Any] | None,
    record: RecordTo | None,
    boot_id: str,
    *,
    clock_ns: Callable[[], int],
    logger: logging.Logger,
) -> Keeper:
    """Stills of alerts in any case, frames around everything that happens where they are asked for.

    Args:
        config: of the service.
        table: where the table lies, as plain JSON values; None where nobody knows.
        record: where frames go; None keeps none.
        boot_id: of this run.
        clock_ns: the service's monotonic clock.
        logger: told of troubles and faults.
    """
    path = config.stills.path
    folder = Path(config.journal.path).parent / "stills" if path is None else Path(path)
    stills = Stills(folder, budget_bytes=config.stills.budget_mb * 1_000_000)
    recorder = None
    if record is not None:
        recorder = Recorder(
            record.folder,
            session=f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{boot_id[:8]}",
            head={
                "version": VERSION,
                "name": config.table.name,
                "table": table,
                "stale_s": config.camera.stale_s,
                "rules": msgspec.to_builtins(config.game),
                "accounts": msgspec.to_builtins(config.broker.accounts),
            },
            budget_bytes=record.budget_bytes,
            wall_ms_at_0=lambda: (time.time_ns() - clock_ns()) // 1_000_000,
        )
    return Keeper(stills=stills, recorder=recorder, clock_ns=clock_ns, logger=logger)
