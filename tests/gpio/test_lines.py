"""The kernel's view of the pins on genuine lines: the header's chip by its label, who holds a line, lines silenced."""

import subprocess
import sys
from pathlib import Path

import pytest

from hardware import lines
from hardware.wiring import DEFAULT_WIRING, outputs
from tests.gpio.bank import Bank, another_program, banks, wait_until

ROOT = Path(__file__).parents[2]
BUZZER = DEFAULT_WIRING.buzzer


@pytest.mark.parametrize("label", sorted(lines.HEADER_LABELS))
@pytest.mark.parametrize("place", [0, 1, 4])
def test_chip_of_the_header_is_found_by_its_label_at_any_number(label: str, place: int) -> None:
    """Pi 3, 4 or 5, an old kernel or a new one: the label says which chip it is, the number says nothing."""
    others = ["brcmvirt-gpio", "raspberrypi-exp-gpio", "gpio-brcmstb@107d508500", "gpio-brcmstb@107d517c00"]
    with banks(*others[:place], label, *others[place:]) as chips:
        assert lines.header_chip() == chips[place].number == place


def test_no_chip_of_a_header_lists_what_is_there() -> None:
    """On some other board nothing is guessed."""
    with banks("brcmvirt-gpio"), pytest.raises(OSError, match=r"got gpiochip0 brcmvirt-gpio"):
        lines.header_chip()


def test_holder_is_named_as_the_kernel_names_it() -> None:
    """A driver gives its own name, a program its library's, and a free line has nobody."""
    chip = Bank("held", "pinctrl-bcm2711", hogs={8: "spi0 CS0"})
    try:
        assert lines.holder(chip.number, 8) == "spi0 CS0"
        assert lines.holder(chip.number, 7) is None
        with another_program(chip.number, 7):
            assert lines.holder(chip.number, 7) == "lg"
    finally:
        chip.close()


def test_killed_program_leaves_its_output_on_until_it_is_silenced(header: Bank) -> None:
    """What a buzzer does after kill -9 on a Raspberry Pi's kernel, and what ends it."""
    with another_program(header.number, BUZZER) as program:
        program.kill()
        program.wait()
        wait_until(lambda: lines.holder(header.number, BUZZER) is None, "the line to be free")
        assert header.level(BUZZER) == 1
    assert lines.silence(header.number, [BUZZER]) == {}
    assert header.level(BUZZER) == 0
    assert header.pull(BUZZER) == "down"
    assert lines.holder(header.number, BUZZER) is None


def test_line_that_is_held_is_told_and_the_others_are_silenced(header: Bank) -> None:
    """One pin that somebody has does not keep a lamp alight."""
    with another_program(header.number, 17), another_program(header.number, 22) as killed:
        killed.kill()
        killed.wait()
        wait_until(lambda: lines.holder(header.number, 22) is None, "the line to be free")
        assert list(lines.silence(header.number, [17, 22])) == [17]
        assert (header.level(17), header.level(22)) == (1, 0)
    lines.silence(header.number, [17])


@pytest.mark.parametrize("library", ["rpigpio", "lgpio"])
def test_command_silences_every_lamp_and_the_buzzer(header: Bank, tmp_path: Path, library: str) -> None:
    """`gameline silence CONFIG`, as systemd runs it after the service: all 14 outputs low."""
    config = tmp_path / "gameline.toml"
    config.write_text(f'[seats]\npin_factory = "{library}"\n')
    with another_program(header.number, *outputs(DEFAULT_WIRING)):
        pass
    assert all(header.level(line) for line in outputs(DEFAULT_WIRING))
    subprocess.run([sys.executable, "-m", "controller", "silence", str(config)], cwd=ROOT, check=True)
    assert not any(header.level(line) for line in outputs(DEFAULT_WIRING))


@pytest.mark.parametrize("seats", ['kind = "board"\nport = "/dev/null"', 'pin_factory = "mock"'])
def test_command_leaves_pins_alone_that_are_not_the_table_s(header: Bank, tmp_path: Path, seats: str) -> None:
    """A table with a seat board has nothing on the Pi's pins; what is there belongs to something else."""
    config = tmp_path / "gameline.toml"
    config.write_text(f"[seats]\n{seats}\n")
    with another_program(header.number, BUZZER):
        pass
    subprocess.run([sys.executable, "-m", "controller", "silence", str(config)], cwd=ROOT, check=True)
    assert header.level(BUZZER) == 1
    lines.silence(header.number, [BUZZER])
