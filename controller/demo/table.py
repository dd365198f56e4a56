"""The physical truth of the simulated table: which dominoes lie where and whose arm is over them, as a camera sees it.

No rule is known here, nothing is drawn here, and nothing that lies here is told to the program but through a picture.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, Protocol, TypeVar

from controller.demo.clock import TableClock
from controller.demo.gestures import Arm, Gesture, Piece, Point, Reach, turned
from controller.game.tiles import End, Seat, Tile

STRAIGHTENED_MM = 0.6  # how far a domino is pushed when somebody straightens it: less than the gap of a joint
STRAIGHTENED_DEG = 1.5
ZONE_MIDDLE: Point = (0.0, 385.0)  # of seat 0: its zone is 130 mm deep at the edge of a table of 900 mm
SWEEP: Point = (0.0, 120.0)  # where the hand of seat 0 meets the dominoes when the table is swept
SEEDS = 2**31

FrameT = TypeVar("FrameT")
EndName = Literal["L", "R"]


class Lies(Protocol):
    """Where a layout has put a domino."""

    @property
    def a(self) -> int:
        """One half."""

    @property
    def b(self) -> int:
        """The other half."""

    @property
    def x_mm(self) -> float:
        """Centre, to the picture's right of the table's centre."""

    @property
    def y_mm(self) -> float:
        """Centre, down the picture."""

    @property
    def angle_deg(self) -> float:
        """From a to b, clockwise as seen."""


class Layout(Protocol):
    """The way people lay one set's dominoes."""

    def first(self, left: int, right: int) -> Lies:
        """The first domino."""

    def add(self, end: EndName, inner: int, outer: int) -> Lies:
        """The next domino at an end."""

    def shown(self, seat: int, tiles: Sequence[tuple[int, int]]) -> Sequence[Lies]:
        """A hand laid open in front of a seat."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the camera has in front of it for one frame."""

    pieces: tuple[Piece, ...]
    arms: tuple[Arm, ...]
    is_dark: bool
    """The camera shows nothing but black."""
    mono_ns: int
    number: int


@dataclass(frozen=True, slots=True)
class _Laid:
    """A domino of the line, and the layout as it was before it."""

    piece: Piece
    before: Layout


