"""The ledger's file: what was written is read again, and anything else is refused in one sentence and nothing more."""

from __future__ import annotations

import json
import math
import random
import stat
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game.ledger import GameEntry, Ledger, LedgerEntry
from controller.ledger_file import LedgerFileError, read_ledger, write_ledger

CUP = "Spring Cup"
WARNED = LedgerEntry("w1", CUP, "g1", ("Ann", "Cleo"), "Cleo", "talk", 2, "2024-05-04T10:15:00Z")
PLAYED = GameEntry("g1", CUP, (("Ann", "Cleo"), ("Bob", "Дан")), (2.5, 1.5), "A")
UNDONE = frozenset({"u1", "u2", "u3", "u4", "u5", "u6", "u7"})
LEDGER = Ledger((WARNED, replace(WARNED, id="w2", reason="signs")), UNDONE, (PLAYED,))

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger of the cup lies, written."""
    path = tmp_path / "ledger.json"
    write_ledger(path, LEDGER, CUP)
    return path


def refusal(path: Path, competition: str | None = CUP) -> str:
    """What is said when the file cannot be read: one line with the file's name and what to do."""
    with pytest.raises(LedgerFileError) as caught:
        read_ledger(path, competition=competition)
    said = str(caught.value)
    assert said.startswith(f"{path}: expected ")
    assert ": " in said.removeprefix(f"{path}: ")
    assert len(said.splitlines()) == 1
    assert len(said) < 600 + len(str(path))
    return said.removeprefix(f"{path}: ")


def change(path: Path, how: Change) -> None:
    """Change what is in the file, as a person with an editor would."""
    body = json.loads(path.read_text())
    how(body)
    path.write_text(json.dumps(body))


def test_ledger_is_read_as_it_was_written(path: Path) -> None:
    """Warnings, results and what was withdrawn come back in value and type, with or without asking for the cup."""
    for competition in (CUP, None):
        again = read_ledger(path, competition=competition)
        assert again == LEDGER
        assert repr((again.entries, again.games)) == repr((LEDGER.entries, LEDGER.games))
        assert type(again.withdrawn) is frozenset


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
pairs = st.tuples(words, words)
written_entries = st.builds(
    lambda number, game, players, at, reason, set_no, wall: LedgerEntry(
        f"w{number}", CUP, game, players, players[at], reason, set_no, wall
    ),
    st.integers(),
    words,
    pairs,
    st.integers(0, 1),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.integers(0, 2**53),
    st.just("") | words,
)
written_games = st.builds(
    GameEntry,
    words,
    st.just(CUP),
    st.tuples(pairs, pairs),
    st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1000, 1000)),
    st.sampled_from(["A", "B", "draw"]),
)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.lists(written_entries, max_size=4, unique_by=lambda entry: entry.id),
    st.frozensets(words, max_size=3),
    st.lists(written_games, max_size=3, unique_by=lambda game: game.id),
)
def test_any_ledger_survives_its_file(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[LedgerEntry],
    withdrawn: frozenset[str],
    games: list[GameEntry],
) -> None:
    """Whatever the names, reasons and points are, they are read as they were written."""
    path = tmp_path_factory.getbasetemp() / "any.json"
    ledger = Ledger(tuple(entries), withdrawn, tuple(games))
    write_ledger(path, ledger, CUP)
    assert read_ledger(path, competition=CUP) == ledger


def test_only_the_part_of_the_competition_is_written(tmp_path: Path) -> None:
    """Another cup's warnings are no business of who gets this file; what was withdrawn is."""
    path = tmp_path / "autumn.json"
    autumn = replace(WARNED, id="w9", competition="Autumn Cup")
    write_ledger(path, LEDGER.with_entry(autumn), "Autumn Cup")
    assert read_ledger(path, competition=None) == Ledger((autumn,), UNDONE)
    assert CUP not in path.read_text()


