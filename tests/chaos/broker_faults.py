"""Bad days of the broker, and of the way to it."""

from __future__ import annotations

import os
import signal

from tests.chaos.fault import Fault, Named
from tests.chaos.player import Player
from tests.chaos.table import Table


class KilledBroker(Fault):
    """kill -9 of the broker, which comes back with what it had on disk."""

    name = "broker killed"
    bears_another = True
    named = Named("log", "broker_(away|is_none)")

    def inject(self, table: Table, player: Player) -> None:
        table.broker.kill()

    def heal(self, table: Table) -> None:
        table.broker.start()


class RestartedBroker(KilledBroker):
    """The broker is shut down and started again."""

    name = "broker restarted"

    def inject(self, table: Table, player: Player) -> None:
        table.broker.stop()


class WipedBroker(KilledBroker):
    """The broker comes back without anything it had kept."""

    name = "broker wiped"

    def heal(self, table: Table) -> None:
        for kept in (table.folder / "broker").glob("*.db*"):
            kept.unlink()
        table.broker.start()


class PausedBroker(Fault):
    """The broker stands still, its connections too."""

    name = "broker paused"
    bears_another = True
    lasts_s = (4.0, 6.0)
    named = Named("log", "broker_(slow|away|is_none)")

    def inject(self, table: Table, player: Player) -> None:
        self._process = table.broker.process_id or 0
        os.kill(self._process, signal.SIGSTOP)

    def heal(self, table: Table) -> None:
        os.kill(self._process, signal.SIGCONT)


class CutNetwork(Fault):
    """Nothing gets through, and both ends know it."""

    name = "network cut"
    bears_another = True
    named = Named("log", "broker_(away|is_none)")

    def inject(self, table: Table, player: Player) -> None:
        table.network.cut()

    def heal(self, table: Table) -> None:
        table.network.mend()


class SlowNetwork(CutNetwork):
    """Everything takes seconds."""

    name = "network slow"
    lasts_s = (8.0, 12.0)
    named = Named("health", "acknowledge", part="broker")

    def inject(self, table: Table, player: Player) -> None:
        table.network.delay(self.rng.uniform(2.5, 3.5))


class LossyNetwork(CutNetwork):
    """What is sent does not arrive, and nobody is told."""

    name = "network drops everything"
    lasts_s = (4.0, 8.0)
    named = Named("log", "broker_(slow|away|is_none)")

    def inject(self, table: Table, player: Player) -> None:
        table.network.swallow()
