"""Watches a table over time: when a hand is in, when all lies still again, and then, once, what lies there.

A pure state machine: it is fed frames and knows no clock but their stamps. What the dominoes mean is not its business.
Everything runs on a thumbnail of the frame; only where a scene has changed and settles is it read at full size.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.change import CELL, FINE_ROWS, GLANCE_ROWS, Before, Mask, Thumb, alike, cannot_see, changed, thumbnail
from vision.frame import Bgr, Frame, NotAFrame, checked
from vision.geometry import Table
from vision.part import Part, RestParams, areas_of, beyond_the_middle, parts_of
from vision.reach import Arm
from vision.reading import Point, Reading, is_doubtful
from vision.visits import HandSeen as HandSeen
from vision.visits import Visits

GLANCES: Final = 7
"""So many frames at most are only glanced at: what is too small for that is seen half a second later."""


@dataclass(frozen=True, slots=True)
class WatchParams:
    """How long things take."""

    again_ms: float = 300.0
    """So long a doubtful new domino is looked at again before it is told; and so often after that, while all rests."""
    looks: int = 8
    """So many times at most."""
    frozen_ms: float = 30_000.0
    """A picture the same to the last bit for so long is no live one: a sensor's noise is never twice the same."""
    rest: RestParams = field(default_factory=RestParams)


@dataclass(frozen=True, slots=True)
class Settled:
    """The scene has changed and lies still, with no hand in it."""

    reading: Reading
    rest_ns: int
    """Since when it lies still."""
    frame: Frame
    """The one in which it has lain so for long enough; it was read then, or while it still settled."""
    hand: HandSeen | None = None
    """Whose arm was in since the scene before; None when none was seen."""

    @property
    def frame_number(self) -> int:
        """Of that frame."""
        return self.frame.number


@dataclass(frozen=True, slots=True)
class HandIn:
    """An arm has come over the table."""

    mono_ns: int
    side: int
    """Where it comes from, a hint at whose it is: the table's seat where it is known, else as in `HandSeen`."""


@dataclass(frozen=True, slots=True)
class HandOut:
    """The last arm has left the table."""

    mono_ns: int


@dataclass(frozen=True, slots=True)
class CannotSee:
    """Frames come, but nothing can be seen in them."""

    mono_ns: int
    reason: str


@dataclass(frozen=True, slots=True)
class SeesAgain:
    """What could not be seen can be seen again."""

    mono_ns: int


Sight = Settled | HandIn | HandOut | CannotSee | SeesAgain


@dataclass(frozen=True, slots=True)
class _Known:
    """The table as last read."""

    thumb: Thumb
    fine: Thumb
    reading: Reading


class _Read(NamedTuple):
    """A frame that was read, perhaps before all had rested for long enough: where a rest goes on, that lies there."""

    frame: Frame
    thumb: Thumb
    reading: Reading


