"""What the technician sees of the watcher's work: four pictures and how things stand; drawn only when somebody asks.

The camera's thread hands over references, whoever looks pays for the drawing. Who looks, and how, is not known here.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cases import Case
from vision.change import ChangeParams, Thumb, changed, thumbnail
from vision.draw import LINE, draw
from vision.frame import Bgr, Frame
from vision.geometry import Table
from vision.reading import Domino, Reading
from vision.watch import CannotSee, HandIn, HandOut, SeesAgain, Settled, Sight, Watcher

Kind = Literal["raw", "table", "change", "dominoes"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

LONGEST_PX: Final = 1280
"""Longer side of a picture that is shown."""
QUALITY: Final = 80
TABLE_PX: Final = 900
"""Side of the rectified table: a millimetre a pixel on an ordinary one."""
REDRAW_S: Final = 0.15
"""A picture is drawn no sooner again, however many look and however often they ask."""
CHANGED: Final = (60, 60, 255)
"""Red (BGR), over what differs."""
OLD_MS: Final = 3000
"""A frame so old is none any more: the camera hangs, or the recording is over."""
MARGIN: Final = 2.0
"""Domino lengths shown round the dominoes that were read."""
ENLARGED: Final = 4.0
"""At most; more shows nothing more."""


@dataclass(frozen=True, slots=True)
class _Now:
    """The newest of everything, handed over as one value."""

    frame: Frame | None = None
    scene: Thumb | None = None
    """The table as it last lay still."""
    rest_ns: int | None = None
    """Since when it lies still."""
    hand: HandIn | None = None
    """The hand that is in."""
    blind: str | None = None
    """Why nothing can be seen."""
    lost: str | None = None
    """Why no frames come."""
    read: Settled | None = None


class View:
    """The pictures of one camera.

    Args:
        read: reads a picture, for a test case of a frame that nobody has read.
        table: where the table lies, if that is known.
        clock_ns: the monotonic clock of the frames.
    """

    def __init__(
        self, *, read: Callable[[Bgr], Reading], table: Table | None, clock_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self.read = read
        self.table = table
        self._clock_ns = clock_ns
        self._now = _Now()
        self._ails: dict[str, str] = {}
        self._drawing = threading.Lock()  # one picture at a time: looking must never take more than one core
        self._reading = threading.Lock()  # and one case, beside which pictures go on
        self._shown: dict[Kind, tuple[Frame, bytes, float]] = {}
        self._maps: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    # --- the camera's thread ---

    def look(self, frame: Frame, watcher: Watcher, sights: tuple[Sight, ...]) -> None:
        """Take note of a frame and what the watcher made of it."""
        now = self._now
        hand, blind, read = now.hand, now.blind, now.read
        for sight in sights:
            match sight:
                case HandIn() | HandOut():
                    hand = sight if isinstance(sight, HandIn) else None
                case CannotSee() | SeesAgain():
                    blind = sight.reason if isinstance(sight, CannotSee) else None
                case Settled():
                    read = sight
        self._now = _Now(frame, watcher.scene, watcher.rest_ns, hand, blind, None, read)

    def lose(self, reason: str) -> None:
        """Take note that the camera gives no frames."""
        self._now = replace(self._now, lost=reason)

    def ail(self, code: str, text: str | None) -> None:
        """Take note of what is wrong with the camera's picture; None: it no longer is."""
        others = {other: told for other, told in self._ails.items() if other != code}
        self._ails = others if text is None else {**others, code: text}

    # --- any thread ---

    def state(self) -> dict[str, Any]:
        """How things stand, as plain JSON values; the most doubtful domino first."""
        now = self._now
        age_ms = None if now.frame is None else (self._clock_ns() - now.frame.mono_ns) // 1_000_000
        standing, why = _standing(now, age_ms)
        dominoes = () if now.read is None else now.read.reading.dominoes
        told = [
            {"a": d.a.suit, "b": d.b.suit, "confidence": _sure(d)}
            for d in sorted(dominoes, key=lambda d: d.confidence * min(d.a.confidence, d.b.confidence))
        ]
        return {
            "frame": None if now.frame is None else now.frame.number,
            "age_ms": age_ms,
            "standing": standing,
            "why": why,
            "side": None if now.hand is None else now.hand.side,
            "still_ms": _still_ms(now),
            "read": None if now.read is None else now.read.frame_number,
            "table": self.table is not None,
            "ails": list(self._ails.values()),
            "dominoes": told,
        }

    def picture(self, kind: Kind) -> bytes | None:
        """A picture as JPEG; None while there is nothing to show, or no table is known to be shown straight.

        Blocks while another is being drawn. The same frame is drawn once.
        """
        with self._drawing:
            now = self._now
            read_frame = None if now.read is None else now.read.frame
            frame = read_frame if kind == "dominoes" else now.frame
            if frame is None or (kind == "table" and self.table is None):
                return None
            at_s = time.monotonic()
            if kind in self._shown:
                shown, jpeg, shown_s = self._shown[kind]
                if shown is frame or at_s - shown_s < REDRAW_S:
                    return jpeg
            jpeg = _jpeg(self._drawn(kind, frame, now))
            self._shown[kind] = (frame, jpeg, at_s)
            return jpeg

    def case(self, kind: Kind) -> Case | None:
        """The frame that was shown last as `kind`, as a test case; read now where the watcher did not read it.

        Blocks while another is being read.
        """
        with self._drawing:
            if kind not in self._shown:
                return None
            frame, read = self._shown[kind][0], self._now.read
        if read is not None and read.frame is frame:
            return Case(frame.bgr, read.reading, self.table)
        with self._reading:
            return Case(frame.bgr, self.read(frame.bgr), self.table)

    def _drawn(self, kind: Kind, frame: Frame, now: _Now) -> Bgr:
        if kind == "table":
            return self._straight(frame.bgr)
        if kind == "change":
            return _difference(frame.bgr, now.scene)
        if kind == "dominoes" and now.read is not None:
            return _dominoes(frame.bgr, now.read.reading)
        return frame.bgr

    def _straight(self, bgr: Bgr) -> Bgr:
        """The table seen straight from above, a square of TABLE_PX, with the border of the seats' zones."""
        table = self.table
        assert table is not None, "asked only where the table is known"
        if self._maps is None:
            steps = (np.arange(TABLE_PX) + 0.5) / TABLE_PX * table.side_mm - table.side_mm / 2
            places = table.to_px(np.stack(np.meshgrid(steps, steps), axis=-1)).astype(np.float32)
            self._maps = np.ascontiguousarray(places[..., 0]), np.ascontiguousarray(places[..., 1])
        flat = np.asarray(cv2.remap(bgr, *self._maps, cv2.INTER_LINEAR), np.uint8)
        edge = round(table.zone_mm / table.side_mm * TABLE_PX)
        cv2.rectangle(flat, (edge, edge), (TABLE_PX - edge, TABLE_PX - edge), LINE, 1, cv2.LINE_AA)
        middle = TABLE_PX // 2
        for seat, (x, y) in enumerate(((middle, TABLE_PX - 12), (12, middle), (middle, 26), (TABLE_PX - 28, middle))):
            cv2.putText(flat, str(seat), (x, y), cv2.FONT_HERSHEY_DUPLEX, 0.8, LINE, 1, cv2.LINE_AA)
        return flat


