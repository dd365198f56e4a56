"""The host's end of the talk with a seat board: what to say when, and what was heard; no port, thread or clock here.

closed ──opened──▶ greeting ──good reply──▶ ready
                      ▲  └─────other reply──▶ refused
                      └── silence, other boot number ──┘
"""

from dataclasses import dataclass
from enum import Enum

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.framing import PeerFault, Receiver, frame
from firmware_bridge.messages import (
    Hello,
    HelloReply,
    Message,
    MessageError,
    Pressed,
    Show,
    Shown,
    Taken,
    decode,
    encode,
)
from firmware_bridge.wire import BUTTONS, PROTOCOL, SEATS

_MS = 1_000_000

HELLO_EVERY_NS = 500 * _MS
"""Asked for ever: many boards start anew when the port opens and are deaf in their boot loader for a second or two."""

SHOW_AGAIN_NS = 100 * _MS
"""A Show not acknowledged is sent again; a board answers within 20 ms."""

UNANSWERED_NS = 1000 * _MS
"""What has no answer by then was lost on its way there or back."""

SHOW_EVERY_NS = 500 * _MS
"""The same Show is sent again anyway: the board takes a host that is silent for 2 s for gone, and clocks drift."""

SHOW_GAP_NS = 20 * _MS
"""No eye sees signs that change faster; at most 50 Shows a second are 3 kB of the 11 that 115200 baud carry."""

SILENCE_NS = 3000 * _MS
"""Six regular Shows without an answer: the board is gone."""

STALE_NS = 5000 * _MS
"""A press that comes later than this belongs to a situation that has passed."""

_U16, _U32 = (1 << 16) - 1, (1 << 32) - 1


class State(Enum):
    """Where the talk stands."""

    CLOSED = "closed"
    GREETING = "greeting"
    READY = "ready"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Signs:
    """What the lamps and the buzzer say, with moments in the host's ns; numbers as in docs/lamps.md."""

    seats: tuple[tuple[int, int, int], ...] = ((0, 0, 0),) * SEATS
    """Of each seat: its lamp's sign, since when, and the time given in ms."""
    answer: tuple[int, int, int] | None = None
    """A flash over a seat's sign: the seat, the flash, the moment it begins."""
    referee: int = 0
    sound: tuple[int, int] = (0, 0)
    """The buzzer's phrase and the moment it begins."""

    def at(self, now_ns: int, number: int) -> Show:
        """The message that says it, with ages instead of moments: the board has another clock."""
        seats = tuple((sign, _age_ms(now_ns - since_ns, _U32), limit) for sign, since_ns, limit in self.seats)
        answer = self.answer and (self.answer[0], self.answer[1], _age_ms(now_ns - self.answer[2], _U16))
        phrase, phrase_ns = self.sound
        return Show(number, seats, answer, self.referee, phrase, _age_ms(now_ns - phrase_ns, _U16))


@dataclass(frozen=True, slots=True)
class Press:
    """A press of one button, or a hold that has reached its time."""

    button: int
    """0 to 3: the seat; 4: acknowledge."""
    held_ms: int
    """0: a short press; 1500 or 3000: held so long."""
    at_ns: int
    """When the button went down; for a hold, when it reached its time."""


@dataclass(frozen=True, slots=True)
class Actions:
    """What is to be done now."""

    write: bytes
    presses: tuple[Press, ...]
    news: tuple[str, ...]
    """Sentences for the log: changes of state, and what was dropped."""
    wake_at_ns: int | None
    """When to ask again, unless something is heard before; None: not before the line is opened."""


