"""What the doctor asks of files: room, kind of disk, a journal that is whole, owners, permissions; none is changed."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from controller.doctor_checks import Found, Patient
from controller.journal import JournalError, JournalReadOnly, held, kept_in
from controller.selftest_checks import FREE_MB

PROBE_BYTES = 65_536
IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")


def disk(patient: Patient) -> Iterator[Found]:
    """Whether the journal's folder can be written, has room, and outlives a power cut."""
    folder = Path(patient.config.journal.path).parent
    try:
        folder.stat()
        kind, free_mb = filesystem_of(folder), shutil.disk_usage(folder).free / 1e6
        with tempfile.TemporaryFile(dir=folder) as probe:  # without a name: nothing is left behind
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        yield Found("disk", False, f"{folder}: {error.strerror}", _cure(error, folder, patient.user))
        return
    told = f"{folder}: {free_mb:.0f} MB free, {kind}"
    if kind in IN_MEMORY:
        yield Found(
            "disk", False, told, "this is memory, gone with the power: name a folder on the card in journal.path"
        )
    elif free_mb < FREE_MB:
        yield Found("disk", False, told, f"make room, {FREE_MB:g} MB or more: journals of past games, pictures, logs")
    else:
        yield Found("disk", True, told)


def _cure(error: OSError, folder: Path, user: str) -> str:
    if error.errno == errno.ENOENT:
        return "start the service once, which makes it, or correct journal.path"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "make room: journals of past games, pictures, logs (sudo journalctl --vacuum-size=100M)"
    if error.errno == errno.EROFS:
        return "a worn or damaged card becomes read-only: copy what is on it, and take a new one"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"look as the service's user, sudo -u {user} gameline doctor ..., or sudo chown -R {user}: {folder}"
    return "the card or disk fails: copy what is on it, and take a new one"


def filesystem_of(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """The kind of file system that a folder lies on."""
    device = folder.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        fields, _, rest = line.partition(" - ")
        if fields.split()[2] == wanted:
            return rest.split()[0]
    return "unknown"  # a subvolume has a number that no mount has


def journal(patient: Patient) -> Iterator[Found]:
    """Whether every entry is there and as it was written; the journal of a running table is only read."""
    path = Path(patient.config.journal.path)
    try:
        if patient.service_pid is None:
            with held(path) as error:
                if error is not None:
                    raise error
        if not path.exists():
            yield Found("journal", None, f"there is none at {path} yet: the service makes it")
            return
        entries = kept_in(path)
    except JournalError as error:
        is_another = isinstance(error, JournalReadOnly) and os.geteuid() != pwd.getpwnam(patient.user).pw_uid
        cure = f"look as the service's user: sudo -u {patient.user} gameline doctor ..." if is_another else str(error)
        yield Found("journal", False, error.code.replace("_", " "), cure)
        return
    yield Found("journal", True, f"{len(entries)} entries, each as it was written")


def permissions(patient: Patient, config_file: Path) -> Iterator[Found]:
    """Who may read the broker's password, and who may change the configuration."""
    problems = [*_open_to_change(config_file)]
    secret = patient.config.broker.password_file
    if secret is not None:
        problems += _open_secret(Path(secret), patient.user)
    for what, cure in problems:
        yield Found("permissions", False, what, cure)
    if not problems:
        yield Found("permissions", True, "nobody else reads the password or changes the configuration")


def _open_to_change(path: Path) -> Iterator[tuple[str, str]]:
    if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o022:
        yield f"others than its owner may write {path}", f"sudo chmod 644 {path}"


def _open_secret(path: Path, user: str) -> Iterator[tuple[str, str]]:
    try:
        held_by = path.stat()
    except OSError as error:
        yield f"{path}: {error.strerror}", "put the password alone into this file, or correct broker.password_file"
        return
    mode, owner = stat.S_IMODE(held_by.st_mode), pwd.getpwnam(user)
    if mode & 0o077:
        yield f"{path} has mode {mode:o}, others may read the password", f"sudo chmod 600 {path}"
    if held_by.st_uid != owner.pw_uid and not (owner.pw_uid == 0 or mode & 0o044):
        yield f"{user} may not read {path}", f"sudo chown {user} {path}"
