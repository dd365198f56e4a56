"""The guided self-test as a script: time, presses and faults in; signs, one sentence and results out; no I/O or clock.

One person goes round the table. A short press says "it is right" and goes on to the next part by itself; holding the
button says "it is wrong". Both prove the button. What does not come in time has failed, and the test goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controller.faults import Faults, told
from controller.selftest_results import (
    ACKNOWLEDGE,
    BOARD,
    HOLD_S,
    PHRASES,
    PLACES,
    Facts,
    Fault,
    Heard,
    Result,
    Said,
    owner,
    results_of,
)

_S: Final = 1_000_000_000

DARK, STEADY, COUNTED, REFUSED, SELF_TEST, NEWS = 0, 2, 9, 10, 12, 13
"""Signs by their numbers in docs/lamps.md; STEADY is yellow, and means a pause in a game."""

PHRASE_EVERY_S: Final = 1.5
"""Every phrase is over within a second, and a pause tells it from the next."""

ROUND_S: Final = 2.5
"""A lamp has shown everything once; who presses earlier cannot have seen it all."""
ANSWER_S: Final = 15.0
"""Time to walk round a corner of the table and look; with nobody there the test is over in two minutes all the same."""
BOARD_S: Final = 10.0
"""A board that starts anew when its port is opened answers after two or three seconds."""
LOOK_S: Final = 10.0
"""A frame is read within a second; a machine that is busy otherwise has time as well."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a referee wants of the self-test."""

    by: str
    is_end: bool = False
    """To end the one that is running."""
    with_sound: bool = False
    """The buzzer may sound in its quiet hours."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What is to be seen, heard and said at a moment."""

    step: int
    """From 1."""
    steps: int
    say: str
    """What the person is to do, in one sentence or two."""
    seconds_left: int
    """Until this step fails."""
    seats: tuple[tuple[int, int, int], ...]
    """Of each seat its sign, since when (ns), and the time given (ms), as all seats take them."""
    answer: tuple[int, int, int] | None
    referee: int
    sound: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing that a person is asked for."""

    name: str
    say: str
    limit_s: float
    button: int | None = None
    """The only one that answers; None: any."""
    watch_s: float = 0.0
    """An answer before that is too early."""


WRONG = "wrong? Hold the button for 2 seconds."
SEATS = tuple(
    _Step(
        f"seat {seat}",
        f"Seat {seat}: watch its lamp go {{lamp}}, then press its button. Lamp {WRONG}",
        ANSWER_S,
        seat,
        ROUND_S,
    )
    for seat in range(4)
)
_MEET = _Step("board", "Waiting for the seat board to answer.", BOARD_S)
_REFEREE = _Step(
    "referee",
    f"Referee: watch the lamp flash, then press the acknowledge button. Lamp {WRONG}",
    ANSWER_S,
    ACKNOWLEDGE,
    1.0,
)
_BUZZER_S = PHRASE_EVERY_S * (len(PHRASES) - 1) + 0.4
_BUZZER = _Step(
    "buzzer",
    "Buzzer: count the five phrases, then press any button. Fewer, or silent? Hold any for 2 seconds.",
    _BUZZER_S + ANSWER_S - 3,
    None,
    _BUZZER_S,
)
_DOMINO = _Step(
    "domino",
    "Camera: lay one domino face up in the middle, take your hand away, press any button. No domino? Hold any for 2 "
    "seconds.",
    ANSWER_S,
)
_LOOK = _Step("look", "Camera: looking at the table.", LOOK_S)
NAMES = (*PLACES[:4], "hold", "referee", "buzzer", "domino", "look")
"""The steps as they are counted; waiting for a board is part of the first."""

LAMPS = {
    "leds": "green, yellow, red, all, dark",
    "rgb": "green, yellow, red, white, dark",
    "pixels": "green, yellow, red, white, dark",
    "pwm": "on and off",
}
"""What a seat's lamp shows under test, by its kind."""

TAKE_AWAY: Final = "Take the domino away: it would be taken for the first move of the next game."


