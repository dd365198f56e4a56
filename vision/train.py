"""Makes the reader's networks from nothing: draws pictures, learns from them, is examined on others, writes the file.

`python -m vision.train` needs PyTorch and onnx (`make train` brings both), no picture from anywhere, 8 GB of memory,
and under an hour on two cores. What is drawn is `vision.practice`'s business, what is asked `vision.lessons`'s, the
networks are `vision.nets`'s.
"""

import argparse
import io
import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

# Each drawing process has one core; set before numpy loads its own library for products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantType, quant_pre_process, quantize_static
from torch import Tensor, nn

from vision.cut import folded
from vision.exam import BARE as EXAM_BARE
from vision.exam import PICTURES as EXAM_PICTURES
from vision.exam import SEED as EXAM_SEED
from vision.exam import examined, on_all_cores, tell
from vision.faces import Eyes, Faces, cut_from
from vision.lessons import FaceLessons, FinderLesson, faces, judged, together, window
from vision.nets import FaceReader, Finder, face_loss, finder_loss
from vision.networks import FOLDER, Network, network
from vision.practice import Shown, drawn
from vision.reader import DEFAULT, found

Points = NDArray[np.floating[Any]]
Picture = tuple[bytes, tuple[Shown, ...]]
"""One that was drawn, packed up, and its dominoes."""

SEED: Final = 1
"""Of the pictures learnt from."""
PICTURES, BARE = 5000, 1500
"""Drawn with dominoes and without."""
WINDOWS, BARE_WINDOWS, CUTS = 8, 3, 4
"""Times each picture, and each bare one, is shown to the finder, and each domino to the face reader."""
FINDER_ROUNDS: Final = 14
FACE_ROUNDS: Final = ((1, 3e-3), (2, 2e-3), (2, 1.5e-3))
"""Times all faces are shown and the rate of learning: first those beside dominoes, then twice what it looked at too."""
FINDER_BATCH, FACE_BATCH = 64, 128
MOST_JUDGED: Final = 60
"""Faces of one picture that the reader looked at and learns from."""
TEMPTING, DULL = -4.0, 0.12
"""Log odds from which a face was tempting, and how often one that was not is chosen against one that was."""
COLOURS: Final = 3
EXAMPLES: Final = 400
"""Windows and faces from which the sizes of the numbers between the layers are learnt."""
KEPT_JPEG: Final = 96
"""Quality at which the pictures wait to be looked at again."""
CPU: Final = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").is_file() else ""


def train_finder(lessons: Sequence[FinderLesson], *, rounds: int, rate: float = 4e-3) -> Finder:
    """A finder that has seen every lesson so many times."""
    finder = Finder()

    def loss(chosen: NDArray[np.intp]) -> Tensor:
        some = [lessons[i] for i in chosen]
        bgr, heat, weight, pose, mask = (
            torch.from_numpy(np.stack([getattr(lesson, name) for lesson in some]))
            for name in ("bgr", "heat", "weight", "pose", "mask")
        )
        with _in_16_bits():
            answer = finder(bgr)
        return finder_loss(answer.float(), heat.float(), weight.float(), pose.float(), mask.float())

    _train(finder, loss, len(lessons), FINDER_BATCH, rounds, rate, "finder")
    return finder


def train_faces(reader: FaceReader, lessons: FaceLessons, *, rounds: int, rate: float) -> None:
    """Let a face reader see every face so many times."""
    parts = (folded(lessons.bgr), lessons.suits, lessons.domino, lessons.corners)
    bgr, *answers = (torch.from_numpy(part) for part in parts)

    def loss(chosen: NDArray[np.intp]) -> Tensor:
        index = torch.from_numpy(np.sort(chosen))
        with _in_16_bits():
            answer = reader(bgr[index])
        return face_loss(answer.float(), *(part[index] for part in answers))

    _train(reader, loss, len(bgr), FACE_BATCH, rounds, rate, "faces")


def _in_16_bits() -> torch.autocast:
    """Work with half the bits where the processor can: twice as fast, and as good."""
    return torch.autocast("cpu", torch.bfloat16, enabled="avx512_bf16" in CPU)


