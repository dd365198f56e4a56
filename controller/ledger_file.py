"""A competition's ledger as a JSON file that tables hand on: written whole or not at all, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from controller.game.ledger import GameEntry, Ledger, LedgerConflict, LedgerEntry
from controller.replacing import replace_file

VERSION = 1
"""Of the file's form; a reader of version 1 reads nothing newer."""
MAX_BYTES = 16 * 1024 * 1024
"""Some 60 000 warnings; anything longer is another kind of file, and a Pi should not read it into memory."""

_SHOWN = 200
"""Letters of a stranger's text that a sentence of ours repeats."""


class LedgerFileError(ValueError):
    """A ledger that cannot be read or written; the message is one sentence that says what to do."""


Text = Annotated[str, msgspec.Meta(min_length=1)]
Players = tuple[Text, Text]


class _Head(msgspec.Struct):
    """As much of any version's file as it takes to know it."""

    gameline: Literal["ledger"]
    version: Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A warning; its competition is the file's."""

    id: Text
    game: Text
    players: Players
    player: str
    reason: str
    set_no: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    wall_utc: str

    def __post_init__(self) -> None:
        if self.player not in (*self.players, ""):
            raise ValueError(f"Expected the player to be one of the pair, got {self.player!r}")


class _Game(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A result; its competition is the file's."""

    id: Text
    pairs: tuple[Players, Players]
    points: tuple[float, float]
    winner: Literal["A", "B", "draw"]


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    gameline: Literal["ledger"]
    version: Literal[1]
    competition: Text
    entries: tuple[_Entry, ...]
    withdrawn: tuple[Text, ...]
    games: tuple[_Game, ...]


def write_ledger(path: Path, ledger: Ledger, competition: str) -> None:
    """Put the part of `ledger` that belongs to `competition` into the file at `path`, in place of what is there.

    A power cut leaves the old file or the new one. Nothing is written that `read_ledger` would not take.

    Raises:
        LedgerFileError: the ledger cannot be a file (an empty id or name, points that are no number), or the
            file cannot be written; the old file is there then, or already the whole new one.
    """
    data = _encoded(ledger.for_competition(competition), competition, where=str(path))
    decoded(data, competition=competition, where=str(path))
    try:
        replace_file(path, data)
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        raise LedgerFileError(
            f"{path}: expected to write the ledger there, got {cause}: choose a folder that can be written to"
        ) from error


def read_ledger(path: Path, *, competition: str | None) -> Ledger:
    """The ledger in the file at `path`; with `competition` None that of whichever competition it is.

    Raises:
        LedgerFileError: the file cannot be read, is no ledger, is of a newer version or another competition, or
            holds anything that a ledger of this version does not.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        raise LedgerFileError(f"{path}: expected a ledger's file, got {cause}: give the path of one") from error
    return decoded(data, competition=competition, where=str(path))


def _encoded(ledger: Ledger, competition: str, *, where: str) -> bytes:
    body = {
        "gameline": "ledger",
        "version": VERSION,
        "competition": competition,
        "entries": [_without_competition(entry) for entry in ledger.entries],
        "withdrawn": sorted(ledger.withdrawn),
        "games": [_without_competition(game) for game in ledger.games],
    }
    try:
        return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"
    except (msgspec.MsgspecError, ValueError) as error:
        raise LedgerFileError(
            f"{where}: expected names and ids that can be written, got one that cannot ({_short(error)}): correct it"
        ) from error


def decoded(data: bytes, *, competition: str | None, where: str) -> Ledger:
    """The ledger that a file's bytes are; LedgerFileError as `read_ledger`, `where` names them in it."""
    _check_head(data, where)
    try:
        body = msgspec.json.decode(data, type=_Body)
    except (ValueError, RecursionError) as error:
        raise LedgerFileError(
            f"{where}: expected the fields of a ledger, got something else ({_short(error)}): "
            "take the file again from the table that wrote it"
        ) from error
    if competition is not None and body.competition != competition:
        raise LedgerFileError(
            f"{where}: expected the ledger of {competition!r}, got {_short(repr(body.competition))}: "
            "give the file of this competition"
        )
    named: dict[str, Any] = {"competition": body.competition}
    entries = tuple(LedgerEntry(**named, **msgspec.structs.asdict(entry)) for entry in body.entries)
    games = tuple(GameEntry(**named, **msgspec.structs.asdict(game)) for game in body.games)
    try:
        return Ledger(entries, frozenset(body.withdrawn), games)
    except LedgerConflict as error:
        raise LedgerFileError(f"{where}: {error}") from error


def _check_head(data: bytes, where: str) -> None:
    """Raise unless this is JSON, a ledger, and of a version that is known here."""
    if len(data) > MAX_BYTES:
        raise LedgerFileError(f"{where}: expected a ledger's file, got more than {MAX_BYTES} bytes: give another path")
    try:
        head = msgspec.json.decode(data, type=_Head)
    except msgspec.ValidationError as error:
        raise LedgerFileError(
            f"{where}: expected a ledger, got another kind of file ({_short(error)}): give the path of a ledger"
        ) from error
    except (ValueError, RecursionError) as error:
        raise LedgerFileError(
            f"{where}: expected a ledger in JSON, got something else ({_short(error)}): "
            "take the file again from the table that wrote it"
        ) from error
    if head.version > VERSION:
        raise LedgerFileError(
            f"{where}: expected a ledger of version {VERSION}, got version {head.version}: update Gameline to read it"
        )


def _without_competition(entry: LedgerEntry | GameEntry) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(entry)
    del values["competition"]
    return values


def _short(what: object) -> str:
    """What a library or a file says, in one line that is not endless."""
    text = " ".join(str(what).split())
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return text[:1].lower() + text[1:]