class SimulatedTable(Generic[FrameT]):
    """A table that is also the camera above it: every `read` is one frame later than the one before.

    `read` belongs to the camera's thread, and everything that happens on the table happens inside it: the script is
    asked once a frame what it wants done. Only `close` may be called from elsewhere.

    Args:
        clock: The table's time.
        take: Takes the picture of a scene, whatever the rest of the program calls a frame.
        new_layout: A layout for a fresh set, from a seed.
        rng: The only source of chance.
    """

    def __init__(
        self,
        *,
        clock: TableClock,
        take: Callable[[Scene], FrameT],
        new_layout: Callable[[int], Layout],
        rng: random.Random,
    ) -> None:
        self.fault: Exception | None = None
        """What ended the camera's thread, for whoever waits for the demonstration."""
        self._clock = clock
        self._take = take
        self._new_layout = new_layout
        self._rng = rng
        self._layout = new_layout(rng.randrange(SEEDS))
        self._line: list[_Laid] = []
        self._shown: list[Piece] = []
        self._gesture: Gesture | None = None
        self._arms: tuple[Arm, ...] = ()
        self._dark_until_ns = 0
        self._number = 0
        self._is_closed = False
        self._step: Callable[[int], None] | None = None
        self._when_quiet: Callable[[], None] | None = None

    def attach(self, *, step: Callable[[int], None], when_quiet: Callable[[], None]) -> None:
        """Say who acts once a frame, and what to wait for before a frame where time moves by frames alone."""
        self._step = step
        self._when_quiet = when_quiet

    def read(self) -> FrameT:
        """The next frame, after everything that happens up to it."""
        try:
            return self._read()
        except Exception as fault:
            self.fault = fault
            raise

    def close(self) -> None:
        """Nothing happens on the table any more, and nobody sleeps; a second time does nothing."""
        self._is_closed = True
        self._clock.stop()

    # --- what hands do; one gesture at a time -----------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a hand is over the table."""
        return self._gesture is not None

    @property
    def is_empty(self) -> bool:
        """Whether no domino lies face up."""
        return not self._line and not self._shown

    @property
    def is_dark(self) -> bool:
        """Whether the camera shows nothing."""
        return self._clock.now_ns() < self._dark_until_ns

    def lay(self, seat: Seat, end: End, inner: int, outer: int) -> None:
        """`seat` lays a domino with `inner` to the joint; for the first one `inner` is the left half."""
        before = copy.deepcopy(self._layout)
        if end is End.FIRST:
            piece = _piece(self._layout.first(inner, outer))
        else:
            piece = _piece(self._layout.add("L" if end is End.L else "R", inner, outer))
        self._begin(
            (Reach(seat, piece.at, brings=piece),),
            lambda: self._line.append(_Laid(piece, before)),
        )

    def take_back(self, seat: Seat) -> None:
        """`seat` takes the domino laid last back into the hand."""
        last = self._line[-1]

        def touch() -> None:
            self._line.pop()
            self._layout = last.before
            # A layout has its own chance, which went back too: without a draw the domino would come to lie exactly as
            # before, and a doubtful look would stay doubtful.
            self._layout.shown(seat, [(last.piece.a, last.piece.b)])

        self._begin((Reach(seat, last.piece.at, takes=last.piece),), touch)

    def straighten(self, seat: Seat, tile: Tile | None) -> None:
        """`seat` pushes a domino of the line a little straighter; where it doesn't lie the hand only passes over."""
        index = next((i for i, laid in enumerate(self._line) if Tile.of(laid.piece.a, laid.piece.b) == tile), None)
        if index is None:
            self._begin((Reach(seat, (0.0, 0.0)),), lambda: None)
            return
        laid, rng = self._line[index], self._rng
        pushed = replace(
            laid.piece,
            x_mm=laid.piece.x_mm + rng.uniform(-STRAIGHTENED_MM, STRAIGHTENED_MM),
            y_mm=laid.piece.y_mm + rng.uniform(-STRAIGHTENED_MM, STRAIGHTENED_MM),
            angle_deg=laid.piece.angle_deg + rng.uniform(-STRAIGHTENED_DEG, STRAIGHTENED_DEG),
        )

        def touch() -> None:
            self._line[index] = replace(laid, piece=pushed)

        self._begin((Reach(seat, laid.piece.at),), touch)

    def show(self, hands: Sequence[Sequence[Tile]]) -> None:
        """Every seat lays its hand open in its zone, in place of what it showed before."""
        pieces = [
            _piece(lies)
            for seat, hand in enumerate(hands)
            if hand
            for lies in self._layout.shown(seat, [(tile.high, tile.low) for tile in hand])
        ]

        def touch() -> None:
            self._shown = pieces

        self._begin(tuple(Reach(seat, turned(ZONE_MIDDLE, seat)) for seat, hand in enumerate(hands) if hand), touch)

    def sweep(self) -> None:
        """All hands clear the table, and the next set is laid another way."""

        def touch() -> None:
            self._line, self._shown = [], []
            self._layout = self._new_layout(self._rng.randrange(SEEDS))

        self._begin(tuple(Reach(seat, turned(SWEEP, seat)) for seat in Seat), touch)

    def darken(self, until_ns: int) -> None:
        """The camera shows black until then."""
        self._dark_until_ns = until_ns

    # --- the camera -------------------------------------------------------------------------------

    def _read(self) -> FrameT:
        if self._clock.is_fast and self._when_quiet is not None and not self._is_closed:
            # Time moves by frames alone here: the program must have done with the last one, or its clocks would see
            # this frame's time before it has said what it made of the last.
            self._when_quiet()
        now_ns = self._clock.next_frame()
        if self._step is not None and not self._is_closed:
            self._step(now_ns)
        if self._gesture is not None:
            self._arms = self._gesture.advance()
            if not self._arms:
                self._gesture = None
        self._number += 1
        pieces = (*(laid.piece for laid in self._line), *self._shown)
        return self._take(Scene(pieces, self._arms, now_ns < self._dark_until_ns, now_ns, self._number))

    def _begin(self, reaches: tuple[Reach, ...], touch: Callable[[], None]) -> None:
        assert self._gesture is None, "one gesture at a time: the script waits while the table is busy"
        self._gesture = Gesture(reaches, touch)


def _piece(lies: Lies) -> Piece:
    return Piece(lies.a, lies.b, lies.x_mm, lies.y_mm, lies.angle_deg)
