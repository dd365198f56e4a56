"""A table for the core's tests: deals, players who play by the rules or not, and what must be so after every event."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import msgspec

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_S
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.evolve import evolve
from controller.game.ledger import Ledger
from controller.game.line import Line
from controller.game.panel import Sign, panel
from controller.game.rulesets import OutOfTurn, Params, fours
from controller.game.seen import ChainLink, Half, SeenTile, Sighting
from controller.game.snapshot import snapshot
from controller.game.state import Exposed, Move, Phase, State
from controller.game.tiles import ALL_TILES, SUITS, End, MonoNs, Pair, Seat, Suit, Tile

MISHAPS = 0.25
"""Share of the steps of a random evening in which something happens beside the play."""
NAMES = ("Ann", "Bob", "Cleo", "Dan")
FOURS = fours()

Hands = tuple[tuple[Tile, ...], ...]
Lie = tuple[Suit, Suit, End]
"""Inner half, outer half, end."""


def at(seconds: float) -> MonoNs:
    """A moment in seconds."""
    return MonoNs(round(seconds * NS_PER_S))


def deal(rng: random.Random) -> Hands:
    """All 28 dominoes, seven a seat."""
    mixed = sorted(ALL_TILES)
    rng.shuffle(mixed)
    return tuple(tuple(mixed[7 * seat : 7 * seat + 7]) for seat in range(4))


def hands_of(text: str) -> Hands:
    """Four hands written as `65 11 | 32 | ...`."""
    return tuple(tuple(Tile.of(int(t[0]), int(t[1])) for t in hand.split()) for hand in text.split("|"))


def ways(line: Line, tile: Tile, *, is_fitting: bool = True) -> list[Lie]:
    """Every way of laying `tile` at an end so that it fits, or so that it does not."""
    if line.ends is None:
        return [(tile.low, tile.high, End.FIRST)] if is_fitting else []
    turned = {(tile.low, tile.high), (tile.high, tile.low)}
    ends = ((End.L, line.ends[0]), (End.R, line.ends[1]))
    return sorted(
        ((inner, outer, end) for inner, outer in turned for end, suit in ends if (inner == suit) == is_fitting),
        key=lambda way: (way[2].value, way[0]),
    )


@dataclass
class Table:
    """A table with its four players: `do` asks the core and believes it; the deal is what only the players know."""

    rng: random.Random = field(default_factory=lambda: random.Random(1))
    state: State = field(default_factory=State)
    seconds: float = 0.0
    deal: Hands = ()
    happened: list[ev.Event] = field(default_factory=list)
    is_checked: bool = True
    """Off where a test asks for the history alone."""

    @property
    def now(self) -> MonoNs:
        """The moment on the table's clock."""
        return at(self.seconds)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    def do(self, command: cmd.Command) -> ev.Event | None:
        """Carry `command` out, every invariant checked after every event; the first event, None if nothing happened."""
        events = decide(self.state, command)
        for event in events:
            self.state = evolve(self.state, event)
            self.happened.append(event)
            if self.is_checked:
                assert_sound(self.state, event.at)
        return events[0] if events else None

    def is_in(self, phase: Phase) -> bool:
        """Whether the game stands there."""
        return self.state.phase is phase

    def kinds(self, last: int) -> list[str]:
        """Names of the last events."""
        return [type(event).__name__ for event in self.happened[-last:]]

    # --- the players ---

    def hand(self, seat: Seat) -> tuple[Tile, ...]:
        """What `seat` holds: its deal less its moves."""
        laid = {ply.tile for ply in self.state.plies if isinstance(ply, Move) and ply.seat is seat}
        return tuple(tile for tile in self.deal[seat] if tile not in laid)

    def open_game(self, params: Params | None = None, *, lead: Seat = Seat.S0) -> None:
        """A game begins."""
        self.do(cmd.StartGame(self.now, NAMES, lead, params or Params()))

    def open_set(self, hands: Hands | None = None) -> None:
        """The dominoes are dealt and the referee starts the set; for a set without a leader he draws one."""
        self.deal = hands or deal(self.rng)
        if self.state.lead is None and self.rng.random() < 0.5:
            self.do(cmd.DrawLead(self.now, ((1, 1), (0, 0), (2, 2), (3, 3))))
        lead = Seat(self.rng.randrange(4)) if self.state.lead is None else None
        self.do(cmd.StartSet(self.now, lead))

    def lay(self, inner: int, outer: int, end: str) -> ev.Event | None:
        """The seat on turn lays a domino."""
        return self.do(cmd.LayDomino(self.now, Suit(inner), Suit(outer), End(end)))

    def skip(self, seat: int | None = None) -> ev.Event | None:
        """A seat passes, the one on turn if none is named."""
        turn = self.state.turn if seat is None else Seat(seat)
        assert turn is not None
        return self.do(cmd.Pass(self.now, turn))

    def play_one(self) -> None:
        """The seat on turn plays by the rules: a fitting domino if it has one, a pass if not."""
        turn = self.state.turn
        assert turn is not None
        can = [way for tile in self.hand(turn) for way in ways(self.state.line, tile)]
        self.wait(self.rng.uniform(0.5, 12.0))
        if can:
            self.put(self.rng.choice(can))
        else:
            self.skip()

    def put(self, way: Lie) -> None:
        """The seat on turn lays a domino, told to the core in words or, as often, seen by the camera."""
        inner, outer, end = way
        if self.rng.random() < 0.5:
            self.do(cmd.LayDomino(self.now, inner, outer, end))
        elif end is End.L:
            self.do(cmd.See(self.now, looks(self.state.line, left=(seen(outer, inner),))))
        else:
            self.do(cmd.See(self.now, looks(self.state.line, seen(inner, outer))))

    def play_wrong(self) -> bool:
        """The seat on turn lays a domino that does not fit; False when it holds none."""
        turn = self.state.turn
        assert turn is not None
        wrong = [way for tile in self.hand(turn) for way in ways(self.state.line, tile, is_fitting=False)]
        if wrong:
            self.put(self.rng.choice(wrong))
        return bool(wrong)

    def play_to_count(self) -> None:
        """The set is played by the rules until the line is closed."""
        while self.state.phase is Phase.PLAY:
            self.play_one()

    def count(self) -> None:
        """The hands are shown and entered."""
        self.do(cmd.Count(self.now, tuple(self.hand(seat) for seat in Seat)))

    def play_set(self) -> None:
        """A whole set by the rules, counted."""
        self.open_set()
        self.play_to_count()
        self.count()

    def finding(self) -> int:
        """The number of the oldest open finding."""
        return self.state.open_findings[0].number

    def rule(self, decision: Decision) -> ev.Event | None:
        """The referee decides on the oldest open finding."""
        return self.do(cmd.Rule(self.now, self.finding(), decision, "a referee", is_chief=True))

    # --- the accidents ---

    def mishap(self) -> None:
        """Something beside the play: referee, power, camera, a wrong domino, a wrong pass, a press out of turn."""
        self.wait(self.rng.uniform(0.0, 20.0))
        now, rng, state = self.now, self.rng, self.state
        if state.turn is not None and state.clock.is_over(now) and rng.random() < 0.2:
            self.do(cmd.ClaimTime(now, state.turn.next))
            return
        quiet: tuple[cmd.Command, ...] = (
            cmd.Pause(now),
            cmd.Resume(now),
            cmd.Undo(now),
            cmd.Redo(now),
            cmd.Mute(now, rng.choice((None, 5.0))),
            cmd.LoseCamera(now, "a cover on the lens"),
            cmd.RegainCamera(now),
            cmd.Restart(now),
            cmd.Tick(now),
            cmd.Acknowledge(now),
            cmd.CallReferee(now, Seat(rng.randrange(4))),
            cmd.Pass(now, Seat(rng.randrange(4))),
            cmd.See(now, Sighting()),
            cmd.See(now, looks(state.line)),
        )
        choice = rng.randrange(len(quiet) + 4)
        if choice < len(quiet):
            self.do(quiet[choice])
        elif choice >= len(quiet) + 2:
            self.do(self.word())
        elif choice == len(quiet) and state.phase is Phase.PLAY:
            self.play_wrong()
        elif state.phase is Phase.PLAY and not state.halts and state.line.placed:
            self.skip()

    def word(self) -> cmd.Command:
        """Something a referee or a player says, apt or not."""
        now, rng, state = self.now, self.rng, self.state
        seat = Seat(rng.randrange(4))
        place = rng.randrange(len(state.plies) + 1)
        tile = rng.choice(sorted(ALL_TILES))
        inner, outer = rng.choice(((tile.low, tile.high), (tile.high, tile.low)))
        hand = self.hand(seat) if self.deal and rng.random() < 0.7 else tuple(rng.sample(sorted(ALL_TILES), 7))
        shown = rng.choice(self.hand(seat)) if self.deal and self.hand(seat) else tile
        return rng.choice(
            (
                cmd.Warn(now, seat, rng.choice(("time", "talk", "exposure", "signs", "nothing")), "a referee"),
                cmd.Warn(now, seat, "talk", "a referee"),
                cmd.Warn(now, None, "signs", "a referee", rng.choice(tuple(Pair))),
                cmd.Replay(now, rng.choice((None, len(state.results))), None, "spilled", "a referee"),
                cmd.ClaimTime(now, seat),
                cmd.ClaimRedeal(now, seat, hand),
                cmd.ClaimRedeal(now, seat),
                cmd.Expose(now, seat, shown, "a referee", rng.random() < 0.3),
                cmd.Attribute(now, place, seat, "a referee"),
                cmd.Correct(now, place, inner, outer, "a referee"),
                cmd.OrderReveal(now, "a referee"),
                cmd.RestartSet(now, "spilled", "a referee", rng.random() < 0.8),
                cmd.LayDomino(now, inner, outer, rng.choice(tuple(End)), seat),
                cmd.Pass(now, seat, rng.random() < 0.5),
                cmd.DrawLead(now, ((0, 0), (1, 1), (2, 2), (3, 3))),
                cmd.MergeLedger(now, Ledger()),
            )
        )

    def settle(self) -> None:
        """The referee puts everything right that keeps the game from going on."""
        while self.state.open_findings:
            self.rule(self.rng.choice(tuple(Decision)))
        if self.state.claim is not None:
            hand = self.hand(self.state.claim) if self.deal else ()
            self.do(cmd.ClaimRedeal(self.now, self.state.claim, hand) if hand else cmd.Undo(self.now))
            return
        if self.state.phase is Phase.COUNT and self.state.hands is not None:  # counted, and nobody is to blame
            self.do(cmd.RestartSet(self.now, "nobody is to blame", "a referee", is_chief=True))
        self.do(cmd.RegainCamera(self.now))
        if self.state.is_paused or self.state.is_restarted:
            self.do(cmd.Resume(self.now))
        if self.state.phase is Phase.PLAY and self.state.halts:
            self.do(cmd.See(self.now, looks(self.state.line)))


