"""What the board's clock shows, in the host's time; who asks it, and what the time is for, are not known here."""

from collections import deque

_MS = 1_000_000

CLOCK_SAMPLES = 16
"""Round trips remembered; the quickest says best what the board's clock shows. In 8 s two crystals drift 1 ms."""

_TICKS = 1 << 32


class BoardClock:
    """The board's 32-bit milliseconds as the host's nanoseconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=CLOCK_SAMPLES)  # (round trip, host minus board), ns
        self._ticks_ms = 0  # the newest heard, counted on over the run-over

    def heard(self, ticks_ms: int, *, sent_ns: int, received_ns: int) -> None:
        """The board showed *ticks_ms* between the question and the answer."""
        self._ticks_ms = self._counted_on(ticks_ms)
        middle_ns = (sent_ns + received_ns) // 2
        self._samples.append((received_ns - sent_ns, middle_ns - self._ticks_ms * _MS))

    def host_ns(self, ticks_ms: int) -> int:
        """The host's time at *ticks_ms*; needs one answer heard before."""
        return self._counted_on(ticks_ms) * _MS + min(self._samples)[1]

    @property
    def round_trip_ns(self) -> int | None:
        """The median of the last round trips, the board's own 20 ms among them; None before the first answer."""
        trips = sorted(trip for trip, _ in self._samples)
        return trips[len(trips) // 2] if trips else None

    @property
    def error_ns(self) -> int:
        """How wrong `host_ns` may be, drift aside: half of the quickest round trip, and one tick; needs one answer."""
        return min(self._samples)[0] // 2 + _MS

    def _counted_on(self, ticks_ms: int) -> int:
        """The nearest to the newest heard: 24 days forth or back are told apart."""
        ahead = (ticks_ms - self._ticks_ms + _TICKS // 2) % _TICKS - _TICKS // 2
        return self._ticks_ms + ahead
