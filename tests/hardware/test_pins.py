"""The named factory is opened or refused in one sentence; an output is low from its first moment to its last."""

import sys

import pytest
from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from hardware.pins import OutputPin, PinsUnavailable, open_factory


def test_mock_factory_gives_pins_with_levels() -> None:
    """Without a Pi the lamps can still be read, half lit ones too."""
    factory = open_factory("mock")
    assert isinstance(factory.pin(17), MockPWMPin)


def test_unknown_name_is_refused() -> None:
    """A typing mistake never opens some other pin library."""
    with pytest.raises(ValueError, match=r"one of rpigpio, lgpio, mock, got 'pigpio'"):
        open_factory("pigpio")


@pytest.mark.parametrize(("name", "library"), [("rpigpio", "RPi"), ("lgpio", "lgpio")])
def test_missing_library_says_what_to_do(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The named library is missing: one sentence, and no other library is tried."""
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"gpiozero.pins.{name}", raising=False)
    with pytest.raises(PinsUnavailable, match=rf"cannot be opened through {name} .*: run on a Raspberry Pi"):
        open_factory(name)


def test_output_is_low_before_it_becomes_an_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """The level is given together with the direction, never after it."""
    calls: list[tuple[str, object]] = []

    class Recorder(MockPWMPin):  # type: ignore[misc]
        def output_with_state(self, state: bool) -> None:
            calls.append(("output_with_state", state))
            super().output_with_state(state)

        def _set_function(self, value: str) -> None:
            calls.append(("function", value))
            super()._set_function(value)

    OutputPin(MockFactory(pin_class=Recorder), 12, dimmable=True)
    assert calls[0] == ("output_with_state", False)


def test_lamp_that_is_only_switched_never_starts_pulses() -> None:
    """On and off need no pulse thread."""
    factory = open_factory("mock")
    lamp = OutputPin(factory, 17, dimmable=True)
    lamp.show(1.0)
    assert factory.pin(17).frequency is None
    lamp.show(0.25)
    assert factory.pin(17).frequency == 100
    lamp.show(1.0)
    assert factory.pin(17).frequency == 100
    assert [state.state for state in factory.pin(17).states] == [0, 1, 0.25, 1]
    lamp.close()
    assert factory.pin(17).state == 0
    assert factory.pin(17).frequency is None


@pytest.mark.parametrize("dimmable", [True, False])
def test_pin_without_pulses_is_on_from_half(dimmable: bool) -> None:
    """Where a level between cannot be shown, half and more is on."""
    factory = MockFactory(pin_class=MockPin)
    lamp = OutputPin(factory, 17, dimmable=dimmable)
    lamp.show(0.4)
    lamp.show(0.6)
    lamp.show(0.7)
    assert [state.state for state in factory.pin(17).states] == [False, True]
