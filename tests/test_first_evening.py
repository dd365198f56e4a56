"""docs/first-evening.md typed line by line: in bash, in the order of the page, with the real program and a real broker.

What only a Raspberry Pi has (its pins, its camera, systemd, apt) is a small script that does what the reader would see,
or nothing; folders of the system are folders of the test.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.cli import EXAMPLES
from controller.mosquitto import Mosquitto
from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop
from vision.rig import Rig

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "first-evening.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
FOLDERS = ("/etc/gameline", "/etc/systemd", "/opt/gameline", "/usr/local/bin", "/var/lib/gameline", "/dev/v4l", "/tmp")
MOVES = ((6, 4), (4, 1), (1, 5))

MQTT_CLIENT = """
import json, os, sys, time
import paho.mqtt.client as paho
arguments = sys.argv[2:]
value = {flag: arguments[arguments.index(flag) + 1] for flag in ("-t", "-m") if flag in arguments}
client = paho.Client(paho.CallbackAPIVersion.VERSION2)
heard = []
client.on_message = lambda *given: heard.append(given[2].payload.decode())
client.connect("127.0.0.1", int(os.environ["BROKER_PORT"]))
client.loop_start()
if sys.argv[1] == "pub":
    client.publish(value["-t"], value["-m"], qos=1).wait_for_publish(10)
else:
    client.subscribe(value["-t"])
    deadline = time.monotonic() + 20
    while not heard and time.monotonic() < deadline:
        time.sleep(0.02)
    print(heard[0])
client.loop_stop()
"""


@dataclass(frozen=True, slots=True)
class Evening:
    """What is left when the whole page has been typed."""

    ran: subprocess.CompletedProcess[str]
    home: Path
    done: str
    """What the scripts in place of the Pi's own tools were asked for, a line each."""
    state: dict[str, Any]


def write_tool(folder: Path, name: str, script: str) -> None:
    """A script that notes how it was called, then does `script`."""
    path = folder / name
    path.write_text(f'#!/bin/bash\necho "{name} $*" >> "$DONE"\n{script}\n', encoding="utf-8")
    path.chmod(0o755)


def write_tools(folder: Path, home: Path, config: str) -> None:
    """Everything that is a Pi's, in place of it."""
    program = (
        f'export PYTHONPATH="{ROOT}"\n[ "$1" = demo ] && set -- demo --help\nexec "{sys.executable}" -m controller "$@"'
    )
    (folder / "config.toml").write_text(config, encoding="utf-8")
    (folder / "client.py").write_text(MQTT_CLIENT, encoding="utf-8")
    for name in ("apt", "useradd", "journalctl", "pinctrl", "rpicam-hello", "poweroff", "pip"):
        write_tool(folder, name, "")
    write_tool(folder, "sudo", 'exec "$@"')
    write_tool(folder, "gameline-program", program)
    write_tool(folder, "git", f'mkdir -p "$3"; ln -s "{ROOT}/systemd" "$3/systemd"')
    write_tool(
        folder,
        "python3",
        f'[ "$2" = venv ] || exit 0\nmkdir -p "$4/bin"; ln -s "{folder}/pip" "$4/bin/pip"\n'
        f'ln -s "{folder}/gameline-program" "$4/bin/gameline"',
    )
    write_tool(folder, "nano", f'cp "{folder}/config.toml" "$1"')
    write_tool(folder, "rpicam-still", f'cp "{home}/table.jpg" "${{@: -1}}"')
    write_tool(
        folder,
        "systemctl",
        f'[ "$*" = "enable --now gameline" ] || exit 0\n'
        f"gameline run {home}/etc/gameline/gameline.toml > {home}/log 2>&1 &\necho $! > {home}/pid",
    )
    for verb in ("pub", "sub"):
        write_tool(folder, f"mosquitto_{verb}", f'exec "{sys.executable}" "{folder}/client.py" {verb} "$@"')


def photographed(home: Path) -> None:
    """A table with a line of three, as picture and as the camera's frames."""
    layout = LineLayout(np.random.default_rng(7))
    layout.first(*MOVES[0])
    for inner, outer in MOVES[1:]:
        layout.add("R", inner, outer)
    backdrop = Backdrop(Rig(1280, 960), Look(), np.random.default_rng(7))
    backdrop.lay(layout.lying)
    (home / "frames").mkdir()
    cv2.imwrite(str(home / "table.jpg"), backdrop.picture().bgr)
    for number in range(600):
        (home / "frames" / f"{number:04d}.jpg").symlink_to(home / "table.jpg")


