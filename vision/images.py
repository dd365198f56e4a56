"""Picture files in, BGR arrays out, or one clear sentence why not; what the picture shows is nobody's business here."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

PICTURES = "a JPEG, PNG, WebP, BMP or TIFF picture"
BEHIND = 128
"""Grey level shown where a picture is transparent."""
_JPEG_START = b"\xff\xd8"
_JPEG_STOP = b"\xff\xd9"
_STANDALONE = {0x01, *range(0xD0, 0xD9)}
"""JPEG markers that no length follows."""
_SCAN = 0xDA


class ImageError(ValueError):
    """A file that is no readable picture; the message is one sentence for the person who named it."""


def load(path: str | Path) -> NDArray[np.uint8]:
    """A picture file as a BGR array of shape (H, W, 3), uint8, upright by its EXIF orientation.

    Grey, 16 bit and CMYK pictures are converted; a transparent one is laid on mid-grey.
    Raises: ImageError.
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ImageError(f"expected {PICTURES}, but {path} is a device or a pipe; name a file")
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise ImageError(f"expected {PICTURES}, but {path} is a folder; name the files in it") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ImageError(
            f"expected {PICTURES}, but {path} cannot be read ({reason}); check its name and rights"
        ) from None
    if not data:
        raise ImageError(f"expected {PICTURES}, but {path} is empty; copy it again")
    if data.startswith(_JPEG_START) and not _jpeg_is_whole(data):
        raise ImageError(f"expected {PICTURES}, but {path} breaks off in the middle; copy it again")
    bgr = _decoded(data, path)
    return bgr if data.startswith(_JPEG_START) else _composited(data, bgr)


def _decoded(data: bytes, path: Path) -> NDArray[np.uint8]:
    """The bytes as a BGR array."""
    try:
        with _quiet():
            bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except (cv2.error, MemoryError):
        raise ImageError(
            f"expected {PICTURES} of at most a gigapixel, but {path} cannot be held; scale it down"
        ) from None
    if bgr is None or bgr.size == 0:
        raise ImageError(f"expected {PICTURES}, but {path} is none or is damaged; convert or copy it again")
    return np.asarray(bgr, dtype=np.uint8)


def _composited(data: bytes, bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture on mid-grey where it is transparent, the picture itself where it has no transparency."""
    with _quiet():
        raw = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None or raw.ndim != 3 or raw.shape[2] != 4 or raw.shape[:2] != bgr.shape[:2]:
        return bgr
    full = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}.get(raw.dtype, 1)
    share = np.clip(raw[:, :, 3:].astype(np.float32) / full, 0, 1)
    return np.asarray(np.rint(bgr * share + BEHIND * (1 - share)), dtype=np.uint8)


def _jpeg_is_whole(data: bytes) -> bool:
    """Whether a JPEG's stop marker follows its picture data; the one of an embedded thumbnail does not count."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == _SCAN:
            return _JPEG_STOP in data[at:]
        if marker == 0xFF or marker in _STANDALONE:
            at += 1 if marker == 0xFF else 2
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Standard error and OpenCV's log off for a moment: what is wrong with a file is said once, by us.

    libpng and libjpeg write to the descriptor itself, past OpenCV and Python, so the descriptor is what is moved.
    """
    level = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)
        cv2.utils.logging.setLogLevel(level)
