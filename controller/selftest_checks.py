"""What a self-test measures without a person, camera, board, clock, broker, disk: judged here, measured elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from controller.selftest_results import Result, Said

RATE_SHARE: Final = 0.8
"""A camera in dim light gives fewer frames than it was asked for; with fewer than this moves are seen late."""
RATES_FROM: Final = 5
"""Frames that a rate needs."""
FRAMES_KEPT: Final = 200
BRIGHTNESS: Final = (25.0, 230.0)
"""Median grey of the table, of 255. The reader reads darker pictures as well, but not once a shadow falls on them."""
GLARE_MOST: Final = 0.05
"""Share of the table that may be all white; a reflection as large as a domino is 0.002 of it."""
EDGE_SHARE: Final = 0.2
EDGE_LEAST_PX: Final = 3.0
"""An edge takes at most this share of a half, and is never better than a few pixels; reading fails at twice as much."""
SURE: Final = 0.9
ROUND_TRIP_MS: Final = 50.0
"""A press must show on a lamp within 50 ms, and a board looks every 20 ms."""
LOST_MOST: Final = 3
"""A board that starts anew when its port is opened says some things that are no frames."""
FREE_MB: Final = 200.0
"""A day of games is under 10 MB; the rest is for the system."""

Suits = tuple[int | None, int | None, float]


@dataclass(frozen=True, slots=True)
class Look:
    """One picture of the table, as it was measured."""

    at_ns: int
    width_px: int
    height_px: int
    brightness: float
    glare: float
    table_in_view: bool | None
    dominoes: tuple[Suits, ...]
    """Both suits, None where a half cannot be seen, and how sure that is; the surest first."""
    edge_px: float | None
    half_px: float | None


@dataclass(frozen=True, slots=True)
class CameraWanted:
    """The camera as it is configured."""

    name: str
    size: tuple[int, int]
    fps: float
    stale_s: float
    is_live: bool
    """False: a recording has a size and rate of its own, and an end."""


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """A seat board and the talk with it."""

    build: str
    """Empty: none has answered."""
    protocol: int
    our_protocol: int
    boot: int
    round_trip_ms: float | None
    damaged: int
    unanswered: int
    trouble: str | None
    """Why no seat of it works."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What needs neither a person nor time."""

    board: BoardSeen | None
    """None: the seats hang on the Pi's own pins."""
    is_clock_set: bool
    broker: str
    """Host and port."""
    broker_trouble: str | None
    disk: str
    """Where the journal lies."""
    disk_trouble: str | None
    free_mb: float | None
    """None: nobody knows."""
    journal_trouble: str | None = None
    """Why the journal that lies there is of no use, on a disk that is well as far as anybody can tell."""


class Tally:
    """The camera over the time of the test: its frames, why there are none, and the newest look."""

    def __init__(self) -> None:
        self.frames = 0
        self.look: Look | None = None
        self._stamps: deque[int] = deque(maxlen=FRAMES_KEPT)
        self._heard_ns = 0
        self._late_ns = 0

    def frame(self, at_ns: int, now_ns: int) -> None:
        """A frame came now that was taken at this time."""
        self.frames += 1
        self._stamps.append(at_ns)
        self._heard_ns, self._late_ns = now_ns, now_ns - at_ns

    def looked(self, look: Look, now_ns: int) -> None:
        """The table was looked at; no frame could come meanwhile, and that is no silence."""
        self.look = look
        self._heard_ns = now_ns

    def age_s(self, now_ns: int) -> float | None:
        """How old a frame is when it comes, or how long none has come, if that is longer; None: there is none."""
        return max(self._late_ns, now_ns - self._heard_ns) / 1e9 if self.frames else None

    @property
    def rate(self) -> float | None:
        """Frames a second, by the median time between two: while one is read the next may be left out."""
        stamps = list(self._stamps)
        steps = [after - before for before, after in pairwise(stamps) if after > before]
        return 1e9 / median(steps) if len(steps) + 1 >= RATES_FROM else None