def random_evening(seed: int, *, params: Params | None = None, is_checked: bool = True) -> Table:
    """A whole game of random play with accidents, at most 600 steps long."""
    table = Table(random.Random(seed), is_checked=is_checked)
    table.open_game(params)
    for _ in range(600):
        state = table.state
        if table.rng.random() < MISHAPS:
            table.mishap()
            continue
        table.settle()
        if table.state is not state:
            continue
        if state.phase is Phase.IDLE:  # the start of the game itself was taken back
            table.open_game(params)
        elif state.phase is Phase.BETWEEN:
            table.open_set()
        elif state.phase is Phase.PLAY:
            table.play_one()
        elif state.phase is Phase.COUNT:
            table.count()
        else:
            break
    return table


# --- what must be so ---


def assert_sound(state: State, now: MonoNs) -> None:
    """Everything that must be so after any event whatever."""
    moves = [ply for ply in state.plies if isinstance(ply, Move)]
    tiles = [p.tile for p in state.line.placed]
    assert len(set(tiles)) == len(tiles), "a domino lies twice"
    assert state.line.tiles | state.line.unplayed == ALL_TILES
    assert sum(state.tiles_left(seat) for seat in Seat) + len(moves) == 28
    if state.phase in (Phase.PLAY, Phase.COUNT):
        assert {move.tile for move in moves} == state.line.tiles
        order = [state.lead, *(ply.seat.next for ply in state.plies)]
        may_skip = state.params.out_of_turn is OutOfTurn.STANDS
        assert may_skip or [ply.seat for ply in state.plies] == order[:-1], "somebody acted out of turn"
        assert state.turn == (order[-1] if state.phase is Phase.PLAY else None)
    else:
        assert state.turn is None
        assert not state.plies
    halted = state.phase is not Phase.PLAY or bool(state.halts)
    assert state.clock.is_running != halted
    if state.points_override is None and state.params == replace(FOURS, adjudication=state.params.adjudication):
        assert sum(state.points) == len(state.results)
    numbers = [finding.number for finding in state.findings]
    assert sorted(set(numbers)) == numbers
    assert all(number < state.next_finding for number in numbers)
    here = [finding for finding in state.findings if finding.set_no is None]
    assert all(finding.ply <= len(state.plies) for finding in here)
    assert all(place < len(state.plies) for finding in here for place in (*finding.passes, *state.excused))
    assert (state.winner is not None) == (state.phase is Phase.GAME_OVER)
    assert all(state.warnings_of(pair) <= 5 for pair in Pair)
    assert all(seen.tile not in state.line.tiles or has_laid(state, seen) for seen in state.exposed)
    assert_shown(state, now)


