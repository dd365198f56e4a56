"""What the doctor asks of the pins: the chip, its library, and who else has a line; no line is opened."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from controller.config import ConfigError
from controller.doctor_checks import Found, Patient
from controller.wiring import wiring_of
from hardware.lines import header_chip, holder, labels
from hardware.pins import PinsUnavailable, open_factory
from hardware.wiring import USUAL_OWNERS, uses


def pins(patient: Patient) -> Iterator[Found]:
    """Whether every button, lamp and the buzzer can have its pin."""
    seats = patient.config.seats
    if seats.pin_factory == "mock":
        yield Found("pins", None, 'mock pins: nothing is wired (pin_factory = "mock")')
        return
    if patient.in_use is not None:
        yield Found("pins", None, patient.in_use)
        return
    try:
        wiring = wiring_of(patient.config)
        chip = header_chip()
        with contextlib.closing(open_factory(seats.pin_factory)):
            pass
        wrong = [found for name, pin, _ in uses(wiring) if (found := _line(chip, name, pin)) is not None]
    except ConfigError as error:
        yield Found("pins", False, "the wiring cannot work", str(error))
        return
    except OSError as error:
        denied = any("denied" in label for label in labels().values())
        cure = (
            f"sudo usermod --append --groups gpio {patient.user}"
            if denied
            else "run on a Raspberry Pi, or name a board"
        )
        yield Found("pins", False, error.strerror or str(error), cure)
        return
    except PinsUnavailable as error:
        yield Found("pins", False, "the pin library does not work", str(error))
        return
    yield from wrong
    if not wrong:
        yield Found("pins", True, f"gpiochip{chip}, {len(tuple(uses(wiring)))} lines free, {seats.pin_factory}")


def _line(chip: int, name: str, pin: int) -> Found | None:
    """What is wrong with the line of one button or lamp. Raises: OSError, of the chip."""
    try:
        who = holder(chip, pin)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        cure = "take another pin, which `gameline wiring` then shows on the header"
        return Found("pins", False, f"{name}, GPIO {pin}: gpiochip{chip} has no such line", cure)
    if who is None:
        return None
    usual = f": usually {USUAL_OWNERS[pin]}" if pin in USUAL_OWNERS else ""
    cure = f"switch that off{usual}, or take another pin"
    return Found("pins", False, f"{name}, GPIO {pin}, is held by {who!r}", cure)
