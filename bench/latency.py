"""From a frame in hand to the event at a second MQTT client, with the journal on disk; and a service's memory.

Run: python -m bench.latency. Times are real; the table's own clock is stepped by frames, so that nobody waits for a
hand to leave. Beside each figure stands the decoding of the same frame from JPEG, measured in the same run.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import paho.mqtt.client as paho
from numpy.typing import NDArray
from paho.mqtt.enums import CallbackAPIVersion

from controller.app import BackgroundService, Service
from controller.config import BrokerConfig, CameraConfig, Config, JournalConfig, SeatsConfig, TableConfig
from controller.game.line import Line
from controller.game.tiles import End, Seat
from controller.mosquitto import Mosquitto
from hardware.pins import open_factory
from vision.camera import CameraEnded, Frame
from vision.layout import LineLayout, Lying
from vision.look import Look
from vision.reader import read
from vision.render import Backdrop, Reaching
from vision.rig import Rig

SIZE_PX = (1440, 1080)
FRAME_NS = 100_000_000
SETS = 5
STILL_FRAMES = 8
REST_FRAMES = 3
"""Too few for the table to count as at rest."""
MOVES = 24
RUN_S = 12.0
EVENT_S = 0.5
"""So long the camera waits after a frame for the event that it may have caused."""


Bgr = NDArray[np.uint8]


class Ear:
    """A second client that notes when each event arrives."""

    def __init__(self, host: str, port: int) -> None:
        self.arrived: queue.Queue[tuple[float, str]] = queue.Queue()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id="bench-ear")
        self._client.on_message = self._hear
        self._client.connect(host, port)
        self._client.subscribe("gameline/v1/bench/#", qos=1)
        self._client.loop_start()

    def _hear(self, client: paho.Client, userdata: object, message: paho.MQTTMessage) -> None:
        self.arrived.put((time.perf_counter(), message.topic.rsplit("/", 1)[-1]))

    def order(self, name: str, **arguments: object) -> None:
        """Send a referee command."""
        body = {"id": str(uuid.uuid4()), "sent_ms": time.time_ns() // 1_000_000, "by": "bench", "client": "bench"}
        self._client.publish(
            f"gameline/v1/bench/cmd/{name}", json.dumps({**body, **arguments}), qos=1
        ).wait_for_publish()

    def wait_for(self, topic: str, timeout_s: float = 10.0) -> float:
        """When the next message whose topic ends in `topic` arrived."""
        deadline = time.perf_counter() + timeout_s
        while True:
            at, heard = self.arrived.get(timeout=max(0.01, deadline - time.perf_counter()))
            if heard == topic:
                return at

    def close(self) -> None:
        """Leave."""
        self._client.loop_stop()


def moves(rng: np.random.Generator) -> Iterator[tuple[End, int, int]]:
    """Moves of one set that nobody's hand forbids: (end, inner, outer)."""
    line = Line()
    while len(line.placed) < MOVES and not line.is_locked:
        possible = [
            (end, inner, tile.high if inner == tile.low else tile.low)
            for tile in sorted(line.unplayed)
            for end in ((End.L, End.R) if line.placed else (End.FIRST,))
            for inner in sorted({tile.low, tile.high})
            if line.open_suit(end) in (None, inner)
        ]
        end, inner, outer = possible[int(rng.integers(len(possible)))]
        line = line.with_tile(inner, outer, end, Seat.S0)
        yield end, int(inner), int(outer)


def _laid(layout: LineLayout, end: End, inner: int, outer: int) -> Lying:
    return layout.first(inner, outer) if end is End.FIRST else layout.add("L" if end is End.L else "R", inner, outer)


class StagedCamera:
    """A camera that lays dominoes and measures how long each takes to become an event."""

    def __init__(self, ear: Ear) -> None:
        rng = np.random.default_rng(7)
        self._rng = rng
        self._ear = ear
        self.rig = Rig(*SIZE_PX)
        self.read_frames: list[Bgr] = []
        self.failure: str | None = None
        self._backdrop = Backdrop(self.rig, Look(), rng)
        self._film = self._frames()
        self._number = 0
        self._handed_s = 0.0
        self._is_awaited = False
        self.now_ns = 1_000_000_000
        self.latencies_s: list[float] = []
        self.over = threading.Event()

    def read(self) -> Frame:
        """The next frame, once the one before has had its time to become an event."""
        if self._is_awaited:
            self._hear()
        bgr = next(self._film, None)
        if bgr is None:
            self.over.set()
            raise CameraEnded("the bench is over")
        self._number += 1
        self.now_ns += FRAME_NS
        self._handed_s = time.perf_counter()
        return Frame(bgr, self.now_ns, self._number)

    def close(self) -> None:
        """Nothing to let go of."""

    def _hear(self) -> None:
        try:
            self.latencies_s.append(self._ear.wait_for("domino_laid", EVENT_S) - self._handed_s)
            self.read_frames.append(self._backdrop.picture().bgr)
            self._is_awaited = False
        except queue.Empty:
            pass

    def _frames(self) -> Iterator[Bgr]:
        for _ in range(SETS):
            layout = LineLayout(self._rng)
            yield from self._lie_still([])
            self._ear.order("start_game", names=["0", "1", "2", "3"], abandon=True)
            self._ear.order("start_set")
            self._ear.wait_for("set_started")
            for end, inner, outer in moves(self._rng):
                new = _laid(layout, end, inner, outer)
                yield self._picture(Reaching(0, new.x_mm, new.y_mm, new))
                self._backdrop.lay(layout.lying)
                yield self._picture(Reaching(0, new.x_mm, new.y_mm))
                for _ in range(REST_FRAMES):
                    yield self._picture()
                self._is_awaited = True
                for _ in range(STILL_FRAMES):
                    if self._is_awaited:
                        yield self._picture()
                if self._is_awaited:
                    self.failure = f"no event came for {inner}-{outer}: the reader did not see it"
                    return

    def _lie_still(self, lying: list[Lying]) -> Iterator[Bgr]:
        self._backdrop.lay(lying)
        for _ in range(STILL_FRAMES):
            yield self._picture()

    def _picture(self, *arms: Reaching) -> Bgr:
        return self._backdrop.picture(arms).bgr


