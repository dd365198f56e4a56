"""`gameline silence`: lamps and buzzer off through the kernel alone, whatever became of the service."""

from __future__ import annotations

import argparse

from controller.cli import Sorry
from controller.config import ConfigError, in_file, load_config
from controller.wiring import wiring_of
from hardware.lines import header_chip
from hardware.lines import silence as drive_low
from hardware.wiring import outputs


def silence(options: argparse.Namespace) -> int:
    """Drive the pins of every lamp and of the buzzer low and give them back; a seat board sees to its own.

    The kernel does it, not the configured library: it works the same for each of them, loads in a tenth of the time,
    and still works where the library is what broke.
    """
    try:
        config = load_config(options.config, only="seats")  # a slip elsewhere must not leave the buzzer on
        wiring = wiring_of(config)
    except ConfigError as error:
        raise Sorry(in_file(error, options.config)) from error
    if config.seats.kind == "board" or config.seats.pin_factory == "mock":
        return 0
    try:
        failed = drive_low(header_chip(), outputs(wiring))
    except OSError as error:
        raise Sorry(f"lamps and buzzer could not be switched off: {error.strerror or error}") from error
    if failed:
        told = ", ".join(f"GPIO {line} ({why})" for line, why in failed.items())
        raise Sorry(f"could not switch off {told}: stop the service or whatever holds them, and try again")
    return 0
