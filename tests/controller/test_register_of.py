"""The register that a game's events make: acts, results, and everything that was noted, put right or taken back."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from controller.game import events as ev
from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Reason, Winner
from controller.game.evolve import evolve_all
from controller.game.rulesets import Params, WonLockCount, fours, spots
from controller.game.state import Phase, State
from controller.game.tiles import ALL_TILES, End, MonoNs, Pair, Seat, Suit, Tile
from controller.register.cells import words_of
from controller.register.files import read_register_json, register_csv, register_json
from controller.register.fold import register_of
from controller.register.notes import sections
from controller.register.register import (
    ActEntry,
    AmendmentEntry,
    ClaimEntry,
    Consequence,
    CorrectionEntry,
    CorrectionKind,
    FineEntry,
    MisreadingEntry,
    OvertimeEntry,
    PassFact,
    RedealEntry,
    Register,
    ReplayEntry,
    UnclaimedEntry,
)
from controller.register.text import register_text
from controller.register.words import Language
from tests.controller.games import random_evening

NAMES = ("Ann", "Bob", "Cleo", "Dan")
AT = MonoNs(0)
MOVES = "61 12 26 66 63 34 46 65 50 06"
"""Ten moves, each laid at the right end: the last one shuts the line with a six at both ends."""
HANDS = tuple(
    tuple(Tile.of(int(word[0]), int(word[1])) for word in hand.split())
    for hand in ("00 10 20 30", "55 54 53 44 60", "11 31 41 22 40", "32 42 52 33 51 21 43")
)
"""Eighteen dominoes that do not lie, however many each hand would have: the fold believes what it is told."""


@dataclass
class Log:
    """A journal written by hand: what the core decided is said, not asked."""

    events: list[ev.Event] = field(default_factory=list)
    plies: int = 0

    def add(self, *events: ev.Event) -> Log:
        self.events += events
        return self

    def game(self, params: Params | None = None, *, competition: str = "", game: str = "G1") -> Log:
        return self.add(ev.GameStarted(AT, NAMES, Seat.S0, params or fours(), competition, game))

    def begin(self, set_no: int) -> Log:
        self.plies = 0
        return self.add(ev.SetStarted(AT, set_no, Seat((set_no - 1) % 4)))

    def lay(self, word: str, seat: int, *, think_ms: int = 1500, is_fitting: bool = True, end: str = "") -> Log:
        where = End(end or ("R" if self.plies else "first"))
        self.plies += 1
        halves = Suit(int(word[0])), Suit(int(word[1]))
        return self.add(ev.DominoLaid(AT, Seat(seat), *halves, where, is_fitting, 0.9, None, think_ms))

    def skip(self, seat: int, *, by_voice: bool = False, think_ms: int = 700) -> Log:
        self.plies += 1
        return self.add(ev.Passed(AT, Seat(seat), think_ms, by_voice))

    def score(self, a: float, b: float, by: Ending = Ending.OUT, spots: tuple[int, int] | None = None) -> Log:
        winner = Winner.A if a > b else Winner.B if b > a else Winner.DRAW
        return self.add(ev.SetScored(AT, by, winner, spots, (a, b)))

    def played(self, set_no: int, a: float, b: float) -> Log:
        """A whole set, going out, its first move alone written down."""
        return self.begin(set_no).lay("61", (set_no - 1) % 4).score(a, b)

    def raised(self, number: int, kind: FindingKind, seat: int | None, ply: int, **more: object) -> Log:
        who = None if seat is None else Seat(seat)
        return self.add(ev.FindingRaised(AT, number, kind, who, ply, "C6.1", "the proof", **more))  # type: ignore[arg-type]

    def ruled(self, number: int, decision: Decision, by: str = "Eva") -> Log:
        return self.add(ev.FindingRuled(AT, number, decision, by=by))

    def warned(self, seat: int, *, counts: bool = True, reason: str = "talk") -> Log:
        return self.add(ev.WarningGiven(AT, Seat(seat), reason, "Eva", by_referee=True, counts=counts))

    def undone(self) -> Log:
        return self.add(ev.Undone(AT))

    def register(self) -> Register:
        return register_of(self.events, table="3", date="2026-11-30")


def shut(log: Log) -> Log:
    """The ten moves that shut the line."""
    for place, word in enumerate(MOVES.split()):
        log.lay(word, place % 4)
    return log


# --- the sets ---


def test_register_of_no_game_is_refused() -> None:
    """Before a game is opened there is nothing to file."""
    with pytest.raises(ValueError, match="got none that opens one"):
        register_of((), table="3", date="")


def test_head_says_what_game_it_is() -> None:
    """Competition, game, table, date, players and rules are those the game was opened with."""
    register = Log().game(fours(think_seconds=20.0), competition="Cup", game="G7").register()
    head = (register.competition, register.game_id, register.table, register.date, register.names)
    assert head == ("Cup", "G7", "3", "2026-11-30", NAMES)
    assert register.params == fours(think_seconds=20.0)
    assert (register.sets, register.result, register.winner) == ((), None, None)


def test_acts_are_kept_with_seat_time_and_certainty() -> None:
    """Every move and pass stands with its seat, how long it took, how sure the eyes were, and whether it was wrong."""
    log = Log().game().begin(1).lay("64", 0, think_ms=4200).skip(1).skip(2, by_voice=True)
    log.lay("31", 3, end="L", is_fitting=False, think_ms=0)
    (entry,) = log.register().sets
    assert entry.acts == (
        ActEntry(1, Seat.S0, (6, 4, End.FIRST), False, 4200, 0.9, False),
        ActEntry(2, Seat.S1, None, False, 700, None, False),
        ActEntry(3, Seat.S2, None, True, 700, None, False),
        ActEntry(4, Seat.S3, (3, 1, End.L), False, None, 0.9, True),
    )
    assert (entry.moves, entry.passes) == (2, 2)
    assert (entry.ending, entry.points, entry.total, entry.hands) == (None, None, None, None)


def test_counted_deadlock_has_hands_spots_ends_and_who_recorded_it() -> None:
    """A counted set stands with the four hands, what each held, the open ends, mixers, and who entered it."""
    log = shut(Log().game().begin(1)).add(ev.Locked(AT, Suit(6)), ev.HandsCounted(AT, HANDS, "Eva"))
    (entry,) = log.score(1.0, 0.0, Ending.DEADLOCK, (30, 90)).register().sets
    assert {tile for hand in HANDS for tile in hand} <= ALL_TILES
    assert entry.spots == tuple(sum(tile.spots for tile in hand) for hand in HANDS)
    assert entry.hands is not None
    assert entry.hands[0] == ((0, 0), (1, 0), (2, 0), (3, 0))
    assert (entry.ends, entry.ending, entry.clause, entry.recorded_by) == ((6, 6), Ending.DEADLOCK, "", "Eva")
    assert entry.mixing is not None
    assert (entry.mixing.first, entry.mixing.second, entry.mixing.takes[-1]) == (Seat.S2, Seat.S0, Seat.S0)


@pytest.mark.parametrize(
    ("params", "by", "lone"),
    [
        (spots(), Ending.OUT, 10),
        (spots(), Ending.DEADLOCK, 10),
        (spots(lone_blank_in_lock=False), Ending.DEADLOCK, 0),
        (fours(), Ending.DEADLOCK, 0),
    ],
)
def test_lone_double_blank_counts_in_its_hand(params: Params, by: Ending, lone: int) -> None:
    """A double blank alone in a hand is worth what the rules of the game say, in the hand where it lay (R8)."""
    hands = (HANDS[1], (Tile.of(0, 0),), HANDS[2], HANDS[3])
    closing = ev.Locked(AT, Suit(6)) if by is Ending.DEADLOCK else ev.WentOut(AT, Seat.S0)
    log = shut(Log().game(params).begin(1)).add(closing, ev.HandsCounted(AT, hands))
    (entry,) = log.score(1.0, 0.0, by, (1, 1)).register().sets
    assert entry.spots is not None
    assert entry.spots[1] == lone
    assert (entry.mixing is None) == (params.rule_set.value == "spots")


def test_awarded_set_names_the_clause_of_its_text() -> None:
    """A set lost by a wrong pass stands with C6.1 in one text and with R11 in the other, and without spots."""
    for params, clause in ((fours(), "C6.1"), (spots(), "R11")):
        log = Log().game(params).begin(1).lay("61", 0).add(ev.HandsCounted(AT, HANDS))
        (entry,) = log.score(0.0, 10.0, Ending.WRONG_PASS).register().sets
        assert (entry.clause, entry.spots, entry.winner) == (clause, None, Winner.B)


def test_totals_run_from_set_to_set_and_extra_sets_are_marked() -> None:
    """Each line carries the sum so far; a set after the agreed ones is an extra one."""
    log = Log().game()
    for set_no, points in enumerate(((1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.5, 0.5), (0.0, 1.0)), start=1):
        log.played(set_no, *points)
    log.add(ev.GameEnded(AT, Winner.B, (2.0, 3.0)))
    register = log.register()
    assert [entry.total for entry in register.sets] == [(1, 0), (1.5, 0.5), (1.5, 1.5), (2, 2), (2, 3)]
    assert [entry.is_extra for entry in register.sets] == [False] * 4 + [True]
    assert (register.result, register.winner, register.ended_by) == ((2.0, 3.0), Winner.B, None)


def test_register_is_of_the_last_game() -> None:
    """When a second game is opened its register begins anew; taking that back brings the first one back."""
    log = Log().game().played(1, 1.0, 0.0).game(game="G2")
    assert (log.register().game_id, log.register().sets) == ("G2", ())
    log.undone()
    assert (log.register().game_id, log.register().total) == ("G1", (1.0, 0.0))


# --- taking back and putting right ---


def test_move_that_was_taken_back_is_noted_and_gone() -> None:
    """A move out of the record leaves its place to the next one, and the register says that it was taken back."""
    log = Log().game().begin(1).lay("64", 0, think_ms=10).lay("44", 1, think_ms=20).undone()
    log.plies = 1
    log.lay("42", 1, think_ms=30)
    register = log.register()
    assert [(act.domino, act.think_ms) for act in register.sets[0].acts] == [
        ((6, 4, End.FIRST), 10),
        ((4, 2, End.R), 30),
    ]
    assert register.corrections == (CorrectionEntry(1, CorrectionKind.MOVE_UNDONE, 2, Seat.S1, (4, 4), ""),)


def test_what_was_taken_back_stays_noted_when_more_is_taken_back() -> None:
    """Taking back two acts leaves two notes, in the order they were taken back."""
    log = Log().game().begin(1).lay("64", 0).skip(1).undone().undone()
    kinds = [(note.kind, note.act, note.seat) for note in log.register().corrections]
    assert kinds == [(CorrectionKind.PASS_UNDONE, 2, Seat.S1), (CorrectionKind.MOVE_UNDONE, 1, Seat.S0)]
    assert log.register().sets[0].acts == ()


def test_count_that_was_taken_back_takes_the_result_with_it() -> None:
    """When the count of a registered set is taken back the set is open again, its acts as they were."""
    log = shut(Log().game().begin(1)).add(ev.Locked(AT, Suit(6)), ev.HandsCounted(AT, HANDS, "Eva"))
    log.score(1.0, 0.0, Ending.DEADLOCK, (30, 90)).undone()
    (entry,) = log.register().sets
    assert (entry.ending, len(entry.acts), entry.recorded_by) == (None, 10, "")
    assert [note.kind for note in log.register().corrections] == [CorrectionKind.COUNT_UNDONE]


def test_warning_that_was_taken_back_is_no_warning() -> None:
    """A warning taken back is not among the warnings, and the note says whose it was."""
    register = Log().game().begin(1).warned(3).undone().register()
    assert register.warnings == ()
    assert [(note.kind, note.seat) for note in register.corrections] == [(CorrectionKind.WARNING_UNDONE, Seat.S3)]


def test_ruling_that_was_taken_back_is_named() -> None:
    """The note says what the ruling was, on what and against whom."""
    log = Log().game().begin(1).lay("64", 0).skip(1).raised(3, FindingKind.WRONG_PASS, 1, 1)
    register = log.ruled(3, Decision.DISMISS).undone().register()
    (note,) = register.corrections
    assert (note.kind, note.finding, note.decision) == (
        CorrectionKind.RULING_UNDONE,
        FindingKind.WRONG_PASS,
        Decision.DISMISS,
    )
    assert (note.set_no, note.seat, note.act, register.findings[0].decision) == (1, Seat.S1, 2, None)


def test_correction_that_was_taken_back_is_named() -> None:
    """Each note of a correction taken back is of the right one, though another thing was taken back between."""
    log = Log().game().begin(1).lay("64", 0).lay("44", 1).add(ev.Corrected(AT, 1, Suit(4), Suit(5), "Eva"))
    log.add(ev.TileExposed(AT, Seat.S2, Tile.of(5, 1), "Eva")).undone().add(ev.Paused(AT)).undone().undone()
    notes = [(note.kind, note.undone, note.act, note.seat, note.domino) for note in log.register().corrections]
    assert notes == [
        (CorrectionKind.CORRECTED, None, 2, Seat.S1, (4, 5)),
        (CorrectionKind.EXPOSED, None, None, Seat.S2, (5, 1)),
        (CorrectionKind.CORRECTION_UNDONE, CorrectionKind.EXPOSED, None, Seat.S2, (5, 1)),
        (CorrectionKind.CORRECTION_UNDONE, CorrectionKind.CORRECTED, 2, Seat.S1, (4, 5)),
    ]


@pytest.mark.parametrize(
    ("event", "kind", "seat"),
    [
        (ev.SetAnnulled(AT, by_referee=True, by="Eva"), CorrectionKind.REPLAY_UNDONE, None),
        (ev.TimeClaimed(AT, Seat.S2, Seat.S1, 21_000, None), CorrectionKind.CLAIM_UNDONE, Seat.S2),
        (ev.RedealDenied(AT, Seat.S1, Reason.TOO_LATE, HANDS[0]), CorrectionKind.REDEAL_UNDONE, Seat.S1),
        (ev.RedealGranted(AT, Seat.S1, HANDS[0]), CorrectionKind.REDEAL_UNDONE, Seat.S1),
        (ev.CountWaived(AT, "Dan"), CorrectionKind.CORRECTION_UNDONE, None),
        (ev.PassWithdrawn(AT, Seat.S1), CorrectionKind.CORRECTION_UNDONE, Seat.S1),
    ],
)
def test_order_or_claim_that_was_taken_back_is_named(event: ev.Event, kind: CorrectionKind, seat: Seat | None) -> None:
    """No note says only that something was taken back: it says what, and whose it was."""
    register = Log().game().begin(1).lay("64", 0).skip(1).add(event).undone().register()
    assert [(note.kind, note.seat) for note in register.corrections[-1:]] == [(kind, seat)]
    (said,) = (section for section in sections(register, words_of(Language.EN)) if section.heading.startswith("Corr"))
    assert len(said.notes) == len(register.corrections)


def test_pause_that_was_taken_back_is_nothing_to_file() -> None:
    """Only what touches play and result is noted."""
    assert Log().game().begin(1).add(ev.Paused(AT)).undone().register().corrections == ()


def test_move_of_another_seat_puts_in_the_passes_by_voice() -> None:
    """When the referee gives a move to a later seat, those between stand as passes by voice."""
    log = Log().game().begin(1).lay("64", 0, think_ms=10).lay("44", 1, think_ms=20).lay("42", 2, think_ms=30)
    log.add(ev.Attributed(AT, 1, Seat.S3, "Eva"))
    register = log.register()
    acts = [(act.seat, act.domino is None, act.is_by_voice, act.think_ms) for act in register.sets[0].acts]
    assert acts == [
        (Seat.S0, False, False, 10),
        (Seat.S1, True, True, None),
        (Seat.S2, True, True, None),
        (Seat.S3, False, False, 20),
        (Seat.S0, False, False, 30),
    ]
    assert register.corrections == (CorrectionEntry(1, CorrectionKind.ATTRIBUTED, 2, Seat.S3, None, "Eva"),)


def test_corrected_domino_is_the_referees_word() -> None:
    """A domino that the referee corrects stands without the reader's certainty, and the note says what it was."""
    log = Log().game().begin(1).lay("64", 0).lay("44", 1).add(ev.Corrected(AT, 1, Suit(4), Suit(5), "Eva"))
    register = log.register()
    act = register.sets[0].acts[1]
    assert (act.domino, act.confidence, act.is_wrong) == ((4, 5, End.R), None, False)
    assert register.corrections == (CorrectionEntry(1, CorrectionKind.CORRECTED, 2, Seat.S1, (4, 5), "Eva"),)


