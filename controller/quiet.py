"""The hours in which the buzzer is silent and the referee's lamp alone tells; the clock itself is asked elsewhere."""

from __future__ import annotations

from datetime import time


def time_of_day(text: str) -> time:
    """Hours and minutes as `22:00`.

    Raises:
        ValueError: it is no such time.
    """
    hours, colon, minutes = text.partition(":")
    is_written = colon and len(hours) == len(minutes) == 2 and (hours + minutes).isdecimal()
    if is_written and int(hours) < 24 and int(minutes) < 60:
        return time(int(hours), int(minutes))
    raise ValueError(f"expected a time of day such as 22:00, got {text!r}")


def is_quiet(hours: tuple[str, str] | None, now: time) -> bool:
    """Whether the local time `now` lies in the hours from the first to before the second, over midnight too."""
    if hours is None:
        return False
    begin, end = time_of_day(hours[0]), time_of_day(hours[1])
    return begin <= now < end if begin < end else now >= begin or now < end
