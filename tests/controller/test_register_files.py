"""The register's forms hold the same: text, CSV, JSON and the printed page are read back and compared."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from controller.game.rulesets import Params, fours, spots
from controller.game.tiles import Pair, Seat
from controller.register.cells import name_of, words_of
from controller.register.files import (
    CSV_COLUMNS,
    RegisterFileError,
    load_register,
    read_register_json,
    register_csv,
    register_json,
    save_register,
)
from controller.register.notes import sections
from controller.register.page import register_pdf
from controller.register.register import FineEntry, Register, ReplayEntry, SignatureEntry
from controller.register.text import register_text
from controller.register.words import ENGLISH, Language
from tests.controller.registers import (
    a_set,
    long_register,
    random_register,
    register_with,
    short_register,
    spots_register,
)

Totals = list[tuple[float, float]]


# --- reading each form back, with nothing but what stands in it ---


def value(text: str) -> float:
    """`2½` as a number."""
    whole = text.replace("½", "")
    return (float(whole) if whole else 0.0) + (0.5 if "½" in text else 0.0)


def totals_in_text(text: str) -> Totals:
    """The last column of the table of sets."""
    lines = re.findall(r"^ *\d+\+? .* ([\d½]+) : ([\d½]+)$", text, re.MULTILINE)
    return [(value(a), value(b)) for a, b in lines]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def totals_in_csv(text: str) -> Totals:
    return [(float(row["total_a"]), float(row["total_b"])) for row in rows_of(text) if row["total_a"]]


def totals_in_json(data: bytes) -> Totals:
    """Read as any other program would."""
    sets = msgspec.json.decode(data)["register"]["sets"]
    return [tuple(entry["total"]) for entry in sets if entry["total"] is not None]


def pieces(page: Any) -> Iterator[tuple[str, float, float]]:
    """What stands on a page of a PDF, and where, in points."""
    found: list[tuple[str, float, float]] = []

    def visit(text: str, cm: list[float], tm: list[float], _font: object, _size: object) -> None:
        if text.strip():
            found.append((text.strip(), cm[0] * tm[4] + cm[4], cm[3] * tm[5] + cm[5]))

    page.extract_text(visitor_text=visit)
    yield from found


def totals_in_pdf(data: bytes) -> Totals:
    """The two columns under the last A and B of each page's table."""
    totals: Totals = []
    for page in PdfReader(io.BytesIO(data)).pages:
        found = list(pieces(page))
        heads = sorted(piece[1] for piece in found if piece[0] in ("A", "B"))
        if len(heads) != 4:
            continue
        columns = [
            [value(text) for text, x, _ in found if abs(x - head) < 12 and re.fullmatch(r"[\d½]+", text)]
            for head in heads[2:]
        ]
        totals += zip(*columns, strict=True)
    return totals


def text_of(data: bytes) -> str:
    """Everything on the pages, as one line."""
    pages = (page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    return " ".join(" ".join(pages).split())


# --- the same in every form ---


@settings(deadline=None, derandomize=True, max_examples=12)
@given(st.integers(0, 10_000).map(random_register))
@example(long_register())
@example(short_register())
@example(spots_register())
def test_every_form_has_the_same_totals(register: Register) -> None:
    """Whichever form of the register a club keeps, the points after every set are the same in it."""
    expected = [entry.total for entry in register.sets if entry.total is not None]
    assert totals_in_text(register_text(register)) == expected
    assert totals_in_csv(register_csv(register)) == expected
    assert totals_in_json(register_json(register)) == expected
    for language in Language:
        assert totals_in_pdf(register_pdf(register, language)) == expected


# --- JSON ---


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.integers(0, 10_000).map(random_register))
@example(long_register())
def test_json_register_reads_back_as_it_was(register: Register) -> None:
    """Nothing is lost on the way to the file and back."""
    assert read_register_json(register_json(register)) == register


