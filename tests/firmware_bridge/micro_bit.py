"""A micro:bit in QEMU: MicroPython as it is burnt into a chip, on an emulated Cortex-M0, with 9 kB of memory.

So small a board cannot hold the whole firmware at once, and its MicroPython is 1.9.2. A file is put into its flash
without docstrings and annotations, without formatted texts, which that version does not know, and in parts of a
kilobyte, as its compiler needs twice that; all else is as it is.
"""

import ast
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import serial

HEX = Path("/usr/share/firmware-microbit-micropython/firmware.hex")
QEMU = shutil.which("qemu-system-arm")
IS_THERE = QEMU is not None and HEX.exists()

PART = 600
"""Characters of a part."""

_OWN = ("hardware", "firmware_bridge")


class MicroBit:
    """A board that is switched on, at its console; *line* is its serial port."""

    def __init__(self) -> None:
        self._home: dict[str, str] = {}  # every name loaded so far, and the part that has it

    def __enter__(self) -> Self:
        machine = [QEMU or "qemu-system-arm", "-M", "microbit", "-nographic", "-nodefaults", "-serial", "pty"]
        self._process = subprocess.Popen(
            [*machine, "-device", f"loader,file={HEX}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self._process.stdout is not None
        found = re.search(r"/dev/pts/\d+", self._process.stdout.readline())
        assert found
        self.line = serial.Serial(found[0], 115_200, timeout=0.05)
        self.line.write(b"\r\x03")
        self._until(b">>> ")
        self.line.write(b"\x01")
        self._until(b">")
        return self

    def __exit__(self, *_: object) -> None:
        self.line.close()
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def load(self, file: Path) -> None:
        """Put a file of the firmware into the board's flash and import its names."""
        self.load_text(file.stem, file.read_text(encoding="utf-8"))

    def load_text(self, stem: str, text: str) -> None:
        """The same with a file that is not one of the firmware's; it may use every name loaded before."""
        parts: list[list[_Statement]] = [[]]
        for statement in _in_order(_statements(text)):
            if parts[-1] and sum(len(other.text) for other in parts[-1]) + len(statement.text) > PART:
                parts.append([])
            parts[-1].append(statement)
        for number, part in enumerate(parts):
            name = f"{stem}{number}"
            used = set().union(*(statement.uses for statement in part)) & self._home.keys()
            lines = [f"from {self._home[word]} import {word}" for word in sorted(used)]
            self._write(f"{name}.py", "\n".join([*lines, *(statement.text for statement in part)]))
            defined = sorted(set().union(*(statement.defines for statement in part)))
            self._home |= dict.fromkeys(defined, name)
            self.run(f"import gc\ngc.collect()\nfrom {name} import {', '.join(defined)}\ngc.collect()")

    def _write(self, name: str, text: str) -> None:
        self.run(f"f = open({name!r}, 'w')")
        for begin in range(0, len(text), 100):
            self.run(f"_ = f.write({text[begin : begin + 100]!r})")
        self.run("f.close()")

    def run(self, code: str) -> str:
        """Run some statements and tell what they print.

        Raises:
            RuntimeError: What the board raised.
        """
        self.start(code)
        answer = self._until(b"\x04", times=2)
        printed, _, raised = answer.removeprefix(b"OK").rstrip(b"\x04>").partition(b"\x04")
        if raised:
            raise RuntimeError(raised.decode(errors="replace"))
        self._until(b">")
        return printed.decode().replace("\r\n", "\n")

    def start(self, code: str) -> None:
        """Run a program that goes on."""
        data = code.encode()
        for begin in range(0, len(data), 16):
            self.line.write(data[begin : begin + 16])
            time.sleep(0.004)  # no handshake, and a buffer of 64 bytes
        self.line.write(b"\x04")

    def _until(self, end: bytes, *, times: int = 1, timeout_s: float = 20.0) -> bytes:
        heard = b""
        deadline = time.monotonic() + timeout_s
        while heard.count(end) < times:
            assert time.monotonic() < deadline, f"the board said {heard!r}, no {end!r}"
            heard += self.line.read(1)
        return heard


class _Reducer(ast.NodeTransformer):
    """Leaves what a MicroPython of 2017 understands and 9 kB can hold."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else None

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.Constant("?")

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        is_own = (node.module or "").split(".")[0] in _OWN
        return ast.Pass() if is_own else node  # every part imports what it uses


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of a file, the names it makes and the names it uses."""

    text: str
    defines: frozenset[str]
    uses: frozenset[str]


def _statements(text: str) -> list[_Statement]:
    tree = ast.fix_missing_locations(_Reducer().visit(ast.parse(text)))
    found = []
    for node in tree.body:
        names = [name for name in ast.walk(node) if isinstance(name, ast.Name)]
        targets = node.targets if isinstance(node, ast.Assign) else []
        defines = {name.id for name in targets if isinstance(name, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defines = {node.name}
        defines |= {
            a.asname or a.name
            for part in ast.walk(node)
            if isinstance(part, ast.Import | ast.ImportFrom)
            for a in part.names
        }
        short = re.sub(r"(?m)^( {4})+", lambda found: " " * (len(found[0]) // 4), ast.unparse(node))
        found.append(_Statement(short, frozenset(defines), frozenset(name.id for name in names) - defines))
    return found


def _in_order(statements: list[_Statement]) -> list[_Statement]:
    """Each after those whose names it uses, so that a file can be cut anywhere."""
    here = frozenset().union(*(statement.defines for statement in statements))
    made: set[str] = set()
    waiting, ordered = list(statements), []
    while waiting:
        ready = next(statement for statement in waiting if (statement.uses & here) <= made)
        waiting.remove(ready)
        made |= ready.defines
        ordered.append(ready)
    return ordered
