"""What the commands do that work on paper: judge a record, write one, print a register, carry a ledger."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.cli import Sorry
from controller.codec import UnknownEvent, body_of, event_of, type_name
from controller.game import events as ev
from controller.game.evolve import evolve
from controller.game.ledger import Ledger, LedgerConflict, ledger_text, readmission
from controller.game.penalties import EXPELLED_AT
from controller.game.rulesets import BenefitPenalty, ExpelledResults, Ladder, Params, fours, spots
from controller.game.state import State
from controller.journal import Entry, JournalError, kept_in
from controller.ledger_file import LedgerFileError, read_ledger, write_ledger
from controller.record.hidden import deals_left
from controller.record.json_lines import format_jsonl, read_record
from controller.record.judge import Judgement
from controller.record.judge import judge as judge_record
from controller.record.notation import format_record
from controller.record.notation_lexer import NotationError
from controller.record.record import Record
from controller.record.recording import record_of
from controller.register.files import RegisterFileError, load_register, save_register
from controller.register.fold import register_of
from controller.register.register import Register
from controller.register.text import register_text
from controller.register.words import Language

SQLITE = b"SQLite format 3\x00"
MAX_RECORD_BYTES = 16 * 2**20
"""A whole game is some ten kilobytes: what is larger is something else."""


def judge(options: argparse.Namespace) -> int:
    """A written record through the rules: verdicts, findings with their proof, and the register."""
    record = _record(options.record)
    judgement = judge_record(record)
    register = _register_of(judgement, record)
    hidden = tuple(deals_left(judgement.events)) if options.deals else ()
    if options.json:
        judged = _judgement_record(options.record, judgement)
        judged["deals"] = [{"set": left.set_no, "act": left.act, "deals": left.deals} for left in hidden]
        print(json.dumps(judged))
    else:
        for left in hidden:
            print(f"set {left.set_no} act {left.act:>2}  {left.deals:>21,} deals")
        print(_judgement_text(judgement, register, Language(options.lang)))
    if options.register is not None:
        _save(register, options.register, Language(options.lang))
    return 0


def _register_of(judgement: Judgement, record: Record) -> Register:
    return register_of(judgement.events, table=record.tag("Table"), date=record.tag("Date"))


def _judgement_record(path: Path, judgement: Judgement) -> dict[str, Any]:
    """The judgement as `--json` prints it."""
    state = judgement.state
    verdicts = [{"set": v.set_no, "act": v.act, "kind": v.kind, "text": v.text} for v in judgement.verdicts]
    sets = [
        {
            "set": result.set_no,
            "by": result.by.value,
            "winner": result.winner.value,
            "spots": result.spots,
            "points": result.points,
        }
        for result in state.results
    ]
    return {
        "file": str(path),
        "clean": judgement.is_clean,
        "verdicts": verdicts,
        "sets": sets,
        "points": state.points,
        "winner": None if state.winner is None else state.winner.value,
        "needs_referee": state.needs_referee,
        "events": [{"type": type_name(type(event)), **body_of(event)} for event in judgement.events],
    }


def _judgement_text(judgement: Judgement, register: Register, language: Language) -> str:
    lines = [f"set {v.set_no} act {v.act:>2}  {v.kind:<20} {v.text}" for v in judgement.verdicts]
    waits = judgement.state.needs_referee
    if waits is not None:
        lines.append(f"The referee is asked: {waits.replace('_', ' ')}.")
    return "\n".join([*lines, "", register_text(register, language)])


def record(options: argparse.Namespace) -> int:
    """The written record of the last game in a journal."""
    kept = _of_game(_journal(options.journal), options.game)
    tags = (("Table", options.table), ("Date", _date(kept)))
    try:
        written = record_of((event for _, event in kept), tags=tuple((name, value) for name, value in tags if value))
    except ValueError as error:
        raise Sorry(f"{options.journal}: {error}") from error
    text = format_jsonl(written) if options.jsonl else format_record(written)
    print(text, end="" if text.endswith("\n") else "\n")
    return 0


def register(options: argparse.Namespace) -> int:
    """The register of a game: from a journal, a record, or a register that was written before."""
    source: Path = options.source
    made = _any_register(source, options.table, options.game)
    if options.date is not None:
        made = replace(made, date=options.date)
    language = Language(options.lang)
    if options.out is None:
        print(register_text(made, language))
    else:
        _save(made, options.out, language)
    return 0


def _any_register(source: Path, table: str, game: str | None) -> Register:
    head = _head(source)
    if head.startswith(SQLITE):
        kept = _of_game(_journal(source), game)
        try:
            return register_of((event for _, event in kept), table=table, date=_date(kept))
        except ValueError as error:
            raise Sorry(f"{source}: {error}") from error
    if b'"gameline-register"' in head:
        try:
            return load_register(source)
        except RegisterFileError as error:
            raise Sorry(f"{source}: {error}") from error
    written = _record(source)
    return _register_of(judge_record(written), written)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(256)
    except OSError as error:
        raise Sorry(f"expected a file to read, got {path} ({error.strerror}): check the name") from error


def _save(made: Register, out: Path, language: Language) -> None:
    try:
        save_register(made, out, language=language)
    except RegisterFileError as error:
        raise Sorry(str(error)) from error


def ledger(options: argparse.Namespace) -> int:
    """The warnings of a competition: those of ledgers and journals together, shown and written to a file."""
    merged = Ledger()
    games: list[ev.GameStarted] = []
    for source in options.sources:
        try:
            given, started = _ledger(source, options.competition)
            merged = merged.merged(given)
        except LedgerConflict as error:
            raise Sorry(f"{source}: {error}") from error
        games += started
    known = {game.competition for game in games if game.competition}
    if known and options.competition not in known and not merged.ids:
        names = ", ".join(map(repr, sorted(known)))
        raise Sorry(f"expected a competition of these journals, got {options.competition!r}: they know {names}")
    print("\n".join(_ledger_lines(merged, options, _regulations(options, games))))
    if options.out is not None:
        try:
            write_ledger(options.out, merged, options.competition)
        except LedgerFileError as error:
            raise Sorry(str(error)) from error
    return 0


def _ledger_lines(merged: Ledger, options: argparse.Namespace, params: Params) -> Iterator[str]:
    """Warnings, the games that count, and what an expelled player pays to play again."""
    competition = options.competition
    rung = EXPELLED_AT[params.ladder]
    yield ledger_text(merged, competition, rung=rung)
    expelled = merged.expelled(competition, rung)
    games = merged.standing_games(competition, expelled_pairs=expelled, rule=params.expelled_results)
    yield ""
    yield f"Games that count: {len(games)}"
    for game in games:
        first, second = (" and ".join(players) for players in game.pairs)
        yield f"  {first} {game.points[0]:g} : {game.points[1]:g} {second}"
    if options.fee is not None and expelled:
        for has_benefits in (False, True):
            cost = readmission(
                is_expelled=True, fee=options.fee, has_benefits=has_benefits, rule=params.benefit_penalty
            )
            who = "a benefit holder among them" if has_benefits else "each player expelled"
            yield f"To play the next tournament {who} pays {cost.total:g}, of it {cost.penalty:g} as a penalty."


def _regulations(options: argparse.Namespace, games: Sequence[ev.GameStarted]) -> Params:
    """The parameters of the competition's last game in the journals that are given; words on the command line first."""
    played = [game.params for game in games if game.competition == options.competition]
    params = played[-1] if played else fours()
    if options.ladder is not None:
        params = fours() if Ladder(options.ladder) is Ladder.SETS else spots()
    if options.expelled_results is not None:
        params = replace(params, expelled_results=ExpelledResults(options.expelled_results))
    if options.benefit_penalty is not None:
        params = replace(params, benefit_penalty=BenefitPenalty(options.benefit_penalty))
    return params


