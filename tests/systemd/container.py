"""A machine of its own on which systemd itself is booted: this machine's /usr read only, and all else empty.

systemd-nspawn makes it; nothing of it is left when it is switched off. It shares the network, so that a broker of the
tests is a broker on its loopback address too.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
BOOTED_S = 20.0
OFF_S = 20.0

_USERS = """
g gpio -
u gameline - "the service" /var/lib/gameline
m gameline gpio
m gameline video
m gameline dialout
"""


def missing() -> str:
    """What such a machine cannot be made without, or nothing."""
    if os.geteuid() != 0:
        return "only root may boot a container"
    if shutil.which("systemd-nspawn") is None or not Path("/lib/systemd/systemd").exists():
        return "no systemd-nspawn here"
    if subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "true"], stderr=subprocess.DEVNULL, check=False
    ).returncode:
        return "this machine is a container itself, and may make none"
    return ""


class Container:
    """Switch it on and off; `/opt/gameline` in it is this program, installed as README.md says, and its unit is there.

    Args:
        place: a folder for what is made up here.
        files: paths in the container, and what lies there.
    """

    def __init__(self, place: Path, files: Mapping[str, Path]) -> None:
        self.said = place / "console"
        self._files = {
            "/etc/ld.so.conf": place / "libraries",
            "/etc/sysusers.d/gameline.conf": place / "users",
            "/etc/systemd/system/gameline.service": ROOT / "systemd" / "gameline.service",
            # A virtual environment of this machine may hang on a Python in somebody's home, which the unit cannot see.
            "/opt/python": Path(sys.base_prefix),
            "/opt/packages": Path(sysconfig.get_path("purelib")),
            "/opt/source": ROOT,
            "/opt/gameline/.venv": place / "venv",
            **files,
        }
        (place / "libraries").write_text("/opt/python/lib\n")
        (place / "users").write_text(_USERS)
        self._make_environment(place / "venv")
        self._process: subprocess.Popen[bytes] | None = None
        self._first = 0

    @staticmethod
    def _make_environment(venv: Path) -> None:
        version = f"python3.{sys.version_info.minor}"
        packages = venv / "lib" / version / "site-packages"
        packages.mkdir(parents=True)
        (packages / "gameline.pth").write_text("/opt/source\n/opt/packages\n")
        (venv / "pyvenv.cfg").write_text("home = /opt/python/bin\n")
        (venv / "bin").mkdir()
        (venv / "bin" / "python").symlink_to(f"/opt/python/bin/{version}")
        command = venv / "bin" / "gameline"
        installed = Path(sys.executable).with_name("gameline").read_text().splitlines(keepends=True)
        command.write_text("".join(["#!/opt/gameline/.venv/bin/python\n", *installed[1:]]))
        command.chmod(0o755)

    def __enter__(self) -> Self:
        binds = [f"--bind-ro={here}:{there}" for there, here in self._files.items()]
        how = ["--directory=/", "--volatile=yes", "--register=no", "--keep-unit", "--settings=no", "--console=pipe"]
        how += ["--resolv-conf=off", "--timezone=off", f"--machine=gameline-{os.getpid()}"]
        with self.said.open("wb") as said:
            self._process = subprocess.Popen(
                [
                    "systemd-nspawn",
                    "--quiet",
                    *how,
                    *binds,
                    "--boot",
                    "systemd.unit=basic.target",
                    "systemd.firstboot=no",
                ],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + BOOTED_S
        while not self._is_up():
            assert self._process.poll() is None, f"it ended: {self.said.read_text()}"
            assert time.monotonic() < deadline, f"it does not come up: {self.said.read_text()}"
            time.sleep(0.1)
        self.run("ldconfig")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self.run("systemctl", "poweroff", is_checked=False)
        try:
            self._process.wait(OFF_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise

    def run(self, *command: str, is_checked: bool = True) -> str:
        """What a command in it says, as root."""
        run = ["nsenter", f"--target={self._first}", "--all", *command]
        done = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        assert done.returncode == 0 or not is_checked, done.stdout
        return done.stdout.strip()

    def property_of(self, unit: str, name: str) -> str:
        """One property of a unit, as systemd knows it."""
        return self.run("systemctl", "show", "--property", name, "--value", unit)

    def log_of(self, unit: str) -> str:
        """What a unit and systemd about it have said."""
        return self.run("journalctl", "--no-pager", "--output=cat", f"--unit={unit}")

    def entries_of(self, unit: str, *matches: str) -> list[dict[str, str]]:
        """Every entry of the unit in systemd's journal, with all its fields, or those that match."""
        said = self.run("journalctl", "--no-pager", "--output=json", f"--unit={unit}", *matches, is_checked=False)
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def _is_up(self) -> bool:
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children")
        self._first = int((children.read_text().split() or ["0"])[0]) if children.exists() else 0
        state = self.run("systemctl", "is-system-running", is_checked=False) if self._first else ""
        return state in ("running", "degraded")
