"""The register as a printed A4 page for the club's folder; its words and cells are the core's, here is only the layout.

The same register gives the same bytes: no clock is asked, and what makes a document differ from run to run is off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table

from controller.game.tiles import Pair, Seat
from controller.register.cells import (
    chosen_parameters,
    columns,
    confirmed,
    ending,
    ends,
    fines_line,
    name_of,
    number,
    pair_names,
    plain,
    result_line,
    rules_line,
    set_number,
    spots_left,
    words_of,
)
from controller.register.files import RegisterFileError
from controller.register.notes import note_line, sections
from controller.register.register import Register, SetEntry
from controller.register.words import Language, Words

FONT_FOLDERS = (
    Path("/usr/share/fonts/truetype/dejavu"),  # Debian, Raspberry Pi OS: fonts-dejavu-core
    Path("/usr/share/fonts/dejavu-sans-fonts"),  # Fedora
    Path("/usr/share/fonts/TTF"),  # Arch
)
"""Where the systems keep DejaVu Sans, a free font with Cyrillic and ½."""
PLAIN, BOLD = "GamelineSans", "GamelineSans-Bold"
_FONT_FILES = {PLAIN: "DejaVuSans.ttf", BOLD: "DejaVuSans-Bold.ttf"}

MARGIN = 14 * mm
WIDTH = A4[0] - 2 * MARGIN
_PADDING = 6
"""What the library leaves between a frame and its text, in points."""
_COLUMNS_MM = (9.0, 29.0, 27.0, 12.0, 33.0, 11.0, 23.0, 9.5, 9.5, 9.5, 9.5)
"""Of the sets: number, leader, first mixer, moves and passes, ending, open ends, spots, points A B, total A B."""
_MIXED = 2
"""The column of the first mixer, which is left out where the text knows none."""

_CELL_LETTERS = 300
"""More than two long names with all their titles, and less than fills a page in the narrowest column."""
_LETTERS = 4000
"""More than the longest proof."""
_TOGETHER = 4
"""Lines of a long paragraph that stay with what must not stand alone after it."""
_LONG_WORD = re.compile(r"(\S{60})(?=\S)")
"""A word is broken after so many letters: the library takes its time, or gives up, over one that fills lines."""

_BODY = ParagraphStyle("body", fontName=PLAIN, fontSize=9, leading=12, embeddedHyphenation=1)
_STYLES = {
    "title": ParagraphStyle("title", _BODY, fontName=BOLD, fontSize=15, leading=20),
    "body": _BODY,
    "strong": ParagraphStyle("strong", _BODY, fontName=BOLD, fontSize=10, leading=14, spaceBefore=6),
    "heading": ParagraphStyle("heading", _BODY, fontName=BOLD, fontSize=9.5, leading=13, spaceBefore=7, keepWithNext=1),
    "note": ParagraphStyle("note", _BODY, fontSize=8.5, leading=11, leftIndent=8, firstLineIndent=-8, spaceAfter=2),
    "small": ParagraphStyle("small", _BODY, fontSize=7.5, leading=10),
    "cell": ParagraphStyle("cell", _BODY, fontSize=7.5, leading=9),
}
_GRID: list[Any] = [
    ("FONT", (0, 0), (-1, -1), PLAIN, 7.5, 9),
    ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
    ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
    ("LEFTPADDING", (0, 0), (-1, -1), 2),
    ("RIGHTPADDING", (0, 0), (-1, -1), 2),
    ("TOPPADDING", (0, 0), (-1, -1), 2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
]


def register_pdf(register: Register, language: Language, *, font_folders: Sequence[Path] = FONT_FOLDERS) -> bytes:
    """The register as a PDF of A4 pages to print and sign.

    Args:
        register: what to print.
        language: of everything but what people have typed, and what is known only as the referee was told it.
        font_folders: where to look for DejaVu Sans.

    Raises:
        RegisterFileError: the font is not there, or is no font.
    """
    _load_fonts(font_folders)
    words = words_of(language)
    pages = _build(register, words, pages=0)[1]  # the first time only to learn how many there are
    return _build(register, words, pages=pages)[0]


def _load_fonts(folders: Sequence[Path]) -> None:
    for name, file in _FONT_FILES.items():
        found = next((folder / file for folder in folders if (folder / file).is_file()), None)
        if found is None:
            raise RegisterFileError(
                f"expected the font {file} to print with, got none in {', '.join(map(str, folders))}: "
                "install it with 'sudo apt install fonts-dejavu-core'"
            )
        try:
            pdfmetrics.registerFont(TTFont(name, str(found)))
        except TTFError as error:
            raise RegisterFileError(
                f"expected a font in {found}, got something else ({error}): "
                "install it anew with 'sudo apt install --reinstall fonts-dejavu-core'"
            ) from None


def _build(register: Register, words: Words, *, pages: int) -> tuple[bytes, int]:
    """The document, with `pages` as the number that its feet say, and how many it has."""
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=MARGIN - _PADDING,
        rightMargin=MARGIN - _PADDING,
        topMargin=12 * mm,
        bottomMargin=16 * mm,
        title=f"{words.title} {plain(register.game_id)}".strip(),
        author="Gameline",
        lang=words.language.value,
        invariant=1,
    )

    def foot(canvas: Canvas, built: BaseDocTemplate) -> None:
        canvas.setFont(PLAIN, 7.5)
        page = words.page.format(page=built.page, pages=pages)
        canvas.drawRightString(A4[0] - MARGIN, 9 * mm, page)
        line = _cut(_whole_title(register, words), WIDTH - pdfmetrics.stringWidth(page, PLAIN, 7.5) - 5 * mm)
        canvas.drawString(MARGIN, 9 * mm, line)

    story = _signed(list(_story(register, words)), register, words)
    document.build(story, onFirstPage=foot, onLaterPages=foot)
    return out.getvalue(), document.page


def _whole_title(register: Register, words: Words) -> str:
    parts = (f"{label} {plain(value)}" for label, value in _labelled(register, words) if plain(value))
    return " · ".join((words.title, *parts))


def _labelled(register: Register, words: Words) -> tuple[tuple[str, str], ...]:
    """What, where and when."""
    return (
        (words.competition, register.competition),
        (words.table, register.table),
        (words.game, register.game_id),
        (words.date, register.date),
    )


def _cut(text: str, width: float) -> str:
    """`text` as far as it goes into `width` points at the size of the foot."""
    text = text[:_CELL_LETTERS]
    if pdfmetrics.stringWidth(text, PLAIN, 7.5) <= width:
        return text
    while text and pdfmetrics.stringWidth(f"{text}…", PLAIN, 7.5) > width:
        text = text[:-1]
    return f"{text}…"


def _text(text: str, style: str) -> Paragraph:
    """A paragraph of what somebody may have typed: it is text, whatever signs stand in it, cut at `_LETTERS`."""
    shown = plain(text)
    if len(shown) > _LETTERS:
        shown = f"{shown[:_LETTERS]}…"
    return Paragraph(escape(_LONG_WORD.sub(r"\1 ", shown)), _STYLES[style])


def _cell(text: str, style: str) -> Paragraph:
    """A paragraph in a table, cut where it would be taller than any page: rows are never divided."""
    return _text(text if len(text) <= _CELL_LETTERS else f"{text[:_CELL_LETTERS]}…", style)


# --- the page from top to bottom ---


def _story(register: Register, words: Words) -> Iterator[Flowable]:
    yield _text(words.title, "title")
    yield _head(register, words)
    yield Spacer(0, 2 * mm)
    yield _text(rules_line(register, words), "body")
    chosen = chosen_parameters(register, words)
    yield _text(f"{words.parameters}: {'; '.join(chosen)}." if chosen else words.parameters_usual, "body")
    yield Spacer(0, 3 * mm)
    yield _sets(register, words)
    fined = fines_line(register, words)
    if fined is not None:
        yield _text(fined, "small")
    if _is_mixed(register):
        yield _text(words.mixing[register.params.first_mixer], "small")
    result = result_line(register, words)
    if result is not None:
        yield _text(result, "strong")
    if register.recorders:
        yield _text(words.recorded_by.format(names=", ".join(register.recorders)), "body")
    for section in sections(register, words):
        yield _text(section.heading, "heading")
        for note in section.notes:
            yield _text(note_line(note, words), "note")


def _signed(story: list[Flowable], register: Register, words: Words) -> list[Flowable]:
    """The story with the lines to sign, which never stand on a page without the end of what is signed."""
    lines = [_text(words.signatures, "heading"), _signatures(register, words)]
    *before, last = story
    *begun, end = _parted(last)
    heading = before[-1] if not begun else None
    if isinstance(heading, Paragraph) and heading.style.name == "heading":
        return [*before[:-1], KeepTogether([heading, end, *lines])]
    return [*before, *begun, KeepTogether([end, *lines])]


def _parted(block: Flowable) -> list[Flowable]:
    """A long block as two, its last lines or rows by themselves: all of it need not go with what follows."""
    _, height = block.wrap(WIDTH, A4[1])
    if isinstance(block, Paragraph):
        lines = round(height / block.style.leading)
        room = (lines - _TOGETHER) * block.style.leading + 0.5 if lines > _TOGETHER * 2 else height
    else:
        room = height - _TOGETHER * _BODY.leading if height > A4[1] / 2 else height
    return [block] if room >= height else list(block.split(WIDTH, room)) or [block]


def _head(register: Register, words: Words) -> Table:
    """What, where and when, and who plays with whom."""
    what = [_cell(f"{label}: {plain(value) or '—'}", "body") for label, value in _labelled(register, words)]
    who = [_cell(f"{words.pair.format(pair=pair.value)}: {pair_names(register, pair, words)}", "body") for pair in Pair]
    rows = [[what[0], what[1]], [what[2], what[3]], [who[0], who[1]]]
    return Table(rows, [WIDTH / 2] * 2, style=[*_GRID, ("VALIGN", (0, 0), (-1, -1), "TOP")])


def _sets(register: Register, words: Words) -> Table:
    """The table of sets; its head is repeated on every page."""
    moves = f"{words.moves} / {words.passes}"
    titles: list[Any] = [words.set_no, words.lead, words.mixed, moves, words.ending, words.ends, words.spots]
    heads: list[list[Any]] = [[*(_text(title, "cell") for title in titles), words.points, "", words.total, ""]]
    heads.append([""] * len(titles) + ["A", "B"] * 2)
    rows: list[list[Any]] = [*heads, *(_set_cells(register, entry, words) for entry in register.sets)]
    widths = [width * mm for width in _COLUMNS_MM]
    if not _is_mixed(register):
        rows = [[cell for place, cell in enumerate(row) if place != _MIXED] for row in rows]
        spare = widths.pop(_MIXED)
        widths[1] += spare / 2
        widths[3] += spare / 2
    numbers = len(widths) - 4
    style: list[Any] = [
        *_GRID,
        ("BACKGROUND", (0, 0), (-1, 1), colors.whitesmoke),
        ("SPAN", (numbers, 0), (numbers + 1, 0)),
        ("SPAN", (numbers + 2, 0), (numbers + 3, 0)),
        ("ALIGN", (numbers - 2, 0), (-1, -1), "CENTER"),
        *(("SPAN", (place, 0), (place, 1)) for place in range(numbers)),
    ]
    return Table(rows, widths, repeatRows=2, style=style)


def _is_mixed(register: Register) -> bool:
    """Whether the text says who mixes; where nothing is played yet there is no one to name either."""
    return any(entry.mixing is not None for entry in register.sets)


def _set_cells(register: Register, entry: SetEntry, words: Words) -> list[Any]:
    mixed = "" if entry.mixing is None else name_of(register, entry.mixing.first)
    total = ("", "") if entry.total is None else (number(entry.total[0]), number(entry.total[1]))
    return [
        set_number(entry),
        _cell("—" if entry.lead is None else _broken(name_of(register, entry.lead)), "cell"),
        _cell(_broken(mixed), "cell"),
        f"{entry.moves} / {entry.passes}",
        _text(ending(entry, words), "cell"),
        ends(entry),
        spots_left(entry),
        *columns(entry, register.params),
        *total,
    ]


def _broken(name: str) -> str:
    """A name whose double surname may break at its hyphen, where it is too long for a column of names.

    The library would rather break it after the first letter that still fits.
    """
    room = _COLUMNS_MM[_MIXED] * mm - 4
    words = name.split(" ")
    return " ".join(
        word.replace("-", "- ") if pdfmetrics.stringWidth(word, PLAIN, 7.5) > room else word for word in words
    )


def _signatures(register: Register, words: Words) -> Table:
    """A line for each player and for both referees, their names printed before it."""
    rows: list[list[Any]] = [
        [
            _text(words.pair.format(pair=seat.pair.value), "body"),
            _cell(name_of(register, seat), "body"),
            _cell(confirmed(register, seat.pair, words), "small"),
        ]
        for seat in (Seat.S0, Seat.S2, Seat.S1, Seat.S3)
    ]
    for office, is_chief in ((words.referee, False), (words.chief_referee, True)):
        said = confirmed(register, None, words, is_chief=is_chief)
        rows.append([_text(office, "body"), "", _cell(said, "small")])
    style: list[Any] = [
        ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
        ("LINEBELOW", (2, 0), (2, -1), 0.5, colors.black),
        ("LINEBELOW", (1, 4), (1, 5), 0.5, colors.black),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 12),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
    ]
    return Table(rows, [35 * mm, 75 * mm, WIDTH - 110 * mm], style=style)
