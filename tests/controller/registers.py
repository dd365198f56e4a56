"""Registers made by hand for the tests of their forms: a short one, a long one with everything in it, random ones."""

from __future__ import annotations

import random
from dataclasses import replace

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Reason, Winner
from controller.game.rulesets import Params, Scoring, WrongDominoAlert, fours, spots
from controller.game.tiles import End, Pair, Seat
from controller.register.register import (
    ActEntry,
    AmendmentEntry,
    ClaimEntry,
    Consequence,
    CorrectionEntry,
    CorrectionKind,
    FindingEntry,
    Hand,
    MisreadingEntry,
    MixingEntry,
    OvertimeEntry,
    PassFact,
    RedealEntry,
    Register,
    ReplayEntry,
    SetEntry,
    UnclaimedEntry,
    WarningEntry,
)
from controller.register.sets import with_totals

ACTS = (
    ActEntry(1, Seat.S0, (6, 4, End.FIRST), False, 4200, 0.98, False),
    ActEntry(2, Seat.S1, (4, 4, End.R), False, 3100, 0.91, False),
    ActEntry(3, Seat.S2, None, True, None, None, True),
    ActEntry(4, Seat.S3, (3, 1, End.L), False, 15400, None, True),
)
HANDS = (((6, 6), (2, 0)), ((5, 3),), ((2, 1), (0, 0)), ((5, 5), (5, 4)))


def a_set(
    set_no: int, points: tuple[float, float] | None, *, ending: Ending = Ending.OUT, extra: bool = False
) -> SetEntry:
    """A set with that result; where points are None it is in progress."""
    lead = Seat((set_no - 1) % 4)
    winner = None
    if points is not None:
        winner = Winner.DRAW if points[0] == points[1] else Winner.A if points[0] > points[1] else Winner.B
    is_counted = ending in (Ending.OUT, Ending.DEADLOCK) and points is not None
    return SetEntry(
        set_no=set_no,
        is_extra=extra,
        lead=lead,
        mixing=MixingEntry(Seat((lead + 2) % 4), lead, (lead.next, Seat((lead + 2) % 4), Seat((lead + 3) % 4), lead)),
        acts=ACTS,
        ending=None if points is None else ending,
        clause="C6.1" if points is not None and ending is Ending.WRONG_PASS else "",
        ends=(6, 3),
        spots=(14, 8, 3, 19) if is_counted else None,
        hands=HANDS if is_counted else None,
        winner=winner,
        points=points,
        total=None,
        recorded_by="Ann",
    )


def register_with(
    sets: tuple[SetEntry, ...], *, params: Params, names: tuple[str, str, str, str] = ("Ann", "Bob", "Cleo", "Dan")
) -> Register:
    """A register with these sets, over if all agreed ones are in it, and nothing noted."""
    counted = with_totals(sets)
    done = [entry.total for entry in counted if entry.total is not None]
    is_over = len(done) >= params.sets_in_game and len(done) == len(sets)
    a, b = done[-1] if done else (0.0, 0.0)
    winner = Winner.DRAW if a == b else Winner.A if a > b else Winner.B
    return Register(
        competition="Winter cup",
        table="3",
        game_id="G-12",
        date="2026-11-30 18:05 UTC",
        params=params,
        names=names,
        sets=counted,
        result=(a, b) if is_over else None,
        winner=winner if is_over else None,
        ended_by=None,
        expelled=(),
        warnings=(),
        findings=(),
        claims=(),
        overtimes=(),
        redeals=(),
        unclaimed=(),
        replays=(),
        corrections=(),
        amendments=(),
    )


def short_register() -> Register:
    """Four sets of `fours`: a deadlock won, one shared, a set lost by a wrong pass, one won by going out."""
    return register_with(
        (
            a_set(1, (1.0, 0.0), ending=Ending.DEADLOCK),
            a_set(2, (0.5, 0.5), ending=Ending.DEADLOCK),
            a_set(3, (1.0, 0.0), ending=Ending.WRONG_PASS),
            a_set(4, (0.0, 1.0)),
        ),
        params=fours(),
    )


