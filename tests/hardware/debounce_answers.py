"""What the debouncer says to one line of edges and questions; runs under CPython and, as a program, MicroPython."""

import sys

from hardware.debounce import Debouncer


def answers(line: str) -> str:
    """Pour in a line such as `0- 10_ 90- 200?`: up at 0 ms, down, up, a question; and tell everything it answers."""
    words = line.split()
    debouncer = Debouncer(words[0][-1] == "_", int(words[0][:-1]))
    told = []
    for word in words[1:]:
        at_ms = int(word[:-1])
        if word[-1] != "?":
            debouncer.edge(word[-1] == "_", at_ms)
            continue
        while True:
            press = debouncer.next_press(at_ms)
            if press is None:
                break
            told.append("{}@{}".format(*press))
        told.append(f"fault={debouncer.fault(at_ms)} noise={debouncer.noise}")
    return " " + " ".join(told)


if __name__ == "__main__":
    for line in sys.stdin:
        print(answers(line.strip()))
