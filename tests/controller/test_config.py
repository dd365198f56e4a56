"""The configuration file: every mistake is told with file, key, what was expected and what came."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from enum import Enum
from pathlib import Path

import msgspec
import pytest

from controller.config import Config, ConfigError, HomeAssistantConfig, load_config
from controller.game.rulesets import Adjudication, LockTie, Params, WrongDominoAlert, fours, spots, values_of
from controller.quiet import is_quiet, time_of_day

EXAMPLE = Path(__file__).parents[2] / "systemd" / "gameline.toml"
PARAMETER = re.compile(r"^(?:# )?(\w+) = (.+?)(?:  # spots: (.+))?$", re.MULTILINE)
"""A parameter in the example: its name, the default of `fours`, and that of `spots` where it is another."""
WORDS = [
    (field.name, member)
    for field in fields(Params)
    if isinstance(field.default, Enum)
    for member in type(field.default)
]
"""Every parameter that is a word, with every word that it may be."""
GOES_WITH = {
    ("scoring", "spots"): 'ladder = "fines"',
    ("ladder", "fines"): 'scoring = "spots"',
}
"""What has to be chosen beside a word: scoring and ladder are of one text."""

TABLES = ", ".join(field.name for field in msgspec.structs.fields(Config))
WHOLE = """
[table]
name = "hall-1"
corners_px = [[100, 20], [1180.5, 20], [1180, 700], [100, 700]]
side_mm = 850
zone_mm = 120

[camera]
kind = "v4l2"
path = "/dev/v4l/by-id/camera"
width_px = 1920
height_px = 1080
fps = 15
stale_s = 1.5

[seats]
kind = "pins"
pin_factory = "lgpio"

[seats.pins]
seat0 = { button = 5, green = 6, yellow = 13, red = 19 }
seat1 = { button = 26, green = 12, yellow = 16, red = 20 }
seat2 = { button = 21, green = 17, yellow = 27, red = 22 }
seat3 = { button = 23, green = 24, yellow = 25, red = 8 }
referee_lamp = 7
acknowledge = 9
buzzer = 11

[broker]
host = "broker.local"
port = 8883
username = "table"
password_file = "/etc/gameline/password"
reconnect_s = [2, 30]

[journal]
path = "/var/lib/gameline/hall-1.sqlite"

[home_assistant]
discovery = true
prefix = "hall/homes"

