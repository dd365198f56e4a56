"""What the doctor asks of the machine: clock, zone, heat, power, memory, groups, unit, libraries; of no table."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from controller.config import Config, MetricsConfig, ViewConfig
from controller.doctor_checks import Found, Patient
from controller.machine import (
    HOT_C,
    SENSORS,
    SUPPLY,
    THERMOMETER,
    VERSION,
    is_clock_set,
    is_supply_weak,
    temperature_c,
)

UNIT: Final = "gameline.service"
MEMORY_MB: Final = 250.0
"""What the service takes with its camera, and some for the system."""
ASK_S: Final = 3.0
"""For a program that is asked something."""
BINARY: Final = ("numpy", "cv2", "onnxruntime", "msgspec")
"""Modules that are of no use where their wheel is another machine's."""
BITS: Final = {0: "low voltage", 1: "its frequency is capped", 2: "it is slowed down", 3: "its heat limit is reached"}
"""Of the firmware's word about throttling (its `vcgencmd get_throttled`); from bit 16 on: since the start."""


def clock() -> Iterator[Found]:
    """Whether it was set from the network."""
    if is_clock_set():
        yield Found("clock", True, "set from the network")
    else:
        cure = "connect the network, and see `timedatectl`: thinking times are right all the same, dates are not"
        yield Found("clock", False, "not set from the network since the start", cure)


def zone(config: Config | None, localtime: Path = Path("/etc/localtime")) -> Iterator[Found]:
    """The time zone counts only where the buzzer has quiet hours."""
    name = str(localtime.resolve()).partition("zoneinfo/")[2] or "UTC"
    quiet = config.seats.quiet if config is not None else None
    if quiet is not None and name in ("UTC", "Etc/UTC"):
        cure = "say where the table stands: sudo timedatectl set-timezone Europe/Madrid, for example"
        yield Found("time zone", False, f"{name}, and the buzzer is quiet from {quiet[0]} to {quiet[1]} of it", cure)
    else:
        yield Found("time zone", True, name)


def heat(thermometer: Path = THERMOMETER) -> Iterator[Found]:
    """How warm the processor is."""
    degrees = temperature_c(thermometer)
    if degrees is None:
        yield Found("temperature", None, "this machine does not say")
    elif degrees >= HOT_C:
        cure = "give it air or a fan, and keep it out of the sun: it slows down, and moves are seen late"
        yield Found("temperature", False, f"{degrees:.0f} °C", cure)
    else:
        yield Found("temperature", True, f"{degrees:.0f} °C")


def power(sensors: Path = SENSORS) -> Iterator[Found]:
    """What a Raspberry Pi's firmware says of its supply, now and since it was switched on; else the kernel, of now."""
    word = _throttled()
    if word is None:
        yield _power_now(is_supply_weak(sensors))
        return
    now = [text for bit, text in BITS.items() if word >> bit & 1]
    before = [text for bit, text in BITS.items() if word >> bit + 16 & 1 and text not in now]
    if word & 0x1_0001:
        told = "low voltage " + ("now" if word & 1 else "since it was switched on")
        yield Found("power", False, f"{told} ({word:#x})", f"take {SUPPLY}")
    elif now:
        yield Found("power", False, f"{', '.join(now)} ({word:#x})", "give it air or a fan")
    elif before:
        yield Found("power", True, f"well now; since it was switched on: {', '.join(before)} ({word:#x})")
    else:
        yield Found("power", True, "enough, and never slowed down")


def _power_now(is_weak: bool | None) -> Found:
    if is_weak is None:
        return Found("power", None, "this machine does not say: it is no Raspberry Pi, or vcgencmd is missing")
    if is_weak:
        return Found("power", False, "low voltage now", f"take {SUPPLY}")
    return Found("power", True, "enough now; vcgencmd, which knows what was before, does not answer")


def _throttled() -> int | None:
    """Asked of vcgencmd alone: the kernel's own file forgets after two seconds."""
    said = _asked("vcgencmd", "get_throttled")
    try:
        return int((said or "").partition("=")[2], 16)
    except ValueError:
        return None


def memory(meminfo: Path = Path("/proc/meminfo")) -> Iterator[Found]:
    """What is free, and what there is to swap."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines())
        total, free, swap = (int(lines[key].split()[0]) / 1024 for key in ("MemTotal", "MemAvailable", "SwapTotal"))
    except (OSError, ValueError, KeyError):
        yield Found("memory", None, "this machine does not say")
        return
    told = f"{free:.0f} of {total:.0f} MB available, {swap:.0f} MB of swap"
    if free < MEMORY_MB:
        cure = "end what else runs here (a desktop, a browser), or take a Raspberry Pi with 2 GB or more"
        yield Found("memory", False, told, cure)
    else:
        yield Found("memory", True, told)


def who(patient: Patient) -> Iterator[Found]:
    """Whether whoever looks sees what the service would see."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    if me == patient.user:
        yield Found("user", True, f"{me}, as the service")
    else:
        what = f"{me}, and the service is {patient.user}: for what he may read and write, sudo -u {patient.user} ..."
        yield Found("user", None, what)


