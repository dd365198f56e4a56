"""Writes the traces beside it: how long each contact trembles is published, where its edges fall is drawn by a seed.

python tests/data/bounce/make.py
"""

import random
from pathlib import Path

HELD_US = 120_000
"""A short press, from the last edge of closing to the first of opening."""

GANSSLE = "J. Ganssle, A Guide to Debouncing, 2004 to 2008, www.ganssle.com/debouncing.htm"
TREMBLES = {
    "average": (1557, f"{GANSSLE}: 16 switches bounced 1557 us on average"),
    "longest": (6200, f"{GANSSLE}: the longest of those 16 switches bounced 6200 us"),
    "morse_key": (
        2188,
        "github.com/pe1hvh/measure_bouncing, README: the worst of several Morse keys, stable after 2188 us",
    ),
}
"""Name of the trace: how long it trembles, in microseconds, and who measured it."""

SWITCH_E = [(0, 1), (81_000, 0), (123_000, 1), (157_000 + HELD_US, 0)]
SWITCH_E_SOURCE = f"{GANSSLE}: switch E closed for 81 ms, opened for 42 ms, then stood; its bounce was 157 ms in all"

Trace = list[tuple[int, int]]
"""Microseconds from the first touch, and whether the contact is closed from then on."""


def trembling(rng: random.Random, duration_us: int, *, closes: bool) -> Trace:
    """An odd number of edges from 0 to the duration, each no less than 20 us after the one before."""
    inner = sorted(rng.sample(range(1, duration_us // 20), 2 * rng.randint(2, 6) - 1))
    times = [0, *(20 * slot for slot in inner), duration_us]
    return [(time, int(closes == (number % 2 == 0))) for number, time in enumerate(times)]


def main() -> None:
    """Write every trace as comma separated values with its source in the first line."""
    here = Path(__file__).parent
    for name, (duration_us, source) in TREMBLES.items():
        rng = random.Random(name)
        down = trembling(rng, duration_us, closes=True)
        up = [(time + duration_us + HELD_US, closed) for time, closed in trembling(rng, duration_us, closes=False)]
        write(here / f"{name}.csv", source, down + up)
    write(here / "switch_e.csv", SWITCH_E_SOURCE, SWITCH_E)


def write(path: Path, source: str, trace: Trace) -> None:
    """One trace."""
    lines = [f"# {source}.", "us,closed", *(f"{time},{closed}" for time, closed in trace)]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