class Session:
    """One seat board: tell it what the line brings and what to show, do what `advance` says."""

    def __init__(self) -> None:
        self.state = State.CLOSED
        self.damaged = 0
        """Frames and messages dropped since the start."""
        self.unanswered = 0
        """Shows since the start that were not acknowledged within a second."""
        self.stuck = 0
        self.chattering = 0
        """Bits of the buttons, as the board told last."""
        self.noise = [0] * BUTTONS
        """Of each button the pulses too short for a finger, since the board was met."""
        self.board: HelloReply | None = None
        """Who answered last, accepted or not."""
        self._refusal = ""
        self._receiver = Receiver()
        self._signs = Signs()
        self._boot: int | None = None
        self._clock = BoardClock()
        self._last_press: int | None = None
        self._noise_told: tuple[int, ...] | None = None  # by this boot, in 16 bits
        self._number = 0  # of the last Hello or Show sent
        self._sent_ns = 0  # when that was
        self._due_ns = 0  # when the next is due
        self._awaited: dict[int, int] = {}  # numbers of Shows without an answer, and when each was sent
        self._shows_since = 0  # a Show from this number on carries the present signs
        self._heard_ns = 0
        self._advanced_ns = 0
        self._write = b""
        self._presses: list[Press] = []
        self._news: list[str] = []

    @property
    def trouble(self) -> str | None:
        """Why no seat of this board works although its line is open, or None."""
        if self.state is State.GREETING:
            return f"the board does not answer ({self.damaged} damaged frames so far): does it carry the seat firmware?"
        return self._refusal if self.state is State.REFUSED else None

    def opened(self, now_ns: int) -> None:
        """The line has been opened."""
        self._receiver = Receiver()
        self._greet(now_ns)

    def closed(self) -> None:
        """The line is gone."""
        self.state = State.CLOSED
        self.stuck = self.chattering = 0
        self._write = b""

    @property
    def clock_error_ns(self) -> int | None:
        """How wrong the time of a press may be, or None before the board has answered."""
        return self._clock.error_ns if self.state is State.READY else None

    @property
    def round_trip_ns(self) -> int | None:
        """The median time from a message to the board's answer, or None before the board has answered."""
        return self._clock.round_trip_ns if self.state is State.READY else None

    def show(self, signs: Signs) -> None:
        """From now on these are to be seen; only the newest are sent."""
        if signs != self._signs:
            self._signs = signs
            self._shows_since = (self._number + 1) % 256
            if self.state is State.READY:
                self._due_ns = min(self._due_ns, self._sent_ns + SHOW_GAP_NS)

    def received(self, data: bytes, at_ns: int) -> None:
        """The line has brought these bytes."""
        if self.state is State.CLOSED:
            return
        self._receiver.receive_data(data)
        while (event := self._receiver.next_event()) is not None:
            if isinstance(event, PeerFault):
                self.damaged += 1
                continue
            try:
                message = decode(event)
            except MessageError:
                self.damaged += 1
            else:
                self._hear(message, at_ns)

    def advance(self, now_ns: int) -> Actions:
        """What is to be done by now."""
        if now_ns - self._advanced_ns >= SHOW_EVERY_NS + SHOW_AGAIN_NS:
            self._heard_ns = now_ns  # we were away ourselves and asked nothing: that is no silence of the board's
        self._advanced_ns = now_ns
        if self.state in (State.READY, State.REFUSED) and now_ns - self._heard_ns >= SILENCE_NS:
            self._news.append(f"the board has been silent for {SILENCE_NS // 10**9} s")
            self._greet(now_ns)
        if self.state is not State.CLOSED and now_ns >= self._due_ns:
            self._number = (self._number + 1) % 256
            if self.state is State.READY:
                self._count_unanswered(now_ns)
                self._awaited[self._number] = now_ns
                self._say(self._signs.at(now_ns, self._number))
                self._due_ns = now_ns + SHOW_AGAIN_NS
            else:
                self._say(Hello(self._number, PROTOCOL))
                self._due_ns = now_ns + HELLO_EVERY_NS
            self._sent_ns = now_ns
        wake_at_ns = None if self.state is State.CLOSED else self._due_ns
        if self.state in (State.READY, State.REFUSED):
            wake_at_ns = min(self._due_ns, self._heard_ns + SILENCE_NS)
        actions = Actions(self._write, tuple(self._presses), tuple(self._news), wake_at_ns)
        self._write = b""
        self._presses.clear()
        self._news.clear()
        return actions

    def _greet(self, now_ns: int) -> None:
        self.state = State.GREETING
        self.stuck = self.chattering = 0
        self._due_ns = now_ns

    def _hear(self, message: Message, at_ns: int) -> None:
        if isinstance(message, HelloReply):
            self._heard_ns = at_ns
            self._meet(message, at_ns)
        elif isinstance(message, Shown | Pressed) and self.state is State.READY:
            self._heard_ns = at_ns
            if message.boot != self._boot:
                self._news.append("the board has started anew")
                self._greet(at_ns)
            elif isinstance(message, Shown):
                self._take_shown(message, at_ns)
            else:
                self._take_pressed(message, at_ns)

    def _meet(self, reply: HelloReply, at_ns: int) -> None:
        """Accept or refuse the board; a reply to an older Hello says the same but not the time."""
        if self.state is State.READY or reply.number != self._number:
            return
        self.board = reply
        if reply.protocol != PROTOCOL or reply.seats != SEATS:
            self.state = State.REFUSED
            refusal = (
                f"the board speaks protocol {reply.protocol} for {reply.seats} seats (firmware {reply.build}), "
                f"this program speaks protocol {PROTOCOL} for {SEATS}: install the firmware that belongs to it"
            )
            if refusal != self._refusal:
                self._news.append(refusal)
            self._refusal = refusal
            return
        if reply.boot != self._boot:
            self._boot, self._last_press, self._noise_told = reply.boot, None, None
        self._clock = BoardClock()  # after a long absence two crystals have drifted apart, so old answers count no more
        self._clock.heard(reply.ticks_ms, sent_ns=self._sent_ns, received_ns=at_ns)
        self._news.append(f"the board is ready: firmware {reply.build}, boot {reply.boot}")
        self.state, self._refusal = State.READY, ""
        self._awaited.clear()
        self._shows_since = (self._number + 1) % 256
        self._due_ns = at_ns

    def _take_shown(self, shown: Shown, at_ns: int) -> None:
        self.stuck, self.chattering = shown.stuck, shown.chattering
        for button, (told, before) in enumerate(zip(shown.noise, self._noise_told or shown.noise, strict=True)):
            self.noise[button] += (told - before) & _U16
        self._noise_told = shown.noise
        self._awaited.pop(shown.number, None)
        if shown.number == self._number:
            self._clock.heard(shown.ticks_ms, sent_ns=self._sent_ns, received_ns=at_ns)
        if _is_after(shown.number, self._shows_since - 1) and not _is_after(shown.number, self._number):
            self._shows_since = shown.number  # so that the ring of 256 never laps it
            self._due_ns = self._sent_ns + SHOW_EVERY_NS

    def _take_pressed(self, pressed: Pressed, at_ns: int) -> None:
        """Acknowledge always, act once."""
        self._say(Taken(pressed.number))
        # The board numbers what it sends one by one and goes on only when it is taken: all else has been here before.
        if self._last_press is not None and not _is_after(pressed.number, self._last_press):
            return
        self._last_press = pressed.number
        pressed_ns = min(self._clock.host_ns(pressed.at_ticks_ms), at_ns)
        if at_ns - pressed_ns > STALE_NS:
            late_s = (at_ns - pressed_ns) // 10**9
            self._news.append(f"a press of button {pressed.button} came {late_s} s late and was dropped")
            return
        self._presses.append(Press(pressed.button, pressed.held_ms, pressed_ns))

    def _count_unanswered(self, now_ns: int) -> None:
        """Answers may wait in the line while the loop is busy, so not the first repetition counts, but a second."""
        late = [number for number, sent_ns in self._awaited.items() if now_ns - sent_ns >= UNANSWERED_NS]
        self.unanswered += len(late)
        for number in late:
            del self._awaited[number]

    def _say(self, message: Message) -> None:
        self._write += frame(encode(message))


def _age_ms(age_ns: int, most: int) -> int:
    """An age as its field carries it; what is about to begin begins now, what is of an earlier boot is long past."""
    return most if age_ns < -1000 * _MS else max(0, min(age_ns // _MS, most))


def _is_after(number: int, before: int) -> bool:
    """Whether *number* comes after *before* on a ring of 256."""
    return 0 < (number - before) % 256 < 128