def test_json_register_has_every_parameter_inside() -> None:
    """An old register can be scored again by its own rules: rule set, version and all values are in it (R12)."""
    params = msgspec.json.decode(register_json(spots_register()))["register"]["params"]
    assert set(params) == set(Params.__dataclass_fields__)
    assert (params["rule_set"], params["version"], params["lone_blank_value"]) == ("spots", "1", 10)


LATER = ("misreadings", "refused", "claimant", "elapsed_ms", "is_lapsed")
"""What a finding has had since its facts are kept."""
LATER_IN = {"sets": ("fines",), "overtimes": ("is_unmade",), "corrections": ("undone", "finding", "decision", "reason")}
"""What else has been kept only later, by where it stands."""


def test_json_register_from_before_findings_had_these_facts_is_read() -> None:
    """A register that was written without them is the same register, its findings told in words alone."""
    register = long_register()
    document = msgspec.json.decode(register_json(register))
    for finding in document["register"]["findings"]:
        for name in LATER:
            del finding[name]
    for where, names in LATER_IN.items():
        for entry in document["register"][where]:
            for name in names:
                del entry[name]
    bare = {"misreadings": (), "refused": None, "claimant": None, "elapsed_ms": None}
    findings = tuple(replace(finding, **bare) for finding in register.findings)  # type: ignore[arg-type]
    assert findings != register.findings
    assert read_register_json(msgspec.json.encode(document)) == replace(register, findings=findings)


BROKEN = {
    "no JSON": (b"set 1: 1:0", "expected a register in JSON"),
    "no text": (b"\xff\xfe\x00", "expected a register in JSON"),
    "nothing": (b"", "expected a register in JSON"),
    "a list": (b"[1, 2]", "expected a register in JSON"),
    "another file": (b'{"format": "gameline-ledger", "version": 1, "register": {}}', "got 'gameline-ledger'"),
    "another version": (b'{"format": "gameline-register", "version": 2, "register": {}}', "got version 2"),
    "no sets": (b'{"format": "gameline-register", "version": 1, "register": {"names": []}}', "got one with a fault"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_register_is_refused_in_one_sentence(name: str) -> None:
    """A wrong file is answered with what it is and what to do, never with a broken register."""
    data, words = BROKEN[name]
    with pytest.raises(RegisterFileError, match=words) as caught:
        read_register_json(data)
    assert "\n" not in str(caught.value)
    assert re.search(r": (choose|read|take) ", str(caught.value))


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        (("sets", 1, "points"), [1.0, 0.0]),
        (("sets", 3, "total"), [4.0, 0.0]),
        (("sets", 2, "set_no"), 7),
        (("sets", 0, "ending"), "tired"),
        (("sets", 0, "lead"), 4),
        (("names",), ["Ann", "Bob", "Cleo"]),
        (("params", "sets_in_game"), 5),
        (("sets", 0, "ending"), None),
        (("findings", 1, "misreadings", 0, "taken_for"), None),
        (("findings", 1, "misreadings", 1, "by_voice"), []),
    ],
)
def test_register_changed_by_hand_is_refused(path: tuple[Any, ...], changed: object) -> None:
    """Points that no longer add up, a seat that does not exist, or half a misreading are not taken for a register."""
    document = msgspec.json.decode(register_json(replace(short_register(), findings=long_register().findings)))
    *way, last = path
    place = document["register"]
    for step in way:
        place = place[step]
    assert place[last] != changed
    place[last] = changed
    with pytest.raises(RegisterFileError, match="got one with a fault"):
        read_register_json(msgspec.json.encode(document))


# --- CSV ---


def test_csv_has_a_row_a_set_and_the_columns_it_promises() -> None:
    """A spreadsheet gets one header and then one row for every set, and every row is as long as the header."""
    lines = list(csv.reader(io.StringIO(register_csv(long_register()), newline="")))
    assert tuple(lines[0]) == CSV_COLUMNS
    assert {len(line) for line in lines} == {len(CSV_COLUMNS)}
    assert [line[CSV_COLUMNS.index("set")] for line in lines[1:]] == [str(place) for place in range(1, 14)]


