"""Putting a whole file into its place at once: nobody ever reads half of one, and a power cut leaves old or new."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes, *, mode: int = 0o644, owner: tuple[int, int] | None = None) -> None:
    """Write `data` beside `path`, make it durable, rename it into place; OSError, and nothing is changed.

    Args:
        owner: the user's and group's number; None: whoever runs this.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    making = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(descriptor, mode)
            if owner is not None:
                os.fchown(descriptor, *owner)
            file.flush()
            os.fsync(descriptor)
        making.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            making.unlink()
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
