"""The whole service as a real process between genuine lines and a real broker: press to message, kill -9 to silence."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.mosquitto import Mosquitto
from hardware.wiring import DEFAULT_WIRING, outputs
from tests.controller.live_service import ROOT, Display, config_in, end, film_in
from tests.gpio.bank import Bank, banks, wait_until
from tests.gpio.conftest import OTHER_CHIPS

Start = Callable[[], "subprocess.Popen[str]"]
BUZZER = DEFAULT_WIRING.buzzer
SEATS = DEFAULT_WIRING.seats


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film_in(tmp_path_factory.mktemp("film"))


@pytest.fixture
def header() -> Iterator[Bank]:
    """The header of a table whose SPI bus has been left on: it holds the button of seat 3."""
    with banks(*OTHER_CHIPS):
        header = Bank("header", "pinctrl-bcm2711", hogs={SEATS[3].button: "spi0 CS0"})
        for seat in SEATS[:3]:
            header.release(seat.button)
        yield header
        header.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def display(broker: Mosquitto) -> Iterator[Display]:
    made = Display(broker.port)
    yield made
    made.close()


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path, film: Path, broker: Mosquitto) -> Path:
    library = getattr(request, "param", "rpigpio")
    return config_in(tmp_path, film=film, port=broker.port, pin_factory=library)


@pytest.fixture
def start(header: Bank, config: Path, tmp_path: Path) -> Iterator[Start]:
    """Start the service as its unit does, in its own state folder; whatever the test leaves running is killed."""
    running: list[subprocess.Popen[str]] = []

    def start_it() -> "subprocess.Popen[str]":
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "LG_WD": str(tmp_path)}
        command = [sys.executable, "-m", "controller", "run", str(config)]
        running.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environ))
        return running[-1]

    yield start_it
    for service in running:
        service.kill()
        service.communicate()


def push(header: Bank, line: int, seconds: float) -> None:
    """Press a button for so long."""
    header.press(line)
    time.sleep(seconds)
    header.release(line)


@pytest.mark.parametrize("config", ["rpigpio", "lgpio"], indirect=True)
def test_press_becomes_a_message_and_a_light_and_the_buzzer_survives_no_kill(
    start: Start, config: Path, broker: Mosquitto, display: Display, header: Bank
) -> None:
    """From the contact to the display and the lamp; then the referee is called, and the service dies in mid-phrase."""
    service = start()
    display.wait_for("connection", lambda body: body["status"] == "online")
    late = Display(broker.port)  # health is retained, and the first display may have passed over it
    health = late.wait_for("health", lambda body: body["seats"]["why"])
    late.close()
    assert "seat 3: button on GPIO 8 does not work ('spi0 CS0' holds it)" in health["seats"]["why"]
    assert not any(header.level(line) for line in outputs(DEFAULT_WIRING))

    assert display.order("start_game", names=["S", "W", "N", "E"])["accepted"]
    display.order("start_set")
    display.wait_for("event/domino_laid")
    wait_until(lambda: header.level(SEATS[1].green) == 1, "the lamp of the seat on turn")
    push(header, SEATS[1].button, 0.08)
    passed = display.wait_for("event/passed")
    assert passed["body"]["seat"] == 1
    wait_until(lambda: header.level(SEATS[1].green) == 0, "the lamp of the seat that has passed to go out")
    wait_until(lambda: header.level(SEATS[2].green) == 1, "the lamp of the next seat")

    header.press(SEATS[2].button)
    wait_until(lambda: header.level(BUZZER) == 1, "the buzzer to call the referee")
    service.send_signal(signal.SIGKILL)
    service.wait()
    header.release(SEATS[2].button)
    assert header.level(BUZZER) == 1
    subprocess.run([sys.executable, "-m", "controller", "silence", str(config)], cwd=ROOT, check=True)
    assert not any(header.level(line) for line in outputs(DEFAULT_WIRING))


def test_service_that_is_stopped_is_dark_and_silent(start: Start, display: Display, header: Bank) -> None:
    """SIGTERM in the middle of a phrase: every line low by the time the process has gone."""
    service = start()
    display.wait_for("connection", lambda body: body["status"] == "online")
    display.order("start_game", names=["S", "W", "N", "E"])
    display.order("start_set")
    header.press(SEATS[2].button)
    wait_until(lambda: header.level(BUZZER) == 1, "the buzzer to call the referee")
    code, said = end(service, signal.SIGTERM)
    assert (code, "Traceback" in said) == (0, False)
    assert not any(header.level(line) for line in outputs(DEFAULT_WIRING))