def test_csv_row_says_who_led_how_it_ended_and_every_act() -> None:
    """A row of the file is the whole set: leader, mixers, end, spots of the four hands, points and the acts."""
    row = rows_of(register_csv(short_register()))[1]
    expected = {
        "set": "2",
        "rule_set": "fours",
        "lead_seat": "1",
        "lead": "Bob",
        "first_mixer": "Dan",
        "second_mixer": "Bob",
        "ending": "deadlock",
        "end_left": "6",
        "end_right": "3",
        "spots_0": "14",
        "spots_3": "19",
        "winner": "draw",
        "points_a": "0.5",
        "points_b": "0.5",
        "game_points_a": "2.5",
        "game_winner": "A",
        "acts": "0:6-4 1:4-4R 2:voice! 3:3-1L!",
    }
    assert {column: row[column] for column in expected} == expected


def test_csv_keeps_every_note_with_its_set() -> None:
    """Warnings, findings and all else stand in the row of the set they belong to, word for word."""
    register = long_register()
    rows = {row["set"]: row for row in rows_of(register_csv(register))}
    for section in sections(register, ENGLISH):
        for set_no, text in section.notes:
            if set_no is not None:
                assert any(text in cell for cell in rows[str(set_no)].values())


def test_csv_keeps_a_warning_given_before_its_set_begins() -> None:
    """A warning between two sets has a row of its own as long as the next set has none."""
    warning = replace(long_register().warnings[0], set_no=5)
    rows = rows_of(register_csv(replace(short_register(), warnings=(warning,))))
    assert (rows[-1]["set"], rows[-1]["points_a"]) == ("5", "")
    assert "for talking" in rows[-1]["warnings"]


def test_csv_gives_no_formula_to_a_spreadsheet() -> None:
    """A name that begins like a formula is a name, and is not computed when the file is opened."""
    names = ('=HYPERLINK("x")', "+7 999", "-", "@home")
    row = rows_of(register_csv(replace(short_register(), names=names)))[0]
    assert [row[f"player_{seat}"] for seat in range(4)] == [f"'{name}" for name in names]


# --- the page ---


@pytest.mark.parametrize("language", Language)
def test_page_prints_the_same_bytes_every_time(language: Language) -> None:
    """A register that is printed again is the same file: nothing in it depends on the day of printing."""
    assert register_pdf(long_register(), language) == register_pdf(long_register(), language)


PRINTED = {
    Language.EN: ("Winter cup", "G-12", "2026-11-30 18:05 UTC", "Signatures", "Chief referee", "page 3 of 3"),
    Language.RU: ("Протокол партии", "раздач 12", "неправильный пропуск", "Подписи", "Главный судья", "стр. 3 из 3"),
}


def test_page_has_on_the_line_to_sign_who_has_confirmed_it_at_the_table() -> None:
    """Both of a pair and the referee; the others' lines are empty, to be signed by hand."""
    signatures = (SignatureEntry(Pair.A, "Olga"), SignatureEntry(None, ""))
    page = register_pdf(replace(short_register(), signatures=signatures), Language.EN)
    assert text_of(page).count("confirmed at the table, Olga") == 2
    assert text_of(page).count("confirmed at the table") == 3


@pytest.mark.parametrize("language", Language)
def test_page_says_all_that_a_club_files(language: Language) -> None:
    """Head, rules, every note, who confirmed it, and the lines to sign are on the page, in its own language."""
    register = long_register()
    said = text_of(register_pdf(register, language))
    assert [words for words in PRINTED[language] if words not in said] == []
    assert said.count("V. Sergeev") >= 10
    bare = re.sub(r"[\s-]", "", said)  # a line may break after any hyphen
    names = [re.sub(r"[\s-]", "", name_of(register, seat)) for seat in Seat]
    assert [name for name in names if name not in bare] == []


