"""An evaluation as one page to look at: sums, confusion, reliability, and every failure with what was read drawn in."""

import base64
import html
from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.draw import draw
from vision.evaluate import COLUMNS, Bin, Evaluation, Outcome, failure, row
from vision.labels import Labelled
from vision.reading import Reading

Bgr8 = NDArray[np.uint8]

MOST: Final = 120
"""Failures shown; more than that nobody looks at, and the page has to stay small enough to send."""
SHOWN_PX: Final = 720
"""The longer side of a failure's picture on the page."""
CELL_PX: Final = 480
"""The same on the contact sheet."""
STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1500px;padding:0 1rem}
body{color:#1c1c1a;background:#fafaf7}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}td.same{background:#dcefdc}td.other{background:#f6d5cf}
figure{display:inline-block;margin:.5rem;vertical-align:top;max-width:720px}img{max-width:100%}
figcaption{font-size:13px}svg{background:#fff;border:1px solid #ddd}
"""


class Album:
    """The failures of an evaluation, drawn as they happen and kept small; give `keep` to `evaluate` as `failed`."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, bytes]] = []
        self.left_out = 0

    def keep(self, picture: Labelled, outcome: Outcome, bgr: Bgr8, reading: Reading) -> None:
        """Draw what was read into a picture and remember it."""
        if len(self._kept) == MOST:
            self.left_out += 1
            return
        factor = min(1.0, SHOWN_PX / max(bgr.shape[:2]))
        drawn = draw(bgr, reading)
        small = cv2.resize(drawn, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        jpeg = cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, 85))[1]
        self._kept.append((failure(outcome), jpeg.tobytes()))

    def sheet(self) -> Bgr8 | None:
        """All failures on one picture, each with what went wrong; None when there are none."""
        if not self._kept:
            return None
        cells = [_cell(caption, jpeg) for caption, jpeg in self._kept]
        columns = min(len(cells), max(2, round(len(cells) ** 0.5)))
        cells += [np.full_like(cells[0], 32)] * (-len(cells) % columns)
        rows = (np.hstack(cells[first : first + columns]) for first in range(0, len(cells), columns))
        return np.vstack(list(rows))

    def figures(self) -> Iterator[str]:
        """The failures as HTML, each picture in the page itself."""
        for caption, jpeg in self._kept:
            data = base64.b64encode(jpeg).decode()
            words = html.escape(caption)
            image = f'<img alt="{words}" src="data:image/jpeg;base64,{data}">'
            yield f"<figure>{image}<figcaption>{words}</figcaption></figure>"


def page(evaluation: Evaluation, album: Album, title: str) -> str:
    """The whole page, one file that needs no other."""
    confusion = evaluation.confusion()
    marks = [
        ["", *("same" if suit == read else "other" if n else "" for read, n in enumerate(line))]
        for suit, line in enumerate(confusion)
    ]
    failures = evaluation.failures()
    more = f"<p>{album.left_out} more are not shown.</p>" if album.left_out else ""
    unreadable = "".join(f"<li>{html.escape(text)}</li>" for text in evaluation.unreadable)
    return "\n".join(
        (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>',
            f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>",
            _rows(COLUMNS, [row(group) for group in evaluation.groups()]),
            "<h2>Halves: what lies there, and what was read</h2>",
            _rows(
                ("", *map(str, range(7)), "?"),
                [(str(suit), *map(str, line)) for suit, line in enumerate(confusion)],
                marks,
            ),
            "<h2>How sure, and how often right</h2>",
            f"<p>Expected calibration error {evaluation.calibration_error():.2%}.</p>",
            reliability_plot(evaluation.reliability()),
            f"<h2>{len(failures)} pictures with a mistake</h2>{more}",
            *album.figures(),
            f"<h2>Pictures that could not be opened</h2><ul>{unreadable}</ul>" if unreadable else "",
            "</html>",
        )
    )


def reliability_plot(bins: Sequence[Bin]) -> str:
    """Confidence against the share of right halves, as SVG; each point as large as it has halves."""
    side, edge = 300, 36
    most = max((b.halves for b in bins), default=1)
    at = [(edge + b.confidence * side, edge + (1 - b.right) * side, b) for b in bins]
    points = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 7 * (b.halves / most) ** 0.5:.1f}" fill="#2f6f4f">'
        f"<title>{b.halves} halves, sure {b.confidence:.1%}, right {b.right:.1%}</title></circle>"
        for x, y, b in at
    )
    ticks = "".join(
        f'<text x="{edge + v * side:.0f}" y="{edge + side + 16}" text-anchor="middle">{v:.1f}</text>'
        f'<text x="{edge - 6}" y="{edge + (1 - v) * side + 4:.0f}" text-anchor="end">{v:.1f}</text>'
        for v in (0.0, 0.5, 1.0)
    )
    total = side + 2 * edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{total}" font-family="sans-serif" '
        'font-size="12">'
        f'<rect x="{edge}" y="{edge}" width="{side}" height="{side}" fill="none" stroke="#999"/>'
        f'<line x1="{edge}" y1="{edge + side}" x2="{edge + side}" y2="{edge}" stroke="#bbb" stroke-dasharray="4"/>'
        f'{points}{ticks}<text x="{edge + side / 2}" y="{total - 4}" text-anchor="middle">confidence of a half</text>'
        f'<text x="12" y="{edge + side / 2}" text-anchor="middle" transform="rotate(-90 12 {edge + side / 2})">'
        "share that is right</text></svg>"
    )


def _rows(header: Sequence[str], rows: Sequence[Sequence[str]], marks: Sequence[Sequence[str]] | None = None) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{marks[r][c]}">{html.escape(text)}</td>' if marks else f"<td>{html.escape(text)}</td>"
            for c, text in enumerate(line)
        )
        + "</tr>"
        for r, line in enumerate(rows)
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(caption: str, jpeg: bytes) -> Bgr8:
    """One failure in a square with its caption under it."""
    bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    cell = np.full((CELL_PX + 44, CELL_PX, 3), 32, np.uint8)
    if bgr is not None:
        factor = CELL_PX / max(bgr.shape[:2])
        small = cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)[:CELL_PX, :CELL_PX]
        cell[: small.shape[0], : small.shape[1]] = small
    words = [caption[:68], caption[68:136]]
    for line, text in enumerate(words):
        place = (6, CELL_PX + 17 + 18 * line)
        cv2.putText(cell, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.42, (235, 235, 235), 1, cv2.LINE_AA)
    return cell
