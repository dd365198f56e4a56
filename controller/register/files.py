"""The register of a game as files: text, CSV, JSON and the printed page; what stands in it is the core's business.

Called from the command line and from the loop's thread alike: nothing here waits or remembers. A file is written
beside its place and moved there, so that nobody ever reads half a register.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from controller.game.tiles import End, Seat
from controller.register.cells import fines, name_of
from controller.register.notes import sections
from controller.register.register import ActEntry, Register, SetEntry, SignatureEntry
from controller.register.text import register_text
from controller.register.words import ENGLISH, Language
from controller.replacing import replace_file

FORMAT = "gameline-register"
VERSION = 1
"""Of the JSON form; raised when a reader of today could misunderstand a register of tomorrow."""

CSV_NOTES = {
    ENGLISH.warnings: "warnings",
    ENGLISH.findings: "findings",
    ENGLISH.time: "time",
    ENGLISH.redeals: "redeals",
    ENGLISH.replays: "replays",
    ENGLISH.corrections: "corrections",
    ENGLISH.amendments: "amendments",
}
"""The columns of what was noted in a set, by the heading of the notes."""
CSV_COLUMNS = (
    *("competition", "table", "game", "date", "rule_set", "version", "player_0", "player_1", "player_2", "player_3"),
    *("set", "is_extra", "lead_seat", "lead", "first_mixer", "second_mixer", "moves", "passes"),
    *("ending", "clause", "end_left", "end_right", "spots_0", "spots_1", "spots_2", "spots_3"),
    *("winner", "points_a", "points_b", "total_a", "total_b", "recorded_by"),
    *("game_points_a", "game_points_b", "game_winner", "game_ended_by", "expelled", "acts"),
    *CSV_NOTES.values(),
    "fines",
    "confirmed",
)
"""One row a set; the columns of the game are the same in all its rows, so that files of many games can be joined."""


class RegisterFileError(ValueError):
    """A register that cannot be read, written or printed, in one sentence with what to do."""


class _Document(msgspec.Struct, frozen=True):
    """The JSON form: what it is, in which version, and the register."""

    format: str
    version: int
    register: msgspec.Raw


# --- JSON ---


def register_json(register: Register) -> bytes:
    """The whole register as JSON, rule set, version and all parameters inside; `read_register_json` reads it."""
    document = {"format": FORMAT, "version": VERSION, "register": register}
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def read_register_json(data: bytes) -> Register:
    """The register that `register_json` wrote.

    Raises:
        RegisterFileError: that is no register, one of another version, or one whose parts contradict each other.
    """
    try:
        document = msgspec.json.decode(data, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RegisterFileError(f"expected a register in JSON, got something else ({error}): choose another") from None
    if document.format != FORMAT:
        raise RegisterFileError(f"expected a file of format {FORMAT!r}, got {document.format!r}: choose another")
    if document.version != VERSION:
        raise RegisterFileError(
            f"expected a register of version {VERSION}, got version {document.version}: read it with a Gameline that "
            "knows that version"
        )
    try:
        return msgspec.json.decode(document.register, type=Register)
    except (msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise RegisterFileError(
            f"expected a whole register, got one with a fault ({error}): take it again from the table that wrote it"
        ) from None


# --- CSV ---


def register_csv(register: Register) -> str:
    """The sets as CSV with `CSV_COLUMNS`, one row a set; what was noted in a set is text in its last columns."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for row in _rows(register):
        writer.writerow({column: _cell(value) for column, value in row.items()})
    return out.getvalue()


def _rows(register: Register) -> Iterator[dict[str, object]]:
    result = register.result or (None, None)
    game = {
        "competition": register.competition,
        "table": register.table,
        "game": register.game_id,
        "date": register.date,
        "rule_set": register.params.rule_set.value,
        "version": register.params.version,
        **{f"player_{seat.value}": register.names[seat] for seat in Seat},
        "game_points_a": result[0],
        "game_points_b": result[1],
        "game_winner": None if register.winner is None else register.winner.value,
        "game_ended_by": None if register.ended_by is None else register.ended_by.value,
        "expelled": " ".join(pair.value for pair in register.expelled),
        "confirmed": " ".join(map(_signer, register.signatures)),
    }
    notes = _notes_by_set(register)
    for entry in register.sets:
        yield {**game, **_set_row(register, entry), **notes.pop(entry.set_no, {})}
    # A warning between sets, or in a set that was never begun again, belongs to a set that has no line yet.
    for set_no, noted in sorted(notes.items()):
        yield {**game, "set": set_no, **noted}