def test_finding_that_a_correction_made_void_is_not_filed() -> None:
    """Nobody is accused in the register of what was only misread: the corrected record finds anew what is still so."""
    log = Log().game().begin(1).lay("64", 0).lay("51", 1, is_fitting=False)
    log.raised(1, FindingKind.WRONG_DOMINO, 1, 1)
    assert len(log.register().findings) == 1
    assert log.add(ev.Corrected(AT, 1, Suit(4), Suit(5), "Eva")).register().findings == ()


def test_withdrawn_pass_is_noted() -> None:
    """A pass that its own player took back in time is out of the acts and in the notes (C6.1)."""
    register = Log().game().begin(1).lay("64", 0).skip(1).add(ev.PassWithdrawn(AT, Seat.S1)).register()
    assert len(register.sets[0].acts) == 1
    assert register.corrections == (CorrectionEntry(1, CorrectionKind.PASS_WITHDRAWN, 2, Seat.S1, None, ""),)


def test_orders_of_the_referee_are_noted() -> None:
    """A domino seen in a hand, hands laid open, and a set registered without a count stand with who said so."""
    log = Log().game().begin(1).lay("64", 0).add(ev.TileExposed(AT, Seat.S2, Tile.of(5, 1), "Eva"))
    log.add(ev.RevealOrdered(AT, "Eva"), ev.CountWaived(AT, "Dan")).score(1.0, 0.0)
    register = log.register()
    assert [(note.kind, note.domino, note.by) for note in register.corrections] == [
        (CorrectionKind.EXPOSED, (5, 1), "Eva"),
        (CorrectionKind.REVEAL_ORDERED, None, "Eva"),
        (CorrectionKind.COUNT_WAIVED, None, "Dan"),
    ]
    assert register.recorders == ("Dan",)