class Watcher:
    """Turns frames into sights.

    Where the table is known, hands count in its middle square only, and where the line grows out of it: players rest
    theirs in front of themselves, and that must not hold up the game. The rest of the seats' zones is watched on its
    own, for dominoes shown there.

        >>> watcher = Watcher(read=lambda bgr: Reading())
        >>> cloth = np.random.default_rng(1).integers(60, 120, (240, 320, 3), dtype=np.uint8)
        >>> [type(sight).__name__ for n in range(4) for sight in watcher.see(Frame(cloth, n * 250_000_000, n))]
        ['Settled']

    Args:
        read: reads a frame's picture; called only for a scene that differs from the one before, where it can be at half
            the time in which it settles, so that it is told as soon as it has.
        reread: reads it where it has changed since it was read before, and looks again at what is doubtful; None reads
            all of it each time.
        params: how long things take, and what counts as a change.
        table: where the table is; None watches the whole picture, and an arm is what comes in over its border.
    """

    def __init__(
        self,
        *,
        read: Callable[[Bgr], Reading],
        reread: Callable[[Bgr, Before], Reading] | None = None,
        params: WatchParams | None = None,
        table: Table | None = None,
    ) -> None:
        self._read = read
        self._reread = reread
        self._params = params or WatchParams()
        self._table = table
        self._shape: tuple[int, ...] | None = None
        self._parts: tuple[Part, ...] = ()
        self._beyond: tuple[Point, ...] = ()  # of the line, where it is watched out of the middle square
        self._glance: Thumb | None = None  # the newest
        self._looked: Thumb | None = None  # the glance at the frame last looked at closely
        self._glances = 0  # since then
        self._newest_ns: int | None = None
        self._alive_ns = 0  # since when the picture is the same to the last bit
        self._known: _Known | None = None
        self._ahead: _Read | None = None
        self._unsaved: _Read | None = None  # what is known from the next frame on
        self._latest: Settled | None = None
        self._is_told = False
        self._looks = 0  # at what is doubtful in it, since it was read
        self._visits = Visits()
        self._blind = False
        self.has_read = False
        """Whether the newest frame was read, all of it or in part; what that gave may be told with a later one."""

    def see(self, frame: Frame) -> tuple[Sight, ...]:
        """Take the next frame; an idle one costs a glance, and now and then a thumbnail and a comparison.

        One that is no later than the last is passed over: it came twice, or out of order.
        """
        self.has_read = False
        if self._newest_ns is not None and frame.mono_ns <= self._newest_ns:
            return ()
        self._save()
        try:
            glance = thumbnail(checked(frame.bgr, source=f"frame {frame.number}"), GLANCE_ROWS)
        except NotAFrame as problem:
            return self._lose_sight(frame, str(problem))
        reason = cannot_see(glance, self._params.rest.change) or self._frozen(glance, frame.mono_ns)
        self._glance, self._newest_ns = glance, frame.mono_ns
        if reason:
            return self._lose_sight(frame, reason)
        if self._is_idle(glance):
            return ()
        thumb = thumbnail(frame.bgr)
        again: tuple[Sight, ...] = (SeesAgain(frame.mono_ns),) if self._blind else ()
        self._blind = False
        if self._shape != frame.bgr.shape:
            self._shape, self._known = frame.bgr.shape, None
            self._parts, self._beyond = parts_of(thumb, frame.bgr, self._table, self._params.rest), ()
        known = None if self._known is None else self._known.thumb
        for part in self._parts:
            part.look(thumb, frame.mono_ns, known)
        line = self._parts[0]
        untold = () if line.judged else self._tell()  # something stirs: there will be no better look
        hands = self._hands(line.arms, frame.mono_ns)
        self._read_ahead(line, frame, thumb)
        told = (*again, *untold, *hands, *(self._judge(frame, thumb) if line.judged else ()))
        self._glances, self._looked = 0, glance
        return told

    def end(self) -> tuple[Sight, ...]:
        """What has been read and not told yet; for when no more frames come."""
        return self._tell()

    @property
    def scene(self) -> Thumb | None:
        """The table as it last lay still; None before it has."""
        return self._parts[0].scene if self._parts else None

    @property
    def rest_ns(self) -> int | None:
        """Since when all has been lying still; None while it has not lain so for long enough, or cannot be seen."""
        is_resting = bool(self._parts) and not self._blind and all(part.judged for part in self._parts)
        return max(part.rest_ns for part in self._parts) if is_resting else None

    def _hands(self, arms: tuple[Arm, ...], now_ns: int) -> tuple[Sight, ...]:
        """Note the arms that are in; tell when the first has come, and when the last has gone."""
        was = self._visits.is_in
        self._visits.take(arms)
        if arms and not was:
            return (HandIn(now_ns, arms[0].side),)
        return (HandOut(now_ns),) if was and not arms else ()

    def _judge(self, frame: Frame, thumb: Thumb) -> tuple[Sight, ...]:
        """Read what is new on a table that lies still, or look again at what was doubtful; tell it when it is sure."""
        news = [part for part in self._parts if part.news]
        for part in news:
            part.news = False
        ahead, self._ahead = self._ahead, None
        if news:
            rest_ns = max(part.rest_ns for part in news)
            return self._settle(frame, thumb, self._changed_since_read(thumb), rest_ns, ahead)
        fine = self._finely_changed(frame, thumb)
        if fine is not None and fine.any():
            return self._settle(frame, thumb, fine, self._parts[0].rest_ns)
        self._visits.forget()
        return self._look_again(frame, thumb)

    def _settle(
        self, frame: Frame, thumb: Thumb, where: Mask, rest_ns: int, read: _Read | None = None
    ) -> tuple[Sight, ...]:
        """Read what has changed there, unless it was `read` ahead and rests since; tell it when it is sure."""
        told = self._tell()
        before = self._before(where)
        if read is None or read.frame.mono_ns < max(part.rest_ns for part in self._parts):
            read = self._read_now(frame, thumb, before)
        reading = read.reading
        self._unsaved = read
        hand = self._visits.last(where)
        self._visits.forget()
        self._latest, self._is_told, self._looks = Settled(reading, rest_ns, frame, hand), False, 0
        known = before.reading.dominoes if before else ()
        new = [domino for domino in reading.dominoes if domino not in known]
        is_sure = self._reread is None or not any(map(is_doubtful, new))
        if is_sure:
            self._looks = self._params.looks
        return (*told, *self._tell()) if is_sure else told

    def _read_ahead(self, line: Part, frame: Frame, thumb: Thumb) -> None:
        """Read a line that seems to come to rest, once, before it has rested for long enough to be told."""
        is_settling = self._known is not None and line.is_clear and not line.judged
        is_read = self._ahead is not None and line.rest_ns <= self._ahead.frame.mono_ns
        if is_settling and not is_read and line.brings_news(thumb):
            self._ahead = self._read_now(frame, thumb, self._before(self._changed_since_read(thumb)))

    def _read_now(self, frame: Frame, thumb: Thumb, before: Before | None) -> _Read:
        self.has_read = True
        reading = self._read(frame.bgr) if self._reread is None or before is None else self._reread(frame.bgr, before)
        return _Read(frame, thumb, reading)

    def _save(self) -> None:
        """Know what was read last, and watch where its line leads: what could wait until it had been told."""
        if self._unsaved is not None:
            frame, thumb, reading = self._unsaved
            self._unsaved, self._known = None, _Known(thumb, thumbnail(frame.bgr, FINE_ROWS), reading)
            self._follow_line(frame, thumb, reading)

    def _follow_line(self, frame: Frame, thumb: Thumb, reading: Reading) -> None:
        """Where the line has come to a seat's zone the room for its next domino is watched as the middle is."""
        beyond = () if self._table is None else beyond_the_middle(reading, self._table)
        if self._table is None or beyond == self._beyond:
            return
        self._beyond = beyond
        for part, area in zip(self._parts, areas_of(thumb, frame.bgr, self._table, beyond), strict=True):
            part.watch(area)

    def _look_again(self, frame: Frame, thumb: Thumb) -> tuple[Sight, ...]:
        """Another look at what was doubtful; told when it is sure or time is up, and again when it proves otherwise."""
        latest, reread = self._latest, self._reread
        if latest is None or reread is None or not self._has_doubts():
            return ()
        since_ms = (frame.mono_ns - latest.frame.mono_ns) / 1e6
        if self._is_told and since_ms < (self._looks + 1) * self._params.again_ms:
            return ()
        self._looks += 1
        self.has_read = True
        reading = reread(frame.bgr, Before(latest.reading, np.zeros(thumb.grey.shape, np.uint8)))
        is_sure = not any(map(is_doubtful, reading.dominoes))
        if is_sure:
            self._looks = self._params.looks
        self._known = self._known and replace(self._known, reading=reading)
        self._latest = replace(latest, reading=reading)
        if self._is_told:
            self._is_told = not is_sure and _suits(reading) == _suits(latest.reading)
            return self._tell()
        return self._tell() if is_sure or since_ms >= self._params.again_ms else ()

    def _changed_since_read(self, thumb: Thumb) -> Mask:
        """Where the table has changed since it was read, shape (h, w); all of it if it never was.

        In the seats' zones too, though a hand may move there: what was shown under it may have gone with it.
        """
        was = self._known
        inside = [part.inside if was is None else part.changed_since(was.thumb, thumb) for part in self._parts]
        return np.asarray(np.bitwise_or.reduce(inside), np.uint8)

    def _finely_changed(self, frame: Frame, thumb: Thumb) -> Mask | None:
        """What arms have changed that a thumbnail is too small for, shape (2h, 2w); None when none was in."""
        been, known = self._visits.been, self._known
        if been is None or known is None or been.shape != tuple(n // CELL for n in thumb.grey.shape):
            return None
        fine = thumbnail(frame.bgr, FINE_ROWS)
        size = fine.grey.shape[::-1]
        inside = cv2.resize(been.astype(np.uint8) * np.uint8(255), size, interpolation=cv2.INTER_NEAREST)
        change = changed(known.fine, fine, np.asarray(inside, np.uint8), self._params.rest.change)
        return np.asarray(cv2.dilate(change, np.ones((5, 5), np.uint8)), np.uint8)

    def _before(self, where: Mask) -> Before | None:
        """What was read before, if most of the table is as it was."""
        is_other = cv2.countNonZero(where) > self._params.rest.change.upheaval * where.size
        return None if self._known is None or is_other else Before(self._known.reading, where, self._known.fine)

    def _tell(self) -> tuple[Sight, ...]:
        """The latest scene, if it has not been told."""
        if self._latest is None or self._is_told:
            return ()
        self._is_told = True
        return (self._latest,)

    def _is_idle(self, glance: Thumb) -> bool:
        """Whether all has been judged to rest and a glance says that it still does; it is not asked of every frame."""
        looked = self._looked
        if looked is None or looked.grey.shape != glance.grey.shape or self._glances >= GLANCES or self._blind:
            return False
        if not all(part.judged for part in self._parts) or self._has_doubts():
            return False
        self._glances += 1
        return alike(looked, glance, np.full(glance.grey.shape, 255, np.uint8), self._params.rest.change)

    def _has_doubts(self) -> bool:
        """Whether the latest scene is worth another look."""
        return self._reread is not None and self._latest is not None and self._looks < self._params.looks

    def _frozen(self, glance: Thumb, now_ns: int) -> str | None:
        """Why the picture is no live one; None when it may be."""
        was = self._glance
        if was is None or was.grey.shape != glance.grey.shape or cv2.norm(was.grey, glance.grey, cv2.NORM_INF) > 0:
            self._alive_ns = now_ns
        if (now_ns - self._alive_ns) / 1e6 < self._params.frozen_ms:
            return None
        seconds = self._params.frozen_ms / 1e3
        return f"the picture is frozen: not a bit of it has changed for {seconds:g} s; restart the camera"

    def _lose_sight(self, frame: Frame, reason: str) -> tuple[Sight, ...]:
        for part in self._parts:
            part.interrupt()
        was, self._blind = self._blind, True
        return self._tell() if was else (*self._tell(), CannotSee(frame.mono_ns, reason))


def _suits(reading: Reading) -> list[tuple[int | None, int | None]]:
    return [(domino.a.suit, domino.b.suit) for domino in reading.dominoes]
