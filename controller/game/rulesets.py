"""The rule set and its parameters as one frozen record: what regulations may choose, never what happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

FOUR = 4
"""Sets of the shortest game; every game is a multiple of it (C0.5, C0.6)."""


class Adjudication(Enum):
    """Who confirms a finding."""

    AUTO = "auto"
    """It confirms itself: for written records."""
    REFEREE = "referee"
    """The referee confirms or dismisses it: for every real table."""


class WrongDominoAlert(Enum):
    """How loudly a wrong domino is told (C7)."""

    IMMEDIATE = "immediate"
    """The referee is buzzed and the clock stops until he has ruled."""
    REFEREE_ONLY = "referee_only"
    """The referee is buzzed; play goes on, the players' own vigilance stays part of the sport."""
    SILENT = "silent"
    """Nobody is told before the set is over."""


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of `fours`, with the defaults of the English club text."""

    rule_set: str = "fours"
    version: str = "1"
    sets_in_game: int = FOUR
    think_seconds: float = 15.0
    """Given for a move; exactly this long is in time, longer is over (C5.5)."""
    pair_tournament: bool = True
    """A level game is decided by extra sets (C5.7)."""
    adjudication: Adjudication = Adjudication.REFEREE
    wrong_domino_alert: WrongDominoAlert = WrongDominoAlert.REFEREE_ONLY
    wrong_domino_warning_counts: bool = True
    """The warning for a wrong domino found at once counts on the ladder (C7.1)."""

    def __post_init__(self) -> None:
        if self.rule_set != "fours":
            raise ValueError(f"expected rule set 'fours', got {self.rule_set!r}")
        if self.sets_in_game < FOUR or self.sets_in_game % FOUR:
            raise ValueError(
                f"expected sets_in_game to be a multiple of 4 (C0.5), got {self.sets_in_game}: use 4, 8, 12 ..."
            )
        if not 1 <= self.think_seconds <= 600:
            raise ValueError(f"expected think_seconds between 1 and 600, got {self.think_seconds}")