@pytest.mark.parametrize("make", [short_register, spots_register])
def test_page_of_an_ordinary_game_is_one_page(make: Any) -> None:
    """Four sets go on one sheet with the signatures."""
    assert len(PdfReader(io.BytesIO(register_pdf(make(), Language.RU))).pages) == 1


def test_page_keeps_within_the_paper() -> None:
    """However long the names, nothing is printed beyond the margins of an A4 sheet, and heads of tables return."""
    reader = PdfReader(io.BytesIO(register_pdf(long_register(), Language.EN)))
    places = [(x, y) for page in reader.pages for _, x, y in pieces(page)]
    assert {(float(page.mediabox.width) // 1, float(page.mediabox.height) // 1) for page in reader.pages} == {
        (595, 841)
    }
    assert all(25 < x < 570 and 20 < y < 815 for x, y in places)


def test_long_table_has_its_head_on_every_page() -> None:
    """A table that goes over the page begins anew with its head, and no set is lost at the fold."""
    params = fours(sets_in_game=60)
    register = register_with(tuple(a_set(place, (1.0, 0.0)) for place in range(1, 61)), params=params)
    data = register_pdf(register, Language.EN)
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(data)).pages]
    assert sum("spots left" in page for page in pages) >= 2
    assert totals_in_pdf(data) == [(float(place), 0.0) for place in range(1, 61)]


def last_page(register: Register, language: Language) -> tuple[int, str]:
    """How many pages there are, and what the last one says."""
    pages = PdfReader(io.BytesIO(register_pdf(register, language))).pages
    return len(pages), " ".join(pages[-1].extract_text().split())


@pytest.mark.parametrize("language", Language)
def test_lines_to_sign_never_stand_alone_on_a_page(language: Language) -> None:
    """However long the register, the page that is signed has the end of what is signed on it too (C5.1)."""
    heading = words_of(language).signatures
    lengths = set()
    for count in range(24, 60, 2 if language is Language.RU else 1):
        replays = tuple(ReplayEntry(1, f"cup {place} fell", False, False, "Eva") for place in range(count))
        pages, last = last_page(replace(short_register(), replays=replays), language)
        lengths.add(pages)
        assert f"cup {count - 1} fell" in last[: last.index(heading)]
    assert lengths >= {1, 2}


def test_lines_to_sign_keep_the_last_lines_of_a_long_proof_with_them() -> None:
    """Of a note that is itself longer than most of a page the end goes with the lines to sign, and nothing is lost."""
    for words in range(100, 1000, 60):
        finding = replace(long_register().findings[3], dominoes=(), proof="why " * words)
        register = replace(short_register(), findings=(finding,))
        _, last = last_page(register, Language.EN)
        assert "why" in last[: last.index("Signatures")]
        assert text_of(register_pdf(register, Language.EN)).count("why") == words


def test_lines_to_sign_keep_with_a_table_that_nothing_follows() -> None:
    """A game in progress without a note has its table on the page that is signed, where it goes on a page."""
    for count in range(30, 60, 3):
        params = spots(sets_in_game=60)
        sets = (*(a_set(place, (9.0, 0.0)) for place in range(1, count)), a_set(count, None))
        register = register_with(tuple(replace(entry, mixing=None, recorded_by="") for entry in sets), params=params)
        _, last = last_page(register, Language.EN)
        assert "not finished" in last[: last.index("Signatures")]


def test_fines_are_told_on_the_page_and_in_the_row_of_their_set() -> None:
    """Who reads the page or the spreadsheet sees why the points are not the difference of the spots (R10)."""
    first, *others = spots_register().sets
    sets = (replace(first, fines=(FineEntry(Pair.B, 10, None), FineEntry(Pair.A, 20, 40))), *others)
    register = replace(spots_register(), sets=sets)
    said = text_of(register_pdf(register, Language.EN))
    assert "Fines in the points: set 1, pair B 10, pair A 20, for which it counts 40 Result" in said
    assert "Штрафы в очках: раздача 1, пара B 10" in text_of(register_pdf(register, Language.RU))
    rows = rows_of(register_csv(register))
    assert [row["fines"] for row in rows] == ["pair B 10, pair A 20, for which it counts 40", "", "", ""]
    assert read_register_json(register_json(register)) == register


