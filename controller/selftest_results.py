"""What a self-test has heard of each part that a person tries, and what that comes to; it asks nobody itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from controller.faults import FaultLike, Faults

PHRASES: Final = ("illegal", "time", "called", "set over", "look")
"""The buzzer's phrases 1 to 5."""
HOLD_S: Final = 1.5
NOISE_MOST: Final = 5
"""Pulses too short for a finger that a good button may give in the whole test: a knock against the table gives one."""
ACKNOWLEDGE: Final = 4
BOARD: Final = "seat board"
"""The place of faults that concern all seats of a board at once."""
PLACES: Final = ("seat 0", "seat 1", "seat 2", "seat 3", "referee")


class Said(Enum):
    """What a person said of a part."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTHING = "nothing"
    """No answer in time."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the page."""

    part: str
    expected: str
    came: str
    passed: bool | None
    """None: not tested, and `came` says why."""
    to_do: str = ""
    """For a person; empty where it passed."""


@dataclass(frozen=True, slots=True)
class Fault:
    """All that is wrong with one part."""

    what: str
    to_do: str


@dataclass
class Heard:
    """What has come of one step."""

    said: Said | None = None
    """None while not asked."""
    is_short: bool = False
    """A short press was seen: the button went down and up again."""
    instead: int | None = None
    """Another button that came in the place of this one."""
    fault: Fault | None = None
    """What was wrong with the button, or the whole board, when nothing came in time."""


@dataclass
class Facts:
    """All that has been heard."""

    lamps: tuple[str, ...]
    """What each seat's lamp shows."""
    limit_s: float
    """How long an answer was waited for."""
    with_buzzer: bool
    heard: dict[str, Heard]
    """By place, and under `hold`, `buzzer` and `domino`."""
    hold_button: int | None = None
    """The seat whose button is to be held: the first that answered."""
    board_away: str | None = None
    """Why no seat of the board can be tried."""
    faults: Faults = field(default_factory=dict)
    """What is wrong at this moment, by place."""
    noise: Mapping[str, int] = field(default_factory=dict)
    """Pulses too short for a finger since the test began, by place; none where nobody counts them."""
    kept: dict[tuple[str, str], Fault] = field(default_factory=dict)
    """Faults of a place and its part that do not get well by being quiet."""
    is_over: bool = False
    """Whether nothing more is to come."""

    def take_faults(self, faults: Faults) -> None:
        """Note what is wrong now.

        A pin that cannot be had, and a wire that chatters, are faults of the table even where they are quiet later; a
        button that somebody leant on is none.
        """
        self.faults = dict(faults)
        for place, found in faults.items():
            for part in {fault.part for fault in found if not fault.is_held}:
                self.kept[place, part] = _together([fault for fault in found if fault.part == part])

    def fault_now(self, place: str, part: str) -> Fault | None:
        """What is wrong at this moment with a place's lamp, button or buzzer; None where nothing is."""
        about = [fault for fault in self.faults.get(place, ()) if fault.part == part]
        return _together(about) if about else None

    def fault(self, place: str, part: str) -> Fault | None:
        """The same, or what was wrong before and does not get well by being quiet."""
        return self.fault_now(place, part) or self.kept.get((place, part))


def results_of(facts: Facts) -> tuple[Result, ...]:
    """Every part that a person is asked for, as it stands."""
    return tuple(_results(facts))


def owner(button: int | None) -> str:
    """Whose button it is."""
    return "the referee" if button == ACKNOWLEDGE else f"seat {button}"


def _together(faults: Sequence[FaultLike]) -> Fault:
    """Several of one part, each cure once."""
    return Fault("; ".join(fault.wrong for fault in faults), "; ".join(dict.fromkeys(fault.to_do for fault in faults)))


def _results(facts: Facts) -> Iterator[Result]:
    for place, shows in zip(PLACES[:4], facts.lamps, strict=True):
        yield _lamp(facts, place, f"{place}, lamp", f"shows {shows}")
        yield _button(facts, place, f"{place}, button")
    yield _hold(facts)
    yield _lamp(facts, "referee", "referee's lamp", "flashes")
    yield _button(facts, "referee", "acknowledge button")
    yield _buzzer(facts)


