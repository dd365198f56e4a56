"""The register as plain text for a terminal 100 columns wide; the words of its notes are made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from controller.game.tiles import Pair
from controller.register.cells import (
    both,
    chosen_parameters,
    columns,
    confirmed,
    ending,
    ends,
    fines_line,
    name_of,
    pair_names,
    plain,
    result_line,
    rules_line,
    set_number,
    spots_left,
    words_of,
)
from controller.register.notes import note_line, sections
from controller.register.register import Register, SetEntry
from controller.register.words import Language, Words

WIDTH = 100
_WIDTHS = (4, 12, 5, 6, 25, 5, 13, 5, 5, 11)
"""Of the columns: number, leader, moves, passes, ending, open ends, spots, points of A and of B, total."""
_LEFT = (1, 4)
"""Columns of words; the others are numbers and stand at the right."""


def register_text(register: Register, language: Language = Language.EN) -> str:
    """The register of a game, a line a set; points are [A : B] with a running total, notes follow under headings."""
    return "\n".join(_lines(register, words_of(language)))


def _lines(register: Register, words: Words) -> Iterator[str]:
    labels = (
        (words.game, register.game_id),
        (words.competition, register.competition),
        (words.table, register.table),
        (words.date, register.date),
    )
    yield words.title
    yield from _wrapped("; ".join(f"{label}: {plain(value)}" for label, value in labels if plain(value)), "  ")
    for pair in Pair:
        yield from _wrapped(f"{words.pair.format(pair=pair.value)}: {pair_names(register, pair, words)}", "  ")
    yield from _wrapped(rules_line(register, words), "  ")
    chosen = chosen_parameters(register, words)
    if chosen:
        yield from _wrapped(f"{words.parameters}: {'; '.join(chosen)}", "  ")
    yield ""
    titles = (words.set_no, words.lead, words.moves, words.passes, words.ending, words.ends, words.spots)
    yield _row((*titles, "A", "B", words.total))
    for entry in register.sets:
        yield _row(_cells(register, entry, words))
    fined = fines_line(register, words)
    if fined is not None:
        yield from _wrapped(fined, "  ")
    if any(entry.mixing is not None for entry in register.sets):
        yield from _wrapped(words.mixing[register.params.first_mixer], "  ")
    result = result_line(register, words)
    if result is not None:
        yield from _wrapped(result, "  ")
    if register.recorders:
        yield from _wrapped(words.recorded_by.format(names=", ".join(map(plain, register.recorders))), "  ")
    for section in sections(register, words):
        yield ""
        yield section.heading
        for note in section.notes:
            yield from _wrapped(f"  {note_line(note, words)}", "    ")
    yield from _signatures(register, words)


def _signatures(register: Register, words: Words) -> Iterator[str]:
    """Who has confirmed the register at the table; nothing where nobody has."""
    signers = [(words.pair.format(pair=pair.value), confirmed(register, pair, words)) for pair in Pair]
    signers.append((words.referee, confirmed(register, None, words)))
    signers.append((words.chief_referee, confirmed(register, None, words, is_chief=True)))
    lines = [f"  {who}: {said}" for who, said in signers if said]
    if lines:
        yield ""
        yield words.signatures
        for line in lines:
            yield from _wrapped(line, "    ")


def _cells(register: Register, entry: SetEntry, words: Words) -> tuple[str, ...]:
    a, b = columns(entry, register.params)
    lead = "-" if entry.lead is None else name_of(register, entry.lead)
    counts = (str(entry.moves), str(entry.passes))
    total = "" if entry.total is None else both(entry.total)
    return (set_number(entry), lead, *counts, ending(entry, words), ends(entry), spots_left(entry), a, b, total)


def _row(cells: tuple[str, ...]) -> str:
    """One line of the table; a word too long for its column is cut and ends with an ellipsis."""
    padded = []
    for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True)):
        is_left = place in _LEFT
        # Numbers are never cut: rather a crooked line than a wrong one.
        short = cell[: width - 1] + "…" if is_left and len(cell) > width else cell
        padded.append(short.ljust(width) if is_left else short.rjust(width))
    return " ".join(padded).rstrip()


def _wrapped(text: str, indent: str) -> Iterator[str]:
    """`text` in lines of at most `WIDTH`, those after the first indented; a longer word is broken."""
    line, is_bare = "", True
    for word in text.split(" "):
        rest = word
        while len(line) + len(rest) + (not is_bare) > WIDTH:
            if is_bare:
                room = WIDTH - len(line)
                yield line + rest[:room]
                rest = rest[room:]
            else:
                yield line
            line, is_bare = indent, True
        line, is_bare = (line + rest, False) if is_bare else (f"{line} {rest}", False)
    yield line