# --- findings ---


def test_wrong_domino_that_goes_back_leaves_finding_and_warning() -> None:
    """Found at once it goes back: the act is gone, the finding is decided by name, the warning stands (C7.1)."""
    log = Log().game().begin(1).lay("64", 0).lay("51", 1, is_fitting=False)
    log.raised(1, FindingKind.WRONG_DOMINO, 1, 1).ruled(1, Decision.CONTINUE)
    log.add(ev.WarningGiven(AT, Seat.S1, "exposure", "Eva", counts=False))
    log.plies = 1
    register = log.lay("45", 1, think_ms=99).register()
    assert [act.think_ms for act in register.sets[0].acts] == [1500, 99]
    (found,) = register.findings
    assert (found.decision, found.by, found.is_by_rule, found.dominoes) == (Decision.CONTINUE, "Eva", False, ((5, 1),))
    assert [(w.in_game, w.consequence) for w in register.warnings] == [(None, Consequence.NONE)]


def test_wrong_pass_stands_with_its_proof_and_who_confirmed_it() -> None:
    """The pass that is proven wrong is marked, and the finding names the open suits and the domino in the hand."""
    log = Log().game().begin(1).lay("64", 0).skip(1).lay("42", 2).lay("22", 3).skip(0).lay("62", 1, end="L")
    log.raised(4, FindingKind.WRONG_PASS, 1, 1, proven_by=ProvenBy.PLAY, passes=(1,), repairs=("another",))
    log.ruled(4, Decision.CONFIRM).score(1.0, 0.0, Ending.WRONG_PASS)
    register = log.register()
    assert [act.is_wrong for act in register.sets[0].acts] == [False, True, False, False, False, False]
    (found,) = register.findings
    assert (found.number, found.set_no, found.act, found.pair) == (4, 1, 2, Pair.B)
    assert (found.passes, found.dominoes) == ((PassFact(2, Seat.S1, (6, 4)),), ((6, 2),))
    assert (found.proof, found.repairs, found.decision, found.by) == (
        "the proof",
        ("another",),
        Decision.CONFIRM,
        "Eva",
    )