def _ledger(source: Path, competition: str) -> tuple[Ledger, Sequence[ev.GameStarted]]:
    """The ledger in a file, or that of a table's journal with the games that were started there."""
    if _head(source).startswith(SQLITE):
        kept = _journal(source)
        started = [event for _, event in kept if isinstance(event, ev.GameStarted)]
        return _kept_ledger(kept).for_competition(competition), started
    try:
        return read_ledger(source, competition=competition), ()
    except LedgerFileError as error:
        raise Sorry(str(error)) from error


def _kept_ledger(kept: Sequence[tuple[Entry, ev.Event]]) -> Ledger:
    """The ledger that a table has come to, each warning of its own with the time it was given."""
    state = State()
    given: dict[str, str] = {}
    for entry, event in kept:
        after = evolve(state, event)
        if isinstance(event, ev.WarningGiven | ev.Redone) and entry.clock_synchronised:
            given |= dict.fromkeys(after.ledger.ids - state.ledger.ids, entry.wall_utc)
        state = after
    entries = tuple(replace(e, wall_utc=e.wall_utc or given.get(e.id, "")) for e in state.ledger.entries)
    return replace(state.ledger, entries=entries)


def _journal(path: Path) -> Sequence[tuple[Entry, ev.Event]]:
    try:
        return [(entry, event_of(entry.type, entry.body)) for entry in kept_in(path)]
    except JournalError as error:
        raise Sorry(str(error)) from error
    except UnknownEvent as error:
        raise Sorry(f"{path}: {error}") from error


