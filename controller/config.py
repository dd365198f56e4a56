"""The one configuration file: what may stand in `gameline.toml`, read strictly, each mistake told with file and key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import inspect

from controller.accounts import Role, name_problem
from controller.game.rulesets import Params, RuleSet, spots, values_of
from controller.quiet import time_of_day

Point = tuple[float, float]


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names the file, the key, what was expected and what came."""


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table and where it lies in the camera's picture."""

    name: str = "table1"
    """The `<table>` of every MQTT topic: letters, digits, - and _."""
    corners_px: tuple[Point, Point, Point, Point] | None = None
    """Corners clockwise from the picture's top left; without them the whole picture is the middle of the table."""
    side_mm: float = 900.0
    zone_mm: float = 130.0
    calibration: str = "/var/lib/gameline/calibration.json"
    """Where `gameline calibrate` keeps what it found; where there is one, it counts and not corners_px."""


class CameraConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where frames come from."""

    kind: Literal["picamera", "v4l2", "video", "folder"] = "picamera"
    path: str | None = None
    """A stable device path for v4l2, a file for video, a folder for folder; picamera needs none."""
    width_px: int = 1280
    height_px: int = 720
    fps: float = 10.0
    mains_hz: Literal[50, 60] = 50
    """Of the lamps; the exposure is held at whole flickers of them."""
    stale_s: float = 2.0
    """With no frame for so long the camera counts as lost and the clock stops."""


class SeatPinsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """BCM numbers of one seat."""

    button: int
    green: int
    yellow: int
    red: int


class PinsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The wiring table, in BCM numbers."""

    seat0: SeatPinsConfig
    seat1: SeatPinsConfig
    seat2: SeatPinsConfig
    seat3: SeatPinsConfig
    referee_lamp: int
    acknowledge: int
    buzzer: int


class SeatsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Buttons and lamps: on the Pi's own pins, or on a seat board at a serial line."""

    kind: Literal["pins", "board"] = "pins"
    pin_factory: Literal["rpigpio", "lgpio", "mock"] = "rpigpio"
    pins: PinsConfig | None = None
    """Without it the wiring of docs/hardware.md is taken."""
    port: str | None = None
    """The board's stable path, /dev/serial/by-id/..."""
    lamps: Literal["leds", "pwm", "rgb"] = "leds"
    """What hangs on a seat's lamp pins of the Pi; a board says itself what it has."""
    quiet: tuple[str, str] | None = None
    """From when to when, local time, the buzzer is silent."""


class BrokerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The MQTT broker."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: str | None = None
    tls: bool = False
    ca_file: str | None = None
    """The certificate of the authority that the broker's is from; without it those that the system trusts."""
    mqtt: Literal["5", "3.1.1"] = "5"
    """The version that is spoken; with a broker that refuses 5 it is 3.1.1 in any case."""
    accounts: dict[str, Role] = {}
    """Who has an account at the broker, and for what; empty: whoever can write `cmd/<name>` is taken at his word."""
    reconnect_s: tuple[int, int] = (1, 15)
    """First and longest wait between two tries."""


class JournalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where every event is kept."""

    path: str = "/var/lib/gameline/journal.sqlite"


class StillsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pictures of the table before and after each alert."""

    path: str | None = None
    """Their folder; without it `stills` beside the journal."""
    budget_mb: int = 200
    """How large all of them may be together; the oldest go first."""


class ViewConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The technician's page: what the camera sees, and what is made of it."""

    port: int | None = None
    """Without it there is no page."""
    host: str = "127.0.0.1"
    """The address it listens on; 0.0.0.0 for a phone on the same network: anybody there can look and save then."""
    cases: str = "/var/lib/gameline/cases"
    """The folder of frames saved as test cases."""


class HomeAssistantConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether and where Home Assistant is told of the table."""

    discovery: bool = False
    prefix: str = "homeassistant"
    """Below which it listens for devices; its own setting, rarely another."""


class MetricsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page that Prometheus reads."""

    port: int | None = None
    """Without it there is no page."""
    host: str = "127.0.0.1"
    """The address it listens on; whoever can reach it can read it."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    table: TableConfig = TableConfig()
    camera: CameraConfig = CameraConfig()
    seats: SeatsConfig = SeatsConfig()
    broker: BrokerConfig = BrokerConfig()
    journal: JournalConfig = JournalConfig()
    stills: StillsConfig = StillsConfig()
    view: ViewConfig = ViewConfig()
    home_assistant: HomeAssistantConfig = HomeAssistantConfig()
    metrics: MetricsConfig = MetricsConfig()
    game: Params = msgspec.field(default_factory=Params)
    """What is left out has the default of the rule set that is chosen."""


def load_config(path: Path, *, only: str | None = None) -> Config:
    """The configuration in the file at `path`; only one of its tables, all others as usual, where that is enough.

    Raises:
        ConfigError: the file can't be read, is no TOML, or a key is unknown, of the wrong type or out of range;
            or it is empty.
    """
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(
            f"{path}: expected a configuration file, got {error.strerror}: give the path of one"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: expected TOML, got something else: {error}") from error
    if not text.strip():  # a power cut or a full disk leaves such a file: its table would play under another name
        raise ConfigError(f"{path}: expected a configuration, got an empty file: put it back; [table] alone is enough")
    if only is not None:
        raw = {only: raw.get(only, {})}
    return parse_config(raw, where=str(path))


def in_file(error: ConfigError, path: Path) -> str:
    """What is wrong, with the file it is wrong in."""
    text = str(error)
    return text if text.startswith(str(path)) else f"{path}: {text}"


def parse_config(raw: dict[str, Any], *, where: str) -> Config:
    """The configuration in an already parsed table; `where` names it in errors."""
    _refuse_unknown(raw, inspect.type_info(Config), "", where)
    raw = _with_rule_set(raw)
    try:
        config = msgspec.convert(raw, Config, strict=True)
    except msgspec.ValidationError as error:
        raise ConfigError(_explained(str(error), raw, where)) from error
    _check(config, where)
    return config


def _with_rule_set(raw: dict[str, Any]) -> dict[str, Any]:
    """`raw` with the defaults of `spots` where those rules are chosen; those of `fours` are the types' own."""
    game = raw.get("game")
    if not isinstance(game, dict) or game.get("rule_set") != RuleSet.SPOTS.value:
        return raw
    return {**raw, "game": {**values_of(spots()), **game}}


def _refuse_unknown(raw: object, kind: inspect.Type, path: str, where: str) -> None:
    """Raise for the first key that stands in no table of `kind`, with the keys that may stand there."""
    fields = _fields(kind)
    if not isinstance(raw, dict) or not fields:
        return
    for key, value in raw.items():
        if key not in fields:
            raise ConfigError(f"{where}: {path}{key}: expected one of {', '.join(fields)}, got {key!r}")
        _refuse_unknown(value, fields[key], f"{path}{key}.", where)


def _fields(kind: inspect.Type) -> dict[str, inspect.Type]:
    """The keys of a table and what each holds; none where `kind` is no table."""
    if isinstance(kind, inspect.UnionType):
        return {name: held for each in kind.types for name, held in _fields(each).items()}
    if isinstance(kind, inspect.StructType | inspect.DataclassType):
        return {field.name: field.type for field in kind.fields}
    return {}


def _explained(message: str, raw: dict[str, Any], where: str) -> str:
    """msgspec's sentence with the key as a person writes it, what was expected there, and the value that came."""
    what, _, place = message.partition(" - at `$")
    path = place.rstrip("`").lstrip(".")
    value: Any = raw
    kind: inspect.Type = inspect.type_info(Config)
    for part in re.findall(r"[^.\[\]]+", path):
        value = value[int(part)] if isinstance(value, list) else value[part]
        kind = _fields(kind).get(part, kind)
    if missing := re.fullmatch(r"Object missing required field `(.*)`", what):
        return f"{where}: {path}.{missing[1]}: expected a value, got none"
    if choices := _choices(kind):
        what = f"expected one of {', '.join(choices)}"
    came = "" if isinstance(value, dict) else f" (the value is {value!r})"
    return f"{where}: {path}: {what[0].lower()}{what[1:]}{came}"