def groups(patient: Patient) -> Iterator[Found]:
    """Whether the service's user may use the devices that are configured."""
    config, user = patient.config, patient.user
    needed = {
        "gpio": config.seats.kind == "pins" and config.seats.pin_factory != "mock",
        "dialout": config.seats.kind == "board",
        "video": config.camera.kind in ("picamera", "v4l2"),
    }
    there = {group.gr_name for group in grp.getgrall()}
    wanted = [name for name, is_needed in needed.items() if is_needed and name in there]
    account = pwd.getpwnam(user)
    if account.pw_uid == 0:
        yield Found("groups", True, f"{user} needs none")
        return
    member = {_group_name(number) for number in os.getgrouplist(user, account.pw_gid)}
    if missing := [name for name in wanted if name not in member]:
        cure = f"sudo usermod --append --groups {','.join(missing)} {user}, then start the service again"
        yield Found("groups", False, f"{user} is not in {', '.join(missing)}", cure)
    else:
        yield Found("groups", True, f"{user} is in {', '.join(wanted)}" if wanted else f"{user} needs none")


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def pages(patient: Patient) -> Iterator[Found]:
    """Whether the technician's page and the one for Prometheus have their ports."""
    chosen: dict[str, ViewConfig | MetricsConfig] = {"view": patient.config.view, "metrics": patient.config.metrics}
    for name, page in chosen.items():
        if page.port is None:
            continue
        part, address = f"{name} page", f"{page.host}:{page.port}"
        try:
            if patient.service_pid is None:
                with socket.create_server((page.host, page.port), family=_family(page.host, page.port)):
                    yield Found(part, True, f"{address} is free")
            else:
                with socket.create_connection((page.host, page.port), timeout=ASK_S):
                    yield Found(part, True, f"{address} answers")
        except OSError as error:
            cure = f"see who listens there, sudo ss -ltnp, and stop it; or correct {name}.port and {name}.host"
            yield Found(part, False, f"{address}: {error.strerror or error}", cure)
    if all(page.port is None for page in chosen.values()):
        yield Found("pages", None, "none is configured ([view], [metrics])")


def _family(host: str, port: int) -> socket.AddressFamily:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]


def unit() -> Iterator[Found]:
    """What systemd knows of the service."""
    said = unit_properties()
    if said.get("LoadState") != "loaded":
        yield Found("unit", None, f"there is no {UNIT} here: README.md has the lines that install it")
        return
    state, restarts = said.get("ActiveState", "unknown"), int(said.get("NRestarts") or 0)
    told = f"{state}, {said.get('UnitFileState') or 'not enabled'}" + (f", {restarts} restarts" if restarts else "")
    if state == "failed" or said.get("SubState") == "auto-restart":
        yield Found("unit", False, f"{told}: {said.get('Result')}", f"see why it ends: journalctl -u {UNIT} -e")
    elif said.get("UnitFileState") == "disabled":
        yield Found("unit", False, told, f"have it start with the machine: sudo systemctl enable {UNIT}")
    elif state == "active":
        yield Found("unit", True, told)
    else:
        yield Found("unit", None, f"{told}: sudo systemctl start {UNIT} when all is well")


def unit_properties() -> Mapping[str, str]:
    """Of the service; nothing where there is no systemd."""
    names = "LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result,User,MainPID"
    said = _asked("systemctl", "show", UNIT, f"--property={names}") or ""
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def libraries(config: Config | None) -> Iterator[Found]:
    """Versions as the program wants them, and wheels that this machine can load."""
    extras = {"", "pi"} if config is not None and _wants_pins(config) else {""}
    wrong = [problem for text in metadata.requires("gameline") or () if (problem := _unmet(Requirement(text), extras))]
    broken = []
    for module in BINARY:
        try:
            import_module(module)
        except Exception as error:  # a wheel of another processor raises what it likes
            broken.append(f"{module} ({error})")
    if wrong or broken:
        again = f"{sys.prefix}/bin/pip install --force-reinstall"
        what = "; ".join([*wrong, *(f"cannot be loaded: {each}" for each in broken)])
        yield Found("libraries", False, what, f"install the program again, as README.md says: {again} '.[pi,firmware]'")
        return
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("numpy", "opencv-python-headless", "onnxruntime")
    )
    python = ".".join(map(str, sys.version_info[:3]))
    yield Found("libraries", True, f"gameline {VERSION}, Python {python}, {versions}")


def _unmet(wanted: Requirement, extras: set[str]) -> str | None:
    """Why a requirement is not met, if it counts here and is not."""
    if wanted.marker is not None and not any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
        return None
    try:
        there = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return f"{wanted.name} is missing"
    return (
        None
        if wanted.specifier.contains(there, prereleases=True)
        else f"{wanted.name} {there}, wanted {wanted.specifier}"
    )


def _wants_pins(config: Config) -> bool:
    return config.seats.kind == "pins" and config.seats.pin_factory != "mock"


def _asked(program: str, *arguments: str) -> str | None:
    """What a program says; None where it is not there, fails or hangs."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=ASK_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
