"""The files in which the kernel of a Raspberry Pi 5 tells the voltage, as it names and writes them."""

from pathlib import Path


def sensors_in(folder: Path, *, is_weak: bool) -> Path:
    """What stands for /sys/class/hwmon, made anew or written over."""
    sensors = folder / "hwmon"
    for number, (name, file, text) in enumerate(
        (
            ("cpu_thermal", "temp1_input", "54321"),
            ("rp1_adc", "in1_input", "1481"),
            ("pwmfan", "fan1_input", "2913"),
            ("rpi_volt", "in0_lcrit_alarm", str(int(is_weak))),
        )
    ):
        sensor = sensors / f"hwmon{number}"
        sensor.mkdir(parents=True, exist_ok=True)
        (sensor / "name").write_text(f"{name}\n")
        (sensor / file).write_text(f"{text}\n")
    return sensors