def test_names_are_printed_as_they_are_typed() -> None:
    """Signs that mean something to the page's own language are only signs in a name; a missing name is its seat."""
    names = ("<b>Ann & Co</b>", "a\nb\x07c", "", "x" * 300)
    said = text_of(register_pdf(replace(short_register(), names=names), Language.EN))
    assert "<b>Ann & Co</b>" in said
    assert "a b c" in said
    assert "№2" in said


def test_names_of_any_length_can_be_printed() -> None:
    """Names longer than any page are cut, and the page is printed all the same."""
    register = long_register()
    names = ("x" * 9000, "y-" * 4000, "z " * 4000, "Dan")
    data = register_pdf(replace(register, names=names, competition="c" * 9000, game_id="g" * 9000), Language.EN)
    assert totals_in_pdf(data) == [entry.total for entry in register.sets]


def test_long_proof_goes_on_over_the_page() -> None:
    """A proof of several hundred words is printed whole."""
    register = long_register()
    findings = tuple(replace(finding, proof="why " * 800) for finding in register.findings[3:])
    assert text_of(register_pdf(replace(register, findings=findings), Language.EN)).count("why") == 2400


def test_missing_font_is_said_with_what_to_install(tmp_path: Path) -> None:
    """Where the font is not installed the answer is one sentence that says how to get it."""
    with pytest.raises(RegisterFileError, match="sudo apt install fonts-dejavu-core") as caught:
        register_pdf(short_register(), Language.RU, font_folders=(tmp_path,))
    assert "\n" not in str(caught.value)
    (tmp_path / "DejaVuSans.ttf").write_text("no font")
    with pytest.raises(RegisterFileError, match="got something else"):
        register_pdf(short_register(), Language.RU, font_folders=(tmp_path,))


# --- files ---


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".json", ".pdf"])
def test_register_is_saved_in_the_form_its_name_asks_for(tmp_path: Path, suffix: str) -> None:
    """The ending of the file's name chooses the form, and no half-written file is left beside it."""
    path = tmp_path / f"game{suffix}"
    path.write_text("an older register")
    register = short_register()
    save_register(register, path, language=Language.RU)
    data = path.read_bytes()
    read: dict[str, Callable[[], Totals]] = {
        ".txt": lambda: totals_in_text(data.decode()),
        ".csv": lambda: totals_in_csv(data.decode("utf-8-sig")),
        ".json": lambda: totals_in_json(register_json(load_register(path))),
        ".pdf": lambda: totals_in_pdf(data),
    }
    assert read[suffix]() == [entry.total for entry in register.sets]
    assert list(tmp_path.iterdir()) == [path]


def test_place_or_name_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    """An unknown ending, a folder that does not exist or a file that is not there are each one sentence."""
    register = short_register()
    with pytest.raises(RegisterFileError, match=r"ends with \.txt, \.csv, \.json, \.pdf, got 'game\.doc'"):
        save_register(register, tmp_path / "game.doc", language=Language.EN)
    with pytest.raises(RegisterFileError, match="No such file or directory: choose another place"):
        save_register(register, tmp_path / "none" / "game.csv", language=Language.EN)
    (tmp_path / "game.csv").mkdir()
    with pytest.raises(RegisterFileError, match="Is a directory"):
        save_register(register, tmp_path / "game.csv", language=Language.EN)
    assert list(tmp_path.iterdir()) == [tmp_path / "game.csv"]
    with pytest.raises(RegisterFileError, match="check the name"):
        load_register(tmp_path / "game.json")
