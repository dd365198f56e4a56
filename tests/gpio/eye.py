"""An eye on simulated lines, in a process of its own: counts how often it saw one high until its input ends.

python eye.py VALUE_FILE...
"""

import os
import select
import sys


def main(*value_files: str) -> None:
    """Say `watching`, look until there is input, then print how often a line was high and how often all were read."""
    files = [os.open(path, os.O_RDONLY) for path in value_files]
    print("watching", flush=True)
    os.nice(-10)  # the guest has one processor: looking comes first, and is short
    lit = looks = 0
    while not select.select([sys.stdin], [], [], 0.0005)[0]:
        lit += sum(os.pread(file, 1, 0) == b"1" for file in files)
        looks += 1
    print(lit, looks)


if __name__ == "__main__":
    main(*sys.argv[1:])
