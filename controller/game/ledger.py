"""The warnings of a whole competition and what they cost a pair in it and after it; never what happens inside a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

from controller.game.rulesets import BenefitPenalty, ExpelledResults

BENEFIT_ROUBLES = 50
"""What an expelled benefit holder pays, or at most pays, to play again (C8.5)."""
FEES = 3
"""Entry fees that anybody else pays on top of the fee (C8.5)."""

Players = tuple[str, str]
"""The names of two partners, compared letter by letter."""


class LedgerConflict(ValueError):
    """One id stands for two different things: an id was used twice, or a ledger was changed by hand."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A warning as the competition remembers it."""

    id: str
    """Made by the caller, never used twice in any game at any table."""
    competition: str
    game: str
    """Id of the game it was given in."""
    players: Players
    """The warned pair, in seat order."""
    player: str
    """Which of the two got it; empty where nobody says."""
    reason: str
    set_no: int
    """The set it was entered in, from 1."""
    wall_utc: str = field(default="", compare=False)
    """A label for people, empty where no clock was right; nothing is decided by it."""


@dataclass(frozen=True, slots=True)
class GameEntry:
    """The result of a finished game."""

    id: str
    """The game's id. A result that was undone is withdrawn for ever: the game's new result needs a new id."""
    competition: str
    pairs: tuple[Players, Players]
    """Pair A and pair B."""
    points: tuple[float, float]
    winner: Literal["A", "B", "draw"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Warnings and results that stand, from any number of tables; equal content is equal however it came together.

    Merging never depends on order, and a ledger may be merged twice: tables can pass theirs on as they like.

    Raises:
        LedgerConflict: two entries with one id and different content.
    """

    entries: tuple[LedgerEntry, ...] = ()
    """Warnings that stand, by id."""
    withdrawn: frozenset[str] = frozenset()
    """Ids of what was undone, so that a copy from another table cannot bring it back."""
    games: tuple[GameEntry, ...] = ()
    """Results that stand, by id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", _standing(self.entries, self.withdrawn))
        object.__setattr__(self, "games", _standing(self.games, self.withdrawn))

    def with_entry(self, entry: LedgerEntry) -> Ledger:
        """This ledger and a warning; unchanged when it is in already, or was withdrawn. LedgerConflict as above."""
        return Ledger((*self.entries, entry), self.withdrawn, self.games)

    def with_game(self, game: GameEntry) -> Ledger:
        """This ledger and a result; unchanged when it is in already, or was withdrawn. LedgerConflict as above."""
        return Ledger(self.entries, self.withdrawn, (*self.games, game))

    def without(self, entry_id: str) -> Ledger:
        """This ledger after the warning or result with that id was undone, whether or not it has come here yet."""
        return Ledger(self.entries, self.withdrawn | {entry_id}, self.games)

    def merged(self, other: Ledger) -> Ledger:
        """All that stands in either and was withdrawn in neither. LedgerConflict as above."""
        return Ledger(self.entries + other.entries, self.withdrawn | other.withdrawn, self.games + other.games)

    def for_competition(self, name: str) -> Ledger:
        """The part of one competition, and all that was withdrawn: an id alone does not tell its competition."""
        entries = tuple(entry for entry in self.entries if entry.competition == name)
        return Ledger(entries, self.withdrawn, tuple(game for game in self.games if game.competition == name))

    @property
    def ids(self) -> frozenset[str]:
        """Every name in it, of what was withdrawn too."""
        return self.withdrawn | {entry.id for entry in self.entries} | {game.id for game in self.games}

    def knows(self, game: str) -> bool:
        """Whether a game of that name has entered anything; the names of its entries begin with it."""
        standing = {entry.id for entry in self.entries} | {each.id for each in self.games}
        return game in {name.rpartition("#")[0] for name in standing} | {entry.game for entry in self.entries}

    def warnings_of(self, competition: str, players: Players) -> int:
        """Warnings of a pair in a competition, over all its games, whichever of the two is named first (C8.4, R10)."""
        return self._counts(competition)[pair_key(players)]

    def expelled(self, competition: str, rung: int) -> tuple[Players, ...]:
        """The pairs with at least `rung` warnings, each and all of them in the order of names (C8.4, R10).

        Raises:
            ValueError: a rung below 1, on which every pair would stand.
        """
        if rung < 1:
            raise ValueError(f"expected a rung of at least 1, got {rung}: say after which warning a pair is expelled")
        return tuple(sorted(pair for pair, count in self._counts(competition).items() if count >= rung))

    def standing_games(
        self, competition: str, *, expelled_pairs: Collection[Players], rule: ExpelledResults
    ) -> tuple[GameEntry, ...]:
        """The results of a competition that count: with `void` none that an expelled pair took part in (C8.4)."""
        games = self.for_competition(competition).games
        if rule is ExpelledResults.STAND:
            return games
        barred = {pair_key(players) for players in expelled_pairs}
        return tuple(game for game in games if barred.isdisjoint(pair_key(players) for players in game.pairs))

    def _counts(self, competition: str) -> Counter[Players]:
        return Counter(pair_key(entry.players) for entry in self.entries if entry.competition == competition)


@dataclass(frozen=True, slots=True)
class EntryFee:
    """What one player pays to enter the next club tournament, in the currency of the fee."""

    is_free: bool
    """He may enter as everybody does; else only with the penalty, or not at all (C8.5)."""
    penalty: float
    total: float


def pair_key(players: Players) -> Players:
    """The same two names in one order, whoever was named first."""
    first, second = sorted(players)
    return (first, second)


def readmission(*, is_expelled: bool, fee: float, has_benefits: bool, rule: BenefitPenalty) -> EntryFee:
    """What a player pays for the next club tournament: after an expulsion three fees more, or 50 roubles (C8.5).

    Each of an expelled pair pays for himself. Amounts are rounded to hundredths, whole ones are whole numbers.

    Raises:
        ValueError: a fee that is negative, no number, or too great to be counted.
    """
    if not 0 <= fee * (FEES + 1) < float("inf"):
        raise ValueError(f"expected an entry fee of 0 or more, got {fee}: enter what everybody pays")
    penalty: float = 0
    if is_expelled:
        penalty = FEES * fee
        if has_benefits:
            penalty = BENEFIT_ROUBLES if rule is BenefitPenalty.FIXED else min(BENEFIT_ROUBLES, penalty)
    return EntryFee(not is_expelled, _whole(penalty), _whole(fee + penalty))


def ledger_text(ledger: Ledger, competition: str, *, rung: int) -> str:
    """A page for the organiser: the warned pairs, the most warned first, who is expelled, and what that means.

    Args:
        ledger: may hold other competitions, they are left out.
        competition: its name.
        rung: the warning that expels (4 in `fours`, 5 in `spots`).

    Raises:
        ValueError: a rung below 1.
    """
    expelled = ledger.expelled(competition, rung)
    return "\n".join((*_warning_lines(ledger.for_competition(competition), competition, rung), *_bar_lines(expelled)))


def _warning_lines(ledger: Ledger, competition: str, rung: int) -> Iterator[str]:
    counts = ledger._counts(competition)
    yield f"Warnings in the competition {_plain(competition)}: {counts.total()}"
    yield f"A pair is expelled after warning {rung}."
    for pair, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        verdict = "expelled" if count >= rung else "the next one expels" if count == rung - 1 else ""
        yield ""
        yield f"{_pair(pair)}: {count} warning{'' if count == 1 else 's'}{verdict and ', '}{verdict}"
        own = (entry for entry in ledger.entries if pair_key(entry.players) == pair)
        for entry in sorted(own, key=lambda entry: (entry.wall_utc, entry.game, entry.set_no, entry.id)):
            where = f"game {_plain(entry.game)}, set {entry.set_no}"
            when = _plain(entry.wall_utc) or "at a time not known"
            yield f"  {_plain(entry.player) or 'the pair'}, for {_plain(entry.reason)}, {where}, {when}"


def _bar_lines(expelled: tuple[Players, ...]) -> Iterator[str]:
    """What an expulsion means after the competition; only the club text (`fours`) says anything about that."""
    yield ""
    if not expelled:
        yield "Nobody is expelled."
        return
    yield f"Expelled: {'; '.join(map(_pair, expelled))}"
    yield "Where the club's text (fours) is played, each of these players misses the next club tournament, or pays"
    yield f"{FEES} entry fees for it on top of the fee; a benefit holder {BENEFIT_ROUBLES} roubles on top of it, or"
    yield "at most that where the regulations make it a cap. One tournament missed ends the bar (C8.5)."


Record = TypeVar("Record", LedgerEntry, GameEntry)


def _standing(records: Iterable[Record], withdrawn: frozenset[str]) -> tuple[Record, ...]:
    """The records not withdrawn, each once, by id."""
    kept: dict[str, Record] = {}
    for record in records:
        if record.id in withdrawn:
            continue
        first = kept.setdefault(record.id, record)
        if first != record:
            raise LedgerConflict(_difference(first, record))
        if isinstance(first, LedgerEntry) and not first.wall_utc:
            kept[record.id] = record  # the label of whichever copy knows when it was
    return tuple(kept[record_id] for record_id in sorted(kept))


_ADVICE = "withdraw that id and enter the right one under a new id"


def _difference(first: Record, second: Record) -> str:
    name = next(field.name for field in fields(first) if getattr(first, field.name) != getattr(second, field.name))
    values = f"{getattr(first, name)!r:.60} and {getattr(second, name)!r:.60}"
    return f"expected one content for the id {first.id!r:.60}, got two whose {name} differs, {values}: {_ADVICE}"


def _whole(amount: float) -> float:
    """An amount of money in hundredths at the finest; as an int where it is whole."""
    rounded = round(amount, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _pair(players: Players) -> str:
    return f"{_plain(players[0])} and {_plain(players[1])}"


def _plain(text: str) -> str:
    """A text that cannot break the line it stands in."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