def _choices(kind: inspect.Type) -> tuple[str, ...]:
    """The words that may stand there, where only certain words may."""
    if isinstance(kind, inspect.LiteralType):
        return tuple(str(value) for value in kind.values)
    return tuple(str(each.value) for each in kind.cls) if isinstance(kind, inspect.EnumType) else ()


def table_problem(name: str) -> str | None:
    """Why this can't be a table's name, a level of topics; None when it can."""
    return None if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f"expected letters, digits, - and _, got {name!r}"


def _check(config: Config, where: str) -> None:
    """What types alone cannot say."""
    table, camera, seats, broker = config.table, config.camera, config.seats, config.broker
    problems = {
        "table.name": table_problem(table.name),
        "table.side_mm": None if 300 <= table.side_mm <= 3000 else f"expected 300 to 3000, got {table.side_mm:g}",
        "table.zone_mm": None
        if 0 < table.zone_mm < table.side_mm / 2
        else f"expected more than 0 and less than half of side_mm, got {table.zone_mm:g}",
        "camera.path": f"expected a path for camera kind {camera.kind!r}, got none"
        if camera.kind != "picamera" and camera.path is None
        else None,
        "camera.fps": None if 0 < camera.fps <= 120 else f"expected more than 0 and at most 120, got {camera.fps:g}",
        "camera.stale_s": None if 0.2 <= camera.stale_s <= 60 else f"expected 0.2 to 60, got {camera.stale_s:g}",
        "camera.width_px": None if 160 <= camera.width_px <= 8192 else f"expected 160 to 8192, got {camera.width_px}",
        "camera.height_px": None
        if 120 <= camera.height_px <= 8192
        else f"expected 120 to 8192, got {camera.height_px}",
        "seats.port": "expected the board's /dev/serial/by-id/... path, got none"
        if seats.kind == "board" and seats.port is None
        else None,
        "seats.quiet": _hours_problem(seats.quiet),
        "broker.password_file": "expected broker.username beside it, got none"
        if broker.password_file is not None and broker.username is None
        else None,
        "broker.ca_file": "expected tls = true beside it, got a connection in the clear"
        if broker.ca_file is not None and not broker.tls
        else None,
        "broker.accounts": next(filter(None, map(name_problem, broker.accounts)), None),
        "broker.port": _port_problem(broker.port),
        "stills.budget_mb": None
        if 1 <= config.stills.budget_mb <= 1_000_000
        else f"expected 1 to 1000000, got {config.stills.budget_mb}",
        "view.port": _port_problem(config.view.port),
        "metrics.port": _port_problem(config.metrics.port),
        "home_assistant.prefix": None
        if re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", config.home_assistant.prefix)
        else f"expected a topic of letters, digits, - and _, got {config.home_assistant.prefix!r}",
        "broker.reconnect_s": None
        if 1 <= broker.reconnect_s[0] <= broker.reconnect_s[1]
        else f"expected [first, longest] with 1 <= first <= longest, got {list(broker.reconnect_s)}",
    }
    for key, problem in problems.items():
        if problem is not None:
            raise ConfigError(f"{where}: {key}: {problem}")


def _port_problem(port: int | None) -> str | None:
    return None if port is None or 0 < port < 65536 else f"expected 1 to 65535, got {port}"


def _hours_problem(hours: tuple[str, str] | None) -> str | None:
    try:
        times = {time_of_day(text) for text in hours or ()}
    except ValueError as error:
        return str(error)
    return f"expected two different times, got {hours[0]!r} twice" if hours and len(times) == 1 else None
