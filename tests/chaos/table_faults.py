"""Bad days of what the table looks, listens and tells the time with: camera, seat board, clock."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tests.chaos.fault import CannotBe, Fault, Named
from tests.chaos.player import Player
from tests.chaos.service import FROZEN
from tests.chaos.table import Table


class ClockAhead(Fault):
    """The wall clock jumps; the monotonic one does not."""

    name = "wall clock two weeks ahead"
    bears_another = True
    lasts_s = (4.0, 6.0)
    jump: ClassVar[str] = "+14d"
    named = Named("health", r"the wall clock .*(days|hours|minutes)", part="clock")

    def environment(self, folder: Path) -> Mapping[str, str]:
        library = next((lib for root in ("/usr/lib", "/usr/local/lib") for lib in _faketimes(Path(root))), None)
        if library is None:
            raise CannotBe("libfaketime is missing: apt install faketime")
        (folder / "time").write_text("+0\n", encoding="ascii")
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(folder / "time"),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_NO_CACHE": "1",
        }

    def inject(self, table: Table, player: Player) -> None:
        _set_time(table, self.jump)

    def heal(self, table: Table) -> None:
        _set_time(table, "+0")


class ClockBack(ClockAhead):
    """An hour back."""

    name = "wall clock an hour back"
    jump = "-1h"


class DeadCamera(Fault):
    """Its plug is pulled, and pushed back in."""

    name = "camera dead and back"
    lasts_s = (4.0, 6.0)
    named = Named("health", ".", part="camera")

    def inject(self, table: Table, player: Player) -> None:
        table.pull_camera()

    def heal(self, table: Table) -> None:
        table.plug_camera()


class FrozenCamera(Fault):
    """Its driver hangs."""

    name = "camera frozen and back"
    bears_another = True
    lasts_s = (4.0, 6.0)
    named = Named("health", ".", part="camera")

    def inject(self, table: Table, player: Player) -> None:
        Path(f"{table.camera}{FROZEN}").touch()

    def heal(self, table: Table) -> None:
        Path(f"{table.camera}{FROZEN}").unlink()


class PulledBoard(Fault):
    """The seat board's cable is pulled, and pushed back in."""

    name = "seat board gone and back"
    lasts_s = (3.0, 5.0)
    named = Named("health", "seat board", part="seats")

    def inject(self, table: Table, player: Player) -> None:
        table.board.power_off()

    def heal(self, table: Table) -> None:
        table.board.power_on()


def _faketimes(root: Path) -> list[Path]:
    return sorted(root.glob("**/faketime/libfaketimeMT.so.1"))


def _set_time(table: Table, offset: str) -> None:
    new = table.folder / "time.new"
    new.write_text(f"{offset}\n", encoding="ascii")
    new.replace(table.folder / "time")