def has_laid(state: State, seen: Exposed) -> bool:
    """Whether a domino that was seen in a hand was laid, by that seat or, as the camera may err, by another."""
    return any(isinstance(ply, Move) and ply.tile == seen.tile for ply in state.plies)


def assert_shown(state: State, now: MonoNs) -> None:
    """A clock is shown where it runs and nowhere else, and the scoreboard can be written down."""
    signs = panel(state)
    assert {lamp.since for lamp in signs.seats if lamp.sign is not Sign.TURN} <= {0}
    running = state.phase is Phase.PLAY and state.clock.is_running and state.claim is not state.turn
    assert [lamp.sign is Sign.TURN for lamp in signs.seats] == [running and seat is state.turn for seat in Seat]
    shown = msgspec.json.decode(msgspec.json.encode(snapshot(state, now)))
    assert shown["phase"] == state.phase.value
    assert sum(shown["tiles_left"]) + sum(1 for ply in state.plies if isinstance(ply, Move)) == 28


# --- what the eyes see ---


def half(suit: int, sure: float = 0.97) -> Half:
    """A half read as `suit`, the doubt spread over the other six."""
    return tuple(sure if s == suit else (1 - sure) / 6 for s in SUITS)


def split(first: int, second: int, share: float = 0.5) -> Half:
    """A half read as one of two suits."""
    rest = 0.02 / 5
    return tuple(share * 0.98 if s == first else (1 - share) * 0.98 if s == second else rest for s in SUITS)


