"""The four seats and the referee's place on the Pi's pins: presses out, signs in; what they mean is not known here."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from gpiozero import Factory

from hardware import lamps
from hardware.buzzer import sounds
from hardware.debounce import CHATTERS, FINE, STUCK_AT_START, STUCK_LONG, STUCK_MS, Debouncer
from hardware.pins import InputPin, OutputPin, PinsUnavailable, PinTaken
from hardware.wiring import USUAL_OWNERS, Wiring, problems

EDGES_KEPT = 4096
"""A chattering pin must not fill the memory while the loop is busy; the oldest edges go first."""

STEP_S = 0.02
"""Between two looks at the buttons and two drawings of the lamps, on the thread of the pins."""

LAMP_KINDS = {"leds": lamps.LEDS, "pwm": lamps.PWM, "rgb": lamps.RGB}
"""The lamps that can hang on the pins; a seat's pins carry what `_LIGHTS` says."""

_LIGHTS = {
    lamps.LEDS: (("green", "green lamp"), ("yellow", "yellow lamp"), ("red", "red lamp")),
    lamps.PWM: (("green", "lamp"),),
    lamps.RGB: (("red", "red of the lamp"), ("green", "green of the lamp"), ("yellow", "blue of the lamp")),
}
"""For each level of a lamp the seat's pin, by its name in the wiring, and what hangs there."""

_MS = 1_000_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Press:
    """A press of one button, or a hold that has reached its time."""

    button: int
    """0 to 3: the seat; 4: acknowledge."""
    held_ms: int
    """0: a short press, told at its release; 1500 or 3000: held so long, told at once."""
    at_ns: int
    """When the button went down and stayed down; for a hold, when it reached its time; up to 1 ms early."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at one place, in words for a person."""

    part: str
    """`lamp`, `button` or `buzzer`."""
    code: str
    """A name for this kind of fault that stays the same; docs/health.md has them all."""
    wrong: str
    to_do: str = ""
    is_held: bool = False
    """Whether it is only a button that somebody may be leaning on."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a pin belongs, for the person who has to find it."""

    place: str
    part: str
    what: str
    number: int


@dataclass(frozen=True, slots=True)
class _Signs:
    """What is to be seen and heard, as it was given to `PinSeats.show`."""

    seats: tuple[tuple[int, int, int], ...]
    answer: tuple[int, int, int] | None
    referee: int
    sound: tuple[int, int]


