"""From a contact to a press and from a press to a lamp, on simulated lines beside a bare RPi.GPIO callback.

Runs in the guest of `make bench-gpio`, where all figures come from one run on one processor: read the ratios. A
simulated edge waits for the guest's next tick, up to 10 ms, where a real one is an interrupt; what follows is the same
code. A press is told when its release has stood still for 30 ms, because until then it may become a hold.
"""

import logging
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from gpiozero import Factory

from controller.mosquitto import Mosquitto
from hardware import lamps
from hardware.buzzer import SILENT
from hardware.pins import open_factory
from hardware.seats import PinSeats
from hardware.wiring import DEFAULT_WIRING
from tests.controller.live_service import ROOT, Display, config_in, film_in
from tests.gpio.bank import Bank, wait_until

ROUNDS = 100
SERVICE_ROUNDS = 30
BARE = 10
"""A pin of the header that the table leaves free."""
BUTTON, LAMP = DEFAULT_WIRING.seats[0].button, DEFAULT_WIRING.seats[0].green
DOWN_S, UP_S = 0.06, 0.03
"""A short press, and a pause in which the release is over."""
TICK_S = 0.02
"""How long the service's loop waits for news before it looks by itself."""

Times = list[float]
"""Seconds."""


def main() -> None:
    """Measure the pins in this process, then the whole service in its own."""
    header = Bank("bench", "pinctrl-bcm2711")
    try:
        factory = open_factory("rpigpio")
        try:
            bare, queued, told, lit = in_this_process(header, factory)
        finally:
            factory.close()
        felt, served = through_the_service(header)
    finally:
        header.close()
    print(f"{'':34}{'median ms':>10}{'p99 ms':>10}{'median beside bare':>20}")
    for name, times in {
        "edge to bare callback": bare,
        "edge to queued edge": queued,
        "release to press told": told,
        "press told to lamp": lit,
        "edge to felt lamp, whole service": felt,
        "release to answer, whole service": served,
    }.items():
        print(
            f"{name:36}{statistics.median(times) * 1e3:8.2f}{percentile(times, 99) * 1e3:10.2f}"
            f"{statistics.median(times) / statistics.median(bare):20.2f}"
        )
    print(f"{ROUNDS} presses in one process, {SERVICE_ROUNDS} through the service while its camera runs")


def percentile(times: Sequence[float], percent: int) -> float:
    """The smallest time that so many percent do not exceed."""
    return sorted(times)[max(0, -(-len(times) * percent // 100) - 1)]


def in_this_process(header: Bank, factory: Factory) -> tuple[Times, Times, Times, Times]:
    """A bare callback, our queued edge, the press and the lamp, in turn, so that none has a better day."""
    news = threading.Event()
    woken: queue.SimpleQueue[float] = queue.SimpleQueue()
    called: queue.SimpleQueue[float] = queue.SimpleQueue()

    def wake() -> None:
        woken.put(time.perf_counter())
        news.set()

    bare: Times = []
    queued: Times = []
    told: Times = []
    lit: Times = []
    header.release(BUTTON)
    with PinSeats(
        wiring=DEFAULT_WIRING,
        pin_factory=factory,
        clock_ns=time.monotonic_ns,
        wake=wake,
        logger=logging.getLogger("bench"),
    ) as seats:
        from RPi import GPIO  # here: lgpio is first loaded by open_factory

        GPIO.setup(BARE, GPIO.IN, pull_up_down=GPIO.PUD_UP)
        GPIO.add_event_detect(BARE, GPIO.FALLING, callback=lambda pin: called.put(time.perf_counter()))
        for _ in range(ROUNDS):
            start = time.perf_counter()
            header.press(BARE)
            bare.append(called.get(timeout=1) - start)
            header.release(BARE)

            start = time.perf_counter()
            header.press(BUTTON)
            queued.append(woken.get(timeout=1) - start)
            time.sleep(DOWN_S)
            seats.presses(time.monotonic_ns())

            start = time.perf_counter()
            header.release(BUTTON)
            while not seats.presses(time.monotonic_ns()):
                news.wait(TICK_S)
                news.clear()
            pressed = time.perf_counter()
            told.append(pressed - start)
            answer(seats, lamps.COUNTED)
            assert header.level(LAMP) == 1
            lit.append(time.perf_counter() - pressed)
            answer(seats, lamps.OFF)
            woken.get(timeout=1)
            time.sleep(UP_S)
        GPIO.remove_event_detect(BARE)
    return bare, queued, told, lit


def answer(seats: PinSeats, sign: int) -> None:
    """Flash this sign at seat 0."""
    off = (lamps.OFF, 0, 0)
    flash = (0, sign, time.monotonic_ns())
    seats.show([off, off, off, off], answer=flash, referee=lamps.OFF, sound=(SILENT, 0))


def through_the_service(header: Bank) -> tuple[Times, Times]:
    """The real service with camera, journal and broker: a player who is not on turn presses.

    All of his lamp is lit while his finger is down, by the thread of the pins; red flashes when the game has answered.
    """
    seat = DEFAULT_WIRING.seats[3]
    for each in DEFAULT_WIRING.seats:
        header.release(each.button)
    felt: Times = []
    answered: Times = []
    with tempfile.TemporaryDirectory() as name, Mosquitto(Path(name)) as broker:
        config = config_in(Path(name), film=film_in(Path(name)), port=broker.port, pin_factory="rpigpio")
        display = Display(broker.port)
        service = subprocess.Popen(
            [sys.executable, "-m", "controller", "run", str(config)], cwd=ROOT, stderr=subprocess.DEVNULL
        )
        try:
            display.wait_for("connection", lambda body: body["status"] == "online")
            display.order("start_game", names=["S", "W", "N", "E"])
            display.order("start_set")
            display.wait_for("event/domino_laid")
            for _ in range(SERVICE_ROUNDS):
                wait_until(lambda: lit_lamps(header) == (0, 0, 0), "the lamp of seat 3 to be dark")
                start = time.perf_counter()
                header.press(seat.button)
                wait_until(lambda: lit_lamps(header) == (1, 1, 1), "the lamp of seat 3 to feel the finger")
                felt.append(time.perf_counter() - start)
                time.sleep(max(0.0, start + DOWN_S - time.perf_counter()))
                start = time.perf_counter()
                header.release(seat.button)
                wait_until(lambda: lit_lamps(header) == (0, 0, 1), "the lamp of seat 3 to refuse")
                answered.append(time.perf_counter() - start)
                time.sleep(0.5)
        finally:
            service.terminate()
            service.wait()
            display.close()
    return felt, answered


def lit_lamps(header: Bank) -> tuple[int, int, int]:
    """Which of seat 3's lamps are lit: green, yellow, red."""
    seat = DEFAULT_WIRING.seats[3]
    return header.level(seat.green), header.level(seat.yellow), header.level(seat.red)


if __name__ == "__main__":
    main()