def seen(a: int, b: int, sure: float = 0.97) -> SeenTile:
    """A domino read clearly."""
    return SeenTile(half(a, sure), half(b, sure))


def in_a_row(*tiles: SeenTile) -> Sighting:
    """Dominoes in the middle in one chain, each lying a first."""
    chain = tuple(ChainLink(i, is_flipped=False) for i in range(len(tiles)))
    return Sighting(tiles, (chain,) if len(tiles) > 1 else ())


def looks(line: Line, *right: SeenTile, left: tuple[SeenTile, ...] = ()) -> Sighting:
    """The known line as it lies, with more dominoes beyond its right end and before its left one."""
    return in_a_row(*left, *(seen(p.left, p.right) for p in line.placed), *right)


def line_of(text: str) -> Line:
    """A line written as `65 53 31`, from left to right."""
    line = Line()
    for word in text.split():
        line = line.with_tile(Suit(int(word[0])), Suit(int(word[1])), End.R if line.placed else End.FIRST, Seat.S0)
    return line


# --- deals worth knowing ---

LOCKING_MOVES = "61 12 26 66 63 34 46 65 50 06"
"""Ten moves, each laid at the right end, the lead's first: the last one shuts the line with a six at both ends."""
LOCKING_DEAL = hands_of("61 63 50 00 10 20 30 | 12 34 60 55 54 53 44 | 26 46 40 11 31 41 22 | 66 65 51 32 42 52 33")
"""25 spots left for pair A and 65 for pair B after `LOCKING_MOVES`."""
LEVEL_DEAL = hands_of("61 63 50 10 54 53 44 | 12 34 60 55 00 20 30 | 26 46 40 11 31 41 22 | 66 65 51 32 42 52 33")
"""45 spots left for either pair after `LOCKING_MOVES`."""


def at_the_table(hands: Hands = LOCKING_DEAL, *, params: Params | None = None, moves: int = 0) -> Table:
    """A game with its first set begun, and so many of `LOCKING_MOVES` made, one a second."""
    table = Table()
    table.open_game(params)
    table.open_set(hands)
    for word in LOCKING_MOVES.split()[:moves]:
        table.wait(1.0)
        table.lay(int(word[0]), int(word[1]), "R" if table.state.line.placed else "first")
    return table
