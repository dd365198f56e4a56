"""What a register notes beside the results, as phrases: warnings, findings with proof, claims; no layout is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.game.events import FindingKind, Reason
from controller.game.tiles import Seat
from controller.register.cells import both, name_of, pair_names, plain, seconds, tile, whose
from controller.register.register import (
    ClaimEntry,
    CorrectionEntry,
    CorrectionKind,
    FindingEntry,
    MisreadingEntry,
    OvertimeEntry,
    RedealEntry,
    Register,
    ReplayEntry,
    WarningEntry,
)
from controller.register.words import Words

Note = tuple[int | None, str]
"""Number of the set, None where it belongs to none, and what is to be said."""


@dataclass(frozen=True, slots=True)
class Section:
    """Notes of one kind under their heading."""

    heading: str
    notes: tuple[Note, ...]


def sections(register: Register, words: Words) -> tuple[Section, ...]:
    """Everything that was noted beside the results, by kind, in the order it happened; no section is empty."""
    kinds: tuple[tuple[str, Iterable[Note]], ...] = (
        (words.warnings, _warnings(register, words)),
        (words.findings, ((f.set_no, _finding(register, f, words)) for f in register.findings)),
        (words.time, _times(register, words)),
        (words.redeals, _redeals(register, words)),
        (words.replays, ((r.set_no, _replay(r, words)) for r in register.replays)),
        (words.corrections, _corrections(register, words)),
        (words.amendments, _amendments(register, words)),
    )
    made = (Section(heading, tuple(notes)) for heading, notes in kinds)
    return tuple(section for section in made if section.notes)


def note_line(note: Note, words: Words) -> str:
    """A note with its set before it."""
    set_no, text = note
    return text if set_no is None else words.note_set.format(set_no=set_no, text=text)


def _warnings(register: Register, words: Words) -> Iterator[Note]:
    for warning in register.warnings:
        yield warning.set_no, _warning(register, warning, words)
    for pair in register.expelled:
        yield None, words.expelled.format(pair=pair.value, names=pair_names(register, pair, words))


def _warning(register: Register, warning: WarningEntry, words: Words) -> str:
    ordinal = words.not_counted
    if warning.in_game is not None:
        ordinal = words.in_game.format(ordinal=words.ordinal(warning.in_game))
        if warning.in_competition is not None:
            ordinal += words.in_competition.format(ordinal=words.ordinal(warning.in_competition))
    return words.warning.format(
        pair=warning.pair.value,
        name=whose(register, warning.seat, warning.pair, words),
        reason=words.reasons.get(warning.reason, plain(warning.reason)),
        ordinal=ordinal,
        consequence=words.consequences[warning.consequence],
        by=_by(warning.by, words),
    )


def _by(name: str, words: Words, *, is_chief: bool = False) -> str:
    """Who decided: by name where one was given, else by office."""
    office = words.by_chief if is_chief else words.by_referee
    if not plain(name):
        return office
    return (words.by_chief_name if is_chief else words.by_name).format(name=plain(name))


def _finding(register: Register, finding: FindingEntry, words: Words) -> str:
    who = words.nobody
    if finding.seat is not None:
        who = name_of(register, finding.seat)
    elif finding.pair is not None:
        who = words.pair.format(pair=finding.pair.value)
    decision = words.is_open if register.is_open(finding) else words.lapsed
    if finding.decision is not None:
        by = words.by_rule if finding.is_by_rule else _by(finding.by, words)
        decision = words.decided.format(decision=words.decisions[finding.decision], by=by)
    line = words.finding.format(
        kind=words.kinds[finding.kind], who=who, act=finding.act, clause=plain(finding.clause), decision=decision
    )
    how = words.proven_by[finding.proven_by] if finding.proven_by else ""
    proof = _proof(register, finding, words)
    parts = [line, words.proof.format(how=how, proof=proof)] if proof or how else [line]
    repairs = words.repair_or.join(_repairs(register, finding, words))
    if repairs:
        parts.append(words.repairs.format(repairs=repairs))
    return ". ".join(part.rstrip(".") for part in parts) + "."


def _proof(register: Register, finding: FindingEntry, words: Words) -> str:
    """The proof as it was told, or said again from its facts where the register is in another language."""
    form = _proof_form(finding, words)
    if form is None:
        told = plain(finding.proof).rstrip(".")
        return words.as_told.format(text=told) if told else ""
    passes = "; ".join(
        words.proof_pass.format(act=fact.act, name=name_of(register, fact.seat), left=fact.ends[0], right=fact.ends[1])
        for fact in finding.passes
    )
    return form.format(
        passes=passes,
        dominoes=", ".join(map(tile, finding.dominoes)) or "-",
        reason="" if finding.refused is None else words.refusals.get(finding.refused, words.other_refusal),
        name="" if finding.claimant is None else name_of(register, finding.claimant),
        seconds="" if finding.elapsed_ms is None else seconds(finding.elapsed_ms),
        limit=f"{register.params.think_seconds:g}",
    )


def _proof_form(finding: FindingEntry, words: Words) -> str | None:
    """The phrase for a proof with these facts; None where it stands as it was told."""
    match finding.kind:
        case FindingKind.WRONG_DOMINO:
            return words.proof_by_domino if finding.dominoes else None
        case FindingKind.OUT_OF_TURN:
            return words.proof_out_of_turn if finding.dominoes else None
        case FindingKind.EXPOSED_HAND:
            return words.proof_exposed_hand if finding.refused is not None else None
        case FindingKind.OVERTIME:
            return words.proof_overtime if finding.elapsed_ms is not None else None
        case FindingKind.WRONG_PASS | FindingKind.INCONSISTENT_PASSES:
            by_facts = words.proof_by_passes if finding.dominoes else words.proof_by_counting
            return by_facts if finding.passes else None


def _repairs(register: Register, finding: FindingEntry, words: Words) -> Iterator[str]:
    """What would explain it as well, each in one phrase; as it was told where the facts were not kept."""
    if not finding.misreadings:
        for repair in finding.repairs:
            yield words.as_told.format(text=plain(repair).rstrip("."))
    for misreading in finding.misreadings:
        yield _repair(register, misreading, words)


def _repair(register: Register, misreading: MisreadingEntry, words: Words) -> str:
    if misreading.domino is None or misreading.taken_for is None:
        names = _people(register, misreading.by_voice, words)
        return words.repair_by_voice.format(names=names, act=misreading.act)
    domino, taken_for = tile(misreading.domino), tile(misreading.taken_for)
    return words.repair_by_domino.format(act=misreading.act, domino=domino, taken_for=taken_for)


def _people(register: Register, seats: tuple[Seat, ...], words: Words) -> str:
    """Names as one enumerates them."""
    *others, last = (name_of(register, seat) for seat in seats)
    return words.two.format(first=", ".join(others), second=last) if others else last


def _times(register: Register, words: Words) -> Iterator[Note]:
    for claim in register.claims:
        yield claim.set_no, _claim(register, claim, words)
    for overtime in register.overtimes:
        yield overtime.set_no, _overtime(register, overtime, words)


def _claim(register: Register, claim: ClaimEntry, words: Words) -> str:
    return words.claim.format(
        name=name_of(register, claim.seat),
        against=name_of(register, claim.against),
        act=claim.act,
        seconds=seconds(claim.elapsed_ms),
        outcome=_outcome(claim.refused, words),
    )


def _outcome(refused: Reason | None, words: Words) -> str:
    if refused is None:
        return words.accepted
    return words.refused.format(reason=words.refusals.get(refused, words.other_refusal))


def _overtime(register: Register, overtime: OvertimeEntry, words: Words) -> str:
    name = name_of(register, overtime.seat)
    if overtime.think_ms is None:
        form = words.overtime_unmade if overtime.is_unmade else words.overtime_unknown
        return form.format(name=name, act=overtime.act)
    return words.overtime.format(name=name, act=overtime.act, seconds=seconds(overtime.think_ms))


def _redeals(register: Register, words: Words) -> Iterator[Note]:
    for redeal in register.redeals:
        yield redeal.set_no, _redeal(register, redeal, words)
    for unclaimed in register.unclaimed:
        yield unclaimed.set_no, words.unclaimed.format(name=name_of(register, unclaimed.seat))


def _redeal(register: Register, redeal: RedealEntry, words: Words) -> str:
    hand = " ".join(map(tile, redeal.hand))
    name, outcome = name_of(register, redeal.seat), _outcome(redeal.refused, words)
    return words.redeal.format(name=name, hand=hand, outcome=outcome)


def _replay(replay: ReplayEntry, words: Words) -> str:
    reason = words.replay_reasons.get(replay.reason, plain(replay.reason)) or words.no_reason
    by = words.by_rule if replay.is_by_rule else _by(replay.by, words, is_chief=replay.is_chief)
    form = words.replay_game if replay.is_game else words.replay if replay.struck is None else words.replay_struck
    return form.format(reason=reason, by=by, points="" if replay.struck is None else both(replay.struck))


def _corrections(register: Register, words: Words) -> Iterator[Note]:
    for correction in register.corrections:
        text = _correction(register, correction, words)
        if text:
            yield correction.set_no, text


def _correction(register: Register, correction: CorrectionEntry, words: Words) -> str:
    """The correction in words; none where something was taken back and nobody knows any more what it was."""
    if correction.kind is CorrectionKind.RULING_UNDONE and correction.finding is None:
        return ""
    text = words.correction[correction.undone or correction.kind].format(
        act=correction.act,
        name=whose(register, correction.seat, correction.pair, words),
        domino="" if correction.domino is None else tile(correction.domino),
        finding="" if correction.finding is None else words.kinds[correction.finding],
        decision="" if correction.decision is None else words.decisions[correction.decision],
        for_reason=_for_reason(correction.reason, words),
    )
    if text and correction.undone is not None:
        text = words.undone.format(text=text)
    return f"{text}; {_by(correction.by, words)}" if text and plain(correction.by) else text


def _for_reason(reason: str, words: Words) -> str:
    """What a warning was for, as it follows the word; nothing where it was not kept."""
    said = words.reasons.get(reason, plain(reason))
    return words.for_reason.format(reason=said) if said else ""


def _amendments(register: Register, words: Words) -> Iterator[Note]:
    for change in register.amendments:
        text = words.amendment.format(
            was=both(change.was_points),
            was_ending=words.endings[change.was_ending],
            now=both(change.points),
            ending=words.endings[change.ending],
            clause=plain(change.clause),
        )
        yield change.set_no, text.rstrip("; ")
