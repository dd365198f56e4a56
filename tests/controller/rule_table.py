"""A table for the tests of the rules: sets are told in one line of acts, and everything goes through the core."""

from __future__ import annotations

from dataclasses import replace

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import FindingKind, Reason
from controller.game.ledger import Ledger, LedgerEntry
from controller.game.rulesets import Params, fours
from controller.game.state import Finding, State
from controller.game.tiles import End, Pair, Seat, Tile
from tests.controller.games import LOCKING_MOVES, NAMES, Hands, Table, hands_of
from tests.controller.rule_sets import Script

FOURS = fours()
CUP = "the cup"
PLAYERS = {Pair.A: (NAMES[0], NAMES[2]), Pair.B: (NAMES[1], NAMES[3])}

_LEADERS_WIN = ("00 10 20 30", "55 54 53 44", "40 11 31 41 22", "51 32 42 52 33")
"""Left after `LOCKING_MOVES`, the leader's hand first: 25 with his pair, 65 with his rivals."""
_RIVALS_WIN = ("55 54 53 44", "00 10 20 30", "51 32 42 52 33", "40 11 31 41 22")
_LEVEL = ("10 54 53 44", "55 00 20 30", "40 11 31 41 22", "51 32 42 52 33")
"""45 with either pair."""


def opened(params: Params = FOURS, *, lead: Seat = Seat.S0, earlier: tuple[int, int] = (0, 0), cup: str = "") -> Table:
    """A game that has just been opened; of a competition in which the pairs have been warned so often before."""
    table = Table()
    cup = CUP if earlier != (0, 0) else cup
    if cup:
        table.do(cmd.MergeLedger(table.now, warned_before(earlier)))
    table.do(cmd.StartGame(table.now, NAMES, lead, params, competition=cup, game="today"))
    return table


def warned_before(earlier: tuple[int, int]) -> Ledger:
    """The ledger of a competition in whose earlier games the pairs were warned so often."""
    ledger = Ledger()
    for pair, players in PLAYERS.items():
        for number in range(earlier[pair.index]):
            entry = LedgerEntry(f"{pair.value}{number}", CUP, f"game {number}", players, players[0], "talk", 1)
            ledger = ledger.with_entry(entry)
    return ledger


def begun(params: Params = FOURS, *, lead: Seat = Seat.S0, earlier: tuple[int, int] = (0, 0), cup: str = "") -> Table:
    """A game with its first set begun."""
    table = opened(params, lead=lead, earlier=earlier, cup=cup)
    deal(table)
    return table


def deal(table: Table) -> None:
    """The next set begins; where its lead has to be drawn seat 0 draws it."""
    table.do(cmd.StartSet(table.now, Seat.S0 if table.state.lead is None else None))


def act(table: Table, word: str) -> ev.Event | None:
    """One act of the seat on turn: `66` the first move, `65R` or `65L` another, `P` a pass."""
    if word == "P":
        return table.skip()
    return table.lay(int(word[0]), int(word[1]), word[2:] or "first")


def play(table: Table, acts: str) -> Table:
    """Acts a second apart, none of which may be refused."""
    for word in acts.split():
        table.wait(1.0)
        event = act(table, word)
        assert not isinstance(event, ev.Refused), event
    return table


def count(table: Table, left: str | Hands) -> ev.Event | None:
    """The four hands, by seat, are entered."""
    hands = hands_of(left) if isinstance(left, str) else left
    return table.do(cmd.Count(table.now, hands, "Eve"))


def run(table: Table, script: Script) -> Table:
    """A whole set, counted."""
    play(table, script.acts)
    count(table, script.left)
    return table


def locked(table: Table, winner: Pair | None, *, counted: bool = True, warned: int | None = None) -> Table:
    """The next set, dealt and locked in ten moves: 25 spots with the winners and 65 with the losers, or 45 each.

    `warned` is a seat that gets a warning in it.
    """
    deal(table)
    if warned is not None:
        warn(table, warned)
    lead = table.state.lead
    assert lead is not None
    play(table, lock_acts())
    if counted:
        count(table, lock_hands(lead, winner))
    return table


def lock_acts() -> str:
    """`LOCKING_MOVES` as acts."""
    first, *others = LOCKING_MOVES.split()
    return " ".join((first, *(f"{word}R" for word in others)))


def lock_hands(lead: Seat, winner: Pair | None) -> Hands:
    """What is left after `lock_acts` for this result, by seat."""
    by_turn = _LEVEL if winner is None else _LEADERS_WIN if winner is lead.pair else _RIVALS_WIN
    return hands_of(" | ".join(by_turn[(seat - lead) % 4] for seat in Seat))


def warn(table: Table, *seats: int, reason: str = "talk") -> Table:
    """A warning for each of these seats."""
    for seat in seats:
        table.do(cmd.Warn(table.now, seat, reason, "Eve"))
    return table


def found(table: Table, kind: FindingKind) -> Finding:
    """The only finding of that kind."""
    (finding,) = (finding for finding in table.state.findings if finding.kind is kind)
    return finding


def kinds(table: Table) -> list[FindingKind]:
    """What the open findings are about."""
    return [finding.kind for finding in table.state.open_findings]


def rule(
    table: Table, decision: Decision, kind: FindingKind | None = None, *, is_chief: bool = False
) -> ev.Event | None:
    """The referee decides on the oldest open finding, or the oldest of a kind."""
    number = next(f.number for f in table.state.open_findings if kind in (None, f.kind))
    return table.do(cmd.Rule(table.now, number, decision, "Eve", is_chief))


def refused(table: Table, command: cmd.Command) -> Reason | None:
    """Why a command is refused, None if it is not; a refused one must have changed nothing."""
    before = plain(table.state)
    events = len(table.happened)
    event = table.do(command)
    if not isinstance(event, ev.Refused):
        return None
    if len(table.happened) == events + 1:
        assert plain(table.state) == before, "a refused command changed something"
    return event.reason


def plain(state: State) -> State:
    """The state without the answer of the lamp, by which a refusal is told."""
    return replace(state, feedback=None)


def entered(table: Table) -> int:
    """How many sets are in the register."""
    return len(table.state.results)


def happened(table: Table, kind: type) -> list[ev.Event]:
    """All events of that kind."""
    return [event for event in table.happened if isinstance(event, kind)]


def lay_by(seat: int, word: str, table: Table) -> cmd.LayDomino:
    """A domino laid by a seat that is named."""
    return cmd.LayDomino(table.now, int(word[0]), int(word[1]), End(word[2:] or "first"), seat)


def tile(word: str) -> Tile:
    """The domino written as two digits."""
    return Tile.of(int(word[0]), int(word[1]))
