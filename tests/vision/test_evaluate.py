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
from vision.page import Album, page
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
    """Without places, the tiles alone are compared; a half that was not seen is not right."""
    label = {"file": "a/1.jpg", "arrangement": "line", "tiles": [[2, 1], [2, 3], [5, 6]], "line": [[3, 2], [2, 1]]}
    (outcome,) = evaluate(table(tmp_path, label), read=reader).outcomes
    assert (outcome.group, outcome.asked, outcome.right) == ("a line", 3, 2)
    assert outcome.misread == (((5, 6), (-1, 6)),)
    assert (outcome.missed, outcome.invented) == ((), ())
    assert outcome.line_right is True
    assert not outcome.exact


def test_without_places_a_tile_with_no_half_in_common_is_missed(tmp_path: Path) -> None:
    """What was read as something quite different was missed, and the other invented."""
    label = {"file": "1.jpg", "tiles": [[2, 1], [2, 3], [0, 0]]}
    (outcome,) = evaluate(table(tmp_path, label), read=reader).outcomes
    assert (outcome.missed, outcome.invented, outcome.misread) == (((0, 0),), ((6, -1),), ())


def test_the_halves_are_counted_as_they_lie_and_as_they_were_read(tmp_path: Path) -> None:
    """The confusion has a row for what lies and a column for what was read, the last for what could not be seen."""
    evaluation = evaluate(
        table(tmp_path, {"file": "1.jpg", "tiles": [[2, 1], [2, 4], [5, 6]], "line": None}), read=reader
    )
    counts = np.array(evaluation.confusion())
    assert counts.shape == (7, 8)
    assert {(int(r), int(c)) for r, c in np.argwhere(counts)} == {(1, 1), (2, 2), (4, 3), (5, 7), (6, 6)}
    assert counts[2, 2] == 2
    assert "lies / read" in evaluation.text()


def test_confidence_is_held_against_what_was_right(tmp_path: Path) -> None:
    """Four of five halves that were read for certain are right: the confidence is 20 points off."""
    evaluation = evaluate(table(tmp_path, {"file": "1.jpg", "tiles": [[2, 1], [2, 4], [5, 6]]}), read=reader)
    (only,) = evaluation.reliability()
    assert (only.halves, only.confidence, only.right) == (5, 1.0, 0.8)
    assert evaluation.calibration_error() == pytest.approx(0.2)


def test_right_dominoes_in_the_wrong_order_are_misordered(tmp_path: Path) -> None:
    """A kind of mistake of its own; and a single domino is no line that could be asked for."""
    tiles = [[1, 2], [2, 3], [6, 6]]
    wrong = {"file": "1.jpg", "tiles": tiles, "corners": [domino(1, 2, x).corners for x in (50, 95, 300)]}
    read_whole = Reading((domino(1, 2, 50), domino(2, 3, 95), domino(6, 6, 300)), READING.chains)
    folder = table(tmp_path, {**wrong, "line": [[1, 2], [2, 3]]}, {**wrong, "file": "2.jpg", "line": [[6, 6]]})
    first, second = evaluate(folder, read=lambda _: read_whole).outcomes
    assert (first.exact, first.misordered) == (True, True)
    assert (second.line_right, second.misordered) == (None, False)


def test_a_table_of_labels_may_say_where_the_dominoes_lie(tmp_path: Path) -> None:
    """With corners it is judged by place: the same tile elsewhere is a miss and an invention."""
    label = {"file": "1.jpg", "tiles": [[1, 2]], "corners": [domino(1, 2, 200).corners]}
    (outcome,) = evaluate(table(tmp_path, label), read=reader).outcomes
    assert outcome.missed == ((1, 2),)
    assert (1, 2) in outcome.invented
    with pytest.raises(LabelError, match="corners for each of 2 tiles"):
        evaluate(table(tmp_path, {**label, "tiles": [[1, 2], [3, 4]]}), read=reader)


def test_failures_are_drawn_on_a_sheet_and_a_page(tmp_path: Path) -> None:
    """The page has every sum and every failure in it and needs no other file; the sheet shows the failures alone."""
    label = {"file": "1.jpg", "tiles": [[2, 1], [2, 3], [0, 0]]}
    album = Album()
    evaluation = evaluate(table(tmp_path, label), read=reader, failed=album.keep)
    sheet, text = album.sheet(), page(evaluation, album, "a < b")
    assert sheet is not None
    assert sheet.std() > 5
    assert text.count("data:image/jpeg;base64,") == 1
    assert "missed 0-0; invented 6-?" in text
    assert "<title>a &lt; b</title>" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert Album().sheet() is None


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
    assert "a loose/1.jpg: missed 0-0; invented 6-?" in evaluation.text()
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
