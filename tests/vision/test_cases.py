"""Test cases in a folder: labels that evaluation takes and a person can correct, and one sentence where none can be."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import cases
from vision.cases import Case, CaseError, save_case
from vision.labels import labelled
from vision.reading import Domino, Half, Link, Reading

PICTURE = np.random.default_rng(1).integers(0, 255, (48, 64, 3), dtype=np.uint8)


def half(suit: int | None, sure: float = 0.94) -> Half:
    if suit is None:
        return Half(None)
    return Half(tuple(sure if s == suit else (1 - sure) / 6 for s in range(7)))


def domino(a: int | None, b: int | None, x: float) -> Domino:
    return Domino(half(a), half(b), ((x, 10.0), (x, 0.0), (x + 20, 0.0), (x + 20, 10.0)), 0.9)


READING = Reading((domino(6, 4, 0), domino(4, 1, 20), domino(5, None, 40)), ((Link(0, False), Link(1, False)),))


def test_case_has_the_very_pixels_the_reading_and_a_note_that_it_is_not_the_truth(tmp_path: Path) -> None:
    """Lossless, with each whole domino and the line; a half that was not seen is left to a person."""
    path = save_case(tmp_path / "new" / "cases", "first", Case(PICTURE, READING, None), by="gameline 1")
    again = save_case(path.parent, "first", Case(PICTURE, Reading(), None), by="gameline 1")
    assert (path.name, again.name) == ("first.png", "first-2.png")
    assert np.array_equal(np.asarray(cv2.imread(str(path))), PICTURE)
    first, second = (json.loads(line) for line in (path.parent / "labels.jsonl").read_text().splitlines())
    assert (first["tiles"], first["line"]) == ([[6, 4], [4, 1]], [[6, 4], [4, 1]])
    assert first["half_seen"][0]["tile"] == [5, None]
    assert first["confidence"] == [pytest.approx(0.846)] * 2
    assert "correct them by hand" in first["note"]
    assert (second["tiles"], second["line"]) == ([], None)
    read = labelled(path.parent)
    assert [truth.tile for truth in read[0].dominoes] == [(6, 4), (4, 1)]
    assert read[0].line == ((6, 4), (4, 1))


def test_case_that_cannot_be_kept_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the folder's place, a folder that is full, a disk that nearly is: nothing is half written."""
    case = Case(PICTURE, READING, None)
    (tmp_path / "file").touch()
    with pytest.raises(CaseError, match="expected a folder that can be written"):
        save_case(tmp_path / "file", "one", case, by="test")
    monkeypatch.setattr(cases, "MOST", 1)
    save_case(tmp_path / "full", "one", case, by="test")
    with pytest.raises(CaseError, match="has 1 already"):
        save_case(tmp_path / "full", "two", case, by="test")
    monkeypatch.setattr(cases, "SPARE_BYTES", 1 << 60)
    with pytest.raises(CaseError, match="nearly full"):
        save_case(tmp_path / "empty", "one", case, by="test")
    assert [path.name for path in tmp_path.rglob("*.png")] == ["one.png"]