def as_in_the_test(script: str, home: Path) -> str:
    """The folders of the system in the test's own folder, and a repository to clone."""
    script = script.replace("<this repository>", str(ROOT))
    return re.sub(rf"(?<=[\s=])({'|'.join(FOLDERS)})(?=[/\s])", rf"{home}\1", script)


@contextlib.contextmanager
def stopped_afterwards(pid_file: Path) -> Iterator[None]:
    try:
        yield
    finally:
        if pid_file.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid_file.read_text()), signal.SIGTERM)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    """The page from top to bottom in one bash that ends at the first command that fails."""
    home, tools, store = (tmp_path_factory.mktemp(name) for name in ("home", "tools", "broker"))
    for folder in FOLDERS:
        (home / folder[1:]).mkdir(parents=True, exist_ok=folder != "/opt/gameline")
    (home / "opt" / "gameline").rmdir()
    (home / "dev" / "v4l" / "by-id").mkdir()
    (home / "etc" / "systemd" / "system").mkdir()
    photographed(home)
    with Mosquitto(store) as broker, stopped_afterwards(home / "pid"):
        config = (
            f'[camera]\nkind = "folder"\npath = "{home}/frames"\nfps = 10.0\n[seats]\npin_factory = "mock"\n'
            f'[broker]\nport = {broker.port}\n[journal]\npath = "{home}/var/lib/gameline/journal.sqlite"\n'
        )
        write_tools(tools, home, config)
        environment = {
            **os.environ,
            "PATH": f"{home}/usr/local/bin:{tools}:{os.environ['PATH']}",
            "HOME": str(home),
            "DONE": str(home / "done"),
            "BROKER_PORT": str(broker.port),
        }
        script = as_in_the_test("set -eu\n" + "".join(BLOCKS), home)
        ran = subprocess.run(
            ["bash", "-c", script], cwd=home, env=environment, capture_output=True, text=True, timeout=55, check=False
        )
        time.sleep(1)
        asked = [str(tools / "mosquitto_sub"), "-t", "gameline/v1/table1/state", "-C", "1"]
        state = subprocess.run(asked, env=environment, capture_output=True, text=True, timeout=30, check=False).stdout
        done = (home / "done").read_text(encoding="utf-8")
        yield Evening(ran, home, done, json.loads(state or "{}"))


@pytest.mark.timeout(120)
def test_every_line_of_the_page_does_what_it_says(evening: Evening) -> None:
    """No command fails, none complains."""
    assert (evening.ran.returncode, evening.ran.stderr) == (0, "")


def test_reader_sees_what_the_page_promises(evening: Evening) -> None:
    """A version, the table of wires, the dominoes of the photograph, and a table in good health."""
    said = evening.ran.stdout
    assert "gameline 0." in said
    assert said.count("ground (GND): pins 6, 9") == 2
    assert "3 dominoes" in said
    *_, health = (json.loads(line) for line in said.splitlines() if line.startswith('{"camera"'))
    assert [health[name]["status"] for name in ("camera", "disk", "broker", "seats")] == ["ok"] * 4
    for left in ("tmp/wiring.svg", "read.png", "tmp/game.txt"):
        assert (evening.home / left).stat().st_size > 300


def test_first_game_is_on(evening: Evening) -> None:
    """The two commands of the referee have opened a game and its first set."""
    state = evening.state
    assert (state["phase"], state["set_no"], state["names"]) == ("play", 1, ["Ann", "Bob", "Cleo", "Dan"])


def test_the_pis_own_tools_are_asked_for_the_usual_pins(evening: Evening) -> None:
    """Those of seat 0 in the example configuration, and the packages that are needed."""
    for line in ("pinctrl get 5", "pinctrl set 17 op dh", "pinctrl set 17 op dl", "rpicam-hello --list-cameras"):
        assert line in evening.done
    packages = re.search(r"apt install -y (.*)", evening.done)
    assert packages is not None
    readme = re.search(r"sudo apt install (git .*)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert readme is not None
    assert set(readme[1].split()) <= set(packages[1].split())


def test_page_names_only_commands_that_there_are() -> None:
    """In what is to be typed."""
    typed = {name for block in BLOCKS for name in re.findall(r"\bgameline ([a-z]+)", block)}
    assert typed - set(EXAMPLES) <= {"gameline"}
