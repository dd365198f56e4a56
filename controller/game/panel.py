"""`panel(state)`: every lamp's sign and the buzzer's phrase, as a function of the state alone; nothing else says one.

A sign says what a lamp means and since when; how it looks at a moment on which kind of lamp is not known here, so that
whoever has the lamps goes on by himself, however busy the program is. docs/lamps.md has the signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from controller.game.clocks import NS_PER_MS
from controller.game.events import Winner
from controller.game.state import AlertKind, Halt, Phase, State
from controller.game.tiles import MonoNs, Seat


class Sign(IntEnum):
    """What a lamp says; the numbers are those of whoever draws it."""

    OFF = 0
    TURN = 1
    """This seat is on turn: the thinking time left."""
    PAUSED = 2
    WAITING = 3
    """The referee comes first."""
    OUT_OF_SYNC = 4
    SHOW = 5
    """Show your dominoes."""
    LEADS = 6
    SET_OVER = 7
    WON = 8
    COUNTED = 9
    """A flash: the press counted."""
    REFUSED = 10
    """A flash: the press counts for nothing."""
    NEWS = 13
    """On the referee's lamp: something new waits to be noticed."""
    DUE = 14
    """On the referee's lamp: the table waits for him."""


class Phrase(IntEnum):
    """What the buzzer says once, from a moment on."""

    SILENT = 0
    ILLEGAL = 1
    TIME = 2
    CALLED = 3
    SET_OVER = 4
    LOOK = 5
    """Something is wrong with what can be seen."""


PHRASES: dict[AlertKind, Phrase] = {
    AlertKind.WRONG_DOMINO: Phrase.ILLEGAL,
    AlertKind.WRONG_PASS: Phrase.ILLEGAL,
    AlertKind.TIME: Phrase.TIME,
    AlertKind.CALLED: Phrase.CALLED,
    AlertKind.OUT_OF_SYNC: Phrase.LOOK,
    AlertKind.SET_OVER: Phrase.SET_OVER,
    AlertKind.CAMERA: Phrase.LOOK,
}


class Lamp(NamedTuple):
    """A seat's sign."""

    sign: Sign
    since: MonoNs = MonoNs(0)
    """For TURN: the moment at which thinking would have begun had it never been interrupted."""
    limit_ms: int = 0
    """For TURN: the time given."""


class Flash(NamedTuple):
    """A flash over a seat's sign, for the press of its button."""

    seat: Seat
    sign: Sign
    at: MonoNs
    """Of the press; the flash begins when it is first shown."""


class Sound(NamedTuple):
    """A phrase and the moment it begins."""

    phrase: Phrase = Phrase.SILENT
    at: MonoNs = MonoNs(0)


@dataclass(frozen=True, slots=True)
class Panel:
    """What the table says."""

    seats: tuple[Lamp, Lamp, Lamp, Lamp]
    answer: Flash | None
    referee: Sign
    sound: Sound


def panel(state: State) -> Panel:
    """All signs and the phrase; the same until the state changes, whatever the time."""
    seats = [_seat(state, seat) for seat in Seat]
    return Panel((seats[0], seats[1], seats[2], seats[3]), _answer(state), _referee(state), _sound(state))


def _seat(state: State, seat: Seat) -> Lamp:
    if state.phase is Phase.GAME_OVER:
        return Lamp(Sign.WON if state.winner in (Winner(seat.pair.value), Winner.DRAW) else Sign.OFF)
    if state.claim is seat:
        return Lamp(Sign.SHOW)
    if state.phase is Phase.COUNT:
        return Lamp(Sign.SHOW if state.tiles_left(seat) else Sign.SET_OVER)
    if state.phase is Phase.BETWEEN:
        return Lamp(Sign.LEADS if seat is state.lead else Sign.SET_OVER if state.results else Sign.OFF)
    return _playing(state, seat) if state.phase is Phase.PLAY else Lamp(Sign.OFF)


def _playing(state: State, seat: Seat) -> Lamp:
    """A sign while a set is in progress."""
    if state.halts - {Halt.PAUSED}:
        return Lamp(Sign.OUT_OF_SYNC if Halt.OUT_OF_SYNC in state.halts else Sign.WAITING)
    if seat is not state.turn:
        return Lamp(Sign.OFF)
    clock = state.clock
    if clock.since is None:
        return Lamp(Sign.PAUSED)
    return Lamp(Sign.TURN, MonoNs(clock.since - clock.banked_ns), clock.limit_ns // NS_PER_MS)


def _answer(state: State) -> Flash | None:
    """The last press; whoever shows it ends the flash."""
    feedback = state.feedback
    if feedback is None:
        return None
    return Flash(feedback.seat, Sign.COUNTED if feedback.refused is None else Sign.REFUSED, feedback.at)


def _referee(state: State) -> Sign:
    """News until he has noticed, then whether the table waits for him."""
    if state.alert is not None:
        return Sign.NEWS
    is_somebody_due = state.phase is Phase.COUNT or state.claim is not None
    waits = state.told_findings or state.halts - {Halt.FINDING} or is_somebody_due
    return Sign.DUE if waits else Sign.OFF


def _sound(state: State) -> Sound:
    """The alert's phrase; acknowledged, the alert and its sound are gone, muted, the sound alone."""
    if state.alert is None or state.mute is not None:
        return Sound()
    return Sound(PHRASES[state.alert.kind], state.alert.at)
