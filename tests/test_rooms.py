"""The rooms of the house: who may import whom, and that every file says in its first line what belongs in it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("vision", "hardware", "firmware_bridge", "controller")
LEAVES = frozenset(ROOMS) - {"controller"}
COMPOSITION_ROOT = "controller/app.py"
"""The one file that may know several rooms."""
BOARD_ROOT = "firmware_bridge/firmware/main.py"
"""The same on the seat board, where nothing else knows what the Pi's own pins share with it."""
SHARED_WITH_BOARD = {"hardware", "hardware.lamps", "hardware.buzzer", "hardware.debounce"}

CORE = "controller/game"
PURE_BUT_FOR = {"controller/record": ("json_",), "controller/register": ("files.py", "page.py")}
"""Beside the core: rooms of values and words, but for the files that read and write."""
CORE_MAY_IMPORT = frozenset(
    {"__future__", "collections", "dataclasses", "enum", "functools", "itertools", "math", "re", "typing"}
)
"""Modules of values only: no clock, file, thread, log or chance can come in by these."""

BOARD_LIBRARIES = {"machine", "micropython", "neopixel", "utime"}
"""What MicroPython brings on the seat board; touched in the one file that has its pins."""
LIBRARIES = {
    "vision": {"numpy", "cv2", "onnxruntime", "picamera2", "libcamera", "torch", "onnx"},
    "hardware": {"gpiozero", "RPi", "lgpio"},
    "firmware_bridge": {"serial", *BOARD_LIBRARIES},
    "controller": {
        "msgspec",
        "paho",
        "rich",
        "sdnotify",
        "numpy",
        "cv2",
        "gpiozero",
        "reportlab",
        "cryptography",
        "prometheus_client",
        "logging_journald",
        "packaging",
    },
}
"""What a room may import beyond the standard library."""
ONE_FILE_ONLY = {
    "serial": "firmware_bridge",
    "picamera2": "vision",
    "onnxruntime": "vision",
    "sdnotify": "controller",
    "reportlab": "controller",
    "cryptography": "controller",
    "prometheus_client": "controller",
    "logging_journald": "controller",
    "packaging": "controller",
    **dict.fromkeys(BOARD_LIBRARIES, "firmware_bridge"),
}
"""Libraries that only one file of their room touches."""

TRAINING = {"vision/nets.py", "vision/train.py"}
"""The files that need what is only there where the networks are made."""

FILES = sorted(path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def imports(file: str) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it, also those only for types."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: expected absolute imports only, got one with {node.level} dots"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def roots(file: str) -> frozenset[str]:
    """First words of what a file imports."""
    return frozenset(name.split(".")[0] for name in imports(file))


def room_of(file: str) -> str:
    """The room a file lies in."""
    return file.split("/")[0]


def test_every_room_has_files() -> None:
    """The walk sees the house it is to judge."""
    assert {room_of(file) for file in FILES} == set(ROOMS)
    assert sum(file.startswith(CORE) for file in FILES) > 10


@pytest.mark.parametrize("file", FILES)
def test_file_imports_only_what_its_room_may_know(file: str) -> None:
    """A leaf room knows no other room, and no room a library that is another room's business."""
    room = room_of(file)
    foreign = roots(file) & frozenset(ROOMS) - {room}
    if file == BOARD_ROOT:
        shared = {name for name in imports(file) if name.split(".")[0] == "hardware"}
        assert {name for name in shared if not name.startswith(tuple(SHARED_WITH_BOARD - {"hardware"}))} <= {"hardware"}
    elif room in LEAVES:
        assert not foreign, f"{file} imports {sorted(foreign)}: a leaf room knows no other"
    elif file != COMPOSITION_ROOT:
        assert len(foreign) <= 1, f"{file} imports {sorted(foreign)}: only {COMPOSITION_ROOT} may know several rooms"
    libraries = roots(file) - frozenset(ROOMS) - sys.stdlib_module_names
    assert libraries <= LIBRARIES[room], f"{file} imports {sorted(libraries - LIBRARIES[room])}"


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith(CORE)])
def test_core_imports_values_and_itself_only(file: str) -> None:
    """No time, thread, file, log, array or random number enters the core, and nothing of the shell."""
    for name in imports(file):
        is_own = name == CORE.replace("/", ".") or name.startswith(CORE.replace("/", ".") + ".")
        assert is_own or name.split(".")[0] in CORE_MAY_IMPORT, f"{file} imports {name}"


def is_pure_beside_the_core(file: str) -> bool:
    """Whether a file of the paperwork is to know values, the core and its own room only."""
    folder, _, name = file.rpartition("/")
    return folder in PURE_BUT_FOR and not name.startswith(PURE_BUT_FOR[folder])


@pytest.mark.parametrize("file", [file for file in FILES if is_pure_beside_the_core(file)])
def test_records_and_registers_are_values_and_words(file: str) -> None:
    """What a record or register says depends on the game alone: only their files reach outside."""
    own = file.rpartition("/")[0].replace("/", ".")
    for name in imports(file):
        is_known = name.startswith(("controller.game.", own)) or name == "controller.game"
        assert is_known or name.split(".")[0] in CORE_MAY_IMPORT, f"{file} imports {name}"


def test_core_calls_nothing_that_reaches_outside() -> None:
    """Nothing built in lets the core read or write either."""
    forbidden = {"open", "print", "input", "exec", "eval", "__import__", "hash", "id"}
    for file in (file for file in FILES if file.startswith(CORE) or is_pure_beside_the_core(file)):
        called = {
            node.func.id
            for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & forbidden, f"{file} calls {sorted(called & forbidden)}"


@pytest.mark.parametrize("library", sorted(ONE_FILE_ONLY))
def test_library_of_a_device_is_touched_in_one_file(library: str) -> None:
    """Where a device's library is replaced there is one file to change."""
    touching = [file for file in FILES if library in roots(file) and file not in TRAINING]
    assert len(touching) <= 1, touching
    assert all(room_of(file) == ONE_FILE_ONLY[library] for file in touching)


@pytest.mark.parametrize("file", FILES)
def test_file_begins_with_one_sentence_about_itself(file: str) -> None:
    """The first line is a docstring of one sentence that says what belongs here."""
    text = (ROOT / file).read_text(encoding="utf-8")
    first = text.splitlines()[0]
    assert text.startswith(('"""', 'r"""')), f"{file} begins with {first!r}"
    assert ast.get_docstring(ast.parse(text))
    sentence = first.strip('r"')
    assert re.fullmatch(r"[A-Z`].{15,}[.:]", sentence), (
        f"{file}: expected one sentence ending with a stop, got {first!r}"
    )
    assert not re.search(r"[.!?] [A-Z]", sentence), f"{file}: expected one sentence, got {first!r}"


def test_rooms_are_at_most_two_folders_deep() -> None:
    """A file is found without a map: room, folder, file."""
    assert [file for file in FILES if file.count("/") > 2] == []


def test_only_training_needs_what_trains() -> None:
    """PyTorch and onnx are not on a table: nothing that runs there imports them, nor a file that does."""
    for file in FILES:
        if file not in TRAINING:
            assert not roots(file) & {"torch", "onnx"}, file
            assert not [name for name in imports(file) if name.startswith(("vision.nets", "vision.train"))], file