def test_seat_proven_by_counting_marks_no_single_pass() -> None:
    """Where only the player is proven, none of his passes is called the wrong one."""
    log = Log().game().begin(1).lay("64", 0).skip(1).lay("42", 2).lay("22", 3).lay("26", 0).skip(1)
    log.raised(1, FindingKind.WRONG_PASS, 1, 1, proven_by=ProvenBy.COUNTING, passes=(1, 5))
    log.add(ev.FindingRuled(AT, 1, Decision.CONFIRM, by_rule=True)).score(1.0, 0.0, Ending.WRONG_PASS)
    register = log.register()
    assert not any(act.is_wrong for act in register.sets[0].acts)
    (found,) = register.findings
    assert found.is_by_rule
    assert [fact.act for fact in found.passes] == [2, 6]
    assert found.dominoes == ()


@pytest.mark.parametrize("kind", [FindingKind.OVERTIME, FindingKind.EXPOSED_HAND, FindingKind.OUT_OF_TURN])
def test_finding_about_an_act_that_is_not_made_yet_is_filed(kind: FindingKind) -> None:
    """Long thinking, a hand laid open and a domino out of turn belong to the act that is to come."""
    (found,) = Log().game().begin(1).lay("64", 0).raised(1, kind, 1, 1).register().findings
    assert (found.kind, found.act, found.passes, found.dominoes) == (kind, 2, (), ())
    assert (found.refused, found.claimant, found.elapsed_ms) == (None, None, None)


def test_domino_out_of_turn_stands_in_its_finding() -> None:
    """What was laid by the wrong player is in no act, so the finding itself says which domino it was."""
    lay = (Suit(4), Suit(5), End.R)
    log = Log().game().begin(1).lay("64", 0).raised(1, FindingKind.OUT_OF_TURN, 3, 1, lay=lay)
    (found,) = log.register().findings
    assert (found.seat, found.passes, found.dominoes) == (Seat.S3, (), ((5, 4),))


@pytest.mark.parametrize("reason", [Reason.CONDITION_NOT_MET, Reason.TOO_LATE])
def test_hand_laid_open_for_nothing_stands_in_its_finding(reason: Reason) -> None:
    """The finding has the seven dominoes that everybody has seen, and why they earn no redeal."""
    hand = tuple(Tile.of(n, 6) for n in range(7))
    log = Log().game().begin(1).add(ev.RedealDenied(AT, Seat.S1, reason, hand))
    (found,) = log.raised(1, FindingKind.EXPOSED_HAND, 1, 0).register().findings
    assert (found.dominoes, found.refused) == (tuple((6, n) for n in range(7)), reason)


