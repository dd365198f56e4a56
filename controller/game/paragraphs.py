"""The paragraph of docs/rules.md that each refusal, finding and ending rests on; what they mean stands there alone."""

from __future__ import annotations

from collections.abc import Mapping

from controller.game.events import Ending, FindingKind, Reason

Cited = Reason | FindingKind | Ending
"""What is told to people with the number of a paragraph."""

PARAGRAPHS: Mapping[Cited, str] = {
    # why an input changed nothing
    Reason.NO_GAME: "3.4",
    Reason.GAME_RUNNING: "3.4",
    Reason.GAME_OVER: "3.4",
    Reason.NO_SET: "3.4",
    Reason.SET_RUNNING: "3.4",
    Reason.SET_OVER: "5.5",
    Reason.OUT_OF_TURN: "4.7",
    Reason.PASS_BEFORE_FIRST_MOVE: "4.3",
    Reason.TILE_ALREADY_PLAYED: "1.5",
    Reason.NO_SUCH_TILE: "1.1",
    Reason.BAD_END: "4.2",
    Reason.HALTED: "4.9",
    Reason.NO_SUCH_FINDING: "16.1",
    Reason.NOT_A_DECISION: "16.2",
    Reason.FOUND_TOO_LATE: "10.8",
    Reason.BAD_REVEAL: "5.7",
    Reason.NOTHING_SHOWN: "5.8",
    Reason.NOTHING_TO_UNDO: "16.9",
    Reason.NOTHING_TO_REDO: "16.14",
    Reason.NOT_PAUSED: "16.11",
    Reason.ALREADY_PAUSED: "16.11",
    Reason.NOT_MUTED: "16.15",
    Reason.LEAD_MUST_BE_DRAWN: "2.8",
    Reason.LEAD_IS_FIXED: "2.8",
    Reason.NO_SUCH_SEAT: "1.2",
    Reason.TILE_DRAWN_TWICE: "2.5",
    Reason.EQUAL_LOTS: "2.5",
    Reason.NOTHING_DRAWN: "2.5",
    Reason.EXPELLED: "13.7",
    Reason.GAME_KNOWN: "17.7",
    Reason.TOO_LATE: "12.3",
    Reason.CONDITION_NOT_MET: "12.6",
    Reason.BAD_HAND: "12.7",
    Reason.NO_REDEAL: "12.1",
    Reason.WITHIN_LIMIT: "8.4",
    Reason.NOT_A_RIVAL: "8.4",
    Reason.UNKNOWN_WARNING: "13.1",
    Reason.ONLY_CHIEF_REFEREE: "16.6",
    Reason.CANNOT_AMEND: "16.8",
    Reason.NOT_IN_A_HAND: "15.3",
    Reason.OTHER_COMPETITION: "17.7",
    Reason.LEDGER_CONFLICT: "17.7",
    Reason.CANNOT_ADOPT: "4.14",
    Reason.CANNOT_REPLAY: "16.16",
    Reason.ALREADY_SIGNED: "17.8",
    Reason.REGISTER_SIGNED: "17.9",
    # what a finding is about
    FindingKind.WRONG_DOMINO: "10.1",
    FindingKind.WRONG_PASS: "9.1",
    FindingKind.INCONSISTENT_PASSES: "9.6",
    FindingKind.OUT_OF_TURN: "11.2",
    FindingKind.EXPOSED_HAND: "12.6",
    FindingKind.OVERTIME: "8.5",
    # how a set came to its end
    Ending.OUT: "5.1",
    Ending.DEADLOCK: "5.2",
    Ending.WRONG_PASS: "9.1",
    Ending.WRONG_DOMINO: "10.8",
    Ending.SECOND_WARNING: "13.3",
    Ending.THIRD_WARNING: "13.5",
    Ending.FOURTH_WARNING: "14.9",  # in `fours` it ends the game and no set (13.6)
    Ending.REMOVED: "14.10",
}
"""For every member of the three enums the number of its paragraph, such as `9.1`."""
