"""`gameline doctor`: everything from the configuration to the clock, with a tick or the cure; checks are elsewhere."""

from __future__ import annotations

import argparse
import json
import os
import pwd
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from controller import doctor_disk, doctor_machine
from controller.config import Config, ConfigError, in_file, load_config
from controller.doctor_checks import Check, Found, Patient, examine
from controller.journal import JournalError, owner_of
from controller.machine import VERSION
from controller.wiring import wiring_of

SERVICE_USER = "gameline"
MARKS = {True: ("✓", "ok"), False: ("✗", "NO"), None: ("–", "--")}
"""What a line begins with, and the same for a terminal that has no such letters."""


def doctor(options: argparse.Namespace) -> int:
    """Look at everything; 0 where all is well, 1 where something is not."""
    path: Path = options.config
    found: list[tuple[Found, float]] = []
    try:
        config = _checked(path)
    except ConfigError as error:
        config = None
        first = Found("configuration", False, "cannot be used", in_file(error, path))
    else:
        first = Found("configuration", True, str(path))
    marks = _marks()
    for one, seconds in _examined(first, config, path):
        found.append((one, seconds))
        if not options.json:
            cure = f"\n    {one.cure}" if one.cure else ""
            print(f"{marks[one.is_well]} {one.part}: {one.what}{cure}", flush=True)
    ill = sum(one.is_well is False for one, _ in found)
    if options.json:
        print(json.dumps(_record(config, found)), flush=True)
    else:
        print(f"{ill} of {len(found)} are not well" if ill else "all is well", flush=True)
    if any(thread.name.startswith("doctor ") for thread in threading.enumerate()):
        os._exit(1 if ill else 0)  # a driver that hangs would keep the process
    return 1 if ill else 0


def _checked(path: Path) -> Config:
    """The configuration, its pins too."""
    config = load_config(path)
    if config.seats.kind == "pins":
        wiring_of(config)
    return config


def _examined(first: Found, config: Config | None, path: Path) -> Iterator[tuple[Found, float]]:
    yield first, 0.0
    checks = [*_of_the_table(config, path)] if config is not None else []
    if config is None:
        left = "camera, seats, broker, disk, permissions"
        yield Found(left, None, "not looked at without a configuration"), 0.0
    for check, told, seconds in examine([*checks, *_of_the_machine(config)]):
        yield from ((one, seconds) for one in told or (Found(check.part, None, "nothing to say"),))


def _of_the_table(config: Config, path: Path) -> Sequence[Check]:
    patient = _patient(config)
    try:
        camera, broker = (import_module(f"controller.doctor_{name}") for name in ("camera", "broker"))
        seats = import_module("controller.doctor_board" if config.seats.kind == "board" else "controller.doctor_pins")
    except Exception as error:  # a library that cannot be loaded is what the doctor is asked for
        broken = Found("program", False, f"cannot be loaded ({type(error).__name__}: {error})", "see `libraries` below")
        return (Check("program", lambda: [broken]),)
    is_board = config.seats.kind == "board"
    return (
        Check("calibration", partial(camera.calibration, patient)),
        Check("camera", partial(camera.camera, patient), 9.0),
        Check("seat board", partial(seats.board, patient), 8.0)
        if is_board
        else Check("pins", partial(seats.pins, patient)),
        Check("broker", partial(broker.broker, patient), 14.0),
        Check("pages", partial(doctor_machine.pages, patient)),
        Check("disk", partial(doctor_disk.disk, patient)),
        Check("journal", partial(doctor_disk.journal, patient), 10.0),
        Check("permissions", partial(doctor_disk.permissions, patient, path)),
        Check("user", partial(doctor_machine.who, patient)),
        Check("groups", partial(doctor_machine.groups, patient)),
    )


def _of_the_machine(config: Config | None) -> Sequence[Check]:
    return (
        Check("clock", doctor_machine.clock),
        Check("time zone", partial(doctor_machine.zone, config)),
        Check("temperature", doctor_machine.heat),
        Check("power", doctor_machine.power),
        Check("memory", doctor_machine.memory),
        Check("unit", doctor_machine.unit),
        Check("libraries", partial(doctor_machine.libraries, config), 10.0),
    )


def _patient(config: Config) -> Patient:
    return Patient(config, user=_service_user(), service_pid=_service_pid(config))


def _service_user() -> str:
    """As systemd knows him, or as README.md makes him, or whoever asks."""
    for name in (doctor_machine.unit_properties().get("User") or SERVICE_USER, SERVICE_USER):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return pwd.getpwuid(os.geteuid()).pw_name


def _service_pid(config: Config) -> int | None:
    """The process that has the table; where this user may not look, as systemd knows it."""
    try:
        return owner_of(Path(config.journal.path))
    except JournalError:
        said = doctor_machine.unit_properties()
        return int(said.get("MainPID") or 0) if said.get("ActiveState") in ("active", "activating") else None


def _marks() -> dict[bool | None, str]:
    try:
        "".join(mark for mark, _ in MARKS.values()).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return {is_well: plain for is_well, (_, plain) in MARKS.items()}
    return {is_well: mark for is_well, (mark, _) in MARKS.items()}


def _record(config: Config | None, found: Iterable[tuple[Found, float]]) -> dict[str, Any]:
    checks = [
        {"part": one.part, "well": one.is_well, "found": one.what, "cure": one.cure, "seconds": round(seconds, 2)}
        for one, seconds in found
    ]
    return {
        "table": config.table.name if config is not None else None,
        "version": VERSION,
        "well": all(check["well"] is not False for check in checks),
        "checks": checks,
    }
