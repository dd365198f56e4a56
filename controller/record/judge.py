"""A written game put to the rules, entry by entry: what they say of it, and where what is written differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from controller.game import commands as cmd
from controller.game import events as ev
from controller.game.clocks import NS_PER_MS
from controller.game.commands import Decision
from controller.game.decide import decide
from controller.game.events import Ending, FindingKind
from controller.game.evolve import evolve
from controller.game.ledger import Ledger, LedgerEntry
from controller.game.paragraphs import PARAGRAPHS
from controller.game.rulesets import Adjudication, Scoring
from controller.game.state import Finding, Phase, Ply, State
from controller.game.tiles import MonoNs, Pair, Seat, Suit, Tile
from controller.record import entries as en
from controller.record.record import Record, SetMark, SetRecord

BY_THE_RULES = {FindingKind.WRONG_DOMINO: Decision.LOST, FindingKind.WRONG_PASS: Decision.CONFIRM}
"""What a ruling means that names no decision: the rules' own word."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one entry: an event of note, or a difference between record and rules."""

    set_no: int
    """0 before the first set."""
    act: int
    """Number of the last move or pass written before it, 0 before the first."""
    kind: str
    """The event's name, or `differs` where what is written is not what the rules say."""
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A record as the rules see it."""

    events: tuple[ev.Event, ...]
    """All that happened, as a journal keeps it: the register is made of it."""
    verdicts: tuple[Verdict, ...]
    state: State

    @property
    def is_clean(self) -> bool:
        """Whether nothing was refused and nothing differs from what is written.

        A domino laid out of turn is refused and becomes a finding: that is no fault of the record.
        """
        following = (*(verdict.kind for verdict in self.verdicts[1:]), "")
        kinds = zip((verdict.kind for verdict in self.verdicts), following, strict=True)
        return not any(
            kind == "differs" or (kind == "refused" and then != FindingKind.OUT_OF_TURN.value) for kind, then in kinds
        )


def judge(record: Record) -> Judgement:
    """The record through decide and evolve; nothing in it can raise, what cannot be is refused and told."""
    bench = _Bench(record)
    bench.open_game()
    for played in record.sets:
        bench.play_set(played)
    for entry in record.after:
        bench.put(entry)
    bench.compare_result()
    return Judgement(tuple(bench.events), tuple(bench.verdicts), bench.state)


class _Bench:
    """The game as it is replayed: the state, its clock, and which act written is which in the set."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.state = State()
        self.events: list[ev.Event] = []
        self.verdicts: list[Verdict] = []
        self._now = MonoNs(0)
        self._set_began = MonoNs(0)
        self._set_no = 0
        self._act = 0
        self._numbers: list[int] = []
        """The written number of every act that stands in the set; 0 for a pass that a correction has put in."""
        self._numbers_of: dict[tuple[Ply, ...], list[int]] = {}
        """The same for every history there was: an act taken back returns to one of them."""
        self._last_set: tuple[Ply, ...] = ()
        self._again: list[int] = []
        """Numbers of the acts that a correction has taken back and does again."""
        self._lead: Seat | None = None
        self._in_set = False
        self._kinds: dict[int, FindingKind] = {}

    def open_game(self) -> None:
        """The game with the warnings that its competition has brought along."""
        record = self._record
        competition = record.tag("Event") or ("the competition" if any(record.warned) else "")
        game = record.tag("Game") or "this game"
        names = record.names if not competition else _told_apart(record.names)
        ledger = Ledger()
        for pair in Pair:
            players = (names[pair.index], names[pair.index + 2])
            for number in range(record.warned[pair.index]):
                name = f"before {pair.value}{number + 1}"
                entry = LedgerEntry(name, competition, f"before {game}", players, players[0], "", 0)
                ledger = ledger.with_entry(entry)
        if any(record.warned):
            self._do(cmd.MergeLedger(self._now, ledger))
        self._do(cmd.StartGame(self._now, names, record.lead, record.params, False, competition, game))

    def play_set(self, played: SetRecord) -> None:
        """One set with what was written before it; what it came to is compared with what is written."""
        sets = len(self.state.results)
        for entry in played.before:
            self.put(entry)
        if len(self.state.results) > sets and not played.entries:  # lost before it was begun
            self._set_no = played.set_no
            self._compare(played.result, sets)
            return
        self._set_no, self._act, self._numbers = played.set_no, 0, []
        self._numbers_of, self._last_set = {}, ()
        self._lead = played.lead if played.lead is not None else self._lead  # or drawn before it
        sets = len(self.state.results)
        if self.state.phase is not Phase.GAME_OVER and played.set_no != self.state.set_no:
            self._tell("differs", f"this is set {self.state.set_no} by the rules, not {played.set_no}.")
        if self.state.phase is Phase.BETWEEN:
            self._start_set()
        self._in_set = True
        for entry in played.entries:
            self.put(entry)
        self._in_set = False
        self._close()
        self._compare(played.result, sets)

    def _start_set(self) -> None:
        self._do(cmd.StartSet(self._now, self._lead if self.state.lead is None else None))
        self._set_began, self._numbers, self._lead = self._now, [], None

    def _close(self) -> None:
        """A set that was gone out of needs no count where spots do not matter, and nobody writes one (C5.2)."""
        is_out = self.state.phase is Phase.COUNT and self.state.ending is Ending.OUT
        if is_out and self.state.params.scoring is Scoring.SETS and not self.state.told_findings:
            self._do(cmd.ConfirmCount(self._now))

    def _compare(self, written: SetMark | None, sets: int) -> None:
        results = self.state.results
        if len(results) == sets:
            if self.state.phase is not Phase.GAME_OVER:
                self._tell("unfinished", f"set {self._set_no} is not over by the rules.")
            return
        result = results[-1]
        spots = written.spots if written is not None else None
        is_same = written is None or (written.by, written.points) == (result.by, result.points)
        if not is_same or spots not in (None, result.spots):
            said = f"{result.by.value} {_points(result.points)}" + (f", spots {result.spots}" if result.spots else "")
            self._tell("differs", f"the rules say {said}.")

    def compare_result(self) -> None:
        """The game's points as they are written."""
        written = self._record.result
        if written is not None and (self.state.phase is not Phase.GAME_OVER or written != self.state.points):
            how = "so far " if self.state.phase is not Phase.GAME_OVER else ""
            self._tell("differs", f"the game stands {how}{_points(self.state.points)} by the rules.")

    def put(self, entry: en.Entry) -> None:
        """One entry, at its time."""
        if isinstance(entry, en.Laid | en.Skipped):
            self._act += 1
        is_next = self.state.phase is Phase.BETWEEN and self._in_set and not self._is_of_registered(entry)
        if is_next and _needs_set(entry):
            self._start_set()  # dealt anew after a restart or a redeal
        self._pass_time(entry)
        for command in self._commands(entry):
            self._do(command)

    def _is_of_registered(self, entry: en.Entry) -> bool:
        """Whether it has the set played again that is written here and registered already."""
        return isinstance(entry, en.Restarted) and self._in_set and self.state.set_no > self._set_no

    def _pass_time(self, entry: en.Entry) -> None:
        """The clock at an entry: where it is written on the set's clock, else after the thinking that is written."""
        if entry.t_ms is not None:
            self._now = MonoNs(max(self._now, self._set_began + entry.t_ms * NS_PER_MS))
            return
        think_ms = getattr(entry, "think_ms", None)
        if think_ms is not None and self.state.clock.is_running:
            left = think_ms * NS_PER_MS - self.state.clock.elapsed_ns(self._now)
            self._now = MonoNs(self._now + max(0, left))

    def _do(self, command: cmd.Command) -> None:
        if isinstance(command, cmd.Undo) and (self.state.before is None or self.state.before.phase is Phase.IDLE):
            self._tell("refused", "nothing_to_undo: nothing in this record is left to take back (rules 16.9).")
            return
        for event in decide(self.state, command):
            self._happen(event)
        for tile in self.state.take_back:  # nobody writes down that a domino went back to its hand
            self._happen(ev.TakenBack(self._now, tile))
        self._again = []

    def _happen(self, event: ev.Event) -> None:
        self.state = evolve(self.state, event)
        self.events.append(event)
        self._number(event)
        self._note(event)

    def _number(self, event: ev.Event) -> None:
        """Keeps the written numbers beside the acts that stand."""
        now = self.state.plies
        if isinstance(event, ev.Undone):
            self._again = self._numbers_of.get(self._last_set, [])[len(now) :]
            self._numbers = list(self._numbers_of.get(now, [0] * len(now)))
        elif isinstance(event, ev.Attributed):
            grown = len(now) - len(self._numbers)
            self._numbers[event.ply : event.ply] = [0] * grown
        elif isinstance(event, ev.Passed) and event.by_voice and self._again:
            self._numbers.append(0)  # put in before an act that is done again
        elif isinstance(event, ev.DominoLaid | ev.Passed):
            self._numbers.append(self._again.pop(0) if self._again else self._act)
        del self._numbers[len(now) :]
        self._numbers_of[now] = list(self._numbers)
        if now:
            self._last_set = now

    def _place(self, act: int) -> int:
        """Where an act stands in the set, or in the one just closed; beyond it where it does not stand any more."""
        numbers = self._numbers or self._numbers_of.get(self._last_set, [])
        return numbers.index(act) if act in numbers else len(numbers)

    def _commands(self, entry: en.Entry) -> Iterator[cmd.Command]:
        """The core's words for an entry."""
        now = self._now
        match entry:
            case en.Laid():
                yield cmd.LayDomino(now, entry.inner, entry.outer, entry.end, entry.seat)
            case en.Skipped():
                seat = self.state.turn if entry.seat is None else entry.seat
                yield cmd.Pass(now, Seat.S0 if seat is None else seat, entry.is_by_voice)
            case en.Shown():
                hands = tuple(() if hand is None else _hand(hand) for hand in entry.hands)
                yield cmd.Count(now, hands, entry.by)
            case en.Ruled():
                finding = self._finding(entry)
                decision = entry.decision or BY_THE_RULES.get(entry.kind, Decision.DISMISS)
                yield cmd.Rule(now, 0 if finding is None else finding.number, decision, entry.by, entry.is_chief)
            case en.Attributed():
                yield cmd.Attribute(now, self._place(entry.act), entry.seat, entry.by)
            case en.Corrected():
                yield cmd.Correct(now, self._place(entry.act), entry.inner, entry.outer, entry.by)
            case en.LeadDrawn():
                self._lead = Seat(entry.seat) if entry.seat in tuple(Seat) else None
                if self.state.lead is None and self._lead is None:
                    yield cmd.StartSet(now, None)  # refused, and told so
            case en.Restarted() if entry.is_chief and self._is_of_registered(entry):
                yield cmd.Replay(now, self._set_no, None, entry.reason, entry.by)
            case en.Note():
                pass
            case _:
                yield _COMMANDS[type(entry)](entry, now)

    def _finding(self, entry: en.Ruled) -> Finding | None:
        """The open finding that a ruling is about: of that kind, and of that act where one is named.

        Without an act it is about one that has no number, such as a pass that a correction has put in, or the newest.
        """
        of_kind = [f for f in self.state.open_findings if f.kind is entry.kind]
        if entry.act:
            return next((f for f in of_kind if f.set_no is None and f.ply == self._place(entry.act)), None)
        unnamed = [f for f in of_kind if f.ply < len(self._numbers) and self._numbers[f.ply] == 0]
        return next(iter(unnamed or reversed(of_kind)), None)

    def _note(self, event: ev.Event) -> None:
        """What a reader of the judgement wants to know."""
        match event:
            case ev.Refused():
                rule = PARAGRAPHS[event.reason]
                is_finding = event.reason is ev.Reason.NO_SUCH_FINDING
                waiting = ", ".join(f.kind.value for f in self.state.open_findings) or "none"
                hint = f" Open: {waiting}." if is_finding else ""
                self._tell("refused", f"{event.reason.value}: {event.text} (rules {rule}).{hint}")
            case ev.FindingRaised():
                self._kinds[event.finding] = event.kind
                self._tell(event.kind.value, " ".join((event.text, *event.repairs, *self._how_to_rule(event))))
            case ev.FindingRuled():
                who = "by the rules" if event.by_rule else event.by or "by the referee"
                self._tell("ruled", f"{self._kinds[event.finding].value} {event.decision.value}, {who}.")
            case ev.WarningGiven():
                name = "" if event.seat is None else f"{self.state.name_of(event.seat)} of "
                self._tell("warning", f"{name}pair {event.warned.value}, for {event.reason}.")
            case ev.TimeClaimed():
                word = "accepted" if event.reason is None else f"not accepted, {event.reason.value}"
                self._tell("time_claim", f"seat {int(event.seat)} against {int(event.thinker)}: {word}.")
            case ev.SetScored() | ev.SetRescored():
                self._tell("set", f"{event.by.value} {_points(event.points)}.")
            case ev.GameEnded():
                self._tell("game", f"{_points(event.points)}, {event.winner.value}.")
            case _:
                self._note_rarer(event)

    def _how_to_rule(self, event: ev.FindingRaised) -> Iterator[str]:
        """The words of the notation for a ruling: the acts of a record have numbers of their own."""
        numbers = self._numbers or self._numbers_of.get(self._last_set, [])
        number = numbers[event.ply] if event.ply < len(numbers) else 0
        if self.state.params.adjudication is Adjudication.REFEREE:
            yield f"The record rules on it with !rule {f'{number} ' if number else ''}{event.kind.value}."

    def _note_rarer(self, event: ev.Event) -> None:
        match event:
            case ev.TimeExceeded():
                self._tell("overtime", f"seat {int(event.seat)} has thought longer than it was given.")
            case ev.RedealGranted():
                self._tell("redeal", f"granted to seat {int(event.seat)}.")
            case ev.RedealDenied():
                self._tell("redeal", f"denied to seat {int(event.seat)}: {event.reason.value}.")
            case ev.RedealUnclaimed():
                self._tell(
                    "unclaimed_redeal", f"seat {int(event.seat)} could have claimed a redeal; the result stands."
                )
            case ev.SetAnnulled():
                self._tell("restart", f"the set is played again{f', {event.reason}' if event.reason else ''}.")
            case ev.PairExpelled():
                self._tell("expelled", f"pair {event.pair.value} is out of the competition.")
            case _:
                pass

    def _tell(self, kind: str, text: str) -> None:
        self.verdicts.append(Verdict(self._set_no, self._act, kind, text))


