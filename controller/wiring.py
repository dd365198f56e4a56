"""The pins of the configuration in the hardware room's own terms; no pin is opened here."""

from __future__ import annotations

from controller.config import Config, ConfigError
from hardware.wiring import DEFAULT_WIRING, SeatPins, Wiring, problems


def wiring_of(config: Config) -> Wiring:
    """The pins of the configuration, or the usual ones.

    Raises:
        ConfigError: they cannot work, with every reason.
    """
    pins = config.seats.pins
    if pins is None:
        return DEFAULT_WIRING
    seats = [SeatPins(s.button, s.green, s.yellow, s.red) for s in (pins.seat0, pins.seat1, pins.seat2, pins.seat3)]
    wiring = Wiring((seats[0], seats[1], seats[2], seats[3]), pins.referee_lamp, pins.acknowledge, pins.buzzer)
    if found := problems(wiring):
        raise ConfigError(f"seats.pins: {' '.join(found)}")
    return wiring
