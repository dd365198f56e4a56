"""Files that are put into their place at once: what a kill, a full disk or a power cut leaves is a whole one."""

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from controller.replacing import replace_file

ROOT = Path(__file__).parents[2]
SIZE = 300_000


def test_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """Killed in the middle of the work, again and again: nobody ever finds half a file or an empty one."""
    path = tmp_path / "calibration.json"
    replace_file(path, b"0" * SIZE)
    program = f"""
        import itertools, pathlib, sys
        from controller.replacing import replace_file
        print(flush=True)
        for digit in itertools.cycle(b"0123456789"):
            replace_file(pathlib.Path(sys.argv[1]), bytes([digit]) * {SIZE})
    """
    for _ in range(8):
        command = [sys.executable, "-c", textwrap.dedent(program), str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            before = path.stat().st_ino
            while path.stat().st_ino == before:  # until it is in the middle of its work
                pass
            writer.send_signal(signal.SIGKILL)
        found = path.read_bytes()
        assert (len(found), len(set(found))) == (SIZE, 1)


def test_disk_that_takes_no_more_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    """The kernel itself refuses the rest of what is written."""
    path = tmp_path / "calibration.json"
    replace_file(path, b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            replace_file(path, b"n" * SIZE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_file_is_on_the_medium_before_it_is_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut right after the renaming must not find a name without its bytes."""
    done: list[str] = []
    really_sync, really_replace = os.fsync, Path.replace

    def sync(descriptor: int) -> None:
        done.append("folder" if Path(f"/proc/self/fd/{descriptor}").readlink() == tmp_path else "file")
        really_sync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        done.append("rename")
        return really_replace(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    replace_file(tmp_path / "calibration.json", b"new")
    assert done == ["file", "rename", "folder"]