def _train(
    net: nn.Module,
    loss: Callable[[NDArray[np.intp]], Tensor],
    count: int,
    batch: int,
    rounds: int,
    rate: float,
    name: str,
) -> None:
    """Adam with weight decay, the rate rising for a moment and then falling along a cosine."""
    net.train().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    steps = max(1, rounds * (count // batch))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda n: min(1.0, (n + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * n / steps)) + 1e-3
    )
    rng = np.random.default_rng(0)
    start, mean, step = time.monotonic(), 0.0, 0
    for _ in range(rounds):
        order = rng.permutation(count)
        for first in range(0, count - batch + 1, batch):
            optimiser.zero_grad(set_to_none=True)
            value = loss(order[first : first + batch])
            value.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            step += 1
            mean += (value.item() - mean) * max(0.01, 1 / step)
            if step % 50 == 0 or step == steps:
                took = time.monotonic() - start
                tell(f"{name}: step {step} of {steps}, loss {mean:.4f}, {took:.0f} s")
    print(file=sys.stderr)
    net.eval()


# ---- from pictures to lessons, on all cores


def _lessons(number: int) -> tuple[list[FinderLesson], FaceLessons, Picture]:
    """The lessons of one picture, and the picture packed up with its dominoes."""
    cv2.setNumThreads(1)
    practice = drawn(number, SEED, bare=number >= PICTURES)
    rng = np.random.default_rng((SEED, number, 1))
    packed = cv2.imencode(".jpg", practice.bgr, (cv2.IMWRITE_JPEG_QUALITY, KEPT_JPEG))[1].tobytes()
    times = WINDOWS if practice.dominoes else BARE_WINDOWS
    return [window(practice, rng) for _ in range(times)], faces(practice, rng, each=CUTS), (packed, practice.dominoes)


class _Remembering(Eyes):
    """Eyes that remember where they looked, and how much like a domino it was."""

    def __init__(self, faces: Network, bgr: NDArray[np.uint8]) -> None:
        super().__init__(faces, bgr)
        self.looks: list[tuple[Points, Points]] = [(np.zeros((0, 4, 2)), np.zeros(0))]
        """Where, and the log odds; a picture may show no place that is worth a look."""

    def look(self, quads: Points) -> Faces:
        """What shows there; as any eyes say."""
        seen = super().look(quads)
        self.looks.append((quads, seen.odds))
        return seen


def _judged(networks: Path, work: tuple[int, Picture]) -> FaceLessons:
    """The faces that the reader looks at in a picture, with what it should have made of them.

    Nothing teaches it better what to refuse than its own mistakes.
    """
    cv2.setNumThreads(1)
    number, (packed, dominoes) = work
    bgr = np.asarray(cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    eyes = _Remembering(network("faces", networks), bgr)
    found(network("finder", networks), eyes, DEFAULT)
    quads, odds = (np.concatenate(part) for part in zip(*eyes.looks, strict=True))
    dear = np.where(odds > TEMPTING, 1.0, DULL)
    few = min(MOST_JUDGED, int(dear.sum()) + 1, len(quads))
    rng = np.random.default_rng((SEED, number, 2))
    chosen = rng.choice(len(quads), few, replace=False, p=dear / dear.sum()) if few else np.zeros(0, np.intp)
    return judged(cut_from(eyes.levels, quads[chosen]), quads[chosen], dominoes)


# ---- from networks to files


def write(net: nn.Module, path: Path, examples: Sequence[NDArray[np.uint8]], free: dict[int, str]) -> None:
    """A network as an ONNX file that works in 8 bits; `free` names the sides of its input that vary.

    That is twice as fast as 32 bits, and a quarter of the size. The examples tell how large the numbers between the
    layers become. What comes before the first layer stays as it is, and so does the last layer, for the answers are too
    different in size for one scale; and a first layer with but three colours to work on, for it gains nothing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter's own coming retirement
        torch.onnx.export(
            net.eval(), (torch.from_numpy(examples[0]),), packed, dynamo=False, opset_version=17,
            input_names=["pixels"], output_names=["answer"], dynamic_axes={"pixels": free},
        )  # fmt: skip
    quant_pre_process(onnx.load_from_string(packed.getvalue()), path, skip_symbolic_shape=True)
    model = onnx.load(path)
    layers = [n for n, node in enumerate(model.graph.node) if node.op_type in {"Conv", "Gemm"}]
    few = next(t.dims[1] for t in model.graph.initializer if t.name == model.graph.node[layers[0]].input[1]) == COLOURS
    exact = [*model.graph.node[: layers[0] + few], *model.graph.node[layers[-1] :]]
    quantize_static(
        model,
        path,
        _Examples(examples),
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        reduce_range=True,  # older x86 adds two products in 16 bits, which 8 bits and 7 bits never overflow
        nodes_to_exclude=[node.name for node in exact],
    )
    model = onnx.load(path)
    _slim(model)
    onnx.checker.check_model(model)
    onnx.save(model, path)


class _Examples(CalibrationDataReader):
    """Hands over one input after another."""

    def __init__(self, examples: Sequence[NDArray[np.uint8]]) -> None:
        self._left = iter(examples)

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        """The next input, None after the last."""
        pixels = next(self._left, None)
        return None if pixels is None else {"pixels": pixels}


def _slim(model: onnx.ModelProto) -> None:
    """Short names in place of long ones: a third of such a small file would be names."""
    graph = model.graph
    kept = {value.name for value in (*graph.input, *graph.output)}
    short: dict[str, str] = {name: name for name in ("", *kept)}
    for node in graph.node:
        node.name = ""
        for names in (node.input, node.output):
            for place, name in enumerate(names):
                names[place] = short.setdefault(name, f"{len(short)}")
    for tensor in graph.initializer:
        tensor.name = short.setdefault(tensor.name, f"{len(short)}")
    del graph.value_info[:]


# ---- the whole way


def main() -> None:
    """Draw, learn, write, and read pictures that were not learnt from."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the networks go (default: the reader's own)")
    parser.add_argument("--quick", action="store_true", help="few pictures, only to see that all of it runs")
    options = parser.parse_args()
    if options.quick and options.to == FOLDER:
        parser.error("--quick makes networks that read nothing: name another folder than the reader's own with --to")
    few = 1000 if options.quick else 1
    start = time.monotonic()
    logging.disable(logging.WARNING)  # the quantiser's advice to do what is done
    torch.manual_seed(SEED)
    train(options.to, pictures=max(40, PICTURES // few), bare=max(4, BARE // few))
    many = max(4, EXAM_PICTURES // few), max(4, EXAM_BARE // few)
    evaluation = examined(options.to, pictures=many[0], bare=many[1])
    minutes = (time.monotonic() - start) / 60
    score = (
        f"Made by `python -m vision.train` (seed {SEED}) in {minutes:.0f} minutes on {os.cpu_count()} cores. "
        f"Read afterwards: {many[0]} pictures and {many[1]} without dominoes, drawn with seed {EXAM_SEED}."
    )
    (options.to / "SCORE.md").write_text(f"{score}\n\n```\n{evaluation.text()}\n```\n", encoding="utf-8")
    print(evaluation.text())


def train(to: Path, *, pictures: int, bare: int) -> None:
    """Both networks from nothing, written to a folder."""
    numbers = [*range(pictures), *range(PICTURES, PICTURES + bare)]
    windows: list[FinderLesson] = []
    cuts: list[FaceLessons] = []
    kept: list[Picture] = []
    for some, cut_out, picture in on_all_cores(_lessons, numbers, "drawing"):
        windows += some
        cuts.append(cut_out)
        kept.append(picture)
    finder = train_finder(windows, rounds=FINDER_ROUNDS)
    examples = [window.bgr[None] for window in windows[:: max(1, len(windows) // EXAMPLES)]]
    write(finder, to / "finder.onnx", examples, {1: "height", 2: "width"})
    windows.clear()
    reader = FaceReader()
    for number, (rounds, rate) in enumerate(FACE_ROUNDS):
        if number:
            cuts += on_all_cores(partial(_judged, to), list(enumerate(kept)), "reading what was drawn")
        lessons = together(cuts)
        train_faces(reader, lessons, rounds=rounds, rate=rate)
        examples = [folded(lessons.bgr[:: max(1, len(lessons.bgr) // EXAMPLES)])]
        write(reader, to / "faces.onnx", examples, {0: "faces"})


if __name__ == "__main__":
    main()
