"""A finger on a simulated button, in a process of its own: plays a trace of tests/data/bounce/ on a line's pull.

python finger.py PULL_FILE TRACE.csv
"""

import csv
import os
import sys
import time
from pathlib import Path


def main(pull_file: str, trace: str) -> None:
    """Play the trace with its own timing, as exactly as the kernel can wake."""
    with Path(trace).open(encoding="ascii") as text:
        steps = [(int(row["us"]), row["closed"] == "1") for row in csv.DictReader(r for r in text if r[0] != "#")]
    Path("/proc/self/timerslack_ns").write_text("1", encoding="ascii")
    pull = os.open(pull_file, os.O_RDWR)
    start_ns = time.perf_counter_ns()
    for at_us, is_closed in steps:
        time.sleep(max(0, start_ns + at_us * 1000 - time.perf_counter_ns()) / 1e9)
        os.pwrite(pull, b"pull-down" if is_closed else b"pull-up", 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
