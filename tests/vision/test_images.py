"""Picture files of every kind come in as BGR, and bad ones are told in one sentence, and nothing else."""

import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.images import BEHIND, ImageError, load

BGR = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)


def encoded(suffix: str, picture: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """A picture as the bytes of a file."""
    return bytes(cv2.imencode(suffix, picture)[1].tobytes())


def saved(folder: Path, name: str, data: bytes) -> Path:
    """A file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tiff", ".webp", ".jpg"])
def test_every_usual_kind_of_picture_is_loaded(tmp_path: Path, suffix: str) -> None:
    """Shape and type are always the same, whatever the file."""
    bgr = load(saved(tmp_path, f"picture{suffix}", encoded(suffix, BGR)))
    assert bgr.shape == BGR.shape
    assert bgr.dtype == np.uint8


def test_grey_and_sixteen_bit_pictures_become_colour(tmp_path: Path) -> None:
    """A grey picture has three like channels, a deep one is brought to eight bits."""
    grey = load(saved(tmp_path, "grey.png", encoded(".png", BGR[:, :, 0])))
    assert np.array_equal(grey[:, :, 0], grey[:, :, 2])
    deep = load(saved(tmp_path, "deep.png", encoded(".png", BGR.astype(np.uint16) * 257)))
    assert np.abs(deep.astype(int) - BGR).max() <= 1


def test_a_transparent_picture_lies_on_grey(tmp_path: Path) -> None:
    """What is transparent shows mid-grey, what is not shows its colour."""
    alpha = np.zeros((40, 60, 1), np.uint8)
    alpha[:, 30:] = 255
    bgr = load(saved(tmp_path, "clear.png", encoded(".png", np.dstack((BGR, alpha)))))
    assert (bgr[:, :30] == BEHIND).all()
    assert np.array_equal(bgr[:, 30:], BGR[:, 30:])


def test_a_picture_taken_upright_is_turned_upright(tmp_path: Path) -> None:
    """EXIF orientation 6 means that the camera was held on its side."""
    tiff = b"MM\x00*" + struct.pack(">IH", 8, 1) + struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0) + bytes(4)
    exif = b"Exif\x00\x00" + tiff
    jpeg = encoded(".jpg", BGR)
    turned = jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]
    assert load(saved(tmp_path, "held.jpg", turned)).shape == (60, 40, 3)


def test_one_pixel_is_a_picture(tmp_path: Path) -> None:
    """The smallest picture there is loads."""
    assert load(saved(tmp_path, "one.png", encoded(".png", BGR[:1, :1]))).shape == (1, 1, 3)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.jpg", b"", "is empty; copy it again"),
        ("text.jpg", b"hello", "is none or is damaged; convert or copy it again"),
        ("half.jpg", encoded(".jpg", BGR)[:900], "breaks off in the middle; copy it again"),
        ("half.png", encoded(".png", BGR)[:900], "is none or is damaged"),
        ("scratched.png", encoded(".png", BGR)[:300] + bytes(60) + encoded(".png", BGR)[360:], "is none or is damaged"),
        ("head.jpg", encoded(".jpg", BGR)[:20], "breaks off in the middle"),
        ("huge.ppm", b"P6\n99999 99999\n255\n123", "cannot be held; scale it down"),
        ("picture.tif", encoded(".tiff", BGR)[:200], "is none or is damaged"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence(
    tmp_path: Path, name: str, data: bytes, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The file, what was expected, what came and what to do; and no library's own noise."""
    path = saved(tmp_path, name, data)
    with pytest.raises(ImageError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith("expected a JPEG, PNG")
    assert str(path) in message
    assert reason in message
    assert "\n" not in message
    assert capfd.readouterr() == ("", "")


def test_a_damaged_jpeg_that_can_be_shown_makes_no_noise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """libjpeg would write to the terminal past everybody."""
    jpeg = encoded(".jpg", BGR)
    load(saved(tmp_path, "worn.jpg", jpeg[:1200] + b"\x11\x22" * 40 + jpeg[1280:]))
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    """Each has its own sentence."""
    with pytest.raises(ImageError, match=r"no such file or directory.*check its name"):
        load(tmp_path / "nowhere.jpg")
    with pytest.raises(ImageError, match=r"is a folder; name the files in it"):
        load(tmp_path)
