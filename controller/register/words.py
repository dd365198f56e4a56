"""What a printed register says, and its English words; the Russian ones have their own file, no layout is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from controller.game.commands import Decision
from controller.game.events import Ending, FindingKind, ProvenBy, Reason
from controller.game.rulesets import FirstMixer, RuleSet
from controller.register.register import Consequence, CorrectionKind


class Language(Enum):
    """What a register may be printed in."""

    EN = "en"
    RU = "ru"


@dataclass(frozen=True, slots=True)
class Words:
    """Everything a printed register says; `{name}` stands for what a phrase is about."""

    language: Language
    title: str
    competition: str
    table: str
    game: str
    date: str
    pair: str
    two: str
    rules: str
    rule_sets: Mapping[RuleSet, str]
    recorded_by: str
    # --- the table of sets ---
    set_no: str
    lead: str
    mixed: str
    mixing: Mapping[FirstMixer, str]
    moves: str
    passes: str
    ending: str
    ends: str
    spots: str
    points: str
    total: str
    fines: str
    fine_in_set: str
    fine: str
    fine_counts: str
    unfinished: str
    result: str
    pair_wins: str
    draw: str
    ended_by: str
    endings: Mapping[Ending, str]
    # --- headings of what was noted ---
    warnings: str
    findings: str
    time: str
    redeals: str
    replays: str
    corrections: str
    amendments: str
    parameters: str
    parameters_usual: str
    """Said where the regulations set none otherwise but those of the line of the rules."""
    parameter: Mapping[str, str]
    """Names of parameters; one that is not here is called by its own."""
    value: Mapping[str, str]
    """Values of parameters, likewise."""
    # --- what was noted ---
    note_set: str
    warning: str
    reasons: Mapping[str, str]
    in_game: str
    in_competition: str
    not_counted: str
    ordinal: Callable[[int], str]
    consequences: Mapping[Consequence, str]
    expelled: str
    finding: str
    kinds: Mapping[FindingKind, str]
    nobody: str
    proof: str
    proof_by_passes: str | None
    """The proof of a wrong pass in words of this language; None where it stands as it was told."""
    proof_by_counting: str | None
    proof_by_domino: str | None
    proof_out_of_turn: str | None
    proof_exposed_hand: str | None
    proof_overtime: str | None
    proof_pass: str
    proven_by: Mapping[ProvenBy, str]
    as_told: str
    """What is known only as it was told to the referee, in English."""
    repairs: str
    repair_by_domino: str
    repair_by_voice: str
    repair_or: str
    decided: str
    decisions: Mapping[Decision, str]
    is_open: str
    lapsed: str
    by_rule: str
    by_referee: str
    by_chief: str
    by_name: str
    by_chief_name: str
    claim: str
    accepted: str
    refused: str
    refusals: Mapping[Reason, str]
    other_refusal: str
    overtime: str
    overtime_unknown: str
    overtime_unmade: str
    redeal: str
    unclaimed: str
    replay: str
    replay_struck: str
    """Of a set whose result was registered already."""
    replay_game: str
    replay_reasons: Mapping[str, str]
    no_reason: str
    correction: Mapping[CorrectionKind, str]
    """Of what was taken back and is not known any more there are no words: it is not told."""
    undone: str
    """A correction or order, in its own words, that was taken back."""
    for_reason: str
    amendment: str
    # --- signatures ---
    signatures: str
    referee: str
    chief_referee: str
    confirmed: str
    """Beside who has confirmed the register at the table."""
    confirmed_by: str
    page: str


def _ordinal_en(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else endings.get(number % 10, 'th')}"


ENGLISH = Words(
    language=Language.EN,
    title="Register of a game",
    competition="Competition",
    table="Table",
    game="Game",
    date="Date",
    pair="Pair {pair}",
    two="{first} and {second}",
    rules="Rules: {rule_set} version {version}, {sets} sets, {seconds} s a move",
    rule_sets={RuleSet.FOURS: "fours", RuleSet.SPOTS: "spots"},
    recorded_by="Recorded by {names}",
    set_no="set",
    lead="lead",
    mixed="mixes first",
    mixing={
        FirstMixer.OPPOSITE: "The leader's partner mixes first, the leader second; the leader takes his dominoes last.",
        FirstMixer.LEFT: "The leader's left neighbour mixes first, the leader second; he takes his dominoes last.",
    },
    moves="moves",
    passes="passes",
    ending="ending",
    ends="ends",
    spots="spots left",
    points="points",
    total="total",
    fines="Fines in the points: {fines}",
    fine_in_set="set {set_no}, {fine}",
    fine="pair {pair} {points}",
    fine_counts="pair {pair} {points}, for which it counts {counts}",
    unfinished="not finished",
    result="Result {points}: {winner}",
    pair_wins="pair {pair}, {names}, wins",
    draw="a draw",
    ended_by="the game was ended by: {ending}",
    endings={
        Ending.OUT: "went out",
        Ending.DEADLOCK: "deadlock",
        Ending.WRONG_PASS: "wrong pass",
        Ending.WRONG_DOMINO: "wrong domino",
        Ending.SECOND_WARNING: "second warning",
        Ending.THIRD_WARNING: "third warning",
        Ending.FOURTH_WARNING: "fourth warning",
        Ending.REMOVED: "pair removed",
    },
    warnings="Warnings",
    findings="Findings",
    time="Thinking time",
    redeals="Redeals",
    replays="Sets played again",
    corrections="Corrections and orders",
    amendments="Results changed later",
    parameters="Parameters the regulations set otherwise",
    parameters_usual="All other parameters are the rule set's own.",
    parameter={},
    value={"True": "yes", "False": "no"},
    note_set="Set {set_no}: {text}",
    warning="pair {pair}, {name}, for {reason}; {ordinal}; {consequence}; {by}",
    reasons={
        "time": "exceeding the time limit",
        "talk": "talking",
        "exposure": "showing dominoes",
        "signs": "signs to the partner",
    },
    in_game="the pair's {ordinal} in the game",
    in_competition=", {ordinal} in the competition",
    not_counted="does not count on the ladder",
    ordinal=_ordinal_en,
    consequences={
        Consequence.NONE: "no consequence",
        Consequence.SET_LOST: "the set is lost",
        Consequence.GAME_LOST: "the game is lost",
        Consequence.EXPELLED: "the pair is expelled",
        Consequence.FINE_10: "a fine of 10 points",
        Consequence.FINE_20: "a fine of 20 points",
        Consequence.SET_40_0: "the set is lost 40 : 0",
        Consequence.REMOVED: "the pair is removed from the competition",
    },
    expelled="Pair {pair}, {names}, is out of the competition",
    finding="{kind}, {who}, act {act} ({clause}); {decision}",
    kinds={
        FindingKind.WRONG_DOMINO: "wrong domino",
        FindingKind.WRONG_PASS: "wrong pass",
        FindingKind.INCONSISTENT_PASSES: "passes that cannot all be right",
        FindingKind.OUT_OF_TURN: "out of turn",
        FindingKind.EXPOSED_HAND: "hand laid open without a right to a redeal",
        FindingKind.OVERTIME: "long thinking, rightly pointed at",
    },
    nobody="nobody proven",
    proof="Proof{how}: {proof}",
    proof_by_passes=None,
    proof_by_counting=None,
    proof_by_domino=None,
    proof_out_of_turn=None,
    proof_exposed_hand=None,
    proof_overtime=None,
    proof_pass="act {act}, {name}, with {left} and {right} open",
    proven_by={
        ProvenBy.PLAY: " by a later move",
        ProvenBy.COUNTING: " by counting",
        ProvenBy.REVEAL: " by the hands shown",
        ProvenBy.EXPOSURE: " by a domino seen in the hand",
    },
    as_told="{text}",
    repairs="A misreading would explain it too: {repairs}",
    repair_by_domino="act {act} was {domino}, not {taken_for}",
    repair_by_voice="{names} passed by voice before act {act}",
    repair_or="; or ",
    decided="{decision}, {by}",
    decisions={
        Decision.CONTINUE: "the domino goes back and play goes on",
        Decision.RESTART: "the set is played again",
        Decision.LOST: "the set is lost",
        Decision.CONFIRM: "confirmed",
        Decision.DISMISS: "dismissed",
    },
    is_open="OPEN: not decided",
    lapsed="not decided, lapsed with the set",
    by_rule="by the rules",
    by_referee="by the referee",
    by_chief="by the chief referee",
    by_name="by {name}",
    by_chief_name="by {name}, the chief referee",
    claim="{name} pointed at {against}, act {act}, after {seconds} s; {outcome}",
    accepted="accepted",
    refused="not accepted: {reason}",
    refusals={
        Reason.WITHIN_LIMIT: "it was within the limit",
        Reason.NOT_A_RIVAL: "that is no rival",
        Reason.TOO_LATE: "it was too late",
        Reason.CONDITION_NOT_MET: "the hand does not have what it takes",
        Reason.BAD_HAND: "those are not seven dominoes of the hand",
        Reason.NO_REDEAL: "these rules know no redeal",
        Reason.NO_SET: "no set was in progress",
        Reason.SET_OVER: "the set was over",
        Reason.HALTED: "the clock stood",
    },
    other_refusal="it could not be allowed",
    overtime="{name}, act {act}, thought {seconds} s",
    overtime_unknown="{name}, act {act}, thought longer than the limit",
    overtime_unmade="{name}, act {act}, thought longer than the limit, the move was not made",
    redeal="{name} claimed a redeal with {hand}; {outcome}",
    unclaimed="{name} could have claimed a redeal and did not; the result stands",
    replay="played again, same leader; {reason}; {by}",
    replay_struck="played again, same leader, the result {points} is struck out; {reason}; {by}",
    replay_game="the whole game is played again; {reason}; {by}",
    replay_reasons={
        "both_offend": "both pairs have offended",
        "equal_lock": "equal spots in a deadlock",
        "wrong_domino": "a wrong domino",
        "wrong_pass": "a wrong pass",
        "inconsistent_passes": "passes that cannot all be right",
        "out_of_turn": "a domino out of turn",
        "exposed_hand": "a hand laid open",
    },
    no_reason="no reason given",
    correction={
        CorrectionKind.MOVE_UNDONE: "act {act}, {domino} of {name}, taken back out of the record",
        CorrectionKind.PASS_UNDONE: "act {act}, the pass of {name}, taken back out of the record",
        CorrectionKind.RULING_UNDONE: "a ruling taken back: {finding}, {name}, act {act}, {decision}",
        CorrectionKind.WARNING_UNDONE: "a warning to {name}{for_reason} taken back",
        CorrectionKind.COUNT_UNDONE: "the count of the hands taken back",
        CorrectionKind.CORRECTION_UNDONE: "",
        CorrectionKind.STEP_UNDONE: "",
        CorrectionKind.REPLAY_UNDONE: "the order to play the set again taken back",
        CorrectionKind.CLAIM_UNDONE: "the claim of time by {name} taken back",
        CorrectionKind.REDEAL_UNDONE: "the decision on the redeal that {name} claimed taken back",
        CorrectionKind.PASS_WITHDRAWN: "act {act}, the pass, withdrawn by {name} himself",
        CorrectionKind.ATTRIBUTED: "act {act} was made by {name}; those skipped passed by voice",
        CorrectionKind.CORRECTED: "act {act} of {name} was {domino}",
        CorrectionKind.EXPOSED: "{domino} was seen in the hand of {name}",
        CorrectionKind.SIGNATURE_UNDONE: "the register confirmed and opened again",
        CorrectionKind.REVEAL_ORDERED: "all hands laid open",
        CorrectionKind.COUNT_WAIVED: "registered without a count",
    },
    undone="taken back: {text}",
    for_reason=" for {reason}",
    amendment="{was} ({was_ending}) became {now} ({ending}); {clause}",
    signatures="Signatures",
    referee="Referee",
    chief_referee="Chief referee",
    confirmed="confirmed at the table",
    confirmed_by="confirmed at the table, {name}",
    page="page {page} of {pages}",
)
