"""What a test of the whole service needs beside it: a film for its camera, a display on its broker, an end."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from tests.controller import contract
from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop
from vision.rig import Rig

ROOT = Path(__file__).parents[2]
EMPTY_FRAMES, FRAMES = 10, 600
"""One second of empty table, then a minute with the first domino on it, at ten frames a second."""


class Display:
    """A second client: what it has heard, and the referee's voice."""

    def __init__(self, port: int) -> None:
        self.heard: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.heard_so_far: list[tuple[str, Any]] = []
        """What `wait_for` has taken, wanted or not."""
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id=str(uuid.uuid4()))
        self.client.on_message = lambda client, userdata, m: self.heard.put(
            (m.topic.removeprefix("gameline/v1/hall/"), json.loads(m.payload))
        )
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("gameline/v1/hall/#", qos=1)
        self.client.loop_start()

    def wait_for(self, topic: str, is_it: Callable[[Any], bool] = lambda body: True, timeout_s: float = 20.0) -> Any:
        """The next message on `topic` that is what is waited for; all that is heard until then keeps the contract."""
        deadline = time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0:
            try:
                heard, body = self.heard.get(timeout=left)
            except queue.Empty:
                break
            self.heard_so_far.append((heard, body))
            if not heard.startswith("cmd/"):  # a test may send what is no order
                contract.check(heard, body)
            if heard == topic and is_it(body):
                return body
        raise AssertionError(f"nothing such came on {topic} in {timeout_s} s")

    def order(self, name: str, **arguments: Any) -> Any:
        """Send a command and wait for its answer."""
        body = {"id": str(uuid.uuid4()), "sent_ms": time.time_ns() // 1_000_000, "by": "referee", "client": "tests"}
        body |= arguments
        self.client.publish(f"gameline/v1/hall/cmd/{name}", json.dumps(body), qos=1)
        return self.wait_for("reply/tests", lambda answer: answer["id"] == body["id"])

    def close(self) -> None:
        """Leave, and let go of everything: what hangs in a circle is closed when chance has it, with a warning."""
        self.client.disconnect()
        self.client.loop_stop()
        self.client.on_message = None


def film_in(folder: Path) -> Path:
    """A minute of a table on which 6-4 is laid after a second."""
    backdrop = Backdrop(Rig(1440, 1080), Look(), np.random.default_rng(5))
    pictures = [folder / "empty.png", folder / "laid.png"]
    cv2.imwrite(str(pictures[0]), backdrop.picture().bgr)
    backdrop.lay([LineLayout(np.random.default_rng(5)).first(6, 4)])
    cv2.imwrite(str(pictures[1]), backdrop.picture().bgr)
    frames = folder / "frames"
    frames.mkdir()
    for number in range(FRAMES):
        (frames / f"{number:04d}.png").symlink_to(Path("..") / pictures[number >= EMPTY_FRAMES].name)
    return frames


def config_in(
    folder: Path,
    *,
    film: Path,
    port: int,
    pin_factory: str = "mock",
    board: Path | None = None,
    state: Path | None = None,
) -> Path:
    """The configuration of a table named `hall`, in this folder, with everything it writes there or in *state*.

    Its seats hang on pins, or on a *board* at the end of this line.
    """
    seats = f'pin_factory = "{pin_factory}"' if board is None else f'kind = "board"\nport = "{board}"'
    corners = [list(corner) for corner in Rig(1440, 1080).table().corners_px]
    path = folder / "gameline.toml"
    path.write_text(
        f'[table]\nname = "hall"\ncorners_px = {corners}\n[camera]\nkind = "folder"\npath = "{film}"\nfps = 10.0\n'
        f"[seats]\n{seats}\n[broker]\nport = {port}\n"
        f'[journal]\npath = "{(state or folder) / "journal.sqlite"}"\n'
    )
    return path


def own_mounts() -> list[str]:
    """The beginning of a command that mounts what nobody else sees; where this user may not, the test is left out."""
    command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this user may mount nothing here")
    return command


def end(service: subprocess.Popen[str], number: int) -> tuple[int, str]:
    """Send a signal and wait: exit code and what was said on stderr."""
    service.send_signal(number)
    said = service.communicate(timeout=20)[1]
    return service.returncode, said