def camera_results(
    wanted: CameraWanted, tally: Tally, *, trouble: str | None, domino: Said | None, now_ns: int
) -> Iterator[Result]:
    """What the camera is worth.

    Args:
        wanted: as it is configured.
        tally: what came of it.
        trouble: why it gives nothing, or nothing can be seen, as it says itself.
        domino: what the person said of the domino in the middle.
        now_ns: the end of the test.
    """
    yield _frames(wanted, tally, trouble, now_ns)
    if tally.frames == 0:
        return
    rate = tally.rate
    expected = f"{wanted.fps:g} a second" if wanted.is_live else "any rate: it is a recording"
    if rate is None:
        yield Result("camera, rate", expected, f"too few frames to say: {tally.frames}", None)
    else:
        is_good = not wanted.is_live or rate >= RATE_SHARE * wanted.fps
        cure = "give it more light, or ask for fewer frames or a smaller picture (camera.fps, camera.width_px)"
        yield _judged("camera, rate", expected, f"{rate:.1f} a second", is_good, cure)
    if tally.look is None:
        yield Result("camera, picture", "looked at", "not tested: no look was taken", None)
        return
    yield from _picture(wanted, tally.look)
    yield _domino(tally.look, domino)
    yield from _sharpness(tally.look)


def _frames(wanted: CameraWanted, tally: Tally, trouble: str | None, now_ns: int) -> Result:
    part, expected = "camera, frames", f"{wanted.name}: a frame younger than {wanted.stale_s:g} s"
    if not wanted.is_live and tally.frames:
        return Result(part, f"{wanted.name}: frames", f"{tally.frames} frames", True)
    age_s = tally.age_s(now_ns)
    if age_s is None:
        why = trouble or "it opens, but gives nothing"
        return Result(part, expected, "no frame at all", False, f"{why}; check its cable, its power and [camera]")
    came = f"{tally.frames} frames, the newest {age_s:.1f} s old"
    cure = trouble or "check its cable and power: it gave frames before"
    return _judged(part, expected, came, age_s <= wanted.stale_s, cure)


def _picture(wanted: CameraWanted, look: Look) -> Iterator[Result]:
    size = f"{look.width_px}x{look.height_px}"
    expected = f"{wanted.size[0]}x{wanted.size[1]}" if wanted.is_live else "any: it is a recording"
    is_good = not wanted.is_live or (look.width_px, look.height_px) == wanted.size
    yield _judged(
        "camera, frame size", expected, size, is_good, "set camera.width_px and camera.height_px to what it gives"
    )
    low, high = BRIGHTNESS
    is_good = low <= look.brightness <= high
    cure = "switch the lamp on, or take the cap off" if look.brightness < low else "less light, or a darker cloth"
    expected = f"the table's grey from {low:g} to {high:g}"
    yield _judged("camera, light", expected, f"{look.brightness:.0f} of 255", is_good, cure)
    cure = "move the lamp or the camera until nothing shines back, or draw a curtain"
    expected = f"at most {GLARE_MOST:.0%} of the table white"
    yield _judged("camera, glare", expected, f"{look.glare:.1%}", look.glare <= GLARE_MOST, cure)
    if look.table_in_view is not None:
        came = "in view" if look.table_in_view else "a corner lies outside the picture"
        cure = "turn or raise the camera and run gameline calibrate, or correct table.corners_px"
        yield _judged("camera, table", "all four corners in view", came, look.table_in_view, cure)