class Script:
    """The self-test from its start; tell it of presses, ask it in `advance` what to show.

    Args:
        began_ns: the time of the start.
        lamps: what each seat's lamp shows, values of `LAMPS`; a board that answers later says it anew by `hang`.
        with_buzzer: whether the buzzer may sound.
    """

    def __init__(self, began_ns: int, *, lamps: Sequence[str] = (LAMPS["leds"],) * 4, with_buzzer: bool = True) -> None:
        self.is_over = False
        self.stopped: str | None = None
        """Why it was ended before its end."""
        self._facts = Facts(tuple(lamps), ANSWER_S, with_buzzer, {name: Heard() for name in NAMES})
        self._place = -1  # in NAMES; -1: waiting for the board
        self._step = _MEET
        self._since_ns = began_ns
        self._remark = ""
        self._answer: tuple[int, int, int] | None = None
        self._has_frames = True
        self._noise_before: Mapping[str, int] | None = None

    @property
    def wants_look(self) -> bool:
        """Whether a look at the table is waited for now; `looked` says that it has been."""
        return self._step is _LOOK and not self.is_over

    @property
    def domino(self) -> Said | None:
        """RIGHT: the person laid a domino; WRONG: there is none at hand; None: not asked."""
        return self._facts.heard["domino"].said

    @property
    def last_word(self) -> str:
        """What is left to do for the person when it is over; empty where there is nothing.

        Who did not answer may have laid the domino all the same, and so may who is still being asked for it.
        """
        may_lie = self._step is _DOMINO or self.domino in (Said.RIGHT, Said.NOTHING)
        return TAKE_AWAY if may_lie else ""

    def results(self) -> tuple[Result, ...]:
        """Every part that a person is asked for, as it stands now."""
        self._facts.is_over = self.is_over
        return results_of(self._facts)

    # --- what happens ---

    def hang(self, lamps: Sequence[str]) -> None:
        """What each seat's lamp shows, as it is known now."""
        self._facts.lamps = tuple(lamps)

    def press(self, button: int, held_ms: int, at_ns: int, now_ns: int) -> None:
        """A button was pressed shortly (0), or has been held for so long.

        Args:
            button: 0 to 3 the seat, 4 acknowledge.
            held_ms: 0, 1500 or 3000; only the first and second mean something here.
            at_ns: when it went down, or reached the hold.
            now_ns: when that is told; its answer and the next step begin now.
        """
        if self.is_over or held_ms > 1000 * HOLD_S or self._step in (_MEET, _LOOK):
            return
        down_ns = at_ns - held_ms * 1_000_000
        if self._step.button not in (None, button):
            self._facts.heard[self._step.name].instead = button
            self._refuse(button, now_ns, f"That was the button of {owner(button)}.")
            return
        self._facts.heard[PLACES[button]].is_short |= held_ms == 0
        if down_ns - self._since_ns < self._step.watch_s * _S:
            self._refuse(button, now_ns, "Too early: wait until you have seen or heard it all.")
        elif self._step.name == "hold" and held_ms == 0:
            self._refuse(button, now_ns, "That was short.")
        else:
            is_right = held_ms == 0 or self._step.name == "hold"
            self._flash(button, COUNTED, now_ns)
            self._end_step(Said.RIGHT if is_right else Said.WRONG, now_ns)

    def looked(self, at_ns: int, now_ns: int) -> None:
        """A look at the table was taken at this time; one from before the step began is not the one that is wanted."""
        if self.wants_look and at_ns >= self._since_ns:
            self._end_step(Said.RIGHT, now_ns)

    def stop(self, why: str) -> None:
        """End it here; what was not reached is told as not tested. After its end this does nothing."""
        if not self.is_over:
            self.stopped, self.is_over = why, True

    def advance(self, now_ns: int, *, faults: Faults, noise: Mapping[str, int], has_frames: bool) -> Showing:
        """Let the time pass, and say what is to be seen and heard now.

        Args:
            now_ns: the time.
            faults: what is wrong with the seats, by place, as they tell it.
            noise: pulses too short for a finger since the seats were opened, by place.
            has_frames: whether the camera gives any.
        """
        self._has_frames = has_frames
        if self._noise_before is None:
            self._noise_before = dict(noise)
        if not self.is_over:
            self._facts.take_faults(faults)
            self._facts.noise = {place: count - self._noise_before.get(place, 0) for place, count in noise.items()}
        while not self.is_over:
            if self._is_to_skip():
                self._end_step(None, now_ns)
            elif now_ns - self._since_ns >= self._step.limit_s * _S:
                self._end_step(Said.NOTHING, now_ns)
            else:
                break
        return self._showing(now_ns)

    def _is_to_skip(self) -> bool:
        """Whether there is nothing to wait for in this step."""
        if self._step is _MEET:
            return BOARD not in self._facts.faults
        if self._step is _LOOK:
            return not self._has_frames
        return (
            self._facts.board_away is not None
            or (self._step.name == "hold" and self._facts.hold_button is None)
            or (self._step is _BUZZER and not self._facts.with_buzzer)
            or (self._step is _DOMINO and not self._has_frames)
        )

    def _end_step(self, said: Said | None, now_ns: int) -> None:
        """Note the answer and begin the next step."""
        if self._step is _MEET:
            self._facts.board_away = told(self._facts.faults.get(BOARD, ())) or None
        else:
            heard = self._facts.heard[self._step.name]
            heard.said = said
            if said is Said.NOTHING:
                heard.fault = self._fault_of_step()
            elif said is not None and self._step in SEATS and self._facts.hold_button is None:
                self._facts.hold_button = self._step.button
        self._place += 1
        self._since_ns = now_ns
        self._remark = ""
        if self._place == len(NAMES):
            self.is_over = True
        else:
            self._step = self._step_of(NAMES[self._place])

    def _fault_of_step(self) -> Fault | None:
        """Why no press came, if the seats know."""
        if BOARD in self._facts.faults:
            return Fault("the seat board is away", told(self._facts.faults[BOARD]))
        return self._facts.fault_now(self._step.name, "button")

    def _step_of(self, name: str) -> _Step:
        if name == "hold":
            seat = self._facts.hold_button
            say = f"Seat {seat}: hold its button; the lamp goes dark. Let go when it lights up again."
            return _Step("hold", say, ANSWER_S, seat)
        steps = (*SEATS, _REFEREE, _BUZZER, _DOMINO, _LOOK)
        return next(step for step in steps if step.name == name)

    def _refuse(self, button: int, now_ns: int, remark: str) -> None:
        self._flash(button, REFUSED, now_ns)
        self._remark = f"{remark} "

    def _flash(self, button: int, sign: int, now_ns: int) -> None:
        if button != ACKNOWLEDGE:
            self._answer = (button, sign, now_ns)

    def _showing(self, now_ns: int) -> Showing:
        step, seats, referee, sound = self._step, [(DARK, 0, 0)] * 4, DARK, (0, 0)
        if not self.is_over:
            if step in SEATS and step.button is not None:
                seats[step.button] = (SELF_TEST, self._since_ns, 0)
            elif step.name == "hold" and step.button is not None:
                seats[step.button] = (STEADY, self._since_ns, 0)
            referee = NEWS if step is _REFEREE else DARK
            if step is _BUZZER:
                played = min(int((now_ns - self._since_ns) / _S / PHRASE_EVERY_S), len(PHRASES) - 1)
                sound = (played + 1, self._since_ns + round(played * PHRASE_EVERY_S * _S))
        left_s = step.limit_s - (now_ns - self._since_ns) / _S
        return Showing(
            step=min(max(self._place, 0) + 1, len(NAMES)),
            steps=len(NAMES),
            say=self._sentence(),
            seconds_left=0 if self.is_over else max(0, -int(-left_s // 1)),
            seats=tuple(seats),
            answer=None if self.is_over else self._answer,
            referee=referee,
            sound=sound,
        )

    def _sentence(self) -> str:
        if self.is_over:
            over = f"The self-test was ended: {self.stopped}." if self.stopped else "The self-test is over."
            return f"{over} {self.last_word}".rstrip()
        places = () if self._step is _MEET else (self._step.name, BOARD)
        note = "".join(
            f"({place}: {told(self._facts.faults[place])}) " for place in places if place in self._facts.faults
        )
        say = self._step.say
        if self._step in SEATS:
            say = say.format(lamp=self._facts.lamps[SEATS.index(self._step)])
        return f"{note}{self._remark}{say}"
