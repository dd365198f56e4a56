"""From the stamped edges of one button to presses, by the stamps alone; no clock, thread or pin is known here.

A contact that closes or opens trembles for some milliseconds. A level counts once it has stood still; what never does
is noise. Edges that arrive late, all at once, give the same presses as edges that arrive one by one.
"""

from collections import deque
from dataclasses import dataclass

_MS = 1_000_000

DOWN_STEADY_NS = 20 * _MS
"""A press counts after this: a worn contact that trembles for 30 ms still leaves enough of a 60 ms press."""

UP_STEADY_NS = 30 * _MS
"""A release counts after this: longer, because a contact lost for a moment must not make two presses of one hold."""

TREMBLE_NS = 100 * _MS
"""A contact that has not stood still once for so long does not tremble, it chatters."""

NOISE_LIMIT = 20
NOISE_WINDOW_NS = 10_000 * _MS
"""So many short pulses within the window come from a loose plug or a bare wire, not from a finger."""

HELD_MS = (1500, 3000)
"""Holds are told when they reach these."""

STUCK_NS = 20_000 * _MS
"""Nobody holds a button so long: something lies on it, or it is jammed."""


@dataclass(frozen=True, slots=True)
class Press:
    """A press of one button, or a hold that has reached its time."""

    button: int
    """0 to 3: the seat; 4: acknowledge."""
    held_ms: int
    """0: a short press, told at its release; 1500 or 3000: held so long, told at once."""
    at_ns: int
    """When the button went down and stayed down; for a hold, when it reached its time."""


class Debouncer:
    """One button: pour in edges, ask for presses.

    Args:
        button: The number its presses carry.
        pressed: Whether it is down at the start; such a button is stuck until it is released, and that is no press.
        at_ns: The time of the start.
    """

    def __init__(self, button: int, *, pressed: bool, at_ns: int) -> None:
        self.noise = 0
        """Pulses since the start that were too short for a finger and no trembling of a press."""
        self._button = button
        self._raw = pressed
        self._raw_since_ns = at_ns
        self._edges = 0  # since the level last stood still
        self._trembling_since_ns = at_ns
        self._down = pressed
        self._down_since_ns = at_ns
        self._deaf = pressed  # this time down is no press
        self._holds_told = 0
        self._noise_ns: deque[int] = deque(maxlen=NOISE_LIMIT)
        self._presses: list[Press] = []

    @property
    def pressed(self) -> bool:
        """The level after the last edge, trembling included."""
        return self._raw

    def edge(self, *, pressed: bool, at_ns: int) -> None:
        """Take the next edge; a stamp earlier than the one before counts as the same moment."""
        at_ns = max(at_ns, self._raw_since_ns)
        self._advance(at_ns)
        if self._edges == 0:
            self._trembling_since_ns = at_ns
        # The same level twice: the edge between was too short for the pin library to see, but it was there.
        self._edges += 1 if pressed != self._raw else 2
        self._raw, self._raw_since_ns = pressed, at_ns
        if at_ns - self._trembling_since_ns > TREMBLE_NS:
            self._count_noise(at_ns)

    def presses(self, now_ns: int) -> tuple[Press, ...]:
        """What has become a press or a hold by now and was not told before, in order."""
        self._advance(now_ns)
        told = tuple(self._presses)
        self._presses.clear()
        return told

    def fault(self, now_ns: int) -> str | None:
        """What is wrong with this button, or None."""
        if self._is_chattering(now_ns):
            return f"button chatters ({self.noise} pulses too short for a finger so far): check its plug and its wire"
        if self._down and self._deaf:
            return "button held down since the start or since it chattered: release it, or check its wire"
        if self._down and now_ns - self._down_since_ns >= STUCK_NS:
            return f"button held down for more than {STUCK_NS // 10**9} s: release it, or check its wire"
        return None

    def _advance(self, now_ns: int) -> None:
        """Draw what follows from the present level having stood from its edge until now."""
        steady_ns = DOWN_STEADY_NS if self._raw else UP_STEADY_NS
        if self._edges and now_ns - self._raw_since_ns >= steady_ns:
            self._stand_still(self._raw_since_ns + steady_ns)
        if self._raw and self._down and not self._deaf:
            for held_ms in HELD_MS[self._holds_told :]:
                reached_ns = self._down_since_ns + held_ms * _MS
                if reached_ns <= now_ns:
                    self._presses.append(Press(self._button, held_ms, reached_ns))
                    self._holds_told += 1

    def _stand_still(self, at_ns: int) -> None:
        """The level counts: as a change, or as the end of a pulse that changed nothing."""
        if self._raw == self._down:
            self._count_noise(at_ns)
        elif self._raw:
            self._down, self._down_since_ns = True, self._raw_since_ns
            self._deaf, self._holds_told = self._is_chattering(at_ns), 0
        else:
            self._down = False
            if not self._deaf and not self._holds_told:
                self._presses.append(Press(self._button, 0, self._down_since_ns))
        self._edges = 0

    def _count_noise(self, at_ns: int) -> None:
        """Turn the edges since the last standstill into noise, two to a pulse."""
        pulses, self._edges = divmod(self._edges, 2)
        self.noise += pulses
        self._noise_ns.extend([at_ns] * min(pulses, NOISE_LIMIT))
        self._deaf |= self._is_chattering(at_ns)

    def _is_chattering(self, at_ns: int) -> bool:
        return len(self._noise_ns) == NOISE_LIMIT and at_ns - self._noise_ns[0] < NOISE_WINDOW_NS
