"""The two rule sets and their parameters as one frozen record: what regulations may choose, never what happened.

`fours` is the English club text, `spots` the Russian one. Each field is a parameter; its values are the readings that
the texts allow. docs/rules.md says of each what it means at the table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

FOUR = 4
"""Sets of the shortest game; every game is a multiple of it (C0.5, C0.6)."""


class RuleSet(Enum):
    """Which of the two texts is played."""

    FOURS = "fours"
    SPOTS = "spots"


class Scoring(Enum):
    """What a set is worth."""

    SETS = "sets"
    """1 for the winner, ½ each for a draw (C5.2, C5.3)."""
    SPOTS = "spots"
    """The spots left with the losers (R8)."""


class Seating(Enum):
    """How the players come to their seats."""

    TILE_DRAW = "tile_draw"
    """Each draws a domino (C3)."""
    LOTS = "lots"
    """By the pairs' lots (R0)."""


class MinorOrder(Enum):
    """Which of two drawn dominoes is the minor (C3.2)."""

    SPOTS_THEN_LOW_SUIT = "spots_then_low_suit"
    SPOTS_THEN_HIGH_SUIT = "spots_then_high_suit"
    LOW_SUIT_THEN_SPOTS = "low_suit_then_spots"


class NextLead(Enum):
    """Who leads the next set (C3.4, R6)."""

    ROTATE = "rotate"
    WINNER = "winner"
    DRAW = "draw"


class ExtraSetLead(Enum):
    """Who leads the extra sets (C5.7)."""

    DRAW_THEN_ROTATE = "draw_then_rotate"
    DRAW_EACH = "draw_each"


class FirstMixer(Enum):
    """Who mixes before the leader does (C2.1)."""

    OPPOSITE = "opposite"
    LEFT = "left"


class Redeal(Enum):
    """Which dealt hand may be handed out again (C2.2)."""

    DOUBLES5_OR_SUIT6 = "doubles5_or_suit6"
    OFF = "off"


class RedealDeadline(Enum):
    """Until when a redeal may be claimed (C2.2)."""

    FIRST_MOVE = "first_move"
    OWN_FIRST_MOVE = "own_first_move"


class LockDetection(Enum):
    """When a locked line ends the set (C0.7)."""

    LINE = "line"
    """At the closing move."""
    FOUR_PASSES = "four_passes"
    """When everybody has passed on it."""


class LockTie(Enum):
    """What equal spots in a deadlock are worth (C5.4, R8.4)."""

    HALF = "half"
    ZERO = "zero"
    REPLAY = "replay"
    """The set is played again."""
    CARRY = "carry"
    """It goes, on top of his own, to the winner of the next decided set."""


class TimeClaimWindow(Enum):
    """Until when a rival may point at a slow move (C5.6)."""

    NEXT_MOVE = "next_move"
    """Until the move after it is made."""
    WHILE_THINKING = "while_thinking"


class WrongPassStop(Enum):
    """When a proven wrong pass ends the set (C6.1)."""

    AT_ONCE = "at_once"
    AT_END = "at_end"


class Adjudication(Enum):
    """Who confirms a finding."""

    AUTO = "auto"
    """It confirms itself: for written records."""
    REFEREE = "referee"
    """The referee confirms or dismisses it: for every real table."""


class Reveal(Enum):
    """Whose hands are shown at the end of a set (section 4)."""

    ALL = "all"
    COUNTED_ONLY = "counted_only"
    """Not the partner's of the one who went out: his are what is left of the 28."""


class ClaimDeadline(Enum):
    """Until when a wrong pass of a registered set may still be found (C6.1)."""

    NEXT_FIRST_MOVE = "next_first_move"
    REGISTERED = "registered"


class WrongDomino(Enum):
    """What a wrong domino leads to."""

    C7 = "c7"
    """Taken back with a warning, or the set is lost (C7)."""
    REFEREE = "referee"
    """The text is silent: the referee is told and decides."""


class WrongDominoAlert(Enum):
    """How loudly a wrong domino is told (C7)."""

    IMMEDIATE = "immediate"
    """The referee is buzzed and the clock stops until he has ruled."""
    REFEREE_ONLY = "referee_only"
    """The referee is buzzed; play goes on, the players' own vigilance stays part of the sport."""
    SILENT = "silent"
    """Nobody is told before the set is over."""


class WrongLastDomino(Enum):
    """A wrong domino as the last of a hand (C7.2)."""

    AT_ONCE_BEFORE_REVEAL = "at_once_before_reveal"
    LATE = "late"


class OutOfTurn(Enum):
    """A domino laid by a seat that is not on turn."""

    AS_WRONG_DOMINO = "as_wrong_domino"
    """It goes back and, when the referee confirms it, there is a warning: a domino was shown (C7.1)."""
    STANDS = "stands"
    REFEREE = "referee"
    """It goes back and the referee is told."""


