"""Which mishaps a demonstration shows and when: a plan drawn once from the seed; nothing is carried out here."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

EARLIEST_TURN = 2  # the first two turns of a set show plain play
SPREAD_TURNS = 6  # a mishap is planned for one of so many turns; sets last about 25
OVERRUN_CHANCE = 1 / 22  # about one a set, mishaps or not


class Mishap(Enum):
    """Something that goes wrong at a table."""

    WRONG_DOMINO = "wrong domino"
    FALSE_PASS = "false pass"
    DOUBLE_PRESS = "double press"
    OVERRUN = "clock overrun"
    BLACKOUT = "camera blackout"
    BROKER_RESTART = "broker restart"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that goes wrong on purpose, told to whoever watches the demonstration and to nobody else."""

    at_ns: int
    text: str


class MishapPlan:
    """The mishaps still to come, each with the set and turn from which it is due.

    One that cannot happen when it is due (nobody holds a wrong domino) stays due, in the next set too.
    """

    def __init__(self, rng: random.Random, *, mishaps: bool) -> None:
        self._rng = rng
        self._due: dict[Mishap, tuple[int, int]] = {}
        if mishaps:
            self._due = {
                Mishap.WRONG_DOMINO: (1, self._turn()),
                Mishap.DOUBLE_PRESS: (1, self._turn()),
                Mishap.OVERRUN: (1, self._turn()),
                # A false pass ends its set as soon as it is proven, so it comes after the others had room.
                Mishap.BLACKOUT: (2, self._turn()),
                Mishap.BROKER_RESTART: (2, self._turn()),
                Mishap.FALSE_PASS: (3, EARLIEST_TURN),
            }

    @property
    def pending(self) -> frozenset[Mishap]:
        """What has not happened yet."""
        return frozenset(self._due)

    def draw(self, set_no: int, turn_no: int, possible: Collection[Mishap]) -> Mishap | None:
        """The mishap of this turn, None for plain play; what is drawn is done with."""
        for mishap, (due_set, due_turn) in self._due.items():
            if mishap in possible and (set_no > due_set or (set_no == due_set and turn_no >= due_turn)):
                del self._due[mishap]
                return mishap
        if Mishap.OVERRUN in possible and turn_no >= EARLIEST_TURN and self._rng.random() < OVERRUN_CHANCE:
            return Mishap.OVERRUN
        return None

    def again(self, mishap: Mishap, set_no: int) -> None:
        """What was drawn came to nothing: it is due once more in the set after `set_no`."""
        self._due[mishap] = (set_no + 1, EARLIEST_TURN)

    def _turn(self) -> int:
        return EARLIEST_TURN + self._rng.randrange(SPREAD_TURNS)