[game]
sets_in_game = 8
think_seconds = 20
pair_tournament = false
adjudication = "referee"
wrong_domino_alert = "immediate"
wrong_domino_warning_counts = false
"""


def mistake(tmp_path: Path, text: str) -> str:
    """What is said of a file, less its name, which must stand first."""
    file = tmp_path / "gameline.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    said = str(caught.value)
    assert said.startswith(f"{file}: ")
    assert "\n" not in said
    return said.removeprefix(f"{file}: ")


def test_file_without_a_key_gives_the_defaults(tmp_path: Path) -> None:
    """No key has to stand in the file."""
    file = tmp_path / "gameline.toml"
    file.write_text("[table]\n")
    assert load_config(file) == Config()
    assert Config().game == Params()


@pytest.mark.parametrize("left", [b"", b"\n", b"\0" * 4096])
def test_file_that_a_power_cut_has_emptied_is_not_taken_for_the_defaults(tmp_path: Path, left: bytes) -> None:
    """A table must not come back under another name, with other pins, because its file is gone but for its name."""
    file = tmp_path / "gameline.toml"
    file.write_bytes(left)
    with pytest.raises(ConfigError, match=f"^{file}: expected "):
        load_config(file)


def test_whole_file_is_read(tmp_path: Path) -> None:
    """Every key that may stand there arrives where it belongs."""
    file = tmp_path / "gameline.toml"
    file.write_text(WHOLE)
    config = load_config(file)
    assert config.table.corners_px == ((100, 20), (1180.5, 20), (1180, 700), (100, 700))
    assert (config.table.name, config.camera.kind, config.camera.fps) == ("hall-1", "v4l2", 15.0)
    assert config.seats.pins is not None
    assert config.seats.pins.seat3.red == 8
    assert config.broker.reconnect_s == (2, 30)
    assert config.home_assistant == HomeAssistantConfig(discovery=True, prefix="hall/homes")
    assert config.journal.path.endswith("hall-1.sqlite")
    assert config.game == Params(
        sets_in_game=8,
        think_seconds=20,
        pair_tournament=False,
        adjudication=Adjudication.REFEREE,
        wrong_domino_alert=WrongDominoAlert.IMMEDIATE,
        wrong_domino_warning_counts=False,
    )


def example_parameters() -> dict[str, tuple[str, str]]:
    """The parameters of the annotated file: the default of `fours` and of `spots`, as they are written."""
    game = EXAMPLE.read_text(encoding="utf-8").partition("[game]\n")[2]
    return {name: (club, other or club) for name, club, other in PARAMETER.findall(game)}


def game_of(tmp_path: Path, *lines: str) -> Params:
    """The parameters of a file whose table of the game has these lines."""
    file = tmp_path / "gameline.toml"
    file.write_text("\n".join(("[game]", *lines)), encoding="utf-8")
    return load_config(file).game


@pytest.mark.parametrize(("chosen", "place"), [(fours(), 0), (spots(), 1)], ids=["fours", "spots"])
def test_annotated_file_names_every_parameter_with_both_defaults(chosen: Params, place: int) -> None:
    """Each parameter is shown with the value it has without being written, in the club text and in the Russian one."""
    shown = {name: tomllib.loads(f"value = {values[place]}")["value"] for name, values in example_parameters().items()}
    assert shown | {"rule_set": chosen.rule_set.value} == values_of(chosen)


def test_annotated_file_explains_every_parameter() -> None:
    """Before each parameter stands what it is, and the words that it may be."""
    game = EXAMPLE.read_text(encoding="utf-8").partition("[game]\n")[2]
    starts = [*PARAMETER.finditer(game)]
    for before, found in zip([None, *starts], starts, strict=False):
        comment = game[before.end() if before else 0 : found.start()].strip()
        assert comment.startswith("# "), found[1]
        words = [member.value for name, member in WORDS if name == found[1]]
        assert [word for word in words if word not in comment] == [], found[1]


@pytest.mark.parametrize(("name", "member"), WORDS, ids=lambda word: getattr(word, "value", word))
def test_every_word_of_every_parameter_can_be_written(tmp_path: Path, name: str, member: Enum) -> None:
    """Each reading of the texts that the program knows can be chosen in the file."""
    beside = GOES_WITH.get((name, str(member.value)), "")
    assert getattr(game_of(tmp_path, f'{name} = "{member.value}"', beside), name) is member


@pytest.mark.parametrize("rules", [fours(), spots()], ids=["fours", "spots"])
def test_every_value_of_a_game_can_be_written(tmp_path: Path, rules: Params) -> None:
    """All parameters of either text, written one by one, give that text."""
    lines = [
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
        for name, value in values_of(rules).items()
    ]
    assert game_of(tmp_path, *lines) == rules


def test_other_rule_set_has_its_own_defaults(tmp_path: Path) -> None:
    """With the Russian text chosen, what is left out is as that text has it, not as the club's."""
    assert game_of(tmp_path, 'rule_set = "spots"') == spots()
    chosen = game_of(tmp_path, 'rule_set = "spots"', 'lock_tie = "carry"', "sets_in_game = 6")
    assert chosen == spots(lock_tie=LockTie.CARRY, sets_in_game=6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tabel]", f"tabel: expected one of {TABLES}, got 'tabel'"),
        (
            "[table]\nsize = 900",
            "table.size: expected one of name, corners_px, side_mm, zone_mm, calibration, got 'size'",
        ),
        (
            "[seats.pins.seat0]\nbuton = 1",
            "seats.pins.seat0.buton: expected one of button, green, yellow, red, got 'buton'",
        ),
        ("[seats.pins]\nbuzzer = 1", "seats.pins.seat0: expected a value, got none"),
        ("[seats.pins.seat0]\nbutton = 1", "seats.pins.seat0.green: expected a value, got none"),
    ],
)
def test_key_that_does_not_exist_or_is_missing_is_told(tmp_path: Path, text: str, said: str) -> None:
    """A misspelt key is told with the keys that may stand there, a missing one with its place."""
    assert mistake(tmp_path, text) == said


