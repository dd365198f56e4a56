"""The kernel's view of the pins, where there is no header; `make test-gpio` has the genuine lines."""

from pathlib import Path

import pytest

from hardware import lines


def test_machine_without_a_header_says_which_chips_it_has(tmp_path: Path) -> None:
    """Nothing is guessed: no chip, or only others, is an error that lists them."""
    with pytest.raises(OSError, match="got no gpiochip at all"):
        lines.header_chip(tmp_path)
    for name in ("gpiochip10", "gpiochip2", "gpiochips", "null"):
        (tmp_path / name).touch()
    with pytest.raises(OSError, match=r"got gpiochip2 \(.*ioctl.*\), gpiochip10 \(.*ioctl.*\)"):
        lines.header_chip(tmp_path)


def test_records_have_the_sizes_of_the_kernel_s_header() -> None:
    """linux/gpio.h fixes them for ever; the number of each call is made of its size."""
    sizes = (lines._CHIP_INFO, lines._LINE_INFO, lines._LINE_CONFIG, lines._LINE_REQUEST)
    assert [each.size for each in sizes] == [68, 256, 272, 592]
    calls = (lines._GET_CHIP_INFO, lines._GET_LINE_INFO, lines._GET_LINE, lines._SET_CONFIG)
    assert calls == (0x8044B401, 0xC100B405, 0xC250B407, 0xC110B40D)