def _told_apart(names: tuple[str, str, str, str]) -> tuple[str, str, str, str]:
    """Four names that a ledger can keep apart: where they are missing or the same, the seats are named with them."""
    if all(names) and len(set(names)) == len(names):
        return names
    south, west, north, east = (f"{name} (seat {seat})".strip() for seat, name in enumerate(names))
    return (south, west, north, east)


def _needs_set(entry: en.Entry) -> bool:
    """Whether an entry of a set means nothing before the dominoes are dealt."""
    if isinstance(entry, en.ExposedTile):
        return not entry.in_last_set
    needing = en.Laid | en.Skipped | en.Paused | en.Resumed | en.TimeClaimed | en.RevealOrdered | en.Restarted
    return isinstance(entry, needing)


def _tile(halves: en.Halves) -> Tile:
    """A domino as it is written, were it none of the 28: the core says so."""
    return Tile(Suit(min(halves)), Suit(max(halves)))


def _hand(hand: en.Hand) -> tuple[Tile, ...]:
    return tuple(_tile(halves) for halves in hand)


def _points(points: tuple[float, float]) -> str:
    return f"{points[0]:g}:{points[1]:g}"


_COMMANDS: dict[type, Callable[[Any, MonoNs], cmd.Command]] = {
    en.CountWaived: lambda entry, now: cmd.ConfirmCount(now, entry.by),
    en.Warned: lambda entry, now: cmd.Warn(now, entry.seat, entry.reason, entry.by, entry.pair),
    en.Restarted: lambda entry, now: cmd.RestartSet(now, entry.reason or entry.word.value, entry.by, entry.is_chief),
    en.RevealOrdered: lambda entry, now: cmd.OrderReveal(now, entry.by),
    en.TimeClaimed: lambda entry, now: cmd.ClaimTime(now, entry.seat),
    en.RedealClaimed: lambda entry, now: cmd.ClaimRedeal(
        now, entry.seat, None if entry.hand is None else _hand(entry.hand)
    ),
    en.ExposedTile: lambda entry, now: cmd.Expose(now, entry.seat, _tile(entry.tile), entry.by, entry.in_last_set),
    en.TakenBackAct: lambda entry, now: cmd.Undo(now),
    en.DominoesDrawn: lambda entry, now: cmd.DrawLead(now, entry.drawn),
    en.Paused: lambda entry, now: cmd.Pause(now),
    en.Resumed: lambda entry, now: cmd.Resume(now),
    en.Called: lambda entry, now: cmd.CallReferee(now, entry.seat),
}
"""The command of an entry that needs nothing but its own words."""
