"""Files that a command was asked to write, text or pictures; what cannot be written is told in one sentence."""

from __future__ import annotations

from pathlib import Path

import cv2

from controller.cli import Sorry


def make_folder(folder: Path, what: str) -> None:
    """Make it where it is not there. Raises: Sorry, as all of these."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Sorry(f"expected a folder for {what}, got {folder} ({error.strerror}): give another") from error


def write_text(out: Path, text: str) -> None:
    """Write a page of text."""
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Sorry(f"expected a file that can be written, got {out} ({error.strerror}): name another") from error


def write_svg(out: Path, svg: str, flag: str) -> None:
    """Write a drawing; only under a name that says what it is."""
    if out.suffix.lower() != ".svg":
        raise Sorry(f"expected a name that ends in .svg for {flag}, got {out}: SVG is what any browser prints")
    write_text(out, svg)


def write_picture(out: Path, picture: cv2.typing.MatLike, flag: str) -> None:
    """Write a picture of the kind that its name says."""
    try:
        is_written = cv2.imwrite(str(out), picture)
    except cv2.error as error:
        raise Sorry(f"expected a picture's name with an ending like .png or .jpg for {flag}, got {out}") from error
    if not is_written:
        raise Sorry(f"expected a place that can be written to for {flag}, got {out}: give another")
