"""From the stamped edges of one button to presses, by the stamps alone; no clock, thread or pin is known here.

A contact that closes or opens trembles for some milliseconds. A level counts once it has stood still; what never does
is noise. Edges that arrive late, all at once, give the same presses as edges that arrive one by one.

This file runs unchanged on the Pi and, under MicroPython, on a seat board. So it needs no module, makes nothing in its
20 ms loop, and counts whole milliseconds from any moment, which never run over: a microcontroller holds those of its
first twelve days without memory of their own, microseconds only for seventeen minutes. A stamp is up to 1 ms early, so
that times which are less than n ms apart have stamps at most n apart: hence "more than" in the lengths below.
"""

DOWN_STEADY_MS = 20
"""A press counts after more than this: a worn contact that trembles for 30 ms leaves enough of a 60 ms press."""

UP_STEADY_MS = 30
"""A release counts after more than this: longer, because a contact lost for a moment must not break a hold in two."""

TREMBLE_MS = 100
"""A contact that has not stood still once for so long does not tremble, it chatters."""

NOISE_LIMIT = 20
NOISE_WINDOW_MS = 10_000
"""So many short pulses within the window come from a loose plug or a bare wire, not from a finger."""

HELD_MS = (1500, 3000)
"""Holds are told when they reach these."""

STUCK_MS = 20_000
"""Nobody holds a button so long: something lies on it, or it is jammed."""

FINE = 0
CHATTERS = 1
STUCK_AT_START = 2
"""Down since the start, or since it chattered; it counts again after a release."""
STUCK_LONG = 3


class Debouncer:
    """One button: pour in edges, ask for presses.

    Args:
        pressed: Whether it is down at the start; such a button is stuck until it is released, and that is no press.
        at_ms: The time of the start.
    """

    def __init__(self, pressed: bool, at_ms: int) -> None:
        self.noise = 0
        """Pulses since the start that were too short for a finger and no trembling of a press."""
        self.pressed = pressed
        """The level after the last edge, trembling included."""
        self._since_ms = at_ms  # of that level
        self._edges = 0  # since the level last stood still
        self._trembling_since_ms = at_ms
        self._down = pressed
        self._down_since_ms = at_ms
        self._deaf = pressed  # this time down is no press
        self._holds_told = 0
        self._noise_ms = [at_ms - NOISE_WINDOW_MS] * NOISE_LIMIT  # a ring: the newest pulses
        self._noise_next = 0
        self._told: list[tuple[int, int]] = []

    def felt_since(self) -> int | None:
        """When it went down, once that is long enough for a press and while more may come of it; None otherwise."""
        is_felt = self._down and not self._deaf and self._holds_told < len(HELD_MS)
        return self._down_since_ms if is_felt else None

    def edge(self, pressed: bool, at_ms: int) -> None:
        """Take the next edge; a stamp earlier than the one before counts as the same moment."""
        at_ms = max(at_ms, self._since_ms)
        self._advance(at_ms)
        if self._edges == 0:
            self._trembling_since_ms = at_ms
        # The same level twice: the edge between was too short for whoever looked at the pin, but it was there.
        self._edges += 1 if pressed != self.pressed else 2
        self.pressed = pressed
        self._since_ms = at_ms
        if at_ms - self._trembling_since_ms > TREMBLE_MS:
            self._count_noise(at_ms)

    def next_press(self, now_ms: int) -> tuple[int, int] | None:
        """The next of what has become a press or a hold by now, each told once; None when there is no more.

        Returns:
            Held ms and when. 0: a short press, told at its release, and when the button went down and stayed down;
            1500 or 3000: a hold, told as soon as it reaches this, and when it did.
        """
        self._advance(now_ms)
        return self._told.pop(0) if self._told else None

    def fault(self, now_ms: int) -> int:
        """What is wrong with this button: FINE, CHATTERS, STUCK_AT_START or STUCK_LONG."""
        if self._is_chattering(now_ms):
            return CHATTERS
        if self._down and self._deaf:
            return STUCK_AT_START
        if self._down and now_ms - self._down_since_ms >= STUCK_MS:
            return STUCK_LONG
        return FINE

    def _advance(self, now_ms: int) -> None:
        """Draw what follows from the present level having stood from its edge until now."""
        if self._edges:
            steady_ms = DOWN_STEADY_MS if self.pressed else UP_STEADY_MS
            if now_ms - self._since_ms > steady_ms:
                self._stand_still(self._since_ms + steady_ms)
        while self.pressed and self._down and not self._deaf and self._holds_told < len(HELD_MS):
            held_ms = HELD_MS[self._holds_told]
            if now_ms - self._down_since_ms < held_ms:
                break
            self._told.append((held_ms, self._down_since_ms + held_ms))
            self._holds_told += 1

    def _stand_still(self, at_ms: int) -> None:
        """The level counts: as a change, or as the end of a pulse that changed nothing."""
        if self.pressed == self._down:
            self._count_noise(at_ms)
        elif self.pressed:
            self._down = True
            self._down_since_ms = self._since_ms
            self._deaf = self._is_chattering(at_ms)
            self._holds_told = 0
        else:
            self._down = False
            if not self._deaf and not self._holds_told:
                self._told.append((0, self._down_since_ms))
        self._edges = 0

    def _count_noise(self, at_ms: int) -> None:
        """Turn the edges since the last standstill into noise, two to a pulse."""
        pulses = self._edges // 2
        self._edges %= 2
        self.noise += pulses
        for _ in range(min(pulses, NOISE_LIMIT)):
            self._noise_ms[self._noise_next] = at_ms
            self._noise_next = (self._noise_next + 1) % NOISE_LIMIT
        self._deaf = self._deaf or self._is_chattering(at_ms)

    def _is_chattering(self, at_ms: int) -> bool:
        return at_ms - self._noise_ms[self._noise_next] < NOISE_WINDOW_MS