def test_unknown_parameter_of_the_game_is_told(tmp_path: Path) -> None:
    """A parameter of the rules that this program does not have is not passed over."""
    said = mistake(tmp_path, "[game]\nsets = 4")
    assert said.startswith("game.sets: expected one of rule_set, version, scoring, seating, minor_order,")
    assert said.endswith("got 'sets'")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("table = 3", "table: expected `object`, got `int` (the value is 3)"),
        ("[table]\nname = 3", "table.name: expected `str`, got `int` (the value is 3)"),
        ("[broker]\nport = true", "broker.port: expected `int`, got `bool` (the value is True)"),
        ("[camera]\nfps = 'fast'", "camera.fps: expected `float`, got `str` (the value is 'fast')"),
        (
            "[camera]\nkind = 'webcam'",
            "camera.kind: expected one of folder, picamera, v4l2, video (the value is 'webcam')",
        ),
        ("[game]\nrule_set = 'chess'", "game.rule_set: expected one of fours, spots (the value is 'chess')"),
        ("[game]\nrule_set = []", "game.rule_set: expected one of fours, spots (the value is [])"),
        (
            "[game]\nrule_set = 'spots'\nreplay_by = 'me'",
            "game.replay_by: expected one of referee, chief_referee (the value is 'me')",
        ),
        ("[game]\nlone_blank_value = 10.0", "game.lone_blank_value: expected `int`, got `float` (the value is 10.0)"),
        ("[game]\nadjudication = 'me'", "game.adjudication: expected one of auto, referee (the value is 'me')"),
        ("[broker]\nreconnect_s = [1]", "broker.reconnect_s: expected `array` of length 2, got 1 (the value is [1])"),
        (
            "[table]\ncorners_px = [[1, 2], [3, 4], [5, 6], [7, 'x']]",
            "table.corners_px[3][1]: expected `float`, got `str` (the value is 'x')",
        ),
    ],
)
def test_value_of_the_wrong_kind_is_told(tmp_path: Path, text: str, said: str) -> None:
    """A value of the wrong type, number or word is told with what may stand there and what came."""
    assert mistake(tmp_path, text) == said