def test_long_thinking_stands_in_its_finding_with_who_pointed_at_it() -> None:
    """The finding has the claimant and the time as it was then; claims before and after it do not count."""
    log = Log().game().begin(1).lay("64", 0).add(ev.TimeClaimed(AT, Seat.S2, Seat.S1, 12_000, Reason.WITHIN_LIMIT))
    log.add(ev.TimeClaimed(AT, Seat.S0, Seat.S1, 15_300, None)).raised(1, FindingKind.OVERTIME, 1, 1)
    log.add(ev.TimeClaimed(AT, Seat.S2, Seat.S1, 40_000, None))
    (found,) = log.register().findings
    assert (found.claimant, found.elapsed_ms) == (Seat.S0, 15_300)


def test_misreadings_are_filed_as_facts() -> None:
    """Acts are counted from 1, dominoes are written as in every act, seats that only spoke stand in their order."""
    misread = (
        ev.Misreading(4, Tile.of(2, 6), Tile.of(6, 1), ()),
        ev.Misreading(5, None, None, (Seat.S3, Seat.S0)),
    )
    log = Log().game().begin(1).lay("64", 0).skip(1).lay("42", 2).lay("22", 3).lay("26", 0).lay("61", 1)
    log.raised(1, FindingKind.WRONG_PASS, 1, 1, passes=(1,), repairs=("one", "two"), misreadings=misread)
    (found,) = log.register().findings
    assert found.misreadings == (
        MisreadingEntry(5, (6, 2), (6, 1), ()),
        MisreadingEntry(6, None, None, (Seat.S3, Seat.S0)),
    )
    assert found.repairs == ("one", "two")


def test_domino_that_was_laid_before_the_pass_proves_nothing_of_it() -> None:
    """The five-three was seen and laid before the pass: only the six-five, laid later, speaks against it."""
    log = Log().game().begin(1).lay("54", 0).add(ev.TileExposed(AT, Seat.S1, Tile.of(5, 3), "Eva"))
    log.lay("53", 1, end="L").lay("32", 2, end="L").lay("25", 3, end="L").lay("42", 0).skip(1)
    log.lay("21", 2).lay("11", 3).lay("10", 0).lay("56", 1, end="L")
    log.raised(1, FindingKind.WRONG_PASS, 1, 5, proven_by=ProvenBy.PLAY, passes=(5,))
    (found,) = log.register().findings
    assert found.passes == (PassFact(6, Seat.S1, (5, 2)),)
    assert found.dominoes == ((6, 5),)


def test_first_seats_wrong_pass_is_marked_too() -> None:
    """Seat 0 is a seat like the others."""
    log = Log().game().begin(1).lay("64", 0).lay("42", 1).lay("22", 2).lay("21", 3).skip(0)
    log.raised(1, FindingKind.WRONG_PASS, 0, 4, proven_by=ProvenBy.EXPOSURE, passes=(4,)).ruled(1, Decision.CONFIRM)
    assert log.score(0.0, 1.0, Ending.WRONG_PASS).register().sets[0].acts[4].is_wrong


def test_wrong_pass_found_after_the_set_changes_its_result() -> None:
    """A wrong pass found in the set registered last gives it to the rivals, and what it was before stands too."""
    log = Log().game().begin(1).lay("64", 0).skip(1).score(0.0, 1.0)
    log.add(ev.TileExposed(AT, Seat.S1, Tile.of(6, 2), "Eva", in_last_set=True))
    log.raised(1, FindingKind.WRONG_PASS, 1, 1, proven_by=ProvenBy.EXPOSURE, passes=(1,), set_no=1)
    log.ruled(1, Decision.CONFIRM)
    log.add(ev.SetRescored(AT, 1, Ending.WRONG_PASS, Winner.A, (1.0, 0.0)))
    register = log.played(2, 1.0, 0.0).register()
    first = register.sets[0]
    assert (first.points, first.ending, first.clause, first.acts[1].is_wrong) == (
        (1.0, 0.0),
        Ending.WRONG_PASS,
        "C6.1",
        True,
    )
    assert [entry.total for entry in register.sets] == [(1.0, 0.0), (2.0, 0.0)]
    assert register.amendments == (AmendmentEntry(1, Ending.OUT, (0.0, 1.0), Ending.WRONG_PASS, (1.0, 0.0), "C6.1"),)
    assert (register.findings[0].set_no, register.findings[0].dominoes) == (1, ((6, 2),))
    assert register.corrections[0].set_no == 1


def test_open_finding_lapses_with_its_set() -> None:
    """What nobody decided on is open while its set is in progress, and lapsed once that is registered."""
    log = Log().game().begin(1).lay("64", 0).skip(1).raised(1, FindingKind.INCONSISTENT_PASSES, None, 1)
    register = log.register()
    assert (register.findings[0].is_lapsed, register.is_open(register.findings[0])) == (False, True)
    register = log.score(1.0, 0.0).register()
    assert (register.findings[0].is_lapsed, register.is_open(register.findings[0])) == (True, False)


def test_open_finding_lapses_when_its_set_is_played_again() -> None:
    """The new deal has the number of the old one, but nobody can rule on what was found in that; it stays filed."""
    log = Log().game().begin(1).lay("64", 0).lay("51", 1, is_fitting=False).raised(1, FindingKind.WRONG_DOMINO, 1, 1)
    log.add(ev.SetAnnulled(AT, by_referee=True)).begin(1)
    assert [f.is_lapsed for f in log.register().findings] == [True]
    log.lay("64", 0).lay("51", 1, is_fitting=False).raised(2, FindingKind.WRONG_DOMINO, 1, 1)
    assert [(f.number, f.is_lapsed) for f in log.register().findings] == [(1, True), (2, False)]
    log.add(ev.Corrected(AT, 1, Suit(4), Suit(5), "Eva"))
    assert [(f.number, f.is_lapsed) for f in log.register().findings] == [(1, True)]