def _domino(look: Look, said: Said | None) -> Result:
    part, expected = "camera, domino", f"the domino laid, read with {SURE:.0%} or more"
    if not look.dominoes:
        if said is Said.RIGHT or said is Said.NOTHING:
            cure = "lay one domino, face up, by itself, in the middle; see to the light and the sharpness"
            return Result(part, expected, "no domino was seen", False, cure)
        return Result(part, expected, "not tested: no domino was laid", None, "test again with one domino at hand")
    a, b, sureness = look.dominoes[0]
    others = len(look.dominoes) - 1
    came = f"{_half(a)}-{_half(b)}, {_percent(sureness)} sure" + (f", and {others} more" if others else "")
    is_good = a is not None and b is not None and sureness >= SURE
    return _judged(part, expected, came, is_good, "see to the light and the sharpness; compare what lies there")


def _sharpness(look: Look) -> Iterator[Result]:
    if look.edge_px is None or look.half_px is None:
        return
    most = max(EDGE_LEAST_PX, EDGE_SHARE * look.half_px)
    came = f"{look.edge_px:.1f} pixels; a half has {look.half_px:.0f}"
    cure = "focus the lens on the table, and fix it there; keep the camera from shaking"
    yield _judged("camera, sharpness", f"edges of {most:.1f} pixels or less", came, look.edge_px <= most, cure)


def equipment_results(measured: Measured) -> Iterator[Result]:
    """Board, clock, broker and disk."""
    if measured.board is not None:
        yield from _board(measured.board)
    came = "set from the network" if measured.is_clock_set else "not set"
    cure = "connect the network, or see to systemd-timesyncd; thinking times are right all the same"
    yield _judged("clock", "set from the network", came, measured.is_clock_set, cure)
    trouble = measured.broker_trouble or ""
    came = "no connection" if trouble else "connected"
    yield _judged("broker", f"{measured.broker} answers", came, not trouble, trouble)
    yield _disk(measured)


def _disk(measured: Measured) -> Result:
    part, expected = "disk", f"{measured.disk} can be written, {FREE_MB:g} MB free"
    if measured.disk_trouble is not None:
        return Result(part, expected, "cannot be written", False, measured.disk_trouble)
    if measured.journal_trouble is not None:
        return Result(part, expected, "the journal there cannot be used", False, measured.journal_trouble)
    if measured.free_mb is None:
        return Result(part, expected, "nobody knows how much is free", False, "check that the folder is there")
    came = f"{measured.free_mb:.0f} MB free"
    return _judged(
        part, expected, came, measured.free_mb >= FREE_MB, "make room: journals of past games, pictures, logs"
    )


def _board(board: BoardSeen) -> Iterator[Result]:
    ours = board.our_protocol
    expected = f"seat firmware of protocol {ours}"
    if not board.build:
        yield Result("seat board", expected, "no answer", False, board.trouble or "check its cable and seats.port")
        return
    came = f"{board.build}, protocol {board.protocol}, boot {board.boot}"
    yield _judged("seat board", expected, came, board.trouble is None, board.trouble or "")
    if board.protocol != ours:
        return
    part, expected = "seat board, answers", f"within {ROUND_TRIP_MS:g} ms"
    if board.round_trip_ms is None:
        yield Result(part, expected, "not tested: the board is away", None)
    else:
        cure = "another program may keep the machine busy; take a USB port of the Pi itself, without a hub"
        is_good = board.round_trip_ms <= ROUND_TRIP_MS
        yield _judged(part, expected, f"after {board.round_trip_ms:.1f} ms", is_good, cure)
    lost = board.damaged + board.unanswered
    came = f"{board.damaged} damaged, {board.unanswered} unanswered"
    cure = "take a shorter or better cable, away from mains and lamp wires"
    yield _judged("seat board, line", f"at most {LOST_MOST} frames lost", came, lost <= LOST_MOST, cure)


def _judged(part: str, expected: str, came: str, passed: bool, cure: str) -> Result:
    return Result(part, expected, came, passed, "" if passed else cure)


def _half(suit: int | None) -> str:
    return "?" if suit is None else str(suit)


def _percent(share: float) -> str:
    """Rounded down: nobody is wholly sure."""
    return f"{min(int(1000 * share) / 10, 99.9):g} %"
