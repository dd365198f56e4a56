"""What holds the project together: its unit file, its example configuration, its documents."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import msgspec

from controller.config import Config, load_config
from controller.orders import ORDERS

ROOT = Path(__file__).parents[1]


def test_example_configuration_is_the_default_in_full() -> None:
    """The annotated file says of every key what the program takes without it."""
    written = msgspec.to_builtins(load_config(ROOT / "systemd" / "gameline.toml"))
    default = msgspec.to_builtins(Config())
    assert written["seats"].pop("pins") is not None
    default["seats"].pop("pins")
    assert written == default


def test_example_configuration_names_every_key() -> None:
    """Nothing can be configured that the annotated file does not show, in use or commented out."""
    text = (ROOT / "systemd" / "gameline.toml").read_text()
    for section in msgspec.structs.fields(Config):
        assert f"[{section.name}]" in text
        for key in set(msgspec.to_builtins(getattr(Config(), section.name))) - {"version"}:
            assert re.search(rf"^(# )?.*\b{key}\b", text, re.MULTILINE), f"{section.name}.{key}"


def test_unit_is_a_notify_service_with_a_watchdog_that_always_comes_back() -> None:
    """The unit waits for READY=1, watches the loop, and never gives up starting it."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "systemd" / "gameline.service")
    assert unit["Service"]["Type"] == "notify"
    assert int(unit["Service"]["WatchdogSec"]) > 0
    assert unit["Service"]["Restart"] == "always"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert unit["Service"]["ExecStart"].split()[1] == "run"


def test_unit_works_in_a_folder_that_it_may_write() -> None:
    """lgpio makes a pipe in the folder it is started in, and systemd's own is / where nobody may."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "systemd" / "gameline.service")
    assert unit["Service"]["WorkingDirectory"] == f"/var/lib/{unit['Service']['StateDirectory']}"


def test_documents_name_every_command_and_link_only_what_is_there() -> None:
    """A referee's programmer finds each command; no link leads nowhere."""
    mqtt = (ROOT / "docs" / "mqtt.md").read_text()
    assert all(f"`{name}`" in mqtt for name in ORDERS)
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_decisions_have_their_own_numbers_and_the_five_parts() -> None:
    """Each decision record says when, in which state, why, what and what follows."""
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    for record in records:
        text = record.read_text()
        assert all(part in text for part in ("Date:", "Status:", "## Context", "## Decision", "## Consequences"))


def test_no_client_is_used_a_second_time() -> None:
    """paho's `reinitialise` raises in its second callback interface; a new client is built instead."""
    assert not [path for path in (ROOT / "controller").rglob("*.py") if "reinitialise" in path.read_text()]