@pytest.mark.parametrize(
    ("text", "key", "came"),
    [
        ("[table]\nname = 'hall 1'", "table.name", "'hall 1'"),
        ("[table]\nname = ''", "table.name", "''"),
        ("[table]\nname = 'a/b'", "table.name", "'a/b'"),
        ("[table]\nside_mm = nan", "table.side_mm", "nan"),
        ("[table]\nside_mm = -900", "table.side_mm", "-900"),
        ("[table]\nzone_mm = 450", "table.zone_mm", "450"),
        ("[table]\nzone_mm = 0", "table.zone_mm", "0"),
        ("[camera]\nkind = 'folder'", "camera.path", "none"),
        ("[camera]\nfps = 0", "camera.fps", "0"),
        ("[camera]\nfps = nan", "camera.fps", "nan"),
        ("[camera]\nfps = inf", "camera.fps", "inf"),
        ("[camera]\nstale_s = 0.1", "camera.stale_s", "0.1"),
        ("[camera]\nwidth_px = 10", "camera.width_px", "10"),
        ("[camera]\nheight_px = 99999999999999999999999", "camera.height_px", "99999999999999999999999"),
        ("[seats]\nkind = 'board'", "seats.port", "none"),
        ("[broker]\nport = 0", "broker.port", "0"),
        ("[broker]\nport = 65536", "broker.port", "65536"),
        ("[broker]\nreconnect_s = [0, 5]", "broker.reconnect_s", "[0, 5]"),
        ("[broker]\nreconnect_s = [9, 5]", "broker.reconnect_s", "[9, 5]"),
        ('[home_assistant]\nprefix = "home/#"', "home_assistant.prefix", "'home/#'"),
        ('[home_assistant]\nprefix = ""', "home_assistant.prefix", "''"),
        ("[game]\nsets_in_game = 6", "game", "6: use 4, 8, 12 ..."),
        ("[game]\nsets_in_game = 0", "game", "0: use 4, 8, 12 ..."),
        ("[game]\nthink_seconds = 0.5", "game", "0.5"),
        ("[game]\nthink_seconds = nan", "game", "nan"),
        ("[game]\nat_once_moves = 4", "game", "4"),
        ("[game]\npass_retract_seconds = -1", "game", "-1.0"),
        ("[game]\nlone_blank_value = 101", "game", "101"),
        ("[game]\nscoring = 'spots'", "game", "spots with sets: leave both out"),
        ("[game]\nrule_set = 'spots'\nsets_in_game = 0", "game", "0"),
        ("[game]\nrule_set = 'spots'\nladder = 'sets'", "game", "spots with sets: leave both out"),
    ],
)
def test_value_out_of_range_is_told(tmp_path: Path, text: str, key: str, came: str) -> None:
    """What the types allow and the table does not is told with key, what was expected and what came."""
    said = mistake(tmp_path, text)
    assert said.startswith(f"{key}: expected ")
    assert said.endswith(f", got {came}")


def test_file_that_is_no_toml_is_told(tmp_path: Path) -> None:
    """The line of the mistake is named."""
    assert "expected TOML" in mistake(tmp_path, "[table\nname = 3")
    assert "line 1" in mistake(tmp_path, "[table\nname = 3")


def test_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A missing file, a folder and a file of bytes are told apart."""
    missing = tmp_path / "none.toml"
    with pytest.raises(ConfigError, match=r"none\.toml: expected a configuration file, got No such file"):
        load_config(missing)
    with pytest.raises(ConfigError, match="got Is a directory"):
        load_config(tmp_path)
    missing.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="expected TOML"):
        load_config(missing)


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        ("['22:00', '8:00']", "seats.quiet: expected a time of day such as 22:00, got '8:00'"),
        ("['25:00', '08:00']", "seats.quiet: expected a time of day such as 22:00, got '25:00'"),
        ("['08:00', '08:00']", "seats.quiet: expected two different times, got '08:00' twice"),
    ],
)
def test_quiet_hours_that_cannot_be_are_told(tmp_path: Path, hours: str, said: str) -> None:
    """A night without a beginning or an end is a mistake in the file, not a loud night."""
    assert mistake(tmp_path, f"[seats]\nquiet = {hours}").startswith(said)


@pytest.mark.parametrize(
    ("hours", "quiet"),
    [
        (None, []),
        (("22:00", "08:00"), ["22:00", "23:59", "00:00", "07:59"]),
        (("13:00", "15:00"), ["13:00", "14:59"]),
    ],
)
def test_quiet_hours_go_from_the_first_to_before_the_second(hours: tuple[str, str] | None, quiet: list[str]) -> None:
    """Over midnight too; at the second time the buzzer is back."""
    asked = ["00:00", "07:59", "08:00", "12:59", "13:00", "14:59", "15:00", "21:59", "22:00", "23:59"]
    assert [text for text in asked if is_quiet(hours, time_of_day(text))] == sorted(quiet)