class PinSeats:
    """Buttons, lamps and buzzer of the whole table on one set of pins.

    Wiring: each button from its pin to ground, with 10 kΩ to 3.3 V and 100 nF to ground where the wire is long; each
    LED from its pin through 470 Ω to ground; the buzzer through a transistor. docs/hardware.md has the reasons.

    Example:
        with PinSeats(wiring=DEFAULT_WIRING, pin_factory=open_factory("rpigpio"), clock_ns=time.monotonic_ns,
                      wake=news.set, logger=logging.getLogger("seats")) as seats:
            seats.show([(lamps.TURN, began_ns, 15_000), OFF, OFF, OFF], answer=None, referee=lamps.OFF, sound=SILENT)

    A pin that cannot be had is a fault of its place; the others work on. All methods are called from one thread. The
    threads of the pin library only stamp and queue edges and *wake*. After `start` a thread of its own looks at the
    buttons and draws the signs shown last, so that a busy program keeps no player from feeling his press, freezes no
    bar and leaves no buzzer on; before it, `presses` and `show` do so whenever they are called.

    Args:
        wiring: The pins, BCM numbers.
        pin_factory: From `open_factory`; it stays open when the seats close.
        clock_ns: The monotonic clock that stamps edges; called from the threads of the pin library.
        wake: Called after each edge from the threads of the pin library; must not block or raise.
        logger: Told once of each pin that fails.
        lamp: One of `LAMP_KINDS`; a PWM lamp hangs on the green pin, an RGB lamp has its blue on the yellow one.

    Raises:
        ValueError: The wiring has problems.
        PinsUnavailable: Not one pin could be opened.
    """

    def __init__(
        self,
        *,
        wiring: Wiring,
        pin_factory: Factory,
        clock_ns: Callable[[], int],
        wake: Callable[[], None],
        logger: logging.Logger,
        lamp: str = "leds",
    ) -> None:
        if found := problems(wiring):
            raise ValueError(" ".join(found))
        self._clock_ns = clock_ns
        self._wake = wake
        self._logger = logger
        self._lamp = LAMP_KINDS[lamp]
        self._levels = bytearray(lamps.size(self._lamp))
        self._edges: deque[tuple[int, bool, int]] = deque(maxlen=EDGES_KEPT)
        self._found: list[Press] = []
        self._signs: _Signs | None = None
        self._lock = threading.Lock()  # over everything that is found, drawn or failed
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._died: Exception | None = None
        self._failed: dict[_Spot, Fault] = {}
        self._outputs: list[tuple[_Spot, OutputPin | None]] = []
        self._buttons: dict[int, tuple[_Spot, InputPin, Debouncer]] = {}
        try:
            self._open(wiring, pin_factory)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """From now on look and draw every 20 ms, until closed."""
        self._thread = threading.Thread(target=self._keep_going, name="pins", daemon=True)
        self._thread.start()

    def presses(self, now_ns: int) -> tuple[Press, ...]:
        """Presses and holds that have become certain since the last call, in the order they happened.

        Raises:
            PinsUnavailable: The thread of the pins has ended; the program must start anew.
        """
        if self._died is not None:
            raise PinsUnavailable(f"The thread of the pins has ended: {self._died!r}.") from self._died
        with self._lock:
            self._listen(now_ns)
            found, self._found = self._found, []
        return tuple(sorted(found, key=lambda press: press.at_ns))

    def show(
        self,
        seats: Sequence[tuple[int, int, int]],
        *,
        answer: tuple[int, int, int] | None,
        referee: int,
        sound: tuple[int, int],
    ) -> None:
        """Show these signs from now on; writes only the pins that change.

        Args:
            seats: Of seats 0 to 3 the sign of `hardware.lamps`, since when (ns), and the time given (ms).
            answer: A flash over a seat's sign: the seat, the sign, the moment it begins (ns).
            referee: The sign of his lamp.
            sound: The phrase of `hardware.buzzer` and the moment it begins (ns).
        """
        if len(seats) != 4:
            raise ValueError(f"Expected the signs of 4 seats, got {len(seats)}.")
        with self._lock:
            self._signs = _Signs(tuple(seats), answer, referee, sound)
            self._draw()

    def faults(self) -> Mapping[str, tuple[Fault, ...]]:
        """What is wrong, by place: `seat 0` to `seat 3` and `referee`."""
        now_ms = self._clock_ns() // _MS
        with self._lock:
            told = [(spot.place, fault) for spot, fault in self._failed.items()]
            told += [
                (spot.place, fault)
                for spot, _, debouncer in self._buttons.values()
                if (fault := _fault(debouncer, now_ms)) is not None
            ]
        places = sorted({place for place, _ in told})
        return {place: tuple(fault for where, fault in told if where == place) for place in places}

    def noise(self) -> Mapping[str, int]:
        """How many pulses too short for a finger each place's button has given since the start."""
        return {spot.place: debouncer.noise for spot, _, debouncer in self._buttons.values()}

    def line_errors(self) -> Mapping[str, int]:
        """None: there is no line between the program and its pins."""
        return {}

    def close(self) -> None:
        """Switch everything off and give all pins back; a second time does nothing."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for spot, output in reversed(self._outputs):
            if output is not None:
                self._attempt(spot, output.close)
        for spot, button, _ in self._buttons.values():
            self._attempt(spot, button.close)
        self._outputs.clear()
        self._buttons.clear()
        self._edges.clear()

    def _keep_going(self) -> None:
        try:
            while not self._stop.wait(STEP_S):
                with self._lock:
                    has_news = self._listen(self._clock_ns())
                    self._draw()
                if has_news:
                    self._wake()
        except Exception as problem:  # ours, so nothing here can mend it: `presses` raises it in the loop
            self._died = problem
            self._wake()

    def _listen(self, now_ns: int) -> bool:
        """Put what the buttons have done by now to what was found before; whether there was anything."""
        before = len(self._found)
        while self._edges:
            button, down, at_ns = self._edges.popleft()
            if button in self._buttons:
                self._buttons[button][2].edge(down, at_ns // _MS)
        for button, (spot, pin, debouncer) in self._buttons.items():
            # NOTE: kernels and libraries drop edges under load, and a dead callback thread drops all. One look at the
            # level each time keeps a lost release from becoming a hold; a lost press is then only less exact.
            pressed = self._attempt(spot, pin.is_pressed)
            if pressed is not None and pressed != debouncer.pressed:
                debouncer.edge(pressed, self._clock_ns() // _MS)
            while (press := debouncer.next_press(now_ns // _MS)) is not None:
                self._found.append(Press(button, press[0], press[1] * _MS))
        return len(self._found) > before

    def _draw(self) -> None:
        """The signs as they look at this moment."""
        if self._signs is None:
            return
        now_ns = self._clock_ns()
        levels: list[int] = []
        for seat, (sign, since_ns, limit_ms) in enumerate(self._signs.seats):
            answer = self._signs.answer
            felt_ms = self._buttons[seat][2].felt_since() if seat in self._buttons else None
            if answer and answer[0] == seat and lamps.is_answer_seen(answer[2] // _MS, felt_ms, now_ns // _MS):
                _, sign, since_ns = answer
            elif felt_ms is not None:
                sign = lamps.felt(sign)
            lamps.draw(self._levels, self._lamp, sign, now_ns // _MS, (now_ns - since_ns) // _MS, limit_ms)
            levels += self._levels
        one_led = bytearray(1)
        lamps.draw(one_led, lamps.PWM, self._signs.referee, now_ns // _MS)
        levels += one_led
        phrase, began_ns = self._signs.sound
        levels.append(255 if sounds(phrase, (now_ns - began_ns) // _MS) else 0)
        for (spot, pin), level in zip(self._outputs, levels, strict=False):
            if pin is not None:
                self._attempt(spot, partial(pin.show, level / 255))

    def _open(self, wiring: Wiring, factory: Factory) -> None:
        """Open every pin that can be had: outputs first, so that they are low as early as may be."""
        for seat, pins in enumerate(wiring.seats):
            for name, what in _LIGHTS[self._lamp]:
                self._open_output(_Spot(f"seat {seat}", "lamp", what, getattr(pins, name)), factory)
        self._open_output(_Spot("referee", "lamp", "lamp", wiring.referee_lamp), factory)
        self._open_output(_Spot("referee", "buzzer", "buzzer", wiring.buzzer), factory, dimmable=False)
        for seat, pins in enumerate(wiring.seats):
            self._open_button(seat, _Spot(f"seat {seat}", "button", "button", pins.button), factory)
        self._open_button(4, _Spot("referee", "button", "acknowledge button", wiring.acknowledge), factory)
        if not self._buttons and not any(output for _, output in self._outputs):
            first = next(iter(self._failed.values()))
            raise PinsUnavailable(
                f"Not one of the {len(self._failed)} pins can be opened (first: {first.wrong}; {first.to_do}): "
                "check that this user is in the group gpio, or choose another pin library or a seat board."
            )

    def _open_output(self, spot: _Spot, factory: Factory, *, dimmable: bool = True) -> None:
        output = self._attempt(spot, lambda: OutputPin(factory, spot.number, dimmable=dimmable))
        self._outputs.append((spot, output))

    def _open_button(self, button: int, spot: _Spot, factory: Factory) -> None:
        def on_edge(pressed: bool) -> None:
            self._edges.append((button, pressed, self._clock_ns()))
            self._wake()

        def open_and_look() -> tuple[InputPin, bool]:
            pin = InputPin(factory, spot.number, on_edge)
            return pin, pin.is_pressed()

        if opened := self._attempt(spot, open_and_look):
            pin, pressed = opened
            self._buttons[button] = (spot, pin, Debouncer(pressed, self._clock_ns() // _MS))

    def _attempt(self, spot: _Spot, act: Callable[[], _T]) -> _T | None:
        """Do something with a pin; a failure becomes a fault of its place, told once, until the pin works again."""
        try:
            result = act()
        except Exception as problem:  # gpiozero, RPi.GPIO and lgpio share no narrower base
            if spot not in self._failed:
                fault = self._failed[spot] = _explain(spot, problem)
                told = {"fault": fault.code}
                self._logger.error("%s: %s; %s", spot.place, fault.wrong, fault.to_do, extra=told)
            return None
        self._failed.pop(spot, None)
        return result


def _fault(debouncer: Debouncer, now_ms: int) -> Fault | None:
    """What is wrong with a button, or None."""
    held, chattering = "release it, or check its wire", "check its plug and its wire"
    return {
        FINE: None,
        CHATTERS: Fault(
            "button",
            "button_chatters",
            f"button chatters ({debouncer.noise} pulses too short for a finger so far)",
            chattering,
        ),
        STUCK_AT_START: Fault(
            "button", "button_held", "button held down since the start or since it chattered", held, is_held=True
        ),
        STUCK_LONG: Fault(
            "button", "button_held", f"button held down for more than {STUCK_MS // 1000} s", held, is_held=True
        ),
    }[debouncer.fault(now_ms)]


def _explain(spot: _Spot, problem: Exception) -> Fault:
    """What failed."""
    code = "pin_taken" if isinstance(problem, PinTaken) else "pin_fails"
    if "edge detection" in str(problem):
        code = "pin_unwatched"
        cure = "RPi.GPIO cannot watch pins on this kernel or board; rpi-lgpio gives the same module and can"
    elif spot.number in USUAL_OWNERS:
        cure = f"it is usually taken by {USUAL_OWNERS[spot.number]}: switch that off, or choose another pin"
    else:
        cure = "another program may hold it: stop that, or choose another pin"
    return Fault(spot.part, code, f"{spot.what} on GPIO {spot.number} does not work ({problem})", cure)