def _signer(signature: SignatureEntry) -> str:
    if signature.pair is not None:
        return signature.pair.value
    return "chief_referee" if signature.is_chief else "referee"


def _set_row(register: Register, entry: SetEntry) -> dict[str, object]:
    ends = entry.ends or (None, None)
    points, total = entry.points or (None, None), entry.total or (None, None)
    mixing = entry.mixing
    return {
        "set": entry.set_no,
        "is_extra": int(entry.is_extra),
        "lead_seat": None if entry.lead is None else entry.lead.value,
        "lead": None if entry.lead is None else name_of(register, entry.lead),
        "first_mixer": None if mixing is None else name_of(register, mixing.first),
        "second_mixer": None if mixing is None else name_of(register, mixing.second),
        "moves": entry.moves,
        "passes": entry.passes,
        "ending": None if entry.ending is None else entry.ending.value,
        "clause": entry.clause,
        "end_left": ends[0],
        "end_right": ends[1],
        **{f"spots_{seat.value}": None if entry.spots is None else entry.spots[seat] for seat in Seat},
        "winner": None if entry.winner is None else entry.winner.value,
        "points_a": points[0],
        "points_b": points[1],
        "total_a": total[0],
        "total_b": total[1],
        "recorded_by": entry.recorded_by,
        "acts": " ".join(map(_act, entry.acts)),
        "fines": fines(entry, ENGLISH),
    }


def _act(act: ActEntry) -> str:
    """An act in short: seat, domino with the inner half first and end, or a pass; `!` for what was wrong."""
    if act.domino is None:
        what = "voice" if act.is_by_voice else "pass"
    else:
        inner, outer, end = act.domino
        what = f"{inner}-{outer}{'' if end is End.FIRST else end.value}"
    return f"{act.seat.value}:{what}{'!' if act.is_wrong else ''}"


def _notes_by_set(register: Register) -> dict[int, dict[str, object]]:
    """What was noted in each set, by column; what belongs to no set stands in the rest of the file already."""
    noted: dict[int, dict[str, object]] = {}
    for section in sections(register, ENGLISH):
        column = CSV_NOTES[section.heading]
        for set_no, text in section.notes:
            if set_no is not None:
                row = noted.setdefault(set_no, {})
                row[column] = f"{row[column]} | {text}" if column in row else text
    return noted


def _cell(value: object) -> object:
    """A value as a spreadsheet takes it: numbers plain, and no text that it would run as a formula."""
    if isinstance(value, float):
        return f"{value:g}"
    is_formula = isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{value}" if is_formula else value


# --- files ---


def save_register(register: Register, path: Path, *, language: Language) -> None:
    """Write the register in the form that the file's name asks for: .txt, .csv, .json or .pdf.

    The language is that of text and page; CSV and JSON are for programs, and always the same.

    Raises:
        RegisterFileError: another ending of the name, a place that cannot be written, or no font for the page.
    """
    make = _FORMS.get(path.suffix.lower())
    if make is None:
        raise RegisterFileError(
            f"expected a name that ends with {', '.join(_FORMS)}, got {path.name!r}: the ending says which form it is"
        )
    _write(path, make(register, language))


def load_register(path: Path) -> Register:
    """The register of a JSON file. RegisterFileError as `read_register_json`, or where the file cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RegisterFileError(f"expected a register in {path}, got {error.strerror}: check the name") from None
    return read_register_json(data)


def _page(register: Register, language: Language) -> bytes:
    from controller.register.page import register_pdf  # the library takes its time, and only a page needs it

    return register_pdf(register, language)


_FORMS: dict[str, Callable[[Register, Language], bytes]] = {
    ".txt": lambda register, language: f"{register_text(register, language)}\n".encode(),
    # The mark at the beginning tells spreadsheets that names are UTF-8.
    ".csv": lambda register, _: register_csv(register).encode("utf-8-sig"),
    ".json": lambda register, _: register_json(register),
    ".pdf": _page,
}


def _write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, whole or not at all, and only when it is on the disk."""
    try:
        replace_file(path, data)
    except OSError as error:
        raise RegisterFileError(f"expected to write {path}, got {error.strerror}: choose another place") from None