def test_file_is_what_the_organiser_may_look_into(path: Path) -> None:
    """It says what it is, everybody may read it, it lies alone in its folder, and equal ledgers are equal files."""
    body = json.loads(path.read_bytes())
    assert (body["gameline"], body["version"], body["competition"]) == ("ledger", 1, CUP)
    assert [entry["id"] for entry in body["entries"]] == ["w1", "w2"]
    assert body["withdrawn"] == sorted(UNDONE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [*path.parent.iterdir()] == [path]
    first = path.read_bytes()
    write_ledger(path, Ledger(LEDGER.entries[::-1], LEDGER.withdrawn, LEDGER.games), CUP)
    assert path.read_bytes() == first


def test_every_field_of_the_ledger_is_in_the_file(path: Path) -> None:
    """A field that is added to a warning or result is not forgotten here; only the competition stands once for all."""
    body = json.loads(path.read_bytes())
    assert {*body["entries"][0], "competition"} == {field.name for field in fields(LedgerEntry)}
    assert {*body["games"][0], "competition"} == {field.name for field in fields(GameEntry)}
    assert {*body} - {"gameline", "version", "competition"} == {field.name for field in fields(Ledger)}


@pytest.mark.parametrize(
    ("ledger", "competition"),
    [
        (Ledger((replace(WARNED, id=""),)), CUP),
        (Ledger((replace(WARNED, game=""),)), CUP),
        (Ledger((replace(WARNED, players=("", "Cleo")),)), CUP),
        (Ledger((replace(WARNED, player="Bob"),)), CUP),
        (Ledger((replace(WARNED, set_no=-1),)), CUP),
        (Ledger((replace(WARNED, reason="\ud800"),)), CUP),
        (Ledger((), frozenset({""})), CUP),
        (Ledger(games=(replace(PLAYED, points=(math.nan, 0)),)), CUP),
        (Ledger(games=(replace(PLAYED, points=(math.inf, 0)),)), CUP),
        (Ledger(games=(replace(PLAYED, points=(10**400, 0)),)), CUP),
        (Ledger(games=(replace(PLAYED, id=""),)), CUP),
        (Ledger(), ""),
    ],
)
def test_ledger_that_could_not_be_read_again_is_not_written(path: Path, ledger: Ledger, competition: str) -> None:
    """What a reader would refuse is refused before the old file is touched."""
    before = path.read_bytes()
    with pytest.raises(LedgerFileError, match="expected "):
        write_ledger(path, ledger, competition)
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]


def test_ledger_that_cannot_be_written_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """No folder, a folder in its place, or a name that is none: one sentence, and no half file."""
    (tmp_path / "folder").mkdir()
    for name in ("nowhere/ledger.json", "folder", "nul\0.json"):
        with pytest.raises(LedgerFileError, match=r"expected to write the ledger there, got .+: choose a folder"):
            write_ledger(tmp_path / name, LEDGER, CUP)
    assert [*tmp_path.iterdir()] == [tmp_path / "folder"]
    assert [*(tmp_path / "folder").iterdir()] == []


def test_reader_finds_the_old_ledger_or_the_new_one_and_never_a_part(path: Path) -> None:
    """Whoever reads while the file is written again and again always reads a whole ledger."""
    long = Ledger(tuple(replace(WARNED, id=f"w{n}") for n in range(300)))
    seen: list[Ledger] = []

    def write_on() -> None:
        for n in range(40):
            write_ledger(path, (long, LEDGER)[n % 2], CUP)

    writer = threading.Thread(target=write_on)
    writer.start()
    while writer.is_alive():
        seen.append(read_ledger(path, competition=CUP))
    writer.join()
    assert seen
    assert all(ledger in (long, LEDGER) for ledger in seen)
    assert read_ledger(path, competition=CUP) == LEDGER


def test_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """No file, or a folder, is said with the system's own words and what to give instead."""
    assert refusal(tmp_path / "none.json") == (
        "expected a ledger's file, got No such file or directory: give the path of one"
    )
    assert "got Is a directory" in refusal(tmp_path)
    assert "give the path of one" in refusal(tmp_path / "nul\0.json")


def test_ledger_of_another_competition_is_told(path: Path) -> None:
    """Warnings of one cup never slip into another's ledger."""
    assert refusal(path, "Autumn Cup") == (
        "expected the ledger of 'Autumn Cup', got 'Spring Cup': give the file of this competition"
    )


