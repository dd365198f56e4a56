"""Runs the trained networks on one core; what they are asked and what their answers mean is said elsewhere."""

import os
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

# A table tells nobody what it does: without this ONNX Runtime counts its uses, in a file of its own among the temporary
# ones. It has to be said before the import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
from numpy.typing import NDArray

FOLDER: Final = Path(__file__).with_name("weights")


class Network:
    """A network from a file, ready to run: arrays in, arrays out, the shape of the pictures free.

    Raises:
        FileNotFoundError: the file is not there.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"expected the network {path}; make it with `python -m vision.train`")
        # Not before there is a picture to read: a table whose camera is away does without these 20 MB.
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # One core: the others belong to the camera, the broker and the loop.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # The arena keeps what the largest picture ever needed; a Pi with 2 GB wants it back.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The network's answer; pixels of shape (N, H, W, 3), BGR."""
        answer: Any = self._session.run(None, {self._input: np.ascontiguousarray(pixels)})[0]
        return np.asarray(answer, dtype=np.float32)


@cache
def network(name: Literal["finder", "faces"], folder: Path = FOLDER) -> Network:
    """One of the two networks of a folder, the reader's own if none is named, loaded once."""
    return Network(folder / f"{name}.onnx")
