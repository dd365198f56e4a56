"""A private mosquitto broker on this computer for the demonstration and the tests; never the broker of a real table."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ADDRESS = "127.0.0.1"
START_S = 5.0  # a Raspberry Pi Zero with a worn card needs about one
STOP_S = 5.0
PORT_TRIES = 5  # between choosing a free port and the broker's taking it, another program may take it
_PLACES = "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin"  # where it lies outside a person's PATH


class MosquittoError(RuntimeError):
    """The broker is not there or does not start; the message says what to do."""


class Mosquitto:
    """A broker process of our own that nobody else can reach; it ends with the thread that started it.

    Example:
        with Mosquitto(directory) as broker:
            connect(broker.host, broker.port)

    Args:
        directory: an existing directory for its configuration, its log and, with persistence, its store.
        port: the TCP port on the loopback address; None takes a free one, and keeps it over stop and start.
        persistence: keep retained messages and sessions over a restart.
        lines: more lines for its configuration file.
        configuration: a file to run with instead of one of its own; `port` is then one that is named there.
    """

    def __init__(
        self,
        directory: Path,
        port: int | None = None,
        *,
        persistence: bool = False,
        lines: Sequence[str] = (),
        configuration: Path | None = None,
    ) -> None:
        self.host = ADDRESS
        self.log = directory / "mosquitto.log"
        self._directory, self._persistence, self._lines = directory.absolute(), persistence, tuple(lines)
        self._port = port
        self._configuration = configuration
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """The port it listens on, known from the first start.

        Raises:
            MosquittoError: it has no port yet.
        """
        if self._port is None:
            raise MosquittoError("The broker has no port yet: start it first.")
        return self._port

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        """The process while it runs, else None."""
        return self._process.pid if self._process is not None and self.running else None

    def start(self) -> None:
        """Start it, or start it again on the same port, and wait until it answers; does nothing while it runs.

        Raises:
            MosquittoError: the program is not installed, or it ended at once, with the last line of its log.
        """
        if self.running:
            return
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path=_PLACES)
        if program is None:
            raise MosquittoError(
                "The broker mosquitto is not on this computer: install it with `apt install mosquitto`."
            )
        for left in reversed(range(PORT_TRIES)):
            port = self._port or _free_port()
            if not _is_free(port):  # what answers there would be taken for our broker
                raise MosquittoError(f"Another program uses port {port}: stop it, or give the broker another port.")
            self._launch(program, port)
            if self._answers(port):
                self._port = port
                return
            self.kill()
            if self._port is not None or left == 0:
                raise MosquittoError(f"The broker did not start on port {port}: {self._last_words()}")

    def stop(self) -> None:
        """Ask it to end, as at a shutdown, and wait; twice is safe."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """End it without warning, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _launch(self, program: str, port: int) -> None:
        configuration = self._configuration or self._write_configuration(port)
        guard = shutil.which("setpriv")  # of util-linux: when we are killed the kernel ends the broker too
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*([guard, "--pdeathsig", "TERM"] if guard else []), program, "-c", str(configuration)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us, who stop it after the table has said goodbye
            )

    def _write_configuration(self, port: int) -> Path:
        configuration = self._directory / "mosquitto.conf"
        lines = [
            f"listener {port} {ADDRESS}",
            "allow_anonymous true",
            f"log_dest file {self.log.absolute()}",
            f"persistence {'true' if self._persistence else 'false'}",
            f"persistence_location {self._directory}/",
            "set_tcp_nodelay true",
            *self._lines,
        ]
        if os.geteuid() == 0:
            lines.append("user root")  # else it becomes the user `mosquitto`, who may not write into our directory
        configuration.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return configuration

    def _answers(self, port: int) -> bool:
        deadline = time.monotonic() + START_S
        while self.running and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection((ADDRESS, port), timeout=1.0):
                return True
            time.sleep(0.01)
        return False

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            if lines:
                return f"its log ends with {lines[-1]!r}."
        return f"it left no log in {self.log}."


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the broker does, right after its last end
        with contextlib.suppress(OSError):
            probe.bind((ADDRESS, port))
            return True
    return False