def _standing(now: _Now, age_ms: int | None) -> tuple[str, str]:
    """What the watcher thinks, in a word, and why."""
    if now.lost is None and age_ms is not None and age_ms > OLD_MS:
        return "lost", f"no new frame for {age_ms / 1000:.0f} s"
    if now.lost is not None:
        return "lost", now.lost
    if now.blind is not None:
        return "cannot_see", now.blind
    if now.hand is not None:
        return "hand_in", ""
    return "waiting" if now.rest_ns is None else "settled", ""


def _still_ms(now: _Now) -> int | None:
    """For how long everything lay still at the newest frame."""
    if now.frame is None or now.rest_ns is None:
        return None
    return max(0, now.frame.mono_ns - now.rest_ns) // 1_000_000


def _difference(bgr: Bgr, scene: Thumb | None) -> Bgr:
    """The frame in grey, in red what differs from the scene that last lay still."""
    thumb = thumbnail(bgr)
    shown = cv2.cvtColor(thumb.grey, cv2.COLOR_GRAY2BGR)
    if scene is not None and scene.grey.shape == thumb.grey.shape:
        everywhere = np.full(thumb.grey.shape, 255, np.uint8)
        shown[changed(scene, thumb, everywhere, ChangeParams()) > 0] = CHANGED
    return np.asarray(shown, np.uint8)


def _sure(domino: Domino) -> list[float]:
    """How sure each half is, and that a domino lies there at all."""
    return [round(domino.confidence * half.confidence, 4) for half in (domino.a, domino.b)]


def _dominoes(bgr: Bgr, reading: Reading) -> Bgr:
    """The part of the picture where dominoes lie, large enough to read on a phone, with what was read drawn in."""
    if not reading.dominoes:
        return bgr
    corners = np.array([domino.corners for domino in reading.dominoes])
    spare = MARGIN * float(np.linalg.norm(corners[0, 1] - corners[0, 2]))
    left, top = np.maximum(np.floor(corners.min(axis=(0, 1)) - spare), 0).astype(int)
    right, bottom = np.minimum(np.ceil(corners.max(axis=(0, 1)) + spare), bgr.shape[1::-1]).astype(int)
    factor = min(ENLARGED, max(1.0, LONGEST_PX / max(right - left, bottom - top)))
    part = cv2.resize(bgr[top:bottom, left:right], None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    moved = [_moved(domino, float(left), float(top), factor) for domino in reading.dominoes]
    return draw(np.asarray(part, np.uint8), replace(reading, dominoes=tuple(moved)), sureness=True)


def _moved(domino: Domino, left: float, top: float, factor: float) -> Domino:
    """The domino in a part of the picture that begins there and is so many times larger."""
    a, b, c, d = (((x - left + 0.5) * factor - 0.5, (y - top + 0.5) * factor - 0.5) for x, y in domino.corners)
    return replace(domino, corners=(a, b, c, d))


def _jpeg(bgr: Bgr) -> bytes:
    factor = LONGEST_PX / max(bgr.shape[:2])
    if factor < 1:
        bgr = np.asarray(cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    return cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))[1].tobytes()
