"""The wiring: what is closed first, and that no start and no thread fails silently."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from gpiozero import Pin

from controller import inbox
from controller.app import BackgroundService, Service
from controller.calibration import keep
from controller.codec import UnknownEvent
from controller.config import BrokerConfig, CameraConfig, Config, JournalConfig, SeatsConfig, TableConfig, ViewConfig
from controller.game.seen import Arm, Sighting
from controller.game.tiles import MonoNs, Seat
from controller.journal import Draft, Journal
from controller.lookout import item_of
from controller.mosquitto import Mosquitto
from hardware.pins import open_factory
from hardware.wiring import DEFAULT_WIRING
from tests.controller.live_service import Display
from tests.vision.driver import Driver
from vision.calibration import Calibration, Score
from vision.frame import Frame
from vision.geometry import Table
from vision.labels import labelled
from vision.reading import Reading
from vision.rest import rest_of
from vision.rig import Rig
from vision.watch import HandSeen, Settled

LOG = logging.getLogger("test")


def config_in(folder: Path) -> Config:
    """A table without a broker, its journal in `folder`."""
    return Config(
        table=TableConfig(calibration=str(folder / "calibration.json")),
        camera=CameraConfig(kind="folder", path="-"),
        seats=SeatsConfig(pin_factory="mock"),
        broker=BrokerConfig(port=1),
        journal=JournalConfig(path=str(folder / "journal.sqlite")),
    )


class Camera:
    """A camera that remembers what the buzzer did when it was let go."""

    def __init__(self, buzzer: Pin) -> None:
        self.buzzer = buzzer
        self.level_at_close: float | None = None

    def read(self) -> Frame:
        return Frame(np.full((48, 64, 3), 99, np.uint8), time.monotonic_ns(), 0)

    def close(self) -> None:
        self.level_at_close = self.buzzer.state


def test_service_falls_silent_before_it_waits_for_camera_and_broker_to_go(tmp_path: Path) -> None:
    """Ended in the middle of a buzz, it does not buzz on while the other parts take their time."""
    factory = open_factory("mock")
    buzzer = factory.pin(DEFAULT_WIRING.buzzer)
    camera = Camera(buzzer)
    with Service(config_in(tmp_path), camera=camera, pin_factory=factory, logger=LOG) as service:
        service.engine.turn(timeout_s=1.0)
        buzzer.state = True
    assert camera.level_at_close == 0


def test_service_closes_everything_when_its_start_fails(tmp_path: Path) -> None:
    """A journal with events of a later version ends the start; lamps, journal and network are given back."""
    config = config_in(tmp_path)
    path = Path(config.journal.path)
    with Journal(path, boot_id="later", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
        journal.append([Draft("domino_flew", 1, {})])
    service = Service(config, pin_factory=open_factory("mock"), logger=LOG)
    with pytest.raises(UnknownEvent, match=r"domino_flew.*update Gameline"), service:
        raise AssertionError("it must not have started")
    with Journal(path, boot_id="next", wall_utc=lambda: "", clock_synchronised=lambda: True) as journal:
        assert journal.last_sequence == 1


def test_background_service_says_why_it_ended_whatever_it_was() -> None:
    """A fault of ours in the service's thread is told to whoever waits for it."""

    def make() -> Service:
        raise ZeroDivisionError("division by zero")

    background = BackgroundService(make)
    background.start()
    background.stop()
    assert background.failure == "a fault of ours, ZeroDivisionError: division by zero"


def test_background_service_keeps_no_camera_waiting_for_a_loop_that_has_ended(tmp_path: Path) -> None:
    """What comes in after the loop's last round is decided by nobody: whoever waits for it goes on at once."""
    made: list[Service] = []
    factory = open_factory("mock")

    class LateCamera(Camera):
        def close(self) -> None:
            made[0].engine.submit(inbox.Wake())
            background.wait_until_quiet()
            super().close()

    camera = LateCamera(factory.pin(DEFAULT_WIRING.buzzer))

    def make() -> Service:
        made.append(Service(config_in(tmp_path), camera=camera, pin_factory=factory, logger=LOG))
        return made[0]

    background = BackgroundService(make)
    background.start()
    start_s = time.monotonic()
    background.stop()
    assert (background.failure, camera.level_at_close) == (None, 0)
    assert time.monotonic() - start_s < 4


def first_picture(service: Service, origin: str) -> bytes:
    """The picture on its page, as soon as the camera has given one."""
    deadline = time.monotonic() + 10
    while True:
        service.engine.turn(timeout_s=0.1)
        try:
            with urllib.request.urlopen(f"{origin}/picture/raw.jpg", timeout=5) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError:
            if time.monotonic() > deadline:
                raise