def measure_latency(place: Path) -> None:
    """Print frame-to-event times beside the read alone and beside the frame's decoding."""
    with Mosquitto(place) as broker, contextlib.closing(Ear(broker.host, broker.port)) as ear:
        camera = StagedCamera(ear)
        config = Config(
            table=TableConfig(name="bench", corners_px=camera.rig.table().corners_px),
            camera=CameraConfig(kind="folder", path="-", stale_s=60.0),
            seats=SeatsConfig(pin_factory="mock"),
            broker=BrokerConfig(host=broker.host, port=broker.port),
            journal=JournalConfig(path=str(place / "journal.sqlite")),
        )
        log = logging.getLogger("bench")
        log.addHandler(logging.NullHandler())
        factory = open_factory("mock")
        service = BackgroundService(
            lambda: Service(config, camera=camera, pin_factory=factory, clock_ns=lambda: camera.now_ns, logger=log)
        )
        service.start()
        while not camera.over.wait(1.0) and service.failure is None:
            pass
        service.stop()
        if service.failure or camera.failure:
            raise SystemExit(f"bench.latency: {service.failure or camera.failure}")
    table = camera.rig.table()
    reads_s = [_seconds(lambda bgr=bgr: read(bgr, table=table)) for bgr in camera.read_frames]  # type: ignore[misc]
    decode_s = statistics.median(_decode_s(bgr) for bgr in camera.read_frames)
    _report(camera.latencies_s, reads_s, decode_s)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _decode_s(bgr: Bgr) -> float:
    _, jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return _seconds(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR))


def _report(latencies_s: list[float], reads_s: list[float], decode_s: float) -> None:
    beyond_s = [total - alone for total, alone in zip(latencies_s, reads_s, strict=True)]
    print(f"{len(latencies_s)} moves, {SIZE_PX[0]}x{SIZE_PX[1]}, decode {decode_s * 1e3:.1f} ms")
    for name, values in (("frame to event", latencies_s), ("of it the read", reads_s), ("beyond the read", beyond_s)):
        median, p99 = statistics.median(values), float(np.percentile(values, 99))
        print(
            f"{name:<16} median {median * 1e3:7.1f} ms  p99 {p99 * 1e3:7.1f} ms  median/decode {median / decode_s:5.1f}"
        )


def measure_memory(place: Path) -> None:
    """Print the peak memory of a service that watches a film of a growing line."""
    rng = np.random.default_rng(3)
    rig, film = Rig(*SIZE_PX), place / "film"
    film.mkdir()
    backdrop, layout = Backdrop(rig, Look(), rng), LineLayout(rng)
    number = 0
    for end, inner, outer in moves(rng):
        _laid(layout, end, inner, outer)
        backdrop.lay(layout.lying)
        for _ in range(STILL_FRAMES):
            cv2.imwrite(str(film / f"{number:04d}.jpg"), backdrop.picture().bgr)
            number += 1
    config = place / "gameline.toml"
    config.write_text(
        f'[camera]\nkind = "folder"\npath = "{film}"\nfps = 15.0\n[seats]\npin_factory = "mock"\n'
        f'[journal]\npath = "{place / "memory.sqlite"}"\n[broker]\nport = 1\n'
    )
    command = [sys.executable, "-m", "controller", "run", str(config)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as service:
        time.sleep(RUN_S)
        status = Path(f"/proc/{service.pid}/status").read_text()
        service.terminate()
    peak_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    print(
        f"service          peak memory {peak_kb / 1024:.0f} MB in {RUN_S:g} s of a growing line at 15 frames a second"
    )


def main() -> None:
    """Measure everything on one thread, as beside the other work of a Raspberry Pi."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory(prefix="gameline-bench-") as place:
        measure_latency(Path(place))
        measure_memory(Path(place))


if __name__ == "__main__":
    main()