def test_long_thinking_of_the_last_set_is_open_until_the_next_one_has_an_act() -> None:
    """The referee may still warn for it between the sets, and no more when the next set is under way."""
    log = Log().game().begin(1).lay("64", 0).raised(1, FindingKind.OVERTIME, 1, 1).score(1.0, 0.0)
    assert [f.is_lapsed for f in log.register().findings] == [False]
    log.begin(2)
    assert [f.is_lapsed for f in log.register().findings] == [False]
    log.lay("64", 1)
    assert [f.is_lapsed for f in log.register().findings] == [True]
    log.undone()
    assert [f.is_lapsed for f in log.register().findings] == [False]


def test_open_finding_lapses_with_the_game() -> None:
    """When the game is over nothing in its register waits for a decision."""
    log = Log().game().begin(1).lay("64", 0).raised(1, FindingKind.OVERTIME, 1, 1).score(1.0, 0.0)
    register = log.add(ev.GameEnded(AT, Winner.A, (1.0, 0.0))).register()
    assert [f.is_lapsed for f in register.findings] == [True]
    assert not any(map(register.is_open, register.findings))


# --- warnings ---


def test_warnings_are_numbered_by_pair_and_say_what_they_cost() -> None:
    """Ordinals run by pair; the second costs the set, the third the game (C8.2, C8.3)."""
    log = Log().game().begin(1).lay("64", 0).warned(1).warned(0).warned(3)
    log.score(1.0, 0.0, Ending.SECOND_WARNING).begin(2).lay("64", 1).warned(1)
    log.add(ev.GameEnded(AT, Winner.A, (2.5, 0.0), Ending.THIRD_WARNING))
    register = log.register()
    assert [(w.pair, w.in_game, w.in_competition, w.consequence) for w in register.warnings] == [
        (Pair.B, 1, None, Consequence.NONE),
        (Pair.A, 1, None, Consequence.NONE),
        (Pair.B, 2, None, Consequence.SET_LOST),
        (Pair.B, 3, None, Consequence.GAME_LOST),
    ]
    assert (register.result, register.total, register.ended_by) == ((2.5, 0.0), (1.0, 0.0), Ending.THIRD_WARNING)
    assert [(entry.ending, len(entry.acts)) for entry in register.sets] == [(Ending.SECOND_WARNING, 1), (None, 1)]


def test_warnings_of_the_competition_are_counted_on_and_expel() -> None:
    """The ordinal in the competition goes on from game to game; the fourth expels the pair (C8.4)."""
    log = Log().game(competition="Cup").begin(1).lay("64", 0).warned(1).warned(3)
    log.score(1.0, 0.0, Ending.SECOND_WARNING).add(ev.GameEnded(AT, Winner.A, (1.0, 0.0)))
    log.game(competition="Cup", game="G2").warned(1).warned(1)
    log.add(ev.PairExpelled(AT, Pair.B), ev.GameEnded(AT, Winner.A, (2.5, 0.0), Ending.FOURTH_WARNING))
    register = log.register()
    assert [(w.in_game, w.in_competition, w.consequence) for w in register.warnings] == [
        (1, 3, Consequence.NONE),
        (2, 4, Consequence.EXPELLED),
    ]
    assert register.expelled == (Pair.B,)


def test_warnings_of_spots_say_their_fines() -> None:
    """In `spots` the second and third are fined, the fourth costs the set 40:0, the fifth the place (R10)."""
    log = Log().game(spots(), competition="Cup").begin(1).lay("64", 0).warned(1).warned(3).warned(1).warned(1)
    log.score(40.0, 0.0, Ending.FOURTH_WARNING).warned(3)
    log.add(ev.PairExpelled(AT, Pair.B)).score(40.0, 0.0, Ending.REMOVED)
    log.add(ev.GameEnded(AT, Winner.A, (80.0, 0.0), Ending.REMOVED))
    register = log.register()
    assert [(w.in_competition, w.consequence) for w in register.warnings] == [
        (1, Consequence.NONE),
        (2, Consequence.FINE_10),
        (3, Consequence.FINE_20),
        (4, Consequence.SET_40_0),
        (5, Consequence.REMOVED),
    ]
    assert [entry.clause for entry in register.sets] == ["R10", "R10"]
    assert register.warnings[-1].set_no == 2


@pytest.mark.parametrize(
    ("more", "warned", "fines"),
    [
        ({}, (1,), ()),
        ({}, (1, 1), (FineEntry(Pair.B, 10, None),)),
        ({}, (1, 1, 3), (FineEntry(Pair.B, 20, None),)),
        ({"fines_stack": True}, (1, 1, 3), (FineEntry(Pair.B, 30, None),)),
        ({}, (0, 0, 2), (FineEntry(Pair.A, 20, 40),)),
        ({}, (0, 0, 1, 1), (FineEntry(Pair.A, 10, None), FineEntry(Pair.B, 10, None))),
        ({"won_lock_count": WonLockCount.LITERAL}, (0, 0), (FineEntry(Pair.A, 10, 20),)),
        ({}, (0, 0), (FineEntry(Pair.A, 10, None),)),
        ({"won_lock_count": WonLockCount.ADDITIVE}, (0, 0), (FineEntry(Pair.A, 10, None),)),
    ],
)
def test_fine_stands_with_the_set_whose_points_it_went_into(
    more: dict[str, Any], warned: tuple[int, ...], fines: tuple[FineEntry, ...]
) -> None:
    """The second and third warning of a pair are in the points of their set, as its regulations have it (R10)."""
    params = spots(**more)
    log = shut(Log().game(params).begin(1)).add(ev.Locked(AT, Suit(6)))
    for seat in warned:
        log.warned(seat)
    log.add(ev.HandsCounted(AT, HANDS)).score(56.0, 0.0, Ending.DEADLOCK, (25, 81))
    (entry,) = log.register().sets
    assert entry.fines == fines


