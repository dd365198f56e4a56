"""One table of the harness: service, broker, the network between, seat board and camera, each a real process or port.

It is looked after as systemd looks after it: a service that ends is started again. What goes wrong with it, and what
is played at it, others know.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.mosquitto import Mosquitto
from tests.chaos.listener import TABLE, Listener
from tests.chaos.proxy import Proxy
from tests.chaos.scene import SIZE_PX, Scene
from tests.chaos.service import SPEED
from tests.firmware_bridge.unix_board import UnixBoard

ROOT = Path(__file__).parents[2]
RESTART_S = 0.2
"""The unit says 2 s; nothing here depends on it but the harness's own time."""
STOP_S = 25.0
STALE_S = 2.0
"""As configured without a word, of the real time: the reader does not read faster where the clock runs so."""
ACKNOWLEDGE = 4
PRESS_MS = 80


@dataclass(frozen=True)
class End:
    """How a service ended, by itself or not."""

    code: int
    said: str


class Table:
    """Everything of one table in one folder.

    Args:
        folder: an existing one, empty.
        scene: draws what its camera sees.
        environment: of the service, beside our own.
        cap: put in front of the service's command.
        speed: so many times as fast as the real one runs the clock of service and seat board.
    """

    def __init__(
        self,
        folder: Path,
        scene: Scene,
        *,
        environment: Mapping[str, str] | None = None,
        cap: tuple[str, ...] = (),
        speed: int = 1,
    ) -> None:
        self.folder = folder
        self.scene = scene
        self.state = folder / "state"
        self.journal = self.state / "journal.sqlite"
        self.picture = folder / "table.jpg"
        """What the camera sees, if it is there."""
        self.camera = folder / "camera"
        self.log = folder / "service.log"
        self.ends: list[End] = []
        self.is_held = False
        """Whether the service is not to be started again for now."""
        self.environment = {**(environment or {}), SPEED: str(speed)}
        self._cap = cap
        self._speed = speed
        self._service: subprocess.Popen[bytes] | None = None
        self._launched: list[subprocess.Popen[bytes]] = []
        self._ended_s = 0.0
        self._log_begins = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            for name in ("state", "broker", "board"):
                (self.folder / name).mkdir(exist_ok=True)
            self.scene.show((), self.picture)
            self.plug_camera()
            self.broker = undo.enter_context(Mosquitto(self.folder / "broker", persistence=True))
            self.network = undo.enter_context(Proxy(self.broker.port))
            self.board = undo.enter_context(UnixBoard(self.folder / "board", speed=self._speed))
            self.config = self.write_config("gameline.toml", self.journal)
            self.listener = undo.enter_context(Listener(self.broker.port))
            undo.callback(self._end_all)
            self.start()
            self._stack = undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def write_config(self, name: str, journal: Path, *, seats: str | None = None) -> Path:
        """A configuration of this table, with another journal or other seats for a second service."""
        width_px, height_px = SIZE_PX
        path = self.folder / name
        path.write_text(
            f'[table]\nname = "{TABLE}"\ncorners_px = {self.scene.corners_px}\n'
            f'[camera]\nkind = "v4l2"\npath = "{self.camera}"\nwidth_px = {width_px}\nheight_px = {height_px}\n'
            f"stale_s = {STALE_S * self._speed}\n"
            f"[seats]\n{seats or self._seats()}\n[broker]\nport = {self.network.port}\nreconnect_s = [1, 2]\n"
            f'[journal]\npath = "{journal}"\n'
        )
        return path

    def _seats(self) -> str:
        return f'kind = "board"\nport = "{self.board.path}"'

    # --- the service ---

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The service while it runs."""
        return self._service

    def launch(self, config: Path, log: Path) -> subprocess.Popen[bytes]:
        """A service with this configuration, whoever looks after it."""
        service = [sys.executable, "-m", "tests.chaos.service", "run", str(config)]
        with log.open("ab") as said:
            self._launched.append(
                subprocess.Popen(
                    [*self._cap, "setpriv", "--pdeathsig", "KILL", *service],  # of util-linux: it ends with us
                    cwd=ROOT,
                    stdout=said,
                    stderr=said,
                    env={**os.environ, **self.environment},
                )
            )
        return self._launched[-1]

    def start(self) -> None:
        """Start the service, whatever became of the last one."""
        self._log_begins = self.log_bytes
        self._service = self.launch(self.config, self.log)

    def tend(self) -> None:
        """What systemd does: note how the service ended, and start it again."""
        if self._service is not None and self._service.poll() is not None:
            self._note_end(self._service)
        if self._service is None and not self.is_held and time.monotonic() - self._ended_s > RESTART_S:
            self.start()

    def kill(self) -> None:
        """kill -9."""
        self.stop(signal.SIGKILL)

    def stop(self, number: int = signal.SIGTERM) -> None:
        """A signal, and wait for the end."""
        if self._service is not None:
            self._service.send_signal(number)
            self._service.wait(STOP_S)
            self._note_end(self._service)

    def _end_all(self) -> None:
        for service in self._launched:
            service.kill()
            service.wait()

    def _note_end(self, service: subprocess.Popen[bytes]) -> None:
        self.ends.append(End(service.returncode, self.said(self._log_begins)))
        self._service, self._ended_s = None, time.monotonic()

    @property
    def log_bytes(self) -> int:
        """How much was said so far."""
        return self.log.stat().st_size if self.log.exists() else 0

    def said(self, after: int = 0) -> str:
        """What the services said on stderr, from this byte on."""
        return self.log.read_bytes()[after:].decode("utf-8", "replace") if self.log.exists() else ""

    # --- the table's own parts ---

    def plug_camera(self) -> None:
        """Its device appears."""
        self.camera.symlink_to(self.picture)

    def pull_camera(self) -> None:
        """Its device is gone; what lies on the table goes on."""
        self.camera.unlink()

    def press(self, button: int, held_ms: int = PRESS_MS) -> None:
        """A finger."""
        self.board.move((button, True), held_ms, (button, False))

    def buzzes(self) -> bool:
        """Whether the buzzer has current."""
        return self.board.shows("buzzer") == "1"