def test_technicians_page_shows_what_the_service_sees_and_a_port_that_is_taken_stops_no_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Switched on by the configuration; a second table on the same port plays without a page, and says so."""
    with socket.socket() as finder:
        finder.bind(("127.0.0.1", 0))
        port = finder.getsockname()[1]
    config = msgspec.structs.replace(config_in(tmp_path), view=ViewConfig(port=port, cases=str(tmp_path / "cases")))
    other = msgspec.structs.replace(config, journal=JournalConfig(path=str(tmp_path / "other.sqlite")))
    factory = open_factory("mock")
    camera = Camera(factory.pin(DEFAULT_WIRING.buzzer))
    with Service(config, camera=camera, pin_factory=factory, logger=LOG) as service:
        origin = f"http://127.0.0.1:{port}"
        assert first_picture(service, origin).startswith(b"\xff\xd8")
        save = urllib.request.Request(f"{origin}/save/raw", b"", {"Origin": origin})
        with urllib.request.urlopen(save, timeout=20) as answer:
            assert "labels.jsonl" in json.loads(answer.read())["said"]
        assert len(labelled(tmp_path / "cases")) == 1
        with Service(other, camera=camera, pin_factory=open_factory("mock"), logger=LOG) as second:
            second.engine.turn(timeout_s=1.0)
        assert "expected an address to listen on" in caplog.text
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{origin}/state", timeout=5)


def test_camera_that_does_not_hold_as_calibrated_is_told_in_health_until_it_does(
    tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time it is opened it is asked what it kept: the code is there with the sentence, and gone after a replug."""
    monkeypatch.setattr("vision.lookout.REOPEN_S", 0.05)
    (tmp_path / "usb-camera").touch()
    rest = rest_of(np.full((720, 1280, 3), 99, np.uint8), None)
    held = {"auto_exposure": 1.0, "exposure": 200.0}
    score = Score(0.4, 17.0, 1.0, 2.0, ())
    keep(tmp_path / "calibration.json", Calibration((1280, 720), Rig().table(), 48.0, score, rest, held))
    is_replugged = threading.Event()

    def until_replugged() -> Iterator[float]:
        while not is_replugged.wait(0.05):
            yield time.monotonic_ns() / 1e6

    def afterwards() -> Iterator[float]:
        while True:
            yield time.monotonic_ns() / 1e6
            time.sleep(0.05)

    size = (1280, 720)
    usual = {"auto_exposure": 3.0, "exposure": 157.0}
    first = Driver(usual, frozenset({"exposure"}), until_replugged(), size)
    drivers = iter((first, Driver(usual, stamps_ms=afterwards(), size=size)))
    monkeypatch.setattr("vision.camera.cv2.VideoCapture", lambda *_: next(drivers))
    config = msgspec.structs.replace(
        config_in(tmp_path),
        table=TableConfig(name="hall", calibration=str(tmp_path / "calibration.json")),
        camera=CameraConfig(kind="v4l2", path=str(tmp_path / "usb-camera")),
        broker=BrokerConfig(port=mosquitto.port),
    )
    display = Display(mosquitto.port)
    service = BackgroundService(lambda: Service(config, pin_factory=open_factory("mock"), logger=LOG))
    service.start()
    try:
        told = display.wait_for("health", lambda parts: "not_held" in parts["camera"]["codes"])["camera"]
        assert told["codes"] == ["not_held"]
        assert told["why"].startswith("the camera does not hold exposure as it did when it was calibrated: run")
        is_replugged.set()
        display.wait_for("health", lambda parts: parts["camera"] == {"status": "ok", "why": "", "codes": []})
    finally:
        service.stop()
        display.close()
    assert service.failure is None


def test_service_tells_whose_arm_was_over_the_table() -> None:
    """A scene that has settled comes into the loop with the seat from whose side the arm came, if one was made out.

    Where nobody has said how the table lies in the picture a side of it is nobody's.
    """
    table = Table(((10, 4), (50, 4), (50, 44), (10, 44)))
    hand = HandSeen(2, 0.9)
    for seen, where, arm in ((hand, table, Arm(Seat.S2, 0.9)), (None, table, None), (hand, None, None)):
        item = item_of(Settled(Reading(), 5, Frame(np.zeros((48, 64, 3), np.uint8), 5, 1), seen), where)
        assert item == inbox.Seen(MonoNs(5), Sighting(), arm)