def test_fine_of_another_set_or_of_a_set_lost_by_warning_is_in_no_points() -> None:
    """A fine goes into its own set only, and a set lost 40:0 has none beside (R10.2)."""
    log = Log().game(spots()).begin(1).lay("61", 0).warned(1).warned(1).score(0.0, 20.0, Ending.WRONG_PASS)
    log.begin(2).lay("61", 1).score(0.0, 10.0, Ending.WRONG_PASS)
    log.begin(3).lay("61", 2).warned(1).warned(1).score(40.0, 0.0, Ending.FOURTH_WARNING)
    assert [entry.fines for entry in log.register().sets] == [(FineEntry(Pair.B, 10, None),), (), ()]


def test_fined_pair_that_goes_out_counts_the_flat_amount() -> None:
    """After the second warning it counts 20 and after the third 40 instead of nothing (R10.3)."""
    log = Log().game(spots()).begin(1)
    for place, word in enumerate(("00", "01", "11", "12", "22", "23", "33")):
        log.lay(word, 0) if place == 0 else log.skip(1).skip(2).skip(3).lay(word, 0)
    log.add(ev.WentOut(AT, Seat.S0)).warned(0).warned(2).score(100.0, 0.0)
    (entry,) = log.register().sets
    assert entry.fines == (FineEntry(Pair.A, 10, 20),)


def test_points_of_evenings_of_spots_are_explained_by_spots_and_fines() -> None:
    """Whatever happens, a set that was played out has the points that its spots and the fines named with it make."""
    fined = 0
    for seed in range(5, 40):
        table = random_evening(seed, params=spots(), is_checked=False)
        if table.state.phase is Phase.IDLE:  # the game itself was taken back
            continue
        for entry in register_of(table.happened, table="3", date="").sets:
            if entry.spots is None or entry.ending not in (Ending.OUT, Ending.DEADLOCK):
                continue
            out = entry.acts[-1].seat.pair if entry.ending is Ending.OUT else None
            totals = []
            for pair in Pair:
                fine = next((f for f in entry.fines if f.pair is pair), FineEntry(pair, 0, None))
                held = 0 if pair is out else entry.spots[pair.index] + entry.spots[pair.index + 2]
                totals.append(held + fine.points if fine.counts is None else fine.counts)
            fined += bool(entry.fines)
            a, b = totals
            assert entry.points == ((b - a, 0) if a <= b else (0, a - b))
    assert fined > 0


# --- time, redeals, sets played again ---


def test_overtime_has_its_whole_length_once_the_act_is_made() -> None:
    """Long thinking is noted when the time is up, and with all it took once the seat has acted (C5.5)."""
    log = Log().game().begin(1).lay("64", 0).add(ev.TimeExceeded(AT, Seat.S1))
    assert log.register().overtimes == (OvertimeEntry(1, 2, Seat.S1, None),)
    assert log.lay("44", 1, think_ms=21_000).register().overtimes == (OvertimeEntry(1, 2, Seat.S1, 21_000),)


def test_overtime_of_a_deal_that_was_annulled_has_no_time_of_the_next() -> None:
    """Who never moved before the set was played again keeps no time; the second deal's act has its own (C5.5)."""
    log = Log().game().begin(1).add(ev.TimeExceeded(AT, Seat.S0))
    assert log.register().overtimes == (OvertimeEntry(1, 1, Seat.S0, None),)
    log.add(ev.SetAnnulled(AT, by_referee=True, reason="a cup fell"))
    unmade = OvertimeEntry(1, 1, Seat.S0, None, is_unmade=True)
    assert log.register().overtimes == (unmade,)
    log.begin(1)
    assert log.register().overtimes == (unmade,)
    log.add(ev.TimeExceeded(AT, Seat.S0)).lay("61", 0, think_ms=19_100)
    assert log.register().overtimes == (unmade, OvertimeEntry(1, 1, Seat.S0, 19_100))


def test_overtime_whose_act_was_in_time_the_second_time_is_not_filled() -> None:
    """An act of the same seat and number that was quick says nothing of the slow one before the deal was annulled."""
    log = Log().game().begin(1).add(ev.TimeExceeded(AT, Seat.S0), ev.SetAnnulled(AT, reason="equal_lock"))
    register = log.begin(1).lay("61", 0, think_ms=1_500).register()
    assert register.overtimes == (OvertimeEntry(1, 1, Seat.S0, None, is_unmade=True),)


def test_overtime_without_an_act_is_unmade_once_the_set_is_over() -> None:
    """A set that a warning costs in the middle of long thinking leaves an overtime without a move."""
    log = Log().game().begin(1).lay("61", 0).add(ev.TimeExceeded(AT, Seat.S1)).warned(1)
    log.score(1.0, 0.0, Ending.SECOND_WARNING)
    assert log.register().overtimes == (OvertimeEntry(1, 2, Seat.S1, None, is_unmade=True),)


def test_overtime_that_nobody_measured_was_made_all_the_same() -> None:
    """An act without a measured time does not count as never made."""
    log = Log().game().begin(1).add(ev.TimeExceeded(AT, Seat.S0)).lay("61", 0, think_ms=0)
    assert log.register().overtimes == (OvertimeEntry(1, 1, Seat.S0, None),)


