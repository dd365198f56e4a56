"""Draws docs/reliability.svg, how sure the reader is against how often right: `python docs/reliability.py [DIR ...]`.

Without folders it reads drawn pictures that nothing was learnt from; folders of labelled pictures may be named instead.
"""

import sys
from pathlib import Path

from vision.evaluate import Evaluation, evaluate
from vision.exam import examined
from vision.page import reliability_plot
from vision.reader import read


def main() -> None:
    """Read, draw, and say the error."""
    folders = [Path(name) for name in sys.argv[1:]]
    if folders:
        evaluation = Evaluation(tuple(o for folder in folders for o in evaluate(folder, read=read).outcomes))
    else:
        evaluation = examined(bare=0)
    Path(__file__).with_name("reliability.svg").write_text(reliability_plot(evaluation.reliability()), encoding="utf-8")
    halves = sum(b.halves for b in evaluation.reliability())
    print(f"{halves} halves, expected calibration error {evaluation.calibration_error():.2%}")


if __name__ == "__main__":
    main()