def _of_game(kept: Sequence[tuple[Entry, ev.Event]], wanted: str | None) -> Sequence[tuple[Entry, ev.Event]]:
    """The journal up to the end of one game, the last where none is named; names go before numbers."""
    if wanted is None:
        return kept
    starts = _starts(kept)
    if not starts:
        return kept
    named = [at for at, (_, name) in enumerate(starts) if name == wanted]
    found = named or [at for at in range(len(starts)) if str(at + 1) == wanted]
    if not found:
        games = "; ".join(f"{at + 1} {name}".strip() for at, (_, name) in enumerate(starts))
        raise Sorry(f"expected a game of this journal for --game, got {wanted!r}: there are {games}")
    following = [place for place, _ in starts[found[-1] + 1 :]]
    return kept[: following[0]] if following else kept


def _starts(kept: Sequence[tuple[Entry, ev.Event]]) -> list[tuple[int, str]]:
    """Where each game of a journal begins, and its name; a start that was taken back is none."""
    starts: list[tuple[int, str, State]] = []
    undone: list[tuple[int, str, State]] = []
    state = State()
    for place, (_, event) in enumerate(kept):
        after = evolve(state, event)
        if isinstance(event, ev.GameStarted):
            starts.append((place, event.game, state))
            undone = []
        elif isinstance(event, ev.Undone) and starts and _is_same_moment(after, starts[-1][2]) and not state.plies:
            undone.append(starts.pop())
        elif isinstance(event, ev.Redone) and undone and _is_same_moment(state, undone[-1][2]):
            starts.append(undone.pop())
        state = after
    return [(place, game) for place, game, _ in starts]


def _is_same_moment(state: State, prior: State) -> bool:
    """Whether undo has led back to before a game was opened."""
    return (state.phase, state.game, state.names, state.results, state.plies) == (
        prior.phase,
        prior.game,
        prior.names,
        prior.results,
        prior.plies,
    )


def _date(kept: Sequence[tuple[Entry, ev.Event]]) -> str:
    """When the last game began, where the clock was right."""
    starts = [entry for entry, event in kept if isinstance(event, ev.GameStarted) and entry.clock_synchronised]
    return starts[-1].wall_utc if starts else ""


def _record(path: Path) -> Record:
    """The record in a file, in either form."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise Sorry(f"expected a record to read, got {path} ({error.strerror}): check the name") from error
    if len(data) > MAX_RECORD_BYTES:
        raise Sorry(f"{path}: expected the record of a game, got {len(data)} bytes: check the name")
    try:
        return read_record(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Sorry(f"{path}: expected a record as UTF-8 text, got {data[error.start]:#04x}: save it so") from error
    except NotationError as error:
        raise Sorry(f"{path}: {error}") from error
