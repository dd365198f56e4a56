"""The commands that work on paper, as a person types them: judge, record, register, ledger."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader

from controller.cli import main
from controller.codec import body_of, type_name
from controller.game import commands as cmd
from controller.game.events import Event
from controller.game.rulesets import fours
from controller.game.tiles import MonoNs, Pair, Seat
from controller.journal import Draft, Journal
from controller.record.json_lines import format_jsonl
from controller.record.notation import format_record
from controller.record.recording import record_of
from tests.controller.games import NAMES, Table

COMPETITION = "Spring Cup"


def played(*, competition: str = COMPETITION, game: str = "game 1", warned: int = 1) -> Table:
    """A game of four sets played by the rules, in which a player of pair A is warned so often."""
    table = Table(is_checked=False)
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, fours(), False, competition, game))
    for _ in range(warned):
        table.do(cmd.Warn(table.now, Seat.S2, "talk", "a referee"))
    while table.state.winner is None:
        table.play_set()
    return table


def journal_of(path: Path, events: list[Event]) -> Path:
    """The events kept as a running table keeps them."""
    with Journal(path, boot_id="b", wall_utc=lambda: "2026-03-01T18:00:00Z", clock_synchronised=lambda: True) as kept:
        kept.append([Draft(type_name(type(event)), event.at, body_of(event)) for event in events])
    return path


@pytest.fixture
def game() -> Table:
    """A game of four sets."""
    return played()


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """A command's exit code, and what it says."""
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_record_of_a_journal_is_judged_as_the_game_went(
    game: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Out of the journal, through a text file, through the rules: the same points, in both forms of the record."""
    journal = journal_of(tmp_path / "journal.sqlite", game.happened)
    for form in ((), ("--jsonl",)):
        code, text, _ = run(capsys, "record", journal, "--table", "table1", *form)
        assert code == 0
        written = tmp_path / "game.dom"
        written.write_text(text, encoding="utf-8")
        code, out, err = run(capsys, "judge", written, "--json")
        judged = json.loads(out)
        assert (code, err, judged["clean"]) == (0, "", True)
        assert (tuple(judged["points"]), judged["winner"]) == (game.state.points, game.state.winner.value)  # type: ignore[union-attr]
        assert [each["points"] for each in judged["sets"]] == [list(r.points) for r in game.state.results]


def test_judge_prints_verdicts_and_register(game: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the screen: a line for every verdict, then the register; in a file the page for the club, in Russian."""
    written = tmp_path / "game.jsonl"
    written.write_text(format_jsonl(record_of(game.happened)), encoding="utf-8")
    page = tmp_path / "page.pdf"
    code, out, err = run(capsys, "judge", written, "--register", page, "--lang", "ru")
    assert (code, err) == (0, "")
    assert "warning              Cleo of pair A, for talk." in out
    assert "Протокол партии" in out
    assert "Ann" in PdfReader(page).pages[0].extract_text()


def test_judge_counts_the_deals_that_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After the lead 118,129,586,889,600 deals fit; each act leaves fewer or as many, and an honest game never none."""
    written = tmp_path / "game.dom"
    written.write_text(format_record(record_of(played().happened)), encoding="utf-8")
    _, out, _ = run(capsys, "judge", written, "--deals", "--json")
    sets = [[each["deals"] for each in json.loads(out)["deals"] if each["set"] == number] for number in (1, 2, 3, 4)]
    assert all(deals[0] == 118_129_586_889_600 for deals in sets)
    assert all(deals == sorted(deals, reverse=True) for deals in sets)
    assert all(min(deals) >= 1 for deals in sets)
    _, text, _ = run(capsys, "judge", written, "--deals")
    assert "set 1 act  1    118,129,586,889,600 deals" in text


def test_register_is_the_same_from_journal_record_and_its_own_file(
    game: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three ways to the same register: its totals do not depend on where it comes from."""
    journal = journal_of(tmp_path / "journal.sqlite", game.happened)
    record = tmp_path / "game.dom"
    record.write_text(format_record(record_of(game.happened, tags=(("Table", "t"),))), encoding="utf-8")
    own = tmp_path / "register.json"
    assert run(capsys, "register", journal, "--table", "t", "--out", own)[0] == 0
    texts = [run(capsys, "register", source, "--table", "t")[1].splitlines() for source in (journal, own, record)]
    assert texts[0] == texts[1]
    totals = [[line for line in text if line.startswith(("Result", "   1", "   2", "   3", "   4"))] for text in texts]
    assert totals[0] == totals[2]
    assert len(totals[0]) >= 5


def test_every_game_of_an_evening_can_be_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two games in one journal: the last is taken, the first by its name or number."""
    first, second = played(game="game 1"), played(game="game 2", warned=0)
    shift = first.happened[-1].at
    later = [replace(event, at=MonoNs(event.at + shift)) for event in second.happened]
    journal = journal_of(tmp_path / "evening.sqlite", [*first.happened, *later])
    assert "game 2" in run(capsys, "register", journal)[1]
    for name in ("game 1", "1"):
        assert "game 1" in run(capsys, "register", journal, "--game", name, "--date", "30 November")[1]
        assert '[Game "game 1"]' in run(capsys, "record", journal, "--game", name)[1]
    code, _, err = run(capsys, "register", journal, "--game", "game 3")
    assert code == 1
    assert "there are 1 game 1; 2 game 2" in err


def test_game_whose_start_was_taken_back_and_stands_again_can_be_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Taken back it is no game of the evening; redone it is the second one, in the register as in the record."""
    table = played(game="game 1")
    table.do(cmd.StartGame(table.now, table.state.names, Seat.S0, table.state.params, game="game 2"))
    table.do(cmd.Undo(table.now))
    journal = journal_of(tmp_path / "back.sqlite", table.happened)
    code, _, err = run(capsys, "register", journal, "--game", "game 2")
    assert (code, "there are 1 game 1" in err, "2 game 2" in err) == (1, True, False)
    table.do(cmd.Redo(table.now))
    journal = journal_of(tmp_path / "evening.sqlite", table.happened)
    assert "game 2" in run(capsys, "register", journal)[1]
    assert '[Game "game 2"]' in run(capsys, "record", journal, "--game", "2")[1]
    assert "Result " in run(capsys, "register", journal, "--game", "game 1")[1]


def test_ledger_of_a_competition_nobody_knows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One letter typed wrongly is another competition: it is said which ones the journals know."""
    journal = journal_of(tmp_path / "one.sqlite", played().happened)
    code, _, err = run(capsys, "ledger", "spring cup", journal)
    assert code == 1
    assert "they know 'Spring Cup'" in err


def test_journal_can_be_read_while_the_table_runs(
    game: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The referee prints the register during the evening: the running table keeps its journal."""
    path = tmp_path / "journal.sqlite"
    with Journal(path, boot_id="b", wall_utc=lambda: "", clock_synchronised=lambda: False) as kept:
        kept.append([Draft(type_name(type(event)), event.at, body_of(event)) for event in game.happened])
        code, out, _ = run(capsys, "register", path)
        assert (code, "Ann" in out) == (0, True)
        kept.append([Draft(type_name(type(game.happened[-1])), game.now, body_of(game.happened[-1]))])


def test_ledgers_of_two_tables_count_every_warning_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A journal and the ledger made of it hold the same warning: together it is one; another game's is another."""
    first = journal_of(tmp_path / "one.sqlite", played().happened)
    other = journal_of(tmp_path / "two.sqlite", played(game="game 2").happened)
    carried = tmp_path / "cup.json"
    assert run(capsys, "ledger", COMPETITION, first, "--out", carried)[0] == 0
    code, out, err = run(capsys, "ledger", COMPETITION, first, carried, other, carried, "--out", carried)
    assert (code, err) == (0, "")
    assert "Ann" in out
    held = json.loads(carried.read_text(encoding="utf-8"))
    assert [entry["game"] for entry in held["entries"]] == ["game 1", "game 2"]


def test_ledger_says_which_games_count_and_what_an_expelled_player_pays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four warnings expel the pair; its games count or not as the regulations say; 300 and three fees come to 1200."""
    games = [played(game=f"game {number}") for number in range(4)]
    journals = [journal_of(tmp_path / f"{number}.sqlite", table.happened) for number, table in enumerate(games)]
    _, stand, _ = run(capsys, "ledger", COMPETITION, *journals, "--fee", "300")
    _, void, _ = run(capsys, "ledger", COMPETITION, *journals, "--expelled-results", "void")
    assert "Games that count: 4" in stand
    assert "each player expelled pays 1200, of it 900 as a penalty" in stand
    assert "a benefit holder among them pays 350, of it 50 as a penalty" in stand
    assert "Games that count: 0" in void


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("judge", "no-such.dom"), "no-such.dom (No such file or directory): check the name"),
        (("judge", "bad.dom"), "bad.dom: line 1, column 1: expected"),
        (("judge", "bytes.dom"), "bytes.dom: expected a record as UTF-8 text, got 0xff"),
        (("judge", "bad.jsonl"), "bad.jsonl: line 2, column"),
        (("record", "bad.dom"), "is not a Gameline journal"),
        (("record", "no-such.sqlite"), "There is no journal at"),
        (("register", "empty.sqlite"), "expected the events of a game"),
        (("register", "no-such"), "expected a file to read, got"),
        (("register", "good.dom", "--out", "page.docx"), "expected a name that ends with .txt, .csv, .json, .pdf"),
        (("ledger", "Cup", "bad.dom"), "bad.dom"),
        (("ledger", "Cup", "other.json"), "expected the ledger of 'Cup', got 'Spring Cup'"),
    ],
)
def test_bad_paper_gets_one_sentence(
    words: tuple[str, ...], said: str, game: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be read or written is named in one sentence on stderr, and nothing is printed."""
    (tmp_path / "bad.dom").write_text("castling\n", encoding="utf-8")
    (tmp_path / "bytes.dom").write_bytes(b"\xff\xfe rubbish")
    (tmp_path / "good.dom").write_text(format_record(record_of(game.happened)), encoding="utf-8")
    lines = format_jsonl(record_of(game.happened)).splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join([lines[0], '{"set": "one"}', *lines[2:]]), encoding="utf-8")
    journal_of(tmp_path / "empty.sqlite", [])
    journal = journal_of(tmp_path / "journal.sqlite", game.happened)
    run(capsys, "ledger", COMPETITION, journal, "--out", tmp_path / "other.json")
    known = {path.name for path in tmp_path.iterdir()} | {"no-such.dom", "no-such.sqlite", "no-such", "page.docx"}
    code, out, err = run(capsys, *(tmp_path / word if word in known else word for word in words))
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1


def test_warning_of_a_competition_counts_in_its_next_game() -> None:
    """The table itself knows the pair's warnings of the games before: they need no file to be carried in."""
    table = played(warned=1)
    table.do(cmd.StartGame(table.now, NAMES, Seat.S0, fours(), False, COMPETITION, "game 2"))
    assert table.state.warnings_of(Pair.A) == 0
    assert table.state.competition_warnings_of(Pair.A) == 1
