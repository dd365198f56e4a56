"""The judge of the reader: what counts as right, missed, invented and misread, in both kinds of folder."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.evaluate import evaluate
from vision.labels import LabelError
from vision.reading import Domino, Half, Link, Reading


def half(suit: int | None) -> Half:
    """A half seen for certain, or not at all."""
    return Half(None if suit is None else tuple(float(s == suit) for s in range(7)))


def domino(a: int | None, b: int | None, x: float, *, turned: bool = False) -> Domino:
    """A domino 40 px long with its centre at (x, 50)."""
    corners = [(x - 20, 60.0), (x - 20, 40.0), (x + 20, 40.0), (x + 20, 60.0)]
    if turned:
        corners = corners[2:] + corners[:2]
    return Domino(half(a), half(b), (corners[0], corners[1], corners[2], corners[3]), 0.9)


READING = Reading(
    (domino(1, 2, 50), domino(3, 2, 95, turned=True), domino(6, None, 300)),
    ((Link(0, flipped=False), Link(1, flipped=True)),),
)


def reader(_: NDArray[np.uint8]) -> Reading:
    """Reads the same in every picture."""
    return READING


def picture(path: Path) -> None:
    """A blank picture file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.zeros((100, 400, 3), np.uint8))


def table(folder: Path, *labels: dict[str, Any]) -> Path:
    """A folder of the first kind."""
    for label in labels:
        picture(folder / label["file"])
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(label) for label in labels) + "\n")
    return folder


def entry(a: int, b: int, x: float, **more: object) -> dict[str, Any]:
    """One domino of a label of the second kind, a to the left."""
    return {"a": a, "b": b, "corners_px": [[x - 20, 60], [x - 20, 40], [x + 20, 40], [x + 20, 60]], **more}


def beside(folder: Path, name: str, *chain: dict[str, Any], **more: object) -> Path:
    """A picture of the second kind."""
    picture(folder / f"{name}.jpg")
    (folder / f"{name}.json").write_text(json.dumps({"chain": list(chain), **more}))
    return folder


def test_tiles_are_compared_whatever_way_round(tmp_path: Path) -> None:
    """Without places, the tiles alone are counted; a half that was not seen is not right."""
    label = {"file": "a/1.jpg", "arrangement": "line", "tiles": [[2, 1], [2, 3], [5, 6]], "line": [[3, 2], [2, 1]]}
    (outcome,) = evaluate(table(tmp_path, label), read=reader).outcomes
    assert (outcome.group, outcome.asked, outcome.right) == ("a line", 3, 2)
    assert outcome.missed == ((5, 6),)
    assert outcome.invented == ((-1, 6),)
    assert outcome.line_right is True
    assert not outcome.exact


def test_places_tell_a_misreading_from_a_miss(tmp_path: Path) -> None:
    """A domino read at its place with other suits is misread, even when the tile lies elsewhere too."""
    chain = [entry(1, 2, 50), entry(2, 4, 95), entry(0, 0, 200)]
    (outcome,) = evaluate(beside(tmp_path, "one", *chain), read=reader).outcomes
    assert outcome.misread == (((2, 4), (2, 3)),)
    assert outcome.missed == ((0, 0),)
    assert outcome.invented == ((6, -1),)
    assert outcome.right == 1
    assert outcome.line_right is False


def test_what_cannot_be_seen_is_not_asked(tmp_path: Path) -> None:
    """Half-hidden and unreadable dominoes count neither way, and a line with one of them is not judged."""
    chain = [entry(1, 2, 50), entry(2, 3, 95), entry(6, 6, 300, visible_a=0.4), entry(0, 0, 200, readable=False)]
    (outcome,) = evaluate(beside(tmp_path, "one", *chain), read=reader).outcomes
    assert outcome.exact
    assert outcome.asked == 2
    assert outcome.line_right is None


def test_groups_and_their_sum_are_told(tmp_path: Path) -> None:
    """The text has a row for each group and for all, and a line for each failure; the dict holds the same."""
    folder = table(
        tmp_path,
        {"file": "a/1.jpg", "arrangement": "loose", "tiles": [[1, 2], [2, 3], [0, 0]], "line": None},
        {"file": "b/1.jpg", "arrangement": "loose", "tiles": [[1, 2]], "line": None},
    )
    seen: list[tuple[int, int]] = []
    evaluation = evaluate(folder, read=reader, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 2), (2, 2)]
    assert [group.name for group in evaluation.groups()] == ["a loose", "b loose", "all"]
    assert "a loose/1.jpg: missed 0-0; invented ?-6" in evaluation.text()
    assert json.loads(json.dumps(evaluation.as_dict()))["groups"][-1]["asked"] == 4


def test_a_picture_that_cannot_be_opened_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """One damaged file does not stop an evaluation."""
    folder = table(tmp_path, {"file": "1.jpg", "tiles": [[1, 2]]}, {"file": "2.jpg", "tiles": [[1, 2]]})
    (folder / "1.jpg").write_bytes(b"")
    evaluation = evaluate(folder, read=reader)
    assert len(evaluation.outcomes) == 1
    assert "1.jpg is empty" in evaluation.text()


@pytest.mark.parametrize("text", ["{", '{"file": "1.jpg"}', '{"file": "1.jpg", "tiles": [[1, 7]]}', "[]", "3"])
def test_a_label_that_makes_no_sense_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    """The file and the line are named."""
    (tmp_path / "labels.jsonl").write_text("\n" + text + "\n")
    with pytest.raises(LabelError, match=r"labels\.jsonl, line 2"):
        evaluate(tmp_path, read=reader)


def test_a_folder_without_labels_is_told(tmp_path: Path) -> None:
    """Nothing to compare with is no success."""
    with pytest.raises(LabelError, match="found neither in"):
        evaluate(tmp_path, read=reader)