class Warning2Scope(Enum):
    """Within what the second warning is counted (C8.2)."""

    GAME = "game"
    COMPETITION = "competition"
    SET = "set"


class ThirdWarningScore(Enum):
    """The score of a game lost by the third warning (C8.3)."""

    MARGIN_ONE_OF_N = "margin_one_of_N"
    RIVALS_LIFTED = "rivals_lifted"
    OWN_CUT = "own_cut"


class BetweenSets(Enum):
    """Which set a warning between two sets belongs to (C8.2)."""

    NEXT = "next"
    LAST = "last"


class BenefitPenalty(Enum):
    """What an expelled benefit holder pays to play again (C8.5)."""

    FIXED = "fixed"
    """50 roubles."""
    CAP = "cap"
    """At most 50 roubles."""


class ExpelledResults(Enum):
    """What becomes of an expelled pair's earlier games (C8.4)."""

    STAND = "stand"
    VOID = "void"


class Ladder(Enum):
    """What the warnings lead to."""

    SETS = "sets"
    """The second costs the set, the third the game, the fourth of the competition expels (C8)."""
    FINES = "fines"
    """10 and 20 points, then the set 40:0, then removal (R10)."""


class WonLockCount(Enum):
    """What a fined pair's spots become in a deadlock it won (R10.3)."""

    FLAT_OR_FINE = "flat_or_fine"
    LITERAL = "literal"
    ADDITIVE = "additive"


class FineColumn(Enum):
    """Where a fine is entered (R10.3)."""

    RIVALS = "rivals"
    OWN = "own"


class ReplayBy(Enum):
    """Who may have a set played again without a wrong domino (C7, R10)."""

    REFEREE = "referee"
    CHIEF_REFEREE = "chief_referee"


class BothOffend(Enum):
    """When both pairs have offended in one set (section 4)."""

    FIRST_COMMITTED = "first_committed"
    RESTART = "restart"


@dataclass(frozen=True, slots=True)
class Params:
    """Every parameter of a game, with the defaults of `fours`; those of `spots` are made by `spots`."""

    rule_set: RuleSet = RuleSet.FOURS
    version: str = "1"
    scoring: Scoring = Scoring.SETS
    seating: Seating = Seating.TILE_DRAW
    minor_order: MinorOrder = MinorOrder.SPOTS_THEN_LOW_SUIT
    next_lead: NextLead = NextLead.ROTATE
    sets_in_game: int = FOUR
    """In `fours` a multiple of 4; in `spots` the regulations must say (our copy of the text does not)."""
    pair_tournament: bool = True
    """A level game is decided by extra sets (C5.7)."""
    extra_set_lead: ExtraSetLead = ExtraSetLead.DRAW_THEN_ROTATE
    first_mixer: FirstMixer = FirstMixer.OPPOSITE
    redeal: Redeal = Redeal.DOUBLES5_OR_SUIT6
    redeal_deadline: RedealDeadline = RedealDeadline.FIRST_MOVE
    lock_detection: LockDetection = LockDetection.LINE
    lock_tie: LockTie = LockTie.HALF
    lone_blank_value: int = 0
    """Spots of a double blank that is the only domino of a hand (R8)."""
    lone_blank_in_lock: bool = True
    think_seconds: float = 15.0
    """Given for a move; exactly this long is in time, longer is over (C5.5)."""
    time_claim_window: TimeClaimWindow = TimeClaimWindow.NEXT_MOVE
    wrong_pass_result: int = 1
    """Points the rivals get for a wrong pass (C6.1: the set, 1; R11: 10)."""
    wrong_pass_stop: WrongPassStop = WrongPassStop.AT_ONCE
    adjudication: Adjudication = Adjudication.REFEREE
    reveal: Reveal = Reveal.ALL
    pass_retract_seconds: float = 0.0
    """A pass may be taken back so long, before the next seat has acted (C6.1)."""
    claim_deadline: ClaimDeadline = ClaimDeadline.NEXT_FIRST_MOVE
    wrong_domino: WrongDomino = WrongDomino.C7
    wrong_domino_alert: WrongDominoAlert = WrongDominoAlert.REFEREE_ONLY
    at_once_moves: int = 0
    """Moves and passes that may follow a wrong domino that still counts as found at once (C7.1)."""
    wrong_domino_warning_counts: bool = True
    """The warning for a wrong domino found at once counts on the ladder (C7.1)."""
    wrong_last_domino: WrongLastDomino = WrongLastDomino.AT_ONCE_BEFORE_REVEAL
    out_of_turn: OutOfTurn = OutOfTurn.AS_WRONG_DOMINO
    ladder: Ladder = Ladder.SETS
    warning2_scope: Warning2Scope = Warning2Scope.GAME
    third_warning_score: ThirdWarningScore = ThirdWarningScore.MARGIN_ONE_OF_N
    between_sets: BetweenSets = BetweenSets.NEXT
    benefit_penalty: BenefitPenalty = BenefitPenalty.FIXED
    expelled_results: ExpelledResults = ExpelledResults.STAND
    won_lock_count: WonLockCount = WonLockCount.FLAT_OR_FINE
    fines_stack: bool = False
    """Two rungs in one set add up; else the higher replaces the lower (R10.3)."""
    fine_column: FineColumn = FineColumn.RIVALS
    fine_survives_replay: bool = True
    """A fine given in a set that is played again applies to it (R10.5)."""
    replay_by: ReplayBy = ReplayBy.REFEREE
    both_offend: BothOffend = BothOffend.FIRST_COMMITTED

    def __post_init__(self) -> None:
        is_fours = self.rule_set is RuleSet.FOURS
        if is_fours and (self.sets_in_game < FOUR or self.sets_in_game % FOUR):
            raise ValueError(
                f"expected sets_in_game to be a multiple of 4 (C0.5), got {self.sets_in_game}: use 4, 8, 12 ..."
            )
        if not 1 <= self.sets_in_game <= 400:
            raise ValueError(f"expected sets_in_game from 1 to 400, got {self.sets_in_game}")
        if not 1 <= self.think_seconds <= 600:
            raise ValueError(f"expected think_seconds between 1 and 600, got {self.think_seconds}")
        if not 0 <= self.pass_retract_seconds <= 15:
            raise ValueError(f"expected pass_retract_seconds between 0 and 15, got {self.pass_retract_seconds}")
        if not 0 <= self.at_once_moves <= 3:
            raise ValueError(f"expected at_once_moves between 0 and 3, a round, got {self.at_once_moves}")
        for name, top in (("lone_blank_value", 100), ("wrong_pass_result", 100)):
            if not 0 <= getattr(self, name) <= top:
                raise ValueError(f"expected {name} between 0 and {top}, got {getattr(self, name)}")
        # The score is half the meaning of a text: a set worth 1 with fines of 10 is no game that anybody plays.
        if (self.scoring is Scoring.SPOTS) != (self.ladder is Ladder.FINES):
            raise ValueError(
                f"expected scoring and ladder of one text (sets with sets, spots with fines), "
                f"got {self.scoring.value} with {self.ladder.value}: leave both out"
            )


