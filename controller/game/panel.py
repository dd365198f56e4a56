"""`panel(state, now)`: every lamp's level and the buzzer, as a function of the state alone; nothing else lights a lamp.

Each seat has three LEDs, green, yellow, red, a bar for the thinking time: all lit, then yellow and red, then red alone,
the last five seconds pulsing, and all three flickering when it is over; yellow alone means that somebody has to show
dominoes or that the referee comes first. docs/lamps.md has the patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.game.clocks import NS_PER_S
from controller.game.events import Winner
from controller.game.state import AlertKind, Feedback, Halt, Phase, State
from controller.game.tiles import MonoNs, Seat

Leds = tuple[float, float, float]
"""Levels of green, yellow and red, 0 to 1."""

OFF: Leds = (0.0, 0.0, 0.0)
GREEN: Leds = (1.0, 0.0, 0.0)
YELLOW: Leds = (0.0, 1.0, 0.0)
RED: Leds = (0.0, 0.0, 1.0)
ALL: Leds = (1.0, 1.0, 1.0)

FEEDBACK_NS = 400_000_000
"""How long a lamp answers a press: long enough to be noticed, gone before the next player thinks."""
PULSE_NS = 5 * NS_PER_S
"""The last part of the thinking time, in which the red LED pulses."""

BUZZER_MS: dict[AlertKind, tuple[int, ...]] = {
    AlertKind.WRONG_DOMINO: (150, 100, 150, 100, 400),
    AlertKind.WRONG_PASS: (150, 100, 150, 100, 400),
    AlertKind.TIME: (250,),
    AlertKind.CALLED: (300, 150, 300),
    AlertKind.OUT_OF_SYNC: (80, 80, 80, 80, 80),
    AlertKind.SET_OVER: (500,),
    AlertKind.CAMERA: (80, 80, 80, 80, 80),
}
"""Phrases: milliseconds on, off, on, ... from the moment of the alert."""


@dataclass(frozen=True, slots=True)
class Panel:
    """What the table shows at one moment."""

    seats: tuple[Leds, Leds, Leds, Leds]
    referee: float
    buzzer: float


def panel(state: State, now: MonoNs) -> Panel:
    """All lamp levels and the buzzer's level (0 or 1) at `now`."""
    seats = [_seat(state, seat, now) for seat in Seat]
    return Panel((seats[0], seats[1], seats[2], seats[3]), _referee(state, now), _buzzer(state, now))


def _seat(state: State, seat: Seat, now: MonoNs) -> Leds:
    feedback = state.feedback
    if feedback is not None and feedback.seat is seat and 0 <= now - feedback.at < FEEDBACK_NS:
        return _answer(feedback, now)
    if state.phase is Phase.GAME_OVER:
        return GREEN if state.winner in (Winner(seat.pair.value), Winner.DRAW) else OFF
    if state.phase is Phase.COUNT or state.claim is seat:
        return _blink(YELLOW, now, on_ms=800, off_ms=800)  # dominoes have to be shown
    if state.phase is Phase.BETWEEN:
        return GREEN if seat is state.lead else OFF
    if state.phase is not Phase.PLAY:
        return OFF
    if state.halts - {Halt.PAUSED}:
        return _blink(YELLOW, now, on_ms=200, off_ms=800)
    if seat is not state.turn:
        return OFF
    return YELLOW if state.is_paused else _bar(state, now)


def _answer(feedback: Feedback, now: MonoNs) -> Leds:
    """A press that counted: one green flash; a press that counts for nothing: red, twice."""
    if feedback.refused is None:
        return GREEN
    return RED if ((now - feedback.at) // (FEEDBACK_NS // 4)) % 2 == 0 else OFF


def _bar(state: State, now: MonoNs) -> Leds:
    """The thinking time that is left, in thirds; past the limit everything flickers."""
    left_ns = state.clock.limit_ns - state.clock.elapsed_ns(now)
    if left_ns < 0:
        return _blink(ALL, now, on_ms=100, off_ms=100)
    if left_ns <= PULSE_NS:
        return _blink(RED, now, on_ms=250, off_ms=250)
    third_ns = state.clock.limit_ns // 3
    if left_ns > 2 * third_ns:
        return ALL
    return (0.0, 1.0, 1.0) if left_ns > third_ns else RED


def _referee(state: State, now: MonoNs) -> float:
    """Flashing while something new waits to be noticed, steady while the table waits for the referee."""
    if state.alert is not None:
        return _blink(RED, now, on_ms=300, off_ms=300)[2]
    is_somebody_due = state.phase is Phase.COUNT or state.claim is not None
    waits = state.told_findings or state.halts - {Halt.FINDING} or is_somebody_due
    return 1.0 if waits else 0.0


def _buzzer(state: State, now: MonoNs) -> float:
    """The alert's phrase from its moment on, then silence; acknowledged, the alert and its sound are gone."""
    if state.alert is None:
        return 0.0
    since_ms = (now - state.alert.at) // 1_000_000
    is_on = True
    for length_ms in BUZZER_MS[state.alert.kind]:
        if 0 <= since_ms < length_ms:
            return 1.0 if is_on else 0.0
        since_ms -= length_ms
        is_on = not is_on
    return 0.0


def _blink(leds: Leds, now: MonoNs, *, on_ms: int, off_ms: int) -> Leds:
    return leds if (now // 1_000_000) % (on_ms + off_ms) < on_ms else OFF
