"""Tests on what a kernel simulates: `make test-gpio` runs them in its guest, `make test` leaves them out."""

from collections.abc import Iterator

import pytest

from tests.gpio.bank import CONFIG, Bank, banks

collect_ignore_glob = [] if CONFIG.exists() else ["test_*.py"]

OTHER_CHIPS = ("brcmvirt-gpio", "raspberrypi-exp-gpio")
"""Chips of a real Pi that come before the header's, so that the first one is never the right one."""


@pytest.fixture(scope="session")
def header() -> Iterator[Bank]:
    """The header's chip, as the third of three."""
    with banks(*OTHER_CHIPS, "pinctrl-bcm2711") as chips:
        yield chips[-1]