def spots_register() -> Register:
    """Four sets of `spots`, one of them a drawn deadlock."""
    results = ((27.0, 0.0), (0.0, 112.0), (0.0, 0.0), (0.0, 10.0))
    endings = (Ending.OUT, Ending.OUT, Ending.DEADLOCK, Ending.WRONG_PASS)
    sets = tuple(
        replace(a_set(place, points, ending=ending), mixing=None, clause="R11" if ending is Ending.WRONG_PASS else "")
        for place, (points, ending) in enumerate(zip(results, endings, strict=True), start=1)
    )
    return register_with(sets, params=spots())


NO_REDEAL = ((6, 5), (5, 5), (4, 4), (3, 3), (1, 0), (2, 1), (6, 1))
"""A hand with three doubles."""
DOMINOES: dict[FindingKind, Hand] = {
    FindingKind.WRONG_DOMINO: ((5, 2),),
    FindingKind.WRONG_PASS: ((5, 2),),
    FindingKind.INCONSISTENT_PASSES: (),
    FindingKind.OUT_OF_TURN: ((6, 3),),
    FindingKind.EXPOSED_HAND: NO_REDEAL,
    FindingKind.OVERTIME: (),
}
"""What speaks against the player in a finding of each kind."""


def finding(number: int, set_no: int, kind: FindingKind, decision: Decision | None, proof: str) -> FindingEntry:
    """A finding against the player of seat 1."""
    return FindingEntry(
        number=number,
        set_no=set_no,
        kind=kind,
        seat=Seat.S1,
        pair=Pair.B,
        act=9 + number,
        clause="C6.1",
        proven_by=ProvenBy.PLAY if kind is FindingKind.WRONG_PASS else None,
        passes=(PassFact(9 + number, Seat.S1, (5, 3)),) if kind is FindingKind.WRONG_PASS else (),
        dominoes=DOMINOES[kind],
        proof=proof,
        repairs=(),
        decision=decision,
        is_by_rule=False,
        by="V. Sergeev" if decision else "",
        refused=Reason.CONDITION_NOT_MET if kind is FindingKind.EXPOSED_HAND else None,
        claimant=Seat.S0 if kind is FindingKind.OVERTIME else None,
        elapsed_ms=21_390 if kind is FindingKind.OVERTIME else None,
    )


LONG_NAMES = (
    "Александра Константиновна Преображенская-Белосельская",
    "Bartholomew Featherstonehaugh-Cholmondeley",
    "Вячеслав Иннокентьевич Рождественский",
    "Maximilian von und zu Hohenlohe-Schillingsfürst",
)
PROOF = (
    "Bartholomew Featherstonehaugh-Cholmondeley passed at act {act} with 5 and 3 open and laid 5-2 four acts later; "
    "no domino is drawn in this game, so 5-2 was in the hand."
)

TOLD = (
    "If the domino of act 9 was 5-1, not 6-1, everything fits.",
    "If Bartholomew Featherstonehaugh-Cholmondeley passed by voice before act 12, everything fits.",
)
MISREADINGS = (
    MisreadingEntry(9, (5, 1), (6, 1), ()),
    MisreadingEntry(12, None, None, (Seat.S1,)),
)
"""The same as facts."""