def test_ledger_of_a_newer_version_is_told_before_its_fields_are_judged(path: Path) -> None:
    """A newer file may hold anything: what helps is an update."""
    change(path, lambda body: body.update(version=2, entries="?", fines=[]))
    assert refusal(path) == "expected a ledger of version 1, got version 2: update Gameline to read it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "in JSON, got something else (input data was truncated)"),
        ("Warnings: none\n", "in JSON, got something else"),
        ("[" * 100_000, "expected a ledger"),
        ('{"gameline": "ledger", "version": 1, "x": ' + "[" * 100_000, "expected a ledger in JSON"),
        ("[]", "expected a ledger, got another kind of file"),
        ("null", "expected a ledger, got another kind of file"),
        ("{}", "expected a ledger, got another kind of file"),
        ('{"gameline": "journal", "version": 1}', "expected a ledger, got another kind of file"),
        ('{"gameline": "ledger"}', "expected a ledger, got another kind of file"),
        ('{"gameline": "ledger", "version": 0}', "expected a ledger, got another kind of file"),
        ('{"gameline": "ledger", "version": true}', "expected a ledger, got another kind of file"),
        ('{"gameline": "ledger", "version": 1' + "0" * 5000 + "}", "expected a ledger, got another kind of file"),
        ('{"gameline": "ledger", "version": 1, "' + "x\\n" * 9000 + '": 1}', "expected the fields of a ledger"),
    ],
)
def test_file_of_another_kind_is_told(tmp_path: Path, text: str, said: str) -> None:
    """What is no JSON, or JSON of something else, is said to be that."""
    path = tmp_path / "ledger.json"
    path.write_text(text)
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda body: body.update(fines=[]), "unknown field `fines`"),
        (lambda body: body.pop("withdrawn"), "missing required field `withdrawn`"),
        (lambda body: body.update(competition=""), "length >= 1 - at `$.competition`"),
        (lambda body: body.update(competition=None), "`$.competition`"),
        (lambda body: body.update(withdrawn=[""]), "`$.withdrawn[0]`"),
        (lambda body: body["entries"][0].update(colour="red"), "unknown field `colour` - at `$.entries[0]`"),
        (lambda body: body["entries"][0].update(competition=CUP), "unknown field `competition`"),
        (lambda body: body["entries"][1].pop("reason"), "missing required field `reason` - at `$.entries[1]`"),
        (lambda body: body["entries"][0].update(id=""), "length >= 1 - at `$.entries[0].id`"),
        (lambda body: body["entries"][0].update(id=7), "expected `str`, got `int` - at `$.entries[0].id`"),
        (lambda body: body["entries"][0].update(set_no="2"), "expected `int`, got `str`"),
        (lambda body: body["entries"][0].update(set_no=2.5), "expected `int`, got `float`"),
        (lambda body: body["entries"][0].update(players=["Ann"]), "array` of length 2"),
        (lambda body: body["entries"][0].update(players=["Ann", ""]), "length >= 1"),
        (lambda body: body["entries"][0].update(player="Bob"), "expected the player to be one of the pair, got 'Bob'"),
        (lambda body: body["games"][0].update(winner="C"), "invalid enum value 'C'"),
        (lambda body: body["games"][0].update(points=[1, None]), "expected `float`, got `null`"),
        (lambda body: body["games"][0].update(id=""), "length >= 1 - at `$.games[0].id`"),
        (lambda body: body["entries"][1].update(id="w1"), "one content for the id 'w1', got two whose reason differs"),
    ],
)
def test_ledger_changed_by_hand_is_told_with_the_place(path: Path, how: Change, said: str) -> None:
    """A field too many, too few, of the wrong kind or impossible, or an id used twice, is refused and never guessed."""
    change(path, how)
    assert said in refusal(path)


def test_copy_of_the_same_entry_in_one_file_is_the_same_entry(path: Path) -> None:
    """Two files put together by hand may hold a warning twice; it is counted once, and not at all when withdrawn."""
    change(path, lambda body: body["entries"].append(body["entries"][0]))
    assert read_ledger(path, competition=CUP) == LEDGER
    change(path, lambda body: body["withdrawn"].append("w2"))
    assert read_ledger(path, competition=CUP) == LEDGER.without("w2")


def test_endless_file_is_not_read_to_its_end() -> None:
    """A file that is far too long is refused before it fills the memory."""
    assert "got more than" in refusal(Path("/dev/zero"))


def test_file_cut_anywhere_is_refused(path: Path) -> None:
    """However much of the end is missing, the rest is no ledger; only the last line break says nothing."""
    whole = path.read_bytes()
    assert whole.endswith(b"}\n")
    for length in range(len(whole) - 1):
        path.write_bytes(whole[:length])
        refusal(path)
    path.write_bytes(whole[:-1])
    assert read_ledger(path, competition=CUP) == LEDGER


def test_file_of_rubbish_raises_nothing_but_its_own_error(path: Path) -> None:
    """Bytes changed, lost, doubled or strewn in at random are a sentence, or where they still make sense a ledger."""
    whole = path.read_bytes()
    chance = random.Random(7)
    said: list[str] = []
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 40))):
            at = chance.randrange(len(data))
            rubbish = chance.choice((chance.randbytes(1), b'"', b"{", b"]", b"9" * 400, b"1e999", b"\\ud800", b""))
            data[at : at + chance.choice((0, 1, 1, 30))] = rubbish
        path.write_bytes(data)
        try:
            read_ledger(path, competition=CUP)
        except LedgerFileError as error:
            said.append(str(error))
    assert len(said) > 1000
    assert all(len(sentence.splitlines()) == 1 for sentence in said)
    for _ in range(300):
        path.write_bytes(chance.randbytes(chance.randrange(200)))
        refusal(path)
