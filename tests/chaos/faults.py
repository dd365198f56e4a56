"""All the bad days there are, in the order in which they come; how each is made is in the files beside."""

from __future__ import annotations

from tests.chaos.broker_faults import (
    CutNetwork,
    KilledBroker,
    LossyNetwork,
    PausedBroker,
    RestartedBroker,
    SlowNetwork,
    WipedBroker,
)
from tests.chaos.disk_faults import (
    FailingDisk,
    FullDisk,
    OverwrittenInUse,
    OverwrittenJournal,
    ReadOnlyDisk,
    ReadOnlyStart,
    TruncatedInUse,
    TruncatedJournal,
)
from tests.chaos.fault import Fault
from tests.chaos.service_faults import CappedMemory, KilledService, SecondCopy, TerminatedService, Twin
from tests.chaos.table_faults import ClockAhead, ClockBack, DeadCamera, FrozenCamera, PulledBoard

FAULTS: tuple[type[Fault], ...] = (
    KilledService,
    TerminatedService,
    SecondCopy,
    Twin,
    CappedMemory,
    KilledBroker,
    RestartedBroker,
    WipedBroker,
    PausedBroker,
    CutNetwork,
    SlowNetwork,
    LossyNetwork,
    FullDisk,
    ReadOnlyStart,
    FailingDisk,
    ReadOnlyDisk,
    TruncatedJournal,
    OverwrittenJournal,
    TruncatedInUse,
    OverwrittenInUse,
    ClockAhead,
    ClockBack,
    DeadCamera,
    FrozenCamera,
    PulledBoard,
)
"""All of them."""
SECONDS: tuple[type[Fault], ...] = (KilledService, PulledBoard)
"""Those that may come on top of another."""
_BROKER_AWAY = (KilledBroker, RestartedBroker, WipedBroker, PausedBroker, CutNetwork)
_HIDES: tuple[tuple[tuple[type[Fault], ...], tuple[type[Fault], ...]], ...] = (
    ((*_BROKER_AWAY, LossyNetwork), (PulledBoard,)),  # health comes by the broker, and is heard when that is back
    (_BROKER_AWAY, (KilledService,)),  # so does the word that a service is lost
    ((KilledService,), (ClockAhead, ClockBack)),  # one that starts after a jump knows of none
)


def hides(one: Fault, other: Fault) -> bool:
    """Whether nobody can read of the other while, or once, the one is there too."""
    return any(type(one) in hiding and type(other) in hidden for hiding, hidden in _HIDES)