def long_register() -> Register:
    """Twelve sets and an extra one with long names, six findings and something of every kind that can be noted."""
    endings = (Ending.OUT, Ending.DEADLOCK, Ending.WRONG_PASS, Ending.WRONG_DOMINO, Ending.SECOND_WARNING, Ending.OUT)
    results = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0)) * 2
    sets = tuple(a_set(place, points, ending=endings[(place - 1) % 6]) for place, points in enumerate(results, start=1))
    made = register_with(
        (*sets, a_set(13, (1.0, 0.0), extra=True)),
        params=fours(sets_in_game=12, think_seconds=20.0, wrong_domino_alert=WrongDominoAlert.IMMEDIATE),
        names=LONG_NAMES,
    )
    kinds = tuple(FindingKind)
    decisions = (Decision.LOST, Decision.CONFIRM, Decision.DISMISS, Decision.CONFIRM, Decision.RESTART, None)
    findings = tuple(
        finding(place, place, kind, decision, PROOF.format(act=place))
        for place, (kind, decision) in enumerate(zip(kinds, decisions, strict=True), start=1)
    )
    findings = (
        replace(findings[0], is_by_rule=True, by=""),
        replace(findings[1], repairs=TOLD, misreadings=MISREADINGS),
        replace(
            findings[2],
            seat=None,
            pair=None,
            passes=(PassFact(4, Seat.S0, (5, 3)), PassFact(9, Seat.S1, (5, 5)), PassFact(15, Seat.S3, (6, 0))),
            proven_by=ProvenBy.COUNTING,
        ),
        *findings[3:],
    )
    return replace(
        made,
        expelled=(Pair.B,),
        findings=findings,
        warnings=(
            WarningEntry(1, Pair.B, Seat.S1, "talk", 1, 3, Consequence.NONE, "V. Sergeev"),
            WarningEntry(5, Pair.B, Seat.S3, "exposure", 2, 4, Consequence.SET_LOST, ""),
            WarningEntry(7, Pair.A, Seat.S0, "a mobile telephone", None, None, Consequence.NONE, "V. Sergeev"),
        ),
        claims=(
            ClaimEntry(2, 6, Seat.S0, Seat.S1, 21_390, None),
            ClaimEntry(2, 8, Seat.S0, Seat.S1, 12_000, Reason.WITHIN_LIMIT),
            ClaimEntry(2, 9, Seat.S0, Seat.S2, 22_000, Reason.OUT_OF_TURN),
        ),
        overtimes=(OvertimeEntry(2, 6, Seat.S1, 23_450), OvertimeEntry(6, 3, Seat.S2, None)),
        redeals=(
            RedealEntry(4, Seat.S2, ((6, 6), (5, 5), (4, 4), (3, 3), (0, 0), (2, 1), (6, 1)), None),
            RedealEntry(6, Seat.S3, NO_REDEAL, Reason.CONDITION_NOT_MET),
        ),
        unclaimed=(UnclaimedEntry(8, Seat.S0),),
        replays=(
            ReplayEntry(9, "wrong_domino", False, False, "V. Sergeev"),
            ReplayEntry(9, "a cup fell over the line", False, True, "N. Orlova"),
            ReplayEntry(9, "equal_lock", True, False, ""),
            ReplayEntry(10, "", False, False, ""),
        ),
        corrections=tuple(
            CorrectionEntry(10, kind, 7, Seat.S2, (6, 4), "V. Sergeev" if place % 2 else "")
            for place, kind in enumerate(CorrectionKind)
        ),
        amendments=(AmendmentEntry(11, Ending.OUT, (1.0, 0.0), Ending.WRONG_PASS, (0.0, 1.0), "C6.1"),),
    )


def random_register(seed: int) -> Register:
    """A register of random results of either rule set, finished or not."""
    rng = random.Random(seed)
    params = rng.choice((fours, spots))(sets_in_game=rng.choice((4, 8, 12)))
    sets = []
    for place in range(1, rng.randrange(params.sets_in_game + 3) + 1):
        if params.scoring is Scoring.SETS:
            points = rng.choice(((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)))
        else:
            amount = float(rng.randrange(1, 168))
            points = rng.choice(((amount, 0.0), (0.0, amount), (0.0, 0.0)))
        sets.append(a_set(place, points, extra=place > params.sets_in_game))
    if rng.random() < 0.3:
        sets.append(a_set(len(sets) + 1, None, extra=len(sets) >= params.sets_in_game))
    return register_with(tuple(sets), params=params)