_SPOTS: dict[str, Any] = {
    "rule_set": RuleSet.SPOTS,
    "scoring": Scoring.SPOTS,
    "seating": Seating.LOTS,
    "pair_tournament": False,
    "redeal": Redeal.OFF,
    "lock_tie": LockTie.ZERO,
    "lone_blank_value": 10,
    "wrong_pass_result": 10,
    "wrong_domino": WrongDomino.REFEREE,
    "out_of_turn": OutOfTurn.REFEREE,
    "ladder": Ladder.FINES,
    "replay_by": ReplayBy.CHIEF_REFEREE,
}
"""Where `spots` differs from `fours`."""


def fours(**chosen: Any) -> Params:
    """The English club text; `chosen` are the parameters the regulations set otherwise."""
    return Params(**chosen)


def spots(**chosen: Any) -> Params:
    """The Russian text; `chosen` are the parameters the regulations set otherwise."""
    return Params(**{**_SPOTS, **chosen})


def params_of(values: dict[str, Any]) -> Params:
    """The parameters written as plain values, defaults of their rule set for those left out.

    Raises:
        ValueError: a parameter that does not exist, a value it cannot have.
    """
    plain = dict(values)
    rule_set = _value_of("rule_set", plain.pop("rule_set", "fours"))
    defaults = {"rule_set": rule_set} if rule_set is RuleSet.FOURS else _SPOTS
    return Params(**{**defaults, **{name: _value_of(name, value) for name, value in plain.items()}})


def values_of(params: Params) -> dict[str, Any]:
    """The parameters as plain values; `params_of` reads them."""
    values = {field.name: getattr(params, field.name) for field in fields(params)}
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Params)}


def _value_of(name: str, value: Any) -> Any:
    """`value` as the parameter `name` holds it."""
    if name not in _DEFAULTS:
        raise ValueError(f"expected one of the parameters {', '.join(sorted(_DEFAULTS))}, got {name!r}")
    default = _DEFAULTS[name]
    if isinstance(value, Enum):
        value = value.value
    if isinstance(default, Enum):
        kind = type(default)
        try:
            return kind(value)
        except ValueError:
            words = ", ".join(str(member.value) for member in kind)
            raise ValueError(f"expected {name} to be one of {words}, got {value!r}") from None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, bool) and isinstance(value, bool):
        return value
    if isinstance(default, float) and is_number and abs(value) < 1e9:
        return float(value)
    if type(default) is type(value):
        return value
    raise ValueError(f"expected {name} to be a {type(default).__name__}, got {value!r}")
