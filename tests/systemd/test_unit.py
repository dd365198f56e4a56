"""The unit as systemd itself reads it, and the command it runs after the service, whatever ended that."""

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd" / "gameline.service"
INSTALLED = "/opt/gameline/.venv/bin/gameline"

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with the program where it is here."""
    text = UNIT.read_text()
    assert text.count(INSTALLED) == 2
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace(INSTALLED, str(Path(sys.executable).with_name("gameline"))))
    return copy


def analyze(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_has_nothing_to_say_about_the_unit(unit: Path) -> None:
    """A key it does not know, a value it cannot read or a command that is not there: each is a line, and there is none.

    systemd-analyze exits 0 on an unknown key, so any output counts.
    """
    verified = analyze("verify", unit)
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")


@needs_systemd
@pytest.mark.parametrize("mistake", ["Restat=always", "WatchdogSec=tenish", "ExecStopPost=/nowhere/gameline"])
def test_mistake_in_the_unit_would_be_told(unit: Path, mistake: str) -> None:
    """The test above can fail."""
    unit.write_text(unit.read_text().replace("[Service]\n", f"[Service]\n{mistake}\n"))
    verified = analyze("verify", unit)
    assert verified.stdout + verified.stderr


@needs_systemd
def test_unit_stays_closed_to_what_a_table_never_needs(unit: Path) -> None:
    """systemd's own judgement of what the service may do, from 0 (nothing) to 10: it is not to get worse."""
    judged = analyze("security", "--offline=true", "--threshold=45", "--no-pager", unit)
    assert judged.returncode == 0, judged.stdout[-500:]


def test_last_command_of_the_unit_silences_the_table_in_its_configuration() -> None:
    """It is run after a kill -9 too, which no ExecStop is, with the configuration that the service had."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT)
    run, last = unit["Service"]["ExecStart"].split(), unit["Service"]["ExecStopPost"].split()
    assert last == [run[0], "silence", run[2]]


def test_silencing_a_table_loads_little_and_says_nothing(tmp_path: Path) -> None:
    """Nothing that takes time to load is loaded, on a slow card too."""
    config = tmp_path / "gameline.toml"
    config.write_text('[seats]\npin_factory = "mock"\n')
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "controller", "silence", config],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert loaded.isdisjoint({"cv2", "numpy", "gpiozero", "RPi.GPIO", "lgpio", "paho", "rich", "onnxruntime"})
    assert "hardware.lines" in loaded


def test_pins_that_are_not_there_are_told_in_one_sentence(tmp_path: Path) -> None:
    """On a machine without a header the command says so and ends with 1."""
    config = tmp_path / "gameline.toml"
    config.write_text('[seats]\npin_factory = "lgpio"\n')
    done = subprocess.run(
        [sys.executable, "-m", "controller", "silence", config], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "lamps and buzzer could not be switched off: expected a chip labelled pinctrl-bcm2711" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[game]\nlimit = "a slip"\n', ""),
        ("[seats.pins]\nreferee_lamp = 99\n", "own.toml: "),
    ],
)
def test_slip_in_the_configuration_stops_silence_only_where_the_pins_are(tmp_path: Path, text: str, says: str) -> None:
    """What the rules' table says wrong must not leave the buzzer on; what the pins' does is told with its file."""
    config = tmp_path / "own.toml"
    config.write_text(text.replace("[game]", '[seats]\npin_factory = "mock"\n[game]'), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "controller", "silence", config], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == bool(says)
    assert says in ran.stderr
