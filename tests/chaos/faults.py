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
    OverwrittenJournal,
    ReadOnlyDisk,
    ReadOnlyStart,
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
    ClockAhead,
    ClockBack,
    DeadCamera,
    FrozenCamera,
    PulledBoard,
)
"""All of them."""
SECONDS: tuple[type[Fault], ...] = (KilledService, PulledBoard)
"""Those that may come on top of another."""