def _lamp(facts: Facts, place: str, part: str, expected: str) -> Result:
    fault = facts.fault(place, "lamp")
    if fault is not None:
        return Result(part, expected, fault.what, False, fault.to_do)
    match facts.heard[place].said:
        case Said.RIGHT:
            return Result(part, expected, "confirmed by the button", True)
        case Said.WRONG:
            cure = "look at its LEDs (which way round), resistors and wires, and whether it hangs at the right seat"
            return Result(part, expected, "reported wrong: the button was held", False, cure)
        case Said.NOTHING:
            cure = "see to the button first, then test again"
            return Result(part, expected, "not confirmed: the button did not answer", None, cure)
        case None:
            return Result(part, expected, _why_not(facts), None)


def _button(facts: Facts, place: str, part: str) -> Result:
    heard, fault, noise = facts.heard[place], facts.fault(place, "button"), facts.noise.get(place, 0)
    expected = "pressed and released, without noise"
    if fault is not None:
        return Result(part, expected, fault.what, False, fault.to_do)
    if heard.said is None and not heard.is_short:
        return Result(part, expected, _why_not(facts), None)
    if heard.said is Said.NOTHING and not heard.is_short:
        return _no_press(facts, heard, part, expected)
    came = "pressed and released" if heard.is_short else "pressed and held"
    if noise > NOISE_MOST:
        cure = "check its plug and its wire; a long wire needs the capacitor of docs/hardware.md"
        return Result(part, expected, f"{came}, with {_pulses(noise)}", False, cure)
    return Result(part, expected, f"{came}, {_pulses(noise)}", True)


def _no_press(facts: Facts, heard: Heard, part: str, expected: str) -> Result:
    """A button that did not answer, and the likeliest reason."""
    if heard.fault is not None:
        return Result(part, expected, heard.fault.what, False, heard.fault.to_do)
    if heard.instead is not None:
        other = owner(heard.instead)
        cure = f"the two may be swapped: follow their wires; if you stood at {other}, test again"
        return Result(part, expected, f"the button of {other} came instead", False, cure)
    cure = "check its plug and its wire to the pin and to ground; if nobody pressed it, test again"
    return Result(part, expected, f"no press in {facts.limit_s:g} s", False, cure)


def _hold(facts: Facts) -> Result:
    part, expected, said = "holding a button", f"told after {HOLD_S:g} s", facts.heard["hold"].said
    if said is Said.RIGHT:
        return Result(part, expected, f"told, on {owner(facts.hold_button)}", True)
    if said is Said.NOTHING:
        cure = (
            "hold it until the lamp answers; if it never does, the contact opens under the finger: replace the button"
        )
        return Result(part, expected, f"no hold in {facts.limit_s:g} s", False, cure)
    is_past = any(facts.heard[name].said is not None for name in ("referee", "buzzer", "domino"))
    if is_past and facts.hold_button is None:
        return Result(part, expected, "not tested: no seat's button works", None)
    return Result(part, expected, _why_not(facts), None)


def _buzzer(facts: Facts) -> Result:
    part, expected = "buzzer", f"{len(PHRASES)} phrases: {', '.join(PHRASES)}"
    fault = facts.fault("referee", "buzzer")
    if fault is not None:
        return Result(part, expected, fault.what, False, fault.to_do)
    match facts.heard["buzzer"].said:
        case Said.RIGHT:
            return Result(part, expected, "confirmed by a button", True)
        case Said.WRONG:
            cure = "look at its wires, its transistor and the 5 V; an active buzzer has a + side"
            return Result(part, expected, "reported wrong: the button was held", False, cure)
        case Said.NOTHING:
            return Result(
                part, expected, "played; nobody confirmed it", False, "test again, and press once it was heard"
            )
        case None if not facts.with_buzzer:
            why = "not tested: these are its quiet hours"
            return Result(part, expected, why, None, "test again outside them, or with the sound allowed (--sound)")
        case None:
            return Result(part, expected, _why_not(facts), None)


def _why_not(facts: Facts) -> str:
    if facts.board_away is not None:
        return "not tested: the seat board does not answer"
    return "not tested: the test was ended before" if facts.is_over else "not yet tested"


def _pulses(noise: int) -> str:
    if noise == 0:
        return "no noise"
    return f"{noise} pulse{'s' if noise > 1 else ''} too short for a finger"
