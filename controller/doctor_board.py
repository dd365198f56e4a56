"""What the doctor asks of a seat board: whether its port opens, whether it answers, and with which firmware."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from controller.doctor_checks import Found, Patient
from controller.logs import nowhere
from controller.machine import VERSION
from firmware_bridge.install import build_of, files
from firmware_bridge.seats import BoardReport, BoardSeats

ANSWER_S = 4.0
"""Many boards start anew when their port opens, and are deaf for a second or two."""
OPEN_S = 1.0
TALK_S = 0.5
STEP_S = 0.02


def board(patient: Patient) -> Iterator[Found]:
    """Whether seats hang on it that work."""
    port = patient.config.seats.port or ""
    if patient.in_use is not None:
        yield Found("seat board", None, patient.in_use)
        return
    with contextlib.closing(
        BoardSeats(port=port, clock_ns=time.monotonic_ns, wake=lambda: None, logger=nowhere())
    ) as seats:
        began_s = time.monotonic()
        while seats.trouble is not None and time.monotonic() - began_s < _patience_s(seats):
            seats.presses(time.monotonic_ns())
            time.sleep(STEP_S)
        trouble = seats.trouble
        until_s = time.monotonic() + TALK_S
        while trouble is None and time.monotonic() < until_s:
            seats.presses(time.monotonic_ns())
            time.sleep(STEP_S)
        report = seats.report()
    if trouble is not None:
        yield Found("seat board", False, f"no use of {port}", trouble)
        return
    yield _firmware(report)


def _patience_s(seats: BoardSeats) -> float:
    """A board is given time to start, a port that cannot be opened is not."""
    is_open = all(fault.code != "board_away" for faults in seats.faults().values() for fault in faults)
    return ANSWER_S if is_open else OPEN_S


def _firmware(report: BoardReport) -> Found:
    trip = f"{report.round_trip_ns / 1e6:.1f} ms" if report.round_trip_ns is not None else "no time known"
    what = f"{report.build}, answers in {trip}, {report.damaged} frames damaged"
    ours = build_of(files(), VERSION)
    if report.build != ours:
        return Found("seat board", True, f"{what}; this program would install {ours}")
    return Found("seat board", True, what)