def test_time_claims_are_kept_accepted_or_not() -> None:
    """Who pointed at whom, after how long, and why it was not accepted; while he thinks, or just after (C5.6)."""
    log = Log().game().begin(1).lay("64", 0).add(ev.TimeClaimed(AT, Seat.S0, Seat.S1, 12_000, Reason.WITHIN_LIMIT))
    log.lay("44", 1).add(ev.TimeClaimed(AT, Seat.S2, Seat.S1, 21_000, None))
    assert log.register().claims == (
        ClaimEntry(1, 2, Seat.S0, Seat.S1, 12_000, Reason.WITHIN_LIMIT),
        ClaimEntry(1, 2, Seat.S2, Seat.S1, 21_000, None),
    )


def test_redeals_are_kept_with_the_hand() -> None:
    """A redeal granted, one denied, and one that nobody claimed stand in the register (C2.2)."""
    hand = tuple(Tile.of(n, n) for n in range(7))
    log = Log().game().begin(1).add(ev.RedealClaimed(AT, Seat.S2), ev.RedealGranted(AT, Seat.S2, hand))
    log.begin(1).add(ev.RedealDenied(AT, Seat.S1, Reason.CONDITION_NOT_MET, hand)).lay("64", 0)
    log.add(ev.HandsCounted(AT, HANDS), ev.RedealUnclaimed(AT, Seat.S3)).score(1.0, 0.0)
    register = log.register()
    doubles = tuple((n, n) for n in range(7))
    assert register.redeals == (
        RedealEntry(1, Seat.S2, doubles, None),
        RedealEntry(1, Seat.S1, doubles, Reason.CONDITION_NOT_MET),
    )
    assert register.unclaimed == (UnclaimedEntry(1, Seat.S3),)
    assert len(register.sets[0].acts) == 1


def test_set_played_again_leaves_who_ordered_it_and_why() -> None:
    """Nothing is registered of a set that is played again but the order itself; its acts begin anew (C7.3, R10.5)."""
    log = Log().game().begin(1).lay("64", 0).skip(1)
    log.add(ev.SetAnnulled(AT, by_referee=True, reason="a cup fell", by="Nina", is_chief=True))
    log.begin(1).lay("55", 0).add(ev.SetAnnulled(AT, reason="equal_lock"))
    log.begin(1).lay("44", 0).add(ev.SetAnnulled(AT, reason="wrong_domino", by="Eva")).played(1, 1.0, 0.0)
    register = log.register()
    assert register.replays == (
        ReplayEntry(1, "a cup fell", False, True, "Nina"),
        ReplayEntry(1, "equal_lock", True, False, ""),
        ReplayEntry(1, "wrong_domino", False, False, "Eva"),
    )
    assert [act.domino for act in register.sets[0].acts] == [(6, 1, End.FIRST)]
    assert register.total == (1.0, 0.0)


def test_set_lost_before_its_lead_was_drawn_has_no_leader() -> None:
    """A set that a warning costs before anybody was to lead it stands without leader and mixers."""
    log = Log().game().warned(1)
    for set_no in range(1, 5):
        log.played(set_no, 0.5, 0.5)
    log.warned(1).score(1.0, 0.0, Ending.SECOND_WARNING)
    entry = log.register().sets[-1]
    assert (entry.set_no, entry.lead, entry.mixing, entry.acts, entry.ends) == (5, None, None, (), None)


# --- whole games, through the core ---


def assert_register_is_of(register: Register, state: State) -> None:
    """The register says what the state says, set by set."""
    assert [entry.set_no for entry in register.sets[: len(state.results)]] == [r.set_no for r in state.results]
    for entry, result in zip(register.sets, state.results, strict=False):
        said = (entry.ending, entry.winner, entry.points, entry.lead, entry.moves, entry.passes)
        assert said == (result.by, result.winner, result.points, result.lead, result.moves, result.passes)
        pairs = None if entry.spots is None else (entry.spots[0] + entry.spots[2], entry.spots[1] + entry.spots[3])
        assert pairs == result.spots
    assert register.total == (sum(r.points[0] for r in state.results), sum(r.points[1] for r in state.results))
    assert (register.winner, register.expelled) == (state.winner, state.expelled)
    assert register.result == (state.points if state.phase is Phase.GAME_OVER else None)
    given = [(w.set_no, w.seat, w.reason) for w in register.warnings]
    assert given == [(w.set_no, w.seat, w.reason) for w in state.warnings]
    is_running = state.phase in (Phase.PLAY, Phase.COUNT)
    if is_running:
        assert [act.seat for act in register.sets[-1].acts] == [ply.seat for ply in state.plies]
    open_now = {finding.number for finding in state.open_findings}
    assert open_now <= {finding.number for finding in register.findings if finding.decision is None}


@pytest.mark.parametrize("seed", range(5, 12))
@pytest.mark.parametrize("params", [fours(), spots()], ids=["fours", "spots"])
def test_register_of_a_whole_evening_is_what_the_core_knows(params: Params, seed: int) -> None:
    """Whatever happens in a game, at any moment its register holds what the core holds, and all its forms agree."""
    table = random_evening(seed, params=params, is_checked=False)
    assert table.state.phase is Phase.GAME_OVER
    assert_register_is_of(register_of(table.happened, table="3", date=""), table.state)
    for length in random.Random(seed).sample(range(1, len(table.happened)), 5):
        happened = table.happened[:length]
        register = register_of(happened, table="3", date="")
        assert_register_is_of(register, evolve_all(State(), happened))
        assert read_register_json(register_json(register)) == register
        assert register_text(register)
        assert register_csv(register)


def test_register_of_a_game_with_accidents_notes_them() -> None:
    """Evenings with wrong dominoes, wrong passes and things taken back leave findings, warnings and corrections."""
    registers = [
        register_of(random_evening(seed, is_checked=False).happened, table="3", date="") for seed in range(5, 9)
    ]
    assert all(register.findings for register in registers)
    assert any(register.warnings for register in registers)
    assert any(register.corrections for register in registers)
    assert all(sections(register, words_of(language)) for register in registers for language in Language)
