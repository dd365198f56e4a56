"""`gameline wiring` as a person types it, and the drawings and tables of the documents, which it has made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "systemd" / "gameline.toml"


def wiring(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "controller", "wiring", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


def lines_of(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of a table, its columns one space apart."""
    return [" ".join(line.split()) for line in ran.stdout.splitlines()]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example configuration, but with a seat board."""
    path = tmp_path_factory.mktemp("config") / "board.toml"
    text = EXAMPLE.read_text(encoding="utf-8").replace('kind = "pins"', 'kind = "board"\nport = "/dev/serial/by-id/x"')
    path.write_text(text, encoding="utf-8")
    return path


def test_wiring_prints_every_wire_as_a_table() -> None:
    """Place, wire, signal, pin, core and parts, and where ground is; nothing on stderr."""
    ran = wiring(EXAMPLE)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "seat 2 yellow GPIO 19 35 YE yellow 470 Ω" in lines_of(ran)
    assert "ground (GND): pins 6, 9," in ran.stdout


def test_wiring_follows_the_configuration(tmp_path: Path) -> None:
    """A pin that is moved in the file is moved in the table and in the drawing, with the table's name."""
    config, out = tmp_path / "own.toml", tmp_path / "own.svg"
    text = EXAMPLE.read_text(encoding="utf-8").replace("referee_lamp = 18", "referee_lamp = 9")
    config.write_text(text.replace('name = "table1"', 'name = "left"'), encoding="utf-8")
    assert "referee lamp GPIO 9 21 GN green 470 Ω" in lines_of(wiring(config))
    ran = wiring(config, "--svg", out)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    texts = [element.text for element in ET.fromstring(out.read_text(encoding="utf-8")).iter() if element.text]
    assert "pin 21" in texts
    assert any(text.startswith("left:") for text in texts)


@pytest.mark.parametrize(("lamps", "name"), [("pixels", "wiring-board.svg"), ("leds", "wiring-board-leds.svg")])
def test_drawing_of_the_board_is_the_documents(board: Path, lamps: str, name: str, tmp_path: Path) -> None:
    """What docs/hardware.md shows is what the command draws."""
    out = tmp_path / "board.svg"
    assert wiring(board, "--lamps", lamps, "--svg", out).returncode == 0
    assert out.read_text(encoding="utf-8") == (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_drawing_of_the_pins_is_the_documents(tmp_path: Path) -> None:
    """The usual wiring of systemd/gameline.toml."""
    out = tmp_path / "pins.svg"
    assert wiring(EXAMPLE, "--svg", out).returncode == 0
    assert out.read_text(encoding="utf-8") == (ROOT / "docs" / "wiring-pins.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.toml"], "gameline: nowhere.toml: expected a configuration file, got No such file or directory"),
        ([EXAMPLE, "--svg", "wiring.png"], "expected a name that ends in .svg for --svg, got wiring.png"),
        ([EXAMPLE, "--lamps", "pixels"], "--lamps pixels needs a seat board: set kind"),
        ([EXAMPLE, "--svg", "no/such/folder/w.svg"], "expected a file that can be written, got no/such/folder/w.svg"),
    ],
)
def test_mistake_is_told_in_one_sentence(words: list[str | Path], says: str) -> None:
    """What was expected and what came, on stderr, with exit code 1."""
    ran = wiring(*words)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert says in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_wiring_that_cannot_work_is_not_drawn(tmp_path: Path) -> None:
    """The same sentence as at the start of the service, with the file's name."""
    config = tmp_path / "own.toml"
    config.write_text(EXAMPLE.read_text(encoding="utf-8").replace("buzzer = 12", "buzzer = 14"), encoding="utf-8")
    ran = wiring(config)
    assert ran.returncode == 1
    assert f"{config}: seats.pins: GPIO 14 cannot be the buzzer" in ran.stderr


def test_lamps_can_be_of_another_kind(board: Path) -> None:
    """One LED that is dimmed, or one of three colours, on the Pi or on a board."""
    assert "seat 1 lamp GPIO 23 16 GN green 470 Ω" in lines_of(wiring(EXAMPLE, "--lamps", "pwm"))
    assert "seat 1 blue GPIO 24 18 YE yellow 100 Ω" in lines_of(wiring(EXAMPLE, "--lamps", "rgb"))
    assert "seat 0 green GP7 10 GN green 470 Ω" in lines_of(wiring(board, "--lamps", "leds"))


def test_help_has_an_example() -> None:
    """And wrong words are wrong usage."""
    assert "example: gameline wiring" in wiring("--help").stdout
    assert wiring(EXAMPLE, "--lamps", "candles").returncode == 2
    assert wiring(EXAMPLE, "--svg", "x.svg", "--markdown").returncode == 2
